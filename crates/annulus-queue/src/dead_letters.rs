//! The store for messages that could not be delivered or handled.

use std::{
    borrow::Cow,
    collections::VecDeque,
    fmt,
    ops::Range,
    sync::{OnceLock, PoisonError},
    time::SystemTime,
};

use crate::{Message, MessageQueue, SendOutcome, TrySendError};
use annulus_abi::error::ErrorName;
use annulus_sync::{Arc, Mutex, MutexGuard};

/// Why a message is a dead letter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It was queued for longer than its queue's expiry.
    Expired,
    /// The message itself is invalid: sending it again will not help. [Redriving](DeadLetters::redrive) leaves it alone.
    Invalid(Cow<'static, str>),
    /// Handling it failed: sending it again may help.
    Failed(Cow<'static, str>),
    /// A kernel's handler failed with this error code, see [`annulus_abi::error`]; the handler's changes were
    /// rolled back.
    Handler {
        /// The code, never 0.
        code: u16,
    },
    /// Likewise, with an error that the program has named by `#[derive(ErrorCode)]`.
    Named(ErrorName),
}

impl Reason {
    /// Whether another try may help: not if the message itself is invalid.
    ///
    /// ```
    /// # use annulus_queue::Reason;
    /// assert!(Reason::Failed("the disk was full".into()).allows_retry());
    /// assert!(!Reason::Invalid("negative".into()).allows_retry());
    /// ```
    pub fn allows_retry(&self) -> bool {
        !matches!(self, Self::Invalid(_))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expired => f.write_str("expired"),
            Self::Invalid(text) => write!(f, "invalid: {text}"),
            Self::Failed(text) => write!(f, "failed: {text}"),
            Self::Handler { code } => {
                write!(f, "failed in a kernel: error {code:#06x}, {}", annulus_abi::error::describe(*code))
            }
            Self::Named(name) => write!(f, "failed in a kernel: {name}"),
        }
    }
}

/// A message that could not be delivered or handled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadLetter<T> {
    /// The message.
    pub message: T,
    /// Why it is here.
    pub reason: Reason,
    /// How many times it came here, including this time: 1, and 1 more for each time that it was re-driven
    /// and came back. Messages without an [`id`](Message::id) cannot be recognised when they come back, and
    /// always have 1.
    pub attempts: u32,
    /// When it came here.
    pub at: SystemTime,
    /// The message's id, read before the store's lock was taken.
    id: Option<u64>,
    /// How many dead letters came before it. The store keeps them in this order.
    number: u64,
}

/// The information about a dead letter that the alert gets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alert {
    /// The message's id, if it has one.
    pub id: Option<u64>,
    /// Why it is here.
    pub reason: Reason,
    /// How many times it came here.
    pub attempts: u32,
    /// Whether an older dead letter was evicted to make room.
    pub evicted: bool,
}

/// Counts of what happened to all dead letters so far. While none is being re-driven, `buried = taken +
/// redriven + evicted +` those present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeadLetterCounters {
    /// Dead letters that came, each time they came.
    pub buried: u64,
    /// Dead letters that left to make room for newer ones.
    pub evicted: u64,
    /// Dead letters that were taken out.
    pub taken: u64,
    /// Dead letters whose message was sent again.
    pub redriven: u64,
}

/// What a [`redrive`](DeadLetters::redrive) did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "messages that the queue evicted to make room are in here"]
pub struct Redriven<T> {
    /// How many messages are queued again.
    pub sent: usize,
    /// How many dead letters stay because they have used all their attempts.
    pub exhausted: usize,
    /// How many dead letters stay because their messages are [invalid](Reason::Invalid).
    pub invalid: usize,
    /// Whether the queue refused a message. If so, its dead letter and all newer ones stay.
    pub refused: bool,
    /// Messages that left to make room: in a full queue
    /// ([`Backpressure::DropOldest`](crate::Backpressure::DropOldest)), or here, if other threads filled the
    /// store before a refused message was back.
    pub evicted: Vec<T>,
}

