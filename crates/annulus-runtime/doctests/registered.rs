// What examples of kernels by name share: they include it as a module.

mod kernels {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs"));
}

pub use annulus_kernel::DeviceType as _;
pub use annulus_runtime::{DynamicKernel, DynamicMessage, RegisteredKernel};
pub use kernels::*;

/// The kernel `double` of this example; others have their own.
pub fn registered() -> &'static RegisteredKernel {
    let path = format!("{}::{}", double::DEFINITION.module, double::DEFINITION.name);
    RegisteredKernel::find(&path).unwrap()
}

/// The same, launched on the CPU.
pub fn dynamic() -> DynamicKernel {
    let runtime = Runtime::builder().build().unwrap();
    registered().launch(&runtime, LaunchOptions::production(), vec![]).unwrap()
}
