use std::error::Error;

use annulus::prelude::*;

// ANCHOR: handler
const CHUNK: usize = 64;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Chunk {
    samples: [f32; CHUNK],
}

/// Each sample becomes a weighted sum of itself and those before it, of earlier chunks, too. `past` goes round:
/// it has room for as many samples as there are weights, and a chunk.
#[ring_kernel(block = 64)]
fn filter(
    cx: &BlockCx,
    chunk: &Chunk,
    weights: &[f32],
    seen: &Block<usize>,
    past: &Block<[f32]>,
    out: &Outbox<Chunk>,
) {
    let results = cx.shared::<f32, CHUNK>();
    let me = cx.thread_index() as usize;
    let now = seen.get() + me;
    past.set(now % past.len(), chunk.samples[me]);
    // From here on all see the whole chunk.
    cx.barrier();
    let mut sum = 0.0f32;
    for age in 0..weights.len() {
        sum += weights[age] * past.get((now + past.len() - age) % past.len());
    }
    results.set(me, sum);
    cx.barrier();
    if cx.is_leader() {
        seen.set(now + CHUNK);
        let mut samples = [0.0; CHUNK];
        for index in 0..CHUNK {
            samples[index] = results.get(index);
        }
        out.send(Chunk { samples });
    }
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: main
    // The mean of the last 200 samples; the launch says how many these are.
    let (weights, past) = ([1.0 / 200.0; 200], [0.0; 200 + CHUNK]);
    let kernel = filter::bind(&weights, &past).launch(&runtime, filter::options())?;
    for chunk in 0..6u32 {
        let samples = std::array::from_fn(|index| (chunk * 64 + index as u32) as f32);
        let _ = kernel.send_blocking(Chunk { samples })?;
    }
    for chunk in 0..6 {
        let answer = kernel.recv_blocking()?;
        println!("chunk {chunk} ends with a mean of {:.1}", answer.samples[CHUNK - 1]);
    }
    // ANCHOR_END: main
    Ok(())
}

#[test]
fn a_past_of_any_length_is_kept() {
    use annulus::kernel::{Cx, TestOutbox, run_block};

    for len in [1, 2, 63, 64, 65, 130] {
        let weights: Vec<f32> = (0..len).map(|age| (age % 7) as f32).collect();
        let mut past = vec![0.0; len + CHUNK];
        let (past, seen) = (Block::from_mut(&mut past), Block::new(0));
        let signal: Vec<f32> = (0..4 * CHUNK).map(|at| (at * at % 11) as f32).collect();
        let mut answers = Vec::new();
        for samples in signal.as_chunks::<CHUNK>().0 {
            let mut out = TestOutbox::new(1);
            let handled = run_block(Cx::new(0, 1, 0).with_block_dim(CHUNK as u32), |cx| {
                if cx.is_leader() {
                    filter(cx, &Chunk { samples: *samples }, &weights, &seen, past, &out);
                } else {
                    filter(cx, &Chunk { samples: *samples }, &weights, &seen, past, &TestOutbox::new(0));
                }
            });
            assert!(handled.is_ok());
            answers.extend(out.take().iter().flat_map(|chunk| chunk.samples));
        }
        for (at, answer) in answers.iter().enumerate() {
            let wanted: f32 = (0..len.min(at + 1)).map(|age| weights[age] * signal[at - age]).sum();
            assert_eq!(*answer, wanted, "{len} weights, sample {at}");
        }
    }
}
