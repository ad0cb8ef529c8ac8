//! Named queues of a kernel, W-02, R-07, Q-12.
//!
//! [`queue_model`](super::queue_model) has the random programs.

use std::{thread, time::Duration};

use annulus_runtime::{
    Backpressure, CallError, Deduplication, KernelHandle, KernelStatus, LaunchError, LaunchOptions,
    LaunchProblem, NamedQueue, SendError, SendOutcome, Share, TrySendError, block_on,
};
use annulus_sync::{AtomicBool, Ordering};

use super::{links::received, policies::ticket};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        policies::{Ticket, Visit},
        queues::{batch_sorter, sorter, visit_sorter},
    },
};

/// What a sorter answers to a ticket from a queue.
fn from(queue: u64, id: u64) -> Ticket {
    Ticket { value: queue, ..ticket(id, 0) }
}

/// The status of the queue of this number.
fn of_queue(status: &KernelStatus, number: usize) -> &annulus_runtime::QueueStatus {
    &status.queues[number]
}

/// the handler learns which queue a message came from, whatever the block's threads, and by calls
/// as well; without named queues it is 0.
pub fn q31_a_handler_knows_the_queue(bench: &Bench) {
    for threads in [1, 32] {
        let options = LaunchOptions::production()
            .block(threads)
            .queue(NamedQueue::new("one"))
            .queue(NamedQueue::new("two").share(Share::Rank(3)));
        let kernel = bench.relaunch(|| sorter::launch(bench.runtime(), options.clone()));
        let batches = bench.relaunch(|| batch_sorter::launch(bench.runtime(), options.clone()));
        for (number, name) in ["one", "two"].into_iter().enumerate() {
            let number = number as u64 + 1;
            let queue = kernel.queue(name).unwrap();
            assert_eq!((queue.name(), queue.number()), (name, number as u32));
            assert_eq!(queue.call_blocking(ticket(7, 0)), Ok(from(number, 7)));
            assert_eq!(block_on(batches.queue(name).unwrap().call(ticket(8, 0))), Ok(from(number, 8)));
        }
        assert_eq!(kernel.call_blocking(ticket(9, 0)), Ok(from(0, 9)));
        let mut expected = Vec::new();
        for id in 0..90 {
            let queue = id % 3;
            let outcome = match queue {
                0 => batches.send_blocking(ticket(id, 0)),
                1 => batches.queue("one").unwrap().send_blocking(ticket(id, 0)),
                _ => batches.queue("two").unwrap().send_blocking(ticket(id, 0)),
            };
            assert_eq!(outcome, Ok(SendOutcome::Accepted));
            expected.push(from(queue, id));
        }
        drain(&batches);
        let mut answers = received(&batches);
        answers.sort_unstable();
        expected.sort_unstable();
        assert_eq!(answers, expected);
        balanced(&batches);
    }
    let plain = sorter::launch(bench.runtime(), LaunchOptions::production().name("plain")).unwrap();
    assert_eq!(plain.call_blocking(ticket(1, 0)), Ok(from(0, 1)));
    assert!(plain.status().queues.is_empty());
}

/// actors get their messages from all queues, each queue's in order.
pub fn q31_actors_of_several_queues(bench: &Bench) {
    let options = LaunchOptions::production().actors(5).grid(2).block(8).queue(NamedQueue::new("more"));
    let kernel = visit_sorter::launch(bench.runtime(), options).unwrap();
    let more = kernel.queue("more").unwrap();
    let visits: Vec<Visit> = (0..100).map(|id| Visit { who: id % 5, id, priority: 0 }).collect();
    for visits in visits.chunks(10) {
        let (own, others) = visits.split_at(5);
        kernel.send_batch_blocking(own).unwrap();
        more.send_batch_blocking(others).unwrap();
    }
    drain(&kernel);
    let answers = received(&kernel);
    for who in 0..5 {
        for queue in 0..2 {
            let ids = answers.iter().filter(|a| a.id % 5 == who && a.value % 100 == queue).map(|a| a.id);
            let ids: Vec<_> = ids.collect();
            assert_eq!(ids.len(), 10, "actor {who}, queue {queue}");
            assert!(ids.is_sorted(), "actor {who}, queue {queue}: {ids:?}");
        }
        let mut visits: Vec<_> = answers.iter().filter(|a| a.id % 5 == who).map(|a| a.value / 100).collect();
        visits.sort_unstable();
        assert!(visits.iter().copied().eq(1..=20), "{visits:?}");
    }
    balanced(&kernel);
}

