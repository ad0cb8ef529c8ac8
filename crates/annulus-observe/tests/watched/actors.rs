//! The actors of sparse keys are seen from outside: how many there are, how many gave way, and how many have ended.

use annulus::prelude::*;
use annulus_observe::Observer;

use crate::{Job, Watched, autopsies, kernel, ready};

/// Counts, and ends the actor if `what` is 1.
#[ring_kernel(untested)]
fn count(job: &Job, count: &mut u64, actor: &ThisActor) {
    *count += 1;
    if job.what == 1 {
        actor.end();
    }
}

/// A process whose kernel has had seven actors: two have ended, one gave way, four are there.
pub(crate) fn child() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let options = LaunchOptions::default().actors(4).evict_actors(true).name("count");
    let kernel = count::launch(&runtime, options).unwrap();
    for (key, what) in [(1 << 40, 0), (7, 1), (8, 0), (9, 1), (10, 0), (11, 0), (12, 0)] {
        let _ = kernel.send_blocking(Job { key, what }).unwrap();
    }
    kernel.drained_blocking();
    for observer in [Observer::of(&runtime), Observer::of_machine(Some(std::process::id())).build()] {
        let text = observer.prometheus();
        let value = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(&format!("{name}{{")));
            line.and_then(|line| line.split(' ').next_back()).map(str::to_owned)
        };
        for (name, expected) in [
            ("annulus_actors", "4"),
            ("annulus_actors_capacity", "4"),
            ("annulus_actors_evicted_total", "1"),
            ("annulus_actors_ended_total", "2"),
        ] {
            assert_eq!(value(name).as_deref(), Some(expected), "{name}: {text}");
        }
    }
    ready();
}

#[test]
fn actors_of_sparse_keys_are_seen() {
    let mut watched = Watched::start("actors");
    let process = watched.look();
    let count = kernel(&process, "count");
    let actors = count.shards[0].actors;
    assert_eq!((actors.used, actors.evicted, actors.ended, count.places_of_shard()), (4, 1, 2, 4));
    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let text = autopsies(&watched.folder);
    assert!(text.contains("`count`: 7 handled, 4 of 4 actors in use, 2 ended, 1 evicted\n"), "{text}");
}
