//! What was no message, and messages that the kernel did not handle, kept in a file: `annulus send --dead-letters FILE`.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use annulus::{
    DynamicDeadLetter,
    queue::{DeadLetters, Reason},
};
use serde_json::{Value, json};

use crate::{failure::Failure, format::json as written};

/// The most that is kept: as many as a store of dead letters keeps by default.
pub(crate) const MOST: u32 = DeadLetters::<()>::DEFAULT_CAPACITY as u32;

/// The most bytes that the file gets, roughly. Source: this project's choice; a bad frame may have 1 MiB.
const MOST_BYTES: u64 = 64 << 20;

/// A part of the input that is no message.
#[derive(Debug)]
pub(crate) struct BadInput {
    /// A word for it, by which it is counted.
    pub(crate) cause: &'static str,
    /// What is wrong, for people.
    pub(crate) reason: String,
    /// The input, as it came.
    pub(crate) bytes: Vec<u8>,
}

/// A file of dead letters: a line of JSON for each, until it is full.
pub(crate) struct DeadLetterFile {
    to: BufWriter<Box<dyn Write>>,
    name: String,
    kept: u64,
    bytes: u64,
    most_bytes: u64,
}

impl DeadLetterFile {
    /// A file that replaces what was there.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file = File::create(path)
            .map_err(|error| Failure::Fault(format!("--dead-letters: cannot write {name}: {error}")))?;
        Ok(Self::new(Box::new(file), name))
    }

    fn new(to: Box<dyn Write>, name: String) -> Self {
        Self { to: BufWriter::new(to), name, kept: 0, bytes: 0, most_bytes: MOST_BYTES }
    }

    /// Writes a dead letter, unless the file is full. It is in the file when this returns.
    pub(crate) fn bury(&mut self, number: u64, bad: &BadInput) -> Result<(), Failure> {
        let at = nanos(SystemTime::now());
        let mut line = json!({ "number": number, "at": at, "cause": bad.cause, "reason": bad.reason });
        match str::from_utf8(&bad.bytes) {
            Ok(text) => line["text"] = text.into(),
            Err(_) => line["hex"] = hex(&bad.bytes).into(),
        }
        self.write(&line)
    }

    /// Likewise a message that the kernel did not handle.
    pub(crate) fn bury_message(
        &mut self,
        letter: &DynamicDeadLetter,
        in_words: impl Fn(&str) -> String,
    ) -> Result<(), Failure> {
        let cause = match letter.reason {
            Reason::Expired => "expired",
            Reason::Invalid(_) => "unknown_actor",
            _ => "failed",
        };
        // An enum that a device wrote may have no valid value: then this says so.
        let message: Value = serde_json::from_str(&written(&letter.message)).unwrap_or_default();
        let reason = in_words(&letter.reason.to_string());
        self.write(&json!({ "at": nanos(letter.at), "cause": cause, "reason": reason, "message": message }))
    }

    fn write(&mut self, line: &Value) -> Result<(), Failure> {
        if self.kept == u64::from(MOST) || self.bytes >= self.most_bytes {
            return Ok(());
        }
        let line = line.to_string();
        writeln!(self.to, "{line}").and_then(|()| self.to.flush()).map_err(|error| {
            Failure::Fault(format!("--dead-letters: cannot write {}: {error}", self.name))
        })?;
        self.kept += 1;
        self.bytes += line.len() as u64 + 1;
        Ok(())
    }

    /// How many dead letters are in the file, and its name.
    pub(crate) fn kept(&self) -> (u64, &str) {
        (self.kept, &self.name)
    }
}

/// Nanoseconds since 1970 UTC.
fn nanos(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// Two digits for each byte.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xF)]).collect()
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex, PoisonError},
    };

    use serde_json::Value;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        fn lines(&self) -> Vec<Value> {
            let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
            str::from_utf8(&bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn bad(bytes: &[u8]) -> BadInput {
        BadInput { cause: "checksum", reason: "changed".into(), bytes: bytes.into() }
    }

    #[test]
    fn each_is_a_line_with_its_bytes() {
        let written = Written::default();
        let mut file = DeadLetterFile::new(Box::new(written.clone()), "bad".into());
        file.bury(3, &bad(b"{\"a\": ")).unwrap();
        file.bury(7, &bad(&[0xF1, 0xDC, 0, 9])).unwrap();
        let lines = written.lines();
        assert_eq!((&lines[0]["number"], &lines[0]["text"]), (&json!(3), &json!("{\"a\": ")));
        assert_eq!((&lines[1]["hex"], &lines[1]["cause"]), (&json!("f1dc0009"), &json!("checksum")));
        assert_eq!(file.kept(), (2, "bad"));
    }

    #[test]
    fn the_file_has_an_end() {
        let written = Written::default();
        let mut file = DeadLetterFile::new(Box::new(written.clone()), "bad".into());
        (0..u64::from(MOST) + 5).for_each(|number| file.bury(number, &bad(b"x")).unwrap());
        assert_eq!((written.lines().len() as u64, file.kept().0), (MOST.into(), MOST.into()));
        let written = Written::default();
        let mut file = DeadLetterFile::new(Box::new(written.clone()), "bad".into());
        file.most_bytes = 1 << 20;
        (0..100).for_each(|number| file.bury(number, &bad(&vec![0xFF; 1 << 15])).unwrap());
        assert_eq!(file.kept().0, 16, "two letters for each byte, and the words around them");
    }
}
