//! A keyed service: a rate limiter, asked by many threads, with time-outs and a graceful end.
//!
//! `cargo run -p annulus --example service -- [cpu|opencl|cuda]`
//!
//! Each client is an actor with a bucket of tokens. A request takes tokens out; time puts them back. Time comes
//! with the message, so that the kernel needs no clock, and a test can say what time it is.

mod common;

use std::{thread, time::Duration};

use annulus::{CallError, prelude::*};

const CLIENTS: u32 = 4;
const FULL: u32 = 10;
/// How long a caller waits for a verdict before it does without.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Request {
    #[ring(key)]
    client: u32,
    tokens: u32,
    /// Milliseconds since the service began.
    at: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Verdict {
    granted: bool,
    left: u32,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Bucket {
    tokens: u32,
    filled_at: u64,
}

/// What each actor begins with.
impl Default for Bucket {
    fn default() -> Self {
        Self { tokens: FULL, filled_at: 0 }
    }
}

/// The application's own error code: no bucket is that large.
const NEVER: Failure = Failure::of(1);

#[ring_kernel(mode = Adaptive)]
fn limit(request: &Request, bucket: &mut Bucket, verdicts: &Outbox<Verdict>) -> Result<(), Failure> {
    if request.tokens > FULL {
        return Err(NEVER);
    }
    // A token every 100 milliseconds.
    let fresh = request.at.saturating_sub(bucket.filled_at) / 100;
    bucket.tokens = (u64::from(bucket.tokens) + fresh).min(u64::from(FULL)) as u32;
    bucket.filled_at += fresh * 100;

    let granted = bucket.tokens >= request.tokens;
    if granted {
        bucket.tokens -= request.tokens;
    }
    verdicts.send(Verdict { granted, left: bucket.tokens });
    Ok(())
}

/// One client's afternoon: what it asked for, and what it got.
fn client(kernel: &KernelHandle<limit>, client: u32) -> String {
    let mut line = format!("client {client}:");
    for at in [0, 50, 120, 1000, 1100] {
        let tokens = 3 + client * 3;
        match kernel.call_timeout(Request { client, tokens, at }, PATIENCE) {
            Ok(Verdict { granted: true, left }) => line += &format!("  {tokens} granted, {left} left;"),
            Ok(Verdict { granted: false, left }) => line += &format!("  {tokens} refused, {left} left;"),
            Err(CallError::Failed { code, .. }) if code == NEVER.code() => {
                line += &format!("  {tokens} is too many;")
            }
            // Nobody knows whether the kernel has handled the message, or will.
            Err(CallError::Timeout) => line += "  no answer in time;",
            Err(error) => line += &format!("  {error};"),
        }
    }
    line
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let options =
            LaunchOptions::low_latency().actors(CLIENTS.into()).grid(2).backpressure(Backpressure::Block);
        let kernel = limit::launch(runtime, options)?;

        // A handle can be shared and cloned; all clones are the same kernel.
        let lines = thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|number| {
                    scope.spawn({
                        let kernel = &kernel;
                        move || client(kernel, number)
                    })
                })
                .collect();
            clients.into_iter().map(|client| client.join()).collect::<Result<Vec<_>, _>>()
        });
        for line in lines.map_err(|_| "a client panicked")? {
            println!("{line}");
        }

        // The graceful end: no new messages, all that were sent are handled, then the kernel ends. What is not
        // handled within the limit comes back.
        let shutdown = kernel.shutdown_blocking(PATIENCE);
        println!("{:?}, {} requests undelivered", shutdown.outcome, shutdown.undelivered.len());
        match kernel.call_blocking(Request { client: 0, tokens: 1, at: 2000 }) {
            Ok(_) => println!("a closed kernel answered"),
            Err(error) => println!("a late client: {error}"),
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
