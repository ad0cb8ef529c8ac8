//! Payments through a bank that is sometimes away: time limits, further attempts, a circuit breaker, and a supervisor.
//!
//! `cargo run -p annulus --example payments -- [cpu|opencl|cuda]`
//!
//! Tills ask the bank to charge an account, kernel to kernel. The bank's kernel is inactive for a while, as if it were away.
//! A payment whose answer does not come is tried again, and the bank charges it once all the same. After two attempts
//! without an answer nobody is asked, until two seconds have passed.

mod common;

use std::{
    error::Error,
    thread,
    time::{Duration, Instant},
};

use annulus::{
    CallError, ended,
    prelude::*,
    resilience::{Breaker, Retry, Supervised, Supervisor},
};

const SECOND: u64 = 1_000_000_000;

// ANCHOR: messages
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Payment {
    #[ring(key)]
    account: u32,
    number: u32,
    cents: u64,
    retry: Retry,
}

/// What the bank is asked.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Charge {
    #[ring(key)]
    account: u32,
    number: u32,
    cents: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Charged {
    left: u64,
}

/// What came of an attempt. The payment comes back with it, so that it can be tried again.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Tried {
    #[ring(key)]
    account: u32,
    permit: u32,
    payment: Payment,
    bank: Answer<Charged>,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Payment(Payment),
    #[ring(from)]
    Tried(Tried),
}

/// What the till says.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Said {
    Paid { number: u32, attempts: u32, left: u64 },
    NoAnswer { number: u32, attempts: u32 },
    Refused { number: u32 },
    BankIsAway { number: u32 },
}
// ANCHOR_END: messages

// ANCHOR: handler
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Till {
    breaker: Breaker,
}

impl Default for Till {
    fn default() -> Self {
        // After 2 attempts without an answer, no further one for 2 seconds.
        Self { breaker: Breaker::new(2, 2 * SECOND) }
    }
}

#[ring_kernel(mode = Batch)]
fn till(
    cx: &Cx,
    event: &Event,
    till: &mut Till,
    said: &Outbox<Said>,
    bank: &Ask<Charge, Tried>,
    later: &Later<Event>,
) {
    match event {
        Event::Payment(payment) => {
            let Payment { account, number, cents, .. } = *payment;
            let Some(permit) = till.breaker.permit(cx.now()) else {
                said.send(Said::BankIsAway { number });
                return;
            };
            let answer = Answer { ended: 0, code: 0, value: Charged { left: 0 } };
            let tried = Tried { account, permit, payment: *payment, bank: answer };
            bank.send(Charge { account, number, cents }, tried, 3 * SECOND);
        }
        Event::Tried(tried) => {
            let (mut payment, answer) = (tried.payment, &tried.bank);
            let (number, attempts) = (payment.number, payment.retry.failed() + 1);
            if answer.ended == ended::ANSWERED {
                till.breaker.succeeded(tried.permit);
                said.send(Said::Paid { number, attempts, left: answer.value.left });
            } else if answer.ended == ended::FAILED {
                // The bank has answered: there is too little in the account. A second attempt changes nothing.
                till.breaker.succeeded(tried.permit);
                said.send(Said::Refused { number });
            } else {
                till.breaker.failed(tried.permit, cx.now());
                match payment.retry.pause() {
                    Some(nanos) => later.send_after(Event::Payment(payment), nanos),
                    None => said.send(Said::NoAnswer { number, attempts }),
                }
            }
        }
    }
}
// ANCHOR_END: handler

// ANCHOR: bank
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Account {
    cents: u64,
    /// The numbers of the payments that were charged last. Numbers begin with 1.
    recent: [u32; 8],
    /// How many payments were charged.
    charged: u64,
}

impl Default for Account {
    fn default() -> Self {
        Self { cents: 10_000, recent: [0; 8], charged: 0 }
    }
}

const TOO_LITTLE: Failure = Failure::of(1);

