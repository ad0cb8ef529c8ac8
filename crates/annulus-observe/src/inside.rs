//! Looks at the kernels of a runtime of this process.

use std::{path::PathBuf, time::Duration};

use annulus_runtime::{KernelControl, ProcessingMode, Runtime};

use crate::{FileDamage, Inside, Kernel, Liveness, Process, TypeLayout};

/// Looks at a runtime, from inside: as [`look`](crate::look) does from outside, and at what only its own
/// process knows. The file's path is empty. A kernel's `id` is its own as long as a [`KernelControl`] of it
/// is there.
///
/// ```
/// use annulus::prelude::*;
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
/// let _ = kernel.try_send(Number { value: 1 })?;
/// kernel.drained_blocking();
/// let process = annulus_observe::look_inside(&runtime);
/// assert_eq!(process.kernels[0].sum(|shard| shard.processed), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn look_inside(runtime: &Runtime) -> Process {
    of_kernels(runtime, runtime.kernels().iter())
}

/// The same of certain kernels of a runtime.
pub(crate) fn of_kernels<'a>(runtime: &Runtime, kernels: impl Iterator<Item = &'a KernelControl>) -> Process {
    let now = runtime.now();
    Process {
        file: PathBuf::new(),
        pid: std::process::id(),
        liveness: Liveness::Running,
        backend: runtime.backend().into(),
        device: runtime.device_name(),
        other_boot: false,
        library: env!("CARGO_PKG_VERSION").into(),
        executable: std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default(),
        started: started(now),
        now,
        kernels: kernels.map(describe).collect(),
        past_bridges: Vec::new(),
        missing: runtime.missing(),
        damage: FileDamage::default(),
    }
}

/// When the runtime was built, in nanoseconds since 1970 UTC.
fn started(now: u64) -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX).saturating_sub(now)
}

fn describe(control: &KernelControl) -> Kernel {
    let look = control.look();
    let status = control.status();
    let types = [Some(look.definition.message), look.definition.output];
    let [message_layout, output_layout] = types.map(|ty| {
        ty.map(|ty| TypeLayout { size: ty.size as u32, align: ty.align as u32, hash: ty.layout_hash() })
    });
    Kernel {
        id: look.id,
        name: control.name().into(),
        kernel: look.definition.name.into(),
        message: look.definition.message.name.into(),
        output: look.definition.output.map_or("", |output| output.name).into(),
        message_layout,
        output_layout,
        memory: status.memory,
        mode: match look.mode {
            ProcessingMode::Continuous => "continuous",
            ProcessingMode::Batch => "batch",
            ProcessingMode::Adaptive => "adaptive",
        },
        block: look.block,
        max_batch: look.max_batch,
        actors: look.actors,
        inbound_capacity: look.inbound_capacity,
        outbound_capacity: look.outbound_capacity,
        queue_capacity: look.queue_capacity,
        target: look.target.map(|target| (target, true)),
        ports: look.ports,
        asks_by: look.asks_by,
        bridges: look.bridges,
        has_ended: look.has_ended,
        left_behind: look.left_behind && !look.has_ended,
        age: Some(status.uptime),
        copied: None,
        copied_at: None,
        errors: look.definition.errors.iter().map(|name| (name.code, name.name.to_owned())).collect(),
        drops: [
            status.drops.rejected,
            status.drops.evicted,
            status.drops.discarded,
            status.drops.duplicate,
            status.drops.expired,
            status.drops.undelivered,
            status.drops.cleared,
        ],
        launched_at: look.launched_at,
        tracing: look.tracing,
        slow: look.slow,
        keys: look.keys,
        rounds: look.rounds,
        sparse_keys: look.sparse_keys,
        linked: look.linked,
        shards: look.shards,
        latencies: control.latencies(),
        black_box: status.black_box.clone(),
        inside: Some(Box::new(Inside { status })),
    }
}
