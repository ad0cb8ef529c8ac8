use std::error::Error;

use annulus::prelude::*;

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Job {
    number: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Done {
    number: u32,
    square: u32,
}

#[ring_kernel(connectable = true)]
fn work(job: &Job, done: &Outbox<Done>) {
    done.send(Done { number: job.number, square: job.number * job.number });
}

/// A worker says that it is free, or a job is there.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    Free { worker: Peer<Job> },
    Came { number: u32 },
}

/// The workers that are free, and the jobs that wait for one.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Desk {
    free: List<Peer<Job>, 8>,
    waiting: List<u32, 64>,
}

/// Gives each job to the worker that has been free the shortest.
#[ring_kernel(connectable = true)]
fn hand_out(event: &Event, desk: &mut Desk, jobs: &Outbox<Addressed<Job>>) {
    match event {
        Event::Free { worker } => {
            desk.free.items[desk.free.len as usize] = *worker;
            desk.free.len += 1;
        }
        Event::Came { number } => {
            desk.waiting.items[desk.waiting.len as usize] = *number;
            desk.waiting.len += 1;
        }
    }
    if desk.free.len > 0 && desk.waiting.len > 0 {
        desk.free.len -= 1;
        desk.waiting.len -= 1;
        jobs.send(Addressed {
            to: desk.free.items[desk.free.len as usize],
            message: Job { number: desk.waiting.items[desk.waiting.len as usize] },
        });
    }
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: run
    let [anna, bert] = ["anna", "bert"].map(|name| work::launch(&runtime, work::options().name(name)));
    let (anna, bert) = (anna?, bert?);
    let desk = hand_out::launch(&runtime, hand_out::options().active(false))?;
    desk.connect_peers(&[anna.peer(), bert.peer()])?; // all whom it may send to
    desk.activate_blocking()?;

    for (worker, number) in [(bert.peer(), 3), (anna.peer(), 5), (bert.peer(), 7)] {
        let _ = desk.send_blocking(Event::Free { worker })?;
        let _ = desk.send_blocking(Event::Came { number })?;
    }
    for (name, worker, jobs) in [("anna", &anna, 1), ("bert", &bert, 2)] {
        for _ in 0..jobs {
            let Done { number, square } = worker.recv_blocking()?;
            println!("{name}: {number} squared is {square}");
        }
    }
    println!("to nobody: {}", desk.peers().gone);
    // ANCHOR_END: run
    Ok(())
}
