//! A scene: kernels whose blocks run on threads of the host, beside a host that is C++, too. One program has all faults
//! that are planted in it; an argument says which of them is there.

use std::path::Path;

use annulus_abi::{
    kernel::{KernelLayout, KernelShape},
    launch::{BlockRecord, DoorbellRecord, LaunchRecord, LinkRecord, NO_LINE, scratch_bytes, timer_bytes},
    ring::Envelope,
};
use annulus_block::RUNTIME;
use annulus_conformance::{
    cuda,
    epoch::bytes_of,
    sanitizer::{self, compile, runs},
};
use annulus_kernel::{
    KernelDefinition, LANGUAGE_SOURCE, Target,
    device::{CUDA_PRELUDE, INTERFACE},
};
use annulus_macros::DeviceType;

/// A place in the runtime's text, and what stands there instead.
pub(crate) enum Change {
    /// Of statements that declare nothing, in front of this.
    Statements(&'static str, &'static str, &'static str),
    /// Of an expression, in front of this.
    Value(&'static str, &'static str, &'static str),
}

/// An answer is published before its header is written.
pub(crate) const HEADER_LATE: Change = Change::Statements(
    "    *ANN_U32(slot, 4) = kind << 24 | length;\n    /* SYNC: slot-published (release) */\n    \
                 ann_store_release_u32(ANN_U32(slot, 0), lap);\n",
    "    ann_store_release_u32(ANN_U32(slot, 0), lap);\n    dawdle(100);\n    \
                 *ANN_U32(slot, 4) = kind << 24 | length;\n",
    "",
);

/// Who ends leaves the calls and asks of the messages that it has not taken as they are.
pub(crate) const UNREAD_LEFT: Change = Change::Statements("    ann_end_unread(v, unread);\n", "", "");

/// A fault: its name, and what is changed in the text of which kernel.
pub(crate) type Fault = (&'static str, &'static [(usize, Change)]);

/// A kernel's program: the name of its namespace, its launch's macros, and what it is.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) macros: &'static str,
    pub(crate) definition: &'static KernelDefinition,
    /// How many microseconds its handler takes, of a `message`.
    pub(crate) takes: Option<&'static str>,
}

/// A kernel's memory.
pub(crate) struct Kernel {
    pub(crate) threads: u32,
    pub(crate) launch: LaunchRecord,
    /// The sizes of a message and of an output.
    pub(crate) sizes: [usize; 2],
    /// What the entry's pointers lead to. The fourth is the launch's record.
    pub(crate) arguments: Vec<Vec<u8>>,
}

/// A word of a kernel's argument that is the address of a place in one: kernel, argument, and offset, of both.
pub(crate) type Pointer = [[usize; 3]; 2];

/// The number of an entry's pointer: to the launch's record.
pub(crate) const LAUNCH: usize = 3;
/// To memory that kernels send to each other in, and to the records of links.
pub(crate) const HEAP: usize = 7;
pub(crate) const LINKS: usize = 8;

/// A scene, before it is compiled.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) programs: Vec<Program>,
    /// What the host does.
    pub(crate) host: &'static str,
    pub(crate) faults: &'static [Fault],
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) pointers: Vec<Pointer>,
}

/// How many seeds a run that should find nothing gets, and at most one that should find something.
const SEEDS: u32 = 10;
const SEEDS_TO_FIND: u32 = 200;

impl Scene {
    /// No fault is there, and nothing is found; and each fault is found.
    pub(crate) fn play(&self) {
        let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
        if !sanitizer::is_there(tmp) {
            return;
        }
        let folder = tmp.join("scenes").join(self.name);
        let program = compile(&folder, &self.text()).unwrap_or_else(|error| panic!("{error}"));
        let file = folder.join("memory");
        std::fs::write(&file, self.memory()).expect("the file can be written");
        (0..SEEDS)
            .try_for_each(|seed| run(&program, &file, seed, 0))
            .unwrap_or_else(|error| panic!("{error}"));
        let is_unseen = |(index, (name, _)): &(usize, &Fault)| {
            let found = |seed| {
                run(&program, &file, seed, index + 1).inspect_err(|error| {
                    println!("{name}: {}", error.lines().take(3).collect::<Vec<_>>().join(" "));
                })
            };
            (0..SEEDS_TO_FIND).all(|seed| found(seed).is_ok())
        };
        let unseen: Vec<_> = self.faults.iter().enumerate().filter(is_unseen).collect();
        let unseen: Vec<_> = unseen.iter().map(|(_, (name, _))| name).collect();
        assert!(unseen.is_empty(), "{unseen:?}");
    }

