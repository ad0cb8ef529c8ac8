//! The devices of this process: each is opened once, however many backends use it, and stays open until the process ends.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use annulus_device::{Listed, Programs, Residency, Shape};
use annulus_runtime::{BackendError, Capabilities, DeviceInfo};

use crate::{
    mtl::{self, Pipeline},
    probe::{self, COHERENT, Found},
};

/// The most bytes of a block's memory that the block itself takes; `records.c` holds it to this.
const BLOCK_MEMORY: u64 = 2048;

/// A device, and what is known of it without opening it.
pub(crate) struct Device {
    pub(crate) id: mtl::Device,
    pub(crate) name: String,
    opened: OnceLock<Result<Opened, BackendError>>,
}

/// What an open device has.
pub(crate) struct Opened {
    pub(crate) found: Found,
    pub(crate) residency: Arc<Residency>,
    /// Pairs (blocks, threads of a block) that were tried and ran at the same time.
    tried: Mutex<HashSet<(u32, u32)>>,
    pub(crate) programs: Programs<Pipeline>,
}

/// Every device of this machine, in Metal's order.
pub(crate) fn devices() -> Result<&'static [Device], BackendError> {
    static DEVICES: OnceLock<Result<Vec<Device>, BackendError>> = OnceLock::new();
    let devices = DEVICES.get_or_init(|| {
        let found = mtl::devices().map_err(|error| BackendError::new(error.to_string()))?;
        Ok(found.into_iter().map(|id| Device { name: id.name(), id, opened: OnceLock::new() }).collect())
    });
    match devices {
        Ok(devices) if devices.is_empty() => {
            Err(BackendError::new("Metal knows no device on this machine: use the CPU backend"))
        }
        Ok(devices) => Ok(devices),
        Err(error) => Err(error.clone()),
    }
}

impl Device {
    /// Opens the device if it is not open yet: finds out what it can do.
    pub(crate) fn open(&self) -> Result<&Opened, BackendError> {
        let open = || {
            let found = probe::probe(&self.id).map_err(|why| {
                BackendError::new(format!("`{}` cannot run kernels: {why}; choose another device", self.name))
            })?;
            let residency = Arc::new(Residency::new(found.together));
            Ok(Opened { found, residency, tried: Mutex::default(), programs: Programs::default() })
        };
        self.opened.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// Whether all blocks of a kernel of this shape run at the same time.
    pub(crate) fn runs_together(&self, opened: &Opened, shape: Shape) -> bool {
        let found = &opened.found;
        if shape.blocks == 1 || shape.threads == 1 && shape.blocks <= found.together {
            return true;
        }
        let size = (shape.blocks, shape.threads);
        let tried = || opened.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if tried().contains(&size) {
            return true;
        }
        let together = probe::runs_together(&self.id, found.coherent, shape).unwrap_or(false);
        // A trial that failed may have failed for lack of room that another kernel takes.
        if together {
            tried().insert(size);
        }
        together
    }

    pub(crate) fn capabilities(&self, found: Option<&Found>) -> Capabilities {
        Capabilities {
            f64: false,
            wide_atomics: false,
            max_block: found.map_or(1024, |found| found.max_threads),
            shared_memory: Some((self.id.threadgroup_bytes() as u64).saturating_sub(BLOCK_MEMORY)),
            subgroups: true,
            shared_virtual_memory: false,
        }
    }

    /// The description of the device, which is opened for it.
    pub(crate) fn describe(&self) -> DeviceInfo {
        let memory =
            if self.id.has_unified_memory() { "memory shared with the host" } else { "memory of its own" };
        let mut notes = vec![format!("Metal, {memory}, registry number {}", self.id.registry_id())];
        let opened = self.open();
        let found = opened.as_ref().ok().map(|opened| &opened.found);
        match &opened {
            Err(error) => notes.push(error.to_string()),
            Ok(Opened { found, .. }) => {
                notes.push("epochs: kernels return after a bounded time, and are launched again".into());
                notes.extend(found.refused.iter().map(|why| format!("not used: {why}")));
                notes.push(format!(
                    "up to {} blocks take their turns in step; memory is coherent for {}",
                    found.together, COHERENT[found.coherent as usize]
                ));
            }
        }
        DeviceInfo {
            name: self.name.clone(),
            parallel_blocks: found.map_or(0, |found| found.together),
            capabilities: self.capabilities(found),
            notes,
        }
    }
}

impl Listed for Device {
    fn name(&self) -> &str {
        &self.name
    }
}
