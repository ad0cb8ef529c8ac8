//! A rate limiter in front of a service: each client may make ten requests a second, and five at once. Clients are known by
//! a number of 64 bits, there are far more of them than fit into memory, and most come once. So keys are *sparse*, and
//! actors that are not used give way.
//!
//! `cargo run -p annulus --example limiter -- [cpu|opencl|cuda]`

use std::{collections::BTreeMap, env, error::Error, time::Duration};

use annulus::prelude::*;

/// A request.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Request {
    #[ring(key)]
    client: u64,
    /// In milliseconds.
    at: u64,
}

/// A request that is refused.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Refused {
    client: u64,
    at: u64,
    /// In milliseconds: after this time there is a token again.
    retry_after: u32,
}

// ANCHOR: handler
/// A client's bucket of tokens: five at most, and a new one every hundred milliseconds.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Bucket {
    /// When the last request came.
    last: u64,
    /// In hundredths of a token, and so one for each millisecond.
    tokens: u32,
}

/// It begins full.
impl Default for Bucket {
    fn default() -> Self {
        Self { last: 0, tokens: 500 }
    }
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
fn limit(request: &Request, bucket: &mut Bucket, refused: &Outbox<Refused>) {
    let passed = (request.at - bucket.last).min(500) as u32;
    bucket.tokens = (bucket.tokens + passed).min(500);
    bucket.last = request.at;
    if bucket.tokens >= 100 {
        bucket.tokens -= 100;
    } else {
        let retry_after = 100 - bucket.tokens;
        refused.send(Refused { client: request.client, at: request.at, retry_after });
    }
}
// ANCHOR_END: handler

/// How many clients are remembered.
const REMEMBERED: u64 = 1000;

/// Clients that come often, and every how many milliseconds.
const OFTEN: [(u64, u64); 3] = [(0xB07_0000_0001, 20), (0xB07_0000_0002, 50), (0x5A1E_0000_0003, 200)];

/// The requests of a minute: in each millisecond one of a client that comes once, and those of clients that come often.
fn requests() -> impl Iterator<Item = Request> {
    (0..60_000).flat_map(|at: u64| {
        let once = Request { client: (at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15), at };
        let often = OFTEN.into_iter().filter(move |(_, every)| at.is_multiple_of(*every));
        often.map(move |(client, _)| Request { client, at }).chain([once])
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let backend: Backend = env::args().nth(1).as_deref().unwrap_or("auto").parse()?;
    let runtime = Runtime::builder().backend(backend).build()?;

    // ANCHOR: launch
    // Any keys, 1000 of them at a time. When all places are in use, a client that has not come for long is forgotten.
    let options = LaunchOptions::production().actors(REMEMBERED).evict_actors(true);
    let limiter = limit::launch(&runtime, options)?;
    // ANCHOR_END: launch

    let mut refused = BTreeMap::<u64, (u64, u64)>::new();
    let mut outputs = Vec::new();
    for request in requests() {
        let _ = limiter.send_blocking(request)?;
        if request.at % 100 == 0 && limiter.try_recv_batch(&mut outputs, 1024).is_ok() {
            outputs.drain(..).for_each(|one: Refused| note(&mut refused, one));
        }
    }
    limiter.drained_blocking();
    while limiter.try_recv_batch(&mut outputs, 1024).is_ok() {
        outputs.drain(..).for_each(|one| note(&mut refused, one));
    }

    for (client, every) in OFTEN {
        let (count, longest) = refused.get(&client).copied().unwrap_or_default();
        let asked = 60_000 / every;
        println!(
            "client {client:#x}: {asked} requests, {count} refused, to come again within {longest} ms at most"
        );
    }
    println!("{} other clients, none of them refused", 60_000);
    assert!(refused.keys().all(|client| OFTEN.iter().any(|(often, _)| often == client)));

    limiter.shutdown_blocking(Duration::from_secs(5));
    println!("{}", limiter.status());
    Ok(())
}

fn note(refused: &mut BTreeMap<u64, (u64, u64)>, Refused { client, retry_after, .. }: Refused) {
    let (count, longest) = refused.entry(client).or_default();
    *count += 1;
    *longest = (*longest).max(retry_after.into());
}
