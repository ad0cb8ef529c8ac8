use std::error::Error;

use annulus::prelude::*;

// ANCHOR: messages
/// What one kernel sends.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Ready {
    #[ring(key)]
    worker: u32,
    speed: f32,
}

/// What another one sends.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Finished {
    seconds: u64,
    #[ring(key)]
    worker: u32,
}

/// What the coordinator takes: both, and questions of the host.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Ready(Ready),
    #[ring(from)]
    Finished(Finished),
    Asked {
        #[ring(key)]
        worker: u32,
    },
}
// ANCHOR_END: messages

// ANCHOR: handler
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Worker {
    speed: f32,
    jobs: u32,
    seconds: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Report {
    worker: u32,
    jobs: u32,
    work: f32,
}

#[ring_kernel(connectable = true)]
fn coordinate(event: &Event, known: &mut Worker, reports: &Outbox<Report>) {
    match event {
        Event::Ready(ready) => known.speed = ready.speed,
        Event::Finished(finished) => {
            known.jobs += 1;
            known.seconds += finished.seconds;
        }
        Event::Asked { worker } => reports.send(Report {
            worker: *worker,
            jobs: known.jobs,
            work: known.seconds as f32 * known.speed,
        }),
    }
}
// ANCHOR_END: handler

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Signal {
    worker: u32,
    value: u32,
}

#[ring_kernel]
fn register(signal: &Signal, out: &Outbox<Ready>) {
    out.send(Ready { worker: signal.worker, speed: signal.value as f32 / 10.0 });
}

#[ring_kernel]
fn clock_off(signal: &Signal, out: &Outbox<Finished>) {
    out.send(Finished { worker: signal.worker, seconds: signal.value as u64 });
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: run
    let coordinate = coordinate::launch(&runtime, coordinate::options().actors(2))?;
    let register = register::launch_into(&coordinate, register::options())?; // sends `Ready`
    let clock_off = clock_off::launch_into(&coordinate, clock_off::options())?; // sends `Finished`

    register.send_batch_blocking(&[Signal { worker: 0, value: 15 }, Signal { worker: 1, value: 5 }])?;
    for value in [20, 30, 40] {
        let _ = clock_off.send_blocking(Signal { worker: value / 10 % 2, value })?;
    }
    coordinate.drained_blocking();
    for worker in 0..2 {
        let _ = coordinate.send_blocking(Event::Asked { worker })?;
        let Report { worker, jobs, work } = coordinate.recv_blocking()?;
        println!("worker {worker}: {jobs} jobs, {work} units of work");
    }
    // ANCHOR_END: run
    Ok(())
}
