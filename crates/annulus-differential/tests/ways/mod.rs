//! Handlers that send to themselves, ask, and send to whom their outputs name, to those that take a topic, and along rows:
//! what they recorded is the same everywhere, with times, addresses, topics and rows.

mod faults;

use annulus_conformance::language::call;
use annulus_kernel::{KernelDefinition, Target};

use crate::{PROGRAM, calls, device::Device, device_agrees, handlers::WAYS, on_the_host, quietly};

/// What a handler sends by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Later,
    Asks,
    Peers,
    Topics,
    Rows,
}

const ALL: [Way; 5] = [Way::Later, Way::Asks, Way::Peers, Way::Topics, Way::Rows];

impl Way {
    fn of(definition: &KernelDefinition) -> Self {
        match (definition.peers, definition.rows) {
            (Some(peers), _) if peers.by_topic => Self::Topics,
            (Some(_), _) => Self::Peers,
            (_, Some(_)) => Self::Rows,
            _ if definition.ask().is_some() => Self::Asks,
            _ => Self::Later,
        }
    }
}

/// The handlers that send by this.
fn by(way: Way) -> Vec<&'static KernelDefinition> {
    WAYS.iter().copied().filter(|definition| Way::of(definition) == way).collect()
}

#[test]
fn ways_as_c_on_the_host() {
    on_the_host(WAYS, Target::OpenCl, "ways");
}

#[test]
fn ways_as_cuda_on_the_host() {
    on_the_host(&WAYS[..WAYS.len().min(15)], Target::Cuda, "ways");
}

#[test]
fn ways_on_an_opencl_device() {
    let Some(device) = Device::first() else { return println!("skipped: there is no OpenCL device") };
    if !device.has_wide_atomics() {
        return println!("skipped: it has no atomics of 64 bits, which every handler uses");
    }
    quietly(|| WAYS.chunks(PROGRAM).for_each(|program| device_agrees(&device, program)));
}

/// Whether these are not the usual ones, of which alone it is known that they use everything.
fn are_others() -> bool {
    let others = option_env!("ANNULUS_WAYS").is_some();
    if others {
        println!("skipped: others than the usual handlers were asked for");
    }
    others
}

/// Each way is used by calls that succeed, and timers and asks besides outputs.
#[test]
fn ways_are_used() {
    if are_others() {
        return;
    }
    for way in ALL {
        let definitions = by(way);
        let (mut outputs, mut timers, mut asks, mut refused) = (0, 0, 0, 0);
        quietly(|| {
            for definition in &definitions {
                for input in calls(definition) {
                    let outcome = call(definition, &input);
                    outputs += outcome.outputs.len();
                    timers += outcome.timers.iter().filter(|timer| !timer.is_ask).count();
                    asks += outcome.timers.iter().filter(|timer| timer.is_ask).count();
                    refused += usize::from(outcome.code == annulus_abi::error::TIMERS_FULL);
                }
            }
        });
        println!(
            "{way:?}: {outputs} outputs, {timers} timers, {asks} asks; {refused} calls set more than they may"
        );
        assert!(outputs > 100, "{way:?}");
        assert!(timers > 100 || !matches!(way, Way::Later | Way::Asks), "{way:?}");
        assert!(asks > 100 || way != Way::Asks, "{way:?}");
        assert!(refused > 0 || way != Way::Later, "{way:?}");
    }
}
