//! A source goes on while outputs wait, as long as its hold has room. P-04, K-01, K-05.

use std::{pin::pin, thread, time::Duration};

use annulus_runtime::{KernelHandle, LaunchError, LaunchOptions, LaunchProblem, NoHold, StallEnd, block_on};

use super::{
    links::{linked, received, source},
    messages::poll_once,
    peers::{in_order, parcel},
    port_links::two_ports,
    ports::{by_key, items, launch, model},
    topics::note,
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Item, batch_echo, echo,
        links::pass,
        peers::carry,
        ports::{sort_out, spread, sum_and_odd},
        topics::tell,
    },
};

/// A source with such a hold, whose outboxes lead to a kernel that takes nothing yet, and to one that does.
fn full_and_free(
    bench: &Bench,
    hold: u32,
) -> (KernelHandle<pass>, KernelHandle<batch_echo>, KernelHandle<sort_out>) {
    let full = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(256)).unwrap();
    let free = batch_echo::launch(bench.runtime(), linked("free").capacity(16).output_capacity(256)).unwrap();
    let kernel = launch(bench, source("sort").hold(hold).capacity(256).output_capacity(256));
    kernel.port(sort_out::KEPT).connect(&full).unwrap();
    kernel.port(sort_out::NUMBERS).connect(&free).unwrap();
    kernel.activate_blocking().unwrap();
    (full, free, kernel)
}

/// P-04: a kernel without room does not stop its source before the hold is full; then it does, and all goes on when there is
/// room. What the others get is not held up, nothing is lost, and the order is kept.
pub fn p04_one_full_port_stalls_its_block_only_when_the_hold_is_full(bench: &Bench) {
    let (full, free, kernel) = full_and_free(bench, 24);
    let sent = items(100, |_| 2);
    // A message may send four outputs, and sends one that is held.
    let (first, rest) = sent.split_at(16 + 20);
    kernel.send_batch_blocking(first).unwrap();
    eventually(|| free.status().processed == 36);
    eventually(|| {
        let status = kernel.status();
        let held = (status.ports[0].held, status.ports[1].held);
        held == (0, 20) && (status.processed, status.pending, status.stalled_shards) == (36, 0, 0)
    });
    assert!(kernel.status().stall.is_none() && full.status().stall.is_none());

    kernel.send_batch_blocking(rest).unwrap();
    // A block tells that it stalls before it tells what it took. Then it takes nothing more.
    let stalls_at = || {
        let status = kernel.status();
        let stalls = status.stall.as_ref().is_some_and(|stall| stall.waits_for == ["full"]);
        stalls && (status.processed, status.ports[1].held, status.stalled_shards) == (37, 21, 1)
    };
    eventually(stalls_at);
    eventually(|| free.status().processed == 37);
    thread::sleep(Duration::from_millis(5));
    assert!(stalls_at(), "{}", kernel.status());
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
    let counts: Vec<_> = status.ports.iter().map(|port| (port.sent, port.held, port.lost)).collect();
    assert_eq!(counts, [(100, 0, 0), (100, 0, 0), (0, 0, 0)], "{status:?}");
}

/// P-04: under load, through small rings, with failing handlers: each outbox's kernel gets all that was sent by it, in the
/// order of each key, and everything is accounted for; with the shortest hold, and with a longer one.
pub fn p04_a_long_hold_keeps_order_and_counts(bench: &Bench) {
    two_ports(bench, [(1, 16, 4), (3, 16, 40)]);
}

/// P-04: a kernel that has handled all its messages, and waits for nothing, is not drained while it holds an output; nor is the
/// kernel that the output is for.
pub fn p04_what_is_held_is_not_drained(bench: &Bench) {
    let (full, free, kernel) = full_and_free(bench, 64);
    let sent = items(20, |_| 2);
    kernel.send_batch_blocking(&sent).unwrap();
    eventually(|| kernel.status().ports[1].held == 4 && kernel.status().pending == 0);
    assert_eq!(kernel.status().stalled_shards, 0);
    let mut drained = pin!(kernel.drained());
    let mut arrived = pin!(full.drained());
    for _ in 0..3 {
        assert!(poll_once(drained.as_mut()).is_none(), "its ring is empty, and it holds something");
        assert!(poll_once(arrived.as_mut()).is_none(), "something is held for it");
        thread::sleep(Duration::from_millis(5));
    }
    // It goes on without a further message: whoever makes room wakes it.
    full.activate_blocking().unwrap();
    block_on(drained);
    block_on(arrived);
    assert_eq!(by_key(received(&full)), model(&sent).kept);
    assert_eq!((kernel.status().ports[1].held, balanced(&full).processed), (0, 20));
    drain(&free);
    assert_eq!(received(&free).len(), 20);
}

