//! What is wrong with an input, where, and what to do about it.

use std::fmt;
use std::sync::Arc;

/// At most this much of a bad field is shown.
const SHOWN: usize = 40;

/// Names the file, the line and the column as far as there are such, what was found and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputError {
    /// The file's name.
    pub(crate) file: Arc<str>,
    /// From 1.
    pub(crate) line: Option<u64>,
    /// From 1, and the name in the header.
    pub(crate) column: Option<(usize, String)>,
    /// What is there instead of what should be.
    pub(crate) found: String,
    /// What to do.
    pub(crate) remedy: String,
    /// Whether the next row can be read nevertheless.
    pub(crate) only_this_row: bool,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some((number, name)) = &self.column {
            write!(f, ", column {number} ({})", name.escape_debug())?;
        }
        write!(f, ": {}\n  remedy: {}", self.found, self.remedy)
    }
}

/// A field of the input as it may be shown: in quotes, short, and without bytes that would upset a terminal.
pub(crate) fn shown(field: &[u8]) -> String {
    let text = String::from_utf8_lossy(field);
    match text.char_indices().nth(SHOWN) {
        None => format!("\"{}\"", text.escape_debug()),
        Some((end, _)) => format!("\"{}…\"", text[..end].escape_debug()),
    }
}
