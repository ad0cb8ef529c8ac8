//! The user's functions that handlers call, as data: what `#[device_fn]` and `#[device_impl]` generate. Not
//! for use in programs.
#![allow(clippy::disallowed_types)] // These atomics are the user's data, not a protocol of ours.

mod codes;

use std::{
    any::TypeId,
    cmp,
    marker::PhantomData,
    sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering},
};

use crate::{
    Ask, Block, BlockArray, BlockCx, BlockValue, Cx, Failure, Inbox, Later, Outbox, Reply, ThisActor,
    tree::{Callee, FunctionTree, Witness},
    typed::Typed,
};

pub use codes::{Converts, HasErrorComparison, HasErrorConversion};

/// What a companion returns: it says that its function is of type `F`.
#[derive(Debug)]
pub struct Handed<F>(PhantomData<F>);

impl<F> Handed<F> {
    /// The type is inferred.
    #[allow(clippy::new_without_default)] // Nobody but the macro's output makes one.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// The function unchanged, with the type that its companion states.
pub fn handed<F>(_: Handed<F>, function: F) -> F {
    function
}

/// Replaces the companion of a function that has none.
pub mod without_companion {
    use std::marker::PhantomData;

    use super::{Handed, Witness};

    /// For a function that is called by `F`. If there is no such function at all, this is no type either, and
    /// no further error appears.
    #[allow(non_camel_case_types)] // The name that companions are imported by.
    #[derive(Debug)]
    pub struct __AnnulusCompanion<F>(PhantomData<F>);

    impl<F> __AnnulusCompanion<F> {
        /// Takes the function unchanged; the witness sees that nothing is known about it.
        pub fn __annulus_function(_: &Witness<Self>) -> Handed<F> {
            Handed::new()
        }
    }
}

/// The type with the same name beside a `#[device_fn]`.
#[diagnostic::on_unimplemented(
    message = "a device does not know this function",
    label = "it has no `#[device_fn]`",
    note = "write `#[device_fn]` before the function's definition, so that its body is known on devices too",
    note = "of the standard library's functions a device knows these, by their paths: `std::cmp::min` and `max`, `std::mem::replace`, \
            `swap` and `take`; or write a method, `a.max(b)`",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait DeviceFunction: 'static {
    /// The function as data.
    fn tree() -> FunctionTree;
}

/// The type has a function of this name (given as a number) that devices can call.
#[diagnostic::on_unimplemented(
    message = "a device has no such function of `{Self}`",
    label = "not a function that devices know",
    note = "the guide lists those of the standard library that devices know: docs/guide/language.md, methods and functions; of an \
            `Option`, a `Result` or a tuple, `()` stands for whatever it holds",
    note = "of a type of yours, write `#[device_impl]` before the `impl` block with this function",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait DeviceMethod<const NAME: u128>: Sized {
    /// The function as data.
    fn tree() -> FunctionTree;
}

/// A type, as the subject of questions about its functions: those of its own `impl` blocks, and those of its
/// traits with `#[device_trait]`.
#[derive(Debug)]
pub struct Subject<T: ?Sized>(PhantomData<*mut T>);

/// The functions of own `impl` blocks, and of traits without `#[device_trait]`.
#[derive(Debug)]
pub struct Inherent;

/// The subject has a function of this name. `M` distinguishes it from others of the same name: it stands for
/// the trait that has the function, so that `M` is inferred.
#[diagnostic::on_unimplemented(
    message = "a device has no such function of this type",
    label = "not a function that devices know",
    note = "write `#[device_impl]` before the `impl` block with this function, and `#[device_trait]` before the trait, if it is one's default",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait SubjectFunction<const NAME: u128, M> {
    /// The function as data.
    fn tree() -> FunctionTree;
}

impl<T: DeviceMethod<NAME>, const NAME: u128> SubjectFunction<NAME, Inherent> for Subject<T> {
    fn tree() -> FunctionTree {
        T::tree()
    }
}

/// The type is on the left side of a user's operator (given as its trait's number), or a conversion makes the
/// type from `R`.
pub trait DeviceOperator<const NAME: u128, R: 'static>: Sized {
    /// The function as data.
    fn tree() -> FunctionTree;
}

/// A reference to the type is on the left side of a user's operator.
pub trait DeviceReferenceOperator<const NAME: u128, R: 'static>: Sized {
    /// The function as data.
    fn tree() -> FunctionTree;
}

/// Types that may have user's operators.
pub trait OwnType: 'static {}

impl OwnType for Failure {}

/// The types of an operator's sides; for a unary operator the right one is `()`.
#[derive(Debug)]
pub struct Operands<L: ?Sized, R: ?Sized>(PhantomData<*mut L>, PhantomData<*mut R>);

