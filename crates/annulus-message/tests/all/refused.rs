//! Bad frames are kept as they came, and counted by cause. Rows E-03, Q-06, W-11.

use annulus::{
    message::{FrameReader, FrameWriter, ReadError, header::HEADER_SIZE},
    prelude::RingMessage,
    queue::{DeadLetters, Reason},
};

use crate::samples::{Order, Tick, order, tick};

/// Where each frame of a stream begins and ends.
fn frames(stream: &[u8]) -> Vec<std::ops::Range<usize>> {
    let (mut begin, mut frames) = (0, Vec::new());
    while begin < stream.len() {
        let size = u64::from_le_bytes(*stream[begin + 4..].first_chunk().unwrap()) as usize;
        frames.push(begin..begin + HEADER_SIZE + size);
        begin += HEADER_SIZE + size;
    }
    frames
}

/// E-03, W-11: a store of dead letters gets bad frames whole, and can be read later.
#[test]
fn e_03_bad_frames_become_dead_letters() {
    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(&mut stream);
    for number in 0..8 {
        writer.write(&order(number)).unwrap();
    }
    let places = frames(&stream);
    // The first frame is the schema's. Two payloads change on the way.
    for bad in [3, 6] {
        stream[places[bad].end - 1] ^= 1;
    }
    let dead_letters = DeadLetters::with_capacity(10);
    let mut reader = FrameReader::new(&stream[..]);
    let mut numbers = Vec::new();
    loop {
        match reader.read() {
            Ok(None) => break,
            Ok(Some(frame)) => {
                let (begin, payload) = (frame.received().len() - frame.payload().len(), frame.payload());
                assert_eq!(&frame.received()[begin..], payload);
                numbers.push(frame.message::<Order>().unwrap().number);
            }
            Err(error) => {
                assert!(error.is_passed_over());
                let reason = Reason::Invalid(error.to_string().into());
                dead_letters.bury_with_id(reader.received().to_vec(), None, reason);
            }
        }
    }
    assert_eq!(numbers, [0, 1, 3, 4, 6, 7]);
    assert_eq!((reader.refusals().checksum, reader.refusals().total(), reader.counters().refused), (2, 2, 2));
    let kept = dead_letters.take_batch();
    for (dead_letter, bad) in kept.iter().zip([3, 6]) {
        assert_eq!(dead_letter.message, stream[places[bad].clone()]);
        assert!(matches!(FrameReader::new(&dead_letter.message[..]).read(), Err(ReadError::Checksum)));
    }
    assert_eq!(kept.len(), 2);
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Other {
    value: u16,
}

/// Every cause has its count, also where a frame is whole but its messages are not what was asked for.
#[test]
fn refusals_are_counted_by_cause() {
    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(&mut stream);
    writer.write(&tick(1)).unwrap();
    let places = frames(&stream);
    let causes = |stream: &[u8]| {
        let mut reader = FrameReader::new(stream);
        let mut told = Vec::new();
        loop {
            match reader.read() {
                Ok(None) => break,
                Ok(Some(frame)) => {
                    told.extend(frame.message::<Tick>().err().map(|error| error.cause()));
                    told.extend(frame.message::<Other>().err().map(|error| error.cause()));
                    told.extend(frame.messages::<Other>().err().map(|error| error.cause()));
                }
                Err(error) => {
                    told.push(error.cause());
                    if !error.is_passed_over() {
                        assert!(matches!(reader.read(), Err(ReadError::Broken)));
                        break;
                    }
                }
            }
        }
        let counted = reader.refusals().by_cause().into_iter().filter(|(_, count)| *count != 0);
        let counted: Vec<_> = counted.collect();
        assert_eq!(reader.refusals().total(), told.len() as u64);
        for cause in &told {
            let count = told.iter().filter(|other| other == &cause).count() as u64;
            assert!(counted.contains(&(cause, count)), "{cause}: {counted:?}");
        }
        (told, reader.received().len())
    };
    assert_eq!(causes(&stream).0, ["mismatch", "mismatch"]);
    let message = &stream[places[1].clone()];
    assert_eq!(causes(message).0, ["unannounced", "unannounced"], "a reader's own schema needs none");
    let cut = stream.len() - 3;
    assert_eq!(causes(&stream[..cut]), (vec!["truncated"], cut - places[0].len()), "as much as was there");
    assert_eq!(causes(&stream[..places[0].end + 10]), (vec!["truncated"], 10));
    let mut changed = stream.clone();
    changed[places[1].start] ^= 1;
    assert_eq!(causes(&changed), (vec!["header"], HEADER_SIZE));
    // A bool that is none, under a checksum that is right.
    let mut payload = Vec::new();
    annulus::message::Message::encode(&tick(1), &mut payload).unwrap();
    payload[4] = 9;
    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(&mut stream);
    let ty = annulus::message::WireType::of::<Tick>();
    writer.write_payload(&ty, annulus::message::Facts::default(), &payload).unwrap();
    assert_eq!(causes(&stream).0, ["decode", "mismatch", "mismatch"]);
}
