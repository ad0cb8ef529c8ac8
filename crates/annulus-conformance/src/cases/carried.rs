//! Bridges from kernel to kernel, over the ends of a runtime: D-01, D-02, D-03.

use std::{collections::HashMap, sync::Arc, thread, time::Duration};

use annulus_kernel::RingKernel;
use annulus_queue::MessageQueue;
use annulus_runtime::{
    Backpressure, BridgeOptions, BridgeTarget, ConnectError, Deduplication, KernelBridge, KernelGroup,
    KernelHandle, KernelStatus, LaunchOptions, Runtime, Stall, StallEnd, TraceContext, TraceEvent,
};

use annulus_sync::{AtomicU64, Ordering};

use super::{
    links::{received, sorted},
    policies::ticket,
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Item, Number, Tracked,
        asks::asker,
        batch_echo, echo,
        links::{Ball, double, hit, pass},
        number, numbers,
        policies::gate,
        ports::sort_out,
        track,
        variants::coordinate,
    },
};

const LONG: Duration = Duration::from_secs(60);

fn named(name: &str) -> LaunchOptions {
    LaunchOptions::production().name(name)
}

/// The source first, then the bridge, then the target.
fn end<K: RingKernel, M: Send + 'static>(source: &KernelHandle<K>, bridge: &KernelBridge<M>) {
    drain(source);
    source.terminate_blocking();
    assert!(bridge.ended_timeout(LONG), "{}", bridge.status());
}

/// A bridge with this backpressure, in batches of four.
fn bridged(
    source: &KernelHandle<batch_echo>,
    target: &KernelHandle<batch_echo>,
    backpressure: Backpressure,
) -> KernelBridge<Number> {
    source.bridge_to_with(target, BridgeOptions::new().messages(4), backpressure).unwrap()
}

/// D-03: what a kernel of one runtime sends is handled by actors of another: each once, those of one shard in order, through
/// small rings; and the counts agree.
pub fn d03_a_bridge_leads_to_another_runtime(bench: &Bench) {
    let each = bench.size(300, 20_000);
    let there = bench.another_runtime();
    for (grid, capacity) in [(1, 16), (2, 64)] {
        let options = |name: &str| named(name).grid(grid).capacity(capacity).output_capacity(capacity);
        let source = pass::launch(bench.runtime(), options("source").actors(8)).unwrap();
        let target = track::launch(&there, options("target").actors(8)).unwrap();
        let bridge = source.bridge_to(&target).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                for sequence in 0..each {
                    for key in 0..8 {
                        let _ = source.send_blocking(Item { key, producer: 0, sequence }).unwrap();
                    }
                }
            });
            let mut next: HashMap<u32, u64> = HashMap::new();
            for _ in 0..8 * each {
                let Tracked { key, sequence, .. } = target.recv_blocking().unwrap();
                let next = next.entry(key).or_default();
                assert_eq!((key, sequence), (key, *next), "in order");
                *next += 1;
            }
        });
        end(&source, &bridge);
        drain(&target);
        let status = bridge.status();
        assert_eq!((status.moved, status.dropped(), status.held, status.ended), (8 * each, 0, 0, true));
        assert_eq!((status.from.as_str(), status.to.as_str()), ("source", "target"));
        assert_eq!(status.bytes, 8 * each * size_of::<Item>() as u64);
        assert_eq!((balanced(&target).processed, received(&target).len()), (8 * each, 0));
        target.terminate_blocking();
    }
}

