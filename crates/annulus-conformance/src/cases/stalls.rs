//! A kernel whose replies nobody reads waits between messages, and loses nothing.

use std::{sync::Mutex, thread, time::Duration};

use annulus_runtime::{
    BatchError, CallError, KernelHandle, KernelState, LaunchOptions, RecvError, SendError, Transition,
    TryRecvError, TrySendError, block_on,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{echo, number, numbers, odd, swallow},
    prints::keeper,
};

const SLOTS: u64 = 16;

fn small(bench: &Bench, name: &str) -> KernelHandle<echo> {
    let options = LaunchOptions::default().capacity(64).output_capacity(SLOTS as u32).name(name);
    echo::launch(bench.runtime(), options).unwrap()
}

/// An echo whose outbound ring is full, with ten messages waiting.
fn stalled(bench: &Bench) -> KernelHandle<echo> {
    let kernel = small(bench, "stalled");
    kernel.send_batch_blocking(&numbers(0..SLOTS + 10)).unwrap();
    eventually(|| kernel.status().stalled_shards == 1);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.pending, status.replies_waiting), (SLOTS, 10, SLOTS));
    kernel
}

/// It shows as stalled, and goes on when the host reads.
pub fn unread_replies_stall_the_kernel(bench: &Bench) {
    let kernel = stalled(bench);
    let status = kernel.status();
    assert!(status.to_string().contains("1 of 1 shards stalled"), "{status}");
    for value in 0..SLOTS + 10 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.stalled_shards, status.replies_waiting), (SLOTS + 10, 0, 0));
}

/// So does one that still looked busily for messages when there was no room left, and then went to sleep.
pub fn a_busy_block_stalls_as_well(bench: &Bench) {
    let options = LaunchOptions::default().output_capacity(SLOTS as u32).spin(Duration::from_millis(10));
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    kernel.send_batch_blocking(&numbers(0..SLOTS)).unwrap();
    drain(&kernel);
    let _ = kernel.send_blocking(number(SLOTS)).unwrap();
    thread::sleep(Duration::from_millis(30));
    for value in 0..=SLOTS {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
}

/// It can be deactivated, activated and closed meanwhile.
pub fn a_stalled_kernel_obeys(bench: &Bench) {
    let kernel = stalled(bench);
    assert_eq!(kernel.deactivate_blocking(), Ok(Transition::Done));
    assert_eq!(kernel.recv_blocking(), Ok(number(0)));
    assert_eq!(balanced(&kernel).processed, SLOTS);
    assert_eq!(kernel.activate_blocking(), Ok(Transition::Done));
    kernel.close();
    assert_eq!(kernel.try_send(number(9)), Err(TrySendError::Closed(number(9))));
    for value in 1..SLOTS + 10 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    drain(&kernel);
}

/// Terminating hands back what was not handled; what was answered can still be received.
pub fn a_stalled_kernel_terminates(bench: &Bench) {
    let kernel = stalled(bench);
    assert_eq!(kernel.terminate_blocking(), Transition::Done);
    assert_eq!(kernel.take_undelivered(), numbers(SLOTS..SLOTS + 10));
    let status = balanced(&kernel);
    assert_eq!((status.state, status.drops.undelivered), (KernelState::Terminated, 10));
    assert_eq!(status.replies_waiting, SLOTS);
    assert_eq!(status.stalled_shards, 0, "it waits for nothing any more");
    for value in 0..SLOTS {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    assert_eq!(kernel.recv_blocking(), Err(RecvError::Closed));
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Closed));
}

