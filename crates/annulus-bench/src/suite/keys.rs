//! What it costs to find an actor: by a key below the number of actors, and by any key.

use std::time::Instant;

use annulus::prelude::*;

use super::{Config, Suite};
use crate::{
    harness::{Better, Candidate, Case, Goal, Mark, Run},
    launched::{finish, runtime},
};

pub(super) const SUITE: Suite = Suite {
    name: "keys",
    about: "nanoseconds a message to actors with dense and with sparse keys (lower is better)",
    method: "One thread sends batches of 64 messages of 16 bytes to one block, which counts them in the state of the key's actor. The keys \
             come in an order without a pattern, each equally often. Dense: keys from 0 on. Sparse: the same numbers, multiplied by an odd number \
             of 64 bits. Evicting: the same, with as many places as keys, so that nobody is evicted; and with half as many, so that every other message finds \
             its actor gone. From the first batch until all is handled.",
    cases,
};

/// A message for an actor.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Hit {
    #[ring(key)]
    key: u64,
    amount: u64,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
fn hit(_cx: &Cx, hit: &Hit, sum: &mut u64) {
    *sum += hit.amount;
}

const DENSE: &str = "annulus, dense";
const SPARSE: &str = "annulus, sparse";

fn cases(config: Config) -> Vec<Case> {
    let messages = config.size(4_000_000, 200_000);
    let of = |actors: u64, marks: Vec<Mark>| {
        let options = move || LaunchOptions::production().actors(actors);
        let candidate = move |name, options: LaunchOptions, mix: u64| {
            Candidate::new(name, move || run(config, options.clone(), actors, mix, messages))
        };
        Case {
            name: format!("{actors} actors"),
            unit: "ns",
            better: Better::Lower,
            metrics: &[""],
            limit: None,
            candidates: vec![
                candidate(DENSE, options(), 1),
                candidate(SPARSE, options().sparse_keys(true), SPREAD),
                candidate("annulus, evicting, room for all", options().evict_actors(true), SPREAD),
                candidate(
                    "annulus, evicting, room for half",
                    options().actors(actors / 2).evict_actors(true),
                    SPREAD,
                ),
            ],
            marks,
        }
    };
    // Of a million, table and states are larger than a processor's caches: that is told, and no mark.
    let mark = Mark { candidate: SPARSE, metric: "", goal: Goal::TimesBest(2.0, &[DENSE]) };
    vec![of(1000, vec![mark]), of(1_000_000, Vec::new())]
}

/// An odd number: keys that are multiplied by it stay different.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

fn run(config: Config, options: LaunchOptions, actors: u64, mix: u64, messages: u64) -> Run {
    let runtime = runtime(config.backend)?;
    let kernel = hit::launch(&runtime, options)?;
    let mut state = 1_u64;
    let mut batch = Vec::with_capacity(64);
    let mut fill = |batch: &mut Vec<Hit>| {
        batch.clear();
        batch.extend((0..64).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            Hit { key: ((u128::from(state) * u128::from(actors)) >> 64) as u64, amount: 1 }
        }));
        batch.iter_mut().for_each(|hit| hit.key = hit.key.wrapping_mul(mix));
    };
    // Actors that come now are there when it counts.
    let before = messages / 64 / 4;
    for _ in 0..before {
        fill(&mut batch);
        kernel.send_batch_blocking(&batch)?;
    }
    kernel.drained_blocking();
    let counted = messages / 64;
    let begun = Instant::now();
    for _ in 0..counted {
        fill(&mut batch);
        kernel.send_batch_blocking(&batch)?;
    }
    kernel.drained_blocking();
    let took = begun.elapsed();
    let all = (before + counted) * 64;
    finish(&kernel, all, 0)?;
    Ok(vec![took.as_nanos() as f64 / (counted * 64) as f64])
}
