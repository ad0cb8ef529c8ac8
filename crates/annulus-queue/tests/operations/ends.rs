//! One interface for all ends.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use annulus_queue::{
    Counters, RecvError, SendError, TryRecvError, TrySendError,
    single_consumer::{self, ProducerMode},
    spmc,
};
use futures_core::Stream;
use futures_sink::Sink;

use super::{Item, Sent, number};

pub(super) trait Ends {
    /// Whether a receiver can close.
    const RECEIVERS_CLOSE: bool;
    /// Whether a reservation that was made before the close is accepted after it.
    const COMMIT_IS_FINAL: bool;

    fn send(&mut self, item: Item) -> Sent;
    fn send_batch(&mut self, items: Vec<Item>, back: &mut Vec<Item>) -> usize;
    /// Reserves, writes twice, closes by the receiver (if `close`, and if receivers can), and commits.
    fn reserve(&mut self, item: Item, close: bool) -> Result<(), TrySendError<()>>;
    fn reserve_and_drop(&mut self, item: Item) -> Result<(), TrySendError<()>>;
    fn receive(&mut self) -> Result<Item, TryRecvError>;
    fn receive_batch(&mut self, most: usize) -> Vec<Item>;
    /// `None` if the receiver has no peek.
    fn peek(&mut self) -> Option<Result<u32, TryRecvError>>;
    fn drain(&mut self) -> Vec<Item>;
    fn clear(&mut self) -> usize;
    fn flush(&mut self) -> bool;
    /// Polls once, then drops the future.
    fn poll_send(&mut self, item: Item) -> Poll<Sent>;
    fn poll_receive(&mut self) -> Poll<Result<Item, TryRecvError>>;
    fn poll_sink(&mut self, item: Item) -> Poll<bool>;
    fn poll_stream(&mut self) -> Poll<Option<Item>>;
    fn close(&mut self) -> bool;
    fn len(&self) -> usize;
    fn is_closed(&self) -> bool;
    fn counters(&self) -> Counters;
    /// Drops the receivers, then the senders.
    fn abandon(self) -> Counters;
}

fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn poll_sink_once(sink: impl Sink<Item>, item: Item) -> Poll<bool> {
    let mut sink = pin!(sink);
    let context = &mut Context::from_waker(Waker::noop());
    assert!(matches!(sink.as_mut().poll_ready(context), Poll::Ready(Ok(()))), "a fresh sink is ready");
    assert!(sink.as_mut().start_send(item).is_ok());
    sink.poll_flush(context).map(|outcome| outcome.is_ok())
}

fn poll_stream_once(stream: impl Stream<Item = Item>) -> Poll<Option<Item>> {
    pin!(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

fn sent(outcome: Result<annulus_queue::SendOutcome<Item>, SendError<Item>>) -> Sent {
    outcome.map_err(|error| match error {
        SendError::Full(item) => TrySendError::Full(item),
        SendError::Closed(item) => TrySendError::Closed(item),
        other => panic!("no other error is possible: {other}"),
    })
}

fn received(outcome: Result<Item, RecvError>) -> Result<Item, TryRecvError> {
    outcome.map_err(|error| {
        assert_eq!(error, RecvError::Closed);
        TryRecvError::Closed
    })
}

macro_rules! ends {
    (
        [$($generics:tt)*] $tx:ty, $rx:ty, receivers_close: $closes:expr, commit_is_final: $final:expr,
        |$rxa:ident| $close_there:expr, |$commit:ident| $committed:expr, |$rxb:ident| $peek:expr
    ) => {
        impl<$($generics)*> Ends for ($tx, $rx) {
            const RECEIVERS_CLOSE: bool = $closes;
            const COMMIT_IS_FINAL: bool = $final;

            fn send(&mut self, item: Item) -> Sent {
                self.0.try_send(item)
            }

            fn send_batch(&mut self, items: Vec<Item>, back: &mut Vec<Item>) -> usize {
                self.0.try_send_batch(items, |item| back.push(item))
            }

            fn reserve(&mut self, item: Item, close: bool) -> Result<(), TrySendError<()>> {
                let mut place = self.0.try_reserve()?;
                place.write(Item::clone(&item));
                assert_eq!(*place.write(Item::clone(&item)), item);
                if close {
                    let $rxa = &mut self.1;
                    let _: bool = $close_there;
                }
                let $commit = place.commit();
                $committed
            }

            fn reserve_and_drop(&mut self, item: Item) -> Result<(), TrySendError<()>> {
                let mut place = self.0.try_reserve()?;
                place.write(item);
                Ok(())
            }

            fn receive(&mut self) -> Result<Item, TryRecvError> {
                self.1.try_recv()
            }

            fn receive_batch(&mut self, most: usize) -> Vec<Item> {
                let mut items = Vec::new();
                assert_eq!(self.1.try_recv_batch(most, |item| items.push(item)), items.len());
                items
            }

            fn peek(&mut self) -> Option<Result<u32, TryRecvError>> {
                let $rxb = &mut self.1;
                $peek
            }

            fn drain(&mut self) -> Vec<Item> {
                self.1.try_iter().collect()
            }

            fn clear(&mut self) -> usize {
                self.1.clear()
            }

            fn flush(&mut self) -> bool {
                self.0.flush_timeout(Duration::ZERO)
            }

            fn poll_send(&mut self, item: Item) -> Poll<Sent> {
                poll_once(self.0.send(item)).map(sent)
            }

            fn poll_receive(&mut self) -> Poll<Result<Item, TryRecvError>> {
                poll_once(self.1.recv()).map(received)
            }

            fn poll_sink(&mut self, item: Item) -> Poll<bool> {
                poll_sink_once(self.0.sink(), item)
            }

            fn poll_stream(&mut self) -> Poll<Option<Item>> {
                poll_stream_once(self.1.messages())
            }

            fn close(&mut self) -> bool {
                self.0.close()
            }

            fn len(&self) -> usize {
                assert_eq!(self.0.len(), self.1.len());
                assert_eq!(self.0.is_full(), self.1.len() == self.1.capacity());
                assert_eq!(self.0.is_empty(), self.1.is_empty());
                self.0.len()
            }

            fn is_closed(&self) -> bool {
                assert_eq!(self.0.is_closed(), self.1.is_closed());
                self.0.is_closed()
            }

            fn counters(&self) -> Counters {
                assert_eq!(self.0.counters(), self.1.counters());
                self.0.counters()
            }

            fn abandon(self) -> Counters {
                drop(self.1);
                self.0.counters()
            }
        }
    };
}

ends!(
    [] annulus_queue::Sender<Item>, annulus_queue::Receiver<Item>, receivers_close: true, commit_is_final: true,
    |rx| rx.close(), |_done| Ok(()), |_rx| None
);
ends!(
    [] spmc::Sender<Item>, spmc::Receiver<Item>, receivers_close: false, commit_is_final: true,
    |_rx| false, |_done| Ok(()), |_rx| None
);
ends!(
    [P: ProducerMode + Finality] single_consumer::Sender<Item, P>, single_consumer::Receiver<Item, P>, receivers_close: true,
    commit_is_final: P::FINAL,
    |rx| rx.close(), |outcome| outcome.map_err(|_| TrySendError::Closed(())),
    |rx| Some(rx.peek(Item::clone).map_or_else(Err, |item| number(Ok(item))))
);

/// Whether a ticket, once given out, is accepted.
pub(super) trait Finality {
    const FINAL: bool;
}

impl Finality for single_consumer::One {
    const FINAL: bool = false;
}

impl Finality for single_consumer::Many {
    const FINAL: bool = true;
}
