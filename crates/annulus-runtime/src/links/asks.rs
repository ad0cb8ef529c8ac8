//! Who asks whom: what a kernel that asks reserves in the kernel that it asks.
//!
//! The asked kernel answers in places for calls through pipelines ([`passage`](crate::kernel::passage)), of which the asker keeps
//! as many as its blocks may have asks, as long as it is connected. It keeps the asked kernel from sending on what it takes, too:
//! an answer comes from the kernel that is asked. Places are given back if every answer has come, or none will.

use std::sync::{Arc, PoisonError, Weak};

use annulus_abi::{control::Timers, launch::asks_of};
use annulus_sync::Ordering;

use crate::{
    error::ConnectError,
    kernel::{passage::Passage, shared::KernelShared},
};

/// What a kernel has reserved in the one that it asks.
pub(crate) struct Asking {
    passage: Arc<Passage>,
    target: Weak<KernelShared>,
    pub(crate) first: u32,
    count: u32,
    /// Something may still be written there.
    is_open: bool,
}

impl Drop for Asking {
    fn drop(&mut self) {
        let target = self.target.upgrade();
        if let Some(through) = target.as_ref().and_then(|target| target.through.as_ref()) {
            // SYNC: pins (release)
            through.pins.fetch_sub(1, Ordering::Release);
        }
        // Nobody writes to the memory of a kernel that has ended. Otherwise the places are nobody's from now on.
        if !self.is_open || target.is_none_or(|target| target.core.is_finished()) {
            self.passage.give_back(self.first, self.count);
        }
    }
}

impl KernelShared {
    /// How many places its asks use: answers that have not come, or that no block has seen yet.
    pub(crate) fn open_asks(&self) -> u64 {
        let asks = |word: u64| u64::from(Timers::of_word(word).asks);
        self.core.shards.iter().map(|shard| asks(shard.memory.timers().load(Ordering::Relaxed))).sum()
    }

    /// Whether it asks by this outbox.
    pub(crate) fn asks_by(&self, outbox: usize) -> bool {
        self.core.definition.ports.get(outbox).is_some_and(|port| port.ask.is_some())
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
        if self.through.is_none() {
            return Err(no_room(self, count));
        }
        let through = target.through.as_ref().ok_or_else(|| no_room(target, count))?;
        let answers = target.core.definition.answer();
        if answers.is_none_or(|(answers, _)| answers.difference(ask.answered).is_some()) {
            return Err(ConnectError::OtherAnswer { kernel: other.clone(), awaits: ask.answered.name });
        }
        // Links change under this lock.
        let _command = target.core.lock_command();
        if target.links.known().targets.iter().any(|target| target.outbox == 0) {
            return Err(ConnectError::AskedGoesOn { kernel: other.clone() });
        }
        let first = through.passage.keep(count, through.room).map_err(|room| no_room(target, room))?;
        // SYNC: none: the lock orders it with those that change links.
        through.pins.fetch_add(1, Ordering::Relaxed);
        let passage = Arc::clone(&through.passage);
        Ok(Some(Asking { passage, target: Arc::downgrade(target), first, count, is_open: false }))
    }

    /// From now on it asks by this, or nobody. Called by whoever changes its links, or after it has ended.
    pub(crate) fn ask_by(&self, asking: Option<Asking>) {
        let mut before = {
            let mut now = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *now, asking)
        };
        // A kernel that is lost has told nothing of its last asks.
        let is_open = self.open_asks() != 0 || self.core.told.has(crate::kernel::told::LOST);
        if let Some(before) = &mut before {
            before.is_open = is_open;
        }
    }

    /// Whether a kernel that has not ended may still answer what this one has asked.
    pub(crate) fn check_asks(&self) -> Result<(), ConnectError> {
        let asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        let target = asking.as_ref().and_then(|asking| asking.target.upgrade());
        let open = self.open_asks();
        match target.filter(|target| open != 0 && !target.core.is_finished()) {
            Some(_) => Err(ConnectError::OpenAsks { kernel: self.core.name.clone(), open }),
            None => Ok(()),
        }
    }
}
