//! Of several outboxes some are connected, each to a kernel; what is sent by the others goes to the host. P-04.

use std::{pin::pin, thread};

use annulus_runtime::{
    Backpressure, ConnectError, KernelHandle, LaunchOptions, ShutdownOutcome, TryRecvError, block_on,
};

use super::{
    links::{LONG, linked, received, source},
    ports::{by_key, items, launch, model},
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    cases::messages::poll_once,
    kernels::{
        Item, Number, Total, Tracked, batch_echo, echo,
        links::pass,
        mix, numbers,
        ports::{sort_out, sum_and_odd},
        track,
    },
};

fn connected<T: annulus_kernel::RingKernel<Message = Item>>(
    bench: &Bench,
    options: LaunchOptions,
    target: &KernelHandle<T>,
) -> KernelHandle<sort_out> {
    let kernel = launch(bench, options.connectable(true).active(false));
    kernel.port(sort_out::KEPT).connect(target).unwrap_or_else(|error| panic!("{error}"));
    kernel.activate_blocking().unwrap();
    kernel
}

/// P-04: what is sent by the connected outbox becomes messages of the other kernel, all of it, in the order of
/// each key; everything else comes to the host. Failing handlers send nothing by either.
pub fn p04_one_port_to_a_kernel_and_the_others_to_the_host(bench: &Bench) {
    for (grid, capacity) in [(1, 16), (3, 64)] {
        let count = bench.size(3_000, 100_000);
        let target =
            linked(&format!("track-{grid}")).grid(2).actors(8).capacity(capacity).output_capacity(1 << 8);
        let target = track::launch(bench.runtime(), target).unwrap();
        let options = LaunchOptions::default().name(format!("sort-{grid}")).grid(grid).capacity(256);
        let kernel = connected(bench, options.output_capacity(64), &target);
        let sent = items(count, |i| mix(i) % 4);
        let (mut numbers, marks, tracked) = thread::scope(|scope| {
            let (kernel, target) = (&kernel, &target);
            let numbers = scope.spawn(|| {
                std::iter::from_fn(|| kernel.port(sort_out::NUMBERS).recv_blocking().ok()).collect()
            });
            let marks = scope
                .spawn(|| std::iter::from_fn(|| kernel.port(sort_out::MARKS).recv_blocking().ok()).count());
            let tracked =
                scope.spawn(|| std::iter::from_fn(|| target.recv_blocking().ok()).collect::<Vec<_>>());
            kernel.send_batch_blocking(&sent).unwrap();
            let outcomes = bench.runtime().shutdown_blocking(LONG);
            assert!(outcomes.iter().all(|(_, outcome)| *outcome == ShutdownOutcome::Drained), "{outcomes:?}");
            let numbers: Vec<Number> = numbers.join().unwrap();
            (numbers, marks.join().unwrap(), tracked.join().unwrap())
        });
        numbers.sort_unstable();
        let expected = model(&sent);
        assert_eq!((numbers, marks), (expected.numbers, expected.marks));
        let kept =
            tracked.iter().map(|&Tracked { key, producer, sequence, .. }| Item { key, producer, sequence });
        assert_eq!(by_key(kept.collect()), expected.kept, "grid {grid}");
        let (status, next) = (balanced(&kernel), balanced(&target));
        let all = status.ports.iter().map(|port| port.received).sum::<u64>();
        assert_eq!(status.produced, all + next.processed, "copies = received + handled: {status:?}");
        assert_eq!((status.outputs_lost, status.ports[1].received), (0, 0), "{status:?}");
        let states = kernel.snapshot_blocking().unwrap().states::<Total>().unwrap();
        let handled = (0..).zip(states).map(|(key, total)| (key, total.sum)).filter(|(_, sum)| *sum != 0);
        assert!(handled.eq(expected.handled));
    }
}

