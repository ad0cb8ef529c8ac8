//! What becomes of a kernel's outputs when the kernel that they are for is full, inactive, closed or gone, or
//! is another one. K-01.

use std::{thread, time::Duration};

use annulus_runtime::{
    Backpressure, RecvError, ShutdownOutcome, TrySendError,
    why::{Cause, Finding},
};

use super::links::{LONG, connect, connect_with, linked, received, sorted, source};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        echo,
        links::{next, triple},
        number, numbers, swallow,
    },
};

/// K-01, Block: a source whose target is full waits, shows it, and goes on.
pub fn k01_a_full_target_stalls_its_source(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(128)).unwrap();
    let second = echo::launch(bench.runtime(), source("second").capacity(16)).unwrap();
    connect(&first, &second);
    first.send_batch_blocking(&numbers(0..100)).unwrap();
    eventually(|| first.status().stalled_shards == 1);
    assert!(first.status().processed < 100);
    second.activate_blocking().unwrap();
    let received: Vec<_> = (0..100).map(|_| second.recv_blocking().unwrap()).collect();
    assert_eq!(received, numbers(0..100));
    drain(&second);
    assert_eq!((balanced(&first).stalled_shards, balanced(&first).processed), (0, 100));
    assert_eq!(balanced(&second).processed, 100);
}

/// K-01, Reject: what finds no room is lost, and counted.
pub fn k01_reject_counts_what_is_lost(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(128)).unwrap();
    let second = echo::launch(bench.runtime(), source("second").capacity(16)).unwrap();
    connect_with(&first, &second, Backpressure::Reject);
    first.send_batch_blocking(&numbers(0..100)).unwrap();
    drain(&first);
    let status = balanced(&first);
    assert_eq!((status.processed, status.produced, status.outputs_lost), (100, 100, 84), "{status:?}");
    assert!(status.to_string().contains("84 outputs for a connected kernel lost"), "{status}");
    second.activate_blocking().unwrap();
    drain(&second);
    assert_eq!(received(&second), numbers(0..16));
    assert_eq!(balanced(&second).sent, 16);
}

/// K-01: messages wait for a kernel that is inactive.
pub fn k01_messages_wait_for_an_inactive_target(bench: &Bench) {
    let first = next::launch(bench.runtime(), source("first")).unwrap();
    let second = next::launch(bench.runtime(), linked("second")).unwrap();
    connect(&first, &second);
    second.deactivate_blocking().unwrap();
    first.send_batch_blocking(&numbers(0..10)).unwrap();
    drain(&first);
    assert_eq!((first.status().processed, second.status().processed), (10, 0));
    // On a device, too, the host knows how much waits there.
    let is_inactive = |finding: &Finding| {
        (&*finding.kernel, &finding.cause, finding.pending) == ("second", &Cause::Inactive, 10)
    };
    eventually(|| bench.runtime().why().findings.iter().any(is_inactive));
    eventually(|| {
        let status = second.status();
        (status.sent, status.pending, status.handed_over) == (10, 10, 10)
    });
    second.activate_blocking().unwrap();
    drain(&second);
    assert_eq!(received(&second), numbers(2..12));
    assert_eq!(balanced(&second).processed, 10);
}

/// K-01: what is sent to a kernel that has terminated, or was dropped, is lost, and counted.
pub fn k01_outputs_for_a_terminated_target_are_counted(bench: &Bench) {
    for dropped in [false, true] {
        let first = echo::launch(bench.runtime(), source(&format!("first-{dropped}"))).unwrap();
        let second = echo::launch(bench.runtime(), linked(&format!("second-{dropped}"))).unwrap();
        connect(&first, &second);
        first.send_batch_blocking(&numbers(0..5)).unwrap();
        drain(&second);
        assert_eq!(received(&second), numbers(0..5));
        second.terminate_blocking();
        let mut kept = Some(second);
        if dropped {
            kept = None;
        }
        first.send_batch_blocking(&numbers(5..15)).unwrap();
        drain(&first);
        let status = balanced(&first);
        assert_eq!((status.processed, status.produced, status.outputs_lost), (15, 15, 10), "{status:?}");
        if let Some(second) = kept {
            assert_eq!(balanced(&second).sent, 5);
            assert_eq!(second.recv_blocking(), Err(RecvError::Closed));
        }
        first.deactivate_blocking().unwrap();
        first.disconnect().unwrap();
        first.activate_blocking().unwrap();
        let _ = first.send_blocking(number(15)).unwrap();
        assert_eq!(first.recv_blocking(), Ok(number(15)));
    }
}

