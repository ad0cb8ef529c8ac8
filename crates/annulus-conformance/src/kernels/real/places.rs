//! Kernels that know where things are: on the ground, on the globe, in a network.

use annulus_macros::{DeviceType, RingMessage, device_fn, ring_kernel};
use annulus_runtime::prelude::Outbox;

/// Where a vehicle is.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Fix {
    #[ring(key)]
    pub vehicle: u32,
    pub x: f32,
    pub y: f32,
}

/// A corner of a fence.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Corner {
    pub x: f32,
    pub y: f32,
}

/// That a vehicle came in, or left.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Crossing {
    pub vehicle: u32,
    pub inside: bool,
}

/// Whether a fence with these corners goes around the place: a ray to the right then crosses it an odd number of times.
#[device_fn]
fn surrounds(fence: &[Corner], x: f32, y: f32) -> bool {
    let Some(&last) = fence.last() else { return false };
    let mut inside = false;
    let mut from = last;
    for &to in fence {
        let across = (from.y > y) != (to.y > y);
        if across && x < from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x) {
            inside = !inside;
        }
        from = to;
    }
    inside
}

/// A fence on the map: tells when a vehicle crosses it.
#[ring_kernel]
pub fn geofence(fix: &Fix, inside: &mut bool, fence: &[Corner], crossings: &Outbox<Crossing>) {
    let now = surrounds(fence, fix.x, fix.y);
    if now != *inside {
        *inside = now;
        crossings.send(Crossing { vehicle: fix.vehicle, inside: now });
    }
}

/// A place on the globe, in degrees.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Coordinates {
    pub latitude: f32,
    pub longitude: f32,
}

/// Two places on the globe.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Journey {
    pub from: Coordinates,
    pub to: Coordinates,
}

/// A length.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Kilometres {
    pub value: f32,
}

/// The shortest way over the globe, by haversines.
#[ring_kernel]
pub fn haversine(journey: &Journey, lengths: &Outbox<Kilometres>) {
    const RADIUS: f32 = 6371.0;
    const DEGREE: f32 = std::f32::consts::PI / 180.0;
    let Journey { from, to } = *journey;
    let up = ((to.latitude - from.latitude) * DEGREE / 2.0).sin();
    let across = ((to.longitude - from.longitude) * DEGREE / 2.0).sin();
    let (from, to) = (from.latitude * DEGREE, to.latitude * DEGREE);
    let haversine = up * up + from.cos() * to.cos() * across * across;
    lengths.send(Kilometres { value: 2.0 * RADIUS * haversine.min(1.0).sqrt().asin() });
}

/// A packet for an address.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Addressed {
    pub address: u32,
}

/// A node of a table of routes. Its children, for a 0 and a 1 as the next bit, and its route count from 1; 0 is none.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Node {
    pub children: [u16; 2],
    pub route: u16,
}

/// Where a packet goes, and how many bits of its address say so.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Routed {
    pub address: u32,
    pub route: u16,
    pub bits: u16,
}

/// Routing by the longest prefix: the tree's first node stands for all addresses, each bit leads one node down.
#[ring_kernel]
pub fn longest_prefix(packet: &Addressed, tree: &[Node], routed: &Outbox<Routed>) {
    let mut found = Routed { address: packet.address, route: 0, bits: 0 };
    let mut at = 0;
    for bits in 0..=32 {
        let Some(node) = tree.get(at) else { break };
        if node.route != 0 {
            found = Routed { route: node.route, bits, ..found };
        }
        if bits == 32 {
            break;
        }
        let bit = packet.address >> (31 - bits) & 1;
        match node.children[bit as usize] {
            0 => break,
            child => at = usize::from(child),
        }
    }
    if found.route != 0 {
        routed.send(found);
    }
}