/// D-03: a target without room makes the source stall, whose status names it, and what it waits for. Then all arrives.
pub fn d03_a_full_target_is_waited_for_by_name(bench: &Bench) {
    let there = bench.another_runtime();
    let options = |name: &str| named(name).capacity(16).output_capacity(16);
    let source = batch_echo::launch(bench.runtime(), options("source")).unwrap();
    let target = bench.relaunch(|| batch_echo::launch(&there, options("target").active(false)));
    target.deactivate_blocking().unwrap();
    let bridge = bridged(&source, &target, Backpressure::Block);
    thread::scope(|scope| {
        scope.spawn(|| source.send_batch_blocking(&numbers(0..100)).unwrap());
        eventually(|| source.status().stall.is_some_and(|stall| !stall.waits_for.is_empty()));
        let status = source.status();
        let stall = status.stall.as_ref().unwrap();
        assert_eq!((stall.for_host, stall.for_kernel, &stall.end), (0, 1, &StallEnd::Activation));
        assert_eq!(stall.waits_for, ["target"]);
        let [shown] = &status.bridges[..] else { panic!("{status}") };
        assert_eq!((shown.moved, shown.to.as_str()), (16, "target"));
        assert!((1..=4).contains(&shown.held), "{shown}");
        let text = status.to_string();
        assert!(text.contains("waits for room in `target`, which is inactive: activate it"), "{text}");
        assert!(text.contains("; bridge source to target: 16 moved, 0 dropped"), "{text}");
        let look = source.look();
        let [look] = &look.bridges[..] else { panic!("{look:?}") };
        assert_eq!(look.waits_for, Some(BridgeTarget { runtime: 0, kernel: target.look().id }));
        let why = bench.runtime().why().to_string();
        let cause =
            "`source` shard 0 waits for room in `target` (over a bridge);\n`target` shard 0 is inactive: ";
        assert!(why.contains(cause), "{why}");
        target.activate_blocking().unwrap();
        let all: Vec<_> = (0..100).map(|_| target.recv_blocking().unwrap()).collect();
        assert_eq!(sorted(all), numbers(0..100));
    });
    end(&source, &bridge);
    assert_eq!(source.status().bridges, [], "it has ended");
}

/// D-03: under Reject the source never waits, and what found no room is counted on both sides.
pub fn d03_rejected_outputs_are_counted(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source").output_capacity(16)).unwrap();
    let target = bench.relaunch(|| batch_echo::launch(&there, named("target").capacity(16).active(false)));
    target.deactivate_blocking().unwrap();
    let bridge = bridged(&source, &target, Backpressure::Reject);
    source.send_batch_blocking(&numbers(0..100)).unwrap();
    end(&source, &bridge);
    let status = bridge.status();
    assert_eq!((status.moved, status.discarded, status.held), (16, 84, 0));
    let its = target.status();
    assert_eq!((its.sent, its.pending, its.drops.rejected), (100, 16, 84));
    target.activate_blocking().unwrap();
    drain(&target);
    assert_eq!(received(&target), numbers(0..16), "the first ones");
}

/// D-02: a broadcast: each of several kernels, of two runtimes, gets each output in order; one that ends is left out.
pub fn d02_each_output_goes_to_all(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source")).unwrap();
    let target = |runtime: &Runtime, name: &str| batch_echo::launch(runtime, named(name)).unwrap();
    let targets = [target(bench.runtime(), "first"), target(&there, "second"), target(&there, "third")];
    let options = BridgeOptions::new().messages(8);
    let bridge = source.bridge_to_all(&targets, options, Backpressure::Block).unwrap();
    source.send_batch_blocking(&numbers(0..50)).unwrap();
    for target in &targets {
        let all: Vec<_> = (0..50).map(|_| target.recv_blocking().unwrap()).collect();
        assert_eq!(all, numbers(0..50));
    }
    eventually(|| bridge.status().held == 0);
    assert_eq!((bridge.status().moved, bridge.status().to.as_str()), (150, "first, second, third"));
    targets[1].terminate_blocking();
    source.send_batch_blocking(&numbers(50..100)).unwrap();
    for target in [&targets[0], &targets[2]] {
        let all: Vec<_> = (0..50).map(|_| target.recv_blocking().unwrap()).collect();
        assert_eq!(all, numbers(50..100));
    }
    // When all have ended, so does the bridge, and the source keeps what it sends, but for what was on its way.
    targets[0].terminate_blocking();
    targets[2].terminate_blocking();
    assert!(bridge.ended_timeout(LONG));
    let status = bridge.status();
    assert_eq!((status.moved, status.held), (250, 0), "{status}");
    source.send_batch_blocking(&numbers(0..3)).unwrap();
    drain(&source);
    assert_eq!(received(&source), numbers(0..3));
}

