// What the examples of the lints speak of.
#[allow(unused_imports)]
pub use std::{thread, time::Duration};

#[allow(unused_imports)]
pub use annulus::{Backpressure, Telemetry, TelemetryError, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Reading {
    pub value: f32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Alert {
    pub value: f32,
}

/// It has an outbox.
#[ring_kernel]
pub fn detect(reading: &Reading, alerts: &Outbox<Alert>) {
    if reading.value > 3.0 {
        alerts.send(Alert { value: reading.value });
    }
}

/// It has none.
#[ring_kernel]
pub fn count(reading: &Reading, seen: &mut u32) {
    if reading.value > 0.0 {
        *seen += 1;
    }
}

pub type Any = Box<dyn std::error::Error>;
