//! Names: what a launch is called, worked out once for each site and instantiation.
//!
//! What of it is public are [symbols](symbol).

mod caller;
pub(crate) mod file;
mod frame;
mod path;
pub(crate) mod spot;
mod symbol;
mod terms;
pub(crate) mod texts;
mod variant;

use std::sync::atomic::{AtomicU64, Ordering};

pub use symbol::{Symbols, symbol};

pub(crate) use crate::config::Names;
#[cfg(feature = "kernels")]
pub(crate) use caller::by_layout;
#[cfg_attr(not(feature = "stack"), allow(unused_imports))] // nobody walks the stack
pub(crate) use caller::package_root;
pub(crate) use file::File;
pub(crate) use frame::Frame;
pub(crate) use spot::{By, Spot, Twin};
pub(crate) use terms::{naming, settle};
pub(crate) use texts::{Texts, beyond};
pub(crate) use variant::{Key, Variant};

use crate::hash::fnv1a;
use crate::nvtx::{Handle, Look};
use crate::pace::Pace;
use crate::parts::Parts;
pub(crate) use crate::record::Kind;
use crate::record::Label;
use terms::Known;

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
    pub(crate) category: &'static str,
    pub(crate) look: Look,
    /// What its launches may have of the parts that are on.
    pub(crate) allowed: Parts,
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
        let read = path::function(path);
        // What is shown of an argument may be nothing.
        let text = variant.text.filter(|text| text.contains(|c: char| !c.is_whitespace() && c != '\0'));
        let of_frame = variant.frame.filter(|_| spot.names() == Names::Stack);
        let function = match (text, spot.given) {
            (Some(text), _) => text.to_owned(),
            (None, given) if given.is_empty() || variant.text.is_some() => {
                read.clone().unwrap_or_else(|| spot.function.to_owned())
            }
            (None, given) => given.to_owned(),
        };
        let file = caller::in_package(spot.package, &spot.file.inside());
        let place = variant.caller.map(|caller| (caller::of_caller(caller.file(), spot), caller));
        let caller = place.as_ref().map(|(file, caller)| format!("{file}:{}", caller.line()));
        let seen = variant.frame.filter(|frame| !frame.is_nobody()).map(|frame| (frame.file(spot), frame));
        let caller = match &seen {
            Some((file, frame)) if frame.has_place() => Some(format!("{file}:{}", frame.line)),
            Some((_, frame)) => Some(frame.function.clone().into_owned()),
            None => caller,
        };
        // A name that is given stands for whichever function.
        let shown = of_frame.filter(|_| text.is_none() && spot.given.is_empty()).map(|frame| &*frame.function);
        let types_of = shown.or(read.as_deref()).unwrap_or_default();
        let mut known = Known {
            function: shown.unwrap_or(&function),
            types: &path::types(types_of),
            module: spot.module,
            file: &file,
            line: spot.line,
            column: spot.column,
            kernel: variant.kernel.unwrap_or_default(),
            caller: caller.as_deref().unwrap_or_default(),
            twin: spot.twin,
            has_place: true,
        };
        if let Some((file, caller)) = &place {
            (known.file, known.line, known.column, known.twin) = (file, caller.line(), caller.column(), Twin::None);
        }
        if let Some((file, frame)) = &seen {
            known.twin = Twin::None;
            known.has_place = frame.has_place();
            (known.file, known.line, known.column) = (file, frame.line, frame.column);
        }
        let name = fit(&known.name(naming()));
        let category = if spot.category.is_empty() { spot.module } else { spot.category };
        Self {
            label: Label { name, function, module: spot.module, file, line: spot.line, column: spot.column, caller },
            kind: spot.kind,
            path,
            variant,
            index: usize::try_from(index).unwrap_or(usize::MAX),
            handle: Handle::default(),
            category,
            look: look(category, spot.color),
            allowed: naming().filter.of(&format!("{}::{}", spot.module, spot.function)),
            pace: Pace::default(),
        }
    }

    /// The name of a launch in a test.
    #[cfg(test)]
    pub(crate) fn in_a_test(line: u32) -> &'static Self {
        Self::of(&Spot::in_a_test(line), "m::f::{{closure}}", Variant::NONE).leak()
    }

    pub(crate) fn leak(self) -> &'static Self {
        Box::leak(Box::new(self))
    }
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

/// A number for each category, and a colour for each unless one is given: the same in every run, with no table to share.
fn look(category: &str, color: Option<u32>) -> Look {
    const OPAQUE: u32 = 0xff00_0000;
    let hash = fnv1a(category.bytes());
    let hue = usize::try_from(hash >> 8).map_or(0, |hash| hash % PALETTE.len());
    Look {
        // 0 is NVTX's "no category".
        category: hash.max(1),
        argb: color.map_or_else(|| PALETTE.get(hue).copied().unwrap_or(0xff76_b900), |rgb| rgb | OPAQUE),
    }
}

#[cfg(test)]
mod tests;
