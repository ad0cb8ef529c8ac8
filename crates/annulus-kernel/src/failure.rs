//! How a handler reports that it failed.

use std::{any::Any, num::NonZeroU16};

use annulus_abi::error::{self, ErrorName, FIRST_OWN};

/// Why a message was rolled back: a 16-bit code of the application. Telemetry, status and replies carry it.
///
/// Codes from `0xFF00` on belong to Annulus; `annulus_abi::error` lists them.
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
    /// If the code is 0, which means success, or not below `0xFF00`. In a constant this is a compile error.
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

/// An error of the application whose codes have names. `#[derive(ErrorCode)]` implements it for an enum
/// without fields.
///
/// A handler that returns `Result<(), E>` of such an error is one whose failures are shown by these names.
pub trait ErrorCode: Copy + Into<Failure> + 'static {
    /// The codes and what they are called, in the order of the enum.
    const NAMES: &'static [ErrorName];

    /// The variants, in the same order: what a device must know of their `==` is asked of them.
    #[doc(hidden)]
    const VARIANTS: &'static [Self];
}

/// The code that a variant's value is; in a constant, a compile error if it is none.
#[doc(hidden)]
pub const fn error_code(value: i128) -> u16 {
    assert!(
        value > 0 && value < FIRST_OWN as i128,
        "an error code is 1 ..= 0xFEFF: 0 means success, and the others are Annulus's own"
    );
    value as u16
}

/// The names of a handler's failures, given what it returns: the constant `NAMES`. That of the type is taken
/// where its bound holds, and else that of the trait [`NoErrorNames`], which must be in scope.
#[doc(hidden)]
pub struct ErrorNamesOf<R>(core::marker::PhantomData<R>);

impl<E: ErrorCode> ErrorNamesOf<Result<(), E>> {
    /// Those of its error.
    pub const NAMES: &'static [ErrorName] = E::NAMES;
}

/// See [`ErrorNamesOf`].
#[doc(hidden)]
pub trait NoErrorNames {
    /// None.
    const NAMES: &'static [ErrorName] = &[];
}

impl<R> NoErrorNames for ErrorNamesOf<R> {}

/// What a handler may return: nothing, or a `Result` whose error turns into a [`Failure`].
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}`",
    label = "neither `()` nor `Result<(), E>` with an error that turns into a `Failure`",
    note = "return `Result<(), Failure>`, or write `impl From<YourError> for Failure`"
)]
pub trait HandlerReturn {
    /// Success, or the error's code.
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

/// The code of a handler that panicked, from the panic's text. An index out of bounds, a division by zero and
/// an overflow have codes of their own, which devices return, too. Any other panic is
/// [`PANICKED`](error::PANICKED).
///
/// The texts are those of the standard library. If one of them changes, its panics become `PANICKED`.
///
/// ```
/// use annulus_kernel::panic_code;
///
/// let panic = std::panic::catch_unwind(|| [1, 2, 3][std::hint::black_box(7)]).expect_err("out of bounds");
/// assert_eq!(panic_code(&*panic), annulus_abi::error::INDEX_OUT_OF_BOUNDS);
/// ```
pub fn panic_code(panic: &(dyn Any + Send)) -> u16 {
    let text = match (panic.downcast_ref::<&'static str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => return error::PANICKED,
    };
    // An index, or one of the ends of a range.
    let of_indices =
        ["index out of bounds: ", "range start index ", "range end index ", "slice index starts at "];
    if of_indices.iter().any(|beginning| text.starts_with(beginning)) {
        return error::INDEX_OUT_OF_BOUNDS;
    }
    if text.starts_with(crate::cooperate::NOT_REACHED) {
        return error::BARRIER_NOT_REACHED;
    }
    if text.starts_with(crate::cooperate::NOT_THE_LEADER) {
        return error::NOT_THE_LEADER;
    }
    match text {
        "attempt to divide by zero" | "attempt to calculate the remainder with a divisor of zero" => {
            error::DIVISION_BY_ZERO
        }
        "attempt to add with overflow"
        | "attempt to subtract with overflow"
        | "attempt to multiply with overflow"
        | "attempt to divide with overflow"
        | "attempt to calculate the remainder with overflow"
        | "attempt to negate with overflow"
        | "attempt to shift left with overflow"
        | "attempt to shift right with overflow" => error::OVERFLOW,
        _ => error::PANICKED,
    }
}
