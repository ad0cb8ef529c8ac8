//! Snapshots as bytes and as JSON: what was written is read again, and what was damaged is refused, whatever
//! the damage.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::panic::catch_unwind;

use annulus_kernel::{List, RingKernel, Text};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::{Snapshot, SnapshotError};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyed {
    #[ring(key)]
    key: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Plain {
    value: u64,
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8)]
enum Mood {
    #[default]
    Calm,
    Warned(u16),
    Shut {
        since: u64,
        by_hand: bool,
    },
}

/// Of each kind of part, with padding between them.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Account {
    open: bool,
    total: f64,
    mood: Mood,
    last: List<u16, 3>,
    owner: Text<5>,
    grid: [i8; 3],
}

#[ring_kernel(cpu_only)]
fn accounts(message: &Keyed, account: &mut Account) {
    account.total += f64::from(message.key);
}

#[ring_kernel(cpu_only)]
fn totals(
    message: &Plain,
    total: &mut u64,
    limit: &u32,
    memory: &mut [u32],
    table: &[u8],
    more: &mut [Mood],
) {
    *total += message.value * u64::from(*limit) + u64::from(memory[0]) + u64::from(table[0]);
    more[0] = Mood::Calm;
}

/// The same name and memory, and another type of state.
mod later {
    use super::*;

    #[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
    #[repr(C)]
    pub(super) struct Account {
        total: f64,
        open: bool,
    }

    #[ring_kernel(cpu_only)]
    pub(super) fn accounts(message: &Keyed, account: &mut Account) {
        account.total += f64::from(message.key);
    }
}

fn some_accounts() -> Vec<Account> {
    let account = Account {
        open: true,
        total: -1234.5,
        mood: Mood::Shut { since: u64::MAX - 1, by_hand: true },
        last: List::new(&[7, 65_535]).unwrap(),
        owner: Text::new("ÅNG").unwrap(),
        grid: [-1, 0, 127],
    };
    vec![account, Account::default(), Account { mood: Mood::Warned(300), total: f64::INFINITY, ..account }]
}

fn snapshot() -> Snapshot {
    let mut snapshot = Snapshot::empty(accounts::DEFINITION, 3, &[]);
    snapshot.set_states(&some_accounts()).unwrap();
    snapshot
}

fn with_memory() -> Snapshot {
    let mut snapshot = Snapshot::empty(totals::DEFINITION, 1, &[3, 2]);
    snapshot.set_states(&[77u64]).unwrap();
    snapshot.set_memory("memory", &[1u32, 2, u32::MAX]).unwrap();
    snapshot.set_memory("more", &[Mood::Warned(1), Mood::Calm]).unwrap();
    snapshot
}

#[test]
fn what_was_written_is_read_again() {
    let bytes = snapshot().to_bytes();
    let again = Snapshot::from_bytes(accounts::DEFINITION, &bytes).unwrap();
    assert_eq!(again.states::<Account>().unwrap(), some_accounts());
    assert_eq!(again.to_bytes(), bytes, "equal snapshots have equal bytes");

    let again = Snapshot::from_bytes(totals::DEFINITION, &with_memory().to_bytes()).unwrap();
    assert_eq!((again.kernel(), again.states::<u64>().unwrap()), ("totals", vec![77]));
    assert_eq!(again.memory::<u32>("memory").unwrap(), [1, 2, u32::MAX]);
    assert_eq!(again.memory::<Mood>("more").unwrap(), [Mood::Warned(1), Mood::Calm]);
    assert!(again.memory::<u8>("table").is_err(), "what never changes is not in it");
}

/// The bytes of version 1, so that a change of them is noticed: files outlive programs.
#[test]
fn version_1_stays_as_it_is() {
    let mut snapshot = Snapshot::empty(totals::DEFINITION, 1, &[1, 0]);
    snapshot.set_states(&[0x0102_0304_0506_0708_u64]).unwrap();
    snapshot.set_memory("memory", &[9u32]).unwrap();
    let bytes = snapshot.to_bytes();
    assert_eq!(bytes[..20], *b"annulus snapshot\x01\0\0\0");
    assert_eq!(bytes[20..34], *b"\x06\0\0\0totals\x03\0\0\0");
    // The state: no name, a fingerprint, one value.
    assert_eq!(bytes[34..38], [0; 4]);
    assert_eq!(bytes[46..62], *b"\x01\0\0\0\0\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01");
    assert_eq!(bytes[62..72], *b"\x06\0\0\0memory");
    assert_eq!(bytes[80..92], *b"\x01\0\0\0\0\0\0\0\x09\0\0\0");
    assert_eq!(bytes[92..100], *b"\x04\0\0\0more");
    assert_eq!(bytes.len(), 100 + 16 + 8);
    let fingerprints =
        [&bytes[38..46], &bytes[72..80]].map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()));
    assert_eq!(fingerprints, FINGERPRINTS, "of u64 and u32");
}

const FINGERPRINTS: [u64; 2] = [13_320_084_721_535_482_157, 11_860_447_888_325_606_515];

#[test]
fn bytes_of_another_kernel_or_another_version_of_its_types_are_refused() {
    let bytes = snapshot().to_bytes();
    let other = Snapshot::from_bytes(totals::DEFINITION, &bytes).unwrap_err();
    assert_eq!(other.to_string(), "the kernel is totals, not accounts");
    let later = Snapshot::from_bytes(later::accounts::DEFINITION, &bytes).unwrap_err();
    assert!(matches!(later, SnapshotError::Mismatch { .. }));
    assert!(
        later.to_string().starts_with("the layout of the state is that of Account in this program"),
        "{later}"
    );
    let mut newer = bytes;
    newer[16] = 2;
    let newer = Snapshot::from_bytes(accounts::DEFINITION, &newer).unwrap_err().to_string();
    assert!(newer.contains("version 2, and this program reads version 1"), "{newer}");
}