/// Charges a payment once, though it may be asked for several times.
#[ring_kernel(mode = Batch)]
fn bank(charge: &Charge, account: &mut Account, charged: &Outbox<Charged>) -> Result<(), Failure> {
    if !account.recent.contains(&charge.number) {
        account.cents = account.cents.checked_sub(charge.cents).ok_or(TOO_LITTLE)?;
        account.recent[(account.charged % 8) as usize] = charge.number;
        account.charged += 1;
    }
    charged.send(Charged { left: account.cents });
    Ok(())
}
// ANCHOR_END: bank

// ANCHOR: host
/// The same from the host: three attempts, with pauses of 200 and 400 milliseconds. The bank charges a payment once, so it
/// does not matter whether an attempt without a reply has run.
fn charge(bank: &Supervised<bank>, charge: Charge) -> Result<Charged, Box<dyn Error>> {
    let limit = Duration::from_secs(5);
    let mut retry = Retry::default();
    loop {
        // The kernel that runs now: a new one, if the old one was lost.
        let error = match bank.running_timeout(limit)?.call_timeout(charge, limit) {
            Ok(charged) => return Ok(charged),
            // The bank has refused it.
            Err(error @ CallError::Failed { .. }) => return Err(error.into()),
            Err(error) => error,
        };
        match retry.pause() {
            Some(nanos) => thread::sleep(Duration::from_nanos(nanos)),
            None => return Err(format!("max retries exceeded: {error}").into()),
        }
    }
}
// ANCHOR_END: host

fn shown(said: Said) -> String {
    match said {
        Said::Paid { number, attempts: 1, left } => format!("payment {number}: paid, {left} cents are left"),
        Said::Paid { number, attempts, left } => {
            format!("payment {number}: paid at attempt {attempts}, {left} cents are left")
        }
        Said::NoAnswer { number, attempts } => {
            format!("payment {number}: no answer to {attempts} attempts; it may have been charged")
        }
        Said::Refused { number } => format!("payment {number}: refused"),
        Said::BankIsAway { number } => format!("payment {number}: the bank is away, nobody was asked"),
    }
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let options = LaunchOptions::production().actors(4).connectable(true).through(64);
        let till = till::launch(runtime, options.clone().active(false))?;
        // ANCHOR: supervisor
        let (place, tills) = (runtime.clone(), till.clone());
        let bank = Supervisor::new().start(move |_| {
            let kernel = bank::launch(&place, options.clone())?;
            // From now on the tills ask this kernel. They are connected while they are inactive.
            tills.deactivate_blocking()?;
            tills.port(till::BANK).connect(&kernel)?;
            tills.activate_blocking()?;
            Ok(kernel)
        })?;
        // ANCHOR_END: supervisor

        let pay = |number: u32, cents: u64| -> common::Outcome {
            let retry = Retry::new(2, SECOND / 20, SECOND);
            let _ = till.send_blocking(Event::Payment(Payment { account: 1, number, cents, retry }))?;
            println!("{}", shown(till.port(till::SAID).recv_blocking()?));
            Ok(())
        };
        pay(1, 2_000)?;
        pay(2, 9_000)?;

        bank.kernel()?.deactivate_blocking()?;
        println!("the bank goes away");
        pay(3, 1_500)?;
        let opened = Instant::now();
        pay(4, 100)?;
        bank.kernel()?.activate_blocking()?;
        println!("the bank is back");
        thread::sleep(Duration::from_millis(2_100).saturating_sub(opened.elapsed()));
        // The breaker allows an attempt. Payment 3 was charged when the bank came back, once.
        pay(5, 500)?;
        println!(
            "from the host: {} cents are left",
            charge(&bank, Charge { account: 1, number: 6, cents: 1 })?.left
        );

        let status = bank.status();
        println!("{status}");
        let shutdown = till.shutdown_blocking(Duration::from_secs(30));
        println!("till: {:?}", shutdown.outcome);
        let kernel = bank.kernel()?;
        bank.shutdown_blocking(Duration::from_secs(30));
        println!("{}", kernel.status());
        Ok(())
    })
}
