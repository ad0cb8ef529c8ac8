//! What a kernel sends becomes another kernel's messages: each once, in order, or counted. K-01, P-04.

use std::{thread, time::Duration};

use annulus_kernel::RingKernel;
use annulus_runtime::{
    Backpressure, ConnectError, KernelControl, KernelHandle, KernelState, LaunchError, LaunchOptions,
    TryRecvError, block_on,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        FAIL, Item, Number, Total, echo, fan, fragile,
        links::{next, pass},
        mix, number, numbers, total,
    },
};

pub(super) const LONG: Duration = Duration::from_secs(3600);

pub(super) fn linked(name: &str) -> LaunchOptions {
    LaunchOptions::default().connectable(true).name(name)
}

/// Options of a kernel that is to be connected.
pub(super) fn source(name: &str) -> LaunchOptions {
    linked(name).active(false)
}

/// Connects, and activates the source.
pub(super) fn connect<K: RingKernel, T: RingKernel<Message = K::Output>>(
    from: &KernelHandle<K>,
    to: &KernelHandle<T>,
) {
    connect_with(from, to, Backpressure::Block);
}

pub(super) fn connect_with<K: RingKernel, T: RingKernel<Message = K::Output>>(
    from: &KernelHandle<K>,
    to: &KernelHandle<T>,
    backpressure: Backpressure,
) {
    from.connect_with(to, backpressure).unwrap_or_else(|error| panic!("{error}"));
    from.activate_blocking().unwrap();
}

/// Everything that is there, in the order in which it came.
pub(super) fn received<K: RingKernel>(kernel: &KernelHandle<K>) -> Vec<K::Output> {
    let mut outputs = Vec::new();
    while kernel.try_recv_batch(&mut outputs, 1024).is_ok() {}
    outputs
}

