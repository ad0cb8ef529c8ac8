//! The host's side: it comes to barriers, and waits until they pass.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use annulus_kernel::RingKernel;
use annulus_queue::TrySendError;
use annulus_sync::{
    event::Event,
    wait::{block_on, block_on_deadline},
};

use super::{
    kernel::{ASKS, Arrive, Passed, meet, tell_the_host},
    plan::{BarrierError, BarrierNumber, BarrierPlan},
    waits::AllBarriers,
};
use crate::{
    bridge::task::Task,
    handle::{KernelHandle, receive::Outlet},
    launch::runtime::Runtime,
    time::deadline,
    why::Absent,
};

/// So many generations are known after they have passed.
pub const KEPT: usize = 64;

/// A barrier's name, and what the host has heard of it.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) parties: u32,
    /// It passes by itself.
    pub(super) has_limit: bool,
    /// The parties that are actors.
    pub(super) actors: Vec<Absent>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
pub(super) struct Heard {
    /// The generation that is open, as far as the host knows.
    open: u64,
    /// The last that have passed, without a gap.
    passed: VecDeque<Passed>,
    /// Nothing comes any more.
    ended: bool,
    /// How often it has said who is waited for, and what it said last: the generation that is open, and a bit for each party that has
    /// not come; all of them if nobody has.
    pub(super) said: (u64, u64, u64),
}

impl Named {
    pub(super) fn new(name: String, parties: u32, has_limit: bool, actors: Vec<Absent>) -> Self {
        Self { name, parties, has_limit, actors, heard: Mutex::default() }
    }

    pub(super) fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the kernels tell the host, and who waits for it.
pub(super) struct Table {
    pub(super) named: Vec<Named>,
    pub(super) news: Event,
}

impl Table {
    fn hear(&self, passed: Passed) {
        // What a program sends to the host's kernel by itself may name no barrier.
        let Some(named) = self.named.get(passed.barrier as usize) else { return };
        let mut heard = named.heard();
        if passed.actor == ASKS {
            heard.said = (heard.said.0 + 1, passed.generation, passed.missing);
            drop(heard);
            self.news.notify_all();
            return;
        }
        if passed.generation != heard.open {
            return;
        }
        heard.open += 1;
        if heard.passed.len() == KEPT {
            heard.passed.pop_front();
        }
        heard.passed.push_back(passed);
        drop(heard);
        self.news.notify_all();
    }

    fn end(&self) {
        self.named.iter().for_each(|named| named.heard().ended = true);
        self.news.notify_all();
    }
}

/// The kernels, as long as somebody has the barriers.
pub(super) struct Running {
    pub(super) kernel: KernelHandle<meet>,
    /// Between them and the host.
    _relay: Option<KernelHandle<tell_the_host>>,
    pub(super) table: Arc<Table>,
}

/// Barriers that are there. When the last clone, and the last [`NamedBarrier`] of them, is dropped, their
/// kernel terminates.
#[derive(Clone)]
pub struct Barriers(Arc<Running>);

impl fmt::Debug for Barriers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.table.named.iter().map(|named| &named.name);
        f.debug_list().entries(names).finish()
    }
}

/// Tells the table what a kernel sends, until that ends. It keeps the kernel not running, and has no thread:
/// whoever reports that the kernel has outputs does it.
fn listen<K: RingKernel>(
    kernel: &KernelHandle<K>,
    table: &Arc<Table>,
    passed: impl Fn(K::Output) -> Passed + Send + 'static,
) where
    K::Output: Send,
{
    let (kernel, table) = (Arc::clone(kernel.shared_arc()), Arc::clone(table));
    // The task keeps itself, by the waker that waits in the kernel.
    let _task = Task::start(async move {
        loop {
            // SAFETY: the kernel is `K`: it came from a handle of that type.
            let outlet = unsafe { Outlet::<K::Output>::new(&kernel) };
            match outlet.recv().await {
                Ok(output) => table.hear(passed(output)),
                Err(_) => break,
            }
        }
        table.end();
    });
}

impl Barriers {
    pub(super) fn new(
        kernel: KernelHandle<meet>,
        relay: Option<KernelHandle<tell_the_host>>,
        named: Vec<Named>,
    ) -> Self {
        let table = Arc::new(Table { named, news: Event::new() });
        if let Some(relay) = &relay {
            listen(relay, &table, |passed| passed);
        }
        // With a relay it sends the host nothing; but when it ends, nothing comes any more.
        listen(&kernel, &table, |addressed| addressed.message);
        Self(Arc::new(Running { kernel, _relay: relay, table }))
    }

