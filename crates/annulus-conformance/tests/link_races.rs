//! Blocks of several threads that send to each other, on threads of the host, compiled with its compiler's
//! thread sanitizer. Beside them a host sends tokens that are handed on from block to block, and waits until
//! everything is drained, by the scan of `annulus_runtime`'s links. So do blocks of one thread that send by two
//! outboxes. Faults that are planted must be found: by
//! the sanitizer, or by a host that finds the kernel drained too early, or never.
#![cfg(target_os = "linux")]

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{
    mem::offset_of,
    path::{Path, PathBuf},
};

use annulus_abi::{
    control::{ControlBlock, command, state},
    kernel::{KernelLayout, KernelShape},
    launch::{BlockRecord, DoorbellRecord, LaunchRecord, LinkRecord, NO_LINE, scratch_bytes},
    ring::Envelope,
};
use annulus_block::RUNTIME;
use annulus_conformance::{
    cuda,
    epoch::bytes_of,
    sanitizer::{self, compile, runs},
};
use annulus_kernel::{
    KernelDefinition, LANGUAGE_SOURCE, RingKernel, Target,
    device::{CUDA_PRELUDE, INTERFACE},
};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::Outbox;

const BLOCKS: usize = 3;
const THREADS: u32 = 2;
const ACTORS: u32 = 2 * BLOCKS as u32;
const CAPACITY: u32 = 8;
/// So many tokens at once: more than a ring holds, and fewer than all of them do, so that blocks wait for
/// each other, and never in a circle.
const TOKENS: u64 = 21;
const ROUNDS: u64 = 9;
/// The same where all blocks send to one ring, which one of them could not wait for: fewer than it holds.
const TOKENS_TO_ONE: u64 = 7;
/// Messages in a turn, at most: with an odd seed 1.
const LIMIT: u32 = 4;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Token {
    #[ring(key)]
    key: u32,
    /// How often it is still handed on.
    left: u32,
    /// Not 0: each time together with a copy.
    copies: u32,
    /// Not 0: its handler takes long.
    takes_long: u32,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
struct Seen {
    count: u64,
}

/// Hands a token on to the next actor, which is another block's; together with a copy that goes no further,
/// if it is told to.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
fn hand_on(token: &Token, seen: &mut Seen, out: &Outbox<Token>) {
    seen.count += 1;
    if token.left != 0 {
        let key = (token.key + 1) % 6;
        out.send(Token { key, left: token.left - 1, copies: token.copies, takes_long: 0 });
        if token.copies != 0 {
            out.send(Token { key, left: 0, copies: 0, takes_long: token.left / 2 });
        }
    }
}

/// The same by two outboxes, both of which lead to the same blocks.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs(on = 1, copies = 1))]
fn hand_on_by_two(token: &Token, seen: &mut Seen, on: &Outbox<Token>, copies: &Outbox<Token>) {
    seen.count += 1;
    if token.left != 0 {
        let key = (token.key + 1) % 6;
        if token.copies != 0 {
            copies.send(Token { key, left: 0, copies: 0, takes_long: token.left / 2 });
        }
        on.send(Token { key, left: token.left - 1, copies: token.copies, takes_long: 0 });
    }
}

/// What blocks are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Open,
    Sealed,
    /// One thread and two outboxes.
    ByTwo,
    /// Several threads and two outboxes.
    SealedByTwo,
    /// All blocks send to the first one, as to a kernel of one block.
    SealedToOne,
    /// Each block is a warp, whose threads look for work together.
    SealedByWarp,
}

impl Form {
    fn threads(self) -> u32 {
        match self {
            Self::ByTwo => 1,
            Self::SealedByWarp => 32,
            Self::Open | Self::Sealed | Self::SealedByTwo | Self::SealedToOne => THREADS,
        }
    }

