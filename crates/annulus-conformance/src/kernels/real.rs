//! Kernels of real kinds, small enough to read, by field.

mod business;
mod codes;
mod graphs;
mod grids;
mod hashes;
mod learning;
mod markets;
mod memory;
mod physics;
mod places;
mod series;
mod signals;
mod text;

use annulus_macros::RingMessage;

pub use self::{
    business::*, codes::*, graphs::*, grids::*, hashes::*, learning::*, markets::*, memory::*, physics::*,
    places::*, series::*, signals::*, text::*,
};

/// A value of a series.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Sample {
    #[ring(key)]
    pub series: u32,
    pub value: f32,
}

/// A number that goes on.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Level {
    pub series: u32,
    pub value: f32,
}

/// A key to look up.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Lookup {
    pub key: u64,
}

/// Whether the key was there before.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Known {
    pub key: u64,
    pub known: bool,
}

/// Some bytes, `len` of them counting.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Bytes {
    pub len: u8,
    pub bytes: [u8; 31],
}

/// A checksum.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Checksum {
    pub value: u32,
}
