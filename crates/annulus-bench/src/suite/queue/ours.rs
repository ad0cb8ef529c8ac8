//! Our own queues.

use annulus_queue::{
    QueueOptions, Receiver, SendOutcome, Sender, queue,
    single_consumer::{self, Many, One, ProducerMode, mpsc, spsc},
    spmc,
};

use super::{
    kind::{CAPACITY, Kind, Polling, Rx, Tx},
    payload::Payload,
};

const VALID: &str = "the options are valid";

/// The queue that all may share.
pub(crate) struct Mpmc;

impl Kind for Mpmc {
    const NAME: &'static str = "annulus queue";
    type Tx<T: Payload> = Sender<T>;
    type Rx<T: Payload> = Receiver<T>;

    fn make<T: Payload>() -> (Sender<T>, Receiver<T>) {
        queue(QueueOptions::new().capacity(CAPACITY)).expect(VALID)
    }
}

impl<T: Payload> Tx<T> for Sender<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        match self.try_send(message) {
            Ok(SendOutcome::Accepted) => Ok(()),
            Ok(_) => unreachable!("these queues drop nothing"),
            Err(error) => Err(error.into_inner()),
        }
    }

    #[inline(always)]
    fn put(&mut self, message: T, _: Polling) {
        assert!(self.send_blocking(message).is_ok());
    }
}

impl<T: Payload> Rx<T> for Receiver<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.try_recv().ok()
    }

    #[inline(always)]
    fn get(&mut self, _: Polling) -> T {
        self.recv_blocking().expect("the sender is there until the run is over")
    }
}

/// One sender, one receiver.
pub(crate) struct Spsc;

impl Kind for Spsc {
    const NAME: &'static str = "annulus spsc";
    type Tx<T: Payload> = single_consumer::Sender<T, One>;
    type Rx<T: Payload> = single_consumer::Receiver<T, One>;

    fn make<T: Payload>() -> (single_consumer::Sender<T, One>, single_consumer::Receiver<T, One>) {
        spsc(QueueOptions::new().capacity(CAPACITY)).expect(VALID)
    }
}

/// Several senders, one receiver.
pub(crate) struct Mpsc;

impl Kind for Mpsc {
    const NAME: &'static str = "annulus mpsc";
    type Tx<T: Payload> = single_consumer::Sender<T, Many>;
    type Rx<T: Payload> = single_consumer::Receiver<T, Many>;

    fn make<T: Payload>() -> (single_consumer::Sender<T, Many>, single_consumer::Receiver<T, Many>) {
        mpsc(QueueOptions::new().capacity(CAPACITY)).expect(VALID)
    }
}

/// One sender, several receivers.
pub(crate) struct Spmc;

impl Kind for Spmc {
    const NAME: &'static str = "annulus spmc";
    type Tx<T: Payload> = spmc::Sender<T>;
    type Rx<T: Payload> = spmc::Receiver<T>;

    fn make<T: Payload>() -> (spmc::Sender<T>, spmc::Receiver<T>) {
        spmc::spmc(QueueOptions::new().capacity(CAPACITY)).expect(VALID)
    }
}

impl<T: Payload> Tx<T> for spmc::Sender<T> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        match self.try_send(message) {
            Ok(SendOutcome::Accepted) => Ok(()),
            Ok(_) => unreachable!("these queues drop nothing"),
            Err(error) => Err(error.into_inner()),
        }
    }

    #[inline(always)]
    fn put(&mut self, message: T, _: Polling) {
        assert!(self.send_blocking(message).is_ok());
    }
}

impl<T: Payload> Rx<T> for spmc::Receiver<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.try_recv().ok()
    }

    #[inline(always)]
    fn get(&mut self, _: Polling) -> T {
        self.recv_blocking().expect("the sender is there until the run is over")
    }
}

impl<T: Payload, P: ProducerMode> Tx<T> for single_consumer::Sender<T, P> {
    #[inline(always)]
    fn push(&mut self, message: T) -> Result<(), T> {
        match self.try_send(message) {
            Ok(SendOutcome::Accepted) => Ok(()),
            Ok(_) => unreachable!("these queues drop nothing"),
            Err(error) => Err(error.into_inner()),
        }
    }

    #[inline(always)]
    fn put(&mut self, message: T, _: Polling) {
        assert!(self.send_blocking(message).is_ok());
    }
}

impl<T: Payload, P: ProducerMode> Rx<T> for single_consumer::Receiver<T, P> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.try_recv().ok()
    }

    #[inline(always)]
    fn get(&mut self, _: Polling) -> T {
        self.recv_blocking().expect("the sender is there until the run is over")
    }
}
