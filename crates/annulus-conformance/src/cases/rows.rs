//! A kernel sends along the rows of a graph: one output, as many copies as the row has entries. K-05.

use std::{collections::BTreeMap, pin::pin, thread};

use annulus_kernel::{Along, Rows};
use annulus_runtime::{
    Backpressure, ConnectError, KernelHandle, LaunchError, LaunchOptions, LaunchProblem, StallEnd, block_on,
};

use super::{
    links::{linked, received, source},
    messages::poll_once,
};
use crate::{
    Bench,
    bench::{Random, balanced, drain, eventually},
    kernels::{
        Number,
        rows::{Hop, NOT_TODAY, Order, Visit, arrive, hear, hint, push, search, spread},
    },
};

/// A graph of so many rows, with rows of many lengths: a half are empty or short, one is long. Some keys come twice.
fn random_graph(random: &mut Random, rows: u32, actors: u32, longest: u64) -> Rows {
    let lists = (0..rows).map(|row| {
        let most = match row {
            3 => longest,
            row if row % 2 == 0 => 3,
            _ => 20,
        };
        let length = if row == 3 { longest } else { random.below(most) };
        (0..length).map(|_| random.below(actors.into()) as u32).collect::<Vec<u32>>()
    });
    Rows::of_lists(lists).unwrap()
}

fn values(rows: &Rows) -> Vec<i32> {
    (0..rows.entries() as i32).map(|entry| entry * 7 - 100).collect()
}

/// The copies that come of an order, by a plain loop.
fn copies(rows: &Rows, values: Option<&[i32]>, order: &Order) -> Vec<Hop> {
    let mut all = Vec::new();
    for time in 0..if order.fails == 0 { order.times } else { 0 } {
        let row = order.row.wrapping_add(time);
        let Some(keys) = rows.row(row as usize) else { continue };
        let first = (0..row as usize).map(|row| rows.row(row).unwrap().len()).sum::<usize>();
        for (i, &to) in keys.iter().enumerate().skip(order.from as usize) {
            let weight = values.map_or(-5, |values| values[first + i]);
            all.push(Hop { row, sequence: order.sequence, to, weight, time });
        }
    }
    all
}

/// Whether the copies to each actor came in the order in which each sender sent them. Orders' senders are their sequences
/// modulo 3.
fn in_order(came: &[Hop]) -> bool {
    let mut last = BTreeMap::new();
    came.iter().all(|hop| {
        let at = (hop.sequence, hop.time);
        last.insert((hop.sequence % 3, hop.to), at).is_none_or(|before| before <= at)
    })
}

fn sorted(mut hops: Vec<Hop>) -> Vec<Hop> {
    hops.sort_unstable();
    hops
}

