//! Launches on the host stand-in.

use super::{Geometry, Seen};
use crate::device::host::{Error, LaunchArgs, LaunchConfig};
use crate::lane::Place;

pub(super) type Launched = Result<(), Error>;
pub(super) type Config = LaunchConfig;
pub(super) type Builder<'s> = LaunchArgs<'s>;

pub(super) fn geometry(config: &Config) -> Geometry {
    Geometry { grid: config.grid_dim.into(), block: config.block_dim.into(), shared_mem_bytes: config.shared_mem_bytes }
}

pub(super) fn seen(builder: &Builder<'_>) -> Seen {
    let stream = builder.stream();
    let host = stream.host();
    let place = Place { device: host.device(), context: host.context(), ordinal: 0 };
    let may_wait = host.script().imitation().is_some_and(|imitation| imitation.waits);
    Seen { place, stream: stream.handle(), kernel: Some(builder.kernel()), may_wait }
}

impl super::Builder for LaunchArgs<'_> {
    fn seen(&self) -> Option<Seen> {
        Some(seen(self))
    }
}
