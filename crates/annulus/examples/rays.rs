//! A ray tracer: three balls over a floor, a message per pixel.
//!
//! `cargo run -p annulus --example rays -- [cpu|opencl]`
//!
//! Shows a type of your own with functions that a device has too, a table that is bound at launch, and `Option` as a value.

mod common;

use annulus::prelude::*;

const WIDTH: u32 = 76;
const HEIGHT: u32 = 30;

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Vector {
    x: f32,
    y: f32,
    z: f32,
}

#[device_impl]
impl Vector {
    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// `self`, and `by` as often as `times` says.
    fn along(self, by: Self, times: f32) -> Self {
        Self { x: self.x + by.x * times, y: self.y + by.y * times, z: self.z + by.z * times }
    }

    fn unit(self) -> Self {
        let length = self.dot(self).sqrt();
        Self { x: self.x / length, y: self.y / length, z: self.z / length }
    }
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Sphere {
    centre: Vector,
    radius: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Ray {
    pixel: u32,
    origin: Vector,
    direction: Vector,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Pixel {
    pixel: u32,
    light: f32,
}

/// How far along the ray the sphere is, if the ray meets it.
#[device_fn]
fn distance(sphere: &Sphere, origin: Vector, direction: Vector) -> Option<f32> {
    let to = sphere.centre.along(origin, -1.0);
    let middle = to.dot(direction);
    let squared = middle * middle - to.dot(to) + sphere.radius * sphere.radius;
    if squared < 0.0 {
        return None;
    }
    let near = middle - squared.sqrt();
    (near > 1e-3).then_some(near)
}

/// Whether nothing stands between a place and the light.
#[device_fn]
fn is_lit(spheres: &[Sphere], place: Vector, light: Vector) -> bool {
    for sphere in spheres {
        if distance(sphere, place, light).is_some() {
            return false;
        }
    }
    true
}

#[ring_kernel(mode = Batch)]
fn trace(ray: &Ray, light: &Vector, spheres: &[Sphere], pixels: &Outbox<Pixel>) {
    // The floor is at height 0, in squares.
    let mut nearest = if ray.direction.y < 0.0 { -ray.origin.y / ray.direction.y } else { 1e9 };
    let mut met = None;
    for (i, sphere) in spheres.iter().enumerate() {
        if let Some(distance) = distance(sphere, ray.origin, ray.direction)
            && distance < nearest
        {
            nearest = distance;
            met = Some(i);
        }
    }
    let place = ray.origin.along(ray.direction, nearest);
    let lit = nearest < 1e9 && is_lit(spheres, place, *light);
    let light = match met {
        Some(i) => {
            let normal = place.along(spheres[i].centre, -1.0).unit();
            0.15 + if lit { normal.dot(*light).max(0.0) * 0.85 } else { 0.0 }
        }
        None if nearest > 40.0 => 0.0,
        None => {
            let dark = (place.x.floor() as i32 + place.z.floor() as i32) % 2 == 0;
            let colour = if dark { 0.25 } else { 0.6 };
            if lit { colour } else { colour * 0.3 }
        }
    };
    pixels.send(Pixel { pixel: ray.pixel, light });
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let vector = |x, y, z| Vector { x, y, z };
        let spheres = [
            Sphere { centre: vector(0.0, 1.0, 6.0), radius: 1.0 },
            Sphere { centre: vector(-2.2, 0.7, 5.0), radius: 0.7 },
            Sphere { centre: vector(2.0, 1.3, 7.5), radius: 1.3 },
        ];
        let light = vector(-0.48, 0.64, -0.6);
        let kernel = trace::bind(light, &spheres).launch(runtime, LaunchOptions::production().grid(2))?;
        // All rays have room in the rings at once.
        for pixel in 0..WIDTH * HEIGHT {
            let x = (pixel % WIDTH) as f32 / WIDTH as f32 * 2.0 - 1.0;
            let y = 1.0 - (pixel / WIDTH) as f32 / HEIGHT as f32 * 2.0;
            let direction = vector(x * 0.62, y * 0.4 - 0.2, 1.0).unit();
            let _ = kernel.send_blocking(Ray { pixel, origin: vector(0.0, 1.6, 0.0), direction })?;
        }
        let mut picture = vec![b' '; (WIDTH * HEIGHT) as usize];
        for _ in 0..WIDTH * HEIGHT {
            let Pixel { pixel, light } = kernel.recv_blocking()?;
            const SHADES: &[u8] = b" .:-=+*#%@";
            let shade = (light * 10.0) as usize;
            picture[pixel as usize] = SHADES[shade.min(9)];
        }
        for row in picture.chunks(WIDTH as usize) {
            println!("{}", String::from_utf8_lossy(row).trim_end());
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
