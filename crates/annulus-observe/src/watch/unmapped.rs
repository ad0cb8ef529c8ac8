//! Systems on which no vitals files are kept, and so none are mapped.

use std::{fs::File, io, ops::Deref, sync::Arc};

use annulus_sync::AtomicU64;

/// The mapping of a file, of which there are none.
#[derive(Debug)]
pub(super) enum Mapping {}

impl Mapping {
    pub(super) fn new(_: &File, _: usize) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn is_cut(&self) -> bool {
        match *self {}
    }
}

/// Words of a mapping, of which there are none.
pub(super) struct Words<const N: usize>(Arc<Mapping>);

impl<const N: usize> Words<N> {
    pub(super) fn new(mapping: &Arc<Mapping>, _: usize, _: usize) -> Option<Self> {
        match **mapping {}
    }

    pub(super) fn first(&self) -> &[AtomicU64; N] {
        match *self.0 {}
    }

    pub(super) fn mapping(&self) -> &Mapping {
        &self.0
    }
}

impl<const N: usize> Deref for Words<N> {
    type Target = [[AtomicU64; N]];

    fn deref(&self) -> &Self::Target {
        match *self.0 {}
    }
}
