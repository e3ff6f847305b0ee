//! Launches with fields: of the function, of the thread, and taken along to others.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use launchsite::host::{Error, Stream};
use launchsite::record::{Record, Sink};
use launchsite::{FieldValue, Fields, gpu_kernel, with_fields};

use crate::rig::{Cell, LONG, Rig, config, say};
use crate::{Args, Failure, Program, heap};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("field_types", field_types),
    ("field_guards", field_guards),
    ("field_tasks", field_tasks),
    ("field_sets", field_sets),
    ("field_sink", field_sink),
    ("fields_that_fail", fields_that_fail),
    ("fields_steady", fields_steady),
    ("work", work),
];

#[gpu_kernel]
fn plain(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("plain", cell.adds(1)).launch(config())
}

struct Shown(&'static str);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "panic" => panic!("it cannot be shown"),
            "error" => Err(fmt::Error),
            text => f.write_str(text),
        }
    }
}

fn generic<T: fmt::Display>(rig: &Rig, value: T) -> Result<(), Error> {
    let _fields = with_fields!(value);
    plain(&rig.stream, &rig.cell)
}

fn field_types(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let (r#type, text) = (3_u8, String::from("te\"xt\n"));
    let fields = with_fields!(
        r#type,
        text,
        int = 7,
        below = -7_i64,
        most = u64::MAX,
        least = i64::MIN,
        size = 5_usize,
        reference = &9_u16,
        whole = 1.0,
        float = 0.25_f32,
        huge = f64::MAX,
        none = f64::NAN,
        yes = true,
        no = &false,
        c = 'π',
        wide = 1_u128,
        shown = Shown("größe"),
        str = "plain",
    );
    plain(&rig.stream, &rig.cell)?;
    drop(fields);
    generic(&rig, 1_u32)?;
    generic(&rig, "one")?;
    let half = &2.5;
    generic(&rig, half)?;
    Ok(rig.finish()?)
}

#[gpu_kernel(fields(layer = i + 1, query_id, kind = "own"))]
fn layer(stream: &Stream, cell: &Cell, i: u32, query_id: &str) -> Result<(), Error> {
    stream.launch_builder("first", cell.adds(1)).launch(config())?;
    {
        let _step = with_fields!(step = 1, kind = "thread");
        stream.launch_builder("second", cell.adds(1)).launch(config())?;
        plain(stream, cell)?;
    }
    let cell = cell.clone();
    let moved = move || stream.launch_builder("moved", cell.adds(1)).launch(config());
    moved()
}

#[gpu_kernel(scope, stream = stream, fields(depth = 1))]
fn scoped(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("in_scope", cell.adds(1)).launch(config())
}

fn field_guards(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let Rig { stream, cell, .. } = &rig;
    layer(stream, cell, 2, "q7")?;
    scoped(stream, cell)?;
    let outer = with_fields!(a = 1, b = 2);
    plain(stream, cell)?;
    let inner = with_fields!(b = "two", c = 3, c = 4);
    plain(stream, cell)?;
    drop(inner);
    plain(stream, cell)?;
    drop(outer);
    plain(stream, cell)?;
    // Left by a panic.
    std::panic::set_hook(Box::new(|_| {}));
    let panicked = std::panic::catch_unwind(|| {
        let _fields = with_fields!(lost = true);
        panic!("the program's own")
    });
    let _ = std::panic::take_hook();
    say("panicked", panicked.is_err());
    plain(stream, cell)?;
    // Not evaluated where nothing records.
    launchsite::set_parts(launchsite::Parts::NONE);
    let mut evaluated = 0;
    let unused = with_fields!(
        value = {
            evaluated += 1;
            evaluated
        }
    );
    drop(unused);
    say("evaluated", evaluated);
    Ok(rig.finish()?)
}

async fn task(rig: Arc<Rig>, steps: u32) -> Result<(), Error> {
    for step in 0..steps {
        {
            let _step = with_fields!(step);
            plain(&rig.stream, &rig.cell)?;
        }
        crate::usual::yield_once().await;
    }
    Ok(())
}

fn is_send<T: Send>(value: T) -> T {
    value
}

/// Two tasks that take turns, each poll on a thread of its own; and a thread that takes the fields along.
fn field_tasks(_: &Args) -> Result<(), Failure> {
    let rig = Arc::new(Rig::new());
    let follow = |id: u32| {
        let _query = with_fields!(query = id);
        Box::pin(is_send(Fields::current().follow(task(Arc::clone(&rig), 3))))
    };
    let mut tasks = vec![follow(1), follow(2)];
    while !tasks.is_empty() {
        let mut going = Vec::new();
        for mut task in tasks {
            let poll = std::thread::spawn(move || {
                let _own = with_fields!(thread = "worker");
                let done = task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                (done, task, Fields::current().get("thread").is_some())
            });
            let (done, task, back) = poll.join().unwrap();
            assert!(back, "behind a poll the thread has its own again");
            match done {
                Poll::Ready(result) => result?,
                Poll::Pending => going.push(task),
            }
        }
        tasks = going;
    }
    let _query = with_fields!(query = 3);
    let fields = Fields::current();
    let on = Arc::clone(&rig);
    std::thread::spawn(move || {
        plain(&on.stream, &on.cell).unwrap();
        let _query = fields.enter();
        plain(&on.stream, &on.cell).unwrap();
    })
    .join()
    .unwrap();
    Ok(rig.finish()?)
}

/// `N` sets from eight threads that bring the same ones.
fn field_sets(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let count = args.number(0, 10);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for set in 0..count {
                    drop(with_fields!(set));
                }
            });
        }
    });
    let _last = with_fields!(set = count - 1);
    plain(&rig.stream, &rig.cell)?;
    say("without_fields", launchsite::summary().without_fields);
    say("of_the_last", Fields::current().get("set").is_some());
    Ok(rig.finish()?)
}

