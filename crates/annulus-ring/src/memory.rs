//! Memory that a host and a device both see while a kernel runs.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    any::Any,
    fmt,
    mem::offset_of,
    ptr::NonNull,
    sync::Arc,
};

pub use crate::ports::PortWords;
use crate::{region::Region, ring::Ring};
use annulus_abi::{
    LINE, PAIR,
    control::{ActorCounts, ControlBlock},
    histogram::{self, BUCKETS},
    kernel::KernelLayout,
    ring::{RingHeader, RingLayout},
    vitals::{At, ShardVitals, ports::ShardPorts},
};
use annulus_sync::{AtomicU32, AtomicU64, Ordering};

/// Zeroed memory, aligned to 128 bytes, that a backend provides. It is freed with the last reference.
pub struct SharedMemory {
    base: NonNull<u8>,
    bytes: usize,
    /// Frees the memory when it is dropped.
    owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: the memory is reached through atomics and the ring's protocol only; its owner is `Send`.
unsafe impl Send for SharedMemory {}
// SAFETY: as for `Send`; the owner is `Sync` and never touched.
unsafe impl Sync for SharedMemory {}

/// Bytes from which on host memory is not touched before it is used. Source: this project's choice; the rings
/// of a small kernel are below, and need no page faults while it runs.
const SPARSE: usize = 4 << 20;

/// Host memory and how it was allocated.
struct HostMemory(NonNull<u8>, Layout);

// SAFETY: it only frees the memory, once.
unsafe impl Send for HostMemory {}
// SAFETY: as for `Send`: a shared reference does nothing.
unsafe impl Sync for HostMemory {}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `alloc_zeroed` with this layout and is freed once.
        unsafe { dealloc(self.0.as_ptr(), self.1) };
    }
}

impl SharedMemory {
    /// Ordinary host memory; `None` if the system does not have that much. In memory of 4 MiB and more, pages
    /// that nobody touches cost nothing.
    pub fn host(bytes: usize) -> Option<Self> {
        // With a large alignment, the standard library zeroes all memory itself, so all pages are there when
        // a kernel starts. With a small alignment, large memory comes from the system, page by page, when it
        // is touched. Most of a large kernel's memory may be spill blocks that nobody uses.
        let (size, align) = if bytes < SPARSE { (bytes.max(PAIR), PAIR) } else { (bytes + PAIR, 8) };
        let layout = Layout::from_size_align(size, align).ok()?;
        // SAFETY: the layout's size is not zero.
        let first = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let owner = Box::new(HostMemory(first, layout));
        // SAFETY: the offset is 0 if the allocation is aligned to 128; else it is less than the 128 bytes
        // that were added.
        let base = unsafe { first.add(first.align_offset(PAIR)) };
        // SAFETY: behind `base` the allocation is as long and as aligned as `from_raw` demands, and its owner
        // frees it.
        Some(unsafe { Self::from_raw(base, bytes, owner) })
    }

    /// Memory that a backend has mapped.
    ///
    /// # Safety
    ///
    /// `base` is aligned to 128, and valid for reads and writes of `bytes` bytes, which are zero, until
    /// `owner` is dropped.
    pub unsafe fn from_raw(base: NonNull<u8>, bytes: usize, owner: Box<dyn Any + Send + Sync>) -> Self {
        Self { base, bytes, owner }
    }

    /// Where it begins.
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The owner that a backend passed to [`from_raw`](Self::from_raw). With it a backend recognises its own
    /// memory.
    pub fn owner(&self) -> &(dyn Any + Send + Sync) {
        &*self.owner
    }

    /// The word at an offset.
    ///
    /// # Safety
    ///
    /// As long as the result is used, the word is accessed only atomically.
    ///
    /// # Panics
    ///
    /// If it does not lie in the memory, or the offset is no multiple of 8.
    pub unsafe fn word(&self, offset: usize) -> &AtomicU64 {
        let word = std::ptr::from_ref(self.region().u64(offset));
        // SAFETY: the word lies in this memory, as was asserted, and lives as long as `self`. All access is
        // atomic, by the caller's promise.
        unsafe { &*word }
    }

