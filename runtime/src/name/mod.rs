//! Names: what a launch is called, worked out once for each site and instantiation.
//!
//! What of it is public are [symbols](symbol).

mod caller;
pub(crate) mod file;
mod path;
pub(crate) mod spot;
mod symbol;
pub(crate) mod texts;
mod variant;

use std::sync::atomic::{AtomicU64, Ordering};

pub use symbol::{Symbols, symbol};

#[cfg(feature = "kernels")]
pub(crate) use caller::by_layout;
pub(crate) use file::File;
pub(crate) use spot::{Spot, Twin};
pub(crate) use texts::{Texts, beyond};
pub(crate) use variant::Variant;

use crate::nvtx::{Handle, Look};
use crate::pace::Pace;
pub(crate) use crate::record::Kind;
use crate::record::Label;

/// Profilers and the C side see at most so many bytes.
const LONGEST: usize = 1024;

/// The name of a site in one instantiation, with everything that is the same for each of its launches.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) label: Label,
    pub(crate) kind: Kind,
    /// The `type_name` that it was worked out from, and what else.
    pub(crate) path: &'static str,
    pub(crate) variant: Variant,
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
    pub(crate) fn of(spot: &Spot, path: &'static str, variant: Variant) -> Self {
        let index = WORKED_OUT.fetch_add(1, Ordering::Relaxed);
        let function = match (variant, spot.given) {
            (Variant::Text(text, _), _) => text.to_owned(),
            (_, "") => path::function(path).unwrap_or_else(|| spot.function.to_owned()),
            (_, given) => given.to_owned(),
        };
        let file = caller::in_package(spot.package, &spot.file.inside());
        let caller = variant.caller().map(|caller| {
            let file = caller::of_caller(caller.file(), spot);
            format!("{file}:{}", caller.line())
        });
        let name = match &caller {
            Some(caller) => fit(&format!("{function} {caller}")),
            None => text(&function, &file, spot),
        };
        Self {
            label: Label { name, function, module: spot.module, file, line: spot.line, column: spot.column, caller },
            kind: spot.kind,
            path,
            variant,
            index: usize::try_from(index).unwrap_or(usize::MAX),
            handle: Handle::default(),
            look: look(spot.module),
            pace: Pace::default(),
        }
    }

    /// The name of a launch in a test.
    #[cfg(test)]
    pub(crate) fn in_a_test(line: u32) -> &'static Self {
        Self::of(&Spot::in_a_test(line), "m::f::{{closure}}", Variant::None).leak()
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

/// Without NUL, which ends a name on the C side, or a new line, which breaks a row, and at most [`LONGEST`] bytes, cut between two characters.
fn fit(text: &str) -> String {
    let clean = text.replace(|c: char| c.is_control(), " ");
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
