//! A kernel on the device, as both the handle that the runtime holds and the pump see it.

use std::{
    any::Any,
    mem::{MaybeUninit, offset_of},
    slice,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use annulus_abi::{
    control::{STALLED_BY_HOST, STALLED_BY_KERNEL, STALLED_HOLDS, Timers, command, state},
    launch::{AskRecord, BlockRecord, LaunchRecord, LinkRecord},
    vitals::At,
};
use annulus_runtime::{BackendError, DeviceKernel, Link, ShardMemory};
use annulus_sync::{AtomicU64, Ordering, stay::Stay, wake_flag::WakeFlag};

use crate::{
    clock_sync::ClockSync,
    doorbell::PumpDoorbell,
    driver::{Abilities, DeviceLocalMemory, Entry, Memory, Run},
    residency::{Residency, ResidentSlots, Visit},
    shard::DeviceShard,
};

/// A launched kernel.
pub(crate) struct Running {
    abilities: Abilities,
    pub(crate) shards: Box<[DeviceShard]>,
    pub(crate) doorbell: Arc<PumpDoorbell>,
    /// Whether the kernel stays on the device, and naps there. Otherwise it returns after each epoch and
    /// sleeps until there is work; the pump is then its runner. The pump moves it into epochs at most once,
    /// while nothing of the kernel runs.
    stay: Stay,
    /// How an epoch ends, also for a kernel that stays.
    pub(crate) bounds: Bounds,
    /// How the device's clock relates to the host's, if the two differ.
    clock_sync: Option<Arc<ClockSync>>,
    /// Epochs that were started while the kernel did not stay.
    epochs: AtomicU64,
    /// The launch's record, kept for the parts of it that change later.
    launch: Arc<dyn Memory>,
    /// Its blocks wait for each other.
    pub(crate) supersteps: bool,
    /// They go in rounds.
    rounds: bool,
    /// Held by a kernel in epochs, until it has left the device.
    visit: Mutex<Option<Visit>>,
    /// Outbound slots that a message may need.
    credit: u64,
    entry: Box<dyn Entry>,
    states: Arc<dyn Memory>,
    /// Bytes of a block's part of the states.
    state_bytes: usize,
    /// Where the blocks' tables of actors begin in the memory of the states, in bytes.
    tables: usize,
    bindings: Vec<Arc<dyn Memory>>,
    /// The memory that other kernels send to, and where outputs go, if the kernel may be connected.
    device_local: Option<DeviceLocal>,
    /// All other memory that the kernel was given, including the records of its blocks.
    _memory: Vec<Arc<dyn Memory>>,
    /// The resident slots of a kernel that stays, or whose blocks wait for each other, until it has left the
    /// device.
    resident: Mutex<Option<ResidentSlots>>,
}

/// How an epoch ends: what a block does in one launch, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Messages.
    pub(crate) messages: u32,
    /// Polls that find nothing.
    pub(crate) looks: u32,
}

/// How a kernel is connected to others.
pub(crate) struct DeviceLocal {
    /// The rings, one for each block, in which other kernels send to this one.
    pub(crate) memory: Arc<DeviceLocalMemory>,
    /// The [`LinkRecord`] of each outbox.
    pub(crate) link: Arc<dyn Memory>,
    /// If it sends to kernels by their addresses: how many records there are, behind which lie as many addresses.
    addresses: Option<usize>,
    /// If it publishes on topics: how many entries their table has. It lies behind the addresses, and begins with this
    /// number.
    topics: usize,
    /// If it asks: how many records there are, behind which lies the [`AskRecord`], and by which outbox it asks.
    asks: Option<(usize, usize)>,
    /// The rings of the kernels that this one was connected to. Its blocks may touch them as long as they
    /// run.
    reached: Mutex<Vec<Arc<DeviceLocalMemory>>>,
}

impl DeviceLocal {
    /// The memory of the records has this layout, and is all zero.
    pub(crate) fn new(
        memory: DeviceLocalMemory,
        link: Arc<dyn Memory>,
        addresses: Option<usize>,
        asks: Option<(usize, usize)>,
        topics: usize,
    ) -> Self {
        let new = Self { memory: Arc::new(memory), link, addresses, topics, asks, reached: Mutex::default() };
        if topics != 0 {
            new.topic_word(0).store(topics as u64, Ordering::Relaxed);
        }
        new
    }

