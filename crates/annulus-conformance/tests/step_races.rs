//! B-06: blocks in step on threads of the host, compiled with its compiler's thread sanitizer. In each
//! superstep a block writes a place that the others read in the next one, by accesses that order nothing:
//! only the barrier of the grid lies between. Faults that are planted in it must be found.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_types)] // A handler's shared table is the user's data.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{
    path::{Path, PathBuf},
    ptr::NonNull,
    sync::atomic::{AtomicU32, Ordering},
};

use annulus_abi::launch::{BlockRecord, DoorbellRecord, LaunchRecord, NO_LINE, StepRecord};
use annulus_abi::{
    control::{command, state},
    kernel::{KernelLayout, KernelShape},
    ring::Envelope,
};
use annulus_block::RUNTIME;
use annulus_conformance::{
    cuda,
    epoch::bytes_of,
    sanitizer::{self, compile, runs},
};
use annulus_kernel::{
    Failure, LANGUAGE_SOURCE, RingKernel, Target,
    device::{CUDA_PRELUDE, INTERFACE},
};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_ring::{
    region::Region,
    ring::{Header, Producers, Ring},
};

const BLOCKS: usize = 4;
/// Blocks with messages. The last one is told to end before all others.
const MARCHING: usize = 3;
/// Messages of each block, half of them in each of two epochs.
const EACH: u32 = 40;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Step {
    #[ring(key)]
    block: u32,
    /// Which of its block's messages it is, from 1 on.
    number: u32,
}

/// Sees that all blocks have had the message before this one, and says that its own has had this one. There
/// are places for two supersteps, which take turns.
#[ring_kernel]
fn stride(step: &Step, places: &[AtomicU32]) -> Result<(), Failure> {
    let (before, now) = ((step.number + 1) as usize % 2, step.number as usize % 2);
    for block in 0..MARCHING {
        let seen = places[before * MARCHING + block].load(Ordering::Relaxed);
        if seen + 1 != step.number {
            return Err(Failure::of(1));
        }
    }
    places[now * MARCHING + step.block as usize].store(step.number, Ordering::Relaxed);
    Ok(())
}

/// What stands in place of what. That the load of `opened` acquires nothing is no fault that shows: the
/// handler's message is taken behind a fence, which acquires for that load, too.
const FAULTS: &[(&str, &str, &str)] = &[
    ("coming releases nothing", "atom.add.acq_rel.gpu.u32", "atom.add.relaxed.gpu.u32"),
    (
        "opening releases nothing",
        "ann_device_store_release_u32(&steps->opened",
        "ann_device_store_relaxed_u32(&steps->opened",
    ),
    (
        "the barrier opens one too early",
        "ann_arrive_grid(&steps->arrived) + 1 == b->launch.grid",
        "ann_arrive_grid(&steps->arrived) + 2 == b->launch.grid",
    ),
    (
        "the barrier opens before it is empty",
        "        ann_device_store_relaxed_u32(&steps->arrived, 0);\n",
        "        ann_device_store_release_u32(&steps->opened, (before & ~7u) + 8);\n        \
         ann_device_store_relaxed_u32(&steps->arrived, 0);\n",
    ),
    (
        "a vote is lost",
        "    if ((vote & ANN_STEP_END) == 0)\n        ann_device_store_relaxed_u32(&steps->goes_on, 1);\n",
        "",
    ),
    ("a vote counts twice", "        ann_device_store_relaxed_u32(&steps->goes_on, 0);\n", ""),
    ("a block ends alone", "shared.goes_on = !shared.over;", "shared.goes_on = !shared.ending;"),
];

/// The program, with one of the faults.
fn text(fault: Option<&str>) -> String {
    let handler = stride::DEFINITION.handler_source(Target::Cuda).unwrap();
    let mut program = format!(
        "#define ANN_LAUNCH_SUPERSTEPS 1\n#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_PORTABLE 1\n\
         {CUDA_PRELUDE}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{RUNTIME}\n"
    );
    if let Some(fault) = fault {
        let (_, from, to) = FAULTS.iter().find(|(name, ..)| *name == fault).unwrap();
        assert_eq!(program.matches(from).count(), 1, "{fault}");
        program = program.replace(from, to);
    }
    let program = cuda::on_threads(&program, include_str!("../src/cuda/steps.cpp")).unwrap();
    format!("#define ANN_HOST_BLOCKS\n{program}")
}

fn layout() -> KernelLayout {
    KernelLayout::new(&KernelShape {
        inbound_capacity: 64,
        outbound_capacity: 16,
        message: (size_of::<Step>(), align_of::<Step>()),
        output: (0, 1),
        envelope: Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false },
        dead_letters_capacity: 0,
        prints_capacity: 0,
        print_words: 0,
        histogram: false,
        ports: 0,
    })
}

