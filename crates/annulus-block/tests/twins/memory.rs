//! A shard's memory, and the host's ends of its rings.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    mem::MaybeUninit,
    ptr::NonNull,
    sync::Arc,
};

use annulus_abi::{
    LINE,
    kernel::KernelLayout,
    ring::{call_at, is_ask, is_through, kind, place_of},
};
use annulus_ring::{
    memory::{ShardMemory, SharedMemory, TelemetryLine},
    ring::{Consumer, Header, Producers, SlotReservation},
};

/// Zeroed memory, aligned to 128, that is reached through its address by whoever has it.
pub(crate) struct Raw {
    base: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it only frees the memory, once.
unsafe impl Send for Raw {}
// SAFETY: as for `Send`: a shared reference gives an address.
unsafe impl Sync for Raw {}

impl Raw {
    pub(crate) fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes.max(128), 128).expect("so much fits");
        // SAFETY: the layout's size is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) }).expect("there is so much");
        Self { base, layout }
    }

    /// The address of what lies at `offset`.
    pub(crate) fn at<T>(&self, offset: usize) -> *mut T {
        assert!(offset + size_of::<T>() <= self.layout.size() && offset.is_multiple_of(align_of::<T>()));
        self.base.as_ptr().wrapping_add(offset).cast()
    }

    /// The value at `offset`.
    pub(crate) fn get<T: Copy>(&self, offset: usize) -> T {
        // SAFETY: `at` has checked the place; one thread runs hosts and blocks in turn; callers ask for words
        // of which any bits are right.
        unsafe { self.at::<T>(offset).read() }
    }

    pub(crate) fn set<T: Copy>(&self, offset: usize, value: T) {
        // SAFETY: as for `get`.
        unsafe { self.at::<T>(offset).write(value) };
    }

    /// The bytes from `offset` on.
    pub(crate) fn bytes(&self, offset: usize, bytes: usize) -> Vec<u8> {
        (offset..offset + bytes).map(|at| self.get(at)).collect()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: it came from `alloc_zeroed` with this layout, and is freed once.
        unsafe { dealloc(self.base.as_ptr(), self.layout) };
    }
}

/// Which of a kernel's blocks it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) block: u32,
    pub(crate) grid: u32,
}

/// What a host took out of a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    kind: u8,
    length: u32,
    correlation: u64,
    trace: u64,
    stamp: u64,
    payload: Vec<u8>,
}

impl Taken {
    /// Without its last bytes.
    pub(crate) fn without(mut self, bytes: usize) -> Self {
        self.payload.truncate(self.payload.len() - bytes);
        self
    }
}

/// A kernel's memory, and the host's side of one shard of it.
pub(crate) struct Side {
    /// All shards.
    pub(crate) shards: Arc<Raw>,
    /// Where the shard begins in there.
    pub(crate) offset: usize,
    /// The shard's line of telemetry begins at a line's distance, so that an offset matters.
    pub(crate) arena: Arc<Raw>,
    pub(crate) memory: ShardMemory,
    pub(crate) producers: &'static Producers,
    outbound: Consumer,
    dead_letters: Option<Consumer>,
    prints: Option<Consumer>,
    records: Option<Consumer>,
    /// Slots that a producer has, and has not published.
    pub(crate) pending: Option<SlotReservation<'static>>,
}

impl Side {
    /// The address of the reply to the next message that is sent, or to the one of the slots that are
    /// [pending](Self::pending).
    pub(crate) fn call(&self, pending: bool, generation: u32) -> u64 {
        let ring = self.producers.ring();
        let ticket = match &self.pending {
            Some(slots) if pending => slots.ticket(),
            _ => ring.reserved(),
        };
        call_at((ticket % u64::from(ring.layout().capacity)) as u32, generation)
    }

    /// Zeroed memory for all shards; `shows`: the shard has a line of telemetry.
    pub(crate) fn new(layout: &KernelLayout, place: Place, shows: bool) -> Self {
        let bytes = layout.shard_bytes() * place.grid as usize;
        let shards = Arc::new(Raw::new(bytes));
        let arena = Arc::new(Raw::new(2 * LINE));
        let shared = |raw: &Arc<Raw>, bytes| {
            let base = NonNull::new(raw.at(0)).expect("it was allocated");
            // SAFETY: so many bytes, zero, aligned to 128, which live as long as the owner.
            Arc::new(unsafe { SharedMemory::from_raw(base, bytes, Box::new(Arc::clone(raw))) })
        };
        let line = shows.then(|| TelemetryLine::new(&shared(&arena, 2 * LINE), 1));
        let memory =
            ShardMemory::new(&shared(&shards, bytes), layout, place.block, line).with_landings(place.grid);
        // SAFETY: the host's one set of producers; `memory` lives as long as they are used.
        let inbound = unsafe { memory.inbound() };
        // SAFETY: as above.
        let producers = unsafe { Producers::new(inbound) };
        // SAFETY: the host's one consumer of each ring, as above.
        let outbound = unsafe { memory.outbound() };
        // SAFETY: as above.
        let outbound = unsafe { Consumer::new(outbound) };
        // SAFETY: as above.
        let dead_letters = unsafe { memory.dead_letters() };
        // SAFETY: as above.
        let dead_letters = dead_letters.map(|ring| unsafe { Consumer::new(ring) });
        // SAFETY: as above.
        let prints = unsafe { memory.prints() };
        // SAFETY: as above.
        let prints = prints.map(|ring| unsafe { Consumer::new(ring) });
        // SAFETY: as above.
        let records = unsafe { memory.records() };
        // SAFETY: as above.
        let records = records.map(|ring| unsafe { Consumer::new(ring) });
        Self {
            shards,
            offset: layout.shard_bytes() * place.block as usize,
            arena,
            memory,
            // A few words of each world, so that a reservation may be kept from one action to another.
            producers: Box::leak(Box::new(producers)),
            outbound,
            dead_letters,
            prints,
            records,
            pending: None,
        }
    }

