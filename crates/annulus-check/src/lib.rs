//! Lints for programs that use Annulus: `annulus check` as a library.
//!
//! It reads the source of a project with stable Rust, without compiling it, and reports what compiles and is
//! wrong all the same: telemetry that is polled without a pause, outputs that nobody receives, a call that
//! blocks inside a future, and so on. [`LINTS`] has all lints; each explains itself with an example and its
//! remedy.
//!
//! ```
//! use std::path::Path;
//! let finding = annulus_check::check_text(
//!     Path::new("src/main.rs"),
//!     "async fn wait(kernel: &KernelHandle<detect>) { kernel.drained_blocking() }",
//! );
//! assert_eq!(finding[0].lint.name, "blocking_in_async");
//! assert_eq!(finding[0].fixes[0].edits[0].replacement, "drained().await");
//! ```
//!
//! # What it promises
//!
//! * It reports only what it can follow: a value whose type it cannot see from where it stands is passed
//!   over. It rather misses something than report what is right.
//! * Every message names the value, the limit and the remedy. A fix is applied by itself only if the program
//!   means the same afterwards.
//!
//! # What it does not do
//!
//! It does not infer types, expand macros or follow calls into other crates. It reads one function at a time,
//! in the order of the text; what it knows of other functions of the package is what they return and whether
//! they wait.

mod allow;
mod body;
mod facts;
mod finding;
mod fix;
mod known;
mod lint;
mod lints;
mod project;
mod render;
mod source;

use std::path::Path;

pub use finding::{Edit, Finding, Fix, Note};
pub use fix::{Fixed, fix};
pub use lint::{LINTS, Level, Lint, find};
pub use project::{Checked, Options, Problem, check};
pub use render::{json, list, short, text};
pub use source::Source;

/// The examples of all lints compile.
#[cfg(doctest)]
mod explained {
    #[doc = include_str!("explain/tight_poll.md")]
    #[doc = include_str!("explain/telemetry_not_enabled.md")]
    #[doc = include_str!("explain/telemetry_before_launch.md")]
    #[doc = include_str!("explain/telemetry_after_end.md")]
    #[doc = include_str!("explain/reset_not_enabled.md")]
    #[doc = include_str!("explain/outputs_not_received.md")]
    #[doc = include_str!("explain/blocking_in_async.md")]
    #[doc = include_str!("explain/outcome_discarded.md")]
    #[doc = include_str!("explain/useless_allow.md")]
    struct Examples;
}

/// Checks one file by itself, as a library of its own that depends on Annulus. A file that is not Rust has no
/// findings.
///
/// ```
/// # use std::path::Path;
/// assert!(annulus_check::check_text(Path::new("lib.rs"), "fn main() {}").is_empty());
/// ```
pub fn check_text(path: &Path, text: &str) -> Vec<Finding> {
    let Ok(source) = Source::parse(path.into(), path.display().to_string(), text.into()) else {
        return Vec::new();
    };
    let (facts, bodies) = facts::Facts::of(&[&source], true);
    lints::file(&source, &bodies[0], &facts)
}
