//! Sums by site, as records come in.

mod histogram;

use std::collections::BTreeMap;

use histogram::Histogram;

use crate::name::{self, Name};
use crate::record::{Kind, Launch, LaunchGpu, Mode};
use crate::summary::{SiteSummary, Summary};

/// The sums of a session.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// By the name's number.
    sites: Vec<Sums>,
    untimed: BTreeMap<String, u64>,
    pub(crate) removed_sinks: u64,
}

#[derive(Debug, Default)]
struct Sums {
    name: Option<&'static str>,
    kind: Kind,
    launches: u64,
    total_ns: u64,
    times: Histogram,
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
                sums.total_ns = sums.total_ns.saturating_add(time.duration_ns);
                sums.times.add(time.duration_ns);
            }
            (Ok(_), None) => {}
            (Err(why), _) => self.untimed(why),
        }
    }

    fn sums(&mut self, name: &'static Name) -> Option<&mut Sums> {
        if self.sites.len() <= name.index {
            self.sites.resize_with(name.index + 1, Sums::default);
        }
        self.sites.get_mut(name.index)
    }

    fn untimed(&mut self, why: &str) {
        match self.untimed.get_mut(why) {
            Some(count) => *count += 1,
            None => drop(self.untimed.insert(why.to_owned(), 1)),
        }
    }

    pub(crate) fn summary(&self) -> Summary {
        // What is launched in a scope is in its time once more.
        let all_ns = self.sites.iter().filter(|sums| sums.kind != Kind::Scope).map(|sums| sums.total_ns).sum();
        let mut sites: Vec<_> = self.sites.iter().filter_map(|sums| sums.summary(all_ns)).collect();
        sites.sort_by(|a, b| b.gpu_total_ns.cmp(&a.gpu_total_ns).then_with(|| a.name.cmp(&b.name)));
        Summary {
            sites,
            untimed: self.untimed.clone(),
            removed_sinks: self.removed_sinks,
            not_filled_in: name::beyond(),
            ..Summary::default()
        }
    }
}

impl Sums {
    #[allow(clippy::cast_precision_loss)] // a share needs no more
    fn summary(&self, all_ns: u64) -> Option<SiteSummary> {
        let timed = self.times.count();
        let of = |value: u64| (timed > 0).then_some(value);
        Some(SiteSummary {
            name: self.name?.to_owned(),
            kind: self.kind,
            launches: self.launches,
            timed,
            gpu_total_ns: of(self.total_ns),
            mean_ns: of(self.total_ns / timed.max(1)),
            p50_ns: self.times.quantile(50, 100),
            p99_ns: self.times.quantile(99, 100),
            share: (timed > 0 && all_ns > 0 && self.kind != Kind::Scope).then(|| self.total_ns as f64 / all_ns as f64),
        })
    }
}
