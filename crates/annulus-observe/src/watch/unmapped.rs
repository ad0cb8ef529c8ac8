//! Systems on which no vitals files are kept, and so none are mapped.

use std::{fs::File, io};

/// The mapping of a file, of which there are none.
#[derive(Debug)]
pub(super) enum Mapping {}

impl Mapping {
    pub(super) fn new(_: &File, _: usize) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn bytes(&self) -> usize {
        match *self {}
    }

    pub(super) fn is_cut(&self) -> bool {
        match *self {}
    }

    pub(super) fn word64(&self, _: usize) -> u64 {
        match *self {}
    }

    pub(super) fn word32(&self, _: usize) -> u32 {
        match *self {}
    }
}
