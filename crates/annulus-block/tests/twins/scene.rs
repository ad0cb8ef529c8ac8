//! What a script plays in: a kernel, and how its two blocks are launched.

use std::{fmt, mem::offset_of, sync::Arc};

use annulus_abi::{
    actors::{self, Exits},
    control::ActorCounts,
    kernel::{KernelLayout, KernelShape},
    ring::{Envelope, SlotHeader},
    trace::Record,
};
use annulus_block::Keys;
use annulus_kernel::{KernelDefinition, ProcessingMode, StateShape};

use crate::{
    c_block::{CBlock, Exchange, Launch, Text},
    calls::{Calls, Replied},
    kernels::{Kernel, To},
    memory::{Place, Side},
    random::Random,
    rust_block::RustBlock,
    words::{Facts, Word, words, wrong},
};

/// A kernel, and the program that its block in C is.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) kernel: Kernel,
    pub(crate) threads: u32,
    pub(crate) connectable: bool,
    pub(crate) alone: bool,
    /// The variant of the kernel's message that takes what it sends.
    pub(crate) variant: Option<usize>,
    /// Outboxes of the kernel that are connected, each to another one.
    pub(crate) links: &'static [usize],
    /// Calls go through the kernels.
    pub(crate) through: bool,
    /// Messages carry traces.
    pub(crate) traced: bool,
    /// How many outputs may wait while the blocks go on; 0: they go on with none.
    pub(crate) hold: u32,
    /// Messages carry causal stamps.
    pub(crate) causal: bool,
    /// What finds no room is lost as often as it waits; and those that are sent to end more often.
    pub(crate) rejects: bool,
    /// Whether keys are sparse, and actors give way. More keys come than there are places.
    pub(crate) keys: Keys,
}

impl Scene {
    /// The stamp of a message that is sent at this time: near it, or far, or none.
    pub(crate) fn stamp(&self, random: &mut Random, now: u64) -> u64 {
        if !self.causal {
            return 0;
        }
        let micros = match random.below(8) {
            0 => return 0,
            1 => 1 + now / 1000 + random.below(1000),
            _ => now / 1000 + random.below(3),
        };
        micros << 16 | random.pick(&[0, 1, 2, 0xFFFF])
    }
}

/// Where a record lies in its slot.
const RECORD: usize = size_of::<SlotHeader>();

/// A fault of the block in C: its name, and what stands in place of what.
pub(crate) type Fault = (&'static str, &'static str, &'static str);

/// What was found to be different.
pub(crate) struct Found {
    pub(crate) scene: &'static str,
    pub(crate) seed: u64,
    /// The last actions.
    pub(crate) actions: Vec<String>,
    pub(crate) what: Vec<String>,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, seed, actions, what } = self;
        write!(f, "{scene}, seed {seed}: {}\nafter {}", what.join("; "), actions.join(", "))
    }
}

/// What a script has done so far.
pub(crate) struct History<A> {
    pub(crate) scene: &'static str,
    pub(crate) seed: u64,
    pub(crate) actions: Vec<A>,
}

impl<A: fmt::Debug> History<A> {
    /// Nothing so far.
    pub(crate) fn new(scene: &Scene, seed: u64) -> Self {
        Self { scene: scene.name, seed, actions: Vec::new() }
    }

    /// Whether both twins show the same.
    pub(crate) fn same<T: fmt::Debug + PartialEq>(
        &self,
        what: &str,
        rust: T,
        c: T,
    ) -> Result<(), Box<Found>> {
        if rust == c {
            return Ok(());
        }
        Err(self.found(vec![format!("{what}: {rust:?} in Rust, {c:?} in C")]))
    }

    /// What was found after these actions.
    pub(crate) fn found(&self, what: Vec<String>) -> Box<Found> {
        let last = self.actions.len().saturating_sub(16);
        let actions = self.actions[last..].iter().map(|action| format!("{action:?}")).collect();
        Box::new(Found { scene: self.scene, seed: self.seed, actions, what })
    }
}

/// A drawn launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) layout: KernelLayout,
    pub(crate) place: Place,
    pub(crate) actors: u32,
    pub(crate) mode: ProcessingMode,
    /// Messages of a turn.
    pub(crate) limit: u32,
    /// The shard has a line of telemetry.
    pub(crate) shows: bool,
    /// Turns are counted: where what a turn takes is the same for both.
    pub(crate) counts_turns: bool,
    pub(crate) keys: Keys,
    /// How actors go.
    pub(crate) exits: Exits,
}

impl Options {
    /// Draws a launch. `grid`: blocks of the kernel, at most.
    pub(crate) fn draw(random: &mut Random, kernel: &Kernel, grid: u64) -> Self {
        Self::draw_with(random, kernel, grid, false, false, Keys::Dense)
    }

