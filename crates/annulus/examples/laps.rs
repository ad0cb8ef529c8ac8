//! Two teams of runners go from lap to lap together: each team is a kernel, each runner an actor. At a
//! barrier with a name they come together with the host, the referee; a runner who stays away is missing when
//! the limit is over.
//!
//! `cargo run -p annulus --example laps -- [cpu|opencl]`

mod common;

use std::time::Duration;

use annulus::{
    barrier::{Arrive, BarrierPlan, Passed},
    prelude::*,
};

/// Runners of each team.
const RUNNERS: u32 = 2;
/// Both teams, and the referee.
const PARTIES: u32 = 2 * RUNNERS + 1;
const REFEREE: u32 = 2 * RUNNERS;
const LAPS: u64 = 6;

// ANCHOR: handler
/// What a runner is told: to start, or that a lap is over for all.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Told {
    Start {
        #[ring(key)]
        runner: u32,
    },
    #[ring(from)]
    Over(Passed),
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Run {
    runner: u32,
    meters: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Runner {
    meters: u64,
}

/// `first` is what the team's first runner says at the line. Runner 1 is too tired for a third lap.
#[ring_kernel(connectable = true)]
fn team(told: &Told, so_far: &mut Runner, first: &Arrive, line: &Outbox<Arrive>, runs: &Outbox<Run>) {
    let (actor, generation) = match told {
        Told::Start { runner } => (*runner, 0),
        Told::Over(passed) => (passed.actor, passed.generation + 1),
    };
    let party = first.party + actor;
    if generation < LAPS && (party != 1 || generation < 2) {
        so_far.meters += 400;
        runs.send(Run { runner: party, meters: so_far.meters });
        line.send(Arrive { barrier: first.barrier, party, generation });
    }
}
// ANCHOR_END: handler

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        // ANCHOR: plan
        let mut plan = BarrierPlan::new("barriers");
        let line = plan.add("line", PARTIES, Duration::from_secs(1))?;
        let mut teams = Vec::new();
        for (name, first) in [("hares", 0), ("tortoises", RUNNERS)] {
            let options = team::options().name(name).actors(RUNNERS.into()).active(false);
            let team = team::bind(line.party(first)).launch(runtime, options)?;
            for actor in 0..RUNNERS {
                plan.tell(line, first + actor, &team, actor)?;
            }
            teams.push(team);
        }
        let barriers = plan.launch(runtime)?;
        for team in &teams {
            team.port(team::LINE).connect(barriers.kernel())?;
            team.activate_blocking()?;
        }
        // ANCHOR_END: plan

        // ANCHOR: run
        for team in &teams {
            for runner in 0..RUNNERS {
                let _ = team.send_blocking(Told::Start { runner })?;
            }
        }
        let line = barriers.get("line")?;
        for _ in 0..LAPS {
            let passed = line.arrive(REFEREE)?.wait_blocking()?;
            print!("lap {}:", passed.generation);
            if !passed.timed_out() {
                println!(" all have come");
            }
            for runner in passed.missing_parties() {
                println!(" runner {runner} is missing, and is not waited for any more");
                line.leave(runner)?;
            }
        }
        // ANCHOR_END: run

        // The runs of the last lap may still be under way.
        teams.iter().for_each(|team| team.drained_blocking());
        let mut meters = [0; 2 * RUNNERS as usize];
        for team in &teams {
            while let Ok(run) = team.port(team::RUNS).try_recv() {
                meters[run.runner as usize] = run.meters;
            }
        }
        println!("meters: {meters:?}");
        println!("{}", barriers.kernel().status());
        Ok(())
    })
}
