//! The collector's thread: what it does, turn by turn.

use std::collections::HashMap;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::anchor::Anchor;
use super::outputs::Outputs;
use super::reader::{Anchors, Asked, Lane, Read};
use super::{ASLEEP, AWAKE, Collector, DOZING};
use crate::config::rank;
use crate::device::{self, Device};
use crate::lane::{CAPACITY, Ending, Geometry, Posted, Target};
use crate::process;
use crate::record::{self, End, Kind, Launch, LaunchGpu, Mode, Reason, Record};
use crate::tally::Tally;
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
    anchors: Anchors,
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
        anchors: Anchors::default(),
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
        for sink in collector.new_sinks.take() {
            self.outputs.add(sink);
        }
        let mut lanes = std::mem::take(&mut self.lanes);
        lanes.extend(collector.arrivals.take().into_iter().map(Lane::new));
        let placed = self.outputs.has_sinks();
        self.scale.refresh();
        let mut news = false;
        for lane in &mut lanes {
            // No more than a lane holds: a thread that goes on launching must not hold up the others.
            for _ in 0..CAPACITY {
                let Some(posted) = lane.receiver.take() else { break };
                news = true;
                self.launched(lane, posted);
            }
        }
        let mut anchors = std::mem::take(&mut self.anchors);
        for lane in &mut lanes {
            let asked = Asked { placed: placed && self.relax(lane), last };
            let target = lane.receiver.target;
            lane.read(&mut anchors, asked, |read| {
                news = true;
                self.timed(target, read);
            });
        }
        self.anchors = anchors;
        for mut lane in lanes {
            if !lane.is_over() {
                self.lanes.push(lane);
            } else if let Some(orphans) = lane.into_orphans() {
                self.collector.orphans.push(orphans);
            }
        }
        news
    }

    /// Lets this thread work on the lane's device while others capture, once for each device.
    fn relax(&mut self, lane: &Lane) -> bool {
        let Some(place) = lane.receiver.target else { return false };
        let device = place.device;
        let known = self.relaxed.iter().find(|(known, _)| std::ptr::addr_eq(*known, device));
        if let Some(&(_, relaxed)) = known {
            return relaxed;
        }
        let relaxed = device.relax().is_ok();
        self.relaxed.push((device, relaxed));
        relaxed
    }

    fn launched(&mut self, lane: &mut Lane, posted: Posted) {
        self.begin(lane, &posted);
        let target = lane.receiver.target;
        let (mode, reason) = match posted.ending {
            Ending::Timed(_) => (Mode::Timed, None),
            Ending::Named => (Mode::Named, None),
            Ending::Untimed(reason) => (reason.mode(), Some(self.untimed(reason, target))),
            Ending::Failed => (Mode::Failed, None),
        };
        let kind = posted.name.kind;
        match kind {
            Kind::Kernel => self.end.launches += 1,
            Kind::Graph => self.end.graph_launches += 1,
            Kind::Scope => self.end.scopes += 1,
        }
        let stream = self.stream(&posted, target, lane.receiver.thread);
        let start = self.scale.time(posted.start);
        let launch = Launch {
            kind,
            number: posted.number,
            parent: (posted.parent != 0).then_some(posted.parent),
            label: &posted.name.label,
            thread: lane.receiver.thread,
            start_ns: start,
            stop_ns: start + self.scale.span_of(posted.span),
            overhead_ns: self.scale.span(posted.overhead.into()),
            device: target.map(|place| place.ordinal),
            stream,
            kernel: posted.kernel,
            geometry: known(&posted.geometry),
            mode,
            reason: reason.as_deref(),
        };
        self.tally(|tally| tally.launched(posted.name, &launch));
        self.outputs.tell(&Record::Launch(&launch));
        if let Ending::Timed(pair) = posted.ending {
            self.end.timed += u64::from(kind == Kind::Kernel);
            lane.wait_for(posted, pair, stream, self.windows);
            self.windows += 1;
        }
    }

    fn timed(&mut self, target: Target, read: Read) {
        let words = read.time.err().map(|reason| self.words(reason, target));
        let timed = LaunchGpu {
            kind: read.posted.name.kind,
            number: read.posted.number,
            label: &read.posted.name.label,
            device: target.map(|place| place.ordinal),
            stream: read.stream,
            time: read.time.map_err(|_| words.as_deref().unwrap_or_default()),
        };
        self.tally(|tally| tally.timed(read.posted.name, &timed));
        self.outputs.tell(&Record::LaunchGpu(&timed));
    }

    fn tally(&self, work: impl FnOnce(&mut Tally)) {
        let tally = &self.collector.tally;
        work(&mut tally.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The first record of all, once a device is known that can be asked.
    fn begin(&mut self, lane: &Lane, posted: &Posted) {
        if self.outputs.has_begun() {
            return;
        }
        let mut uncertainty = None;
        let mut devices = Vec::new();
        let relaxed = self.relax(lane);
        if let Some(place) = lane.receiver.target {
            devices = place.device.describe().unwrap_or_default();
            // Only a window holds its context, so that it can be entered here.
            let held = matches!(posted.ending, Ending::Timed(_));
            if held && relaxed && self.outputs.has_sinks() && place.device.enter(place.context).is_ok() {
                let anchor = self.anchors.of(place, lane.receiver.life());
                uncertainty = anchor.and_then(Anchor::uncertainty_ns);
            }
        }
        self.outputs.begin(record::Session {
            session: self.collector.terms.id.to_string(),
            pid: std::process::id(),
            host: process::host_name(),
            rank: rank(&|name: &str| std::env::var_os(name)),
            start_unix_ns: self.collector.terms.start_unix_ns,
            anchor_uncertainty_ns: uncertainty,
            devices,
        });
    }

    /// The stream's number, declared when it is first seen.
    fn stream(&mut self, posted: &Posted, target: Target, thread: u64) -> Option<u32> {
        let place = target?;
        let stream = place.stream(posted.stream);
        let key = (stream, place.device.per_thread(stream).then_some(thread));
        if let Some(&known) = self.streams.get(&key) {
            return Some(known);
        }
        let number = u32::try_from(self.streams.len()).unwrap_or(u32::MAX);
        self.streams.insert(key, number);
        let kind = place.device.stream_kind(stream);
        self.outputs.stream(record::Stream { stream: number, device: Some(place.ordinal), kind });
        Some(number)
    }

    /// The reason in words; the first of those that the program's user may want to mend is said aloud too.
    fn untimed(&mut self, reason: Reason, target: Target) -> String {
        let words = self.words(reason, target);
        if reason.mode() == Mode::Refused && !std::mem::replace(&mut self.warned, true) {
            process::complain(&format!("launches go ahead and are not timed: {words}"));
        }
        words
    }

    fn words(&mut self, reason: Reason, target: Target) -> String {
        let words = self.words.entry(reason).or_insert_with(|| match (reason, target) {
            (Reason::Refusal(refusal), Some(place)) => place.device.explain(refusal),
            _ => reason.to_string(),
        });
        words.clone()
    }

    fn waiting(&self) -> u64 {
        self.lanes.iter().map(Lane::waiting).sum()
    }

    /// Answers the flushes up to `asked`, which came in before the last turn, as far as their windows have been read.
    fn answer(&mut self, asked: u64) {
        let known = self.flushes.last().map_or(0, |&(ticket, _)| ticket);
        let mut requests = self.collector.requests();
        if asked > known.max(requests.done) {
            self.flushes.push((asked, self.windows));
        }
        let oldest = self.lanes.iter().filter_map(Lane::oldest).min().unwrap_or(u64::MAX);
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
        for mut lane in std::mem::take(&mut self.lanes) {
            let target = lane.receiver.target;
            lane.give_up(|read| self.timed(target, read));
        }
        self.end.lost_by_reason = self.collector.lost();
        self.end.lost = self.end.lost_by_reason.iter().map(|(_, count)| count).sum();
        self.end.launches += self.end.lost;
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

fn known(geometry: &Geometry) -> Option<record::Geometry> {
    let Geometry { grid, block, shared_mem_bytes } = *geometry;
    geometry.is_known().then_some(record::Geometry { grid, block, shared_mem_bytes })
}
