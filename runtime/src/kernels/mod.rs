//! Kernels that a profiler shows under the name of the place that launches them.

#[cfg(feature = "enabled")]
mod copies;
#[cfg(feature = "enabled")]
mod image;
#[cfg(feature = "enabled")]
mod loaded;

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use cudarc::driver::sys::{CUfunc_cache_enum, CUfunction_attribute_enum, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, DriverError};
use cudarc::nvrtc::Ptx;

#[cfg(feature = "enabled")]
use copies::Copies;
#[cfg(feature = "enabled")]
use image::Image;

/// A module of kernels, each of which has a name of its own in every place that launches it.
///
/// It takes the place of `CudaContext::load_module`, and a [`Kernel`] that of a `CudaFunction`:
///
/// ```no_run
/// use cudarc::driver::{CudaContext, CudaStream, DriverError, LaunchConfig};
/// use launchsite::{Kernel, Kernels, gpu_kernel};
///
/// #[gpu_kernel]
/// fn warm_up(stream: &CudaStream, empty: &Kernel) -> Result<(), DriverError> {
///     // SAFETY: the kernel takes nothing.
///     unsafe { stream.launch_builder(empty).launch(LaunchConfig::for_num_elems(1)) }?;
///     Ok(())
/// }
///
/// let context = CudaContext::new(0)?;
/// let kernels = Kernels::from_ptx(&context, ".version 8.1 .target sm_60 .address_size 64 .visible .entry empty() { ret; }")?;
/// warm_up(&context.default_stream(), &kernels.get("empty")?)?;
/// # Ok::<(), DriverError>(())
/// ```
///
/// With [`Parts::SYMBOLS`](crate::Parts::SYMBOLS) on (`LAUNCHSITE=nvtx,symbols`, or [`set_parts`](crate::set_parts) before the
/// kernels are loaded) the kernel of this launch is called `app_warm_up__app_src_main_rs_L8` in every tool, in the nodes of
/// a captured graph and their replays too. Without, or with the feature `enabled` off, the module is loaded as it is and
/// nothing else happens.
///
/// # Which name
///
/// A place is where a [`Kernel`] becomes the `CudaFunction` that cudarc takes: `launch_builder(&kernel)`. Inside a launch
/// of an annotated function, as above, the name is the [symbol](crate::name::symbol) of that launch's site. Where the
/// builder is kept in a variable first, or the function is not annotated, it is that of the kernel's own name and of the
/// line that has `launch_builder(&kernel)`. A `&CudaFunction` that is passed on keeps the name of the place that made it.
///
/// # What it costs
///
/// The first use of a kernel in each place loads a copy of the module with that kernel alone and what it calls, which takes
/// the driver as long as it takes to compile them, and **loading stalls every launching thread while the GPU works**. So run
/// each place once before it matters: a copy that is first needed inside of a capture is loaded there, which the capture
/// survives, and late. From then on a use is a look-up without a lock. Copies are unloaded with the last of their
/// [`Kernel`]s and [`Kernels`].
///
/// # What keeps its name
///
/// A copy must do what the kernel does. A kernel is therefore loaded as it is, and one line on stderr says why, where
///
/// - it reaches a variable of the module (`__device__`, `__constant__`, a texture or surface reference, the format of a
///   `printf`): a copy would have its own, and what [`module`](Self::module) gives of it would be another's;
/// - the module itself refers to it, to launch it from the GPU or by an alias;
/// - the image is no PTX text (a cubin, a fatbin, a file of either), or has something in it that is not understood;
/// - the driver refuses the copy.
///
/// `__shared__` memory, functions and what other kernels of the module use do not matter.
pub struct Kernels {
    context: Arc<CudaContext>,
    module: Arc<CudaModule>,
    #[cfg(feature = "enabled")]
    image: Option<Image>,
    known: RwLock<HashMap<String, Kernel>>,
}

