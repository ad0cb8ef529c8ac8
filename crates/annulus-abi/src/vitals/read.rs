//! Reads the bytes of a vitals file, and trusts none of them.
//!
//! A reader copies the file's bytes first, for instance with `read`: then nothing changes under its hands,
//! and a file that is cut off meanwhile is only shorter. A copy of a running process is not from one moment.
//! What must belong together has a check: the header, a kernel's description, a line of telemetry.

mod damage;
mod layout;

use core::mem::offset_of;

use super::{
    At, CHANGING, HostWords, KernelEntry, MAGIC, MODES, MOST_KERNELS, MOST_SHARDS, PAGE, ShardVitals,
    VERSION, VitalsHeader,
    bridges::{BridgeEntry, MOST_BRIDGES},
    check_step, kernel_flags, kernel_state,
    ports::{self, Port, ShardPorts},
    recorder::{CAUSES, Record},
    text,
};
use crate::{
    control::{ActorCounts, ControlBlock, Timers},
    histogram::{self, BUCKETS},
    memory::KernelMemory,
    ring::{CLOSED, RingHeader},
    telemetry::Telemetry,
};

pub use damage::Damage;
pub use layout::TypeLayout;

/// Most records that are read of a file. Source: the project's choice, 4 MiB.
const MOST_RECORDS: usize = 1 << 16;

/// The bytes of a vitals file whose header is whole.
#[derive(Clone, Copy, Debug)]
pub struct Vitals<'a> {
    bytes: &'a [u8],
    kernels: u32,
    shards: u32,
    kernels_offset: u64,
    shards_offset: u64,
}

/// A kernel of the file.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    vitals: Vitals<'a>,
    index: usize,
    bytes: &'a [u8],
}

/// What an entry of the directory is.
enum Entry<'a> {
    /// It says that no kernel has it.
    Free,
    /// The bytes do not have it.
    Missing,
    /// It says that it is used, and its check does not match; or its state is none.
    Damaged,
    Whole(Kernel<'a>),
}

/// Where a kernel is in a file, by bytes. It may be missing, as anything may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelPlace {
    /// Where its [`KernelEntry`] begins.
    pub entry: u64,
    /// Where its [`ShardVitals`] begin.
    pub shards: u64,
    /// How many shards it has.
    pub grid: u32,
}

/// A shard's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The command that the host gave; see [`command`](crate::control::command).
    pub command: u32,
    /// The command that the shard obeyed last.
    pub acknowledged: u32,
    /// See [`state`](crate::control::state).
    pub state: u32,
    /// The last error code, 0 for none.
    pub last_error: u32,
    /// Messages whose handler succeeded.
    pub processed: u64,
    /// Messages whose handler failed.
    pub failed: u64,
    /// Messages whose key named no actor.
    pub unknown_actor: u64,
    /// Messages that handlers sent.
    pub sent: u64,
    /// Dead letters that found no room.
    pub dead_letters_lost: u64,
    /// See [`ControlBlock::stalled`].
    pub stalled: u32,
    /// Outputs that a connected kernel lost.
    pub unforwarded: u64,
    /// Messages that were put into the inbound ring, and are not given back.
    pub pending: u64,
    /// Messages that wait in the host's queues in front of the inbound ring.
    pub staged: u64,
    /// Messages that were ever put into the inbound ring.
    pub accepted: u64,
    /// Messages of other kernels that it has taken out of its ring in a device's memory.
    pub taken: u64,
    /// Such messages that it had not taken when it ended.
    pub unread: u32,
    /// Of the first shard alone: see [`HostWords::fed`].
    pub fed: u64,
    /// Outputs that wait in the outbound ring.
    pub outputs_waiting: u64,
    /// Messages to itself.
    pub timers: Timers,
    /// Its actors, of a kernel whose keys are [sparse](super::kernel_flags::SPARSE_KEYS).
    pub actors: Actors,
    /// Records of messages that were followed, and those that found no room.
    pub traces: Traces,
    /// The line of telemetry; `None` if it is torn or was never written.
    pub telemetry: Option<Telemetry>,
    /// What the shard is at.
    pub at: At,
}