/// The blocks' shards with all messages in their rings.
fn shards(layout: &KernelLayout) -> Vec<u8> {
    let bytes = layout.shard_bytes();
    let mut memory = vec![[0u128; 8]; (BLOCKS * bytes).div_ceil(128) + 1];
    let start = memory.as_mut_ptr().cast::<u8>();
    let start = start.wrapping_add(start.align_offset(128));
    for block in 0..BLOCKS {
        let base = NonNull::new(start.wrapping_add(block * bytes)).unwrap();
        // SAFETY: aligned, since shards are as long as a multiple of 128; inside the memory, which outlives
        // the ring.
        let region = unsafe { Region::new(base, bytes) };
        let marches = block < MARCHING;
        let command = if marches { command::ACTIVE } else { command::ACTIVE | command::TERMINATE };
        region.u32(0).store(command, Ordering::Relaxed);
        let part = region.part(layout.inbound_offset(), layout.inbound.bytes());
        // SAFETY: the part is what the layout says.
        let ring = unsafe { Ring::new(part, layout.inbound) };
        // SAFETY: this shard's one set of producers.
        let producers = unsafe { Producers::new(ring) };
        for number in 1..=if marches { EACH } else { 0 } {
            producers.reserve(1).unwrap().write(Step { block: block as u32, number }, Header::default());
        }
    }
    // SAFETY: so many bytes lie in the memory, initialised, and nobody has them any more.
    unsafe { std::slice::from_raw_parts(start, BLOCKS * bytes) }.to_vec()
}

fn record(layout: &KernelLayout) -> LaunchRecord {
    LaunchRecord {
        shard_stride: layout.shard_bytes() as u64,
        inbound: layout.inbound_offset() as u64,
        outbound: layout.outbound_offset() as u64,
        in_stride: layout.inbound.slot_stride as u64,
        in_payload: layout.inbound.payload_offset as u64,
        out_stride: layout.outbound.slot_stride as u64,
        out_payload: layout.outbound.payload_offset as u64,
        in_shift: layout.inbound.capacity.trailing_zeros(),
        out_shift: layout.outbound.capacity.trailing_zeros(),
        grid: BLOCKS as u32,
        limit: 1,
        credit: 1,
        epoch_messages: EACH / 2,
        epoch_polls: 3,
        ..LaunchRecord::default()
    }
}

struct Blocks {
    folder: PathBuf,
    program: PathBuf,
    layout: KernelLayout,
}

impl Blocks {
    fn compile(fault: Option<&str>) -> Self {
        let name = fault.unwrap_or("whole").replace(' ', "_");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps").join(name);
        let program = compile(&folder, &text(fault)).unwrap_or_else(|error| panic!("{error}"));
        Self { folder, program, layout: layout() }
    }

    /// Runs it once; gives what the sanitizer found, or what else went wrong.
    fn run(&self, seed: u32) -> Result<(), String> {
        let [before, after] = ["before", "after"].map(|name| self.folder.join(name));
        // SAFETY: all zeros is what a record is before its first launch.
        let mut block: BlockRecord = unsafe { std::mem::zeroed() };
        block.telemetry = NO_LINE;
        let arguments = [
            shards(&self.layout),
            vec![0; 64],
            bytes_of(&block).repeat(BLOCKS),
            bytes_of(&record(&self.layout)).to_vec(),
            vec![0; 64],
            vec![0; 64],
            vec![0; size_of::<DoorbellRecord>()],
            vec![0; size_of::<StepRecord>()],
            vec![0; 2 * MARCHING * 4],
        ];
        let mut bytes = BLOCKS.to_ne_bytes().to_vec();
        for argument in arguments {
            bytes.extend((argument.len() as u64).to_ne_bytes());
            bytes.extend(argument);
        }
        std::fs::write(&before, bytes).unwrap();
        let output = runs(&self.program, 10).args([&before, &after]).arg(seed.to_string()).output().unwrap();
        if !output.status.success() || !output.stderr.is_empty() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("seed {seed}, {}: {said}", output.status));
        }
        let shards = std::fs::read(&after).unwrap();
        for (index, shard) in shards.chunks(self.layout.shard_bytes()).enumerate() {
            let word = |at: usize| u32::from_ne_bytes(shard[at..at + 4].try_into().unwrap());
            // State, processed, failed.
            let found = [word(128), word(136), word(144)];
            let expected =
                if index < MARCHING { [state::ACTIVE, EACH, 0] } else { [state::TERMINATED, 0, 0] };
            if found != expected {
                return Err(format!("seed {seed}: block {index}: {found:?}"));
            }
        }
        Ok(())
    }
}

/// How many seeds a run that should find nothing gets, and at most one that should find something.
const SEEDS: u32 = 10;

#[test]
fn b06_blocks_in_step_have_no_data_race() {
    if !sanitizer::is_there(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        return;
    }
    let blocks = Blocks::compile(None);
    (0..SEEDS).try_for_each(|seed| blocks.run(seed)).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn planted_faults_are_found() {
    if !sanitizer::is_there(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        return;
    }
    let unseen: Vec<_> = FAULTS
        .iter()
        .map(|(name, ..)| *name)
        .filter(|name| {
            let blocks = Blocks::compile(Some(name));
            (0..10 * SEEDS)
                .all(|seed| blocks.run(seed).inspect_err(|error| println!("{name}: {error}")).is_ok())
        })
        .collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}
