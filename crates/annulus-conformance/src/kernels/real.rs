//! Kernels of real kinds, small enough to read.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

/// A value of a series.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Sample {
    #[ring(key)]
    pub series: u32,
    pub value: f32,
}

/// A number that goes on.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Level {
    pub series: u32,
    pub value: f32,
}

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

/// A key to look up.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Lookup {
    pub key: u64,
}

/// Whether the key was there before.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Known {
    pub key: u64,
    pub known: bool,
}

/// A bloom filter with three hashes: adds the key, and says whether it may have been there.
#[ring_kernel]
pub fn bloom(lookup: &Lookup, bits: &[AtomicU32], answers: &Outbox<Known>) {
    let mut hash = lookup.key;
    let mut known = true;
    for _ in 0..3 {
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let bit = hash as usize % (bits.len() * 32);
        let mask = 1 << (bit % 32);
        if bits[bit / 32].fetch_or(mask, Ordering::Relaxed) & mask == 0 {
            known = false;
        }
    }
    answers.send(Known { key: lookup.key, known });
}

/// Some bytes, `len` of them counting.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Bytes {
    pub len: u8,
    pub bytes: [u8; 31],
}

/// A checksum.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Checksum {
    pub value: u32,
}

/// The CRC-32 of Ethernet and zip, bit by bit.
#[ring_kernel]
pub fn crc32(bytes: &Bytes, checksums: &Outbox<Checksum>) -> Result<(), Failure> {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    if bytes.len as usize > bytes.bytes.len() {
        return Err(Failure::of(1));
    }
    let mut crc = !0u32;
    for i in 0..bytes.len {
        crc ^= u32::from(bytes.bytes[usize::from(i)]);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
        }
    }
    checksums.send(Checksum { value: !crc });
    Ok(())
}

/// A block of 64 bytes, as big-endian words, of the text that the key names.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Block {
    #[ring(key)]
    pub text: u32,
    pub words: [u32; 16],
}

/// A hash value, or one on the way.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Hash {
    pub words: [u32; 8],
}

impl Default for Hash {
    /// What SHA-256 begins with.
    fn default() -> Self {
        Self {
            words: [
                0x6a09_e667,
                0xbb67_ae85,
                0x3c6e_f372,
                0xa54f_f53a,
                0x510e_527f,
                0x9b05_688c,
                0x1f83_d9ab,
                0x5be0_cd19,
            ],
        }
    }
}

#[rustfmt::skip] // A table.
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// SHA-256, block by block.
#[ring_kernel]
pub fn sha256(block: &Block, hash: &mut Hash, hashes: &Outbox<Hash>) {
    let mut w = [0u32; 64];
    for i in 0..16 {
        w[i] = block.words[i];
    }
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let mut a = hash.words[0];
    let mut b = hash.words[1];
    let mut c = hash.words[2];
    let mut d = hash.words[3];
    let mut e = hash.words[4];
    let mut f = hash.words[5];
    let mut g = hash.words[6];
    let mut h = hash.words[7];
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(K[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d.wrapping_add(t1);
        d = c;
        c = b;
        b = a;
        a = t1.wrapping_add(s0).wrapping_add(majority);
    }
    let worked = [a, b, c, d, e, f, g, h];
    for i in 0..8 {
        hash.words[i] = hash.words[i].wrapping_add(worked[i]);
    }
    hashes.send(*hash);
}

/// What a trader wants.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Order {
    Buy {
        #[ring(key)]
        share: u32,
        price: u32,
        amount: u32,
    },
    Sell {
        #[ring(key)]
        share: u32,
        price: u32,
        amount: u32,
    },
    Clear {
        #[ring(key)]
        share: u32,
    },
}

/// The offers for one share, dearest last; amounts of 0 are free places.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Book {
    pub prices: [u32; 8],
    pub amounts: [u32; 8],
}

/// What changed hands.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Trade {
    pub price: u32,
    pub amount: u32,
}

/// There is no place left in the book.
pub const BOOK_FULL: Failure = Failure::of(100);

