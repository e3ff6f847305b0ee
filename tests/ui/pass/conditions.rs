//! Where a condition stands inside of a statement, what is in front of the statement stays: nobody is told of it.

#![deny(warnings)]

use launchsite::gpu_kernel;

struct LaunchConfig;

struct Builder;

impl Builder {
    fn launch(&mut self, _: LaunchConfig) -> Result<u32, ()> {
        Ok(1)
    }
}

struct Both {
    #[cfg(any())]
    a: u32,
    b: u32,
}

#[gpu_kernel]
fn in_parts(b: &mut Builder, x: u32) -> Result<u32, ()> {
    let chosen = match x {
        #[cfg(any())]
        0 => b.launch(LaunchConfig)?,
        1 => b.launch(LaunchConfig)?,
        _ => 2,
    };
    let both = Both {
        #[cfg(any())]
        a: b.launch(LaunchConfig)?,
        b: 3,
    };
    let all = [
        #[cfg(any())]
        b.launch(LaunchConfig)?,
        4,
    ];
    Ok(chosen + both.b + all[0])
}

#[gpu_kernel]
fn whole(b: &mut Builder) -> u32 {
    #[cfg(any())]
    b.launch(LaunchConfig).unwrap();
    #[cfg_attr(all(), cfg(any()))]
    b.launch(LaunchConfig).unwrap();
    #[cfg_attr(all(), cfg(all()))]
    let launched = b.launch(LaunchConfig);
    launched.unwrap_or(0)
}

fn main() {
    assert_eq!(in_parts(&mut Builder, 1), Ok(8));
    assert_eq!(whole(&mut Builder), 1);
}
