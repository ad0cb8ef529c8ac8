//! The `annulus` command for a kernel of one's own, which prints what it sees:
//!
//! ```sh
//! echo '{"fahrenheit": 451.0}' | cargo run -q -p annulus-cli --example thermometer -- send celsius
//! ```

use annulus::prelude::*;

/// A temperature as some write it.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    fahrenheit: f64,
}

/// The same as others do.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Celsius {
    degrees: f64,
}

/// Converts temperatures, and tells of those that paper does not survive.
#[ring_kernel]
fn celsius(reading: &Reading, answers: &Outbox<Celsius>) {
    let degrees = (reading.fahrenheit - 32.0) / 1.8;
    if degrees > 230.0 {
        annulus::device_print!("{degrees:.1} degrees: paper burns");
    }
    answers.send(Celsius { degrees });
}

fn main() -> std::process::ExitCode {
    annulus_cli::main()
}
