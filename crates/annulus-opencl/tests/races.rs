//! The device runtime under a simulator that watches every access: one epoch of a block of four threads, in which no two threads
//! may touch the same word without a barrier between them. A barrier that is taken out must be found.
//!
//! The simulator is `oclgrind` (Debian's package of that name); without it the tests say that they are skipped.

extern crate annulus_runtime as annulus;

mod common;

use std::{
    ffi::c_void,
    path::Path,
    process::Command,
    ptr::{self, NonNull},
};

use annulus_abi::{
    control::command,
    kernel::{KernelLayout, KernelShape},
    ring::{Envelope, kind},
};
use annulus_kernel::{
    LANGUAGE_SOURCE, RingKernel, Target,
    device::{
        ENTRY, INTERFACE, OPENCL_PRELUDE, RUNTIME,
        layout::{BellRecord, BlockRecord, JOB_BYTES, LaunchRecord},
    },
};
use annulus_queue::{
    region::Region,
    ring::{Consumer, Header, Producers, Ring},
    sync::Ordering,
};
use cl3::{
    command_queue::{
        create_command_queue_with_properties, enqueue_nd_range_kernel, enqueue_read_buffer,
        enqueue_write_buffer, finish,
    },
    context::create_context,
    device::{CL_DEVICE_TYPE_ALL, get_device_ids},
    kernel::{create_kernel, set_kernel_arg},
    memory::{CL_MEM_READ_WRITE, create_buffer},
    platform::get_platform_ids,
    program::{CL_PROGRAM_BUILD_LOG, build_program, create_program_with_source, get_program_build_info},
    types::{CL_TRUE, cl_command_queue, cl_context, cl_mem},
};

use common::{Counted, Item, count};

const SIMULATOR: &str = "/usr/lib/oclgrind/liboclgrind-rt.so";
/// Which text the inner test runs.
const VARIANT: &str = "ANNULUS_RACES";
const MESSAGES: u64 = 48;
const ACTORS: u64 = 5;
const THREADS: u32 = 4;

/// Runs the inner test under the simulator; gives what it found, and whether the epoch's results were right.
fn simulate(variant: &str) -> Option<(String, bool)> {
    if !Path::new(SIMULATOR).exists() {
        println!("skipped: {SIMULATOR} is not there: install the package `oclgrind`");
        return None;
    }
    let log = std::env::temp_dir().join(format!("annulus-races-{}-{variant}", std::process::id()));
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_epoch", "--ignored", "--nocapture"])
        .env("OPENCL_DYLIB_PATH", SIMULATOR)
        .env("OCLGRIND_DATA_RACES", "1")
        .env("OCLGRIND_UNINITIALIZED", "0")
        .env("OCLGRIND_LOG", &log)
        .env(VARIANT, variant)
        .status()
        .unwrap();
    let found = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    Some((found, status.success()))
}

#[test]
fn the_runtime_has_no_data_race() {
    let Some((found, right)) = simulate("whole") else { return };
    assert!(right, "the epoch went wrong:\n{found}");
    assert!(found.trim().is_empty(), "{found}");
}

/// Of each barrier that the protocol needs the lack is seen. It can do without the first, since the first turn's follows before anybody
/// reads what the leader wrote, and without the last of a turn, which only keeps a compiler from exchanging turns.
#[test]
fn a_missing_barrier_is_found() {
    let barriers = text("whole").matches("    ann_barrier();").count();
    assert!(barriers >= 6, "the turn has barriers");
    let mut unseen = Vec::new();
    for index in 0..barriers {
        let Some((found, right)) = simulate(&format!("without {index}")) else { return };
        if right && !found.contains("race") {
            unseen.push(index);
        }
    }
    assert_eq!(unseen, [0, barriers - 1], "of {barriers} barriers");
}

fn text(variant: &str) -> String {
    let mut runtime = RUNTIME.to_owned();
    if let Some(index) = variant.strip_prefix("without ") {
        let index: usize = index.parse().unwrap();
        let (at, barrier) = RUNTIME.match_indices("    ann_barrier();").nth(index).unwrap();
        runtime.replace_range(at..at + barrier.len(), "");
    }
    let handler = count::DEFINITION.handler_source(Target::OpenCl).unwrap();
    format!(
        "#define ANN_LAUNCH_THREADS {THREADS}\n#define ANN_LAUNCH_PORTABLE 1\n\n{OPENCL_PRELUDE}\n{LANGUAGE_SOURCE}\n{INTERFACE}\n{handler}\n{runtime}"
    )
}

/// Host memory that is aligned as rings want it.
struct Memory {
    pairs: Vec<[u128; 8]>,
    bytes: usize,
}

impl Memory {
    fn new(bytes: usize) -> Self {
        Self { pairs: vec![[0; 8]; bytes.div_ceil(128) + 1], bytes }
    }

    fn base(&mut self) -> *mut u8 {
        let start = self.pairs.as_mut_ptr().cast::<u8>();
        start.wrapping_add(start.align_offset(128))
    }

