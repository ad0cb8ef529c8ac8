//! Messages with text, lists and nesting, of any length: W-06 to W-10, N-09. They lie in their slots, or in
//! the slots' spill blocks, and arrive whole whatever happens to them.

use std::{thread, time::Duration};

use annulus_kernel::Message as _;
use annulus_runtime::{
    Backpressure, CallError, Deduplication, LaunchError, LaunchOptions, Reason, SendError, SendOutcome,
    TrySendError,
};

use super::{links::received, policies::LONG};
use crate::{
    Bench,
    bench::{Random, balanced, drain, eventually},
    kernels::{
        TEAPOT,
        bridged::{Digest, Level, Log, Note, ReadBy, batch_numbers, books, digest, fragile_digest},
    },
};

/// A message by its number, larger than a slot's room for every third one.
pub(super) fn log(number: u64, urgency: u8) -> Log {
    let bytes = if number.is_multiple_of(3) { 300 + number as usize } else { number as usize % 40 };
    Log { number, urgency, text: text(number, bytes), values: vec![number as i32; 3], level: Level::Fine }
}

/// So many bytes of text.
fn text(seed: u64, bytes: usize) -> String {
    (0..bytes as u64).map(|i| char::from(b'a' + ((seed * 31 + i * 7) % 26) as u8)).collect()
}

/// A message whose payload has exactly so many bytes.
fn of_size(number: u64, bytes: usize) -> Log {
    let empty = Log { number, urgency: 0, text: text(number, 9), values: Vec::new(), level: Level::Fine };
    // The text and what follows it are padded to the root's alignment.
    let (smallest, align) = (empty.payload_size(), 8);
    assert!(bytes >= smallest && (bytes - smallest).is_multiple_of(align), "{bytes} of {smallest}");
    let log = Log { text: text(number, 16 + bytes - smallest), ..empty };
    assert_eq!(log.payload_size(), bytes);
    log
}

