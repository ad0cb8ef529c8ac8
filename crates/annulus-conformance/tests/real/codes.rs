use annulus_conformance::kernels::real::*;

use crate::{
    hashes::bytes,
    running::{Random, Running},
};

fn letters(text: &[u8]) -> Letters {
    let mut letters = [0; 44];
    letters[..text.len()].copy_from_slice(text);
    Letters { len: text.len() as u8, letters }
}

#[test]
fn run_length_expands_again() {
    let mut kernel = Running::<run_length>::new();
    let mut random = Random(1);
    for _ in 0..200 {
        let text: Vec<u8> = (0..random.below(32)).map(|_| b'a' + random.below(2) as u8).collect();
        let runs = kernel.send(bytes(&text)).unwrap();
        assert!(runs.windows(2).all(|pair| pair[0].byte != pair[1].byte));
        let expanded: Vec<u8> = runs.iter().flat_map(|run| vec![run.byte; usize::from(run.count)]).collect();
        assert_eq!(expanded, text);
    }
}

/// RFC 4648, section 10.
const VECTORS: [(&str, &str); 7] = [
    ("", ""),
    ("f", "Zg=="),
    ("fo", "Zm8="),
    ("foo", "Zm9v"),
    ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
];

#[test]
fn base64_knows_the_standard_s_vectors() {
    let mut encode = Running::<base64_encode>::new();
    let mut decode = Running::<base64_decode>::new();
    for (plain, coded) in VECTORS {
        let text = encode.answer(bytes(plain.as_bytes()));
        assert_eq!(&text.letters[..usize::from(text.len)], coded.as_bytes());
        let Bytes { len, bytes } = bytes(plain.as_bytes());
        assert_eq!(decode.answer(letters(coded.as_bytes())), Decoded::Bytes { len, bytes });
    }
    assert_eq!(encode.send(Bytes { len: 32, bytes: [0; 31] }), Err(TOO_SHORT.code()));
}

#[test]
fn base64_goes_there_and_back() {
    let mut encode = Running::<base64_encode>::new();
    let mut decode = Running::<base64_decode>::new();
    let mut random = Random(2);
    for _ in 0..300 {
        let mut text = random.bytes::<31>();
        let len = random.below(31) as usize;
        text[len..].fill(0);
        let coded = encode.answer(Bytes { len: len as u8, bytes: text });
        assert_eq!(decode.answer(coded), Decoded::Bytes { len: len as u8, bytes: text });
    }
}

#[test]
fn base64_says_where_it_is_wrong() {
    let mut decode = Running::<base64_decode>::new();
    for (text, at) in [("Zm9v!mFy", 4), ("Zg==Zg==", 2), ("Z===", 1), ("Zm9vY", 5), ("Zg=v", 3), ("====", 0)]
    {
        assert_eq!(decode.answer(letters(text.as_bytes())), Decoded::Wrong { at }, "{text}");
    }
}

#[test]
fn varints_decode_what_was_encoded() {
    let mut kernel = Running::<varints>::new();
    let mut random = Random(3);
    for _ in 0..300 {
        let mut text = Vec::new();
        let mut numbers = Vec::new();
        loop {
            let number = random.number() >> random.below(64);
            let mut coded = Vec::new();
            let mut rest = number;
            while rest >= 0x80 {
                coded.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            coded.push(rest as u8);
            if text.len() + coded.len() > 31 {
                break;
            }
            text.extend(coded);
            numbers.push(Decimal { value: number });
        }
        assert_eq!(kernel.send(bytes(&text)), Ok(numbers));
        if text.len() > 1 {
            text.push(0x80);
            text.remove(0);
            assert_eq!(kernel.send(bytes(&text)), Err(UNFINISHED.code()));
        }
    }
    let greatest = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
    assert_eq!(kernel.send(bytes(&greatest)), Ok(vec![Decimal { value: u64::MAX }]));
    let beyond = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02];
    assert_eq!(kernel.send(bytes(&beyond)), Err(TOO_LARGE.code()));
}

/// A block of LZ4 as its specification says, with the longest matches that a search from the front finds.
fn lz4_pack(text: &[u8]) -> Vec<u8> {
    fn length(packed: &mut Vec<u8>, length: usize) -> u8 {
        if length < 15 {
            return length as u8;
        }
        packed.extend(std::iter::repeat_n(255, (length - 15) / 255));
        packed.push(((length - 15) % 255) as u8);
        15
    }
    let (mut packed, mut at, mut literals) = (Vec::new(), 0, 0);
    while at < text.len() {
        let matched = |from: usize| text[from..].iter().zip(&text[at..]).take_while(|(a, b)| a == b).count();
        let best = (0..at).map(|from| (matched(from), from)).max().filter(|(length, _)| *length >= 4);
        // The last five bytes are literals.
        let best = best.map(|(length, from)| (length.min((text.len() - at).saturating_sub(5)), from));
        let Some((matched, from)) = best.filter(|(length, _)| *length >= 4) else {
            at += 1;
            continue;
        };
        let token = packed.len();
        packed.push(0);
        let high = length(&mut packed, at - literals);
        packed.extend(&text[literals..at]);
        packed.extend(((at - from) as u16).to_le_bytes());
        let low = length(&mut packed, matched - 4);
        packed[token] = high << 4 | low;
        at += matched;
        literals = at;
    }
    let token = packed.len();
    packed.push(0);
    let high = length(&mut packed, text.len() - literals);
    packed[token] = high << 4;
    packed.extend(&text[literals..]);
    packed
}

