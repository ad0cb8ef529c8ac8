//! Archives that are none: a handler on a device fails, and reads nothing outside of its message.

use annulus_abi::error::BAD_ARCHIVE;
use annulus_kernel::Target;

use crate::{
    kernels::KERNELS,
    samples::{HEAD, Random, archive, call, image},
    text,
};

/// Any bit is flipped, any number is replaced, the end is cut off: what is around the message decides nothing
/// about what its handler does, so no handler reads it. A wild read of far memory would end the process.
#[test]
fn malformed_archives_lead_nowhere() {
    let text = text(Target::OpenCl);
    let mut random = Random::new(11);
    let (mut failed, mut tried) = (0, 0);
    for number in 0..1_500u64 {
        let mut bytes = archive(&random.log());
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => {
                    let word = at / 4 * 4;
                    let wild = [0, u32::MAX, 0x7FFF_FFFF, 0x8000_0000, random.next() as u32];
                    let wild = wild[random.below(5) as usize].to_le_bytes();
                    let end = (word + 4).min(bytes.len());
                    bytes[word..end].copy_from_slice(&wild[..end - word]);
                }
                2 => bytes[at] = random.next() as u8,
                // The root begins elsewhere then.
                _ => bytes.truncate((at / 16 * 16).max(1)),
            }
        }
        for (index, definition) in KERNELS.iter().copied().enumerate() {
            let outcomes = [0x00, 0xFF, 0x5A].map(|rest| {
                let outcome = text.call(index, &call(definition, image(&bytes, rest), number));
                (outcome.code, outcome.outputs.bytes().to_vec(), outcome.state.bytes().to_vec())
            });
            assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{} {number}", definition.name);
            tried += 1;
            failed += u64::from(outcomes[0].0 == BAD_ARCHIVE);
        }
    }
    println!("{failed} of {tried} calls end with {BAD_ARCHIVE:#06X}");
    assert!(failed > tried / 10, "{failed} of {tried}");
}

/// Each way out of the message, by the text's offset: the failure says what it was.
#[test]
fn offsets_that_lead_out_fail() {
    let text = text(Target::OpenCl);
    let texts = KERNELS.iter().position(|kernel| kernel.name == "texts").expect("one of the kernels");
    let mut log = Random::new(3).log();
    log.text = "a text that is longer than its place".into();
    let bytes = archive(&log);
    let place = crate::layout::offset_of_text() + bytes.len() - crate::layout::root_size();
    let code = |bytes: &[u8]| text.call(texts, &call(KERNELS[texts], image(bytes, 0x41), 0)).code;
    assert_eq!(code(&bytes), 0);
    let begins = i64::try_from(place).unwrap();
    let ends = i64::try_from(bytes.len() - place).unwrap();
    let length = log.text.len() as i64;
    let with = |offset: i64| {
        let mut bytes = bytes.clone();
        bytes[place + 4..place + 8].copy_from_slice(&(offset as i32).to_le_bytes());
        code(&bytes)
    };
    for inside in [-begins, ends - length] {
        assert_eq!(with(inside), 0, "{inside}");
    }
    for outside in [-begins - 1, ends - length + 1, ends, ends + 1, i64::from(i32::MAX), i64::from(i32::MIN)]
    {
        assert_eq!(with(outside), BAD_ARCHIVE, "{outside}");
    }
    // The message is shorter than its root, or its root is not aligned.
    for length in [0, 1, crate::layout::root_size() - 1, bytes.len() - 1] {
        assert_eq!(code(&bytes[..length]), BAD_ARCHIVE, "{length}");
    }
    assert_eq!(HEAD, 16);
}
