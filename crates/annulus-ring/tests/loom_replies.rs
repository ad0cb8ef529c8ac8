//! Replies to calls, in every interleaving that loom can tell apart, up to a bound.
//!
//! The bound is [`PREEMPTIONS`] involuntary switches: a reply that is read while its slot is written again,
//! or that nobody finds, needs one to stop its reader between two steps and one to come back. Rings have two
//! slots, so that the third call meets a slot that was used before.
#![cfg(loom)]

use std::collections::HashMap;

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_ring::{
    region::Region,
    ring::{Answers, Call, Callers, Consumer, Header, Look, Occupied, Producers, Ring},
};
use annulus_sync::{Arc, Mutex, yield_now};
use loom::thread;

const PREEMPTIONS: usize = 2;

fn model(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(run);
}

fn ring(correlation: bool) -> Ring {
    let layout =
        RingLayout::new(2, 8, 8, Envelope { enqueue_time: false, correlation, trace: false, stamp: false });
    // SAFETY: the modelled memory is fresh, and each model makes the ends that it may.
    unsafe { Ring::new(Region::modelled(256 + 2 * 64), layout) }
}

/// A host without a kernel: what a table of calls does with its ends.
struct Host {
    producers: Producers,
    callers: Callers,
    rescued: Mutex<HashMap<Call, u64>>,
}

/// A block that answers each message with the number behind it.
struct Block {
    inbound: Consumer,
    answers: Answers,
}

fn kernel() -> (Arc<Host>, Block) {
    let (inbound, replies) = (ring(true), ring(false));
    // SAFETY: there is no sole producer.
    let producers = unsafe { Producers::new(inbound.clone()) };
    // SAFETY: the host's one end.
    let callers = unsafe { Callers::new(replies.clone()) };
    // SAFETY: the one consumer.
    let inbound = unsafe { Consumer::new(inbound) };
    // SAFETY: the block's one end.
    let answers = unsafe { Answers::new(replies) };
    let host = Host { producers, callers, rescued: Mutex::new(HashMap::new()) };
    (Arc::new(host), Block { inbound, answers })
}

impl Host {
    /// Sends a call's message, waiting for a slot.
    fn call(&self, message: u64) -> Call {
        loop {
            let Ok(mut slot) = self.producers.reserve(1) else {
                yield_now();
                continue;
            };
            let ticket = slot.ticket();
            let call = loop {
                // SAFETY: the ticket is that of this call's message.
                match unsafe { self.callers.begin(ticket) } {
                    Ok(call) => break call,
                    Err(Occupied) => self.rescue(ticket),
                }
            };
            slot.write(message, Header { correlation: call.word(), ..Header::default() });
            return call;
        }
    }

    fn rescue(&self, ticket: u64) {
        let mut rescued = self.rescued.lock().unwrap();
        // SAFETY: as above; the block answers with numbers.
        let found = unsafe {
            self.callers.rescue(ticket, |call, reply| {
                (call, reply.expect("a message is answered before its slot is given back").read::<u64>())
            })
        };
        rescued.extend(found);
    }

    fn look(&self, call: Call) -> Option<u64> {
        // SAFETY: the block answers with numbers.
        match self.callers.take(call, |reply| unsafe { reply.read::<u64>() }) {
            Look::Reply(number) => Some(number),
            Look::NotYet => None,
            Look::Rescued => Some(self.rescued.lock().unwrap().remove(&call).expect("it was rescued")),
        }
    }

    /// Looks twice: what does not come by then is there when the block has ended.
    fn try_reply(&self, call: Call) -> Result<u64, Call> {
        for _ in 0..2 {
            if let Some(number) = self.look(call) {
                return Ok(number);
            }
            yield_now();
        }
        Err(call)
    }

    fn reply(&self, tried: Result<u64, Call>) -> u64 {
        tried.unwrap_or_else(|call| self.look(call).expect("the block has answered"))
    }
}

