//! Bridged messages with everything that devices read, and handlers that read it in every way.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use annulus_kernel::KernelDefinition;
use annulus_macros::{RingMessage, device_fn, ring_kernel};
use annulus_message::Archived;
use annulus_runtime::prelude::{Failure, Outbox, RingKernel};

#[derive(RingMessage, Clone, Debug)]
#[ring(bridged)]
pub(crate) struct Log {
    #[ring(key)]
    pub(crate) source: u32,
    pub(crate) at: u64,
    pub(crate) level: u8,
    pub(crate) on: bool,
    pub(crate) small: i16,
    pub(crate) ratio: f32,
    pub(crate) precise: f64,
    pub(crate) text: String,
    pub(crate) shared: Arc<str>,
    pub(crate) boxed: Box<str>,
    pub(crate) values: Vec<i32>,
    pub(crate) samples: Vec<f64>,
    pub(crate) raw: Vec<u8>,
    pub(crate) bits: Box<[bool]>,
    pub(crate) queue: VecDeque<u16>,
    pub(crate) counts: Arc<[u64]>,
    pub(crate) grid: [[u16; 3]; 2],
    pub(crate) limit: Option<f64>,
    pub(crate) note: Option<String>,
    pub(crate) first: Option<Item>,
    pub(crate) kind: Kind,
    pub(crate) items: Vec<Item>,
    pub(crate) best: Item,
    pub(crate) pair: (i8, Option<u32>),
    pub(crate) unused: BTreeMap<String, u32>,
    pub(crate) wide: u128,
    pub(crate) letter: char,
}

#[derive(RingMessage, Clone, Debug)]
#[ring(bridged)]
pub(crate) struct Item {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) weights: Vec<f32>,
    pub(crate) flag: Option<bool>,
    pub(crate) parts: Vec<Part>,
}

#[derive(RingMessage, Clone, Debug)]
#[ring(bridged)]
pub(crate) struct Part(pub(crate) u16, pub(crate) String);

#[derive(RingMessage, Clone, Debug)]
#[ring(bridged)]
pub(crate) enum Kind {
    Idle,
    Busy { load: u32, why: String },
    Moved(i64, Vec<Part>),
    Failed(Level),
}

/// An enum of plain data.
#[derive(RingMessage, Clone, Copy, Debug)]
#[ring(bridged)]
pub(crate) enum Level {
    Low,
    High,
}

type ArchivedKind = Archived<Kind>;
type ArchivedLevel = Archived<Level>;

#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct Answer {
    pub(crate) whole: i64,
    pub(crate) hash: u64,
    pub(crate) real: f64,
    pub(crate) is: bool,
}

/// FNV-1a.
#[device_fn]
fn hash(so_far: u64, bytes: &[u8]) -> u64 {
    let mut hash = so_far;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash
}

/// A function that takes a part of a message.
#[device_fn]
fn weigh(item: &Archived<Item>, least: f32) -> f64 {
    let mut sum = f64::from(item.id.to_native() as f32);
    for weight in item.weights.iter() {
        if weight.to_native() > least {
            sum += f64::from(weight.to_native());
        }
    }
    for part in item.parts.iter() {
        sum += f64::from(part.0.to_native()) + part.1.len() as f64;
    }
    sum
}

#[ring_kernel]
fn numbers(log: &Archived<Log>, answers: &Outbox<Answer>) {
    let mut whole = i64::from(log.source.to_native()) - i64::from(log.small.to_native());
    if log.at > 1_000 && log.at.to_native() & 1 == 0 {
        whole += 1;
    }
    if log.small < log.best.parts.len() as i16 {
        whole += 2;
    }
    for row in &log.grid {
        for cell in row {
            whole += i64::from(cell.to_native());
        }
    }
    whole += i64::from(log.grid[1][2].to_native()) + i64::from(log.pair.0);
    let real = f64::from(log.ratio.to_native()) + log.precise.to_native();
    answers.send(Answer { whole, hash: log.at.to_native(), real, is: log.on && log.level >= 3 });
}

