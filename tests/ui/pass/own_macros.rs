//! Macros of the program's own with names that libraries have, and conditions whose text is shown.

#![deny(warnings)]

use launchsite::gpu_kernel;
use launchsite::host::{Error, Host, LaunchConfig, Stream};

type R = Result<(), Error>;

fn cfg() -> LaunchConfig {
    LaunchConfig::for_num_elems(64)
}

macro_rules! assert {
    ($e:expr) => {
        if !$e {
            shown(stringify!($e))
        }
    };
}

fn shown(text: &str) {
    assert_eq!(text, r#"s.launch_builder("k", || {}).launch(cfg()).is_err()"#);
}

fn traced<T>(f: impl Fn() -> T) -> T {
    f()
}

macro_rules! trace {
    ($e:expr) => {
        traced(|| $e)
    };
}

macro_rules! debug {
    ($b:ident . launch ( $c:ident )) => {
        $b.launch($c)
    };
}

macro_rules! ensure {
    ($e:expr, $shown:literal) => {
        traced(|| $e).is_ok() && stringify!($e).len() == $shown
    };
}

#[gpu_kernel]
fn of_its_own(s: &Stream) -> R {
    assert!(s.launch_builder("k", || {}).launch(cfg()).is_err());
    trace!(s.launch_builder("k", || {}).launch(cfg()))?;
    let long = ensure!(s.launch_builder("k", || {}).launch(cfg()), 42);
    std::assert!(long, "the tokens are as they were");
    let b = s.launch_builder("k", || {});
    let c = cfg();
    debug!(b.launch(c))
}

#[gpu_kernel]
fn text_of_a_condition(s: &Stream) {
    std::assert!(matches!(s.launch_builder("k", || {}).launch(LaunchConfig { grid_dim: (1, 1, 1), ..cfg() }), Err(_)));
}

#[gpu_kernel]
fn text_beside_a_message(s: &Stream, n: u32) {
    std::assert!(s.launch_builder("k", || {}).launch(cfg()).is_err(), "{n} {}", n + 1);
}

fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(f).unwrap_err();
    let text = panic.downcast_ref::<&'static str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref().cloned()).unwrap()
}

fn main() {
    of_its_own(&Host::new().stream()).unwrap();
    std::panic::set_hook(Box::new(|_| {}));
    let first = message(|| text_of_a_condition(&Host::new().stream()));
    assert_eq!(
        first.split_whitespace().collect::<Vec<_>>().join(" "),
        "assertion failed: matches!(s.launch_builder(\"k\", || {}).launch(LaunchConfig { grid_dim: (1, 1, 1), ..cfg() }), Err(_))"
    );
    assert_eq!(message(|| text_beside_a_message(&Host::new().stream(), 3)), "3 4");
}
