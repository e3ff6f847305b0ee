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

/// The stand-in is there with the feature off, and launches run.
#[gpu_kernel(name = "counted")]
pub fn count(stream: &host::Stream, work: impl Fn() + Send + Sync + 'static) -> Result<(), host::Error> {
    stream.launch_builder("count", work).launch(host::LaunchConfig::for_num_elems(1))
}
