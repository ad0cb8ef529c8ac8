//! Bytes from anywhere: an error each, and no panic. Rows Q-06, W-11; DECISIONS 7. The fuzz targets of
//! `fuzz/` go on where this ends.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

use annulus::message::{
    Compression, Content, FrameReader, FrameWriter, HeaderError, Message, ReadError, WireType,
    header::{HEADER_SIZE, Header, checksum},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed, TestRunner},
};

use crate::samples::{Order, Tick, order, tick};

/// Orders and ticks, single and in batches, compressed.
fn stream() -> Vec<u8> {
    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(&mut stream).compressed(64);
    for number in 3..6 {
        writer.write(&order(number)).unwrap();
    }
    writer.write_batch(&(0..40).map(tick).collect::<Vec<_>>()).unwrap();
    stream
}

/// How many messages there are, and the first error that ends the stream or a frame of it.
fn read(stream: &[u8]) -> (usize, Option<ReadError>) {
    let mut reader = FrameReader::new(stream);
    let (mut messages, mut first) = (0, None);
    loop {
        let outcome = match reader.read() {
            Ok(None) => return (messages, first),
            Ok(Some(frame)) => match &*frame.header().name {
                "Order" => frame.message::<Order>().map(|_| 1),
                _ => frame
                    .messages::<Tick>()
                    .and_then(|all| all.collect::<Result<Vec<_>, _>>().map(|messages| messages.len())),
            },
            Err(error) => Err(error),
        };
        match outcome {
            Ok(count) => messages += count,
            Err(error) if error.is_passed_over() => first = first.or(Some(error)),
            Err(error) => return (messages, first.or(Some(error))),
        }
    }
}

#[test]
fn streams_that_end_early_say_so() {
    let whole = stream();
    assert!(matches!(read(&whole), (43, None)));
    let mut ends = 0;
    for len in 0..whole.len() {
        match read(&whole[..len]) {
            (_, None) => ends += 1,
            (_, Some(ReadError::Truncated { got, of })) => assert!(got < of),
            (_, Some(error)) => panic!("{len}: {error}"),
        }
    }
    assert_eq!(ends, 6, "only where a frame ends: two schemas, three orders, one batch, less the whole");
}

/// A changed bit is always noticed, and never taken for a message. In a schema that the reader has itself it
/// costs no message.
#[test]
fn changed_bits_are_noticed() {
    let whole = stream();
    let schemas = [WireType::of::<Order>(), WireType::of::<Tick>()].map(|ty| {
        let begin = whole.windows(ty.json().len()).position(|bytes| bytes == ty.json()).unwrap();
        begin..begin + ty.json().len()
    });
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        let (messages, error) = read(&changed);
        let costs = messages < 43 || schemas.iter().any(|schema| schema.contains(&at));
        assert!(error.is_some() && costs, "{at}: {messages} messages, {error:?}");
    }
}

/// The header of a frame whose payload these bytes are, right as far as the checksums go.
fn framed(payload: &[u8], change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let whole = stream();
    let mut header = Header::from_bytes(whole.first_chunk::<HEADER_SIZE>().unwrap()).unwrap();
    header.content = Content::Messages;
    header.size = payload.len() as u64;
    header.plain = payload.len() as u64;
    header.checksum = checksum(payload);
    change(&mut header);
    [&header.to_bytes()[..], payload].concat()
}

fn error_of(stream: &[u8]) -> ReadError {
    read(stream).1.unwrap()
}

#[test]
fn wrong_headers_are_told_apart() {
    let whole = stream();
    let with = |at: usize, value: u8| {
        let mut changed = whole.clone();
        changed[at] = value;
        error_of(&changed)
    };
    assert!(matches!(with(0, 0), ReadError::Header(HeaderError::Magic(0xDC00))));
    assert!(matches!(with(28, 2), ReadError::Header(HeaderError::Version(2))));
    assert!(matches!(with(60, 1), ReadError::Header(HeaderError::Checksum)));
    assert!(matches!(with(HEADER_SIZE, b'!'), ReadError::Checksum));
    let header = with(28, 2).to_string();
    assert_eq!(header, "the header has version 2, and this program reads version 1");
    assert!(matches!(error_of(b"{\"account\": 7}"), ReadError::Truncated { .. }));
    let text = error_of(&[b'x'; 300]).to_string();
    assert_eq!(text, "no message begins here: there is 0x78787878, and a header begins with 0xdcf1");
    for (at, what) in [(30, "content"), (31, "encoding"), (32, "compression"), (35, "name")] {
        let mut header: [u8; HEADER_SIZE] = *whole.first_chunk().unwrap();
        header[at] = 0xFF;
        let own = checksum(&header[..248]);
        header[248..].copy_from_slice(&own.to_le_bytes());
        assert_eq!(Header::from_bytes(&header), Err(HeaderError::Field(what)));
    }
}