/// D-03: several bridges of one kernel share its outputs: each goes over one of them, whichever comes first. One whose target has no room takes no
/// more than a batch.
pub fn d03_bridges_share_outputs(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source")).unwrap();
    let full = bench.relaunch(|| batch_echo::launch(&there, named("full").capacity(16).active(false)));
    full.deactivate_blocking().unwrap();
    let free = batch_echo::launch(&there, named("free").capacity(16)).unwrap();
    let bridges = [&full, &free].map(|target| bridged(&source, target, Backpressure::Block));
    let most = 16 + 4;
    thread::scope(|scope| {
        scope.spawn(|| source.send_batch_blocking(&numbers(0..200)).unwrap());
        let mut all: Vec<_> = (0..200 - most).map(|_| free.recv_blocking().unwrap()).collect();
        full.activate_blocking().unwrap();
        eventually(|| {
            all.extend(received(&free));
            all.extend(received(&full));
            all.len() == 200
        });
        assert_eq!(sorted(all), numbers(0..200));
    });
    eventually(|| bridges.iter().all(|bridge| bridge.status().held == 0));
    let moved = bridges.each_ref().map(|bridge| bridge.status().moved);
    assert_eq!(moved.iter().sum::<u64>(), 200);
    assert_eq!(source.status().bridges.len(), 2);
}

/// D-03, M-10: to any of several kernels: each output goes to one, where fewest wait; a full one, and one that has ended, are
/// passed over; and the bridge waits only while all are full.
pub fn d03_each_output_goes_to_any(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source")).unwrap();
    let target = |runtime: &Runtime, name: &str| {
        let target = bench.relaunch(|| batch_echo::launch(runtime, named(name).capacity(16).active(false)));
        target.deactivate_blocking().unwrap();
        target
    };
    let targets = [target(bench.runtime(), "first"), target(&there, "second"), target(&there, "third")];
    let options = BridgeOptions::new().messages(4);
    let bridge = source.bridge_to_any(&targets, options, Backpressure::Block).unwrap();
    source.send_batch_blocking(&numbers(0..100)).unwrap();
    drain(&source);
    // Sixteen in each, dealt by four, and four held.
    eventually(|| (bridge.status().moved, bridge.status().held) == (48, 4));
    let pending = targets.each_ref().map(|target| target.status().pending);
    assert_eq!(pending, [16; 3]);
    let status = source.status();
    assert!(status.outputs_waiting == 48 && status.stall.is_none(), "{status}");
    // One goes on: all that is left goes there, since the others have no room.
    targets[1].activate_blocking().unwrap();
    let mut all: Vec<_> = (0..16 + 52).map(|_| targets[1].recv_blocking().unwrap()).collect();
    // A message may arrive before it is counted.
    eventually(|| (bridge.status().moved, bridge.status().held) == (100, 0));
    // One that has ended gets nothing more.
    targets[0].terminate_blocking();
    source.send_batch_blocking(&numbers(100..120)).unwrap();
    all.extend((0..20).map(|_| targets[1].recv_blocking().unwrap()));
    targets[2].activate_blocking().unwrap();
    drain(&targets[2]);
    all.extend(received(&targets[2]));
    all.extend(targets[0].take_undelivered());
    assert_eq!(sorted(all), numbers(0..120));
    // Under Reject, only what none has room for is lost.
    targets[1].deactivate_blocking().unwrap();
    targets[2].deactivate_blocking().unwrap();
    bridge.stop();
    assert!(bridge.ended_timeout(LONG));
    let options = BridgeOptions::new().messages(4);
    let bridge = source.bridge_to_any(&targets[1..], options, Backpressure::Reject).unwrap();
    source.send_batch_blocking(&numbers(0..50)).unwrap();
    drain(&source);
    eventually(|| bridge.status().moved + bridge.status().discarded == 50);
    assert_eq!((bridge.status().moved, bridge.status().discarded), (32, 18));
    let rejected: u64 = targets[1..].iter().map(|target| target.status().drops.rejected).sum();
    assert_eq!(rejected, 18);
}

