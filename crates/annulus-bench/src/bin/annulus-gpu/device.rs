//! What the first device says of itself, and whether a kernel that stays on it answers: each in a process of
//! its own.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_cuda::Cuda;
use serde_json::{Map, Value, json};

use crate::Failure;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Number {
    value: u64,
}

/// Answers each number with its complement.
#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 64)]
pub(crate) fn complement(message: &Number, replies: &Outbox<Number>) {
    replies.send(Number { value: !message.value });
}

fn runtime() -> Result<Runtime, Failure> {
    Ok(Runtime::builder().backend(Cuda::new()).build()?)
}

/// What is asked of `nvidia-smi`.
const QUESTIONS: &str = "name,driver_version,vbios_version,pci.bus_id,pcie.link.gen.current,pcie.link.width.current,clocks.sm,\
     clocks.mem,clocks.max.sm,power.draw,temperature.gpu,compute_mode,mig.mode.current,persistence_mode,memory.total";

/// Prints one JSON object.
pub(crate) fn describe() -> Result<(), Failure> {
    let begun = Instant::now();
    let runtime = runtime()?;
    let device = runtime.devices().into_iter().next().ok_or("the CUDA backend shows no device")?;
    let mut found = json!({
        "device": device.name,
        "multiprocessors": device.parallel_blocks,
        "notes": device.notes,
        "opened_in_ms": begun.elapsed().as_millis() as u64,
    });
    found["nvidia_smi"] = driver().map_or(Value::Null, Value::Object);
    println!("{found}");
    Ok(())
}

/// What `nvidia-smi` says of the first device, if it is there.
fn driver() -> Option<Map<String, Value>> {
    let output = Command::new("nvidia-smi")
        .args(["--id=0", "--format=csv,noheader", &format!("--query-gpu={QUESTIONS}")])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().next().filter(|_| output.status.success())?;
    let answers = line.split(',').map(|answer| Value::from(answer.trim()));
    Some(QUESTIONS.split(',').map(str::to_owned).zip(answers).collect())
}

/// Sends numbers to a kernel that stays, and checks each answer, in its place.
pub(crate) fn check(messages: u64) -> Result<(), Failure> {
    const BATCH: u64 = 64;
    let runtime = runtime()?;
    let begun = Instant::now();
    let kernel = complement::launch(&runtime, LaunchOptions::default().capacity(4096))?;
    println!("launched after {:?}", begun.elapsed());
    let notes: Vec<String> = runtime.devices().into_iter().flat_map(|device| device.notes).collect();
    if !notes.iter().any(|note| note.starts_with("persistent")) {
        return Err(format!("kernels do not stay on this device: {}", notes.join("; ")).into());
    }
    let begun = Instant::now();
    let (mut sent, mut received) = (0, 0);
    let mut answers = Vec::new();
    let mut last = Instant::now();
    while received < messages {
        if sent < messages && sent - received < 2048 {
            let upto = messages.min(sent + BATCH);
            let batch: Vec<_> = (sent..upto).map(|value| Number { value }).collect();
            kernel.send_batch_blocking(&batch)?;
            sent = upto;
        }
        answers.clear();
        match kernel.try_recv_batch(&mut answers, 2 * BATCH as usize) {
            Ok(_) => last = Instant::now(),
            Err(TryRecvError::Empty) if last.elapsed() < Duration::from_secs(15) => continue,
            Err(error) => {
                return Err(format!(
                    "{received} of {messages} came back, then: {error}; {:?}",
                    kernel.status()
                )
                .into());
            }
        }
        for answer in &answers {
            if answer.value != !received {
                return Err(format!(
                    "message {received} was answered with {answer:?}, not with {}",
                    !received
                )
                .into());
            }
            received += 1;
        }
    }
    let time = begun.elapsed();
    let end = kernel.shutdown_blocking(Duration::from_secs(10));
    let status = kernel.status();
    if (status.sent, status.processed, status.produced) != (messages, messages, messages) {
        return Err(format!("counts are wrong: {:?}, {status:?}", end.outcome).into());
    }
    if let Some(note) = status.notes.first() {
        return Err(format!("the kernel did not stay: {note}").into());
    }
    println!("{messages} messages were handled and answered, each as it should be, in {time:?}");
    Ok(())
}
