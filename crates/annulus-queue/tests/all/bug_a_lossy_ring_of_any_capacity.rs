//! The capacity of a lossy ring is rounded up to a power of two, which wrapped around to zero: a ring for
//! more messages than there are addresses had two slots.

use annulus_queue::lossy::{memory_usage, ring};

#[test]
fn a_ring_that_cannot_be_is_refused() {
    for capacity in [usize::MAX, (usize::MAX >> 1) + 2, usize::MAX >> 1, usize::MAX >> 6] {
        let refused = ring::<[u64; 7]>(capacity).expect_err("there are not as many addresses");
        assert!(refused.to_string().contains(&capacity.to_string()), "{refused}");
        assert!(refused.to_string().contains("smaller"), "{refused}");
        assert_eq!(memory_usage::<[u64; 7]>(capacity), usize::MAX);
    }
    // It can be addressed, but no machine has it.
    let refused = ring::<[u64; 7]>(1 << 56).expect_err("there is not as much memory");
    assert!(refused.to_string().contains(&(1u64 << 62).to_string()), "{refused}");
}

#[test]
fn small_ones_are_rounded_up() {
    for (capacity, slots) in [(0, 2), (1, 2), (3, 4), (16, 16)] {
        let (mut tx, mut rx) = ring(capacity).unwrap();
        (0..100u64).for_each(|n| tx.send(n));
        assert_eq!(rx.try_recv(), Ok(100 - slots));
    }
}
