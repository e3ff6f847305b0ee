//! Memory of the devices, which is the host's behind addresses of its own.

use crate::abi::{Address, Done, Handle, HostAddress, INVALID_VALUE, Out, Status, host_bytes, write_host_bytes};
use crate::captures::{Kind, Node};
use crate::driver::{Driver, driver, wait_until};
use crate::log::{Told, call};

/// No address of the host's: whoever dereferences one crashes.
const FIRST: Address = 0xd000_0000_0000_0000;
const ALIGNMENT: Address = 512;

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) context: Handle,
    bytes: Vec<u8>,
}

impl Driver {
    fn allocate(&mut self, len: usize) -> Done<Address> {
        let context = self.current()?;
        if len == 0 {
            return Err(INVALID_VALUE);
        }
        let end = self.memory.last_key_value().map_or(FIRST, |(at, block)| at + block.bytes.len() as Address);
        let at = end.next_multiple_of(ALIGNMENT);
        // What is in fresh memory is nobody's to rely on: not zeros.
        self.memory.insert(at, Block { context, bytes: vec![0xa5; len] });
        Ok(at)
    }

    fn free(&mut self, at: Address) -> Done {
        self.memory.remove(&at).map(|_| ()).ok_or(INVALID_VALUE)
    }

    fn bytes(&mut self, at: Address, len: usize) -> Done<&mut [u8]> {
        let (first, block) = self.memory.range_mut(..=at).next_back().ok_or(INVALID_VALUE)?;
        let from = usize::try_from(at - first).map_err(|_| INVALID_VALUE)?;
        from.checked_add(len).and_then(|end| block.bytes.get_mut(from..end)).ok_or(INVALID_VALUE)
    }

    /// Overwrites what is there, as far as there is any: the addresses were looked at when the work was submitted.
    pub(crate) fn overwrite(&mut self, at: Address, bytes: &[u8]) {
        if let Ok(room) = self.bytes(at, bytes.len()) {
            room.copy_from_slice(bytes);
        }
    }

    fn submit_copy(
        &mut self,
        told: &mut Told,
        stream: Handle,
        work: impl Fn(&mut Self) + Send + Sync + 'static,
    ) -> Done {
        let key = self.key(stream)?;
        let captured = self.submit(key, Node::new(Kind::Other, work))?;
        told.stream(key).number("captured", captured);
        Ok(())
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) -> Status {
    call("cuMemGetInfo_v2", |_| free.put(1 << 33).and_then(|()| total.put(1 << 34)))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAlloc_v2(to: Out<Address>, len: usize) -> Status {
    call("cuMemAlloc_v2", |told| {
        told.number("bytes", len);
        let mut driver = driver();
        driver.check_safe()?;
        to.put(driver.allocate(len)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(at: Address) -> Status {
    call("cuMemFree_v2", |_| {
        let mut driver = driver();
        driver.check_safe()?;
        driver.free(at)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocAsync(to: Out<Address>, len: usize, stream: Handle) -> Status {
    call("cuMemAllocAsync", |told| {
        told.number("bytes", len);
        let mut driver = driver();
        let at = driver.allocate(len)?;
        driver.submit_copy(told, stream, |_| {})?;
        to.put(at)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeAsync(at: Address, stream: Handle) -> Status {
    call("cuMemFreeAsync", |told| {
        let mut driver = driver();
        driver.bytes(at, 1)?;
        driver.submit_copy(told, stream, move |driver| {
            let _ = driver.free(at);
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostAlloc(to: Out<HostAddress>, len: usize, _flags: u32) -> Status {
    call("cuMemHostAlloc", |_| {
        let mut bytes = vec![0_u8; len];
        let at = bytes.as_mut_ptr().expose_provenance();
        driver().pinned.insert(at, bytes);
        to.put(at)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(at: HostAddress) -> Status {
    call("cuMemFreeHost", |_| driver().pinned.remove(&at).map(|_| ()).ok_or(INVALID_VALUE))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8Async(to: Address, value: u8, len: usize, stream: Handle) -> Status {
    call("cuMemsetD8Async", |told| {
        told.number("bytes", len);
        let mut driver = driver();
        driver.bytes(to, len)?;
        driver.submit_copy(told, stream, move |driver| driver.overwrite(to, &vec![value; len]))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyHtoDAsync_v2(to: Address, from: HostAddress, len: usize, stream: Handle) -> Status {
    call("cuMemcpyHtoDAsync_v2", |told| {
        told.number("bytes", len);
        let mut driver = driver();
        driver.bytes(to, len)?;
        host_bytes(from, len)?;
        driver.submit_copy(told, stream, move |driver| {
            let bytes = host_bytes(from, len).unwrap_or_default();
            driver.overwrite(to, &bytes);
        })
    })
}

/// Into pageable memory: the driver comes back when it is done.
#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoHAsync_v2(to: HostAddress, from: Address, len: usize, stream: Handle) -> Status {
    call("cuMemcpyDtoHAsync_v2", |told| {
        told.number("bytes", len);
        let free_at = {
            let mut driver = driver();
            driver.bytes(from, len)?;
            driver.submit_copy(told, stream, move |driver| {
                if let Ok(bytes) = driver.bytes(from, len) {
                    write_host_bytes(to, bytes);
                }
            })?;
            let key = driver.key(stream)?;
            driver.stream(key).free_at
        };
        wait_until(free_at);
        Ok(())
    })
}

fn between_devices(told: &mut Told, to: Address, from: Address, len: usize, stream: Handle) -> Done {
    told.number("bytes", len);
    let mut driver = driver();
    driver.bytes(to, len)?;
    driver.bytes(from, len)?;
    driver.submit_copy(told, stream, move |driver| {
        let bytes = driver.bytes(from, len).map(|bytes| bytes.to_vec()).unwrap_or_default();
        driver.overwrite(to, &bytes);
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoDAsync_v2(to: Address, from: Address, len: usize, stream: Handle) -> Status {
    call("cuMemcpyDtoDAsync_v2", |told| between_devices(told, to, from, len, stream))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyPeerAsync(
    to: Address,
    _to_context: Handle,
    from: Address,
    _from_context: Handle,
    len: usize,
    stream: Handle,
) -> Status {
    call("cuMemcpyPeerAsync", |told| between_devices(told, to, from, len, stream))
}
