//! Handlers as text: what the Rust becomes beside what a person writes, in one program around both.

use std::{ffi::CStr, time::Instant};

use annulus::kernel::{
    KernelDefinition, LANGUAGE_SOURCE, Target,
    device::{INTERFACE, OPENCL_PRELUDE},
};
use annulus_sync::Ordering;

use super::{Device, Kernel};
use crate::harness::{Failure, Run};

/// As the backend builds its kernels on a device that rounds as Rust does.
const OPTIONS: &CStr = c"-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt";
/// Messages in a launch.
const COUNT: u32 = 1024;
/// Where the memory of states ends with taps, and with how many calls have failed, in words.
const TAPS: usize = 768;
const FAILED: usize = 1023;

/// A handler that is compared.
#[derive(Clone, Copy)]
pub(crate) struct Handler {
    pub(crate) name: &'static str,
    pub(crate) definition: &'static KernelDefinition,
    pub(crate) by_hand: &'static str,
    /// How often a launch goes through its messages: such that it takes some milliseconds.
    pub(crate) turns: u32,
    /// The word at this place of all messages.
    pub(crate) message: fn(usize) -> u32,
}

/// Which text of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    ByHand,
    Emitted,
    /// The emitted text without its checks of indices and its loop budget.
    Unchecked,
}

/// The whole text of the program; another number makes it one that the driver has not built before.
pub(crate) fn text(handler: &Handler, text: Text, number: u32) -> Result<String, Failure> {
    const AROUND: &str = include_str!("by_hand/measured.cl");
    let middle = match text {
        Text::ByHand => handler.by_hand.to_owned(),
        Text::Emitted | Text::Unchecked => {
            let emitted = handler.definition.handler_source(Target::OpenCl)?;
            let kept = |line: &&str| text == Text::Emitted || !line.contains(" return 0xFF0");
            let lines: Vec<&str> = emitted.lines().filter(kept).collect();
            let taps = if emitted.contains("bind_taps") { "#define BENCH_EMITTED_TAPS\n" } else { "" };
            format!("{LANGUAGE_SOURCE}\n{}\n{taps}", lines.join("\n"))
        }
    };
    Ok(format!(
        "#define BENCH_NUMBER {number}u\n#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_PORTABLE 1\n{OPENCL_PRELUDE}\n{INTERFACE}\n{middle}\n{AROUND}"
    ))
}

/// A built program with its messages, and what it answers.
pub(crate) struct Bench {
    device: Device,
    turns: u32,
}

impl Bench {
    pub(crate) fn new(handler: &Handler, which: Text) -> Result<Self, Failure> {
        let source = text(handler, which, 0)?;
        let device = Device::open(&source, OPTIONS)?;
        for i in 0..COUNT as usize * super::WORDS {
            device.input.word(i).store((handler.message)(i), Ordering::Relaxed);
        }
        Ok(Self { device, turns: handler.turns })
    }

    fn kernel(&self) -> Result<Kernel<'_>, Failure> {
        let kernel = self.device.kernel(c"measured")?;
        kernel.set(2, &self.device.flags.memory)?;
        kernel.set(3, &COUNT)?;
        Ok(kernel)
    }

    /// What one turn from the beginning answers: outputs, states, and how many calls failed.
    pub(crate) fn answers(&self) -> Result<Vec<u32>, Failure> {
        let (output, memory) = (&self.device.output, &self.device.flags);
        (0..COUNT as usize * super::WORDS).for_each(|i| output.word(i).store(0, Ordering::Relaxed));
        (0..1024).for_each(|i| memory.word(i).store(0, Ordering::Relaxed));
        (0..8)
            .for_each(|i| memory.word(TAPS + i).store((0.25 / (i + 1) as f32).to_bits(), Ordering::Relaxed));
        let kernel = self.kernel()?;
        kernel.set(4, &2u32)?;
        kernel.launch(1)?;
        kernel.wait()?;
        let words = 0..COUNT as usize * super::WORDS;
        let mut answers: Vec<u32> = words.map(|i| output.word(i).load(Ordering::Relaxed)).collect();
        answers.push(memory.word(FAILED).load(Ordering::Relaxed));
        Ok(answers)
    }

    /// Nanoseconds for each call: the median of some launches.
    pub(crate) fn run(&self) -> Run {
        const LAUNCHES: usize = 9;
        let kernel = self.kernel()?;
        kernel.set(4, &self.turns)?;
        let mut times = Vec::with_capacity(LAUNCHES);
        for _ in 0..LAUNCHES {
            let begun = Instant::now();
            kernel.launch(1)?;
            kernel.wait()?;
            times.push(begun.elapsed().as_secs_f64() * 1e9 / f64::from(COUNT) / f64::from(self.turns));
        }
        times.sort_by(f64::total_cmp);
        Ok(vec![times[LAUNCHES / 2]])
    }
}

/// Milliseconds from a text to its kernel's first launch.
pub(crate) fn build(source: &str) -> Run {
    let begun = Instant::now();
    let device = Device::open(source, OPTIONS)?;
    let kernel = device.kernel(c"measured")?;
    kernel.set(2, &device.flags.memory)?;
    kernel.set(3, &0u32)?;
    kernel.set(4, &0u32)?;
    kernel.launch(1)?;
    kernel.wait()?;
    Ok(vec![begun.elapsed().as_secs_f64() * 1e3])
}
