//! Names GPU kernels after the place in the source that launched them, and times them without stopping the GPU.
//!
//! One attribute on a function that launches kernels:
//!
//! ```
//! use launchsite::{gpu_kernel, host};
//!
//! #[gpu_kernel]
//! fn saxpy(stream: &host::Stream) -> Result<(), host::Error> {
//!     stream.launch_builder("saxpy_f32", || { /* the kernel */ }).launch(host::LaunchConfig::for_num_elems(1 << 20))
//! }
//! # saxpy(&host::Host::new().stream()).unwrap();
//! ```
//!
//! Every launch in the body then carries a name such as `ops::saxpy my-crate/src/ops.rs:42`: in Nsight Systems and
//! Nsight Compute, in JSON lines, in a table. (The example launches on the [host stand-in](host), so that it runs
//! anywhere; on a GPU the stream is cudarc's `CudaStream` and the call its `LaunchArgs::launch`.)
//!
//! # In a library
//!
//! Depend on `launchsite` without features and annotate the functions that launch. Nothing else: the attribute gives
//! each function back as it was, and the only dependency that is built is the macro crate.
//!
//! # In a program
//!
//! Turn the feature `enabled` on in the final binary's manifest. Cargo then turns it on for every library in it. The
//! environment decides what is done, and is read once, at the first launch:
//!
//! | variable | values | default |
//! |---|---|---|
//! | `LAUNCHSITE` | `off`, `on` (`nvtx` and `time`), or a list of `nvtx`, `time`, `nodes` and `symbols`; booleans too | `nvtx` |
//! | `LAUNCHSITE_OUT` | paths that end in `.jsonl`, or `-` for stdout; `%p` is the process id, `%r` the rank, `%h` the host | none |
//! | `LAUNCHSITE_SUMMARY` | a boolean: the table on stderr at the end of the process | off |
//! | `LAUNCHSITE_NAMES` | what launches are named after where the function does not say: `site`, their own place; `caller`, the place that called the function; `stack`, the first function on the call stack that is not internal | `site` |
//! | `LAUNCHSITE_INTERNAL` | crates, modules or files that are passed over on the stack: `candle_core,my_crate::helpers,my-crate/src/launch` | none |
//! | `LAUNCHSITE_NAME_FORMAT` | how a name is put together: text with `{function}`, `{module}`, `{file}`, `{line}`, `{column}`, `{kernel}`, `{caller}`, `{types}` | `{function} {file}:{line}` |
//! | `LAUNCHSITE_NESTED` | `show`; `hide`: of ranges inside each other on a thread only the outermost is shown | `show` |
//! | `LAUNCHSITE_FILTER` | what launches under a path may have of the parts that are on: `my_crate::ops=off,candle_core=nvtx,*=on` | none |
//! | `LAUNCHSITE_BUDGET` | `1%`: time only so many launches that what it adds stays below that share of the time; `1/16`: every 16th of a site | all |
//! | `LAUNCHSITE_EXIT_WAIT` | how long the end of the process waits for the GPU: `2s`, `500ms`, `0` | `2s` |
//!
//! `LAUNCHSITE_OUT` or `LAUNCHSITE_SUMMARY` without `LAUNCHSITE` turn both parts on; `LAUNCHSITE=off` is final. A value
//! that is not understood gives one line on stderr, and the default holds. A process with raised privileges ignores all
//! of them. Changing a variable later has no effect; [`set_parts`] turns parts on and off while the program runs.
//!
#![doc = include_str!("stack/names.md")]
//!
//! # What it costs
//!
//! With the feature off, nothing: the machine code is the same. On, with all parts off or no profiler attached, one load
//! and one branch for each launch, and for each builder that is kept in a variable. A name from the stack takes some 20 ns
//! for each frame that is passed. With times, two events of the driver and half a microsecond of the host's;
//! `BENCHMARKS.md` has the figures and how they were taken.
//!
//! # What it never does
//!
//! It never waits for the GPU on a launching thread and never synchronises a stream. It launches no kernel, and
//! loads no module of its own unless [symbols](#symbols) are asked for. It adds nothing to a graph that is being captured, and
//! changes none: what [nodes](#graphs) are timed by is a copy. It swallows no error and adds none, changes no
//! result, does not panic, and does not hang at the end of the process. What could not be measured is recorded as such,
//! with its reason, and what could not be recorded is counted.
//!
//! # Symbols
//!
//! Ranges are gone when a captured graph is replayed: a profiler then shows the kernels' own names. With the feature
//! `kernels`, `Kernels` loads PTX in the place of cudarc's `load_module`, and with `LAUNCHSITE=nvtx,symbols` each place
//! that launches one of its kernels has the kernel under a name of its own, `ops_saxpy__my_crate_src_ops_rs_L42`
//! ([`name::symbol`]), which every tool shows, replays included. It takes a copy of the kernel for each place, loaded when
//! the place uses it first; without `symbols`, or with `enabled` off, the module is loaded as it is and nothing else.
//!
//! # Times
//!
//! Two events stand around each launch in its stream, and a thread of launchsite's own reads them later. What they enclose
//! is the kernel, and the events' own few microseconds, and on an idle stream the launch itself. On a busy stream what the
//! events add is a constant of the GPU's model: where that is known, it is taken off and the time is
//! [calibrated](record::Accuracy). Every other time is an upper bound and says so, with its [reason](record::Doubt): the
//! model is not known (then [`calibrate`] measures it), the stream was idle, another stream's window overlaps, or cudarc
//! may have made the stream wait for an argument inside the launch call. `docs/records.md` has the rule in full.
//!
//! # Graphs
//!
//! A launch that goes into a graph is named, when it is captured, and not timed; the graph's launches are, each as a whole, and
//! their records say how many kernels are in it and which sites captured them. That takes nothing but annotated functions around
//! cudarc's `begin_capture`, `end_capture` and `CudaGraph::launch`. [`Graph`] does the capturing itself: it is entered once an
//! iteration, runs its body, then captures it, then replays it. With `LAUNCHSITE=..,nodes` the kernels inside such a graph are timed
//! too, in one of 64 launches, by a second executable with events around them; `docs/records.md` says how, and where not.
//!
//! # Contexts
//!
//! A window keeps its context alive until it has been read, some 20 ms. That needs a device's primary context, which is
//! what `CudaContext::new` gives; launches in another are named and not timed.
#[cfg(all(feature = "enabled", not(unix)))]
compile_error!("launchsite's feature `enabled` needs a Unix system");

