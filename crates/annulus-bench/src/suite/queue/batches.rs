//! Streams in batches.

use std::time::Instant;

use annulus_queue::{
    QueueOptions, queue,
    single_consumer::{mpsc, spsc},
    spmc::spmc,
};

use crate::{
    harness::{Candidate, Case, Goal, Mark, Run},
    limit,
    machine::{OnCore, spawn_apart},
};

use super::{
    case,
    kind::CAPACITY,
    payload::{Bytes8, Bytes56, Bytes248, Payload},
};

const BATCH: u64 = 64;
const LINES: &str = "limit: 64-byte lines";
const SPSC: &str = "annulus spsc";

pub(super) fn cases(scale: u64) -> Vec<Case> {
    let mut cases = vec![batches::<Bytes8>(scale), batches::<Bytes56>(scale), batches::<Bytes248>(scale)];
    // A message of 56 bytes and its stamp are a line.
    cases[1].marks.push(Mark { candidate: SPSC, metric: "", goal: Goal::TimesLimit(1.5) });
    cases
}

/// One thread sends batches, another receives them: nanoseconds per message. The clock runs after a lap, as
/// the limit's does.
fn stream<T: Payload>(
    messages: u64,
    mut send: impl FnMut(std::ops::Range<u64>) + Send + 'static,
    mut receive: impl FnMut(&mut dyn FnMut(u64)),
) -> Run {
    let _here = OnCore::new(0);
    let first = CAPACITY as u64;
    let total = first + messages;
    let sender = spawn_apart(move || {
        (0..total / BATCH).for_each(|batch| send(batch * BATCH..(batch + 1) * BATCH));
    });
    let (mut next, mut in_order) = (0, true);
    let mut start = Instant::now();
    let mut begun = false;
    while next < total / BATCH * BATCH {
        if !begun && next >= first {
            (start, begun) = (Instant::now(), true);
        }
        receive(&mut |number| {
            in_order &= number == next;
            next += 1;
        });
    }
    let time = start.elapsed();
    sender.join().map_err(|_| "the sending thread panicked")?;
    if !in_order {
        return Err("messages came in another order".into());
    }
    Ok(vec![time.as_nanos() as f64 / messages as f64])
}

fn batches<T: Payload>(scale: u64) -> Case {
    let messages = 400_000 * scale / BATCH * BATCH;
    const MOST: usize = BATCH as usize;
    macro_rules! ours {
        ($name:expr, $make:ident) => {
            Candidate::new($name, move || {
                let (mut tx, mut rx) = $make::<T>(QueueOptions::new().capacity(CAPACITY))?;
                let (_, _) = (&mut tx, &mut rx);
                stream::<T>(
                    messages,
                    move |numbers| {
                        tx.send_batch_blocking(numbers.map(T::new), |_| ());
                    },
                    |each| {
                        let _ = rx.recv_batch_blocking(MOST, |message| each(message.number()));
                    },
                )
            })
        };
    }
    let candidates = vec![
        ours!(SPSC, spsc),
        ours!("annulus mpsc", mpsc),
        ours!("annulus spmc", spmc),
        ours!("annulus queue", queue),
        Candidate::new("rtrb, chunks", move || {
            let (mut tx, mut rx) = rtrb::RingBuffer::<T>::new(CAPACITY);
            stream::<T>(
                messages,
                move |numbers| {
                    let mut numbers = numbers;
                    while !numbers.is_empty() {
                        let space = tx.slots().min((numbers.end - numbers.start) as usize);
                        if space == 0 {
                            std::hint::spin_loop();
                        } else if let Ok(chunk) = tx.write_chunk_uninit(space) {
                            chunk.fill_from_iter(numbers.by_ref().take(space).map(T::new));
                        }
                    }
                },
                |each| match rx.read_chunk(rx.slots().min(MOST)) {
                    Ok(chunk) => chunk.into_iter().for_each(|message| each(message.number())),
                    Err(_) => std::hint::spin_loop(),
                },
            )
        }),
        Candidate::new(LINES, move || Ok(vec![1e3 / limit::line_stream(CAPACITY as u64, messages)?[0]])),
    ];
    let name = format!("stream in batches of {BATCH}, {} B", size_of::<T>());
    Case { limit: Some(LINES), ..case(name, candidates, Vec::new()) }
}
