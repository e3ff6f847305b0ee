//! `LAUNCHSITE_OUT`: where records go.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Complaints;
use super::spelling::list;
use crate::process;

/// One output, by its format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    JsonLines(Place),
}

/// Where an output is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Stdout,
    File(PathBuf),
}

const ACCEPTED: &str =
    "paths that end in .jsonl, or - for JSON lines on stdout; %p is the process id, %r the rank, %h the host";

pub(super) fn read(
    value: Option<OsString>,
    variable: &impl Fn(&str) -> Option<OsString>,
    complaints: &mut Complaints,
) -> Vec<Output> {
    let value = value.map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
    let mut outputs = Vec::new();
    for word in list(&value) {
        let word = OsString::from(word);
        let output = complaints.value("LAUNCHSITE_OUT", Some(word), ACCEPTED, |word| understood(word, variable));
        outputs.extend(output.filter(|output| !outputs.contains(output)).into_iter().collect::<Vec<_>>());
    }
    outputs
}

fn understood(word: &str, variable: &impl Fn(&str) -> Option<OsString>) -> Option<Output> {
    if word == "-" {
        return Some(Output::JsonLines(Place::Stdout));
    }
    let path = PathBuf::from(filled_in(word, variable));
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let place = Place::File(path);
    match ending.as_str() {
        "jsonl" => Some(Output::JsonLines(place)),
        _ => None,
    }
}

fn filled_in(path: &str, variable: &impl Fn(&str) -> Option<OsString>) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        match rest.next() {
            Some('p') => text.push_str(&std::process::id().to_string()),
            Some('h') => text.push_str(&process::host_name().replace('/', "_")),
            Some('r') => text.push_str(&rank(variable).map_or_else(|| "0".into(), |rank| rank.to_string())),
            Some(other) => text.extend(['%', other]),
            None => text.push('%'),
        }
    }
    text
}

/// The number of this process among those that were started together, as the usual launchers tell it.
pub(crate) fn rank(variable: &impl Fn(&str) -> Option<OsString>) -> Option<u64> {
    const NAMES: [&str; 5] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "RANK"];
    NAMES.iter().find_map(|name| variable(name)?.to_str()?.trim().parse().ok())
}