/// P-04: outputs of the connected outbox that find no room wait, and stall their block; what the same messages
/// sent by the others has come to the host. Nothing is lost, and all goes on when there is room.
pub fn p04_a_full_target_stalls_and_loses_nothing(bench: &Bench) {
    let target = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(64)).unwrap();
    let kernel = connected(bench, LaunchOptions::default().capacity(256), &target);
    let sent = items(60, |_| 2);
    kernel.send_batch_blocking(&sent).unwrap();
    eventually(|| kernel.status().stall.is_some_and(|stall| stall.for_kernel == 1));
    // Each message has sent by each outbox: the one that is held, too.
    let numbers = kernel.port(sort_out::NUMBERS);
    let mut values: Vec<_> = (0..17).map(|_| numbers.recv_blocking().unwrap()).collect();
    let mut drained = pin!(target.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    target.activate_blocking().unwrap();
    block_on(drained);
    values.extend(std::iter::from_fn(|| numbers.try_recv().ok()));
    values.sort_unstable();
    let expected = model(&sent);
    assert_eq!(values, expected.numbers);
    assert_eq!(by_key(received(&target)), expected.kept);
    assert_eq!(kernel.port(sort_out::MARKS).status().waiting, 60);
}

/// P-04: under Reject what finds no room is lost and counted, of the connected outbox alone.
pub fn p04_a_port_under_reject_loses_for_itself_alone(bench: &Bench) {
    let target = pass::launch(bench.runtime(), source("full").capacity(16)).unwrap();
    let kernel = launch(bench, source("sort").capacity(256));
    kernel.port(sort_out::KEPT).connect_with(&target, Backpressure::Reject).unwrap();
    kernel.activate_blocking().unwrap();
    kernel.send_batch_blocking(&items(60, |_| 2)).unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced, status.outputs_lost), (60, 180, 44), "{status:?}");
    let waiting: Vec<_> = kernel.status().ports.iter().map(|port| port.waiting).collect();
    assert_eq!(waiting, [60, 0, 60]);
    target.activate_blocking().unwrap();
    drain(&target);
    assert_eq!(received(&target).len(), 16);
}

/// P-04: held outputs go to the host when their outbox is disconnected, even if another one is connected then;
/// an output for a kernel that has ended is counted.
pub fn p04_held_outputs_follow_their_port(bench: &Bench) {
    let target = pass::launch(bench.runtime(), source("full").capacity(16)).unwrap();
    let next = echo::launch(bench.runtime(), linked("next").capacity(256)).unwrap();
    let kernel = connected(bench, LaunchOptions::default().capacity(256), &target);
    kernel.send_batch_blocking(&items(40, |_| 2)).unwrap();
    eventually(|| kernel.status().stall.is_some_and(|stall| stall.for_kernel == 1));
    kernel.deactivate_blocking().unwrap();
    let (kept, numbers) = (kernel.port(sort_out::KEPT), kernel.port(sort_out::NUMBERS));
    assert_eq!(kept.status().connected_to.as_deref(), Some("full"));
    numbers.disconnect().unwrap();
    kept.disconnect().unwrap();
    numbers.connect(&next).unwrap();
    kernel.activate_blocking().unwrap();
    drain(&next);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced, status.outputs_lost), (40, 120, 0), "{status:?}");
    // What was sent while the first was connected lies there, or came to the host.
    target.activate_blocking().unwrap();
    drain(&target);
    let there = received(&target).len();
    let here = std::iter::from_fn(|| kept.try_recv().ok()).count();
    assert_eq!((there, here), (16, 24));
    let echoed = received(&next).len();
    assert_eq!(std::iter::from_fn(|| numbers.try_recv().ok()).count() + echoed, 40);
    kernel.send_batch_blocking(&items(7, |_| 2)).unwrap();
    drain(&next);
    assert_eq!((received(&next).len(), std::iter::from_fn(|| kept.try_recv().ok()).count()), (7, 7));

    next.terminate_blocking();
    kernel.send_batch_blocking(&items(5, |_| 2)).unwrap();
    eventually(|| kernel.status().processed == 52);
    drain(&kernel);
    assert_eq!(balanced(&kernel).outputs_lost, 5);
    assert_eq!(std::iter::from_fn(|| kept.try_recv().ok()).count(), 5);
}

/// P-04: two outboxes lead to two kernels, and the third to the host: each gets all that was sent by its outbox, in
/// the order of each key, and nothing else; and each outbox has counted it.
pub fn p04_two_ports_to_two_kernels(bench: &Bench) {
    two_ports(bench, [(1, 16, 0), (3, 64, 0)]);
}

