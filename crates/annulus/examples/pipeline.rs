//! Three connected kernels: lines of text become readings, readings become degrees Celsius, and these become a
//! day's summary of each station.
//!
//! `cargo run -p annulus --example pipeline -- [cpu|opencl|cuda]`
//!
//! The host sends to the first and receives from the last. In between the messages go from kernel to kernel; on a
//! device they stay in its memory.

mod common;

use std::{fmt::Debug, time::Duration};

use annulus::{DeadLetters, prelude::*};

const STATIONS: u64 = 3;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Line {
    text: Text<24>,
}

/// Tenths of a degree Fahrenheit.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Reading {
    station: u32,
    fahrenheit: i32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Celsius {
    #[ring(key)]
    station: u32,
    degrees: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Summary {
    station: u32,
    low: f32,
    mean: f32,
    high: f32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Day {
    count: u32,
    low: f32,
    high: f32,
    sum: f32,
}

const NO_NUMBER: Failure = Failure::of(1);
const TOO_HOT: Failure = Failure::of(2);

/// Digits up to a space or the end; a point is passed over.
#[device_fn]
fn number(line: &Line, from: usize) -> Result<(i32, usize), Failure> {
    let mut value = 0;
    let mut digits = 0;
    let mut at = from;
    while at < line.text.len as usize && line.text.items[at] != b' ' {
        match line.text.items[at] {
            b'.' => {}
            byte @ b'0'..=b'9' => {
                value = value * 10 + i32::from(byte - b'0');
                digits += 1;
            }
            _ => return Err(NO_NUMBER),
        }
        at += 1;
    }
    if digits == 0 { Err(NO_NUMBER) } else { Ok((value, at + 1)) }
}

/// "2 39.0": the station, and degrees Fahrenheit with one decimal.
#[ring_kernel(mode = Batch)]
fn parse(line: &Line, readings: &Outbox<Reading>) -> Result<(), Failure> {
    let (station, next) = number(line, 0)?;
    let (fahrenheit, _) = number(line, next)?;
    readings.send(Reading { station: station as u32, fahrenheit });
    Ok(())
}

#[ring_kernel(mode = Batch)]
fn convert(reading: &Reading, out: &Outbox<Celsius>) -> Result<(), Failure> {
    let degrees = (reading.fahrenheit as f32 / 10.0 - 32.0) / 1.8;
    if degrees > 60.0 {
        return Err(TOO_HOT);
    }
    out.send(Celsius { station: reading.station, degrees });
    Ok(())
}

/// A summary after every fourth reading of a station.
#[ring_kernel(mode = Batch)]
fn summarise(reading: &Celsius, day: &mut Day, summaries: &Outbox<Summary>) {
    let degrees = reading.degrees;
    let first = day.count == 0;
    day.low = if first { degrees } else { day.low.min(degrees) };
    day.high = if first { degrees } else { day.high.max(degrees) };
    day.sum += degrees;
    day.count += 1;
    if day.count == 4 {
        let mean = day.sum / 4.0;
        summaries.send(Summary { station: reading.station, low: day.low, mean, high: day.high });
        *day = Day::default();
    }
}

/// What failed where, and why.
fn show<M: RingMessage + Debug>(dead_letters: Option<&DeadLetters<M>>) {
    for dead_letter in dead_letters.map(|dead_letters| dead_letters.take_batch()).unwrap_or_default() {
        println!("{:?}: {}", dead_letter.message, dead_letter.reason);
    }
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        // Targets first, and sources into them. A target says at its launch that it is one.
        let target = LaunchOptions::production().connectable(true);
        let summarise = summarise::launch(runtime, target.clone().actors(STATIONS))?;
        let convert = convert::launch_into(&summarise, target)?;
        let parse = parse::launch_into(&convert, LaunchOptions::production())?;

        let day = [39.0, 51.8, 60.8, 46.4];
        let mut lines = Vec::new();
        for text in ["2 warm", "1 451.0", "7 60.8"] {
            lines.push(Line { text: Text::new(text)? });
        }
        for station in 0..STATIONS {
            for fahrenheit in day {
                lines.push(Line {
                    text: Text::new(&format!("{station} {:.1}", fahrenheit + station as f32 * 9.0))?,
                });
            }
        }
        parse.send_batch_blocking(&lines)?;

        // The last kernel is drained when it and all that lead to it have handled everything.
        summarise.drained_blocking();
        let mut summaries: Vec<Summary> = std::iter::from_fn(|| summarise.try_recv().ok()).collect();
        summaries.sort_by_key(|summary| summary.station);
        for Summary { station, low, mean, high } in summaries {
            println!("station {station}: {low:5.1} to {high:5.1} °C, mean {mean:5.1}");
        }
        show(parse.dead_letters());
        show(convert.dead_letters());
        show(summarise.dead_letters());

        // Sources first, so that nothing is lost between them.
        for (name, outcome) in runtime.shutdown_blocking(Duration::from_secs(30)) {
            println!("{name}: {outcome:?}");
        }
        println!("{}", summarise.status());
        Ok(())
    })
}
