//! Handlers that are loops over bound slices.

use annulus::prelude::*;

/// So many passes over the slices.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Passes {
    pub(crate) passes: u32,
    pub(crate) factor: f32,
}

/// Adds a multiple of `x` to `y`, by iterators.
#[ring_kernel]
pub(crate) fn add_zipped(work: &Passes, x: &[f32], y: &mut [f32], out: &Outbox<Passes>) {
    for _ in 0..work.passes {
        for (y, x) in y.iter_mut().zip(x) {
            *y += work.factor * *x;
        }
    }
    out.send(*work);
}

/// The same by an index that `y` has for certain, and `x` maybe not.
#[ring_kernel]
pub(crate) fn add_indexed(work: &Passes, x: &[f32], y: &mut [f32], out: &Outbox<Passes>) {
    for _ in 0..work.passes {
        for i in 0..y.len() {
            y[i] += work.factor * x[i];
        }
    }
    out.send(*work);
}

/// The same, of slices that are cut to one length first.
#[ring_kernel]
pub(crate) fn add_cut(work: &Passes, x: &[f32], y: &mut [f32], out: &Outbox<Passes>) {
    let len = y.len().min(x.len());
    for _ in 0..work.passes {
        let from = &x[..len];
        let to = &mut y[..len];
        for i in 0..len {
            to[i] += work.factor * from[i];
        }
    }
    out.send(*work);
}

/// The product of `x` and `y`, in eight lanes.
#[ring_kernel]
pub(crate) fn dot_in_lanes(work: &Passes, x: &[f32], y: &[f32], out: &Outbox<Passes>) {
    let mut all = 0.0f32;
    for pass in 0..work.passes {
        let first = (pass % 2) as usize;
        let mut lanes = [0.0f32; 8];
        for (x, y) in x[first..].chunks_exact(8).zip(y[first..].chunks_exact(8)) {
            for lane in 0..8 {
                lanes[lane] += x[lane] * y[lane];
            }
        }
        let mut sum = 0.0;
        for lane in lanes {
            sum += lane;
        }
        all += sum * work.factor;
    }
    out.send(Passes { factor: all, ..*work });
}

/// Elements of an array in a message.
pub(crate) const IN_MESSAGE: usize = 64;

/// So many passes over an array that comes with the message.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Samples {
    pub(crate) passes: u32,
    pub(crate) factor: f32,
    pub(crate) values: [f32; IN_MESSAGE],
}

/// A sum of arrays.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
pub(crate) struct Sums {
    pub(crate) values: [f32; IN_MESSAGE],
}

impl Default for Sums {
    fn default() -> Self {
        Self { values: [0.0; IN_MESSAGE] }
    }
}

/// Adds a multiple of the message's array to the state's, by an index.
#[ring_kernel]
pub(crate) fn add_arrays(work: &Samples, sums: &mut Sums, out: &Outbox<Passes>) {
    for _ in 0..work.passes {
        for i in 0..IN_MESSAGE {
            sums.values[i] += work.factor * work.values[i];
        }
    }
    out.send(Passes { passes: work.passes, factor: work.factor });
}
