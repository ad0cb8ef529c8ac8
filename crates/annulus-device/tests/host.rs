//! What the host does about a device that refuses or fails: on one that does nothing but that.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    mem::{MaybeUninit, offset_of},
    num::NonZeroU32,
    ptr::NonNull,
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};

use annulus_abi::launch::BlockRecord;
use annulus_device::{
    Abilities, Argument, DeviceClock, DeviceHeap, DeviceHost, DeviceLocalMemory, Driver, Entry, HostOptions,
    Memory, Program, Remedies, Residency, Run, Shape,
};
use annulus_kernel::{KernelDefinition, Outbox, Target};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_ring::sealed;
use annulus_runtime::{
    BackendError, BackendMemory, Capabilities, Compilation, Consistency, DeviceBackend, DeviceInfo,
    DeviceKernel, Ending, HostSignals, KernelHandle, KernelState, LaunchOptions, LaunchSize, LaunchSpec,
    ProgramOrigin, Progress, RecvError, Runtime, RuntimeClock, SharedMemory, Signals,
    resilience::{Cause, Supervisor},
};
use annulus_sync::{AtomicU32, AtomicU64, Mutex, Ordering};

#[path = "host/memory.rs"]
mod memory;
#[path = "host/needs.rs"]
mod needs;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Number {
    value: u64,
}

