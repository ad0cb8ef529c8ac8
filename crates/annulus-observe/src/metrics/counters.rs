//! Counts that only grow, of kernels that come and go.
//!
//! A kernel that is launched again begins at zero. What is shown under its name is the sum of all launches
//! that were seen, so that nobody takes it for a loss.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use super::{instances::Instances, table::Metric};

/// Which count of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Which {
    /// The metric, by its place in the table.
    pub(super) metric: usize,
    pub(super) shard: Option<usize>,
    pub(super) of: Of,
}

/// What of a kernel, or of a shard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Of {
    All,
    Cause(&'static str),
    Outbox(Arc<str>),
    /// How many latencies are less than this power of two.
    Below(u32),
    /// How many latencies there are.
    Count,
    /// Their sum.
    Sum,
}

impl Which {
    pub(super) fn new(metric: &'static Metric, of: Of) -> Self {
        Self { metric: metric.place, shard: None, of }
    }
}

pub(super) type Counts = BTreeMap<Which, u64>;

/// What all launches under a name have counted.
#[derive(Debug)]
pub(super) struct Totals<'a> {
    pub(super) name: &'a str,
    pub(super) counts: Cow<'a, Counts>,
    pub(super) launches: u64,
    /// When the first of them was launched, in nanoseconds since 1970 UTC: all counts were 0 then.
    pub(super) since: u64,
}

/// How many looks in a row must miss a launch until it counts as gone. An entry may be damaged in one look, if it
/// is being written.
const GONE_AFTER: u32 = 3;

/// How long what bridges have counted is told after the last one of their ends was seen: names of ends may be many, if kernels come
/// and go. Source: Prometheus takes a value for five minutes, and a scrape that fails, or two, takes nothing away.
const TOLD_FOR: Duration = Duration::from_secs(600);

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(super) instances: Instances,
    processes: HashMap<PathBuf, OfProcess>,
    /// The same of bridges: a launch is a bridge, and its name those of its ends.
    bridges: HashMap<PathBuf, OfProcess>,
}

/// The kernels of one process.
#[derive(Debug, Default)]
struct OfProcess {
    launches: BTreeMap<u64, Seen>,
    /// By name: what the launches counted that are gone.
    past: BTreeMap<String, Past>,
}

#[derive(Debug)]
struct Past {
    /// When the last of them was found to be gone.
    gone: Instant,
    launches: u64,
    /// When the first of them was launched.
    since: u64,
    counts: Counts,
}

#[derive(Debug)]
struct Seen {
    name: String,
    /// When it was launched, in nanoseconds since 1970 UTC, as it was first seen: the clock may be set later.
    since: u64,
    counts: Counts,
    /// Whether this look has found it.
    is_there: bool,
    /// Looks in a row that did not find it.
    missed: u32,
}

impl Counters {
    /// What one launch counts now; it was launched at this time.
    pub(super) fn see(&mut self, file: &Path, launch: u64, name: &str, since: u64, counts: Counts) {
        of_file(&mut self.processes, file).see(launch, name, since, counts);
    }

    /// What one bridge counts now; it began at this time.
    pub(super) fn see_bridge(&mut self, file: &Path, number: u64, ends: &str, since: u64, counts: Counts) {
        of_file(&mut self.bridges, file).see(number, ends, since, counts);
    }

    /// Ends a look at this time in which all launches, and bridges, were [seen](Self::see) that are there.
    pub(super) fn end_look(&mut self, now: Instant) {
        for process in self.processes.values_mut().chain(self.bridges.values_mut()) {
            process.end_look(now);
        }
        for OfProcess { launches, past } in self.bridges.values_mut() {
            past.retain(|name, past| {
                now.duration_since(past.gone) < TOLD_FOR || launches.values().any(|seen| seen.name == *name)
            });
        }
    }

    /// Forgets processes that are gone.
    pub(super) fn forget(&mut self, is_there: impl Fn(&Path) -> bool) {
        self.processes.retain(|file, _| is_there(file));
        self.bridges.retain(|file, _| is_there(file));
    }

    /// What all launches under each name of a process have counted, by name.
    pub(super) fn totals(&self, file: &Path) -> Vec<Totals<'_>> {
        self.processes.get(file).map_or(Vec::new(), OfProcess::totals)
    }

    /// What all bridges between the same ends have counted, by these.
    pub(super) fn totals_of_bridges(&self, file: &Path) -> Vec<Totals<'_>> {
        self.bridges.get(file).map_or(Vec::new(), OfProcess::totals)
    }
}

fn of_file<'a>(all: &'a mut HashMap<PathBuf, OfProcess>, file: &Path) -> &'a mut OfProcess {
    if !all.contains_key(file) {
        all.insert(file.to_owned(), OfProcess::default());
    }
    all.get_mut(file).expect("it was inserted")
}

impl OfProcess {
    fn see(&mut self, launch: u64, name: &str, since: u64, counts: Counts) {
        let process = self;
        let seen = process.launches.entry(launch).or_insert_with(|| Seen {
            name: name.to_owned(),
            since,
            counts: Counts::new(),
            is_there: true,
            missed: 0,
        });
        (seen.is_there, seen.missed) = (true, 0);
        for (which, now) in counts {
            let Some(before) = seen.counts.get_mut(&which) else {
                seen.counts.insert(which, now);
                continue;
            };
            let before = std::mem::replace(before, now);
            if now < before {
                // Telemetry was reset: what it counted until then is past.
                let past = process.past.entry(seen.name.clone()).or_insert_with(|| Past::since(seen.since));
                add(&mut past.counts, which, before);
            }
        }
    }

