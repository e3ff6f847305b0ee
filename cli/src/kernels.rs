//! The kernels, launch by launch.

use crate::host::{Captured, Host, Process, Site};
use crate::report::{Report, Result, Table};
use crate::sums::{Kernel, Launch, Sums};

/// Adds each kernel to the sums of its site, without keeping any: SQLite brings those of one call together.
///
/// A kernel of a graph belongs to the site that captured it, and otherwise to the site that launched the graph.
pub(crate) fn read(report: &Report, host: &Host) -> Result<Sums> {
    let mut sums = Sums::new(host.sites.names().len());
    if !report.has(Table::Kernels) {
        return Ok(sums);
    }
    let query = format!(
        "SELECT globalPid, correlationId, graphNodeId, start, \"end\" FROM {} ORDER BY globalPid, correlationId",
        Table::Kernels.name()
    );
    let mut kernels = report.connection.prepare(&query)?;
    let mut kernels = kernels.query([])?;
    let (mut launch, mut launched_by) = (Launch::default(), None);
    while let Some(kernel) = kernels.next()? {
        let call = (kernel.get::<_, Option<i64>>(0)?.map(Process::of), kernel.get::<_, Option<i64>>(1)?);
        // Some versions write 0 for none.
        let node = kernel.get::<_, Option<i64>>(2)?.filter(|node| *node != 0);
        if launched_by != Some(call) {
            launched_by = Some(call);
            launch = launch.next();
        }
        let captured = call.0.zip(node).map(|(process, node)| host.nodes.captured(process, node));
        sums.add(Kernel {
            site: captured.and_then(by).or_else(|| host.calls.site(call.0?, call.1?)),
            launch: call.1.map(|_| launch),
            replayed: node.is_some(),
            unknown: captured == Some(Captured::Unknown),
            start: kernel.get(3)?,
            end: kernel.get(4)?,
        })?;
    }
    Ok(sums)
}

fn by(captured: Captured) -> Option<Site> {
    match captured {
        Captured::By(site) => Some(site),
        Captured::Outside | Captured::Unknown => None,
    }
}
