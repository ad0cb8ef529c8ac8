//! A kernel that asks for no policy has the text of one that does, no queue in front of its rings, and
//! messages that go straight there. One that asks allocates at its launch, and nothing for each message.
#![allow(clippy::disallowed_types, reason = "an allocator is outside every model")]

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use annulus_kernel::KernelDefinition;
use annulus_runtime::{
    Backpressure, Deduplication, KernelHandle, LaunchOptions, Noop, Runtime, SendOutcome,
    prelude::{RingKernel, RingMessage},
};

/// Counts what the thread allocates that runs the test, and not what the harness's do.
struct Counting;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() + layout.size()));
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        // SAFETY: the caller's promises are the system allocator's conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, so from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Ticket {
    #[ring(id)]
    id: u64,
    #[ring(priority)]
    priority: u8,
}

mod plain {
    use annulus_macros::ring_kernel;
    use annulus_runtime::prelude::Outbox;

    #[ring_kernel]
    pub(crate) fn gate(ticket: &super::Ticket, out: &Outbox<super::Ticket>) {
        out.send(*ticket);
    }
}

mod policed {
    use annulus_macros::ring_kernel;
    use annulus_runtime::prelude::Outbox;

    #[ring_kernel(deduplication = ById, priority = true, expiry = "1 s", backpressure = DropOldest)]
    pub(crate) fn gate(ticket: &super::Ticket, out: &Outbox<super::Ticket>) {
        out.send(*ticket);
    }
}

const CAPACITY: u32 = 1024;

fn runtime() -> Runtime {
    Runtime::builder().backend(Noop).build().unwrap()
}

/// A kernel that takes nothing.
fn launch(runtime: &Runtime, options: LaunchOptions) -> KernelHandle<plain::gate> {
    let kernel = plain::gate::launch(runtime, options.capacity(CAPACITY).active(false)).unwrap();
    kernel.deactivate_blocking().unwrap();
    kernel
}

#[test]
fn a_kernels_text_knows_no_policies() {
    for target in ["opencl", "cuda", "metal"] {
        // Comments say where a handler stands, which differs.
        let text = |definition: &'static KernelDefinition| -> Vec<String> {
            let text = definition.handler_source(target.parse().unwrap()).unwrap();
            text.lines().filter(|line| !line.trim().starts_with("//")).map(String::from).collect()
        };
        assert_eq!(text(plain::gate::DEFINITION), text(policed::gate::DEFINITION));
    }
}

#[test]
fn no_queue_is_made_for_who_asks_for_none() {
    let runtime = runtime();
    let measure = |name: &str, options: LaunchOptions| {
        let before = BYTES.get();
        let kernel = launch(&runtime, options.name(name));
        (BYTES.get() - before, kernel)
    };
    let (_, _warm) = measure("warm", LaunchOptions::default());
    let (plain, kernel) = measure("plain", LaunchOptions::default());
    for id in 0..CAPACITY {
        assert_eq!(kernel.try_send(Ticket { id: id.into(), priority: 0 }), Ok(SendOutcome::Accepted));
    }
    let status = kernel.status();
    assert_eq!((status.pending, status.handed_over), (CAPACITY.into(), CAPACITY.into()));

    let (policed, kernel) = measure("policed", LaunchOptions::default().priority(true));
    for id in 0..CAPACITY {
        assert_eq!(kernel.try_send(Ticket { id: id.into(), priority: 0 }), Ok(SendOutcome::Accepted));
    }
    let status = kernel.status();
    assert_eq!((status.pending, status.handed_over), (CAPACITY.into(), 2));
    let queue = CAPACITY as usize * size_of::<Ticket>();
    assert!(policed >= plain + queue, "{policed} bytes with a queue of {queue}, {plain} without");
}

#[test]
fn a_policed_message_allocates_nothing() {
    let runtime = runtime();
    for backpressure in [Backpressure::DropOldest, Backpressure::DropNew, Backpressure::Reject] {
        let options = LaunchOptions::default()
            .backpressure(backpressure)
            .deduplication(Deduplication::ById)
            .priority(true)
            .expiry(std::time::Duration::from_secs(3600))
            .name(format!("{backpressure:?}"));
        let kernel = launch(&runtime, options);
        let tickets = |from: u64| -> Vec<_> {
            (from..from + 64).map(|id| Ticket { id: id / 2, priority: id as u8 }).collect()
        };
        let (warm, batch) = (tickets(0), tickets(10_000));
        kernel.send_batch_blocking(&warm).unwrap();
        let before = CALLS.get();
        for id in 1000..5000 {
            let _ = kernel.try_send(Ticket { id: id / 2, priority: id as u8 });
        }
        for _ in 0..100 {
            let _ = kernel.send_batch_blocking(&batch);
        }
        assert_eq!(CALLS.get() - before, 0, "{backpressure:?}");
        let status = kernel.status();
        assert_eq!(status.sent, status.drops.total() + status.pending);
        assert!(status.drops.total() > 2000);
    }
}
