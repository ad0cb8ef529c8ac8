//! Kernels in a row and in a circle: what goes in comes out, and they drain and end as one. P-04, K-01.

use std::pin::pin;

use annulus_runtime::{KernelHandle, ShutdownOutcome, block_on};

use super::links::{LONG, connect, linked, received, source};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    cases::messages::poll_once,
    kernels::{
        Total, echo,
        links::{Ball, ODD_ONE, PLACES, WINDOW, Window, aggregate, double, hit, next, transform, validate},
        mix, number, numbers, swallow,
    },
};

/// K-01: a chain is as long as one likes, and drains as one.
pub fn k01_a_chain_of_many(bench: &Bench) {
    let launch = |i: usize| next::launch(bench.runtime(), source(&format!("{i}")).capacity(16)).unwrap();
    let chain: Vec<_> = (0..6).map(launch).collect();
    chain.windows(2).for_each(|pair| connect(&pair[0], &pair[1]));
    chain[5].activate_blocking().unwrap();
    for round in bench.rounds(20, 200) {
        let sent = numbers(round * 10..round * 10 + 10);
        chain[0].send_batch_blocking(&sent).unwrap();
        drain(&chain[5]);
        assert_eq!(received(&chain[5]), numbers(round * 10 + 6..round * 10 + 16));
    }
}

/// K-01: two kernels that send to each other go round without the host, and are drained when the last ball
/// lies.
pub fn k01_ping_pong(bench: &Bench) {
    let hits = bench.size(500, 20_000);
    let balls = 8;
    for grid in [1, 2] {
        let launch = |name: &str| {
            let options = source(&format!("{name}-{grid}")).actors(balls).grid(grid).capacity(64);
            hit::launch(bench.runtime(), options).unwrap()
        };
        let (one, two) = (launch("one"), launch("two"));
        connect(&one, &two);
        connect(&two, &one);
        for round in 1..=2 {
            let balls: Vec<_> = (0..balls as u32).map(|number| Ball { number, left: hits as u32 }).collect();
            one.send_batch_blocking(&balls).unwrap();
            drain(if round == 1 { &one } else { &two });
            let (a, b) = (balanced(&one), balanced(&two));
            let all = hits * balls.len() as u64;
            assert_eq!((a.processed, b.processed), (round * all / 2, round * all / 2));
        }
        for kernel in [&one, &two] {
            kernel.deactivate_blocking().unwrap();
            let states = kernel.snapshot_blocking().unwrap().states::<Total>().unwrap();
            assert_eq!(states, vec![Total { sum: hits }; balls as usize]);
        }
    }
}

/// K-01: a kernel may be connected to itself.
pub fn k01_a_kernel_that_sends_to_itself(bench: &Bench) {
    let hits = bench.size(1_000, 50_000);
    let kernel = hit::launch(bench.runtime(), source("alone").actors(4).grid(2)).unwrap();
    connect(&kernel, &kernel);
    let balls: Vec<_> = (0..4).map(|number| Ball { number, left: hits as u32 }).collect();
    kernel.send_batch_blocking(&balls).unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced), (4 * hits, 4 * (hits - 1)));
    assert_eq!(kernel.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
}

/// K-01: a cycle in which every queue is full stands still, shows it, and can be terminated.
pub fn k01_a_full_cycle_can_be_terminated(bench: &Bench) {
    let launch = |name: &str| double::launch(bench.runtime(), source(name).capacity(16)).unwrap();
    let (one, two) = (launch("one"), launch("two"));
    connect(&one, &two);
    connect(&two, &one);
    let _ = one.try_send(number(1)).unwrap();
    // Before all queues are full, a shard may stall for a moment: both show it at the same time once they
    // are.
    let shows = |kernel: &KernelHandle<double>| kernel.status().to_string().contains("1 of 1 shards stalled");
    eventually(|| shows(&one) && shows(&two));
    one.terminate_blocking();
    two.terminate_blocking();
    for kernel in [&one, &two] {
        let status = balanced(kernel);
        assert_eq!((status.pending, status.stalled_shards), (0, 0), "{status:?}");
    }
}

