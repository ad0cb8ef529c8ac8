//! The kernel language of Annulus.
//!
//! # What this crate promises
//!
//! * A handler is a plain Rust function whose parameters say what it may touch, and so what may run beside it.
//! * A kernel is also *data*: a [`KernelDefinition`] names its message, output and state types by their
//!   [`TypeDescriptor`]s, so that a runtime can check, place and launch it without knowing its types.
//! * A handler is a transaction: its actor's state and what it sends take effect only when it succeeds.
//!
//! # What it does not do
//!
//! It knows no device and starts nothing: launching is `annulus-runtime`'s, running is a backend's. The `unsafe` traits
//! here are implemented by `#[derive(DeviceType)]` and `#[derive(RingMessage)]`; nobody needs to write them by hand.

mod binding;
mod cx;
mod definition;
#[cfg(feature = "serde")]
mod described;
mod descriptor;
pub mod device;
mod failure;
mod inline;
mod invocation;
mod lower;
mod message;
mod outbox;
mod typed;
pub mod witness;
mod write;

pub use binding::{Binding, BindingDefinition, BindingKind, DeviceAtomic};
pub use cx::Cx;
pub use definition::{
    DEFAULT_LOOP_BUDGET, KernelDefinition, ProcessingMode, RingKernel, StateDefinition, StateShape,
};
#[cfg(feature = "serde")]
pub use described::{Described, read_described};
pub use descriptor::{DeviceType, FieldDescriptor, Primitive, TypeDescriptor, TypeKind, VariantDescriptor};
pub use failure::{Failure, HandlerReturn, panic_code};
pub use inline::{List, Text, TooLong};
pub use invocation::{BoundMemory, CpuEntry, Invocation};
pub use lower::LowerError;
pub use message::{ActorKey, KeyDescriptor, NoOutput, RingMessage};
pub use outbox::{Outbox, RawOutbox};
pub use typed::{Scalar, Type, Typed, Value, device_value};
pub use witness::KernelTree;
pub use write::{HOST_PRELUDE_SOURCE, LANGUAGE_SOURCE, Target, UnknownTarget, handler_source};
