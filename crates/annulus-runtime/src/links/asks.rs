//! Who asks whom: what a kernel that asks reserves in the kernel that it asks.
//!
//! An asked kernel has as many places for answers as calls may go through it, with numbers of their own. The asker keeps as many of
//! them as its blocks may have asks, as long as it is connected. It keeps the asked kernel from sending on what it takes, too: an
//! answer comes from the kernel that is asked.
//!
//! # When places are free again
//!
//! An asker is connected elsewhere only if every answer has come, or the asked kernel has ended. But it may end while answers are to
//! come. Then its places are *left*: whoever handles the queries writes there. They are free when somebody wants places, and
//!
//! * as many answers are there as queries have gone, since the places were kept: the asker has counted each query that has gone, and
//!   each answer is one generation more of its place; the host sees that where blocks answer in its memory, as on the CPU;
//! * or the asked kernel, and all that send to it, are at rest ([`links`](super)): a query that has gone is a message in a ring of
//!   the asked kernel, and is answered before its slot is given back.
//!
//! A lost asker has not told all that it has sent. What it leaves is free when the asked kernel has ended, and nobody asks that one
//! any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use annulus_abi::{control::Timers, launch::asks_of, ring::kind};
use annulus_block::Answered;
use annulus_kernel::KernelDefinition;
use annulus_ring::{
    memory::{ShardMemory, SharedMemory},
    ring::{Landings, Reply},
};
use annulus_sync::Ordering;

use super::are_at_rest;
use crate::{
    backend::AskedAt,
    error::ConnectError,
    kernel::{bytes::blank, core::HostShard, shared::KernelShared, told},
};

/// What a kernel is asked: where the answers are, and who has which places.
pub(crate) struct Asked {
    answers: Arc<Answers>,
    /// By their first places, none of which is in two of them.
    kept: Mutex<Vec<Kept>>,
}

/// Where a kernel answers, if its blocks answer in the host's memory. It may outlive the kernel, and keeps its memory so long.
struct Answers {
    landings: Landings,
    /// The size of an answer, and where in an output it lies.
    answer: Option<(usize, usize)>,
    /// The landings lie there.
    _memory: Arc<SharedMemory>,
}

/// Places in a row of one asker.
struct Kept {
    first: u32,
    /// The generations that they showed when they were kept.
    shown: Arc<[u32]>,
    /// The asker has gone, and nobody knows how many of its asks are open.
    left: Option<Left>,
}

/// How many asks are answered when all are.
#[derive(Clone, Copy)]
struct Left(Option<u64>);

impl Answered for Answers {
    fn answered(&self, place: u32) -> u32 {
        self.landings.generation(place)
    }

    unsafe fn answer(&self, call: u64, to: *mut u8) -> (u8, u16, u64) {
        let read = |reply: Reply<'_>| {
            if let (kind::MESSAGE, Some((size, at))) = (reply.kind, self.answer) {
                let mut bytes = blank(size);
                // SAFETY: it is a message, in which the answer lies there.
                unsafe { reply.read_part(at, &mut bytes) };
                // SAFETY: by the caller's word there is room for it.
                unsafe { to.copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len()) };
            }
            let code = if reply.kind == kind::FAILED { reply.length as u16 } else { 0 };
            (reply.kind, code, reply.stamp())
        };
        self.landings.look(call, read).unwrap_or((kind::LOST, 0, 0))
    }
}

impl Answers {
    /// How many answers have come to places that had shown these generations.
    fn since(&self, kept: &Kept) -> u64 {
        let come = |(place, &before): (u32, &u32)| {
            let now = self.landings.generation(place);
            // No generation is 0 again.
            u64::from(now.wrapping_sub(before)) - u64::from(now < before)
        };
        (kept.first..).zip(&*kept.shown).map(come).sum()
    }
}

impl Kept {
    fn end(&self) -> u32 {
        self.first + self.shown.len() as u32
    }
}

