//! A report of Nsight Systems: the SQLite file that `nsys export` makes.
//!
//! Tables, columns and the numbers of event types are those of the schema in the user guide of Nsight Systems ("SQLite
//! Schema Reference"), and of exports of version 2025.3.

mod export;
mod file;
mod schema;

use std::fmt;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

pub(crate) use schema::Table;

/// An open report, which is only read.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) connection: Connection,
    /// The tables that it has.
    tables: Vec<Table>,
    /// Where the file is, if it was exported for this.
    _exported: Option<TempDir>,
}

/// Why a report cannot be read, in words for the user.
#[derive(Debug)]
pub(crate) struct Unreadable(pub(crate) String);

pub(crate) type Result<T, E = Unreadable> = std::result::Result<T, E>;

impl Report {
    /// Opens `path`, or what nsys exports it to if it is no export yet.
    ///
    /// # Errors
    /// It is no file, no SQLite file, not whole, or has other tables.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        file::check_is_there(path)?;
        let is_raw = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("nsys-rep"));
        if !is_raw {
            return Self::of(path, None);
        }
        let folder = tempfile::tempdir().map_err(|error| Unreadable(format!("no folder to export it to: {error}")))?;
        let exported = export::export(path, folder.path())?;
        Self::of(&exported, Some(folder))
    }

    fn of(path: &Path, exported: Option<TempDir>) -> Result<Self> {
        file::check_is_whole(path)?;
        // `immutable`: no lock, no journal, nothing beside the file, which may be in a folder that cannot be written.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file::uri(path), flags)?;
        // What does not fit is sorted in temporary files: this bounds the memory, whatever the report's size.
        connection.pragma_update(None, "cache_size", -16_384)?;
        let tables = schema::tables(&connection)?;
        Ok(Self { connection, tables, _exported: exported })
    }

    pub(crate) fn has(&self, table: Table) -> bool {
        self.tables.contains(&table)
    }

    /// Whether there is a row in `table`: an export has empty tables, or none, as it was asked for.
    pub(crate) fn has_rows(&self, table: Table) -> Result<bool> {
        if !self.has(table) {
            return Ok(false);
        }
        let any = format!("SELECT EXISTS (SELECT 1 FROM {})", table.name());
        Ok(self.connection.query_row(&any, [], |row| row.get(0))?)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<rusqlite::Error> for Unreadable {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, InvalidColumnType, Utf8Error};
        Self(match (&error, error.sqlite_error_code()) {
            (InvalidColumnType(_, column, kind), _) => format!("not as nsys writes it: `{column}` is {kind}"),
            (FromSqlConversionFailure(..) | Utf8Error(..), _) => format!("damaged: {error}"),
            (_, Some(ErrorCode::DatabaseCorrupt)) => format!("damaged, or not all of it: {error}"),
            (_, Some(ErrorCode::NotADatabase)) => format!("no SQLite file: {error}"),
            (_, Some(ErrorCode::DiskFull)) => "no room for temporary files (SQLITE_TMPDIR says where)".into(),
            (_, Some(ErrorCode::CannotOpen)) => {
                "SQLite opens no file with a path this long, or no temporary one (SQLITE_TMPDIR says where)".into()
            }
            _ => error.to_string(),
        })
    }
}
