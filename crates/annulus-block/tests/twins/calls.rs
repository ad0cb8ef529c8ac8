//! The calls among a script's messages, and what became of them.

use std::fmt;

use annulus_abi::ring::kind::{FAILED, MESSAGE, NO_REPLY};

use crate::{memory::Side, words::slot_words};

/// Replies of each kind that came, over all seeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replied {
    pub(crate) messages: u64,
    pub(crate) nothing: u64,
    pub(crate) failures: u64,
    /// Outputs of calls, beside their replies.
    pub(crate) further: u64,
}

impl Replied {
    pub(crate) fn add(&mut self, other: &Self) {
        let Self { messages, nothing, failures, further } = other;
        self.messages += messages;
        self.nothing += nothing;
        self.failures += failures;
        self.further += further;
    }

    /// Whether all kinds came that come from handlers that send so many messages at most.
    pub(crate) fn is_all_there(&self, max_outputs: u32) -> bool {
        let Self { messages, nothing, failures, further } = *self;
        (nothing != 0 && failures != 0)
            && (messages != 0) == (max_outputs != 0)
            && (further != 0) == (max_outputs > 1)
    }
}

/// A call.
#[derive(Debug)]
struct Call {
    /// Where its reply goes in Rust, and in C.
    slots: [u32; 2],
    /// The lap of its reply.
    generation: u32,
    /// What its handler sends if it succeeds.
    sends: u32,
    is_counted: bool,
}

/// The calls of a kernel, as far as no later call has their slots.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    last: Vec<Call>,
    /// Slots that replies ever went to, in Rust and in C: a bit each.
    used: [u64; 2],
}

impl Calls {
    /// A call was sent to both, to these addresses of one generation.
    pub(crate) fn sent(&mut self, rust: u64, c: u64, sends: u32) {
        let slots = [rust, c].map(|address| address as u32);
        self.last.retain(|call| call.slots[0] != slots[0] && call.slots[1] != slots[1]);
        (0..2).for_each(|side| self.used[side] |= 1 << slots[side]);
        self.last.push(Call { slots, generation: (rust >> 32) as u32, sends, is_counted: false });
    }

    /// The words of replies, as far as they differ. Where other kernels' messages lie in the host's ring in Rust, and not in C, a
    /// call's reply goes to different slots.
    pub(crate) fn words(&self, rust: &Side, c: &Side, add: &mut impl FnMut(String, u64, u64)) {
        let layout = rust.memory.layout();
        let Some(replies) = layout.replies else { return };
        let offset = layout.replies_offset();
        let place = |slot: u32| offset + replies.slot_offset(slot.into());
        let mut differ = |name: fmt::Arguments<'_>, rust: u64, c: u64| {
            if rust != c {
                add(name.to_string(), rust, c);
            }
        };
        for (number, call) in self.last.iter().enumerate() {
            let is_there = |side: &Side, slot| side.word::<u32>(place(slot)) == call.generation;
            let [in_rust, in_c] = call.slots;
            let both = [is_there(rust, in_rust), is_there(c, in_c)];
            differ(format_args!("reply {number}"), both[0].into(), both[1].into());
            if both == [true, true] {
                let (name, slots) = (format_args!("reply {number}"), [place(in_rust), place(in_c)]);
                slot_words(name, slots, &replies, |_| true, (rust, c), &mut |name, rust, c| {
                    differ(format_args!("{name}"), rust, c);
                });
            }
        }
        // Nobody writes where no call's reply goes.
        for slot in 0..replies.capacity {
            let stray = |side: &Side, used: u64| match used >> slot & 1 {
                0 => side.word::<u32>(place(slot)).into(),
                _ => 0,
            };
            let (rust, c) = (stray(rust, self.used[0]), stray(c, self.used[1]));
            differ(format_args!("no call's reply {slot}"), rust, c);
        }
        // Nobody counts replies.
        for word in (0..replies.slot_offset(0)).step_by(8) {
            let get = |side: &Side| side.word::<u64>(offset + word);
            differ(format_args!("replies+{word}"), get(rust), get(c));
        }
    }

    /// Counts the replies that have come to both since the last look.
    pub(crate) fn count(&mut self, rust: &Side, c: &Side, replied: &mut Replied) {
        let layout = rust.memory.layout();
        let Some(replies) = layout.replies else { return };
        for call in self.last.iter_mut().filter(|call| !call.is_counted) {
            let word = |(side, slot): (&Side, u32), at| {
                side.word::<u32>(layout.replies_offset() + replies.slot_offset(slot.into()) + at)
            };
            let both = [(rust, call.slots[0]), (c, call.slots[1])];
            if both.iter().any(|&side| word(side, 0) != call.generation) {
                continue;
            }
            call.is_counted = true;
            match (word(both[0], 4) >> 24) as u8 {
                MESSAGE => {
                    replied.messages += 1;
                    replied.further += u64::from(call.sends) - 1;
                }
                NO_REPLY => {
                    assert_eq!(call.sends, 0, "who sends something replies");
                    replied.nothing += 1;
                }
                FAILED => replied.failures += 1,
                kind => panic!("a reply of kind {kind}"),
            }
        }
    }
}
