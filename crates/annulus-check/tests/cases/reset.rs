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

struct Watch {
    telemetry: Telemetry,
    looks: u64,
}

impl Watch {
    fn pause(&mut self) {
        self.telemetry.set_enabled(false);
        self.looks += 1;
        self.telemetry.reset(); //~ reset_not_enabled
    }

    fn goes_on(&self) {
        self.telemetry.set_enabled(true);
    }

    fn pauses_a_while(&self) {
        self.telemetry.set_enabled(false);
        self.goes_on();
        self.telemetry.reset();
    }
}

fn of_a_field(watch: &Watch) {
    watch.telemetry.set_enabled(false);
    watch.telemetry.reset(); //~ reset_not_enabled
}

fn of_two(one: &Watch, other: &Watch) {
    one.telemetry.set_enabled(false);
    other.telemetry.reset();
}

fn of_one_that_others_have(watch: &Watch) {
    watch.telemetry.set_enabled(false);
    switch_on(&watch.telemetry);
    watch.telemetry.reset();
}

fn of_one_that_goes_on(watch: &Watch) {
    watch.telemetry.set_enabled(false);
    watch.goes_on();
    watch.telemetry.reset();
}

fn switch_on(telemetry: &Telemetry) {
    telemetry.set_enabled(true);
}
