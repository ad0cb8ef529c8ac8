//! Finds vitals files, and reads them.

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{Attached, FileDamage, black_box::path_of, boot};
use annulus_abi::{
    control::{STALLED_BY_KERNEL, STALLED_HOLDS, state},
    memory::KernelMemory,
    vitals::{
        SUFFIX, ShardVitals, VitalsHeader,
        black_box::BoxDamage,
        bridges, kernel_flags, kernel_state,
        ports::Port,
        read::{self, Damage, Shard, TypeLayout, Vitals},
        recorder::CAUSES,
    },
};
use annulus_runtime::{
    BridgeKind, BridgeLook, BridgeTarget, KernelStatus, LatencyHistogram, PortLook, check_vitals_folder,
    resilience::MissingKernel, vitals_folders,
};
use annulus_sync::{Ordering, fence};

/// The most bytes of a file that are read: 100,000 shards. Source: this project's choice.
const MOST: u64 = 128 << 20;

/// The vitals files of this user's processes, by name. Some may be of processes that have ended. Files of other
/// users, and folders that others may write to, are left out: see [`refused`].
pub fn files() -> Vec<PathBuf> {
    let trusted = vitals_folders().into_iter().filter(|folder| check_vitals_folder(folder).is_ok());
    let mut files: Vec<_> = trusted.flat_map(|folder| named(&folder)).filter(|path| is_own(path)).collect();
    files.sort();
    files
}

/// Why files are not among [`files`], in words: folders that others may have written to, and files that belong to
/// others. Anybody may have made these, and they may say anything.
pub fn refused() -> Vec<String> {
    let mut refused = Vec::new();
    for folder in vitals_folders().into_iter().filter(|folder| folder.symlink_metadata().is_ok()) {
        match check_vitals_folder(&folder) {
            Err(why) => refused.push(why),
            Ok(()) => refused.extend(
                named(&folder)
                    .into_iter()
                    .filter(|path| !is_own(path))
                    .map(|path| format!("{} belongs to another user", path.display())),
            ),
        }
    }
    refused
}

/// The files of a folder that are named as vitals files are.
fn named(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let is_one = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.ends_with(SUFFIX) && !name.starts_with('.'))
    };
    entries.map(|entry| entry.path()).filter(is_one).collect()
}

/// Whether a file belongs to this user. One that is gone does not belong to another.
#[cfg(unix)]
fn is_own(path: &Path) -> bool {
    // SAFETY: the call has no conditions, and always succeeds.
    let user = unsafe { libc::geteuid() };
    path.symlink_metadata().map_or(true, |metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == user)
}

#[cfg(not(unix))]
fn is_own(_: &Path) -> bool {
    true
}

/// Whether a process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// It holds the lock of its file.
    Running,
    /// Nobody holds the lock: the process ended without ending its runtime. Or its file is of
    /// [another boot](Process::other_boot).
    Dead,
}

/// A runtime of a process, at one look.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its file.
    pub file: PathBuf,
    /// Its number, in its own namespace.
    pub pid: u32,
    /// Whether it lives.
    pub liveness: Liveness,
    /// The runtime's backend.
    pub backend: String,
    /// The name of the device that its kernels run on; empty if it does not say.
    pub device: String,
    /// Whether its file is of an earlier boot of this machine, or of another machine that shares the folder. Then it is dead,
    /// for all that this machine can tell: its lock, its number and its times are those of another system.
    pub other_boot: bool,
    /// The version of the library that it was built with.
    pub library: String,
    /// Its executable's path, the end of it if it is long.
    pub executable: String,
    /// When the runtime was built, in nanoseconds since 1970 UTC.
    pub started: u64,
    /// The runtime's clock at the look, in nanoseconds. For a dead process it says nothing.
    pub now: u64,
    /// Its kernels by name, those that have ended included, as long as they are remembered.
    pub kernels: Vec<Kernel>,
    /// Bridges that have ended, of kernels that are not remembered any more. Those of [`kernels`](Self::kernels) stand there.
    pub past_bridges: Vec<BridgeLook>,
    /// Supervised kernels that are to run and do not. From outside they are not seen.
    pub missing: Vec<MissingKernel>,
    /// What is wrong with its file: of that, `kernels` lacks some, or some of theirs.
    pub damage: FileDamage,
}

