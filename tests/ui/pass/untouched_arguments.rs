//! Arguments and receivers that a hook could not hold: the call stays as it is.

#![deny(warnings)]

use launchsite::gpu_kernel;
use launchsite::host::{self, Error, Host, LaunchConfig, Stream};

fn cfg() -> LaunchConfig {
    LaunchConfig::for_num_elems(64)
}

macro_rules! by {
    ($x:ident => $e:expr) => {
        |$x| $e
    };
}

struct Pad;

impl Pad {
    fn launch<F: Fn(&str) -> usize>(&self, f: F) -> usize {
        f("pad")
    }
}

struct Boxed;

impl Boxed {
    fn launch(&self, f: Box<dyn Fn(&str) -> usize>) -> usize {
        f("boxed")
    }
}

mod graph {
    pub fn launch(n: usize, f: impl Fn(&str) -> usize) -> usize {
        n + f("x")
    }
}

#[allow(non_snake_case)]
fn cuGraphLaunch(n: usize, f: impl FnOnce(&str) -> usize) -> usize {
    n + f("gl")
}

fn launch_kernel(_: u8, _: u8, _: u8, _: u8, _: u8, f: impl Fn(&str) -> usize) -> usize {
    f("kernel")
}

#[gpu_kernel]
fn closures_of_a_macro() -> usize {
    let blocks = Pad.launch({
        let _ = 1;
        by!(text => text.len())
    }) + Pad.launch(loop {
        break by!(text => text.len());
    })
        + Pad.launch(const { by!(text => text.len()) });
    blocks
        + Pad.launch(by!(text => text.len()))
        + Boxed.launch(Box::new(by!(text => text.len())))
        + graph::launch(2, by!(text => text.len()))
        + cuGraphLaunch(1, by!(text => text.len()))
        + launch_kernel(0, 0, 0, 0, 0, by!(text => text.len()))
}

#[gpu_kernel]
fn closures_that_a_block_is_left_with() -> usize {
    let of_loop = Pad.launch(loop {
        break |text| text.len();
    });
    let of_block = Pad.launch('a: {
        if of_loop < 100 {
            break 'a by!(text => text.len());
        }
        panic!("no")
    });
    of_loop + of_block
}

struct Gate;

impl Gate {
    fn launch(&self) -> u32 {
        4
    }
}

fn only(of: u32) -> u32 {
    of
}

#[gpu_kernel]
fn an_argument_that_is_not_there(gate: &Gate, stream: &Stream) -> Result<u32, Error> {
    stream.launch_builder("k", || {}).launch(#[cfg(not(any()))] cfg(), #[cfg(any())] cfg())?;
    stream.launch_builder("k", || {}).launch(cfg(), #[cfg(any())] 2)?;
    Ok(gate.launch(#[cfg(any())] 1) + only(2))
}

#[derive(Clone, Copy)]
struct Handle(u32);

impl Handle {
    fn launch(self, n: u32) -> u32 {
        self.0 + n
    }
}

#[derive(Clone, Copy)]
struct Replay(u32);

impl Replay {
    fn launch(self) -> u32 {
        self.0
    }
}

#[derive(Clone, Copy)]
struct Capture(u16);

impl Capture {
    fn end_capture(self) -> u16 {
        self.0
    }
    fn launch_builder(self, _: u8) -> Handle {
        Handle(self.0.into())
    }
}

#[repr(C, packed)]
struct Packet {
    tag: u8,
    handle: Handle,
    replay: Replay,
    capture: Capture,
}

#[gpu_kernel]
fn fields_of_a_packed_structure(p: &Packet, n: u32) -> u32 {
    p.handle.launch(n) + p.replay.launch() + u32::from(p.capture.end_capture() + u16::from(p.tag)) + p.capture.launch_builder(1).launch(n)
}

/// What it derefs to is not what it launches, and only some of it derefs.
struct Wrapped<'a>(host::LaunchArgs<'a>);

impl std::ops::Deref for Wrapped<'static> {
    type Target = host::LaunchArgs<'static>;
    fn deref(&self) -> &Self::Target {
        panic!("nobody asked")
    }
}

impl<'a> Wrapped<'a> {
    fn launch(self, config: LaunchConfig) -> Result<(), Error> {
        self.0.launch(config)
    }
}

#[gpu_kernel]
fn another_builder(stream: &Stream) -> Result<(), Error> {
    let wrapped = Wrapped(stream.launch_builder("k", || {}));
    wrapped.launch(cfg())
}

struct Module;

/// As cust's.
macro_rules! launch {
    ($module:ident . $function:ident <<< $grid:expr, $block:expr, $shared:expr, $stream:ident >>> ( $($arg:expr),* )) => {{
        let config = LaunchConfig { grid_dim: ($grid, 1, 1), block_dim: ($block, 1, 1), shared_mem_bytes: $shared };
        $(let _ = &$arg;)*
        let _ = (&$module, stringify!($function));
        $stream.launch_builder("k", || {}).launch(config)
    }};
}

/// Where the state of a launch ends before what is borrowed in it.
#[gpu_kernel]
fn at_the_end_of_a_block(stream: &Stream, args: &std::sync::Mutex<Option<u32>>) -> Result<u32, Error> {
    let module = Module;
    { launch!(module.scale<<<1, 64, 0, stream>>>(args.lock().unwrap().as_ref())) }?;
    let lock = std::sync::Mutex::new(1);
    let inner = { launch!(module.scale<<<*lock.lock().unwrap(), 64, 0, stream>>>(1)) };
    inner.and_then(|()| launch!(module.scale<<<1, 64, 0, stream>>>(2)))?;
    let n = loop {
        launch!(module.scale<<<1, match *args.lock().unwrap() { Some(n) => break n, None => 1 }, 0, stream>>>(2))?;
        *args.lock().unwrap() = Some(64);
    };
    launch!(module.scale<<<1, n, 0, stream>>>(*lock.lock().unwrap())).map(|()| n)
}

fn main() {
    let stream = Host::new().stream();
    assert_eq!(closures_of_a_macro(), 3 + 3 + 3 + 3 + 5 + 3 + 3 + 6);
    assert_eq!(closures_that_a_block_is_left_with(), 6);
    assert_eq!(an_argument_that_is_not_there(&Gate, &stream), Ok(6));
    let packet = Packet { tag: 1, handle: Handle(2), replay: Replay(3), capture: Capture(4) };
    assert_eq!(fields_of_a_packed_structure(&packet, 10), 12 + 3 + 5 + 14);
    another_builder(&stream).unwrap();
    assert_eq!(at_the_end_of_a_block(&stream, &std::sync::Mutex::new(None)), Ok(64));
}
