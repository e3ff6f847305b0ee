//! Graphs of the driver.
//!
//! Every function is looked up: cudarc binds of each the version that the CUDA version has which it is built for, and a
//! version may be missing in the driver. The first versions are in every driver that has graphs.

mod functions;

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;

use cudarc::driver::sys::{CUgraph, CUgraphExec, CUgraphNode, CUresult};

use functions::{CaptureInfo, Dependencies, Functions, KernelParameters};

use super::{Cuda, Event, Refusal, Stream, handle, pointer, relaxed};
use crate::device::graph::{Captured, Copied, Graph, Graphs, MOST_NODES, Node, NodeKind, Unfit};

/// `CU_STREAM_CAPTURE_STATUS_ACTIVE`.
const ACTIVE: u32 = 1;
/// `CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH`.
const DEVICE_LAUNCH: u64 = 4;

/// `CUgraphNodeType` of `cuda.h`, as far as it matters here.
mod kind {
    pub(super) const KERNEL: u32 = 0;
    /// A graph inside.
    pub(super) const GRAPH: u32 = 4;
    pub(super) const EMPTY: u32 = 5;
    pub(super) const WAIT_EVENT: u32 = 6;
    pub(super) const EVENT_RECORD: u32 = 7;
    pub(super) const MEM_ALLOC: u32 = 10;
    pub(super) const BATCH_MEM_OP: u32 = 12;
}

fn said(call: &'static str, status: CUresult) -> Result<(), Refusal> {
    if status == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(Refusal { call, code: status as i32 }) }
}

fn nodes_of(functions: &Functions, graph: CUgraph) -> Result<Vec<CUgraphNode>, Refusal> {
    const CALL: &str = "cuGraphGetNodes";
    let mut count = 0;
    // SAFETY: a graph that is there; without a place for nodes, the driver writes how many there are.
    said(CALL, unsafe { (functions.nodes)(graph, std::ptr::null_mut(), &raw mut count) })?;
    let mut nodes = vec![std::ptr::null_mut(); count];
    if count > 0 {
        // SAFETY: as above, with room for so many.
        said(CALL, unsafe { (functions.nodes)(graph, nodes.as_mut_ptr(), &raw mut count) })?;
    }
    nodes.truncate(count);
    Ok(nodes)
}

fn kind_of(functions: &Functions, node: CUgraphNode) -> Result<u32, Refusal> {
    let mut kind = 0;
    // SAFETY: a node of a graph that is there; the driver writes its kind, or fails.
    said("cuGraphNodeGetType", unsafe { (functions.kind)(node, &raw mut kind) })?;
    Ok(kind)
}

/// Graphs inside graphs are looked into so deep; CUDA has no bound of its own.
const DEEP: u32 = 8;

fn kernels_in(functions: &Functions, graph: CUgraph, deep: u32) -> Result<u32, Refusal> {
    let mut kernels = 0_u32;
    for node in nodes_of(functions, graph)? {
        kernels += match kind_of(functions, node)? {
            kind::KERNEL => 1,
            kind::GRAPH if deep > 0 => {
                let mut child = std::ptr::null_mut();
                // SAFETY: a node of that kind; the driver writes the graph inside, or fails.
                said("cuGraphChildGraphNodeGetGraph", unsafe { (functions.child)(node, &raw mut child) })?;
                kernels_in(functions, child, deep - 1)?
            }
            _ => 0,
        };
    }
    Ok(kernels)
}

/// The pairs of nodes of which the second waits for the first. Edges that say more than that have the driver refuse.
fn edges_of(functions: &Functions, graph: CUgraph) -> Result<Vec<(CUgraphNode, CUgraphNode)>, Refusal> {
    const CALL: &str = "cuGraphGetEdges";
    let (null, mut count): (CUgraphNode, usize) = (std::ptr::null_mut(), 0);
    let nowhere: *mut CUgraphNode = std::ptr::null_mut();
    // SAFETY: a graph that is there; without places, the driver writes how many there are.
    said(CALL, unsafe { (functions.edges)(graph, nowhere, nowhere, &raw mut count) })?;
    let (mut from, mut to) = (vec![null; count], vec![null; count]);
    if count > 0 {
        // SAFETY: as above, with room for so many in both.
        said(CALL, unsafe { (functions.edges)(graph, from.as_mut_ptr(), to.as_mut_ptr(), &raw mut count) })?;
    }
    Ok(from.into_iter().zip(to).take(count).collect())
}