#[test]
fn what_was_cut_or_changed_is_refused() {
    for (definition, whole) in
        [(accounts::DEFINITION, snapshot().to_bytes()), (totals::DEFINITION, with_memory().to_bytes())]
    {
        let refused = |bytes: &[u8], what: &dyn std::fmt::Display| {
            assert!(Snapshot::from_bytes(definition, bytes).is_err(), "{what}");
        };
        for length in 0..whole.len() {
            refused(&whole[..length], &format_args!("cut after {length} bytes"));
        }
        for place in 0..whole.len() {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[place] ^= 1 << bit;
                refused(&bytes, &format_args!("bit {bit} of byte {place} flipped"));
            }
        }
        refused(&[&whole[..], &[0]].concat(), &"a byte more");
    }
}

/// Bytes with a right hash, as somebody makes them who wants harm: refused or whole, and never a panic,
/// whatever they say.
#[test]
fn no_bytes_do_harm() {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (seed >> 33) as usize % below
    };
    let mut taken = 0;
    for (definition, whole) in
        [(accounts::DEFINITION, snapshot().to_bytes()), (totals::DEFINITION, with_memory().to_bytes())]
    {
        let body = &whole[..whole.len() - 8];
        for round in 0..20_000 {
            let mut bytes = body.to_vec();
            for _ in 0..=random(3) {
                let place = random(bytes.len());
                bytes[place] = [0, 1, 2, 0x7F, 0x80, 0xFF, random(256) as u8][random(7)];
            }
            if round % 4 == 0 {
                bytes.truncate(random(bytes.len()));
            }
            let hash = hash(&bytes);
            bytes.extend_from_slice(&hash.to_le_bytes());
            let read = catch_unwind(|| Snapshot::from_bytes(definition, &bytes)).expect("it does not panic");
            if let Ok(snapshot) = read {
                // What it took it can show, and write again.
                taken += 1;
                assert!(snapshot.states::<Account>().is_ok() || snapshot.states::<u64>().is_ok());
                let again = Snapshot::from_bytes(definition, &snapshot.to_bytes()).unwrap();
                assert_eq!(again.to_bytes(), snapshot.to_bytes());
            }
        }
    }
    assert!(taken > 1000, "numbers may be any: {taken}");
}

/// FNV-1a of 64 bits, by its own definition.
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for &byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    hash
}

#[test]
fn what_a_value_may_not_be_is_refused_where_it_stands() {
    let mut bytes = snapshot().to_bytes();
    // The first account's `open`: behind magic, version, name, count, name, fingerprint, count.
    let place = 16 + 4 + 4 + 8 + 4 + 4 + 8 + 8;
    assert_eq!(bytes[place], 1);
    bytes[place] = 2;
    bytes.truncate(bytes.len() - 8);
    let hash = hash(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    let error = Snapshot::from_bytes(accounts::DEFINITION, &bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the bytes are no snapshot: the state[0].open: 2 is no bool, which is 0 or 1"
    );
}

#[cfg(feature = "serde")]
mod with_serde {
    use super::*;
    use annulus_kernel::KernelDefinition;

    fn read(definition: &'static KernelDefinition, json: &str) -> Result<Snapshot, String> {
        let mut reader = serde_json::Deserializer::from_str(json);
        Snapshot::deserialize(definition, &mut reader).map_err(|error| error.to_string())
    }

    #[test]
    fn json_shows_every_value() {
        let json = serde_json::to_value(with_memory()).unwrap();
        assert_eq!(
            json,
            serde_json::json!({
                "kernel": "totals",
                "states": [77],
                "memory": { "memory": [1, 2, u32::MAX], "more": [{ "Warned": 1 }, "Calm"] },
            })
        );
        let again = read(totals::DEFINITION, &json.to_string()).unwrap();
        assert_eq!(again.to_bytes(), with_memory().to_bytes());
        // A float that JSON does not have comes back as one that is none; all else is the same.
        let mut accounts = some_accounts();
        accounts.pop();
        let mut snapshot = Snapshot::empty(accounts::DEFINITION, 2, &[]);
        snapshot.set_states(&accounts).unwrap();
        let again = read(accounts::DEFINITION, &serde_json::to_string(&snapshot).unwrap()).unwrap();
        assert_eq!(again.to_bytes(), snapshot.to_bytes());
    }

    #[test]
    fn what_is_no_snapshot_is_refused() {
        let cases = [
            (r#"{"states": [1]}"#, "missing field `kernel`"),
            (
                r#"{"kernel": "other", "states": [1], "memory": {"memory": [], "more": []}}"#,
                "it is of `other`",
            ),
            (r#"{"kernel": "totals", "memory": {"memory": [], "more": []}}"#, "missing field `states`"),
            (r#"{"kernel": "totals", "states": [1], "memory": {"memory": []}}"#, "memory: `more` is missing"),
            (
                r#"{"kernel": "totals", "states": [1], "memory": {"table": []}}"#,
                "memory: `table` is not the kernel's",
            ),
            (r#"{"kernel": "totals", "states": [1], "states": [1]}"#, "is there twice"),
            (r#"{"kernel": "totals", "states": [-1]}"#, "-1 is no u64"),
            (r#"{"kernel": "totals", "state": []}"#, "`state` is not what a snapshot"),
            ("[]", "a snapshot of `totals`"),
        ];
        for (json, expected) in cases {
            let error = read(totals::DEFINITION, json).unwrap_err();
            assert!(error.contains(expected), "{json}: {error}");
        }
    }
}
