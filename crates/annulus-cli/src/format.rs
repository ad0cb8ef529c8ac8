//! The formats of messages that `annulus send` reads and writes.

use std::{
    cell::Cell,
    collections::{BTreeMap, VecDeque},
    fmt::Display,
    io::{self, BufRead, Read as _, Write},
    rc::Rc,
};

use annulus::{
    DynamicMessage,
    kernel::{DeviceType, Meaning, TypeDescriptor, TypeKind, schema_of},
    message::{Facts, FrameReader, FrameWriter, ReadError, WireType},
};
use clap::ValueEnum;
use serde_json::Value;

use crate::{
    dead_letters::{BadInput, DeadLetterFile},
    failure::Failure,
    msgpack::{Values, reader, shown},
    run::lines::{Lines, MAX_ROW, RowTooLong},
    signals::Interrupt,
};

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A JSON object a line
    Json,
    /// Comma-separated values: a first row with the fields' names, then a row for each message; text as it
    /// is, all else as JSON
    Csv,
    /// MessagePack: a map for each message, one after the other
    Msgpack,
    /// Frames with headers, checksums and the type's schema, as `annulus dump` shows them
    Wire,
}

impl Format {
    /// Whether the input is read a line at a time.
    pub(crate) fn has_lines(self) -> bool {
        matches!(self, Self::Json | Self::Csv)
    }

    /// Refuses a type that the format has no way to write.
    pub(crate) fn check(self, ty: &TypeDescriptor) -> Result<(), Failure> {
        let is_numbered = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
        let is_named = matches!(ty.kind, TypeKind::Struct([first, ..]) if !is_numbered(first.name));
        if self == Self::Csv && !is_named {
            let problem = format!(
                "--format csv: {} has no named fields to be columns: use json, msgpack or wire",
                ty.name
            );
            return Err(Failure::Usage(problem));
        }
        Ok(())
    }
}

/// Some programs begin UTF-8 files with a byte order mark.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Messages of one type from an input.
pub(crate) struct Messages {
    input: Input,
    ty: &'static TypeDescriptor,
    number: u64,
    /// How many inputs were skipped, by cause.
    skipped: BTreeMap<&'static str, u64>,
    on_bad: OnBad,
    stop: Interrupt,
    /// Whether a signal ended the input inside a message.
    is_cut: bool,
}

/// What is done with input that is no message.
pub(crate) enum OnBad {
    /// It is an error.
    Fail,
    /// It is counted.
    Skip,
    /// It is counted, and kept.
    Bury(DeadLetterFile),
}

enum Input {
    Json { input: Box<dyn BufRead>, bytes: Vec<u8> },
    Csv { rows: csv::Reader<Lines<Box<dyn BufRead>>>, unfinished: Rc<Cell<usize>>, columns: Vec<String> },
    Msgpack(Values),
    Wire { frames: Box<FrameReader<Box<dyn BufRead>>>, ty: WireType, pending: VecDeque<Vec<u8>> },
}

/// Why there is no message here.
enum Bad {
    /// What follows can be read.
    One(BadInput),
    /// Nothing more can.
    All(BadInput),
}

impl Bad {
    /// Something is wrong with these bytes alone.
    fn one(cause: &'static str, reason: impl Display, bytes: &[u8]) -> Self {
        Self::One(BadInput { cause, reason: reason.to_string(), bytes: bytes.into() })
    }

    /// Where the next message would begin is not known.
    fn all(cause: &'static str, reason: impl Display) -> Self {
        Self::All(BadInput { cause, reason: reason.to_string(), bytes: Vec::new() })
    }
}

impl Messages {
    pub(crate) fn new(
        input: Box<dyn BufRead>,
        format: Format,
        ty: &'static TypeDescriptor,
        on_bad: OnBad,
        stop: &Interrupt,
    ) -> Result<Self, Failure> {
        format.check(ty)?;
        let input = match format {
            Format::Json => Input::Json { input, bytes: Vec::new() },
            Format::Csv => {
                let unfinished = Rc::new(Cell::new(0));
                let lines = Lines::new(input, Rc::clone(&unfinished));
                let rows = csv::ReaderBuilder::new().from_reader(lines);
                Input::Csv { rows, unfinished, columns: Vec::new() }
            }
            Format::Msgpack => Input::Msgpack(Values::new(input)),
            Format::Wire => Input::Wire {
                frames: Box::new(FrameReader::new(input)),
                ty: WireType::new(schema_of(ty, 0), ty.size),
                pending: VecDeque::new(),
            },
        };
        let stop = stop.clone();
        Ok(Self { input, ty, number: 0, skipped: BTreeMap::new(), on_bad, stop, is_cut: false })
    }

