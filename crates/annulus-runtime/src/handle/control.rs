//! What one does with a kernel whatever its types.

use std::{fmt, sync::Arc, time::Duration};

use annulus_sync::wait::{block_on, block_on_deadline};

use crate::{
    backend::Compilation,
    elsewhere::elsewhere,
    error::{LifecycleError, TelemetryError},
    handle::deadline,
    kernel::{core::Transition, lifecycle::ShutdownOutcome, shared::KernelShared, status::KernelStatus},
    snapshot::{self, Snapshot, SnapshotError},
    telemetry::{LatencyHistogram, Telemetry},
};

/// A launched kernel, by its name alone: its lifecycle, status and telemetry. Does not keep it running.
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
    pub fn name(&self) -> &str {
        &self.kernel.core().name
    }

    /// The backend that runs it.
    pub fn backend(&self) -> &'static str {
        self.kernel.core().backend_name
    }

    /// Shards, one for each block.
    pub fn grid(&self) -> u32 {
        self.kernel.core().shards.len() as u32
    }

    /// Its status now. The kernel goes on meanwhile; see [`KernelStatus`] for what adds up when.
    pub fn status(&self) -> KernelStatus {
        self.kernel.status()
    }

    /// How the launch came by the program that the device runs; `None` where none is needed, as on the CPU.
    pub fn compilation(&self) -> Option<Compilation> {
        self.kernel.core().compilation.get().copied()
    }

    /// Waits until every block of the kernel runs and has answered for the first time: it is active then, or
    /// inactive if it was launched so.
    ///
    /// A launch returns before that: a device may compile when a kernel starts, load it, or wait for a place.
    /// Messages can be sent meanwhile. Whoever measures, or says "up" to others, waits for this first.
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
    /// # Errors
    ///
    /// As there.
    pub fn ready_blocking(&self) -> Result<(), LifecycleError> {
        block_on(self.ready())
    }

    /// [`ready_blocking`](Self::ready_blocking) for at most `limit`.
    ///
    /// # Errors
    ///
    /// As there, and [`LifecycleError::Timeout`]: the kernel goes on to start.
    pub fn ready_timeout(&self, limit: Duration) -> Result<(), LifecycleError> {
        block_on_deadline(self.ready(), deadline(limit)).unwrap_or(Err(LifecycleError::Timeout))
    }

    /// Lets the kernel consume messages. Done when every shard does.
    ///
    /// # Errors
    ///
    /// [`LifecycleError::Terminated`] if it has terminated.
    pub async fn activate(&self) -> Result<Transition, LifecycleError> {
        self.kernel.core().set_active(true).await
    }

    /// [`activate`](Self::activate), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn activate_blocking(&self) -> Result<Transition, LifecycleError> {
        block_on(self.activate())
    }

    /// Stops consuming; state and queues are kept, and messages can still be sent. Done when every shard has
    /// stopped: a handler that runs is finished first.
    ///
    /// # Errors
    ///
    /// [`LifecycleError::Terminated`] if it has terminated.
    pub async fn deactivate(&self) -> Result<Transition, LifecycleError> {
        self.kernel.core().set_active(false).await
    }

    /// [`deactivate`](Self::deactivate), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn deactivate_blocking(&self) -> Result<Transition, LifecycleError> {
        block_on(self.deactivate())
    }

    /// Closes the kernel to new messages: no send succeeds after this returns. What was sent before is
    /// handled. Kernels that are [connected](crate::KernelHandle::connect) to it may still send.
    pub fn close(&self) -> Transition {
        self.kernel.close()
    }

    /// Waits until everything that was sent has been handled, or the kernel has terminated. Sends may go on
    /// meanwhile; close the kernel first for an end that is final.
    ///
    /// If kernels are [connected](crate::KernelHandle::connect) to it, directly or through others, waits
    /// until they have handled everything as well, so that nothing is under way between them. One of them
    /// that is inactive, and has messages, keeps it waiting.
    pub async fn drained(&self) {
        self.kernel.drained().await;
    }

    /// [`drained`](Self::drained), blocking.
    pub fn drained_blocking(&self) {
        block_on(self.drained());
    }

    /// [`drained_blocking`](Self::drained_blocking) for at most `limit`; whether all was handled, or the
    /// kernel terminated, before it passed.
    pub fn drained_timeout(&self, limit: Duration) -> bool {
        block_on_deadline(self.drained(), deadline(limit)).is_some()
    }

    /// Stops at the next message boundary, for good, and waits until every shard has. What was left can be
    /// taken from the typed handle; replies that were sent can still be received.
    pub async fn terminate(&self) -> Transition {
        let transition = self.kernel.request_termination();
        self.kernel.finished().await;
        transition
    }

    /// [`terminate`](Self::terminate), blocking.
    pub fn terminate_blocking(&self) -> Transition {
        block_on(self.terminate())
    }

    /// A copy of all that the kernel keeps between messages. The kernel must be inactive, or have terminated;
    /// nothing activates it meanwhile.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Active`], or what the device says.
    pub async fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        snapshot::take(&self.kernel).await
    }

    /// [`snapshot`](Self::snapshot), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn snapshot_blocking(&self) -> Result<Snapshot, SnapshotError> {
        block_on(self.snapshot())
    }

    /// Sets all that the kernel keeps between messages to what a snapshot says: one of this kernel, with as
    /// many actors and as much bound memory, on any backend and any grid. The kernel must be inactive;
    /// nothing activates it meanwhile.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] says what does not fit. If the device fails in the middle, the state is partly set.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        snapshot::restore(&self.kernel, snapshot).await
    }

    /// [`restore`](Self::restore), blocking.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn restore_blocking(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        block_on(self.restore(snapshot))
    }

    /// Starts to write telemetry and hands out the value that polls it.
    ///
    /// # Errors
    ///
    /// [`TelemetryError::NoLines`] if the runtime's arena was exhausted when the kernel was launched;
    /// [`TelemetryError::Terminated`] if the kernel has terminated.
    pub fn enable_telemetry(&self) -> Result<Telemetry, TelemetryError> {
        Telemetry::enable(Arc::clone(&self.kernel), self.arena_lines)
    }

    /// The latencies of every message so far, if the kernel was launched with `track_latency`.
    pub fn latencies(&self) -> Option<LatencyHistogram> {
        LatencyHistogram::read(self.kernel.core())
    }

    pub(crate) fn shut_down(&self, limit: Duration) -> ShutdownOutcome {
        self.kernel.shut_down(limit)
    }

    /// [`shut_down`](Self::shut_down) on a thread of its own.
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