    /// Sends a message; false if there is no room.
    pub(crate) fn send(&self, message: &[u8], header: Header) -> bool {
        let Ok(mut slot) = self.producers.reserve(1) else { return false };
        let message: Vec<_> = message.iter().copied().map(MaybeUninit::new).collect();
        // SAFETY: the ring carries no bridged messages.
        unsafe { slot.write_bytes(&message, header) };
        true
    }

    /// Takes a slot that nobody writes.
    pub(crate) fn send_nothing(&self) -> bool {
        self.producers.reserve(1).is_ok()
    }

    /// Whether an answer waits, and a dead letter.
    pub(crate) fn is_ready(&self) -> (bool, bool) {
        (self.outbound.is_ready(), self.dead_letters.as_ref().is_some_and(Consumer::is_ready))
    }

    /// Takes an answer.
    pub(crate) fn receive(&mut self) -> Option<Taken> {
        take(&mut self.outbound)
    }

    /// Takes a dead letter.
    pub(crate) fn take_dead_letter(&mut self) -> Option<Taken> {
        take(self.dead_letters.as_mut()?)
    }

    /// Takes a record.
    pub(crate) fn take_record(&mut self) -> Option<Taken> {
        take(self.records.as_mut()?)
    }

    /// Takes a print: its number, and its words.
    pub(crate) fn take_print(&mut self) -> Option<(u32, Vec<u64>)> {
        let taken = take(self.prints.as_mut()?)?;
        let words = taken.payload.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap()));
        Some((taken.length, words.collect()))
    }

    /// Answers that wait for the host.
    pub(crate) fn waiting(&self) -> u64 {
        self.outbound.ring().depth()
    }

    /// What the host does when the block has ended: ends the calls through pipelines whose messages are left in its
    /// ring.
    pub(crate) fn end_left(&self) {
        let layout = self.memory.layout();
        let (inbound, first) = (layout.inbound, layout.inbound_offset());
        let (Some(correlation), Some(landings)) = (inbound.correlation_offset, layout.landings) else {
            return;
        };
        let ring = self.producers.ring();
        for ticket in ring.consumed()..ring.reserved() {
            let slot = first + inbound.slot_offset(ticket);
            let is_message = self.word::<u32>(slot + 4) >> 24 == u32::from(kind::MESSAGE);
            let call = self.word::<u64>(slot + correlation);
            if self.word::<u32>(slot) == inbound.lap(ticket) && is_message && is_through(call) {
                // Asks have the second half.
                let first = if is_ask(call) { landings.capacity / 2 } else { 0 };
                let place = u64::from(first + place_of(call));
                let at = self.offset + layout.landings_offset() + landings.slot_offset(place);
                self.shards.set(at + 4, u32::from(kind::ENDED) << 24);
                self.shards.set(at, (call >> 32) as u32);
            }
        }
    }

    /// A word of the shard's memory.
    pub(crate) fn word<T: Copy>(&self, offset: usize) -> T {
        self.shards.get(self.offset + offset)
    }
}

fn take(ring: &mut Consumer) -> Option<Taken> {
    let slot = ring.peek()?;
    let mut payload = vec![MaybeUninit::new(0u8); ring.ring().layout().payload_size];
    // SAFETY: the slot was just peeked. What is no message has bytes as well: of an earlier one, or zeros.
    unsafe { ring.read_bytes(&slot, &mut payload) };
    // SAFETY: the memory was zero once, and messages of these kernels have no padding.
    let payload = payload.into_iter().map(|byte| unsafe { byte.assume_init() }).collect();
    ring.advance(&slot);
    ring.give_back();
    let is_message =
        !matches!(slot.kind, annulus_abi::ring::kind::NO_REPLY | annulus_abi::ring::kind::FAILED);
    Some(Taken {
        kind: slot.kind,
        length: slot.length,
        correlation: slot.header.correlation,
        trace: slot.header.trace,
        stamp: slot.header.stamp,
        payload: if is_message { payload } else { Vec::new() },
    })
}
