//! Every pair of ends on real threads: whole messages, in order, none lost and none twice. With
//! `ANNULUS_LONG=1` a hundred million for each.

use std::thread;

use annulus_queue::{
    QueueOptions, RecvError, SendError, SendOutcome, TryRecvError,
    lossy::ring,
    queue,
    single_consumer::{mpsc, spsc},
    spmc::spmc,
};
use annulus_sync::wait::block_on;

fn messages() -> u64 {
    if std::env::var_os("ANNULUS_LONG").is_some() { 100_000_000 } else { 400_000 }
}

/// Seven words that belong together, so that a torn copy shows.
type Message = [u64; 7];

fn message(number: u64) -> Message {
    let check = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [number, check, !number, check.rotate_left(17), number ^ check, !check, number]
}

/// The number of a message that is whole.
fn number(received: &Message) -> u64 {
    assert_eq!(*received, message(received[0]), "torn");
    received[0]
}

/// How many messages there were, and the sum of a hash of their numbers: equal only if each was there as
/// often.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Sum {
    messages: u64,
    hashes: u64,
}

impl Sum {
    fn add(&mut self, number: u64) {
        self.messages += 1;
        let mixed = (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        self.hashes = self.hashes.wrapping_add(mixed ^ mixed >> 32);
    }

    fn join(self, other: Self) -> Self {
        Self { messages: self.messages + other.messages, hashes: self.hashes.wrapping_add(other.hashes) }
    }

    fn of_all() -> Self {
        let mut sum = Self::default();
        (0..messages()).for_each(|number| sum.add(number));
        sum
    }
}

/// Receives all, of two senders whose numbers are even and odd, and holds each to its order.
fn receive_all(mut next: impl FnMut() -> Result<Message, RecvError>) -> Sum {
    let mut sum = Sum::default();
    let mut last = [None; 2];
    while let Ok(received) = next() {
        let number = number(&received);
        let last = &mut last[(number % 2) as usize];
        assert!(last.is_none_or(|last| last < number), "out of order");
        *last = Some(number);
        sum.add(number);
    }
    sum
}

///
#[test]
fn q_02_one_to_one() {
    let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(1024)).unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0..messages() {
                assert_eq!(tx.send_blocking(message(number)), Ok(SendOutcome::Accepted));
            }
        });
        for expected in 0..messages() {
            assert_eq!(number(&rx.recv_blocking().unwrap()), expected);
        }
        assert_eq!(rx.recv_blocking(), Err(RecvError::Closed));
    });
    assert_eq!(rx.counters().dequeued, messages());
}

/// batches of every size, through a queue that is nearly always full or empty.
#[test]
fn q_02_one_to_one_in_batches() {
    let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16)).unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut sent = 0;
            while sent < messages() {
                let batch = (sent % 37 + 1).min(messages() - sent);
                let queued = tx.send_batch_blocking((sent..sent + batch).map(message), |_| panic!("refused"));
                assert_eq!(queued as u64, batch);
                sent += batch;
            }
        });
        let mut expected = 0;
        while let Ok(received) = rx.recv_batch_blocking((expected % 23 + 1) as usize, |message| {
            assert_eq!(number(&message), expected);
            expected += 1;
        }) {
            assert!(received > 0);
        }
        assert_eq!(expected, messages());
    });
}

/// several senders, some by reservations of which some are dropped.
#[test]
fn q_02_many_to_one() {
    let (tx, mut rx) = mpsc(QueueOptions::new().capacity(1024)).unwrap();
    let received = thread::scope(|scope| {
        for sender in 0..2 {
            let mut tx = tx.clone();
            scope.spawn(move || {
                for number in (sender..messages()).step_by(2) {
                    if number % 64 < 2
                        && let Ok(mut place) = tx.try_reserve()
                    {
                        place.write(message(number));
                        if number % 128 >= 2 {
                            place.commit().unwrap();
                            continue;
                        }
                    }
                    assert_eq!(tx.send_blocking(message(number)), Ok(SendOutcome::Accepted));
                }
            });
        }
        drop(tx);
        receive_all(|| rx.recv_blocking())
    });
    assert_eq!(received, Sum::of_all());
    assert_eq!(rx.counters().dequeued, messages());
}

