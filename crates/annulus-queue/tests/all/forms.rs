//! Forms of the batch operations, on every pair of ends: as futures, and with a timeout.

use std::{
    future::Future,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use annulus_queue::{
    Deduplication, MessageQueue, QueueOptions, RecvError, SendError, SendOutcome, queue,
    single_consumer::{mpsc, spsc},
    spmc::spmc,
};
use annulus_sync::wait::block_on;
use futures_core::Stream;
use futures_sink::Sink;

const SHORT: Duration = Duration::from_millis(2);
const LONG: Duration = Duration::from_secs(3600);

fn options() -> QueueOptions {
    QueueOptions::new().capacity(16)
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// What holds for each pair of ends. The receiver is not used while the sender's future is.
macro_rules! forms {
    ($($name:ident: $make:expr;)+) => {$(
        mod $name {
            use super::*;

            #[test]
            #[allow(unused_mut, reason = "some ends are shared")]
            fn a_batch_that_waits_goes_on_when_there_is_space() {
                let (mut tx, mut rx) = $make;
                let mut back = Vec::new();
                let mut sending = Box::pin(tx.send_batch(0..40, |message| back.push(message)));
                assert!(poll(sending.as_mut()).is_pending());
                let mut received = Vec::new();
                assert_eq!(rx.try_recv_batch(100, |message| received.push(message)), 16);
                assert!(poll(sending.as_mut()).is_pending());
                while received.len() < 40 {
                    rx.try_recv_batch(100, |message| received.push(message));
                    if let Poll::Ready(queued) = poll(sending.as_mut()) {
                        assert_eq!(queued, 40);
                        break;
                    }
                }
                drop(sending);
                rx.try_recv_batch(100, |message| received.push(message));
                assert_eq!((received, back), ((0..40).collect(), vec![]));
            }

            #[test]
            #[allow(unused_mut, reason = "some ends are shared")]
            fn a_batch_that_is_given_up_is_sent_in_part() {
                let (mut tx, mut rx) = $make;
                let mut sending = Box::pin(tx.send_batch(0..40, |_| ()));
                assert!(poll(sending.as_mut()).is_pending());
                drop(sending);
                let mut received = Vec::new();
                rx.try_recv_batch(100, |message| received.push(message));
                assert_eq!(received, (0..16).collect::<Vec<_>>());
                assert_eq!(tx.try_send(16), Ok(SendOutcome::Accepted), "nobody keeps the space");
            }

            #[test]
            #[allow(unused_mut, reason = "some ends are shared")]
            fn a_closed_queue_hands_a_batch_back() {
                let (mut tx, mut rx) = $make;
                tx.close();
                let mut back = Vec::new();
                assert_eq!(block_on(tx.send_batch(0..3, |message| back.push(message))), 0);
                assert_eq!(tx.send_batch_timeout(3..5, LONG, |message| back.push(message)), 0);
                assert_eq!(back, [0, 1, 2, 3, 4]);
                assert_eq!(block_on(rx.recv_batch(8, |_: i32| ())), Err(RecvError::Closed));
                assert_eq!(rx.recv_batch_timeout(8, LONG, |_| ()), Err(RecvError::Closed));
            }

            #[test]
            #[allow(unused_mut, reason = "some ends are shared")]
            fn a_batch_has_a_deadline() {
                let (mut tx, mut rx) = $make;
                let mut back = Vec::new();
                assert_eq!(tx.send_batch_timeout(0..10, Duration::ZERO, |message| back.push(message)), 10);
                assert_eq!(tx.send_batch_timeout(10..20, SHORT, |message| back.push(message)), 6);
                assert_eq!(back, (16..20).collect::<Vec<_>>());
                let mut received = Vec::new();
                assert_eq!(rx.recv_batch_timeout(10, Duration::ZERO, |message| received.push(message)), Ok(10));
                assert_eq!(rx.recv_batch_timeout(10, LONG, |message| received.push(message)), Ok(6));
                assert_eq!(rx.recv_batch_timeout(10, SHORT, |_| ()), Err(RecvError::Timeout));
                assert_eq!(rx.recv_batch_timeout(0, LONG, |_| ()), Ok(0));
                assert_eq!(received, (0..16).collect::<Vec<_>>());
            }

            #[test]
            #[allow(unused_mut, reason = "some ends are shared")]
            fn a_receive_of_a_batch_waits_and_takes_nothing_if_it_is_given_up() {
                let (mut tx, mut rx) = $make;
                let mut receiving = Box::pin(rx.recv_batch(8, |_| ()));
                assert!(poll(receiving.as_mut()).is_pending());
                drop(receiving);
                thread::scope(|scope| {
                    let receiver = scope.spawn(|| {
                        let mut received = Vec::new();
                        while block_on(rx.recv_batch(8, |message| received.push(message))).is_ok() {}
                        received
                    });
                    assert_eq!(block_on(tx.send_batch(0..1000, |_| ())), 1000);
                    tx.flush_blocking();
                    assert!(tx.is_empty());
                    tx.close();
                    assert_eq!(receiver.join().unwrap(), (0..1000).collect::<Vec<_>>());
                });
            }
        }
    )+};
}

forms! {
    of_a_queue: queue(options()).unwrap();
    of_spmc: spmc(options()).unwrap();
    of_spsc: spsc(options()).unwrap();
    of_mpsc: mpsc(options()).unwrap();
    of_a_message_queue: {
        let queue = MessageQueue::new(options()).unwrap();
        (queue.clone(), queue)
    };
    of_a_message_queue_with_policies: {
        let queue = MessageQueue::new(options().priority(true)).unwrap();
        (queue.clone(), queue)
    };
}

/// The sink of a queue with policies asks each message once what the policies need, and lets it wait.
#[test]
fn a_message_queue_is_a_sink_and_a_stream() {
    let options = options().deduplication(Deduplication::ByPayload).deduplication_window(16);
    let queue = MessageQueue::<u32>::new(options).unwrap();
    let mut sink = pin!(queue.sink());
    let mut context = Context::from_waker(Waker::noop());
    for number in (0..16).chain([3, 3]) {
        assert_eq!(sink.as_mut().poll_ready(&mut context), Poll::Ready(Ok(())));
        sink.as_mut().start_send(number).unwrap();
    }
    assert_eq!(sink.as_mut().poll_flush(&mut context), Poll::Ready(Ok(())));
    assert_eq!((queue.len(), queue.counters().duplicate), (16, 2));
    sink.as_mut().start_send(100).unwrap();
    assert!(sink.as_mut().poll_flush(&mut context).is_pending());
    let mut messages = pin!(queue.messages());
    for number in 0..16 {
        assert_eq!(messages.as_mut().poll_next(&mut context), Poll::Ready(Some(number)));
    }
    assert_eq!(sink.as_mut().poll_close(&mut context), Poll::Ready(Ok(())));
    assert_eq!(messages.as_mut().poll_next(&mut context), Poll::Ready(Some(100)));
    assert_eq!(messages.as_mut().poll_next(&mut context), Poll::Ready(None));
    sink.as_mut().start_send(101).unwrap();
    assert_eq!(sink.as_mut().poll_flush(&mut context), Poll::Ready(Err(SendError::Closed(101))));
}
