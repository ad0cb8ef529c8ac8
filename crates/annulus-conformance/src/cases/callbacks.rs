//! The program's code that we call, and that calls us: wakers that poll on the spot, alerts, subscribers.
//! None of it runs under a lock of ours, so it may do whatever does not block; and its panics end nothing of
//! ours, whatever they carry.

use std::{
    future::Future,
    panic::panic_any,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex,
        atomic::Ordering,
        mpsc::{Receiver, Sender, channel},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use annulus_runtime::{CallError, KernelHandle, KernelState, LaunchOptions, SnapshotError, Transition};
use annulus_sync::{AtomicU64, AtomicUsize};

use super::{
    links::{connect, linked, source},
    messages::poll_once,
    prints::instance,
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{FAIL, Item, Total, echo, fragile, number, numbers, prints::print_often, total, track},
    prints::keeper,
};

/// A task that is polled by whoever wakes it, before the wake returns.
struct OnTheSpot(Mutex<Task>);

#[derive(Default)]
struct Task {
    /// Until it is ready; not while it is polled.
    future: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// It was woken while it was polled.
    woken: bool,
}

impl OnTheSpot {
    /// Polls a future, here and wherever it is woken; its output comes out of what is returned.
    fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> Receiver<T> {
        let (tell, told) = channel();
        let task = async move {
            let _ = tell.send(future.await);
        };
        let task = Task { future: Some(Box::pin(task)), woken: false };
        Arc::new(Self(Mutex::new(task))).poll();
        told
    }

    fn poll(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        loop {
            let mut future = {
                let mut task = self.0.lock().unwrap();
                task.woken = task.future.is_none();
                let Some(future) = task.future.take() else { return };
                future
            };
            if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                return;
            }
            let mut task = self.0.lock().unwrap();
            task.future = Some(future);
            if !task.woken {
                return;
            }
        }
    }
}

impl Wake for OnTheSpot {
    fn wake(self: Arc<Self>) {
        self.poll();
    }
}

/// What a task on the spot came to.
fn outcome<T>(told: &Receiver<T>) -> T {
    told.recv().expect("the task has not panicked")
}

/// Activates, deactivates and ends the kernel from its own wakers.
pub fn a_waker_goes_through_the_lifecycle(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let rounds = bench.size(50, 1000);
    let its = kernel.clone();
    let told = OnTheSpot::spawn(async move {
        for _ in 0..rounds {
            assert_eq!(its.deactivate().await, Ok(Transition::Done));
            assert_eq!(its.activate().await, Ok(Transition::Done));
            let _ = its.status();
        }
        its.terminate().await
    });
    assert_eq!(outcome(&told), Transition::Done);
    assert_eq!(kernel.status().state, KernelState::Terminated);
}

/// Reads the kernel's state and sets it from wakers that are called while the kernel tells that it has become
/// inactive.
pub fn a_waker_reads_and_sets_the_state(bench: &Bench) {
    let kernel = total::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let rounds = bench.size(50, 1000);
    let told = OnTheSpot::spawn(async move {
        let mut sum = 0;
        for _ in 0..rounds {
            let _ = kernel.send(number(1)).await.unwrap();
            assert_eq!(kernel.recv().await, Ok(number(sum + 1)));
            assert_eq!(kernel.call(number(2)).await, Ok(number(sum + 3)));
            kernel.deactivate().await.unwrap();
            let mut snapshot = kernel.snapshot().await.unwrap();
            assert_eq!(snapshot.states::<Total>().unwrap(), [Total { sum: sum + 3 }]);
            snapshot.set_states(&[Total { sum: sum + 10 }]).unwrap();
            kernel.restore(&snapshot).await.unwrap();
            sum += 10;
            kernel.activate().await.unwrap();
            kernel.drained().await;
        }
        kernel.terminate().await;
        let last = kernel.snapshot().await.unwrap();
        let refused = kernel.restore(&last).await;
        (last.states::<Total>().unwrap(), refused)
    });
    let (states, refused) = outcome(&told);
    assert_eq!(states, [Total { sum: rounds * 10 }]);
    assert!(matches!(refused, Err(SnapshotError::Terminated { .. })));
}

