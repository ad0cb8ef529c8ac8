//! OpenCL as a program without Annulus uses it: a launch for each message, and a hand-written loop that
//! stays. What a resident kernel is compared with.

pub(crate) mod handlers;
pub(crate) mod product;

use std::{
    ffi::{CStr, c_void},
    ptr::{self, NonNull},
    time::Instant,
};

use annulus_sync::{AtomicU32, Ordering};
use cl3::{
    command_queue::{
        create_command_queue_with_properties, enqueue_map_buffer, enqueue_nd_range_kernel, finish, flush,
        release_command_queue,
    },
    context::{create_context, release_context},
    device::{CL_DEVICE_NAME, CL_DEVICE_TYPE_ALL, get_device_data, get_device_ids},
    event::release_event,
    kernel::{create_kernel, release_kernel, set_kernel_arg},
    memory::{
        CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, create_buffer,
        release_mem_object,
    },
    platform::{CL_PLATFORM_NAME, get_platform_data, get_platform_ids},
    program::{build_program, create_program_with_source, release_program},
    types::{
        CL_TRUE, cl_command_queue, cl_context, cl_device_id, cl_int, cl_kernel, cl_mem, cl_platform_id,
        cl_program,
    },
};

use crate::{
    clock::{await_answer, timed},
    harness::{Failure, Run},
    launched,
};

const SOURCE: &str = include_str!("launches.c");
const OPTIONS: &CStr = c"-cl-std=CL3.0";
/// Words of a message: 256 bytes.
const WORDS: usize = 64;
/// Messages in the largest batch.
const MOST: usize = 4096;
/// In 32-bit words: where the answering flag lies, in a line of its own.
const ANSWER: usize = 32;

fn status(what: &'static str) -> impl Fn(cl_int) -> Failure {
    move |code| format!("{what} failed with OpenCL status {code}").into()
}

/// Whether there is a device to measure on.
pub(crate) fn is_there() -> bool {
    cl3::is_opencl_runtime_available() && first_device().is_ok()
}

fn first_device() -> Result<cl_device_id, Failure> {
    let platforms = get_platform_ids().map_err(status("clGetPlatformIDs"))?;
    let mut devices = platforms.into_iter().flat_map(|platform| {
        let devices = get_device_ids(platform, CL_DEVICE_TYPE_ALL).unwrap_or_default();
        devices.into_iter().map(move |device| (platform, device))
    });
    // As the backend chooses: by the device's name, or its platform's.
    let wanted = std::env::var(launched::DEVICE).unwrap_or_default().to_lowercase();
    let is_wanted = |(platform, device): &(cl_platform_id, cl_device_id)| {
        let names =
            [get_device_data(*device, CL_DEVICE_NAME), get_platform_data(*platform, CL_PLATFORM_NAME)];
        let contains = |name: &Vec<u8>| String::from_utf8_lossy(name).to_lowercase().contains(&wanted);
        names.iter().flatten().any(contains)
    };
    let found = devices.find(is_wanted).map(|(_, device)| device);
    found.ok_or_else(|| format!("there is no OpenCL device with `{wanted}` in its name").into())
}

/// A buffer that is mapped for as long as it lives.
struct Buffer {
    memory: cl_mem,
    words: NonNull<u32>,
}

/// A context with one device, its program and buffers.
struct Device {
    context: cl_context,
    queue: cl_command_queue,
    program: cl_program,
    input: Buffer,
    output: Buffer,
    flags: Buffer,
}

impl Device {
    fn open(source: &str, options: &CStr) -> Result<Self, Failure> {
        let device = first_device()?;
        let context = create_context(&[device], ptr::null(), None, ptr::null_mut())
            .map_err(status("clCreateContext"))?;
        // SAFETY: context and device were just made and found.
        let queue = unsafe { create_command_queue_with_properties(context, device, ptr::null()) }
            .map_err(status("clCreateCommandQueue"))?;
        let program =
            create_program_with_source(context, &[source]).map_err(status("clCreateProgramWithSource"))?;
        build_program(program, &[device], options, None, ptr::null_mut())
            .map_err(status("clBuildProgram"))?;
        let buffer = |words| Buffer::new(context, queue, words);
        let (input, output, flags) = (buffer(MOST * WORDS)?, buffer(MOST * WORDS)?, buffer(1024)?);
        Ok(Self { context, queue, program, input, output, flags })
    }

    fn kernel(&self, name: &CStr) -> Result<Kernel<'_>, Failure> {
        let kernel = create_kernel(self.program, name).map_err(status("clCreateKernel"))?;
        let kernel = Kernel { device: self, kernel };
        kernel.set(0, &self.input.memory)?;
        kernel.set(1, &self.output.memory)?;
        Ok(kernel)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // Failing to release leaks, which a benchmark survives.
        let _ = finish(self.queue);
        for buffer in [&self.input, &self.output, &self.flags] {
            // SAFETY: made by `Buffer::new`, released once; every kernel has ended.
            let _ = unsafe { release_mem_object(buffer.memory) };
        }
        // SAFETY: made by `open`, released once.
        let _ = unsafe { release_program(self.program) };
        // SAFETY: as above.
        let _ = unsafe { release_command_queue(self.queue) };
        // SAFETY: as above.
        let _ = unsafe { release_context(self.context) };
    }
}

