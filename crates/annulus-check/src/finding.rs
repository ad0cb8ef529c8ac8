//! What a lint found.

use std::ops::Range;

use crate::lint::{Level, Lint};

/// A place where a lint has something to say. Places are bytes of the file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub lint: &'static Lint,
    /// How bad it is; the command line may have changed it.
    pub level: Level,
    /// What is wrong: the value and the limit.
    pub message: String,
    /// Where.
    pub span: Range<usize>,
    /// What is said at that place.
    pub label: String,
    /// Other places that it comes from.
    pub notes: Vec<Note>,
    /// The remedy, in words.
    pub help: String,
    /// The remedy as text to put in.
    pub fixes: Vec<Fix>,
}

/// Another place that a finding speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub span: Range<usize>,
    /// What is said there.
    pub label: String,
}

/// A way to put it right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does.
    pub message: String,
    /// What changes, in the order of the text.
    pub edits: Vec<Edit>,
    /// Whether the program means the same afterwards, so that `--fix` may do it.
    pub is_safe: bool,
}

/// Text that takes the place of other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes; empty to insert.
    pub span: Range<usize>,
    /// What comes.
    pub replacement: String,
}

impl Finding {
    pub(crate) fn new(
        lint: &'static Lint,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            lint,
            level: lint.level,
            message: message.into(),
            span,
            label: label.into(),
            notes: Vec::new(),
            help: help.into(),
            fixes: Vec::new(),
        }
    }

    pub(crate) fn note(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.notes.push(Note { span, label: label.into() });
        self
    }

    /// A fix of one edit.
    pub(crate) fn fix(
        mut self,
        message: impl Into<String>,
        span: Range<usize>,
        replacement: impl Into<String>,
        is_safe: bool,
    ) -> Self {
        let edits = vec![Edit { span, replacement: replacement.into() }];
        self.fixes.push(Fix { message: message.into(), edits, is_safe });
        self
    }
}
