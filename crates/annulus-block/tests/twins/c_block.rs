//! The block in C: its text, compiled by the C compiler of the host, and stepped.

use std::{
    collections::HashMap,
    ffi::c_void,
    hash::{DefaultHasher, Hash, Hasher},
    mem::offset_of,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use annulus_abi::{
    actors::words as table_words,
    kernel::KernelLayout,
    launch::{
        AskRecord, BlockRecord, DoorbellRecord, LaunchRecord, LinkRecord, NO_LINE, scratch_bytes, timer_bytes,
    },
    ring::RingHeader,
    vitals::At,
};
use annulus_block::{Keys, RUNTIME};
use annulus_kernel::{
    Inside, KernelDefinition, LANGUAGE_SOURCE, MOST_PEERS, Target,
    device::{INTERFACE, OPENCL_PRELUDE},
};
use libloading::Library;

use crate::{
    kernels::{ENTRIES, PEERS, graph, topic_entries},
    memory::{Place, Raw, Side},
    rust_block::{ANSWER, FIRST_ASKED, SEED},
    scene::exits,
};

/// What a program is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    pub(crate) definition: &'static KernelDefinition,
    pub(crate) threads: u32,
    pub(crate) connectable: bool,
    /// The variant that takes what is sent.
    pub(crate) variant: Option<usize>,
    /// Whether calls go through it.
    pub(crate) through: bool,
    /// Whether messages carry traces.
    pub(crate) traced: bool,
    pub(crate) hold: u32,
    /// Whether messages carry causal stamps.
    pub(crate) causal: bool,
    /// Whether its leader does by itself what is for one thread, as on CUDA.
    pub(crate) alone: bool,
    /// Whether its turns are as large as the queue is deep.
    pub(crate) adaptive: bool,
    /// Whether its turns are counted.
    pub(crate) counts_turns: bool,
    pub(crate) keys: Keys,
    /// Programs that differ in nothing else have block memories of their own. They are compiled once.
    pub(crate) copy: u32,
    /// A fault that is planted: what stands in place of what.
    pub(crate) fault: Option<(&'static str, &'static str)>,
}

/// What a program differs by from others.
type Key = (usize, u32, Option<usize>, u32, [bool; 9], u32, Option<(&'static str, &'static str)>);

type Twin = *mut c_void;

/// A compiled program.
pub(crate) struct Program {
    new: unsafe extern "C" fn(u32, *const *mut c_void) -> Twin,
    free: unsafe extern "C" fn(Twin),
    step: unsafe extern "C" fn(Twin) -> u32,
    found: unsafe extern "C" fn(Twin) -> u32,
    taken: unsafe extern "C" fn(Twin) -> u32,
    has_work: unsafe extern "C" fn(Twin) -> u32,
    pending: unsafe extern "C" fn(Twin, *mut u32, *mut u32),
    looked_waiting: unsafe extern "C" fn(Twin) -> u32,
    _library: Library,
}

