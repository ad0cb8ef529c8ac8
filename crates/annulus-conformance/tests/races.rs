//! The device runtime under what watches every access: one epoch of a block of four threads, in which no two
//! threads may touch the same word without a barrier between them. A barrier that is taken out must be found. For
//! CUDA there is a block of two warps, too, whose first one looks for work; so must be a meeting of that warp.
//!
//! OpenCL C runs under the simulator `oclgrind` (Debian's package of that name); without it the tests say
//! that they are skipped. CUDA C++ runs on threads of the host, compiled with its compiler's thread
//! sanitizer.
#![cfg(target_os = "linux")]

use std::{
    ffi::c_void,
    path::{Path, PathBuf},
    process::Command,
    ptr,
};

use annulus_block::{ENTRY, RUNTIME};
use annulus_conformance::{
    cuda,
    epoch::{CUDA_END, Epoch, KERNEL, SPARSE, THREADS, WARP_THREADS},
    sanitizer::{self, compile, runs},
};
use annulus_kernel::{
    LANGUAGE_SOURCE, Target,
    device::{CUDA_PRELUDE, INTERFACE, OPENCL_PRELUDE},
};
use cl3::{
    command_queue::{
        create_command_queue_with_properties, enqueue_nd_range_kernel, enqueue_read_buffer,
        enqueue_write_buffer, finish,
    },
    context::create_context,
    device::{CL_DEVICE_TYPE_ALL, get_device_ids},
    kernel::{create_kernel, set_kernel_arg},
    memory::{CL_MEM_READ_WRITE, create_buffer},
    platform::get_platform_ids,
    program::{CL_PROGRAM_BUILD_LOG, build_program, create_program_with_source, get_program_build_info},
    types::{CL_TRUE, cl_command_queue, cl_context, cl_mem},
};

const SIMULATOR: &str = "/usr/lib/oclgrind/liboclgrind-rt.so";
/// Which text the inner test runs.
const VARIANT: &str = "ANNULUS_RACES";

/// Runs the inner test under the simulator; gives what it found, and whether the epoch's results were right.
fn simulate(variant: &str) -> Option<(String, bool)> {
    if !Path::new(SIMULATOR).exists() {
        println!("skipped: {SIMULATOR} is not there: install the package `oclgrind`");
        return None;
    }
    let log = std::env::temp_dir().join(format!("annulus-races-{}-{variant}", std::process::id()));
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_epoch", "--ignored", "--nocapture"])
        .env("OPENCL_DYLIB_PATH", SIMULATOR)
        .env("OCLGRIND_DATA_RACES", "1")
        .env("OCLGRIND_UNINITIALIZED", "0")
        .env("OCLGRIND_LOG", &log)
        .env(VARIANT, variant)
        .status()
        .unwrap();
    let found = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    Some((found, status.success()))
}

#[test]
fn the_runtime_has_no_data_race() {
    let Some((found, right)) = simulate("whole") else { return };
    assert!(right, "the epoch went wrong:\n{found}");
    assert!(found.trim().is_empty(), "{found}");
}

/// Of each barrier that threads of the block need the lack is seen. They can do without the first, since the
/// first turn's follows before anybody reads what the leader wrote, and without the last of a turn, which
/// only keeps a compiler from exchanging turns. Those around the publication of answers are there for the
/// host, which the simulator lacks.
#[test]
fn a_missing_barrier_is_found() {
    let barriers = barriers().count();
    assert!(barriers >= 6, "the turn has barriers");
    let mut unseen = Vec::new();
    for index in 0..barriers {
        let Some((found, right)) = simulate(&format!("without {index}")) else { return };
        if right && !found.contains("race") {
            unseen.push(index);
        }
    }
    assert_eq!(unseen, [0, barriers - 3, barriers - 2, barriers - 1], "of {barriers} barriers");
}

