//! What a kernel sends becomes another kernel's messages: each once, in order, or counted. K-01, P-04.

use std::{thread, time::Duration};

use annulus_kernel::RingKernel;
use annulus_runtime::{
    Backpressure, ConnectError, KernelControl, KernelHandle, LaunchOptions, RecvError, ShutdownOutcome,
    TryRecvError, TrySendError,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        FAIL, Item, Number, Total, echo, fan, fragile,
        links::{
            Ball, ODD_ONE, PLACES, WINDOW, Window, aggregate, double, hit, next, pass, transform, triple,
            validate,
        },
        mix, number, numbers, swallow, total,
    },
};

const LONG: Duration = Duration::from_secs(3600);

fn linked(name: &str) -> LaunchOptions {
    LaunchOptions::default().linked(true).name(name)
}

/// Options of a kernel that is to be connected.
fn source(name: &str) -> LaunchOptions {
    linked(name).active(false)
}

/// Connects, and activates the source; says why and returns false where the backend does not offer it.
fn connect<K: RingKernel, T: RingKernel<Message = K::Output>>(
    from: &KernelHandle<K>,
    to: &KernelHandle<T>,
) -> bool {
    connect_with(from, to, Backpressure::Block)
}

fn connect_with<K: RingKernel, T: RingKernel<Message = K::Output>>(
    from: &KernelHandle<K>,
    to: &KernelHandle<T>,
    backpressure: Backpressure,
) -> bool {
    match from.connect_with(to, backpressure) {
        Ok(()) => {
            from.activate_blocking().unwrap();
            true
        }
        Err(ConnectError::Backend { backend, error })
            if error.to_string().contains("its kernels cannot be connected") =>
        {
            println!("skipped: {} on {backend}: {error}", thread::current().name().unwrap_or("links"));
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Everything that is there, in the order in which it came.
fn received<K: RingKernel>(kernel: &KernelHandle<K>) -> Vec<K::Output> {
    let mut outputs = Vec::new();
    while kernel.try_recv_batch(&mut outputs, 1024).is_ok() {}
    outputs
}

fn sorted(mut values: Vec<Number>) -> Vec<Number> {
    values.sort_unstable();
    values
}

/// Sends while another thread receives, and gives what came.
fn stream<F: RingKernel<Message = Number>, L: RingKernel<Output = Number>>(
    first: &KernelHandle<F>,
    last: &KernelHandle<L>,
    count: u64,
) -> Vec<Number> {
    thread::scope(|scope| {
        scope.spawn(move || {
            numbers(0..count).chunks(256).for_each(|chunk| first.send_batch_blocking(chunk).unwrap());
        });
        (0..count).map(|_| last.recv_blocking().unwrap()).collect()
    })
}

/// K-01: each output of one kernel is handled by the other once, in order, and nothing of it reaches the host.
pub fn k01_outputs_become_messages(bench: &Bench) {
    let first = next::launch(bench.runtime(), source("first").capacity(256)).unwrap();
    let second = next::launch(bench.runtime(), linked("second").capacity(64)).unwrap();
    if !connect(&first, &second) {
        return;
    }
    let count = bench.size(100_000, 1_000_000);
    assert_eq!(stream(&first, &second, count), numbers(2..count + 2));
    drain(&second);
    for status in [balanced(&first), balanced(&second)] {
        assert_eq!((status.sent, status.processed, status.produced), (count, count, count), "{status:?}");
        assert_eq!((status.outputs_lost, status.stalled_shards, status.pending), (0, 0, 0), "{status:?}");
    }
    assert_eq!(first.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(second.try_recv(), Err(TryRecvError::Empty));
}

/// K-01: items of a key go to the shard that it names, in the order in which each producer sent them.
pub fn k01_order_per_key_and_producer(bench: &Bench) {
    const KEYS: u64 = 12;
    let producers = 2;
    let each = bench.size(50_000, 500_000);
    for (sources, targets) in [(1, 3), (2, 3), (3, 2)] {
        let name = |side: &str| format!("{side}-{sources}-{targets}");
        let first = pass::launch(bench.runtime(), source(&name("first")).grid(sources)).unwrap();
        let second = crate::kernels::audit::bind(KEYS)
            .launch(bench.runtime(), linked(&name("second")).grid(targets).actors(KEYS).capacity(128))
            .unwrap();
        if !connect(&first, &second) {
            return;
        }
        let items = |producer: u32| {
            (0..each).map(move |sequence| Item { key: (sequence % KEYS) as u32, producer, sequence })
        };
        thread::scope(|scope| {
            for producer in 0..producers {
                let items: Vec<_> = items(producer).collect();
                let first = &first;
                scope.spawn(move || {
                    items.chunks(100).for_each(|chunk| first.send_batch_blocking(chunk).unwrap());
                });
            }
        });
        drain(&second);
        assert_eq!(balanced(&second).processed, u64::from(producers) * each);
        let expected = (0..producers)
            .flat_map(items)
            .map(|item| mix(item.sequence ^ (u64::from(item.producer) << 56)))
            .fold(0, u64::wrapping_add);
        let mut checksum = 0u64;
        for key in 0..KEYS as u32 {
            let report = Item { key, producer: crate::kernels::REPORT, sequence: 0 };
            let account = second.call_blocking(report).unwrap();
            assert_eq!((account.misordered, account.gaps), (0, 0), "key {key}: {account:?}");
            checksum = checksum.wrapping_add(account.checksum);
        }
        assert_eq!(checksum, expected);
    }
}

/// K-01: several kernels, and the host, send to one.
pub fn k01_many_send_to_one(bench: &Bench) {
    let last = echo::launch(bench.runtime(), linked("last").grid(2).capacity(64)).unwrap();
    let sources: Vec<_> =
        (0..3).map(|i| echo::launch(bench.runtime(), source(&format!("source-{i}"))).unwrap()).collect();
    if !sources.iter().all(|source| connect(source, &last)) {
        return;
    }
    let each = bench.size(10_000, 100_000);
    let received = thread::scope(|scope| {
        for (i, source) in (0..).zip(&sources) {
            scope.spawn(move || source.send_batch_blocking(&numbers(i * each..(i + 1) * each)).unwrap());
        }
        scope.spawn(|| last.send_batch_blocking(&numbers(3 * each..4 * each)).unwrap());
        (0..4 * each).map(|_| last.recv_blocking().unwrap()).collect()
    });
    assert_eq!(sorted(received), numbers(0..4 * each));
    drain(&last);
    assert_eq!(balanced(&last).sent, 4 * each);
}

/// K-01: a chain is as long as one likes, and drains as one.
pub fn k01_a_chain_of_many(bench: &Bench) {
    let launch = |i: usize| next::launch(bench.runtime(), source(&format!("{i}")).capacity(16)).unwrap();
    let chain: Vec<_> = (0..6).map(launch).collect();
    if !chain.windows(2).all(|pair| connect(&pair[0], &pair[1])) {
        return;
    }
    chain[5].activate_blocking().unwrap();
    for round in 0..bench.size(20, 200) {
        let sent = numbers(round * 10..round * 10 + 10);
        chain[0].send_batch_blocking(&sent).unwrap();
        drain(&chain[5]);
        assert_eq!(received(&chain[5]), numbers(round * 10 + 6..round * 10 + 16));
    }
}

/// K-01: two kernels that send to each other go round without the host, and are drained when the last ball lies.
pub fn k01_ping_pong(bench: &Bench) {
    let hits = bench.size(500, 20_000);
    let balls = 8;
    for grid in [1, 2] {
        let launch = |name: &str| {
            let options = source(&format!("{name}-{grid}")).actors(balls).grid(grid).capacity(64);
            hit::launch(bench.runtime(), options).unwrap()
        };
        let (one, two) = (launch("one"), launch("two"));
        if !connect(&one, &two) {
            return;
        }
        assert!(connect(&two, &one));
        for round in 1..=2 {
            let balls: Vec<_> = (0..balls as u32).map(|number| Ball { number, left: hits as u32 }).collect();
            one.send_batch_blocking(&balls).unwrap();
            drain(if round == 1 { &one } else { &two });
            let (a, b) = (balanced(&one), balanced(&two));
            let all = hits * balls.len() as u64;
            assert_eq!((a.processed, b.processed), (round * all / 2, round * all / 2));
        }
        for kernel in [&one, &two] {
            kernel.deactivate_blocking().unwrap();
            let states = kernel.snapshot_blocking().unwrap().states::<Total>().unwrap();
            assert_eq!(states, vec![Total { sum: hits }; balls as usize]);
        }
    }
}

/// K-01: a kernel may be connected to itself.
pub fn k01_a_kernel_that_sends_to_itself(bench: &Bench) {
    let hits = bench.size(1_000, 50_000);
    let kernel = hit::launch(bench.runtime(), source("alone").actors(4).grid(2)).unwrap();
    if !connect(&kernel, &kernel) {
        return;
    }
    let balls: Vec<_> = (0..4).map(|number| Ball { number, left: hits as u32 }).collect();
    kernel.send_batch_blocking(&balls).unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced), (4 * hits, 4 * (hits - 1)));
    assert_eq!(kernel.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
}

/// K-01: a cycle in which every queue is full stands still, shows it, and can be terminated.
pub fn k01_a_full_cycle_can_be_terminated(bench: &Bench) {
    let launch = |name: &str| double::launch(bench.runtime(), source(name).capacity(16)).unwrap();
    let (one, two) = (launch("one"), launch("two"));
    if !connect(&one, &two) {
        return;
    }
    assert!(connect(&two, &one));
    let _ = one.try_send(number(1)).unwrap();
    eventually(|| one.status().stalled_shards == 1 && two.status().stalled_shards == 1);
    assert!(one.status().to_string().contains("1 of 1 shards stalled"), "{}", one.status());
    one.terminate_blocking();
    two.terminate_blocking();
    for kernel in [&one, &two] {
        let status = balanced(kernel);
        assert_eq!((status.pending, status.stalled_shards), (0, 0), "{status:?}");
    }
}

/// K-01, Block: a source whose target is full waits, shows it, and goes on.
pub fn k01_a_full_target_stalls_its_source(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(128)).unwrap();
    let second = echo::launch(bench.runtime(), source("second").capacity(16)).unwrap();
    if !connect(&first, &second) {
        return;
    }
    first.send_batch_blocking(&numbers(0..100)).unwrap();
    eventually(|| first.status().stalled_shards == 1);
    assert!(first.status().processed < 100);
    second.activate_blocking().unwrap();
    let received: Vec<_> = (0..100).map(|_| second.recv_blocking().unwrap()).collect();
    assert_eq!(received, numbers(0..100));
    drain(&second);
    assert_eq!((balanced(&first).stalled_shards, balanced(&first).processed), (0, 100));
    assert_eq!(balanced(&second).processed, 100);
}

/// K-01, Reject: what finds no room is lost, and counted.
pub fn k01_reject_counts_what_is_lost(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(128)).unwrap();
    let second = echo::launch(bench.runtime(), source("second").capacity(16)).unwrap();
    if !connect_with(&first, &second, Backpressure::Reject) {
        return;
    }
    first.send_batch_blocking(&numbers(0..100)).unwrap();
    drain(&first);
    let status = balanced(&first);
    assert_eq!((status.processed, status.produced, status.outputs_lost), (100, 100, 84), "{status:?}");
    assert!(status.to_string().contains("84 outputs for a connected kernel lost"), "{status}");
    second.activate_blocking().unwrap();
    drain(&second);
    assert_eq!(received(&second), numbers(0..16));
    assert_eq!(balanced(&second).sent, 16);
}

/// K-01: messages wait for a kernel that is inactive.
pub fn k01_messages_wait_for_an_inactive_target(bench: &Bench) {
    let first = next::launch(bench.runtime(), source("first")).unwrap();
    let second = next::launch(bench.runtime(), linked("second")).unwrap();
    if !connect(&first, &second) {
        return;
    }
    second.deactivate_blocking().unwrap();
    first.send_batch_blocking(&numbers(0..10)).unwrap();
    drain(&first);
    assert_eq!((first.status().processed, second.status().processed), (10, 0));
    second.activate_blocking().unwrap();
    drain(&second);
    assert_eq!(received(&second), numbers(2..12));
    assert_eq!(balanced(&second).processed, 10);
}

/// K-01: what is sent to a kernel that has terminated, or was dropped, is lost, and counted.
pub fn k01_outputs_for_a_terminated_target_are_counted(bench: &Bench) {
    for dropped in [false, true] {
        let first = echo::launch(bench.runtime(), source(&format!("first-{dropped}"))).unwrap();
        let second = echo::launch(bench.runtime(), linked(&format!("second-{dropped}"))).unwrap();
        if !connect(&first, &second) {
            return;
        }
        first.send_batch_blocking(&numbers(0..5)).unwrap();
        drain(&second);
        assert_eq!(received(&second), numbers(0..5));
        second.terminate_blocking();
        let mut kept = Some(second);
        if dropped {
            kept = None;
        }
        first.send_batch_blocking(&numbers(5..15)).unwrap();
        drain(&first);
        let status = balanced(&first);
        assert_eq!((status.processed, status.produced, status.outputs_lost), (15, 15, 10), "{status:?}");
        if let Some(second) = kept {
            assert_eq!(balanced(&second).sent, 5);
            assert_eq!(second.recv_blocking(), Err(RecvError::Closed));
        }
        first.deactivate_blocking().unwrap();
        first.disconnect().unwrap();
        first.activate_blocking().unwrap();
        let _ = first.send_blocking(number(15)).unwrap();
        assert_eq!(first.recv_blocking(), Ok(number(15)));
    }
}

/// K-01: a source that waits for room in a kernel goes on when that kernel ends; what had arrived counts as undelivered there.
pub fn k01_the_end_of_a_full_target_frees_its_source(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(128)).unwrap();
    let second = echo::launch(bench.runtime(), source("second").capacity(16)).unwrap();
    if !connect(&first, &second) {
        return;
    }
    first.send_batch_blocking(&numbers(0..100)).unwrap();
    eventually(|| first.status().stalled_shards == 1);
    second.terminate_blocking();
    drain(&first);
    let (first, second) = (balanced(&first), balanced(&second));
    assert_eq!((first.processed, first.produced, first.stalled_shards), (100, 100, 0), "{first:?}");
    assert_eq!((second.processed, second.drops.undelivered), (0, 16), "{second:?}");
    assert_eq!(first.outputs_lost, 84, "{first:?}");
}

