//! Sets of fields, each kept once, and the one that holds on a thread.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write};
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use once_cell::race::OnceBox;

use super::{Fields, Value};
use crate::hash::fnv1a;

/// So many sets are kept. They may be in records that wait, and in sinks: nobody knows when one is used no more.
const MOST: usize = 32_768;
/// Twice as many places, so that a search ends soon; the number of each fits into two bytes.
const PLACES: usize = 2 * MOST - 1;

/// Names and values, and the text that tells the set from others: they are in one order in both.
#[derive(Debug)]
pub(super) struct Set {
    text: String,
    pairs: Vec<(&'static str, Value)>,
}

/// Where a set is kept, counted from 1: a fourth of what a pointer takes, since each record has one on its way.
pub(super) type Place = NonZeroU16;

pub(super) fn pairs(place: Place) -> &'static [(&'static str, Value)] {
    let at = usize::from(place.get() - 1);
    let set = PLACED.get().and_then(|places| places.get(at)?.get());
    set.map_or(&[], |set| &set.pairs)
}

/// A value that is not kept yet.
#[derive(Clone, Copy)]
pub enum Given<'v> {
    /// A `bool`.
    Bool(bool),
    /// An integer.
    Signed(i64),
    /// An integer.
    Unsigned(u64),
    /// A number.
    Float(f64),
    /// Anything else, by what it shows.
    Shown(&'v dyn fmt::Display),
}

impl fmt::Debug for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Signed(value) => value.fmt(f),
            Self::Unsigned(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Shown(value) => value.fmt(f),
        }
    }
}

impl Given<'_> {
    /// What kind it is, and what tells it from others of its kind.
    fn describe(&self, text: &mut String) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(text, "b{value}"),
            Self::Signed(value) => write!(text, "i{value}"),
            Self::Unsigned(value) => write!(text, "u{value}"),
            Self::Float(value) => write!(text, "f{:x}", value.to_bits()),
            Self::Shown(value) => write!(text, "t{value}"),
        }
    }

    fn keep(&self) -> Value {
        match self {
            Self::Bool(value) => Value::Bool(*value),
            Self::Signed(value) => Value::Signed(*value),
            Self::Unsigned(value) => Value::Unsigned(*value),
            Self::Float(value) => Value::Float(*value),
            Self::Shown(value) => Value::Text(value.to_string()),
        }
    }

    fn of(value: &Value) -> Given<'_> {
        match value {
            Value::Bool(value) => Given::Bool(*value),
            Value::Signed(value) => Given::Signed(*value),
            Value::Unsigned(value) => Given::Unsigned(*value),
            Value::Float(value) => Given::Float(*value),
            Value::Text(value) => Given::Shown(value),
        }
    }
}

type Pair<'v> = (&'static str, Given<'v>);

/// Fields that are added to others.
#[derive(Clone, Copy)]
enum Added<'v> {
    Given(&'v [Pair<'v>]),
    Kept(&'static [(&'static str, Value)]),
}

impl<'v> Added<'v> {
    fn at(self, index: usize) -> Option<Pair<'v>> {
        match self {
            Self::Given(given) => given.get(index).copied(),
            Self::Kept(kept) => kept.get(index).map(|(key, value)| (*key, Given::of(value))),
        }
    }

    fn from(self, index: usize) -> impl Iterator<Item = Pair<'v>> {
        (index..).map_while(move |index| self.at(index))
    }
}

static PLACED: OnceBox<Vec<OnceBox<Set>>> = OnceBox::new();
static KEPT: AtomicUsize = AtomicUsize::new(0);
static BEYOND: AtomicU64 = AtomicU64::new(0);

/// How often fields were left out, for want of room or because one could not be shown.
pub(crate) fn beyond() -> u64 {
    BEYOND.load(Ordering::Relaxed)
}

thread_local! {
    static CURRENT: Cell<Fields> = const { Cell::new(Fields::NONE) };
    /// Pairs that were joined of late, and what became of them: a function's own mostly meet the same of its thread.
    static JOINED: RefCell<[[Fields; 3]; 16]> = const { RefCell::new([[Fields::NONE; 3]; 16]) };
    /// Where texts are made, to be compared with those that are kept.
    static MADE: RefCell<String> = const { RefCell::new(String::new()) };
}

