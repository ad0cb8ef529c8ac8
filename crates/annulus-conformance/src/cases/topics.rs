//! A kernel sends to all who take a topic. K-05, K-07.

use std::thread;

use annulus_kernel::{Published, Topic};
use annulus_runtime::{Backpressure, ConnectError, KernelHandle, LaunchOptions, TopicError};
use annulus_sync::{AtomicBool, Ordering};

use super::{
    links::{linked, received, sorted, source},
    peers::in_order,
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Item, Number,
        links::{next, pass},
        mix, numbers,
        topics::{Note, TIMES, announce, tell},
    },
};

pub(super) fn note(i: u64, topic: Topic, times: u32) -> Note {
    let item = Item { key: (mix(i) % 5) as u32, producer: 0, sequence: i };
    Note { sender: (i % 4) as u32, times, topic, item }
}

/// What one who takes it gets.
fn copies(note: &Note) -> impl Iterator<Item = Item> + use<> {
    let item = note.item;
    (0..note.times).map(move |producer| Item { producer, ..item })
}

/// K-05: each output reaches every kernel that takes its topic, once, however many of its patterns do; those of one
/// sending actor and one receiving one keep their order; with one thread and several, under load, through small rings.
/// What nobody takes is counted.
pub fn k05_topics_reach_all_who_take_them(bench: &Bench) {
    const NAMES: [&str; 5] = ["room.garden", "room.hall", "room.hall.door", "house", "nobody.takes.this"];
    const TAKERS: [&[&str]; 3] = [&["room.*", "room.garden"], &["room.#", "house"], &["room.hall"]];
    // Which of them takes which name, written out.
    const TAKEN: [[bool; 5]; 3] = [
        [true, true, false, false, false],
        [true, true, true, true, false],
        [false, true, false, false, false],
    ];
    for (block, grid) in [(1, 2), (4, 1)] {
        let target = |index: u32| {
            let options = linked(&format!("pass-{block}-{index}")).grid(1 + index % 2).block(block);
            pass::launch(bench.runtime(), options.capacity(16).output_capacity(256)).unwrap()
        };
        let targets: Vec<KernelHandle<pass>> = (0..3).map(target).collect();
        let options = source(&format!("tell-{block}")).grid(grid).block(block).capacity(256);
        let tell = tell::launch(bench.runtime(), options).unwrap();
        let peers: Vec<_> = targets.iter().map(|kernel| kernel.peer()).collect();
        let topics = tell.connect_topics(&peers).unwrap();
        // Names come before patterns and after them.
        for name in &NAMES[..3] {
            assert_eq!(topics.name(name).unwrap(), Topic::of(name));
        }
        for (patterns, &peer) in TAKERS.iter().zip(&peers) {
            patterns.iter().for_each(|pattern| topics.subscribe(pattern, peer).unwrap());
        }
        topics.name(NAMES[4]).unwrap();
        let known = topics.known().unwrap();
        assert!(known.iter().map(|topic| &*topic.name).eq([
            "house",
            "nobody.takes.this",
            "room.garden",
            "room.hall",
            "room.hall.door"
        ]));
        assert_eq!(known[0].takers, [Some(targets[1].name().to_owned())]);
        assert_eq!(known[3].takers.len(), 3);

        tell.activate_blocking().unwrap();
        let count = bench.size(600, 50_000);
        let sent: Vec<_> = (0..count)
            .map(|i| {
                let name = NAMES[(mix(i + 9) % 5) as usize];
                note(i, Topic::of(name), (mix(i + 5) % (1 + u64::from(TIMES))) as u32)
            })
            .collect();
        let expected = |taken: [bool; 5]| {
            let takes = |note: &&Note| (0..5).any(|name| taken[name] && Topic::of(NAMES[name]) == note.topic);
            let mut all: Vec<_> = sent.iter().filter(takes).flat_map(copies).collect();
            all.sort_unstable_by_key(|item| (item.sequence, item.producer));
            all
        };
        thread::scope(|scope| {
            scope.spawn(|| tell.send_batch_blocking(&sent).unwrap());
            for (kernel, taken) in targets.iter().zip(TAKEN) {
                scope.spawn(move || {
                    let expected = expected(taken);
                    let mut came: Vec<_> =
                        (0..expected.len()).map(|_| kernel.recv_blocking().unwrap()).collect();
                    assert!(in_order(&came), "block {block}: {came:?}");
                    came.sort_unstable_by_key(|item| (item.sequence, item.producer));
                    assert!(came == expected, "block {block}");
                });
            }
        });
        targets.iter().for_each(|kernel| drain(kernel));
        let outputs: u64 = sent.iter().map(|note| u64::from(note.times)).sum();
        let each = TAKEN.map(|taken| expected(taken).len() as u64);
        let nobody: u64 = sent
            .iter()
            .filter(|note| note.topic == Topic::of(NAMES[4]))
            .map(|note| u64::from(note.times))
            .sum();
        let status = balanced(&tell);
        assert_eq!(
            (status.processed, status.produced, status.outputs_lost),
            (count, outputs, nobody),
            "{status:?}"
        );
        let peers = tell.peers();
        assert!(peers.peers.iter().map(|peer| peer.sent).eq(each), "{peers:?} {each:?}");
        assert_eq!(peers.gone, nobody);
        assert!(peers.peers.iter().all(|peer| (peer.held, peer.lost) == (0, 0)), "{peers:?}");
        assert!(targets.iter().all(|kernel| kernel.try_recv().is_err()));
        assert!(tell.try_recv().is_err());
    }
}

