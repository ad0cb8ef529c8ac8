//! CUDA as a program without Annulus uses it: a launch for each message, a graph that is replayed for each,
//! and a hand-written loop that stays. What a resident kernel is compared with. And what single instructions
//! cost ([`micro`]), and whether 16 bytes are ever torn ([`units`]).

pub(crate) mod micro;
pub(crate) mod power;
pub(crate) mod units;

use std::{
    ffi::c_void,
    ptr::NonNull,
    sync::{Arc, OnceLock},
    time::Instant,
};

use annulus_cuda::Architecture;
use annulus_sync::{AtomicU32, Ordering};
use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaGraph, CudaModule, CudaStream, DriverError, LaunchConfig,
        PushKernelArg, result, sys,
    },
    nvrtc::Ptx,
};

use crate::{
    clock::{await_answer, timed},
    harness::{Failure, Run},
};

/// A text, and a name for it in what the compiler says.
type Source = (&'static str, &'static str);

const SOURCE: Source = ("launches", include_str!("launches.cu"));
/// Words of a message: 256 bytes.
const WORDS: usize = 64;
/// Messages in the largest batch.
const MOST: usize = 4096;
/// In 32-bit words: where the answering flag lies, in a line of its own.
const ANSWER: usize = 32;

/// How each message reaches the device.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    /// The kernel is launched, and the stream waited for.
    Launch,
    /// The same launch, captured once in a graph that is replayed.
    Graph,
}

fn failed(call: &'static str) -> impl Fn(DriverError) -> Failure {
    move |error| format!("{call}: {error}").into()
}

/// The first device's context, current on this thread. It is held until the process ends: without a holder the
/// driver takes it down, and to make it anew for each candidate takes a fraction of a second each time.
fn context() -> Result<Arc<CudaContext>, Failure> {
    static HELD: OnceLock<Arc<CudaContext>> = OnceLock::new();
    if HELD.get().is_none() {
        let made = CudaContext::new(0).map_err(failed("cuCtxCreate"))?;
        // Another thread's is the same context of the driver.
        let _ = HELD.set(made);
    }
    let context = HELD.get().expect("it was just set");
    context.bind_to_thread().map_err(failed("cuCtxSetCurrent"))?;
    Ok(Arc::clone(context))
}

/// Machine code of a text, for the context's device, made as the backend makes its own.
fn machine_code(context: &CudaContext, name: &str, source: &str) -> Result<Vec<u8>, Failure> {
    let (major, minor) = context.compute_capability().map_err(failed("cuDeviceGetAttribute"))?;
    let device = Architecture::new(major.unsigned_abs(), minor.unsigned_abs());
    Ok(annulus_cuda::compile(name, source, device)?)
}

/// Memory of the host that the device sees.
struct Buffer {
    words: NonNull<u32>,
    /// Its address on the device.
    device: sys::CUdeviceptr,
    context: Arc<CudaContext>,
    /// Managed, and not pinned.
    is_managed: bool,
}

impl Buffer {
    /// Mapped memory, cached, as resident kernels use it.
    fn new(context: &Arc<CudaContext>, words: usize) -> Result<Self, Failure> {
        context.bind_to_thread().map_err(failed("cuCtxSetCurrent"))?;
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the context is this thread's; the memory is ours until `drop`.
        let memory = unsafe { result::malloc_host(words * 4, flags) }.map_err(failed("cuMemHostAlloc"))?;
        let words = NonNull::new(memory.cast::<u32>()).ok_or("cuMemHostAlloc gave no memory")?;
        let mut buffer = Self { words, device: 0, context: Arc::clone(context), is_managed: false };
        // SAFETY: the memory was just allocated, mapped.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut buffer.device, memory, 0) }
            .result()
            .map_err(failed("cuMemHostGetDevicePointer"))?;
        Ok(buffer)
    }