/// K-01: a source that is terminated while it waits has sent what arrived, and lost what is counted.
pub fn k01_a_stalled_source_is_terminated(bench: &Bench) {
    for disconnected in [false, true] {
        let name = |kernel: &str| format!("{kernel}-{disconnected}");
        let first = triple::launch(bench.runtime(), source(&name("first")).capacity(128)).unwrap();
        let second = echo::launch(bench.runtime(), source(&name("second")).capacity(16)).unwrap();
        if !connect(&first, &second) {
            return;
        }
        first.send_batch_blocking(&numbers(0..100)).unwrap();
        eventually(|| first.status().stalled_shards == 1);
        if disconnected {
            first.deactivate_blocking().unwrap();
            first.disconnect().unwrap();
        }
        first.terminate_blocking();
        let status = balanced(&first);
        assert_eq!((status.pending, status.stalled_shards), (0, 0));
        assert_eq!(status.produced, 3 * status.processed);
        assert_eq!(first.take_undelivered(), numbers(status.processed..100));
        second.activate_blocking().unwrap();
        drain(&second);
        let arrived = [received(&second), received(&first)].concat();
        assert_eq!(arrived.len() as u64, status.produced - status.outputs_lost, "{status:?}");
        assert_eq!(arrived, numbers(0..arrived.len() as u64));
    }
}

