//! What the threads of a block do together, and what it costs.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_sync::spin_loop;

use super::{Config, Suite};
use crate::{
    BackendName,
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::cooperate::{
        BEGINNINGS, Rounds, SIDE, SUMMED, barriers, product, sum_atomic, sum_reduced, warp_barriers,
    },
    launched::{finish, runtime},
    opencl::product::ByHand,
};

pub(super) const SUITE: Suite = Suite {
    name: "cooperate",
    about: "blocks that work on one message together: sums, barriers, a matrix product (lower is better)",
    method: "A message has the block do the same work many times, so its own way does not count, and results are \
             compared with what the host computes. Sums are of 1024 values of u32, and are added to one word of global \
             memory. A barrier's time is divided by the threads, or, beside one of a warp, \
             that of the whole block. `limit by hand` is OpenCL C with the same algorithm, launched and waited for; the products are \
             compared bit by bit.",
    cases,
};

const ATOMICS: &str = "annulus, global atomics";
const REDUCED: &str = "annulus, block_reduce";
const BY_HAND: &str = "limit by hand";
const PRODUCT: &str = "annulus";

fn cases(config: Config) -> Vec<Case> {
    let mut cases: Vec<Case> = [64, 256, 1024].map(|threads| sums(config, threads, 1)).into();
    cases.push(sums(config, 64, 2));
    cases.push(barrier_times(config));
    cases.extend([32, 256, 1024].map(|threads| warps_and_blocks(config, threads)));
    match config.backend {
        // Whether there is a device is not asked here: the backend must be the first to use PoCL, so that there
        // is a place for a second block.
        BackendName::Opencl => cases.push(products(config)),
        _ => eprintln!("skipped: cooperate, the product beside one by hand: it is compared on OpenCL"),
    }
    cases
}

/// Each block adds up 1024 values, all of them to the same word.
fn sums(config: Config, threads: u32, blocks: u32) -> Case {
    let rounds = config.size(2000, 500) as u32;
    let options = move || options(threads).grid(blocks);
    let by_atomics = move || {
        let (values, expected) = summands(rounds);
        let kernel = sum_atomic::bind(&values, &[0]).launch(&runtime(config.backend)?, options())?;
        summed(&kernel, blocks, rounds, expected)
    };
    let by_blocks = move || {
        let (values, expected) = summands(rounds);
        let kernel = sum_reduced::bind(&values, &[0]).launch(&runtime(config.backend)?, options())?;
        summed(&kernel, blocks, rounds, expected)
    };
    // On the CPU a barrier switches between coroutines, and the mark is for devices.
    let mark = Mark { candidate: REDUCED, metric: "", goal: Goal::TimesLimit(0.1) };
    let beside = if blocks == 1 { "" } else { ", two blocks at a time" };
    Case {
        name: format!("a sum of 1024 values, {threads} threads{beside}"),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(ATOMICS),
        candidates: vec![Candidate::new(ATOMICS, by_atomics), Candidate::new(REDUCED, by_blocks)],
        marks: if config.backend == BackendName::Cpu { vec![] } else { vec![mark] },
    }
}

fn barrier_times(config: Config) -> Case {
    let rounds = config.size(4000, 1000) as u32;
    let candidate = |name, threads| Candidate::new(name, move || waited(config, threads, rounds));
    let names = ["annulus, 32 threads", "annulus, 256 threads", "annulus, 1024 threads"];
    let mark = |candidate| Mark { candidate, metric: "", goal: Goal::AtMost(20.0) };
    Case {
        name: "a barrier, per thread".into(),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates: names.into_iter().zip([32, 256, 1024]).map(|(name, n)| candidate(name, n)).collect(),
        marks: if config.backend == BackendName::Cpu { names.map(mark).into() } else { vec![] },
    }
}

/// A barrier of each warp, beside one of the block: the time from one to the next.
fn warps_and_blocks(config: Config, threads: u32) -> Case {
    const WARP: &str = "annulus, of each warp";
    const BLOCK: &str = "annulus, of the block";
    let rounds = config.size(4000, 1000) as u32;
    let warps = Candidate::new(WARP, move || {
        whole(&warp_barriers::launch(&runtime(config.backend)?, options(threads))?, rounds)
    });
    let blocks = Candidate::new(BLOCK, move || {
        whole(&barriers::launch(&runtime(config.backend)?, options(threads))?, rounds)
    });
    let mark = |candidate, most| Mark { candidate, metric: "", goal: Goal::AtMost(most) };
    Case {
        name: format!("a barrier of each warp and of the block, {threads} threads"),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(BLOCK),
        candidates: vec![warps, blocks],
        // A processor runs the threads one after the other, and what that takes is above.
        marks: if config.backend.is_cuda() { vec![mark(WARP, 5.0), mark(BLOCK, 20.0)] } else { vec![] },
    }
}

/// Nanoseconds of a round of the whole block.
fn whole<K>(kernel: &KernelHandle<K>, rounds: u32) -> Run
where
    K: RingKernel<Message = Rounds, Output = Rounds>,
{
    Ok(vec![timed(kernel, 1, rounds)?])
}

