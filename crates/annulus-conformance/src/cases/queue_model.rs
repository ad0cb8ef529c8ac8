//! Random programs over several queues of a kernel, against a plain model: Q-31.
//!
//! The kernel is inactive while the program sends, so that it is certain what waits; then it is activated,
//! and what comes out is compared: which message, from which queue, in which order.

use std::collections::VecDeque;

use annulus_runtime::{
    Backpressure, Deduplication, KernelHandle, KernelQueue, LaunchOptions, NamedQueue, SendError,
    SendOutcome, Share, TrySendError,
};

use super::{links::received, policies::STRATEGIES, policies::ticket};
use crate::{
    Bench,
    bench::{Random, balanced, drain},
    kernels::{policies::Ticket, queues::batch_sorter},
};

const CAPACITY: usize = 16;
const WINDOW: usize = 16;
/// Two batches.
const AHEAD: usize = 16;

struct Queue {
    backpressure: Backpressure,
    priority: bool,
    identified: bool,
    share: Share,
    waiting: Vec<Ticket>,
    window: VecDeque<u64>,
    credit: i64,
    /// Accepted, rejected, evicted, discarded, duplicate, cleared.
    counts: [u64; 6],
}

/// A kernel's queues, done slowly.
struct Model {
    queues: Vec<Queue>,
    ring: Vec<Ticket>,
}

const ACCEPTED: usize = 0;
const REJECTED: usize = 1;
const EVICTED: usize = 2;
const DISCARDED: usize = 3;
const DUPLICATE: usize = 4;
const CLEARED: usize = 5;

impl Queue {
    fn random(random: &mut Random) -> Self {
        Self {
            backpressure: STRATEGIES[random.below(4) as usize],
            priority: random.below(2) == 0,
            identified: random.below(2) == 0,
            share: match random.below(3) {
                0 => Share::Rank(random.below(3) as u8),
                _ => Share::Weight(1 + random.below(5) as u32),
            },
            waiting: Vec::new(),
            window: VecDeque::new(),
            credit: 0,
            counts: [0; 6],
        }
    }

    fn named(&self, name: String) -> NamedQueue {
        let by = if self.identified { Deduplication::ById } else { Deduplication::Off };
        NamedQueue::new(name)
            .capacity(CAPACITY as u32)
            .deduplication_window(WINDOW as u32)
            .backpressure(self.backpressure)
            .priority(self.priority)
            .deduplication(by)
            .share(self.share)
    }

    fn rank(&self, ticket: &Ticket) -> u8 {
        if self.priority { ticket.priority } else { 0 }
    }

    fn pop(&mut self) -> Option<Ticket> {
        let highest = self.waiting.iter().map(|ticket| self.rank(ticket)).max()?;
        let next = self.waiting.iter().position(|ticket| self.rank(ticket) == highest)?;
        Some(self.waiting.remove(next))
    }

    fn level(&self) -> (i32, i64) {
        match self.share {
            Share::Weight(weight) => (-1, weight.into()),
            Share::Rank(rank) => (rank.into(), 1),
        }
    }
}

impl Model {
    fn turn(&mut self) -> Option<usize> {
        let waiting = self.queues.iter().filter(|queue| !queue.waiting.is_empty());
        let best = waiting.map(|queue| queue.level().0).max()?;
        let (mut total, mut turn) = (0, None::<usize>);
        for at in 0..self.queues.len() {
            let (level, weight) = self.queues[at].level();
            if level == best && !self.queues[at].waiting.is_empty() {
                self.queues[at].credit += weight;
                total += weight;
                if turn.is_none_or(|turn| self.queues[at].credit > self.queues[turn].credit) {
                    turn = Some(at);
                }
            }
        }
        self.queues[turn?].credit -= total;
        turn
    }

    fn advance(&mut self) {
        while self.ring.len() < AHEAD
            && let Some(at) = self.turn()
        {
            let ticket = self.queues[at].pop().expect("it has messages");
            self.ring.push(Ticket { value: at as u64, ..ticket });
        }
    }

    fn offer(&mut self, at: usize, ticket: Ticket) -> Result<SendOutcome<Ticket>, TrySendError<Ticket>> {
        if self.queues[at].identified && self.queues[at].window.contains(&ticket.id) {
            self.queues[at].counts[DUPLICATE] += 1;
            return Ok(SendOutcome::Duplicate(ticket));
        }
        if self.queues[at].waiting.len() == CAPACITY {
            self.advance();
        }
        let queue = &mut self.queues[at];
        let mut outcome = SendOutcome::Accepted;
        if queue.waiting.len() == CAPACITY {
            let lowest = queue.waiting.iter().map(|ticket| queue.rank(ticket)).min().unwrap_or(0);
            match queue.backpressure {
                Backpressure::Block | Backpressure::Reject => return Err(TrySendError::Full(ticket)),
                Backpressure::DropOldest if lowest <= queue.rank(&ticket) => {
                    let oldest = queue.waiting.iter().position(|ticket| queue.rank(ticket) == lowest);
                    queue.counts[EVICTED] += 1;
                    outcome = SendOutcome::Evicted(queue.waiting.remove(oldest.unwrap()));
                }
                _ => {
                    queue.counts[DISCARDED] += 1;
                    return Ok(SendOutcome::Discarded(ticket));
                }
            }
        }
        queue.waiting.push(ticket);
        queue.counts[ACCEPTED] += 1;
        if queue.identified {
            queue.window.push_back(ticket.id);
            if queue.window.len() > WINDOW {
                queue.window.pop_front();
            }
        }
        Ok(outcome)
    }

