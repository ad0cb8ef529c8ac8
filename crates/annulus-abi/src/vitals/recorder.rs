//! The flight recorder: what happened in a runtime, on rare paths only. It is read after a crash.
//!
//! The file ends with [`RECORDS`] places of 64 bytes. A record's number says its place: number *n* is in place
//! *n* modulo [`RECORDS`]. So the last 4096 records are there, and older ones are overwritten.
//!
//! # Who writes
//!
//! Any thread of the runtime's process. A thread takes a number by an atomic addition, which no other thread
//! gets, and then stores the record's words, relaxed. No thread waits for another one, so a record can be made
//! anywhere, also in a forked child that has only its copy of the file.
//!
//! # How a reader finds torn records
//!
//! A record may be half written: its process was killed meanwhile, or the reader came in between, or a thread
//! was stopped for as long as 4096 later records took, and goes on in the place of another one. No order of the
//! words is relied on. The last word is a [check] of all others, the number among them, so a mixture of
//! records is no record. It is left out, as one that was never made. A test tries all mixtures.

use core::mem::offset_of;

use super::{MAGIC, check};

/// How many records are kept. Source: the project's choice, 256 KiB of address space; memory is used as records
/// are made.
pub const RECORDS: usize = 4096;

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Record {
    /// From 1 on, one for each record. A gap is a record that could not be made, or is torn.
    pub number: u64,
    /// When, in nanoseconds on the runtime's clock.
    pub time: u64,
    /// The number of the kernel's launch.
    pub kernel: u64,
    /// See [`event`].
    pub event: u32,
    /// The shard that it is about; [`NO_SHARD`] if it is about the kernel.
    pub shard: u32,
    /// What the event says of them.
    pub values: [u64; 3],
    /// The check of all words before it.
    pub check: u64,
}

/// Value of [`Record::shard`]: the event is about the whole kernel.
pub const NO_SHARD: u32 = u32::MAX;

/// Values of [`Record::event`], with the meaning of the values.
pub mod event {
    /// The kernel was launched: its shards.
    pub const LAUNCHED: u32 = 1;
    /// All its blocks have answered.
    pub const READY: u32 = 2;
    /// The kernel takes messages.
    pub const ACTIVATED: u32 = 3;
    /// It does not.
    pub const DEACTIVATED: u32 = 4;
    /// It was closed to messages of the host.
    pub const CLOSED: u32 = 5;
    /// A closed kernel has handled all.
    pub const DRAINED: u32 = 6;
    /// It has ended: messages handled, messages that were left.
    pub const TERMINATED: u32 = 7;
    /// It has ended, and was not told to.
    pub const LOST: u32 = 8;
    /// A handler failed, or a key named no actor: the code, the message's number and 1, the key. A device says only
    /// the code of its last failure: there the number is 0, and 0 may also stand for the code.
    pub const FAILED: u32 = 9;
    /// Queues have dropped messages: an index into [`CAUSES`](super::CAUSES), how many by that cause since the launch.
    pub const DROPPED: u32 = 10;
    /// A send has waited, and the kernel took nothing: nanoseconds, messages that wait.
    pub const STALLED: u32 = 11;
    /// The kernel is one of a cycle that wait for room in each other.
    pub const CYCLE: u32 = 12;
    /// The launch was refused by the backend.
    pub const NOT_LAUNCHED: u32 = 13;
    /// A handler takes longer than the launch's limit: nanoseconds so far, the message's number, its key.
    pub const SLOW: u32 = 14;
    /// A handler has printed: where in its source, see [`print_site`](super::print_site).
    pub const PRINTED: u32 = 15;
    /// What people call them, by number.
    pub const NAMES: [&str; 16] = [
        "unknown",
        "launched",
        "ready",
        "activated",
        "deactivated",
        "closed",
        "drained",
        "terminated",
        "lost",
        "failed",
        "dropped",
        "stalled",
        "in a cycle",
        "not launched",
        "slow",
        "printed",
    ];
}

