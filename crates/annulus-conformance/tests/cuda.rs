//! the CUDA backend, on libraries that stand in for NVIDIA's: kernels that stay, and kernels that run
//! in epochs. Where `ANNULUS_GPU` is set, as `./test-gpu` does, on NVIDIA's own.
#![cfg(target_os = "linux")]

use std::{path::Path, process::Command, sync::OnceLock, thread};

use annulus_conformance::{
    Bench, Needs, Subject, conformance_suite,
    cuda::{self, on_a_gpu},
    kernels::{Number, batch_echo},
    run,
};
use annulus_cuda::Cuda;
use annulus_runtime::{Backpressure, LaunchOptions, Runtime, TryRecvError, block_on};

/// A backend, its most blocks, and what shows as well what it shows, but for the modules that move messages.
struct Device(Cuda, u32, Option<&'static str>);

/// The modules in which messages and outputs are moved, so that it matters how a kernel reads its slots.
const MOVES: [&str; 15] = [
    "messages",
    "state",
    "backpressure",
    "failures",
    "dead letters",
    "stalls",
    "undelivered",
    "calls",
    "waking",
    "links",
    "pipelines",
    "port links",
    "ports",
    "steps",
    "load",
];

/// Loads the libraries, for the whole process; says why they cannot be had.
fn stand_in() -> Option<String> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    let load = || {
        if on_a_gpu() {
            return Ok(());
        }
        let folder = cuda::build()?;
        // SAFETY: cases run one at a time, and the first comes here before anything else of CUDA: no C code
        // reads the environment now.
        unsafe { std::env::set_var("ANNULUS_NVRTC", folder) };
        for (name, value) in SETTINGS {
            // SAFETY: as above.
            unsafe { std::env::set_var(name, value) };
        }
        cuda::stand_in()
    };
    LOADED.get_or_init(load).clone().err()
}

/// A device with room for the cases that launch a hundred kernels, two at a time.
const SETTINGS: [(&str, &str); 2] =
    [("ANNULUS_STAND_IN_MULTIPROCESSORS", "16"), ("ANNULUS_STAND_IN_BLOCKS", "16")];
const BLOCKS: u32 = 256;

impl Subject for Device {
    fn name(&self) -> &str {
        "cuda"
    }

    /// Asked once for all cases: a device is probed whenever it is opened.
    fn unavailable(&self) -> Option<String> {
        static TRIED: OnceLock<Option<String>> = OnceLock::new();
        let tried = TRIED.get_or_init(|| {
            let backend = || Runtime::builder().backend(self.0.clone()).build().err();
            stand_in().or_else(|| {
                let error = backend().map(|error| error.to_string());
                // A stand-in that was built must run: its cases would pass without a kernel's having run.
                assert!(on_a_gpu() || error.is_none(), "the stand-in for CUDA does not run: {error:?}");
                error
            })
        });
        assert!(!on_a_gpu() || tried.is_none(), "ANNULUS_GPU is set, but there is none: {tried:?}");
        tried.clone()
    }

    fn runtime(&self) -> Runtime {
        let runtime =
            Runtime::builder().backend(self.0.clone()).build().expect("it was available a moment ago");
        // A GPU on which kernels do not stay must not look as if they did. Only epochs take any number of
        // blocks.
        let device = runtime.devices().swap_remove(0);
        let stays = device.notes.iter().any(|note| note.starts_with("persistent"));
        assert!(stays || self.1 == u32::MAX, "kernels do not stay: {device:?}");
        runtime
    }

    /// The device's clock is related to the host's by questions, whose answers wait for a core where blocks
    /// are threads of the host.
    fn clock_error(&self) -> u64 {
        20_000_000
    }

    fn most_blocks(&self) -> u32 {
        self.1
    }

    fn shrinks(&self) -> u64 {
        if on_a_gpu() { 1 } else { 4 }
    }

    fn repeats(&self, module: &str) -> Option<&str> {
        self.2.filter(|_| !on_a_gpu() && !MOVES.contains(&module))
    }
}

/// What the libraries compile must not lie beside what NVIDIA's do. On a GPU several processes run the cases, and
/// each finds what those before it compiled.
fn cuda() -> Cuda {
    if on_a_gpu() { Cuda::new() } else { Cuda::new().without_cache() }
}

