//! Reads CSV row by row. Memory is bounded: by the longest row allowed, and by the number of series.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;

use csv::{ByteRecord, ReaderBuilder, Terminator};

use super::engine::Reading;
use super::input_error::{InputError, shown};
use super::lines::{Lines, RowTooLong};
use super::series::Series;
use super::source::READ_BUFFER;

/// A time or a name longer than this is refused.
const MAX_TEXT: usize = 256;

/// The names of the columns to read.
#[derive(Clone, Debug)]
pub(crate) struct ColumnNames {
    pub(crate) time: String,
    pub(crate) series: String,
    pub(crate) value: String,
}

/// A CSV file being read.
pub(crate) struct CsvInput<R> {
    reader: csv::Reader<Lines<R>>,
    row: ByteRecord,
    /// Bytes read since the last row was complete; [`Lines`] counts them.
    unfinished: Rc<Cell<usize>>,
    file: Arc<str>,
    /// The names in the header; a good row has as many fields.
    header: Vec<String>,
    /// Where the columns are in it.
    time: usize,
    series: usize,
    value: usize,
}

impl<R: Read> CsvInput<R> {
    /// Reads the header of `bytes` and finds the columns in it. Errors call the input `file`.
    pub(crate) fn new(
        bytes: R,
        file: Arc<str>,
        names: &ColumnNames,
        delimiter: u8,
    ) -> Result<Self, InputError> {
        let unfinished = Rc::new(Cell::new(0));
        let lines = Lines::new(bytes, Rc::clone(&unfinished));
        // With \n alone as terminator the line of a row can be told exactly; \r is trimmed off the last
        // field.
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(READ_BUFFER)
            .from_reader(lines);

        let mut row = ByteRecord::new();
        let error = |line, (found, remedy)| InputError {
            file: file.clone(),
            line,
            column: None,
            found,
            remedy,
            only_this_row: false,
        };
        if !reader.read_byte_record(&mut row).map_err(|cause| error(None, unreadable(&cause)))? {
            let ColumnNames { time, series, value } = names;
            let between = char::from(delimiter);
            let remedy = format!("begin it with a header, such as {time}{between}{series}{between}{value}");
            return Err(error(None, ("the input is empty".into(), remedy)));
        }
        unfinished.set(0);

        let line = Some(line_of(&reader, &row));
        let header: Vec<String> = match row.iter().map(header_name).collect() {
            Ok(header) => header,
            Err(what) => {
                return Err(error(
                    line,
                    (what, "pass a CSV file in UTF-8, gzip-compressed if you like".into()),
                ));
            }
        };
        let column = |name, flag| find_column(&header, name, flag).map_err(|what| error(line, what));
        let time = column(&names.time, "--time-column")?;
        let series = column(&names.series, "--series-column")?;
        let value = column(&names.value, "--value-column")?;
        Ok(Self { reader, row, unfinished, file, header, time, series, value })
    }

    /// The next reading with its time, or `None` at the end. After an error that concerns only one row, the
    /// next call goes on behind that row.
    pub(crate) fn next(&mut self, series: &mut Series) -> Result<Option<(&str, Reading)>, InputError> {
        if !self.read_row()? {
            return Ok(None);
        }
        if self.row.len() != self.header.len() {
            return Err(self.wrong_length());
        }
        let time = self.text(self.time)?;
        let name = self.text(self.series)?;
        let value = self.number()?;
        let Some(number) = series.number(name) else {
            let found = format!("{} is one series more than {}", shown(name.as_bytes()), series.limit());
            let remedy = "raise the limit with --max-series".into();
            return Err(InputError { remedy, only_this_row: false, ..self.row_error(self.series, found) });
        };
        Ok(Some((time, Reading { series: number, value })))
    }

    /// Reads the next row that is not blank; `false` at the end.
    fn read_row(&mut self) -> Result<bool, InputError> {
        loop {
            match self.reader.read_byte_record(&mut self.row) {
                Ok(true) => self.unfinished.set(0),
                Ok(false) => return Ok(false),
                Err(error) => {
                    let (found, remedy) = unreadable(&error);
                    let line = self.row.position().map(csv::Position::line);
                    return Err(InputError {
                        file: self.file.clone(),
                        line,
                        column: None,
                        found,
                        remedy,
                        only_this_row: false,
                    });
                }
            }
            let is_blank = self.row.len() == 1 && self.row[0].trim_ascii().is_empty();
            if !is_blank {
                return Ok(true);
            }
        }
    }

    /// The field in `column`, as text.
    fn text(&self, column: usize) -> Result<&str, InputError> {
        let field = self.row[column].trim_ascii();
        let found = match str::from_utf8(field) {
            Ok("") => "found an empty field".into(),
            Ok(text) if text.len() <= MAX_TEXT => return Ok(text),
            Ok(_) => format!("found {}, which is longer than {MAX_TEXT} bytes", shown(field)),
            Err(_) => format!("found {}, which is not UTF-8 text", shown(field)),
        };
        Err(self.row_error(column, found))
    }

