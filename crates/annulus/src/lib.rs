//! The facade: placeholder front page.
#[doc(hidden)]
pub use annulus_runtime::__private;
pub use annulus_runtime::*;
pub use annulus_cpu::Cpu;