/// The actors of a shard whose keys are sparse: see [`ActorCounts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actors {
    /// Places in use.
    pub used: u64,
    /// Actors that gave way to others.
    pub evicted: u64,
    /// Actors that their handlers have ended.
    pub ended: u64,
}

/// What became of the records of messages that were followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Records.
    pub recorded: u64,
    /// Records that found no room.
    pub lost: u64,
}

impl Shard {
    /// Messages that wait for this shard: in its inbound ring, and in front of it.
    pub fn waiting(&self) -> u64 {
        // The numbers may be anything.
        self.pending.saturating_add(self.staged)
    }

    /// Messages of other kernels that have arrived from a ring in a device's memory: it has taken them, or left them at its end.
    pub fn arrived(&self) -> u64 {
        self.taken.saturating_add(self.unread.into())
    }
}

impl<'a> Vitals<'a> {
    /// Reads a header.
    ///
    /// # Errors
    ///
    /// [`Damage`] says what is wrong with the bytes. What comes after the header may still be missing.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Damage> {
        let header = bytes.get(..size_of::<VitalsHeader>()).ok_or(Damage::Short)?;
        let word32 = |offset| word32(header, offset).unwrap_or(0);
        let word64 = |offset| word64(header, offset).unwrap_or(0);
        if word64(offset_of!(VitalsHeader, magic)) != MAGIC {
            return Err(Damage::Foreign);
        }
        let version = word32(offset_of!(VitalsHeader, version));
        if version != VERSION {
            return Err(Damage::Version(version));
        }
        let vitals = Self {
            bytes,
            kernels: word32(offset_of!(VitalsHeader, kernels)),
            shards: word32(offset_of!(VitalsHeader, shards)),
            kernels_offset: word64(offset_of!(VitalsHeader, kernels_offset)),
            shards_offset: word64(offset_of!(VitalsHeader, shards_offset)),
        };
        let is_whole = check_of(header) == word64(offset_of!(VitalsHeader, check))
            && word32(offset_of!(VitalsHeader, kernel_stride)) as usize == size_of::<KernelEntry>()
            && word32(offset_of!(VitalsHeader, shard_stride)) as usize == size_of::<ShardVitals>()
            && vitals.kernels as usize <= MOST_KERNELS
            && vitals.shards as usize <= MOST_SHARDS;
        if is_whole { Ok(vitals) } else { Err(Damage::Header) }
    }

    /// Where the parts that any kernel uses end: more of the file need not be read. This may be more than the
    /// file has.
    pub fn used(&self) -> u64 {
        self.kernels().map(|kernel| kernel.shards_end()).max().unwrap_or(0)
    }

    /// Where the directory of kernels begins.
    pub fn directory_begin(&self) -> u64 {
        self.kernels_offset
    }

    /// Where the shards begin, by bytes of the file.
    pub fn shards_begin(&self) -> u64 {
        self.shards_offset
    }

    /// Where the directory of kernels ends.
    pub fn directory_end(&self) -> u64 {
        self.kernels_offset.saturating_add(u64::from(self.kernels) * size_of::<KernelEntry>() as u64)
    }

    /// Where the records of the flight recorder are, by bytes of the file: where they begin, and how many bytes
    /// they have. `None` if there are none. They may be missing, as anything may.
    pub fn records(&self) -> Option<(u64, usize)> {
        let word32 = |offset| word32(self.bytes, offset).unwrap_or(0);
        let count = word32(offset_of!(VitalsHeader, records)) as usize;
        let is_known = count != 0
            && count <= MOST_RECORDS
            && word32(offset_of!(VitalsHeader, record_stride)) as usize == size_of::<Record>();
        let offset = word64(self.bytes, offset_of!(VitalsHeader, records_offset)).unwrap_or(0);
        is_known.then_some((offset, count * size_of::<Record>()))
    }

    /// Where observers ask, by bytes of the file; `None` if the runtime serves no requests.
    pub fn requests(&self) -> Option<u64> {
        let offset = word64(self.bytes, offset_of!(VitalsHeader, requests_offset)).unwrap_or(0);
        (offset != 0 && offset.is_multiple_of(PAGE as u64)).then_some(offset)
    }

    /// Where the outboxes of a kernel's shards are, by bytes of the file: where they begin, and how many bytes
    /// they have. `None` if the file shows none of this kernel. They may be missing, as anything may.
    pub fn ports(&self, kernel: &Kernel<'_>) -> Option<(u64, usize)> {
        let offset = word64(self.bytes, offset_of!(VitalsHeader, ports_offset)).unwrap_or(0);
        let stride = word64(self.bytes, offset_of!(VitalsHeader, port_stride)).unwrap_or(0);
        let (first, grid) = (kernel.first_shard(), kernel.grid());
        let is_there = offset != 0
            && stride == size_of::<ShardPorts>() as u64
            && kernel.word64(offset_of!(KernelEntry, ports)) != 0
            && first.checked_add(grid).is_some_and(|end| end <= self.shards);
        let first = offset.checked_add(stride.checked_mul(first.into())?)?;
        is_there.then_some((first, grid as usize * size_of::<ShardPorts>()))
    }

    /// Where the histograms of a kernel's shards are, by bytes of the file: where they begin, and how many bytes they
    /// have. `None` if the file shows none of this kernel. They may be missing, as anything may.
    pub fn histograms(&self, kernel: &Kernel<'_>) -> Option<(u64, usize)> {
        let offset = word64(self.bytes, offset_of!(VitalsHeader, histograms_offset)).unwrap_or(0);
        let stride = word64(self.bytes, offset_of!(VitalsHeader, histogram_stride)).unwrap_or(0);
        let (first, grid) = (kernel.first_shard(), kernel.grid());
        let is_there = offset != 0
            && stride == histogram::BYTES as u64
            && kernel.flags() & kernel_flags::LATENCIES != 0
            && first.checked_add(grid).is_some_and(|end| end <= self.shards);
        let first = offset.checked_add(stride.checked_mul(first.into())?)?;
        is_there.then_some((first, grid as usize * histogram::BYTES))
    }

    /// Where the table of bridges is, by bytes of the file: where it begins, and how many bytes it has. `None` if the file
    /// shows none. It may be missing, as anything may. See [`bridges`](super::bridges).
    pub fn bridges(&self) -> Option<(u64, usize)> {
        let word32 = |offset| word32(self.bytes, offset).unwrap_or(0);
        let page = u64::from(word32(offset_of!(VitalsHeader, bridges_page)));
        let count = word32(offset_of!(VitalsHeader, bridges)) as usize;
        let is_there = page != 0 && count != 0 && count <= 16 * MOST_BRIDGES;
        is_there.then_some((page * PAGE as u64, count * size_of::<BridgeEntry>()))
    }

    /// Where a kernel's entry and shards are, unless the header has fewer shards. No kernel uses the rest of the file.
    pub fn place(&self, kernel: &Kernel<'_>) -> Option<KernelPlace> {
        let at =
            |offset: u64, index: u64, stride: usize| offset.checked_add(index.checked_mul(stride as u64)?);
        let (first, grid) = (kernel.first_shard(), kernel.grid());
        let is_there = first.checked_add(grid).is_some_and(|end| end <= self.shards);
        let entry = at(self.kernels_offset, kernel.index as u64, size_of::<KernelEntry>())?;
        let shards = at(self.shards_offset, first.into(), size_of::<ShardVitals>())?;
        is_there.then_some(KernelPlace { entry, shards, grid })
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        word32(self.bytes, offset_of!(VitalsHeader, pid)).unwrap_or(0)
    }

    /// When the runtime was built, in nanoseconds since 1970 UTC.
    pub fn started(&self) -> u64 {
        word64(self.bytes, offset_of!(VitalsHeader, started)).unwrap_or(0)
    }

    /// What the monotonic clock showed when the runtime's clock showed 0, in nanoseconds.
    pub fn clock_origin(&self) -> u64 {
        word64(self.bytes, offset_of!(VitalsHeader, clock_origin)).unwrap_or(0)
    }

    /// The boot that the clock belongs to.
    pub fn boot(&self) -> [u8; 16] {
        let offset = offset_of!(VitalsHeader, boot);
        self.bytes.get(offset..offset + 16).and_then(|boot| boot.try_into().ok()).unwrap_or([0; 16])
    }

    /// The backend's name.
    pub fn backend(&self) -> &'a str {
        text_at(self.bytes, offset_of!(VitalsHeader, backend), 16)
    }

    /// The name of the device that its kernels run on; empty if nobody says.
    pub fn device(&self) -> &'a str {
        text_at(self.bytes, offset_of!(VitalsHeader, device), 72)
    }

    /// The version of the library.
    pub fn library(&self) -> &'a str {
        text_at(self.bytes, offset_of!(VitalsHeader, library), 16)
    }

    /// The path of the executable, or its end.
    pub fn executable(&self) -> &'a str {
        text_at(self.bytes, offset_of!(VitalsHeader, executable), 256)
    }

    /// The kernels whose entries are whole, in the order of the file.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel<'a>> {
        let vitals = *self;
        (0..self.kernels as usize).filter_map(move |index| match vitals.entry(index) {
            Entry::Whole(kernel) => Some(kernel),
            Entry::Free | Entry::Missing | Entry::Damaged => None,
        })
    }

    /// What entry `index` of the directory is.
    fn entry(&self, index: usize) -> Entry<'a> {
        let Some(bytes) = part(self.bytes, self.kernels_offset, index, size_of::<KernelEntry>()) else {
            return Entry::Missing;
        };
        let kernel = Kernel { vitals: *self, index, bytes };
        match kernel.state() {
            kernel_state::FREE => Entry::Free,
            kernel_state::LAUNCHED | kernel_state::ENDED if kernel.is_whole() => Entry::Whole(kernel),
            _ => Entry::Damaged,
        }
    }

    /// Shard `index` of those that bytes begin with at `offset`, unless it is missing.
    fn shard(&self, bytes: &[u8], offset: u64, index: usize) -> Option<Shard> {
        if index >= self.shards as usize {
            return None;
        }
        part(bytes, offset, index, size_of::<ShardVitals>()).map(Shard::of_bytes)
    }
}