/// The same for sources of such a grid, whose targets have such a capacity, and which have such a hold, if it is not 0.
pub(super) fn two_ports(bench: &Bench, launches: [(u32, u32, u32); 2]) {
    for (grid, capacity, hold) in launches {
        let count = bench.size(3_000, 100_000);
        let small = |name: &str| linked(&format!("{name}-{grid}")).capacity(capacity).output_capacity(1 << 8);
        let kept = track::launch(bench.runtime(), small("track").grid(2).actors(8)).unwrap();
        let doubled = batch_echo::launch(bench.runtime(), small("echo").grid(2)).unwrap();
        let options = source(&format!("sort-{grid}")).grid(grid).hold(hold).capacity(256).output_capacity(64);
        let kernel = launch(bench, options);
        kernel.port(sort_out::KEPT).connect(&kept).unwrap();
        kernel.port(sort_out::NUMBERS).connect(&doubled).unwrap();
        kernel.activate_blocking().unwrap();
        let sent = items(count, |i| mix(i) % 4);
        let (mut numbers, marks, tracked) = thread::scope(|scope| {
            let (kernel, kept, doubled) = (&kernel, &kept, &doubled);
            let numbers =
                scope.spawn(|| std::iter::from_fn(|| doubled.recv_blocking().ok()).collect::<Vec<Number>>());
            let marks = scope
                .spawn(|| std::iter::from_fn(|| kernel.port(sort_out::MARKS).recv_blocking().ok()).count());
            let tracked =
                scope.spawn(|| std::iter::from_fn(|| kept.recv_blocking().ok()).collect::<Vec<_>>());
            kernel.send_batch_blocking(&sent).unwrap();
            let outcomes = bench.runtime().shutdown_blocking(LONG);
            assert!(outcomes.iter().all(|(_, outcome)| *outcome == ShutdownOutcome::Drained), "{outcomes:?}");
            (numbers.join().unwrap(), marks.join().unwrap(), tracked.join().unwrap())
        });
        numbers.sort_unstable();
        let expected = model(&sent);
        assert_eq!((numbers.len(), marks), (expected.numbers.len(), expected.marks));
        assert_eq!(numbers, expected.numbers);
        let items =
            tracked.iter().map(|&Tracked { key, producer, sequence, .. }| Item { key, producer, sequence });
        assert_eq!(by_key(items.collect()), expected.kept, "grid {grid}");
        let status = balanced(&kernel);
        let counts: Vec<_> = status.ports.iter().map(|port| (port.sent, port.held, port.lost)).collect();
        let kept = expected.kept.values().map(Vec::len).sum::<usize>() as u64;
        assert_eq!(counts, [(expected.numbers.len() as u64, 0, 0), (kept, 0, 0), (0, 0, 0)], "{status:?}");
        assert_eq!(status.produced, kept + (expected.numbers.len() + marks) as u64);
        assert_eq!((status.outputs_lost, status.ports[2].received), (0, marks as u64));
    }
}

