//! The path of a file inside its package, worked out in a constant: the folder of the checkout stays out of the binary.

/// Where the part that is the same in every checkout begins in `file`, which is what `file!()` gave.
///
/// Cargo hands the compiler a path relative to the workspace for its members (`relative` is the package's folder in
/// it), and an absolute one for crates of a registry or of git (`absolute` is the package's folder). What a build
/// script generated lies below `generated`. A path outside of all is cut to the file's name, unless it is relative
/// already.
#[must_use]
pub const fn start(file: &str, relative: &str, absolute: &str, generated: &str) -> usize {
    let file = file.as_bytes();
    if let Some(start) = below(file, generated.as_bytes()) {
        return start;
    }
    if let Some(start) = below(file, absolute.as_bytes()) {
        return start;
    }
    if let Some(start) = below(file, relative.as_bytes()) {
        return start;
    }
    if is_absolute(file) { last_part(file) } else { 0 }
}

/// The bytes of `text` from `start` on, as an array of its own: a slice would keep all of `text`.
#[must_use]
pub const fn copied<const N: usize>(text: &str, start: usize) -> [u8; N] {
    let text = text.as_bytes();
    let mut part = [0; N];
    let mut index = 0;
    while index < N {
        #[allow(clippy::indexing_slicing)] // in a constant, where a wrong index does not compile
        let byte = text[start + index];
        #[allow(clippy::indexing_slicing)] // as above
        {
            // One spelling on every system.
            part[index] = if byte == b'\\' { b'/' } else { byte };
        }
        index += 1;
    }
    part
}

/// Where the rest begins, if `file` lies in `folder`.
const fn below(file: &[u8], folder: &[u8]) -> Option<usize> {
    if folder.is_empty() || file.len() <= folder.len() + 1 {
        return None;
    }
    let mut index = 0;
    while index < folder.len() {
        #[allow(clippy::indexing_slicing)] // within both, by the lengths above
        if file[index] != folder[index] {
            return None;
        }
        index += 1;
    }
    #[allow(clippy::indexing_slicing)] // as above
    if is_separator(file[folder.len()]) { Some(folder.len() + 1) } else { None }
}

const fn is_absolute(file: &[u8]) -> bool {
    match file {
        [first, ..] if is_separator(*first) => true,
        [_, b':', ..] => true,
        _ => false,
    }
}

const fn last_part(file: &[u8]) -> usize {
    let mut index = file.len();
    while index > 0 {
        #[allow(clippy::indexing_slicing)] // within, by the condition
        if is_separator(file[index - 1]) {
            return index;
        }
        index -= 1;
    }
    0
}

const fn is_separator(byte: u8) -> bool {
    byte == b'/' || byte == b'\\'
}
