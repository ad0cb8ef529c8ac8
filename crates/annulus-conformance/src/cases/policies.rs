//! What the queues in front of a kernel do, and that whatever they drop is counted and comes back
//! to through a kernel.
//!
//! [`policy_model`](super::policy_model) has the random programs.

use std::{thread, time::Duration};

use annulus_runtime::{
    Backpressure, CallError, Deduplication, LaunchError, LaunchOptions, Reason, SendError, SendOutcome,
    TrySendError,
};

use super::links::received;
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        FAIL, number,
        policies::{Ticket, Visit, batch_gate, fragile_gate, gate, strict_gate, visits},
        swallow,
    },
};

/// Longer than any case.
pub(super) const LONG: Duration = Duration::from_secs(3600);
/// Shorter than anybody minds to wait.
const SHORT: Duration = Duration::from_millis(5);

pub(super) fn ticket(id: u64, priority: u8) -> Ticket {
    Ticket { id, value: id, priority }
}

fn ids(tickets: &[Ticket]) -> Vec<u64> {
    tickets.iter().map(|ticket| ticket.id).collect()
}

pub(super) const STRATEGIES: [Backpressure; 4] =
    [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew];

/// None, each policy by itself, two, and all.
pub(super) fn policies() -> [(&'static str, LaunchOptions); 6] {
    let options = LaunchOptions::default;
    let by_id = Deduplication::ById;
    [
        ("none", options()),
        ("dedup", options().deduplication(by_id)),
        ("priority", options().priority(true)),
        ("expiry", options().expiry(LONG)),
        ("both", options().deduplication(by_id).priority(true)),
        ("all", options().deduplication(by_id).priority(true).expiry(LONG)),
    ]
}

/// a kernel whose messages have no id cannot deduplicate by it, and says so before it runs; by payload
/// it can.
pub fn q20_deduplication_needs_an_id(bench: &Bench) {
    let options = LaunchOptions::default().deduplication(Deduplication::ById);
    let error = swallow::launch(bench.runtime(), options.clone()).unwrap_err();
    assert!(matches!(error, LaunchError::Invalid(_)), "{error:?}");
    let text = error.to_string();
    for part in ["messages of `swallow` have no id", "mark a field of Number with #[ring(id)]", "ByPayload"] {
        assert!(text.contains(part), "`{part}` in: {text}");
    }
    let kernel =
        swallow::launch(bench.runtime(), options.deduplication(Deduplication::ByPayload).active(false))
            .unwrap();
    assert_eq!(kernel.try_send(number(7)), Ok(SendOutcome::Accepted));
    assert_eq!(kernel.try_send(number(7)), Ok(SendOutcome::Duplicate(number(7))));
    assert_eq!(balanced(&kernel).drops.duplicate, 1);
}

/// the attribute's words do what the options do.
pub fn q18_the_attribute_says_it_all(bench: &Bench) {
    let kernel = strict_gate::launch(bench.runtime(), strict_gate::options()).unwrap();
    kernel.deactivate_blocking().unwrap();
    // Two are handed over, sixteen wait.
    for id in 0..18 {
        assert_eq!(kernel.try_send(ticket(id, 100 + id as u8)), Ok(SendOutcome::Accepted));
    }
    assert_eq!(kernel.try_send(ticket(17, 255)), Ok(SendOutcome::Duplicate(ticket(17, 255))));
    assert_eq!(kernel.try_send(ticket(18, 255)), Ok(SendOutcome::Discarded(ticket(18, 255))));
    // The window is 16: the key of the first two has left it.
    assert_eq!(kernel.try_send(ticket(0, 255)), Ok(SendOutcome::Discarded(ticket(0, 255))));
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.pending, status.handed_over), (21, 18, 2));
    assert_eq!((status.drops.duplicate, status.drops.discarded, status.drops.total()), (1, 2, 3));
}