/// up to 16 queues; one more is refused, and so are queues that nobody could tell apart. All problems
/// are told at once.
pub fn q39_sixteen_queues_and_no_more(bench: &Bench) {
    let queues = |count: usize| {
        let named = (0..count).map(|number| NamedQueue::new(format!("queue {number}")).capacity(16));
        named.fold(LaunchOptions::production().active(false), LaunchOptions::queue)
    };
    let kernel = bench.relaunch(|| sorter::launch(bench.runtime(), queues(16)));
    for number in 0..16 {
        let queue = kernel.queue(&format!("queue {number}")).unwrap();
        assert_eq!(queue.try_send(ticket(number, 0)), Ok(SendOutcome::Accepted));
    }
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.pending, status.queues.len()), (16, 16, 17));
    assert!((1..17).all(|number| of_queue(&status, number).counters.enqueued == 1), "{status:?}");

    let unknown = kernel.queue("queue 16").unwrap_err();
    assert_eq!((unknown.kernel.as_str(), unknown.queues.len()), ("sorter", 16));
    assert!(unknown.to_string().contains("it has: queue 0, queue 1,"), "{unknown}");

    let bad = queues(17)
        .queue(NamedQueue::new(""))
        .queue(NamedQueue::new("queue 3"))
        .queue(NamedQueue::new("odd").capacity(17).share(Share::Weight(0)).expiry(Duration::ZERO));
    let Err(LaunchError::Invalid(invalid)) = sorter::launch(bench.runtime(), bad) else {
        panic!("it has too many queues")
    };
    assert!(invalid.problems().contains(&LaunchProblem::Queues { given: 20, max: 16 }));
    let text = invalid.to_string();
    for part in [
        "20 queues are named, and a kernel can have 16",
        "queue 18 has an empty name",
        "two queues are named \"queue 3\"",
        "queue \"odd\": capacity is 17",
        "queue \"odd\": weight is 0, and must be 1 ..= 1000: use 1",
        "queue \"odd\": expiry is 0",
    ] {
        assert!(text.contains(part), "`{part}` in: {text}");
    }
}

/// queues with a rank go first, those with a weight take turns, and what was handed over is overtaken
/// by nothing.
pub fn q31_ranks_and_weights_decide(bench: &Bench) {
    let options = LaunchOptions::production()
        .active(false)
        .output_capacity(64)
        .queue(NamedQueue::new("bulk").share(Share::Weight(3)))
        .queue(NamedQueue::new("urgent").share(Share::Rank(1)))
        .queue(NamedQueue::new("first").share(Share::Rank(2)));
    let kernel = sorter::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let tickets = |count| (0..count).map(|id| ticket(id, 0)).collect::<Vec<_>>();
    // Two are handed over; four wait.
    kernel.send_batch_blocking(&tickets(6)).unwrap();
    for (name, count) in [("bulk", 12), ("urgent", 2), ("first", 2)] {
        kernel.queue(name).unwrap().send_batch_blocking(&tickets(count)).unwrap();
    }
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let queues: Vec<u64> = received(&kernel).iter().map(|answer| answer.value).collect();
    let weighted = [1, 0, 1, 1].repeat(4);
    let expected: Vec<u64> = [0, 0, 3, 3, 2, 2].into_iter().chain(weighted).collect();
    assert_eq!(queues, expected);
    balanced(&kernel);
}

