//! Comments that allow: A-06.

use annulus::{Telemetry, prelude::*};

use super::common::*;

const ONE: Number = Number { value: 1 };

// annulus: allow(tight_poll) for a whole function
fn function(telemetry: &Telemetry) {
    loop {
        println!("{}", telemetry.poll());
    }
}

/// With documentation.
// annulus: allow(AN01) between attributes
#[inline]
fn between(telemetry: &Telemetry) {
    while telemetry.poll().messages_processed < 7 {}
}

fn statements(kernel: &KernelHandle<total>) {
    let _ = kernel.try_send(ONE); // annulus: allow(outcome_discarded) it is only a sample
    // annulus: allow(annulus::outcome_discarded): this one, too
    let _ = kernel.try_send(ONE);
    let _ = kernel.try_send(ONE); //~ outcome_discarded
    match 7 {
        // annulus: allow(outcome_discarded, blocking_in_async) //~ useless_allow
        7 => drop(kernel.try_send(ONE)),
        _ => {}
    }
    /* annulus: allow(outcome_discarded) is no line comment */
    let _ = kernel.try_send(ONE); //~ outcome_discarded
    let _text = "// annulus: allow(outcome_discarded)";
}

struct Holder;

impl Holder {
    // annulus: allow(tight_poll)
    fn method(&self, telemetry: &Telemetry) {
        loop {
            println!("{}", telemetry.poll());
        }
    }
}

// annulus: allow(tight_pol) //~ useless_allow
fn misspelt(telemetry: &Telemetry) {
    while telemetry.poll().messages_processed < 7 {} //~ tight_poll
}

// annulus: allow(tight_poll) //~ useless_allow
fn nothing_here() {}

// annulus: allow tight_poll //~ useless_allow
fn no_brackets() {}

// annulus: what this comment says is no concern of the lints
fn other_comment() {}
