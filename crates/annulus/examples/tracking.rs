//! Follows something that moves with a Kalman filter, through noise that nearly hides it.
//!
//! `cargo run -p annulus --example tracking -- [cpu|opencl]`
//!
//! What is followed is an actor, whose state is what is believed of it: where it is, how fast it moves, and how sure that is.

mod common;

use annulus::prelude::*;

use common::Random;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Measured {
    #[ring(key)]
    target: u32,
    position: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Believed {
    target: u32,
    position: f32,
    velocity: f32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Track {
    known: bool,
    position: f32,
    velocity: f32,
    /// Covariance: of the position, of both together, of the velocity.
    unsure: f32,
    both: f32,
    unsure_velocity: f32,
}

/// Variances: of what the target does by itself, and of what is measured.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Noise {
    movement: f32,
    measurement: f32,
}

#[device_impl]
impl Track {
    /// What is believed a step of time later.
    fn predict(&mut self, noise: &Noise) {
        self.position += self.velocity;
        self.unsure += 2.0 * self.both + self.unsure_velocity;
        self.both += self.unsure_velocity;
        self.unsure_velocity += noise.movement;
    }

    /// What is believed after a measurement: the less sure one was, the more one moves.
    fn correct(&mut self, measured: f32, noise: &Noise) {
        let off = measured - self.position;
        let gain = self.unsure / (self.unsure + noise.measurement);
        let gain_of_velocity = self.both / (self.unsure + noise.measurement);
        self.position += gain * off;
        self.velocity += gain_of_velocity * off;
        self.unsure_velocity -= gain_of_velocity * self.both;
        self.both *= 1.0 - gain;
        self.unsure *= 1.0 - gain;
    }
}

#[ring_kernel]
fn follow(measured: &Measured, track: &mut Track, noise: &Noise, believed: &Outbox<Believed>) {
    if track.known {
        track.predict(noise);
        track.correct(measured.position, noise);
    } else {
        *track = Track {
            known: true,
            position: measured.position,
            unsure: noise.measurement,
            unsure_velocity: 100.0,
            ..Track::default()
        };
    }
    let Track { position, velocity, .. } = *track;
    believed.send(Believed { target: measured.target, position, velocity });
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let noise = Noise { movement: 0.02, measurement: 25.0 };
        let kernel = follow::bind(noise).launch(runtime, LaunchOptions::low_latency().actors(1))?;
        let mut random = Random(4);
        let (mut position, mut velocity) = (6.0f32, 1.4f32);
        let (mut measured_off, mut believed_off) = (0.0, 0.0);
        println!("     | where it is   x measured   * believed");
        for step in 0..36 {
            position += velocity;
            velocity -= 0.04;
            // A sum of twelve has a deviation of 1.
            let off: f32 = (0..12).map(|_| random.part()).sum::<f32>() - 6.0;
            let measured = position + 5.0 * off;
            let believed = kernel.call_blocking(Measured { target: 0, position: measured })?;
            let mut line = [b' '; 60];
            for (place, dead_letter) in [(measured, b'x'), (position, b'|'), (believed.position, b'*')] {
                line[(place.max(0.0) as usize).min(59)] = dead_letter;
            }
            println!("{step:3}  {}", String::from_utf8_lossy(&line).trim_end());
            if step >= 10 {
                measured_off += (measured - position).powi(2);
                believed_off += (believed.position - position).powi(2);
            }
        }
        let root = |sum: f32| (sum / 26.0).sqrt();
        println!(
            "off from step 10 on: {:.1} as measured, {:.1} as believed",
            root(measured_off),
            root(believed_off)
        );
        println!("{}", kernel.status());
        Ok(())
    })
}