/// P-04: while the target of one outbox is full, what was sent by another one goes on, and the stall names the
/// full one alone; nothing is lost.
pub fn p04_a_full_target_holds_back_its_own_port(bench: &Bench) {
    let full = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(64)).unwrap();
    let free = batch_echo::launch(bench.runtime(), linked("free").capacity(256)).unwrap();
    let kernel = connected(bench, LaunchOptions::default().capacity(256), &full);
    kernel.deactivate_blocking().unwrap();
    kernel.port(sort_out::NUMBERS).connect(&free).unwrap();
    kernel.activate_blocking().unwrap();
    let sent = items(60, |_| 2);
    kernel.send_batch_blocking(&sent).unwrap();
    eventually(|| kernel.status().stall.is_some_and(|stall| stall.for_kernel == 1));
    // Of the messages that were taken, each has sent a number, which has gone, and an item, of which 16 have.
    eventually(|| free.status().processed >= 17);
    let status = kernel.status();
    assert_eq!(status.stall.as_ref().map(|stall| &stall.waits_for[..]), Some(&["full".to_owned()][..]));
    let [numbers, kept, _] = &status.ports[..] else { panic!("it has three outboxes") };
    assert_eq!((kept.sent, numbers.held, kept.lost + numbers.lost), (16, 0, 0), "{status:?}");
    assert_eq!(kept.held, numbers.sent - 16, "{status:?}");
    assert!(kept.connected_to.as_deref() == Some("full") && numbers.connected_to.as_deref() == Some("free"));
    assert!(format!("{status}").contains("connected to full, 16 sent on"), "{status}");
    let why = bench.runtime().why().to_string();
    assert!(why.contains("waits for room in `full`") && !why.contains("`free`"), "{why}");
    let mut drained = pin!(full.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    full.activate_blocking().unwrap();
    block_on(drained);
    drain(&free);
    let expected = model(&sent);
    assert_eq!(by_key(received(&full)), expected.kept);
    let mut numbers = received(&free);
    numbers.sort_unstable();
    assert_eq!(numbers, expected.numbers);
    let status = balanced(&kernel);
    let counts: Vec<_> = status.ports.iter().map(|port| (port.sent, port.held, port.waiting)).collect();
    assert_eq!(counts, [(60, 0, 0), (60, 0, 0), (0, 0, 60)], "{status:?}");
}

/// P-04: of two outboxes whose targets are both full, one is disconnected: what it held goes to the host, while the
/// other goes on holding. Its target then ends, and takes what was held with it.
pub fn p04_ports_that_hold_part_one_by_one(bench: &Bench) {
    let one = pass::launch(bench.runtime(), source("one").capacity(16).output_capacity(64)).unwrap();
    let two = batch_echo::launch(bench.runtime(), source("two").capacity(16).output_capacity(64)).unwrap();
    let kernel = connected(bench, LaunchOptions::default().capacity(256), &one);
    kernel.deactivate_blocking().unwrap();
    let (kept, numbers) = (kernel.port(sort_out::KEPT), kernel.port(sort_out::NUMBERS));
    numbers.connect(&two).unwrap();
    kernel.activate_blocking().unwrap();
    kernel.send_batch_blocking(&items(40, |_| 2)).unwrap();
    eventually(|| kernel.status().ports[..2].iter().all(|port| port.sent == 16 && port.held != 0));
    kernel.deactivate_blocking().unwrap();
    let held = numbers.status().held;
    kept.disconnect().unwrap();
    assert_eq!((kept.status().connected_to, numbers.status().connected_to), (None, Some("two".into())));
    kernel.activate_blocking().unwrap();
    // Nothing else is taken meanwhile.
    let mut here: Vec<_> = (0..held).map(|_| kept.recv_blocking().unwrap()).collect();
    eventually(|| kernel.status().ports[1].held == 0);
    let status = kernel.status();
    assert_eq!(
        (status.ports[0].held, status.stall.map(|stall| stall.waits_for)),
        (held, Some(vec!["two".into()]))
    );
    assert_eq!((kept.try_recv(), kept.status().sent), (Err(TryRecvError::Empty), 16));

    two.terminate_blocking();
    // What was held is lost, and so is all that comes by this outbox; the others flow.
    here.extend((here.len()..24).map(|_| kept.recv_blocking().unwrap()));
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced, status.outputs_lost), (40, 120, 24), "{status:?}");
    let counts: Vec<_> = status.ports.iter().map(|port| (port.sent, port.held, port.lost)).collect();
    assert_eq!(counts, [(16, 0, 24), (16, 0, 0), (0, 0, 0)]);

    // An outbox is disconnected from a kernel that is gone like from any other.
    drop(two);
    kernel.deactivate_blocking().unwrap();
    numbers.disconnect().unwrap();
    kernel.activate_blocking().unwrap();
    kernel.send_batch_blocking(&items(3, |_| 2)).unwrap();
    drain(&kernel);
    assert_eq!(std::iter::from_fn(|| numbers.try_recv().ok()).count(), 3);

    one.activate_blocking().unwrap();
    drain(&one);
    let mut all = received(&one);
    all.extend(here);
    assert_eq!(by_key(all), model(&items(40, |_| 2)).kept);
}