/// The barriers of the dispatch loop, and where they stand in the runtime. What is there for connected
/// kernels is not compiled here.
fn barriers() -> impl Iterator<Item = (usize, &'static str)> {
    let entry = RUNTIME.find(&format!("ANN_KERNEL void {ENTRY}")).unwrap();
    // Nor is what a body has, and what sparse keys have.
    let of_others = |at: usize| {
        let before = RUNTIME[..at].trim_end();
        ["ann_end_body(&view, count);", "ann_settle_newcomers(&view, count);"]
            .iter()
            .any(|call| before.ends_with(call))
    };
    RUNTIME.match_indices("    ann_barrier();").filter(move |(at, _)| *at > entry && !of_others(*at))
}

/// What the block is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Open,
    Sealed,
    /// Sealed, and so many threads that the leader's warp looks for work together.
    ByWarp,
    /// Keys are sparse, and actors end.
    Sparse,
}

impl Form {
    fn is_sealed(self) -> bool {
        matches!(self, Self::Sealed | Self::ByWarp)
    }

    fn threads(self) -> u32 {
        if self == Self::ByWarp { WARP_THREADS } else { THREADS }
    }

    fn mutants(self) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
        let [some, others]: [&[_]; 2] = match self {
            Self::Open => [MUTANTS, ALONE_MUTANTS],
            Self::Sealed => [SEALED_MUTANTS, LEADER_MUTANTS],
            Self::ByWarp => [WARP_MUTANTS, LEADER_MUTANTS],
            Self::Sparse => [SPARSE_MUTANTS, &[]],
        };
        some.iter().chain(others)
    }
}

/// A program of this target, of whose barriers one may be missing, or into which a fault is planted.
fn text(target: Target, form: Form, variant: &str) -> String {
    let (mut runtime, mut end) = (RUNTIME.to_owned(), CUDA_END.to_owned());
    if let Some(index) = variant.strip_prefix("without ") {
        let index: usize = index.parse().unwrap();
        let (at, barrier) = barriers().nth(index).unwrap();
        runtime.replace_range(at..at + barrier.len(), "");
    }
    let mut interface = INTERFACE.to_owned();
    let pause = Some(&LATE).filter(|late| [late.0, UNITS_NOT_STORED].contains(&variant));
    for (_, from, to) in form.mutants().filter(|(name, ..)| *name == variant).chain(pause) {
        let mut texts = [&mut runtime, &mut interface, &mut end];
        assert_eq!(texts.iter().map(|text| text.matches(from).count()).sum::<usize>(), 1, "{variant}");
        texts.iter_mut().for_each(|text| **text = text.replace(from, to));
    }
    let (sealed, threads) = (u32::from(form.is_sealed()), form.threads());
    let sparse = u32::from(form == Form::Sparse);
    let handler = if form == Form::Sparse { SPARSE } else { KERNEL }.handler_source(target).unwrap();
    let prelude = if target == Target::Cuda { CUDA_PRELUDE } else { OPENCL_PRELUDE };
    let program = format!(
        "#define ANN_LAUNCH_THREADS {threads}\n#define ANN_LAUNCH_PORTABLE 1\n#define ANN_LAUNCH_SEALED {sealed}\n\
         #define ANN_LAUNCH_SPARSE {sparse}\n\n\
         {prelude}\n{interface}\n{LANGUAGE_SOURCE}\n{handler}\n{runtime}\n"
    );
    if target == Target::Cuda { cuda::on_threads(&program, &end).unwrap() } else { program }
}