impl Text {
    /// The whole text of the program: that of a device program, between what makes OpenCL C of the host's C
    /// and what steps it.
    fn write(&self) -> String {
        let mut runtime = RUNTIME.to_owned();
        if let Some((from, to)) = self.fault {
            assert_eq!(runtime.matches(from).count(), 1, "the fault's place is found once: {from}");
            runtime = runtime.replace(from, to);
        }
        // Turns are counted where they begin.
        let loops = "/* The block: what the leader of several threads does by itself";
        assert_eq!(runtime.matches(loops).count(), 1, "the loops stand behind this");
        let hook = "static void twin_turn(const ann_view *v);\n\
                    #define ann_begin_turn(view) (twin_turn(view), ann_begin_turn(view))\n";
        let runtime = runtime.replace(loops, &format!("{hook}{loops}"));
        let handler = self.definition.handler_source(Target::OpenCl).expect("it is lowered");
        let [linked, alone, adaptive, counts] =
            [self.connectable, self.alone, self.adaptive, self.counts_turns].map(u32::from);
        let variants = if self.variant.is_some() { "\n#define ANN_LAUNCH_VARIANTS 1" } else { "" };
        [
            &format!(
                "#define ANN_LAUNCH_THREADS {}\n#define ANN_LAUNCH_CONNECTABLE {linked}\n\
                 #define ANN_INDEPENDENT {alone}\n#define ANN_LAUNCH_ADAPTIVE {adaptive}\n\
                 #define ANN_LAUNCH_COUNTS_TURNS {counts}\n#define ANN_LAUNCH_PORTABLE 1{variants}\n{}{}{}{}{}{}",
                self.threads,
                if self.through { "#define ANN_LAUNCH_THROUGH 1\n" } else { "" },
                if self.traced { "#define ANN_LAUNCH_TRACED 1\n" } else { "" },
                format_args!("#define ANN_LAUNCH_HOLD {}\n", self.hold),
                if self.causal { "#define ANN_LAUNCH_CAUSAL 1\n" } else { "" },
                if self.is_sparse() { "#define ANN_LAUNCH_SPARSE 1\n" } else { "" },
                if self.evicts() { "#define ANN_LAUNCH_EVICTS 1\n" } else { "" },
            ),
            include_str!("c/shim.c"),
            OPENCL_PRELUDE,
            include_str!("c/hooks.c"),
            INTERFACE,
            LANGUAGE_SOURCE,
            &handler,
            &runtime,
            include_str!("c/driver.c"),
        ]
        .join("\n")
    }

    fn is_sparse(&self) -> bool {
        self.keys != Keys::Dense
    }

    fn evicts(&self) -> bool {
        self.keys == Keys::Sparse { evicts: true }
    }

    fn key(&self) -> Key {
        let &Self { threads, connectable, through, traced, hold, causal, alone, adaptive, .. } = self;
        let (sparse, evicts) = (self.is_sparse(), self.evicts());
        let flags =
            [connectable, through, traced, causal, alone, adaptive, self.counts_turns, sparse, evicts];
        (
            std::ptr::from_ref(self.definition) as usize,
            threads,
            self.variant,
            hold,
            flags,
            self.copy,
            self.fault,
        )
    }

    /// The program, compiled unless it was before.
    pub(crate) fn program(&self) -> Arc<Program> {
        static PROGRAMS: OnceLock<Mutex<HashMap<Key, Arc<Program>>>> = OnceLock::new();
        let key = self.key();
        let programs = PROGRAMS.get_or_init(Mutex::default);
        let found = programs.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(program) = found {
            return program;
        }
        let library = compile(&self.write(), self.fault.is_some());
        let program = Arc::new(if self.copy == 0 {
            Program::load(&library)
        } else {
            // The system loads a file once, and a name once, so its memory would be shared.
            let own = own_folder();
            let name = library.file_name().expect("it has one").to_string_lossy();
            let copy = own.join(format!("{}-{name}", self.copy));
            std::fs::copy(&library, &copy).expect("the file can be copied");
            let program = Program::load(&copy);
            let _ = std::fs::remove_dir_all(&own);
            program
        });
        let mut programs = programs.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(programs.entry(key).or_insert(program))
    }
}

const OPTIONS: &[&str] = &[
    "-std=gnu11",
    "-fPIC",
    "-shared",
    "-fsigned-char",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-Wall",
    "-Wno-unknown-pragmas",
    "-Wno-unused",
    "-Wno-attributes",
    "-Wno-maybe-uninitialized",
    "-Wno-div-by-zero",
];
const CHECKED: &[&str] = &["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"];

/// Where compiled programs are kept.
fn folder() -> PathBuf {
    let cache = std::env::var_os("ANNULUS_TEST_CACHE").filter(|cache| !cache.is_empty());
    cache.map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from).join("twins")
}

/// A folder in it for the thread that calls this, which removes it.
fn own_folder() -> PathBuf {
    let thread = format!("{}-{:?}", std::process::id(), std::thread::current().id());
    let own = folder().join(thread.replace(['(', ')'], ""));
    std::fs::create_dir_all(&own).expect("the folder can be made");
    own
}

