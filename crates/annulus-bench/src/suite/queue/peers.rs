//! Queues of other crates.

use std::{num::NonZeroUsize, sync::Arc};

use ringbuf::traits::{Consumer as _, Producer as _, Split as _};

use super::{
    kind::{CAPACITY, Kind, Polling, Rx, Tx},
    payload::Payload,
};

const SOME_CAPACITY: NonZeroUsize = NonZeroUsize::new(CAPACITY).expect("not zero");

/// Declares a kind that is polled, once for each way of polling.
macro_rules! polled {
    ($spin:ident, $back_off:ident, $name:literal, $tx:ty, $rx:ty, $make:expr) => {
        pub(crate) struct $spin;
        pub(crate) struct $back_off;
        polled!(@ $spin, $name, Polling::Spin, $tx, $rx, $make);
        polled!(@ $back_off, concat!($name, "+backoff"), Polling::BackOff, $tx, $rx, $make);
    };
    (@ $kind:ident, $name:expr, $polling:expr, $tx:ty, $rx:ty, $make:expr) => {
        impl Kind for $kind {
            const NAME: &'static str = $name;
            const POLLING: Polling = $polling;
            type Tx<T: Payload> = $tx;
            type Rx<T: Payload> = $rx;
            fn make<T: Payload>() -> (Self::Tx<T>, Self::Rx<T>) {
                $make
            }
        }
    };
}

/// A kind that waits by its own calls.
macro_rules! blocking {
    ($kind:ident, $name:literal, $tx:ty, $rx:ty, $make:expr) => {
        pub(crate) struct $kind;
        polled!(@ $kind, $name, Polling::Spin, $tx, $rx, $make);
    };
}

fn twice<Q>(queue: Q) -> (Arc<Q>, Arc<Q>) {
    let queue = Arc::new(queue);
    (Arc::clone(&queue), queue)
}

polled!(
    ArrayQueue,
    ArrayQueueBackOff,
    "crossbeam ArrayQueue",
    Arc<crossbeam_queue::ArrayQueue<T>>,
    Arc<crossbeam_queue::ArrayQueue<T>>,
    twice(crossbeam_queue::ArrayQueue::new(CAPACITY))
);
impl<T: Payload> Tx<T> for Arc<crossbeam_queue::ArrayQueue<T>> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        crossbeam_queue::ArrayQueue::push(self, message)
    }
}
impl<T: Payload> Rx<T> for Arc<crossbeam_queue::ArrayQueue<T>> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        crossbeam_queue::ArrayQueue::pop(self)
    }
}

polled!(
    ConcurrentQueue,
    ConcurrentQueueBackOff,
    "concurrent-queue",
    Arc<concurrent_queue::ConcurrentQueue<T>>,
    Arc<concurrent_queue::ConcurrentQueue<T>>,
    twice(concurrent_queue::ConcurrentQueue::bounded(CAPACITY))
);
impl<T: Payload> Tx<T> for Arc<concurrent_queue::ConcurrentQueue<T>> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        concurrent_queue::ConcurrentQueue::push(self, message).map_err(|error| error.into_inner())
    }
}
impl<T: Payload> Rx<T> for Arc<concurrent_queue::ConcurrentQueue<T>> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        concurrent_queue::ConcurrentQueue::pop(self).ok()
    }
}

polled!(Rtrb, RtrbBackOff, "rtrb", rtrb::Producer<T>, rtrb::Consumer<T>, rtrb::RingBuffer::new(CAPACITY));
impl<T: Payload> Tx<T> for rtrb::Producer<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        rtrb::Producer::push(self, message).map_err(|rtrb::PushError::Full(message)| message)
    }
}
impl<T: Payload> Rx<T> for rtrb::Consumer<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        rtrb::Consumer::pop(self).ok()
    }
}

polled!(
    Ringbuf,
    RingbufBackOff,
    "ringbuf",
    ringbuf::HeapProd<T>,
    ringbuf::HeapCons<T>,
    ringbuf::HeapRb::new(CAPACITY).split()
);
impl<T: Payload> Tx<T> for ringbuf::HeapProd<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        self.try_push(message)
    }
}
impl<T: Payload> Rx<T> for ringbuf::HeapCons<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.try_pop()
    }
}

