//! A handler with several outboxes: what it sends by each comes out there, in order, and all of it. P-04.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    pin::{Pin, pin},
    thread,
    time::Duration,
};

use annulus_kernel::RingMessage;
use annulus_runtime::{
    KernelHandle, KernelState, LaunchOptions, Outputs, PortName, PortStatus, RecvError, ShutdownOutcome,
    TryRecvError, block_on,
};
use futures_core::Stream;

use super::links::LONG;
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    cases::messages::poll_once,
    kernels::{
        Done, Item, Number, Total, mix, numbers,
        ports::{
            NOT_SORTED, TOO_MANY, outputs_of_sort_out, outputs_of_spread, sort_out, spread, sum_and_odd,
        },
    },
};

const ACTORS: u64 = 6;

pub(super) fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<sort_out> {
    sort_out::launch(bench.runtime(), options.actors(ACTORS)).unwrap_or_else(|error| panic!("{error}"))
}

/// Items of all actors; `sequence` says what is done with one, and its upper bits count.
pub(super) fn items(count: u64, which: impl Fn(u64) -> u64) -> Vec<Item> {
    let item = |i| Item { key: (i % ACTORS) as u32, producer: 0, sequence: 4 * i + which(i) };
    (0..count).map(item).collect()
}

/// What a plain program would send, by each outbox: of each actor, in order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sorted {
    pub(super) numbers: Vec<Number>,
    pub(super) kept: BTreeMap<u32, Vec<Item>>,
    pub(super) marks: usize,
    pub(super) handled: BTreeMap<u32, u64>,
}

pub(super) fn model(items: &[Item]) -> Sorted {
    let mut sorted = Sorted::default();
    for item in items.iter().filter(|item| item.sequence % 4 != 3) {
        let handled = sorted.handled.entry(item.key).or_default();
        *handled += 1;
        let kind = item.sequence % 4;
        if kind != 1 {
            sorted.numbers.push(Number { value: *handled });
        }
        if kind == 0 {
            sorted.numbers.push(Number { value: *handled + 1000 });
        } else {
            sorted.kept.entry(item.key).or_default().push(*item);
        }
        sorted.marks += usize::from(kind == 2);
    }
    sorted.numbers.sort_unstable();
    sorted
}

/// Everything that an outbox sends until its kernel has ended.
fn all<T: RingMessage>(kernel: &KernelHandle<sort_out>, name: PortName<sort_out, T>) -> Vec<T> {
    let next = || match kernel.port(name).recv_blocking() {
        Ok(output) => Some(output),
        Err(error) => {
            assert_eq!(error, RecvError::Closed);
            None
        }
    };
    std::iter::from_fn(next).collect()
}

pub(super) fn by_key(kept: Vec<Item>) -> BTreeMap<u32, Vec<Item>> {
    let mut sorted: BTreeMap<u32, Vec<Item>> = BTreeMap::new();
    kept.into_iter().for_each(|item| sorted.entry(item.key).or_default().push(item));
    sorted
}