/// The same of a kernel of several blocks, where the last one's report finds all others at rest.
pub fn a_waker_reads_the_states_of_all_blocks(bench: &Bench) {
    let options = LaunchOptions::default().actors(10).grid(3);
    let kernel = track::launch(bench.runtime(), options).unwrap();
    let rounds = bench.size(30, 300);
    let told = OnTheSpot::spawn(async move {
        for round in 1..=rounds {
            for key in 0..10 {
                let item = Item { key, producer: 0, sequence: 0 };
                assert_eq!(kernel.call(item).await.unwrap().count, round);
            }
            kernel.deactivate().await.unwrap();
            let snapshot = kernel.snapshot().await.unwrap();
            assert_eq!(snapshot.states::<Total>().unwrap(), [Total { sum: round }; 10]);
            kernel.restore(&snapshot).await.unwrap();
            kernel.activate().await.unwrap();
        }
    });
    outcome(&told);
}

/// Connects and disconnects the kernel from its own wakers.
pub fn a_waker_changes_the_link(bench: &Bench) {
    let first = echo::launch(bench.runtime(), source("first")).unwrap();
    let second = echo::launch(bench.runtime(), linked("second")).unwrap();
    connect(&first, &second);
    let rounds = bench.size(20, 300);
    let told = OnTheSpot::spawn(async move {
        for round in 0..rounds {
            let _ = first.send(number(round)).await.unwrap();
            assert_eq!(second.recv().await, Ok(number(round)));
            first.deactivate().await.unwrap();
            first.disconnect().unwrap();
            first.activate().await.unwrap();
            let _ = first.send(number(round)).await.unwrap();
            assert_eq!(first.recv().await, Ok(number(round)));
            first.deactivate().await.unwrap();
            first.connect(&second).unwrap();
            first.activate().await.unwrap();
        }
    });
    outcome(&told);
}

/// An alert asks for the dead letters, which may bring new ones: it hears of each once, one after the other,
/// in order.
pub fn an_alert_asks_for_dead_letters(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default().capacity(256)).unwrap();
    let own = Arc::new(Mutex::new(Some(kernel.clone())));
    let (tell, told) = channel();
    let (its, inside) = (Arc::clone(&own), AtomicUsize::new(0));
    assert!(kernel.dead_letters().unwrap().set_alert(move |alert| {
        let others = inside.fetch_add(1, Ordering::Relaxed);
        let own = its.lock().unwrap().clone();
        if let Some(own) = own {
            assert!(!own.dead_letters().unwrap().is_empty());
            assert_eq!(own.redrive(1).sent, 0);
            let _ = own.try_recv();
            // Blocks of a device count a little later than they report.
            let status = own.status();
            assert!(status.drops.failed <= status.sent, "{status:?}");
            assert!(matches!(poll_once(pin!(own.snapshot())), Some(Err(SnapshotError::Active { .. }))));
        }
        inside.fetch_sub(1, Ordering::Relaxed);
        tell.send((others, alert.attempts)).unwrap();
    }));
    let count = bench.size(200, 2000);
    for _ in 0..count {
        let _ = kernel.send_blocking(number(FAIL)).unwrap();
        // Here and there the host collects beside whoever reports.
        let _ = kernel.dead_letters();
    }
    drain(&kernel);
    let _ = kernel.dead_letters();
    let lost = kernel.status().dead_letters_lost;
    for _ in 0..count - lost {
        assert_eq!(told.recv(), Ok((0, 1)), "one alert at a time");
    }
    assert_eq!(kernel.dead_letters().unwrap().counters().buried, count - lost);
    *own.lock().unwrap() = None;
}

/// The subscriber that hears of a print asks the kernel things, and tells it to end.
pub fn a_subscriber_calls_back(bench: &Bench) {
    let name = instance();
    let kernel = print_often::launch(bench.runtime(), LaunchOptions::default().name(&name)).unwrap();
    let heard = Arc::new(AtomicU64::new(0));
    let (its, counts) = (Mutex::new(Some(kernel.clone())), Arc::clone(&heard));
    let hook = keeper().hook(&name, move |_| {
        let Some(own) = its.lock().unwrap().clone() else { return };
        let _ = (own.status(), own.try_recv(), own.dead_letters().map(|dead_letters| dead_letters.len()));
        assert!(matches!(poll_once(pin!(own.snapshot())), Some(Err(SnapshotError::Active { .. })) | None));
        if counts.fetch_add(1, Ordering::Relaxed) == 9 {
            // A handler is at work, or has only just ended.
            let _ = poll_once(pin!(own.terminate()));
            *its.lock().unwrap() = None;
        }
    });
    for _ in 0..5 {
        let _ = kernel.try_send(number(20));
    }
    eventually(|| kernel.status().state == KernelState::Terminated);
    assert_eq!(heard.load(Ordering::Relaxed), 10);
    drop(hook);
}

