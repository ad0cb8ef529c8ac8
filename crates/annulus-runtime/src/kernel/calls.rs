//! Calls that wait for their replies.
//!
//! A call's message gets a slot of an inbound ring, and with it the slot of the same number for its reply
//! ([`Callers`]). The caller itself looks there. Nobody else touches a reply, with one exception: the next
//! call may get the slot before the caller has looked. Then the sender of that next call puts the reply
//! aside, under the shard's lock (it *rescues* the reply).
//!
//! A message that waits in a queue in front of the ring has no slot yet. Meanwhile its call is *staged* under
//! a number that the message carries. Whoever hands the message over gives the call its slot.
//!
//! # Who wakes a caller
//!
//! A caller that is about to sleep leaves its waker with the shard ([`Sleepers`]), and looks again. Whoever
//! reports that messages were consumed executes a fence, and looks whether somebody sleeps. Replies are
//! published before their messages count as consumed, so one of the two sees the other. Callers that poll
//! cost the reporter one load. A caller whose reply was rescued while it was about to sleep may find the next call's waker at its
//! slot: both lie there, each under its own call, until the first has looked again.
//!
//! # The end
//!
//! When every shard has terminated, and the messages that were left have been taken out, no reply will come
//! any more (`ended`). A caller that sees this looks once more, and then has its answer.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, PoisonError},
    task::{Context, Poll, Waker},
};

use annulus_abi::{error::ErrorName, ring::kind};
use annulus_ring::ring::{Call, Callers, Look, Occupied, Reply, Ring};
use annulus_sync::{AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering, event::wake, sleepers::Sleepers};

use crate::{
    error::CallError,
    kernel::bytes::{Bytes, blank},
    stamps::Stamps,
};

/// The calls of a kernel.
pub(crate) struct CallTable {
    /// Size of a reply in bytes.
    size: usize,
    /// The host's hybrid clock, if replies carry stamps.
    stamps: Option<Arc<Stamps>>,
    /// The names of the handler's failures.
    errors: &'static [ErrorName],
    /// One for each shard; empty if the launch has no calls.
    shards: Box<[ShardCalls]>,
    /// Staged calls by number: those whose messages have no slot yet, or had none when their callers last
    /// looked.
    staged: Mutex<HashMap<u64, Staged>>,
    /// The number that the last staged call got.
    numbers: AtomicU64,
    /// No reply will come any more.
    ended: AtomicBool,
}

struct ShardCalls {
    callers: Callers,
    /// Callers that sleep or are about to sleep, by the slots of their replies.
    sleepers: Sleepers<Call>,
    /// Replies that were put aside because the next call got their slots.
    rescued: Mutex<HashMap<Call, Outcome>>,
}

/// An output, and its stamp or 0.
type Outcome = Result<(Box<Bytes>, u64), CallError>;

/// A call whose message waits, or has waited, in front of the ring.
enum Staged {
    Waiting(Option<Waker>),
    /// It was handed over to this shard.
    At(usize, Call),
    Ended(CallError),
}