    /// How many inputs were not valid messages, and were skipped: by cause.
    pub(crate) fn skipped(&self) -> &BTreeMap<&'static str, u64> {
        &self.skipped
    }

    /// The file of dead letters, if there is one.
    pub(crate) fn dead_letter_file(&mut self) -> Option<&mut DeadLetterFile> {
        match &mut self.on_bad {
            OnBad::Bury(file) => Some(file),
            OnBad::Fail | OnBad::Skip => None,
        }
    }

    /// How many dead letters are in the file, and its name, if there is a file.
    pub(crate) fn dead_letters(&self) -> Option<(u64, &str)> {
        match &self.on_bad {
            OnBad::Bury(file) => Some(file.kept()),
            OnBad::Fail | OnBad::Skip => None,
        }
    }

    /// Whether a signal ended the input inside a message.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// What is wrong with the last message, or with the kernel's handling of it.
    pub(crate) fn failure(&self, problem: impl Display) -> Failure {
        let what = match self.input {
            Input::Json { .. } => "line",
            Input::Csv { .. } => "row",
            Input::Msgpack(_) | Input::Wire { .. } => "message",
        };
        Failure::Fault(format!("{what} {}: {problem}", self.number))
    }

    /// The next message, or none at the input's end.
    pub(crate) fn next(&mut self) -> Result<Option<DynamicMessage>, Failure> {
        loop {
            let (bad, goes_on) = match self.read() {
                Ok(message) => return Ok(message),
                // The input was ended inside what was to be a message.
                Err(_) if self.stop.has_ended_input() => {
                    self.is_cut = true;
                    return Ok(None);
                }
                Err(Bad::One(bad)) => (bad, true),
                Err(Bad::All(bad)) => (bad, false),
            };
            if let OnBad::Bury(file) = &mut self.on_bad {
                file.bury(self.number, &bad)?;
            }
            if !goes_on || matches!(self.on_bad, OnBad::Fail) {
                return Err(self.failure(bad.reason));
            }
            *self.skipped.entry(bad.cause).or_default() += 1;
        }
    }

    /// How many messages follow, of an input that has been ended: those that were read before.
    pub(crate) fn count_rest(&mut self) -> u64 {
        std::iter::from_fn(|| self.next().ok().flatten()).fold(0, |count, _| count + 1)
    }

    fn read(&mut self) -> Result<Option<DynamicMessage>, Bad> {
        let Self { input, ty, number, stop, .. } = self;
        let of_type = |problem: &dyn Display, bytes: &[u8]| {
            Bad::one("type", format_args!("not of type {}: {problem}", ty.name), bytes)
        };
        match input {
            Input::Json { input, bytes } => {
                let Some(line) = line(input, bytes, number)? else { return Ok(None) };
                let line = line.trim_end();
                let mut text = serde_json::Deserializer::from_str(line);
                let message =
                    DynamicMessage::read(ty, &mut text).and_then(|message| text.end().map(|()| message));
                message.map(Some).map_err(|error| of_type(&in_one_line(&error), line.as_bytes()))
            }
            Input::Csv { rows, unfinished, columns } => {
                if columns.is_empty() {
                    *number = 1;
                    let header = rows.headers().map_err(|error| Bad::all("row", row_problem(&error)))?;
                    *columns = header.iter().map(str::to_owned).collect();
                }
                *number += 1;
                let was_ended = stop.has_ended_input();
                let mut row = csv::StringRecord::new();
                let more = rows.read_record(&mut row);
                unfinished.set(0);
                match more {
                    // A row that needed the end of the input to end was not whole: a quote is still open.
                    Ok(true) if stop.has_ended_input() && !was_ended => {
                        return Err(Bad::all("row", "the row is not whole"));
                    }
                    Ok(true) => {}
                    Ok(false) => return Ok(None),
                    Err(error) if error.is_io_error() => return Err(Bad::all("row", row_problem(&error))),
                    Err(error) => return Err(Bad::one("row", row_problem(&error), &of_row(&row))),
                }
                let message = object(ty, columns, &row)
                    .map_err(|problem| of_type(&problem, &of_row(&row)))
                    .map(|object| DynamicMessage::read(ty, object))?;
                message.map(Some).map_err(|error| of_type(&error, &of_row(&row)))
            }
            Input::Msgpack(values) => {
                *number += 1;
                let value = match values.next() {
                    Ok(None) => return Ok(None),
                    Ok(Some(value)) => value,
                    Err(damage) => {
                        let (cause, reason) = (damage.cause(), damage.to_string());
                        return Err(Bad::All(BadInput { cause, reason, bytes: values.last().into() }));
                    }
                };
                let mut from = reader(value);
                DynamicMessage::read(ty, &mut from).map(Some).map_err(|error| of_type(&error, &shown(value)))
            }
            Input::Wire { frames, ty: wire, pending } => {
                *number += 1;
                if pending.is_empty() {
                    let outcome = match frames.read() {
                        Ok(None) => return Ok(None),
                        Ok(Some(frame)) => frame
                            .payloads_of(wire)
                            .map(|payloads| pending.extend(payloads.map(<[u8]>::to_vec))),
                        Err(error) => Err(error),
                    };
                    outcome.map_err(|error| of_frame(&error, frames.received()))?;
                }
                let payload = pending.pop_front().ok_or_else(|| Bad::one("sizes", "an empty frame", &[]))?;
                DynamicMessage::from_payload(ty, &payload)
                    .map(Some)
                    .map_err(|error| of_type(&error, &payload))
            }
        }
    }
}

