//! Launches that are named after who calls them, by the stack. A comment behind each call lets a test find its line.

use std::hint::black_box;

use launchsite::gpu_kernel;
use launchsite::host::{Error, Stream};

use crate::rig::{Cell, Rig, config, say};
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] =
    &[("stacks", stacks), ("stack_race", stack_race), ("stack_steady", stack_steady), ("stack_deep", deep)];

/// What `LAUNCHSITE_INTERNAL` says is a library.
pub(crate) mod library {
    use super::{Cell, Error, Rig, Stream, black_box, config, gpu_kernel};

    pub(crate) trait Backend {
        fn run(&self, stream: &Stream) -> Result<(), Error>;
    }

    pub(crate) struct Matmul<T>(pub(crate) Cell, pub(crate) T);

    impl<T> Backend for Matmul<T> {
        #[gpu_kernel]
        fn run(&self, stream: &Stream) -> Result<(), Error> {
            // In a closure that Rust's library calls.
            let each = |_: u8| stream.launch_builder("matmul", self.0.adds(1)).launch(config()); // site: stack_matmul
            [1_u8].into_iter().try_for_each(each)
        }
    }

    #[inline(never)]
    pub(crate) fn dispatch(backend: &dyn Backend, stream: &Stream) -> Result<(), Error> {
        black_box(backend.run(stream)) // site: stack_dispatch
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the caller's frame is then that of this function too")]
    pub(crate) fn matmul(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        dispatch(&Matmul(cell.clone(), 1_f32), stream)
    }

    /// So many frames of its own.
    pub(crate) fn recurses(stream: &Stream, cell: &Cell, times: u64) -> Result<(), Error> {
        if times == 0 { matmul(stream, cell) } else { black_box(recurses(stream, cell, times - 1)) }
    }

    /// From a thread of the library's own: nobody calls.
    pub(crate) fn spawns() {
        let rig = Rig::new();
        let launch = move || {
            matmul(&rig.stream, &rig.cell).unwrap();
            rig.stream.synchronize().unwrap();
        };
        std::thread::spawn(launch).join().unwrap();
    }

    #[gpu_kernel(name = "given")]
    pub(crate) fn given(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("given", cell.adds(1)).launch(config())
    }

    #[gpu_kernel(scope)]
    pub(crate) fn scoped(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("scoped", cell.adds(1)).launch(config())
    }

    #[gpu_kernel(caller)]
    pub(crate) fn by_caller(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("by_caller", cell.adds(1)).launch(config())
    }

    pub(crate) fn calls_by_caller(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        by_caller(stream, cell) // site: stack_by_caller
    }
}

mod app {
    use super::{Cell, Error, Stream, black_box, config, gpu_kernel, library};

    #[gpu_kernel]
    pub(super) fn own(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("own", cell.adds(1)).launch(config()) // site: stack_own
    }

    #[inline(never)]
    pub(super) fn twice(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        library::matmul(stream, cell)?; // site: stack_first
        black_box(library::matmul(stream, cell)) // site: stack_second
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "inlined frames count")]
    pub(super) fn inlined(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        library::matmul(stream, cell) // site: stack_inlined
    }

    #[gpu_kernel(internal)]
    pub(super) fn helper(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("helper", cell.adds(1)).launch(config()) // site: stack_helper
    }

    #[gpu_kernel(internal)]
    pub(super) fn helps_helper(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        helper(stream, cell)
    }

    #[gpu_kernel(internal, stack)]
    pub(super) fn by_stack(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("by_stack", cell.adds(1)).launch(config()) // site: stack_by_stack
    }

    pub(super) struct Net;

    impl Net {
        #[allow(clippy::unused_self, reason = "a method")]
        pub(super) fn forward(&self, stream: &Stream, cell: &Cell) -> Result<(), Error> {
            [1, 2].iter().try_for_each(|_| library::matmul(stream, cell)) // site: stack_closure
        }
    }
}

/// A helper's caller, behind a pointer: `#[track_caller]` is lost there, and the stack is not.
fn by_pointer(launch: fn(&Stream, &Cell) -> Result<(), Error>, rig: &Rig) -> Result<(), Error> {
    black_box(black_box(launch)(&rig.stream, &rig.cell)) // site: stack_pointer
}

fn stacks(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let Rig { stream, cell, .. } = &rig;
    for _ in 0..2 {
        app::own(stream, cell)?; // site: stack_calls_own
        app::twice(stream, cell)?;
        app::inlined(stream, cell)?;
        app::Net.forward(stream, cell)?;
        app::helper(stream, cell)?; // site: stack_calls_helper
        app::helps_helper(stream, cell)?; // site: stack_calls_helps
        app::by_stack(stream, cell)?; // site: stack_calls_by_stack
        by_pointer(app::helper, &rig)?;
        library::recurses(stream, cell, 40)?; // site: stack_recurses
        library::spawns();
        library::given(stream, cell)?; // site: stack_given
        library::scoped(stream, cell)?; // site: stack_scoped
        library::calls_by_caller(stream, cell)?;
        std::thread::scope(|scope| {
            scope.spawn(|| library::matmul(stream, cell).unwrap()); // site: stack_thread
        });
    }
    say("names_worked_out", launchsite::__private::names_worked_out());
    Ok(rig.finish()?)
}

/// Threads that come to one place at one moment, for the first time.
fn stack_race(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let threads = usize::try_from(args.number(0, 64))?;
    let barrier = std::sync::Barrier::new(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..10 {
                    library::matmul(&rig.stream, &rig.cell).unwrap(); // site: stack_race
                }
            });
        }
    });
    Ok(rig.finish()?)
}

/// Launches of stacks that are known allocate nothing on this thread.
fn stack_steady(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let mut before = 0;
    for round in 0..args.number(0, 1000) {
        app::twice(&rig.stream, &rig.cell)?;
        if round == 10 {
            before = launchsite::__private::names_worked_out();
        }
    }
    say("worked_out_later", launchsite::__private::names_worked_out() - before);
    Ok(rig.finish()?)
}

/// Deeper than is looked: nothing is claimed of who calls.
fn deep(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    library::recurses(&rig.stream, &rig.cell, args.number(0, 1000))?;
    Ok(rig.finish()?)
}
