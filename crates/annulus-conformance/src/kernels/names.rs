//! Names that could be taken for others: methods of a type's own that are called as the standard library's are, variables that macros
//! name; and enums that ask for more alignment than their tag has.
#![allow(clippy::should_implement_trait, clippy::wrong_self_convention)] // The names are what is tested.
#![allow(clippy::manual_swap)] // `swap` is written here.

use annulus_macros::{DeviceType, RingMessage, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::{
    constructs::{Answer, Small},
    own::Batch,
};

/// Numbers in the order in which they came, whose methods have the names of those of slices, options and sets.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Shelf {
    pub values: [u32; 6],
    pub len: u32,
    pub calls: u32,
}

#[device_impl]
impl Shelf {
    fn insert(&mut self, value: u32) -> bool {
        self.calls = self.calls.wrapping_add(1);
        if self.contains(value) || self.len == 6 {
            return false;
        }
        self.values[self.len as usize] = value;
        self.len += 1;
        true
    }

    fn contains(&mut self, value: u32) -> bool {
        self.calls = self.calls.wrapping_add(1);
        let mut at = 0;
        while at < self.len as usize {
            if self.values[at] == value {
                return true;
            }
            at += 1;
        }
        false
    }

    fn first(&mut self) -> u32 {
        self.calls = self.calls.wrapping_add(2);
        self.values[0]
    }

    fn get(&mut self, at: u32) -> Option<u32> {
        self.calls = self.calls.wrapping_add(3);
        (at < self.len).then_some(self.values[at as usize % 6])
    }

    fn take(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        Some(self.values[self.len as usize])
    }

    fn replace(&mut self, value: u32) -> u32 {
        let before = self.values[2];
        self.values[2] = value;
        before
    }

    fn swap(&mut self, a: u32, b: u32) {
        let at = self.values[a as usize % 6];
        self.values[a as usize % 6] = self.values[b as usize % 6];
        self.values[b as usize % 6] = at;
    }

    fn fill(&mut self, value: u32) {
        self.values = [value; 6];
        self.len = 6;
    }

    fn len(&mut self) -> u32 {
        self.calls = self.calls.wrapping_add(5);
        self.len
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn reverse(&mut self) {
        self.swap(0, 5);
        self.swap(1, 4);
        self.swap(2, 3);
    }

    fn store(&mut self, value: u32) {
        self.values[3] = value;
    }

    fn as_mut(&mut self) -> u32 {
        self.values[3] ^= 1;
        self.values[3]
    }
}

/// Methods of a type's own, beside those of the language that have the same names.
#[ring_kernel]
pub fn standard_names(batch: &Batch, shelf: &mut Shelf, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let inserted = shelf.insert(batch.values[0] % 20);
    let again = shelf.insert(batch.values[1] % 20) && shelf.contains(batch.values[1] % 20);
    let mut others = [batch.values[2], shelf.first(), 3];
    others.swap(0, 1);
    shelf.swap(batch.values[2], batch.values[3]);
    let contains = others.contains(&shelf.first()) && batch.values.first().copied() == Some(shelf.values[0]);
    let mut maybe = shelf.get(batch.values[4] % 8);
    let got = maybe.take().unwrap_or(100);
    let replaced = shelf.replace(got);
    let taken = match batch.at % 3 {
        0 => shelf.take(),
        1 => {
            others.fill(shelf.len());
            Some(others[2])
        }
        _ if batch.on => {
            shelf.fill(batch.values[5]);
            shelf.store(7);
            shelf.take()
        }
        _ => None,
    };
    shelf.reverse();
    let mut count = 0;
    for (i, value) in shelf.values.iter().enumerate().skip(1).take(3) {
        count += *value % 10 * i as u32;
    }
    answers.send(Answer {
        words: [
            got,
            replaced,
            taken.unwrap_or(50),
            shelf.len(),
            shelf.as_mut(),
            others.len() as u32,
            count,
            u32::from(shelf.is_empty()),
        ],
        sum: shelf.calls.into(),
        x: if contains { 1.0 } else { 0.5 },
        on: inserted == again,
    });
    Ok(())
}

/// A kernel whose body holds an expression and names of who calls the macro, and variables of the macro's own by the same names.
macro_rules! kernel_by_macro {
    ($kernel:ident, $message:ident, $state:ident, $value:ident => $body:expr) => {
        /// Two variables of each name, one of them the macro's.
        #[ring_kernel]
        pub fn $kernel($message: &Batch, $state: &mut u32, answers: &Outbox<Answer>) {
            let value = 1000u32;
            let $value = $message.values[0] % 100;
            let mut total = 0u32;
            for i in 0..3u32 {
                let value = value + i;
                total = total.wrapping_mul(31).wrapping_add($body).wrapping_add(value);
            }
            *$state = (*$state).wrapping_add(total);
            if let Some(value) = $message.values.first() {
                total ^= *value + $value;
            }
            answers.send(Answer {
                words: [total, value, $value, 0, 0, 0, 0, 0],
                sum: 0,
                x: 0.0,
                on: $message.on,
            });
        }
    };
}

kernel_by_macro!(names_of_macros, batch, total, value => {
    let inner = value * 3;
    let value = inner + value;
    value + batch.values[1] % 7
});

/// A kernel whose loop has a label of the macro's, around an expression that has one by the same name.
macro_rules! kernel_with_label {
    ($kernel:ident, $message:ident => $body:expr) => {
        /// Two labels of one name, one of them the macro's.
        #[ring_kernel]
        pub fn $kernel($message: &Batch, answers: &Outbox<Answer>) {
            let mut total = 0u32;
            'outer: for i in 0..5u32 {
                total = total.wrapping_mul(7).wrapping_add($body);
                if total % 11 == i {
                    continue 'outer;
                }
                total = total.wrapping_add(1000);
            }
            answers.send(Answer { words: [total; 8], sum: 0, x: 0.0, on: $message.on });
        }
    };
}