    /// The field in the column of values, as a number.
    fn number(&self) -> Result<f32, InputError> {
        let field = self.row[self.value].trim_ascii();
        let what = match str::from_utf8(field).ok().and_then(|text| text.parse::<f32>().ok()) {
            Some(value) if value.is_finite() => return Ok(value),
            // A number in digits that became infinite was too large; the others say nan or inf themselves.
            Some(_) if field.iter().any(u8::is_ascii_digit) => "which is beyond what a 32-bit float can hold",
            Some(_) => "which is not a finite number",
            None if field.is_empty() => return Err(self.row_error(self.value, "found an empty field".into())),
            None => "which is not a number",
        };
        Err(self.row_error(self.value, format!("found {}, {what}", shown(field))))
    }

    /// What to say of a row that has more or fewer fields than the header.
    fn wrong_length(&self) -> InputError {
        let (has, fields) = (self.row.len(), self.header.len());
        let mut found = if has < fields {
            format!("the row ends before this column: it has {has} of {fields} fields")
        } else {
            format!("the row has {has} fields, the header {fields}")
        };
        if self.row.iter().any(|field| field.contains(&b'\n')) {
            found.push_str("; one of them spans lines, so a quote may have been left open");
        }
        let name = self.header.get(has).map_or("not in the header", String::as_str);
        let column = Some((has.min(fields) + 1, name.into()));
        InputError { column, ..self.row_error(0, found) }
    }

    /// An error in the current row alone.
    fn row_error(&self, column: usize, found: String) -> InputError {
        InputError {
            file: self.file.clone(),
            line: Some(line_of(&self.reader, &self.row)),
            column: Some((column + 1, self.header[column].clone())),
            found,
            remedy: "correct the row, or pass --skip-bad to count such rows and go on".into(),
            only_this_row: true,
        }
    }
}

/// A name in the header, or what is wrong with it.
fn header_name(field: &[u8]) -> Result<String, String> {
    let name = str::from_utf8(field)
        .map_err(|_| format!("the header has {}, which is not UTF-8 text", shown(field)))?;
    // Some programs begin UTF-8 files with a byte order mark.
    Ok(name.trim_start_matches('\u{feff}').trim().into())
}

/// The place of the column `name`, or what is wrong and the remedy.
fn find_column(header: &[String], name: &str, flag: &str) -> Result<usize, (String, String)> {
    let places: Vec<_> = (0..header.len()).filter(|&index| header[index] == name).collect();
    match places[..] {
        [place] => Ok(place),
        [] => {
            let listed = shown(header.join(", ").as_bytes());
            Err((
                format!("no column \"{}\": the header has {listed}", name.escape_debug()),
                match header {
                    [_] => format!(
                        "say what stands between the columns with --delimiter, or name the right one with {flag}"
                    ),
                    _ => format!("name the right column with {flag}"),
                },
            ))
        }
        [first, second, ..] => Err((
            format!("columns {} and {} are both named \"{}\"", first + 1, second + 1, name.escape_debug()),
            "rename one of them".into(),
        )),
    }
}

/// The line on which `row`, the last one read, begins.
fn line_of<R: Read>(reader: &csv::Reader<Lines<R>>, row: &ByteRecord) -> u64 {
    let spans_lines = row.iter().any(|field| field.contains(&b'\n'));
    match row.position() {
        // The position is from before blank lines in front of the row; what is before its end tells better.
        Some(position) if spans_lines => position.line(),
        _ => reader.position().line() - 1,
    }
}

/// What to say of input that could not be read, and the remedy.
fn unreadable(error: &csv::Error) -> (String, String) {
    match error.kind() {
        csv::ErrorKind::Io(error) if error.get_ref().is_some_and(|error| error.is::<RowTooLong>()) => (
            format!("the row that begins here is {RowTooLong}"),
            "check that this is CSV text, and close the quote that was left open".into(),
        ),
        csv::ErrorKind::Io(error) => cannot_read(error),
        _ => (error.to_string(), "check that this is CSV text".into()),
    }
}

