//! Kernels that trade.

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

/// What a trader wants.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Order {
    Buy {
        #[ring(key)]
        share: u32,
        price: u32,
        amount: u32,
    },
    Sell {
        #[ring(key)]
        share: u32,
        price: u32,
        amount: u32,
    },
    Clear {
        #[ring(key)]
        share: u32,
    },
}

/// The offers for one share, dearest last; amounts of 0 are free places.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Book {
    pub prices: [u32; 8],
    pub amounts: [u32; 8],
}

/// What changed hands.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Trade {
    pub price: u32,
    pub amount: u32,
}

/// There is no place left in the book.
pub const BOOK_FULL: Failure = Failure::of(100);

/// One step of an order book: a buyer takes the cheapest offers that suit, a seller adds one.
#[ring_kernel(max_outputs = 8)]
pub fn order_book(order: &Order, book: &mut Book, trades: &Outbox<Trade>) -> Result<(), Failure> {
    match *order {
        Order::Buy { price, amount, .. } => {
            let mut wanted = amount;
            while wanted > 0 {
                let mut best = book.prices.len();
                for i in 0..book.prices.len() {
                    let offered = book.amounts[i] > 0 && book.prices[i] <= price;
                    if offered && (best == book.prices.len() || book.prices[i] < book.prices[best]) {
                        best = i;
                    }
                }
                if best == book.prices.len() {
                    break;
                }
                let taken = wanted.min(book.amounts[best]);
                book.amounts[best] -= taken;
                wanted -= taken;
                trades.send(Trade { price: book.prices[best], amount: taken });
            }
        }
        Order::Sell { price, amount, .. } => {
            let mut place = 0;
            while book.amounts[place] != 0 {
                place += 1;
                if place == book.amounts.len() {
                    return Err(BOOK_FULL);
                }
            }
            book.prices[place] = price;
            book.amounts[place] = amount;
        }
        Order::Clear { .. } => *book = Book { prices: [0; 8], amounts: [0; 8] },
    }
    Ok(())
}

/// A trade of a share, at a time in seconds.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Deal {
    #[ring(key)]
    pub share: u32,
    pub time: u32,
    pub price: f32,
    pub amount: u32,
}

/// A minute of trades: first, highest, lowest and last price, and the mean price by amount.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Bar {
    pub share: u32,
    pub minute: u32,
    pub open: f32,
    pub high: f32,
    pub low: f32,
    pub close: f32,
    pub amount: u32,
    pub mean: f32,
}

/// Bars of a minute, each sent when the first trade of another minute comes.
#[ring_kernel]
pub fn bars(deal: &Deal, bar: &mut Bar, bars: &Outbox<Bar>) {
    let Deal { share, time, price, amount } = *deal;
    let minute = time / 60;
    if bar.amount > 0 && bar.minute != minute {
        bars.send(*bar);
        bar.amount = 0;
    }
    if amount == 0 {
        return;
    }
    if bar.amount == 0 {
        *bar = Bar { share, minute, open: price, high: price, low: price, close: price, amount, mean: price };
        return;
    }
    bar.high = bar.high.max(price);
    bar.low = bar.low.min(price);
    bar.close = price;
    bar.amount = bar.amount.saturating_add(amount);
    bar.mean += (price - bar.mean) * (amount as f32 / bar.amount as f32);
}

/// Which way an order goes.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Side {
    Buy,
    Sell,
}

/// An order with a limit, in ticks above the least price of its market.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Limit {
    #[ring(key)]
    pub market: u32,
    pub tick: u8,
    pub side: Side,
    pub amount: u32,
}

/// How much is bid or asked at each of 64 ticks, and at which of them there is anything.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Ladder {
    pub amounts: [u32; 64],
    pub bids: u64,
    pub asks: u64,
}

impl Default for Ladder {
    fn default() -> Self {
        Self { amounts: [0; 64], bids: 0, asks: 0 }
    }
}

/// No such tick.
pub const OFF_THE_LADDER: Failure = Failure::of(120);

#[device_impl]
impl Ladder {
    /// The tick of the best offer against which a side trades, if it suits the limit.
    fn best(&self, side: Side, limit: u32) -> Option<u32> {
        match side {
            Side::Buy if self.asks != 0 => {
                let best = self.asks.trailing_zeros();
                (best <= limit).then_some(best)
            }
            Side::Sell if self.bids != 0 => {
                let best = 63 - self.bids.leading_zeros();
                (best >= limit).then_some(best)
            }
            _ => None,
        }
    }
}

/// A matching engine with price levels: an order takes what suits it, best price first; the rest waits at its limit.
#[ring_kernel(max_outputs = 64)]
pub fn matching(order: &Limit, ladder: &mut Ladder, trades: &Outbox<Trade>) -> Result<(), Failure> {
    let limit = u32::from(order.tick);
    if limit >= 64 {
        return Err(OFF_THE_LADDER);
    }
    let mut left = order.amount;
    while left > 0 {
        let Some(tick) = ladder.best(order.side, limit) else { break };
        let there = &mut ladder.amounts[tick as usize];
        let taken = left.min(*there);
        *there -= taken;
        left -= taken;
        if *there == 0 {
            match order.side {
                Side::Buy => ladder.asks &= !(1 << tick),
                Side::Sell => ladder.bids &= !(1 << tick),
            }
        }
        trades.send(Trade { price: tick, amount: taken });
    }
    if left > 0 {
        let there = &mut ladder.amounts[limit as usize];
        *there = there.saturating_add(left);
        match order.side {
            Side::Buy => ladder.bids |= 1 << limit,
            Side::Sell => ladder.asks |= 1 << limit,
        }
    }
    Ok(())
}

/// A European option: prices in one currency, the rate and the volatility per year, the time in years.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Contract {
    pub spot: f32,
    pub strike: f32,
    pub rate: f32,
    pub volatility: f32,
    pub years: f32,
}

/// What an option is worth.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Premium {
    pub call: f32,
    pub put: f32,
}

/// The normal distribution, by Abramowitz and Stegun's approximation 26.2.17, which is good to 7.5e-8.
#[device_fn]
fn normal(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = [0.319_381_53, -0.356_563_78, 1.781_477_9, -1.821_255_9, 1.330_274_5];
    let mut sum = 0.0;
    for factor in polynomial.iter().rev() {
        sum = (sum + factor) * k;
    }
    let tail = 0.398_942_3 * (-x * x / 2.0).exp() * sum;
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// Black and Scholes' price of a call and a put.
#[ring_kernel]
pub fn black_scholes(contract: &Contract, premiums: &Outbox<Premium>) {
    let Contract { spot, strike, rate, volatility, years } = *contract;
    let spread = volatility * years.sqrt();
    let d1 = ((spot / strike).ln() + (rate + volatility * volatility / 2.0) * years) / spread;
    let d2 = d1 - spread;
    let discounted = strike * (-rate * years).exp();
    premiums.send(Premium {
        call: spot * normal(d1) - discounted * normal(d2),
        put: discounted * normal(-d2) - spot * normal(-d1),
    });
}
