//! The README's kernel, whole: every sensor is an actor with its own running variance.
//!
//! `cargo run -p annulus --example detect -- [cpu|opencl]`
//!
//! Sends and receives as futures; the telemetry is read without a word to the kernel.

mod common;

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    value: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Alert {
    sensor: u32,
    z: f32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Stats {
    n: u32,
    mean: f32,
    m2: f32,
}

/// Welford's running variance; `stats` is this sensor's own. Alerts on readings over three sigma.
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

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        annulus::block_on(async {
            let kernel = detect::launch(runtime, LaunchOptions::production().actors(1024))?;
            let telemetry = kernel.enable_telemetry()?;

            for round in 0..100u32 {
                for sensor in 0..1024 {
                    let value = 20.0 + (round * 7 + sensor) as f32 % 5.0;
                    kernel.send(Reading { sensor, value }).await?;
                }
            }
            kernel.send(Reading { sensor: 7, value: 99.0 }).await?;

            let alert = kernel.recv().await?;
            println!("sensor {} is {:.1} sigma off", alert.sensor, alert.z);

            kernel.close();
            kernel.drained().await;
            println!("{}", telemetry.poll());
            println!("{}", kernel.status());
            Ok(())
        })
    })
}
