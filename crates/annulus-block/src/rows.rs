//! A block whose outputs go along rows of a graph: a copy of each to every actor that its row names.
//!
//! An output stays one until its last copy has gone. How many have gone stands in the output itself, behind the number of its
//! row: its *cursor*. So a row of any length takes the room of one output; what waits for room goes on where it stands;
//! and an output that goes to the host, since its kernel was disconnected meanwhile, says how much of it is left.
//!
//! With a long hold (see the module `hold`) the block takes messages while outputs wait. These stand in one line: the first that has not gone is
//! walked, and the others wait behind it. So a kernel that sends to itself goes on though its ring is full, as long as the hold has room.

use std::{
    mem::{replace, take},
    ops::Range,
    sync::Arc,
};

use annulus_kernel::{Inside, KernelDefinition, Rows, RowsDefinition};
use annulus_ring::ring::Header;
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
    /// How many pending outputs, from the first on, have had their copies counted.
    counted: u32,
    /// Copies of these that have not gone.
    left: u64,
}

impl Walk {
    /// The bytes that `new` allocates for copies.
    pub(crate) fn bytes(definition: &KernelDefinition) -> usize {
        let lines = |size: usize| RUN * size.div_ceil(size_of::<Line>());
        definition.rows.map_or(0, |rows| lines(rows.message.size) * size_of::<Line>())
    }

    /// Of a kernel whose outputs go along rows.
    pub(crate) fn new(definition: &KernelDefinition, graph: &Arc<Rows>) -> Option<Self> {
        let definition = definition.rows?;
        let lines = definition.message.size.div_ceil(size_of::<Line>());
        let copies = vec![Line::default(); RUN * lines].into();
        Some(Self { graph: Arc::clone(graph), definition, copies, counted: 0, left: 0 })
    }

