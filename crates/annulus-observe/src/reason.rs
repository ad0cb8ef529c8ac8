//! Why the kernels of a process do not go on.

use std::time::Duration;

use annulus_runtime::why::{KernelLooks, Why, explain};

use crate::Process;

/// Why kernels of a process do not go on, given two looks at it that are `elapsed` apart. Kernels that were
/// launched in between are left out. For a process that is dead, both looks may be the same one.
pub fn why(before: &Process, now: &Process, elapsed: Duration) -> Why {
    let looks = now.kernels.iter().filter_map(|kernel| {
        let earlier = before.kernels.iter().find(|earlier| earlier.id == kernel.id)?;
        Some(KernelLooks {
            id: kernel.id,
            name: kernel.name.clone(),
            has_ended: kernel.has_ended,
            target: kernel.target,
            ports_before: earlier.ports.clone(),
            ports_now: kernel.ports.clone(),
            inbound_capacity: kernel.inbound_capacity,
            before: earlier.shards.clone(),
            now: kernel.shards.clone(),
            elapsed: kernel.since(earlier),
        })
    });
    explain(&looks.collect::<Vec<_>>(), elapsed)
}
