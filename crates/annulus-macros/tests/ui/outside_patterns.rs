//! Patterns and loops that devices do not run.
#![allow(unused_variables, unused_mut)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    values: [u32; 4],
    level: f32,
}

#[ring_kernel]
fn patterns(reading: &Reading) {
    let (.., high) = (1u32, 2u32, 3u32);
    match 'a' {
        'a'..='z' => {}
        _ => {}
    }
    if let "text" = "text" {}
}

#[ring_kernel]
fn loops(reading: &Reading) {
    for x in 0.0..1.0 {}
    for x in 0..reading.level as f32 {}
    let mut items = reading.values.iter();
    while let Some(item) = items.next() {}
    for (i, value) in reading.values.iter().enumerate().filter_map(|(i, value)| Some((i, value))) {}
    for byte in reading.values[0].to_string().bytes() {}
    for value in reading.values.iter().cycle() {}
    for value in reading.values.iter().flat_map(|value| 0..*value) {}
    for value in reading.values.iter().scan(0, |sum, value| Some(*value)) {}
    for value in reading.values.iter().skip_while(|value| **value < 3) {}
    for value in reading.values.iter().peekable() {}
}

#[ring_kernel]
fn ranges(reading: &Reading) {
    let range = 0..reading.values[0];
    let inside = (0..10).contains(&reading.values[0]);
    let parts = [0..1, 1..2];
    let sum: u32 = (0..4).map(|i| reading.values[i]).sum();
    let total = (0..4).fold(0, |sum, i| sum + i);
    let any = reading.values.iter().any(|value| *value > 3);
    reading.values.iter().for_each(|value| ());
}

fn main() {}
