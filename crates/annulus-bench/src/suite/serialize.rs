//! What a message costs on its way to bytes and back.

use std::{hint::black_box, time::Instant};

use annulus::{
    message::{
        FrameReader, FrameWriter, Message,
        bridged::{ALIGNMENT, access},
    },
    prelude::*,
};
use serde::{Deserialize, Serialize};

use super::{Config, Suite, stream::await_processed};
use crate::{
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    launched::{finish, launch},
};

pub(super) const SUITE: Suite = Suite {
    name: "serialize",
    about: "messages as bytes: bridged and direct ones, frames, beside serde_json",
    method: "One thread. The message is {i64, String of 32 bytes, Vec<i32> of 16}, and where it is direct the same with \
             Text<32> and [i32; 16]; its number changes each time, and the buffer is used again. A copy is one of 128 bytes. To a \
             kernel: from the first send until the last message is processed, of a handler that looks at three \
             fields; iterations of up to 64, capacity 4096, backpressure Block; one at a time is a send for each of messages \
             that were made before.",
    cases,
};

#[derive(RingMessage, Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Bridged {
    number: i64,
    text: String,
    items: Vec<i32>,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Direct {
    number: i64,
    text: Text<32>,
    items: [i32; 16],
}

const TEXT: &str = "a text of exactly thirty-two by.";

fn bridged() -> Bridged {
    Bridged { number: 7, text: TEXT.into(), items: (0..16).map(|i| i * 1000 - 3).collect() }
}

fn direct() -> Direct {
    let items = std::array::from_fn(|i| i as i32 * 1000 - 3);
    Direct { number: 7, text: Text::new(TEXT).unwrap_or_default(), items }
}

/// Nanoseconds for each of `count` times.
fn timed(count: u64, mut once: impl FnMut(i64) -> Result<(), Failure>) -> Run {
    let begun = Instant::now();
    for number in 0..count as i64 {
        once(number)?;
    }
    Ok(vec![begun.elapsed().as_nanos() as f64 / count as f64])
}

/// A candidate that writes a message to bytes, having given it its number.
fn written<M: 'static>(
    count: u64,
    name: &'static str,
    message: fn() -> M,
    mut write: impl FnMut(i64, &mut M, &mut Vec<u8>) -> Result<(), Failure> + 'static,
) -> Candidate {
    Candidate::new(name, move || {
        let (mut message, mut bytes) = (message(), Vec::new());
        timed(count, |number| {
            bytes.clear();
            write(number, &mut message, &mut bytes)?;
            black_box(&bytes);
            Ok(())
        })
    })
}

fn cases(config: Config) -> Vec<Case> {
    let count = config.size(2_000_000, 300_000);
    let case = |name: &str, limit, candidates, marks| Case {
        name: name.into(),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit,
        candidates,
        marks,
    };
    let at_most = |candidate, ns| Mark { candidate, metric: "", goal: Goal::AtMost(ns) };
    let a_fifth = |candidate| Mark { candidate, metric: "", goal: Goal::TimesLimit(0.2) };
    const JSON: Option<&str> = Some("serde_json");
    vec![
        case(
            "encode",
            JSON,
            vec![
                written(count, "annulus bridged", bridged, |number, message, bytes| {
                    message.number = number;
                    Ok(message.encode(bytes)?)
                }),
                written(count, "annulus direct", direct, |number, message, bytes| {
                    message.number = number;
                    Ok(message.encode(bytes)?)
                }),
                written(count, "serde_json", bridged, |number, message, bytes| {
                    message.number = number;
                    Ok(serde_json::to_writer(bytes, message)?)
                }),
                written(
                    count,
                    "a copy",
                    || [7u8; 128],
                    |_, from, bytes| {
                        bytes.extend_from_slice(black_box(&*from));
                        Ok(())
                    },
                ),
            ],
            vec![at_most("annulus bridged", 25.0), a_fifth("annulus bridged")],
        ),
        case(
            "read",
            JSON,
            vec![
                Candidate::new("annulus bridged, in place", move || {
                    let mut bytes = Vec::new();
                    bridged().encode(&mut bytes)?;
                    let place = aligned(&bytes);
                    let place = &place.as_flattened()[..bytes.len()];
                    timed(count, |_| {
                        let message = access::<Bridged>(black_box(place))?;
                        black_box((message.number, message.text.len(), message.items.len()));
                        Ok(())
                    })
                }),
                Candidate::new("annulus bridged, decoded", move || {
                    let mut bytes = Vec::new();
                    bridged().encode(&mut bytes)?;
                    timed(count, |_| {
                        black_box(Bridged::decode(black_box(&bytes))?);
                        Ok(())
                    })
                }),
                Candidate::new("annulus direct, decoded", move || {
                    let mut bytes = Vec::new();
                    direct().encode(&mut bytes)?;
                    timed(count, |_| {
                        black_box(Direct::decode(black_box(&bytes))?);
                        Ok(())
                    })
                }),
                Candidate::new("serde_json", move || {
                    let bytes = serde_json::to_vec(&bridged())?;
                    timed(count, |_| {
                        black_box(serde_json::from_slice::<Bridged>(black_box(&bytes))?);
                        Ok(())
                    })
                }),
            ],
            vec![at_most("annulus bridged, in place", 12.0), a_fifth("annulus bridged, in place")],
        ),
        case(
            "frames, written and read, a message",
            None,
            vec![
                Candidate::new("annulus bridged", move || {
                    frames(count / 10, |writer, number| writer.write(&Bridged { number, ..bridged() }))
                }),
                Candidate::new("annulus direct", move || {
                    frames(count / 10, |writer, number| writer.write(&Direct { number, ..direct() }))
                }),
                Candidate::new("annulus direct, 64 a frame", move || {
                    let messages = [direct(); 64];
                    let run = frames(count / 64, |writer, _| writer.write_batch(&messages))?;
                    Ok(vec![run[0] / 64.0])
                }),
            ],
            vec![],
        ),
        case(
            "to a kernel, a message",
            None,
            vec![
                Candidate::new(ONE_AT_A_TIME, move || {
                    to_kernel(config, count / 4, bridged_sink::launch, bridged, one_by_one)
                }),
                Candidate::new(IN_BATCHES, move || {
                    to_kernel(config, count / 4, bridged_sink::launch, bridged, by_64)
                }),
                Candidate::new("annulus direct, one at a time", move || {
                    to_kernel(config, count / 4, direct_sink::launch, direct, one_by_one)
                }),
                Candidate::new("annulus direct, 64 a batch", move || {
                    to_kernel(config, count / 4, direct_sink::launch, direct, by_64)
                }),
            ],
            vec![
                at_most(ONE_AT_A_TIME, 250.0),
                Mark { candidate: IN_BATCHES, metric: "", goal: Goal::TimesBest(0.2, &[ONE_AT_A_TIME]) },
                Mark {
                    candidate: "annulus direct, 64 a batch",
                    metric: "",
                    goal: Goal::TimesBest(0.25, &[IN_BATCHES]),
                },
            ],
        ),
    ]
}

