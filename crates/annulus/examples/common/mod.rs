//! What the examples share: the backend that the command line asks for, and how errors are shown.
#![allow(dead_code)] // Not every example draws random numbers.

use std::{env, error::Error, process::ExitCode};

use annulus::prelude::*;

/// What an example ends with.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// Runs an example on the backend that is the command line's only word, or on the CPU.
pub(crate) fn run(example: impl FnOnce(&Runtime) -> Outcome) -> ExitCode {
    match with_backend(example) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn with_backend(example: impl FnOnce(&Runtime) -> Outcome) -> Outcome {
    let mut words = env::args().skip(1);
    let backend = words.next().unwrap_or_else(|| "cpu".into());
    if let Some(word) = words.next() {
        return Err(format!("`{word}` is one word too many: write [cpu|opencl|cuda|metal]").into());
    }
    let runtime = Runtime::builder().backend(backend.parse::<Backend>()?).build()?;
    example(&runtime)
}

/// Numbers that look random, the same ones in every run (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let value = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// One from 0 to below 1.
    pub(crate) fn part(&mut self) -> f32 {
        (self.number() >> 40) as f32 / (1u64 << 24) as f32
    }
}
