//! The table's text: columns as wide as they need, within the terminal. It looks like the one at a program's exit.

use std::fmt::Write;

use super::plain;
use crate::sums::Row;

const COLUMNS: usize = 9;
/// The columns' names in the outputs for programs.
pub(super) const FIELDS: [&str; COLUMNS] =
    ["name", "kernels", "launches", "replays", "gpu_total_ns", "mean_ns", "p50_ns", "p99_ns", "share"];
const HEAD: [&str; COLUMNS] = ["site", "kernels", "launches", "replays", "GPU total", "mean", "p50", "p99", "share"];
/// A name is cut no shorter than this: in a terminal that is narrower it has a line of its own.
const NARROWEST: usize = 40;
const GAP: &str = "  ";

type Cells = [String; COLUMNS];

/// At most `width` characters wide, if that is given, and the numbers have room.
pub(super) fn table(rows: &[Row], width: Option<usize>) -> String {
    let mut lines = vec![HEAD.map(String::from)];
    lines.extend(rows.iter().map(cells));
    let widest = |column: usize| lines.iter().filter_map(|cells| cells.get(column)).map(|cell| length(cell)).max();
    let [widest_name, numbers @ ..]: [usize; COLUMNS] = std::array::from_fn(|column| widest(column).unwrap_or(0));
    let beside: usize = numbers.iter().map(|width| width + GAP.len()).sum();
    let width = width.unwrap_or(usize::MAX);
    // Room for a name beside its numbers; where that is too little, it stands above them.
    let room = width.saturating_sub(beside);
    let is_above = room < widest_name.min(NARROWEST);
    let name_width = if is_above { width } else { room.min(widest_name) };
    let mut text = String::new();
    for [name, cells @ ..] in &lines {
        let name = cut(name, name_width);
        text.push_str(&name);
        if is_above {
            text.push('\n');
        } else {
            text.extend(std::iter::repeat_n(' ', name_width - length(&name)));
        }
        for (cell, width) in cells.iter().zip(numbers) {
            // Writing to a string cannot fail.
            let _ = write!(text, "{GAP}{cell:>width$}");
        }
        text.push('\n');
    }
    text
}

fn cells(row: &Row) -> Cells {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    [
        plain(&row.name),
        row.kernels.to_string(),
        row.launches.to_string(),
        row.replays.to_string(),
        or_dash(row.gpu_total_ns.map(time)),
        or_dash(row.mean_ns.map(time)),
        or_dash(row.p50_ns.map(time)),
        or_dash(row.p99_ns.map(time)),
        or_dash(row.share.map(|share| format!("{:.1} %", share * 100.0))),
    ]
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// `text` in at most `width` characters, its middle left out: the function is at its beginning, the line at its end.
fn cut(text: &str, width: usize) -> String {
    let length = length(text);
    if length <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let start = text.chars().take(kept / 2);
    let end = text.chars().skip(length - (kept - kept / 2));
    start.chain(['…']).chain(end).collect()
}

/// Three digits that matter and a unit.
#[allow(clippy::cast_precision_loss)] // of three digits
fn time(ns: u64) -> String {
    if ns < 1_000 {
        return format!("{ns} ns");
    }
    for (unit, size) in [("us", 1e3), ("ms", 1e6), ("s", 1e9)] {
        for (digits, most) in [(2, 4), (1, 4), (0, 3)] {
            let value = format!("{:.digits$}", ns as f64 / size);
            if value.len() <= most {
                return format!("{value} {unit}");
            }
        }
    }
    format!("{:.0} s", ns as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, total: Option<u64>) -> Row {
        Row {
            name: name.into(),
            kernels: 1500,
            launches: 1000,
            replays: 100,
            gpu_total_ns: total,
            mean_ns: total.map(|total| total / 1500),
            p50_ns: total.map(|total| total / 1600),
            p99_ns: total.map(|total| total / 900),
            share: total.map(|_| 0.5),
        }
    }

    fn rows() -> Vec<Row> {
        vec![
            row("ops::saxpy my-crate/src/ops.rs:42", Some(2_000_000)),
            row("ops::a_function_with_a_name_that_is_long my-crate/src/deep/in/the/tree/ops.rs:1042", Some(1_000_000)),
            row("(no site)", None),
        ]
    }

    #[test]
    fn nothing_is_cut_without_a_terminal_and_columns_stand_below_each_other() {
        let text = table(&rows(), None);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("site ") && lines[0].ends_with("  share"), "{text}");
        assert!(rows().iter().zip(&lines[1..]).all(|(row, line)| line.starts_with(&row.name)), "{text}");
        assert!(lines.iter().all(|line| length(line) == length(lines[0])), "{text}");
        assert!(lines[1].contains("2.00 ms") && lines[1].ends_with("50.0 %"), "{text}");
        assert!(lines[3].contains(" 1500 ") && lines[3].matches(" -").count() == 5, "{text}");
    }

    #[test]
    fn a_table_fits_its_terminal_and_keeps_both_ends_of_a_name() {
        for width in [75, 80, 100, 120, 140, 160] {
            let text = table(&rows(), Some(width));
            assert!(text.lines().all(|line| length(line) <= width), "{width}:\n{text}");
            assert!(text.contains("ops::saxpy") && text.contains("ops::a_f") && text.contains(":1042"), "{text}");
            let is_above = text.lines().count() == 8;
            assert_eq!(is_above, width < 112, "{width}:\n{text}");
        }
        assert_eq!(table(&rows(), Some(0)).lines().count(), 8);
    }

    #[test]
    fn a_name_obeys_no_terminal() {
        let text = table(&[row("a\nb\tc\u{1b}[31m\u{9b}\0é", Some(1))], None);
        assert!(text.contains(r"a\nb\tc\u{1b}[31m\u{9b}\u{0}é") && text.lines().count() == 2, "{text}");
    }

    #[test]
    fn times_have_units() {
        let table = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 us"),
            (12_345, "12.3 us"),
            (123_456, "123 us"),
            (1_234_567, "1.23 ms"),
            (9_996, "10.0 us"),
            (99_960, "100 us"),
            (999_499, "999 us"),
            (999_600, "1.00 ms"),
            (50_000_000, "50.0 ms"),
            (3_600_000_000_000, "3600 s"),
        ];
        for (ns, text) in table {
            assert_eq!(time(ns), text);
        }
    }
}
