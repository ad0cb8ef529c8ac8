//! The 16-bit error codes that telemetry, status and replies carry.
//!
//! 0 means none; codes below [`FIRST_OWN`] belong to the application.

/// The first code that is not the application's.
pub const FIRST_OWN: u16 = 0xFF00;
/// The handler panicked.
pub const PANICKED: u16 = 0xFF01;
/// The handler sent more messages than its `max_outputs`.
pub const TOO_MANY_OUTPUTS: u16 = 0xFF02;
/// The message's key names no actor: it is not below the number of actors that the kernel was launched with.
pub const UNKNOWN_ACTOR: u16 = 0xFF03;
/// The handler accessed an element that does not exist.
pub const INDEX_OUT_OF_BOUNDS: u16 = 0xFF04;
/// The handler divided by zero.
pub const DIVISION_BY_ZERO: u16 = 0xFF05;
/// A calculation of the handler overflowed its type where that is an error: `MIN / -1` always, other
/// operations if the build checks them.
pub const OVERFLOW: u16 = 0xFF06;
/// The handler's loops ran more iterations than its loop budget allows.
pub const BUDGET_EXHAUSTED: u16 = 0xFF07;
/// The bytes of a bridged message are no archive of its type: an offset in it leads out of it, for one.
pub const BAD_ARCHIVE: u16 = 0xFF08;
/// Some threads of a block waited at a barrier that others did not reach.
pub const BARRIER_NOT_REACHED: u16 = 0xFF09;
/// A thread that is not the leader of its block set the state.
pub const NOT_THE_LEADER: u16 = 0xFF0A;
/// The handler set more timers than its `max_timers`, or than the block has room for.
pub const TIMERS_FULL: u16 = 0xFF0B;

/// What [`UNKNOWN_ACTOR`] may also mean of a message that a handler has sent to itself, behind its [description](describe).
pub const UNKNOWN_LATER_ACTOR: &str = "; or, of a message that a handler sends to itself by Later, an actor of another block: use the \
                                       handler's own key, or launch with grid(1)";

/// A description of a code, for people.
pub const fn describe(code: u16) -> &'static str {
    match code {
        0 => "no error",
        PANICKED => "the handler panicked",
        TOO_MANY_OUTPUTS => {
            "the handler sent more messages than its max_outputs: raise #[ring_kernel(max_outputs = …)]; by a reply or an ask it \
             sends one at most, whatever that says; and of a block that works on one message only the leader sends: write \
             `if cx.is_leader() { … }`"
        }
        UNKNOWN_ACTOR => {
            "the message's key names no actor of this launch: raise LaunchOptions::actors, or take any keys with \
             LaunchOptions::sparse_keys"
        }
        INDEX_OUT_OF_BOUNDS => "the handler took an element that is not there: compare the index with len()",
        DIVISION_BY_ZERO => "the handler divided by zero: test the divisor first",
        OVERFLOW => "the handler's calculation overflowed: use wrapping_… where that is meant",
        BUDGET_EXHAUSTED => {
            "the handler's loops ran longer than their budget: raise #[ring_kernel(loop_budget = …)]"
        }
        BAD_ARCHIVE => "the message's bytes are no archive of its type",
        BARRIER_NOT_REACHED => {
            "not all threads of the block reached a barrier: put it where all of them come by"
        }
        NOT_THE_LEADER => {
            "a thread that is not its block's leader set the state: write `if cx.is_leader() { … }`"
        }
        TIMERS_FULL => {
            "the handler has more timers and asks than its max_timers, or than its block has room for: raise \
             #[ring_kernel(max_timers = …)] or #[ring_kernel(timers = …)]; or more than 64 asks of its block are open, which \
             nothing raises: launch with more blocks, or ask later; an ask keeps its room until its answer has come, also when \
             its time is over"
        }
        1..=0xFEFF => "an error of the application",
        _ => "an unknown error",
    }
}

/// What happened, without what to do about it: the beginning of [`describe`], for lines that say more than this.
///
/// ```
/// use annulus_abi::error::{DIVISION_BY_ZERO, brief};
/// assert_eq!(brief(DIVISION_BY_ZERO), "the handler divided by zero");
/// ```
pub fn brief(code: u16) -> &'static str {
    let text = describe(code);
    text.split_once(": ").map_or(text, |(what, _)| what)
}

/// What the application calls one of its codes. `#[derive(ErrorCode)]` writes these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorName {
    /// The code, `1 ..= 0xFEFF`.
    pub code: u16,
    /// Its name.
    pub name: &'static str,
    /// What it means; empty if the application does not say.
    pub meaning: &'static str,
}

impl core::fmt::Display for ErrorName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} ({:#06x})", self.name, self.code)?;
        if self.meaning.is_empty() { Ok(()) } else { write!(f, ": {}", self.meaning) }
    }
}

/// A code for people: by its name if the application has named it, else by [`describe`].
///
/// ```
/// use annulus_abi::error::{ErrorName, PANICKED, Shown};
/// let names = [ErrorName { code: 7, name: "Overdrawn", meaning: "the account has too little" }];
/// let shown = |code| Shown { code, names: &names }.to_string();
/// assert_eq!(shown(7), "Overdrawn (0x0007): the account has too little");
/// assert_eq!(shown(8), "0x0008 (an error of the application)");
/// assert_eq!(shown(PANICKED), "0xff01 (the handler panicked)");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The code.
    pub code: u16,
    /// The names that the application has given.
    pub names: &'a [ErrorName],
}

impl core::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.names.iter().find(|name| name.code == self.code) {
            Some(name) => name.fmt(f),
            None => write!(f, "{:#06x} ({})", self.code, describe(self.code)),
        }
    }
}
