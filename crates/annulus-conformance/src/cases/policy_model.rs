//! Random programs against a plain model: every strategy with every set of policies, through a kernel. Q-28.
//!
//! The kernel is inactive while the program sends, so that it is certain what waits; then it is activated,
//! and what comes out is compared. Time is the machine's: a round in which the machine paused for so long
//! that messages may have expired by themselves says nothing, and is done again.

use std::{
    collections::VecDeque,
    fmt, thread,
    time::{Duration, Instant},
};

use annulus_kernel::{KernelMessage, RingKernel};
use annulus_runtime::{
    Backpressure, Deduplication, KernelHandle, LaunchError, LaunchOptions, Runtime, SendError, SendOutcome,
    TrySendError,
};

use super::{
    bridged::log,
    links::received,
    policies::{LONG, STRATEGIES, policies, ticket},
};
use crate::{
    Bench,
    bench::{Random, balanced, drain},
    kernels::{
        bridged::{Digest, Log, batch_numbers},
        policies::{Ticket, batch_gate},
    },
};

/// A kernel that answers each message with its id, in batches of 8.
trait Gate: RingKernel<Message: Clone + PartialEq + fmt::Debug> {
    /// Whether a batch is offered as one; else its messages are offered one by one.
    const IN_RUNS: bool;

    fn launch(runtime: &Runtime, options: LaunchOptions) -> Result<KernelHandle<Self>, LaunchError>
    where
        Self: Sized;
    fn message(id: u64, priority: u8) -> Self::Message;
    fn id(output: &Self::Output) -> u64;
}

impl Gate for batch_gate {
    const IN_RUNS: bool = true;

    fn launch(runtime: &Runtime, options: LaunchOptions) -> Result<KernelHandle<Self>, LaunchError> {
        batch_gate::launch(runtime, options)
    }

    fn message(id: u64, priority: u8) -> Ticket {
        ticket(id, priority)
    }

    fn id(output: &Ticket) -> u64 {
        output.id
    }
}

impl Gate for batch_numbers {
    const IN_RUNS: bool = false;

    fn launch(runtime: &Runtime, options: LaunchOptions) -> Result<KernelHandle<Self>, LaunchError> {
        batch_numbers::launch(runtime, options)
    }

    fn message(id: u64, priority: u8) -> Log {
        log(id, priority)
    }

    fn id(output: &Digest) -> u64 {
        // Some lie in their slots, some in spill blocks.
        assert_eq!(output.bytes as usize, log(output.number, 0).text.len());
        output.number
    }
}

fn id_of<M: KernelMessage>(message: &M) -> u64 {
    message.id().expect("it declares one")
}

const CAPACITY: usize = 16;
const WINDOW: usize = 16;
/// Two batches.
const AHEAD: usize = 16;
/// The life of a message that is to expire.
const LIFE: Duration = Duration::from_millis(60);

/// A kernel's queue, done slowly.
struct Model<M> {
    /// Whether the messages of a batch are handed over at its end.
    in_runs: bool,
    backpressure: Backpressure,
    priority: bool,
    identified: bool,
    expires: bool,
    /// With the age that a message has, in lives.
    waiting: Vec<(M, u32)>,
    window: VecDeque<u64>,
    ring: Vec<M>,
    expired: Vec<M>,
    sent: u64,
    counts: [u64; 4],
}

const REJECTED: usize = 0;
const EVICTED: usize = 1;
const DISCARDED: usize = 2;
const DUPLICATE: usize = 3;

impl<M: KernelMessage + Clone> Model<M> {
    fn rank(&self, ticket: &M) -> u8 {
        if self.priority { ticket.priority() } else { 0 }
    }

    fn next(&self) -> Option<usize> {
        let highest = self.waiting.iter().map(|(ticket, _)| self.rank(ticket)).max()?;
        self.waiting.iter().position(|(ticket, _)| self.rank(ticket) == highest)
    }

    fn expire(&mut self) {
        while let Some(next) = self.next().filter(|&next| self.expires && self.waiting[next].1 != 0) {
            self.expired.push(self.waiting.remove(next).0);
        }
    }

    fn advance(&mut self) {
        self.expire();
        while self.ring.len() < AHEAD
            && let Some(next) = self.next()
        {
            self.ring.push(self.waiting.remove(next).0);
            self.expire();
        }
    }

