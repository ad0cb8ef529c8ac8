//! The threads of a block on the CPU: stackful coroutines of one thread of the system.
//!
//! A message is worked on in *phases*. In a phase each thread runs, from thread 0 on, until it waits at a
//! barrier, returns or fails. After a phase there are four cases:
//!
//! * All have returned: the message has succeeded.
//! * All wait at the same place: the next phase begins.
//! * One has failed. Since threads run in order, it is the first one of this phase that does, as on devices.
//!   The others are not run any more.
//! * Else some threads wait for what will not happen, and the message fails.
//!
//! In the last two cases the threads that wait leave: their barrier unwinds them, and the values that they
//! own are dropped.

use std::{
    any::Any,
    cell::{Cell, OnceCell, RefCell},
    fmt,
    panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind},
    ptr::NonNull,
    rc::Rc,
};

use corosensei::{Coroutine, CoroutineResult, Yielder, stack::DefaultStack};

use super::{
    cx::BlockCx,
    memory::BlockArray,
    races::{self, Met, Watching},
    value::BlockValue,
};
use crate::{Cx, Failure, HandlerReturn};

/// How the text of the panic begins if not all threads reach a barrier; `panic_code` knows it.
pub(crate) const NOT_REACHED: &str = "not all threads of the block reached the barrier";
/// How the text of the panic begins if another thread does what only the leader may; `panic_code` knows it.
pub(crate) const NOT_THE_LEADER: &str = "only the block's leader, thread 0, sets the state";

/// A stack's size in bytes; pages that are not touched take no memory.
const STACK: usize = 256 * 1024;

/// A place in the source.
pub(super) type Place = &'static Location<'static>;

/// What the threads of a block wait for each other in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Barrier,
    BlockReduce,
    BlockScan,
    WarpBarrier,
    Shuffle,
    Vote,
    WarpReduce,
}

impl Operation {
    /// Between whom it orders memory on every backend; `None` if it only exchanges values.
    fn orders(self) -> Option<Met> {
        match self {
            Self::Barrier | Self::BlockReduce | Self::BlockScan => Some(Met::Block),
            Self::WarpBarrier => Some(Met::Warp),
            Self::Shuffle | Self::Vote | Self::WarpReduce => None,
        }
    }
}

/// Where a thread waits for the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) operation: Operation,
    pub(super) at: Place,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.operation {
            Operation::Barrier => return write!(f, "at {}", self.at),
            Operation::BlockReduce => "`block_reduce`",
            Operation::BlockScan => "`block_scan`",
            Operation::WarpBarrier => "`warp_barrier`",
            Operation::Shuffle => "a shuffle",
            Operation::Vote => "a vote",
            Operation::WarpReduce => "`warp_reduce`",
        };
        write!(f, "of {what} at {}", self.at)
    }
}

/// What a thread that waits is told.
#[derive(Clone, Copy)]
enum Go {
    On,
    /// The message has failed.
    Leave,
}

/// Unwinds a thread that leaves.
struct Leaves;

/// How a thread ended.
enum End {
    Returned(Result<(), Failure>),
    Panicked(Box<dyn Any + Send>),
}

type Thread = Coroutine<Go, Stop, End, DefaultStack>;

thread_local! {
    /// Stacks of threads that have ended, for the next ones.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
    /// The thread of a block that runs on this thread of the system.
    static CURRENT: Cell<u32> = const { Cell::new(0) };
}

/// Which thread of its block runs; 0 outside of blocks.
#[inline]
pub(super) fn current_thread() -> u32 {
    CURRENT.get()
}

/// Says which one runs; returns which one ran before.
#[cfg(test)]
pub(super) fn set_current_thread(thread: u32) -> u32 {
    CURRENT.replace(thread)
}

/// What the threads of a block share while they work on one message.
pub(super) struct Team {
    dim: u32,
    /// What each thread gave last; made when it is asked for.
    values: OnceCell<Box<[Cell<u64>]>>,
    given: Cell<u64>,
    /// What each thread exchanges with others, in turns: one is read while the next one is written.
    exchanged: [OnceCell<Box<[Cell<u64>]>>; 2],
    /// The shared arrays, each a `BlockArray`, and where the first thread asked for them.
    arrays: RefCell<Vec<(Place, Box<dyn Any>)>>,
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("dim", &self.dim).finish_non_exhaustive()
    }
}

impl Team {
    fn new(dim: u32) -> Self {
        Self {
            dim,
            values: OnceCell::new(),
            given: Cell::new(0),
            exchanged: [const { OnceCell::new() }; 2],
            arrays: RefCell::new(Vec::new()),
        }
    }

    /// A word for each thread.
    #[inline]
    pub(super) fn values(&self) -> &[Cell<u64>] {
        self.values.get_or_init(|| self.word_of_each())
    }

