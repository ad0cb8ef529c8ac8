//! Outputs for any of several kernels go to one that has room. K-01.

use std::thread;

use annulus_kernel::{Addressed, Peer};
use annulus_runtime::{Backpressure, CallError, ConnectError, KernelHandle, PeersStatus, StallEnd};

use super::{
    links::{connect, linked, received, source},
    peers::parcel,
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Item,
        links::{next, pass},
        mix, number,
        peers::{COPIES, Parcel, carry, deal_twice, introduce},
        variants::{WORKERS, coordinate},
    },
};

const ANY: Peer<Item> = Peer::ANY;

/// How many threads the block of the sender has, and how many blocks there are.
const SHAPES: [(u32, u32); 3] = [(1, 1), (1, 2), (4, 1)];

/// Workers that are inactive, with room for so many items each.
fn workers<const N: usize>(bench: &Bench, shape: (u32, u32), room: u32) -> [KernelHandle<pass>; N] {
    std::array::from_fn(|index| {
        let options = source(&format!("worker-{index}-{}-{}", shape.0, shape.1));
        pass::launch(bench.runtime(), options.capacity(room).output_capacity(1024)).unwrap()
    })
}

/// One that hands items out to these.
fn hand_out(
    bench: &Bench,
    shape: (u32, u32),
    workers: &[KernelHandle<pass>],
    backpressure: Backpressure,
) -> KernelHandle<carry> {
    let options =
        source(&format!("carry-{}-{}", shape.0, shape.1)).block(shape.0).grid(shape.1).capacity(256);
    let carry = carry::launch(bench.runtime(), options.output_capacity(1024)).unwrap();
    let peers: Vec<_> = workers.iter().map(|worker| worker.peer()).collect();
    carry.connect_peers_with(&peers, backpressure).unwrap();
    carry.activate_blocking().unwrap();
    carry
}

/// So many items, each for any.
fn for_any(range: std::ops::Range<u64>) -> Vec<Parcel> {
    range.map(|i| parcel(i, ANY, 1)).collect()
}

fn sequences(items: &[Item]) -> Vec<u64> {
    let mut all: Vec<_> = items.iter().map(|item| item.sequence).collect();
    all.sort_unstable();
    all
}

fn sent(status: &PeersStatus) -> Vec<u64> {
    status.peers.iter().map(|peer| peer.sent).collect()
}

/// Whether all copies are accounted for.
fn adds_up(status: &PeersStatus, copies: u64) -> bool {
    let peers: u64 = status.peers.iter().map(|peer| peer.sent + peer.held + peer.lost).sum();
    peers + status.waiting + status.gone == copies
}

/// K-01: as long as all have room, each gets its share.
pub fn k01_any_takes_turns(bench: &Bench) {
    for shape in SHAPES {
        let workers: [_; 3] = workers(bench, shape, 64);
        let carry = hand_out(bench, shape, &workers, Backpressure::Block);
        carry.send_batch_blocking(&for_any(0..90)).unwrap();
        eventually(|| sent(&carry.peers()).iter().sum::<u64>() == 90);
        let peers = carry.peers();
        // Each block takes turns of its own.
        assert!(
            sent(&peers).iter().all(|sent| sent.abs_diff(30) <= u64::from(shape.1)),
            "{shape:?}: {peers:?}"
        );
        assert!(adds_up(&peers, 90) && peers.waiting == 0 && peers.gone == 0, "{peers:?}");
        for worker in &workers {
            worker.activate_blocking().unwrap();
        }
        drain(&carry);
        let mut all = Vec::new();
        for worker in &workers {
            drain(worker);
            all.extend(received(worker));
        }
        assert!(sequences(&all).into_iter().eq(0..90), "{shape:?}: {all:?}");
    }
}

