use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

#[test]
fn order_book_sells_the_cheapest_first() {
    let mut kernel = Running::<order_book>::with(Book::default());
    for (price, amount) in [(12, 5), (10, 3), (11, 4)] {
        assert_eq!(kernel.send(Order::Sell { share: 1, price, amount }), Ok(Vec::new()));
    }
    let trades = kernel.send(Order::Buy { share: 1, price: 11, amount: 6 }).unwrap();
    assert_eq!(trades, [Trade { price: 10, amount: 3 }, Trade { price: 11, amount: 3 }]);
    let trades = kernel.send(Order::Buy { share: 1, price: 20, amount: 9 }).unwrap();
    assert_eq!(trades, [Trade { price: 11, amount: 1 }, Trade { price: 12, amount: 5 }]);
    for _ in 0..8 {
        kernel.send(Order::Sell { share: 1, price: 1, amount: 1 }).unwrap();
    }
    let ninth = kernel.send(Order::Sell { share: 1, price: 1, amount: 1 });
    assert_eq!(ninth, Err(BOOK_FULL.code()));
    kernel.send(Order::Clear { share: 1 }).unwrap();
    assert_eq!(kernel.send(Order::Buy { share: 1, price: 9, amount: 1 }), Ok(Vec::new()));
}

#[test]
fn bars_sum_up_their_minutes() {
    let mut kernel = Running::<bars>::with(Bar::default());
    let mut random = Random(1);
    let mut time = 0;
    let mut deals: Vec<Deal> = Vec::new();
    let mut found = Vec::new();
    for _ in 0..500 {
        time += random.below(20) as u32;
        let price = 90.0 + random.below(2000) as f32 / 100.0;
        let deal = Deal { share: 4, time, price, amount: 1 + random.below(50) as u32 };
        deals.push(deal);
        found.extend(kernel.send(deal).unwrap());
    }
    let minutes: Vec<_> = deals.chunk_by(|a, b| a.time / 60 == b.time / 60).collect();
    assert_eq!(found.len(), minutes.len() - 1, "the last one is not over");
    for (bar, deals) in found.iter().zip(minutes) {
        let prices = || deals.iter().map(|deal| deal.price);
        let amount: u32 = deals.iter().map(|deal| deal.amount).sum();
        let money: f64 = deals.iter().map(|deal| f64::from(deal.price) * f64::from(deal.amount)).sum();
        assert_eq!((bar.open, bar.close), (deals[0].price, deals[deals.len() - 1].price));
        assert_eq!(bar.high, prices().fold(f32::MIN, f32::max));
        assert_eq!(bar.low, prices().fold(f32::MAX, f32::min));
        assert_eq!((bar.minute, bar.amount), (deals[0].time / 60, amount));
        assert!((f64::from(bar.mean) - money / f64::from(amount)).abs() < 1e-3, "{bar:?}");
    }
}

/// Against a list of orders that is searched.
#[test]
fn matching_takes_the_best_price() {
    let mut kernel = Running::<matching>::with(Ladder::default());
    let mut random = Random(2);
    let mut bids: Vec<(u32, u32)> = Vec::new();
    let mut asks: Vec<(u32, u32)> = Vec::new();
    let mut traded = 0;
    for _ in 0..1500 {
        let tick = 20 + random.below(20) as u32;
        let side = if random.below(2) == 0 { Side::Buy } else { Side::Sell };
        let amount = 1 + random.below(9) as u32;
        let trades = kernel.send(Limit { market: 0, tick: tick as u8, side, amount }).unwrap();
        let (mine, other) = match side {
            Side::Buy => (&mut bids, &mut asks),
            Side::Sell => (&mut asks, &mut bids),
        };
        match side {
            Side::Buy => other.sort_unstable(),
            Side::Sell => other.sort_unstable_by(|a, b| b.cmp(a)),
        }
        let suits = |price: u32| if side == Side::Buy { price <= tick } else { price >= tick };
        let mut left = amount;
        let mut expected: Vec<Trade> = Vec::new();
        while let Some((price, there)) = other.first_mut().filter(|(price, _)| suits(*price)) {
            let taken = left.min(*there);
            *there -= taken;
            left -= taken;
            match expected.last_mut().filter(|trade| trade.price == *price) {
                Some(trade) => trade.amount += taken,
                None if taken > 0 => expected.push(Trade { price: *price, amount: taken }),
                None => {}
            }
            if *there > 0 {
                break;
            }
            other.remove(0);
        }
        if left > 0 {
            mine.push((tick, left));
        }
        traded += expected.len();
        assert_eq!(trades, expected);
    }
    assert!(traded > 500, "{traded}");
    let off = kernel.send(Limit { market: 0, tick: 64, side: Side::Buy, amount: 1 });
    assert_eq!(off, Err(OFF_THE_LADDER.code()));
}

/// Values of the textbooks: Hull's example (42, 40, 10 %, 20 %, half a year), and the usual one.
#[test]
fn black_scholes_is_the_textbook_s() {
    let mut kernel = Running::<black_scholes>::new();
    let mut price = |spot, strike, rate, volatility, years| {
        kernel.answer(Contract { spot, strike, rate, volatility, years })
    };
    let hull = price(42.0, 40.0, 0.1, 0.2, 0.5);
    assert!((hull.call - 4.7594).abs() < 1e-3 && (hull.put - 0.8086).abs() < 1e-3, "{hull:?}");
    let usual = price(100.0, 100.0, 0.05, 0.2, 1.0);
    assert!((usual.call - 10.4506).abs() < 1e-3 && (usual.put - 5.5735).abs() < 1e-3, "{usual:?}");
    // A call without a put is the share on credit.
    for strike in [50.0f32, 80.0, 100.0, 140.0] {
        let Premium { call, put } = price(100.0, strike, 0.03, 0.3, 2.0);
        let parity = 100.0 - strike * (-0.06f32).exp();
        assert!((call - put - parity).abs() < 1e-3, "{strike}: {call} {put} {parity}");
    }
}
