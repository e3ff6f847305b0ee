//! Launches of kernels.

use crate::abi::{
    COOPERATIVE_LAUNCH_TOO_LARGE, Done, Handle, HostAddress, INVALID_HANDLE, INVALID_VALUE, LaunchConfig, Out,
    Parameters, Status,
};
use crate::captures::{Kind, Node};
use crate::driver::{Driver, driver};
use crate::log::{Told, call};

/// Of a block.
pub(crate) const MOST_THREADS: u32 = 1024;
/// Of a cooperative launch: as many as there can be at once.
const MOST_BLOCKS: u32 = 8 * 32;

fn launch(told: &mut Told, function: Handle, config: &LaunchConfig, parameters: &Parameters) -> Done {
    let mut driver = driver();
    let key = driver.key(config.stream)?;
    let kernel = driver.functions.get(&function).ok_or(INVALID_HANDLE)?.clone();
    let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (config.grid, config.block);
    told.text("function", kernel.name()).stream(key);
    told.number("grid", format_args!("[{grid_x},{grid_y},{grid_z}]"));
    told.number("block", format_args!("[{block_x},{block_y},{block_z}]"));
    if kernel.context != key.context {
        return Err(INVALID_HANDLE);
    }
    let threads = u64::from(block_x) * u64::from(block_y) * u64::from(block_z);
    if config.grid.contains(&0) || threads == 0 || threads > u64::from(MOST_THREADS) {
        return Err(INVALID_VALUE);
    }
    let stores: Vec<_> =
        kernel.stores.iter().filter_map(|&(index, value)| Some((parameters.address(index)?, value))).collect();
    let work = move |driver: &mut Driver| {
        for (at, value) in &stores {
            driver.overwrite(*at, &value.to_ne_bytes());
        }
    };
    let captured = driver.submit(key, Node { function: Some(function), ..Node::new(Kind::Kernel, work) })?;
    told.number("captured", captured);
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "CUDA's")]
#[unsafe(no_mangle)]
extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: Handle,
    parameters: Parameters,
    _extra: HostAddress,
) -> Status {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    let config = LaunchConfig { grid, block, shared, stream, attributes: 0, attribute_count: 0 };
    call("cuLaunchKernel", |told| launch(told, function, &config, &parameters))
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchKernelEx(
    config: Out<LaunchConfig>,
    function: Handle,
    parameters: Parameters,
    _extra: HostAddress,
) -> Status {
    call("cuLaunchKernelEx", |told| {
        let config = config.get()?;
        told.number("attributes", config.attribute_count);
        launch(told, function, &config, &parameters)
    })
}

#[allow(clippy::too_many_arguments, reason = "CUDA's")]
#[unsafe(no_mangle)]
extern "C" fn cuLaunchCooperativeKernel(
    function: Handle,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: Handle,
    parameters: Parameters,
) -> Status {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    let config = LaunchConfig { grid, block, shared, stream, attributes: 0, attribute_count: 0 };
    call("cuLaunchCooperativeKernel", |told| {
        if grid_x > MOST_BLOCKS {
            return Err(COOPERATIVE_LAUNCH_TOO_LARGE);
        }
        launch(told, function, &config, &parameters)
    })
}
