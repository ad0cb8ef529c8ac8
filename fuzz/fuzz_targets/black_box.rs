//! Any bytes, as they are and with a header and a type whose checks are right, as a black box, and as the words of its
//! shards: refused, or messages that are JSON.
//!
//! `cargo +nightly fuzz run black_box` in the directory above.
#![no_main]

use std::mem::offset_of;

use annulus_abi::vitals::{
    black_box::{BoxHeader, MAGIC, VERSION, type_check},
    check,
    read::Shard,
};
use annulus_observe::read_black_box;

fn read(bytes: &[u8], shards: &[Shard]) {
    for message in read_black_box(bytes, shards).into_iter().flatten() {
        if let Ok(json) = message.json {
            serde_json::from_str::<serde_json::Value>(&json).expect("what it prints is JSON");
        }
    }
}

fn word(bytes: &[u8], offset: usize) -> u64 {
    u64::from_ne_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"))
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let shards = [Shard::of_bytes(bytes), Shard::of_bytes(&bytes[bytes.len() / 2..])];
    read(bytes, &shards);
    if bytes.len() < size_of::<BoxHeader>() {
        return;
    }
    let mut whole = bytes.to_vec();
    let mut put = |offset: usize, word: u64| whole[offset..offset + 8].copy_from_slice(&word.to_ne_bytes());
    put(offset_of!(BoxHeader, magic), MAGIC);
    put(offset_of!(BoxHeader, version), VERSION.into());
    let first = word(bytes, offset_of!(BoxHeader, type_offset)) as usize % bytes.len();
    let length = word(bytes, offset_of!(BoxHeader, type_bytes)) as usize % (bytes.len() - first);
    put(offset_of!(BoxHeader, type_offset), first as u64);
    put(offset_of!(BoxHeader, type_bytes), length as u64);
    // A type that lies in the header changes with it; then the check is wrong, as in the first reading.
    put(offset_of!(BoxHeader, type_check), type_check(&bytes[first..first + length]));
    let words: Vec<u64> = (0..size_of::<BoxHeader>() / 8 - 1).map(|i| word(&whole, 8 * i)).collect();
    whole[offset_of!(BoxHeader, check)..][..8].copy_from_slice(&check(&words).to_ne_bytes());
    read(&whole, &shards);
});
