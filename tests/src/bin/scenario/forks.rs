//! Programs that fork.

#![allow(unsafe_code, reason = "the C library")]

use std::ffi::c_int;

use crate::rig::{LONG, Rig, say};
use crate::sites;
use crate::{Args, Failure};

unsafe extern "C" {
    fn fork() -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
}

/// Launches, and runs `child` in a fork, whose exit code it says.
fn forked(child: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let rig = Rig::new();
    for _ in 0..3 {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    launchsite::flush(LONG)?;
    // SAFETY: the child uses nothing that another thread may have had in its hands: it has a stand-in of its own.
    let pid = unsafe { fork() };
    if pid == 0 {
        let code = i32::from(child().is_err());
        std::process::exit(code);
    }
    let mut status = -1;
    // SAFETY: `status` is ours, and the child is too.
    unsafe { waitpid(pid, &raw mut status, 0) };
    say("child", status);
    say("child_pid", pid);
    sites::saxpy(&rig.stream, &rig.cell)?;
    rig.stream.synchronize()?;
    Ok(())
}

/// The child launches: a session of its own.
pub(crate) fn fork_and_launch(_: &Args) -> Result<(), Failure> {
    forked(|| {
        let rig = Rig::new();
        for _ in 0..2 {
            sites::saxpy(&rig.stream, &rig.cell)?;
        }
        Ok(rig.stream.synchronize()?)
    })
}

/// The child does not launch, and ends in the usual way.
pub(crate) fn fork_and_end(_: &Args) -> Result<(), Failure> {
    forked(|| Ok(()))
}

/// A scope is left in the process that entered it, and in a fork's child.
pub(crate) fn fork_in_scope(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let pid = forks(&rig)?;
    if pid == 0 {
        let rig = Rig::new();
        sites::saxpy(&rig.stream, &rig.cell)?;
        std::process::exit(i32::from(launchsite::flush(LONG).is_err()));
    }
    let mut status = -1;
    // SAFETY: `status` is ours, and the child is too.
    unsafe { waitpid(pid, &raw mut status, 0) };
    say("child", status);
    say("child_pid", pid);
    Ok(rig.stream.synchronize()?)
}

#[launchsite::gpu_kernel(scope, stream = rig.stream)]
fn forks(rig: &Rig) -> Result<c_int, Failure> {
    sites::saxpy(&rig.stream, &rig.cell)?;
    // The output is this process's by then, and the child's is another.
    launchsite::flush(LONG)?;
    // SAFETY: as above.
    let pid = unsafe { fork() };
    if pid == 0 {
        let rig = Rig::new();
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    Ok(pid)
}
