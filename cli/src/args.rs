//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value, ValueExt};

use crate::output::Format;

/// What the command line asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    Help,
    Version,
    /// The sites of a report of Nsight Systems.
    Nsys {
        report: PathBuf,
        format: Format,
    },
}

pub(crate) const USAGE: &str = "usage: launchsite nsys [--format table|csv|json] REPORT";

pub(crate) const HELP: &str = "\
launchsite: GPU time by launch site, from a profiler's report

usage: launchsite nsys [--format table|csv|json] REPORT

REPORT is what `nsys profile -t cuda,nvtx --cuda-graph-trace=node` wrote (.nsys-rep; nsys has to be on the PATH), or
what `nsys export --type sqlite` made of it. It is only read, and nothing is written beside it.

options:
  --format table|csv|json   a table (the default), or lines or an object to read by program, with times in nanoseconds
  -h, --help                this text
  -V, --version             the version

For each launch site, the most GPU time first:
  kernels    kernels that ran for it; one of a replayed CUDA graph belongs to the site that captured it
  launches   calls that launched some of them at once
  replays    graph launches that ran some of them again
  GPU total  their time on the GPU; then its mean, median, 99th percentile, and share of the time of all kernels
Kernels that no site launched are in the row `(no site)`.

exit code: 0, or 2 where the arguments or the report are not as they should be, or 1 where the output cannot be written
";

/// # Errors
/// Why the arguments ask for nothing, in words for the user.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Asked, String> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut command, mut report, mut format) = (None, None, Format::Table);
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        match arg {
            Short('h') | Long("help") => return Ok(Asked::Help),
            Short('V') | Long("version") => return Ok(Asked::Version),
            Long("format") => {
                let value = parser.value().and_then(ValueExt::string);
                format = Format::named(&value.map_err(|error| error.to_string())?)?;
            }
            Value(word) if command.is_none() => command = Some(word),
            Value(path) if report.is_none() => report = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    match (command, report) {
        (None, _) => Err("no command".into()),
        (Some(command), _) if command != "nsys" => Err(format!("no command {}", command.display())),
        (Some(_), None) => Err("nsys: no report".into()),
        (Some(_), Some(report)) => Ok(Asked::Nsys { report, format }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(args: &[&str]) -> Result<Asked, String> {
        parse(args.iter().map(OsString::from))
    }

    #[test]
    fn options_stand_anywhere_and_a_report_may_look_like_one() {
        let nsys = |report: &str, format| Ok(Asked::Nsys { report: report.into(), format });
        assert_eq!(asked(&["nsys", "a b.sqlite"]), nsys("a b.sqlite", Format::Table));
        assert_eq!(asked(&["nsys", "r", "--format", "csv"]), nsys("r", Format::Csv));
        assert_eq!(asked(&["--format=json", "nsys", "r"]), nsys("r", Format::Json));
        assert_eq!(asked(&["nsys", "--", "--format"]), nsys("--format", Format::Table));
        assert_eq!(asked(&["nsys", "-h"]), Ok(Asked::Help));
        assert_eq!(asked(&["-V"]), Ok(Asked::Version));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let table: [(&[&str], &str); 7] = [
            (&[], "no command"),
            (&["ncu", "r"], "no command ncu"),
            (&["nsys"], "no report"),
            (&["nsys", "r", "second"], "second"),
            (&["nsys", "--frmat", "csv", "r"], "--frmat"),
            (&["nsys", "--format", "xml", "r"], "table, csv or json, not \"xml\""),
            (&["nsys", "r", "--format"], "--format"),
        ];
        for (args, named) in table {
            let error = asked(args).unwrap_err();
            assert!(error.contains(named), "{args:?}: {error}");
        }
    }
}
