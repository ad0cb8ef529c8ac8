//! Sleepers that each wait for something of their own. Each has a place, and a key of its own: a place may have been given
//! to the next one while the one before it has still to look, so both may lie there.
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

use std::{
    collections::{BTreeMap, btree_map::Range},
    mem,
    sync::PoisonError,
    task::Waker,
};

use crate::{AtomicUsize, Mutex, MutexGuard, Ordering, fence};

/// The sleepers, by place; see the module.
#[derive(Debug)]
pub struct Sleepers<K> {
    count: AtomicUsize,
    asleep: Mutex<Asleep<K>>,
}

/// A place, and the number of who lies there.
type At = (u32, u64);

#[derive(Debug)]
struct Asleep<K> {
    /// By place, and by a number of each.
    wakers: BTreeMap<At, (K, Waker)>,
    next: u64,
    /// The ticket up to which places were looked at.
    looked: u64,
}

impl<K: Copy + PartialEq> Sleepers<K> {
    /// Nobody sleeps.
    pub fn new() -> Self {
        let asleep = Asleep { wakers: BTreeMap::new(), next: 0, looked: 0 };
        Self { count: AtomicUsize::new(0), asleep: Mutex::new(asleep) }
    }

    /// Stores a waker at a place, and fences. Returns the waker that was there before under this key.
    #[must_use = "dropping a waker may run the program's code: not under a lock"]
    pub fn lie_down(&self, place: u32, key: K, waker: Waker) -> Option<Waker> {
        let before = {
            let mut asleep = self.lock();
            let at = asleep.find(place, key).unwrap_or((place, asleep.next));
            asleep.next += u64::from(at.1 == asleep.next);
            let before = asleep.wakers.insert(at, (key, waker));
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
        let is_found = |(_, (key, _)): &(&At, &(K, Waker))| has_come(*key);
        let found: Vec<At> = if come.wrapping_sub(from) < asleep.wakers.len() as u64 {
            (from..come)
                .map(place)
                .flat_map(|place| asleep.at(place))
                .filter(is_found)
                .map(|(&at, _)| at)
                .collect()
        } else {
            asleep.wakers.iter().filter(is_found).map(|(&at, _)| at).collect()
        };
        let wakers =
            found.into_iter().filter_map(|at| asleep.wakers.remove(&at)).map(|(_, waker)| waker).collect();
        self.count(&asleep);
        wakers
    }

    fn take(&self, asleep: &mut Asleep<K>, place: u32, key: K) -> Option<Waker> {
        let at = asleep.find(place, key)?;
        let waker = asleep.wakers.remove(&at).map(|(_, waker)| waker);
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

impl<K: Copy + PartialEq> Asleep<K> {
    /// Who lies at a place: one, and for a moment those before it.
    fn at(&self, place: u32) -> Range<'_, At, (K, Waker)> {
        self.wakers.range((place, 0)..=(place, u64::MAX))
    }

    fn find(&self, place: u32, key: K) -> Option<At> {
        self.at(place).find(|(_, (other, _))| *other == key).map(|(&at, _)| at)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::{sync::Arc, task::Wake};

    use super::*;

    struct Told(AtomicUsize);

    impl Wake for Told {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// One that comes late to a place, which has the next one's key by now, takes nobody's waker away.
    #[test]
    fn bug_who_came_late_took_the_waker_of_the_next() {
        let sleepers = Sleepers::new();
        let [late, next] = [(); 2].map(|()| Arc::new(Told(AtomicUsize::new(0))));
        let waker = |told: &Arc<Told>| Waker::from(Arc::clone(told));
        let told = || [&late, &next].map(|told| told.0.load(Ordering::Relaxed));
        assert!(sleepers.lie_down(3, 19, waker(&next)).is_none());
        assert!(sleepers.lie_down(3, 3, waker(&late)).is_none());
        assert!(sleepers.lie_down(3, 3, waker(&late)).is_some(), "its own, from before");
        // It sees that its reply was put aside.
        assert!(sleepers.get_up(3, 3).is_some());
        assert!(sleepers.get_up(3, 3).is_none() && !sleepers.is_empty());
        sleepers.rouse(|| 20, |ticket| ticket as u32 % 16, |key| key == 19).into_iter().for_each(Waker::wake);
        assert_eq!((told(), sleepers.is_empty()), ([0, 1], true));
        // Both lie there, and only one is answered.
        let _ = sleepers.lie_down(3, 35, waker(&next));
        let _ = sleepers.lie_down(3, 19, waker(&late));
        let _ = sleepers.lie_down(4, 36, waker(&late));
        let _ = sleepers.lie_down(5, 37, waker(&late));
        sleepers.rouse(|| 22, |_| 3, |key| key == 35).into_iter().for_each(Waker::wake);
        assert_eq!((told(), sleepers.is_empty()), ([0, 2], false));
        sleepers.rouse_all().into_iter().for_each(Waker::wake);
        assert_eq!((told(), sleepers.is_empty()), ([3, 2], true));
    }
}