/// K-05: who takes what changes while all runs. What is sent after a change meets it. While subscriptions come and go, one
/// who always takes a topic gets all of it, and the others get what they get once, and in order.
pub fn k05_topics_change_while_all_runs(bench: &Bench) {
    let [one, two] = ["one", "two"]
        .map(|name| pass::launch(bench.runtime(), linked(name).capacity(64).output_capacity(256)).unwrap());
    let tell = tell::launch(bench.runtime(), source("tell").capacity(256)).unwrap();
    let topics = tell.connect_topics(&[one.peer(), two.peer()]).unwrap();
    topics.subscribe("news", one.peer()).unwrap();
    tell.activate_blocking().unwrap();
    let news = Topic::of("news");
    let mut next = 0;
    let mut send = |count: u64| {
        let sent: Vec<_> = (next..next + count).map(|i| note(i, news, 1)).collect();
        next += count;
        tell.send_batch_blocking(&sent).unwrap();
        drain(&one);
        drain(&two);
        [received(&one).len() as u64, received(&two).len() as u64]
    };
    for round in 0..bench.size(3, 30) {
        assert_eq!(send(10), [10, 0], "round {round}");
        topics.subscribe("news", two.peer()).unwrap();
        assert_eq!(send(10), [10, 10], "round {round}");
        assert!(topics.unsubscribe("news", two.peer()).unwrap());
        assert!(!topics.unsubscribe("news", two.peer()).unwrap());
    }

    let count = bench.size(400, 20_000);
    let is_over = AtomicBool::new(false);
    let first = next;
    thread::scope(|scope| {
        let all = scope.spawn(|| (0..count).map(|_| one.recv_blocking().unwrap()).collect::<Vec<_>>());
        let some = scope.spawn(|| {
            let mut some = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                some.extend(received(&two));
                thread::yield_now();
            }
            some
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                topics.subscribe("#", two.peer()).unwrap();
                thread::yield_now();
                assert!(topics.unsubscribe("#", two.peer()).unwrap());
            }
        });
        let sent: Vec<_> = (first..first + count).map(|i| note(i, news, 1)).collect();
        tell.send_batch_blocking(&sent).unwrap();
        let mut all = all.join().unwrap();
        drain(&two);
        is_over.store(true, Ordering::Relaxed);
        let mut some = some.join().unwrap();
        some.extend(received(&two));
        assert!(in_order(&all) && in_order(&some));
        all.sort_unstable_by_key(|item| item.sequence);
        some.sort_unstable_by_key(|item| item.sequence);
        assert!(all.iter().map(|item| item.sequence).eq(first..first + count));
        let known = some.windows(2).all(|pair| pair[0].sequence < pair[1].sequence);
        assert!(known && some.iter().all(|item| (first..first + count).contains(&item.sequence)), "{some:?}");
        assert_eq!(tell.peers().peers[1].sent, 10 * bench.size(3, 30) + some.len() as u64);
    });
    assert_eq!(tell.peers().gone, 0);
}

