//! How a frame is left: what `.eh_frame` says of an address.

#![allow(unsafe_code)] // the program's own tables, where the loader put them

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::path::PathBuf;

use addr2line::gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, NativeEndian, Pointer, Register, RegisterRule, UnwindContext,
    UnwindSection, UnwindTableRow,
};

use super::walk::{Registers, Stack};

/// Where the frame of the caller is, and what it needs. All of it lies behind the frame's end, which is the caller's `sp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The end counts from the frame pointer, or from the stack's.
    by_fp: bool,
    end: i32,
    /// Where the caller's frame pointer is kept, from the end; it is still there without.
    fp: Option<i32>,
    /// Where the address is kept that it returns to, from the end.
    ip: i32,
}

/// What is known of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    By(Rule),
    /// It is the first function of the thread.
    Nowhere,
    /// There is no rule, or one that is not understood.
    Unknown,
}

impl Rule {
    /// The caller's registers; `None` where they cannot be those.
    #[inline]
    pub(super) fn leave(&self, at: Registers, stack: &Stack) -> Option<Registers> {
        let from = if self.by_fp { at.fp } else { at.sp };
        let end = offset(from, self.end)?;
        // Frames lie behind each other: nothing that is read twice, and no circle.
        if end <= at.sp {
            return None;
        }
        let ip = stack.word(offset(end, self.ip)?)?;
        let fp = match self.fp {
            Some(kept) => stack.word(offset(end, kept)?)?,
            None => at.fp,
        };
        Some(Registers { ip, sp: end, fp })
    }
}

#[inline]
fn offset(from: usize, by: i32) -> Option<usize> {
    from.checked_add_signed(isize::try_from(by).ok()?)
}

/// Stack pointer, frame pointer, and the address that is returned to.
#[cfg(target_arch = "x86_64")]
const NUMBERS: [Register; 3] = [Register(7), Register(6), Register(16)];
#[cfg(target_arch = "aarch64")]
const NUMBERS: [Register; 3] = [Register(31), Register(29), Register(30)];

/// The program, or a library of it, that an address lies in.
#[derive(Clone, Debug)]
pub(super) struct Module {
    /// Empty for the program itself.
    pub(super) file: PathBuf,
    /// What is added to the file's own addresses.
    pub(super) base: usize,
    index: Option<Index>,
}

/// `.eh_frame_hdr`, and what is mapped around it: `.eh_frame` is read there, and nowhere else.
#[derive(Clone, Debug)]
struct Index {
    start: usize,
    length: usize,
    segment: Range<usize>,
}

impl Module {
    /// The one around `address`. Takes the loader's lock for as long.
    pub(super) fn around(address: usize) -> Option<Self> {
        let mut search = (address, None);
        // SAFETY: the function is one of this signature, and `search` is there for as long as the call takes.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
        search.1
    }

    /// How the frame of the function around `address` is left there.
    pub(super) fn leaving(&self, address: usize) -> Leaving {
        self.row(address).unwrap_or(Leaving::Unknown)
    }

    fn row(&self, address: usize) -> Option<Leaving> {
        let Index { start, length, segment } = self.index.clone()?;
        if segment.end.checked_sub(start)? < length {
            return None;
        }
        // SAFETY: mapped and never written for as long as the module is there, and a function of it is on the stack.
        let header = unsafe { bytes(start, length) };
        let bases = BaseAddresses::default().set_eh_frame_hdr(start as u64);
        let header = EhFrameHdr::new(header, NativeEndian).parse(&bases, 8).ok()?;
        let Pointer::Direct(table) = header.eh_frame_ptr() else { return None };
        let table_start = usize::try_from(table).ok()?;
        if !segment.contains(&table_start) {
            return None;
        }
        // SAFETY: as above: in the same segment, to the end of which it is read; it has an end of its own.
        let table_bytes = unsafe { bytes(table_start, segment.end - table_start) };
        let bases = bases.set_eh_frame(table);
        let mut frames = EhFrame::new(table_bytes, NativeEndian);
        frames.set_address_size(8);
        let described = header.table()?.fde_for_address(&frames, &bases, address as u64, EhFrame::cie_from_offset);
        let described = described.ok()?;
        // What is interrupted is not behind a call.
        if described.is_signal_trampoline() {
            return None;
        }
        let mut context = UnwindContext::new();
        let row = described.unwind_info_for_address(&frames, &bases, &mut context, address as u64).ok()?;
        read(row)
    }
}

fn read(row: &UnwindTableRow<usize>) -> Option<Leaving> {
    let [sp, fp, ip] = NUMBERS;
    let ip = match row.register(ip) {
        Some(RegisterRule::Undefined) => return Some(Leaving::Nowhere),
        Some(RegisterRule::Offset(kept)) => i32::try_from(kept).ok()?,
        _ => return None,
    };
    let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
    let by_fp = *register == fp;
    if !by_fp && *register != sp {
        return None;
    }
    let fp = match row.register(fp) {
        None | Some(RegisterRule::SameValue | RegisterRule::Undefined) => None,
        Some(RegisterRule::Offset(kept)) => Some(i32::try_from(kept).ok()?),
        Some(_) => return None,
    };
    Some(Leaving::By(Rule { by_fp, end: i32::try_from(*offset).ok()?, fp, ip }))
}

/// # Safety
/// All of it is mapped, and not written to, for as long as it is used.
unsafe fn bytes<'m>(start: usize, length: usize) -> &'m [u8] {
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(start), length) }
}

/// Called by the loader for each module, until one is the right one.
extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: what `around` gave, which nobody else has.
    let Some((address, found)) = (unsafe { search.cast::<(usize, Option<Module>)>().as_mut() }) else { return 1 };
    // SAFETY: the loader's own, for as long as this call takes.
    let Some(info) = (unsafe { info.as_ref() }) else { return 0 };
    if info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: so many headers stand there.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    *found = module(info, headers, *address);
    c_int::from(found.is_some())
}

#[allow(clippy::cast_possible_truncation, reason = "addresses of this process")]
fn module(info: &libc::dl_phdr_info, headers: &[libc::Elf64_Phdr], address: usize) -> Option<Module> {
    let base = info.dlpi_addr as usize;
    let at = |header: &libc::Elf64_Phdr| base.wrapping_add(header.p_vaddr as usize);
    let holds = |header: &&libc::Elf64_Phdr, address: usize| {
        header.p_type == libc::PT_LOAD && address.wrapping_sub(at(header)) < header.p_memsz as usize
    };
    headers.iter().find(|header| holds(header, address))?;
    let index = headers.iter().find(|header| header.p_type == libc::PT_GNU_EH_FRAME);
    let index = index.and_then(|index| {
        let around = headers.iter().find(|header| holds(header, at(index)))?;
        let segment = at(around)..at(around) + around.p_filesz as usize;
        Some(Index { start: at(index), length: index.p_memsz as usize, segment })
    });
    // SAFETY: a text of the loader's, for as long as the module is there.
    let name = (!info.dlpi_name.is_null()).then(|| unsafe { CStr::from_ptr(info.dlpi_name) });
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Some(Module { file: name.into(), base, index })
}
