//! Any bytes, as they are and with the right head and hash, as a snapshot: refused, or whole.
//!
//! `cargo +nightly fuzz run snapshot_bytes` in the directory above.
#![no_main]

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use annulus_kernel::{List, RingKernel, Text};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::Snapshot;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Message {
    #[ring(key)]
    key: u32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(u8)]
#[allow(dead_code)] // Its values are made of bytes.
enum Mood {
    #[default]
    Calm,
    Shut { since: u64, by_hand: bool },
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Account {
    open: bool,
    mood: Mood,
    last: List<u16, 3>,
    owner: Text<5>,
}

#[ring_kernel(cpu_only)]
fn accounts(message: &Message, account: &mut Account) {
    account.open = message.key == 0;
}

fn read(bytes: &[u8]) {
    if let Ok(snapshot) = Snapshot::from_bytes(accounts::DEFINITION, bytes) {
        let states = snapshot.states::<Account>().expect("it is of that type");
        assert_eq!(states.len(), snapshot.len());
        let again = snapshot.to_bytes();
        let read = Snapshot::from_bytes(accounts::DEFINITION, &again).expect("it was just written");
        assert_eq!(read.to_bytes(), again);
    }
}

/// FNV-1a of 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // Up to the number of values all is right.
    let empty = Snapshot::empty(accounts::DEFINITION, 0, &[]).to_bytes();
    let mut whole = [&empty[..empty.len() - 16], bytes].concat();
    whole.extend_from_slice(&hash(&whole).to_le_bytes());
    read(&whole);
});
