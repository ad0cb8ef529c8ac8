//! One count on two devices. A kernel on the CPU lets visitors in; two others count the different ones, one on the CPU
//! and one on the device that you name. A bridge carries the visits to both, and the two counts become one.
//!
//! `cargo run -p annulus --example devices -- [cpu|opencl]`

#![allow(clippy::disallowed_types)] // This repository's own rule for protocols, not for the counters of a kernel.

mod common;

use std::{
    collections::HashSet,
    sync::atomic::{AtomicU32, Ordering},
};

use annulus::{BridgeOptions, Cpu, KernelGroup, prelude::*};

use common::Random;

// ANCHOR: kernels
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Request {
    visitor: u64,
    is_robot: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Visit {
    visitor: u64,
}

/// Robots stay outside.
#[ring_kernel(mode = Batch)]
fn admit(request: &Request, admitted: &Outbox<Visit>) {
    if request.is_robot == 0 {
        admitted.send(Visit { visitor: request.visitor });
    }
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Visit(Visit),
    HowMany,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Counted {
    visits: u32,
    visitors: f32,
}

/// Estimates how many different visitors there were: HyperLogLog, as in the example `visitors`.
#[ring_kernel(mode = Batch)]
fn count(event: &Event, registers: &[AtomicU32], visits: &[AtomicU32], counted: &Outbox<Counted>) {
    match event {
        Event::Visit(visit) => {
            let hash = scatter(visit.visitor);
            let register = (hash >> 32) as usize % registers.len();
            registers[register].fetch_max((hash as u32).leading_zeros() + 1, Ordering::Relaxed);
            visits[0].fetch_add(1, Ordering::Relaxed);
        }
        Event::HowMany => {
            let count = registers.len() as f32;
            let mut sum = 0.0f32;
            for register in registers {
                sum += 1.0 / (1u64 << register.load(Ordering::Relaxed)) as f32;
            }
            let visitors = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
            counted.send(Counted { visits: visits[0].load(Ordering::Relaxed), visitors });
        }
    }
}
// ANCHOR_END: kernels

#[device_fn]
fn scatter(key: u64) -> u64 {
    let key = (key ^ (key >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let key = (key ^ (key >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    key ^ (key >> 33)
}

fn main() -> std::process::ExitCode {
    common::run(|device| {
        let cpu = Runtime::builder().backend(Cpu::new()).build()?;
        // ANCHOR: launch
        let admit = admit::launch(&cpu, LaunchOptions::production())?;
        let counting = |runtime, name| {
            count::bind(&[0; 1024], &[0]).launch(runtime, LaunchOptions::production().name(name).grid(2))
        };
        let group = KernelGroup::new([counting(&cpu, "counts here")?, counting(device, "counts there")?])?;
        // Each visit goes to the member where fewest wait; with keys it would go to the member of its actor.
        admit.bridge_to_group(&group, BridgeOptions::new(), Backpressure::Block)?;
        // ANCHOR_END: launch

        let mut random = Random(5);
        let (mut exact, mut requests) = (HashSet::new(), 0);
        for _ in 0..200 {
            let batch: Vec<_> = (0..1000)
                .map(|_| Request {
                    visitor: random.number() % 50_000,
                    is_robot: u32::from(random.number().is_multiple_of(4)),
                })
                .collect();
            requests += batch.len();
            exact.extend(batch.iter().filter(|request| request.is_robot == 0).map(|request| request.visitor));
            admit.send_batch_blocking(&batch)?;
        }

        // ANCHOR: end
        // Until `admit` has handled all, nothing is left on the bridge, and the members have handled what came over it.
        group.drained_blocking();

        let each = group.gather_blocking(Event::HowMany)?;
        let visits: u32 = each.iter().map(|counted| counted.visits).sum();
        println!("{requests} requests, {visits} visits of {} visitors", exact.len());

        // Of each register the larger one of the two counts, which both have from then on.
        group.all_reduce_memory_blocking("registers", u32::max)?;
        for counted in group.gather_blocking(Event::HowMany)? {
            println!("estimated: {:.0}", counted.visitors);
        }
        // ANCHOR_END: end
        println!("{}", group.members()[1].status());
        Ok(())
    })
}
