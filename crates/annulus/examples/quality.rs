//! Quality control with an error branch: what is valid goes on to two more kernels, and what is not to a third, by
//! an outbox of its own.
//!
//! `cargo run -p annulus --example quality -- [cpu|opencl]`

mod common;

use std::time::Duration;

use annulus::prelude::*;

const MACHINES: u32 = 3;
/// Parts of a machine that make a window.
const WINDOW: u32 = 5;

/// What a scale says of a part.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Weighed {
    machine: u32,
    number: u32,
    volts: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Part {
    #[ring(key)]
    machine: u32,
    grams: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Refused {
    number: u32,
    volts: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Report {
    count: u32,
    number: u32,
    volts: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Mean {
    machine: u32,
    window: u32,
    grams: f32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Window {
    number: u32,
    count: u32,
    sum: f32,
}

/// What the scale cannot have meant is told; the rest goes on.
#[ring_kernel(mode = Batch)]
fn validate(weighed: &Weighed, good: &Outbox<Weighed>, bad: &Outbox<Refused>) {
    let Weighed { number, volts, .. } = *weighed;
    if (volts - 2.5).abs() < 2.5 && weighed.machine < MACHINES {
        good.send(*weighed);
    } else {
        bad.send(Refused { number, volts });
    }
}

/// From volts to grams.
#[ring_kernel(mode = Batch)]
fn transform(weighed: &Weighed, parts: &Outbox<Part>) {
    parts.send(Part { machine: weighed.machine, grams: weighed.volts * 100.0 });
}

/// The mean of each machine's windows.
#[ring_kernel(mode = Batch)]
fn aggregate(part: &Part, window: &mut Window, means: &Outbox<Mean>) {
    window.count += 1;
    window.sum += part.grams;
    if window.count == WINDOW {
        let grams = window.sum / WINDOW as f32;
        means.send(Mean { machine: part.machine, window: window.number, grams });
        *window = Window { number: window.number + 1, ..Window::default() };
    }
}

/// Numbers what is refused.
#[ring_kernel(mode = Batch)]
fn report(refused: &Refused, count: &mut u32, reports: &Outbox<Report>) {
    *count += 1;
    reports.send(Report { count: *count, number: refused.number, volts: refused.volts });
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        // Targets first, and sources into them.
        let target = LaunchOptions::production().connectable(true);
        let aggregate = aggregate::launch(runtime, target.clone().actors(MACHINES.into()))?;
        let transform = transform::launch_into(&aggregate, target)?;
        let report = report::launch(runtime, LaunchOptions::production().connectable(true))?;
        let validate =
            validate::bind().connect_port(validate::GOOD, &transform).connect_port(validate::BAD, &report);
        let validate = validate.launch(runtime, LaunchOptions::production())?;

        let mut weighed = Vec::new();
        for number in 0..36 {
            let volts = match number {
                7 => f32::NAN,
                13 => -0.5,
                29 => 9.0,
                _ => 2.0 + (number * 7 % 10) as f32 / 100.0,
            };
            weighed.push(Weighed { machine: number % MACHINES, number, volts });
        }
        validate.send_batch_blocking(&weighed)?;

        // Drained is the last kernel when all that lead to it are.
        aggregate.drained_blocking();
        let mut means: Vec<Mean> = std::iter::from_fn(|| aggregate.try_recv().ok()).collect();
        means.sort_by_key(|mean| (mean.machine, mean.window));
        for Mean { machine, window, grams } in means {
            println!("machine {machine}, window {window}: {grams:.1} g");
        }
        report.drained_blocking();
        for Report { count, number, volts } in std::iter::from_fn(|| report.try_recv().ok()) {
            println!("refused, {count}: part {number}, {volts} V");
        }
        for port in validate.status().ports {
            println!("{}: {} sent on, {} lost", port.name, port.sent, port.lost);
        }

        for (name, outcome) in runtime.shutdown_blocking(Duration::from_secs(30)) {
            println!("{name}: {outcome:?}");
        }
        println!("{}", aggregate.status());
        Ok(())
    })
}
