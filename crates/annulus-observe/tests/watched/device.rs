//! Kernels on a device are watched: their blocks say what they are at, and the host copies it.

use std::time::Duration;

use annulus::prelude::*;
use annulus_observe::{Phase, Process, ShardState};

use crate::{Device, Job, Watched, kernel, ponder, ready};

/// The watched process: a kernel for each phase in which a block may stay.
pub(crate) fn child() {
    let Some(runtime) = Device::runtime() else { return };
    let options = |name: &str| LaunchOptions::default().actors(8).capacity(16).name(name);
    let job = |key, what| Job { key, what };
    let rests = ponder::launch(&runtime, options("rests").track_latency(true)).unwrap();
    let _measured = rests.enable_telemetry().unwrap();
    let _ = rests.send_blocking(job(1, 0)).unwrap();
    rests.drained_blocking();
    let idle = ponder::launch(&runtime, options("idle").active(false)).unwrap();
    let _ = idle.try_send(job(1, 0)).unwrap();
    let behind = options("behind").max_messages_per_iteration(1).backpressure(Backpressure::DropOldest);
    let behind = ponder::launch(&runtime, behind.active(false)).unwrap();
    for _ in 0..12 {
        let _ = behind.try_send(job(1, 0)).unwrap();
    }
    let full = ponder::launch(&runtime, options("full")).unwrap();
    let slow = options("one").slow_after(Duration::from_millis(20));
    let one = ponder::launch(&runtime, slow).unwrap();
    // A block's threads on the stand-in for CUDA are fibers of one thread: one that is in such a handler lets none of the
    // others go on, also not the one that says it.
    let many = (runtime.backend() != "cuda")
        .then(|| ponder::launch(&runtime, options("many").block(4).active(false)).unwrap());
    for job in [job(7, 1), job(99, 0)] {
        let _ = full.send_blocking(job).unwrap();
        full.drained_blocking();
    }
    for _ in 0..20 {
        let _ = full.send_blocking(job(2, 0)).unwrap();
    }
    let _ = one.send_blocking(job(5, 0)).unwrap();
    // A turn's messages are counted at its end.
    one.drained_blocking();
    for what in [2, 0] {
        let _ = one.send_blocking(job(5, what)).unwrap();
    }
    if let Some(many) = &many {
        for key in 0..3 {
            let _ = many.try_send(job(key, 2)).unwrap();
        }
        many.activate_blocking().unwrap();
    }
    ready();
}

/// The phase of a kernel's only shard.
fn phase(process: &Process, name: &str) -> Phase {
    Phase::of(&kernel(process, name).shards[0])
}

/// What blocks on a device are at, seen from another process; and after the device's process was killed.
fn is_seen(device: Device) {
    let Some(mut watched) = Watched::start_on(device, "device") else { return };
    let process = watched.look_for(|process| {
        phase(process, "rests") == Phase::Asleep
            && phase(process, "idle") == Phase::Inactive
            && phase(process, "full") == Phase::StalledOnHost
            && phase(process, "one") == Phase::InHandler
            && kernel(process, "one").shards[0].processed == 1
            && (device == Device::Cuda || phase(process, "many") == Phase::InHandler)
    });
    let backend = if device == Device::Cuda { "cuda" } else { "opencl" };
    assert_eq!((&*process.backend, process.pid), (backend, watched.child.id()));
    assert_eq!(kernel(&process, "full").state(), ShardState::StalledOnHost);
    let at = |name: &str| kernel(&process, name).shards[0].at;
    assert_eq!((at("one").number, at("one").key, at("one").count), (1, 5, 1));
    let has_many = device == Device::OpenCl;
    if has_many {
        assert_eq!((at("many").number, at("many").count), (0, 3), "its threads handle them at once");
    }
    assert_eq!((at("rests").number, at("idle").number), (1, 0));
    assert!(kernel(&process, "one").copied.is_some(), "the host copies what a device says");

    // O-08: what waits in front of it, which the host knows, and latencies, which the host copies.
    let behind = &kernel(&process, "behind").shards[0];
    assert_eq!((behind.pending, behind.staged), (2, 10));
    let process = watched.look_for(|process| {
        kernel(process, "rests").latencies.as_ref().is_some_and(|latencies| latencies.count() == 1)
    });
    assert!(kernel(&process, "one").latencies.is_none(), "it does not track them");

    // Looks that found the same copy prove nothing.
    let text = annulus_observe::why(&process, &process, Duration::from_secs(1)).to_string();
    assert!(!text.contains("in the handler"), "{text}");
    let names = ["`one`", "`idle`", "`full`", "`many`"];
    let text = watched.why(|text| names[..3 + usize::from(has_many)].iter().all(|name| text.contains(name)));
    assert!(text.contains("`one` shard 0 is in the handler of message 1, key 5, for "), "{text}");
    assert_eq!(
        text.contains("`many` shard 0 is in the handlers of messages 0 to 2, for "),
        has_many,
        "{text}"
    );
    assert!(
        text.contains("`idle` shard 0 is inactive: activate the kernel; 1 message is in its ring"),
        "{text}"
    );
    assert!(
        text.contains("`full` shard 0 is stalled: nobody receives the outputs, of which 16 wait"),
        "{text}"
    );
    assert!(!text.contains("rests"), "{text}");

    // What failed is in the flight recorder, by its code: the host has found it when it copied.
    let text = annulus_observe::autopsy(&watched.file()).unwrap().to_string();
    assert!(text.contains("`full`: failed in shard 0: the message's key names no actor"), "{text}");
    let failed = text.lines().filter(|line| line.contains("`full`: failed in shard 0: ")).collect::<Vec<_>>();
    assert!(failed.len() == 2 && failed.iter().all(|line| !line.contains("key 0")), "{text}");

    let slow = "`one`: slow: shard 0 has been in the handler of message 1, key 5, for ";
    let process = watched.look_for(|_| crate::autopsies(&watched.folder).contains(slow));
    assert!(kernel(&process, "one").slow != 0);

    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let process = watched.look();
    assert_eq!(phase(&process, "one"), Phase::InHandler, "the file keeps the last copy");
    assert_eq!(kernel(&process, "one").shards[0].at.key, 5);
}

#[test]
fn o_01_what_a_device_is_at_is_seen() {
    is_seen(Device::OpenCl);
}

#[test]
fn o_01_what_a_device_of_cuda_is_at_is_seen() {
    is_seen(Device::Cuda);
}
