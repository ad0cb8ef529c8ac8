//! Queues that live without a kernel, and bridges to and from them, W-02, W-09, D-04.

use std::{thread, time::Duration};

use annulus_queue::{CreateError, LookUpError, QueueOptions};
use annulus_runtime::{
    Backpressure, BridgeOptions, Deduplication, KernelBridge, LaunchOptions, NamedQueue, SendOutcome,
    TrySendError,
};

use super::{links::received, policies::ticket};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        policies::{Ticket, batch_gate, gate},
        queues::sorter,
    },
};

fn named(name: &str) -> QueueOptions {
    QueueOptions::new().name(name)
}

/// Everything that a bridge took is where it says; for a bridge at rest.
#[track_caller]
fn accounted<M: Send + 'static>(bridge: &KernelBridge<M>, taken: u64) {
    let status = bridge.status();
    assert_eq!(status.moved + status.dropped() + status.held, taken, "{status}");
    assert!(status.bytes == status.moved * size_of::<M>() as u64 && status.batches() <= taken);
}

/// a runtime makes queues by name, finds and lists them, and closes them; a wrong type names
/// both.
pub fn q32_a_runtime_has_queues(bench: &Bench) {
    let runtime = bench.another_runtime();
    let orders = runtime.queues().create::<Ticket>(named("orders")).unwrap();
    let numbers = runtime.queues().create::<u64>(named("numbers").priority(true)).unwrap();
    assert_eq!(runtime.queues().get::<Ticket>("orders").unwrap().name(), Some("orders"));
    let wrong = runtime.queues().get::<u64>("orders").unwrap_err();
    assert!(matches!(wrong, LookUpError::WrongType { .. }));
    let text = wrong.to_string();
    assert!(text.contains("Ticket") && text.contains("u64") && text.contains("orders"), "{text}");
    let taken = runtime.queues().create::<u64>(named("orders")).unwrap_err();
    assert!(matches!(taken, CreateError::Taken { .. }), "{taken}");
    let _ = numbers.try_send(7).unwrap();
    let list = runtime.queues().list();
    let shown: Vec<_> = list.iter().map(|status| (status.name.as_str(), status.depth)).collect();
    assert_eq!(shown, [("numbers", 1), ("orders", 0)]);
    assert!(runtime.queues().remove("orders") && orders.is_closed());
    let clone = runtime.clone();
    drop(runtime);
    assert_eq!(numbers.try_send(8), Ok(SendOutcome::Accepted), "a clone is the same runtime");
    drop(clone);
    assert_eq!(numbers.try_send(9), Err(TrySendError::Closed(9)), "the end of a runtime closes its queues");
    assert_eq!(numbers.try_recv(), Ok(7));
}

/// W-09: through two queues and a kernel between them, in order, with back-pressure through the whole chain.
pub fn w09_a_chain_of_queues_and_kernels(bench: &Bench) {
    let count = bench.size(2000, 50_000);
    let runtime = bench.runtime();
    let source = runtime.queues().create::<Ticket>(named("source").capacity(16)).unwrap();
    let target = runtime.queues().create::<Ticket>(named("target").capacity(16)).unwrap();
    let options = LaunchOptions::production().capacity(16).output_capacity(16);
    let kernel = batch_gate::launch(runtime, options).unwrap();
    let (consumes, publishes) = (kernel.consume(&source), kernel.publish_to(&target));
    thread::scope(|scope| {
        scope.spawn(|| {
            (0..count).for_each(|id| assert!(source.send_blocking(ticket(id, 0)).is_ok()));
            source.close();
        });
        for id in 0..count {
            assert_eq!(target.recv_blocking(), Ok(ticket(id, 0)));
        }
    });
    consumes.ended_blocking();
    drain(&kernel);
    accounted(&consumes, count);
    let status = consumes.status();
    assert_eq!((status.moved, status.held, status.ended), (count, 0, true));
    assert_eq!(balanced(&kernel).processed, count);
    // It ends with its kernel.
    assert!(!publishes.status().ended);
    kernel.terminate_blocking();
    publishes.ended_blocking();
    accounted(&publishes, count);
    assert!(publishes.status().to_string().ends_with("; ended"));
}

