//! Streams of frames.

use annulus::message::{
    Compression, FrameReader, FrameWriter, Message, Payload, ReadError,
    header::{HEADER_SIZE, Header},
};

use crate::samples::{Order, Tick, order, tick};

/// W-10, W-11, DECISIONS 8: the header's size, its magic number, and where its first fields stand.
#[test]
fn the_header_is_the_specifications() {
    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(&mut stream).between(0x0102_0304, 0x0506_0708);
    writer.write(&order(1)).unwrap();
    let counters = writer.counters();
    assert_eq!((counters.frames, counters.messages), (1, 1));
    assert_eq!(counters.bytes, stream.len() as u64);
    let payload = order(1).payload_size();
    let header: &[u8; HEADER_SIZE] = stream[stream.len() - payload - HEADER_SIZE..].first_chunk().unwrap();
    assert_eq!(HEADER_SIZE, 256);
    assert_eq!(header[..4], 0xDCF1_u32.to_le_bytes());
    assert_eq!(header[4..12], (payload as u64).to_le_bytes());
    assert_eq!(header[12..20], 1_700_000_000_000_000_000_u64.to_le_bytes());
    assert_eq!(header[20..28], [4, 3, 2, 1, 8, 7, 6, 5]);
    let header = Header::from_bytes(header).unwrap();
    assert_eq!((header.key, header.id, header.priority, header.timed), (Some(7), Some(1), 200, true));
    assert_eq!((&*header.name, header.version, header.sequence), ("Order", 3, 1));
    assert_eq!(header.root as usize, Order::ROOT_SIZE);
    assert_eq!(Header::from_bytes(&header.to_bytes()), Ok(header));
}

/// W-08, W-11: types of both kinds in one stream, single and in batches, compressed or not.
#[test]
fn streams_are_read_as_they_were_written() {
    for threshold in [None, Some(0), Some(256)] {
        let mut stream = Vec::new();
        let mut writer = FrameWriter::new(&mut stream);
        if let Some(threshold) = threshold {
            writer = writer.compressed(threshold);
        }
        let ticks: Vec<_> = (0..1000).map(tick).collect();
        for number in 0..10 {
            writer.write(&order(number)).unwrap();
        }
        writer.write_batch(&ticks).unwrap();
        writer.write_batch(&[order(10), order(11)]).unwrap();
        writer.write(&tick(7)).unwrap();
        writer.write_batch::<Tick>(&[]).unwrap();
        assert_eq!(writer.counters().messages, 1013);

        let mut reader = FrameReader::new(&stream[..]);
        let (mut orders, mut read, mut compressed) = (Vec::new(), Vec::new(), 0);
        while let Some(frame) = reader.read().unwrap() {
            compressed += u32::from(frame.header().compression != Compression::None);
            match &*frame.header().name {
                "Order" => {
                    let message: Order = frame.message().unwrap();
                    assert_eq!(frame.access::<Order>().unwrap().number, message.number);
                    orders.push(message);
                }
                _ => read.extend(frame.messages::<Tick>().unwrap().map(Result::unwrap)),
            }
        }
        assert_eq!(orders, (0..12).map(order).collect::<Vec<_>>());
        assert_eq!(read[..1000], ticks);
        assert_eq!(read[1000..], [tick(7)]);
        assert_eq!(compressed > 0, threshold.is_some());
        assert_eq!(reader.counters().messages, 1013);
        assert_eq!(reader.counters().bytes, stream.len() as u64);
    }
}

/// D-05: batches of structured messages become at least half as small.
#[test]
fn batches_of_records_become_small() {
    let mut stream = Vec::new();
    let mut writer = FrameWriter::new(&mut stream).compressed(256);
    writer.write_batch(&(0..512).map(tick).collect::<Vec<_>>()).unwrap();
    let mut reader = FrameReader::new(&stream[..]);
    let frame = reader.read().unwrap().unwrap();
    let header = frame.header();
    assert_eq!(header.compression, Compression::Delta);
    assert!(header.size * 2 < header.plain, "{header:?}");
}

/// W-11: several streams, one after the other, are one.
#[test]
fn streams_can_be_joined() {
    let mut stream = Vec::new();
    for number in 0..3 {
        let mut one = Vec::new();
        FrameWriter::new(&mut one).write(&order(number)).unwrap();
        stream.extend(one);
    }
    let mut reader = FrameReader::new(&stream[..]);
    for number in 0..3 {
        assert_eq!(reader.read().unwrap().unwrap().message::<Order>().unwrap(), order(number));
    }
    assert!(reader.read().unwrap().is_none());
}

/// A frame of several messages is not taken for one.
#[test]
fn one_of_several_is_not_given() {
    let mut stream = Vec::new();
    FrameWriter::new(&mut stream).write_batch(&[tick(1), tick(2)]).unwrap();
    let mut reader = FrameReader::new(&stream[..]);
    let frame = reader.read().unwrap().unwrap();
    assert!(matches!(frame.message::<Tick>(), Err(ReadError::Several(2))));
    assert_eq!(frame.messages::<Tick>().unwrap().count(), 2);
}
