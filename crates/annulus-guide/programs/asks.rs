use std::error::Error;

use annulus::{ended, prelude::*};

// ANCHOR: messages
/// What the host sends.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    #[ring(key)]
    book: u32,
    item: u32,
    count: u64,
}

/// What is asked, and what is answered.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Query {
    item: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Price {
    cents: u64,
}

/// What comes of an ask: the answer, and beside it whatever the asker wants to find again.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Priced {
    #[ring(key)]
    book: u32,
    item: u32,
    count: u64,
    price: Answer<Price>,
}

/// What the kernel that asks takes.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Order(Order),
    #[ring(from)]
    Priced(Priced),
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Verdict {
    book: u32,
    item: u32,
    ended: u32,
    code: u32,
    /// What the book has come to.
    cents: u64,
}
// ANCHOR_END: messages

// ANCHOR: handlers
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Book {
    cents: u64,
}

#[ring_kernel]
fn risk(event: &Event, book: &mut Book, verdicts: &Outbox<Verdict>, price: &Ask<Query, Priced>) {
    match event {
        Event::Order(order) => {
            let price_of = Answer { ended: 0, code: 0, value: Price { cents: 0 } };
            let awaited = Priced { book: order.book, item: order.item, count: order.count, price: price_of };
            // The answer comes as an `Event::Priced`, within a second.
            price.send(Query { item: order.item }, awaited, 1_000_000_000);
        }
        Event::Priced(priced) => {
            let answer = &priced.price;
            if answer.ended == ended::ANSWERED {
                book.cents += answer.value.cents * priced.count;
            }
            verdicts.send(Verdict {
                book: priced.book,
                item: priced.item,
                ended: answer.ended,
                code: answer.code,
                cents: book.cents,
            });
        }
    }
}

const UNKNOWN: u16 = 7;

/// Knows the prices of a hundred items.
#[ring_kernel]
fn catalogue(query: &Query, prices: &Outbox<Price>) -> Result<(), Failure> {
    if query.item >= 100 {
        return Err(Failure::of(UNKNOWN));
    }
    prices.send(Price { cents: 10 + query.item as u64 });
    Ok(())
}
// ANCHOR_END: handlers

fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: run
    let runtime = Runtime::builder().build()?;
    // Room for so many asks: 64 of each block that asks.
    let options = LaunchOptions::production().through(64);
    let catalogue = catalogue::launch(&runtime, options.clone())?;
    let risk = risk::bind().connect_port(risk::PRICE, &catalogue).launch(&runtime, options.actors(4))?;

    for (book, item, count) in [(1, 5, 2), (2, 30, 1), (1, 100, 1), (1, 6, 10)] {
        let _ = risk.send_blocking(Event::Order(Order { book, item, count }))?;
        let Verdict { ended, code, cents, .. } = risk.port(risk::VERDICTS).recv_blocking()?;
        match ended {
            ended::ANSWERED => println!("book {book}, item {item}: the book has {cents} cents"),
            ended::FAILED => println!("book {book}, item {item}: refused with code {code}"),
            _ => println!("book {book}, item {item}: no answer"),
        }
    }
    let open = risk.status().timers.map_or(0, |timers| timers.asks);
    println!("{open} asks are open, {} queries were handled", catalogue.status().processed);
    // ANCHOR_END: run
    drop((risk, catalogue));
    Ok(())
}