/// What is wrong with a frame.
fn of_frame(error: &ReadError, bytes: &[u8]) -> Bad {
    let bad = BadInput { cause: error.cause(), reason: error.to_string(), bytes: bytes.into() };
    if error.is_passed_over() { Bad::One(bad) } else { Bad::All(bad) }
}

/// A row as text.
fn of_row(row: &csv::StringRecord) -> Vec<u8> {
    let mut rows = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    // Memory takes every row.
    let _ = rows.write_record(row);
    rows.into_inner().unwrap_or_default().trim_ascii_end().to_vec()
}

/// The next line that is not empty.
fn line<'a>(
    input: &mut Box<dyn BufRead>,
    bytes: &'a mut Vec<u8>,
    number: &mut u64,
) -> Result<Option<&'a str>, Bad> {
    loop {
        bytes.clear();
        *number += 1;
        // The end of the line does not count.
        let mut bounded = input.take(MAX_ROW as u64 + 1);
        if bounded.read_until(b'\n', bytes).map_err(|error| Bad::all("io", error))? == 0 {
            return Ok(None);
        }
        if bytes.len() > MAX_ROW && !bytes.ends_with(b"\n") {
            return Err(Bad::all(
                "too_long",
                format_args!("{RowTooLong}: check that this is JSON, one message a line"),
            ));
        }
        if *number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        if !bytes.trim_ascii().is_empty() {
            break;
        }
    }
    str::from_utf8(bytes)
        .map(Some)
        .map_err(|error| Bad::one("not_utf8", format_args!("not UTF-8 text: {error}"), bytes))
}