impl CallTable {
    /// A table for replies of `size` bytes, which come in these rings.
    ///
    /// # Safety
    ///
    /// As for [`Callers::new`], for each. Blocks write outputs of one type into them, which has that size.
    pub(crate) unsafe fn new(
        size: usize,
        rings: impl Iterator<Item = Ring>,
        stamps: Option<Arc<Stamps>>,
        errors: &'static [ErrorName],
    ) -> Self {
        let shard = |ring| ShardCalls {
            // SAFETY: by the caller's word.
            callers: unsafe { Callers::new(ring) },
            sleepers: Sleepers::new(),
            rescued: Mutex::default(),
        };
        Self {
            size,
            stamps,
            errors,
            shards: rings.map(shard).collect(),
            staged: Mutex::default(),
            numbers: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// Whether a caller sleeps until its reply comes.
    pub(crate) fn has_sleepers(&self) -> bool {
        // SYNC: expected
        self.shards.iter().any(|shard| !shard.sleepers.is_empty())
    }

    /// How many replies have come and were not taken yet.
    pub(crate) fn waiting(&self) -> u64 {
        let of = |shard: &ShardCalls| match shard.callers.is_used() {
            false => 0,
            true => lock(&shard.rescued).len() + shard.callers.waiting(),
        };
        self.shards.iter().map(of).sum::<usize>() as u64
    }

    /// Begins a call that has no message yet.
    pub(crate) fn begin(&self) -> PendingCall<'_> {
        PendingCall { table: self, stage: Stage::New, asleep: false, displaced: None }
    }

    /// After a shard has given back the slots up to `consumed` of its inbound ring: wakes the callers whose
    /// messages those were. A fence of the caller's stands in between (SYNC: sleeper).
    #[inline]
    pub(crate) fn wake_answered(&self, shard: usize, consumed: impl FnOnce() -> u64) {
        if let Some(shard) = self.shards.get(shard)
            && !shard.sleepers.is_empty()
        {
            shard.wake_answered(consumed);
        }
    }

    /// Gives the call of a staged message its slot. Returns the slot's address, which the message must carry,
    /// and a waker to wake when no lock is held.
    ///
    /// # Safety
    ///
    /// As for [`Callers::begin`].
    pub(crate) unsafe fn hand_over(&self, shard: usize, ticket: u64, number: u64) -> (u64, Option<Waker>) {
        // SAFETY: by the caller's word.
        let (call, displaced) = unsafe { self.shards[shard].begin(ticket, self.size, self.errors) };
        let mut staged = lock(&self.staged);
        match staged.get_mut(&number) {
            Some(entry) => {
                let before = mem::replace(entry, Staged::At(shard, call));
                if let Staged::Waiting(Some(waker)) = before {
                    // Under the lock: so a caller that finds its call here leaves its newer waker after this
                    // one.
                    let stale = self.shards[shard].sleepers.lie_down(call.slot(), call, waker);
                    return (call.word(), displaced.or(stale));
                }
            }
            // The call was given up.
            None => {
                self.shards[shard].callers.give_up(call);
            }
        }
        (call.word(), displaced)
    }

    /// Ends a staged call whose message is gone, and wakes the caller. Called when no lock is held.
    pub(crate) fn complete(&self, number: u64, error: CallError) {
        let before = match lock(&self.staged).get_mut(&number) {
            Some(entry @ Staged::Waiting(_)) => mem::replace(entry, Staged::Ended(error)),
            _ => return,
        };
        if let Staged::Waiting(Some(waker)) = before {
            wake(waker);
        }
    }

    /// Says that no reply will come any more. Called after every shard has terminated.
    pub(crate) fn end(&self) {
        // SYNC: calls-ended (release)
        self.ended.store(true, Ordering::Release);
        for shard in &self.shards {
            shard.sleepers.rouse_all().into_iter().for_each(wake);
        }
        let waker = |staged: &mut Staged| match staged {
            Staged::Waiting(waker) => waker.take(),
            _ => None,
        };
        let wakers: Vec<Waker> = lock(&self.staged).values_mut().filter_map(waker).collect();
        wakers.into_iter().for_each(wake);
    }

    fn has_ended(&self) -> bool {
        // SYNC: calls-ended (acquire)
        self.ended.load(Ordering::Acquire)
    }
}

impl ShardCalls {
    /// Begins a call with a ticket. Returns a waker to wake when no lock is held.
    ///
    /// # Safety
    ///
    /// As for [`Callers::begin`].
    #[inline]
    unsafe fn begin(&self, ticket: u64, size: usize, errors: &'static [ErrorName]) -> (Call, Option<Waker>) {
        let mut displaced = None;
        loop {
            // SAFETY: by the caller's word.
            match unsafe { self.callers.begin(ticket) } {
                Ok(call) => return (call, displaced),
                // SAFETY: by the caller's word.
                Err(Occupied) => displaced = unsafe { self.rescue(ticket, size, errors) }.or(displaced),
            }
        }
    }

