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

/// Where the keys stand in bytes of `accounts`: behind magic, version and name.
const KEYS: usize = 16 + 4 + 4 + 8;

/// The bytes of the accounts with these keys: in version 2, and with a right hash.
fn bytes_with(keys: &[u64]) -> Vec<u8> {
    let mut bytes = snapshot().to_bytes();
    bytes[16] = 2;
    let count = (keys.len() as u64).to_le_bytes();
    bytes.splice(KEYS..KEYS, count.into_iter().chain(keys.iter().flat_map(|key| key.to_le_bytes())));
    hashed(bytes)
}

/// Bytes with their own hash instead of the one that they end with.
fn hashed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 8);
    let hash = hash(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes
}

/// Sparse keys, the farthest of them.
fn with_keys() -> Snapshot {
    Snapshot::from_bytes(accounts::DEFINITION, &bytes_with(&[0, 1 << 40, u64::MAX])).unwrap()
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

/// The same of version 2, which is that of snapshots with sparse keys alone.
#[test]
fn version_2_has_keys_in_front_of_the_states() {
    let snapshot = with_keys();
    assert_eq!(snapshot.keys(), Some(&[0, 1 << 40, u64::MAX][..]));
    assert_eq!(snapshot.states::<Account>().unwrap(), some_accounts());
    let bytes = snapshot.to_bytes();
    assert_eq!(bytes[..32], *b"annulus snapshot\x02\0\0\0\x08\0\0\0accounts");
    assert_eq!(bytes[32..48], *b"\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(bytes[48..64], *b"\0\0\0\0\0\x01\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
    // All else is as in version 1.
    let first = self::snapshot().to_bytes();
    assert_eq!(bytes[64..bytes.len() - 8], first[KEYS..first.len() - 8]);
    assert_eq!((first[16], self::snapshot().keys()), (1, None));
}

#[test]
fn actors_of_sparse_keys_are_set() {
    let mut snapshot = with_keys();
    let [first, second, third] = some_accounts().try_into().unwrap();
    let given = [(7, second), (u64::MAX - 1, first), (0, third), (6, first)];
    snapshot.set_actors(&given).unwrap();
    assert_eq!(snapshot.keys(), Some(&[0, 6, 7, u64::MAX - 1][..]), "ascending");
    assert_eq!(snapshot.states::<Account>().unwrap(), [third, first, second, first]);
    let again = Snapshot::from_bytes(accounts::DEFINITION, &snapshot.to_bytes()).unwrap();
    assert_eq!((again.keys(), again.len()), (snapshot.keys(), 4));
    assert_eq!(again.states::<Account>().unwrap(), [third, first, second, first]);
    let refused = |snapshot: &mut Snapshot, actors: &[(u64, Account)], expected: &str| {
        let before = snapshot.to_bytes();
        assert_eq!(snapshot.set_actors(actors).unwrap_err().to_string(), expected);
        assert_eq!(snapshot.to_bytes(), before, "nothing has changed");
    };
    refused(
        &mut snapshot,
        &[(3, first), (9, first), (3, second)],
        "the number of states of a key is 1, not 2 of 3",
    );
    let dense = "the range of the kernel's keys is from 0 on (use set_states), not any";
    refused(&mut self::snapshot(), &[(3, first)], dense);
    assert!(snapshot.set_actors(&[(1, 5u64)]).is_err(), "another type");
    // Only as many states as there are keys.
    assert!(snapshot.set_states(&[first]).is_err());
    snapshot.set_states(&[first; 4]).unwrap();
    snapshot.set_actors::<Account>(&[]).unwrap();
    let none = Snapshot::from_bytes(accounts::DEFINITION, &snapshot.to_bytes()).unwrap();
    assert_eq!((none.keys(), none.len()), (Some(&[][..]), 0));
}

/// Keys that no snapshot has, in bytes whose hash is right.
#[test]
fn wrong_keys_are_refused() {
    let read = |bytes: &[u8]| Snapshot::from_bytes(accounts::DEFINITION, bytes).unwrap_err().to_string();
    let ascend = |keys: &[u64]| read(&bytes_with(keys));
    assert_eq!(ascend(&[0, 5, 4]), "the bytes are no snapshot: the key 4 follows 5, and keys ascend");
    assert_eq!(ascend(&[5, 5, 6]), "the bytes are no snapshot: the key 5 follows 5, and keys ascend");
    assert_eq!(ascend(&[1, 2]), "the bytes are no snapshot: there are 2 keys and 3 states");
    assert_eq!(ascend(&[]), "the bytes are no snapshot: there are 0 keys and 3 states");
    assert_eq!(ascend(&[1, 2, 3, 4]), "the bytes are no snapshot: there are 4 keys and 3 states");
    // More than there are bytes, and more than there is memory.
    for count in [200, 1 << 32, 1 << 61, (1 << 61) + 1, u64::MAX] {
        let mut bytes = bytes_with(&[1, 2, 3]);
        bytes[KEYS..KEYS + 8].copy_from_slice(&count.to_le_bytes());
        let error = read(&hashed(bytes));
        assert!(error.contains(&format!("{count} keys have 8 bytes each, and ")), "{error}");
    }
    // A count that is one too small, or too large: what follows is no list of images.
    for count in [2_u64, 4] {
        let mut bytes = bytes_with(&[1, 2, 3]);
        bytes[KEYS..KEYS + 8].copy_from_slice(&count.to_le_bytes());
        read(&hashed(bytes));
    }
    let mut cut = bytes_with(&[1, 2, 3]);
    cut.truncate(KEYS + 4 + 8);
    assert!(read(&hashed(cut)).contains("the number of keys has 8 bytes, and 4 are left"));
    // A kernel with one state has no keys.
    let mut bytes = with_memory().to_bytes();
    bytes[16] = 2;
    let error = Snapshot::from_bytes(totals::DEFINITION, &hashed(bytes)).unwrap_err();
    assert!(matches!(error, SnapshotError::Mismatch { .. }), "{error}");
    assert_eq!(error.to_string(), "the kernel's state is one for all keys, not one for each key");
}

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
    newer[16] = 3;
    let newer = Snapshot::from_bytes(accounts::DEFINITION, &newer).unwrap_err().to_string();
    assert!(newer.contains("version 3, and this program reads versions 1 and 2"), "{newer}");
}

#[test]
fn what_was_cut_or_changed_is_refused() {
    for (definition, whole) in [
        (accounts::DEFINITION, snapshot().to_bytes()),
        (accounts::DEFINITION, with_keys().to_bytes()),
        (totals::DEFINITION, with_memory().to_bytes()),
    ] {
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
    for (definition, whole) in [
        (accounts::DEFINITION, snapshot().to_bytes()),
        (accounts::DEFINITION, with_keys().to_bytes()),
        (totals::DEFINITION, with_memory().to_bytes()),
    ] {
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
                if let Some(keys) = snapshot.keys() {
                    assert!(keys.is_sorted_by(|a, b| a < b) && keys.len() == snapshot.len(), "{keys:?}");
                }
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
    fn json_has_sparse_keys() {
        let mut snapshot = with_keys();
        // Floats that JSON has.
        let account = Account { total: 0.5, ..Account::default() };
        snapshot.set_actors(&[(u64::MAX, account), (17, some_accounts()[0])]).unwrap();
        let json = serde_json::to_value(&snapshot).unwrap();
        assert_eq!(json["keys"], serde_json::json!([17, u64::MAX]));
        assert_eq!(
            (json["states"][0]["total"].as_f64(), json["states"][1]["total"].as_f64()),
            (Some(-1234.5), Some(0.5))
        );
        let again = read(accounts::DEFINITION, &json.to_string()).unwrap();
        assert_eq!((again.keys(), again.to_bytes()), (snapshot.keys(), snapshot.to_bytes()));
        let text = json.to_string();
        for (from, to, expected) in [
            (
                "[17,18446744073709551615]",
                "[18446744073709551615,17]",
                "the key 17 follows 18446744073709551615",
            ),
            ("[17,18446744073709551615]", "[17,17]", "the key 17 follows 17, and keys ascend"),
            ("[17,18446744073709551615]", "[17]", "there are 1 keys and 2 states"),
            ("[17,18446744073709551615]", "[17,18,19]", "there are 3 keys and 2 states"),
            ("[17,18446744073709551615]", "[17,18446744073709551616]", "invalid type: floating point"),
            ("[17,18446744073709551615]", "[-1,17]", "invalid value: integer `-1`, expected u64"),
            (
                "[17,18446744073709551615]",
                "[17,18],\"keys\":[1,2]",
                "`keys` is not what a snapshot of `accounts` has, or is there twice",
            ),
        ] {
            assert_eq!(text.matches(from).count(), 1);
            let error = read(accounts::DEFINITION, &text.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
        // Without them, keys are from 0 on.
        let dense =
            read(accounts::DEFINITION, &text.replace("\"keys\":[17,18446744073709551615],", "")).unwrap();
        assert_eq!((dense.keys(), dense.len()), (None, 2));
        let error =
            read(totals::DEFINITION, r#"{"kernel": "totals", "keys": [1], "states": [1]}"#).unwrap_err();
        assert!(error.contains("`keys` is not what a snapshot of `totals` has"), "{error}");
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
