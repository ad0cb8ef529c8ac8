//! The forms of each verb that other cases do not use: without waiting, as a future, blocking, for a time.

use std::{
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use annulus_runtime::{
    BatchError, KernelSink, KernelState, LaunchOptions, LifecycleError, Noop, RecvError, Runtime, SendError,
    ShutdownOutcome, TryRecvError, block_on,
};
use futures_sink::Sink;

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    cases::messages::poll_once,
    kernels::{Number, batch_echo, echo, number, numbers, swallow},
};

const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(5);

fn inactive(capacity: u32) -> LaunchOptions {
    LaunchOptions::default().capacity(capacity).active(false)
}

/// a batch goes as far as there is space, without waiting; what does not is counted as one refusal.
pub fn q14_a_batch_is_tried(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), inactive(16)).unwrap();
    assert_eq!(kernel.try_send_batch(&[]), Ok(()));
    assert_eq!(kernel.try_send_batch(&numbers(0..10)), Ok(()));
    let refused = |sent| Err(BatchError { sent, cause: SendError::Full(()) });
    assert_eq!(kernel.try_send_batch(&numbers(10..20)), refused(6));
    assert_eq!(kernel.try_send_batch(&numbers(16..20)), refused(0));
    let status = balanced(&kernel);
    assert_eq!((status.pending, status.drops.rejected), (16, 2));
    kernel.close();
    let closed = Err(BatchError { sent: 0, cause: SendError::Closed(()) });
    assert_eq!(kernel.try_send_batch(&numbers(16..20)), closed);
    kernel.terminate_blocking();
    assert_eq!(kernel.take_undelivered(), numbers(0..16));
    assert_eq!(balanced(&kernel).drops.rejected, 2);
}

/// under Reject all forms of a batch are refused alike.
pub fn q15_a_batch_is_refused(bench: &Bench) {
    let options = inactive(16).backpressure(annulus_runtime::Backpressure::Reject);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    let refused = |sent| Err(BatchError { sent, cause: SendError::Full(()) });
    assert_eq!(kernel.try_send_batch(&numbers(0..20)), refused(16));
    assert_eq!(kernel.send_batch_blocking(&numbers(0..20)), refused(0));
    assert_eq!(kernel.send_batch_timeout(&numbers(0..20), LONG), refused(0));
    assert_eq!(block_on(kernel.send_batch(&numbers(0..20))), refused(0));
    let status = balanced(&kernel);
    assert_eq!((status.pending, status.drops.rejected), (16, 4));
}

/// A batch that has a deadline goes in whole, or as far as it came.
pub fn a_batch_is_sent_in_time_or_in_part(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), inactive(16)).unwrap();
    assert_eq!(kernel.send_batch_timeout(&numbers(0..10), Duration::ZERO), Ok(()));
    let passed = Err(BatchError { sent: 6, cause: SendError::Timeout(()) });
    assert_eq!(kernel.send_batch_timeout(&numbers(10..30), SHORT), passed);
    let status = balanced(&kernel);
    assert_eq!((status.pending, status.drops.rejected), (16, 1));
    kernel.terminate_blocking();
    assert_eq!(kernel.take_undelivered(), numbers(0..16));
}

/// A batch with a deadline waits for space as one without does.
pub fn a_batch_waits_for_space(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), inactive(16).output_capacity(64)).unwrap();
    thread::scope(|scope| {
        let sender = scope.spawn(|| kernel.send_batch_timeout(&numbers(0..50), LONG));
        eventually(|| kernel.status().pending == 16);
        kernel.activate_blocking().unwrap();
        assert_eq!(sender.join().unwrap(), Ok(()));
    });
    let received: Vec<_> = (0..50).map(|_| kernel.recv_blocking().unwrap()).collect();
    assert_eq!(received, numbers(0..50));
}

