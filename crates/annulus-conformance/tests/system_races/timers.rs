//! Two blocks with timers that run in epochs, each epoch on another thread than the one before, beside a host that launches
//! one when something is due.

use annulus_abi::{control::command, launch::LaunchRecord};
use annulus_kernel::RingKernel;
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Later, Outbox};

use crate::scene::{self, BARE, Change, Fault, Kernel, Program, Scene};

const BLOCKS: u32 = 2;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
#[expect(dead_code, reason = "the host makes the messages")]
enum Reminder {
    /// Comes so many times more, each after so many nanoseconds.
    Set { number: u32, times: u32, after: u64 },
    #[ring(start)]
    Start,
    #[ring(stop)]
    Stop,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Told {
    /// The variant that was taken.
    of: u32,
    number: u32,
    times: u32,
}

#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, timers = 4, max_timers = 1)]
fn remind(reminder: &Reminder, later: &Later<Reminder>, out: &Outbox<Told>) {
    match reminder {
        Reminder::Set { number, times, after } => {
            if *times != 0 {
                later.send_after(Reminder::Set { number: *number, times: *times - 1, after: *after }, *after);
            }
            out.send(Told { of: 0, number: *number, times: *times });
        }
        Reminder::Start => out.send(Told { of: 1, number: 0, times: 0 }),
        Reminder::Stop => out.send(Told { of: 2, number: 0, times: 0 }),
    }
}

const FAULTS: &[Fault] = &[
    (
        "a message is given back before it is told what it has set",
        &[
            (
                0,
                Change::Statements(
                    "    ann_tell_timers(v);\n",
                    "",
                    "#endif\n    s->processed += b->processed;",
                ),
            ),
            (
                0,
                Change::Statements(
                    "        ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in);\n",
                    "        ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in);\n        dawdle(500);\n        \
                     ann_tell_timers(v);\n",
                    "    }\n    ann_tell(v, noted);",
                ),
            ),
        ],
    ),
    (
        "a block says without release that it has ended",
        &[(
            0,
            Change::Statements(
                "ann_store_release_u32(&view.record->ended, view.record->epoch);",
                "ann_store_relaxed_u32(&view.record->ended, view.record->epoch);",
                "",
            ),
        )],
    ),
    (
        "a block says that it has ended before it leaves what it has counted",
        &[(
            0,
            Change::Statements(
                "        view.record->state = shared.state;\n",
                "        ann_store_release_u32(&view.record->ended, view.record->epoch);\n        dawdle(100);\n        \
                 view.record->state = shared.state;\n",
                "",
            ),
        )],
    ),
    (
        "a timer is set where the message lies whose handler sets it",
        &[(0, Change::Value("ann_timer_heap(v) + count + b->due", "ann_timer_heap(v) + count", ""))],
    ),
];

#[test]
fn timers_from_epoch_to_epoch() {
    let definition = remind::DEFINITION;
    let layout = scene::layout(definition, [4, 8], BARE);
    let launch = LaunchRecord {
        epoch_messages: 6,
        epoch_polls: 3,
        ..scene::launch(definition, &layout, [BLOCKS, 1, 1, 4, 0])
    };
    let arguments = scene::arguments(&launch, 64, command::ACTIVE);
    Scene {
        name: "timers",
        programs: vec![Program {
            name: "reminds",
            macros: "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_PORTABLE 1\n",
            definition,
            takes: None,
        }],
        host: include_str!("../../src/cuda/timers.cpp"),
        faults: FAULTS,
        kernels: vec![Kernel {
            threads: 1,
            launch,
            sizes: [definition.message.size, layout.outbound.payload_size],
            arguments,
        }],
        pointers: Vec::new(),
    }
    .play();
}
