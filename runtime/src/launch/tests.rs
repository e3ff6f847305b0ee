//! What the launch path does not do.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use assert_no_alloc::{assert_no_alloc, violation_count};

use super::{Launch, Outcome, Replay, Seconds, Seen};
use crate::device::graph::{Captured, Copied, Graph, Graphs, Unfit};
use crate::device::{
    Capability, Capture, Context, Description, Device, Event, Life, Probe, Refusal, Stream as DeviceStream,
};
use crate::lane::Place;
use crate::name::{Kind, Name, Spot, Variant};
use crate::parts::Parts;
use crate::session::{Active, Session};
use crate::site::Site;

/// A device whose calls do nothing, and so allocate nothing.
#[derive(Debug)]
struct Idle(AtomicU64);

impl Device for Idle {
    fn describe(&self) -> Result<Vec<Description>, Refusal> {
        Ok(Vec::new())
    }

    fn stream_kind(&self, _: DeviceStream) -> &'static str {
        "idle"
    }

    fn per_thread(&self, _: DeviceStream) -> bool {
        false
    }

    fn enter(&self, _: Context) -> Result<(), Refusal> {
        Ok(())
    }

    fn current(&self) -> Result<Option<Context>, Refusal> {
        Ok(None)
    }

    fn leave(&self) {}

    fn relax(&self) -> Result<(), Refusal> {
        Ok(())
    }

    fn create(&self) -> Result<Event, Refusal> {
        Ok(Event(self.0.fetch_add(1, Ordering::Relaxed)))
    }

    fn destroy(&self, _: Event) {}

    fn record(&self, _: Event, _: DeviceStream) -> Result<(), Refusal> {
        Ok(())
    }

    fn capturing(&self, _: DeviceStream) -> Result<Capture, Refusal> {
        Ok(Capture::None)
    }

    fn elapsed(&self, _: Event, _: Event) -> Result<Option<i64>, Refusal> {
        Ok(Some(1000))
    }

    fn wait(&self, _: Event) -> Result<(), Refusal> {
        Ok(())
    }

    fn open_stream(&self, context: Context) -> Result<DeviceStream, Refusal> {
        Ok(DeviceStream { context, handle: 1 })
    }

    fn close_stream(&self, _: DeviceStream) {}

    fn capability(&self) -> Result<Option<Capability>, Refusal> {
        Ok(None)
    }

    fn load_probe(&self) -> Result<Probe, Refusal> {
        Ok(Probe { module: 0, empty: 0, spin: 0 })
    }

    fn launch_probe(&self, _: Probe, _: DeviceStream, _: Option<Duration>) -> Result<(), Refusal> {
        Ok(())
    }

    fn unload_probe(&self, _: Probe) {}

    fn explain(&self, refusal: Refusal) -> String {
        refusal.to_string()
    }

    fn hold(&self, context: Context) -> Result<Life, Refusal> {
        Ok(Life { device: 0, id: context.0 })
    }

    fn release(&self, _: Life) {}

    fn graphs(&self) -> &dyn Graphs {
        self
    }
}

const NO_GRAPHS: Refusal = Refusal { call: "graphs", code: 801 };

impl Graphs for Idle {
    fn captured(&self, _: DeviceStream) -> Result<Captured, Refusal> {
        Err(NO_GRAPHS)
    }

    fn kernels(&self, graph: u64) -> Result<u32, Refusal> {
        u32::try_from(graph).map_err(|_| NO_GRAPHS)
    }

    fn copy(&self, _: Graph) -> Result<Copied, Unfit> {
        Err(NO_GRAPHS.into())
    }

    fn add_event(&self, _: u64, _: &[u64], _: Event) -> Result<u64, Refusal> {
        Err(NO_GRAPHS)
    }

    fn link(&self, _: u64, _: &[(u64, u64)]) -> Result<(), Refusal> {
        Err(NO_GRAPHS)
    }

    fn unlink(&self, _: u64, _: &[(u64, u64)]) -> Result<(), Refusal> {
        Err(NO_GRAPHS)
    }

    fn instantiate(&self, _: u64, _: u64) -> Result<u64, Refusal> {
        Err(NO_GRAPHS)
    }

    fn launch(&self, _: u64, _: DeviceStream) -> Result<(), Refusal> {
        Err(NO_GRAPHS)
    }

    fn destroy(&self, _: u64) {}

    fn destroy_executable(&self, _: u64) {}
}

static IDLE: Idle = Idle(AtomicU64::new(1));
static SITE: Site = Site::new(Spot::in_a_test(1));

fn launch() {
    let mut launch = Launch::new(&SITE, || "m::f::{{closure}}", Active::load());
    let place = Place { device: &IDLE, context: Context(7), ordinal: 0 };
    if launch.looks() {
        launch.see(Seen { place, stream: 3, kernel: None, may_wait: false, owner: None });
    }
    if launch.open() {
        launch.close(Outcome::Launched);
    }
}

/// A graph of seven kernels.
fn replay(name: &'static Name, seconds: &mut Seconds) {
    let place = Place { device: &IDLE, context: Context(7), ordinal: 0 };
    let seen = Seen { place, stream: 3, kernel: None, may_wait: false, owner: None };
    let mut replay = Replay::begin(name, Some(seen), Some(Graph { graph: 7, executable: 8 }));
    assert!(!replay.launch_second(seconds));
    replay.end(Outcome::Launched, seconds);
}

#[test]
fn a_timed_launch_allocates_nothing_in_the_steady_state() {
    assert!(Session::get().set_parts(Parts::TIME));
    // Until there are as many events as there will be.
    for _ in 0..4 {
        (0..1000).for_each(|_| launch());
        Session::get().collector.flush(Duration::from_secs(60)).unwrap();
    }
    let (events, before) = (IDLE.0.load(Ordering::Relaxed), violation_count());
    assert_no_alloc(|| (0..1000).for_each(|_| launch()));
    assert_eq!(violation_count() - before, 0);
    assert_eq!(IDLE.0.load(Ordering::Relaxed), events, "no event was made");
    Session::get().collector.flush(Duration::from_secs(60)).unwrap();
    let summary = Session::get().collector.summary();
    let site = summary.sites.iter().find(|site| site.name.starts_with("m::f ")).unwrap();
    assert_eq!((site.timed, site.launches), (5000, 5000), "{summary}");
    // A graph's, timed inside where it could be: the device refuses to copy it, which is asked once.
    let spot = Spot { kind: Kind::Graph, ..Spot::in_a_test(2) };
    let (name, mut seconds) = (Name::of(&spot, "m::g::{{closure}}", Variant::NONE).leak(), Seconds::default());
    assert!(Session::get().set_parts(Parts::NODES));
    (0..10).for_each(|_| replay(name, &mut seconds));
    let before = violation_count();
    assert_no_alloc(|| (0..1000).for_each(|_| replay(name, &mut seconds)));
    assert_eq!(violation_count() - before, 0);
    // That it would be seen.
    assert_no_alloc(|| drop(std::hint::black_box(Box::new(1))));
    assert!(violation_count() > before);
}