/// What to say of a failed read, and the remedy.
pub(crate) fn cannot_read(error: &io::Error) -> (String, String) {
    (format!("cannot be read: {error}"), "check that it is there, complete and may be read".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(bytes: &[u8]) -> Result<CsvInput<&[u8]>, InputError> {
        let names = ColumnNames { time: "time".into(), series: "series".into(), value: "value".into() };
        CsvInput::new(bytes, "file.csv".into(), &names, b',')
    }

    /// All good rows and all errors, until an error that ends the input.
    fn read(bytes: impl AsRef<[u8]>) -> (Vec<(String, u32, f32)>, Vec<InputError>) {
        let (mut rows, mut errors) = (Vec::new(), Vec::new());
        let mut series = Series::new(3);
        let mut input = open(bytes.as_ref()).unwrap();
        loop {
            match input.next(&mut series) {
                Ok(Some((time, reading))) => rows.push((time.into(), reading.series, reading.value)),
                Ok(None) => return (rows, errors),
                Err(error) => {
                    let goes_on = error.only_this_row;
                    errors.push(error);
                    if !goes_on {
                        return (rows, errors);
                    }
                }
            }
        }
    }

    /// The only error in `rows` below a header: its line, its column and what was found.
    fn error(rows: &str) -> (Option<u64>, Option<usize>, String) {
        let (_, errors) = read(format!("time,series,value\n{rows}"));
        let [error] = &errors[..] else { panic!("{} errors: {errors:?}", errors.len()) };
        (error.line, error.column.as_ref().map(|column| column.0), error.found.clone())
    }

    #[test]
    fn columns_are_found_by_name_and_text_is_trimmed() {
        let (rows, errors) =
            read("\u{feff}extra, value ,time,series\r\nx,\"1.5\",\"a,b\", s \r\n\r\nx, -2e3 ,noon,t");
        assert_eq!(rows, [("a,b".into(), 0, 1.5), ("noon".into(), 1, -2000.0)]);
        assert_eq!(errors, []);
    }

    #[test]
    fn values_that_are_no_finite_number_are_named() {
        for (value, what) in [
            ("abc", "\"abc\", which is not a number"),
            ("", "an empty field"),
            ("NaN", "\"NaN\", which is not a finite number"),
            ("-inf", "\"-inf\", which is not a finite number"),
            ("1e39", "\"1e39\", which is beyond what a 32-bit float can hold"),
            ("0x10", "\"0x10\", which is not a number"),
        ] {
            assert_eq!(error(&format!("1,a,{value}\n")), (Some(2), Some(3), format!("found {what}")));
        }
    }

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        for (rows, line) in [
            ("1,a,x", 2),
            ("1,a,x\n", 2),
            ("1,a,1\r\n1,a,x\r\n", 3),
            ("\n\n\n1,a,x\n1,a,1\n", 5),
            ("\r\n1,a,x\r\n", 3),
            ("\"1\n\n\",a,1\n1,a,x\n", 5),
            ("1,a,1\n\"1\n\",a,x\n", 3),
        ] {
            assert_eq!(error(rows).0, Some(line), "{rows:?}");
        }
    }

    #[test]
    fn rows_of_the_wrong_length_name_the_first_column_that_is_wrong() {
        let (line, column, found) = error("1,a,1\n1,a");
        assert_eq!((line, column), (Some(3), Some(3)));
        assert!(found.contains("2 of 3 fields"), "{found}");
        let (line, column, found) = error("1,a,1,5\n1,a,1\n");
        assert_eq!((line, column), (Some(2), Some(4)));
        assert!(found.contains("4 fields"), "{found}");
        let (line, column, found) = error("1,a,1\n\"1,a,1\n1,a,1\n");
        assert_eq!((line, column), (Some(3), Some(2)));
        assert!(found.contains("quote"), "{found}");
    }

    #[test]
    fn a_row_that_never_ends_ends_the_input() {
        let (line, _, found) = error(&format!("1,a,1\n\"{}", "1,a,1\n".repeat(500_000)));
        assert_eq!(line, Some(3));
        assert!(found.contains("longer than 1 MiB"), "{found}");
    }

    #[test]
    fn text_that_is_not_utf8_or_too_long_is_named() {
        let (rows, errors) = read(b"time,series,value\n1,\xff,1\n1,a,1\n");
        assert_eq!(rows.len(), 1);
        assert_eq!(errors[0].column, Some((2, "series".into())));
        assert!(errors[0].found.contains("UTF-8"), "{errors:?}");
        assert!(error(&format!("{},a,1", "9".repeat(MAX_TEXT + 1))).2.contains("longer than 256 bytes"));
    }

    #[test]
    fn one_series_too_many_ends_the_input_and_names_the_flag() {
        let (rows, errors) = read("time,series,value\n1,a,1\n1,b,1\n1,c,1\n1,d,1\n1,a,1\n");
        assert_eq!(rows.len(), 3);
        let [error] = &errors[..] else { panic!("{errors:?}") };
        assert_eq!(error.line, Some(5));
        assert!(error.remedy.contains("--max-series"), "{error}");
    }

    #[test]
    fn a_header_without_the_columns_is_refused() {
        for (bytes, what) in [
            (&b""[..], "empty"),
            (b"\n\n", "empty"),
            (b"time,series\n", "no column \"value\": the header has \"time, series\""),
            (b"time,series,value,time\n", "columns 1 and 4 are both named \"time\""),
            (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
        ] {
            let error = open(bytes).err().unwrap();
            assert!(error.found.contains(what), "{error}");
            assert!(!error.only_this_row);
        }
    }
}