/// Answers each message with itself, if it ever ran.
#[ring_kernel]
fn echo(message: &Number, replies: &Outbox<Number>) {
    replies.send(*message);
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Large {
    values: [u64; 64],
}

/// Has messages that are too large for sealed slots.
#[ring_kernel]
fn swallow(message: &Large) {
    let _ = message.values[0];
}

/// Has memory that its blocks share.
#[ring_kernel]
fn count(message: &Number, counts: &[AtomicU32]) {
    counts[message.value as usize].fetch_add(1, Ordering::Relaxed);
}

/// What tests see and decide of a device.
#[derive(Debug, Default)]
struct Device {
    /// Memory that was not freed yet.
    memories: AtomicU32,
    /// How many bytes were asked for in all of it.
    asked: AtomicU64,
    starts: AtomicU32,
    /// Runs that the host has not let go.
    runs: AtomicU32,
    /// What its runs say.
    says: AtomicU32,
    /// 1 if blocks in step were told that others do not run.
    abandoned: AtomicU32,
    /// 1 if whoever is told of progress panics.
    panics: AtomicU32,
    /// The texts of the handlers it was given, and for what shapes.
    texts: Mutex<Vec<(String, Shape)>>,
}

const RUNS: u32 = 0;
const IS_OVER: u32 = 1;
const FAILED: u32 = 2;
const STARTS_NOTHING: u32 = 3;
/// They go on until they are asked to leave, and then do.
const LEAVES: u32 = 4;
/// They go on, and say that they have obeyed something.
const OBEYS: u32 = 5;
/// The first block answers, and leaves when all are asked to; the others begin when it has left.
const IN_TURN: u32 = 6;
/// Every start is an epoch, and over at once.
const EPOCHS: u32 = 7;
/// The first block answers, and ends when it is told that the others do not run; and so do they, one after
/// the other.
const IN_STEP: u32 = 8;

impl Device {
    fn say(&self, what: u32) {
        self.says.store(what, Ordering::Release);
    }

    /// Waits until as much memory as this is left.
    fn frees_all_but(&self, memories: u32) {
        self.until(|| self.memories.load(Ordering::Acquire) == memories);
    }

    fn until(&self, condition: impl Fn() -> bool) {
        let begun = Instant::now();
        while !condition() {
            assert!(begun.elapsed() < LIMIT, "{self:?}");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

const LIMIT: Duration = Duration::from_secs(60);

struct FakeDriver {
    device: Arc<Device>,
    far: bool,
    residency: Arc<Residency>,
    capabilities: Capabilities,
}

// SAFETY: memory is the host's, zeroed and aligned, and nothing ever runs.
unsafe impl Driver for FakeDriver {
    fn backend(&self) -> &'static str {
        "fake"
    }

    fn devices(&self, _: &HostOptions) -> Vec<DeviceInfo> {
        vec![DeviceInfo {
            name: "fake".into(),
            parallel_blocks: 1,
            capabilities: self.capabilities,
            notes: Vec::new(),
        }]
    }

    fn name(&self) -> &str {
        "a device that does nothing"
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            target: Target::OpenCl,
            stays: true,
            capabilities: self.capabilities,
            // As where arrays lie apart.
            shared_beside_arrays: self.capabilities.shared_memory.map(|most| most / 2),
            rings: false,
            clock: false,
            naps_in_futex: false,
            copies_meanwhile: false,
            far: self.far,
            look: Duration::from_nanos(1),
            epoch_messages: 1,
            loop_iterations: None,
            hears: true,
            yields: false,
            remedies: Remedies { epochs: "HostOptions::epochs", places: "or buy a larger one" },
        }
    }

    fn residency(&self) -> &Arc<Residency> {
        &self.residency
    }

    fn clock(&self, _: RuntimeClock) -> DeviceClock {
        unreachable!("it has none")
    }

    fn shared(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError> {
        Ok(Arc::new(FakeMemory::new(&self.device, bytes)))
    }

    fn adopt(&self, _: SharedMemory) -> Result<Arc<dyn Memory>, BackendError> {
        Err(BackendError::new("it has memory of its own alone; choose another device"))
    }

    fn own(&self, contents: &[MaybeUninit<u8>]) -> Result<Arc<dyn Memory>, BackendError> {
        let memory = FakeMemory::new(&self.device, contents.len());
        // SAFETY: the memory is new.
        unsafe { memory.write(0, contents) }?;
        Ok(Arc::new(memory))
    }

    fn scratch(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError> {
        self.shared(bytes)
    }

    fn device_local(&self, contents: &[u8]) -> Result<DeviceLocalMemory, BackendError> {
        DeviceHeap::new(self.shared(contents.len())?).take(contents, "nothing")
    }

    fn program(&self, _: &str, handler: &str, shape: Shape) -> Result<Box<dyn Program>, BackendError> {
        self.device.texts.lock().unwrap_or_else(PoisonError::into_inner).push((handler.into(), shape));
        Ok(Box::new(FakeProgram(Arc::clone(&self.device), shape.blocks)))
    }
}

struct FakeMemory {
    base: NonNull<u8>,
    layout: Layout,
    asked: usize,
    device: Arc<Device>,
}

// SAFETY: it is reached through atomics, or copied while nobody else has it.
unsafe impl Send for FakeMemory {}
// SAFETY: as for `Send`.
unsafe impl Sync for FakeMemory {}

impl FakeMemory {
    fn new(device: &Arc<Device>, bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes.max(128), 128).expect("tests ask for little");
        // SAFETY: the layout's size is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) }).expect("tests ask for little");
        device.memories.fetch_add(1, Ordering::AcqRel);
        device.asked.fetch_add(bytes as u64, Ordering::AcqRel);
        Self { base, layout, asked: bytes, device: Arc::clone(device) }
    }
}

impl Drop for FakeMemory {
    fn drop(&mut self) {
        self.device.memories.fetch_sub(1, Ordering::AcqRel);
        self.device.asked.fetch_sub(self.asked as u64, Ordering::AcqRel);
        // SAFETY: the memory came from `alloc_zeroed` with this layout and is freed once.
        unsafe { dealloc(self.base.as_ptr(), self.layout) };
    }
}

impl Memory for FakeMemory {
    fn host(&self) -> Option<NonNull<u8>> {
        Some(self.base)
    }

    fn bytes(&self) -> usize {
        self.layout.size()
    }

    unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        assert!(offset + to.len() <= self.bytes());
        let from = self.base.as_ptr().wrapping_add(offset).cast();
        // SAFETY: the place lies inside the memory; nobody writes there, by the caller's promise.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from, to.len()) };
        Ok(())
    }

    unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        assert!(offset + from.len() <= self.bytes());
        let to = self.base.as_ptr().wrapping_add(offset).cast();
        // SAFETY: as for reading.
        unsafe { from.as_ptr().copy_to_nonoverlapping(to, from.len()) };
        Ok(())
    }
}

struct FakeProgram(Arc<Device>, u32);

impl Program for FakeProgram {
    fn origin(&self) -> ProgramOrigin {
        ProgramOrigin::Compiled
    }

    fn blocks_per_unit(&self) -> NonZeroU32 {
        NonZeroU32::new(2).expect("it is not 0")
    }

    fn entry(&self, arguments: &[Argument]) -> Result<Box<dyn Entry>, BackendError> {
        assert!((7..=10).contains(&arguments.len()), "the runtime's own, and a binding with its length");
        let Argument::Memory(records) = arguments[2] else { panic!("the records are memory") };
        let records = records.host().expect("it is all the host's").cast();
        Ok(Box::new(FakeEntry(Records { device: Arc::clone(&self.0), first: records, blocks: self.1 })))
    }
}

/// What the blocks of a kernel tell the host by.
#[derive(Clone)]
struct Records {
    device: Arc<Device>,
    first: NonNull<BlockRecord>,
    blocks: u32,
}

// SAFETY: records are reached through atomics.
unsafe impl Send for Records {}
// SAFETY: as for `Send`.
unsafe impl Sync for Records {}

impl Records {
    fn word(&self, block: u32, offset: usize) -> &AtomicU32 {
        let record = self.first.as_ptr().wrapping_add(block as usize).cast::<u8>();
        // SAFETY: there is a record for each block, as long as the entry and its runs live, and the offset is
        // that of a word of it.
        unsafe { AtomicU32::from_ptr(record.wrapping_add(offset).cast()) }
    }

    fn answer(&self, block: u32) {
        let asked = self.word(block, offset_of!(BlockRecord, question)).load(Ordering::Acquire);
        self.word(block, offset_of!(BlockRecord, answer)).store(asked, Ordering::Release);
    }

    /// All blocks run an epoch that finds nothing.
    fn end(&self) {
        for block in 0..self.blocks {
            self.answer(block);
            let epoch = self.word(block, offset_of!(BlockRecord, epoch)).load(Ordering::Acquire);
            self.word(block, offset_of!(BlockRecord, ended)).store(epoch, Ordering::Release);
        }
    }

    /// Whether all blocks were told that others do not run.
    fn are_abandoned(&self) -> bool {
        (0..self.blocks).all(|block| {
            let epoch = self.word(block, offset_of!(BlockRecord, epoch)).load(Ordering::Acquire);
            self.word(block, offset_of!(BlockRecord, abandoned)).load(Ordering::Acquire) == epoch
        })
    }

    /// Whether all blocks were asked to leave; if so they have.
    fn leave(&self) -> bool {
        let epoch = |block| self.word(block, offset_of!(BlockRecord, epoch)).load(Ordering::Acquire);
        let asked =
            |block| self.word(block, offset_of!(BlockRecord, leave)).load(Ordering::Acquire) == epoch(block);
        let all = (0..self.blocks).all(asked);
        for block in (0..self.blocks).filter(|_| all) {
            self.word(block, offset_of!(BlockRecord, ended)).store(epoch(block), Ordering::Release);
        }
        all
    }
}

struct FakeEntry(Records);

impl Entry for FakeEntry {
    unsafe fn start(&self, _: bool) -> Result<Box<dyn Run>, BackendError> {
        let device = &self.0.device;
        if device.says.load(Ordering::Acquire) == STARTS_NOTHING {
            return Err(BackendError::new("it is tired"));
        }
        device.starts.fetch_add(1, Ordering::AcqRel);
        device.runs.fetch_add(1, Ordering::AcqRel);
        if device.says.load(Ordering::Acquire) == EPOCHS {
            self.0.end();
        }
        Ok(Box::new(FakeRun(self.0.clone())))
    }
}

struct FakeRun(Records);

impl Run for FakeRun {
    fn is_over(&self) -> Result<bool, BackendError> {
        match self.0.device.says.load(Ordering::Acquire) {
            FAILED => Err(BackendError::new("it has failed")),
            LEAVES => Ok(self.0.leave()),
            IN_TURN => {
                self.0.answer(0);
                Ok(self.0.leave())
            }
            EPOCHS => {
                self.0.end();
                Ok(true)
            }
            IN_STEP => {
                self.0.answer(0);
                let abandoned = self.0.are_abandoned();
                if abandoned {
                    self.0.device.abandoned.store(1, Ordering::Release);
                }
                Ok(abandoned)
            }
            OBEYS => {
                self.0.word(0, offset_of!(BlockRecord, obeyed)).fetch_add(1, Ordering::AcqRel);
                Ok(false)
            }
            says => Ok(says == IS_OVER),
        }
    }
}

impl Drop for FakeRun {
    fn drop(&mut self) {
        self.0.device.runs.fetch_sub(1, Ordering::AcqRel);
    }
}

struct FakeBackend {
    host: DeviceHost,
    device: Arc<Device>,
}

/// Panics when it is told of progress, once.
struct Panics {
    signals: Arc<dyn HostSignals>,
    device: Arc<Device>,
}

impl Signals for Panics {
    fn progressed(&self, shard: u32, progress: Progress) {
        assert_ne!(self.device.panics.swap(0, Ordering::AcqRel), 1, "told to");
        self.signals.progressed(shard, progress);
    }
}

impl HostSignals for Panics {
    fn is_awaited(&self) -> bool {
        self.signals.is_awaited()
    }

    fn lost(&self, why: &str) {
        self.signals.lost(why);
    }

    fn compiling(&self, device: &str) {
        self.signals.compiling(device);
    }

    fn compiled(&self, compilation: Compilation) {
        self.signals.compiled(compilation);
    }

    fn noted(&self, note: String) {
        self.signals.noted(note);
    }
}

// SAFETY: its blocks touch nothing.
unsafe impl DeviceBackend for FakeBackend {
    fn name(&self) -> &'static str {
        self.host.name()
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        self.host.devices()
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        self.host.allocate(bytes)
    }

    fn seals(&self, definition: &KernelDefinition, block: u32) -> bool {
        self.host.seals(definition, block)
    }

    fn memory(&self, size: &LaunchSize<'_>) -> Result<BackendMemory, BackendError> {
        self.host.memory(size)
    }

    fn launch(&self, mut spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        spec.signals = Arc::new(Panics { signals: spec.signals, device: Arc::clone(&self.device) });
        self.host.launch(spec)
    }
}