/// each queue has its own policies, and its own counts; the kernel's counts are their sum.
pub fn q32_each_queue_has_its_own_policies(bench: &Bench) {
    let options = LaunchOptions::production()
        .active(false)
        .queue(NamedQueue::new("rejects").capacity(16).backpressure(Backpressure::Reject))
        .queue(NamedQueue::new("newest").capacity(16).backpressure(Backpressure::DropOldest))
        .queue(NamedQueue::new("oldest").capacity(16).backpressure(Backpressure::DropNew))
        .queue(NamedQueue::new("once").deduplication(Deduplication::ById))
        .queue(NamedQueue::new("brief").expiry(Duration::from_millis(1)));
    let kernel = sorter::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    // Handed over, so that all others wait.
    kernel.try_send_batch(&[ticket(0, 0), ticket(1, 0)]).unwrap();
    let [rejects, newest, oldest, once, brief] =
        ["rejects", "newest", "oldest", "once", "brief"].map(|name| kernel.queue(name).unwrap());
    for id in 0..16 {
        for queue in [&rejects, &newest, &oldest, &once] {
            assert_eq!(queue.try_send(ticket(id, 0)), Ok(SendOutcome::Accepted));
        }
    }
    assert_eq!(rejects.try_send(ticket(16, 0)), Err(TrySendError::Full(ticket(16, 0))));
    assert_eq!(rejects.send_blocking(ticket(16, 0)), Err(SendError::Full(ticket(16, 0))));
    assert_eq!(newest.try_send(ticket(16, 0)), Ok(SendOutcome::Evicted(ticket(0, 0))));
    assert_eq!(oldest.try_send(ticket(16, 0)), Ok(SendOutcome::Discarded(ticket(16, 0))));
    let mut back = Vec::new();
    once.send_batch_returning_blocking(&[ticket(3, 0), ticket(99, 0)], &mut back).unwrap();
    assert_eq!(back, [SendOutcome::Duplicate(ticket(3, 0))]);
    // The kernel's own queue does not know of it.
    assert_eq!(kernel.try_send(ticket(3, 0)), Ok(SendOutcome::Accepted));
    assert_eq!(brief.try_send(ticket(5, 0)), Ok(SendOutcome::Accepted));
    thread::sleep(Duration::from_millis(5));
    // Whoever sends to any of the queues finds what has expired.
    assert_eq!(kernel.try_send(ticket(4, 0)), Ok(SendOutcome::Accepted));

    let status = balanced(&kernel);
    let counters = |number| of_queue(&status, number).counters;
    assert_eq!((counters(1).rejected, counters(1).enqueued), (2, 16));
    assert_eq!((counters(2).evicted, of_queue(&status, 2).depth), (1, 16));
    assert_eq!((counters(3).discarded, of_queue(&status, 3).depth), (1, 16));
    assert_eq!((counters(4).duplicate, counters(4).enqueued), (1, 17));
    assert_eq!((counters(5).expired, of_queue(&status, 5).depth), (1, 0));
    assert_eq!((counters(0).enqueued, counters(0).dequeued), (4, 2));
    let drops = status.drops;
    assert_eq!(
        [drops.rejected, drops.evicted, drops.discarded, drops.duplicate, drops.expired],
        [2, 1, 1, 1, 1]
    );
    assert_eq!(kernel.dead_letters().unwrap().take_batch()[0].message, ticket(5, 0));
}

/// looking, taking out and waiting, of a named queue and of the kernel's own: what was handed over is
/// out of reach, and is said to be.
pub fn q34_peek_clear_and_flush(bench: &Bench) {
    let options = LaunchOptions::production()
        .active(false)
        .priority(true)
        .queue(NamedQueue::new("side").capacity(16).backpressure(Backpressure::Block));
    let kernel = sorter::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let (own, side) = (kernel.own_queue(), kernel.queue("side").unwrap());
    assert_eq!((side.peek().next, side.peek().waiting, side.peek().handed_over), (None, 0, 0));
    side.try_send_batch(&(0..10).map(|id| ticket(id, 0)).collect::<Vec<_>>()).unwrap();
    let peeked = side.peek();
    assert_eq!((peeked.next, peeked.waiting, peeked.handed_over), (Some(ticket(2, 0)), 8, 2));
    assert_eq!((own.peek().next, own.peek().waiting), (None, 0));
    kernel.try_send_batch(&[ticket(50, 1), ticket(51, 9)]).unwrap();
    assert_eq!(own.peek().next, Some(ticket(51, 9)), "the most urgent is next");
    assert!(!side.flush_timeout(Duration::from_millis(1)) && !own.flush_timeout(Duration::ZERO));

    // A sender and a call that wait are told.
    thread::scope(|scope| {
        let caller = scope.spawn(|| side.call_blocking(ticket(60, 0)));
        eventually(|| side.peek().waiting == 9);
        let fill: Vec<_> = (0..7).map(|id| ticket(id + 70, 0)).collect();
        side.try_send_batch(&fill).unwrap();
        let sender = scope.spawn(|| side.send_blocking(ticket(80, 0)));
        thread::sleep(Duration::from_millis(2));
        let cleared = side.clear();
        assert_eq!((cleared.messages.len(), cleared.handed_over), (16, 2));
        assert_eq!((cleared.messages[0], cleared.messages[15]), (ticket(2, 0), ticket(76, 0)));
        assert_eq!(caller.join().unwrap(), Err(CallError::Dropped));
        assert_eq!(sender.join().unwrap(), Ok(SendOutcome::Accepted));
    });
    let status = balanced(&kernel);
    assert_eq!((status.drops.cleared, status.pending, status.handed_over), (16, 5, 2));
    assert_eq!(of_queue(&status, 1).counters.dequeued, 18);

    // A kernel that has all messages in its ring.
    let plain =
        sorter::launch(bench.runtime(), LaunchOptions::production().active(false).name("plain")).unwrap();
    plain.deactivate_blocking().unwrap();
    plain.try_send_batch(&[ticket(1, 0), ticket(2, 0)]).unwrap();
    let queue = plain.own_queue();
    assert_eq!((queue.peek().next, queue.peek().waiting, queue.peek().handed_over), (None, 0, 2));
    assert_eq!((queue.clear().messages.len(), queue.clear().handed_over), (0, 2));
    assert!(queue.flush_timeout(Duration::ZERO));
    assert_eq!(balanced(&plain).pending, 2);
}