/// K-01: under load, through small rings of one block and of several, with a hold and without one, what is for any and what has
/// an address arrives once, and is counted; and no worker is left out.
pub fn k01_any_under_load(bench: &Bench) {
    for (shape, hold) in [((1, 2), 0), ((4, 1), 0), ((1, 2), 24)] {
        let name = |what: &str| format!("{what}-{}-{}-{hold}", shape.0, shape.1);
        let worker = |index: u32| {
            let options = linked(&name(&format!("worker-{index}"))).grid(1 + index % 2).capacity(16);
            pass::launch(bench.runtime(), options.output_capacity(256)).unwrap()
        };
        let workers: Vec<KernelHandle<pass>> = (0..3).map(worker).collect();
        let peers: Vec<_> = workers.iter().map(|worker| worker.peer()).collect();
        let options = source(&name("carry")).block(shape.0).grid(shape.1).capacity(256);
        let carry = carry::launch(bench.runtime(), options.hold(hold)).unwrap();
        carry.connect_peers(&peers).unwrap();
        carry.activate_blocking().unwrap();
        let count = bench.size(600, 50_000);
        let all: Vec<_> = (0..count)
            .map(|i| {
                let to = if mix(i + 9).is_multiple_of(4) { peers[(mix(i) % 3) as usize] } else { ANY };
                parcel(i, to, (mix(i + 5) % (1 + u64::from(COPIES))) as u32)
            })
            .collect();
        let copies: u64 = all.iter().map(|parcel| u64::from(parcel.copies)).sum();
        let mut came = thread::scope(|scope| {
            scope.spawn(|| carry.send_batch_blocking(&all).unwrap());
            let done = scope.spawn(|| drain(&carry));
            let mut came: Vec<Vec<Item>> = vec![Vec::new(); 3];
            while !done.is_finished() || came.iter().map(Vec::len).sum::<usize>() as u64 != copies {
                for (worker, came) in workers.iter().zip(&mut came) {
                    came.extend(received(worker));
                }
                thread::yield_now();
            }
            came
        });
        // The first one may have ended before all was sent.
        drain(&carry);
        let status = balanced(&carry);
        assert_eq!(
            (status.processed, status.produced, status.outputs_lost),
            (count, copies, 0),
            "{status:?}"
        );
        let counts = carry.peers();
        assert!(came.iter().map(|came| came.len() as u64).eq(sent(&counts)), "{counts:?}");
        assert!(adds_up(&counts, copies) && counts.waiting == 0, "{counts:?}");
        assert!(sent(&counts).iter().all(|&sent| sent > copies / 16), "{counts:?}");
        // What has an address is where it belongs.
        for (came, peer) in came.iter().zip(&peers) {
            let goes_there = |item: &Item| [*peer, ANY].contains(&all[item.sequence as usize].to);
            assert!(came.iter().all(goes_there));
        }
        let mut came: Vec<_> = came.drain(..).flatten().map(|item| (item.sequence, item.producer)).collect();
        came.sort_unstable();
        let expected =
            all.iter().zip(0..).flat_map(|(parcel, i)| (0..parcel.copies).map(move |copy| (i, copy)));
        assert!(came.into_iter().eq(expected), "{shape:?}, {hold}");
    }
}

/// K-01: a worker that takes nothing gets what its ring has room for, and then holds up nothing.
pub fn k01_any_passes_over_who_has_no_room(bench: &Bench) {
    for shape in SHAPES {
        let workers: [_; 2] = workers(bench, shape, 16);
        let [idle, busy] = &workers;
        busy.activate_blocking().unwrap();
        let carry = hand_out(bench, shape, &workers, Backpressure::Block);
        carry.send_batch_blocking(&for_any(0..200)).unwrap();
        let mut all = Vec::new();
        while all.len() < 184 {
            all.push(busy.recv_blocking().unwrap());
        }
        // A block says that it holds nothing any more after it has said what went.
        eventually(|| {
            let counts = carry.peers();
            sent(&counts) == [16, 184] && counts.waiting == 0
        });
        idle.activate_blocking().unwrap();
        drain(idle);
        drain(&carry);
        all.extend(received(idle));
        assert!(sequences(&all).into_iter().eq(0..200), "{shape:?}: {all:?}");
    }
}

