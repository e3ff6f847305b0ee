//! Contexts: a primary one for each device, and others.

use crate::abi::{Done, Handle, HostAddress, INVALID_CONTEXT, Out, Status};
use crate::devices::device;
use crate::driver::{driver, entered, wait_until};
use crate::log::call;

#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) device: i32,
    /// Another in each life of a primary context.
    pub(crate) id: u64,
}

/// A device's primary context: there while it has users, always by the same handle.
#[derive(Clone, Debug)]
pub(crate) struct Primary {
    users: u32,
    handle: Handle,
}

impl Primary {
    pub(crate) const NEW: Self = Self { users: 0, handle: 0 };
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRetain(context: Out<Handle>, ordinal: i32) -> Status {
    call("cuDevicePrimaryCtxRetain", |_| {
        let mut driver = driver();
        let (fresh, id) = (driver.name(), driver.name());
        let primary = driver.primary(ordinal)?;
        if primary.handle == 0 {
            primary.handle = fresh;
        }
        primary.users += 1;
        let (handle, users) = (primary.handle, primary.users);
        if users == 1 {
            driver.contexts.insert(handle, Context { device: ordinal, id: id as u64 });
        }
        context.put(handle)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(ordinal: i32) -> Status {
    call("cuDevicePrimaryCtxRelease_v2", |_| {
        let mut driver = driver();
        let primary = driver.primary(ordinal)?;
        primary.users = primary.users.checked_sub(1).ok_or(INVALID_CONTEXT)?;
        if primary.users == 0 {
            let handle = primary.handle;
            driver.end(handle);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxGetState(ordinal: i32, flags: Out<u32>, active: Out<i32>) -> Status {
    call("cuDevicePrimaryCtxGetState", |_| {
        let users = driver().primary(ordinal)?.users;
        flags.put_if_wanted(0);
        active.put(i32::from(users > 0))
    })
}

fn create(context: &Out<Handle>, ordinal: i32) -> Done {
    let mut driver = driver();
    let (handle, id) = (driver.name(), driver.name());
    driver.contexts.insert(handle, Context { device: device(ordinal)?, id: id as u64 });
    entered(|entered| entered.push(handle));
    context.put(handle)
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxCreate_v2(context: Out<Handle>, _flags: u32, ordinal: i32) -> Status {
    call("cuCtxCreate_v2", |_| create(&context, ordinal))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxCreate_v4(context: Out<Handle>, _parameters: HostAddress, _flags: u32, ordinal: i32) -> Status {
    call("cuCtxCreate_v4", |_| create(&context, ordinal))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxDestroy_v2(context: Handle) -> Status {
    call("cuCtxDestroy_v2", |_| {
        let mut driver = driver();
        if !driver.contexts.contains_key(&context) || driver.primaries.iter().any(|one| one.handle == context) {
            return Err(INVALID_CONTEXT);
        }
        driver.end(context);
        // Only this thread leaves it: others stay in what is gone.
        entered(|entered| entered.pop_if(|last| *last == context));
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetCurrent(context: Out<Handle>) -> Status {
    // Also one that is gone.
    call("cuCtxGetCurrent", |_| context.put(entered(|entered| entered.last().copied()).unwrap_or(0)))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: Handle) -> Status {
    call("cuCtxSetCurrent", |told| {
        told.number("context", context);
        if context != 0 && !driver().contexts.contains_key(&context) {
            return Err(INVALID_CONTEXT);
        }
        entered(|entered| {
            entered.pop();
            entered.extend((context != 0).then_some(context));
        });
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> Status {
    call("cuCtxPushCurrent_v2", |_| {
        if !driver().contexts.contains_key(&context) {
            return Err(INVALID_CONTEXT);
        }
        entered(|entered| entered.push(context));
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxPopCurrent_v2(context: Out<Handle>) -> Status {
    call("cuCtxPopCurrent_v2", |_| {
        let left = entered(Vec::pop).ok_or(INVALID_CONTEXT)?;
        context.put_if_wanted(left);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetDevice(to: Out<i32>) -> Status {
    call("cuCtxGetDevice", |_| {
        let driver = driver();
        let context = driver.contexts.get(&driver.current()?).ok_or(INVALID_CONTEXT)?;
        to.put(context.device)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetId(context: Handle, id: Out<u64>) -> Status {
    call("cuCtxGetId", |_| {
        let driver = driver();
        let context = if context == 0 { driver.current()? } else { context };
        id.put(driver.contexts.get(&context).ok_or(INVALID_CONTEXT)?.id)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSynchronize() -> Status {
    call("cuCtxSynchronize", |_| {
        let ends = {
            let mut driver = driver();
            let context = driver.current()?;
            driver.check_safe()?;
            let own = driver.streams.iter().filter(|(key, _)| key.context == context);
            own.map(|(_, stream)| stream.free_at).max()
        };
        wait_until(ends.unwrap_or(0));
        Ok(())
    })
}
