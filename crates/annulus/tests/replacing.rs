//! Kernels of a topology are replaced: over bridges, in a cycle, by a kernel that keeps something else; and what is refused.

use std::time::Duration;

use annulus::{
    KernelState, ReplaceError, Replacement, RunningTopology, ShutdownOutcome, Topology, prelude::*,
};

const ACTORS: u32 = 4;
const LIMIT: Duration = Duration::from_secs(600);

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    value: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Other {
    #[ring(key)]
    sensor: u64,
}

/// What the first version keeps, and what the second does.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Sum {
    sum: u32,
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct SumAndCount {
    sum: u32,
    count: u32,
}

#[ring_kernel(actors = 4)]
fn pass(reading: &Reading, out: &Outbox<Reading>) {
    out.send(*reading);
}

#[ring_kernel(actors = 4)]
fn add(reading: &Reading, kept: &mut Sum, out: &Outbox<Reading>) {
    kept.sum += reading.value;
    out.send(*reading);
}

#[ring_kernel(actors = 4)]
fn add_and_count(reading: &Reading, kept: &mut SumAndCount, out: &Outbox<Reading>) {
    kept.sum += reading.value;
    kept.count += 1;
    out.send(*reading);
}

/// Sends a reading to itself until it is worth nothing.
#[ring_kernel(actors = 4)]
fn count_down(reading: &Reading, kept: &mut Sum, again: &Outbox<Reading>) {
    kept.sum += 1;
    if reading.value > 0 {
        again.send(Reading { sensor: (reading.sensor + 1) % 4, value: reading.value - 1 });
    }
}

#[ring_kernel(actors = 4)]
fn other(other: &Other) {
    let _ = other;
}

#[ring_kernel]
fn carry(reading: &Reading, lines: &Outbox<Addressed<Reading>>) {
    lines.send(Addressed { to: Peer::<Reading>::ANY, message: *reading });
}

fn runtime() -> Runtime {
    Runtime::builder().backend(Backend::Cpu).build().unwrap()
}

fn row() -> Topology {
    Topology::new()
        .kernel("feed", pass::bind(), pass::options())
        .kernel("add", add::bind(), add::options())
        .kernel("end", pass::bind(), pass::options())
        .link("feed", "add")
        .link("add", "end")
}

fn send(runtime: &Runtime, to: &str, values: std::ops::Range<u32>) {
    let sender = runtime.sender::<Reading>(to).unwrap();
    for value in values {
        let _ = sender.send_blocking(Reading { sensor: value % ACTORS, value }).unwrap();
    }
}

fn received(runtime: &Runtime, from: &str, count: usize) -> Vec<u32> {
    let receiver = runtime.receiver::<Reading>(from).unwrap();
    let mut values: Vec<_> = (0..count).map(|_| receiver.recv_blocking().unwrap().value).collect();
    values.sort_unstable();
    values
}

fn replace(running: &mut RunningTopology, with: Replacement) -> Result<(), ReplaceError> {
    running
        .replace_blocking("add", with, LIMIT)
        .map(|replaced| assert_eq!(replaced.outcome, ShutdownOutcome::Drained))
}

fn counting() -> Replacement {
    Replacement::new(add_and_count::bind(), add_and_count::options()).carry(|old, new| {
        let old = old.states::<Sum>()?;
        new.set_states(&old.iter().map(|old| SumAndCount { sum: old.sum, count: 0 }).collect::<Vec<_>>())
    })
}

/// Sends what is odd elsewhere: an outbox more than `add`, and the one that is linked is the second.
#[ring_kernel(actors = 4)]
fn add_and_tell(reading: &Reading, kept: &mut Sum, told: &Outbox<Reading>, out: &Outbox<Reading>) {
    kept.sum += reading.value;
    if reading.value % 2 == 1 {
        told.send(*reading);
    }
    out.send(*reading);
}

