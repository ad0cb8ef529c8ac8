//! B-03, B-09: races between the threads of a block, in the text for CUDA. The libraries that stand in for
//! NVIDIA's look for them (`ANNULUS_STAND_IN_RACES=1`), and end their process with both accesses and their lines.
//!
//! Something else, or nothing, takes the place of a barrier: so the documents' pitfalls are found. Their mended
//! forms are the texts as they are, which stay silent.

use std::{env, process::Command};

use annulus_kernel::Target;

use super::{
    BLOCKS, Handler, Machine, calls, compare,
    cuda::{Cuda, stand_in},
    instead_of_barrier,
    kernels::{ADDS, KERNELS},
    text,
};
use crate::quietly;

/// A fault that the process plants: a number in [`FAULTS`], or none.
const FAULT: &str = "ANNULUS_TEST_FAULT";

/// In a handler, what takes the place of its barrier of this number, and what is in the lines of both accesses.
struct Fault {
    handler: Handler,
    barrier: usize,
    instead: &'static str,
    accessed: &'static str,
}

impl Fault {
    fn text(&self) -> String {
        let (definition, threads) = self.handler;
        let whole = text::program(Target::Cuda, &[(0, definition)], threads).expect("the handler has a text");
        instead_of_barrier(&whole, self.barrier, self.instead).expect("it has this barrier")
    }
}

fn faults() -> [Fault; 6] {
    let fault = |handler, barrier, instead, accessed| Fault { handler, barrier, instead, accessed };
    let rotates = KERNELS[0];
    [
        // A scope that is narrower than the sharing: a fence, which does not wait, and the barrier of a warp.
        fault(rotates, 1, "__threadfence_block();", "part_0.at["),
        fault(rotates, 1, "__syncwarp(ann_thread() < 32u ? ~0u : 0xFFu);", "part_0.at["),
        // A thread writes what others still read.
        fault(rotates, 2, "", "part_0.at["),
        // The leader tells of what others wrote.
        fault(rotates, 3, "", "part_0.at["),
        // A tree without the barrier of its loop.
        fault(ADDS, 2, "", "part_0.at["),
        // The state that the leader sets.
        fault(ADDS, 3, "", "held"),
    ]
}

/// Runs the test below in a process of its own: whether it succeeded, and what it said.
fn watched(fault: &str) -> (bool, String) {
    let output = Command::new(env::current_exe().expect("this program has a path"))
        .args(["--exact", "blocks::races::with_races_watched", "--ignored", "--nocapture"])
        .env("ANNULUS_STAND_IN_RACES", "1")
        .env(FAULT, fault)
        .output()
        .expect("this program starts");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.success(), said.concat())
}

/// Run by the tests below.
#[test]
#[ignore = "the other tests run it, with ANNULUS_STAND_IN_RACES=1"]
fn with_races_watched() {
    let cuda = stand_in().expect("the other test has seen one");
    let fault = env::var(FAULT).expect("it is told what to run");
    if let Ok(number) = fault.parse::<usize>() {
        return run(&cuda, &faults()[number]);
    }
    quietly(|| {
        compare(KERNELS, &cuda);
        compare(&[ADDS], &cuda);
        // The detector of the CPU sees these, too: they take a compiler longer.
        if env::var("ANNULUS_LONG").is_ok_and(|value| value != "0") {
            compare(BLOCKS, &cuda);
        }
    });
}

fn run(cuda: &Cuda, fault: &Fault) {
    let program = cuda.build(&fault.text()).unwrap_or_else(|error| panic!("{error}"));
    let _ = cuda.calls(&program, 0, fault.handler, &calls(fault.handler.0));
    println!("nothing was found");
}

/// The number behind this word.
fn number(said: &mut &str, word: &str) -> usize {
    let (_, rest) = said.split_once(word).unwrap_or_else(|| panic!("no `{word}` in {said}"));
    let end = rest.find(|next: char| !next.is_ascii_digit()).unwrap_or(rest.len());
    *said = &rest[end..];
    rest[..end].parse().unwrap_or_else(|_| panic!("no number behind `{word}` in {rest}"))
}

#[test]
fn b03_b09_pitfalls_are_found_with_both_lines() {
    if stand_in().is_none() {
        return;
    }
    for (index, fault) in faults().iter().enumerate() {
        let (succeeded, said) = watched(&index.to_string());
        assert!(!succeeded && said.contains("with no barrier in between"), "{index}: {said}");
        let (_, mut rest) = said.split_once(": race: ").expect("it says what it is");
        let text = fault.text();
        let [one, other] = [(); 2].map(|()| {
            let thread = number(&mut rest, "thread ");
            let line = number(&mut rest, "blocks.cu:");
            let line = text.lines().nth(line - 1).unwrap_or_default();
            assert!(line.contains(fault.accessed), "{index}: `{line}`: {said}");
            thread
        });
        assert_ne!(one, other, "{said}");
        if fault.instead.starts_with("__syncwarp") {
            assert_ne!(one / 32, other / 32, "a warp's threads are ordered: {said}");
        }
    }
}

#[test]
fn b03_b09_what_has_its_barriers_is_silent() {
    if stand_in().is_none() {
        return;
    }
    let (succeeded, said) = watched("none");
    assert!(succeeded && said.contains("1 passed"), "{said}");
}