    /// A word of the table of topics: its length, or one of its entries behind it.
    fn topic_word(&self, index: usize) -> &AtomicU64 {
        let places = self.addresses.expect("what is published goes to places");
        assert!(self.topics != 0 && index <= self.topics, "the table has no such word");
        let offset = places * (size_of::<LinkRecord>() + size_of::<u64>()) + index * size_of::<u64>();
        assert!(offset + size_of::<u64>() <= self.link.bytes(), "the table lies in this memory");
        let base = self.link.host().expect("records lie in memory that the host sees").cast::<u8>();
        // SAFETY: it lies in that memory, by the assertion.
        let word = unsafe { base.add(offset) }.cast::<u64>();
        // SAFETY: the offset is a multiple of eight, in memory that is aligned for records and lives as long as `self`;
        // everybody accesses the word atomically.
        unsafe { AtomicU64::from_ptr(word.as_ptr()) }
    }

    /// Writes the record of an outbox.
    ///
    /// # Safety
    ///
    /// The kernel has an outbox of this number. Every block of it is inactive or has ended, and stays so during
    /// the call.
    unsafe fn set(&self, outbox: usize, record: LinkRecord) {
        let place = self.link.host().expect("records lie in memory that the host sees").cast::<LinkRecord>();
        // SAFETY: there is a record for each outbox, of which this is one, by the caller's word.
        let place = unsafe { place.add(outbox) };
        // SAFETY: the place is one for a record, and aligned to 64. Blocks read it when they obey a command, and
        // this write comes before that command.
        unsafe { place.write_volatile(record) };
    }

    /// Says where the answers are to what the kernel asks.
    ///
    /// # Safety
    ///
    /// The kernel asks. Every block of it is inactive or has ended, and stays so during the call.
    unsafe fn set_asked(&self, record: AskRecord) {
        let (records, _) = self.asks.expect("only a kernel that asks has such a record");
        let place = self.link.host().expect("records lie in memory that the host sees").cast::<LinkRecord>();
        // SAFETY: behind so many records lies this one, by `new`.
        let place = unsafe { place.add(records) }.cast::<AskRecord>();
        // SAFETY: as in `set`.
        unsafe { place.write_volatile(record) };
    }

    /// Writes the address of a place's kernel.
    ///
    /// # Safety
    ///
    /// The kernel has so many places, and addresses. Every block of it is inactive or has ended, and stays so during the
    /// call.
    unsafe fn set_address(&self, places: usize, place: usize, address: u64) {
        let records =
            self.link.host().expect("records lie in memory that the host sees").cast::<LinkRecord>();
        // SAFETY: behind the records, of which there are so many, lie as many addresses, by the caller's word.
        let addresses = unsafe { records.add(places) }.cast::<u64>();
        // SAFETY: as above; this is one of them.
        let to = unsafe { addresses.add(place) };
        // SAFETY: as in `set`.
        unsafe { to.write_volatile(address) };
    }
}

/// What makes a [`Running`].
pub(crate) struct Parts {
    pub(crate) abilities: Abilities,
    pub(crate) shards: Vec<ShardMemory>,
    pub(crate) doorbell: Arc<PumpDoorbell>,
    pub(crate) stays: bool,
    pub(crate) bounds: Bounds,
    pub(crate) clock_sync: Option<Arc<ClockSync>>,
    /// The memory of the launch's record.
    pub(crate) launch: Arc<dyn Memory>,
    /// Held by a kernel that stays, and by one whose blocks wait for each other.
    pub(crate) resident: Option<ResidentSlots>,
    /// Held by a kernel in epochs.
    pub(crate) visit: Option<Visit>,
    pub(crate) supersteps: bool,
    pub(crate) rounds: bool,
    pub(crate) credit: u32,
    /// With the arguments that the device runtime takes.
    pub(crate) entry: Box<dyn Entry>,
    /// One [`BlockRecord`] for each shard.
    pub(crate) records: Arc<dyn Memory>,
    pub(crate) states: Arc<dyn Memory>,
    /// Bytes of a block's part of the states.
    pub(crate) state_bytes: usize,
    /// Where the blocks' tables of actors begin in the memory of the states, in bytes.
    pub(crate) tables: usize,
    /// The bound parameters' memory.
    pub(crate) bindings: Vec<Arc<dyn Memory>>,
    pub(crate) device_local: Option<DeviceLocal>,
    /// All other memory that it was given, including the records.
    pub(crate) memory: Vec<Arc<dyn Memory>>,
}

