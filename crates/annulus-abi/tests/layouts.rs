//! What the layouts promise beyond their offsets.

use annulus_abi::{
    LINE,
    histogram::{BUCKETS, bucket, upper_bound},
    kernel::{KernelLayout, KernelShape},
    ring::{Envelope, RingLayout, SEALED_MOST, UNIT, UNIT_CONTENT, UNITS_MOST},
    telemetry::Telemetry,
};

fn example() -> Telemetry {
    Telemetry {
        messages_processed: 1_000_000,
        messages_dropped: 3,
        last_processed_timestamp: 123_456_789_012,
        queue_depth: 17,
        total_latency_nanos: 9_876_543_210,
        max_latency_nanos: 55_555,
        min_latency_nanos: 321,
        error_code: 7,
        epoch: 2,
        ..Telemetry::new(0)
    }
}

/// T-02: which of the specification's two layouts holds, byte for byte. In the older draft the queue's depth stood at 16,
/// in front of the last time at 24, and all behind that was reserved. T-03's has the last time at 16 and the depth at
/// 24, and its latencies and its error code behind them.
#[test]
fn t02_the_older_layout_does_not_hold() {
    let telemetry = Telemetry {
        messages_processed: 0x0706_0504_0302_0100,
        messages_dropped: 0x0F0E_0D0C_0B0A_0908,
        last_processed_timestamp: 0x1716_1514_1312_1110,
        queue_depth: 0x1B1A_1918,
        unmeasured: 0x1F1E_1D1C,
        total_latency_nanos: 0x2726_2524_2322_2120,
        max_latency_nanos: 0x2F2E_2D2C_2B2A_2928,
        min_latency_nanos: 0x3736_3534_3332_3130,
        error_code: 0x3938,
        epoch: 0x3B3A,
        check: 0,
    };
    let bytes: Vec<u8> = telemetry.to_words().into_iter().flat_map(u64::to_le_bytes).collect();
    // Each byte but the check's, which are the last four, tells its own place.
    let places: Vec<u8> = (0..60).collect();
    assert_eq!((bytes.len(), &bytes[..60]), (64, &places[..]));
    let i32_at = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(i32_at(24), telemetry.queue_depth, "T-03's place");
    assert_ne!(i32_at(16), telemetry.queue_depth, "the older draft's place");
}

#[test]
fn telemetry_survives_its_words() {
    let words = example().to_words();
    let back = Telemetry::from_words(&words).expect("whole");
    assert_eq!(Telemetry { check: 0, ..back }, example());
}

/// Every mixture of two successive states is recognised as torn, whichever words are new.
#[test]
fn every_mixture_of_two_states_is_torn() {
    let old = example();
    let mut new = old;
    new.messages_processed += 1;
    new.messages_dropped += 1;
    new.last_processed_timestamp += 250;
    new.queue_depth -= 1;
    new.total_latency_nanos += 400;
    new.max_latency_nanos += 1;
    new.min_latency_nanos -= 1;
    let (old, new) = (old.to_words(), new.to_words());
    for mask in 1u32..255 {
        let mixed: [u64; 8] = std::array::from_fn(|i| if mask & 1 << i == 0 { old[i] } else { new[i] });
        assert!(Telemetry::from_words(&mixed).is_none(), "mask {mask:#b}");
    }
}

/// Fresh memory is no telemetry: a reader cannot take zeros for an idle kernel with a minimum latency of 0.
#[test]
fn a_new_block_says_that_no_latency_was_seen() {
    let new = Telemetry::from_words(&Telemetry::new(5).to_words()).expect("whole");
    assert_eq!((new.min_latency_nanos, new.max_latency_nanos, new.epoch), (u64::MAX, 0, 5));
}

#[test]
fn histogram_buckets_cover_every_value_in_order() {
    assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    assert_eq!(upper_bound(BUCKETS - 1), u64::MAX);
    let mut last = None;
    for b in 0..BUCKETS {
        let upper = upper_bound(b);
        assert_eq!(bucket(upper), b);
        if let Some(last) = last {
            assert_eq!(bucket(last + 1), b, "no gap before bucket {b}");
        }
        last = Some(upper);
    }
    for value in [100u64, 1_000, 12_345, 1 << 40] {
        let error = upper_bound(bucket(value)) - value;
        assert!(error * 32 <= value, "{value} is off by {error}");
    }
}

#[test]
fn small_messages_are_one_line() {
    let both = Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false };
    let layout = RingLayout::new(16, 40, 8, both);
    assert_eq!((layout.slot_stride, layout.payload_offset), (LINE, 24));
    assert_eq!(RingLayout::new(16, 41, 8, both).slot_stride, 2 * LINE);
    assert_eq!(RingLayout::new(16, 56, 4, Envelope::default()).slot_stride, LINE);
    assert_eq!(RingLayout::new(16, 32, 32, both).payload_offset, 32);
    assert_eq!(layout.bytes(), 256 + 16 * 64);
}

