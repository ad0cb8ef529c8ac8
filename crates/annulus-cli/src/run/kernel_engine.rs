//! The detector as a ring kernel: every series is an actor with its own statistics.

use std::time::{Duration, Instant};

use annulus::TryRecvError;
use annulus::prelude::*;

use super::detect::{FORGET_AT, Stats, WARM_UP};
use super::engine::{
    Alert, Engine, EngineError, EngineOptions, EngineReport, LatencySummary, LaunchReport, Reading,
};
use crate::flags::{ANOMALIES, in_flags};

/// A reading on its way to the kernel.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Observation {
    #[ring(key)]
    series: u32,
    value: f32,
    sequence: u64,
}

/// An alert on its way back.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Deviation {
    sequence: u64,
    series: u32,
    value: f32,
    z: f32,
}

/// What the user asked for.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Limits {
    threshold: f32,
}

/// Judges a reading by the earlier ones of its series: [`step`](super::detect::step), written out for
/// devices. A test holds the two together.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
fn anomalies(reading: &Observation, stats: &mut Stats, limits: &Limits, alerts: &Outbox<Deviation>) {
    let Observation { series, value, sequence } = *reading;
    let distance = value - stats.mean;
    if stats.n >= WARM_UP && stats.m2 > 0.0 {
        let variance = stats.m2 / (stats.n - 1) as f32;
        let z = distance / variance.sqrt();
        if z.abs() > limits.threshold {
            alerts.send(Deviation { sequence, series, value, z });
        }
    }
    let n = stats.n + 1;
    let mean = stats.mean + distance / n as f32;
    let m2 = stats.m2 + distance * (value - mean);
    if mean.abs() <= f32::MAX && m2 <= f32::MAX {
        *stats = Stats { n, mean, m2 };
    }
    if stats.n >= FORGET_AT {
        stats.n /= 2;
        stats.m2 /= 2.0;
    }
}

/// Readings that may wait in each shard.
const CAPACITY: u32 = 8192;

/// The most readings that are sent before alerts are taken in.
const CHUNK: usize = 256;

/// Alerts that may wait in each shard. When a chunk is sent, every earlier alert has been taken in. Meanwhile
/// no more readings can turn into alerts than the inbound ring and the chunk hold. So the kernel never has to
/// wait for the host while the host waits for the kernel.
const ALERT_CAPACITY: u32 = 2 * CAPACITY;
const _: () = assert!(ALERT_CAPACITY as usize >= CAPACITY as usize + CHUNK);

/// How long a block without readings keeps looking for them: longer than the gaps between paced ones.
const SPIN: Duration = Duration::from_micros(500);

/// How long a run's end may take.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// The job on a ring kernel.
pub(super) struct KernelEngine {
    kernel: KernelHandle<anomalies>,
    launch: LaunchReport,
    sent: u64,
    /// Reused by every send.
    observations: Vec<Observation>,
    deviations: Vec<Deviation>,
    runtime: Runtime,
}

impl KernelEngine {
    pub(super) fn launch(options: &EngineOptions) -> Result<Self, EngineError> {
        let runtime = Runtime::builder().backend(options.backend).build().map_err(error)?;
        // One block for each core but the one that feeds them.
        let cores = runtime.devices().first().map_or(1, |device| device.parallel_blocks);
        let launch = LaunchOptions::high_throughput()
            .capacity(CAPACITY)
            .output_capacity(ALERT_CAPACITY)
            .actors(options.max_series.into())
            .grid(cores.saturating_sub(1).clamp(1, options.max_series))
            .calls(false)
            .track_latency(true)
            .spin(SPIN);
        let limits = Limits { threshold: options.threshold };
        let began = Instant::now();
        let kernel = anomalies::bind(limits).launch(&runtime, launch).map_err(error)?;
        kernel.ready_blocking().map_err(error)?;
        let launch = LaunchReport { compilation: kernel.compilation(), ready: began.elapsed() };
        if options.telemetry {
            kernel.enable_telemetry().map_err(error)?;
        }
        Ok(Self { runtime, kernel, launch, sent: 0, observations: Vec::new(), deviations: Vec::new() })
    }
}

