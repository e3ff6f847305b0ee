//! Sums by site, and the table that shows them.

mod layout;

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use layout::{Rates, Row};

use crate::record::Kind;

/// What has been collected so far: [`Display`](fmt::Display) shows it as a table.
///
/// A row a site, the most GPU time first: launches, how many of them were timed, how many of these times are calibrated, GPU
/// time in all, its mean, median and 99th percentile (each within 1 %), and its share of all GPU time; then TFLOP/s and GB/s,
/// where a site says what its launches do, with `>` where they are lower bounds. Below the rows stands
/// which times are upper bounds and what was not timed, and why.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// A row each, the most GPU time first.
    pub sites: Vec<SiteSummary>,
    /// How many launches were not timed, by the reason; where timing was off, that is one.
    pub untimed: BTreeMap<String, u64>,
    /// How many times are upper bounds, by what left it at that.
    pub upper_bounds: BTreeMap<String, u64>,
    /// How many sinks panicked and were removed.
    pub removed_sinks: u64,
    /// How many launches left no record and are in none of the other numbers, by the reason.
    pub lost: BTreeMap<String, u64>,
    /// How often a `name` with placeholders was not filled in: its function had 4096 texts already.
    pub not_filled_in: u64,
    /// How often fields were left out: there were 32,768 sets of them already, or a value could not be shown.
    pub without_fields: u64,
}

/// The sums of one site, in one instantiation of its function.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SiteSummary {
    /// What the site is called.
    pub name: String,
    /// What it does. A scope's time has in it what is launched inside, and is no part of the whole.
    pub kind: Kind,
    /// It is a row of the site's kernels inside graphs, as far as they were timed there: `launches` are these alone. Their time is
    /// in that of the graphs, and no part of the whole.
    pub in_graphs: bool,
    /// Launches that were recorded, and those that a budget left out; of a scope, calls.
    pub launches: u64,
    /// Those that `LAUNCHSITE_BUDGET` left out.
    pub sampled_out: u64,
    /// Those with a GPU time.
    pub timed: u64,
    /// Those whose time is the kernel's own; that of the others is an upper bound.
    pub calibrated: u64,
    /// GPU time of the launches that were timed, in all, in nanoseconds; as are the following. `None` where nothing was timed.
    pub gpu_total_ns: Option<u64>,
    /// The mean.
    pub mean_ns: Option<u64>,
    /// The median, within 1 %.
    pub p50_ns: Option<u64>,
    /// The 99th percentile, within 1 %.
    pub p99_ns: Option<u64>,
    /// 10^12 floating-point operations a second, where `flops` says how many a launch has: of all of them that were timed, by
    /// the time that these took. A lower bound, where not all times are calibrated; so is the next.
    pub tflop_per_s: Option<f64>,
    /// 10^9 bytes a second, where `bytes` says how many a launch moves.
    pub gb_per_s: Option<f64>,
    /// The part of all GPU time, from 0 to 1; `None` for a scope. Launches that a budget left out are counted with the mean
    /// of those that were timed: sites are thinned out by different measures.
    pub share: Option<f64>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fitted(None))
    }
}

impl Summary {
    /// The table at most `width` columns wide, the names cut in their middle; uncut without.
    pub(crate) fn fitted(&self, width: Option<usize>) -> String {
        let rates = Rates {
            flops: self.sites.iter().any(|site| site.tflop_per_s.is_some()),
            bytes: self.sites.iter().any(|site| site.gb_per_s.is_some()),
        };
        let mut rows = vec![Row::head(rates)];
        rows.extend(self.sites.iter().map(|site| Row::of(site, rates)));
        let mut text = layout::table(&rows, width);
        if self.sites.is_empty() {
            text.push_str("nothing was recorded\n");
        }
        for (why, count) in &self.upper_bounds {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{count} times are upper bounds: {why}");
        }
        let left_out: u64 = self.sites.iter().map(|site| site.sampled_out).sum();
        if left_out > 0 {
            let _ = writeln!(text, "{left_out} left out by LAUNCHSITE_BUDGET: in launches and share, and in no time");
        }
        for (why, count) in &self.untimed {
            let _ = writeln!(text, "{count} not timed: {why}");
        }
        if self.removed_sinks > 0 {
            let _ = writeln!(text, "{} of the sinks panicked and were removed", self.removed_sinks);
        }
        if self.without_fields > 0 {
            let _ = writeln!(
                text,
                "{} times fields were left out: there are 32768 sets, or one could not be shown",
                self.without_fields
            );
        }
        if self.not_filled_in > 0 {
            let _ = writeln!(text, "{} under a plain name: the site has had 4096 others", self.not_filled_in);
        }
        for (why, count) in &self.lost {
            let _ = writeln!(text, "{count} lost, and not in the table: {why}");
        }
        text
    }
}

#[cfg(test)]
mod tests;
