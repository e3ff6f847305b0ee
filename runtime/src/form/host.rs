//! Launches on the host stand-in.

use super::{Geometry, GraphPlace, Seen};
use crate::device::host::{Error, Host, LaunchArgs, LaunchConfig, Stream};
use crate::lane::Place;

pub(super) type Launched = Result<(), Error>;
pub(super) type Config = LaunchConfig;
pub(super) use crate::device::host::Graph;
pub(super) type Builder<'s> = LaunchArgs<'s>;

pub(super) fn geometry(config: &Config) -> Geometry {
    Geometry { grid: config.grid_dim.into(), block: config.block_dim.into(), shared_mem_bytes: config.shared_mem_bytes }
}

fn at(host: Host, stream: u64) -> Seen {
    let place = Place { device: host.device(), context: host.context(), ordinal: 0 };
    let may_wait = host.script().imitation().is_some_and(|imitation| imitation.waits);
    Seen { place, stream, kernel: None, may_wait, owner: None }
}

pub(super) fn seen(builder: &Builder<'_>) -> Seen {
    let stream = builder.stream();
    Seen { kernel: Some(builder.kernel()), ..at(stream.host(), stream.handle()) }
}

impl super::AsStream for Stream {
    fn seen(&self) -> Option<Seen> {
        Some(at(self.host(), self.handle()))
    }
}

impl super::AsStream for std::sync::Arc<Stream> {
    fn seen(&self) -> Option<Seen> {
        Some(at(self.host(), self.handle()))
    }
}

impl GraphPlace for Graph {
    fn seen(&self) -> Option<Seen> {
        let (host, stream) = self.stream();
        Some(at(host, stream))
    }

    fn handles(&self) -> crate::device::graph::Graph {
        Graph::handles(self)
    }
}

impl super::Builder for LaunchArgs<'_> {
    fn seen(&self) -> Option<Seen> {
        Some(seen(self))
    }
}
