use std::{error::Error, time::Duration};

use annulus::{BackendSource, prelude::*};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Celsius {
    degrees: f32,
}

#[ring_kernel]
fn thermostat(reading: &Celsius, warmest: &mut f32) {
    if reading.degrees > 90.0 {
        device_print!("{:.1} degrees", reading.degrees);
    }
    *warmest = warmest.max(reading.degrees);
}

fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: fallback
    let backend = Backend::Cuda
        .or_else(|error| {
            eprintln!("no CUDA: {error}");
            Backend::OpenCl
        })
        .or_else(|error| {
            eprintln!("no OpenCL: {error}");
            Backend::Cpu
        });
    let runtime = Runtime::builder().backend(backend).build()?;
    // ANCHOR_END: fallback

    // ANCHOR: prints
    // What handlers print is an event of `tracing`, whatever they run on.
    let subscriber = tracing_subscriber::fmt().with_ansi(false).without_time().finish();
    tracing::subscriber::set_global_default(subscriber)?;
    // ANCHOR_END: prints

    // ANCHOR: shutdown
    let kernel = thermostat::launch(&runtime, LaunchOptions::production())?;
    for degrees in [21.5, 93.25, 40.0] {
        let _ = kernel.send_blocking(Celsius { degrees })?;
    }
    for (name, outcome) in runtime.shutdown_blocking(Duration::from_secs(10)) {
        println!("{name}: {outcome:?}");
    }
    // ANCHOR_END: shutdown
    Ok(())
}
