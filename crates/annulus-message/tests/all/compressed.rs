//! Compression. Row D-05.

use annulus::message::{Sampler, delta};
use proptest::{prelude::*, test_runner::RngSeed};

fn there_and_back(records: &[u8], size: usize) -> usize {
    let mut packed = vec![9];
    delta::compress(records, size, &mut packed);
    assert!(packed.len() - 1 <= delta::bound(records.len()));
    let mut back = vec![0xAA; records.len()];
    delta::decompress(&packed[1..], size, &mut back).unwrap();
    assert_eq!(back, records);
    // No shorter bytes are taken for them, and no longer ones.
    if packed.len() > 1 {
        let last = packed.len() - 1;
        assert!(delta::decompress(&packed[1..last], size, &mut back).is_err());
    }
    packed.push(0);
    assert!(delta::decompress(&packed[1..], size, &mut back).is_err());
    packed.pop();
    packed.len() - 1
}

#[test]
fn records_become_small_and_come_back() {
    // D-05 and DECISIONS 22: the last, shorter word is not lost.
    for len in [0, 1, 7, 8, 9, 63, 64, 65, 4096, 4099] {
        for size in [1, 3, 8, 12, 64, 100, 5000] {
            let records: Vec<u8> = (0..len).map(|i| (i * 7 % 251) as u8).collect();
            there_and_back(&records, size);
        }
    }
    let records: Vec<u8> =
        (0..64u64).flat_map(|i| [1000 + i, (1 << 40) | (i * 3), 7, 0]).flat_map(u64::to_le_bytes).collect();
    assert!(there_and_back(&records, 32) * 4 < records.len());
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(5),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_records_come_back(records in proptest::collection::vec(any::<u8>(), 0..600), size in 1usize..80) {
        there_and_back(&records, size);
    }

    #[test]
    fn any_bytes_are_records_or_an_error(
        packed in proptest::collection::vec(any::<u8>(), 0..300),
        size in 1usize..80,
        len in 0usize..600,
    ) {
        let mut to = vec![0; len];
        let _ = delta::decompress(&packed, size, &mut to);
    }
}

/// What never becomes smaller is tried ever more seldom, and what does so again is noticed.
#[test]
fn incompressible_payloads_are_not_tried_for_ever() {
    let mut sampler = Sampler::new(100);
    assert!(!sampler.wants(99));
    let mut tries = 0;
    for _ in 0..10_000 {
        if sampler.wants(1000) {
            tries += 1;
            assert!(!sampler.learn(1000, 950));
        }
    }
    assert_eq!(tries, 19, "after pauses of 1, 2, 4 … 1024, 1024");
    let next = (0..2000).position(|_| sampler.wants(1000)).unwrap();
    assert!(next <= 1024);
    assert!(sampler.learn(1000, 500));
    assert!((0..100).all(|_| sampler.wants(1000) && sampler.learn(1000, 500)));
}
