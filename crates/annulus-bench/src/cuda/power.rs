//! What the GPU takes, and how fast it goes, as `nvidia-smi` says. It answers for the moment in which it is asked.

use std::{
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::failed;
use crate::{
    bus,
    harness::{Failure, Run},
};

/// It takes a second where the driver has to wake up.
const PATIENCE: Duration = Duration::from_secs(10);

/// What [`power_and_clock`] gives.
pub(crate) const METRICS: &[&str] = &["power, W", "clock, MHz"];

/// Whether there is something to be asked.
pub(crate) fn is_told() -> bool {
    said(&["--list-gpus"]).is_ok()
}

/// What `nvidia-smi` says, which is less than a pipe holds. Where the driver hangs, so does it: then it is left.
fn said(arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new("nvidia-smi");
    let command = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let begun = Instant::now();
    while child.try_wait()?.is_none() {
        if begun.elapsed() >= PATIENCE {
            child.kill()?;
            return Err(format!("nvidia-smi said nothing within {PATIENCE:?}").into());
        }
        thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("nvidia-smi failed: {}", output.status).into()),
    }
}

/// The power in watts that the first device takes now, and the clock of its multiprocessors in megahertz.
pub(crate) fn power_and_clock() -> Run {
    let bus = bus::of_first_device().map_err(failed("cuDeviceGetAttribute"))?;
    let question = "--query-gpu=power.draw,clocks.sm";
    let said = said(&[&format!("--id={bus}"), "--format=csv,noheader,nounits", question])?;
    let numbers: Result<Vec<f64>, _> = said.split(',').map(|number| number.trim().parse()).collect();
    match numbers {
        Ok(numbers) if numbers.len() == METRICS.len() => Ok(numbers),
        _ => Err(format!("nvidia-smi said `{said}` of {bus}, and not its power and clock").into()),
    }
}