/// Random orders through a random graph, while another thread receives; compared with a plain loop.
fn reaches(bench: &Bench, with_values: bool, hold: u32) {
    for (block, grid, targets, capacity) in [(1, 1, 1, 16), (1, 2, 3, 64), (4, 1, 2, 16)] {
        let mut random = Random(u64::from(block * 10 + grid));
        let rows = random_graph(&mut random, 40, 50, 150);
        let values = with_values.then(|| values(&rows));
        let graph = match &values {
            Some(values) => rows.clone().with_values(values).unwrap(),
            None => rows.clone(),
        };
        let name = format!("{block}-{grid}-{hold}");
        let options = linked(&format!("arrive-{name}")).grid(targets).block(block).capacity(capacity);
        let arrive = arrive::launch(bench.runtime(), options.output_capacity(256)).unwrap();
        let options = source(&format!("spread-{name}")).grid(grid).block(block).capacity(256);
        let spread = spread::launch(bench.runtime(), options.rows(graph).hold(hold)).unwrap();
        spread.connect_along(&arrive).unwrap();
        spread.activate_blocking().unwrap();

        let count = bench.size(400, 20_000) as u32;
        let orders: Vec<_> = (0..count)
            .map(|sequence| Order {
                sender: sequence % 3,
                row: random.below(42) as u32,
                from: if random.below(4) == 0 { random.below(6) as u32 } else { 0 },
                sequence,
                times: random.below(4) as u32,
                fails: u32::from(random.below(10) == 0),
            })
            .collect();
        let expected: Vec<_> =
            orders.iter().flat_map(|order| copies(&rows, values.as_deref(), order)).collect();
        let astray = |order: &&Order| {
            let is_astray = |time: &u32| {
                let row = rows.row((order.row + time) as usize);
                row.is_none_or(|row| row.len() < order.from as usize)
            };
            (0..order.times).filter(is_astray).count() as u64
        };
        let sound: Vec<_> = orders.iter().filter(|order| order.fails == 0).collect();
        let astray: u64 = sound.iter().map(astray).sum();
        assert!(astray > 5 && expected.len() > 500, "{astray} {}", expected.len());
        let came = thread::scope(|scope| {
            scope.spawn(|| spread.send_batch_blocking(&orders).unwrap());
            (0..expected.len()).map(|_| arrive.recv_blocking().unwrap()).collect::<Vec<_>>()
        });
        assert!(in_order(&came), "{name}: {came:?}");
        assert!(sorted(came) == sorted(expected.clone()), "{name}");
        drain(&arrive);
        assert!(arrive.try_recv().is_err() && spread.try_recv().is_err());
        let status = balanced(&spread);
        let outputs: u64 = sound.iter().map(|order| u64::from(order.times)).sum();
        assert_eq!((status.produced, status.outputs_lost), (outputs, astray), "{status:?}");
        assert_eq!(status.drops.failed, (orders.len() - sound.len()) as u64, "{status:?}");
        let told = spread.rows();
        assert_eq!((told.sent, told.held), (expected.len() as u64, 0), "{told:?}");
        assert_eq!((told.outputs, told.lost, told.astray), (outputs, 0, astray), "{told:?}");
        assert_eq!(told.kernel.as_deref(), Some(arrive.name()));
        assert_eq!(balanced(&arrive).processed, told.sent);
    }
}

/// K-05: each output reaches each neighbour in its row once, and each sender's in order; with one thread and several, under
/// load, through small rings, while handlers fail. What the handler wrote into the field of the value stays.
pub fn k05_rows_reach_each_neighbour(bench: &Bench) {
    reaches(bench, false, 0);
}

/// K-05: the same with the value of each entry.
pub fn k05_rows_with_edge_values(bench: &Bench) {
    reaches(bench, true, 0);
}

/// K-05: rows into variants of an enum, with keys of other widths and values that are fractions.
pub fn k05_rows_into_variants(bench: &Bench) {
    let lists: Vec<Vec<u32>> =
        (0..30).map(|row| (0..row % 7).map(|i| (row * 5 + i * 3) % 40).collect()).collect();
    let rows = Rows::of_lists(&lists).unwrap();
    let shares: Vec<f32> = (0..rows.entries()).map(|entry| 1.0 / (entry + 1) as f32).collect();
    let options = linked("hear").grid(2).actors(40).capacity(32);
    let hear = hear::launch(bench.runtime(), options.output_capacity(256)).unwrap();
    let hint = hint::launch(bench.runtime(), source("hint").into_variants(true).rows(rows.clone())).unwrap();
    let valued = rows.clone().with_values(&shares).unwrap();
    let push =
        push::launch(bench.runtime(), source("push").into_variants(true).block(4).rows(valued)).unwrap();
    hint.connect_along(&hear).unwrap();
    push.connect_along(&hear).unwrap();
    hint.activate_blocking().unwrap();
    push.activate_blocking().unwrap();
    let numbers: Vec<_> = (0..lists.len() as u64).map(|value| Number { value }).collect();
    hint.send_batch_blocking(&numbers).unwrap();
    push.send_batch_blocking(&numbers).unwrap();
    let mut came: Vec<_> = (0..2 * rows.entries()).map(|_| hear.recv_blocking().unwrap()).collect();
    let heard: u64 = (0..40)
        .map(|actor| {
            came.iter().filter(|heard| heard.to == actor).map(|heard| u64::from(heard.nth)).max().unwrap_or(0)
        })
        .sum();
    assert_eq!(heard, came.len() as u64);
    came.sort_unstable_by_key(|heard| (heard.kind, heard.from, heard.to, heard.bits));
    let mut expected = Vec::new();
    let mut entry = 0;
    for (row, list) in lists.iter().enumerate() {
        for &key in list {
            expected.push((0, row as u32, u64::from(key), 0));
            expected.push((1, row as u32, u64::from(key), shares[entry].to_bits()));
            entry += 1;
        }
    }
    expected.sort_unstable();
    assert!(came.iter().map(|heard| (heard.kind, heard.from, heard.to, heard.bits)).eq(expected), "{came:?}");
}