/// A bounded store of dead letters, which evicts its oldest. Clones share it.
///
/// Dead letters come from queues whose messages expire
/// ([`MessageQueueBuilder::dead_letters`](crate::MessageQueueBuilder::dead_letters)) and from
/// [`bury`](Self::bury): a handler buries messages that are invalid, and retries messages that failed for a
/// temporary reason. They leave in batches ([`take_batch`](Self::take_batch)) or are sent again
/// ([`redrive`](Self::redrive)).
///
/// Burying never waits and never fails. Memory for the first [1000](Self::DEFAULT_CAPACITY) dead letters is
/// allocated at the start, and memory for more when they come. If no memory is available, the store counts as
/// full.
///
/// ```
/// use annulus_queue::{DeadLetters, MessageQueue, Reason};
///
/// let dead_letters = DeadLetters::with_alert(1000, |alert| eprintln!("dead letter: {}", alert.reason));
/// dead_letters.bury(7, Reason::Failed("the disk was full".into()));
///
/// let queue = MessageQueue::with_defaults();
/// assert_eq!(dead_letters.redrive(&queue, 3).sent, 1);
/// assert_eq!(queue.try_recv(), Ok(7));
/// ```
pub struct DeadLetters<T> {
    shared: Arc<Shared<T>>,
}

/// How many dead letters a store has space for from the start, if its capacity is not less.
const AT_FIRST: usize = 1000;

type OnAlert = dyn Fn(&Alert) + Send + Sync;

struct Shared<T> {
    store: Mutex<Store<T>>,
    /// Called without the lock. Set once, before the first dead letter comes or later.
    alert: OnceLock<Box<OnAlert>>,
}

struct Store<T> {
    /// Oldest first. Never more than `capacity`. It has space for [`AT_FIRST`] of them from the start.
    dead_letters: VecDeque<DeadLetter<T>>,
    /// At least 1.
    capacity: usize,
    /// The ids of the last messages that were re-driven, oldest first, with their attempts so far; as many as
    /// dead letters, at most.
    redriven: VecDeque<(u64, u32)>,
    counters: DeadLetterCounters,
}

impl<T> DeadLetters<T> {
    /// How many dead letters are kept by default: 1000.
    pub const DEFAULT_CAPACITY: usize = 1000;
    /// How many dead letters [`take_batch`](Self::take_batch) takes at most: 100.
    pub const BATCH: usize = 100;

    /// A store of the [default capacity](Self::DEFAULT_CAPACITY), without an alert.
    ///
    /// ```
    /// assert_eq!(annulus_queue::DeadLetters::<u32>::new().capacity(), 1000);
    /// ```
    pub fn new() -> Self {
        Self::with_capacity(Self::DEFAULT_CAPACITY)
    }

    /// A store of `capacity` dead letters, at least one, that calls `alert` once for each, after it was
    /// stored.
    ///
    /// The thread that buries the dead letter, or finds the expired message, makes the call. It holds no
    /// lock: the alert may use the store, and the queue too. It should be short.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, Reason};
    /// let dead_letters = DeadLetters::with_alert(10, |alert| println!("{:?}: {}", alert.id, alert.reason));
    /// dead_letters.bury(7, Reason::Invalid("negative".into()));
    /// ```
    pub fn with_alert(capacity: usize, alert: impl Fn(&Alert) + Send + Sync + 'static) -> Self {
        let dead_letters = Self::with_capacity(capacity);
        dead_letters.set_alert(alert);
        dead_letters
    }

    /// Sets `alert`, which is called from now on as [`with_alert`](Self::with_alert) describes. Only the
    /// first alert of a store counts: returns `false` if there is one already.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, Reason};
    /// let dead_letters = DeadLetters::<u32>::new();
    /// assert!(dead_letters.set_alert(|alert| println!("{}", alert.reason)));
    /// assert!(!dead_letters.set_alert(|_| ()));
    /// ```
    pub fn set_alert(&self, alert: impl Fn(&Alert) + Send + Sync + 'static) -> bool {
        self.shared.alert.set(Box::new(alert)).is_ok()
    }

