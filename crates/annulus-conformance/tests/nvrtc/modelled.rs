//! A **model** of the path with a clock: what a round trip, a stream and a hop between kernels would take if
//! every wait cost what single accesses cost on an H200. No figure of it was measured; the page says how far it is from
//! those that were.
//!
//! # What is modelled
//!
//! *The block* is its machine code, which [`crate::machine`] runs instruction by instruction: that for an H200,
//! whose times were measured, and beside it that for other architectures with the same times.
//! Each thread has a clock. An instruction waits for what its control bits name, and for nothing else: so
//! loads that are under way together cost one wait exactly if the compiler's scoreboards let them be under
//! way together. That is why the model runs machine code and not the text: the text does not say which loads
//! wait for each other. Strong loads of one thread from one line of the host's memory wait for each other.
//!
//! *Memory* is between the block and the host. A load is seen by memory half of its time after it was issued:
//! it finds what was visible by then. A store is visible in the host's memory as long after its issue as half
//! of a load takes, since it crosses the bus once; in the L2 cache likewise, with half of that cache's time.
//!
//! *The host* sends with the real code of the rings. It takes a fixed time from the decision to send until
//! the message is visible in its own memory, and one from an answer's arrival until it has seen it. After
//! each answer it thinks for a time that a seed draws, so that messages come at all phases of the block's
//! looks.
//!
//! # What is not
//!
//! Contention: between warps for the multiprocessor's four schedulers, between blocks for the L2 cache, for
//! the bus except that a stream cannot exceed its bytes per second. Misses of the instruction cache, of the
//! TLBs and of L2. A host that is late. So a modelled figure is a lower bound with errors in both directions,
//! good for comparing two texts, and for finding what a path waits for.

use annulus_abi::{control::command, ring::Envelope};
use annulus_block::ENTRY;
use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_ring::ring::Header;

use crate::{
    code::Code,
    compiler::{Effort, nvrtc, program},
    counts::{
        ARCHITECTURES, Block, CAPACITY, COSTS, DEVICE_LOCAL_BYTES, DISASSEMBLER, Form, Kind, Sum, ask,
        disassembled,
    },
    machine::{Access, Costs, Spent, Time},
};

pub(crate) mod report;

/// Cycles of a microsecond: a clock of 1.98 GHz.
pub(crate) const MICROSECOND: f64 = 1980.0;

/// What takes how long, in cycles; where each comes from is in `docs/performance/cuda.md`.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) costs: Costs,
    /// From the host's decision to send to a message that its own memory shows.
    pub(crate) host_send: u64,
    /// From an answer's arrival in the host's memory to a host that has seen it.
    pub(crate) host_see: u64,
    /// Bytes that the bus moves in a second, in one direction.
    pub(crate) bus: f64,
    /// Bytes of the bus that each request costs beside its content.
    pub(crate) overhead: u64,
}

impl World {
    /// As measured on an H200, but for the host's own times, which are guesses.
    pub(crate) const H200: Self =
        Self { costs: COSTS, host_send: 99, host_see: 198, bus: 59e9, overhead: 24 };

    /// How long a store is on its way to the host's memory.
    fn way_to_host(&self) -> u64 {
        self.costs.host_load / 2
    }

    /// How long one is on its way to the L2 cache.
    fn way_to_device(&self) -> u64 {
        self.costs.device_load / 2
    }
}

/// A line of the stream, as `annulus-bench stream` sends it.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Line {
    words: [u64; 8],
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
fn swallow(_line: &Line) {}

/// How the stream's kernel is launched there.
const LINES: Form = Form {
    threads: 256,
    batch: 256,
    message: (size_of::<Line>(), align_of::<Line>()),
    output: (0, 1),
    envelope: Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false },
};

/// A message of the serial stream, as `annulus-bench stream` sends it.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Medium {
    number: u64,
    other: u64,
}

/// One actor, whose messages are handled one after the other.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
fn sink(medium: &Medium, sum: &mut Sum) {
    sum.sum += medium.number;
}

/// How the serial stream's kernel is launched there.
const MEDIUMS: Form = Form {
    threads: 32,
    batch: 64,
    message: (size_of::<Medium>(), align_of::<Medium>()),
    output: (0, 1),
    envelope: Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false },
};

/// The texts that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Today,
    Open,
    /// As on a device whose leader cannot work alone, which is how every turn was before the short path: all
    /// threads meet at each step, scratch memory lies in L2, and each turn's end has its fences.
    Together,
}