    fn definition(self) -> &'static KernelDefinition {
        match self {
            Self::ByTwo | Self::SealedByTwo => hand_on_by_two::DEFINITION,
            Self::Open | Self::Sealed | Self::SealedToOne | Self::SealedByWarp => hand_on::DEFINITION,
        }
    }

    fn is_sealed(self) -> bool {
        !matches!(self, Self::Open | Self::ByTwo)
    }

    fn tokens(self) -> u64 {
        if self == Self::SealedToOne { TOKENS_TO_ONE } else { TOKENS }
    }

    /// Blocks that outputs go to.
    fn targets(self) -> u32 {
        if self == Self::SealedToOne { 1 } else { BLOCKS as u32 }
    }
}

/// A fault: its name, and what stands in place of what.
type Fault = (&'static str, &'static [(&'static str, &'static str)]);

const FAULTS: &[Fault] = &[
    (
        "a block that has said that it rests sends, and does not take it back",
        &[(
            "            ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), b->rested);\n",
            "            b->rested += 1;\n",
        )],
    ),
    (
        "a block says that it rests before it has told what it sent on",
        &[
            (
                "ANN_CONTROL_TAKEN), s->taken);\n\
                 #if defined(ANN_OUTPUT) && defined(ANN_ROWS)\n    ann_store_copies(v);\n\
                 #elif defined(ANN_OUTPUT) && defined(ANN_PORTS)\n    ann_store_ports(v);\n#endif\n    \
                 ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), s->forwarded);\n",
                "ANN_CONTROL_TAKEN), s->taken);\n",
            ),
            (
                "#if ANN_LAUNCH_CONNECTABLE && ANN_DEFERS\n    ann_rest(v);\n",
                "#if ANN_LAUNCH_CONNECTABLE && ANN_DEFERS\n    ann_rest(v);\n    dawdle(2000);\n    \
                 ann_store_release_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), v->shared->state.forwarded);\n",
            ),
        ],
    ),
    (
        "a slot between kernels is given back before its message is brought",
        &[(
            "    GLOBAL const u8 *slot = ann_turn_slot(v, 0);\n    u32 lines",
            "    GLOBAL const u8 *slot = ann_turn_slot(v, 0);\n    if (ann_is_device_local(v)) {\n        \
             ann_device_store_release_u32(\n            ANN_U32(v->device_local, ANN_DEVICE_LOCAL_CONSUMED), \
             (ann_device_local_next(v) + 1) & ANN_DEVICE_LOCAL_TICKETS);\n        dawdle(300);\n    }\n    u32 lines",
        )],
    ),
    (
        "the leader takes a message of another kernel without acquire",
        &[("ann_device_load_acquire_u32(commit) != lap", "ann_device_load_relaxed_u32(commit) != lap")],
    ),
    (
        "the leader publishes an output without release",
        &[(
            "        ann_device_fence_release();\n        for (u32 i = 0; i < granted; i++)\n            ann_device_local_commit(",
            "        for (u32 i = 0; i < granted; i++)\n            ann_device_local_commit(",
        )],
    ),
    (
        "an output is published before it is written",
        &[(
            "            if (ANN_OUTPUT_BYTES != 0)\n                *(GLOBAL ANN_OUTPUT *)(slot + b->link.payload)",
            "            ann_device_local_commit(l, slot, first + i);\n            dawdle(100);\n            \
             if (ANN_OUTPUT_BYTES != 0)\n                *(GLOBAL ANN_OUTPUT *)(slot + b->link.payload)",
        )],
    ),
    (
        "slots of another kernel are taken for free without acquire",
        &[(
            "    seen.consumed = ann_device_load_acquire_u32(",
            "    seen.consumed = ann_device_load_relaxed_u32(",
        )],
    ),
];

