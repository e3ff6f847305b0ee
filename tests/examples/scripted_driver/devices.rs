//! The driver itself, and its devices.

use crate::abi::{Done, INVALID_DEVICE, INVALID_VALUE, Out, Status};
use crate::log::call;

const DEVICES: i32 = 2;
const MEMORY: usize = 1 << 34;

/// `ordinal`, if there is such a device.
pub(crate) fn device(ordinal: i32) -> Done<i32> {
    (0..DEVICES).contains(&ordinal).then_some(ordinal).ok_or(INVALID_DEVICE)
}

#[unsafe(no_mangle)]
extern "C" fn cuInit(flags: u32) -> Status {
    call("cuInit", |_| if flags == 0 { Ok(()) } else { Err(INVALID_VALUE) })
}

#[unsafe(no_mangle)]
extern "C" fn cuDriverGetVersion(version: Out<i32>) -> Status {
    call("cuDriverGetVersion", |_| version.put(13_000))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetCount(count: Out<i32>) -> Status {
    call("cuDeviceGetCount", |_| count.put(DEVICES))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGet(to: Out<i32>, ordinal: i32) -> Status {
    call("cuDeviceGet", |_| to.put(device(ordinal)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetName(name: Out<u8>, len: i32, ordinal: i32) -> Status {
    call("cuDeviceGetName", |_| {
        let text = format!("Scripted Device {}\0", device(ordinal)?);
        name.fill(text.as_bytes(), usize::try_from(len).unwrap_or(0));
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, ordinal: i32) -> Status {
    call("cuDeviceGetUuid", |_| {
        let last = u8::try_from(device(ordinal)?).map_err(|_| INVALID_DEVICE)?;
        uuid.put([0x5c, 0x21, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, last])
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, ordinal: i32) -> Status {
    cuDeviceGetUuid(uuid, ordinal)
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceTotalMem_v2(bytes: Out<usize>, ordinal: i32) -> Status {
    call("cuDeviceTotalMem_v2", |_| device(ordinal).and_then(|_| bytes.put(MEMORY)))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetAttribute(value: Out<i32>, attribute: u32, ordinal: i32) -> Status {
    call("cuDeviceGetAttribute", |_| {
        device(ordinal)?;
        // By the numbers of `CUdevice_attribute`.
        value.put(match attribute {
            1 => 1024,       // threads of a block
            8 => 48 << 10,   // shared memory of a block
            10 => 32,        // threads of a warp
            16 => 8,         // multiprocessors
            75 => 9,         // compute capability
            97 => 227 << 10, // shared memory of a block that asks for it
            95 | 115 => 1,   // cooperative launches, memory pools
            _ => 0,
        })
    })
}