/// A sealed slot has room for its whole image, and wastes less than half a cache line. The ring takes whole ones.
#[test]
fn sealed_slots_hold_their_images() {
    let envelopes = [(false, false), (true, false), (false, true), (true, true)];
    for (enqueue_time, correlation) in envelopes {
        for align in [1, 2, 4, 8, 16, 32, 64] {
            for size in (0..=SEALED_MOST + 8).step_by(align) {
                let open = RingLayout::new(
                    16,
                    size,
                    align,
                    Envelope { enqueue_time, correlation, trace: false, stamp: false },
                );
                let image = open.payload_offset + size;
                let Some(sealed) = open.sealed() else {
                    assert!(image > SEALED_MOST, "{size} bytes");
                    continue;
                };
                assert!(image <= SEALED_MOST && sealed.is_sealed() && !open.is_sealed(), "{size} bytes");
                assert!(sealed.units <= UNITS_MOST);
                assert!(sealed.units * UNIT_CONTENT >= image && (sealed.units - 1) * UNIT_CONTENT < image);
                assert!(
                    sealed.slot_stride.is_multiple_of(align.max(2 * UNIT))
                        && sealed.slot_stride - sealed.units * UNIT < LINE
                );
                assert!(sealed.image_stride() >= sealed.units * UNIT_CONTENT);
                assert!(sealed.image_stride().is_multiple_of(LINE), "payloads stay aligned");
                assert_eq!((sealed.payload_offset, sealed.payload_size), (open.payload_offset, size));
                assert_eq!(
                    sealed.unit_offset(17, sealed.units - 1),
                    256 + sealed.slot_stride + (sealed.units - 1) * UNIT
                );
                assert_eq!(open.image_stride(), open.slot_stride);
            }
        }
    }
}

/// A message of up to 40 bytes without an envelope is one line, one of up to 24 bytes with both words.
#[test]
fn small_sealed_messages_are_one_line() {
    let both = Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false };
    let stride =
        |size, envelope| RingLayout::new(16, size, 8, envelope).sealed().map(|layout| layout.slot_stride);
    assert_eq!(stride(40, Envelope::default()), Some(LINE));
    assert_eq!(stride(41, Envelope::default()), Some(LINE + LINE / 2));
    assert_eq!(stride(24, both), Some(LINE));
    assert!(stride(324, both).is_some());
    assert_eq!(stride(325, both), None);
}

#[test]
fn laps_follow_each_other_and_are_never_that_of_fresh_memory() {
    let layout = RingLayout::new(16, 8, 8, Envelope::default());
    assert_eq!((layout.lap(0), layout.lap(15), layout.lap(16)), (1, 1, 2));
    assert_eq!(layout.slot_offset(0), layout.slot_offset(16));
}

/// The rings that a kernel does without take no place, and move nothing.
#[test]
fn a_ring_that_is_not_asked_for_takes_no_place() {
    let shape = KernelShape {
        inbound_capacity: 16,
        outbound_capacity: 16,
        message: (8, 8),
        output: (8, 8),
        envelope: Envelope::default(),
        dead_letters_capacity: 16,
        prints_capacity: 32,
        print_words: 9,
        histogram: true,
        ports: 0,
    };
    let all = KernelLayout::new(&shape);
    let quiet = KernelLayout::new(&KernelShape { prints_capacity: 0, print_words: 0, ..shape });
    let prints = all.prints.expect("asked for");
    // The device runtime puts a print's words right behind the slot's header.
    assert_eq!((prints.payload_offset, prints.payload_size, prints.slot_stride), (8, 72, 2 * LINE));
    assert_eq!(all.prints_offset(), all.dead_letters_offset() + all.dead_letters.expect("asked for").bytes());
    assert_eq!(all.histogram_offset(), all.prints_offset() + prints.bytes());
    assert_eq!((quiet.prints, quiet.prints_offset()), (None, quiet.histogram_offset()));
    assert_eq!(all.shard_bytes() - quiet.shard_bytes(), prints.bytes());
    // Replies: as many slots as messages have, laid out like outputs.
    let called = KernelLayout::new(&KernelShape {
        envelope: Envelope { enqueue_time: false, correlation: true, trace: false, stamp: false },
        outbound_capacity: 32,
        ..shape
    });
    let replies = called.replies.expect("asked for");
    assert_eq!((all.replies, all.replies_offset()), (None, all.dead_letters_offset()));
    assert_eq!((replies.capacity, called.outbound.capacity), (16, 32));
    assert_eq!(replies, annulus_abi::ring::RingLayout { capacity: 16, ..called.outbound });
    assert_eq!(called.dead_letters_offset(), called.replies_offset() + replies.bytes());
    assert_eq!((called.outbound.correlation_offset, replies.payload_offset), (None, 8));
    assert!(called.sealed().replies.is_some_and(|replies| replies.is_sealed()));
    let sealed = all.sealed();
    assert!(sealed.inbound.is_sealed() && sealed.outbound.is_sealed());
    assert_eq!(KernelLayout { inbound: all.inbound, outbound: all.outbound, ..sealed }, all);
    assert!(all.prints_offset().is_multiple_of(128) && all.shard_bytes().is_multiple_of(128));
    // Counts of outboxes are the last of a shard: a line for each, and the shard's end is aligned.
    let sorted = KernelLayout::new(&KernelShape { ports: 3, ..shape });
    assert_eq!((all.ports_offset(), all.ports_bytes()), (all.shard_bytes(), 0));
    assert_eq!((sorted.ports_offset(), sorted.ports_bytes()), (all.shard_bytes(), 256));
    assert_eq!(sorted.shard_bytes(), all.shard_bytes() + 256);
}

