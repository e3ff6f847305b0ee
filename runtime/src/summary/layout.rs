//! The table's text: columns as wide as they need, within the terminal.

use super::SiteSummary;

/// The cells of one row; the first is the site's name.
pub(super) struct Row([String; COLUMNS]);

const COLUMNS: usize = 8;
/// A name is cut no shorter than this: a terminal that is narrower wraps.
const NARROWEST: usize = 12;
const GAP: &str = "  ";

impl Row {
    pub(super) fn head() -> Self {
        Self(["site", "launches", "timed", "GPU total", "mean", "p50", "p99", "share"].map(String::from))
    }

    pub(super) fn of(site: &SiteSummary) -> Self {
        let time = |ns: Option<u64>| ns.map_or_else(|| "-".into(), time);
        let share = site.share.map_or_else(|| "-".into(), |share| format!("{:.1} %", share * 100.0));
        Self([
            site.name.clone(),
            site.launches.to_string(),
            site.timed.to_string(),
            time(site.gpu_total_ns),
            time(site.mean_ns),
            time(site.p50_ns),
            time(site.p99_ns),
            share,
        ])
    }
}

pub(super) fn table(rows: &[Row], width: Option<usize>) -> String {
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.0.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut widths: [usize; COLUMNS] = std::array::from_fn(widest);
    let numbers: usize = widths.iter().skip(1).map(|width| width + GAP.len()).sum();
    if let (Some(width), Some(name)) = (width, widths.first_mut()) {
        *name = (*name).min(width.saturating_sub(numbers).max(NARROWEST));
    }
    let mut text = String::new();
    for row in rows {
        for (index, (cell, &width)) in row.0.iter().zip(&widths).enumerate() {
            if index == 0 {
                text.push_str(&padded(&cut(cell, width), width, false));
            } else {
                text.push_str(GAP);
                text.push_str(&padded(cell, width, true));
            }
        }
        text.push('\n');
    }
    text
}

fn padded(cell: &str, width: usize, to_the_right: bool) -> String {
    if to_the_right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
}

/// `text` in at most `width` characters, its middle left out: the function is at its beginning, the line at its end.
fn cut(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let front = kept / 2;
    let back = kept - front;
    let start: String = text.chars().take(front).collect();
    let end: String = text.chars().skip(length - back).collect();
    format!("{start}…{end}")
}

/// Three digits that matter and a unit.
pub(super) fn time(ns: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let Some((size, unit)) = UNITS.into_iter().find(|&(size, _)| ns >= size) else {
        return format!("{ns} ns");
    };
    #[allow(clippy::cast_precision_loss)] // three digits are shown
    let value = ns as f64 / size as f64;
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}
