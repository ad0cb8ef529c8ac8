//! Any bytes, as they are and with a header and a first kernel whose checks are right, as a vitals file: refused, or read
//! without a panic.
//!
//! `cargo +nightly fuzz run vitals` in the directory above.
#![no_main]

use std::mem::offset_of;

use annulus_abi::vitals::{
    CHANGING, KernelEntry, MAGIC, ShardVitals, VERSION, VitalsHeader,
    bridges::bridges,
    check,
    read::{Vitals, latencies},
};

const HEADER: usize = size_of::<VitalsHeader>();
const ENTRY: usize = size_of::<KernelEntry>();

fn read(bytes: &[u8]) {
    let Ok(vitals) = Vitals::new(bytes) else { return };
    let part = |(offset, length): (u64, usize)| {
        let begin = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        &bytes[begin..begin.saturating_add(length).min(bytes.len())]
    };
    let _ = (vitals.executable(), vitals.backend(), vitals.library(), vitals.used(), vitals.requests());
    if let Some(table) = vitals.bridges() {
        for bridge in bridges([part(table); 3]) {
            let _ = (bridge.from(), bridge.to(), bridge.counts(), bridge.waits_for(), bridge.outbox());
        }
    }
    for kernel in vitals.kernels() {
        let _ = (kernel.name(), kernel.kernel(), kernel.message(), kernel.output(), kernel.errors().count());
        let _ = (vitals.place(&kernel), kernel.shards_end(), kernel.shards().count());
        let _ = vitals.histograms(&kernel).map(|at| latencies(part(at)).max());
        let _ = vitals
            .ports(&kernel)
            .map(|at| kernel.ports(part(at)).map(|port| port.shards().count()).sum::<usize>());
    }
}

/// Puts the check of the words from `first` on behind them.
fn sign(bytes: &mut [u8], first: usize, end: usize) {
    let word = |at: &[u8]| u64::from_ne_bytes(at.try_into().expect("eight bytes"));
    let words: Vec<u64> = bytes[first..end - 8].chunks_exact(8).map(word).collect();
    bytes[end - 8..end].copy_from_slice(&check(&words).to_ne_bytes());
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    if bytes.len() < HEADER + ENTRY {
        return;
    }
    let mut whole = bytes.to_vec();
    let mut put = |offset: usize, bytes: &[u8]| whole[offset..offset + bytes.len()].copy_from_slice(bytes);
    put(offset_of!(VitalsHeader, magic), &MAGIC.to_ne_bytes());
    put(offset_of!(VitalsHeader, version), &VERSION.to_ne_bytes());
    put(offset_of!(VitalsHeader, kernel_stride), &(ENTRY as u32).to_ne_bytes());
    put(offset_of!(VitalsHeader, shard_stride), &(size_of::<ShardVitals>() as u32).to_ne_bytes());
    put(offset_of!(VitalsHeader, kernels_offset), &(HEADER as u64).to_ne_bytes());
    put(offset_of!(VitalsHeader, kernels), &1u32.to_ne_bytes());
    put(HEADER + offset_of!(KernelEntry, state), &1u32.to_ne_bytes());
    sign(&mut whole, 0, HEADER);
    sign(&mut whole, HEADER + CHANGING, HEADER + ENTRY);
    read(&whole);
});
