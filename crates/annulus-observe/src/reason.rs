//! Why the kernels of a process do not go on.

use std::time::Duration;

use annulus_runtime::why::{KernelLooks, Why, explain};

use crate::{Liveness, Process};

/// Why kernels of a process do not go on, given two looks at it that are `elapsed` apart. Kernels that were
/// launched in between are left out.
///
/// Of a process that is dead, nothing goes on, and no time passes between two looks: only what its kernels waited for at the
/// end is told. What its shards were at is told by [`autopsy`](crate::autopsy).
pub fn why(before: &Process, now: &Process, elapsed: Duration) -> Why {
    let (before, elapsed) = match now.liveness {
        Liveness::Running => (before, elapsed),
        Liveness::Dead => (now, Duration::ZERO),
    };
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
            keys: kernel.keys,
            linked: kernel.linked,
        })
    });
    explain(&looks.collect::<Vec<_>>(), elapsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Phase, Shard,
        profile::tests::{look, shard},
    };

    /// O-01: a process that died takes no message between two looks. That is no cause, and no handler takes long.
    #[test]
    fn o_01_the_dead_are_not_accused() {
        for phase in [Phase::Asleep, Phase::InHandler] {
            let shards = || vec![Shard { pending: 5, accepted: 12, ..shard(phase, 3, 7) }];
            let told = |liveness| {
                let [before, now] = [0, 500].map(|at| Process { liveness, ..look(at, shards()) });
                why(&before, &now, Duration::from_millis(500)).findings.len()
            };
            assert_eq!((told(Liveness::Running), told(Liveness::Dead)), (1, 0), "{phase:?}");
        }
    }
}
