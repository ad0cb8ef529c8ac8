//! Which options a launch names, and what the kernel's attribute says of the others.
//!
//! The words of `#[ring_kernel(..)]` say how a kernel is launched, unless its launch says otherwise. A launch
//! says otherwise if its options name the option, by a method, or if they differ there from
//! [`LaunchOptions::production`], which names none. So options remember which of their methods were called.

use crate::options::LaunchOptions;

/// The options that were named, one bit each. It says nothing of what the options are, so all are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said(u64);

impl PartialEq for Said {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Said {}

impl Said {
    pub(crate) fn add(&mut self, word: Word) {
        self.0 |= 1 << word as u32;
    }

    fn has(self, word: Word) -> bool {
        self.0 & (1 << word as u32) != 0
    }
}

/// The words that an attribute has, each with the option that it is. The mode and its cap are not among them: the kernel's
/// definition has both.
macro_rules! words {
    ($($word:ident $group:ident $option:ident;)*) => {
        #[derive(Clone, Copy)]
        pub(crate) enum Word {
            $($word,)*
        }

        impl LaunchOptions {
            /// These options, with what `attribute`, the options of the kernel's attribute, names and these do not.
            pub(crate) fn or_of(mut self, attribute: &Self) -> Self {
                let preset = Self::production();
                $(
                    let is_said = self.said.has(Word::$word) || self.$group.$option != preset.$group.$option;
                    if attribute.said.has(Word::$word) && !is_said {
                        self.$group.$option.clone_from(&attribute.$group.$option);
                        self.said.add(Word::$word);
                    }
                )*
                self
            }
        }
    };
}

words! {
    Grid shape grid;
    Block shape block;
    Actors shape actors;
    SparseKeys shape sparse_keys;
    EvictActors shape evict_actors;
    Supersteps shape supersteps;
    Rounds shape rounds;
    Connectable shape connectable;
    IntoVariants shape into_variants;
    Active shape active;
    Spin shape spin;
    RunMode shape run_mode;
    LeaveAfter shape leave_after;
    Consistency shape consistency;
    CausalOrdering shape causal_ordering;
    Sealed shape sealed;
    Capacity inbound capacity;
    Backpressure inbound backpressure;
    Deduplication inbound deduplication;
    DeduplicationWindow inbound deduplication_window;
    Priority inbound priority;
    Expiry inbound expiry;
    MaxPayload inbound max_payload;
    OutputCapacity outbound capacity;
    Calls outbound calls;
    Through outbound through;
    Hold outbound hold;
    Topics outbound topics;
    Timestamps observe timestamps;
    TrackLatency observe track_latency;
    DeadLetters observe dead_letters;
    CountTurns observe count_turns;
    SlowAfter observe slow_after;
    BlackBox observe black_box;
    Causal observe causal;
    Tracing observe tracing;
    TraceSample observe trace_sample;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What those options show of a few words.
    fn shown(options: &LaunchOptions) -> (u32, bool, u32, u32, bool) {
        let LaunchOptions { shape, inbound, outbound, observe, .. } = options;
        (inbound.capacity, shape.connectable, outbound.hold, observe.dead_letters, shape.active)
    }

    #[test]
    fn an_attribute_says_what_a_launch_does_not_name() {
        let attribute =
            LaunchOptions::production().capacity(64).connectable(true).hold(32).dead_letters(7).active(false);
        let launched = |options: LaunchOptions| shown(&options.or_of(&attribute));
        let words = (64, true, 32, 7, false);
        assert_eq!(launched(attribute.clone()), words);
        assert_eq!(launched(LaunchOptions::production()), words);
        assert_eq!(launched(LaunchOptions::default().dead_letters(9)), (64, true, 32, 9, false));
        // A preset names what it changes.
        assert_eq!(launched(LaunchOptions::low_latency()), (256, true, 32, 7, false));
        // An option that is named as the default has it, whichever options a launch begins with.
        for options in [LaunchOptions::production(), attribute.clone()] {
            assert_eq!(launched(options.capacity(4096).hold(0).active(true)), (4096, true, 0, 7, true));
        }
        // Fields name what they change.
        let mut by_fields = LaunchOptions::production();
        by_fields.observe.dead_letters = 9;
        assert_eq!(launched(by_fields), (64, true, 32, 9, false));
        let mut by_fields = attribute.clone();
        by_fields.outbound.hold = 0;
        assert_eq!(launched(by_fields), (64, true, 0, 7, false));
        // A word that needs another one brings it along, and one that ends another one names it.
        let pairs = LaunchOptions::production().hold(8).rounds(true).tracing(true).trace_sample(0.5);
        let both = LaunchOptions::production().or_of(&pairs);
        assert!(both.validate().is_ok() && both.shape.connectable && both.shape.supersteps);
        let untraced = LaunchOptions::production().tracing(false).or_of(&pairs);
        assert_eq!((untraced.observe.tracing, untraced.observe.trace_sample), (false, None));
        // A field that is set back afterwards stays.
        let mut changed = LaunchOptions::production().or_of(&attribute);
        changed.outbound.hold = 0;
        assert_eq!(launched(changed), (64, true, 0, 7, false));
        // Twice is once: a topology asks before it launches.
        let once = LaunchOptions::production().hold(0).or_of(&attribute);
        assert_eq!(shown(&once.clone().or_of(&attribute)), shown(&once));
    }
}