/// A kernel, at one look.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The number of its launch in its runtime.
    pub id: u64,
    /// The name that it runs under.
    pub name: String,
    /// The kernel's own name.
    pub kernel: String,
    /// The name of its message type.
    pub message: String,
    /// The name of its output type; empty if it has none.
    pub output: String,
    /// The memory layout of its messages, if it is known.
    pub message_layout: Option<TypeLayout>,
    /// The same of its outputs, if it has some.
    pub output_layout: Option<TypeLayout>,
    /// The bytes of its memory, by what they are for and where they lie.
    pub memory: KernelMemory,
    /// How its blocks take messages.
    pub mode: &'static str,
    /// Threads of a block.
    pub block: u32,
    /// Most messages of a turn.
    pub max_batch: u32,
    /// Its actors; 0 without state for each actor.
    pub actors: u64,
    /// Slots of each shard's inbound ring.
    pub inbound_capacity: u32,
    /// Slots of each shard's outbound ring.
    pub outbound_capacity: u32,
    /// How many messages may wait for a shard: in the queues in front of its inbound ring, if there are any, else in
    /// the ring.
    pub queue_capacity: u64,
    /// The kernel that its outputs go to, by its [`id`](Self::id), and whether they wait for room there. With several
    /// outboxes it is one of theirs.
    pub target: Option<(u64, bool)>,
    /// Its outboxes, if it has several and may be connected. Each knows where it leads.
    pub ports: Vec<PortLook>,
    /// The number of the outbox by which it asks, if it may ask: see [`asked`](Self::asked).
    pub asks_by: Option<usize>,
    /// The bridges that lead from it, and from queues to it: those that work, and some that have ended.
    pub bridges: Vec<BridgeLook>,
    /// Whether it has ended.
    pub has_ended: bool,
    /// Whether it did not end when its [supervisor](annulus_runtime::resilience::Supervisor) told it to. It was left behind: another
    /// kernel may have its name.
    pub left_behind: bool,
    /// When it was launched, on the runtime's clock in nanoseconds.
    pub launched_at: u64,
    /// How long ago it was launched; for one that has ended, how long it lived. `None` if nobody knows.
    pub age: Option<Duration>,
    /// How old the shards' words are, if they are copies that the host makes from time to time.
    pub copied: Option<Duration>,
    /// When that was, on the runtime's clock in nanoseconds.
    pub copied_at: Option<u64>,
    /// What the application calls its error codes.
    pub errors: Vec<(u16, String)>,
    /// Messages that queues in front of the rings dropped, that the program took back, or that were left at the
    /// end, by [cause](annulus_abi::vitals::recorder::CAUSES).
    pub drops: [u64; CAUSES.len()],
    /// Whether its messages may be [followed](annulus_runtime::LaunchOptions::tracing).
    pub tracing: bool,
    /// Handlers that took longer than the launch's [`slow_after`](annulus_runtime::LaunchOptions::slow_after).
    pub slow: u64,
    /// Whether its messages have keys. Without, keys of [`shards`](Self::shards) mean nothing.
    pub keys: bool,
    /// Whether it goes in [rounds](annulus_runtime::LaunchOptions::rounds).
    pub rounds: bool,
    /// Whether its keys are [sparse](annulus_runtime::LaunchOptions::sparse_keys).
    pub sparse_keys: bool,
    /// Messages that other kernels put into rings in a device's memory, and that it has not taken. They are not in
    /// [`shards`](Self::shards): nobody counts which shard they are for.
    pub linked: u64,
    /// Its shards, one for each block.
    pub shards: Vec<Shard>,
    /// Its latencies, if it was launched with `track_latency`, and has room to show them.
    pub latencies: Option<LatencyHistogram>,
    /// Where its [black box](crate::BlackBox) is, if it was launched with one.
    pub black_box: Option<PathBuf>,
    /// What only its own process knows of it; `None` for kernels of other processes.
    pub inside: Option<Box<Inside>>,
}

/// What is known of a kernel inside its process alone.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Its status.
    pub status: KernelStatus,
}

/// The state of a kernel or of a shard, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShardState {
    /// It has ended.
    Ended,
    /// It takes messages.
    Active,
    /// It takes none, since it is inactive.
    Inactive,
    /// It was launched, and has not begun.
    Launched,
    /// It waits until the host takes its outputs.
    StalledOnHost,
    /// It waits for room in the kernel that it is connected to.
    StalledOnKernel,
}

