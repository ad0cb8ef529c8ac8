//! What policies cost a message.

use std::time::{Duration, Instant};

use annulus::{Deduplication, prelude::*};

use super::{
    Config, Suite,
    stream::{await_processed, produce},
};
use crate::{
    harness::{Better, Candidate, Case, Goal, Mark, Run},
    kernels,
    launched::{finish, launch},
};

pub(super) const SUITE: Suite = Suite {
    name: "policies",
    about: "what policies cost a message of a launched kernel, in nanoseconds (lower is better)",
    method: "16-byte messages in batches of 64 from one thread, with time stamps; queues of 16,384 messages, backpressure Block, \
             iterations of up to 64. The clock runs from the first send until the kernel has processed the last message. The limit is \
             the same kernel without policies, whose messages go straight into the ring. Ids are all different, priorities are four.",
    cases,
};

const CAPACITY: u32 = 16_384;
const WARM_UP: u64 = CAPACITY as u64;
const BATCH: usize = 64;
const NONE: &str = "limit no policy";

fn cases(config: Config) -> Vec<Case> {
    let messages = config.size(4_000_000, 800_000);
    let options = || {
        LaunchOptions::high_throughput()
            .capacity(CAPACITY)
            .mode(ProcessingMode::Adaptive)
            .max_messages_per_iteration(64)
    };
    let deduplicated = options().deduplication(Deduplication::ById);
    let hour = Duration::from_secs(3600);
    let policies = [
        (NONE, options(), None),
        ("annulus deduplication", deduplicated.clone(), Some(12.0)),
        ("annulus priority", options().priority(true), Some(15.0)),
        ("annulus both", deduplicated.clone().priority(true), Some(22.0)),
        ("annulus expiry", options().expiry(hour), Some(4.0)),
        ("annulus all", deduplicated.priority(true).expiry(hour), None),
    ];
    let marks = policies
        .iter()
        .filter_map(|&(candidate, _, more)| Some((candidate, more?)))
        .map(|(candidate, more)| Mark { candidate, metric: "", goal: Goal::LimitPlus(more) })
        .collect();
    let candidates = policies
        .into_iter()
        .map(|(name, options, _)| Candidate::new(name, move || run(config, &options, messages)))
        .collect();
    vec![Case {
        name: "batches of 64 messages".into(),
        unit: "ns/message",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(NONE),
        candidates,
        marks,
    }]
}

fn run(config: Config, options: &LaunchOptions, messages: u64) -> Run {
    let kernel = launch(config.backend, kernels::ticket_sink::launch, options.clone())?;
    // A lap before the clock runs: memory is mapped, the kernel awake.
    produce(&kernel, 0..WARM_UP, BATCH)?;
    await_processed(&kernel, WARM_UP);
    let all = WARM_UP + messages;
    let start = Instant::now();
    produce(&kernel, WARM_UP..all, BATCH)?;
    await_processed(&kernel, all);
    let elapsed = start.elapsed();
    finish(&kernel, all, 0)?;
    Ok(vec![elapsed.as_secs_f64() * 1e9 / messages as f64])
}