    /// A view that is valid as long as this memory lives.
    fn region(&self) -> Region {
        // SAFETY: base, length and alignment are as `from_raw` demands. Every user of the view holds the
        // memory beside it.
        unsafe { Region::new(self.base, self.bytes) }
    }
}

impl fmt::Debug for SharedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedMemory").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// One shard's part of a kernel's memory: where its control block, rings, histogram and telemetry line lie.
#[derive(Clone, Debug)]
pub struct ShardMemory {
    control: Region,
    inbound: (Region, RingLayout),
    outbound: (Region, RingLayout),
    /// Where the tickets of the inbound and of the outbound ring are, if not in front of the slots.
    headers: Option<(Region, Region)>,
    at: Option<AtLine>,
    replies: Option<(Region, RingLayout)>,
    /// Those of all shards.
    landings: Box<[(Region, RingLayout)]>,
    dead_letters: Option<(Region, RingLayout)>,
    prints: Option<(Region, RingLayout)>,
    records: Option<(Region, RingLayout)>,
    histogram: Option<Region>,
    actors: Option<Region>,
    ports: Option<Region>,
    telemetry: Option<TelemetryLine>,
    layout: KernelLayout,
    offset: usize,
    /// Keeps the views valid.
    memory: Arc<SharedMemory>,
}

/// Where a shard, or its telemetry line, lies in the memory that a backend allocated. For devices that use
/// another address than the host.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The memory.
    pub memory: &'a SharedMemory,
    /// Bytes from its start.
    pub offset: usize,
}

impl ShardMemory {
    /// Shard `index` of a kernel. The kernel's shards lie one after the other in `memory`.
    ///
    /// # Panics
    ///
    /// If the memory is too short for the shard. If it has [landings](KernelLayout::landings), use
    /// [`with_landings`](Self::with_landings).
    pub fn new(
        memory: &Arc<SharedMemory>,
        layout: &KernelLayout,
        index: u32,
        telemetry: Option<TelemetryLine>,
    ) -> Self {
        let offset = index as usize * layout.shard_bytes();
        let shard = memory.region().part(offset, layout.shard_bytes());
        let histogram =
            layout.histogram.then(|| shard.part(layout.histogram_offset(), layout.histogram_bytes()));
        let actors = layout.actors.then(|| shard.part(layout.actors_offset(), layout.actors_bytes()));
        let ports = (layout.ports != 0).then(|| shard.part(layout.ports_offset(), layout.ports_bytes()));
        let replies =
            layout.replies.map(|replies| (shard.part(layout.replies_offset(), replies.bytes()), replies));
        let dead_letters = layout.dead_letters.map(|dead_letters| {
            (shard.part(layout.dead_letters_offset(), dead_letters.bytes()), dead_letters)
        });
        let records = |ring: RingLayout| (shard.part(layout.records_offset(), ring.bytes()), ring);
        let records = layout.records.map(records);
        let prints = layout.prints.map(|prints| (shard.part(layout.prints_offset(), prints.bytes()), prints));
        Self {
            headers: None,
            at: None,
            replies,
            landings: Box::default(),
            dead_letters,
            prints,
            records,
            control: shard.part(0, size_of::<ControlBlock>()),
            inbound: (shard.part(layout.inbound_offset(), layout.inbound.bytes()), layout.inbound),
            outbound: (shard.part(layout.outbound_offset(), layout.outbound.bytes()), layout.outbound),
            histogram,
            actors,
            ports,
            telemetry,
            layout: *layout,
            offset,
            memory: Arc::clone(memory),
        }
    }

