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
    /// The functions that launch without the attribute.
    Lint(Vec<PathBuf>),
}

pub(crate) const USAGE: &str =
    "usage: launchsite nsys [--format table|csv|json] REPORT\n       launchsite lint PATH...";

pub(crate) const HELP: &str = "\
launchsite: GPU time by launch site, from a profiler's report, and functions that launch without a name

usage: launchsite nsys [--format table|csv|json] REPORT
       launchsite lint PATH...

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

`launchsite lint` lists the functions in Rust files, or in all below a folder, that launch kernels and have no
`#[gpu_kernel]`. One that only looks so is passed over with the comment `// launchsite: no launch` above it.

exit code: 0, or 2 where the arguments, the report or a file are not as they should be, or 1 where the output cannot be
written or `lint` found something
";

/// # Errors
/// Why the arguments ask for nothing, in words for the user.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Asked, String> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut command, mut paths, mut format) = (None, Vec::new(), None);
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        match arg {
            Short('h') | Long("help") => return Ok(Asked::Help),
            Short('V') | Long("version") => return Ok(Asked::Version),
            Long("format") => {
                let value = parser.value().and_then(ValueExt::string);
                format = Some(Format::named(&value.map_err(|error| error.to_string())?)?);
            }
            Value(word) if command.is_none() => command = Some(word),
            Value(path) if paths.is_empty() || command.as_ref().is_some_and(|command| command == "lint") => {
                paths.push(PathBuf::from(path));
            }
            other => return Err(other.unexpected().to_string()),
        }
    }
    let command = command.ok_or("no command")?;
    match (command.to_str(), paths.first().cloned()) {
        (Some("nsys"), None) => Err("nsys: no report".into()),
        (Some("nsys"), Some(report)) => Ok(Asked::Nsys { report, format: format.unwrap_or(Format::Table) }),
        (Some("lint"), _) if format.is_some() => Err("lint: no option --format".into()),
        (Some("lint"), None) => Err("lint: no path".into()),
        (Some("lint"), Some(_)) => Ok(Asked::Lint(paths)),
        _ => Err(format!("no command {}", command.display())),
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
        assert_eq!(asked(&["lint", "src", "a.rs"]), Ok(Asked::Lint(vec!["src".into(), "a.rs".into()])));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let table: [(&[&str], &str); 9] = [
            (&[], "no command"),
            (&["ncu", "r"], "no command ncu"),
            (&["nsys"], "no report"),
            (&["lint"], "no path"),
            (&["lint", "src", "--format", "csv"], "--format"),
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
