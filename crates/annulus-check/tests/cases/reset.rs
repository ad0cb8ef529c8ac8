//! reset_not_enabled: A-05 where the types allow it.

use annulus::{Telemetry, prelude::*};

use super::common::*;

fn switched_off(telemetry: &Telemetry) {
    telemetry.set_enabled(false);
    telemetry.reset(); //~ reset_not_enabled
    println!("{}", telemetry.poll());
}

fn of_a_kernel(kernel: &KernelHandle<total>) {
    let telemetry = kernel.enable_telemetry().unwrap();
    println!("{}", telemetry.poll());
    telemetry.set_enabled(false);
    kernel.drained_blocking();
    telemetry.reset(); //~ reset_not_enabled
}

// Near misses.

fn on_again(telemetry: &Telemetry) {
    telemetry.set_enabled(false);
    telemetry.reset();
    telemetry.set_enabled(true);
}

fn the_other_way_round(telemetry: &Telemetry) {
    telemetry.reset();
    telemetry.set_enabled(false);
}

fn enabled_by_another(kernel: &KernelHandle<total>, telemetry: &Telemetry) {
    telemetry.set_enabled(false);
    let _other = kernel.enable_telemetry().unwrap();
    telemetry.reset();
}

fn handed_on(telemetry: Telemetry) {
    telemetry.set_enabled(false);
    resume(&telemetry);
    telemetry.reset();
}

fn resume(telemetry: &Telemetry) {
    telemetry.set_enabled(true);
}

fn as_told(telemetry: &Telemetry, on: bool) {
    telemetry.set_enabled(on);
    telemetry.reset();
}
