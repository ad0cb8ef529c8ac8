//! Input that ends on request, even while a read of it is blocked.

use std::{
    io::{self, BufRead, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
    time::Duration,
};

use crate::signals::Interrupt;

/// How often a wait for input checks whether it should end.
const LOOK: Duration = Duration::from_millis(50);
/// How much is read at a time, and how many such pieces wait.
const CHUNK: usize = 1 << 16;
const CHUNKS: usize = 4;
/// The longest line that is held back until it is whole.
const LONGEST: usize = 1 << 20;

/// An input that a separate thread reads. It gives whole lines, unless the input has no lines. The thread may
/// be left blocked in a read.
pub(crate) struct UntilStopped {
    chunks: Receiver<io::Result<Vec<u8>>>,
    stop: Interrupt,
    buffer: Vec<u8>,
    /// How much of the buffer has been taken.
    taken: usize,
    /// The end of its last whole line.
    whole: usize,
    ended: bool,
    /// Whether a line is given only when it is whole.
    has_lines: bool,
}

impl UntilStopped {
    /// The input until its end, or until the end is requested. After a request, lines that were read are
    /// still given, but no part of a line.
    ///
    /// # Errors
    ///
    /// If the system has no thread.
    pub(crate) fn new(mut input: impl Read + Send + 'static, stop: &Interrupt) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(CHUNKS);
        thread::Builder::new().name("input".into()).spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match input.read(&mut chunk) {
                    Ok(0) => return,
                    Ok(count) => {
                        chunk.truncate(count);
                        Ok(chunk)
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = read.is_err();
                if sender.send(read).is_err() || failed {
                    return;
                }
            }
        })?;
        Ok(Self {
            chunks,
            stop: stop.clone(),
            buffer: Vec::new(),
            taken: 0,
            whole: 0,
            ended: false,
            has_lines: true,
        })
    }

    /// Whatever has come is given at once: the input has no lines.
    pub(crate) fn without_lines(mut self) -> Self {
        self.has_lines = false;
        self
    }

    /// Appends a chunk to the part of a line that is already there.
    fn extend(&mut self, chunk: &[u8]) {
        self.buffer.drain(..self.taken);
        let before = self.buffer.len();
        self.buffer.extend_from_slice(chunk);
        self.taken = 0;
        let newline = chunk.iter().rposition(|&byte| byte == b'\n').map(|place| before + place + 1);
        self.whole = match newline {
            _ if !self.has_lines => self.buffer.len(),
            Some(end) => end,
            None if self.buffer.len() > LONGEST => self.buffer.len(),
            None => 0,
        };
    }
}

impl Read for UntilStopped {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(to)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for UntilStopped {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.taken == self.whole && !self.ended {
            if self.stop.is_asked() {
                self.ended = true;
                self.stop.end_input();
                break;
            }
            match self.chunks.recv_timeout(LOOK) {
                Ok(Ok(chunk)) => self.extend(&chunk),
                Ok(Err(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {}
                // The last line may lack its end.
                Err(RecvTimeoutError::Disconnected) => {
                    self.ended = true;
                    self.whole = self.buffer.len();
                }
            }
        }
        Ok(&self.buffer[self.taken..self.whole])
    }

    fn consume(&mut self, count: usize) {
        self.taken = self.whole.min(self.taken + count);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Gives what a test sends, piece by piece, and waits in between.
    struct Pieces(Receiver<&'static str>);

    impl Read for Pieces {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            match self.0.recv() {
                Ok("fails") => Err(io::Error::other("told to")),
                Ok(piece) => piece.as_bytes().read(to),
                Err(_) => Ok(0),
            }
        }
    }

    fn input() -> (Sender<&'static str>, Interrupt, UntilStopped) {
        let (sender, receiver) = channel();
        let stop = Interrupt::default();
        let input = UntilStopped::new(Pieces(receiver), &stop).unwrap();
        (sender, stop, input)
    }

    fn line(input: &mut UntilStopped) -> String {
        let mut line = String::new();
        input.read_line(&mut line).unwrap();
        line
    }

    #[test]
    fn lines_come_as_they_were_written() {
        let (sender, _stop, mut input) = input();
        for piece in ["o", "ne\ntw", "o\n", "\nthree"] {
            sender.send(piece).unwrap();
        }
        drop(sender);
        let lines: Vec<_> =
            std::iter::from_fn(|| Some(line(&mut input)).filter(|line| !line.is_empty())).collect();
        assert_eq!(lines, ["one\n", "two\n", "\n", "three"]);
        assert_eq!(line(&mut input), "", "it stays ended");
    }

    #[test]
    fn an_end_that_is_asked_for_gives_no_part_of_a_line() {
        let (sender, stop, mut input) = input();
        sender.send("whole\nhal").unwrap();
        assert_eq!(line(&mut input), "whole\n");
        stop.ask();
        assert_eq!(line(&mut input), "");
        sender.send("f\n").unwrap();
        assert_eq!(line(&mut input), "", "it stays ended");
    }

    #[test]
    fn a_read_that_waits_is_given_up() {
        let (_sender, stop, mut input) = input();
        let waits = thread::spawn(move || line(&mut input));
        stop.ask();
        assert_eq!(waits.join().unwrap(), "");
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let stop = Interrupt::default();
        let mut input = UntilStopped::new(io::repeat(b'x'), &stop).unwrap();
        let mut read = 0;
        while read < 8 * LONGEST {
            let count = input.fill_buf().unwrap().len();
            assert!(count <= LONGEST + CHUNK, "{count}");
            input.consume(count);
            read += count;
        }
    }

    #[test]
    fn a_failed_read_is_told_once_and_then_it_ends() {
        let (sender, _stop, mut input) = input();
        sender.send("one\n").unwrap();
        sender.send("fails").unwrap();
        assert_eq!(line(&mut input), "one\n");
        assert_eq!(input.fill_buf().unwrap_err().to_string(), "told to");
        assert_eq!(line(&mut input), "");
    }
}