/// Back-pressure: a queue whose kernel takes nothing fills up, whatever the kernel's strategy; nothing is
/// lost, and a bridge that ends hands back what it held.
pub fn a_bridge_waits_and_hands_back(bench: &Bench) {
    for strategy in [Backpressure::Block, Backpressure::Reject] {
        let source = annulus_queue::MessageQueue::new(named("source").capacity(16)).unwrap();
        let options = LaunchOptions::production().capacity(16).backpressure(strategy).active(false);
        let kernel = bench.relaunch(|| gate::launch(bench.runtime(), options.clone()));
        kernel.deactivate_blocking().unwrap();
        let bridge = kernel.consume_with(&source, BridgeOptions::new().messages(4));
        // Sixteen in the ring, some held, sixteen in the queue.
        let mut sent = 0;
        // What moves them may be another thread, which tells that the kernel has room.
        eventually(|| {
            while source.try_send(ticket(sent, 0)).is_ok() {
                sent += 1;
            }
            let status = bridge.status();
            status.moved == 16 && status.held != 0
        });
        assert!(bridge.stop() && !bridge.stop());
        assert!(bridge.ended_timeout(Duration::from_secs(60)));
        // It may have taken more until it was told.
        let held = bridge.status().held;
        assert!((1..=4).contains(&held), "{held}");
        accounted(&bridge, 16 + held);
        let ids = |tickets: Vec<Ticket>| tickets.iter().map(|ticket| ticket.id).collect::<Vec<_>>();
        assert_eq!(ids(bridge.take_undelivered()), (16..16 + held).collect::<Vec<_>>());
        assert_eq!(ids(source.take_all()), (16 + held..sent).collect::<Vec<_>>());
        let status = balanced(&kernel);
        assert_eq!((status.sent, status.pending, status.drops.rejected), (16, 16, 0));
    }
}

/// a bridge ends with its kernel, and the queue stays as it is for the next kernel.
pub fn q33_a_queue_outlives_its_kernel(bench: &Bench) {
    let source = annulus_queue::MessageQueue::new(named("source")).unwrap();
    let first = gate::launch(bench.runtime(), LaunchOptions::production().name("first")).unwrap();
    let bridge = first.consume(&source);
    first.close();
    assert!(bridge.ended_timeout(Duration::from_secs(60)), "a closed kernel takes no more");
    let _ = source.try_send(ticket(1, 0)).unwrap();
    assert_eq!((source.len(), bridge.status().moved), (1, 0));
    let options = LaunchOptions::production().queue(NamedQueue::new("side")).name("second").active(false);
    let second = sorter::launch(bench.runtime(), options).unwrap();
    second.deactivate_blocking().unwrap();
    let bridge = second.queue("side").unwrap().consume(&source);
    assert_eq!((source.len(), bridge.status().moved), (0, 1), "what waited is moved at once");
    assert_eq!(bridge.status().to, "second/side");
    second.queue("side").unwrap().close();
    assert!(bridge.ended_timeout(Duration::from_secs(60)));
    assert_eq!(balanced(&second).queues[1].counters.enqueued, 1);
}

/// What a policy of the target drops is counted by the bridge, by cause.
pub fn a_bridge_counts_drops_by_cause(bench: &Bench) {
    let source = annulus_queue::MessageQueue::new(named("source")).unwrap();
    let options = LaunchOptions::production()
        .active(false)
        .queue(NamedQueue::new("once").capacity(16).deduplication(Deduplication::ById))
        .queue(NamedQueue::new("newest").capacity(16).backpressure(Backpressure::DropOldest))
        .queue(NamedQueue::new("oldest").capacity(16).backpressure(Backpressure::DropNew));
    let kernel = sorter::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    kernel.try_send_batch(&[ticket(0, 0), ticket(1, 0)]).unwrap();
    let send = |count: u64| (0..count).for_each(|id| assert!(source.try_send(ticket(id % 20, 0)).is_ok()));
    for (name, expected) in [("once", [10, 0, 0, 10]), ("newest", [20, 4, 0, 0]), ("oldest", [16, 0, 4, 0])] {
        let bridge = kernel.queue(name).unwrap().consume(&source);
        if name == "once" {
            send(10);
            send(10);
        } else {
            send(20);
        }
        // What moves them may be another thread.
        eventually(|| bridge.status().moved + bridge.status().dropped() == 20);
        let status = bridge.status();
        let found = [status.moved, status.evicted, status.discarded, status.duplicate];
        assert_eq!(found, expected, "{name}: {status}");
        accounted(&bridge, 20);
        bridge.stop();
    }
    let drops = balanced(&kernel).drops;
    assert_eq!((drops.duplicate, drops.evicted, drops.discarded), (10, 4, 4));
}

