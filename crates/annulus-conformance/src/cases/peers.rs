//! A kernel sends to those that its outputs name. K-01.

use std::thread;

use annulus_kernel::{Addressed, Peer};
use annulus_runtime::{Backpressure, ConnectError, HandleError, KernelHandle, LaunchOptions};

use super::links::{linked, received, sorted, source};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Item, Number,
        links::{next, pass},
        mix, number, numbers,
        peers::{COPIES, Parcel, carry, in_turn, introduce},
        variants::{Joined, WORKERS, coordinate},
    },
};

pub(super) fn parcel(i: u64, to: Peer<Item>, copies: u32) -> Parcel {
    let item = Item { key: (mix(i) % 5) as u32, producer: 0, sequence: i };
    Parcel { sender: (i % 4) as u32, copies, to, item }
}

/// The copies of an item, as they come.
fn copies(parcel: &Parcel) -> impl Iterator<Item = Item> + use<> {
    let item = parcel.item;
    (0..parcel.copies).map(move |producer| Item { producer, ..item })
}

/// By key and sender, in the order in which they came.
pub(super) fn in_order(items: &[Item]) -> bool {
    (0..5).all(|key| {
        (0..4).all(|sender| {
            let of = items.iter().filter(|item| item.key == key && item.sequence % 4 == sender);
            let of: Vec<_> = of.map(|item| (item.sequence, item.producer)).collect();
            of.is_sorted()
        })
    })
}

/// K-01: each output reaches the kernel that it names, once, and those of one sending actor and one receiving one
/// keep their order; with one thread and several, under load, through small rings. An address that came as data,
/// over the host, is as good as one that was bound.
pub fn k01_peers_reach_whom_they_name(bench: &Bench) {
    for (block, grid) in [(1, 2), (4, 1)] {
        let target = |index: u32| {
            let options = linked(&format!("pass-{block}-{index}")).grid(1 + index % 2).block(block);
            pass::launch(bench.runtime(), options.capacity(16).output_capacity(256)).unwrap()
        };
        let targets: Vec<KernelHandle<pass>> = (0..3).map(target).collect();
        let options = source(&format!("carry-{block}")).grid(grid).block(block).capacity(256);
        let carry = carry::launch(bench.runtime(), options).unwrap();
        let peers: Vec<_> = targets.iter().map(|kernel| kernel.peer()).collect();
        assert_eq!(bench.runtime().peer::<Item>(targets[1].name()).unwrap(), peers[1]);
        carry.connect_peers(&peers).unwrap();
        carry.activate_blocking().unwrap();
        let count = bench.size(600, 50_000);
        let sent: Vec<_> = (0..count)
            .map(|i| {
                parcel(i, peers[(mix(i + 9) % 3) as usize], (mix(i + 5) % (1 + u64::from(COPIES))) as u32)
            })
            .collect();
        let expected = |peer| {
            let mut all: Vec<_> = sent.iter().filter(|parcel| parcel.to == peer).flat_map(copies).collect();
            all.sort_unstable_by_key(|item| (item.sequence, item.producer));
            all
        };
        thread::scope(|scope| {
            scope.spawn(|| carry.send_batch_blocking(&sent).unwrap());
            for (kernel, &peer) in targets.iter().zip(&peers) {
                scope.spawn(move || {
                    let expected = expected(peer);
                    let mut came: Vec<_> =
                        (0..expected.len()).map(|_| kernel.recv_blocking().unwrap()).collect();
                    assert!(in_order(&came), "block {block}: {came:?}");
                    came.sort_unstable_by_key(|item| (item.sequence, item.producer));
                    assert!(came == expected, "block {block}");
                });
            }
        });
        targets.iter().for_each(|kernel| drain(kernel));
        let all: u64 = sent.iter().map(|parcel| u64::from(parcel.copies)).sum();
        let status = balanced(&carry);
        assert_eq!((status.processed, status.produced, status.outputs_lost), (count, all, 0), "{status:?}");
        let peers = carry.peers();
        let names: Vec<_> = targets.iter().map(|kernel| Some(kernel.name().to_owned())).collect();
        assert!(peers.peers.iter().map(|peer| peer.kernel.clone()).eq(names), "{peers:?}");
        assert_eq!(peers.peers.iter().map(|peer| peer.sent).sum::<u64>(), all, "{peers:?}");
        assert_eq!(peers.gone, 0);
        assert!(peers.peers.iter().all(|peer| (peer.held, peer.lost) == (0, 0)), "{peers:?}");
        assert!(targets.iter().all(|kernel| kernel.try_recv().is_err()));
        assert!(carry.try_recv().is_err());
    }
}