pub(super) fn sorted(mut values: Vec<Number>) -> Vec<Number> {
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

/// K-01: each output of one kernel is handled by the other once, in order, and nothing of it reaches the
/// host.
pub fn k01_outputs_become_messages(bench: &Bench) {
    let first = next::launch(bench.runtime(), source("first").capacity(256)).unwrap();
    let second = next::launch(bench.runtime(), linked("second").capacity(64)).unwrap();
    connect(&first, &second);
    let count = bench.size(20_000, 1_000_000);
    assert_eq!(stream(&first, &second, count), numbers(2..count + 2));
    drain(&second);
    for status in [balanced(&first), balanced(&second)] {
        assert_eq!((status.sent, status.processed, status.produced), (count, count, count), "{status:?}");
        assert_eq!((status.outputs_lost, status.stalled_shards, status.pending), (0, 0, 0), "{status:?}");
    }
    assert_eq!(first.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(second.try_recv(), Err(TryRecvError::Empty));
}

/// K-01: targets first, and sources launched into them: nothing else is said, and nothing of what is sent
/// reaches the host before the end. Only the target's option must be said; the error names it before anything
/// is compiled.
pub fn k01_launched_into_another(bench: &Bench) {
    let plain = |name: &str| LaunchOptions::default().name(name);
    let last = next::launch(bench.runtime(), linked("last").capacity(64)).unwrap();
    let middle = next::launch_into(&last, linked("middle")).unwrap();
    let first = next::launch_into(&middle, plain("first")).unwrap();
    let count = bench.size(2_000, 100_000);
    assert_eq!(stream(&first, &last, count), numbers(3..count + 3));
    drain(&last);
    for status in [balanced(&first), balanced(&middle), balanced(&last)] {
        assert_eq!((status.processed, status.outputs_lost), (count, 0), "{status:?}");
    }
    assert_eq!((first.try_recv(), middle.try_recv()), (Err(TryRecvError::Empty), Err(TryRecvError::Empty)));

    let unlinked = next::launch(bench.runtime(), plain("unlinked")).unwrap();
    let refused = |target, error| {
        let refused = next::launch_into(target, plain("refused")).unwrap_err();
        assert_eq!(refused, LaunchError::Connect(error));
        assert!(bench.runtime().kernel("refused").is_err(), "nothing was launched");
        refused.to_string()
    };
    let error = refused(&unlinked, ConnectError::NotConnectable { kernel: "unlinked".into() });
    assert!(error.contains("launch it with LaunchOptions::connectable(true)"), "{error}");
    last.terminate_blocking();
    refused(&last, ConnectError::Terminated { kernel: "last".into() });
    let backpressure = Backpressure::DropNew;
    let bound = next::bind().connect_with(&middle, backpressure);
    let error = bound.launch(bench.runtime(), plain("refused")).unwrap_err();
    assert_eq!(error, LaunchError::Connect(ConnectError::Backpressure { backpressure }));

    // It stays inactive if it is asked to; by the time it is active, it has been connected for long.
    let bound = next::bind().connect_with(&middle, Backpressure::Reject);
    let waiting = block_on(bound.launch_async(bench.runtime(), source("refused"))).unwrap();
    waiting.send_batch_blocking(&numbers(0..10)).unwrap();
    assert_eq!(waiting.status().state, KernelState::Inactive);
    waiting.activate_blocking().unwrap();
    drain(&middle);
    assert_eq!(waiting.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(balanced(&middle).processed, count + 10);
}

/// K-01: items of a key go to the shard that it names, in the order in which each producer sent them.
pub fn k01_order_per_key_and_producer(bench: &Bench) {
    const KEYS: u64 = 12;
    let producers = 2;
    let each = bench.size(5_000, 500_000);
    for (sources, targets) in [(1, 3), (2, 3), (3, 2)] {
        let name = |side: &str| format!("{side}-{sources}-{targets}");
        let first = pass::launch(bench.runtime(), source(&name("first")).grid(sources)).unwrap();
        let second = crate::kernels::audit::bind(KEYS)
            .launch(bench.runtime(), linked(&name("second")).grid(targets).actors(KEYS).capacity(128))
            .unwrap();
        connect(&first, &second);
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
    sources.iter().for_each(|source| connect(source, &last));
    let each = bench.size(3_000, 100_000);
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

/// K-01: outputs of a call are its reply, and go to the host, whatever the kernel is connected to.
pub fn k01_replies_go_to_their_callers(bench: &Bench) {
    let first = fan::launch(bench.runtime(), source("first")).unwrap();
    let second = echo::launch(bench.runtime(), linked("second")).unwrap();
    connect(&first, &second);
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
    connect(&first, &second);
    first.send_batch_blocking(&[1, FAIL, 2, FAIL, FAIL, 3].map(number)).unwrap();
    drain(&second);
    assert_eq!(received(&second), [1, 3, 6].map(number));
    let status = balanced(&first);
    assert_eq!((status.processed, status.drops.failed, status.produced), (3, 3, 3));
}

/// K-01: what cannot be connected is refused, saying which condition does not hold.
pub fn k01_what_cannot_be_connected(bench: &Bench) {
    let launch = |name: &str, connectable, active| {
        let options = LaunchOptions::default().name(name).connectable(connectable).active(active);
        echo::launch(bench.runtime(), options).unwrap()
    };
    let (first, second) = (launch("first", true, false), launch("second", true, true));
    let named = |kernel: &KernelControl| kernel.name().to_owned();

    let plain = launch("plain", false, false);
    let not_connectable = || Err(ConnectError::NotConnectable { kernel: named(&plain) });
    assert_eq!(first.connect(&plain), not_connectable());
    assert_eq!(plain.connect(&first), not_connectable());
    assert_eq!(plain.disconnect(), not_connectable());

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

    for error in [not_connectable(), active, terminated()] {
        let said = error.unwrap_err().to_string();
        assert!(said.contains("launch") || said.contains("deactivate"), "{said} names no remedy");
    }
}

/// K-01: a kernel keeps its link while its state is read and set.
pub fn k01_a_connected_kernel_is_restored(bench: &Bench) {
    let first = total::launch(bench.runtime(), source("first")).unwrap();
    let second = echo::launch(bench.runtime(), linked("second")).unwrap();
    connect(&first, &second);
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
    connect(&first, &second);
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

/// K-01: a link to a kernel of fewer blocks than the one before reaches these alone.
pub fn k01_a_link_to_fewer_blocks(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first")).unwrap();
    let wide = echo::launch(bench.runtime(), linked("wide").grid(4)).unwrap();
    let narrow = echo::launch(bench.runtime(), linked("narrow")).unwrap();
    for count in 1..6 {
        for (target, kernel) in [("wide", &wide), ("narrow", &narrow)] {
            first.deactivate_blocking().unwrap();
            connect(&first, kernel);
            first.send_batch_blocking(&numbers(0..count)).unwrap();
            drain(kernel);
            assert_eq!(sorted(received(kernel)), numbers(0..count), "{target}");
        }
    }
    assert_eq!(balanced(&first).outputs_lost, 0);
}

/// K-01: a kernel comes to rest whatever number of messages it was sent, and says so.
pub fn k01_any_number_is_drained(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(8192)).unwrap();
    let second = crate::kernels::swallow::launch(bench.runtime(), linked("second").capacity(8192)).unwrap();
    connect(&first, &second);
    // An epoch ends after 4096.
    for count in [1, 4095, 4096, 4097, 8192] {
        let before = balanced(&second).processed;
        first.send_batch_blocking(&numbers(0..count)).unwrap();
        drain(&second);
        assert_eq!(balanced(&second).processed - before, count);
    }
}

/// K-01, B-06: kernels whose blocks take their turns in step are connected as others are.
pub fn k01_kernels_in_step_are_connected(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").grid(2).supersteps(true)).unwrap();
    let second =
        echo::launch(bench.runtime(), linked("second").grid(2).supersteps(true).capacity(32)).unwrap();
    connect(&first, &second);
    for round in 0..3 {
        let count = bench.size(200, 20_000);
        let mut outputs = stream(&first, &second, count);
        outputs.sort_unstable();
        assert_eq!(outputs, numbers(0..count), "round {round}");
        // All blocks nap.
        thread::sleep(Duration::from_millis(20));
    }
    drain(&second);
    assert_eq!(balanced(&second).stalled_shards, 0);
}
