//! Launches that are awaited: on a backend whose launches take until the test lets them go on.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{
    any::Any,
    future::Future,
    mem::MaybeUninit,
    pin::pin,
    sync::{Arc, Condvar, Mutex},
    task::{Context, Poll, Waker},
    thread::{self, ThreadId},
    time::Duration,
};

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::{
    BackendError, DeviceBackend, DeviceInfo, DeviceKernel, LaunchError, LaunchOptions, LaunchSpec, Launching,
    LifecycleError, Noop, Runtime, SharedMemory, block_on,
};
use annulus_sync::{AtomicBool, Ordering};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn swallow(number: &Number) {
    let _ = number.value;
}

#[ring_kernel]
fn weigh(number: &Number, factor: &u64) {
    let _ = number.value * factor;
}

/// A gate that launches stand before, and the threads that have come to it.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
    came: Mutex<Vec<ThreadId>>,
    panics: AtomicBool,
    /// The shard that hears nothing, if it is not `None`.
    deaf: Mutex<Option<u32>>,
}

impl Gate {
    fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    fn pass(&self) {
        self.came.lock().unwrap().push(thread::current().id());
        let _open = self.opened.wait_while(self.open.lock().unwrap(), |open| !*open).unwrap();
    }
}

struct Gated(Arc<Gate>);

// SAFETY: it does what the no-op backend does, later.
unsafe impl DeviceBackend for Gated {
    fn name(&self) -> &'static str {
        "gated"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        Noop.devices()
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        Noop.allocate(bytes)
    }

    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        self.0.pass();
        assert!(!self.0.panics.load(Ordering::Relaxed), "the backend's fault");
        let kernel = Noop.launch(spec)?;
        Ok(Box::new(Deaf { kernel, gate: Arc::clone(&self.0) }))
    }
}

/// A kernel of which one shard may hear nothing.
struct Deaf {
    kernel: Box<dyn DeviceKernel>,
    gate: Arc<Gate>,
}

impl DeviceKernel for Deaf {
    fn wake(&self, shard: u32) {
        if *self.gate.deaf.lock().unwrap() != Some(shard) {
            self.kernel.wake(shard);
        }
    }

    unsafe fn read_states(&self, shard: u32, states: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.read_states(shard, states) }
    }

    unsafe fn write_states(&self, shard: u32, states: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.write_states(shard, states) }
    }

    unsafe fn read_actors(&self, shard: u32, words: &mut [u64]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.read_actors(shard, words) }
    }

    unsafe fn write_actors(&self, shard: u32, words: &[u64]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.write_actors(shard, words) }
    }

    unsafe fn read_binding(&self, index: usize, memory: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.read_binding(index, memory) }
    }

    unsafe fn write_binding(&self, index: usize, memory: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.write_binding(index, memory) }
    }

    fn as_any(&self) -> &dyn Any {
        self.kernel.as_any()
    }
}

fn gated() -> (Arc<Gate>, Runtime) {
    let gate = Arc::new(Gate::default());
    let runtime = Runtime::builder().backend(Gated(Arc::clone(&gate))).build().unwrap();
    (gate, runtime)
}

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

#[test]
fn a_launch_that_is_awaited_keeps_no_thread_of_its_callers() {
    let (gate, runtime) = gated();
    let mut launching = swallow::launch_async(&runtime, LaunchOptions::production());
    // However often: the backend has not launched yet, and this thread goes on.
    for _ in 0..3 {
        assert!(poll(&mut launching).is_pending());
    }
    until(|| !gate.came.lock().unwrap().is_empty());
    assert_eq!(
        swallow::launch(&runtime, LaunchOptions::production()).unwrap_err(),
        LaunchError::AlreadyLaunched { name: "swallow".into() },
        "the name is taken from the beginning"
    );
    gate.open();
    let kernel = block_on(launching).unwrap();
    assert_eq!(block_on(kernel.ready()), Ok(()));
    let came = gate.came.lock().unwrap();
    assert!(came.len() == 1 && came[0] != thread::current().id());
}