/// A runtime on a device of two units, with two blocks on each.
fn runtime(options: HostOptions) -> (Arc<Device>, Runtime) {
    runtime_on(&Arc::new(Residency::new(2)), options)
}

fn runtime_on(residency: &Arc<Residency>, options: HostOptions) -> (Arc<Device>, Runtime) {
    runtime_at(residency, options, false)
}

fn runtime_at(residency: &Arc<Residency>, options: HostOptions, far: bool) -> (Arc<Device>, Runtime) {
    runtime_that(Capabilities { max_block: 64, ..Capabilities::ALL }, residency, options, far)
}

/// A runtime on a device that can do this.
fn runtime_that(
    capabilities: Capabilities,
    residency: &Arc<Residency>,
    options: HostOptions,
    far: bool,
) -> (Arc<Device>, Runtime) {
    let device = Arc::new(Device::default());
    let driver =
        FakeDriver { device: Arc::clone(&device), far, residency: Arc::clone(residency), capabilities };
    let host = DeviceHost::new(driver, options).unwrap();
    let backend = FakeBackend { host, device: Arc::clone(&device) };
    (device, Runtime::builder().backend(backend).build().unwrap())
}

/// P-07: a device has a clock of its own, so none that is moved by hand is taken.
#[test]
fn p07_a_clock_moved_by_hand_is_refused() {
    let device = Arc::new(Device::default());
    let (capabilities, residency) = (Capabilities::ALL, Arc::new(Residency::new(2)));
    let driver = FakeDriver { device: Arc::clone(&device), far: false, residency, capabilities };
    let host = DeviceHost::new(driver, HostOptions::default()).unwrap();
    let builder = Runtime::builder().backend(FakeBackend { host, device });
    let refused = builder.clock(&annulus_runtime::Clock::manual()).build().unwrap_err().to_string();
    assert!(refused.contains("have clocks of their own: leave `clock` out"), "{refused}");
}