/// The name of a node's kernel, where the driver tells.
fn name_of(functions: &Functions, node: CUgraphNode) -> Option<String> {
    let mut parameters = MaybeUninit::<KernelParameters>::zeroed();
    // SAFETY: a kernel's node of a graph that is there; the driver writes its parameters, or fails.
    said("cuGraphKernelNodeGetParams", unsafe { functions.parameters?(node, parameters.as_mut_ptr()) }).ok()?;
    // SAFETY: pointers and numbers, of which zero is one, where the driver wrote none.
    let KernelParameters { function, kernel, .. } = unsafe { parameters.assume_init() };
    let (ask, of) =
        if function.is_null() { (functions.kernel_name?, kernel) } else { (functions.function_name?, function) };
    let mut name = std::ptr::null();
    // SAFETY: what the node launches; the driver writes a string of its own, or fails.
    said("cuFuncGetName", unsafe { ask(&raw mut name, of) }).ok()?;
    // SAFETY: it ends in NUL, and is there for as long as the kernel.
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })?;
    name.to_str().ok().map(str::to_owned)
}

/// How the program's executable was made.
fn flags_of(functions: &Functions, executable: CUgraphExec) -> Result<u64, Unfit> {
    let get = functions.flags.ok_or(Unfit::Flags)?;
    let mut flags = 0;
    // SAFETY: an executable that is there; the driver writes its flags, or fails.
    said("cuGraphExecGetFlags", unsafe { get(executable, &raw mut flags) })?;
    if flags & DEVICE_LAUNCH == 0 { Ok(flags) } else { Err(Unfit::DeviceLaunch) }
}

fn sort(kind: u32) -> Result<NodeKind, Unfit> {
    match kind {
        kind::KERNEL => Ok(NodeKind::Kernel),
        kind::EMPTY | kind::WAIT_EVENT | kind::EVENT_RECORD => Ok(NodeKind::Order),
        // Copies, memsets, functions of the host's, graphs, semaphores, operations on memory.
        ..kind::MEM_ALLOC | kind::BATCH_MEM_OP => Ok(NodeKind::Work),
        // Memory of the graph's own, conditions, and what a later CUDA adds.
        _ => Err(Unfit::Nodes),
    }
}

fn copy(functions: &Functions, graph: Graph) -> Result<Copied, Unfit> {
    let own: CUgraph = pointer(graph.graph);
    let flags = flags_of(functions, pointer(graph.executable))?;
    let nodes = nodes_of(functions, own)?;
    if nodes.len() > MOST_NODES {
        return Err(Unfit::Size);
    }
    let kinds: Vec<NodeKind> = nodes
        .iter()
        .map(|&node| kind_of(functions, node).map_err(Unfit::from).and_then(sort))
        .collect::<Result<_, _>>()?;
    let places: HashMap<CUgraphNode, usize> = nodes.iter().enumerate().map(|(at, &node)| (node, at)).collect();
    let place = |node| places.get(&node).copied().ok_or(Unfit::Nodes);
    let edges = edges_of(functions, own)?;
    let edges = edges.into_iter().map(|(from, to)| Ok((place(from)?, place(to)?))).collect::<Result<_, Unfit>>()?;
    let mut clone: CUgraph = std::ptr::null_mut();
    // SAFETY: a graph that is there, and that no other thread changes meanwhile.
    said("cuGraphClone", unsafe { (functions.clone)(&raw mut clone, own) })?;
    let find = |(&node, kind): (&CUgraphNode, NodeKind)| {
        let mut found = std::ptr::null_mut();
        // SAFETY: a node of the graph, and the clone that was made of it.
        said("cuGraphNodeFindInClone", unsafe { (functions.find)(&raw mut found, node, clone) })?;
        let kernel = (kind == NodeKind::Kernel).then(|| name_of(functions, node)).flatten();
        Ok(Node { own: handle(node), copied: handle(found), kind, kernel })
    };
    match nodes.iter().zip(kinds).map(find).collect::<Result<_, Refusal>>() {
        Ok(nodes) => Ok(Copied { graph: handle(clone), flags, nodes, edges }),
        Err(refusal) => {
            // SAFETY: made above, and known to nobody.
            let _ = unsafe { (functions.destroy)(clone) };
            Err(refusal.into())
        }
    }
}

fn depend(
    call: &'static str,
    function: fn(&Functions) -> Dependencies,
    copy: u64,
    pairs: &[(u64, u64)],
) -> Result<(), Refusal> {
    let function = function(Functions::get()?);
    let (from, to): (Vec<CUgraphNode>, Vec<CUgraphNode>) =
        pairs.iter().map(|&(from, to)| (pointer(from), pointer(to))).unzip();
    // SAFETY: a copy of our own, and as many of its nodes in both.
    said(call, unsafe { function(pointer(copy), from.as_ptr(), to.as_ptr(), pairs.len()) })
}