/// equal messages are equal, however long ago the first was handled, and padding does not count.
pub fn q19_a_payload_is_recognised(bench: &Bench) {
    let options = LaunchOptions::default().deduplication(Deduplication::ByPayload).grid(3);
    let kernel = swallow::launch(bench.runtime(), options).unwrap();
    for round in 0..3 {
        for value in 0..100 {
            let outcome = kernel.send_blocking(number(value)).unwrap();
            let expected =
                if round == 0 { SendOutcome::Accepted } else { SendOutcome::Duplicate(number(value)) };
            assert_eq!(outcome, expected);
        }
        drain(&kernel);
    }
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed, status.drops.duplicate), (300, 100, 200));
}

/// several senders send the same to several blocks: each is handled once, whoever was first.
pub fn q21_duplicates_meet(bench: &Bench) {
    for grid in [1, 4] {
        let options = LaunchOptions::default()
            .deduplication(Deduplication::ById)
            .capacity(1024)
            .grid(grid)
            .name(format!("{grid}"));
        let kernel = batch_gate::launch(bench.runtime(), options).unwrap();
        // Not more than a window has, all of which may fall to one block.
        let count = 1000;
        let outputs = thread::scope(|scope| {
            let senders: Vec<_> = (0..3)
                .map(|sender| {
                    let kernel = &kernel;
                    scope.spawn(move || {
                        let tickets: Vec<_> = (0..count).map(|id| ticket(id, sender)).collect();
                        for run in tickets.chunks(37) {
                            match sender {
                                0 => kernel.send_batch_blocking(run).unwrap(),
                                _ => run.iter().for_each(|ticket| {
                                    let _ = kernel.send_blocking(*ticket).unwrap();
                                }),
                            }
                        }
                    })
                })
                .collect();
            let receiver =
                scope.spawn(|| (0..count).map(|_| kernel.recv_blocking().unwrap().id).collect::<Vec<_>>());
            senders.into_iter().for_each(|sender| sender.join().unwrap());
            receiver.join().unwrap()
        });
        drain(&kernel);
        let mut outputs = outputs;
        outputs.sort_unstable();
        assert_eq!(outputs, Vec::from_iter(0..count));
        assert_eq!(received(&kernel), []);
        let status = balanced(&kernel);
        assert_eq!((status.sent, status.processed), (3 * count, count));
        assert_eq!((status.drops.duplicate, status.drops.total()), (2 * count, 2 * count));
    }
}

/// a send that was refused or discarded leaves its id free.
pub fn q21_a_refused_send_leaves_its_id_free(bench: &Bench) {
    for backpressure in [Backpressure::Block, Backpressure::Reject, Backpressure::DropNew] {
        let options = LaunchOptions::default()
            .capacity(16)
            .output_capacity(64)
            .backpressure(backpressure)
            .deduplication(Deduplication::ById)
            .active(false)
            .name(format!("{backpressure:?}"));
        let kernel = gate::launch(bench.runtime(), options).unwrap();
        kernel.deactivate_blocking().unwrap();
        for id in 0..18 {
            assert_eq!(kernel.try_send(ticket(id, 0)), Ok(SendOutcome::Accepted));
        }
        let refused = ticket(100, 0);
        match (backpressure, kernel.try_send(refused)) {
            (Backpressure::DropNew, Ok(SendOutcome::Discarded(back))) => assert_eq!(back, refused),
            (_, Err(TrySendError::Full(back))) => assert_eq!(back, refused),
            (_, other) => panic!("{other:?}"),
        }
        kernel.activate_blocking().unwrap();
        drain(&kernel);
        assert_eq!(kernel.try_send(refused), Ok(SendOutcome::Accepted));
        drain(&kernel);
        assert_eq!(ids(&received(&kernel)), Vec::from_iter((0..18).chain([100])));
        balanced(&kernel);
    }
}

/// the most urgent is next, equals are first in, first out; what was handed over is beyond that, and
/// the status says how much.
pub fn q25_the_most_urgent_is_next(bench: &Bench) {
    let options = LaunchOptions::default().priority(true).active(false);
    let kernel = gate::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let mut tickets: Vec<_> = (0..60).map(|id| ticket(id, [3, 200, 128, 255, 0][id as usize % 5])).collect();
    let (first, rest) = tickets.split_at(30);
    for ticket in first {
        assert_eq!(kernel.try_send(*ticket), Ok(SendOutcome::Accepted));
    }
    kernel.send_batch_blocking(rest).unwrap();
    let status = balanced(&kernel);
    assert_eq!((status.pending, status.handed_over), (60, 2));
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let mut expected = tickets.split_off(2);
    expected.sort_by_key(|ticket| std::cmp::Reverse(ticket.priority));
    tickets.extend(expected);
    assert_eq!(received(&kernel), tickets);
}

