//! Any bytes as a stream of frames: as they are, and with headers whose checksums are right, so that what
//! lies behind these is reached: sizes, schemas, compressed payloads, messages of other types.
//!
//! `cargo +nightly fuzz run message_frames` in the directory above.
#![no_main]

use annulus::message::{
    Compression, Content, Encoding, FrameReader, Header, Payload, TypeName, WireType, header::checksum,
};

#[path = "../../crates/annulus-message/tests/all/samples.rs"]
mod samples;

fn read(stream: &[u8]) {
    let mut reader = FrameReader::new(stream);
    loop {
        match reader.read() {
            Ok(None) => return,
            Ok(Some(frame)) => {
                let _ = frame.access::<samples::Order>().map(|order| order.text.len());
                let _ = frame.message::<samples::Order>();
                if let Ok(ticks) = frame.messages::<samples::Tick>() {
                    let _ = ticks.filter(Result::is_ok).count();
                }
            }
            Err(error) if error.is_passed_over() => {}
            Err(_) => return,
        }
    }
}

/// Frames whose fields the bytes choose, and whose checksums are right.
fn framed(mut bytes: &[u8]) -> Vec<u8> {
    let types = [WireType::of::<samples::Order>(), WireType::of::<samples::Tick>()];
    let mut stream = Vec::new();
    while let Some((control, rest)) = bytes.split_first_chunk::<8>() {
        let (payload, rest) =
            rest.split_at(rest.len().min(u16::from_le_bytes([control[0], control[1]]).into()));
        bytes = rest;
        let ty = &types[usize::from(control[2] & 1)];
        let content = if control[2] & 2 == 0 { Content::Messages } else { Content::Schema };
        let payload = if content == Content::Schema && control[2] & 4 != 0 { ty.json() } else { payload };
        let header = Header {
            size: payload.len() as u64,
            time: 0,
            timed: false,
            sender: 0,
            receiver: 0,
            content,
            encoding: if control[2] & 8 == 0 { ty.schema().encoding } else { Encoding::Direct },
            compression: [Compression::None, Compression::Lz4, Compression::Delta]
                [usize::from(control[3] % 3)],
            priority: control[3],
            key: None,
            id: None,
            version: 0,
            schema: if content == Content::Schema { checksum(payload) } else { ty.hash() },
            sequence: 0,
            plain: match control[4] & 3 {
                0 => payload.len() as u64,
                1 => u64::from(control[5]) * samples::Tick::ROOT_SIZE as u64,
                _ => u64::from(u16::from_le_bytes([control[5], control[6]])),
            },
            count: u32::from(control[7] % 16),
            root: if control[4] & 4 == 0 { ty.root_size() } else { control[6].into() },
            checksum: checksum(payload),
            name: TypeName::new(&ty.schema().name),
        };
        stream.extend_from_slice(&header.to_bytes());
        stream.extend_from_slice(payload);
    }
    stream
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&framed(bytes));
    let _ = (samples::order, samples::tick);
});
