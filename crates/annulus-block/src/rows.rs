//! A block whose outputs go along rows of a graph: a copy of each to every actor that its row names.
//!
//! An output stays one until its last copy has gone. How many have gone stands in the output itself, behind the number of its
//! row: its *cursor*. So a row of any length takes the room of one output; what waits for room goes on where it stands;
//! and an output that goes to the host, since its kernel was disconnected meanwhile, says how much of it is left.

use std::{
    mem::{replace, take},
    ops::Range,
    sync::Arc,
};

use annulus_kernel::{Inside, KernelDefinition, Rows, RowsDefinition};
use annulus_sync::Ordering;

use crate::{
    host::{Deliver, Row},
    links::Offered,
    publish::add,
    runner::Runner,
    turn::{BlockCore, Line, PendingOutputs},
};

/// How many copies are made at a time.
const RUN: usize = 64;
/// After so many of these steps the block looks whether the host commands something.
const STEPS: usize = 16;

/// What a block needs to walk rows.
pub(crate) struct Walk {
    graph: Arc<Rows>,
    definition: RowsDefinition,
    /// Room for [`RUN`] copies.
    copies: Box<[Line]>,
}

impl Walk {
    /// Of a kernel whose outputs go along rows.
    pub(crate) fn new(definition: &KernelDefinition, graph: &Arc<Rows>) -> Option<Self> {
        let definition = definition.rows?;
        let lines = definition.message.size.div_ceil(size_of::<Line>());
        let copies = vec![Line::default(); RUN * lines].into();
        Some(Self { graph: Arc::clone(graph), definition, copies })
    }

    /// The most copies that are offered at once.
    pub(crate) fn most(&self) -> usize {
        RUN
    }

    /// The entries that an output has not gone to yet; `None` if there is no such row, or if it has not so many.
    ///
    /// # Safety
    ///
    /// An output of the kernel lies there.
    // TWIN: entries_of
    unsafe fn entries_of(&self, output: *const u8) -> Option<Range<usize>> {
        // SAFETY: it begins with the number of its row, and how many of its copies have gone, by the caller's word.
        let [row, from] = unsafe { output.cast::<[u32; 2]>().read() };
        self.graph.entries_of(row, from)
    }

    /// The copies that an output still stands for. Without a row it stands for one, which will be lost.
    ///
    /// # Safety
    ///
    /// As for [`entries_of`](Self::entries_of).
    // TWIN: copies_of
    unsafe fn copies_of(&self, output: *const u8) -> u64 {
        // SAFETY: by the caller's word.
        unsafe { self.entries_of(output) }.map_or(1, |entries| entries.len() as u64)
    }

    /// Writes the copy for an entry, and returns where it lies: one of [`RUN`] places.
    ///
    /// # Safety
    ///
    /// As for [`entries_of`](Self::entries_of).
    // TWIN: write_copy
    unsafe fn write_copy(&mut self, output: *const u8, entry: usize, place: usize) -> *const u8 {
        let lines = self.copies.len() / RUN;
        let copy = self.copies[place * lines..(place + 1) * lines].as_mut_ptr().cast::<u8>();
        let RowsDefinition { message, offset, .. } = self.definition;
        // SAFETY: the message lies in the output at this offset.
        let sent = unsafe { output.add(offset) };
        // SAFETY: there is room for it, in memory of the block's own.
        unsafe { copy.copy_from_nonoverlapping(sent, message.size) };
        let (key, value) = self.graph.entry(entry);
        // SAFETY: a message lies there now.
        unsafe { self.definition.write(copy, key, value) };
        copy
    }
}

/// The kernel that the copies are for.
struct Way<'a> {
    target: Option<&'a dyn Deliver>,
    waits: bool,
    inside: Option<Inside>,
}

impl<R: Runner> BlockCore<R> {
    /// Sends the copies of the pending outputs, one output after the other, until one copy has to wait for room. Returns
    /// whether none has to wait.
    // TWIN: deliver_rows
    pub(crate) fn deliver_rows(&mut self, mut pending: PendingOutputs) -> bool {
        let Some(link) = &self.links[0] else {
            self.tell_waiting(0);
            return true;
        };
        let (waits, inside) = (link.waits, link.inside);
        let target = link.target.upgrade();
        let _near = R::delivering();
        let way = Way { target: target.as_deref(), waits, inside };
        while pending.gone < pending.all && self.walk_row(&pending, &way) {
            pending.gone += 1;
            self.pending = Some(pending);
        }
        self.tell_waiting(self.waiting(&pending));
        let all_gone = pending.gone == pending.all;
        if !all_gone {
            self.rest();
        }
        all_gone
    }

