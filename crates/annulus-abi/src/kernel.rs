//! The layout of the memory that a kernel shares with its host: one range of memory, divided into shards.

use crate::{
    PAIR,
    bridged::bridged,
    control::{ActorCounts, ControlBlock, PortCounts},
    histogram::BUCKETS,
    ring::{Envelope, MIN_CAPACITY, RingLayout},
    trace::{RECORDS, Record},
};

/// The layout of each shard: control block, inbound ring, outbound ring and, as the launch or the kernel asks
/// for them, a ring of replies, a ring of dead letters, a ring of prints, a ring of records, a histogram of latencies, a count of
/// its actors and counts of its outboxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelLayout {
    /// From the host to the shard.
    pub inbound: RingLayout,
    /// From the shard to the host: outputs. No envelope words but trace and stamp, if the inbound envelope has them.
    pub outbound: RingLayout,
    /// From the shard to the host: replies to calls, if the inbound envelope has a correlation. It has as
    /// many slots as the inbound ring. Each belongs to the inbound slot of the same number, and has the
    /// layout of an outbound slot.
    pub replies: Option<RingLayout>,
    /// From any shard of the kernel to the host: answers to calls through pipelines, if the launch has such calls. The
    /// call with the place *p* has slot *p* / *n* in shard *p* % *n*, of *n* shards. Slots are open, and else like those
    /// of replies; they follow them.
    pub landings: Option<RingLayout>,
    /// From the shard to the host: messages whose handling failed. No envelope words.
    pub dead_letters: Option<RingLayout>,
    /// From the shard to the host: what handlers print. No envelope words. The payload consists of words, and
    /// follows the slot's header.
    pub prints: Option<RingLayout>,
    /// From the shard to the host: [records](crate::trace) of messages that carried a trace. No envelope words.
    pub records: Option<RingLayout>,
    /// Whether a histogram follows.
    pub histogram: bool,
    /// Whether an [`ActorCounts`] follows: the keys of the kernel are sparse.
    pub actors: bool,
    /// How many [`PortCounts`] follow, as the last of the shard.
    pub ports: u32,
}

/// The properties of a kernel that decide its layout.
#[derive(Clone, Copy, Debug)]
pub struct KernelShape {
    /// Slots of the inbound ring.
    pub inbound_capacity: u32,
    /// Slots of the outbound ring.
    pub outbound_capacity: u32,
    /// Size and alignment of a message.
    pub message: (usize, usize),
    /// Size and alignment of an output; `(0, 1)` without an outbox.
    pub output: (usize, usize),
    /// Words of the inbound envelope.
    pub envelope: Envelope,
    /// Slots of the ring of dead letters, 0 for none.
    pub dead_letters_capacity: u32,
    /// Slots of the ring of prints, 0 for none.
    pub prints_capacity: u32,
    /// The largest number of arguments of a print.
    pub print_words: usize,
    /// Whether latencies are tracked.
    pub histogram: bool,
    /// The outboxes of a kernel that has several, if it may be connected to others; else 0.
    pub ports: u32,
}

