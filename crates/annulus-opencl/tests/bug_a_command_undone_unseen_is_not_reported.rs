//! The pump once compared the acknowledged command with the one that it had seen last: a kernel that was
//! activated and deactivated again between two looks seemed not to have changed, and whoever waited for the
//! second waited for ever.

extern crate annulus_runtime as annulus;

mod common;

use annulus_opencl::OpenCl;
use annulus_runtime::LaunchOptions;
use common::echo;

#[test]
fn every_transition_ends() {
    for options in [OpenCl::new(), OpenCl::new().force_epochs()] {
        let Some(runtime) = common::runtime(options) else { return };
        let kernel = echo::launch(&runtime, LaunchOptions::production().active(false)).unwrap();
        for _ in 0..300 {
            kernel.activate_blocking().unwrap();
            kernel.deactivate_blocking().unwrap();
        }
    }
}