    /// Managed memory that stays with the host, where the device reaches it: the alternative to [`new`].
    ///
    /// [`new`]: Self::new
    fn managed(context: &Arc<CudaContext>, words: usize) -> Result<Self, Failure> {
        context.bind_to_thread().map_err(failed("cuCtxSetCurrent"))?;
        let concurrent = context
            .attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
            .map_err(failed("cuDeviceGetAttribute"))?;
        if concurrent == 0 {
            return Err("the host may not access managed memory while a kernel of this device runs".into());
        }
        let mut version = 0;
        // SAFETY: the place is live, and the driver is there.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }
            .result()
            .map_err(failed("cuDriverGetVersion"))?;
        if version < 12_020 {
            return Err(
                "the driver is older than CUDA 12.2, and cannot be told where managed memory lies".into()
            );
        }
        let flags = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL;
        // SAFETY: the context is this thread's; the memory is ours until `drop`.
        let device =
            unsafe { result::malloc_managed(words * 4, flags) }.map_err(failed("cuMemAllocManaged"))?;
        let start = NonNull::new(device as *mut u32).ok_or("cuMemAllocManaged gave no memory")?;
        let buffer = Self { words: start, device, context: Arc::clone(context), is_managed: true };
        let host = sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, id: 0 };
        let own = sys::CUmemLocation {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: context.ordinal() as i32,
        };
        for (advice, location) in [
            (sys::CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host),
            (sys::CUmem_advise::CU_MEM_ADVISE_SET_ACCESSED_BY, own),
        ] {
            // SAFETY: all of the memory that was just allocated, managed.
            unsafe { result::mem_advise(device, words * 4, advice, location) }
                .map_err(failed("cuMemAdvise"))?;
        }
        (0..words).for_each(|i| buffer.word(i).store(0, Ordering::Relaxed));
        Ok(buffer)
    }

    /// The word at `index`, which a kernel may read and write at the same time.
    fn word(&self, index: usize) -> &AtomicU32 {
        // SAFETY: callers stay inside the buffer's words.
        let word = unsafe { self.words.add(index) };
        // SAFETY: allocated, aligned to its size, and reached through atomics only, on this side.
        unsafe { word.cast::<AtomicU32>().as_ref() }
    }

    fn fill(&self, messages: usize, value: u32) {
        (0..messages * WORDS).for_each(|i| self.word(i).store(value, Ordering::Relaxed));
    }

    fn check(&self, messages: usize, value: u32) -> Result<(), Failure> {
        match (0..messages * WORDS).find(|&i| self.word(i).load(Ordering::Relaxed) != value) {
            None => Ok(()),
            Some(i) => Err(format!("word {i} came back wrong, not as {value}").into()),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // Failing to free leaks, which a benchmark survives.
        let _ = self.context.bind_to_thread();
        let _ = if self.is_managed {
            // SAFETY: allocated by `managed`, freed once; every kernel has ended.
            unsafe { result::free_sync(self.device) }
        } else {
            // SAFETY: allocated by `new`; otherwise as above.
            unsafe { result::free_host(self.words.as_ptr().cast::<c_void>()) }
        };
    }
}

/// The device's own memory, all zeros at first.
struct Own {
    device: sys::CUdeviceptr,
    context: Arc<CudaContext>,
}

impl Own {
    fn new(context: &Arc<CudaContext>, bytes: usize) -> Result<Self, Failure> {
        context.bind_to_thread().map_err(failed("cuCtxSetCurrent"))?;
        // SAFETY: the context is this thread's; the memory is ours until `drop`.
        let device = unsafe { result::malloc_sync(bytes) }.map_err(failed("cuMemAlloc"))?;
        let own = Self { device, context: Arc::clone(context) };
        // SAFETY: so much was just allocated, and nothing uses it yet.
        unsafe { result::memset_d8_sync(device, 0, bytes) }.map_err(failed("cuMemsetD8"))?;
        Ok(own)
    }

    /// The first numbers in it, when no kernel that writes them runs.
    #[cfg(target_arch = "x86_64")]
    fn numbers<const COUNT: usize>(&self) -> Result<[u64; COUNT], Failure> {
        self.context.bind_to_thread().map_err(failed("cuCtxSetCurrent"))?;
        let mut numbers = [0; COUNT];
        // SAFETY: callers allocated as many numbers; the driver writes no more than the slice has.
        unsafe { result::memcpy_dtoh_sync(&mut numbers, self.device) }.map_err(failed("cuMemcpyDtoH"))?;
        Ok(numbers)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // Failing to free leaks, which a benchmark survives.
        let _ = self.context.bind_to_thread();
        // SAFETY: allocated by `new`, freed once; every kernel has ended.
        let _ = unsafe { result::free_sync(self.device) };
    }
}

/// The first device, with the program and its buffers.
struct Device {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
    input: Buffer,
    output: Buffer,
    flags: Buffer,
}

impl Device {
    fn open((name, source): Source) -> Result<Self, Failure> {
        let context = context()?;
        let program = Ptx::from_binary(machine_code(&context, name, source)?);
        let module = context.load_module(program).map_err(failed("cuModuleLoadData"))?;
        let stream = context.new_stream().map_err(failed("cuStreamCreate"))?;
        let buffer = |words| Buffer::new(&context, words);
        let (input, output, flags) = (buffer(MOST * WORDS)?, buffer(MOST * WORDS)?, buffer(1024)?);
        (0..1024).for_each(|i| flags.word(i).store(0, Ordering::Relaxed));
        Ok(Self { stream, module, input, output, flags })
    }

    fn function(&self, name: &str) -> Result<CudaFunction, Failure> {
        self.module.load_function(name).map_err(failed("cuModuleGetFunction"))
    }