/// D-03: outputs become the variant of the target's messages that takes them; of several outboxes each has its bridge.
pub fn d03_outboxes_and_variants(bench: &Bench) {
    let there = bench.another_runtime();
    let source = sort_out::launch(bench.runtime(), named("source").actors(4)).unwrap();
    let target = coordinate::launch(&there, named("target").actors(300)).unwrap();
    let sums = echo::launch(&there, named("sums")).unwrap();
    let kept = source.port(sort_out::KEPT).bridge_to(&target).unwrap();
    let numbers = source.port(sort_out::NUMBERS).bridge_to(&sums).unwrap();
    for sequence in 0..40 {
        let _ = source.send_blocking(Item { key: sequence as u32 % 4, producer: 7, sequence }).unwrap();
    }
    drain(&source);
    // Of four, one sends two numbers, one an item, and one of each; the last fails.
    eventually(|| (kept.status().moved, numbers.status().moved) == (20, 30));
    drain(&target);
    drain(&sums);
    let noted = received(&target);
    assert_eq!(noted.len(), 20);
    assert_eq!(noted.iter().filter(|noted| noted.more == 1 || noted.value % 4 == 1).count(), 10, "{noted:?}");
    assert_eq!(received(&sums).len(), 30);
    assert_eq!(source.port(sort_out::MARKS).status().waiting, 10, "this one has no bridge");
    let status = source.status();
    assert_eq!(status.bridges.len(), 2, "{status}");
}

/// D-03: one of several outboxes has every form that a kernel has: into a group, whose members have the keys of what a
/// variant takes; with options; and into a queue.
pub fn d03_an_outbox_has_every_form(bench: &Bench) {
    let there = bench.another_runtime();
    let source = sort_out::launch(bench.runtime(), named("source").actors(4)).unwrap();
    let member = |runtime: &Runtime, name: &str| coordinate::launch(runtime, named(name).actors(4)).unwrap();
    let group = KernelGroup::new([member(bench.runtime(), "first"), member(&there, "second")]).unwrap();
    let options = BridgeOptions::new().messages(4);
    let kept = source.port(sort_out::KEPT).bridge_to_group(&group, options, Backpressure::Block).unwrap();
    let sums = bench.relaunch(|| echo::launch(&there, named("sums").capacity(16).active(false)));
    sums.deactivate_blocking().unwrap();
    let numbers =
        source.port(sort_out::NUMBERS).bridge_to_with(&sums, options, Backpressure::Reject).unwrap();
    let queue = MessageQueue::with_defaults();
    let marks = source.port(sort_out::MARKS).publish_to(&queue);
    for sequence in 0..40 {
        let _ = source.send_blocking(Item { key: sequence as u32 / 4 % 4, producer: 7, sequence }).unwrap();
    }
    drain(&source);
    source.terminate_blocking();
    for bridge in [&kept.status(), &numbers.status()] {
        assert_eq!(bridge.from, "source");
    }
    assert!(kept.ended_timeout(LONG) && numbers.ended_timeout(LONG) && marks.ended_timeout(LONG));
    // Of four, one sends two numbers, one an item, and one of each; the last fails.
    let (kept, numbers) = (kept.status(), numbers.status());
    assert_eq!((kept.moved, kept.dropped(), kept.to.as_str()), (20, 0, "first, second"));
    assert_eq!((numbers.moved, numbers.discarded), (16, 14), "{numbers}");
    assert_eq!((marks.status().moved, queue.len()), (10, 10));
    for (member, keys) in group.members().iter().zip([0..2, 2..4]) {
        drain(member);
        let noted = received(member);
        assert!(!noted.is_empty() && noted.iter().all(|noted| keys.contains(&noted.worker)), "{noted:?}");
    }
}

