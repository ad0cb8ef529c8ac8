//! Rounds: what a kernel sends to itself is handled in the next one. K-04.

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

use annulus_kernel::Rows;
use annulus_runtime::{KernelHandle, LaunchOptions, ProcessingMode, ShutdownOutcome, StallEnd, Transition};
use annulus_sync::{AtomicBool, Ordering};

use super::links::source;
use crate::{
    Bench,
    bench::{Random, balanced, drain, eventually},
    kernels::{
        Item, MARCHERS, march,
        rounds::{Level, Lit, Reach, SPARKING, Spark, levels, multiply},
    },
};

fn options(name: &str) -> LaunchOptions {
    source(name).rounds(true).grid(4).capacity(1024).actors(SPARKING.into())
}

/// Connected to itself, and inactive.
fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<multiply> {
    let kernel = multiply::launch(bench.runtime(), options).unwrap();
    kernel.port(multiply::ONWARD).connect(&kernel).unwrap();
    kernel
}

fn spark(number: u32, left: u32) -> Spark {
    Spark { to: number * 7 % SPARKING, left, sent_in: 0, path: (1 << 32) + u64::from(number) }
}

fn lit(kernel: &KernelHandle<multiply>, count: u64) -> Vec<Lit> {
    (0..count).map(|_| kernel.port(multiply::LIT).recv_blocking().unwrap()).collect()
}

/// How many came in each round. What was sent in a round is of the next one, and each actor has had what came before.
fn by_round(all: &[Lit]) -> BTreeMap<u64, u64> {
    let mut rounds = BTreeMap::new();
    let mut of_actors = BTreeMap::new();
    for lit in all {
        assert!(lit.sent_in == 0 || lit.round == lit.sent_in + 1, "{lit:?}");
        *rounds.entry(lit.round).or_default() += 1;
        of_actors.entry(lit.at).or_insert_with(Vec::new).push((lit.before, lit.round));
    }
    for came in of_actors.values_mut() {
        came.sort_unstable();
        assert!(came.iter().map(|&(before, _)| before).eq(0..came.len() as u32), "each once");
        assert!(came.is_sorted_by_key(|&(_, round)| round), "rounds of an actor do not mix: {came:?}");
    }
    rounds
}

/// What the host sends before the kernel is active is one round, and each of its messages becomes twice as many in each
/// further one.
fn doubles(bench: &Bench, options: LaunchOptions) {
    const SENT: u32 = 8;
    const LEFT: u32 = 5;
    let kernel = launch(bench, options);
    assert_eq!(kernel.status().rounds, Some(0));
    for number in 0..SENT {
        let _ = kernel.send_blocking(spark(number, LEFT)).unwrap();
    }
    kernel.activate_blocking().unwrap();
    let all = u64::from(SENT) * ((2 << LEFT) - 1);
    let came = lit(&kernel, all);
    let expected = (0..=LEFT).map(|round| (u64::from(round) + 1, u64::from(SENT) << round));
    assert!(by_round(&came).into_iter().eq(expected), "{:?}", by_round(&came));
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.rounds), (all, Some(u64::from(LEFT) + 1)), "{status:?}");
    assert!(status.to_string().contains(", 6 rounds"), "{status}");
    // No round begins without messages.
    thread::sleep(Duration::from_millis(5));
    assert_eq!(kernel.status().rounds, Some(u64::from(LEFT) + 1));
}

/// K-04: with a batch a turn, one message a turn, as many as there are, one block, and blocks of a warp.
pub fn k04_sent_in_one_handled_in_the_next(bench: &Bench) {
    doubles(bench, options("batches"));
    doubles(bench, options("single").mode(ProcessingMode::Continuous));
    doubles(bench, options("adaptive").mode(ProcessingMode::Adaptive));
    doubles(bench, options("alone").grid(1));
    doubles(bench, options("sleepy").spin(Duration::ZERO));
}

/// K-04: the same with blocks of several threads.
pub fn k04_blocks_of_a_warp_go_in_rounds(bench: &Bench) {
    doubles(bench, options("warps").block(32));
    doubles(bench, options("open").block(32).sealed(false));
}

