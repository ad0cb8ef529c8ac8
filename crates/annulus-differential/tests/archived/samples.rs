//! Random messages, and their archives.

use annulus_conformance::language::{Call, Inputs, Memory};
use annulus_kernel::{BRIDGED_HEAD, KernelDefinition};
use annulus_message::{MAX_PAYLOAD, Payload};

pub(crate) use crate::kernels::Item;
use crate::kernels::{Kind, Level, Log, Part};

/// Numbers of a seed (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn some<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (!self.one_in(3)).then(|| make(self))
    }

    /// Most lists are short.
    fn list<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let most = if self.one_in(5) { 40 } else { 5 };
        (0..self.below(most)).map(|_| make(self)).collect()
    }

    /// Of every length around the one at which a text leaves its own place, and long ones.
    fn text(&mut self) -> String {
        let fixed = ["exactly", "error 17", "needle", "a", "", "warn!", "12345678", "123456789"];
        if self.one_in(4) {
            return fixed[self.below(fixed.len() as u64) as usize].into();
        }
        let most = if self.one_in(6) { 300 } else { 14 };
        let letters: Vec<char> = "ae 019!zÅ€".chars().collect();
        (0..self.below(most)).map(|_| letters[self.below(letters.len() as u64) as usize]).collect()
    }

    fn real(&mut self) -> f64 {
        (self.below(4_000) as f64 - 2_000.0) / 8.0
    }

    fn part(&mut self) -> Part {
        Part(self.next() as u16, self.text())
    }

    fn item(&mut self) -> Item {
        Item {
            id: self.next().cast_signed() >> 20,
            name: self.text(),
            weights: self.list(|random| random.real() as f32),
            flag: self.some(|random| random.one_in(2)),
            parts: self.list(Self::part),
        }
    }

    pub(crate) fn log(&mut self) -> Log {
        Log {
            source: self.next() as u32,
            at: self.next() >> self.below(60),
            level: self.below(8) as u8,
            on: self.one_in(2),
            small: self.next() as i16,
            ratio: self.real() as f32,
            precise: self.real(),
            text: self.text(),
            shared: self.text().into(),
            boxed: self.text().into(),
            values: self.list(|random| random.next() as i32),
            samples: self.list(Self::real),
            raw: if self.one_in(4) { vec![1, 2, 3] } else { self.list(|random| random.below(16) as u8) },
            bits: self.list(|random| random.one_in(2)).into(),
            queue: self.list(|random| random.next() as u16).into(),
            counts: self.list(Self::next).into(),
            grid: [[self.next() as u16, 2, 3], [4, 5, self.next() as u16]],
            limit: self.some(Self::real),
            note: self.some(Self::text),
            first: self.some(Self::item),
            kind: match self.below(4) {
                0 => Kind::Idle,
                1 => Kind::Busy { load: self.next() as u32, why: self.text() },
                2 => Kind::Moved(self.next().cast_signed() >> 30, self.list(Self::part)),
                _ => Kind::Failed(if self.one_in(2) { Level::Low } else { Level::High }),
            },
            items: self.list(Self::item),
            best: self.item(),
            pair: (self.next() as i8, self.some(|random| random.next() as u32)),
            unused: self.list(|random| (random.text(), 1)).into_iter().collect(),
            wide: u128::from(self.next()) << 40,
            letter: 'Å',
        }
    }
}

/// Bytes of a head.
pub(crate) const HEAD: usize = 16;

/// How many heads an image has room for: each archive of these tests is shorter.
pub(crate) const IMAGE: usize = MAX_PAYLOAD / HEAD / 2;

/// A message as it lies in a slot: the head, and the archive behind it. What is left has this byte.
pub(crate) fn image(archive: &[u8], rest: u8) -> Memory {
    let mut memory = Memory::zeroed(BRIDGED_HEAD, IMAGE);
    let bytes = memory.bytes_mut();
    bytes.fill(rest);
    bytes[..4].copy_from_slice(&u32::try_from(archive.len()).unwrap().to_ne_bytes());
    bytes[4..8].copy_from_slice(&1u32.to_ne_bytes());
    bytes[8..16].fill(0);
    bytes[HEAD..HEAD + archive.len()].copy_from_slice(archive);
    memory
}

/// The archive of a message.
pub(crate) fn archive(log: &Log) -> Vec<u8> {
    let mut bytes = Vec::new();
    log.write(&mut bytes).unwrap();
    bytes
}

/// A call with this message.
pub(crate) fn call(definition: &'static KernelDefinition, message: Memory, seed: u64) -> Call {
    Call { message, ..Inputs::new(seed, 1).call(definition) }
}