impl Text {
    const ALL: [Self; 3] = [Self::Today, Self::Open, Self::Together];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Today => "today's text",
            Self::Open => "open slots",
            Self::Together => "without the short path",
        }
    }

    /// The kernel's machine code for an architecture.
    pub(crate) fn code(
        self,
        architecture: Architecture,
        what: &str,
        definition: &'static KernelDefinition,
        threads: u32,
        connectable: bool,
    ) -> Code {
        let nvrtc = nvrtc().expect("the caller looked");
        let sealed = self != Self::Open;
        let seals = sealed && connectable;
        let shape =
            annulus_cuda::Shape { threads, sealed, seals, connectable, ..annulus_cuda::Shape::default() };
        let mut program = program(definition, shape);
        if self == Self::Together {
            let (from, to) = ("#define ANN_INDEPENDENT 1\n", "#define ANN_INDEPENDENT 0\n");
            assert_eq!(program.matches(from).count(), 1, "the prelude says that a leader may work alone");
            program = program.replace(from, to);
        }
        let compile = || {
            let compiled = nvrtc.compile(&program, architecture.0, Effort::Whole);
            compiled.unwrap_or_else(|error| panic!("{error}")).cubin
        };
        let text = ["today", "open", "together"][self as usize];
        let name = format!("modelled-{what}-{text}-{}", architecture.0);
        Code::new(&disassembled(&program, &name, compile), ENTRY)
    }
}

/// An architecture, and where its kernels' parameters begin.
type Architecture = (u32, usize);

/// That of the H200, whose times these are.
pub(crate) const HOPPER: Architecture = ARCHITECTURES[1];

/// Parts of a way, in cycles, on average over all that were modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    /// The host's own time.
    host: f64,
    /// Until a look's load comes to the memory that has the message.
    until_a_look: f64,
    /// Stores on their way.
    stores: f64,
    /// What the block spent, by [`Spent`]; of the look that finds a message only the way back.
    pub(crate) spent: [f64; Spent::COUNT],
}

impl Parts {
    fn add(&mut self, other: &Self) {
        self.host += other.host;
        self.until_a_look += other.until_a_look;
        self.stores += other.stores;
        (0..Spent::COUNT).for_each(|on| self.spent[on] += other.spent[on]);
    }

    fn divided(mut self, by: f64) -> Self {
        self.host /= by;
        self.until_a_look /= by;
        self.stores /= by;
        self.spent.iter_mut().for_each(|spent| *spent /= by);
        self
    }

    fn of(spent: &[u64; Spent::COUNT]) -> Self {
        Self { spent: spent.map(|cycles| cycles as f64), ..Self::default() }
    }

    /// Each part's name and its microseconds.
    pub(crate) fn named(&self) -> [(&'static str, f64); 3 + Spent::COUNT] {
        let on = |on: Spent| self.spent[on as usize] / MICROSECOND;
        [
            ("host: sends, sees", self.host / MICROSECOND),
            ("until a look comes by", self.until_a_look / MICROSECOND),
            ("loads of the host's memory", on(Spent::HostLoads)),
            ("system fences", on(Spent::SystemFences)),
            ("L2: loads and atomics", on(Spent::DeviceLoads)),
            ("L2: fences", on(Spent::DeviceFences)),
            ("barriers", on(Spent::Barriers)),
            ("the block's own memory", on(Spent::Shared)),
            ("instructions, one behind the other", on(Spent::Instructions)),
            ("stores on their way", self.stores / MICROSECOND),
        ]
    }
}

/// Times of one thing done many times, in cycles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ways {
    /// Sorted.
    pub(crate) times: Vec<u64>,
    pub(crate) parts: Parts,
}

impl Ways {
    fn new(mut times: Vec<u64>, sum: Parts) -> Self {
        let count = times.len() as f64;
        times.sort_unstable();
        Self { times, parts: sum.divided(count) }
    }

    /// In microseconds.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        self.times[(self.times.len() - 1) * percent / 100] as f64 / MICROSECOND
    }
}

/// How fast a block takes messages that are always there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flow {
    /// Messages in a turn.
    taken: f64,
    /// Of one turn.
    parts: Parts,
    /// Million messages in a second: one block, and what the bus lets through.
    block: f64,
    bus: f64,
}

impl Flow {
    /// Million messages in a second, by so many blocks.
    fn of(&self, blocks: u32) -> f64 {
        (self.block * f64::from(blocks)).min(self.bus)
    }
}

