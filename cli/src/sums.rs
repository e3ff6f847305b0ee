//! Sums by site.

mod times;

use serde::Serialize;

use crate::host::{Site, Sites};
use crate::report::{Result, Unreadable};
use times::Times;

/// The name of the row with the kernels that no site launched.
pub(crate) const NO_SITE: &str = "(no site)";

/// A kernel that ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub(crate) site: Option<Site>,
    /// The call that launched it or its graph, where the report has one.
    pub(crate) launch: Option<Launch>,
    /// Whether a graph brought it.
    pub(crate) replayed: bool,
    /// Whether a graph brought it whose capture the report does not have.
    pub(crate) unknown: bool,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

/// Tells a call from the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Launch(u64);

impl Launch {
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// The sums of all sites. Counts, totals and means are exact.
#[derive(Debug)]
pub(crate) struct Sums {
    /// By the site's number; the last is of no site.
    by_site: Vec<Sum>,
    pub(crate) kernels: u64,
    pub(crate) replayed: u64,
    /// Those of graphs whose capture the report does not have.
    pub(crate) unknown: u64,
    /// Those without an end.
    pub(crate) unfinished: u64,
}

#[derive(Debug, Default)]
struct Sum {
    kernels: u64,
    launches: Calls,
    replays: Calls,
    total_ns: u64,
    times: Times,
}

/// Counts calls. The kernels of one come one after the other.
#[derive(Debug, Default)]
struct Calls {
    count: u64,
    last: Option<Launch>,
}

/// A site's row, as the outputs show it. Times are in nanoseconds, and `None` where no kernel has one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) kernels: u64,
    pub(crate) launches: u64,
    pub(crate) replays: u64,
    pub(crate) gpu_total_ns: Option<u64>,
    pub(crate) mean_ns: Option<u64>,
    pub(crate) p50_ns: Option<u64>,
    pub(crate) p99_ns: Option<u64>,
    pub(crate) share: Option<f64>,
}

impl Sums {
    pub(crate) fn new(sites: usize) -> Self {
        let by_site = std::iter::repeat_with(Sum::default).take(sites + 1).collect();
        Self { by_site, kernels: 0, replayed: 0, unknown: 0, unfinished: 0 }
    }

    /// # Errors
    /// The times add up to more than there can be.
    pub(crate) fn add(&mut self, kernel: Kernel) -> Result<()> {
        let duration = kernel.end.checked_sub(kernel.start).and_then(|ns| u64::try_from(ns).ok());
        self.kernels += 1;
        self.replayed += u64::from(kernel.replayed);
        self.unknown += u64::from(kernel.unknown);
        self.unfinished += u64::from(duration.is_none());
        let none = self.by_site.len().saturating_sub(1);
        match self.by_site.get_mut(kernel.site.map_or(none, Site::index)) {
            Some(sum) => sum.add(kernel, duration),
            None => Ok(()),
        }
    }

    /// A row for each site that has kernels, the most GPU time first; that of no site is the last.
    pub(crate) fn rows(&self, sites: &Sites) -> Vec<Row> {
        let all_ns: u128 = self.by_site.iter().map(|sum| u128::from(sum.total_ns)).sum();
        let names = sites.names().iter().map(String::as_str).chain([NO_SITE]);
        let mut rows: Vec<_> = self.by_site.iter().zip(names).map(|(sum, name)| sum.row(name, all_ns)).collect();
        let none = rows.pop();
        rows.sort_by(|a, b| b.gpu_total_ns.cmp(&a.gpu_total_ns).then_with(|| a.name.cmp(&b.name)));
        rows.extend(none);
        rows.retain(|row| row.kernels > 0);
        rows
    }
}

impl Sum {
    fn add(&mut self, kernel: Kernel, duration_ns: Option<u64>) -> Result<()> {
        self.kernels += 1;
        let calls = if kernel.replayed { &mut self.replays } else { &mut self.launches };
        calls.add(kernel.launch);
        let Some(duration_ns) = duration_ns else { return Ok(()) };
        let total = self.total_ns.checked_add(duration_ns);
        self.total_ns = total.ok_or_else(|| Unreadable("damaged: its GPU times are centuries".into()))?;
        self.times.add(duration_ns);
        Ok(())
    }

    #[allow(clippy::cast_precision_loss)] // a share needs no more
    fn row(&self, name: &str, all_ns: u128) -> Row {
        let timed = self.times.count();
        let of = |value: u64| (timed > 0).then_some(value);
        Row {
            name: name.to_owned(),
            kernels: self.kernels,
            launches: self.launches.count,
            replays: self.replays.count,
            gpu_total_ns: of(self.total_ns),
            mean_ns: of(self.total_ns / timed.max(1)),
            p50_ns: self.times.percentile(50),
            p99_ns: self.times.percentile(99),
            share: (timed > 0 && all_ns > 0).then(|| self.total_ns as f64 / all_ns as f64),
        }
    }
}

impl Calls {
    fn add(&mut self, launch: Option<Launch>) {
        if launch.is_some() && launch != self.last {
            self.count += 1;
            self.last = launch;
        }
    }
}