/// each queue of a kernel says its name, how many messages it has and may have, and what it does when it is full; so does
/// the own queue of a kernel without others.
pub fn q34_a_queue_says_what_it_is(bench: &Bench) {
    let side = NamedQueue::new("side").capacity(32).backpressure(Backpressure::DropOldest);
    let options = LaunchOptions::production().capacity(64).grid(2).active(false).priority(true).queue(side);
    let kernel = batch_sorter::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let (own, side) = (kernel.own_queue(), kernel.queue("side").unwrap());
    assert_eq!((own.name(), own.capacity(), own.backpressure()), ("batch_sorter", 128, Backpressure::Block));
    assert_eq!((side.name(), side.capacity(), side.backpressure()), ("side", 64, Backpressure::DropOldest));
    assert!(own.options().priority && !side.options().priority);
    side.try_send_batch(&(0..20).map(|id| ticket(id, 0)).collect::<Vec<_>>()).unwrap();
    assert_eq!((own.len(), side.len() + kernel.status().handed_over), (0, 20));
    assert!(own.is_empty() && !side.is_empty());

    let options = LaunchOptions::low_latency().active(false).name("plain");
    let plain = sorter::launch(bench.runtime(), options).unwrap();
    plain.deactivate_blocking().unwrap();
    plain.try_send_batch(&[ticket(1, 0), ticket(2, 0)]).unwrap();
    let own = plain.own_queue();
    assert_eq!((own.len(), own.capacity(), own.backpressure()), (2, 256, Backpressure::Reject));
    assert!(plain.status().queues.is_empty(), "it has no queue but its rings");
}

/// a flush ends when what waited has been handed over, though others keep sending.
pub fn q34_a_flush_ends(bench: &Bench) {
    let options = LaunchOptions::production().queue(NamedQueue::new("side").capacity(64));
    let kernel = batch_sorter::launch(bench.runtime(), options).unwrap();
    let side = kernel.queue("side").unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = side.send_blocking(ticket(1, 0)).unwrap();
            }
        });
        scope.spawn(|| {
            while kernel.recv_timeout(Duration::from_millis(5)).is_ok() || !stop.load(Ordering::Relaxed) {}
        });
        for _ in 0..20 {
            side.flush_blocking();
        }
        stop.store(true, Ordering::Relaxed);
    });
    drain(&kernel);
    assert_eq!(side.peek().waiting, 0);
    balanced(&kernel);
}