    /// Puts aside the reply that lies in the slot of `ticket`; returns the waker of that reply's caller.
    ///
    /// # Safety
    ///
    /// As for [`Callers::begin`].
    #[cold]
    unsafe fn rescue(&self, ticket: u64, size: usize, errors: &'static [ErrorName]) -> Option<Waker> {
        // Under the lock: a caller that finds that its reply was rescued also finds the reply here.
        let mut rescued = lock(&self.rescued);
        let put_aside = |call, reply: Option<Reply<'_>>| {
            let mut bytes = blank(size);
            let stamp = reply.as_ref().map_or(0, Reply::stamp);
            let outcome = reply.map_or(Err(CallError::Terminated), |reply| read(&reply, errors, &mut bytes));
            (call, outcome.map(|()| (bytes, stamp)))
        };
        // SAFETY: by the caller's word.
        let (call, outcome) = unsafe { self.callers.rescue(ticket, put_aside) }?;
        rescued.insert(call, outcome);
        drop(rescued);
        self.sleepers.get_up(call.slot(), call)
    }

    #[cold]
    fn wake_answered(&self, consumed: impl FnOnce() -> u64) {
        let callers = &self.callers;
        let woken =
            self.sleepers.rouse(consumed, |ticket| callers.slot_of(ticket), |call| callers.is_answered(call));
        woken.into_iter().for_each(wake);
    }
}

/// Reads a reply: an output, which is written to `to`, or the reason why there is none.
fn read(reply: &Reply<'_>, errors: &'static [ErrorName], to: &mut Bytes) -> Result<(), CallError> {
    match reply.kind {
        kind::MESSAGE => {
            // SAFETY: it is a message.
            unsafe { reply.read_bytes(to) };
            Ok(())
        }
        kind::FAILED => Err(CallError::failed(reply.length as u16, errors)),
        _ => Err(CallError::NoReply),
    }
}

fn lock<T>(data: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic can only interrupt one change of one map.
    data.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call that is under way. Dropping it gives it up.
pub(crate) struct PendingCall<'a> {
    table: &'a CallTable,
    stage: Stage,
    /// Whether it may have left a waker.
    asleep: bool,
    /// The waker of the caller whose reply was put aside to make room for this call's reply.
    displaced: Option<Waker>,
}

#[derive(Clone, Copy)]
enum Stage {
    /// Its message has not been accepted.
    New,
    /// Its message carries this number.
    Staged(u64),
    /// Its message carries the address, and is in this shard.
    At(usize, Call),
    Done,
}

