#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
struct Stats {
    n: u32,
}

#[derive(DeviceType, Clone, Copy)]
enum Level {
    Low,
    High,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
enum Command {
    Start,
    Stop,
}

fn main() {}
