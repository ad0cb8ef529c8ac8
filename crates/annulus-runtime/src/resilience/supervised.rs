//! A kernel that is launched again.
//!
//! # Who does what
//!
//! A thread, the *watcher*, belongs to each supervised kernel. It alone changes [`Phase`]; whoever holds the [`Supervised`]
//! sets `stop`. Both lie under one lock, which is never held while a kernel is launched, ended or waited for. The watcher
//! looks at `stop` under the lock in which it takes a kernel out of the phase, so either it has what that kernel left, or
//! the kernel itself is there for a shutdown. A shutdown waits until the watcher `is_over`.
//!
//! ```text
//!              lost, stalled                    pause over, launch succeeds
//!   running ───────────────────▶ restarting ───────────────────────────────▶ running …
//!      │                             │ too many restarts
//!      │ ended otherwise             ▼
//!      └──────────────▶ ended     given up
//! ```

use std::{
    error::Error,
    fmt,
    future::{Future, poll_fn},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::Poll,
    thread,
    time::{Duration, Instant},
};

use annulus_kernel::RingKernel;
use annulus_sync::{
    contain::contained,
    event::Event,
    wait::{block_on, block_on_deadline},
};
use tracing::{Dispatch, dispatcher};

use super::supervise::{Cause, Schedule, Start, Supervisor};
use crate::{
    backend::HostSignals,
    handle::{KernelHandle, Shutdown, control::KernelControl},
    kernel::{
        events::LIFECYCLE_TARGET, lifecycle::ShutdownOutcome, shared::Names, slow::Call, status::Ending,
    },
    time::{deadline, for_people},
};

/// How long a kernel has to end of which a handler does not return.
const GRACE: Duration = Duration::from_secs(1);
/// Least time between two looks at what blocks are at.
const LEAST: Duration = Duration::from_millis(1);

/// A kernel that is watched, and launched again: see [`Supervisor`].
///
/// When it is dropped, the kernel is watched no longer, and ends unless somebody else holds a handle.
///
/// [`shutdown`](Self::shutdown) ends it with what waits. End supervised kernels before their runtime: a supervisor knows
/// nothing of [`Runtime::shutdown`](crate::Runtime::shutdown), and may launch again after it.
pub struct Supervised<K: RingKernel> {
    shared: Arc<Shared<K>>,
}

struct Shared<K: RingKernel> {
    supervisor: Supervisor,
    name: String,
    state: Mutex<State<K>>,
    /// Tells of each change of `state`.
    changed: Event,
}

struct State<K: RingKernel> {
    phase: Phase<K>,
    /// Restarts that succeeded.
    restarts: u64,
    /// Why the last one was.
    cause: Option<Cause>,
    /// What kernels that have ended had not handled, and no later one was launched with.
    left: Vec<K::Message>,
    /// Nobody wants it to be watched any more.
    stop: bool,
    /// The watcher changes nothing any more.
    is_over: bool,
    /// Those of the runtime in which the last kernel ran: it knows whether the kernel is missing.
    home: Weak<dyn Names>,
    /// The name that the last kernel ran under: each launch may give another one.
    ran_as: String,
    /// What it was told last.
    missing: Option<MissingKernel>,
}

enum Phase<K: RingKernel> {
    Running(KernelHandle<K>),
    /// It is launched at this time, or is being launched.
    Restarting(Cause, Instant),
    GaveUp(Cause),
    /// With the kernel, of which the program may want what it has left; without, after a shutdown.
    Ended(Ending, Option<KernelHandle<K>>),
}

impl<K: RingKernel> State<K> {
    /// It is launched again at this time.
    fn restart_at(&mut self, at: Instant, cause: &Cause) {
        self.cause = Some(cause.clone());
        self.phase = Phase::Restarting(cause.clone(), at);
    }
}

/// A supervised kernel that is to run, and does not: see [`Runtime::missing`](crate::Runtime::missing).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingKernel {
    /// The name that it ran under.
    pub name: String,
    /// Why it does not run.
    pub cause: Cause,
    /// Whether it was launched again too often, so that it is launched no more.
    pub was_given_up: bool,
}