    /// The same shard with all that can be watched elsewhere: its control block, the tickets of its inbound
    /// and outbound rings, its telemetry line, the line that says what it is at, the counts of its actors, and the counts of its
    /// outboxes and its histogram, if it has some and the place has room for them.
    ///
    /// Called before anybody uses the shard: what the other places hold is not copied.
    pub fn watched(self, vitals: VitalsPlace) -> Self {
        let VitalsPlace { region, offset, memory, ports, histogram } = vitals;
        let ports_bytes = self.layout.ports_bytes();
        assert!(ports_bytes <= offset_of!(ShardPorts, links), "a place has counts for the most outboxes");
        let counts = |ports: usize| region.part(ports + offset_of!(ShardPorts, counts), ports_bytes);
        let line = TelemetryLine {
            arena: region.clone(),
            offset: offset + offset_of!(ShardVitals, telemetry),
            memory: Arc::clone(&memory),
        };
        let header = |ring| region.part(offset + ring, size_of::<RingHeader>());
        Self {
            control: region.part(offset + offset_of!(ShardVitals, control), size_of::<ControlBlock>()),
            headers: Some((
                header(offset_of!(ShardVitals, inbound)),
                header(offset_of!(ShardVitals, outbound)),
            )),
            telemetry: Some(line),
            at: Some(AtLine::new(&memory, offset + offset_of!(ShardVitals, at))),
            actors: self
                .actors
                .map(|_| region.part(offset + offset_of!(ShardVitals, actors), size_of::<ActorCounts>())),
            ports: self.ports.map(|own| ports.map_or(own, counts)),
            histogram: self.histogram.map(|own| match histogram {
                Some(histogram) => region.part(histogram, histogram::BYTES),
                None => own,
            }),
            ..self
        }
    }

    /// The same shard with the landings of all `shards` shards of the kernel, if the layout has some: any block of the
    /// kernel may answer any call through a pipeline.
    ///
    /// # Panics
    ///
    /// If the memory is too short for them.
    pub fn with_landings(self, shards: u32) -> Self {
        let landings = |layout: RingLayout| {
            let of = |shard: u32| {
                let offset = shard as usize * self.layout.shard_bytes() + self.layout.landings_offset();
                (self.memory.region().part(offset, layout.bytes()), layout)
            };
            (0..shards).map(of).collect()
        };
        Self { landings: self.layout.landings.map_or_else(Box::default, landings), ..self }
    }

    /// The layout of the kernel's shards.
    pub fn layout(&self) -> &KernelLayout {
        &self.layout
    }

