//! P-09: loops over slices and arrays are right for every length, in lanes of eight and with any remainder,
//! whatever the compiler makes of them.

use annulus::{Runtime, prelude::*};
use annulus_cpu::Cpu;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Span {
    first: u32,
    len: u32,
    factor: f32,
    sum: f32,
}

/// Elements of the tables: all lengths from all places of a vector fit.
const ELEMENTS: usize = 128;
/// The longest span.
const MOST: u32 = 67;

/// Adds a multiple of `x` to `y`, and answers with the sum of what it wrote, in eight lanes and a remainder.
#[ring_kernel(mode = Batch)]
fn add(span: &Span, x: &[f32], y: &mut [f32], sums: &Outbox<Span>) {
    let (first, len) = (span.first as usize, span.len as usize);
    for i in first..first + len {
        y[i] += span.factor * x[i];
    }
    let mut lanes = [0.0f32; 8];
    let whole = len - len % 8;
    let mut at = 0;
    while at < whole {
        for lane in 0..8 {
            lanes[lane] += y[first + at + lane];
        }
        at += 8;
    }
    let mut sum = 0.0;
    for lane in 0..8 {
        sum += lanes[lane];
    }
    for i in first + whole..first + len {
        sum += y[i];
    }
    sums.send(Span { sum, ..*span });
}

/// Small whole numbers: sums of them are exact in any order.
fn x() -> [f32; ELEMENTS] {
    std::array::from_fn(|i| (i % 13) as f32 - 5.0)
}

#[test]
fn p09_every_length_and_every_remainder() {
    let runtime = Runtime::builder().backend(Cpu::new()).build().unwrap();
    let (x, mut expected) = (x(), [1.0f32; ELEMENTS]);
    let kernel = add::bind(&x, &expected).launch(&runtime, LaunchOptions::production()).unwrap();
    for first in [0, 1, 3, 7] {
        for len in 0..=MOST {
            let span = Span { first, len, factor: (len % 5) as f32 + 1.0, sum: 0.0 };
            let places = first as usize..(first + len) as usize;
            let sum: f32 = places
                .map(|i| {
                    expected[i] += span.factor * x[i];
                    expected[i]
                })
                .sum();
            assert_eq!(kernel.call_blocking(span), Ok(Span { sum, ..span }), "{len} from {first}");
        }
    }
    kernel.deactivate_blocking().unwrap();
    let memory: Vec<f32> = kernel.snapshot_blocking().unwrap().memory("y").unwrap();
    assert_eq!(memory, expected, "nothing beside the spans was touched");
}
