//! Systems on which no vitals files are kept.

use std::{path::Path, ptr::NonNull, sync::Arc};

use annulus_abi::vitals::black_box::BoxHeader;
use annulus_block::RuntimeClock;
use annulus_ring::memory::SharedMemory;

use super::Vitals;
use crate::backend::DeviceBackend;

/// Whether the owner of this file lives. On this system nobody keeps such files.
///
/// # Errors
///
/// None.
pub fn owner_lives(_: &std::fs::File) -> std::io::Result<bool> {
    Ok(false)
}

/// The id of this boot, which nobody needs on this system: zeros.
pub fn boot() -> [u8; 16] {
    [0; 16]
}

/// The name of a black box, of which there are none here.
pub(crate) enum BoxName {}

impl BoxName {
    pub(crate) fn path(&self) -> &Path {
        match *self {}
    }
}

/// Memory in a black box.
pub(crate) struct Boxed {
    pub(crate) shards: SharedMemory,
    pub(crate) records: Option<SharedMemory>,
    pub(crate) name: BoxName,
}

/// A file, of which there are none here.
pub(crate) enum VitalsFile {}

impl VitalsFile {
    pub(super) fn create(_: &Vitals, _: &dyn DeviceBackend, _: &RuntimeClock, _: usize) -> Option<Arc<Self>> {
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
        _: usize,
    ) -> Result<Boxed, String> {
        match **self {}
    }

    pub(super) fn started(&self) -> u64 {
        match *self {}
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
