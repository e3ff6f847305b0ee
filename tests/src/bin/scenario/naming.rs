//! Launches whose names, categories and ranges the environment and the attribute decide. A comment behind each lets a test
//! find its line.

use launchsite::host::{Error, Stream};
use launchsite::{Parts, gpu_kernel};

use crate::rig::{Cell, Rig, config, say};
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] =
    &[("looks", looks), ("nested_ranges", nested_ranges), ("kinds", kinds), ("odd_names", odd_names), ("late", late)];

#[gpu_kernel(category = "solver", color = 0x76b900)]
fn given(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("given", cell.adds(1)).launch(config())
}

#[gpu_kernel(category = "solver")]
fn category_alone(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("category", cell.adds(1)).launch(config())
}

struct Looks<'s>(&'s Stream, &'s Cell);

#[gpu_kernel(color = 0x00_00ff)]
impl Looks<'_> {
    fn color_alone(&self) -> Result<(), Error> {
        self.0.launch_builder("color", self.1.adds(1)).launch(config())
    }

    #[gpu_kernel(scope, category = "io", color = 0)]
    fn scope(&self) -> Result<(), Error> {
        self.color_alone()
    }
}

fn looks(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    given(&rig.stream, &rig.cell)?;
    category_alone(&rig.stream, &rig.cell)?;
    Looks(&rig.stream, &rig.cell).scope()?;
    Ok(rig.finish()?)
}

#[gpu_kernel(scope)]
fn outermost(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("first", cell.adds(1)).launch(config())?;
    inner(stream, cell)?;
    stream.launch_builder("last", cell.adds(1)).launch(config())
}

#[gpu_kernel(scope, stream = stream)]
fn inner(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("inner", cell.adds(1)).launch(config())
}

#[gpu_kernel]
fn beside(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("beside", cell.adds(1)).launch(config())
}

/// A scope that is left by a panic leaves the thread as it was.
#[gpu_kernel(scope)]
fn panics(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    inner(stream, cell)?;
    panic!("a panic of the program's")
}

fn nested_ranges(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for _ in 0..args.number(0, 1) {
        outermost(&rig.stream, &rig.cell)?;
        beside(&rig.stream, &rig.cell)?;
    }
    std::panic::set_hook(Box::new(|_| {}));
    let panicked = std::panic::catch_unwind(|| panics(&rig.stream, &rig.cell)).is_err();
    let _ = std::panic::take_hook();
    say("panicked", panicked);
    inner(&rig.stream, &rig.cell)?;
    // A launch from inside a launch, on this thread; and on another, which is in no range.
    crate::sites::in_the_launch(&rig.stream, &rig.cell, || {
        let rig = Rig::new();
        std::thread::scope(|scope| scope.spawn(|| beside(&rig.stream, &rig.cell)).join().unwrap()).unwrap();
        beside(&rig.stream, &rig.cell).unwrap();
        rig.stream.synchronize().unwrap();
    })?;
    Ok(rig.finish()?)
}

mod ops {
    use super::{Cell, Error, Stream, config, gpu_kernel};

    #[gpu_kernel]
    #[allow(clippy::extra_unused_type_parameters, reason = "for the name")]
    pub(super) fn generic<T, const N: usize>(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        stream.launch_builder("generic_kernel", cell.adds(1)).launch(config()) // site: kind_generic
    }

    #[gpu_kernel]
    #[rustfmt::skip]
    pub(super) fn twins(stream: &Stream, cell: &Cell) -> Result<(), Error> {
        let [a, b] = [stream.launch_builder("a", cell.adds(1)), stream.launch_builder("b", cell.adds(1))];
        a.launch(config())?; b.launch(config()) // site: kind_twins
    }

    pub(super) mod deep {
        use super::{Cell, Error, Stream, config, gpu_kernel};

        #[gpu_kernel(caller)]
        pub(in super::super) fn called(stream: &Stream, cell: &Cell) -> Result<(), Error> {
            stream.launch_builder("called_kernel", cell.adds(1)).launch(config())
        }
    }
}

/// One site, which launches what it is told to.
#[gpu_kernel]
fn told(stream: &Stream, cell: &Cell, kernel: &'static str) -> Result<(), Error> {
    stream.launch_builder(kernel, cell.adds(1)).launch(config()) // site: kind_told
}

fn kinds(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let Rig { stream, cell, .. } = &rig;
    ops::generic::<f32, 3>(stream, cell)?;
    ops::twins(stream, cell)?;
    ops::deep::called(stream, cell)?; // site: kind_caller
    for kernel in ["one", "two", "one"] {
        told(stream, cell, kernel)?;
    }
    say("names_worked_out", launchsite::__private::names_worked_out());
    Ok(rig.finish()?)
}

#[gpu_kernel(name = "{text}")]
fn shown(stream: &Stream, cell: &Cell, text: &str) -> Result<(), Error> {
    stream.launch_builder("shown", cell.adds(1)).launch(config()) // site: odd_name
}

/// Names that are long, or hold what names seldom do.
fn odd_names(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let long = [1, 255, 256, 1023, 1024, 1025, 4096, 65_536].map(|bytes| "x".repeat(bytes));
    let cut = (1018..1026).map(|bytes| "x".repeat(bytes) + "𝄞𝄞𝄞");
    let odd = ["", " ", "\0", "a\0b", "\0a", "a\nb", "größe 𝄞", "\u{200b}", "{braces}", "%s %n \\ \"quoted\""]
        .map(String::from);
    let all: Vec<_> = long.into_iter().chain(cut).chain(odd).collect();
    for text in &all {
        shown(&rig.stream, &rig.cell, text)?;
    }
    say("texts", all);
    Ok(rig.finish()?)
}

#[gpu_kernel(name = "step {number}")]
fn turns_on(stream: &Stream, cell: &Cell, number: u64, parts: Parts) -> Result<(), Error> {
    launchsite::set_parts(parts);
    stream.launch_builder("step", cell.adds(1)).launch(config())
}

/// Parts are turned on behind the entry of the first call, in which its number was not noted; then numbers come by turns.
fn late(args: &Args) -> Result<(), Failure> {
    let parts = if args.text(0) == "time" { Parts::TIME } else { Parts::NVTX };
    let rig = Rig::new();
    launchsite::set_parts(Parts::NONE);
    for number in [0, 1, 2, 1, 2, 2, 1] {
        turns_on(&rig.stream, &rig.cell, number, parts)?;
    }
    Ok(rig.finish()?)
}
