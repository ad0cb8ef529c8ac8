//! Three blocks with a long hold that send along the rows of a graph, to themselves. A host waits until everything is drained, by
//! the scan of `annulus_runtime`'s links.

use std::mem::offset_of;

use annulus_abi::{
    control::command,
    launch::{LaunchRecord, LinkRecord},
};
use annulus_conformance::epoch::bytes_of;
use annulus_kernel::RingKernel;
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Along, Outbox};

use crate::scene::{self, BARE, Change, Fault, HEAP, Kernel, LAUNCH, LINKS, Program, Scene, Seen};

const BLOCKS: u32 = 3;
const HOLD: u32 = 6;
/// Of each block's actor, a row to both others.
const ROWS: [u32; 4 + 4 + 6] = [3, 6, 0, 0, 0, 2, 4, 6, 1, 2, 2, 0, 0, 1];

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Token {
    #[ring(key)]
    key: u32,
    /// How often it is still handed on.
    left: u32,
    /// How many microseconds its handler takes.
    takes: u32,
    none: u32,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 2)]
fn branch(token: &Token, seen: &mut Seen, out: &Outbox<Along<Token>>) {
    seen.count += 1;
    if token.left != 0 {
        out.send(Along { row: token.key, from: 0, message: Token { left: token.left - 1, ..*token } });
    }
}

const FAULTS: &[Fault] = &[
    (
        "turns that take a message do not tell what waits",
        &[(
            0,
            Change::Statements(
                "    ann_store_waiting(v, held);\n    ann_keep_pending(v, left);\n",
                "    if (b->taken == 0)\n        ann_store_waiting(v, held);\n    ann_keep_pending(v, left);\n",
                "",
            ),
        )],
    ),
    (
        "nothing waits while it is offered",
        &[(
            0,
            Change::Statements(
                "    ann_count_copies(v);\n",
                "    ann_count_copies(v);\n    ann_store_waiting(v, 0);\n    if (b->taken == 0)\n        dawdle(2000);\n",
                "",
            ),
        )],
    ),
];

/// K-05, P-04.
#[test]
fn rows_and_a_long_hold() {
    let definition = branch::DEFINITION;
    let layout = scene::layout(definition, [2, 8], BARE);
    let launch = scene::launch(definition, &layout, [BLOCKS, 1, BLOCKS, 2, HOLD]);
    let mut arguments = scene::arguments(&launch, BLOCKS as usize * size_of::<Seen>(), command::ACTIVE);
    arguments.push(vec![0; launch.device_local_stride as usize * BLOCKS as usize]);
    arguments.push(bytes_of(&LinkRecord { waits: 1, ..scene::link(&layout, BLOCKS) }).to_vec());
    arguments.push(ROWS.into_iter().flat_map(u32::to_ne_bytes).collect());
    Scene {
        name: "held_rows",
        programs: vec![Program {
            name: "branches",
            macros: "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n\
                     #define ANN_LAUNCH_HOLD 6\n",
            definition,
            takes: Some("message->takes"),
        }],
        host: include_str!("../../src/cuda/held_rows.cpp"),
        faults: FAULTS,
        kernels: vec![Kernel {
            threads: 1,
            launch,
            sizes: [definition.message.size, layout.outbound.payload_size],
            arguments,
        }],
        pointers: vec![
            [[0, LAUNCH, offset_of!(LaunchRecord, device_local)], [0, HEAP, 0]],
            [[0, LINKS, offset_of!(LinkRecord, rings)], [0, HEAP, 0]],
        ],
    }
    .play();
}
