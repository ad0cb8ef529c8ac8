//! What `device_print!` cannot show.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Reading {
    value: f32,
    values: [u32; 4],
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u32)]
enum Color {
    Red,
}

const WORD: &str = "word";

#[ring_kernel]
fn no_text(reading: &Reading) {
    device_print!();
}

#[ring_kernel]
fn no_literal(reading: &Reading) {
    device_print!(reading.value);
}

#[ring_kernel]
fn missing_comma(reading: &Reading) {
    device_print!("{}" reading.value);
}

#[ring_kernel]
fn a_struct(reading: &Reading) {
    device_print!("{:?}", reading);
}

#[ring_kernel]
fn an_array(reading: &Reading) {
    device_print!("{:?}", reading.values);
}

#[ring_kernel]
fn an_enum(reading: &Reading) {
    let color = Color::Red;
    device_print!("{color:?}");
}

#[ring_kernel]
fn a_wide_number(reading: &Reading) {
    device_print!("{}", WORD.len() as u128);
}

#[ring_kernel]
fn an_option(reading: &Reading) {
    let value = reading.values.first();
    device_print!("{:?} {}", value, 3);
}

#[ring_kernel]
fn text(reading: &Reading) {
    device_print!("{} {}", reading.value, "word");
}

#[ring_kernel]
fn too_few(reading: &Reading) {
    device_print!("{} {}", reading.value);
}

#[ring_kernel]
fn too_many(reading: &Reading) {
    device_print!("{}", reading.value, reading.values[0]);
}

#[ring_kernel]
fn a_float_in_hexadecimal(reading: &Reading) {
    device_print!("{:x}", reading.value);
}

#[device_fn]
fn in_a_function(reading: &Reading) {
    device_print!("{:?}", reading.value.to_string());
}

fn main() {}
