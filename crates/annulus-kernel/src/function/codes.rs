//! Error codes in comparisons and conversions: on a device they are numbers, which do not tell their type.

use std::any::TypeId;

use super::{Behind, Compares, HasNoOperator, HasOperator, Operands, Operates};
use crate::{
    ErrorCode, Failure,
    tree::{Callee, FunctionTree, Witness},
};

/// Error codes are compared: on a device, by their numbers. A `PartialEq` that says something else is a function that no device
/// knows, as is any order.
pub trait HasErrorComparison {
    /// A function that no device knows; `None` if the numbers say the same.
    fn callee(&self) -> Option<Callee>;
}

impl<E: ErrorCode + PartialEq + 'static, const NAME: u128> HasErrorComparison for &&Compares<'_, E, E, NAME> {
    fn callee(&self) -> Option<Callee> {
        by_numbers::<E>()
    }
}

impl<E: ErrorCode + PartialEq + 'static, const NAME: u128> HasErrorComparison
    for &&Compares<'_, Behind<E>, Behind<E>, NAME>
{
    fn callee(&self) -> Option<Callee> {
        by_numbers::<E>()
    }
}

fn by_numbers<E: ErrorCode + PartialEq + 'static>() -> Option<Callee> {
    let code = |error: E| Into::<Failure>::into(error);
    let same = |a: E, b: E| (a == b) == (code(a) == code(b));
    let plain = E::VARIANTS.iter().all(|a| E::VARIANTS.iter().all(|b| same(*a, *b)));
    let tree = || {
        FunctionTree::unknown(
            "a device compares error codes by their numbers, and their `==` says something else: derive `PartialEq`, or `match` them",
        )
    };
    (!plain).then(|| Callee { id: TypeId::of::<Operands<E, E>>(), tree })
}

/// `From` between the errors of two types: by [`HasOperator`], then by [`HasErrorConversion`], otherwise by [`HasNoOperator`]. It
/// is called through two references.
#[derive(Debug)]
pub struct Converts<'w, L: ?Sized, R: ?Sized, const NAME: u128>(
    #[allow(dead_code)] &'w Witness<Operands<L, R>>,
);

impl<'w, L: ?Sized, R: ?Sized, const NAME: u128> Converts<'w, L, R, NAME> {
    /// Tests this witness.
    pub const fn of(witness: &'w Witness<Operands<L, R>>) -> Self {
        Self(witness)
    }
}

impl<L: ?Sized, R: ?Sized, const NAME: u128> HasOperator for &Converts<'_, L, R, NAME>
where
    for<'w> Operates<'w, L, R, NAME>: HasOperator,
{
    fn callee(&self) -> Option<Callee> {
        Operates::<L, R, NAME>::of(self.0).callee()
    }
}

/// An error code is made of another error. On a device both are numbers, and only a user's function says which becomes which.
pub trait HasErrorConversion {
    /// A function that no device knows; `None` if the types are the same.
    fn callee(&self) -> Option<Callee>;
}

impl<L: ErrorCode + 'static, R: ErrorCode + 'static, const NAME: u128> HasErrorConversion
    for &&Converts<'_, L, R, NAME>
{
    fn callee(&self) -> Option<Callee> {
        (TypeId::of::<L>() != TypeId::of::<R>()).then(converted_on_host::<L, R>)
    }
}

impl<L: ErrorCode + 'static, const NAME: u128> HasErrorConversion for &&Converts<'_, L, Failure, NAME> {
    fn callee(&self) -> Option<Callee> {
        Some(converted_on_host::<L, Failure>())
    }
}

fn converted_on_host<L: 'static, R: 'static>() -> Callee {
    let tree = || {
        FunctionTree::unknown(
            "an error code is made of another error by a function of yours: write `#[device_impl]` before its `impl From<…>`",
        )
    };
    Callee { id: TypeId::of::<Operands<L, R>>(), tree }
}

impl<L: ?Sized, R: ?Sized, const NAME: u128> HasNoOperator for Converts<'_, L, R, NAME> {}
