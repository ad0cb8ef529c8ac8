//! Words whose values are wrong, or contradict the handler or each other.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Tick {
    n: u32,
}

#[ring_kernel(domain = Chess, backends = Cuda)]
fn values(_: &Tick) {}

#[ring_kernel(backends = [Cpu, Vulkan, Cpu])]
fn unknown(_: &Tick) {}

#[ring_kernel(backends = [])]
fn nowhere(_: &Tick) {}

#[ring_kernel(cpu_only, backends = [Cpu, OpenCl])]
fn contradicts(_: &Tick) {}

#[ring_kernel(shared_memory = 1024)]
fn alone(_: &Tick) {}

#[ring_kernel(shared_memory = 232449)]
fn large(_: &BlockCx, _: &Tick) {}

#[ring_kernel(domain = General, max_messages_per_iteration = 8)]
fn one_at_a_time(_: &Tick) {}

fn main() {}