/// The identity of an operator.
struct NamedOperator<L, R, const NAME: u128>(PhantomData<(L, R)>);

/// Tests whether the inferred types have the operator of this name: by [`HasOperator`], otherwise by
/// [`HasNoOperator`].
#[derive(Debug)]
pub struct Operates<'w, L: ?Sized, R: ?Sized, const NAME: u128>(
    #[allow(dead_code)] &'w Witness<Operands<L, R>>,
);

impl<'w, L: ?Sized, R: ?Sized, const NAME: u128> Operates<'w, L, R, NAME> {
    /// Tests this witness.
    pub const fn of(witness: &'w Witness<Operands<L, R>>) -> Self {
        Self(witness)
    }
}

/// The types have such an operator.
pub trait HasOperator {
    /// Its function.
    fn callee(&self) -> Option<Callee>;
}

impl<L: OwnType + DeviceOperator<NAME, R>, R: 'static, const NAME: u128> HasOperator
    for Operates<'_, L, R, NAME>
{
    fn callee(&self) -> Option<Callee> {
        Some(Callee { id: TypeId::of::<NamedOperator<L, R, NAME>>(), tree: L::tree })
    }
}

impl<L: OwnType + DeviceReferenceOperator<NAME, R>, R: 'static, const NAME: u128> HasOperator
    for Operates<'_, Behind<L>, R, NAME>
{
    fn callee(&self) -> Option<Callee> {
        Some(Callee { id: TypeId::of::<NamedOperator<Behind<L>, R, NAME>>(), tree: L::tree })
    }
}

/// Tests whether the inferred types have the comparison of this name: by [`HasOperator`], then by
/// [`HasMixedComparison`], otherwise by [`HasNoOperator`]. It is called through two references.
#[derive(Debug)]
pub struct Compares<'w, L: ?Sized, R: ?Sized, const NAME: u128>(
    #[allow(dead_code)] &'w Witness<Operands<L, R>>,
);

impl<'w, L: ?Sized, R: ?Sized, const NAME: u128> Compares<'w, L, R, NAME> {
    /// Tests this witness.
    pub const fn of(witness: &'w Witness<Operands<L, R>>) -> Self {
        Self(witness)
    }
}

impl<L: OwnType + DeviceOperator<NAME, R>, R: 'static, const NAME: u128> HasOperator
    for &Compares<'_, L, R, NAME>
{
    fn callee(&self) -> Option<Callee> {
        Some(Callee { id: TypeId::of::<NamedOperator<L, R, NAME>>(), tree: L::tree })
    }
}

/// References are compared by the values they refer to, as in the standard library.
impl<L: OwnType + DeviceOperator<NAME, R>, R: 'static, const NAME: u128> HasOperator
    for &Compares<'_, Behind<L>, Behind<R>, NAME>
{
    fn callee(&self) -> Option<Callee> {
        Some(Callee { id: TypeId::of::<NamedOperator<L, R, NAME>>(), tree: L::tree })
    }
}

/// A value is compared with a reference. Only a user's function does this, whatever is derived.
pub trait HasMixedComparison {
    /// A function that no device knows.
    fn callee(&self) -> Option<Callee> {
        let tree = || {
            FunctionTree::unknown(
                "a comparison of a value with a reference is a function of yours, which no device knows: write `*` before the reference",
            )
        };
        Some(Callee { id: TypeId::of::<dyn HasMixedComparison>(), tree })
    }
}

impl<L: OwnType, R: OwnType, const NAME: u128> HasMixedComparison for &&Compares<'_, Behind<L>, R, NAME> {}

impl<L: OwnType, R: OwnType, const NAME: u128> HasMixedComparison for &&Compares<'_, L, Behind<R>, NAME> {}

impl<L: ?Sized, R: ?Sized, const NAME: u128> HasNoOperator for Compares<'_, L, R, NAME> {}

macro_rules! numbers_left {
    ($($ty:ty),+) => {$(
        impl<R: OwnType, const NAME: u128> HasOperator for Operates<'_, $ty, R, NAME>
        where
            $ty: DeviceOperator<NAME, R>,
        {
            fn callee(&self) -> Option<Callee> {
                Some(Callee { id: TypeId::of::<NamedOperator<$ty, R, NAME>>(), tree: <$ty>::tree })
            }
        }
    )+};
}

macro_rules! numbers_compared {
    ($($ty:ty),+) => {$(
        impl<R: OwnType, const NAME: u128> HasOperator for &Compares<'_, $ty, R, NAME>
        where
            $ty: DeviceOperator<NAME, R>,
        {
            fn callee(&self) -> Option<Callee> {
                Some(Callee { id: TypeId::of::<NamedOperator<$ty, R, NAME>>(), tree: <$ty>::tree })
            }
        }
    )+};
}

