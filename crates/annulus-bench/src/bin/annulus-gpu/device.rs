//! What the first device says of itself, whether machine code loads on it, whether a kernel that stays there
//! answers, and how many stay: each in a process of its own.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_cuda::Cuda;
use serde_json::{Value, json};

use crate::{Failure, bus};

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

fn runtime(cuda: Cuda) -> Result<Runtime, Failure> {
    Ok(Runtime::builder().backend(cuda).build()?)
}

/// Refuses a device on which kernels do not stay: nothing that is run there tells of what is to be measured.
fn stays(runtime: &Runtime) -> Result<(), Failure> {
    let notes: Vec<String> = runtime.devices().into_iter().take(1).flat_map(|device| device.notes).collect();
    match notes.iter().any(|note| note.starts_with("persistent")) {
        true => Ok(()),
        false => Err(format!("kernels do not stay on this device: {}", notes.join("; ")).into()),
    }
}

/// Prints one JSON object; fails if kernels do not stay.
pub(crate) fn describe() -> Result<(), Failure> {
    let begun = Instant::now();
    let runtime = runtime(Cuda::new())?;
    let device = runtime.devices().into_iter().next().ok_or("the CUDA backend shows no device")?;
    let nvrtc =
        annulus_cuda::nvrtc_version().map_or(Value::Null, |(major, minor)| format!("{major}.{minor}").into());
    let found = json!({
        "device": device.name,
        "multiprocessors": device.parallel_blocks,
        "notes": device.notes,
        "opened_in_ms": begun.elapsed().as_millis() as u64,
        "bus": bus::of_first_device().ok(),
        "nvrtc": nvrtc,
    });
    println!("{found}");
    stays(&runtime)
}