/// Compiles a text to a shared object, unless the same lies there. What C leaves undefined is a trap, but in a
/// fault's program. Programs run for moments: they are compiled fast, and optimised in a long run only.
fn compile(text: &str, is_faulty: bool) -> PathBuf {
    let checked = if is_faulty { &[][..] } else { CHECKED };
    let is_long = !is_faulty && std::env::var_os("ANNULUS_LONG").is_some();
    let level = if is_long { "-O1" } else { "-O0" };
    let version = Command::new("cc").arg("-v").output().expect("the C compiler `cc` starts").stderr;
    let mut hasher = DefaultHasher::new();
    (text, OPTIONS, checked, level, version).hash(&mut hasher);
    let library = folder().join(format!("{:016x}.so", hasher.finish()));
    if library.exists() {
        return library;
    }
    let own = own_folder();
    std::fs::write(own.join("program.c"), text).expect("the file can be written");
    let output = Command::new("cc")
        .args(OPTIONS)
        .args(checked)
        .arg(level)
        .arg("-o")
        .args([own.join("program.so"), own.join("program.c")])
        .arg("-lm")
        .output()
        .expect("the C compiler `cc` starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{}: {said}", own.display());
    std::fs::rename(own.join("program.so"), &library).expect("the file can be moved");
    let _ = std::fs::remove_dir_all(&own);
    library
}

impl Program {
    fn load(path: &Path) -> Self {
        // SAFETY: it was compiled from the text above, and runs nothing when it is loaded.
        let library = unsafe { Library::new(path) }.expect("it was compiled");
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: `driver.c` has a function of this type under this name.
                *unsafe { library.get($name) }.expect("`driver.c` has it")
            };
        }
        Self {
            new: function!(b"twin_new"),
            free: function!(b"twin_free"),
            step: function!(b"twin_step"),
            found: function!(b"twin_found"),
            taken: function!(b"twin_taken"),
            has_work: function!(b"twin_has_work"),
            pending: function!(b"twin_held"),
            looked_waiting: function!(b"twin_looked_waiting"),
            _library: library,
        }
    }
}

/// Rings between kernels, one behind the other, and the ticket that they begin with.
pub(crate) struct Exchange {
    memory: Raw,
    stride: usize,
    kernels: usize,
    first: u32,
}

impl Exchange {
    /// One ring for each of so many kernels of this layout.
    pub(crate) fn new(layout: &KernelLayout, kernels: usize, first: u32) -> Self {
        let asks = layout.landings.map_or(0, |ring| ring.capacity as usize / 2 * ring.slot_stride);
        let stride = layout.inbound.open().bytes() + asks;
        // Behind them lies one that is closed, for what is for nobody.
        let memory = Raw::new(stride * (kernels + 1));
        memory.set(stride * kernels + offset_of!(RingHeader, reserved), !(u32::MAX >> 1));
        for kernel in 0..kernels {
            for word in [offset_of!(RingHeader, reserved), offset_of!(RingHeader, consumed)] {
                memory.set(kernel * stride + word, first);
            }
        }
        Self { memory, stride, kernels, first }
    }

    /// A word of what a kernel has answered to others.
    pub(crate) fn answer(&self, kernel: usize, layout: &KernelLayout, place: u32, word: usize) -> u32 {
        let landings = layout.landings.expect("it answers");
        let slot = place as usize * landings.slot_stride + word * size_of::<u32>();
        self.memory.get(kernel * self.stride + layout.inbound.open().bytes() + slot)
    }

    /// Tickets of a kernel's ring that were given out, and given back.
    pub(crate) fn counts(&self, kernel: usize) -> (u64, u64) {
        let count = |offset| {
            let word: u32 = self.memory.get(kernel * self.stride + offset);
            // The last bit closes the ring.
            u64::from(word.wrapping_sub(self.first) & (u32::MAX >> 1))
        };
        (count(offset_of!(RingHeader, reserved)), count(offset_of!(RingHeader, consumed)))
    }
}