numbers_compared!(u8, u16, u32, u64, usize, i8, i16, i64, isize, f32);
numbers_left!(u8, u16, u32, u64, usize, i8, i16, i64, isize, f32);

/// As for [`unsaid`]: a number whose type is not stated anywhere.
macro_rules! unsaid_left {
    ($($ty:ty),+) => {$(
        impl<R: ?Sized, const NAME: u128> HasOperator for Operates<'_, $ty, R, NAME> {
            fn callee(&self) -> Option<Callee> {
                None
            }
        }

        impl<R: ?Sized, const NAME: u128> HasOperator for &Compares<'_, $ty, R, NAME> {
            fn callee(&self) -> Option<Callee> {
                None
            }
        }
    )+};
}

unsaid_left!(i32, f64);

/// The types have no such operator. This is tried last, since it takes one more reference.
pub trait HasNoOperator {
    /// None.
    fn callee(&self) -> Option<Callee> {
        None
    }
}

impl<L: ?Sized, R: ?Sized, const NAME: u128> HasNoOperator for &Operates<'_, L, R, NAME> {}

/// The left side of an operator, or the result of a conversion.
pub fn left<L: Receiver, R: ?Sized>(_: &Witness<Operands<L::Side, R>>, value: L) -> L {
    value
}

/// The right side of an operator, or the value that is converted.
pub fn right<L: ?Sized, R: Receiver>(_: &Witness<Operands<L, R::Side>>, value: R) -> R {
    value
}

/// The left side of a comparison, or the place that an operator changes.
pub fn left_of<'a, L: Receiver + ?Sized, R: ?Sized>(
    _: &Witness<Operands<L::Side, R>>,
    value: &'a L,
) -> &'a L {
    value
}

/// The right side of a comparison.
pub fn right_of<'a, L: ?Sized, R: Receiver + ?Sized>(
    _: &Witness<Operands<L, R::Side>>,
    value: &'a R,
) -> &'a R {
    value
}

/// The operand of a unary operator.
pub fn alone<L: Receiver>(_: &Witness<Operands<L::Side, ()>>, value: L) -> L {
    value
}

/// The operand of `?`, and what the function around it returns.
pub trait Attempt {
    /// The error; `()` for an `Option`.
    type Error;
}

impl Attempt for () {
    type Error = ();
}

impl<T> Attempt for Option<T> {
    type Error = ();
}

impl<T, E> Attempt for Result<T, E> {
    type Error = E;
}

/// The operand of `?`, in a function that returns `R`.
pub fn attempt<R: Attempt, A: Attempt>(_: &Witness<Operands<R::Error, A::Error>>, value: A) -> A {
    value
}

/// The identity of a type's function of this name.
struct Named<T, const NAME: u128>(PhantomData<T>);

/// The type parameters of functions that devices call.
#[diagnostic::on_unimplemented(
    message = "a device function has no instance for `{Self}`",
    label = "called with a `{Self}`",
    note = "it has instances for numbers, booleans, arrays, and types that derive `DeviceType`: of a tuple hand over the parts, of an \
            `Option` or a `Result` what it holds"
)]
pub trait Instance: Typed + Receiver<Target = Self> + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Typed + Receiver<Target = T> + 'static> Instance for T {}

/// The receiver of a method: any type that a handler uses, through references.
#[diagnostic::on_unimplemented(
    message = "a device does not compute with `{Self}`",
    label = "a value of type `{Self}`",
    note = "numbers, booleans, arrays, and types that derive `DeviceType` are what devices know",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait Receiver {
    /// The type without the references.
    type Target: ?Sized;
    /// The type with `Behind` for each reference, which has no lifetime.
    type Side: ?Sized;
}

/// A reference to a value of this type.
#[derive(Debug)]
pub struct Behind<T: ?Sized>(PhantomData<*mut T>);

#[diagnostic::do_not_recommend]
impl<T: Receiver + ?Sized> Receiver for &T {
    type Target = T::Target;
    type Side = Behind<T::Side>;
}

#[diagnostic::do_not_recommend]
impl<T: Receiver + ?Sized> Receiver for &mut T {
    type Target = T::Target;
    type Side = Behind<T::Side>;
}

macro_rules! receivers {
    ($($([$($parameter:ident),+])? => $ty:ty;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl$(<$($parameter),+>)? Receiver for $ty {
            type Target = Self;
            type Side = Self;
        }
    )+};
}

receivers! {
    => bool; => i8; => i16; => i32; => i64; => isize; => u8; => u16; => u32; => u64; => usize; => f32; => f64;
    => (); => Failure; => Ordering; => cmp::Ordering; => Cx; => BlockCx; => ThisActor; => AtomicU32; => AtomicI32; => AtomicU64; => AtomicI64;
    [T] => [T]; [M] => Outbox<M>; [M] => Reply<M>; [Q, A] => Ask<Q, A>; [M] => Later<M>; [M] => Inbox<M>;
}