#[ring_kernel(actors = 4)]
fn add_and_address(reading: &Reading, kept: &mut Sum, lines: &Outbox<Addressed<Reading>>) {
    kept.sum += reading.value;
    lines.send(Addressed { to: Peer::<Reading>::ANY, message: *reading });
}

/// Each call gets the new kernel's state as it was launched: what it adds is there once.
#[test]
fn what_is_carried_over_is_carried_over_once() {
    let runtime = runtime();
    let mut running = row().launch(&runtime).unwrap();
    send(&runtime, "feed", 0..8);
    assert_eq!(received(&runtime, "end", 8), Vec::from_iter(0..8));
    let (counted, calls) = std::sync::mpsc::channel();
    let adding = Replacement::new(add_and_count::bind(), add_and_count::options()).carry(move |old, new| {
        counted.send(()).unwrap();
        let (old, so_far) = (old.states::<Sum>()?, new.states::<SumAndCount>()?);
        let both = old.iter().zip(so_far);
        new.set_states(
            &both
                .map(|(old, new)| SumAndCount { sum: new.sum + old.sum, count: new.count + 1 })
                .collect::<Vec<_>>(),
        )
    });
    replace(&mut running, adding).unwrap();
    assert_eq!(calls.try_iter().count(), 2, "a rehearsal, and the real one");
    let new = runtime.handle::<add_and_count>("add").unwrap();
    new.deactivate_blocking().unwrap();
    let states = new.snapshot_blocking().unwrap().states::<SumAndCount>().unwrap();
    assert_eq!(states, [4, 6, 8, 10].map(|sum| SumAndCount { sum, count: 1 }));
}

/// The links are the old kernel's until the new one has them, whose outboxes are others.
#[test]
fn outboxes_of_the_next_version_are_others() {
    let runtime = runtime();
    // Which outbox `add` means is not said: the next version has two.
    let mut running = row().launch(&runtime).unwrap();
    let next = || Replacement::new(add_and_tell::bind(), add_and_tell::options());
    match replace(&mut running, next()) {
        Err(ReplaceError::Invalid { problems, .. }) => {
            let problems = format!("{problems:?}");
            assert!(problems.contains("told") && problems.contains("out"), "{problems}");
        }
        other => panic!("{other:?}"),
    }
    let addressing = Replacement::new(add_and_address::bind(), add_and_address::options());
    let error = replace(&mut running, addressing).unwrap_err();
    assert!(matches!(error, ReplaceError::Held { .. } | ReplaceError::Invalid { .. }), "{error}");
    send(&runtime, "feed", 0..4);
    assert_eq!(received(&runtime, "end", 4), [0, 1, 2, 3], "it runs as before");

    // With outboxes in another order, the link follows the name.
    let named = Topology::new()
        .kernel("add", add_and_tell::bind(), add_and_tell::options())
        .kernel("end", pass::bind(), pass::options())
        .link("add.out", "end");
    drop(running);
    let mut running = named.launch(&runtime).unwrap();
    send(&runtime, "add", 0..4);
    assert_eq!(received(&runtime, "end", 4), [0, 1, 2, 3]);
    replace(&mut running, Replacement::new(add_in_other_order::bind(), add_in_other_order::options()))
        .unwrap();
    send(&runtime, "add", 4..8);
    assert_eq!(received(&runtime, "end", 4), [4, 5, 6, 7]);
    assert_eq!(received(&runtime, "add.told", 2), [5, 7]);
}

#[ring_kernel(actors = 4)]
fn add_in_other_order(reading: &Reading, kept: &mut Sum, out: &Outbox<Reading>, told: &Outbox<Reading>) {
    kept.sum += reading.value;
    if reading.value % 2 == 1 {
        told.send(*reading);
    }
    out.send(*reading);
}

