//! Whether a call succeeded whose type is somebody else's.

/// The borrowed value of a call.
#[derive(Debug)]
pub struct Outcome<'v, V>(pub &'v V);

/// The value is a `Result`.
pub trait SomeResult {
    #[doc(hidden)]
    fn launchsite_is_ok(&self) -> bool;
}

impl<T, E> SomeResult for &Outcome<'_, Result<T, E>> {
    #[inline]
    fn launchsite_is_ok(&self) -> bool {
        self.0.is_ok()
    }
}

/// The value is something else: nothing says that the call failed.
pub trait SomeValue {
    #[doc(hidden)]
    fn launchsite_is_ok(&self) -> bool;
}

impl<V> SomeValue for Outcome<'_, V> {
    #[inline]
    fn launchsite_is_ok(&self) -> bool {
        true
    }
}
