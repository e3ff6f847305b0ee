//! The collector's thread: what it does, turn by turn.

mod nodes;
mod taken;
mod told;

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::contexts::Contexts;
use super::graphs::Graphs;
use super::left_out::Counts;
use super::nodes::{Nodes, Timed};
use super::outputs::Outputs;
use super::reader::{Asked, Lane, Raw, Read};
use super::strides::Strides;
use super::windows::{Ended, Queued, Windows};
use super::{ASLEEP, AWAKE, Collector, DOZING};
use crate::clock;
use crate::device::{self, Device};
use crate::lane::{Place, Target};
use crate::process;
use crate::record::{Accuracy, Doubt, End, GpuTime, Kind, Reason, Record, SampledOut};
use crate::ticks::Scale;

/// Between two looks at windows that wait. Every look contends with launching threads in the driver, so it is seldom;
/// a lane that fills up in the meantime wakes the collector.
const SELDOM: Duration = Duration::from_millis(20);
/// While somebody waits for the answer.
const OFTEN: Duration = Duration::from_micros(200);
/// While nothing is launched. A launch wakes the collector; should the two miss each other, this is the delay.
const SLEEP: Duration = Duration::from_secs(1);

/// What tells streams apart: the thread too, where the same handle is another queue in each.
type StreamKey = (device::Stream, Option<u64>);

struct Worker {
    collector: &'static Collector,
    outputs: Outputs,
    lanes: Vec<Lane>,
    contexts: Contexts,
    held: Windows,
    graphs: Graphs,
    nodes: Nodes,
    left_out: Counts,
    /// Where a budget is a share of the time.
    strides: Option<Strides>,
    streams: HashMap<StreamKey, u32>,
    /// Devices that this thread has met, and whether it may do more on them than read events.
    relaxed: Vec<(&'static dyn Device, bool)>,
    words: HashMap<Reason, String>,
    /// Flushes that wait for windows: the request, and the first window that it does not wait for.
    flushes: Vec<(u64, u64)>,
    windows: u64,
    scale: Scale,
    /// That launches are not timed has been said.
    warned: bool,
    end: End,
}

pub(super) fn run(collector: &'static Collector) {
    let mut worker = Worker {
        collector,
        outputs: Outputs::open(&collector.terms.outputs),
        lanes: Vec::new(),
        contexts: Contexts::default(),
        held: Windows::new(collector.terms.rule.is_some()),
        graphs: Graphs::default(),
        nodes: Nodes::default(),
        left_out: Counts::default(),
        strides: collector.terms.rule.and_then(|rule| rule.share).map(Strides::new),
        streams: HashMap::new(),
        relaxed: Vec::new(),
        words: HashMap::new(),
        flushes: Vec::new(),
        windows: 0,
        scale: collector.terms.scale,
        warned: false,
        end: End::default(),
    };
    let mut last_news = Instant::now();
    loop {
        let (asked, ending) = {
            let requests = collector.requests();
            (requests.asked, requests.ending)
        };
        if worker.turn(ending.is_some()) {
            last_news = Instant::now();
        } else {
            worker.outputs.flush();
        }
        worker.tally(|tally| tally.removed_sinks = worker.outputs.removed);
        worker.answer(asked);
        let waiting = worker.waiting();
        let over = |by: Instant| Instant::now() >= by;
        if ending.is_some_and(|ending| waiting == 0 || ending.by.is_some_and(over)) {
            return worker.finish();
        }
        let hurry = ending.is_some() || !worker.flushes.is_empty();
        worker.rest(hurry, waiting > 0 || last_news.elapsed() < SLEEP);
    }
}

impl Worker {
    /// Takes what was handed over and reads what has ended; whether there was anything.
    fn turn(&mut self, last: bool) -> bool {
        let collector = self.collector;
        let began = clock::now().cast_signed();
        for sink in collector.new_sinks.take() {
            self.outputs.add(sink);
        }
        for given in collector.calibrated.take() {
            self.contexts.give(given);
        }
        let mut lanes = std::mem::take(&mut self.lanes);
        self.scale.refresh();
        let mut news = self.take(&mut lanes);
        if news && let Some(strides) = &mut self.strides {
            // What came in since says that its site is not silent.
            strides.settle(began.unsigned_abs());
        }
        self.left_out.add(collector.left_out.take());
        for (name, count) in self.left_out.totals().into_values() {
            self.tally(|tally| tally.left_out(name, count));
        }
        news |= self.read(&mut lanes, last, began);
        for mut lane in lanes {
            if !lane.is_over() {
                self.lanes.push(lane);
                continue;
            }
            if let Some(strides) = &mut self.strides {
                strides.forget(lane.receiver.thread);
            }
            if let Some(orphans) = lane.into_orphans() {
                self.collector.orphans.push(orphans);
            }
        }
        news
    }

