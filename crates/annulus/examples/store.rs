//! A store's ledger: what happens to messages that fail, and how they get another try.
//!
//! `cargo run -p annulus --example store -- [cpu|opencl]`
//!
//! A handler that returns an error leaves nothing behind but its code. The message becomes a dead letter, which can be read, or sent
//! again when what was missing is there.

mod common;

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
enum Order {
    Deliver {
        #[ring(key)]
        article: u32,
        pieces: u32,
    },
    Sell {
        #[ring(key)]
        article: u32,
        pieces: u32,
    },
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Stock {
    article: u32,
    pieces: u32,
}

/// An article's state.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Shelf {
    pieces: u32,
    sold: u32,
}

/// The application's own error codes.
const OUT_OF_STOCK: Failure = Failure::of(1);
const SHELF_FULL: Failure = Failure::of(2);

#[ring_kernel]
fn ledger(order: &Order, shelf: &mut Shelf, stocks: &Outbox<Stock>) -> Result<(), Failure> {
    let article = match *order {
        Order::Deliver { article, pieces } => {
            shelf.pieces += pieces;
            if shelf.pieces > 100 {
                // The pieces were put there above; that the handler fails takes it back.
                return Err(SHELF_FULL);
            }
            article
        }
        Order::Sell { article, pieces } => {
            shelf.pieces = shelf.pieces.checked_sub(pieces).ok_or(OUT_OF_STOCK)?;
            shelf.sold += pieces;
            article
        }
    };
    stocks.send(Stock { article, pieces: shelf.pieces });
    Ok(())
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let kernel = ledger::launch(runtime, LaunchOptions::production().actors(4))?;
        let orders = [
            Order::Deliver { article: 1, pieces: 60 },
            Order::Sell { article: 2, pieces: 5 },
            Order::Deliver { article: 1, pieces: 60 },
            Order::Sell { article: 1, pieces: 45 },
            Order::Sell { article: 1, pieces: 20 },
            Order::Sell { article: 3, pieces: 1 },
        ];
        let show = || {
            kernel.drained_blocking();
            while let Ok(Stock { article, pieces }) = kernel.try_recv() {
                println!("  article {article}: {pieces} pieces");
            }
        };
        println!("the first try of {} orders", orders.len());
        kernel.send_batch_blocking(&orders)?;
        show();
        println!("{} of them failed", kernel.status().drops.failed);

        println!("after a delivery of article 2, another try");
        let _ = kernel.send_blocking(Order::Deliver { article: 2, pieces: 8 })?;
        show();
        let again = kernel.redrive(2);
        show();
        println!("{} were sent again; these failed once more:", again.sent);
        let dead_letters =
            kernel.dead_letters().map(|dead_letters| dead_letters.take_batch()).unwrap_or_default();
        for dead_letter in dead_letters {
            println!("  {:?}: {}", dead_letter.message, dead_letter.reason);
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
