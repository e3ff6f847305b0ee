//! Many inputs, by number.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::check::{Fault, Outcome, check};
use crate::entropy::Entropy;
use crate::input::Input;
use crate::seeds::Seeds;

/// How many bytes decide an input. Longer ones would make longer functions, not other ones.
const BYTES: usize = 1024;

/// rustc expands on a stack of 8 MiB; the frames of a build without optimisation are larger.
const STACK: usize = 64 << 20;

/// Inputs that can be made again: number N of a seed is the same whenever, wherever and on how many threads.
#[derive(Clone, Copy, Debug)]
pub struct Run<'s> {
    /// Together with an input's number, decides what it is.
    pub seed: u64,
    /// How many inputs.
    pub inputs: u64,
    /// How many threads.
    pub threads: usize,
    /// Functions to change.
    pub seeds: &'s Seeds,
}

/// An input that shows a fault.
#[derive(Debug)]
pub struct Found {
    /// Which one.
    pub number: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What became of the inputs.
#[derive(Debug, Default)]
pub struct Report {
    /// How many there were.
    pub inputs: u64,
    /// Those that got an error and stayed.
    pub refused: u64,
    /// Those that stayed.
    pub untouched: u64,
    /// Functions with hooks.
    pub hooked: u64,
    /// The launches in these.
    pub launches: u64,
    /// `impl` blocks with methods that launch.
    pub blocks: u64,
    /// Inputs with a fault.
    pub faulty: u64,
    /// For each fault, by the beginning of its text, the first input that shows it.
    pub found: BTreeMap<String, Found>,
}

impl Run<'_> {
    /// Input number `number`.
    #[must_use]
    pub fn input(&self, number: u64) -> Input {
        let mut bytes = [0; BYTES];
        // Seeds that lie side by side give the generator states that do as well; the multiplication parts them.
        fastrand::Rng::with_seed(self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).fill(&mut bytes);
        Input::new(&mut Entropy::new(&bytes), self.seeds)
    }

    /// Makes the inputs and checks each.
    #[must_use]
    pub fn report(&self) -> Report {
        let _quiet = Quiet::new();
        let (next, whole) = (AtomicU64::new(0), Mutex::new(Report::default()));
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                let spawned = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
                    let part = self.part(&next);
                    if let Ok(mut whole) = whole.lock() {
                        whole.add(part);
                    }
                });
                drop(spawned);
            }
        });
        whole.into_inner().unwrap_or_default()
    }

    fn part(&self, next: &AtomicU64) -> Report {
        let mut report = Report::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.inputs {
                return report;
            }
            report.note(number, check(&self.input(number)));
        }
    }
}

impl Report {
    fn note(&mut self, number: u64, result: Result<Outcome, Fault>) {
        self.inputs += 1;
        match result {
            Ok(Outcome::Refused) => self.refused += 1,
            Ok(Outcome::Untouched) => self.untouched += 1,
            Ok(Outcome::Hooked(launches)) => {
                self.hooked += 1;
                self.launches += launches as u64;
            }
            Ok(Outcome::Block(_)) => self.blocks += 1,
            Err(fault) => {
                self.faulty += 1;
                // Numbers are those of launches and lines.
                let key = fault.to_string().chars().filter(|letter| !letter.is_numeric()).take(60).collect();
                self.found.entry(key).or_insert_with(|| Found { number, fault });
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.inputs += other.inputs;
        self.refused += other.refused;
        self.untouched += other.untouched;
        self.hooked += other.hooked;
        self.launches += other.launches;
        self.blocks += other.blocks;
        self.faulty += other.faulty;
        for (key, found) in other.found {
            let first = self.found.get(&key).is_none_or(|known| found.number < known.number);
            if first {
                self.found.insert(key, found);
            }
        }
    }
}

thread_local!(static PANIC: RefCell<Option<String>> = const { RefCell::new(None) });

/// Where the last panic of this thread was, and its text.
pub(crate) fn last_panic() -> Option<String> {
    PANIC.with(RefCell::take)
}

type Hook = Box<dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync>;

/// While it lives, panics are written down and not shown.
pub(crate) struct Quiet(Option<Hook>);

impl Quiet {
    pub(crate) fn new() -> Self {
        let former = panic::take_hook();
        panic::set_hook(Box::new(|info| PANIC.with(|last| *last.borrow_mut() = Some(info.to_string()))));
        Self(Some(former))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(former) = self.0.take() {
            panic::set_hook(former);
        }
    }
}