/// K-01: whichever of two kernels ends while messages are on their way, each that was sent has arrived or was lost, by exact count.
pub fn k01_ends_race_with_outputs(bench: &Bench) {
    for round in 0..bench.size(60, 600) {
        let first = echo::launch(bench.runtime(), source(&format!("first-{round}")).capacity(64)).unwrap();
        let options = linked(&format!("second-{round}")).capacity(16).grid(2);
        let second = swallow::launch(bench.runtime(), options).unwrap();
        if !connect(&first, &second) {
            return;
        }
        thread::scope(|scope| {
            // It ends early if the kernel does.
            scope.spawn(|| first.send_batch_blocking(&numbers(0..2000)));
            eventually(|| second.status().processed >= 10 * (round / 2 % 10));
            if round % 2 == 0 {
                second.terminate_blocking();
            } else {
                first.terminate_blocking();
            }
        });
        drain(&first);
        drain(&second);
        let (first, second) = (balanced(&first), balanced(&second));
        assert_eq!(first.produced, second.sent + first.outputs_lost, "{first:?} {second:?}");
        assert_eq!((first.stalled_shards, second.pending), (0, 0));
    }
}

/// K-01: outputs of a call are its reply, and go to the host, whatever the kernel is connected to.
pub fn k01_replies_go_to_their_callers(bench: &Bench) {
    let first = fan::launch(bench.runtime(), source("first")).unwrap();
    let second = echo::launch(bench.runtime(), linked("second")).unwrap();
    if !connect(&first, &second) {
        return;
    }
    let _ = first.send_blocking(number(1)).unwrap();
    assert_eq!(first.call_blocking(number(3)).unwrap(), number(200));
    assert_eq!(first.recv_blocking(), Ok(number(201)));
    assert_eq!(first.recv_blocking(), Ok(number(202)));
    let _ = first.send_blocking(number(2)).unwrap();
    drain(&second);
    assert_eq!(received(&second), [100, 300, 301].map(number));
    assert_eq!(first.try_recv(), Err(TryRecvError::Empty));
    // Calls to the kernel that takes are its own affair.
    assert_eq!(second.call_blocking(number(9)).unwrap(), number(9));
    thread::scope(|scope| {
        scope.spawn(|| (0..500).for_each(|_| assert!(first.call_blocking(number(1)).is_ok())));
        first.send_batch_blocking(&vec![number(1); 500]).unwrap();
    });
    drain(&second);
    assert_eq!(received(&second).len(), 500);
    assert_eq!(balanced(&second).sent, 3 + 1 + 500);
}

