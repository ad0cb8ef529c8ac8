//! A message and a state without `#[repr(C)]` are two errors, and the kernel that uses them none.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
struct Order {
    #[ring(key)]
    account: u32,
    amount: i64,
}

#[derive(DeviceType, Clone, Copy, Default)]
struct Balance {
    amount: i64,
}

#[device_impl]
impl Balance {
    fn add(&mut self, amount: i64) {
        self.amount += amount;
    }
}

#[ring_kernel]
fn book(order: &Order, balance: &mut Balance, receipts: &Outbox<Order>) {
    balance.add(order.amount);
    receipts.send(*order);
}

fn main() {}
