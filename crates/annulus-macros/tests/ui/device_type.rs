//! `#[device_type]` where it says nothing, what is beside it, and the word that it leaves for the derive.
use annulus::prelude::*;

#[derive(DeviceType, Clone, Copy, PartialEq)]
#[device_type]
#[repr(C)]
struct Below(u32);

#[device_type]
#[derive(Clone, Copy, PartialEq)]
struct NoDevice(u32);

#[device_type]
fn function() {}

#[device_type(eq)]
#[derive(DeviceType, Clone, Copy, PartialEq)]
#[repr(C)]
struct Word(u32);

#[derive(DeviceType, Clone, Copy)]
#[device(eq)]
#[repr(C)]
struct ByItself(u32);

#[device_type]
#[derive(DeviceType, Clone, Copy, PartialEq)]
#[repr(C)]
struct Both(u32);

#[device_impl]
impl PartialEq for Both {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Unequal(u32);

#[device_impl]
impl PartialEq for Unequal {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn ne(&self, _: &Self) -> bool {
        true
    }
}

fn main() {}