/// What a handler must have read.
fn digest_of(log: &Log) -> Digest {
    let hash = log
        .text
        .bytes()
        .fold(0x811C_9DC5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let (code, cause) = match &log.level {
        Level::Fine => (0, 0),
        Level::Wrong { code, cause } => (*code, cause.as_ref().map_or(0, String::len) as u32),
    };
    let sum = log.values.iter().map(|&value| i64::from(value)).sum();
    Digest { number: log.number, sum, bytes: log.text.len() as u32, hash, code, cause }
}

/// A message without a pattern, of up to about 4000 bytes.
fn any(number: u64, random: &mut Random) -> Log {
    let most = [8, 60, 300, 3000][random.below(4) as usize];
    let level = match random.below(3) {
        0 => Level::Fine,
        1 => Level::Wrong { code: random.below(1 << 32) as u32, cause: None },
        _ => Level::Wrong { code: 7, cause: Some(text(number + 1, random.below(most) as usize / 4)) },
    };
    let values = (0..random.below(20)).map(|_| random.below(1 << 32) as i32).collect();
    Log { number, urgency: 0, text: text(number, random.below(most) as usize), values, level }
}

/// W-10: payloads of every length around the sizes at which their place changes, up to 65,536 bytes, through
/// slots and spill blocks that were used before.
pub fn w10_every_length_arrives(bench: &Bench) {
    let options = LaunchOptions::default().capacity(16).max_payload(65_536);
    let kernel = digest::launch(bench.runtime(), options).unwrap();
    let near = (80..=320).step_by(8);
    let far = (1..=16).map(|shift| 1usize << shift).filter(|&bytes| bytes >= 512);
    let sizes: Vec<usize> = near.chain(far.clone()).chain(far.clone().map(|bytes| bytes - 8)).collect();
    for round in 0..2 {
        for (number, &bytes) in sizes.iter().enumerate() {
            // The second time, small and large ones take turns.
            let bytes = if round == 0 { bytes } else { sizes[number * 7 % sizes.len()] };
            let message = of_size(number as u64, bytes);
            let expected = digest_of(&message);
            assert_eq!(kernel.send_blocking(message), Ok(SendOutcome::Accepted));
            assert_eq!(kernel.recv_blocking(), Ok(expected), "{bytes} bytes");
        }
    }
    drain(&kernel);
    assert_eq!(balanced(&kernel).drops.total(), 0);
    // The smallest room: whatever is in the slot needs no spill block.
    for (max, fits) in [(64, 80), (128, 128), (208, 208), (256, 256)] {
        let options = LaunchOptions::default().capacity(16).max_payload(max).name(format!("{max}"));
        let kernel = digest::launch(bench.runtime(), options).unwrap();
        for number in 0..40 {
            let message = if fits > max as usize { continue } else { of_size(number, fits) };
            let expected = digest_of(&message);
            assert_eq!(kernel.send_blocking(message), Ok(SendOutcome::Accepted));
            assert_eq!(kernel.recv_blocking(), Ok(expected), "of {max}");
        }
    }
}

/// W-10: a payload that is too large comes back, is counted, and the error says by how much and what to do;
/// all others are handled.
pub fn w10_what_is_too_large_says_so(bench: &Bench) {
    let large = of_size(1, 1024);
    let huge = Log { text: text(1, 70_000), ..large.clone() };
    let remedy =
        "the payload has 1024 bytes, and the kernel takes at most 512: launch it with `max_payload(1024)`";
    let behind = |options: LaunchOptions| options.deduplication(Deduplication::ById);
    for (name, options) in
        [("straight", LaunchOptions::default()), ("behind", behind(LaunchOptions::default()))]
    {
        let kernel = digest::launch(bench.runtime(), options.max_payload(512).name(name)).unwrap();
        let error = kernel.try_send(large.clone()).unwrap_err();
        assert_eq!(error, TrySendError::Oversize { message: large.clone(), size: 1024, limit: 512 });
        assert!(error.to_string().starts_with(remedy), "{error}");
        let error = kernel.send_blocking(huge.clone()).unwrap_err();
        assert_eq!(error, SendError::Oversize { message: huge.clone(), size: usize::MAX, limit: 512 });
        assert!(error.to_string().contains("more than 65536 bytes"), "{error}");
        assert!(error.to_string().contains("send it in parts"), "{error}");
        assert_eq!(kernel.call_blocking(large.clone()), Err(CallError::Oversize { size: 1024, limit: 512 }));
        // In the middle of a batch: what comes before it was sent, what comes after it was not.
        let batch = [log(10, 0), log(11, 0), large.clone(), log(13, 0)];
        let error = kernel.send_batch_blocking(&batch).unwrap_err();
        assert_eq!(
            (error.sent, error.cause),
            (2, SendError::Oversize { message: (), size: 1024, limit: 512 })
        );
        assert!(error.to_string().starts_with(&format!("2 messages of the batch were sent; then {remedy}")));
        drain(&kernel);
        assert_eq!(received(&kernel), [digest_of(&batch[0]), digest_of(&batch[1])]);
        let status = balanced(&kernel);
        assert_eq!((status.sent, status.processed, status.drops.rejected), (6, 2, 4), "{name}");
    }
    let invalid = |bytes, capacity| {
        let options = LaunchOptions::default().capacity(capacity).max_payload(bytes);
        match digest::launch(bench.runtime(), options) {
            Err(LaunchError::Invalid(invalid)) => invalid.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert!(invalid(65_537, 16).contains("max_payload is 65537, and must be 64 ..= 65536: use 65536"));
    assert!(
        invalid(65_536, 1 << 20).contains("1048576 messages of 65536 bytes are more than the 34359738368")
    );
}

/// The same in a batch for several blocks, whose slots are reserved together: what comes before it was sent, to every block,
/// and what comes after it was not.
pub fn w10_what_is_too_large_ends_a_batch_for_several_blocks(bench: &Bench) {
    let options = LaunchOptions::default().capacity(64).max_payload(512).actors(8).grid(2);
    let kernel = books::launch(bench.runtime(), options).unwrap();
    let mut sent = 0;
    for large in [20, 0, 7, 39] {
        let note = |number: u32| {
            let bytes = if number == large { 2000 } else { number as usize };
            Note { who: number % 8, text: text(number.into(), bytes) }
        };
        let error = kernel.send_batch_blocking(&(0..40).map(note).collect::<Vec<_>>()).unwrap_err();
        assert_eq!(error.sent, large as usize);
        assert!(matches!(error.cause, SendError::Oversize { limit: 512, .. }), "{error}");
        sent += large;
        drain(&kernel);
        let bytes: u32 = (0..large).sum();
        let outputs = received(&kernel);
        assert_eq!(outputs.len(), large as usize);
        let most = |who| outputs.iter().filter(|read| read.who == who).map(|read| read.bytes).max();
        assert!(sent != large || (0..8).filter_map(most).sum::<u32>() == bytes);
    }
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed, status.drops.rejected), (u64::from(sent) + 4, sent.into(), 4));

    // Without keys.
    let options = LaunchOptions::default().capacity(64).max_payload(512).grid(2);
    let kernel = digest::launch(bench.runtime(), options).unwrap();
    let mut sent = 0;
    for large in [20u64, 0, 39] {
        let message = |number| if number == large { of_size(number, 1024) } else { log(number, 0) };
        let batch: Vec<_> = (0..40).map(message).collect();
        let error = kernel.send_batch_blocking(&batch).unwrap_err();
        assert_eq!(error.sent, large as usize);
        drain(&kernel);
        let mut digests = received(&kernel);
        digests.sort_unstable();
        let mut expected: Vec<_> = batch[..error.sent].iter().map(digest_of).collect();
        expected.sort_unstable();
        assert_eq!(digests, expected);
        sent += large;
    }
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed, status.drops.rejected), (sent + 3, sent, 3));
}

