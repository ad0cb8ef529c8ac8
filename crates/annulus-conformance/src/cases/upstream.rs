//! What bridges bring: a kernel is drained when nothing of it is on the way, and kernels end behind their sources. D-03, O-02.

use std::{thread, time::Duration};

use annulus_runtime::{Backpressure, BridgeOptions, KernelHandle, LaunchOptions, ShutdownOutcome};

use super::links::received;
use crate::{
    Bench,
    bench::{Random, balanced, drain},
    kernels::{
        Item, batch_echo,
        links::{Ball, hit},
        number, numbers,
        ports::sort_out,
    },
};

const LONG: Duration = Duration::from_secs(60);

fn named(name: &str) -> LaunchOptions {
    LaunchOptions::production().name(name)
}

/// What is there is received, so that nothing waits for the host.
fn receive_all(kernel: &KernelHandle<batch_echo>) -> usize {
    std::iter::from_fn(|| kernel.try_recv().ok()).count()
}

/// D-03: a kernel behind two bridges is drained when all that was sent to the first one has come, whatever the bridges hold back.
pub fn d03_drained_looks_over_bridges(bench: &Bench) {
    let there = bench.another_runtime();
    let mut random = Random(65);
    for round in bench.rounds(6, 60) {
        let options = |name: &str| named(name).capacity(64).output_capacity(1024).grid(1 + round as u32 % 2);
        let first = batch_echo::launch(bench.runtime(), options("first")).unwrap();
        let second = batch_echo::launch(&there, options("second")).unwrap();
        let third = batch_echo::launch(bench.runtime(), options("third")).unwrap();
        let bridge = |from: &KernelHandle<batch_echo>, to, random: &mut Random| {
            let delay = Duration::from_micros(random.below(3) * 500);
            let options = BridgeOptions::new().messages(1 + random.below(40) as usize).delay(delay);
            from.bridge_to_with(to, options, Backpressure::Block).unwrap()
        };
        bridge(&first, &second, &mut random);
        bridge(&second, &third, &mut random);
        let mut all = 0;
        for _ in 0..3 {
            let more = 1 + random.below(200);
            first.send_batch_blocking(&numbers(all..all + more)).unwrap();
            all += more;
            third.drained_blocking();
            assert_eq!((second.status().processed, third.status().processed), (all, all));
            assert_eq!(receive_all(&third) as u64, more);
        }
    }
}

