//! What `device_print!` generates besides a body: how the words that a device sends become text.
//!
//! On the CPU a print formats its arguments directly. A device sends the print's number and its arguments'
//! bits, one word each. The host formats them by the same text: the macro writes that text a second time,
//! into the [`PrintSite`].

use std::{fmt, sync::Arc};

/// One `device_print!` of a body.
#[derive(Clone)]
pub struct PrintSite {
    /// The source file.
    pub file: &'static str,
    /// Its line.
    pub line: u32,
    /// How many arguments it has.
    pub words: usize,
    format: Arc<Format>,
}

type Format = dyn Fn(&[u64], &mut fmt::Formatter<'_>) -> fmt::Result + Send + Sync;

impl PrintSite {
    /// Made by the macro's output.
    pub(crate) fn new<P: Words>(file: &'static str, line: u32, format: Written<P>) -> Self {
        let format = Arc::new(move |words: &[u64], f: &mut fmt::Formatter<'_>| format(P::read(words), f));
        Self { file, line, words: P::COUNT, format }
    }

    /// The text for these arguments. There should be [`words`](Self::words) of them; a missing one counts as
    /// 0.
    pub fn message<'a>(&'a self, words: &'a [u64]) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| (self.format)(words, f))
    }
}

impl fmt::Debug for PrintSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PrintSite({}:{})", self.file, self.line)
    }
}

/// How a print formats its arguments.
pub type Written<P> = fn(P, &mut fmt::Formatter<'_>) -> fmt::Result;

/// A value of type `V` that `device_print!` shows, directly or through references. The type is a parameter so
/// that rustc can infer the type of a literal from it.
#[diagnostic::on_unimplemented(
    message = "`device_print!` shows numbers and booleans, not `{Self}`",
    label = "a `{Self}`",
    note = "print its fields, or of an enum without fields its number: `value as u32`",
    note = "to keep the handler on the host, write `#[ring_kernel(cpu_only)]`"
)]
pub trait Shown<V> {}

/// A value that fits into a word.
pub trait Word: Copy + 'static {
    /// The value from the lower bits of the word.
    fn from_word(word: u64) -> Self;
}

/// The arguments of a print: `()`, or the first one and the rest.
pub trait Words: 'static {
    /// How many there are.
    const COUNT: usize;
    /// The arguments in these words.
    fn read(words: &[u64]) -> Self;
}

impl Words for () {
    const COUNT: usize = 0;

    fn read(_: &[u64]) -> Self {}
}

impl<A: Word, R: Words> Words for (A, R) {
    const COUNT: usize = 1 + R::COUNT;

    fn read(words: &[u64]) -> Self {
        let (first, others) = words.split_first().unwrap_or((&0, &[]));
        (A::from_word(*first), R::read(others))
    }
}

macro_rules! words {
    ($($ty:ty: $word:ident => $value:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl Shown<$ty> for $ty {}

        impl Word for $ty {
            fn from_word($word: u64) -> Self {
                $value
            }
        }
    )+};
}

words! {
    bool: word => word & 1 != 0;
    i8: word => word as u8 as i8;
    i16: word => word as u16 as i16;
    i32: word => word as u32 as i32;
    i64: word => word.cast_signed();
    isize: word => word.cast_signed() as isize;
    u8: word => word as u8;
    u16: word => word as u16;
    u32: word => word as u32;
    u64: word => word;
    usize: word => word as usize;
    f32: word => f32::from_bits(word as u32);
    f64: word => f64::from_bits(word);
}

#[diagnostic::do_not_recommend]
impl<V, T: Shown<V> + ?Sized> Shown<V> for &T {}

#[diagnostic::do_not_recommend]
impl<V, T: Shown<V> + ?Sized> Shown<V> for &mut T {}

#[cfg(test)]
mod tests {
    use super::*;

    type Arguments = (u8, (i32, (f32, (bool, ()))));

    fn site() -> PrintSite {
        let format = |(a, (b, (c, (d, ())))): Arguments, f: &mut fmt::Formatter<'_>| {
            write!(f, "{a:#04x} {b:+} {c:.2} {d}")
        };
        PrintSite::new::<Arguments>("some.rs", 7, format)
    }

    #[test]
    fn a_word_is_read_as_its_argument_was() {
        let words = [0xFFFF_FF0A, (-3i64).cast_unsigned(), f32::to_bits(-2.25).into(), 1];
        assert_eq!(site().words, 4);
        assert_eq!(site().message(&words).to_string(), "0x0a -3 -2.25 true");
        assert_eq!(i64::from_word(u64::MAX), -1);
        assert!(f64::from_word(f64::NAN.to_bits()).is_nan());
        assert!(f64::from_word((-0.0f64).to_bits()).is_sign_negative());
    }

    #[test]
    fn a_word_too_few_harms_nobody() {
        assert_eq!(site().message(&[255]).to_string(), "0xff +0 0.00 false");
    }
}
