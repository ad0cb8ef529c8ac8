//! Calls through two kernels, of places that are used again. In the end the second kernel is told to end meanwhile.

use std::mem::offset_of;

use annulus_abi::{
    control::command,
    kernel::KernelLayout,
    launch::{LaunchRecord, LinkRecord},
    ring::Envelope,
};
use annulus_conformance::epoch::bytes_of;
use annulus_kernel::{Failure, KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::Outbox;

use crate::scene::{self, BARE, Change, Fault, HEAP, Kernel, LAUNCH, LINKS, Program, Scene, Seen};

const BLOCKS: u32 = 2;
const CALLS: u32 = 4;

/// What goes through both.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Item {
    #[ring(key)]
    key: u32,
    number: u32,
    /// 0: it is answered; 1: the first kernel sends nothing, 2: it fails, 3: it sends two; 4: the second kernel does not
    /// answer, 5: it fails.
    act: u32,
    /// How many microseconds the second handler takes.
    takes: u32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Price {
    number: u32,
    cents: u32,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 2, max_outputs = 2)]
fn pass_on(item: &Item, seen: &mut Seen, out: &Outbox<Item>) -> Result<(), Failure> {
    seen.count += 1;
    if item.act == 2 {
        return Err(Failure::of(7));
    }
    if item.act != 1 {
        out.send(Item { key: item.number / 2 % 2, ..*item });
    }
    if item.act == 3 {
        out.send(Item { key: item.number / 2 % 2, ..*item });
    }
    Ok(())
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 2)]
fn price(item: &Item, seen: &mut Seen, out: &Outbox<Price>) -> Result<(), Failure> {
    seen.count += 1;
    if item.act == 5 {
        return Err(Failure::of(9));
    }
    if item.act != 4 {
        out.send(Price { number: item.number, cents: item.number * 3 + 1 });
    }
    Ok(())
}

const FAULTS: &[Fault] = &[
    ("an answer is published before its header is written", &[(1, scene::HEADER_LATE)]),
    (
        "a call ends before it is written why",
        &[(
            0,
            Change::Statements(
                "    *ANN_U32(slot, 4) = kind << 24 | code;\n    /* SYNC: slot-published (release) */\n    \
                 ann_store_release_u32(ANN_U32(slot, 0), ann_reply_lap(call));\n",
                "    ann_store_release_u32(ANN_U32(slot, 0), ann_reply_lap(call));\n    dawdle(100);\n    \
                 *ANN_U32(slot, 4) = kind << 24 | code;\n",
                "",
            ),
        )],
    ),
    ("a call goes on with each output", &[(0, Change::Value("!carried", "1", ";\n#endif"))]),
    (
        "an output between kernels is published before it carries its call",
        &[(
            0,
            Change::Statements(
                "            if (l->correlation != 0)\n                *ANN_U64(slot, l->correlation) = ANN_CARRIED(output);\n",
                "            ann_device_fence_release();\n            ann_device_local_commit(l, slot, first + i);\n            \
                 dawdle(100);\n            if (l->correlation != 0)\n                \
                 *ANN_U64(slot, l->correlation) = ANN_CARRIED(output);\n",
                "",
            ),
        )],
    ),
    ("who ends does not end the calls of the messages that it has not taken", &[(1, scene::UNREAD_LEFT)]),
];

fn kernel(definition: &KernelDefinition, layout: &KernelLayout, link: LinkRecord) -> Kernel {
    let launch = scene::launch(definition, layout, [BLOCKS, 1, BLOCKS, 2, 0]);
    let mut arguments = scene::arguments(&launch, BLOCKS as usize * size_of::<Seen>(), command::ACTIVE);
    arguments.push(vec![0; launch.device_local_stride as usize * BLOCKS as usize]);
    arguments.push(bytes_of(&link).to_vec());
    Kernel { threads: 1, launch, sizes: [definition.message.size, layout.outbound.payload_size], arguments }
}

#[test]
fn calls_through_two_kernels() {
    const MACROS: &str = "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n\
                          #define ANN_LAUNCH_THROUGH 1\n";
    let (first, last) = (pass_on::DEFINITION, price::DEFINITION);
    let [from, to] = [first, last].map(|definition| {
        scene::layout(definition, [4, 8], Envelope { correlation: true, ..BARE }).through(CALLS, BLOCKS)
    });
    let own = |kernel: usize| [[kernel, LAUNCH, offset_of!(LaunchRecord, device_local)], [kernel, HEAP, 0]];
    Scene {
        name: "calls",
        programs: vec![
            Program { name: "first", macros: MACROS, definition: first, takes: None },
            Program { name: "last", macros: MACROS, definition: last, takes: Some("message->takes") },
        ],
        host: include_str!("../../src/cuda/calls.cpp"),
        faults: FAULTS,
        kernels: vec![
            kernel(first, &from, scene::link(&to, BLOCKS)),
            kernel(last, &to, LinkRecord::default()),
        ],
        pointers: vec![own(0), own(1), [[0, LINKS, offset_of!(LinkRecord, rings)], [1, HEAP, 0]]],
    }
    .play();
}
