//! The kernel that named barriers are actors of, and its messages.

use annulus_kernel::{Addressed, Cx, Later, Outbox, Peer};
use annulus_macros::{DeviceType, ErrorCode, RingMessage, ring_kernel};

/// The most parties of a barrier: they are bits of a word.
pub const MOST_PARTIES: u32 = 64;
/// The most barriers of a plan: each has one timer at most, and a block has room for so many here.
pub const MOST_BARRIERS: u32 = 1024;

/// The party that is none: a barrier's own timer.
const LIMIT: u32 = u32::MAX;
/// The party that is none either: the host asks who is waited for.
pub(super) const ASKS: u32 = u32::MAX - 1;
/// The generation that is open, whichever that is.
const OPEN: u64 = u64::MAX;
/// Not for any generation: the party leaves.
const LEAVES: u64 = u64::MAX - 1;

/// A party has come to a barrier, or leaves it. What a kernel sends that is a party of a
/// [named barrier](crate::barrier).
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Arrive {
    /// The number of the barrier; see [`BarrierNumber`](super::BarrierNumber).
    #[ring(key)]
    pub barrier: u32,
    /// The number of the party, below the number of parties.
    pub party: u32,
    /// The generation that it has come to, which counts from 0.
    pub generation: u64,
}

impl Arrive {
    /// The party has come to the generation that is open, whichever that is.
    pub const OPEN: u64 = OPEN;
    /// The party leaves: nobody waits for it any more, until it comes again.
    pub const LEAVES: u64 = LEAVES;
}

/// A generation of a barrier has passed. What each of its parties gets.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Passed {
    /// The actor that is told; [`BarrierPlan::tell`](super::BarrierPlan::tell) says which.
    #[ring(key)]
    pub actor: u32,
    /// The number of the barrier.
    pub barrier: u32,
    /// The generation that has passed. The next one is open.
    pub generation: u64,
    /// A bit for each party that had not come when the limit had passed; 0 if all had come.
    pub missing: u64,
}

impl Passed {
    /// Whether the limit had passed before all had come.
    ///
    /// ```
    /// # use annulus::barrier::Passed;
    /// let passed = Passed { actor: 0, barrier: 0, generation: 3, missing: 0b101 };
    /// assert!(passed.timed_out());
    /// assert!(passed.missing_parties().eq([0, 2]));
    /// ```
    pub const fn timed_out(&self) -> bool {
        self.missing != 0
    }

    /// The parties that had not come.
    pub fn missing_parties(&self) -> impl Iterator<Item = u32> + use<> {
        let missing = self.missing;
        (0..MOST_PARTIES).filter(move |party| missing >> party & 1 != 0)
    }
}

/// Why a barrier takes no notice of a message: what the code of a failure means.
#[derive(ErrorCode, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum NotTaken {
    /// The party has come to this generation before.
    CameTwice = 1,
    /// The generation has passed: its limit was over before the party came.
    GenerationHasPassed = 2,
    /// The generation is not open yet.
    GenerationIsToCome = 3,
    /// The barrier has fewer parties.
    NoSuchParty = 4,
}

/// What was agreed on for a barrier.
#[doc(hidden)]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Terms {
    /// A bit for each party.
    pub parties: u64,
    /// Nanoseconds from the first to come, until the others are missing; 0 for no limit.
    pub limit: u64,
    /// Where in the other table those begin who are told,
    pub first: u32,
    /// and where they end.
    pub end: u32,
}

/// Somebody who is told.
#[doc(hidden)]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Told {
    pub to: Peer<Passed>,
    /// The bit of the party that it is; 0 for the host, which is told always.
    pub party: u64,
    pub actor: u32,
    pub padding: u32,
}

/// What is known of a barrier.
#[doc(hidden)]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Meeting {
    /// The one that is open.
    pub generation: u64,
    /// Who has come to it.
    pub arrived: u64,
    /// Who has left.
    pub gone: u64,
    /// When its limit is over; means something once somebody has come.
    pub due: u64,
    /// When its timer is due,
    pub rings: u64,
    /// if it has set one.
    pub timed: u64,
}