impl PendingCall<'_> {
    /// Gives the call the slot for which its message has a ticket. Returns what the message must carry.
    ///
    /// # Safety
    ///
    /// As for [`Callers::begin`].
    #[inline]
    pub(crate) unsafe fn accept(&mut self, shard: usize, ticket: u64) -> u64 {
        // SAFETY: by the caller's word.
        let (call, displaced) =
            unsafe { self.table.shards[shard].begin(ticket, self.table.size, self.table.errors) };
        self.stage = Stage::At(shard, call);
        self.displaced = displaced;
        call.word()
    }

    /// Wakes the displaced caller. Called after [`accept`](Self::accept), when the message is published.
    #[inline]
    pub(crate) fn wake_displaced(&mut self) {
        if let Some(waker) = self.displaced.take() {
            wake(waker);
        }
    }

    /// Stages the call: returns the number that its message carries in front of the ring. Never 0.
    pub(crate) fn stage(&mut self) -> u64 {
        match self.stage {
            Stage::Staged(number) => number,
            _ => {
                let number = self.table.numbers.fetch_add(1, Ordering::Relaxed) + 1;
                lock(&self.table.staged).insert(number, Staged::Waiting(None));
                self.stage = Stage::Staged(number);
                number
            }
        }
    }

    /// Takes the reply, once, if it has come; an output is written to `to`.
    #[inline]
    pub(crate) fn try_take(&mut self, to: &mut Bytes) -> Option<Result<(), CallError>> {
        // Read before the look: then the look sees everything that was published before the end.
        let ended = self.table.has_ended();
        if let Stage::Staged(number) = self.stage
            && let Some(result) = self.look_at_stage(number, ended)
        {
            return Some(result);
        }
        let Stage::At(index, call) = self.stage else { return None };
        let shard = &self.table.shards[index];
        let mut stamp = 0;
        let result = match shard.callers.take(call, |reply| {
            stamp = reply.stamp();
            read(&reply, self.table.errors, to)
        }) {
            Look::Reply(result) => result,
            Look::NotYet if ended => Err(CallError::Terminated),
            Look::NotYet => return None,
            Look::Rescued => {
                let outcome = lock(&shard.rescued).remove(&call);
                outcome.unwrap_or(Err(CallError::Terminated)).map(|(bytes, sent)| {
                    stamp = sent;
                    to.copy_from_slice(&bytes);
                })
            }
        };
        if let Some(stamps) = &self.table.stamps {
            stamps.received_reply(stamp);
        }
        self.get_up();
        if !matches!(result, Err(CallError::Terminated)) {
            self.stage = Stage::Done;
        }
        Some(result)
    }

    /// The result of a staged call; `None` if it has a slot now, or still waits.
    #[cold]
    fn look_at_stage(&mut self, number: u64, ended: bool) -> Option<Result<(), CallError>> {
        let mut staged = lock(&self.table.staged);
        match staged.get(&number) {
            Some(&Staged::At(shard, call)) => {
                staged.remove(&number);
                self.stage = Stage::At(shard, call);
                // If it had left a waker, the waker went there with it.
                self.asleep = true;
                None
            }
            Some(&Staged::Ended(error)) => Some(Err(error)),
            _ if ended => Some(Err(CallError::Terminated)),
            _ => None,
        }
    }

    /// [`try_take`](Self::try_take) as a poll.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>, to: &mut Bytes) -> Poll<Result<(), CallError>> {
        if let Some(result) = self.try_take(to) {
            return Poll::Ready(result);
        }
        // Cloning or dropping a waker may run code of the program, so neither is done under a lock.
        drop(self.lie_down(context.waker().clone()));
        self.try_take(to).map_or(Poll::Pending, Poll::Ready)
    }

    /// Leaves a waker where whoever brings the reply finds it. Returns a waker to drop.
    fn lie_down(&mut self, waker: Waker) -> Option<Waker> {
        if let Stage::Staged(number) = self.stage {
            let mut staged = lock(&self.table.staged);
            match staged.get_mut(&number) {
                Some(Staged::Waiting(place)) => return place.replace(waker),
                Some(&mut Staged::At(shard, call)) => {
                    staged.remove(&number);
                    self.stage = Stage::At(shard, call);
                }
                // The look that follows finds the result.
                _ => return Some(waker),
            }
        }
        let Stage::At(shard, call) = self.stage else { return Some(waker) };
        self.asleep = true;
        self.table.shards[shard].sleepers.lie_down(call.slot(), call, waker)
    }

    /// Takes back the waker that it may have left.
    fn get_up(&mut self) {
        if mem::take(&mut self.asleep)
            && let Stage::At(shard, call) = self.stage
        {
            drop(self.table.shards[shard].sleepers.get_up(call.slot(), call));
        }
    }
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        if let Stage::Staged(number) = self.stage {
            let staged = lock(&self.table.staged).remove(&number);
            if let Some(Staged::At(shard, call)) = staged {
                self.stage = Stage::At(shard, call);
                self.asleep = true;
            }
        }
        self.get_up();
        if let Stage::At(shard, call) = self.stage {
            let shard = &self.table.shards[shard];
            if !shard.callers.give_up(call) {
                lock(&shard.rescued).remove(&call);
            }
        }
    }
}
