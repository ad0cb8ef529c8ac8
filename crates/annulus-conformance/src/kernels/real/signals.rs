//! Kernels that filter, follow and transform signals.

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::{Level, Sample};

/// A filter's factors, those of its output with `a0` = 1.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Biquad {
    pub b: [f32; 3],
    pub a: [f32; 2],
}

/// What a filter remembers.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Delays {
    pub first: f32,
    pub second: f32,
}

/// A filter of infinite length with two poles, in transposed direct form II.
#[ring_kernel]
pub fn biquad(sample: &Sample, delays: &mut Delays, filter: &Biquad, filtered: &Outbox<Level>) {
    let x = sample.value;
    let y = filter.b[0] * x + delays.first;
    delays.first = filter.b[1] * x - filter.a[0] * y + delays.second;
    delays.second = filter.b[2] * x - filter.a[1] * y;
    filtered.send(Level { series: sample.series, value: y });
}

/// How unsure a position and a velocity are, each by itself and together.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Covariance {
    pub position: f32,
    pub both: f32,
    pub velocity: f32,
}

/// Where something is thought to be, how fast it moves, and how unsure both are.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Track {
    pub position: f32,
    pub velocity: f32,
    pub covariance: Covariance,
    pub known: bool,
}

/// What disturbs a movement, and what disturbs its measurement: variances.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Noise {
    pub movement: f32,
    pub measurement: f32,
}

/// Where something is, and how fast it moves.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Motion {
    pub series: u32,
    pub position: f32,
    pub velocity: f32,
}

#[device_impl]
impl Track {
    /// A step of time.
    fn predict(&mut self, movement: f32) {
        let Covariance { position, both, velocity } = self.covariance;
        self.position += self.velocity;
        self.covariance = Covariance {
            position: position + 2.0 * both + velocity,
            both: both + velocity,
            velocity: velocity + movement,
        };
    }

    /// A measurement of the position.
    fn correct(&mut self, measured: f32, noise: f32) {
        let Covariance { position, both, velocity } = self.covariance;
        let off = measured - self.position;
        let unsure = position + noise;
        let (gain, gain_of_velocity) = (position / unsure, both / unsure);
        self.position += gain * off;
        self.velocity += gain_of_velocity * off;
        self.covariance = Covariance {
            position: position - gain * position,
            both: both - gain * both,
            velocity: velocity - gain_of_velocity * both,
        };
    }
}

/// A Kalman filter that follows something with a nearly constant velocity, one measurement per step.
#[ring_kernel]
pub fn kalman(sample: &Sample, track: &mut Track, noise: &Noise, motions: &Outbox<Motion>) {
    if track.known {
        track.predict(noise.movement);
        track.correct(sample.value, noise.measurement);
    } else {
        let covariance = Covariance { position: noise.measurement, both: 0.0, velocity: 1e3 };
        *track = Track { position: sample.value, velocity: 0.0, covariance, known: true };
    }
    motions.send(Motion { series: sample.series, position: track.position, velocity: track.velocity });
}

/// Sixteen values of a signal, and its spectrum.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Complexes {
    pub re: [f32; 16],
    pub im: [f32; 16],
}

/// The cosines of the first half of a circle in sixteenths; a sine is a cosine a quarter earlier.
const COSINES: [f32; 8] = [
    1.0,
    0.923_879_5,
    std::f32::consts::FRAC_1_SQRT_2,
    0.382_683_43,
    0.0,
    -0.382_683_43,
    -std::f32::consts::FRAC_1_SQRT_2,
    -0.923_879_5,
];

/// The factor e^(-2πi k / 16).
#[device_fn]
fn turn(k: usize) -> (f32, f32) {
    let sine = if k < 4 { -COSINES[4 - k] } else { -COSINES[k - 4] };
    (COSINES[k], sine)
}

/// A fast Fourier transform of 16 points, in place.
#[ring_kernel]
pub fn fft(signal: &Complexes, spectra: &Outbox<Complexes>) {
    let Complexes { mut re, mut im } = *signal;
    for i in 0..16usize {
        let j = i.reverse_bits() >> (usize::BITS - 4);
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < 16 {
        for start in (0..16).step_by(2 * half) {
            for k in 0..half {
                let (low, high) = (start + k, start + k + half);
                let (cosine, sine) = turn(k * 8 / half);
                let turned = (re[high] * cosine - im[high] * sine, re[high] * sine + im[high] * cosine);
                (re[high], im[high]) = (re[low] - turned.0, im[low] - turned.1);
                (re[low], im[low]) = (re[low] + turned.0, im[low] + turned.1);
            }
        }
        half *= 2;
    }
    spectra.send(Complexes { re, im });
}
