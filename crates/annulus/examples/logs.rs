//! Watches a log of network connections: lines are parsed, doubles dropped, urgent lines taken first, and
//! alerts raised, all by a kernel.
//!
//! `cargo run -p annulus --example logs -- [cpu|opencl]`
//!
//! The log is one that Zeek wrote of a machine with malware (`data/conn.log`, from the Zeek Analysis Tools,
//! under the licence in `data/conn.LICENSE`). What is odd about the machine: it talks to a server that sends
//! it large files, and calls a hundred strangers on one port, who do not answer.

mod common;

use std::net::Ipv4Addr;

use annulus::prelude::*;

// ANCHOR: line
/// A line as it was written.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Line {
    #[ring(priority)]
    urgency: u8,
    text: Text<191>,
}
// ANCHOR_END: line

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Alert {
    /// So many calls on a port were not answered; the last one went to this address.
    Unanswered { port: u32, calls: u32, address: u32 },
    /// A connection brought so many bytes.
    Large { port: u32, address: u32, bytes: u64 },
}

/// Calls on a port that were not answered.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Calls {
    port: u32,
    unanswered: u32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Seen {
    calls: [Calls; 16],
}

/// How many fields a line has, divided by tabs.
const FIELDS: usize = 20;
const ADDRESS: usize = 4;
const PORT: usize = 5;
const RECEIVED: usize = 10;
const STATE: usize = 11;

const NO_CONNECTION: Failure = Failure::of(1);

// ANCHOR: number
/// The number that the text begins with.
#[device_fn]
fn number(text: &[u8]) -> u64 {
    let mut value = 0u64;
    for digit in text {
        if *digit < b'0' || *digit > b'9' {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add((*digit - b'0') as u64);
    }
    value
}
// ANCHOR_END: number

/// The four numbers of an address, as one.
#[device_fn]
fn address(text: &[u8]) -> u32 {
    let (mut value, mut part) = (0u32, 0u32);
    for byte in text {
        if *byte == b'.' {
            value = value.wrapping_mul(256).wrapping_add(part);
            part = 0;
        } else {
            part = part.wrapping_mul(10).wrapping_add((*byte as u32).wrapping_sub(48));
        }
    }
    value.wrapping_mul(256).wrapping_add(part)
}

// ANCHOR: handler
#[ring_kernel(deduplication = ByPayload, deduplication_window = 512, priority = true, capacity = 512)]
fn watch(line: &Line, seen: &mut Seen, alerts: &Outbox<Alert>) -> Result<(), Failure> {
    let text = &line.text.items[..line.text.len as usize];
    // Where each field begins. The last entry is where one more would begin.
    let mut begins = [0usize; FIELDS + 1];
    let mut fields = 1;
    for (at, byte) in text.iter().enumerate() {
        if *byte == b'\t' {
            if fields == FIELDS {
                return Err(NO_CONNECTION);
            }
            begins[fields] = at + 1;
            fields += 1;
        }
    }
    if fields != FIELDS {
        return Err(NO_CONNECTION);
    }
    begins[FIELDS] = text.len() + 1;
    let address = address(&text[begins[ADDRESS]..begins[ADDRESS + 1] - 1]);
    let port = number(&text[begins[PORT]..begins[PORT + 1] - 1]) as u32;
    let received = number(&text[begins[RECEIVED]..begins[RECEIVED + 1] - 1]);
    let state = &text[begins[STATE]..begins[STATE + 1] - 1];

    if state.len() == 2 && state[0] == b'S' && state[1] == b'0' {
        for i in 0..seen.calls.len() {
            if seen.calls[i].unanswered != 0 && seen.calls[i].port != port {
                continue;
            }
            seen.calls[i].port = port;
            seen.calls[i].unanswered += 1;
            let calls = seen.calls[i].unanswered;
            if calls.is_multiple_of(50) {
                alerts.send(Alert::Unanswered { port, calls, address });
            }
            break;
        }
    } else if received > 400_000 {
        alerts.send(Alert::Large { port, address, bytes: received });
    }
    Ok(())
}
// ANCHOR_END: handler

/// The lines as a forwarder sends them that is restarted after every hundred: it breaks off inside the line
/// that follows, and then goes back five lines.
fn forwarded(log: &str) -> Vec<&str> {
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with('#')).collect();
    let mut sent = Vec::new();
    for begin in (0..lines.len()).step_by(100) {
        sent.extend(&lines[begin.saturating_sub(5)..lines.len().min(begin + 100)]);
        sent.extend(lines.get(begin + 100).map(|line| &line[..40]));
    }
    sent
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let kernel = watch::launch(runtime, watch::options())?;
        // ANCHOR: send
        // All lines are there before the first is handled, so that the urgent ones can overtake.
        kernel.deactivate_blocking()?;
        let lines = forwarded(include_str!("data/conn.log"));
        for line in &lines {
            // A look that costs the host little: calls that were not answered, or broken off.
            let urgency = if line.contains("\tS0\t") || line.contains("\tRSTO\t") { 200 } else { 50 };
            let _ = kernel.send_blocking(Line { urgency, text: Text::new(line)? })?;
        }
        // ANCHOR_END: send
        let drops = kernel.status().drops;
        println!("{} lines were sent, of which {} were sent before", lines.len(), drops.duplicate);
        kernel.activate_blocking()?;
        kernel.drained_blocking();
        while let Ok(alert) = kernel.try_recv() {
            match alert {
                Alert::Unanswered { port, calls, address } => {
                    println!(
                        "port {port}: {calls} calls without an answer, now to {}",
                        Ipv4Addr::from(address)
                    );
                }
                Alert::Large { port, address, bytes } => {
                    println!("port {port}: {bytes} bytes from {}", Ipv4Addr::from(address));
                }
            }
        }
        let dead_letters =
            kernel.dead_letters().map(|dead_letters| dead_letters.take_batch()).unwrap_or_default();
        for dead_letter in dead_letters {
            println!("not a connection: {:?}", dead_letter.message.text.as_str()?);
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
