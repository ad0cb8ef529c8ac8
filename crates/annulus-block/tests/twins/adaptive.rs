//! Both twins take adaptive turns of the same sizes: M-05.

use annulus_abi::{control::command, kernel::KernelLayout};
use annulus_kernel::ProcessingMode;
use annulus_ring::ring::Header;
use annulus_sync::Ordering;

use crate::{
    LINKED, SCENES,
    kernels::PLAIN,
    memory::{Place, Side},
    random::Random,
    scene::{Options, Pair, Scene},
};

/// The scenes of one kernel, with a kernel whose messages need no room. Blocks that may be connected have two
/// rings.
fn scenes() -> impl Iterator<Item = Scene> {
    let all = SCENES.iter().chain(LINKED).copied();
    all.filter(|scene| !scene.connectable).map(|scene| Scene { kernel: PLAIN, ..scene })
}

/// A launch that takes up to `limit` messages in a turn, active.
fn launched(scene: &Scene, limit: u32) -> Pair {
    let mut random = Random::new(1);
    let drawn = Options::draw(&mut random, &scene.kernel, 1);
    let shape = annulus_abi::kernel::KernelShape {
        inbound_capacity: 1024,
        outbound_capacity: 16,
        message: (8, 8),
        output: (0, 1),
        envelope: annulus_abi::ring::Envelope {
            enqueue_time: false,
            correlation: false,
            trace: false,
            stamp: false,
        },
        dead_letters_capacity: 0,
        prints_capacity: 0,
        print_words: 0,
        histogram: false,
        ports: 0,
    };
    let options = Options {
        layout: KernelLayout::new(&shape),
        place: Place { block: 0, grid: 1 },
        actors: 1,
        mode: ProcessingMode::Adaptive,
        limit,
        counts_turns: true,
        ..drawn
    };
    let pair = Pair::new(scene, options, None, 0, None);
    pair.command(command::ACTIVE);
    pair
}

fn send(side: &Side, messages: u64) {
    for value in 0..messages {
        assert!(side.send(&(4 * value + 1).to_ne_bytes(), Header::default()), "the ring has room");
    }
}

fn processed(side: &Side) -> u64 {
    side.memory.processed().load(Ordering::Relaxed)
}

impl Pair {
    /// What both take of so many messages, turn by turn.
    fn adaptive_turns(&mut self, messages: u64) -> (Vec<u64>, Vec<u64>) {
        send(&self.rust, messages);
        send(&self.c, messages);
        let (mut rust, mut c) = (Vec::new(), Vec::new());
        let mut before = processed(&self.rust);
        while self.rust_block.turn() {
            let after = processed(&self.rust);
            rust.push(after - before);
            before = after;
        }
        // What is told late is told after some looks that find nothing.
        let mut nothing = 0;
        while nothing < 6 {
            nothing = if self.c_block.turn() { 0 } else { nothing + 1 };
            c.push(self.c_block.taken().into());
        }
        // A turn that obeyed a command, or had nothing to do.
        rust.retain(|&size| size != 0);
        c.retain(|&size| size != 0);
        (rust, c)
    }
}

/// The sizes grow while the queue is deep, and shrink while it is shallow, in both alike.
#[test]
fn m05_both_take_turns_of_the_same_sizes() {
    for scene in scenes() {
        let mut pair = launched(&scene, 32);
        for (messages, expected) in [
            (100, vec![2, 4, 8, 16, 32, 32, 6]),
            // 6 is a quarter of 32 or less: the size is 16, and then 32 again.
            (1, vec![1]),
            (100, vec![16, 32, 32, 20]),
            (9, vec![9]),
            (100, vec![32, 32, 32, 4]),
        ] {
            let (rust, c) = pair.adaptive_turns(messages);
            assert_eq!((&rust, &c), (&expected, &expected), "{}: {messages} messages", scene.name);
        }
        let turns = |side: &Side| side.memory.turns().load(Ordering::Relaxed);
        assert_eq!((turns(&pair.rust), turns(&pair.c)), (17, 17), "{}", scene.name);
    }
}

/// Depths drawn at random: the turns of both have the same sizes, whatever the cap.
#[test]
fn m05_sizes_agree_at_any_depth() {
    let scenes: Vec<_> = scenes().collect();
    for (at, limit) in [1, 2, 3, 5, 7, 8, 31, 64].into_iter().enumerate() {
        let scene = &scenes[at % scenes.len()];
        let mut random = Random::new(at as u64);
        let mut pair = launched(scene, limit);
        let mut largest = 0;
        for _ in 0..60 {
            let depth = random.pick(&[1, 2, 3, 5, 17, 60, 300]);
            let (rust, c) = pair.adaptive_turns(depth);
            assert_eq!(rust, c, "{}: a cap of {limit}, {depth} messages", scene.name);
            assert_eq!(rust.iter().sum::<u64>(), depth);
            largest = largest.max(rust.into_iter().max().unwrap_or(0));
        }
        assert_eq!(largest, u64::from(limit), "the cap is reached");
    }
}
