//! Asks between kernels: P-02 and P-03. Each ends exactly once, and its answer finds the actor that has asked.

use std::{thread, time::Duration};

use annulus_kernel::ended;
use annulus_runtime::{ConnectError, KernelHandle, LaunchOptions, Pipeline, PipelineError, ShutdownOutcome};
use annulus_sync::{AtomicU32, Ordering};

use super::timers::{MILLISECOND, NEVER};
use crate::{
    Bench,
    bench::{balanced, eventually},
    kernels::{
        asks::{Done, Event, Order, Price, Query, act, advisor, asker, gatherer, outputs_of_asker, teller},
        through::{REFUSED, relay},
    },
};

const ACTORS: u32 = 4;

fn options(name: &str) -> LaunchOptions {
    LaunchOptions::default().name(name).actors(ACTORS.into()).connectable(true).through(128)
}

/// A kernel that asks, of so many blocks.
fn asking(bench: &Bench, options: LaunchOptions) -> KernelHandle<asker> {
    asker::launch(bench.runtime(), options.active(false)).unwrap()
}

/// One that asks another one.
fn two(bench: &Bench, grid: u32) -> (KernelHandle<asker>, KernelHandle<teller>) {
    let told = teller::launch(bench.runtime(), options("told").grid(grid)).unwrap();
    let asks = asking(bench, options("asks").grid(grid));
    asks.port(asker::PRICE).connect(&told).unwrap();
    asks.activate_blocking().unwrap();
    (asks, told)
}

fn order(number: u32, act: u32) -> Order {
    Order { actor: number % ACTORS, number, act, more: 0, limit: NEVER }
}

fn send(kernel: &KernelHandle<asker>, order: Order) {
    let _ = kernel.send_blocking(Event::Order(order)).unwrap();
}

fn receive(kernel: &KernelHandle<asker>) -> Done {
    kernel.port(asker::DONE).recv_blocking().unwrap()
}

/// How an ask ends that the other kernel has taken.
fn expected(order: Order) -> Done {
    let Order { actor, number, .. } = order;
    let none = Price { item: 77, cents: 0 };
    let (ended, code, price) = match order.act {
        act::DROP => (ended::NO_REPLY, 0, none),
        act::FAIL => (ended::FAILED, REFUSED.into(), none),
        _ => (ended::ANSWERED, 0, Price { item: number, cents: number * 3 + 1 }),
    };
    Done { actor, order: number, ended, code, price }
}

fn open(kernel: &KernelHandle<asker>) -> u64 {
    kernel.status().timers.unwrap().asks
}

/// P-02: many asks are open at once, of several actors and blocks. Each answer finds its actor, with what the actor has written
/// beside it: answers, refusals and silence do not swap.
pub fn p02_answers_find_their_actor(bench: &Bench) {
    let (asks, told) = two(bench, 2);
    let rounds = bench.size(6, 200) as u32;
    for round in 0..rounds {
        let orders = (0..24).map(|i| order(round * 24 + i, (round + i) % 4));
        orders.clone().for_each(|order| send(&asks, order));
        let mut done: Vec<_> = (0..24).map(|_| receive(&asks)).collect();
        while told.try_recv().is_ok() {}
        done.sort_unstable_by_key(|done| done.order);
        assert_eq!(done, orders.map(expected).collect::<Vec<_>>());
    }
    eventually(|| open(&asks) == 0);
    assert!(asks.port(asker::DONE).try_recv().is_err());
    assert_eq!(asks.status().timers.unwrap().waiting, 0);
    // An answer is seen before it is counted.
    let counts = (u64::from(rounds) * 18, u64::from(rounds) * 6);
    eventually(|| {
        let status = balanced(&told);
        (status.processed, status.drops.failed) == counts
    });
}