/// K-01: what is for any goes to those that have not terminated; if there is none, it is lost and counted.
pub fn k01_any_passes_over_the_dead(bench: &Bench) {
    for shape in SHAPES {
        let workers: [_; 3] = workers(bench, shape, 16);
        let [one, two, three] = &workers;
        let carry = hand_out(bench, shape, &workers, Backpressure::Block);
        let _ = one.terminate_blocking();
        two.activate_blocking().unwrap();
        carry.send_batch_blocking(&for_any(0..100)).unwrap();
        let mut all: Vec<_> = (0..84).map(|_| two.recv_blocking().unwrap()).collect();
        // A block says that it holds nothing any more after it has said what went.
        eventually(|| {
            let peers = carry.peers();
            sent(&peers) == [0, 84, 16] && (peers.waiting, peers.gone) == (0, 0)
        });
        // Now all that are left are full: one, and what comes afterwards, waits, until that one ends as well.
        let _ = two.terminate_blocking();
        let _ = carry.send_blocking(parcel(100, ANY, 1)).unwrap();
        eventually(|| carry.peers().waiting == 1 && adds_up(&carry.peers(), 101));
        three.activate_blocking().unwrap();
        drain(three);
        all.extend(received(three));
        assert!(sequences(&all).into_iter().eq(0..101), "{shape:?}: {all:?}");
        let _ = three.terminate_blocking();
        carry.send_batch_blocking(&for_any(0..20)).unwrap();
        drain(&carry);
        assert_eq!(carry.peers().gone, 20);
        let status = balanced(&carry);
        assert_eq!((status.produced, status.outputs_lost), (121, 20), "{shape:?}: {status:?}");
        assert!(adds_up(&carry.peers(), 121));
    }
}

/// K-01: if none has room, it waits, and goes to the first that has.
pub fn k01_any_waits_until_one_has_room(bench: &Bench) {
    for (first, shape) in [0, 1].into_iter().flat_map(|first| SHAPES.map(|shape| (first, shape))) {
        let shape = (shape.0, shape.1);
        let workers: [_; 2] = workers(bench, shape, 16);
        let carry = hand_out(bench, shape, &workers, Backpressure::Block);
        carry.send_batch_blocking(&for_any(0..60)).unwrap();
        eventually(|| {
            let peers = carry.peers();
            sent(&peers) == [16, 16] && peers.waiting != 0
        });
        eventually(|| carry.status().stall.is_some_and(|stall| stall.waits_for.len() == 1));
        assert!(carry.peers().peers.iter().all(|peer| (peer.held, peer.lost) == (0, 0)));
        workers[first].activate_blocking().unwrap();
        let mut all: Vec<_> = (0..44).map(|_| workers[first].recv_blocking().unwrap()).collect();
        let last = &workers[1 - first];
        last.activate_blocking().unwrap();
        drain(&carry);
        drain(last);
        all.extend(received(last));
        assert!(sequences(&all).into_iter().eq(0..60), "{shape:?}: {all:?}");
        let peers = carry.peers();
        assert!(adds_up(&peers, 60) && peers.waiting == 0 && peers.gone == 0, "{peers:?}");
        assert_eq!(sent(&peers)[first], 44, "{peers:?}");
        let _ = (carry.terminate_blocking(), workers.map(|worker| worker.terminate_blocking()));
    }
}

/// K-01: under Reject it is lost if none has room, and not before.
pub fn k01_any_is_lost_under_reject(bench: &Bench) {
    for shape in SHAPES {
        let workers: [_; 2] = workers(bench, shape, 16);
        let carry = hand_out(bench, shape, &workers, Backpressure::Reject);
        carry.send_batch_blocking(&for_any(0..50)).unwrap();
        eventually(|| carry.status().processed == 50 && sent(&carry.peers()) == [16, 16]);
        let peers = carry.peers();
        assert!(peers.gone == 18 && adds_up(&peers, 50), "{shape:?}: {peers:?}");
        let status = balanced(&carry);
        assert_eq!((status.produced, status.outputs_lost, status.stalled_shards), (50, 18, 0), "{status:?}");
        for worker in &workers {
            worker.activate_blocking().unwrap();
            drain(worker);
        }
        let all: Vec<_> = workers.iter().flat_map(received).collect();
        assert_eq!(all.len(), 32);
    }
}