/// a queue closes by itself, or with its kernel; who waits for space learns it, and what was left comes
/// back, in the order in which it would have been handled.
pub fn q33_queues_end_with_their_kernel(bench: &Bench) {
    let options = LaunchOptions::production()
        .active(false)
        .queue(NamedQueue::new("a").capacity(16))
        .queue(NamedQueue::new("b").capacity(16).share(Share::Rank(1)));
    let kernel = sorter::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    kernel.try_send_batch(&[ticket(0, 0), ticket(1, 0)]).unwrap();
    let (a, b) = (kernel.queue("a").unwrap(), kernel.queue("b").unwrap());
    for id in 0..16 {
        assert_eq!(a.try_send(ticket(id, 0)), Ok(SendOutcome::Accepted));
        assert_eq!(b.try_send(ticket(id, 0)), Ok(SendOutcome::Accepted));
    }
    thread::scope(|scope| {
        let waiting = scope.spawn(|| a.send_blocking(ticket(16, 0)));
        thread::sleep(Duration::from_millis(2));
        assert!(a.close() && !a.close());
        assert_eq!(waiting.join().unwrap(), Err(SendError::Closed(ticket(16, 0))));
        assert_eq!(b.try_send(ticket(16, 0)), Err(TrySendError::Full(ticket(16, 0))), "the other is open");
        let waiting = scope.spawn(|| block_on(b.send(ticket(16, 0))));
        thread::sleep(Duration::from_millis(2));
        kernel.close();
        assert_eq!(waiting.join().unwrap(), Err(SendError::Closed(ticket(16, 0))));
    });
    let status = balanced(&kernel);
    assert!(status.queues.iter().all(|queue| queue.closed), "{status:?}");
    assert!(status.to_string().contains("; queue a: 16 of 16 wait, closed, 0 left"), "{status}");
    kernel.terminate_blocking();
    let status = balanced(&kernel);
    assert_eq!((status.drops.undelivered, status.pending), (34, 0));
    assert_eq!(of_queue(&status, 2).counters.abandoned, 16);
    let left: Vec<u64> = kernel.take_undelivered().iter().map(|ticket| ticket.id).collect();
    let expected: Vec<u64> = (0..2).chain(0..16).chain(0..16).collect();
    assert_eq!(left, expected);
}

/// W-02: a queue has the verbs that every sender has, in every form.
pub fn w02_a_queue_has_every_verb(bench: &Bench) {
    let options = LaunchOptions::production().queue(NamedQueue::new("side").capacity(16));
    let kernel = sorter::launch(bench.runtime(), options).unwrap();
    let side = kernel.queue("side").unwrap();
    let minute = Duration::from_secs(60);
    let few: Vec<_> = (4..8).map(|id| ticket(id, 0)).collect();
    assert_eq!(side.try_send(ticket(0, 0)), Ok(SendOutcome::Accepted));
    assert_eq!(block_on(side.send(ticket(1, 0))), Ok(SendOutcome::Accepted));
    assert_eq!(side.send_blocking(ticket(2, 0)), Ok(SendOutcome::Accepted));
    assert_eq!(side.clone().send_timeout(ticket(3, 0), minute), Ok(SendOutcome::Accepted));
    drain(&kernel);
    side.try_send_batch(&few).unwrap();
    drain(&kernel);
    block_on(side.send_batch(&few)).unwrap();
    side.send_batch_blocking(&few).unwrap();
    side.send_batch_timeout(&few, minute).unwrap();
    let mut back = Vec::new();
    block_on(side.send_batch_returning(&few, &mut back)).unwrap();
    side.send_batch_returning_blocking(&few, &mut back).unwrap();
    assert!(back.is_empty());
    drain(&kernel);
    let answers = received(&kernel);
    assert_eq!(answers.len(), 28);
    assert!(answers.iter().all(|answer| answer.value == 1), "{answers:?}");
    assert_eq!(block_on(side.call(ticket(8, 0))), Ok(from(1, 8)));
    assert_eq!(side.call_blocking(ticket(8, 0)), Ok(from(1, 8)));
    assert_eq!(side.call_timeout(ticket(8, 0), minute), Ok(from(1, 8)));
    let status = balanced(&kernel);
    assert_eq!(of_queue(&status, 1).counters.enqueued, 31);
    let before = status.queues[1].clone();
    thread::sleep(Duration::from_millis(2));
    side.send_batch_blocking(&few).unwrap();
    let rates = kernel.status().queues[1].rates_since(&before).expect("time has passed");
    assert!(rates.enqueued > 0.0 && rates.dropped == 0.0, "{rates:?}");
}

