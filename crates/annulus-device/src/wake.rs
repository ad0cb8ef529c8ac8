//! Waking a block on a device: whether it would find work, and the end of its nap.
//!
//! A block that sleeps has announced it (`asleep`), and naps until its `wake` word changes. A block of a
//! kernel in epochs is launched again instead ([`Stay`](annulus_sync::stay)). [`annulus_sync::wake_flag`]
//! describes how a block on the CPU is woken, and [`doorbell`](crate::doorbell) how a block wakes the host.

use std::mem::offset_of;

use annulus_abi::{
    control::{STALLED_BY_KERNEL, STALLED_HOLDS, command, state},
    launch::BlockRecord,
};
use annulus_block::finds_work;
use annulus_ring::ring::Consumer;
use annulus_sync::Ordering;

use crate::shard::DeviceShard;

impl DeviceShard {
    /// Ends the block's nap, if it naps; after a fence (SYNC: asleep).
    pub(crate) fn wake(&self, in_futex: bool) {
        if self.word(offset_of!(BlockRecord, asleep)).load(Ordering::Relaxed) != 0 {
            self.end_nap(in_futex);
        }
    }

    #[cold]
    pub(crate) fn end_nap(&self, in_futex: bool) {
        let wake = self.word(offset_of!(BlockRecord, wake));
        // SYNC: nap-ended (release)
        wake.fetch_add(1, Ordering::Release);
        #[cfg(target_os = "linux")]
        if in_futex {
            crate::futex::wake_one(wake);
        }
        #[cfg(not(target_os = "linux"))]
        assert!(!in_futex, "futexes are Linux's");
    }

    /// Whether the block would find something to do if it were launched for an epoch.
    pub(crate) fn has_work(&self, credit: u64, connectable: bool, time: u64) -> bool {
        // SYNC: command (acquire)
        let wanted = self.memory.command().load(Ordering::Acquire);
        // SYNC: state (acquire), of the acknowledgement, too
        let now = self.memory.state().load(Ordering::Acquire);
        if now == state::TERMINATED {
            return false;
        }
        if now == state::LAUNCHED || wanted & command::TELEMETRY != 0 && self.shows_another_depth(connectable)
        {
            return true;
        }
        let seen = self.memory.acknowledged().load(Ordering::Acquire);
        // SYNC: ended (acquire): the due time is that of the last epoch's end.
        let is_due = matches!(self.memory.due().load(Ordering::Relaxed), due @ 1.. if due <= time);
        let is_ready = || self.inbound.may_be_ready() && !self.waits_for_round();
        finds_work(wanted, seen, is_due || is_ready(), || self.has_room(credit))
    }

    /// When a timer is due that the block may take: it is active, and there is room for what a handler sends.
    pub(crate) fn next_due(&self, credit: u64) -> Option<u64> {
        let due = self.memory.due().load(Ordering::Relaxed);
        // SYNC: state (acquire)
        let is_active = || self.memory.state().load(Ordering::Acquire) == state::ACTIVE;
        (due != 0 && is_active() && self.has_room(credit)).then_some(due)
    }

    /// Whether telemetry shows another depth than the inbound ring has. If so, a block is launched to show
    /// the depth even if it takes nothing.
    fn shows_another_depth(&self, connectable: bool) -> bool {
        let Some(shown) = self.shown_depth() else { return false };
        // The shown depth includes messages of other kernels, which only the device sees.
        if connectable { shown < self.inbound.depth() } else { shown != self.inbound.depth() }
    }

    /// The depth that telemetry shows; `None` if there is no telemetry line.
    pub(crate) fn shown_depth(&self) -> Option<u64> {
        self.memory.telemetry().map(|line| u64::from(line.word(3).load(Ordering::Relaxed) as u32))
    }

    /// Whether the shard has a telemetry line, and the block is commanded to write it.
    pub(crate) fn is_to_show(&self) -> bool {
        let wanted = self.memory.command().load(Ordering::Relaxed);
        let ended = self.memory.state().load(Ordering::Relaxed) == state::TERMINATED;
        self.memory.telemetry().is_some() && wanted & command::TELEMETRY != 0 && !ended
    }

    /// Whether the block has not said that it waits for room, or there is room by now.
    pub(crate) fn has_room(&self, credit: u64) -> bool {
        match self.memory.stalled().load(Ordering::Relaxed) {
            0 | STALLED_HOLDS => true,
            STALLED_BY_KERNEL => false,
            _ => self.has_credit(credit) || credit != 0 && self.next_is_call() && self.has_credit(credit - 1),
        }
    }

    /// Whether the next message is a call, whose first output needs no room in the outbound ring.
    fn next_is_call(&self) -> bool {
        // SAFETY: between epochs no block consumes, and this consumer gives no slots back.
        let inbound = unsafe { Consumer::new(self.inbound.clone()) };
        inbound.peek().is_some_and(|slot| slot.header.correlation != 0)
    }

    fn has_credit(&self, credit: u64) -> bool {
        let capacity = u64::from(self.outbound.layout().capacity);
        // Between epochs only the host consumes, and that only makes room.
        let consumed = self.outbound.consumed();
        self.outbound.reserved() + credit - consumed <= capacity
    }
}