impl<'a> Kernel<'a> {
    fn word32(&self, offset: usize) -> u32 {
        word32(self.bytes, offset).unwrap_or(0)
    }

    fn word64(&self, offset: usize) -> u64 {
        word64(self.bytes, offset).unwrap_or(0)
    }

    /// Whether its description matches its check.
    fn is_whole(&self) -> bool {
        check_of(&self.bytes[CHANGING..]) == self.word64(offset_of!(KernelEntry, check))
    }

    /// See [`kernel_state`].
    pub fn state(&self) -> u32 {
        self.word32(offset_of!(KernelEntry, state))
    }

    /// Whether it did not end when its supervisor told it to, and was left behind.
    pub fn is_left_behind(&self) -> bool {
        self.word32(offset_of!(KernelEntry, left_behind)) == super::LEFT_BEHIND
    }

    /// The number of its launch.
    pub fn id(&self) -> u64 {
        self.word64(offset_of!(KernelEntry, id))
    }

    /// When it was launched, on the runtime's clock.
    pub fn launched_at(&self) -> u64 {
        self.word64(offset_of!(KernelEntry, launched_at))
    }

    /// When it had ended, on the runtime's clock; 0 before.
    pub fn ended_at(&self) -> u64 {
        self.word64(offset_of!(KernelEntry, ended_at))
    }

