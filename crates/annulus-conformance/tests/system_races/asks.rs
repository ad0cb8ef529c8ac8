//! Two blocks that ask two others. Some answers come late, some asks run out of time, and at the end the asked kernel is
//! told to end while it is asked.

use std::mem::offset_of;

use annulus_abi::{
    control::command,
    kernel::KernelLayout,
    launch::{AskRecord, LaunchRecord, LinkRecord},
    ring::Envelope,
};
use annulus_conformance::epoch::bytes_of;
use annulus_kernel::{Failure, KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Answer, Ask, Outbox};

use crate::scene::{self, BARE, Change, Fault, HEAP, Kernel, LAUNCH, LINKS, Program, Scene, Seen};

const BLOCKS: u32 = 2;
/// The number of the asker's first place, and how many it has: an entry for each timer.
const FIRST: u32 = 3;
const PLACES: u32 = BLOCKS * 4;

/// Makes a block ask.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Order {
    #[ring(key)]
    actor: u32,
    number: u32,
    /// What the asked handler does: 0 answers, 1 does not, 2 fails.
    act: u32,
    /// How many microseconds it takes.
    takes: u32,
    limit: u64,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Query {
    #[ring(key)]
    desk: u32,
    number: u32,
    act: u32,
    takes: u32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Price {
    number: u32,
    cents: u32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Priced {
    #[ring(key)]
    actor: u32,
    number: u32,
    act: u32,
    takes: u32,
    price: Answer<Price>,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Order(Order),
    #[ring(from)]
    Priced(Priced),
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Done {
    number: u32,
    act: u32,
    takes: u32,
    ended: u32,
    code: u32,
    answered: u32,
    cents: u32,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 2, timers = 4, max_timers = 1)]
fn asker(event: &Event, seen: &mut Seen, done: &Outbox<Done>, price: &Ask<Query, Priced>) {
    seen.count += 1;
    match event {
        Event::Order(order) => {
            let blank = Answer { ended: 0, code: 0, value: Price { number: 0, cents: 0 } };
            let Order { actor, number, act, takes, limit } = *order;
            price.send(
                Query { desk: number / 2 % 2, number, act, takes },
                Priced { actor, number, act, takes, price: blank },
                limit,
            );
        }
        Event::Priced(priced) => {
            let Priced { number, act, takes, price, .. } = *priced;
            done.send(Done {
                number,
                act,
                takes,
                ended: price.ended,
                code: price.code,
                answered: price.value.number,
                cents: price.value.cents,
            });
        }
    }
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 2)]
fn desk(query: &Query, seen: &mut Seen, out: &Outbox<Price>) -> Result<(), Failure> {
    seen.count += 1;
    if query.act == 2 {
        return Err(Failure::of(9));
    }
    if query.act == 0 {
        out.send(Price { number: query.number, cents: query.number * 3 + 1 });
    }
    Ok(())
}

const FAULTS: &[Fault] = &[
    (
        "a block takes an answer without acquire",
        &[(
            0,
            Change::Statements(
                "    if (found == 0)\n        return;\n    /* SYNC: slot-published (acquire) */\n    ann_fence_acquire();\n",
                "    if (found == 0)\n        return;\n",
                "",
            ),
        )],
    ),
    ("an answer is published before its header is written", &[(1, scene::HEADER_LATE)]),
    (
        "an ask's place is free once its time is up, and its answer has not come",
        &[(
            0,
            Change::Statements(
                "        t->awaited &= ~((u64)1 << entry);\n",
                "        ann_free_asks(v, (u64)1 << entry);\n",
                "        ann_write_end(",
            ),
        )],
    ),
    (
        "an ask begins with the generation that its place shows",
        &[(
            0,
            Change::Value(
                "ann_load_relaxed_u32(ANN_U32(ann_answer_at(v, entry), 0)) + 1",
                "ann_load_relaxed_u32(ANN_U32(ann_answer_at(v, entry), 0))",
                "",
            ),
        )],
    ),
    ("who ends does not end the asks of the messages that it has not taken", &[(1, scene::UNREAD_LEFT)]),
];

fn layout(definition: &KernelDefinition) -> KernelLayout {
    scene::layout(definition, [4, 8], Envelope { correlation: true, ..BARE }).through(FIRST + PLACES, BLOCKS)
}

fn kernel(definition: &KernelDefinition, heap: usize, links: Vec<u8>) -> Kernel {
    let layout = layout(definition);
    let launch = scene::launch(definition, &layout, [BLOCKS, 1, BLOCKS, 2, 0]);
    let mut arguments = scene::arguments(&launch, BLOCKS as usize * size_of::<Seen>(), command::ACTIVE);
    arguments.push(vec![0; launch.device_local_stride as usize * BLOCKS as usize + heap]);
    arguments.push(links);
    let output = layout.outbound.payload_size;
    Kernel { threads: 1, launch, sizes: [definition.message.size, output], arguments }
}

#[test]
fn asks_and_answers() {
    const MACROS: &str = "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n\
                          #define ANN_LAUNCH_THROUGH 1\n";
    let (asks, asked) = (asker::DEFINITION, desk::DEFINITION);
    let to = layout(asked);
    let rings = to.inbound.bytes() * BLOCKS as usize;
    let way = AskRecord {
        stride: to.outbound.slot_stride as u64,
        payload: to.outbound.payload_offset as u32,
        first: FIRST,
        ..AskRecord::default()
    };
    let links = [LinkRecord::default(), scene::link(&to, BLOCKS)];
    let links: Vec<u8> = links.iter().flat_map(bytes_of).chain(bytes_of(&way)).copied().collect();
    let landings = (FIRST + PLACES) as usize * to.outbound.slot_stride;
    let own = [LAUNCH, offset_of!(LaunchRecord, device_local)];
    let record = size_of::<LinkRecord>();
    Scene {
        name: "asks",
        programs: vec![
            Program { name: "asks", macros: MACROS, definition: asks, takes: None },
            Program { name: "asked", macros: MACROS, definition: asked, takes: Some("message->takes") },
        ],
        host: include_str!("../../src/cuda/asks.cpp"),
        faults: FAULTS,
        kernels: vec![
            kernel(asks, 0, links),
            kernel(asked, landings, bytes_of(&LinkRecord::default()).to_vec()),
        ],
        pointers: vec![
            [[0, own[0], own[1]], [0, HEAP, 0]],
            [[1, own[0], own[1]], [1, HEAP, 0]],
            [[0, LINKS, record + offset_of!(LinkRecord, rings)], [1, HEAP, 0]],
            [[0, LINKS, 2 * record + offset_of!(AskRecord, landings)], [1, HEAP, rings]],
        ],
    }
    .play();
}