/// K-01: a handler that fails has sent nothing.
pub fn k01_failing_handlers_send_nothing(bench: &Bench) {
    let first = fragile::launch(bench.runtime(), source("first")).unwrap();
    let second = echo::launch(bench.runtime(), linked("second")).unwrap();
    if !connect(&first, &second) {
        return;
    }
    first.send_batch_blocking(&[1, FAIL, 2, FAIL, FAIL, 3].map(number)).unwrap();
    drain(&second);
    assert_eq!(received(&second), [1, 3, 6].map(number));
    let status = balanced(&first);
    assert_eq!((status.processed, status.drops.failed, status.produced), (3, 3, 3));
}

/// K-01: closing a kernel keeps the host out, and no kernel.
pub fn k01_a_closed_target_takes_from_kernels(bench: &Bench) {
    for backpressure in [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest] {
        let name = |side: &str| format!("{side}-{backpressure:?}");
        let first = next::launch(bench.runtime(), source(&name("first"))).unwrap();
        let options = linked(&name("second")).backpressure(backpressure);
        let second = next::launch(bench.runtime(), options).unwrap();
        if !connect(&first, &second) {
            return;
        }
        let _ = second.send_blocking(number(50)).unwrap();
        second.close();
        assert_eq!(second.try_send(number(1)), Err(TrySendError::Closed(number(1))));
        assert!(second.send_batch_blocking(&numbers(0..3)).is_err());
        first.send_batch_blocking(&numbers(0..10)).unwrap();
        drain(&second);
        assert_eq!(sorted(received(&second)), [numbers(2..12), vec![number(51)]].concat());
        assert_eq!(balanced(&second).sent, 11);
        assert_eq!(second.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
    }
}

/// K-01: a kernel that is disconnected sends to the host again.
pub fn k01_disconnected_outputs_go_to_the_host(bench: &Bench) {
    let first = next::launch(bench.runtime(), source("first")).unwrap();
    let second = next::launch(bench.runtime(), linked("second")).unwrap();
    if !connect(&first, &second) {
        return;
    }
    for round in 0..3 {
        first.send_batch_blocking(&numbers(0..10)).unwrap();
        drain(&second);
        assert_eq!(received(&second), numbers(2..12));
        first.deactivate_blocking().unwrap();
        first.disconnect().unwrap();
        first.disconnect().unwrap(); // harmless
        first.activate_blocking().unwrap();
        first.send_batch_blocking(&numbers(10..20)).unwrap();
        drain(&first);
        assert_eq!(received(&first), numbers(11..21));
        first.deactivate_blocking().unwrap();
        assert!(connect(&first, &second));
        assert_eq!((balanced(&first).sent, balanced(&second).sent), (20 * (round + 1), 10 * (round + 1)));
    }
}

/// K-01: outputs that wait for room, some of a handler's while others have gone, go wherever the kernel is connected to when it is activated again.
pub fn k01_held_outputs_follow_the_link(bench: &Bench) {
    for to_host in [true, false] {
        let name = |kernel: &str| format!("{kernel}-{to_host}");
        let first = triple::launch(bench.runtime(), source(&name("first")).capacity(32)).unwrap();
        let full = echo::launch(bench.runtime(), source(&name("full")).capacity(16)).unwrap();
        let other = echo::launch(bench.runtime(), linked(&name("other")).capacity(128)).unwrap();
        if !connect(&first, &full) {
            return;
        }
        first.send_batch_blocking(&numbers(0..20)).unwrap();
        eventually(|| first.status().stalled_shards == 1);
        first.deactivate_blocking().unwrap();
        let rest: Vec<_> = if to_host {
            first.disconnect().unwrap();
            first.activate_blocking().unwrap();
            (16..60).map(|_| first.recv_blocking().unwrap()).collect()
        } else {
            assert!(connect(&first, &other));
            drain(&other);
            received(&other)
        };
        full.activate_blocking().unwrap();
        drain(&full);
        assert_eq!([received(&full), rest].concat(), numbers(0..60));
        let status = balanced(&first);
        assert_eq!((status.processed, status.produced, status.outputs_lost), (20, 60, 0), "{status:?}");
    }
}

/// K-01: links that change while messages come lose none.
pub fn k01_links_change_under_load(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(64)).unwrap();
    let launch = |name: &str| echo::launch(bench.runtime(), linked(name).capacity(32)).unwrap();
    let targets = [launch("left"), launch("right")];
    if !connect(&first, &targets[0]) {
        return;
    }
    let count = bench.size(20_000, 200_000);
    let mut all = thread::scope(|scope| {
        let sender = scope.spawn(|| first.send_batch_blocking(&numbers(0..count)).unwrap());
        let receivers: Vec<_> = targets
            .iter()
            .map(|target| {
                scope.spawn(|| {
                    let mut received = Vec::new();
                    while let Ok(number) = target.recv_blocking() {
                        received.push(number);
                    }
                    received
                })
            })
            .collect();
        let mut turn = 0;
        while !sender.is_finished() {
            first.deactivate_blocking().unwrap();
            turn += 1;
            assert!(connect(&first, &targets[turn % 2]));
            thread::sleep(Duration::from_micros(300));
        }
        targets.iter().for_each(|target| drain(target));
        assert_eq!(balanced(&first).processed, count);
        targets.iter().for_each(|target| {
            balanced(target);
            target.terminate_blocking();
        });
        receivers.into_iter().flat_map(|receiver| receiver.join().unwrap()).collect::<Vec<_>>()
    });
    // Of one target in order; of both together each once.
    all.sort_unstable();
    assert_eq!(all, numbers(0..count));
}