#[test]
fn the_next_version_keeps_something_else() {
    let runtime = runtime();
    let mut running = row().launch(&runtime).unwrap();
    let old = runtime.handle::<add>("add").unwrap();
    send(&runtime, "feed", 0..8);
    assert_eq!(received(&runtime, "end", 8), Vec::from_iter(0..8));

    let error = replace(&mut running, Replacement::new(add_and_count::bind(), add_and_count::options()));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("Sum") && error.contains("SumAndCount") && error.contains("carry(..)"), "{error}");
    let wrong = Replacement::new(add_and_count::bind(), add_and_count::options())
        .carry(|old, new| new.set_states(&old.states::<Sum>()?));
    assert!(matches!(replace(&mut running, wrong), Err(ReplaceError::Carry { .. })));
    send(&runtime, "add", 8..9);
    assert_eq!(received(&runtime, "end", 1), [8], "it runs as before");

    replace(&mut running, counting()).unwrap();
    let refused = old.try_send(Reading { sensor: 0, value: 1 });
    assert!(refused.unwrap_err().to_string().contains("closed"));
    send(&runtime, "feed", 100..104);
    assert_eq!(received(&runtime, "end", 4), Vec::from_iter(100..104));
    let new = runtime.handle::<add_and_count>("add").unwrap();
    new.deactivate_blocking().unwrap();
    let states = new.snapshot_blocking().unwrap().states::<SumAndCount>().unwrap();
    let expected = [(4 + 8 + 100, 1), (1 + 5 + 101, 1), (2 + 6 + 102, 1), (3 + 7 + 103, 1)];
    assert_eq!(states, expected.map(|(sum, count)| SumAndCount { sum, count }));
    new.activate_blocking().unwrap();
    // By the plan the topology knows the new one: its next version takes over all.
    let next = Replacement::new(add_and_count::bind(), add_and_count::options().grid(2));
    replace(&mut running, next).unwrap();
    assert_eq!(new.status().state, KernelState::Terminated);
    drop((new, old));
    let outcomes = running.shutdown_blocking(LIMIT);
    assert_eq!(outcomes, ["feed", "add", "end"].map(|name| (name.to_owned(), ShutdownOutcome::Drained)));
    assert!(runtime.kernels().is_empty());
}

#[test]
fn bridges_lead_to_the_new_kernel_and_from_it() {
    let (here, there) = (runtime(), runtime());
    let mut running = row().on("add", "there").launch_on(&here, &[("there", &there)]).unwrap();
    send(&here, "feed", 0..500);
    // Only some have come when it is replaced.
    assert_eq!(received(&here, "end", 1).len(), 1);
    replace(&mut running, counting()).unwrap();
    send(&here, "feed", 500..1000);
    assert_eq!(received(&here, "end", 999).len(), 999);
    let bridges = running.bridges();
    assert_eq!(bridges.len(), 2);
    for bridge in bridges {
        // They count since it was replaced: the second half, and what of the first half had not come yet.
        assert!((500..1000).contains(&bridge.moved) && bridge.lost == 0 && !bridge.ended, "{bridge:?}");
    }
    let outcomes = running.shutdown_blocking(LIMIT);
    assert!(outcomes.iter().all(|(_, outcome)| *outcome == ShutdownOutcome::Drained), "{outcomes:?}");
    assert_eq!(outcomes.len(), 3);
}

#[test]
fn a_kernel_that_sends_to_itself_is_replaced() {
    let runtime = runtime();
    let topology =
        Topology::new().kernel("add", count_down::bind(), count_down::options()).link("add", "add");
    let mut running = topology.launch(&runtime).unwrap();
    let count = || Replacement::new(count_down::bind(), count_down::options());
    send(&runtime, "add", 999..1000);
    replace(&mut running, count()).unwrap();
    send(&runtime, "add", 499..500);
    let add = runtime.handle::<count_down>("add").unwrap();
    add.drained_blocking();
    add.deactivate_blocking().unwrap();
    let states = add.snapshot_blocking().unwrap().states::<Sum>().unwrap();
    assert_eq!(states.iter().map(|kept| kept.sum).sum::<u32>(), 1500);
}