/// D-03: a message of a bridge meets the queue in front of the target as a message of the host does.
pub fn d03_policies_of_the_target_hold(bench: &Bench) {
    let there = bench.another_runtime();
    let options = named("target").deduplication(Deduplication::ById).priority(true).active(false);
    let target = bench.relaunch(|| gate::launch(&there, options.clone()));
    target.deactivate_blocking().unwrap();
    let source = gate::launch(bench.runtime(), named("source")).unwrap();
    let bridge = source.bridge_to(&target).unwrap();
    for id in [1, 2, 1, 3, 2] {
        let _ = source.send_blocking(ticket(id, id as u8)).unwrap();
    }
    end(&source, &bridge);
    let status = bridge.status();
    assert_eq!((status.moved, status.duplicate, status.held), (3, 2, 0));
    let its = balanced(&target);
    assert_eq!((its.sent, its.drops.duplicate, its.pending), (5, 2, 3));
}

/// D-03: a bridge whose target ends hands back what it held, and leaves the rest in the source.
pub fn d03_a_target_that_ends_hands_back(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source")).unwrap();
    let target = bench.relaunch(|| batch_echo::launch(&there, named("target").capacity(16).active(false)));
    target.deactivate_blocking().unwrap();
    let bridge = bridged(&source, &target, Backpressure::Block);
    source.send_batch_blocking(&numbers(0..50)).unwrap();
    drain(&source);
    eventually(|| (bridge.status().moved, bridge.status().held) == (16, 4));
    target.close();
    assert!(bridge.ended_timeout(LONG));
    assert_eq!(bridge.take_undelivered(), numbers(16..20));
    assert_eq!((bridge.status().held, bridge.take_undelivered()), (0, Vec::new()));
    assert_eq!(received(&source), numbers(20..50));
    // The same of a variant.
    let items = pass::launch(bench.runtime(), named("items").actors(4)).unwrap();
    let target =
        bench.relaunch(|| coordinate::launch(&there, named("late").actors(300).capacity(16).active(false)));
    target.deactivate_blocking().unwrap();
    let bridge = items.bridge_to(&target).unwrap();
    let item = |sequence| Item { key: 1, producer: 3, sequence };
    for sequence in 0..20 {
        let _ = items.send_blocking(item(sequence)).unwrap();
    }
    drain(&items);
    eventually(|| bridge.status().held + items.status().outputs_waiting == 4);
    assert!(bridge.stop());
    assert!(bridge.ended_timeout(LONG));
    let mut left = bridge.take_undelivered();
    left.extend(received(&items));
    assert_eq!(left, (16..20).map(item).collect::<Vec<_>>());
}

/// D-03: kernels of two runtimes may send to each other in a cycle: each ball is hit as often as it says.
pub fn d03_a_cycle_over_two_runtimes(bench: &Bench) {
    let (balls, hits) = (8, bench.size(40, 4000) as u32);
    let there = bench.another_runtime();
    let options = |name: &str| named(name).capacity(16).output_capacity(16).actors(balls.into());
    let kernels = [hit::launch(bench.runtime(), options("first")), hit::launch(&there, options("second"))]
        .map(Result::unwrap);
    let [first, second] = &kernels;
    let bridges = [first.bridge_to(second).unwrap(), second.bridge_to(first).unwrap()];
    for number in 0..balls {
        let _ = first.send_blocking(Ball { number, left: hits }).unwrap();
    }
    eventually(|| {
        kernels.iter().map(|kernel| kernel.status().processed).sum::<u64>() == u64::from(balls * hits)
    });
    for (kernel, bridge) in kernels.iter().zip(&bridges) {
        drain(kernel);
        assert_eq!(balanced(kernel).processed, u64::from(balls * hits / 2));
        let produced = kernel.status().produced;
        eventually(|| (bridge.status().moved, bridge.status().held) == (produced, 0));
    }
}

