//! Health and metrics of kernels, kept from look to look.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::{KernelControl, Runtime};

use crate::{
    Health, HealthLimits, HealthWatch, Kernel, Machine, Process, ask_for_telemetry, inside,
    metrics::{self, Counters, Sample},
};

/// How long a look is taken for what is there now: what is asked for together is answered by one look.
#[cfg(feature = "otel")]
const FRESH: Duration = Duration::from_millis(20);

/// How far apart two looks are at least, so that something can have moved.
const APART: Duration = Duration::from_millis(100);

/// For how long telemetry is asked for at each look: the longest time, since scrapes may be far apart.
const LEASE: Duration = Duration::from_secs(60);

/// How old the last look may be, to say what goes on now.
const OLD: Duration = Duration::from_secs(60);

/// Watches the kernels of a runtime, or those of all processes of this user: their health and their metrics.
/// Clones are the same observer.
///
/// It has no thread. Each question is a look, and what does not move is seen from one look to the next: so
/// ask regularly, as Prometheus and probes do.
///
/// ```
/// use annulus::prelude::*;
/// use annulus_observe::{HealthState, Observer};
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Number {
///     value: u64,
/// }
///
/// #[ring_kernel]
/// fn swallow(_number: &Number) {}
///
/// let runtime = Runtime::builder().build()?;
/// let kernel = swallow::launch(&runtime, LaunchOptions::production())?;
/// let observer = Observer::of(&runtime);
/// assert_eq!(observer.health().state(), HealthState::Healthy);
///
/// let _ = kernel.try_send(Number { value: 1 })?;
/// kernel.drained_blocking();
/// assert!(observer.prometheus().contains("\nannulus_messages_processed_total{backend=\"cpu\",kernel=\"swallow\"} 1\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Observer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    source: Source,
    per_shard: bool,
    telemetry: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
enum Source {
    Runtime(Runtime),
    Machine { pid: Option<u32> },
}

#[derive(Debug)]
struct State {
    start: Instant,
    health: HealthWatch,
    counters: Counters,
    /// Kernels of the runtime that were seen: their last counts can be read after their end. Their ids stay
    /// their own as long as these are here.
    kernels: Vec<KernelControl>,
    /// The files that are open.
    machine: Machine,
    last: Option<Arc<Sight>>,
}

/// What a look has found.
#[derive(Clone, Debug)]
pub struct Sight {
    /// When it was, since the observer was made.
    pub at: Duration,
    /// The runtimes.
    pub processes: Vec<Process>,
    /// How well their kernels are.
    pub health: Health,
    /// Their metrics, in the order of the [table](metrics::METRICS).
    pub samples: Vec<Sample>,
    /// Files that show nothing, and why.
    pub unreadable: Vec<String>,
}

impl Sight {
    /// Files that do not show all that their processes wrote, and why: those that are [`unreadable`](Self::unreadable),
    /// and those that are [damaged](crate::FileDamage).
    ///
    /// ```no_run
    /// for file in annulus_observe::Observer::of_machine(None).build().look().faults() {
    ///     eprintln!("{file}");
    /// }
    /// ```
    pub fn faults(&self) -> Vec<String> {
        let damaged = self.processes.iter().filter_map(Process::told_damage);
        self.unreadable.iter().cloned().chain(damaged).collect()
    }
}

/// Makes an [`Observer`] with other limits than usual.
#[derive(Debug)]
pub struct ObserverBuilder {
    source: Source,
    limits: HealthLimits,
    per_shard: bool,
    telemetry: bool,
}

impl ObserverBuilder {
    /// What counts as healthy.
    pub fn limits(mut self, limits: HealthLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Metrics of each shard instead of each kernel, where they are known: as many times more values.
    pub fn per_shard(mut self, on: bool) -> Self {
        self.per_shard = on;
        self
    }

    /// Whether each look [asks](ask_for_telemetry) the processes for telemetry, for the next minute. Off unless said.
    /// In its own process a program enables the telemetry of its kernels itself; there this does nothing.
    pub fn telemetry(mut self, on: bool) -> Self {
        self.telemetry = on;
        self
    }

    /// The observer.
    pub fn build(self) -> Observer {
        let state = State {
            start: Instant::now(),
            health: HealthWatch::new(self.limits),
            counters: Counters::default(),
            kernels: Vec::new(),
            machine: Machine::default(),
            last: None,
        };
        let Self { source, per_shard, telemetry, .. } = self;
        let shared = Shared { source, per_shard, telemetry, state: Mutex::new(state) };
        Observer { shared: Arc::new(shared) }
    }
}

impl Observer {
    /// Watches the kernels of a runtime of this process. The runtime does not end before the observer is
    /// dropped.
    pub fn of(runtime: &Runtime) -> Self {
        Self::builder(runtime).build()
    }

    /// [`of`](Self::of), with options.
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use annulus_observe::{HealthLimits, Observer};
    /// let limits = HealthLimits { slow: 0.0, ..HealthLimits::default() };
    /// let observer = Observer::builder(&Runtime::builder().build()?).limits(limits).per_shard(true).build();
    /// assert_eq!(observer.health().to_string(), "healthy");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(runtime: &Runtime) -> ObserverBuilder {
        ObserverBuilder::new(Source::Runtime(runtime.clone()))
    }

    /// Watches the kernels of all processes of this user, by their vitals files; or of one of them.
    ///
    /// ```no_run
    /// let observer = annulus_observe::Observer::of_machine(None).build();
    /// print!("{}", observer.prometheus());
    /// ```
    pub fn of_machine(pid: Option<u32>) -> ObserverBuilder {
        ObserverBuilder::new(Source::Machine { pid })
    }

    /// Looks.
    pub fn look(&self) -> Arc<Sight> {
        self.shared.look_now()
    }

    /// How well the kernels are. If the last look was less than a tenth of a second ago, or more than a
    /// minute, or never, it looks twice, and blocks for a tenth of a second in between.
    pub fn health(&self) -> Health {
        self.shared.settle();
        self.shared.look_now().health.clone()
    }

    /// The metrics in Prometheus' text format; see [`metrics::CONTENT_TYPE`].
    pub fn prometheus(&self) -> String {
        metrics::text(&self.look().samples)
    }

    #[cfg(feature = "otel")]
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl ObserverBuilder {
    fn new(source: Source) -> Self {
        Self { source, limits: HealthLimits::default(), per_shard: false, telemetry: false }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A look that panicked has left nothing half done that the next one could not bear.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks, unless the last look was just now: instruments are asked one by one.
    #[cfg(feature = "otel")]
    pub(crate) fn look_once(&self) -> Arc<Sight> {
        let mut state = self.lock();
        match &state.last {
            Some(last) if state.start.elapsed().saturating_sub(last.at) < FRESH => Arc::clone(last),
            _ => self.look_again(&mut state),
        }
    }

    fn look_now(&self) -> Arc<Sight> {
        self.look_again(&mut self.lock())
    }

    /// Sees to it that the last look was some time ago, and not too long.
    fn settle(&self) {
        let age =
            |state: &State| state.last.as_ref().map(|last| state.start.elapsed().saturating_sub(last.at));
        let mut state = self.lock();
        if age(&state).is_none_or(|age| age > OLD) {
            self.look_again(&mut state);
        }
        // Not under the lock: others may look meanwhile.
        let age = age(&state).unwrap_or_default();
        drop(state);
        thread::sleep(APART.saturating_sub(age));
    }

    fn look_again(&self, state: &mut State) -> Arc<Sight> {
        let mut unreadable = Vec::new();
        let processes = match &self.source {
            Source::Runtime(runtime) => vec![state.look_inside(runtime)],
            Source::Machine { pid } => {
                let (processes, others) = state.machine.look(*pid);
                unreadable.extend(others.iter().map(|(file, error)| format!("{}: {error}", file.display())));
                if self.telemetry {
                    for process in &processes {
                        // A process that ends meanwhile, or serves nobody, is shown without.
                        let _ = ask_for_telemetry(&process.file, LEASE);
                    }
                }
                processes
            }
        };
        let at = state.start.elapsed();
        let health = state.health.look(at, &processes);
        let tell_processes = matches!(self.source, Source::Machine { .. });
        let samples =
            metrics::collect(&processes, &health, &mut state.counters, self.per_shard, tell_processes);
        let sight = Arc::new(Sight { at, processes, health, samples, unreadable });
        state.last = Some(Arc::clone(&sight));
        sight
    }
}

impl State {
    fn look_inside(&mut self, runtime: &Runtime) -> Process {
        for kernel in runtime.kernels() {
            let id = kernel.look().id;
            if self.kernels.iter().all(|known| known.look().id != id) {
                self.kernels.push(kernel);
            }
        }
        let process = inside::of_kernels(runtime, self.kernels.iter());
        // Nothing changes after the end, when their bridges have moved what was left: those were seen for the last time.
        let is_over =
            |kernel: &Kernel| kernel.has_ended && kernel.bridges.iter().all(|bridge| bridge.has_ended);
        let mut kernels = process.kernels.iter();
        self.kernels.retain(|_| !kernels.next().is_some_and(is_over));
        process
    }
}
