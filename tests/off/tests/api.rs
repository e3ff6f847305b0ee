//! The same items as with the feature on: a program builds either way, and nothing happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use launchsite::record::{Record, Sink};
use launchsite::{CalibrateError, Graph, Parts, Profiler, ProfilerError, Span, host};

struct Never;

impl Sink for Never {
    fn record(&mut self, _: &Record<'_>) {
        panic!("nothing is recorded");
    }
}

#[test]
fn everything_is_there_and_does_nothing() {
    assert!(!launchsite::set_parts(Parts::ON));
    assert!(!launchsite::default_parts(Parts::TIME));
    assert_eq!(launchsite::parts(), Parts::NONE);
    launchsite::add_sink(Never);
    let guard = launchsite::guard();

    let stand_in = host::Host::new();
    let stream = stand_in.stream();
    let calls = Arc::new(AtomicU32::new(0));
    for _ in 0..10 {
        let calls = Arc::clone(&calls);
        launchsite_off::count(&stream, move || {
            calls.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 10);
    assert_eq!(stand_in.counts().of(host::Call::EventCreate), 0);

    assert_eq!(launchsite::calibrate(&stand_in), Err(CalibrateError::Off));
    let profiler = Profiler::new(&stand_in);
    assert_eq!(profiler.start(&stream), Err(ProfilerError::Off));
    profiler.failure(ProfilerError::Impossible);
    let (value, span) = profiler.measure(&stream, || 7);
    assert_eq!((value, span.and_then(Span::resolve)), (7, Err(ProfilerError::Off)));
    assert_eq!(stand_in.counts().of(host::Call::EventCreate), 0);

    let x = Arc::new(AtomicU32::new(0));
    let mut graph = Graph::named("graph");
    for _ in 0..10 {
        let entered = graph.run(&stream, || {
            let x = Arc::clone(&x);
            launchsite_off::count(&stream, move || {
                x.fetch_add(3, Ordering::Relaxed);
            })
        });
        entered.unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!((x.load(Ordering::Relaxed), graph.launches()), (30, 9));
    assert_eq!(stand_in.counts().of(host::Call::EventCreate), 0);

    let mut evaluated = 0;
    let fields = launchsite::with_fields!(
        query_id = {
            evaluated += 1;
            evaluated
        }
    );
    assert!(launchsite::Fields::current().is_empty());
    drop(fields);
    assert_eq!(evaluated, 0);
    drop(guard);
    assert_eq!(launchsite::flush(Duration::ZERO), Ok(()));
    assert!(launchsite::summary().sites.is_empty());
    assert_eq!(launchsite::name::symbol("ops::saxpy", "a/b.rs", 42), "ops_saxpy__a_b_rs_L42");
}
