//! Grains, as virtual actors are called: each is there while it is used, with a kernel of its own.
//!
//! `cargo run -p annulus --example grain -- [cpu|opencl|cuda]`
//!
//! The first command to a grain activates it: its kernel is launched, and a thread looks at its telemetry once a second.
//! Deactivating it lets the kernel handle what was sent, and ends it. Many threads may give commands to one grain: each
//! gets the result of its own command, or an error that says why there is none.

mod common;

use std::{
    collections::BTreeMap,
    error::Error,
    sync::{Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use annulus::{CallError, Interval, TelemetrySample, prelude::*};

/// How long a caller waits for a result, and a grain for its end.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Command {
    Deposit {
        cents: u64,
    },
    Withdraw {
        cents: u64,
    },
    /// Has no result.
    Forget,
}

#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Balance {
    cents: u64,
    commands: u64,
}

#[derive(ErrorCode, Clone, Copy)]
#[repr(u16)]
enum Refused {
    TooLittle = 1,
}

#[ring_kernel]
fn account(command: &Command, balance: &mut Balance, results: &Outbox<Balance>) -> Result<(), Refused> {
    match *command {
        Command::Deposit { cents } => balance.cents += cents,
        Command::Withdraw { cents } if cents > balance.cents => return Err(Refused::TooLittle),
        Command::Withdraw { cents } => balance.cents -= cents,
        Command::Forget => {
            *balance = Balance { cents: 0, commands: 0 };
            return Ok(());
        }
    }
    balance.commands += 1;
    results.send(*balance);
    Ok(())
}

/// A grain that is there.
struct Grain {
    kernel: KernelHandle<account>,
    monitor: JoinHandle<Option<TelemetrySample>>,
}

/// All grains of a program, by name.
struct Grains<'a> {
    runtime: &'a Runtime,
    active: Mutex<BTreeMap<String, Grain>>,
}

impl Grains<'_> {
    /// The result of a command; activates the grain if it is not there.
    fn command(&self, name: &str, command: Command) -> Result<Balance, Box<dyn Error>> {
        let kernel = self.activate(name)?;
        Ok(kernel.call_timeout(command, PATIENCE)?)
    }

    fn activate(&self, name: &str) -> Result<KernelHandle<account>, Box<dyn Error>> {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(grain) = active.get(name) {
            return Ok(grain.kernel.clone());
        }
        let kernel = account::launch(self.runtime, account::options().name(name))?;
        let samples = kernel.enable_telemetry()?.poll_every(Interval::LOGGING);
        // A service would look at each sample. The last one is that of the kernel's end.
        let monitor = thread::spawn(move || samples.last());
        active.insert(name.into(), Grain { kernel: kernel.clone(), monitor });
        Ok(kernel)
    }

    /// Ends a grain, and says what it has done.
    fn deactivate(&self, name: &str) -> Option<String> {
        let grain = self.active.lock().unwrap_or_else(PoisonError::into_inner).remove(name)?;
        let shutdown = grain.kernel.shutdown_blocking(PATIENCE);
        let last = grain.monitor.join().ok().flatten()?.snapshot;
        let (processed, dropped) = (last.messages_processed, last.messages_dropped);
        Some(format!("{:?}; {processed} commands done, {dropped} refused", shutdown.outcome))
    }
}

/// What is there after each of so many deposits of 10 cents.
fn deposit(grains: &Grains<'_>, name: &str, times: u32) -> Vec<Balance> {
    (0..times).filter_map(|_| grains.command(name, Command::Deposit { cents: 10 }).ok()).collect()
}

/// What came of a command.
fn told(result: Result<Balance, Box<dyn Error>>) -> String {
    match result {
        Ok(balance) => format!("{} cents", balance.cents),
        Err(error) => match error.downcast_ref() {
            Some(CallError::Failed { code, .. }) if *code == Refused::TooLittle as u16 => {
                "too little is there".into()
            }
            Some(CallError::NoReply) => "done, without a result".into(),
            _ => error.to_string(),
        },
    }
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let grains = Grains { runtime, active: Mutex::default() };
        // Four threads give commands to one grain, and each gets the results of its own.
        let mut balances = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| deposit(&grains, "alice", 25))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect::<Vec<_>>()
        })
        .concat();
        balances.sort_unstable_by_key(|balance| balance.commands);
        let expected: Vec<_> = (1..=100).map(|n| Balance { cents: 10 * n, commands: n }).collect();
        println!("alice: each of 100 commands got a result of its own: {}", balances == expected);

        let result = grains.command("bob", Command::Deposit { cents: 5 })?;
        println!("bob: {} cents", result.cents);
        for command in [Command::Withdraw { cents: 6 }, Command::Forget] {
            println!("bob: {command:?}: {}", told(grains.command("bob", command)));
        }
        for name in ["alice", "bob", "carol"] {
            match grains.deactivate(name) {
                Some(said) => println!("{name}: {said}"),
                None => println!("{name} was not there"),
            }
        }
        // A grain that is used again begins anew.
        println!("bob: {} cents", grains.command("bob", Command::Deposit { cents: 1 })?.cents);
        let bob = grains.activate("bob")?;
        println!("{}", grains.deactivate("bob").unwrap_or_default());
        println!("{}", bob.status());
        Ok(())
    })
}
