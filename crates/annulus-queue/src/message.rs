//! What a queue asks of a message.

pub use annulus_message::{Message, hash_bytes};
