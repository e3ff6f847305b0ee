//! How seldom each name is timed, so that what timing adds stays below a share of the time.
//!
//! Of each thread it is known what timing a launch of each name costs, and how long it is from one launch to the next. The
//! names that it launches share what the budget gives to the thread alike: each may be timed so often a second, and one that is
//! launched more seldom than that is timed every time. So what is hot is thinned out and what is rare is seen.

use std::collections::HashMap;

use crate::name::Name;

/// Of the budget, this much is given away: the rest is for what is not seen of it, such as events that make the driver's
/// own part of a launch longer.
const SPENT: f64 = 0.7;
/// What a launch that is left out costs all the same, which is taken off before: a count, 110 instructions with the hooks, beside a
/// driver whose calls have put other things into the caches. Where nothing else does it is 5 ns.
const LOOK_NS: f64 = 20.0;
/// Of what a budget has, this much is for times in any case: a budget below what the looks take is not kept, and has times.
const LEAST: f64 = 0.1;
/// A thread that launches nothing for so long may have been kept waiting, and go on as before.
const PAUSE: u64 = 1_000_000_000;
/// Seldom enough for anything.
const MOST: f64 = 1e6;

#[derive(Debug)]
pub(super) struct Strides {
    share: f64,
    threads: HashMap<u64, HashMap<usize, Pulse>>,
}

/// A name's launches on one thread.
#[derive(Clone, Copy, Debug)]
struct Pulse {
    name: &'static Name,
    /// When the last that was timed began.
    last_ns: u64,
    /// What timing one takes, and how long it is from one to the next without that. Not known while there was only one, which
    /// has made events too.
    known: Option<Beat>,
    /// So many launches lie between one that is timed and the next: those before the last, or more by now.
    stride: f64,
}

#[derive(Clone, Copy, Debug)]
struct Beat {
    cost_ns: f64,
    period_ns: f64,
}

/// A launch that was timed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    pub(super) start_ns: u64,
    pub(super) cost_ns: u64,
    /// Launches of the name before it, on its thread, that were not.
    pub(super) left_out: u32,
}

impl Pulse {
    #[allow(clippy::cast_precision_loss)] // of times between launches
    fn beat(&mut self, timed: Timed) {
        let launches = f64::from(timed.left_out) + 1.0;
        let cost = timed.cost_ns as f64;
        let since = timed.start_ns.saturating_sub(self.last_ns) as f64;
        let period = |cost_ns: f64| ((since - cost_ns) / launches).max(1.0);
        self.known = Some(match self.known {
            None => Beat { cost_ns: cost, period_ns: period(cost) },
            Some(known) => {
                // A thread that was interrupted says nothing about the next launch.
                let cost_ns = known.cost_ns + (cost.min(4.0 * known.cost_ns) - known.cost_ns) / 16.0;
                // The budget holds while launches come fast: a pause between two of them is no room for more.
                Beat { cost_ns, period_ns: period(cost_ns).min(known.period_ns * 1.25) }
            }
        });
        self.last_ns = timed.start_ns;
        self.stride = launches;
    }

    /// What timing takes, and launches in a nanosecond; fewer once it has been silent for longer than it should.
    #[allow(clippy::cast_precision_loss)] // of times between launches
    fn load(&self, now_ns: u64) -> Option<(f64, f64)> {
        let silent = now_ns.saturating_sub(self.last_ns).saturating_sub(PAUSE) as f64 / self.stride;
        self.known.map(|known| (known.cost_ns, 1.0 / known.period_ns.max(silent)))
    }
}

impl Strides {
    pub(super) fn new(share: f64) -> Self {
        Self { share, threads: HashMap::new() }
    }

    /// A launch of `name` was timed on `thread`.
    pub(super) fn timed(&mut self, thread: u64, name: &'static Name, timed: Timed) {
        let pulses = self.threads.entry(thread).or_default();
        if let Some(pulse) = pulses.get_mut(&name.index) {
            return pulse.beat(timed);
        }
        pulses.insert(name.index, Pulse { name, last_ns: timed.start_ns, known: None, stride: 1.0 });
    }

    /// The thread is gone.
    pub(super) fn forget(&mut self, thread: u64) {
        self.threads.remove(&thread);
    }

    /// Settles how seldom each name is timed, by the thread that launches it most.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 1 to `MOST`
    pub(super) fn settle(&mut self, now_ns: u64) {
        let mut wanted: HashMap<usize, (&'static Name, f64)> = HashMap::new();
        for pulses in self.threads.values() {
            let loads: Vec<_> = pulses.values().filter_map(|pulse| Some((pulse, pulse.load(now_ns)?))).collect();
            let looks: f64 = loads.iter().map(|(_, (_, rate))| LOOK_NS * rate).sum();
            let share = (self.share * SPENT - looks).max(self.share * LEAST);
            let level = level(loads.iter().map(|(_, load)| *load).collect(), share);
            for (pulse, (_, rate)) in loads {
                let stride = (rate / level).ceil().clamp(1.0, MOST);
                let most = wanted.entry(pulse.name.index).or_insert((pulse.name, stride));
                most.1 = most.1.max(stride);
            }
        }
        for (name, stride) in wanted.values() {
            name.pace.settle(*stride as u32);
        }
        for pulse in self.threads.values_mut().flat_map(HashMap::values_mut) {
            pulse.stride = wanted.get(&pulse.name.index).map_or(pulse.stride, |(_, stride)| stride.max(pulse.stride));
        }
    }
}

/// How often in a nanosecond each of some names may be timed, with these costs and rates, for all of it to take no more than
/// `share` of the time.
fn level(mut names: Vec<(f64, f64)>, share: f64) -> f64 {
    names.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let mut left = share;
    let mut costs: f64 = names.iter().map(|(cost, _)| cost).sum();
    for (cost, rate) in names {
        // All that are launched more often than this one have the same.
        if costs * rate > left {
            return left / costs;
        }
        left -= cost * rate;
        costs -= cost;
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests;