    /// From now on, who asks why something stands still finds them.
    pub(super) fn show(&self, all: &AllBarriers) {
        all.add(&self.0);
    }

    /// The kernel that the barriers are actors of: other kernels connect to it, and its status counts what it
    /// was sent. What it took no notice of is counted there as failed, with [`NotTaken`](super::NotTaken).
    pub fn kernel(&self) -> &KernelHandle<meet> {
        &self.0.kernel
    }

    /// The barrier of this name.
    ///
    /// # Errors
    ///
    /// [`BarrierError::Unknown`], which says what names there are.
    pub fn get(&self, name: &str) -> Result<NamedBarrier, BarrierError> {
        let named = &self.0.table.named;
        match named.iter().position(|named| named.name == name) {
            Some(number) => Ok(NamedBarrier { barriers: self.clone(), number: number as u32 }),
            None => {
                let known = named.iter().map(|named| named.name.clone()).collect();
                Err(BarrierError::Unknown { name: name.into(), known })
            }
        }
    }

    /// All of them, by their numbers.
    pub fn all(&self) -> impl Iterator<Item = NamedBarrier> + use<'_> {
        let numbers = 0..self.0.table.named.len() as u32;
        numbers.map(|number| NamedBarrier { barriers: self.clone(), number })
    }
}

/// Why a party of the host's has not come.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArriveError {
    /// The barrier has fewer parties.
    #[error("the barrier has no party {party}: its {parties} parties are numbered from 0 on")]
    NoSuchParty {
        /// The party that was given.
        party: u32,
        /// So many it has.
        parties: u32,
    },
    /// The barriers' kernel has more to do than room for; try again.
    #[error(
        "the barriers' kernel has no room for a message: try again, or let its parties wait for what it says"
    )]
    Full,
    /// The barriers have ended.
    #[error("the barriers have ended: launch them again")]
    Ended,
}

crate::error::debug_in_words!(ArriveError);

/// Why nothing is known of a generation.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The barriers have ended before it passed.
    #[error("the barriers have ended before the generation passed: launch them again")]
    Ended,
    /// The time passed first.
    #[error("the generation has not passed in this time")]
    Timeout,
    /// It passed long ago.
    #[error(
        "generation {generation} has passed, and what is known begins with {oldest}: wait sooner, since {KEPT} \
         generations are kept"
    )]
    Forgotten {
        /// The generation.
        generation: u64,
        /// The oldest one that is known.
        oldest: u64,
    },
}

crate::error::debug_in_words!(WaitError);

/// A barrier with a name: the host's parties come to it, and who wants to know waits until a generation has
/// passed. Clones are the same barrier. See the [module](crate::barrier).
#[derive(Clone)]
pub struct NamedBarrier {
    barriers: Barriers,
    number: u32,
}

impl fmt::Debug for NamedBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedBarrier")
            .field("name", &self.name())
            .field("number", &self.number)
            .field("parties", &self.parties())
            .field("generation", &self.generation())
            .finish()
    }
}

impl NamedBarrier {
    /// Launches a barrier for so many parties, by itself, in a kernel of its name. For several in one kernel,
    /// and for parties that are kernels, see [`BarrierPlan`].
    ///
    /// ```
    /// # use annulus::{Runtime, Backend, BuildAuto as _, barrier::NamedBarrier};
    /// use std::time::Duration;
    ///
    /// # let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
    /// let epoch = NamedBarrier::launch(&runtime, "epoch", 2, Duration::from_secs(60))?;
    /// let (one, two) = (epoch.arrive(0)?, epoch.arrive(1)?);
    /// let passed = one.wait_blocking()?;
    /// assert_eq!((passed.generation, passed.timed_out()), (0, false));
    /// assert_eq!(two.wait_blocking()?, passed);
    ///
    /// // Only one of them comes to the next.
    /// let hasty = NamedBarrier::launch(&runtime, "hasty", 2, Duration::from_millis(1))?;
    /// let passed = hasty.arrive(0)?.wait_blocking()?;
    /// assert!(passed.missing_parties().eq([1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`BarrierPlan::add`] and [`BarrierPlan::launch`].
    pub fn launch(
        runtime: &Runtime,
        name: &str,
        parties: u32,
        limit: impl Into<Option<Duration>>,
    ) -> Result<Self, BarrierError> {
        let mut plan = BarrierPlan::new(name);
        plan.add(name, parties, limit)?;
        plan.launch(runtime)?.get(name)
    }

    fn named(&self) -> &Named {
        &self.table().named[self.number as usize]
    }

    fn table(&self) -> &Table {
        &self.barriers.0.table
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.named().name
    }