/// K-01: a source that waits for room in a kernel goes on when that kernel ends; what had arrived counts as
/// undelivered there.
pub fn k01_the_end_of_a_full_target_frees_its_source(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(128)).unwrap();
    let second = echo::launch(bench.runtime(), source("second").capacity(16)).unwrap();
    connect(&first, &second);
    first.send_batch_blocking(&numbers(0..100)).unwrap();
    eventually(|| first.status().stalled_shards == 1 && second.status().pending == 16);
    second.terminate_blocking();
    drain(&first);
    let (first, second) = (balanced(&first), balanced(&second));
    assert_eq!((first.processed, first.produced, first.stalled_shards), (100, 100, 0), "{first:?}");
    assert_eq!((second.sent, second.pending, second.drops.undelivered), (16, 0, 16), "{second:?}");
    assert_eq!((second.processed, second.handed_over), (0, 0), "{second:?}");
    assert_eq!(first.outputs_lost, 84, "{first:?}");
}

/// K-01: a source that is terminated while it waits has sent what arrived, and lost what is counted.
pub fn k01_a_stalled_source_is_terminated(bench: &Bench) {
    for disconnected in [false, true] {
        let name = |kernel: &str| format!("{kernel}-{disconnected}");
        let first = triple::launch(bench.runtime(), source(&name("first")).capacity(128)).unwrap();
        let second = echo::launch(bench.runtime(), source(&name("second")).capacity(16)).unwrap();
        connect(&first, &second);
        first.send_batch_blocking(&numbers(0..100)).unwrap();
        eventually(|| first.status().stalled_shards == 1);
        if disconnected {
            first.deactivate_blocking().unwrap();
            first.disconnect().unwrap();
        }
        first.terminate_blocking();
        let status = balanced(&first);
        assert_eq!((status.pending, status.stalled_shards), (0, 0));
        assert_eq!(status.produced, 3 * status.processed);
        assert_eq!(first.take_undelivered(), numbers(status.processed..100));
        second.activate_blocking().unwrap();
        drain(&second);
        let arrived = [received(&second), received(&first)].concat();
        assert_eq!(arrived.len() as u64, status.produced - status.outputs_lost, "{status:?}");
        assert_eq!(arrived, numbers(0..arrived.len() as u64));
    }
}

/// K-01: whichever of two kernels ends while messages are on their way, each that was sent has arrived or was
/// lost, by exact count.
pub fn k01_ends_race_with_outputs(bench: &Bench) {
    for round in bench.rounds(60, 600) {
        let first = echo::launch(bench.runtime(), source(&format!("first-{round}")).capacity(64)).unwrap();
        let options = linked(&format!("second-{round}")).capacity(16).grid(2);
        let second = swallow::launch(bench.runtime(), options).unwrap();
        connect(&first, &second);
        thread::scope(|scope| {
            // It ends early if the kernel does.
            scope.spawn(|| first.send_batch_blocking(&numbers(0..2000)));
            eventually(|| second.status().processed >= 10 * (round / 2 % 10));
            if round % 2 == 0 {
                second.terminate_blocking();
            } else {
                first.terminate_blocking();
            }
        });
        drain(&first);
        drain(&second);
        let (first, second) = (balanced(&first), balanced(&second));
        assert_eq!(first.produced, second.sent + first.outputs_lost, "{first:?} {second:?}");
        assert_eq!((first.stalled_shards, second.pending), (0, 0));
    }
}