    /// A store of `capacity` dead letters, at least one, without an alert.
    ///
    /// ```
    /// assert_eq!(annulus_queue::DeadLetters::<u32>::with_capacity(10).capacity(), 10);
    /// ```
    pub fn with_capacity(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        let store = Store {
            dead_letters: VecDeque::with_capacity(capacity.min(AT_FIRST)),
            capacity,
            redriven: VecDeque::with_capacity(capacity.min(AT_FIRST)),
            counters: DeadLetterCounters::default(),
        };
        Self { shared: Arc::new(Shared { store: Mutex::new(store), alert: OnceLock::new() }) }
    }

    /// Takes up to [`BATCH`](Self::BATCH) dead letters, which is 100, oldest first. The result is empty if there are
    /// none: call it until it is, to take all of a store with more room. Others may bury meanwhile.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, Reason};
    /// let dead_letters = DeadLetters::new();
    /// (0..150).for_each(|i| drop(dead_letters.bury(i, Reason::Expired)));
    /// assert_eq!(dead_letters.take_batch().len(), 100);
    /// assert_eq!(dead_letters.take_batch().len(), 50);
    /// ```
    pub fn take_batch(&self) -> Vec<DeadLetter<T>> {
        let mut batch = Vec::with_capacity(Self::BATCH);
        let mut store = self.lock();
        let taken = store.dead_letters.len().min(Self::BATCH);
        batch.extend(store.dead_letters.drain(..taken));
        store.counters.taken += taken as u64;
        batch
    }

