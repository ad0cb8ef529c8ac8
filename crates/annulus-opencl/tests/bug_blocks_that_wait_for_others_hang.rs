//! A device may say that it runs several groups at a time, and begin one only when the one before has ended.
//! A kernel of two blocks that stays then stood still for ever, half of its messages pending, and nothing
//! said so. Here PoCL does that, which has one thread, and is believed to have room for more. Alone in its
//! process, whose first use of OpenCL decides how many threads PoCL has.

extern crate annulus_runtime as annulus;

mod common;

use std::time::Duration;

use annulus_opencl::OpenCl;
use annulus_runtime::{LaunchOptions, RecvError, Runtime};
use common::{Number, echo, handlers};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn every_block_gets_its_turn() {
    for (name, value) in [("POCL_MAX_PTHREAD_COUNT", "1"), ("ANNULUS_OPENCL_BELIEVED_PLACES", "4")] {
        // SAFETY: the process's only test, and nothing of C runs yet.
        unsafe { std::env::set_var(name, value) };
    }
    let runtime = match Runtime::builder().backend(OpenCl::new().handlers(handlers)).build() {
        Ok(runtime) => runtime,
        Err(error) => return println!("skipped: {error}"),
    };
    let notes = runtime.devices()[0].notes.join("\n");
    if !notes.contains("Portable Computing Language") {
        return println!("skipped: another driver: {notes}");
    }
    let kernel = echo::launch(&runtime, LaunchOptions::production().grid(3)).unwrap();
    for value in 0..60 {
        let _ = kernel.send_blocking(Number { value }).unwrap();
    }
    let mut values: Vec<_> = (0..60).map(|_| kernel.recv_timeout(LIMIT).unwrap().value).collect();
    values.sort_unstable();
    assert!(values.into_iter().eq(0..60));
    // A reply can be received before its message is counted.
    annulus_runtime::block_on(kernel.drained());
    let status = kernel.status();
    assert_eq!((status.processed, status.pending), (60, 0));
    assert_eq!(status.notes.len(), 1, "{status}");
    assert!(status.notes[0].contains("has gone into epochs: of 3 blocks only 1 have begun"), "{status}");
    assert!(kernel.shutdown_blocking(LIMIT).undelivered.is_empty());

    // Blocks in step cannot, and say so.
    let options = LaunchOptions::production().name("in step").grid(2).supersteps(true);
    let kernel = echo::launch(&runtime, options).unwrap();
    assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
    let status = kernel.status();
    assert!(status.notes[0].contains("has given up: its blocks take their turns in step"), "{status}");
    drop(kernel);

    // The device is as before.
    let kernel = echo::launch(&runtime, LaunchOptions::production().name("after")).unwrap();
    let _ = kernel.send_blocking(Number { value: 7 }).unwrap();
    assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value: 7 }));
}