    fn send(&mut self, at: usize, ticket: Ticket) -> Result<SendOutcome<Ticket>, TrySendError<Ticket>> {
        let result = self.offer(at, ticket);
        self.advance();
        self.queues[at].counts[REJECTED] += u64::from(result.is_err());
        result
    }

    fn send_batch(&mut self, at: usize, tickets: &[Ticket]) -> (usize, Vec<SendOutcome<Ticket>>) {
        let (mut back, mut sent) = (Vec::new(), 0);
        for &ticket in tickets {
            match self.offer(at, ticket) {
                Ok(SendOutcome::Accepted) => {}
                Ok(other) => back.push(other),
                Err(_) => {
                    self.queues[at].counts[REJECTED] += 1;
                    break;
                }
            }
            sent += 1;
        }
        self.advance();
        (sent, back)
    }
}

/// random options, shares and programs.
pub fn q31_several_queues_against_a_model(bench: &Bench) {
    for round in bench.rounds(20, 300) {
        let mut random = Random(31 + round);
        let count = [2, 3, 5, 17][random.below(4) as usize];
        let queues: Vec<Queue> = (0..count).map(|_| Queue::random(&mut random)).collect();
        let own = queues[0].named("own".into()).inbound;
        let mut options = LaunchOptions::production().active(false).output_capacity(1024);
        options.inbound = own;
        for (number, queue) in queues.iter().enumerate().skip(1) {
            options = options.queue(queue.named(format!("{number}")));
        }
        let kernel = bench.relaunch(|| batch_sorter::launch(bench.runtime(), options.clone()));
        kernel.deactivate_blocking().unwrap();
        let mut model = Model { queues, ring: Vec::new() };
        program(&kernel, &mut model, &mut random).unwrap_or_else(|what| panic!("round {round}: {what}"));
        kernel.activate_blocking().unwrap();
        drain(&kernel);
        let mut handled = model.ring.split_off(0);
        loop {
            // All is handed over, one after the other.
            model.advance();
            if model.ring.is_empty() {
                break;
            }
            handled.append(&mut model.ring);
        }
        assert_eq!(received(&kernel), handled, "round {round}");
        let status = balanced(&kernel);
        for (queue, model) in status.queues.iter().zip(&model.queues) {
            let c = queue.counters;
            let found = [c.enqueued, c.rejected, c.evicted, c.discarded, c.duplicate];
            assert_eq!(found, model.counts[..5], "round {round}, {}", queue.name);
            assert_eq!(queue.depth, 0);
        }
        let cleared: u64 = model.queues.iter().map(|queue| queue.counts[CLEARED]).sum();
        assert_eq!((status.drops.cleared, status.processed), (cleared, handled.len() as u64));
    }
}

/// Sends at random, alike to both; what differs, if anything does.
fn program(
    kernel: &KernelHandle<batch_sorter>,
    model: &mut Model,
    random: &mut Random,
) -> Result<(), String> {
    let queue = |at: usize| -> KernelQueue<batch_sorter> {
        if at == 0 { kernel.own_queue() } else { kernel.queue(&at.to_string()).expect("it was named") }
    };
    for _ in 0..60 {
        let at = random.below(model.queues.len() as u64) as usize;
        let mut make = || ticket(random.below(40), [0, 1, 128, 255][random.below(4) as usize]);
        let (how, count) = (make().id % 8, make().id as usize);
        let same = match how {
            0 | 1 if model.queues[at].backpressure != Backpressure::Block => {
                let tickets: Vec<_> = (0..count).map(|_| make()).collect();
                let mut back = Vec::new();
                let sent = match queue(at).send_batch_returning_blocking(&tickets, &mut back) {
                    Ok(()) => tickets.len(),
                    Err(error) if error.cause == SendError::Full(()) => error.sent,
                    Err(error) => return Err(error.to_string()),
                };
                let expected = model.send_batch(at, &tickets);
                (sent, &back) == (expected.0, &expected.1)
            }
            2 if count < 4 => {
                let cleared = queue(at).clear();
                let mut expected = Vec::new();
                while let Some(ticket) = model.queues[at].pop() {
                    expected.push(ticket);
                }
                model.queues[at].counts[CLEARED] += expected.len() as u64;
                (cleared.messages, cleared.handed_over) == (expected, model.ring.len() as u64)
            }
            3 => {
                let peeked = queue(at).peek();
                let waiting = &model.queues[at].waiting;
                let highest = waiting.iter().map(|ticket| model.queues[at].rank(ticket)).max();
                let next = waiting.iter().find(|ticket| Some(model.queues[at].rank(ticket)) == highest);
                (peeked.next, peeked.waiting) == (next.copied(), waiting.len() as u64)
            }
            _ => {
                let ticket = make();
                let found = if at == 0 { kernel.try_send(ticket) } else { queue(at).try_send(ticket) };
                found == model.send(at, ticket)
            }
        };
        if !same {
            return Err(format!("step {how} of queue {at} differs"));
        }
        let status = kernel.status();
        let waiting: usize = model.queues.iter().map(|queue| queue.waiting.len()).sum();
        let expected = ((waiting + model.ring.len()) as u64, model.ring.len() as u64);
        if (status.pending, status.handed_over) != expected {
            return Err(format!("pending, handed over: {:?}, not {expected:?}", status));
        }
    }
    Ok(())
}
