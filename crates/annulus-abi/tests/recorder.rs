//! Records of the flight recorder: whole ones are read, and nothing else.

use annulus_abi::vitals::recorder::{CAUSES, NO_SHARD, RECORDS, Record, event, records};

fn record(number: u64, event: u32, shard: u32, values: [u64; 3]) -> Record {
    Record { number, time: 1000 * number, kernel: 1 + number % 3, event, shard, values, check: 0 }
}

/// What may lie in one place, one after the other: nothing, and records that are a lap apart.
fn one_place(first: u64) -> [[u64; 8]; 3] {
    let lap = RECORDS as u64;
    [
        record(first, event::FAILED, 1, [77, 12, first]),
        record(first + lap, event::FAILED, 1, [77, 13, first]),
        record(first + 2 * lap, event::DROPPED, NO_SHARD, [0, 4, 0]),
    ]
    .map(Record::to_words)
}

/// each word of a place may be of any of three writers, or still 0: all 4^8 mixtures, of several places. Only
/// those are read that are one writer's.
#[test]
fn r_06_a_mixture_of_records_is_no_record() {
    for first in [1, 2, 4095, 1 << 40] {
        let [a, b, c] = one_place(first);
        let writers = [[0; 8], a, b, c];
        let mut whole = 0;
        for mixture in 0..1u32 << 16 {
            let words = std::array::from_fn(|i| writers[(mixture >> (2 * i) & 3) as usize][i]);
            match Record::from_words(words) {
                // Words that several writers have in common are nobody's alone.
                Some(_) => {
                    assert!(writers[1..].contains(&words), "{mixture:#x} was read: {words:?}");
                    whole += 1;
                }
                None => assert!(!writers[1..].contains(&words)),
            }
        }
        assert!(whole >= 3, "each was read");
    }
}

/// O-01: records are read back with what they say, whatever lies between them.
#[test]
fn o_01_records_are_read_between_what_is_none() {
    let mut bytes = vec![0u8; 64 * 8 + 13];
    for (place, number) in [(1, 1u64), (3, 3), (6, 4102)] {
        let words = record(number, event::STALLED, 2, [5, 6, 7]).to_words();
        for (i, word) in words.into_iter().enumerate() {
            bytes[64 * place + 8 * i..][..8].copy_from_slice(&word.to_ne_bytes());
        }
    }
    bytes[64 * 3 + 40] ^= 1;
    let read: Vec<_> = records(&bytes).collect();
    let told: Vec<_> = read.iter().map(|r| (r.number, r.name(), r.shard, r.values)).collect();
    assert_eq!(told, [(1, "stalled", 2, [5, 6, 7]), (4102, "stalled", 2, [5, 6, 7])]);
    assert_eq!(records(&bytes[..63]).count(), 0);
    let unknown = Record { event: 99, ..read[0] };
    assert_eq!(unknown.name(), "unknown");
    assert_eq!(CAUSES[0], "rejected");
}