/// Faults in the runtime: their names, and what stands in place of what. Neighbours of one name are one fault.
const MUTANTS: &[(&str, &str, &str)] = &[
    (
        "an answer is published without release",
        "        ann_fence_release();\n        if (owes)\n            ann_store_gauges(v, b->state.next_out - b->produced);\n",
        "",
    ),
    (
        "an answer is published before its header is written",
        "        *ANN_U32(ann_answer_slot(v, answers[k].to, answers[k].meta), 4) = answers[k].meta & ~ANN_REPLY;",
        "{ GLOBAL u8 *slot = ann_answer_slot(v, answers[k].to, answers[k].meta);\n        \
         ann_store_release_u32(ANN_U32(slot, 0), ann_answer_lap(v, answers[k].to, answers[k].meta));\n        \
         *ANN_U32(slot, 4) = answers[k].meta & ~ANN_REPLY; }",
    ),
    (
        "an answer is published before its payload is written",
        "        ann_store_word(slot + b->launch.out_payload + at, ann_load_word(output + at));",
        "        *ANN_U32(slot, 4) = meta & ~ANN_REPLY;\n        \
         ann_store_release_u32(ANN_U32(slot, 0), ann_answer_lap(v, answers[k].to, meta));\n        \
         ann_store_word(slot + b->launch.out_payload + at, ann_load_word(output + at));",
    ),
    ("places are not looked at before their messages are brought", "        ann_look(&view);\n", ""),
    (
        "places are given back before their messages are brought",
        "        ann_bring(&view, leader);",
        "        if (leader) ann_store_release_u64(ANN_U64(view.inbound, ANN_RING_CONSUMED), shared.state.next_in + shared.found);\n        \
         ann_bring(&view, leader);",
    ),
    (
        "not all threads come to a barrier",
        "        if (in_parallel) {\n            ann_number_together(&view, count);",
        "        if (in_parallel && !leader) {\n            ann_number_together(&view, count);",
    ),
    (
        "every thread counts what the turn has done",
        "        if (in_parallel && leader)\n",
        "        if (in_parallel)\n",
    ),
    (
        "the turn is counted before all threads have numbered",
        "        } else if (leader) {\n            ann_number(&view, count);\n        }\n",
        "        } else if (leader) {\n            ann_number(&view, count);\n        }\n        \
         if (in_parallel && leader)\n            shared.state.next_out += ann_tallied(shared.tally, ANN_TALLY_TICKETS);\n",
    ),
    (
        "a thread numbers before others have told what they have",
        "            sums[thread_index] = sum;\n        ann_barrier();\n",
        "            sums[thread_index] = sum;\n",
    ),
    ("two rounds of numbering use the same memory", "        sums = other;\n", ""),
    (
        "a thread does not know what those before it have",
        "        if (begin < end && thread_index >= by)\n",
        "        if (begin < end && thread_index > by)\n",
    ),
    (
        "times are compared before others have told theirs",
        "            times[ANN_TIMES_SUM + thread_index] = sum;\n        }\n        ann_barrier();\n",
        "            times[ANN_TIMES_SUM + thread_index] = sum;\n        }\n",
    ),
    (
        "an actor's messages are dealt to several threads",
        "    return (u32)(actor % ANN_LAUNCH_THREADS);",
        "    return i % ANN_LAUNCH_THREADS;",
    ),
    (
        "dead letters are published without release",
        "ann_store_release_u32(ANN_U32(slot, 0), (u32)(s->next_dead_letter",
        "ann_store_relaxed_u32(ANN_U32(slot, 0), (u32)(s->next_dead_letter",
    ),
    (
        "a print is published without release",
        "ann_store_release_u32((GLOBAL u32 *)printer->slot, printer->lap);",
        "ann_store_relaxed_u32((GLOBAL u32 *)printer->slot, printer->lap);",
    ),
    (
        "a print is published before its words are written",
        "    return (GLOBAL u64 *)(printer->slot + 8);",
        "    ann_store_release_u32((GLOBAL u32 *)printer->slot, printer->lap);\n    return (GLOBAL u64 *)(printer->slot + 8);",
    ),
    (
        "two threads may count their prints alike",
        "u32 number = ann_count_up(&turn->count);",
        "u32 number = turn->count++;",
    ),
    (
        "a turn prints where the host has not read",
        "b->prints.room = (u32)(capacity - (s->next_print - s->prints_seen));",
        "b->prints.room = (u32)capacity;",
    ),
    (
        "a block says that it has ended before it leaves its record",
        "        view.record->state = shared.state;\n        ann_store_release_u32(&view.record->ended, view.record->epoch);",
        "        ann_store_release_u32(&view.record->ended, view.record->epoch);\n        view.record->state = shared.state;",
    ),
    (
        "a block says without release that it has ended",
        "ann_store_release_u32(&view.record->ended, view.record->epoch);",
        "ann_store_relaxed_u32(&view.record->ended, view.record->epoch);",
    ),
];