/// How a block is launched.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) text: Text,
    pub(crate) place: Place,
    pub(crate) actors: u32,
    pub(crate) limit: u32,
    pub(crate) exchange: Option<(Arc<Exchange>, usize)>,
}

/// The block of a shard, in C.
pub(crate) struct CBlock {
    program: Arc<Program>,
    twin: Twin,
    doorbell: Raw,
    link: Raw,
    /// The states of all blocks, and what those of one take.
    states: Raw,
    states_bytes: usize,
    /// Where the tables of actors begin behind them, and the bytes of one.
    tables: (usize, usize),
    place: Place,
    exchange: Option<(Arc<Exchange>, usize)>,
    /// Where what it sends lies in the message that takes it.
    inside: Option<Inside>,
    /// What it sends says whom it is for.
    knows_peers: bool,
    /// What it sends goes to the host as long as the first place has no kernel.
    leaves_all: bool,
    /// If its handler asks, how many outboxes it has.
    asks: Option<usize>,
    has_ended: bool,
    records: Raw,
    /// What the entry's other pointers lead to.
    _memory: [Raw; 3],
}

impl CBlock {
    /// The block of a side whose states are these.
    pub(crate) fn new(side: &Side, launch: &Launch, states: &[u8]) -> Self {
        let Launch { text, place, actors, limit, exchange } = launch.clone();
        let layout = side.memory.layout();
        let blocks = place.grid as usize;
        let per_block = u64::from(actors.div_ceil(place.grid));
        let record = record(layout, &text, place, actors, limit, exchange.as_ref());
        let launch = Raw::new(size_of::<LaunchRecord>());
        launch.set(0, record);
        let records = Raw::new(size_of::<BlockRecord>() * blocks);
        let own = size_of::<BlockRecord>() * place.block as usize;
        records.set(own + offset_of!(BlockRecord, epoch), 1u32);
        let line = side.memory.telemetry().map_or(NO_LINE, |line| line.place().offset as u64);
        records.set(own + offset_of!(BlockRecord, telemetry), line);
        let size = text.definition.state.definition().map_or(0, |state| state.ty.size);
        let states_bytes = size * per_block as usize;
        // Behind the states of all blocks one as it begins, if actors go; and tables.
        let exits = exits(text.definition, text.keys);
        let first = if exits.any() { size } else { 0 };
        let table = if text.is_sparse() { 8 * table_words(per_block, exits) as usize } else { 0 };
        let tables = ((states_bytes * blocks + first).next_multiple_of(16), table);
        let all = Raw::new(tables.0 + tables.1 * blocks);
        if let (true, Some(state)) = (exits.any(), text.definition.state.definition()) {
            // SAFETY: the memory has room for one there, and is as aligned as a row of them.
            unsafe { (state.init)(all.at::<u8>(states_bytes * blocks)) };
        }
        for (at, byte) in states.iter().enumerate() {
            all.set(states_bytes * place.block as usize + at, *byte);
        }
        let scratch = Raw::new(record.scratch_stride as usize * blocks);
        let doorbell = Raw::new(size_of::<DoorbellRecord>());
        let places = text.definition.places();
        let table = (size_of::<LinkRecord>() + size_of::<u64>()) * places;
        let way = (1 + ENTRIES) * size_of::<u64>();
        let link = Raw::new(table + way.max(size_of::<AskRecord>()));
        let entries = [ENTRIES as u64].into_iter().chain(topic_entries());
        for (index, entry) in entries.enumerate().filter(|_| text.definition.peers.is_some()) {
            link.set(table + index * size_of::<u64>(), entry);
        }
        let program = text.program();
        let inside = text.variant.and_then(|variant| Inside::of(text.definition.message, variant));
        let exchanged = exchange.as_ref().map_or(std::ptr::null_mut(), |(rings, _)| rings.memory.at(0));
        let words = graph().words();
        let rows = Raw::new(size_of_val(&*words));
        words.iter().enumerate().for_each(|(index, word)| rows.set(index * size_of::<u32>(), *word));
        let arguments: [*mut c_void; 10] = [
            side.shards.at(0),
            side.arena.at(0),
            records.at(0),
            launch.at(0),
            all.at(0),
            scratch.at(0),
            doorbell.at(0),
            exchanged,
            link.at(0),
            rows.at(0),
        ];
        // SAFETY: the memory is what the entry's parameters want, and is freed after the block.
        let twin = unsafe { (program.new)(place.block, arguments.as_ptr()) };
        Self {
            program,
            twin,
            doorbell,
            link,
            states: all,
            states_bytes,
            tables,
            place,
            exchange,
            inside,
            knows_peers: text.definition.peers.is_some(),
            leaves_all: text.definition.peers.is_some(),
            asks: text.definition.ask().map(|_| places),
            has_ended: false,
            records,
            _memory: [launch, scratch, rows],
        }
    }

