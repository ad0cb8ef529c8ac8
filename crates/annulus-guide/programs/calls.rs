use std::{error::Error, time::Duration};

use annulus::{CallError, prelude::*};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Take {
    #[ring(key)]
    article: u32,
    pieces: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Left {
    pieces: u32,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Shelf {
    pieces: u32,
}

impl Default for Shelf {
    fn default() -> Self {
        Self { pieces: 10 }
    }
}

// ANCHOR: handler
const SOLD_OUT: Failure = Failure::of(1);

#[ring_kernel]
fn shelves(take: &Take, shelf: &mut Shelf, replies: &Outbox<Left>) -> Result<(), Failure> {
    shelf.pieces = shelf.pieces.checked_sub(take.pieces).ok_or(SOLD_OUT)?;
    replies.send(Left { pieces: shelf.pieces });
    Ok(())
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    let kernel = shelves::launch(&runtime, LaunchOptions::production().actors(100))?;
    // ANCHOR: calls
    let left = kernel.call_blocking(Take { article: 5, pieces: 7 })?;
    println!("{} left", left.pieces);

    match kernel.call_timeout(Take { article: 5, pieces: 7 }, Duration::from_secs(10)) {
        Ok(left) => println!("{} left", left.pieces),
        Err(CallError::Failed { code, .. }) if code == SOLD_OUT.code() => println!("not that many"),
        Err(CallError::Timeout) => println!("too slow"),
        Err(other) => return Err(other.into()),
    }

    // The failed call has changed nothing.
    println!("{} left", kernel.call_blocking(Take { article: 5, pieces: 1 })?.pieces);
    // ANCHOR_END: calls
    Ok(())
}
