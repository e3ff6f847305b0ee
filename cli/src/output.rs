//! The outputs.

mod table;

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::sums::Row;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Format {
    Table,
    Csv,
    Json,
}

impl Format {
    /// # Errors
    /// What there is instead.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        match name {
            "table" => Ok(Self::Table),
            "csv" => Ok(Self::Csv),
            "json" => Ok(Self::Json),
            _ => Err(format!("--format is table, csv or json, not {name:?}")),
        }
    }
}

/// What stands in JSON.
#[derive(Serialize)]
struct Object<'a> {
    sites: &'a [Row],
}

pub(crate) fn write(rows: &[Row], format: Format) -> io::Result<()> {
    let stdout = io::stdout();
    let width = terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0));
    let mut out = BufWriter::new(stdout.lock());
    match format {
        Format::Table => out.write_all(table::table(rows, width).as_bytes())?,
        Format::Csv => csv(rows, &mut out)?,
        Format::Json => {
            serde_json::to_writer(&mut out, &Object { sites: rows })?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()
}

/// By RFC 4180, but that lines end as they do here; the first names the columns.
fn csv(rows: &[Row], out: impl Write) -> io::Result<()> {
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(out);
    csv.write_record(table::FIELDS).map_err(of_output)?;
    for row in rows {
        csv.serialize(row).map_err(of_output)?;
    }
    csv.flush()
}

/// The output's own error, whose kind says whether it is one.
fn of_output(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// `text` in one line, and nothing in it that a terminal would obey.
pub(crate) fn plain(text: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}
