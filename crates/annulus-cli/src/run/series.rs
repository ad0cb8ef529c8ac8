//! Numbers for the names of series.

use std::collections::HashMap;

/// Numbers series from 0 in the order of their first appearance.
pub(crate) struct Series {
    numbers: HashMap<Box<str>, u32>,
    limit: u32,
    /// Names that [`take_new`](Self::take_new) has not handed out yet, in the order of their numbers.
    new: Vec<Box<str>>,
}

impl Series {
    /// Room for `limit` series.
    pub(crate) fn new(limit: u32) -> Self {
        Self { numbers: HashMap::new(), limit, new: Vec::new() }
    }

    /// The number of the series `name`; `None` where it would be one more than the limit.
    pub(crate) fn number(&mut self, name: &str) -> Option<u32> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        let number = u32::try_from(self.numbers.len()).ok().filter(|&number| number < self.limit)?;
        self.numbers.insert(name.into(), number);
        self.new.push(name.into());
        Some(number)
    }

    /// How many series there may be.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// The names that have appeared since the last call.
    pub(crate) fn take_new(&mut self) -> Vec<Box<str>> {
        std::mem::take(&mut self.new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_and_the_limit_holds() {
        let mut series = Series::new(2);
        assert_eq!(series.number("a"), Some(0));
        assert_eq!(series.number("b"), Some(1));
        assert_eq!(series.number("c"), None);
        assert_eq!(series.number("a"), Some(0));
        assert_eq!(series.take_new(), ["a".into(), "b".into()]);
        assert!(series.take_new().is_empty());
    }
}