    /// Messages of other kernels that waited in a device's memory then.
    pub fn linked(&self) -> u64 {
        self.word64(offset_of!(KernelEntry, linked))
    }

    /// When its shards' words were copied, on the runtime's clock; 0 if they are no copies.
    pub fn mirrored_at(&self) -> u64 {
        self.word64(offset_of!(KernelEntry, mirrored_at))
    }

    /// The [`id`](Self::id) of the kernel that it is connected to, and whether outputs wait for room there.
    pub fn target(&self) -> Option<(u64, bool)> {
        let target = self.word64(offset_of!(KernelEntry, target));
        (target != 0).then(|| (target, self.word64(offset_of!(KernelEntry, waits)) != 0))
    }

    /// Messages that queues dropped, by [cause](super::recorder::CAUSES).
    pub fn drops(&self) -> [u64; CAUSES.len()] {
        core::array::from_fn(|i| self.word64(offset_of!(KernelEntry, drops) + 8 * i))
    }

    /// Handlers that took longer than the launch's limit.
    pub fn slow(&self) -> u64 {
        self.word64(offset_of!(KernelEntry, slow))
    }

    /// Threads of a block.
    pub fn block(&self) -> u32 {
        self.word32(offset_of!(KernelEntry, block))
    }

    /// How many shards it has.
    pub fn grid(&self) -> u32 {
        self.word32(offset_of!(KernelEntry, grid))
    }

