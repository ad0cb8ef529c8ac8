//! Errors of decoding and of encoding a message.

use std::fmt;

/// Why bytes are no message of a type: what is wrong, and where.
///
/// ```
/// use annulus_message::DecodeError;
/// let error = DecodeError::new("7 is no bool, which is 0 or 1").within("[2]").within(".flags");
/// assert_eq!(error.to_string(), ".flags[2]: 7 is no bool, which is 0 or 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    place: String,
    problem: String,
}

impl DecodeError {
    /// An error with this description.
    pub fn new(problem: impl Into<String>) -> Self {
        Self { place: String::new(), problem: problem.into() }
    }

    /// The same error, seen from the enclosing value: `place` is put before its place.
    #[must_use]
    pub fn within(mut self, place: impl fmt::Display) -> Self {
        self.place.insert_str(0, &place.to_string());
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, problem } = self;
        let separator = if place.is_empty() { "" } else { ": " };
        write!(f, "{place}{separator}{problem}")
    }
}

impl std::error::Error for DecodeError {}

/// Why a message was not encoded. Nothing of it was appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError(String);

impl EncodeError {
    /// An error with this description.
    pub fn new(problem: impl Into<String>) -> Self {
        Self(problem.into())
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EncodeError {}