    /// Sends one message of a run. The next are handed over where the queue is full, and at the end of the
    /// run.
    fn offer(&mut self, ticket: M) -> Result<SendOutcome<M>, TrySendError<M>> {
        if self.identified && self.window.contains(&id_of(&ticket)) {
            self.counts[DUPLICATE] += 1;
            return Ok(SendOutcome::Duplicate(ticket));
        }
        let mut outcome = SendOutcome::Accepted;
        if self.waiting.len() == CAPACITY {
            self.advance();
        }
        if self.waiting.len() == CAPACITY {
            let lowest = self.waiting.iter().map(|(ticket, _)| self.rank(ticket)).min().unwrap_or(0);
            match self.backpressure {
                Backpressure::Block | Backpressure::Reject => return Err(TrySendError::Full(ticket)),
                Backpressure::DropOldest if lowest <= self.rank(&ticket) => {
                    let oldest = self.waiting.iter().position(|(ticket, _)| self.rank(ticket) == lowest);
                    self.counts[EVICTED] += 1;
                    outcome = SendOutcome::Evicted(self.waiting.remove(oldest.unwrap()).0);
                }
                _ => {
                    self.counts[DISCARDED] += 1;
                    return Ok(SendOutcome::Discarded(ticket));
                }
            }
        }
        let id = id_of(&ticket);
        self.waiting.push((ticket, 0));
        if self.identified {
            self.window.push_back(id);
            if self.window.len() > WINDOW {
                self.window.pop_front();
            }
        }
        Ok(outcome)
    }

    fn send(&mut self, ticket: M) -> Result<SendOutcome<M>, TrySendError<M>> {
        let result = self.offer(ticket);
        self.advance();
        self.sent += 1;
        if result.is_err() {
            self.counts[REJECTED] += 1;
        }
        result
    }

    /// How many were sent, and what came back. What follows one that is refused was not sent. A batch of none is
    /// no send: nothing is handed over for it, and nothing is found to have expired.
    fn send_batch(&mut self, tickets: &[M]) -> (usize, Vec<SendOutcome<M>>) {
        let mut back = Vec::new();
        if tickets.is_empty() {
            return (0, back);
        }
        for (i, ticket) in tickets.iter().enumerate() {
            let outcome = self.offer(ticket.clone());
            if !self.in_runs {
                self.advance();
            }
            match outcome {
                Ok(SendOutcome::Accepted) => {}
                Ok(other) => back.push(other),
                Err(_) => {
                    self.advance();
                    self.sent += i as u64 + 1;
                    self.counts[REJECTED] += 1;
                    return (i, back);
                }
            }
        }
        self.advance();
        self.sent += tickets.len() as u64;
        (tickets.len(), back)
    }
}

/// every strategy × {none, deduplication, priority, expiry, both, all}.
pub fn q28_every_combination_against_a_model(bench: &Bench) {
    every_combination::<batch_gate>(bench);
}

/// Q-28, W-06: the same with messages that have text.
pub fn q28_every_combination_of_bridged_messages(bench: &Bench) {
    every_combination::<batch_numbers>(bench);
}

fn every_combination<K: Gate>(bench: &Bench) {
    let mut random = Random(28);
    for round in bench.rounds(2, 20) {
        for backpressure in STRATEGIES {
            for (name, options) in policies() {
                // A kernel without any policy has no queue in front, and no model here: `backpressure` has
                // its cases.
                if name == "none" && backpressure != Backpressure::DropOldest {
                    continue;
                }
                let options =
                    options.backpressure(backpressure).name(format!("{name} {backpressure:?} {round}"));
                let seed = random.below(u64::MAX);
                let mut attempt = 0;
                while !is_told::<K>(bench, options.clone(), backpressure, seed, attempt) {
                    attempt += 1;
                }
            }
        }
    }
}