    /// Reads what has ended, and tells of what is known to be complete; whether there was anything.
    fn read(&mut self, lanes: &mut [Lane], last: bool, began: i64) -> bool {
        let mut contexts = std::mem::take(&mut self.contexts);
        let mut running = Vec::new();
        let mut news = false;
        for lane in lanes {
            let asked = Asked {
                placed: lane.receiver.target.is_some_and(|place| self.relax(place)),
                told: self.outputs.has_sinks(),
                last,
            };
            let (target, life) = (lane.receiver.target, lane.receiver.life());
            lane.read(&mut contexts, asked, &mut running, |read, raw| {
                news = true;
                let nodes = self.inside(target, life, &read, raw.as_ref().ok());
                self.ended(target, read, raw, nodes);
            });
        }
        self.contexts = contexts;
        self.held.compare(&running, clock::now().cast_signed());
        let mut held = std::mem::take(&mut self.held);
        held.release(began, |window, doubt| {
            news = true;
            self.complete(window, doubt);
        });
        self.held = held;
        news
    }

    /// A window that has been read: it is told of once it has been compared with others, where that can be.
    fn ended(&mut self, target: Target, read: Read, raw: Result<Raw, Reason>, nodes: Vec<Timed>) {
        let (raw, place) = match (raw, target) {
            (Ok(raw), Some(place)) => (raw, place),
            (Ok(_), None) => return,
            (Err(reason), _) => return self.timed(target, read, Err(reason)),
        };
        if let (Some(start), Kind::Kernel | Kind::Graph) = (raw.start, read.posted.name.kind) {
            return self.held.add(Ended::new(place, read, raw, start).with(nodes));
        }
        let is_scope = read.posted.name.kind == Kind::Scope;
        if !is_scope {
            self.held.unplaced(place, read.stream, clock::now().cast_signed());
        }
        let doubt = match raw.constant {
            // A scope's window stands around what is measured by itself: there is nothing to compare.
            _ if is_scope => Doubt::NotAKernel,
            _ if read.is_timed_inside() => Doubt::NodesTimed,
            _ if read.posted.beside.may_wait() => Doubt::MayWait,
            Err(doubt) => doubt,
            Ok(_) => Doubt::NotPlaced,
        };
        let start_ns = raw.start.map(|start| start.at_ns);
        let time = GpuTime {
            duration_ns: raw.duration_ns,
            raw_duration_ns: raw.duration_ns,
            start_ns,
            stop_ns: start_ns.map(|start| start + raw.duration_ns.cast_signed()),
            accuracy: Accuracy::UpperBound(doubt),
        };
        self.timed(target, read, Ok(time));
        let doubt = raw.constant.err().unwrap_or(Doubt::NotPlaced);
        self.tell_nodes(place, &read, &raw, &nodes, Some(doubt));
    }

