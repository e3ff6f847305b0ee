//! What the driver knows: one state behind one lock.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::abi::{Address, Done, Handle, HostAddress, INVALID_CONTEXT, INVALID_DEVICE};
use crate::captures::{Capture, Node};
use crate::contexts::{Context, Primary};
use crate::events::Event;
use crate::functions::{Function, Module};
use crate::graphs::Executable;
use crate::memory::Block;
use crate::streams::{Key, Stream};

/// How long a kernel takes.
pub(crate) const KERNEL_NS: u64 = 20_000;
/// How long anything else takes that a stream does.
pub(crate) const OTHER_NS: u64 = 1_000;

pub(crate) struct Driver {
    pub(crate) primaries: [Primary; 2],
    pub(crate) contexts: BTreeMap<Handle, Context>,
    pub(crate) streams: BTreeMap<Key, Stream>,
    pub(crate) events: BTreeMap<Handle, Event>,
    pub(crate) captures: BTreeMap<u64, Capture>,
    pub(crate) graphs: BTreeMap<Handle, Vec<Node>>,
    pub(crate) executables: BTreeMap<Handle, Executable>,
    pub(crate) modules: BTreeMap<Handle, Module>,
    pub(crate) functions: BTreeMap<Handle, Function>,
    pub(crate) memory: BTreeMap<Address, Block>,
    pub(crate) pinned: BTreeMap<HostAddress, Vec<u8>>,
    made: usize,
}

thread_local! {
    /// The contexts that the thread has entered and not left: it is in the last one.
    static ENTERED: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn driver() -> MutexGuard<'static, Driver> {
    static DRIVER: Mutex<Driver> = Mutex::new(Driver::NEW);
    DRIVER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread's contexts; none where its storage is gone.
pub(crate) fn entered<T: Default>(work: impl FnOnce(&mut Vec<Handle>) -> T) -> T {
    ENTERED.try_with(|entered| work(&mut entered.borrow_mut())).unwrap_or_default()
}

/// The devices' clock, which is the host's.
pub(crate) fn now() -> u64 {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(BEGAN.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Until the clock stands at `at`.
pub(crate) fn wait_until(at: u64) {
    std::thread::sleep(Duration::from_nanos(at.saturating_sub(now())));
}

impl Driver {
    const NEW: Self = Self {
        primaries: [Primary::NEW; 2],
        contexts: BTreeMap::new(),
        streams: BTreeMap::new(),
        events: BTreeMap::new(),
        captures: BTreeMap::new(),
        graphs: BTreeMap::new(),
        executables: BTreeMap::new(),
        modules: BTreeMap::new(),
        functions: BTreeMap::new(),
        memory: BTreeMap::new(),
        pinned: BTreeMap::new(),
        made: 0,
    };

    /// A handle, or an id, that nothing else had or will have.
    pub(crate) fn name(&mut self) -> Handle {
        self.made += 1;
        0x1000 + 0x10 * self.made
    }

    /// The context that the thread is in.
    pub(crate) fn current(&self) -> Done<Handle> {
        let last = entered(|entered| entered.last().copied());
        last.filter(|context| self.contexts.contains_key(context)).ok_or(INVALID_CONTEXT)
    }

    pub(crate) fn primary(&mut self, device: i32) -> Done<&mut Primary> {
        let index = usize::try_from(device).map_err(|_| INVALID_DEVICE)?;
        self.primaries.get_mut(index).ok_or(INVALID_DEVICE)
    }

    /// Ends the context, and all that is in it.
    pub(crate) fn end(&mut self, context: Handle) {
        self.contexts.remove(&context);
        self.streams.retain(|key, _| key.context != context);
        self.captures.retain(|_, capture| capture.origin.context != context);
        self.events.retain(|_, event| event.context != context);
        self.modules.retain(|_, module| module.context != context);
        self.functions.retain(|_, function| function.context != context);
        self.memory.retain(|_, block| block.context != context);
    }
}
