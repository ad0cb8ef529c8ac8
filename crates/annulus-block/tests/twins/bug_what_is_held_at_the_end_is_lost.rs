//! A block in C that ended while it pending outputs counted them as lost, though its kernel was connected no
//! more and the host had room for them. The block in Rust gave them to the host.

use crate::{
    LINKED,
    linked::{End, Outcome, holding},
};

#[test]
fn what_is_held_at_the_end_goes_to_the_host() {
    for scene in LINKED.iter().filter(|scene| scene.kernel.definition.name == "tally") {
        for outcome in holding(scene, End::Disconnect) {
            let Outcome { unforwarded, answers, .. } = outcome;
            assert_eq!((unforwarded, answers), (0, 1), "{}", scene.name);
        }
    }
}