/// The same in what is there for sealed slots alone.
const SEALED_FAULTS: &[Fault] = &[
    (
        "a leader that watches takes a message of another kernel with units missing",
        &[(
            "        others |= loaded->units[i].lap ^ lap;",
            "        others |= is_near && i != 0 ? 0 : loaded->units[i].lap ^ lap;",
        )],
    ),
    (
        "all threads take a message of another kernel with units missing",
        &[(
            "            if (loaded[j].lap != lap) {\n",
            "            if (loaded[j].lap != lap && !(is_near && at.unit != 0)) {\n",
        )],
    ),
    (
        "a unit has its lap before its content",
        &[(
            "        if (is_near) {\n            ann_device_store_unit(slot",
            "        if (is_near) {\n            ann_device_store_unit(slot + i * 16, 0, ANN_KIND_MESSAGE << 24, 0, lap);\n            \
             dawdle(300);\n            ann_device_store_unit(slot",
        )],
    ),
    // The leader's look has loaded the first message. So others need the time to fill the ring, up to the one behind it.
    (
        "slots between kernels are given back before their units are loaded",
        &[(
            "    if (ann_is_device_local(v))\n        ann_bring_units(v, 1);\n",
            "    if (ann_is_device_local(v)) {\n        if (ann_thread() == 0 && ann_block() == 0)\n            ann_device_store_release_u32(\n                \
             ANN_U32(v->device_local, ANN_DEVICE_LOCAL_CONSUMED),\n                (ann_device_local_next(v) + \
             v->shared->window) & ANN_DEVICE_LOCAL_TICKETS);\n        for (u32 i = 0; ann_block() == 0 && v->shared->window > 1 && i < 300; i++) {\n            \
             u32 reserved = ann_device_load_relaxed_u32(ANN_U32(v->device_local, ANN_DEVICE_LOCAL_RESERVED));\n            \
             if (((reserved - ann_device_local_next(v)) & ANN_DEVICE_LOCAL_TICKETS) > (1u << v->shared->launch.in_shift) + 1)\n                \
             i = 300;\n            usleep(1000);\n        }\n        \
             ann_bring_units(v, 1);\n    }\n",
        )],
    ),
    (
        "a sender does not look how far a sealed ring was read",
        &[
            (
                "    seen.consumed = ann_device_load_acquire_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_CONSUMED));\n",
                "    seen.consumed = seen.reserved & ANN_DEVICE_LOCAL_TICKETS;\n",
            ),
            (
                "    b->tickets.reserved = (ticket + 1) & ANN_DEVICE_LOCAL_TICKETS;\n",
                "    b->tickets.reserved = (ticket + 1) & ANN_DEVICE_LOCAL_TICKETS;\n    b->tickets.consumed = b->tickets.reserved;\n",
            ),
        ],
    ),
    (
        "a leader that is ready takes a message while outputs wait for another kernel",
        &[
            ("    ready = ready && s->pending == 0;\n", ""),
            ("(w->known & ANN_ACTIVE) != 0 && s->pending == 0;", "(w->known & ANN_ACTIVE) != 0;"),
        ],
    ),
];

/// The same in what the threads of a warp do that look together.
const WARP_FAULTS: &[Fault] = &[
    (
        "a warp takes a message of another kernel with units missing",
        &[(
            "ann_all_of_warp(thread_index >= units || ",
            "ann_all_of_warp(thread_index >= units || (is_near && thread_index != 0) || ",
        )],
    ),
    (
        "the leader takes a message of another kernel before others have kept its units",
        &[("ann_look_in_a_row(v);\n            ann_meet_lookers();\n", "ann_look_in_a_row(v);\n")],
    ),
];

/// The same in what a leader does that sends a single output to a kernel of one block.
const FAULTS_TO_ONE: &[Fault] = &[(
    "a single output's units are stored before its ticket is known to be the block's",
    &[(
        "    GLOBAL u8 *slot = ann_device_local_slot(&link, ring, ticket);\n    if (found != ticket)\n",
        "    GLOBAL u8 *slot = ann_device_local_slot(&link, ring, ticket);\n    ann_store_image(\n        slot, words, link.units, \
                 ann_device_local_lap(&link, ticket), 1);\n    if (found != ticket)\n",
    )],
)];

