//! What has the tokens of a launch and is none: it compiles and does what it did.

#![deny(warnings)]

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

#[gpu_kernel]
async fn awaited(rocket: &mut Rocket, pad: impl Future<Output = u32>) -> usize {
    rocket.launch(LaunchConfig { pad: pad.await });
    rocket.0.len()
}

fn is_send<T: Send>(value: T) -> T {
    value
}

fn main() {
    let mut rocket = Rocket(Vec::new());
    assert_eq!(launched(&mut rocket, Fleet(vec![Rocket(Vec::new())])), 3 + 4 + 4 + 5);
    let mut future = std::pin::pin!(is_send(awaited(&mut rocket, async { 6 })));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert_eq!(future.as_mut().poll(&mut context), std::task::Poll::Ready(3));
}
