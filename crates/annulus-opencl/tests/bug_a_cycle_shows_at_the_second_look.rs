//! A cycle of kernels that wait for room in each other showed only at a second status, a quarter of a second
//! after the first: a block said that it waits before it had counted what it took, so the host could not tell
//! a moment of that from a long wait.

extern crate annulus_runtime as annulus;

use std::{thread, time::Duration};

use annulus_opencl::OpenCl;
use annulus_runtime::{LaunchOptions, Runtime, StallEnd, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel(mode = Batch, max_outputs = 2)]
fn double(number: &Number, out: &Outbox<Number>) {
    out.send(*number);
    out.send(*number);
}

#[test]
fn the_first_status_shows_it() {
    for epochs in [false, true] {
        let backend = OpenCl::new().resident_groups(64);
        let backend = if epochs { backend.force_epochs() } else { backend };
        let Ok(runtime) = Runtime::builder().backend(backend).build() else {
            return println!("skipped: no OpenCL device");
        };
        let options =
            |name: &str| LaunchOptions::default().name(name).connectable(true).capacity(16).active(false);
        let [one, two] = ["one", "two"].map(|name| double::launch(&runtime, options(name)).unwrap());
        one.connect(&two).unwrap();
        two.connect(&one).unwrap();
        one.activate_blocking().unwrap();
        two.activate_blocking().unwrap();
        // Nobody asks for a status meanwhile: telemetry does not look for cycles.
        let telemetry = one.enable_telemetry().unwrap();
        let _ = one.try_send(Number { value: 1 }).unwrap();
        let mut before = 0;
        loop {
            thread::sleep(Duration::from_secs(1));
            let taken = telemetry.poll().messages_processed;
            if taken != 0 && taken == before {
                break;
            }
            before = taken;
        }
        let stall = one.status().stall.expect("it has no room");
        assert_eq!(stall.end, StallEnd::Cycle(vec!["one".into(), "two".into()]), "epochs: {epochs}");
        let _ = (one.terminate_blocking(), two.terminate_blocking());
    }
}
