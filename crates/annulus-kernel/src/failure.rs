//! How a handler says that it failed.

use std::num::NonZeroU16;

use annulus_abi::error::FIRST_OWN;

/// Why a message was rolled back: a 16-bit code of the application's that telemetry, status and replies carry.
///
/// Codes from `0xFF00` on are Annulus's own, listed in `annulus_abi::error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure(NonZeroU16);

impl Failure {
    /// The failure with this code, `1 ..= 0xFEFF`: meant for constants.
    ///
    /// ```
    /// # use annulus_kernel::Failure;
    /// const OVERDRAWN: Failure = Failure::of(1);
    /// assert_eq!(OVERDRAWN.code(), 1);
    /// ```
    ///
    /// # Panics
    ///
    /// If the code is 0, which means success, or not below `0xFF00`; in a constant the compiler says so.
    pub const fn of(code: u16) -> Self {
        match Self::new(code) {
            Some(failure) => failure,
            None => {
                panic!("a failure's code is 1 ..= 0xFEFF: 0 means success, and the others are Annulus's own")
            }
        }
    }

    /// The failure with this code, or `None` if it is 0 or not below `0xFF00`.
    pub const fn new(code: u16) -> Option<Self> {
        match NonZeroU16::new(code) {
            Some(nonzero) if code < FIRST_OWN => Some(Self(nonzero)),
            _ => None,
        }
    }

    /// The code, never 0.
    #[inline]
    pub const fn code(self) -> u16 {
        self.0.get()
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
