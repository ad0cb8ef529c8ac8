//! A backend whose kernels a test can lose.

use std::sync::{Arc, Mutex};

use annulus_runtime::{
    BackendError, DeviceBackend, DeviceInfo, DeviceKernel, HostSignals, LaunchSpec, Noop, SharedMemory,
};

/// The no-op backend, whose kernels a test can lose, in the order in which they were launched.
#[derive(Clone, Default)]
pub(crate) struct Losing(pub(crate) Arc<Mutex<Vec<Arc<dyn HostSignals>>>>);

// SAFETY: it does what the no-op backend does.
unsafe impl DeviceBackend for Losing {
    fn name(&self) -> &'static str {
        "losing"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        Noop.devices()
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        Noop.allocate(bytes)
    }

    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        self.0.lock().unwrap().push(Arc::clone(&spec.signals));
        Noop.launch(spec)
    }
}
