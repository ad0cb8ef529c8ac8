//! Two blocks that publish to each other on topics, by several places, while the host changes who takes which; and to the
//! host. Blocks of one thread, and of two.

use std::mem::offset_of;

use annulus_abi::{
    control::command,
    kernel::KernelLayout,
    launch::{LaunchRecord, LinkRecord},
    topics::{HOST, find},
};
use annulus_conformance::epoch::bytes_of;
use annulus_kernel::{MOST_PEERS, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Outbox, Published, Topic};

use crate::scene::{self, BARE, Change, Fault, HEAP, Kernel, LAUNCH, LINKS, Program, Scene, Seen};

const BLOCKS: u32 = 2;
const ENTRIES: usize = 16;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Token {
    #[ring(key)]
    key: u32,
    /// How often it is still published.
    left: u32,
    topic: Topic,
    /// How many microseconds its handler takes.
    takes: u32,
    none: u32,
}

/// Publishes a token again, for the next actor, which is the other block's.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
fn publish(token: &Token, seen: &mut Seen, out: &Outbox<Published<Token>>) {
    seen.count += 1;
    if token.left != 0 {
        let message =
            Token { key: (token.key + 1) % 4, left: token.left - 1, topic: token.topic, takes: 0, none: 0 };
        out.send(Published { topic: token.topic, message });
    }
}

const ENTRY: Change = Change::Value("ann_load_relaxed_u64(table + 1 + at)", "table[1 + at]", "");

const FAULTS: &[Fault] = &[
    ("an entry that the host may be changing is read by a plain access", &[(0, ENTRY)]),
    (
        "the host gets its copy with the places that take it",
        &[(
            0,
            Change::Statements(
                "    ann_forget_places(output);\n    ann_return(v, place);\n",
                "    ann_return(v, place);\n",
                "",
            ),
        )],
    ),
    (
        "a message that tells of a change is taken without acquire",
        &[(
            0,
            Change::Statements(
                "    /* SYNC: slot-published (acquire) */\n    ann_fence_acquire();\n",
                "",
                "    b->count = ann_accept(v, ready, ann_load",
            ),
        )],
    ),
];

const FAULTS_OF_TWO: &[Fault] = &[
    ("an entry that the host may be changing is read by a plain access", &[(0, ENTRY)]),
    (
        "outputs are sent before all threads have marked theirs",
        &[(
            0,
            Change::Statements(
                "    ann_count_wanted(v, pending, count != 0);\n    ann_barrier();\n",
                "    ann_count_wanted(v, pending, count != 0);\n",
                "",
            ),
        )],
    ),
    (
        "each thread marks all outputs",
        &[(
            0,
            Change::Statements(
                "            ann_mark_apart(v, output);\n",
                "            for (u32 i = 0; i < pending; i++)\n                \
                 ann_mark_apart(v, v->outputs + (u64)ann_parcel_at(v, i)->source * ANN_OUTPUT_STRIDE);\n",
                "            ann_count_up_by(&b->heard",
            ),
        )],
    ),
    (
        "the host is told while threads send what it is told",
        &[(
            0,
            Change::Statements(
                "    for (u32 place = 0; place < ANN_PORTS; place++)\n        if (b->ports[place].wanted != 0)\n            \
                 ann_send_by(v, leader, pending, place);\n",
                "    if (leader && b->heard != 0)\n        ann_tell_host_all(v);\n    \
                 for (u32 place = 0; place < ANN_PORTS; place++)\n        if (b->ports[place].wanted != 0)\n            \
                 ann_send_by(v, leader, pending, place);\n",
                "",
            ),
        )],
    ),
];

/// Two places lead to the kernel itself; the last one stands for nobody, and leads to a ring that is closed. Behind the
/// records are the addresses, which are not used, and the table.
fn links(layout: &KernelLayout) -> Vec<u8> {
    let mut links = [LinkRecord::default(); MOST_PEERS + 1];
    links[0] = scene::link(layout, BLOCKS);
    links[1] = links[0];
    links[MOST_PEERS] = LinkRecord { grid: 1, ..links[0] };
    let mut table = [0u64; ENTRIES];
    // Those that change begin with one place.
    for (name, places) in [("one", 1), ("both", 3), ("host", 1 | HOST), ("set", 0), ("flips", 1)] {
        let topic = Topic::of(name).bits();
        let place =
            find(topic, ENTRIES, |at| table[at]).expect_err("each is there once").expect("there is room");
        table[place] = topic | places;
    }
    let words = [0; MOST_PEERS + 1].into_iter().chain([ENTRIES as u64]).chain(table);
    links.iter().flat_map(bytes_of).copied().chain(words.flat_map(u64::to_ne_bytes)).collect()
}

fn play(name: &'static str, threads: u32, macros: &'static str, faults: &'static [Fault]) {
    let definition = publish::DEFINITION;
    let layout = scene::layout(definition, [8, 8], BARE);
    let launch = scene::launch(definition, &layout, [BLOCKS, threads, 4, 4, 0]);
    let rings = launch.device_local_stride as usize * BLOCKS as usize;
    let mut heap = vec![0; rings + 256];
    // The closed ring behind those of the kernel.
    heap[rings..rings + 4].copy_from_slice(&(1u32 << 31).to_ne_bytes());
    let mut arguments = scene::arguments(&launch, 4 * size_of::<Seen>(), command::ACTIVE);
    arguments.push(heap);
    arguments.push(links(&layout));
    let sizes = [definition.message.size, layout.outbound.payload_size];
    let to = |place: usize, at: usize| {
        [[0, LINKS, place * size_of::<LinkRecord>() + offset_of!(LinkRecord, rings)], [0, HEAP, at]]
    };
    Scene {
        name,
        programs: vec![Program { name: "publishes", macros, definition, takes: Some("message->takes") }],
        host: include_str!("../../src/cuda/topics.cpp"),
        faults,
        kernels: vec![Kernel { threads, launch, sizes, arguments }],
        pointers: vec![
            [[0, LAUNCH, offset_of!(LaunchRecord, device_local)], [0, HEAP, 0]],
            to(0, 0),
            to(1, 0),
            to(MOST_PEERS, rings),
        ],
    }
    .play();
}

#[test]
fn topics_that_change() {
    const MACROS: &str =
        "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n";
    play("topics", 1, MACROS, FAULTS);
}

#[test]
fn topics_that_change_and_blocks_of_two_threads() {
    const MACROS: &str =
        "#define ANN_LAUNCH_THREADS 2\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n";
    play("topics-of-two", 2, MACROS, FAULTS_OF_TWO);
}
