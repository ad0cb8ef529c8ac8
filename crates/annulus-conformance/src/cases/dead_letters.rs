//! Dead letters: what failed is kept, with its reason, and can be tried again.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    time::Duration,
};

use annulus_abi::error;
use annulus_runtime::{LaunchOptions, Reason};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{FAIL, Item, Job, TEAPOT, flaky, fragile, number, numbers, track},
};

/// A handler that fails leaves its message, its code, and the dead letters' order.
pub fn e03_a_failed_message_is_a_dead_letter(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for value in [5, FAIL, 1, FAIL, 2] {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    drain(&kernel);
    let dead_letters = kernel.dead_letters().expect("kept unless said otherwise");
    assert_eq!(dead_letters.len(), 2);
    for dead_letter in dead_letters.take_batch() {
        assert_eq!(dead_letter.message, number(FAIL));
        assert_eq!(dead_letter.reason, Reason::Handler { code: TEAPOT });
        assert_eq!(dead_letter.attempts, 1);
    }
    assert_eq!(balanced(&kernel).dead_letters_lost, 0);
    let counters = kernel.dead_letters().unwrap().counters();
    assert_eq!((counters.buried, counters.taken, counters.evicted), (2, 2, 0));
}

/// A dead letter that is sent again is handled again, and counts its attempts by the message's id.
pub fn e03_a_dead_letter_is_sent_again(bench: &Bench) {
    let kernel = flaky::bind(&[0; 4]).launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let _ = kernel.send_blocking(Job { id: 77, place: 2, failures: 2 }).unwrap();
    drain(&kernel);
    let dead_letters = kernel.dead_letters().unwrap().clone();
    for attempt in 1..=2 {
        let _ = kernel.dead_letters();
        assert_eq!(dead_letters.len(), 1, "after attempt {attempt}");
        let redriven = kernel.redrive(3);
        assert_eq!((redriven.sent, redriven.exhausted, redriven.refused), (1, 0, false));
        drain(&kernel);
    }
    // The third attempt succeeded.
    assert_eq!(kernel.recv_blocking().map(|done| done.id), Ok(77));
    assert!(kernel.dead_letters().unwrap().is_empty());

    let _ = kernel.send_blocking(Job { id: 78, place: 3, failures: 100 }).unwrap();
    for sent in [1, 1, 0] {
        drain(&kernel);
        assert_eq!(kernel.redrive(3).sent, sent);
    }
    let dead_letter = kernel.dead_letters().unwrap().take_batch().pop().expect("it had its three attempts");
    assert_eq!((dead_letter.message.id, dead_letter.attempts), (78, 3));
}

/// The alert hears of every dead letter, and a panic in it harms nobody.
pub fn e03_an_alert_is_told_of_each_dead_letter(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let (tell, told) = channel();
    assert!(kernel.dead_letters().unwrap().set_alert(move |alert| {
        tell.send(alert.reason.clone()).unwrap();
        panic!("an alert that panics");
    }));
    for value in [FAIL, 1, FAIL] {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    // Without anybody asking for the dead letters.
    for _ in 0..2 {
        assert_eq!(next(&told), Reason::Handler { code: TEAPOT });
    }
    assert_eq!(kernel.recv_blocking(), Ok(number(1)));
}

/// Whoever asks for the status collects, and may hold what the alert takes: so the alert is told by others, and of each.
pub fn e03_a_status_collects_and_tells_nobody(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default().dead_letters(2000)).unwrap();
    let heard = Arc::new(Mutex::new(0));
    let its = Arc::clone(&heard);
    assert!(kernel.dead_letters().unwrap().set_alert(move |_| *its.lock().unwrap() += 1));
    let rounds = bench.size(50, 500);
    for _ in 0..rounds {
        kernel.send_batch_blocking(&[number(FAIL); 20]).unwrap();
        eventually(|| {
            let _held = heard.lock().unwrap();
            kernel.status().pending == 0
        });
    }
    assert_eq!(balanced(&kernel).dead_letters_lost, 0);
    eventually(|| *heard.lock().unwrap() == rounds * 20);
}

fn next(told: &Receiver<Reason>) -> Reason {
    told.recv_timeout(Duration::from_secs(60)).expect("a dead letter is collected when it comes")
}

/// A message for no actor is wrong in itself.
pub fn dead_letters_of_unknown_actors_are_invalid(bench: &Bench) {
    let kernel = track::launch(bench.runtime(), LaunchOptions::default().actors(10).grid(2)).unwrap();
    for key in [3, 10, 4, 4_000_000_000] {
        let _ = kernel.send_blocking(Item { key, producer: 1, sequence: 2 }).unwrap();
    }
    drain(&kernel);
    let mut dead_letters = kernel.dead_letters().unwrap().take_batch();
    dead_letters.sort_by_key(|dead_letter| dead_letter.message.key);
    assert_eq!(
        dead_letters.iter().map(|dead_letter| dead_letter.message.key).collect::<Vec<_>>(),
        [10, 4_000_000_000]
    );
    for dead_letter in &dead_letters {
        assert_eq!(dead_letter.reason, Reason::Invalid(error::describe(error::UNKNOWN_ACTOR).into()));
    }
}

/// E-03: as many are kept as the launch asks for, also of a burst in which nobody looks.
pub fn e03_as_many_are_kept_as_were_asked_for(bench: &Bench) {
    let options = LaunchOptions::default().dead_letters(2000).active(false);
    let kernel = fragile::launch(bench.runtime(), options).unwrap();
    let count = 1500;
    for _ in 0..count {
        let _ = kernel.send_blocking(number(FAIL)).unwrap();
    }
    let _ = kernel.activate_blocking().unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.drops.failed, status.dead_letters_lost), (count, 0));
    let dead_letters = kernel.dead_letters().unwrap();
    assert_eq!((dead_letters.len() as u64, dead_letters.counters().evicted), (count, 0));
}