impl KernelEngine {
    /// Where the kernel runs.
    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

impl Engine for KernelEngine {
    fn send(&mut self, readings: &[Reading], alerts: &mut Vec<Alert>) -> Result<(), EngineError> {
        for chunk in readings.chunks(CHUNK) {
            self.poll(alerts)?;
            let first = self.sent;
            self.observations.clear();
            self.observations.extend(chunk.iter().zip(first..).map(|(reading, sequence)| Observation {
                series: reading.series,
                value: reading.value,
                sequence,
            }));
            self.kernel.send_batch_blocking(&self.observations).map_err(error)?;
            self.sent += chunk.len() as u64;
        }
        Ok(())
    }

    fn poll(&mut self, alerts: &mut Vec<Alert>) -> Result<(), EngineError> {
        loop {
            match self.kernel.try_recv_batch(&mut self.deviations, CHUNK) {
                Ok(_) => alerts.extend(
                    self.deviations.drain(..).map(|Deviation { sequence, series, value, z }| Alert {
                        sequence,
                        series,
                        value,
                        z,
                    }),
                ),
                Err(TryRecvError::Closed) => return Err(EngineError("the kernel has terminated".into())),
                Err(_) => return Ok(()),
            }
        }
    }

    fn drain(&mut self, alerts: &mut Vec<Alert>) -> Result<(), EngineError> {
        self.kernel.drained_blocking();
        // A reading's alert is published before the reading is given back.
        self.poll(alerts)
    }

    fn queue_depth(&self) -> u64 {
        self.kernel.status().pending
    }

    fn processed(&self) -> u64 {
        self.kernel.status().processed
    }

    fn report(&self) -> EngineReport {
        self.kernel.shutdown_blocking(SHUTDOWN);
        let status = self.kernel.status();
        let latency = self.kernel.latencies().filter(|latencies| latencies.count() > 0);
        EngineReport {
            processed: status.processed,
            dropped: status.drops.by_cause().to_vec(),
            latency: latency.map(|latencies| LatencySummary {
                p50: latencies.quantile(0.5),
                p99: latencies.quantile(0.99),
                p999: latencies.quantile(0.999),
                max: latencies.max(),
            }),
            backend: status.backend.into(),
            launch: self.launch,
        }
    }
}

fn error(error: impl std::error::Error) -> EngineError {
    EngineError(in_flags(&error.to_string(), ANOMALIES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::reference::ReferenceEngine;

    #[test]
    fn the_kernel_can_run_on_every_device() {
        for target in annulus::kernel::Target::ALL {
            anomalies::DEFINITION.handler_source(target).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// The kernel's alerts are those of a plain loop over the same readings, bit for bit.
    #[test]
    fn the_kernel_agrees_with_a_plain_loop() {
        let options =
            EngineOptions { backend: Backend::Cpu, max_series: 100, threshold: 2.5, telemetry: false };
        let readings: Vec<Reading> = (0..200_000u32)
            .map(|i| {
                let noise = i.wrapping_mul(0x9E37_79B1) >> 12;
                Reading {
                    series: noise % 97,
                    value: (noise % 1013) as f32 * if i % 1009 == 0 { 9.0 } else { 1.0 },
                }
            })
            .collect();
        let alerts = |mut engine: Box<dyn Engine>| {
            let mut alerts = Vec::new();
            for batch in readings.chunks(777) {
                engine.send(batch, &mut alerts).expect("the engine runs");
            }
            engine.drain(&mut alerts).expect("the engine runs");
            assert_eq!(engine.processed(), readings.len() as u64);
            alerts.sort_by_key(|alert| alert.sequence);
            alerts
        };
        let expected = alerts(Box::new(ReferenceEngine::new(&options)));
        assert!(expected.len() > 100, "{} alerts are too few to compare", expected.len());
        let found = alerts(Box::new(KernelEngine::launch(&options).expect("the CPU is there")));
        assert_eq!(found, expected);
    }
}
