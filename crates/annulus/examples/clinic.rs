//! A clinic with three doors: queues with a rank and with weights in front of one kernel, and queues that live without a
//! kernel before and behind it.
//!
//! `cargo run -p annulus --example clinic -- [cpu|opencl]`
//!
//! Ambulances go first. Of the others, three with an appointment are seen for each one without.

mod common;

use std::process::ExitCode;

use annulus::{NamedQueue, Share, prelude::*, queue::QueueOptions};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Patient {
    number: u32,
    minutes: u32,
}

/// A treatment: by which door the patient came, and in which minute it began.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Treated {
    number: u32,
    door: u32,
    began: u32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Clock {
    minute: u32,
}

#[ring_kernel]
fn clinic(cx: &Cx, patient: &Patient, clock: &mut Clock, treated: &Outbox<Treated>) {
    treated.send(Treated { number: patient.number, door: cx.queue(), began: clock.minute });
    clock.minute += patient.minutes;
}

/// What `cx.queue()` says: the kernel's own queue, then the named ones.
const DOORS: [&str; 3] = ["walk-in", "ambulance", "appointment"];

fn main() -> ExitCode {
    common::run(|runtime| {
        let options = LaunchOptions::production()
            .active(false)
            .queue(NamedQueue::new("ambulance").capacity(16).share(Share::Rank(1)))
            .queue(NamedQueue::new("appointment").share(Share::Weight(3)));
        let kernel = clinic::launch(runtime, options)?;
        kernel.deactivate_blocking()?;

        // Whoever takes emergency calls needs to know no kernel, and whoever reads the log neither.
        let calls = runtime.queues().create::<Patient>(QueueOptions::realtime().name("calls"))?;
        let log = runtime.queues().create::<Treated>(QueueOptions::production().name("log"))?;
        let ambulances = kernel.queue("ambulance")?.consume(&calls);
        let written = kernel.publish_to(&log);

        let appointments = kernel.queue("appointment")?;
        for number in 0..8 {
            let _ = kernel.send_blocking(Patient { number, minutes: 10 })?;
            let _ = appointments.send_blocking(Patient { number: 100 + number, minutes: 15 })?;
        }
        for number in 200..203 {
            let _ =
                runtime.queues().get::<Patient>("calls")?.send_blocking(Patient { number, minutes: 40 })?;
        }
        println!(
            "{} wait; the first {} are called in already",
            kernel.status().pending,
            kernel.status().handed_over
        );
        kernel.activate_blocking()?;

        let mut waits = [(0, 0); DOORS.len()];
        for _ in 0..19 {
            let Treated { number, door, began } = log.recv_blocking()?;
            println!("{:>2}:{:02}  {:>3}  {}", 8 + began / 60, began % 60, number, DOORS[door as usize]);
            let (patients, minutes) = &mut waits[door as usize];
            (*patients, *minutes) = (*patients + 1, *minutes + began);
        }
        for (door, (patients, minutes)) in DOORS.iter().zip(waits) {
            println!("{door:>11}: {patients} patients, {} minutes on average", minutes / patients);
        }
        kernel.drained_blocking();
        calls.close();
        ambulances.ended_blocking();
        kernel.terminate_blocking();
        written.ended_blocking();
        println!(
            "{} came by ambulance, {} are in the log",
            ambulances.status().moved,
            written.status().moved
        );
        println!("{}", kernel.status());
        Ok(())
    })
}
