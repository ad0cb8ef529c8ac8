//! The vitals file: what a runtime shows of itself to other processes.
//!
//! A runtime keeps one file for as long as it lives. Other processes only read it: the runtime does not
//! notice them, and they need none of its help.
//!
//! ```text
//! 0              kernels_offset          shards_offset
//! | VitalsHeader | KernelEntry × kernels | ShardVitals × shards |
//! records_offset     ports_offset          histograms_offset    bridges_page            requests_offset
//! | Record × records | ShardPorts × shards | Histogram × shards | BridgeEntry × bridges | RequestPage |
//! ```
//!
//! # Words and writers
//!
//! | part | written by | when |
//! |---|---|---|
//! | [`VitalsHeader`] | the runtime, before the file gets its name | once |
//! | [`KernelEntry`], the part under the check | the runtime, while `state` is [`kernel_state::FREE`] | at a launch |
//! | [`KernelEntry`], `state` and the words that change | the runtime, one word at a time | rarely |
//! | [`ShardVitals::control`] | as [`ControlBlock`] says | while the kernel runs |
//! | [`ShardVitals::inbound`], [`outbound`](ShardVitals::outbound) | as [`RingHeader`] says | while the kernel runs |
//! | [`ShardVitals::telemetry`] | the shard, see [`Telemetry`] | once a turn, if telemetry is enabled |
//! | [`ShardVitals::at`] | the shard | see [`At`] |
//! | [`ShardVitals::host`] | the runtime | see [`HostWords`] |
//! | [`ShardPorts`](ports::ShardPorts) | see [`ports`] | while the kernel runs, if it has several outboxes |
//! | [histograms](crate::histogram) | the shard, or the host copies them | while the kernel runs, if it tracks latencies |
//! | [`BridgeEntry`](bridges::BridgeEntry) | the runtime, and whoever runs the bridge; see [`bridges`] | while it works |
//! | [`Record`](recorder::Record) | any thread of the process | rarely; see [`recorder`] |
//! | [`RequestPage`] | observers | when they want something |
//!
//! The shard's parts are the very words that host and block work with, where the backend's blocks can use any
//! memory of the process. Where they cannot ([`kernel_flags::MIRRORED`]), the host copies them here from time
//! to time, and says when in [`KernelEntry::mirrored_at`].
//!
//! # What a reader may rely on
//!
//! Nothing: the file may be cut off, changed, half written, of another version, or no vitals file at all.
//! [`Vitals`](read::Vitals) checks whatever it uses. All numbers have the byte order of the machine that
//! wrote them: readers run on the same machine.

pub mod black_box;
pub mod bridges;
mod host;
pub mod ports;
pub mod read;
pub mod recorder;

use core::mem::offset_of;

pub use host::HostWords;

use crate::{
    control::{ActorCounts, ControlBlock},
    memory::KernelMemory,
    ring::RingHeader,
    telemetry::Telemetry,
};

/// The first eight bytes of a vitals file: `ANNULUSV` on a little-endian machine.
pub const MAGIC: u64 = u64::from_le_bytes(*b"ANNULUSV");

/// The version of the format that this crate describes. What is added in reserved room keeps the version: readers of before
/// do not look there, and zeros there say that a writer of before did not know.
pub const VERSION: u32 = 3;

/// The end of the file names of vitals files.
pub const SUFFIX: &str = ".vitals";

/// Bytes that the system gives and takes memory in: parts of the file begin at multiples of this.
pub const PAGE: usize = 4096;

/// Most kernels of a file, dead ones included. Source: this project's choice, 1 MiB of address space.
pub const MOST_KERNELS: usize = 1024;

/// Most shards of a file. Source: this project's choice, 1 GiB of address space.
pub const MOST_SHARDS: usize = 1 << 20;

