//! What compressing batches costs, and what it saves.

use std::{hint::black_box, time::Instant};

use annulus::message::{Lz4, delta};
use lz4_flex::block::decompress_into;

use super::{Config, Suite};
use crate::harness::{Better, Candidate, Case, Failure, Goal, Mark, Run};

pub(super) const SUITE: Suite = Suite {
    name: "compress",
    about: "batches of structured records, compressed: speed and what is left",
    method: "One thread. A batch is 64 records of 64 bytes, 4 KB: a counter, a time, a price that wanders, a quantity, a \
             few symbols, flags. Speed is that of the plain bytes; every batch is decompressed once, and compared.",
    cases,
};

/// Bytes of a record.
const RECORD: usize = 64;
const BATCH: usize = 4096;

/// Batches of records such as a market or a telemetry stream has.
fn batches(count: usize) -> Vec<Vec<u8>> {
    let mut state = 17u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let (mut number, mut time, mut price) = (1_000_000u64, 1_700_000_000_000_000_000u64, 40_000u64);
    let batch = |_| {
        let mut bytes = Vec::with_capacity(BATCH);
        for _ in 0..BATCH / RECORD {
            number += 1;
            time += 1000 + random() % 5000;
            price = price + random() % 9 - 4;
            let symbol = [*b"ANNULUS ", *b"RINGS   ", *b"KERNELS "][(random() % 3) as usize];
            let quantity = random() % 500;
            for word in
                [number, time, price, quantity, u64::from_le_bytes(symbol), random() % 4, 0, price * quantity]
            {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        bytes
    };
    (0..count).map(batch).collect()
}

/// GB/s of plain bytes, and the ratio. `compress` replaces what is in the buffer; `decompress` fills the
/// other.
fn compressed(
    rounds: u64,
    mut compress: impl FnMut(&[u8], &mut Vec<u8>),
    mut decompress: impl FnMut(&[u8], &mut [u8]) -> Result<(), Failure>,
) -> Run {
    let batches = batches(64);
    let (mut packed, mut back, mut total) = (Vec::new(), vec![0; BATCH], 0);
    for batch in &batches {
        compress(batch, &mut packed);
        total += packed.len();
        decompress(&packed, &mut back)?;
        if back != *batch {
            return Err("a batch came back as another".into());
        }
    }
    let plain = (batches.len() * BATCH) as f64;
    let begun = Instant::now();
    for _ in 0..rounds {
        for batch in &batches {
            compress(black_box(batch), &mut packed);
            black_box(&packed);
        }
    }
    let speed = plain * rounds as f64 / begun.elapsed().as_nanos() as f64;
    compress(&batches[0], &mut packed);
    let count = rounds * batches.len() as u64;
    let begun = Instant::now();
    for _ in 0..count {
        decompress(black_box(&packed), &mut back)?;
        black_box(&back);
    }
    let back_speed = (BATCH as u64 * count) as f64 / begun.elapsed().as_nanos() as f64;
    Ok(vec![speed, back_speed, plain / total as f64])
}

fn lz4(rounds: u64, with_delta: bool) -> Run {
    let mut lz4 = Lz4::new();
    let mut differences = vec![0; BATCH];
    compressed(
        rounds,
        |plain, to| {
            let plain = if with_delta {
                differences.copy_from_slice(plain);
                for at in RECORD..BATCH {
                    differences[at] = plain[at] ^ plain[at - RECORD];
                }
                &differences
            } else {
                plain
            };
            lz4.compress(plain, to);
        },
        |packed, to| {
            decompress_into(packed, to)?;
            if with_delta {
                for at in RECORD..BATCH {
                    to[at] ^= to[at - RECORD];
                }
            }
            Ok(())
        },
    )
}

fn cases(config: Config) -> Vec<Case> {
    let rounds = config.size(400, 60);
    let mark = |candidate, metric, least| Mark { candidate, metric, goal: Goal::AtLeast(least) };
    vec![Case {
        name: "batches of 4 KB".into(),
        unit: "GB/s",
        better: Better::Higher,
        metrics: &["there", "back", "ratio"],
        limit: None,
        candidates: vec![
            Candidate::new("annulus delta", move || {
                compressed(
                    rounds,
                    |plain, to| {
                        to.clear();
                        delta::compress(plain, RECORD, to);
                    },
                    |packed, to| Ok(delta::decompress(packed, RECORD, to)?),
                )
            }),
            Candidate::new("annulus lz4", move || lz4(rounds, false)),
            Candidate::new("delta, then lz4", move || lz4(rounds, true)),
        ],
        marks: vec![
            mark("annulus delta", "there", 8.0),
            mark("annulus delta", "ratio", 2.0),
            mark("annulus lz4", "there", 1.0),
            mark("annulus lz4", "ratio", 2.0),
        ],
    }]
}
