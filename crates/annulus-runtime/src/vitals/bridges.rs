//! Which bridge has which entry of the vitals file: [`annulus_abi::vitals::bridges`].

use std::{
    mem::offset_of,
    sync::{Arc, Mutex, PoisonError},
};

use annulus_abi::vitals::bridges::{BridgeCounts, BridgeEntry, MOST_BRIDGES, bridge_state};
use annulus_ring::memory::SharedMemory;
use annulus_sync::{AtomicU64, Ordering, fence};

use super::{Home, VitalsArena, parts::Parts};

const ENTRY: usize = size_of::<BridgeEntry>();

/// The entries of a runtime.
pub(super) struct BridgeSlots(Mutex<Slots>);

struct Slots {
    /// Who has which; as many as were ever needed at a time.
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
        Self(Mutex::new(Slots { holders: Vec::new(), next: 1 }))
    }

    fn with<T>(&self, change: impl FnOnce(&mut Slots) -> T) -> T {
        // A holder is changed at once, so poison is ignored.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Slots {
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

/// The entry of a bridge that works. When it is dropped, the bridge has ended, and the entry is kept as one of the past.
pub(crate) struct BridgePlace {
    arena: Arc<VitalsArena>,
    memory: Arc<SharedMemory>,
    index: usize,
    /// Where it is.
    entry: usize,
}

impl Parts {
    fn bridge(&self, index: usize) -> usize {
        self.bridges_offset + index * ENTRY
    }
}

impl Home {
    /// An entry for a bridge of this kernel, described so, but for the kernel's number. `None` if
    /// the kernel is not shown, or no entry is left.
    pub(crate) fn show_bridge(&self, bridge: BridgeEntry) -> Option<BridgePlace> {
        let arena = Arc::clone(self.arena());
        let (file, memory) = arena.shown_file().filter(|_| self.is_seen())?;
        let index = arena.bridges().with(Slots::take)?;
        let entry = arena.parts().bridge(index);
        if !file.claim(entry, ENTRY) {
            arena.bridges().with(|slots| slots.holders[index] = Holder::Nobody);
            return None;
        }
        let place = BridgePlace { memory: Arc::clone(memory), index, entry, arena: Arc::clone(&arena) };
        place.describe(BridgeEntry { kernel: self.id(), ..bridge });
        Some(place)
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
    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: all words of vitals are atomics.
        unsafe { self.memory.word(self.entry + offset) }
    }

    fn set(&self, offset: usize, value: u64) {
        self.word(offset).store(value, Ordering::Relaxed);
    }

    fn describe(&self, bridge: BridgeEntry) {
        const STATE: usize = offset_of!(BridgeEntry, state);
        self.set(STATE, bridge_state::FREE.into());
        self.set(offset_of!(BridgeEntry, number), 0);
        // Who has seen another word of it zeroed sees that its number is no bridge's, or the next one's.
        // SYNC: bridge-freed (release)
        fence(Ordering::Release);
        (8..ENTRY).step_by(8).for_each(|offset| self.set(offset, 0));
        // Who has seen its number sees no count of the bridge before.
        // SYNC: bridge-zeroed (release)
        fence(Ordering::Release);
        let words = BridgeEntry { state: bridge_state::FREE, ..bridge }.to_words();
        (1..).zip(&words[1..]).for_each(|(index, word)| self.set(8 * index, *word));
        // SYNC: bridge-zeroed (release)
        self.word(STATE).store(bridge_state::WORKS.into(), Ordering::Release);
    }

    /// Shows what the bridge has done, and for which kernel's room it waits, if it waits.
    pub(crate) fn show(&self, counts: BridgeCounts, waits_for: Option<[u64; 2]>) {
        const COUNTS: usize = offset_of!(BridgeEntry, counts);
        for (index, count) in counts.to_words().into_iter().enumerate() {
            self.set(COUNTS + 8 * index, count);
        }
        let [runtime, kernel] = waits_for.unwrap_or_default();
        self.set(offset_of!(BridgeEntry, waits_runtime), runtime);
        self.set(offset_of!(BridgeEntry, waits_kernel), kernel);
        self.set(offset_of!(BridgeEntry, waits), waits_for.is_some().into());
    }
}

impl Drop for BridgePlace {
    fn drop(&mut self) {
        // Who has seen this, and copies the table again, sees the last counts.
        // SYNC: bridge-done (release)
        self.word(offset_of!(BridgeEntry, state)).store(bridge_state::ENDED.into(), Ordering::Release);
        self.arena.bridges().with(|slots| slots.holders[self.index] = Holder::Past(slots.number()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-01: the entries of bridges that have ended are taken again when no other is left, the oldest ones first; and none of one
    /// that works is.
    #[test]
    fn o_01_entries_of_the_past_are_taken_again() {
        let mut slots = Slots { holders: Vec::new(), next: 1 };
        assert!((0..MOST_BRIDGES).all(|index| slots.take() == Some(index)));
        assert_eq!(slots.take(), None, "all work");
        for index in [7, 3] {
            slots.holders[index] = Holder::Past(slots.number());
        }
        assert_eq!([(); 3].map(|()| slots.take()), [Some(7), Some(3), None]);
    }
}