impl fmt::Display for MissingKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, cause, was_given_up } = self;
        let what = if *was_given_up { "was given up" } else { "is being launched again" };
        write!(f, "`{name}` {what}, since {cause}")
    }
}

/// Why there is no kernel to send to.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotRunning {
    /// It will be launched again.
    #[error("`{name}` {}, since {cause}", Again(*after))]
    Restarting {
        /// The kernel's name.
        name: String,
        /// Why.
        cause: Cause,
        /// How long until then; 0 while it is being launched.
        after: Duration,
    },
    /// It was launched again too often.
    #[error(
        "`{name}` was given up after {restarts} restarts within {}, since {cause}: remove the cause, or allow more \
         restarts with `Supervisor::restarts`", for_people(*within)
    )]
    GaveUp {
        /// The kernel's name.
        name: String,
        /// Why it would have been launched again.
        cause: Cause,
        /// The limit.
        restarts: u32,
        /// The time of which it speaks.
        within: Duration,
    },
    /// It has ended as the program wanted.
    #[error("`{name}` has ended, and is not launched again: {ending}")]
    Ended {
        /// The kernel's name.
        name: String,
        /// Why.
        ending: Ending,
    },
}

crate::error::debug_in_words!(NotRunning);

/// When a kernel is launched again.
struct Again(Duration);

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Duration::ZERO => f.write_str("is being launched again"),
            after => write!(f, "is launched again in {}", for_people(after)),
        }
    }
}

/// What has become of a supervised kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SupervisedStatus {
    /// The kernel's name.
    pub name: String,
    /// What it is at.
    pub state: SupervisedState,
    /// How often it was launched again.
    pub restarts: u64,
    /// Why it was, or is, launched again the last time.
    pub cause: Option<Cause>,
}

/// What a supervised kernel is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SupervisedState {
    /// A kernel runs.
    Running,
    /// It waits to be launched again, or is being launched.
    Restarting,
    /// It was launched again too often.
    GaveUp,
    /// It has ended as the program wanted.
    Ended(Ending),
}

impl<K: RingKernel> Supervised<K> {
    /// Watches `kernel` on a thread.
    pub(super) fn watch(
        supervisor: Supervisor,
        kernel: KernelHandle<K>,
        launch: impl FnMut(Start<'_, K>) -> Launched<K> + Send + 'static,
    ) -> io::Result<Self> {
        let home = kernel.shared_arc().names().clone();
        let kernel_name = kernel.name().to_owned();
        let shared = Arc::new(Shared {
            supervisor,
            name: kernel_name.clone(),
            state: Mutex::new(State {
                phase: Phase::Running(kernel),
                restarts: 0,
                cause: None,
                left: Vec::new(),
                stop: false,
                is_over: false,
                home,
                ran_as: kernel_name.clone(),
                missing: None,
            }),
            changed: Event::new(),
        });
        let (its, dispatch) = (Arc::clone(&shared), dispatcher::get_default(Dispatch::clone));
        let watch = move || {
            // It is over even if something of the program's panics where nothing else catches it.
            contained(|| dispatcher::with_default(&dispatch, || its.watch(launch)));
            its.change(|state| {
                state.is_over = true;
                // Nobody launches it any more. Else who waits for that would wait for ever.
                if let Phase::Restarting(..) = state.phase {
                    state.phase = Phase::Ended(Ending::Asked, None);
                }
            });
        };
        thread::Builder::new().name("annulus-supervise".into()).spawn(watch)?;
        Ok(Self { shared })
    }

    /// The kernel that runs now. Take it anew for each use: a handle that is kept stays with the kernel that it was of. It may
    /// have been lost just now: then its calls end with `Closed` or `Terminated`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::resilience::Supervisor;
    /// let supervised = Supervisor::new().start(|_| Ok(launched()))?;
    /// assert_eq!(supervised.kernel()?.call_blocking(Number { value: 21 })?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn kernel(&self) -> Result<KernelHandle<K>, NotRunning> {
        self.shared.kernel()
    }

