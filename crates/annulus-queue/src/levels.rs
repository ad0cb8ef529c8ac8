//! Which of the 256 priorities are present.

/// A bitmap: bit `p % 64` of word `p / 64` stands for priority `p`. The highest and the lowest are found by
/// counting the zeros of at most four words.
#[derive(Clone, Copy, Default)]
pub(crate) struct Levels([u64; 4]);

impl Levels {
    #[inline(always)]
    pub(crate) fn insert(&mut self, priority: u8) {
        self.0[usize::from(priority / 64)] |= 1 << (priority % 64);
    }

    #[inline(always)]
    pub(crate) fn remove(&mut self, priority: u8) {
        self.0[usize::from(priority / 64)] &= !(1 << (priority % 64));
    }

    #[inline(always)]
    pub(crate) fn contains(&self, priority: u8) -> bool {
        self.0[usize::from(priority / 64)] & 1 << (priority % 64) != 0
    }

    #[inline(always)]
    pub(crate) fn highest(&self) -> Option<u8> {
        let word = self.0.iter().rposition(|&word| word != 0)?;
        // At most 255.
        Some((word as u32 * 64 + 63 - self.0[word].leading_zeros()) as u8)
    }

    #[inline]
    pub(crate) fn lowest(&self) -> Option<u8> {
        let word = self.0.iter().position(|&word| word != 0)?;
        // At most 255.
        Some((word as u32 * 64 + self.0[word].trailing_zeros()) as u8)
    }
}
