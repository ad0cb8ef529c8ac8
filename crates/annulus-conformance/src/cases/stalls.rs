//! A kernel whose replies nobody reads waits between messages, and loses nothing.

use std::{pin::pin, sync::Mutex, thread, time::Duration};

use annulus_runtime::{
    Backpressure, BatchError, CallError, KernelHandle, KernelState, LaunchOptions, RecvError, SendError,
    Transition, TryRecvError, TrySendError, block_on,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    cases::messages::poll_once,
    kernels::{Item, echo, fan, number, numbers, odd, swallow, track},
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
    assert_eq!((status.processed, status.pending, status.outputs_waiting), (SLOTS, 10, SLOTS));
    kernel
}

/// Q-36, W-16: `capacity` is that of both rings unless `output_capacity` says another; each ring holds as many
/// messages as its own says.
pub fn q36_w16_each_ring_has_its_capacity(bench: &Bench) {
    for (inbound, outbound) in [(16, None), (64, Some(16)), (16, Some(64))] {
        let options = LaunchOptions::default().capacity(inbound).backpressure(Backpressure::Reject);
        let options = match outbound {
            Some(slots) => options.output_capacity(slots),
            None => options,
        };
        let (inbound, outbound) = (u64::from(inbound), u64::from(outbound.unwrap_or(inbound)));
        let kernel = echo::launch(bench.runtime(), options.active(false)).unwrap();
        let fill = |from: u64| {
            let accepted = (from..).take_while(|&value| kernel.try_send(number(value)).is_ok());
            accepted.count() as u64
        };
        assert_eq!(fill(0), inbound);
        kernel.activate_blocking().unwrap();
        let handled = inbound.min(outbound);
        eventually(|| kernel.status().processed == handled);
        kernel.deactivate_blocking().unwrap();
        let status = balanced(&kernel);
        assert_eq!((status.outputs_waiting, status.pending), (handled, inbound - handled));
        // What the outbound ring has room for, the kernel handles; the rest fills the inbound one again.
        let sent = inbound + fill(inbound);
        assert_eq!(sent, inbound + handled);
        kernel.activate_blocking().unwrap();
        let handled = outbound.min(sent);
        eventually(|| kernel.status().processed == handled);
        for value in 0..sent {
            assert_eq!(kernel.recv_blocking(), Ok(number(value)));
        }
    }
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
    assert_eq!((status.processed, status.stalled_shards, status.outputs_waiting), (SLOTS + 10, 0, 0));
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
    assert_eq!(status.outputs_waiting, SLOTS);
    assert_eq!(status.stalled_shards, 0, "it waits for nothing any more");
    for value in 0..SLOTS {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    assert_eq!(kernel.recv_blocking(), Err(RecvError::Closed));
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Closed));
}

