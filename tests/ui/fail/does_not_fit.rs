//! Arguments that are known, on functions that they are not for.

use launchsite::gpu_kernel;

#[gpu_kernel(scope)]
async fn of_a_thread() {}

#[gpu_kernel(scope)]
const fn at_compile_time() {}

#[gpu_kernel(caller)]
async fn caller_of_a_task() {}

#[gpu_kernel(internal)]
extern "C" fn caller_from_c() {}

#[gpu_kernel(scope, caller)]
async fn both() {}

#[gpu_kernel(scope = true)]
fn no_value_wanted() {}

#[gpu_kernel(stream)]
fn value_wanted() {}

#[gpu_kernel(stream = streams.next()?)]
fn leaves(streams: Streams) -> Option<()> {
    Some(())
}

#[gpu_kernel(stream = streams.next().await)]
async fn waits(streams: Streams) {}

struct Streams;

impl Streams {
    fn next(self) -> Option<u32> {
        None
    }
}

fn main() {
    at_compile_time();
    let _ = (of_a_thread(), caller_of_a_task(), both());
    let _ = (leaves(Streams), waits(Streams), Streams.next());
    caller_from_c();
    no_value_wanted();
    value_wanted();
}