/// A call gets its reply although older replies fill the outbound ring: they are put aside, and received
/// later.
pub fn a_call_passes_unread_replies(bench: &Bench) {
    let kernel = small(bench, "full");
    kernel.send_batch_blocking(&numbers(0..SLOTS)).unwrap();
    drain(&kernel);
    assert_eq!(balanced(&kernel).replies_waiting, SLOTS);
    assert_eq!(kernel.call_blocking(number(100)), Ok(number(100)));
    for value in 0..SLOTS {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
}

/// The same, while the kernel is stalled and its queue full.
pub fn a_call_wakes_a_stalled_kernel(bench: &Bench) {
    let options = LaunchOptions::default().capacity(16).output_capacity(SLOTS as u32).name("both full");
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    kernel.send_batch_blocking(&numbers(0..SLOTS)).unwrap();
    drain(&kernel);
    kernel.send_batch_blocking(&numbers(SLOTS..SLOTS + 15)).unwrap();
    assert_eq!(kernel.call_blocking(number(100)), Ok(number(100)));
    for value in 0..SLOTS + 15 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
}

/// Replies of calls that were given up take no room from anybody.
pub fn replies_that_nobody_wants_stall_nobody(bench: &Bench) {
    let kernel = small(bench, "given up");
    let silent = swallow::launch(bench.runtime(), LaunchOptions::default().output_capacity(16)).unwrap();
    let picky = odd::launch(bench.runtime(), LaunchOptions::default().output_capacity(16)).unwrap();
    for value in 0..100 {
        for result in [
            kernel.call_timeout(number(value), Duration::ZERO).map(drop),
            silent.call_timeout(number(value), Duration::ZERO).map(drop),
            picky.call_timeout(number(value * 2), Duration::ZERO).map(drop),
        ] {
            // A call may well be quick enough.
            assert!(matches!(result, Ok(()) | Err(CallError::Timeout | CallError::NoReply)), "{result:?}");
        }
    }
    drain(&kernel);
    drain(&silent);
    drain(&picky);
    assert_eq!(silent.call_blocking(number(1)), Err(CallError::NoReply));
    assert_eq!(picky.call_blocking(number(1)), Ok(number(1)));
    assert_eq!(kernel.call_blocking(number(1)), Ok(number(1)));
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
}

/// A call whose reply stands behind replies that nobody reads ends when the kernel does.
pub fn the_end_brings_replies_that_were_held_up(bench: &Bench) {
    let kernel = small(bench, "held up");
    thread::scope(|scope| {
        // A call that waits for ever: the kernel handles it last.
        kernel.deactivate_blocking().unwrap();
        kernel.send_batch_blocking(&numbers(0..3 * SLOTS - 1)).unwrap();
        let call = scope.spawn(|| kernel.call_blocking(number(100)));
        eventually(|| kernel.status().pending == 3 * SLOTS);
        kernel.activate_blocking().unwrap();
        drain(&kernel);
        kernel.terminate_blocking();
        assert_eq!(call.join().unwrap(), Ok(number(100)));
    });
    for value in 0..3 * SLOTS - 1 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    assert_eq!(kernel.recv_blocking(), Err(RecvError::Closed));
}

/// A call that did not fit even so is told that the kernel terminated.
pub fn the_end_ends_calls_behind_a_full_ring(bench: &Bench) {
    let kernel = small(bench, "overfull");
    thread::scope(|scope| {
        kernel.deactivate_blocking().unwrap();
        kernel.send_batch_blocking(&numbers(0..3 * SLOTS + 1)).unwrap();
        let call = scope.spawn(|| kernel.call_blocking(number(100)));
        eventually(|| kernel.status().pending == 3 * SLOTS + 2);
        kernel.activate_blocking().unwrap();
        // Two rings put aside and one full is as much as there is room for.
        eventually(|| kernel.status().processed == 3 * SLOTS);
        kernel.terminate_blocking();
        assert_eq!(call.join().unwrap(), Err(CallError::Terminated));
    });
    assert_eq!(kernel.take_undelivered(), [number(3 * SLOTS), number(100)]);
    let received = std::iter::from_fn(|| kernel.recv_blocking().ok()).collect::<Vec<_>>();
    assert_eq!(received, numbers(0..3 * SLOTS));
}

/// Two kernels that send to each other through the host go round as long as there is room anywhere.
pub fn a_cycle_of_kernels_goes_round(bench: &Bench) {
    let launch = |name| {
        let options =
            LaunchOptions::default().capacity(16).output_capacity(16).name(name).spin(Duration::ZERO);
        echo::launch(bench.runtime(), options).unwrap()
    };
    let (one, two) = (launch("one"), launch("two"));
    let laps = bench.size(100, 2_000);
    let messages = 40;
    thread::scope(|scope| {
        let back = scope.spawn(|| {
            while let Ok(message) = one.recv_blocking() {
                if two.send_blocking(message).is_err() {
                    return;
                }
            }
        });
        numbers(0..messages).into_iter().for_each(|message| {
            let _ = one.send_blocking(message).unwrap();
        });
        let mut seen = vec![0; messages as usize];
        let mut finished = 0;
        while finished < messages {
            let message = two.recv_blocking().unwrap();
            let lap = &mut seen[message.value as usize];
            *lap += 1;
            if *lap == laps {
                finished += 1;
            } else {
                let _ = one.send_blocking(message).unwrap();
            }
        }
        one.terminate_blocking();
        back.join().unwrap();
    });
    assert_eq!(balanced(&one).processed, messages * laps);
    drain(&two);
    assert_eq!(balanced(&two).processed, messages * laps);
}

/// A cycle that is full everywhere stands still, shows it, and can be terminated.
pub fn a_full_cycle_can_be_terminated(bench: &Bench) {
    let launch = |name| {
        let options = LaunchOptions::default().capacity(16).output_capacity(16).name(name);
        echo::launch(bench.runtime(), options).unwrap()
    };
    let (one, two) = (launch("one"), launch("two"));
    thread::scope(|scope| {
        let forward = |from: &KernelHandle<echo>, to: &KernelHandle<echo>| {
            while let Ok(message) = from.recv_blocking() {
                if to.send_blocking(message).is_err() {
                    return;
                }
            }
        };
        let (one, two) = (&one, &two);
        let threads = [scope.spawn(move || forward(one, two)), scope.spawn(move || forward(two, one))];
        let filler = scope.spawn(|| while one.send_blocking(number(0)).is_ok() {});
        eventually(|| one.status().stalled_shards == 1 && two.status().stalled_shards == 1);
        one.terminate_blocking();
        two.terminate_blocking();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        filler.join().unwrap();
    });
    balanced(&one);
    balanced(&two);
}

/// A send that waits for a second, while nothing goes on, is told of once, with what it waits for; whichever
/// kind of send it is.
pub fn a_send_that_waits_says_for_what(bench: &Bench) {
    static NEXT: Mutex<u32> = Mutex::new(0);
    let number_of_this = {
        let mut next = NEXT.lock().unwrap();
        *next += 1;
        *next
    };
    let _ = keeper();
    let launch = |kind: &str, active: bool| {
        let name = format!("waits {kind} {number_of_this}");
        let options = LaunchOptions::default().capacity(16).output_capacity(16).name(name).active(active);
        echo::launch(bench.runtime(), options).unwrap()
    };
    let [blocking, awaiting, batch] = ["blocking", "awaiting", "in a batch"].map(|kind| launch(kind, true));
    let inactive = launch("inactive", false);
    let told = |kernel: &KernelHandle<echo>| keeper().stalls_of(kernel.name());
    thread::scope(|scope| {
        scope.spawn(|| {
            for value in 0..50 {
                let _ = blocking.send_blocking(number(value)).unwrap();
            }
        });
        scope.spawn(|| {
            block_on(async {
                for value in 0..50 {
                    let _ = awaiting.send(number(value)).await.unwrap();
                }
            });
        });
        scope.spawn(|| batch.send_batch_blocking(&numbers(0..50)).unwrap());
        scope.spawn(|| {
            let sent = inactive.send_batch_blocking(&numbers(0..17));
            assert_eq!(sent, Err(BatchError { sent: 16, cause: SendError::Closed(()) }));
        });
        for kernel in [&blocking, &awaiting, &batch] {
            eventually(|| !told(kernel).is_empty());
            let told = told(kernel);
            let text = &told[0].message;
            let says = |part: &str| assert!(text.contains(part), "{part:?} is not in: {text}");
            says(&format!("a send to `{}` has waited for 1.", kernel.name()));
            says("its inbound ring of 16 slots is full");
            says("with 16 outputs that nobody has received: receive while you send");
            says("or raise output_capacity");
            assert_eq!((told[0].field("pending"), told[0].field("replies_waiting")), ("16", "16"));
        }
        eventually(|| !told(&inactive).is_empty());
        assert!(told(&inactive)[0].message.ends_with("is full, and it is inactive: activate it"));
        inactive.close();
        for kernel in [&blocking, &awaiting, &batch] {
            for value in 0..50 {
                assert_eq!(kernel.recv_blocking(), Ok(number(value)));
            }
        }
    });
    for kernel in [&blocking, &awaiting, &batch, &inactive] {
        assert_eq!(told(kernel).len(), 1, "{:?}", told(kernel));
    }
}