/// Senders that wait for space in different queues are all told, whichever queue the kernel takes from.
pub fn q31_full_queues_keep_no_sender(bench: &Bench) {
    for keyed_by_identity in [false, true] {
        let queue = |name| {
            let queue = NamedQueue::new(name).capacity(16);
            if keyed_by_identity { queue.deduplication(Deduplication::ById) } else { queue }
        };
        let options = LaunchOptions::production()
            .capacity(16)
            .output_capacity(4096)
            .grid(2)
            .queue(queue("a"))
            .queue(queue("b").share(Share::Rank(1)));
        let kernel = bench.relaunch(|| batch_sorter::launch(bench.runtime(), options.clone()));
        let each = bench.size(300, 3000);
        thread::scope(|scope| {
            scope.spawn(|| (0..each).for_each(|id| assert!(kernel.send_blocking(ticket(id, 0)).is_ok())));
            for name in ["a", "b"] {
                let queue = kernel.queue(name).unwrap();
                let other = queue.clone();
                scope.spawn(move || {
                    (0..each).for_each(|id| assert!(queue.send_blocking(ticket(id, 0)).is_ok()))
                });
                scope.spawn(move || {
                    let tickets: Vec<_> = (each..2 * each).map(|id| ticket(id, 0)).collect();
                    block_on(other.send_batch(&tickets)).unwrap();
                });
            }
            for _ in 0..5 * each {
                kernel.recv_blocking().unwrap();
            }
        });
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!((status.processed, status.drops.total()), (5 * each, 0));
    }
}

/// Under load, with every strategy at once, a kernel that pauses, and one that ends at any moment: each
/// queue's counts and the kernel's add up.
pub fn q31_counts_are_exact_under_load(bench: &Bench) {
    for round in bench.rounds(3, 20) {
        let kernel = bench.relaunch(|| {
            let named = super::policies::STRATEGIES.map(|strategy| {
                let queue = NamedQueue::new(format!("{strategy:?}")).capacity(16).backpressure(strategy);
                queue.priority(round % 2 == 0).deduplication(Deduplication::ById)
            });
            let options = LaunchOptions::production().capacity(16).grid(2).dead_letters(1);
            let options = named.into_iter().fold(options, LaunchOptions::queue);
            batch_sorter::launch(bench.runtime(), options)
        });
        load(bench, &kernel, round);
        let status = balanced(&kernel);
        assert_eq!(status.pending, 0);
        assert_eq!(kernel.take_undelivered().len() as u64, status.drops.undelivered);
        let left: u64 = status.queues.iter().map(|queue| queue.counters.abandoned).sum();
        assert!(left <= status.drops.undelivered, "{status:?}");
    }
}

fn load(bench: &Bench, kernel: &KernelHandle<batch_sorter>, round: u64) {
    let each = bench.size(400, 4000);
    thread::scope(|scope| {
        for number in 0..5usize {
            let queue = match number {
                0 => kernel.own_queue(),
                _ => kernel.queue(&format!("{:?}", super::policies::STRATEGIES[number - 1])).unwrap(),
            };
            scope.spawn(move || {
                for id in 0..each {
                    let tickets = [ticket(id, id as u8), ticket(id / 2, 0), ticket(id + each, 1)];
                    let closed = match id % 3 {
                        0 => {
                            queue.send_blocking(tickets[0]).is_err_and(|e| matches!(e, SendError::Closed(_)))
                        }
                        1 => queue.try_send(tickets[0]).is_err_and(|e| matches!(e, TrySendError::Closed(_))),
                        _ => queue
                            .send_batch_blocking(&tickets)
                            .is_err_and(|e| e.cause == SendError::Closed(())),
                    };
                    if closed {
                        return;
                    }
                }
            });
        }
        scope.spawn(|| while kernel.recv_blocking().is_ok() {});
        for _ in 0..3 {
            kernel.deactivate_blocking().unwrap();
            thread::sleep(Duration::from_micros(300 * (round + 1)));
            kernel.activate_blocking().unwrap();
        }
        kernel.terminate_blocking();
    });
}

/// the documents' presets are launched as they stand.
pub fn q12_presets_are_launched(bench: &Bench) {
    for (name, options, capacity, window, strategy, priority) in [
        ("orleans", LaunchOptions::orleans(), 4096, 1024, Backpressure::Block, true),
        ("graph", LaunchOptions::graph(), 16_384, 1024, Backpressure::DropOldest, false),
        ("realtime", LaunchOptions::realtime(), 512, 256, Backpressure::DropOldest, false),
        ("ml", LaunchOptions::ml(), 8192, 1024, Backpressure::Reject, true),
    ] {
        let inbound = &options.inbound;
        assert_eq!((inbound.capacity, inbound.deduplication_window), (capacity, window), "{name}");
        assert_eq!((inbound.backpressure, inbound.priority), (strategy, priority), "{name}");
        let options = options.name(name).output_capacity(16);
        let kernel = sorter::launch(bench.runtime(), options.active(false)).unwrap();
        kernel.try_send_batch(&[ticket(1, 0), ticket(2, 0)]).unwrap();
        assert_eq!(balanced(&kernel).pending, 2);
    }
}
