//! Sleepers that each wait for something of their own. Each has a place, and a key that says who uses that
//! place now.
//!
//! A sleeper **lies down** (this stores its waker here, and fences), **looks again**, and only then sleeps. A
//! bringer **makes something visible, fences**, and looks whether anybody sleeps ([`Sleepers::rouse`]).
//!
//! | word | written by | read by |
//! |---|---|---|
//! | `count`: how many lie here | the lock holder, to mirror the map's length | bringers, without the lock |
//! | the map of wakers, `looked` | the lock holder | the lock holder |
//!
//! **No wake-up is lost.** Of the two fences (`SYNC: sleeper`, Dekker's pair) one comes first. If the
//! sleeper's does, the bringer sees that it is counted, and finds it under the lock. If the bringer's does,
//! the sleeper's second look finds what it waits for.
//!
//! Bringers work in the order of tickets, and a ticket says which place it is for. So few places need to be
//! looked at, however many sleep.

use std::{collections::BTreeMap, mem, sync::PoisonError, task::Waker};

use crate::{AtomicUsize, Mutex, MutexGuard, Ordering, fence};

/// The sleepers, by place; see the module.
#[derive(Debug)]
pub struct Sleepers<K> {
    count: AtomicUsize,
    asleep: Mutex<Asleep<K>>,
}

#[derive(Debug)]
struct Asleep<K> {
    wakers: BTreeMap<u32, (K, Waker)>,
    /// The ticket up to which places were looked at.
    looked: u64,
}

impl<K: Copy + PartialEq> Sleepers<K> {
    /// Nobody sleeps.
    pub fn new() -> Self {
        let asleep = Asleep { wakers: BTreeMap::new(), looked: 0 };
        Self { count: AtomicUsize::new(0), asleep: Mutex::new(asleep) }
    }

    /// Stores a waker at a place, and fences. Returns the waker that was there before.
    #[must_use = "dropping a waker may run the program's code: not under a lock"]
    pub fn lie_down(&self, place: u32, key: K, waker: Waker) -> Option<Waker> {
        let before = {
            let mut asleep = self.lock();
            let before = asleep.wakers.insert(place, (key, waker));
            self.count(&asleep);
            before
        };
        // SYNC: sleeper
        fence(Ordering::SeqCst);
        before.map(|(_, waker)| waker)
    }

    /// Takes back the waker that was stored at a place with this key.
    #[must_use = "dropping a waker may run the program's code: not under a lock"]
    pub fn get_up(&self, place: u32, key: K) -> Option<Waker> {
        self.take(&mut self.lock(), place, key)
    }

    /// Takes all wakers, since what they wait for will not come.
    #[must_use = "they are to be woken"]
    pub fn rouse_all(&self) -> Vec<Waker> {
        let mut asleep = self.lock();
        let wakers = mem::take(&mut asleep.wakers);
        self.count(&asleep);
        drop(asleep);
        wakers.into_values().map(|(_, waker)| waker).collect()
    }

    /// Whether nobody sleeps. The caller has fenced after making visible what it brings.
    #[inline]
    pub fn is_empty(&self) -> bool {
        // SYNC: sleeper
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Takes the wakers of those for whom something has come: of the places of tickets below `come`. Called
    /// if somebody [sleeps](Self::is_empty). For the wakers that it leaves, nothing has come.
    #[must_use = "they are to be woken"]
    pub fn rouse(
        &self,
        come: impl FnOnce() -> u64,
        place: impl Fn(u64) -> u32,
        has_come: impl Fn(K) -> bool,
    ) -> Vec<Waker> {
        let mut asleep = self.lock();
        // Under the lock: `looked` only grows.
        let come = come();
        let from = mem::replace(&mut asleep.looked, come);
        let found: Vec<(u32, K)> = if come.wrapping_sub(from) < asleep.wakers.len() as u64 {
            let at = |place| asleep.wakers.get(&place).map(|&(key, _)| (place, key));
            (from..come).map(place).filter_map(at).collect()
        } else {
            asleep.wakers.iter().map(|(&place, &(key, _))| (place, key)).collect()
        };
        let found = found.into_iter().filter(|&(_, key)| has_come(key));
        found.filter_map(|(place, key)| self.take(&mut asleep, place, key)).collect()
    }

    fn take(&self, asleep: &mut Asleep<K>, place: u32, key: K) -> Option<Waker> {
        if asleep.wakers.get(&place).is_none_or(|&(other, _)| other != key) {
            return None;
        }
        let waker = asleep.wakers.remove(&place).map(|(_, waker)| waker);
        self.count(asleep);
        waker
    }

    fn count(&self, asleep: &Asleep<K>) {
        self.count.store(asleep.wakers.len(), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Asleep<K>> {
        // A panic can interrupt only one change of the map, and the next change sets the count again.
        self.asleep.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + PartialEq> Default for Sleepers<K> {
    fn default() -> Self {
        Self::new()
    }
}
