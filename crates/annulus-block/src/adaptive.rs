//! How many messages a turn takes at most, in the mode Adaptive.
//!
//! A block has a *size*, the most messages that its next turn takes. It begins at 1. A turn that finds more
//! messages than the size doubles the size first, up to the launch's `max_messages_per_iteration`. A turn
//! that finds a quarter of the size or fewer halves it. In between the size stays as it is: a depth that
//! varies by less than four times changes nothing. So a burst that meets an idle block gets its first results
//! early, and a queue that stays deep is taken in full batches after a few turns.
//!
//! A turn that finds nothing leaves the size as it is. Only the block reads and writes it.

/// The size of a block's turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnSize {
    size: u32,
    most: u32,
}

impl TurnSize {
    /// One message; later `most` at most, which is 1 or more.
    pub(crate) fn new(most: u32) -> Self {
        Self { size: 1, most }
    }

    /// The most messages of the turn that begins, which finds `depth` messages: 1 or more.
    // TWIN: adapt
    #[inline]
    pub(crate) fn adapt(&mut self, depth: u64) -> u32 {
        if depth > self.size.into() {
            self.size = self.size.saturating_mul(2).min(self.most);
        } else if depth <= (self.size / 4).into() {
            self.size /= 2;
        }
        self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of turns that find these depths.
    fn sizes(most: u32, depths: &[u64]) -> Vec<u32> {
        let mut size = TurnSize::new(most);
        depths.iter().map(|&depth| size.adapt(depth)).collect()
    }

    #[test]
    fn m05_a_deep_queue_doubles_the_size_up_to_the_cap() {
        assert_eq!(sizes(32, &[1000; 7]), [2, 4, 8, 16, 32, 32, 32]);
        assert_eq!(sizes(5, &[1000; 4]), [2, 4, 5, 5]);
        assert_eq!(sizes(1, &[1000; 3]), [1, 1, 1]);
        assert_eq!(sizes(u32::MAX, &[u64::MAX; 40])[39], u32::MAX);
    }

    #[test]
    fn m05_a_shallow_queue_halves_it() {
        let depths: Vec<_> = [1000; 5].into_iter().chain([1; 6]).collect();
        assert_eq!(sizes(32, &depths)[5..], [16, 8, 4, 2, 2, 2]);
        assert_eq!(sizes(32, &[1; 4]), [1, 1, 1, 1]);
    }

    #[test]
    fn m05_a_depth_that_varies_a_little_changes_nothing() {
        let depths: Vec<_> = [1000; 5].into_iter().chain([32, 9, 20, 31, 9, 16]).collect();
        assert_eq!(sizes(32, &depths)[5..], [32; 6]);
    }
}