/// P-04: each outbox has a receiver, which gets what was sent by it, all of it, in order; a handler that fails
/// has sent nothing by any.
pub fn p04_each_port_in_order(bench: &Bench) {
    for (grid, capacity) in [(1, 16), (3, 64)] {
        let count = bench.size(4_000, 200_000);
        let options = LaunchOptions::default()
            .name(format!("sort-{grid}"))
            .grid(grid)
            .capacity(256)
            .output_capacity(capacity);
        let kernel = launch(bench, options);
        let sent = items(count, |i| mix(i) % 4);
        let (mut numbers, kept, marks) = thread::scope(|scope| {
            let numbers = scope.spawn(|| all(&kernel, sort_out::NUMBERS));
            let kept = scope.spawn(|| all(&kernel, sort_out::KEPT));
            let marks = scope.spawn(|| all(&kernel, sort_out::MARKS));
            kernel.send_batch_blocking(&sent).unwrap();
            assert_eq!(kernel.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
            (numbers.join().unwrap(), kept.join().unwrap(), marks.join().unwrap())
        });
        numbers.sort_unstable();
        let expected = model(&sent);
        let status = balanced(&kernel);
        let failed = sent.iter().filter(|item| item.sequence % 4 == 3).count() as u64;
        assert_eq!((status.processed, status.drops.failed), (count - failed, failed), "{status:?}");
        assert_eq!(status.last_error, NOT_SORTED);
        let counts = [numbers.len(), kept.len(), marks.len()].map(|count| (count as u64, 0));
        let told: Vec<_> = status.ports.iter().map(|port| (port.received, port.waiting)).collect();
        assert_eq!(told, counts);
        assert_eq!(status.produced, counts.iter().map(|(received, _)| received).sum::<u64>());
        let states = kernel.snapshot_blocking().unwrap().states::<Total>().unwrap();
        let handled = (0..).zip(states).map(|(key, total)| (key, total.sum)).filter(|(_, sum)| *sum != 0);
        let came = Sorted { numbers, kept: by_key(kept), marks: marks.len(), handled: handled.collect() };
        assert!(came == expected, "grid {grid}: {came:?} is not {expected:?}");
    }
}

/// P-04: a handler that sends more by one outbox than that may send fails, though all together may send more.
pub fn p04_each_port_has_its_own_bound(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::default());
    let item = |sequence| Item { key: 1, producer: 0, sequence };
    kernel.send_batch_blocking(&[item(1), item(2), item(TOO_MANY), item(5)]).unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed), (3, 1), "{status:?}");
    assert_eq!(status.last_error, annulus_abi::error::TOO_MANY_OUTPUTS);
    let kept = kernel.port(sort_out::KEPT);
    assert_eq!([(); 3].map(|()| kept.try_recv().unwrap().sequence), [1, 2, 5]);
    assert_eq!(kernel.port(sort_out::NUMBERS).try_recv(), Ok(Number { value: 2 }));
    assert_eq!(kernel.port(sort_out::MARKS).try_recv(), Ok(Done {}));
    assert_eq!(kernel.port(sort_out::MARKS).try_recv(), Err(TryRecvError::Empty));
    let names: Vec<_> = status.ports.iter().map(|port| (port.name, port.waiting)).collect();
    assert_eq!(names, [("numbers", 1), ("kept", 3), ("marks", 1)]);
}

/// What a plain program would send, by whichever outbox: its number, and what of the output tells it from others.
fn in_turn(items: &[Item]) -> Vec<(usize, u64)> {
    let mut handled = [0; ACTORS as usize];
    let of = |item: &Item| {
        let handled = &mut handled[item.key as usize];
        *handled += 1;
        match item.sequence % 4 {
            0 => vec![(0, *handled), (0, *handled + 1000)],
            _ => vec![(1, item.sequence)],
        }
    };
    items.iter().flat_map(of).collect()
}

