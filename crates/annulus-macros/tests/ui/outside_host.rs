//! What only the host has: heap, threads, time, files, text, and addresses.
#![allow(unused_variables, unused_assignments, unused_must_use)]
use std::{collections::HashMap, rc::Rc, sync::Arc, sync::Mutex, time::Instant};

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[ring_kernel]
fn heap(reading: &Reading) {
    let boxed = Box::new(reading.value);
    let values = Vec::<u32>::new();
    let values = vec![0u32; 4];
    let values: Vec<u32> = Vec::with_capacity(3);
    let name = String::new();
    let by_name = HashMap::<u32, u32>::new();
    let shared = Arc::new(reading.value);
    let counted = Rc::new(reading.value);
}

#[ring_kernel]
fn cells(reading: &Reading) {
    let lock = Mutex::new(reading.value);
}

#[ring_kernel]
fn time_and_threads(reading: &Reading) {
    let begun = Instant::now();
    std::thread::sleep(std::time::Duration::from_millis(1));
    std::thread::spawn(|| ());
    std::process::exit(1);
}

#[ring_kernel]
fn memory(reading: &Reading, low: &mut u32) {
    let bits = std::mem::size_of::<Reading>();
    let old = std::mem::replace(low, 3);
    let address = std::ptr::from_ref(low);
    drop(old);
    std::mem::swap(low, &mut 3);
    let hint = std::hint::black_box(3);
}

#[ring_kernel]
fn raw(reading: &Reading) {
    let bits = unsafe { std::mem::transmute::<u32, f32>(reading.value) };
    let address = &raw const reading.value;
}

#[ring_kernel]
fn words(reading: &Reading) {
    let text = format!("{}", reading.value);
    let kind = reading.value == 3 && "a" == "b";
    let raw = r#"a"#;
    let bytes = b"bytes";
}

#[ring_kernel]
async fn waits(reading: &Reading) {}

#[ring_kernel]
fn awaits(reading: &Reading) {
    let later = async { 3 };
}

fn main() {}