impl KernelLayout {
    /// The layout for a kernel of this shape.
    pub const fn new(shape: &KernelShape) -> Self {
        const BARE: Envelope =
            Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false };
        let sent = Envelope { trace: shape.envelope.trace, stamp: shape.envelope.stamp, ..BARE };
        Self {
            inbound: RingLayout::new(
                shape.inbound_capacity,
                shape.message.0,
                shape.message.1,
                shape.envelope,
            ),
            outbound: RingLayout::new(shape.outbound_capacity, shape.output.0, shape.output.1, sent),
            replies: if shape.envelope.correlation {
                Some(RingLayout::new(shape.inbound_capacity, shape.output.0, shape.output.1, sent))
            } else {
                None
            },
            landings: None,
            dead_letters: if shape.dead_letters_capacity == 0 {
                None
            } else {
                Some(RingLayout::new(shape.dead_letters_capacity, shape.message.0, shape.message.1, BARE))
            },
            prints: if shape.prints_capacity == 0 {
                None
            } else {
                Some(RingLayout::new(shape.prints_capacity, 8 * shape.print_words, 8, BARE))
            },
            records: if shape.envelope.trace {
                Some(RingLayout::new(RECORDS, size_of::<Record>(), 8, BARE))
            } else {
                None
            },
            histogram: shape.histogram,
            actors: false,
            ports: shape.ports,
        }
    }

    /// The same layout with a count of the shard's actors.
    pub const fn counting_actors(self) -> Self {
        Self { actors: true, ..self }
    }

    /// The same layout with sealed slots in the inbound ring. The rings of outputs and replies are sealed,
    /// too, if their payloads are small enough. Returns the layout unchanged if messages are too large.
    pub const fn sealed(self) -> Self {
        let Some(inbound) = self.inbound.sealed() else { return self };
        let outbound = sealed_or_open(self.outbound);
        let replies = match self.replies {
            Some(replies) => Some(sealed_or_open(replies)),
            None => None,
        };
        Self { inbound, outbound, replies, ..self }
    }

    /// The same layout with landings for so many calls through pipelines, and for as many asks, in a kernel of so many shards. On
    /// devices the slots for asks are not used: they lie elsewhere. Without replies
    /// there are none.
    pub const fn through(self, calls: u32, shards: u32) -> Self {
        let landings = match self.replies {
            Some(replies) if calls != 0 => {
                let each = calls.div_ceil(shards).next_power_of_two();
                let capacity = if each < MIN_CAPACITY { MIN_CAPACITY } else { each };
                Some(RingLayout { capacity: 2 * capacity, ..replies.open() })
            }
            _ => None,
        };
        Self { landings, ..self }
    }

    /// The same layout for [bridged messages](crate::bridged) with archives of at most `max_payload` bytes.
    /// The shape's message is what [`Head::payload`](crate::bridged::Head::payload) says for them.
    pub const fn bridged(self, max_payload: usize) -> Self {
        let inbound = bridged(self.inbound, max_payload);
        let dead_letters = match self.dead_letters {
            Some(dead_letters) => Some(bridged(dead_letters, max_payload)),
            None => None,
        };
        Self { inbound, dead_letters, ..self }
    }

    /// From the shard's start to its inbound ring. The control block comes before it.
    pub const fn inbound_offset(&self) -> usize {
        size_of::<ControlBlock>()
    }

    /// From the shard's start to its outbound ring.
    pub const fn outbound_offset(&self) -> usize {
        self.inbound_offset() + self.inbound.bytes()
    }

    /// From the shard's start to its ring of replies, or to what follows if it has none.
    pub const fn replies_offset(&self) -> usize {
        self.outbound_offset() + self.outbound.bytes()
    }

    /// From the shard's start to its landings, or to what follows if it has none. Devices count from the replies.
    pub const fn landings_offset(&self) -> usize {
        self.replies_offset() + bytes(&self.replies)
    }

    /// From the shard's start to its ring of dead letters, or to what follows if it has none.
    pub const fn dead_letters_offset(&self) -> usize {
        self.landings_offset() + bytes(&self.landings)
    }

    /// From the shard's start to its ring of prints, or to what follows if it has none.
    pub const fn prints_offset(&self) -> usize {
        self.dead_letters_offset() + bytes(&self.dead_letters)
    }

    /// From the shard's start to its ring of records, or to what follows if it has none.
    pub const fn records_offset(&self) -> usize {
        self.prints_offset() + bytes(&self.prints)
    }

    /// From the shard's start to its histogram, or to what follows if it has none.
    pub const fn histogram_offset(&self) -> usize {
        self.records_offset() + bytes(&self.records)
    }

    /// Bytes of the histogram.
    pub const fn histogram_bytes(&self) -> usize {
        if self.histogram { (BUCKETS * 8).next_multiple_of(PAIR) } else { 0 }
    }

    /// From the shard's start to the count of its actors, or to what follows if it has none. Devices count from the end.
    pub const fn actors_offset(&self) -> usize {
        self.histogram_offset() + self.histogram_bytes()
    }

    /// Bytes of the count of its actors.
    pub const fn actors_bytes(&self) -> usize {
        if self.actors { size_of::<ActorCounts>() } else { 0 }
    }

    /// From the shard's start to the counts of its outboxes, or to its end if it has none. Devices count from
    /// the end.
    pub const fn ports_offset(&self) -> usize {
        self.actors_offset() + self.actors_bytes()
    }

    /// Bytes of the counts of its outboxes.
    pub const fn ports_bytes(&self) -> usize {
        (self.ports as usize * size_of::<PortCounts>()).next_multiple_of(PAIR)
    }

    /// Bytes of a shard.
    pub const fn shard_bytes(&self) -> usize {
        self.ports_offset() + self.ports_bytes()
    }
}

/// The ring with sealed slots, if they are small enough.
const fn sealed_or_open(ring: RingLayout) -> RingLayout {
    match ring.sealed() {
        Some(sealed) => sealed,
        None => ring,
    }
}

/// Bytes of an optional ring.
const fn bytes(ring: &Option<RingLayout>) -> usize {
    match ring {
        Some(ring) => ring.bytes(),
        None => 0,
    }
}