#[ring_kernel(max_outputs = 4)]
fn texts(log: &Archived<Log>, answers: &Outbox<Answer>) {
    let text = log.text.as_bytes();
    let hash = hash(hash(0xCBF2_9CE4_8422_2325, text), log.shared.as_bytes());
    let mut digits = 0;
    for byte in log.text.as_bytes() {
        if byte.is_ascii_digit() {
            digits += 1;
        }
    }
    let is =
        log.text.as_bytes() == b"exactly" || text.starts_with(b"err") || log.boxed.as_bytes().ends_with(b"!");
    answers.send(Answer { whole: digits, hash, real: log.text.len() as f64, is });
    let letters = log.boxed.as_bytes().iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    answers.send(Answer {
        whole: letters as i64,
        hash: log.shared.len() as u64,
        real: log.boxed.len() as f64,
        is: log.text.is_empty() || log.shared.is_empty() || log.boxed.is_ascii(),
    });
    let at = text.iter().position(|byte| *byte == b' ').unwrap_or(text.len());
    let (word, rest) = text.split_at(at);
    answers.send(Answer {
        whole: word.len() as i64,
        hash: hash2(word, rest),
        real: 0.0,
        is: text.contains(&b'e'),
    });
    answers.send(Answer {
        whole: i64::from(log.text.as_bytes().get(3).copied().unwrap_or(0)),
        is: text.first() == Some(&b'e'),
        ..Answer::default()
    });
}

#[device_fn]
fn hash2(a: &[u8], b: &[u8]) -> u64 {
    hash(hash(1, a), b)
}

#[ring_kernel(max_outputs = 8)]
fn lists(log: &Archived<Log>, answers: &Outbox<Answer>) {
    let mut whole = 0i64;
    for value in log.values.iter() {
        whole = whole.wrapping_add(i64::from(value.to_native()));
    }
    for (index, value) in log.values.as_slice().iter().enumerate() {
        whole = whole.wrapping_add(index as i64 * i64::from(value.to_native()));
    }
    let real: f64 = log.samples.iter().map(|sample| sample.to_native()).sum();
    let trues = log.bits.iter().filter(|bit| **bit).count();
    answers.send(Answer { whole, hash: trues as u64, real, is: log.values.is_empty() });
    let last = log.values.last().map(|value| value.to_native()).unwrap_or(-1);
    let second = log.samples.get(1).map_or(0.5, |sample| sample.to_native());
    answers.send(Answer {
        whole: i64::from(last),
        hash: log.raw.len() as u64 + log.queue.len() as u64,
        real: second,
        is: log.raw.as_slice() == [1, 2, 3] || log.raw.contains(&9),
    });
    let mut hash = 7u64;
    for pair in log.counts.windows(2) {
        hash = hash.wrapping_mul(31).wrapping_add(pair[0].to_native() ^ pair[1].to_native());
    }
    for chunk in log.queue.chunks(3) {
        hash = hash.wrapping_mul(37).wrapping_add(chunk.len() as u64 + u64::from(chunk[0].to_native()));
    }
    for (value, sample) in log.values.iter().zip(log.samples.iter()).rev() {
        if value.to_native() as f64 > sample.to_native() {
            hash = hash.rotate_left(5);
        }
    }
    let most = log.values.iter().map(|value| value.to_native()).max();
    answers.send(Answer { whole: most.map_or(0, i64::from), hash, ..Answer::default() });
    if log.values.len() > 2 {
        let inner = &log.values[1..log.values.len() - 1];
        answers.send(Answer {
            whole: i64::from(inner[0].to_native()),
            hash: inner.len() as u64,
            ..Answer::default()
        });
    }
}

/// Fails where the index is out of bounds.
#[ring_kernel]
fn indexed(log: &Archived<Log>, answers: &Outbox<Answer>) {
    let at = log.level as usize;
    let value = log.values[at].to_native();
    answers.send(Answer {
        whole: i64::from(value),
        real: log.samples[at / 2].to_native(),
        ..Answer::default()
    });
}