/// P-04: what is held goes to the host if its outbox is disconnected, before what is sent later; if the source ends, it is lost
/// and counted. A snapshot in between changes nothing.
pub fn p04_a_long_hold_parts_and_ends(bench: &Bench) {
    let (full, free, kernel) = full_and_free(bench, 64);
    let kept = kernel.port(sort_out::KEPT);
    let sent = items(60, |_| 2);
    let (first, rest) = sent.split_at(50);
    kernel.send_batch_blocking(first).unwrap();
    eventually(|| kernel.status().ports[1].held == 34);
    kernel.deactivate_blocking().unwrap();
    let snapshot = kernel.snapshot_blocking().unwrap();
    kernel.restore_blocking(&snapshot).unwrap();
    assert_eq!(kept.status().held, 34);
    kept.disconnect().unwrap();
    kernel.activate_blocking().unwrap();
    kernel.send_batch_blocking(rest).unwrap();
    let mut all: Vec<Item> = (0..44).map(|_| kept.recv_blocking().unwrap()).collect();
    drain(&kernel);
    full.activate_blocking().unwrap();
    drain(&full);
    let there = received(&full);
    assert_eq!((there.len(), kept.try_recv().is_err()), (16, true));
    let mut together = there;
    together.append(&mut all);
    assert_eq!(by_key(together), model(&sent).kept);

    full.deactivate_blocking().unwrap();
    kernel.deactivate_blocking().unwrap();
    kept.connect(&full).unwrap();
    kernel.activate_blocking().unwrap();
    kernel.send_batch_blocking(&items(40, |_| 1)).unwrap();
    eventually(|| kernel.status().ports[1].held == 24);
    kernel.terminate_blocking();
    let status = balanced(&kernel);
    let [numbers, kept, _] = &status.ports[..] else { panic!("it has three outboxes") };
    assert_eq!((kept.sent, kept.held, kept.lost), (32, 0, 24), "{status:?}");
    assert_eq!((numbers.held, numbers.lost, status.outputs_lost), (0, 0, 24), "{status:?}");
    full.activate_blocking().unwrap();
    drain(&full);
    assert_eq!(received(&full).len(), 16);
    drain(&free);
    assert_eq!(received(&free).len(), 60);
}

/// P-04: a kernel that ends takes what is held for it with it, and the source goes on for the others.
pub fn p04_the_receiver_of_a_long_hold_ends(bench: &Bench) {
    let (full, free, kernel) = full_and_free(bench, 8);
    kernel.send_batch_blocking(&items(60, |_| 2)).unwrap();
    eventually(|| kernel.status().stall.is_some());
    full.terminate_blocking();
    drain(&free);
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.ports[0].sent, status.ports[0].lost), (60, 60, 0), "{status:?}");
    assert_eq!((status.ports[1].sent, status.ports[1].held, status.ports[1].lost), (16, 0, 44), "{status:?}");
}

/// K-01: by addresses, too, a kernel without room does not stop the others.
pub fn k01_a_long_hold_by_addresses(bench: &Bench) {
    let full = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(256)).unwrap();
    let free = pass::launch(bench.runtime(), linked("free").capacity(16).output_capacity(256)).unwrap();
    let carry = carry::launch(bench.runtime(), source("carry").hold(128).capacity(256)).unwrap();
    let peers = [full.peer(), free.peer()];
    carry.connect_peers(&peers).unwrap();
    carry.activate_blocking().unwrap();
    let sent: Vec<_> = (0..100).map(|i| parcel(i, peers[(i % 2) as usize], 1 + (i % 2) as u32)).collect();
    carry.send_batch_blocking(&sent).unwrap();
    // All fifty, twice each, though the other kernel takes nothing.
    let came: Vec<_> = (0..100).map(|_| free.recv_blocking().unwrap()).collect();
    assert!(in_order(&came), "{came:?}");
    eventually(|| carry.peers().peers[0].held == 34);
    assert_eq!(carry.status().stalled_shards, 0);
    full.activate_blocking().unwrap();
    drain(&full);
    let came = received(&full);
    assert!(in_order(&came) && came.len() == 50, "{came:?}");
    let peers = carry.peers();
    let counts: Vec<_> = peers.peers.iter().map(|peer| (peer.sent, peer.held, peer.lost)).collect();
    assert_eq!((counts, peers.gone), (vec![(50, 0, 0), (100, 0, 0)], 0));
}