/// The beginning of the file.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct VitalsHeader {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// Bytes of a [`KernelEntry`].
    pub kernel_stride: u32,
    /// Where the kernels begin.
    pub kernels_offset: u64,
    /// Where the shards begin.
    pub shards_offset: u64,
    /// How many [`KernelEntry`]s there are.
    pub kernels: u32,
    /// How many [`ShardVitals`] there are.
    pub shards: u32,
    /// Bytes of a [`ShardVitals`].
    pub shard_stride: u32,
    /// The process, as its own namespace numbers it.
    pub pid: u32,
    /// When the runtime was built, in nanoseconds since 1970 UTC.
    pub started: u64,
    /// What the system's monotonic clock (`CLOCK_MONOTONIC`) showed when the runtime's clock showed 0, in
    /// nanoseconds. All times below are on the runtime's clock.
    pub clock_origin: u64,
    /// The boot that the monotonic clock belongs to: Linux's `boot_id`, zeros if it is not known.
    pub boot: [u8; 16],
    /// The backend's name.
    pub backend: [u8; 16],
    /// The version of the library.
    pub library: [u8; 16],
    /// The path of the executable, its end if it is longer.
    pub executable: [u8; 256],
    /// Where the flight recorder begins; see [`recorder`].
    pub records_offset: u64,
    /// How many records there are.
    pub records: u32,
    /// Bytes of a [`Record`](recorder::Record).
    pub record_stride: u32,
    /// Where the [`RequestPage`] begins, at a multiple of [`PAGE`]; 0 if there is none.
    pub requests_offset: u64,
    /// Where the outboxes of shards begin; see [`ports`]. 0 if none are shown.
    pub ports_offset: u64,
    /// Bytes of a [`ShardPorts`](ports::ShardPorts).
    pub port_stride: u64,
    /// Where the histograms of shards begin: one for each [`ShardVitals`], in the same order, as [`histogram`] describes
    /// them. 0 if none are shown.
    ///
    /// [`histogram`]: crate::histogram
    pub histograms_offset: u64,
    /// Bytes of a histogram.
    pub histogram_stride: u64,
    /// The name of the device that all kernels of the runtime run on, its beginning if it is longer; empty if nobody
    /// says.
    pub device: [u8; 72],
    /// Where the bridges begin, counted in [`PAGE`]s; see [`bridges`](mod@bridges). 0 if none are shown.
    pub bridges_page: u32,
    /// How many [`BridgeEntry`](bridges::BridgeEntry)s there are.
    pub bridges: u32,
    /// [`check`] of all words before it.
    pub check: u64,
}

/// What observers ask of the runtime: the only part of the file that others write. Whatever they write there, the
/// runtime does nothing but to keep telemetry on for a while.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct RequestPage {
    /// Until when observers want telemetry of all kernels, in nanoseconds on the runtime's clock. What it says
    /// holds for [`LONGEST_LEASE`] at most after it was changed.
    pub telemetry_until: u64,
    /// Written after the other words, with another number each time; then those are woken who sleep on this word (a
    /// futex of the file).
    pub bell: u32,
    /// Always 0.
    pub reserved: [u32; 13],
}

/// How long one request may keep telemetry on, in nanoseconds. Source: the project's choice, longer than the usual
/// intervals of monitoring systems.
pub const LONGEST_LEASE: u64 = 60_000_000_000;

/// Values of [`KernelEntry::state`].
pub mod kernel_state {
    /// No kernel; the other words mean nothing.
    pub const FREE: u32 = 0;
    /// A kernel that was launched.
    pub const LAUNCHED: u32 = 1;
    /// A kernel that has ended. Its words stay until the entry is needed again.
    pub const ENDED: u32 = 2;
}

/// Bits of [`KernelEntry::flags`].
pub mod kernel_flags {
    /// It can be connected to other kernels.
    pub const CONNECTABLE: u32 = 1 << 0;
    /// Its blocks take their turns in step.
    pub const SUPERSTEPS: u32 = 1 << 1;
    /// It answers calls.
    pub const CALLS: u32 = 1 << 2;
    /// Its messages carry their enqueue time.
    pub const TIMESTAMPS: u32 = 1 << 3;
    /// The words of its shards are copies; see [`KernelEntry::mirrored_at`](super::KernelEntry::mirrored_at).
    pub const MIRRORED: u32 = 1 << 4;
    /// Its shards' histograms of latencies are shown.
    pub const LATENCIES: u32 = 1 << 5;
    /// Its rings lie in a [black box](super::black_box).
    pub const BLACK_BOX: u32 = 1 << 6;
    /// Its messages may be followed.
    pub const TRACING: u32 = 1 << 7;
    /// Its messages have keys: without this, words for keys mean nothing.
    pub const KEYS: u32 = 1 << 8;
    /// It goes in rounds: what lies in its rings may be for the next one.
    pub const ROUNDS: u32 = 1 << 9;
    /// Its keys are sparse: its actors are those of any keys, and of so many at most.
    pub const SPARSE_KEYS: u32 = 1 << 10;
    /// Where the number of the outbox begins by which it asks, plus 1, in five bits. 0: it asks nobody.
    pub const ASKS_BY_SHIFT: u32 = 11;
    /// The bits of that number, where they stand.
    pub const ASKS_BY: u32 = 0x1F << ASKS_BY_SHIFT;
}