/// The same in what is there for CUDA alone: what a leader does by itself, and what the host is told late.
const ALONE_MUTANTS: &[(&str, &str, &str)] = &[
    (
        "the leader's answer is published without release",
        "    ann_fence_release();\n    if (owes)\n        ann_store_gauges(v, ticket);\n",
        "    if (owes)\n        ann_store_gauges(v, ticket);\n",
    ),
    (
        "the leader takes a message without acquire",
        "    u32 first = ann_load_acquire_u32(",
        "    u32 first = ann_load_relaxed_u32(",
    ),
    (
        "threads look at a message without acquire",
        "    return ann_load_acquire_u32(ANN_U32(ann_in_slot(v, ticket), ANN_IN_LAP))",
        "    return ann_load_relaxed_u32(ANN_U32(ann_in_slot(v, ticket), ANN_IN_LAP))",
    ),
    (
        "the leader gives a place back before its message is brought",
        "    u32 lines = (u32)(b->launch.in_payload + ANN_MESSAGE_BYTES + 63) / 64;\n",
        "    u32 lines = (u32)(b->launch.in_payload + ANN_MESSAGE_BYTES + 63) / 64;\n    \
         ann_store_counts(v);\n    ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), b->state.next_in + 1);\n    dawdle(100);\n",
    ),
    (
        "the leader handles a message under a command from before it",
        "    command = ann_turn_command(v);\n#ifndef ANN_BRIDGED",
        "    command = b->command;\n#ifndef ANN_BRIDGED",
    ),
    // The host seldom acts between the leader's look at the command and the one at the slot, so this fault is
    // planted with a pause there.
    (
        "the leader handles a message under a command from before it",
        "    u32 first = ann_load_acquire_u32(ANN_U32(next, 0))",
        "    dawdle(100);\n    u32 first = ann_load_acquire_u32(ANN_U32(next, 0))",
    ),
    (
        "the gauge counts an answer that the leader has not published",
        "        ann_store_gauges(v, ticket);\n",
        "        ann_store_gauges(v, ticket + answers - (caller != 0));\n    dawdle(100);\n",
    ),
    (
        "the gauge counts answers that threads have not published",
        "            ann_store_gauges(v, b->state.next_out - b->produced);\n",
        "            ann_store_gauges(v, b->state.next_out);\n        if (owes)\n            dawdle(100);\n",
    ),
    (
        "what was put off is told without a fence",
        "    ann_fence_release();\n    ann_store_gauges(v, b->state.next_out);\n",
        "    ann_store_gauges(v, b->state.next_out);\n",
    ),
    (
        "places are given back before their messages are counted",
        "    ann_store_counts(v);\n    if ((b->state.command & ANN_TELEMETRY) != 0)",
        "    ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), b->state.next_in);\n    dawdle(100);\n    \
         ann_store_counts(v);\n    if ((b->state.command & ANN_TELEMETRY) != 0)",
    ),
];