    /// Sends the copies of the first pending output from where it stands in its row, in order, as far as there is room, and
    /// as the host commands nothing. Where it stands then is written into it. Returns whether it has gone to all.
    // TWIN: walk_row
    fn walk_row(&mut self, pending: &PendingOutputs, way: &Way<'_>) -> bool {
        let output = self.pending_output(pending.gone).cast_mut();
        let walk = self.walk.as_ref().expect("a block whose outputs go along rows has a graph");
        // SAFETY: a pending output of the kernel lies there.
        let Some(mut entries) = (unsafe { walk.entries_of(output) }) else {
            self.lose_copies(KernelDefinition::NO_ROW);
            return true;
        };
        let mut step = 0;
        while !entries.is_empty() {
            step += 1;
            if step % STEPS == 0 && self.memory.command().load(Ordering::Relaxed) != self.seen_command {
                return false;
            }
            let mut messages = take(&mut self.row);
            messages.clear();
            for (number, entry) in entries.clone().take(RUN).enumerate() {
                let walk = self.walk.as_mut().expect("there was one");
                // SAFETY: as above.
                let copy = unsafe { walk.write_copy(output, entry, number) };
                // SAFETY: a message lies there, and the variant is of the link's target.
                messages.push(unsafe { self.as_taken(copy, way.inside, number) });
            }
            let mut row = Row {
                messages: &messages,
                call: 0,
                bearer: usize::MAX,
                trace: pending.trace,
                stamp: pending.stamp,
            };
            while !row.messages.is_empty() {
                // SAFETY: copies are messages of the target's type, or what its variant holds: the maker of the link
                // promised that.
                let count = match unsafe { self.offer(way.target, way.waits, row) } {
                    Offered::Taken(count) => {
                        add(self.counts_of(0).forwarded(), count as u64);
                        count
                    }
                    Offered::Lost => {
                        self.lose_copies(0);
                        1
                    }
                    Offered::Waits => break,
                };
                entries.start += count;
                // SAFETY: the second word of an output says how many of its copies have gone; the memory is the block's.
                unsafe { *output.cast::<u32>().wrapping_add(1) += count as u32 };
                row = row.after(count);
            }
            let waits = !row.messages.is_empty();
            self.row = messages;
            if waits {
                return false;
            }
        }
        true
    }

    /// How many copies the pending outputs still stand for.
    fn waiting(&self, pending: &PendingOutputs) -> u64 {
        let Some(walk) = &self.walk else { return 0 };
        // SAFETY: a pending output of the kernel lies there.
        let of = |index| unsafe { walk.copies_of(self.pending_output(index)) };
        (pending.gone..pending.all).map(of).sum()
    }

    /// Says how many copies wait for room in the connected kernel, if some do, or it was said that some do.
    // TWIN: tell_waiting
    pub(crate) fn tell_waiting(&mut self, held: u64) {
        if replace(&mut self.told_held, held != 0) || held != 0 {
            self.counts_of(0).held().store(held, Ordering::Relaxed);
        }
    }

    /// Before the block ends: what the pending outputs still stand for is lost.
    // TWIN: abandon_rows
    pub(crate) fn abandon_rows(&mut self, pending: &PendingOutputs) {
        let lost = self.waiting(pending);
        add(self.counts_of(0).unforwarded(), lost);
        add(self.memory.unforwarded(), lost);
        self.tell_waiting(0);
    }

    /// A copy is lost: one for the connected kernel, or what has no row.
    // TWIN: lose_copies
    fn lose_copies(&mut self, place: usize) {
        add(self.counts_of(place).unforwarded(), 1);
        add(self.memory.unforwarded(), 1);
    }

    fn counts_of(&self, place: usize) -> annulus_ring::memory::PortWords<'_> {
        self.memory.port(place).expect("a shard has counts for what goes along rows")
    }
}