/// The target is inactive, and a row is many times as long as its ring.
fn stuck(
    bench: &Bench,
    length: u32,
    backpressure: Backpressure,
) -> (KernelHandle<spread>, KernelHandle<arrive>) {
    let rows = Rows::of_lists([(0..length).collect::<Vec<_>>(), vec![], vec![1, 2]]).unwrap();
    let arrive = arrive::launch(bench.runtime(), source("arrive").capacity(16).output_capacity(64)).unwrap();
    let spread = spread::launch(bench.runtime(), source("spread").capacity(64).rows(rows)).unwrap();
    spread.connect_along_with(&arrive, backpressure).unwrap();
    spread.activate_blocking().unwrap();
    (spread, arrive)
}

pub(super) fn order(row: u32, sequence: u32) -> Order {
    Order { sender: 0, row, from: 0, sequence, times: 1, fails: 0 }
}

/// K-05: a row of any length waits for room as one output, and nothing of it is lost; while it waits, the kernel obeys commands.
pub fn k05_rows_of_high_degree_wait_without_loss(bench: &Bench) {
    let length = bench.size(3_000, 100_000) as u32;
    let (spread, arrive) = stuck(bench, length, Backpressure::Block);
    let _ = spread.send_blocking(order(0, 0)).unwrap();
    eventually(|| spread.rows().held != 0);
    eventually(|| spread.status().stall.is_some_and(|stall| stall.waits_for == ["arrive"]));
    let told = spread.rows();
    assert_eq!((told.sent, told.held), (16, u64::from(length) - 16), "{told:?}");
    spread.send_batch_blocking(&[order(1, 1), order(2, 2), order(0, 3)]).unwrap();
    // It obeys commands half-way, and goes on where it stood.
    for _ in 0..3 {
        spread.deactivate_blocking().unwrap();
        spread.activate_blocking().unwrap();
    }
    assert_eq!(spread.rows().sent, 16);
    arrive.activate_blocking().unwrap();
    let mut came = Vec::new();
    while came.len() < 2 * length as usize + 2 {
        came.push(arrive.recv_blocking().unwrap());
        if came.len() % 1000 == 500 {
            spread.deactivate_blocking().unwrap();
            spread.activate_blocking().unwrap();
        }
    }
    let all: Vec<_> = [(0, 0), (1, 1), (2, 2), (0, 3)]
        .into_iter()
        .flat_map(|(row, sequence)| {
            let keys = match row {
                0 => (0..length).collect(),
                1 => vec![],
                _ => vec![1, 2],
            };
            keys.into_iter().map(move |to| (sequence, to))
        })
        .collect();
    assert!(came.iter().map(|hop| (hop.sequence, hop.to)).eq(all));
    drain(&arrive);
    let told = spread.rows();
    assert_eq!((told.sent, told.held, told.lost), (2 * u64::from(length) + 2, 0, 0), "{told:?}");
    let status = balanced(&spread);
    assert_eq!((status.processed, status.stalled_shards, status.outputs_lost), (4, 0, 0), "{status:?}");
}

