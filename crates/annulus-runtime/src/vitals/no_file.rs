//! Systems on which no vitals files are kept.

use std::{path::PathBuf, ptr::NonNull, sync::Arc};

use annulus_abi::vitals::black_box::BoxHeader;
use annulus_block::RuntimeClock;
use annulus_ring::memory::SharedMemory;

use super::Vitals;

/// Whether the owner of this file lives. On this system nobody keeps such files.
///
/// # Errors
///
/// None.
pub fn owner_lives(_: &std::fs::File) -> std::io::Result<bool> {
    Ok(false)
}

/// A file, of which there are none here.
pub(crate) enum VitalsFile {}

impl VitalsFile {
    pub(super) fn create(_: &Vitals, _: &'static str, _: &RuntimeClock, _: usize) -> Option<Arc<Self>> {
        None
    }

    pub(super) fn mapping(&self) -> (NonNull<u8>, usize) {
        match *self {}
    }

    pub(super) fn requests(self: &Arc<Self>) -> Page {
        match **self {}
    }

    pub(super) fn black_box(
        self: &Arc<Self>,
        _: BoxHeader,
        _: &[u8],
        _: usize,
    ) -> Result<(SharedMemory, PathBuf), String> {
        match **self {}
    }

    pub(super) fn claim(&self, _: usize, _: usize) -> bool {
        match *self {}
    }
}

/// The page in which observers ask.
pub(crate) enum Page {}

impl Page {
    pub(super) fn until(&self) -> u64 {
        match *self {}
    }

    pub(super) fn ring(&self) {
        match *self {}
    }

    pub(super) fn wait(&self, _: u32) -> u32 {
        match *self {}
    }
}
