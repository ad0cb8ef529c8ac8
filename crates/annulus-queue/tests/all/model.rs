//! Every strategy against a `VecDeque` that does the same slowly: same verdicts, same contents, same counts,
//! same drops.

use std::collections::VecDeque;
use std::sync::Arc;

use annulus_queue::{
    Backpressure, Counters, QueueOptions, Receiver, SendOutcome, Sender, TryRecvError, TrySendError, queue,
};
use proptest::prelude::*;

const CAPACITY: usize = 16;

#[derive(Clone, Copy, Debug)]
enum Step {
    Send,
    Receive,
    Clear,
    Close,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => Just(Step::Send),
        8 => Just(Step::Receive),
        1 => Just(Step::Clear),
    ];
    (prop::collection::vec(step.clone(), 0..200), prop::collection::vec(step, 0..40))
        .prop_map(|(open, closed)| open.into_iter().chain([Step::Close]).chain(closed).collect())
}

/// A message that counts how many of it there are.
type Message = Arc<u32>;

struct Model {
    strategy: Backpressure,
    queued: VecDeque<u32>,
    closed: bool,
    counters: Counters,
}

impl Model {
    fn new(strategy: Backpressure) -> Self {
        Self { strategy, queued: VecDeque::new(), closed: false, counters: Counters::default() }
    }

    fn send(&mut self, n: u32) -> Result<SendOutcome<u32>, TrySendError<u32>> {
        if self.closed {
            self.counters.closed += 1;
            return Err(TrySendError::Closed(n));
        }
        let mut outcome = SendOutcome::Accepted;
        if self.queued.len() == CAPACITY {
            match self.strategy {
                Backpressure::Block | Backpressure::Reject => {
                    self.counters.rejected += 1;
                    return Err(TrySendError::Full(n));
                }
                Backpressure::DropNew => {
                    self.counters.discarded += 1;
                    return Ok(SendOutcome::Discarded(n));
                }
                Backpressure::DropOldest => {
                    self.counters.evicted += 1;
                    outcome = SendOutcome::Evicted(self.queued.pop_front().expect("it is full"));
                }
            }
        }
        self.queued.push_back(n);
        self.counters.enqueued += 1;
        Ok(outcome)
    }

    fn receive(&mut self) -> Result<u32, TryRecvError> {
        let empty = if self.closed { TryRecvError::Closed } else { TryRecvError::Empty };
        let n = self.queued.pop_front().ok_or(empty)?;
        self.counters.dequeued += 1;
        Ok(n)
    }

    fn clear(&mut self) -> usize {
        let cleared = self.queued.drain(..).count();
        self.counters.dequeued += cleared as u64;
        cleared
    }
}

fn send(tx: &Sender<Message>, message: &Message) -> Result<SendOutcome<u32>, TrySendError<u32>> {
    match tx.try_send(Arc::clone(message)) {
        Ok(SendOutcome::Accepted) => Ok(SendOutcome::Accepted),
        Ok(SendOutcome::Evicted(m)) => Ok(SendOutcome::Evicted(*m)),
        Ok(SendOutcome::Discarded(m)) => Ok(SendOutcome::Discarded(*m)),
        Ok(SendOutcome::Duplicate(m)) => Ok(SendOutcome::Duplicate(*m)),
        Err(refusal) => Err(refusal.map(|m| *m)),
    }
}

