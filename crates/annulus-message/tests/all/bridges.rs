//! Bridges between queues and bytes. Rows D-04, E-03, W-09.

use std::{
    io::{self, Write},
    thread,
    time::Duration,
};

use annulus::{
    message::{FrameReader, FrameWriter, Message, ReadError, header::HEADER_SIZE},
    queue::{
        Backpressure, DeadLetters, MessageQueue, QueueOptions, SendError, TrySendError,
        batching::BatchOptions,
        bridge::{BridgeIn, BridgeInError, BridgeOut},
    },
};

use crate::samples::{Order, Tick, order, tick};

fn queue<M: Message + Send>(capacity: usize) -> MessageQueue<M> {
    MessageQueue::new(QueueOptions::default().capacity(capacity)).unwrap()
}

/// D-04, W-09: a batch leaves when it is full, and when its first message has waited, with no further
/// message.
#[test]
fn w_09_batches_leave_by_count_and_by_timer() {
    let (reader, writer) = io::pipe().unwrap();
    let from = queue::<Tick>(64);
    let options = BatchOptions::new().messages(4).delay(Duration::from_millis(20));
    let mut bridge = BridgeOut::new(&from, options).unwrap();
    let statistics = bridge.statistics();
    (0..9).for_each(|number| assert!(from.try_send(tick(number)).unwrap().is_queued()));
    thread::scope(|scope| {
        let runs =
            scope.spawn(move || bridge.run(&mut FrameWriter::new(writer)).map_err(|error| error.error));
        let mut reader = FrameReader::new(reader);
        let mut counts = Vec::new();
        let mut messages = Vec::new();
        while messages.len() < 9 {
            let frame = reader.read().unwrap().unwrap();
            counts.push(frame.header().count);
            messages.extend(frame.messages::<Tick>().unwrap().map(Result::unwrap));
        }
        // The ninth came although nothing was sent after it, and the queue is still open.
        assert_eq!(counts, [4, 4, 1]);
        assert_eq!(messages, (0..9).map(tick).collect::<Vec<_>>());
        from.close();
        runs.join().unwrap().unwrap();
    });
    let counters = statistics.counters();
    assert_eq!((counters.by_count, counters.by_timer, counters.batches()), (2, 1, 3));
    assert_eq!((counters.taken, counters.moved, counters.drops.total()), (9, 9, 0));
    assert_eq!(counters.plain_bytes, 9 * size_of::<Tick>() as u64);
    assert!(counters.bytes > counters.plain_bytes + 3 * HEADER_SIZE as u64);
}

fn all_arrive<M>(count: u32, message: fn(u32) -> M)
where
    M: Message + annulus::message::Payload + Send + PartialEq + std::fmt::Debug + 'static,
{
    let (reader, writer) = io::pipe().unwrap();
    let (from, to) = (queue::<M>(64), queue::<M>(16));
    let mut out = BridgeOut::new(&from, BatchOptions::new().messages(50)).unwrap();
    let mut back = BridgeIn::new(&to);
    let (sent, received) = (out.statistics(), back.statistics());
    thread::scope(|scope| {
        scope.spawn(move || {
            out.run(&mut FrameWriter::new(io::BufWriter::new(writer)).compressed(64)).unwrap()
        });
        scope.spawn(|| {
            (0..count).for_each(|number| assert!(from.send_blocking(message(number)).unwrap().is_queued()));
            from.close();
        });
        scope.spawn(|| {
            back.run(&mut FrameReader::new(io::BufReader::new(reader))).unwrap();
            to.close();
        });
        for number in 0..count {
            assert_eq!(to.recv_blocking(), Ok(message(number)));
        }
        assert!(to.recv_blocking().is_err());
    });
    let (sent, received) = (sent.counters(), received.counters());
    assert_eq!((sent.moved, received.moved, received.taken), (count.into(), count.into(), count.into()));
    assert_eq!(sent.bytes, received.bytes);
    assert_eq!(sent.plain_bytes, received.plain_bytes);
}

/// W-09: both kinds of messages, in order, through queues and pipes that are full most of the time.
#[test]
fn w_09_all_arrive_in_order() {
    all_arrive::<Tick>(20_000, tick);
    all_arrive::<Order>(2000, |number| order(number.into()));
}

/// A destination that takes nothing stops the bridge, and the queue fills up.
#[test]
fn back_pressure_goes_through() {
    let (reader, writer) = io::pipe().unwrap();
    let (from, to) = (queue::<Tick>(16), queue::<Tick>(16));
    let mut out = BridgeOut::new(&from, BatchOptions::new().messages(8)).unwrap();
    thread::scope(|scope| {
        scope.spawn(move || out.run(&mut FrameWriter::new(writer)).unwrap());
        let mut sent = 0;
        // Nobody reads the pipe, so there is an end to what is taken.
        let full = loop {
            match from.send_timeout(tick(sent), Duration::from_millis(500)) {
                Ok(_) => sent += 1,
                Err(error) => break error,
            }
            assert!(sent < 100_000, "a pipe and a queue hold less");
        };
        assert_eq!(full, SendError::Timeout(tick(sent)));
        let mut back = BridgeIn::new(&to);
        scope.spawn(move || back.run(&mut FrameReader::new(reader)).unwrap());
        for number in 0..sent {
            assert_eq!(to.recv_blocking(), Ok(tick(number)));
        }
        from.close();
    });
}