/// D-03: a cycle over bridges whose rings are full is shown as one, and goes on when a bridge is stopped.
pub fn d03_a_full_cycle_over_bridges_is_shown(bench: &Bench) {
    let there = bench.another_runtime();
    let options = |name: &str| named(name).capacity(16).output_capacity(16);
    let first = double::launch(bench.runtime(), options("first")).unwrap();
    let second = batch_echo::launch(&there, options("second")).unwrap();
    let bridge =
        first.bridge_to_with(&second, BridgeOptions::new().messages(4), Backpressure::Block).unwrap();
    let back = second.bridge_to(&first).unwrap();
    // Two for each: sooner or later all is full.
    let _ = first.send_blocking(number(1)).unwrap();
    let names = |status: &KernelStatus| match &status.stall {
        Some(Stall { end: StallEnd::CycleOverBridges(names), .. }) => Some(names.clone()),
        _ => None,
    };
    let mut text = String::new();
    eventually(|| {
        let status = first.status();
        text = status.to_string();
        names(&status).is_some_and(|names| names.len() == 2)
    });
    assert!(text.contains("a cycle over a bridge, which stands still if its rings stay full"), "{text}");
    back.stop();
    assert!(back.ended_timeout(LONG));
    // What came back no more is received here.
    eventually(|| {
        received(&second);
        let (before, behind) = (first.status(), second.status());
        before.stall.is_none() && before.pending == 0 && bridge.status().held == 0 && behind.pending == 0
    });
}

/// D-03: the trace of a message goes on behind a bridge; and whoever moves messages of a bridge by the way has received, and
/// sent, nothing itself.
pub fn d03_a_trace_crosses_a_bridge(bench: &Bench) {
    let there = bench.another_runtime();
    let options = |name: &str| named(name).tracing(true).trace_sample(0.0);
    let source = batch_echo::launch(bench.runtime(), options("source")).unwrap();
    let target = batch_echo::launch(&there, options("target")).unwrap();
    let bridge = source.bridge_to(&target).unwrap();
    let span = TraceContext { trace_id: 77, span_id: 5 };
    for n in 0..20 {
        let _scope = (n % 5 == 0).then(|| span.enter());
        let _ = source.send_blocking(number(n)).unwrap();
        assert_eq!(TraceContext::received(), None, "this thread has received nothing");
    }
    let mut all = Vec::new();
    eventually(|| {
        all.extend(received(&target));
        all.len() == 20
    });
    assert_eq!(all, numbers(0..20));
    end(&source, &bridge);
    drain(&target);
    let handled = |runtime: &Runtime, count: usize| {
        let mut handlings = Vec::new();
        eventually(|| {
            let is_handling = |event| match event {
                TraceEvent::Handled(handling) => Some(handling),
                _ => None,
            };
            handlings.extend(runtime.take_traces().into_iter().filter_map(is_handling));
            handlings.len() >= count
        });
        assert_eq!(handlings.len(), count, "{handlings:?}");
        handlings
    };
    let here = handled(bench.runtime(), 4);
    for handling in handled(&there, 4) {
        assert_eq!((handling.trace_id, &*handling.kernel), (77, "target"));
        let before = here.iter().filter(|one| Some(one.span_id) == handling.continues).count();
        assert_eq!(before, 1, "it continues the call that sent it");
    }
}

/// D-03: what a send to the target makes the program do, such as an alert of its dead letters, may ask for the status of the
/// bridge that has sent, and of the source.
pub fn d03_alerts_may_ask_for_the_status(bench: &Bench) {
    let there = bench.another_runtime();
    let source = gate::launch(bench.runtime(), named("source")).unwrap();
    let options = named("target").expiry(Duration::from_millis(1)).dead_letters(4).active(false);
    let target = bench.relaunch(|| gate::launch(&there, options.clone()));
    target.deactivate_blocking().unwrap();
    let bridge = source.bridge_to(&target).unwrap();
    let asked = Arc::new(AtomicU64::new(0));
    let (its, counts, kernel) = (bridge.clone(), Arc::clone(&asked), source.clone());
    target.dead_letters().unwrap().set_alert(move |_| {
        let shown = kernel.status().bridges;
        counts.fetch_add(its.status().moved + shown.len() as u64, Ordering::Relaxed);
    });
    let mut id = 0;
    eventually(|| {
        let _ = source.send_blocking(ticket(id, 0)).unwrap();
        id += 1;
        asked.load(Ordering::Relaxed) != 0
    });
    // It holds the bridge's own handle.
    bridge.stop();
    assert!(bridge.ended_timeout(LONG));
    target.terminate_blocking();
}

