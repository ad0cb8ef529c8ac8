//! Handlers that are loops over bound slices, beside the same loops in a plain function.

use std::{hint::black_box, time::Instant};

use annulus::{LaunchError, prelude::*};

use super::{Config, Suite};
use crate::{
    BackendName,
    harness::{Better, Candidate, Case, Failure, Goal, Mark},
    kernels::loops::{
        IN_MESSAGE, Passes, Samples, Sums, add_arrays, add_cut, add_indexed, add_zipped, dot_in_lanes,
    },
    launched::runtime,
};

pub(super) const SUITE: Suite = Suite {
    name: "loops",
    about: "handlers that loop over slices of f32, beside the same loops by hand, in nanoseconds (lower is better)",
    method: "A message has the handler pass over the slices many times, so its own way does not count. `limit by hand` is \
             the same loop in a function of the host, by iterators. Results are compared bit by bit. Times are of a pass.",
    cases,
};

const BY_HAND: &str = "limit by hand";
const ZIPPED: &str = "annulus, zip";
const CUT: &str = "annulus, cut to one length";
const INDEXED: &str = "annulus, by index";
const LANES: &str = "annulus, chunks_exact";

const ARRAYS: &str = "annulus, arrays by index";

const FACTOR: f32 = 0.25;
/// Calls of a run. The first one does not count.
const CALLS: u32 = 8;

/// Not a power of two: where two slices lie a multiple of 4096 bytes apart, loads wait for stores to the other one.
const ELEMENTS: usize = 2000;

fn cases(config: Config) -> Vec<Case> {
    vec![
        additions(config, ELEMENTS),
        additions(config, ELEMENTS - 3),
        products(config, ELEMENTS),
        arrays(config),
    ]
}

