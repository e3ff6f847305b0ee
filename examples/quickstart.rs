//! A little job with `launchsite` in it: some kernels that run 200 times, on the first GPU, or on launchsite's host
//! stand-in where there is none. The results are checked against the CPU; then comes the table of launches by the place
//! in the source that made them.
//!
//! ```sh
//! cargo run --release -p launchsite-examples --example quickstart
//! ```

#[path = "quickstart/cuda.rs"]
mod cuda;
#[path = "quickstart/host.rs"]
mod host;
#[path = "quickstart/reference.rs"]
mod reference;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use launchsite::Parts;
use reference::{Expected, Job, Outcome};

const STEPS: u16 = 200;

/// What to do next, with the program as it was started.
fn what_next() -> String {
    let program = std::env::args().next().unwrap_or_else(|| "quickstart".into());
    format!(
        "\
The names in Nsight Systems:
    nsys profile -t cuda,nvtx -o quickstart {program} && nsys stats -r cuda_gpu_kern_sum:nvtx-name quickstart.nsys-rep
The names in Nsight Compute (of the first launches, each of which it replays):
    ncu --nvtx --print-nvtx-rename kernel --launch-count 14 {program}
Every launch as two lines of JSON:
    LAUNCHSITE_OUT=q.jsonl {program}"
    )
}

fn main() -> ExitCode {
    match quickstart(&mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where stderr is gone too, the exit code is all that can be said.
            let _ = writeln!(io::stderr(), "quickstart: {error}");
            ExitCode::FAILURE
        }
    }
}

fn quickstart(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Acts only where LAUNCHSITE and its like have not decided.
    launchsite::default_parts(Parts::NVTX | Parts::TIME);

    match cuda::Gpu::open() {
        Ok(gpu) => {
            writeln!(out, "Running on {}.", gpu.name())?;
            checked(out, &Job::new(2048, 2048, STEPS), |job| gpu.run(job))?;
        }
        Err(reason) => {
            writeln!(out, "Running on the host stand-in: {reason}.")?;
            checked(out, &Job::new(512, 512, STEPS), |job| host::StandIn::open().run(job))?;
        }
    }

    // Times come back from the GPU a little after the launches, on another thread.
    if let Err(pending) = launchsite::flush(Duration::from_secs(5)) {
        writeln!(out, "The table is not complete: {pending}")?;
    }
    writeln!(out, "\n{}\n{}", launchsite::summary(), what_next())?;
    Ok(())
}

/// Runs the job on a device and compares what comes back with what the CPU works out.
fn checked<E: Error + 'static>(
    out: &mut impl Write,
    job: &Job,
    run: impl FnOnce(&Job) -> Result<Outcome, E>,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let outcome = run(job)?;
    let elapsed = start.elapsed();
    writeln!(out, "{} steps on {} elements took {elapsed:.1?}.", job.steps, job.elements())?;
    Expected::of(job).check(&outcome)?;
    writeln!(out, "results agree with the CPU")?;
    Ok(())
}
