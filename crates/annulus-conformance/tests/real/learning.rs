use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

#[test]
fn k_means_finds_the_clusters() {
    let corners = [(0.0, 0.0), (10.0, 0.0), (0.0, 10.0), (10.0, 10.0f32)];
    let start = corners.map(|(x, y)| Centre { x: x * 0.6 + 2.0, y: y * 0.6 + 2.0, count: 0 });
    // The centres are memory of the whole kernel: its state.
    let mut kernel = Running::<k_means>::with(start);
    let mut random = Random(1);
    let mut last = [0; 4];
    for n in 0..400 {
        let (x, y) = corners[n % 4];
        let point = Point { x: x + random.part() - 0.5, y: y + random.part() - 0.5 };
        last[n % 4] = kernel.answer(point).value;
    }
    assert_eq!(last, [0, 1, 2, 3]);
}

/// Exclusive or, which no single layer can do, and sums that are checked with twice the digits.
#[test]
fn neural_net_computes_layers() {
    let mut net =
        Net { hidden: [[0.0; 4]; 8], hidden_bias: [0.0; 8], out: [[0.0; 8]; 3], out_bias: [0.0; 3] };
    net.hidden[0] = [1.0, 1.0, 0.0, 0.0];
    net.hidden[1] = [1.0, 1.0, 0.0, 0.0];
    net.hidden_bias[1] = -1.0;
    net.out[1] = [1.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    net.out_bias[0] = 0.5;
    net.out_bias[2] = -1.0;
    let mut kernel = Running::<neural_net>::new().bind(&[net]);
    for (a, b) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
        let class = kernel.answer(Features { values: [a, b, 9.0, -9.0] }).class;
        assert_eq!(class, u32::from(a != b), "{a} {b}");
    }
    let mut random = Random(2);
    let mut numbers = |count: usize| (0..count).map(|_| random.part() * 2.0 - 1.0).collect::<Vec<f32>>();
    for _ in 0..30 {
        let matrix = numbers(32);
        let out = numbers(24);
        let net = Net {
            hidden: std::array::from_fn(|i| matrix[4 * i..][..4].try_into().unwrap()),
            hidden_bias: numbers(8).try_into().unwrap(),
            out: std::array::from_fn(|i| out[8 * i..][..8].try_into().unwrap()),
            out_bias: numbers(3).try_into().unwrap(),
        };
        let values: [f32; 4] = numbers(4).try_into().unwrap();
        let layer = |weights: &[f32], inputs: &[f64], bias: f32| -> f64 {
            weights.iter().zip(inputs).map(|(w, x)| f64::from(*w) * x).sum::<f64>() + f64::from(bias)
        };
        let inputs = values.map(f64::from);
        let hidden: [f64; 8] =
            std::array::from_fn(|i| layer(&net.hidden[i], &inputs, net.hidden_bias[i]).max(0.0));
        let found = Running::<neural_net>::new().bind(&[net]).answer(Features { values });
        for (i, score) in found.scores.into_iter().enumerate() {
            let expected = layer(&net.out[i], &hidden, net.out_bias[i]);
            assert!((f64::from(score) - expected).abs() < 1e-5, "{score} is not {expected}");
        }
        assert!(found.scores.iter().all(|score| *score <= found.scores[found.class as usize]));
    }
}

#[test]
fn boosted_trees_sum_their_leaves() {
    let leaf = |value| Split::Leaf { value };
    let nodes = [
        Split::At { feature: 0, limit: 0.5, right: 2 },
        leaf(1.0),
        Split::At { feature: 1, limit: -1.0, right: 4 },
        leaf(2.0),
        leaf(4.0),
        Split::At { feature: 3, limit: 10.0, right: 7 },
        leaf(0.125),
        leaf(0.25),
    ];
    let mut kernel = Running::<boosted_trees>::new().bind(&[0u32, 5]).bind(&nodes);
    let mut random = Random(3);
    for _ in 0..200 {
        let values: [f32; 4] = std::array::from_fn(|i| (random.part() - 0.5) * [2.0, 4.0, 1.0, 40.0][i]);
        let first = if values[0] < 0.5 {
            1.0
        } else if values[1] < -1.0 {
            2.0
        } else {
            4.0
        };
        let second = if values[3] < 10.0 { 0.125 } else { 0.25 };
        assert_eq!(kernel.answer(Features { values }).value, first + second);
    }
    // A model that leads nowhere ends all the same.
    let mut circle = Running::<boosted_trees>::new().bind(&[0u32]).bind(&[Split::At {
        feature: 0,
        limit: f32::MIN,
        right: 0,
    }]);
    assert_eq!(circle.answer(Features { values: [0.0; 4] }).value, 0.0);
}

/// What a line divides is learned: nearly every guess is right in the end.
#[test]
fn logistic_learns() {
    let mut kernel = Running::<logistic>::with(Weights::default()).bind(&[0.5f32]);
    let mut random = Random(4);
    let mut right = 0;
    for n in 0..3000 {
        let values: [f32; 4] = std::array::from_fn(|_| random.part() * 2.0 - 1.0);
        let side = values[0] + 2.0 * values[1] - 0.5 * values[2] - 0.3;
        let predicted = kernel.answer(Example { values, positive: side > 0.0 }).value;
        assert!((0.0..=1.0).contains(&predicted));
        if n == 0 {
            assert_eq!(predicted, 0.5);
        }
        right += u32::from(n >= 2000 && (predicted > 0.5) == (side > 0.0));
    }
    assert!(right > 950, "{right} of 1000");
}

#[test]
fn matrix_vector_is_the_sum_of_products() {
    let mut random = Random(5);
    let matrix: [[f32; 8]; 8] = std::array::from_fn(|_| std::array::from_fn(|_| random.part() - 0.5));
    let values: [f32; 8] = std::array::from_fn(|_| random.part());
    let found = Running::<matrix_vector>::new().bind(&[matrix]).answer(Column { values }).values;
    for (row, value) in matrix.iter().zip(found) {
        let sum: f64 = row.iter().zip(values).map(|(a, x)| f64::from(*a) * f64::from(x)).sum();
        assert!((f64::from(value) - sum).abs() < 1e-6, "{value} is not {sum}");
    }
}