/// P-02: a kernel with several outboxes answers by its reply alone; what it sends besides goes where it goes.
pub fn p02_a_reply_answers_an_ask(bench: &Bench) {
    let told = advisor::launch(bench.runtime(), options("told")).unwrap();
    let asks = asking(bench, options("asks"));
    asks.port(asker::PRICE).connect(&told).unwrap();
    asks.activate_blocking().unwrap();
    for number in 0..20 {
        let order = order(number, number % 4);
        send(&asks, order);
        assert_eq!(receive(&asks), expected(order));
        if number % 4 == act::TOLD {
            let query = told.port(advisor::TOLD).recv_blocking().unwrap();
            assert_eq!(query, Query { desk: number % 4, item: number, act: act::TOLD });
        }
    }
    assert!(told.port(advisor::REPLY).try_recv().is_err(), "somebody has asked");
}

/// P-02: what a handler sends besides an ask, before it, carries nothing. If the handler fails, nothing was asked.
pub fn p02_an_ask_among_other_outputs(bench: &Bench) {
    let (asks, told) = two(bench, 1);
    for number in 0..8 {
        let before = order(number, act::TELL_BEFORE);
        send(&asks, before);
        let telling = receive(&asks);
        assert_eq!((telling.order, telling.ended), (number, 0));
        assert_eq!(receive(&asks), expected(before));
        send(&asks, order(number, act::FAIL_BEHIND));
    }
    // Orders that come of an order: each asks for itself.
    send(&asks, Order { more: 9, ..order(40, act::ANSWER) });
    let mut numbers: Vec<_> = (0..10).map(|_| receive(&asks).order).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (40..50).collect::<Vec<_>>());
    eventually(|| asks.status().drops.failed == 8);
    eventually(|| balanced(&told).processed == 18 && open(&asks) == 0);
}

/// P-02: asks of a kernel that is connected to nobody, and of a direct call, end at once: *lost*.
pub fn p02_an_ask_of_nobody_is_lost(bench: &Bench) {
    let asks = asking(bench, options("asks"));
    asks.activate_blocking().unwrap();
    let lost = |number: u32| Done {
        ended: ended::LOST,
        price: Price { item: 77, cents: 0 },
        ..expected(order(number, 0))
    };
    for number in 0..4 {
        send(&asks, order(number, 0));
        assert_eq!(receive(&asks), lost(number));
        assert_eq!(asks.port(asker::PRICE).recv_blocking().unwrap().item, number);
    }
    drop(asks);
    let (asks, told) = two(bench, 1);
    let answered = asks.call_blocking(Event::Order(order(9, 0))).unwrap();
    assert!(matches!(answered, outputs_of_asker::price(Query { item: 9, .. })));
    assert_eq!(receive(&asks), lost(9));
    assert_eq!((open(&asks), told.status().processed), (0, 0));
}

/// P-02: an ask whose answer takes too long ends without it. The answer comes later, and changes nothing; until then it has a
/// place, and beyond the last place messages fail.
pub fn p02_an_answer_that_comes_too_late(bench: &Bench) {
    let (asks, told) = two(bench, 1);
    told.deactivate_blocking().unwrap();
    for number in 0..32 {
        send(&asks, Order { limit: MILLISECOND, ..order(number, 0) });
        let done = receive(&asks);
        assert_eq!((done.order, done.ended, done.price.item), (number, ended::OUT_OF_TIME, 77));
    }
    // An output is there before the block tells what waits.
    eventually(|| {
        let timers = asks.status().timers.unwrap();
        (timers.waiting, timers.asks) == (0, 32)
    });
    send(&asks, order(32, 0));
    eventually(|| asks.status().drops.failed == 1);
    // A place is free as soon as its answer has come.
    told.activate_blocking().unwrap();
    eventually(|| told.status().processed == 32);
    for number in 33..60 {
        let order = order(number, act::ANSWER);
        send(&asks, order);
        assert_eq!(receive(&asks), expected(order));
    }
    eventually(|| open(&asks) == 0);
    assert!(asks.port(asker::DONE).try_recv().is_err());
}