    /// Waits while the kernel is being launched again, and returns the one that runs then.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::resilience::Supervisor;
    /// let supervised = Supervisor::new().start(|_| Ok(launched()))?;
    /// let kernel = annulus::block_on(supervised.running())?;
    /// # drop(kernel);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotRunning::GaveUp`] and [`NotRunning::Ended`].
    pub async fn running(&self) -> Result<KernelHandle<K>, NotRunning> {
        self.shared
            .until(|| match self.kernel() {
                Err(NotRunning::Restarting { .. }) => None,
                found => Some(found),
            })
            .await
    }

    /// [`running`](Self::running), blocking, for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use {annulus_runtime::resilience::Supervisor, std::time::Duration};
    /// let supervised = Supervisor::new().start(|_| Ok(launched()))?;
    /// let kernel = supervised.running_timeout(Duration::from_secs(1))?;
    /// # drop(kernel);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Why there is none, at the latest when `limit` has passed.
    pub fn running_timeout(&self, limit: Duration) -> Result<KernelHandle<K>, NotRunning> {
        block_on_deadline(self.running(), deadline(limit)).unwrap_or_else(|| self.kernel())
    }

    /// What has become of it.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::resilience::Supervisor;
    /// let supervised = Supervisor::new().start(|_| Ok(launched()))?;
    /// assert_eq!(supervised.status().to_string(), "double: runs, 0 restarts");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn status(&self) -> SupervisedStatus {
        let state = self.shared.lock();
        SupervisedStatus {
            name: self.shared.name.clone(),
            state: match &state.phase {
                Phase::Running(_) => SupervisedState::Running,
                Phase::Restarting(..) => SupervisedState::Restarting,
                Phase::GaveUp(_) => SupervisedState::GaveUp,
                Phase::Ended(ending, _) => SupervisedState::Ended(*ending),
            },
            restarts: state.restarts,
            cause: state.cause.clone(),
        }
    }

    /// Watches the kernel no longer, and [shuts it down](KernelHandle::shutdown_blocking). If no kernel runs, returns what the
    /// last one had left. Waits for a launch that is under way, and then shuts that kernel down. A handler that is running is
    /// not interrupted: the shutdown waits for it, even past the limit.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use {annulus_runtime::{ShutdownOutcome, resilience::Supervisor}, std::time::Duration};
    /// let supervised = Supervisor::new().start(|_| Ok(launched()))?;
    /// let shutdown = supervised.shutdown_blocking(Duration::from_secs(60));
    /// assert_eq!(shutdown.outcome, ShutdownOutcome::Drained);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shutdown_blocking(&self, limit: Duration) -> Shutdown<K::Message> {
        match block_on(self.stop()) {
            Ok(kernel) => kernel.shutdown_blocking(limit),
            Err(undelivered) => Shutdown { outcome: ShutdownOutcome::AlreadyTerminated, undelivered },
        }
    }

    /// [`shutdown_blocking`](Self::shutdown_blocking) as a future.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use {annulus_runtime::resilience::Supervisor, std::time::Duration};
    /// let supervised = Supervisor::new().start(|_| Ok(launched()))?;
    /// let shutdown = annulus::block_on(supervised.shutdown(Duration::from_secs(60)));
    /// assert!(shutdown.undelivered.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn shutdown(&self, limit: Duration) -> Shutdown<K::Message> {
        match self.stop().await {
            Ok(kernel) => kernel.shutdown(limit).await,
            Err(undelivered) => Shutdown { outcome: ShutdownOutcome::AlreadyTerminated, undelivered },
        }
    }

    /// Stops the watcher. The kernel, if one runs; else what was left.
    async fn stop(&self) -> Result<KernelHandle<K>, Vec<K::Message>> {
        self.shared.ask_to_stop();
        self.shared.until(|| self.shared.lock().is_over.then_some(())).await;
        let mut found = Err(Vec::new());
        self.shared.change(|state| {
            if let Phase::Running(kernel) = &state.phase {
                found = Ok(kernel.clone());
                state.phase = Phase::Ended(Ending::Asked, None);
                return;
            }
            let mut left = std::mem::take(&mut state.left);
            if let Phase::Ended(_, last) = &mut state.phase {
                left.extend(last.take().into_iter().flat_map(|kernel| kernel.take_undelivered()));
            }
            found = Err(left);
        });
        found
    }
}

