//! What the host's threads did: which site launched, which captured.
//!
//! A site's range is a push/pop range in the NVTX domain `launchsite`, and a call belongs to the innermost one that is
//! open on its thread when it begins. All numbers that CUDA and NVTX give out are a process's own.

mod calls;
mod nodes;
mod ranges;
mod sites;

use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};

use crate::report::{Report, Result, Table};
use calls::Calls;
pub(crate) use nodes::Captured;
use nodes::Nodes;
use ranges::{Domains, Ranges};
pub(crate) use sites::{Site, Sites};

/// What is known when all of it has been read.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) sites: Sites,
    pub(crate) calls: Calls,
    pub(crate) nodes: Nodes,
    /// Whether a graph was launched.
    pub(crate) replayed: bool,
}

/// A thread as the report numbers them: machine, process and thread in one number.
type Thread = i64;

/// A process, numbered like its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Process(i64);

impl Process {
    /// Of a thread's number, or of a process's own.
    pub(crate) fn of(number: i64) -> Self {
        Self(number & !0xff_ffff)
    }
}

/// `ENUM_NSYS_EVENT_TYPE`: a push/pop range, and the making of a domain.
const PUSH_POP_RANGE: i64 = 59;
const DOMAIN_CREATE: i64 = 75;

/// The kinds of event, in the order that events of one moment have. Domains come before all: a profile that began
/// late may have seen them later than their ranges.
const DOMAIN: i64 = 0;
const RANGE: i64 = 1;
const CALL: i64 = 2;
const NODE: i64 = 3;

/// Goes through ranges, calls and nodes in the order of time, each table once; SQLite sorts them, in files if they are
/// many. Kept are 16 bytes for each call inside a site's range, and less than 100 for each node of a graph.
pub(crate) fn read(report: &Report) -> Result<Host> {
    let mut texts = report.connection.prepare("SELECT value FROM StringIds WHERE id = ?1")?;
    let mut events = report.connection.prepare(&query(report))?;
    let mut events = events.query([])?;
    let mut host = Host::default();
    let (mut domains, mut ranges) = (Domains::default(), Ranges::default());
    while let Some(event) = events.next()? {
        let (at, kind, thread): (i64, i64, Thread) = (event.get(0)?, event.get(1)?, event.get(2)?);
        let process = Process::of(thread);
        match kind {
            DOMAIN => {
                let name = text(event, &mut texts)?;
                domains.made(process, event.get(3)?, name.as_deref());
            }
            RANGE if domains.is_ours(process, event.get(3)?) => {
                let site = site(event, &mut host.sites, &mut texts)?;
                ranges.open(thread, at, event.get(6)?, site);
            }
            RANGE => {}
            CALL => {
                host.replayed |= event.get::<_, bool>(4)?;
                if let Some(site) = ranges.innermost(thread, at) {
                    host.calls.add(process, event.get(3)?, site);
                }
            }
            _ => host.nodes.add(process, event.get(3)?, event.get(4)?, ranges.innermost(thread, at)),
        }
    }
    host.calls.sort();
    Ok(host)
}

/// Columns: when, kind, thread, and what the kind has: for a domain and a range its domain, its text's number, its text
/// and its end; for a call its number and whether it launches a graph; for a node its number and that of its original.
fn query(report: &Report) -> String {
    let mut parts = vec![format!(
        "SELECT start, {CALL}, globalTid, correlationId AS number, \
         coalesce(nameId IN (SELECT id FROM StringIds WHERE value GLOB 'cu*GraphLaunch*'), 0) AS reference, NULL, \
         NULL AS \"end\" \
         FROM {} WHERE globalTid IS NOT NULL AND correlationId IS NOT NULL",
        Table::Calls.name()
    )];
    if report.has(Table::Nvtx) {
        parts.push(format!(
            "SELECT iif(eventType = {DOMAIN_CREATE}, {first}, start), iif(eventType = {DOMAIN_CREATE}, {DOMAIN}, {RANGE}), \
             globalTid, domainId, textId, text, coalesce(\"end\", {last}) \
             FROM {} WHERE eventType IN ({DOMAIN_CREATE}, {PUSH_POP_RANGE}) \
             AND globalTid IS NOT NULL AND domainId IS NOT NULL",
            Table::Nvtx.name(),
            first = i64::MIN,
            last = i64::MAX,
        ));
    }
    if report.has(Table::Nodes) {
        parts.push(format!(
            "SELECT start, {NODE}, globalTid, graphNodeId, originalGraphNodeId, NULL, NULL \
             FROM {} WHERE globalTid IS NOT NULL AND graphNodeId IS NOT NULL",
            Table::Nodes.name()
        ));
    }
    // Of ranges that begin at one moment the longer is the outer one.
    format!("{} ORDER BY 1, 2, 7 DESC", parts.join(" UNION ALL "))
}

/// The site whose range this is.
fn site(range: &Row<'_>, sites: &mut Sites, texts: &mut Statement<'_>) -> Result<Site> {
    let (text_id, own): (Option<i64>, _) = (range.get(4)?, range.get_ref(5)?);
    if let (Some(id), ValueRef::Null) = (text_id, own)
        && let Some(site) = sites.of_text(id)
    {
        return Ok(site);
    }
    let name = text(range, texts)?.unwrap_or_else(|| "(no name)".into());
    let site = sites.named(&name);
    if let (Some(id), ValueRef::Null) = (text_id, own) {
        sites.text_is(id, site);
    }
    Ok(site)
}

/// An event's text: its own, or the one that it shares with others.
fn text(event: &Row<'_>, texts: &mut Statement<'_>) -> Result<Option<String>> {
    let own = as_text(event.get_ref(5)?);
    let id: Option<i64> = event.get(4)?;
    let (None, Some(id)) = (&own, id) else { return Ok(own) };
    let mut rows = texts.query([id])?;
    Ok(match rows.next()? {
        Some(row) => as_text(row.get_ref(0)?),
        None => None,
    })
}

fn as_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}
