//! SHA-256 of several texts at once: an actor per text, which takes it block by block.
//!
//! `cargo run -p annulus --example sha256 -- [cpu|opencl]`
//!
//! Messages of one producer for one actor are handled in the order in which they were sent, so the blocks of a text can be sent
//! without waiting, while those of the other texts come in between. `printf abc | sha256sum` shows the same.

mod common;

use annulus::prelude::*;

/// 64 bytes of a text as big-endian words.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Block {
    #[ring(key)]
    text: u32,
    last: bool,
    words: [u32; 16],
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Digest {
    text: u32,
    words: [u32; 8],
}

/// The hash of what came so far.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Hash {
    words: [u32; 8],
}

impl Default for Hash {
    fn default() -> Self {
        let words = [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ];
        Self { words }
    }
}

/// A table: constants are captured when the kernel is launched.
#[rustfmt::skip]
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

#[ring_kernel(mode = Batch)]
fn sha256(block: &Block, hash: &mut Hash, digests: &Outbox<Digest>) {
    let mut w = [0u32; 64];
    w[..16].copy_from_slice(&block.words);
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let mut v = hash.words;
    for (k, w) in K.iter().zip(w) {
        let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
        let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
        let t1 = v[7].wrapping_add(s1).wrapping_add(choice).wrapping_add(*k).wrapping_add(w);
        let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
        let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        let t2 = s0.wrapping_add(majority);
        v = [t1.wrapping_add(t2), v[0], v[1], v[2], v[3].wrapping_add(t1), v[4], v[5], v[6]];
    }
    for (word, worked) in hash.words.iter_mut().zip(v) {
        *word = word.wrapping_add(worked);
    }
    if block.last {
        digests.send(Digest { text: block.text, words: hash.words });
    }
}

/// A text's blocks, with its end and its length as the standard wants them.
fn blocks(number: u32, text: &[u8]) -> Vec<Block> {
    let mut padded = text.to_vec();
    padded.push(0x80);
    padded.resize((text.len() + 9).next_multiple_of(64) - 8, 0);
    padded.extend((text.len() as u64 * 8).to_be_bytes());
    let count = padded.len() / 64;
    let blocks = padded.chunks(64).enumerate().map(|(i, bytes)| {
        let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Block { text: number, last: i + 1 == count, words: std::array::from_fn(|i| word(4 * i)) }
    });
    blocks.collect()
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let million = "a".repeat(1_000_000);
        let texts = ["", "abc", "The quick brown fox jumps over the lazy dog", &million];
        let kernel = sha256::launch(runtime, LaunchOptions::production().actors(texts.len() as u64))?;
        for (number, text) in texts.iter().enumerate() {
            kernel.send_batch_blocking(&blocks(number as u32, text.as_bytes()))?;
        }
        let mut digests = [[0; 8]; 4];
        for _ in texts {
            let digest = kernel.recv_blocking()?;
            digests[digest.text as usize] = digest.words;
        }
        for (text, digest) in texts.iter().zip(digests) {
            let hex: String = digest.iter().map(|word| format!("{word:08x}")).collect();
            let start: String = text.chars().take(43).collect();
            println!("{hex}  {start:?}{}", if text.len() > 43 { " …" } else { "" });
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
