//! P-07: a runtime may go by a clock that the test moves. Timers, ticks, limits of asks, futures with a limit and expiry
//! follow it, and whoever moves it wakes those whose time has come. No test here waits for a time.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use annulus::{Runtime, ended, prelude::*};
use annulus_cpu::Cpu;
use annulus_queue::{Clock, QueueOptions, RecvError, TryRecvError};

const HOUR: Duration = Duration::from_secs(3600);
const HOUR_NANOS: u64 = 3_600_000_000_000;
/// After so long a test has failed, in the machine's time.
const PATIENCE: Duration = Duration::from_secs(120);

fn runtime() -> (Clock, Runtime) {
    let clock = Clock::manual();
    let runtime = Runtime::builder().backend(Cpu::new().workers(2)).clock(&clock).build().unwrap();
    (clock, runtime)
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Order {
    cents: u64,
    /// The number of the batch whose time is up; 0 for an order.
    closes: u64,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Closed {
    cents: u64,
    at: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Open {
    number: u64,
    cents: u64,
    any: u64,
}

/// Sums up the orders of an hour, from the first one on.
#[ring_kernel]
fn window(cx: &Cx, order: &Order, open: &mut Open, later: &Later<Order>, out: &Outbox<Closed>) {
    if order.closes == 0 {
        if open.any == 0 {
            open.any = 1;
            later.send_after(Order { cents: 0, closes: open.number + 1 }, HOUR_NANOS);
        }
        open.cents += order.cents;
    } else {
        out.send(Closed { cents: open.cents, at: cx.now() });
        *open = Open { number: order.closes, cents: 0, any: 0 };
    }
}

/// A window closes when the clock has been moved to its end, and not a nanosecond before.
#[test]
fn p07_a_window_closes_when_the_clock_is_moved() {
    let (clock, runtime) = runtime();
    let kernel = window::launch(&runtime, LaunchOptions::default()).unwrap();
    assert_eq!(runtime.now(), 1);
    for round in 0..20 {
        let opened = runtime.now();
        kernel.send_batch_blocking(&[Order { cents: 5, closes: 0 }; 3]).unwrap();
        kernel.drained_blocking();
        assert_eq!(kernel.status().timers.unwrap().next_due, Some(opened + HOUR_NANOS));
        assert!(clock.advance(HOUR - Duration::from_nanos(1)));
        kernel.send_batch_blocking(&[Order { cents: 7, closes: 0 }]).unwrap();
        kernel.drained_blocking();
        assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty), "round {round}: not before its time");
        clock.advance(Duration::from_nanos(1));
        let closed = kernel.recv_timeout(PATIENCE).unwrap();
        assert_eq!(closed, Closed { cents: 22, at: opened + HOUR_NANOS }, "round {round}");
    }
}

/// Whether the clock is moved before the worker has armed the alarm, or after: the block is woken.
#[test]
fn p07_no_move_of_the_clock_is_missed() {
    let (clock, runtime) = runtime();
    let kernel = window::launch(&runtime, LaunchOptions::default().spin(Duration::ZERO)).unwrap();
    for round in 0..3000 {
        let closes = Some(runtime.now() + HOUR_NANOS);
        kernel.send_blocking(Order { cents: 1, closes: 0 }).map(drop).unwrap();
        // The worker is about to park, or has parked. Until it is, the status may still tell of the round before.
        while kernel.status().timers.unwrap().next_due != closes {
            std::hint::spin_loop();
        }
        clock.advance(HOUR);
        assert_eq!(kernel.recv_timeout(PATIENCE).map(|closed| closed.cents), Ok(1), "round {round}");
    }
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Pulse {
    Say {
        word: u32,
    },
    #[ring(tick)]
    Tick,
}

/// Says when it was called.
#[ring_kernel(on_tick = "60 min")]
fn hourly(cx: &Cx, pulse: &Pulse, out: &Outbox<Closed>) {
    match pulse {
        Pulse::Say { word } => out.send(Closed { cents: *word as u64, at: cx.now() }),
        Pulse::Tick => out.send(Closed { cents: 0, at: cx.now() }),
    }
}

/// Ticks come when the clock is moved: one for each move, however many periods it passes over.
#[test]
fn p07_ticks_follow_the_clock() {
    let (clock, runtime) = runtime();
    let kernel = hourly::launch(&runtime, LaunchOptions::default()).unwrap();
    // It has taken its first turn, in which it arms the tick.
    kernel.send_blocking(Pulse::Say { word: 9 }).map(drop).unwrap();
    assert_eq!(kernel.recv_timeout(PATIENCE), Ok(Closed { cents: 9, at: 1 }));
    for hour in 1..=24 {
        clock.advance(HOUR);
        assert_eq!(kernel.recv_timeout(PATIENCE), Ok(Closed { cents: 0, at: hour * HOUR_NANOS + 1 }));
    }
    clock.advance(HOUR * 10);
    assert_eq!(kernel.recv_timeout(PATIENCE).map(|tick| tick.at), Ok(34 * HOUR_NANOS + 1));
    clock.advance(HOUR);
    assert_eq!(kernel.recv_timeout(PATIENCE).map(|tick| tick.at), Ok(35 * HOUR_NANOS + 1));
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Query {
    item: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Price {
    cents: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Priced {
    item: u64,
    price: Answer<Price>,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Query(Query),
    #[ring(from)]
    Priced(Priced),
}

/// Asks, and waits for an hour.
#[ring_kernel]
fn buyer(cx: &Cx, event: &Event, out: &Outbox<Closed>, price: &Ask<Query, Priced>) {
    match event {
        Event::Query(query) => {
            let price_of = Answer { ended: 0, code: 0, value: Price { cents: 0 } };
            price.send(Query { item: query.item }, Priced { item: query.item, price: price_of }, HOUR_NANOS);
        }
        Event::Priced(priced) => out.send(Closed { cents: priced.price.ended as u64, at: cx.now() }),
    }
}

#[ring_kernel]
fn seller(query: &Query, out: &Outbox<Price>) {
    out.send(Price { cents: query.item });
}

/// An ask is out of time when the clock has been moved to its limit.
#[test]
fn p02_an_ask_is_out_of_time_by_the_clock() {
    let (clock, runtime) = runtime();
    let options = LaunchOptions::default().through(64);
    let seller = seller::launch(&runtime, options.clone().active(false)).unwrap();
    let buyer = buyer::bind().connect_port(buyer::PRICE, &seller).launch(&runtime, options).unwrap();
    buyer.send_blocking(Event::Query(Query { item: 3 })).map(drop).unwrap();
    while buyer.status().timers.unwrap().asks == 0 {
        std::hint::spin_loop();
    }
    clock.advance(HOUR - Duration::from_nanos(1));
    assert_eq!(buyer.port(buyer::OUT).try_recv(), Err(TryRecvError::Empty));
    clock.advance(Duration::from_nanos(1));
    let out_of_time = Closed { cents: ended::OUT_OF_TIME.into(), at: HOUR_NANOS + 1 };
    assert_eq!(buyer.port(buyer::OUT).recv_timeout(PATIENCE), Ok(out_of_time));
    // In time, the answer comes.
    seller.activate_blocking().unwrap();
    buyer.send_blocking(Event::Query(Query { item: 3 })).map(drop).unwrap();
    assert_eq!(buyer.port(buyer::OUT).recv_timeout(PATIENCE).unwrap().cents, u64::from(ended::ANSWERED));
}

/// A future with a limit, and a pause, end when the clock has been moved so far.
#[test]
fn p03_futures_with_a_limit_follow_the_clock() {
    let (clock, runtime) = runtime();
    let kernel = window::launch(&runtime, LaunchOptions::default().active(false)).unwrap();
    let context = &mut Context::from_waker(Waker::noop());
    let mut received = pin!(kernel.recv_within(HOUR));
    let mut called = pin!(kernel.call_within(Order { cents: 1, closes: 0 }, HOUR));
    let mut pause = pin!(runtime.sleep(HOUR));
    assert!(received.as_mut().poll(context).is_pending());
    assert!(called.as_mut().poll(context).is_pending());
    assert!(pause.as_mut().poll(context).is_pending());
    clock.advance(HOUR - Duration::from_nanos(1));
    assert!(received.as_mut().poll(context).is_pending());
    assert!(called.as_mut().poll(context).is_pending());
    assert!(pause.as_mut().poll(context).is_pending());
    clock.advance(Duration::from_nanos(1));
    assert_eq!(received.as_mut().poll(context), Poll::Ready(Err(RecvError::Timeout)));
    assert_eq!(called.as_mut().poll(context), Poll::Ready(Err(annulus::CallError::Timeout)));
    assert_eq!(pause.as_mut().poll(context), Poll::Ready(()));
}

/// Messages expire by the clock, those of a kernel and those of the runtime's queues.
#[test]
fn q26_messages_expire_by_the_clock() {
    let (clock, runtime) = runtime();
    let options = LaunchOptions::default().expiry(HOUR).active(false).capacity(64);
    let kernel = window::launch(&runtime, options).unwrap();
    kernel.send_batch_blocking(&[Order { cents: 1, closes: 0 }; 3]).unwrap();
    let queue = runtime.queues().create::<u32>(QueueOptions::new().name("numbers").expiry(HOUR)).unwrap();
    let _ = queue.try_send(7).unwrap();
    clock.advance(HOUR * 2);
    kernel.activate_blocking().unwrap();
    kernel.drained_blocking();
    let drops = kernel.status().drops;
    // What was handed over to the ring before is handled.
    assert_eq!((kernel.status().processed + drops.expired, queue.try_recv()), (3, Err(TryRecvError::Empty)));
    assert!(drops.expired != 0, "{drops:?}");
    assert_eq!(queue.counters().expired, 1);
}

/// Other processes compare a runtime's times with the machine's, so they do not see this one.
#[test]
fn o_08_nobody_sees_a_clock_moved_by_hand() {
    let folder = std::env::temp_dir().join(format!("annulus-moved-by-hand-{}", std::process::id()));
    let vitals = annulus::Vitals::In(folder.clone());
    let builder = Runtime::builder().backend(Cpu::new().workers(1)).vitals(vitals);
    let _runtime = builder.clock(&Clock::manual()).build().unwrap();
    let files = std::fs::read_dir(&folder).map_or(0, Iterator::count);
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(files, 0);
}