/// D-03: what waits in a source is on the way; what a bridge that has ended has left in it is not.
pub fn d03_drained_waits_for_an_inactive_source(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source").active(false)).unwrap();
    let target = batch_echo::launch(&there, named("target")).unwrap();
    let bridge = source.bridge_to(&target).unwrap();
    target.drained_blocking();
    let _ = source.send_blocking(number(1)).unwrap();
    assert!(!target.drained_timeout(Duration::from_millis(20)), "a message is in the source");
    source.activate_blocking().unwrap();
    target.drained_blocking();
    assert_eq!(target.status().processed, 1);
    source.deactivate_blocking().unwrap();
    let _ = source.send_blocking(number(2)).unwrap();
    bridge.stop();
    assert!(bridge.ended_timeout(LONG));
    target.drained_blocking();
    assert_eq!(target.status().processed, 1);
    // One that is closed needs nothing more of its sources.
    let _back = source.bridge_to(&target).unwrap();
    assert_eq!(target.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
}

/// D-03: while bridges form a cycle, what comes back is waited for.
pub fn d03_drained_in_a_cycle_over_bridges(bench: &Bench) {
    let (balls, hits) = (8, bench.size(20, 1000) as u32);
    let there = bench.another_runtime();
    let options = |name: &str| named(name).capacity(16).output_capacity(16).actors(balls.into());
    let first = hit::launch(bench.runtime(), options("first")).unwrap();
    let second = hit::launch(&there, options("second")).unwrap();
    let bridges = [first.bridge_to(&second).unwrap(), second.bridge_to(&first).unwrap()];
    for round in 1..=3 {
        for number in 0..balls {
            let _ = first.send_blocking(Ball { number, left: hits }).unwrap();
        }
        if round == 2 {
            first.drained_blocking()
        } else {
            second.drained_blocking()
        }
        let processed = first.status().processed + second.status().processed;
        assert_eq!(processed, u64::from(round * balls * hits));
    }
    for (kernel, bridge) in [&first, &second].into_iter().zip(&bridges) {
        balanced(kernel);
        assert_eq!(bridge.status().held, 0);
    }
}

/// D-03: of a source with several outboxes, the outputs of one are on the way; the others' wait for the program.
pub fn d03_drained_by_one_of_several_outboxes(bench: &Bench) {
    let there = bench.another_runtime();
    let source = sort_out::launch(bench.runtime(), named("source").actors(4)).unwrap();
    let target = batch_echo::launch(&there, named("target")).unwrap();
    source.port(sort_out::NUMBERS).bridge_to(&target).unwrap();
    for sequence in 0..40 {
        let _ = source.send_blocking(Item { key: sequence as u32 % 4, producer: 0, sequence }).unwrap();
    }
    target.drained_blocking();
    drain(&source);
    // Two numbers for each fourth item, and one for each other fourth.
    let port = source.port(sort_out::NUMBERS).status();
    assert_eq!((target.status().processed, port.received, port.waiting), (30, 30, 0));
    assert!(source.port(sort_out::KEPT).try_recv().is_ok());
}

/// D-03: somebody else receives from the bridge's source at the same time: each output is received or handled.
pub fn d03_drained_beside_another_receiver(bench: &Bench) {
    let there = bench.another_runtime();
    let source = batch_echo::launch(bench.runtime(), named("source")).unwrap();
    let target = batch_echo::launch(&there, named("target")).unwrap();
    source.bridge_to_with(&target, BridgeOptions::new().messages(3), Backpressure::Block).unwrap();
    let sent = bench.size(300, 20_000);
    let here = thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            let mut count = 0;
            while source.recv_timeout(Duration::from_millis(5)).is_ok() {
                count += 1;
            }
            count
        });
        source.send_batch_blocking(&numbers(0..sent)).unwrap();
        target.drained_blocking();
        let over = target.status().processed;
        let here: u64 = receiver.join().unwrap();
        // The receiver may have been slow to count, but has taken what did not come over.
        assert_eq!(over + here, sent);
        here
    });
    assert_eq!(target.status().processed + here, sent);
    assert_eq!(received(&target).len() as u64, sent - here);
}

/// O-02: kernels of a runtime that are connected by a bridge are shut down together: what is on the way over it is handled.
pub fn o02_a_shutdown_goes_over_bridges(bench: &Bench) {
    let runtime = bench.another_runtime();
    for round in bench.rounds(4, 20) {
        // The order of their launches says nothing.
        let launch = |name: &str| batch_echo::launch(&runtime, named(name).output_capacity(4096)).unwrap();
        let (source, target) = if round % 2 == 0 {
            let source = launch("source");
            (source, launch("target"))
        } else {
            let target = launch("target");
            (launch("source"), target)
        };
        let options = BridgeOptions::new().messages(16).delay(Duration::from_millis(2));
        let bridge = source.bridge_to_with(&target, options, Backpressure::Block).unwrap();
        source.send_batch_blocking(&numbers(0..1000)).unwrap();
        let mut outcomes = runtime.shutdown_blocking(LONG);
        outcomes.sort_by(|a, b| a.0.cmp(&b.0));
        let drained = |name: &str| (name.to_owned(), ShutdownOutcome::Drained);
        assert_eq!(outcomes, [drained("source"), drained("target")]);
        assert_eq!(target.status().processed, 1000, "{}", bridge.status());
        assert_eq!(
            (bridge.status().moved, bridge.status().dropped(), bridge.status().ended),
            (1000, 0, true)
        );
    }
}