    /// The same of a scene, in which messages may carry traces and stamps.
    pub(crate) fn draw_of(random: &mut Random, kernel: &Kernel, grid: u64, scene: &Scene) -> Self {
        let mut options = Self::draw_with(random, kernel, grid, scene.traced, scene.causal, scene.keys);
        // The block in C looks all messages of a turn up before an actor goes. See `crowded.rs`.
        if scene.threads > 1 && scene.keys != Keys::Dense && options.exits.any() {
            options.limit = 1;
        }
        options
    }

    /// The same; `traced`: messages carry traces, and the ring of records is small; `causal`: they carry stamps.
    fn draw_with(
        random: &mut Random,
        kernel: &Kernel,
        grid: u64,
        traced: bool,
        causal: bool,
        keys: Keys,
    ) -> Self {
        let definition = kernel.definition;
        let prints = definition.prints();
        let output = definition.output.map_or((0, 1), |output| (output.size, output.align));
        let time = random.one_in(2) || traced;
        let mut layout = KernelLayout::new(&KernelShape {
            inbound_capacity: random.pick(&[2, 4, 8]),
            // A launch has room for all that a handler may send.
            outbound_capacity: random.pick(&[2, 4, 8]).max(definition.max_outputs.next_power_of_two()),
            message: (definition.message.size, definition.message.align),
            output,
            envelope: Envelope {
                enqueue_time: time,
                correlation: random.one_in(2),
                trace: traced,
                stamp: causal,
            },
            dead_letters_capacity: random.pick(&[0, 2, 4]),
            prints_capacity: if prints.is_empty() { 0 } else { 4 },
            print_words: prints.iter().map(|site| site.words).max().unwrap_or(0),
            histogram: time && random.one_in(2),
            ports: definition.counted_places() as u32,
        });
        if keys != Keys::Dense {
            layout = layout.counting_actors();
        }
        if let Some(records) = &mut layout.records {
            records.capacity = 4;
        }
        let is_keyed = matches!(definition.state, StateShape::PerActor(_));
        let grid = if is_keyed { 1 + random.below(grid) as u32 } else { 1 };
        let mode =
            random.pick(&[ProcessingMode::Continuous, ProcessingMode::Batch, ProcessingMode::Adaptive]);
        // In turns of several messages, those of timers and of the ring follow each other in another order.
        let mode = if definition.timers.is_some() { ProcessingMode::Continuous } else { mode };
        Self {
            layout,
            place: Place { block: random.below(grid.into()) as u32, grid },
            actors: if is_keyed { grid + random.below(4) as u32 } else { 1 },
            mode,
            limit: if mode == ProcessingMode::Continuous { 1 } else { 1 + random.below(4) as u32 },
            shows: !random.one_in(8),
            counts_turns: false,
            keys,
            exits: exits(definition, keys),
        }
    }

    /// Whom messages may be for: of sparse keys more than there are places.
    pub(crate) fn to(&self) -> To {
        let more = if self.keys == Keys::Dense { 0 } else { 2 * self.place.grid };
        To { block: self.place.block, grid: self.place.grid, actors: self.actors + more }
    }

    /// Words of the block's table of actors; 0 if it has none.
    pub(crate) fn table_words(&self) -> usize {
        let places = self.actors.div_ceil(self.place.grid);
        if self.keys == Keys::Dense { 0 } else { actors::words(places.into(), self.exits) as usize }
    }
}

/// How a kernel's actors go.
pub(crate) fn exits(definition: &KernelDefinition, keys: Keys) -> Exits {
    let ended = definition.state.definition().is_some_and(|state| state.ends);
    Exits { evicted: keys == Keys::Sparse { evicts: true }, ended }
}

/// A shard twice: served by the block in Rust, and by the block in C. The host does to one what it does to
/// the other.
pub(crate) struct Pair {
    pub(crate) options: Options,
    pub(crate) rust: Side,
    pub(crate) c: Side,
    pub(crate) rust_block: RustBlock,
    pub(crate) c_block: CBlock,
    pub(crate) calls: Calls,
    /// Looks that find nothing after which the block in C has told all.
    looks: u32,
    /// Its block in C says the key of each message.
    says_keys: bool,
}

/// More turns than a block ever takes until it finds nothing: of a few messages, and their outputs.
const MOST_TURNS: u32 = 10_000;

