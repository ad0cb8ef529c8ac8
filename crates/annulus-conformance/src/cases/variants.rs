//! A kernel whose message is an enum takes its variants' types from several kernels. K-01.

use std::{collections::BTreeMap, thread};

use annulus_runtime::{Backpressure, Bound, ConnectError, KernelHandle, LaunchOptions, Reason, Topology};

use super::{
    links::{linked, received, sorted, source},
    ports::items,
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Item, Number,
        links::pass,
        mix, number, numbers,
        ports::sort_out,
        variants::{
            Event, Finished, Joined, NOT_WELCOME, Note, Noted, Seen, WORKERS, coordinate, cut, finish, join,
            read_notes,
        },
    },
};

/// What the coordinator notes of a number that workers join or finish with, of an item, and of who left.
fn of_join(value: u64) -> (u32, u32, u64, u64) {
    (1, (value % WORKERS) as u32, value as u16 as u64, 5)
}

fn of_finish(value: u64) -> [(u32, u32, u64, u64); 2] {
    [0, 1].map(|more| (2, (value % WORKERS) as u32, value, value * 3 + more))
}

fn of_item(item: &Item) -> (u32, u32, u64, u64) {
    (3, item.key, item.sequence, item.producer.into())
}

/// By kind and worker, in the order in which they were noted.
fn by_sender(noted: impl Iterator<Item = (u32, u32, u64, u64)>) -> BTreeMap<(u32, u32), Vec<(u64, u64)>> {
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    noted.for_each(|(kind, worker, value, more)| all.entry((kind, worker)).or_default().push((value, more)));
    all
}

fn plain(name: &str) -> LaunchOptions {
    LaunchOptions::default().name(name)
}

/// K-01: three kernels with three types of outputs, and the host, send to one whose message is an enum of these.
/// Each output becomes a message of its variant, once, and those of one sender and one actor keep their order;
/// with one thread and with several, under load, and with small rings.
pub fn k01_variants_take_their_types(bench: &Bench) {
    for (block, grid, capacity) in [(1, 2, 16), (4, 1, 64)] {
        let name = |of: &str| format!("{of}-{block}");
        let options = linked(&name("coordinate")).grid(grid).actors(WORKERS).block(block).capacity(capacity);
        let coordinator = coordinate::launch(bench.runtime(), options.output_capacity(256)).unwrap();
        let from = |of: &str| plain(&name(of)).block(block).capacity(64);
        let joined = join::launch_into(&coordinator, from("join")).unwrap();
        let finished = finish::launch_into(&coordinator, from("finish").grid(2)).unwrap();
        let worked = pass::launch_into(&coordinator, from("pass").grid(2)).unwrap();
        let count = bench.size(300, 50_000);
        // A round has sixteen bits.
        let count = count.min(60_000);
        let sent = items(count, |i| mix(i) % 1000);
        let sent: Vec<_> = sent.iter().map(|item| Item { key: item.key % WORKERS as u32, ..*item }).collect();
        let all = (5 * count) as usize;
        let noted: Vec<Noted> = thread::scope(|scope| {
            scope.spawn(|| joined.send_batch_blocking(&numbers(0..count)).unwrap());
            scope.spawn(|| finished.send_batch_blocking(&numbers(0..count)).unwrap());
            scope.spawn(|| worked.send_batch_blocking(&sent).unwrap());
            scope.spawn(|| {
                let left = |why| Event::Left { why: why as u32, worker: (why % WORKERS) as u8 };
                let left: Vec<_> = (0..count).map(left).collect();
                coordinator.send_batch_blocking(&left).unwrap();
            });
            (0..all).map(|_| coordinator.recv_blocking().unwrap()).collect()
        });
        drain(&coordinator);
        let expected = (0..count).map(|why| (0, (why % WORKERS) as u32, why, 0));
        let expected = expected.chain((0..count).map(of_join)).chain(sent.iter().map(of_item));
        let expected = by_sender(expected.chain((0..count).flat_map(of_finish)));
        let mut found = by_sender(noted.iter().map(|note| (note.kind, note.worker, note.value, note.more)));
        // Messages without a key go to any block of their kernel, and what these send has no order among them.
        found.iter_mut().filter(|((kind, _), _)| *kind == 2).for_each(|(_, values)| values.sort_unstable());
        assert!(found == expected, "block {block}: {found:?} is not {expected:?}");
        let status = balanced(&coordinator);
        assert_eq!((status.processed, status.drops.failed), (all as u64, 0), "{status:?}");
        assert_eq!((balanced(&finished).produced, balanced(&finished).outputs_lost), (2 * count, 0));
    }
}

