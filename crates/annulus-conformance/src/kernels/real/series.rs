//! Kernels over series of values.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, RingMessage, device_impl, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::{Level, Sample};

/// Running mean and variance of a series.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Stats {
    pub n: u32,
    pub mean: f32,
    pub m2: f32,
}

/// Welford's running variance: alerts on values over three sigma.
#[ring_kernel(mode = Adaptive)]
pub fn detect(sample: &Sample, stats: &mut Stats, alerts: &Outbox<Level>) {
    let n = stats.n as f32;
    let delta = sample.value - stats.mean;
    let z = delta / (stats.m2 / n).sqrt();
    if n >= 30.0 && z.abs() > 3.0 {
        alerts.send(Level { series: sample.series, value: z });
    }
    stats.n += 1;
    stats.mean += delta / (n + 1.0);
    stats.m2 += delta * (sample.value - stats.mean);
}

/// The limits of [`histogram`](struct@histogram)'s buckets.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Buckets {
    pub low: f32,
    pub width: f32,
}

/// Counts values by bucket, in memory that all blocks share; the first and the last bucket take what lies outside.
#[ring_kernel]
pub fn histogram(sample: &Sample, buckets: &Buckets, counts: &[AtomicU32]) {
    let last = counts.len() - 1;
    let bucket = ((sample.value - buckets.low) / buckets.width) as usize;
    counts[bucket.min(last)].fetch_add(1, Ordering::Relaxed);
}

/// The last values of a series.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Window {
    pub values: [f32; 8],
    pub next: u8,
    pub filled: u8,
}

/// The mean of the last eight values.
#[ring_kernel]
pub fn moving_average(sample: &Sample, window: &mut Window, means: &Outbox<Level>) {
    window.values[window.next as usize] = sample.value;
    window.next = (window.next + 1) % 8;
    window.filled = (window.filled + 1).min(8);
    let mut sum = 0.0;
    for i in 0..window.filled as usize {
        sum += window.values[i];
    }
    means.send(Level { series: sample.series, value: sum / f32::from(window.filled) });
}

/// A filter of finite length, its taps bound at launch.
#[ring_kernel]
pub fn fir(sample: &Sample, window: &mut Window, taps: &[f32; 8], filtered: &Outbox<Level>) {
    for i in (1..8).rev() {
        window.values[i] = window.values[i - 1];
    }
    window.values[0] = sample.value;
    let mut value = 0.0;
    for i in 0..8 {
        value = window.values[i].mul_add(taps[i], value);
    }
    filtered.send(Level { series: sample.series, value });
}

/// Mean and variance of a series, in which old values count for less and less.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Fading {
    pub mean: f32,
    pub variance: f32,
    pub started: bool,
}

/// Where a series is, and how far it strays.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Spread {
    pub series: u32,
    pub mean: f32,
    pub deviation: f32,
}

/// Exponentially weighted mean and deviation; `weight` is what a new value counts for.
#[ring_kernel]
pub fn fading(sample: &Sample, fading: &mut Fading, weight: &f32, spreads: &Outbox<Spread>) {
    if !fading.started {
        *fading = Fading { mean: sample.value, variance: 0.0, started: true };
    }
    let delta = sample.value - fading.mean;
    fading.mean += weight * delta;
    fading.variance = (1.0 - weight) * (fading.variance + weight * delta * delta);
    spreads.send(Spread { series: sample.series, mean: fading.mean, deviation: fading.variance.sqrt() });
}

/// The last seven values of a series, in a ring.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Ring {
    pub values: [f32; 7],
    pub next: u32,
    pub filled: u32,
}

/// The median of the last seven values.
#[ring_kernel]
pub fn median(sample: &Sample, ring: &mut Ring, medians: &Outbox<Level>) {
    let len = ring.values.len();
    ring.values[ring.next as usize % len] = sample.value;
    ring.next = (ring.next + 1) % len as u32;
    ring.filled = (ring.filled + 1).min(len as u32);
    let mut sorted = ring.values;
    let sorted = &mut sorted[..ring.filled as usize];
    for i in 1..sorted.len() {
        let mut at = i;
        while at > 0 && sorted[at - 1] > sorted[at] {
            sorted.swap(at - 1, at);
            at -= 1;
        }
    }
    medians.send(Level { series: sample.series, value: sorted[sorted.len() / 2] });
}