/// K-01: a link keeps no kernel running, nor a runtime; kernels that are connected end in any order.
pub fn k01_a_link_keeps_no_kernel(bench: &Bench) {
    for order in 0..3 {
        let launch = |name: &str| echo::launch(bench.runtime(), source(&format!("{name}-{order}"))).unwrap();
        let (one, two) = (launch("one"), launch("two"));
        if !connect(&one, &two) {
            return;
        }
        assert!(connect(&two, &one));
        match order {
            0 => drop((one, two)),
            1 => drop((two, one)),
            _ => {
                one.terminate_blocking();
                drop((one, two));
            }
        }
        eventually(|| bench.runtime().kernels().is_empty());
    }
}

/// K-01: what cannot be connected is refused, saying which condition does not hold.
pub fn k01_what_cannot_be_connected(bench: &Bench) {
    let launch = |name: &str, linked, active| {
        let options = LaunchOptions::default().name(name).linked(linked).active(active);
        echo::launch(bench.runtime(), options).unwrap()
    };
    let (first, second) = (launch("first", true, false), launch("second", true, true));
    let named = |kernel: &KernelControl| kernel.name().to_owned();

    let plain = launch("plain", false, false);
    let not_linked = || Err(ConnectError::NotLinked { kernel: named(&plain) });
    assert_eq!(first.connect(&plain), not_linked());
    assert_eq!(plain.connect(&first), not_linked());
    assert_eq!(plain.disconnect(), not_linked());

    let active = Err(ConnectError::Active { kernel: named(&second) });
    assert_eq!(second.connect(&first), active);
    assert_eq!(second.disconnect(), active);

    for backpressure in [Backpressure::DropOldest, Backpressure::DropNew] {
        let refused = Err(ConnectError::Backpressure { backpressure });
        assert_eq!(first.connect_with(&second, backpressure), refused);
    }

    let elsewhere = bench.another_runtime();
    let foreign = echo::launch(&elsewhere, source("foreign")).unwrap();
    let (source, target) = (named(&first), named(&foreign));
    assert_eq!(first.connect(&foreign), Err(ConnectError::OtherRuntime { source, target }));

    let ended = launch("ended", true, false);
    ended.terminate_blocking();
    let terminated = || Err(ConnectError::Terminated { kernel: named(&ended) });
    assert_eq!(first.connect(&ended), terminated());
    assert_eq!(ended.connect(&first), terminated());
    assert_eq!(ended.disconnect(), terminated());

    for error in [not_linked(), active, terminated()] {
        let said = error.unwrap_err().to_string();
        assert!(said.contains("launch") || said.contains("deactivate"), "{said} names no remedy");
    }
}

