//! The walk itself, in the steady state: two reads and a look-up for each frame.

#![allow(unsafe_code)] // registers, and the thread's own stack

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use super::Sought;
use super::rules::Rule;
use super::trail::Trail;
use crate::name::Frame;
use crate::site::Search;

/// So many frames are looked at. What lies deeper is the recursion of a library.
pub(super) const DEEPEST: usize = 256;
/// So many stacks are remembered; a thread that has more forgets all and begins again.
const MOST: usize = 1 << 15;

/// Where a frame stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    pub(super) ip: usize,
    pub(super) sp: usize,
    pub(super) fp: usize,
}

impl Registers {
    /// Those of the function that this is inlined into.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "of a function of its own they would be gone when it returns")]
    fn here() -> Self {
        let (ip, sp, fp): (usize, usize, usize);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: copies three registers and changes nothing else.
        unsafe {
            std::arch::asm!(
                "lea {ip}, [rip]", "mov {sp}, rsp", "mov {fp}, rbp",
                ip = out(reg) ip, sp = out(reg) sp, fp = out(reg) fp,
                options(nomem, nostack, preserves_flags),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: copies three registers and changes nothing else.
        unsafe {
            std::arch::asm!(
                "adr {ip}, .", "mov {sp}, sp", "mov {fp}, x29",
                ip = out(reg) ip, sp = out(reg) sp, fp = out(reg) fp,
                options(nomem, nostack, preserves_flags),
            );
        }
        Self { ip, sp, fp }
    }
}

/// From the present frame to the end of the thread's stack.
#[derive(Clone, Debug)]
pub(super) struct Stack(Range<usize>);

impl Stack {
    /// Such a part of the thread's.
    #[cfg(test)]
    pub(super) fn of(part: Range<usize>) -> Self {
        Self(part)
    }

    /// A word of it; nothing where it does not lie in it.
    #[inline]
    pub(super) fn word(&self, at: usize) -> Option<usize> {
        let lies = at >= self.0.start && at < self.0.end && self.0.end - at >= size_of::<usize>();
        let aligned = at.is_multiple_of(align_of::<usize>());
        // SAFETY: between the frame of a function that runs and the end of the thread's own stack all is mapped, and
        // nobody else writes to it.
        (lies && aligned).then(|| unsafe { std::ptr::with_exposed_provenance::<usize>(at).read_volatile() })
    }

    /// The thread's, from its lowest address to its end. `None` where the system does not tell.
    fn of_thread() -> Option<Range<usize>> {
        let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
        // SAFETY: takes nothing and cannot fail.
        let thread = unsafe { libc::pthread_self() };
        // SAFETY: the thread is this one, and what is written is as large as it is to be.
        if unsafe { libc::pthread_getattr_np(thread, attributes.as_mut_ptr()) } != 0 {
            return None;
        }
        let (mut lowest, mut size) = (std::ptr::null_mut(), 0);
        // SAFETY: filled above; both are written.
        let told = unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut size) } == 0;
        // SAFETY: filled above, and not used any more.
        unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
        told.then(|| lowest.addr()..lowest.addr().saturating_add(size))
    }
}

/// What a stack is known for, as far as it has been walked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The frame is nobody's that is shown.
    On(Rule),
    /// What is shown, or that nothing is known.
    End(Option<&'static Frame>),
}

thread_local! {
    static WALKER: RefCell<Walker> = RefCell::new(Walker::default());
}

/// The frame that is looked for. Nothing where the stack does not tell, or the thread is ending.
#[inline]
pub(super) fn frame(sought: &Sought) -> Option<&'static Frame> {
    WALKER.try_with(|walker| walker.try_borrow_mut().ok().and_then(|mut walker| walker.frame(sought))).ok().flatten()
}

#[derive(Default)]
struct Walker {
    /// Asked for once; empty where the system does not tell.
    stack: Option<Range<usize>>,
    steps: HashMap<u64, Step, BuildHasherDefault<Mixed>>,
}

impl Walker {
    // With a frame of its own, which is the first of the walk.
    #[inline(never)]
    fn frame(&mut self, sought: &Sought) -> Option<&'static Frame> {
        let start = Registers::here();
        let stack = self.stack.get_or_insert_with(|| Stack::of_thread().unwrap_or_default());
        // A coroutine's stack is one that nobody has told the end of.
        if !stack.contains(&start.sp) {
            return None;
        }
        let stack = Stack(start.sp..stack.end);
        let (mut key, mut at) = (sought.seed(), start);
        for _ in 0..DEEPEST {
            key = mixed(key, at.ip);
            match self.steps.get(&key) {
                Some(Step::On(rule)) => at = rule.leave(at, &stack)?,
                Some(Step::End(frame)) => return *frame,
                None => return self.learn(sought, start, &stack),
            }
        }
        None
    }

    /// Works out what the stack is known for, from its beginning on.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, sought: &Sought, start: Registers, stack: &Stack) -> Option<&'static Frame> {
        let mut trail = Trail::new(start, stack);
        let shown = trail.shown(sought)?;
        if self.steps.len() + trail.rules().len() > MOST {
            self.steps.clear();
        }
        let mut key = sought.seed();
        for (ip, rule) in trail.rules() {
            key = mixed(key, *ip);
            self.steps.insert(key, rule.map_or(Step::End(shown), Step::On));
        }
        shown
    }
}

impl Sought {
    /// Stacks are remembered by what was looked for in them.
    fn seed(&self) -> u64 {
        let seed = mixed(self.search as u64, std::ptr::from_ref(self.site).addr());
        if self.search == Search::User {
            return seed;
        }
        let caller = self.caller.map_or(0, |caller| std::ptr::from_ref(caller).addr());
        mixed(mixed(seed, caller), self.instance as usize)
    }
}

#[inline]
fn mixed(key: u64, word: usize) -> u64 {
    // The upper bits of the product depend on all; they come down, where tables look first.
    ((key ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(29)
}

/// A hash of what is one already.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
