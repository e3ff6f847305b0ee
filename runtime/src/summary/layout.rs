//! The table's text: columns as wide as they need, within the terminal.

use super::SiteSummary;

/// The cells of one row; the first is the site's name.
pub(super) struct Row(Vec<String>);

/// Which rates are shown: those that a site has.
#[derive(Clone, Copy)]
pub(super) struct Rates {
    pub(super) flops: bool,
    pub(super) bytes: bool,
}

impl Rates {
    fn of<T>(self, flops: T, bytes: T) -> impl Iterator<Item = T> {
        self.flops.then_some(flops).into_iter().chain(self.bytes.then_some(bytes))
    }
}

/// A name is cut no shorter than this: in a terminal that is narrower it has a line of its own.
const NARROWEST: usize = 40;
const GAP: &str = "  ";

impl Row {
    pub(super) fn head(rates: Rates) -> Self {
        let all = ["site", "launches", "timed", "calibrated", "GPU total", "mean", "p50", "p99", "share"];
        Self(all.into_iter().chain(rates.of("TFLOP/s", "GB/s")).map(String::from).collect())
    }

    pub(super) fn of(site: &SiteSummary, rates: Rates) -> Self {
        let time = |ns: Option<u64>| ns.map_or_else(|| "-".into(), time);
        let share = site.share.map_or_else(|| "-".into(), |share| format!("{:.1} %", share * 100.0));
        let is_bound = site.calibrated < site.timed;
        let rate = |rate: Option<f64>| rate.map_or_else(|| "-".into(), |rate| self::rate(rate, is_bound));
        let all = [
            if site.in_graphs { format!("{} (in graphs)", site.name) } else { site.name.clone() },
            site.launches.to_string(),
            site.timed.to_string(),
            site.calibrated.to_string(),
            time(site.gpu_total_ns),
            time(site.mean_ns),
            time(site.p50_ns),
            time(site.p99_ns),
            share,
        ];
        Self(all.into_iter().chain(rates.of(rate(site.tflop_per_s), rate(site.gb_per_s))).collect())
    }
}

pub(super) fn table(rows: &[Row], width: Option<usize>) -> String {
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.0.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let columns = rows.first().map_or(0, |head| head.0.len());
    let mut widths: Vec<usize> = (0..columns).map(widest).collect();
    let numbers: usize = widths.iter().skip(1).map(|width| width + GAP.len()).sum();
    let name = widths.first().copied().unwrap_or(0);
    if let Some(width) = width
        && name + numbers > width
    {
        let left = width.saturating_sub(numbers);
        if left < NARROWEST {
            return stacked(rows, &widths, width);
        }
        if let Some(name) = widths.first_mut() {
            *name = left;
        }
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

/// Each name in a line of its own, and the numbers below it.
fn stacked(rows: &[Row], widths: &[usize], width: usize) -> String {
    let mut text = String::new();
    for row in rows {
        let [name, numbers @ ..] = row.0.as_slice() else { continue };
        text.push_str(&cut(name, width));
        text.push('\n');
        for (cell, &width) in numbers.iter().zip(widths.iter().skip(1)) {
            text.push_str(GAP);
            text.push_str(&padded(cell, width, true));
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

/// Three digits that matter; of a lower bound that it is one.
fn rate(rate: f64, is_bound: bool) -> String {
    let digits = if rate < 9.995 { 2 } else { usize::from(rate < 99.95) };
    format!("{}{rate:.digits$}", if is_bound { ">" } else { "" })
}

/// Three digits that matter and a unit.
pub(super) fn time(ns: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000, "us"), (1_000_000, "ms"), (1_000_000_000, "s")];
    const DIGITS: [(u64, u32); 3] = [(10, 2), (100, 1), (1000, 0)];
    if ns < 1_000 {
        return format!("{ns} ns");
    }
    // What rounds up to the next power of ten has the digits and the unit of that.
    let in_unit = |(size, unit)| {
        let value = DIGITS.into_iter().find_map(|(below, digits)| in_digits(ns, size, below, digits));
        value.map(|value| format!("{value} {unit}"))
    };
    UNITS.into_iter().find_map(in_unit).unwrap_or_else(|| format!("{} s", ns / 1_000_000_000))
}

/// `ns` in units of `size`, if that is `below` what is given once it is rounded.
fn in_digits(ns: u64, size: u64, below: u64, digits: u32) -> Option<String> {
    let tenth = 10_u64.pow(digits);
    // In the last digit that is shown, rounded.
    let value = (u128::from(ns) * u128::from(tenth) + u128::from(size) / 2) / u128::from(size);
    let (tenth, below) = (u128::from(tenth), u128::from(below));
    let digits = digits as usize;
    (value < below * tenth).then(|| match digits {
        0 => value.to_string(),
        _ => format!("{}.{:0digits$}", value / tenth, value % tenth),
    })
}