    /// A word for each thread, of one of the two turns.
    #[inline]
    pub(super) fn exchanged(&self, turn: bool) -> &[Cell<u64>] {
        self.exchanged[usize::from(turn)].get_or_init(|| self.word_of_each())
    }

    fn word_of_each(&self) -> Box<[Cell<u64>]> {
        (0..self.dim).map(|_| Cell::new(0)).collect()
    }

    /// Sets the word that one thread gives to all.
    pub(super) fn give(&self, word: u64) {
        self.given.set(word);
    }

    /// That word.
    pub(super) fn given(&self) -> u64 {
        self.given.get()
    }

    /// The array that a thread asks for, its `number`-th.
    pub(super) fn array<T: BlockValue, const N: usize>(&self, number: usize, at: Place) -> BlockArray<T, N> {
        let mut arrays = self.arrays.borrow_mut();
        if let Some((first, array)) = arrays.get(number) {
            let array = array.downcast_ref::<BlockArray<T, N>>().filter(|_| same(first, at));
            let array = array.unwrap_or_else(|| {
                panic!(
                    "{NOT_REACHED}: thread {} shares an array at {at}, others at {first}",
                    current_thread()
                )
            });
            return array.clone();
        }
        let array = BlockArray::new(at);
        arrays.push((at, Box::new(array.clone())));
        array
    }
}

fn same(a: Place, b: Place) -> bool {
    std::ptr::eq(a, b) || a == b
}

/// How a thread waits for the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    /// `None` for a block of one thread.
    yielder: Option<NonNull<Yielder<Go, Stop>>>,
}

impl Waiter {
    /// Waits until all threads have come to this place.
    #[inline]
    pub(super) fn wait(self, stop: Stop) {
        let Some(yielder) = self.yielder else { return };
        // A destructor that waits while its thread unwinds would keep the others from leaving.
        if std::thread::panicking() {
            return;
        }
        // SAFETY: `begin` makes the only waiter that has a yielder, in the coroutine that the yielder belongs
        // to. The waiter stays in a `BlockCx` there, which is lent to the handler only as a reference, and is
        // neither `Send` nor `Clone`. So this is called by that coroutine, while the yielder lives.
        let yielder = unsafe { yielder.as_ref() };
        if matches!(yielder.suspend(stop), Go::Leave) {
            resume_unwind(Box::new(Leaves));
        }
    }
}

/// Runs `thread` once for each thread of a block, `cx.block_dim()` in all, as if at the same time: this is
/// how the CPU runs a handler whose whole block works on one message. Tests of such a handler call it, too.
///
/// # Errors
///
/// The failure of the first thread that returns one.
///
/// # Panics
///
/// With the panic of the first thread that panics, and if not all threads reach a barrier.
///
/// ```
/// use annulus_kernel::{Cx, run_block};
///
/// let cx = Cx::new(0, 1, 0).with_block_dim(100);
/// run_block(cx, |cx| assert_eq!(cx.block_reduce(1u32, |a, b| a + b), 100))?;
/// # Ok::<(), annulus_kernel::Failure>(())
/// ```
pub fn run_block<R: HandlerReturn>(cx: Cx, thread: impl Fn(&BlockCx) -> R) -> Result<(), Failure> {
    run(cx, thread, races::is_on())
}

/// As [`run_block`], and finds races: for tests. If two threads access an element of a shared array, or the
/// state, one of them writes, and no barrier is between them, the block panics. With the variable
/// `ANNULUS_RACES=1`, `run_block` does this too, and so does every launch on the CPU.
///
/// # Errors
///
/// The failure of the first thread that returns one.
///
/// # Panics
///
/// As `run_block`; and with a text that begins with `race`, and names both accesses with their lines.
///
/// ```should_panic
/// use annulus_kernel::{Cx, check_block};
///
/// let _ = check_block(Cx::new(0, 1, 0).with_block_dim(64), |cx| {
///     let values = cx.shared::<u32, 64>();
///     let me = cx.thread_index() as usize;
///     values.set(me, 1);
///     // A barrier is missing here.
///     let next = values.get((me + 1) % 64);
///     assert!(next <= 1);
/// });
/// ```
pub fn check_block<R: HandlerReturn>(cx: Cx, thread: impl Fn(&BlockCx) -> R) -> Result<(), Failure> {
    run(cx, thread, true)
}

fn run<R: HandlerReturn>(cx: Cx, thread: impl Fn(&BlockCx) -> R, watches: bool) -> Result<(), Failure> {
    let _watching = Watching::new(watches && cx.block_dim() > 1);
    let team = Rc::new(Team::new(cx.block_dim()));
    let _outer = Outer(CURRENT.replace(0));
    if cx.block_dim() == 1 {
        return thread(&BlockCx::new(cx, team, Waiter { yielder: None })).into_verdict();
    }
    let each = |cx: &BlockCx| thread(cx).into_verdict();
    let mut threads = Threads { all: Vec::with_capacity(cx.block_dim() as usize) };
    match threads.run(cx, &team, &each) {
        End::Returned(verdict) => verdict,
        End::Panicked(panic) => {
            drop(threads);
            resume_unwind(panic)
        }
    }
}