/// The same in what is there for sealed slots alone: in the runtime, and in the host that publishes them.
const SEALED_MUTANTS: &[(&str, &str, &str)] = &[
    (
        "an answer is taken when its first unit is there",
        "        if (words[3] != lap) return false;",
        "        if (unit == 0 && words[3] != lap) return false;",
    ),
    (
        "a unit of an answer has its lap before its content",
        "            if (i < all)\n                ann_store_unit(",
        "            if (i < all)\n                ann_store_unit(\n                    \
         ann_answer_slot(v, found[j].to, found[j].meta) + i % units * 16, 0, 0, 0, \
         ann_answer_lap(v, found[j].to, found[j].meta));\n            dawdle(100);\n            if (i < all)\n                \
         ann_store_unit(",
    ),
    (
        "the first message is taken when its first unit is there",
        "        others |= loaded->units[i].lap ^ lap;",
        "        others |= i == 0 ? loaded->units[i].lap ^ lap : 0;",
    ),
    (
        "a message is taken when its first unit is there",
        "            if (loaded[j].lap != lap) {",
        "            if (at.unit == 0 && loaded[j].lap != lap) {",
    ),
    (
        "a unit is written in two stores, its lap first",
        "            store_unit(to + unit * 16, from + unit * 16);",
        "            ann_store_relaxed_u64((u64 *)(to + unit * 16 + 8), *(const u64 *)(from + unit * 16 + 8));\n            \
         dawdle(100);\n            \
         ann_store_relaxed_u64((u64 *)(to + unit * 16), *(const u64 *)(from + unit * 16));",
    ),
    (
        "the command is not looked at again",
        "    if (b->agreed >= b->found)\n        return b->command;\n    return ann_load_relaxed",
        "    return b->command;\n    return ann_load_relaxed",
    ),
    (
        "places are given back before their messages are brought",
        "        ann_bring_sealed(&view);",
        "        if (leader) ann_store_release_u64(ANN_U64(view.inbound, ANN_RING_CONSUMED), shared.state.next_in + shared.found);\n        \
         ann_bring_sealed(&view);",
    ),
    (
        "what is found is not lowered",
        "    if (gap < window)\n        ann_shared_min(&b->found, gap);\n}\n\n/* Each thread loads its share of the units of the turn's",
        "}\n\n/* Each thread loads its share of the units of the turn's",
    ),
];

/// The same in what the leader does by itself with sealed slots, whoever looks with it.
const LEADER_MUTANTS: &[(&str, &str, &str)] = &[
    (
        "the gauge counts answers whose units are not stored yet",
        "    u32 units = target->units;\n#if ANN_LOOKS_TOGETHER\n",
        "    u32 units = target->units;\n    \
         ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), ticket + answers - (caller != 0));\n    dawdle(100);\n\
         #if ANN_LOOKS_TOGETHER\n",
    ),
    (
        "the first message is handled under a command from before it",
        "    if (b->kept && stamp != command) {",
        "    if (0) {",
    ),
    (
        "a leader that is ready takes a message before it has obeyed a command",
        "loaded.units[0].a == known && loaded.units[0].b",
        "loaded.units[0].b",
    ),
];

/// The same in what the threads of the leader's warp do together. The sanitizer finds what they exchange through
/// the block's own memory without a meeting: their ballots order nothing for it. The units of an answer it takes
/// for published one by one, so of those that are counted too early it sees nothing; the host does, since it finds
/// fewer answers than the gauge counts.
///
/// The leader takes longer to come to the gauge than others take to store, so that fault is planted with a pause
/// ([`LATE`]), which alone must do no harm.
const WARP_MUTANTS: &[(&str, &str, &str)] = &[
    (
        "the others do not wait for what the leader asks for",
        "            ann_meet_lookers();\n            told = ann_hear(v);\n",
        "            told = ann_hear(v);\n",
    ),
    (
        "the leader does not wait for what the others have seen",
        "ann_look_in_a_row(v);\n            ann_meet_lookers();\n",
        "ann_look_in_a_row(v);\n",
    ),
    (
        "the others do not wait for the answer",
        "            ann_meet_lookers();\n            told = ann_hear(v);\n",
        "            told = ann_hear(v);\n            ann_meet_lookers();\n            told.most = r->most;\n",
    ),
    (
        UNITS_NOT_STORED,
        "        /* What the leader publishes of the turn comes behind the units that the others have stored. */\n        \
         ann_meet_lookers();\n",
        "",
    ),
    (
        "the others do not wait for whether the leader goes on",
        "        ann_meet_lookers();\n        if (!r->awaits)\n",
        "        if (!r->awaits)\n",
    ),
    (
        "the leader says where to look next before the others have looked",
        "ann_look_in_a_row(v);\n            ann_meet_lookers();\n",
        "ann_look_in_a_row(v);\n            \
         if (leader)\n                r->slot = (u64)ann_in_slot(v, watcher.next_in);\n            \
         ann_meet_lookers();\n",
    ),
    (
        "the leader completes an answer while others load it",
        "        ann_seal_together(told);\n",
        "        if (leader)\n            *(LOCAL u32 *)(b->outputs + 12) += 0;\n        ann_seal_together(told);\n",
    ),
    (
        "a message is taken when the first thread has its unit",
        "ann_all_of_warp(thread_index >= units || ",
        "ann_all_of_warp(thread_index != 0 || ",
    ),
];

