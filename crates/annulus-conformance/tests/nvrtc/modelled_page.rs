//! The model's figures are those that the page shows, and its clock is what it says.

use std::path::Path;

use annulus_kernel::RingKernel;

use crate::{
    compiler::nvrtc,
    counts::{DISASSEMBLER, Form, Kind, ask},
    machine::{Costs, Spent},
    modelled::{HOPPER, MICROSECOND, Modelled, SEED, Text, World, hops, report::tables, round_trips},
};

/// The page, and what stands around the tables there.
const PAGE: &str = "../../docs/performance/cuda.md";
const BEGIN: &str = "<!-- modelled: `UPDATE_COUNTS=1` writes what follows -->\n";
const END: &str = "<!-- modelled: end -->\n";

#[test]
fn modelled_figures_are_what_the_page_says() {
    let Some(all) = Modelled::all(&World::H200) else { return };
    let tables = tables(&all);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once(BEGIN).expect("the page says where the tables begin");
    let (kept, after) = rest.split_once(END).expect("and where they end");
    if std::env::var_os("UPDATE_COUNTS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{tables}{END}{after}")).expect("it can be written");
        return;
    }
    assert!(kept == tables, "{PAGE} is not what it was; UPDATE_COUNTS=1 accepts this:\n{tables}");
}

/// The same seed gives the same figures, another one others; and each wait is paid by whoever waits: the
/// bus by a round trip and not by a hop, the L2 cache by a hop.
#[test]
fn the_models_clock_is_paid_by_who_waits() {
    let Some(_) = nvrtc().filter(|_| std::env::var_os(DISASSEMBLER).is_some()) else { return };
    let text = Text::Today;
    let world = World::H200;
    let (ask, linked) = (
        text.code(HOPPER, "ask", ask::DEFINITION, Form::ASK.threads, false),
        text.code(HOPPER, "linked", ask::DEFINITION, Form::ASK.threads, true),
    );
    let trips = |world: &World, seed| round_trips((&ask, HOPPER), Kind::Sealed, world, 20, seed);
    let hops = |world: &World| hops((&linked, HOPPER), world, 10, SEED);
    assert_eq!(trips(&world, SEED), trips(&world, SEED));
    assert_ne!(trips(&world, SEED), trips(&world, SEED / 3));
    let far = World { costs: Costs { host_load: world.costs.host_load + 1700, ..world.costs }, ..world };
    let longer = trips(&far, SEED).percentile(50) - trips(&world, SEED).percentile(50);
    // A load's way back and an answer's way are half a microsecond longer each, and looks are rarer.
    assert!((1.0..2.0).contains(&longer), "{longer} µs longer");
    assert_eq!(hops(&far).parts.spent[Spent::HostLoads as usize], 0.0);
    let slow = World { costs: Costs { device_load: world.costs.device_load * 2, ..world.costs }, ..world };
    assert!(hops(&slow).percentile(50) > hops(&world).percentile(50) + 0.25);
    // What is said of a way sums up to its time.
    let ways = trips(&world, SEED);
    let sum: f64 = ways.parts.named().iter().map(|part| part.1).sum();
    let mean = ways.times.iter().sum::<u64>() as f64 / ways.times.len() as f64 / MICROSECOND;
    assert!((sum - mean).abs() < 0.02, "{sum} µs of {mean}");
}
