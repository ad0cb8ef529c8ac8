//! What `#[ring_kernel]` puts around expressions whose type it must know. Not for use in programs.

pub use crate::function::{
    Compares, Converts, Handed, HasErrorComparison, HasErrorConversion, HasMixedComparison, HasNoOperator,
    HasNone, HasOperator, HasOwn, Operands, Operates, Own, alone, attempt, function, handed, left, left_of,
    method, receiver, right, right_of, without_companion,
};
pub use crate::print::{Shown, Words, Written};
pub use crate::tree::{KernelTree, Witness, Witnessed};
use crate::{ErrorCode, Failure, PrintSite, typed::Typed};

/// The type that was inferred.
pub fn ty<T: Typed>(_: &Witness<T>) -> Witnessed {
    Witnessed { ty: T::ty(), value: None }
}

/// The type that was inferred, and the value of the constant.
pub fn value<T: Typed>(_: &Witness<T>, value: &T) -> Witnessed {
    Witnessed { ty: T::ty(), value: Some(value.value()) }
}

/// The type that was inferred, and its default.
pub fn default<T: Typed + Default>(_: &Witness<T>) -> Witnessed {
    Witnessed { ty: T::ty(), value: Some(T::default().value()) }
}

/// The value unchanged; the witness has its type.
pub fn see<T: Typed>(_: &Witness<T>, value: T) -> T {
    value
}

/// Likewise for a type of which the body has made a value before: errors about the type were reported there.
pub fn seen_before<T>(_: &Witness<T>, value: T) -> T {
    value
}

/// The result unchanged; the witness has the type of what was asked for, and none has that of the error.
pub fn tried<T: Typed, E>(_: &Witness<T>, value: Result<T, E>) -> Result<T, E> {
    value
}

/// The standard library's `Reverse`, and no other one.
pub fn reversed<T>(value: std::cmp::Reverse<T>) -> std::cmp::Reverse<T> {
    value
}

/// The reference unchanged; the witness has the type of its target.
pub fn lent<'a, T: Typed>(_: &Witness<T>, value: &'a T) -> &'a T {
    value
}

/// The reference unchanged; it may be compared with another one. The witness has the type of the option
/// without the reference.
pub fn lent_some<'a, T: Typed>(_: &Witness<Option<T>>, value: Option<&'a T>) -> Option<&'a T> {
    value
}

/// The value unchanged. A struct's or variant's name made it: `pattern` uses that name in a pattern, which is
/// impossible for a function's name.
pub fn made<T: Typed>(_: &Witness<T>, value: T, _pattern: fn(&T) -> bool) -> T {
    value
}

/// Likewise for a type of which the body has made a value before.
pub fn made_before<T>(_: &Witness<T>, value: T, _pattern: fn(&T) -> bool) -> T {
    value
}

/// The function unchanged; it must be the same as the other one: each function has a type of its own.
pub fn same<F>(function: F, _: F) -> F {
    function
}

/// What a handler may return on a device.
#[diagnostic::on_unimplemented(
    message = "on a device a handler returns nothing or `Result<(), Failure>`, not `{Self}`",
    label = "a device has no error but `Failure`",
    note = "write `Result<(), Failure>`, a constant, `const OVERDRAWN: Failure = Failure::of(1);`, and `Err(OVERDRAWN)`",
    note = "or derive `ErrorCode` for an enum of the errors",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait DeviceVerdict {}

impl DeviceVerdict for () {}
impl DeviceVerdict for Result<(), Failure> {}
#[diagnostic::do_not_recommend]
impl<E: ErrorCode> DeviceVerdict for Result<(), E> {}

/// Requires that a device can return the handler's return type.
pub fn verdict<R: DeviceVerdict>() {}

/// The type of a print's argument without its references.
pub fn shown<V, A: Shown<V> + ?Sized>(_: &A) -> V {
    unreachable!("a body with witnesses is never run")
}

/// A print: the witness has the types of its arguments.
pub fn print<P>(_: &Witness<P>, _: P) {}

/// A print whose arguments' types were inferred.
pub fn site<P: Words>(_: &Witness<P>, file: &'static str, line: u32, format: Written<P>) -> PrintSite {
    PrintSite::new(file, line, format)
}
