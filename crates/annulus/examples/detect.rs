//! The README's program: every sensor is an actor with its own running variance.
//!
//! `cargo run -p annulus --example detect -- [cpu|opencl|cuda]`

use std::{env, error::Error, time::Duration};

use annulus::prelude::*;

/// What the kernel takes. The key says which actor a message is for.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    value: f32,
}

/// What it sends.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Alert {
    sensor: u32,
    z: f32,
}

/// What it keeps for each sensor. Begins as the type's default.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Stats {
    n: u32,
    mean: f32,
    m2: f32,
}

/// Welford's running variance. Sends an alert for a reading that is more than three standard deviations off.
#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 32)]
fn detect(reading: &Reading, stats: &mut Stats, alerts: &Outbox<Alert>) {
    let n = stats.n as f32;
    let delta = reading.value - stats.mean;
    let z = delta / (stats.m2 / n).sqrt();
    if n >= 30.0 && z.abs() > 3.0 {
        alerts.send(Alert { sensor: reading.sensor, z });
    }
    stats.n += 1;
    stats.mean += delta / (n + 1.0);
    stats.m2 += delta * (reading.value - stats.mean);
}

fn main() -> Result<(), Box<dyn Error>> {
    let backend: Backend = env::args().nth(1).as_deref().unwrap_or("auto").parse()?;
    let runtime = Runtime::builder().backend(backend).build()?;

    // 1024 sensors, and so keys from 0 to 1023.
    let kernel = detect::launch(&runtime, LaunchOptions::production().actors(1024))?;
    let telemetry = kernel.enable_telemetry()?;

    for round in 0..100u32 {
        for sensor in 0..1024 {
            let value = 20.0 + (round * 7 + sensor) as f32 % 5.0;
            let _ = kernel.send_blocking(Reading { sensor, value })?;
        }
    }
    let _ = kernel.send_blocking(Reading { sensor: 7, value: 99.0 })?;

    let alert = kernel.recv_blocking()?;
    println!("sensor {} is {:.1} sigma off", alert.sensor, alert.z);

    // Takes no more messages, handles what was sent, and ends the kernel. After five seconds ends it anyway.
    let shutdown = kernel.shutdown_blocking(Duration::from_secs(5));
    assert!(shutdown.undelivered.is_empty());
    println!("{}", telemetry.poll());
    println!("{}", kernel.status());
    Ok(())
}