/// K-01: a kernel keeps its link while its state is read and set.
pub fn k01_a_connected_kernel_is_restored(bench: &Bench) {
    let first = total::launch(bench.runtime(), source("first")).unwrap();
    let second = echo::launch(bench.runtime(), linked("second")).unwrap();
    if !connect(&first, &second) {
        return;
    }
    first.send_batch_blocking(&numbers(1..4)).unwrap();
    drain(&second);
    assert_eq!(received(&second), [1, 3, 6].map(number));
    first.deactivate_blocking().unwrap();
    let mut snapshot = first.snapshot_blocking().unwrap();
    assert_eq!(snapshot.states::<Total>().unwrap(), [Total { sum: 6 }]);
    snapshot.set_states(&[Total { sum: 1000 }]).unwrap();
    first.restore_blocking(&snapshot).unwrap();
    first.activate_blocking().unwrap();
    first.send_batch_blocking(&numbers(1..4)).unwrap();
    drain(&second);
    assert_eq!(received(&second), [1001, 1003, 1006].map(number));
}

/// K-01, T-04: telemetry counts what kernels send like what the host sends.
pub fn k01_telemetry_counts_kernels_messages(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first")).unwrap();
    let second = echo::launch(bench.runtime(), linked("second").track_latency(true)).unwrap();
    if !connect(&first, &second) {
        return;
    }
    let (sends, takes) = (first.enable_telemetry().unwrap(), second.enable_telemetry().unwrap());
    second.deactivate_blocking().unwrap();
    first.send_batch_blocking(&numbers(0..10)).unwrap();
    eventually(|| takes.poll().queue_depth == 10);
    assert_eq!(takes.poll().messages_processed, 0);
    second.activate_blocking().unwrap();
    drain(&second);
    for telemetry in [sends.poll(), takes.poll()] {
        assert_eq!((telemetry.messages_processed, telemetry.queue_depth), (10, 0), "{telemetry:?}");
    }
    assert_eq!(second.latencies().unwrap().count(), 10);
    assert_eq!(received(&second), numbers(0..10));
}