/// P-04: a source that is terminated while it holds for two kernels counts what it held as lost, by each outbox;
/// what has gone is handled. A kernel that is drained by two links waits for both.
pub fn p04_a_source_of_two_ends(bench: &Bench) {
    let one = pass::launch(bench.runtime(), source("one").capacity(16)).unwrap();
    let two = batch_echo::launch(bench.runtime(), source("two").capacity(16)).unwrap();
    let kernel = launch(bench, source("sort").capacity(64));
    kernel.port(sort_out::KEPT).connect(&one).unwrap();
    kernel.port(sort_out::NUMBERS).connect_with(&two, Backpressure::Reject).unwrap();
    kernel.activate_blocking().unwrap();
    kernel.send_batch_blocking(&items(20, |_| 2)).unwrap();
    eventually(|| kernel.status().ports[1].held != 0);
    kernel.terminate_blocking();
    let status = balanced(&kernel);
    let [numbers, kept, _] = &status.ports[..] else { panic!("it has three outboxes") };
    assert_eq!((kept.sent, kept.held, kept.lost), (16, 0, status.processed - 16), "{status:?}");
    assert_eq!((numbers.sent, numbers.held, numbers.lost), (16, 0, status.processed - 16), "{status:?}");
    assert_eq!(status.outputs_lost, kept.lost + numbers.lost);
    one.activate_blocking().unwrap();
    two.activate_blocking().unwrap();
    drain(&one);
    drain(&two);
    assert_eq!((balanced(&one).processed, balanced(&two).processed), (16, 16));
}

/// P-04: two outboxes of one kernel may lead to one kernel, which counts what each has fed it; either may be
/// disconnected.
pub fn p04_two_ports_to_one_kernel(bench: &Bench) {
    let target = batch_echo::launch(bench.runtime(), linked("target").capacity(64)).unwrap();
    let kernel = sum_and_odd::launch(bench.runtime(), source("sums").block(4).capacity(64)).unwrap();
    let (sums, odd) = (kernel.port(sum_and_odd::SUMS), kernel.port(sum_and_odd::ODD));
    sums.connect(&target).unwrap();
    odd.connect(&target).unwrap();
    kernel.activate_blocking().unwrap();
    let expect = |mut expected: Vec<u64>| {
        drain(&target);
        let mut values: Vec<_> = received(&target).iter().map(|number: &Number| number.value).collect();
        values.sort_unstable();
        expected.sort_unstable();
        assert_eq!(values, expected);
    };
    kernel.send_batch_blocking(&numbers(0..20)).unwrap();
    expect((0..20).chain((0..20).filter(|i| i % 2 == 1)).collect());
    kernel.deactivate_blocking().unwrap();
    sums.disconnect().unwrap();
    kernel.activate_blocking().unwrap();
    kernel.send_batch_blocking(&numbers(0..20)).unwrap();
    expect((0..20).filter(|i| i % 2 == 1).collect());
    let sent: Vec<_> = kernel.status().ports.iter().map(|port| (port.sent, port.waiting)).collect();
    assert_eq!(sent, [(20, 20), (20, 0)]);
    kernel.deactivate_blocking().unwrap();
    kernel.disconnect().unwrap();
    kernel.activate_blocking().unwrap();
    kernel.send_batch_blocking(&numbers(0..3)).unwrap();
    drain(&kernel);
    assert_eq!(kernel.status().ports.iter().map(|port| port.waiting).collect::<Vec<_>>(), [23, 1]);
    expect(Vec::new());
}

/// P-04: what cannot be connected is told, with the remedy.
pub fn p04_what_of_ports_cannot_be_connected(bench: &Bench) {
    let target = batch_echo::launch(bench.runtime(), linked("target")).unwrap();
    let kernel = launch(bench, LaunchOptions::default().active(false));
    let error = kernel.port(sort_out::NUMBERS).connect(&target).unwrap_err();
    assert_eq!(error, ConnectError::NotConnectable { kernel: "sort_out".into() });
    assert!(error.to_string().contains("connectable(true)"));
    assert_eq!(kernel.port(sort_out::NUMBERS).try_recv(), Err(TryRecvError::Empty));
}
