//! The graphs that captures become.

use crate::abi::{Handle, INVALID_HANDLE, Out, Status};
use crate::captures::{Kind, Node};
use crate::driver::driver;
use crate::log::{Told, call};

/// What is in a graph.
pub(crate) fn tell(told: &mut Told, nodes: &[Node]) {
    let of = |kind| nodes.iter().filter(|node| node.kind == kind).count();
    told.number("nodes", nodes.len()).number("kernels", of(Kind::Kernel)).number("events", of(Kind::Event));
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphGetNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) -> Status {
    call("cuGraphGetNodes", |_| {
        let len = driver().graphs.get(&graph).ok_or(INVALID_HANDLE)?.len();
        // A node's handle is its graph's and its number.
        let handles: Vec<Handle> = (1..=len).map(|number| (graph << 16) + number).collect();
        nodes.fill(&handles, if nodes.is_null() { 0 } else { count.get()? });
        count.put(len)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphInstantiateWithFlags(executable: Out<Handle>, graph: Handle, _flags: u64) -> Status {
    call("cuGraphInstantiateWithFlags", |told| {
        let mut driver = driver();
        let nodes = driver.graphs.get(&graph).ok_or(INVALID_HANDLE)?.clone();
        tell(told, &nodes);
        let handle = driver.name();
        driver.executables.insert(handle, nodes);
        executable.put(handle)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphClone(clone: Out<Handle>, graph: Handle) -> Status {
    call("cuGraphClone", |_| {
        let mut driver = driver();
        let nodes = driver.graphs.get(&graph).ok_or(INVALID_HANDLE)?.clone();
        let handle = driver.name();
        driver.graphs.insert(handle, nodes);
        clone.put(handle)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphUpload(executable: Handle, stream: Handle) -> Status {
    call("cuGraphUpload", |told| {
        let driver = driver();
        told.stream(driver.key(stream)?);
        driver.executables.get(&executable).map(|_| ()).ok_or(INVALID_HANDLE)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphLaunch(executable: Handle, stream: Handle) -> Status {
    call("cuGraphLaunch", |told| {
        let mut driver = driver();
        let key = driver.key(stream)?;
        told.stream(key);
        let nodes = driver.executables.get(&executable).ok_or(INVALID_HANDLE)?.clone();
        tell(told, &nodes);
        let captured = driver.capture_for(key)?.is_some();
        told.number("captured", captured);
        for node in nodes {
            driver.submit(key, node)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphExecDestroy(executable: Handle) -> Status {
    call("cuGraphExecDestroy", |_| driver().executables.remove(&executable).map(|_| ()).ok_or(INVALID_HANDLE))
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphDestroy(graph: Handle) -> Status {
    call("cuGraphDestroy", |_| driver().graphs.remove(&graph).map(|_| ()).ok_or(INVALID_HANDLE))
}