/// Takes some bytes, and then fails.
struct Failing(Vec<u8>, usize);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > self.1 {
            return Err(io::Error::other("no space left"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stream that fails loses no message: the batch comes back, and the queue has the rest.
#[test]
fn a_failed_stream_hands_the_batch_back() {
    let from = queue::<Tick>(64);
    (0..20).for_each(|number| assert!(from.try_send(tick(number)).unwrap().is_queued()));
    from.close();
    let mut bridge = BridgeOut::new(&from, BatchOptions::new().messages(6)).unwrap();
    let mut frames = FrameWriter::new(Failing(Vec::new(), 1500));
    let error = bridge.run(&mut frames).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("no space left; {} messages may not have arrived", error.undelivered.len())
    );
    let moved = bridge.statistics().counters().moved as u32;
    assert_eq!(error.undelivered, (moved..moved + 6).map(tick).collect::<Vec<_>>());
    // Another stream, the same bridge.
    let mut rest = FrameWriter::new(Vec::new());
    bridge.run(&mut rest).unwrap();
    assert_eq!(bridge.statistics().counters().moved, 14);
    let rest = rest.into_inner();
    let mut reader = FrameReader::new(&rest[..]);
    let frame = reader.read().unwrap().unwrap();
    assert_eq!(frame.messages::<Tick>().unwrap().next().unwrap().unwrap(), tick(moved + 6));
}

/// E-03: what has no payload is dropped alone, counted, and kept.
#[test]
fn e_03_messages_without_payload_become_dead_letters() {
    let from = queue::<Order>(64);
    for number in 0..10 {
        let text = if number % 4 == 1 { "x".repeat(70_000) } else { "short".into() };
        let _ = from.try_send(Order { text, ..order(number) }).unwrap();
    }
    from.close();
    let dead_letters = DeadLetters::new();
    let options = BatchOptions::new().messages(5);
    let mut bridge = BridgeOut::new(&from, options).unwrap().dead_letters(&dead_letters);
    let mut frames = FrameWriter::new(Vec::new());
    bridge.run(&mut frames).unwrap();
    let counters = bridge.statistics().counters();
    assert_eq!(
        (counters.taken, counters.moved, counters.drops.encode, counters.drops.total()),
        (10, 7, 3, 3)
    );
    let numbers: Vec<_> =
        dead_letters.take_batch().iter().map(|dead_letter| dead_letter.message.number).collect();
    assert_eq!(numbers, [1, 5, 9]);
    let stream = frames.into_inner();
    let to = queue::<Order>(64);
    BridgeIn::new(&to).run(&mut FrameReader::new(&stream[..])).unwrap();
    let numbers: Vec<_> = to.take_all().iter().map(|order| order.number).collect();
    assert_eq!(numbers, [0, 2, 3, 4, 6, 7, 8]);
}

/// Bad frames, and good ones with a bad message, are passed over, counted, and kept; a full queue drops what
/// its strategy says.
#[test]
fn w_09_what_is_dropped_on_the_way_in_is_counted() {
    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(&mut stream);
    writer.write_batch(&(0..10).map(tick).collect::<Vec<_>>()).unwrap();
    let whole = stream.len();
    let mut writer = FrameWriter::new(&mut stream);
    writer.write_batch(&(10..20).map(tick).collect::<Vec<_>>()).unwrap();
    writer.write(&tick(20)).unwrap();
    let end = stream.len();
    stream[end - 1] ^= 1;
    let options = QueueOptions::default().capacity(16).backpressure(Backpressure::DropNew);
    let to = MessageQueue::<Tick>::new(options).unwrap();
    let dead_letters = DeadLetters::new();
    let mut bridge = BridgeIn::new(&to).dead_letters(&dead_letters);
    bridge.run(&mut FrameReader::new(&stream[..])).unwrap();
    let counters = bridge.statistics().counters();
    assert_eq!((counters.taken, counters.moved, counters.drops.full), (20, 16, 4));
    assert_eq!((counters.refused_frames, counters.by_count, counters.bytes), (1, 2, stream.len() as u64));
    let kept = dead_letters.take_batch();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].message, stream[end - HEADER_SIZE - size_of::<Tick>()..]);
    // A stream of another type: every frame is refused whole.
    let others = queue::<Order>(16);
    let mut bridge = BridgeIn::new(&others);
    bridge.run(&mut FrameReader::new(&stream[..whole])).unwrap();
    assert_eq!((bridge.statistics().counters().refused_frames, others.len()), (1, 0));
    // A stream that breaks off.
    let error = BridgeIn::new(&to).run(&mut FrameReader::new(&stream[..whole - 1])).unwrap_err();
    assert!(matches!(error, BridgeInError::Read(ReadError::Truncated { .. })), "{error}");
    // A queue that is closed: what was not queued comes back.
    to.close();
    match BridgeIn::new(&to).run(&mut FrameReader::new(&stream[..whole])).unwrap_err() {
        BridgeInError::Closed(messages) => assert_eq!(messages, (0..10).map(tick).collect::<Vec<_>>()),
        error => panic!("{error}"),
    }
    assert!(matches!(to.try_send(tick(1)), Err(TrySendError::Closed(_))));
    assert!(BridgeOut::new(&to, BatchOptions::new().messages(0)).is_err());
}
