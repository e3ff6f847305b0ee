//! How values are spelled: trimmed, in any case.

use std::time::Duration;

use super::Budget;

pub(super) fn boolean(text: &str) -> Option<bool> {
    let is = |words: [&str; 6]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is(["1", "true", "t", "yes", "y", "on"]) {
        Some(true)
    } else if is(["0", "false", "f", "no", "n", "off"]) {
        Some(false)
    } else {
        None
    }
}

/// The words between commas, blank ones left out.
pub(super) fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// `1%`, `1/16`.
pub(super) fn budget(text: &str) -> Option<Budget> {
    if let Some(percent) = text.strip_suffix('%') {
        let percent: f64 = percent.trim_end().parse().ok()?;
        return (percent > 0.0 && percent <= 100.0).then_some(Budget::Share(percent / 100.0));
    }
    let (one, stride) = text.split_once('/')?;
    let stride = stride.trim_start().parse().ok().filter(|&stride| stride > 0)?;
    (one.trim_end() == "1").then_some(Budget::Every(stride))
}

/// `2s`, `500ms`, `20us`, `1.5s`, `0`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().ok()?;
    let seconds = match unit.trim().to_ascii_lowercase().as_str() {
        "s" => number,
        "ms" => number / 1e3,
        "us" => number / 1e6,
        "" if number == 0.0 => 0.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}
