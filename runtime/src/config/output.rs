//! `LAUNCHSITE_OUT`: where records go.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::Complaints;
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
    let mut outputs = Vec::new();
    // By bytes: a path need not be text.
    for word in value.unwrap_or_default().as_bytes().split(|&byte| byte == b',') {
        let word = OsStr::from_bytes(word.trim_ascii());
        let understood = |_: &str| understood(word, variable);
        if let Some(output) = complaints.value("LAUNCHSITE_OUT", Some(word.to_owned()), ACCEPTED, understood)
            && !outputs.contains(&output)
        {
            outputs.push(output);
        }
    }
    outputs
}

fn understood(word: &OsStr, variable: &impl Fn(&str) -> Option<OsString>) -> Option<Output> {
    if word == "-" {
        return Some(Output::JsonLines(Place::Stdout));
    }
    let path = PathBuf::from(filled_in(word, variable));
    let ending = path.extension()?.to_ascii_lowercase();
    let place = Place::File(path);
    match ending.to_str()? {
        "jsonl" => Some(Output::JsonLines(place)),
        _ => None,
    }
}

fn filled_in(path: &OsStr, variable: &impl Fn(&str) -> Option<OsString>) -> OsString {
    let mut filled = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        if byte != b'%' {
            filled.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'p') => filled.extend(std::process::id().to_string().bytes()),
            Some(b'h') => filled.extend(process::host_name().replace('/', "_").bytes()),
            Some(b'r') => filled.extend(rank(variable).unwrap_or(0).to_string().bytes()),
            Some(&other) => filled.extend([b'%', other]),
            None => filled.push(b'%'),
        }
    }
    OsString::from_vec(filled)
}

/// The number of this process among those that were started together, as the usual launchers tell it.
pub(crate) fn rank(variable: &impl Fn(&str) -> Option<OsString>) -> Option<u64> {
    const NAMES: [&str; 5] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "RANK"];
    NAMES.iter().find_map(|name| variable(name)?.to_str()?.trim().parse().ok())
}
