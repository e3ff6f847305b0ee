//! A value that is not used is told of where the user's call stands.

#![deny(unused_must_use)]

use launchsite::{gpu_kernel, host};

const ONE: host::LaunchConfig = host::LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

#[gpu_kernel]
fn unused(stream: &host::Stream, graph: &host::Graph) {
    stream.launch_builder("k", || {}).launch(ONE);
    let builder = stream.launch_builder("k", || {});
    builder.launch(ONE);
    graph.launch();
}

fn main() {}
