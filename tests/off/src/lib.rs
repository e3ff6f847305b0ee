//! Uses all of launchsite with its feature off. What "off costs nothing" means is a build failure where it is untrue.

use launchsite::{gpu_kernel, host};

const _: () = assert!(!launchsite::ENABLED);
const _: () = assert!(size_of::<launchsite::Guard>() == 0);

/// What a launch looks like to the macro, without a library behind it.
pub struct Builder<'a> {
    pub calls: &'a mut u64,
    pub argument: u64,
}

#[derive(Clone, Copy)]
pub struct Config {
    pub grid: u32,
}

impl Builder<'_> {
    pub fn arg(&mut self, value: u64) -> &mut Self {
        self.argument = self.argument.wrapping_mul(31).wrapping_add(value);
        self
    }

    /// # Safety
    /// None is needed: it stands for a call that needs some.
    #[inline(never)]
    pub unsafe fn launch(&mut self, config: Config) -> Result<Option<u32>, u32> {
        *self.calls += 1;
        if config.grid == 0 { Err(1) } else { Ok(Some(config.grid ^ self.argument as u32)) }
    }
}

macro_rules! pair {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        #[inline(never)]
        pub fn $name(builder: &mut Builder<'_>, grid: u32, scale: u64) -> Result<u32, u32> {
            let config = Config { grid };
            let first = unsafe { builder.arg(scale).launch(config) }?;
            for turn in 0..grid {
                builder.arg(u64::from(turn));
                let Ok(_) = (unsafe { builder.launch(config) }) else { return Err(turn) };
            }
            Ok(first.unwrap_or(0))
        }
    };
}

// The same function twice, once with the attribute: `tests/assembly.rs` compares what the compiler makes of them.
pair!(bare);
pair!(
    #[gpu_kernel]
    instrumented
);
pair!(bare_told);
pair!(
    #[gpu_kernel(scope, stream = builder, caller, name = "gemm {grid}x{scale}")]
    instrumented_told
);

/// What a generic function and a method are made for.
pub struct Layer<T>(pub T);

macro_rules! generic_pair {
    ($(#[$attribute:meta])* $function:ident $method:ident $used:ident) => {
        $(#[$attribute])*
        #[inline(never)]
        pub fn $function<T: Into<u64> + Copy, const N: u32>(builder: &mut Builder<'_>, scale: T) -> Result<u32, u32> {
            builder.arg(scale.into());
            let done = (0..N).try_fold(0, |sum, grid| {
                let config = Config { grid: grid + 1 };
                unsafe { builder.launch(config) }.map(|value| value.unwrap_or(0) ^ sum)
            });
            done.map_err(|code| code + N)
        }

        impl<T: Into<u64> + Copy> Layer<T> {
            $(#[$attribute])*
            #[inline(never)]
            pub fn $method(&self, builder: &mut Builder<'_>) -> Result<u32, u32> {
                let config = Config { grid: 7 };
                let value = unsafe { builder.arg(self.0.into()).launch(config) }?;
                Ok(value.unwrap_or(1))
            }
        }

        /// Makes the instantiations that are compared.
        pub fn $used(builder: &mut Builder<'_>) -> Result<u32, u32> {
            let first = $function::<u32, 3>(builder, 5)? ^ $function::<u64, 40>(builder, 6)?;
            Ok(first ^ Layer(7_u32).$method(builder)? ^ Layer(8_u64).$method(builder)?)
        }
    };
}

generic_pair!(generic_bare method_bare use_bare);
generic_pair!(
    #[gpu_kernel]
    generic_hook method_hook use_hook
);

/// The stand-in is there with the feature off, and launches run.
#[gpu_kernel(name = "counted")]
pub fn count(stream: &host::Stream, work: impl Fn() + Send + Sync + 'static) -> Result<(), host::Error> {
    stream.launch_builder("count", work).launch(host::LaunchConfig::for_num_elems(1))
}