    /// The name of its processing mode.
    pub fn mode(&self) -> &'static str {
        MODES.get(self.word32(offset_of!(KernelEntry, mode)) as usize).copied().unwrap_or("unknown")
    }

    /// Most messages of a turn.
    pub fn max_batch(&self) -> u32 {
        self.word32(offset_of!(KernelEntry, max_batch))
    }

    /// See [`kernel_flags`].
    pub fn flags(&self) -> u32 {
        self.word32(offset_of!(KernelEntry, flags))
    }

    /// The number of the outbox by which it asks, if it may ask.
    pub fn asks_by(&self) -> Option<usize> {
        let number = (self.flags() & kernel_flags::ASKS_BY) >> kernel_flags::ASKS_BY_SHIFT;
        number.checked_sub(1).map(|number| number as usize)
    }

    /// Slots of a shard's inbound ring.
    pub fn inbound_capacity(&self) -> u32 {
        self.word32(offset_of!(KernelEntry, inbound_capacity))
    }

    /// Slots of a shard's outbound ring.
    pub fn outbound_capacity(&self) -> u32 {
        self.word32(offset_of!(KernelEntry, outbound_capacity))
    }

    /// How many messages may wait for a shard, in queues in front of its ring if there are any.
    pub fn queue_capacity(&self) -> u64 {
        self.word64(offset_of!(KernelEntry, queue_capacity))
    }

    /// Its actors.
    pub fn actors(&self) -> u64 {
        self.word64(offset_of!(KernelEntry, actors))
    }

    /// The name that it runs under.
    pub fn name(&self) -> &'a str {
        text_at(self.bytes, offset_of!(KernelEntry, name), 128)
    }

    /// Its own name.
    pub fn kernel(&self) -> &'a str {
        text_at(self.bytes, offset_of!(KernelEntry, kernel), 128)
    }

    /// The name of its message type.
    pub fn message(&self) -> &'a str {
        text_at(self.bytes, offset_of!(KernelEntry, message), 128)
    }

    /// The name of its output type; empty if it has none.
    pub fn output(&self) -> &'a str {
        text_at(self.bytes, offset_of!(KernelEntry, output), 128)
    }

    /// The layout of its messages; `None` if nobody says.
    pub fn message_layout(&self) -> Option<TypeLayout> {
        TypeLayout::new(
            self.word32(offset_of!(KernelEntry, message_size)),
            self.word32(offset_of!(KernelEntry, message_align)),
            self.word64(offset_of!(KernelEntry, message_layout)),
        )
    }

    /// The layout of its outputs; `None` if it has none, or nobody says.
    pub fn output_layout(&self) -> Option<TypeLayout> {
        TypeLayout::new(
            self.word32(offset_of!(KernelEntry, output_size)),
            self.word32(offset_of!(KernelEntry, output_align)),
            self.word64(offset_of!(KernelEntry, output_layout)),
        )
    }

    /// Its memory, by what it is for and where it lies.
    pub fn memory(&self) -> KernelMemory {
        let word = |part| self.word64(offset_of!(KernelEntry, memory) + part);
        KernelMemory {
            inbound: word(offset_of!(KernelMemory, inbound)),
            outbound: word(offset_of!(KernelMemory, outbound)),
            replies: word(offset_of!(KernelMemory, replies)),
            dead_letters: word(offset_of!(KernelMemory, dead_letters)),
            traces: word(offset_of!(KernelMemory, traces)),
            prints: word(offset_of!(KernelMemory, prints)),
            control: word(offset_of!(KernelMemory, control)),
            queues: word(offset_of!(KernelMemory, queues)),
            states: word(offset_of!(KernelMemory, states)),
            bindings: word(offset_of!(KernelMemory, bindings)),
            links: word(offset_of!(KernelMemory, links)),
            scratch: word(offset_of!(KernelMemory, scratch)),
            host: word(offset_of!(KernelMemory, host)),
            shared: word(offset_of!(KernelMemory, shared)),
            device: word(offset_of!(KernelMemory, device)),
        }
    }

    /// What the application calls its error codes.
    pub fn errors(&self) -> impl Iterator<Item = (u16, &'a str)> + use<'a> {
        let lines = text_at(self.bytes, offset_of!(KernelEntry, errors), 256).lines();
        lines.filter_map(|line| {
            let (code, name) = line.split_once(' ')?;
            Some((code.parse().ok()?, name))
        })
    }

    fn first_shard(&self) -> u32 {
        self.word32(offset_of!(KernelEntry, first_shard))
    }

    /// Its outboxes, if it has several, given the bytes that [`Vitals::ports`] names.
    pub fn ports<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = Port<'b>> + use<'b> {
        let count = self.word64(offset_of!(KernelEntry, ports));
        ports::ports(bytes, self.id(), usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Its shards, as far as they are there.
    pub fn shards(&self) -> impl Iterator<Item = Shard> + use<'a> {
        self.shards_at(self.vitals.bytes, self.vitals.shards_offset)
    }

    /// Its shards, as far as they are among these bytes, which were read by themselves: the file's from
    /// [`Vitals::shards_begin`] on.
    pub fn shards_in<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = Shard> + use<'a, 'b> {
        self.shards_at(bytes, 0)
    }

    fn shards_at<'b>(&self, bytes: &'b [u8], offset: u64) -> impl Iterator<Item = Shard> + use<'a, 'b> {
        let vitals = self.vitals;
        let first = self.first_shard() as usize;
        // Both are 32-bit numbers, and `vitals` ends long before their sum could overflow.
        let end = first.saturating_add(self.grid() as usize);
        (first..end).map_while(move |index| vitals.shard(bytes, offset, index))
    }

    /// Where its shards end, by bytes of the file. This may be more than the file has.
    pub fn shards_end(&self) -> u64 {
        let shards = u64::from(self.first_shard()) + u64::from(self.grid());
        self.vitals.shards_offset.saturating_add(shards * size_of::<ShardVitals>() as u64)
    }

    /// Whether a later copy of the file's beginning still has this kernel: then nobody else has had its shards
    /// in between.
    pub fn is_still_in(&self, bytes: &[u8]) -> bool {
        let entry = part(bytes, self.vitals.kernels_offset, self.index, size_of::<KernelEntry>());
        entry.is_some_and(|entry| {
            word32(entry, offset_of!(KernelEntry, state)).is_some_and(|state| state != kernel_state::FREE)
                && word64(entry, offset_of!(KernelEntry, id)) == Some(self.id())
        })
    }
}