/// under DropOldest the oldest of the least urgent leaves; what is less urgent than all comes back.
pub fn q28_the_least_urgent_leaves(bench: &Bench) {
    let options = LaunchOptions::default()
        .capacity(16)
        .backpressure(Backpressure::DropOldest)
        .priority(true)
        .active(false);
    let kernel = gate::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    for id in 0..18 {
        assert_eq!(kernel.try_send(ticket(id, if id % 2 == 0 { 10 } else { 20 })), Ok(SendOutcome::Accepted));
    }
    assert_eq!(kernel.try_send(ticket(100, 10)), Ok(SendOutcome::Evicted(ticket(2, 10))));
    assert_eq!(kernel.try_send(ticket(101, 9)), Ok(SendOutcome::Discarded(ticket(101, 9))));
    assert_eq!(kernel.try_send(ticket(102, 255)), Ok(SendOutcome::Evicted(ticket(4, 10))));
    let mut back = Vec::new();
    let batch = [ticket(103, 20), ticket(104, 1), ticket(105, 20)];
    kernel.send_batch_returning_blocking(&batch, &mut back).unwrap();
    let expected = [
        SendOutcome::Evicted(ticket(6, 10)),
        SendOutcome::Discarded(ticket(104, 1)),
        SendOutcome::Evicted(ticket(8, 10)),
    ];
    assert_eq!(back, expected);
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.pending), (24, 18));
    assert_eq!((status.drops.evicted, status.drops.discarded, status.drops.total()), (4, 2, 6));
}

/// what waits for too long is skipped, counted, and a dead letter; what lives is not hidden by it.
pub fn q26_what_has_expired_is_a_dead_letter(bench: &Bench) {
    let options = LaunchOptions::default().expiry(SHORT).active(false).dead_letters(1000);
    let kernel = gate::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    kernel.send_batch_blocking(&Vec::from_iter((0..100).map(|id| ticket(id, 0)))).unwrap();
    thread::sleep(2 * SHORT);
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    // Two were handed over at once; fewer if the machine paused for so long that they had expired.
    let handled = ids(&received(&kernel));
    assert!(handled.len() <= 2 && handled.is_sorted(), "{handled:?}");
    let count = handled.len() as u64;
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed, status.pending), (100, count, 0));
    assert_eq!((status.drops.expired, status.drops.total()), (100 - count, 100 - count));
    let dead_letters = kernel.dead_letters().unwrap().take_batch();
    let expired: Vec<_> = dead_letters.iter().map(|dead_letter| dead_letter.message.id).collect();
    assert_eq!(expired, Vec::from_iter((0..100).filter(|id| !handled.contains(id))));
    assert!(dead_letters.iter().all(|dead_letter| dead_letter.reason == Reason::Expired));
}

/// an active kernel that keeps up lets nothing expire.
pub fn q26_what_is_handled_in_time_does_not_expire(bench: &Bench) {
    let kernel = gate::launch(bench.runtime(), LaunchOptions::default().expiry(LONG)).unwrap();
    let count = bench.size(5_000, 50_000);
    thread::scope(|scope| {
        scope.spawn(|| {
            for id in 0..count {
                assert_eq!(kernel.send_blocking(ticket(id, 0)), Ok(SendOutcome::Accepted));
            }
        });
        for id in 0..count {
            assert_eq!(kernel.recv_blocking().unwrap().id, id);
        }
    });
    drain(&kernel);
    assert_eq!(balanced(&kernel).drops.total(), 0);
}