/// P-04: who receives from the kernel, by no outbox, gets all in the order in which it was sent, whatever was put aside, and
/// whoever looks at the status. So it is when the kernel has ended.
pub fn p04_who_receives_by_no_port_gets_all_in_order(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::default().capacity(64).output_capacity(64));
    let of = |output: outputs_of_sort_out| match output {
        outputs_of_sort_out::numbers(number) => (0, number.value),
        outputs_of_sort_out::kept(item) => (1, item.sequence),
        outputs_of_sort_out::marks(_) => (2, 0),
    };
    let counts = |count: fn(&PortStatus) -> u64| kernel.status().ports.iter().map(count).collect::<Vec<_>>();
    // Two numbers, and one that is kept, and so on.
    let sent = items(32, |i| i % 2);
    let expected = in_turn(&sent);
    // Whoever asks for what is not there puts aside what is.
    let put_aside = |found| assert_eq!(kernel.port(sort_out::MARKS).try_recv(), Err(found));
    kernel.send_batch_blocking(&sent[..20]).unwrap();
    drain(&kernel);
    assert_eq!(kernel.recv_blocking().map(of), Ok(expected[0]));
    assert_eq!(counts(|port| port.received), [1, 0, 0]);
    assert_eq!(kernel.recv_timeout(LONG).map(of), Ok(expected[1]));
    put_aside(TryRecvError::Empty);
    assert_eq!(kernel.try_recv().map(of), Ok(expected[2]));
    assert_eq!(counts(|port| port.received), [2, 1, 0]);
    let mut batch = Vec::new();
    assert_eq!(kernel.try_recv_batch(&mut batch, 5), Ok(5));
    assert!(batch.drain(..).map(of).eq(expected[3..8].iter().copied()));
    // Some are aside, and some in the ring.
    kernel.send_batch_blocking(&sent[20..24]).unwrap();
    drain(&kernel);
    assert_eq!(counts(|port| port.waiting), [24 - 6, 12 - 2, 0]);
    assert_eq!(kernel.recv_batch_blocking(&mut batch, 26), Ok(26));
    assert!(batch.drain(..).map(of).eq(expected[8..34].iter().copied()));
    // By an outbox, what the other one has sent is passed over; it comes later.
    assert_eq!(kernel.port(sort_out::KEPT).try_recv().map(|item| (1, item.sequence)), Ok(expected[35]));
    assert_eq!(kernel.try_recv().map(of), Ok(expected[34]));
    kernel.send_batch_blocking(&sent[24..]).unwrap();
    drain(&kernel);
    kernel.terminate_blocking();
    assert_eq!(counts(|port| port.waiting), [8, 4, 0]);
    assert_eq!(kernel.try_recv().map(of), Ok(expected[36]));
    put_aside(TryRecvError::Closed);
    assert_eq!(counts(|port| port.waiting), [7, 4, 0]);
    for expected in &expected[37..] {
        assert_eq!(kernel.try_recv().map(of).as_ref(), Ok(expected));
    }
    assert_eq!(kernel.try_recv().map(of), Err(TryRecvError::Closed));
    assert_eq!(kernel.try_recv_batch(&mut batch, 9), Err(TryRecvError::Closed));
    assert_eq!(counts(|port| port.received), [32, 16, 0]);
}

/// P-04: a look at the status, or at an outbox, gives the kernel no room, and moves nothing: outputs are counted where they lie. What
/// gives room is a receive.
pub fn p04_a_look_gives_no_room(bench: &Bench) {
    let options = LaunchOptions::default().capacity(64).output_capacity(16);
    let kernel = spread::launch(bench.runtime(), options).unwrap();
    let (left, right) = (kernel.port(spread::LEFT), kernel.port(spread::RIGHT));
    let sent = items(40, |_| 0);
    kernel.send_batch_blocking(&sent).unwrap();
    // Messages, outputs, and outputs of each outbox.
    let counts = || {
        let status = kernel.status();
        assert!(status.outputs_waiting <= status.outbound_capacity, "{status:?}");
        let waiting = [&status.ports[0], &status.ports[1], &left.status(), &right.status()].map(|port| {
            assert_eq!(port.received, 0, "{status:?}");
            port.waiting
        });
        (status.processed, status.stalled_shards, status.outputs_waiting, waiting)
    };
    // All of it is in the ring, which is full; there it stays, however often somebody looks.
    eventually(|| counts() == (8, 1, 16, [8; 4]));
    (0..100).for_each(|_| assert_eq!(counts(), (8, 1, 16, [8; 4])));
    // With the second, what lies between the two is put aside, so there is room for what one message sends.
    assert_eq!([left.recv_blocking(), left.recv_blocking()], [Ok(sent[0]), Ok(sent[1])]);
    eventually(|| kernel.status().processed == 9 && kernel.status().stalled_shards == 1);
    let waiting = || kernel.status().ports.iter().map(|port| port.waiting).collect::<Vec<_>>();
    assert_eq!((waiting(), kernel.status().outputs_waiting), (vec![7, 9], 16));
    let mut rest = (Vec::new(), Vec::new());
    while rest.0.len() + rest.1.len() < 78 {
        match kernel.recv_blocking().unwrap() {
            outputs_of_spread::left(item) => rest.0.push(item),
            outputs_of_spread::right(item) => rest.1.push(item),
        }
    }
    assert_eq!((&rest.0[..], &rest.1[..]), (&sent[2..], &sent[..]));
    assert_eq!((waiting(), kernel.status().outputs_waiting), (vec![0, 0], 0));
}