impl Pair {
    /// `copy`: which of the scene's kernels it is; `exchange`: where their rings lie, if they may be
    /// connected.
    pub(crate) fn new(
        scene: &Scene,
        options: Options,
        fault: Option<&Fault>,
        copy: u32,
        exchange: Option<&Arc<Exchange>>,
    ) -> Self {
        let Options { layout, place, actors, mode, limit, shows, counts_turns, keys, .. } = options;
        let definition = scene.kernel.definition;
        let rust = Side::new(&layout, place, shows);
        let c = Side::new(&layout, place, shows);
        let rust_block =
            RustBlock::new(&rust, definition, scene.variant, &options, scene.threads, scene.hold);
        let text = Text {
            definition,
            threads: scene.threads,
            connectable: scene.connectable,
            variant: scene.variant,
            through: scene.through,
            traced: scene.traced,
            hold: scene.hold,
            causal: scene.causal,
            alone: scene.alone,
            adaptive: mode == ProcessingMode::Adaptive,
            counts_turns,
            keys,
            copy,
            fault: fault.map(|(_, from, to)| (*from, *to)),
        };
        let exchange = exchange.map(|rings| (Arc::clone(rings), copy as usize));
        let launch = Launch { text, place, actors, limit, exchange };
        let c_block = CBlock::new(&c, &launch, &rust_block.states());
        // What is told late is told by the fourth look.
        let looks = if scene.alone { 6 } else { 2 };
        Self {
            options,
            rust,
            c,
            rust_block,
            c_block,
            calls: Calls::default(),
            looks,
            says_keys: scene.threads == 1,
        }
    }

    /// Both blocks take turns until they find nothing.
    pub(crate) fn settle(&mut self) {
        while self.rust_block.turn() && !self.rust_block.has_ended() {}
        let (mut nothing, mut turns) = (0, 0);
        // With a fault in it, it may never find nothing.
        while nothing < self.looks && turns < MOST_TURNS && !self.c_block.has_ended() {
            turns += 1;
            nothing = if self.c_block.turn() { 0 } else { nothing + 1 };
        }
    }

    /// What is different, and should not be.
    pub(crate) fn wrong(&self, facts: &Facts) -> Vec<Word> {
        let mut all = words(&self.rust, &self.c, &self.calls);
        // They are no words of the protocol's, but the host reads them as well.
        let states = self.rust_block.states();
        let beside = self.c_block.states(states.len());
        let at = states.iter().zip(&beside).position(|(rust, c)| rust != c);
        let at = at.filter(|_| !facts.holds || self.options.limit == 1);
        all.extend(at.map(|at| Word {
            name: format!("state+{at}"),
            rust: states[at].into(),
            c: beside[at].into(),
        }));
        // Likewise of the actors that they are of.
        if self.options.keys != Keys::Dense && (!facts.holds || self.options.limit == 1) {
            let words = self.options.table_words();
            let (rust, c) = (self.rust_block.actors(words), self.c_block.actors(words));
            let words = rust.into_iter().zip(c).enumerate();
            all.extend(words.map(|(at, (rust, c))| Word { name: format!("actors+{at}"), rust, c }));
            for (name, offset) in [
                ("used", offset_of!(ActorCounts, used)),
                ("evicted", offset_of!(ActorCounts, evicted)),
                ("ended", offset_of!(ActorCounts, ended)),
            ] {
                let offset = self.options.layout.actors_offset() + offset;
                let [rust, c] = [&self.rust, &self.c].map(|side| side.word(offset));
                all.push(Word { name: format!("actors {name}"), rust, c });
            }
        }
        // Nor are these: they are for those who watch.
        let (rust, c) = (self.rust_block.at(), self.c_block.at());
        all.push(Word { name: "at.phase".into(), rust: rust.phase, c: c.phase });
        all.push(Word { name: "at.number".into(), rust: rust.number, c: c.number });
        // Several threads say the key of a single message only.
        if self.says_keys {
            all.push(Word { name: "at.key".into(), rust: rust.key, c: c.key });
        }
        // Nor how many messages they handled together.
        let together = RECORD + offset_of!(Record, together);
        all.retain(|word| {
            self.says_keys
                || !word.name.starts_with("records[")
                || !word.name.ends_with(&format!("+{together}"))
        });
        wrong(all, facts)
    }

    /// Counts the replies that have come to both.
    pub(crate) fn count_replies(&mut self, replied: &mut Replied) {
        self.calls.count(&self.rust, &self.c, replied);
    }

    /// Sets the command of both.
    pub(crate) fn command(&self, command: u32) {
        for side in [&self.rust, &self.c] {
            side.memory.command().store(command, annulus_sync::Ordering::Release);
        }
    }

    /// The host's time, for both.
    pub(crate) fn set_time(&self, now: u64) {
        crate::rust_block::set_time(now);
        self.c.memory.host_heartbeat().store(now, annulus_sync::Ordering::Relaxed);
    }
}