/// K-01: a kernel that is full holds back what is for it, and no other kernel's; then all goes on.
pub fn k01_peers_wait_for_their_own_kernel(bench: &Bench) {
    let full = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(64)).unwrap();
    let free = pass::launch(bench.runtime(), linked("free").capacity(16).output_capacity(256)).unwrap();
    let carry = carry::launch(bench.runtime(), source("carry").capacity(256)).unwrap();
    carry.connect_peers(&[full.peer(), free.peer()]).unwrap();
    carry.activate_blocking().unwrap();
    let sent: Vec<_> = (0..40).map(|i| parcel(i, [full.peer(), free.peer()][(i % 2) as usize], 1)).collect();
    carry.send_batch_blocking(&sent).unwrap();
    eventually(|| carry.status().stall.is_some_and(|stall| stall.waits_for == ["full"]));
    eventually(|| carry.peers().peers[0].held != 0);
    // Each of the seventeen that were handled before one had to wait had one for the other kernel beside it.
    let first: Vec<_> = (0..16).map(|_| free.recv_blocking().unwrap().sequence).collect();
    assert!(first.iter().copied().eq((0..16).map(|i| 2 * i + 1)), "{first:?}");
    full.activate_blocking().unwrap();
    drain(&full);
    drain(&free);
    assert_eq!((received(&full).len(), 16 + received(&free).len()), (20, 20));
    let status = balanced(&carry);
    assert_eq!((status.produced, status.outputs_lost), (40, 0), "{status:?}");

    // Under Reject what is for the full one is lost, and nothing else.
    carry.deactivate_blocking().unwrap();
    full.deactivate_blocking().unwrap();
    carry.connect_peers_with(&[free.peer(), full.peer()], Backpressure::Reject).unwrap();
    carry.activate_blocking().unwrap();
    for parcel in &sent {
        let _ = carry.send_blocking(*parcel).unwrap();
        drain(&free);
    }
    drain(&carry);
    let peers = carry.peers();
    assert_eq!((peers.peers[0].sent, peers.peers[0].lost), (20, 0), "{peers:?}");
    assert_eq!((peers.peers[1].lost, balanced(&carry).outputs_lost), (4, 4), "{peers:?}");
    assert_eq!(received(&free).len(), 20);
}

/// K-01: what is for a kernel that has terminated is counted, and never reaches one that was launched under its
/// name.
pub fn k01_peers_of_the_dead_are_counted(bench: &Bench) {
    let [one, two] = ["one", "two"]
        .map(|name| pass::launch(bench.runtime(), linked(name).capacity(64).output_capacity(256)).unwrap());
    let carry = carry::launch(bench.runtime(), source("carry").capacity(256)).unwrap();
    let (dead, alive) = (one.peer(), two.peer());
    carry.connect_peers(&[dead, alive]).unwrap();
    carry.activate_blocking().unwrap();
    carry.send_batch_blocking(&[parcel(0, dead, 1), parcel(1, alive, 1)]).unwrap();
    drain(&one);
    drain(&two);
    assert_eq!((received(&one).len(), received(&two).len()), (1, 1));
    let _ = one.terminate_blocking();
    drop(one);
    let again = pass::launch(bench.runtime(), linked("one").capacity(64)).unwrap();
    assert_ne!(again.peer(), dead);
    let sent: Vec<_> = (0..30).map(|i| parcel(i, [dead, alive, again.peer()][(i % 3) as usize], 2)).collect();
    carry.send_batch_blocking(&sent).unwrap();
    drain(&two);
    let status = balanced(&carry);
    assert_eq!((status.processed, status.produced, status.outputs_lost), (32, 62, 40), "{status:?}");
    assert_eq!((received(&two).len(), received(&again).len()), (20, 0));
    let lost = carry.peers();
    // To the dead one, and to one that the kernel was never connected to.
    assert_eq!(lost.gone, 20, "{lost:?}");
    let error = {
        carry.deactivate_blocking().unwrap();
        carry.connect_peers(&[dead]).unwrap_err()
    };
    assert_eq!(error, ConnectError::NoSuchPeer { address: dead.bits(), message: "Item" });
    carry.connect_peers(&[again.peer()]).unwrap();
    carry.activate_blocking().unwrap();
    carry.send_batch_blocking(&sent).unwrap();
    drain(&again);
    assert_eq!(received(&again).len(), 20);
    assert_eq!(carry.peers().gone, 20 + 40);
}

