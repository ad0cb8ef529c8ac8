//! Any bytes as records that become differences and come back, and as differences of records.
//!
//! `cargo +nightly fuzz run message_records` in the directory above.
#![no_main]

use annulus::message::delta;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&[size, low, high], bytes)) = bytes.split_first_chunk::<3>() else { return };
    let size = usize::from(size) + 1;
    let mut packed = Vec::new();
    delta::compress(bytes, size, &mut packed);
    let mut back = vec![0xAA; bytes.len()];
    delta::decompress(&packed, size, &mut back).unwrap();
    assert_eq!(back, bytes);
    let mut any = vec![0; u16::from_le_bytes([low, high]).into()];
    if delta::decompress(bytes, size, &mut any).is_ok() {
        let mut again = Vec::new();
        delta::compress(&any, size, &mut again);
        assert!(again.len() <= bytes.len());
    }
});