/// Which thread ran before, of a block around this one.
struct Outer(u32);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// The threads that have begun.
struct Threads {
    all: Vec<Thread>,
}

/// What a phase found.
#[derive(Default)]
struct Phase {
    /// The first thread that waits, and where.
    waits: Option<(u32, Stop)>,
    /// The first thread that waits elsewhere.
    elsewhere: Option<(u32, Stop)>,
    /// The first thread that has returned.
    returned: Option<u32>,
    waiting: u32,
}

impl Threads {
    fn run(&mut self, cx: Cx, team: &Rc<Team>, each: &dyn Fn(&BlockCx) -> Result<(), Failure>) -> End {
        loop {
            let mut phase = Phase::default();
            for index in 0..team.dim {
                CURRENT.set(index);
                if self.all.len() == index as usize {
                    // SAFETY: `each` lives longer than `self`, whose drop ends the coroutine.
                    let thread = unsafe { begin(cx.with_thread(index), team, each) };
                    self.all.push(thread);
                }
                match self.all[index as usize].resume(Go::On) {
                    CoroutineResult::Yield(stop) => phase.note(index, stop),
                    CoroutineResult::Return(End::Returned(Ok(()))) => {
                        phase.returned.get_or_insert(index);
                    }
                    CoroutineResult::Return(failed) => return failed,
                }
            }
            let Some((first, stop)) = phase.waits else { return End::Returned(Ok(())) };
            let other = match phase {
                Phase { returned: Some(thread), .. } => format!("thread {thread} returned"),
                Phase { elsewhere: Some((thread, other)), .. } => {
                    format!("thread {thread} waits for that {other}")
                }
                _ => {
                    if let Some(met) = stop.operation.orders() {
                        races::met(met);
                    }
                    continue;
                }
            };
            let (came, dim) = (phase.waiting, team.dim);
            let text =
                format!("{NOT_REACHED} {stop}: {came} of {dim} came, the first is thread {first}; {other}");
            return match catch_unwind(|| panic!("{text}")) {
                Ok(()) => End::Returned(Ok(())),
                Err(panic) => End::Panicked(panic),
            };
        }
    }
}

impl Phase {
    #[inline]
    fn note(&mut self, thread: u32, stop: Stop) {
        match self.waits {
            None => self.waits = Some((thread, stop)),
            Some((_, first)) if !same(first.at, stop.at) => {
                self.elsewhere.get_or_insert((thread, stop));
                return;
            }
            Some(_) => {}
        }
        self.waiting += 1;
    }
}

impl Drop for Threads {
    /// All threads that still wait leave.
    fn drop(&mut self) {
        for (index, mut thread) in self.all.drain(..).enumerate() {
            CURRENT.set(index as u32);
            while !thread.done() {
                // A destructor or a handler that catches panics may come to another barrier: it leaves again.
                if let CoroutineResult::Return(End::Panicked(panic)) = thread.resume(Go::Leave) {
                    discard(panic);
                }
            }
            let stack = thread.into_stack();
            STACKS.with_borrow_mut(|stacks| stacks.push(stack));
        }
    }
}

/// Drops what a thread panicked with. What that panics with is forgotten: it could panic again.
fn discard(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
}

/// A thread that has not run yet.
///
/// # Safety
///
/// `each` lives until the coroutine has ended.
unsafe fn begin(cx: Cx, team: &Rc<Team>, each: &dyn Fn(&BlockCx) -> Result<(), Failure>) -> Thread {
    let stack = STACKS.with_borrow_mut(Vec::pop).unwrap_or_else(|| {
        DefaultStack::new(STACK)
            .unwrap_or_else(|error| panic!("no memory for the stack of a thread: {error}"))
    });
    let team = Rc::clone(team);
    let body = move |yielder: &Yielder<Go, Stop>, _: Go| {
        let waiter = Waiter { yielder: Some(NonNull::from(yielder)) };
        let cx = BlockCx::new(cx, team, waiter);
        // A thread that fails leaves its shared memory as it is; nobody looks at it, since the message fails.
        match catch_unwind(AssertUnwindSafe(|| each(&cx))) {
            Ok(verdict) => End::Returned(verdict),
            Err(panic) => End::Panicked(panic),
        }
    };
    // SAFETY: `body` borrows `each`, which lives until the coroutine has ended, by the caller's promise.
    unsafe { Coroutine::with_stack_unchecked(stack, body) }
}
