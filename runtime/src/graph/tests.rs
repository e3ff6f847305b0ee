//! Graphs that are entered once an iteration, on the stand-in.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::{Entered, Graph, GraphError, GraphState};
use crate::device::Refusal;
use crate::host::{Call, Error, Fault, Host, LaunchConfig, Stream};

struct Rig {
    host: Host,
    stream: Stream,
    x: Arc<AtomicI64>,
    /// How often the body was run.
    bodies: u32,
}

impl Rig {
    fn new() -> Self {
        let host = Host::new();
        Self { host, stream: host.stream(), x: Arc::new(AtomicI64::new(7)), bodies: 0 }
    }

    /// A kernel that adds `value`.
    fn add(&self, value: i64) -> Result<(), Error> {
        let x = Arc::clone(&self.x);
        let kernel = move || {
            x.fetch_add(value, Ordering::Relaxed);
        };
        self.stream.launch_builder("add", kernel).launch(LaunchConfig::for_num_elems(1))
    }

    /// An entry whose body adds `value`.
    fn enter(&mut self, graph: &mut Graph<Stream>, value: i64) -> Result<Entered, GraphError<Error, Error>> {
        let bodies = &mut self.bodies;
        let (stream, x) = (&self.stream, &self.x);
        graph.run(stream, || {
            *bodies += 1;
            let x = Arc::clone(x);
            let kernel = move || {
                x.fetch_add(value, Ordering::Relaxed);
            };
            stream.launch_builder("add", kernel).launch(LaunchConfig::for_num_elems(1))
        })
    }

    fn x(&self) -> i64 {
        self.stream.synchronize().unwrap();
        self.x.load(Ordering::Relaxed)
    }
}

fn code<T>(error: &GraphError<Error, T>) -> Option<i32> {
    match error {
        GraphError::Begin(Error(Refusal { code, .. }))
        | GraphError::End(Error(Refusal { code, .. }))
        | GraphError::Launch(Error(Refusal { code, .. })) => Some(*code),
        _ => None,
    }
}

#[test]
fn s3_1_ten_iterations_run_the_body_twice_and_launch_the_graph_nine_times() {
    let (mut rig, mut graph) = (Rig::new(), Graph::new());
    for _ in 0..10 {
        rig.enter(&mut graph, 3).unwrap();
    }
    assert_eq!((rig.x(), rig.bodies, graph.launches()), (37, 2, 9));
    assert_eq!(rig.host.counts().of(Call::GraphLaunch), 9);
}

#[test]
fn s3_2_a_graph_is_created_at_the_end_of_its_second_entry() {
    let (mut rig, mut graph) = (Rig::new(), Graph::new());
    let expected = [(GraphState::Fresh, Entered::Ran), (GraphState::Warm, Entered::Captured)];
    for (state, entered) in expected {
        assert_eq!((graph.created(), graph.state()), (false, state));
        assert_eq!(rig.enter(&mut graph, 3), Ok(entered));
    }
    assert!(graph.created() && graph.state() == GraphState::Created);
    assert_eq!(rig.enter(&mut graph, 3), Ok(Entered::Replayed));
}

#[test]
fn s3_3_a_copy_is_captured_with_the_rest() {
    let (rig, mut graph) = (Rig::new(), Graph::new());
    for _ in 0..10 {
        let entered = graph.run(&rig.stream, || {
            let x = Arc::clone(&rig.x);
            rig.stream.copy(move || x.store(7, Ordering::Relaxed))?;
            rig.add(3)
        });
        entered.unwrap();
    }
    assert_eq!(rig.x(), 10);
}

#[test]
fn s3_4_what_waits_in_a_capture_is_an_error_and_the_stream_can_be_used_afterwards() {
    type Waits = fn(&Stream) -> Result<(), Error>;
    let waits: [Waits; 2] = [Stream::synchronize, |stream| stream.copy_and_wait(|| {})];
    for wait in waits {
        // The body passes the error on, or takes no notice of it: then the end of the capture tells.
        for notices in [true, false] {
            let (mut rig, mut graph) = (Rig::new(), Graph::new());
            rig.enter(&mut graph, 3).unwrap();
            let failed = graph.run(&rig.stream, || {
                let waited = rig.add(3).and_then(|()| wait(&rig.stream));
                if notices { waited } else { Ok(()) }
            });
            match failed.unwrap_err() {
                GraphError::Body(error) => assert!(notices && error.0.code == 900),
                other => assert!(!notices && code(&other) == Some(901)),
            }
            assert_eq!((graph.created(), graph.state(), graph.launches()), (false, GraphState::Warm, 0));
            assert_eq!(rig.x(), 10, "nothing of the capture has run");
            assert_eq!(rig.enter(&mut graph, 3), Ok(Entered::Captured));
            assert_eq!(rig.x(), 13);
        }
    }
}

