//! How many different visitors were there? HyperLogLog answers within a few of a hundred, in 4 KiB that never grow.
//!
//! `cargo run -p annulus --example visitors -- [cpu|opencl]`
//!
//! Two blocks fill the registers at the same time: `fetch_max` makes that right in any order.

#![allow(clippy::disallowed_types)] // This repository's own rule for protocols, not for the counters of a kernel.

mod common;

use std::{
    collections::HashSet,
    sync::atomic::{AtomicU32, Ordering},
};

use annulus::prelude::*;

use common::Random;

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Visit {
    By { visitor: u64 },
    HowMany,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Estimate {
    visitors: f32,
}

/// A function of yours that a device has too.
#[device_fn]
fn scatter(key: u64) -> u64 {
    let key = (key ^ (key >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let key = (key ^ (key >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    key ^ (key >> 33)
}

#[ring_kernel(mode = Batch)]
fn distinct(visit: &Visit, registers: &[AtomicU32], estimates: &Outbox<Estimate>) {
    if let Visit::By { visitor } = *visit {
        // One in 2^n hashes begins with n zeros: the longest run of zeros says how many there were.
        let hash = scatter(visitor);
        let register = (hash >> 32) as usize % registers.len();
        registers[register].fetch_max((hash as u32).leading_zeros() + 1, Ordering::Relaxed);
        return;
    }
    let count = registers.len() as f32;
    let (mut sum, mut empty) = (0.0f32, 0.0f32);
    for register in registers {
        let rank = register.load(Ordering::Relaxed);
        sum += 1.0 / (1u64 << rank) as f32;
        if rank == 0 {
            empty += 1.0;
        }
    }
    let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
    // While there are few, the registers that are still empty tell more.
    let few = raw <= 2.5 * count && empty > 0.0;
    estimates.send(Estimate { visitors: if few { count * (count / empty).ln() } else { raw } });
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let kernel = distinct::bind(&[0; 1024]).launch(runtime, LaunchOptions::production().grid(2))?;
        let mut random = Random(3);
        let mut exact = HashSet::new();
        let mut visits = 0;
        println!("    visits   visitors   estimate     off");
        for steps in [100, 1_000, 10_000, 100_000, 400_000] {
            while visits < steps {
                // Some come often: the smaller of two numbers is small more often.
                let visitor = (random.number() % 300_000).min(random.number() % 300_000);
                exact.insert(visitor);
                let _ = kernel.send_blocking(Visit::By { visitor })?;
                visits += 1;
            }
            kernel.drained_blocking();
            let estimate = kernel.call_blocking(Visit::HowMany)?.visitors;
            let off = 100.0 * (estimate - exact.len() as f32) / exact.len() as f32;
            println!("{visits:10} {:10} {estimate:10.0} {off:6.1}%", exact.len());
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