/// Runs one program; whether the machine let it run so that its outcome is certain.
fn is_told<K: Gate>(
    bench: &Bench,
    options: LaunchOptions,
    backpressure: Backpressure,
    seed: u64,
    attempt: u32,
) -> bool {
    let expires = options != options.clone().expiry(None);
    let mut model = Model {
        in_runs: K::IN_RUNS,
        backpressure,
        priority: options != options.clone().priority(false),
        identified: options != options.clone().deduplication(Deduplication::Off),
        expires,
        waiting: Vec::new(),
        window: VecDeque::new(),
        ring: Vec::new(),
        expired: Vec::new(),
        sent: 0,
        counts: [0; 4],
    };
    // A machine that pauses often gets more time.
    let life = LIFE * (attempt + 1);
    let options = if expires { options.expiry(life) } else { options };
    let options = options.capacity(CAPACITY as u32).output_capacity(64).active(false).dead_letters(4096);
    let kernel = bench.relaunch(|| K::launch(bench.runtime(), options.clone()));
    kernel.deactivate_blocking().unwrap();
    let mut random = Random(seed);
    // Two generations of messages, so that those of the first expire while those of the second live.
    for generation in 0..if expires { 2 } else { 1 } {
        let began = Instant::now();
        let ok = program(&kernel, &mut model, &mut random);
        if generation == 1 {
            kernel.activate_blocking().unwrap();
            drain(&kernel);
        }
        if expires && began.elapsed() >= life / 2 {
            return false;
        }
        ok.unwrap_or_else(|what| panic!("{}: {what}", kernel.name()));
        if expires && generation == 0 {
            thread::sleep(life.min(LONG));
            model.waiting.iter_mut().for_each(|(_, age)| *age += 1);
        }
    }
    if !expires {
        kernel.activate_blocking().unwrap();
        drain(&kernel);
    }
    let mut handled = model.ring.split_off(0);
    loop {
        // All is handed over, one after the other.
        model.advance();
        if model.ring.is_empty() {
            break;
        }
        handled.append(&mut model.ring);
    }
    let outputs: Vec<u64> = received(&kernel).iter().map(K::id).collect();
    assert_eq!(outputs, Vec::from_iter(handled.iter().map(id_of)), "{}", kernel.name());
    let status = balanced(&kernel);
    let drops = status.drops;
    assert_eq!([drops.rejected, drops.evicted, drops.discarded, drops.duplicate], model.counts);
    assert_eq!((status.sent, drops.expired), (model.sent, model.expired.len() as u64), "{}", kernel.name());
    let mut dead_letters = Vec::new();
    while kernel.dead_letters().is_some_and(|dead_letters| !dead_letters.is_empty()) {
        let batch = kernel.dead_letters().unwrap().take_batch();
        dead_letters.extend(batch.into_iter().map(|dead_letter| dead_letter.message));
    }
    assert_eq!(dead_letters, model.expired, "{}", kernel.name());
    true
}

/// Sends at random, alike to both; what differs, if anything does.
fn program<K: Gate>(
    kernel: &KernelHandle<K>,
    model: &mut Model<K::Message>,
    random: &mut Random,
) -> Result<(), String> {
    for _ in 0..40 {
        let mut make = || K::message(random.below(40), [0, 1, 128, 255][random.below(4) as usize]);
        let (how, count) = (id_of(&make()) % 4, id_of(&make()) as usize);
        if how == 0 && model.backpressure != Backpressure::Block {
            let tickets: Vec<_> = (0..count).map(|_| make()).collect();
            let mut back = Vec::new();
            let sent = match kernel.send_batch_returning_blocking(&tickets, &mut back) {
                Ok(()) => tickets.len(),
                Err(error) if error.cause == SendError::Full(()) => error.sent,
                Err(error) => return Err(format!("{error}")),
            };
            let expected = model.send_batch(&tickets);
            if (sent, &back) != (expected.0, &expected.1) {
                return Err(format!("of {tickets:?}: {sent} sent, {back:?} back, not {expected:?}"));
            }
        } else {
            let ticket = make();
            let (found, expected) = (kernel.try_send(ticket.clone()), model.send(ticket.clone()));
            if found != expected {
                return Err(format!("{ticket:?}: {found:?}, not {expected:?}"));
            }
        }
        let status = kernel.status();
        let found = (status.sent, status.pending, status.handed_over, status.drops.expired);
        let ring = model.ring.len() as u64;
        let expected = (model.sent, model.waiting.len() as u64 + ring, ring, model.expired.len() as u64);
        if found != expected {
            return Err(format!("sent, pending, handed over, expired: {found:?}, not {expected:?}"));
        }
    }
    Ok(())
}
