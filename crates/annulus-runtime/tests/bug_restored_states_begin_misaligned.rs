//! To restore sparse keys, the host made one initial state in memory that was aligned to 16 bytes. A state's type may be more
//! aligned: then it was written where no value of the type may lie.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use annulus_kernel::RingKernel;
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::{LaunchOptions, Noop, Runtime, Snapshot};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Keyed {
    #[ring(key)]
    key: u64,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C, align(256))]
struct Wide {
    words: [u64; 32],
}

impl Default for Wide {
    fn default() -> Self {
        Self { words: [7; 32] }
    }
}

#[ring_kernel(cpu_only)]
fn widen(message: &Keyed, wide: &mut Wide) {
    wide.words[0] = message.key;
}

#[test]
fn an_initial_state_lies_where_its_type_may() {
    let runtime = Runtime::builder().backend(Noop).build().unwrap();
    let options = LaunchOptions::production().actors(8).sparse_keys(true).active(false);
    let kernel = widen::launch(&runtime, options).unwrap();
    let mut snapshot = Snapshot::from_bytes(widen::DEFINITION, &no_actors()).unwrap();
    snapshot.set_actors(&[(5, Wide::default()), (1 << 40, Wide::default())]).unwrap();
    // With checks, a write to a wrong place ends the program. The backend without handlers keeps no state.
    let mut others = Vec::new();
    for length in 0..64 {
        // So that the next allocation lies elsewhere.
        others.push(vec![0_u8; 16 * length + 1]);
        let error = kernel.restore_blocking(&snapshot).unwrap_err();
        assert!(error.to_string().contains("keeps no state"), "{error}");
    }
}

/// A snapshot with sparse keys, of which none has an actor.
fn no_actors() -> Vec<u8> {
    let mut bytes = Snapshot::empty(widen::DEFINITION, 0, &[]).to_bytes();
    bytes[16] = 2;
    let name = 16 + 4 + 4 + widen::DEFINITION.name.len();
    bytes.splice(name..name, [0; 8]);
    bytes.truncate(bytes.len() - 8);
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for &byte in &bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes
}