#[test]
fn lz4_unpacks_what_was_packed() {
    let mut kernel = Running::<lz4>::new();
    let mut random = Random(4);
    let mut packed_well = 0;
    for n in 0..400 {
        let text: Vec<u8> = (0..random.below(65)).map(|_| b'a' + random.below(1 + n % 3) as u8).collect();
        let packed = lz4_pack(&text);
        if packed.len() > 31 {
            continue;
        }
        packed_well += u32::from(packed.len() < text.len());
        let out = kernel.answer(bytes(&packed));
        assert!(out.whole, "{packed:X?}");
        assert_eq!(&out.bytes[..usize::from(out.len)], text);
        // Without its last byte it is not whole, unless that was the last sequence's token.
        let short = kernel.answer(bytes(&packed[..packed.len() - 1]));
        assert!(!short.whole, "{packed:X?}");
    }
    assert!(packed_well > 100, "{packed_well}");
    assert!(!kernel.answer(bytes(&[0x10, b'a', 2, 0, 0])).whole, "before the beginning");
    assert!(!kernel.answer(bytes(&[0x10, b'a', 0, 0, 0])).whole, "no offset");
    assert!(!kernel.answer(bytes(&[0x1F, b'a', 1, 0, 60, 0])).whole, "too long");
}

#[test]
fn huffman_decodes_what_was_encoded() {
    // RFC 1951, 3.2.2: codes of one length are consecutive, shorter ones come first.
    let mut codes = Vec::new();
    let mut code = 0u32;
    for (length, count) in CODES.into_iter().enumerate().skip(1) {
        code <<= 1;
        for _ in 0..count {
            codes.push((code, length));
            code += 1;
        }
    }
    assert_eq!(codes.len(), SYMBOLS.len());
    assert_eq!(codes.iter().map(|(_, length)| 0.5f64.powi(*length as i32)).sum::<f64>(), 1.0);
    let mut kernel = Running::<huffman>::new();
    let mut random = Random(5);
    for _ in 0..300 {
        let (mut bits, mut text) = (Vec::new(), Vec::new());
        for _ in 0..random.below(44) {
            let symbol = random.below(8) as usize;
            let (code, length) = codes[symbol];
            bits.extend((0..length).rev().map(|i| (code >> i & 1) as u8));
            text.push(SYMBOLS[symbol]);
        }
        // What fills the last byte begins the longest code, and ends none.
        bits.resize(bits.len().next_multiple_of(8), 1);
        let coded: Vec<u8> =
            bits.chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)).collect();
        if coded.len() > 31 {
            continue;
        }
        let found = kernel.answer(bytes(&coded));
        let found = &found.letters[..usize::from(found.len)];
        assert_eq!(&found[..text.len()], text);
        assert!(found.len() <= text.len() + 1);
    }
}

#[test]
fn reed_solomon_finds_where_a_byte_is_wrong() {
    // The field's logarithms, from its powers of 2.
    let mut powers = [0u8; 255];
    let mut power = 1u16;
    for place in &mut powers {
        *place = power as u8;
        power <<= 1;
        if power > 255 {
            power ^= 0x11D;
        }
    }
    let logarithm = |x: u8| powers.iter().position(|power| *power == x).unwrap();
    let product = |a: u8, b: u8| {
        if a == 0 || b == 0 { 0 } else { powers[(logarithm(a) + logarithm(b)) % 255] }
    };
    assert!((0..=255).all(|a| (0..=255).step_by(7).all(|b| gf_product(a, b) == product(a, b))));
    // The polynomial whose roots are the first four powers of 2; its highest factor is 1.
    let mut generator = vec![1u8];
    for root in &powers[..4] {
        let mut next = generator.clone();
        next.push(0);
        for (i, factor) in generator.iter().enumerate() {
            next[i + 1] ^= product(*factor, *root);
        }
        generator = next;
    }
    let mut kernel = Running::<reed_solomon>::new();
    let mut random = Random(6);
    for _ in 0..50 {
        let message: [u8; 27] = random.bytes();
        let mut rest = [&message[..], &[0; 4]].concat();
        for at in 0..27 {
            let factor = rest[at];
            for (i, by) in generator.iter().enumerate() {
                rest[at + i] ^= product(factor, *by);
            }
        }
        let mut word = [0; 31];
        word[..27].copy_from_slice(&message);
        word[27..].copy_from_slice(&rest[27..]);
        assert_eq!(kernel.answer(bytes(&word)).values, [0; 4]);
        let (at, error) = (random.below(31) as usize, 1 + random.below(255) as u8);
        word[at] ^= error;
        let found = kernel.answer(bytes(&word)).values;
        assert_eq!(found[0], error);
        assert_eq!((logarithm(found[1]) + 255 - logarithm(found[0])) % 255, 30 - at);
    }
}
