//! Second executables of graphs: made here, and read once they have been launched.

use std::rc::Rc;
use std::sync::Arc;

use crate::calibration::Model;
use crate::device::graph::{Copied, Unfit};
use crate::device::{Device, Event, Life, Refusal};
use crate::lane::Place;
use crate::nodes::{Plan, Point, Second};
use crate::record::{Doubt, Reason};
use crate::window::Pair;

/// A copy of a graph that a launching thread made.
#[derive(Debug)]
pub(crate) struct Request {
    /// The program's graph, by its handle.
    pub(crate) graph: u64,
    pub(crate) place: Place,
    /// The copy, which nobody else knows, and its context, which is held by this; or why there is none.
    pub(crate) copied: Result<(Arc<Second>, Copied), Unfit>,
}

/// The second executables of all graphs.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    made: Vec<Made>,
}

#[derive(Debug)]
struct Made {
    second: Arc<Second>,
    kernels: Vec<Between>,
    events: Vec<Event>,
    copy: u64,
    executable: u64,
    /// What events add to a kernel's time in it.
    added: Option<u64>,
    /// The last launch of the graph that was not one of this: how long the GPU had it, and the call.
    plain: Option<(u64, u64)>,
    graph: u64,
}

/// A kernel of the program's graph, by its node, and what it stands between.
#[derive(Clone, Debug)]
struct Between {
    node: u64,
    kernel: Option<Rc<str>>,
    start: Event,
    stop: Event,
    alone: bool,
}

/// The time of one kernel in a launch of a graph.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    /// Its node in the program's graph.
    pub(super) node: u64,
    /// Its own name.
    pub(super) kernel: Option<Rc<str>>,
    /// As its events have it, and from the launch's own first event to its first; in nanoseconds.
    pub(super) time: Result<(u64, i64), Reason>,
    /// What keeps it at an upper bound, whatever else there is.
    pub(super) doubt: Option<Doubt>,
    /// What events add to it, where that is known of the device's model.
    pub(super) added: Option<u64>,
}

impl Nodes {
    /// Makes the executable of a copy. It may hold up threads that call the driver meanwhile, as every instantiation does.
    ///
    /// # Errors
    /// Why there is none; nothing is left of the copy then.
    pub(super) fn make(
        &mut self,
        graph: u64,
        second: Arc<Second>,
        copied: &Copied,
        relaxed: bool,
    ) -> Result<(), Unfit> {
        let Place { device, context, .. } = second.place;
        let life = second.life;
        let entered = if relaxed { device.enter(context) } else { Err(NOT_RELAXED) };
        let made = entered.map_err(Unfit::from).and_then(|()| make(device, copied));
        let added = device.capability().ok().flatten().and_then(Model::of).and_then(|model| model.in_graph_ns);
        let made = made.inspect_err(|_| device.graphs().destroy(copied.graph));
        // No thread should be in a context that its owner may destroy.
        device.leave();
        device.release(life);
        let made = made.inspect_err(|_| second.end())?;
        let (executable, events, kernels) = made;
        second.made(executable);
        self.made.push(Made { second, kernels, events, copy: copied.graph, executable, added, plain: None, graph });
        Ok(())
    }

    /// A launch of a graph that has one was one of the graph itself.
    pub(super) fn plain(&mut self, graph: u64, gpu_ns: u64, call_ns: u64) {
        for made in self.made.iter_mut().filter(|made| made.graph == graph) {
            made.plain = Some((gpu_ns, call_ns));
        }
    }

    /// Reads a launch of the second executable `number`, which the device has come to the end of and whose context is held and
    /// entered; from then on it can be launched again.
    pub(super) fn read(&mut self, number: u32, window: Pair, share: Option<f64>, took: (u64, u64)) -> Vec<Timed> {
        let Some(made) = self.made.iter().find(|made| made.second.number == number) else { return Vec::new() };
        let device = made.second.place.device;
        let times = made.kernels.iter().map(|kernel| Timed {
            node: kernel.node,
            kernel: kernel.kernel.clone(),
            time: time(device, window, kernel),
            doubt: (!kernel.alone).then_some(Doubt::Overlapped),
            added: made.added,
        });
        let times = times.collect();
        if let (Some(share), Some(plain)) = (share, made.plain) {
            made.second.set_stride(stride(share, plain, took));
        }
        made.second.read();
        times
    }

    /// A launch of it cannot be read: it is launched no more.
    pub(super) fn give_up(&mut self, number: u32) {
        if let Some(made) = self.made.iter().find(|made| made.second.number == number) {
            made.second.end();
        }
    }

    /// Destroys those of a context, which is entered and held, that nobody will launch any more; those of a life of it that is
    /// over went with that.
    pub(super) fn clear(&mut self, place: Place, life: Life) {
        self.made.retain_mut(|made| {
            // Its graph is gone; what that launched last is still to be read.
            let is_unused = Arc::get_mut(&mut made.second).is_some() || made.second.is_over();
            if made.second.place != place || !is_unused || made.second.is_launched() {
                return true;
            }
            if made.second.life == life {
                let device = place.device;
                device.graphs().destroy_executable(made.executable);
                device.graphs().destroy(made.copy);
                made.events.iter().for_each(|&event| device.destroy(event));
            }
            false
        });
    }
}

/// The collector's thread may not do more than read events: the device refused to let it.
const NOT_RELAXED: Refusal = Refusal { call: "cuThreadExchangeStreamCaptureMode", code: 999 };