kernel_with_label!(labels_of_macros, batch => 'outer: {
    for value in batch.values.iter() {
        if *value % 3 == 1 {
            break 'outer *value % 50;
        }
    }
    2
});

/// No field, and more alignment than the tag's.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8, align(16))]
pub enum Mode {
    #[default]
    Idle,
    Busy = 9,
}

/// Fields, and more alignment than theirs.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(u16, align(16))]
pub enum Order {
    #[default]
    Stop,
    Move {
        x: i32,
        y: u8,
    } = 300,
    Wait(u64),
}

#[derive(RingMessage, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Desk {
    pub before: u8,
    pub mode: Mode,
    pub between: u8,
    pub orders: [Order; 3],
    pub after: u16,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Aligned {
    /// Named as the interface's macros name their parameter.
    #[ring(key)]
    pub message: u8,
    pub on: bool,
    pub x: i32,
    pub y: u8,
    pub wait: u64,
}

/// Enums with alignments, in memory that the host sees, in variables, in arrays and by value.
#[ring_kernel]
pub fn aligned_enums(message: &Aligned, desk: &mut Desk, answers: &Outbox<Desk>) {
    let order = match message.y % 3 {
        0 => Order::Move { x: message.x, y: message.y },
        1 => Order::Wait(message.wait),
        _ => Order::Stop,
    };
    let at = usize::from(message.y % 3);
    desk.orders[at] = order;
    if let Order::Move { x, y } = &mut desk.orders[(at + 1) % 3] {
        *x = x.wrapping_add(i32::from(*y));
        *y ^= 1;
    }
    desk.mode = if message.on { Mode::Busy } else { Mode::Idle };
    desk.before = desk.before.wrapping_add(1);
    desk.between ^= match desk.mode {
        Mode::Idle => 3,
        Mode::Busy => 5,
    };
    let copy = desk.orders;
    for order in copy {
        desk.after = desk.after.wrapping_mul(31).wrapping_add(match order {
            Order::Stop => 1,
            Order::Move { x, .. } => x as u16,
            Order::Wait(wait) => wait as u16,
        });
    }
    answers.send(*desk);
}

/// As many `else if`s as fit, which lowering and writing must get through as well.
#[ring_kernel]
#[rustfmt::skip] // A hundred lines of one kind.
pub fn long_chain(small: &Small, answers: &Outbox<Small>) {
    let n = i32::from(small.a) % 110;
    let answer = if n == 0 { 7 } else if n == 1 { 37 } else if n == 2 { 74 } else if n == 3 { 10 }
        else if n == 4 { 47 } else if n == 5 { 84 } else if n == 6 { 20 } else if n == 7 { 57 }
        else if n == 8 { 94 } else if n == 9 { 30 } else if n == 10 { 67 } else if n == 11 { 3 }
        else if n == 12 { 40 } else if n == 13 { 77 } else if n == 14 { 13 } else if n == 15 { 50 }
        else if n == 16 { 87 } else if n == 17 { 23 } else if n == 18 { 60 } else if n == 19 { 97 }
        else if n == 20 { 33 } else if n == 21 { 70 } else if n == 22 { 6 } else if n == 23 { 43 }
        else if n == 24 { 80 } else if n == 25 { 16 } else if n == 26 { 53 } else if n == 27 { 90 }
        else if n == 28 { 26 } else if n == 29 { 63 } else if n == 30 { 100 } else if n == 31 { 36 }
        else if n == 32 { 73 } else if n == 33 { 9 } else if n == 34 { 46 } else if n == 35 { 83 }
        else if n == 36 { 19 } else if n == 37 { 56 } else if n == 38 { 93 } else if n == 39 { 29 }
        else if n == 40 { 66 } else if n == 41 { 2 } else if n == 42 { 39 } else if n == 43 { 76 }
        else if n == 44 { 12 } else if n == 45 { 49 } else if n == 46 { 86 } else if n == 47 { 22 }
        else if n == 48 { 59 } else if n == 49 { 96 } else if n == 50 { 32 } else if n == 51 { 69 }
        else if n == 52 { 5 } else if n == 53 { 42 } else if n == 54 { 79 } else if n == 55 { 15 }
        else if n == 56 { 52 } else if n == 57 { 89 } else if n == 58 { 25 } else if n == 59 { 62 }
        else if n == 60 { 99 } else if n == 61 { 35 } else if n == 62 { 72 } else if n == 63 { 8 }
        else if n == 64 { 45 } else if n == 65 { 82 } else if n == 66 { 18 } else if n == 67 { 55 }
        else if n == 68 { 92 } else if n == 69 { 28 } else if n == 70 { 65 } else if n == 71 { 1 }
        else if n == 72 { 38 } else if n == 73 { 75 } else if n == 74 { 11 } else if n == 75 { 48 }
        else if n == 76 { 85 } else if n == 77 { 21 } else if n == 78 { 58 } else if n == 79 { 95 }
        else if n == 80 { 31 } else if n == 81 { 68 } else if n == 82 { 4 } else if n == 83 { 41 }
        else if n == 84 { 78 } else if n == 85 { 14 } else if n == 86 { 51 } else if n == 87 { 88 }
        else if n == 88 { 24 } else if n == 89 { 61 } else if n == 90 { 98 } else if n == 91 { 34 }
        else if n == 92 { 71 } else if n == 93 { 7 } else if n == 94 { 44 } else if n == 95 { 81 }
        else if n == 96 { 17 } else if n == 97 { 54 } else if n == 98 { 91 } else if n == 99 { 27 } else { 500 };
    answers.send(Small { b: answer, ..*small });
}
