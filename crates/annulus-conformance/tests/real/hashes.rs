use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

pub(crate) fn bytes(text: &[u8]) -> Bytes {
    let mut bytes = [0; 31];
    bytes[..text.len()].copy_from_slice(text);
    Bytes { len: text.len() as u8, bytes }
}

#[test]
fn crc32_knows_the_check_value() {
    let mut kernel = Running::<crc32>::new();
    assert_eq!(kernel.answer(bytes(b"123456789")).value, 0xCBF4_3926);
    assert_eq!(kernel.answer(bytes(b"")).value, 0);
    assert_eq!(kernel.answer(bytes(b"The quick brown fox")).value, 0xB74574DE);
}

/// FIPS 180-4's examples, one block and two.
#[test]
fn sha256_knows_the_standard_s_examples() {
    let blocks = |text: &[u8]| -> Vec<Block> {
        let mut padded = text.to_vec();
        padded.push(0x80);
        padded.resize((text.len() + 9).next_multiple_of(64) - 8, 0);
        padded.extend((text.len() as u64 * 8).to_be_bytes());
        let word = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().unwrap());
        padded
            .chunks(64)
            .map(|block| Block { text: 0, words: std::array::from_fn(|i| word(&block[4 * i..4 * i + 4])) })
            .collect()
    };
    let hash = |text: &[u8]| {
        let mut kernel = Running::<sha256>::with(Hash::default());
        blocks(text).into_iter().map(|block| kernel.answer(block).words).last().unwrap()
    };
    assert_eq!(
        hash(b"abc"),
        [0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad]
    );
    assert_eq!(
        hash(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
        [0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039, 0xa33ce459, 0x64ff2167, 0xf6ecedd4, 0x19db06c1]
    );
}

/// The vectors of SipHash's reference implementation, and the standard library's hasher, which is SipHash-1-3
/// and so no model.
#[test]
fn sip_hash_knows_the_reference_vectors() {
    let key: [u8; 16] = std::array::from_fn(|i| i as u8);
    let key = [0, 8].map(|at| u64::from_le_bytes(key[at..at + 8].try_into().unwrap()));
    let mut kernel = Running::<sip_hash>::new().bind(&[key]);
    let text: [u8; 31] = std::array::from_fn(|i| i as u8);
    assert_eq!(kernel.answer(bytes(&text[..0])).value, 0x726f_db47_dd0e_0e31);
    assert_eq!(kernel.answer(bytes(&text[..1])).value, 0x74f8_39c5_93dc_67fd);
    assert_eq!(kernel.answer(bytes(&text[..15])).value, 0xa129_ca61_49be_45e5);
    assert_eq!(kernel.send(Bytes { len: 32, bytes: text }), Err(1));
}

/// RFC 8439, 2.3.2.
#[test]
fn cha_cha_knows_the_standard_s_block() {
    let key: [u32; 8] = std::array::from_fn(|i| u32::from_le_bytes([0, 1, 2, 3].map(|b| b + 4 * i as u8)));
    let mut kernel = Running::<cha_cha>::new().bind(&[key]);
    let stream = kernel.answer(Position { counter: 1, nonce: [0x0900_0000, 0x4a00_0000, 0] });
    #[rustfmt::skip] // A table.
    assert_eq!(stream.words, [
        0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
        0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9, 0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2,
    ]);
}

/// A changed bit changes a checksum of 32 bits always.
#[test]
fn crc32_finds_single_bits() {
    let mut kernel = Running::<crc32>::new();
    let text: [u8; 31] = Random(5).bytes();
    let right = kernel.answer(bytes(&text));
    for bit in 0..31 * 8 {
        let mut wrong = text;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(kernel.answer(bytes(&wrong)), right, "bit {bit}");
    }
}