    fn end_look(&mut self, now: Instant) {
        let Self { launches, past } = self;
        launches.retain(|_, seen| {
            if std::mem::take(&mut seen.is_there) {
                return true;
            }
            seen.missed += 1;
            if seen.missed < GONE_AFTER {
                return true;
            }
            let past = past.entry(std::mem::take(&mut seen.name)).or_insert_with(|| Past::since(seen.since));
            past.gone = now;
            past.launches += 1;
            past.since = past.since.min(seen.since);
            for (which, count) in std::mem::take(&mut seen.counts) {
                add(&mut past.counts, which, count);
            }
            false
        });
    }

    fn totals(&self) -> Vec<Totals<'_>> {
        let process = self;
        let mut names: BTreeMap<&str, Totals<'_>> = BTreeMap::new();
        let past = process.past.iter().map(|(name, past)| Totals {
            name,
            counts: Cow::Borrowed(&past.counts),
            launches: past.launches,
            since: past.since,
        });
        let there = process.launches.values().map(|seen| Totals {
            name: &seen.name,
            counts: Cow::Borrowed(&seen.counts),
            launches: 1,
            since: seen.since,
        });
        for more in past.chain(there) {
            match names.get_mut(more.name) {
                None => drop(names.insert(more.name, more)),
                Some(totals) => {
                    totals.launches += more.launches;
                    totals.since = totals.since.min(more.since);
                    let counts = totals.counts.to_mut();
                    more.counts.iter().for_each(|(which, count)| add(counts, which.clone(), *count));
                }
            }
        }
        names.into_values().collect()
    }
}

/// The numbers may be anything.
pub(super) fn add(counts: &mut Counts, which: Which, more: u64) {
    let count = counts.entry(which).or_insert(0);
    *count = count.saturating_add(more);
}

impl Past {
    fn since(since: u64) -> Self {
        Self { gone: Instant::now(), launches: 0, since, counts: Counts::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHICH: Which = Which { metric: 0, shard: None, of: Of::All };

    fn total(counters: &Counters) -> (u64, u64) {
        let totals = counters.totals(Path::new(""));
        let [totals] = &*totals else { panic!("{totals:?}") };
        assert_eq!((totals.name, totals.since), ("sort", 1001), "the first launch, for ever");
        (totals.counts.get(&WHICH).copied().unwrap_or(0), totals.launches)
    }

    /// O-05: a kernel that is launched again goes on counting.
    #[test]
    fn o_05_counters_only_grow() {
        let mut counters = Counters::default();
        let mut look = |launches: &[(u64, u64)]| {
            for &(id, count) in launches {
                counters.see(Path::new(""), id, "sort", 1000 + id, Counts::from([(WHICH, count)]));
            }
            counters.end_look(Instant::now());
            total(&counters)
        };
        assert_eq!(look(&[(1, 10)]), (10, 1));
        assert_eq!(look(&[(1, 15)]), (15, 1));
        // The next launch, while the first is still remembered, and then not.
        assert_eq!(look(&[(1, 15), (2, 1)]), (16, 2));
        for _ in 0..5 {
            assert_eq!(look(&[(2, 4)]), (19, 2));
        }
        // Left out of one look, since its entry was damaged.
        assert_eq!(look(&[]), (19, 2));
        assert_eq!(look(&[(2, 5)]), (20, 2));
        // A count that was reset.
        assert_eq!(look(&[(2, 2)]), (22, 2));
        assert_eq!(look(&[(2, 3)]), (23, 2));
    }

    /// O-05: series of bridges end some time after the last bridge of their ends, so that names that come and go do not make more
    /// and more of them; those that others of the same ends go on with do not.
    #[test]
    fn o_05_series_of_bridges_end() {
        let mut counters = Counters::default();
        let start = Instant::now();
        let mut look = |seconds: u64, bridges: &[(u64, &str)]| {
            for &(number, ends) in bridges {
                let counts = Counts::from([(WHICH, 10)]);
                counters.see_bridge(Path::new(""), number, ends, 0, counts);
            }
            counters.end_look(start + Duration::from_secs(seconds));
            let totals = counters.totals_of_bridges(Path::new(""));
            let told = |totals: &Totals<'_>| (totals.name.to_owned(), totals.counts[&WHICH]);
            totals.iter().map(told).collect::<Vec<_>>()
        };
        let of = |name: &str, count: u64| (name.to_owned(), count);
        assert_eq!(look(0, &[(1, "a"), (2, "b")]), [of("a", 10), of("b", 10)]);
        for seconds in 1..600 {
            assert_eq!(look(seconds, &[(3, "b")]), [of("a", 10), of("b", 20)]);
        }
        assert_eq!(look(700, &[(3, "b")]), [of("b", 20)]);
        assert_eq!(look(701, &[(3, "b"), (4, "a")]), [of("a", 10), of("b", 20)]);
    }
}
