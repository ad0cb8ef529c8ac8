//! A block of one thread in C looked for the calls among other kernels' messages in the host's ring. A call
//! that had lain in the next slot there made room for a message that needs more, whose outputs then went over
//! others that nobody had received.

use std::{mem::offset_of, sync::Arc};

use annulus_abi::{
    actors::Exits,
    control::{ControlBlock, command},
    kernel::{KernelLayout, KernelShape},
    ring::Envelope,
};
use annulus_kernel::ProcessingMode;
use annulus_ring::ring::Header;

use crate::{
    LINKED,
    c_block::Exchange,
    kernels::Item,
    memory::{Place, Side},
    rust_block::Target,
    scene::{Options, Pair, Scene},
    words::Facts,
};

/// What handlers send of themselves, and what theirs do.
fn item(sends: u32, then: u32) -> Vec<u8> {
    Item { key: 0, sends, fails: 0, then, value: 1 }.bytes()
}

fn plays(scene: &Scene) {
    let output = scene.kernel.definition.output.expect("it sends");
    let layout = KernelLayout::new(&KernelShape {
        inbound_capacity: 2,
        outbound_capacity: 4,
        message: (size_of::<Item>(), align_of::<Item>()),
        output: (output.size, output.align),
        envelope: Envelope { enqueue_time: false, correlation: true, trace: false, stamp: false },
        dead_letters_capacity: 0,
        prints_capacity: 0,
        print_words: 0,
        histogram: false,
        ports: scene.kernel.definition.ports.len() as u32,
    });
    let place = Place { block: 0, grid: 1 };
    let options = Options {
        layout,
        place,
        actors: 1,
        mode: ProcessingMode::Continuous,
        limit: 1,
        shows: true,
        counts_turns: false,
        keys: scene.keys,
        exits: Exits::default(),
    };
    let exchange = Arc::new(Exchange::new(&layout, 2, 0));
    let [mut from, mut to] = [0, 1].map(|copy| Pair::new(scene, options, None, copy, Some(&exchange)));
    let target = Target::new(&to.rust, &from.rust);
    from.rust_block.connect(scene.links[0], Some(&target), true);
    from.c_block.connect(scene.links[0], Some(1), &layout, true);
    for pair in [&mut from, &mut to] {
        pair.command(command::ACTIVE);
        pair.settle();
    }

    // A call, and another message: both slots of the ring are used, and the next one is the call's.
    let sides = |pair: &Pair, send: fn(&Side)| [&pair.rust, &pair.c].into_iter().for_each(send);
    let [in_rust, in_c] = [&to.rust, &to.c].map(|side| {
        let correlation = side.call(false, 1);
        assert!(side.send(&item(2, 0), Header { correlation, ..Header::default() }));
        correlation
    });
    to.calls.sent(in_rust, in_c, 2);
    to.settle();
    sides(&to, |side| assert!(side.send(&item(2, 0), Header::default())));
    to.settle();
    assert_eq!([to.rust.waiting(), to.c.waiting()], [3; 2], "one place is left");

    // Its handler may send two.
    sides(&from, |side| assert!(side.send(&item(1, 2), Header::default())));
    from.settle();
    to.settle();
    assert_eq!([to.rust.waiting(), to.c.waiting()], [3; 2], "{}", scene.name);
    let stalled = [&to.rust, &to.c].map(|side| side.word::<u32>(offset_of!(ControlBlock, stalled)));
    assert_eq!(stalled, [1; 2], "{}", scene.name);
    let wrong = to.wrong(&Facts { sent_near: 1, ..Facts::default() });
    assert!(
        wrong.is_empty(),
        "{}: {}",
        scene.name,
        wrong.iter().map(ToString::to_string).collect::<String>()
    );
}

#[test]
fn an_old_call_in_the_hosts_ring_makes_no_room_for_another_kernels_message() {
    LINKED
        .iter()
        .filter(|scene| scene.kernel.definition.peers.is_none() && scene.variant.is_none())
        .for_each(plays);
}
