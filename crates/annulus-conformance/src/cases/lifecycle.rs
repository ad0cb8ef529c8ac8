//! launched → active ⇄ inactive → terminated, names, status.

use std::{thread, time::Duration};

use annulus_runtime::{
    HandleError, KernelState, LaunchError, LaunchOptions, LifecycleError, TelemetryError, Transition,
    TrySendError,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{Item, echo, number, numbers, track},
};

/// launch by id with grid, block and options; the status says what was launched.
pub fn r01_r04_launch_and_status(bench: &Bench) {
    let options = LaunchOptions::production().grid(2).block(32).capacity(64).name("first");
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    eventually(|| kernel.status().state == KernelState::Active);
    let status = balanced(&kernel);
    assert_eq!((status.name.as_str(), kernel.name()), ("first", "first"));
    assert_eq!((status.backend, kernel.backend()), (bench.runtime().backend(), bench.runtime().backend()));
    assert!(status.is_active() && status.accepts_messages);
    assert_eq!((status.shards, kernel.grid()), (2, 2));
    assert_eq!((status.sent, status.pending, status.processed, status.produced), (0, 0, 0, 0));
    assert_eq!(
        (status.outputs_waiting, status.replies_waiting, status.stalled_shards, status.last_error),
        (0, 0, 0, 0)
    );
    assert!(status.uptime > Duration::ZERO);
    assert!(status.to_string().contains("first"), "{status}");
}

/// without a name an instance has its kernel's id; without options to the contrary it begins active.
pub fn r01_name_defaults_to_the_id(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert_eq!(kernel.name(), "echo");
    assert_eq!(bench.runtime().kernel("echo").unwrap().name(), "echo");
}

/// a kernel may begin inactive.
pub fn r02_launch_inactive(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().active(false)).unwrap();
    eventually(|| kernel.status().state == KernelState::Inactive);
    let _ = kernel.try_send(number(1)).unwrap();
    let status = balanced(&kernel);
    assert_eq!((status.pending, status.processed, status.is_active()), (1, 0, false));
}

/// repeating a transition is harmless and says so; after the end there is none.
pub fn r02_repeated_transitions_say_already(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert_eq!(kernel.activate_blocking(), Ok(Transition::Already));
    assert_eq!(kernel.deactivate_blocking(), Ok(Transition::Done));
    assert_eq!(kernel.status().state, KernelState::Inactive);
    assert_eq!(kernel.deactivate_blocking(), Ok(Transition::Already));
    assert_eq!(kernel.activate_blocking(), Ok(Transition::Done));
    assert_eq!(kernel.status().state, KernelState::Active);
    assert_eq!(kernel.close(), Transition::Done);
    assert_eq!(kernel.close(), Transition::Already);
    assert!(!kernel.status().accepts_messages);
    // Closed is beside active and inactive, not after them.
    assert_eq!(kernel.deactivate_blocking(), Ok(Transition::Done));
    assert_eq!(kernel.activate_blocking(), Ok(Transition::Done));
    assert_eq!(kernel.terminate_blocking(), Transition::Done);
    assert_eq!(kernel.terminate_blocking(), Transition::Already);
    assert_eq!(kernel.close(), Transition::Already);
    assert_eq!(kernel.activate_blocking(), Err(LifecycleError::Terminated));
    assert_eq!(kernel.deactivate_blocking(), Err(LifecycleError::Terminated));
    assert!(matches!(kernel.enable_telemetry(), Err(TelemetryError::Terminated)));
    let status = kernel.status();
    assert_eq!((status.state, status.accepts_messages), (KernelState::Terminated, false));
}

/// deactivating keeps state and queue; activating goes on with both.
pub fn r02_inactive_keeps_state_and_messages(bench: &Bench) {
    let kernel = track::launch(bench.runtime(), LaunchOptions::default().actors(4).grid(2)).unwrap();
    let item = |sequence| Item { key: (sequence % 4) as u32, producer: 0, sequence };
    for sequence in 0..8 {
        let _ = kernel.send_blocking(item(sequence)).unwrap();
    }
    drain(&kernel);
    assert_eq!(kernel.deactivate_blocking(), Ok(Transition::Done));
    for sequence in 8..20 {
        let _ = kernel.send_blocking(item(sequence)).unwrap();
    }
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.pending), (8, 12));
    assert_eq!(kernel.activate_blocking(), Ok(Transition::Done));
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.pending, status.produced), (20, 0, 20));
    let mut next = [0; 4];
    for _ in 0..20 {
        let reply = kernel.recv_blocking().unwrap();
        let key = reply.key as usize;
        assert_eq!((reply.sequence, reply.count), (next[key] * 4 + key as u64, next[key] + 1));
        next[key] += 1;
    }
}

