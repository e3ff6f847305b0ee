//! Launch sites of every shape. A comment behind each launch lets a test find its line.

use launchsite::gpu_kernel;
use launchsite::host::{Error, LaunchArgs, LaunchConfig, Stream};

use crate::Failure;
use crate::rig::{Cell, config};

#[gpu_kernel]
pub(crate) fn saxpy(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    let b = stream.launch_builder("saxpy_f32", cell.adds(1));
    b.launch(config())?; // site: saxpy
    Ok(())
}

/// Any kernel.
#[gpu_kernel]
pub(crate) fn work(stream: &Stream, kernel: impl Fn() + Send + Sync + 'static) -> Result<(), Error> {
    stream.launch_builder("work", kernel).launch(config()) // site: work
}

/// Any kernel, by another name.
#[gpu_kernel]
pub(crate) fn spans(stream: &Stream, kernel: impl Fn() + Send + Sync + 'static) -> Result<(), Error> {
    stream.launch_builder("spans", kernel).launch(config())
}

#[gpu_kernel]
pub(crate) fn two_sites(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("map_kernel", cell.adds(1)).launch(config())?; // site: two_sites_first
    stream.launch_builder("map_kernel", cell.adds(10)).launch(config()) // site: two_sites_second
}

#[gpu_kernel]
#[rustfmt::skip]
pub(crate) fn one_line(stream: &Stream, cell: &Cell) -> (Result<(), Error>, Result<(), Error>) {
    let [a, b] = [stream.launch_builder("a", cell.adds(1)), stream.launch_builder("b", cell.adds(10))];
    (a.launch(config()), b.launch(config())) // site: one_line
}

pub(crate) trait Element {
    const KERNEL: &'static str;
}

impl Element for f32 {
    const KERNEL: &'static str = "scale_f32";
}

impl Element for f64 {
    const KERNEL: &'static str = "scale_f64";
}

#[gpu_kernel]
pub(crate) fn scale<T: Element>(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder(T::KERNEL, cell.adds(1)).launch(config()) // site: scale
}

#[gpu_kernel]
pub(crate) fn tile<const N: u64>(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("tile", cell.adds(N)).launch(config()) // site: tile
}

pub(crate) struct Linear(pub(crate) Cell);

impl Linear {
    #[gpu_kernel]
    pub(crate) fn forward(&self, stream: &Stream) -> Result<(), Error> {
        stream.launch_builder("gemm", self.0.adds(1)).launch(config()) // site: method
    }
}

pub(crate) trait Layer {
    fn apply(&self, stream: &Stream) -> Result<(), Error>;
}

impl Layer for Linear {
    #[gpu_kernel]
    fn apply(&self, stream: &Stream) -> Result<(), Error> {
        stream.launch_builder("gemm", self.0.adds(1)).launch(config()) // site: trait_method
    }
}

pub(crate) struct Dense<T>(pub(crate) Cell, pub(crate) T);

impl<T: Element> Dense<T> {
    #[gpu_kernel]
    pub(crate) fn forward(&self, stream: &Stream) -> Result<(), Error> {
        stream.launch_builder(T::KERNEL, self.0.adds(1)).launch(config()) // site: generic_method
    }
}

#[gpu_kernel]
pub(crate) fn in_a_loop(stream: &Stream, cell: &Cell, times: u64) -> Result<(), Error> {
    for _ in 0..times {
        stream.launch_builder("step", cell.adds(1)).launch(config())?; // site: loop
    }
    Ok(())
}

#[gpu_kernel]
#[rustfmt::skip]
pub(crate) fn in_a_condition(stream: &Stream, cell: &Cell, times: u64) -> Result<(), Error> {
    let mut left = times;
    while stream.launch_builder("step", cell.adds(1)).launch(config()).is_ok() && left > 1 { // site: condition
        left -= 1;
    }
    Ok(())
}

#[gpu_kernel]
pub(crate) fn in_a_closure(stream: &Stream, cell: &Cell, times: u64) -> Result<(), Error> {
    let launch = || stream.launch_builder("step", cell.adds(1)).launch(config()); // site: closure
    (0..times).try_for_each(|_| launch())
}

/// Launches from threads that it makes, as rayon's would be: a range around the call would not reach them.
#[gpu_kernel]
pub(crate) fn from_threads(stream: &Stream, cell: &Cell, threads: u64) {
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let b = stream.launch_builder("step", cell.adds(1));
                b.launch(config()).expect("launched"); // site: from_threads
            });
        }
    });
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "one name, however often the code is there")]
#[gpu_kernel]
fn inlined(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("step", cell.adds(1)).launch(config()) // site: inlined
}

#[inline(never)]
pub(crate) fn calls_inlined(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    inlined(stream, cell)
}

pub(crate) fn calls_inlined_too(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    inlined(stream, cell)
}

#[gpu_kernel(name = "gemm of my own")]
pub(crate) fn named(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("gemm", cell.adds(1)).launch(config()) // site: named
}