/// K-01: the key of a variant that takes a message is that message's, whatever its place and width: each reaches
/// the block and the state of its actor. What fails, or names nobody, is a dead letter with all of the message.
pub fn k01_keys_of_inner_messages(bench: &Bench) {
    let options = linked("coordinate").grid(3).actors(WORKERS).capacity(16).output_capacity(256);
    let coordinator = coordinate::launch(bench.runtime(), options).unwrap();
    let joined = join::launch_into(&coordinator, plain("join").capacity(64)).unwrap();
    let finished = finish::launch_into(&coordinator, plain("finish").capacity(64)).unwrap();
    let count = 3 * WORKERS + 2;
    for value in 0..count {
        let _ = joined.send_blocking(number(value)).unwrap();
        let _ = finished.send_blocking(number(value)).unwrap();
    }
    let _ = joined.send_blocking(number(u64::MAX)).unwrap();
    let _ = joined.send_blocking(number(u64::MAX - 1)).unwrap();
    drain(&coordinator);
    let mut states = vec![Seen::default(); WORKERS as usize];
    for (_, worker, value, _) in
        (0..count).flat_map(|value| [of_join(value), of_finish(value)[0], of_finish(value)[1]])
    {
        let state = &mut states[worker as usize];
        state.count += 1;
        state.sum += value;
    }
    coordinator.deactivate_blocking().unwrap();
    assert_eq!(coordinator.snapshot_blocking().unwrap().states::<Seen>().unwrap(), states);
    let mut nth: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    received(&coordinator).iter().for_each(|noted| nth.entry(noted.worker).or_default().push(noted.nth));
    for (worker, nth) in nth {
        assert!(nth.iter().copied().eq(1..=states[worker as usize].count), "{worker}: {nth:?}");
    }
    let letters = coordinator.dead_letters().unwrap();
    eventually(|| coordinator.dead_letters().unwrap().len() == 2);
    let mut letters: Vec<_> = letters.take_batch().into_iter().map(|l| (l.message, l.reason)).collect();
    letters.sort_by_key(|(message, _)| matches!(message, Event::Joined(Joined { worker: 999, .. })));
    let worker = (u64::MAX % WORKERS) as u16;
    assert_eq!(letters[0].0, Event::Joined(Joined { weight: u16::MAX, worker, round: u16::MAX }));
    assert_eq!(letters[0].1, Reason::Handler { code: NOT_WELCOME });
    assert_eq!(letters[1].0, Event::Joined(Joined { weight: 5, worker: 999, round: u16::MAX - 1 }));
    assert_eq!(balanced(&coordinator).drops.failed, 1);
}

/// K-01: without keys, with a tag of one byte, and with outputs that have no bytes or end inside of a word; from
/// several outboxes of one kernel, whose targets take each in a way of its own.
pub fn k01_variants_of_several_outboxes(bench: &Bench) {
    for block in [1, 4] {
        let name = |of: &str| format!("{of}-{block}");
        let notes = linked(&name("notes")).block(block).capacity(16).output_capacity(1024);
        let notes = read_notes::launch(bench.runtime(), notes).unwrap();
        let options = linked(&name("coordinate")).actors(WORKERS).capacity(16).output_capacity(1024);
        let coordinator = coordinate::launch(bench.runtime(), options).unwrap();
        let cut = cut::launch_into(&notes, plain(&name("cut")).block(block)).unwrap();
        let bound: Bound<sort_out> = sort_out::bind();
        let bound = bound.connect_port(sort_out::NUMBERS, &notes).connect_port(sort_out::MARKS, &notes);
        let bound = bound.connect_port(sort_out::KEPT, &coordinator);
        let options = plain(&name("sort")).grid(2).block(block).actors(WORKERS);
        let sort = bound.launch(bench.runtime(), options).unwrap();
        let count = 240;
        let sent: Vec<_> = items(count, |i| mix(i) % 3)
            .iter()
            .map(|item| Item { key: item.key % WORKERS as u32, ..*item })
            .collect();
        sort.send_batch_blocking(&sent).unwrap();
        cut.send_batch_blocking(&numbers(65_000..65_000 + count)).unwrap();
        let _ = notes.send_blocking(Note::Tick).unwrap();
        drain(&notes);
        drain(&coordinator);
        let model = super::ports::model(&sent);
        let mut expected: Vec<_> = model.numbers.iter().map(|n| Number { value: n.value * 10 + 2 }).collect();
        expected.extend((65_000..65_000 + count).map(|value| Number { value: value * 10 + 3 }));
        expected.extend(std::iter::repeat_n(Number { value: 4 }, model.marks));
        expected.push(Number { value: 1 });
        assert_eq!(sorted(received(&notes)), sorted(expected), "block {block}");
        let kept = received(&coordinator);
        let kept = by_sender(kept.iter().map(|noted| (noted.kind, noted.worker, noted.value, noted.more)));
        let expected = by_sender(model.kept.values().flatten().map(of_item));
        assert_eq!(kept, expected, "block {block}");
        assert_eq!(balanced(&sort).outputs_lost, 0);
    }
}

