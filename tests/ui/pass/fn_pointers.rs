//! A `move` closure that takes nothing is a function pointer, whatever its fields, methods and variables are called.

use launchsite::gpu_kernel;
use launchsite::host::{Error, Host, LaunchArgs, LaunchConfig, Stream};

type R = Result<(), Error>;

struct Own {
    n: fn() -> Stream,
}

impl Own {
    fn s(&self) -> Stream {
        (self.n)()
    }
}

fn cfg() -> LaunchConfig {
    LaunchConfig::for_num_elems(64)
}

fn builder() -> Stream {
    Host::new().stream()
}

mod n {
    pub const OWN: u32 = 1;
}

#[gpu_kernel(stream = s)]
fn named_like_a_field(s: &Stream, n: u32) -> R {
    let by_field: fn(&Own) -> R = move |x| {
        let own = (x.n)();
        own.launch_builder("k", || {}).launch(cfg())
    };
    let by_method: fn(&Own) -> R = move |x| x.s().launch_builder("k", || {}).launch(cfg());
    let by_path: fn(LaunchArgs<'_>) -> R = move |args| args.launch(LaunchConfig::for_num_elems(n::OWN));
    let by_literal: fn(&Stream) -> R = move |x| {
        let made = Own { n: builder };
        let Own { n: stream } = &made;
        let _ = (stream, x);
        (made.n)().launch_builder("k", || {}).launch(cfg())
    };
    let shadowed: fn(&Stream) -> R = move |x| {
        let n = x;
        n.launch_builder("k", || {}).launch(cfg())
    };
    let _ = n;
    by_field(&Own { n: builder })?;
    by_method(&Own { n: builder })?;
    by_path(s.launch_builder("p", || {}))?;
    by_literal(s)?;
    shadowed(s)
}

#[gpu_kernel(stream = s)]
fn bound_in_a_block_that_ended(s: &Stream) -> R {
    {
        let builder = s.launch_builder("k", || {});
        builder.launch(cfg())?;
    }
    let free: fn() -> R = move || {
        let own = builder();
        own.launch_builder("k", || {}).launch(cfg())
    };
    free()
}

fn main() {
    named_like_a_field(&Host::new().stream(), 1).unwrap();
    bound_in_a_block_that_ended(&Host::new().stream()).unwrap();
}
