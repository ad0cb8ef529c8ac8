use annulus_conformance::kernels::real::*;

use crate::{
    hashes::bytes,
    running::{Random, Running},
};

#[test]
fn utf8_is_valid_as_far_as_the_standard_library_says() {
    let mut kernel = Running::<utf8>::new();
    let mut random = Random(1);
    let mut check = |text: &[u8]| {
        let valid = match std::str::from_utf8(text) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap(),
        };
        let expected = Valid { bytes: valid.len() as u8, characters: valid.chars().count() as u8 };
        assert_eq!(kernel.answer(bytes(text)), expected, "{text:X?}");
    };
    check("Ångström, 東京, 🦀".as_bytes());
    for text in [&b"\xC0\x80"[..], b"\xED\xA0\x80", b"\xE0\x9F\xBF", b"\xF0\x8F\xBF\xBF", b"\xF4\x90\x80\x80"]
    {
        check(text);
    }
    for lead in 0..=255 {
        for next in (0..=255).step_by(5) {
            check(&[b'x', lead, next, 0x80, 0xBF, 0x80]);
            check(&[lead, next, 0xBF]);
        }
    }
    for _ in 0..500 {
        let text: Vec<u8> = (0..6)
            .filter_map(|_| char::from_u32(random.number() as u32 >> (11 + random.below(14))))
            .flat_map(|c| c.to_string().into_bytes())
            .collect();
        check(&text);
        let mut wrong = text.clone();
        if let Some(byte) = wrong.get_mut(2) {
            *byte ^= 1 << random.below(8);
        }
        check(&wrong);
    }
}

#[test]
fn json_numbers_are_those_of_the_grammar() {
    let mut kernel = Running::<json_number>::new();
    let mut token = |text: &str| kernel.answer(bytes(text.as_bytes()));
    let integer = |value, len| Token::Integer { value, len };
    let real = |digits, exponent, len| Token::Real { digits, exponent, len };
    for (text, expected) in [
        ("", Token::None),
        ("x", Token::None),
        ("-", Token::None),
        (".5", Token::None),
        ("+1", Token::None),
        ("0", integer(0, 1)),
        ("-0", integer(0, 2)),
        ("01", integer(0, 1)),
        ("42,", integer(42, 2)),
        ("-17]", integer(-17, 3)),
        ("1.", integer(1, 1)),
        ("1.x", integer(1, 1)),
        ("1.5", real(15, -1, 3)),
        ("-0.25e", real(-25, -2, 5)),
        ("1e3", real(1, 3, 3)),
        ("1E+3 ", real(1, 3, 4)),
        ("12.5e-7}", real(125, -8, 7)),
        ("1e", integer(1, 1)),
        ("1e-", integer(1, 1)),
        ("1.5e1", integer(15, 5)),
        ("9223372036854775807", integer(i64::MAX, 19)),
        ("9223372036854775808", Token::TooLong),
        ("1e99999", Token::TooLong),
    ] {
        assert_eq!(token(text), expected, "{text}");
    }
    let mut random = Random(2);
    for _ in 0..500 {
        let value = f64::from_bits(random.number());
        let text = format!("{value:e}");
        let (digits, exponent, len) = match token(&text) {
            Token::Real { digits, exponent, len } => (digits, exponent, len),
            Token::Integer { value, len } => (value, 0, len),
            token => {
                assert!(!value.is_finite(), "{text}: {token:?}");
                continue;
            }
        };
        assert_eq!(usize::from(len), text.len());
        assert_eq!(format!("{digits}e{exponent}").parse::<f64>().unwrap(), value, "{text}");
    }
}

fn words(first: &str, second: &str) -> Words {
    let mut words = Words { lens: [first.len() as u8, second.len() as u8], first: [0; 15], second: [0; 15] };
    words.first[..first.len()].copy_from_slice(first.as_bytes());
    words.second[..second.len()].copy_from_slice(second.as_bytes());
    words
}

/// The distance by its definition.
fn distance(a: &[u8], b: &[u8]) -> u32 {
    match (a, b) {
        ([], rest) | (rest, []) => rest.len() as u32,
        ([x, a @ ..], [y, b @ ..]) if x == y => distance(a, b),
        ([_, after_a @ ..], [_, after_b @ ..]) => {
            1 + distance(after_a, b).min(distance(a, after_b)).min(distance(after_a, after_b))
        }
    }
}

#[test]
fn levenshtein_is_the_definition_s() {
    let mut kernel = Running::<levenshtein>::new();
    assert_eq!(kernel.answer(words("kitten", "sitting")).value, 3);
    assert_eq!(kernel.answer(words("", "abcdefghijklmno")).value, 15);
    let mut random = Random(3);
    for _ in 0..200 {
        let [a, b] = [0, 1].map(|_| -> String {
            (0..random.below(7)).map(|_| char::from(b'a' + random.below(3) as u8)).collect()
        });
        assert_eq!(kernel.answer(words(&a, &b)).value, distance(a.as_bytes(), b.as_bytes()), "{a} {b}");
    }
}

#[test]
fn smith_waterman_finds_the_best_place() {
    let mut random = Random(4);
    let probe: [u8; 16] = std::array::from_fn(|_| b"ACGT"[random.below(4) as usize]);
    for _ in 0..20 {
        let mut strand: Vec<u8> = (0..60).map(|_| b"ACGT"[random.below(4) as usize]).collect();
        // Most of the probe, with one base missing.
        strand.splice(30..44, probe[..7].iter().chain(&probe[8..15]).copied());
        let mut table = vec![[0i32; 17]; strand.len() + 1];
        for (i, a) in strand.iter().enumerate() {
            for (j, b) in probe.iter().enumerate() {
                let step = if a == b { 2 } else { -1 };
                table[i + 1][j + 1] =
                    (table[i][j] + step).max(table[i][j + 1] - 1).max(table[i + 1][j] - 1).max(0);
            }
        }
        let best = table.iter().flatten().max().unwrap();
        assert!(*best >= 27);
        let end = table.iter().position(|row| row.contains(best)).unwrap();
        let mut kernel = Running::<smith_waterman>::with(Alignment::default()).bind(&[probe]);
        let found: Vec<_> =
            strand.iter().flat_map(|base| kernel.send(Base { strand: 2, base: *base }).unwrap()).collect();
        let expected = Alike { strand: 2, end: end as u32, score: *best as i16 };
        assert_eq!(found.last(), Some(&expected));
    }
}