const ONE_AT_A_TIME: &str = "annulus bridged, one at a time";
const IN_BATCHES: &str = "annulus bridged, 64 a batch";

/// What the handlers have seen.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Seen {
    numbers: i64,
    lengths: u64,
}

#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 64)]
fn bridged_sink(message: &Archived<Bridged>, seen: &mut Seen) {
    seen.numbers = seen.numbers.wrapping_add(message.number.to_native());
    seen.lengths += (message.text.len() + message.items.len()) as u64;
}

#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 64)]
fn direct_sink(message: &Direct, seen: &mut Seen) {
    seen.numbers = seen.numbers.wrapping_add(message.number);
    seen.lengths += u64::from(message.text.len) + message.items.len() as u64;
}

/// Sends all messages to a kernel.
type Send<K> = fn(&KernelHandle<K>, Vec<<K as RingKernel>::Message>) -> Result<(), Failure>;

/// Nanoseconds for each message that a kernel takes. `make` makes messages; `send` sends them all.
fn to_kernel<K: RingKernel>(
    config: Config,
    count: u64,
    launch_it: crate::launched::Launch<K>,
    make: fn() -> K::Message,
    send: Send<K>,
) -> Run {
    const AT_ONCE: u64 = 4096;
    // No payload is as long: a device reserves memory for the longest.
    let kernel = launch(config.backend, launch_it, LaunchOptions::production().max_payload(256))?;
    let (mut sent, mut timed, mut elapsed) = (0, 0, std::time::Duration::ZERO);
    while timed < count {
        let messages: Vec<_> = (0..AT_ONCE).map(|_| make()).collect();
        let begun = Instant::now();
        send(&kernel, messages)?;
        sent += AT_ONCE;
        await_processed(&kernel, sent);
        // A lap before the clock runs: memory is mapped, the kernel awake.
        if sent > AT_ONCE {
            elapsed += begun.elapsed();
            timed += AT_ONCE;
        }
    }
    finish(&kernel, sent, 0)?;
    Ok(vec![elapsed.as_nanos() as f64 / timed as f64])
}

fn one_by_one<K: RingKernel>(kernel: &KernelHandle<K>, messages: Vec<K::Message>) -> Result<(), Failure> {
    for message in messages {
        if kernel.send_blocking(message).is_err() {
            return Err("a send failed".into());
        }
    }
    Ok(())
}

#[allow(clippy::needless_pass_by_value)] // As the other way to send.
fn by_64<K: RingKernel>(kernel: &KernelHandle<K>, messages: Vec<K::Message>) -> Result<(), Failure> {
    messages.chunks(64).try_for_each(|batch| Ok(kernel.send_batch_blocking(batch)?))
}

/// The bytes, where an archive may lie.
fn aligned(bytes: &[u8]) -> Vec<[u8; ALIGNMENT]> {
    #[derive(Clone, Copy)]
    #[repr(align(16))]
    struct Unit([u8; ALIGNMENT]);
    // Allocated as units, so that the first is aligned.
    let mut units = vec![Unit([0; ALIGNMENT]); bytes.len().div_ceil(ALIGNMENT)];
    for (unit, bytes) in units.iter_mut().zip(bytes.chunks(ALIGNMENT)) {
        unit.0[..bytes.len()].copy_from_slice(bytes);
    }
    units.into_iter().map(|unit| unit.0).collect()
}

/// Nanoseconds for each frame that is written to memory and read again.
fn frames(
    count: u64,
    mut write: impl FnMut(&mut FrameWriter<Vec<u8>>, i64) -> Result<(), annulus::message::WriteError>,
) -> Run {
    let count = count.max(1);
    let begun = Instant::now();
    let mut writer = FrameWriter::new(Vec::new());
    for number in 0..count as i64 {
        write(&mut writer, number)?;
    }
    let sent = writer.counters();
    let stream = writer.into_inner();
    let mut reader = FrameReader::new(&stream[..]);
    while let Some(frame) = reader.read()? {
        black_box(frame.payload());
    }
    let elapsed = begun.elapsed().as_nanos() as f64;
    if reader.counters().messages != sent.messages {
        return Err("not all frames came back".into());
    }
    Ok(vec![elapsed / count as f64])
}