struct Told;

impl Sink for Told {
    fn record(&mut self, record: &Record<'_>) {
        let (side, fields) = match record {
            Record::Launch(launch) => ("host", launch.fields),
            Record::LaunchGpu(timed) => ("gpu", timed.fields),
            _ => return,
        };
        let layer = matches!(fields.get("layer"), Some(FieldValue::Signed(4)));
        say(side, format!("{fields:?} {layer} {}", fields.iter().count()));
    }
}

fn field_sink(_: &Args) -> Result<(), Failure> {
    launchsite::add_sink(Told);
    let rig = Rig::new();
    let _fields = with_fields!(layer = 4, name = "x");
    plain(&rig.stream, &rig.cell)?;
    launchsite::flush(LONG)?;
    Ok(rig.finish()?)
}

fn fields_that_fail(args: &Args) -> Result<(), Failure> {
    std::panic::set_hook(Box::new(|_| {}));
    let rig = Rig::new();
    let how: &'static str = if args.text(0) == "panic" { "panic" } else { "error" };
    let _kept = with_fields!(kept = 1);
    {
        let _failed = with_fields!(shown = Shown(how));
        plain(&rig.stream, &rig.cell)?;
    }
    say("without_fields", launchsite::summary().without_fields);
    let _ = std::panic::take_hook();
    Ok(rig.finish()?)
}

/// What launches with fields allocate, once they have been made before.
fn fields_steady(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let round = || {
        for query in 0..4_u64 {
            let _query = with_fields!(query, model = "m");
            for i in 0..4 {
                layer(&rig.stream, &rig.cell, i, "q")?;
            }
            // What the collector has not taken yet is no reason for another event.
            launchsite::flush(LONG)?;
        }
        Ok::<(), Failure>(())
    };
    // The stand-in boxes kernels and events: as many launches without fields.
    let bare = || {
        for _ in 0..4 {
            (0..4 * 4).try_for_each(|_| plain(&rig.stream, &rig.cell))?;
            launchsite::flush(LONG)?;
        }
        Ok::<(), Failure>(())
    };
    let launches = |work: &dyn Fn() -> Result<(), Failure>| {
        let before = heap::allocations();
        work().map(|()| heap::allocations() - before)
    };
    round()?;
    bare()?;
    let [with, without] = [launches(&round)?, launches(&bare)?];
    say("allocations", with.abs_diff(without));
    Ok(rig.finish()?)
}

static ASKED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// How often work was asked for.
fn asked(amount: u64) -> u64 {
    ASKED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    amount
}

#[gpu_kernel(flops = asked(2 * m * m * m), bytes = &(12 * m * m), fields(m))]
fn gemm(stream: &Stream, cell: &Cell, m: u64) -> Result<(), Error> {
    stream.launch_builder("gemm", cell.adds(1)).launch(config())
}

#[gpu_kernel(bytes = len)]
fn copies(stream: &Stream, cell: &Cell, len: f32) -> Result<(), Error> {
    let _outer = with_fields!(step = 4);
    stream.launch_builder("copies", cell.adds(1)).launch(config())
}

#[gpu_kernel(scope, stream = stream, flops = 5_u8)]
fn whole(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    plain(stream, cell)
}

/// What launches do, and what they cannot do.
fn work(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let Rig { stream, cell, .. } = &rig;
    for m in [64, 64, 128] {
        gemm(stream, cell, m)?;
    }
    for len in [1.5e20, 0.5, -1.0, f32::NAN, f32::INFINITY, 0.0] {
        copies(stream, cell, len)?;
    }
    whole(stream, cell)?;
    plain(stream, cell)?;
    stream.synchronize()?;
    launchsite::flush(LONG)?;
    say("asked", ASKED.load(std::sync::atomic::Ordering::Relaxed));
    let sites = launchsite::summary().sites;
    for site in sites {
        let rates = serde_json::json!([site.tflop_per_s, site.gb_per_s, site.gpu_total_ns, site.timed]);
        say(site.name.split(' ').next().unwrap(), rates);
    }
    Ok(rig.finish()?)
}
