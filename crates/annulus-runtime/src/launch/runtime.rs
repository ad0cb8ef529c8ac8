//! The runtime: one backend, the kernels launched on it, and the arena of their telemetry.

use std::{
    fmt,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use annulus_abi::{LINE, vitals::MOST_SHARDS};
use annulus_block::RuntimeClock;
use annulus_kernel::RingKernel;
use annulus_queue::{Clock, Registry};
use annulus_ring::memory::SharedMemory;
use annulus_sync::event::Event;

use crate::stamps::Stamps;
use crate::traces::{TraceEvent, Traces};
use crate::{
    backend::{BackendError, BackendSource, DeviceBackend, DeviceInfo},
    barrier::AllBarriers,
    bridge::upstream::shut_down,
    elsewhere::elsewhere,
    error::{HandleError, LaunchError, UnknownKernel},
    handle::{KernelHandle, control::KernelControl},
    kernel::{lifecycle::ShutdownOutcome, passage::Passage, shared::KernelShared, status::Stall},
    launch::{arena::Arena, registry::KernelRegistry},
    resilience::MissingKernel,
    vitals::{Requests, Vitals, VitalsArena},
    why::{self, KernelLooks, Why},
    within::Sleep,
};

/// A runtime on one backend. Clones refer to the same runtime. It ends when the last clone and the last
/// kernel handle are dropped.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) inner: Arc<RuntimeInner>,
}

pub(crate) struct RuntimeInner {
    /// Serves observers; dropped first. `None` if there is no file, or no thread for it.
    pub(crate) requests: Option<Requests>,
    /// Dropped before the backend: by then, no kernel needs either of them.
    pub(crate) registry: Arc<KernelRegistry>,
    /// Wakes those who wait until connected kernels are at rest.
    pub(crate) flow: Arc<Event>,
    /// The places of calls through pipelines.
    pub(crate) passage: Arc<Passage>,
    /// The hybrid clock of what the host sends and receives.
    pub(crate) stamps: Arc<Stamps>,
    /// What happened to messages that are followed.
    pub(crate) traces: Arc<Traces>,
    pub(crate) backend: Arc<dyn DeviceBackend>,
    pub(crate) clock: RuntimeClock,
    /// The telemetry lines, if the backend cannot use those of `vitals`.
    pub(crate) arena: Option<Arc<Arena>>,
    pub(crate) vitals: Arc<VitalsArena>,
    telemetry_lines: usize,
    /// Queues that live without a kernel. They close when the runtime ends.
    pub(crate) queues: Registry,
    /// Named barriers, for who asks why they do not pass.
    pub(crate) barriers: AllBarriers,
    /// The process whose threads drive the kernels.
    pub(crate) process: u32,
}

/// Builds a [`Runtime`].
#[derive(Debug)]
pub struct RuntimeBuilder<B> {
    backend: B,
    telemetry_lines: usize,
    vitals: Vitals,
    clock: Option<Clock>,
}

/// Marks a builder that has no backend yet.
#[derive(Clone, Copy, Debug)]
pub struct NoBackend;

/// How many telemetry lines a runtime reserves by default: 256 KB, which cost nothing until they are used.
pub const DEFAULT_TELEMETRY_LINES: usize = 4096;

