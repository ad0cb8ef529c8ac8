//! What a kernel's memory is for.

/// The bytes of a kernel's memory, by what they are for, and by where they lie.
///
/// They are what was asked for: what an allocator or a driver rounds them up to is not in them. Neither are some kilobytes for
/// each block that depend on nothing which a launch says, what messages have on the heap of their program, and what host and
/// blocks take later, if they need it: memory for dead letters and outputs that the host has collected, for calls under way,
/// and for outputs that become variants of another kernel's messages.
///
/// ```
/// use annulus_abi::memory::KernelMemory;
///
/// let mut memory = KernelMemory::default();
/// (memory.inbound, memory.states) = (4096, 800);
/// assert_eq!((memory.shards(), memory.total()), (4096, 4896));
/// assert_eq!(memory.by_part().iter().map(|(_, bytes)| bytes).sum::<u64>(), memory.total());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[non_exhaustive]
pub struct KernelMemory {
    /// The inbound rings, with the spill blocks of bridged messages.
    pub inbound: u64,
    /// The outbound rings.
    pub outbound: u64,
    /// The rings of replies to calls, and where replies of other kernels land.
    pub replies: u64,
    /// The rings of dead letters.
    pub dead_letters: u64,
    /// The rings of records of messages that are followed.
    pub traces: u64,
    /// The rings of prints.
    pub prints: u64,
    /// Control words, histograms, and counts of outboxes and actors.
    pub control: u64,
    /// The queues in front of the rings, if there are any, with what they remember of duplicates.
    pub queues: u64,
    /// The actors' states, or the kernel's, with the tables of sparse keys.
    pub states: u64,
    /// What the launch has bound: numbers, tables and memory.
    pub bindings: u64,
    /// Rings in a device's memory for what other kernels send, the records of the kernels that it sends to, and its graph.
    pub links: u64,
    /// What blocks work with: messages to themselves that wait, outputs that are held, and on a device a turn's messages and
    /// the records of its blocks.
    pub scratch: u64,
    /// Of all these, what lies in memory of the host that no device sees. On the CPU that is all.
    pub host: u64,
    /// What lies in memory that both the host and a device see.
    pub shared: u64,
    /// What a device has alone, or has for kernels that send to each other.
    pub device: u64,
}

/// How many parts there are: see [`KernelMemory::by_part`].
pub const MEMORY_PARTS: usize = 12;

impl KernelMemory {
    /// The names of the parts, and their bytes.
    pub const fn by_part(&self) -> [(&'static str, u64); MEMORY_PARTS] {
        [
            ("inbound", self.inbound),
            ("outbound", self.outbound),
            ("replies", self.replies),
            ("dead_letters", self.dead_letters),
            ("traces", self.traces),
            ("prints", self.prints),
            ("control", self.control),
            ("queues", self.queues),
            ("states", self.states),
            ("bindings", self.bindings),
            ("links", self.links),
            ("scratch", self.scratch),
        ]
    }

    /// The same with where each part lies: `host`, `shared` or `device`. On the CPU all parts lie in the host's memory.
    ///
    /// ```
    /// use annulus_abi::memory::KernelMemory;
    ///
    /// let mut memory = KernelMemory::default();
    /// (memory.inbound, memory.shared) = (4096, 4096);
    /// assert_eq!(memory.parts_and_places()[0], ("inbound", "shared", 4096));
    /// ```
    pub fn parts_and_places(&self) -> [(&'static str, &'static str, u64); MEMORY_PARTS] {
        let on_host = self.host == self.total();
        self.by_part().map(|(part, bytes)| {
            let place = match part {
                _ if on_host => "host",
                "queues" => "host",
                "states" | "bindings" | "links" | "scratch" => "device",
                _ => "shared",
            };
            (part, place, bytes)
        })
    }

    /// The same by where they lie: `host`, `shared` and `device`.
    pub const fn by_place(&self) -> [(&'static str, u64); 3] {
        [("host", self.host), ("shared", self.shared), ("device", self.device)]
    }

    /// Those of the kernel's shards: its rings and control words.
    pub const fn shards(&self) -> u64 {
        sum(&[
            self.inbound,
            self.outbound,
            self.replies,
            self.dead_letters,
            self.traces,
            self.prints,
            self.control,
        ])
    }

    /// All of them.
    pub const fn total(&self) -> u64 {
        sum(&[self.shards(), self.queues, self.states, self.bindings, self.links, self.scratch])
    }
}

/// What another process says may be anything, so it stops at the largest number.
const fn sum(parts: &[u64]) -> u64 {
    let (mut sum, mut i) = (0_u64, 0);
    while i < parts.len() {
        sum = sum.saturating_add(parts[i]);
        i += 1;
    }
    sum
}

const _: () = assert!(size_of::<KernelMemory>() == 120);