fn launch(runtime: &Runtime, name: &str, grid: u32) -> Result<KernelHandle<echo>, String> {
    echo::launch(runtime, LaunchOptions::production().active(false).name(name).grid(grid))
        .map_err(|error| error.to_string())
}

#[test]
fn a_kernel_is_lost_with_its_device_and_its_places_are_free() {
    let (device, runtime) = runtime(HostOptions::default());
    let before = device.memories.load(Ordering::Acquire);
    let kernel = launch(&runtime, "one", 4).unwrap();
    assert!(device.memories.load(Ordering::Acquire) > before);
    let _ = kernel.send_blocking(Number { value: 7 }).unwrap();
    device.say(FAILED);
    assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
    assert_eq!(kernel.status().state, KernelState::Terminated);
    assert_eq!(kernel.ended_timeout(LIMIT), Some(Ending::Lost));
    assert_eq!(kernel.status().notes, ["its device failed: it has failed"]);
    assert_eq!(kernel.take_undelivered(), [Number { value: 7 }]);
    drop(kernel);
    device.frees_all_but(before);
    device.say(RUNS);
    let again = launch(&runtime, "two", 4).unwrap();
    device.say(FAILED);
    assert_eq!(again.recv_timeout(LIMIT), Err(RecvError::Closed));
}

