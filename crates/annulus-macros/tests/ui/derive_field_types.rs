#![allow(unused_variables)]
use annulus::prelude::*;

use std::{collections::HashMap, marker::PhantomData, sync::atomic::AtomicU32};

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Everything {
    size: usize,
    offset: isize,
    letter: char,
    wide: u128,
    text: String,
    list: Vec<f32>,
    boxed: Box<u32>,
    map: HashMap<u32, f32>,
    maybe: Option<u32>,
    pair: (u32, f32),
    name: &'static str,
    raw: *const u8,
    code: fn(u32) -> u32,
    nested: [[char; 2]; 2],
    counter: AtomicU32,
    marker: PhantomData<u32>,
    limited: std::num::Saturating<u32>,
    counted: std::num::NonZeroU32,
    present: std::num::NonZero<i16>,
}

fn main() {}
