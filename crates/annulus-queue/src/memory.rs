//! The exact memory use of queues.

use std::alloc::Layout;

use crate::{QueueOptions, queue::Shared, slots::Slots};

impl QueueOptions {
    /// The exact number of bytes that [`queue`](crate::queue) allocates with these options for messages of
    /// type `T`. Later only a few words per waiting thread or task are allocated, the first time that so many
    /// wait. The messages' own heap memory is not included.
    ///
    /// `usize::MAX` if the number exceeds the address space; [`queue`](crate::queue) refuses such capacities.
    ///
    /// A [`MessageQueue`](crate::MessageQueue) has [its own figure](crate::MessageQueue::memory_usage_of),
    /// and so have [queues with one receiver](crate::single_consumer::memory_usage) and [lossy
    /// rings](crate::lossy::memory_usage).
    ///
    /// A slot is the message and 8 bytes. A slot that fits into a cache line is padded to a power of two.
    ///
    /// ```
    /// # use annulus_queue::QueueOptions;
    /// let bytes = QueueOptions::new().capacity(256).memory_usage::<[u8; 1024]>();
    /// assert!(bytes > 256 * 1024);
    /// ```
    pub fn memory_usage<T>(&self) -> usize {
        ends_bytes::<T>(self.capacity).saturating_add(self.name_bytes())
    }

    pub(crate) fn name_bytes(&self) -> usize {
        self.name.as_ref().map_or(0, String::capacity)
    }
}

/// The bytes that a queue of two ends allocates, without its name.
pub(crate) fn ends_bytes<T>(capacity: usize) -> usize {
    shared_bytes::<Shared<T>>().saturating_add(Slots::<T>::bytes(capacity))
}

/// The bytes that an `Arc` of a `T` allocates: two counts and the value, each aligned.
pub(crate) fn shared_bytes<T>() -> usize {
    let counts = Layout::new::<[usize; 2]>();
    let (layout, _) = counts.extend(Layout::new::<T>()).expect("a type that exists fits into memory");
    layout.pad_to_align().size()
}
