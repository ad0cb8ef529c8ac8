//! A kernel with its bound parameters, and with the kernels that it is to send to.

use std::{fmt, marker::PhantomData, sync::Arc};

use annulus_abi::memory::KernelMemory;
use annulus_kernel::{Accepts, Binding, RingKernel};
use annulus_queue::Backpressure;

use crate::{
    error::LaunchError,
    handle::{KernelHandle, port::PortName},
    kernel::shared::Kind,
    launch::{
        launching::Launching,
        runtime::{Runtime, RuntimeInner},
        start::{AnyBound, Route},
    },
    options::LaunchOptions,
};

/// A kernel with its bound parameters, ready to launch; or to be [connected](Self::connect) first.
pub struct Bound<K> {
    bindings: Vec<Binding>,
    routes: Vec<Route>,
    /// The launch options that the kernel's attribute asks for.
    attribute: fn() -> LaunchOptions,
    _kernel: PhantomData<fn(K)>,
}

impl<K: RingKernel> fmt::Debug for Bound<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("kernel", &K::DEFINITION.name).finish_non_exhaustive()
    }
}

impl<K: RingKernel> Bound<K> {
    /// Called by the `bind` function of a kernel.
    #[doc(hidden)]
    pub fn new(bindings: Vec<Binding>, attribute: fn() -> LaunchOptions) -> Self {
        Self { bindings, routes: Vec::new(), attribute, _kernel: PhantomData }
    }

    /// Says where the outputs of the kernel's handlers go, from its first message on; the backpressure is
    /// Block. As [`KernelHandle::connect`], but nothing needs to be said of the kernel's launch: it is
    /// connectable, and active once it is connected. The target is launched before, with
    /// [`connectable(true)`](LaunchOptions::connectable).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let last = double::launch(&runtime, LaunchOptions::production().connectable(true).name("last"))?;
    /// let first = double::bind().connect(&last).launch(&runtime, LaunchOptions::production())?;
    /// first.send_blocking(Number { value: 5 })?;
    /// assert_eq!(last.recv_blocking()?, Number { value: 20 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "a kernel that is bound does nothing until it is launched"]
    pub fn connect<T: RingKernel<Message: Accepts<K::Output>>>(self, target: &KernelHandle<T>) -> Self {
        self.connect_with(target, Backpressure::Block)
    }