#[diagnostic::do_not_recommend]
impl<S: ?Sized> Receiver for Block<S> {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl<T: BlockValue, const N: usize> Receiver for BlockArray<T, N> {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl<T, const N: usize> Receiver for [T; N] {
    type Target = Self;
    type Side = AnArray;
}

/// Every `Option`, `Result` and tuple is called by that of `()`: they have no user's functions, and may hold references,
/// whose lifetimes a witness cannot name. They are types of the standard library, since the compiler shows them to users.
macro_rules! standard {
    ($([$($parameter:ident),+] => $ty:ty: $side:ty;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($parameter),+> Receiver for $ty {
            type Target = $side;
            type Side = $side;
        }
    )+};
}

/// Stands for every array that is an operand.
#[derive(Debug)]
pub struct AnArray;

standard! {
    [T] => Option<T>: Option<()>;
    [T, E] => Result<T, E>: Result<(), ()>;
    [A] => (A,): ((),);
    [A, B] => (A, B): ((), ());
    [A, B, C] => (A, B, C): ((), (), ());
    [A, B, C, D] => (A, B, C, D): ((), (), (), ());
    [A, B, C, D, E] => (A, B, C, D, E): ((), (), (), (), ());
    [A, B, C, D, E, F] => (A, B, C, D, E, F): ((), (), (), (), (), ());
    [A, B, C, D, E, F, G] => (A, B, C, D, E, F, G): ((), (), (), (), (), (), ());
    [A, B, C, D, E, F, G, H] => (A, B, C, D, E, F, G, H): ((), (), (), (), (), (), (), ());
    [A, B, C, D, E, F, G, H, I] => (A, B, C, D, E, F, G, H, I): ((), (), (), (), (), (), (), (), ());
    [A, B, C, D, E, F, G, H, I, J] => (A, B, C, D, E, F, G, H, I, J): ((), (), (), (), (), (), (), (), (), ());
    [A, B, C, D, E, F, G, H, I, J, K] => (A, B, C, D, E, F, G, H, I, J, K):
        ((), (), (), (), (), (), (), (), (), (), ());
    [A, B, C, D, E, F, G, H, I, J, K, L] => (A, B, C, D, E, F, G, H, I, J, K, L):
        ((), (), (), (), (), (), (), (), (), (), (), ());
}

/// The receiver of a method that may be a user's. The value keeps its type, which may still be any integer
/// type.
pub fn receiver<'a, R: Receiver + ?Sized>(_: &Witness<R::Target>, _: &R) -> &'a mut R {
    unreachable!("a body with witnesses is never run")
}

/// The function whose companion was inferred.
pub fn function<F: DeviceFunction>(_: &Witness<F>) -> Callee {
    Callee { id: TypeId::of::<F>(), tree: F::tree }
}

/// The function of this name of the type that was inferred.
pub fn method<const NAME: u128, T: 'static, M>(_: &Witness<T>) -> Callee
where
    Subject<T>: SubjectFunction<NAME, M>,
{
    Callee { id: TypeId::of::<Named<T, NAME>>(), tree: <Subject<T> as SubjectFunction<NAME, M>>::tree }
}

/// Tests whether the inferred type has a function of this name: by [`HasOwn`], otherwise by [`HasNone`].
#[derive(Debug)]
pub struct Own<'w, T: ?Sized, const NAME: u128>(&'w Witness<T>);

impl<'w, T: ?Sized, const NAME: u128> Own<'w, T, NAME> {
    /// Tests this witness.
    pub const fn of(witness: &'w Witness<T>) -> Self {
        Self(witness)
    }
}

/// The type has such a function, of its own or of the trait that `M` stands for.
pub trait HasOwn<M> {
    /// That function.
    fn callee(&self) -> Option<Callee>;
}

impl<T: 'static, M, const NAME: u128> HasOwn<M> for Own<'_, T, NAME>
where
    Subject<T>: SubjectFunction<NAME, M>,
{
    fn callee(&self) -> Option<Callee> {
        Some(method::<NAME, T, M>(self.0))
    }
}

/// A number whose type is not stated anywhere gets one of these types in the end. Then it is too late to try
/// [`HasNone`].
macro_rules! unsaid {
    ($($ty:ty),+) => {$(
        impl<const NAME: u128> HasOwn<()> for Own<'_, $ty, NAME> {
            fn callee(&self) -> Option<Callee> {
                None
            }
        }
    )+};
}

unsaid!(i32, f64);

/// The type has no such function. This is tried last, since it takes one more reference.
pub trait HasNone {
    /// None.
    fn callee(&self) -> Option<Callee> {
        None
    }
}

impl<T: ?Sized, const NAME: u128> HasNone for &Own<'_, T, NAME> {}
