//! The file that an output goes to: replaced, unless it is another live session's.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::fd::AsFd;
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
    let file = write(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let other = beside(path);
            process::complain(&format!(
                "{} is being written by another session; writing {}",
                path.display(),
                other.display(),
            ));
            let file = write(&other)?;
            // Whoever has this name had this process id, and is gone.
            let _ = file.try_lock();
            emptied(file, &other)
        }
        // A file system without locks has no sessions to tell apart.
        Ok(()) | Err(TryLockError::Error(_)) => emptied(file, path),
    }
}

fn write(path: &Path) -> Result<File, String> {
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    opened.map_err(|error| format!("{} cannot be written ({error})", path.display()))
}

/// Only once the lock is ours: a file that is another's keeps what it holds.
fn emptied(file: File, path: &Path) -> Result<File, String> {
    // A pipe or a device has no length to set.
    if file.metadata().is_ok_and(|data| data.is_file()) {
        file.set_len(0).map_err(|error| format!("{} cannot be emptied ({error})", path.display()))?;
    }
    Ok(file)
}

/// `trace.jsonl` is `trace.PID.jsonl`.
fn beside(path: &Path) -> PathBuf {
    let pid = std::process::id();
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_extension(format!("{pid}.{ending}"))
}
