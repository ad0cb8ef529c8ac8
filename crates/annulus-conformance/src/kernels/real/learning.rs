//! Kernels that learn, and that use what others have learned.

use annulus_macros::{DeviceType, RingMessage, device_fn, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::Checksum;

/// A point to be assigned to a centre.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

/// A centre, and the points that were nearest to it.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Centre {
    pub x: f32,
    pub y: f32,
    pub count: u32,
}

/// A step of k-means: the point's nearest centre moves towards it.
#[ring_kernel]
pub fn k_means(point: &Point, centres: &mut [Centre; 4], nearest: &Outbox<Checksum>) {
    let mut best = 0;
    let mut least = f32::INFINITY;
    for i in 0..centres.len() {
        let centre = &centres[i];
        let distance = (centre.x - point.x).powi(2) + (centre.y - point.y).powi(2);
        if distance < least {
            least = distance;
            best = i;
        }
    }
    let centre = &mut centres[best];
    centre.count += 1;
    let weight = 1.0 / centre.count as f32;
    centre.x += (point.x - centre.x) * weight;
    centre.y += (point.y - centre.y) * weight;
    nearest.send(Checksum { value: best as u32 });
}

/// What is known of something.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Features {
    pub values: [f32; 4],
}

/// A net of two layers: four inputs, eight hidden units, three outputs.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Net {
    pub hidden: [[f32; 4]; 8],
    pub hidden_bias: [f32; 8],
    pub out: [[f32; 8]; 3],
    pub out_bias: [f32; 3],
}

/// How sure a net is of each class.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Classified {
    pub class: u32,
    pub scores: [f32; 3],
}

/// The sum of the products, and `bias`.
#[device_fn]
fn weighted(weights: &[f32], values: &[f32], bias: f32) -> f32 {
    let mut sum = bias;
    for (weight, value) in weights.iter().zip(values) {
        sum += weight * value;
    }
    sum
}

/// Inference with a small neural net whose hidden units are rectified.
#[ring_kernel]
pub fn neural_net(features: &Features, net: &Net, classified: &Outbox<Classified>) {
    let mut hidden = [0.0; 8];
    for (i, unit) in hidden.iter_mut().enumerate() {
        *unit = weighted(&net.hidden[i], &features.values, net.hidden_bias[i]).max(0.0);
    }
    let mut scores = [0.0; 3];
    let mut class = 0;
    for (i, weights) in net.out.iter().enumerate() {
        scores[i] = weighted(weights, &hidden, net.out_bias[i]);
        if scores[i] > scores[class] {
            class = i;
        }
    }
    classified.send(Classified { class: class as u32, scores });
}

/// A place where a tree divides, or ends.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Split {
    /// Values of `feature` below `limit` go on at the next node, others at `right`.
    At {
        feature: u32,
        limit: f32,
        right: u32,
    },
    Leaf {
        value: f32,
    },
}

/// What a model says.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Predicted {
    pub value: f32,
}

/// Inference with gradient boosted trees: the sum of the leaves that each tree, which begins at its root, leads to.
#[ring_kernel]
pub fn boosted_trees(features: &Features, roots: &[u32], nodes: &[Split], predicted: &Outbox<Predicted>) {
    let mut sum = 0.0;
    for root in roots {
        let mut at = *root as usize;
        // Children come after their parents, so a tree is at most as deep as there are nodes.
        for _ in nodes {
            match nodes.get(at) {
                Some(Split::At { feature, limit, right }) => {
                    let below = features.values[*feature as usize % 4] < *limit;
                    at = if below { at + 1 } else { *right as usize };
                }
                Some(Split::Leaf { value }) => {
                    sum += value;
                    break;
                }
                None => break,
            }
        }
    }
    predicted.send(Predicted { value: sum });
}

/// Something whose class is known.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Example {
    pub values: [f32; 4],
    pub positive: bool,
}

/// Weights that are being learned.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Weights {
    pub weights: [f32; 4],
    pub bias: f32,
}

/// Logistic regression: answers with the probability before it learns from the example, a step down the gradient.
#[ring_kernel]
pub fn logistic(example: &Example, learned: &mut Weights, rate: &f32, predicted: &Outbox<Predicted>) {
    let logit = weighted(&learned.weights, &example.values, learned.bias);
    let probability = 1.0 / (1.0 + (-logit).exp());
    let error = f32::from(u8::from(example.positive)) - probability;
    for (weight, value) in learned.weights.iter_mut().zip(&example.values) {
        *weight += rate * error * value;
    }
    learned.bias += rate * error;
    predicted.send(Predicted { value: probability });
}

/// A column of eight numbers.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Column {
    pub values: [f32; 8],
}

/// A matrix, bound row by row, times a column.
#[ring_kernel]
pub fn matrix_vector(column: &Column, matrix: &[[f32; 8]; 8], products: &Outbox<Column>) {
    let mut values = [0.0; 8];
    for (value, row) in values.iter_mut().zip(matrix) {
        *value = weighted(row, &column.values, 0.0);
    }
    products.send(Column { values });
}
