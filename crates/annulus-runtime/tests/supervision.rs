//! E-05: a kernel that was lost is launched again, with what was left, as often as its supervisor allows.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{
    sync::{Arc, Barrier, Mutex},
    thread,
    time::{Duration, Instant},
};

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::{
    CallError, Ending, KernelHandle, LaunchOptions, Runtime, ShutdownOutcome, block_on,
    prelude::Outbox,
    resilience::{Cause, NotRunning, Supervised, SupervisedState, Supervisor},
};
use losing::Losing;

mod losing;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn echo(number: &Number, out: &Outbox<Number>) {
    out.send(*number);
}

impl Losing {
    fn lose(&self, number: usize, why: &str) {
        let signals = Arc::clone(&self.0.lock().unwrap()[number]);
        signals.lost(why);
    }

    fn launched(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

const MILLISECOND: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(600);

fn eventually(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < LONG, "it takes too long");
        thread::sleep(MILLISECOND);
    }
}

fn fast() -> Supervisor {
    Supervisor::new().pauses(MILLISECOND, 2 * MILLISECOND)
}

/// Of each launch: its number, its cause, and what was left.
type Starts = Arc<Mutex<Vec<(u64, Option<Cause>, Vec<u64>)>>>;

fn supervised(supervisor: Supervisor, backend: &Losing) -> (Supervised<echo>, Starts) {
    let runtime = Runtime::builder().backend(backend.clone()).build().unwrap();
    let starts = Starts::default();
    let told = Arc::clone(&starts);
    let supervised = supervisor
        .start(move |start| {
            let values = start.undelivered.iter().map(|number: &Number| number.value).collect();
            told.lock().unwrap().push((start.number, start.cause.cloned(), values));
            let kernel = echo::launch(&runtime, LaunchOptions::production().name("served"))?;
            kernel.try_send_batch(start.undelivered)?;
            Ok(kernel)
        })
        .unwrap();
    (supervised, starts)
}

fn send(kernel: &KernelHandle<echo>, value: u64) {
    let _ = kernel.try_send(Number { value }).unwrap();
}

#[test]
fn e05_a_lost_kernel_is_launched_again_with_what_was_left() {
    let backend = Losing::default();
    let (supervised, starts) = supervised(fast(), &backend);
    let first = supervised.kernel().unwrap();
    (0..3).for_each(|value| send(&first, value));
    backend.lose(0, "the fan is broken");
    assert_eq!(first.ended_blocking(), Ending::Lost);
    assert!(first.status().to_string().ends_with("; the fan is broken"), "{}", first.status());
    assert_eq!(first.call_blocking(Number { value: 9 }), Err(CallError::Closed));

    eventually(|| supervised.status().restarts == 1);
    let second = supervised.running_timeout(LONG).unwrap();
    assert_eq!(second.status().pending, 3);
    assert_eq!(second.status().notes, ["restart 1, since it was lost: the fan is broken"]);
    let cause = Cause::Lost("the fan is broken".into());
    assert_eq!(*starts.lock().unwrap(), [(0, None, vec![]), (1, Some(cause.clone()), vec![0, 1, 2])]);
    assert_eq!(
        supervised.status().to_string(),
        "served: runs, 1 restart, the last cause: it was lost: the fan is broken"
    );

    // And once more, with one message that came in between.
    send(&second, 3);
    backend.lose(1, "again");
    eventually(|| supervised.status().restarts == 2);
    assert_eq!(starts.lock().unwrap()[2].2, [0, 1, 2, 3]);
    let third = block_on(supervised.running()).unwrap();
    let shutdown = supervised.shutdown_blocking(Duration::ZERO);
    assert_eq!(shutdown.undelivered.len(), 4);
    assert_eq!(third.ended_blocking(), Ending::Asked);
    assert_eq!(backend.launched(), 3);
}

#[test]
fn e05_it_is_given_up_after_too_many_restarts() {
    let backend = Losing::default();
    let (supervised, _) = supervised(fast().restarts(2, LONG), &backend);
    send(&supervised.kernel().unwrap(), 7);
    for number in 0..3 {
        backend.lose(number, &format!("loss {number}"));
        eventually(|| {
            backend.launched() == number + 2 || supervised.status().state == SupervisedState::GaveUp
        });
    }
    let error = supervised.running_timeout(LONG).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`served` was given up after 2 restarts within 10 min 0 s, since it was lost: loss 2: remove the cause, \
         or allow more restarts with `Supervisor::restarts`"
    );
    assert_eq!((supervised.status().state, supervised.status().restarts), (SupervisedState::GaveUp, 2));
    assert_eq!(backend.launched(), 3);
    // What nobody has handled is not lost.
    let shutdown = supervised.shutdown_blocking(LONG);
    assert_eq!(shutdown.outcome, ShutdownOutcome::AlreadyTerminated);
    assert_eq!(shutdown.undelivered, [Number { value: 7 }]);
}

/// What is missing is told by the name that it ran under last, whatever the first one's was.
#[test]
fn o01_a_missing_kernel_has_the_name_that_it_ran_under() {
    let backend = Losing::default();
    let runtime = Runtime::builder().backend(backend.clone()).build().unwrap();
    let place = runtime.clone();
    let supervised = fast()
        .restarts(1, LONG)
        .start(move |start| {
            let options = LaunchOptions::production().name(format!("served {}", start.number));
            Ok(echo::launch(&place, options)?)
        })
        .unwrap();
    backend.lose(0, "loss 0");
    eventually(|| supervised.status().restarts == 1);
    assert!(runtime.missing().is_empty());
    backend.lose(1, "loss 1");
    eventually(|| supervised.status().state == SupervisedState::GaveUp);
    let missing: Vec<String> = runtime.missing().iter().map(ToString::to_string).collect();
    assert_eq!(missing, ["`served 1` was given up, since it was lost: loss 1"]);
}

