//! A vitals file that tests make up.
#![allow(dead_code, reason = "each test uses its part")]

use annulus_abi::{
    control::state,
    histogram,
    memory::KernelMemory,
    telemetry::Telemetry,
    vitals::{
        KernelEntry, MAGIC, ShardVitals, VERSION, VitalsHeader, check, field, kernel_flags, kernel_state,
        phase, ports::ShardPorts,
    },
};

pub(crate) const KERNELS: usize = 2;
pub(crate) const SHARDS: usize = 3;
pub(crate) const KERNELS_AT: usize = 512;
pub(crate) const SHARDS_AT: usize = KERNELS_AT + KERNELS * size_of::<KernelEntry>();
/// They may be anywhere, and the file ends before them: a file with them would have too many bits to flip.
pub(crate) const HISTOGRAMS_AT: usize = 1 << 20;
pub(crate) const PORTS_AT: usize = SHARDS_AT + SHARDS * size_of::<ShardVitals>();

/// The bytes of words.
fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect()
}

/// Puts the check of the bytes from `from` to `to` where it belongs: into the last word.
pub(crate) fn seal(file: &mut [u8], from: usize, to: usize) {
    let sum = check(&words(&file[from..to - 8]));
    file[to - 8..to].copy_from_slice(&sum.to_ne_bytes());
}

pub(crate) fn put(file: &mut [u8], at: usize, word: u64) {
    file[at..at + 8].copy_from_slice(&word.to_ne_bytes());
}

/// A file with a kernel of two shards and two outboxes in its second entry.
pub(crate) fn file() -> Vec<u8> {
    let header = VitalsHeader {
        magic: MAGIC,
        version: VERSION,
        kernel_stride: size_of::<KernelEntry>() as u32,
        kernels_offset: KERNELS_AT as u64,
        shards_offset: SHARDS_AT as u64,
        kernels: KERNELS as u32,
        shards: SHARDS as u32,
        shard_stride: size_of::<ShardVitals>() as u32,
        pid: 4711,
        started: 5,
        clock_origin: 6,
        boot: [7; 16],
        backend: field("cpu"),
        library: field("0.1.0"),
        executable: field("/bin/detector"),
        records_offset: 0,
        records: 0,
        record_stride: 0,
        requests_offset: 8192,
        ports_offset: PORTS_AT as u64,
        port_stride: size_of::<ShardPorts>() as u64,
        histograms_offset: HISTOGRAMS_AT as u64,
        histogram_stride: histogram::BYTES as u64,
        device: field("Tesla of Annulus"),
        bridges_page: 0,
        bridges: 0,
        check: 0,
    };
    let mut memory = KernelMemory::default();
    (memory.inbound, memory.states, memory.host) = (4096, 800, 4896);
    let kernel = KernelEntry {
        state: kernel_state::LAUNCHED,
        left_behind: 0,
        ended_at: 0,
        mirrored_at: 0,
        target: 9,
        waits: 1,
        queue_capacity: 0,
        drops: [1, 2, 3, 4, 5, 6, 7],
        slow: 8,
        counting_since: 0,
        linked: 0,
        id: 3,
        launched_at: 1000,
        first_shard: 1,
        grid: 2,
        block: 64,
        mode: 2,
        max_batch: 32,
        flags: kernel_flags::LATENCIES,
        inbound_capacity: 256,
        outbound_capacity: 128,
        actors: 10,
        message_size: 8,
        output_size: 4,
        name: field("detect-1"),
        kernel: field("detect"),
        message: field("Reading"),
        output: field("Alert"),
        errors: field("7 Overdrawn\nnonsense\n70000 TooLarge\n8 Closed\n9"),
        ports: 2,
        message_align: 4,
        output_align: 0,
        message_layout: 0xFEED,
        output_layout: 0xBEEF,
        memory,
        constant: [0; 4],
        check: 0,
    };
    let mut file = bytes(&header.to_words());
    file.resize(KERNELS_AT + size_of::<KernelEntry>(), 0);
    file.extend(bytes(&kernel.to_words()));
    file.resize(SHARDS_AT + SHARDS * size_of::<ShardVitals>(), 0);
    let shard = SHARDS_AT + 2 * size_of::<ShardVitals>();
    put(&mut file, shard + 128, u64::from(state::ACTIVE) | 7 << 32);
    put(&mut file, shard + 136, 100);
    put(&mut file, shard + 256, 130 | 1 << 63);
    put(&mut file, shard + 256 + 128, 120);
    put(&mut file, shard + 512, 50);
    put(&mut file, shard + 512 + 128, 49);
    let line = Telemetry { messages_processed: 100, ..Telemetry::new(0) }.to_words();
    for (i, word) in line.into_iter().enumerate() {
        put(&mut file, shard + 768 + 8 * i, word);
    }
    put(&mut file, shard + 832, phase::IN_HANDLER);
    put(&mut file, shard + 840, 88_123);
    put(&mut file, shard + 848, 17);
    put(&mut file, shard + 856, 3);
    file.resize(PORTS_AT + SHARDS * size_of::<ShardPorts>(), 0);
    let first = PORTS_AT + size_of::<ShardPorts>();
    for (number, (name, target)) in [("good", 0), ("bad", 4)].into_iter().enumerate() {
        let link = first + 1024 + 64 * number;
        [3, target, 1].into_iter().enumerate().for_each(|(i, word)| put(&mut file, link + 8 * i, word));
        file[link + 24..link + 24 + name.len()].copy_from_slice(name.as_bytes());
    }
    for (shard, number, counts) in [(0, 1, [5, 1, 2]), (1, 1, [7, 0, 0])] {
        let at = first + shard * size_of::<ShardPorts>() + 64 * number;
        counts.into_iter().enumerate().for_each(|(i, word)| put(&mut file, at + 8 * i, word));
    }
    file
}
