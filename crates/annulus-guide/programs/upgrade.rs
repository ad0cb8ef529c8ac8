use std::{error::Error, time::Duration};

use annulus::{Replacement, Snapshot, Topology, prelude::*};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Sale {
    #[ring(key)]
    shop: u32,
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Report {
    shop: u32,
    sales: u32,
    cents: u32,
    largest: u32,
}

#[ring_kernel]
fn read(sale: &Sale, sales: &Outbox<Sale>) {
    sales.send(*sale);
}

// ANCHOR: first
/// What the first version keeps.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Till {
    sales: u32,
    cents: u32,
}

#[ring_kernel]
fn count(sale: &Sale, till: &mut Till, reports: &Outbox<Report>) {
    till.sales += 1;
    till.cents += sale.cents;
    reports.send(Report { shop: sale.shop, sales: till.sales, cents: till.cents, largest: 0 });
}
// ANCHOR_END: first

// ANCHOR: second
/// What the second one keeps: a field more.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct BetterTill {
    sales: u32,
    cents: u32,
    largest: u32,
}

impl From<Till> for BetterTill {
    fn from(Till { sales, cents }: Till) -> Self {
        Self { sales, cents, largest: 0 }
    }
}

#[ring_kernel]
fn count_better(sale: &Sale, till: &mut BetterTill, reports: &Outbox<Report>) {
    till.sales += 1;
    till.cents += sale.cents;
    till.largest = till.largest.max(sale.cents);
    let BetterTill { sales, cents, largest } = *till;
    reports.send(Report { shop: sale.shop, sales, cents, largest });
}
// ANCHOR_END: second

fn last_of(runtime: &Runtime, sales: &[Sale]) -> Result<(), Box<dyn Error>> {
    let reports = runtime.receiver::<Report>("count")?;
    let mut last = None;
    for &sale in sales {
        let _ = runtime.sender::<Sale>("read")?.send_blocking(sale)?;
        last = Some(reports.recv_blocking()?);
    }
    let Report { shop, sales, cents, largest } = last.ok_or("nothing was sold")?;
    println!("shop {shop}: {sales} sales, {cents} cents, the largest {largest}");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: launch
    let options = || LaunchOptions::production().actors(3);
    let topology = Topology::new()
        .kernel("read", read::bind(), LaunchOptions::production())
        .kernel("count", count::bind(), options())
        .link("read", "count");
    let mut running = topology.launch(&runtime)?;
    // ANCHOR_END: launch
    last_of(&runtime, &[Sale { shop: 1, cents: 250 }, Sale { shop: 1, cents: 999 }])?;

    // ANCHOR: refused
    let next = Replacement::new(count_better::bind(), options());
    let error = running.replace_blocking("count", next, Duration::from_secs(10)).unwrap_err();
    println!("{error}");
    // ANCHOR_END: refused

    // ANCHOR: replace
    let next = Replacement::new(count_better::bind(), options()).carry(|old, new| {
        let tills = old.states::<Till>()?.into_iter().map(BetterTill::from);
        new.set_states(&tills.collect::<Vec<_>>())
    });
    let replaced = running.replace_blocking("count", next, Duration::from_secs(10))?;
    println!("{:?}, after {} sales", replaced.outcome, replaced.before.status().processed);
    // ANCHOR_END: replace
    last_of(&runtime, &[Sale { shop: 1, cents: 400 }])?;

    // ANCHOR: shutdown
    for (name, outcome) in running.shutdown_blocking(Duration::from_secs(10)) {
        println!("{name}: {outcome:?}");
    }
    // ANCHOR_END: shutdown

    // ANCHOR: file
    // What an earlier version of the program has written, of its kernel `count`.
    let old = count::launch(&runtime, options().active(false))?;
    let written: Vec<u8> = old.snapshot_blocking()?.to_bytes();
    old.terminate_blocking();
    // The next one still has the earlier kernel, to read it by; it need not launch it.
    let old = Snapshot::from_bytes(count::DEFINITION, &written)?;
    let new = count_better::launch(&runtime, options().active(false))?;
    let mut snapshot = new.snapshot_blocking()?; // of the new shape, to be filled
    let tills = old.states::<Till>()?.into_iter().map(BetterTill::from);
    snapshot.set_states(&tills.collect::<Vec<_>>())?;
    new.restore_blocking(&snapshot)?;
    new.activate_blocking()?;
    // ANCHOR_END: file
    Ok(())
}