/// K-01: outputs for a variant wait for room, are lost under Reject, and go to the host when their kernel is
/// disconnected, as they were sent.
pub fn k01_variants_wait_and_are_lost(bench: &Bench) {
    let options = source("coordinate").actors(WORKERS).capacity(16).output_capacity(64);
    let coordinator = coordinate::launch(bench.runtime(), options).unwrap();
    let finish = finish::launch(bench.runtime(), source("finish").capacity(64).into_variants(true)).unwrap();
    finish.connect(&coordinator).unwrap();
    finish.activate_blocking().unwrap();
    finish.send_batch_blocking(&numbers(0..20)).unwrap();
    eventually(|| finish.status().stall.is_some_and(|stall| stall.for_kernel == 1));
    coordinator.activate_blocking().unwrap();
    drain(&coordinator);
    let noted = received(&coordinator);
    let noted = by_sender(noted.iter().map(|noted| (noted.kind, noted.worker, noted.value, noted.more)));
    assert_eq!(noted, by_sender((0..20).flat_map(of_finish)));

    coordinator.deactivate_blocking().unwrap();
    finish.send_batch_blocking(&numbers(20..40)).unwrap();
    eventually(|| finish.status().stall.is_some_and(|stall| stall.for_kernel == 1));
    finish.deactivate_blocking().unwrap();
    finish.disconnect().unwrap();
    finish.activate_blocking().unwrap();
    let expected = |value: u64| {
        of_finish(value).map(|(_, worker, value, more)| Finished {
            result: more as u32,
            worker,
            round: value as u32,
        })
    };
    let rest: Vec<_> = (0..40 - 16).map(|_| finish.recv_blocking().unwrap()).collect();
    assert!(rest.iter().copied().eq((20 + 8..40).flat_map(expected)), "{rest:?}");

    finish.deactivate_blocking().unwrap();
    finish.connect_with(&coordinator, Backpressure::Reject).unwrap();
    finish.activate_blocking().unwrap();
    finish.send_batch_blocking(&numbers(40..50)).unwrap();
    drain(&finish);
    assert_eq!(balanced(&finish).outputs_lost, 20);
    coordinator.activate_blocking().unwrap();
    drain(&coordinator);
    assert_eq!(received(&coordinator).len(), 16);
}

/// K-01: a kernel that was launched for messages as they are is not connected to one that takes them as a
/// variant, and the error says how; a topology finds the variant by itself.
pub fn k01_variants_are_said_at_launch(bench: &Bench) {
    let options = linked("coordinate").actors(WORKERS);
    let coordinator = coordinate::launch(bench.runtime(), options.clone()).unwrap();
    let join: KernelHandle<join> = join::launch(bench.runtime(), source("join")).unwrap();
    let error = join.connect(&coordinator).unwrap_err();
    let expected = ConnectError::NotIntoVariants { source: "join".into(), target: "coordinate".into() };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("LaunchOptions::into_variants(true)"), "{error}");

    let topology = Topology::new()
        .kernel("all", coordinate::bind(), options)
        .kernel("one", crate::kernels::variants::join::bind(), LaunchOptions::default())
        .kernel("two", finish::bind(), LaunchOptions::default())
        .link("one", "all")
        .link("two", "all");
    assert_eq!(topology.check().unwrap().order[0], "all");
    let running = topology.launch(bench.runtime()).unwrap();
    let send = |name: &str| running.runtime().sender::<Number>(name).unwrap();
    let _ = send("one").send_blocking(number(3)).unwrap();
    let _ = send("two").send_blocking(number(5)).unwrap();
    let noted = running.runtime().receiver::<Noted>("all").unwrap();
    let mut kinds: Vec<_> = (0..3).map(|_| noted.recv_blocking().unwrap().kind).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [1, 2, 2]);
    let wrong = Topology::new()
        .kernel("notes", read_notes::bind(), LaunchOptions::default())
        .kernel("one", crate::kernels::variants::join::bind(), LaunchOptions::default())
        .link("one", "notes");
    let error = wrong.check().unwrap_err().to_string();
    assert!(
        error.contains("`one` sends `Joined`, and `notes` takes `Note` or `Number` or `Bytes3` or `Done`"),
        "{error}"
    );
}