impl Process {
    /// Its bridges, wherever they stand.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// let process = annulus_observe::look_inside(&Runtime::builder().build()?);
    /// assert_eq!(process.bridges().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bridges(&self) -> impl Iterator<Item = &BridgeLook> {
        self.kernels.iter().flat_map(|kernel| &kernel.bridges).chain(&self.past_bridges)
    }

    /// What people need beside its number to tell it from the others of a look: `, file 1-18f3a-0.vitals`, if another one has
    /// the same number, as containers that share a folder have, and runtimes of one process. Else nothing.
    pub fn told_apart(&self, all: &[Self]) -> String {
        let is_alike = |other: &Self| other.pid == self.pid && other.file != self.file;
        match self.file.file_name().filter(|_| all.iter().any(is_alike)) {
            Some(name) => format!(", file {}", name.display()),
            None => String::new(),
        }
    }

    /// What is said of it if it is dead.
    pub fn told_death(&self) -> &'static str {
        if self.other_boot {
            "DEAD with an earlier boot of this machine, or on another machine: this is how it was last"
        } else {
            "DEAD, this is how it was last"
        }
    }
}

impl ShardState {
    /// The state of a shard.
    pub fn of(shard: &Shard) -> Self {
        match (shard.state, shard.stalled) {
            (state::TERMINATED, _) => Self::Ended,
            (state::INACTIVE, _) => Self::Inactive,
            (state::ACTIVE, 0 | STALLED_HOLDS) => Self::Active,
            (state::ACTIVE, STALLED_BY_KERNEL) => Self::StalledOnKernel,
            (state::ACTIVE, _) => Self::StalledOnHost,
            _ => Self::Launched,
        }
    }
}

impl fmt::Display for ShardState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ended => "ended",
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Launched => "launched",
            Self::StalledOnHost => "stalled on host",
            Self::StalledOnKernel => "stalled on kernel",
        })
    }
}

impl Kernel {
    /// The state of the shard that is worst off.
    pub fn state(&self) -> ShardState {
        match self.has_ended {
            true => ShardState::Ended,
            false => self.shards.iter().map(ShardState::of).max().unwrap_or(ShardState::Launched),
        }
    }

    /// The time between the two copies of the shards' words, if they are copies: 0 if it is the same one, and
    /// then what is equal in both looks need not have lasted.
    pub fn since(&self, earlier: &Self) -> Option<Duration> {
        let (now, before) = (self.copied_at?, earlier.copied_at?);
        Some(Duration::from_nanos(now.saturating_sub(before)))
    }

    /// Of several outboxes, those by which a shard holds outputs that wait for room in a kernel.
    pub fn held_by(&self, shard: usize) -> impl Iterator<Item = &PortLook> {
        let holds = move |port: &&PortLook| port.shards.get(shard).is_some_and(|words| words.held != 0);
        self.ports.iter().filter(holds)
    }

    /// The [`id`](Self::id) of the kernel that it asks, and is connected to.
    pub fn asked(&self) -> Option<u64> {
        let number = self.asks_by?;
        let target = if self.ports.is_empty() { self.target } else { self.ports.get(number)?.target };
        target.map(|(id, _)| id)
    }

    /// How many actors there are of how many, and how many have gone, if its keys are [sparse](Self::sparse_keys).
    pub fn told_actors(&self) -> Option<String> {
        let places = self.places_of_shard().saturating_mul(self.shards.len() as u64);
        let gone = [
            (self.sum(|shard| shard.actors.ended), "ended"),
            (self.sum(|shard| shard.actors.evicted), "evicted"),
        ];
        let gone =
            gone.iter().filter(|(count, _)| *count != 0).map(|(count, what)| format!(", {count} {what}"));
        let used = self.sum(|shard| shard.actors.used);
        self.sparse_keys.then(|| format!("{used} of {places} actors in use{}", gone.collect::<String>()))
    }

    /// How many actors each of its shards has room for, if its keys are [sparse](Self::sparse_keys).
    pub fn places_of_shard(&self) -> u64 {
        self.actors.div_ceil(self.shards.len().max(1) as u64)
    }

    /// Asks of its shards that are open: of which no answer has come, or which no block has seen yet.
    pub fn open_asks(&self) -> u64 {
        self.sum(|shard| shard.timers.asks.into())
    }