/// The same in what one thread does that sends by several outboxes.
const FAULTS_BY_TWO: &[Fault] = &[
    (
        "a row is published without release",
        &[(
            "        k += 1;\n    }\n    /* SYNC: device-local-published (release) */\n    ann_device_fence_release();\n    \
             for (u32 i = 0; i < granted; i++)",
            "        k += 1;\n    }\n    for (u32 i = 0; i < granted; i++)",
        )],
    ),
    (
        "an output of a row is published before it is written",
        &[(
            "        for (u32 at = 0; at < ANN_PORT_BYTES(number); at += 8)\n",
            "        ann_device_local_commit(l, slot, first + i);\n        dawdle(100);\n        \
             for (u32 at = 0; at < ANN_PORT_BYTES(number); at += 8)\n",
        )],
    ),
    (
        "what went by an outbox is counted after it was published",
        &[
            (
                "    ann_count_forwarded(v, granted);\n    for (u32 i = 0; i < granted; i++) {\n        k =",
                "    for (u32 i = 0; i < granted; i++) {\n        k =",
            ),
            (
                "first + i), first + i);\n    v->shared->granted += granted;\n    return k;",
                "first + i), first + i);\n    usleep(3000);\n    ann_count_forwarded(v, granted);\n    \
                 v->shared->granted += granted;\n    return k;",
            ),
        ],
    ),
];

/// The program, with one of the faults. Its blocks have memories of their own, and some handlers take long.
fn text(form: Form, fault: Option<&Fault>) -> String {
    let handler = form.definition().handler_source(Target::Cuda).unwrap();
    let mut runtime = RUNTIME.to_owned();
    for (from, to) in [
        (
            "ANN_KERNEL void ann_main(",
            "static ann_shared &ann_shared_of(u32 block)\n{\n    static ann_shared all[4];\n    return \
             all[block];\n}\n\nANN_KERNEL void ann_main(",
        ),
        ("    ANN_SHARED ann_shared shared;\n", "    ann_shared &shared = ann_shared_of(ann_block());\n"),
        (
            "    u32 code = ANN_CALL(cx, message, &state, outbox);\n",
            "    if (message->takes_long)\n        usleep(4000);\n    u32 code = ANN_CALL(cx, message, &state, outbox);\n",
        ),
    ]
    .iter()
    .chain(fault.map_or(&[][..], |(_, changes)| changes))
    {
        assert_eq!(runtime.matches(from).count(), 1, "{from}");
        runtime = runtime.replace(from, to);
    }
    let (threads, sealed) = (form.threads(), u32::from(form.is_sealed()));
    let program = format!(
        "#define ANN_LAUNCH_THREADS {threads}\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n\
         #define ANN_LAUNCH_SEALED {sealed}\n#define ANN_LAUNCH_SEALS {sealed}\n{CUDA_PRELUDE}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{runtime}\n"
    );
    cuda::on_threads(&program, include_str!("../src/cuda/links.cpp")).unwrap()
}

fn layout(form: Form) -> KernelLayout {
    let output = form.definition().output.expect("it sends");
    let layout = KernelLayout::new(&KernelShape {
        inbound_capacity: CAPACITY,
        outbound_capacity: 16,
        message: (size_of::<Token>(), align_of::<Token>()),
        output: (output.size, output.align),
        envelope: Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false },
        dead_letters_capacity: 0,
        prints_capacity: 0,
        print_words: 0,
        histogram: false,
        ports: form.definition().ports.len() as u32,
    });
    if form.is_sealed() { layout.sealed() } else { layout }
}