impl Graphs for Cuda {
    fn captured(&self, stream: Stream) -> Result<Captured, Refusal> {
        const CALL: &str = "cuStreamGetCaptureInfo";
        let missing = Refusal { call: CALL, code: CUresult::CUDA_ERROR_NOT_FOUND as i32 };
        let (mut status, mut capture, mut graph, mut count) = (0, 0, std::ptr::null_mut(), 0);
        let mut behind: *const CUgraphNode = std::ptr::null();
        let mut data: *const c_void = std::ptr::null();
        let (status_at, capture_at, graph_at) = (&raw mut status, &raw mut capture, &raw mut graph);
        let asked = match Functions::get()?.capture_info.ok_or(missing)? {
            // SAFETY: the stream that the user is launching on; the driver writes what is asked for, or fails.
            CaptureInfo::Third(ask) => unsafe {
                ask(
                    pointer(stream.handle),
                    status_at,
                    capture_at,
                    graph_at,
                    &raw mut behind,
                    &raw mut data,
                    &raw mut count,
                )
            },
            // SAFETY: as above.
            CaptureInfo::Second(ask) => unsafe {
                ask(pointer(stream.handle), status_at, capture_at, graph_at, &raw mut behind, &raw mut count)
            },
        };
        said(CALL, asked)?;
        if status != ACTIVE {
            return Err(Refusal { call: CALL, code: CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED as i32 });
        }
        // SAFETY: so many nodes, the driver's until the next call on the stream.
        let node = (count == 1 && !behind.is_null()).then(|| unsafe { *behind });
        #[allow(clippy::cast_possible_truncation)] // its lower half, as the field says
        Ok(Captured { graph: handle(graph), capture: capture as u32, node: node.map_or(0, handle) })
    }

    fn kernels(&self, graph: u64) -> Result<u32, Refusal> {
        kernels_in(Functions::get()?, pointer(graph), DEEP)
    }

    fn copy(&self, graph: Graph) -> Result<Copied, Unfit> {
        let functions = Functions::get()?;
        relaxed(|| copy(functions, graph))
    }

    fn add_event(&self, copy: u64, after: &[u64], event: Event) -> Result<u64, Refusal> {
        let functions = Functions::get()?;
        let after: Vec<CUgraphNode> = after.iter().map(|&node| pointer(node)).collect();
        let (mut node, count) = (std::ptr::null_mut(), after.len());
        // SAFETY: a copy of our own, so many of its nodes, and an event of `create` that lives as long.
        let status =
            unsafe { (functions.add_event)(&raw mut node, pointer(copy), after.as_ptr(), count, pointer(event.0)) };
        said("cuGraphAddEventRecordNode", status)?;
        Ok(handle(node))
    }

    fn link(&self, copy: u64, pairs: &[(u64, u64)]) -> Result<(), Refusal> {
        depend("cuGraphAddDependencies", |functions| functions.link, copy, pairs)
    }

    fn unlink(&self, copy: u64, pairs: &[(u64, u64)]) -> Result<(), Refusal> {
        depend("cuGraphRemoveDependencies", |functions| functions.unlink, copy, pairs)
    }

    fn instantiate(&self, copy: u64, flags: u64) -> Result<u64, Refusal> {
        let functions = Functions::get()?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: a copy of our own; the driver writes the executable, or fails.
        let status = unsafe { (functions.instantiate)(&raw mut executable, pointer(copy), flags) };
        said("cuGraphInstantiateWithFlags", status)?;
        Ok(handle(executable))
    }

    fn launch(&self, executable: u64, stream: Stream) -> Result<(), Refusal> {
        let functions = Functions::get()?;
        // SAFETY: an executable of `instantiate`, and the stream that the user is launching on.
        said("cuGraphLaunch", unsafe { (functions.launch)(pointer(executable), pointer(stream.handle)) })
    }

    fn destroy(&self, copy: u64) {
        if let Ok(functions) = Functions::get() {
            // SAFETY: a copy of our own, given up by its owner. There is nothing to do about an error.
            let _ = unsafe { (functions.destroy)(pointer(copy)) };
        }
    }

    fn destroy_executable(&self, executable: u64) {
        if let Ok(functions) = Functions::get() {
            // SAFETY: made by `instantiate`, given up by its owner.
            let _ = unsafe { (functions.destroy_exec)(pointer(executable)) };
        }
    }
}