/// K-05: under Reject the copies that find no room are lost, each alone, and counted.
pub fn k05_rows_rejected_alone(bench: &Bench) {
    let (spread, arrive) = stuck(bench, 100, Backpressure::Reject);
    spread.send_batch_blocking(&[order(0, 0), order(2, 1)]).unwrap();
    drain(&spread);
    let told = spread.rows();
    assert_eq!((told.sent, told.held, told.lost, told.astray), (16, 0, 86, 0), "{told:?}");
    arrive.activate_blocking().unwrap();
    drain(&arrive);
    let _ = spread.send_blocking(order(2, 2)).unwrap();
    drain(&arrive);
    let came: Vec<_> = received(&arrive).iter().map(|hop| (hop.sequence, hop.to)).collect();
    assert!(came.iter().copied().eq((0..16).map(|to| (0, to)).chain([(2, 1), (2, 2)])), "{came:?}");
    let told = spread.rows();
    assert_eq!((told.sent, told.held, told.lost), (18, 0, 86), "{told:?}");
    assert_eq!(balanced(&spread).outputs_lost, 86);
}

/// K-05: along a row that does not exist, or behind its end, nothing goes, and nothing is read; it is counted. So it is for what
/// is for a kernel that has terminated. A graph that does not fit is refused.
pub fn k05_rows_out_of_bounds_are_counted(bench: &Bench) {
    let (spread, arrive) = stuck(bench, 5, Backpressure::Block);
    arrive.activate_blocking().unwrap();
    let wrong = [(3, 0), (u32::MAX, 0), (0, 6), (2, u32::MAX), (1, 1), (u32::MAX, u32::MAX)];
    let right = [(0, 5), (1, 0), (2, 2), (0, 3)];
    let orders: Vec<_> =
        wrong.iter().chain(&right).map(|&(row, from)| Order { from, ..order(row, 0) }).collect();
    spread.send_batch_blocking(&orders).unwrap();
    drain(&arrive);
    let keys: Vec<_> = received(&arrive).iter().map(|hop| hop.to).collect();
    assert_eq!(keys, [3, 4]);
    let told = spread.rows();
    assert_eq!((told.outputs, told.sent, told.lost, told.astray), (10, 2, 0, 6), "{told:?}");
    assert_eq!(balanced(&spread).outputs_lost, 6);
    let _ = arrive.terminate_blocking();
    spread.send_batch_blocking(&orders).unwrap();
    drain(&spread);
    let told = spread.rows();
    assert_eq!((told.outputs, told.sent, told.lost, told.astray), (20, 2, 2, 12), "{told:?}");
    assert_eq!(balanced(&spread).outputs_lost, 14);

    let error = spread.connect_along(&arrive).unwrap_err();
    assert_eq!(error, ConnectError::Terminated { kernel: "arrive".into() });
    let few = hear::launch(bench.runtime(), linked("few").actors(5)).unwrap();
    let rows = Rows::of_lists([vec![2, 5]]).unwrap();
    let hint_options = source("hint").into_variants(true);
    let hint = hint::launch(bench.runtime(), hint_options.clone().rows(rows)).unwrap();
    let error = hint.connect_along(&few).unwrap_err();
    assert!(matches!(&error, ConnectError::NoSuchActor { key: 5, actors: 5, .. }), "{error}");
    let bare = hint::launch(bench.runtime(), hint_options.name("bare")).unwrap();
    let error = bare.connect_along(&few).unwrap_err();
    assert_eq!(error, ConnectError::NoRows { kernel: "bare".into() });
    let refused = |error: LaunchError| match error {
        LaunchError::Invalid(problems) => problems.problems().to_vec(),
        other => panic!("{other}"),
    };
    let rows = Rows::of_lists([vec![70_000]]).unwrap();
    let options = LaunchOptions::default().name("wide").rows(rows.clone());
    assert!(matches!(
        refused(hint::launch(bench.runtime(), options).unwrap_err())[..],
        [LaunchProblem::RowKeys { key: 70_000, max: 65_535, .. }]
    ));
    let options = LaunchOptions::default().name("valued").rows(rows.clone().with_values(&[1_u32]).unwrap());
    assert!(matches!(
        refused(spread::launch(bench.runtime(), options).unwrap_err())[..],
        [LaunchProblem::RowValues { values: "u32", edge: Some("i32"), .. }]
    ));
    let options = LaunchOptions::default().name("none").rows(rows);
    assert!(matches!(
        refused(arrive::launch(bench.runtime(), options).unwrap_err())[..],
        [LaunchProblem::NoAlong { .. }]
    ));
}