/// P-02: a kernel that ends answers what it has taken, and closes the asks that it has not. What is asked afterwards is lost.
pub fn p02_each_ask_ends_when_the_asked_kernel_does(bench: &Bench) {
    let (asks, told) = two(bench, 1);
    told.deactivate_blocking().unwrap();
    for number in 0..10 {
        send(&asks, order(number, 0));
    }
    eventually(|| open(&asks) == 10 && asks.status().processed == 10);
    told.terminate_blocking();
    let mut ends: Vec<_> = (0..10).map(|_| receive(&asks)).collect();
    ends.sort_unstable_by_key(|done| done.order);
    for (number, done) in ends.iter().enumerate() {
        assert_eq!((done.order as usize, done.ended), (number, ended::CLOSED), "{done:?}");
    }
    for number in 10..14 {
        send(&asks, order(number, 0));
        assert_eq!(receive(&asks).ended, ended::LOST);
    }
    eventually(|| open(&asks) == 0);
    // Another kernel may be asked then.
    let next = teller::launch(bench.runtime(), options("next")).unwrap();
    asks.deactivate_blocking().unwrap();
    asks.port(asker::PRICE).connect(&next).unwrap();
    asks.activate_blocking().unwrap();
    let order = order(20, 0);
    send(&asks, order);
    assert_eq!(receive(&asks), expected(order));
}

/// P-02: rings of two slots' room on both sides, a host that is slow to receive, and far more orders than there are places:
/// asks and answers go on, and all orders end.
pub fn p02_both_full_still_answer(bench: &Bench) {
    let small = |name: &str| options(name).capacity(16).output_capacity(16);
    let told = teller::launch(bench.runtime(), small("told")).unwrap();
    let asks = asking(bench, small("asks"));
    asks.port(asker::PRICE).connect(&told).unwrap();
    asks.activate_blocking().unwrap();
    let count = bench.size(200, 5000) as u32;
    let mut ends = vec![0; count as usize];
    let received = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..count {
                // Orders that wait in the ring will want places, too: there are 32. Otherwise orders would fail for want of them.
                eventually(|| number - received.load(Ordering::Relaxed) < 28);
                send(&asks, order(number, number % 4));
            }
        });
        let mut left = count;
        while left != 0 {
            if left.is_multiple_of(64) {
                thread::sleep(Duration::from_millis(2));
            }
            let done = receive(&asks);
            assert_eq!(done, expected(order(done.order, done.order % 4)));
            ends[done.order as usize] += 1;
            left -= 1;
            received.store(count - left, Ordering::Relaxed);
            while told.try_recv().is_ok() {}
        }
    });
    assert!(ends.iter().all(|&ends| ends == 1));
    assert!(asks.port(asker::DONE).try_recv().is_err());
}

/// P-03: a job is dealt out as many asks, and is done when all have ended: answered, refused, or out of time.
pub fn p03_scatter_and_gather(bench: &Bench) {
    let told = teller::launch(bench.runtime(), options("told").grid(2)).unwrap();
    let gather = gatherer::launch(bench.runtime(), options("gather").active(false)).unwrap();
    gather.port(gatherer::PRICE).connect(&told).unwrap();
    gather.activate_blocking().unwrap();
    for (first, act, answered) in [(0, 0, 20), (100, act::DROP, 15)] {
        let job = Order { actor: 1, number: first, act, more: 19, limit: NEVER };
        let _ = gather.send_blocking(Event::Order(job)).unwrap();
        let done = gather.port(gatherer::DONE).recv_blocking().unwrap();
        let parts = (first..first + 20).filter(|part| act == 0 || part % 4 != 3);
        let cents: u32 = parts.map(|part| part * 3 + 1).sum();
        assert_eq!((done.order, done.ended, done.price.cents), (20, answered, cents));
    }
    // With a time limit, though nobody answers.
    told.deactivate_blocking().unwrap();
    let job = Order { actor: 2, number: 0, act: 0, more: 9, limit: 20 * MILLISECOND };
    let _ = gather.send_blocking(Event::Order(job)).unwrap();
    let done = gather.port(gatherer::DONE).recv_blocking().unwrap();
    assert_eq!((done.order, done.ended, done.price.cents), (10, 0, 0));
}