impl Runtime {
    /// Begins to build a runtime. It needs a [`backend`](RuntimeBuilder::backend). With the prelude of the
    /// `annulus` crate it needs none: it is then built on the best backend of this machine.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// let runtime = Runtime::builder().backend(Backend::Cpu).telemetry_lines(16).build()?;
    /// assert_eq!(runtime.backend(), "cpu");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder() -> RuntimeBuilder<NoBackend> {
        RuntimeBuilder {
            backend: NoBackend,
            telemetry_lines: DEFAULT_TELEMETRY_LINES,
            vitals: Vitals::default(),
            clock: None,
        }
    }

    /// Takes what happened to messages that are followed ([`LaunchOptions::tracing`](crate::LaunchOptions::tracing))
    /// since the last call. Up to [`MOST_EVENTS`](crate::MOST_EVENTS) events wait here; more are lost, and counted
    /// ([`trace_events_lost`](Self::trace_events_lost)). Events of one block come in order; those of different
    /// blocks and kernels in any order. A block tells what happened after the outputs of a turn have gone, so who received one may
    /// be early; a kernel that has terminated has told all.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// assert!(Runtime::builder().build()?.take_traces().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_traces(&self) -> Vec<TraceEvent> {
        self.inner.traces.take()
    }

    /// How many events were lost since nobody took them, since the runtime was built.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// assert_eq!(Runtime::builder().build()?.trace_events_lost(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trace_events_lost(&self) -> u64 {
        self.inner.traces.lost()
    }

    /// The name of its backend.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// assert_eq!(Runtime::builder().build()?.backend(), "cpu");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn backend(&self) -> &'static str {
        self.inner.backend.name()
    }

    /// The name of the device that its kernels run on: the first of [`devices`](Self::devices).
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// let runtime = Runtime::builder().build()?;
    /// assert_eq!(runtime.device_name(), runtime.devices()[0].name);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn device_name(&self) -> String {
        self.inner.backend.device_name()
    }

    /// The time now, in nanoseconds since the runtime was built: the clock of messages' enqueue times, of
    /// telemetry, and of [`Cx::now`](annulus_kernel::Cx::now) in handlers. Monotonic, and never 0.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// let runtime = Runtime::builder().build()?;
    /// let earlier = runtime.now();
    /// assert!(earlier > 0 && runtime.now() >= earlier);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn now(&self) -> u64 {
        self.inner.clock.now()
    }

    /// The devices of its backend.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// for device in Runtime::builder().build()?.devices() {
    ///     println!("{}, {} blocks at a time", device.name, device.parallel_blocks);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn devices(&self) -> Vec<DeviceInfo> {
        self.inner.backend.devices()
    }

    /// The kernel that runs under this name.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let _kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// assert_eq!(runtime.kernel("double")?.grid(), 1);
    ///
    /// let unknown = runtime.kernel("treble").unwrap_err();
    /// assert_eq!(unknown.to_string(), "no kernel named `treble` is running; these are: double");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`UnknownKernel`], which lists the running kernels.
    pub fn kernel(&self, name: &str) -> Result<KernelControl, UnknownKernel> {
        Ok(KernelControl::new(self.inner.registry.find(name)?, self.inner.arena_lines()))
    }

    /// A handle of the kernel that runs under this name, with its types: like a clone of the one that
    /// launched it.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::HandleError;
    /// let runtime = Runtime::builder().build()?;
    /// let _kernel = double::launch(&runtime, LaunchOptions::production().name("mine"))?;
    /// let same = runtime.handle::<double>("mine")?;
    /// assert_eq!(same.call_blocking(Number { value: 21 })?, Number { value: 42 });
    /// assert!(matches!(runtime.handle::<keep>("mine"), Err(HandleError::OtherKernel { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`HandleError`] lists the kernels that run, or names the kernel that runs under this name.
    pub fn handle<K: RingKernel>(&self, name: &str) -> Result<KernelHandle<K>, HandleError> {
        let kernel = self.inner.registry.find(name).map_err(HandleError::Unknown)?;
        if !kernel.is::<K>() {
            let runs = kernel.core.definition;
            return Err(HandleError::OtherKernel { name: name.into(), runs, wanted: K::DEFINITION });
        }
        let handle = self.any_handle(name)?;
        // Another kernel may have come under this name since.
        handle.typed().ok_or_else(|| {
            HandleError::Unknown(UnknownKernel { name: name.into(), running: self.inner.registry.names() })
        })
    }

    /// The kernels that run, by name.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let _kernels = ["b", "a"].map(|name| double::launch(&runtime, LaunchOptions::production().name(name)));
    /// let kernels = runtime.kernels();
    /// assert_eq!(kernels.iter().map(|kernel| kernel.name()).collect::<Vec<_>>(), ["a", "b"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kernels(&self) -> Vec<KernelControl> {
        let control = |kernel| KernelControl::new(kernel, self.inner.arena_lines());
        self.inner.registry.all().into_iter().map(control).collect()
    }

    /// The kernels that are to run here and do not, by name: a [supervisor](crate::resilience::Supervisor) launches them again
    /// just now, or has given them up. Empty if all is well, and once their supervisors are dropped or shut down.
    ///
    /// ```
    /// # use annulus_runtime::{Noop, Runtime};
    /// let runtime = Runtime::builder().backend(Noop).build()?;
    /// assert!(runtime.missing().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn missing(&self) -> Vec<MissingKernel> {
        self.inner.registry.missing()
    }

    /// How many queues a runtime has at once, besides those of its kernels.
    pub const MAX_QUEUES: usize = 4096;

    /// The runtime's queues, which live without a kernel: makes them, finds them by name and message type,
    /// lists and closes them. A kernel [consumes](KernelHandle::consume) a queue or
    /// [fills](KernelHandle::publish_to) one; so do any other threads. The queues close when the runtime
    /// ends; kernels that consume them take what is left.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::queue::QueueOptions;
    /// let runtime = Runtime::builder().build()?;
    /// let numbers = runtime.queues().create::<Number>(QueueOptions::new().name("numbers"))?;
    /// let _ = numbers.send_blocking(Number { value: 21 })?;
    ///
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// kernel.consume(&runtime.queues().get("numbers")?);
    /// assert_eq!(kernel.recv_blocking()?, Number { value: 42 });
    ///
    /// let wrong = runtime.queues().get::<u32>("numbers").unwrap_err();
    /// assert!(wrong.to_string().contains("Number") && wrong.to_string().contains("u32"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn queues(&self) -> &Registry {
        &self.inner.queues
    }

    /// The kernels that have stalled shards, by name, with what these wait for: the host, or room in the ring of
    /// another kernel, and what that one waits for. A [cycle](crate::StallEnd::Cycle) that stands still is named by
    /// each of its kernels. Reads each kernel once, and does not wait; see [`why`](Self::why) for the causes.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::StallEnd;
    /// let runtime = Runtime::builder().build()?;
    /// let options = LaunchOptions::production().capacity(16);
    /// let last = double::launch(&runtime, options.clone().name("last").connectable(true).active(false))?;
    /// let first = double::launch_into(&last, options.name("first"))?;
    /// first.send_batch_blocking(&numbers(0..20))?; // `last` is inactive, and has room for 16
    /// while runtime.stalls().is_empty() {
    ///     std::thread::yield_now();
    /// }
    /// let (name, stall) = &runtime.stalls()[0];
    /// assert_eq!((name.as_str(), &stall.end), ("first", &StallEnd::Activation));
    /// assert_eq!(stall.to_string(), "waits for room in `last`, which is inactive: activate it");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stalls(&self) -> Vec<(String, Stall)> {
        let stalls = |kernel: Arc<KernelShared>| Some((kernel.core.name.clone(), kernel.stall()?));
        self.inner.registry.all().into_iter().filter_map(stalls).collect()
    }

    /// Why kernels do not go on: who waits for whom, followed to the causes. Looks twice, a tenth of a second
    /// apart, and blocks meanwhile. Where its kernels wait for kernels of other runtimes, over bridges, it says why these do not
    /// go on, and follows their links and bridges to the cause. `annulus why` says the same from outside.
    /// Its [named barriers](crate::barrier) without a limit are asked whom they wait for, each by two messages that their kernel counts;
    /// that is known inside alone.
    /// In what it finds, this runtime has the number 0, and each other one a number of its own.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// kernel.deactivate_blocking()?;
    /// let _ = kernel.try_send(Number { value: 1 })?;
    /// let why = runtime.why().to_string();
    /// assert_eq!(why, "`double` shard 0 is inactive: activate the kernel; 1 message is in its ring");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn why(&self) -> Why {
        const APART: Duration = Duration::from_millis(100);
        let mut kernels = self.inner.registry.all();
        // Bridges lead to kernels of other runtimes, and these may wait themselves: over links of theirs, and bridges.
        let mut next = 0;
        while next < kernels.len() {
            let mut targets = kernels[next].bridges.targets();
            targets
                .extend(kernels[next].links.known().targets.iter().filter_map(|link| link.kernel.upgrade()));
            for target in targets {
                if !kernels.iter().any(|known| Arc::ptr_eq(known, &target)) {
                    kernels.push(target);
                }
            }
            next += 1;
        }
        // This one is 0, and the others come in the order in which they were found.
        let mut runtimes = vec![self.inner.place()];
        let mut runtime_of = |kernel: &KernelShared| {
            let place = kernel.runtime_place();
            let known = runtimes.iter().position(|other| *other == place);
            known.unwrap_or_else(|| {
                runtimes.push(place);
                runtimes.len() - 1
            }) as u64
        };
        let id = |kernel: &Arc<KernelShared>| kernel.number();
        let look = || {
            let looks = kernels.iter().map(|kernel| {
                (kernel.look(), kernel.look_at_ports(id), kernel.linked(), kernel.bridges.looks())
            });
            looks.collect::<Vec<_>>()
        };
        // What it asks the barriers is handled before the first look, and after the last one.
        let barriers_before = self.inner.barriers.ask();
        let (before, start) = (look(), Instant::now());
        std::thread::sleep(APART);
        let (now, elapsed) = (look(), start.elapsed());
        let barriers = self.inner.barriers.ask().since(&barriers_before, elapsed);
        let looks = kernels.iter().zip(before.into_iter().zip(now));
        let looks = looks.map(|(kernel, (before, now))| {
            let (before, ports_before, linked_before, bridges_before) = before;
            let (now, ports_now, linked, bridges_now) = now;
            KernelLooks {
                id: id(kernel),
                runtime: runtime_of(kernel),
                bridges_before,
                bridges_now,
                name: kernel.core.name.clone(),
                has_ended: kernel.core.is_finished(),
                // Whether outputs wait there decides nothing here: those that do not wait never stall.
                target: kernel.target().map(|target| (id(&target), true)),
                inbound_capacity: kernel.core.shards[0].inbound.ring().layout().capacity,
                ports_before,
                ports_now,
                asks_by: kernel.core.definition.asks_by(),
                before,
                now,
                elapsed: None,
                keys: kernel.core.definition.key.is_some(),
                rounds: kernel.core.options.shape.rounds,
                linked,
                linked_before,
            }
        });
        let mut why = why::explain(&looks.collect::<Vec<_>>(), elapsed);
        // Of the others, what none of its own waits for is their runtimes' business.
        why.findings.retain(|finding| {
            finding.runtime == 0 || finding.waiting.iter().flatten().any(|step| step.runtime == 0)
        });
        why.findings.extend(barriers);
        why
    }

    /// Waits for a while, in any executor. A future has no clock, so one thread of the process wakes all tasks that
    /// wait for a time; it sleeps while no time is near. The while is at least so long; how much longer is up to the
    /// system. Dropping the future ends it. With a [clock of the program's](RuntimeBuilder::clock) it ends when that has
    /// been moved so far.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// # use std::time::{Duration, Instant};
    /// let runtime = Runtime::builder().build()?;
    /// let start = Instant::now();
    /// annulus::block_on(runtime.sleep(Duration::from_millis(2)));
    /// assert!(start.elapsed() >= Duration::from_millis(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sleep(&self, time: Duration) -> Sleep {
        Sleep::new(&self.inner.clock, time)
    }

    /// Shuts every kernel down, all within `limit`. First closes all of them; then drains and terminates one
    /// after the other. The order is that of the result: by name, but a kernel that is
    /// [connected](KernelHandle::connect) to another one, or from which a bridge leads there, comes before it, so that nothing
    /// is lost between them. Kernels that links connect in a cycle drain together; of a cycle over bridges, the first that ends
    /// takes nothing more. Messages that were not delivered can be taken from the kernels' handles.
    ///
    /// A kernel to which a [bridge](KernelHandle::bridge_to) leads from another one of these is closed later: when that
    /// one has terminated, and the bridge has delivered its outputs. If the limit passes first, or the bridge waits for room in
    /// a kernel that is inactive, the bridge is stopped.
    ///
    /// A separate thread waits, since a future has no clock. Dropping the future does not stop the shutdown.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::ShutdownOutcome;
    /// # use std::time::Duration;
    /// # annulus::block_on(async {
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// kernel.send_batch(&numbers(0..100)).await?;
    /// let outcomes = runtime.shutdown(Duration::from_secs(60)).await;
    /// assert_eq!(outcomes, [("double".to_owned(), ShutdownOutcome::Drained)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn shutdown(&self, limit: Duration) -> Vec<(String, ShutdownOutcome)> {
        let runtime = self.clone();
        elsewhere("annulus-shutdown", move || runtime.shutdown_blocking(limit)).await
    }

    /// [`shutdown`](Self::shutdown), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::ShutdownOutcome;
    /// # use std::time::Duration;
    /// let runtime = Runtime::builder().build()?;
    /// let _kernel = double::launch(&runtime, LaunchOptions::production().active(false))?;
    /// let outcomes = runtime.shutdown_blocking(Duration::ZERO);
    /// assert_eq!(outcomes, [("double".to_owned(), ShutdownOutcome::Inactive)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shutdown_blocking(&self, limit: Duration) -> Vec<(String, ShutdownOutcome)> {
        shut_down(self.inner.registry.all(), limit)
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl<B> RuntimeBuilder<B> {
    /// The backend to run on.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// use annulus::Cpu;
    /// let runtime = Runtime::builder().backend(Cpu::new().workers(2)).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn backend<S: BackendSource>(self, backend: S) -> RuntimeBuilder<S> {
        let Self { telemetry_lines, vitals, clock, .. } = self;
        RuntimeBuilder { backend, telemetry_lines, vitals, clock }
    }

    /// How many telemetry lines to reserve: one for each block of each kernel that runs at the same time.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// let runtime = Runtime::builder().telemetry_lines(16).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn telemetry_lines(mut self, lines: usize) -> Self {
        self.telemetry_lines = lines;
        self
    }

    /// Whether other processes of this user can see what runs here, and where they look. By default they can:
    /// `annulus top` shows this runtime without any preparation. Neither the runtime nor its kernels do
    /// anything for it; see [`Vitals`] for the folder.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// use annulus_runtime::Vitals;
    /// let unseen = Runtime::builder().vitals(Vitals::Off).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vitals(mut self, vitals: Vitals) -> Self {
        self.vitals = vitals;
        self
    }

    /// The clock that all its times are of; by default the machine's. With one that a test moves by hand
    /// ([`Clock::manual`](annulus_queue::Clock::manual)), windows and time limits are tested without waiting. By it go
    ///
    /// * [`now`](Runtime::now), [`Cx::now`](annulus_kernel::Cx::now), enqueue times, latencies and telemetry;
    /// * timers, ticks, and limits of asks: a block whose timer is due by an
    ///   [`advance`](annulus_queue::Clock::advance) is woken;
    /// * the futures with a limit (`recv_within`, `call_within`, `send_within`), and [`sleep`](Runtime::sleep);
    /// * the expiry of messages, also in the runtime's [`queues`](Runtime::queues).
    ///
    /// Calls that block their thread for at most a while (`recv_timeout`, `shutdown`) wait in the machine's time: while
    /// they wait, nobody may be there to move a clock. So do samples of telemetry, the delays of batches, and the watch
    /// for slow handlers.
    ///
    /// An `advance` passes over all moments in between: of the ticks of three periods, one comes, as if the kernel had
    /// been held up so long. To see each, move the clock period by period, and receive in between.
    ///
    /// Other processes do not see such a runtime, since its times are not theirs: it has no [`vitals`](Self::vitals).
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// use annulus::Clock;
    /// use std::time::Duration;
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Reminder { number: u32, is_due: u32 }
    ///
    /// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    /// #[repr(C)]
    /// struct Rings { number: u32 }
    ///
    /// #[ring_kernel]
    /// fn remind(r: &Reminder, later: &Later<Reminder>, out: &Outbox<Rings>) {
    ///     if r.is_due == 0 {
    ///         later.send_after(Reminder { number: r.number, is_due: 1 }, 3_600_000_000_000); // an hour
    ///     } else {
    ///         out.send(Rings { number: r.number });
    ///     }
    /// }
    ///
    /// let clock = Clock::manual();
    /// let runtime = Runtime::builder().backend(Backend::Cpu).clock(&clock).build()?;
    /// let kernel = remind::launch(&runtime, remind::options())?;
    /// let _ = kernel.send_blocking(Reminder { number: 7, is_due: 0 })?;
    /// kernel.drained_blocking(); // Handled: the timer is set.
    /// clock.advance(Duration::from_secs(3600));
    /// assert_eq!(kernel.recv_blocking()?, Rings { number: 7 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clock(mut self, clock: &Clock) -> Self {
        self.clock = Some(clock.clone());
        self
    }
}