    /// A window that has been compared with all that it could meet.
    fn complete(&mut self, window: &Ended, doubt: Option<Doubt>) {
        let posted = &window.read.posted;
        // What launchsite took is behind the call for the most part: with all of it the second event is surely there.
        let returned = self.scale.time(posted.start + posted.span) + self.scale.span(posted.overhead.into());
        let queued = Queued { at_ns: returned.cast_signed(), uncertainty_ns: self.scale.uncertainty_ns() };
        let (duration_ns, accuracy) = window.worth(queued, doubt);
        let time = GpuTime {
            duration_ns,
            raw_duration_ns: window.raw.duration_ns,
            start_ns: Some(window.start.at_ns),
            stop_ns: Some(window.stop_ns()),
            accuracy,
        };
        self.timed(Some(window.place), window.read, Ok(time));
        if !window.nodes.is_empty() {
            let doubt = doubt.or_else(|| window.is_overlapped().then_some(Doubt::Overlapped));
            self.tell_nodes(window.place, &window.read, &window.raw, &window.nodes, doubt);
        }
    }

    /// Lets this thread work on the device while others capture, once for each device.
    fn relax(&mut self, place: Place) -> bool {
        let device = place.device;
        let known = self.relaxed.iter().find(|(known, _)| std::ptr::addr_eq(*known, device));
        if let Some(&(_, relaxed)) = known {
            return relaxed;
        }
        let relaxed = device.relax().is_ok();
        self.relaxed.push((device, relaxed));
        relaxed
    }

    fn waiting(&self) -> u64 {
        self.lanes.iter().map(Lane::waiting).sum::<u64>() + self.held.len()
    }

    /// Answers the flushes up to `asked`, which came in before the last turn, as far as their windows have been read.
    fn answer(&mut self, asked: u64) {
        let known = self.flushes.last().map_or(0, |&(ticket, _)| ticket);
        let mut requests = self.collector.requests();
        if asked > known.max(requests.done) {
            self.flushes.push((asked, self.windows));
        }
        let oldest = self.lanes.iter().filter_map(Lane::oldest).chain(self.held.oldest()).min().unwrap_or(u64::MAX);
        let done = self.flushes.iter().take_while(|&&(_, until)| oldest >= until).count();
        requests.waiting = self.waiting();
        if let Some((ticket, _)) = self.flushes.drain(..done).next_back() {
            drop(requests);
            self.outputs.flush();
            requests = self.collector.requests();
            requests.done = ticket;
        }
        drop(requests);
        self.collector.answered.notify_all();
    }

    fn rest(&self, hurry: bool, awake: bool) {
        let (state, time) = match (hurry, awake) {
            (true, _) => (AWAKE, OFTEN),
            (false, true) => (DOZING, SELDOM),
            (false, false) => (ASLEEP, SLEEP),
        };
        let rest = &self.collector.rest;
        rest.store(state, Ordering::SeqCst);
        std::thread::park_timeout(time);
        rest.store(AWAKE, Ordering::SeqCst);
    }

    fn finish(mut self) {
        std::mem::take(&mut self.held).release(i64::MAX, |window, doubt| self.complete(window, doubt));
        for mut lane in std::mem::take(&mut self.lanes) {
            let target = lane.receiver.target;
            self.tell_all(&mut lane);
            lane.give_up(|read| self.timed(target, read, Err(Reason::NotFinished)));
        }
        self.end.lost_by_reason = self.collector.lost();
        self.end.lost = self.end.lost_by_reason.iter().map(|(_, count)| count).sum();
        for (name, count) in self.left_out.totals().into_values() {
            self.end.sampled_out += count;
            self.outputs.tell(&Record::SampledOut(SampledOut { label: &name.label, count }));
        }
        self.end.launches += self.end.lost + self.end.sampled_out;
        self.end.lost_beside = self.collector.lost_beside.load(Ordering::Relaxed);
        if self.outputs.has_begun() {
            let end = std::mem::take(&mut self.end);
            self.outputs.tell(&Record::End(&end));
        }
        self.outputs.flush();
        self.outputs.close();
        if self.collector.terms.summary {
            let summary = self.collector.summary();
            process::write_stderr(summary.fitted(process::stderr_width()).as_bytes());
        }
    }
}
