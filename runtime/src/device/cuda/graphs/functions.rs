//! The driver's functions that have to do with graphs, by the types that its headers give them.

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use cudarc::driver::sys::{CUgraph, CUgraphExec, CUgraphNode, CUresult};

use crate::device::Refusal;
use crate::device::cuda::symbol;

pub(super) type CaptureInfo2 = unsafe extern "C" fn(
    *mut c_void,
    *mut u32,
    *mut u64,
    *mut CUgraph,
    *mut *const CUgraphNode,
    *mut usize,
) -> CUresult;
pub(super) type CaptureInfo3 = unsafe extern "C" fn(
    *mut c_void,
    *mut u32,
    *mut u64,
    *mut CUgraph,
    *mut *const CUgraphNode,
    *mut *const c_void,
    *mut usize,
) -> CUresult;
pub(super) type GetNodes = unsafe extern "C" fn(CUgraph, *mut CUgraphNode, *mut usize) -> CUresult;
pub(super) type GetEdges = unsafe extern "C" fn(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut usize) -> CUresult;
pub(super) type GetType = unsafe extern "C" fn(CUgraphNode, *mut u32) -> CUresult;
pub(super) type GetChild = unsafe extern "C" fn(CUgraphNode, *mut CUgraph) -> CUresult;
pub(super) type Clone = unsafe extern "C" fn(*mut CUgraph, CUgraph) -> CUresult;
pub(super) type FindInClone = unsafe extern "C" fn(*mut CUgraphNode, CUgraphNode, CUgraph) -> CUresult;
pub(super) type GetParameters = unsafe extern "C" fn(CUgraphNode, *mut KernelParameters) -> CUresult;
pub(super) type GetName = unsafe extern "C" fn(*mut *const c_char, *mut c_void) -> CUresult;
pub(super) type GetFlags = unsafe extern "C" fn(CUgraphExec, *mut u64) -> CUresult;
pub(super) type AddEvent =
    unsafe extern "C" fn(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *mut c_void) -> CUresult;
pub(super) type Dependencies = unsafe extern "C" fn(CUgraph, *const CUgraphNode, *const CUgraphNode, usize) -> CUresult;
pub(super) type Instantiate = unsafe extern "C" fn(*mut CUgraphExec, CUgraph, u64) -> CUresult;
pub(super) type Launch = unsafe extern "C" fn(CUgraphExec, *mut c_void) -> CUresult;
pub(super) type Destroy = unsafe extern "C" fn(CUgraph) -> CUresult;
pub(super) type DestroyExec = unsafe extern "C" fn(CUgraphExec) -> CUresult;

/// `CUDA_KERNEL_NODE_PARAMS_v2` of `cuda.h`.
#[repr(C)]
pub(super) struct KernelParameters {
    pub(super) function: *mut c_void,
    pub(super) _geometry: [u32; 7],
    pub(super) _arguments: [*mut c_void; 2],
    /// Where there is no function.
    pub(super) kernel: *mut c_void,
    pub(super) _context: *mut c_void,
}

/// The driver's functions.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    pub(super) capture_info: Option<CaptureInfo>,
    pub(super) nodes: GetNodes,
    pub(super) edges: GetEdges,
    pub(super) kind: GetType,
    pub(super) child: GetChild,
    pub(super) clone: Clone,
    pub(super) find: FindInClone,
    /// Of CUDA 12.0, and 12.3.
    pub(super) parameters: Option<GetParameters>,
    pub(super) function_name: Option<GetName>,
    pub(super) kernel_name: Option<GetName>,
    pub(super) flags: Option<GetFlags>,
    pub(super) add_event: AddEvent,
    pub(super) link: Dependencies,
    pub(super) unlink: Dependencies,
    pub(super) instantiate: Instantiate,
    pub(super) launch: Launch,
    pub(super) destroy: Destroy,
    pub(super) destroy_exec: DestroyExec,
}

#[derive(Clone, Copy)]
pub(super) enum CaptureInfo {
    /// Of CUDA 11.3: where edges have data, it does not say.
    Second(CaptureInfo2),
    /// Of CUDA 12.3.
    Third(CaptureInfo3),
}

impl Functions {
    fn find() -> Option<Self> {
        let third = symbol(c"cuStreamGetCaptureInfo_v3").map(CaptureInfo::Third);
        Some(Self {
            capture_info: third.or_else(|| symbol(c"cuStreamGetCaptureInfo_v2").map(CaptureInfo::Second)),
            nodes: symbol(c"cuGraphGetNodes")?,
            edges: symbol(c"cuGraphGetEdges")?,
            kind: symbol(c"cuGraphNodeGetType")?,
            child: symbol(c"cuGraphChildGraphNodeGetGraph")?,
            clone: symbol(c"cuGraphClone")?,
            find: symbol(c"cuGraphNodeFindInClone")?,
            parameters: symbol(c"cuGraphKernelNodeGetParams_v2"),
            function_name: symbol(c"cuFuncGetName"),
            kernel_name: symbol(c"cuKernelGetName"),
            flags: symbol(c"cuGraphExecGetFlags"),
            add_event: symbol(c"cuGraphAddEventRecordNode")?,
            link: symbol(c"cuGraphAddDependencies")?,
            unlink: symbol(c"cuGraphRemoveDependencies")?,
            instantiate: symbol(c"cuGraphInstantiateWithFlags")?,
            launch: symbol(c"cuGraphLaunch")?,
            destroy: symbol(c"cuGraphDestroy")?,
            destroy_exec: symbol(c"cuGraphExecDestroy")?,
        })
    }

    /// # Errors
    /// The driver lacks one of them: before CUDA 11.4.
    pub(super) fn get() -> Result<&'static Self, Refusal> {
        static FOUND: OnceLock<Option<Functions>> = OnceLock::new();
        let missing = Refusal { call: "cuGraphAddEventRecordNode", code: CUresult::CUDA_ERROR_NOT_FOUND as i32 };
        FOUND.get_or_init(Self::find).as_ref().ok_or(missing)
    }
}
