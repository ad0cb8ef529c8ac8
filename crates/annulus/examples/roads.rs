//! The shortest ways from one town to all others, along the roads of a map: messages that go along the rows of a graph.
//!
//! `cargo run -p annulus --example roads -- [cpu|opencl]`
//!
//! Each town is an actor of one kernel, which is connected to itself. A town that is reached by a shorter way tells all its
//! neighbours, by one output: the device makes a copy for each road, with the road's length. One town, the capital, has roads to all others.
//! The end is compared with a plain loop.

mod common;

use annulus::prelude::*;

use common::Random;

const TOWNS: u32 = 400;

/// Somebody is on the way to a town.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Travel {
    #[ring(key)]
    town: u32,
    #[ring(edge)]
    road: u32,
    from: u32,
    so_far: u32,
}

/// The shortest way to a town that is known.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Nearest {
    is_known: u32,
    km: u32,
    from: u32,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
fn explore(travel: &Travel, nearest: &mut Nearest, roads: &Outbox<Along<Travel>>) {
    let km = travel.so_far + travel.road;
    if nearest.is_known == 0 || km < nearest.km {
        *nearest = Nearest { is_known: 1, km, from: travel.from };
        let message = Travel { town: travel.town, road: 0, from: travel.town, so_far: km };
        roads.send(Along { row: travel.town, from: 0, message });
    }
}

/// Where roads lead from each town, and how long they are: short ones to a few others, and long ones from the capital.
fn map() -> Vec<Vec<(u32, u32)>> {
    let mut random = Random(5);
    let mut roads = vec![Vec::new(); TOWNS as usize];
    for town in 1..TOWNS {
        for _ in 0..2 {
            let (other, km) = (random.number() as u32 % TOWNS, 5 + random.number() as u32 % 40);
            roads[town as usize].push((other, km));
            roads[other as usize].push((town, km));
        }
        roads[0].push((town, 150));
    }
    roads
}

/// The lengths of the shortest ways, by a plain loop.
fn by_hand(roads: &[Vec<(u32, u32)>], start: usize) -> Vec<Option<u32>> {
    let mut ways = vec![None; roads.len()];
    ways[start] = Some(0);
    loop {
        let mut has_changed = false;
        for (town, roads) in roads.iter().enumerate() {
            let Some(so_far) = ways[town] else { continue };
            for &(other, km) in roads {
                if ways[other as usize].is_none_or(|known| so_far + km < known) {
                    ways[other as usize] = Some(so_far + km);
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            return ways;
        }
    }
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let roads = map();
        let towns = |roads: &Vec<(u32, u32)>| roads.iter().map(|road| road.0).collect::<Vec<_>>();
        let lengths: Vec<u32> = roads.iter().flatten().map(|road| road.1).collect();
        let graph = Rows::of_lists(roads.iter().map(towns))?.with_values(&lengths)?;
        // Rings are small. What finds no room there waits in the hold, of which each output is one, however many roads
        // there are.
        let options = LaunchOptions::production().grid(2).capacity(64).hold(1 << 12);
        let options = options.actors(TOWNS.into()).rows(graph);
        let explore = explore::launch(runtime, options.active(false))?;
        explore.connect_along(&explore)?;
        explore.activate_blocking()?;

        let start = 17;
        let _ = explore.send_blocking(Travel { town: start, road: 0, from: start, so_far: 0 })?;
        explore.drained_blocking();
        explore.deactivate_blocking()?;
        let found = explore.snapshot_blocking()?.states::<Nearest>()?;

        let ways = by_hand(&roads, start as usize);
        let way = |nearest: &Nearest| (nearest.is_known != 0).then_some(nearest.km);
        let same = found.iter().map(way).zip(&ways).filter(|(found, known)| found == *known).count();
        let (far, last) =
            (0..).zip(&found).max_by_key(|(_, nearest)| nearest.km).ok_or("there is no town")?;
        let mut steps = vec![far];
        let mut at = last;
        while at.km > 0 {
            steps.push(at.from);
            at = &found[at.from as usize];
        }
        steps.reverse();
        println!("the farthest town: {} km, by {steps:?}", last.km);
        println!("{same} of {TOWNS} ways are as long as by hand");
        let told = explore.rows();
        println!(
            "{} outputs, {} messages: {:.1} for each",
            told.outputs,
            told.sent,
            told.sent as f64 / told.outputs as f64
        );
        println!("{}", explore.status());
        Ok(())
    })
}