/// A kernel that leaves without its blocks' word has failed as well.
#[test]
fn a_kernel_that_leaves_without_a_word_is_lost() {
    for epochs in [false, true] {
        let (device, runtime) = runtime(HostOptions { epochs, ..HostOptions::default() });
        let kernel = launch(&runtime, "one", 1).unwrap();
        let _ = kernel.send_blocking(Number { value: 7 }).unwrap();
        device.say(IS_OVER);
        assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
        assert_eq!(device.starts.load(Ordering::Acquire), 1);
        let status = kernel.status();
        assert_eq!(status.ending, Some(Ending::Lost));
        assert!(status.to_string().contains("its blocks have not said that they ended"), "{status}");
    }
}

/// E-05: a kernel whose device fails is launched again, on the same device when that has come back, with the messages that
/// were left.
#[test]
fn e05_a_supervised_kernel_comes_again() {
    let (device, runtime) = runtime(HostOptions::default());
    let supervisor = Supervisor::new().pauses(Duration::from_millis(1), Duration::from_millis(1));
    let supervisor = supervisor.restarts(u32::MAX, Duration::from_secs(600));
    let causes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&causes);
    let supervised = supervisor
        .start(move |start| {
            told.lock().unwrap_or_else(PoisonError::into_inner).extend(start.cause.cloned());
            let kernel = echo::launch(&runtime, LaunchOptions::production().active(false).name("served"))?;
            kernel.try_send_batch(start.undelivered)?;
            Ok(kernel)
        })
        .unwrap();
    let _ = supervised.kernel().unwrap().send_blocking(Number { value: 7 }).unwrap();
    device.say(FAILED);
    // As often as it takes while the device fails.
    device.until(|| supervised.status().restarts >= 2);
    device.say(RUNS);
    device.until(|| supervised.kernel().is_ok_and(|kernel| kernel.status().pending == 1));
    let causes = causes.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(causes[0], Cause::Lost("its device failed: it has failed".into()));
    device.say(FAILED);
    drop(supervised);
}

/// As long as the device may use it, memory is not freed, nor are places.
#[test]
fn memory_stays_until_the_run_is_over() {
    let (device, runtime) = runtime(HostOptions::default());
    let before = device.memories.load(Ordering::Acquire);
    let kernel = launch(&runtime, "one", 4).unwrap();
    let with = device.memories.load(Ordering::Acquire);
    drop(kernel);
    // Longer than the pump's heartbeat.
    thread::sleep(Duration::from_millis(200));
    assert_eq!(device.memories.load(Ordering::Acquire), with);
    device.say(FAILED);
    device.frees_all_but(before);
}

/// Slots are sealed for a device that is far, blocks of several threads, and small messages, unless a launch does not want
/// them; what is left in them is given back.
#[test]
fn small_messages_come_sealed_to_a_device_that_is_far() {
    let residency = Arc::new(Residency::new(2));
    let options = |sealed, threads| HostOptions { sealed, threads, ..HostOptions::default() };
    for (far, options, block, expected) in [
        (true, options(true, 8), 1, true),
        (true, options(true, 1), 32, true),
        (true, options(true, 1), 1, false),
        (true, options(false, 8), 1, false),
        (false, options(true, 8), 1, false),
    ] {
        let sealed = expected && sealed::is_offered();
        let (device, runtime) = runtime_at(&residency, options, far);
        let launch = LaunchOptions::production().block(block);
        let kernel = echo::launch(&runtime, launch.clone()).unwrap();
        let large = swallow::launch(&runtime, launch.clone()).unwrap();
        let open = echo::launch(&runtime, launch.clone().name("open").sealed(false)).unwrap();
        let numbers = [3, 5, u64::MAX].map(|value| Number { value });
        for number in numbers {
            let _ = kernel.send_blocking(number).unwrap();
        }
        let _ = large.send_blocking(Large { values: [9; 64] }).unwrap();
        let shapes: Vec<_> = device
            .texts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .map(|(_, shape)| shape.sealed)
            .collect();
        assert_eq!(shapes, [sealed, false, false], "{far} {block}");
        device.say(FAILED);
        assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
        assert_eq!(kernel.take_undelivered(), numbers);
        device.until(|| open.status().state == KernelState::Terminated);
        device.until(|| large.status().state == KernelState::Terminated);
    }
}