    /// [`connect`](Self::connect) with Block or Reject; see [`KernelHandle::connect_with`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let options = LaunchOptions::production().capacity(16);
    /// let last = double::launch(&runtime, options.clone().name("last").connectable(true).active(false))?;
    /// let first = double::bind().connect_with(&last, Backpressure::Reject).launch(&runtime, options)?;
    /// first.send_batch_blocking(&numbers(0..20))?;
    /// first.drained_blocking();
    /// assert_eq!(first.status().outputs_lost, 4); // `last` is inactive, and has room for 16
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "a kernel that is bound does nothing until it is launched"]
    pub fn connect_with<T: RingKernel<Message: Accepts<K::Output>>>(
        self,
        target: &KernelHandle<T>,
        backpressure: Backpressure,
    ) -> Self {
        // SAFETY: by the handle's type, which is that of its kernel.
        self.with(unsafe { Route::new(None, target.any().clone(), T::Message::VARIANT, backpressure) })
    }

    /// Says where goes what the kernel sends by one of several outboxes; the backpressure is Block. As
    /// [`connect`](Self::connect), it is for a kernel that is not launched yet, which so sends there from its first
    /// message on. One that was launched, and is inactive, is connected by [`Port::connect`](crate::Port::connect).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let double = double::launch(&runtime, LaunchOptions::production().connectable(true))?;
    /// let sort = sort::bind().connect_port(sort::EVEN, &double).launch(&runtime, sort::options())?;
    ///
    /// sort.send_batch_blocking(&numbers(3..5))?;
    /// assert_eq!(sort.port(sort::ODD).recv_blocking()?, Number { value: 3 });
    /// assert_eq!(double.recv_blocking()?, Number { value: 8 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "a kernel that is bound does nothing until it is launched"]
    pub fn connect_port<M, T: RingKernel<Message: Accepts<M>>>(
        self,
        port: PortName<K, M>,
        target: &KernelHandle<T>,
    ) -> Self {
        self.connect_port_with(port, target, Backpressure::Block)
    }

    /// [`connect_port`](Self::connect_port) with Block or Reject; see [`KernelHandle::connect_with`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let double = double::launch(&runtime, LaunchOptions::production())?;
    /// let sort = sort::bind().connect_port_with(sort::EVEN, &double, Backpressure::Reject);
    /// let error = sort.launch(&runtime, LaunchOptions::production()).unwrap_err();
    /// assert!(error.to_string().contains("LaunchOptions::connectable(true)")); // `double` does not say it
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "a kernel that is bound does nothing until it is launched"]
    pub fn connect_port_with<M, T: RingKernel<Message: Accepts<M>>>(
        self,
        port: PortName<K, M>,
        target: &KernelHandle<T>,
        backpressure: Backpressure,
    ) -> Self {
        // SAFETY: by the types of the outbox and of the target's handle.
        self.with(unsafe {
            Route::new(Some(port.number()), target.any().clone(), T::Message::VARIANT, backpressure)
        })
    }

    fn with(mut self, route: Route) -> Self {
        self.routes.push(route);
        self
    }

    /// Launches the kernel *into* another one, on that one's runtime: the outputs of its handlers go there,
    /// from its first message on. Short for [`connect`](Self::connect) and [`launch`](Self::launch).
    ///
    /// So targets are launched first, and sources into them. A kernel that binds nothing has this as a function
    /// of its own, `kernel::launch_into(&target, options)`.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    /// #[repr(C)]
    /// struct Number {
    ///     value: u64,
    /// }
    ///
    /// #[ring_kernel(connectable = true)]
    /// fn root(number: &Number, out: &Outbox<Number>) {
    ///     out.send(Number { value: number.value.isqrt() });
    /// }
    ///
    /// #[ring_kernel]
    /// fn scale(number: &Number, factor: &u64, out: &Outbox<Number>) {
    ///     out.send(Number { value: number.value * factor });
    /// }
    ///
    /// let root = root::launch(&Runtime::builder().build()?, root::options())?;
    /// let scale = scale::bind(3).launch_into(&root, scale::options())?;
    /// scale.send_blocking(Number { value: 12 })?;
    /// assert_eq!(root.recv_blocking()?, Number { value: 6 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LaunchError`], as for [`launch`](Self::launch).
    pub fn launch_into<T: RingKernel<Message: Accepts<K::Output>>>(
        self,
        target: &KernelHandle<T>,
        options: LaunchOptions,
    ) -> Result<KernelHandle<K>, LaunchError> {
        let runtime = Arc::clone(target.runtime()).downcast::<RuntimeInner>();
        let inner = runtime.unwrap_or_else(|_| unreachable!("a handle keeps the runtime that made it"));
        self.connect(target).launch(&Runtime { inner }, options)
    }

    /// Launches the kernel. Blocks until the device has its program; if the program is compiled, this takes
    /// seconds. After that the kernel takes messages. [`ready`](crate::KernelControl::ready) says when it
    /// begins to handle them.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    /// #[repr(C)]
    /// struct Number {
    ///     value: u64,
    /// }
    ///
    /// #[ring_kernel]
    /// fn scale(number: &Number, factor: &u64, out: &Outbox<Number>) {
    ///     out.send(Number { value: number.value * factor });
    /// }
    ///
    /// let kernel = scale::bind(3).launch(&Runtime::builder().build()?, LaunchOptions::production())?;
    /// assert_eq!(kernel.call_blocking(Number { value: 14 })?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LaunchError`] names what is wrong, and the remedy; if that is a target, nothing was launched. Every
    /// launch is refused in a child that was forked from the process that built the runtime.
    pub fn launch(self, runtime: &Runtime, options: LaunchOptions) -> Result<KernelHandle<K>, LaunchError> {
        let launched = self.any().launch(runtime, options)?;
        Ok(launched.typed().expect("it was launched as that"))
    }

    /// The memory that a launch with these options takes on this runtime: what the kernel's
    /// [`status`](crate::KernelStatus::memory) then shows. Nothing is launched or compiled.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let options = LaunchOptions::production().capacity(1024);
    /// let memory = double::bind().memory(&runtime, options.clone())?;
    /// assert!(memory.inbound >= 1024 * 16 && memory.queues == 0);
    /// let sorted = double::bind().memory(&runtime, options.clone().priority(true))?;
    /// assert!(sorted.queues >= 1024 * 8); // these wait in front of the ring
    ///
    /// let kernel = double::bind().launch(&runtime, options)?;
    /// assert_eq!(kernel.status().memory, memory);
    /// println!("{} bytes: {:?}", memory.total(), memory.by_part());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LaunchError`], if it could not be launched with these options, as far as this is known without compiling.
    pub fn memory(self, runtime: &Runtime, options: LaunchOptions) -> Result<KernelMemory, LaunchError> {
        self.any().memory(runtime, options)
    }

    /// [`launch`](Self::launch) for code that must not block: a separate thread compiles and launches while
    /// the future is awaited. The future is `'static`, so it can be spawned.
    ///
    /// If the future is dropped before it is done, the kernel is ended once its launch is over: a compiler is
    /// not interrupted. Until then the name is taken. If no thread can be started, the launch blocks.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus_runtime::{LaunchOptions, Noop, Runtime, block_on, prelude::*};
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Number {
    ///     value: u64,
    /// }
    ///
    /// #[ring_kernel]
    /// fn scale(number: &Number, factor: &u64, out: &Outbox<Number>) {
    ///     out.send(Number { value: number.value * factor });
    /// }
    ///
    /// let runtime = Runtime::builder().backend(Noop).build()?;
    /// block_on(async {
    ///     let kernel = scale::bind(3).launch_async(&runtime, LaunchOptions::production()).await?;
    ///     kernel.ready().await?;
    ///     let _ = kernel.send(Number { value: 14 }).await?;
    ///     Ok::<_, Box<dyn std::error::Error>>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The future gives the same errors as `launch`.
    pub fn launch_async(self, runtime: &Runtime, options: LaunchOptions) -> Launching<K> {
        Launching::new(self.any(), runtime.clone(), options)
    }

    pub(crate) fn any(self) -> AnyBound {
        AnyBound::new(Kind::of::<K>(), self.bindings, self.attribute).with_routes(self.routes)
    }
}
