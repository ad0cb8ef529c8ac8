//! Kernels whose keys are sparse.

use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox, ThisActor};

/// A message for whichever key.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Purchase {
    #[ring(key)]
    pub customer: u64,
    /// 0 makes the handler fail.
    pub amount: u64,
}

/// What [`buy`](struct@buy) answers.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Bought {
    pub customer: u64,
    /// Whose state it was: the customer of the first message that did not fail.
    pub whose: u64,
    /// Which of its actor's it was, from [`Account::FIRST`] on.
    pub count: u64,
    pub sum: u64,
}

/// The state of a customer. It does not begin with zeros.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Account {
    pub whose: u64,
    pub count: u64,
    pub sum: u64,
}

impl Account {
    /// The count that an account begins with.
    pub const FIRST: u64 = 1000;
}

impl Default for Account {
    fn default() -> Self {
        Self { whose: 0, count: Self::FIRST, sum: 0 }
    }
}

/// Adds up what each customer buys.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
pub fn buy(purchase: &Purchase, account: &mut Account, answers: &Outbox<Bought>) -> Result<(), Failure> {
    if account.count == 1000 {
        account.whose = purchase.customer;
    }
    account.count += 1;
    account.sum += purchase.amount;
    if purchase.amount == 0 {
        return Err(Failure::of(7));
    }
    answers.send(Bought {
        customer: purchase.customer,
        whose: account.whose,
        count: account.count - 1,
        sum: account.sum,
    });
    Ok(())
}

/// As [`buy`](struct@buy), and a purchase whose amount is a multiple of 10 is the customer's last: the next one is that of a new
/// customer.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
pub fn visit(
    purchase: &Purchase,
    account: &mut Account,
    actor: &ThisActor,
    answers: &Outbox<Bought>,
) -> Result<(), Failure> {
    if account.count == 1000 {
        account.whose = purchase.customer;
    }
    account.count += 1;
    account.sum += purchase.amount;
    if purchase.amount.is_multiple_of(10) {
        actor.end();
    }
    if purchase.amount == 0 {
        return Err(Failure::of(7));
    }
    answers.send(Bought {
        customer: purchase.customer,
        whose: account.whose,
        count: account.count - 1,
        sum: account.sum,
    });
    Ok(())
}

/// What [`countdown`](struct@countdown) counts down from.
pub const COUNTDOWN: u64 = 5;

/// How often a kernel without keys has been called.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Left {
    pub calls: u64,
}

impl Default for Left {
    fn default() -> Self {
        Self { calls: COUNTDOWN }
    }
}

/// Answers how many calls are left, and begins anew after none.
#[ring_kernel]
pub fn countdown(
    number: &super::Number,
    left: &mut Left,
    actor: &ThisActor,
    answers: &Outbox<super::Number>,
) {
    left.calls -= 1;
    answers.send(super::Number { value: number.value * 100 + left.calls });
    if left.calls == 0 {
        actor.end();
    }
}

/// A state without bytes.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Nothing {}

/// Keeps nothing of its customers, and yet knows which there are.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
pub fn greet(purchase: &Purchase, nothing: &mut Nothing, answers: &Outbox<Purchase>) {
    *nothing = Nothing {};
    answers.send(*purchase);
}

/// How many purchases [`shop`](struct@shop) makes of each number.
pub const SHOPPING: u64 = 4;

/// The customer that a number stands for: any key.
pub fn customer_of(number: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Sends purchases to another kernel, of customers with any keys.
#[ring_kernel(max_outputs = 4)]
pub fn shop(number: &super::Number, purchases: &Outbox<Purchase>) {
    let mut turn = 0u64;
    while turn < 4 {
        let customer = (number.value % 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        purchases.send(Purchase { customer, amount: turn + 1 });
        turn += 1;
    }
}