    /// The bridges that take its outputs, and wait for room: a shard that is stalled on the host then waits for that.
    pub fn waiting_bridges(&self) -> impl Iterator<Item = &BridgeLook> {
        let takes = |bridge: &&BridgeLook| bridge.kind != BridgeKind::FromQueue && bridge.waits_for.is_some();
        self.bridges.iter().filter(takes)
    }

    /// What the application calls an error code.
    pub fn error_name(&self, code: u16) -> Option<&str> {
        self.errors.iter().find(|(known, _)| *known == code).map(|(_, name)| &**name)
    }

    /// Messages that wait for it: in its inbound rings, in front of them, and those of other kernels in a device's memory.
    pub fn waiting(&self) -> u64 {
        self.sum(Shard::waiting).saturating_add(self.linked)
    }

    /// Messages that were ever put into its inbound rings, and into those in a device's memory for what other kernels send.
    pub(crate) fn sent(&self) -> u64 {
        // What has arrived is counted by the block that took it, perhaps before the host hears who sent it. None of these
        // words ever becomes less, so no look finds fewer than one before.
        let fed = self.sum(|shard| shard.fed).max(self.sum(Shard::arrived));
        self.sum(|shard| shard.accepted).saturating_add(fed)
    }

    /// How full it is, 1 for full: its queues for what the host sends, or its rings in a device's memory, whichever are fuller.
    pub fn fullness(&self) -> f64 {
        self.share(self.sum(Shard::waiting), self.queue_capacity).max(self.linked_fullness())
    }

    /// How full its rings in a device's memory are, 1 for full.
    pub(crate) fn linked_fullness(&self) -> f64 {
        self.share(self.linked, self.inbound_capacity.into())
    }

    fn share(&self, waiting: u64, capacity: u64) -> f64 {
        waiting as f64 / capacity.saturating_mul(self.shards.len() as u64).max(1) as f64
    }

    /// A key that one of its shards says, if its messages have keys.
    pub fn key(&self, key: u64) -> Option<u64> {
        self.keys.then_some(key)
    }

    /// The key of the message that a shard is at; `None` also if it is at several messages.
    pub fn key_at(&self, shard: &Shard) -> Option<u64> {
        self.key(shard.at.key).filter(|_| shard.at.count <= 1)
    }

    /// The sum of a number over all shards.
    pub fn sum(&self, number: impl Fn(&Shard) -> u64) -> u64 {
        // The numbers may be anything.
        self.shards.iter().map(number).fold(0, u64::saturating_add)
    }
}

/// Why a file shows nothing.
#[derive(Debug)]
pub enum Unreadable {
    /// The system says so.
    System(io::Error),
    /// It is no regular file.
    NoFile,
    /// Its contents are not what this crate reads.
    Damaged(Damage),
    /// It shows no kernel of this number.
    NoKernel(u64),
    /// The kernel was launched without a black box.
    NoBlackBox,
    /// The black box is not what this crate reads, or not this kernel's.
    BlackBox(BoxDamage),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => error.fmt(f),
            Self::NoFile => f.write_str("it is no regular file"),
            Self::Damaged(damage) => damage.fmt(f),
            Self::NoKernel(id) => write!(f, "it shows no kernel with the number {id}"),
            Self::NoBlackBox => f.write_str("the kernel was launched without a black box"),
            Self::BlackBox(damage) => damage.fmt(f),
        }
    }
}

impl std::error::Error for Unreadable {}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Reads a vitals file.
///
/// # Errors
///
/// If it cannot be opened, is no regular file, or its header is damaged. Kernels whose description is
/// damaged, or changes during the look, are left out; [`Process::damage`] counts those that are damaged.
pub fn look(path: &Path) -> Result<Process, Unreadable> {
    Attached::open(path)?.look()
}

