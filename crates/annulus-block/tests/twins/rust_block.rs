//! The block in Rust, run by the test.

use std::{
    cell::Cell,
    mem::MaybeUninit,
    sync::{Arc, Weak},
};

use annulus_abi::{control::state, ring::kind, vitals::At};
use annulus_block::{
    Answered, AskedIn, BlockCore, BlockParameters, Deliver, Delivery, Keys, Link, NextLinks, Progress, Row,
    Runner, RuntimeClock, Signals, StateMemory, Turn,
};
use annulus_kernel::{Inside, KernelDefinition, MOST_PEERS};
use annulus_ring::{
    memory::ShardMemory,
    ring::{Header, Landings, Producers, Refused, Reply},
};
use annulus_sync::{AtomicU32, Ordering};

use crate::{
    kernels::{ENTRIES, PEERS, graph, topic_entries},
    memory::{Place, Side},
    scene::Options,
};

thread_local! {
    /// The time for the blocks of this thread.
    static NOW: Cell<u64> = const { Cell::new(1) };
}

/// That of the numbers of spans, of both blocks: they wrap.
pub(crate) const SEED: u32 = u32::MAX - 6;

/// Sets the time.
pub(crate) fn set_time(now: u64) {
    NOW.set(now);
}

/// Runs a block wherever the test is.
struct Stepped;

impl Runner for Stepped {
    type Delivering = ();

    fn hand_over() {}

    fn delivering() {}

    fn now(_: &RuntimeClock) -> u64 {
        NOW.get()
    }
}

/// What the block has told its host.
#[derive(Default)]
struct Heard {
    told: AtomicU32,
    dead_letters: AtomicU32,
}

impl Signals for Heard {
    fn progressed(&self, _: u32, progress: Progress) {
        self.told.fetch_add(1, Ordering::Relaxed);
        self.dead_letters.fetch_add(progress.dead_letters + u32::from(progress.prints), Ordering::Relaxed);
    }
}

/// The first of the places that asks have, and where in an output an answer lies.
pub(crate) const FIRST_ASKED: u32 = 64;
pub(crate) const ANSWER: usize = 8;

/// The kernel that a block is connected to: its host's ring.
pub(crate) struct Target {
    producers: Producers,
    memory: ShardMemory,
    /// Of the kernel that sends.
    from: ShardMemory,
    looked_waiting: AtomicU32,
}

impl Target {
    /// The kernel of one side, as another one sends to it.
    pub(crate) fn new(to: &Side, from: &Side) -> Arc<Self> {
        Arc::new(Self {
            producers: to.producers.clone(),
            memory: to.memory.clone(),
            from: from.memory.clone(),
            looked_waiting: AtomicU32::default(),
        })
    }

    fn landings(&self) -> Landings {
        // SAFETY: the block makes the other ends, and the memory lies beside this.
        let rings = unsafe { self.memory.landings() };
        // SAFETY: they are this kernel's, and open.
        unsafe { Landings::new(rings) }
    }

    fn has_ended(&self) -> bool {
        self.memory.state().load(Ordering::Relaxed) == state::TERMINATED
    }

    /// How often something was delivered while its sender looked as if it waited.
    pub(crate) fn looked_waiting(&self) -> u32 {
        self.looked_waiting.load(Ordering::Relaxed)
    }
}

impl Deliver for Target {
    unsafe fn deliver(&self, row: Row<'_>) -> Delivery {
        if self.has_ended() {
            return Delivery::Closed;
        }
        let mut slots = match self.producers.reserve(row.messages.len() as u32) {
            Ok(slots) => slots,
            Err(Refused::Full) => return Delivery::Full,
            Err(Refused::Closed) => return Delivery::Closed,
        };
        let rests = self.from.rested().load(Ordering::Relaxed) == self.from.taken().load(Ordering::Relaxed);
        let count = slots.remaining() as usize;
        if self.from.stalled().load(Ordering::Relaxed) != 0 && rests {
            self.looked_waiting.fetch_add(1, Ordering::Relaxed);
        }
        let bytes = self.memory.layout().inbound.payload_size;
        for (index, message) in row.messages.iter().take(count).enumerate() {
            // SAFETY: the caller says that it is a message of this kernel's, which has so many bytes.
            let message = unsafe { std::slice::from_raw_parts(message.cast::<MaybeUninit<u8>>(), bytes) };
            let correlation = row.carried(index);
            let header = Header {
                enqueue_time: NOW.get(),
                correlation,
                trace: row.trace,
                stamp: row.stamp,
                ..Header::default()
            };
            // SAFETY: the ring carries no bridged messages.
            unsafe { slots.write_bytes(message, header) };
        }
        Delivery::Done(count)
    }

    unsafe fn has_room(&self, _: *const u8) -> bool {
        let ring = self.producers.ring();
        self.has_ended() || ring.depth() < u64::from(ring.layout().capacity)
    }
}

impl Answered for Target {
    fn answered(&self, place: u32) -> u32 {
        self.landings().generation(place)
    }

    unsafe fn answer(&self, call: u64, to: *mut u8) -> (u8, u16, u64) {
        let read = |reply: Reply<'_>| {
            if reply.kind == kind::MESSAGE {
                let mut value = [MaybeUninit::uninit(); 8];
                // SAFETY: it is an output, in which this lies there by whichever outbox it was sent.
                unsafe { reply.read_part(ANSWER, &mut value) };
                // SAFETY: an awaited message has room for it there.
                unsafe { to.copy_from_nonoverlapping(value.as_ptr().cast(), value.len()) };
            }
            (reply.kind, if reply.kind == kind::FAILED { reply.length as u16 } else { 0 }, reply.stamp())
        };
        self.landings().look(call, read).expect("it shows the ask")
    }
}

