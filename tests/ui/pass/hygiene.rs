//! Names of the user's that are also ours, or std's, in a strict crate.

#![deny(warnings, unused, unused_qualifications, unused_must_use)]
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![allow(non_camel_case_types, non_snake_case, dead_code)]

extern crate launchsite as renamed;

mod core {}
mod std {}
mod launchsite {}

struct Result;
struct Option;
struct Call;
struct Site;
struct Scope;
struct Entry;
const SITE: u32 = 1;
const START: u32 = 2;
const FILE: u32 = 3;
fn start() {}
fn done() {}
fn arg() {}
fn enter() {}
fn Ok() {}

type Outcome = ::core::result::Result<(), renamed::host::Error>;

#[::launchsite::gpu_kernel]
fn plain(stream: &::launchsite::host::Stream, launchsite_0: u32) -> Outcome {
    let call = SITE + START + FILE + launchsite_0;
    let config = ::launchsite::host::LaunchConfig::for_num_elems(call);
    stream.launch_builder("k", || {}).launch(config)
}

#[renamed::gpu_kernel(crate = renamed)]
fn renamed_root(stream: &renamed::host::Stream) -> Outcome {
    let builder = stream.launch_builder("k", || {});
    builder.launch(renamed::host::LaunchConfig::for_num_elems(1))
}

#[::launchsite::gpu_kernel(scope)]
fn scoped(launchsite_0: u32) -> u32 {
    launchsite_0 + 1
}

fn main() {
    start();
    done();
    arg();
    enter();
    ::core::assert_eq!(scoped(1), 2);
    let stream = renamed::host::Host::new().stream();
    ::core::assert!(plain(&stream, 1).is_ok());
    ::core::assert!(renamed_root(&stream).is_ok());
}
