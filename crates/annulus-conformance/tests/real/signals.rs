use std::f64::consts::PI;

use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

fn sample(value: f32) -> Sample {
    Sample { series: 0, value }
}

/// A low-pass of second order lets what is constant through and stops what changes with every sample; in
/// between, a sine comes out as strong as the filter's transfer function says.
#[test]
fn biquad_has_its_transfer_function() {
    let filter = Biquad { b: [0.067_455, 0.134_911, 0.067_455], a: [-1.142_98, 0.412_802] };
    for turns in [0.0, 0.05, 0.1, 0.25, 0.5] {
        let mut kernel = Running::<biquad>::with(Delays::default()).bind(&[filter]);
        let angle = 2.0 * PI * turns;
        let outputs: Vec<f64> = (0..400)
            .map(|n| f64::from(kernel.answer(sample((angle * f64::from(n)).cos() as f32)).value))
            .collect();
        // Factors of e^(-iω), as real and imaginary parts.
        let size = |factors: [f64; 3]| {
            let parts = |f: fn(f64) -> f64| -> f64 {
                factors.iter().enumerate().map(|(k, factor)| factor * f(angle * k as f64)).sum()
            };
            parts(f64::cos).hypot(parts(f64::sin))
        };
        let gain = size(filter.b.map(f64::from)) / size([1.0, filter.a[0].into(), filter.a[1].into()]);
        // What is swung in is as strong as its mean square, of which a sine has half.
        let square = outputs[200..].iter().map(|y| y * y).sum::<f64>() / 200.0;
        let found = if turns == 0.0 || turns == 0.5 { square } else { 2.0 * square }.sqrt();
        assert!((found - gain).abs() < 1e-3 * gain + 1e-4, "at {turns}: {found} instead of {gain}");
    }
}

/// If nothing disturbs the movement and nothing is known before, the filter is the line of least squares.
#[test]
fn kalman_fits_a_line() {
    let noise = Noise { movement: 0.0, measurement: 1.0 };
    let mut kernel = Running::<kalman>::with(Track::default()).bind(&[noise]);
    let mut random = Random(2);
    let measured: Vec<f32> = (0..40).map(|n| 5.0 + 0.7 * n as f32 + random.part() - 0.5).collect();
    for (n, value) in measured.iter().enumerate() {
        let found = kernel.answer(sample(*value));
        if n < 4 {
            continue;
        }
        let count = n as f64 + 1.0;
        let mean_t = n as f64 / 2.0;
        let mean = measured[..=n].iter().map(|x| f64::from(*x)).sum::<f64>() / count;
        let times = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
            measured[..=n].iter().enumerate().map(|(t, x)| f(t as f64 - mean_t, f64::from(*x) - mean)).sum()
        };
        let slope = times(&|t, x| t * x) / times(&|t, _| t * t);
        let line = mean + slope * (n as f64 - mean_t);
        assert!((f64::from(found.velocity) - slope).abs() < 2e-3, "{found:?}: {slope}");
        assert!((f64::from(found.position) - line).abs() < 1e-2, "{found:?}: {line}");
    }
}

#[test]
fn fft_is_the_sum_of_the_definition() {
    let mut kernel = Running::<fft>::new();
    let mut random = Random(3);
    for _ in 0..50 {
        let mut numbers = || -> [f32; 16] { std::array::from_fn(|_| random.part() * 2.0 - 1.0) };
        let signal = Complexes { re: numbers(), im: numbers() };
        let found = kernel.answer(signal);
        for k in 0..16 {
            let (mut re, mut im) = (0.0, 0.0);
            for n in 0..16 {
                let angle = -2.0 * PI * (k * n) as f64 / 16.0;
                let (x, y) = (f64::from(signal.re[n]), f64::from(signal.im[n]));
                re += x * angle.cos() - y * angle.sin();
                im += x * angle.sin() + y * angle.cos();
            }
            assert!((f64::from(found.re[k]) - re).abs() < 1e-5, "{k}: {} is not {re}", found.re[k]);
            assert!((f64::from(found.im[k]) - im).abs() < 1e-5, "{k}: {} is not {im}", found.im[k]);
        }
    }
}