/// P-02: who may ask whom, and what is said otherwise.
pub fn p02_who_may_be_asked(bench: &Bench) {
    let told = teller::launch(bench.runtime(), options("told").active(false)).unwrap();
    let other = asking(bench, options("other"));
    let asks = asking(bench, options("asks"));
    let small = teller::launch(bench.runtime(), options("small").through(20)).unwrap();
    let error = asks.port(asker::PRICE).connect(&small).unwrap_err();
    assert!(error.to_string().contains("through(32)"), "{error}");
    let bare = LaunchOptions::default().name("bare").actors(ACTORS.into()).connectable(true);
    let bare = teller::launch(bench.runtime(), bare).unwrap();
    let error = asks.port(asker::PRICE).connect(&bare).unwrap_err();
    assert_eq!(error, ConnectError::NoRoomToAsk { kernel: "bare".into(), room: 32 });
    let bare = LaunchOptions::default().name("bare asks").actors(ACTORS.into()).connectable(true);
    let error = asking(bench, bare).port(asker::PRICE).connect(&told).unwrap_err();
    assert_eq!(error, ConnectError::NoRoomToAsk { kernel: "bare asks".into(), room: 1 });
    let error = Pipeline::new(&other, &told).map(drop).unwrap_err();
    assert_eq!(error, PipelineError::Asks { kernel: "other".into() });
    asks.port(asker::PRICE).connect(&told).unwrap();
    // Who is asked sends nothing on.
    let sink = relay::launch(bench.runtime(), options("sink").active(false)).unwrap();
    let _ = sink;
    // While something is open, it stays so.
    asks.activate_blocking().unwrap();
    send(&asks, order(1, 0));
    eventually(|| open(&asks) == 1);
    asks.deactivate_blocking().unwrap();
    let error = asks.port(asker::PRICE).disconnect().unwrap_err();
    assert_eq!(error, ConnectError::OpenAsks { kernel: "asks".into(), open: 1 });
    told.activate_blocking().unwrap();
    asks.activate_blocking().unwrap();
    assert_eq!(receive(&asks), expected(order(1, 0)));
    asks.deactivate_blocking().unwrap();
    asks.port(asker::PRICE).disconnect().unwrap();
    other.port(asker::PRICE).connect(&told).unwrap();
    other.activate_blocking().unwrap();
    let again = order(3, 0);
    send(&other, again);
    assert_eq!(receive(&other), expected(again));
}

/// P-02: kernels end while many asks are under way; each ends once.
pub fn p02_asks_race_with_the_end_of_the_asked(bench: &Bench) {
    for _ in bench.rounds(2, 20) {
        let (asks, told) = two(bench, 2);
        let count = 400_u32;
        let mut ends = vec![0; count as usize];
        let mut failed = 0;
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..count {
                    send(&asks, order(number, 0));
                    if number % 16 == 15 {
                        eventually(|| asks.status().timers.unwrap().waiting < 16);
                    }
                }
            });
            scope.spawn(|| {
                eventually(|| told.status().processed > 60);
                told.terminate_blocking();
            });
            let mut seen = 0;
            while seen + failed < count as usize {
                match asks.port(asker::DONE).try_recv() {
                    Ok(done) => {
                        assert!(
                            [ended::ANSWERED, ended::CLOSED, ended::LOST].contains(&done.ended),
                            "{done:?}"
                        );
                        ends[done.order as usize] += 1;
                        seen += 1;
                    }
                    Err(_) => thread::yield_now(),
                }
                failed = asks.status().drops.failed as usize;
            }
        });
        assert!(ends.iter().all(|&ends| ends <= 1));
        assert_eq!(ends.iter().filter(|&&ends| ends == 0).count(), failed);
        eventually(|| open(&asks) == 0);
    }
}

