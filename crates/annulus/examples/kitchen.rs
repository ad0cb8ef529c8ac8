//! The loop body is the kernel's: the threads of a block take orders from an inbox, as the cooks of a kitchen do, and stop
//! when the last guest has paid.
//!
//! `cargo run -p annulus --example kitchen -- [cpu|opencl]`
//!
//! Orders take unevenly long. A thread that is done takes the next one, so none of them waits for the slowest.

mod common;

use annulus::{KernelState, prelude::*};

use common::Random;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    table: u32,
    /// How long it takes; 0 closes the kitchen.
    steps: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Dish {
    table: u32,
    taste: u32,
}

/// What has been cooked.
#[derive(DeviceType, Clone, Copy, Default, Debug, PartialEq)]
#[repr(C)]
struct Served {
    dishes: u32,
    steps: u32,
}

// ANCHOR: handler
/// Each thread takes orders as long as there are any, and cooks one at a time.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32, block = 8)]
fn cook(cx: &BlockCx, inbox: &Inbox<Order>, served: &Block<Served>, out: &Outbox<Dish>) {
    let mut dishes = 0u32;
    let mut steps = 0u32;
    while let Some(order) = inbox.try_recv() {
        if order.steps == 0 {
            inbox.end_kernel();
        } else {
            let mut taste = order.table;
            for _ in 0..order.steps {
                taste = taste.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            }
            dishes += 1;
            steps += order.steps;
            // It belongs to the order that this thread took last.
            out.send(Dish { table: order.table, taste: taste >> 24 });
        }
    }
    // All come here when nothing is left to take.
    let dishes = cx.block_reduce(dishes, |a, b| a + b);
    let steps = cx.block_reduce(steps, |a, b| a + b);
    if cx.is_leader() {
        let before = served.get();
        served.set(Served { dishes: before.dishes + dishes, steps: before.steps + steps });
    }
}
// ANCHOR_END: handler

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let kernel = cook::launch(runtime, cook::options())?;
        let mut random = Random(11);
        let mut wanted = 0;
        for table in 0..200 {
            let steps = if table % 10 == 0 { 2000 } else { 1 + (random.part() * 100.0) as u32 };
            wanted += steps;
            let _ = kernel.send_blocking(Order { table, steps })?;
        }
        let _ = kernel.send_blocking(Order { table: 0, steps: 0 })?;
        let mut tables = Vec::new();
        while let Ok(dish) = kernel.recv_blocking() {
            tables.push(dish.table);
        }
        tables.sort_unstable();
        assert!(tables.into_iter().eq(0..200), "each table has its dish, once");
        // Nobody has terminated the kernel: its body has.
        kernel.terminate_blocking();
        assert_eq!(kernel.status().state, KernelState::Terminated);
        let served = kernel.snapshot_blocking()?.states::<Served>()?[0];
        assert_eq!(served, Served { dishes: 200, steps: wanted });
        println!("{} dishes in {} steps; the kitchen is closed", served.dishes, served.steps);
        println!("{}", kernel.status());
        Ok(())
    })
}
