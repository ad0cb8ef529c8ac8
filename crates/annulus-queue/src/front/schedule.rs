//! Which of several queues hands over the next message.
//!
//! Queues with a rank come before queues with a weight; a higher rank comes first. Queues of one rank take
//! turns, and so do queues with a weight, each as often as its weight says. Only queues that have messages
//! take part.
//!
//! Turns are spread evenly (*smooth weighted round-robin*): each queue that takes part is credited with its
//! weight, the one with the most credit is next, and pays what all were credited with. So among weights 3 and
//! 1 the order is A A B A, and not A A A B. A queue keeps its credit while it is empty. Credits stay between
//! minus and plus the sum of all weights, so a queue that comes back neither waits for longer than that many
//! messages, nor has saved more.

/// A queue's share of the messages that are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Share {
    /// As many messages as this number, for each message of a queue of weight 1. At least 1.
    Weight(u32),
    /// Before all queues with a weight, and before all of a lower rank.
    Rank(u8),
}

impl Default for Share {
    fn default() -> Self {
        Self::Weight(1)
    }
}

struct Entry {
    /// 0 for a weight; else the rank, plus 1.
    level: u16,
    weight: i64,
    credit: i64,
}

pub(super) struct Schedule {
    entries: Box<[Entry]>,
}

impl Schedule {
    pub(super) fn new(shares: impl Iterator<Item = Share>) -> Self {
        let entry = |share| match share {
            Share::Weight(weight) => Entry { level: 0, weight: weight.max(1).into(), credit: 0 },
            Share::Rank(rank) => Entry { level: u16::from(rank) + 1, weight: 1, credit: 0 },
        };
        Self { entries: shares.map(entry).collect() }
    }

    /// The queue that is next, among those that have messages.
    pub(super) fn next(&mut self, has_messages: impl Fn(usize) -> bool) -> Option<usize> {
        let present = |(i, entry): (usize, &Entry)| has_messages(i).then_some(entry.level);
        let level = self.entries.iter().enumerate().filter_map(present).max()?;
        let mut total = 0;
        let mut next: Option<usize> = None;
        for i in 0..self.entries.len() {
            if self.entries[i].level != level || !has_messages(i) {
                continue;
            }
            self.entries[i].credit += self.entries[i].weight;
            total += self.entries[i].weight;
            if next.is_none_or(|best| self.entries[i].credit > self.entries[best].credit) {
                next = Some(i);
            }
        }
        self.entries[next?].credit -= total;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(shares: &[Share], rounds: usize, has: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let mut schedule = Schedule::new(shares.iter().copied());
        (0..rounds).filter_map(|round| schedule.next(|i| has(round, i))).collect()
    }

    #[test]
    fn q31_weights_are_spread_evenly() {
        let shares = [Share::Weight(3), Share::Weight(1)];
        assert_eq!(order(&shares, 8, |_, _| true), [0, 0, 1, 0, 0, 0, 1, 0]);
        let shares = [Share::Weight(5), Share::Weight(2), Share::Weight(1)];
        let turns = order(&shares, 8000, |_, _| true);
        let of = |queue| turns.iter().filter(|&&turn| turn == queue).count();
        assert_eq!([of(0), of(1), of(2)], [5000, 2000, 1000]);
    }

    #[test]
    fn q31_a_rank_goes_first_and_equals_take_turns() {
        let shares = [Share::Weight(200), Share::Rank(0), Share::Rank(1), Share::Rank(1)];
        assert_eq!(order(&shares, 4, |_, _| true), [2, 3, 2, 3]);
        assert_eq!(order(&shares, 3, |_, i| i < 2), [1, 1, 1]);
        assert_eq!(order(&shares, 2, |_, i| i == 0), [0, 0]);
        assert_eq!(order(&shares, 2, |_, _| false), [0; 0]);
    }

    #[test]
    fn q31_a_queue_that_was_empty_saves_no_more_than_a_round() {
        // The second comes back after 1000 messages of the first: it waits for three of them at most.
        let shares = [Share::Weight(3), Share::Weight(1)];
        for away in [0, 1, 2, 3, 1000, 1001, 1002] {
            let turns = order(&shares, away + 40, |round, i| i == 0 || round < 2 || round >= away);
            let back = &turns[away.max(2)..];
            assert!(back[..5].contains(&1), "{away}: {back:?}");
            assert!(back[..8].iter().filter(|&&turn| turn == 1).count() <= 3, "{away}: {back:?}");
        }
    }
}
