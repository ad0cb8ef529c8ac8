//! what a device lacks is known before anything is compiled, and the refusal names it.

use std::sync::Arc;

use annulus_device::{HostOptions, Residency};
use annulus_kernel::{BlockCx, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::{Capabilities, LaunchOptions, Runtime};
use annulus_sync::{AtomicU32, AtomicU64, Ordering};

use super::{Device, FAILED, Number, PoisonError, runtime_that};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Point {
    x: f64,
}

#[ring_kernel]
fn computes(number: &Number) {
    if number.value > 3 {
        let half = number.value as f64 / 2.0; // HERE f64
        assert!(half > 1.0);
    }
}

/// Has 64-bit floats, and computes nothing.
#[ring_kernel]
fn passes(_: &Point) {}

#[ring_kernel]
fn counts(number: &Number, narrow: &[AtomicU32], wide: &[AtomicU64]) {
    narrow[0].fetch_add(1, Ordering::Relaxed);
    wide[0].fetch_add(number.value, Ordering::Relaxed); // HERE atomic
}

#[ring_kernel]
fn shares(cx: &BlockCx, number: &Number) {
    let all = cx.shared::<u32, 512>();
    all.set(cx.thread_index() as usize, cx.block_reduce(number.value as u32, |a, b| a + b));
}

#[ring_kernel]
fn only_reduces(cx: &BlockCx, number: &Number) {
    let sum = cx.block_reduce(number.value, |a, b| a.wrapping_add(b));
    assert!(sum < u64::MAX);
}

const SMALL: Capabilities = Capabilities { max_block: 64, ..Capabilities::ALL };

fn on(capabilities: Capabilities) -> (Arc<Device>, Runtime) {
    runtime_that(capabilities, &Arc::new(Residency::new(2)), HostOptions::default(), false)
}

/// The line of a marker in this file.
fn line(marker: &str) -> String {
    let (before, _) =
        include_str!("needs.rs").split_once(&format!("// HERE {marker}\n")).expect("it is marked");
    format!("needs.rs:{}", before.matches('\n').count() + 1)
}

/// A refused launch names all of this, and nothing was compiled for it.
#[track_caller]
fn refused<T>(device: &Device, launched: Result<T, annulus_runtime::LaunchError>, names: &[&str]) {
    let Err(error) = launched else { panic!("it was launched") };
    let error = error.to_string();
    for name in names {
        assert!(error.contains(name), "`{name}` is not in: {error}");
    }
    let texts = device.texts.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(texts.is_empty(), "it compiled: {texts:?}");
}

#[test]
fn x04_a_device_without_f64() {
    let (device, runtime) = on(Capabilities { f64: false, ..SMALL });
    let options = LaunchOptions::production;
    let place = line("f64");
    let device_name = "`a device that does nothing` has no `f64` (OpenCL's cl_khr_fp64)";
    let names = ["`computes`", &place, device_name, "compute with `f32`"];
    refused(&device, computes::launch(&runtime, options()), &names);
    refused(&device, passes::launch(&runtime, options()), &["`passes`", device_name]);
    assert!(super::echo::launch(&runtime, options()).is_ok(), "it needs none");
    device.say(FAILED);
    let (device, runtime) = on(SMALL);
    assert!(computes::launch(&runtime, options()).is_ok());
    // What it runs has ended, so that nobody waits for it.
    device.say(FAILED);
}

#[test]
fn x04_a_device_without_wide_atomics() {
    let (device, runtime) = on(Capabilities { wide_atomics: false, ..SMALL });
    let place = line("atomic");
    let names = ["`counts` has atomics of 64 bits", &place, "cl_khr_int64_base_atomics", "use `AtomicU32`"];
    refused(&device, counts::bind(&[0], &[0]).launch(&runtime, LaunchOptions::production()), &names);
    assert!(computes::launch(&runtime, LaunchOptions::production()).is_ok(), "it needs none");
    device.say(FAILED);
}

#[test]
fn m09_x02_x04_a_device_with_little_shared_memory() {
    let needs = shares::DEFINITION.needs().unwrap();
    // The meeting's 28 bytes and 6 for each thread, the array, and what reductions need for each thread and
    // for the block.
    let bytes = needs.shared_bytes(32) as u64;
    assert!((28 + 6 * 32 + 2048 + 4 * 32 + 4..=28 + 6 * 32 + 2048 + 4 * 32 + 16).contains(&bytes), "{bytes}");
    assert_eq!((needs.array_bytes(), needs.other_shared_bytes(32)), (2048, bytes as usize - 2048));
    assert_eq!(computes::DEFINITION.needs().unwrap().shared_bytes(32), 0);

    let (device, runtime) = on(Capabilities { shared_memory: Some(bytes), ..SMALL });
    let launch =
        |threads| shares::launch(&runtime, LaunchOptions::production().block(threads).name("shares"));
    let wanted = format!("a block of 33 threads of `shares` shares {} bytes", needs.shared_bytes(33));
    let names = [&*wanted, "can share", &bytes.to_string(), "launch with a smaller block"];
    refused(&device, launch(33), &names);
    refused(&device, launch(65), &["`shares`: a block of 65 threads is more than", "runs, 64"]);
    assert!(launch(32).is_ok());
    assert_eq!(runtime.devices()[0].capabilities.shared_memory, Some(bytes));
    // Who launches it is told what its arrays take.
    let texts = device.texts.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(texts.iter().map(|(_, shape)| shape.arrays).collect::<Vec<_>>(), [2048]);
    drop(texts);
    device.say(FAILED);
}

/// where arrays lie apart, what else a block shares has a limit of its own: half of all here.
#[test]
fn x02_a_device_with_little_shared_memory_beside_arrays() {
    let needs = only_reduces::DEFINITION.needs().unwrap();
    let bytes = needs.shared_bytes(64) as u64;
    assert_eq!((needs.array_bytes(), needs.other_shared_bytes(64) as u64), (0, bytes));
    let launch = |runtime: &Runtime| only_reduces::launch(runtime, LaunchOptions::production().block(64));
    let (device, runtime) = on(Capabilities { shared_memory: Some(bytes * 2 - 1), ..SMALL });
    let wanted = format!("a block of 64 threads of `only_reduces` shares {bytes} bytes");
    let less = format!(
        "can share {} beside arrays: keep a smaller state, reduce fewer or smaller numbers",
        bytes - 1
    );
    refused(&device, launch(&runtime), &[&wanted, &less, "launch with a smaller block"]);
    let (device, runtime) = on(Capabilities { shared_memory: Some(bytes * 2), ..SMALL });
    assert!(launch(&runtime).is_ok());
    device.say(FAILED);
}
