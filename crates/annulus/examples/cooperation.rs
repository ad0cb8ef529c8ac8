//! What the threads of a block do together: softmax, scan and select, sort, histogram, matrix product.
//!
//! `cargo run -p annulus --example cooperation -- [cpu|opencl]`

mod common;

use annulus::prelude::*;

use common::Random;

/// Threads of a block, and how many numbers the first four kernels take.
const THREADS: usize = 64;

/// The side of a tile: a block has a thread for each of its elements.
const TILE: usize = 8;

/// The side of the matrices.
const SIDE: usize = 32;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Scores {
    values: [f32; 64],
}

/// `exp(value) / sum of all exp`: first the largest, so that no power is too large.
#[ring_kernel(block = 64)]
fn softmax(cx: &BlockCx, scores: &Scores, out: &Outbox<Scores>) {
    let shares = cx.shared::<f32, 64>();
    let me = cx.thread_index() as usize;
    let largest = cx.block_reduce(scores.values[me], |a, b| a.max(b));
    let power = (scores.values[me] - largest).exp();
    let sum = cx.block_reduce(power, |a, b| a + b);
    shares.set(me, power / sum);
    cx.barrier();
    if cx.is_leader() {
        let mut values = [0.0; 64];
        for (index, value) in values.iter_mut().enumerate() {
            *value = shares.get(index);
        }
        out.send(Scores { values });
    }
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Words {
    values: [u32; 64],
    count: u32,
}

// ANCHOR: select
/// The even ones, in their order: a scan says how many come before each.
#[ring_kernel(block = 64)]
fn select(cx: &BlockCx, words: &Words, out: &Outbox<Words>) {
    let kept = cx.shared::<u32, 64>();
    let value = words.values[cx.thread_index() as usize];
    let keeps = value.is_multiple_of(2);
    let before = cx.block_scan_exclusive(u32::from(keeps), 0, |a, b| a.wrapping_add(b));
    if keeps {
        kept.set(before as usize, value);
    }
    let count = cx.block_reduce(u32::from(keeps), |a, b| a.wrapping_add(b));
    if cx.is_leader() {
        let mut values = [0; 64];
        for index in 0..count as usize {
            values[index] = kept.get(index);
        }
        out.send(Words { values, count });
    }
}
// ANCHOR_END: select

// ANCHOR: sort
/// A bitonic sort. Partners less than 32 apart are in one warp, and need no shared memory.
#[ring_kernel(block = 64)]
fn sort(cx: &BlockCx, words: &Words, out: &Outbox<Words>) {
    let all = cx.shared::<u32, 64>();
    let me = cx.thread_index();
    let mut value = words.values[me as usize];
    let mut size = 2;
    while size <= cx.block_dim() {
        let mut distance = size / 2;
        while distance > 0 {
            let mut other = cx.shuffle_xor(value, distance);
            if distance >= 32 {
                all.set(me as usize, value);
                cx.barrier();
                other = all.get((me ^ distance) as usize);
            }
            let takes_least = (me & distance == 0) == (me & size == 0);
            value = if takes_least { value.min(other) } else { value.max(other) };
            distance /= 2;
        }
        size *= 2;
    }
    cx.barrier();
    all.set(me as usize, value);
    cx.barrier();
    if cx.is_leader() {
        let mut values = [0; 64];
        for (index, value) in values.iter_mut().enumerate() {
            *value = all.get(index);
        }
        out.send(Words { values, count: 64 });
    }
}
// ANCHOR_END: sort

/// How many values there are of each remainder by 4: each warp votes, and its first thread counts the votes.
#[ring_kernel(block = 64)]
fn histogram(cx: &BlockCx, words: &Words, out: &Outbox<Words>) {
    let counts = cx.shared::<u32, 8>();
    let value = words.values[cx.thread_index() as usize];
    for bin in 0..4u32 {
        let votes = cx.ballot(value % 4 == bin);
        if cx.lane() == 0 {
            counts.set((cx.warp() * 4 + bin) as usize, votes.count_ones());
        }
    }
    cx.barrier();
    if cx.is_leader() {
        let mut values = [0; 64];
        for bin in 0..4 {
            values[bin] = counts.get(bin) + counts.get(bin + 4);
        }
        out.send(Words { values, count: 4 });
    }
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Place {
    row: u32,
    column: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Tile {
    row: u32,
    column: u32,
    values: [f32; 64],
}

/// A tile of `a · b`. The block loads a tile of each into its memory, and each thread reads it eight times from
/// there.
#[ring_kernel(block = 64)]
fn product(cx: &BlockCx, place: &Place, a: &[f32], b: &[f32], out: &Outbox<Tile>) {
    let left = cx.shared::<f32, 64>();
    let right = cx.shared::<f32, 64>();
    let me = cx.thread_index() as usize;
    let (row, column) = (me / TILE, me % TILE);
    let (first_row, first_column) = (place.row as usize * TILE, place.column as usize * TILE);
    let mut sum = 0.0f32;
    for tile in 0..SIDE / TILE {
        left.set(me, a[(first_row + row) * SIDE + tile * TILE + column]);
        right.set(me, b[(tile * TILE + row) * SIDE + first_column + column]);
        cx.barrier();
        for k in 0..TILE {
            sum += left.get(row * TILE + k) * right.get(k * TILE + column);
        }
        cx.barrier();
    }
    left.set(me, sum);
    cx.barrier();
    if cx.is_leader() {
        let mut values = [0.0; 64];
        for (index, value) in values.iter_mut().enumerate() {
            *value = left.get(index);
        }
        out.send(Tile { row: place.row, column: place.column, values });
    }
}

/// The product with three loops.
fn by_hand(a: &[f32], b: &[f32]) -> Vec<f32> {
    let element = |row: usize, column: usize| {
        (0..SIDE).fold(0.0, |sum, k| sum + a[row * SIDE + k] * b[k * SIDE + column])
    };
    (0..SIDE * SIDE).map(|at| element(at / SIDE, at % SIDE)).collect()
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let mut random = Random(18);

        let scores = std::array::from_fn(|_| random.part() * 200.0);
        let kernel = softmax::launch(runtime, softmax::options())?;
        let shares = kernel.call_blocking(Scores { values: scores })?.values;
        let (best, share) =
            (0..THREADS).zip(shares).max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are some");
        println!("softmax: {best:2} has {:.1} % of {:.3}", share * 100.0, shares.iter().sum::<f32>());

        let words = Words { values: std::array::from_fn(|_| random.number() as u32 % 1000), count: 64 };
        let show = |what: &str, words: &Words| {
            let values: Vec<String> =
                words.values[..words.count as usize].iter().take(12).map(u32::to_string).collect();
            println!("{what}: {} numbers: {} …", words.count, values.join(" "));
        };
        show("given", &words);
        let kernel = select::launch(runtime, select::options())?;
        show("even", &kernel.call_blocking(words)?);
        let kernel = sort::launch(runtime, sort::options())?;
        let sorted = kernel.call_blocking(words)?;
        show("sorted", &sorted);
        assert!(sorted.values.is_sorted());
        let kernel = histogram::launch(runtime, histogram::options())?;
        show("of each remainder by 4", &kernel.call_blocking(words)?);

        let mut matrix = || (0..SIDE * SIDE).map(|_| random.part() - 0.5).collect::<Vec<f32>>();
        let (a, b) = (matrix(), matrix());
        let kernel = product::bind(&a, &b).launch(runtime, product::options())?;
        let expected = by_hand(&a, &b);
        let mut same = 0;
        for row in 0..(SIDE / TILE) as u32 {
            for column in 0..(SIDE / TILE) as u32 {
                let tile = kernel.call_blocking(Place { row, column })?;
                for (index, value) in tile.values.iter().enumerate() {
                    let at =
                        (row as usize * TILE + index / TILE) * SIDE + column as usize * TILE + index % TILE;
                    same += u32::from(expected[at].to_bits() == value.to_bits());
                }
            }
        }
        println!("product: {same} of {} elements are the same as by hand, bit for bit", SIDE * SIDE);
        println!("{}", kernel.status());
        Ok(())
    })
}