/// K-05: a kernel that is full holds back its own copies, and no other kernel's; then all goes on. Under Reject it alone
/// loses some.
pub fn k05_topics_wait_for_their_own_kernel(bench: &Bench) {
    let full = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(64)).unwrap();
    let free = pass::launch(bench.runtime(), linked("free").capacity(64).output_capacity(256)).unwrap();
    let tell = tell::launch(bench.runtime(), source("tell").capacity(256)).unwrap();
    let topics = tell.connect_topics(&[full.peer(), free.peer()]).unwrap();
    topics.subscribe("all", full.peer()).unwrap();
    topics.subscribe("all", free.peer()).unwrap();
    tell.activate_blocking().unwrap();
    let sent: Vec<_> = (0..40).map(|i| note(i, Topic::of("all"), 1)).collect();
    tell.send_batch_blocking(&sent).unwrap();
    eventually(|| tell.status().stall.is_some_and(|stall| stall.waits_for == ["full"]));
    eventually(|| tell.peers().peers[0].held != 0);
    // The seventeenth went to the one that has room.
    let first: Vec<_> = (0..17).map(|_| free.recv_blocking().unwrap().sequence).collect();
    assert!(first.iter().copied().eq(0..17), "{first:?}");
    full.activate_blocking().unwrap();
    drain(&full);
    drain(&free);
    assert_eq!((received(&full).len(), 17 + received(&free).len()), (40, 40));
    let status = balanced(&tell);
    assert_eq!((status.produced, status.outputs_lost), (40, 0), "{status:?}");

    tell.deactivate_blocking().unwrap();
    full.deactivate_blocking().unwrap();
    let both = [(free.peer(), Backpressure::Block), (full.peer(), Backpressure::Reject)];
    let anew = tell.connect_topics_with(&both).unwrap();
    assert_eq!(topics.subscribe("all", free.peer()), Err(TopicError::Stale { kernel: "tell".into() }));
    // Names are given anew, too.
    assert_eq!(anew.known().unwrap(), []);
    anew.name("all").unwrap();
    anew.subscribe("*", free.peer()).unwrap();
    anew.subscribe("#", full.peer()).unwrap();
    tell.activate_blocking().unwrap();
    for note in &sent {
        let _ = tell.send_blocking(*note).unwrap();
        drain(&free);
    }
    drain(&tell);
    let peers = tell.peers();
    assert_eq!((peers.peers[0].sent, peers.peers[0].lost), (40, 0), "{peers:?}");
    assert_eq!((peers.peers[1].sent, peers.peers[1].lost), (16, 24), "{peers:?}");
    assert_eq!(balanced(&tell).outputs_lost, 24);
    assert_eq!(received(&free).len(), 40);
}

/// K-05: copies that wait are never given to a kernel that has come to another one's place; they go to the host, with
/// their topic, when the kernel is disconnected. What is for a kernel that has terminated is lost for it alone.
pub fn k05_topics_of_the_disconnected_and_the_dead(bench: &Bench) {
    let full = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(64)).unwrap();
    let free = pass::launch(bench.runtime(), linked("free").capacity(64).output_capacity(256)).unwrap();
    let tell = tell::launch(bench.runtime(), source("tell").capacity(256)).unwrap();
    let topics = tell.connect_topics(&[full.peer(), free.peer()]).unwrap();
    topics.subscribe("all", full.peer()).unwrap();
    tell.activate_blocking().unwrap();
    let sent: Vec<_> = (0..18).map(|i| note(i, Topic::of("all"), 1)).collect();
    tell.send_batch_blocking(&sent).unwrap();
    eventually(|| tell.peers().peers[0].held != 0);
    tell.deactivate_blocking().unwrap();
    let held = tell.peers().peers[0].held;
    let error = tell.connect_topics(&[free.peer()]).unwrap_err();
    assert_eq!(error, ConnectError::Holds { kernel: "tell".into(), held });
    tell.disconnect().unwrap();
    assert_eq!(topics.known(), Err(TopicError::Stale { kernel: "tell".into() }));
    tell.activate_blocking().unwrap();
    for sequence in 16..18 {
        let came = tell.recv_blocking().unwrap();
        assert_eq!((came.topic, came.message.sequence), (Topic::of("all"), sequence));
    }
    let _ = tell.send_blocking(sent[3]).unwrap();
    assert_eq!(tell.recv_blocking().unwrap(), Published { topic: Topic::of("all"), message: sent[3].item });
    assert_eq!(balanced(&tell).outputs_lost, 0);

    tell.deactivate_blocking().unwrap();
    full.activate_blocking().unwrap();
    let topics = tell.connect_topics(&[full.peer(), free.peer()]).unwrap();
    topics.name("all").unwrap();
    topics.subscribe("#", full.peer()).unwrap();
    topics.subscribe("*", free.peer()).unwrap();
    tell.activate_blocking().unwrap();
    drain(&full);
    let _ = full.terminate_blocking();
    tell.send_batch_blocking(&sent).unwrap();
    drain(&free);
    drain(&tell);
    let peers = tell.peers();
    assert_eq!((peers.peers[0].lost, peers.peers[1].sent, peers.gone), (18, 18, 0), "{peers:?}");
    assert_eq!(received(&free).len(), 18);
    let name = topics.name("all").unwrap();
    drop(full);
    assert_eq!(topics.known().unwrap()[0].takers.len(), 2);
    let _ = tell.terminate_blocking();
    assert_eq!(topics.name("all"), Err(TopicError::Gone { kernel: "tell".into() }));
    assert_eq!(name, Topic::of("all"));
}

