//! A kernel that takes messages while what it has sent along rows waits: calls, and what comes by itself. K-05.

use std::{pin::pin, thread, time::Duration};

use annulus_kernel::{Along, Rows};
use annulus_runtime::{CallError, block_on};

use super::{links::source, messages::poll_once, rows::order};
use crate::{
    Bench,
    bench::{balanced, eventually},
    kernels::{
        Number,
        rows::{Chime, Hint, Hop, NOT_TODAY, Order, RING, Rung, TICK, arrive, chime, hear, hint, spread},
    },
};

/// K-05, P-04: a kernel that holds what goes along rows answers calls. What a call's handler sends besides goes to the host, and
/// what is held stays as it is. A call that finds the hold full waits.
pub fn k05_calls_to_a_kernel_that_holds_rows(bench: &Bench) {
    let rows = Rows::of_lists([(0..100).collect::<Vec<_>>(), vec![], vec![1, 2]]).unwrap();
    let arrive = arrive::launch(bench.runtime(), source("arrive").capacity(16).output_capacity(128)).unwrap();
    let options = source("spread").capacity(64).output_capacity(16).rows(rows.clone()).hold(9);
    let spread = spread::launch(bench.runtime(), options).unwrap();
    spread.connect_along(&arrive).unwrap();
    spread.activate_blocking().unwrap();
    let message = |row, sequence, time| Hop { row, sequence, to: 7, weight: -5, time };
    let answer = |row, sequence| Along { row, from: 0, message: message(row, sequence, 0) };
    let mut expected = Vec::new();
    for round in 0..3 {
        let first = round * 10;
        spread.send_batch_blocking(&[order(0, first), order(2, first + 1), order(1, first + 2)]).unwrap();
        eventually(|| spread.rows().held == 86 && spread.status().pending == 0);
        let call = Order { times: 3, ..order(2, first + 3) };
        assert_eq!(spread.call_blocking(call), Ok(answer(2, first + 3)));
        for time in 1..3 {
            let row = 2 + time;
            assert_eq!(
                spread.recv_blocking().unwrap(),
                Along { row, from: 0, message: message(row, first + 3, time) }
            );
        }
        let fails = Order { fails: 1, ..call };
        assert_eq!(spread.call_blocking(fails), Err(CallError::Failed { code: NOT_TODAY, name: None }));
        assert_eq!(spread.call_blocking(Order { times: 0, ..call }), Err(CallError::NoReply));
        assert_eq!((spread.rows().held, spread.status().outputs_waiting), (86, 0));
        // Three, and four more, leave no room for another three.
        let more: Vec<_> = (4..8).map(|sequence| order(2, first + sequence)).collect();
        spread.send_batch_blocking(&more).unwrap();
        eventually(|| spread.status().stall.is_some_and(|stall| stall.waits_for == ["arrive"]));
        thread::scope(|scope| {
            let call = scope.spawn(|| spread.call_blocking(order(0, first + 8)));
            eventually(|| spread.status().pending == 1);
            assert_eq!(spread.rows().held, 94);
            arrive.activate_blocking().unwrap();
            assert_eq!(call.join().unwrap(), Ok(answer(0, first + 8)));
        });
        expected.extend((0..100).map(|to| (first, to)));
        expected.extend([1, 4, 5, 6, 7].into_iter().flat_map(|n| [(first + n, 1), (first + n, 2)]));
        let came: Vec<_> = (0..110).map(|_| arrive.recv_blocking().unwrap()).collect();
        let came: Vec<_> = came.iter().map(|hop| (hop.sequence, hop.to)).collect();
        assert_eq!(came, expected[round as usize * 110..]);
        block_on(spread.drained());
        assert_eq!(spread.rows().held, 0);
        arrive.deactivate_blocking().unwrap();
    }
    let _ = balanced(&spread);

    // A handler that sends one output writes a call's answer where the answer lies.
    let deaf = hear::launch(bench.runtime(), source("deaf").capacity(16).actors(100)).unwrap();
    let options = source("hint").into_variants(true).rows(rows).hold(3);
    let hint = hint::launch(bench.runtime(), options).unwrap();
    hint.connect_along(&deaf).unwrap();
    hint.activate_blocking().unwrap();
    let _ = hint.send_blocking(Number { value: 0 }).unwrap();
    eventually(|| hint.rows().held == 84 && hint.status().pending == 0);
    for value in 1..4_u16 {
        let row = u32::from(value);
        let told = Along { row, from: 0, message: Hint { from: value, to: 0 } };
        assert_eq!(hint.call_blocking(Number { value: row.into() }), Ok(told));
    }
    let _ = hint.send_blocking(Number { value: 2 }).unwrap();
    eventually(|| hint.rows().held == 86 && hint.status().pending == 0);
    hint.deactivate_blocking().unwrap();
    hint.disconnect().unwrap();
    hint.activate_blocking().unwrap();
    let held: Vec<_> =
        (0..2).map(|_| hint.recv_blocking().unwrap()).map(|along| (along.row, along.from)).collect();
    assert_eq!(held, [(0, 16), (2, 0)]);
    block_on(hint.drained());
    let told = hint.rows();
    assert_eq!((told.sent, told.held, told.lost, told.astray), (16, 0, 0, 0), "{told:?}");
}

