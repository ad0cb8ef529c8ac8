//! Blocks of two threads that send along the rows of a graph, to two blocks of another kernel.

use std::mem::offset_of;

use annulus_abi::{
    control::command,
    launch::{LaunchRecord, LinkRecord},
};
use annulus_conformance::epoch::bytes_of;
use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Along, Outbox};

use crate::scene::{self, BARE, Change, Fault, HEAP, Kernel, LAUNCH, LINKS, Program, Scene, Seen};

const BLOCKS: u32 = 2;
/// Three rows: of none, of few, and of more entries than the rings have slots.
const ROWS: [u32; 4] = [0, 0, 3, 15];

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Order {
    #[ring(key)]
    sender: u32,
    row: u32,
    number: u32,
    none: u32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Hop {
    #[ring(key)]
    to: u32,
    row: u32,
    number: u32,
    #[ring(edge)]
    weight: u32,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
fn spread(order: &Order, seen: &mut Seen, out: &Outbox<Along<Hop>>) {
    seen.count += 1;
    let message = Hop { to: 77, row: order.row, number: order.number, weight: 77 };
    out.send(Along { row: order.row, from: 0, message });
}

/// Tells the host.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
fn arrive(hop: &Hop, seen: &mut Seen, out: &Outbox<Hop>) {
    seen.count += 1;
    out.send(*hop);
}

const FAULTS: &[Fault] = &[
    (
        "all threads walk",
        &[(
            0,
            Change::Statements("    if (leader)\n        ann_walk_rows(v);\n", "    ann_walk_rows(v);\n", ""),
        )],
    ),
    (
        "a copy is published before it is written",
        &[(
            0,
            Change::Statements(
                "        ann_write_copy(v, l, ann_device_local_slot(l, ring, first + i), output, entry + i, now);\n",
                "        ann_device_local_commit(l, ann_device_local_slot(l, ring, first + i), first + i);\n        dawdle(100);\n        \
                 ann_write_copy(v, l, ann_device_local_slot(l, ring, first + i), output, entry + i, now);\n",
                "",
            ),
        )],
    ),
    (
        "copies are published without release",
        &[(
            0,
            Change::Statements(
                "    ann_device_fence_release();\n    for (u32 i = 0; i < granted; i++)\n        \
                 ann_device_local_commit(l, ann_device_local_slot(l, ring, first + i), first + i);\n",
                "    for (u32 i = 0; i < granted; i++)\n        \
                 ann_device_local_commit(l, ann_device_local_slot(l, ring, first + i), first + i);\n",
                "}\n\n/* Sends the copies of an output",
            ),
        )],
    ),
    (
        "a leader walks while threads put outputs aside",
        &[(
            0,
            Change::Statements(
                "        ann_handle(&view, count ANN_BINDING_ARGUMENTS);\n        ann_barrier();\n",
                "        ann_handle(&view, count ANN_BINDING_ARGUMENTS);\n",
                "",
            ),
        )],
    ),
];

fn kernel(
    definition: &'static KernelDefinition,
    [threads, actors]: [u32; 2],
    link: LinkRecord,
    waits: u32,
) -> Kernel {
    let layout = scene::layout(definition, [4, 8], BARE);
    let launch = scene::launch(definition, &layout, [BLOCKS, threads, actors, 4, 0]);
    let mut arguments = scene::arguments(&launch, 2 * actors as usize * size_of::<Seen>(), command::ACTIVE);
    arguments.push(vec![0; launch.device_local_stride as usize * BLOCKS as usize]);
    arguments.push(bytes_of(&LinkRecord { waits, ..link }).to_vec());
    Kernel { threads, launch, sizes: [definition.message.size, layout.outbound.payload_size], arguments }
}

#[test]
fn rows_of_a_graph() {
    const SPREADS: &str =
        "#define ANN_LAUNCH_THREADS 2\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n";
    const ARRIVES: &str =
        "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n";
    let (from, to) = (spread::DEFINITION, arrive::DEFINITION);
    let target = scene::layout(to, [4, 8], BARE);
    let entries = ROWS[ROWS.len() - 1];
    // The keys, and behind them what edges hold.
    let words = [ROWS.len() as u32 - 1, entries, 1, 0].into_iter().chain(ROWS);
    let words =
        words.chain((0..entries).map(|entry| entry * 5 % 6)).chain((0..entries).map(|entry| 100 + entry));
    let mut spreads = kernel(from, [2, 4], scene::link(&target, BLOCKS), 1);
    spreads.arguments.push(words.flat_map(u32::to_ne_bytes).collect());
    let own = |kernel: usize| [[kernel, LAUNCH, offset_of!(LaunchRecord, device_local)], [kernel, HEAP, 0]];
    Scene {
        name: "rows",
        programs: vec![
            Program { name: "spreads", macros: SPREADS, definition: from, takes: None },
            Program { name: "arrives", macros: ARRIVES, definition: to, takes: None },
        ],
        host: include_str!("../../src/cuda/rows.cpp"),
        faults: FAULTS,
        kernels: vec![spreads, kernel(to, [1, 6], LinkRecord::default(), 0)],
        pointers: vec![own(0), own(1), [[0, LINKS, offset_of!(LinkRecord, rings)], [1, HEAP, 0]]],
    }
    .play();
}