/// whoever waits for a kernel to drain hears of it when the last messages expire, while another one
/// sends.
pub fn q26_expiry_ends_a_drain(bench: &Bench) {
    for round in bench.rounds(20, 200) {
        let options = LaunchOptions::default().expiry(SHORT).active(false).name(format!("{round}"));
        let kernel = gate::launch(bench.runtime(), options).unwrap();
        kernel.deactivate_blocking().unwrap();
        kernel.send_batch_blocking(&Vec::from_iter((0..10).map(|id| ticket(id, 0)))).unwrap();
        thread::sleep(SHORT);
        thread::scope(|scope| {
            scope.spawn(|| drain(&kernel));
            // A sender may hold the queue's lock when its turn comes, and then sees them expire instead.
            scope.spawn(|| kernel.try_send(ticket(100, 0)).map(drop).unwrap());
            kernel.activate_blocking().unwrap();
        });
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!(status.sent, 11);
    }
}

/// a kernel is drained when what has expired is counted, however long the program's alert takes.
pub fn q26_a_drain_waits_for_what_has_expired(bench: &Bench) {
    let options = LaunchOptions::default().expiry(SHORT).active(false).dead_letters(100);
    let kernel = gate::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    assert!(kernel.dead_letters().unwrap().set_alert(|_| thread::sleep(Duration::from_millis(2))));
    kernel.send_batch_blocking(&Vec::from_iter((0..10).map(|id| ticket(id, 0)))).unwrap();
    thread::sleep(2 * SHORT);
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let (expired, handled) = (kernel.status().drops.expired, received(&kernel).len() as u64);
    assert_eq!(expired + handled, 10);
    assert_eq!(kernel.dead_letters().unwrap().len() as u64, expired);
}

/// A message that failed is recognised as a duplicate by its id; but what dead letters send again is not its
/// own duplicate.
pub fn a_dead_letter_is_sent_again_under_deduplication(bench: &Bench) {
    for (name, options) in policies() {
        for backpressure in STRATEGIES {
            let options = options.clone().backpressure(backpressure).name(format!("{name} {backpressure:?}"));
            let identified = options != options.clone().deduplication(Deduplication::Off);
            let kernel = fragile_gate::launch(bench.runtime(), options).unwrap();
            let bad = Ticket { id: 8, value: FAIL, priority: 9 };
            assert_eq!(kernel.send_blocking(bad), Ok(SendOutcome::Accepted));
            drain(&kernel);
            assert_eq!(balanced(&kernel).drops.failed, 1);
            if identified {
                assert_eq!(kernel.send_blocking(bad), Ok(SendOutcome::Duplicate(bad)));
            }
            assert_eq!(kernel.redrive(9).sent, 1);
            drain(&kernel);
            let status = balanced(&kernel);
            assert_eq!((status.drops.failed, status.drops.duplicate), (2, u64::from(identified)));
            assert_eq!(kernel.dead_letters().unwrap().len(), 1);
        }
    }
}

/// Calls whose messages are dropped end, and say why.
pub fn a_call_ends_with_its_message(bench: &Bench) {
    let options = LaunchOptions::default()
        .capacity(16)
        .output_capacity(64)
        .backpressure(Backpressure::DropOldest)
        .priority(true)
        .deduplication(Deduplication::ById)
        .active(false);
    let kernel = gate::launch(bench.runtime(), options.clone().name("evicts")).unwrap();
    kernel.deactivate_blocking().unwrap();
    kernel.send_batch_blocking(&Vec::from_iter((0..17).map(|id| ticket(id, 100)))).unwrap();
    thread::scope(|scope| {
        let evicted = scope.spawn(|| kernel.call_blocking(ticket(50, 50)));
        eventually(|| kernel.status().pending == 18);
        assert_eq!(kernel.call_blocking(ticket(51, 49)), Err(CallError::Dropped));
        assert_eq!(kernel.call_blocking(ticket(50, 50)), Err(CallError::Duplicate));
        assert_eq!(kernel.try_send(ticket(52, 255)), Ok(SendOutcome::Evicted(ticket(50, 50))));
        assert_eq!(evicted.join().unwrap(), Err(CallError::Dropped));
        let answered = scope.spawn(|| kernel.call_blocking(ticket(53, 100)));
        eventually(|| kernel.status().drops.evicted == 2);
        kernel.activate_blocking().unwrap();
        assert_eq!(answered.join().unwrap(), Ok(ticket(53, 100)));
    });
    drain(&kernel);
    balanced(&kernel);

    // Longer than the machine may pause while the first two are handed over.
    let kernel = gate::launch(bench.runtime(), options.expiry(40 * SHORT).name("expires")).unwrap();
    kernel.deactivate_blocking().unwrap();
    kernel.send_batch_blocking(&[ticket(1, 0), ticket(2, 0)]).unwrap();
    thread::scope(|scope| {
        let expired = scope.spawn(|| kernel.call_blocking(ticket(3, 0)));
        eventually(|| kernel.status().pending == 3);
        thread::sleep(40 * SHORT);
        kernel.activate_blocking().unwrap();
        assert_eq!(expired.join().unwrap(), Err(CallError::Expired));
    });
    drain(&kernel);
    assert_eq!(balanced(&kernel).drops.expired, 1);
}

