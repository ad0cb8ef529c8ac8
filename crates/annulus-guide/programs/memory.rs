use std::error::Error;

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    value: f32,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
struct Mean {
    sum: f64,
    count: u64,
}

#[ring_kernel]
fn average(reading: &Reading, limits: &[f32], mean: &mut Mean) {
    if reading.value < limits[0] {
        mean.sum += f64::from(reading.value);
        mean.count += 1;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
    // ANCHOR: memory
    let options = LaunchOptions::production().capacity(1024).grid(2).actors(10_000);
    let memory = average::bind(&[100.0]).memory(&runtime, options.clone())?;
    for (part, place, bytes) in memory.parts_and_places() {
        if bytes != 0 {
            println!("{part}: {bytes} bytes, {place}");
        }
    }

    let kernel = average::bind(&[100.0]).launch(&runtime, options)?;
    assert_eq!(kernel.status().memory, memory);
    println!("{} bytes", memory.total());
    // ANCHOR_END: memory
    Ok(())
}