/// Counts what a thread allocates that has been forbidden to.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: assert_no_alloc::AllocDisabler = assert_no_alloc::AllocDisabler;

mod calibration;
mod clock;
pub mod device;
mod fields;
mod graph;
mod hash;
mod parts;
mod pending;
mod profiler;
pub mod record;
mod summary;

#[cfg(feature = "enabled")]
mod api;
#[cfg(feature = "enabled")]
mod call;
#[cfg(feature = "enabled")]
mod collector;
#[cfg(feature = "enabled")]
mod config;
#[cfg(feature = "enabled")]
mod entry;
#[cfg(feature = "enabled")]
mod form;
#[cfg(all(feature = "enabled", feature = "kernels"))]
mod here;
#[cfg(feature = "enabled")]
mod jsonl;
#[cfg(feature = "kernels")]
mod kernels;
#[cfg(feature = "enabled")]
mod lane;
#[cfg(feature = "enabled")]
mod launch;
#[cfg(feature = "enabled")]
pub mod name;
#[cfg(feature = "enabled")]
mod nodes;
#[cfg(feature = "enabled")]
mod nvtx;
#[cfg(not(feature = "enabled"))]
pub mod name {
    //! Names: what of them does not need the feature.
    mod symbol;
    pub use symbol::{Symbols, symbol};
}
#[cfg(not(feature = "enabled"))]
mod off;
#[cfg(feature = "enabled")]
mod own;
#[cfg(feature = "enabled")]
mod pace;
#[cfg(feature = "enabled")]
mod private;
#[cfg(feature = "enabled")]
mod process;
#[cfg(all(feature = "enabled", feature = "kernels"))]
mod ptx;
#[cfg(feature = "enabled")]
mod queue;
#[cfg(feature = "enabled")]
mod sampling;
#[cfg(feature = "enabled")]
mod session;
#[cfg(feature = "enabled")]
mod site;
#[cfg(feature = "enabled")]
mod stack;
#[cfg(feature = "enabled")]
mod tally;
#[cfg(feature = "enabled")]
mod ticks;
#[cfg(feature = "enabled")]
mod window;

#[cfg(feature = "enabled")]
pub use api::{Guard, add_sink, calibrate, default_parts, flush, guard, parts, set_parts, summary};
#[cfg(not(feature = "enabled"))]
pub use off::{Guard, add_sink, calibrate, default_parts, flush, guard, parts, set_parts, summary};