fn case(config: Config, name: String, candidates: Vec<Candidate>, marked: &[&'static str]) -> Case {
    let mark = |&candidate: &&'static str| Mark { candidate, metric: "", goal: Goal::TimesLimit(1.15) };
    let on_the_host = config.backend == BackendName::Cpu;
    Case {
        name,
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(BY_HAND),
        candidates,
        marks: if on_the_host { marked.iter().map(mark).collect() } else { Vec::new() },
    }
}

fn passes(config: Config) -> u32 {
    config.size(4000, 1000) as u32
}

fn asked(passes: u32) -> Passes {
    Passes { passes, factor: FACTOR }
}

fn options() -> LaunchOptions {
    LaunchOptions::low_latency()
}

/// Binds a kernel to `x` and `y`, and launches it.
type Launch<K> = fn(&[f32], &[f32], &Runtime) -> Result<KernelHandle<K>, LaunchError>;

fn additions(config: Config, elements: usize) -> Case {
    let candidates = vec![
        addition_by_hand(config, elements),
        addition::<add_zipped>(config, ZIPPED, elements, |x, y, on| {
            add_zipped::bind(x, y).launch(on, options())
        }),
        addition::<add_cut>(config, CUT, elements, |x, y, on| add_cut::bind(x, y).launch(on, options())),
        addition::<add_indexed>(config, INDEXED, elements, |x, y, on| {
            add_indexed::bind(x, y).launch(on, options())
        }),
    ];
    case(config, format!("y += factor · x, {elements} elements"), candidates, &[ZIPPED, CUT])
}

fn products(config: Config, elements: usize) -> Case {
    let candidates = vec![
        Candidate::new(BY_HAND, move || {
            let (x, y) = (some(elements, 7), some(elements, 5));
            let mut kept = 0.0;
            let nanos = by_hand(passes(config), |passes| kept = dot(passes, FACTOR, &x, &y));
            black_box(kept);
            Ok(vec![nanos])
        }),
        Candidate::new(LANES, move || {
            let (x, y) = (some(elements, 7), some(elements, 5));
            let kernel = dot_in_lanes::bind(&x, &y).launch(&runtime(config.backend)?, options())?;
            let (nanos, answer) = called(&kernel, passes(config), asked(passes(config)))?;
            let expected = dot(passes(config), FACTOR, &x, &y);
            if answer.factor.to_bits() != expected.to_bits() {
                return Err(format!("the product is {}, not {expected}", answer.factor).into());
            }
            Ok(vec![nanos])
        }),
    ];
    case(config, format!("x · y in eight lanes, {elements} elements"), candidates, &[LANES])
}

/// An array of the message, and one of the state.
fn arrays(config: Config) -> Case {
    let passes = passes(config) * 10;
    let values = || std::array::from_fn(|i| (i % 7) as f32);
    let candidates = vec![
        Candidate::new(BY_HAND, move || {
            let (x, mut y) = (values(), Sums::default());
            let nanos = by_hand(passes, |passes| add_to_array(passes, FACTOR, &x, &mut y.values));
            black_box(&y);
            Ok(vec![nanos])
        }),
        Candidate::new(ARRAYS, move || {
            let message = Samples { passes, factor: FACTOR, values: values() };
            let kernel = add_arrays::launch(&runtime(config.backend)?, options())?;
            let nanos = called(&kernel, passes, message)?.0;
            let mut expected = Sums::default();
            (0..CALLS).for_each(|_| add_to_array(passes, FACTOR, &message.values, &mut expected.values));
            let found: Vec<Sums> = kernel.snapshot_blocking()?.states()?;
            if found[0].values.map(f32::to_bits) == expected.values.map(f32::to_bits) {
                Ok(vec![nanos])
            } else {
                Err("the sums differ".into())
            }
        }),
    ];
    case(config, format!("an array of {IN_MESSAGE} elements in a message"), candidates, &[ARRAYS])
}

fn addition_by_hand(config: Config, elements: usize) -> Candidate {
    Candidate::new(BY_HAND, move || {
        let (x, mut y) = (some(elements, 7), some(elements, 5));
        let nanos = by_hand(passes(config), |passes| add(passes, FACTOR, &x, &mut y));
        black_box(&y);
        Ok(vec![nanos])
    })
}

fn addition<K>(config: Config, name: &'static str, elements: usize, launch: Launch<K>) -> Candidate
where
    K: RingKernel<Message = Passes, Output = Passes> + 'static,
{
    Candidate::new(name, move || {
        let (x, mut y) = (some(elements, 7), some(elements, 5));
        let kernel = launch(&x, &y, &runtime(config.backend)?)?;
        let (nanos, _) = called(&kernel, passes(config), asked(passes(config)))?;
        add(passes(config) * CALLS, FACTOR, &x, &mut y);
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let found: Vec<f32> = kernel.snapshot_blocking()?.memory("y")?;
        if bits(&found) == bits(&y) { Ok(vec![nanos]) } else { Err("the sums differ".into()) }
    })
}

/// Nanoseconds of a pass, the median of some calls, and the last answer. The kernel is inactive afterwards.
fn called<K>(kernel: &KernelHandle<K>, passes: u32, message: K::Message) -> Result<(f64, Passes), Failure>
where
    K: RingKernel<Message: Copy, Output = Passes>,
{
    let mut answer = asked(passes);
    let nanos = median(passes, || {
        answer = kernel.call_blocking(message)?;
        Ok(())
    })?;
    kernel.deactivate_blocking()?;
    let status = kernel.status();
    if status.processed != u64::from(CALLS) || status.drops.total() != 0 {
        return Err(format!("{CALLS} messages should have been processed, but: {status:?}").into());
    }
    Ok((nanos, answer))
}

/// Nanoseconds of a pass of what is given their number.
fn by_hand(passes: u32, mut pass: impl FnMut(u32)) -> f64 {
    median(passes, || {
        pass(black_box(passes));
        Ok(())
    })
    .unwrap_or(f64::NAN)
}

fn median(passes: u32, mut call: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut times = Vec::with_capacity(CALLS as usize);
    for number in 0..CALLS {
        let begun = Instant::now();
        call()?;
        if number > 0 {
            times.push(begun.elapsed().as_secs_f64() * 1e9 / f64::from(passes));
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Small whole numbers.
fn some(elements: usize, modulus: usize) -> Vec<f32> {
    (0..elements).map(|i| (i % modulus) as f32).collect()
}

#[inline(never)]
fn add(passes: u32, factor: f32, x: &[f32], y: &mut [f32]) {
    for _ in 0..passes {
        for (y, x) in y.iter_mut().zip(x) {
            *y += factor * *x;
        }
    }
}

#[inline(never)]
fn dot(passes: u32, factor: f32, x: &[f32], y: &[f32]) -> f32 {
    let mut all = 0.0;
    for pass in 0..passes {
        let first = (pass % 2) as usize;
        let mut lanes = [0.0f32; 8];
        for (x, y) in x[first..].chunks_exact(8).zip(y[first..].chunks_exact(8)) {
            for ((sum, x), y) in lanes.iter_mut().zip(x).zip(y) {
                *sum += x * y;
            }
        }
        all += lanes.into_iter().fold(0.0, |sum, lane| sum + lane) * factor;
    }
    all
}

#[inline(never)]
fn add_to_array(passes: u32, factor: f32, x: &[f32; IN_MESSAGE], y: &mut [f32; IN_MESSAGE]) {
    for _ in 0..passes {
        for (y, x) in y.iter_mut().zip(x) {
            *y += factor * *x;
        }
    }
}