/// D-04, W-09: a batch is delivered when it is full, and by a timer although no other message comes.
pub fn d04_a_batch_is_full_or_late(bench: &Bench) {
    let source = annulus_queue::MessageQueue::new(named("source")).unwrap();
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production().active(false)).unwrap();
    kernel.deactivate_blocking().unwrap();
    // Longer than any case, then short.
    let long = BridgeOptions::new().messages(8).delay(Duration::from_secs(3600));
    let bridge = kernel.consume_with(&source, long);
    (0..20).for_each(|id| assert!(source.try_send(ticket(id, 0)).is_ok()));
    // What moves them may be another thread.
    eventually(|| (bridge.status().moved, bridge.status().held) == (16, 4));
    let status = bridge.status();
    assert_eq!((status.moved, status.by_count, status.by_timer, status.held), (16, 2, 0, 4));
    source.close();
    bridge.ended_blocking();
    let status = bridge.status();
    assert_eq!((status.moved, status.by_close, status.held), (20, 1, 0));

    let source = annulus_queue::MessageQueue::new(named("source")).unwrap();
    let short = BridgeOptions::new().messages(8).delay(Duration::from_millis(2));
    let bridge = kernel.consume_with(&source, short);
    let _ = source.try_send(ticket(20, 0)).unwrap();
    eventually(|| bridge.status().moved == 1);
    eventually(|| bridge.status().by_timer == 1);
    accounted(&bridge, 1);
    let before = bridge.status();
    thread::sleep(Duration::from_millis(1));
    let rates = bridge.status().rates_since(&before).expect("time has passed");
    assert_eq!((rates.moved, rates.batches), (0.0, 0.0));
    assert_eq!(balanced(&kernel).pending, 21);
}

/// Several kernels consume one queue and fill another, while senders, receivers and bridges come and go: each
/// message is handled once.
pub fn bridges_share_queues(bench: &Bench) {
    let count = bench.size(1000, 20_000);
    let runtime = bench.another_runtime();
    let source = runtime.queues().create::<Ticket>(named("source").capacity(64)).unwrap();
    let target = runtime.queues().create::<Ticket>(named("target").capacity(64).priority(true)).unwrap();
    let kernels: Vec<_> = (0..3)
        .map(|number| {
            let options = LaunchOptions::production().capacity(16).grid(2).name(format!("kernel {number}"));
            batch_gate::launch(&runtime, options).unwrap()
        })
        .collect();
    let bridges: Vec<_> = kernels
        .iter()
        .map(|kernel| {
            let options = BridgeOptions::new().messages(8).delay(Duration::from_micros(50));
            (kernel.consume_with(&source, options), kernel.publish_to(&target))
        })
        .collect();
    let mut ids: Vec<u64> = thread::scope(|scope| {
        for sender in 0..2 {
            let source = &source;
            scope.spawn(move || {
                (0..count)
                    .for_each(|id| assert!(source.send_blocking(ticket(id * 2 + sender, id as u8)).is_ok()));
            });
        }
        (0..2 * count).map(|_| target.recv_blocking().unwrap().id).collect()
    });
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..2 * count));
    source.close();
    let mut moved = 0;
    for (kernel, (consumes, publishes)) in kernels.iter().zip(&bridges) {
        consumes.ended_blocking();
        drain(kernel);
        kernel.terminate_blocking();
        publishes.ended_blocking();
        assert_eq!(consumes.status().moved, publishes.status().moved);
        accounted(consumes, balanced(kernel).processed);
        moved += consumes.status().moved;
    }
    assert_eq!(moved, 2 * count);
}

/// A bridge whose kernel's handle is dropped keeps nothing running, and ends.
pub fn a_bridge_keeps_no_kernel(bench: &Bench) {
    let queue = annulus_queue::MessageQueue::<Ticket>::new(named("queue")).unwrap();
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production()).unwrap();
    let (consumes, publishes) = (kernel.consume(&queue), kernel.publish_to(&queue));
    drop(kernel);
    assert!(consumes.ended_timeout(Duration::from_secs(60)));
    assert!(publishes.ended_timeout(Duration::from_secs(60)));
    assert!(received_nothing(&queue));
}

fn received_nothing(queue: &annulus_queue::MessageQueue<Ticket>) -> bool {
    queue.is_empty() && !queue.is_closed()
}

/// Closing the target ends the bridge into it; the kernel's outputs then wait for receivers.
pub fn q33_a_closed_target_ends_its_bridge(bench: &Bench) {
    let target = annulus_queue::MessageQueue::new(named("target").capacity(16)).unwrap();
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production()).unwrap();
    let bridge = kernel.publish_to(&target);
    let _ = kernel.send_blocking(ticket(1, 0)).unwrap();
    assert_eq!(target.recv_blocking(), Ok(ticket(1, 0)));
    target.close();
    let _ = kernel.send_blocking(ticket(2, 0)).unwrap();
    bridge.ended_blocking();
    drain(&kernel);
    assert_eq!(received(&kernel), [ticket(2, 0)]);
    accounted(&bridge, 1);
}
