//! The table of bridges says what was written, and no counts of one bridge under the name of another.

use std::mem::offset_of;

use annulus_abi::vitals::{
    bridges::{BridgeCounts, BridgeEntry, COUNTS, bridge_kind, bridge_state, bridges},
    field,
};

const ENTRY: usize = size_of::<BridgeEntry>();

/// A bridge whose counts are all the same.
fn entry(number: u64, state: u32, count: u64) -> BridgeEntry {
    BridgeEntry {
        state,
        reserved: 0,
        counts: BridgeCounts::from_words([count; COUNTS]),
        waits: 1,
        waits_runtime: 70 + number,
        waits_kernel: 80 + number,
        changing: 0,
        number,
        kernel: 30 + number,
        began: 40 + number,
        kind: bridge_kind::TO_KERNELS,
        outbox: 2,
        from: field("parse"),
        to: field("count"),
        constant: [0; 11],
        check: 0,
    }
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[test]
fn the_reader_finds_bridges() {
    let table = [
        bytes(&entry(1, bridge_state::WORKS, 5).to_words()),
        vec![0; ENTRY],
        bytes(&entry(2, bridge_state::ENDED, 7).to_words()),
    ]
    .concat();
    let found: Vec<_> = bridges([&table; 3]).collect();
    assert_eq!(found.len(), 2, "one is free");
    let bridge = found[0];
    assert_eq!((bridge.number(), bridge.kernel(), bridge.began()), (1, 31, 41));
    assert_eq!((bridge.from(), bridge.to()), ("parse", "count"));
    assert_eq!((bridge.kind(), bridge.outbox()), (bridge_kind::TO_KERNELS, Some(1)));
    assert_eq!((bridge.counts().moved, bridge.counts().held, bridge.has_ended()), (5, 5, false));
    assert_eq!(bridge.waits_for(), Some((71, 81)));
    assert_eq!((found[1].number(), found[1].has_ended()), (2, true));
    // Whatever is missing or changed is no bridge, and nothing else happens.
    for length in 0..table.len() {
        let all = bridges([&table, &table[..length], &table]).count();
        assert_eq!(all, [1, 3].into_iter().filter(|entries| entries * ENTRY <= length).count());
    }
    for bit in 8 * offset_of!(BridgeEntry, number)..8 * ENTRY {
        let mut flipped = table.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(bridges([&flipped; 3]).count(), 1, "bit {bit}");
    }
}

/// The steps by which a runtime gives an entry to another bridge, and three copies, each torn over several steps.
#[test]
fn counts_are_those_of_the_bridge() {
    let (before, after) =
        (entry(1, bridge_state::ENDED, 1).to_words(), entry(2, bridge_state::WORKS, 2).to_words());
    let (state, number) = (0, offset_of!(BridgeEntry, number) / 8);
    let mut moments = vec![before];
    let mut step = |at: usize, word: u64| {
        let mut next = *moments.last().expect("there is one");
        next[at] = word;
        moments.push(next);
    };
    step(state, 0);
    step(number, 0);
    for at in 1..before.len() {
        step(at, 0);
    }
    let described = |at: &usize| *at >= number;
    for at in (1..before.len()).filter(described) {
        step(at, after[at]);
    }
    step(state, after[state]);
    // Counts of the new one, as they come.
    (1..number).for_each(|at| step(at, after[at]));
    let last = moments.len() - 1;
    // A copy of words of two moments, split at a word either way.
    let torn = |[first, second]: [usize; 2], cut: usize, turned: bool| {
        let [low, high] = if turned { [second, first] } else { [first, second] };
        bytes(&[&moments[low][..cut], &moments[high][cut..]].concat())
    };
    let times: Vec<usize> = (0..=last).step_by(5).chain([1, 2, 3, last]).collect();
    let cuts = [1, 4, number, number + 1, 40, 63];
    let mut found = [0; 2];
    for (a, b) in times.iter().flat_map(|&a| times.iter().map(move |&b| (a, b))).filter(|(a, b)| a <= b) {
        for (c, d) in
            times.iter().flat_map(|&c| times.iter().map(move |&d| (c, d))).filter(|(c, d)| b <= *c && c <= d)
        {
            for (cut, turned) in cuts.into_iter().flat_map(|cut| [(cut, false), (cut, true)]) {
                let copies =
                    [torn([a, b], cut, turned), torn([b, c], cut, !turned), torn([c, d], cut, turned)];
                for bridge in bridges(copies.each_ref().map(Vec::as_slice)) {
                    let counts = bridge.counts().to_words();
                    match bridge.number() {
                        1 => assert_eq!(counts, [1; COUNTS], "{a} {b} {c} {d} {cut}"),
                        _ => assert!(counts.iter().all(|&count| count != 1), "{a} {b} {c} {d} {cut}"),
                    }
                    found[bridge.number() as usize - 1] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|&count| count > 100), "{found:?}");
}