impl Shard {
    /// The words of a shard, given the bytes of its [`ShardVitals`]. What is missing is 0.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        const INBOUND: usize = offset_of!(ShardVitals, inbound);
        const OUTBOUND: usize = offset_of!(ShardVitals, outbound);
        const AT: usize = offset_of!(ShardVitals, at);
        const HOST: usize = offset_of!(ShardVitals, host);
        const ACTORS: usize = offset_of!(ShardVitals, actors);
        let long = |offset| word64(bytes, offset).unwrap_or(0);
        let short = |offset| word32(bytes, offset).unwrap_or(0);
        let reserved = |ring: usize| long(ring + offset_of!(RingHeader, reserved)) & !CLOSED;
        let waiting =
            |ring: usize| reserved(ring).saturating_sub(long(ring + offset_of!(RingHeader, consumed)));
        let telemetry: [u64; 8] = core::array::from_fn(|i| long(offset_of!(ShardVitals, telemetry) + 8 * i));
        Self {
            command: short(offset_of!(ControlBlock, command)),
            acknowledged: short(offset_of!(ControlBlock, acknowledged)),
            state: short(offset_of!(ControlBlock, state)),
            last_error: short(offset_of!(ControlBlock, last_error)),
            processed: long(offset_of!(ControlBlock, processed)),
            failed: long(offset_of!(ControlBlock, failed)),
            unknown_actor: long(offset_of!(ControlBlock, unknown_actor)),
            sent: long(offset_of!(ControlBlock, sent)),
            dead_letters_lost: long(offset_of!(ControlBlock, dead_letters_lost)),
            stalled: short(offset_of!(ControlBlock, stalled)),
            unforwarded: long(offset_of!(ControlBlock, unforwarded)),
            pending: waiting(INBOUND),
            staged: long(HOST + offset_of!(HostWords, staged)),
            accepted: reserved(INBOUND),
            taken: long(offset_of!(ControlBlock, taken)),
            unread: short(offset_of!(ControlBlock, unread)),
            fed: long(HOST + offset_of!(HostWords, fed)),
            outputs_waiting: waiting(OUTBOUND),
            timers: Timers::of_word(long(offset_of!(ControlBlock, timers))),
            actors: Actors {
                used: long(ACTORS + offset_of!(ActorCounts, used)),
                evicted: long(ACTORS + offset_of!(ActorCounts, evicted)),
                ended: long(ACTORS + offset_of!(ActorCounts, ended)),
            },
            traces: Traces {
                recorded: long(HOST + offset_of!(HostWords, traces_recorded)),
                lost: long(HOST + offset_of!(HostWords, traces_lost)),
            },
            telemetry: if telemetry == [0; 8] { None } else { Telemetry::from_words(&telemetry) },
            at: At {
                phase: long(AT + offset_of!(At, phase)),
                number: long(AT + offset_of!(At, number)),
                key: long(AT + offset_of!(At, key)),
                count: long(AT + offset_of!(At, count)),
                failed: long(AT + offset_of!(At, failed)),
                failed_key: long(AT + offset_of!(At, failed_key)),
                reserved: [0; 2],
            },
        }
    }
}