/// What orders end as that were answered, in order.
fn all_done(kernel: &KernelHandle<asker>, orders: impl Iterator<Item = Order> + Clone) {
    let mut done: Vec<_> = orders.clone().map(|_| receive(kernel)).collect();
    done.sort_unstable_by_key(|done| done.order);
    assert_eq!(done, orders.map(expected).collect::<Vec<_>>());
}

/// P-02: a query waits for room in a kernel that ends, and its kernel asks another one from then on. Its ask has ended, so nobody
/// gets it: its address may be that of somebody else's ask there.
pub fn p02_a_held_query_goes_to_no_other_kernel(bench: &Bench) {
    let is_full = |asks: &KernelHandle<asker>| asks.status().stalled_shards == 1;
    goes_to_no_other_kernel(bench, options("asks"), 1, is_full);
}

/// P-02: the same of several queries, which wait while their block goes on.
pub fn p02_queries_in_a_long_hold_go_to_no_other_kernel(bench: &Bench) {
    let is_held = |asks: &KernelHandle<asker>| asks.status().processed == 20;
    goes_to_no_other_kernel(bench, options("asks").hold(8), 4, is_held);
}

fn goes_to_no_other_kernel(
    bench: &Bench,
    options_of_asks: LaunchOptions,
    held: u32,
    is_held: impl Fn(&KernelHandle<asker>) -> bool,
) {
    let one = teller::launch(bench.runtime(), options("one").capacity(16)).unwrap();
    one.deactivate_blocking().unwrap();
    let asks = asking(bench, options_of_asks);
    asks.port(asker::PRICE).connect(&one).unwrap();
    asks.activate_blocking().unwrap();
    (0..16 + held).for_each(|number| send(&asks, order(number, 0)));
    eventually(|| is_held(&asks));
    asks.deactivate_blocking().unwrap();
    one.terminate_blocking();
    // The places of these are those that the other kernel's queries had where they have gone.
    let two = teller::launch(bench.runtime(), options("two").active(false)).unwrap();
    let other = asking(bench, options("other"));
    other.port(asker::PRICE).connect(&two).unwrap();
    other.activate_blocking().unwrap();
    let orders = (100..117).map(|number| order(number, 0));
    orders.clone().for_each(|order| send(&other, order));
    eventually(|| open(&other) == 17 && other.status().processed == 17);
    asks.port(asker::PRICE).connect(&two).unwrap();
    asks.activate_blocking().unwrap();
    let mut closed: Vec<_> = (0..16 + held).map(|_| receive(&asks)).collect();
    closed.sort_unstable_by_key(|done| done.order);
    for (number, done) in (0..).zip(closed) {
        assert_eq!((done.order, done.ended), (number, ended::CLOSED), "{done:?}");
    }
    eventually(|| {
        let status = asks.status();
        (status.stalled_shards, status.timers.unwrap().asks, status.outputs_lost) == (0, 0, u64::from(held))
    });
    two.activate_blocking().unwrap();
    all_done(&other, orders);
    let again = order(200, 0);
    send(&asks, again);
    assert_eq!(receive(&asks), expected(again));
    eventually(|| balanced(&two).processed == 18);
}

