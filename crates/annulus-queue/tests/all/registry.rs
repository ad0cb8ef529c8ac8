//! Named queues: found by name and type, listed, and closed together.

use std::{thread, time::Duration};

use annulus_queue::{
    Backpressure, CreateError, Deduplication, LookUpError, QueueOptions, RecvError, Registry, TryRecvError,
};

fn named(name: &str) -> QueueOptions {
    QueueOptions::new().capacity(16).name(name)
}

/// several queues of one scope, each with its own type, found again by name.
#[test]
fn q_32_a_queue_is_found_by_name_and_type() {
    let registry = Registry::new();
    registry.create::<u32>(named("commands")).unwrap();
    registry.create::<String>(named("events")).unwrap();
    let _ = registry.get::<u32>("commands").unwrap().send_blocking(7).unwrap();
    assert_eq!(registry.get::<u32>("commands").unwrap().try_recv(), Ok(7));
    assert_eq!(
        registry.get::<u32>("telemetry").unwrap_err(),
        LookUpError::Unknown { name: "telemetry".to_string() }
    );
}

/// a wrong type and a taken name are errors that name both types.
#[test]
fn q_32_errors_name_both_types() {
    let registry = Registry::new();
    registry.create::<String>(named("events")).unwrap();
    let wrong = registry.get::<u32>("events").unwrap_err().to_string();
    assert_eq!(wrong, "the queue \"events\" is of String, and not of u32");
    let taken = registry.create::<u64>(named("events")).unwrap_err().to_string();
    assert!(taken.contains("\"events\"") && taken.contains("String") && taken.contains("u64"), "{taken}");
    // Also of the same type: a second queue would take the first one's messages.
    assert!(matches!(registry.create::<String>(named("events")), Err(CreateError::Taken { .. })));
    assert_eq!(registry.create::<u64>(QueueOptions::new()).unwrap_err(), CreateError::Unnamed);
    let invalid = registry.create::<u64>(named("five").capacity(5)).unwrap_err().to_string();
    assert!(invalid.contains("capacity 5"), "{invalid}");
}

///
#[test]
fn q_39_sixteen_queues_unless_more_are_asked_for() {
    let registry = Registry::new();
    for i in 0..16 {
        registry.create::<u32>(named(&format!("queue {i}"))).unwrap();
    }
    assert_eq!(registry.create::<u32>(named("late")).unwrap_err(), CreateError::TooMany { limit: 16 });
    assert!(registry.remove("queue 3"));
    assert!(registry.create::<u32>(named("late")).is_ok());
    let roomy = Registry::with_limit(17);
    assert!((0..17).all(|i| roomy.create::<u32>(named(&format!("queue {i}"))).is_ok()));
}

/// what became of every message, by cause, and how fast.
#[test]
fn q_32_the_list_has_statistics() {
    let registry = Registry::new();
    let options =
        named("events").backpressure(Backpressure::DropOldest).deduplication(Deduplication::ByPayload);
    let events = registry.create::<u32>(options).unwrap();
    registry.create::<u32>(named("commands")).unwrap();
    let before = registry.list();
    assert_eq!(before.iter().map(|status| status.name.as_str()).collect::<Vec<_>>(), ["commands", "events"]);
    for i in 0..20 {
        let _ = events.try_send(i);
        let _ = events.try_send(i);
    }
    (0..5).for_each(|_| assert!(events.try_recv().is_ok()));
    thread::sleep(Duration::from_millis(2));
    let after = registry.list();
    let status = &after[1];
    assert_eq!(
        (status.depth, status.capacity, status.high_water, status.high_water_certain),
        (11, 16, 16, true)
    );
    assert_eq!(
        (status.message, status.backpressure, status.closed),
        ("u32", Backpressure::DropOldest, false)
    );
    assert_eq!(status.memory, events.memory_usage());
    let counters = status.counters;
    assert_eq!((counters.enqueued, counters.dequeued, counters.evicted, counters.duplicate), (20, 5, 4, 20));
    let rates = status.rates_since(&before[1]).unwrap();
    // Whatever the time between: the rates are in the counts' proportion.
    let close = |rate: f64, count: f64| (rate / rates.enqueued - count / 20.0).abs() < 1e-9;
    assert!(rates.enqueued > 0.0 && close(rates.dequeued, 5.0) && close(rates.dropped, 24.0), "{rates:?}");
    assert_eq!(before[1].rates_since(status), None, "backwards");
    assert_eq!(status.rates_since(&before[0]), None, "another queue");
}

/// closing a registry, or dropping it, closes every queue, and what was accepted is received.
#[test]
fn q_33_closing_cascades_and_loses_nothing() {
    let registry = Registry::new();
    let commands = registry.create::<u32>(named("commands")).unwrap();
    let events = registry.create::<u32>(named("events").priority(true)).unwrap();
    let _ = commands.send_blocking(7).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| events.recv_blocking());
        assert_eq!(registry.close(), 2);
        assert_eq!(waiting.join().unwrap(), Err(RecvError::Closed));
    });
    assert_eq!(registry.close(), 0);
    assert!(registry.list().iter().all(|status| status.closed));
    assert_eq!(registry.create::<u32>(named("late")).unwrap_err(), CreateError::Closed);
    drop(registry);
    assert_eq!(commands.try_recv(), Ok(7));
    assert_eq!(commands.try_recv(), Err(TryRecvError::Closed));
}

/// of many threads that make a queue of one name, one does, and the others find it.
#[test]
fn q_32_one_of_many_creators_wins() {
    for _ in 0..100 {
        let registry = Registry::new();
        let won = thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let created = registry.create::<u32>(named("events")).is_ok();
                        let _ = registry.get::<u32>("events").unwrap().send_blocking(1).unwrap();
                        created
                    })
                })
                .collect();
            threads.into_iter().map(|thread| u32::from(thread.join().unwrap())).sum::<u32>()
        });
        assert_eq!((won, registry.get::<u32>("events").unwrap().len()), (1, 4));
    }
}
