//! No wake-up is lost between a host that waits and a block that sleeps.

use std::{hint::spin_loop, sync::Mutex, thread, time::Duration};

use annulus_runtime::{Backpressure, KernelHandle, LaunchOptions};

use crate::{
    Bench,
    bench::{Random, balanced, drain},
    kernels::{Item, echo, number, track},
};

fn launch(bench: &Bench, spin: Duration, grid: u32) -> KernelHandle<echo> {
    echo::launch(bench.runtime(), LaunchOptions::default().capacity(16).spin(spin).grid(grid)).unwrap()
}

/// Ping-pong with a block that goes to sleep at once.
pub fn ping_pong_without_spinning(bench: &Bench) {
    for grid in [1, 3] {
        let kernel = bench.relaunch(|| {
            let options = LaunchOptions::default().capacity(16).spin(Duration::ZERO).grid(grid);
            echo::launch(bench.runtime(), options)
        });
        for value in bench.rounds(3_000, 50_000) {
            let _ = kernel.send_blocking(number(value)).unwrap();
            assert_eq!(kernel.recv_blocking(), Ok(number(value)));
        }
    }
}

/// Ping-pong with pauses around the time after which a block goes to sleep.
pub fn ping_pong_at_the_edge_of_sleep(bench: &Bench) {
    let spin = Duration::from_micros(10);
    let kernel = launch(bench, spin, 1);
    let mut random = Random(1);
    for value in bench.rounds(3_000, 50_000) {
        for _ in 0..random.below(1_000) {
            spin_loop();
        }
        let _ = kernel.send_blocking(number(value)).unwrap();
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
}

/// Ping-pong with pauses in which the block sleeps for certain.
pub fn ping_pong_with_pauses(bench: &Bench) {
    let kernel = launch(bench, Duration::ZERO, 2);
    for value in bench.rounds(500, 5_000) {
        thread::sleep(Duration::from_micros(50));
        assert_eq!(kernel.call_blocking(number(value)), Ok(number(value)));
    }
}

/// Several threads that all wait for the reply to their own call.
pub fn many_play_ping_pong(bench: &Bench) {
    let options = LaunchOptions::default().actors(6).grid(2).spin(Duration::ZERO);
    let kernel = track::launch(bench.runtime(), options).unwrap();
    let rounds = bench.size(2_000, 20_000);
    thread::scope(|scope| {
        for key in 0..6 {
            let kernel = &kernel;
            scope.spawn(move || {
                for sequence in 0..rounds {
                    let reply = kernel.call_blocking(Item { key, producer: 0, sequence }).unwrap();
                    assert_eq!(reply.sequence, sequence);
                }
            });
        }
    });
}

/// More kernels than workers, all woken again and again.
pub fn many_kernels_wake_and_sleep(bench: &Bench) {
    let launch = |i| {
        let options =
            LaunchOptions::default().capacity(16).spin(Duration::from_micros(i)).name(format!("kernel-{i}"));
        echo::launch(bench.runtime(), options).unwrap()
    };
    let kernels: Vec<_> = (0..8).map(launch).collect();
    let rounds = bench.size(1_000, 10_000);
    thread::scope(|scope| {
        for kernels in kernels.chunks(2) {
            scope.spawn(move || {
                for value in 0..rounds {
                    kernels.iter().for_each(|kernel| {
                        let _ = kernel.send_blocking(number(value)).unwrap();
                    });
                    kernels.iter().for_each(|kernel| assert_eq!(kernel.recv_blocking(), Ok(number(value))));
                }
            });
        }
    });
}

/// Senders that wait for space, and a drain that waits for them, through a queue that is always full.
pub fn senders_wait_for_space(bench: &Bench) {
    let options = LaunchOptions::default().capacity(16).output_capacity(16).spin(Duration::ZERO).grid(2);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    let each = bench.size(5_000, 100_000);
    let received = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                (0..each).for_each(|value| {
                    let _ = kernel.send_blocking(number(value)).unwrap();
                })
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                while kernel.recv_blocking().is_ok() {
                    *received.lock().unwrap() += 1;
                }
            });
        }
        crate::bench::eventually(|| kernel.status().sent == 4 * each);
        drain(&kernel);
        kernel.terminate_blocking();
    });
    assert_eq!(*received.lock().unwrap(), 4 * each);
    assert_eq!(balanced(&kernel).processed, 4 * each);
}

/// The queue in front of the ring is emptied into a block that sleeps.
pub fn a_staged_message_wakes_the_block(bench: &Bench) {
    let options =
        LaunchOptions::default().capacity(16).spin(Duration::ZERO).backpressure(Backpressure::DropOldest);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    thread::scope(|scope| {
        for thread in 0..3 {
            let kernel = &kernel;
            scope.spawn(move || {
                for round in bench.rounds(1_000, 20_000) {
                    // Three callers never fill sixteen slots.
                    let message = number(thread << 32 | round);
                    assert_eq!(kernel.call_blocking(message), Ok(message));
                }
            });
        }
    });
    drain(&kernel);
    assert_eq!(balanced(&kernel).drops.total(), 0);
}

/// Waits for the queues to drain end, whoever sends meanwhile.
pub fn drains_end(bench: &Bench) {
    let kernel = launch(bench, Duration::ZERO, 2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for value in bench.rounds(1_000, 20_000) {
                    let _ = kernel.send_blocking(number(value)).unwrap();
                    let _ = kernel.recv_blocking().unwrap();
                    drain(&kernel);
                }
            });
        }
    });
    drain(&kernel);
    assert_eq!(balanced(&kernel).pending, 0);
}
