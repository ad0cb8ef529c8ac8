//! Messages between kernels of one device.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::{kernel::Accepts, prelude::*};

use super::{Config, Suite};
use crate::{
    BackendName,
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Burst, Hop},
    launched::{runtime_of, stayed},
};

pub(super) const SUITE: Suite = Suite {
    name: "k2k",
    about: "messages from kernel to kernel, without the host (lower is better)",
    method: "hop: two kernels are connected to each other, and one message of 56 bytes goes to and fro between them, so many times that its way from and to \
             the host does not count; the time of one hop. Through the host: the same two kernels, not connected, and the host hands each answer \
             to the other, without a pause. queue operation: a kernel that is sent one message for sixteen of its own sends them to a second kernel in \
             batches, and the time for each message is halved, since it is put into a ring and taken out again; the handlers' time is in it. With \
             deduplication the second kernel also looks each message's number up in a window of the last 1024, and keeps it there. Into a variant: the \
             same with messages of 40 bytes, to a kernel that takes them, and to one whose message is an enum of which a variant takes \
             them. The end is seen by the \
             host in the kernels' counts, at which it looks every 50 µs, asleep in between. Asleep: blocks that find nothing sleep at once.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    let hops: u64 = config.size(200_000, 50_000);
    let bursts: u64 = config.size(50_000, 5_000);
    let far = config.backend == BackendName::Cuda;
    let case = |name: &str, candidates, marks| Case {
        name: name.into(),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates,
        marks,
    };
    let ours = |name, run: Box<dyn FnMut() -> Run>| Candidate { name, run, once: false };
    let mut threads = vec![("annulus, 1 thread", "annulus, deduplicating, 1 thread", 1)];
    if config.backend != BackendName::Cpu {
        threads.push(("annulus, 32 threads", "annulus, deduplicating, 32 threads", 32));
    }
    if far {
        threads.push(("annulus, 256 threads", "annulus, deduplicating, 256 threads", 256));
    }
    let mut hop = vec![
        ours("through the host", Box::new(move || through_the_host(config, hops / 20))),
        ours("annulus, 1 thread", Box::new(move || to_and_fro(config, 1, hops, 1, SPIN))),
    ];
    if far {
        hop.push(ours("annulus, 32 threads", Box::new(move || to_and_fro(config, 1, hops, 32, SPIN))));
    }
    if config.backend == BackendName::Cpu {
        hop.push(ours(
            "annulus, asleep",
            Box::new(move || to_and_fro(config, 1, hops / 10, 1, Duration::ZERO)),
        ));
    }
    let mut operations = Vec::new();
    for (plain, deduplicating, threads) in threads {
        operations.push(ours(
            plain,
            Box::new(move || {
                stream(config, bursts, threads, kernels::burst::launch, kernels::swallow::launch)
            }),
        ));
        operations.push(ours(
            deduplicating,
            Box::new(move || {
                stream(config, bursts, threads, kernels::burst::launch, |runtime, options| {
                    kernels::swallow_once::bind(&[0; kernels::WINDOW_WORDS]).launch(runtime, options)
                })
            }),
        ));
    }
    let marks = match far {
        true => vec![Mark { candidate: "annulus, 256 threads", metric: "", goal: Goal::AtMost(100.0) }],
        false => vec![],
    };
    let hop_marks = match far {
        true => vec![Mark { candidate: "annulus, 32 threads", metric: "", goal: Goal::AtMost(600.0) }],
        false => vec![],
    };
    let variants = vec![
        ours(
            "a link",
            Box::new(move || {
                stream(config, bursts, 1, kernels::burst_forty::launch, kernels::swallow_forty::launch)
            }),
        ),
        ours(
            "into a variant",
            Box::new(move || {
                stream(config, bursts, 1, kernels::burst_forty::launch, kernels::swallow_either::launch)
            }),
        ),
    ];
    vec![
        case("hop", hop, hop_marks),
        case("queue operation", operations, marks),
        case("into a variant", variants, vec![]),
    ]
}

/// As long as a run lasts.
pub(super) const SPIN: Duration = Duration::from_secs(10);

/// Blocks that look for messages as long as a run lasts.
pub(super) fn options(name: &str) -> LaunchOptions {
    LaunchOptions::high_throughput().name(name).connectable(true).spin(SPIN)
}