    fn region(&mut self) -> Region {
        let base = NonNull::new(self.base()).unwrap();
        // SAFETY: aligned, and one element longer than asked for; it outlives the test's rings.
        unsafe { Region::new(base, self.bytes) }
    }
}

struct Device {
    context: cl_context,
    queue: cl_command_queue,
}

impl Device {
    fn buffer(&self, from: *const u8, bytes: usize) -> cl_mem {
        // SAFETY: without a host pointer there is nothing to keep alive.
        let buffer =
            unsafe { create_buffer(self.context, CL_MEM_READ_WRITE, bytes, ptr::null_mut()) }.unwrap();
        // SAFETY: the caller's memory has so many bytes, and the call waits.
        unsafe {
            enqueue_write_buffer(self.queue, buffer, CL_TRUE, 0, bytes, from.cast::<c_void>(), 0, ptr::null())
        }
        .unwrap();
        buffer
    }

    fn zeroed(&self, bytes: usize) -> cl_mem {
        self.buffer(vec![0u8; bytes].as_ptr(), bytes)
    }
}

/// What the simulator runs: not a test of its own.
#[test]
#[ignore = "the other tests run it under the simulator"]
fn one_epoch() {
    let variant = std::env::var(VARIANT).expect("run by the other tests");
    let layout = KernelLayout::new(&KernelShape {
        inbound_capacity: 64,
        outbound_capacity: 128,
        message: (size_of::<Item>(), align_of::<Item>()),
        output: (size_of::<Counted>(), align_of::<Counted>()),
        envelope: Envelope { enqueue_time: true, correlation: true },
        letters_capacity: 16,
        histogram: true,
    });
    let mut shard = Memory::new(layout.shard_bytes());
    let region = shard.region();
    // SAFETY: one set of producers, no consumer on this side; the memory lives to the end.
    let inbound =
        unsafe { Ring::new(region.part(layout.inbound_offset(), layout.inbound.bytes()), layout.inbound) };
    // SAFETY: as above.
    let producers = unsafe { Producers::new(inbound) };
    for number in 0..MESSAGES {
        let item = Item { key: (number % (ACTORS + 1)) as u32, producer: 1, sequence: number * 25 };
        let correlation = if number % 7 == 0 { number + 1 } else { 0 };
        producers.reserve(1).unwrap().write(item, Header { enqueue_time: 5, correlation });
    }
    region.u32(0).store(command::ACTIVE | command::TELEMETRY, Ordering::Relaxed);

    let platform = get_platform_ids().unwrap()[0];
    let device = get_device_ids(platform, CL_DEVICE_TYPE_ALL).unwrap()[0];
    let context = create_context(&[device], ptr::null(), None, ptr::null_mut()).unwrap();
    // SAFETY: context and device were just made and found.
    let queue = unsafe { create_command_queue_with_properties(context, device, ptr::null()) }.unwrap();
    let cl = Device { context, queue };
    let program = create_program_with_source(context, &[&text(&variant)]).unwrap();
    if build_program(program, &[device], c"-cl-opt-disable", None, ptr::null_mut()).is_err() {
        let log = get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG).unwrap();
        panic!("{log}");
    }
    let kernel = create_kernel(program, &std::ffi::CString::new(ENTRY).unwrap()).unwrap();

    let limit = 16;
    let credit = 2;
    let staged = u64::from(credit) * size_of::<Counted>() as u64;
    let launch = LaunchRecord {
        shard_stride: layout.shard_bytes() as u64,
        inbound: layout.inbound_offset() as u64,
        outbound: layout.outbound_offset() as u64,
        letters: layout.letters_offset() as u64,
        histogram: layout.histogram_offset() as u64,
        in_stride: layout.inbound.slot_stride as u64,
        in_time: layout.inbound.enqueue_time_offset.unwrap() as u64,
        in_correlation: layout.inbound.correlation_offset.unwrap() as u64,
        in_payload: layout.inbound.payload_offset as u64,
        out_stride: layout.outbound.slot_stride as u64,
        out_correlation: layout.outbound.correlation_offset.unwrap() as u64,
        out_payload: layout.outbound.payload_offset as u64,
        out_bytes: layout.outbound.payload_size as u64,
        letter_stride: layout.letters.unwrap().slot_stride as u64,
        letter_payload: layout.letters.unwrap().payload_offset as u64,
        letter_shift: layout.letters.unwrap().capacity.trailing_zeros(),
        actors: ACTORS,
        actors_per_block: ACTORS,
        scratch_stride: u64::from(limit) * (JOB_BYTES + staged),
        in_shift: layout.inbound.capacity.trailing_zeros(),
        out_shift: layout.outbound.capacity.trailing_zeros(),
        grid: 1,
        limit,
        credit,
        idle_polls: 1,
        epoch_messages: 1000,
        epoch_polls: 3,
        patience: 10,
        patience_polls: 10,
        ..LaunchRecord::default()
    };
    // SAFETY: all zeros is what a record is before its first launch.
    let mut record: BlockRecord = unsafe { std::mem::zeroed() };
    record.epoch = 1;
    let memory = cl.buffer(shard.base(), layout.shard_bytes());
    let records = cl.buffer(ptr::from_ref(&record).cast(), size_of::<BlockRecord>());
    let arguments = [
        memory,
        cl.zeroed(64),
        records,
        cl.buffer(ptr::from_ref(&launch).cast(), size_of::<LaunchRecord>()),
        cl.zeroed(ACTORS as usize * 8),
        cl.zeroed(launch.scratch_stride as usize),
        cl.zeroed(size_of::<BellRecord>()),
    ];
    for (index, argument) in arguments.iter().enumerate() {
        // SAFETY: a buffer handle, copied before the call returns.
        unsafe { set_kernel_arg(kernel, index as u32, size_of::<cl_mem>(), ptr::from_ref(argument).cast()) }
            .unwrap();
    }
    let threads = THREADS as usize;
    // SAFETY: one dimension, and both sizes live through the call; the arguments are those that the entry takes.
    unsafe {
        enqueue_nd_range_kernel(
            queue,
            kernel,
            1,
            ptr::null(),
            &raw const threads,
            &raw const threads,
            0,
            ptr::null(),
        )
    }
    .unwrap();
    finish(queue).unwrap();
    // SAFETY: the memory is as long as the buffer, and the call waits.
    unsafe {
        let bytes = layout.shard_bytes();
        enqueue_read_buffer(queue, memory, CL_TRUE, 0, bytes, shard.base().cast(), 0, ptr::null())
    }
    .unwrap();
    check(&mut shard, &layout);
}

