//! Kernels that print.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::{
    device_print,
    prelude::{Failure, Outbox},
};

use super::{Item, Number, Total, Tracked};

/// A number of each kind.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Kinds {
    pub wide: u64,
    pub signed: i64,
    pub double: f64,
    pub single: f32,
    pub middle: i32,
    pub half: u16,
    pub short: i16,
    pub byte: u8,
    pub tiny: i8,
    pub yes: bool,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Mean {
    pub count: u32,
    pub mean: f32,
}

const LIMIT: u32 = 40;

/// Prints every kind of number in every kind of format.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn print_kinds(kinds: &Kinds, replies: &Outbox<Number>) {
    let Kinds { wide, signed, double, single, middle, half, short, byte, tiny, yes } = *kinds;
    device_print!("nothing but {{text}}");
    device_print!("{} {} {} {} {}", wide, signed, double, single, middle);
    device_print!("{} {} {byte} {tiny} {}", half, short, yes);
    device_print!("{:?} {:?} {:?} {:?}", double, single, yes, &middle);
    device_print!("{wide:x} {signed:#X} {middle:#b} {byte:o} {single:e} {double:E}");
    device_print!("{single:.2} {double:10.3} {middle:<8}| {middle:^+8}| {half:*>7} {tiny:05} {yes:>7}");
    device_print!("{0} {0:?} {1:.2$} {what:>width$.1}", middle, double, 3, what = single * 2.0, width = 12);
    device_print!("{} {}", kinds.byte as usize, -(kinds.byte as isize));
    device_print!("{} {LIMIT}", 7);
    replies.send(Number { value: wide });
}

#[device_fn]
fn half_of(value: u64) -> u64 {
    device_print!("half of {value}");
    value / 2
}

/// Prints in two functions of one kind each.
#[device_fn]
fn doubled<T: Copy + core::ops::Add<Output = T>>(value: T) -> T {
    device_print!("doubling");
    value + value
}

/// Prints nothing, and calls what does.
#[device_fn]
fn through(value: u64, quiet: bool) -> u64 {
    let mut left = value;
    while left > 3 && !quiet {
        left = half_of(left);
    }
    left
}

#[device_fn]
fn silent(value: u64) -> u64 {
    value + 1
}

#[device_impl]
impl Mean {
    fn add(&mut self, value: f32) {
        self.count += 1;
        self.mean += (value - self.mean) / self.count as f32;
        device_print!("mean of {} is {:.3}", self.count, self.mean);
    }
}

/// Prints from functions, in loops, and from no more functions than it must.
#[ring_kernel]
pub fn print_functions(number: &Number, mean: &mut Mean, replies: &Outbox<Number>) {
    let value = silent(number.value);
    mean.add(value as f32 / 4.0);
    let left = through(value, value.is_multiple_of(5));
    if left == doubled(1u64) {
        device_print!("left: {}", doubled(left as u32));
    }
    replies.send(Number { value: left });
}

/// Prints before it fails, in all the ways in which it can, and does not print what it would have after.
#[ring_kernel(mode = Batch, max_outputs = 2)]
pub fn print_failing(number: &Number, total: &mut Total, replies: &Outbox<Number>) -> Result<(), Failure> {
    total.sum += 1;
    replies.send(*number);
    device_print!("{} is number {}", number.value, total.sum);
    let powers = [1, 10, 100];
    match number.value % 5 {
        0 => return Err(Failure::of(7)),
        1 => device_print!("at {}", powers[number.value as usize + 3]),
        2 => device_print!("{} of {}", number.value, number.value / (total.sum / (total.sum + 1))),
        3 => panic!("told to"),
        _ => {}
    }
    device_print!("{} is done", number.value);
    Ok(())
}

/// Prints as often as the number says.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn print_often(number: &Number, replies: &Outbox<Number>) {
    for i in 0..number.value {
        device_print!("{i} of {}", number.value);
    }
    replies.send(*number);
}

/// Prints each actor's count.
#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 32)]
pub fn print_actors(item: &Item, count: &mut Total, replies: &Outbox<Tracked>) {
    count.sum += 1;
    device_print!("{} {} {}", item.key, item.sequence, count.sum);
    replies.send(Tracked {
        key: item.key,
        producer: item.producer,
        sequence: item.sequence,
        count: count.sum,
    });
}

/// All of them.
pub const PRINTS: &[&KernelDefinition] = &[
    print_kinds::DEFINITION,
    print_functions::DEFINITION,
    print_failing::DEFINITION,
    print_often::DEFINITION,
    print_actors::DEFINITION,
];
