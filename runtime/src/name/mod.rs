//! Names: what a launch is called, worked out once for each site and instantiation.

mod file;
mod path;
mod spot;

use std::sync::atomic::{AtomicU64, Ordering};

pub use file::{copied, start};
pub(crate) use spot::Twin;
pub use spot::{Spot, twin};

use crate::nvtx::{Handle, Look};
use crate::pace::Pace;
use crate::record::Label;

/// Profilers and the C side see at most so many bytes.
const LONGEST: usize = 1024;

/// The name of a site in one instantiation, with everything that is the same for each of its launches.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) label: Label,
    /// The `type_name` that it was worked out from.
    pub(crate) path: &'static str,
    /// Counts names from 0 on, so that sums can be kept in a vector.
    pub(crate) index: usize,
    pub(crate) handle: Handle,
    pub(crate) look: Look,
    /// How seldom its launches are timed.
    pub(crate) pace: Pace,
}

static WORKED_OUT: AtomicU64 = AtomicU64::new(0);

/// How many names were worked out so far in this process.
pub(crate) fn worked_out() -> u64 {
    WORKED_OUT.load(Ordering::Relaxed)
}

impl Name {
    /// `path` is the `type_name` of a closure made in the function.
    pub(crate) fn of(spot: &Spot, path: &'static str) -> Self {
        let index = WORKED_OUT.fetch_add(1, Ordering::Relaxed);
        let function = match spot.given {
            "" => path::function(path).unwrap_or_else(|| spot.function.to_owned()),
            given => given.to_owned(),
        };
        let inside = String::from_utf8_lossy(spot.path);
        let file = match spot.package {
            "" => inside.into_owned(),
            package => format!("{package}/{inside}"),
        };
        Self {
            label: Label {
                name: text(&function, &file, spot),
                function,
                module: spot.module,
                file,
                line: spot.line,
                column: spot.column,
            },
            path,
            index: usize::try_from(index).unwrap_or(usize::MAX),
            handle: Handle::default(),
            look: look(spot.module),
            pace: Pace::default(),
        }
    }

    pub(crate) fn leak(self) -> &'static Self {
        Box::leak(Box::new(self))
    }
}

fn text(function: &str, file: &str, spot: &Spot) -> String {
    let Spot { line, column, .. } = spot;
    let text = match spot.twin {
        Twin::None => format!("{function} {file}:{line}"),
        Twin::Column => format!("{function} {file}:{line}:{column}"),
        Twin::Number(number) => format!("{function} {file}:{line}#{number}"),
    };
    fit(&text)
}

/// Without NUL, which ends a name on the C side, and at most [`LONGEST`] bytes, cut between two characters.
fn fit(text: &str) -> String {
    let clean = text.replace('\0', " ");
    let end = (0..=LONGEST.min(clean.len())).rev().find(|&end| clean.is_char_boundary(end));
    clean.get(..end.unwrap_or(0)).unwrap_or_default().to_owned()
}

/// Eight hues around the wheel, bright enough for black text on them.
const PALETTE: [u32; 8] =
    [0xff76_b900, 0xff4e_9bd1, 0xffe0_8a3c, 0xffb0_7cd8, 0xff3f_b8a4, 0xffd8_6a8a, 0xffc9_b037, 0xff8d_a0ad];

/// A category for each module, and a colour for each category: the same in every run, with no table to share.
fn look(module: &str) -> Look {
    let hash = fnv1a(module);
    let color = usize::try_from(hash >> 8).map_or(0, |hash| hash % PALETTE.len());
    Look {
        // 0 is NVTX's "no category".
        category: hash.max(1),
        argb: PALETTE.get(color).copied().unwrap_or(0xff76_b900),
    }
}

/// The 32-bit FNV-1a hash (Fowler, Noll, Vo; offset basis and prime from their page).
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests;
