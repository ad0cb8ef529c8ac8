//! What a bridge from a queue to bytes costs, and that it sleeps while nothing is on the way.

use std::{
    fs,
    hint::black_box,
    io::{self, Write},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use annulus::{
    message::{FrameReader, FrameWriter, Message, Payload},
    prelude::*,
    queue::{
        MessageQueue, QueueOptions,
        batching::BatchOptions,
        bridge::{BridgeIn, BridgeOut},
    },
};

use super::{Config, Suite};
use crate::harness::{Better, Candidate, Case, Failure, Goal, Mark, Run};

pub(super) const SUITE: Suite = Suite {
    name: "bridge",
    about: "from a queue to frames and back, beside a copy of the same bytes; wake-ups of an idle bridge",
    method: "One thread. A queue holds 1024 messages, and is closed; a bridge moves them into memory in frames of up to 64 \
             messages, or from there into a queue. Filling the queue is not counted. A copy is one of each message's bytes. \
             Wake-ups are the switches of the bridge's thread that the system counts while its queue is open and empty.",
    cases,
};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Small {
    number: u64,
    items: [u32; 30],
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Page {
    number: u64,
    items: [u64; 511],
}

const COUNT: u64 = 1024;

/// Memory that is written from its beginning again for each run.
struct Memory(Vec<u8>);

impl Write for &mut Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn filled<M: Message + Send + Copy>(message: M) -> Result<MessageQueue<M>, Failure> {
    let queue = MessageQueue::new(QueueOptions::default().capacity(COUNT as usize))?;
    for _ in 0..COUNT {
        let _ = queue.try_send(message).map_err(|_| "the queue has room")?;
    }
    queue.close();
    Ok(queue)
}

fn options() -> BatchOptions {
    BatchOptions::new().messages(64)
}

/// Nanoseconds for each message on its way out.
fn out<M: Message + Payload + Send + Copy + 'static>(rounds: u64, message: M) -> Run {
    let mut memory = Memory(Vec::new());
    let mut elapsed = Duration::ZERO;
    for _ in 0..rounds {
        let queue = filled(message)?;
        let mut bridge = BridgeOut::new(&queue, options())?;
        memory.0.clear();
        let begun = Instant::now();
        bridge.run(&mut FrameWriter::new(&mut memory)).map_err(|error| error.error)?;
        elapsed += begun.elapsed();
        black_box(&memory.0);
        if bridge.statistics().counters().moved != COUNT {
            return Err("not all messages were moved".into());
        }
    }
    Ok(vec![elapsed.as_nanos() as f64 / (rounds * COUNT) as f64])
}

/// Nanoseconds for each message on its way in.
fn back<M: Message + Payload + Send + Copy + 'static>(rounds: u64, message: M) -> Run {
    let mut memory = Memory(Vec::new());
    BridgeOut::new(&filled(message)?, options())?
        .run(&mut FrameWriter::new(&mut memory))
        .map_err(|error| error.error)?;
    let mut elapsed = Duration::ZERO;
    for _ in 0..rounds {
        let queue = MessageQueue::<M>::new(QueueOptions::default().capacity(COUNT as usize))?;
        let mut bridge = BridgeIn::new(&queue);
        let begun = Instant::now();
        bridge.run(&mut FrameReader::new(&memory.0[..])).map_err(|error| error.to_string())?;
        elapsed += begun.elapsed();
        if queue.len() as u64 != COUNT {
            return Err("not all messages were moved".into());
        }
    }
    Ok(vec![elapsed.as_nanos() as f64 / (rounds * COUNT) as f64])
}

/// Nanoseconds for a copy of each message's bytes.
fn copied(rounds: u64, size: usize) -> Run {
    let from = vec![7u8; size * COUNT as usize];
    let mut to = Vec::new();
    let mut elapsed = Duration::ZERO;
    for _ in 0..rounds {
        to.clear();
        let begun = Instant::now();
        for message in black_box(&from).chunks_exact(size) {
            to.extend_from_slice(message);
        }
        elapsed += begun.elapsed();
        black_box(&to);
    }
    Ok(vec![elapsed.as_nanos() as f64 / (rounds * COUNT) as f64])
}

/// How often the thread of a bridge is switched to while its queue is empty.
fn wakes(time: Duration) -> Run {
    let queue = MessageQueue::<Small>::new(QueueOptions::default().capacity(64))?;
    let mut bridge = BridgeOut::new(&queue, options())?;
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            // Where the system has it.
            let _ = tell.send(fs::read_link("/proc/thread-self"));
            bridge.run(&mut FrameWriter::new(io::sink())).is_ok()
        });
        let place = told.recv()?;
        let switches = || -> Result<f64, Failure> {
            let place = place.as_ref().map_err(|error| error.to_string())?;
            let status = fs::read_to_string(format!("/proc/{}/status", place.display()))?;
            let counts = status.lines().filter_map(|line| line.split_once("ctxt_switches:"));
            Ok(counts.filter_map(|(_, count)| count.trim().parse::<f64>().ok()).sum())
        };
        thread::sleep(Duration::from_millis(200));
        let woken = switches().and_then(|before| {
            thread::sleep(time);
            Ok(switches()? - before)
        });
        queue.close();
        Ok(vec![woken?])
    })
}

fn cases(config: Config) -> Vec<Case> {
    let rounds = config.size(300, 30);
    let case = |name: &str, size, out: Candidate, back: Candidate| Case {
        name: name.into(),
        unit: "ns a message",
        better: Better::Lower,
        metrics: &[""],
        limit: Some("limit a copy"),
        candidates: vec![out, back, Candidate::new("limit a copy", move || copied(rounds, size))],
        marks: vec![Mark { candidate: "annulus, out", metric: "", goal: Goal::TimesLimit(3.0) }],
    };
    let small = Small { number: 7, items: [3; 30] };
    let page = Page { number: 7, items: [3; 511] };
    let time = Duration::from_millis(config.size(10_000, 1000));
    vec![
        case(
            "messages of 128 bytes",
            size_of::<Small>(),
            Candidate::new("annulus, out", move || out(rounds, small)),
            Candidate::new("annulus, in", move || back(rounds, small)),
        ),
        case(
            "messages of 4 KB",
            size_of::<Page>(),
            Candidate::new("annulus, out", move || out(rounds, page)),
            Candidate::new("annulus, in", move || back(rounds, page)),
        ),
        Case {
            name: format!("wake-ups in {time:?}, idle"),
            unit: "",
            better: Better::Lower,
            metrics: &[""],
            limit: None,
            candidates: vec![Candidate::new("annulus", move || wakes(time))],
            marks: vec![Mark { candidate: "annulus", metric: "", goal: Goal::AtMost(0.0) }],
        },
    ]
}