/// K-05: disconnected half-way, the output goes to the host, and says how many copies had gone; what ends half-way is counted; so
/// it is with handlers that fail.
pub fn k05_rows_disconnected_half_way(bench: &Bench) {
    let (spread, arrive) = stuck(bench, 100, Backpressure::Block);
    let fails = Order { fails: 1, ..order(0, 0) };
    spread.send_batch_blocking(&[fails, order(0, 1), order(2, 2)]).unwrap();
    eventually(|| spread.rows().held != 0);
    spread.deactivate_blocking().unwrap();
    spread.disconnect().unwrap();
    spread.activate_blocking().unwrap();
    let message = |row, sequence| Hop { row, sequence, to: 7, weight: -5, time: 0 };
    assert_eq!(spread.recv_blocking().unwrap(), Along { row: 0, from: 16, message: message(0, 1) });
    assert_eq!(spread.recv_blocking().unwrap(), Along { row: 2, from: 0, message: message(2, 2) });
    // It is told after they have gone.
    eventually(|| spread.rows().held == 0);
    let told = spread.rows();
    assert_eq!((told.sent, told.lost, told.kernel), (16, 0, None));
    assert_eq!(spread.status().last_error, NOT_TODAY);

    // Sent on from where it stood, every actor gets it once.
    spread.deactivate_blocking().unwrap();
    spread.connect_along(&arrive).unwrap();
    spread.activate_blocking().unwrap();
    arrive.activate_blocking().unwrap();
    let _ = spread.send_blocking(Order { from: 16, ..order(0, 1) }).unwrap();
    let keys: Vec<_> = (0..100).map(|_| arrive.recv_blocking().unwrap().to).collect();
    assert!(keys.iter().copied().eq(0..100), "{keys:?}");
    arrive.deactivate_blocking().unwrap();
    let _ = spread.send_blocking(order(0, 3)).unwrap();
    eventually(|| spread.rows().held == 84);
    let _ = spread.terminate_blocking();
    let told = spread.rows();
    assert_eq!((told.sent, told.held, told.lost), (116, 0, 84), "{told:?}");
    assert_eq!(balanced(&spread).outputs_lost, 84);
}

/// K-05, P-04: with a long hold, too, each output reaches each neighbour in its row once, and in order; everything is accounted for.
pub fn k05_rows_with_a_long_hold(bench: &Bench) {
    reaches(bench, true, 3);
    reaches(bench, true, 50);
}

