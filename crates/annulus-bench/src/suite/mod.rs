//! The suites. A new one is a module with a `cases` function and an entry in [`SUITES`].

mod poll;
mod rtt;
mod stream;

use crate::{BackendName, harness::Case, queue_suite};

/// What a suite needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Config {
    pub(crate) backend: BackendName,
    pub(crate) quick: bool,
}

/// A set of cases with one subject.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// One line for `list`.
    pub(crate) about: &'static str,
    /// How it measures, for the report's header.
    pub(crate) method: &'static str,
    pub(crate) cases: fn(Config) -> Vec<Case>,
}

/// All suites, in the order of `all`.
pub(crate) const SUITES: &[Suite] = &[rtt::SUITE, poll::SUITE, stream::SUITE, queue_suite::SUITE];