impl<K: RingKernel> Drop for Supervised<K> {
    fn drop(&mut self) {
        self.shared.ask_to_stop();
    }
}

impl<K: RingKernel> fmt::Debug for Supervised<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervised").field("status", &self.status()).finish_non_exhaustive()
    }
}

type Launched<K> = Result<KernelHandle<K>, Box<dyn Error + Send + Sync>>;

impl<K: RingKernel> Shared<K> {
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        // Each change is one assignment, so poison is ignored.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kernel(&self) -> Result<KernelHandle<K>, NotRunning> {
        let name = || self.name.clone();
        match &self.lock().phase {
            Phase::Running(kernel) => Ok(kernel.clone()),
            Phase::Restarting(cause, at) => Err(NotRunning::Restarting {
                name: name(),
                cause: cause.clone(),
                after: at.saturating_duration_since(Instant::now()),
            }),
            Phase::GaveUp(cause) => Err(NotRunning::GaveUp {
                name: name(),
                cause: cause.clone(),
                restarts: self.supervisor.restarts,
                within: self.supervisor.within,
            }),
            Phase::Ended(ending, _) => Err(NotRunning::Ended { name: name(), ending: *ending }),
        }
    }

    async fn until<T>(&self, look: impl Fn() -> Option<T>) -> T {
        loop {
            let listener = self.changed.listen();
            if let Some(found) = look() {
                return found;
            }
            listener.await;
        }
    }

    fn ask_to_stop(&self) {
        self.change(|state| state.stop = true);
    }

    async fn stopped(&self) {
        self.until(|| self.lock().stop.then_some(())).await;
    }

    /// Changes the state, and tells of it.
    fn change(&self, change: impl FnOnce(&mut State<K>)) {
        let mut state = self.lock();
        change(&mut state);
        self.tell_missing(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// Tells the runtime of the last kernel whether that one is missing. One that nobody watches any more is missed by nobody.
    fn tell_missing(&self, state: &mut State<K>) {
        let missing = |cause: &Cause, was_given_up| MissingKernel {
            name: state.ran_as.clone(),
            cause: cause.clone(),
            was_given_up,
        };
        let now = match &state.phase {
            _ if state.stop => None,
            Phase::Restarting(cause, _) => Some(missing(cause, false)),
            Phase::GaveUp(cause) => Some(missing(cause, true)),
            Phase::Running(_) | Phase::Ended(..) => None,
        };
        if now != state.missing {
            if let Some(names) = state.home.upgrade() {
                names.set_missing(std::ptr::from_ref(self).addr(), now.clone());
            }
            state.missing = now;
        }
        // The next one that is lost is missed where it ran.
        if let Phase::Running(kernel) = &state.phase {
            state.home = kernel.shared_arc().names().clone();
            state.ran_as = kernel.name().to_owned();
        }
    }

    /// Takes the running kernel, of which the watcher has another handle, out of the phase: it is launched again, after `grace`
    /// at least. Returns whether anybody wants that.
    fn take_out(&self, cause: &Cause, grace: Duration) -> bool {
        let mut is_wanted = false;
        self.change(|state| {
            is_wanted = !state.stop;
            if is_wanted {
                state.restart_at(deadline(grace), cause);
            }
        });
        is_wanted
    }

    /// What the watcher does.
    fn watch(&self, mut launch: impl FnMut(Start<'_, K>) -> Launched<K>) {
        let mut schedule = Schedule::new(self.supervisor);
        let mut number = 0;
        loop {
            let Ok(kernel) = self.kernel() else { return };
            let (mut cause, grace) = match self.look(&kernel) {
                Seen::Stopped => return,
                Seen::Ended(Ending::Lost) => (Cause::Lost(kernel.shared_arc().lost_by()), Duration::ZERO),
                Seen::Ended(ending) => {
                    self.change(|state| state.phase = Phase::Ended(ending, Some(kernel)));
                    return;
                }
                Seen::Stalled(cause) => (cause, GRACE),
            };
            if !self.take_out(&cause, grace) {
                return;
            }
            // One that is lost has ended.
            kernel.shared_arc().request_termination();
            if kernel.ended_timeout(grace).is_none() {
                kernel.shared_arc().leave_behind();
            }
            let (left, backend) = (kernel.take_undelivered(), kernel.backend());
            drop(kernel);
            self.change(|state| state.left.extend(left));
            loop {
                let Some(pause) = schedule.next(Instant::now()) else {
                    contained(|| {
                        tracing::error!(
                            target: LIFECYCLE_TARGET, kernel = self.name, backend, %cause, "given up"
                        );
                    });
                    self.change(|state| {
                        state.cause = Some(cause.clone());
                        state.phase = Phase::GaveUp(cause);
                    });
                    return;
                };
                number += 1;
                contained(|| {
                    tracing::warn!(
                        target: LIFECYCLE_TARGET,
                        kernel = self.name,
                        backend,
                        restart = number,
                        seconds = pause.as_secs_f64(),
                        %cause,
                        "restarting"
                    );
                });
                let at = deadline(pause);
                self.change(|state| state.restart_at(at, &cause));
                if block_on_deadline(self.stopped(), at).is_some() {
                    return;
                }
                // Back again, unless they reach a kernel.
                let left = std::mem::take(&mut self.lock().left);
                let start = Start { number, cause: Some(&cause), undelivered: &left };
                let launched =
                    catch_unwind(AssertUnwindSafe(|| launch(start).map_err(|error| error.to_string())));
                match launched {
                    Ok(Ok(kernel)) => {
                        contained(|| kernel.shared_arc().noted(format!("restart {number}, since {cause}")));
                        self.change(|state| {
                            state.restarts += 1;
                            state.phase = Phase::Running(kernel);
                        });
                        break;
                    }
                    Ok(Err(error)) => cause = Cause::NotLaunched(error),
                    Err(panic) => {
                        contained(|| drop(panic));
                        cause = Cause::NotLaunched("it panicked".into());
                    }
                }
                self.change(|state| state.left = left);
            }
        }
    }

    /// Looks at a kernel until it has ended, a handler takes too long, or nobody wants to know.
    fn look(&self, control: &KernelControl) -> Seen {
        let mut calls = vec![Call::default(); control.grid() as usize];
        let (mut ended, mut stopped) = (pin!(control.ended()), pin!(self.stopped()));
        let mut first = poll_fn(|cx| {
            if stopped.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Seen::Stopped);
            }
            ended.as_mut().poll(cx).map(Seen::Ended)
        });
        let Some(limit) = self.supervisor.stalled_after else { return block_on(first) };
        let pause = (limit / 4).max(LEAST);
        let mut looked = Instant::now();
        loop {
            if let Some(seen) = block_on_deadline(&mut first, deadline(pause)) {
                return seen;
            }
            let now = Instant::now();
            if now.saturating_duration_since(looked) > pause * 3 {
                // The whole process stood still, or the machine: that says nothing about handlers.
                calls.fill(Call::default());
            }
            looked = now;
            for (shard, call) in calls.iter_mut().enumerate() {
                let at = control.kernel.at(shard);
                if let Some(time) = call.look(&at, now, limit) {
                    return Seen::Stalled(Cause::Stalled { shard, message: at.number, time });
                }
            }
        }
    }
}

/// What the watcher has seen of a kernel.
enum Seen {
    Stopped,
    Ended(Ending),
    Stalled(Cause),
}

impl fmt::Display for SupervisedStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, state, restarts, cause } = self;
        let plural = if *restarts == 1 { "" } else { "s" };
        write!(f, "{name}: {state}, {restarts} restart{plural}")?;
        match cause {
            Some(cause) => write!(f, ", the last cause: {cause}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for SupervisedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running => f.write_str("runs"),
            Self::Restarting => f.write_str("is launched again"),
            Self::GaveUp => f.write_str("was given up"),
            Self::Ended(ending) => ending.fmt(f),
        }
    }
}
