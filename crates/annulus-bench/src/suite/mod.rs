//! The suites. A new one is a module with a `cases` function and an entry in [`SUITES`].

mod across;
mod asks;
mod backpressure;
mod bridge;
mod compress;
mod cooperate;
mod costs;
mod fair;
mod idle;
mod keys;
mod language;
mod links;
mod loops;
mod micro;
mod policies;
mod poll;
mod queue;
mod resident;
mod room;
mod routes;
mod rtt;
mod serialize;
mod stream;
mod thresholds;
mod timers;
mod watch;

use std::time::Instant;

use crate::{
    BackendName,
    harness::{Case, Failure},
};

/// What a suite needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Config {
    pub(crate) backend: BackendName,
    pub(crate) length: Length,
}

impl Config {
    /// How much of something a run does.
    pub(crate) fn size(self, full: u64, quick: u64) -> u64 {
        match self.length {
            Length::Full => full,
            Length::Quick => quick,
            Length::Trial => (quick / 100).max(10),
        }
    }
}

/// How long runs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Full,
    /// `--quick`.
    Quick,
    /// `--trial`: it works, and the figures mean nothing.
    Trial,
}

/// What a process does that another one of this program started to be measured; `None` if this is no such
/// process.
pub(crate) fn measured_process(begun: Instant) -> Option<Result<(), Failure>> {
    let cache = std::env::var_os(resident::READY)?;
    Some(resident::be_ready(begun, &cache))
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
pub(crate) const SUITES: &[Suite] = &[
    rtt::SUITE,
    poll::SUITE,
    watch::SUITE,
    stream::SUITE,
    policies::SUITE,
    backpressure::SUITE,
    costs::SUITE,
    links::SUITE,
    across::SUITE,
    routes::SUITE,
    asks::SUITE,
    timers::SUITE,
    fair::SUITE,
    idle::SUITE,
    thresholds::SUITE,
    keys::SUITE,
    queue::SUITE,
    serialize::SUITE,
    compress::SUITE,
    bridge::SUITE,
    resident::SUITE,
    cooperate::SUITE,
    loops::SUITE,
    language::SUITE,
    micro::SUITE,
];