/// What is added up, and the sum of all rounds.
fn summands(rounds: u32) -> (Vec<u32>, u32) {
    let values: Vec<u32> = (0..SUMMED + BEGINNINGS).map(|i| i.wrapping_mul(0x9E37_79B9) ^ i << 3).collect();
    let sum = |first: u32| {
        let summed = &values[first as usize..(first + SUMMED) as usize];
        summed.iter().fold(0u32, |sum, value| sum.wrapping_add(*value))
    };
    let expected = (0..rounds).fold(0u32, |all, round| all.wrapping_add(sum(round % BEGINNINGS)));
    (values, expected)
}

fn options(threads: u32) -> LaunchOptions {
    LaunchOptions::low_latency().block(threads)
}

/// Nanoseconds of a round, and a look at the sum of all of them.
fn summed<K>(kernel: &KernelHandle<K>, blocks: u32, rounds: u32, expected: u32) -> Run
where
    K: RingKernel<Message = Rounds, Output = Rounds>,
{
    let nanos = timed(kernel, blocks, rounds)?;
    kernel.deactivate_blocking()?;
    let found: Vec<u32> = kernel.snapshot_blocking()?.memory("sum")?;
    let expected = expected.wrapping_mul(blocks).wrapping_mul(MESSAGES as u32 + 1);
    if found != [expected] {
        return Err(format!("the sum is {found:?}, not {expected}").into());
    }
    Ok(vec![nanos])
}

fn waited(config: Config, threads: u32, rounds: u32) -> Run {
    let kernel = barriers::launch(&runtime(config.backend)?, options(threads))?;
    Ok(vec![timed(&kernel, 1, rounds)? / f64::from(threads)])
}

/// Messages to each block that count.
const MESSAGES: usize = 5;

/// Nanoseconds of a round: the median of some messages to each block. The first one does not count.
fn timed<K>(kernel: &KernelHandle<K>, blocks: u32, rounds: u32) -> Result<f64, Failure>
where
    K: RingKernel<Message = Rounds, Output = Rounds>,
{
    let nanos = median(MESSAGES, || {
        let begun = Instant::now();
        for block in 0..blocks {
            let _ = kernel.send_blocking(Rounds { block, rounds })?;
        }
        for _ in 0..blocks {
            let answer = kernel.recv_blocking()?;
            if answer.rounds != rounds {
                return Err(format!("{} rounds were done, not {rounds}", answer.rounds).into());
            }
        }
        Ok(begun.elapsed().as_secs_f64() * 1e9 / f64::from(rounds))
    })?;
    let all = u64::from(blocks) * (MESSAGES as u64 + 1);
    let answered = Instant::now();
    loop {
        let status = kernel.status();
        if status.processed == all && status.drops.total() == 0 {
            return Ok(nanos);
        }
        // A device counts a message after its answer.
        if answered.elapsed() > Duration::from_secs(10) {
            return Err(format!("{all} messages should have been processed, but: {status:?}").into());
        }
        spin_loop();
    }
}

/// The product by one block, beside the same by hand.
fn products(config: Config) -> Case {
    let times = config.size(9, 5) as usize;
    // What the first of the two has answered.
    let known: Rc<RefCell<Option<Vec<u32>>>> = Rc::default();
    let compared = move |answer: Vec<u32>| -> Result<(), Failure> {
        let mut known = known.borrow_mut();
        if known.get_or_insert_with(|| answer.clone()) == &answer {
            Ok(())
        } else {
            Err("the products differ".into())
        }
    };
    let (ours, theirs) = (compared.clone(), compared);
    let mut by_hand = None;
    let hand = Candidate::new(BY_HAND, move || {
        let (a, b) = matrices();
        if by_hand.is_none() {
            by_hand = Some(ByHand::new(&a, &b)?);
        }
        let Some(by_hand) = &by_hand else { return Ok(Vec::new()) };
        let result = median(times, || by_hand.run())?;
        theirs(by_hand.answer())?;
        Ok(vec![result])
    });
    let annulus = Candidate::new(PRODUCT, move || {
        let (a, b) = matrices();
        let kernel = product::bind(&a, &b, &vec![0; SIDE * SIDE])
            .launch(&runtime(config.backend)?, product::options())?;
        let message = Rounds { block: 0, rounds: 1 };
        let result = median(times, || {
            let begun = Instant::now();
            let answer = kernel.call_blocking(message)?;
            let elapsed = begun.elapsed().as_secs_f64() * 1e6;
            if answer == message { Ok(elapsed) } else { Err("the answer is another".into()) }
        })?;
        kernel.deactivate_blocking()?;
        ours(kernel.snapshot_blocking()?.memory("c")?)?;
        finish(&kernel, times as u64 + 1, times as u64 + 1)?;
        Ok(vec![result])
    });
    Case {
        name: "product of 256 × 256, one block".into(),
        unit: "µs",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(BY_HAND),
        candidates: vec![hand, annulus],
        marks: vec![Mark { candidate: PRODUCT, metric: "", goal: Goal::TimesLimit(1.15) }],
    }
}

/// The median of so many times, behind one that does not count.
fn median(times: usize, mut once: impl FnMut() -> Result<f64, Failure>) -> Result<f64, Failure> {
    once()?;
    let mut all = (0..times).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
    all.sort_by(f64::total_cmp);
    Ok(all[times / 2])
}

fn matrices() -> (Vec<f32>, Vec<f32>) {
    let matrix = |factor: u32| {
        let value = |i: u32| (i.wrapping_mul(factor) >> 16) as f32 / 65536.0 - 0.5;
        (0..(SIDE * SIDE) as u32).map(value).collect()
    };
    (matrix(0x9E37_79B1), matrix(0x85EB_CA77))
}
