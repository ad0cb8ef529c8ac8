//! The bridges of a runtime's kernels: what carries messages through the host, from a kernel to others or between a kernel
//! and a queue.
//!
//! The part of the file is a table of [`BridgeEntry`]s. A bridge stands in the file of the runtime that has its source; one
//! from a queue, in that of its target. An entry is taken when a bridge begins, and kept when it has ended: an observer
//! still finds what became of it. When none is left, that of the bridge which ended first is taken again. If all are of
//! bridges that work, more bridges work, and are not shown; each of these takes an entry at the first time that it moves
//! something after another one has ended.
//!
//! # Words and writers
//!
//! | words | written by | when |
//! |---|---|---|
//! | from `number` on, under the check | the runtime, while `state` is [`FREE`](bridge_state::FREE) | when the bridge gets the entry |
//! | [`BridgeEntry::state`] | the runtime | when the bridge gets the entry, and when it ends |
//! | [`BridgeCounts`], and the words from `waits` on | whoever runs the bridge, one thread at a time | each time it has moved what was there, and at its end |
//!
//! The counts are copies, all stored relaxed: between two of them a bridge moves 32 batches at most. So they are exact
//! whenever nothing flows, and for a bridge that has ended.
//!
//! # How a reader finds words of one bridge
//!
//! The runtime takes an entry for another bridge in this order, with a releasing fence behind each step: it sets the entry free
//! and its number to 0; it zeroes the rest; it describes the bridge; and it says that the bridge works. (SYNC: bridge-freed,
//! bridge-zeroed.) A reader copies the table three times, each behind an acquiring fence. If the first copy describes a bridge,
//! and the third one has its number, then the counts of the second one are its own: who has found a word of the next bridge, or a
//! zero of its entry, finds the number 0 or the next one after that; and who has found a number finds no count of the bridge
//! before.

use core::{iter::zip, mem::offset_of};

use super::{
    read::{check_of, word32, word64},
    text,
};

/// How many bridges a file shows. Source: this project's choice, 128 KiB of address space.
pub const MOST_BRIDGES: usize = 256;

/// Values of [`BridgeEntry::state`].
pub mod bridge_state {
    /// No bridge; the other words mean nothing.
    pub const FREE: u32 = 0;
    /// It works.
    pub const WORKS: u32 = 1;
    /// It has ended. Its words stay until the entry is needed again.
    pub const ENDED: u32 = 2;
}

/// What a bridge leads from and to, values of [`BridgeEntry::kind`].
pub mod bridge_kind {
    /// From a kernel to kernels.
    pub const TO_KERNELS: u32 = 1;
    /// From a kernel to a queue.
    pub const TO_QUEUE: u32 = 2;
    /// From a queue to a kernel.
    pub const FROM_QUEUE: u32 = 3;
}

/// What a bridge has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BridgeCounts {
    /// Messages that the target has accepted.
    pub moved: u64,
    /// Their payloads' bytes.
    pub bytes: u64,
    /// Batches that were full.
    pub by_count: u64,
    /// Batches whose time had come.
    pub by_timer: u64,
    /// Batches that were delivered since the source had ended.
    pub by_close: u64,
    /// Messages in the target that were evicted for those of this bridge.
    pub evicted: u64,
    /// Messages that the target discarded, or that found no room under Reject.
    pub discarded: u64,
    /// Messages that were lost since the target had ended.
    pub lost: u64,
    /// Messages that the target knew.
    pub duplicate: u64,
    /// Messages that were larger than the target takes.
    pub too_large: u64,
    /// Messages that were taken from the source, and are not delivered.
    pub held: u64,
}

/// Bytes of a name.
const NAME: usize = 128;

