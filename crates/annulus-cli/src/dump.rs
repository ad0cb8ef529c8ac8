//! `annulus dump FILE`: what a stream of frames holds.

use std::{
    io::{self, BufReader, Read, Write},
    path::PathBuf,
};

use annulus::message::{Encoding, Frame, FrameCounters, FrameReader, ReadError};
use clap::Args;

use crate::{failure::Failure, send::opened};

/// Show messages that were written to a file or a pipe as frames
///
/// Each frame is a line: its number, the type, how many messages, bytes, how it is compressed, and what its
/// header says of the message; then the payload's beginning. The schema of a type comes before its first
/// message. A frame that was changed on the way is reported, and the next one is shown.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Dump {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,

    /// Print no payloads
    #[arg(long)]
    headers: bool,
}

const EXAMPLES: &str = r#"Examples:
  See what a kernel sends:
      annulus send anomalies --actors 8 --bind 'limits={"threshold": 3}' --output-format wire < lines.json | annulus dump -

Exit codes:
  0  every frame is whole, or nobody reads standard output any more
  1  a frame is not, or the file cannot be read
  2  the command line is at fault"#;

/// Bytes of a payload that are shown.
const SHOWN: usize = 48;

impl Dump {
    pub(crate) fn execute(self) -> Result<(), Failure> {
        let input: Box<dyn Read> = match self.input.as_os_str() == "-" {
            true => Box::new(io::stdin().lock()),
            false => Box::new(opened(&self.input)?),
        };
        let mut frames = FrameReader::new(BufReader::new(input));
        let mut out = io::BufWriter::new(io::stdout().lock());
        let mut announced = Vec::new();
        let mut refused = None;
        loop {
            let shown = match frames.read() {
                Ok(None) => break,
                Ok(Some(frame)) => self.show(&mut out, &frame, &mut announced),
                Err(error) if error.is_passed_over() => {
                    let shown = writeln!(out, "refused: {error}");
                    refused = Some(error);
                    shown
                }
                Err(error) => {
                    out.flush().map_err(Failure::stdout)?;
                    return Err(Failure::Fault(self.told_of_no_frame(&error, &frames.counters())));
                }
            };
            shown.map_err(Failure::stdout)?;
        }
        let counters = frames.counters();
        let sum = format!(
            "{} messages in {} frames, {} bytes of payloads in {} of the stream, {} refused",
            counters.messages, counters.frames, counters.plain_bytes, counters.bytes, counters.refused
        );
        writeln!(out, "{sum}").and_then(|()| out.flush()).map_err(Failure::stdout)?;
        refused.map_or(Ok(()), |error| Err(Failure::Fault(self.told(&error))))
    }

    fn told(&self, error: &ReadError) -> String {
        match self.input.as_os_str() == "-" {
            true => error.to_string(),
            false => format!("{}: {error}", self.input.display()),
        }
    }

    /// Why nothing more can be read, and where that is.
    fn told_of_no_frame(&self, error: &ReadError, counters: &FrameCounters) -> String {
        let at = counters.bytes;
        let mut told = self.told(error);
        match error {
            ReadError::Header(_) if at == 0 => {
                told += ": it has no frames; `annulus send … --output-format wire` writes some";
            }
            ReadError::Header(_) | ReadError::Truncated { .. } => {
                told += &format!("; what is before byte {at} is whole");
            }
            _ => {}
        }
        told
    }

    fn show(&self, out: &mut impl Write, frame: &Frame<'_>, announced: &mut Vec<u64>) -> io::Result<()> {
        let header = frame.header();
        if let Some(schema) = frame.schema()
            && !announced.contains(&header.schema)
        {
            announced.push(header.schema);
            writeln!(out, "schema {:016x}: {}", header.schema, printable(&schema.to_string()))?;
        }
        let mut line = format!("{} {} version {}", header.sequence, header.name, header.version);
        line += &match header.count {
            1 => format!(", {} bytes", header.plain),
            count => format!(", {count} messages, {} bytes", header.plain),
        };
        if header.size != header.plain {
            line += &format!(", {} as {}", header.size, header.compression.name());
        }
        for (what, value) in [("key", header.key), ("id", header.id)] {
            if let Some(value) = value {
                line += &format!(", {what} {value}");
            }
        }
        if header.priority != 128 {
            line += &format!(", priority {}", header.priority);
        }
        if (header.sender, header.receiver) != (0, 0) {
            line += &format!(", from {} to {}", header.sender, header.receiver);
        }
        let of = if header.timed { "its time" } else { "written" };
        line += &format!(", {of} {}.{:09} s", header.time / 1_000_000_000, header.time % 1_000_000_000);
        writeln!(out, "{}", printable(&line))?;
        if !self.headers {
            for payload in frame.payloads() {
                writeln!(out, "  {}", payload_text(payload, header.encoding))?;
            }
        }
        Ok(())
    }
}

/// The writer of the stream chose the names, and a terminal would obey control characters in them.
fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

/// A payload's beginning: bytes, and the text that an archive has in front.
fn payload_text(payload: &[u8], encoding: Encoding) -> String {
    let shown = &payload[..payload.len().min(SHOWN)];
    let mut text: String = shown.iter().map(|byte| format!("{byte:02x}")).collect();
    if shown.len() < payload.len() {
        text += "…";
    }
    let letter = |&byte: &u8| if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '.' };
    if encoding == Encoding::Bridged {
        text += "  ";
        text.extend(shown.iter().map(letter));
    }
    text
}