    /// Where the shard begins.
    pub fn place(&self) -> Place<'_> {
        Place { memory: &self.memory, offset: self.offset }
    }

    /// The ring from the host to the shard.
    ///
    /// # Safety
    ///
    /// The host makes its producers, and the shard's block its one consumer. After the block has terminated,
    /// the host may make a consumer. The ring is not used after this value and all its clones are dropped.
    pub unsafe fn inbound(&self) -> Ring {
        let (region, layout) = (self.inbound.0.clone(), self.inbound.1);
        match &self.headers {
            // SAFETY: the region has the layout's length and was zero; the ends are the caller's promise.
            None => unsafe { Ring::new(region, layout) },
            // SAFETY: as above; the header has its length, and was zero, too.
            Some((header, _)) => unsafe { Ring::with_header(header.clone(), region, layout) },
        }
    }

    /// The ring from the shard to the host.
    ///
    /// # Safety
    ///
    /// The shard's block makes its one producer, and the host its one consumer. The rest is as for
    /// [`inbound`](Self::inbound).
    pub unsafe fn outbound(&self) -> Ring {
        let (region, layout) = (self.outbound.0.clone(), self.outbound.1);
        match &self.headers {
            // SAFETY: as for `inbound`.
            None => unsafe { Ring::new(region, layout) },
            // SAFETY: as for `inbound`.
            Some((_, header)) => unsafe { Ring::with_header(header.clone(), region, layout) },
        }
    }

    /// The ring of replies from the shard to the host, if the launch has calls.
    ///
    /// # Safety
    ///
    /// The shard's block makes its one [`Answers`](crate::ring::Answers), and the host its one
    /// [`Callers`](crate::ring::Callers). The rest is as for [`inbound`](Self::inbound).
    pub unsafe fn replies(&self) -> Option<Ring> {
        let (region, layout) = self.replies.as_ref()?;
        // SAFETY: as for `inbound`.
        Some(unsafe { Ring::new(region.clone(), *layout) })
    }

    /// The kernel's memory, in which its shards lie, and its [landings](Self::landings): these may be used as long as this is held.
    pub fn memory(&self) -> &Arc<SharedMemory> {
        &self.memory
    }

    /// Where answers to calls through pipelines go, by shards of the kernel: none if the launch has no such calls.
    ///
    /// # Safety
    ///
    /// The kernel's blocks make [`Answers`](crate::ring::Answers) of them, and the host
    /// [`Landings`](crate::ring::Landings). The rest is as for [`inbound`](Self::inbound).
    pub unsafe fn landings(&self) -> impl Iterator<Item = Ring> + '_ {
        // SAFETY: as for `inbound`.
        self.landings.iter().map(|(region, layout)| unsafe { Ring::new(region.clone(), *layout) })
    }

    /// The ring of dead letters from the shard to the host, if the launch keeps them.
    ///
    /// # Safety
    ///
    /// As for [`outbound`](Self::outbound).
    pub unsafe fn dead_letters(&self) -> Option<Ring> {
        let (region, layout) = self.dead_letters.as_ref()?;
        // SAFETY: as for `inbound`.
        Some(unsafe { Ring::new(region.clone(), *layout) })
    }

    /// The ring of prints from the shard to the host, if the kernel prints and the host shows the prints for
    /// its backend.
    ///
    /// # Safety
    ///
    /// As for [`outbound`](Self::outbound).
    pub unsafe fn prints(&self) -> Option<Ring> {
        let (region, layout) = self.prints.as_ref()?;
        // SAFETY: as for `inbound`.
        Some(unsafe { Ring::new(region.clone(), *layout) })
    }

    /// The ring of records from the shard to the host, if its messages carry traces.
    ///
    /// # Safety
    ///
    /// As for [`outbound`](Self::outbound).
    pub unsafe fn records(&self) -> Option<Ring> {
        let (region, layout) = self.records.as_ref()?;
        // SAFETY: as for `inbound`.
        Some(unsafe { Ring::new(region.clone(), *layout) })
    }

    /// Slot 0's payload in the outbound ring: where a block's outbox begins.
    pub fn outbound_payloads(&self) -> *mut u8 {
        self.outbound.0.pointer(self.outbound.1.slot_offset(0) + self.outbound.1.payload_offset)
    }

    /// The control block's word at an offset.
    #[inline(always)]
    fn control32<const OFFSET: usize>(&self) -> &AtomicU32 {
        const { assert!(OFFSET + 4 <= size_of::<ControlBlock>() && OFFSET.is_multiple_of(4)) };
        // SAFETY: the region is as long as the control block, by `new`, and the word lies in it, aligned, as
        // was just asserted.
        unsafe { self.control.word32(OFFSET) }
    }

    /// The same, of a long one.
    #[inline(always)]
    fn control64<const OFFSET: usize>(&self) -> &AtomicU64 {
        const { assert!(OFFSET + 8 <= size_of::<ControlBlock>() && OFFSET.is_multiple_of(8)) };
        // SAFETY: as for `control32`.
        unsafe { self.control.word64(OFFSET) }
    }

    /// The host's command word.
    #[inline]
    pub fn command(&self) -> &AtomicU32 {
        self.control32::<{ offset_of!(ControlBlock, command) }>()
    }

    /// The host's time, as last renewed; 0 if it is never renewed.
    #[inline]
    pub fn host_heartbeat(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, host_heartbeat) }>()
    }

    /// The shard's state.
    #[inline]
    pub fn state(&self) -> &AtomicU32 {
        self.control32::<{ offset_of!(ControlBlock, state) }>()
    }

    /// The last error code.
    #[inline]
    pub fn last_error(&self) -> &AtomicU32 {
        self.control32::<{ offset_of!(ControlBlock, last_error) }>()
    }

    /// Messages processed since launch.
    #[inline]
    pub fn processed(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, processed) }>()
    }

    /// Messages rolled back since launch.
    #[inline]
    pub fn failed(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, failed) }>()
    }

    /// Messages for unknown actors since launch.
    #[inline]
    pub fn unknown_actor(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, unknown_actor) }>()
    }

    /// Messages that handlers sent since launch.
    #[inline]
    pub fn produced(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, sent) }>()
    }

    /// Whether the shard waits for room in its outbound ring or in a connected kernel.
    #[inline]
    pub fn stalled(&self) -> &AtomicU32 {
        self.control32::<{ offset_of!(ControlBlock, stalled) }>()
    }

    /// The command that the shard obeyed last.
    #[inline]
    pub fn acknowledged(&self) -> &AtomicU32 {
        self.control32::<{ offset_of!(ControlBlock, acknowledged) }>()
    }

    /// Dead letters that found no room in their ring, since launch.
    #[inline]
    pub fn dead_letters_lost(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, dead_letters_lost) }>()
    }

    /// Prints that found no room in their ring, since launch.
    #[inline]
    pub fn prints_lost(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, prints_lost) }>()
    }

    /// 1 once a body has ended its kernel.
    #[inline]
    pub fn leaving(&self) -> &AtomicU32 {
        self.control32::<{ offset_of!(ControlBlock, leaving) }>()
    }

    /// Messages of other kernels that were unread when the shard terminated.
    #[inline]
    pub fn unread(&self) -> &AtomicU32 {
        self.control32::<{ offset_of!(ControlBlock, unread) }>()
    }

    /// Messages that the shard has put into device-local rings of connected kernels, since launch.
    #[inline]
    pub fn forwarded(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, forwarded) }>()
    }

    /// Messages that the shard has taken out of its own device-local ring, since launch.
    #[inline]
    pub fn taken(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, taken) }>()
    }

    /// The value of [`taken`](Self::taken) when the shard last came to rest.
    #[inline]
    pub fn rested(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, rested) }>()
    }

    /// Messages for a connected kernel that were lost, since launch.
    #[inline]
    pub fn unforwarded(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, unforwarded) }>()
    }

    /// Turns that took messages, since launch, if the launch counts them.
    #[inline]
    pub fn turns(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, turns) }>()
    }

    /// When the first of its timers is due, in nanoseconds on the runtime's clock; 0 if none is set.
    #[inline]
    pub fn due(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, due) }>()
    }

    /// How many timers are set, and how many were taken: [`Timers`](annulus_abi::control::Timers).
    #[inline]
    pub fn timers(&self) -> &AtomicU64 {
        self.control64::<{ offset_of!(ControlBlock, timers) }>()
    }

    /// The count of a histogram's bucket, if latencies are tracked.
    #[inline]
    pub fn latency_bucket(&self, bucket: usize) -> Option<&AtomicU64> {
        assert!(bucket < BUCKETS, "a latency histogram has {BUCKETS} buckets");
        // SAFETY: the region has a word for each bucket, of which this is one, as was just asserted.
        self.histogram.as_ref().map(|histogram| unsafe { histogram.word64(bucket * 8) })
    }

    /// How many actors the shard has, if the kernel's keys are sparse.
    #[inline]
    pub fn actors_used(&self) -> Option<&AtomicU64> {
        // SAFETY: the region is an `ActorCounts`.
        self.actors.as_ref().map(|actors| unsafe { actors.word64(offset_of!(ActorCounts, used)) })
    }

    /// How many of them were evicted for others, since launch, if the kernel's keys are sparse.
    #[inline]
    pub fn actors_evicted(&self) -> Option<&AtomicU64> {
        // SAFETY: the region is an `ActorCounts`.
        self.actors.as_ref().map(|actors| unsafe { actors.word64(offset_of!(ActorCounts, evicted)) })
    }

    /// How many of them their handlers have ended, since launch, if the kernel's keys are sparse.
    #[inline]
    pub fn actors_ended(&self) -> Option<&AtomicU64> {
        // SAFETY: the region is an `ActorCounts`.
        self.actors.as_ref().map(|actors| unsafe { actors.word64(offset_of!(ActorCounts, ended)) })
    }

    /// What one of several outboxes has sent to other kernels: none if the kernel has not several, or may not
    /// be connected.
    #[inline]
    pub fn port(&self, number: usize) -> Option<PortWords<'_>> {
        let ports = self.ports.as_ref().filter(|_| number < self.layout.ports as usize)?;
        // SAFETY: the region has a line for each outbox, of which this is one.
        Some(unsafe { PortWords::new(ports, number) })
    }

    /// How many outputs of each of several outboxes wait for room in other kernels: what went meanwhile, and what was counted
    /// meanwhile, is seen together with these.
    pub fn held(&self) -> impl Iterator<Item = u64> {
        let ports = (0..self.layout.ports as usize).filter_map(|number| self.port(number));
        // SYNC: held (acquire)
        ports.map(|port| port.held().load(Ordering::Acquire))
    }

    /// How many outputs several outboxes have sent to other kernels together, as their own counts say: a block may store these after
    /// the shard's sum. Wraps.
    pub fn forwarded_by_ports(&self) -> u64 {
        let ports = (0..self.layout.ports as usize).filter_map(|number| self.port(number));
        // SYNC: unrested (acquire)
        ports.map(|port| port.forwarded().load(Ordering::Acquire)).fold(0, u64::wrapping_add)
    }

    /// The line that says what the shard is at; `None` if nobody watches it.
    pub fn at(&self) -> Option<&AtLine> {
        self.at.as_ref()
    }

    /// The shard's telemetry line, if the runtime's arena had one left.
    #[inline]
    pub fn telemetry(&self) -> Option<&TelemetryLine> {
        self.telemetry.as_ref()
    }
}