/// All forms of a batch of outputs: those that are there, as many as are asked for, until the end.
pub fn batches_are_received(bench: &Bench) {
    let kernel = batch_echo::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
    let mut outputs = Vec::new();
    assert_eq!(kernel.recv_batch_timeout(&mut outputs, 8, SHORT), Err(RecvError::Timeout));
    assert_eq!(kernel.recv_batch_timeout(&mut outputs, 8, Duration::ZERO), Err(RecvError::Timeout));
    kernel.send_batch_blocking(&numbers(0..100)).unwrap();
    drain(&kernel);
    assert_eq!(kernel.recv_batch_blocking(&mut outputs, 8), Ok(8));
    assert_eq!(kernel.recv_batch_blocking(&mut outputs, 0), Ok(0));
    assert_eq!(kernel.recv_batch_timeout(&mut outputs, 10, LONG), Ok(10));
    assert_eq!(block_on(kernel.recv_batch(&mut outputs, 20)), Ok(20));
    kernel.terminate_blocking();
    assert_eq!(kernel.recv_batch_blocking(&mut outputs, 1000), Ok(62));
    assert_eq!(kernel.recv_batch_blocking(&mut outputs, 1000), Err(RecvError::Closed));
    assert_eq!(kernel.recv_batch_timeout(&mut outputs, 1000, LONG), Err(RecvError::Closed));
    assert_eq!(block_on(kernel.recv_batch(&mut outputs, 1000)), Err(RecvError::Closed));
    outputs.sort_unstable();
    assert_eq!(outputs, numbers(0..100));
}

/// Receivers of batches sleep until there is something, and see the end.
pub fn a_batch_is_waited_for(bench: &Bench) {
    let options = LaunchOptions::default().grid(2).spin(Duration::ZERO);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    let count = bench.size(2_000, 20_000);
    let mut received: Vec<Number> = thread::scope(|scope| {
        let blocking = scope.spawn(|| {
            let mut outputs = Vec::new();
            while kernel.recv_batch_blocking(&mut outputs, 7).is_ok() {}
            outputs
        });
        let future = scope.spawn(|| {
            let mut outputs = Vec::new();
            while block_on(kernel.recv_batch(&mut outputs, 7)).is_ok() {}
            outputs
        });
        for value in 0..count {
            let _ = kernel.send_blocking(number(value)).unwrap();
            if value % 50 == 0 {
                drain(&kernel);
            }
        }
        drain(&kernel);
        kernel.terminate_blocking();
        [blocking, future].into_iter().flat_map(|receiver| receiver.join().unwrap()).collect()
    });
    received.sort_unstable();
    assert_eq!(received, numbers(0..count));
}

/// A receive of a batch that is given up takes nothing.
pub fn a_dropped_receive_of_a_batch_loses_nothing(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let mut outputs = Vec::new();
    assert_eq!(poll_once(pin!(kernel.recv_batch(&mut outputs, 8))), None);
    kernel.send_batch_blocking(&numbers(0..3)).unwrap();
    drain(&kernel);
    assert_eq!(kernel.recv_batch_blocking(&mut outputs, 8), Ok(3));
    assert_eq!(outputs, numbers(0..3));
}

fn ready<K: annulus_kernel::RingKernel>(sink: &mut KernelSink<K>) -> Result<(), SendError<K::Message>> {
    block_on(std::future::poll_fn(|context| Pin::new(&mut *sink).poll_ready(context)))
}

fn poll_now<R>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<R>) -> Poll<R> {
    poll(&mut Context::from_waker(Waker::noop()))
}

/// A kernel is a sink; closing that closes the kernel.
pub fn messages_go_into_a_sink(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let mut sink = kernel.sink();
    for value in 0..50 {
        assert_eq!(ready(&mut sink), Ok(()));
        Pin::new(&mut sink).start_send(number(value)).unwrap();
    }
    let closed = block_on(std::future::poll_fn(|context| Pin::new(&mut sink).poll_close(context)));
    assert_eq!(closed, Ok(()), "and it sends what it was given last");
    assert!(!kernel.status().accepts_messages);
    let received: Vec<_> = (0..50).map(|_| kernel.recv_blocking().unwrap()).collect();
    assert_eq!(received, numbers(0..50));
    Pin::new(&mut sink).start_send(number(50)).unwrap();
    assert_eq!(ready(&mut sink), Err(SendError::Closed(number(50))), "the message comes back");
    assert_eq!(ready(&mut sink), Ok(()), "and the sink keeps nothing");
    assert_eq!(balanced(&kernel).sent, 50);
}