type HeaplessTx<T> = heapless::spsc::Producer<'static, T>;
type HeaplessRx<T> = heapless::spsc::Consumer<'static, T>;
polled!(
    Heapless,
    HeaplessBackOff,
    "heapless spsc",
    HeaplessTx<T>,
    HeaplessRx<T>,
    // Its ends borrow the queue, and threads of a run own theirs: a queue a run is given up. It holds one
    // less than its size.
    Box::leak(Box::new(heapless::spsc::Queue::<T, { CAPACITY + 1 }>::new())).split()
);
impl<T: Payload> Tx<T> for HeaplessTx<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        self.enqueue(message)
    }
}
impl<T: Payload> Rx<T> for HeaplessRx<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.dequeue()
    }
}

polled!(
    Nexus,
    NexusBackOff,
    "nexus-queue spsc",
    nexus_queue::spsc::Producer<T>,
    nexus_queue::spsc::Consumer<T>,
    nexus_queue::spsc::ring_buffer(CAPACITY)
);
impl<T: Payload> Tx<T> for nexus_queue::spsc::Producer<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        nexus_queue::spsc::Producer::push(self, message).map_err(|full| full.into_inner())
    }
}
impl<T: Payload> Rx<T> for nexus_queue::spsc::Consumer<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        nexus_queue::spsc::Consumer::pop(self)
    }
}

polled!(
    RingbufferSpsc,
    RingbufferSpscBackOff,
    "ringbuffer-spsc",
    ringbuffer_spsc::RingBufferWriter<T>,
    ringbuffer_spsc::RingBufferReader<T>,
    ringbuffer_spsc::ringbuffer(CAPACITY)
);
impl<T: Payload> Tx<T> for ringbuffer_spsc::RingBufferWriter<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        ringbuffer_spsc::RingBufferWriter::push(self, message).map_or(Ok(()), Err)
    }
}
impl<T: Payload> Rx<T> for ringbuffer_spsc::RingBufferReader<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.pull()
    }
}

/// Declares a queue whose ends have `push`, `pop` and calls that wait.
macro_rules! ends {
    ($tx:ty, $rx:ty, $try_send:expr, $try_recv:expr, $send:expr, $recv:expr) => {
        impl<T: Payload> Tx<T> for $tx {
            #[inline]
            fn push(&mut self, message: T) -> Result<(), T> {
                ($try_send)(self, message)
            }
            #[inline]
            fn put(&mut self, message: T, _: Polling) {
                ($send)(self, message);
            }
        }
        impl<T: Payload> Rx<T> for $rx {
            #[inline]
            fn pop(&mut self) -> Option<T> {
                ($try_recv)(self)
            }
            #[inline]
            fn get(&mut self, _: Polling) -> T {
                ($recv)(self)
            }
        }
    };
}

const OPEN: &str = "the other end is there until the run is over";

// Polled: their own waiting calls can lose a wake-up, and then a run never ends (both threads asleep in
// `recv`, 0.9.0).
polled!(
    GilSpsc,
    GilSpscBackOff,
    "gil spsc",
    gil::spsc::Sender<T>,
    gil::spsc::Receiver<T>,
    gil::spsc::channel(SOME_CAPACITY)
);
impl<T: Payload> Tx<T> for gil::spsc::Sender<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        self.try_send(message)
    }
}
impl<T: Payload> Rx<T> for gil::spsc::Receiver<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.try_recv()
    }
}

polled!(
    GilMpmc,
    GilMpmcBackOff,
    "gil mpmc",
    gil::mpmc::Sender<T>,
    gil::mpmc::Receiver<T>,
    gil::mpmc::channel(SOME_CAPACITY)
);
impl<T: Payload> Tx<T> for gil::mpmc::Sender<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        self.try_send(message)
    }
}
impl<T: Payload> Rx<T> for gil::mpmc::Receiver<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.try_recv()
    }
}

blocking!(
    CrossbeamChannel,
    "crossbeam-channel",
    crossbeam_channel::Sender<T>,
    crossbeam_channel::Receiver<T>,
    crossbeam_channel::bounded(CAPACITY)
);
ends!(
    crossbeam_channel::Sender<T>,
    crossbeam_channel::Receiver<T>,
    |tx: &mut crossbeam_channel::Sender<T>, message| tx.try_send(message).map_err(|error| error.into_inner()),
    |rx: &mut crossbeam_channel::Receiver<T>| rx.try_recv().ok(),
    |tx: &mut crossbeam_channel::Sender<T>, message| tx.send(message).expect(OPEN),
    |rx: &mut crossbeam_channel::Receiver<T>| rx.recv().expect(OPEN)
);

