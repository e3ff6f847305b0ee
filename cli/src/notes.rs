//! What a report lacks, and how to get it: lines for stderr.

use crate::host::Host;
use crate::report::{Report, Result, Table};
use crate::sums::Sums;

pub(crate) fn of(report: &Report, host: &Host, sums: &Sums) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let mut note = |applies: bool, text: String| {
        if applies {
            notes.push(text);
        }
    };
    let has_ranges = report.has_rows(Table::Nvtx)?;
    note(!has_ranges, "no NVTX ranges in the report: profile with `nsys profile -t cuda,nvtx`".into());
    note(
        has_ranges && host.sites.names().is_empty(),
        "no range of launchsite in the report: is the program built with its feature `enabled`, and LAUNCHSITE not off?"
            .into(),
    );
    let untraced = host.replayed && host.nodes.is_empty() && sums.replayed == 0;
    note(
        untraced || report.has_rows(Table::Graphs)?,
        "kernels of CUDA graphs are not in the report: profile with `--cuda-graph-trace=node`".into(),
    );
    note(
        sums.unknown > 0,
        format!("{} kernels are of graphs whose capture is not in the report: has it begun later?", sums.unknown),
    );
    note(sums.unfinished > 0, format!("{} kernels have no end in the report: counted, not timed", sums.unfinished));
    note(sums.kernels == 0, "no kernels in the report".into());
    Ok(notes)
}