/// K-07: a table of many topics; one that is full; topics that a program has as constants; and refusals.
pub fn k07_tables_of_topics_have_room_for_what_was_asked(bench: &Bench) {
    let [one, two] = ["one", "two"]
        .map(|name| pass::launch(bench.runtime(), linked(name).capacity(64).output_capacity(2048)).unwrap());
    let tell = tell::launch(bench.runtime(), source("tell").topics(1000).capacity(2048)).unwrap();
    let topics = tell.connect_topics(&[one.peer(), two.peer()]).unwrap();
    let name = |i: u64| format!("house.{}.room.{i}", i % 7);
    for i in 0..1000 {
        let peer = [one.peer(), two.peer()][(i % 3 == 0) as usize];
        topics.subscribe(&name(i), peer).unwrap();
    }
    let error = topics.name("one.more").unwrap_err();
    assert_eq!(error, TopicError::TooMany { kernel: "tell".into(), known: 1000 });
    assert!(error.to_string().contains("topics(2000)"), "{error}");
    // They were known before.
    topics.subscribe("house.*.room.#", two.peer()).unwrap();
    tell.activate_blocking().unwrap();
    let sent: Vec<_> = (0..1000).map(|i| note(i, Topic::of(&name(i)), 1)).collect();
    tell.send_batch_blocking(&sent).unwrap();
    let mut came: Vec<_> = (0..666).map(|_| one.recv_blocking().unwrap().sequence).collect();
    came.sort_unstable();
    assert!(came.into_iter().eq((0..1000).filter(|i| i % 3 != 0)));
    let mut came: Vec<_> = (0..1000).map(|_| two.recv_blocking().unwrap().sequence).collect();
    came.sort_unstable();
    assert!(came.into_iter().eq(0..1000));

    let other = pass::launch(bench.runtime(), linked("other").capacity(64)).unwrap();
    let error = topics.subscribe("all", other.peer()).unwrap_err();
    assert_eq!(error, TopicError::NotConnected { kernel: "tell".into(), address: other.peer().bits() });
    assert!(matches!(topics.name("a.*"), Err(TopicError::Name { .. })));
    assert!(matches!(topics.subscribe("a..b", one.peer()), Err(TopicError::Pattern { .. })));
}