/// The counts of a kernel's histograms by bucket, of all shards together, given the bytes that [`Vitals::histograms`]
/// names.
pub fn latencies(bytes: &[u8]) -> impl Iterator<Item = u64> {
    (0..BUCKETS).map(|bucket| {
        let counts = bytes.chunks_exact(histogram::BYTES).filter_map(|shard| word64(shard, 8 * bucket));
        // The numbers may be anything.
        counts.fold(0, u64::saturating_add)
    })
}

/// Element `index` of elements of `stride` bytes from `offset` on, if the bytes have it.
fn part(bytes: &[u8], offset: u64, index: usize, stride: usize) -> Option<&[u8]> {
    let first = usize::try_from(offset).ok()?.checked_add(index.checked_mul(stride)?)?;
    bytes.get(first..first.checked_add(stride)?)
}

pub(super) fn word32(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(offset..offset + 4)?.try_into().ok()?))
}

pub(super) fn word64(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(offset..offset + 8)?.try_into().ok()?))
}

fn text_at(bytes: &[u8], offset: usize, length: usize) -> &str {
    bytes.get(offset..offset + length).map_or("", text)
}

/// [`check`] of whole words, without the last one, which holds it.
pub(super) fn check_of(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8).take(bytes.len() / 8 - 1);
    let sum = words.fold(VERSION.into(), |sum, word| check_step(sum, word64(word, 0).unwrap_or(0)));
    sum ^ (sum >> 32)
}