/// Kernels stay on the device, blocks of one thread.
mod persistent {
    use super::*;
    conformance_suite!(Device(cuda().threads_per_block(1), BLOCKS, None));
}

/// Blocks of as many threads as the backend takes unless told otherwise, among which messages are dealt.
/// Slots are sealed.
mod many_threads {
    use super::*;
    conformance_suite!(Device(cuda(), BLOCKS, None));
}

/// The same with open slots, from which messages are read in another way.
mod open_slots {
    use super::*;
    conformance_suite!(Device(cuda().sealed(false), BLOCKS, Some("`many_threads`")));
}

/// Kernels come back after each epoch.
mod epochs {
    use super::*;
    conformance_suite!(Device(cuda().threads_per_block(1).force_epochs(), u32::MAX, None));
}

/// Numbers through four blocks of 256 threads, a hundred million on a GPU: each comes back once, whichever
/// block had it.
#[test]
fn every_message_comes_back_once() {
    run(
        Device(cuda().threads_per_block(256), BLOCKS, None),
        "every_message_comes_back_once",
        Needs::Handlers,
        every_message,
    );
}

/// A case of this program, in a process that was told that there is a GPU, with these variables; it must
/// fail, and what it says is given back.
fn fails_on_a_gpu(libraries: Option<&Path>, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "every_message_comes_back_once"]);
    command.env("ANNULUS_GPU", "1").envs(variables.iter().copied());
    if let Some(folder) = libraries {
        command.env("LD_LIBRARY_PATH", folder).env("ANNULUS_NVRTC", folder);
    }
    let output = command.output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(!output.status.success(), "it passed: {said}");
    said
}

/// Where there is no driver, or it shows no device (`CUDA_VISIBLE_DEVICES` hides them), a suite that is told
/// that there is a GPU fails; it does not skip.
#[test]
fn a_gpu_that_is_not_there_fails() {
    let said = fails_on_a_gpu(None, &[("CUDA_VISIBLE_DEVICES", "")]);
    assert!(said.contains("ANNULUS_GPU is set, but there is none"), "{said}");
}

/// A GPU on which kernels come back after each epoch fails the cases of kernels that stay.
#[test]
fn a_gpu_on_which_kernels_do_not_stay_fails() {
    let libraries = if on_a_gpu() { Ok(None) } else { cuda::build().map(Some) };
    let libraries = match libraries {
        Ok(libraries) => libraries,
        Err(missing) => return println!("skipped: {missing}"),
    };
    let said = fails_on_a_gpu(libraries, &[("CUDA_MODULE_LOADING", "LAZY")]);
    assert!(
        said.contains("kernels do not stay: ") && said.contains("epochs: the driver loads programs lazily"),
        "{said}"
    );
}

fn every_message(bench: &Bench) {
    const BATCH: u64 = 256;
    let all: u64 = if on_a_gpu() { 100_000_000 } else { 100_000 };
    let options = LaunchOptions::high_throughput().backpressure(Backpressure::Block).capacity(16_384).grid(4);
    let kernel = batch_echo::launch(bench.runtime(), options).unwrap();
    let mut seen = vec![0u64; all.div_ceil(64) as usize];
    thread::scope(|scope| {
        scope.spawn(|| {
            for first in (0..all).step_by(BATCH as usize) {
                let batch: Vec<_> = (first..all.min(first + BATCH)).map(|value| Number { value }).collect();
                kernel.send_batch_blocking(&batch).unwrap();
            }
        });
        let mut answers = Vec::new();
        let mut received = 0;
        while received < all {
            answers.clear();
            match kernel.try_recv_batch(&mut answers, BATCH as usize) {
                Ok(_) => {}
                Err(TryRecvError::Empty) => {
                    thread::yield_now();
                    continue;
                }
                Err(closed) => panic!("{closed} after {received} answers"),
            }
            for answer in &answers {
                assert!(answer.value < all, "{answer:?} was never sent");
                let (word, bit) = (&mut seen[answer.value as usize / 64], 1 << (answer.value % 64));
                assert_eq!(*word & bit, 0, "{answer:?} came back twice");
                *word |= bit;
            }
            received += answers.len() as u64;
        }
    });
    // A message's answer is there before its turn is counted.
    block_on(kernel.drained());
    assert_eq!(kernel.status().processed, all);
}
