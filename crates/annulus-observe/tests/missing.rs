//! O-01: a kernel that is to run, and does not, is no healthy one: its supervisor launches it again, or has given it up.

use std::{
    sync::{Condvar, Mutex},
    time::{Duration, Instant},
};

use annulus::Cpu;
use annulus::{
    prelude::*,
    resilience::{Supervised, SupervisedState, Supervisor},
};
use annulus_observe::{HealthState, Observer, health::Symptom};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

/// Whether handlers may return.
static OPEN: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Does not return before the test says so.
#[ring_kernel(cpu_only)]
fn served(_number: &Number) {
    let mut open = OPEN.0.lock().unwrap();
    while !*open {
        open = OPEN.1.wait(open).unwrap();
    }
}

fn stalled(runtime: &Runtime, name: &'static str, supervisor: Supervisor) -> Supervised<served> {
    let place = runtime.clone();
    let launch = move |_: annulus::resilience::Start<'_, served>| {
        Ok(served::launch(&place, LaunchOptions::production().name(name))?)
    };
    supervisor.stalled_after(Duration::from_millis(20)).start(launch).unwrap()
}

fn eventually(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(600), "it takes too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn o_01_a_supervised_kernel_that_does_not_run_is_missed() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(3)).build().unwrap();
    let hour = Duration::from_secs(3600);
    // One is given up at once, the other one is launched again in an hour.
    let given_up = stalled(&runtime, "given up", Supervisor::new().restarts(0, hour));
    let waiting = stalled(&runtime, "waiting", Supervisor::new().pauses(hour, hour));
    assert!(runtime.missing().is_empty());
    // An observer that knows the kernels before goes on to see those that are left behind.
    let observer = Observer::of(&runtime);
    assert_eq!(
        observer.prometheus().lines().filter(|line| line.starts_with("annulus_kernel_health{")).count(),
        2
    );
    for supervised in [&given_up, &waiting] {
        let _ = supervised.kernel().unwrap().try_send(Number { value: 1 }).unwrap();
    }
    eventually(|| given_up.status().state == SupervisedState::GaveUp);
    eventually(|| waiting.status().state == SupervisedState::Restarting && waiting.kernel().is_err());

    let missing: Vec<String> = runtime.missing().iter().map(ToString::to_string).collect();
    assert!(
        missing[0].starts_with("`given up` was given up, since shard 0 was in the handler of"),
        "{missing:?}"
    );
    assert!(missing[1].starts_with("`waiting` is being launched again, since shard 0 was"), "{missing:?}");

    // The supervisor tells of it before the old kernel is left behind.
    eventually(|| observer.health().kernels.iter().filter(|kernel| kernel.is_missing()).count() == 2);
    let health = observer.health();
    let seen: Vec<_> = health.kernels.iter().filter(|kernel| kernel.is_missing()).collect();
    let [first, second] = seen[..] else { panic!("{health}") };
    assert_eq!((&*first.kernel, first.state(), first.id), ("given up", HealthState::Unhealthy, 0));
    assert_eq!((&*second.kernel, second.state()), ("waiting", HealthState::Degraded));
    assert_eq!(second.reasons[0].symptom, Symptom::Missing);
    assert_eq!((health.state(), health.is_ready()), (HealthState::Unhealthy, false));
    assert!(health.to_string().contains("it was given up by its supervisor, since shard 0"), "{health}");
    let metrics = observer.prometheus();
    let level =
        |kernel, level| format!("annulus_kernel_health{{backend=\"cpu\",kernel=\"{kernel}\"}} {level}\n");
    for line in [level("given up", 2), level("waiting", 1)] {
        assert!(metrics.contains(&line), "{metrics}");
    }
    // Each name once.
    assert_eq!(
        metrics.lines().filter(|line| line.starts_with("annulus_kernel_health{")).count(),
        2,
        "{metrics}"
    );

    // The program launches one itself: nothing is missed any more. And nobody misses what the program has ended.
    let own = served::launch(&runtime, LaunchOptions::production().name("given up")).unwrap();
    waiting.shutdown_blocking(Duration::ZERO);
    assert_eq!(runtime.missing().len(), 1);
    let health = observer.health();
    assert!(health.kernels.iter().all(|kernel| !kernel.is_missing()), "{health}");
    drop(given_up);
    assert!(runtime.missing().is_empty());
    drop(own);
    *OPEN.0.lock().unwrap() = true;
    OPEN.1.notify_all();
}
