//! Tests whether a kernel runs on a backend, in a separate process, since a failing driver may end its
//! process.

use std::{
    io::{self, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use annulus::{Backend, Runtime};
use serde::{Deserialize, Serialize};

use super::{
    finding::{Finding, State},
    machine,
};
use crate::{
    failure::Failure,
    flags::{ANOMALIES, in_flags},
    run::{Trial, try_out},
};

/// How long a backend has to open its device, compile and answer.
const LIMIT: Duration = Duration::from_secs(120);
/// How much of a failed process's error output is shown, at most.
const COMPLAINTS: usize = 5;

/// Names the backend, in the environment of the process that is to try it.
const PROBE: &str = "ANNULUS_DOCTOR_PROBE";

/// The backend that this process is to try, if it was started for that.
pub(super) fn asked() -> Option<Backend> {
    std::env::var(PROBE).ok()?.parse().ok()
}

/// What the process tells.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Answer {
    /// The devices, with notes on each.
    devices: Vec<String>,
    /// What the trial took.
    launch: Option<String>,
    error: Option<String>,
}

/// What the process does: it tries the backend and prints what came of it.
pub(super) fn answer(backend: Backend) -> Result<(), Failure> {
    let mut answer = Answer::default();
    match Runtime::builder().backend(backend).build() {
        Ok(runtime) => {
            for device in runtime.devices() {
                answer.devices.push(device.name);
                answer.devices.push(format!("  {}", device.capabilities));
                answer.devices.extend(device.notes.into_iter().map(|note| format!("  {note}")));
            }
            match try_out(backend) {
                Ok(Trial { launch }) => answer.launch = Some(launch.to_string()),
                Err(error) => answer.error = Some(error.to_string()),
            }
        }
        Err(error) => answer.error = Some(in_flags(&error.to_string(), ANOMALIES)),
    }
    let text = serde_json::to_string(&answer).map_err(Failure::fault)?;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).map_err(Failure::stdout)
}

/// Tries a backend.
pub(super) fn backend(backend: Backend) -> Finding {
    let name = backend.to_string();
    match ask(&name) {
        Ok(Answer { devices, launch: Some(launch), error: None }) => {
            let mut finding =
                Finding::new(&name, State::Well, format!("a kernel runs and answers right: {launch}"));
            finding.found.extend(devices);
            finding
        }
        Ok(Answer { devices, error, .. }) => {
            let why = error.unwrap_or_else(|| "it did not say why".into());
            let mut finding = Finding::new(&name, State::Lacks, why);
            if backend == Backend::Cuda && machine::lacks_nvidia() {
                // Nothing is to be mended.
                finding.state = State::Note;
                finding.found.insert(0, "there is no NVIDIA GPU on this machine's PCI bus".into());
                return finding;
            }
            let is_there = !devices.is_empty();
            finding.found.extend(devices);
            match (is_there, machine::remedy(backend)) {
                (false, Some(remedy)) => finding.remedy(remedy),
                _ => finding,
            }
        }
        Err(why) => {
            let remedy = "try the device's driver by its maker's own tool (clinfo, nvidia-smi), and update or remove it";
            Finding::new(&name, State::Lacks, why).remedy(remedy)
        }
    }
}

/// NVIDIA's compiler, which a device's program needs where it was not compiled before.
#[cfg(feature = "cuda")]
pub(super) fn nvrtc() -> Finding {
    let finding = |state, found: String| Finding::new("nvrtc", state, found);
    match annulus::cuda::architectures() {
        Ok(known) => {
            let known: Vec<_> = known.iter().map(ToString::to_string).collect();
            finding(State::Well, format!("NVIDIA's compiler makes machine code for {}", known.join(", ")))
        }
        // Without a device nobody needs it.
        Err(error) if !machine::lacks_nvidia() => finding(State::Lacks, error.to_string()),
        Err(error) => finding(State::Note, error.to_string()),
    }
}

/// Runs the process that tries a backend.
fn ask(backend: &str) -> Result<Answer, String> {
    let program =
        std::env::current_exe().map_err(|error| format!("this program's own file is not known: {error}"))?;
    let mut child = Command::new(program)
        .arg("doctor")
        .env(PROBE, backend)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("no process can be started: {error}"))?;
    let [told, complaints] = [child.stdout.take().map(read_all), child.stderr.take().map(read_all)];
    let status = wait(&mut child);
    let text = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let Some(status) = status else {
        return Err(format!("a kernel that was tried has not answered within {LIMIT:?}, and was given up"));
    };
    let (told, complaints) = (text(told), text(complaints));
    serde_json::from_str(told.trim()).map_err(|_| {
        let last: Vec<_> = complaints.lines().rev().take(COMPLAINTS).collect();
        let said: String = last.iter().rev().map(|line| format!("\n  {line}")).collect();
        format!("the driver has ended the process that tried a kernel ({}){said}", ended(status))
    })
}

fn ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    status.to_string()
}

fn read_all(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // The output before a failure is shown.
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits until it has ended; `None`, with the process killed, if it has not in time.
fn wait(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => thread::sleep(Duration::from_millis(10)),
            Err(_) => return None,
        }
    }
    // It may have ended meanwhile; then there is nothing to kill.
    let _ = child.kill();
    let _ = child.wait();
    None
}
