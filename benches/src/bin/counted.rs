//! Launches so many times in one of the forms: what callgrind counts the instructions of.
//!
//! `counted FORM bare|named|ranged TIMES`, on the driver that does nothing; the environment decides the parts.

use launchsite_benches::forms::FORMS;
use launchsite_benches::rounds::Way;
use launchsite_benches::{Failure, Gpu, range, ways};

/// What is counted: callgrind is told to begin and to end with it.
#[inline(never)]
fn counted_region(mut way: Way<'_>, times: u32) -> Result<(), Failure> {
    way(times)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [form, which, times] = arguments.as_slice() else { return Err("counted FORM bare|named|ranged TIMES".into()) };
    let (_, bare, named) = FORMS.into_iter().find(|(name, ..)| name == form).ok_or("no such form")?;
    let (gpu, times) = (Gpu::new()?, times.parse()?);
    let mut way = match which.as_str() {
        "bare" => ways::repeated(&gpu, bare),
        "named" => ways::repeated(&gpu, named),
        _ => {
            let tool = std::env::var_os("NVTX_INJECTION64_PATH").ok_or("no NVTX_INJECTION64_PATH")?;
            if !range::load(&tool) {
                return Err("the profiler's library does not load".into());
            }
            ways::ranged(&gpu, bare)
        }
    };
    // What a first launch does, and what grows.
    way(2000)?;
    counted_region(way, times)
}