/// A count of actors has a pair of lines between the histogram and the counts of outboxes, so that devices find it from the
/// shard's end; whatever else is there.
#[test]
fn a_count_of_actors_is_in_front_of_the_counts_of_outboxes() {
    for histogram in [false, true] {
        for ports in [0, 1, 2, 3, 5] {
            let plain = KernelLayout::new(&KernelShape {
                inbound_capacity: 16,
                outbound_capacity: 32,
                message: (24, 8),
                output: (8, 8),
                envelope: Envelope { enqueue_time: true, correlation: true, trace: true, stamp: false },
                dead_letters_capacity: 16,
                prints_capacity: 32,
                print_words: 3,
                histogram,
                ports,
            });
            let counting = plain.counting_actors();
            assert_eq!((plain.actors_bytes(), counting.actors_bytes()), (0, 128));
            assert_eq!(plain.actors_offset(), plain.ports_offset());
            assert_eq!(counting.actors_offset(), counting.histogram_offset() + counting.histogram_bytes());
            assert_eq!(counting.actors_offset(), plain.actors_offset(), "it moves nothing in front of it");
            assert!(counting.actors_offset().is_multiple_of(128));
            assert_eq!(counting.ports_offset(), counting.actors_offset() + 128);
            assert_eq!(counting.shard_bytes(), plain.shard_bytes() + 128);
            let from_the_end = counting.shard_bytes() - counting.actors_offset();
            // `ANN_PORT_COUNTS_BYTES` in the block's C text.
            assert_eq!(from_the_end, 128 + (64 * ports as usize).next_multiple_of(128));
            assert_eq!(KernelLayout { actors: false, ..counting }, plain);
            assert_eq!(counting.counting_actors(), counting);
            for (with, without) in
                [(counting.sealed(), plain.sealed()), (counting.bridged(4096), plain.bridged(4096))]
            {
                assert!(with.actors);
                assert_eq!(with.shard_bytes(), without.shard_bytes() + 128);
            }
        }
    }
}

/// W-10: a ring of bridged messages has a spill block for each slot, behind all slots, if a slot has not
/// enough room; and heads can say where the farthest begins.
#[test]
fn w10_spill_blocks_follow_the_slots() {
    use annulus_abi::bridged::{BEGIN_UNIT, Head, INLINE, INLINE_MOST};
    let shape = |max_payload| KernelShape {
        inbound_capacity: 16,
        outbound_capacity: 16,
        message: Head::payload(max_payload),
        output: (8, 8),
        envelope: Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false },
        dead_letters_capacity: 64,
        prints_capacity: 0,
        print_words: 0,
        histogram: false,
        ports: 0,
    };
    for max_payload in [64, 100, INLINE_MOST, INLINE_MOST + 1, 4096, 65_536] {
        let plain = KernelLayout::new(&shape(max_payload));
        let layout = plain.bridged(max_payload);
        let (inbound, letters) = (layout.inbound, layout.dead_letters.expect("asked for"));
        assert_eq!(inbound.payload_offset % BEGIN_UNIT, 0);
        assert!(inbound.slot_stride <= 4 * LINE && inbound.payload_most() >= max_payload);
        let spills = max_payload > INLINE_MOST;
        assert_eq!((inbound.spill_bytes() != 0, letters.spill), (spills, inbound.spill));
        assert_eq!(plain.inbound.bytes() + 16 * inbound.spill_bytes(), inbound.bytes());
        assert_eq!(inbound.spill_offset(0), inbound.slot_offset(15) + inbound.slot_stride);
        assert_eq!(inbound.spill_offset(16 + 3), inbound.spill_offset(0) + 3 * inbound.spill_bytes());
        assert!(inbound.spill_offset(15) + inbound.spill_bytes() <= inbound.bytes());
        assert!(layout.shard_bytes().is_multiple_of(128) && layout.sealed() == layout);
    }
    assert_eq!(Head { length: 9, begin: INLINE, key: 0 }.offset(), size_of::<Head>());
    // The most that a launch may ask for: 2^35 bytes of spill blocks, behind slots of 256 bytes.
    let farthest = (1u64 << 35) + 256 * (1 << 20) + (1 << 20);
    assert!(farthest / (BEGIN_UNIT as u64) < u64::from(u32::MAX));
}
