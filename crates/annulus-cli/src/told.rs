//! What is said on standard error. It is held back as long as a table has the terminal that it would be written to.

use std::{
    io::{self, Write},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::top::printable;

/// The most bytes that are held back. Source: this project's choice; far more than anybody reads at the end.
const MOST: usize = 1 << 20;

/// What is held back, if anything is.
static HELD: Mutex<Option<Held>> = Mutex::new(None);

#[derive(Default)]
struct Held {
    text: Vec<u8>,
    /// Bytes for which there was no room.
    lost: u64,
}

fn held() -> MutexGuard<'static, Option<Held>> {
    // Whole texts, each added at once.
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Standard error, where texts go when nothing holds them back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told;

impl Write for Told {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = held();
        let Some(held) = &mut *held else { return io::stderr().write(bytes) };
        match held.text.len() + bytes.len() <= MOST {
            true => held.text.extend_from_slice(bytes),
            false => held.lost += bytes.len() as u64,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// A line about this run. If even standard error is gone, the rest goes on all the same.
pub(crate) fn tell(what: &str) {
    // In one piece: other threads may say something, too.
    let _ = Told.write_all(format!("annulus: {}\n", printable(what)).as_bytes());
}

/// Holds back what is said, until [`release`].
pub(crate) fn hold() {
    held().get_or_insert_default();
}

/// Says what was held back, and holds nothing back any more.
pub(crate) fn release() {
    let Some(Held { text, lost }) = mem::take(&mut *held()) else { return };
    let _ = io::stderr().write_all(&text);
    if lost != 0 {
        tell(&format!("{lost} more bytes of messages were not kept while the table was shown"));
    }
}

/// Whether something is held back.
pub(crate) fn is_holding() -> bool {
    held().is_some()
}
