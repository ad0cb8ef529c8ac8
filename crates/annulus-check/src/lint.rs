//! The lints: code, name, level, and the text that explains each.

use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It works, and is not what it should be.
    Warning,
    /// It cannot work.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Lint {
    /// A short name that stays the same: `AN01`.
    pub code: &'static str,
    /// Its name, as comments write it: `tight_poll`.
    pub name: &'static str,
    /// How bad it is, unless the command line says otherwise.
    pub level: Level,
    /// What it finds, in one line.
    pub summary: &'static str,
    explained: &'static str,
}

impl Lint {
    /// Why, with an example that it finds and the same done right: Markdown.
    ///
    /// ```
    /// let lint = annulus_check::find("tight_poll").unwrap();
    /// assert!(lint.explanation().contains("Instead:"));
    /// ```
    pub fn explanation(&self) -> String {
        // What only the compiler needs is hidden, as in documentation.
        let lines = self.explained.lines().filter(|line| !line.starts_with("# "));
        lines.map(|line| format!("{}\n", line.replace("```rust,no_run", "```rust"))).collect()
    }
}

macro_rules! lints {
    ($($constant:ident $code:literal $name:literal $level:ident $summary:literal)+) => {
        $(
            pub(crate) static $constant: Lint = Lint {
                code: $code,
                name: $name,
                level: Level::$level,
                summary: $summary,
                explained: include_str!(concat!("explain/", $name, ".md")),
            };
        )+

        /// All lints, by code.
        pub static LINTS: &[&Lint] = &[$(&$constant),+];
    };
}

lints! {
    TIGHT_POLL "AN01" "tight_poll" Warning
        "telemetry is polled without a pause, or more than 10,000 times a second"
    TELEMETRY_NOT_ENABLED "AN02" "telemetry_not_enabled" Error
        "what telemetry measures is read where it was not asked for"
    TELEMETRY_BEFORE_LAUNCH "AN03" "telemetry_before_launch" Error
        "a kernel is asked for by its name before it is launched"
    TELEMETRY_AFTER_END "AN04" "telemetry_after_end" Error
        "telemetry of a kernel that has ended is asked for"
    RESET_NOT_ENABLED "AN05" "reset_not_enabled" Warning
        "telemetry that is switched off is reset"
    OUTPUTS_NOT_RECEIVED "AN06" "outputs_not_received" Warning
        "a kernel has an outbox, and nobody receives or connects it"
    BLOCKING_IN_ASYNC "AN07" "blocking_in_async" Warning
        "a call blocks the thread inside a future"
    OUTCOME_DISCARDED "AN08" "outcome_discarded" Warning
        "what became of a message is thrown away"
    USELESS_ALLOW "AN09" "useless_allow" Warning
        "a comment allows what is not found, or names no lint"
}

/// The lint of this code or name.
///
/// ```
/// assert_eq!(annulus_check::find("AN01").unwrap().name, "tight_poll");
/// assert_eq!(annulus_check::find("tight_poll"), annulus_check::find("annulus::tight_poll"));
/// assert!(annulus_check::find("AN99").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static Lint> {
    let name = name.strip_prefix("annulus::").unwrap_or(name);
    LINTS.iter().copied().find(|lint| lint.name == name || lint.code.eq_ignore_ascii_case(name))
}
