//! Workers, their queue of runners, and the runner that each keeps for itself, in every interleaving that
//! loom can tell apart, up to a bound.
//!
//! The bound is 2 involuntary switches per execution: a runner that is lost, or that two workers run, needs
//! one to stop a worker between its look and its sleep, or a caller between its work and its call, and one to
//! come back.
//!
//! Running a handler without handing over the kept runner fails here, and so does keeping a second one
//! without handing over the first, running the kept one before those that wait, and queueing without waking.
use annulus_sync::{
    Arc, AtomicU32, Ordering, UnsafeCell,
    schedule::{Kept, Schedule},
    wake_flag::WakeFlag,
};
use loom::thread;

fn model(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(run);
}

/// A block of a kernel.
struct Block {
    flag: WakeFlag,
    /// Messages that were sent to it.
    sent: AtomicU32,
    /// Messages that it has handled: its own while it runs.
    handled: UnsafeCell<u32>,
    /// The same, for those who wait for it.
    shown: AtomicU32,
}

struct Kernels {
    schedule: Schedule<usize>,
    blocks: Vec<Block>,
}

impl Kernels {
    fn new(blocks: usize) -> Arc<Self> {
        let block = |_| Block {
            flag: WakeFlag::new(),
            sent: AtomicU32::new(0),
            handled: UnsafeCell::new(0),
            shown: AtomicU32::new(0),
        };
        Arc::new(Self { schedule: Schedule::new(), blocks: (0..blocks).map(block).collect() })
    }

    /// Sends a message; whether the block is to be scheduled.
    fn send(&self, block: usize) -> bool {
        self.blocks[block].sent.fetch_add(1, Ordering::Release);
        self.blocks[block].flag.wake()
    }

    /// By the host.
    fn send_from_outside(&self, block: usize) {
        if self.send(block) {
            self.schedule.push(block);
        }
    }

    /// By a worker that runs another block.
    fn deliver(&self, block: usize, kept: &Kept<usize>) {
        if self.send(block) {
            kept.keep(block, &self.schedule);
        }
    }

    /// What a worker does with a block: a message at a time, until it finds none. A handler may be the
    /// program's code, so nothing is kept then.
    fn run(&self, index: usize, kept: &Kept<usize>, handler: &impl Fn(usize, u32, &Kept<usize>)) {
        let block = &self.blocks[index];
        // SAFETY: loom checks that nobody else reads or writes meanwhile.
        let handled = || block.handled.with(|handled| unsafe { *handled });
        loop {
            let number = handled();
            if block.sent.load(Ordering::Acquire) != number {
                kept.hand_over(&self.schedule);
                handler(index, number, kept);
                // SAFETY: as above.
                block.handled.with_mut(|handled| unsafe { *handled += 1 });
                block.shown.store(number + 1, Ordering::Release);
                if self.schedule.others_wait() {
                    return self.schedule.push(index);
                }
                continue;
            }
            block.flag.park();
            if block.sent.load(Ordering::Acquire) == number || !block.flag.claim() {
                return;
            }
        }
    }

    fn work(&self, handler: impl Fn(usize, u32, &Kept<usize>)) {
        let kept = Kept::new();
        while let Some(block) = self.schedule.next(&kept) {
            self.run(block, &kept, &handler);
        }
        assert!(!kept.is_some(), "a worker that ends keeps nothing");
    }

    fn shown(&self, block: usize) -> u32 {
        self.blocks[block].shown.load(Ordering::Acquire)
    }

    /// Once all workers have ended: each block has handled so many, and sleeps.
    fn assert_handled(&self, handled: &[u32]) {
        for (block, &count) in self.blocks.iter().zip(handled) {
            // SAFETY: as in `run`.
            assert_eq!(block.handled.with(|handled| unsafe { *handled }), count);
            assert!(block.flag.claim(), "every block is asleep in the end");
        }
    }
}

/// Two workers, of which one delivers to blocks that it keeps, while the host sends to them as well: all is
/// handled, and no block is run by two.
#[test]
fn a_kept_block_is_run_once() {
    model(|| {
        let kernels = Kernels::new(2);
        let workers = [(); 2].map(|()| {
            let kernels = Arc::clone(&kernels);
            thread::spawn(move || {
                kernels.work(|block, _, kept| {
                    if block == 0 {
                        kernels.deliver(1, kept);
                    }
                });
            })
        });
        kernels.send_from_outside(0);
        kernels.send_from_outside(1);
        kernels.schedule.end();
        for worker in workers {
            worker.join().unwrap();
        }
        kernels.assert_handled(&[1, 2]);
    });
}

/// One message wakes three blocks: the worker keeps the last one only, and all are run.
#[test]
fn of_several_the_last_is_kept() {
    model(|| {
        let kernels = Kernels::new(3);
        let workers = [(); 2].map(|()| {
            let kernels = Arc::clone(&kernels);
            thread::spawn(move || {
                kernels.work(|block, _, kept| {
                    if block == 0 {
                        kernels.deliver(1, kept);
                        kernels.deliver(2, kept);
                    }
                });
            })
        });
        kernels.send_from_outside(0);
        kernels.schedule.end();
        for worker in workers {
            worker.join().unwrap();
        }
        kernels.assert_handled(&[1, 1, 1]);
    });
}

/// A handler that waits for the block that its worker kept a message ago: the other worker runs it.
#[test]
fn a_kept_block_waits_for_no_handler() {
    model(|| {
        let kernels = Kernels::new(2);
        kernels.send_from_outside(0);
        kernels.send_from_outside(0);
        let workers = [(); 2].map(|()| {
            let kernels = Arc::clone(&kernels);
            thread::spawn(move || {
                kernels.work(|block, number, kept| match (block, number) {
                    (0, 0) => kernels.deliver(1, kept),
                    (0, _) => {
                        while kernels.shown(1) == 0 {
                            thread::yield_now();
                        }
                        // Not before: workers that are to end do not sleep.
                        kernels.schedule.end();
                    }
                    _ => {}
                });
            })
        });
        for worker in workers {
            worker.join().unwrap();
        }
        kernels.assert_handled(&[2, 1]);
    });
}

/// Who has waited longer goes first.
#[test]
fn a_kept_block_comes_after_those_that_wait() {
    model(|| {
        let schedule = Schedule::new();
        let kept = Kept::new();
        kept.keep(1, &schedule);
        schedule.push(2);
        assert_eq!((schedule.next(&kept), schedule.next(&kept)), (Some(2), Some(1)));
    });
}
