//! Counts of what happened to all messages of a queue, by cause.

use std::fmt;

use annulus_sync::{AtomicU64, Ordering};

/// What became of all messages of a queue so far, by cause. Exact when nobody sends or receives; see
/// [`Sender::counters`](crate::Sender::counters) for their meaning while somebody does.
///
/// Two balances always hold: [`attempts`](Self::attempts) `= enqueued + rejected + discarded + closed +
/// duplicate + too_large`, and `enqueued = dequeued + evicted + expired + abandoned +`
/// [`depth`](Self::depth).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Messages that entered the queue. A message that is written in place enters when it is committed.
    pub enqueued: u64,
    /// Messages that a receiver took out, by a receive or a clear.
    pub dequeued: u64,
    /// Sends that found no space and gave the message back: `Full` from a queue that rejects, `Full` from
    /// `try_send` on one that blocks, and `Timeout`. A send that waits counts once, when its wait ends. A
    /// send that is cancelled does not count.
    pub rejected: u64,
    /// Messages that left to make room for newer ones.
    pub evicted: u64,
    /// New messages that were given back as [`Discarded`](crate::SendOutcome::Discarded).
    pub discarded: u64,
    /// Sends that were refused because the queue was closed.
    pub closed: u64,
    /// Messages that were given back as [`Duplicate`](crate::SendOutcome::Duplicate).
    pub duplicate: u64,
    /// Messages that were given back because they were larger than the queue allows.
    pub too_large: u64,
    /// Messages that were queued for longer than the queue's expiry, and skipped by a receive.
    pub expired: u64,
    /// Messages that were still queued when the last receiver was dropped, and were dropped with it.
    pub abandoned: u64,
}

impl Counters {
    /// How many sends ended, with any outcome.
    ///
    /// ```
    /// let (tx, rx) = annulus_queue::queue(annulus_queue::QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// rx.close();
    /// let _ = tx.try_send(2);
    /// assert_eq!(tx.counters().attempts(), 2);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn attempts(&self) -> u64 {
        self.enqueued + self.rejected + self.discarded + self.closed + self.duplicate + self.too_large
    }

    /// How many messages were queued.
    ///
    /// ```
    /// let (tx, _rx) = annulus_queue::queue(annulus_queue::QueueOptions::new())?;
    /// let _ = tx.try_send(1);
    /// assert_eq!(tx.counters().depth(), 1);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn depth(&self) -> u64 {
        self.enqueued - self.dequeued - self.evicted - self.expired - self.abandoned
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            enqueued,
            dequeued,
            rejected,
            evicted,
            discarded,
            closed,
            duplicate,
            too_large,
            expired,
            abandoned,
        } = self;
        write!(
            f,
            "{enqueued} enqueued, {dequeued} dequeued, {rejected} rejected, {evicted} evicted, \
             {discarded} discarded, {closed} refused as closed, {duplicate} duplicate, \
             {too_large} too large, {expired} expired, {abandoned} abandoned"
        )
    }
}

/// The counts that do not follow from the tickets. All count rare cases, so a message that is simply sent and
/// received writes none of them.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) rejected: Count,
    pub(crate) evicted: Count,
    pub(crate) discarded: Count,
    pub(crate) closed: Count,
    pub(crate) abandoned: Count,
    /// Reservations. Each is counted before it has a ticket, and no longer counted once it is committed or
    /// refused. So this counts the reservations that are held, and those that were dropped: their tickets
    /// were sent without a message.
    pub(crate) reserved: Count,
    /// Reservations that were dropped and then taken. Counted after the ticket moved.
    pub(crate) skipped: Count,
    /// The greatest number of enqueued messages that was returned so far.
    told: Count,
}

impl Tally {
    /// How many messages were enqueued, if `sent` tickets were sent and `left` messages have left since.
    /// Never less than it returned before.
    pub(crate) fn enqueued(&self, sent: u64, left: u64) -> u64 {
        // A reservation is counted before its ticket is sent, and until its message can be seen. So the
        // result may be too small while somebody reserves, but never too large, and the greatest number
        // returned so far is not more than the real one.
        let found = sent.saturating_sub(self.reserved.get()).max(left);
        self.told.raise_to(found)
    }
}

#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add_one(&self) {
        // SYNC: counted. Release, so that whoever reads the count sees the ticket that the counted message
        // moved before.
        self.0.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn take_one(&self) {
        // SYNC: counted
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Raises the count to `least` if it is smaller, and returns the count.
    fn raise_to(&self, least: u64) -> u64 {
        let count = self.get();
        // SYNC: counted
        if count >= least { count } else { self.0.fetch_max(least, Ordering::AcqRel).max(least) }
    }

    pub(crate) fn get(&self) -> u64 {
        // SYNC: counted
        self.0.load(Ordering::Acquire)
    }
}
