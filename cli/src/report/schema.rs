//! The tables that are read, and what has to be in them.

use rusqlite::Connection;

use super::{Result, Unreadable};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Table {
    /// Texts that several rows have.
    Strings,
    /// Ranges and domains. A thread's number holds that of its process.
    Nvtx,
    /// Calls of CUDA's runtime and driver.
    Calls,
    /// Kernels, each with the number of the call that launched it and, in a graph, that of its node.
    Kernels,
    /// Nodes as they were made: captured, or copied from another. Only with `--cuda-graph-trace=node`.
    Nodes,
    /// Whole replays. Only with `--cuda-graph-trace=graph`.
    Graphs,
}

impl Table {
    const ALL: [Self; 6] = [Self::Strings, Self::Nvtx, Self::Calls, Self::Kernels, Self::Nodes, Self::Graphs];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Strings => "StringIds",
            Self::Nvtx => "NVTX_EVENTS",
            Self::Calls => "CUPTI_ACTIVITY_KIND_RUNTIME",
            Self::Kernels => "CUPTI_ACTIVITY_KIND_KERNEL",
            Self::Nodes => "CUDA_GRAPH_NODE_EVENTS",
            Self::Graphs => "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        }
    }

    const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Strings => &["id", "value"],
            Self::Nvtx => &["start", "end", "eventType", "text", "globalTid", "textId", "domainId"],
            Self::Calls => &["start", "globalTid", "correlationId", "nameId"],
            Self::Kernels => &["start", "end", "correlationId", "globalPid", "graphNodeId"],
            Self::Nodes => &["start", "globalTid", "graphNodeId", "originalGraphNodeId"],
            Self::Graphs => &[],
        }
    }
}

/// The tables that are there. A table whose events were not traced, or did not happen, is not there in most exports.
///
/// # Errors
/// There is one without which nothing can be said, or a column is missing: all of them are named.
pub(super) fn tables(connection: &Connection) -> Result<Vec<Table>> {
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for table in Table::ALL {
        let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let columns: Vec<String> = columns.query_map([table.name()], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if columns.is_empty() {
            continue;
        }
        found.push(table);
        let lacks = table.columns().iter().filter(|column| !columns.iter().any(|there| there == *column));
        missing.extend(lacks.map(|column| format!("column {}.{column}", table.name())));
    }
    // Where all kernels are in graphs that were traced as a whole there is none by itself.
    let has_graphs = found.contains(&Table::Graphs);
    let needed = [Table::Strings, Table::Calls].into_iter().chain((!has_graphs).then_some(Table::Kernels));
    let absent = needed.filter(|table| !found.contains(table));
    missing.extend(absent.map(|table| format!("table {}", table.name())));
    if missing.is_empty() {
        return Ok(found);
    }
    let missing = missing.join(", ");
    Err(Unreadable(format!(
        "no report of GPU work, or one of another version of nsys: it lacks {missing} (profile with `-t cuda,nvtx`)"
    )))
}
