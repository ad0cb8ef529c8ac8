//! Kernels under measurement: how they are launched, and the check that they did what was asked.

use std::time::Duration;

use annulus::{LaunchError, Vitals, prelude::*};
use annulus_cuda::Cuda;
use annulus_opencl::OpenCl;
use annulus_sync::{AtomicBool, Ordering};

use crate::{BackendName, harness::Failure};

/// What the macro's `launch` of a kernel is.
pub(crate) type Launch<K> = fn(&Runtime, LaunchOptions) -> Result<KernelHandle<K>, LaunchError>;

/// Launches a kernel on a runtime of its own, so that no run inherits anything from another.
pub(crate) fn launch<K: RingKernel>(
    backend: BackendName,
    launch: Launch<K>,
    options: LaunchOptions,
) -> Result<KernelHandle<K>, Failure> {
    Ok(launch(&runtime(backend)?, options)?)
}

/// Tells the process, and those that it starts, which OpenCL device is measured (`--device`), and that
/// kernels run in epochs (`--epochs`).
pub(crate) const DEVICE: &str = "ANNULUS_BENCH_DEVICE";
pub(crate) const EPOCHS: &str = "ANNULUS_BENCH_EPOCHS";

/// The OpenCL device that was asked for.
pub(crate) fn opencl() -> OpenCl {
    let device = match std::env::var(DEVICE) {
        Ok(name) => OpenCl::new().device_named(name),
        Err(_) => OpenCl::new(),
    };
    if std::env::var_os(EPOCHS).is_some() { device.force_epochs() } else { device }
}

/// A runtime on the backend.
pub(crate) fn runtime(backend: BackendName) -> Result<Runtime, Failure> {
    runtime_with(backend, Vitals::Usual)
}

/// The same, with a file for those who watch, or without one.
pub(crate) fn runtime_with(backend: BackendName, vitals: Vitals) -> Result<Runtime, Failure> {
    let builder = Runtime::builder().vitals(vitals);
    staying(
        backend,
        match backend {
            BackendName::Cpu => builder.backend(annulus::Cpu::new()).build()?,
            BackendName::Opencl => builder.backend(opencl()).build()?,
            BackendName::Cuda => builder.backend(Cuda::new()).build()?,
            BackendName::CudaOpen => builder.backend(Cuda::new().sealed(false)).build()?,
        },
    )
}

/// The same, of whose kernels a block has so many threads; on the CPU that says nothing.
pub(crate) fn runtime_of(backend: BackendName, threads: u32) -> Result<Runtime, Failure> {
    let builder = Runtime::builder();
    staying(
        backend,
        match backend {
            BackendName::Cpu => return runtime(backend),
            BackendName::Opencl => builder.backend(opencl().threads_per_block(threads)).build()?,
            BackendName::Cuda => builder.backend(Cuda::new().threads_per_block(threads)).build()?,
            BackendName::CudaOpen => {
                builder.backend(Cuda::new().sealed(false).threads_per_block(threads)).build()?
            }
        },
    )
}

/// The runtime, unless it is on an NVIDIA GPU on which kernels do not stay: what is measured there are
/// kernels that stay, and figures of others must not look like theirs.
fn staying(backend: BackendName, runtime: Runtime) -> Result<Runtime, Failure> {
    if backend.is_cuda() {
        MUST_STAY.store(true, Ordering::Relaxed);
        let notes: Vec<String> =
            runtime.devices().into_iter().take(1).flat_map(|device| device.notes).collect();
        if !notes.iter().any(|note| note.starts_with("persistent")) {
            return Err(format!("kernels do not stay on this device: {}", notes.join("; ")).into());
        }
    }
    Ok(runtime)
}

/// Whether this process measures an NVIDIA GPU.
static MUST_STAY: AtomicBool = AtomicBool::new(false);

/// Makes sure that a kernel on an NVIDIA GPU stayed: its notes say if it did not.
pub(crate) fn stayed<K: RingKernel>(kernel: &KernelHandle<K>) -> Result<(), Failure> {
    if !MUST_STAY.load(Ordering::Relaxed) {
        return Ok(());
    }
    let status = kernel.status();
    let gone = status.notes.iter().find(|note| note.contains("has gone into epochs"));
    match gone {
        Some(note) => Err(format!("the kernel did not stay: {note}").into()),
        None => Ok(()),
    }
}

/// Ends a kernel, and makes sure that it processed what was sent, all of it, and answered as often as it
/// should.
pub(crate) fn finish<K: RingKernel>(
    kernel: &KernelHandle<K>,
    sent: u64,
    answers: u64,
) -> Result<(), Failure> {
    let end = kernel.shutdown_blocking(Duration::from_secs(10));
    stayed(kernel)?;
    let status = kernel.status();
    let as_expected = status.sent == sent
        && status.processed == sent
        && status.produced == answers
        && status.drops.total() == 0
        && end.undelivered.is_empty();
    if as_expected {
        return Ok(());
    }
    let found = format!("{:?}, {status:?}", end.outcome);
    Err(format!("{sent} messages should have been processed and {answers} answered, but: {found}").into())
}
