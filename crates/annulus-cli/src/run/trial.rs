//! A trial of a kernel: it is launched, gets readings, and must answer with exactly the one expected alert.

use annulus::Backend;

use super::{
    detect::WARM_UP,
    engine::{Engine, EngineError, EngineOptions, LaunchReport, Reading},
    kernel_engine::KernelEngine,
};

/// What a trial has shown.
pub(crate) struct Trial {
    pub(crate) launch: LaunchReport,
}

/// Runs a kernel on a backend.
pub(crate) fn try_out(backend: Backend) -> Result<Trial, EngineError> {
    let options = EngineOptions { backend, max_series: 1, threshold: 5.0, telemetry: false };
    let mut engine = KernelEngine::launch(&options)?;
    let usual = (0..2 * WARM_UP).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 });
    let readings: Vec<_> = usual.chain([1000.0]).map(|value| Reading { series: 0, value }).collect();
    let mut alerts = Vec::new();
    engine.send(&readings, &mut alerts)?;
    engine.drain(&mut alerts)?;
    let report = engine.report();
    let expected = readings.len() as u64;
    match &alerts[..] {
        [alert] if alert.value == 1000.0 && report.processed == expected => {
            Ok(Trial { launch: report.launch })
        }
        _ => Err(EngineError(format!(
            "a kernel was launched and judged {} of {expected} readings with {} alerts, where one must come: the device's driver makes \
             mistakes; update it",
            report.processed,
            alerts.len()
        ))),
    }
}
