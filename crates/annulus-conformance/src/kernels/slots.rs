//! Messages of lengths at which a slot takes another form: see `annulus_abi::ring::UNITS_MOST`.

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Along, Outbox};

/// A message of so many numbers, and a kernel that adds its first one to all others, and answers.
macro_rules! lengths {
    ($($Message:ident $kernel:ident $words:literal),*) => {
        $(
            #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
            #[repr(C)]
            pub struct $Message {
                pub words: [u64; $words],
            }

            #[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
            pub fn $kernel(message: &$Message, out: &Outbox<$Message>) {
                let mut answer = *message;
                for i in 1..$words {
                    answer.words[i] += message.words[0];
                }
                out.send(answer);
            }
        )*
    };
}

lengths!(
    Words4 add_to_4 4,
    Words9 add_to_9 9,
    Words10 add_to_10 10,
    Words30 add_to_30 30,
    Words40 add_to_40 40,
    Words41 add_to_41 41,
    Words42 add_to_42 42,
    Words43 add_to_43 43
);

/// 296 bytes, which go along rows.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Parcel {
    #[ring(key)]
    pub to: u32,
    pub number: u32,
    pub words: [u64; 36],
}

/// Sends a parcel along the row of its number.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
pub fn scatter(message: &Parcel, out: &Outbox<Along<Parcel>>) {
    out.send(Along { row: message.number % 4, from: 0, message: *message });
}

/// Sends on what has come.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
pub fn gather(message: &Parcel, out: &Outbox<Parcel>) {
    out.send(*message);
}
