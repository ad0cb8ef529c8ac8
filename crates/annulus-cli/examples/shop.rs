//! A shop's kernels, with nested types, failures, messages for later, a question to another kernel, and a bridged message:
//!
//! ```sh
//! cargo run -q -p annulus-cli --example shop -- run --list
//! echo '{"Buy": {"cart": 3, "item": {"number": 7, "pieces": 2}}}' | cargo run -q -p annulus-cli --example shop -- send carts
//! ```

use annulus::{Topic, message::Archived, prelude::*};

/// What somebody buys.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Item {
    number: u32,
    pieces: u16,
}

/// Why a cart is closed.
#[derive(DeviceType, Clone, Copy)]
#[repr(u32)]
#[allow(dead_code)] // Of some variants the layout is looked at.
enum Why {
    Paid(u64),
    Left { after_ms: u32 },
    Broken,
}

/// What happens to a cart.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
#[allow(dead_code)] // Who sends to it makes its messages.
enum CartEvent {
    Buy {
        #[ring(key)]
        cart: u32,
        item: Item,
    },
    Close {
        #[ring(key)]
        cart: u32,
        why: Why,
    },
}

/// A cart at its end.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Closed {
    cart: u32,
    why: Why,
}

/// A bought item, for who packs.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Packed {
    item: Item,
}

/// Why an event is refused.
#[derive(ErrorCode, Clone, Copy)]
enum Refusal {
    /// An item without pieces
    NoPieces = 1,
}

/// Takes items, and reminds itself of each cart an hour after.
#[ring_kernel(timers = 64, actors = 8)]
fn carts(
    event: &CartEvent,
    items: &mut u32,
    later: &Later<CartEvent>,
    closed: &Outbox<Closed>,
    packed: &Outbox<Packed>,
) -> Result<(), Refusal> {
    match *event {
        CartEvent::Buy { cart, item } => {
            if item.pieces == 0 {
                return Err(Refusal::NoPieces);
            }
            *items += u32::from(item.pieces);
            later.send_after(
                CartEvent::Close { cart, why: Why::Left { after_ms: 3_600_000 } },
                3_600_000_000_000,
            );
            packed.send(Packed { item });
        }
        CartEvent::Close { cart, why } => closed.send(Closed { cart, why }),
    }
    Ok(())
}

/// A question for a price.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Query {
    item: u32,
}

/// A price.
#[derive(RingMessage, Clone, Copy, Default)]
#[repr(C)]
struct Price {
    cents: u64,
}

/// The answer to a question.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Priced {
    price: Answer<Price>,
}

/// What happens at the till.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum TillEvent {
    #[ring(from)]
    Query(Query),
    #[ring(from)]
    Priced(Priced),
}

/// Asks for a price, and tells it.
#[ring_kernel]
fn till(event: &TillEvent, sold: &Outbox<Price>, price: &Ask<Query, Priced>) {
    match event {
        TillEvent::Query(query) => {
            let awaited = Priced { price: Answer { ended: 0, code: 0, value: Price { cents: 0 } } };
            price.send(*query, awaited, 60_000_000_000);
        }
        TillEvent::Priced(priced) => sold.send(priced.price.value),
    }
}

/// Knows prices.
#[ring_kernel]
fn catalogue(query: &Query, prices: &Outbox<Price>) {
    prices.send(Price { cents: 10 * u64::from(query.item) });
}

/// Where changed prices are told.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Board {
    topic: Topic,
    above: u64,
}

/// Publishes prices.
#[ring_kernel]
fn board(price: &Price, board: &Board, out: &Outbox<Published<Price>>) {
    if price.cents >= board.above {
        out.send(Published { topic: board.topic, message: *price });
    }
}

/// A letter of a customer.
#[derive(RingMessage, Clone)]
#[ring(bridged)]
#[allow(dead_code)] // The archive has them.
struct Letter {
    from: u32,
    text: String,
}

/// Reads letters.
#[ring_kernel]
fn letters(letter: &Archived<Letter>, prices: &Outbox<Price>) {
    prices.send(Price { cents: u64::from(letter.from.to_native()) });
}

fn main() -> std::process::ExitCode {
    annulus_cli::main()
}
