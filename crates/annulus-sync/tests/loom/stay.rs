//! The switch of a kernel from staying to epochs, in every interleaving that loom can tell apart, up to a
//! bound.
//!
//! The block that stays, and what it does in an epoch, are twins of the device runtime's C text (`ann_idle`,
//! `ann_has_work`): a block takes messages, naps when it finds none, and leaves when it is asked to. Its nap
//! has no end here but the host's call, so a call that is lost hangs.
//!
//! The bound is 2 involuntary switches per execution: a lost call needs one to stop the caller between his
//! work and his look, and one to come back. With a second caller it is 1, for the time that it takes.
//!
//! A call that does not look at `stays` a second time, or without the fence before that, fails here. So does
//! a switch that does not claim the runner, or a pump that parks without another look, or asks to leave
//! without ending the nap, and a block that naps without its fence.
use annulus_sync::{Arc, AtomicU32, Ordering, UnsafeCell, fence, stay::Stay};
use loom::thread;

fn model(bound: usize, run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(bound);
    model.check(run);
}

const EPOCH: u32 = 1;

struct Kernel {
    stay: Stay,
    /// Messages sent; each sender adds.
    sent: AtomicU32,
    /// Messages taken, as a ring says it to everybody; written by the block, wherever it runs.
    taken: AtomicU32,
    /// What only the block touches, wherever it runs.
    state: UnsafeCell<u32>,
    // The words of the block's record.
    asleep: AtomicU32,
    wake: AtomicU32,
    leave: AtomicU32,
    ended: AtomicU32,
    /// Senders that have made their last call.
    done: AtomicU32,
}

impl Kernel {
    fn new() -> Arc<Self> {
        let word = || AtomicU32::new(0);
        Arc::new(Self {
            stay: Stay::new(true),
            sent: word(),
            taken: word(),
            state: UnsafeCell::new(0),
            asleep: word(),
            wake: word(),
            leave: word(),
            ended: word(),
            done: word(),
        })
    }

    fn has_work(&self) -> bool {
        self.sent.load(Ordering::Acquire) != self.taken.load(Ordering::Relaxed)
    }

    /// A turn of the block; whether it found something.
    fn take(&self) -> bool {
        let sent = self.sent.load(Ordering::Acquire);
        // SAFETY: loom checks that one thread at a time is the block.
        let found = self.state.with_mut(|state| sent - std::mem::replace(unsafe { &mut *state }, sent));
        self.taken.store(sent, Ordering::Release);
        found != 0
    }

    /// The block that stays.
    fn block(&self) {
        let asked = || self.leave.load(Ordering::Relaxed) == EPOCH;
        loop {
            if self.take() {
                continue;
            }
            if asked() {
                // SYNC: ended (release)
                return self.ended.store(EPOCH, Ordering::Release);
            }
            let seen = self.wake.load(Ordering::Relaxed);
            self.asleep.store(1, Ordering::Relaxed);
            // SYNC: asleep
            fence(Ordering::SeqCst);
            if !self.has_work() && !asked() {
                while self.wake.load(Ordering::Relaxed) == seen {
                    thread::yield_now();
                }
            }
            self.asleep.store(0, Ordering::Relaxed);
        }
    }

    /// A caller. That he rings the pump is not modelled: it looks all the time.
    fn send(&self) {
        self.sent.fetch_add(1, Ordering::Release);
        let _ = self.stay.call(|| {
            if self.asleep.load(Ordering::Relaxed) != 0 {
                self.wake.fetch_add(1, Ordering::Release);
            }
        });
    }

    /// The pump's look at a kernel in epochs: launches them until none is due.
    fn look(&self) {
        if !self.stay.take_due() {
            return;
        }
        loop {
            self.take();
            self.stay.wake_flag().park();
            if !self.has_work() || !self.stay.wake_flag().claim() {
                return;
            }
        }
    }

    /// The pump lets the kernel leave, switches it, and launches its epochs until all `senders` are done.
    fn pump(&self, senders: u32) {
        self.leave.store(EPOCH, Ordering::Relaxed);
        // SYNC: asleep. A block that has seen the new `wake` before its nap looks at `leave` after a fence.
        self.wake.fetch_add(1, Ordering::Release);
        // SYNC: ended (acquire)
        while self.ended.load(Ordering::Acquire) != EPOCH {
            thread::yield_now();
        }
        self.stay.go_into_epochs();
        loop {
            let done = self.done.load(Ordering::Acquire) == senders;
            self.look();
            if done {
                return;
            }
            thread::yield_now();
        }
    }
}

/// A kernel switches while each of several threads sends so many messages: all are taken, by one block at a
/// time, and it sleeps in the end.
fn all_are_taken(bound: usize, messages: &'static [u32]) {
    model(bound, move || {
        let kernel = Kernel::new();
        let block = thread::spawn({
            let kernel = Arc::clone(&kernel);
            move || kernel.block()
        });
        let senders = messages.iter().map(|&count| {
            let kernel = Arc::clone(&kernel);
            thread::spawn(move || {
                (0..count).for_each(|_| kernel.send());
                kernel.done.fetch_add(1, Ordering::Release);
            })
        });
        let senders: Vec<_> = senders.collect();
        kernel.pump(messages.len() as u32);
        block.join().unwrap();
        for sender in senders {
            sender.join().unwrap();
        }
        assert_eq!(kernel.taken.load(Ordering::Relaxed), messages.iter().sum::<u32>());
        assert_eq!(
            (kernel.stay.wake_flag().claim(), kernel.stay.is_due()),
            (true, false),
            "the kernel sleeps in the end"
        );
    });
}

#[test]
fn one_sends_during_the_switch() {
    all_are_taken(2, &[2]);
}

#[test]
fn two_send_during_the_switch() {
    all_are_taken(1, &[1, 1]);
}