#[test]
fn what_cannot_be_led_elsewhere_is_refused_with_the_remedy() {
    let runtime = runtime();
    let mut running = row().launch(&runtime).unwrap();
    let error =
        replace(&mut running, Replacement::new(other::bind(), other::options())).unwrap_err().to_string();
    assert!(
        error.contains("link from `feed` to `add`: `feed` sends `Reading`, and `add` takes `Other`"),
        "{error}"
    );
    assert!(error.contains("link from `add` to `end`"), "{error}");

    let options = pass::options().name("stranger").connectable(true).active(false);
    let stranger = pass::launch(&runtime, options).unwrap();
    stranger.connect(&runtime.handle::<add>("add").unwrap()).unwrap();
    let error = replace(&mut running, counting()).unwrap_err().to_string();
    assert!(error.contains("the program has connected `stranger` to it: disconnect that first"), "{error}");
    stranger.disconnect().unwrap();
    replace(&mut running, counting()).unwrap();

    runtime.kernel("add").unwrap().deactivate_blocking().unwrap();
    let again = Replacement::new(add_and_count::bind(), add_and_count::options());
    let error = replace(&mut running, again).unwrap_err().to_string();
    assert!(error.contains("activate it first"), "{error}");
    running.shutdown_blocking(LIMIT);

    let topology = Topology::new()
        .kernel("carry", carry::bind(), carry::options())
        .kernel("add", add::bind(), add::options())
        .link("carry", "add");
    let mut running = topology.launch(&runtime).unwrap();
    let error = replace(&mut running, counting()).unwrap_err().to_string();
    assert!(error.contains("`carry` sends by addresses or topics") && error.contains("adopt it"), "{error}");
}

/// What the program has replaced itself is the topology's again.
#[test]
fn an_adopted_kernel_ends_with_the_others() {
    let runtime = runtime();
    let mut running = row().launch(&runtime).unwrap();
    let (feed, old) = (runtime.handle::<pass>("feed").unwrap(), runtime.handle::<add>("add").unwrap());
    let next = |name| {
        let end = runtime.handle::<pass>("end").unwrap();
        add_and_count::bind()
            .connect(&end)
            .launch(&runtime, add_and_count::options().name(name).connectable(true))
    };
    let stranger = next("stranger").unwrap();
    assert!(matches!(running.adopt(&stranger), Err(ReplaceError::Unknown { .. })));
    stranger.terminate_blocking();
    feed.deactivate_blocking().unwrap();
    old.terminate_blocking();
    let new = next("add").unwrap();
    feed.connect(&new).unwrap();
    feed.activate_blocking().unwrap();
    running.adopt(&new).unwrap();
    send(&runtime, "feed", 0..8);
    assert_eq!(received(&runtime, "end", 8), Vec::from_iter(0..8));
    assert_eq!(running.kernels()[1].name(), "add");
    drop((feed, old, new, stranger));
    let outcomes = running.shutdown_blocking(LIMIT);
    assert_eq!(outcomes, ["feed", "add", "end"].map(|name| (name.to_owned(), ShutdownOutcome::Drained)));
}

