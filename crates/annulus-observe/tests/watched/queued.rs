//! What waits in queues in front of a kernel is seen from outside.

use annulus::{NamedQueue, prelude::*};
use annulus_observe::Observer;

use crate::{Job, Watched, autopsies, kernel, ready, work};

/// A process whose kernels take nothing: what is sent waits, two batches of one message in the ring and the rest in front.
pub(crate) fn child() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let options = |name: &str| {
        let options = LaunchOptions::default().actors(16).capacity(16).active(false).name(name);
        options.max_messages_per_iteration(1)
    };
    let plain = work::launch(&runtime, options("plain")).unwrap();
    let queued = work::launch(&runtime, options("queued").backpressure(Backpressure::DropOldest)).unwrap();
    let named = options("named").queue(NamedQueue::new("urgent").capacity(16));
    let named = work::launch(&runtime, named).unwrap();
    let job = Job { key: 2, what: 0 };
    for _ in 0..12 {
        let _ = plain.try_send(job).unwrap();
        let _ = queued.try_send(job).unwrap();
        let _ = named.try_send(job).unwrap();
    }
    for _ in 0..3 {
        let _ = named.queue("urgent").unwrap().try_send(job).unwrap();
    }
    // What the process knows of itself is what its file says.
    let [inside, outside] = [Observer::of(&runtime), Observer::of_machine(Some(std::process::id())).build()]
        .map(|observer| {
            let text = observer.prometheus();
            let lines = text.lines().filter(|line| line.starts_with("annulus_queue_"));
            let mut lines: Vec<String> =
                lines.map(|line| line[line.find("kernel=").unwrap()..].to_owned()).collect();
            lines.sort();
            lines
        });
    assert_eq!(inside, outside);
    assert!(inside.iter().any(|line| line == "kernel=\"named\"} 15"), "{inside:?}");
    println!("compared");
    queued.activate_blocking().unwrap();
    queued.drained_blocking();
    println!("drained");
    ready();
}

/// O-08, T-15 from outside: in the ring, in front of it, in all of a kernel's queues; and nothing when all was handled.
#[test]
fn o_08_what_waits_in_front_of_a_kernel_is_seen() {
    let mut watched = Watched::start("queued");
    let process = watched.look();
    let waits = |name: &str| {
        let kernel = kernel(&process, name);
        (kernel.sum(|shard| shard.pending), kernel.sum(|shard| shard.staged), kernel.queue_capacity)
    };
    assert_eq!(waits("plain"), (12, 0, 16));
    assert_eq!(waits("queued"), (0, 0, 16));
    assert_eq!(waits("named"), (2, 13, 32));
    let told = annulus_observe::why(&process, &process, std::time::Duration::ZERO).to_string();
    let cause = "`named` shard 0 is inactive: activate the kernel; 2 messages are in its rings, and 13 wait in front of them";
    assert!(told.contains(cause), "{told}");
    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let text = autopsies(&watched.folder);
    assert!(text.contains("`named`: 0 handled, 2 in its rings, 13 in front of its rings\n"), "{text}");
    assert!(text.contains("shard 0: inactive, 2 messages in its ring, 13 in front of it\n"), "{text}");
}