fn record(layout: &KernelLayout, form: Form, limit: u32) -> LaunchRecord {
    LaunchRecord {
        shard_stride: layout.shard_bytes() as u64,
        inbound: layout.inbound_offset() as u64,
        outbound: layout.outbound_offset() as u64,
        in_stride: layout.inbound.slot_stride as u64,
        in_payload: layout.inbound.payload_offset as u64,
        out_stride: layout.outbound.slot_stride as u64,
        out_payload: layout.outbound.payload_offset as u64,
        out_bytes: layout.outbound.payload_size as u64,
        actors: ACTORS.into(),
        actors_per_block: (ACTORS / BLOCKS as u32).into(),
        scratch_stride: scratch_bytes(form.threads(), LIMIT, 2, layout, true, 0),
        device_local_stride: layout.inbound.bytes() as u64,
        device_local_slot: layout.inbound.slot_stride as u64,
        in_units: layout.inbound.units as u32,
        out_units: layout.outbound.units as u32,
        in_shift: layout.inbound.capacity.trailing_zeros(),
        out_shift: layout.outbound.capacity.trailing_zeros(),
        grid: BLOCKS as u32,
        limit,
        credit: 2,
        idle_polls: u32::MAX,
        patience: u32::MAX,
        patience_polls: u32::MAX,
        ..LaunchRecord::default()
    }
}

fn link(layout: &KernelLayout, form: Form) -> LinkRecord {
    let ring = layout.inbound;
    LinkRecord {
        stride: ring.bytes() as u64,
        slot_stride: ring.slot_stride as u32,
        units: ring.units as u16,
        payload: ring.payload_offset as u32,
        shift: ring.capacity.trailing_zeros(),
        grid: form.targets(),
        waits: 1,
        ..LinkRecord::default()
    }
}

struct Blocks {
    folder: PathBuf,
    program: PathBuf,
    form: Form,
    is_faulty: bool,
}

impl Blocks {
    fn compile(form: Form, fault: Option<&Fault>) -> Self {
        let name = fault.map_or("whole", |(name, _)| name).replace([' ', ','], "_");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = folder.join(format!("links-{form:?}")).join(name);
        let program = compile(&folder, &text(form, fault)).unwrap_or_else(|error| panic!("{error}"));
        Self { folder, program, form, is_faulty: fault.is_some() }
    }

    /// Runs it once; gives what the sanitizer found, or what else went wrong.
    fn run(&self, seed: u32) -> Result<(), String> {
        let [before, after] = ["before", "after"].map(|name| self.folder.join(name));
        let layout = layout(self.form);
        let shard = layout.shard_bytes();
        let mut shards = vec![0; shard * BLOCKS];
        for block in 0..BLOCKS {
            shards[block * shard..][..4].copy_from_slice(&command::ACTIVE.to_ne_bytes());
        }
        // SAFETY: all zeros is what a record is before its first launch.
        let mut block: BlockRecord = unsafe { std::mem::zeroed() };
        block.telemetry = NO_LINE;
        block.epoch = 1;
        let launch = record(&layout, self.form, if seed.is_multiple_of(2) { LIMIT } else { 1 });
        let arguments = [
            shards,
            vec![0; 64],
            bytes_of(&block).repeat(BLOCKS),
            bytes_of(&launch).to_vec(),
            vec![0; ACTORS as usize * size_of::<Seen>()],
            vec![0; launch.scratch_stride as usize * BLOCKS],
            vec![0; size_of::<DoorbellRecord>()],
            vec![0; launch.device_local_stride as usize * BLOCKS],
            bytes_of(&link(&layout, self.form)).repeat(self.form.definition().places()),
        ];
        // A fault may make it wait for ever.
        let (patience, limit) = if self.is_faulty { (PATIENCE, 20) } else { (0, 60) };
        let numbers = [BLOCKS as u64, self.form.tokens(), ROUNDS, patience];
        let mut bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_ne_bytes).collect();
        for argument in arguments {
            bytes.extend((argument.len() as u64).to_ne_bytes());
            bytes.extend(argument);
        }
        std::fs::write(&before, bytes).unwrap();
        let output =
            runs(&self.program, limit).args([&before, &after]).arg(seed.to_string()).output().unwrap();
        if !output.status.success() || !output.stderr.is_empty() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("seed {seed}, {}: {said}", output.status));
        }
        let shards = std::fs::read(&after).unwrap();
        let sum = |offset: usize| -> u64 {
            let words = shards.chunks(shard).map(|shard| &shard[offset..offset + 8]);
            words.map(|word| u64::from_ne_bytes(word.try_into().unwrap())).sum()
        };
        let found = [
            sum(offset_of!(ControlBlock, processed)),
            sum(offset_of!(ControlBlock, taken)),
            sum(offset_of!(ControlBlock, failed)),
        ];
        // What was not sent by the host was sent on.
        let ends = [offset_of!(ControlBlock, forwarded), offset_of!(ControlBlock, unforwarded)].map(sum);
        let sent: u64 =
            (0..ROUNDS).map(|round| if round.is_multiple_of(3) { 1 } else { self.form.tokens() }).sum();
        let expected = [sent + ends[0], ends[0], 0];
        let states = shards.chunks(shard).all(|shard| shard[128] == state::TERMINATED as u8);
        if found != expected || ends[1] != 0 || !states {
            return Err(format!("seed {seed}: {found:?}, expected {expected:?}, {ends:?}"));
        }
        Ok(())
    }
}

