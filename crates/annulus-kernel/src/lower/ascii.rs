//! ASCII letters, as bytes.

use annulus_tree::BinaryOp;

use super::program::Expr;
use crate::typed::Scalar;

const U8: Scalar = Scalar::U8;

fn bits(byte: u8) -> Expr {
    Expr::Bits(U8, byte.into())
}

/// Whether a byte lies between two, both included.
fn within(byte: &Expr, first: u8, last: u8) -> Expr {
    let above = Expr::binary(BinaryOp::Ge, U8, byte.clone(), bits(first));
    let below = Expr::binary(BinaryOp::Le, U8, byte.clone(), bits(last));
    Expr::binary(BinaryOp::And, Scalar::Bool, above, below)
}

fn any(all: Vec<Expr>) -> Expr {
    let either = |a, b| Expr::binary(BinaryOp::Or, Scalar::Bool, a, b);
    all.into_iter().reduce(either).unwrap_or(Expr::Bits(Scalar::Bool, 0))
}

/// The result of `is_ascii_…` for a byte that may be read several times; `None` if there is no such method.
pub(super) fn question(method: &str, byte: &Expr) -> Option<Expr> {
    let is = |value: u8| Expr::binary(BinaryOp::Eq, U8, byte.clone(), bits(value));
    Some(match method {
        "is_ascii" => Expr::binary(BinaryOp::Le, U8, byte.clone(), bits(0x7F)),
        "is_ascii_alphabetic" => any(vec![within(byte, b'A', b'Z'), within(byte, b'a', b'z')]),
        "is_ascii_alphanumeric" => {
            any(vec![within(byte, b'0', b'9'), within(byte, b'A', b'Z'), within(byte, b'a', b'z')])
        }
        "is_ascii_control" => any(vec![Expr::binary(BinaryOp::Le, U8, byte.clone(), bits(0x1F)), is(0x7F)]),
        "is_ascii_digit" => within(byte, b'0', b'9'),
        "is_ascii_graphic" => within(byte, b'!', b'~'),
        "is_ascii_hexdigit" => {
            any(vec![within(byte, b'0', b'9'), within(byte, b'A', b'F'), within(byte, b'a', b'f')])
        }
        "is_ascii_lowercase" => within(byte, b'a', b'z'),
        "is_ascii_punctuation" => any(vec![
            within(byte, b'!', b'/'),
            within(byte, b':', b'@'),
            within(byte, b'[', b'`'),
            within(byte, b'{', b'~'),
        ]),
        "is_ascii_uppercase" => within(byte, b'A', b'Z'),
        "is_ascii_whitespace" => any(vec![is(b' '), is(b'\t'), is(b'\n'), is(0x0C), is(b'\r')]),
        _ => return None,
    })
}

/// The byte with the case of its letter changed.
pub(super) fn in_case(lower: bool, byte: &Expr) -> Expr {
    let (first, last) = if lower { (b'A', b'Z') } else { (b'a', b'z') };
    let changed = Expr::binary(BinaryOp::BitXor, U8, byte.clone(), bits(0x20));
    Expr::Select(Box::new(within(byte, first, last)), Box::new(changed), Box::new(byte.clone()))
}