/// The values of an event [`PRINTED`](event::PRINTED): the line, and the last 16 bytes of the file's name, which tell most of it;
/// zeros behind a shorter one.
///
/// ```
/// use annulus_abi::vitals::recorder::{print_file, print_site};
/// let [line, file @ ..] = print_site("examples/thermometer.rs", 26);
/// assert_eq!((line, &print_file(file)), (26, b"s/thermometer.rs"));
/// assert_eq!(&print_file([print_site("main.rs", 1)[1], 0]), b"main.rs\0\0\0\0\0\0\0\0\0");
/// ```
pub fn print_site(file: &str, line: u32) -> [u64; 3] {
    let file = &file.as_bytes()[file.len().saturating_sub(16)..];
    let mut words = [[0; 8]; 2];
    for (to, from) in words.as_flattened_mut().iter_mut().zip(file) {
        *to = *from;
    }
    let [first, second] = words.map(u64::from_le_bytes);
    [line.into(), first, second]
}

/// The end of the file's name, of these two values of [`print_site`]. It may be cut off within a character.
pub fn print_file(values: [u64; 2]) -> [u8; 16] {
    let [first, second] = values.map(u64::to_le_bytes);
    core::array::from_fn(|i| if i < 8 { first[i] } else { second[i - 8] })
}

/// Why queues drop messages: names of [`KernelEntry::drops`](super::KernelEntry::drops), by number.
pub const CAUSES: [&str; 7] =
    ["rejected", "evicted", "discarded", "duplicate", "expired", "undelivered", "cleared"];

impl Record {
    /// The words of the file, including the check.
    ///
    /// ```
    /// use annulus_abi::vitals::recorder::{NO_SHARD, Record, event};
    /// let launched = Record {
    ///     number: 1, time: 5, kernel: 1, event: event::LAUNCHED, shard: NO_SHARD, values: [2, 0, 0], check: 0,
    /// };
    /// let read = Record::from_words(launched.to_words()).unwrap();
    /// assert_eq!((read.number, read.name(), read.values[0]), (1, "launched", 2));
    /// assert_eq!(Record::from_words([0; 8]), None);
    /// ```
    pub const fn to_words(self) -> [u64; 8] {
        let [a, b, c] = self.values;
        // As the fields lie on a little-endian machine; readers run on the same machine.
        let what = (self.shard as u64) << 32 | self.event as u64;
        let words = [self.number, self.time, self.kernel, what, a, b, c];
        [self.number, self.time, self.kernel, what, a, b, c, sum(words)]
    }

    /// The record of these words; `None` if there is none, or they are of several.
    pub fn from_words(words: [u64; 8]) -> Option<Self> {
        let [number, time, kernel, what, a, b, c, found] = words;
        let is_whole = number != 0 && sum([number, time, kernel, what, a, b, c]) == found;
        is_whole.then_some(Self {
            number,
            time,
            kernel,
            event: what as u32,
            shard: (what >> 32) as u32,
            values: [a, b, c],
            check: found,
        })
    }

    /// What people call the event.
    pub fn name(&self) -> &'static str {
        event::NAMES.get(self.event as usize).copied().unwrap_or("unknown")
    }
}

/// The check of a record. It begins with a word that is not 0: else a record of which only the number was stored
/// could match the zeros behind it.
const fn sum([number, time, kernel, what, a, b, c]: [u64; 7]) -> u64 {
    check(&[MAGIC, number, time, kernel, what, a, b, c])
}

/// The whole records among these bytes of a file, in the order of their places. Trusts no byte.
pub fn records(bytes: &[u8]) -> impl Iterator<Item = Record> {
    bytes.chunks_exact(size_of::<Record>()).filter_map(|bytes| {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().ok()?);
        }
        Record::from_words(words)
    })
}

const _: () = {
    assert!(size_of::<Record>() == 64);
    assert!(offset_of!(Record, time) == 8);
    assert!(offset_of!(Record, kernel) == 16);
    assert!(offset_of!(Record, event) == 24);
    assert!(offset_of!(Record, shard) == 28);
    assert!(offset_of!(Record, values) == 32);
    assert!(offset_of!(Record, check) == 56);
};
