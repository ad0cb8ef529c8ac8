use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

fn sample(value: f32) -> Sample {
    Sample { series: 3, value }
}

fn noise(count: usize) -> Vec<f32> {
    let mut random = Random(1);
    (0..count).map(|_| random.part() * 20.0 - 10.0).collect()
}

#[test]
fn detect_alerts_on_what_is_far_off() {
    let mut kernel = Running::<detect>::with(Stats::default());
    let values = noise(200);
    for value in &values {
        // Even values differ from their mean by less than 1.8 deviations.
        assert_eq!(kernel.send(sample(*value)), Ok(Vec::new()));
    }
    let mean = values.iter().map(|x| f64::from(*x)).sum::<f64>() / 200.0;
    let variance = values.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / 200.0;
    let z = (50.0 - mean) / variance.sqrt();
    let alert = kernel.answer(sample(50.0));
    assert!((f64::from(alert.value) - z).abs() < 1e-3, "{} is not {z}", alert.value);
}

#[test]
fn histogram_counts_by_bucket() {
    let buckets = Buckets { low: -10.0, width: 2.0 };
    let mut kernel = Running::<histogram>::new().bind(&[buckets]).bind(&[0u32; 8]);
    let mut expected = [0; 8];
    for value in noise(1000).into_iter().chain([-1e9, 1e9]) {
        kernel.send(sample(value)).unwrap();
        expected[(((value + 10.0) / 2.0).floor().clamp(0.0, 7.0)) as usize] += 1;
    }
    assert_eq!(kernel.bound::<u32>(1), expected);
}

#[test]
fn moving_average_is_the_mean_of_the_last_eight() {
    let mut kernel = Running::<moving_average>::with(Window::default());
    let values = noise(50);
    for end in 1..=values.len() {
        let last = &values[end.saturating_sub(8)..end];
        let mean = last.iter().map(|x| f64::from(*x)).sum::<f64>() / last.len() as f64;
        let found = kernel.answer(sample(values[end - 1])).value;
        assert!((f64::from(found) - mean).abs() < 1e-5, "{found} is not {mean}");
    }
}

#[test]
fn fir_convolves() {
    let taps = [1.0, -2.0, 3.0, 0.5, 0.0, 4.0, -1.0, 0.25f32];
    let mut kernel = Running::<fir>::with(Window::default()).bind(&[taps]);
    let values = noise(50);
    for end in 1..=values.len() {
        let expected: f64 =
            taps.iter().zip(values[..end].iter().rev()).map(|(t, x)| f64::from(*t) * f64::from(*x)).sum();
        let found = kernel.answer(sample(values[end - 1])).value;
        assert!((f64::from(found) - expected).abs() < 1e-4, "{found} is not {expected}");
    }
}

#[test]
fn fading_weighs_old_values_less() {
    let weight = 0.2f64;
    let mut kernel = Running::<fading>::with(Fading::default()).bind(&[weight as f32]);
    let values = noise(40);
    for end in 1..=values.len() {
        // What each value counts for, written out.
        let weights: Vec<f64> = (0..end)
            .map(|i| (1.0 - weight).powi((end - 1 - i) as i32) * if i == 0 { 1.0 } else { weight })
            .collect();
        let over = |f: &dyn Fn(f64) -> f64| -> f64 {
            weights.iter().zip(&values).map(|(w, x)| w * f(f64::from(*x))).sum()
        };
        let mean = over(&|x| x);
        let deviation = over(&|x| (x - mean).powi(2)).sqrt();
        let found = kernel.answer(sample(values[end - 1]));
        assert!((f64::from(found.mean) - mean).abs() < 1e-4, "{found:?}: {mean}");
        assert!((f64::from(found.deviation) - deviation).abs() < 1e-3, "{found:?}: {deviation}");
    }
}

#[test]
fn median_is_the_middle_of_the_last_seven() {
    let mut kernel = Running::<median>::with(Ring::default());
    let values = noise(60);
    for end in 1..=values.len() {
        let mut last = values[end.saturating_sub(7)..end].to_vec();
        last.sort_by(f32::total_cmp);
        assert_eq!(kernel.answer(sample(values[end - 1])).value, last[last.len() / 2]);
    }
}

/// The estimate's rank among all values is within two of a hundred.
#[test]
fn quantile_is_near_the_sorted_one() {
    for part in [0.1, 0.5, 0.9, 0.99f32] {
        for skew in [1, 3] {
            let mut kernel = Running::<quantile>::with(Markers::default()).bind(&[part]);
            let mut random = Random(7);
            let values: Vec<f32> = (0..4000).map(|_| random.part().powi(skew)).collect();
            let mut last = 0.0;
            for value in &values {
                last = kernel.answer(sample(*value)).value;
            }
            let rank = values.iter().filter(|x| **x < last).count() as f32 / values.len() as f32;
            assert!((rank - part).abs() < 0.02, "{part}: {last} has the rank {rank}");
        }
    }
}

#[test]
fn quantile_is_exact_at_first() {
    let mut kernel = Running::<quantile>::with(Markers::default()).bind(&[0.5f32]);
    let medians = [7.0, 3.0, 9.0, 1.0, 5.0].map(|value| kernel.answer(sample(value)).value);
    assert_eq!(medians[4], 5.0);
    assert_eq!(medians[2], 7.0);
}

#[test]
fn sessions_end_at_gaps() {
    let mut random = Random(3);
    let mut kernel = Running::<sessions>::with(Session::default()).bind(&[30u32]);
    let mut time = 1000;
    let (mut found, mut all) = (Vec::new(), Vec::new());
    for _ in 0..500 {
        time += random.below(40) as u32;
        all.push(time);
        found.extend(kernel.send(Click { user: 9, time }).unwrap());
    }
    let visits = all.chunk_by(|a, b| b - a <= 30).map(|clicks| Session {
        user: 9,
        first: clicks[0],
        last: clicks[clicks.len() - 1],
        clicks: clicks.len() as u32,
    });
    let visits: Vec<_> = visits.collect();
    assert!(visits.len() > 20);
    assert_eq!(found, visits[..visits.len() - 1], "the last one is not over");
}