fn agree(strategy: Backpressure, steps: &[Step]) -> Result<(), TestCaseError> {
    let (tx, rx): (Sender<Message>, Receiver<Message>) =
        queue(QueueOptions::new().capacity(CAPACITY).backpressure(strategy)).unwrap();
    let mut model = Model::new(strategy);
    let messages: Vec<Message> = (0..steps.len() as u32).map(Arc::new).collect();
    let mut next = messages.iter();
    for step in steps {
        match step {
            Step::Send => {
                let message = next.next().expect("there are as many as steps");
                prop_assert_eq!(send(&tx, message), model.send(**message));
            }
            Step::Receive => prop_assert_eq!(rx.try_recv().map(|m| *m), model.receive()),
            Step::Clear => prop_assert_eq!(rx.clear(), model.clear()),
            Step::Close => {
                prop_assert_eq!(tx.close(), !model.closed);
                model.closed = true;
            }
        }
        prop_assert_eq!(rx.len(), model.queued.len());
        prop_assert_eq!(rx.is_empty(), model.queued.is_empty());
        prop_assert_eq!(rx.is_full(), model.queued.len() == CAPACITY);
        prop_assert_eq!(rx.is_closed(), model.closed);
        prop_assert_eq!(tx.counters(), model.counters);
        prop_assert_eq!(tx.counters().depth(), model.queued.len() as u64);
        for message in &messages {
            let queued = usize::from(model.queued.contains(message));
            prop_assert_eq!(Arc::strong_count(message), 1 + queued, "message {}", message);
        }
    }
    drop(rx);
    prop_assert_eq!(tx.counters().abandoned, model.queued.len() as u64);
    prop_assert!(messages.iter().all(|message| Arc::strong_count(message) == 1));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    ///
    #[test]
    fn q_14_block_refuses_only_without_waiting(steps in steps()) {
        agree(Backpressure::Block, &steps)?;
    }

    ///
    #[test]
    fn q_15_reject_hands_the_message_back(steps in steps()) {
        agree(Backpressure::Reject, &steps)?;
    }

    ///
    #[test]
    fn q_16_drop_oldest_evicts_the_oldest(steps in steps()) {
        agree(Backpressure::DropOldest, &steps)?;
    }

    ///
    #[test]
    fn q_17_drop_new_discards_the_new(steps in steps()) {
        agree(Backpressure::DropNew, &steps)?;
    }
}

/// a power of two from 16 to 1,048,576, held exactly; anything else is refused with the next valid one.
#[test]
fn q_01_capacity_is_a_power_of_two_and_exact() {
    for capacity in [16, 64, 1024, 1 << 20] {
        let (tx, rx) =
            queue(QueueOptions::new().capacity(capacity).backpressure(Backpressure::Reject)).unwrap();
        let accepted = (0..capacity + 3).filter(|_| tx.try_send(()).is_ok()).count();
        assert_eq!((accepted, rx.len()), (capacity, capacity));
    }
    for (given, remedy) in [
        (0, "the next valid capacity is 16"),
        (15, "the next valid capacity is 16"),
        (17, "the next valid capacity is 32"),
        (5000, "the next valid capacity is 8192"),
        ((1 << 20) + 1, "the greatest valid capacity is 1048576"),
        (usize::MAX, "the greatest valid capacity is 1048576"),
    ] {
        let refused = queue::<()>(QueueOptions::new().capacity(given)).unwrap_err().to_string();
        assert!(refused.contains(&given.to_string()) && refused.contains(remedy), "{refused}");
        assert!(refused.contains("power of 2 from 16 to 1048576"), "{refused}");
    }
}

/// All that is wrong with options is said at once.
#[test]
fn validation_reports_everything() {
    let invalid = queue::<()>(QueueOptions::new().capacity(17).name("n".repeat(200))).unwrap_err();
    let text = invalid.to_string();
    assert_eq!(invalid.problems().len(), 2);
    assert!(text.contains("capacity 17") && text.contains("200 bytes"), "{text}");
}

/// clearing makes space like receiving does, also where a sender blocks, and counts.
#[test]
fn q_27_clear_makes_space_and_leaves_the_queue_usable() {
    let (tx, rx) = queue(QueueOptions::new().capacity(16)).unwrap();
    while tx.try_send(0).is_ok() {}
    std::thread::scope(|scope| {
        let blocked = scope.spawn(|| tx.send_blocking(1));
        assert_eq!(rx.clear(), 16);
        assert_eq!(blocked.join().unwrap(), Ok(SendOutcome::Accepted));
    });
    assert_eq!(rx.recv_blocking(), Ok(1));
    let counters = rx.counters();
    assert_eq!((counters.enqueued, counters.dequeued, counters.rejected), (17, 17, 1));
}
