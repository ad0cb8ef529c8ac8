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
            linked_before: earlier.linked,
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

    /// O-01: what other kernels have sent over a device's memory waits, and has rings of its own.
    #[test]
    fn o_01_what_waits_in_a_devices_memory() {
        let shards = vec![Shard { pending: 64, ..shard(Phase::Inactive, 0, 0) }; 2];
        let mut kernel = look(0, shards).kernels.remove(0);
        assert_eq!((kernel.waiting(), kernel.fullness()), (128, 0.25));
        kernel.linked = 256;
        assert_eq!((kernel.waiting(), kernel.fullness()), (384, 0.5));
        let told = |kernel: &crate::Kernel| {
            let mut process = look(0, Vec::new());
            process.kernels = vec![kernel.clone()];
            why(&process, &process, Duration::from_millis(500)).to_string()
        };
        kernel.linked = 512;
        assert_eq!(kernel.fullness(), 1.0);
        kernel.linked = 256;
        kernel.shards.iter_mut().for_each(|shard| shard.state = annulus_abi::control::state::INACTIVE);
        let text = "`detect` shards 0 and 1 are inactive: activate the kernel; 384 messages are in its rings";
        assert_eq!(told(&kernel), text);
    }
}
