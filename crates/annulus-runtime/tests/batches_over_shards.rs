//! A batch for several shards: each gets its part in one piece, in order; and what finds no room is the batch's end,
//! whatever room there is for messages behind it.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{collections::HashMap, sync::Arc, thread, time::Duration};

use annulus_runtime::{
    BatchError, KernelControl, KernelHandle, LaunchOptions, Noop, Runtime, SendError, prelude::*,
};
use annulus_sync::{AtomicBool, Ordering, spin_loop};
use proptest::prelude::*;

/// A message without a key.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Plain {
    number: u64,
}

/// A message with one.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Keyed {
    #[ring(key)]
    key: u32,
    number: u32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Nothing {
    word: u32,
}

#[ring_kernel]
fn plain(_plain: &Plain) {}

#[ring_kernel]
fn keyed(_keyed: &Keyed, _nothing: &mut Nothing) {}

const CAPACITY: u32 = 16;
const SHARDS: u32 = 4;

fn options() -> LaunchOptions {
    LaunchOptions::production().capacity(CAPACITY).grid(SHARDS)
}

/// Kernels that take nothing: all that was sent is in their rings.
fn runtime() -> Runtime {
    Runtime::builder().backend(Noop).build().unwrap()
}

fn launch_plain() -> KernelHandle<plain> {
    plain::launch(&runtime(), options()).unwrap()
}

fn launch_keyed() -> KernelHandle<keyed> {
    keyed::launch(&runtime(), options().actors(64)).unwrap()
}

fn full(sent: usize) -> Result<(), BatchError> {
    Err(BatchError { sent, cause: SendError::Full(()) })
}

/// How many messages its queues have taken.
fn taken(kernel: &KernelControl) -> usize {
    let status = kernel.status();
    (status.sent - status.drops.rejected) as usize
}

/// What lies in the rings, shard after shard.
fn numbers(kernel: &KernelHandle<plain>) -> Vec<u64> {
    let left = kernel.shutdown_blocking(Duration::ZERO).undelivered;
    assert_eq!(taken(kernel), left.len());
    left.iter().map(|plain| plain.number).collect()
}

#[test]
fn each_shard_gets_its_part_of_a_batch_in_one_piece() {
    let kernel = launch_plain();
    kernel.try_send_batch(&[40, 41, 42, 43, 44, 45, 46, 47].map(|number| Plain { number })).unwrap();
    let mut pairs: Vec<_> = numbers(&kernel).chunks(2).map(<[u64]>::to_vec).collect();
    pairs.sort();
    assert_eq!(pairs, [[40, 41], [42, 43], [44, 45], [46, 47]]);
}

#[test]
fn a_batch_without_keys_fills_every_ring() {
    let kernel = launch_plain();
    let all = (CAPACITY * SHARDS) as usize;
    let messages: Vec<_> = (0..all as u64 + 100).map(|number| Plain { number }).collect();
    kernel.try_send_batch(&messages[..7]).unwrap();
    assert_eq!(kernel.try_send_batch(&messages[7..]), full(all - 7));
    assert_eq!(kernel.try_send_batch(&messages[all..]), full(0));
    let mut left = numbers(&kernel);
    left.sort_unstable();
    assert_eq!(left, (0..all as u64).collect::<Vec<_>>());
    let closed = Err(BatchError { sent: 0, cause: SendError::Closed(()) });
    assert_eq!(kernel.try_send_batch(&messages), closed);
}

/// What a batch with these keys sends to rings that nobody reads: up to the first message whose ring is full.
fn accepted(keys: &[u32], rooms: &mut HashMap<u32, u32>) -> usize {
    let fits = |key: &&u32| {
        let taken = rooms.entry(**key % SHARDS).or_default();
        let fits = *taken < CAPACITY;
        *taken += u32::from(fits);
        fits
    };
    keys.iter().take_while(fits).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Batches with keys end at the first message that has no room. Those of one shard keep their order, and no slot is
    /// void, since nobody else sends.
    #[test]
    fn a_batch_with_keys_is_sent_up_to_the_first_without_room(
        batches in prop::collection::vec(prop::collection::vec(0u32..64, 0..70), 1..5)
    ) {
        let kernel = launch_keyed();
        let mut rooms = HashMap::new();
        let mut sent: Vec<Vec<Keyed>> = vec![vec![]; SHARDS as usize];
        let mut number = 0;
        for keys in &batches {
            let message = |&key| {
                number += 1;
                Keyed { key, number }
            };
            let messages: Vec<_> = keys.iter().map(message).collect();
            let expected = accepted(keys, &mut rooms);
            let result = kernel.try_send_batch(&messages);
            prop_assert_eq!(result, if expected == messages.len() { Ok(()) } else { full(expected) });
            for message in &messages[..expected] {
                sent[(message.key % SHARDS) as usize].push(*message);
            }
        }
        let left = kernel.shutdown_blocking(Duration::ZERO).undelivered;
        prop_assert_eq!(taken(&kernel), left.len());
        prop_assert_eq!(left, sent.concat());
    }
}

/// Producers that take each other's room: nothing is lost, nothing is there twice, what each has sent is the first part of
/// its batches, in order, and void slots count as nothing.
#[test]
fn producers_that_meet_at_full_rings_lose_nothing() {
    for round in 0..50 {
        let kernel = Arc::new(launch_keyed());
        let go = Arc::new(AtomicBool::new(false));
        let producer = |who: u32| {
            let (kernel, go) = (Arc::clone(&kernel), Arc::clone(&go));
            thread::spawn(move || {
                let message = |i: u32| Keyed { key: (i * (who + 1) + round) % 64, number: who << 16 | i };
                let messages: Vec<_> = (0..60).map(message).collect();
                while !go.load(Ordering::Acquire) {
                    spin_loop();
                }
                match kernel.try_send_batch(&messages) {
                    Ok(()) => messages,
                    Err(BatchError { sent, cause: SendError::Full(()) }) => messages[..sent].to_vec(),
                    Err(other) => panic!("{other}"),
                }
            })
        };
        let producers: Vec<_> = (0..3).map(producer).collect();
        go.store(true, Ordering::Release);
        let sent: Vec<Vec<Keyed>> = producers.into_iter().map(|producer| producer.join().unwrap()).collect();
        let left = kernel.shutdown_blocking(Duration::ZERO).undelivered;
        let all = sent.iter().map(Vec::len).sum::<usize>();
        assert_eq!((left.len(), taken(&kernel)), (all, all));
        for (who, sent) in sent.iter().enumerate() {
            for shard in 0..SHARDS {
                let of = |messages: &[Keyed]| -> Vec<Keyed> {
                    let is_its =
                        |keyed: &&Keyed| keyed.key % SHARDS == shard && keyed.number >> 16 == who as u32;
                    messages.iter().filter(is_its).copied().collect()
                };
                assert_eq!(of(&left), of(sent));
            }
        }
    }
}
