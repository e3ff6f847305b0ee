//! The path of a file inside its package, worked out in a constant: the folder of the checkout stays out of the binary.

/// So many bytes of a path are kept; of a longer one its end. Room for the path by value costs the compiler half of what
/// an array made to measure does, which is an item of its own with a length of its own.
const ROOM: usize = 120;
/// In front of the end of a path that is longer.
const CUT: &[u8] = b"...";

/// A file, as it is known in every checkout.
#[derive(Clone, Copy)]
pub struct File {
    bytes: [u8; ROOM],
    length: u8,
    /// Where the part inside the package begins; in front of it stands the package's folder, as far as it is known.
    inside: u8,
}

impl File {
    /// The file that `file!()` gave, without what another checkout would have in another way.
    ///
    /// Cargo hands the compiler a path relative to the workspace for its members (`relative` is the package's folder in
    /// it), and an absolute one for crates of a registry or of git (`absolute` is the package's folder). What a build
    /// script generated lies below `generated`. A path outside of all is cut to the file's name, unless it is relative
    /// already.
    #[must_use]
    pub const fn of(file: &str, relative: &str, absolute: &str, generated: &str) -> Self {
        let start = start(file, relative, absolute, generated);
        let file = file.as_bytes();
        // Nothing of an absolute folder, which is a build machine's business.
        let from = if is_absolute(file) || file.len() > ROOM { start } else { 0 };
        let mut this = Self { bytes: [0; ROOM], length: 0, inside: 0 };
        if file.len() - from > ROOM {
            this.copy(CUT, 0);
            this.copy(file, file.len() - (ROOM - CUT.len()));
        } else {
            this.copy(file, from);
            #[allow(clippy::cast_possible_truncation)] // within the room
            {
                this.inside = (start - from) as u8;
            }
        }
        this
    }

    /// Behind what is there, the bytes of `text` from `from` on.
    const fn copy(&mut self, text: &[u8], from: usize) {
        let mut index = from;
        while index < text.len() {
            #[allow(clippy::indexing_slicing)] // in a constant, where a wrong index does not compile
            {
                // One spelling on every system.
                self.bytes[self.length as usize] = if text[index] == b'\\' { b'/' } else { text[index] };
            }
            self.length += 1;
            index += 1;
        }
    }

    /// The path inside the package.
    pub(super) fn inside(&self) -> String {
        self.part(self.inside, self.length)
    }

    /// Whether `path`, as the compiler gave it, may be that of this file: it ends in what is known of it.
    #[cfg(feature = "kernels")]
    pub(crate) fn ends(&self, path: &str) -> bool {
        let known = self.bytes.get(self.inside.into()..self.length.into()).unwrap_or_default();
        path.as_bytes().ends_with(known.strip_prefix(CUT).unwrap_or(known))
    }

    /// The package's folder, with a separator at its end, where the compiler runs in a folder around it.
    pub(super) fn folder(&self) -> String {
        self.part(0, self.inside)
    }

    fn part(&self, from: u8, to: u8) -> String {
        let bytes = self.bytes.get(from.into()..to.into()).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("File").field("inside", &self.inside()).finish_non_exhaustive()
    }
}

/// Where the part that is the same in every checkout begins.
const fn start(file: &str, relative: &str, absolute: &str, generated: &str) -> usize {
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

pub(super) const fn is_absolute(file: &[u8]) -> bool {
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
