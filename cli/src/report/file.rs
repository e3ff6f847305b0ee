//! The file, before SQLite looks at it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::{Result, Unreadable};

/// What every SQLite file begins with (<https://sqlite.org/fileformat2.html>, as are the journals).
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The length of what comes before the first table.
const HEADER: usize = 100;
/// What a rollback journal begins with as long as it has to be played back.
const HOT_JOURNAL: &[u8] = &[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// # Errors
/// There is no regular file.
pub(super) fn check_is_there(path: &Path) -> Result<()> {
    let kind = fs::metadata(path).map_err(why)?.file_type();
    match kind {
        _ if kind.is_dir() => Err(Unreadable("a folder, not a report".into())),
        // One that cannot be read twice, and may never end.
        _ if !kind.is_file() => Err(Unreadable("not a regular file".into())),
        _ => Ok(()),
    }
}

/// # Errors
/// It cannot be read, is no SQLite file, is too short, or a part of it is in a journal.
pub(super) fn check_is_whole(path: &Path) -> Result<()> {
    let header = beginning(path, HEADER).map_err(why)?;
    if header.is_empty() {
        return Err(Unreadable("empty".into()));
    }
    if !header.starts_with(MAGIC) {
        return Err(Unreadable("no SQLite file; `nsys export --type sqlite` makes one of a report".into()));
    }
    let (is, should_be) = (fs::metadata(path).map_err(why)?.len(), length(&header));
    if should_be.is_some_and(|should_be| is < should_be) {
        return Err(Unreadable("not all of it: the file is shorter than it says".into()));
    }
    // SQLite looks for journals where the file itself is.
    let file = fs::canonicalize(path).map_err(why)?;
    let beside = |ending: &str| {
        let mut name = OsString::from(&file);
        name.push(ending);
        // What is not there, or not ours to read, says nothing.
        beginning(Path::new(&name), HOT_JOURNAL.len()).unwrap_or_default()
    };
    if !beside("-wal").is_empty() || beside("-journal") == HOT_JOURNAL {
        return Err(Unreadable("still being written: a part of it is in the journal beside it".into()));
    }
    Ok(())
}

/// How long a file with this header has to be, where the header says so. SQLite itself takes what is missing of the last
/// page for zeros.
fn length(header: &[u8]) -> Option<u64> {
    let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let (page, pages) = (u16::from_be_bytes(header.get(16..18)?.try_into().ok()?), number(28)?);
    let page = if page == 1 { 1 << 16 } else { u64::from(page) };
    // Old versions left the count as it was: it holds for the change that it was written with.
    (number(24)? == number(92)?).then_some(page * u64::from(pages))
}

/// The first bytes of a file, at most `length`.
fn beginning(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn why(error: io::Error) -> Unreadable {
    Unreadable(match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    })
}

/// The address by which SQLite opens `path` as a file that nobody changes (<https://sqlite.org/uri.html>).
pub(super) fn uri(path: &Path) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        // Separators as well: two of them at the beginning would be a host's.
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(char::from(*byte)),
            _ => uri.extend(['%', digit(byte >> 4), digit(byte & 0xf)]),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
