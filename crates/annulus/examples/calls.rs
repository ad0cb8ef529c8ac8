//! Request and reply: many threads call one kernel, and each gets the reply to its own message.
//!
//! `cargo run -p annulus --example calls -- [cpu|opencl]`
//!
//! A call that fails says with which code, and only that call: the others go on.

mod common;

use annulus::{CallError, prelude::*};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Withdraw {
    #[ring(key)]
    account: u32,
    cents: i32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Balance {
    cents: i32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Account {
    cents: i32,
}

/// The application's own error code.
const OVERDRAWN: Failure = Failure::of(1);

/// A transaction: what fails leaves the account as it was.
#[ring_kernel]
fn bank(request: &Withdraw, account: &mut Account, replies: &Outbox<Balance>) -> Result<(), Failure> {
    account.cents -= request.cents;
    if account.cents < 0 {
        return Err(OVERDRAWN);
    }
    replies.send(Balance { cents: account.cents });
    Ok(())
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let kernel =
            bank::launch(runtime, LaunchOptions::low_latency().backpressure(Backpressure::Block).actors(8))?;

        std::thread::scope(|scope| {
            for account in 0..8 {
                let kernel = kernel.clone();
                scope.spawn(move || {
                    match kernel.call_blocking(Withdraw { account, cents: -1000 }) {
                        Ok(balance) => {
                            println!("account {account}: {} cents after the deposit", balance.cents)
                        }
                        Err(error) => println!("account {account}: {error}"),
                    }
                    match kernel.call_blocking(Withdraw { account, cents: 900 + account as i32 * 50 }) {
                        Ok(balance) => println!("account {account}: {} cents left", balance.cents),
                        Err(CallError::Failed { code, .. }) if code == OVERDRAWN.code() => {
                            println!("account {account}: not enough money")
                        }
                        Err(error) => println!("account {account}: {error}"),
                    }
                });
            }
        });
        println!("{}", kernel.status());
        Ok(())
    })
}
