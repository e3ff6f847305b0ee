//! What sinks and the table are told of launches, in words.

use std::rc::Rc;
use std::sync::PoisonError;

use super::Worker;
use crate::collector::reader::{Lane, Read};
use crate::collector::strides::Timed;
use crate::config::rank;
use crate::lane::{Ending, Posted, Replayed, Target};
use crate::process;
use crate::record::{self, GpuTime, Kind, Launch, LaunchGpu, Mode, Reason, Record};
use crate::tally::Tally;

impl Worker {
    pub(super) fn launched(&mut self, lane: &mut Lane, posted: Posted) {
        self.begin(lane, &posted);
        let target = lane.receiver.target;
        let (mode, reason) = match posted.ending {
            Ending::Timed(_) => (Mode::Timed, None),
            Ending::Named => (Mode::Named, None),
            Ending::Untimed(reason) => (reason.mode(), Some(self.untimed(reason, &posted, target))),
            Ending::Captured { .. } => (Mode::Captured, Some(self.untimed(Reason::Capturing, &posted, target))),
            Ending::Failed => (Mode::Failed, None),
        };
        let kind = posted.name.kind;
        match kind {
            Kind::Kernel => self.end.launches += 1,
            Kind::Graph => self.end.graph_launches += 1,
            Kind::Scope => self.end.scopes += 1,
        }
        let overhead_ns = self.scale.span(posted.overhead.into());
        let stream = self.stream(&posted, target, lane.receiver.thread);
        let start = self.scale.time(posted.start);
        // Graphs and scopes are timed every time.
        if let Some(strides) = self.strides.as_mut().filter(|_| kind == Kind::Kernel) {
            let timed = Timed { start_ns: start, cost_ns: overhead_ns, left_out: posted.beside.left_out() };
            strides.timed(lane.receiver.thread, posted.name, timed);
        }
        let (graph, graph_reason) = self.graph(&posted, target).map_or((None, None), |graph| match graph {
            Ok(graph) => (Some(graph), None),
            Err(why) => (None, Some(why)),
        });
        let launch = Launch {
            kind,
            number: posted.number,
            parent: (posted.parent != 0).then_some(posted.parent),
            label: &posted.name.label,
            thread: lane.receiver.thread,
            start_ns: start,
            stop_ns: start + self.scale.span_of(posted.span),
            overhead_ns,
            device: target.map(|place| place.ordinal),
            stream,
            kernel: posted.kernel,
            geometry: posted.geometry().map(Into::into),
            graph: graph.as_deref(),
            graph_reason,
            mode,
            reason: reason.as_deref(),
            fields: posted.fields,
        };
        self.tally(|tally| tally.launched(posted.name, &launch));
        self.outputs.tell(&Record::Launch(&launch));
        let second = posted.replayed().and_then(Replayed::copy);
        if let (Some(second), false) = (second, matches!(posted.ending, Ending::Timed(_))) {
            self.nodes.give_up(second);
        }
        if let Ending::Timed(pair) = posted.ending {
            self.end.timed += u64::from(kind == Kind::Kernel);
            lane.wait_for(posted, pair, stream, self.windows);
            self.windows += 1;
        }
    }

    /// The graph that was launched, declared when it is first seen, or why it is not known; `None` where it is none.
    fn graph(&mut self, posted: &Posted, target: Target) -> Option<Result<Rc<record::Graph>, &'static str>> {
        let replayed = posted.replayed()?;
        let known = match (replayed.graph(), target, posted.ending) {
            (Some(graph), Some(place), _) => Ok((graph, place)),
            (_, _, Ending::Named | Ending::Failed) => Err("times are not asked for"),
            (None, _, _) => Err("nothing tells which graph the executable was made of"),
            (Some(_), None, _) => Err("nothing tells which stream the launch goes to"),
        };
        Some(known.map(|(graph, place)| {
            let (graph, new) = self.graphs.replayed(place, graph, replayed.kernels());
            if new {
                self.outputs.tell(&Record::Graph(&graph));
            }
            graph
        }))
    }

    pub(super) fn timed(&mut self, target: Target, read: Read, time: Result<GpuTime, Reason>) {
        let words = time.err().map(|reason| self.words(reason, target));
        let timed = LaunchGpu {
            kind: read.posted.name.kind,
            number: read.posted.number,
            label: &read.posted.name.label,
            device: target.map(|place| place.ordinal),
            stream: read.stream,
            fields: read.posted.fields,
            time: time.map_err(|_| words.as_deref().unwrap_or_default()),
        };
        // What was timed inside is longer for it, and no part of the sums.
        if !read.is_timed_inside() {
            self.tally(|tally| tally.timed(read.posted.name, &timed));
        }
        self.outputs.tell(&Record::LaunchGpu(&timed));
    }

    pub(super) fn tally(&self, work: impl FnOnce(&mut Tally)) {
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
        let relaxed = lane.receiver.target.is_some_and(|place| self.relax(place));
        if let Some(place) = lane.receiver.target {
            devices = place.device.describe().unwrap_or_default();
            // Only a window holds its context, so that it can be entered here.
            let held = matches!(posted.ending, Ending::Timed(_));
            if held && relaxed && self.outputs.has_sinks() && place.device.enter(place.context).is_ok() {
                let known = self.contexts.of(place, lane.receiver.life());
                uncertainty = known.and_then(|(anchor, _)| anchor.uncertainty_ns());
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
    fn untimed(&mut self, reason: Reason, posted: &Posted, target: Target) -> String {
        let words = self.words(reason, target);
        if reason.mode() == Mode::Refused && !std::mem::replace(&mut self.warned, true) {
            let first = &posted.name.label.name;
            process::complain(&format!("launches go ahead and are not timed: {words} (the first: {first})"));
        }
        words
    }

    pub(super) fn words(&mut self, reason: Reason, target: Target) -> String {
        let words = self.words.entry(reason).or_insert_with(|| match (reason, target) {
            (Reason::Refusal(refusal), Some(place)) => place.device.explain(refusal),
            _ => reason.to_string(),
        });
        words.clone()
    }
}
