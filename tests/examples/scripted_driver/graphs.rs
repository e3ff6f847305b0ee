//! The graphs that captures become.

use crate::abi::{Done, Handle, INVALID_HANDLE, INVALID_VALUE, Out, Status};
use crate::captures::{Kind, Node, node};
use crate::driver::{Driver, driver};
use crate::log::{Told, call};

/// A graph that is ready to be launched: its nodes, each behind those that come before it.
#[derive(Clone)]
pub(crate) struct Executable {
    flags: u64,
    nodes: Vec<Node>,
}

impl Driver {
    fn graph(&mut self, graph: Handle) -> Done<&mut Vec<Node>> {
        self.graphs.get_mut(&graph).ok_or(INVALID_HANDLE)
    }

    /// The node of that handle, and its place: of a graph, or one that is still captured.
    fn node(&mut self, handle: Handle) -> Done<(&mut Node, usize)> {
        let place = (handle & 0xffff).checked_sub(1).ok_or(INVALID_HANDLE)?;
        let node = self.graph(handle >> 16)?.get_mut(place).ok_or(INVALID_HANDLE)?;
        Ok((node, place))
    }
}

/// In an order in which they can be run; none where there is a circle.
fn in_order(nodes: &[Node]) -> Done<Vec<Node>> {
    let (mut order, mut left): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..nodes.len()).collect());
    while !left.is_empty() {
        let after = |place: &usize| nodes.get(*place).map(|node| node.after.as_slice()).unwrap_or_default();
        let is_next = |place: &usize| after(place).iter().all(|before| order.contains(before));
        let next = left.iter().position(is_next).ok_or(INVALID_VALUE)?;
        order.push(left.remove(next));
    }
    Ok(order.into_iter().filter_map(|place| nodes.get(place).cloned()).collect())
}

/// What is in a graph.
pub(crate) fn tell(told: &mut Told, nodes: &[Node]) {
    let of = |kind| nodes.iter().filter(|node| node.kind == kind).count();
    told.number("nodes", nodes.len()).number("kernels", of(Kind::Kernel)).number("events", of(Kind::Event));
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphGetNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) -> Status {
    call("cuGraphGetNodes", |_| {
        let len = driver().graphs.get(&graph).ok_or(INVALID_HANDLE)?.len();
        let handles: Vec<Handle> = (0..len).map(|place| node(graph, place)).collect();
        nodes.fill(&handles, if nodes.is_null() { 0 } else { count.get()? });
        count.put(len)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphInstantiateWithFlags(executable: Out<Handle>, graph: Handle, flags: u64) -> Status {
    call("cuGraphInstantiateWithFlags", |told| {
        let mut driver = driver();
        let nodes = in_order(driver.graph(graph)?)?;
        tell(told, &nodes);
        let handle = driver.name();
        driver.executables.insert(handle, Executable { flags, nodes });
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
        let Executable { nodes, .. } = driver.executables.get(&executable).ok_or(INVALID_HANDLE)?.clone();
        told.number("executable", executable);
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

#[unsafe(no_mangle)]
extern "C" fn cuGraphNodeGetType(handle: Handle, kind: Out<u32>) -> Status {
    call("cuGraphNodeGetType", |_| {
        let mut driver = driver();
        let (node, _) = driver.node(handle)?;
        kind.put(match node.kind {
            Kind::Kernel => 0,
            Kind::Other => 1,
            Kind::Event => 7,
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphChildGraphNodeGetGraph(_node: Handle, _graph: Out<Handle>) -> Status {
    call("cuGraphChildGraphNodeGetGraph", |_| Err(INVALID_VALUE))
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphNodeFindInClone(found: Out<Handle>, original: Handle, clone: Handle) -> Status {
    call("cuGraphNodeFindInClone", |_| {
        let mut driver = driver();
        let (_, place) = driver.node(original)?;
        driver.node(node(clone, place))?;
        found.put(node(clone, place))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphGetEdges(graph: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>) -> Status {
    call("cuGraphGetEdges", |_| {
        let mut driver = driver();
        let nodes = driver.graph(graph)?.iter().enumerate();
        let edge = |before: usize, place: usize| (node(graph, before), node(graph, place));
        let edges = nodes.flat_map(|(place, node)| node.after.iter().map(move |&before| edge(before, place)));
        let (before, behind): (Vec<Handle>, Vec<Handle>) = edges.unzip();
        if !from.is_null() {
            let room = count.get()?;
            from.fill(&before, room);
            to.fill(&behind, room);
        }
        count.put(before.len())
    })
}

/// An event of its own for each launch of the graph.
#[unsafe(no_mangle)]
extern "C" fn cuGraphAddEventRecordNode(
    added: Out<Handle>,
    graph: Handle,
    after: Out<Handle>,
    count: usize,
    event: Handle,
) -> Status {
    call("cuGraphAddEventRecordNode", |told| {
        told.number("graph", graph);
        let mut driver = driver();
        let after = after.read(count);
        let after =
            after.into_iter().map(|node| driver.node(node).map(|(_, place)| place)).collect::<Done<Vec<_>>>()?;
        let nodes = driver.graph(graph)?;
        nodes.push(Node { event: Some(event), after, ..Node::idle(Kind::Event) });
        added.put(node(graph, nodes.len() - 1))
    })
}

fn pairs(driver: &mut Driver, from: &Out<Handle>, to: &Out<Handle>, count: usize) -> Done<Vec<(usize, usize)>> {
    let mut place = |handle| driver.node(handle).map(|(_, place)| place);
    from.read(count).into_iter().zip(to.read(count)).map(|(from, to)| Ok((place(from)?, place(to)?))).collect()
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphAddDependencies(graph: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) -> Status {
    call("cuGraphAddDependencies", |told| {
        told.number("graph", graph);
        let mut driver = driver();
        for (before, place) in pairs(&mut driver, &from, &to, count)? {
            let node = driver.graph(graph)?.get_mut(place).ok_or(INVALID_VALUE)?;
            if node.after.contains(&before) {
                return Err(INVALID_VALUE);
            }
            node.after.push(before);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphRemoveDependencies(graph: Handle, from: Out<Handle>, to: Out<Handle>, count: usize) -> Status {
    call("cuGraphRemoveDependencies", |told| {
        told.number("graph", graph);
        let mut driver = driver();
        for (before, place) in pairs(&mut driver, &from, &to, count)? {
            let after = &mut driver.graph(graph)?.get_mut(place).ok_or(INVALID_VALUE)?.after;
            let at = after.iter().position(|other| *other == before).ok_or(INVALID_VALUE)?;
            after.remove(at);
        }
        Ok(())
    })
}

/// Of `CUDA_KERNEL_NODE_PARAMS_v2` the function alone, which comes first.
#[unsafe(no_mangle)]
extern "C" fn cuGraphKernelNodeGetParams_v2(handle: Handle, parameters: Out<[Handle; 9]>) -> Status {
    call("cuGraphKernelNodeGetParams_v2", |_| {
        let mut driver = driver();
        let function = driver.node(handle)?.0.function.ok_or(INVALID_VALUE)?;
        parameters.put([function, 0, 0, 0, 0, 0, 0, 0, 0])
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGraphExecGetFlags(executable: Handle, flags: Out<u64>) -> Status {
    call("cuGraphExecGetFlags", |_| {
        let driver = driver();
        flags.put(driver.executables.get(&executable).ok_or(INVALID_HANDLE)?.flags)
    })
}