#[test]
fn nothing_is_launched_before_it_is_awaited() {
    let (gate, runtime) = gated();
    gate.open();
    drop(swallow::launch_async(&runtime, LaunchOptions::production()));
    let _kernel = swallow::launch(&runtime, LaunchOptions::production()).unwrap();
    assert_eq!(gate.came.lock().unwrap().len(), 1);
}

#[test]
fn a_launch_that_nobody_awaits_any_more_leaves_no_kernel() {
    let (gate, runtime) = gated();
    let mut launching = swallow::launch_async(&runtime, LaunchOptions::production());
    assert!(poll(&mut launching).is_pending());
    until(|| !gate.came.lock().unwrap().is_empty());
    drop(launching);
    gate.open();
    // A second one is refused until the first has ended.
    let mut again = swallow::launch(&runtime, LaunchOptions::production());
    while let Err(LaunchError::AlreadyLaunched { .. }) = again {
        thread::yield_now();
        again = swallow::launch(&runtime, LaunchOptions::production());
    }
    assert_eq!(again.unwrap().ready_blocking(), Ok(()));
}

#[test]
fn a_bound_kernel_is_launched_the_same_way() {
    let (gate, runtime) = gated();
    gate.open();
    let kernel = block_on(weigh::bind(3).launch_async(&runtime, LaunchOptions::production())).unwrap();
    assert_eq!(kernel.name(), "weigh");
}

/// It can be spawned, and outlives the runtime that it was given.
#[test]
fn the_future_stands_by_itself() {
    fn spawned<F: Future + Send + 'static>(future: F) -> thread::JoinHandle<F::Output>
    where
        F::Output: Send,
    {
        thread::spawn(move || block_on(future))
    }
    let (gate, runtime) = gated();
    gate.open();
    let launching: Launching<swallow> = swallow::launch_async(&runtime, LaunchOptions::production());
    drop(runtime);
    assert_eq!(spawned(launching).join().unwrap().unwrap().ready_blocking(), Ok(()));
}

#[test]
fn what_is_wrong_with_a_launch_comes_out_of_the_future() {
    let (gate, runtime) = gated();
    gate.open();
    let error = block_on(swallow::launch_async(&runtime, LaunchOptions::production().grid(0))).unwrap_err();
    assert!(matches!(error, LaunchError::Invalid(_)), "{error}");
    gate.panics.store(true, Ordering::Relaxed);
    let panic = thread::spawn(move || {
        let _ = block_on(swallow::launch_async(&runtime, LaunchOptions::production()));
    });
    let payload = panic.join().unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"the backend's fault"));
}

#[test]
fn a_kernel_that_has_ended_gets_never_ready() {
    let (gate, runtime) = gated();
    gate.open();
    let kernel = swallow::launch(&runtime, LaunchOptions::production()).unwrap();
    assert_eq!(kernel.ready_blocking(), Ok(()));
    kernel.terminate_blocking();
    assert_eq!(kernel.ready_blocking(), Err(LifecycleError::Terminated));
}

#[test]
fn a_kernel_is_ready_when_its_last_block_has_answered() {
    for ends in [false, true] {
        let (gate, runtime) = gated();
        gate.open();
        *gate.deaf.lock().unwrap() = Some(1);
        let kernel = swallow::launch(&runtime, LaunchOptions::production().grid(3)).unwrap();
        let mut ready = Box::pin(kernel.ready());
        for _ in 0..3 {
            assert!(poll(&mut ready).is_pending());
        }
        assert_eq!(kernel.ready_timeout(Duration::from_millis(1)), Err(LifecycleError::Timeout));
        *gate.deaf.lock().unwrap() = None;
        // Two blocks have answered. A command wakes the third.
        if ends {
            kernel.terminate_blocking();
            assert_eq!(block_on(ready), Err(LifecycleError::Terminated));
        } else {
            kernel.deactivate_blocking().unwrap();
            assert_eq!(poll(&mut ready), Poll::Ready(Ok(())));
        }
    }
}