/// Launches that fail and panic count as restarts, and what was left is offered again.
#[test]
fn e05_failing_launches_count() {
    let backend = Losing::default();
    let runtime = Runtime::builder().backend(backend.clone()).build().unwrap();
    let left = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&left);
    let supervised = fast()
        .restarts(5, LONG)
        .start(move |start| {
            told.lock().unwrap().push(start.undelivered.len());
            match start.number {
                1 => Err("no place".into()),
                2 => panic!("the launch's own fault"),
                _ => Ok(echo::launch(&runtime, LaunchOptions::production())?),
            }
        })
        .unwrap();
    send(&supervised.kernel().unwrap(), 1);
    backend.lose(0, "loss");
    eventually(|| supervised.status().restarts == 1);
    assert_eq!(*left.lock().unwrap(), [0, 1, 1, 1]);
    assert_eq!(supervised.status().cause, Some(Cause::NotLaunched("it panicked".into())));
    assert!(supervised.kernel().is_ok());

    // The first launch's error is the caller's.
    let error = Supervisor::new().start::<echo>(|_| Err("nothing here".into())).unwrap_err();
    assert_eq!(error.to_string(), "nothing here");
}

/// What the program ends stays ended, and who no longer holds it ends it.
#[test]
fn e05_what_the_program_ends_stays_ended() {
    let backend = Losing::default();
    let (ended, _) = supervised(fast(), &backend);
    let kernel = ended.kernel().unwrap();
    send(&kernel, 4);
    kernel.terminate_blocking();
    eventually(|| ended.status().state == SupervisedState::Ended(Ending::Asked));
    assert_eq!(
        ended.kernel().unwrap_err().to_string(),
        "`served` has ended, and is not launched again: terminated"
    );
    // What it left is the program's, which has ended it.
    assert_eq!(kernel.take_undelivered(), [Number { value: 4 }]);
    assert!(ended.shutdown_blocking(LONG).undelivered.is_empty());
    let (dropped, _) = supervised(fast(), &backend);
    let control = (*dropped.kernel().unwrap()).clone();
    drop(dropped);
    assert_eq!(control.ended_blocking(), Ending::Asked);
    assert_eq!(backend.launched(), 2);
}

/// While it waits, callers are told why and for how long; a shutdown does not wait for the pause.
#[test]
fn e05_a_pause_says_how_long_it_lasts() {
    let backend = Losing::default();
    let (supervised, _) = supervised(Supervisor::new().pauses(LONG, LONG), &backend);
    send(&supervised.kernel().unwrap(), 5);
    backend.lose(0, "loss");
    let is_long = |found| match found {
        Err(NotRunning::Restarting { name, after, .. }) => name == "served" && after > LONG / 2,
        _ => false,
    };
    eventually(|| is_long(supervised.kernel()));
    assert!(is_long(supervised.running_timeout(MILLISECOND)));
    let text = supervised.kernel().unwrap_err().to_string();
    assert!(text.starts_with("`served` is launched again in ") && text.ends_with(": loss"), "{text}");
    // Who waits for it hears that nobody launches it again.
    thread::scope(|scope| {
        let waits = scope.spawn(|| block_on(supervised.running()));
        assert_eq!(supervised.shutdown_blocking(LONG).undelivered, [Number { value: 5 }]);
        assert!(matches!(waits.join().unwrap(), Err(NotRunning::Ended { ending: Ending::Asked, .. })));
    });
    assert_eq!(supervised.status().state, SupervisedState::Ended(Ending::Asked));
    assert_eq!(backend.launched(), 1);
}

/// A kernel that is lost after it was told to end has ended as the program wanted.
#[test]
fn e05_a_loss_after_the_end_is_no_loss() {
    let backend = Losing::default();
    let runtime = Runtime::builder().backend(backend.clone()).build().unwrap();
    let kernel = echo::launch(&runtime, LaunchOptions::production()).unwrap();
    kernel.terminate_blocking();
    backend.lose(0, "late");
    assert_eq!(kernel.status().ending, Some(Ending::Asked));
    let lost = echo::launch(&runtime, LaunchOptions::production()).unwrap();
    backend.lose(1, "first");
    backend.lose(1, "second");
    assert_eq!(lost.status().ending, Some(Ending::Lost));
    assert_eq!(lost.status().notes, ["first"]);
}

/// A shutdown while the kernel is being launched again gets that kernel, with what was sent to it again.
#[test]
fn e05_a_shutdown_waits_for_a_launch() {
    let backend = Losing::default();
    let runtime = Runtime::builder().backend(backend.clone()).build().unwrap();
    let gate = Arc::new(Barrier::new(2));
    let its = Arc::clone(&gate);
    let supervised = fast()
        .start(move |start| {
            if start.number != 0 {
                its.wait();
                its.wait();
            }
            let kernel = echo::launch(&runtime, LaunchOptions::production())?;
            kernel.try_send_batch(start.undelivered)?;
            Ok(kernel)
        })
        .unwrap();
    send(&supervised.kernel().unwrap(), 3);
    backend.lose(0, "loss");
    gate.wait();
    let shutdown = thread::scope(|scope| {
        let shutdown = scope.spawn(|| supervised.shutdown_blocking(Duration::ZERO));
        gate.wait();
        shutdown.join().unwrap()
    });
    assert_eq!(shutdown.undelivered, [Number { value: 3 }]);
    assert_eq!(backend.launched(), 2);
}
