//! Checksums, hashes and ciphers.

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::{Bytes, Checksum};

/// The CRC-32 of Ethernet and zip, bit by bit.
#[ring_kernel]
pub fn crc32(bytes: &Bytes, checksums: &Outbox<Checksum>) -> Result<(), Failure> {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    if bytes.len as usize > bytes.bytes.len() {
        return Err(Failure::of(1));
    }
    let mut crc = !0u32;
    for i in 0..bytes.len {
        crc ^= u32::from(bytes.bytes[usize::from(i)]);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
        }
    }
    checksums.send(Checksum { value: !crc });
    Ok(())
}

/// A block of 64 bytes, as big-endian words, of the text that the key names.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Block {
    #[ring(key)]
    pub text: u32,
    pub words: [u32; 16],
}

/// A hash value, or one on the way.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Hash {
    pub words: [u32; 8],
}

impl Default for Hash {
    /// What SHA-256 begins with.
    fn default() -> Self {
        Self {
            words: [
                0x6a09_e667,
                0xbb67_ae85,
                0x3c6e_f372,
                0xa54f_f53a,
                0x510e_527f,
                0x9b05_688c,
                0x1f83_d9ab,
                0x5be0_cd19,
            ],
        }
    }
}

#[rustfmt::skip] // A table.
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// SHA-256, block by block.
#[ring_kernel]
pub fn sha256(block: &Block, hash: &mut Hash, hashes: &Outbox<Hash>) {
    let mut w = [0u32; 64];
    for i in 0..16 {
        w[i] = block.words[i];
    }
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let mut a = hash.words[0];
    let mut b = hash.words[1];
    let mut c = hash.words[2];
    let mut d = hash.words[3];
    let mut e = hash.words[4];
    let mut f = hash.words[5];
    let mut g = hash.words[6];
    let mut h = hash.words[7];
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(K[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d.wrapping_add(t1);
        d = c;
        c = b;
        b = a;
        a = t1.wrapping_add(s0).wrapping_add(majority);
    }
    let worked = [a, b, c, d, e, f, g, h];
    for i in 0..8 {
        hash.words[i] = hash.words[i].wrapping_add(worked[i]);
    }
    hashes.send(*hash);
}

/// A hash value of 64 bits.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Digest {
    pub value: u64,
}

/// The four words that SipHash stirs.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Sip {
    pub v: [u64; 4],
}

#[device_impl]
impl Sip {
    fn of([low, high]: [u64; 2]) -> Self {
        let v = [
            low ^ 0x736f_6d65_7073_6575,
            high ^ 0x646f_7261_6e64_6f6d,
            low ^ 0x6c79_6765_6e65_7261,
            high ^ 0x7465_6462_7974_6573,
        ];
        Self { v }
    }

    fn rounds(&mut self, count: u32) {
        let [mut a, mut b, mut c, mut d] = self.v;
        for _ in 0..count {
            a = a.wrapping_add(b);
            b = b.rotate_left(13) ^ a;
            a = a.rotate_left(32);
            c = c.wrapping_add(d);
            d = d.rotate_left(16) ^ c;
            a = a.wrapping_add(d);
            d = d.rotate_left(21) ^ a;
            c = c.wrapping_add(b);
            b = b.rotate_left(17) ^ c;
            c = c.rotate_left(32);
        }
        self.v = [a, b, c, d];
    }

    fn take(&mut self, word: u64) {
        self.v[3] ^= word;
        self.rounds(2);
        self.v[0] ^= word;
    }

    fn finish(mut self) -> u64 {
        self.v[2] ^= 0xFF;
        self.rounds(4);
        self.v[0] ^ self.v[1] ^ self.v[2] ^ self.v[3]
    }
}

/// SipHash-2-4 of the bytes with a secret key.
#[ring_kernel]
pub fn sip_hash(bytes: &Bytes, key: &[u64; 2], digests: &Outbox<Digest>) -> Result<(), Failure> {
    let Some(text) = bytes.bytes.get(..usize::from(bytes.len)) else { return Err(Failure::of(1)) };
    let mut sip = Sip::of(*key);
    let mut word = 0u64;
    for (i, byte) in text.iter().enumerate() {
        word |= u64::from(*byte) << (8 * (i % 8));
        if i % 8 == 7 {
            sip.take(word);
            word = 0;
        }
    }
    sip.take(word | u64::from(bytes.len) << 56);
    digests.send(Digest { value: sip.finish() });
    Ok(())
}

/// A block of a stream cipher: which, and for which nonce.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Position {
    pub counter: u32,
    pub nonce: [u32; 3],
}

/// What a block's text is combined with.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct KeyStream {
    pub words: [u32; 16],
}

#[device_fn]
fn quarter_round(words: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    words[a] = words[a].wrapping_add(words[b]);
    words[d] = (words[d] ^ words[a]).rotate_left(16);
    words[c] = words[c].wrapping_add(words[d]);
    words[b] = (words[b] ^ words[c]).rotate_left(12);
    words[a] = words[a].wrapping_add(words[b]);
    words[d] = (words[d] ^ words[a]).rotate_left(8);
    words[c] = words[c].wrapping_add(words[d]);
    words[b] = (words[b] ^ words[c]).rotate_left(7);
}

/// A block of the ChaCha20 key stream (RFC 8439).
#[ring_kernel]
pub fn cha_cha(position: &Position, key: &[u32; 8], stream: &Outbox<KeyStream>) {
    let mut start = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    start[4..12].copy_from_slice(key);
    start[12] = position.counter;
    start[13..].copy_from_slice(&position.nonce);
    let mut words = start;
    for _ in 0..10 {
        for i in 0..4 {
            quarter_round(&mut words, i, i + 4, i + 8, i + 12);
        }
        for i in 0..4 {
            quarter_round(&mut words, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
        }
    }
    for (word, first) in words.iter_mut().zip(start) {
        *word = word.wrapping_add(first);
    }
    stream.send(KeyStream { words });
}