/// P-04: threads that receive from the kernel, singly and in batches, beside one that receives by an outbox, and one that looks at
/// the status: together they get all, each output once, and each of them learns that the kernel has ended.
pub fn p04_receivers_of_a_kernel_beside_those_of_its_ports(bench: &Bench) {
    let count = bench.size(2_000, 100_000);
    let kernel = spread::launch(bench.runtime(), LaunchOptions::default().output_capacity(16)).unwrap();
    let sequence = |output| match output {
        outputs_of_spread::left(item) | outputs_of_spread::right(item) => item.sequence,
    };
    let mut all = thread::scope(|scope| {
        let kernel = &kernel;
        let singly = move || std::iter::from_fn(|| kernel.recv_blocking().ok()).map(sequence).collect();
        let in_batches = move || {
            let mut all = Vec::new();
            while kernel.recv_batch_blocking(&mut all, 7).is_ok() {}
            all.into_iter().map(sequence).collect()
        };
        let by_one = move || {
            let left = kernel.port(spread::LEFT);
            std::iter::from_fn(|| left.recv_blocking().ok()).map(|item| item.sequence).collect()
        };
        let receivers: [std::thread::ScopedJoinHandle<'_, Vec<u64>>; 3] =
            [scope.spawn(singly), scope.spawn(in_batches), scope.spawn(by_one)];
        let ends = scope.spawn(move || {
            while kernel.status().state != KernelState::Terminated {
                thread::yield_now();
            }
        });
        kernel.send_batch_blocking(&items(count, |_| 0)).unwrap();
        eventually(|| kernel.status().processed == count);
        kernel.terminate_blocking();
        ends.join().unwrap();
        receivers.into_iter().flat_map(|receiver| receiver.join().unwrap()).collect::<Vec<_>>()
    });
    all.sort_unstable();
    assert!(all.into_iter().eq((0..count).flat_map(|i| [4 * i; 2])));
    assert_eq!(kernel.status().ports.iter().map(|port| port.received).sum::<u64>(), 2 * count);
}

/// P-04: an outbox by which nobody receives ends in a stall, in which nothing is lost; all goes on when somebody
/// does.
pub fn p04_an_unread_port_stalls_and_loses_nothing(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::default().capacity(1 << 10).output_capacity(16));
    // Every fourth message sends two numbers, all others keep the item: only these are received.
    let sent = items(400, |i| u64::from(i % 4 != 0));
    kernel.send_batch_blocking(&sent).unwrap();
    let (numbers, kept) = (kernel.port(sort_out::NUMBERS), kernel.port(sort_out::KEPT));
    let mut items = Vec::new();
    // In the end as many numbers are put aside as there is room for, one more is the first in the ring, and
    // there is no room behind it for what one message may send.
    loop {
        // Looked at before: what is taken then makes room.
        let status = kernel.status();
        let before = items.len();
        items.extend(std::iter::from_fn(|| kept.try_recv().ok()));
        let is_full = status.ports[0].waiting > 16 && status.outputs_waiting >= 16 + 13;
        if is_full && status.stalled_shards == 1 && items.len() == before {
            break;
        }
        thread::yield_now();
    }
    assert_eq!(kept.try_recv(), Err(TryRecvError::Empty));
    assert!(kernel.status().processed < 400);
    // A receiver that waits behind the numbers is woken when somebody takes one.
    let mut waiting = pin!(kept.recv());
    assert!(poll_once(waiting.as_mut()).is_none());
    let mut values = thread::scope(|scope| {
        let values = scope.spawn(|| {
            let next = || numbers.recv_blocking().ok();
            std::iter::from_fn(next).collect::<Vec<_>>()
        });
        items.push(block_on(waiting).unwrap());
        while items.len() < 300 {
            items.push(kept.recv_blocking().unwrap());
        }
        eventually(|| kernel.status().processed == 400);
        kernel.terminate_blocking();
        values.join().unwrap()
    });
    values.sort_unstable();
    let expected = model(&sent);
    assert_eq!(values, expected.numbers);
    assert_eq!(by_key(items), expected.kept);
}