#[test]
fn sizes_have_limits() {
    let large = |change: fn(&mut Header)| error_of(&framed(&[0; 64], change));
    assert!(matches!(large(|header| header.size = 1 << 40), ReadError::TooLarge { .. }));
    assert!(matches!(large(|header| header.plain = u64::MAX), ReadError::TooLarge { .. }));
    assert!(matches!(large(|header| header.count = u32::MAX), ReadError::TooLarge { .. }));
    assert!(matches!(large(|header| header.count = 0), ReadError::Sizes));
    assert!(matches!(large(|header| header.count = 2), ReadError::Sizes));
    assert!(matches!(large(|header| header.plain = 63), ReadError::Sizes));
    assert!(matches!(large(|header| header.root = 65), ReadError::Sizes));
    assert!(matches!(large(|header| (header.schema, header.root) = (1, 0)), ReadError::Unannounced { .. }));
    let one_too_many = framed(&[0; 65_537], |_| {});
    assert!(matches!(error_of(&one_too_many), ReadError::Sizes));
}

/// What would become more than its header says, or less, is refused: a bomb has no way to grow.
#[test]
fn bombs_do_not_grow() {
    // An LZ4 block of about 4 KB that would become 1 MB of zeros.
    let mut bomb = vec![0x1F, 0, 1, 0];
    bomb.extend([0xFF; 4096]);
    bomb.extend([0, 0x50, 0, 0, 0, 0, 0]);
    for compression in [Compression::Lz4, Compression::Delta] {
        for plain in [1, 64, 65_536] {
            let framed = framed(&bomb, |header| {
                (header.compression, header.plain, header.root) = (compression, plain, 0)
            });
            assert!(matches!(error_of(&framed), ReadError::Compression(name) if name == compression.name()));
        }
    }
    let schema = "[".repeat(60_000);
    let framed = framed(schema.as_bytes(), |header| {
        (header.content, header.schema) = (Content::Schema, checksum(schema.as_bytes()));
    });
    assert!(matches!(error_of(&framed), ReadError::Schema(_)));
}

/// Payloads that were changed, with no checksum before them: what is read is a message, or it is an error.
#[test]
fn changed_payloads_are_messages_or_errors() {
    let originals: Vec<Vec<u8>> = (0..12)
        .map(|number| {
            let mut bytes = Vec::new();
            order(number).encode(&mut bytes).unwrap();
            bytes
        })
        .collect();
    let config =
        Config { cases: 4000, failure_persistence: None, rng_seed: RngSeed::Fixed(17), ..Config::default() };
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..6);
    let strategy = (0..originals.len(), changes, 0usize..4);
    let refused = Cell::new(0);
    let mut runner = TestRunner::new(config);
    runner
        .run(&strategy, |(which, changes, cut)| {
            let mut bytes = originals[which].clone();
            for (place, value, is_set) in changes {
                let place = place.index(bytes.len());
                bytes[place] = if is_set { value } else { bytes[place].wrapping_add(value % 3) };
            }
            bytes.truncate(bytes.len() - cut * 4);
            let outcome = catch_unwind(AssertUnwindSafe(|| Order::decode(&bytes)));
            let outcome = outcome.map_err(|_| TestCaseError::fail("it panicked"))?;
            match outcome {
                Ok(message) => {
                    let mut again = Vec::new();
                    message.encode(&mut again).unwrap();
                    prop_assert_eq!(Order::decode(&again).map(|again| again.number), Ok(message.number));
                }
                Err(error) => {
                    prop_assert!(!error.to_string().is_empty());
                    refused.set(refused.get() + 1);
                }
            }
            Ok(())
        })
        .unwrap();
    assert!(refused.get() > 1000, "{refused:?}");
}

/// The same of payloads of fixed layout.
#[test]
fn changed_records_are_messages_or_errors() {
    let mut bytes = Vec::new();
    tick(3).encode(&mut bytes).unwrap();
    for at in 0..bytes.len() {
        for value in [0, 1, 2, 7, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[at] = value;
            if let Ok(tick) = Tick::decode(&changed) {
                assert!(tick.name.as_bytes().len() <= 6);
            }
        }
    }
    assert!(Tick::decode(&bytes[1..]).is_err());
}
