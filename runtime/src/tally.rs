//! Sums by site, as records come in.

mod histogram;

use std::collections::BTreeMap;

use histogram::Histogram;

use crate::fields;
use crate::name::{self, Name};
use crate::record::{Accuracy, GpuTime, Kind, Launch, LaunchGpu, Mode};
use crate::summary::{SiteSummary, Summary};

/// The sums of a session.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// By the name's number.
    sites: Vec<Sums>,
    /// Of kernels inside graphs, likewise.
    inside: Vec<Sums>,
    untimed: BTreeMap<String, u64>,
    upper_bounds: BTreeMap<&'static str, u64>,
    pub(crate) removed_sinks: u64,
}

#[derive(Debug, Default)]
struct Sums {
    name: Option<&'static str>,
    kind: Kind,
    launches: u64,
    total_ns: u64,
    times: Histogram,
    calibrated: u64,
    sampled_out: u64,
    flops: Rate,
    bytes: Rate,
}

/// Work that is known, and the time that it took.
#[derive(Debug, Default)]
struct Rate {
    amount: f64,
    ns: u64,
}

impl Rate {
    fn add(&mut self, amount: Option<f64>, ns: u64) {
        if let Some(amount) = amount {
            self.amount += amount;
            self.ns = self.ns.saturating_add(ns);
        }
    }

    /// In billions a second.
    #[allow(clippy::cast_precision_loss)] // a rate needs no more
    fn giga(&self) -> Option<f64> {
        (self.ns > 0).then(|| self.amount / self.ns as f64)
    }
}

impl Tally {
    pub(crate) fn launched(&mut self, name: &'static Name, launch: &Launch<'_>) {
        if let Some(sums) = self.sums(name) {
            sums.name = Some(&name.label.name);
            sums.kind = launch.kind;
            sums.launches += 1;
        }
        match (launch.reason, launch.mode) {
            (Some(reason), _) => self.untimed(reason),
            // A scope is timed where a stream is given for it.
            (None, Mode::Named) if launch.kind == Kind::Scope => {}
            (None, Mode::Named | Mode::Failed) => self.untimed("timing was off"),
            (None, _) => {}
        }
    }

    pub(crate) fn timed(&mut self, name: &'static Name, timed: &LaunchGpu<'_>) {
        match (timed.time, self.sums(name)) {
            (Ok(time), Some(sums)) => {
                let work = timed.fields.work();
                sums.flops.add(work.flops, time.duration_ns);
                sums.bytes.add(work.bytes, time.duration_ns);
                sums.add(time);
                if let Accuracy::UpperBound(doubt) = time.accuracy {
                    *self.upper_bounds.entry(doubt.words()).or_default() += 1;
                }
            }
            (Ok(_), None) => {}
            (Err(why), _) => self.untimed(why),
        }
    }

    /// A kernel that `name` captured was timed inside a graph.
    pub(crate) fn timed_inside(&mut self, name: &'static Name, time: GpuTime) {
        if let Some(sums) = at(&mut self.inside, name) {
            sums.name = Some(&name.label.name);
            sums.launches += 1;
            sums.add(time);
        }
    }

    /// A budget has left out so many launches of `name` by now.
    pub(crate) fn left_out(&mut self, name: &'static Name, count: u64) {
        if let Some(sums) = self.sums(name) {
            sums.name = Some(&name.label.name);
            sums.sampled_out = count;
        }
    }

    fn sums(&mut self, name: &'static Name) -> Option<&mut Sums> {
        at(&mut self.sites, name)
    }

    fn untimed(&mut self, why: &str) {
        match self.untimed.get_mut(why) {
            Some(count) => *count += 1,
            None => drop(self.untimed.insert(why.to_owned(), 1)),
        }
    }

    #[allow(clippy::cast_precision_loss)] // an order needs no more
    pub(crate) fn summary(&self) -> Summary {
        let all: f64 = self.sites.iter().map(Sums::weight).sum();
        let mut sites: Vec<_> = self.sites.iter().filter_map(|sums| sums.summary(all)).collect();
        let inside = self.inside.iter().filter_map(|sums| sums.summary(all));
        sites.extend(inside.map(|site| SiteSummary { in_graphs: true, share: None, ..site }));
        // A scope stands where a launch of as long would.
        let weight = |site: &SiteSummary| site.share.or(site.gpu_total_ns.map(|ns| ns as f64 / all)).unwrap_or(-1.0);
        sites.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.name.cmp(&b.name)));
        Summary {
            sites,
            untimed: self.untimed.clone(),
            upper_bounds: self.upper_bounds.iter().map(|(&why, &count)| (why.to_owned(), count)).collect(),
            removed_sinks: self.removed_sinks,
            not_filled_in: name::beyond(),
            without_fields: fields::beyond(),
            ..Summary::default()
        }
    }
}

/// The sums of `name` in `sites`.
fn at<'s>(sites: &'s mut Vec<Sums>, name: &Name) -> Option<&'s mut Sums> {
    if sites.len() <= name.index {
        sites.resize_with(name.index + 1, Sums::default);
    }
    sites.get_mut(name.index)
}

impl Sums {
    fn add(&mut self, time: GpuTime) {
        self.total_ns = self.total_ns.saturating_add(time.duration_ns);
        self.times.add(time.duration_ns);
        self.calibrated += u64::from(time.accuracy == Accuracy::Calibrated);
    }

    /// What the site has of all GPU time, as far as the launches that were timed stand for those that were left out.
    #[allow(clippy::cast_precision_loss)] // a share needs no more
    fn weight(&self) -> f64 {
        // What is launched in a scope is in its time once more.
        if self.kind == Kind::Scope {
            return 0.0;
        }
        let timed = self.times.count();
        self.total_ns as f64 * (timed + self.sampled_out) as f64 / timed.max(1) as f64
    }

    fn summary(&self, all: f64) -> Option<SiteSummary> {
        let timed = self.times.count();
        let of = |value: u64| (timed > 0).then_some(value);
        Some(SiteSummary {
            name: self.name?.to_owned(),
            kind: self.kind,
            in_graphs: false,
            launches: self.launches + self.sampled_out,
            sampled_out: self.sampled_out,
            timed,
            calibrated: self.calibrated,
            gpu_total_ns: of(self.total_ns),
            mean_ns: of(self.total_ns / timed.max(1)),
            p50_ns: self.times.quantile(50, 100),
            p99_ns: self.times.quantile(99, 100),
            tflop_per_s: self.flops.giga().map(|giga| giga / 1000.0),
            gb_per_s: self.bytes.giga(),
            share: (timed > 0 && all > 0.0 && self.kind != Kind::Scope).then(|| self.weight() / all),
        })
    }
}