/// K-05, P-04: a kernel with a long hold takes messages while copies wait, until its hold is full. Meanwhile it is not drained.
/// Disconnected, it gives the host what it holds before it takes anything more.
pub fn k05_rows_that_wait_do_not_stop_their_kernel(bench: &Bench) {
    let rows = Rows::of_lists([(0..100).collect::<Vec<_>>(), vec![], vec![1, 2]]).unwrap();
    let arrive = arrive::launch(bench.runtime(), source("arrive").capacity(16).output_capacity(64)).unwrap();
    let options = source("spread").capacity(64).output_capacity(16).rows(rows).hold(30);
    let spread = spread::launch(bench.runtime(), options).unwrap();
    spread.connect_along(&arrive).unwrap();
    spread.activate_blocking().unwrap();
    // A message may send three outputs, so 27 may be held in front of it.
    let first: Vec<_> = (0..27).map(|sequence| order(0, sequence)).collect();
    spread.send_batch_blocking(&first).unwrap();
    eventually(|| {
        let status = spread.status();
        (status.processed, status.pending, spread.rows().held) == (27, 0, 2_684)
    });
    let status = spread.status();
    assert_eq!((status.stalled_shards, status.stall), (0, None));
    let mut drained = pin!(spread.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    spread.send_batch_blocking(&[order(2, 27), order(1, 28), order(2, 29)]).unwrap();
    // A block tells that it stalls before it tells what it took.
    eventually(|| {
        let status = spread.status();
        let stalls = status.stall.is_some_and(|stall| stall.waits_for == ["arrive"]);
        stalls && (status.processed, status.pending, spread.rows().held) == (28, 2, 2_686)
    });
    assert!(poll_once(drained.as_mut()).is_none());
    arrive.activate_blocking().unwrap();
    let mut came: Vec<_> = (0..2_704).map(|_| arrive.recv_blocking().unwrap()).collect();
    block_on(drained);
    assert_eq!((spread.rows().held, spread.rows().sent, spread.status().processed), (0, 2_704, 30));
    let last = came.split_off(2_700);
    let all = (0..27).flat_map(|sequence| (0..100).map(move |to| (sequence, to)));
    assert!(came.iter().map(|hop| (hop.sequence, hop.to)).eq(all));
    let last: Vec<_> = last.iter().map(|hop| (hop.sequence, hop.to)).collect();
    assert_eq!(last, [(27, 1), (27, 2), (29, 1), (29, 2)]);

    arrive.deactivate_blocking().unwrap();
    let mut orders = vec![order(0, 30), order(0, 31)];
    orders.extend((32..48).map(|sequence| order(1, sequence)));
    spread.send_batch_blocking(&orders).unwrap();
    eventually(|| spread.rows().held == 184 && spread.status().pending == 0);
    spread.deactivate_blocking().unwrap();
    spread.disconnect().unwrap();
    spread.activate_blocking().unwrap();
    let mut drained = pin!(spread.drained());
    // Sixteen have room. The two behind them have no copies, and wait nevertheless.
    eventually(|| {
        let status = spread.status();
        let told = status.stall.map(|stall| (stall.for_host, stall.for_kernel, stall.end));
        told == Some((1, 0, StallEnd::Host)) && status.outputs_waiting == 16
    });
    assert!(poll_once(drained.as_mut()).is_none());
    spread.send_batch_blocking(&[order(2, 48)]).unwrap();
    let outputs: Vec<_> = (0..19).map(|_| spread.recv_blocking().unwrap()).collect();
    let told: Vec<_> = outputs.iter().map(|along| (along.row, along.from, along.message.sequence)).collect();
    let mut expected = vec![(0, 16, 30), (0, 0, 31)];
    expected.extend((32..48).map(|sequence| (1, 0, sequence)));
    expected.push((2, 0, 48));
    assert_eq!(told, expected);
    block_on(drained);

    spread.deactivate_blocking().unwrap();
    spread.connect_along(&arrive).unwrap();
    spread.activate_blocking().unwrap();
    spread.send_batch_blocking(&[order(0, 49), order(2, 50)]).unwrap();
    // Sixteen copies lie in the ring already.
    eventually(|| spread.rows().held == 102 && spread.status().pending == 0);
    let _ = spread.terminate_blocking();
    let told = spread.rows();
    assert_eq!((told.sent, told.held, told.lost), (2_720, 0, 102), "{told:?}");
    assert_eq!(balanced(&spread).outputs_lost, 102);
}

/// K-05: the same as above through a ring of few slots: what has no room waits in the hold.
pub fn k05_rows_to_itself_through_a_small_ring(bench: &Bench) {
    shortest_ways(bench, 16, 1 << 12);
}

/// K-05, K-01: a kernel that is connected to itself stands still once ring and hold are full, and is told as a cycle.
pub fn k05_a_hold_of_rows_that_is_full_is_a_cycle(bench: &Bench) {
    let vertices = 40_u32;
    let rows = Rows::of_lists((0..vertices).map(|_| (0..vertices).collect::<Vec<_>>())).unwrap();
    let rows = rows.with_values(&[1_u32; 1600]).unwrap();
    let options = source("search").actors(vertices.into()).capacity(16).rows(rows).hold(2);
    let search = search::launch(bench.runtime(), options).unwrap();
    search.connect_along(&search).unwrap();
    search.activate_blocking().unwrap();
    let _ = search.send_blocking(Visit { vertex: 0, length: 0, so_far: 0 }).unwrap();
    eventually(|| {
        search.status().stall.is_some_and(|stall| stall.end == StallEnd::Cycle(vec!["search".into()]))
    });
    search.terminate_blocking();
    let told = search.rows();
    assert!(told.held == 0 && told.lost > 40, "{told:?}");
    let _ = balanced(&search);
}

/// K-05: if each actor sends once, a place in the hold for each actor of a shard, and one more, is enough, however small the rings
/// are and however many neighbours there are.
pub fn k05_a_hold_for_each_actor_is_enough(bench: &Bench) {
    for grid in [1, 3] {
        let vertices = bench.size(200, 800) as u32;
        let neighbours =
            |vertex: u32| (0..40).map(|edge| (vertex * 7 + edge * 13 + 1) % vertices).collect::<Vec<_>>();
        let rows = Rows::of_lists((0..vertices).map(neighbours)).unwrap();
        // Nobody is reached by a shorter way later.
        let rows = rows.with_values(&vec![0_u32; 40 * vertices as usize]).unwrap();
        let options =
            source(&format!("search-{grid}")).grid(grid).actors(vertices.into()).capacity(16).rows(rows);
        let options = options.hold(vertices.div_ceil(grid) + 1);
        let search = search::launch(bench.runtime(), options).unwrap();
        search.connect_along(&search).unwrap();
        search.activate_blocking().unwrap();
        let _ = search.send_blocking(Visit { vertex: 0, length: 0, so_far: 0 }).unwrap();
        search.drained_blocking();
        let told = search.rows();
        assert_eq!((told.outputs, told.sent), (vertices.into(), 40 * u64::from(vertices)), "{told:?}");
    }
}

/// K-05: shortest ways by messages along a random graph, of a kernel that is connected to itself, equal those of a plain
/// loop.
pub fn k05_rows_of_a_kernel_to_itself(bench: &Bench) {
    // As many as could be under way at a time, and more.
    shortest_ways(bench, 1 << 15, 0);
}

fn shortest_ways(bench: &Bench, capacity: u32, hold: u32) {
    for (block, grid) in [(1, 1), (1, 3), (4, 2)] {
        let vertices = bench.size(300, 3_000) as u32;
        let mut random = Random(u64::from(block + grid));
        let lists: Vec<Vec<u32>> = (0..vertices)
            .map(|_| (0..random.below(6)).map(|_| random.below(vertices.into()) as u32).collect())
            .collect();
        let rows = Rows::of_lists(&lists).unwrap();
        let lengths: Vec<u32> = (0..rows.entries()).map(|_| 1 + random.below(9) as u32).collect();
        let options =
            source(&format!("search-{block}-{grid}")).grid(grid).block(block).actors(vertices.into());
        let graph = rows.with_values(&lengths).unwrap();
        let options = options.capacity(capacity).rows(graph).hold(hold);
        let search = search::launch(bench.runtime(), options).unwrap();
        search.connect_along(&search).unwrap();
        search.activate_blocking().unwrap();
        let _ = search.send_blocking(Visit { vertex: 0, length: 0, so_far: 0 }).unwrap();
        drain(&search);
        search.deactivate_blocking().unwrap();
        let found = search.snapshot_blocking().unwrap().states::<crate::kernels::rows::Nearest>().unwrap();

        let mut distances = vec![u64::MAX; vertices as usize];
        distances[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            let mut entry = 0;
            for (vertex, list) in lists.iter().enumerate() {
                for &next in list {
                    let way = distances[vertex].saturating_add(lengths[entry].into());
                    if way < distances[next as usize] {
                        distances[next as usize] = way;
                        changed = true;
                    }
                    entry += 1;
                }
            }
        }
        assert!(found.iter().map(|nearest| nearest.distance).eq(distances), "{block} {grid}");
        let told = search.rows();
        assert_eq!((told.held, told.lost, told.astray), (0, 0, 0), "{told:?}");
        assert_eq!(balanced(&search).processed, told.sent + 1);
    }
}