/// In [`KernelEntry::left_behind`]: the kernel did not end when its supervisor told it to, and another one may have its name.
pub const LEFT_BEHIND: u32 = 1;

/// Values of [`KernelEntry::mode`]: names of processing modes, in order. A reader knows no others.
pub const MODES: [&str; 3] = ["continuous", "batch", "adaptive"];

/// A kernel of the runtime.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct KernelEntry {
    /// See [`kernel_state`].
    pub state: u32,
    /// [`LEFT_BEHIND`], or 0. Written together with `state`.
    pub left_behind: u32,
    /// When the kernel had ended, in nanoseconds on the runtime's clock; 0 before.
    pub ended_at: u64,
    /// When the host last copied the shards' words here; 0 if they are no copies.
    pub mirrored_at: u64,
    /// The [`id`](Self::id) of the kernel that it is connected to; 0 for none. With several outboxes, the first
    /// that leads to one: [`ports`] has them all.
    pub target: u64,
    /// Whether outputs without room there wait. Else they are lost.
    pub waits: u64,
    /// How many messages may wait for a shard: in the queues in front of its inbound ring, if there are any, else in
    /// the ring.
    pub queue_capacity: u64,
    /// Messages that queues in front of the rings dropped, that the program took back, or that were left at the
    /// end, by [cause](recorder::CAUSES).
    pub drops: [u64; recorder::CAUSES.len()],
    /// Handlers that took longer than the launch's limit.
    pub slow: u64,
    /// When telemetry was last enabled or reset, in nanoseconds on the runtime's clock; 0 before.
    pub counting_since: u64,
    /// Messages that other kernels put into rings in a device's memory, and that it had not taken when the shards' words were
    /// last copied. 0 where such messages lie in the inbound rings.
    pub linked: u64,

    /// The number of the launch in its runtime, from 1.
    pub id: u64,
    /// When it was launched, in nanoseconds on the runtime's clock.
    pub launched_at: u64,
    /// Its first [`ShardVitals`]; the others follow.
    pub first_shard: u32,
    /// Its blocks, each with a shard.
    pub grid: u32,
    /// Threads of a block.
    pub block: u32,
    /// An index into [`MODES`].
    pub mode: u32,
    /// Most messages of a turn.
    pub max_batch: u32,
    /// See [`kernel_flags`].
    pub flags: u32,
    /// Slots of a shard's inbound ring.
    pub inbound_capacity: u32,
    /// Slots of a shard's outbound ring.
    pub outbound_capacity: u32,
    /// Actors of the kernel, 0 without state for each actor.
    pub actors: u64,
    /// Bytes of a message.
    pub message_size: u32,
    /// Bytes of an output, 0 if it has none.
    pub output_size: u32,
    /// The name that it runs under.
    pub name: [u8; 128],
    /// The kernel's own name.
    pub kernel: [u8; 128],
    /// The name of its message type.
    pub message: [u8; 128],
    /// The name of its output type; empty if it has none.
    pub output: [u8; 128],
    /// What the application calls its error codes: `7 Overdrawn`, one a line, as many as fit whole.
    pub errors: [u8; 256],
    /// How many outboxes [`ports`] shows of it; 0 if it has one at most, or may not be connected.
    pub ports: u64,
    /// Alignment of a message in bytes; 0 if nobody says.
    pub message_align: u32,
    /// Alignment of an output; 0 if it has none, or nobody says.
    pub output_align: u32,
    /// A hash of the memory layout of a message, and of the names in it: the one that snapshots compare. 0 if nobody says.
    pub message_layout: u64,
    /// The same of an output.
    pub output_layout: u64,
    /// Its memory, by what it is for and where it lies.
    pub memory: KernelMemory,
    /// Always 0.
    pub constant: [u64; 4],
    /// [`check`] of all words from `id` on.
    pub check: u64,
}