/// How many seeds a run that should find nothing gets, and at most one that should find something.
const SEEDS: u32 = 10;
/// A warp takes longer. Half of them take one message in a turn.
const WARP_SEEDS: u32 = 4;
const SEEDS_TO_FIND: u32 = 2_000;
/// For so many milliseconds of the processor the blocks of a fault's program look for work in vain, thousands of
/// times, until it is taken for one that waits for ever.
const PATIENCE: u64 = 3_000;

/// Whether this machine has the sanitizer, and a processor that seals slots if they are to be sealed.
fn can_run(form: Form) -> bool {
    if form.is_sealed() && !annulus_ring::sealed::is_offered() {
        println!("skipped: this processor cannot seal slots");
        return false;
    }
    sanitizer::is_there(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

fn have_no_data_race(form: Form) {
    if !can_run(form) {
        return;
    }
    let blocks = Blocks::compile(form, None);
    let seeds = if form == Form::SealedByWarp { WARP_SEEDS } else { SEEDS };
    (0..seeds).try_for_each(|seed| blocks.run(seed)).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn blocks_that_send_to_each_other_have_no_data_race() {
    have_no_data_race(Form::Open);
}

#[test]
fn nor_with_sealed_slots() {
    have_no_data_race(Form::Sealed);
}

#[test]
fn nor_where_a_warp_looks() {
    have_no_data_race(Form::SealedByWarp);
}

#[test]
fn planted_faults_are_found_where_a_warp_looks() {
    faults_are_found(Form::SealedByWarp, WARP_FAULTS);
}

#[test]
fn nor_where_all_send_to_one_block() {
    have_no_data_race(Form::SealedToOne);
}

#[test]
fn planted_faults_are_found_where_all_send_to_one_block() {
    faults_are_found(Form::SealedToOne, FAULTS_TO_ONE);
}

#[test]
fn nor_by_two_outboxes() {
    have_no_data_race(Form::ByTwo);
}

#[test]
fn nor_by_two_outboxes_with_sealed_slots() {
    have_no_data_race(Form::SealedByTwo);
}

#[test]
fn planted_faults_are_found() {
    faults_are_found(Form::Open, FAULTS);
}

#[test]
fn planted_faults_are_found_with_sealed_slots() {
    // What blocks tell is the same there.
    faults_are_found(Form::Sealed, &FAULTS[..2]);
    faults_are_found(Form::Sealed, SEALED_FAULTS);
}

#[test]
fn planted_faults_are_found_by_two_outboxes() {
    faults_are_found(Form::ByTwo, FAULTS_BY_TWO);
}

fn faults_are_found(form: Form, faults: &[Fault]) {
    if !can_run(form) {
        return;
    }
    let unseen: Vec<_> = faults
        .iter()
        .filter(|fault| {
            let blocks = Blocks::compile(form, Some(fault));
            let found = |seed| {
                blocks.run(seed).inspect_err(|error| {
                    println!("{}: {}", fault.0, error.lines().take(3).collect::<Vec<_>>().join(" "));
                })
            };
            (0..SEEDS_TO_FIND).all(|seed| found(seed).is_ok())
        })
        .map(|(name, _)| name)
        .collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}
