//! Counts that only grow, of kernels that come and go.
//!
//! A kernel that is launched again begins at zero. What is shown under its name is the sum of all launches
//! that were seen, so that nobody takes it for a loss.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
};

/// Which count of a kernel: the metric by its place in the table, and the values of its own labels.
pub(super) type Which = (usize, Vec<String>);

/// A launch.
pub(super) type Launch = (PathBuf, u64);

/// What all launches under a name have counted.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) counts: BTreeMap<Which, u64>,
    pub(super) launches: u64,
    /// When the first of them was launched, in nanoseconds since 1970 UTC: all counts were 0 then.
    pub(super) since: u64,
}

/// How many looks in a row must miss a launch until it counts as gone. An entry may be damaged in one look, if it
/// is being written.
const GONE_AFTER: u32 = 3;

#[derive(Debug, Default)]
pub(crate) struct Counters {
    launches: HashMap<Launch, Seen>,
    /// By process and name: what the launches counted that are gone.
    past: HashMap<(PathBuf, String), Past>,
}

#[derive(Debug)]
struct Past {
    launches: u64,
    /// When the first of them was launched.
    since: u64,
    counts: BTreeMap<Which, u64>,
}

#[derive(Debug)]
struct Seen {
    name: String,
    /// When it was launched, in nanoseconds since 1970 UTC, as it was first seen: the clock may be set later.
    since: u64,
    counts: BTreeMap<Which, u64>,
    /// Looks in a row that did not find it.
    missed: u32,
}

impl Counters {
    /// What one launch counts now; it was launched at this time.
    pub(super) fn see(&mut self, launch: Launch, name: &str, since: u64, counts: BTreeMap<Which, u64>) {
        let file = launch.0.clone();
        let seen = self.launches.entry(launch).or_insert_with(|| Seen {
            name: name.to_owned(),
            since,
            counts: BTreeMap::new(),
            missed: 0,
        });
        seen.missed = 0;
        for (which, now) in counts {
            let before = seen.counts.insert(which.clone(), now).unwrap_or(0);
            if now < before {
                // Telemetry was reset: what it counted until then is past.
                let past =
                    self.past.entry((file.clone(), seen.name.clone())).or_insert(Past::since(seen.since));
                *past.counts.entry(which).or_insert(0) += before;
            }
        }
    }

    /// Ends a look in which all launches were [seen](Self::see) that are there.
    pub(super) fn end_look(&mut self, is_there: impl Fn(&Launch) -> bool) {
        let past = &mut self.past;
        self.launches.retain(|launch, seen| {
            if is_there(launch) {
                return true;
            }
            seen.missed += 1;
            if seen.missed < GONE_AFTER {
                return true;
            }
            let past = past.entry((launch.0.clone(), seen.name.clone())).or_insert(Past::since(seen.since));
            past.launches += 1;
            past.since = past.since.min(seen.since);
            for (which, count) in std::mem::take(&mut seen.counts) {
                *past.counts.entry(which).or_insert(0) += count;
            }
            false
        });
    }

    /// Forgets processes that are gone.
    pub(super) fn forget(&mut self, is_there: impl Fn(&PathBuf) -> bool) {
        self.launches.retain(|(file, _), _| is_there(file));
        self.past.retain(|(file, _), _| is_there(file));
    }

    /// The names under which kernels of a process were seen.
    pub(super) fn names(&self, file: &PathBuf) -> BTreeSet<String> {
        let past = self.past.keys().filter(|(of, _)| of == file).map(|(_, name)| name);
        let there = self.launches.iter().filter(|((of, _), _)| of == file).map(|(_, seen)| &seen.name);
        past.chain(there).cloned().collect()
    }

    /// What all launches under a name of a process have counted.
    pub(super) fn totals(&self, file: &PathBuf, name: &str) -> Totals {
        let past = self.past.get(&(file.clone(), name.to_owned()));
        let mut totals = past.map_or(Totals { since: u64::MAX, ..Totals::default() }, |past| Totals {
            counts: past.counts.clone(),
            launches: past.launches,
            since: past.since,
        });
        for ((of, _), seen) in &self.launches {
            if of == file && seen.name == name {
                totals.launches += 1;
                totals.since = totals.since.min(seen.since);
                for (which, count) in &seen.counts {
                    *totals.counts.entry(which.clone()).or_insert(0) += count;
                }
            }
        }
        totals
    }
}

impl Past {
    fn since(since: u64) -> Self {
        Self { launches: 0, since, counts: BTreeMap::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(count: u64) -> BTreeMap<Which, u64> {
        BTreeMap::from([((0, Vec::new()), count)])
    }

    fn total(counters: &Counters) -> (u64, u64) {
        let totals = counters.totals(&PathBuf::new(), "sort");
        assert_eq!(totals.since, 1001, "the first launch, for ever");
        (totals.counts.get(&(0, Vec::new())).copied().unwrap_or(0), totals.launches)
    }

    /// O-05: a kernel that is launched again goes on counting.
    #[test]
    fn o_05_counters_only_grow() {
        let mut counters = Counters::default();
        let mut look = |launches: &[(u64, u64)]| {
            for &(id, count) in launches {
                counters.see((PathBuf::new(), id), "sort", 1000 + id, counts(count));
            }
            counters.end_look(|(_, id)| launches.iter().any(|(seen, _)| seen == id));
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
}
