//! What an Annulus message is.
//!
//! [`Message`] is the one contract. It says what a message tells queues and kernels about itself (id,
//! priority, timestamp, key, payload size), and how it is encoded and decoded. `#[derive(RingMessage)]` of
//! the crate `annulus` implements it, with one of two kinds of [`Payload`]. A *direct* payload is plain old
//! data that kernels take and send. A *bridged* payload has text, collections and nesting; kernels read it in
//! place.
//!
//! With the feature `wire`, a message that leaves the process travels in a frame: a [`header`] of 256 bytes
//! with checksums and the hash of its type's [`Schema`], then its payload. [`FrameWriter`] writes frames to
//! files and pipes, and [`FrameReader`] reads them.
//!
//! What this promises:
//!
//! * **Any bytes may be read.** Input that was cut off, changed, invented or made large gives a clear error,
//!   in bounded memory, and no panic.
//! * **Equal messages have equal bytes**, on every machine.
//! * **A changed type is noticed.** The schema travels with the messages; an error names both sides and the
//!   field.
//! * **Writing allocates nothing in the steady state**, except for shared pointers (`Arc`) of bridged
//!   messages.
//!
//! What it does not do: encrypt, authenticate (a checksum protects against accident, not against an
//! attacker), or repeat lost messages.

mod error;
mod message;
mod payload;
mod schema;
mod shaped;

#[cfg(feature = "wire")]
pub mod bridged;
#[cfg(feature = "wire")]
mod compress;
#[cfg(feature = "wire")]
pub mod delta;
#[cfg(feature = "wire")]
pub mod header;
#[cfg(feature = "wire")]
mod read_error;
#[cfg(feature = "wire")]
mod reader;
#[cfg(feature = "wire")]
mod wire;
#[cfg(feature = "wire")]
mod writer;

pub use error::{DecodeError, EncodeError};
pub use message::{Message, hash_bytes};
pub use payload::{Encoding, MAX_PAYLOAD, Payload};
pub use schema::{Field, Number, Schema, SchemaMismatch, Shape, Variant};
pub use shaped::Shaped;

#[cfg(feature = "wire")]
pub use bridged::Archived;
#[cfg(feature = "wire")]
#[doc(hidden)]
pub use compress::Lz4;
#[cfg(feature = "wire")]
pub use compress::Sampler;
#[cfg(feature = "wire")]
pub use header::{Compression, Content, Header, HeaderError, TypeName};
#[cfg(feature = "wire")]
pub use read_error::{ReadError, Refusals};
#[cfg(feature = "wire")]
pub use reader::{Frame, FrameReader};
#[cfg(feature = "wire")]
pub use wire::{MAX_BATCH, MAX_COUNT, MAX_SCHEMA, WireType};
#[cfg(feature = "wire")]
pub use writer::{Facts, FrameCounters, FrameWriter, WriteError};

/// The code that the derive macro generates for a bridged message is inside this.
#[cfg(feature = "wire")]
#[doc(hidden)]
#[macro_export]
macro_rules! __bridged {
    ($($items:tt)*) => { $($items)* };
}

/// The code that the derive macro generates for a bridged message is inside this. Without the feature it is
/// not used.
#[cfg(not(feature = "wire"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __bridged {
    ($($items:tt)*) => {
        ::core::compile_error! {
            "a message with text or collections needs the feature `wire`: cargo add annulus --features wire"
        }
    };
}

/// What the derive macro writes about.
#[cfg(feature = "wire")]
#[doc(hidden)]
pub use rkyv;