/// P-02: the room for asks is that of each asked kernel, whoever else asks in this runtime; a kernel that asks may ask another one.
pub fn p02_pairs_share_no_room(bench: &Bench) {
    let small = |name: &str| options(name).through(32);
    let pairs = [("told0", "asks0"), ("told1", "asks1"), ("told2", "asks2")].map(|(told, asks)| {
        let told = teller::launch(bench.runtime(), small(told)).unwrap();
        let asks = asking(bench, small(asks));
        asks.port(asker::PRICE).connect(&told).unwrap();
        asks.activate_blocking().unwrap();
        (asks, told)
    });
    let orders = |first: u32| (first..first + 20).map(|number| order(number, 0));
    for ((asks, _), first) in pairs.iter().zip([0, 100, 200]) {
        orders(first).for_each(|order| send(asks, order));
    }
    for ((asks, _), first) in pairs.iter().zip([0, 100, 200]) {
        all_done(asks, orders(first));
    }
    let (asks, _) = &pairs[0];
    eventually(|| open(asks) == 0);
    asks.deactivate_blocking().unwrap();
    let (_, taken) = &pairs[1];
    let error = asks.port(asker::PRICE).connect(taken).unwrap_err();
    assert_eq!(error, ConnectError::NoRoomToAsk { kernel: "told1".into(), room: 64 });
    let next = teller::launch(bench.runtime(), small("next")).unwrap();
    asks.port(asker::PRICE).connect(&next).unwrap();
    asks.activate_blocking().unwrap();
    orders(300).for_each(|order| send(asks, order));
    all_done(asks, orders(300));
    // Calls have numbers of their own, too.
    let calls = Pipeline::new(&next, &next).unwrap();
    let answer = calls.call_timeout(Query { desk: 0, item: 7, act: act::ANSWER }, Duration::from_secs(60));
    assert_eq!(answer.unwrap(), Price { item: 7, cents: 22 });
}

/// P-02: kernels that ask end while answers are to come. Their places are free again when the answers have come.
pub fn p02_who_asks_leaves_no_places(bench: &Bench) {
    let told = teller::launch(bench.runtime(), options("told").through(64).active(false)).unwrap();
    for (number, name) in (0..).zip(["first", "second"]) {
        let asks = asking(bench, options(name));
        asks.port(asker::PRICE).connect(&told).unwrap();
        asks.activate_blocking().unwrap();
        send(&asks, order(number, 0));
        eventually(|| open(&asks) == 1);
        asks.terminate_blocking();
    }
    let asks = asking(bench, options("third"));
    let error = asks.port(asker::PRICE).connect(&told).unwrap_err();
    assert_eq!(error, ConnectError::NoRoomToAsk { kernel: "told".into(), room: 96 });
    told.activate_blocking().unwrap();
    eventually(|| asks.port(asker::PRICE).connect(&told).is_ok());
    asks.activate_blocking().unwrap();
    let more = asking(bench, options("fourth"));
    // Places become free one by one.
    eventually(|| more.port(asker::PRICE).connect(&told).is_ok());
    more.activate_blocking().unwrap();
    for (number, kernel) in (10..).zip([&asks, &more]) {
        send(kernel, order(number, 0));
        assert_eq!(receive(kernel), expected(order(number, 0)));
    }
    // A block counts what it has answered a little later.
    eventually(|| balanced(&told).processed == 4);
}

/// P-02: the last answer comes too late, and nothing comes after it. The status says that nothing is open, and the kernel may be
/// disconnected.
pub fn p02_an_answer_that_comes_last_is_told(bench: &Bench) {
    let (asks, told) = two(bench, 1);
    told.deactivate_blocking().unwrap();
    send(&asks, Order { limit: MILLISECOND, ..order(1, 0) });
    assert_eq!(receive(&asks).ended, ended::OUT_OF_TIME);
    assert_eq!(open(&asks), 1);
    told.activate_blocking().unwrap();
    eventually(|| open(&asks) == 0);
    asks.deactivate_blocking().unwrap();
    asks.port(asker::PRICE).disconnect().unwrap();
}

