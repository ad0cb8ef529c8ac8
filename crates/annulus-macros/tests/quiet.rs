//! What the macros write raises no lint, whatever the user's crate turns on.
#![deny(warnings, missing_docs, unreachable_pub, missing_debug_implementations, missing_copy_implementations)]
#![deny(clippy::all, clippy::pedantic, unused_qualifications, single_use_lifetimes, let_underscore_drop)]
#![deny(clippy::nursery)]
#![allow(clippy::redundant_pub_crate)] // It contradicts `unreachable_pub`.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_types)] // This atomic is a user's data.

use annulus::prelude::*;
use std::sync::atomic::AtomicU32;

mod types {
    //! Types that are private to a module.
    use annulus::prelude::*;

    #[derive(RingMessage, Clone, Copy, Debug)]
    #[repr(u32)]
    pub(crate) enum Command {
        Add {
            #[ring(key)]
            account: u32,
            amount: f32,
        },
        Close(#[ring(key)] u32),
    }

    #[derive(DeviceType, Clone, Copy, Default, Debug)]
    #[repr(C)]
    pub(crate) struct Account {
        pub(crate) balance: f32,
        pub(crate) open: bool,
    }
}
use types::{Account, Command};

#[ring_kernel]
fn nobody_launches_me(_: &Command, account: &mut Account) {
    account.open = false;
}

#[ring_kernel(mode = Batch)]
#[deprecated]
#[allow(clippy::too_many_lines)]
pub(crate) fn many(
    _cx: &Cx,
    command: &Command,
    account: &mut Account,
    _a: &u32,
    _b: &[f32],
    _c: &[u64; 3],
    _d: &[AtomicU32],
    _e: &f32,
    out: &Outbox<Command>,
) -> Result<(), Failure> {
    match *command {
        Command::Add { amount, .. } if amount < 0.0 => return Err(Failure::of(1)),
        Command::Add { amount, .. } => account.balance += amount,
        Command::Close(account) => out.send(Command::Close(account)),
    }
    Ok(())
}

#[test]
fn commands_have_keys() {
    assert_eq!(Command::Add { account: 1, amount: 0.0 }.key(), 1);
    assert_eq!(Command::Close(2).key(), 2);
}