/// K-04: messages of two threads of the host come at any time: what comes of each is a round after its cause, and nothing is lost.
pub fn k04_the_host_sends_at_any_time(bench: &Bench) {
    const LEFT: u32 = 3;
    let each = bench.size(40, 2_000) as u32;
    // However late the blocks are: a round may have all that comes of all messages.
    let kernel = launch(bench, options("any-time").capacity(16_384));
    kernel.activate_blocking().unwrap();
    let all = u64::from(2 * each) * ((2 << LEFT) - 1);
    let came = thread::scope(|scope| {
        for sender in 0..2 {
            let kernel = &kernel;
            scope.spawn(move || {
                let mut random = Random(u64::from(sender) + 5);
                for number in 0..each {
                    let _ = kernel.send_blocking(spark(2 * number + sender, LEFT)).unwrap();
                    if random.below(8) == 0 {
                        thread::sleep(Duration::from_micros(random.below(300)));
                    }
                }
            });
        }
        lit(&kernel, all)
    });
    by_round(&came);
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, all);
    let mut paths: Vec<_> = came.iter().map(|lit| lit.path).collect();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len() as u64, all, "each once");
}

/// K-04: commands come in the middle of rounds. A part of the round waits in blocks that are inactive, and so does the
/// round.
pub fn k04_a_round_goes_on_after_a_pause(bench: &Bench) {
    const SENT: u32 = 8;
    const LEFT: u32 = 5;
    let kernel = launch(bench, options("pauses").mode(ProcessingMode::Continuous));
    for number in 0..SENT {
        let _ = kernel.send_blocking(spark(number, LEFT)).unwrap();
    }
    let all = u64::from(SENT) * ((2 << LEFT) - 1);
    let done = AtomicBool::new(false);
    let came = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                kernel.activate_blocking().unwrap();
                thread::yield_now();
                kernel.deactivate_blocking().unwrap();
            }
            kernel.activate_blocking().unwrap();
        });
        let came = lit(&kernel, all);
        done.store(true, Ordering::Relaxed);
        came
    });
    let expected = (0..=LEFT).map(|round| (u64::from(round) + 1, u64::from(SENT) << round));
    assert!(by_round(&came).into_iter().eq(expected), "{:?}", by_round(&came));
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, all);
}

/// K-04: while the host takes nothing, a round stands still, and goes on when there is room.
pub fn k04_a_round_waits_for_room(bench: &Bench) {
    const SENT: u32 = 16;
    const LEFT: u32 = 4;
    let kernel = launch(bench, options("full").output_capacity(16));
    for number in 0..SENT {
        let _ = kernel.send_blocking(spark(number, LEFT)).unwrap();
    }
    kernel.activate_blocking().unwrap();
    eventually(|| kernel.status().stalled_shards > 0);
    let stood = kernel.status();
    assert!(stood.rounds < Some(u64::from(LEFT) + 1), "{stood:?}");
    let all = u64::from(SENT) * ((2 << LEFT) - 1);
    let came = lit(&kernel, all);
    let expected = (0..=LEFT).map(|round| (u64::from(round) + 1, u64::from(SENT) << round));
    assert!(by_round(&came).into_iter().eq(expected), "{:?}", by_round(&came));
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, all);
}

/// K-04: a round waits in one block for the host to receive, and the other blocks have messages of the next one. For those no
/// epoch is launched.
pub fn k04_what_waits_for_a_round_launches_nothing(bench: &Bench) {
    const SENT: u32 = 20;
    let kernel = launch(bench, options("waits").output_capacity(16));
    for number in 0..SENT {
        let _ = kernel.send_blocking(Spark { to: 0, ..spark(number, 1) }).unwrap();
    }
    kernel.activate_blocking().unwrap();
    eventually(|| kernel.status().stalled_shards == 1);
    // What waits for another kernel as well is tried again each millisecond.
    eventually(|| {
        let (before, began) = (kernel.status().epochs, Instant::now());
        thread::sleep(Duration::from_millis(20));
        let after = kernel.status().epochs;
        after - before <= began.elapsed().as_millis() as u64 + 2
    });
    let status = kernel.status();
    assert!(status.rounds == Some(1) && status.processed < u64::from(SENT), "{status:?}");
    let all = u64::from(3 * SENT);
    let came = lit(&kernel, all);
    let expected = [(1, u64::from(SENT)), (2, 2 * u64::from(SENT))];
    assert!(by_round(&came).into_iter().eq(expected), "{:?}", by_round(&came));
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, all);
}