/// P-02: the asked kernel has ended, and nobody has a handle of it any more, when its asker looks: its asks are closed, and do not
/// wait until their time is up. What it had answered is an answer.
pub fn p02_asks_end_though_the_asked_kernel_is_gone(bench: &Bench) {
    let (asks, told) = two(bench, 1);
    told.deactivate_blocking().unwrap();
    (0..4).for_each(|number| send(&asks, order(number, 0)));
    eventually(|| open(&asks) == 4 && asks.status().processed == 4);
    asks.deactivate_blocking().unwrap();
    told.terminate_blocking();
    drop(told);
    asks.activate_blocking().unwrap();
    for _ in 0..4 {
        assert_eq!(receive(&asks).ended, ended::CLOSED);
    }
    eventually(|| open(&asks) == 0);
}

/// P-02, E-05: a kernel is drained when its asks have ended, and what came of them has been handled. While nobody answers, it is
/// not.
pub fn p02_drained_waits_for_asks(bench: &Bench) {
    let (asks, told) = two(bench, 2);
    for round in 0..bench.size(20, 200) as u32 {
        told.deactivate_blocking().unwrap();
        let orders: Vec<_> = (0..12).map(|i| order(round * 12 + i, i % 4)).collect();
        orders.iter().for_each(|&order| send(&asks, order));
        if round < 3 {
            assert!(!asks.drained_timeout(Duration::from_millis(5)), "nobody can have answered");
        }
        told.activate_blocking().unwrap();
        asks.drained_blocking();
        assert_eq!(asks.status().timers.unwrap().waiting, 0);
        let mut done = Vec::new();
        while let Ok(one) = asks.port(asker::DONE).try_recv() {
            done.push(one);
        }
        done.sort_unstable_by_key(|done| done.order);
        assert_eq!(done, orders.into_iter().map(expected).collect::<Vec<_>>());
        while told.try_recv().is_ok() {}
    }
}

/// P-02, E-05: a graceful end of both loses nothing that was asked, though all of it is under way.
pub fn p02_a_shutdown_answers_all_asks(bench: &Bench) {
    for _ in bench.rounds(5, 50) {
        let (asks, told) = two(bench, 2);
        let orders: Vec<_> = (0..40).map(|number| order(number, 0)).collect();
        orders.iter().for_each(|&order| send(&asks, order));
        let outcomes = bench.runtime().shutdown_blocking(Duration::from_secs(60));
        assert!(outcomes.iter().all(|(_, outcome)| *outcome == ShutdownOutcome::Drained), "{outcomes:?}");
        let timers = asks.status().timers.unwrap();
        assert_eq!((timers.lost, timers.waiting), (0, 0), "{outcomes:?}");
        let mut done: Vec<_> = (0..40).map(|_| asks.port(asker::DONE).try_recv().unwrap()).collect();
        done.sort_unstable_by_key(|done| done.order);
        assert_eq!(done, orders.into_iter().map(expected).collect::<Vec<_>>());
        drop(told);
    }
}

/// O-01: whoever waits for answers of a kernel that stands still is named, though it takes what comes. When the answers have come,
/// nothing waits.
pub fn o01_answers_that_do_not_come(bench: &Bench) {
    let told = teller::launch(bench.runtime(), options("told").active(false)).unwrap();
    let asks = asking(bench, options("asks"));
    asks.port(asker::PRICE).connect(&told).unwrap();
    asks.activate_blocking().unwrap();
    (0..5).for_each(|number| send(&asks, order(number, act::ANSWER)));
    eventually(|| open(&asks) == 5);
    let why = || bench.runtime().why().to_string();
    eventually(|| {
        why().starts_with(
            "`asks` shard 0 waits for 5 answers of `told` (outbox `price`);\n`told` shard 0 is inactive: activate the kernel; 5 \
             messages are in its rings: that is the cause",
        )
    });
    told.activate_blocking().unwrap();
    for _ in 0..5 {
        let _ = receive(&asks);
    }
    eventually(|| open(&asks) == 0);
    eventually(|| why() == "nothing waits in vain");
}
