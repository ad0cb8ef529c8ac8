//! A block in Rust that waited for room went on waiting when its kernel was connected anew so that outputs do
//! not wait. The block in C counted them as lost, and went on.

use crate::{
    LINKED,
    linked::{End, Outcome, holding},
};

#[test]
fn outputs_that_find_no_room_are_lost_where_they_do_not_wait() {
    for scene in LINKED.iter().filter(|scene| scene.kernel.definition.name == "tally") {
        for outcome in holding(scene, End::Reject) {
            assert_eq!(outcome, Outcome { stalled: 0, unforwarded: 1, answers: 0 }, "{}", scene.name);
        }
    }
}