/// K-01: also of the outputs of one turn, as many are taken as there is room for, wherever that is.
pub fn k01_any_takes_what_room_there_is(bench: &Bench) {
    for shape in [(1, 1), (4, 1)] {
        let workers: [_; 2] = workers(bench, shape, 16);
        let carry = hand_out(bench, shape, &workers, Backpressure::Reject);
        let direct = |i: u64| parcel(i, workers[usize::from(i == 13)].peer(), 1);
        carry.send_batch_blocking(&Vec::from_iter((0..14).map(direct))).unwrap();
        eventually(|| carry.status().processed == 14 && sent(&carry.peers()) == [13, 1]);
        // All of them are there before the block looks, so that one turn has them.
        carry.deactivate_blocking().unwrap();
        carry.send_batch_blocking(&Vec::from_iter((14..20).map(|i| parcel(i, ANY, 3)))).unwrap();
        carry.activate_blocking().unwrap();
        drain(&carry);
        let peers = carry.peers();
        assert!(sent(&peers) == [16, 16] && peers.gone == 0, "{shape:?}: {peers:?}");
        for worker in &workers {
            worker.activate_blocking().unwrap();
            drain(worker);
        }
        let all: Vec<_> = workers.iter().flat_map(received).collect();
        assert_eq!(all.len(), 32);
    }
}

/// K-01: not connected, it goes to the host, with the address of any; also what was held when the kernel was disconnected. An
/// address that is nearly that of any is nobody's.
pub fn k01_any_goes_to_the_host_as_it_is(bench: &Bench) {
    for shape in SHAPES {
        let workers: [_; 2] = workers(bench, shape, 16);
        let carry = hand_out(bench, shape, &workers, Backpressure::Block);
        let nearly = (0..63).map(|bit| Peer::from_bits(ANY.bits() | 1 << bit));
        let nearly: Vec<_> = (1000..).zip(nearly).map(|(i, to)| parcel(i, to, 1)).collect();
        carry.send_batch_blocking(&nearly).unwrap();
        eventually(|| carry.peers().gone == 63);
        carry.send_batch_blocking(&for_any(0..40)).unwrap();
        eventually(|| carry.peers().waiting != 0);
        carry.deactivate_blocking().unwrap();
        let error = carry.connect_peers(&[workers[0].peer(), ANY]).unwrap_err();
        assert_eq!(error, ConnectError::NoSuchPeer { address: ANY.bits(), message: "Item" });
        carry.disconnect().unwrap();
        carry.activate_blocking().unwrap();
        let came: Vec<Addressed<Item>> = (0..8).map(|_| carry.recv_blocking().unwrap()).collect();
        assert!(came.iter().all(|output| output.to == ANY), "{came:?}");
        let mut all: Vec<_> = came.into_iter().map(|output| output.message).collect();
        for worker in &workers {
            worker.activate_blocking().unwrap();
            drain(worker);
            all.extend(received(worker));
        }
        assert!(sequences(&all).into_iter().eq(0..40), "{shape:?}: {all:?}");
    }
}

/// K-01: a variant of what each of them takes may take it.
pub fn k01_any_of_variants(bench: &Bench) {
    let names = ["one", "two"].map(|name| {
        let options = linked(name).actors(WORKERS).grid(2).capacity(16).output_capacity(64);
        coordinate::launch(bench.runtime(), options).unwrap()
    });
    let introduce = introduce::bind(Peer::ANY);
    let introduce = introduce.launch(bench.runtime(), source("introduce").into_variants(true)).unwrap();
    introduce.connect_peers(&names.each_ref().map(|kernel| kernel.peer_of())).unwrap();
    introduce.activate_blocking().unwrap();
    for value in 0..40 {
        let _ = introduce.send_blocking(number(value)).unwrap();
    }
    names.iter().for_each(|kernel| drain(kernel));
    let mut noted: Vec<_> =
        names.iter().flat_map(received).map(|n| (n.kind, n.worker, n.value, n.more)).collect();
    noted.sort_unstable_by_key(|noted| noted.2);
    assert!(noted.iter().copied().eq((0..40).map(|i| (1, (i % WORKERS) as u32, i, 5))), "{noted:?}");
    assert!(introduce.peers().peers.iter().all(|peer| peer.sent != 0));
}

