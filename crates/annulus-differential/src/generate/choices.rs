//! What a generator decides, as a list of numbers.
//!
//! A random handler is what the generator makes of a list: the same list, the same handler. A shorter list,
//! or one with smaller numbers, is a simpler handler, since 0 stands for the simplest choice everywhere and
//! is what an exhausted list gives. So a failing handler shrinks by shrinking its list, whatever the language
//! is like. Statements and expressions are parts, which take choices that stand together: each is made simple
//! without the others becoming something else.

use std::ops::Range;

/// Choices to be made.
#[derive(Clone, Debug)]
pub struct Choices {
    given: Vec<u64>,
    /// How many of those given were taken.
    taken: usize,
    made: Vec<u64>,
    /// Where more come from, if they do.
    random: Option<u64>,
    /// The choices that each part of the handler took, and those of its own parts.
    parts: Vec<Range<usize>>,
    /// The part that is to be as simple as can be, and where those given go on after it.
    simplified: Option<(usize, usize)>,
    /// Whether it is being made.
    simply: bool,
}

impl Choices {
    fn new(given: Vec<u64>, random: Option<u64>) -> Self {
        let (made, parts) = (Vec::new(), Vec::new());
        Self { given, taken: 0, made, random, parts, simplified: None, simply: false }
    }

    /// Random ones, the same for the same seed.
    pub fn random(seed: u64) -> Self {
        Self::new(Vec::new(), Some(seed.wrapping_mul(0xD134_2543_DE82_EF95)))
    }

    /// These, and 0 for ever after.
    pub fn of(given: Vec<u64>) -> Self {
        Self::new(given, None)
    }

    /// Those that were made, but 0 for one part of what they made.
    pub fn without_part(&self, part: usize) -> Self {
        let simplified = Some((part, self.parts[part].end));
        Self { simplified, ..Self::of(self.made.clone()) }
    }

    /// One of the numbers below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "there is nothing to choose from");
        let choice = match self.given.get(self.taken) {
            _ if self.simply => 0,
            Some(&choice) => choice,
            None => self.next(),
        };
        self.taken += usize::from(!self.simply);
        // Kept small, so that lists are read and shrunk easily.
        let choice = choice % n as u64;
        self.made.push(choice);
        choice as usize
    }

    /// A part of the handler begins, which [`end`](Self::end) ends.
    pub fn begin(&mut self) -> usize {
        let part = self.parts.len();
        self.parts.push(self.made.len()..self.made.len());
        self.simply |= self.simplified.is_some_and(|(simplified, _)| simplified == part);
        part
    }

    /// The end of a part.
    pub fn end(&mut self, part: usize) {
        self.parts[part].end = self.made.len();
        if let Some((simplified, goes_on)) = self.simplified
            && simplified == part
        {
            self.simply = false;
            self.taken = goes_on;
        }
    }

    /// All parts, those that took the most choices first.
    pub fn parts(&self) -> Vec<usize> {
        let mut parts: Vec<usize> = (0..self.parts.len()).collect();
        parts.sort_by_key(|&part| std::cmp::Reverse(self.parts[part].len()));
        parts
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
        &self.made
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