/// K-05: of those who take a topic each gets its copies, however long another one has no room.
pub fn k05_a_long_hold_by_topics(bench: &Bench) {
    let full = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(256)).unwrap();
    let free = pass::launch(bench.runtime(), linked("free").capacity(16).output_capacity(256)).unwrap();
    let tell = tell::launch(bench.runtime(), source("tell").hold(64).capacity(256)).unwrap();
    let topics = tell.connect_topics(&[full.peer(), free.peer()]).unwrap();
    let (both, one) = (topics.name("both").unwrap(), topics.name("one").unwrap());
    topics.subscribe("both", full.peer()).unwrap();
    topics.subscribe("#", free.peer()).unwrap();
    tell.activate_blocking().unwrap();
    let sent: Vec<_> = (0..80).map(|i| note(i, if i % 2 == 0 { both } else { one }, 1)).collect();
    tell.send_batch_blocking(&sent).unwrap();
    let came: Vec<_> = (0..80).map(|_| free.recv_blocking().unwrap()).collect();
    assert!(in_order(&came), "{came:?}");
    eventually(|| tell.status().stalled_shards == 0 && tell.status().pending == 0);
    let mut drained = pin!(full.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    full.activate_blocking().unwrap();
    block_on(drained);
    let came = received(&full);
    assert!(in_order(&came) && came.len() == 40, "{came:?}");
    assert_eq!(balanced(&tell).outputs_lost, 0);
}

/// K-01: a cycle stands still once the hold is full, too, and is named: also if what fills it waits for two kernels.
pub fn k01_a_cycle_with_long_holds_names_its_kernels(bench: &Bench) {
    let spread = spread::launch(bench.runtime(), source("spread").hold(9).capacity(16)).unwrap();
    let way = |name: &str| pass::launch(bench.runtime(), source(name).capacity(16)).unwrap();
    let (left, right) = (way("left"), way("right"));
    spread.port(spread::LEFT).connect(&left).unwrap();
    spread.port(spread::RIGHT).connect(&right).unwrap();
    for pass in [&left, &right] {
        pass.connect(&spread).unwrap();
        pass.activate_blocking().unwrap();
    }
    spread.activate_blocking().unwrap();
    let _ = spread.try_send(items(1, |_| 0)[0]).unwrap();
    let cycle = |kernel: &KernelHandle<spread>| match kernel.status().stall?.end {
        StallEnd::Cycle(names) => Some(names),
        _ => None,
    };
    eventually(|| cycle(&spread).is_some());
    let names = cycle(&spread).unwrap_or_default();
    assert!(names == ["spread", "left"] || names == ["spread", "right"], "{names:?}");
    eventually(|| bench.runtime().stalls().iter().any(|(name, _)| *name == names[1]));
    // Without this kernel it goes on, unless all that it still holds is for the other one. Without both it takes all.
    let (one, other) = if names[1] == "left" { (left, right) } else { (right, left) };
    one.terminate_blocking();
    eventually(|| cycle(&spread).is_none_or(|left| left[1] != names[1]));
    other.terminate_blocking();
    eventually(|| spread.status().stall.is_none() && spread.status().pending == 0);
    spread.terminate_blocking();
    let status = balanced(&spread);
    assert!(status.ports.iter().all(|port| port.held == 0), "{status:?}");
}

/// P-04: of which kernels outputs cannot wait so, and how many must have room, is told with the remedy.
pub fn p04_what_of_a_hold_is_refused(bench: &Bench) {
    let problems = |error: LaunchError| match error {
        LaunchError::Invalid(invalid) => invalid.problems().to_vec(),
        error => panic!("{error}"),
    };
    let options = LaunchOptions::default().hold(4);
    let one_way = problems(echo::launch(bench.runtime(), options.clone()).unwrap_err());
    assert_eq!(one_way, [LaunchProblem::Hold { kernel: "echo", why: NoHold::OneWay }]);
    assert!(one_way[0].to_string().contains("several outboxes"), "{}", one_way[0]);
    let block = problems(sum_and_odd::launch(bench.runtime(), options.clone().block(4)).unwrap_err());
    assert_eq!(block, [LaunchProblem::Hold { kernel: "sum_and_odd", why: NoHold::Block }]);
    let small = sort_out::launch(bench.runtime(), options.clone().actors(8).hold(2).supersteps(true));
    assert_eq!(
        problems(small.unwrap_err()),
        [
            LaunchProblem::Hold { kernel: "sort_out", why: NoHold::Supersteps },
            LaunchProblem::HoldOutputs { kernel: "sort_out", hold: 2, outputs: 4 },
        ]
    );
    let apart = sort_out::launch(bench.runtime(), options.actors(8).connectable(false));
    assert_eq!(
        problems(apart.unwrap_err()),
        [LaunchProblem::Hold { kernel: "sort_out", why: NoHold::Unconnected }]
    );
}