#[test]
fn s3_5_what_comes_in_another_order_is_a_typed_error_and_changes_nothing() {
    let (rig, mut graph) = (Rig::new(), Graph::new());
    assert_eq!(graph.launch(&rig.stream), Err(GraphError::NotCreated));
    assert_eq!(graph.end(&rig.stream), Err(GraphError::NotCapturing));
    graph.begin(&rig.stream).unwrap();
    assert_eq!(graph.begin(&rig.stream), Err(GraphError::Capturing));
    assert_eq!(graph.end(&rig.host.stream()), Err(GraphError::OtherStream));
    assert_eq!(graph.launch(&rig.stream), Err(GraphError::NotCreated));
    assert_eq!(graph.run(&rig.stream, || Ok::<(), Error>(())), Err(GraphError::Capturing));
    graph.update();
    assert_eq!(graph.state(), GraphState::Capturing);
    rig.add(3).unwrap();
    graph.end(&rig.stream).unwrap();
    assert_eq!(graph.begin(&rig.stream), Err(GraphError::Created));
    assert_eq!(graph.end(&rig.stream), Err(GraphError::NotCapturing));
    graph.launch(&rig.stream).unwrap();
    assert_eq!(graph.launch(&rig.host.stream()), Err(GraphError::OtherStream));
    assert_eq!((rig.x(), graph.launches()), (10, 1));
}

#[test]
fn s3_5_an_empty_capture_is_no_graph() {
    let (mut rig, mut graph) = (Rig::new(), Graph::new());
    rig.enter(&mut graph, 3).unwrap();
    assert_eq!(graph.run(&rig.stream, || Ok::<(), Error>(())), Err(GraphError::Empty));
    assert_eq!(rig.enter(&mut graph, 3), Ok(Entered::Captured));
}

#[test]
fn s3_6_an_error_of_the_body_discards_what_was_captured() {
    let (mut rig, mut graph) = (Rig::new(), Graph::new());
    // In the first pass: the next entry is one again.
    let failed = graph.run(&rig.stream, || rig.add(3).map_err(drop).and(Err::<(), ()>(())));
    assert_eq!(failed, Err(GraphError::Body(())));
    assert_eq!((graph.state(), rig.x()), (GraphState::Fresh, 10));
    assert_eq!(rig.enter(&mut graph, 3), Ok(Entered::Ran));
    // In the capture: the next entry captures again.
    let failed = graph.run(&rig.stream, || rig.add(100).map_err(drop).and(Err::<(), ()>(())));
    assert_eq!((failed, graph.state()), (Err(GraphError::Body(())), GraphState::Warm));
    assert_eq!((rig.x(), rig.host.counts().of(Call::GraphLaunch)), (13, 0));
    assert_eq!(rig.enter(&mut graph, 3), Ok(Entered::Captured));
    assert_eq!(rig.x(), 16);
}

#[test]
fn s3_6_a_panic_in_the_body_ends_the_capture_and_goes_on() {
    let (mut rig, mut graph) = (Rig::new(), Graph::new());
    rig.enter(&mut graph, 3).unwrap();
    let body = || -> Result<(), Error> { std::panic::panic_any("the body's own") };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| graph.run(&rig.stream, body)));
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"the body's own"));
    assert_eq!(graph.state(), GraphState::Warm);
    assert_eq!(rig.enter(&mut graph, 3), Ok(Entered::Captured));
    assert_eq!(rig.x(), 13);
}

#[test]
fn s3_6_a_call_that_is_refused_leaves_the_next_entry_to_try_again() {
    for (call, at) in [(Call::BeginCapture, 0), (Call::EndCapture, 1), (Call::GraphLaunch, 1)] {
        let (mut rig, mut graph) = (Rig::new(), Graph::new());
        rig.enter(&mut graph, 3).unwrap();
        rig.host.script().add(Fault::refuse(call, 719).times(1));
        let failed = rig.enter(&mut graph, 3).unwrap_err();
        assert_eq!(code(&failed), Some(719), "{call:?}");
        assert_eq!((graph.created(), rig.bodies), (call == Call::GraphLaunch, 1 + at), "{call:?}");
        rig.enter(&mut graph, 3).unwrap();
        assert_eq!(rig.x(), 13, "{call:?}");
    }
}

#[test]
fn s3_9_what_changes_after_the_capture_keeps_its_captured_value() {
    let (mut rig, mut graph) = (Rig::new(), Graph::new());
    // Run with 1, captured with 10, and replayed with it.
    for value in [1, 10, 100, 1000] {
        rig.enter(&mut graph, value).unwrap();
    }
    assert_eq!(rig.x(), 7 + 1 + 3 * 10);
    graph.update();
    assert_eq!((graph.created(), graph.state()), (false, GraphState::Warm));
    assert_eq!(rig.enter(&mut graph, 5), Ok(Entered::Captured));
    assert_eq!(rig.enter(&mut graph, 6), Ok(Entered::Replayed));
    assert_eq!(rig.x(), 38 + 2 * 5);
    assert_eq!(rig.bodies, 3);
}

#[test]
fn an_error_says_what_went_wrong() {
    let error = GraphError::<Error>::End(Error(Refusal { call: "cuStreamEndCapture", code: 901 }));
    assert!(error.to_string().contains("cuStreamEndCapture returned 901"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(
        GraphError::<Error, Error>::Body(Error(Refusal { call: "own", code: 1 })).to_string(),
        "the host stand-in refused: own returned 1 (scripted)"
    );
}

#[test]
fn a_graph_that_the_program_captured_is_taken_over() {
    let (mut rig, mut graph) = (Rig::new(), Graph::new());
    rig.stream.begin_capture().unwrap();
    rig.add(3).unwrap();
    let own = rig.stream.end_capture().unwrap();
    graph.adopt(&rig.stream, own.clone()).unwrap();
    assert_eq!(graph.adopt(&rig.stream, own), Err(GraphError::Created));
    graph.launch(&rig.stream).unwrap();
    assert_eq!(rig.enter(&mut graph, 100), Ok(Entered::Replayed));
    assert_eq!((rig.x(), rig.bodies, graph.launches()), (13, 0, 2));
}
