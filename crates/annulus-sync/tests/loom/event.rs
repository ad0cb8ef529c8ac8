//! No wake-up of an event is lost, and no notification.

use std::{future::Future, pin::pin, task::Context};

use annulus_sync::{
    Arc, AtomicBool, AtomicUsize, Ordering,
    event::{Event, Listener},
    wait::block_on,
};
use loom::thread;

fn model(run: impl Fn() + Send + Sync + 'static) {
    check(None, run);
}

fn check(preemptions: Option<usize>, run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(run);
}

fn poll(listener: &mut Listener<'_>) -> bool {
    let waker = std::task::Waker::noop();
    pin!(listener).poll(&mut Context::from_waker(waker)).is_ready()
}

/// A waiter that registers, looks again and sleeps is always woken. Relaxed on purpose: the fences alone must
/// do it.
#[test]
fn event_loses_no_wake_up() {
    model(|| {
        let shared = Arc::new((Event::new(), AtomicBool::new(false)));
        let notifier = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                shared.1.store(true, Ordering::Relaxed);
                shared.0.notify(1);
            }
        });
        while !shared.1.load(Ordering::Relaxed) {
            let listener = shared.0.listen();
            if !shared.1.load(Ordering::Relaxed) {
                block_on(listener);
            }
        }
        notifier.join().unwrap();
    });
}

/// Two wait, one notification, and whoever gets it may leave without looking: the other must not sleep on.
#[test]
fn event_passes_a_dropped_notification_on() {
    model(|| {
        let event = Arc::new(Event::new());
        let leaver = event.listen();
        let stayer = event.listen();
        let notifier = thread::spawn({
            let event = Arc::clone(&event);
            move || event.notify(1)
        });
        drop(leaver); // before the notification, or with it
        block_on(stayer);
        notifier.join().unwrap();
    });
}

/// The longest waiting is notified first, also when one in the middle leaves meanwhile.
#[test]
fn event_is_first_in_first_out() {
    model(|| {
        let event = Arc::new(Event::new());
        let mut first = event.listen();
        let middle = event.listen();
        let mut last = event.listen();
        let notifier = thread::spawn({
            let event = Arc::clone(&event);
            move || event.notify(1)
        });
        drop(middle);
        assert!(!poll(&mut last), "the first is still there");
        notifier.join().unwrap();
        assert!(poll(&mut first));
        assert!(!poll(&mut last));
    });
}

/// One `notify_all` for two sleepers.
#[test]
fn event_wakes_all() {
    check(Some(3), || {
        let shared = Arc::new((Event::new(), AtomicUsize::new(0)));
        let sleepers = [(); 2].map(|()| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let listener = shared.0.listen();
                if shared.1.load(Ordering::Relaxed) == 0 {
                    block_on(listener);
                }
            })
        });
        shared.1.store(1, Ordering::Relaxed);
        shared.0.notify_all();
        for sleeper in sleepers {
            sleeper.join().unwrap();
        }
    });
}