/// P-04: batches of an outbox come in order while another one, by which nobody receives, fills up. A batch takes nothing behind
/// what has no room, and waits there until somebody makes room, by a batch, too.
pub fn p04_batches_of_a_port_beside_a_full_one(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::default().capacity(1 << 10).output_capacity(16));
    let sent = items(400, |i| u64::from(i % 4 != 0));
    kernel.send_batch_blocking(&sent).unwrap();
    let (numbers, kept) = (kernel.port(sort_out::NUMBERS), kernel.port(sort_out::KEPT));
    let (mut items, mut values) = (Vec::new(), Vec::new());
    // As above: numbers fill their queue, and what is in the ring is behind one of them.
    loop {
        let status = kernel.status();
        let is_full = status.stalled_shards == 1 && status.outputs_waiting >= 16 + 13;
        match kept.try_recv_batch(&mut items, 5) {
            Ok(received) => assert!((1..=5).contains(&received)),
            Err(error) => {
                assert_eq!(error, TryRecvError::Empty);
                if is_full {
                    break;
                }
            }
        }
        thread::yield_now();
    }
    assert!(kernel.status().processed < 400);
    assert_eq!(kept.try_recv_batch(&mut items, 0), Ok(0));
    let passed = kept.recv_batch_timeout(&mut items, 7, Duration::from_millis(1));
    assert_eq!(passed, Err(RecvError::Timeout));
    // One that is given up takes nothing with it.
    assert!(poll_once(pin!(kept.recv_batch(&mut items, 7))).is_none());
    let before = items.len();
    let received = {
        let mut waiting = pin!(kept.recv_batch(&mut items, 7));
        assert!(poll_once(waiting.as_mut()).is_none());
        assert_eq!(numbers.try_recv_batch(&mut values, 3), Ok(3));
        block_on(waiting)
    };
    assert_eq!(received, Ok(items.len() - before));
    thread::scope(|scope| {
        let rest = scope.spawn(|| {
            let mut rest = Vec::new();
            while block_on(numbers.recv_batch(&mut rest, 5)).is_ok() {}
            rest
        });
        while items.len() < 300 {
            kept.recv_batch_timeout(&mut items, 7, LONG).unwrap();
        }
        eventually(|| kernel.status().processed == 400);
        kernel.terminate_blocking();
        values.extend(rest.join().unwrap());
    });
    assert_eq!(kept.recv_batch_blocking(&mut items, 7), Err(RecvError::Closed));
    assert_eq!(kept.recv_batch_blocking(&mut items, 0), Ok(0));
    values.sort_unstable();
    let expected = model(&sent);
    assert_eq!(values, expected.numbers);
    assert_eq!(by_key(items), expected.kept);
}

/// What a stream of an outbox gives next.
fn next<T: RingMessage>(outputs: &mut Outputs<sort_out, T>) -> Option<T> {
    block_on(poll_fn(|context| Pin::new(&mut *outputs).poll_next(context)))
}

/// P-04: an outbox's outputs as a stream: all of them, in order, whether they come while somebody waits or were sent before the
/// kernel ended. Then the stream ends, also for who waits. A stream that is given up takes nothing with it.
pub fn p04_the_stream_of_a_port_ends_with_its_kernel(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::default().output_capacity(64));
    let mut given_up = kernel.port(sort_out::KEPT).outputs();
    assert!(poll_once(pin!(poll_fn(|context| Pin::new(&mut given_up).poll_next(context)))).is_none());
    let sent = items(100, |i| i % 2);
    let (mut values, marks) = thread::scope(|scope| {
        let values = scope.spawn(|| {
            let mut numbers = kernel.port(sort_out::NUMBERS).outputs();
            std::iter::from_fn(|| next(&mut numbers)).collect::<Vec<_>>()
        });
        // None comes by this one.
        let marks = scope.spawn(|| next(&mut kernel.port(sort_out::MARKS).outputs()));
        kernel.send_batch_blocking(&sent).unwrap();
        // It may have been woken for what others wait for.
        drop(given_up);
        let mut kept = kernel.port(sort_out::KEPT).outputs();
        let mut came: Vec<_> = (0..25).map(|_| next(&mut kept).unwrap()).collect();
        drain(&kernel);
        kernel.terminate_blocking();
        came.extend(std::iter::from_fn(|| next(&mut kept)));
        assert_eq!(came, sent.iter().filter(|item| item.sequence % 2 == 1).copied().collect::<Vec<_>>());
        assert_eq!(next(&mut kept), None);
        (values.join().unwrap(), marks.join().unwrap())
    });
    values.sort_unstable();
    assert_eq!((values, marks), (model(&sent).numbers, None));
    assert_eq!(kernel.port(sort_out::KEPT).try_recv(), Err(TryRecvError::Closed));
}