#[ring_kernel(max_outputs = 4)]
fn options(log: &Archived<Log>, answers: &Outbox<Answer>) {
    let mut answer = Answer { is: log.limit.is_some() && log.note.is_none(), ..Answer::default() };
    if let Some(limit) = log.limit.as_ref() {
        answer.real = limit.to_native();
    }
    match log.note.as_ref() {
        Some(note) if note.len() > 3 => answer.hash = hash(3, note.as_bytes()),
        Some(note) => answer.whole = note.len() as i64,
        None => answer.whole = -1,
    }
    answers.send(answer);
    let part = log.pair.1.as_ref().map_or(9, |part| part.to_native());
    answers.send(Answer { whole: i64::from(part), ..Answer::default() });
    if let Some(item) = log.first.as_ref() {
        let flag = item.flag.as_ref().copied().unwrap_or(false);
        answers.send(Answer {
            whole: item.parts.len() as i64,
            real: weigh(item, 0.25),
            is: flag,
            ..Answer::default()
        });
    }
    let some = log.first.as_ref().is_some_and(|item| item.name.as_bytes().starts_with(b"a"));
    answers.send(Answer { is: some, ..Answer::default() });
}

#[ring_kernel]
fn kinds(log: &Archived<Log>, answers: &Outbox<Answer>) {
    let answer = match &log.kind {
        ArchivedKind::Idle => Answer { whole: 1, ..Answer::default() },
        ArchivedKind::Busy { load, why } => {
            Answer { whole: i64::from(load.to_native()), hash: hash(5, why.as_bytes()), ..Answer::default() }
        }
        ArchivedKind::Moved(by, parts) => {
            let mut whole = by.to_native();
            for part in parts.iter() {
                whole =
                    whole.wrapping_mul(3).wrapping_add(i64::from(part.0.to_native()) + part.1.len() as i64);
            }
            Answer { whole, ..Answer::default() }
        }
        ArchivedKind::Failed(level) => {
            Answer { is: matches!(level, ArchivedLevel::High), whole: 4, ..Answer::default() }
        }
    };
    answers.send(answer);
}

#[ring_kernel(max_outputs = 4)]
fn records(log: &Archived<Log>, answers: &Outbox<Answer>) {
    let mut real = 0.0;
    let mut hash = 11;
    for item in log.items.iter() {
        real += weigh(item, 0.5);
        hash = hash2(item.name.as_bytes(), &[item.weights.len() as u8]) ^ u64::rotate_left(hash, 7);
        for part in item.parts.as_slice() {
            hash = hash.wrapping_add(u64::from(part.0.to_native()));
            for byte in part.1.as_bytes().iter().rev() {
                hash = hash.wrapping_mul(31).wrapping_add(u64::from(*byte));
            }
        }
    }
    answers.send(Answer {
        whole: log.items.len() as i64,
        hash,
        real: real + weigh(&log.best, -1.0),
        is: false,
    });
    let longest = log.items.iter().map(|item| item.name.len()).max();
    let named = log.items.iter().position(|item| item.name.as_bytes() == b"needle");
    answers.send(Answer {
        whole: longest.map_or(-1, |longest| longest as i64),
        hash: named.map_or(99, |at| at as u64),
        ..Answer::default()
    });
    if let Some(item) = log.items.get(1) {
        let weights: f64 = item.weights.iter().map(|weight| f64::from(weight.to_native())).sum();
        answers.send(Answer {
            whole: item.id.to_native(),
            real: weights,
            is: item.flag.is_some(),
            ..Answer::default()
        });
    }
}

const EMPTY: Failure = Failure::of(3);

/// With a state, and failures of its own.
#[ring_kernel]
fn counted(log: &Archived<Log>, seen: &mut u64, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let word = log.text.as_bytes().split_at(log.text.len() / 2).0;
    if word.is_empty() {
        return Err(EMPTY);
    }
    *seen = seen.wrapping_add(hash(0, word));
    let first = log.items.first().ok_or(EMPTY)?;
    answers.send(Answer { whole: first.id.to_native(), hash: *seen, ..Answer::default() });
    Ok(())
}

pub(crate) const KERNELS: &[&KernelDefinition] = &[
    numbers::DEFINITION,
    texts::DEFINITION,
    lists::DEFINITION,
    indexed::DEFINITION,
    options::DEFINITION,
    kinds::DEFINITION,
    records::DEFINITION,
    counted::DEFINITION,
];
