//! What the GPU takes, and how fast it goes, as `nvidia-smi` says. It answers for the moment in which it is asked.

use std::process::Command;

use super::failed;
use crate::{bus, harness::Run};

/// What [`power_and_clock`] gives.
pub(crate) const METRICS: &[&str] = &["power, W", "clock, MHz"];

/// Whether there is something to be asked.
pub(crate) fn is_told() -> bool {
    Command::new("nvidia-smi").arg("--list-gpus").output().is_ok_and(|output| output.status.success())
}

/// The power in watts that the first device takes now, and the clock of its multiprocessors in megahertz.
pub(crate) fn power_and_clock() -> Run {
    let bus = bus::of_first_device().map_err(failed("cuDeviceGetAttribute"))?;
    let question = "--query-gpu=power.draw,clocks.sm";
    let output = Command::new("nvidia-smi")
        .args([&format!("--id={bus}"), "--format=csv,noheader,nounits", question])
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let numbers: Result<Vec<f64>, _> = said.trim().split(',').map(|number| number.trim().parse()).collect();
    match numbers {
        Ok(numbers) if numbers.len() == METRICS.len() => Ok(numbers),
        _ => Err(format!("nvidia-smi said `{}` of {bus}, and not its power and clock", said.trim()).into()),
    }
}