/// One actor for each barrier. See the [module](crate::barrier).
///
/// The host may [ask](ASKS) who is waited for: the answer has that number for an actor, and names all parties if nobody has come.
///
/// A timer cannot be taken back, and generations may be much shorter than the limit. So a barrier has at most
/// one timer: what is due before the limit of the open generation sets it once more, for what is left.
#[doc(hidden)]
#[ring_kernel(
    mode = Batch,
    max_messages_per_iteration = 8,
    max_outputs = 65,
    timers = 1024,
    connectable = true,
    __unlisted
)]
pub fn meet(
    cx: &Cx,
    arrive: &Arrive,
    meeting: &mut Meeting,
    terms: &[Terms],
    told: &[Told],
    later: &Later<Arrive>,
    out: &Outbox<Addressed<Passed>>,
) -> Result<(), NotTaken> {
    let terms = terms[arrive.barrier as usize];
    let now = cx.now();
    let mut over = false;
    if arrive.party == ASKS {
        let missing = if meeting.arrived == 0 {
            terms.parties
        } else {
            terms.parties & !(meeting.arrived | meeting.gone)
        };
        let (barrier, generation) = (arrive.barrier, meeting.generation);
        // The first who is told is the host.
        let to = told[terms.first as usize].to;
        out.send(Addressed { to, message: Passed { actor: ASKS, barrier, generation, missing } });
        return Ok(());
    }
    if arrive.party == LIMIT {
        // Only its own timer is one, whoever sends such a message.
        if meeting.timed == 0 || now < meeting.rings {
            return Err(NotTaken::NoSuchParty);
        }
        meeting.timed = 0;
        if meeting.arrived == 0 {
            return Ok(());
        }
        if now < meeting.due {
            later.send_after(*arrive, meeting.due - now);
            meeting.rings = meeting.due;
            meeting.timed = 1;
            return Ok(());
        }
        over = true;
    } else {
        if arrive.party >= MOST_PARTIES {
            return Err(NotTaken::NoSuchParty);
        }
        let party = 1u64 << arrive.party;
        if terms.parties & party == 0 {
            return Err(NotTaken::NoSuchParty);
        }
        if arrive.generation == LEAVES {
            if meeting.gone & party != 0 {
                return Err(NotTaken::CameTwice);
            }
            meeting.gone |= party;
        } else {
            if arrive.generation != OPEN && arrive.generation < meeting.generation {
                return Err(NotTaken::GenerationHasPassed);
            }
            if arrive.generation != OPEN && arrive.generation > meeting.generation {
                return Err(NotTaken::GenerationIsToCome);
            }
            if meeting.arrived & party != 0 {
                return Err(NotTaken::CameTwice);
            }
            if meeting.arrived == 0 && terms.limit != 0 {
                meeting.due = now + terms.limit;
                if meeting.timed == 0 {
                    later.send_after(Arrive { party: LIMIT, ..*arrive }, terms.limit);
                    meeting.rings = meeting.due;
                    meeting.timed = 1;
                }
            }
            meeting.arrived |= party;
            meeting.gone &= !party;
        }
    }
    let missing = terms.parties & !(meeting.arrived | meeting.gone);
    if meeting.arrived == 0 || (missing != 0 && !over) {
        return Ok(());
    }
    for at in terms.first..terms.end {
        let told = told[at as usize];
        if told.party & meeting.gone == 0 {
            let (actor, barrier, generation) = (told.actor, arrive.barrier, meeting.generation);
            let message = Passed { actor, barrier, generation, missing };
            out.send(Addressed { to: told.to, message });
        }
    }
    meeting.generation += 1;
    meeting.arrived = 0;
    Ok(())
}

/// Tells the host what the barriers tell it, where they are connected to kernels.
#[doc(hidden)]
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, connectable = true, __unlisted)]
pub fn tell_the_host(passed: &Passed, out: &Outbox<Passed>) {
    out.send(*passed);
}