    /// Starts `blocks` blocks of `threads` threads, on the input, the output and, if asked for, the flags.
    fn launch(&self, function: &CudaFunction, blocks: u32, threads: u32, flags: bool) -> Result<(), Failure> {
        let mut launch = self.stream.launch_builder(function);
        launch.arg(&self.input.device).arg(&self.output.device);
        if flags {
            launch.arg(&self.flags.device);
        }
        let shape =
            LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the functions take two or three pointers, to memory with room for `MOST` messages that
        // lives as long as `self`.
        unsafe { launch.launch(shape) }.map_err(failed("cuLaunchKernel"))?;
        Ok(())
    }

    fn graph(&self, function: &CudaFunction, blocks: u32, threads: u32) -> Result<CudaGraph, Failure> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode).map_err(failed("cuStreamBeginCapture"))?;
        let launched = self.launch(function, blocks, threads, false);
        let graph = self.stream.end_capture(sys::CUgraphInstantiate_flags(0));
        launched?;
        let graph = graph.map_err(failed("cuGraphInstantiate"))?.ok_or("a capture gave no graph")?;
        graph.upload().map_err(failed("cuGraphUpload"))?;
        Ok(graph)
    }

    /// Whether all that was launched has ended.
    #[cfg(target_arch = "x86_64")]
    fn is_done(&self) -> Result<bool, Failure> {
        // SAFETY: the stream is live, and so is the driver.
        match unsafe { sys::cuStreamQuery(self.stream.cu_stream()) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => code.result().map(|()| true).map_err(failed("cuStreamQuery")),
        }
    }

    fn wait(&self) -> Result<(), Failure> {
        self.stream.synchronize().map_err(failed("cuStreamSynchronize"))
    }

    /// What sends `batch` messages to the device and waits for their answers.
    fn turn(
        &self,
        how: How,
        batch: usize,
        threads: u32,
    ) -> Result<impl Fn(u32) -> Result<(), Failure>, Failure> {
        assert!(batch <= MOST, "the buffers have room for {MOST} messages");
        let function = self.function("launched")?;
        let graph = match how {
            How::Launch => None,
            How::Graph => Some(self.graph(&function, batch as u32, threads)?),
        };
        Ok(move |number: u32| -> Result<(), Failure> {
            self.input.fill(batch, number);
            match &graph {
                None => self.launch(&function, batch as u32, threads, false)?,
                Some(graph) => graph.launch().map_err(failed("cuGraphLaunch"))?,
            }
            self.wait()?;
            self.output.check(batch, number.wrapping_add(1))
        })
    }
}

/// The percentiles of a round trip by a launch, or a graph's replay, for each message.
pub(crate) fn launch_round_trips(how: How, threads: u32, samples: u32) -> Run {
    let device = Device::open(SOURCE)?;
    timed(samples, device.turn(how, 1, threads)?)
}

/// The percentiles of a round trip through a hand-written loop that stays.
pub(crate) fn resident_round_trips(threads: u32, samples: u32) -> Run {
    let device = Device::open(SOURCE)?;
    device.launch(&device.function("resident")?, 1, threads, true)?;
    let result = timed(samples, |number| {
        device.input.fill(1, number);
        device.flags.word(0).store(number, Ordering::Release);
        await_answer(device.flags.word(ANSWER), number)?;
        device.output.check(1, number + 1)
    });
    device.flags.word(0).store(u32::MAX, Ordering::Release);
    device.wait()?;
    result
}

/// Millions of messages a second, by launches of `batch` messages each.
pub(crate) fn launch_rate(how: How, threads: u32, batch: usize, messages: usize) -> Run {
    let device = Device::open(SOURCE)?;
    let turn = device.turn(how, batch, threads)?;
    turn(0)?;
    let turns = messages.div_ceil(batch);
    let begun = Instant::now();
    (1..=turns as u32).try_for_each(turn)?;
    Ok(vec![(turns * batch) as f64 / begun.elapsed().as_secs_f64() / 1e6])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By NVIDIA's compiler, where it is; a compiler that is too old for units loses no other figure.
    #[test]
    fn the_texts_compile_for_every_architecture() {
        assert!([SOURCE, micro::SOURCE].iter().all(|(_, text)| !text.contains(".b128")));
        let (known, version) = match (annulus_cuda::architectures(), annulus_cuda::nvrtc_version()) {
            (Ok(known), Ok(version)) => (known, version),
            (Err(missing), _) | (_, Err(missing)) => return println!("skipped: {missing}"),
        };
        let texts = [SOURCE, micro::SOURCE].into_iter().chain((version >= (12, 4)).then_some(units::SOURCE));
        for (name, text) in texts {
            for &architecture in &known {
                let code = annulus_cuda::compile(name, text, architecture);
                assert!(code.is_ok_and(|code| code.starts_with(b"\x7fELF")), "{name} for {architecture}");
            }
        }
        // One that is newer than the compiler gets the code of the nearest older one of its generation.
        let last = known[known.len() - 1];
        let newer = Architecture::new(last.major(), last.minor() + 5);
        assert!(annulus_cuda::compile(SOURCE.0, SOURCE.1, newer).is_ok());
    }
}
