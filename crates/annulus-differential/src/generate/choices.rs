//! What a generator decides, as a list of numbers.
//!
//! A random handler is what the generator makes of a list: the same list, the same handler. A shorter list, or one with smaller
//! numbers, is a simpler handler, since 0 stands for the simplest choice everywhere and is what an exhausted list gives. So a failing
//! handler shrinks by shrinking its list, whatever the language is like.

/// Choices to be made.
#[derive(Clone, Debug)]
pub struct Choices {
    given: Vec<u64>,
    /// How many of them were made.
    made: usize,
    /// Where more come from, if they do.
    random: Option<u64>,
}

impl Choices {
    /// Random ones, the same for the same seed.
    pub fn random(seed: u64) -> Self {
        Self { given: Vec::new(), made: 0, random: Some(seed.wrapping_mul(0xD134_2543_DE82_EF95)) }
    }

    /// These, and 0 for ever after.
    pub fn of(given: Vec<u64>) -> Self {
        Self { given, made: 0, random: None }
    }

    /// One of the numbers below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "there is nothing to choose from");
        let choice = match self.given.get(self.made) {
            Some(&choice) => choice,
            None => {
                let choice = self.next();
                self.given.push(choice);
                choice
            }
        };
        self.made += 1;
        // Kept small, so that lists are read and shrunk easily.
        let choice = choice % n as u64;
        self.given[self.made - 1] = choice;
        choice as usize
    }

    /// One of these.
    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// True in so many of a hundred cases; 0 is false.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// The choices that were made.
    pub fn made(&self) -> &[u64] {
        &self.given[..self.made]
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        let Some(state) = &mut self.random else { return 0 };
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