/// The same in what is there for sparse keys alone.
const SPARSE_MUTANTS: &[(&str, &str, &str)] = &[
    (
        "a thread enters its own newcomer while others look up",
        "            if (job->actor == ANN_NO_ACTOR)\n                ann_count_up_by(&v->shared->newcomers, 1);\n",
        "            if (job->actor == ANN_NO_ACTOR)\n                job->actor = ann_actor(v, message);\n",
    ),
    (
        "newcomers are counted by several threads at once",
        "                ann_count_up_by(&v->shared->newcomers, 1);\n",
        "                v->shared->newcomers += 1;\n",
    ),
    (
        "a message is handled before its actor has a place",
        "            ann_settle_newcomers(&view, count);\n        ann_barrier();\n",
        "            ann_settle_newcomers(&view, count);\n",
    ),
    (
        "every thread gives newcomers places",
        "        if (leader)\n            ann_settle_newcomers(&view, count);\n",
        "        ann_settle_newcomers(&view, count);\n",
    ),
    (
        "ends are counted by several threads at once",
        "    ann_count_up_by(&v->shared->ended, 1);\n",
        "    v->shared->ended += 1;\n",
    ),
    (
        "a place is free while other threads handle",
        "        ann_handle(&view, count ANN_BINDING_ARGUMENTS);\n        ann_barrier();\n#if ANN_LAUNCH_SPARSE",
        "        ann_handle(&view, count ANN_BINDING_ARGUMENTS);\n#if ANN_LAUNCH_SPARSE",
    ),
    (
        "every thread frees the places of a turn",
        "        if (leader)\n            ann_free_ended(&view, count);\n",
        "        ann_free_ended(&view, count);\n",
    ),
];

const UNITS_NOT_STORED: &str = "the leader counts an answer whose units others have not stored";

/// No fault, but what shows one: its name, and what stands in place of what.
const LATE: (&str, &str, &str) = (
    "others store their units late",
    "    if (unit < told.units)\n        ann_store_unit(",
    "    if (unit != 0 && unit < told.units)\n        dawdle(2000);\n    if (unit < told.units)\n        ann_store_unit(",
);

/// The epoch as CUDA C++ on threads.
struct OnThreads {
    form: Form,
    folder: PathBuf,
    program: PathBuf,
}

impl OnThreads {
    fn compile(form: Form, variant: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(match form {
            Form::Open => "races",
            Form::Sealed => "races-sealed",
            Form::ByWarp => "races-by-warp",
            Form::Sparse => "races-sparse",
        });
        let folder = folder.join(variant.replace(' ', "_"));
        let program =
            compile(&folder, &text(Target::Cuda, form, variant)).unwrap_or_else(|error| panic!("{error}"));
        Self { form, folder, program }
    }