/// W-06: many threads send messages of every kind to several blocks; each arrives once, and whole.
pub fn w06_many_threads_and_blocks(bench: &Bench) {
    let options = LaunchOptions::default().capacity(16).grid(3);
    let kernel = digest::launch(bench.runtime(), options).unwrap();
    let (threads, each) = (4, bench.size(500, 20_000));
    let expected = thread::scope(|scope| {
        let senders: Vec<_> = (0..threads)
            .map(|sender| {
                let kernel = &kernel;
                scope.spawn(move || {
                    let mut random = Random(sender);
                    let mut expected = Vec::new();
                    for i in 0..each {
                        let message = any(sender * each + i, &mut random);
                        expected.push(digest_of(&message));
                        assert_eq!(kernel.send_blocking(message), Ok(SendOutcome::Accepted));
                    }
                    expected
                })
            })
            .collect();
        let receiver =
            scope.spawn(|| (0..threads * each).map(|_| kernel.recv_blocking().unwrap()).collect::<Vec<_>>());
        let mut expected: Vec<_> = senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect();
        let mut outputs = receiver.join().unwrap();
        outputs.sort_unstable();
        expected.sort_unstable();
        assert_eq!(outputs, expected);
        expected
    });
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.total()), (expected.len() as u64, 0));
}

/// W-06: batches are sent in order, in several forms, to one block and to several.
pub fn w06_batches_of_every_size(bench: &Bench) {
    for grid in [1, 3] {
        let options =
            LaunchOptions::default().capacity(16).output_capacity(512).grid(grid).name(format!("{grid}"));
        let kernel = digest::launch(bench.runtime(), options).unwrap();
        let mut random = Random(7);
        for size in [0, 1, 2, 15, 16, 17, 64, 200] {
            let batch: Vec<_> = (0..size).map(|i| any(i, &mut random)).collect();
            kernel.send_batch_blocking(&batch).unwrap();
            drain(&kernel);
            let mut outputs = received(&kernel);
            if grid != 1 {
                outputs.sort_unstable();
            }
            assert_eq!(outputs, Vec::from_iter(batch.iter().map(digest_of)), "{size} to {grid}");
        }
        balanced(&kernel);
    }
}

