use std::{error::Error, io, thread, time::Duration};

use annulus::{
    message::{FrameReader, FrameWriter},
    prelude::*,
    queue::{
        DeadLetters, Deduplication, MessageQueue, QueueOptions, Reason,
        batching::BatchOptions,
        bridge::{BridgeIn, BridgeOut},
    },
};

// ANCHOR: types
/// A field that only the host holds makes a message bridged.
#[derive(RingMessage, Clone, Debug)]
#[ring(version = 2)]
struct Entry {
    #[ring(id)]
    number: u64,
    #[ring(priority)]
    urgency: u8,
    text: String,
    tags: Vec<String>,
    level: Level,
}

/// What stands in a bridged message is bridged itself; where no field says so, the type does.
#[derive(RingMessage, Clone, Debug)]
#[ring(bridged)]
enum Level {
    Fine,
    Wrong { code: u16, cause: Option<String> },
}
// ANCHOR_END: types

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Alarm {
    number: u64,
    code: u16,
    words: u16,
}

#[ring_kernel]
fn alarms(entry: &Archived<Entry>, alarms: &Outbox<Alarm>) {
    if let Archived::<Level>::Wrong { code, .. } = &entry.level {
        let mut words = 1;
        for byte in entry.text.as_bytes() {
            words += u16::from(*byte == b' ');
        }
        alarms.send(Alarm { number: entry.number.to_native(), code: code.to_native(), words });
    }
}
// ANCHOR_END: handler

fn entry(number: u64, urgency: u8, level: Level) -> Entry {
    Entry { number, urgency, text: format!("entry {number}"), tags: vec!["disk".into()], level }
}

fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: queue
    let queue = MessageQueue::new(QueueOptions::default().priority(true).deduplication(Deduplication::ById))?;
    let wrong = Level::Wrong { code: 5, cause: Some("no space left".into()) };
    let _ = queue.try_send(entry(1, 10, Level::Fine))?;
    let _ = queue.try_send(entry(2, 200, wrong))?;
    let again = queue.try_send(entry(1, 10, Level::Fine))?;
    println!("sent again: {}", if let SendOutcome::Duplicate(_) = again { "a duplicate" } else { "new" });
    // ANCHOR_END: queue

    // ANCHOR: launch
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    let kernel = alarms::launch(&runtime, LaunchOptions::production().max_payload(512))?;
    let _ = kernel.send_blocking(entry(3, 10, Level::Fine))?;
    let wrong = Level::Wrong { code: 7, cause: None };
    println!("{:?}", kernel.call_blocking(entry(4, 10, wrong))?);
    let long = Entry { text: "x".repeat(1000), ..entry(5, 10, Level::Fine) };
    println!("{}", kernel.send_blocking(long).unwrap_err());
    // ANCHOR_END: launch

    // ANCHOR: write
    let mut writer = FrameWriter::new(Vec::new()).compressed(256); // or a file, a pipe, a socket
    while let Ok(entry) = queue.try_recv() {
        writer.write(&entry)?;
    }
    let stream = writer.into_inner();
    // ANCHOR_END: write

    // ANCHOR: read
    let mut reader = FrameReader::new(&stream[..]);
    while let Some(frame) = reader.read()? {
        let entry = frame.access::<Entry>()?; // checked, and not copied
        println!("{}: {}, tagged {}", entry.number, entry.text, entry.tags[0]);
        let owned: Entry = frame.message()?;
        if let Level::Wrong { code, cause } = owned.level {
            println!("  code {code}: {}", cause.as_deref().unwrap_or("for no reason"));
        }
    }
    // ANCHOR_END: read

    // ANCHOR: errors
    #[derive(RingMessage, Debug)]
    #[ring(version = 3)]
    struct Other {
        name: String,
    }
    let mut reader = FrameReader::new(&stream[..]);
    let frame = reader.read()?.ok_or("there are frames")?;
    println!("{}", frame.message::<Other>().unwrap_err());
    // ANCHOR_END: errors

    // ANCHOR: refused
    let mut damaged = stream.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1; // the last frame changes on the way
    let dead_letters = DeadLetters::with_capacity(100);
    let mut reader = FrameReader::new(&damaged[..]);
    loop {
        match reader.read() {
            Ok(None) => break,
            Ok(Some(frame)) => println!("entry {} is whole", frame.access::<Entry>()?.number),
            Err(error) if error.is_passed_over() => {
                let reason = Reason::Invalid(error.to_string().into());
                dead_letters.bury_with_id(reader.received().to_vec(), None, reason);
            }
            Err(error) => return Err(error.into()),
        }
    }
    for dead_letter in dead_letters.take_batch() {
        println!("{} bytes: {}", dead_letter.message.len(), dead_letter.reason);
    }
    println!("changed on the way: {}", reader.refusals().checksum);
    // ANCHOR_END: refused

    // ANCHOR: bridge
    let (from, to) = (MessageQueue::with_defaults(), MessageQueue::<Entry>::with_defaults());
    let (reader, writer) = io::pipe()?; // or the two ends of a socket, or a file
    let mut out = BridgeOut::new(&from, BatchOptions::new().messages(64).delay(Duration::from_millis(1)))?;
    let mut back = BridgeIn::new(&to);
    let statistics = out.statistics();
    thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        scope.spawn(move || out.run(&mut FrameWriter::new(writer)).is_ok());
        scope.spawn(move || back.run(&mut FrameReader::new(reader)).is_ok());
        let _ = from.send_blocking(entry(3, 10, Level::Fine))?;
        println!("across the pipe: entry {}", to.recv_blocking()?.number);
        from.close(); // ends the one, and with its pipe the other
        Ok(())
    })?;
    let moved = statistics.counters();
    println!("{} moved, in {} batch by the timer", moved.moved, moved.by_timer);
    // ANCHOR_END: bridge
    Ok(())
}