///
#[test]
fn q_02_one_to_many() {
    let (mut tx, rx) = spmc(QueueOptions::new().capacity(1024)).unwrap();
    let received = thread::scope(|scope| {
        let receivers = [rx.clone(), rx].map(|rx| scope.spawn(move || receive_all(|| rx.recv_blocking())));
        for number in 0..messages() {
            assert_eq!(tx.send_blocking(message(number)), Ok(SendOutcome::Accepted));
        }
        drop(tx);
        receivers.map(|receiver| receiver.join().unwrap())
    });
    assert_eq!(received[0].join(received[1]), Sum::of_all());
}

///
#[test]
fn q_02_many_to_many() {
    let (tx, rx) = queue(QueueOptions::new().capacity(1024)).unwrap();
    let received = thread::scope(|scope| {
        let receivers = [rx.clone(), rx].map(|rx| scope.spawn(move || receive_all(|| rx.recv_blocking())));
        for sender in 0..2 {
            let tx = tx.clone();
            scope.spawn(move || {
                for number in (sender..messages()).step_by(2) {
                    assert_eq!(tx.send_blocking(message(number)), Ok(SendOutcome::Accepted));
                }
            });
        }
        drop(tx);
        receivers.map(|receiver| receiver.join().unwrap())
    });
    assert_eq!(received[0].join(received[1]), Sum::of_all());
}

/// What a lossy ring's readers get is whole and in order, and what they do not get is counted.
#[test]
fn lossy_readers_lose_only_what_they_count() {
    let (mut tx, rx) = ring::<Message>(64).unwrap();
    thread::scope(|scope| {
        for mut rx in [rx.clone(), rx] {
            scope.spawn(move || {
                let (mut received, mut next) = (0, 0);
                loop {
                    match rx.try_recv() {
                        Ok(message) => {
                            let number = number(&message);
                            assert!(number >= next, "out of order");
                            next = number + 1;
                            received += 1;
                            assert_eq!(received + rx.lost(), next);
                        }
                        Err(TryRecvError::Closed) => break,
                        Err(_) => thread::yield_now(),
                    }
                }
                assert_eq!((next, received + rx.lost()), (messages(), messages()));
            });
        }
        (0..messages()).for_each(|number| tx.send(message(number)));
        drop(tx);
    });
}

/// futures that are dropped half-way lose nothing, on both sides, with a queue that is nearly always
/// full or empty.
#[test]
fn q_14_cancelled_futures_lose_nothing() {
    use std::{
        future::Future,
        pin::pin,
        task::{Context, Waker},
    };
    let total = messages().min(400_000) / 4;
    let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16)).unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            let context = &mut Context::from_waker(Waker::noop());
            for number in 0..total {
                // Pending is not sent, whatever the receiver does meanwhile.
                if number % 3 == 0 && pin!(tx.send(message(number))).poll(context).is_ready() {
                    continue;
                }
                assert_eq!(block_on(tx.send(message(number))), Ok(SendOutcome::Accepted));
            }
        });
        let context = &mut Context::from_waker(Waker::noop());
        for expected in 0..total {
            let early =
                if expected % 5 == 0 { pin!(rx.recv()).poll(context) } else { std::task::Poll::Pending };
            let received = match early {
                std::task::Poll::Ready(received) => received,
                std::task::Poll::Pending => block_on(rx.recv()),
            };
            assert_eq!(number(&received.unwrap()), expected);
        }
        assert_eq!(block_on(rx.recv()), Err(RecvError::Closed));
    });
}

/// the receiver closes while senders send, again and again: what was accepted is received, and what was
/// not comes back.
#[test]
fn q_14_closing_is_one_moment() {
    for round in 0..2000 {
        let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16)).unwrap();
        thread::scope(|scope| {
            let sender = scope.spawn(move || {
                let mut accepted = 0;
                loop {
                    match tx.send_blocking(message(accepted)) {
                        Ok(_) => accepted += 1,
                        Err(SendError::Closed(back)) => {
                            assert_eq!(number(&back), accepted);
                            return accepted;
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
            });
            let mut received = 0;
            for _ in 0..round % 50 {
                assert_eq!(number(&rx.recv_blocking().unwrap()), received);
                received += 1;
            }
            rx.close();
            while let Ok(message) = rx.recv_blocking() {
                assert_eq!(number(&message), received);
                received += 1;
            }
            assert_eq!(sender.join().unwrap(), received);
        });
    }
}
