//! An argument with a keyword for its name is spelled in a name as `format!` has it.

#![deny(warnings)]

use launchsite::gpu_kernel;
use launchsite::host::{Error, Host, LaunchConfig, Stream};

#[gpu_kernel(name = "of {type:>3} {n}")]
fn of_a_type(s: &Stream, r#type: u32, r#n: u32) -> Result<(), Error> {
    s.launch_builder("k", || {}).launch(LaunchConfig::for_num_elems(r#type + n))
}

fn main() {
    of_a_type(&Host::new().stream(), 1, 2).unwrap();
}