/// D-03: a bridge whose source always has more, and whose target always has room, ends when it is told.
pub fn d03_a_busy_bridge_can_be_stopped(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source")).unwrap();
    let options = named("target").backpressure(Backpressure::DropNew).active(false).capacity(16);
    let target = bench.relaunch(|| batch_echo::launch(&there, options.clone()));
    target.deactivate_blocking().unwrap();
    let bridge = source.bridge_to(&target).unwrap();
    let ends = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while ends.load(Ordering::Relaxed) == 0 {
                source.send_batch_blocking(&numbers(0..256)).unwrap();
                // When the bridge has ended, nobody else receives.
                if bridge.status().ended {
                    received(&source);
                }
            }
        });
        eventually(|| bridge.status().discarded > 5000);
        assert!(bridge.stop());
        assert!(bridge.ended_timeout(LONG), "{}", bridge.status());
        ends.store(1, Ordering::Relaxed);
        // The other thread may wait for room.
        while source.status().outputs_waiting != 0 || source.status().pending != 0 {
            received(&source);
        }
    });
    let status = bridge.status();
    assert_eq!((status.moved, status.duplicate), (16, 0));
}

/// What cannot be bridged says why, and what to do.
pub fn d03_what_cannot_be_bridged(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source")).unwrap();
    let target = batch_echo::launch(&there, named("target")).unwrap();
    let error = source.connect(&target).unwrap_err().to_string();
    assert!(error.contains("run on two runtimes") && error.contains("`bridge_to`"), "{error}");
    let with = |backpressure| source.bridge_to_with(&target, BridgeOptions::new(), backpressure);
    assert!(matches!(with(Backpressure::DropOldest), Err(ConnectError::Backpressure { .. })));
    for messages in [0, 65_537] {
        let options = BridgeOptions::new().messages(messages);
        let error = source.bridge_to_with(&target, options, Backpressure::Block).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "a batch of the bridge from `source` has {messages} messages, and must have 1 to 65536: change \
                 BridgeOptions::messages"
            )
        );
    }
    let none: [&KernelHandle<batch_echo>; 0] = [];
    let error = source.bridge_to_all(none, BridgeOptions::new(), Backpressure::Block).unwrap_err();
    assert_eq!(error.to_string(), "a bridge from `source` leads to no kernel: name one at least");
    let items = pass::launch(bench.runtime(), named("items").actors(4)).unwrap();
    let tracks = ["one", "two"].map(|name| track::launch(&there, named(name).actors(4)).unwrap());
    let error = items.bridge_to_any(&tracks, BridgeOptions::new(), Backpressure::Block).unwrap_err();
    assert_eq!(error, ConnectError::KeyedTargets { source: "items".into(), target: "one".into() });
    let asks = asker::launch(bench.runtime(), named("asks").actors(4)).unwrap();
    let tellers = crate::kernels::asks::teller::launch(&there, named("teller").actors(4)).unwrap();
    let error = asks.port(asker::PRICE).bridge_to(&tellers).unwrap_err();
    assert_eq!(error, ConnectError::AsksOverBridge { kernel: "asks".into(), outbox: "price" });
    target.terminate_blocking();
    let error = source.bridge_to(&target).unwrap_err();
    assert_eq!(error, ConnectError::Terminated { kernel: "target".into() });
    assert_eq!(source.status().bridges, []);
}
