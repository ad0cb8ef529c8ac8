//! Where the bytes of the input come from.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use flate2::bufread::MultiGzDecoder;

/// A year of hourly weather; `data/README.md` tells its origin.
static WEATHER: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/weather.csv.gz"));

/// The first bytes of every gzip file.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// Large enough that reading is not what a run waits for.
pub(crate) const READ_BUFFER: usize = 1 << 16;

/// An input, by the name that messages call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The data that is built into the program.
    Shipped,
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Source {
    /// What `--input` asks for.
    pub(crate) fn from_flag(input: Option<PathBuf>) -> Self {
        match input {
            None => Self::Shipped,
            Some(path) if path.as_os_str() == "-" => Self::Stdin,
            Some(path) => Self::File(path),
        }
    }

    /// Opens it at its beginning.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::Shipped => Box::new(WEATHER),
            Self::File(path) => Box::new(File::open(path)?),
            Self::Stdin => Box::new(io::stdin()),
        })
    }

    /// Whether [`open`](Self::open) starts over when called again.
    pub(crate) fn can_replay(&self) -> bool {
        match self {
            Self::Shipped => true,
            // Not a named pipe, for example.
            Self::File(path) => path.is_file(),
            Self::Stdin => false,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shipped => f.write_str("the shipped weather data"),
            Self::File(path) => path.display().fmt(f),
            Self::Stdin => f.write_str("standard input"),
        }
    }
}

/// The text in `bytes`, which may be gzip-compressed.
pub(crate) fn decompressed(bytes: impl Read + 'static) -> io::Result<Box<dyn Read>> {
    let mut bytes = BufReader::with_capacity(READ_BUFFER, bytes);
    // A pipe may give the two bytes one at a time; one byte is not enough to tell, and such a pipe is not
    // worth more code.
    let is_gzip = bytes.fill_buf()?.starts_with(GZIP_MAGIC);
    Ok(if is_gzip { Box::new(MultiGzDecoder::new(bytes)) } else { Box::new(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_data_is_the_csv_that_its_readme_describes() {
        let mut text = String::new();
        decompressed(WEATHER).unwrap().read_to_string(&mut text).unwrap();
        assert!(text.starts_with("time,series,value\n2013-01-01T06:00:00Z,EWR.temp,39.02\n"));
        assert_eq!(text.lines().count(), 1 + 211_061);
    }

    #[test]
    fn text_that_is_not_compressed_passes_through() {
        for text in ["", "t", "time,value\n"] {
            let mut read = String::new();
            decompressed(text.as_bytes()).unwrap().read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
    }
}