/// A kernel that may be connected, and sends, can send into sealed slots, however its own are; no other program has the code.
#[test]
fn a_connectable_kernel_can_send_into_sealed_slots() {
    let residency = Arc::new(Residency::new(2));
    let options = |sealed, threads| HostOptions { sealed, threads, ..HostOptions::default() };
    for (far, options, connectable, expected) in [
        (true, options(true, 8), true, true),
        (true, options(true, 1), true, true),
        (true, options(true, 8), false, false),
        (true, options(false, 8), true, false),
        (false, options(true, 8), true, false),
    ] {
        let (device, runtime) = runtime_at(&residency, options, far);
        let launch = LaunchOptions::production().connectable(connectable);
        let kernels =
            (echo::launch(&runtime, launch.clone()).unwrap(), swallow::launch(&runtime, launch).unwrap());
        let texts = device.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let shapes: Vec<_> = texts.iter().map(|(_, shape)| shape.seals).collect();
        drop(texts);
        assert_eq!(shapes, [expected, false], "{far} {connectable}");
        device.say(FAILED);
        device.until(|| kernels.1.status().state == KernelState::Terminated);
    }
}

/// B-02 to B-04: a sealed slot orders nothing but itself. So where blocks share memory, or the launch asks
/// for an order, slots are open; with `Relaxed` they are sealed. A fence before each handler is compiled for
/// `Sequential` alone.
#[test]
fn b02_slots_are_open_where_messages_order_memory() {
    use Consistency::{Relaxed, ReleaseAcquire, Sequential};
    let residency = Arc::new(Residency::new(8));
    let host = HostOptions { sealed: true, threads: 8, ..HostOptions::default() };
    let (device, runtime) = runtime_at(&residency, host, true);
    let options = |grid, consistency| LaunchOptions::production().grid(grid).consistency(consistency);
    let launches = [
        (options(1, ReleaseAcquire), true),
        (options(2, ReleaseAcquire), false),
        (options(2, ReleaseAcquire).causal_ordering(false), true),
        (options(1, ReleaseAcquire).causal_ordering(true), false),
        (options(2, Relaxed), true),
        (options(1, Sequential), false),
    ];
    let mut kernels = Vec::new();
    for (number, (options, sealed)) in launches.into_iter().enumerate() {
        let sequential = options.shape.consistency == Sequential;
        let options = options.active(false).name(number.to_string());
        kernels.push(count::bind(&[0; 4]).launch(&runtime, options.clone()).unwrap());
        let texts = device.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let shape = texts.last().unwrap().1;
        let expected = (sealed && sealed::is_offered(), sequential);
        assert_eq!((shape.sealed, shape.sequential), expected, "{options:?}");
        assert_eq!(shape.macros().contains("#define ANN_LAUNCH_SEQUENTIAL 1"), sequential);
    }
    // Blocks that share nothing need no order.
    let _ = launch(&runtime, "alone", 2).unwrap();
    let texts = device.texts.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(texts.last().unwrap().1.sealed, sealed::is_offered());
    drop(texts);
    device.say(FAILED);
    for kernel in kernels {
        device.until(|| kernel.status().state == KernelState::Terminated);
    }
}

#[test]
/// What panics in the pump does not make a kernel's blocks stop: it is told to end, and has terminated when
/// the device says so.
fn a_panic_over_a_kernel_ends_it() {
    let (device, runtime) = runtime(HostOptions::default());
    let before = device.memories.load(Ordering::Acquire);
    let kernel = launch(&runtime, "one", 4).unwrap();
    let with = device.memories.load(Ordering::Acquire);
    device.panics.store(1, Ordering::Release);
    device.say(OBEYS);
    device.until(|| !kernel.status().accepts_messages);
    assert_eq!(device.panics.load(Ordering::Acquire), 0);
    // Longer than the pump's heartbeat.
    thread::sleep(Duration::from_millis(200));
    assert_ne!(kernel.status().state, KernelState::Terminated);
    assert_eq!(device.runs.load(Ordering::Acquire), 1);
    assert_eq!(device.memories.load(Ordering::Acquire), with);
    device.say(IS_OVER);
    device.until(|| kernel.status().state == KernelState::Terminated);
    drop(kernel);
    device.frees_all_but(before);
}

