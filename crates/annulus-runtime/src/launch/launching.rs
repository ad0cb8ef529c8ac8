//! Launches that are awaited.
//!
//! A launch may compile for seconds. It must not block an executor's thread for so long, and a future cannot
//! compile in steps. So a separate thread launches.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    thread,
};

use annulus_kernel::RingKernel;
use annulus_sync::event::Event;
use tracing::{Dispatch, Span, dispatcher};

use crate::{
    error::LaunchError,
    handle::{AnyHandle, KernelHandle},
    launch::{runtime::Runtime, start::AnyBound},
    options::LaunchOptions,
};

type Outcome = Result<AnyHandle, LaunchError>;

/// A launch as a future; see [`Bound::launch_async`](crate::Bound::launch_async).
#[must_use = "nothing is launched until this is awaited"]
pub struct Launching<K: RingKernel> {
    future: Pin<Box<dyn Future<Output = Outcome> + Send>>,
    _kernel: PhantomData<fn() -> K>,
}

impl<K: RingKernel> Launching<K> {
    /// The launch of a kernel that is `K`.
    pub(crate) fn new(bound: AnyBound, runtime: Runtime, options: LaunchOptions) -> Self {
        Self { future: launch(bound, runtime, options), _kernel: PhantomData }
    }
}

impl<K: RingKernel> Future for Launching<K> {
    type Output = Result<KernelHandle<K>, LaunchError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = self.future.as_mut().poll(context);
        outcome.map_ok(|handle| handle.typed().expect("it was launched as that"))
    }
}

impl<K: RingKernel> fmt::Debug for Launching<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launching").field("kernel", &K::DEFINITION.name).finish_non_exhaustive()
    }
}

/// State shared by the future and its thread. If nobody took the kernel, the last of the two to drop this
/// drops the kernel.
struct Shared {
    /// What is to be launched, until it is launched.
    order: Mutex<Option<Order>>,
    /// The outcome, from the end of the launch until the future takes it.
    outcome: Mutex<Option<thread::Result<Outcome>>>,
    ended: Event,
}

struct Order {
    bound: AnyBound,
    runtime: Runtime,
    options: LaunchOptions,
    /// The events of the launch go to the same subscriber as those of its caller.
    dispatch: Dispatch,
    span: Span,
}

impl Shared {
    fn launch(&self) -> thread::Result<Outcome> {
        let order = self.order.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Order { bound, runtime, options, dispatch, span } = order.expect("it is launched once");
        let launch = || span.in_scope(|| bound.launch(&runtime, options));
        dispatcher::with_default(&dispatch, || catch_unwind(AssertUnwindSafe(launch)))
    }

    fn take(&self) -> Option<thread::Result<Outcome>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The same of a kernel of any type.
pub(crate) fn launch(
    bound: AnyBound,
    runtime: Runtime,
    options: LaunchOptions,
) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
    Box::pin(launch_elsewhere(bound, runtime, options))
}

async fn launch_elsewhere(bound: AnyBound, runtime: Runtime, options: LaunchOptions) -> Outcome {
    let dispatch = dispatcher::get_default(Dispatch::clone);
    let order = Order { bound, runtime, options, dispatch, span: Span::current() };
    let shared =
        Arc::new(Shared { order: Mutex::new(Some(order)), outcome: Mutex::default(), ended: Event::new() });
    let its = Arc::clone(&shared);
    let launch = move || {
        let outcome = its.launch();
        *its.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        its.ended.notify_all();
    };
    if thread::Builder::new().name("annulus-launch".into()).spawn(launch).is_err() {
        // No thread could be started: launch on this one.
        return shared.launch().unwrap_or_else(|panic| resume_unwind(panic));
    }
    loop {
        let listener = shared.ended.listen();
        if let Some(outcome) = shared.take() {
            return outcome.unwrap_or_else(|panic| resume_unwind(panic));
        }
        listener.await;
    }
}