    /// Its number, by which kernels know it.
    pub fn number(&self) -> BarrierNumber {
        BarrierNumber::of(self.number)
    }

    /// All barriers of its kernel.
    pub fn barriers(&self) -> &Barriers {
        &self.barriers
    }

    /// So many parties it was planned for.
    pub fn parties(&self) -> u32 {
        self.named().parties
    }

    /// The generation that is open, as far as the host knows.
    pub fn generation(&self) -> u64 {
        self.named().heard().open
    }

    /// The last generation that has passed; `None` while the first one is open.
    pub fn last(&self) -> Option<Passed> {
        self.named().heard().passed.back().copied()
    }

    /// Says that a party has come to the [generation](Self::generation) that is open. Does not wait: whoever
    /// wants to know when it passes waits for what is returned.
    ///
    /// If the limit was over meanwhile, the barrier takes no notice of the party, and counts it as failed; it
    /// is missing in what is returned.
    ///
    /// # Errors
    ///
    /// [`ArriveError`]; the party has not come then.
    pub fn arrive(&self, party: u32) -> Result<Arrival, ArriveError> {
        let generation = self.generation();
        self.send(party, generation)?;
        Ok(Arrival { barrier: self.clone(), generation })
    }

    /// Says that a party leaves: nobody waits for it any more, in this generation and in the following ones,
    /// until it comes again.
    ///
    /// # Errors
    ///
    /// [`ArriveError`]; the party has not left then.
    pub fn leave(&self, party: u32) -> Result<(), ArriveError> {
        self.send(party, Arrive::LEAVES)
    }

    fn send(&self, party: u32, generation: u64) -> Result<(), ArriveError> {
        let parties = self.parties();
        if party >= parties {
            return Err(ArriveError::NoSuchParty { party, parties });
        }
        match self.barriers.kernel().try_send(Arrive { barrier: self.number, party, generation }) {
            Ok(_) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(ArriveError::Ended),
            Err(_) => Err(ArriveError::Full),
        }
    }

    /// What is known of a generation now.
    fn look(&self, generation: u64) -> Option<Result<Passed, WaitError>> {
        let heard = self.named().heard();
        if generation >= heard.open {
            return heard.ended.then_some(Err(WaitError::Ended));
        }
        let oldest = heard.open - heard.passed.len() as u64;
        let at = generation.checked_sub(oldest).and_then(|at| heard.passed.get(at as usize));
        Some(at.copied().ok_or(WaitError::Forgotten { generation, oldest }))
    }

    /// Waits until a generation has passed. Needs to be no party.
    ///
    /// # Errors
    ///
    /// [`WaitError`], but no timeout.
    pub async fn passed(&self, generation: u64) -> Result<Passed, WaitError> {
        loop {
            if let Some(known) = self.look(generation) {
                return known;
            }
            let listener = self.table().news.listen();
            if let Some(known) = self.look(generation) {
                return known;
            }
            listener.await;
        }
    }

    /// [`passed`](Self::passed), blocking.
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn passed_blocking(&self, generation: u64) -> Result<Passed, WaitError> {
        block_on(self.passed(generation))
    }

    /// [`passed`](Self::passed), blocking, for at most `limit`.
    ///
    /// # Errors
    ///
    /// [`WaitError`].
    pub fn passed_timeout(&self, generation: u64, limit: Duration) -> Result<Passed, WaitError> {
        let passed = block_on_deadline(self.passed(generation), deadline(limit));
        passed.unwrap_or(Err(WaitError::Timeout))
    }
}

/// A party of the host's has come to a generation.
#[derive(Clone, Debug)]
#[must_use = "the party has come; to know when the barrier passes, wait for this"]
pub struct Arrival {
    barrier: NamedBarrier,
    generation: u64,
}

impl Arrival {
    /// The generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Waits until the generation has passed, and says who was missing.
    ///
    /// # Errors
    ///
    /// [`WaitError`], but no timeout.
    pub async fn wait(&self) -> Result<Passed, WaitError> {
        self.barrier.passed(self.generation).await
    }

    /// [`wait`](Self::wait), blocking.
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn wait_blocking(&self) -> Result<Passed, WaitError> {
        self.barrier.passed_blocking(self.generation)
    }

    /// [`wait`](Self::wait), blocking, for at most `limit`. The party has come all the same.
    ///
    /// # Errors
    ///
    /// [`WaitError`].
    pub fn wait_timeout(&self, limit: Duration) -> Result<Passed, WaitError> {
        self.barrier.passed_timeout(self.generation, limit)
    }
}