/// P-04: threads that receive by one outbox, singly, in batches and by a stream, beside one that receives by the other in batches:
/// all sleep when there is nothing. Each output comes to one of them, those of each in order, and all learn that the kernel has
/// ended.
pub fn p04_batch_and_single_receivers_of_a_port(bench: &Bench) {
    let count = bench.size(2_000, 100_000);
    let options = LaunchOptions::default().output_capacity(16).spin(Duration::ZERO);
    let kernel = spread::launch(bench.runtime(), options).unwrap();
    let (mut left, right) = thread::scope(|scope| {
        let kernel = &kernel;
        let left = kernel.port(spread::LEFT);
        let singly = move || std::iter::from_fn(|| left.recv_blocking().ok()).collect();
        let in_batches = move || {
            let mut all = Vec::new();
            while left.recv_batch_blocking(&mut all, 7).is_ok() {}
            all
        };
        let by_a_stream = move || {
            let mut outputs = left.outputs();
            let next = || block_on(poll_fn(|context| Pin::new(&mut outputs).poll_next(context)));
            std::iter::from_fn(next).collect()
        };
        let receivers: [std::thread::ScopedJoinHandle<'_, Vec<Item>>; 3] =
            [scope.spawn(singly), scope.spawn(in_batches), scope.spawn(by_a_stream)];
        let right = scope.spawn(move || {
            let (right, mut all) = (kernel.port(spread::RIGHT), Vec::new());
            while block_on(right.recv_batch(&mut all, 5)).is_ok() {}
            all
        });
        kernel.send_batch_blocking(&items(count, |_| 0)).unwrap();
        eventually(|| kernel.status().processed == count);
        kernel.terminate_blocking();
        let mut left = Vec::new();
        for receiver in receivers {
            let of_one = receiver.join().unwrap();
            assert!(of_one.is_sorted_by_key(|item| item.sequence), "{of_one:?}");
            left.extend(of_one);
        }
        (left, right.join().unwrap())
    });
    left.sort_unstable_by_key(|item| item.sequence);
    assert!(left == items(count, |_| 0) && right == left, "{left:?} {right:?}");
    assert_eq!(kernel.status().ports.iter().map(|port| port.received).collect::<Vec<_>>(), [count; 2]);
}

/// P-04: what was sent by each outbox before the end can be received afterwards, in whatever order one asks.
pub fn p04_ports_outlive_their_kernel(bench: &Bench) {
    for order in [0, 1] {
        let options = LaunchOptions::default().name(format!("ends-{order}")).output_capacity(64);
        let kernel = launch(bench, options);
        kernel.send_batch_blocking(&items(40, |i| i % 2)).unwrap();
        drain(&kernel);
        kernel.terminate_blocking();
        let (numbers, kept) = match order {
            0 => {
                let numbers = all(&kernel, sort_out::NUMBERS);
                (numbers, all(&kernel, sort_out::KEPT))
            }
            _ => {
                let kept = all(&kernel, sort_out::KEPT);
                (all(&kernel, sort_out::NUMBERS), kept)
            }
        };
        assert_eq!((numbers.len(), kept.len()), (40, 20));
        assert_eq!(kernel.port(sort_out::MARKS).try_recv(), Err(TryRecvError::Closed));
    }
}

/// P-04: the leader of a whole block sends by several outboxes.
pub fn p04_ports_of_whole_blocks(bench: &Bench) {
    let kernel =
        sum_and_odd::launch(bench.runtime(), LaunchOptions::default().block(8).capacity(64)).unwrap();
    kernel.send_batch_blocking(&numbers(0..20)).unwrap();
    drain(&kernel);
    let receive = |name| {
        let port = kernel.port(name);
        std::iter::from_fn(|| port.try_recv().ok()).collect::<Vec<_>>()
    };
    assert_eq!(
        receive(sum_and_odd::ODD),
        numbers(0..20).into_iter().filter(|n| n.value % 2 == 1).collect::<Vec<_>>()
    );
    assert_eq!(receive(sum_and_odd::SUMS), numbers(0..20));
}
