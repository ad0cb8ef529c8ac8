//! One of several outboxes is connected to another kernel; what is sent by the others goes to the host. P-04.

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
    kernels::{Item, Number, Total, Tracked, batch_echo, echo, links::pass, mix, ports::sort_out, track},
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
    assert_eq!(
        numbers.connect(&next).unwrap_err(),
        ConnectError::OtherOutbox { kernel: "sort_out".into(), outbox: "kept" }
    );
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

/// P-04: a kernel that has several outboxes is connected by one of them, and the error says so.
pub fn p04_what_of_ports_cannot_be_connected(bench: &Bench) {
    let target = batch_echo::launch(bench.runtime(), linked("target")).unwrap();
    let kernel = launch(bench, LaunchOptions::default().active(false));
    let error = kernel.port(sort_out::NUMBERS).connect(&target).unwrap_err();
    assert_eq!(error, ConnectError::NotConnectable { kernel: "sort_out".into() });
    assert!(error.to_string().contains("connectable(true)"));
    assert_eq!(kernel.port(sort_out::NUMBERS).try_recv(), Err(TryRecvError::Empty));
}