impl Running {
    pub(crate) fn new(parts: Parts) -> Self {
        let base =
            parts.records.host().expect("records lie in memory that the host sees").cast::<BlockRecord>();
        assert!(
            parts.records.bytes() >= parts.shards.len() * size_of::<BlockRecord>(),
            "there is a record for each shard"
        );
        let shard = |(index, memory): (usize, ShardMemory)| {
            // SAFETY: it is used as a gauge only; nobody makes a producer or consumer of it.
            let inbound = unsafe { memory.inbound() };
            // SAFETY: as above.
            let outbound = unsafe { memory.outbound() };
            // SAFETY: as above.
            let dead_letters = unsafe { memory.dead_letters() };
            // SAFETY: as above.
            let prints = unsafe { memory.prints() };
            // SAFETY: as above.
            let records = unsafe { memory.records() };
            // SAFETY: the memory has a record for each shard, by the assertion.
            let record = unsafe { base.add(index) };
            DeviceShard { memory, inbound, outbound, dead_letters, prints, records, record }
        };
        Self {
            abilities: parts.abilities,
            shards: parts.shards.into_iter().enumerate().map(shard).collect(),
            doorbell: parts.doorbell,
            stay: Stay::new(parts.stays),
            bounds: parts.bounds,
            clock_sync: parts.clock_sync,
            epochs: AtomicU64::new(0),
            launch: parts.launch,
            supersteps: parts.supersteps,
            rounds: parts.rounds,
            visit: Mutex::new(parts.visit),
            credit: parts.credit.into(),
            entry: parts.entry,
            states: parts.states,
            state_bytes: parts.state_bytes,
            tables: parts.tables,
            bindings: parts.bindings,
            device_local: parts.device_local,
            _memory: parts.memory,
            resident: Mutex::new(parts.resident),
        }
    }

    /// A shard's part of the states.
    fn states_of(&self, shard: u32) -> Result<(&dyn Memory, usize), BackendError> {
        Ok((self.within_reach(&*self.states)?, self.state_bytes * shard as usize))
    }

