//! What a program can do with a kernel without knowing its types.

use std::{fmt, sync::Arc, time::Duration};

use annulus_sync::wait::{block_on, block_on_deadline};

use crate::{
    backend::Compilation,
    elsewhere::elsewhere,
    error::{LifecycleError, TelemetryError},
    kernel::{
        core::Transition,
        lifecycle::ShutdownOutcome,
        metrics::KernelMetrics,
        shared::KernelShared,
        status::{Ending, KernelStatus},
    },
    snapshot::{self, Snapshot, SnapshotError},
    telemetry::{LatencyHistogram, Telemetry},
    time::deadline,
};

/// A launched kernel without its types: its lifecycle, status and telemetry. Does not keep the kernel
/// running.
#[derive(Clone)]
pub struct KernelControl {
    pub(crate) kernel: Arc<KernelShared>,
    arena_lines: usize,
}

impl KernelControl {
    pub(crate) fn new(kernel: Arc<KernelShared>, arena_lines: usize) -> Self {
        Self { kernel, arena_lines }
    }

    /// The instance's name.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert_eq!(launched().name(), "double");
    /// ```
    pub fn name(&self) -> &str {
        &self.kernel.core().name
    }

    /// The name of the backend that runs the kernel.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert_eq!(launched().backend(), "cpu");
    /// ```
    pub fn backend(&self) -> &'static str {
        self.kernel.core().backend_name
    }

    /// Number of shards, one for each block.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert_eq!(launched_with(LaunchOptions::production().grid(4)).grid(), 4);
    /// ```
    pub fn grid(&self) -> u32 {
        self.kernel.core().shards.len() as u32
    }

    /// The kernel's status now. The kernel goes on meanwhile; [`KernelStatus`] says when its counts add up.
    ///
    /// Reads a few words of each shard. Of a kernel with several outboxes it also reads a word of each output that waits, to
    /// count those of each outbox; nobody receives meanwhile. And it collects the dead letters that the shards have shown.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let status = kernel.status();
    /// assert_eq!((status.sent, status.processed, status.produced, status.pending), (10, 10, 10, 0));
    /// println!("{status}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn status(&self) -> KernelStatus {
        self.kernel.collect_dead_letters();
        self.kernel.status()
    }

    /// The kernel's rates since its launch. For another window, use [`KernelStatus::since`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.send_batch_blocking(&numbers(0..100))?;
    /// kernel.drained_blocking();
    /// let metrics = kernel.metrics();
    /// assert!(metrics.processed > 0.0 && metrics.memory.total() > 0);
    /// println!("{metrics}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn metrics(&self) -> KernelMetrics {
        self.status().since_launch()
    }

    /// How the launch got the program that the device runs; `None` if no program is needed, as on the CPU.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// assert_eq!(launched().compilation(), None); // on the CPU
    /// ```
    pub fn compilation(&self) -> Option<Compilation> {
        self.kernel.core().compilation.get().copied()
    }

    /// Waits until every block of the kernel runs and has answered for the first time. The kernel is then
    /// active, or inactive if it was launched so.
    ///
    /// A launch returns before that: when a kernel starts, the device may still compile it, load it, or wait
    /// for a place. Messages can be sent meanwhile. Wait for this before you measure, or before you tell
    /// others that the kernel is up.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// # use annulus_runtime::{LaunchOptions, Noop, Runtime, prelude::*};
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number {
    /// #     value: u64,
    /// # }
    /// # #[ring_kernel]
    /// # fn swallow(number: &Number) {}
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let kernel = swallow::launch(&runtime, LaunchOptions::production().grid(4))?;
    /// kernel.ready_blocking()?; // or `ready().await`
    /// assert!(kernel.status().is_active());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LifecycleError::Terminated`] if it has terminated, or is about to.
    pub async fn ready(&self) -> Result<(), LifecycleError> {
        self.kernel.core().ready().await
    }

    /// [`ready`](Self::ready), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// launched().ready_blocking()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn ready_blocking(&self) -> Result<(), LifecycleError> {
        block_on(self.ready())
    }

    /// [`ready_blocking`](Self::ready_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use std::time::Duration;
    /// launched().ready_timeout(Duration::from_secs(60))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`LifecycleError::Timeout`]: the kernel goes on to start.
    pub fn ready_timeout(&self, limit: Duration) -> Result<(), LifecycleError> {
        block_on_deadline(self.ready(), deadline(limit)).unwrap_or(Err(LifecycleError::Timeout))
    }

    /// Lets the kernel consume messages. Returns when every shard has become active.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = launched_with(LaunchOptions::production().active(false));
    /// let _ = kernel.send(Number { value: 21 }).await?;
    /// kernel.activate().await?;
    /// assert_eq!(kernel.recv().await?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LifecycleError::Terminated`] if it has terminated.
    pub async fn activate(&self) -> Result<Transition, LifecycleError> {
        self.kernel.core().set_active(true).await
    }

    /// [`activate`](Self::activate), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Transition;
    /// let kernel = launched_with(LaunchOptions::production().active(false));
    /// assert_eq!(kernel.activate_blocking(), Ok(Transition::Done));
    /// assert_eq!(kernel.activate_blocking(), Ok(Transition::Already));
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn activate_blocking(&self) -> Result<Transition, LifecycleError> {
        block_on(self.activate())
    }

    /// Stops consuming messages. State and queues are kept, and messages can still be sent. Returns when
    /// every shard has stopped; a handler that is running is finished first.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// kernel.deactivate().await?;
    /// let _ = kernel.send(Number { value: 21 }).await?;
    /// assert_eq!(kernel.status().pending, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LifecycleError::Terminated`] if it has terminated.
    pub async fn deactivate(&self) -> Result<Transition, LifecycleError> {
        self.kernel.core().set_active(false).await
    }

    /// [`deactivate`](Self::deactivate), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::LifecycleError;
    /// let kernel = launched();
    /// kernel.deactivate_blocking()?;
    /// assert!(!kernel.status().is_active());
    /// kernel.terminate_blocking();
    /// assert_eq!(kernel.deactivate_blocking(), Err(LifecycleError::Terminated));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn deactivate_blocking(&self) -> Result<Transition, LifecycleError> {
        block_on(self.deactivate())
    }

    /// Closes the kernel to new messages: no send succeeds after this returns. Messages that were sent before
    /// are handled. Kernels that are [connected](crate::KernelHandle::connect) to it may still send.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let _ = kernel.try_send(Number { value: 21 })?;
    /// kernel.close();
    /// assert_eq!(kernel.try_send(Number { value: 22 }), Err(TrySendError::Closed(Number { value: 22 })));
    /// assert_eq!(kernel.recv_blocking()?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(&self) -> Transition {
        self.kernel.close()
    }

    /// Waits until everything that was sent has been handled, or the kernel has terminated. Sends may go on
    /// meanwhile; close the kernel first if nothing may come after.
    ///
    /// A kernel whose outputs have filled their ring waits until somebody receives them, and so does this. Receive them at the
    /// same time, in another thread or task, give the ring room for all ([`output_capacity`](crate::LaunchOptions::output_capacity)),
    /// or use [`drained_timeout`](Self::drained_timeout), which says that something was left.
    ///
    /// If kernels are [connected](crate::KernelHandle::connect) to this one, or a
    /// [bridge](crate::KernelHandle::bridge_to) leads from them, directly or through others, this also waits until
    /// those have handled everything, so that nothing is under way between them. If one of them is inactive and has
    /// messages, this keeps waiting. What they have [asked](annulus_kernel::Ask) other kernels is waited for, too, until it is
    /// answered, or has ended otherwise, and what came of it is handled. Other messages that they send to themselves to be
    /// taken later are not. A bridge to several kernels is waited for until each of them has its share. Queues in
    /// between are not looked at.
    ///
    /// The dead letters of this kernel, and of those, are collected then.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// kernel.send_batch(&numbers(0..100)).await?;
    /// kernel.drained().await;
    /// assert_eq!(kernel.status().pending, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn drained(&self) {
        self.kernel.drained().await;
    }

    /// [`drained`](Self::drained), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.send_batch_blocking(&numbers(0..100))?;
    /// kernel.drained_blocking();
    /// assert_eq!(kernel.status().pending, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drained_blocking(&self) {
        block_on(self.drained());
    }

    /// [`drained_blocking`](Self::drained_blocking) for at most `limit`. Returns whether everything was
    /// handled, or the kernel terminated, before the limit passed.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use std::time::Duration;
    /// let kernel = launched_with(LaunchOptions::production().active(false));
    /// let _ = kernel.try_send(Number { value: 21 })?;
    /// assert!(!kernel.drained_timeout(Duration::from_millis(1)));
    /// kernel.activate_blocking()?;
    /// assert!(kernel.drained_timeout(Duration::from_secs(60)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drained_timeout(&self, limit: Duration) -> bool {
        block_on_deadline(self.drained(), deadline(limit)).is_some()
    }

    /// Stops the kernel at the next message boundary, for good, and waits until every shard has stopped. The
    /// messages that were left can be taken from the typed handle; replies that were sent can still be
    /// received.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// kernel.terminate().await;
    /// assert_eq!(kernel.recv().await, Err(RecvError::Closed));
    /// # });
    /// ```
    pub async fn terminate(&self) -> Transition {
        let transition = self.kernel.request_termination();
        self.kernel.finished().await;
        transition
    }

    /// [`terminate`](Self::terminate), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{KernelState, Transition};
    /// let kernel = launched();
    /// assert_eq!(kernel.terminate_blocking(), Transition::Done);
    /// assert_eq!(kernel.terminate_blocking(), Transition::Already);
    /// assert_eq!(kernel.status().state, KernelState::Terminated);
    /// ```
    pub fn terminate_blocking(&self) -> Transition {
        block_on(self.terminate())
    }

    /// Waits until the kernel has terminated, and says why. Does not terminate it.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::Ending;
    /// let kernel = launched();
    /// kernel.terminate_blocking();
    /// assert_eq!(annulus::block_on(kernel.ended()), Ending::Asked);
    /// ```
    pub async fn ended(&self) -> Ending {
        self.kernel.ended().await
    }

    /// [`ended`](Self::ended), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::Ending;
    /// let kernel = launched();
    /// let control = (*kernel).clone();
    /// drop(kernel); // the last handle
    /// assert_eq!(control.ended_blocking(), Ending::Asked);
    /// ```
    pub fn ended_blocking(&self) -> Ending {
        block_on(self.ended())
    }

    /// [`ended_blocking`](Self::ended_blocking) for at most `limit`; `None` if the kernel still runs then.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use std::time::Duration;
    /// assert_eq!(launched().ended_timeout(Duration::from_millis(1)), None);
    /// ```
    pub fn ended_timeout(&self, limit: Duration) -> Option<Ending> {
        block_on_deadline(self.ended(), deadline(limit))
    }

    /// A copy of everything that the kernel keeps between messages. The kernel must be inactive, or have
    /// terminated; nothing can activate it meanwhile.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = accounts();
    /// kernel.deactivate().await?;
    /// assert_eq!(kernel.snapshot().await?.states::<i64>()?, [100, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Active`], or the device's error.
    pub async fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        snapshot::take(&self.kernel).await
    }

    /// [`snapshot`](Self::snapshot), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::SnapshotError;
    /// let kernel = accounts();
    /// let active = SnapshotError::Active { kernel: "keep".into() };
    /// assert_eq!(kernel.snapshot_blocking().unwrap_err(), active);
    /// kernel.deactivate_blocking()?;
    /// assert_eq!(kernel.snapshot_blocking()?.states::<i64>()?, [100, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn snapshot_blocking(&self) -> Result<Snapshot, SnapshotError> {
        block_on(self.snapshot())
    }

    /// Sets everything that the kernel keeps between messages from a snapshot. The snapshot must be of this
    /// kernel, with as many actors and as much bound memory; its backend and grid may differ. The kernel must
    /// be inactive; nothing can activate it meanwhile.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let kernel = accounts();
    /// kernel.deactivate().await?;
    /// let mut snapshot = kernel.snapshot().await?;
    /// snapshot.set_states(&[1_i64, 2, 3])?;
    /// kernel.restore(&snapshot).await?;
    /// assert_eq!(kernel.snapshot().await?.states::<i64>()?, [1, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] says what does not fit. If the device fails in the middle, the state is partly set.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        snapshot::restore(&self.kernel, snapshot).await
    }

    /// [`restore`](Self::restore), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = accounts();
    /// kernel.terminate_blocking();
    /// let last = kernel.snapshot_blocking()?;
    ///
    /// // With the same number of actors, on another grid.
    /// let options = LaunchOptions::production().actors(3).grid(2).active(false);
    /// let again = keep::launch(&Runtime::builder().build()?, options)?;
    /// again.restore_blocking(&last)?;
    /// assert_eq!(again.snapshot_blocking()?.states::<i64>()?, [100, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn restore_blocking(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        block_on(self.restore(snapshot))
    }

    /// Starts to write telemetry, and returns the value that polls it.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// assert_eq!(telemetry.poll().messages_processed, 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TelemetryError::NoLines`] if the runtime's arena was exhausted when the kernel was launched;
    /// [`TelemetryError::Terminated`] if the kernel has terminated.
    pub fn enable_telemetry(&self) -> Result<Telemetry, TelemetryError> {
        Telemetry::enable(Arc::clone(&self.kernel), self.arena_lines)
    }

    /// The latencies of every message so far, if the kernel was launched with `track_latency`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched_with(LaunchOptions::production().track_latency(true));
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let latencies = kernel.latencies().expect("they are tracked");
    /// assert_eq!(latencies.count(), 10);
    /// println!("99 % within {:?}", latencies.quantile_time(0.99));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn latencies(&self) -> Option<LatencyHistogram> {
        LatencyHistogram::read(self.kernel.core())
    }

    pub(crate) fn shut_down(&self, limit: Duration) -> ShutdownOutcome {
        self.kernel.shut_down(limit)
    }

    /// [`shut_down`](Self::shut_down) on a separate thread.
    pub(crate) async fn shut_down_elsewhere(&self, limit: Duration) -> ShutdownOutcome {
        let control = self.clone();
        elsewhere("annulus-shutdown", move || control.shut_down(limit)).await
    }
}

impl fmt::Debug for KernelControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelControl").field("name", &self.name()).finish_non_exhaustive()
    }
}
