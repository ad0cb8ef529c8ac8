//! A reservation counted as enqueued from the start, and then not, when it was dropped.

use std::thread;

use annulus_queue::{Backpressure, QueueOptions, queue, single_consumer::mpsc, spmc::spmc};

macro_rules! counts_what_is_committed {
    ($make:expr) => {{
        #[allow(unused_mut, reason = "not all ends need it")]
        let (mut tx, mut rx) = $make(QueueOptions::new().capacity(16)).unwrap();
        let _ = tx.try_send(0);
        drop(tx.try_reserve().unwrap());
        assert_eq!(rx.counters().enqueued, 1);
        let mut place = tx.try_reserve().unwrap();
        place.write(1);
        assert_eq!(rx.counters().enqueued, 1);
        let _ = place.commit();
        assert_eq!(rx.counters().enqueued, 2);
        while tx.try_reserve().is_ok() {}
        assert!(tx.try_reserve().is_err(), "a refused reservation is none");
        let counters = rx.counters();
        assert_eq!((counters.enqueued, counters.depth()), (2, 2));
        assert_eq!(rx.clear(), 2);
        let counters = rx.counters();
        assert_eq!((counters.enqueued, counters.dequeued, counters.depth()), (2, 2, 0));
    }};
}

#[test]
fn a_reservation_counts_when_it_is_committed() {
    counts_what_is_committed!(queue);
    counts_what_is_committed!(spmc);
    counts_what_is_committed!(mpsc);
}

/// Nobody ever sees it go down, nor the balances broken.
#[test]
fn enqueued_never_goes_down() {
    let (tx, rx) = queue(QueueOptions::new().capacity(16).backpressure(Backpressure::Reject)).unwrap();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for n in 0..20_000 {
                    match (tx.try_reserve(), n % 3) {
                        (Ok(mut place), 0) => {
                            place.write(n);
                            place.commit();
                        }
                        (Ok(place), _) => drop(place),
                        (Err(_), _) => drop(rx.try_recv()),
                    }
                    let _ = tx.try_send(n);
                    let _ = rx.try_recv();
                }
            });
        }
        let mut before = 0;
        for _ in 0..20_000 {
            let counters = rx.counters();
            assert!(counters.enqueued >= before, "{} after {before}", counters.enqueued);
            before = counters.enqueued;
            assert!(counters.depth() <= before);
        }
    });
    rx.clear();
    assert_eq!(rx.counters().depth(), 0);
}