/// K-07: the host takes topics as a kernel does: one copy of each output, with its topic, in order; beside kernels, and alone;
/// by one thread and several, under load.
pub fn k07_host_listens(bench: &Bench) {
    const NAMES: [&str; 4] = ["both.loud", "both.quiet", "host", "nobody.takes.this"];
    for (block, grid) in [(1, 2), (4, 1)] {
        let options = linked(&format!("pass-{block}")).capacity(16).output_capacity(64);
        let kernel = pass::launch(bench.runtime(), options).unwrap();
        let options = source(&format!("tell-{block}")).grid(grid).block(block).capacity(256);
        let tell = tell::launch(bench.runtime(), options.output_capacity(64)).unwrap();
        let topics = tell.connect_topics(&[kernel.peer()]).unwrap();
        topics.name(NAMES[0]).unwrap();
        topics.subscribe("both.*", kernel.peer()).unwrap();
        // By two patterns, of which one is a name: one copy.
        topics.listen("both.#").unwrap();
        topics.listen(NAMES[1]).unwrap();
        topics.listen(NAMES[2]).unwrap();
        let known = topics.known().unwrap();
        assert!(known.iter().map(|topic| (topic.takers.len(), topic.host)).eq([
            (1, true),
            (1, true),
            (0, true)
        ]));
        tell.activate_blocking().unwrap();
        let count = bench.size(400, 20_000);
        let sent: Vec<_> = (0..count)
            .map(|i| {
                let name = NAMES[(mix(i + 1) % 4) as usize];
                note(i, Topic::of(name), (mix(i + 2) % u64::from(TIMES + 1)) as u32)
            })
            .collect();
        let copies_on = |names: &[&str]| {
            let is_on = |note: &&Note| names.iter().any(|name| Topic::of(name) == note.topic);
            sent.iter().filter(is_on).flat_map(|note| copies(note).map(|item| (note.topic, item))).collect()
        };
        let to_host: Vec<(Topic, Item)> = copies_on(&NAMES[..3]);
        let to_kernel: Vec<(Topic, Item)> = copies_on(&NAMES[..2]);
        let nobody = copies_on(&NAMES[3..]).len() as u64;
        let by_number = |item: &Item| (item.sequence, item.producer);
        thread::scope(|scope| {
            scope.spawn(|| tell.send_batch_blocking(&sent).unwrap());
            let came = scope.spawn(|| {
                let receive = |_| tell.recv_blocking().unwrap();
                to_host.iter().map(receive).map(|came| (came.topic, came.message)).collect::<Vec<_>>()
            });
            let receive = |_| kernel.recv_blocking().unwrap();
            let mut passed: Vec<_> = to_kernel.iter().map(receive).collect();
            let mut came = came.join().unwrap();
            assert!(in_order(&passed));
            assert!(in_order(&came.iter().map(|(_, item)| *item).collect::<Vec<_>>()), "block {block}");
            passed.sort_unstable_by_key(by_number);
            came.sort_unstable_by_key(|(_, item)| by_number(item));
            assert!(passed.iter().eq(to_kernel.iter().map(|(_, item)| item)), "block {block}");
            assert!(came == to_host, "block {block}");
        });
        drain(&tell);
        let status = balanced(&tell);
        assert_eq!((status.processed, status.outputs_lost), (count, nobody), "{status:?}");
        let peers = tell.peers();
        assert_eq!((peers.host, peers.gone), (to_host.len() as u64, nobody), "{peers:?}");
        assert_eq!((peers.peers[0].sent, peers.peers[0].held), (to_kernel.len() as u64, 0), "{peers:?}");
        assert!(tell.try_recv().is_err() && kernel.try_recv().is_err());
    }
}

/// K-07: the host begins to listen and ends while all runs. It gets its copy although a kernel that takes the same is full; a
/// host that does not receive holds the kernel back, and loses nothing.
pub fn k07_host_listens_beside_a_full_kernel(bench: &Bench) {
    let full = pass::launch(bench.runtime(), source("full").capacity(16).output_capacity(64)).unwrap();
    let tell = tell::launch(bench.runtime(), source("tell").capacity(256).output_capacity(64)).unwrap();
    let topics = tell.connect_topics(&[full.peer()]).unwrap();
    topics.subscribe("all", full.peer()).unwrap();
    topics.listen("#").unwrap();
    tell.activate_blocking().unwrap();
    let sent: Vec<_> = (0..200).map(|i| note(i, Topic::of("all"), 1)).collect();
    tell.send_batch_blocking(&sent[..40]).unwrap();
    eventually(|| tell.status().stall.is_some_and(|stall| stall.waits_for == ["full"]));
    for sequence in 0..17 {
        assert_eq!(tell.recv_blocking().unwrap().message.sequence, sequence);
    }
    full.activate_blocking().unwrap();
    for sequence in 17..40 {
        assert_eq!(tell.recv_blocking().unwrap().message.sequence, sequence);
    }
    drain(&full);
    assert_eq!(received(&full).len(), 40);

    // Nobody receives what the host takes: the block waits, and loses nothing.
    let receive = |count: usize| {
        for _ in 0..count {
            full.recv_blocking().unwrap();
        }
    };
    tell.send_batch_blocking(&sent).unwrap();
    eventually(|| tell.status().stall.is_some());
    assert!(tell.status().processed < 240, "{:?}", tell.status());
    thread::scope(|scope| {
        scope.spawn(|| receive(200));
        for sequence in 0..200 {
            assert_eq!(tell.recv_blocking().unwrap().message.sequence, sequence);
        }
    });

    assert!(topics.unlisten("#").unwrap());
    assert!(!topics.unlisten("#").unwrap());
    tell.send_batch_blocking(&sent[..20]).unwrap();
    receive(20);
    topics.listen("all").unwrap();
    tell.send_batch_blocking(&sent[..20]).unwrap();
    receive(20);
    assert!(topics.unsubscribe("all", full.peer()).unwrap());
    tell.send_batch_blocking(&sent[20..40]).unwrap();
    for sequence in 0..40 {
        let came = tell.recv_blocking().unwrap();
        assert_eq!((came.topic, came.message.sequence), (Topic::of("all"), sequence));
    }
    drain(&tell);
    let (status, peers) = (balanced(&tell), tell.peers());
    assert_eq!((status.processed, status.produced, status.outputs_lost), (300, 300, 0), "{status:?}");
    assert_eq!((peers.host, peers.peers[0].sent, peers.gone), (280, 280, 0), "{peers:?}");
    assert!(tell.try_recv().is_err() && full.try_recv().is_err());
}

