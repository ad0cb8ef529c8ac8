//! Kernels that simulate.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::memory::{scatter, xorshift};

/// A vector in space.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vector {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

#[device_impl]
impl Vector {
    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector from `self` to `other`.
    fn to(self, other: Self) -> Self {
        Self { x: other.x - self.x, y: other.y - self.y, z: other.z - self.z }
    }

    /// `self`, and `by` as often as `times` says.
    fn along(self, by: Self, times: f32) -> Self {
        Self { x: self.x + by.x * times, y: self.y + by.y * times, z: self.z + by.z * times }
    }
}

/// A ray of light.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Ray {
    pub pixel: u32,
    pub origin: Vector,
    pub direction: Vector,
}

/// A ball.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Sphere {
    pub centre: Vector,
    pub radius: f32,
}

/// What a ray meets first, how far away, and where the surface looks there.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Hit {
    pub pixel: u32,
    pub sphere: u32,
    pub distance: f32,
    pub normal: Vector,
}

/// The distance along the ray at which it enters the sphere, or leaves it if it begins inside.
#[device_fn]
#[allow(clippy::manual_find)] // A device has no closures.
fn meets(ray: &Ray, sphere: &Sphere) -> Option<f32> {
    let to = ray.origin.to(sphere.centre);
    let a = ray.direction.dot(ray.direction);
    let b = ray.direction.dot(to);
    let c = to.dot(to) - sphere.radius * sphere.radius;
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    for distance in [(b - root) / a, (b + root) / a] {
        if distance > 0.0 {
            return Some(distance);
        }
    }
    None
}

/// Ray tracing: the nearest sphere that a ray meets. Sends nothing for rays that meet none.
#[ring_kernel]
pub fn trace(ray: &Ray, spheres: &[Sphere], hits: &Outbox<Hit>) {
    let mut nearest: Option<(usize, f32)> = None;
    for (i, sphere) in spheres.iter().enumerate() {
        if let Some(distance) = meets(ray, sphere) {
            match nearest {
                Some((_, least)) if least <= distance => {}
                _ => nearest = Some((i, distance)),
            }
        }
    }
    if let Some((i, distance)) = nearest {
        let Sphere { centre, radius } = spheres[i];
        let at = ray.origin.along(ray.direction, distance);
        let normal = Vector::default().along(centre.to(at), 1.0 / radius);
        hits.send(Hit { pixel: ray.pixel, sphere: i as u32, distance, normal });
    }
}

/// A body under gravity.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Body {
    pub position: Vector,
    pub velocity: Vector,
    pub mass: f32,
}

/// Lets time pass.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Tick {
    pub seconds: f32,
}

/// What stays the same, but for rounding and the steps' length.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Energy {
    pub kinetic: f32,
    pub potential: f32,
}

/// A step of the movement of bodies that attract one another: half a kick, a drift, half a kick.
#[ring_kernel]
pub fn n_body(tick: &Tick, bodies: &mut [Body], energies: &Outbox<Energy>) {
    kick(bodies, tick.seconds / 2.0);
    for body in bodies.iter_mut() {
        body.position = body.position.along(body.velocity, tick.seconds);
    }
    kick(bodies, tick.seconds / 2.0);
    let mut energy = Energy { kinetic: 0.0, potential: 0.0 };
    for (i, body) in bodies.iter().enumerate() {
        energy.kinetic += body.mass * body.velocity.dot(body.velocity) / 2.0;
        for other in &bodies[..i] {
            let to = body.position.to(other.position);
            energy.potential -= body.mass * other.mass / to.dot(to).sqrt();
        }
    }
    energies.send(energy);
}

/// What the bodies' attraction does to their velocities.
#[device_fn]
fn kick(bodies: &mut [Body], seconds: f32) {
    for i in 0..bodies.len() {
        for j in 0..bodies.len() {
            if i != j {
                let to = bodies[i].position.to(bodies[j].position);
                let squared = to.dot(to);
                let pull = bodies[j].mass / (squared * squared.sqrt());
                bodies[i].velocity = bodies[i].velocity.along(to, pull * seconds);
            }
        }
    }
}

/// A particle, and where it is.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Particle {
    pub id: u32,
    pub x: f32,
    pub y: f32,
}

/// The particle's number is beyond the list.
pub const UNKNOWN_PARTICLE: Failure = Failure::of(140);

/// Lists of the particles of each cell of a grid eight cells wide: `heads` has the last particle that came into a cell, `nexts` the
/// one before each particle; both count from 1, and 0 ends a list. All blocks put particles in at the same time.
#[ring_kernel]
pub fn cell_lists(particle: &Particle, heads: &[AtomicU32], nexts: &[AtomicU32]) -> Result<(), Failure> {
    let column = (particle.x as usize).min(7);
    let row = (particle.y as usize).min(heads.len() / 8 - 1);
    let id = particle.id;
    let Some(next) = nexts.get(id as usize) else { return Err(UNKNOWN_PARTICLE) };
    let before = heads[row * 8 + column].swap(id + 1, Ordering::AcqRel);
    next.store(before, Ordering::Release);
    Ok(())
}

/// Some throws of darts, all drawn from one seed.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Throws {
    pub seed: u64,
    pub count: u16,
}

/// How many there were, and how many of them fell into the circle.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Inside {
    pub thrown: u32,
    pub inside: u32,
}

/// Monte Carlo: points of a square that lie in the circle inside, four times whose share is π.
#[ring_kernel]
pub fn monte_carlo(throws: &Throws, results: &Outbox<Inside>) {
    let mut state = scatter(throws.seed) | 1;
    let mut inside = 0;
    for _ in 0..throws.count {
        let drawn = xorshift(&mut state);
        let (x, y) = (drawn >> 34, drawn & 0x3FFF_FFFF);
        if x * x + y * y < 1 << 60 {
            inside += 1;
        }
    }
    results.send(Inside { thrown: throws.count.into(), inside });
}