/// P-04: validate, transform, aggregate by windows; what is not valid is a dead letter.
pub fn p04_validate_transform_aggregate(bench: &Bench) {
    let count = bench.size(100_000, 1_000_000);
    let runtime = bench.runtime();
    let validate = validate::launch(runtime, source("validate").grid(2).dead_letters(100)).unwrap();
    let transform = transform::launch(runtime, source("transform").grid(2)).unwrap();
    let aggregate =
        aggregate::launch(runtime, source("aggregate").grid(3).actors(PLACES).output_capacity(1 << 14))
            .unwrap();
    if !connect(&validate, &transform) {
        return;
    }
    assert!(connect(&transform, &aggregate));
    aggregate.activate_blocking().unwrap();
    let mut sums = Vec::new();
    for chunk in numbers(0..count).chunks(1000) {
        validate.send_batch_blocking(chunk).unwrap();
        let _ = aggregate.try_recv_batch(&mut sums, usize::MAX);
    }
    drain(&aggregate);
    sums.extend(received(&aggregate));

    let valid = || (0..count).filter(|value| value % 7 != 3);
    let invalid = count - valid().count() as u64;
    let status = balanced(&validate);
    assert_eq!((status.processed, status.drops.failed), (count - invalid, invalid));
    let letters = validate.dead_letters().unwrap().drain_batch();
    assert!(!letters.is_empty() && letters.iter().all(|letter| letter.message.value % 7 == 3));
    assert!(status.last_error == ODD_ONE);
    assert_eq!(
        (balanced(&transform).processed, balanced(&aggregate).processed),
        (count - invalid, count - invalid)
    );

    aggregate.deactivate_blocking().unwrap();
    let windows = aggregate.snapshot_blocking().unwrap().states::<Window>().unwrap();
    let mut full = 0;
    for (place, window) in (0..).zip(&windows) {
        let items = valid().filter(|value| value % PLACES == place).count() as u64;
        assert_eq!(window.count, items % WINDOW, "place {place}");
        full += items / WINDOW;
    }
    assert_eq!(sums.len() as u64, full);
    let total: u64 =
        sums.iter().map(|sum| sum.value).sum::<u64>() + windows.iter().map(|window| window.sum).sum::<u64>();
    assert_eq!(total, valid().map(|value| 3 * value).sum::<u64>());
}