/// K-01: whatever bits an address has, nothing goes astray: what names nobody is lost and counted, what names a
/// kernel of another type cannot be connected.
pub fn k01_peers_forged_are_refused(bench: &Bench) {
    let pass = pass::launch(bench.runtime(), linked("pass").capacity(64).output_capacity(256)).unwrap();
    let next = next::launch(bench.runtime(), linked("next")).unwrap();
    let carry = carry::launch(bench.runtime(), source("carry").capacity(256)).unwrap();
    let good = pass.peer();
    let other: Peer<Item> = Peer::from_bits(next.peer().bits());
    let typed = Peer::from_bits(next.peer().bits() & !0xffff | good.bits() & 0xffff);
    let variant = Peer::from_bits(good.bits() | 1 << 16);
    for forged in [Peer::NOBODY, other, typed, variant, Peer::from_bits(u64::MAX)] {
        let error = carry.connect_peers(&[good, forged]).unwrap_err();
        assert_eq!(error, ConnectError::NoSuchPeer { address: forged.bits(), message: "Item" });
    }
    // That of another runtime is known to be one, until its kernel has ended.
    let elsewhere = bench.another_runtime();
    let foreign = pass::launch(&elsewhere, linked("foreign")).unwrap();
    let address = foreign.peer();
    let (source, target) = ("carry".into(), "foreign".into());
    assert_eq!(carry.connect_peers(&[good, address]), Err(ConnectError::OtherRuntime { source, target }));
    drop((foreign, elsewhere));
    let unknown = ConnectError::NoSuchPeer { address: address.bits(), message: "Item" };
    eventually(|| carry.connect_peers(&[address]) == Err(unknown.clone()));
    assert!(matches!(bench.runtime().peer::<Item>("next"), Err(HandleError::Input { .. })));
    assert!(matches!(carry.connect_peers(&[good; 16]), Err(ConnectError::TooManyPeers { given: 16, .. })));
    assert_eq!(
        carry.connect_peers_with(&[good], Backpressure::DropNew).unwrap_err(),
        ConnectError::Backpressure { backpressure: Backpressure::DropNew }
    );
    carry.connect_peers(&[good]).unwrap();
    carry.activate_blocking().unwrap();
    let forged = (0..64).map(|bit| good.bits() ^ 1 << bit).chain([0, 1, u64::MAX, u64::MAX - 1]);
    let forged: Vec<_> = forged.map(Peer::from_bits).collect();
    let mut sent: Vec<_> = (0..).zip(&forged).map(|(i, &to)| parcel(i, to, 1)).collect();
    sent.extend((100..103).map(|i| parcel(i, good, 1)));
    carry.send_batch_blocking(&sent).unwrap();
    drain(&pass);
    assert!(received(&pass).iter().map(|item| item.sequence).eq(100..103));
    let lost = forged.len() as u64;
    assert_eq!((carry.peers().gone, balanced(&carry).outputs_lost), (lost, lost));

    // Disconnected, all of it comes to the host, with its address.
    carry.deactivate_blocking().unwrap();
    carry.disconnect().unwrap();
    carry.activate_blocking().unwrap();
    carry.send_batch_blocking(&sent).unwrap();
    let came: Vec<_> = (0..sent.len()).map(|_| carry.recv_blocking().unwrap()).collect();
    let expected = sent.iter().map(|parcel| Addressed { to: parcel.to, message: parcel.item });
    assert!(came.iter().copied().eq(expected), "{came:?}");
}

/// K-01: addresses in a table that was bound, without keys; and one for what a variant takes.
pub fn k01_peers_of_variants_and_tables(bench: &Bench) {
    let [one, two] = ["one", "two"]
        .map(|name| next::launch(bench.runtime(), linked(name).capacity(16).output_capacity(64)).unwrap());
    let known = [one.peer(), two.peer(), Peer::NOBODY];
    let options = LaunchOptions::default().name("turn").connectable(true).active(false);
    let turn = in_turn::bind(&known).launch(bench.runtime(), options).unwrap();
    turn.connect_peers(&known[..2]).unwrap();
    turn.activate_blocking().unwrap();
    turn.send_batch_blocking(&numbers(0..60)).unwrap();
    drain(&one);
    drain(&two);
    let every = |first: u64| (0..20).map(|i| Number { value: first + 3 * i + 1 }).collect::<Vec<_>>();
    assert_eq!((sorted(received(&one)), sorted(received(&two))), (every(0), every(1)));
    let status = balanced(&turn);
    assert_eq!((status.produced, status.outputs_lost, turn.peers().gone), (60, 20, 20), "{status:?}");

    let options = linked("coordinate").actors(WORKERS).grid(2).capacity(16).output_capacity(64);
    let coordinator = coordinate::launch(bench.runtime(), options).unwrap();
    let plain = introduce::bind(coordinator.peer_of());
    let plain = plain.launch(bench.runtime(), source("plain")).unwrap();
    let error = plain.connect_peers(&[coordinator.peer_of()]).unwrap_err();
    assert!(matches!(error, ConnectError::NotIntoVariants { .. }), "{error}");
    assert_eq!(bench.runtime().peer::<Joined>("coordinate").unwrap(), coordinator.peer_of());
    let options = source("introduce").into_variants(true);
    let introduce = introduce::bind(coordinator.peer_of()).launch(bench.runtime(), options).unwrap();
    introduce.connect_peers(&[coordinator.peer_of()]).unwrap();
    introduce.activate_blocking().unwrap();
    for value in 0..20 {
        let _ = introduce.send_blocking(number(value)).unwrap();
    }
    drain(&coordinator);
    let mut noted: Vec<_> =
        received(&coordinator).iter().map(|n| (n.kind, n.worker, n.value, n.more)).collect();
    noted.sort_unstable_by_key(|noted| noted.2);
    assert!(noted.iter().copied().eq((0..20).map(|i| (1, (i % WORKERS) as u32, i, 5))), "{noted:?}");
}