#[gpu_kernel]
pub(crate) async fn decode(stream: &Stream, cell: &Cell, steps: u64) -> Result<(), Error> {
    for _ in 0..steps {
        stream.launch_builder("decode", cell.adds(1)).launch(config())?; // site: async
        crate::usual::yield_once().await;
    }
    Ok(())
}

/// Launches, and calls a function that launches.
#[gpu_kernel]
pub(crate) fn outer(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("outer", cell.adds(1)).launch(config())?; // site: outer
    saxpy(stream, cell)
}

/// In another module: another category.
pub(crate) mod nn {
    use super::{Cell, Error, Stream, config, gpu_kernel};

    #[gpu_kernel]
    pub(crate) fn softmax(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("softmax", cell.adds(1)).launch(config()) // site: softmax
    }

    #[gpu_kernel]
    pub(crate) fn relu(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("relu", cell.adds(1)).launch(config()) // site: relu
    }
}

#[gpu_kernel]
pub(crate) fn returns_early(stream: &Stream, cell: &Cell, how: u64) -> Result<u64, Failure> {
    let found = 'search: {
        stream.launch_builder("early", cell.adds(1)).launch(config())?; // site: early_first
        if how == 1 {
            return Ok(1);
        }
        if how == 2 {
            break 'search 2;
        }
        let Some(value) = (how == 3).then_some(3) else {
            return Err("let else".into());
        };
        stream.launch_builder("early", cell.adds(1)).launch(config())?; // site: early_second
        value
    };
    Ok(found)
}

#[gpu_kernel]
pub(crate) fn err_before(stream: &Stream, cell: &Cell, fails: bool) -> Result<(), Failure> {
    (!fails).then_some(()).ok_or("before")?;
    stream.launch_builder("step", cell.adds(1)).launch(config())?; // site: err_before
    Ok(())
}

#[gpu_kernel]
pub(crate) fn err_after(stream: &Stream, cell: &Cell) -> Result<(), Failure> {
    stream.launch_builder("step", cell.adds(1)).launch(config())?; // site: err_after
    Err("after".into())
}

#[gpu_kernel]
pub(crate) fn err_in_argument(stream: &Stream, cell: &Cell) -> Result<(), Failure> {
    let refused = || Err::<LaunchConfig, _>("argument");
    stream.launch_builder("step", cell.adds(1)).launch(refused()?)?; // site: err_in_argument
    Ok(())
}

/// Launches, or is left before: by an error, or by a panic.
#[gpu_kernel]
pub(crate) fn left_in_argument(stream: &Stream, cell: &Cell, how: u64) -> Result<(), Failure> {
    let config = || match how {
        0 => Ok(config()),
        1 => Err("argument"),
        _ => panic!("argument"),
    };
    stream.launch_builder("step", cell.adds(1)).launch(config()?)?;
    Ok(())
}

#[gpu_kernel]
pub(crate) fn panic_after(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("step", cell.adds(1)).launch(config())?; // site: panic_after
    panic!("after")
}

#[gpu_kernel]
pub(crate) fn panic_in_argument(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    let config = || -> LaunchConfig { panic!("argument") };
    stream.launch_builder("step", cell.adds(1)).launch(config()) // site: panic_in_argument
}

/// Another library's builder: it has a launch of its own, and what it derefs to is nobody's to look at.
pub(crate) struct Wrapped<'s> {
    pub(crate) inner: LaunchArgs<'s>,
    /// What it does first, in the middle of the launch.
    pub(crate) deed: fn(),
}

impl<'s> std::ops::Deref for Wrapped<'s> {
    type Target = LaunchArgs<'s>;

    fn deref(&self) -> &Self::Target {
        unreachable!("only a launch that is found through it is the builder's")
    }
}

impl Wrapped<'_> {
    fn launch(self, config: LaunchConfig) -> Result<(), Error> {
        (self.deed)();
        self.inner.launch(config)
    }
}

#[gpu_kernel(stream = stream)]
pub(crate) fn in_the_launch(stream: &Stream, cell: &Cell, deed: fn()) -> Result<(), Error> {
    let wrapped = Wrapped { inner: stream.launch_builder("wrapped", cell.adds(1)), deed };
    wrapped.launch(config()) // site: in_the_launch
}

#[gpu_kernel]
pub(crate) fn in_the_argument(stream: &Stream, cell: &Cell, deed: fn() -> LaunchConfig) -> Result<(), Error> {
    stream.launch_builder("step", cell.adds(1)).launch(deed()) // site: in_the_argument
}

/// Another library's builder that shows nothing.
pub(crate) struct Opaque<'s>(LaunchArgs<'s>);

impl Opaque<'_> {
    fn launch(self, config: LaunchConfig) -> Result<(), Error> {
        self.0.launch(config)
    }
}

#[gpu_kernel]
pub(crate) fn opaque(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    let opaque = Opaque(stream.launch_builder("hidden", cell.adds(1)));
    opaque.launch(config()) // site: opaque
}
