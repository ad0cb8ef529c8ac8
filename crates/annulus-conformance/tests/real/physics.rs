use std::f32::consts::PI;

use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

fn vector(x: f32, y: f32, z: f32) -> Vector {
    Vector { x, y, z }
}

/// What a ray hits lies on the sphere and on the ray, and nothing lies before it.
#[test]
fn rays_hit_the_nearest_sphere() {
    let mut random = Random(1);
    let spheres: Vec<Sphere> = (0..5)
        .map(|_| {
            let mut place = || random.part() * 10.0 - 5.0;
            let centre = vector(place(), place(), place() + 10.0);
            Sphere { centre, radius: 1.0 + random.part() }
        })
        .collect();
    let mut kernel = Running::<trace>::new().bind(&spheres);
    let mut met = 0;
    for pixel in 0..900u32 {
        let (x, y) = ((pixel % 30) as f32 / 15.0 - 1.0, (pixel / 30) as f32 / 15.0 - 1.0);
        let ray = Ray { pixel, origin: Vector::default(), direction: vector(x, y, 1.0) };
        let far = |at: f64, sphere: &Sphere| {
            let Vector { x: cx, y: cy, z: cz } = sphere.centre;
            let square = |a: f32, c: f32| (f64::from(a) * at - f64::from(c)).powi(2);
            (square(x, cx) + square(y, cy) + square(1.0, cz)).sqrt() - f64::from(sphere.radius)
        };
        // A walk along the ray in small steps.
        let first = (0..20_000).map(|step| f64::from(step) * 1e-3).find_map(|at| {
            let inside = spheres.iter().position(|sphere| far(at, sphere) < 0.0);
            inside.map(|sphere| (sphere as u32, at))
        });
        let hits = kernel.send(ray).unwrap();
        match (&hits[..], first) {
            ([hit], Some((sphere, at))) => {
                assert_eq!((hit.pixel, hit.sphere), (pixel, sphere));
                assert!((f64::from(hit.distance) - at).abs() < 2e-3, "{hit:?}: {at}");
                let Vector { x, y, z } = hit.normal;
                assert!((x * x + y * y + z * z - 1.0).abs() < 1e-3, "{hit:?}");
                met += 1;
            }
            ([hit], None) => {
                // Grazed between two steps.
                let depth = far(f64::from(hit.distance), &spheres[hit.sphere as usize]);
                assert!(depth.abs() < 1e-3, "{hit:?}");
            }
            ([], None) => {}
            found => panic!("{found:?}"),
        }
    }
    assert!(met > 50 && met < 850, "{met}");
}

/// Two equal bodies that circle each other are where they began after one turn.
#[test]
fn bodies_circle_each_other() {
    // At distance 2 the pull is m / 4, and must be v² / 1.
    let body = |side: f32| Body {
        position: vector(side, 0.0, 0.0),
        velocity: vector(0.0, side * 0.5, 0.0),
        mass: 1.0,
    };
    let start = [body(1.0), body(-1.0)];
    let mut kernel = Running::<n_body>::new().bind(&start);
    let mut energies = Vec::new();
    let steps = 1000;
    for _ in 0..steps {
        let energy = kernel.answer(Tick { seconds: 4.0 * PI / steps as f32 });
        energies.push(energy.kinetic + energy.potential);
        let [a, b] = kernel.bound::<Body>(0)[..] else { panic!("two") };
        assert!((a.velocity.x + b.velocity.x).abs() < 1e-5 && (a.velocity.y + b.velocity.y).abs() < 1e-5);
    }
    let end = kernel.bound::<Body>(0);
    for (before, after) in start.iter().zip(end) {
        assert!((before.position.x - after.position.x).abs() < 1e-2, "{after:?}");
        assert!((before.position.y - after.position.y).abs() < 1e-2, "{after:?}");
    }
    assert!(energies.iter().all(|energy| (energy + 0.25).abs() < 1e-4), "{energies:?}");
}

#[test]
fn particles_are_in_their_cells_lists() {
    let mut kernel = Running::<cell_lists>::new().bind(&[0u32; 32]).bind(&[0u32; 100]);
    let mut random = Random(2);
    let particles: Vec<Particle> =
        (0..100).map(|id| Particle { id, x: random.part() * 8.0, y: random.part() * 4.0 }).collect();
    for particle in &particles {
        kernel.send(*particle).unwrap();
    }
    assert_eq!(kernel.send(Particle { id: 100, x: 0.0, y: 0.0 }), Err(UNKNOWN_PARTICLE.code()));
    let (heads, nexts) = (kernel.bound::<u32>(0), kernel.bound::<u32>(1));
    for (cell, head) in heads.into_iter().enumerate() {
        let mut found = Vec::new();
        let mut at = head;
        while at != 0 {
            found.push(at - 1);
            at = nexts[at as usize - 1];
        }
        found.reverse();
        let inside = particles.iter().filter(|p| p.x as usize + 8 * (p.y as usize) == cell).map(|p| p.id);
        assert_eq!(found, inside.collect::<Vec<_>>());
    }
}

#[test]
fn monte_carlo_comes_to_pi() {
    let mut kernel = Running::<monte_carlo>::new();
    let (mut thrown, mut inside) = (0, 0);
    for seed in 0..20 {
        let result = kernel.answer(Throws { seed, count: 10_000 });
        assert_eq!(result.thrown, 10_000);
        thrown += result.thrown;
        inside += result.inside;
    }
    // A deviation of the estimate is 4 √(0.215 · 0.785 / 200,000), or 0.0037.
    let pi = 4.0 * inside as f32 / thrown as f32;
    assert!((pi - PI).abs() < 4.0 * 0.0037, "{pi}");
}
