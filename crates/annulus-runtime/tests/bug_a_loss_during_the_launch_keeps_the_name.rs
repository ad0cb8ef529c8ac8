//! A kernel that was lost before its launch had returned kept its name for ever: no other of that name could be launched.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::{
    BackendError, DeviceBackend, DeviceInfo, DeviceKernel, Ending, LaunchOptions, LaunchSpec, Noop, Runtime,
    SharedMemory,
};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn swallow(_number: &Number) {}

/// The no-op backend, whose kernels are lost while they are launched.
struct Failing;

// SAFETY: it does what the no-op backend does.
unsafe impl DeviceBackend for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        Noop.devices()
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        Noop.allocate(bytes)
    }

    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        let signals = std::sync::Arc::clone(&spec.signals);
        let kernel = Noop.launch(spec)?;
        signals.lost("the fan is broken");
        Ok(kernel)
    }
}

#[test]
fn its_name_is_free() {
    let runtime = Runtime::builder().backend(Failing).build().unwrap();
    for _ in 0..3 {
        let kernel = swallow::launch(&runtime, LaunchOptions::production().name("one")).unwrap();
        assert_eq!(kernel.ended_blocking(), Ending::Lost);
        assert!(runtime.kernels().is_empty());
        assert!(kernel.try_send(Number { value: 1 }).is_err());
    }
}
