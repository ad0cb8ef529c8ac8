//! A backend that obeys every command and runs no handler: for tests of the contract, and for measuring the
//! host's own cost.

use std::{
    any::Any,
    mem::MaybeUninit,
    sync::{Arc, Mutex, PoisonError},
};

use annulus_abi::control::{command, state};
use annulus_block::Progress;
use annulus_ring::memory::{ShardMemory, SharedMemory};
use annulus_sync::{Ordering, fence};

use crate::backend::{
    BackendError, Capabilities, DeviceBackend, DeviceInfo, DeviceKernel, HostSignals, LaunchSpec, Link,
};

/// The backend that runs nothing. Messages that are sent to its kernels wait until the kernel is terminated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noop;

// SAFETY: it touches no ring, and calls no handler.
unsafe impl DeviceBackend for Noop {
    fn name(&self) -> &'static str {
        "noop"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        vec![DeviceInfo {
            name: "no device".into(),
            parallel_blocks: 0,
            capabilities: Capabilities::ALL,
            notes: vec!["obeys commands, runs no handler".into()],
        }]
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        SharedMemory::host(bytes)
            .ok_or_else(|| BackendError::new(format!("no {bytes} bytes of memory are free")))
    }

    fn shares_any_memory(&self) -> bool {
        true
    }

    fn follows_any_clock(&self) -> bool {
        true
    }

    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        let shard = |memory| NoopShard { memory, signals: Mutex::new(Some(Arc::clone(&spec.signals))) };
        Ok(Box::new(NoopKernel { shards: spec.shards.into_iter().map(shard).collect() }))
    }
}

struct NoopKernel {
    shards: Box<[NoopShard]>,
}

struct NoopShard {
    memory: ShardMemory,
    /// The signals, until the kernel has terminated.
    signals: Mutex<Option<Arc<dyn HostSignals>>>,
}

impl DeviceKernel for NoopKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn wake(&self, shard: u32) {
        // SYNC: none: as `wake` promises; nothing sleeps here.
        fence(Ordering::SeqCst);
        let NoopShard { memory, signals } = &self.shards[shard as usize];
        let mut slot = signals.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(signals) = slot.clone() else { return };
        // SYNC: command (acquire)
        let command = memory.command().load(Ordering::Acquire);
        let next = if command & command::TERMINATE != 0 {
            *slot = None;
            state::TERMINATED
        } else if command & command::ACTIVE != 0 {
            state::ACTIVE
        } else {
            state::INACTIVE
        };
        // SYNC: state (release), both
        let before = memory.state().swap(next, Ordering::AcqRel);
        let obeyed = memory.acknowledged().swap(command, Ordering::AcqRel);
        drop(slot);
        if (before, obeyed) != (next, command) {
            signals.progressed(shard, Progress { state_changed: true, ..Progress::default() });
        }
    }

    unsafe fn read_states(&self, _: u32, _: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        keeps_nothing()
    }

    unsafe fn write_states(&self, _: u32, _: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        keeps_nothing()
    }

    unsafe fn read_actors(&self, _: u32, _: &mut [u64]) -> Result<(), BackendError> {
        keeps_nothing()
    }

    unsafe fn write_actors(&self, _: u32, _: &[u64]) -> Result<(), BackendError> {
        keeps_nothing()
    }

    unsafe fn read_binding(&self, _: usize, _: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        keeps_nothing()
    }

    unsafe fn write_binding(&self, _: usize, _: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        keeps_nothing()
    }

    unsafe fn connect(&self, _: usize, _: Option<Link>) -> Result<(), BackendError> {
        Ok(())
    }

    fn set_topic(&self, _: usize, _: u64) {}
}

fn keeps_nothing() -> Result<(), BackendError> {
    Err(BackendError::new("the noop backend keeps no state: launch on another one"))
}
