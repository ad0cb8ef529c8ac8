//! What a message and a key of deduplication take, by what the queues say of themselves. Their tests hold that to what is
//! allocated.

use annulus_queue::{Deduplication, MessageQueue, QueueOptions};

use crate::harness::{Candidate, Case, Failure, Goal, Mark};

use super::{
    case,
    payload::{Bytes8, Bytes56, Bytes248, Payload},
};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![memory::<Bytes8>(), memory::<Bytes56>(), memory::<Bytes248>()];
    // The specification's, of which the smallest message must keep.
    let most = |candidate| Mark { candidate, metric: "", goal: Goal::AtMost(16.0) };
    cases[0].marks = vec![most(MESSAGE), most(KEY)];
    cases
}

const MESSAGE: &str = "annulus, a place";
const KEY: &str = "annulus, a key of the window";

fn memory<T: Payload>() -> Case {
    let of = |name, options: fn(u32) -> QueueOptions, more: u32| {
        Candidate::new(name, move || {
            let [small, large] =
                [more, 2 * more].map(|size| MessageQueue::<T>::memory_usage_of(&options(size)));
            let bytes = large.checked_sub(small).ok_or_else(|| Failure::from("more takes less"))?;
            Ok(vec![bytes as f64 / f64::from(more)])
        })
    };
    let candidates = vec![
        of(MESSAGE, |size| QueueOptions::new().capacity(size as usize), 1024),
        of(
            "annulus, a place, by priority",
            |size| QueueOptions::new().capacity(size as usize).priority(true),
            1024,
        ),
        of(
            KEY,
            |size| {
                let options = QueueOptions::new().capacity(4096).deduplication(Deduplication::ById);
                options.deduplication_window(size as usize)
            },
            512,
        ),
    ];
    Case {
        unit: "bytes",
        ..case(format!("memory, messages of {} B", size_of::<T>()), candidates, Vec::new())
    }
}
