//! Kernels that come to named barriers.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::{
    barrier::{Arrive, Passed, meet, tell_the_host},
    prelude::Outbox,
};

/// What a party takes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Walk {
    /// Comes to so many generations.
    Begin {
        #[ring(key)]
        walker: u32,
        rounds: u64,
    },
    #[ring(from)]
    Passed(Passed),
}

/// How far a party is.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Walked {
    pub rounds: u64,
    pub steps: u64,
}

/// That a party was told.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Step {
    pub party: u32,
    pub barrier: u32,
    pub generation: u64,
    pub missing: u64,
    /// Which of its party's it was.
    pub nth: u64,
}

/// Actors that go from generation to generation. Actor 0 is the party that it is bound to, and so on.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn stroll(walk: &Walk, walked: &mut Walked, me: &Arrive, at: &Outbox<Arrive>, steps: &Outbox<Step>) {
    match walk {
        Walk::Begin { walker, rounds } => {
            walked.rounds = *rounds;
            at.send(Arrive { party: me.party + *walker, ..*me });
        }
        Walk::Passed(passed) => {
            walked.steps += 1;
            let party = me.party + passed.actor;
            steps.send(Step {
                party,
                barrier: passed.barrier,
                generation: passed.generation,
                missing: passed.missing,
                nth: walked.steps,
            });
            let generation = passed.generation + 1;
            if generation < walked.rounds {
                at.send(Arrive { barrier: passed.barrier, party, generation });
            }
        }
    }
}

/// All of them, and those that are the library's.
pub const BARRIERS: &[&KernelDefinition] = &[stroll::DEFINITION, meet::DEFINITION, tell_the_host::DEFINITION];