    /// Memory that can be copied while the kernel is on the device, either by the host itself or by a command
    /// that does not wait for the kernel.
    fn within_reach<'a>(&self, memory: &'a dyn Memory) -> Result<&'a dyn Memory, BackendError> {
        let Abilities { copies_meanwhile, remedies, .. } = self.abilities;
        if self.stays() && memory.host().is_none() && !copies_meanwhile {
            return Err(BackendError::new(format!(
                "the kernel stays on a device with memory of its own, which is not copied meanwhile: run it in epochs (run_mode = EventDriven, or {} for all kernels)",
                remedies.epochs
            )));
        }
        Ok(memory)
    }

    /// Whether the kernel has been told to end.
    pub(crate) fn is_ending(&self) -> bool {
        self.shards[0].memory.command().load(Ordering::Relaxed) & command::TERMINATE != 0
    }

    /// Whether the kernel stays on the device.
    #[inline]
    pub(crate) fn stays(&self) -> bool {
        self.stay.stays()
    }

    /// The kernel has left the device: frees its resident slots.
    pub(crate) fn leave(&self) {
        drop(self.resident.lock().unwrap_or_else(PoisonError::into_inner).take());
        drop(self.visit.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Lets a kernel that stayed, and of which nothing runs any more, go on in epochs. The pump launches the
    /// first epoch.
    ///
    /// # Errors
    ///
    /// If the device does not accept the new bounds.
    pub(crate) fn go_into_epochs(&self, residency: &Arc<Residency>) -> Result<(), BackendError> {
        // SAFETY: nothing of the kernel runs.
        unsafe { self.set_bounds(self.bounds) }?;
        *self.visit.lock().unwrap_or_else(PoisonError::into_inner) = Some(residency.visit());
        drop(self.resident.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.stay.go_into_epochs();
        Ok(())
    }

    /// Sets how the next epochs end.
    ///
    /// # Safety
    ///
    /// Nothing of the kernel runs.
    pub(crate) unsafe fn set_bounds(&self, bounds: Bounds) -> Result<(), BackendError> {
        const _: () = assert!(
            offset_of!(LaunchRecord, epoch_polls)
                == offset_of!(LaunchRecord, epoch_messages) + size_of::<u32>()
        );
        let bytes = ((u64::from(bounds.looks) << 32) | u64::from(bounds.messages)).to_le_bytes();
        let bytes = bytes.map(MaybeUninit::new);
        // SAFETY: no block reads the record meanwhile, by the caller's promise. The record has the two words,
        // next to each other.
        unsafe { self.launch.write(offset_of!(LaunchRecord, epoch_messages), &bytes) }
    }

    /// Whether the kernel could go on in epochs without resident slots.
    pub(crate) fn can_leave(&self) -> bool {
        !self.supersteps || self.shards.len() == 1
    }

    /// Whether the kernel must yield to those that run in epochs.
    pub(crate) fn must_yield(&self) -> bool {
        self.resident
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .is_some_and(ResidentSlots::must_yield)
    }

    /// The kernel was told to end. A launch that needs its resident slots may wait for them, and the pump
    /// hurries.
    #[cold]
    fn end(&self) {
        if let Some(slots) = &*self.resident.lock().unwrap_or_else(PoisonError::into_inner) {
            slots.leaving();
        }
        self.doorbell.expect();
    }

    /// Starts the kernel, or its next epoch.
    ///
    /// # Safety
    ///
    /// Every block of earlier starts has ended. `self` lives until the run is over.
    pub(crate) unsafe fn start(&self, epoch: u32) -> Result<Box<dyn Run>, BackendError> {
        if !self.stays() {
            self.epochs.fetch_add(1, Ordering::Relaxed);
        }
        for shard in &self.shards {
            shard.word(offset_of!(BlockRecord, epoch)).store(epoch, Ordering::Relaxed);
            // Each block answers as it begins.
            shard.ask();
        }
        // SAFETY: the launch gave the entry the arguments that the runtime's entry takes. All memory belongs
        // to `self`, which outlives the run.
        unsafe { self.entry.start(self.stays()) }
    }

    /// Asks the blocks that stay to leave this epoch.
    pub(crate) fn ask_to_leave(&self, epoch: u32) {
        for shard in &self.shards {
            shard.word(offset_of!(BlockRecord, leave)).store(epoch, Ordering::Relaxed);
            // SYNC: asleep. A block that has seen the new `wake` before its nap looks at `leave` after a
            // fence.
            shard.end_nap(self.abilities.naps_in_futex);
        }
    }

    /// How many blocks have begun since the last start, or answered a later question.
    pub(crate) fn begun(&self) -> usize {
        self.shards.iter().filter(|shard| shard.has_answered()).count()
    }

    /// Blocks that wait for each other stop doing so for the rest of this epoch.
    pub(crate) fn abandon_steps(&self, epoch: u32) {
        for shard in &self.shards {
            shard.word(offset_of!(BlockRecord, abandoned)).store(epoch, Ordering::Relaxed);
        }
    }

    /// The last question that the first block was asked.
    pub(crate) fn question(&self) -> u32 {
        self.shards[0].word(offset_of!(BlockRecord, question)).load(Ordering::Relaxed)
    }

    /// Asks the first block for the time; gives the question's number.
    pub(crate) fn ask_time(&self) -> u32 {
        let shard = &self.shards[0];
        let question = shard.ask();
        if self.stays() {
            shard.end_nap(self.abilities.naps_in_futex);
        }
        question
    }

    /// What the first block's clock showed when it answered this question; `None` if it has not answered.
    pub(crate) fn told_time(&self, question: u32) -> Option<u64> {
        let shard = &self.shards[0];
        // SYNC: answer (acquire)
        let answered = shard.word(offset_of!(BlockRecord, answer)).load(Ordering::Acquire) == question;
        answered.then(|| shard.long_word(offset_of!(BlockRecord, time)).load(Ordering::Relaxed))
    }

    /// Tells all blocks what their clock shows when the runtime's shows 0.
    pub(crate) fn set_clock(&self, origin: u64) {
        for shard in &self.shards {
            // 0 means that nothing was said.
            shard.long_word(offset_of!(BlockRecord, origin)).store(origin.max(1), Ordering::Relaxed);
        }
    }

    /// Whether every block has left the epoch.
    pub(crate) fn has_ended(&self, epoch: u32) -> bool {
        // SYNC: ended (acquire)
        self.shards
            .iter()
            .all(|shard| shard.word(offset_of!(BlockRecord, ended)).load(Ordering::Acquire) == epoch)
    }

    /// Whether it may be connected to other kernels.
    pub(crate) fn is_connectable(&self) -> bool {
        self.device_local.is_some()
    }

    /// Whether some block takes messages and does not wait for room, as far as the host knows.
    pub(crate) fn takes(&self) -> bool {
        self.shards.iter().any(|shard| {
            shard.memory.command().load(Ordering::Relaxed) & command::ACTIVE != 0
                && shard.memory.state().load(Ordering::Relaxed) == state::ACTIVE
                && shard.has_room(self.credit)
                && !shard.waits_for_round()
        })
    }

    /// Whether a block waits for room in another kernel, or for an answer. Only the device sees whether that is there.
    pub(crate) fn holds(&self) -> bool {
        self.is_connectable()
            && self.shards.iter().any(|shard| {
                let asks = || Timers::of_word(shard.memory.timers().load(Ordering::Relaxed)).asks != 0;
                // What is held while the block waits for its host is told by each way out.
                let stalled = shard.memory.stalled().load(Ordering::Relaxed);
                let held = || stalled == STALLED_BY_HOST && shard.memory.held().any(|held| held != 0);
                (stalled == STALLED_BY_KERNEL || stalled == STALLED_HOLDS || held() || asks())
                    && shard.memory.state().load(Ordering::Relaxed) == state::ACTIVE
            })
    }

    /// Whether a block would find something to do.
    pub(crate) fn has_work(&self, now: u64) -> bool {
        self.shards.iter().any(|shard| shard.has_work(self.credit, self.is_connectable(), now))
    }

    /// When the first timer is due that a block may take.
    pub(crate) fn next_due(&self) -> Option<u64> {
        self.shards.iter().filter_map(|shard| shard.next_due(self.credit)).min()
    }

    /// Whether telemetry shows fewer waiting messages than there are, if so many of other kernels have not
    /// been taken: a call that came while an epoch ran may have been about these.
    pub(crate) fn shows_too_few(&self, unread: u64) -> bool {
        let shown = |shard: &DeviceShard| (shard.shown_depth().unwrap_or(0), shard.inbound.depth());
        let depths =
            self.shards.iter().map(shown).fold((0, unread), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        unread != 0 && self.shards.iter().all(DeviceShard::is_to_show) && depths.0 < depths.1
    }

    /// Tells the blocks where their outputs go.
    ///
    /// # Safety
    ///
    /// Every block is inactive or has ended, and stays so during the call. The target is of the same backend.
    unsafe fn connect(&self, device_local: &DeviceLocal, outbox: usize, target: &Self, link: &Link) {
        let layout = target.shards[0].memory.layout().inbound;
        let rings =
            target.device_local.as_ref().expect("the runtime connects kernels that were launched for it");
        let rings = &rings.memory;
        let place = |offset: Option<usize>| offset.unwrap_or(0) as u64;
        // A program that knows no variants reads two of these words as one, whose high half is 0.
        let tag = link.inside.map_or((0, 0, 0), |inside| (inside.tag, inside.tag_bytes as u16, inside.whole));
        let payload = layout.payload_offset + link.inside.map_or(0, |inside| inside.offset);
        let mut reached = device_local.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if !reached.iter().any(|other| Arc::ptr_eq(other, rings)) {
            reached.push(Arc::clone(rings));
        }
        drop(reached);
        let record = LinkRecord {
            rings: rings.place,
            stride: layout.bytes() as u64,
            slot_stride: layout.slot_stride as u32,
            // A program that knows neither sealed slots between kernels nor stamps reads all three words as one.
            units: layout.units as u16,
            stamp: if self.shards[0].memory.layout().outbound.stamp_offset.is_some() {
                place(layout.stamp_offset) as u16
            } else {
                0
            },
            time: place(layout.enqueue_time_offset) as u32,
            // A program that knows no traces reads both words as one.
            trace: if self.shards[0].memory.layout().records.is_some() {
                place(layout.trace_offset) as u32
            } else {
                0
            },
            correlation: place(layout.correlation_offset) as u32,
            bytes: tag.2 as u32,
            payload: payload as u32,
            tag_place: if tag.1 == 0 { 0 } else { layout.payload_offset as u16 },
            tag_bytes: tag.1,
            shift: layout.capacity.trailing_zeros(),
            grid: target.shards.len() as u32,
            waits: link.waits.into(),
            tag: tag.0,
        };
        // SAFETY: the caller's promise.
        unsafe { device_local.set(outbox, record) };
        if let Some(asks) = &link.asks {
            let outbound = target.shards[0].memory.layout().outbound.open();
            let record = AskRecord {
                landings: rings.place + (target.shards.len() * layout.bytes()) as u64,
                stride: outbound.slot_stride as u64,
                payload: (outbound.payload_offset + asks.answer) as u32,
                first: asks.first,
                stamp: place(outbound.stamp_offset) as u32,
                ..AskRecord::default()
            };
            // SAFETY: the caller's promise.
            unsafe { device_local.set_asked(record) };
        }
    }

    /// Tells the blocks that what they send by this place is lost: it goes to a ring that is closed, behind those of
    /// the kernel's own.
    ///
    /// # Safety
    ///
    /// Every block is inactive or has ended, and stays so during the call. The kernel sends to others by their
    /// addresses.
    unsafe fn connect_to_nobody(&self, device_local: &DeviceLocal, place: usize) {
        let layout = self.shards[0].memory.layout().inbound;
        let own = (self.shards.len() * layout.bytes()) as u64;
        let record = LinkRecord {
            rings: device_local.memory.place + own,
            stride: layout.bytes() as u64,
            slot_stride: layout.slot_stride as u32,
            shift: layout.capacity.trailing_zeros(),
            grid: 1,
            ..LinkRecord::default()
        };
        // SAFETY: the caller's promise.
        unsafe { device_local.set(place, record) };
    }

    /// How the kernel sleeps between epochs.
    pub(crate) fn wake_flag(&self) -> &WakeFlag {
        self.stay.wake_flag()
    }

    /// Whether the kernel waits to be launched; clears that flag.
    pub(crate) fn take_due(&self) -> bool {
        self.stay.take_due()
    }

    /// Lets the pump launch the kernel, if the kernel is between two epochs.
    pub(crate) fn make_due(&self) {
        if !self.stays() {
            self.stay.make_due();
        }
    }

    /// Whether the kernel waits to be launched.
    pub(crate) fn is_due(&self) -> bool {
        self.stay.is_due()
    }
}

/// The runtime's handle on a kernel.
pub(crate) struct LaunchedKernel(pub(crate) Arc<Running>);

impl DeviceKernel for LaunchedKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn clock_uncertainty(&self) -> Option<Duration> {
        let uncertainty = self.0.clock_sync.as_ref().map_or(Duration::ZERO, |sync| sync.uncertainty());
        self.0.abilities.clock.then_some(uncertainty)
    }

    fn at(&self, shard: u32) -> Option<At> {
        self.0.shards.get(shard as usize).map(DeviceShard::at)
    }

    fn epochs(&self) -> u64 {
        self.0.epochs.load(Ordering::Relaxed)
    }

    fn rounds(&self) -> Option<u64> {
        let begun = self.0.shards.iter().map(DeviceShard::rounds).max()?;
        self.0.rounds.then_some(begun)
    }

    #[inline]
    fn wake(&self, shard: u32) {
        let running = &*self.0;
        if running.is_ending() {
            running.end();
        }
        // Of a kernel that stays, after a fence (SYNC: asleep).
        let end_nap = || {
            running.shards[shard as usize].wake(running.abilities.naps_in_futex);
        };
        if running.stay.call(end_nap) {
            running.doorbell.ring();
        }
    }

    #[inline]
    fn expect(&self) {
        self.0.doorbell.expect();
    }

    unsafe fn read_states(&self, shard: u32, states: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        let (memory, offset) = self.0.states_of(shard)?;
        // SAFETY: the caller's promise: no block touches the states meanwhile.
        unsafe { memory.read(offset, states) }.map_err(not_copied)
    }

    unsafe fn write_states(&self, shard: u32, states: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        let (memory, offset) = self.0.states_of(shard)?;
        // SAFETY: as for reading.
        unsafe { memory.write(offset, states) }.map_err(not_copied)
    }

    unsafe fn read_actors(&self, shard: u32, words: &mut [u64]) -> Result<(), BackendError> {
        let memory = self.0.within_reach(&*self.0.states)?;
        let offset = self.0.tables + size_of_val(words) * shard as usize;
        // SAFETY: the words are as many bytes, and any bytes are words.
        let bytes = unsafe { slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) };
        // SAFETY: as for reading states.
        unsafe { memory.read(offset, bytes) }.map_err(not_copied)
    }

    unsafe fn write_actors(&self, shard: u32, words: &[u64]) -> Result<(), BackendError> {
        let memory = self.0.within_reach(&*self.0.states)?;
        let offset = self.0.tables + size_of_val(words) * shard as usize;
        // SAFETY: the words are as many bytes.
        let bytes = unsafe { slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) };
        // SAFETY: as for reading states.
        unsafe { memory.write(offset, bytes) }.map_err(not_copied)
    }

    unsafe fn read_binding(&self, index: usize, memory: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        let bound = self.0.within_reach(&*self.0.bindings[index])?;
        // SAFETY: the caller's promise: no block touches bound memory meanwhile.
        unsafe { bound.read(0, memory) }.map_err(not_copied)
    }

    unsafe fn write_binding(&self, index: usize, memory: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        let bound = self.0.within_reach(&*self.0.bindings[index])?;
        // SAFETY: as for reading.
        unsafe { bound.write(0, memory) }.map_err(not_copied)
    }

    unsafe fn connect(&self, outbox: usize, link: Option<Link>) -> Result<(), BackendError> {
        let device_local =
            self.0.device_local.as_ref().expect("the runtime connects kernels that were launched for it");
        let set_address = |address| {
            if let Some(places) = device_local.addresses {
                // SAFETY: the caller's promise; there are so many addresses.
                unsafe { device_local.set_address(places, outbox, address) };
            }
        };
        let Some(link) = link else {
            // SAFETY: the caller's promise.
            unsafe { device_local.set(outbox, LinkRecord::default()) };
            if device_local.asks.is_some_and(|(_, by)| by == outbox) {
                // SAFETY: as above.
                unsafe { device_local.set_asked(AskRecord::default()) };
            }
            set_address(0);
            return Ok(());
        };
        if link.peer == Some(0) {
            // SAFETY: the caller's promise.
            unsafe { self.0.connect_to_nobody(device_local, outbox) };
            set_address(0);
            return Ok(());
        }
        let gone = || BackendError::new("the kernel that is to take the messages has gone: launch it again");
        let target = link.target.upgrade().ok_or_else(gone)?;
        let target = target.device().ok_or_else(gone)?.as_any().downcast_ref::<Self>();
        let target =
            target.filter(|target| Arc::ptr_eq(&target.0.doorbell, &self.0.doorbell)).ok_or_else(|| {
                BackendError::new("the two kernels are not on one device: launch them by one runtime")
            })?;
        // SAFETY: the caller's promise.
        unsafe { self.0.connect(device_local, outbox, &target.0, &link) };
        // Last: until here nothing has failed, and the address stands for the kernel that is connected.
        set_address(link.peer.unwrap_or(0));
        Ok(())
    }

    fn set_topic(&self, place: usize, entry: u64) {
        let device_local = self.0.device_local.as_ref().expect("only a kernel that is connected has topics");
        // Whoever is told afterwards that it was set, by a message, say, sees it.
        device_local.topic_word(1 + place).store(entry, Ordering::Relaxed);
    }
}

fn not_copied(error: BackendError) -> BackendError {
    BackendError::new(format!("the device does not copy the kernel's memory: {error}"))
}
