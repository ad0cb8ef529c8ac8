//! A kernel with its bound parameters.

use std::marker::PhantomData;

use annulus_kernel::{Binding, RingKernel};

use crate::{
    error::LaunchError,
    handle::KernelHandle,
    kernel::shared::Kind,
    launch::{launching::Launching, runtime::Runtime, start::AnyBound},
    options::LaunchOptions,
};

/// A kernel with its bound parameters, ready to launch.
#[derive(Debug)]
pub struct Bound<K> {
    bindings: Vec<Binding>,
    _kernel: PhantomData<K>,
}

impl<K: RingKernel> Bound<K> {
    /// Called by the `bind` function of a kernel.
    #[doc(hidden)]
    pub fn new(bindings: Vec<Binding>) -> Self {
        Self { bindings, _kernel: PhantomData }
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
    /// [`LaunchError`] names what is wrong, and the remedy. Every launch is refused in a child that was
    /// forked from the process that built the runtime.
    pub fn launch(self, runtime: &Runtime, options: LaunchOptions) -> Result<KernelHandle<K>, LaunchError> {
        let launched = self.any().launch(runtime, options)?;
        Ok(launched.typed().expect("it was launched as that"))
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

    fn any(self) -> AnyBound {
        AnyBound::new(Kind::of::<K>(), self.bindings)
    }
}