/// A sink is not ready while the message that it keeps has no space.
pub fn a_sink_waits_for_space(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), inactive(16)).unwrap();
    kernel.try_send_batch(&numbers(0..16)).unwrap();
    let mut sink = kernel.sink();
    assert_eq!(poll_now(|context| Pin::new(&mut sink).poll_ready(context)), Poll::Ready(Ok(())));
    Pin::new(&mut sink).start_send(number(16)).unwrap();
    assert!(poll_now(|context| Pin::new(&mut sink).poll_ready(context)).is_pending());
    assert!(poll_now(|context| Pin::new(&mut sink).poll_close(context)).is_pending());
    assert!(kernel.status().accepts_messages, "what it keeps comes first");
    kernel.activate_blocking().unwrap();
    assert_eq!(ready(&mut sink), Ok(()));
    let received: Vec<_> = (0..17).map(|_| kernel.recv_blocking().unwrap()).collect();
    assert_eq!(received, numbers(0..17));
    assert_eq!(balanced(&kernel).sent, 17);
}

/// A sink that is dropped while it waits sends nothing, and leaves the space to others.
pub fn a_dropped_sink_keeps_nobody_waiting(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), inactive(16)).unwrap();
    kernel.try_send_batch(&numbers(0..16)).unwrap();
    let mut sink = kernel.sink();
    Pin::new(&mut sink).start_send(number(100)).unwrap();
    assert!(poll_now(|context| Pin::new(&mut sink).poll_flush(context)).is_pending());
    thread::scope(|scope| {
        let sender = scope.spawn(|| kernel.send_timeout(number(16), LONG));
        thread::sleep(Duration::from_millis(2));
        drop(sink);
        kernel.activate_blocking().unwrap();
        assert!(sender.join().unwrap().is_ok());
    });
    let received: Vec<_> = (0..17).map(|_| kernel.recv_blocking().unwrap()).collect();
    assert_eq!(received, numbers(0..17));
    drain(&kernel);
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
}

/// A drain as a blocking call, with and without a limit.
pub fn a_drain_blocks(bench: &Bench) {
    let kernel = swallow::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
    for round in 1..=20 {
        kernel.send_batch_blocking(&numbers(0..100)).unwrap();
        if round % 2 == 0 {
            kernel.drained_blocking()
        } else {
            assert!(kernel.drained_timeout(LONG))
        }
        assert_eq!(balanced(&kernel).processed, round * 100);
    }
}

/// A drain that cannot end says so in time; a kernel without messages, or at its end, is drained.
pub fn a_drain_takes_its_time_at_most(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), inactive(16)).unwrap();
    assert!(kernel.drained_timeout(Duration::ZERO));
    let _ = kernel.try_send(number(1)).unwrap();
    assert!(!kernel.drained_timeout(SHORT));
    assert!(!kernel.drained_timeout(Duration::ZERO));
    kernel.terminate_blocking();
    assert!(kernel.drained_timeout(Duration::ZERO));
    kernel.drained_blocking();
}

/// Whoever waits for a kernel can do so for a time.
pub fn a_ready_kernel_is_waited_for_in_time(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
    assert_eq!(kernel.ready_timeout(LONG), Ok(()));
    assert!(kernel.status().is_active());
    assert_eq!(kernel.ready_timeout(Duration::ZERO), Ok(()));
    kernel.terminate_blocking();
    assert_eq!(kernel.ready_timeout(LONG), Err(LifecycleError::Terminated));
}

/// All kernels are shut down by a future, on any executor.
pub fn a_runtimes_shutdown_is_a_future(bench: &Bench) {
    let runtime = bench.runtime();
    let [a, b] = ["a", "b"].map(|name| {
        let kernel = swallow::launch(runtime, LaunchOptions::default().name(name)).unwrap();
        kernel.send_batch_blocking(&numbers(0..100)).unwrap();
        kernel
    });
    let outcomes = block_on(runtime.shutdown(LONG));
    assert_eq!(outcomes, ["a", "b"].map(|name| (name.to_owned(), ShutdownOutcome::Drained)));
    for kernel in [a, b] {
        assert_eq!((balanced(&kernel).processed, kernel.status().state), (100, KernelState::Terminated));
    }
    assert_eq!(block_on(runtime.shutdown(LONG)), []);
    assert_eq!(block_on(Runtime::builder().backend(Noop).build().unwrap().shutdown(LONG)), []);
}

/// Dropping that future does not stop it.
pub fn a_runtimes_shutdown_goes_on_without_its_future(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), inactive(16)).unwrap();
    let _ = poll_once(pin!(bench.runtime().shutdown(LONG)));
    eventually(|| kernel.status().state == KernelState::Terminated);
}
