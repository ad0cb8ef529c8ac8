//! What bridges bring to a kernel: when nothing of it is on the way, and the end of kernels that bridges connect.
//!
//! # Drained
//!
//! A kernel is drained when everything that was sent to it has been handled, and everything that was sent to kernels from which
//! links or bridges lead to it, with all that came of it. For links, [`links`](crate::links) says how that is found. Between
//! devices there is no scan of everything: it is found step by step.
//!
//! *A pass* takes the kernels that are upstream, sources before their targets. Of each, it waits until the bridges that lead to it
//! are clear ([`annulus_sync::transit`]), and then until it has handled all, as its links say. The sources of those bridges came
//! before, so what they had sent when the pass began is in their rings, or further on. Each step thus waits for what the last one
//! has left, and at the end nothing is left of what was there at the beginning.
//!
//! *Bridges may form a cycle.* Then what a kernel sends comes back to one that was looked at before. A pass in which no bridge has
//! taken anything, and at whose end all are clear, is the last one: each kernel has rested at some time in it, and nothing has
//! come to it since.
//!
//! What is upstream changes when a kernel is closed or a bridge ends. Then the pass begins anew. Whether there is a cycle is asked
//! before a pass, since a bridge may end in it. At its end the bridges are first found clear, and then their counts are compared: what a
//! bridge had before it was found clear is counted.
//!
//! A bridge to several kernels is clear when each of them has its share: a target waits for the slowest.
//!
//! A bridge that has ended brings nothing, and neither does one to a kernel that was closed: what it left lies in the source, for
//! the program.
//!
//! # The end
//!
//! Kernels that are shut down together are closed at once, so that nobody sends any more. But a bridge sends as the host does. So
//! a kernel to which one leads is closed later: when the sources have terminated, and the bridges have ended, which is when all
//! outputs have come.