/// The line that says what a shard is at: [`At`].
#[derive(Clone, Debug)]
pub struct AtLine {
    line: NonNull<u8>,
    /// Keeps the line valid.
    _memory: Arc<SharedMemory>,
}

// SAFETY: the line is reached through atomics only, and lives as long as its memory.
unsafe impl Send for AtLine {}
// SAFETY: as for `Send`.
unsafe impl Sync for AtLine {}

impl AtLine {
    /// The line at an offset.
    ///
    /// # Panics
    ///
    /// If the memory is too short, or the offset no multiple of a line.
    fn new(memory: &Arc<SharedMemory>, offset: usize) -> Self {
        assert!(
            offset.is_multiple_of(LINE) && memory.bytes >= LINE && offset <= memory.bytes - LINE,
            "the line lies in its memory"
        );
        // SAFETY: the offset lies in the memory, as was just asserted.
        let line = unsafe { memory.base.add(offset) };
        Self { line, _memory: Arc::clone(memory) }
    }

    /// A line that nobody looks at; `None` if there is no memory for it.
    pub fn unseen() -> Option<Self> {
        Some(Self::new(&Arc::new(SharedMemory::host(PAIR)?), 0))
    }

    #[inline(always)]
    fn word<const OFFSET: usize>(&self) -> &AtomicU64 {
        const { assert!(OFFSET + 8 <= size_of::<At>() && OFFSET.is_multiple_of(8)) };
        // SAFETY: the word lies in the line.
        let word = unsafe { self.line.add(OFFSET) };
        // SAFETY: the word is aligned, lives as long as `self`, and is accessed only atomically, as all words
        // of vitals.
        unsafe { AtomicU64::from_ptr(word.as_ptr().cast()) }
    }