/// Reads an open file between two places, as far as it is there.
fn read_between(file: &File, bytes: &mut Vec<u8>, begin: u64, end: u64) -> io::Result<()> {
    // What a file says of itself may be anything: no more memory is taken than it has bytes.
    let end = end.min(begin.saturating_add(MOST)).min(file.metadata()?.len());
    let count = end.saturating_sub(begin) as usize;
    bytes.clear();
    bytes.reserve_exact(count);
    while bytes.len() < count {
        match read_more(file, bytes, count, begin + bytes.len() as u64) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads from a place on, behind what there is, until there are at most `count` bytes. Memory is not made zero before: a
/// look's time is that of its memory.
#[cfg(unix)]
fn read_more(file: &File, bytes: &mut Vec<u8>, count: usize, place: u64) -> io::Result<usize> {
    use std::os::fd::AsRawFd;
    let missing = count - bytes.len();
    let room = &mut bytes.spare_capacity_mut()[..missing];
    let place = libc::off_t::try_from(place).map_err(io::Error::other)?;
    // SAFETY: the room is memory of ours, and the call writes no more than its length there.
    let read = unsafe { libc::pread(file.as_raw_fd(), room.as_mut_ptr().cast(), room.len(), place) };
    let read = usize::try_from(read).map_err(|_| io::Error::last_os_error())?;
    // SAFETY: so many bytes were written behind those that there were, and there was room for them.
    unsafe { bytes.set_len(bytes.len() + read) };
    Ok(read)
}

#[cfg(not(unix))]
fn read_more(mut file: &File, bytes: &mut Vec<u8>, count: usize, place: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(place))?;
    file.take((count - bytes.len()) as u64).read_to_end(bytes)
}

/// Reads the header and the directory of an open file, as far as anything was ever written to it.
pub(crate) fn read_directory(file: &mut File, bytes: &mut Vec<u8>) -> Result<(), Unreadable> {
    read_between(file, bytes, 0, size_of::<VitalsHeader>() as u64)?;
    let vitals = Vitals::new(bytes).map_err(Unreadable::Damaged)?;
    let end = written(file, vitals.directory_begin(), vitals.directory_end().min(MOST));
    Ok(read_between(file, bytes, 0, end)?)
}

/// Where what was written between two places of a file ends. What comes after that reads as zeros: free entries of a
/// directory that has room for a thousand. If the system does not say, it is the end.
#[cfg(target_os = "linux")]
fn written(file: &File, begin: u64, end: u64) -> u64 {
    use std::os::fd::AsRawFd;
    let seek = |from: u64, whence| {
        let from = libc::off_t::try_from(from).ok()?;
        // SAFETY: the call takes numbers, and changes the place of a file alone, which each read sets anew.
        u64::try_from(unsafe { libc::lseek(file.as_raw_fd(), from, whence) }).ok()
    };
    let mut hole = begin;
    // Not longer than entries can be apart, whatever a file says.
    for _ in 0..annulus_abi::vitals::MOST_KERNELS {
        let Some(next) = seek(hole, libc::SEEK_HOLE).filter(|next| *next < end) else { return end };
        hole = next;
        match seek(hole, libc::SEEK_DATA) {
            Some(data) if data < end => hole = data,
            Some(_) => return hole,
            None => {
                let is_last = io::Error::last_os_error().raw_os_error() == Some(libc::ENXIO);
                return if is_last { hole } else { end };
            }
        }
    }
    end
}

#[cfg(not(target_os = "linux"))]
fn written(_: &File, _: u64, end: u64) -> u64 {
    end
}

/// What was read of a file. Its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// The header and the directory.
    pub(crate) directory: Vec<u8>,
    /// The shards, and then the directory again: memory that is new to a process costs it more than what is read there.
    rest: Vec<u8>,
    /// Three copies of the table of bridges.
    bridges: [Vec<u8>; 3],
}

