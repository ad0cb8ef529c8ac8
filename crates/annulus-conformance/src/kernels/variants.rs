//! Kernels whose messages are enums that take what other kernels send.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::{Done, Item, Number};

/// What [`coordinate`](struct@coordinate) fails with.
pub const NOT_WELCOME: u16 = 79;

/// Six bytes: a part of a word.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Joined {
    pub weight: u16,
    #[ring(key)]
    pub worker: u16,
    pub round: u16,
}

/// Twelve bytes: a word and a half.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Finished {
    pub result: u32,
    #[ring(key)]
    pub worker: u32,
    pub round: u32,
}

/// What a coordinator takes: of other kernels by type, and of the host.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i16)]
pub enum Event {
    Left {
        why: u32,
        #[ring(key)]
        worker: u8,
    } = -2,
    #[ring(from)]
    Joined(Joined),
    #[ring(from)]
    Finished { it: Finished } = 300,
    #[ring(from)]
    Worked(Item),
}

/// What it says of each.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Noted {
    pub kind: u32,
    pub worker: u32,
    pub value: u64,
    pub more: u64,
    /// How many of this worker there were.
    pub nth: u64,
}

/// What it knows of a worker.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Seen {
    pub count: u64,
    pub sum: u64,
}

/// Notes every event. A worker that joins with the largest weight is not welcome.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn coordinate(event: &Event, seen: &mut Seen, out: &Outbox<Noted>) -> Result<(), Failure> {
    seen.count += 1;
    let nth = seen.count;
    let noted = match event {
        Event::Left { why, worker } => {
            Noted { kind: 0, worker: *worker as u32, value: *why as u64, more: 0, nth }
        }
        Event::Joined(Joined { weight, worker, round }) => {
            if *weight == u16::MAX {
                return Err(Failure::of(NOT_WELCOME));
            }
            Noted { kind: 1, worker: *worker as u32, value: *round as u64, more: *weight as u64, nth }
        }
        Event::Finished { it } => {
            Noted { kind: 2, worker: it.worker, value: it.round as u64, more: it.result as u64, nth }
        }
        Event::Worked(item) => {
            Noted { kind: 3, worker: item.key, value: item.sequence, more: item.producer as u64, nth }
        }
    };
    seen.sum += noted.value;
    out.send(noted);
    Ok(())
}

/// So many workers.
pub const WORKERS: u64 = 7;

/// A worker joins, again and again. The largest number makes one that is not welcome; the one before that
/// makes one that nobody knows.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn join(number: &Number, out: &Outbox<Joined>) {
    let round = number.value as u16;
    let worker = if number.value == u64::MAX - 1 { 999 } else { (number.value % WORKERS) as u16 };
    out.send(Joined { weight: if number.value == u64::MAX { u16::MAX } else { 5 }, worker, round });
}

/// A worker has finished, twice.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 2)]
pub fn finish(number: &Number, out: &Outbox<Finished>) {
    let (worker, round) = ((number.value % WORKERS) as u32, number.value as u32);
    out.send(Finished { result: round * 3, worker, round });
    out.send(Finished { result: round * 3 + 1, worker, round });
}

/// Three bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Bytes3 {
    pub bytes: [u8; 3],
}

/// Without a key, with a tag of a byte.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Note {
    Tick = 7,
    #[ring(from)]
    Number(Number),
    #[ring(from)]
    Bytes(Bytes3),
    #[ring(from)]
    Done(Done),
}

/// Makes a number of each note.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn read_notes(note: &Note, out: &Outbox<Number>) {
    let value = match note {
        Note::Tick => 1,
        Note::Number(number) => number.value * 10 + 2,
        Note::Bytes(bytes) => {
            let [a, b, c] = bytes.bytes;
            ((a as u64) << 16 | (b as u64) << 8 | c as u64) * 10 + 3
        }
        Note::Done(_) => 4,
    };
    out.send(Number { value });
}

/// Sends a number as bytes.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn cut(number: &Number, out: &Outbox<Bytes3>) {
    let value = number.value;
    out.send(Bytes3 { bytes: [(value >> 16) as u8, (value >> 8) as u8, value as u8] });
}

/// All of them.
pub const VARIANTS: &[&KernelDefinition] =
    &[coordinate::DEFINITION, join::DEFINITION, finish::DEFINITION, read_notes::DEFINITION, cut::DEFINITION];