/// Transitions from several threads, among sends: nothing is lost, and the last word counts.
pub fn transitions_race_with_sends(bench: &Bench) {
    let options = LaunchOptions::default().capacity(16).grid(2).spin(Duration::ZERO);
    let kernel = crate::kernels::swallow::launch(bench.runtime(), options).unwrap();
    let rounds = bench.size(2_000, 20_000);
    thread::scope(|scope| {
        for turn in 0..2 {
            let kernel = &kernel;
            scope.spawn(move || {
                for round in 0..rounds / 10 {
                    let result = if (round + turn) % 2 == 0 {
                        kernel.activate_blocking()
                    } else {
                        kernel.deactivate_blocking()
                    };
                    result.unwrap();
                }
                kernel.activate_blocking().unwrap();
            });
        }
        scope.spawn(|| {
            for value in 0..rounds {
                // Nobody may be left to activate it but ourselves.
                if kernel.send_timeout(number(value), Duration::from_millis(50)).is_err() {
                    kernel.activate_blocking().unwrap();
                    let _ = kernel.send_blocking(number(value)).unwrap();
                }
            }
        });
    });
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.state), (rounds, KernelState::Active));
}

/// However many ask for the end, one of them made it, and all see it done.
pub fn terminations_race(bench: &Bench) {
    for _ in bench.rounds(50, 500) {
        let kernel = echo::launch(bench.runtime(), LaunchOptions::default().grid(3)).unwrap();
        let asked: Vec<_> = thread::scope(|scope| {
            let ask = || {
                let transition = kernel.terminate_blocking();
                assert_eq!(kernel.status().state, KernelState::Terminated);
                transition
            };
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(asked.iter().filter(|&&transition| transition == Transition::Done).count(), 1);
    }
}

/// A name belongs to one kernel at a time; the error says what to do.
pub fn a_second_launch_under_a_name_is_refused(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let error = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap_err();
    assert_eq!(error, LaunchError::AlreadyLaunched { name: "echo".into() });
    assert!(error.to_string().contains("LaunchOptions::name"), "{error}");
    kernel.terminate_blocking();
    let _again = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
}

/// A launch that fails leaves its name free.
pub fn a_refused_launch_takes_no_name(bench: &Bench) {
    let error = track::launch(bench.runtime(), LaunchOptions::default()).unwrap_err();
    assert!(matches!(error, LaunchError::Invalid(_)), "{error}");
    let error = track::launch(bench.runtime(), LaunchOptions::default().actors(u64::MAX)).err();
    // A backend without states has room for any number of them.
    assert!(!matches!(error, Some(LaunchError::AlreadyLaunched { .. })), "{error:?}");
    if error.is_some() {
        let _kernel = track::launch(bench.runtime(), LaunchOptions::default().actors(1)).unwrap();
    }
}

/// Asking for a kernel that does not run lists those that do.
pub fn an_unknown_kernel_lists_the_running(bench: &Bench) {
    let error = bench.runtime().kernel("nobody").unwrap_err();
    assert!(error.running.is_empty() && error.to_string().contains("nobody"), "{error}");
    let _one = echo::launch(bench.runtime(), LaunchOptions::default().name("one")).unwrap();
    let _two = echo::launch(bench.runtime(), LaunchOptions::default().name("two")).unwrap();
    let error = bench.runtime().kernel("three").unwrap_err();
    assert_eq!(
        (error.name.as_str(), error.running.as_slice()),
        ("three", &["one".to_owned(), "two".to_owned()][..])
    );
    assert!(error.to_string().contains("one, two"), "{error}");
    assert_eq!(bench.runtime().kernels().len(), 2);
}

/// a handle by name has the types of what runs, and only those; it keeps the kernel running like any
/// other.
pub fn r08_a_handle_by_name_and_type(bench: &Bench) {
    let runtime = bench.runtime();
    let first = echo::launch(runtime, LaunchOptions::default().name("mine")).unwrap();
    let second = runtime.handle::<echo>("mine").unwrap();
    drop(first);
    assert!(second.status().accepts_messages);
    let _ = second.send_blocking(number(1)).unwrap();
    let error = runtime.handle::<track>("mine").unwrap_err();
    assert!(matches!(error, HandleError::OtherKernel { .. }));
    let text = error.to_string();
    assert!(
        text.contains("::echo, which takes Number, not") && text.contains("::track, which takes Item"),
        "{text}"
    );
    assert!(matches!(runtime.handle::<echo>("yours"), Err(HandleError::Unknown(_))));
    drop(second);
    assert!(matches!(runtime.handle::<echo>("mine"), Err(HandleError::Unknown(_))));
}

/// after the end the name is free, and a launch with other options is a new kernel.
pub fn r03_relaunch_with_new_options(bench: &Bench) {
    let runtime = bench.runtime();
    for capacity in [16, 64, 32] {
        let options = LaunchOptions::default().name("again").capacity(capacity).active(false);
        let kernel = echo::launch(runtime, options).unwrap();
        for message in numbers(0..capacity.into()) {
            let _ = kernel.try_send(message).unwrap();
        }
        assert_eq!(kernel.try_send(number(99)), Err(TrySendError::Full(number(99))));
        let status = balanced(&kernel);
        assert_eq!((status.sent, status.pending), (u64::from(capacity) + 1, capacity.into()));
        kernel.terminate_blocking();
        assert!(runtime.kernel("again").is_err());
        assert_eq!(kernel.take_undelivered().len(), capacity as usize);
    }
}

/// a new kernel under an old name begins with fresh state.
pub fn r03_relaunch_begins_anew(bench: &Bench) {
    for (actors, grid) in [(4, 1), (2, 2), (64, 3)] {
        let options = LaunchOptions::default().actors(actors).grid(grid).name("again");
        let kernel = track::launch(bench.runtime(), options).unwrap();
        for count in 1..=3 {
            let reply =
                kernel.call_blocking(Item { key: actors as u32 - 1, producer: 0, sequence: count }).unwrap();
            assert_eq!(reply.count, count);
        }
        // A reply can be received before its message is counted.
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!((status.sent, status.processed), (3, 3));
        kernel.terminate_blocking();
    }
}

/// a hundred kernels at once, each its own.
pub fn r14_a_hundred_kernels(bench: &Bench) {
    let launch = |i: u64| {
        let options = LaunchOptions::default().capacity(16).name(format!("kernel-{i}"));
        echo::launch(bench.runtime(), options).unwrap()
    };
    let kernels: Vec<_> = (0..100).map(launch).collect();
    assert_eq!(bench.runtime().kernels().len(), 100);
    for (i, kernel) in kernels.iter().enumerate() {
        eventually(|| kernel.status().is_active());
        let _ = kernel.try_send(number(i as u64)).unwrap();
        assert_eq!(balanced_eventually(kernel).sent, 1);
    }
    for kernel in &kernels {
        kernel.terminate_blocking();
    }
    assert!(bench.runtime().kernels().is_empty());
}

/// a hundred kernels at once, all busy, from several threads.
pub fn r14_a_hundred_busy_kernels(bench: &Bench) {
    let launch = |i: u64| {
        let options = LaunchOptions::default().capacity(64).actors(4).name(format!("kernel-{i}"));
        track::launch(bench.runtime(), options).unwrap()
    };
    let kernels: Vec<_> = (0..100).map(launch).collect();
    let rounds = bench.size(20, 200);
    thread::scope(|scope| {
        for part in kernels.chunks(25) {
            scope.spawn(move || {
                for sequence in 0..rounds {
                    for kernel in part {
                        let _ = kernel.send_blocking(Item { key: 1, producer: 0, sequence }).unwrap();
                    }
                    for kernel in part {
                        let reply = kernel.recv_blocking().unwrap();
                        assert_eq!(
                            (reply.sequence, reply.count),
                            (sequence, sequence + 1),
                            "{:?}",
                            kernel.status()
                        );
                    }
                }
            });
        }
    });
    for kernel in &kernels {
        // A reply can be received before its message is counted.
        drain(kernel);
        assert_eq!(balanced(kernel).processed, rounds);
    }
}

/// The status once it adds up: a reply can be received before its message is counted as consumed.
fn balanced_eventually(kernel: &annulus_runtime::KernelControl) -> annulus_runtime::KernelStatus {
    let adds_up = || {
        let status = kernel.status();
        status.sent == status.processed + status.drops.total() + status.pending
    };
    eventually(adds_up);
    kernel.status()
}
