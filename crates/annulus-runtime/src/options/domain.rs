//! Launch options by the kind of a kernel's work.

use std::time::Duration;

use annulus_kernel::ProcessingMode;

use crate::options::LaunchOptions;

/// The kind of work that a kernel does: what its launch options begin with. `#[ring_kernel(domain = …)]` and
/// [`LaunchOptions::for_domain`] take it.
///
/// A domain is a set of defaults and nothing else: every one of them can be changed, by a word of the
/// attribute or by a method of the options. They were chosen by what the work needs, and not by measurements
/// of yours.
///
/// | domain | processing mode, cap | capacity | also |
/// |---|---|---|---|
/// | `General` | the kernel's own | 4096 | |
/// | `GraphAnalytics` | `Batch`, 64 | 16,384 | `calls` off |
/// | `SpatialSimulation` | `Batch`, 64 | 4096 | `supersteps` on, `calls` off |
/// | `ActorModel` | `Adaptive`, 32 | 4096 | `spin` 200 µs |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Domain {
    /// Any work: the options of [`LaunchOptions::production`].
    #[default]
    General,
    /// Vertices that send along edges. One step of an algorithm sends a message for each edge, so bursts are
    /// long, and the throughput counts: long rings, large turns. Vertices answer by messages of their own, so
    /// [calls](LaunchOptions::calls) are off.
    GraphAnalytics,
    /// Cells that exchange values with their neighbours in each step. No block should run ahead of the others, so
    /// the blocks take their turns together: [`supersteps`](LaunchOptions::supersteps) are on, with their
    /// conditions. They need not begin in the same turn, so where a step must see the whole step before, the program
    /// begins each step. Calls are off.
    SpatialSimulation,
    /// Actors that are asked and answer. The first answer counts when little waits, and fairness when much
    /// does: turns follow the depth of the queue and have a small cap, and blocks look for messages for longer
    /// before they sleep.
    ActorModel,
}

impl LaunchOptions {
    /// The options that kernels of this domain begin with; [`Domain`] lists them. Nothing is lost: the
    /// backpressure is `Block` in every domain.
    ///
    /// ```
    /// use annulus_runtime::{Domain, LaunchOptions};
    /// let options = LaunchOptions::for_domain(Domain::SpatialSimulation).grid(4);
    /// assert!(options.shape.supersteps && !options.outbound.calls);
    /// assert_eq!(LaunchOptions::for_domain(Domain::General), LaunchOptions::production());
    /// ```
    pub fn for_domain(domain: Domain) -> Self {
        let options = Self::production();
        match domain {
            Domain::General => options,
            Domain::GraphAnalytics => options.turns(ProcessingMode::Batch, 64).capacity(16_384).calls(false),
            Domain::SpatialSimulation => {
                options.turns(ProcessingMode::Batch, 64).supersteps(true).calls(false)
            }
            Domain::ActorModel => {
                options.turns(ProcessingMode::Adaptive, 32).spin(Duration::from_micros(200))
            }
        }
    }

    fn turns(self, mode: ProcessingMode, most: u32) -> Self {
        self.mode(mode).max_messages_per_iteration(most)
    }
}
