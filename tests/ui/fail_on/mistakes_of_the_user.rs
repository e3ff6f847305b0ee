//! Errors in the body point at the user's own tokens.

use launchsite::{gpu_kernel, host};

#[gpu_kernel]
fn wrong_configuration(stream: &host::Stream) -> Result<(), host::Error> {
    stream.launch_builder("k", || {}).launch(7_u32 + 1)
}

#[gpu_kernel]
fn no_such_method(stream: &host::Stream) -> Result<(), host::Error> {
    stream.launch_bilder("k", || {}).launch(host::LaunchConfig::for_num_elems(1))
}

#[gpu_kernel]
fn moved_twice(stream: &host::Stream) -> Result<(), host::Error> {
    let builder = stream.launch_builder("k", || {});
    builder.launch(host::LaunchConfig::for_num_elems(1))?;
    builder.launch(host::LaunchConfig::for_num_elems(1))
}

#[gpu_kernel(stream = width)]
fn no_stream(stream: &host::Stream, width: u32) -> Result<(), host::Error> {
    stream.launch_builder("k", || {}).launch(host::LaunchConfig::for_num_elems(width))
}

#[gpu_kernel(stream = strem)]
fn no_such_argument(stream: &host::Stream) -> Result<(), host::Error> {
    stream.launch_builder("k", || {}).launch(host::LaunchConfig::for_num_elems(1))
}

struct Silent;

#[gpu_kernel(name = "k {silent}")]
fn cannot_be_shown(stream: &host::Stream, silent: Silent) -> Result<(), host::Error> {
    stream.launch_builder("k", || {}).launch(host::LaunchConfig::for_num_elems(1))
}

#[gpu_kernel(flops = name)]
fn no_amount(stream: &host::Stream, name: &str) -> Result<(), host::Error> {
    stream.launch_builder("k", || {}).launch(host::LaunchConfig::for_num_elems(1))
}

fn main() {}