/// P-04: when the last kernel of a pipeline is drained, all are, whatever is on its way between them.
pub fn p04_a_drained_pipeline_is_empty(bench: &Bench) {
    let launch = |name: &str| echo::launch(bench.runtime(), source(name).capacity(32).grid(2)).unwrap();
    let (first, second) = (launch("first"), launch("second"));
    let last = swallow::launch(bench.runtime(), linked("last").capacity(64)).unwrap();
    if !connect(&first, &second) {
        return;
    }
    assert!(connect(&second, &last));
    let mut sent = 0;
    for round in 0..bench.size(300, 5_000) {
        let more = 1 + mix(round) % 40;
        first.send_batch_blocking(&numbers(0..more)).unwrap();
        sent += more;
        drain(&last);
        for kernel in [&*first, &*second, &*last] {
            let status = balanced(kernel);
            assert_eq!((status.processed, status.pending), (sent, 0), "{status:?}");
        }
    }
}

/// P-04: a runtime shuts a pipeline down from its beginning, and loses nothing, in whatever order it was launched.
pub fn p04_a_runtime_shuts_a_pipeline_down(bench: &Bench) {
    let count = bench.size(2_000, 20_000);
    for names in [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]] {
        let launch = |name: &str| echo::launch(bench.runtime(), source(name).capacity(1 << 15)).unwrap();
        // Launched from its end.
        let last = swallow::launch(bench.runtime(), linked(names[2]).capacity(16)).unwrap();
        let (second, first) = (launch(names[1]), launch(names[0]));
        if !connect(&first, &second) {
            return;
        }
        assert!(connect(&second, &last));
        first.send_batch_blocking(&numbers(0..count)).unwrap();
        let outcomes = bench.runtime().shutdown_blocking(LONG);
        assert_eq!(outcomes, names.map(|name| (name.to_owned(), ShutdownOutcome::Drained)));
        for kernel in [&*first, &*second, &*last] {
            let status = balanced(kernel);
            assert_eq!(
                (status.processed, status.drops.total(), status.outputs_lost),
                (count, 0, 0),
                "{status:?}"
            );
        }
    }
}