    /// Runs it once; gives what the sanitizer found, or what else went wrong.
    fn run(&self, seed: u32) -> Result<(), String> {
        let [before, after] = ["before", "after"].map(|name| self.folder.join(name));
        let mut epoch = match self.form {
            Form::Sparse => Epoch::of_sparse_keys(),
            _ => Epoch::new(self.form.is_sealed(), true),
        };
        // Only what is owed for sixteen messages, which the leader has taken alone, is told with the last one's
        // answer.
        if self.form == Form::ByWarp && seed.is_multiple_of(2) {
            epoch = epoch.one_by_one();
        }
        if self.form == Form::ByWarp && (seed / 2).is_multiple_of(2) {
            epoch = epoch.in_rows();
        }
        let mut bytes = Vec::new();
        for argument in epoch.arguments().iter().map(Vec::as_slice).chain([epoch.late()]) {
            bytes.extend((argument.len() as u64).to_ne_bytes());
            bytes.extend(argument);
        }
        std::fs::write(&before, bytes).unwrap();
        let output = runs(&self.program, 60).args([&before, &after]).arg(seed.to_string()).output().unwrap();
        if !output.status.success() || !output.stderr.is_empty() {
            return Err(format!(
                "seed {seed}, {}: {}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        let shard = std::fs::read(&after).unwrap();
        std::panic::catch_unwind(|| epoch.check(&shard))
            .map_err(|_| format!("seed {seed}: the results are wrong"))
    }
}

/// How many seeds a run that should find nothing gets, and at most one that should find something: few are
/// needed, but on a busy machine the threads meet seldom.
const SEEDS: u32 = 20;
/// Four kinds of epochs, by three orders in which a late message's units come. A warp takes longer.
const WARP_SEEDS: u32 = 12;
const SEEDS_TO_FIND: u32 = 2_000;

fn has_no_data_race(form: Form, variant: &str, seeds: u32) {
    if !can_run(form.is_sealed()) {
        return;
    }
    let epoch = OnThreads::compile(form, variant);
    (0..seeds).try_for_each(|seed| epoch.run(seed)).unwrap_or_else(|error| panic!("{error}"));
}

/// Of each barrier that block and host need the lack is seen, but for those of which OpenCL's test says that
/// it can do without.
fn missing_barriers_are_found(form: Form) {
    if !can_run(form.is_sealed()) {
        return;
    }
    let barriers = barriers().count();
    // Sealed answers are published before the last but two, which open ones are filled in before: one of the
    // two behind them is enough. And what the last but one orders with open ones shows only where the host is
    // told at once, in one turn of sixteen: the lack may be seen, or not.
    let needless: &[usize] = if form.is_sealed() {
        &[0, barriers - 3, barriers - 2, barriers - 1]
    } else {
        &[0, barriers - 2, barriers - 1]
    };
    let overlooked: Vec<_> = (0..barriers)
        .filter(|index| !needless.contains(index))
        .filter(|index| {
            let epoch = OnThreads::compile(form, &format!("without {index}"));
            (0..SEEDS_TO_FIND).all(|seed| epoch.run(seed).is_ok())
        })
        .collect();
    assert!(overlooked.is_empty(), "{overlooked:?} of {barriers} barriers");
}

fn planted_faults_are_found(form: Form) {
    if !can_run(form.is_sealed()) {
        return;
    }
    let mut unseen: Vec<_> = form.mutants().map(|(name, ..)| *name).collect();
    unseen.dedup();
    unseen.retain(|name| {
        let epoch = OnThreads::compile(form, name);
        (0..SEEDS_TO_FIND).all(|seed| epoch.run(seed).is_ok())
    });
    assert!(unseen.is_empty(), "{unseen:?}");
}

/// Whether this machine has the sanitizer, and a processor that seals slots if they are to be sealed.
fn can_run(sealed: bool) -> bool {
    if sealed && !annulus_ring::sealed::is_offered() {
        println!("skipped: this processor cannot seal slots");
        return false;
    }
    sanitizer::is_there(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

#[test]
fn cuda_has_no_data_race() {
    has_no_data_race(Form::Open, "whole", SEEDS);
}

#[test]
fn cuda_has_no_data_race_with_sealed_slots() {
    has_no_data_race(Form::Sealed, "whole", SEEDS);
}

#[test]
fn cuda_has_no_data_race_where_a_warp_looks() {
    has_no_data_race(Form::ByWarp, "whole", WARP_SEEDS);
    has_no_data_race(Form::ByWarp, LATE.0, WARP_SEEDS);
}

#[test]
fn cuda_has_no_data_race_with_sparse_keys() {
    has_no_data_race(Form::Sparse, "whole", SEEDS);
}

#[test]
fn planted_faults_are_found_in_cuda_with_sparse_keys() {
    planted_faults_are_found(Form::Sparse);
}

#[test]
fn a_missing_barrier_is_found_in_cuda() {
    missing_barriers_are_found(Form::Open);
}

#[test]
fn a_missing_barrier_is_found_in_cuda_with_sealed_slots() {
    missing_barriers_are_found(Form::Sealed);
}

#[test]
fn planted_faults_are_found_in_cuda() {
    planted_faults_are_found(Form::Open);
}

#[test]
fn planted_faults_are_found_in_cuda_with_sealed_slots() {
    planted_faults_are_found(Form::Sealed);
}

#[test]
fn planted_faults_are_found_in_cuda_where_a_warp_looks() {
    planted_faults_are_found(Form::ByWarp);
}

struct Device {
    context: cl_context,
    queue: cl_command_queue,
}

impl Device {
    fn buffer(&self, from: &[u8]) -> cl_mem {
        let bytes = from.len();
        // SAFETY: without a host pointer there is nothing to keep alive.
        let buffer =
            unsafe { create_buffer(self.context, CL_MEM_READ_WRITE, bytes, ptr::null_mut()) }.unwrap();
        // SAFETY: the memory has so many bytes, and the call waits.
        unsafe {
            enqueue_write_buffer(
                self.queue,
                buffer,
                CL_TRUE,
                0,
                bytes,
                from.as_ptr().cast::<c_void>(),
                0,
                ptr::null(),
            )
        }
        .unwrap();
        buffer
    }
}

/// What the simulator runs: not a test of its own.
#[test]
#[ignore = "the other tests run it under the simulator"]
fn one_epoch() {
    let variant = std::env::var(VARIANT).expect("run by the other tests");
    let mut epoch = Epoch::new(false, false);
    let bytes = epoch.arguments();
    let mut shard = vec![0; bytes[0].len()];

    let platform = get_platform_ids().unwrap()[0];
    let device = get_device_ids(platform, CL_DEVICE_TYPE_ALL).unwrap()[0];
    let context = create_context(&[device], ptr::null(), None, ptr::null_mut()).unwrap();
    // SAFETY: context and device were just made and found.
    let queue = unsafe { create_command_queue_with_properties(context, device, ptr::null()) }.unwrap();
    let cl = Device { context, queue };
    let program =
        create_program_with_source(context, &[&text(Target::OpenCl, Form::Open, &variant)]).unwrap();
    if build_program(program, &[device], c"-cl-opt-disable", None, ptr::null_mut()).is_err() {
        let log = get_program_build_info(program, device, CL_PROGRAM_BUILD_LOG).unwrap();
        panic!("{log}");
    }
    let kernel = create_kernel(program, &std::ffi::CString::new(ENTRY).unwrap()).unwrap();

    let arguments = bytes.map(|bytes| cl.buffer(&bytes));
    for (index, argument) in arguments.iter().enumerate() {
        // SAFETY: a buffer handle, copied before the call returns.
        unsafe { set_kernel_arg(kernel, index as u32, size_of::<cl_mem>(), ptr::from_ref(argument).cast()) }
            .unwrap();
    }
    let threads = THREADS as usize;
    // SAFETY: one dimension, and both sizes live through the call; the arguments are those that the entry
    // takes.
    unsafe {
        enqueue_nd_range_kernel(
            queue,
            kernel,
            1,
            ptr::null(),
            &raw const threads,
            &raw const threads,
            0,
            ptr::null(),
        )
    }
    .unwrap();
    finish(queue).unwrap();
    // SAFETY: the memory is as long as the buffer, and the call waits.
    unsafe {
        let to = shard.as_mut_ptr().cast();
        enqueue_read_buffer(queue, arguments[0], CL_TRUE, 0, shard.len(), to, 0, ptr::null())
    }
    .unwrap();
    epoch.check(&shard);
}
