//! Handlers that take longer than their launch's limit are told of while they run: by a warning, in the flight
//! recorder, and as a metric.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use annulus::{SLOW_TARGET, prelude::*};
use annulus_observe::Observer;
use annulus_runtime::Vitals;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use crate::{Job, autopsies, folder};

/// Held by the test for as long as a handler is to take.
static HELD: Mutex<()> = Mutex::new(());

fn hold() -> MutexGuard<'static, ()> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

#[ring_kernel(cpu_only)]
fn dawdle(job: &Job, count: &mut u64) {
    if job.what == 2 {
        drop(hold());
    }
    *count += 1;
}

/// Keeps the fields of the warnings.
#[derive(Clone, Default)]
struct Keeper(Arc<Mutex<Vec<String>>>);

impl Visit for Keeper {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if !["seconds", "message"].contains(&field.name()) {
            self.0.lock().unwrap().last_mut().unwrap().push_str(&format!("{}={value:?} ", field.name()));
        }
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == SLOW_TARGET
    }

    fn event(&self, event: &Event<'_>) {
        self.0.lock().unwrap().push(String::new());
        event.record(&mut self.clone());
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[track_caller]
fn until(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not come");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn o_01_r_05_a_slow_handler_is_told_once_while_it_runs() {
    let keeper = Keeper::default();
    let folder = folder("slow");
    let runtime = Runtime::builder()
        .backend(annulus::Cpu::new().workers(2))
        .vitals(Vitals::In(folder.clone()))
        .build()
        .unwrap();
    let launch = |name: &str, limit: Option<Duration>| {
        let options = LaunchOptions::default().actors(16).grid(2).name(name).slow_after(limit);
        dawdle::launch(&runtime, options).unwrap()
    };
    let kernel =
        tracing::subscriber::with_default(keeper.clone(), || launch("late", Some(Duration::from_millis(40))));
    let unlimited = launch("unlimited", None);
    let job = |key, what| Job { key, what };
    let told = || keeper.0.lock().unwrap().clone();
    for key in [3, 5] {
        let held = hold();
        let before = told().len();
        let _ = kernel.send_blocking(job(key, 0)).unwrap();
        let _ = kernel.send_blocking(job(key, 2)).unwrap();
        let _ = unlimited.send_blocking(job(key, 0)).unwrap();
        until(|| told().len() > before);
        // It stays in there, and is not told again.
        thread::sleep(Duration::from_millis(100));
        assert_eq!((told().len(), kernel.status().pending), (before + 1, 1), "it still runs");
        drop(held);
        kernel.drained_blocking();
    }
    let warning = |number| format!("kernel=\"late\" backend=\"cpu\" shard=1 number={number} count=1 ");
    assert_eq!(told(), [warning(1) + "key=3 ", warning(3) + "key=5 "]);
    assert_eq!((kernel.look().slow, unlimited.look().slow), (2, 0));

    let metrics = Observer::of(&runtime).prometheus();
    assert!(
        metrics.contains("annulus_messages_slow_total{backend=\"cpu\",kernel=\"late\"} 2\n"),
        "{metrics}"
    );
    let text = autopsies(&folder);
    assert!(text.contains("`late`: 4 handled, 2 handlers slow\n"), "{text}");
    for (number, key) in [(1, 3), (3, 5)] {
        let line =
            format!("`late`: slow: shard 1 has been in the handler of message {number}, key {key}, for ");
        assert_eq!(text.matches(&line).count(), 1, "{text}");
    }
    drop((kernel, unlimited, runtime));
    std::fs::remove_dir_all(&folder).unwrap();
}
