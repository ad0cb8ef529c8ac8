//! Messages, and what kernels keep, from device to device: D-01, D-02, D-03.

use std::time::{Duration, Instant};

use annulus::{BridgeOptions, Cpu, KernelGroup, prelude::*};

use super::{
    Config, Suite,
    links::{SPIN, end, options, to_and_fro, until},
};
use crate::{
    BackendName,
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Burst, Hop},
    launched::{runtime, runtime_of},
};

pub(super) const SUITE: Suite = Suite {
    name: "across",
    about: "messages and memory from device to device, by bridges and groups (lower is better)",
    method: "hop: two kernels send one message of 56 bytes to and fro, so many times that its way from and to the host does not count; the time of \
             one hop. A link connects kernels of one runtime. A bridge leads to another runtime: of the same backend, or on the CPU. stream: a \
             kernel that is sent one message for sixteen of its own sends them on; the time for each message, until the host sees in the counts \
             of the second kernel that all have come (it looks every 50 µs, asleep in between). all-reduce: four kernels, each on a runtime of its own, keep a \
             table of 1 MiB (262,144 numbers of 32 bits); their sum is set in all of them, the kernels' rest and beginning again included. Copies: as \
             many bytes by the host from four arrays, added up, and into four arrays.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    let (hops, bursts) = (config.size(50_000, 5_000), config.size(20_000, 2_000));
    let is_cpu = config.backend == BackendName::Cpu;
    let case = |name: &str, unit, candidates, marks| Case {
        name: name.into(),
        unit,
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates,
        marks,
    };
    let ours = |name, run: Box<dyn FnMut() -> Run>| Candidate { name, run, once: false };
    let same = move || runtime(config.backend);
    let cpu = || -> Result<Runtime, Failure> { Ok(Runtime::builder().backend(Cpu::new()).build()?) };
    let mut hop = vec![
        ours("a link", Box::new(move || to_and_fro(config, 1, hops, 1, SPIN))),
        ours("a bridge", Box::new(move || over_bridges(&same()?, &same()?, hops))),
    ];
    let mut stream = vec![
        ours("a link", Box::new(move || streamed(config, bursts, None))),
        ours("a bridge", Box::new(move || streamed(config, bursts, Some(same()?)))),
    ];
    if !is_cpu {
        hop.push(ours("a bridge to the CPU", Box::new(move || over_bridges(&same()?, &cpu()?, hops))));
        stream.push(ours("a bridge to the CPU", Box::new(move || streamed(config, bursts, Some(cpu()?)))));
    }
    let mark = |candidate| Mark { candidate, metric: "", goal: Goal::AtMost(100_000.0) };
    let mut marks = vec![Mark { candidate: "a bridge", metric: "", goal: Goal::AtMost(10_000.0) }];
    if !is_cpu {
        marks.push(mark("a bridge to the CPU"));
    }
    let reduced =
        vec![ours("copies", Box::new(copies)), ours("four members", Box::new(move || all_reduced(config)))];
    vec![
        case("hop", "ns", hop, marks),
        case("stream", "ns", stream, vec![]),
        case("all-reduce", "µs", reduced, vec![]),
    ]
}

/// One message goes to and fro between kernels of two runtimes.
fn over_bridges(here: &Runtime, there: &Runtime, hops: u64) -> Run {
    let plain = |name: &str| options(name).connectable(false);
    let first = kernels::hop::launch(here, plain("first"))?;
    let second = kernels::hop::launch(there, plain("second"))?;
    first.bridge_to(&second)?;
    second.bridge_to(&first)?;
    let mut took = Duration::ZERO;
    let mut processed = 0;
    for count in [hops / 10, hops] {
        let start = Instant::now();
        let _ = first.send_blocking(Hop::new(count))?;
        processed += count + 1;
        until(&[&first, &second], processed)?;
        took = start.elapsed();
    }
    let counts = [&first, &second].map(|kernel| kernel.status().processed);
    end(&first, counts[0])?;
    end(&second, counts[1])?;
    Ok(vec![took.as_nanos() as f64 / hops as f64])
}

/// Many messages go from kernel to kernel: of one runtime, or to this one.
fn streamed(config: Config, bursts: u64, there: Option<Runtime>) -> Run {
    let here = runtime_of(config.backend, 1)?;
    let target = kernels::swallow::launch(there.as_ref().unwrap_or(&here), options("target"))?;
    let source = kernels::burst::launch(&here, options("source").active(false))?;
    match there {
        None => source.connect(&target)?,
        Some(_) => {
            let bridge = BridgeOptions::new().messages(256);
            source.bridge_to_with(&target, bridge, Backpressure::Block)?;
        }
    }
    source.activate_blocking()?;
    let mut took = Duration::ZERO;
    let mut sent = 0;
    for count in [bursts / 10, bursts] {
        let messages: Vec<_> = (sent..sent + count).map(Burst::new).collect();
        let start = Instant::now();
        source.send_batch_blocking(&messages)?;
        sent += count;
        until(&[&target], sent * kernels::BURST)?;
        took = start.elapsed();
    }
    end(&source, sent)?;
    end(&target, sent * kernels::BURST)?;
    Ok(vec![took.as_nanos() as f64 / (bursts * kernels::BURST) as f64])
}

/// Numbers of the table.
const NUMBERS: usize = 1 << 18;
const MEMBERS: usize = 4;
/// How often it is done in a run.
const ROUNDS: u32 = 10;

fn all_reduced(config: Config) -> Run {
    let member = || -> Result<_, Failure> {
        let kernel = kernels::tabled::bind(&vec![1_u32; NUMBERS]);
        Ok(kernel.launch(&runtime(config.backend)?, LaunchOptions::production())?)
    };
    let group = KernelGroup::new((0..MEMBERS).map(|_| member()).collect::<Result<Vec<_>, _>>()?)?;
    let mut last = 0;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        last = group.all_reduce_memory_blocking("table", |a: u32, b: u32| a.wrapping_add(b))?[NUMBERS - 1];
    }
    let took = start.elapsed();
    if last != 4_u32.wrapping_pow(ROUNDS) {
        return Err(format!("the sum should be 4 to the power of {ROUNDS}, and is {last}").into());
    }
    Ok(vec![took.as_nanos() as f64 / 1000.0 / f64::from(ROUNDS)])
}

fn copies() -> Run {
    let mut arrays = vec![vec![1_u32; NUMBERS]; MEMBERS];
    let start = Instant::now();
    for _ in 0..ROUNDS {
        let read: Vec<Vec<u32>> = arrays.clone();
        let mut sum = vec![0_u32; NUMBERS];
        for array in &read {
            sum.iter_mut().zip(array).for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
        }
        arrays.iter_mut().for_each(|array| array.copy_from_slice(&sum));
    }
    let took = start.elapsed();
    if std::hint::black_box(&arrays)[MEMBERS - 1][NUMBERS - 1] != 4_u32.wrapping_pow(ROUNDS) {
        return Err("the copies are wrong".into());
    }
    Ok(vec![took.as_nanos() as f64 / 1000.0 / f64::from(ROUNDS)])
}