/// Senders wait for space; one whose message has become a duplicate meanwhile leaves the space to the next.
pub fn a_duplicate_leaves_the_space_to_others(bench: &Bench) {
    let options =
        LaunchOptions::default().capacity(16).output_capacity(16).deduplication(Deduplication::ById);
    let kernel = gate::launch(bench.runtime(), options).unwrap();
    // Room for two more outputs, so that the kernel stalls when it has taken two messages more.
    kernel.send_batch_blocking(&Vec::from_iter((0..14).map(|id| ticket(id, 0)))).unwrap();
    drain(&kernel);
    kernel.deactivate_blocking().unwrap();
    kernel.send_batch_blocking(&Vec::from_iter((20..38).map(|id| ticket(id, 0)))).unwrap();
    thread::scope(|scope| {
        let send = |id| {
            let kernel = &kernel;
            let sender = scope.spawn(move || kernel.send_blocking(ticket(id, 0)).unwrap());
            // So that they wait in this order.
            thread::sleep(Duration::from_millis(100));
            sender
        };
        let (first, again, other) = (send(100), send(100), send(101));
        kernel.activate_blocking().unwrap();
        let mut outcomes = [first.join().unwrap(), again.join().unwrap()];
        outcomes.sort_by_key(|outcome| !outcome.is_queued());
        assert_eq!(outcomes, [SendOutcome::Accepted, SendOutcome::Duplicate(ticket(100, 0))]);
        // Two places became free, and there are no more.
        assert_eq!(other.join().unwrap(), SendOutcome::Accepted);
    });
    let outputs: Vec<_> = (0..34).map(|_| kernel.recv_blocking().unwrap()).collect();
    assert_eq!(ids(&outputs)[14..32], Vec::from_iter(20..38));
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed, status.drops.duplicate), (35, 34, 1));
}

/// Closing ends sends that wait; what was accepted before is handled, and nothing after.
pub fn closing_is_final_under_every_policy(bench: &Bench) {
    for (name, options) in policies() {
        let options = options.capacity(16).output_capacity(64).active(false).name(name);
        let kernel = gate::launch(bench.runtime(), options).unwrap();
        kernel.deactivate_blocking().unwrap();
        kernel.send_batch_blocking(&Vec::from_iter((0..16).map(|id| ticket(id, 0)))).unwrap();
        while kernel.try_send(ticket(kernel.status().sent, 0)).is_ok() {}
        let before = kernel.status().pending;
        thread::scope(|scope| {
            let waiting = scope.spawn(|| kernel.send_blocking(ticket(1000, 0)));
            let batch = scope.spawn(|| kernel.send_batch_blocking(&[ticket(1001, 0), ticket(1002, 0)]));
            thread::sleep(Duration::from_millis(1));
            kernel.close();
            assert_eq!(waiting.join().unwrap(), Err(SendError::Closed(ticket(1000, 0))));
            let error = batch.join().unwrap().unwrap_err();
            assert_eq!((error.sent, error.cause), (0, SendError::Closed(())));
        });
        assert_eq!(kernel.try_send(ticket(2000, 0)), Err(TrySendError::Closed(ticket(2000, 0))));
        kernel.activate_blocking().unwrap();
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!((status.pending, status.processed), (0, before), "{name}");
    }
}

