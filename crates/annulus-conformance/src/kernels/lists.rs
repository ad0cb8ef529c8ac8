//! Lists that handlers fill, empty and read: as slices, and by their own methods. Their lengths may be any, also
//! beyond their room.
#![allow(clippy::explicit_iter_loop, clippy::explicit_into_iter_loop, clippy::into_iter_on_ref)] // They are what is tested.

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, List, Outbox};

use super::constructs::Answer;

/// A value of more than one number.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Lot {
    pub price: i16,
    pub amount: u8,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Given {
    #[ring(key)]
    pub key: u32,
    pub what: u8,
    pub at: u8,
    pub lot: Lot,
    pub lots: List<Lot, 3>,
    pub bytes: List<u8, 5>,
}

/// A type with a method that has the name of one of a list's.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Sum {
    pub of: u32,
}

#[device_impl]
impl Sum {
    fn push(&mut self, number: u32) {
        self.of = self.of.wrapping_add(number);
    }
}

/// What a kernel keeps.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Kept {
    pub lots: List<Lot, 4>,
    pub numbers: List<i32, 6>,
    pub rows: [List<u16, 2>; 3],
    pub sums: [Sum; 2],
}

#[device_impl]
impl Kept {
    /// A method of this type that has the name of one of a list's.
    fn push(&mut self, number: i32) -> bool {
        self.numbers.push(number).is_ok()
    }

    fn take_last(&mut self) -> Option<i32> {
        let last = self.numbers.pop()?;
        Some(last.wrapping_add(self.numbers.len() as i32))
    }
}

#[device_fn]
fn total(numbers: &[i32]) -> i32 {
    numbers.iter().fold(0, |sum, number| sum.wrapping_add(*number))
}

#[device_fn]
fn double(numbers: &mut [i32]) {
    for number in numbers {
        *number = number.wrapping_mul(2);
    }
}

#[device_fn]
fn add<const N: usize>(list: &mut List<i32, N>, number: i32) -> Result<usize, i32> {
    list.push(number)?;
    Ok(list.len())
}

#[device_fn]
fn number_of(lot: &Lot) -> u32 {
    lot.price as u16 as u32 | u32::from(lot.amount) << 16
}

/// Room that is used up, by each of the methods that change a list.
const FULL: Failure = Failure::of(7);

#[ring_kernel]
pub fn list_changes(given: &Given, kept: &mut Kept, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let mut words = [0u32; 8];
    let at = usize::from(given.at % 8);
    let number = i32::from(given.lot.price);
    match given.what % 12 {
        0 => kept.lots.push(given.lot).map_err(|_| FULL)?,
        1 => {
            if let Err(lot) = kept.lots.push(Lot { amount: at as u8, ..given.lot }) {
                words[0] = number_of(&lot);
            }
        }
        2 => words[0] = kept.lots.pop().map_or(99, |lot| number_of(&lot)),
        3 => {
            let removed = kept.lots.remove(at);
            words[0] = number_of(&removed);
        }
        4 => words[0] = number_of(&kept.lots.swap_remove(at % 5)),
        5 => {
            words[0] = match kept.lots.insert(at, given.lot) {
                Ok(()) => 1,
                Err(lot) => number_of(&lot),
            };
        }
        6 => kept.lots.retain(|lot| lot.price > given.lot.price && lot.amount != given.at),
        7 => kept.lots.truncate(at),
        8 => kept.lots.clear(),
        9 => {
            while !kept.numbers.is_full() {
                let _ = kept.numbers.push(number);
                if kept.numbers.len() == at {
                    break;
                }
            }
        }
        10 => {
            words[0] = u32::from(kept.push(number)) | u32::from(kept.push(at as i32)) << 1;
            words[1] = kept.take_last().unwrap_or(-1) as u32;
            words[2] = add(&mut kept.numbers, number).map_or_else(|number| number as u32, |len| len as u32);
        }
        _ => {
            let row = &mut kept.rows[at % 3];
            let _ = row.push(row.len() as u16);
            words[0] = u32::from(row.is_full());
            words[1] = row.first().map_or(7, |first| u32::from(*first));
            if let Some(last) = row.last_mut() {
                *last = last.wrapping_add(3);
            }
            if at < 2 {
                kept.sums.get_mut(at).unwrap().push(words[1]);
                words[2] = kept.sums[at].of;
                let full = kept.rows.get_mut(at).unwrap().push(9).is_err();
                words[7] = u32::from(full);
            }
        }
    }
    double(&mut kept.numbers);
    words[3] = kept.lots.len() as u32 | (kept.numbers.len() as u32) << 8;
    words[4] = kept.lots.iter().map(number_of).fold(1, |hash, lot| hash.wrapping_mul(31) ^ lot);
    words[5] = total(&kept.numbers) as u32;
    words[6] = kept.rows.iter().map(|row| row.len() as u32).sum();
    answers.send(Answer { words, sum: 0, x: 0.0, on: kept.lots.is_empty() });
    Ok(())
}

#[ring_kernel]
pub fn list_reads(given: &Given, best: &mut List<u8, 5>, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let mut words = [0u32; 8];
    let at = usize::from(given.at % 7);
    for (i, byte) in given.bytes.iter().enumerate() {
        words[0] = words[0].wrapping_mul(31) ^ u32::from(*byte) << i;
    }
    for byte in &given.bytes {
        words[1] = words[1].wrapping_mul(7) ^ u32::from(*byte);
    }
    // By value, and so of a copy.
    let mut list = given.bytes;
    for byte in list {
        list.clear();
        words[2] = words[2].wrapping_add(u32::from(byte));
    }
    let mut bytes = given.bytes;
    for byte in &mut bytes {
        *byte = byte.wrapping_add(1);
    }
    for byte in bytes.iter_mut().skip(1) {
        *byte ^= 5;
    }
    bytes.sort();
    bytes.reverse();
    words[3] = u32::from(bytes.contains(&given.at)) | u32::from(bytes.first() == Some(&9)) << 1;
    words[4] = bytes.get(at).map_or(300, |byte| u32::from(*byte));
    if bytes.len() > 2 {
        bytes[1] = bytes[0].wrapping_add(bytes[2]);
        bytes[0] += bytes.len() as u8 % 2;
        bytes.swap(0, 1);
        words[4] ^= u32::from(bytes[1..].iter().any(|byte| *byte == bytes[0])) << 16;
    }
    let slice: &[u8] = &bytes;
    words[5] = slice.len() as u32 | u32::from(slice == given.bytes.as_slice()) << 8;
    let (left, right) = bytes.split_at(bytes.len() / 2);
    words[6] = left.len() as u32 | (right.len() as u32) << 8;
    bytes.as_mut_slice().fill(given.what);
    let longest = [given.lots.len(), bytes.len()].into_iter().max().unwrap_or(0);
    words[7] = longest as u32 | u32::from(given.bytes[at]) << 8 | bytes.len << 16;
    if bytes > *best {
        *best = bytes;
    }
    let lots: u32 = given.lots.into_iter().map(|lot| u32::from(lot.amount)).sum();
    answers.send(Answer { words, sum: i64::from(lots), x: 0.0, on: given.lots.is_full() });
    Ok(())
}