/// The block of a shard, in Rust.
pub(crate) struct RustBlock {
    core: BlockCore<Stepped>,
    states: StateMemory,
    states_bytes: usize,
    links: Arc<NextLinks>,
    /// Where what it sends lies in the message that takes it.
    inside: Option<Inside>,
    /// What it sends says whom it is for.
    knows_peers: bool,
    /// What it sends goes to the host as long as the first place has no kernel.
    leaves_all: bool,
    /// Its handler asks.
    asks: bool,
    heard: Arc<Heard>,
    has_ended: bool,
}

impl RustBlock {
    pub(crate) fn new(
        side: &Side,
        definition: &'static KernelDefinition,
        variant: Option<usize>,
        options: &Options,
        threads: u32,
        hold: u32,
    ) -> Self {
        let Options { place: Place { block, grid }, actors, mode, limit, .. } = *options;
        let states =
            StateMemory::new(definition.state, actors.into(), options.keys, block.into(), grid.into())
                .expect("they are few");
        let own = match definition.state {
            annulus_kernel::StateShape::PerActor(_) if options.keys != Keys::Dense => actors.div_ceil(grid),
            annulus_kernel::StateShape::PerActor(_) => (actors - block.min(actors)).div_ceil(grid),
            _ => 1,
        };
        let size = definition.state.definition().map_or(0, |state| state.ty.size);
        let links = Arc::new(NextLinks::new(definition, ENTRIES).with_rows(Some(graph())));
        topic_entries().into_iter().enumerate().for_each(|(place, entry)| links.set_topic(place, entry));
        let heard = Arc::new(Heard::default());
        let parameters = BlockParameters {
            memory: side.memory.clone(),
            index: block,
            grid,
            definition,
            bindings: Arc::new(Vec::new()),
            links: Arc::clone(&links),
            hold,
            state: states.states(),
            mode,
            max_messages_per_iteration: limit,
            block_dim: threads,
            timestamps: side.memory.layout().inbound.enqueue_time_offset.is_some(),
            rounds: false,
            counts_turns: options.counts_turns,
            sequential: false,
            trace_seed: SEED,
            clock: RuntimeClock::start(),
            signals: Arc::<Heard>::clone(&heard),
        };
        // SAFETY: the shard's one block on this side, whose layout is that of the definition's types; the
        // states live beside it.
        let core = unsafe { BlockCore::new(parameters) };
        let knows_peers = definition.peers.is_some();
        let inside = variant.and_then(|variant| Inside::of(definition.message, variant));
        Self {
            core,
            states,
            states_bytes: own as usize * size,
            links,
            inside,
            knows_peers,
            leaves_all: definition.peers.is_some(),
            asks: definition.ask().is_some(),
            heard,
            has_ended: false,
        }
    }

    /// Takes a turn; says whether it found something.
    pub(crate) fn turn(&mut self) -> bool {
        if self.has_ended {
            return false;
        }
        let turn = self.core.iterate();
        self.core.end_turn();
        self.has_ended = turn == Turn::Terminated;
        turn != Turn::Nothing
    }

    pub(crate) fn has_work(&mut self) -> bool {
        !self.has_ended && self.core.has_work()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// What it says that it is at.
    pub(crate) fn at(&self) -> At {
        self.core.at()
    }

    /// How often it told its host something since the last question, and how many dead letters it spoke of.
    pub(crate) fn told(&self) -> (u32, u32) {
        let Heard { told, dead_letters } = &*self.heard;
        (told.swap(0, Ordering::Relaxed), dead_letters.swap(0, Ordering::Relaxed))
    }

    /// The states of its actors.
    pub(crate) fn states(&self) -> Vec<u8> {
        let mut bytes = vec![MaybeUninit::uninit(); self.states_bytes];
        // SAFETY: the block is run by this thread alone, and does not run now.
        unsafe { self.states.read(&mut bytes) };
        // SAFETY: these states have no padding.
        bytes.into_iter().map(|byte| unsafe { byte.assume_init() }).collect()
    }

    /// The table of its actors, of so many words.
    pub(crate) fn actors(&self, words: usize) -> Vec<u64> {
        let mut table = vec![0; words];
        // SAFETY: as for the states.
        unsafe { self.states.read_actors(&mut table) };
        table
    }

    /// Where outputs of an outbox go from the next command on.
    pub(crate) fn connect(&self, outbox: usize, target: Option<&Arc<Target>>, waits: bool) {
        let link = target.map(|target| {
            let answers: Arc<Target> = Arc::clone(target);
            let target: Weak<Target> = Arc::downgrade(target);
            let peer = if self.knows_peers { PEERS + outbox as u64 } else { 0 };
            let asks = self.asks.then_some(AskedIn { first: FIRST_ASKED, answers });
            Link { target, waits, inside: self.inside, peer, asks }
        });
        if self.knows_peers {
            let nobody: Weak<Target> = Weak::new();
            let nobody = Link { target: nobody, waits: false, inside: None, peer: 0, asks: None };
            let leaves_all = self.leaves_all && outbox == 0 && link.is_none();
            if leaves_all {
                // Nobody is connected as long as any kernel is.
                (0..MOST_PEERS).for_each(|place| self.links.set(place, None));
            }
            self.links.set(MOST_PEERS, (!leaves_all).then_some(nobody));
        }
        self.links.set(outbox, link);
    }
}
