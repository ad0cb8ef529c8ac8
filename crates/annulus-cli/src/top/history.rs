//! What a screen remembers from look to look: rates, and since when shards are at the same.

use std::{
    collections::{BTreeMap, VecDeque},
    path::PathBuf,
    time::{Duration, Instant},
};

use annulus_observe::{Kernel, Liveness, Phase, Process, Shard};

use super::{Sight, latency::mean};

/// Rates that are kept of each kernel. Source: the width of the widest plot.
const RATES: usize = 64;

/// What earlier looks have found, of each kernel that the last one has seen.
#[derive(Default)]
pub(super) struct History {
    start: Option<Instant>,
    kernels: BTreeMap<(PathBuf, u64), Past>,
}

/// What earlier looks have found of a kernel.
#[derive(Default)]
pub(super) struct Past {
    /// When its words were as they are: by a clock that only serves differences.
    at: Duration,
    done: u64,
    /// Messages for each second between the last two looks.
    pub(super) rate: Option<f64>,
    /// The mean latency between the last two looks, where telemetry has measured some.
    pub(super) latency: Option<Duration>,
    /// The same rates of earlier looks, the newest last.
    pub(super) rates: VecDeque<f64>,
    shards: Vec<PastShard>,
}

struct PastShard {
    last: Shard,
    rate: Option<f64>,
    latency: Option<Duration>,
    since: Duration,
}

impl History {
    /// Takes in a look.
    pub(super) fn look(&mut self, sight: &Sight) {
        let start = *self.start.get_or_insert(sight.at);
        let now = sight.at.saturating_duration_since(start);
        let mut before = std::mem::take(&mut self.kernels);
        for process in &sight.processes {
            for kernel in &process.kernels {
                let key = (process.file.clone(), kernel.id);
                // Of copies, when the copy was made: what is twice the same copy proves nothing.
                let at = kernel.copied_at.map_or(now, Duration::from_nanos);
                let is_over = kernel.has_ended || process.liveness == Liveness::Dead;
                let past = match before.remove(&key) {
                    Some(past) => past.next(kernel, at, is_over),
                    None => Past::first(kernel, at),
                };
                self.kernels.insert(key, past);
            }
        }
    }

    /// What is known of a kernel.
    pub(super) fn of(&self, process: &Process, kernel: &Kernel) -> Option<&Past> {
        self.kernels.get(&(process.file.clone(), kernel.id))
    }
}

impl Past {
    fn first(kernel: &Kernel, at: Duration) -> Self {
        let shards = kernel.shards.iter().map(|shard| PastShard {
            last: *shard,
            rate: None,
            latency: None,
            since: at,
        });
        Self { at, done: done(kernel), shards: shards.collect(), ..Self::default() }
    }

    fn next(mut self, kernel: &Kernel, at: Duration, is_over: bool) -> Self {
        if is_over {
            (self.rate, self.latency, self.shards) = (None, None, Vec::new());
            return self;
        }
        let elapsed = at.saturating_sub(self.at).as_secs_f64();
        if elapsed == 0.0 {
            return self;
        }
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / elapsed;
        let mut now = Self::first(kernel, at);
        for (shard, before) in now.shards.iter_mut().zip(&self.shards) {
            shard.rate = Some(rate(shard.last.processed, before.last.processed));
            shard.latency = mean(&[shard.last], &[before.last]);
            if before.last.at == shard.last.at {
                shard.since = before.since;
            }
        }
        now.rate = Some(rate(now.done, self.done));
        let before: Vec<Shard> = self.shards.iter().map(|shard| shard.last).collect();
        now.latency = mean(&kernel.shards, &before);
        now.rates = self.rates;
        now.rates.extend(now.rate);
        if now.rates.len() > RATES {
            now.rates.pop_front();
        }
        now
    }

    /// How long a shard has been at the same message at least; `None` if it is at none, or for less than a
    /// second.
    pub(super) fn held(&self, index: usize) -> Option<Duration> {
        let shard = self.shards.get(index).filter(|shard| Phase::of(&shard.last).is_work())?;
        Some(self.at.saturating_sub(shard.since)).filter(|held| held.as_secs() >= 1)
    }

    /// Messages of a shard for each second.
    pub(super) fn shard_rate(&self, index: usize) -> Option<f64> {
        self.shards.get(index)?.rate
    }

    /// The mean latency of a shard.
    pub(super) fn shard_latency(&self, index: usize) -> Option<Duration> {
        self.shards.get(index)?.latency
    }

    /// The shard that has been longest at the same message, and how long.
    pub(super) fn longest(&self) -> Option<(usize, Duration)> {
        let held = (0..self.shards.len()).filter_map(|index| Some((index, self.held(index)?)));
        // The first of several.
        held.rev().max_by_key(|&(_, held)| held)
    }
}

fn done(kernel: &Kernel) -> u64 {
    kernel.sum(|shard| shard.processed)
}
