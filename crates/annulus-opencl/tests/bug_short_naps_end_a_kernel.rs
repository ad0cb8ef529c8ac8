//! A block that napped often and briefly once took itself for abandoned: it counted naps without a heartbeat,
//! and a nap that a message cuts short is too short for one.

extern crate annulus_runtime as annulus;

mod common;

use std::{thread, time::Duration};

use annulus_opencl::{Faults, OpenCl};
use annulus_runtime::LaunchOptions;
use common::{Number, echo};

#[test]
fn a_kernel_outlives_many_short_naps() {
    let faults = Faults { no_heartbeat: true, patience: Some(50), ..Faults::default() };
    let Some(runtime) = common::runtime(OpenCl::new().faults(faults)) else { return };
    let options = LaunchOptions::production().spin(Duration::ZERO);
    let kernel = echo::launch(&runtime, options).unwrap();
    for value in 0..300 {
        // Long enough to fall asleep.
        thread::sleep(Duration::from_millis(1));
        let _ = kernel.send_blocking(Number { value }).unwrap();
        assert_eq!(kernel.recv_timeout(Duration::from_secs(60)), Ok(Number { value }));
    }
}
