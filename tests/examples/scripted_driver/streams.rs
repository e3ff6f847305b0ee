//! Streams, and what is put into them.

use std::ffi::c_int;

use crate::abi::{Done, Handle, INVALID_HANDLE, INVALID_VALUE, NOT_READY, Out, Status};
use crate::captures::{Kind, Node};
use crate::driver::{Driver, KERNEL_NS, OTHER_NS, driver, now, wait_until};
use crate::log::{call, thread_id};

/// The last handle of a default stream; 0 and 1 are the legacy one.
const PER_THREAD: Handle = 2;

/// A stream: handles of default streams mean another in each context, and the last of them in each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) context: Handle,
    pub(crate) handle: Handle,
    /// 0 for streams that threads share.
    thread: c_int,
}

impl Key {
    pub(crate) fn is_legacy(self) -> bool {
        self.handle < PER_THREAD
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    /// `CU_STREAM_NON_BLOCKING`: it has no part in what the legacy stream waits for.
    pub(crate) apart: bool,
    priority: i32,
    /// When it is through with what it has.
    pub(crate) free_at: u64,
    pub(crate) capture: Option<u64>,
}

impl Driver {
    pub(crate) fn key(&self, handle: Handle) -> Done<Key> {
        if handle <= PER_THREAD {
            let thread = if handle == PER_THREAD { thread_id() } else { 0 };
            return self.current().map(|context| Key { context, handle, thread });
        }
        self.streams.keys().find(|key| key.handle == handle).copied().ok_or(INVALID_HANDLE)
    }

    /// A default stream is there as soon as it is named.
    pub(crate) fn stream(&mut self, key: Key) -> &mut Stream {
        self.streams.entry(key).or_default()
    }

    /// Puts `node` into the stream, or into the graph that it is captured into; whether it was captured.
    pub(crate) fn submit(&mut self, key: Key, node: Node) -> Done<bool> {
        if let Some(capture) = self.capture_for(key)? {
            capture.push(key, node);
            return Ok(true);
        }
        self.run(key, &node);
        Ok(false)
    }

    pub(crate) fn run(&mut self, key: Key, node: &Node) {
        if let Some(work) = &node.work {
            work(self);
        }
        let took = match node.kind {
            Kind::Kernel => KERNEL_NS,
            Kind::Event => 0,
            Kind::Other => OTHER_NS,
        };
        let stream = self.stream(key);
        stream.free_at = stream.free_at.max(now()) + took;
        let free_at = stream.free_at;
        if let Some(event) = node.event {
            self.reach(event, free_at);
        }
    }
}

fn create(to: &Out<Handle>, flags: u32, priority: i32) -> Done {
    let mut driver = driver();
    let (context, handle) = (driver.current()?, driver.name());
    let key = Key { context, handle, thread: 0 };
    driver.streams.insert(key, Stream { apart: flags & 1 == 1, priority, ..Stream::default() });
    to.put(handle)
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamCreate(to: Out<Handle>, flags: u32) -> Status {
    call("cuStreamCreate", |_| create(&to, flags, 0))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamCreateWithPriority(to: Out<Handle>, flags: u32, priority: i32) -> Status {
    call("cuStreamCreateWithPriority", |_| create(&to, flags, priority))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) -> Status {
    call("cuCtxGetStreamPriorityRange", |_| {
        least.put_if_wanted(0);
        greatest.put_if_wanted(-5);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamDestroy_v2(stream: Handle) -> Status {
    call("cuStreamDestroy_v2", |told| {
        let mut driver = driver();
        let key = driver.key(stream)?;
        told.stream(key);
        if stream <= PER_THREAD {
            return Err(INVALID_HANDLE);
        }
        driver.streams.remove(&key);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamGetCtx(stream: Handle, context: Out<Handle>) -> Status {
    call("cuStreamGetCtx", |_| {
        let key = driver().key(stream)?;
        context.put(key.context)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamGetPriority(stream: Handle, priority: Out<i32>) -> Status {
    call("cuStreamGetPriority", |_| {
        let mut driver = driver();
        let key = driver.key(stream)?;
        priority.put(driver.stream(key).priority)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamQuery(stream: Handle) -> Status {
    call("cuStreamQuery", |_| {
        let mut driver = driver();
        let key = driver.key(stream)?;
        driver.check_not_capturing(key)?;
        if driver.stream(key).free_at <= now() { Ok(()) } else { Err(NOT_READY) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamSynchronize(stream: Handle) -> Status {
    call("cuStreamSynchronize", |told| {
        let free_at = {
            let mut driver = driver();
            let key = driver.key(stream)?;
            told.stream(key);
            driver.check_not_capturing(key)?;
            driver.stream(key).free_at
        };
        wait_until(free_at);
        Ok(())
    })
}

type HostFunction = extern "C" fn(usize);

/// The driver calls it from a thread of its own.
#[unsafe(no_mangle)]
extern "C" fn cuLaunchHostFunc(stream: Handle, function: Option<HostFunction>, data: usize) -> Status {
    call("cuLaunchHostFunc", |told| {
        let function = function.ok_or(INVALID_VALUE)?;
        let mut driver = driver();
        let key = driver.key(stream)?;
        let work = move |driver: &mut Driver| {
            let free_at = driver.stream(key).free_at;
            std::thread::spawn(move || {
                wait_until(free_at);
                function(data);
            });
        };
        let captured = driver.submit(key, Node::new(Kind::Other, work))?;
        told.stream(key).number("captured", captured);
        Ok(())
    })
}