#[test]
fn what_does_not_fit_is_refused() {
    let (device, runtime) = runtime(HostOptions { threads: 8, ..HostOptions::default() });
    let one = launch(&runtime, "one", 3).unwrap();
    let refused = launch(&runtime, "two", 2).unwrap_err();
    assert!(refused.contains("`echo` has 2 blocks, and 1 of the 4 that can stay"), "{refused}");
    assert!(
        refused.contains(
            "run it in epochs (run_mode = EventDriven, or HostOptions::epochs for all), or buy a larger one"
        ),
        "{refused}"
    );
    let wide = echo::launch(&runtime, LaunchOptions::production().name("wide").block(65));
    let wide = wide.unwrap_err().to_string();
    assert!(
        wide.contains("a block of 65 threads is more than `a device that does nothing` runs, 64"),
        "{wide}"
    );
    let texts = device.texts.lock().unwrap_or_else(PoisonError::into_inner);
    let shapes: Vec<_> = texts.iter().map(|(_, shape)| *shape).collect();
    let shape = |blocks| Shape { blocks, threads: 8, ..Shape::default() };
    assert_eq!(shapes, [shape(3), shape(2)]);
    assert!(texts[0].0.contains("ANN_CALL"), "the handler in the device's dialect: {}", texts[0].0);
    drop(texts);
    device.say(FAILED);
    assert_eq!(one.recv_timeout(LIMIT), Err(RecvError::Closed));
}

#[test]
fn a_device_that_does_not_start_a_kernel_keeps_nothing_of_it() {
    let (device, runtime) = runtime(HostOptions::default());
    let before = device.memories.load(Ordering::Acquire);
    device.say(STARTS_NOTHING);
    let refused = launch(&runtime, "one", 4).unwrap_err();
    assert!(refused.contains("`a device that does nothing` cannot launch `echo`: it is tired"), "{refused}");
    device.frees_all_but(before);
    device.say(RUNS);
    let kernel = launch(&runtime, "one", 4).unwrap();
    device.say(FAILED);
    assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
}

/// Kernels of all backends on a device leave it when they are asked to, keep their resident slots, and come
/// again when nobody asks any more.
#[test]
fn kernels_make_way_and_come_again() {
    let residency = Arc::new(Residency::new(2));
    let backends = [0, 1].map(|_| runtime_on(&residency, HostOptions::default()));
    let kernels: Vec<_> = backends.iter().map(|(_, runtime)| launch(runtime, "one", 2).unwrap()).collect();
    for (device, _) in &backends {
        device.say(LEAVES);
    }
    for round in 1..=3 {
        let asked = residency.ask_to_leave();
        let other = residency.ask_to_leave();
        for (device, runtime) in &backends {
            device.until(|| device.runs.load(Ordering::Acquire) == 0);
            let refused = launch(runtime, "two", 1).unwrap_err();
            assert!(refused.contains("0 of the 4 that can stay"), "{refused}");
        }
        drop(other);
        // Longer than the pump's heartbeat.
        thread::sleep(Duration::from_millis(120));
        for (device, _) in &backends {
            assert_eq!(device.starts.load(Ordering::Acquire), round, "somebody still asks");
        }
        drop(asked);
        for (device, _) in &backends {
            device.until(|| device.starts.load(Ordering::Acquire) == round + 1);
            assert_eq!(device.runs.load(Ordering::Acquire), 1);
        }
    }
    for ((device, _), kernel) in backends.iter().zip(&kernels) {
        assert_eq!(kernel.status().state, KernelState::Launched, "it is not lost");
        device.say(FAILED);
        assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
    }
}

/// Epochs that follow one another without a gap would keep whoever needs the device alone waiting: none begins
/// until nobody asks.
#[test]
fn bug_epochs_without_a_gap_let_nobody_in() {
    let residency = Arc::new(Residency::new(2));
    let (device, runtime) = runtime_on(&residency, HostOptions { epochs: true, ..HostOptions::default() });
    device.say(EPOCHS);
    let kernel = launch(&runtime, "one", 1).unwrap();
    let starts = || device.starts.load(Ordering::Acquire);
    // Nothing of it is ever consumed, so that there is always something to do.
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    device.until(|| starts() > 10);
    for _ in 0..3 {
        let asked = residency.ask_to_leave();
        let rest = || {
            let before = starts();
            thread::sleep(Duration::from_millis(100));
            starts() == before
        };
        device.until(rest);
        // One that is woken waits as well.
        let _ = kernel.send_blocking(Number { value: 2 }).unwrap();
        device.until(rest);
        let before = starts();
        drop(asked);
        device.until(|| starts() > before + 10);
    }
    assert_ne!(kernel.status().state, KernelState::Terminated);
    device.say(FAILED);
    assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
}