/// ids, priorities and payloads of bridged messages are what the policies go by.
pub fn q04_policies_read_what_the_message_says(bench: &Bench) {
    let options = LaunchOptions::default().priority(true).deduplication(Deduplication::ById).active(false);
    let kernel = digest::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let messages: Vec<_> = (0..30).map(|number| log(number, [9, 200, 100][number as usize % 3])).collect();
    for message in &messages {
        assert_eq!(kernel.try_send(message.clone()), Ok(SendOutcome::Accepted));
    }
    // Another text, and the same id.
    let again = Log { text: "again".into(), ..messages[12].clone() };
    assert_eq!(kernel.try_send(again.clone()), Ok(SendOutcome::Duplicate(again)));
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    // Two were handed over at once.
    let mut expected = messages[..2].to_vec();
    let mut rest = messages[2..].to_vec();
    rest.sort_by_key(|message| std::cmp::Reverse(message.urgency));
    expected.append(&mut rest);
    assert_eq!(received(&kernel), Vec::from_iter(expected.iter().map(digest_of)));
    balanced(&kernel);

    // Without an id, the payload says what is equal, whichever block it goes to.
    let options =
        LaunchOptions::default().deduplication(Deduplication::ByPayload).actors(9).grid(3).name("notes");
    let kernel = books::launch(bench.runtime(), options).unwrap();
    for round in 0..2 {
        for number in 0..90 {
            let note = Note { who: number % 9, text: text(u64::from(number), 2 * number as usize) };
            let expected =
                if round == 0 { SendOutcome::Accepted } else { SendOutcome::Duplicate(note.clone()) };
            assert_eq!(kernel.send_blocking(note), Ok(expected));
        }
    }
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed, status.drops.duplicate), (180, 90, 90));
}

/// N-09: a bridged call has a direct reply, also if it waits in front of the ring; a failed one says so.
pub fn n09_a_direct_reply_to_a_bridged_call(bench: &Bench) {
    for (name, options) in
        [("straight", LaunchOptions::default()), ("behind", LaunchOptions::default().priority(true))]
    {
        let kernel = fragile_digest::launch(bench.runtime(), options.capacity(16).name(name)).unwrap();
        for number in 0..100 {
            let reply = kernel.call_blocking(log(number, 3)).unwrap();
            assert_eq!((reply.number, reply.bytes as usize), (number, log(number, 3).text.len()));
        }
        let bad = Log { text: "!".repeat(1000), ..log(7, 0) };
        assert_eq!(kernel.call_blocking(bad), Err(CallError::Failed { code: TEAPOT, name: None }));
        let late = annulus_runtime::block_on(kernel.call(log(5, 0)));
        assert_eq!(late.map(|reply| reply.number), Ok(5));
        drain(&kernel);
        assert_eq!(balanced(&kernel).drops.failed, 1);
        assert_eq!(received(&kernel), []);
    }
}

