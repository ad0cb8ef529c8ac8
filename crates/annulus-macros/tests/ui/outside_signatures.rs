//! Handlers and functions that are not plain functions of known types.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[ring_kernel]
fn generic<T: Copy>(reading: &Reading, state: &mut T) {}

#[ring_kernel]
fn objects(reading: &Reading, shown: &dyn std::fmt::Display) {}

#[ring_kernel]
fn opaque(reading: &Reading, shown: &impl Copy) {}

#[ring_kernel]
fn calls_back(reading: &Reading, f: fn(u32) -> u32) {}

#[ring_kernel]
fn pointers(reading: &Reading, memory: *mut u32) {}

#[ring_kernel]
fn boxes(reading: Box<Reading>) {}

#[ring_kernel]
extern "C" fn foreign(reading: &Reading) {}

#[ring_kernel]
const fn in_the_compiler(reading: &Reading) {}

#[device_fn]
extern "C" fn foreign_function(value: u32) -> u32 {
    value
}

#[device_fn]
fn takes_a_closure<F: Fn(u32) -> u32>(f: F) -> u32 {
    f(3)
}

#[device_fn]
fn takes_an_object(f: &dyn Fn(u32) -> u32) -> u32 {
    f(3)
}

#[device_fn]
fn takes_what_can_be_called(f: impl Fn(u32) -> u32) -> u32 {
    f(3)
}

#[device_fn]
fn takes_many(many: (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8)) {}

#[device_fn]
fn refers(values: &[u32]) -> &u32 {
    &values[0]
}

#[device_fn]
fn lends(values: &[u32]) -> Option<&u32> {
    values.first()
}

#[device_fn]
fn text(name: String) -> String {
    name
}

#[device_fn]
fn pointer(memory: *const u32) {}

#[device_impl]
trait Scaled {
    fn scaled(&self) -> f32;
}

fn main() {}
