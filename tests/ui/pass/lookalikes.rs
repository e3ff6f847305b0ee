//! What has the tokens of a launch and is none: it compiles and does what it did.

#![deny(warnings)]

use std::panic::{RefUnwindSafe, UnwindSafe};

use launchsite::gpu_kernel;

struct Rocket(Vec<u32>);

#[derive(Clone, Copy)]
struct LaunchConfig {
    pad: u32,
}

impl Rocket {
    fn launch(&mut self, config: LaunchConfig) -> Option<&u32> {
        self.0.push(config.pad);
        self.0.last()
    }
}

/// Gives a place when it is indexed, and nothing that could be moved out of it.
struct Fleet(Vec<Rocket>);

impl std::ops::Index<usize> for Fleet {
    type Output = Rocket;
    fn index(&self, at: usize) -> &Rocket {
        &self.0[at]
    }
}

impl std::ops::IndexMut<usize> for Fleet {
    fn index_mut(&mut self, at: usize) -> &mut Rocket {
        &mut self.0[at]
    }
}

macro_rules! first {
    ($fleet:ident) => {
        $fleet.0[0]
    };
}

#[gpu_kernel]
fn launched(rocket: &mut Rocket, mut fleet: Fleet) -> u32 {
    let config = LaunchConfig { pad: 3 };
    let first = rocket.launch(config).copied().unwrap_or(0);
    let second = *fleet[0].launch(LaunchConfig { pad: 4 }).unwrap();
    let third = first!(fleet).launch(config).map_or(0, |pad| pad + 1);
    let mut nested = |pad| rocket.launch(LaunchConfig { pad }).copied();
    first + second + third + nested(5).unwrap()
}

/// A trait of the user's for everything, with the names that ours could have.
trait Watched {
    fn see(&self) -> u32 {
        7
    }
    fn stream(&self) -> u32 {
        8
    }
}

impl<T> Watched for T {}

/// A function that has a name and as many arguments as one of cudarc's, and is something else.
fn launch_kernel(a: i32, _: u32, _: u32, _: u32, _: u32, _: &mut [u8]) -> i32 {
    a
}

/// Another, with a closure.
mod graph {
    pub(crate) fn launch<T>(value: T, length: impl Fn(&T) -> usize) -> usize {
        length(&value)
    }
}

#[gpu_kernel]
fn with_closure(text: String) -> usize {
    graph::launch(text, |text| text.len())
}

impl Rocket {
    fn launch_with<F: Fn(u32) -> u32>(&mut self, f: F) -> u32 {
        f(self.0.len() as u32)
    }
}

struct Pad;

impl Pad {
    fn launch<F: Fn(&str) -> usize>(&self, f: F) -> usize {
        f("pad")
    }
}

#[gpu_kernel]
fn more_lookalikes(rocket: &mut Rocket) -> usize {
    let watched = rocket.see() + rocket.stream();
    let status = launch_kernel(1, 2, 3, 4, 5, &mut []);
    let offset = 2;
    // The closures' signatures come from where they go.
    let cloned = Pad.launch({
        let offset = offset;
        move |text| text.len() + offset
    });
    let chosen = Pad.launch((|text| text.len()) as fn(&str) -> usize) + usize::from(status < 0);
    let kept = rocket.launch_with(|length| length);
    watched as usize + cloned + chosen + kept as usize
}

struct Constant {
    pad: u32,
}

impl Constant {
    fn launch(&self, _: LaunchConfig) -> &u32 {
        &self.pad
    }
}

/// What a literal makes lives for good.
#[gpu_kernel]
fn kept(config: LaunchConfig) -> &'static u32 {
    Constant { pad: 9 }.launch(config)
}

#[gpu_kernel]
async fn awaited(rocket: &mut Rocket, pad: impl Future<Output = u32>) -> usize {
    rocket.launch(LaunchConfig { pad: pad.await });
    rocket.0.len()
}

fn is_send<T: Send>(value: T) -> T {
    value
}

fn is_unwind_safe<T: Sync + UnwindSafe + RefUnwindSafe>(value: T) -> T {
    value
}

/// A future that is over before its value is used may be caught when it panics.
#[gpu_kernel(caller)]
fn caught(config: LaunchConfig) -> impl Future<Output = Option<u32>> + Send + Sync + UnwindSafe + RefUnwindSafe {
    async move {
        let mut rocket = Rocket(Vec::new());
        let pad = rocket.launch(config).copied();
        std::future::ready(()).await;
        pad
    }
}

#[gpu_kernel]
async fn caught_too(mut rocket: Rocket) -> usize {
    rocket.launch(LaunchConfig { pad: 1 });
    std::future::ready(()).await;
    rocket.0.len()
}

fn main() {
    let mut rocket = Rocket(Vec::new());
    assert_eq!(launched(&mut rocket, Fleet(vec![Rocket(Vec::new())])), 3 + 4 + 4 + 5);
    assert_eq!(*kept(LaunchConfig { pad: 1 }), 9);
    assert_eq!(with_closure("text".into()), 4);
    assert_eq!(more_lookalikes(&mut Rocket(vec![])), 15 + 5 + 3);
    let mut future = std::pin::pin!(is_send(awaited(&mut rocket, async { 6 })));
    drop((caught(LaunchConfig { pad: 1 }), is_unwind_safe(caught_too(Rocket(vec![])))));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert_eq!(future.as_mut().poll(&mut context), std::task::Poll::Ready(3));
}