/// The key of a bridged message names the actor and the block.
pub fn actors_read_notes(bench: &Bench) {
    for grid in [1, 4] {
        let options = LaunchOptions::default().actors(7).grid(grid).name(format!("{grid}"));
        let kernel = books::launch(bench.runtime(), options).unwrap();
        let mut sums = [(0, 0); 7];
        let mut expected = Vec::new();
        for number in 0..200u32 {
            let note = Note { who: number % 7, text: text(number.into(), (number * 5 % 400) as usize) };
            let sum = &mut sums[note.who as usize];
            *sum = (sum.0 + 1, sum.1 + note.text.len() as u32);
            expected.push(ReadBy { who: note.who, notes: sum.0, bytes: sum.1 });
            assert_eq!(kernel.send_blocking(note), Ok(SendOutcome::Accepted));
        }
        let nobody = Note { who: 7, text: text(1, 500) };
        assert_eq!(kernel.send_blocking(nobody.clone()), Ok(SendOutcome::Accepted));
        drain(&kernel);
        let mut outputs = received(&kernel);
        outputs.sort_unstable();
        expected.sort_unstable();
        assert_eq!(outputs, expected);
        assert_eq!(balanced(&kernel).drops.unknown_actor, 1);
        let dead_letters = kernel.dead_letters().unwrap().take_batch();
        assert_eq!(dead_letters.into_iter().map(|letter| letter.message).collect::<Vec<_>>(), [nobody]);
    }
}

/// E-03: a message whose handler fails is a dead letter, with its id and all of its text, wherever that lay;
/// and can be sent again.
pub fn e03_a_failed_bridged_message_is_a_dead_letter(bench: &Bench) {
    let options = LaunchOptions::default().capacity(64);
    let kernel = fragile_digest::launch(bench.runtime(), options).unwrap();
    let bad =
        |number: u64| Log { text: format!("!{}", text(number, 40 * number as usize)), ..log(number, 0) };
    let messages: Vec<_> = (0..50).map(bad).collect();
    kernel.send_batch_blocking(&messages).unwrap();
    drain(&kernel);
    assert_eq!(kernel.redrive(3).sent, 50);
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.drops.failed, status.dead_letters_lost), (100, 0));
    let dead_letters = kernel.dead_letters().unwrap().take_batch();
    assert!(dead_letters.iter().all(|letter| letter.reason == Reason::Handler { code: TEAPOT }));
    assert!(dead_letters.iter().all(|letter| letter.attempts == 2), "recognised by their ids");
    assert_eq!(dead_letters.into_iter().map(|letter| letter.message).collect::<Vec<_>>(), messages);
}

/// E-03: of large messages the rings of dead letters hold fewer than the host keeps. They are sent again in portions, and none
/// is lost.
pub fn e03_large_dead_letters_are_sent_again_in_portions(bench: &Bench) {
    const LETTERS: usize = 200;
    let options = LaunchOptions::default().capacity(256).max_payload(64 << 10).dead_letters(LETTERS as u32);
    let kernel = fragile_digest::launch(bench.runtime(), options).unwrap();
    let bad = |number: u64| Log { text: format!("!{}", text(number, 1000)), ..log(number, 0) };
    let messages: Vec<_> = (0..LETTERS as u64).map(bad).collect();
    for portion in messages.chunks(50) {
        kernel.send_batch_blocking(portion).unwrap();
        drain(&kernel);
        let _ = kernel.dead_letters();
    }
    let mut sent = 0;
    while sent < LETTERS {
        // Until none is left that had one attempt.
        let redriven = kernel.redrive(2);
        sent += redriven.sent;
        assert!(redriven.sent != 0 && redriven.evicted.is_empty());
        assert_eq!(redriven.refused, sent < LETTERS);
        drain(&kernel);
    }
    let status = balanced(&kernel);
    assert_eq!((status.drops.failed, status.dead_letters_lost), (2 * LETTERS as u64, 0));
    let dead_letters = kernel.dead_letters().unwrap();
    assert_eq!(dead_letters.len(), LETTERS);
    let letters: Vec<_> = (0..2).flat_map(|_| dead_letters.take_batch()).collect();
    assert!(letters.iter().all(|letter| letter.attempts == 2));
    assert_eq!(letters.into_iter().map(|letter| letter.message).collect::<Vec<_>>(), messages);
}

