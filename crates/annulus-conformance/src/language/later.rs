//! What a handler sends to itself.

use std::ptr::NonNull;

use annulus_kernel::{IS_ASK, KernelDefinition, TimerEntry};

use super::memory::Memory;

/// When a message to itself is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    /// In nanoseconds on the clock of [`Told::now`](super::Told::now).
    pub due: u64,
    /// Whether the message is what comes of an ask.
    pub is_ask: bool,
}

/// The room that a block has for what one call sends to itself.
#[derive(Clone, Debug)]
pub struct Places {
    entries: Vec<TimerEntry>,
    messages: Memory,
}

impl Places {
    /// As many places as the handler may use in one call. The entries name them from the last to the first, since a block's
    /// free places have no order either.
    pub fn of(definition: &KernelDefinition) -> Self {
        let each = definition.timers.map_or(0, |timers| timers.each);
        let entry = |place| TimerEntry { due: 0, number: 0, place };
        Self {
            entries: (0..each).rev().map(entry).collect(),
            messages: Memory::zeroed(definition.message, each as usize),
        }
    }

    /// The entries.
    pub fn entries(&mut self) -> &mut [TimerEntry] {
        &mut self.entries
    }

    /// The messages, by their places.
    pub fn messages(&mut self) -> &mut Memory {
        &mut self.messages
    }

    /// The first entry; dangling if there is none.
    pub(super) fn first_entry(&mut self) -> NonNull<TimerEntry> {
        NonNull::from(self.entries.as_mut_slice()).cast()
    }

    /// What a call has sent that used so many of the entries: when each message is taken, and the messages in the same
    /// order.
    pub fn sent(&self, count: usize) -> (Vec<Timer>, Memory) {
        let (ty, entries) = (self.messages.ty(), &self.entries[..count]);
        let mut messages = Memory::zeroed(ty, count);
        for (index, entry) in entries.iter().enumerate() {
            let from = entry.place as usize * ty.size;
            messages.bytes_mut()[index * ty.size..(index + 1) * ty.size]
                .copy_from_slice(&self.messages.bytes()[from..from + ty.size]);
        }
        let timer = |entry: &TimerEntry| Timer { due: entry.due, is_ask: entry.number == IS_ASK };
        (entries.iter().map(timer).collect(), messages)
    }
}