    /// Takes a turn; says whether it found something.
    pub(crate) fn turn(&mut self) -> bool {
        if self.has_ended {
            return false;
        }
        // SAFETY: the block's memory lives, and has no other user now; the block has not ended.
        self.has_ended = unsafe { (self.program.step)(self.twin) } == 0;
        // SAFETY: as above; what a turn found stays to be seen.
        self.has_ended || unsafe { (self.program.found)(self.twin) } != 0
    }

    /// What it says that it is at.
    pub(crate) fn at(&self) -> At {
        let own = size_of::<BlockRecord>() * self.place.block as usize;
        let word = |offset| self.records.get::<u64>(own + offset);
        At::of_words(word(offset_of!(BlockRecord, at)), word(offset_of!(BlockRecord, key)))
    }

    /// Messages that the last turn took. The host may be told of them later.
    pub(crate) fn taken(&self) -> u32 {
        // SAFETY: as for `turn`.
        unsafe { (self.program.taken)(self.twin) }
    }

    pub(crate) fn has_work(&self) -> bool {
        // SAFETY: as for `turn`.
        !self.has_ended && unsafe { (self.program.has_work)(self.twin) } != 0
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Outputs that are on their way to another kernel: of how many, and how many have not gone.
    pub(crate) fn pending(&self) -> (u32, u32) {
        let (mut all, mut left) = (0, 0);
        if !self.has_ended {
            // SAFETY: as for `turn`, and two words to write.
            unsafe { (self.program.pending)(self.twin, &raw mut all, &raw mut left) };
        }
        (all, left)
    }

    /// How often it published something for another kernel while it looked as if it waited.
    pub(crate) fn looked_waiting(&self) -> u32 {
        // SAFETY: as for `turn`.
        unsafe { (self.program.looked_waiting)(self.twin) }
    }

    /// What of the host's is to be woken from now on; says whether it was woken since.
    pub(crate) fn listen(&self, to: u32) -> bool {
        let rung: u32 = self.doorbell.get(offset_of!(DoorbellRecord, rung));
        self.doorbell.set(offset_of!(DoorbellRecord, rung), 0u32);
        self.doorbell.set(offset_of!(DoorbellRecord, asleep), to);
        rung != 0
    }

    /// The states of the block's actors, so many bytes.
    pub(crate) fn states(&self, bytes: usize) -> Vec<u8> {
        self.states.bytes(self.states_bytes * self.place.block as usize, bytes)
    }

    /// The table of its actors, of so many words.
    pub(crate) fn actors(&self, words: usize) -> Vec<u64> {
        let (first, bytes) = self.tables;
        assert_eq!(8 * words, bytes, "as many as it has");
        let own = first + bytes * self.place.block as usize;
        (0..words).map(|word| self.states.get(own + 8 * word)).collect()
    }

    /// Where outputs of an outbox go: to a kernel of this layout, by its number in the exchange.
    pub(crate) fn connect(&self, outbox: usize, target: Option<usize>, layout: &KernelLayout, waits: bool) {
        let (exchange, _) = self.exchange.as_ref().expect("only linked blocks are connected");
        let word = |offset: Option<usize>| offset.unwrap_or(0) as u64;
        if let (Some(records), Some(landings)) = (self.asks, layout.landings) {
            let record = target.map_or_else(AskRecord::default, |kernel| AskRecord {
                landings: (kernel * exchange.stride + layout.inbound.open().bytes()) as u64,
                stride: landings.slot_stride as u64,
                payload: (landings.payload_offset + ANSWER) as u32,
                first: FIRST_ASKED,
                stamp: word(landings.stamp_offset) as u32,
                ..AskRecord::default()
            });
            self.link.set(records * size_of::<LinkRecord>(), record);
        }
        let layout = layout.inbound.open();
        let of = self.inside;
        if self.knows_peers {
            let places = MOST_PEERS + 1;
            let addresses = places * size_of::<LinkRecord>();
            let address = target.map_or(0, |_| PEERS + outbox as u64);
            self.link.set(addresses + outbox * size_of::<u64>(), address);
            let nobody = LinkRecord {
                rings: (exchange.kernels * exchange.stride) as u64,
                grid: 1,
                ..LinkRecord::default()
            };
            let nobody = if self.leaves_all && outbox == 0 && target.is_none() {
                // Nobody is connected as long as any kernel is.
                for place in 0..MOST_PEERS {
                    self.link.set(place * size_of::<LinkRecord>(), LinkRecord::default());
                    self.link.set(addresses + place * size_of::<u64>(), 0u64);
                }
                LinkRecord::default()
            } else {
                nobody
            };
            self.link.set(MOST_PEERS * size_of::<LinkRecord>(), nobody);
        }
        self.link.set(
            outbox * size_of::<LinkRecord>(),
            match target {
                None => LinkRecord::default(),
                Some(kernel) => LinkRecord {
                    rings: (kernel * exchange.stride) as u64,
                    stride: layout.bytes() as u64,
                    slot_stride: layout.slot_stride as u32,
                    units: 0,
                    stamp: word(layout.stamp_offset) as u16,
                    time: word(layout.enqueue_time_offset) as u32,
                    trace: word(layout.trace_offset) as u32,
                    correlation: word(layout.correlation_offset) as u32,
                    bytes: of.map_or(0, |of| of.whole as u32),
                    payload: (layout.payload_offset + of.map_or(0, |of| of.offset)) as u32,
                    tag_place: of.map_or(0, |_| layout.payload_offset as u16),
                    tag_bytes: of.map_or(0, |of| of.tag_bytes as u16),
                    shift: layout.capacity.trailing_zeros(),
                    grid: 1,
                    waits: waits.into(),
                    tag: of.map_or(0, |of| of.tag),
                },
            },
        );
    }
}

impl Drop for CBlock {
    fn drop(&mut self) {
        // SAFETY: it is used no more.
        unsafe { (self.program.free)(self.twin) };
    }
}

/// What the launch fixes. The block stays, and its looks count as no nap.
fn record(
    layout: &KernelLayout,
    text: &Text,
    place: Place,
    actors: u32,
    limit: u32,
    exchange: Option<&(Arc<Exchange>, usize)>,
) -> LaunchRecord {
    let definition = text.definition;
    LaunchRecord {
        actors: actors.into(),
        actors_per_block: actors.div_ceil(place.grid).into(),
        scratch_stride: scratch_bytes(
            text.threads,
            limit,
            definition.max_outputs,
            layout,
            text.connectable,
            text.hold,
        ) + definition.timers.map_or(0, |timers| {
            timer_bytes(timers.room, timers.places(), definition.ask().is_some(), layout)
        }),
        device_local: exchange.map_or(0, |(rings, kernel)| (kernel * rings.stride) as u64),
        device_local_first: exchange.map_or(0, |(rings, _)| rings.first),
        grid: place.grid,
        limit,
        credit: definition.max_outputs,
        idle_polls: 64,
        patience: u32::MAX,
        patience_polls: u32::MAX,
        trace_seed: SEED,
        ..LaunchRecord::of_layout(layout)
    }
}
