//! A handler is a transaction: when it fails, nothing of it remains but a code and a count.

use annulus_abi::error;
use annulus_runtime::{CallError, LaunchOptions, TryRecvError};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::{DIVIDE, FAIL, INDEX, PANIC, TEAPOT, fan, fragile, number},
};

/// Sends good messages around a bad one, and checks that the bad one left nothing but `code`.
fn contained(bench: &Bench, bad: u64, code: u16) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for value in [5, bad, 1, bad, bad, 2] {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    drain(&kernel);
    // State and sends of the bad ones were rolled back.
    for sum in [5, 6, 8] {
        assert_eq!(kernel.try_recv(), Ok(number(sum)));
    }
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced, status.drops.failed, status.last_error), (3, 3, 3, code));
    assert!(status.is_active());
    assert!(status.to_string().contains(error::brief(code)), "{status}");
    assert_eq!(kernel.call_blocking(number(bad)), Err(CallError::Failed { code, name: None }));
    assert_eq!(kernel.call_blocking(number(1)), Ok(number(9)));
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced, status.drops.failed), (4, 4, 4));
}

/// A handler that returns an error.
pub fn an_error_is_rolled_back(bench: &Bench) {
    contained(bench, FAIL, TEAPOT);
}

/// A handler that panics.
pub fn a_panic_is_contained(bench: &Bench) {
    contained(bench, PANIC, error::PANICKED);
}

/// A handler that takes an element that is not there: every backend gives the same code.
pub fn a_bad_index_is_contained(bench: &Bench) {
    contained(bench, INDEX, error::INDEX_OUT_OF_BOUNDS);
}

/// A handler that divides by zero.
pub fn a_division_by_zero_is_contained(bench: &Bench) {
    contained(bench, DIVIDE, error::DIVISION_BY_ZERO);
}

/// A handler that sends more than it may.
pub fn too_many_outputs_fail(bench: &Bench) {
    let kernel = fan::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for value in [1, 5, 4, 1000, 0, 2] {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    drain(&kernel);
    // The state counts the good ones only.
    for value in [100, 200, 201, 202, 203, 400, 401] {
        assert_eq!(kernel.try_recv(), Ok(number(value)));
    }
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced, status.drops.failed), (4, 7, 2));
    assert_eq!(status.last_error, error::TOO_MANY_OUTPUTS);
}

/// Several outputs per message through an outbound ring that holds but four messages' worth.
pub fn many_outputs_through_a_small_ring(bench: &Bench) {
    let options = LaunchOptions::default().capacity(1024).output_capacity(16);
    let kernel = fan::launch(bench.runtime(), options).unwrap();
    let count = bench.size(500, 50_000);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..count).for_each(|i| {
                let _ = kernel.send_blocking(number(i % 5)).unwrap();
            })
        });
        for i in 0..count {
            for output in 0..i % 5 {
                assert_eq!(kernel.recv_blocking(), Ok(number((i + 1) * 100 + output)));
            }
        }
    });
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced, status.outputs_waiting), (count, count * 2, 0));
}

/// A call gets the first output of its handler; the others are received.
pub fn a_call_takes_the_first_of_many_outputs(bench: &Bench) {
    let kernel = fan::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert_eq!(kernel.call_blocking(number(3)), Ok(number(100)));
    assert_eq!(kernel.recv_blocking(), Ok(number(101)));
    assert_eq!(kernel.recv_blocking(), Ok(number(102)));
    assert_eq!(kernel.call_blocking(number(0)), Err(CallError::NoReply));
    let code = error::TOO_MANY_OUTPUTS;
    assert_eq!(kernel.call_blocking(number(5)), Err(CallError::Failed { code, name: None }));
}