/// P-04: validate, transform, aggregate by windows; what is not valid is a dead letter.
pub fn p04_validate_transform_aggregate(bench: &Bench) {
    let count = bench.size(100_000, 1_000_000);
    let runtime = bench.runtime();
    let validate = validate::launch(runtime, source("validate").grid(2).dead_letters(100)).unwrap();
    let transform = transform::launch(runtime, source("transform").grid(2)).unwrap();
    let aggregate =
        aggregate::launch(runtime, source("aggregate").grid(3).actors(PLACES).output_capacity(1 << 14))
            .unwrap();
    connect(&validate, &transform);
    connect(&transform, &aggregate);
    aggregate.activate_blocking().unwrap();
    let mut sums = Vec::new();
    for chunk in numbers(0..count).chunks(1000) {
        validate.send_batch_blocking(chunk).unwrap();
        let _ = aggregate.try_recv_batch(&mut sums, usize::MAX);
    }
    drain(&aggregate);
    sums.extend(received(&aggregate));

    let valid = || (0..count).filter(|value| value % 7 != 3);
    let invalid = count - valid().count() as u64;
    let status = balanced(&validate);
    assert_eq!((status.processed, status.drops.failed), (count - invalid, invalid));
    let dead_letters = validate.dead_letters().unwrap().take_batch();
    assert!(
        !dead_letters.is_empty() && dead_letters.iter().all(|dead_letter| dead_letter.message.value % 7 == 3)
    );
    assert!(status.last_error == ODD_ONE);
    assert_eq!(
        (balanced(&transform).processed, balanced(&aggregate).processed),
        (count - invalid, count - invalid)
    );

    aggregate.deactivate_blocking().unwrap();
    let windows = aggregate.snapshot_blocking().unwrap().states::<Window>().unwrap();
    let mut full = 0;
    for (place, window) in (0..).zip(&windows) {
        let items = valid().filter(|value| value % PLACES == place).count() as u64;
        assert_eq!(window.count, items % WINDOW, "place {place}");
        full += items / WINDOW;
    }
    assert_eq!(sums.len() as u64, full);
    let total: u64 =
        sums.iter().map(|sum| sum.value).sum::<u64>() + windows.iter().map(|window| window.sum).sum::<u64>();
    assert_eq!(total, valid().map(|value| 3 * value).sum::<u64>());
}

/// P-04: when the last kernel of a pipeline is drained, all are, whatever is on its way between them.
pub fn p04_a_drained_pipeline_is_empty(bench: &Bench) {
    let launch = |name: &str| echo::launch(bench.runtime(), source(name).capacity(32).grid(2)).unwrap();
    let (first, second) = (launch("first"), launch("second"));
    let last = swallow::launch(bench.runtime(), linked("last").capacity(64)).unwrap();
    connect(&first, &second);
    connect(&second, &last);
    let mut sent = 0;
    for round in bench.rounds(300, 5_000) {
        let more = 1 + mix(round) % 40;
        first.send_batch_blocking(&numbers(0..more)).unwrap();
        sent += more;
        drain(&last);
        for kernel in [&*first, &*second, &*last] {
            let status = balanced(kernel);
            assert_eq!((status.processed, status.pending), (sent, 0), "{status:?}");
        }
    }
}

/// P-04: a kernel is not drained while one that leads to it has messages, though that one be inactive.
pub fn p04_an_inactive_source_is_waited_for(bench: &Bench) {
    let first = next::launch(bench.runtime(), source("first")).unwrap();
    let second = next::launch(bench.runtime(), source("second")).unwrap();
    let last = next::launch(bench.runtime(), linked("last")).unwrap();
    connect(&first, &second);
    connect(&second, &last);
    first.deactivate_blocking().unwrap();
    drain(&last);
    let _ = first.send_blocking(number(1)).unwrap();
    let mut drained = pin!(last.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    assert!(poll_once(pin!(second.drained())).is_none());
    first.activate_blocking().unwrap();
    block_on(drained);
    assert_eq!(received(&last), [number(4)]);
}

/// P-04: kernels that form a cycle are shut down when all of them are at rest.
pub fn p04_a_cycle_is_shut_down(bench: &Bench) {
    let hits = bench.size(2_000, 20_000);
    let launch = |name: &str| hit::launch(bench.runtime(), source(name).actors(4)).unwrap();
    let (one, two, three) = (launch("one"), launch("two"), launch("three"));
    connect(&one, &two);
    connect(&two, &three);
    connect(&three, &one);
    let balls: Vec<_> = (0..4).map(|number| Ball { number, left: 3 * hits as u32 }).collect();
    two.send_batch_blocking(&balls).unwrap();
    let outcomes = bench.runtime().shutdown_blocking(LONG);
    assert!(outcomes.iter().all(|(_, outcome)| *outcome == ShutdownOutcome::Drained), "{outcomes:?}");
    assert_eq!(outcomes.len(), 3);
    for kernel in [&one, &two, &three] {
        let status = balanced(kernel);
        assert_eq!(
            (status.processed, status.drops.total(), status.outputs_lost),
            (4 * hits, 0, 0),
            "{status:?}"
        );
    }
}

/// P-04: a runtime shuts a pipeline down from its beginning, and loses nothing, in whatever order it was
/// launched.
pub fn p04_a_runtime_shuts_a_pipeline_down(bench: &Bench) {
    let count = bench.size(2_000, 20_000);
    for names in [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]] {
        let launch = |name: &str| echo::launch(bench.runtime(), source(name).capacity(1 << 15)).unwrap();
        // Launched from its end.
        let last = swallow::launch(bench.runtime(), linked(names[2]).capacity(16)).unwrap();
        let (second, first) = (launch(names[1]), launch(names[0]));
        connect(&first, &second);
        connect(&second, &last);
        first.send_batch_blocking(&numbers(0..count)).unwrap();
        let outcomes = bench.runtime().shutdown_blocking(LONG);
        assert_eq!(outcomes, names.map(|name| (name.to_owned(), ShutdownOutcome::Drained)));
        for kernel in [&*first, &*second, &*last] {
            let status = balanced(kernel);
            assert_eq!(
                (status.processed, status.drops.total(), status.outputs_lost),
                (count, 0, 0),
                "{status:?}"
            );
        }
    }
}