fn make(device: &dyn Device, copied: &Copied) -> Result<(u64, Vec<Event>, Vec<Between>), Unfit> {
    let plan = Plan::of(copied);
    if plan.kernels.is_empty() {
        return Err(Unfit::Size);
    }
    let mut events = Vec::with_capacity(plan.events.len());
    let made = made(device, copied, &plan, &mut events);
    if made.is_err() {
        for &event in &events {
            device.destroy(event);
        }
    }
    let executable = made?;
    let event = |at: usize| events.get(at).copied().unwrap_or(Event(0));
    let of = |node: usize| copied.nodes.get(node);
    let between = plan.kernels.iter().map(|kernel| Between {
        node: of(kernel.node).map_or(0, |node| node.own),
        kernel: of(kernel.node).and_then(|node| node.kernel.as_deref()).map(Rc::from),
        start: event(kernel.start),
        stop: event(kernel.stop),
        alone: kernel.alone,
    });
    let between = between.collect();
    Ok((executable, events, between))
}

/// Puts the events in, which `events` has from then on, and makes the executable.
fn made(device: &dyn Device, copied: &Copied, plan: &Plan, events: &mut Vec<Event>) -> Result<u64, Refusal> {
    let (graphs, copy) = (device.graphs(), copied.graph);
    let node = |at: usize| copied.nodes.get(at).map_or(0, |node| node.copied);
    let mut added: Vec<u64> = Vec::with_capacity(plan.events.len());
    for after in &plan.events {
        let event = device.create()?;
        events.push(event);
        let after: Vec<u64> = after
            .iter()
            .map(|&point| match point {
                Point::Node(at) => node(at),
                Point::Event(at) => added.get(at).copied().unwrap_or_default(),
            })
            .collect();
        added.push(graphs.add_event(copy, &after, event)?);
    }
    let links = plan.links.iter().map(|&(event, to)| (added.get(event).copied().unwrap_or_default(), node(to)));
    let cuts = plan.cuts.iter().map(|&(from, to)| (node(from), node(to)));
    graphs.link(copy, &links.collect::<Vec<_>>())?;
    graphs.unlink(copy, &cuts.collect::<Vec<_>>())?;
    graphs.instantiate(copy, copied.flags)
}

fn time(device: &dyn Device, window: Pair, kernel: &Between) -> Result<(u64, i64), Reason> {
    let elapsed = |from, to| {
        let elapsed = device.elapsed(from, to).map_err(Reason::Refusal)?;
        // The launch's last event has been reached, and all of these come before it.
        elapsed.ok_or(Reason::NotFinished)
    };
    let took = elapsed(kernel.start, kernel.stop)?;
    let since = elapsed(window.start, kernel.start)?;
    Ok((u64::try_from(took).map_err(|_| Reason::Impossible)?, since))
}

/// How seldom the second executable is launched so that what it adds stays below half of `share`; the rest is for what the
/// collector does. Never more often than without a budget.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates, above zero
fn stride(share: f64, plain: (u64, u64), took: (u64, u64)) -> u32 {
    let part = |plain: u64, took: u64| took.saturating_sub(plain) as f64 / plain.max(1) as f64;
    let added = part(plain.0, took.0).max(part(plain.1, took.1));
    (2.0 * added / share).ceil().max(f64::from(crate::nodes::STRIDE)) as u32
}

/// What a kernel's time is worth: the duration, and what keeps it at an upper bound. What events `added` inside a graph is known
/// of the model; whether the device is one like those that were measured says `of_device`, what they add outside.
pub(super) fn worth(
    raw_ns: u64,
    added: Option<u64>,
    of_device: Result<u64, Doubt>,
    doubt: Option<Doubt>,
) -> (u64, Option<Doubt>) {
    match (doubt, of_device.and(added.ok_or(Doubt::UnknownModel))) {
        (Some(doubt), _) | (None, Err(doubt)) => (raw_ns, Some(doubt)),
        (None, Ok(added)) if raw_ns <= added => (raw_ns, Some(Doubt::TooShort)),
        (None, Ok(added)) => (raw_ns - added, None),
    }
}

#[cfg(test)]
mod tests {
    use super::{Doubt, stride, worth};

    #[test]
    fn a_kernels_time_in_a_graph_is_calibrated_where_all_is_known_that_it_takes() {
        assert_eq!(worth(10_000, Some(3_000), Ok(2_850), None), (7_000, None));
        for (raw_ns, added, of_device, doubt, why) in [
            (10_000, Some(3_000), Ok(2_850), Some(Doubt::Overlapped), Doubt::Overlapped),
            (10_000, Some(3_000), Err(Doubt::ModelDiffers), None, Doubt::ModelDiffers),
            (10_000, None, Ok(2_850), None, Doubt::UnknownModel),
            (3_000, Some(3_000), Ok(2_850), None, Doubt::TooShort),
        ] {
            assert_eq!(worth(raw_ns, added, of_device, doubt), (raw_ns, Some(why)));
        }
    }

    #[test]
    fn a_share_of_the_time_says_how_seldom_a_graph_is_timed_inside() {
        // Twice as long, on the GPU or in the call: one in 200 adds half of a hundredth.
        assert_eq!(stride(0.01, (100_000, 3_000), (200_000, 3_000)), 200);
        assert_eq!(stride(0.01, (100_000, 3_000), (100_000, 6_000)), 200);
        // Never more often than without a budget, and not at all a number where there is none.
        assert_eq!(stride(0.5, (100_000, 3_000), (100_000, 3_000)), 64);
        assert_eq!(stride(0.01, (0, 0), (u64::MAX, u64::MAX)), u32::MAX);
    }
}