/// What waits when a kernel ends comes back, the next in order first.
pub fn what_is_left_comes_back_in_order(bench: &Bench) {
    for (name, options) in policies() {
        for backpressure in STRATEGIES {
            let prioritised = options != options.clone().priority(false);
            let options = options
                .clone()
                .backpressure(backpressure)
                .active(false)
                .name(format!("{name} {backpressure:?}"));
            let kernel = gate::launch(bench.runtime(), options).unwrap();
            kernel.deactivate_blocking().unwrap();
            let mut tickets: Vec<_> = (0..40).map(|id| ticket(id, id as u8 % 3)).collect();
            for ticket in &tickets {
                assert_eq!(kernel.try_send(*ticket), Ok(SendOutcome::Accepted));
            }
            let shutdown = kernel.shutdown_blocking(Duration::from_secs(60));
            if prioritised {
                tickets[2..].sort_by_key(|ticket| std::cmp::Reverse(ticket.priority));
            }
            assert_eq!(shutdown.undelivered, tickets, "{name} {backpressure:?}");
            let status = balanced(&kernel);
            assert_eq!((status.sent, status.pending, status.drops.undelivered), (40, 0, 40));
        }
    }
}

/// Actors in several blocks, by every policy: each actor's visits are counted once.
pub fn actors_under_every_policy(bench: &Bench) {
    const ACTORS: u32 = 24;
    for (name, options) in policies() {
        let identified = options != options.clone().deduplication(Deduplication::Off);
        let kernel =
            visits::launch(bench.runtime(), options.grid(3).capacity(1024).actors(ACTORS.into()).name(name))
                .unwrap();
        let count = 300;
        let batch: Vec<_> =
            (0..count).map(|id| Visit { who: id % ACTORS, id, priority: id as u8 % 4 }).collect();
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| batch.chunks(50).for_each(|run| kernel.send_batch_blocking(run).unwrap()));
            }
            scope.spawn(|| {
                let _ = kernel.send_timeout(batch[0], Duration::from_secs(60)).unwrap();
            });
        });
        drain(&kernel);
        let status = balanced(&kernel);
        let expected = if identified { u64::from(count) } else { 2 * u64::from(count) + 1 };
        assert_eq!((status.sent, status.processed), (2 * u64::from(count) + 1, expected), "{name}");
        let outputs = received(&kernel);
        // The last of each actor's answers says how many visits it had.
        assert_eq!(outputs.len() as u64, expected);
        balanced(&kernel);
    }
}

/// Telemetry tells the queues' drops by cause, from its last reset on.
pub fn telemetry_tells_drops_by_cause(bench: &Bench) {
    let options = LaunchOptions::default()
        .capacity(16)
        .backpressure(Backpressure::DropOldest)
        .deduplication(Deduplication::ById)
        .priority(true)
        .active(false);
    let kernel = gate::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    for id in 0..18 {
        assert_eq!(kernel.try_send(ticket(id, 9)), Ok(SendOutcome::Accepted));
    }
    let drop_three = |from: u64| {
        assert_eq!(kernel.try_send(ticket(17, 9)), Ok(SendOutcome::Duplicate(ticket(17, 9))));
        assert!(matches!(kernel.try_send(ticket(from, 9)), Ok(SendOutcome::Evicted(_))));
        assert!(matches!(kernel.try_send(ticket(from + 1, 0)), Ok(SendOutcome::Discarded(_))));
    };
    drop_three(100);
    let drops = telemetry.poll().queue_drops;
    assert_eq!((drops.duplicate, drops.evicted, drops.discarded, drops.total()), (1, 1, 1, 3));
    assert_eq!(telemetry.poll().messages_dropped, 3);
    telemetry.reset();
    assert_eq!(telemetry.poll().queue_drops.total(), 0);
    drop_three(200);
    assert_eq!((telemetry.poll().messages_dropped, kernel.status().drops.total()), (3, 6));
}

/// Every combination under load: senders, single and in batches, callers, a kernel that is paused now and
/// then, and closed in the end. All that was sent is accounted for, and what was handled is what comes out.
pub fn q28_counts_are_exact_under_load(bench: &Bench) {
    for backpressure in STRATEGIES {
        for (name, options) in policies() {
            under_load(bench, backpressure, name, options);
        }
        under_load(bench, backpressure, "short", LaunchOptions::default().expiry(Duration::from_micros(200)));
    }
}