impl<B: BackendSource> RuntimeBuilder<B> {
    /// Opens the backend and reserves the arena.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// match Runtime::builder().backend(Backend::Cpu).build() {
    ///     Ok(runtime) => println!("{:?}", runtime.devices()[0].name),
    ///     Err(error) => println!("{error}"), // and what to do about it
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the backend needs something that this machine lacks; the error says what.
    pub fn build(self) -> Result<Runtime, BackendError> {
        let backend = self.backend.open()?;
        if self.telemetry_lines > MOST_SHARDS {
            return Err(BackendError::new(format!(
                "telemetry_lines is {}, and must be at most {MOST_SHARDS}: reserve one for each block that runs at a time",
                self.telemetry_lines
            )));
        }
        let clock = self.clock.map_or_else(RuntimeClock::start, RuntimeClock::start_by);
        let by_hand = clock.source().is_manual();
        if by_hand && !backend.follows_any_clock() {
            return Err(BackendError::new(format!(
                "the clock is moved by hand, and the devices of `{}` have clocks of their own: leave `clock` out, or build                  the runtime with `Backend::Cpu`",
                backend.name()
            )));
        }
        let registry = Arc::new(KernelRegistry::default());
        let flow = Arc::new(Event::new());
        let stamps = Arc::new(Stamps::default());
        // The times in a file of vitals are compared with the machine's.
        let seen = if by_hand { &Vitals::Off } else { &self.vitals };
        let vitals = VitalsArena::new(seen, &*backend, clock.clone(), self.telemetry_lines);
        let arena = match backend.shares_any_memory() {
            true => None,
            false => {
                let memory = allocate(&*backend, self.telemetry_lines * LINE)?;
                Some(Arc::new(Arena::new(memory, self.telemetry_lines)))
            }
        };
        let kernels: Weak<KernelRegistry> = Arc::downgrade(&registry);
        let requests = vitals.requests().and_then(|page| Requests::serve(page, clock.clone(), kernels).ok());
        let queues = Registry::with_limit(Runtime::MAX_QUEUES).clock(clock.source());
        let process = std::process::id();
        Ok(Runtime {
            inner: Arc::new(RuntimeInner {
                requests,
                registry,
                flow,
                passage: Arc::new(Passage::new(Arc::clone(&stamps))),
                stamps,
                traces: Arc::new(Traces::new(clock.clone())),
                backend,
                clock,
                arena,
                vitals,
                telemetry_lines: self.telemetry_lines,
                queues,
                barriers: AllBarriers::default(),
                process,
            }),
        })
    }
}