/// What the epoch left is what it should be.
fn check(shard: &mut Memory, layout: &KernelLayout) {
    let region = shard.region();
    // SAFETY: the kernel has ended; this is the ring's one consumer.
    let outbound =
        unsafe { Ring::new(region.part(layout.outbound_offset(), layout.outbound.bytes()), layout.outbound) };
    // SAFETY: as above.
    let mut outbound = unsafe { Consumer::new(outbound) };
    let mut counts = [0u64; ACTORS as usize];
    let (mut failed, mut unknown) = (0, 0);
    for number in 0..MESSAGES {
        let (key, sequence) = (number % (ACTORS + 1), number * 25);
        let correlation = if number % 7 == 0 { number + 1 } else { 0 };
        let code = if key == ACTORS {
            unknown += 1;
            0xFF03
        } else if sequence % 100 == 0 {
            failed += 1;
            7
        } else {
            counts[key as usize] += 1;
            0
        };
        if code != 0 && correlation == 0 {
            continue;
        }
        let slot = outbound.peek().expect("an answer for each message that has one");
        assert_eq!(slot.header.correlation, correlation, "message {number}");
        if code != 0 {
            assert_eq!((slot.kind, slot.length), (kind::FAILED, code), "message {number}");
        } else {
            assert_eq!(slot.kind, kind::MESSAGE, "message {number}");
            // SAFETY: the slot was just peeked, and the kernel writes `Counted`.
            let counted = unsafe { outbound.read::<Counted>(&slot) };
            assert_eq!((u64::from(counted.key), counted.sequence), (key, sequence));
            assert_eq!(counted.count, counts[key as usize], "message {number}");
        }
        outbound.advance(&slot);
    }
    assert!(outbound.peek().is_none());
    check_letters(&region, layout, failed + unknown);
    assert_eq!(region.u64(136).load(Ordering::Relaxed), counts.iter().sum::<u64>());
    assert_eq!(
        (region.u64(144).load(Ordering::Relaxed), region.u64(152).load(Ordering::Relaxed)),
        (failed, unknown)
    );
    let consumed =
        region.part(layout.inbound_offset(), layout.inbound.bytes()).u64(128).load(Ordering::Relaxed);
    assert_eq!(consumed, MESSAGES);
}

/// Every message that failed is a letter.
fn check_letters(region: &Region, layout: &KernelLayout, expected: u64) {
    let ring = layout.letters.unwrap();
    // SAFETY: the kernel has ended; this is the ring's one consumer.
    let letters = unsafe { Ring::new(region.part(layout.letters_offset(), ring.bytes()), ring) };
    // SAFETY: as above.
    let mut letters = unsafe { Consumer::new(letters) };
    let mut count = 0;
    while let Some(slot) = letters.peek() {
        // SAFETY: the slot was just peeked, and the kernel copies messages.
        let item = unsafe { letters.read::<Item>(&slot) };
        let code = if u64::from(item.key) == ACTORS { 0xFF03 } else { 7 };
        assert_eq!((slot.kind, slot.length), (kind::LETTER, code));
        letters.advance(&slot);
        count += 1;
    }
    assert_eq!(count + region.u64(176).load(Ordering::Relaxed), expected);
}