impl VitalsHeader {
    /// The words of the file, including the check.
    pub fn to_words(&self) -> [u64; size_of::<Self>() / 8] {
        // SAFETY: both types have the same size, and the structure has no padding: its fields follow each
        // other, as the assertions below say.
        let mut words: [u64; size_of::<Self>() / 8] = unsafe { core::mem::transmute(*self) };
        let (check_word, rest) = words.split_last_mut().expect("it has words");
        *check_word = check(rest);
        words
    }
}

impl KernelEntry {
    /// The words of the file, including the check.
    pub fn to_words(&self) -> [u64; size_of::<Self>() / 8] {
        // SAFETY: as for the header.
        let mut words: [u64; size_of::<Self>() / 8] = unsafe { core::mem::transmute(*self) };
        let (check_word, rest) = words.split_last_mut().expect("it has words");
        *check_word = check(&rest[CHANGING / 8..]);
        words
    }
}

/// Bytes of an entry that [`KernelEntry::check`] does not cover: those before [`KernelEntry::id`].
pub const CHANGING: usize = offset_of!(KernelEntry, id);

/// What a shard shows.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct ShardVitals {
    /// Commands and counts.
    pub control: ControlBlock,
    /// The tickets of the inbound ring. The slots are elsewhere.
    pub inbound: RingHeader,
    /// The tickets of the outbound ring.
    pub outbound: RingHeader,
    /// The line of telemetry.
    pub telemetry: Telemetry,
    /// What the shard is at.
    pub at: At,
    /// What the host says of the shard.
    pub host: HostWords,
    /// How many actors it has, if the kernel's keys are [sparse](kernel_flags::SPARSE_KEYS).
    pub actors: ActorCounts,
}

/// What a shard is at. Its block is the only writer.
///
/// The words are stored relaxed, and each by itself, so a reader may find the number of one message with the
/// key of its neighbour. Whoever draws a conclusion compares two looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct At {
    /// See [`phase`].
    pub phase: u64,
    /// The number of the message, from 0 in each shard.
    pub number: u64,
    /// The message's key; 0 [without keys](kernel_flags::KEYS). Means something in a handler only, and only of a single message.
    pub key: u64,
    /// In a handler: how many messages the block's threads handle at once, from `number` on. 0 and 1 mean one.
    pub count: u64,
    /// The last failure of a handler, or of a key that names no actor: the code in the low 16 bits, above it the
    /// message's number and 1, or 0 if nobody knows the number. 0: none has failed.
    pub failed: u64,
    /// The key of the message that failed last; 0 without keys.
    pub failed_key: u64,
    /// Always 0.
    pub reserved: [u64; 2],
}

/// The last failure in a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastFailure {
    /// The handler's code, or one of [`error`](crate::error).
    pub code: u16,
    /// The message's number, from 0 in each shard, if the block says it.
    pub number: Option<u64>,
    /// Its key; 0 without keys.
    pub key: u64,
}

impl At {
    /// The word of a failure: see [`failed`](Self::failed).
    pub const fn failure(code: u16, number: u64) -> u64 {
        (number + 1) << 16 | code as u64
    }

    /// The last failure.
    ///
    /// ```
    /// use annulus_abi::vitals::At;
    /// let at = At { failed: At::failure(77, 12), failed_key: 3, ..At::default() };
    /// let failure = at.last_failure().unwrap();
    /// assert_eq!((failure.code, failure.number, failure.key), (77, Some(12), 3));
    /// assert_eq!(At::default().last_failure(), None);
    /// ```
    pub fn last_failure(&self) -> Option<LastFailure> {
        let (code, number) = (self.failed as u16, (self.failed >> 16).checked_sub(1));
        (self.failed != 0).then_some(LastFailure { code, number, key: self.failed_key })
    }