    /// The phase.
    #[inline(always)]
    pub fn phase(&self) -> &AtomicU64 {
        self.word::<{ offset_of!(At, phase) }>()
    }

    /// The message's number.
    #[inline(always)]
    pub fn number(&self) -> &AtomicU64 {
        self.word::<{ offset_of!(At, number) }>()
    }

    /// The message's key.
    #[inline(always)]
    pub fn key(&self) -> &AtomicU64 {
        self.word::<{ offset_of!(At, key) }>()
    }

    /// The last failure.
    pub fn failed(&self) -> &AtomicU64 {
        self.word::<{ offset_of!(At, failed) }>()
    }

    /// The key of the message that failed last.
    pub fn failed_key(&self) -> &AtomicU64 {
        self.word::<{ offset_of!(At, failed_key) }>()
    }

    /// All words, each loaded by itself.
    pub fn load(&self) -> At {
        // For people: no word is ordered with another one.
        let long = |word: &AtomicU64| word.load(Ordering::Relaxed);
        At {
            phase: long(self.phase()),
            number: long(self.number()),
            key: long(self.key()),
            failed: long(self.failed()),
            failed_key: long(self.failed_key()),
            ..At::default()
        }
    }
}

/// Where the vitals of a shard are: zeroed memory of the size of [`ShardVitals`].
#[derive(Clone, Debug)]
pub struct VitalsPlace {
    region: Region,
    offset: usize,
    memory: Arc<SharedMemory>,
    /// Where its [`ShardPorts`] begin, if there are any.
    ports: Option<usize>,
    /// Where its histogram begins, if there is one.
    histogram: Option<usize>,
}