/// Five heights of a distribution: the least, the quantile, the greatest, and two between.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Markers {
    pub heights: [f32; 5],
    pub positions: [f32; 5],
    pub count: u32,
}

#[device_impl]
impl Markers {
    /// Puts a value among the first five, in order.
    fn insert(&mut self, value: f32) {
        let mut at = self.count as usize;
        while at > 0 && self.heights[at - 1] > value {
            self.heights[at] = self.heights[at - 1];
            at -= 1;
        }
        self.heights[at] = value;
        self.positions[self.count as usize] = self.count as f32;
    }

    /// The height of marker `i`, moved by one place, on the parabola through its neighbours; on the line if that leaves their order.
    fn moved(&self, i: usize, by: f32) -> f32 {
        let (left, here, right) = (self.positions[i - 1], self.positions[i], self.positions[i + 1]);
        let (low, height, high) = (self.heights[i - 1], self.heights[i], self.heights[i + 1]);
        let up = (here - left + by) * (high - height) / (right - here);
        let down = (right - here - by) * (height - low) / (here - left);
        let curved = height + by / (right - left) * (up + down);
        if low < curved && curved < high {
            return curved;
        }
        if by > 0.0 {
            height + (high - height) / (right - here)
        } else {
            height - (low - height) / (left - here)
        }
    }
}

/// A quantile of all values so far, estimated with five markers that move (the P² algorithm of Jain and Chlamtac).
#[ring_kernel]
pub fn quantile(sample: &Sample, markers: &mut Markers, part: &f32, quantiles: &Outbox<Level>) {
    let value = sample.value;
    if markers.count < 5 {
        markers.insert(value);
        markers.count += 1;
        quantiles.send(Level { series: sample.series, value: markers.heights[(markers.count / 2) as usize] });
        return;
    }
    markers.count = markers.count.saturating_add(1);
    markers.heights[0] = markers.heights[0].min(value);
    markers.heights[4] = markers.heights[4].max(value);
    for (i, position) in markers.positions.iter_mut().enumerate().skip(1) {
        if i == 4 || value < markers.heights[i] {
            *position += 1.0;
        }
    }
    let last = (markers.count - 1) as f32;
    for (i, share) in [part / 2.0, *part, (1.0 + part) / 2.0].into_iter().enumerate() {
        let i = i + 1;
        let off = share * last - markers.positions[i];
        let room_above = markers.positions[i + 1] - markers.positions[i] > 1.0;
        let room_below = markers.positions[i] - markers.positions[i - 1] > 1.0;
        if off >= 1.0 && room_above || off <= -1.0 && room_below {
            let by = off.signum();
            markers.heights[i] = markers.moved(i, by);
            markers.positions[i] += by;
        }
    }
    quantiles.send(Level { series: sample.series, value: markers.heights[2] });
}

/// That a user did something, at a time in seconds.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Click {
    #[ring(key)]
    pub user: u32,
    pub time: u32,
}

/// A user's visit: from the first click to the last.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Session {
    pub user: u32,
    pub first: u32,
    pub last: u32,
    pub clicks: u32,
}

/// Session windows: a click that comes more than `gap` seconds after the last ends the visit, which is sent, and begins another.
#[ring_kernel]
pub fn sessions(click: &Click, open: &mut Session, gap: &u32, ended: &Outbox<Session>) {
    let Click { user, time } = *click;
    let late = time.saturating_sub(open.last) > *gap;
    if open.clicks == 0 || late {
        if open.clicks > 0 {
            ended.send(*open);
        }
        *open = Session { user, first: time, last: time, clicks: 1 };
        return;
    }
    open.last = open.last.max(time);
    open.first = open.first.min(time);
    open.clicks = open.clicks.saturating_add(1);
}