/// A name of an end as observers find it. One that is too long ends with `…`; what stands for a text's end in a file is left out.
///
/// ```
/// use annulus_abi::vitals::{bridges::name_field, text};
/// assert_eq!(text(&name_field("co\0unt")), "count");
/// let long = "sort, ".repeat(40);
/// assert_eq!(text(&name_field(&long)), format!("{}…", &long[..125]));
/// ```
pub fn name_field(name: &str) -> [u8; NAME] {
    const CUT: &[u8] = "…".as_bytes();
    let letters = name.chars().filter(|&letter| letter != '\0');
    let is_cut = letters.clone().map(char::len_utf8).sum::<usize>() > NAME;
    let most = if is_cut { NAME - CUT.len() } else { NAME };
    let (mut bytes, mut end) = ([0; NAME], 0);
    for letter in letters {
        let next = end + letter.len_utf8();
        if next > most {
            break;
        }
        letter.encode_utf8(&mut bytes[end..next]);
        end = next;
    }
    if is_cut {
        bytes[end..end + CUT.len()].copy_from_slice(CUT);
    }
    bytes
}

/// Words of [`BridgeCounts`].
pub const COUNTS: usize = size_of::<BridgeCounts>() / 8;

/// A bridge.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct BridgeEntry {
    /// See [`bridge_state`].
    pub state: u32,
    /// Always 0.
    pub reserved: u32,
    /// What it has done.
    pub counts: BridgeCounts,
    /// Whether it waits, since its target has no room.
    pub waits: u64,
    /// Of the kernel whose room it waits for: [when its runtime was built](super::VitalsHeader::started). 0 if it waits for
    /// none, or for one of a runtime that shows itself nowhere.
    pub waits_runtime: u64,
    /// The [`id`](super::KernelEntry::id) of that kernel.
    pub waits_kernel: u64,
    /// Always 0.
    pub changing: u64,

    /// The number of the bridge, which no other one of the process has, from 1.
    pub number: u64,
    /// The [`id`](super::KernelEntry::id) of its source; of one from a queue, of its target.
    pub kernel: u64,
    /// When it began, in nanoseconds on the runtime's clock.
    pub began: u64,
    /// See [`bridge_kind`].
    pub kind: u32,
    /// Of a source with several outboxes, the number of the one that it leads from, from 1; else 0.
    pub outbox: u32,
    /// The name of its source, as [`name_field`] makes it.
    pub from: [u8; NAME],
    /// That of its target, or those of several.
    pub to: [u8; NAME],
    /// Always 0.
    pub constant: [u64; 11],
    /// [`check`](super::check) of all words from `number` on.
    pub check: u64,
}

/// Bytes of an entry that [`BridgeEntry::check`] does not cover: those before [`BridgeEntry::number`].
pub const CHANGING: usize = offset_of!(BridgeEntry, number);

impl BridgeEntry {
    /// The words of the file, including the check.
    pub fn to_words(&self) -> [u64; size_of::<Self>() / 8] {
        // SAFETY: both types have the same size, and the structure has no padding: its fields follow each other, as the
        // assertions below say.
        let mut words: [u64; size_of::<Self>() / 8] = unsafe { core::mem::transmute(*self) };
        let (check_word, rest) = words.split_last_mut().expect("it has words");
        *check_word = super::check(&rest[CHANGING / 8..]);
        words
    }
}

impl BridgeCounts {
    /// Its words, in the order of the fields.
    pub const fn to_words(self) -> [u64; COUNTS] {
        // SAFETY: the structure is words alone.
        unsafe { core::mem::transmute(self) }
    }

    /// The counts of these words.
    pub const fn from_words(words: [u64; COUNTS]) -> Self {
        // SAFETY: as for `to_words`; any words are counts.
        unsafe { core::mem::transmute(words) }
    }
}

/// A bridge, as a file shows it.
#[derive(Clone, Copy, Debug)]
pub struct Bridge<'a> {
    /// Its entry in a copy of the table, and in the next one.
    described: &'a [u8],
    counted: &'a [u8],
}

/// The bridges of a table, given three copies of it, as the module says. They may be cut off. Trusts no byte.
pub fn bridges<'a>([first, second, third]: [&'a [u8]; 3]) -> impl Iterator<Item = Bridge<'a>> {
    let entries = |bytes: &'a [u8]| bytes.chunks_exact(size_of::<BridgeEntry>());
    let copies = zip(entries(first), zip(entries(second), entries(third)));
    copies.filter_map(|(described, (counted, again))| {
        let is_used = |entry: &[u8]| matches!(state(entry), bridge_state::WORKS | bridge_state::ENDED);
        let number = |entry| word64(entry, offset_of!(BridgeEntry, number));
        let is_whole = is_used(described)
            && is_used(again)
            && number(described) == number(again)
            && Some(check_of(&described[CHANGING..])) == word64(described, offset_of!(BridgeEntry, check));
        is_whole.then_some(Bridge { described, counted })
    })
}

