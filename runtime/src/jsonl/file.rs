//! The file that an output goes to: replaced, unless it is another live session's.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::config::Place;
use crate::process;

/// # Errors
/// It cannot be written: in words for the user.
pub(super) fn open(place: &Place) -> Result<File, String> {
    match place {
        // A descriptor of our own: what the program does with its lock, or its end of the pipe, is its business.
        Place::Stdout => {
            let stdout = std::io::stdout().as_fd().try_clone_to_owned();
            stdout.map(File::from).map_err(|error| format!("stdout cannot be written ({error})"))
        }
        Place::File(path) => replace(path),
    }
}

fn replace(path: &Path) -> Result<File, String> {
    let mut taken = path.to_owned();
    for attempt in 0..ATTEMPTS {
        let file = write(&taken)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => taken = beside(path, attempt),
            // A file system without locks has no sessions to tell apart.
            Ok(()) | Err(TryLockError::Error(_)) => {
                if attempt > 0 {
                    let (path, taken) = (path.display(), taken.display());
                    process::complain(&format!("{path} is being written by another session; writing {taken}"));
                }
                return emptied(file, &taken);
            }
        }
    }
    Err(format!("{} and others beside it are being written by other sessions", path.display()))
}

/// Process ids repeat: in containers that share a folder each program may be number 1.
const ATTEMPTS: u32 = 100;

fn write(path: &Path) -> Result<File, String> {
    let mut options = OpenOptions::new();
    // A pipe that nobody reads would hold up the open for ever; this way it is an error.
    options.write(true).create(true).truncate(false).custom_flags(libc::O_NONBLOCK);
    options.open(path).map_err(|error| format!("{} cannot be written ({error})", path.display()))
}

/// Only once the lock is ours: a file that is another's keeps what it holds.
fn emptied(file: File, path: &Path) -> Result<File, String> {
    // A pipe or a device has no length to set.
    if file.metadata().is_ok_and(|data| data.is_file()) {
        file.set_len(0).map_err(|error| format!("{} cannot be emptied ({error})", path.display()))?;
    }
    Ok(file)
}

/// `trace.jsonl` is `trace.PID.jsonl`, then `trace.PID-1.jsonl` and so on.
fn beside(path: &Path, attempt: u32) -> PathBuf {
    let pid = std::process::id();
    let again = if attempt == 0 { String::new() } else { format!("-{attempt}") };
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_extension(format!("{pid}{again}.{ending}"))
}
