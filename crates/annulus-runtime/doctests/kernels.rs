// What examples in this crate's documentation share: they include it as a module.

pub use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Number {
    pub value: u64,
}

#[ring_kernel]
pub fn double(number: &Number, out: &Outbox<Number>) {
    out.send(Number { value: 2 * number.value });
}

/// The kernel `double`, on the CPU.
pub fn launched() -> KernelHandle<double> {
    launched_with(LaunchOptions::production())
}

pub fn launched_with(options: LaunchOptions) -> KernelHandle<double> {
    double::launch(&Runtime::builder().build().unwrap(), options).unwrap()
}

pub fn numbers(values: std::ops::Range<u64>) -> Vec<Number> {
    values.map(|value| Number { value }).collect()
}

/// Even numbers go out by one outbox, odd ones by another.
#[ring_kernel]
pub fn sort(number: &Number, even: &Outbox<Number>, odd: &Outbox<Number>) {
    if number.value.is_multiple_of(2) {
        even.send(*number);
    } else {
        odd.send(*number);
    }
}

/// The kernel `sort`, on the CPU.
pub fn sorting() -> KernelHandle<sort> {
    sort::launch(&Runtime::builder().build().unwrap(), LaunchOptions::production()).unwrap()
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
pub struct Deposit {
    #[ring(key)]
    pub account: u32,
    pub amount: i64,
}

/// The balances of accounts.
#[ring_kernel]
pub fn keep(deposit: &Deposit, balance: &mut i64) {
    *balance += deposit.amount;
}

/// The kernel `keep`, on the CPU, with an account that has 100 and two that have none.
pub fn accounts() -> KernelHandle<keep> {
    let runtime = Runtime::builder().build().unwrap();
    let kernel = keep::launch(&runtime, LaunchOptions::production().actors(3)).unwrap();
    let _ = kernel.try_send(Deposit { account: 0, amount: 100 }).unwrap();
    kernel.drained_blocking();
    kernel
}
