//! The words in front of a slot's payload, except those that every slot has.

/// The values in front of a payload.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// Nanoseconds on the runtime's clock; dropped if the layout has no place for it.
    pub enqueue_time: u64,
    /// The call it belongs to, 0 for none; dropped if the layout has no place for it.
    pub correlation: u64,
    /// The trace that it belongs to, 0 for none; dropped if the layout has no place for it.
    pub trace: u64,
    /// The stamp of the event that sent it, 0 for none; dropped if the layout has no place for it.
    pub stamp: u64,
    /// The receiver's command word, as the sender found it before it asked for the slot. Dropped unless slots
    /// are sealed. A [`Consumer`](crate::ring::Consumer) ignores this field and does not return it.
    pub command: u32,
}
