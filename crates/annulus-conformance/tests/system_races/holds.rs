//! Three blocks with a long hold and two outboxes, which lead to the blocks themselves. Their messages carry causal stamps,
//! and their clocks disagree by seconds. A host waits until everything is drained, by the scan of `annulus_runtime`'s
//! links.

use std::mem::offset_of;

use annulus_abi::{
    control::command,
    launch::{BlockRecord, LaunchRecord, LinkRecord},
    ring::Envelope,
};
use annulus_conformance::epoch::bytes_of;
use annulus_kernel::{Failure, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Cx, Outbox};

use crate::scene::{self, BARE, Change, Fault, HEAP, Kernel, LAUNCH, LINKS, Program, Scene, Seen};

const BLOCKS: u32 = 3;
const HOLD: u32 = 6;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Token {
    #[ring(key)]
    key: u32,
    /// How often it is still handed on.
    left: u32,
    /// Not 0: each time together with a copy.
    copies: u32,
    /// How many microseconds its handler takes.
    takes: u32,
    /// The stamp of the message that it was sent because of.
    cause: u64,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 2, max_outputs(on = 1, copies = 1))]
fn relay(
    cx: &Cx,
    token: &Token,
    seen: &mut Seen,
    on: &Outbox<Token>,
    copies: &Outbox<Token>,
) -> Result<(), Failure> {
    if token.cause != 0 && cx.stamp() <= token.cause {
        return Err(Failure::of(1));
    }
    seen.count += 1;
    if token.left != 0 {
        let key = (token.key + 1) % 3;
        let cause = cx.stamp();
        if token.copies != 0 {
            copies.send(Token { key, left: 0, copies: 0, takes: 1000 * token.left, cause });
        }
        on.send(Token { key, left: token.left - 1, copies: token.copies, takes: 0, cause });
    }
    Ok(())
}

const FAULTS: &[Fault] = &[
    (
        "a message is given back before it is told that its output waits",
        &[
            (
                0,
                Change::Statements(
                    "#ifdef ANN_PORTS\n    ann_store_held(v);\n#endif\n",
                    "    if (v->shared->taken == 0)\n        ann_store_held(v);\n",
                    "",
                ),
            ),
            (
                0,
                Change::Statements(
                    "        ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in);\n",
                    "        ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in);\n        usleep(6000);\n        \
                     ann_store_held(v);\n",
                    "    }\n    ann_tell(v, noted);",
                ),
            ),
        ],
    ),
    (
        "it is told that nothing waits before that has gone",
        &[(
            0,
            Change::Statements(
                "    /* What this turn's messages have sent is counted (`ann_part`). */\n",
                "    for (u32 i = 0; i < ANN_PORTS; i++) {\n        b->ports[i].held = 0;\n        \
                 ann_store_release_u64(ANN_U64(ann_port_counts(v, i), ANN_PORT_HELD), 0);\n    }\n    dawdle(3000);\n",
                "",
            ),
        )],
    ),
    (
        "an output is published before it has its stamp",
        &[(
            0,
            Change::Statements(
                "        ann_device_local_envelope(l, slot, ANN_PORT_BYTES(number), now ANN_CARRIED_ARGUMENTS(output));\n",
                "        *ANN_U32(slot, 4) = ANN_KIND_MESSAGE << 24 | (u32)ANN_PORT_BYTES(number);\n        \
                 ann_device_fence_release();\n        ann_device_local_commit(l, slot, first + i);\n        dawdle(100);\n        \
                 ann_device_local_envelope(l, slot, ANN_PORT_BYTES(number), now ANN_CARRIED_ARGUMENTS(output));\n",
                "",
            ),
        )],
    ),
    (
        "a slot is given back before its stamp is cleared",
        &[
            (0, Change::Statements("        ann_clear_stamp(v, slot);\n", "", "")),
            (
                0,
                Change::Statements(
                    "        ann_device_store_release_u32(ANN_U32(v->device_local, ANN_DEVICE_LOCAL_CONSUMED), ann_device_local_next(v));\n",
                    "        ann_device_store_release_u32(ANN_U32(v->device_local, ANN_DEVICE_LOCAL_CONSUMED), ann_device_local_next(v));\n        \
                     for (u32 i = 1; i <= b->taken; i++)\n            *ANN_U64(ann_device_local_in_slot(v, (ann_device_local_next(v) - i) \
                     & ANN_DEVICE_LOCAL_TICKETS), b->launch.in_stamp) = 0;\n",
                    "",
                ),
            ),
        ],
    ),
    (
        "a block's clock is not raised to the stamp of its message",
        &[(0, Change::Value("b->stamp > stamp ? b->stamp : stamp", "b->stamp", ""))],
    ),
];

#[test]
fn a_long_hold_and_stamps() {
    let definition = relay::DEFINITION;
    let layout = scene::layout(definition, [2, 8], Envelope { stamp: true, ..BARE });
    let launch = scene::launch(definition, &layout, [BLOCKS, 1, BLOCKS, 2, HOLD]);
    let mut arguments = scene::arguments(&launch, BLOCKS as usize * size_of::<Seen>(), command::ACTIVE);
    for block in 0..BLOCKS as usize {
        let origin = block * size_of::<BlockRecord>() + offset_of!(BlockRecord, origin);
        arguments[2][origin..origin + 8].copy_from_slice(&(block as u64 * 1_000_000_000).to_ne_bytes());
    }
    arguments.push(vec![0; launch.device_local_stride as usize * BLOCKS as usize]);
    arguments.push(bytes_of(&scene::link(&layout, BLOCKS)).repeat(2));
    let rings = |place: usize| place * size_of::<LinkRecord>() + offset_of!(LinkRecord, rings);
    Scene {
        name: "holds",
        programs: vec![Program {
            name: "relays",
            macros: "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n\
                     #define ANN_LAUNCH_HOLD 6\n#define ANN_LAUNCH_CAUSAL 1\n",
            definition,
            takes: Some("message->takes"),
        }],
        host: include_str!("../../src/cuda/holds.cpp"),
        faults: FAULTS,
        kernels: vec![Kernel {
            threads: 1,
            launch,
            sizes: [definition.message.size, layout.outbound.payload_size],
            arguments,
        }],
        pointers: vec![
            [[0, LAUNCH, offset_of!(LaunchRecord, device_local)], [0, HEAP, 0]],
            [[0, LINKS, rings(0)], [0, HEAP, 0]],
            [[0, LINKS, rings(1)], [0, HEAP, 0]],
        ],
    }
    .play();
}
