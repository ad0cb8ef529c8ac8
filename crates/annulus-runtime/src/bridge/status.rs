//! How a bridge works, and what it says of itself.

use std::{
    fmt,
    time::{Duration, Instant},
};

/// How a bridge collects messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BridgeOptions {
    /// A batch of so many messages is delivered at once: 1 to 65,536. Bridges between kernels are refused with any other number;
    /// those of queues take the nearest one.
    pub messages: usize,
    /// How long the first message of a batch waits for others. With 0, a batch is what is there.
    pub delay: Duration,
}

impl BridgeOptions {
    /// Batches of 64, without delay.
    ///
    /// ```
    /// # use annulus_runtime::BridgeOptions;
    /// assert_eq!(BridgeOptions::new(), BridgeOptions::default());
    /// ```
    pub fn new() -> Self {
        Self { messages: 64, delay: Duration::ZERO }
    }

    /// See [`messages`](Self::messages).
    ///
    /// ```
    /// # use annulus_runtime::BridgeOptions;
    /// assert_eq!(BridgeOptions::new().messages(8).messages, 8);
    /// ```
    pub fn messages(mut self, messages: usize) -> Self {
        self.messages = messages;
        self
    }

    /// See [`delay`](Self::delay). A timer ends it, also if no other message comes.
    ///
    /// ```
    /// # use annulus_runtime::BridgeOptions;
    /// use std::time::Duration;
    /// assert!(BridgeOptions::new().delay(Duration::from_millis(1)).delay > Duration::ZERO);
    /// ```
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

impl Default for BridgeOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// What a bridge has done so far. When nothing flows, what it has taken from its source is
/// [`moved`](Self::moved)` + discarded + lost + duplicate + too_large + `[`held`](Self::held). Of a bridge to all of
/// several kernels, each copy counts, and held is what the slowest has not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelBridgeStatus {
    /// The name of its source.
    pub from: String,
    /// The name of its target.
    pub to: String,
    /// Messages that the target has accepted.
    pub moved: u64,
    /// Their payloads' bytes.
    pub bytes: u64,
    /// Batches that were delivered because they were full.
    pub by_count: u64,
    /// Batches that were delivered because the delay had passed; without delay, all that were not full.
    pub by_timer: u64,
    /// Batches that were delivered because the source had ended.
    pub by_close: u64,
    /// Messages in the target that were evicted for those of this bridge. They are the target's drops.
    pub evicted: u64,
    /// Messages that the target discarded, or that found no room under Reject, or copies for one of several targets that
    /// has ended.
    pub discarded: u64,
    /// Messages that were lost since the target had ended: those of a link of a [topology](crate::Topology), which goes on
    /// taking what its source sends.
    pub lost: u64,
    /// Messages that the target knew.
    pub duplicate: u64,
    /// Messages that were larger than the target takes.
    pub too_large: u64,
    /// Messages that were taken from the source and are not delivered yet.
    pub held: u64,
    /// Whether it has ended.
    pub ended: bool,
    /// When this was read.
    pub at: Instant,
}

/// Rates of a bridge between two statuses, each per second.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelBridgeRates {
    /// Messages that were moved.
    pub moved: f64,
    /// Their bytes.
    pub bytes: f64,
    /// Messages that were dropped.
    pub dropped: f64,
    /// Batches.
    pub batches: f64,
}

impl KernelBridgeStatus {
    /// How many batches were delivered, for any cause.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// assert_eq!(launched().consume(&queue).status().batches(), 0);
    /// ```
    pub fn batches(&self) -> u64 {
        self.by_count + self.by_timer + self.by_close
    }

    /// How many messages of this bridge the target has dropped, for any cause.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// assert_eq!(launched().consume(&queue).status().dropped(), 0);
    /// ```
    pub fn dropped(&self) -> u64 {
        self.discarded + self.lost + self.duplicate + self.too_large
    }

    /// The rates since an earlier status of the same bridge. `None` if no time passed between the two, or if
    /// `earlier` is the later one or of another bridge.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let bridge = launched().consume(&queue);
    /// let earlier = bridge.status();
    /// std::thread::sleep(std::time::Duration::from_millis(1));
    /// assert_eq!(bridge.status().rates_since(&earlier).expect("time has passed").moved, 0.0);
    /// ```
    pub fn rates_since(&self, earlier: &Self) -> Option<KernelBridgeRates> {
        let seconds = self.at.checked_duration_since(earlier.at)?.as_secs_f64();
        if seconds == 0.0 || (&self.from, &self.to) != (&earlier.from, &earlier.to) {
            return None;
        }
        let rate = |of: fn(&Self) -> u64| of(self).saturating_sub(of(earlier)) as f64 / seconds;
        Some(KernelBridgeRates {
            moved: rate(|status| status.moved),
            bytes: rate(|status| status.bytes),
            dropped: rate(Self::dropped),
            batches: rate(Self::batches),
        })
    }
}

impl fmt::Display for KernelBridgeStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, moved, by_count, by_timer, by_close, held, .. } = self;
        write!(
            f,
            "{from} to {to}: {moved} moved, {} dropped, {held} held; batches: {by_count} full, {by_timer} by time, \
             {by_close} at the end",
            self.dropped()
        )?;
        if self.ended { f.write_str("; ended") } else { Ok(()) }
    }
}