impl Kernels {
    /// Loads a module, as `CudaContext::load_module` does.
    ///
    /// # Errors
    /// Those of `CudaContext::load_module`; there is nothing to undo.
    pub fn from_ptx(context: &Arc<CudaContext>, ptx: impl Into<Ptx>) -> Result<Self, DriverError> {
        let ptx = ptx.into();
        #[cfg(feature = "enabled")]
        let image = Image::of(&ptx);
        let module = context.load_module(ptx)?;
        Ok(Self {
            context: Arc::clone(context),
            module,
            #[cfg(feature = "enabled")]
            image,
            known: RwLock::default(),
        })
    }

    /// The kernel `name`. Asked for again, it is the same one, found in a table.
    ///
    /// # Errors
    /// Those of `CudaModule::load_function`: `CUDA_ERROR_NOT_FOUND` where there is none of that name.
    pub fn get(&self, name: &str) -> Result<Kernel, DriverError> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if let Some(kernel) = known {
            return Ok(kernel);
        }
        if name.contains('\0') {
            return Err(DriverError(CUresult::CUDA_ERROR_NOT_FOUND));
        }
        let plain = self.module.load_function(name)?;
        #[cfg(feature = "enabled")]
        let copies = self.image.as_ref().and_then(|image| image.copies(&self.context, name));
        let kernel = Kernel(Arc::new(Loaded {
            plain,
            #[cfg(feature = "enabled")]
            copies,
        }));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // Threads that come together each make one, and all use the first.
        Ok(known.entry(name.to_owned()).or_insert(kernel).clone())
    }

    /// The module as it was loaded.
    #[must_use]
    pub fn module(&self) -> &Arc<CudaModule> {
        &self.module
    }

    /// The context that it was loaded into.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }
}

/// A kernel of [`Kernels`]: a `CudaFunction`, which is another one in each place that uses it. Copies of this share all.
///
/// It derefs to the `CudaFunction` of the place where it is used so, which is loaded there at its first use
/// ([`Kernels`] says what that costs). Should the driver refuse it, it is the kernel as it was loaded at first, and one line
/// on stderr says so.
#[derive(Clone)]
pub struct Kernel(Arc<Loaded>);

struct Loaded {
    plain: CudaFunction,
    #[cfg(feature = "enabled")]
    copies: Option<Copies>,
}

impl Kernel {
    /// As `CudaFunction::set_attribute`, for this kernel in every place: in those that come later, too.
    ///
    /// # Errors
    /// Those of `CudaFunction::set_attribute`: the driver refused it for the kernel as it was loaded, and nothing changed.
    pub fn set_attribute(&self, attribute: CUfunction_attribute_enum, value: i32) -> Result<(), DriverError> {
        self.set(move |function| function.set_attribute(attribute, value))
    }

    /// As `CudaFunction::set_function_cache_config`, for this kernel in every place: in those that come later, too.
    ///
    /// # Errors
    /// Those of `CudaFunction::set_function_cache_config`: as of [`set_attribute`](Self::set_attribute).
    pub fn set_function_cache_config(&self, config: CUfunc_cache_enum) -> Result<(), DriverError> {
        self.set(move |function| function.set_function_cache_config(config))
    }

    fn set(
        &self,
        setting: impl Fn(&CudaFunction) -> Result<(), DriverError> + Send + Sync + 'static,
    ) -> Result<(), DriverError> {
        setting(&self.0.plain)?;
        #[cfg(feature = "enabled")]
        if let Some(copies) = &self.0.copies {
            copies.set(Box::new(setting));
        }
        Ok(())
    }
}

impl Deref for Kernel {
    type Target = CudaFunction;

    #[track_caller]
    #[inline]
    fn deref(&self) -> &CudaFunction {
        #[cfg(feature = "enabled")]
        if let Some(copies) = &self.0.copies
            && let Some(own) = copies.at(std::panic::Location::caller())
        {
            return own;
        }
        &self.0.plain
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernels").field("module", &self.module).finish_non_exhaustive()
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("function", &self.0.plain).finish_non_exhaustive()
    }
}
