//! A bridge as observers find it.

pub use annulus_abi::vitals::bridges::BridgeCounts;
use annulus_abi::vitals::bridges::bridge_kind;

/// A bridge as an observer finds it: [`KernelLook::bridges`](crate::KernelLook::bridges), or a process's vitals file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeLook {
    /// Its number, which no other bridge of its process has.
    pub number: u64,
    /// The name of its source. Names of more than 128 bytes are cut here, and end with `…`; the character NUL is left out.
    pub from: String,
    /// The name of its target, or those of several.
    pub to: String,
    /// What it leads from and to.
    pub kind: BridgeKind,
    /// Of a source with several outboxes, the number of the one that it leads from.
    pub outbox: Option<u32>,
    /// When it began, in nanoseconds on the clock of the runtime that shows it.
    pub began: u64,
    /// What it has done so far.
    pub counts: BridgeCounts,
    /// Whether it has ended.
    pub has_ended: bool,
    /// If it waits for room, the kernel that has none.
    pub waits_for: Option<BridgeTarget>,
}

/// A kernel of any runtime of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BridgeTarget {
    /// When its runtime was built, in nanoseconds since 1970 UTC: that tells runtimes apart. 0 where numbers of kernels do that
    /// alone, as they do inside a process.
    pub runtime: u64,
    /// The number of the kernel. 0 if it is not shown, or none: a queue has no room then.
    pub kernel: u64,
}

/// What a bridge leads from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BridgeKind {
    /// From a kernel to kernels.
    ToKernels,
    /// From a kernel to a queue.
    ToQueue,
    /// From a queue to a kernel.
    FromQueue,
}

impl BridgeKind {
    /// Its word in a vitals file.
    pub(crate) fn word(self) -> u32 {
        match self {
            Self::ToKernels => bridge_kind::TO_KERNELS,
            Self::ToQueue => bridge_kind::TO_QUEUE,
            Self::FromQueue => bridge_kind::FROM_QUEUE,
        }
    }

    /// The kind that a word of a vitals file stands for.
    pub fn of_word(word: u32) -> Option<Self> {
        [Self::ToKernels, Self::ToQueue, Self::FromQueue].into_iter().find(|kind| kind.word() == word)
    }

    /// In a word: `to_kernels`, `to_queue`, `from_queue`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToKernels => "to_kernels",
            Self::ToQueue => "to_queue",
            Self::FromQueue => "from_queue",
        }
    }
}

impl BridgeLook {
    /// How many messages its target has dropped, by cause.
    pub fn drops(&self) -> [(&'static str, u64); 4] {
        let BridgeCounts { discarded, lost, duplicate, too_large, .. } = self.counts;
        [("discarded", discarded), ("lost", lost), ("duplicate", duplicate), ("too_large", too_large)]
    }

    /// How many batches were delivered, by why they were.
    pub fn batches(&self) -> [(&'static str, u64); 3] {
        let BridgeCounts { by_count, by_timer, by_close, .. } = self.counts;
        [("full", by_count), ("time", by_timer), ("end", by_close)]
    }

    /// How many messages its target has dropped, for any cause.
    pub fn dropped(&self) -> u64 {
        // The numbers may be anything.
        self.drops().into_iter().map(|(_, count)| count).fold(0, u64::saturating_add)
    }
}