use std::{
    pin::pin,
    sync::{Arc, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use annulus_abi::vitals::bridges::BridgeCounts;
use annulus_sync::event::Event;

use super::{
    First,
    carry::{Bridges, Crossing},
    task::Task,
};
use crate::{
    kernel::{lifecycle::ShutdownOutcome, shared::KernelShared},
    links,
    within::Sleep,
};

/// How long it takes at most until somebody sees that another receiver has taken the last output of a bridge's source, and the
/// time between two passes. Source: this project's choice; where the bridge alone receives, and there is no cycle, all is told at once.
const AGAIN: Duration = Duration::from_millis(2);
/// How long a bridge that was stopped may need to end. Source: this project's choice: it moves one batch, if none of its ends hangs.
const ENDING: Duration = Duration::from_secs(1);

/// A bridge, as a kernel knows it to which it leads.
pub(super) struct Feeder {
    source: Weak<KernelShared>,
    crossing: Weak<Crossing>,
    task: Weak<Task>,
}

/// The same, while it works.
pub(crate) struct Feeding {
    pub(crate) source: Arc<KernelShared>,
    crossing: Arc<Crossing>,
    task: Weak<Task>,
}

impl Bridges {
    /// One more leads to the kernel.
    pub(super) fn add_feeder(&self, source: &Arc<KernelShared>, crossing: &Arc<Crossing>, task: &Arc<Task>) {
        let (source, crossing) = (Arc::downgrade(source), Arc::downgrade(crossing));
        let mut feeders = self.lock_feeders();
        feeders.retain(|feeder| feeder.crossing.strong_count() != 0);
        feeders.push(Feeder { source, crossing, task: Arc::downgrade(task) });
    }

    /// Those that lead from kernels to this one, and have not ended.
    fn feeders(&self) -> Vec<Feeding> {
        let found: Vec<_> = {
            let feeders = self.lock_feeders();
            feeders
                .iter()
                .map(|one| (one.source.upgrade(), one.crossing.upgrade(), one.task.clone()))
                .collect()
        };
        // One may go, and its source with it: not under the lock.
        let feeding = |(source, crossing, task): (Option<_>, Option<Arc<Crossing>>, _)| {
            Some(Feeding {
                source: source?,
                crossing: crossing.filter(|crossing| !crossing.has_ended())?,
                task,
            })
        };
        found.into_iter().filter_map(feeding).collect()
    }

    fn lock_feeders(&self) -> MutexGuard<'_, Vec<Feeder>> {
        // The list is whole between any two statements.
        self.feeders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KernelShared {
    /// The bridges that lead from kernels to this one. None does to one that was closed, whether or not it has found that out.
    pub(crate) fn feeders(&self) -> Vec<Feeding> {
        if self.is_lane_closed(0) { Vec::new() } else { self.bridges.feeders() }
    }
}

impl Feeding {
    pub(crate) fn number(&self) -> u64 {
        self.crossing.number()
    }

    /// Ends it where it stands. What it holds stays held; nothing, if it is clear.
    pub(crate) fn stop(&self) {
        if let Some(task) = self.task.upgrade() {
            self.crossing.stop(&task);
        }
        self.crossing.ended_within(ENDING);
    }

    /// Waits until nothing is on the way over it.
    pub(crate) async fn until_clear(&self) {
        while !self.is_clear() {
            let listener = self.crossing.transit().listen();
            if self.is_clear() {
                return;
            }
            super::first(pin!(listener), pin!(Sleep::after(AGAIN))).await;
        }
    }

    /// Whether it has ended, or the source has sent nothing that it has not delivered.
    fn is_clear(&self) -> bool {
        // In this order (`SYNC: clear`).
        self.crossing.has_ended()
            || self.source.has_no_output(self.crossing.port()) && self.crossing.transit().is_clear()
    }

    /// Waits until it has ended, since its source has. Whatever is left after `limit` stays where it is, and so does what waits
    /// for room in a kernel that is inactive.
    fn end(&self, limit: Duration) {
        let start = Instant::now();
        let waits_in_vain = || self.crossing.waited_for().is_some_and(|target| !target.is_active());
        loop {
            let left = limit.saturating_sub(start.elapsed());
            if self.crossing.ended_within(left.min(AGAIN)) {
                return;
            }
            if left.is_zero() || waits_in_vain() {
                break;
            }
        }
        self.stop();
    }
}

/// The kernels from which links and bridges lead to this one, and this one; each behind its sources, if it is in no cycle.
fn upstream(kernel: &Arc<KernelShared>) -> Vec<Arc<KernelShared>> {
    links::with_sources(std::slice::from_ref(kernel))
}

/// Whether some bridge to one of these kernels comes from one to which that one leads.
fn is_cycle(kernels: &[Arc<KernelShared>]) -> bool {
    let comes_back = |kernel: &Arc<KernelShared>, feeder: &Feeding| {
        upstream(&feeder.source).iter().any(|source| Arc::ptr_eq(source, kernel))
    };
    kernels.iter().any(|kernel| kernel.feeders().iter().any(|feeder| comes_back(kernel, feeder)))
}

/// The bridges to these kernels.
fn feeders(kernels: &[Arc<KernelShared>]) -> Vec<Feeding> {
    kernels.iter().flat_map(|kernel| kernel.feeders()).collect()
}

fn is_same(these: &[Arc<KernelShared>], others: &[Arc<KernelShared>]) -> bool {
    these.len() == others.len() && these.iter().zip(others).all(|(this, other)| Arc::ptr_eq(this, other))
}

/// What these bridges have done so far.
fn done(feeders: &[Feeding]) -> Vec<BridgeCounts> {
    feeders.iter().map(|feeder| feeder.crossing.done()).collect()
}

/// Waits until the kernel is drained; see the module.
pub(crate) async fn drained(kernel: &Arc<KernelShared>) {
    loop {
        let kernels = upstream(kernel);
        let feeders = feeders(&kernels);
        if feeders.is_empty() {
            return kernel.rests().await;
        }
        // One that is closed has no sources any more, and one that has terminated is not waited for. So what is waited for
        // changes when one is closed, or a bridge ends.
        let closed = kernels.iter().map(|kernel| &kernel.core().closed);
        let ends = feeders.iter().map(|feeder| feeder.crossing.end());
        let changes = closed.chain(ends).map(Event::listen).collect();
        if !is_same(&kernels, &upstream(kernel)) || feeders.iter().any(|feeder| feeder.crossing.has_ended()) {
            continue;
        }
        let (is_cycle, before) = (is_cycle(&kernels), done(&feeders));
        let pass = async {
            for kernel in &kernels {
                for feeder in kernel.feeders() {
                    feeder.until_clear().await;
                }
                kernel.rests().await;
            }
        };
        if let First::A(()) = super::first(pin!(super::any(changes)), pin!(pass)).await {
            continue;
        }
        // In this order: what a bridge had before it was found clear is counted.
        if !is_cycle || feeders.iter().all(Feeding::is_clear) && before == done(&feeders) {
            return;
        }
        // Something goes round; others have their turn meanwhile.
        Sleep::after(AGAIN).await;
    }
}

/// Shuts these kernels down, sources before their targets, all within `limit`; see the module.
pub(crate) fn shut_down(kernels: Vec<Arc<KernelShared>>, limit: Duration) -> Vec<(String, ShutdownOutcome)> {
    let start = Instant::now();
    let left = || limit.saturating_sub(start.elapsed());
    let is_fed = |kernel: &Arc<KernelShared>| {
        // Or it has terminated before, and its outputs are on the way.
        let is_one = |feeder: &Feeding| {
            feeder.source.core().is_finished()
                || kernels.iter().any(|other| Arc::ptr_eq(other, &feeder.source))
        };
        kernel.feeders().iter().any(is_one)
    };
    for kernel in kernels.iter().filter(|kernel| !is_fed(kernel)) {
        kernel.close();
    }
    let shut_down = |kernel: Arc<KernelShared>| {
        // Of a cycle, one is first; the source of a bridge that leads to it runs on.
        let feeders = kernel.feeders();
        for feeder in feeders.iter().filter(|feeder| feeder.source.core().is_finished()) {
            feeder.end(left());
        }
        let outcome = kernel.shut_down(left());
        (kernel.core().name.clone(), outcome)
    };
    links::sources_first(kernels.clone()).into_iter().map(shut_down).collect()
}
