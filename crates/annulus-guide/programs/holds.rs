use std::error::Error;

use annulus::prelude::*;

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    celsius: f32,
}

/// Hot readings are for an alarm, and all for an archive.
#[ring_kernel(hold = 64)]
fn split(reading: &Reading, hot: &Outbox<Reading>, all: &Outbox<Reading>) {
    all.send(*reading);
    if reading.celsius > 100.0 {
        hot.send(*reading);
    }
}

#[ring_kernel(connectable = true)]
fn take(reading: &Reading, out: &Outbox<Reading>) {
    out.send(*reading);
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: run
    let alarm = take::launch(&runtime, take::options().name("alarm"))?;
    // The archive takes nothing for now, and has room for 16 readings.
    let options = take::options().name("archive").capacity(16).active(false);
    let archive = take::launch(&runtime, options)?;
    let split = split::bind()
        .connect_port(split::HOT, &alarm)
        .connect_port(split::ALL, &archive)
        .launch(&runtime, split::options())?;

    for number in 0..40 {
        let _ = split.send_blocking(Reading { celsius: 81.0 + number as f32 })?;
    }
    // 20 of them are hot. None waits for the archive.
    let mut hottest = alarm.recv_blocking()?;
    for _ in 1..20 {
        hottest = alarm.recv_blocking()?;
    }
    println!("{} degrees; the archive has handled {}", hottest.celsius, archive.status().processed);

    archive.activate_blocking()?;
    for _ in 0..40 {
        archive.recv_blocking()?;
    }
    archive.drained_blocking();
    println!("{} are in the archive, and {} wait", archive.status().processed, split.status().ports[1].held);
    // ANCHOR_END: run
    Ok(())
}
