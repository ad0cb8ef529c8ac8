//! Handlers that a whole block runs: Rust, an OpenCL device and CUDA do the same.

mod child;
#[cfg(target_os = "linux")]
mod cuda;
mod kernels;
#[cfg(target_os = "linux")]
mod races;
mod text;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::CString,
    panic,
    process::Command,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use annulus_conformance::language::{Call, Inputs, Outcome, call_block, difference};
use annulus_differential::generate::{ELEMENTS, KEPT};
use annulus_kernel::{BindingKind, KernelDefinition, Target};

use child::{Watch, left_out};
use kernels::{ADDS, KERNELS, RACES};

use crate::{
    BLOCKS,
    device::{Device, memories, outcomes},
    quietly,
};

/// How many messages each handler gets.
const CALLS: u64 = 60;
/// How many of them a block takes, one after the other.
const EACH: u32 = 5;

/// How many handlers go into one program: the block's memory of all of them counts for each.
const PROGRAM: usize = 3;

type Handler = (&'static KernelDefinition, u32);

fn calls(definition: &'static KernelDefinition) -> Vec<Call> {
    let seed = definition.name.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte));
    let mut inputs = Inputs::new(seed, ELEMENTS);
    let mut call = || {
        let mut call = inputs.call(definition);
        for (binding, memory) in definition.bindings.iter().zip(&mut call.bindings) {
            if binding.kind == BindingKind::Whole {
                *memory = inputs.values(binding.ty, KEPT);
            }
        }
        call
    };
    (0..CALLS).map(|_| call()).collect()
}

/// What runs kernels of a program: its text, the kernel's name, its numbers and memories, groups, threads.
trait Machine {
    type Program;

    const TARGET: Target;

    fn build(&self, source: &str) -> Result<Self::Program, String>;

    fn run(
        &self,
        program: &Self::Program,
        kernel: &CString,
        numbers: [u32; 2],
        memories: &mut [Vec<u8>],
        groups: u32,
        threads: u32,
    ) -> Result<(), String>;

    /// Runs the kernel of this number without messages: a device's compiler may be at work until then.
    fn compile(&self, program: &Self::Program, index: usize, handler: Handler) -> Result<(), String> {
        self.calls(program, index, handler, &[]).map(drop)
    }

    /// All calls of the handler of this number.
    fn calls(
        &self,
        program: &Self::Program,
        index: usize,
        (definition, threads): Handler,
        calls: &[Call],
    ) -> Result<Vec<Outcome>, String> {
        let mut memories = memories(definition, calls);
        let kernel = CString::new(format!("run_{index}")).expect("a name has no zero");
        let count = calls.len() as u32;
        let groups = count.div_ceil(EACH).max(1);
        self.run(program, &kernel, [EACH, count], &mut memories, groups, threads)?;
        Ok(outcomes(definition, calls, &memories))
    }
}

impl<'d> Machine for &'d Device {
    type Program = crate::device::Program<'d>;

    const TARGET: Target = Target::OpenCl;

    fn build(&self, source: &str) -> Result<Self::Program, String> {
        Device::build(self, source)
    }

    fn run(
        &self,
        program: &Self::Program,
        kernel: &CString,
        numbers: [u32; 2],
        memories: &mut [Vec<u8>],
        groups: u32,
        threads: u32,
    ) -> Result<(), String> {
        program.run(kernel, &numbers, memories, groups as usize, threads as usize)
    }
}

/// The first difference of a call's outcomes.
fn differs(rust: &Outcome, other: &Outcome) -> Option<String> {
    // What the threads of a message that fails had done to tables before depends on who ran first.
    let kept = |outcome: &Outcome| {
        let mut kept = outcome.clone();
        if rust.code != 0 {
            kept.bindings.clear();
        }
        kept
    };
    difference(&kept(rust), &kept(other), 0)
}

/// The first call of a handler that comes out otherwise than in Rust, and how many succeed.
fn first_difference<M: Machine>(
    machine: &M,
    program: &M::Program,
    index: usize,
    (definition, threads): Handler,
) -> (Option<String>, u64) {
    let calls = calls(definition);
    let others = machine
        .calls(program, index, (definition, threads), &calls)
        .unwrap_or_else(|error| panic!("{}: {error}", definition.name));
    let mut succeeded = 0;
    for (number, (input, other)) in calls.iter().zip(&others).enumerate() {
        let rust = call_block(definition, input, threads);
        succeeded += u64::from(rust.code == 0);
        if let Some(difference) = differs(&rust, other) {
            let found = format!("{} differs in call {number}: {difference}", definition.name);
            return (Some(found), succeeded);
        }
    }
    (None, succeeded)
}