fn under_load(bench: &Bench, backpressure: Backpressure, name: &str, options: LaunchOptions) {
    let options = options
        .capacity(32)
        .grid(2)
        .backpressure(backpressure)
        .dead_letters(1)
        .name(format!("{name} {backpressure:?}"));
    let kernel = batch_gate::launch(bench.runtime(), options).unwrap();
    let each = bench.size(600, 10_000);
    let (sent, handled) = thread::scope(|scope| {
        let senders: Vec<_> = (0..4u64)
            .map(|sender| {
                let kernel = &kernel;
                // Two senders have the same ids.
                let tickets: Vec<_> =
                    (0..each).map(|i| ticket((sender / 2) << 32 | i, (i % 5) as u8)).collect();
                scope.spawn(move || match sender {
                    0 => tickets.iter().for_each(|ticket| {
                        let _ = kernel.send_blocking(*ticket);
                    }),
                    1 => tickets.iter().for_each(|ticket| {
                        let _ = kernel.try_send(*ticket);
                    }),
                    _ => {
                        let mut rest = &tickets[..];
                        while !rest.is_empty() {
                            let run = rest.len().min(48);
                            // Where the queue rejects, that counts one, and the rest is given up.
                            let taken = match kernel.send_batch_blocking(&rest[..run]) {
                                Ok(()) => run,
                                Err(error) => error.sent + 1,
                            };
                            rest = &rest[taken..];
                        }
                    }
                })
            })
            .collect();
        let receiver = scope.spawn(|| {
            let mut handled = 0u64;
            while kernel.recv_blocking().is_ok() {
                handled += 1;
            }
            handled
        });
        for _ in 0..3 {
            kernel.deactivate_blocking().unwrap();
            thread::sleep(Duration::from_micros(300));
            kernel.activate_blocking().unwrap();
        }
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        let sent = kernel.status().sent;
        kernel.close();
        drain(&kernel);
        kernel.terminate_blocking();
        (sent, receiver.join().unwrap())
    });
    let status = balanced(&kernel);
    assert_eq!(sent, 4 * each, "{}", status.name);
    assert_eq!((status.sent, status.pending, status.drops.undelivered), (sent, 0, 0), "{}", status.name);
    assert_eq!((status.processed, status.produced), (handled, handled), "{}", status.name);
    let dead_letters = kernel.dead_letters().unwrap().counters();
    assert_eq!(dead_letters.buried, status.drops.expired, "{}", status.name);
    if backpressure == Backpressure::Block && name != "short" {
        // The one that never waits alone is refused.
        assert!(status.drops.rejected <= each, "{:?}", status.drops);
        assert_eq!(status.drops.evicted + status.drops.discarded + status.drops.expired, 0);
    }
}

/// A kernel that is ended at any moment, under every policy, loses count of nothing.
pub fn terminations_race_under_every_policy(bench: &Bench) {
    for (name, options) in policies() {
        for round in bench.rounds(4, 40) {
            let backpressure = STRATEGIES[round as usize % 4];
            let options =
                options.clone().capacity(16).backpressure(backpressure).name(format!("{name} {round}"));
            let kernel = batch_gate::launch(bench.runtime(), options).unwrap();
            thread::scope(|scope| {
                for sender in 0..2 {
                    let kernel = &kernel;
                    scope.spawn(move || {
                        for id in 0.. {
                            let tickets = [ticket(sender << 32 | id, id as u8), ticket(id, 0)];
                            if kernel
                                .send_batch_blocking(&tickets)
                                .is_err_and(|e| e.cause == SendError::Closed(()))
                            {
                                return;
                            }
                        }
                    });
                }
                scope.spawn(|| while kernel.recv_blocking().is_ok() {});
                thread::sleep(Duration::from_micros(200 * round));
                kernel.terminate_blocking();
            });
            let status = balanced(&kernel);
            assert_eq!(kernel.take_undelivered().len() as u64, status.drops.undelivered);
        }
    }
}
