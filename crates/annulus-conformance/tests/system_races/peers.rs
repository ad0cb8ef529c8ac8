//! Two blocks that send to themselves by addresses, of which the host says again and again which place has which, while the
//! blocks are inactive and hold outputs.

use std::mem::offset_of;

use annulus_abi::{
    control::command,
    launch::{LaunchRecord, LinkRecord},
};
use annulus_conformance::epoch::bytes_of;
use annulus_kernel::{MOST_PEERS, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Addressed, Outbox, Peer};

use crate::scene::{self, BARE, Change, Fault, HEAP, Kernel, LAUNCH, LINKS, Program, Scene, Seen};

const BLOCKS: u32 = 2;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Token {
    #[ring(key)]
    key: u32,
    /// How often it is still sent.
    left: u32,
    to: Peer<Token>,
    /// Whom it is sent to the next time.
    then: Peer<Token>,
    /// How many microseconds its handler takes.
    takes: u32,
    none: u32,
}

/// Sends a token on, to the next actor, which is the other block's.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
fn direct(token: &Token, seen: &mut Seen, out: &Outbox<Addressed<Token>>) {
    seen.count += 1;
    if token.left != 0 {
        let key = (token.key + 1) % 4;
        let message =
            Token { key, left: token.left - 1, to: token.then, then: token.to, takes: token.takes, none: 0 };
        out.send(Addressed { to: token.to, message });
    }
}

const FAULTS: &[Fault] = &[
    (
        "a block loads where places lead without having acquired the command",
        &[(
            0,
            Change::Statements(
                "        /* SYNC: command (acquire) */\n        ann_fence_acquire();\n",
                "",
                "        ann_obey(v, command);",
            ),
        )],
    ),
    (
        "a block says that it is inactive before it has loaded where places lead",
        &[(
            0,
            Change::Statements(
                "    ann_load_link(v);\n",
                "    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STATE), (command & ANN_ACTIVE) != 0 ? ANN_STATE_ACTIVE : \
                 ANN_STATE_INACTIVE);\n    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_ACKNOWLEDGED), command);\n    \
                 dawdle(100);\n    ann_load_link(v);\n",
                "#if ANN_ASKS\n    ann_lead_asks(v);",
            ),
        )],
    ),
];

/// Two places lead to the kernel itself; the last one stands for nobody, and leads to a ring that is closed. Behind the
/// records are the addresses, which the host writes.
fn links(link: LinkRecord) -> Vec<u8> {
    let mut links = [LinkRecord::default(); MOST_PEERS + 1];
    links[0] = link;
    links[1] = link;
    links[MOST_PEERS] = LinkRecord { grid: 1, ..link };
    links.iter().flat_map(bytes_of).copied().chain([0; 8 * (MOST_PEERS + 1)]).collect()
}

#[test]
fn addresses_that_change_places() {
    let definition = direct::DEFINITION;
    let layout = scene::layout(definition, [4, 8], BARE);
    let launch = scene::launch(definition, &layout, [BLOCKS, 1, 4, 4, 0]);
    let rings = launch.device_local_stride as usize * BLOCKS as usize;
    let mut heap = vec![0; rings + 256];
    heap[rings..rings + 4].copy_from_slice(&(1u32 << 31).to_ne_bytes());
    let mut arguments = scene::arguments(&launch, 4 * size_of::<Seen>(), 0);
    assert_eq!(command::ACTIVE, 1, "as in `scene.hpp`");
    arguments.push(heap);
    arguments.push(links(scene::link(&layout, BLOCKS)));
    let sizes = [definition.message.size, layout.outbound.payload_size];
    let to = |place: usize, at: usize| {
        [[0, LINKS, place * size_of::<LinkRecord>() + offset_of!(LinkRecord, rings)], [0, HEAP, at]]
    };
    Scene {
        name: "peers",
        programs: vec![Program {
            name: "directs",
            macros: "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_CONNECTABLE 1\n#define ANN_LAUNCH_PORTABLE 1\n",
            definition,
            takes: Some("message->takes"),
        }],
        host: include_str!("../../src/cuda/peers.cpp"),
        faults: FAULTS,
        kernels: vec![Kernel { threads: 1, launch, sizes, arguments }],
        pointers: vec![
            [[0, LAUNCH, offset_of!(LaunchRecord, device_local)], [0, HEAP, 0]],
            to(0, 0),
            to(1, 0),
            to(MOST_PEERS, rings),
        ],
    }
    .play();
}