/// A call gets its reply although outputs that nobody reads fill the outbound ring.
pub fn a_call_passes_unread_outputs(bench: &Bench) {
    let kernel = small(bench, "full");
    kernel.send_batch_blocking(&numbers(0..SLOTS)).unwrap();
    drain(&kernel);
    assert_eq!(balanced(&kernel).outputs_waiting, SLOTS);
    // More than any ring has slots.
    for value in 100..200 {
        assert_eq!(kernel.call_blocking(number(value)), Ok(number(value)));
    }
    let status = balanced(&kernel);
    assert_eq!((status.outputs_waiting, status.replies_waiting, status.stalled_shards), (SLOTS, 0, 0));
    for value in 0..SLOTS {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
}

/// So does a call without a reply, and one that fails.
pub fn a_call_without_an_output_passes_unread_outputs(bench: &Bench) {
    let options = LaunchOptions::default().output_capacity(SLOTS as u32);
    let silent = odd::launch(bench.runtime(), options.clone()).unwrap();
    silent.send_batch_blocking(&vec![number(1); SLOTS as usize]).unwrap();
    drain(&silent);
    assert_eq!(balanced(&silent).outputs_waiting, SLOTS);
    assert_eq!(silent.call_blocking(number(2)), Err(CallError::NoReply));
    let actors = track::launch(bench.runtime(), options.actors(1)).unwrap();
    let item = |key, sequence| Item { key, producer: 0, sequence };
    actors.send_batch_blocking(&(0..SLOTS).map(|sequence| item(0, sequence)).collect::<Vec<_>>()).unwrap();
    drain(&actors);
    assert_eq!(balanced(&actors).outputs_waiting, SLOTS);
    let code = annulus_abi::error::UNKNOWN_ACTOR;
    assert_eq!(actors.call_blocking(item(1, 0)).map(drop), Err(CallError::Failed { code, name: None }));
    assert_eq!(balanced(&actors).outputs_waiting, SLOTS);
}

/// A call that stands behind messages for whose outputs there is no room waits its turn, and gets it as soon
/// as there is.
pub fn a_call_waits_behind_a_stalled_message(bench: &Bench) {
    let options = LaunchOptions::default().capacity(16).output_capacity(SLOTS as u32).name("both full");
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    kernel.send_batch_blocking(&numbers(0..SLOTS)).unwrap();
    drain(&kernel);
    // In front of these there is room for a call. Of them the first has none.
    assert_eq!(kernel.call_blocking(number(99)), Ok(number(99)));
    kernel.send_batch_blocking(&numbers(SLOTS..SLOTS + 15)).unwrap();
    let mut call = pin!(kernel.call(number(100)));
    assert_eq!(poll_once(call.as_mut()), None);
    eventually(|| kernel.status().stalled_shards == 1);
    assert_eq!(poll_once(call.as_mut()), None);
    for value in 0..14 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    eventually(|| kernel.status().processed == SLOTS + 1 + 14);
    assert_eq!(poll_once(call.as_mut()), None);
    // Room for the last of the messages is room for the call, which needs none.
    assert_eq!(kernel.recv_blocking(), Ok(number(14)));
    assert_eq!(block_on(call), Ok(number(100)));
    for value in 15..SLOTS + 15 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
}

/// Of a call's outputs all but the first are outputs, and wait for room as such; it is not handled before
/// there is.
pub fn further_outputs_of_a_call_need_room(bench: &Bench) {
    let kernel =
        fan::launch(bench.runtime(), LaunchOptions::default().output_capacity(SLOTS as u32)).unwrap();
    kernel.send_batch_blocking(&[number(4); 4]).unwrap();
    drain(&kernel);
    assert_eq!(balanced(&kernel).outputs_waiting, SLOTS);
    let mut call = pin!(kernel.call(number(4)));
    assert_eq!(poll_once(call.as_mut()), None);
    eventually(|| kernel.status().stalled_shards == 1);
    for output in [100, 101] {
        assert_eq!(kernel.recv_blocking(), Ok(number(output)));
        assert_eq!(poll_once(call.as_mut()), None);
    }
    // The reply takes none: three are enough.
    assert_eq!(kernel.recv_blocking(), Ok(number(102)));
    assert_eq!(block_on(call), Ok(number(500)));
    drain(&kernel);
    assert_eq!(balanced(&kernel).outputs_waiting, SLOTS);
    let rest = (1..=4).flat_map(|turn| (0..4).map(move |i| turn * 100 + i)).skip(3);
    for output in rest.chain([501, 502, 503]) {
        assert_eq!(kernel.recv_blocking(), Ok(number(output)));
    }
}

/// Outputs come although replies wait that nobody takes: those of futures that nobody polls, more than there
/// are slots.
pub fn outputs_pass_unread_replies(bench: &Bench) {
    let options = LaunchOptions::default().capacity(16).output_capacity(SLOTS as u32);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    let calls = 3 * SLOTS;
    let mut waiting = Vec::new();
    for value in 0..calls {
        let mut call = Box::pin(kernel.call(number(1000 + value)));
        match poll_once(call.as_mut()) {
            None => waiting.push((value, call)),
            // It may be quick enough.
            Some(reply) => assert_eq!(reply, Ok(number(1000 + value))),
        }
        let _ = kernel.send_blocking(number(value)).unwrap();
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.outputs_waiting, status.replies_waiting), (0, waiting.len() as u64));
    // They are dropped, or awaited, from the last to the first.
    for (value, call) in waiting.into_iter().rev() {
        if value % 3 != 0 {
            assert_eq!(block_on(call), Ok(number(1000 + value)));
        }
    }
    assert_eq!(kernel.status().replies_waiting, 0);
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
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

/// A reply that has come is there when the kernel has ended, and takes no room from outputs that nobody has
/// read.
pub fn the_end_leaves_replies(bench: &Bench) {
    let kernel = small(bench, "ended");
    kernel.send_batch_blocking(&numbers(0..SLOTS)).unwrap();
    drain(&kernel);
    let mut calls: Vec<_> = (0..4).map(|value| Box::pin(kernel.call(number(100 + value)))).collect();
    let early: Vec<_> = calls.iter_mut().map(|call| poll_once(call.as_mut())).collect();
    drain(&kernel);
    kernel.terminate_blocking();
    for (value, (call, early)) in calls.into_iter().zip(early).enumerate() {
        assert_eq!(early.unwrap_or_else(|| block_on(call)), Ok(number(100 + value as u64)));
    }
    for value in 0..SLOTS {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    assert_eq!(kernel.recv_blocking(), Err(RecvError::Closed));
}

/// A call behind a message for whose output there is no room is told that the kernel terminated.
pub fn the_end_ends_calls_behind_a_full_ring(bench: &Bench) {
    let kernel = small(bench, "overfull");
    thread::scope(|scope| {
        kernel.deactivate_blocking().unwrap();
        kernel.send_batch_blocking(&numbers(0..SLOTS + 1)).unwrap();
        let call = scope.spawn(|| kernel.call_blocking(number(100)));
        eventually(|| kernel.status().pending == SLOTS + 2);
        kernel.activate_blocking().unwrap();
        eventually(|| kernel.status().processed == SLOTS && kernel.status().stalled_shards == 1);
        kernel.terminate_blocking();
        assert_eq!(call.join().unwrap(), Err(CallError::Terminated));
    });
    assert_eq!(kernel.take_undelivered(), [number(SLOTS), number(100)]);
    let received = std::iter::from_fn(|| kernel.recv_blocking().ok()).collect::<Vec<_>>();
    assert_eq!(received, numbers(0..SLOTS));
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
            assert_eq!((told[0].field("pending"), told[0].field("outputs_waiting")), ("16", "16"));
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