impl Block {
    /// Handles so many messages.
    fn run(&mut self, messages: usize) {
        for _ in 0..messages {
            let slot = loop {
                match self.inbound.peek() {
                    Some(slot) => break slot,
                    None => yield_now(),
                }
            };
            // SAFETY: the host sends numbers.
            let number = unsafe { self.inbound.read::<u64>(&slot) };
            let call = slot.header.correlation;
            // SAFETY: the message carries the address, and its slot is not given back.
            unsafe { self.answers.write(call, number + 1) };
            // SAFETY: as above; this is the one reply.
            unsafe { self.answers.publish(call, kind::MESSAGE, 8) };
            self.inbound.advance(&slot);
            self.inbound.give_back();
        }
    }
}

/// Both slots have had a call when two callers call at the same time: each gets the reply to its own message,
/// whole.
#[test]
fn each_call_gets_its_reply() {
    model(|| {
        let (host, mut block) = kernel();
        let first = [10, 20].map(|message| (message, host.call(message)));
        block.run(2);
        for (message, call) in first {
            assert_eq!(host.look(call), Some(message + 1));
        }
        let other = thread::spawn({
            let host = Arc::clone(&host);
            move || host.try_reply(host.call(30))
        });
        let block = thread::spawn(move || block.run(2));
        let tried = host.try_reply(host.call(40));
        let other = other.join().unwrap();
        block.join().unwrap();
        assert_eq!((host.reply(other), host.reply(tried)), (31, 41));
        assert_eq!(host.callers.waiting(), 0);
    });
}

/// A caller looks while another call takes its slot, and is answered: the reply is taken there, or was put
/// aside.
#[test]
fn a_reply_is_taken_or_rescued() {
    model(|| {
        let (host, mut block) = kernel();
        let [slow, quick] = [10, 20].map(|message| host.call(message));
        block.run(2);
        let slow = thread::spawn({
            let host = Arc::clone(&host);
            move || assert_eq!(host.look(slow), Some(11))
        });
        let block = thread::spawn(move || block.run(1));
        let tried = host.try_reply(host.call(30));
        assert_eq!(host.look(quick), Some(21));
        slow.join().unwrap();
        block.join().unwrap();
        assert_eq!(host.reply(tried), 31);
        assert!(host.rescued.lock().unwrap().is_empty());
        assert_eq!(host.callers.waiting(), 0);
    });
}

/// A call is given up while another one takes its slot, and is answered: nobody finds the reply to it.
#[test]
fn a_call_that_is_given_up_leaves_its_slot() {
    model(|| {
        let (host, mut block) = kernel();
        let [fickle, quick] = [10, 20].map(|message| host.call(message));
        block.run(2);
        let fickle = thread::spawn({
            let host = Arc::clone(&host);
            move || {
                if !host.callers.give_up(fickle) {
                    assert_eq!(host.rescued.lock().unwrap().remove(&fickle), Some(11));
                }
            }
        });
        let call = host.call(30);
        // Here, since loom lets two that wait busily wait for ever.
        block.run(1);
        assert_eq!((host.look(call), host.look(quick)), (Some(31), Some(21)));
        fickle.join().unwrap();
        assert!(host.rescued.lock().unwrap().is_empty());
        assert_eq!(host.callers.waiting(), 0);
    });
}

/// A call is given up before it is answered.
#[test]
fn a_call_is_given_up_early() {
    model(|| {
        let (host, mut block) = kernel();
        let fickle = host.call(10);
        let block = thread::spawn(move || block.run(3));
        assert!(host.callers.give_up(fickle));
        // The second of them has the slot.
        let tried = [20, 30].map(|message| host.try_reply(host.call(message)));
        block.join().unwrap();
        assert_eq!(tried.map(|tried| host.reply(tried)), [21, 31]);
        assert_eq!(host.callers.waiting(), 0);
    });
}
