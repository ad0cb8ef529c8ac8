//! What every line-based reader needs: an end to the last line, and a limit to the length of a row.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

/// A row longer than this is refused: it is not a reading, but perhaps a quote that was never closed.
pub(crate) const MAX_ROW: usize = 1 << 20;

/// Bytes on their way to the CSV reader: the last line gets an end, and a row that never ends becomes an
/// error.
pub(crate) struct Lines<R> {
    bytes: R,
    /// Whether the last byte read was the end of a line, or none was read.
    ends_line: bool,
    /// Bytes read since the last row was complete.
    unfinished: Rc<Cell<usize>>,
}

impl<R> Lines<R> {
    /// The code that finds rows in the bytes sets `unfinished` to 0 after each row.
    pub(crate) fn new(bytes: R, unfinished: Rc<Cell<usize>>) -> Self {
        Self { bytes, ends_line: true, unfinished }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.unfinished.get() > MAX_ROW {
            return Err(io::Error::other(RowTooLong));
        }
        let mut count = self.bytes.read(buffer)?;
        if count == 0 && !self.ends_line && !buffer.is_empty() {
            buffer[0] = b'\n';
            count = 1;
        }
        if let Some(&last) = buffer[..count].last() {
            self.ends_line = last == b'\n';
        }
        self.unfinished.set(self.unfinished.get() + count);
        Ok(count)
    }
}

/// A row exceeds [`MAX_ROW`].
#[derive(Debug)]
pub(crate) struct RowTooLong;

impl fmt::Display for RowTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "longer than {} MiB", MAX_ROW >> 20)
    }
}

impl std::error::Error for RowTooLong {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_gets_an_end_where_it_has_none() {
        for (bytes, lines) in [("", ""), ("a", "a\n"), ("a\n", "a\n"), ("a\nb", "a\nb\n")] {
            let mut text = String::new();
            Lines::new(bytes.as_bytes(), Rc::default()).read_to_string(&mut text).unwrap();
            assert_eq!(text, lines);
        }
    }

    #[test]
    fn only_a_row_that_never_ends_is_an_error() {
        let unfinished = Rc::new(Cell::new(0));
        let mut lines = Lines::new(io::repeat(b'x'), Rc::clone(&unfinished));
        let mut buffer = [0; 4096];
        for _ in 0..10 * MAX_ROW / buffer.len() {
            lines.read_exact(&mut buffer).unwrap();
            unfinished.set(0);
        }
        let error = io::copy(&mut lines, &mut io::sink()).unwrap_err();
        assert!(error.get_ref().is_some_and(|error| error.is::<RowTooLong>()));
    }
}