fn state(entry: &[u8]) -> u32 {
    word32(entry, offset_of!(BridgeEntry, state)).unwrap_or(bridge_state::FREE)
}

impl<'a> Bridge<'a> {
    fn word(&self, offset: usize) -> u64 {
        word64(self.described, offset).unwrap_or(0)
    }

    fn counted(&self, offset: usize) -> u64 {
        word64(self.counted, offset).unwrap_or(0)
    }

    fn text(&self, offset: usize) -> &'a str {
        self.described.get(offset..offset + NAME).map_or("", text)
    }

    /// Its number, which no other one of its process has.
    pub fn number(&self) -> u64 {
        self.word(offset_of!(BridgeEntry, number))
    }

    /// The launch that it stands with: its source, or of one from a queue its target.
    pub fn kernel(&self) -> u64 {
        self.word(offset_of!(BridgeEntry, kernel))
    }

    /// When it began, on the runtime's clock.
    pub fn began(&self) -> u64 {
        self.word(offset_of!(BridgeEntry, began))
    }

    /// See [`bridge_kind`].
    pub fn kind(&self) -> u32 {
        word32(self.described, offset_of!(BridgeEntry, kind)).unwrap_or(0)
    }

    /// The number of the outbox that it leads from, if its source has several.
    pub fn outbox(&self) -> Option<u32> {
        word32(self.described, offset_of!(BridgeEntry, outbox))?.checked_sub(1)
    }

    /// The name of its source.
    pub fn from(&self) -> &'a str {
        self.text(offset_of!(BridgeEntry, from))
    }

    /// The name of its target, or those of several.
    pub fn to(&self) -> &'a str {
        self.text(offset_of!(BridgeEntry, to))
    }

    /// Whether it has ended; then the counts are its last ones.
    pub fn has_ended(&self) -> bool {
        // In the first copy, so that the counts of the second are not older; and in the second, since the first may have this of
        // the bridge before.
        [self.described, self.counted].iter().all(|copy| state(copy) == bridge_state::ENDED)
    }

    /// What it has done.
    pub fn counts(&self) -> BridgeCounts {
        let counts = offset_of!(BridgeEntry, counts);
        BridgeCounts::from_words(core::array::from_fn(|i| self.counted(counts + 8 * i)))
    }

    /// If it waits for room: for that of which kernel, by when the runtime of that was built and by its id. Zeros: of none
    /// that is shown anywhere.
    pub fn waits_for(&self) -> Option<(u64, u64)> {
        let word = |offset| self.counted(offset);
        (word(offset_of!(BridgeEntry, waits)) != 0).then(|| {
            (word(offset_of!(BridgeEntry, waits_runtime)), word(offset_of!(BridgeEntry, waits_kernel)))
        })
    }
}

const _: () = {
    assert!(size_of::<BridgeCounts>() == 88);
    assert!(size_of::<BridgeEntry>() == 512);
    assert!(offset_of!(BridgeEntry, counts) == 8);
    assert!(offset_of!(BridgeEntry, waits) == 96);
    assert!(offset_of!(BridgeEntry, waits_runtime) == 104);
    assert!(offset_of!(BridgeEntry, waits_kernel) == 112);
    assert!(offset_of!(BridgeEntry, changing) == 120);
    assert!(offset_of!(BridgeEntry, number) == 128);
    assert!(offset_of!(BridgeEntry, kernel) == 136);
    assert!(offset_of!(BridgeEntry, began) == 144);
    assert!(offset_of!(BridgeEntry, kind) == 152);
    assert!(offset_of!(BridgeEntry, outbox) == 156);
    assert!(offset_of!(BridgeEntry, from) == 160);
    assert!(offset_of!(BridgeEntry, to) == 288);
    assert!(offset_of!(BridgeEntry, constant) == 416);
    assert!(offset_of!(BridgeEntry, check) == 504);
};