    /// What the two words of a block on a device say: [`BlockRecord::at`](crate::launch::BlockRecord::at), and
    /// the key.
    ///
    /// ```
    /// use annulus_abi::vitals::{At, phase};
    /// let at = At::of_words(88_123 << 16 | 1 << 4 | phase::IN_HANDLER, 17);
    /// assert_eq!((at.phase, at.count, at.number, at.key), (phase::IN_HANDLER, 1, 88_123, 17));
    /// ```
    pub fn of_words(at: u64, key: u64) -> Self {
        Self { phase: at & 0xF, number: at >> 16, key, count: at >> 4 & 0xFFF, ..Self::default() }
    }
}

/// Phases, values of [`At::phase`].
pub mod phase {
    /// Nobody says: the block has not begun, or nobody has copied it yet.
    pub const UNKNOWN: u64 = 0;
    /// The block found nothing, and sleeps until it is woken.
    pub const ASLEEP: u64 = 1;
    /// The block looks for messages.
    pub const LOOKING: u64 = 2;
    /// The block is in the handler of the message.
    pub const IN_HANDLER: u64 = 3;
    /// The block makes the results of a turn visible, and wakes those who wait for them.
    pub const PUBLISHING: u64 = 4;
    /// The block waits until the host receives outputs.
    pub const STALLED_ON_HOST: u64 = 5;
    /// The block waits for room in the kernel that it is connected to.
    pub const STALLED_ON_KERNEL: u64 = 6;
    /// The block waits for the other blocks of its kernel.
    pub const AT_BARRIER: u64 = 7;
    /// The block is inactive.
    pub const INACTIVE: u64 = 8;
    /// The block has ended.
    pub const ENDED: u64 = 9;
    /// What people call them, by number.
    pub const NAMES: [&str; 10] = [
        "unknown",
        "asleep",
        "looking",
        "in handler",
        "publishing",
        "stalled on host",
        "stalled on kernel",
        "at barrier",
        "inactive",
        "ended",
    ];
}

/// The check of words. It finds what damages files, and mixtures of two states; it is no protection against
/// intent.
pub const fn check(words: &[u64]) -> u64 {
    let mut sum = VERSION as u64;
    let mut i = 0;
    while i < words.len() {
        sum = check_step(sum, words[i]);
        i += 1;
    }
    sum ^ (sum >> 32)
}