    /// The first pending outputs, which have gone, are pending no more.
    pub(crate) fn forget(&mut self, gone: u32) {
        self.counted -= gone;
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
    /// Where a pending output lies.
    fn along(&self, index: u32) -> *const u8 {
        if self.hold.is_some() { self.put_aside(index) } else { self.pending_output(index) }
    }

    fn walk(&mut self) -> &mut Walk {
        self.walk.as_mut().expect("a block whose outputs go along rows has a graph")
    }

    /// Outputs that were sent since the last pass: their copies are on the way from now on.
    // TWIN: count_copies
    fn count_copies(&mut self, pending: &PendingOutputs) {
        for index in self.walk().counted.max(pending.gone)..pending.all {
            let output = self.along(index);
            let walk = self.walk();
            // SAFETY: a pending output of the kernel lies there.
            walk.left += unsafe { walk.copies_of(output) };
        }
        self.walk().counted = pending.all;
    }

    /// The first pending output has gone.
    fn pass_on(&mut self, pending: &mut PendingOutputs) {
        pending.gone += 1;
        self.note_moved();
        self.pending = Some(*pending);
    }

    /// Something that was held has gone.
    fn note_moved(&mut self) {
        if let Some(hold) = &mut self.hold {
            hold.moved = true;
        }
    }

    /// Sends the copies of the pending outputs, one output after the other, until one copy has to wait for room. Returns
    /// whether none has to wait.
    // TWIN: deliver_rows
    pub(crate) fn deliver_rows(&mut self, mut pending: PendingOutputs) -> bool {
        self.count_copies(&pending);
        let Some(link) = &self.links[0] else {
            // With a long hold, what has found no room waits for the host to make some.
            if self.hold.is_none() {
                self.walk().counted = 0;
                self.walk().left = 0;
            }
            self.end_pass(&pending);
            return true;
        };
        let (waits, inside) = (link.waits, link.inside);
        let target = link.target.upgrade();
        let _near = R::delivering();
        let way = Way { target: target.as_deref(), waits, inside };
        while pending.gone < pending.all && self.walk_row(pending.gone, &way) {
            self.pass_on(&mut pending);
        }
        let all_gone = self.end_pass(&pending);
        if !all_gone && self.hold.is_none() {
            self.rest();
        }
        all_gone
    }

    /// Sends the copies of a pending output from where it stands in its row, in order, as far as there is room, and
    /// as the host commands nothing. Where it stands then is written into it. Returns whether it has gone to all.
    // TWIN: walk_row
    fn walk_row(&mut self, index: u32, way: &Way<'_>) -> bool {
        let output = self.along(index).cast_mut();
        let Header { trace, stamp, .. } = self.header_of(index);
        // SAFETY: a pending output of the kernel lies there.
        let Some(mut entries) = (unsafe { self.walk().entries_of(output) }) else {
            self.lose_copies(KernelDefinition::NO_ROW);
            self.walk().left -= 1;
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
                // SAFETY: as above.
                let copy = unsafe { self.walk().write_copy(output, entry, number) };
                // SAFETY: a message lies there, and the variant is of the link's target.
                messages.push(unsafe { self.as_taken(copy, way.inside, number) });
            }
            let mut row = Row { messages: &messages, call: 0, bearer: usize::MAX, trace, stamp };
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
                self.walk().left -= count as u64;
                self.note_moved();
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

    /// Returns whether all pending outputs have gone, and says how many copies have not.
    fn end_pass(&mut self, pending: &PendingOutputs) -> bool {
        let all_gone = pending.gone == pending.all;
        if all_gone {
            self.walk().counted = 0;
        }
        // Who is drained holds nothing: also no output without copies that waits for the host.
        let holds = self.hold.is_some() && !all_gone;
        let left = self.walk().left;
        self.tell_waiting(left.max(holds.into()));
        all_gone
    }

    /// Says how many copies have not gone, if some have not, or it was said that some have not.
    // TWIN: tell_waiting
    fn tell_waiting(&mut self, left: u64) {
        let was_told = replace(&mut self.told_held, left != 0);
        if left == 0
            && was_told
            && let Some(hold) = &mut self.hold
        {
            hold.is_empty_now();
        }
        if was_told || left != 0 {
            // SYNC: held (release)
            self.counts_of(0).held().store(left, Ordering::Release);
        }
    }

    /// A message was handled, and its outputs lie behind what is held already: they are held from now on.
    pub(crate) fn keep_along(&mut self) {
        let sent = self.outbox.sent();
        let base = self.held_in_front();
        self.counts.sent += u64::from(sent);
        self.keep_held(0, None, None, base..base + sent);
    }

    /// The kernel is connected no more: gives the host what is held, as far as it has room. Returns how much that is.
    #[cold]
    pub(crate) fn return_along(&mut self) -> u32 {
        let Some(mut pending) = self.pending.filter(|_| self.links[0].is_none()) else { return 0 };
        self.count_copies(&pending);
        let mut returned = 0;
        while pending.gone < pending.all {
            if !self.outbound.has_credit(1) {
                // What follows must not overtake it, when the host makes room.
                self.returns = true;
                break;
            }
            let index = pending.gone;
            self.publish_aside(index, self.header_of(index));
            let output = self.along(index);
            let walk = self.walk();
            // SAFETY: a pending output of the kernel lies there.
            walk.left -= unsafe { walk.copies_of(output) };
            self.pass_on(&mut pending);
            returned += 1;
        }
        returned
    }

    /// Before the block ends: what the pending outputs still stand for is lost.
    // TWIN: abandon_rows
    pub(crate) fn abandon_rows(&mut self, pending: &PendingOutputs) {
        self.count_copies(pending);
        let lost = take(&mut self.walk().left);
        add(self.counts_of(0).unforwarded(), lost);
        add(self.memory.unforwarded(), lost);
        self.tell_waiting(0);
    }

    /// Before the block ends, disconnected: the host has got what is pending.
    pub(crate) fn forget_rows(&mut self) {
        self.walk().left = 0;
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