/// What a seed draws, by Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// After this many microseconds at most the next message comes.
const THINKS: u64 = 4;

/// Round trips of one message between a host that waits for each answer and a block that has nothing else.
pub(crate) fn round_trips(
    (code, architecture): (&Code, Architecture),
    kind: Kind,
    world: &World,
    count: usize,
    seed: u64,
) -> Ways {
    let mut random = Random(seed);
    let mut block = Block::of(code, architecture.1, kind, world.costs, &Form::ASK);
    // The first looks obey the command.
    let mut begin = (0..8).map(|_| block.look().time.cycles).last().expect("it looked");
    let (mut times, mut sum) = (Vec::new(), Parts::default());
    for _ in 0..count {
        begin += random.below(THINKS * MICROSECOND as u64);
        let visible = begin + world.host_send;
        let slot = block.next_slot();
        let from = block.machine.run_on_until(|access| {
            !access.is_store
                && (slot..slot + 16).contains(&access.address)
                && access.time.cycles + world.way_to_host() >= visible
        });
        block.send(1);
        let answers = block.answers();
        let stretch = block.turn(from, 1, answers, false);
        block.take_answers();
        let seen = from.time.cycles + stretch.answered.cycles + world.way_to_host() + world.host_see;
        times.push(seen - begin);
        let mut parts = Parts::of(&stretch.answered.spent);
        parts.host = (world.host_send + world.host_see) as f64;
        parts.until_a_look = (from.time.cycles + world.way_to_host() - visible) as f64;
        parts.spent[Spent::HostLoads as usize] -= world.way_to_host() as f64;
        parts.stores = world.way_to_host() as f64;
        sum.add(&parts);
        begin = seen;
    }
    Ways::new(times, sum)
}

/// Hops: from a message that is visible in a block's ring to the one that this block has sent on, visible in
/// the next one's. Each block has gone back to looking before the next message comes, as it has when a
/// message goes to and fro between two kernels.
pub(crate) fn hops(
    (code, architecture): (&Code, Architecture),
    world: &World,
    count: usize,
    seed: u64,
) -> Ways {
    let mut random = Random(seed);
    let mut block = Block::of(code, architecture.1, Kind::Linked, world.costs, &Form::ASK);
    let mut after = (0..8).map(|_| block.look().time.cycles).last().expect("it looked");
    let (mut times, mut sum) = (Vec::new(), Parts::default());
    for _ in 0..count {
        let visible = after + random.below(THINKS * MICROSECOND as u64);
        let slot = block.device_local_in_slot() as u64;
        let from = block.machine.run_on_until(|access| {
            // The slot's first unit, or the lap in it.
            !access.is_store
                && (slot..slot + 16).contains(&access.address)
                && access.time.cycles + world.way_to_device() >= visible
        });
        block.send_device_local();
        let ring = block.device_heap as u64 + DEVICE_LOCAL_BYTES as u64;
        let stretch = block.turn(from, 1, ring + 256..ring + DEVICE_LOCAL_BYTES as u64, true);
        assert!(block.has_sent_on());
        let arrived = from.time.cycles + stretch.answered.cycles + world.way_to_device();
        times.push(arrived - visible);
        let mut parts = Parts::of(&stretch.answered.spent);
        parts.until_a_look = (from.time.cycles + world.way_to_device() - visible) as f64;
        parts.spent[Spent::DeviceLoads as usize] -= world.way_to_device() as f64;
        parts.stores = world.way_to_device() as f64;
        sum.add(&parts);
        after = from.time.cycles + stretch.whole.cycles;
    }
    Ways::new(times, sum)
}

