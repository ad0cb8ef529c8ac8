//! Which bridge has which entry of the vitals file: [`annulus_abi::vitals::bridges`].

use std::{
    mem::offset_of,
    sync::{Arc, Mutex, PoisonError},
};

use annulus_abi::vitals::bridges::{BridgeCounts, BridgeEntry, MOST_BRIDGES, bridge_state};
use annulus_ring::memory::SharedMemory;
use annulus_sync::{AtomicBool, AtomicU64, Ordering, fence};

use super::{Home, VitalsArena, parts::Parts};

const ENTRY: usize = size_of::<BridgeEntry>();

/// The entries of a runtime.
pub(super) struct BridgeSlots {
    slots: Mutex<Slots>,
    /// Whether the last bridge that looked for an entry has found none, and none has ended since. Changed under the lock; others
    /// read it relaxed, to leave the lock alone: who reads an old value looks again when it has moved more.
    is_full: AtomicBool,
}

struct Slots {
    /// Who has which; as many as were ever needed at a time. It has room for all of them from the beginning, so that nothing is
    /// allocated under the lock.
    holders: Vec<Holder>,
    /// Numbers the ends of bridges.
    next: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Nobody,
    Bridge,
    /// One had it; the number is greater for those that ended later.
    Past(u64),
}

impl BridgeSlots {
    pub(super) fn new() -> Self {
        Self { slots: Mutex::new(Slots::new()), is_full: AtomicBool::new(false) }
    }