/// K-05, P-07: what a kernel sends itself, and what nobody sends, is taken while its hold has room for what goes along rows, and not
/// after that. The last message's outputs are offered, and what finds no room is lost, and counted.
pub fn k05_timers_of_a_kernel_that_holds_rows(bench: &Bench) {
    let rows = Rows::of_lists([(0..10).collect::<Vec<_>>(), vec![3], vec![5, 6]]).unwrap();
    let launch = |name: &str, hold| {
        let arrive = arrive::launch(
            bench.runtime(),
            source(&format!("{name}-arrive")).capacity(16).output_capacity(64),
        );
        let options = source(name).output_capacity(16).rows(rows.clone()).hold(hold);
        let (arrive, chime) = (arrive.unwrap(), chime::launch(bench.runtime(), options).unwrap());
        chime.connect_along(&arrive).unwrap();
        chime.activate_blocking().unwrap();
        (arrive, chime)
    };
    let (arrive, chime) = launch("full", 6);
    let _ = chime.send_blocking(Chime::Ring { behind: 99 }).unwrap();
    eventually(|| chime.status().stall.is_some_and(|stall| stall.waits_for == ["full-arrive"]));
    // It says that it waits before it counts what it has taken. Then it takes nothing more.
    let look = || (chime.status().processed, chime.rows());
    let mut seen = look();
    eventually(|| {
        thread::sleep(Duration::from_millis(20));
        let before = std::mem::replace(&mut seen, look());
        before == seen && seen.1.outputs == seen.0
    });
    assert!(seen.1.sent == 16 && seen.1.held != 0, "{seen:?}");
    let mut drained = pin!(chime.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    arrive.activate_blocking().unwrap();
    let (mut rings, mut ticks) = (Vec::new(), Vec::new());
    while rings.len() < 1_000 || ticks.len() < 20 {
        let hop = arrive.recv_blocking().unwrap();
        match hop.row {
            RING => rings.push((hop.sequence, hop.to)),
            row => {
                assert_eq!((row, hop.to), (TICK, 3));
                ticks.push(hop.sequence);
            }
        }
    }
    assert!(rings.into_iter().eq((1..=100).flat_map(|ring| (0..10).map(move |to| (ring, to)))));
    assert!(ticks.iter().copied().eq(1..=ticks.len() as u32));
    chime.deactivate_blocking().unwrap();
    let rung = chime.snapshot_blocking().unwrap().states::<Rung>().unwrap()[0];
    let told = chime.rows();
    assert_eq!(
        (rung.rings, told.sent + told.held, told.lost),
        (100, 1_000 + u64::from(rung.ticks), 0),
        "{told:?}"
    );
    assert_eq!(u64::from(rung.ticks) + 100, balanced(&chime).processed);

    // What comes last finds room in the hold, and none in the other kernel.
    let (arrive, chime) = launch("last", 5_000);
    let _ = chime.send_blocking(Chime::Ring { behind: 9 }).unwrap();
    let waiting = || chime.status().timers.expect("the kernel has timers").waiting;
    eventually(|| chime.rows().held > 84 && waiting() == 0);
    chime.terminate_blocking();
    let (status, told) = (balanced(&chime), chime.rows());
    let ticks = status.processed - 11;
    assert_eq!((told.sent, told.held, told.lost), (16, 0, 100 + ticks + 2 - 16), "{told:?}");
    assert_eq!(status.outputs_lost, told.lost);
    assert_eq!(status.timers.expect("the kernel has timers").lost, 0);
    drop(arrive);
}