#[inline]
pub(super) fn current() -> Fields {
    CURRENT.try_with(Cell::get).unwrap_or_default()
}

#[inline]
pub(super) fn replace(fields: Fields) -> Fields {
    CURRENT.try_with(|current| current.replace(fields)).unwrap_or_default()
}

impl Fields {
    /// These, and `given`: of two with one name the given one. These alone where a value cannot be shown, or there is no room.
    pub(crate) fn and(self, given: &[Pair<'_>]) -> Self {
        if given.is_empty() { self } else { self.with(Added::Given(given)) }
    }

    fn with(self, added: Added<'_>) -> Self {
        let made = MADE.try_with(|buffer| {
            // Taken, in the place of a loan: a value may launch something of its own while it is shown.
            let mut text = buffer.take();
            text.clear();
            // What a value's own code does must not become what the program does.
            let shown = catch_unwind(AssertUnwindSafe(|| {
                describe(self, added, &mut text).ok()?;
                find(&text, || joined(self, added).map(|(key, value)| (key, value.keep())).collect())
            }));
            buffer.replace(text);
            shown.unwrap_or_else(|panic| {
                std::mem::forget(panic);
                None
            })
        });
        if let Some(place) = made.ok().flatten() {
            return Self { place: Some(place) };
        }
        BEYOND.fetch_add(1, Ordering::Relaxed);
        self
    }

    /// These, and `others`, as [`and`](Self::and) has it.
    #[inline]
    pub(crate) fn join(self, others: Self) -> Self {
        match (self.place, others.place) {
            (_, None) => self,
            (None, _) => others,
            _ => self.joined(others),
        }
    }

    #[cold]
    fn joined(self, others: Self) -> Self {
        let number = |fields: Self| fields.place.map_or(0, NonZeroU16::get);
        let at = usize::from((number(self) ^ number(others).rotate_left(2)) % 16);
        let known = JOINED.try_with(|joined| joined.borrow().get(at).copied()).ok().flatten().unwrap_or_default();
        if let [first, second, known] = known
            && first.place == self.place
            && second.place == others.place
        {
            return known;
        }
        let joined = self.with(Added::Kept(others.pairs()));
        // Without the thread's own storage it is worked out each time.
        let _ = JOINED.try_with(|all| {
            if let Some(place) = all.borrow_mut().get_mut(at) {
                *place = [self, others, joined];
            }
        });
        joined
    }
}

/// The fields that hold, without those that are added anew, and those: of several with one name the last.
fn joined(fields: Fields, added: Added<'_>) -> impl Iterator<Item = Pair<'_>> {
    let comes = move |key: &str, from: usize| added.from(from).any(|(other, _)| other == key);
    let kept = fields.pairs().iter().filter(move |(key, _)| !comes(key, 0));
    let last = added.from(0).enumerate().filter(move |(at, (key, _))| !comes(key, at + 1));
    kept.map(|(key, value)| (*key, Given::of(value))).chain(last.map(|(_, pair)| pair))
}

/// No two sets have one text: behind each value stands how long it is, from its own end backwards.
fn describe(fields: Fields, added: Added<'_>, text: &mut String) -> fmt::Result {
    for (key, value) in joined(fields, added) {
        write!(text, "{key}=")?;
        let start = text.len();
        value.describe(text)?;
        write!(text, "\0{};", text.len() - start)?;
    }
    Ok(())
}

/// Nobody waits: threads that bring the same text at the same time find one place, and the first one's set is kept.
fn find(text: &str, pairs: impl Fn() -> Vec<(&'static str, Value)>) -> Option<Place> {
    let places = PLACED.get_or_init(|| Box::new((0..PLACES).map(|_| OnceBox::new()).collect()));
    let first = usize::try_from(fnv1a(text.bytes())).unwrap_or(0);
    for step in 0..PLACES {
        let at = (first + step) % PLACES;
        let place = places.get(at)?;
        if place.get().is_none() {
            let full = KEPT.fetch_add(1, Ordering::Relaxed) >= MOST;
            if full || place.set(Box::new(Set { text: text.to_owned(), pairs: pairs() })).is_err() {
                KEPT.fetch_sub(1, Ordering::Relaxed);
            }
        }
        let kept = place.get()?;
        if kept.text == text {
            return Place::new(u16::try_from(at).ok()? + 1);
        }
    }
    None
}