/// One step of an order book: a buyer takes the cheapest offers that suit, a seller adds one.
#[ring_kernel(max_outputs = 8)]
pub fn order_book(order: &Order, book: &mut Book, trades: &Outbox<Trade>) -> Result<(), Failure> {
    match *order {
        Order::Buy { price, amount, .. } => {
            let mut wanted = amount;
            while wanted > 0 {
                let mut best = book.prices.len();
                for i in 0..book.prices.len() {
                    let offered = book.amounts[i] > 0 && book.prices[i] <= price;
                    if offered && (best == book.prices.len() || book.prices[i] < book.prices[best]) {
                        best = i;
                    }
                }
                if best == book.prices.len() {
                    break;
                }
                let taken = wanted.min(book.amounts[best]);
                book.amounts[best] -= taken;
                wanted -= taken;
                trades.send(Trade { price: book.prices[best], amount: taken });
            }
        }
        Order::Sell { price, amount, .. } => {
            let mut place = 0;
            while book.amounts[place] != 0 {
                place += 1;
                if place == book.amounts.len() {
                    return Err(BOOK_FULL);
                }
            }
            book.prices[place] = price;
            book.amounts[place] = amount;
        }
        Order::Clear { .. } => *book = Book { prices: [0; 8], amounts: [0; 8] },
    }
    Ok(())
}

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

/// A cell of Conway's life and its eight neighbours, row by row.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Neighbourhood {
    pub cells: [bool; 9],
}

/// Whether the cell lives on.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Cell {
    pub alive: bool,
}

/// One cell's next generation.
#[ring_kernel]
pub fn conway(neighbourhood: &Neighbourhood, cells: &Outbox<Cell>) {
    let mut living = 0;
    for i in 0..9 {
        if i != 4 && neighbourhood.cells[i] {
            living += 1;
        }
    }
    let alive = match living {
        2 => neighbourhood.cells[4],
        3 => true,
        _ => false,
    };
    cells.send(Cell { alive });
}

/// A run of equal bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Run {
    pub byte: u8,
    pub count: u8,
}

/// Run-length coding.
#[ring_kernel(max_outputs = 31)]
pub fn run_length(bytes: &Bytes, runs: &Outbox<Run>) {
    let len = usize::from(bytes.len).min(31);
    let mut at = 0;
    while at < len {
        let byte = bytes.bytes[at];
        let mut count = 1;
        while at + count < len && bytes.bytes[at + count] == byte {
            count += 1;
        }
        runs.send(Run { byte, count: count as u8 });
        at += count;
    }
}

/// Two elements that belong together.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Union {
    pub a: u32,
    pub b: u32,
}

/// Union-find with path halving, in memory of the whole kernel. Answers with the common root.
#[ring_kernel]
pub fn union_find(union: &Union, parents: &mut [u32], roots: &Outbox<Checksum>) {
    // What the launch bound may be anything: outside the table, an element is its own parent.
    for i in 0..parents.len() {
        if parents[i] as usize >= parents.len() || parents[i] as usize > i {
            parents[i] = i as u32;
        }
    }
    let mut ends = [union.a as usize % parents.len(), union.b as usize % parents.len()];
    for end in 0..2 {
        let mut at = ends[end];
        while parents[at] as usize != at {
            parents[at] = parents[parents[at] as usize];
            at = parents[at] as usize;
        }
        ends[end] = at;
    }
    let root = ends[0].min(ends[1]);
    parents[ends[0].max(ends[1])] = root as u32;
    roots.send(Checksum { value: root as u32 });
}

/// The least recently used table of an actor: keys, and when each was used last.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Recent {
    pub keys: [u64; 4],
    pub used: [u32; 4],
    pub clock: u32,
}

/// Looks a key up in a table of four that forgets the least recently used.
#[ring_kernel]
pub fn least_recent(lookup: &Lookup, recent: &mut Recent, answers: &Outbox<Known>) {
    recent.clock = recent.clock.saturating_add(1);
    let mut oldest = 0;
    let mut i = 0;
    let place = loop {
        if i == 4 || recent.keys[i] == lookup.key && recent.used[i] != 0 {
            break i;
        }
        if recent.used[i] < recent.used[oldest] {
            oldest = i;
        }
        i += 1;
    };
    let known = place < 4;
    let place = if known { place } else { oldest };
    recent.keys[place] = lookup.key;
    recent.used[place] = recent.clock;
    answers.send(Known { key: lookup.key, known });
}
