//! Modules and the kernels in them.

use std::ffi::{CString, c_char};
use std::sync::Arc;

use crate::abi::{Done, Handle, HostAddress, INVALID_HANDLE, NOT_FOUND, Out, Status, Text};
use crate::driver::driver;
use crate::launches::MOST_THREADS;
use crate::log::{Told, call};
use crate::script::Kernels;

#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) context: Handle,
    kernels: Arc<Kernels>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) context: Handle,
    module: Handle,
    /// Kept, since callers get a pointer to it.
    name: CString,
    /// Parameters that it stores through, and what.
    pub(crate) stores: Vec<(usize, u32)>,
}

impl Function {
    pub(crate) fn name(&self) -> &str {
        self.name.to_str().unwrap_or_default()
    }
}

fn load(told: &mut Told, module: &Out<Handle>, text: &str) -> Done {
    let mut driver = driver();
    let (context, handle) = (driver.current()?, driver.name());
    told.number("context", context);
    driver.check_safe()?;
    driver.modules.insert(handle, Module { context, kernels: Arc::new(Kernels::parse(text)) });
    module.put(handle)
}

/// Whatever the image is: one that is no text has no script.
#[unsafe(no_mangle)]
extern "C" fn cuModuleLoadData(module: Out<Handle>, image: Text) -> Status {
    call("cuModuleLoadData", |told| load(told, &module, &image.read().unwrap_or_default()))
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleLoad(module: Out<Handle>, path: Text) -> Status {
    call("cuModuleLoad", |told| {
        let text = std::fs::read(path.read().unwrap_or_default()).map_err(|_| NOT_FOUND)?;
        load(told, &module, &String::from_utf8_lossy(&text))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: Handle) -> Status {
    call("cuModuleUnload", |_| {
        let mut driver = driver();
        driver.modules.remove(&module).ok_or(INVALID_HANDLE)?;
        driver.functions.retain(|_, function| function.module != module);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleGetFunction(to: Out<Handle>, module: Handle, name: Text) -> Status {
    call("cuModuleGetFunction", |told| {
        let name = name.read().unwrap_or_default();
        told.text("function", &name);
        let mut driver = driver();
        let Module { context, kernels } = driver.modules.get(&module).ok_or(INVALID_HANDLE)?.clone();
        if !kernels.has(&name) {
            return Err(NOT_FOUND);
        }
        let (handle, stores) = (driver.name(), kernels.stores(&name));
        let name = CString::new(name).map_err(|_| NOT_FOUND)?;
        driver.functions.insert(handle, Function { context, module, name, stores });
        to.put(handle)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncGetName(name: Out<*const c_char>, function: Handle) -> Status {
    call("cuFuncGetName", |_| {
        let driver = driver();
        name.put(driver.functions.get(&function).ok_or(INVALID_HANDLE)?.name.as_ptr())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncGetModule(module: Out<Handle>, function: Handle) -> Status {
    call("cuFuncGetModule", |_| module.put(driver().functions.get(&function).ok_or(INVALID_HANDLE)?.module))
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncGetAttribute(value: Out<i32>, attribute: u32, function: Handle) -> Status {
    call("cuFuncGetAttribute", |_| {
        driver().functions.get(&function).ok_or(INVALID_HANDLE)?;
        value.put(if attribute == 0 { i32::try_from(MOST_THREADS).unwrap_or(i32::MAX) } else { 0 })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetAttribute(function: Handle, attribute: u32, value: i32) -> Status {
    call("cuFuncSetAttribute", |told| {
        told.number("attribute", attribute).number("value", value);
        let driver = driver();
        told.text("function", driver.functions.get(&function).ok_or(INVALID_HANDLE)?.name());
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetCacheConfig(function: Handle, _config: u32) -> Status {
    call("cuFuncSetCacheConfig", |_| driver().functions.get(&function).map(|_| ()).ok_or(INVALID_HANDLE))
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: Out<i32>,
    function: Handle,
    block: i32,
    _shared: usize,
) -> Status {
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", |_| {
        driver().functions.get(&function).ok_or(INVALID_HANDLE)?;
        blocks.put(2048 / block.max(1))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: Out<i32>,
    function: Handle,
    block: i32,
    shared: usize,
    _flags: u32,
) -> Status {
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared)
}

#[unsafe(no_mangle)]
extern "C" fn cuOccupancyMaxPotentialBlockSize(
    grid: Out<i32>,
    block: Out<i32>,
    function: Handle,
    _shared_of: HostAddress,
    _shared: usize,
    _limit: i32,
) -> Status {
    call("cuOccupancyMaxPotentialBlockSize", |_| {
        driver().functions.get(&function).ok_or(INVALID_HANDLE)?;
        grid.put(16).and_then(|()| block.put(256))
    })
}
