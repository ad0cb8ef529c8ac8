//! A kernel of a topology is replaced while the others run.

use std::{
    sync::{Arc, Barrier},
    thread,
    time::Duration,
};

use annulus_runtime::{LaunchOptions, ReplaceError, Replacement, ShutdownOutcome, Topology};

use crate::{
    Bench,
    bench::eventually,
    kernels::{
        Total,
        through::{Query, relay},
    },
};

const ACTORS: u32 = 6;
const LIMIT: Duration = Duration::from_secs(600);

fn options() -> LaunchOptions {
    // Little room: what the replaced kernel has no room for waits in the one before it.
    LaunchOptions::default().actors(ACTORS.into()).capacity(16)
}

/// Three kernels in a row.
fn three() -> Topology {
    Topology::new()
        .kernel("first", relay::bind(), options())
        .kernel("middle", relay::bind(), options().grid(2))
        .kernel("last", relay::bind(), options())
        .link("first", "middle")
        .link("middle", "last")
}

/// While the first kernel is sent to without a pause, the second one is replaced again and again, on other grids: no message is
/// lost, none comes twice, each actor's come in order, and the states go on.
pub fn a_member_is_replaced_while_the_others_send(bench: &Bench) {
    let count = bench.size(600, 6000) as u32 / ACTORS * ACTORS;
    let mut running = three().launch(bench.runtime()).unwrap();
    let runtime = running.runtime().clone();
    let first = runtime.handle::<relay>("first").unwrap();
    let last = runtime.receiver::<Query>("last").unwrap();
    let is_full = Arc::new(Barrier::new(2));
    let its = Arc::clone(&is_full);
    let sender = thread::spawn(move || {
        for number in 0..count {
            let query = Query { actor: number % ACTORS, number, ..Query::default() };
            let _ = first.send_blocking(query).unwrap();
        }
    });
    let receiver = thread::spawn(move || {
        its.wait();
        let mut next = [0; ACTORS as usize];
        for _ in 0..count {
            let query = last.recv_blocking().unwrap();
            let actor = query.actor as usize;
            assert_eq!((query.number, query.hops), (next[actor] * ACTORS + query.actor, 3));
            next[actor] += 1;
            // Each kernel adds how many its actor has taken.
            assert_eq!(query.taken, 3 * u64::from(next[actor]));
        }
    });
    // It waits for room when it is replaced first, and so does the one before it.
    let [middle, before_it] = ["middle", "first"].map(|name| runtime.kernel(name).unwrap());
    eventually(|| middle.status().stalled_shards != 0 && before_it.status().stalled_shards != 0);
    is_full.wait();
    let mut ended = 0;
    for grid in [1, 3, 2] {
        let before = runtime.kernel("middle").unwrap();
        let next = Replacement::new(relay::bind(), options().grid(grid));
        let replaced = running.replace_blocking("middle", next, LIMIT).unwrap();
        assert_eq!(replaced.outcome, ShutdownOutcome::Drained);
        let status = before.status();
        assert_eq!((status.drops.undelivered, status.outputs_lost, status.pending), (0, 0, 0), "{status}");
        assert_eq!(replaced.before.status().processed, status.processed);
        ended += status.processed;
        assert_eq!(runtime.kernel("middle").unwrap().status().shards, grid);
    }
    sender.join().unwrap();
    receiver.join().unwrap();

    let middle = runtime.handle::<relay>("middle").unwrap();
    middle.drained_blocking();
    assert_eq!(ended + middle.status().processed, u64::from(count));
    middle.deactivate_blocking().unwrap();
    let sums: Vec<_> = middle
        .snapshot_blocking()
        .unwrap()
        .states::<Total>()
        .unwrap()
        .iter()
        .map(|total| total.sum)
        .collect();
    assert_eq!(sums, [u64::from(count / ACTORS); ACTORS as usize]);
    middle.activate_blocking().unwrap();
    drop(middle);
    let outcomes = running.shutdown_blocking(LIMIT);
    let expected = ["first", "middle", "last"].map(|name| (name.to_owned(), ShutdownOutcome::Drained));
    assert_eq!(outcomes, expected);
    assert!(runtime.kernels().is_empty(), "the new one has ended, too");
}

/// What cannot be carried over leaves the topology as it was.
pub fn a_refused_replacement_changes_nothing(bench: &Bench) {
    let mut running = three().launch(bench.runtime()).unwrap();
    let runtime = running.runtime().clone();
    let send = |number| {
        let query = Query { actor: number % ACTORS, number, ..Query::default() };
        let _ = runtime.sender::<Query>("first").unwrap().send_blocking(query).unwrap();
        runtime.receiver::<Query>("last").unwrap().recv_blocking().unwrap().number
    };
    assert_eq!(send(0), 0);
    let before = runtime.kernel("middle").unwrap();
    let more = Replacement::new(relay::bind(), options().actors(100));
    let error = running.replace_blocking("middle", more, LIMIT).unwrap_err();
    let ReplaceError::Carry { .. } = &error else { panic!("{error}") };
    let text = error.to_string();
    assert!(text.contains("100 actors") && text.contains("Replacement::carry(..)"), "{text}");
    assert_eq!(send(1), 1);
    // A message is counted after what was sent for it.
    eventually(|| before.status().processed == 2);
}
