//! Functions of the user's that handlers call, as data: what `#[device_fn]` and `#[device_impl]` write. Not for programs.
#![allow(clippy::disallowed_types)] // These atomics are the user's data, not a protocol of ours.

use std::{
    any::TypeId,
    collections::HashSet,
    marker::PhantomData,
    sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering},
};

use crate::{Cx, Failure, KernelTree, Outbox, typed::Typed, witness::Witness};

/// A function with what rustc knows of it; of a generic one, an instance.
#[derive(Clone, Debug)]
pub struct FunctionTree {
    /// Its name: `mix`, `Stats::push`.
    pub name: &'static str,
    /// What its generic parameters are.
    pub generics: Vec<String>,
    /// The source file.
    pub file: &'static str,
    /// Its line.
    pub line: u32,
    /// Its body; the syntax is an encoded `annulus_tree::FunctionTree`.
    pub tree: KernelTree,
}

/// A function that a body calls.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    /// Tells functions, and instances of generic ones, apart.
    pub id: TypeId,
    /// The function as data.
    pub tree: fn() -> FunctionTree,
}

/// The functions that can be reached from these, each once; always in the same order.
pub(crate) fn reachable(callees: &[Option<Callee>]) -> Vec<(TypeId, FunctionTree)> {
    let mut found: Vec<(TypeId, FunctionTree)> = Vec::new();
    let mut known = HashSet::new();
    let mut left: Vec<Callee> = callees.iter().flatten().copied().collect();
    while let Some(callee) = left.pop() {
        if known.insert(callee.id) {
            let function = (callee.tree)();
            left.extend(function.tree.functions.iter().flatten());
            found.push((callee.id, function));
        }
    }
    found
}

/// The type that stands beside a `#[device_fn]`, by the same name.
pub trait DeviceFunction: 'static {
    /// The function as data.
    fn tree() -> FunctionTree;
}

/// The type has a function of this name, by its number, that devices can call.
#[diagnostic::on_unimplemented(
    message = "a device has no such function of `{Self}`",
    label = "not a function that devices know",
    note = "numbers and arrays have those of the standard library that `annulus::kernel` lists",
    note = "of a type of yours, write `#[device_impl]` before the `impl` block with this function",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait DeviceMethod<const NAME: u128>: Sized {
    /// The function as data.
    fn tree() -> FunctionTree;
}

/// A type's function of this name, for its identity.
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

/// What methods are called on: any type that a handler meets, through references.
#[diagnostic::on_unimplemented(
    message = "a device does not compute with `{Self}`",
    label = "a value of type `{Self}`",
    note = "numbers, booleans, arrays, and types that derive `DeviceType` are what devices know",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait Receiver {
    /// The type without the references.
    type Target: ?Sized;
}

#[diagnostic::do_not_recommend]
impl<T: Receiver + ?Sized> Receiver for &T {
    type Target = T::Target;
}

#[diagnostic::do_not_recommend]
impl<T: Receiver + ?Sized> Receiver for &mut T {
    type Target = T::Target;
}

macro_rules! receivers {
    ($($([$($parameter:ident),+])? => $ty:ty;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl$(<$($parameter),+>)? Receiver for $ty {
            type Target = Self;
        }
    )+};
}

receivers! {
    => bool; => i8; => i16; => i32; => i64; => isize; => u8; => u16; => u32; => u64; => usize; => f32; => f64;
    => (); => Failure; => Ordering; => Cx; => AtomicU32; => AtomicI32; => AtomicU64; => AtomicI64;
    [T] => [T]; [M] => Outbox<M>;
}

#[diagnostic::do_not_recommend]
impl<T, const N: usize> Receiver for [T; N] {
    type Target = Self;
}

/// Stands for every `Option`, `Result` and tuple: they have no functions of the user's, and may hold references, whose lifetimes no
/// witness may name.
macro_rules! standard {
    ($($name:ident: $([$($parameter:ident),+] => $ty:ty),+;)+) => {$(
        #[doc = "What methods of the standard library are called on."]
        #[derive(Debug)]
        pub struct $name;

        $(#[diagnostic::do_not_recommend]
        impl<$($parameter),+> Receiver for $ty {
            type Target = $name;
        })+
    )+};
}

standard! {
    AnOption: [T] => Option<T>;
    AResult: [T, E] => Result<T, E>;
    ATuple: [A] => (A,), [A, B] => (A, B), [A, B, C] => (A, B, C), [A, B, C, D] => (A, B, C, D),
        [A, B, C, D, E] => (A, B, C, D, E), [A, B, C, D, E, F] => (A, B, C, D, E, F),
        [A, B, C, D, E, F, G] => (A, B, C, D, E, F, G), [A, B, C, D, E, F, G, H] => (A, B, C, D, E, F, G, H),
        [A, B, C, D, E, F, G, H, I] => (A, B, C, D, E, F, G, H, I),
        [A, B, C, D, E, F, G, H, I, J] => (A, B, C, D, E, F, G, H, I, J),
        [A, B, C, D, E, F, G, H, I, J, K] => (A, B, C, D, E, F, G, H, I, J, K),
        [A, B, C, D, E, F, G, H, I, J, K, L] => (A, B, C, D, E, F, G, H, I, J, K, L);
}

/// The receiver of a method, which may be one of the user's. It keeps its type, which may still be any integer's.
pub fn receiver<'a, R: Receiver + ?Sized>(_: &Witness<R::Target>, _: &R) -> &'a mut R {
    unreachable!("a body with witnesses is never run")
}

/// The function whose companion was inferred.
pub fn function<F: DeviceFunction>(_: &Witness<F>) -> Callee {
    Callee { id: TypeId::of::<F>(), tree: F::tree }
}

/// The function of this name of the type that was inferred.
pub fn method<const NAME: u128, T: DeviceMethod<NAME> + 'static>(_: &Witness<T>) -> Callee {
    Callee { id: TypeId::of::<Named<T, NAME>>(), tree: T::tree }
}

/// Asks whether the type that was inferred has a function of this name: by [`HasOwn`], or else [`HasNone`].
#[derive(Debug)]
pub struct Own<'w, T: ?Sized, const NAME: u128>(&'w Witness<T>);

impl<'w, T: ?Sized, const NAME: u128> Own<'w, T, NAME> {
    /// Asks this witness.
    pub const fn of(witness: &'w Witness<T>) -> Self {
        Self(witness)
    }
}

/// The type has such a function.
pub trait HasOwn {
    /// That function.
    fn callee(&self) -> Option<Callee>;
}

impl<T: DeviceMethod<NAME> + 'static, const NAME: u128> HasOwn for Own<'_, T, NAME> {
    fn callee(&self) -> Option<Callee> {
        Some(method::<NAME, T>(self.0))
    }
}

/// A number whose type nothing says is of one of these in the end, when it is too late to ask [`HasNone`].
macro_rules! unsaid {
    ($($ty:ty),+) => {$(
        impl<const NAME: u128> HasOwn for Own<'_, $ty, NAME> {
            fn callee(&self) -> Option<Callee> {
                None
            }
        }
    )+};
}

unsaid!(i32, f64);

/// The type has no such function: asked last, since it takes one more reference.
pub trait HasNone {
    /// None.
    fn callee(&self) -> Option<Callee> {
        None
    }
}

impl<T: ?Sized, const NAME: u128> HasNone for &Own<'_, T, NAME> {}
