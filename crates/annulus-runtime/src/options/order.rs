//! What a kernel's messages order.

use annulus_kernel::{BindingKind, KernelDefinition};

use crate::options::{LaunchOptions, said::Word};

/// What is ordered besides the messages themselves: accesses of different handlers to the kernel's shared
/// atomics (`&[AtomicU32]` and its kin).
///
/// A message is always whole: who takes it sees all of its bytes, whatever this says. Nor does it change what
/// a handler's own orderings and fences ([`Cx::fence`](annulus_kernel::Cx::fence)) do.
///
/// ```
/// use annulus_runtime::{Consistency, LaunchOptions};
/// let options = LaunchOptions::production().consistency(Consistency::Sequential);
/// assert!(options.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Consistency {
    /// Nothing: who needs an order between a message and other memory writes a fence in the handler that
    /// sends, and one in the handler that takes. Where messages can travel without a fence, they do: in sealed
    /// slots on a device behind a bus.
    Relaxed,
    /// Taking a message acquires what its sender released by sending it. So a handler sees what the sender's
    /// handler wrote before, and what that had seen.
    #[default]
    ReleaseAcquire,
    /// In addition, a sequentially consistent fence stands before each handler. So what different handlers
    /// do to shared atomics, each with one access, has one order that all blocks agree on. For finding out
    /// whether an order is missing; it costs a fence for each message.
    Sequential,
}

impl LaunchOptions {
    /// What the kernel's messages order besides themselves: [`ReleaseAcquire`](Consistency::ReleaseAcquire)
    /// by default.
    ///
    /// ```
    /// # use annulus_runtime::{Consistency, LaunchOptions};
    /// let options = LaunchOptions::production().consistency(Consistency::Relaxed);
    /// assert_eq!(options.shape.consistency, Consistency::Relaxed);
    /// ```
    pub fn consistency(mut self, consistency: Consistency) -> Self {
        self.said.add(Word::Consistency);
        self.shape.consistency = consistency;
        self
    }

    /// Whether a message carries the order of what happened before it to whoever takes it.
    ///
    /// If this is not called, a kernel's messages do that where the kernel needs it itself: if several of its
    /// blocks share atomics, unless its consistency is [`Relaxed`](Consistency::Relaxed). With `true` they
    /// always do. A kernel needs that which shares nothing itself, but hands messages of a connected kernel
    /// on to the host or to another kernel. With `false` they never do, which is what `Relaxed` says, too.
    ///
    /// ```
    /// # use annulus_runtime::{Consistency, LaunchOptions, LaunchProblem};
    /// let on = LaunchOptions::production().causal_ordering(true);
    /// assert!(on.validate().is_ok());
    /// let invalid = on.consistency(Consistency::Relaxed).validate().unwrap_err();
    /// assert!(matches!(invalid.problems(), [LaunchProblem::CausalOrdering { .. }]));
    /// ```
    pub fn causal_ordering(mut self, on: bool) -> Self {
        self.said.add(Word::CausalOrdering);
        self.shape.causal_ordering = Some(on);
        self
    }

    /// Whether what handlers do to other memory must be ordered by the kernel's messages.
    pub(crate) fn orders_memory(&self, definition: &KernelDefinition) -> bool {
        let shares = || {
            self.shape.grid > 1
                && definition.bindings.iter().any(|binding| binding.kind == BindingKind::Shared)
        };
        match self.shape.consistency {
            Consistency::Relaxed => false,
            Consistency::ReleaseAcquire => self.shape.causal_ordering.unwrap_or_else(shares),
            Consistency::Sequential => true,
        }
    }
}