/// Its `Drop` panics with another one, for ever.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(Bomb);
    }
}

struct Explodes(Sender<()>);

impl Wake for Explodes {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
        panic_any(Bomb);
    }
}

/// What comes of a future that was polled once: it may have been quick enough to end there.
fn rest_of<T>(polled: Poll<T>, future: impl Future<Output = T>) -> T {
    match polled {
        Poll::Ready(output) => output,
        Poll::Pending => annulus_runtime::block_on(future),
    }
}

/// Wakers, alerts and subscribers panic with things that panic when they are dropped: no worker and no pump
/// ends.
pub fn what_a_panic_carries_ends_nothing(bench: &Bench) {
    let name = instance();
    let _hook = keeper().hook(&name, |_| panic_any(Bomb));
    let printing = print_often::launch(bench.runtime(), LaunchOptions::default().name(&name)).unwrap();
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let (tell, told) = channel();
    let alerts = tell.clone();
    assert!(kernel.dead_letters().unwrap().set_alert(move |_| {
        let _ = alerts.send(());
        panic_any(Bomb);
    }));
    for sum in [0, 4, 8, 12] {
        let waker = Waker::from(Arc::new(Explodes(tell.clone())));
        let mut context = Context::from_waker(&waker);
        let mut receiving = pin!(kernel.recv());
        assert!(receiving.as_mut().poll(&mut context).is_pending());
        let mut calling = pin!(kernel.call(number(3)));
        let called = calling.as_mut().poll(&mut context);
        for value in [1, FAIL] {
            let _ = kernel.send_blocking(number(value)).unwrap();
        }
        // Two wakers and an alert, or one and an alert if the call was quicker than this.
        told.recv_timeout(Duration::from_secs(60)).unwrap();
        told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(rest_of(called, calling), Ok(number(sum + 3)));
        assert_eq!(annulus_runtime::block_on(receiving), Ok(number(sum + 4)));
        // Prints that nobody takes are shown all the same, and the handler goes on.
        let _ = printing.send_blocking(number(3)).unwrap();
        let _ = printing.call_timeout(number(1), Duration::from_secs(60));
    }
    let waker = Waker::from(Arc::new(Explodes(tell.clone())));
    let mut ending = pin!(kernel.terminate());
    let mut calling = pin!(kernel.call(number(1)));
    let mut context = Context::from_waker(&waker);
    let called = calling.as_mut().poll(&mut context);
    let ended = ending.as_mut().poll(&mut context);
    assert_eq!(rest_of(ended, ending), Transition::Done);
    let called = rest_of(called, calling);
    assert!(matches!(called, Ok(_) | Err(CallError::Terminated)), "{called:?}");
    balanced(&kernel);

    // Whatever ran all that runs on.
    let more = echo::launch(bench.runtime(), LaunchOptions::default().name("more")).unwrap();
    more.send_batch_blocking(&numbers(0..50)).unwrap();
    let received: Vec<_> = (0..50).map(|_| more.recv_blocking().unwrap()).collect();
    assert_eq!(received, numbers(0..50));
}

/// The last handle goes in a waker: of a kernel that is at work, on the thread that drives it.
pub fn a_waker_drops_the_last_handle(bench: &Bench) {
    for round in bench.rounds(20, 200) {
        let kernel: KernelHandle<echo> =
            echo::launch(bench.runtime(), LaunchOptions::default().name("dropped")).unwrap();
        let told = OnTheSpot::spawn(async move {
            let _ = kernel.send(number(round)).await.unwrap();
            let output = kernel.recv().await;
            drop(kernel);
            output
        });
        assert_eq!(outcome(&told), Ok(number(round)));
    }
}
