//! The Annulus runtime: placeholder front page.

use annulus_kernel::{Binding, RingKernel};
use std::marker::PhantomData;

/// Placeholder.
#[derive(Debug)]
pub struct Runtime;
/// Placeholder.
#[derive(Debug, Default)]
pub struct LaunchOptions;
/// Placeholder.
#[derive(Debug)]
pub struct LaunchError;
/// Placeholder.
#[derive(Debug)]
pub struct KernelHandle<K>(PhantomData<K>);
/// A kernel with its bound parameters, ready to launch.
#[derive(Debug)]
pub struct Bound<K>(Vec<Binding>, PhantomData<K>);

impl<K: RingKernel> Bound<K> {
    #[doc(hidden)]
    pub fn new(bindings: Vec<Binding>) -> Self {
        Self(bindings, PhantomData)
    }
    /// Launches it.
    pub fn launch(self, _runtime: &Runtime, _options: LaunchOptions) -> Result<KernelHandle<K>, LaunchError> {
        Err(LaunchError)
    }
}

/// What the macros' output names. Not a public API.
#[doc(hidden)]
pub mod __private {
    pub use crate::{Bound, KernelHandle, LaunchError, LaunchOptions, Runtime};
    pub use annulus_kernel::*;
}

/// What a program that uses ring kernels imports.
pub mod prelude {
    pub use crate::{KernelHandle, LaunchOptions, Runtime};
    pub use annulus_kernel::{Cx, DeviceType, Failure, Outbox, RingKernel, RingMessage};
    pub use annulus_macros::{DeviceType, RingMessage, ring_kernel};
}