    fn with<T>(&self, change: impl FnOnce(&mut Slots) -> T) -> T {
        // A holder is changed at once, so poison is ignored.
        change(&mut self.slots.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// An entry that no bridge has.
    fn take(&self) -> Option<usize> {
        if self.is_full.load(Ordering::Relaxed) {
            return None;
        }
        self.with(|slots| {
            let taken = slots.take();
            self.is_full.store(taken.is_none(), Ordering::Relaxed);
            taken
        })
    }

    /// The system has no memory for this one. Until a bridge ends, nobody asks it again.
    fn lacks(&self, index: usize) {
        self.with(|slots| {
            slots.holders[index] = Holder::Nobody;
            self.is_full.store(true, Ordering::Relaxed);
        });
    }

    /// The bridge that had this one has ended.
    fn give_back(&self, index: usize) {
        self.with(|slots| {
            slots.holders[index] = Holder::Past(slots.number());
            self.is_full.store(false, Ordering::Relaxed);
        });
    }
}

impl Slots {
    fn new() -> Self {
        Self { holders: Vec::with_capacity(MOST_BRIDGES), next: 1 }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// An entry that no bridge has: one that none ever had, as long as there is one, else that of the bridge which ended first.
    fn take(&mut self) -> Option<usize> {
        let free = self.holders.iter().position(|holder| *holder == Holder::Nobody);
        let index = match free {
            Some(free) => free,
            None if self.holders.len() < MOST_BRIDGES => {
                self.holders.push(Holder::Nobody);
                self.holders.len() - 1
            }
            None => {
                let past = self.holders.iter().enumerate().filter_map(|(index, holder)| match holder {
                    Holder::Past(number) => Some((*number, index)),
                    _ => None,
                });
                past.min()?.1
            }
        };
        self.holders[index] = Holder::Bridge;
        Some(index)
    }
}

/// Where a bridge that works is shown. When this is dropped, the bridge has ended, and its entry is kept as one of the past.
pub(crate) struct BridgePlace {
    arena: Arc<VitalsArena>,
    memory: Arc<SharedMemory>,
    /// The [`id`](Home::id) of the kernel that it stands with.
    kernel: u64,
    /// Which entry it has. None as long as all are of other bridges that work: then it takes one when one of these has ended.
    index: Option<usize>,
}

impl Parts {
    fn bridge(&self, index: usize) -> usize {
        self.bridges_offset + index * ENTRY
    }
}

impl Home {
    /// Where a bridge of this kernel is shown. `None` if the kernel is not.
    pub(crate) fn bridge_place(&self) -> Option<BridgePlace> {
        let (_, memory) = self.arena().shown_file().filter(|_| self.is_seen())?;
        let (arena, memory) = (Arc::clone(self.arena()), Arc::clone(memory));
        Some(BridgePlace { arena, memory, kernel: self.id(), index: None })
    }

    /// When the runtime was built, as the file's header says, and the number of the launch, by which observers find it; zeros
    /// if it is not shown.
    pub(crate) fn told(&self) -> [u64; 2] {
        match self.file() {
            Some(file) => [file.started(), self.id()],
            None => [0; 2],
        }
    }
}

impl BridgePlace {
    fn word(&self, index: usize, offset: usize) -> &AtomicU64 {
        // SAFETY: all words of vitals are atomics.
        unsafe { self.memory.word(self.arena.parts().bridge(index) + offset) }
    }

    /// Its entry. If it has none, it takes one, if there is one, and describes the bridge there, but for the kernel's number.
    fn entry(&mut self, described: impl FnOnce() -> BridgeEntry) -> Option<usize> {
        if self.index.is_none() {
            let (file, _) = self.arena.shown_file()?;
            let index = self.arena.bridges().take()?;
            if !file.claim(self.arena.parts().bridge(index), ENTRY) {
                self.arena.bridges().lacks(index);
                return None;
            }
            self.index = Some(index);
            self.describe(index, BridgeEntry { kernel: self.kernel, ..described() });
        }
        self.index
    }

    fn describe(&self, index: usize, bridge: BridgeEntry) {
        const STATE: usize = offset_of!(BridgeEntry, state);
        let set = |offset: usize, value: u64| self.word(index, offset).store(value, Ordering::Relaxed);
        set(STATE, bridge_state::FREE.into());
        set(offset_of!(BridgeEntry, number), 0);
        // Who has seen another word of it zeroed sees that its number is no bridge's, or the next one's.
        // SYNC: bridge-freed (release)
        fence(Ordering::Release);
        (8..ENTRY).step_by(8).for_each(|offset| set(offset, 0));
        // Who has seen its number sees no count of the bridge before.
        // SYNC: bridge-zeroed (release)
        fence(Ordering::Release);
        let words = BridgeEntry { state: bridge_state::FREE, ..bridge }.to_words();
        (1..).zip(&words[1..]).for_each(|(word_index, word)| set(8 * word_index, *word));
        // SYNC: bridge-zeroed (release)
        self.word(index, STATE).store(bridge_state::WORKS.into(), Ordering::Release);
    }

    /// Shows what the bridge has done, and for which kernel's room it waits, if it waits; what it is, if it was not shown yet.
    pub(crate) fn show(
        &mut self,
        described: impl FnOnce() -> BridgeEntry,
        counts: BridgeCounts,
        waits_for: Option<[u64; 2]>,
    ) {
        const COUNTS: usize = offset_of!(BridgeEntry, counts);
        let Some(index) = self.entry(described) else { return };
        let set = |offset: usize, value: u64| self.word(index, offset).store(value, Ordering::Relaxed);
        for (word, count) in counts.to_words().into_iter().enumerate() {
            set(COUNTS + 8 * word, count);
        }
        let [runtime, kernel] = waits_for.unwrap_or_default();
        set(offset_of!(BridgeEntry, waits_runtime), runtime);
        set(offset_of!(BridgeEntry, waits_kernel), kernel);
        set(offset_of!(BridgeEntry, waits), waits_for.is_some().into());
    }
}

impl Drop for BridgePlace {
    fn drop(&mut self) {
        let Some(index) = self.index else { return };
        // Who has seen this, and copies the table again, sees the last counts.
        // SYNC: bridge-done (release)
        self.word(index, offset_of!(BridgeEntry, state)).store(bridge_state::ENDED.into(), Ordering::Release);
        self.arena.bridges().give_back(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-01: the entries of bridges that have ended are taken again when no other is left, the oldest ones first; and none of one
    /// that works is.
    #[test]
    fn o_01_entries_of_the_past_are_taken_again() {
        let mut slots = Slots::new();
        let room = slots.holders.capacity();
        assert!((0..MOST_BRIDGES).all(|index| slots.take() == Some(index)));
        assert_eq!(slots.take(), None, "all work");
        assert_eq!(slots.holders.capacity(), room, "nothing is allocated under the lock");
        for index in [7, 3] {
            slots.holders[index] = Holder::Past(slots.number());
        }
        assert_eq!([(); 3].map(|()| slots.take()), [Some(7), Some(3), None]);
    }
}