impl Buffer {
    fn new(context: cl_context, queue: cl_command_queue, words: usize) -> Result<Self, Failure> {
        let bytes = words * 4;
        // SAFETY: without a host pointer there is nothing to keep alive.
        let memory = unsafe {
            create_buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, ptr::null_mut())
        }
        .map_err(status("clCreateBuffer"))?;
        let mut mapped: *mut c_void = ptr::null_mut();
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: the whole of a buffer that was just made; the call waits for the map.
        let event = unsafe {
            enqueue_map_buffer(queue, memory, CL_TRUE, flags, 0, bytes, &mut mapped, 0, ptr::null())
        }
        .map_err(status("clEnqueueMapBuffer"))?;
        // SAFETY: the event is ours.
        let _ = unsafe { release_event(event) };
        let words = NonNull::new(mapped.cast()).ok_or("clEnqueueMapBuffer gave no memory")?;
        Ok(Self { memory, words })
    }

    /// The word at `index`, which a kernel may read and write at the same time.
    fn word(&self, index: usize) -> &AtomicU32 {
        // SAFETY: callers stay inside the buffer's words.
        let word = unsafe { self.words.add(index) };
        // SAFETY: mapped, aligned to its size, and reached through atomics only, on this side.
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

struct Kernel<'a> {
    device: &'a Device,
    kernel: cl_kernel,
}

impl Kernel<'_> {
    fn set<T>(&self, index: u32, value: &T) -> Result<(), Failure> {
        // SAFETY: the value is as long as its type, and is copied before the call returns.
        unsafe { set_kernel_arg(self.kernel, index, size_of::<T>(), ptr::from_ref(value).cast()) }
            .map_err(status("clSetKernelArg"))
    }

    fn launch(&self, items: usize) -> Result<(), Failure> {
        // SAFETY: one dimension, and both sizes live through the call.
        let event = unsafe {
            enqueue_nd_range_kernel(
                self.device.queue,
                self.kernel,
                1,
                ptr::null(),
                &raw const items,
                &raw const items,
                0,
                ptr::null(),
            )
        }
        .map_err(status("clEnqueueNDRangeKernel"))?;
        // SAFETY: the event is ours.
        unsafe { release_event(event) }.map_err(status("clReleaseEvent"))
    }

    fn wait(&self) -> Result<(), Failure> {
        finish(self.device.queue).map_err(status("clFinish"))
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `Device::kernel`, released once.
        let _ = unsafe { release_kernel(self.kernel) };
    }
}

/// The percentiles of a round trip by a launch for each message: write it, enqueue, finish, read.
pub(crate) fn launch_round_trips(items: usize, samples: u32) -> Run {
    let device = Device::open(SOURCE, OPTIONS)?;
    let kernel = device.kernel(c"launched")?;
    let round_trip = |number: u32| -> Result<(), Failure> {
        device.input.fill(1, number);
        kernel.launch(items)?;
        kernel.wait()?;
        device.output.check(1, number + 1)
    };
    timed(samples, round_trip)
}

/// The percentiles of a round trip through a hand-written loop that stays.
pub(crate) fn resident_round_trips(items: usize, samples: u32) -> Run {
    let device = Device::open(SOURCE, OPTIONS)?;
    let kernel = device.kernel(c"resident")?;
    kernel.set(2, &device.flags.memory)?;
    kernel.launch(items)?;
    flush(device.queue).map_err(status("clFlush"))?;
    let result = timed(samples, |number| {
        device.input.fill(1, number);
        device.flags.word(0).store(number, Ordering::Release);
        await_answer(device.flags.word(ANSWER), number)?;
        device.output.check(1, number + 1)
    });
    device.flags.word(0).store(u32::MAX, Ordering::Release);
    kernel.wait()?;
    result
}

/// Millions of messages a second, by launches of `batch` messages each.
pub(crate) fn launch_rate(items: usize, batch: usize, messages: usize) -> Run {
    assert!(batch <= MOST, "the buffers have room for {MOST} messages");
    let device = Device::open(SOURCE, OPTIONS)?;
    let kernel = device.kernel(c"launched_batch")?;
    kernel.set(2, &(batch as u32))?;
    let turn = |number: u32| -> Result<(), Failure> {
        device.input.fill(batch, number);
        kernel.launch(items)?;
        kernel.wait()?;
        device.output.check(batch, number + 1)
    };
    turn(0)?;
    let turns = messages.div_ceil(batch);
    let begun = Instant::now();
    (0..turns as u32).try_for_each(turn)?;
    Ok(vec![(turns * batch) as f64 / begun.elapsed().as_secs_f64() / 1e6])
}