/// One that was lost, or that the program has ended, is replaced, too; and a future of it goes to any thread.
#[test]
fn one_that_has_ended_is_replaced() {
    let runtime = runtime();
    let mut running = row().launch(&runtime).unwrap();
    send(&runtime, "feed", 0..4);
    assert_eq!(received(&runtime, "end", 4), [0, 1, 2, 3]);
    runtime.kernel("add").unwrap().terminate_blocking();
    let is_sent = |future| {
        annulus::block_on(std::convert::identity::<std::pin::Pin<Box<dyn Future<Output = _> + Send>>>(future))
    };
    let replaced: Result<annulus::Replaced, ReplaceError> =
        is_sent(Box::pin(running.replace("add", counting(), LIMIT)));
    assert_eq!(replaced.unwrap().outcome, ShutdownOutcome::AlreadyTerminated);
    send(&runtime, "feed", 4..8);
    assert_eq!(received(&runtime, "end", 4), [4, 5, 6, 7]);
    let add = runtime.handle::<add_and_count>("add").unwrap();
    add.deactivate_blocking().unwrap();
    let states = add.snapshot_blocking().unwrap().states::<SumAndCount>().unwrap();
    assert_eq!(states[3], SumAndCount { sum: 3 + 7, count: 1 }, "the state of the end");
}

/// Nobody receives, so the old kernel cannot handle all: when the limit has passed it ends all the same, and what it leaves is counted,
/// and at hand.
#[test]
fn a_limit_that_passes_loses_count_of_nothing() {
    let runtime = runtime();
    let topology = Topology::new().kernel("add", add::bind(), add::options().capacity(16));
    let mut running = topology.launch(&runtime).unwrap();
    let old = runtime.handle::<add>("add").unwrap();
    send(&runtime, "add", 0..32); // 16 outputs, and 16 messages behind them
    let replaced = running.replace_blocking("add", counting(), Duration::from_millis(20)).unwrap();
    assert_eq!(replaced.outcome, ShutdownOutcome::DeadlinePassed);
    let status = old.status();
    assert_eq!((status.processed, status.drops.undelivered), (16, 16), "{status}");
    assert_eq!(replaced.before.status().drops.undelivered, 16);
    let mut left: Vec<_> = old.take_undelivered().iter().map(|reading| reading.value).collect();
    left.extend(std::iter::from_fn(|| old.try_recv().ok()).map(|reading| reading.value));
    left.sort_unstable();
    assert_eq!(left, Vec::from_iter(0..32));
    send(&runtime, "add", 32..36);
    assert_eq!(received(&runtime, "add", 4), [32, 33, 34, 35]);
}

/// What carries over works at the rehearsal, and not when the old kernel has been closed: its state can still be read.
#[test]
fn a_late_failure_says_where_everything_is() {
    let runtime = runtime();
    let mut running = row().launch(&runtime).unwrap();
    let old = runtime.handle::<add>("add").unwrap();
    send(&runtime, "feed", 0..4);
    assert_eq!(received(&runtime, "end", 4), [0, 1, 2, 3]);
    let mut calls = 0;
    let next = Replacement::new(add_and_count::bind(), add_and_count::options()).carry(move |old, new| {
        calls += 1;
        if calls == 1 { Ok(()) } else { new.set_states(&old.states::<Sum>()?) }
    });
    let error = replace(&mut running, next).unwrap_err();
    assert!(matches!(error, ReplaceError::Late { .. }), "{error}");
    assert!(error.to_string().contains("let the topology adopt it"), "{error}");
    assert_eq!(old.snapshot_blocking().unwrap().states::<Sum>().unwrap()[3], Sum { sum: 3 });
    // As it says.
    let feed = runtime.handle::<pass>("feed").unwrap();
    old.terminate_blocking();
    let options = add_and_count::options().connectable(true);
    let new = add_and_count::bind().connect(&runtime.handle::<pass>("end").unwrap());
    let new = new.launch(&runtime, options.name("add")).unwrap();
    feed.deactivate_blocking().unwrap();
    feed.connect(&new).unwrap();
    feed.activate_blocking().unwrap();
    running.adopt(&new).unwrap();
    send(&runtime, "feed", 4..8);
    assert_eq!(received(&runtime, "end", 4), [4, 5, 6, 7]);
    let outcomes = running.shutdown_blocking(LIMIT);
    assert!(outcomes.iter().all(|(_, outcome)| *outcome == ShutdownOutcome::Drained), "{outcomes:?}");
}