/// One that goes without its blocks' word has failed, though it was asked to leave; and so has one that
/// cannot come again.
#[test]
fn a_kernel_that_makes_way_can_fail() {
    for says in [IS_OVER, STARTS_NOTHING] {
        let residency = Arc::new(Residency::new(2));
        let (device, runtime) = runtime_on(&residency, HostOptions::default());
        let kernel = launch(&runtime, "one", 4).unwrap();
        device.say(if says == IS_OVER { IS_OVER } else { LEAVES });
        let asked = residency.ask_to_leave();
        device.until(|| device.runs.load(Ordering::Acquire) == 0);
        device.say(says);
        drop(asked);
        assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
        device.say(RUNS);
        device.until(|| launch(&runtime, "two", 4).is_ok());
        device.say(FAILED);
    }
}

/// A device that begins a block only when the one before has ended would keep the second one of a kernel that
/// stays waiting for ever.
#[test]
fn a_kernel_whose_blocks_wait_for_each_others_end_goes_into_epochs() {
    let (device, runtime) = runtime(HostOptions::default());
    device.say(IN_TURN);
    let kernel = launch(&runtime, "one", 4).unwrap();
    device.until(|| device.starts.load(Ordering::Acquire) == 2);
    device.say(EPOCHS);
    let notes = kernel.status().notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("has gone into epochs: of 4 blocks only 1 have begun within"), "{notes:?}");
    let starts = device.starts.load(Ordering::Acquire);
    assert_ne!(kernel.status().state, KernelState::Terminated);
    // Its places are free.
    let again = launch(&runtime, "two", 4);
    // And it is launched for what it is sent, as kernels in epochs are.
    for value in 0..3 {
        let _ = kernel.send_blocking(Number { value }).unwrap();
    }
    device.until(|| device.starts.load(Ordering::Acquire) > starts + 1);
    assert_eq!(kernel.status().notes, notes, "once");
    device.say(FAILED);
    assert!(again.is_ok());
}

/// Blocks in step cannot take turns with others that do not run, neither staying nor in epochs: they give up,
/// and say why.
#[test]
fn blocks_in_step_whose_others_do_not_run_give_up() {
    for epochs in [false, true] {
        let (device, runtime) = runtime(HostOptions { epochs, ..HostOptions::default() });
        device.say(IN_STEP);
        let options = LaunchOptions::production().name("one").grid(2).supersteps(true);
        let kernel = echo::launch(&runtime, options).unwrap();
        let _ = kernel.send_blocking(Number { value: 7 }).unwrap();
        assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
        assert_eq!(device.abandoned.load(Ordering::Acquire), 1);
        let notes = kernel.status().notes;
        assert!(notes[0].contains("of 2 only 1 have begun within"), "{notes:?}");
        assert!(notes[0].contains("launch with a grid of 1, or without supersteps"), "{notes:?}");
    }
}

/// Where places are all that a device runs at once, kernels in epochs are left one: the kernel that stays
/// goes into epochs, too.
#[test]
fn a_kernel_in_the_way_of_epochs_makes_room() {
    let residency = Arc::new(Residency::new(1).shared_with_epochs());
    let (device, runtime) = runtime_on(&residency, HostOptions::default());
    let (other, second) = runtime_on(&residency, HostOptions { epochs: true, ..HostOptions::default() });
    device.say(LEAVES);
    other.say(EPOCHS);
    // Two blocks fit on the one unit.
    let one = launch(&runtime, "one", 2).unwrap();
    let two = launch(&second, "two", 1).unwrap();
    // It has left, and come again for an epoch.
    device.until(|| device.starts.load(Ordering::Acquire) == 2);
    let notes = one.status().notes;
    assert!(notes[0].contains("has gone into epochs: kernels in epochs need the place"), "{notes:?}");
    device.say(FAILED);
    drop(two);
}