/// K-07: what is held for a full kernel goes to the host when all kernels are disconnected, but for what the host has heard.
pub fn k07_host_hears_once(bench: &Bench) {
    for block in [1, 4] {
        for (name, comes_again) in [("all", false), ("kernels", true)] {
            let options = |who: &str| source(&format!("{who}-{name}-{block}")).output_capacity(64);
            let full = pass::launch(bench.runtime(), options("full").capacity(16)).unwrap();
            let tell = tell::launch(bench.runtime(), options("tell").block(block).capacity(64)).unwrap();
            let topics = tell.connect_topics(&[full.peer()]).unwrap();
            topics.subscribe("#", full.peer()).unwrap();
            topics.name("kernels").unwrap();
            topics.listen("all").unwrap();
            tell.activate_blocking().unwrap();
            let numbered = |i: u64, name: &str| note(i, Topic::of(name), 1);
            let fills: Vec<_> = (0..16).map(|i| numbered(i, "kernels")).collect();
            tell.send_batch_blocking(&fills).unwrap();
            eventually(|| tell.status().processed == 16);
            let _ = tell.send_blocking(numbered(16, name)).unwrap();
            eventually(|| tell.status().stall.is_some_and(|stall| stall.waits_for == [full.name()]));

            tell.deactivate_blocking().unwrap();
            tell.disconnect().unwrap();
            tell.activate_blocking().unwrap();
            let _ = tell.send_blocking(numbered(17, "kernels")).unwrap();
            // The host hears of 16 once, whether it listens, or gets it back.
            for sequence in [16, 17] {
                assert_eq!(tell.recv_blocking().unwrap().message.sequence, sequence, "{name}, {block}");
            }
            drain(&tell);
            assert!(tell.try_recv().is_err(), "{name}, {block}");
            let status = balanced(&tell);
            assert_eq!((status.processed, status.outputs_lost), (18, 0), "{status:?}");
            assert_eq!(tell.peers().host, u64::from(!comes_again), "{name}, {block}");
            full.activate_blocking().unwrap();
            drain(&full);
            assert_eq!(received(&full).len(), 16);
        }
    }
}

/// K-05: topics that a program has as constants, without keys, by one thread and several.
pub fn k05_topics_as_constants(bench: &Bench) {
    for block in [1, 4] {
        let [threes, all] = ["threes", "all"].map(|name| {
            let options = linked(&format!("{name}-{block}")).block(block).capacity(16).output_capacity(64);
            next::launch(bench.runtime(), options).unwrap()
        });
        let options = LaunchOptions::default().name(format!("announce-{block}"));
        let options = options.connectable(true).active(false).block(block);
        let announce = announce::launch(bench.runtime(), options).unwrap();
        let topics = announce.connect_topics(&[threes.peer(), all.peer()]).unwrap();
        topics.subscribe("number.threes", threes.peer()).unwrap();
        topics.name("number.others").unwrap();
        topics.subscribe("number.#", all.peer()).unwrap();
        announce.activate_blocking().unwrap();
        announce.send_batch_blocking(&numbers(0..60)).unwrap();
        drain(&threes);
        drain(&all);
        let expected: Vec<_> = (0..20).map(|i| Number { value: 3 * i + 1 }).collect();
        assert_eq!(sorted(received(&threes)), expected);
        assert_eq!(sorted(received(&all)), numbers(1..61));
        let status = balanced(&announce);
        assert_eq!((status.produced, status.outputs_lost), (60, 0), "{status:?}");
    }
}
