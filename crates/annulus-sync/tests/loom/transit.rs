//! A carrier between two queues, and somebody who waits until nothing is on the way, in every interleaving that loom can tell
//! apart, up to a bound of 3 involuntary switches: as for other waits.

use annulus_sync::{Arc, AtomicU64, Ordering, transit::Transit, wait::block_on, without_fences};
use loom::thread;

use crate::broken::fails;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Broken {
    Nothing,
    /// The carrier does not say that it begins.
    Beginning,
    /// It says that it has nothing though it holds a message.
    Holding,
    /// Whoever waits looks at the carrier, and at the source then.
    Order,
    /// Whoever waits does not look again.
    Look,
    CarriersFence,
}

/// Two messages, of which the carrier delivers one in its first poll, and the other one in its second.
fn carries(broken: Broken) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        struct Way {
            /// How many are left in the source, and how many are in the target.
            source: AtomicU64,
            target: AtomicU64,
            transit: Transit,
        }
        let way = Way { source: AtomicU64::new(2), target: AtomicU64::new(0), transit: Transit::new() };
        let way = Arc::new(way);
        let carrier = thread::spawn({
            let way = Arc::clone(&way);
            move || {
                let pause = |holds: bool| {
                    let pause = || way.transit.pause(holds && broken != Broken::Holding);
                    if broken == Broken::CarriersFence { without_fences(pause) } else { pause() }
                };
                let begin = || {
                    if broken != Broken::Beginning {
                        way.transit.begin();
                    }
                };
                begin();
                // As a ring gives slots back.
                way.source.store(0, Ordering::Release);
                // Relaxed on purpose: what is said afterwards must do it.
                way.target.store(1, Ordering::Relaxed);
                pause(true);
                begin();
                way.target.store(2, Ordering::Relaxed);
                pause(false);
            }
        });
        let is_empty = || way.source.load(Ordering::Acquire) == 0;
        let is_done = || {
            if broken == Broken::Order {
                way.transit.is_clear() && is_empty()
            } else {
                is_empty() && way.transit.is_clear()
            }
        };
        while !is_done() {
            let listener = way.transit.listen();
            if broken != Broken::Look && is_done() {
                break;
            }
            block_on(listener);
        }
        assert_eq!(way.target.load(Ordering::Relaxed), 2, "something is on the way");
        carrier.join().unwrap();
    });
}

#[test]
fn nothing_is_on_the_way() {
    carries(Broken::Nothing);
}

#[test]
fn broken_beginning() {
    fails("something is on the way", || carries(Broken::Beginning));
}

#[test]
fn broken_holding() {
    fails("something is on the way", || carries(Broken::Holding));
}

#[test]
fn broken_order() {
    fails("something is on the way", || carries(Broken::Order));
}

#[test]
fn broken_look() {
    fails("deadlock", || carries(Broken::Look));
}

#[test]
fn broken_carriers_fence() {
    fails("deadlock", || carries(Broken::CarriersFence));
}