    /// How many dead letters there are. Others may change it at any time.
    ///
    /// ```
    /// assert_eq!(annulus_queue::DeadLetters::<u32>::new().len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.lock().dead_letters.len()
    }

    /// Whether there are no dead letters. Others may change it at any time.
    ///
    /// ```
    /// assert!(annulus_queue::DeadLetters::<u32>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many dead letters are kept at most. Never changes.
    ///
    /// ```
    /// assert_eq!(annulus_queue::DeadLetters::<u32>::with_alert(10, |_| ()).capacity(), 10);
    /// ```
    pub fn capacity(&self) -> usize {
        self.lock().capacity
    }

    /// Counts of what happened to all dead letters so far. All figures belong to one moment.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, Reason};
    /// let dead_letters = DeadLetters::new();
    /// dead_letters.bury(7, Reason::Expired);
    /// assert_eq!(dead_letters.counters().buried, 1);
    /// ```
    pub fn counters(&self) -> DeadLetterCounters {
        self.lock().counters
    }

    /// [`bury`](DeadLetters::bury) for messages of any type. The caller gives the id.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, Reason};
    /// let dead_letters = DeadLetters::new();
    /// dead_letters.bury_with_id([1.5f32; 2], Some(7), Reason::Handler { code: 3 });
    /// assert_eq!(dead_letters.len(), 1);
    /// ```
    pub fn bury_with_id(&self, message: T, id: Option<u64>, reason: Reason) -> Option<DeadLetter<T>> {
        let (evicted, alert) = self.bury_silently(message, id, reason, SystemTime::now());
        if let Some(alert) = &alert {
            self.tell(alert);
        }
        evicted
    }

    /// [`bury_with_id`](Self::bury_with_id) for a caller that holds a lock, so it does not call the alert. If
    /// there is an alert, this returns what the caller must [tell](Self::tell) it afterwards. The dead
    /// letter's time is `at`.
    #[doc(hidden)]
    pub fn bury_silently(
        &self,
        message: T,
        id: Option<u64>,
        reason: Reason,
        at: SystemTime,
    ) -> (Option<DeadLetter<T>>, Option<Alert>) {
        // Copied before the dead letter is given away, and only if there is an alert, since it may allocate.
        let told = self.shared.alert.get().map(|_| reason.clone());
        let (attempts, evicted) = {
            let mut store = self.lock();
            let attempts = 1 + id.map_or(0, |id| store.take_attempts(id));
            let evicted = store.make_room();
            let number = store.counters.buried;
            store.counters.buried += 1;
            store.dead_letters.push_back(DeadLetter { message, reason, attempts, at, id, number });
            (attempts, evicted)
        };
        let alert = told.map(|reason| Alert { id, reason, attempts, evicted: evicted.is_some() });
        (evicted, alert)
    }

    /// Counts dead letters that were buried and evicted before this store was made, for a caller that kept
    /// the others elsewhere.
    #[doc(hidden)]
    pub fn count_evicted(&self, dead_letters: u64) {
        let counters = &mut self.lock().counters;
        counters.buried += dead_letters;
        counters.evicted += dead_letters;
    }

    /// Calls the alert.
    #[doc(hidden)]
    pub fn tell(&self, told: &Alert) {
        if let Some(alert) = self.shared.alert.get() {
            alert(told);
        }
    }

    /// [`redrive`](DeadLetters::redrive) to anything that messages can be sent to without waiting.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, QueueOptions, Reason, queue};
    /// let dead_letters = DeadLetters::new();
    /// dead_letters.bury(7, Reason::Failed("busy".into()));
    /// let (tx, rx) = queue(QueueOptions::new())?;
    /// assert_eq!(dead_letters.redrive_by(3, |message| tx.try_send(message)).sent, 1);
    /// assert_eq!(rx.try_recv(), Ok(7));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn redrive_by(
        &self,
        max_attempts: u32,
        mut send: impl FnMut(T) -> Result<SendOutcome<T>, TrySendError<T>>,
    ) -> Redriven<T> {
        let mut done = Redriven { sent: 0, exhausted: 0, invalid: 0, refused: false, evicted: Vec::new() };
        // Those that are here now: what comes back meanwhile is not sent a second time.
        let (mut next, end) = (0, self.counters().buried);
        loop {
            let Some(dead_letter) = self.lock().take_retryable(max_attempts, next..end) else { break };
            next = dead_letter.number + 1;
            let DeadLetter { message, reason, attempts, at, id, number } = dead_letter;
            let refused = match send(message) {
                Ok(SendOutcome::Accepted) => None,
                Ok(SendOutcome::Evicted(oldest)) => {
                    done.evicted.push(oldest);
                    None
                }
                Ok(SendOutcome::Discarded(message) | SendOutcome::Duplicate(message)) => Some(message),
                Err(refusal) => Some(refusal.into_inner()),
            };
            let Some(message) = refused else {
                self.lock().counters.redriven += 1;
                done.sent += 1;
                continue;
            };
            done.refused = true;
            let evicted = self.lock().put_back(DeadLetter { message, reason, attempts, at, id, number });
            done.evicted.extend(evicted.map(|dead_letter| dead_letter.message));
            break;
        }
        for dead_letter in &self.lock().dead_letters {
            if !dead_letter.reason.allows_retry() {
                done.invalid += 1;
            } else if dead_letter.attempts >= max_attempts {
                done.exhausted += 1;
            }
        }
        done
    }

    /// No user code runs under the lock, so nothing panics there, and poison can be ignored.
    fn lock(&self) -> MutexGuard<'_, Store<T>> {
        self.shared.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Message + Send> DeadLetters<T> {
    /// Stores a message as the newest dead letter, then calls the alert. If the store is full, the oldest
    /// dead letter leaves and is returned.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, Reason};
    /// let dead_letters = DeadLetters::with_alert(1, |_| ());
    /// assert_eq!(dead_letters.bury(7, Reason::Expired), None);
    /// assert_eq!(dead_letters.bury(8, Reason::Expired).map(|oldest| oldest.message), Some(7));
    /// ```
    pub fn bury(&self, message: T, reason: Reason) -> Option<DeadLetter<T>> {
        let id = message.id();
        self.bury_with_id(message, id, reason)
    }

    /// Sends the messages of the dead letters that are here now to a queue again, oldest first, without
    /// waiting.
    ///
    /// A dead letter that already had `max_attempts` stays, and so does one whose message is
    /// [invalid](Reason::Invalid): another try does not help it. If the queue refuses or discards a message, its
    /// dead letter and all that follow stay. A message that is sent again is not a duplicate of itself, and
    /// its time in the queue starts again. The queue counts it like any other message.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, MessageQueue, Reason};
    /// let dead_letters = DeadLetters::new();
    /// dead_letters.bury(7, Reason::Failed("busy".into()));
    /// let redriven = dead_letters.redrive(&MessageQueue::with_defaults(), 3);
    /// assert_eq!((redriven.sent, redriven.exhausted, redriven.refused), (1, 0, false));
    /// ```
    pub fn redrive(&self, to: &MessageQueue<T>, max_attempts: u32) -> Redriven<T> {
        self.redrive_by(max_attempts, |message| to.try_send_again(message))
    }
}

