//! A whole kernel stays on the device, and answers what is sent to it.

use std::ptr::NonNull;

use annulus_abi::launch::{BlockRecord, DoorbellRecord, LaunchRecord, NO_LINE};
use annulus_abi::{control, kernel::KernelLayout, ring::kind};
use annulus_block::{ENTRY, RUNTIME};
use annulus_conformance::epoch::{self, ACTORS, Count, Counted, Item, KERNEL};
use annulus_kernel::{
    LANGUAGE_SOURCE, Target,
    device::{CUDA_PRELUDE, INTERFACE},
};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Producers, Ring},
};
use annulus_sync::Ordering;
use cudarc::driver::sys::{self, CUresult, CUstream};

use crate::{
    Case,
    driver::{Cuda, launch, synchronise, wait_for, word},
    has_stand_in, succeeds,
};

/// The kernel's whole program, as a backend puts it together.
fn program(threads: u32) -> String {
    let handler = KERNEL.handler_source(Target::Cuda).unwrap();
    format!(
        "#define ANN_LAUNCH_THREADS {threads}\n#define ANN_LAUNCH_PORTABLE 0\n\
         {CUDA_PRELUDE}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{RUNTIME}"
    )
}

/// A launch of [`KERNEL`] with the memory that a backend gives it.
struct Resident {
    layout: KernelLayout,
    shards: NonNull<u8>,
    grid: u32,
    stream: CUstream,
}

impl Resident {
    fn launch(cuda: &Cuda, grid: u32, threads: u32) -> Self {
        let layout = epoch::layout();
        let shard_bytes = layout.shard_bytes();
        let record = LaunchRecord {
            idle_polls: 16,
            nap_micros: 100_000,
            patience: 1000,
            ..epoch::launch(&layout, grid)
        };
        let blocks = grid as usize;
        let shards = cuda.mapped(shard_bytes * blocks);
        let records = cuda.mapped(size_of::<BlockRecord>() * blocks);
        let fixed = cuda.mapped(size_of::<LaunchRecord>());
        // SAFETY: as long and aligned as the record, and nobody else knows it yet.
        unsafe { fixed.cast::<LaunchRecord>().write(record) };
        let arena = cuda.mapped(64);
        let doorbell = cuda.mapped(size_of::<DoorbellRecord>());
        for block in 0..blocks {
            // SAFETY: inside the memory of as many records.
            let mut record = unsafe { records.cast::<BlockRecord>().add(block) };
            // SAFETY: all zero is a record, and nobody else knows it yet.
            let record = unsafe { record.as_mut() };
            record.telemetry = NO_LINE;
            record.epoch = 1;
            word(shards, block * shard_bytes / 4).store(control::command::ACTIVE, Ordering::Relaxed);
        }
        let states = cuda.memory(record.actors_per_block as usize * size_of::<Count>() * blocks);
        let scratch = cuda.memory(record.scratch_stride as usize * blocks);
        let function = cuda.module(&program(threads)).function(ENTRY);
        let stream = cuda.stream();
        let host = |memory: NonNull<u8>| memory.as_ptr() as u64;
        let mut arguments =
            [host(shards), host(arena), host(records), host(fixed), states, scratch, host(doorbell)];
        assert_eq!(launch(function, grid, threads, stream, &mut arguments), CUresult::CUDA_SUCCESS);
        Self { layout, shards, grid, stream }
    }

    fn region(&self, block: u32) -> Region {
        let bytes = self.layout.shard_bytes();
        // SAFETY: inside the memory of all shards.
        let base = unsafe { self.shards.add(bytes * block as usize) };
        // SAFETY: aligned, since shards are as long as a multiple of 128; it lives to the end.
        unsafe { Region::new(base, bytes) }
    }

    fn producers(&self, block: u32) -> Producers {
        let part = self.region(block).part(self.layout.inbound_offset(), self.layout.inbound.bytes());
        // SAFETY: the part is what the layout says, and lives to the end.
        let ring = unsafe { Ring::new(part, self.layout.inbound) };
        // SAFETY: this shard's one set of producers.
        unsafe { Producers::new(ring) }
    }

    fn consumer(&self, block: u32) -> Consumer {
        let part = self.region(block).part(self.layout.outbound_offset(), self.layout.outbound.bytes());
        // SAFETY: the part is what the layout says, and lives to the end.
        let ring = unsafe { Ring::new(part, self.layout.outbound) };
        // SAFETY: this shard's one consumer.
        unsafe { Consumer::new(ring) }
    }

    /// Tells all blocks to end, and waits for it.
    fn terminate(self) {
        assert_eq!(cuda!(sys::cuStreamQuery(self.stream)), CUresult::CUDA_ERROR_NOT_READY);
        for block in 0..self.grid {
            self.region(block).u32(0).store(control::command::TERMINATE, Ordering::Release);
        }
        assert_eq!(synchronise(self.stream), CUresult::CUDA_SUCCESS);
        assert_eq!(cuda!(sys::cuStreamQuery(self.stream)), CUresult::CUDA_SUCCESS);
        for block in 0..self.grid {
            let state = self.region(block).u32(128).load(Ordering::Acquire);
            assert_eq!(state, control::state::TERMINATED);
        }
    }
}

/// Sends messages to a kernel that stays, a few at a time, and gets each actor's replies in order.
fn exchange(grid: u32, threads: u32) {
    let cuda = Cuda::new();
    let kernel = Resident::launch(&cuda, grid, threads);
    let mut ends: Vec<_> = (0..grid).map(|block| (kernel.producers(block), kernel.consumer(block))).collect();
    let mut counts = [0u64; ACTORS as usize];
    for round in 0..50u64 {
        for key in 0..ACTORS as u32 {
            let item = Item { key, producer: 9, sequence: round * 2 + 1 };
            let producers = &ends[(key % grid) as usize].0;
            producers.reserve(1).unwrap().write(item, Header { enqueue_time: 1, ..Header::default() });
        }
        for key in 0..ACTORS as u32 {
            let consumer = &mut ends[(key % grid) as usize].1;
            wait_for("a reply", || consumer.is_ready());
            let slot = consumer.peek().unwrap();
            assert_eq!(slot.kind, kind::MESSAGE);
            // SAFETY: the slot was just peeked, and the kernel writes `Counted`.
            let counted = unsafe { consumer.read::<Counted>(&slot) };
            consumer.advance(&slot);
            consumer.give_back();
            counts[counted.key as usize] += 1;
            assert_eq!((counted.sequence, counted.count), (round * 2 + 1, counts[counted.key as usize]));
        }
        assert!(counts.iter().all(|count| *count == round + 1));
    }
    kernel.terminate();
}

const GRIDS: [(u32, u32); 3] = [(1, 1), (3, 4), (2, 32)];

#[test]
fn a_kernel_that_stays_answers_what_is_sent_to_it() {
    if has_stand_in() {
        GRIDS.into_iter().for_each(|(grid, threads)| exchange(grid, threads));
    }
}

/// In whichever order its threads go on.
#[test]
fn every_seed_gives_the_same_answers() {
    if has_stand_in() {
        for seed in ["2", "3", "4", "5"] {
            succeeds("exchange", &[("SEED", seed)]);
        }
    }
}

pub(crate) const CASES: &[Case] =
    &[("exchange", || GRIDS.into_iter().for_each(|(grid, threads)| exchange(grid, threads)))];
