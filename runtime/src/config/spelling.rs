//! How values are spelled: trimmed, in any case.

use std::time::Duration;

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
