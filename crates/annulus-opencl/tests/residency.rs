//! Kernels that stay take places, of which there are as many as the device can keep. Alone in its process,
//! whose first use of OpenCL decides how many PoCL has.

extern crate annulus_runtime as annulus;

mod common;

use std::time::Duration;

use annulus_opencl::OpenCl;
use annulus_runtime::{LaunchOptions, Runtime};
use common::{Number, echo, handlers};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_kernel_that_does_not_fit_is_refused() {
    let options = || OpenCl::new().resident_groups(3).handlers(handlers);
    let runtime = match Runtime::builder().backend(options()).build() {
        Ok(runtime) => runtime,
        Err(error) => return println!("skipped: {error}"),
    };
    let notes = runtime.devices()[0].notes.join("\n");
    if !notes.contains("Portable Computing Language") || !notes.contains("up to 3 blocks") {
        return println!("skipped: another driver, or POCL_MAX_PTHREAD_COUNT is set: {notes}");
    }
    let launch = |runtime: &Runtime, name: &str, grid| {
        echo::launch(runtime, LaunchOptions::production().name(name).grid(grid))
    };
    let answers = |kernel: &annulus_runtime::KernelHandle<echo>, value| {
        let _ = kernel.send_blocking(Number { value }).unwrap();
        assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value }));
    };

    let one = launch(&runtime, "one", 2).unwrap();
    let two = launch(&runtime, "two", 1).unwrap();
    let refused = launch(&runtime, "three", 1).unwrap_err().to_string();
    assert!(refused.contains("has 1 blocks, and 0 of the 3 that can stay"), "{refused}");
    answers(&one, 1);
    answers(&two, 2);

    // What runs in epochs needs no place, and finds the thread that is kept free.
    let returning = Runtime::builder().backend(options().force_epochs()).build().unwrap();
    let epochs = launch(&returning, "in epochs", 5).unwrap();
    answers(&epochs, 3);

    // Unless its blocks wait for each other.
    let in_step = |name: &str, grid| {
        let options = LaunchOptions::production().name(name).grid(grid).supersteps(true);
        echo::launch(&returning, options)
    };
    let refused = in_step("in step", 1).unwrap_err().to_string();
    assert!(
        refused.contains("takes its 1 blocks' turns in step, and 0 of the 3 blocks that can run"),
        "{refused}"
    );
    assert!(refused.contains("with a smaller grid or without supersteps"), "{refused}");
    one.terminate_blocking();
    let two_in_step = in_step("in step", 2).unwrap();
    answers(&two_in_step, 4);
    two_in_step.terminate_blocking();
    let one = launch(&runtime, "one", 2).unwrap();

    // A place is free as soon as its kernel has left, and a launch waits for one that is leaving.
    for value in 0..20 {
        drop(launch(&runtime, "none", 2).unwrap_err());
        two.status();
        let short = Runtime::builder().backend(options()).build().unwrap();
        let refused = launch(&short, "short", 1).unwrap_err().to_string();
        assert!(refused.contains("0 of the 3"), "places are the device's, not a runtime's: {refused}");
        answers(&one, value);
    }
    two.terminate_blocking();
    let mut last = launch(&runtime, "three", 1).unwrap();
    for value in 0..20 {
        answers(&last, value);
        drop(last);
        last = launch(&runtime, "three", 1).unwrap();
    }
    let too_large = launch(&runtime, "large", 4).unwrap_err().to_string();
    assert!(too_large.contains("has 4 blocks"), "{too_large}");
}