/// Compiles and loads the forms of a kernel: with sealed slots, with open ones, and connectable. Each takes a
/// message; one that fails costs the others nothing. Where slots cannot be sealed, they are open whatever is
/// asked for, and that form says so in place of a time.
pub(crate) fn load_code() -> Result<(), Failure> {
    let missing = missing_for_sealed();
    let forms = [
        ("sealed slots", Cuda::new(), false),
        ("open slots", Cuda::new().sealed(false), false),
        ("connectable", Cuda::new(), true),
    ];
    let mut failed = Vec::new();
    for (form, cuda, connectable) in forms {
        if let Some(missing) = missing.as_ref().filter(|_| form == "sealed slots") {
            println!("{}", json!({ "code": form, "skipped": format!("needs {missing}") }));
            continue;
        }
        let slots = if form == "open slots" || missing.is_some() { "open" } else { "sealed" };
        match load(cuda, connectable) {
            Ok(time) => {
                let time = time.as_millis() as u64;
                println!("{}", json!({ "code": form, "slots": slots, "answered_after_ms": time }));
            }
            Err(error) => failed.push(format!("{form}: {error}")),
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ").into()) }
}

/// What is not here of what sealed slots need, if something is not.
fn missing_for_sealed() -> Option<String> {
    if !annulus_ring::sealed::is_offered() {
        return Some("a host whose processor stores 16 bytes in one access (x86-64 with AVX)".to_owned());
    }
    match annulus_cuda::nvrtc_version() {
        Ok((major, minor)) if (major, minor) < (12, 4) => {
            Some(format!("NVRTC of CUDA 12.4 or newer, and this is {major}.{minor}"))
        }
        // Without a compiler no form loads, and each says so.
        _ => None,
    }
}

/// How long it takes until a kernel that was just launched has answered.
fn load(cuda: Cuda, connectable: bool) -> Result<Duration, Failure> {
    let runtime = runtime(cuda)?;
    let begun = Instant::now();
    let kernel = complement::launch(&runtime, LaunchOptions::default().connectable(connectable))?;
    answer(&kernel, Duration::from_secs(10)).map_err(|why| match why {
        NoAnswer::InTime(why) => why.into(),
        NoAnswer::Wrong(why) => why,
    })?;
    let time = begun.elapsed();
    kernel.shutdown_blocking(Duration::from_secs(10));
    Ok(time)
}

/// Why a kernel that was sent a message did not answer it as it should.
#[derive(Debug)]
enum NoAnswer {
    /// It said nothing in the time it had.
    InTime(String),
    /// It said something else, or cannot be asked.
    Wrong(Failure),
}

/// Sends a message to a kernel, and waits so long for its answer.
fn answer(kernel: &KernelHandle<complement>, patience: Duration) -> Result<(), NoAnswer> {
    let wrong = |why: String| NoAnswer::Wrong(why.into());
    let notes = || format!("{:?}", kernel.status().notes);
    let _ = kernel.try_send(Number { value: 7 }).map_err(|error| wrong(format!("{error}; {}", notes())))?;
    let begun = Instant::now();
    loop {
        match kernel.try_recv() {
            Ok(Number { value }) if value == !7 => return Ok(()),
            Ok(other) => return Err(wrong(format!("7 was answered with {other:?}"))),
            Err(TryRecvError::Empty) if begun.elapsed() < patience => std::thread::yield_now(),
            Err(error @ TryRecvError::Empty) => {
                return Err(NoAnswer::InTime(format!("{error}; {}", notes())));
            }
            Err(error) => return Err(wrong(format!("{error}; {}", notes()))),
        }
    }
}

/// Starts kernels that stay one by one, until one does not answer in time; prints each that began, how many
/// did, as a figure, and why the next one did not.
///
/// # Errors
///
/// If none begins, if one answers what it should not, or if something else goes wrong than that a kernel does
/// not begin. What began until then is printed as well.
pub(crate) fn stay_together(most: u32) -> Result<(), Failure> {
    /// Longer than it takes a kernel to say why it does not begin.
    const TO_BEGIN: Duration = Duration::from_secs(5);
    let runtime = runtime(Cuda::new())?;
    stays(&runtime)?;
    let mut kernels = Vec::new();
    let mut began = 0;
    let mut end = None;
    while end.is_none() && began < most {
        let options = LaunchOptions::default().capacity(64).name(format!("number {}", began + 1));
        let answered = match complement::launch(&runtime, options) {
            Err(error) => Err(NoAnswer::Wrong(error.to_string().into())),
            Ok(kernel) => {
                let answered = answer(&kernel, TO_BEGIN);
                kernels.push(kernel);
                answered
            }
        };
        match answered {
            Ok(()) => {
                began += 1;
                // On its way before the next one begins: whoever ends this has the count.
                println!("{}", json!({ "kernel": began, "began": true }));
                io::stdout().flush()?;
            }
            Err(why) => end = Some(why),
        }
    }
    let (case, candidate) = ("kernels that stay at a time", "began");
    println!(
        "{}",
        json!({
            "suite": "kernels", "case": case, "candidate": candidate, "unit": "kernels",
            "median": began, "min": began, "max": began, "runs": 1,
        })
    );
    let verdict = if began >= most { "reached" } else { "missed" };
    let text = format!("{began} kernels began; mark: all {most}");
    println!(
        "{}",
        json!({
            "suite": "kernels", "case": case, "candidate": candidate, "verdict": verdict, "value": began,
            "goal": most, "text": text,
        })
    );
    let outcome = match end {
        None => Ok(()),
        Some(NoAnswer::InTime(why)) => {
            println!("{}", json!({ "kernel": began + 1, "why": why }));
            if began == 0 { Err("no kernel began".into()) } else { Ok(()) }
        }
        Some(NoAnswer::Wrong(why)) => {
            println!("{}", json!({ "kernel": began + 1, "why": why.to_string() }));
            Err(format!("kernel {}: {why}", began + 1).into())
        }
    };
    // The first ones may hold up the last, and go first.
    for kernel in &kernels {
        kernel.shutdown_blocking(Duration::from_secs(5));
    }
    outcome
}

/// Sends numbers to a kernel that stays, and checks each answer, in its place.
pub(crate) fn check(messages: u64) -> Result<(), Failure> {
    const BATCH: u64 = 64;
    let runtime = runtime(Cuda::new())?;
    stays(&runtime)?;
    let begun = Instant::now();
    let kernel = complement::launch(&runtime, LaunchOptions::default().capacity(4096))?;
    println!("launched after {:?}", begun.elapsed());
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