/// K-04: along the edges of random graphs, a vertex is reached in the round that is its distance, as often as a plain
/// loop says.
pub fn k04_rounds_equal_a_plain_search(bench: &Bench) {
    let mut random = Random(44);
    for (number, block, grid) in [(0, 1, 2), (1, 1, 3), (2, 32, 2)] {
        let vertices: u32 = 60 + 20 * number;
        let lists: Vec<Vec<u32>> = (0..vertices)
            .map(|_| (0..random.below(4)).map(|_| random.below(u64::from(vertices)) as u32).collect())
            .collect();
        let mut expected = vec![(0, 0); vertices as usize];
        let mut front = vec![0];
        for level in 1.. {
            let mut next = Vec::new();
            for vertex in front {
                let found = &mut expected[vertex as usize];
                if found.0 == 0 {
                    *found = (level, 0);
                    next.extend_from_slice(&lists[vertex as usize]);
                }
                if found.0 == level {
                    found.1 += 1;
                }
            }
            if next.is_empty() {
                break;
            }
            front = next;
        }
        let options = options("search").name(format!("search {number}")).actors(vertices.into());
        let options = options.grid(grid).block(block).rows(Rows::of_lists(lists).unwrap());
        let kernel = levels::launch(bench.runtime(), options).unwrap();
        kernel.connect_along(&kernel).unwrap();
        let _ = kernel.send_blocking(Reach { vertex: 0 }).unwrap();
        kernel.activate_blocking().unwrap();
        drain(&kernel);
        kernel.deactivate_blocking().unwrap();
        let found = kernel.snapshot_blocking().unwrap().states::<Level>().unwrap();
        let found = found.iter().map(|found| (found.level, found.ways));
        assert!(found.clone().eq(expected.iter().copied()), "{:?}, {expected:?}", found.collect::<Vec<_>>());
    }
}

/// K-04: a kernel that is connected to nobody goes in rounds of the host's messages; calls are answered in them.
pub fn k04_calls_are_of_a_round(bench: &Bench) {
    let options = LaunchOptions::default().rounds(true).grid(MARCHERS as u32).capacity(256);
    let kernel = march::bind(&[0; MARCHERS]).launch(bench.runtime(), options).unwrap();
    for sequence in 0..20 {
        for key in 0..MARCHERS as u32 {
            let marched = kernel.call_blocking(Item { key, producer: 0, sequence }).unwrap();
            assert_eq!(u64::from(marched.first[key as usize]), sequence);
        }
    }
    let status = balanced(&kernel);
    assert_eq!(status.rounds, Some(20 * MARCHERS as u64), "{status:?}");
}

/// K-04: the end finds rounds at any point; what was not handled is counted.
pub fn k04_the_end_comes_at_any_time(bench: &Bench) {
    for round in bench.rounds(15, 150) {
        let kernel = bench.relaunch(|| multiply::launch(bench.runtime(), options("ends")));
        kernel.port(multiply::ONWARD).connect(&kernel).unwrap();
        for number in 0..4 {
            let _ = kernel.send_blocking(spark(number, 6)).unwrap();
        }
        kernel.activate_blocking().unwrap();
        thread::sleep(Duration::from_micros(round % 5 * 150));
        assert_eq!(kernel.terminate_blocking(), Transition::Done);
        let mut came = Vec::new();
        while let Ok(lit) = kernel.port(multiply::LIT).try_recv() {
            assert!(lit.sent_in == 0 || lit.round == lit.sent_in + 1, "{lit:?}");
            came.push(lit);
        }
        assert_eq!(balanced(&kernel).processed, came.len() as u64);
    }
}

/// K-04: a shutdown handles all rounds.
pub fn k04_a_shutdown_ends_all_rounds(bench: &Bench) {
    let kernel = launch(bench, options("shut").output_capacity(4096));
    kernel.activate_blocking().unwrap();
    for number in 0..8 {
        let _ = kernel.send_blocking(spark(number, 6)).unwrap();
    }
    let shutdown = kernel.shutdown_blocking(Duration::from_secs(3600));
    assert_eq!(shutdown.outcome, ShutdownOutcome::Drained);
    assert_eq!(balanced(&kernel).processed, 8 * 127);
}

/// K-04: a round whose messages do not fit into the rings cannot end. The status names the kernel.
pub fn k04_a_round_that_does_not_fit_names_its_kernel(bench: &Bench) {
    let kernel = launch(bench, options("narrow").grid(2).capacity(16));
    for number in 0..8 {
        let _ = kernel.send_blocking(spark(number, 6)).unwrap();
    }
    kernel.activate_blocking().unwrap();
    let names_itself = |end: StallEnd| match end {
        StallEnd::Cycle(names) | StallEnd::CycleInRounds(names) => names == ["narrow"],
        _ => false,
    };
    let mut stall = None;
    eventually(|| {
        while kernel.port(multiply::LIT).try_recv().is_ok() {}
        stall = kernel.status().stall.filter(|stall| names_itself(stall.end.clone()));
        stall.is_some()
    });
    let stall = stall.unwrap().to_string();
    assert!(stall.contains("`narrow`") && stall.contains("capacity"), "{stall}");
    kernel.terminate_blocking();
    balanced(&kernel);
}