/// Reads what is used of an open file: its header, its directory, the shards of its kernels.
pub(crate) fn read_all(path: &Path, file: &mut File, copies: &mut Copies) -> Result<Process, Unreadable> {
    // First whether it lives: what a process that is dead by now has written last is then in the file.
    let has_lock = boot::liveness(file, false)?;
    let Copies { directory, rest, bridges: tables } = copies;
    read_directory(file, directory)?;
    let vitals = Vitals::new(directory).map_err(Unreadable::Damaged)?;
    let other_boot = boot::is_other(&vitals);
    let liveness = if other_boot { Liveness::Dead } else { has_lock };
    let mut found: Vec<read::Kernel<'_>> = vitals.kernels().collect();
    found.sort_by_cached_key(|kernel| (kernel.state() == kernel_state::ENDED, kernel.name(), kernel.id()));
    let used = found.iter().map(read::Kernel::shards_end).max().unwrap_or(0);
    rest.clear();
    rest.reserve(directory.len());
    read_between(file, rest, vitals.shards_begin(), used)?;
    let mut all_bridges = bridges(file, &vitals, tables).unwrap_or_default();
    let now = monotonic_nanos().saturating_sub(vitals.clock_origin());
    let mut kernels: Vec<Kernel> = found
        .iter()
        .map(|kernel| {
            let has_box = kernel.flags() & kernel_flags::BLACK_BOX != 0;
            Kernel {
                ports: ports(file, &vitals, kernel),
                bridges: all_bridges.remove(&kernel.id()).unwrap_or_default(),
                latencies: latencies(file, &vitals, kernel),
                black_box: has_box.then(|| path_of(path, kernel.id())),
                shards: shards(kernel, rest),
                ..describe(kernel, now, liveness)
            }
        })
        .collect();
    // Parts of a kernel that has ended may be another's by now: only what is still in the directory was read whole.
    // SYNC: entry-cleared (acquire)
    fence(Ordering::Acquire);
    read_between(file, rest, 0, directory.len() as u64)?;
    let lives = liveness == Liveness::Running;
    let mut damage =
        FileDamage::of(&vitals, &found, lives.then_some(rest.as_slice()), file.metadata()?.len());
    if damage.entries != 0 && lives {
        damage.entries = lasting(file, &vitals, directory.len() as u64)?;
    }
    // One that works has its kernel: who launches others meanwhile is seen whole at the next look.
    let past_bridges = all_bridges.into_values().flatten().filter(|bridge| bridge.has_ended).collect();
    let mut is_still_there = found.iter().map(|kernel| kernel.is_still_in(rest));
    kernels.retain(|_| is_still_there.next() == Some(true));
    Ok(Process {
        file: path.to_owned(),
        pid: vitals.pid(),
        liveness,
        backend: vitals.backend().into(),
        device: vitals.device().into(),
        other_boot,
        library: vitals.library().into(),
        executable: vitals.executable().into(),
        started: vitals.started(),
        now,
        kernels,
        past_bridges,
        missing: Vec::new(),
        damage,
    })
}

/// How many damaged entries of an owner that lives stay as they are, by two copies more: see [`Vitals::damaged`]. What is
/// damaged lasts; what the owner writes does not.
fn lasting(file: &mut File, vitals: &Vitals<'_>, end: u64) -> Result<usize, Unreadable> {
    const LOOKS: usize = 2;
    const APART: Duration = Duration::from_millis(2);
    let mut least = usize::MAX;
    let mut bytes = Vec::new();
    for _ in 0..LOOKS {
        thread::sleep(APART);
        // SYNC: entry-cleared (acquire)
        fence(Ordering::Acquire);
        read_between(file, &mut bytes, 0, end)?;
        least = vitals.damaged(Some(&bytes)).min(least);
    }
    Ok(least)
}

/// The shards of a kernel, as far as they are among the bytes that were read of all.
fn shards(kernel: &read::Kernel<'_>, bytes: &[u8]) -> Vec<Shard> {
    // What a file says of its grid may be anything: there are no more than bytes for them.
    let most = bytes.len() / size_of::<ShardVitals>();
    let mut shards = Vec::with_capacity(most.min(kernel.grid() as usize));
    shards.extend(kernel.shards_in(bytes));
    shards
}

/// The bridges of a file, in the order in which they began, by the numbers of the kernels that they stand with.
fn bridges(
    file: &mut File,
    vitals: &Vitals<'_>,
    copies: &mut [Vec<u8>; 3],
) -> io::Result<BTreeMap<u64, Vec<BridgeLook>>> {
    let mut all: BTreeMap<u64, Vec<BridgeLook>> = BTreeMap::new();
    let Some((begin, bytes)) = vitals.bridges() else { return Ok(all) };
    // Most of the table was never used.
    let end = written(file, begin, begin.saturating_add(bytes as u64));
    if end <= begin {
        return Ok(all);
    }
    for copy in &mut *copies {
        // SYNC: bridge-freed, bridge-zeroed, bridge-done (acquire)
        fence(Ordering::Acquire);
        read_between(file, copy, begin, end)?;
    }
    for bridge in bridges::bridges(copies.each_ref().map(Vec::as_slice)) {
        let Some(kind) = BridgeKind::of_word(bridge.kind()) else { continue };
        let has_ended = bridge.has_ended();
        let waits_for = bridge.waits_for().filter(|_| !has_ended);
        all.entry(bridge.kernel()).or_default().push(BridgeLook {
            number: bridge.number(),
            from: bridge.from().into(),
            to: bridge.to().into(),
            kind,
            outbox: bridge.outbox(),
            began: bridge.began(),
            counts: bridge.counts(),
            has_ended,
            waits_for: waits_for.map(|(runtime, kernel)| BridgeTarget { runtime, kernel }),
        });
    }
    for bridges in all.values_mut() {
        bridges.sort_by_key(|bridge| bridge.number);
    }
    Ok(all)
}