/// Waits until the kernels have processed so many messages, all together.
pub(super) fn until<K: RingKernel>(kernels: &[&KernelHandle<K>], processed: u64) -> Result<(), Failure> {
    let begun = Instant::now();
    loop {
        let status: Vec<_> = kernels.iter().map(|kernel| kernel.status()).collect();
        if status.iter().map(|status| status.processed).sum::<u64>() >= processed {
            return Ok(());
        }
        if begun.elapsed() > Duration::from_secs(60) {
            return Err(format!("{processed} messages should have been processed by now: {status:?}").into());
        }
        // Asleep, since a host that looks all the time takes a core from one of two kernels where there are
        // but two cores.
        thread::sleep(Duration::from_micros(50));
    }
}

/// Ends kernels, sources before their targets, and makes sure that all that was sent was processed.
pub(super) fn end<K: RingKernel>(kernel: &KernelHandle<K>, processed: u64) -> Result<(), Failure> {
    let end = kernel.shutdown_blocking(Duration::from_secs(10));
    stayed(kernel)?;
    let status = kernel.status();
    if status.processed == processed && status.drops.total() == 0 && status.outputs_lost == 0 {
        return Ok(());
    }
    Err(format!("{processed} messages should have been processed, but: {:?}, {status:?}", end.outcome).into())
}

/// So many messages go to and fro between two kernels at the same time, each so many times; the time of one hop.
pub(super) fn to_and_fro(config: Config, messages: u64, hops: u64, threads: u32, spin: Duration) -> Run {
    let runtime = runtime_of(config.backend, threads)?;
    let [there, back] =
        ["there", "back"].map(|name| kernels::hop::launch(&runtime, options(name).spin(spin).active(false)));
    let (there, back) = (there?, back?);
    there.connect(&back)?;
    back.connect(&there)?;
    there.activate_blocking()?;
    back.activate_blocking()?;
    let warm_up = hops / 10;
    let mut took = Duration::ZERO;
    let mut processed = 0;
    for count in [warm_up, hops] {
        let start = Instant::now();
        for _ in 0..messages {
            let _ = there.send_blocking(Hop::new(count))?;
        }
        // A message is handled where it is sent to, and at the end of each hop.
        processed += messages * (count + 1);
        until(&[&there, &back], processed)?;
        took = start.elapsed();
    }
    let counts = [&there, &back].map(|kernel| kernel.status().processed);
    end(&there, counts[0])?;
    end(&back, counts[1])?;
    Ok(vec![took.as_nanos() as f64 / (messages * hops) as f64])
}

fn through_the_host(config: Config, hops: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let plain = |name: &str| options(name).connectable(false);
    let [there, back] = ["there", "back"].map(|name| kernels::hop::launch(&runtime, plain(name)));
    let kernels = [there?, back?];
    let mut took = Duration::ZERO;
    for count in [hops / 10, hops] {
        let start = Instant::now();
        let mut message = Hop::new(count);
        for hop in 0..count {
            let kernel = &kernels[(hop % 2) as usize];
            let _ = kernel.try_send(message)?;
            // Its back-off lets others run: there are three who wait busily here.
            message = kernel.recv_blocking()?;
        }
        took = start.elapsed();
    }
    for (index, kernel) in kernels.iter().enumerate() {
        let share = |count: u64| count / 2 + (count % 2) * u64::from(index == 0);
        end(kernel, share(hops / 10) + share(hops))?;
    }
    Ok(vec![took.as_nanos() as f64 / hops as f64])
}

fn stream<S, K>(
    config: Config,
    bursts: u64,
    threads: u32,
    burst: impl Fn(&Runtime, LaunchOptions) -> Result<KernelHandle<S>, annulus::LaunchError>,
    launch: impl Fn(&Runtime, LaunchOptions) -> Result<KernelHandle<K>, annulus::LaunchError>,
) -> Run
where
    S: RingKernel<Message = Burst>,
    K: RingKernel<Message: Accepts<S::Output>>,
{
    let runtime = runtime_of(config.backend, threads)?;
    let target = launch(&runtime, options("target"))?;
    let into = <K::Message as Accepts<S::Output>>::VARIANT.is_some();
    let source = burst(&runtime, options("source").active(false).into_variants(into))?;
    source.connect(&target)?;
    source.activate_blocking()?;
    let warm_up = bursts / 10;
    let mut took = Duration::ZERO;
    let mut sent = 0;
    for count in [warm_up, bursts] {
        let messages: Vec<_> = (sent..sent + count).map(Burst::new).collect();
        let start = Instant::now();
        source.send_batch_blocking(&messages)?;
        sent += count;
        until(&[&target], sent * kernels::BURST)?;
        took = start.elapsed();
    }
    end(&source, sent)?;
    end(&target, sent * kernels::BURST)?;
    Ok(vec![took.as_nanos() as f64 / (2 * bursts * kernels::BURST) as f64])
}
