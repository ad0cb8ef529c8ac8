//! Why the kernels of a process do not go on.

use std::time::Duration;

use annulus_runtime::why::{KernelLooks, Why, explain};

use crate::{Kernel, Liveness, Process};

/// Why kernels of a process do not go on, given two looks at it that are `elapsed` apart. Kernels that were
/// launched in between are left out.
///
/// Of a process that is dead, nothing goes on, and no time passes between two looks: only what its kernels waited for at the
/// end is told. What its shards were at is told by [`autopsy`](crate::autopsy).
///
/// Its kernels may wait for kernels of other runtimes, over bridges: [`why_together`] finds out what these wait for.
pub fn why(before: &Process, now: &Process, elapsed: Duration) -> Why {
    let looks = looks(before, now, now.started, |runtime| runtime);
    let elapsed = if now.liveness == Liveness::Running { elapsed } else { Duration::ZERO };
    explain(&looks, elapsed)
}

/// Why kernels do not go on, of several runtimes together, each at two looks: the earlier, and now. Of each runtime, what is
/// wrong with its own kernels, and which of others wait for that. Runtimes of one process may have bridges between them.
pub fn why_together(looks_at: &[(&Process, &Process)], elapsed: Duration) -> Vec<Why> {
    // What is dead is told by itself: no time passes there.
    let lives = |process: &Process| process.liveness == Liveness::Running;
    // By their places: nothing else tells all of them apart.
    let number = |place: usize| place as u64 + 1;
    let all: Vec<KernelLooks> = (looks_at.iter().enumerate())
        .filter(|(_, (_, now))| lives(now))
        .flat_map(|(place, (before, now))| {
            let is_it = |other: &Process, runtime| (other.pid, other.started) == (now.pid, runtime);
            let of_runtime = |runtime| {
                let place = looks_at.iter().position(|(_, other)| lives(other) && is_it(other, runtime));
                // One that was not looked at.
                place.map_or(u64::MAX, number)
            };
            looks(before, now, number(place), of_runtime)
        })
        .collect();
    let mut found = vec![Why::default(); looks_at.len()];
    for mut finding in explain(&all, elapsed).findings {
        let started = |number: u64| looks_at[number as usize - 1].1.started;
        let place = finding.runtime as usize - 1;
        finding.runtime = started(finding.runtime);
        finding.waiting.iter_mut().flatten().for_each(|step| step.runtime = started(step.runtime));
        found[place].findings.push(finding);
    }
    for (why_dead, (before, now)) in found.iter_mut().zip(looks_at).filter(|(_, (_, now))| !lives(now)) {
        *why_dead = why(before, now, Duration::ZERO);
    }
    found
}

/// The same, and of each runtime also what its own kernels wait for in others.
pub(crate) fn why_each(looks_at: &[(&Process, &Process)], elapsed: Duration) -> Vec<Why> {
    let found = why_together(looks_at, elapsed);
    let of = |place: usize| {
        let own: &Process = looks_at[place].1;
        let others = (looks_at.iter().zip(&found).enumerate())
            .filter(|(other, ((_, now), _))| *other != place && now.pid == own.pid)
            .flat_map(|(_, (_, why))| &why.findings)
            .filter(|finding| finding.waiting.iter().flatten().any(|step| step.runtime == own.started));
        Why { findings: found[place].findings.iter().chain(others).cloned().collect() }
    };
    (0..looks_at.len()).map(of).collect()
}

/// The kernels of a process at two looks. `runtime` is its runtime's number; `of_runtime` says that of others, by when they were
/// built.
fn looks(before: &Process, now: &Process, runtime: u64, of_runtime: impl Fn(u64) -> u64) -> Vec<KernelLooks> {
    let bridges = |kernel: &Kernel| {
        let mut bridges = kernel.bridges.clone();
        for target in bridges.iter_mut().filter_map(|bridge| bridge.waits_for.as_mut()) {
            if target.runtime != 0 {
                target.runtime = of_runtime(target.runtime);
            }
        }
        bridges
    };
    let before = if now.liveness == Liveness::Running { before } else { now };
    let looks = now.kernels.iter().filter_map(|kernel| {
        let earlier = before.kernels.iter().find(|earlier| earlier.id == kernel.id)?;
        Some(KernelLooks {
            id: kernel.id,
            runtime,
            bridges_before: bridges(earlier),
            bridges_now: bridges(kernel),
            name: kernel.name.clone(),
            has_ended: kernel.has_ended,
            target: kernel.target,
            ports_before: earlier.ports.clone(),
            ports_now: kernel.ports.clone(),
            asks_by: kernel.asks_by,
            inbound_capacity: kernel.inbound_capacity,
            before: earlier.shards.clone(),
            now: kernel.shards.clone(),
            elapsed: kernel.since(earlier),
            keys: kernel.keys,
            rounds: kernel.rounds,
            linked: kernel.linked,
            linked_before: earlier.linked,
        })
    });
    looks.collect()
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