blocking!(Flume, "flume", flume::Sender<T>, flume::Receiver<T>, flume::bounded(CAPACITY));
ends!(
    flume::Sender<T>,
    flume::Receiver<T>,
    |tx: &mut flume::Sender<T>, message| tx.try_send(message).map_err(|error| error.into_inner()),
    |rx: &mut flume::Receiver<T>| rx.try_recv().ok(),
    |tx: &mut flume::Sender<T>, message| tx.send(message).expect(OPEN),
    |rx: &mut flume::Receiver<T>| rx.recv().expect(OPEN)
);

blocking!(Kanal, "kanal", kanal::Sender<T>, kanal::Receiver<T>, kanal::bounded(CAPACITY));
ends!(
    kanal::Sender<T>,
    kanal::Receiver<T>,
    |tx: &mut kanal::Sender<T>, message| if tx.try_send(message).expect(OPEN) {
        Ok(())
    } else {
        Err(message)
    },
    |rx: &mut kanal::Receiver<T>| rx.try_recv().expect(OPEN),
    |tx: &mut kanal::Sender<T>, message| tx.send(message).expect(OPEN),
    |rx: &mut kanal::Receiver<T>| rx.recv().expect(OPEN)
);

type CrossfireTx<T> = crossfire::MTx<crossfire::mpmc::Array<T>>;
type CrossfireRx<T> = crossfire::MRx<crossfire::mpmc::Array<T>>;
blocking!(
    CrossfireMpmc,
    "crossfire mpmc",
    CrossfireTx<T>,
    CrossfireRx<T>,
    crossfire::mpmc::bounded_blocking(CAPACITY)
);
ends!(
    CrossfireTx<T>,
    CrossfireRx<T>,
    |tx: &mut CrossfireTx<T>, message| tx.try_send(message).map_err(|error| error.into_inner()),
    |rx: &mut CrossfireRx<T>| rx.try_recv().ok(),
    |tx: &mut CrossfireTx<T>, message| tx.send(message).expect(OPEN),
    |rx: &mut CrossfireRx<T>| rx.recv().expect(OPEN)
);

type CrossfireSpscTx<T> = crossfire::Tx<crossfire::spsc::Array<T>>;
type CrossfireSpscRx<T> = crossfire::Rx<crossfire::spsc::Array<T>>;
blocking!(
    CrossfireSpsc,
    "crossfire spsc",
    CrossfireSpscTx<T>,
    CrossfireSpscRx<T>,
    crossfire::spsc::bounded_blocking(CAPACITY)
);
ends!(
    CrossfireSpscTx<T>,
    CrossfireSpscRx<T>,
    |tx: &mut CrossfireSpscTx<T>, message| tx.try_send(message).map_err(|error| error.into_inner()),
    |rx: &mut CrossfireSpscRx<T>| rx.try_recv().ok(),
    |tx: &mut CrossfireSpscTx<T>, message| tx.send(message).expect(OPEN),
    |rx: &mut CrossfireSpscRx<T>| rx.recv().expect(OPEN)
);

type TokioTx<T> = tokio::sync::mpsc::Sender<T>;
type TokioRx<T> = tokio::sync::mpsc::Receiver<T>;
blocking!(Tokio, "tokio mpsc", TokioTx<T>, TokioRx<T>, tokio::sync::mpsc::channel(CAPACITY));
ends!(
    TokioTx<T>,
    TokioRx<T>,
    |tx: &mut TokioTx<T>, message| tx.try_send(message).map_err(|error| match error {
        tokio::sync::mpsc::error::TrySendError::Full(message)
        | tokio::sync::mpsc::error::TrySendError::Closed(message) => message,
    }),
    |rx: &mut TokioRx<T>| rx.try_recv().ok(),
    |tx: &mut TokioTx<T>, message| tx.blocking_send(message).expect(OPEN),
    |rx: &mut TokioRx<T>| rx.blocking_recv().expect(OPEN)
);