pub use calibration::{CalibrateError, Calibration};
pub use device::host;
#[cfg(not(feature = "enabled"))]
#[doc(hidden)]
pub use fields::__shown;
pub use fields::{Fields, FieldsGuard, Following, Value as FieldValue};
pub use graph::{CaptureStream, Entered, Graph, GraphError, GraphState};
#[cfg(feature = "kernels")]
pub use kernels::{Kernel, Kernels};
/// Names and times the launches of a function or a method; on an `impl` block, of each of its methods that launches, with
/// the block's arguments.
///
/// Launches are found in the body, in closures and async blocks, and in the arguments of
/// [some macros](#macros-and-what-is-left-alone):
///
/// - `launch` and `launch_cooperative` on cudarc's `LaunchArgs`, however it was built, and on a [stand-in's](host);
/// - `launch` of a graph: cudarc's `CudaGraph`, or a stand-in's;
/// - calls, by any path, of the driver's `cuLaunchKernel`, `cuLaunchKernelEx`, `cuLaunchCooperativeKernel` and
///   `cuGraphLaunch`, of cudarc's `launch_kernel`, `launch_cooperative_kernel` and `graph::launch`, and of the runtime
///   library's `cudaLaunchKernel`, `cudaLaunchKernelExC`, `cudaLaunchCooperativeKernel` and `cudaGraphLaunch`;
/// - cust's `launch!(module.kernel<<<grid, block, shared, stream>>>(..))`.
///
/// Types decide: a `launch` of another kind compiles and runs as before, and leaves no record; only one with the very types of
/// cudarc's configuration and result is taken for a launch. A body without a launch is left exactly as it is.
///
/// The stream is known where the builder is a variable of the function, a field of one, or made in the launch's own
/// expression; of a graph, where the function that ended its capture is annotated and launches something itself. Inside a
/// closure or an async block that is not `move`, and not called where it stands, only what is bound in it is looked at.
/// What a closure captures so, what stands behind an index or in a lock's or a cell's guard is named and not timed:
/// looking at it would change what the program does. Nor is a builder looked for behind a `Deref` that is not std's, since a
/// type may have a `launch` of its own that goes elsewhere. `stream = expr` helps there.
///
/// # Arguments
///
/// - `name = "gemm"` takes the place of the function's path in the name: `gemm my-crate/src/ops.rs:42`. Placeholders are
///   arguments of the function, `name = "gemm {m}x{n}"`, shown as [`format!`] would, once for each call and only while a
///   name is wanted. A function has at most 4096 such texts; from then on the name is the text as it is written, and the
///   [table](summary) says how often.
/// - `stream = expr` is where launches go of which nothing else tells: a `CudaStream`, a pointer to one, or a handle of
///   the driver's. It is evaluated once for each call, when the function is entered and with its arguments in scope, and
///   only while records are wanted. With the feature off it is not compiled.
/// - `scope` makes the whole call a range and a record too, which the launches inside have for their `parent`; it is timed
///   where `stream = expr` is given. Not for an `async fn` or a `const fn`.
/// - `caller` names launches after the place that calls the function, by `#[track_caller]`, which the function then has: a
///   `Location::caller()` of its own tells the caller's place too. Through a function pointer or a trait object the
///   function itself is named.
/// - `internal` says that the function is a helper: the same, and callers that are helpers themselves are passed over.
/// - `stack` names launches after the first function on the call stack that is not [internal](crate#names-from-the-call-stack);
///   as `LAUNCHSITE_NAMES=stack` does for functions that say nothing. On a function that is not internal itself that is
///   the place of the launch; with `internal` it is whatever calls the helper, through a pointer too.
/// - `fields(layer = i, query_id)` puts fields on the records of the function's launches, as [`with_fields!`] does on those of a
///   thread; `query_id` is short for `query_id = query_id`. Values are evaluated once for each call, when the function is
///   entered, and only while records are wanted. They do not reach launches of functions that it calls.
/// - `flops = 2 * m * n * k` and `bytes = expr` say what each launch of the function does, in floating-point operations and in bytes
///   read and written: any number, or a reference to one. They are on its records, and the [table](summary) has TFLOP/s and
///   GB/s of the site, by its GPU time; `>` stands before a rate that is a lower bound, since not all times are calibrated.
///   Evaluated as fields are. With `scope` the call has them too.
/// - `category = "solver"` takes the place of the module as the category of the function's ranges, and `color = 0x76b900` (red,
///   green, blue) that of the category's own colour.
/// - `crate = path` is where the runtime is, if it is renamed or re-exported.
///
/// What `stream`, `fields`, `flops`, `bytes`, `caller` and placeholders say does not reach a launch in a closure or an async block that is not `move`
/// (and not called where it stands): it could outlive the call.
///
#[doc = include_str!("left_alone.md")]
///
/// # What it becomes
///
/// The call stays as it is, to the token. A hook stands around its receiver, its last argument and its value; each gives
/// its value back, so types, borrows, temporaries and the order of evaluation are those of the code without it:
///
/// ```text
/// #[gpu_kernel]                                       fn saxpy(s: &Stream) -> Result<(), Error> {
/// fn saxpy(s: &Stream) -> Result<(), Error> {             let mut call = Call::new();
///     s.launch_builder(k, work).launch(config)    =>      done(start(&mut call, &SITE, ..), (),
/// }                                                           recv(&mut call, s.launch_builder(k, work))
///                                                                 .launch(arg(&mut call, config)),
///                                                             &mut call)
///                                                     }
/// ```
///
/// # Examples
///
/// A method, a generic function and a builder in a local; the names are `Field::decay` and `my_module::scale<f32>`, with
/// file and line:
///
/// ```
/// use launchsite::{gpu_kernel, host};
///
/// struct Field { stream: host::Stream }
///
/// impl Field {
///     #[gpu_kernel]
///     fn decay(&self) -> Result<(), host::Error> {
///         let builder = self.stream.launch_builder("decay", || {});
///         builder.launch(host::LaunchConfig::for_num_elems(64))
///     }
/// }
///
/// #[gpu_kernel]
/// fn scale<T: Copy + Send + Sync + 'static>(field: &Field, by: T) -> Result<(), host::Error> {
///     field.stream.launch_builder("scale", move || { let _ = by; }).launch(host::LaunchConfig::for_num_elems(64))
/// }
///
/// let field = Field { stream: host::Host::new().stream() };
/// field.decay()?;
/// scale(&field, 2.0_f32)?;
/// # Ok::<(), host::Error>(())
/// ```
///
/// A library's call, with its time, and a helper whose launches are named after the place that calls it, such as
/// `my_module::launch_filled my-crate/src/model.rs:12`:
///
/// ```
/// use launchsite::{gpu_kernel, host};
///
/// #[gpu_kernel(scope, stream = stream, name = "gemm {m}x{n}")]
/// fn gemm(stream: &host::Stream, m: u32, n: u32) -> Result<(), host::Error> {
///     library_call(stream, m * n)
/// }
/// # fn library_call(_: &host::Stream, _: u32) -> Result<(), host::Error> { Ok(()) }
///
/// #[gpu_kernel(internal)]
/// fn launch_filled(args: host::LaunchArgs<'_>, n: u32) -> Result<(), host::Error> {
///     args.launch(host::LaunchConfig::for_num_elems(n))
/// }
///
/// let stream = host::Host::new().stream();
/// gemm(&stream, 64, 32)?;
/// launch_filled(stream.launch_builder("fill", || {}), 64)?;
/// # Ok::<(), host::Error>(())
/// ```
///
/// An argument that is not known is an error on its own token, and the function is kept:
///
/// ```compile_fail
/// #[launchsite::gpu_kernel(nmae = "gemm")]
/// fn f() {}
/// ```
pub use launchsite_macros::gpu_kernel;
pub use parts::Parts;
pub use pending::Pending;
pub use profiler::{Profiler, ProfilerError, Reading, Span, Token};
pub use summary::{SiteSummary, Summary};

/// Whether the feature `enabled` is on in this build.
pub const ENABLED: bool = cfg!(feature = "enabled");

#[cfg(feature = "enabled")]
#[doc(hidden)]
pub mod __private {
    pub use crate::api::names_worked_out;
    pub use crate::private::*;
}

/// Keeps the rewritten of the two versions of a function: the feature is on.
#[cfg(feature = "enabled")]
#[doc(hidden)]
#[macro_export]
macro_rules! __pick {
    ({ $($original:tt)* } { $($rewritten:tt)* }) => { $($rewritten)* };
}

/// Keeps the original of the two versions of a function: the feature is off.
#[cfg(not(feature = "enabled"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __pick {
    ({ $($original:tt)* } { $($rewritten:tt)* }) => { $($original)* };
}
