//! What `stream = expr` may be.

use std::rc::Rc;

use super::Seen;

/// A stream, a pointer to one, or a stream's handle as the driver and the runtime library have it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stream",
    label = "a `CudaStream`, a stream of the host stand-in, a pointer to one, or the driver's own handle"
)]
pub trait AsStream {
    /// Where a launch on it goes; `None` where the driver does not tell.
    #[doc(hidden)]
    fn seen(&self) -> Option<Seen>;
}

/// Where a launch on `stream` goes.
#[inline]
pub fn stream_of<S: AsStream + ?Sized>(stream: &S) -> Option<Seen> {
    stream.seen()
}

macro_rules! pointers {
    ($($pointer:ty)*) => { $(
        impl<T: AsStream + ?Sized> AsStream for $pointer {
            #[inline]
            fn seen(&self) -> Option<Seen> {
                T::seen(self)
            }
        }
    )* };
}

pointers!(&T &mut T Box<T> Rc<T>);

/// A handle: of what library's binding, only its user knows.
impl<T> AsStream for *mut T {
    fn seen(&self) -> Option<Seen> {
        #[cfg(feature = "cudarc")]
        let seen = super::cudarc::handle(u64::try_from(self.addr()).unwrap_or_default());
        #[cfg(not(feature = "cudarc"))]
        let seen = None;
        seen
    }
}
