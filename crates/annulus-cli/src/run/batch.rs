//! Readings on their way from the input to the engine, and their times, which stay behind.

use super::engine::Reading;

/// At most this many readings go together.
pub(crate) const BATCH: usize = 256;

/// Up to [`BATCH`] readings in the order of the input, with their times as the input wrote them.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    readings: Vec<Reading>,
    /// The text of each run of equal times, one behind the other.
    text: String,
    /// For each run: its first reading, and where its text begins.
    runs: Vec<(usize, usize)>,
}

impl Batch {
    /// Adds a reading.
    pub(crate) fn push(&mut self, time: &str, reading: Reading) {
        let same = self.runs.last().is_some_and(|&(_, begin)| &self.text[begin..] == time);
        if !same {
            self.runs.push((self.readings.len(), self.text.len()));
            self.text.push_str(time);
        }
        self.readings.push(reading);
    }

    /// The readings.
    pub(crate) fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// Whether it takes no more readings.
    pub(crate) fn is_full(&self) -> bool {
        self.readings.len() >= BATCH
    }

    /// The time of the reading at `index`; `None` past the end.
    pub(crate) fn time(&self, index: usize) -> Option<&str> {
        if index >= self.readings.len() {
            return None;
        }
        let next = self.runs.partition_point(|&(first, _)| first <= index);
        let end = self.runs.get(next).map_or(self.text.len(), |&(_, begin)| begin);
        Some(&self.text[self.runs[next - 1].1..end])
    }

    /// Memory it takes, roughly.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.readings.capacity() * size_of::<Reading>()
            + self.text.capacity()
            + self.runs.capacity() * size_of::<(usize, usize)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reading_keeps_its_time() {
        let times = ["a", "a", "", "bb", "bb", "bb", "a"];
        let mut batch = Batch::default();
        for time in times {
            batch.push(time, Reading { series: 0, value: 0.0 });
        }
        for (index, time) in times.into_iter().enumerate() {
            assert_eq!(batch.time(index), Some(time), "reading {index}");
        }
        assert_eq!(batch.time(times.len()), None);
        assert_eq!(Batch::default().time(0), None);
    }
}
