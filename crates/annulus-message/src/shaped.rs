//! The shapes of the types that bridged messages contain.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use crate::{Number, Shape};

/// A type that a bridged message may contain, and its shape as data. `#[derive(RingMessage)]` implements it
/// for bridged messages, since one may contain another.
///
/// ```compile_fail,E0277
/// # use annulus::prelude::*;
/// #[derive(RingMessage)]
/// struct Counts {
///     by_name: std::collections::HashMap<String, u32>, // not in the same order each time
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in a bridged message",
    label = "nobody has said what its bytes are",
    note = "it may hold numbers (`u64` for `usize`), `bool`, `char`, `String`, `Arc<str>`, `Vec`, `Option`, `Box`, \
            `BTreeMap` (for `HashMap`, whose order is not always the same), `BTreeSet`, arrays, tuples, and types \
            with `#[derive(RingMessage)]` and `#[ring(bridged)]`"
)]
pub trait Shaped {
    /// The shape.
    fn shape() -> Shape;
}

macro_rules! numbers {
    ($($ty:ty: $number:ident),+) => {$(
        impl Shaped for $ty {
            fn shape() -> Shape {
                Shape::Number(Number::$number)
            }
        }
    )+};
}

numbers!(
    bool: Bool, char: Char, u8: U8, u16: U16, u32: U32, u64: U64, u128: U128, i8: I8, i16: I16, i32: I32,
    i64: I64, i128: I128, f32: F32, f64: F64
);

macro_rules! texts {
    ($($ty:ty),+) => {$(
        impl Shaped for $ty {
            fn shape() -> Shape {
                Shape::Text { room: None }
            }
        }
    )+};
}

texts!(String, Box<str>, Arc<str>);

macro_rules! lists {
    ($($ty:ty),+) => {$(
        impl<T: Shaped> Shaped for $ty {
            fn shape() -> Shape {
                // An item without bytes would cost a sender nothing, but a reader one loop turn each.
                const { assert!(size_of::<T>() != 0, "a list in a message holds items that have bytes") };
                Shape::List { of: Box::new(T::shape()), room: None }
            }
        }
    )+};
}

lists!(Vec<T>, VecDeque<T>, Box<[T]>, Arc<[T]>);

impl<T: Shaped> Shaped for BTreeSet<T> {
    fn shape() -> Shape {
        Shape::Set { of: Box::new(T::shape()) }
    }
}

impl<K: Shaped, V: Shaped> Shaped for BTreeMap<K, V> {
    fn shape() -> Shape {
        Shape::Map { key: Box::new(K::shape()), value: Box::new(V::shape()) }
    }
}

impl<T: Shaped> Shaped for Option<T> {
    fn shape() -> Shape {
        Shape::Optional { of: Box::new(T::shape()) }
    }
}

impl<T: Shaped, const N: usize> Shaped for [T; N] {
    fn shape() -> Shape {
        Shape::Array { of: Box::new(T::shape()), len: N as u64 }
    }
}

macro_rules! pointers {
    ($($ty:ty),+) => {$(
        impl<T: Shaped> Shaped for $ty {
            fn shape() -> Shape {
                T::shape()
            }
        }
    )+};
}

pointers!(Box<T>, Arc<T>);

macro_rules! tuples {
    ($(($($ty:ident),+)),+) => {$(
        impl<$($ty: Shaped),+> Shaped for ($($ty,)+) {
            fn shape() -> Shape {
                Shape::Tuple { of: vec![$($ty::shape()),+] }
            }
        }
    )+};
}

tuples!((A), (A, B), (A, B, C), (A, B, C, D), (A, B, C, D, E), (A, B, C, D, E, F));
