#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy)]
#[repr(u32)]
enum Either<T> {
    Left(T),
    Right(u32),
}

fn main() {}
