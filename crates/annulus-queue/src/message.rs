//! What a queue needs to know about a message.

pub use annulus_message::{Message, hash_bytes};
