//! Every version that this processor has, against a plain one.

use super::*;

fn all_versions() -> Vec<(&'static str, Pack, Unpack)> {
    let versions: Vec<(&'static str, Pack, Unpack)> = vec![("plain", portable::pack, portable::unpack)];
    #[cfg(target_arch = "x86_64")]
    let versions = {
        let mut versions = versions;
        if x86::has_ssse3() {
            versions.push(("by a table", x86::pack_by_table, x86::unpack_by_table));
        }
        if x86::has_vbmi2() {
            versions.push(("by a mask", x86::pack_by_mask, x86::unpack_by_mask));
        }
        versions
    };
    versions
}

/// The format as the module describes it, byte by byte.
fn model(records: &[u8], size: usize) -> Vec<u8> {
    let difference = |at: usize| records[at] ^ if at < size { 0 } else { records[at - size] };
    let mut masks = vec![0u8; records.len().div_ceil(8)];
    let mut kept = Vec::new();
    for at in 0..records.len() {
        if difference(at) != 0 {
            masks[at / 8] |= 1 << (at % 8);
            kept.push(difference(at));
        }
    }
    [masks, kept].concat()
}

/// Bytes of which about `zeros` in 8 are zero.
fn bytes(len: usize, zeros: u64, random: &mut u64) -> Vec<u8> {
    let mut next = || {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        *random
    };
    (0..len).map(|_| if next() % 8 < zeros { 0 } else { next() as u8 }).collect()
}

#[test]
fn d_05_all_versions_write_and_read_the_same_bytes() {
    let mut random = 0x9E37_79B9_7F4A_7C15;
    for (name, pack, unpack) in all_versions() {
        for len in (0..200).chain([1023, 1024, 1025, 4096, 4100]) {
            for size in [1, 5, 8, 15, 16, 20, 24, 31, 32, 48, 63, 64, 65, 96, 100, 128, 1500] {
                let records = bytes(len, (len as u64 + size as u64) % 9, &mut random);
                let mut packed = vec![1, 2, 3];
                compress_by(pack, &records, size, &mut packed);
                assert_eq!(packed[3..], model(&records, size), "{name}, {len} bytes, records of {size}");
                assert!(packed.len() - 3 <= bound(len));
                let mut back = vec![0xAA; len];
                decompress_by(unpack, &packed[3..], size, &mut back).unwrap();
                assert_eq!(back, records, "{name}, {len} bytes, records of {size}");
            }
        }
    }
}

#[test]
fn any_bytes_are_refused_by_all_versions_or_by_none() {
    let mut random = 7;
    let mut taken = 0;
    for round in 0..20_000 {
        let len = round % 150;
        let mut packed = bytes(len / 8 + 1 + round % 40, 3, &mut random);
        if round % 2 == 0 {
            // The right number of bytes after the masks.
            let masks = len.div_ceil(8).min(packed.len());
            packed.resize(masks + bits(&packed[..masks]), 0x55);
        }
        let outcomes: Vec<_> = all_versions()
            .into_iter()
            .map(|(_, _, unpack)| {
                let mut back = vec![0; len];
                decompress_by(unpack, &packed, 16, &mut back).map(|()| back)
            })
            .collect();
        assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{packed:?}");
        taken += usize::from(outcomes[0].is_ok());
    }
    assert!((1000..19_000).contains(&taken), "both happen: {taken}");
}