    /// The whole text. Each program is in a namespace, behind which its macros are unknown; those of the last one are
    /// the host's.
    fn text(&self) -> String {
        let mut text = "static u32 planted;\n".to_owned();
        for (kernel, program) in self.programs.iter().enumerate() {
            let own = self.program(kernel, program);
            text += &format!("namespace {} {{\n{own}\n}}\n", program.name);
            if kernel + 1 == self.programs.len() {
                break;
            }
            for line in own.lines().filter_map(|line| line.strip_prefix("#define ")) {
                let end = line.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(line.len());
                text += &format!("#undef {}\n", &line[..end]);
            }
        }
        let host = format!("{}\n{}", include_str!("../../src/cuda/scene.hpp"), self.host);
        cuda::on_threads(&text, &host).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The text of a program, with the faults of its kernel. Its blocks have memories of their own.
    fn program(&self, kernel: usize, program: &Program) -> String {
        let mut runtime = RUNTIME.to_owned();
        let mut replace = |from: &str, to: &str| {
            assert_eq!(runtime.matches(from).count(), 1, "{from}");
            runtime = runtime.replace(from, to);
        };
        replace(
            "ANN_KERNEL void ann_main(",
            "static ann_shared &ann_shared_of(u32 block)\n{\n    static ann_shared all[4];\n    return \
             all[block];\n}\n\nstatic void ann_main(",
        );
        replace(
            "    ANN_SHARED ann_shared shared;\n",
            "    ann_shared &shared = ann_shared_of(ann_block());\n",
        );
        if let Some(takes) = program.takes {
            let call = "    u32 code = ANN_CALL(cx, message, &state, outbox);\n";
            replace(call, &format!("    if ({takes})\n        usleep({takes});\n{call}"));
        }
        for (index, (_, changes)) in self.faults.iter().enumerate() {
            let is_planted = format!("planted == {}", index + 1);
            for (_, change) in changes.iter().filter(|(of, _)| *of == kernel) {
                match change {
                    Change::Statements(from, to, next) => {
                        let planted = format!("if ({is_planted}) {{\n{to}\n}} else {{\n{from}\n}}\n{next}");
                        replace(&format!("{from}{next}"), &planted);
                    }
                    Change::Value(from, to, next) => {
                        let planted = format!("({is_planted} ? ({to}) : ({from})){next}");
                        replace(&format!("{from}{next}"), &planted);
                    }
                }
            }
        }
        let handler = program.definition.handler_source(Target::Cuda).expect("it is lowered");
        // One thread waits for nobody.
        let barrier = "#define ann_barrier() __syncthreads()\n";
        assert!(CUDA_PRELUDE.contains(barrier));
        let alone = self.kernels[kernel].threads == 1;
        let prelude =
            CUDA_PRELUDE.replace(barrier, if alone { "#define ann_barrier() ((void)0)\n" } else { barrier });
        format!("{}\n{prelude}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{runtime}\n", program.macros)
    }

    /// What `scene.hpp` reads.
    fn memory(&self) -> Vec<u8> {
        let mut numbers = vec![self.kernels.len() as u64];
        let mut bytes = Vec::new();
        let put = |numbers: &mut Vec<u64>, bytes: &mut Vec<u8>| {
            bytes.extend(numbers.drain(..).flat_map(u64::to_ne_bytes));
        };
        for kernel in &self.kernels {
            let l = &kernel.launch;
            numbers.extend([l.grid.into(), kernel.threads.into(), l.shard_stride]);
            numbers.extend(kernel.sizes.map(|size| size as u64));
            numbers.extend([l.inbound, l.in_stride, l.in_payload, l.in_shift.into()]);
            numbers.extend([l.outbound, l.out_stride, l.out_payload, l.out_shift.into()]);
            numbers.extend([l.in_correlation, l.replies]);
            for argument in 0..10 {
                let argument = kernel.arguments.get(argument).map_or(&[][..], Vec::as_slice);
                numbers.push(argument.len() as u64);
                put(&mut numbers, &mut bytes);
                bytes.extend(argument);
            }
        }
        numbers.push(self.pointers.len() as u64);
        numbers.extend(self.pointers.iter().flatten().flatten().map(|&number| number as u64));
        put(&mut numbers, &mut bytes);
        bytes
    }
}

/// Runs the program once; gives what the sanitizer found, or what else went wrong.
fn run(program: &Path, file: &Path, seed: u32, planted: usize) -> Result<(), String> {
    let output = runs(program, 120)
        .arg(file)
        .args([seed.to_string(), planted.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() && output.stderr.is_empty() {
        return Ok(());
    }
    Err(format!("seed {seed}, {}: {}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// The arguments of an entry without the last ones, in memory that blocks have not seen yet: so many bytes of states for
/// all blocks.
pub(crate) fn arguments(launch: &LaunchRecord, states: usize, command: u32) -> Vec<Vec<u8>> {
    let blocks = launch.grid as usize;
    let shard = launch.shard_stride as usize;
    let mut shards = vec![0; shard * blocks];
    for block in 0..blocks {
        shards[block * shard..][..4].copy_from_slice(&command.to_ne_bytes());
    }
    // SAFETY: all zeros is what a record is before its first launch.
    let mut block: BlockRecord = unsafe { std::mem::zeroed() };
    block.telemetry = NO_LINE;
    block.epoch = 1;
    vec![
        shards,
        vec![0; 64],
        bytes_of(&block).repeat(blocks),
        bytes_of(launch).to_vec(),
        vec![0; states],
        vec![0; launch.scratch_stride as usize * blocks],
        vec![0; size_of::<DoorbellRecord>()],
    ]
}

/// A launch of a kernel that may be connected, with so many blocks of so many threads, which take up to `limit` messages
/// in a turn and never nap.
pub(crate) fn launch(
    definition: &KernelDefinition,
    layout: &KernelLayout,
    [blocks, threads, actors, limit, hold]: [u32; 5],
) -> LaunchRecord {
    let timers = definition
        .timers
        .map_or(0, |timers| timer_bytes(timers.room, timers.places(), definition.ask().is_some(), layout));
    LaunchRecord {
        actors: actors.into(),
        actors_per_block: actors.div_ceil(blocks).into(),
        scratch_stride: scratch_bytes(threads, limit, definition.max_outputs, layout, true, hold) + timers,
        grid: blocks,
        limit,
        credit: definition.max_outputs,
        idle_polls: u32::MAX,
        patience: u32::MAX,
        patience_polls: u32::MAX,
        ..LaunchRecord::of_layout(layout)
    }
}

/// A link to all blocks of a kernel with this launch and layout, whose memory is told by a [`Pointer`].
pub(crate) fn link(layout: &KernelLayout, blocks: u32) -> LinkRecord {
    let ring = layout.inbound;
    LinkRecord {
        stride: ring.bytes() as u64,
        slot_stride: ring.slot_stride as u32,
        stamp: ring.stamp_offset.unwrap_or(0) as u16,
        correlation: ring.correlation_offset.unwrap_or(0) as u32,
        payload: ring.payload_offset as u32,
        shift: ring.capacity.trailing_zeros(),
        grid: blocks,
        waits: 1,
        ..LinkRecord::default()
    }
}

/// What the actors of these kernels count.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Seen {
    pub(crate) count: u64,
}

/// The layout of a kernel's shards with rings of so many slots, inbound and outbound, whose messages carry these words.
pub(crate) fn layout(
    definition: &KernelDefinition,
    [inbound_capacity, outbound_capacity]: [u32; 2],
    envelope: Envelope,
) -> KernelLayout {
    let output = definition.output.expect("it sends");
    KernelLayout::new(&KernelShape {
        inbound_capacity,
        outbound_capacity,
        message: (definition.message.size, definition.message.align),
        output: (output.size, output.align),
        envelope,
        dead_letters_capacity: 0,
        prints_capacity: 0,
        print_words: 0,
        histogram: false,
        ports: definition.counted_places() as u32,
    })
}

/// Messages carry nothing.
pub(crate) const BARE: Envelope =
    Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false };
