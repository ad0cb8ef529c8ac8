//! Which kernel has which part of the vitals.
//!
//! # A kernel's part
//!
//! An entry of the directory and as many [`ShardVitals`] as it has blocks; with several outboxes that may be
//! connected, the [`ShardPorts`] beside them, too. All are *taken* at the launch, and *kept* from the moment at
//! which nobody has the kernel any more: an observer still finds what became of it. They are taken again when no
//! free part is left, the oldest ones first.
//!
//! Only the host writes entries, and only while it holds the lock of the slots, or has the kernel. A reader
//! takes part in no protocol. An entry is `FREE` while its description changes; a reader that has copied a
//! mixture finds that the check does not match.

use std::{
    mem::offset_of,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use annulus_abi::{
    error::UNKNOWN_ACTOR,
    histogram,
    ring::RingHeader,
    vitals::{
        At, HostWords, KernelEntry, LEFT_BEHIND, ShardVitals, kernel_flags, kernel_state,
        ports::ShardPorts,
        read::Traces,
        recorder::{NO_SHARD, event},
    },
};
use annulus_block::RuntimeClock;
use annulus_ring::{
    memory::{ShardMemory, SharedMemory, VitalsPlace},
    ring::Ring,
};
use annulus_sync::{AtomicU64, Ordering, fence};

use crate::{backend::DeviceBackend, kernel::drops::QueueDrops};

use super::{
    Vitals,
    bridges::BridgeSlots,
    file::{Page, VitalsFile},
    parts::Parts,
    recorder::{Recorder, passes_a_record},
};

const ENTRY: usize = size_of::<KernelEntry>();
const SHARD: usize = size_of::<ShardVitals>();
const PORTS: usize = size_of::<ShardPorts>();

/// The vitals of a runtime.
pub(crate) struct VitalsArena {
    /// The file, if there is one, as memory.
    file: Option<(Arc<VitalsFile>, Arc<SharedMemory>)>,
    recorder: Option<Recorder>,
    parts: Parts,
    slots: Mutex<Slots>,
    bridges: BridgeSlots,
    clock: RuntimeClock,
}

struct Slots {
    kernels: Box<[Slot]>,
    /// Which shards are taken or kept.
    shards: Box<[bool]>,
    /// Slots of kernels of the past that were freed, whose entries still describe them.
    freed: Vec<usize>,
    /// Numbers launches, and the ends of kernels.
    next: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    holder: Holder,
    first: usize,
    grid: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Nobody,
    Kernel,
    /// A kernel had it; the number is greater for kernels that ended later.
    Past(u64),
}

impl VitalsArena {
    /// The vitals of a runtime whose kernels have at most `shards` blocks at a time.
    pub(crate) fn new(
        vitals: &Vitals,
        backend: &dyn DeviceBackend,
        clock: RuntimeClock,
        shards: usize,
    ) -> Arc<Self> {
        let file = VitalsFile::create(vitals, backend, &clock, shards).map(|file| {
            let (base, bytes) = file.mapping();
            // SAFETY: the mapping is aligned to a page, and valid until its file is dropped, which the owner
            // keeps. All of it but the header is zero, and `home` zeroes what was used before. Pages are
            // touched only after they were claimed.
            let memory = unsafe { SharedMemory::from_raw(base, bytes, Box::new(Arc::clone(&file))) };
            (file, Arc::new(memory))
        });
        let parts = Parts::new(shards);
        let recorder = file.as_ref().map(|(file, memory)| {
            Recorder::new(Arc::clone(file), Arc::clone(memory), parts.records_offset, clock.clone())
        });
        let nobody = Slot { holder: Holder::Nobody, first: 0, grid: 0 };
        let slots = Slots {
            kernels: vec![nobody; parts.kernels].into(),
            shards: vec![false; shards].into(),
            freed: Vec::new(),
            next: 1,
        };
        let bridges = BridgeSlots::new();
        Arc::new(Self { file, recorder, parts, slots: Mutex::new(slots), bridges, clock })
    }

    /// The file, if there is one, and its memory.
    pub(super) fn shown_file(&self) -> Option<(&VitalsFile, &Arc<SharedMemory>)> {
        self.file.as_ref().map(|(file, memory)| (&**file, memory))
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(super) fn bridges(&self) -> &BridgeSlots {
        &self.bridges
    }

    /// Whether other processes can see it.
    pub(crate) fn is_seen(&self) -> bool {
        self.file.is_some()
    }

    /// The page in which observers ask, if there is a file.
    pub(crate) fn requests(&self) -> Option<Page> {
        self.file.as_ref().map(|(file, _)| file.requests())
    }

    /// Frees the entries of kernels whose parts are about to be taken again.
    fn forget(&self, slots: &mut Slots) {
        for index in slots.freed.drain(..) {
            if let Some((_, memory)) = &self.file {
                let state = self.parts.kernels_offset + index * ENTRY + offset_of!(KernelEntry, state);
                word(memory, state).store(u64::from(kernel_state::FREE), Ordering::Relaxed);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        // Slots are changed one by one, each from one valid value to another.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A part for a kernel of `grid` blocks, with several outboxes or not, and with histograms or not: in the file, or,
    /// if there is none or the system has no memory left for it, in memory of its own. `None` if there are not so many
    /// shards in a row. What outboxes show, and histograms, have a place in the file alone.
    pub(crate) fn home(self: &Arc<Self>, grid: usize, has_ports: bool, has_histogram: bool) -> Option<Home> {
        let mut slots = self.lock();
        let index = slots.find_kernel();
        let first = slots.find_shards(grid);
        self.forget(&mut slots);
        let (index, first) = (index?, first?);
        let id = slots.next;
        slots.next += 1;
        slots.kernels[index] = Slot { holder: Holder::Kernel, first, grid };
        slots.shards[first..first + grid].fill(true);
        let (entry, shards) =
            (self.parts.kernels_offset + index * ENTRY, self.parts.shards_offset + first * SHARD);
        let arena = Arc::clone(self);
        if let Some((file, memory)) = &self.file
            && file.claim(entry, ENTRY)
            && file.claim(shards, grid * SHARD)
        {
            // The entry first: while it is free, nobody looks at the shards. Who looks meanwhile, and has the words
            // of the next kernel, finds that the entry is no longer that of the one before.
            word(memory, entry + offset_of!(KernelEntry, state))
                .store(u64::from(kernel_state::FREE), Ordering::Relaxed);
            // Who has seen another word of it zeroed sees at its next look that it is free.
            // SYNC: entry-cleared (release)
            fence(Ordering::Release);
            zero(memory, entry, ENTRY);
            // SYNC: entry-freed (release)
            fence(Ordering::Release);
            zero(memory, shards, grid * SHARD);
            let ports = self.parts.ports_offset + first * PORTS;
            let ports = (has_ports && file.claim(ports, grid * PORTS)).then_some(ports);
            if let Some(ports) = ports {
                zero(memory, ports, grid * PORTS);
            }
            let histograms = self.parts.histograms_offset + first * histogram::BYTES;
            let histograms =
                (has_histogram && file.claim(histograms, grid * histogram::BYTES)).then_some(histograms);
            if let Some(histograms) = histograms {
                zero(memory, histograms, grid * histogram::BYTES);
            }
            return Some(Home {
                arena,
                memory: Arc::clone(memory),
                entry: Some(entry),
                index,
                shards,
                ports,
                histograms,
                id,
            });
        }
        let Some(memory) = SharedMemory::host(grid * SHARD) else {
            slots.free(index);
            return None;
        };
        let (ports, histograms) = (None, None);
        Some(Home { arena, memory: Arc::new(memory), entry: None, index, shards: 0, ports, histograms, id })
    }
}

impl Slots {
    /// A slot of the directory that nobody has, perhaps that of a kernel of the past.
    fn find_kernel(&mut self) -> Option<usize> {
        if let Some(free) = self.kernels.iter().position(|slot| slot.holder == Holder::Nobody) {
            return Some(free);
        }
        self.free_oldest()
    }

    /// So many shards in a row that nobody has.
    fn find_shards(&mut self, grid: usize) -> Option<usize> {
        loop {
            let mut run = 0;
            for (index, taken) in self.shards.iter().enumerate() {
                run = if *taken { 0 } else { run + 1 };
                if run == grid {
                    return Some(index + 1 - grid);
                }
            }
            self.free_oldest()?;
        }
    }

    /// Frees the part of the kernel of the past that ended first, if there is one.
    fn free_oldest(&mut self) -> Option<usize> {
        let past = self.kernels.iter().enumerate().filter_map(|(index, slot)| match slot.holder {
            Holder::Past(number) => Some((number, index)),
            _ => None,
        });
        let (_, oldest) = past.min()?;
        self.free(oldest);
        self.freed.push(oldest);
        Some(oldest)
    }

    fn free(&mut self, index: usize) {
        let Slot { first, grid, .. } = self.kernels[index];
        self.shards[first..first + grid].fill(false);
        self.kernels[index] = Slot { holder: Holder::Nobody, first: 0, grid: 0 };
    }
}

/// A word of the directory or of a shard.
fn word(memory: &SharedMemory, offset: usize) -> &AtomicU64 {
    // SAFETY: all words of vitals are atomics.
    unsafe { memory.word(offset) }
}

fn zero(memory: &SharedMemory, offset: usize, bytes: usize) {
    for offset in (offset..offset + bytes).step_by(8) {
        word(memory, offset).store(0, Ordering::Relaxed);
    }
}

/// The part of a kernel. When it is dropped, the part is kept as one of the past.
pub(crate) struct Home {
    arena: Arc<VitalsArena>,
    memory: Arc<SharedMemory>,
    /// Where its entry is, if it is in the file.
    entry: Option<usize>,
    /// Its slot.
    index: usize,
    /// Where its first shard is.
    shards: usize,
    /// Where the outboxes of its first shard are, if it shows them.
    pub(super) ports: Option<usize>,
    /// Where the histogram of its first shard is, if it shows some.
    histograms: Option<usize>,
    id: u64,
}

impl Home {
    /// The place of a shard's vitals.
    pub(crate) fn place(&self, shard: usize) -> VitalsPlace {
        let place = VitalsPlace::new(&self.memory, self.shards + shard * SHARD);
        let place = match self.ports {
            Some(ports) => place.with_ports(ports + shard * PORTS),
            None => place,
        };
        match self.histograms {
            Some(histograms) => place.with_histogram(histograms + shard * histogram::BYTES),
            None => place,
        }
    }

    /// Whether other processes can see it.
    pub(crate) fn is_seen(&self) -> bool {
        self.entry.is_some()
    }

    pub(super) fn arena(&self) -> &Arc<VitalsArena> {
        &self.arena
    }

    /// The file that its part is in, if it is in one.
    pub(super) fn file(&self) -> Option<&Arc<VitalsFile>> {
        self.entry.and(self.arena.file.as_ref()).map(|(file, _)| file)
    }

    /// The number of the launch.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// A word of its outboxes, by an offset in the file.
    pub(super) fn port_word(&self, offset: usize) -> &AtomicU64 {
        word(&self.memory, offset)
    }

    /// Describes the kernel, and its outboxes, if it has several. The fields that say where it is are filled in here.
    pub(crate) fn describe(&self, kernel: KernelEntry, outboxes: &[String], are_places: bool) {
        let Some(entry) = self.entry else { return };
        self.describe_ports(outboxes, are_places);
        let first_shard = ((self.shards - self.arena.parts.shards_offset) / SHARD) as u32;
        let described = KernelEntry {
            state: kernel_state::FREE,
            id: self.id,
            launched_at: self.arena.clock.now(),
            first_shard,
            ports: if self.ports.is_some() { outboxes.len() as u64 } else { 0 },
            flags: kernel.flags | if self.histograms.is_some() { kernel_flags::LATENCIES } else { 0 },
            ..kernel
        };
        for (i, value) in described.to_words().into_iter().enumerate() {
            self.entry_word(entry, 8 * i).store(value, Ordering::Relaxed);
        }
        // Readers that copy with a system call find a mixture by the check. SYNC: entry-described (release)
        self.entry_word(entry, offset_of!(KernelEntry, state))
            .store(u64::from(kernel_state::LAUNCHED), Ordering::Release);
    }

    fn entry_word(&self, entry: usize, offset: usize) -> &AtomicU64 {
        word(&self.memory, entry + offset)
    }

    fn set(&self, offset: usize, value: u64) {
        if let Some(entry) = self.entry {
            self.entry_word(entry, offset).store(value, Ordering::Relaxed);
        }
    }

    /// Says which kernel takes its outputs, and whether they wait for room there.
    pub(crate) fn set_target(&self, target: Option<(u64, bool)>) {
        let (id, waits) = target.unwrap_or((0, false));
        self.set(offset_of!(KernelEntry, waits), waits.into());
        self.set(offset_of!(KernelEntry, target), id);
    }

    /// Says that it did not end when it was told to, and that another kernel may have its name.
    pub(crate) fn set_left_behind(&self) {
        let Some(entry) = self.entry else { return };
        let state = self.entry_word(entry, offset_of!(KernelEntry, state));
        let [launched, left] =
            [0, LEFT_BEHIND].map(|left| u64::from(left) << 32 | u64::from(kernel_state::LAUNCHED));
        // It may have ended meanwhile; then that is what is to be seen.
        let _ = state.compare_exchange(launched, left, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Says that it has ended.
    pub(crate) fn set_ended(&self) {
        self.set(offset_of!(KernelEntry, ended_at), self.arena.clock.now());
        self.set(offset_of!(KernelEntry, state), u64::from(kernel_state::ENDED));
    }

    /// Records what happened to the kernel; see [`annulus_abi::vitals::recorder::event`].
    pub(crate) fn record(&self, event: u32, shard: u32, values: [u64; 3]) {
        if let (Some(recorder), Some(_)) = (&self.arena.recorder, self.entry) {
            recorder.record(self.id, event, shard, values);
        }
    }

    /// Counts messages that were dropped for a cause, by its number in
    /// [`CAUSES`](annulus_abi::vitals::recorder::CAUSES). Records some of them.
    pub(crate) fn count_drops(&self, cause: usize, count: u64) {
        let Some(entry) = self.entry else { return };
        let word = self.entry_word(entry, offset_of!(KernelEntry, drops) + 8 * cause);
        let before = word.fetch_add(count, Ordering::Relaxed);
        let now = before.wrapping_add(count);
        if passes_a_record(before, now) {
            self.record(event::DROPPED, NO_SHARD, [cause as u64, now, 0]);
        }
    }

    /// Shows from when on telemetry counts.
    pub(crate) fn set_counting_since(&self, time: u64) {
        self.set(offset_of!(KernelEntry, counting_since), time);
    }

    /// Shows what the queues had dropped when telemetry was last reset.
    pub(crate) fn set_dropped_before(&self, drops: QueueDrops) {
        let QueueDrops { rejected, evicted, discarded, duplicate, expired } = drops;
        let before = offset_of!(ShardVitals, host) + offset_of!(HostWords, dropped_before);
        for (i, count) in [rejected, evicted, discarded, duplicate, expired].into_iter().enumerate() {
            word(&self.memory, self.shards + before + 8 * i).store(count, Ordering::Relaxed);
        }
    }

    /// What shows how many messages wait in front of a shard's ring.
    pub(crate) fn show_staged(&self, shard: usize) -> impl Fn(usize) + Send + Sync + use<> {
        let place = self.place(shard);
        let index = (offset_of!(ShardVitals, host) + offset_of!(HostWords, staged)) / 8;
        move |waiting| place.word(index).store(waiting as u64, Ordering::Relaxed)
    }

    /// Shows how many records of a shard's messages there were.
    pub(crate) fn show_traces(&self, shard: usize, counts: Traces) {
        let (place, host) = (self.place(shard), offset_of!(ShardVitals, host));
        let set = |offset: usize, count: u64| place.word((host + offset) / 8).store(count, Ordering::Relaxed);
        set(offset_of!(HostWords, traces_recorded), counts.recorded);
        set(offset_of!(HostWords, traces_lost), counts.lost);
    }

    /// Shows how many slow handlers there were.
    pub(crate) fn set_slow(&self, count: u64) {
        self.set(offset_of!(KernelEntry, slow), count);
    }

    /// Records failures on a device that came since the last copy: of each kind at most one, and the code of a
    /// handler's only if no other failure came after it.
    fn record_failures(&self, shard: u32, words: &ShardMemory, copy: &ShardMemory) {
        let last = words.last_error().load(Ordering::Relaxed) as u16;
        let of_handler = if last == UNKNOWN_ACTOR { 0 } else { last };
        for (from, to, code) in [
            (words.failed(), copy.failed(), of_handler),
            (words.unknown_actor(), copy.unknown_actor(), UNKNOWN_ACTOR),
        ] {
            let now = from.load(Ordering::Relaxed);
            // Several threads may copy at once: one of them finds the difference.
            let before = to.fetch_max(now, Ordering::Relaxed);
            if passes_a_record(before, now) {
                self.record(event::FAILED, shard, [code.into(), 0, 0]);
            }
        }
    }

    /// Copies a shard's histogram, if it is shown.
    fn mirror_histogram(&self, words: &ShardMemory, copy: &ShardMemory) {
        if self.histograms.is_none() {
            return;
        }
        for bucket in 0..histogram::BUCKETS {
            let (Some(from), Some(to)) = (words.latency_bucket(bucket), copy.latency_bucket(bucket)) else {
                return;
            };
            let count = from.load(Ordering::Relaxed);
            // Most are 0, and stay so: their pages need not be touched.
            if to.load(Ordering::Relaxed) != count {
                to.store(count, Ordering::Relaxed);
            }
        }
    }

    /// Copies the shards' words, if they are elsewhere, and shows how many messages of other kernels wait in a device's memory,
    /// and how many have ever come there.
    pub(crate) fn mirror<'a>(
        &self,
        [linked, fed]: [u64; 2],
        shards: impl Iterator<Item = (&'a ShardMemory, [&'a Ring; 2], At)>,
    ) {
        self.set(offset_of!(KernelEntry, linked), linked);
        // Several threads may copy at once; what came never becomes less.
        let place = (offset_of!(ShardVitals, host) + offset_of!(HostWords, fed)) / 8;
        self.place(0).word(place).fetch_max(fed, Ordering::Relaxed);
        for (index, (words, [inbound, outbound], at)) in shards.enumerate() {
            let place = self.place(index);
            let copy = words.clone().watched(place.clone());
            self.record_failures(index as u32, words, &copy);
            let ring = |offset: usize, ring: &Ring| {
                let reserved = offset + offset_of!(RingHeader, reserved);
                place.word(reserved / 8).store(ring.reserved(), Ordering::Relaxed);
                let consumed = offset + offset_of!(RingHeader, consumed);
                place.word(consumed / 8).store(ring.consumed(), Ordering::Relaxed);
            };
            for (from, to) in [
                (words.command(), copy.command()),
                (words.state(), copy.state()),
                (words.last_error(), copy.last_error()),
                (words.acknowledged(), copy.acknowledged()),
                (words.stalled(), copy.stalled()),
                (words.unread(), copy.unread()),
            ] {
                to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            for (from, to) in [
                (words.processed(), copy.processed()),
                (words.produced(), copy.produced()),
                (words.dead_letters_lost(), copy.dead_letters_lost()),
                (words.prints_lost(), copy.prints_lost()),
                (words.forwarded(), copy.forwarded()),
                (words.taken(), copy.taken()),
                (words.rested(), copy.rested()),
                (words.unforwarded(), copy.unforwarded()),
                (words.due(), copy.due()),
                (words.timers(), copy.timers()),
            ] {
                to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            for count in [ShardMemory::actors_used, ShardMemory::actors_evicted, ShardMemory::actors_ended] {
                if let (Some(from), Some(to)) = (count(words), count(&copy)) {
                    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
                }
            }
            self.mirror_ports(words, &copy);
            self.mirror_histogram(words, &copy);
            ring(offset_of!(ShardVitals, inbound), inbound);
            ring(offset_of!(ShardVitals, outbound), outbound);
            for (word, value) in [
                (offset_of!(At, phase), at.phase),
                (offset_of!(At, number), at.number),
                (offset_of!(At, key), at.key),
                (offset_of!(At, count), at.count),
                (offset_of!(At, failed), at.failed),
                (offset_of!(At, failed_key), at.failed_key),
            ] {
                place.word((offset_of!(ShardVitals, at) + word) / 8).store(value, Ordering::Relaxed);
            }
            if let (Some(from), Some(to)) = (words.telemetry(), copy.telemetry()) {
                (0..8)
                    .for_each(|i| to.word(i).store(from.word(i).load(Ordering::Relaxed), Ordering::Relaxed));
            }
        }
        self.set(offset_of!(KernelEntry, mirrored_at), self.arena.clock.now());
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(entry) = self.entry {
            let state = self.entry_word(entry, offset_of!(KernelEntry, state));
            // A launch that failed has described nothing, and leaves nothing.
            if state.load(Ordering::Relaxed) as u32 == kernel_state::LAUNCHED {
                self.set_ended();
            }
        }
        let mut slots = self.arena.lock();
        let number = slots.next;
        slots.next += 1;
        match self.entry {
            Some(_) => slots.kernels[self.index].holder = Holder::Past(number),
            None => slots.free(self.index),
        }
    }
}