impl RuntimeInner {
    /// Where its list of kernels lies. Each kernel keeps that place, so no other runtime has it while this one, or a
    /// kernel of it, lives.
    pub(crate) fn place(&self) -> usize {
        Arc::as_ptr(&self.registry).addr()
    }

    pub(crate) fn arena_lines(&self) -> usize {
        self.telemetry_lines
    }

    /// Checks that this is the process whose threads drive the kernels, and not a forked child of it.
    pub(crate) fn check_process(&self) -> Result<(), LaunchError> {
        let here = std::process::id();
        if here == self.process {
            return Ok(());
        }
        let error = BackendError::new(format!(
            "the runtime was built in process {}, of which this one, {here}, was forked, and its threads are there: \
             build a runtime here",
            self.process
        ));
        Err(LaunchError::Backend { backend: self.backend.name(), error })
    }
}

/// Allocates memory of the backend: exactly as much as was asked for.
pub(crate) fn allocate(backend: &dyn DeviceBackend, bytes: usize) -> Result<Arc<SharedMemory>, BackendError> {
    let memory = backend.allocate(bytes)?;
    if memory.bytes() < bytes {
        return Err(BackendError::new(format!(
            "the backend gave {} bytes of memory where {bytes} were asked for",
            memory.bytes()
        )));
    }
    Ok(Arc::new(memory))
}