/// The outboxes of a kernel, as far as they are there. They are read after its shards.
fn ports(file: &mut File, vitals: &Vitals<'_>, kernel: &read::Kernel<'_>) -> Vec<PortLook> {
    let Some(bytes) = vitals.ports(kernel).and_then(|part| read_part(file, part)) else { return Vec::new() };
    let look = |port: Port<'_>| PortLook {
        name: port.name().into(),
        target: port.target(),
        shards: port.shards().collect(),
    };
    kernel.ports(&bytes).map(look).collect()
}

/// The latencies of a kernel, if they are there.
fn latencies(file: &mut File, vitals: &Vitals<'_>, kernel: &read::Kernel<'_>) -> Option<LatencyHistogram> {
    let bytes = vitals.histograms(kernel).and_then(|part| read_part(file, part))?;
    Some(LatencyHistogram::of_counts(read::latencies(&bytes)))
}

/// A part of the file, as far as it is there: where it begins, and its length.
fn read_part(file: &mut File, (offset, length): (u64, usize)) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset)).ok()?;
    file.take((length as u64).min(MOST)).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What an entry says of its kernel.
fn describe(kernel: &read::Kernel<'_>, now: u64, liveness: Liveness) -> Kernel {
    let has_ended = kernel.state() == kernel_state::ENDED;
    let until = match (has_ended, liveness) {
        (true, _) => Some(kernel.ended_at()),
        (false, Liveness::Running) => Some(now),
        // Nobody knows when it died.
        (false, Liveness::Dead) => None,
    };
    let is_copy = kernel.flags() & kernel_flags::MIRRORED != 0 && liveness == Liveness::Running && !has_ended;
    Kernel {
        id: kernel.id(),
        name: kernel.name().into(),
        kernel: kernel.kernel().into(),
        message: kernel.message().into(),
        output: kernel.output().into(),
        message_layout: kernel.message_layout(),
        output_layout: kernel.output_layout(),
        memory: kernel.memory(),
        mode: kernel.mode(),
        block: kernel.block(),
        max_batch: kernel.max_batch(),
        actors: kernel.actors(),
        inbound_capacity: kernel.inbound_capacity(),
        outbound_capacity: kernel.outbound_capacity(),
        queue_capacity: kernel.queue_capacity(),
        target: kernel.target(),
        ports: Vec::new(),
        asks_by: kernel.asks_by(),
        bridges: Vec::new(),
        has_ended,
        left_behind: kernel.is_left_behind() && !has_ended,
        age: until.map(|until| Duration::from_nanos(until.saturating_sub(kernel.launched_at()))),
        copied: is_copy.then(|| Duration::from_nanos(now.saturating_sub(kernel.mirrored_at()))),
        copied_at: is_copy.then(|| kernel.mirrored_at()),
        errors: kernel.errors().map(|(code, name)| (code, name.to_owned())).collect(),
        drops: kernel.drops(),
        launched_at: kernel.launched_at(),
        tracing: kernel.flags() & kernel_flags::TRACING != 0,
        slow: kernel.slow(),
        keys: kernel.flags() & kernel_flags::KEYS != 0,
        rounds: kernel.flags() & kernel_flags::ROUNDS != 0,
        sparse_keys: kernel.flags() & kernel_flags::SPARSE_KEYS != 0,
        linked: kernel.linked(),
        shards: Vec::new(),
        latencies: None,
        black_box: None,
        inside: None,
    }
}

/// Opens a file for reading. A pipe does not make it wait, and a link is not followed.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOFOLLOW);
    options.open(path)
}

/// What the system's monotonic clock shows.
#[cfg(unix)]
pub(crate) fn monotonic_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for the duration of the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(not(unix))]
pub(crate) fn monotonic_nanos() -> u64 {
    0
}