/// K-01: closing a kernel keeps the host out, and no kernel.
pub fn k01_a_closed_target_takes_from_kernels(bench: &Bench) {
    for backpressure in [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest] {
        let name = |side: &str| format!("{side}-{backpressure:?}");
        let first = next::launch(bench.runtime(), source(&name("first"))).unwrap();
        let options = linked(&name("second")).backpressure(backpressure);
        let second = next::launch(bench.runtime(), options).unwrap();
        connect(&first, &second);
        let _ = second.send_blocking(number(50)).unwrap();
        second.close();
        assert_eq!(second.try_send(number(1)), Err(TrySendError::Closed(number(1))));
        assert!(second.send_batch_blocking(&numbers(0..3)).is_err());
        first.send_batch_blocking(&numbers(0..10)).unwrap();
        drain(&second);
        assert_eq!(sorted(received(&second)), [numbers(2..12), vec![number(51)]].concat());
        assert_eq!(balanced(&second).sent, 11);
        assert_eq!(second.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
    }
}

/// K-01: a kernel that is disconnected sends to the host again.
pub fn k01_disconnected_outputs_go_to_the_host(bench: &Bench) {
    let first = next::launch(bench.runtime(), source("first")).unwrap();
    let second = next::launch(bench.runtime(), linked("second")).unwrap();
    connect(&first, &second);
    for round in 0..3 {
        first.send_batch_blocking(&numbers(0..10)).unwrap();
        drain(&second);
        assert_eq!(received(&second), numbers(2..12));
        first.deactivate_blocking().unwrap();
        first.disconnect().unwrap();
        first.disconnect().unwrap(); // harmless
        first.activate_blocking().unwrap();
        first.send_batch_blocking(&numbers(10..20)).unwrap();
        drain(&first);
        assert_eq!(received(&first), numbers(11..21));
        first.deactivate_blocking().unwrap();
        connect(&first, &second);
        assert_eq!((balanced(&first).sent, balanced(&second).sent), (20 * (round + 1), 10 * (round + 1)));
    }
}

/// K-01: outputs that wait for room, some of a handler's while others have gone, go wherever the kernel is
/// connected to when it is activated again.
pub fn k01_held_outputs_follow_the_link(bench: &Bench) {
    for to_host in [true, false] {
        let name = |kernel: &str| format!("{kernel}-{to_host}");
        let first = triple::launch(bench.runtime(), source(&name("first")).capacity(32)).unwrap();
        let full = echo::launch(bench.runtime(), source(&name("full")).capacity(16)).unwrap();
        let other = echo::launch(bench.runtime(), linked(&name("other")).capacity(128)).unwrap();
        connect(&first, &full);
        first.send_batch_blocking(&numbers(0..20)).unwrap();
        eventually(|| first.status().stalled_shards == 1);
        first.deactivate_blocking().unwrap();
        let rest: Vec<_> = if to_host {
            first.disconnect().unwrap();
            first.activate_blocking().unwrap();
            (16..60).map(|_| first.recv_blocking().unwrap()).collect()
        } else {
            connect(&first, &other);
            drain(&other);
            received(&other)
        };
        full.activate_blocking().unwrap();
        drain(&full);
        // It leads there no more: an output can be received before its message is counted.
        drain(&first);
        assert_eq!([received(&full), rest].concat(), numbers(0..60));
        let status = balanced(&first);
        assert_eq!((status.processed, status.produced, status.outputs_lost), (20, 60, 0), "{status:?}");
    }
}

/// K-01: links that change while messages come lose none.
pub fn k01_links_change_under_load(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first").capacity(64)).unwrap();
    let launch = |name: &str| echo::launch(bench.runtime(), linked(name).capacity(32)).unwrap();
    let targets = [launch("left"), launch("right")];
    connect(&first, &targets[0]);
    let count = bench.size(20_000, 200_000);
    let mut all = thread::scope(|scope| {
        let sender = scope.spawn(|| first.send_batch_blocking(&numbers(0..count)).unwrap());
        let receivers: Vec<_> = targets
            .iter()
            .map(|target| {
                scope.spawn(|| {
                    let mut received = Vec::new();
                    while let Ok(number) = target.recv_blocking() {
                        received.push(number);
                    }
                    received
                })
            })
            .collect();
        let mut turn = 0;
        while !sender.is_finished() {
            first.deactivate_blocking().unwrap();
            turn += 1;
            connect(&first, &targets[turn % 2]);
            thread::sleep(Duration::from_micros(300));
        }
        targets.iter().for_each(|target| drain(target));
        assert_eq!(balanced(&first).processed, count);
        targets.iter().for_each(|target| {
            balanced(target);
            target.terminate_blocking();
        });
        receivers.into_iter().flat_map(|receiver| receiver.join().unwrap()).collect::<Vec<_>>()
    });
    // Of one target in order; of both together each once.
    all.sort_unstable();
    assert_eq!(all, numbers(0..count));
}

/// K-01: a link keeps no kernel running, nor a runtime; kernels that are connected end in any order.
pub fn k01_a_link_keeps_no_kernel(bench: &Bench) {
    for order in 0..3 {
        let launch = |name: &str| echo::launch(bench.runtime(), source(&format!("{name}-{order}"))).unwrap();
        let (one, two) = (launch("one"), launch("two"));
        connect(&one, &two);
        connect(&two, &one);
        match order {
            0 => drop((one, two)),
            1 => drop((two, one)),
            _ => {
                one.terminate_blocking();
                drop((one, two));
            }
        }
        eventually(|| bench.runtime().kernels().is_empty());
    }
}
