//! The keys that are seen most often, in little memory.

use std::collections::BTreeMap;

/// Which keys were seen most often, with bounds of how often, by the algorithm *Space-Saving* (Metwally, Agrawal,
/// El Abbadi, 2005): as many counters as there is room for; a key without one takes that of the rarest, and what
/// that one had counted becomes the newcomer's possible error.
///
/// So a key that made up more than one in `capacity` of all is always there, and its true number is always
/// within its bounds.
///
/// ```
/// use annulus_observe::profile::HotKeys;
/// let mut keys = HotKeys::new(2);
/// for key in [7, 7, 7, 1, 2, 7] {
///     keys.add(key);
/// }
/// let hottest = &keys.hottest()[0];
/// assert_eq!((hottest.key, hottest.at_least, hottest.at_most), (7, 4, 4));
/// ```
#[derive(Clone, Debug)]
pub struct HotKeys {
    capacity: usize,
    total: u64,
    counters: BTreeMap<u64, Counter>,
}

#[derive(Clone, Copy, Debug)]
struct Counter {
    count: u64,
    /// How much of the count other keys may have left.
    error: u64,
}

/// A key, and how often it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HotKey {
    /// The key.
    pub key: u64,
    /// It was seen so often or more.
    pub at_least: u64,
    /// It was seen so often or less.
    pub at_most: u64,
}

impl HotKeys {
    /// Room for so many keys, at least 1.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), total: 0, counters: BTreeMap::new() }
    }

    /// A key was seen. Takes a time that grows with the capacity, if the key is new.
    pub fn add(&mut self, key: u64) {
        self.total += 1;
        if let Some(counter) = self.counters.get_mut(&key) {
            counter.count += 1;
            return;
        }
        let mut error = 0;
        if self.counters.len() == self.capacity {
            let rarest = self.counters.iter().min_by_key(|(_, counter)| counter.count);
            let (&key, &counter) = rarest.expect("there is room for one at least");
            self.counters.remove(&key);
            error = counter.count;
        }
        self.counters.insert(key, Counter { count: error + 1, error });
    }

    /// How many keys were seen, each as often as it was.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The keys that have a counter, the hottest first.
    pub fn hottest(&self) -> Vec<HotKey> {
        let told = |(&key, counter): (&u64, &Counter)| HotKey {
            key,
            at_least: counter.count - counter.error,
            at_most: counter.count,
        };
        let mut keys: Vec<HotKey> = self.counters.iter().map(told).collect();
        keys.sort_by_key(|key| (std::cmp::Reverse(key.at_least), key.key));
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random numbers, always the same.
    fn random(seed: &mut u64) -> u64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed
    }

    /// Against exact counts: bounds hold, and whoever makes up more than one in `capacity` is there.
    #[test]
    fn bounds_hold_for_skewed_keys() {
        let mut seed = 0x1234_5678_9ABC_DEF1;
        for capacity in [1, 2, 8, 64] {
            for skew in 1..=4 {
                let mut exact = BTreeMap::new();
                let mut keys = HotKeys::new(capacity);
                for _ in 0..20_000 {
                    // Products of fractions gather near zero.
                    let fraction =
                        (0..skew).map(|_| random(&mut seed) as f64 / u64::MAX as f64).product::<f64>();
                    let key = (fraction * 500.0) as u64;
                    *exact.entry(key).or_insert(0u64) += 1;
                    keys.add(key);
                }
                assert_eq!(keys.total(), 20_000);
                let hottest = keys.hottest();
                assert_eq!(hottest.len(), capacity.min(exact.len()));
                for key in &hottest {
                    let truth = exact.get(&key.key).copied().unwrap_or(0);
                    assert!((key.at_least..=key.at_most).contains(&truth), "{key:?}, and {truth}");
                }
                for (key, count) in exact {
                    let is_there = hottest.iter().any(|hot| hot.key == key);
                    assert!(is_there || count <= 20_000 / capacity as u64, "{key}: {count}");
                }
            }
        }
    }

    #[test]
    fn few_keys_are_exact() {
        let mut keys = HotKeys::new(3);
        for key in [5, u64::MAX, 5, 0] {
            keys.add(key);
        }
        let told: Vec<_> = keys.hottest().iter().map(|key| (key.key, key.at_least, key.at_most)).collect();
        assert_eq!(told, [(5, 2, 2), (0, 1, 1), (u64::MAX, 1, 1)]);
    }
}
