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

/// What a code means, for people.
pub const fn describe(code: u16) -> &'static str {
    match code {
        0 => "no error",
        PANICKED => "the handler panicked",
        TOO_MANY_OUTPUTS => "the handler sent more messages than its max_outputs",
        UNKNOWN_ACTOR => "the message's key names no actor of this launch: raise LaunchOptions::actors",
        1..=0xFEFF => "an error of the application",
        _ => "an unknown error",
    }
}