/// K-01: a kernel that waits for any of several is in a cycle that stands still only if all of them are.
pub fn k01_any_waits_in_a_cycle(bench: &Bench) {
    let twice = deal_twice::launch(bench.runtime(), source("twice").capacity(16)).unwrap();
    let [one, two, three] = ["one", "two", "three"]
        .map(|name| next::launch(bench.runtime(), source(name).capacity(16).output_capacity(64)).unwrap());
    let is_cycle = || twice.status().stall.is_some_and(|stall| matches!(stall.end, StallEnd::Cycle(_)));
    connect(&one, &twice);
    connect(&two, &twice);
    twice.connect_peers(&[one.peer(), two.peer(), three.peer()]).unwrap();
    twice.activate_blocking().unwrap();
    let _ = twice.try_send(number(1)).unwrap();
    // The third takes nothing yet; but it may.
    eventually(|| twice.status().stall.is_some() && twice.peers().waiting != 0);
    eventually(|| [&one, &two].iter().all(|kernel| kernel.status().stall.is_some()));
    assert!(!is_cycle(), "{}", twice.status());
    three.activate_blocking().unwrap();
    eventually(|| three.status().processed > 16);
    assert!(!is_cycle(), "{}", twice.status());
    let _ = three.terminate_blocking();
    eventually(is_cycle);
    let _ = twice.terminate_blocking();
}

/// K-01: the outputs of a call go to the caller and the host, also what is for any; nobody else gets them. What is sent besides
/// goes on, while the others have room and while they have not.
pub fn k01_any_in_a_call_is_the_reply(bench: &Bench) {
    for shape in SHAPES {
        let workers: [_; 2] = workers(bench, shape, 16);
        let carry = hand_out(bench, shape, &workers, Backpressure::Block);
        let output = |i, copy| {
            let message = Item { producer: copy, ..parcel(i, ANY, 1).item };
            Addressed { to: ANY, message }
        };
        assert_eq!(carry.call_blocking(parcel(0, ANY, COPIES)), Ok(output(0, 0)), "{shape:?}");
        for copy in 1..COPIES {
            assert_eq!(carry.recv_blocking(), Ok(output(0, copy)), "{shape:?}");
        }
        assert_eq!(carry.call_blocking(parcel(1, ANY, 0)), Err(CallError::NoReply));
        let peers = carry.peers();
        assert_eq!((sent(&peers), peers.waiting, peers.gone), (vec![0, 0], 0, 0), "{shape:?}");

        carry.send_batch_blocking(&for_any(2..34)).unwrap();
        eventually(|| sent(&carry.peers()) == [16, 16]);
        // Nobody has room, which the caller does not need.
        assert_eq!(carry.call_blocking(parcel(34, ANY, 1)), Ok(output(34, 0)), "{shape:?}");
        for worker in &workers {
            worker.activate_blocking().unwrap();
        }
        let _ = carry.send_blocking(parcel(35, ANY, 1)).unwrap();
        drain(&carry);
        let mut all = Vec::new();
        for worker in &workers {
            drain(worker);
            all.extend(received(worker));
        }
        assert!(sequences(&all).into_iter().eq((2..34).chain([35])), "{shape:?}: {all:?}");
        assert!(adds_up(&carry.peers(), 33) && carry.try_recv().is_err());
        let _ = (carry.terminate_blocking(), workers.map(|worker| worker.terminate_blocking()));
    }
}