impl Asked {
    /// Nobody asks. The shard is one of a kernel of this definition.
    ///
    /// # Safety
    ///
    /// The kernel's landings are open, and its blocks make the other ends.
    pub(crate) unsafe fn new(shard: &ShardMemory, definition: &KernelDefinition) -> Self {
        // SAFETY: by the caller's word the blocks make the other ends. The memory is kept beside them.
        let landings = unsafe { shard.landings() };
        // SAFETY: these are the kernel's, and by the caller's word open.
        let landings = unsafe { Landings::new(landings) };
        let answer = definition.answer().map(|(ty, at)| (ty.size, at));
        let answers = Answers { landings, answer, _memory: Arc::clone(shard.memory()) };
        Self { answers: Arc::new(answers), kept: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        // A panic can interrupt no change: nothing that is called under the lock panics.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps so many places in a row, below `room`. Returns the first, or up to which number there are too few.
    fn keep(&self, count: u32, room: u32) -> Result<u32, u32> {
        let mut kept = self.lock();
        let mut at = kept.len();
        let mut first = kept.last().map_or(0, Kept::end);
        let mut end = 0;
        for (index, other) in kept.iter().enumerate() {
            if other.first - end >= count {
                (at, first) = (index, end);
                break;
            }
            end = other.end();
        }
        if first + count > room {
            return Err(first + count);
        }
        let shown = (first..first + count).map(|place| self.answers.landings.generation(place)).collect();
        kept.insert(at, Kept { first, shown, left: None });
        Ok(first)
    }

    /// The asker of these places has gone. With `left`, answers may come.
    fn give_back(&self, first: u32, left: Option<Left>) {
        let mut kept = self.lock();
        match left {
            None => kept.retain(|kept| kept.first != first),
            Some(_) => kept.iter_mut().filter(|kept| kept.first == first).for_each(|kept| kept.left = left),
        }
    }

    /// Frees places that were left, as far as all answers have come.
    fn tidy(&self, kernel: &Arc<KernelShared>) {
        let is_answered =
            |kept: &Kept| kept.left.is_some_and(|left| left.0 == Some(self.answers.since(kept)));
        let left: Vec<_> = {
            let mut kept = self.lock();
            kept.retain(|kept| !is_answered(kept));
            let counts = |kept: &&Kept| matches!(kept.left, Some(Left(Some(_))));
            kept.iter().filter(counts).map(|kept| Arc::clone(&kept.shown)).collect()
        };
        // Those alone that were left before the look: others may have asked since.
        if !left.is_empty() && are_at_rest(&kernel.upstream()) {
            self.lock().retain(|kept| !left.iter().any(|left| Arc::ptr_eq(left, &kept.shown)));
        }
    }
}

/// What a kernel has reserved in the one that it asks.
pub(crate) struct Asking {
    target: Weak<KernelShared>,
    first: u32,
    /// What its blocks had sent by the outbox before.
    before: u64,
    /// Something may still be written there.
    left: Option<Left>,
}

impl Asking {
    /// Where the answers of this kernel are, which is the one that is asked.
    pub(crate) fn answers_of(&self, target: &KernelShared) -> Option<AskedAt> {
        let through = target.through.as_ref()?;
        let (_, answer) = target.core.definition.answer()?;
        Some(AskedAt { first: self.first, answer, answers: Arc::clone(&through.asked.answers) as _ })
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let Some(target) = self.target.upgrade() else { return };
        let Some(through) = &target.through else { return };
        // SYNC: pins (release)
        through.pins.fetch_sub(1, Ordering::Release);
        through.asked.give_back(self.first, self.left);
    }
}

impl KernelShared {
    /// How many places its asks use: answers that have not come, or that no block has seen yet.
    pub(crate) fn open_asks(&self) -> u64 {
        let asks = |word: u64| u64::from(Timers::of_word(word).asks);
        self.core.shards.iter().map(|shard| asks(shard.memory.timers().load(Ordering::Relaxed))).sum()
    }

    /// Whether something that it has asked has not ended, or what came of it was not taken.
    pub(super) fn awaits_answers(&self) -> bool {
        if self.core.definition.ask().is_none() {
            return false;
        }
        let uncertainty = self.core.device.get().and_then(|device| device.clock_uncertainty());
        let awaits = |shard: &HostShard| {
            // SYNC: asks (acquire), both, in the order in which they are stored.
            let Timers { waiting, asks, .. } = Timers::of_word(shard.memory.timers().load(Ordering::Acquire));
            let due = shard.memory.due().load(Ordering::Acquire);
            // The clock is read after the word: what is due by the block's clock is due by this one.
            let until = || self.core.clock.now() + uncertainty.unwrap_or_default().as_nanos() as u64;
            waiting != 0 && (asks != 0 || due != 0 && due <= until())
        };
        self.core.shards.iter().any(awaits)
    }

    /// Whether it asks by this outbox.
    pub(crate) fn asks_by(&self, outbox: usize) -> bool {
        self.core.definition.ports.get(outbox).is_some_and(|port| port.ask.is_some())
    }

    /// How many queries have gone to kernels.
    fn queries(&self) -> u64 {
        let Some(ask) = self.core.definition.ask() else { return 0 };
        let ports = self.core.shards.iter().filter_map(|shard| shard.memory.port(ask.tag as usize));
        ports.map(|port| port.forwarded().load(Ordering::Relaxed)).sum()
    }

    /// Reserves what this kernel needs to ask another one by this outbox; `None` if it asks nothing by it.
    pub(crate) fn reserve_to_ask(
        &self,
        outbox: usize,
        target: &Arc<Self>,
    ) -> Result<Option<Asking>, ConnectError> {
        let definition = self.core.definition;
        let Some(ask) = definition.ports.get(outbox).and_then(|port| port.ask) else { return Ok(None) };
        let other = &target.core.name;
        let count =
            asks_of(definition.timers.map_or(0, |timers| timers.room)) * self.core.shards.len() as u32;
        let no_room =
            |kernel: &Self, room: u32| ConnectError::NoRoomToAsk { kernel: kernel.core.name.clone(), room };
        if target.core.definition.ask().is_some() {
            return Err(ConnectError::AsksItself { kernel: other.clone() });
        }
        // The asker's messages carry addresses, too. Its places are not used.
        if self.through.is_none() {
            return Err(no_room(self, 1));
        }
        let through = target.through.as_ref().ok_or_else(|| no_room(target, count))?;
        let answers = target.core.definition.answer();
        if answers.is_none_or(|(answers, _)| answers.difference(ask.answered).is_some()) {
            return Err(ConnectError::OtherAnswer { kernel: other.clone(), awaits: ask.answered.name });
        }
        through.asked.tidy(target);
        // Links change under this lock.
        let _command = target.core.lock_command();
        if target.links.known().targets.iter().any(|target| target.outbox == 0) {
            return Err(ConnectError::AskedGoesOn { kernel: other.clone() });
        }
        let first = through.asked.keep(count, through.room).map_err(|room| no_room(target, room))?;
        // SYNC: none: the lock orders it with those that change links.
        through.pins.fetch_add(1, Ordering::Relaxed);
        Ok(Some(Asking { target: Arc::downgrade(target), first, before: 0, left: None }))
    }

    /// From now on it asks by this, or nobody. Called by whoever changes its links, while it is inactive, or after it has ended.
    /// Returns what it has asked by, which is dropped when no lock is held.
    #[must_use = "it is dropped when no lock is held"]
    pub(crate) fn ask_by(&self, mut asking: Option<Asking>) -> Option<Asking> {
        let queries = self.queries();
        asking.iter_mut().for_each(|asking| asking.before = queries);
        let mut before = {
            let mut now = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *now, asking)
        };
        if let Some(before) = &mut before {
            // A kernel that is lost has told nothing of its last asks.
            let is_lost = self.core.told.has(told::LOST);
            let gone = (!is_lost).then(|| queries - before.before);
            before.left = (is_lost || self.open_asks() != 0).then_some(Left(gone));
        }
        before
    }

    /// The kernel that it asks, if that is still there.
    pub(crate) fn asked(&self) -> Option<Arc<Self>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.target.upgrade()
    }

    /// Whether a kernel that has not ended, the one that this one asks, may still answer something.
    pub(crate) fn check_asks(&self, asked: Option<&Self>) -> Result<(), ConnectError> {
        let open = self.open_asks();
        match asked.filter(|asked| open != 0 && !asked.core.is_finished()) {
            Some(_) => Err(ConnectError::OpenAsks { kernel: self.core.name.clone(), open }),
            None => Ok(()),
        }
    }
}
