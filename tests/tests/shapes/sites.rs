//! Which sites a shape has, and what was recorded there.

use std::collections::{BTreeMap, BTreeSet};

use crate::expect::{LAUNCHED_BY, LAUNCHES, NOT_LOOKED_INTO};
use crate::launches::{self, Launch};
use crate::runs::Run;
use crate::table::Row;

/// What became of one shape, in the plain round.
#[derive(Default)]
struct Found<'r> {
    /// By scope, line and column.
    sites: BTreeSet<(&'r str, u64, u64)>,
    records: usize,
    known: usize,
    unknown: usize,
    /// Launches that the driver saw while the shape was called.
    launches: usize,
    unrecorded: usize,
}

/// Launches by the shape that was called, records by the shape in whose lines they stand.
fn found<'r>(run: &'r Run, launches: &[Launch<'r>]) -> BTreeMap<&'r str, Found<'r>> {
    let mut all: BTreeMap<&str, Found<'_>> = BTreeMap::new();
    for launch in launches.iter().filter(|launch| launch.round == "plain") {
        let called = all.entry(launch.shape).or_default();
        called.launches += 1;
        called.unrecorded += usize::from(launch.record.is_none());
    }
    for launch in launches.iter().filter(|launch| launch.round == "plain") {
        let Some(record) = launch.record else { continue };
        let own = all.entry(run.shape_of(record)).or_default();
        own.records += 1;
        let scope = record["scope"].as_str().unwrap();
        own.sites.insert((scope, record["line"].as_u64().unwrap(), record["column"].as_u64().unwrap()));
        if record["stream"].is_null() {
            own.unknown += 1;
        } else {
            own.known += 1;
        }
    }
    all
}

/// What is wrong with the shape, if anything.
fn mistakes(row: &Row, found: &Found<'_>, all: &BTreeMap<&str, Found<'_>>, probe: bool) -> Vec<String> {
    let mut mistakes = Vec::new();
    let kernels = found.sites.iter().filter(|site| site.0 == "launch").count();
    let graphs = found.sites.len() - kernels;
    let mut allowed = row.kernel_sites(probe);
    if NOT_LOOKED_INTO.contains(&row.id.as_str()) {
        allowed.push(0);
    }
    if !allowed.contains(&kernels) {
        mistakes.push(format!("{kernels} sites of kernels, not {allowed:?}"));
    }
    if graphs != row.graph_sites() {
        mistakes.push(format!("{graphs} sites of graphs, not {}", row.graph_sites()));
    }
    let mut launches = LAUNCHES.iter().find(|(id, _)| *id == row.id).map_or(1, |(_, launches)| *launches);
    launches += usize::from(probe && row.kernel_sites(true) != row.kernel_sites(false));
    if found.launches != launches {
        mistakes.push(format!("the driver saw {} launches, not {launches}", found.launches));
    }
    // One record for each passing of a site, whoever called it.
    if !found.sites.is_empty() {
        let callers = LAUNCHED_BY.iter().filter(|(_, by)| *by == row.id).map(|(caller, _)| *caller);
        let passed: usize =
            callers.chain([row.id.as_str()]).map(|id| all.get(id).map_or(0, |called| called.launches)).sum();
        if found.records != passed || found.unrecorded > 0 {
            mistakes.push(format!("{} records of {passed} launches, {} without", found.records, found.unrecorded));
        }
    }
    if found.unknown > 0 && !row.may_be_unknown() {
        mistakes.push(format!("the stream of {} is unknown", found.unknown));
    }
    mistakes
}

/// Prints what was found of each shape, and asserts that it is what its line says.
pub(crate) fn check(run: &Run, rows: &[Row], probe: bool) {
    let launches = launches::of(run);
    let all = found(run, &launches);
    let none = Found::default();
    let mut wrong = Vec::new();
    println!("shape function                                  sites launches records known unknown");
    for row in rows {
        let found = all.get(row.id.as_str()).unwrap_or(&none);
        let mistakes = mistakes(row, found, &all, probe);
        let Found { sites, records, known, unknown, launches, .. } = found;
        let (id, function, sites) = (&row.id, &row.function, sites.len());
        println!("{id:5} {function:41} {sites:5} {launches:8} {records:7} {known:5} {unknown:7}");
        wrong.extend(mistakes.into_iter().map(|mistake| format!("{id} {function}: {mistake}")));
    }
    assert!(wrong.is_empty(), "otherwise than their lines say:\n{}", wrong.join("\n"));
}
