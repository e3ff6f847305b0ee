//! The profiler with the feature off: the same items, empty.

use super::{ProfilerError, Reading, Token};

/// Opens no window: the feature `enabled` is off.
#[derive(Debug)]
pub struct Profiler(());

/// None is made: the feature `enabled` is off.
#[derive(Debug)]
pub enum Span {}

impl Profiler {
    /// Whatever `context` is.
    #[inline]
    #[must_use]
    pub fn new<C: ?Sized>(_context: &C) -> Self {
        Self(())
    }

    /// Opens nothing.
    ///
    /// # Errors
    /// Always [`ProfilerError::Off`].
    #[inline]
    pub fn start<S: ?Sized>(&self, _stream: &S) -> Result<Token, ProfilerError> {
        Err(ProfilerError::Off)
    }

    /// Has nothing to close.
    ///
    /// # Errors
    /// Always [`ProfilerError::Off`].
    #[inline]
    pub fn stop(&self, _token: Token) -> Result<Span, ProfilerError> {
        Err(ProfilerError::Off)
    }

    /// Has nothing to abandon.
    ///
    /// # Errors
    /// Always [`ProfilerError::Off`].
    #[inline]
    pub fn abandon(&self, _token: Token) -> Result<(), ProfilerError> {
        Err(ProfilerError::Off)
    }

    /// Has nothing that fails.
    #[inline]
    pub fn failure(&self, _error: ProfilerError) {}

    /// Does `work`, and nothing else.
    #[inline]
    pub fn measure<S: ?Sized, T>(&self, _stream: &S, work: impl FnOnce() -> T) -> (T, Result<Span, ProfilerError>) {
        (work(), Err(ProfilerError::Off))
    }
}

impl Span {
    /// There is none.
    ///
    /// # Errors
    /// None, since there is none.
    #[inline]
    pub fn resolve(self) -> Result<Reading, ProfilerError> {
        match self {}
    }
}