/// What is left in rings and in front of them comes back in order, whole.
pub fn what_is_left_comes_back_whole(bench: &Bench) {
    for (name, options) in [
        ("straight", LaunchOptions::default()),
        ("oldest", LaunchOptions::default().backpressure(Backpressure::DropOldest)),
    ] {
        let kernel = digest::launch(bench.runtime(), options.capacity(64).active(false).name(name)).unwrap();
        let messages: Vec<_> = (0..60).map(|number| log(number, 0)).collect();
        kernel.send_batch_blocking(&messages).unwrap();
        let shutdown = kernel.shutdown_blocking(Duration::ZERO);
        assert_eq!(shutdown.undelivered, messages, "{name}");
        assert_eq!(balanced(&kernel).drops.undelivered, 60);
        assert_eq!(kernel.try_send(log(1, 0)), Err(TrySendError::Closed(log(1, 0))));
    }
}

/// What has expired in front of the ring is a dead letter, whole.
pub fn what_has_expired_comes_back_whole(bench: &Bench) {
    let short = Duration::from_millis(5);
    let kernel =
        batch_numbers::launch(bench.runtime(), LaunchOptions::default().expiry(short).active(false)).unwrap();
    kernel.deactivate_blocking().unwrap();
    let messages: Vec<_> = (0..50).map(|number| log(number, 0)).collect();
    kernel.send_batch_blocking(&messages).unwrap();
    thread::sleep(2 * short);
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let handled: Vec<_> = received(&kernel).iter().map(|digest| digest.number).collect();
    // Two batches were handed over; fewer, or not the first ones, if the machine paused.
    assert!(handled.len() <= 16);
    assert!(handled.is_sorted());
    let dead_letters = kernel.dead_letters().unwrap().take_batch();
    assert!(dead_letters.iter().all(|letter| letter.reason == Reason::Expired));
    let mut others = messages;
    others.retain(|message| !handled.contains(&message.number));
    assert_eq!(dead_letters.into_iter().map(|letter| letter.message).collect::<Vec<_>>(), others);
    assert_eq!(balanced(&kernel).drops.expired, 50 - handled.len() as u64);
}

/// Sends, calls and batches wait while the ring, or the queue in front of it, is full.
pub fn sends_wait_for_space(bench: &Bench) {
    for (name, options) in
        [("straight", LaunchOptions::default()), ("behind", LaunchOptions::default().expiry(LONG))]
    {
        let options = options.capacity(16).output_capacity(256).active(false).name(name);
        let kernel = digest::launch(bench.runtime(), options).unwrap();
        kernel.deactivate_blocking().unwrap();
        let mut number = 0;
        loop {
            match kernel.try_send(log(number, 0)) {
                Ok(outcome) => assert_eq!(outcome, SendOutcome::Accepted),
                Err(error) => break assert_eq!(error, TrySendError::Full(log(number, 0))),
            }
            number += 1;
        }
        assert_eq!(
            kernel.send_timeout(log(900, 0), Duration::from_millis(2)),
            Err(SendError::Timeout(log(900, 0)))
        );
        let (first, refused) = (number, kernel.status().drops.rejected);
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(kernel.send_blocking(log(first, 0)), Ok(SendOutcome::Accepted)));
            scope.spawn(|| {
                let sent = annulus_runtime::block_on(kernel.send(log(first + 1, 0)));
                assert_eq!(sent, Ok(SendOutcome::Accepted));
            });
            scope.spawn(|| assert_eq!(kernel.call_blocking(log(1000, 0)), Ok(digest_of(&log(1000, 0)))));
            let batch: Vec<_> = (first + 2..first + 60).map(|number| log(number, 0)).collect();
            let kernel = &kernel;
            scope.spawn(move || kernel.send_batch_blocking(&batch).unwrap());
            eventually(|| kernel.status().pending >= 16);
            kernel.activate_blocking().unwrap();
        });
        drain(&kernel);
        let mut outputs = received(&kernel);
        outputs.sort_unstable();
        assert_eq!(outputs, Vec::from_iter((0..first + 60).map(|number| digest_of(&log(number, 0)))));
        assert_eq!(balanced(&kernel).drops.rejected, refused);
    }
}