fn row_problem(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

fn row_failure(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A row as the object that its message is in JSON.
fn object(ty: &TypeDescriptor, columns: &[String], row: &csv::StringRecord) -> Result<Value, String> {
    let TypeKind::Struct(fields) = ty.kind else { return Err("it has no columns".into()) };
    let mut object = serde_json::Map::new();
    for (name, cell) in columns.iter().zip(row) {
        // The reader of the object reports a column that the type lacks.
        let ty = fields.iter().find(|field| field.name == name).map(|field| field.ty);
        let value = match ty {
            Some(ty) => {
                value(ty, cell).map_err(|error| format!(".{name}: {}: {cell:?}", in_one_line(&error)))?
            }
            None => Value::Null,
        };
        object.insert(name.clone(), value);
    }
    Ok(Value::Object(object))
}

/// A cell as JSON: text as it is, a variant by its name, nothing for a number that is none, all else written
/// as JSON.
fn value(ty: &TypeDescriptor, cell: &str) -> Result<Value, serde_json::Error> {
    let is_float = [f32::DESCRIPTOR, f64::DESCRIPTOR].contains(&ty);
    match ty.kind {
        _ if ty.meaning == Meaning::Text => Ok(cell.into()),
        TypeKind::Enum { .. } if !cell.starts_with('{') => Ok(cell.into()),
        TypeKind::Primitive(_) if is_float && cell.is_empty() => Ok(Value::Null),
        _ => serde_json::from_str(cell.trim()),
    }
}

/// What is wrong with a text of one line, which has been named already: where in it, by the column alone.
fn in_one_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let column = error.column();
    match text.strip_suffix(&format!(" at line 1 column {column}")) {
        Some(problem) => format!("{problem} at column {column}"),
        None => text,
    }
}

/// Where outputs go.
pub(crate) enum Outputs<W: Write> {
    Json(W),
    Csv { rows: csv::Writer<W>, has_header: bool },
    Msgpack(W),
    Wire { frames: Box<FrameWriter<W>>, ty: Option<WireType> },
}

impl<W: Write> Outputs<W> {
    /// Outputs of this type, if the kernel has any.
    pub(crate) fn new(to: W, format: Format, ty: Option<&'static TypeDescriptor>) -> Result<Self, Failure> {
        if let Some(ty) = ty {
            format.check(ty)?;
        }
        Ok(match format {
            Format::Json => Self::Json(to),
            Format::Csv => Self::Csv { rows: csv::Writer::from_writer(to), has_header: false },
            Format::Msgpack => Self::Msgpack(to),
            Format::Wire => Self::Wire {
                frames: Box::new(FrameWriter::new(to).compressed(256)),
                ty: ty.map(|ty| WireType::new(schema_of(ty, 0), ty.size)),
            },
        })
    }

    pub(crate) fn write(&mut self, output: &DynamicMessage) -> Result<(), Failure> {
        match self {
            Self::Json(to) => writeln!(to, "{}", json(output)),
            Self::Csv { rows, has_header } => {
                let mut row = |cells: Vec<String>| rows.write_record(cells).map_err(row_failure);
                let header = match *has_header {
                    true => Ok(()),
                    false => row(output.fields().map(|(name, _)| name.to_owned()).collect()),
                };
                *has_header = true;
                header.and_then(|()| row(output.fields().map(|(_, value)| cell(&value)).collect()))
            }
            // What a device wrote may be no valid value of an enum.
            Self::Msgpack(to) => rmp_serde::encode::write_named(to, output).map_err(|error| match error {
                rmp_serde::encode::Error::InvalidValueWrite(error) => io::Error::from(error),
                error => io::Error::other(error),
            }),
            Self::Wire { frames, ty: Some(ty) } => frames
                .write_payload(ty, Facts { priority: 128, ..Facts::default() }, &output.payload())
                .map_err(|error| match error {
                    annulus::message::WriteError::Io(error) => error,
                    error => io::Error::other(error),
                }),
            Self::Wire { ty: None, .. } => Ok(()),
        }
        .map_err(Failure::stdout)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        match self {
            Self::Json(to) | Self::Msgpack(to) => to.flush(),
            Self::Csv { rows, .. } => rows.flush(),
            Self::Wire { frames, .. } => frames.flush(),
        }
        .map_err(Failure::stdout)
    }
}

/// An output as JSON. What a device wrote may be no valid value of an enum; then this says so.
pub(crate) fn json(output: &DynamicMessage) -> String {
    let json = serde_json::to_string(output);
    json.unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string())
}

/// Text as it is, all else as JSON.
fn cell(value: &impl serde::Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) if text.starts_with('"') => serde_json::from_str(&text).unwrap_or(text),
        Ok(text) if text == "null" => String::new(),
        Ok(text) => text,
        Err(error) => error.to_string(),
    }
}