/// Turns of a block whose ring is never empty, of so many messages at most.
pub(crate) fn stream<M: Copy>(
    (code, architecture): (&Code, Architecture),
    kind: Kind,
    world: &World,
    form: &Form,
    message: fn(u64) -> M,
    turns: u64,
) -> Flow {
    let mut block = Block::of(code, architecture.1, kind, world.costs, form);
    for _ in 0..8 {
        block.begin();
    }
    let first = block.next_slot();
    let stride = block.stride();
    // Where the next slot is, when the leader looks at it.
    let look = |block: &mut Block<'_>| -> (u64, Time) {
        block.begin();
        let slots = first..first + u64::from(CAPACITY) * stride;
        let is_look = |access: &Access| !access.is_store && slots.contains(&access.address);
        // The same instruction loads both, or the slot comes behind the command.
        let together = block.machine.accesses.iter().copied().find(is_look);
        let access = together.unwrap_or_else(|| block.machine.run_until(is_look));
        while let Ok(mut room) = block.producers.reserve(CAPACITY) {
            while room.remaining() != 0 {
                let message = message(room.ticket());
                room.write(
                    message,
                    Header { enqueue_time: 0, command: command::ACTIVE, ..Header::default() },
                );
            }
        }
        ((access.address - first) / stride, access.time)
    };
    let mut at = look(&mut block);
    let (mut warm, mut taken, mut all) = (1, 0, 0);
    let mut begun = at.1;
    while all < turns {
        let next = look(&mut block);
        let found = (next.0 + u64::from(CAPACITY) - at.0) % u64::from(CAPACITY);
        at = next;
        // With open slots the leader loads the command once more in a turn.
        if found == 0 {
            continue;
        }
        if warm != 0 {
            warm -= 1;
            begun = at.1;
            block.machine.done = Default::default();
            continue;
        }
        all += 1;
        taken += found;
    }
    let time = at.1 - begun;
    let done = block.machine.done;
    let loaded = done.bus_loaded + world.overhead * done.bus_requests;
    let stored = done.bus_stored + world.overhead * done.bus_writes;
    Flow {
        taken: taken as f64 / turns as f64,
        parts: Parts::of(&time.spent).divided(turns as f64),
        block: taken as f64 / (time.cycles as f64 / MICROSECOND),
        // Requests for loads go the stores' way.
        bus: world.bus * taken as f64 / loaded.max(stored + world.overhead * done.bus_requests) as f64 / 1e6,
    }
}

/// All that is modelled of a text's machine code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Modelled {
    pub(crate) text: Text,
    /// The architecture's number, as in `sm_90`.
    pub(crate) architecture: u32,
    pub(crate) round_trips: Ways,
    pub(crate) flow: Flow,
    /// The same, one message a turn.
    pub(crate) singles: Flow,
    /// Messages of one actor.
    pub(crate) serial: Flow,
    /// Of a text whose slots are sealed.
    pub(crate) hops: Option<Ways>,
}

/// How much is modelled, and from which seed.
const ROUND_TRIPS: usize = 100;
const HOPS: usize = 50;
const TURNS: u64 = 4;
const SINGLES: u64 = 64;
pub(crate) const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

impl Modelled {
    pub(crate) fn new(text: Text, architecture: Architecture, world: &World) -> Self {
        let kind = if text == Text::Open { Kind::Open } else { Kind::Sealed };
        let code = text.code(architecture, "ask", ask::DEFINITION, Form::ASK.threads, false);
        let round_trips = round_trips((&code, architecture), kind, world, ROUND_TRIPS, SEED);
        let code = text.code(architecture, "lines", swallow::DEFINITION, LINES.threads, false);
        let line = |ticket| Line { words: [ticket; 8] };
        let flow = stream((&code, architecture), kind, world, &LINES, line, TURNS);
        let singles = stream((&code, architecture), kind, world, &Form { batch: 1, ..LINES }, line, SINGLES);
        let code = text.code(architecture, "mediums", sink::DEFINITION, MEDIUMS.threads, false);
        let medium = |number| Medium { number, other: 0 };
        let serial = stream((&code, architecture), kind, world, &MEDIUMS, medium, TURNS);
        let hops = (text != Text::Open).then(|| {
            let code = text.code(architecture, "linked", ask::DEFINITION, Form::ASK.threads, true);
            hops((&code, architecture), world, HOPS, SEED)
        });
        Self { text, architecture: architecture.0, round_trips, flow, singles, serial, hops }
    }

    /// Of all texts for an H200, and then of today's for the other architectures; `None`, and a line that says why, where a program is missing that makes machine code or
    /// shows it.
    pub(crate) fn all(world: &World) -> Option<Vec<Self>> {
        nvrtc()?;
        if std::env::var_os(DISASSEMBLER).is_none() {
            println!("skipped: {DISASSEMBLER} names no program `nvdisasm`");
            return None;
        }
        let others = ARCHITECTURES.into_iter().filter(|one| *one != HOPPER).map(|one| (Text::Today, one));
        let all = Text::ALL.into_iter().map(|text| (text, HOPPER)).chain(others);
        Some(all.map(|(text, architecture)| Self::new(text, architecture, world)).collect())
    }
}