impl VitalsPlace {
    /// The vitals that begin at `offset`.
    ///
    /// # Panics
    ///
    /// If the memory is too short, or the offset no multiple of 128.
    pub fn new(memory: &Arc<SharedMemory>, offset: usize) -> Self {
        let region = memory.region();
        // This asserts what is said above.
        let _ = region.part(offset, size_of::<ShardVitals>());
        Self { region, offset, memory: Arc::clone(memory), ports: None, histogram: None }
    }

    /// The same with room for outboxes: zeroed memory of the size of [`ShardPorts`], from `offset` on.
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    pub fn with_ports(self, offset: usize) -> Self {
        // This asserts what is said above.
        let _ = self.region.part(offset, size_of::<ShardPorts>());
        Self { ports: Some(offset), ..self }
    }

    /// The same with room for a histogram of latencies: zeroed memory of [`histogram::BYTES`], from `offset` on.
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    pub fn with_histogram(self, offset: usize) -> Self {
        // This asserts what is said above.
        let _ = self.region.part(offset, histogram::BYTES);
        Self { histogram: Some(offset), ..self }
    }

    /// Word `index` of the vitals.
    ///
    /// # Panics
    ///
    /// If they do not have so many words.
    pub fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < size_of::<ShardVitals>() / 8, "a shard's vitals have so many words");
        self.region.u64(self.offset + 8 * index)
    }
}

/// A shard's 64-byte telemetry line.
#[derive(Clone, Debug)]
pub struct TelemetryLine {
    arena: Region,
    offset: usize,
    memory: Arc<SharedMemory>,
}

impl TelemetryLine {
    /// Line `index` of an arena.
    ///
    /// # Panics
    ///
    /// If the arena is too short for the line.
    pub fn new(arena: &Arc<SharedMemory>, index: usize) -> Self {
        assert!(index < arena.bytes() / LINE, "a telemetry line lies in its arena");
        Self { arena: arena.region(), offset: index * LINE, memory: Arc::clone(arena) }
    }

    /// Where the line begins.
    pub fn place(&self) -> Place<'_> {
        Place { memory: &self.memory, offset: self.offset }
    }

    /// Word `index` of the line's eight.
    #[inline(always)]
    pub fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < 8, "a telemetry line has eight words");
        // SAFETY: the line lies in the arena, at a multiple of its length, as `new` has seen to, and the word
        // in the line, as was just asserted.
        unsafe { self.arena.word64(self.offset + 8 * index) }
    }
}
