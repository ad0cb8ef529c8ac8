//! How a handler says that it failed.

use std::num::NonZeroU16;

/// Why a message was rolled back: a 16-bit code that telemetry and replies carry.
///
/// Codes below `0xFF00` are the application's own; the others are Annulus's, listed in `annulus_abi::error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure(NonZeroU16);

impl Failure {
    /// A failure with this code, or `None` for 0, which means success.
    pub const fn new(code: u16) -> Option<Self> {
        match NonZeroU16::new(code) {
            Some(code) => Some(Self(code)),
            None => None,
        }
    }

    /// The code, never 0.
    #[inline]
    pub const fn code(self) -> u16 {
        self.0.get()
    }
}

impl From<NonZeroU16> for Failure {
    fn from(code: NonZeroU16) -> Self {
        Self(code)
    }
}

/// What a handler may return: nothing, or a `Result` whose error turns into a [`Failure`].
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}`",
    label = "neither `()` nor `Result<(), E>` with an error that turns into a `Failure`",
    note = "return `Result<(), Failure>`, or write `impl From<YourError> for Failure`"
)]
pub trait HandlerReturn {
    /// Success, or the code of what went wrong.
    fn into_verdict(self) -> Result<(), Failure>;
}

impl HandlerReturn for () {
    #[inline(always)]
    fn into_verdict(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl<E: Into<Failure>> HandlerReturn for Result<(), E> {
    #[inline]
    fn into_verdict(self) -> Result<(), Failure> {
        self.map_err(Into::into)
    }
}
