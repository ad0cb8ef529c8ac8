//! Whom the barriers of a runtime wait for, for who asks why something stands still.
//!
//! Only a barrier itself knows who has come to it: that is state of an actor, which blocks may be writing. So the host asks by a message,
//! whose answer comes the way that news of generations come. A barrier that does not answer in time says nothing; then its
//! kernel stands still, which is seen in other ways.

use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use annulus_abi::control::state;
use annulus_sync::wait::block_on_deadline;

use super::{
    host::{Named, Running},
    kernel::{ASKS, Arrive},
};
use crate::why::{Absent, Cause, Finding};

/// So many barriers of a kernel are asked at a time: their messages take the room of those that come.
const AT_A_TIME: usize = 8;
/// How long the answers of a kernel may take. Source: this project's choice.
const PATIENCE: Duration = Duration::from_millis(200);

/// The barriers of a runtime that are there.
#[derive(Default)]
pub(crate) struct AllBarriers(Mutex<Vec<Weak<Running>>>);

/// What a barrier has said to which somebody has come, and others have not.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wait {
    number: usize,
    generation: u64,
    missing: u64,
}

/// The waits of a runtime's barriers, at one moment.
pub(crate) struct Waits(Vec<(Arc<Running>, Vec<Wait>)>);

impl AllBarriers {
    pub(super) fn add(&self, running: &Arc<Running>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() != 0);
        all.push(Arc::downgrade(running));
    }

    /// Asks all barriers, but for those that pass by themselves when their limit is over.
    pub(crate) fn ask(&self) -> Waits {
        let all: Vec<Arc<Running>> = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().filter_map(Weak::upgrade).collect()
        };
        Waits(all.into_iter().map(|running| (Arc::clone(&running), running.ask())).collect())
    }
}

impl Waits {
    /// The barriers that waited for the same parties earlier, so long before.
    pub(crate) fn since(&self, earlier: &Self, at_least: Duration) -> Vec<Finding> {
        let before = |running: &Arc<Running>| earlier.0.iter().find(|(known, _)| Arc::ptr_eq(known, running));
        let mut findings = Vec::new();
        for (running, waits) in &self.0 {
            let Some((_, before)) = before(running) else { continue };
            for wait in waits.iter().filter(|wait| before.contains(wait)) {
                let named = &running.table.named[wait.number];
                findings.push(Finding {
                    kernel: running.kernel.name().into(),
                    runtime: 0,
                    shards: Vec::new(),
                    cause: Cause::Barrier {
                        barrier: named.name.clone(),
                        generation: wait.generation,
                        parties: named.parties,
                        missing: named.absent(wait.missing),
                        at_least,
                    },
                    pending: 0,
                    staged: 0,
                    waiting: Vec::new(),
                });
            }
        }
        findings
    }
}

impl Named {
    /// The parties of these bits.
    fn absent(&self, missing: u64) -> Vec<Absent> {
        let known = |party: u32| self.actors.iter().find(|known| known.party == party).cloned();
        let parties = (0..self.parties).filter(|party| missing >> party & 1 != 0);
        parties.map(|party| known(party).unwrap_or(Absent { party, actor: None })).collect()
    }

    /// Whether a bit stands for each of its parties: nobody has come.
    fn is_all(&self, missing: u64) -> bool {
        missing.count_ones() == self.parties
    }
}

impl Running {
    /// What the barriers say to which somebody has come.
    fn ask(&self) -> Vec<Wait> {
        let shards = self.kernel.shared_arc().look();
        if shards.iter().any(|shard| shard.state != state::ACTIVE || shard.stalled != 0) {
            return Vec::new();
        }
        let named = &self.table.named;
        let said = |number: usize| named[number].heard().said;
        let numbers: Vec<usize> = (0..named.len()).filter(|&number| !named[number].has_limit).collect();
        let (until, mut waits) = (Instant::now() + PATIENCE, Vec::new());
        for some in numbers.chunks(AT_A_TIME) {
            let before: Vec<u64> = some.iter().map(|&number| said(number).0).collect();
            for &number in some {
                let ask = Arrive { barrier: number as u32, party: ASKS, generation: Arrive::OPEN };
                if self.kernel.try_send(ask).is_err() {
                    return waits;
                }
            }
            let have_answered = || some.iter().zip(&before).all(|(&number, &before)| said(number).0 > before);
            let answered = async {
                while !have_answered() {
                    let listener = self.table.news.listen();
                    if have_answered() {
                        break;
                    }
                    listener.await;
                }
            };
            if block_on_deadline(answered, until).is_none() {
                return waits;
            }
            waits.extend(some.iter().filter_map(|&number| {
                let (_, generation, missing) = said(number);
                (!named[number].is_all(missing)).then_some(Wait { number, generation, missing })
            }));
        }
        waits
    }
}
