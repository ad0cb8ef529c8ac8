//! The detector in a plain loop: what a ring kernel's alerts are compared with.

use super::detect::{Stats, step};
use super::engine::{Alert, Engine, EngineError, EngineOptions, EngineReport, LaunchReport, Reading};

/// Judges each reading where it is sent. Nothing is ever queued, so there is no latency to tell.
pub(crate) struct ReferenceEngine {
    /// By series.
    stats: Vec<Stats>,
    threshold: f32,
    processed: u64,
}

impl ReferenceEngine {
    pub(crate) fn new(options: &EngineOptions) -> Self {
        let stats = vec![Stats::default(); options.max_series as usize];
        Self { stats, threshold: options.threshold, processed: 0 }
    }
}

impl Engine for ReferenceEngine {
    fn send(&mut self, readings: &[Reading], alerts: &mut Vec<Alert>) -> Result<(), EngineError> {
        for &Reading { series, value } in readings {
            if let Some(z) = step(&mut self.stats[series as usize], value, self.threshold) {
                alerts.push(Alert { sequence: self.processed, series, value, z });
            }
            self.processed += 1;
        }
        Ok(())
    }

    fn poll(&mut self, _alerts: &mut Vec<Alert>) -> Result<(), EngineError> {
        Ok(())
    }

    fn drain(&mut self, _alerts: &mut Vec<Alert>) -> Result<(), EngineError> {
        Ok(())
    }

    fn queue_depth(&self) -> u64 {
        0
    }

    fn processed(&self) -> u64 {
        self.processed
    }

    fn report(&self) -> EngineReport {
        EngineReport {
            processed: self.processed,
            dropped: Vec::new(),
            latency: None,
            backend: "reference (in process, no kernel)".into(),
            launch: LaunchReport::default(),
        }
    }
}