impl<T> Store<T> {
    /// Whether there is no space for one more dead letter.
    fn is_full(&mut self) -> bool {
        // The second condition is never true for an empty store, since that has space for one.
        self.dead_letters.len() == self.capacity || self.dead_letters.try_reserve(1).is_err()
    }

    /// Evicts the oldest dead letter if there is no space.
    fn make_room(&mut self) -> Option<DeadLetter<T>> {
        if !self.is_full() {
            return None;
        }
        self.counters.evicted += 1;
        self.dead_letters.pop_front()
    }

    /// Takes the oldest dead letter of these numbers that another try may help, and that has attempts left. Records the
    /// attempts that it had, before its message can come back.
    fn take_retryable(&mut self, max_attempts: u32, numbers: Range<u64>) -> Option<DeadLetter<T>> {
        let first = self.dead_letters.partition_point(|dead_letter| dead_letter.number < numbers.start);
        let index = self
            .dead_letters
            .range(first..)
            .take_while(|dead_letter| dead_letter.number < numbers.end)
            .position(|dead_letter| {
                dead_letter.attempts < max_attempts && dead_letter.reason.allows_retry()
            })?;
        let dead_letter = self.dead_letters.remove(first + index)?;
        if let Some(id) = dead_letter.id {
            if self.redriven.len() == self.capacity || self.redriven.try_reserve(1).is_err() {
                self.redriven.pop_front();
            }
            self.redriven.push_back((id, dead_letter.attempts));
        }
        Some(dead_letter)
    }

    /// Puts a dead letter back in its place. Returns the one that leaves to make room, if any; this is the
    /// dead letter itself if it is the oldest.
    fn put_back(&mut self, dead_letter: DeadLetter<T>) -> Option<DeadLetter<T>> {
        if let Some(id) = dead_letter.id {
            self.take_attempts(id);
        }
        let index = self.dead_letters.partition_point(|other| other.number < dead_letter.number);
        if index == 0 && self.is_full() {
            self.counters.evicted += 1;
            return Some(dead_letter);
        }
        let evicted = self.make_room();
        let index = index - usize::from(evicted.is_some());
        self.dead_letters.insert(index, dead_letter);
        evicted
    }

    /// Returns how many attempts a re-driven message had before, and forgets them. 0 if it was not re-driven,
    /// or too long ago.
    fn take_attempts(&mut self, id: u64) -> u32 {
        let index = self.redriven.iter().rposition(|&(other, _)| other == id);
        index.and_then(|index| self.redriven.remove(index)).map_or(0, |(_, attempts)| attempts)
    }
}

impl<T> Clone for DeadLetters<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<T> Default for DeadLetters<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for DeadLetters<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadLetters")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("counters", &self.counters())
            .finish_non_exhaustive()
    }
}