/// Runs these handlers on a machine, and compares. Says what it is at, as [`child`] reads it.
fn compare<M: Machine>(handlers: &[Handler], machine: &M) {
    let left_out = left_out();
    let mut by_threads: BTreeMap<u32, Vec<(usize, &'static KernelDefinition)>> = BTreeMap::new();
    for (index, &(definition, threads)) in handlers.iter().enumerate() {
        by_threads.entry(threads).or_default().push((index, definition));
    }
    let programs =
        by_threads.iter().flat_map(|(&threads, all)| all.chunks(PROGRAM).map(move |some| (threads, some)));
    let mut differences = Vec::new();
    let (mut succeeded, mut compared) = (0, 0);
    for (threads, group) in programs {
        let names: Vec<_> = group
            .iter()
            .map(|(_, definition)| definition.name)
            .filter(|name| !left_out.contains(*name))
            .collect();
        if names.is_empty() {
            continue;
        }
        println!("compiles: {}", names.join(" "));
        let text = text::program(M::TARGET, group, threads).unwrap_or_else(|error| panic!("{error}"));
        let program = machine.build(&text).unwrap_or_else(|error| panic!("{error}"));
        for &(index, definition) in group.iter().filter(|(_, definition)| names.contains(&definition.name)) {
            let handler = (definition, threads);
            println!("compiles: {}", definition.name);
            machine.compile(&program, index, handler).unwrap_or_else(|error| panic!("{error}"));
            println!("runs: {}", definition.name);
            match first_difference(machine, &program, index, handler) {
                (None, some) => {
                    println!("agrees: {}", definition.name);
                    succeeded += some;
                    compared += CALLS;
                }
                (Some(difference), _) => differences.push(difference),
            }
        }
    }
    println!("{succeeded} of {compared} calls succeed");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// What a handler's text differs in if it is changed so; `None` if nothing is found.
fn found<M: Machine>(machine: &M, handler: Handler, change: impl FnOnce(String) -> String) -> Option<String> {
    let (definition, threads) = handler;
    let whole = text::program(M::TARGET, &[(0, definition)], threads).expect("the handler has a text");
    let text = change(whole.clone());
    assert_ne!(text, whole, "{}: nothing was changed", definition.name);
    let program = machine.build(&text).unwrap_or_else(|error| panic!("{error}"));
    first_difference(machine, &program, 0, handler).0
}

/// A text with this in place of the barrier of this number of its handler's own; `None` if it has not so many.
fn instead_of_barrier(text: &str, number: usize, instead: &str) -> Option<String> {
    let handler = text.find("u32 handle_")?;
    let end = handler + text[handler..].find("#define ANN_MESSAGE ")?;
    let is_barrier = |line: &&str| {
        line.trim_start().starts_with("ann_barrier();")
            || line.trim_start().starts_with("ann_code = ann_meet(")
    };
    let line = text[handler..end].lines().filter(is_barrier).nth(number)?;
    // The place of the line, which may stand there more than once.
    let at = line.as_ptr().addr() - text.as_ptr().addr();
    Some(format!("{}{instead}{}", &text[..at], &text[at + line.len()..]))
}

/// The same, with nothing.
fn without_barrier(text: &str, number: usize) -> Option<String> {
    instead_of_barrier(text, number, "")
}

/// Finds each of these faults: the handler, what stands in its text, and what is put in its place.
fn find_faults<M: Machine>(machine: &M, faults: &[(&str, &str, &str)]) {
    for &(name, right, wrong) in faults {
        let handler = *KERNELS.iter().find(|(definition, _)| definition.name == name).expect("there is one");
        let difference = found(machine, handler, |text| text.replace(right, wrong));
        assert!(difference.is_some(), "{name} with `{wrong}` in place of `{right}`: nothing differs");
    }
}

/// The first device, if it can run such handlers.
fn device() -> Option<Device> {
    let Some(device) = Device::first() else {
        println!("skipped: there is no OpenCL device");
        return None;
    };
    println!("on {}", device.name());
    if !device.has_wide_atomics() {
        println!("skipped: it has no atomics of 64 bits, which every handler uses");
        return None;
    }
    Some(device)
}

#[test]
fn b06_b08_x02_on_an_opencl_device() {
    let Some(device) = device() else { return };
    let handlers: BTreeSet<String> =
        KERNELS.iter().chain(BLOCKS).map(|(definition, _)| definition.name.to_owned()).collect();
    // PoCL 3.1 died of 4 of 64, always of the same ones: twice as many are too many.
    let most = if device.is_pocl() { 1 + handlers.len() / 8 } else { 0 };
    let watch = Watch { handlers: &handlers, most, silence: Duration::from_secs(600) };
    let dead = watch.run("blocks::with_an_opencl_device", &[]).unwrap_or_else(|error| panic!("{error}"));
    for name in &dead {
        println!("skipped: {name}: the device's compiler dies of it");
    }
    println!("{} of {} handlers agree", handlers.len() - dead.len(), handlers.len());
}

/// Run by the test above, in a process of its own: [`child`] says why.
#[test]
#[ignore = "the other test runs it"]
fn with_an_opencl_device() {
    let device = device().expect("the other test has seen one");
    quietly(|| {
        compare(KERNELS, &&device);
        compare(BLOCKS, &&device);
    });
}

/// A barrier that is missing is found, whichever it is; and so is a shuffle that gives another lane's value, a
/// vote of the wrong lane, and what a message that has failed leaves behind.
#[test]
fn b06_x02_faults_on_an_opencl_device_are_found() {
    let Some(device) = device() else { return };
    quietly(|| {
        let (rotates, threads) = KERNELS[0];
        let text = text::program(Target::OpenCl, &[(0, rotates)], threads).expect("it has a text");
        // Behind the zeros, around what threads read of each other, and before the leader reads. Nothing needs the
        // first: each thread sets its cell before others read it.
        let barriers = (0..).take_while(|&number| without_barrier(&text, number).is_some()).count();
        assert_eq!(barriers, 4);
        for number in 1..barriers {
            let without = |text: String| without_barrier(&text, number).expect("it is there");
            assert!(found(&&device, KERNELS[0], without).is_some(), "barrier {number} is not needed");
        }
        find_faults(
            &&device,
            &[
                ("exchanges", "lane < rest ? lane : own", "lane < rest ? lane : 0u"),
                (
                    "exchanges",
                    "words[(ann_thread(round) & ~31u) + ann_lane_at(round, lane)]",
                    "words[ann_lane_at(round, lane)]",
                ),
                ("exchanges", "(u32)words[first + lane] << lane", "(u32)words[first + lane] << (lane ^ 1u)"),
                ("combines", "+ b_2", "- b_2"),
                ("tears", "    meeting->codes[next][ann_thread(round)] = 0u;\n", ""),
            ],
        );
    });
}

/// The handlers have no races: that is what makes their outcomes certain.
#[test]
fn b03_none_of_them_has_a_race() {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new(program)
        .args(["--exact", "blocks::with_races_watched", "--ignored", "--nocapture"])
        .env("ANNULUS_RACES", "1")
        .output()
        .expect("this program starts");
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Run by the test above.
#[test]
#[ignore = "needs ANNULUS_RACES=1"]
fn with_races_watched() {
    static FOUND: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let found = || std::mem::take(&mut *FOUND.lock().unwrap_or_else(PoisonError::into_inner));
    panic::set_hook(Box::new(|panic| {
        let text = panic.payload_as_str().unwrap_or_default();
        if text.starts_with("race: ") {
            FOUND.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        }
    }));
    let run = |(definition, threads): Handler| {
        for input in calls(definition) {
            let _ = call_block(definition, &input, threads);
        }
    };
    run(RACES);
    let in_races = found();
    KERNELS.iter().chain(BLOCKS).chain([&ADDS]).copied().for_each(run);
    let in_others = found();
    drop(panic::take_hook());
    assert_eq!(in_races.len() as u64, CALLS, "{in_races:?}");
    assert!(in_others.is_empty(), "{}", in_others.join("\n"));
}
