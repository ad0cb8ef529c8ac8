//! An exchange: an actor per share matches orders, best price first.
//!
//! `cargo run -p annulus --example market -- [cpu|opencl]`
//!
//! Shows state with functions of its own, and several outputs per message. A handler is a transaction: an order that stands beyond
//! the ladder of prices fails, is counted, and leaves nothing.

mod common;

use annulus::prelude::*;

use common::Random;

const TICKS: usize = 40;

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u8)]
enum Side {
    Buy,
    Sell,
}

/// An order with a limit, in ticks.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    #[ring(key)]
    share: u32,
    tick: u8,
    side: Side,
    amount: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Trade {
    share: u32,
    tick: u32,
    amount: u32,
}

/// What is bid and asked at each tick: a share's own state.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Ladder {
    bids: [u32; TICKS],
    asks: [u32; TICKS],
}

impl Default for Ladder {
    fn default() -> Self {
        Self { bids: [0; TICKS], asks: [0; TICKS] }
    }
}

/// Functions that a device has too.
#[device_impl]
impl Ladder {
    /// The tick of the cheapest offer up to `limit`.
    fn cheapest(&self, limit: usize) -> Option<usize> {
        for (tick, amount) in self.asks.iter().enumerate().take(limit + 1) {
            if *amount > 0 {
                return Some(tick);
            }
        }
        None
    }

    /// The tick of the highest bid from `limit` on.
    fn dearest(&self, limit: usize) -> Option<usize> {
        for (tick, amount) in self.bids.iter().enumerate().skip(limit).rev() {
            if *amount > 0 {
                return Some(tick);
            }
        }
        None
    }
}

/// The application's own error code.
const NO_SUCH_TICK: Failure = Failure::of(1);

#[ring_kernel(mode = Adaptive, max_outputs = 40)]
fn exchange(order: &Order, ladder: &mut Ladder, trades: &Outbox<Trade>) -> Result<(), Failure> {
    let limit = usize::from(order.tick);
    if limit >= TICKS {
        return Err(NO_SUCH_TICK);
    }
    let mut left = order.amount;
    while left > 0 {
        let best = match order.side {
            Side::Buy => ladder.cheapest(limit),
            Side::Sell => ladder.dearest(limit),
        };
        let Some(tick) = best else { break };
        let there = match order.side {
            Side::Buy => ladder.asks[tick],
            Side::Sell => ladder.bids[tick],
        };
        let amount = left.min(there);
        left -= amount;
        match order.side {
            Side::Buy => ladder.asks[tick] -= amount,
            Side::Sell => ladder.bids[tick] -= amount,
        }
        trades.send(Trade { share: order.share, tick: tick as u32, amount });
    }
    match order.side {
        Side::Buy => ladder.bids[limit] += left,
        Side::Sell => ladder.asks[limit] += left,
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let options = LaunchOptions::production().actors(2);
        let kernel = exchange::launch(runtime, options)?;
        let mut random = Random(7);
        let mut volumes = [[0u32; 2]; TICKS];
        for _ in 0..40 {
            for _ in 0..100 {
                let share = (random.number() % 2) as u32;
                // One share's traders think much the same, the other's do not.
                let spread = if share == 0 { 8.0 } else { 24.0 };
                let fair = 20.0 + spread * (random.part() + random.part() + random.part() - 1.5);
                let side = if random.part() < 0.5 { Side::Buy } else { Side::Sell };
                let amount = 1 + (random.number() % 9) as u32;
                let _ =
                    kernel.send_blocking(Order { share, tick: fair.clamp(0.0, 39.0) as u8, side, amount })?;
            }
            kernel.drained_blocking();
            while let Ok(trade) = kernel.try_recv() {
                volumes[trade.tick as usize][trade.share as usize] += trade.amount;
            }
        }
        let _ = kernel.send_blocking(Order { share: 0, tick: 99, side: Side::Buy, amount: 1 })?;
        kernel.drained_blocking();
        println!("tick  share 0 {:22}  share 1", "");
        for (tick, [first, second]) in volumes.into_iter().enumerate() {
            if first + second > 0 {
                let bar = |volume: u32| "█".repeat(volume as usize / 50);
                println!("{tick:4}  {first:5} {:24}  {second:5} {}", bar(first), bar(second));
            }
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