/// A kernel that has drained has room for as many dead letters as at first: the host has collected them, whoever saw first
/// that it had drained.
pub fn a_drained_kernel_has_its_dead_letters_collected(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default().dead_letters(50)).unwrap();
    let (rounds, burst) = (bench.size(200, 2000), 64);
    for _ in 0..rounds {
        kernel.send_batch_blocking(&vec![number(FAIL); burst as usize]).unwrap();
        drain(&kernel);
    }
    let status = balanced(&kernel);
    assert_eq!((status.drops.failed, status.dead_letters_lost), (rounds * burst, 0));
    let dead_letters = kernel.dead_letters().unwrap();
    assert_eq!((dead_letters.len(), dead_letters.counters().buried), (50, rounds * burst));
}

/// E-03: all that are kept can be sent again at once, and come back if they fail again.
pub fn e03_all_that_are_kept_are_sent_again(bench: &Bench) {
    let options = LaunchOptions::default().dead_letters(1000);
    let kernel = flaky::bind(&[0; 4]).launch(bench.runtime(), options).unwrap();
    let count = 1000;
    for id in 0..count {
        let _ = kernel.send_blocking(Job { id, place: 1, failures: u32::MAX }).unwrap();
        if id % 50 == 49 {
            drain(&kernel);
            let _ = kernel.dead_letters();
        }
    }
    for attempts in 2..=4 {
        let redriven = kernel.redrive(9);
        assert_eq!((redriven.sent, redriven.exhausted, redriven.refused), (count as usize, 0, false));
        drain(&kernel);
        assert_eq!(balanced(&kernel).drops.failed, count * attempts);
    }
    let dead_letters = kernel.dead_letters().unwrap();
    let mut ids = Vec::new();
    while !dead_letters.is_empty() {
        for letter in dead_letters.take_batch() {
            assert_eq!(letter.attempts, 4);
            ids.push(letter.message.id);
        }
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..count).collect::<Vec<_>>());
    assert_eq!(kernel.status().dead_letters_lost, 0);
}

/// E-03: "validation" is for people; another try is for everything else. A message for no actor stays what it is, so it is
/// not sent again.
pub fn e03_what_is_invalid_is_not_sent_again(bench: &Bench) {
    let kernel = track::launch(bench.runtime(), LaunchOptions::default().actors(10).grid(2)).unwrap();
    for key in [3, 10, 4, 4_000_000_000] {
        let _ = kernel.send_blocking(Item { key, producer: 1, sequence: 2 }).unwrap();
    }
    drain(&kernel);
    let redriven = kernel.redrive(9);
    assert_eq!((redriven.sent, redriven.exhausted, redriven.refused), (0, 0, false));
    drain(&kernel);
    assert_eq!(balanced(&kernel).drops.unknown_actor, 2);
    assert_eq!(kernel.dead_letters().unwrap().len(), 2);

    let kernel =
        flaky::bind(&[0; 4]).launch(bench.runtime(), LaunchOptions::default().name("other")).unwrap();
    let _ = kernel.send_blocking(Job { id: 77, place: 2, failures: 1 }).unwrap();
    drain(&kernel);
    assert_eq!(kernel.redrive(9).sent, 1);
    assert_eq!(kernel.recv_blocking().map(|done| done.id), Ok(77));
}

/// However many fail at once: each is buried, evicted by a newer one, or counted as lost.
pub fn dead_letters_are_kept_or_counted(bench: &Bench) {
    let options = LaunchOptions::default().dead_letters(16).active(false);
    let kernel = fragile::launch(bench.runtime(), options).unwrap();
    let count = bench.size(1000, 4000);
    for value in numbers(0..count) {
        let _ = kernel.send_blocking(if value.value % 2 == 0 { number(FAIL) } else { value }).unwrap();
    }
    let _ = kernel.activate_blocking().unwrap();
    for _ in 0..count / 2 {
        kernel.recv_blocking().unwrap();
    }
    drain(&kernel);
    let dead_letters = kernel.dead_letters().unwrap();
    let (counters, status) = (dead_letters.counters(), balanced(&kernel));
    assert_eq!(status.drops.failed, count / 2);
    assert_eq!(counters.buried + status.dead_letters_lost, count / 2);
    assert_eq!(counters.buried - counters.evicted, dead_letters.len() as u64);
    assert_eq!(dead_letters.len(), 16);
}

/// What failed last is there after the end.
pub fn a_terminated_kernel_leaves_its_dead_letters(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let _ = kernel.send_blocking(number(FAIL)).unwrap();
    drain(&kernel);
    let _ = kernel.terminate_blocking();
    assert_eq!(kernel.dead_letters().unwrap().len(), 1);
    let redriven = kernel.redrive(9);
    assert_eq!((redriven.sent, redriven.refused), (0, true));
    assert_eq!(kernel.dead_letters().unwrap().len(), 1);
}

/// Without dead letters, failures are counted as ever.
pub fn no_dead_letters_unless_asked_for(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default().dead_letters(0)).unwrap();
    let _ = kernel.send_blocking(number(FAIL)).unwrap();
    drain(&kernel);
    assert!(kernel.dead_letters().is_none());
    assert_eq!(kernel.redrive(9).sent, 0);
    let status = balanced(&kernel);
    assert_eq!((status.drops.failed, status.dead_letters_lost), (1, 0));
}