/// A word more. An odd factor and a rotation, so each bit of each word reaches the result, and order counts.
const fn check_step(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// Text as it stands in a field: the beginning that fits, filled up with zeros.
///
/// ```
/// use annulus_abi::vitals::{field, text};
/// assert_eq!(text(&field::<8>("cpu")), "cpu");
/// assert_eq!(text(&field::<3>("größe")), "gr"); // no half letters
/// ```
pub fn field<const BYTES: usize>(text: &str) -> [u8; BYTES] {
    let mut fits = text.len().min(BYTES);
    while !text.is_char_boundary(fits) {
        fits -= 1;
    }
    let mut bytes = [0; BYTES];
    bytes[..fits].copy_from_slice(&text.as_bytes()[..fits]);
    bytes
}

/// The text of a field, as far as it is text.
pub fn text(field: &[u8]) -> &str {
    let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    match core::str::from_utf8(&field[..end]) {
        Ok(text) => text,
        Err(error) => core::str::from_utf8(&field[..error.valid_up_to()]).unwrap_or(""),
    }
}

const _: () = {
    assert!(size_of::<VitalsHeader>() == 512);
    assert!(offset_of!(VitalsHeader, version) == 8);
    assert!(offset_of!(VitalsHeader, kernel_stride) == 12);
    assert!(offset_of!(VitalsHeader, kernels_offset) == 16);
    assert!(offset_of!(VitalsHeader, shards_offset) == 24);
    assert!(offset_of!(VitalsHeader, kernels) == 32);
    assert!(offset_of!(VitalsHeader, shards) == 36);
    assert!(offset_of!(VitalsHeader, shard_stride) == 40);
    assert!(offset_of!(VitalsHeader, pid) == 44);
    assert!(offset_of!(VitalsHeader, started) == 48);
    assert!(offset_of!(VitalsHeader, clock_origin) == 56);
    assert!(offset_of!(VitalsHeader, boot) == 64);
    assert!(offset_of!(VitalsHeader, backend) == 80);
    assert!(offset_of!(VitalsHeader, library) == 96);
    assert!(offset_of!(VitalsHeader, executable) == 112);
    assert!(offset_of!(VitalsHeader, records_offset) == 368);
    assert!(offset_of!(VitalsHeader, records) == 376);
    assert!(offset_of!(VitalsHeader, record_stride) == 380);
    assert!(offset_of!(VitalsHeader, requests_offset) == 384);
    assert!(offset_of!(VitalsHeader, ports_offset) == 392);
    assert!(offset_of!(VitalsHeader, port_stride) == 400);
    assert!(offset_of!(VitalsHeader, histograms_offset) == 408);
    assert!(offset_of!(VitalsHeader, histogram_stride) == 416);
    assert!(offset_of!(VitalsHeader, device) == 424);
    assert!(offset_of!(VitalsHeader, bridges_page) == 496);
    assert!(offset_of!(VitalsHeader, bridges) == 500);
    assert!(offset_of!(VitalsHeader, check) == 504);

    assert!(size_of::<RequestPage>() == 64);
    assert!(offset_of!(RequestPage, bell) == 8);

    assert!(size_of::<KernelEntry>() == 1152);
    assert!(offset_of!(KernelEntry, ended_at) == 8);
    assert!(offset_of!(KernelEntry, mirrored_at) == 16);
    assert!(offset_of!(KernelEntry, target) == 24);
    assert!(offset_of!(KernelEntry, waits) == 32);
    assert!(offset_of!(KernelEntry, queue_capacity) == 40);
    assert!(offset_of!(KernelEntry, drops) == 48);
    assert!(offset_of!(KernelEntry, slow) == 104);
    assert!(offset_of!(KernelEntry, counting_since) == 112);
    assert!(offset_of!(KernelEntry, id) == 128);
    assert!(offset_of!(KernelEntry, launched_at) == 136);
    assert!(offset_of!(KernelEntry, first_shard) == 144);
    assert!(offset_of!(KernelEntry, grid) == 148);
    assert!(offset_of!(KernelEntry, block) == 152);
    assert!(offset_of!(KernelEntry, mode) == 156);
    assert!(offset_of!(KernelEntry, max_batch) == 160);
    assert!(offset_of!(KernelEntry, flags) == 164);
    assert!(offset_of!(KernelEntry, inbound_capacity) == 168);
    assert!(offset_of!(KernelEntry, outbound_capacity) == 172);
    assert!(offset_of!(KernelEntry, actors) == 176);
    assert!(offset_of!(KernelEntry, message_size) == 184);
    assert!(offset_of!(KernelEntry, output_size) == 188);
    assert!(offset_of!(KernelEntry, name) == 192);
    assert!(offset_of!(KernelEntry, kernel) == 320);
    assert!(offset_of!(KernelEntry, message) == 448);
    assert!(offset_of!(KernelEntry, output) == 576);
    assert!(offset_of!(KernelEntry, errors) == 704);
    assert!(offset_of!(KernelEntry, ports) == 960);
    assert!(offset_of!(KernelEntry, message_align) == 968);
    assert!(offset_of!(KernelEntry, output_align) == 972);
    assert!(offset_of!(KernelEntry, message_layout) == 976);
    assert!(offset_of!(KernelEntry, output_layout) == 984);
    assert!(offset_of!(KernelEntry, memory) == 992);
    assert!(offset_of!(KernelEntry, check) == 1144);

    assert!(size_of::<ShardVitals>() == 1152);
    assert!(offset_of!(ShardVitals, control) == 0);
    assert!(offset_of!(ShardVitals, inbound) == 256);
    assert!(offset_of!(ShardVitals, outbound) == 512);
    assert!(offset_of!(ShardVitals, telemetry) == 768);
    assert!(offset_of!(ShardVitals, at) == 832);
    assert!(offset_of!(ShardVitals, host) == 896);
    assert!(offset_of!(ShardVitals, actors) == 1024);
    assert!(size_of::<At>() == 64);
    assert!(offset_of!(At, number) == 8);
    assert!(offset_of!(At, key) == 16);
    assert!(offset_of!(At, count) == 24);
    assert!(offset_of!(At, failed) == 32);
    assert!(offset_of!(At, failed_key) == 40);
};
