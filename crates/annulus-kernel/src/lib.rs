//! The kernel language of Annulus.
//!
//! # What this crate promises
//!
//! * A handler is a plain Rust function. Its parameters say what it may touch, and so what may run at the
//!   same time.
//! * A kernel is also *data*: a [`KernelDefinition`] names its message, output and state types by their
//!   [`TypeDescriptor`]s, so that a runtime can check, place and launch it without knowing its types.
//! * A handler is a transaction: its actor's state and what it sends take effect only when it succeeds.
//!
//! * A handler can be written for a device: [`handler_source`] returns its text in a dialect of C, which
//!   means the same as the Rust. If a device cannot do something, the result is an error that names the line.
//!
//! # What it does not do
//!
//! It knows no device and starts nothing: `annulus-runtime` launches kernels, and a backend runs them.
//! `#[derive(DeviceType)]` and `#[derive(RingMessage)]` implement the `unsafe` traits here; nobody needs to
//! implement them by hand.
//!
//! # The language
//!
//! This is what a handler's body may contain if its kernel is to run on devices. Everything else is refused
//! at its place, with a hint what to write instead. `#[ring_kernel(cpu_only)]` allows any Rust in a body, and
//! keeps the kernel on the CPU. `docs/guide/language.md` says what each construct becomes, what it costs and
//! how exact it is on which target, and lists all methods and functions of the standard library.
//!
//! | construct | on a device |
//! |---|---|
//! | `u8` … `u64`, `i8` … `i64`, `usize`, `isize`, `bool`, `f32`, `f64` | `usize` and `isize` have 64 bits, in messages and states too; Metal has no `f64` |
//! | structs, fixed arrays, enums with and without data, nested at will | laid out as in Rust, which the text checks |
//! | `&Archived<T>`, a bridged message: numbers by `to_native()`, the bytes of texts, lists as slices, `Option`s by `as_ref()`, nested types | read in place; an offset that leads out of the message fails with [`BAD_ARCHIVE`](annulus_abi::error::BAD_ARCHIVE) |
//! | `Wrapping` of integers | its operators wrap in every build |
//! | tuples of up to 12 parts, `Option` and `Result` of all these | in variables and constants; no memory that the host sees has them |
//! | `let` with patterns, shadowing, `let … else`, assignment, also to tuples of places | types are inferred by rustc |
//! | `+ - * / % & \| ^ << >>`, comparisons, `&& \|\|`, `op=`; `==` of tuples, arrays, slices, `List`, `Text`, `Option` and `Result` of numbers; `<`, `cmp`, `max` of the same; both of own types whose derives stand below `#[device_type]`; operators of own types by `#[device_impl] impl Add for …` | overflow fails where the crate of the body is built with debug assertions, shifts by the width or more too; else it wraps, and a shift takes its distance modulo the width; a division by zero and `MIN / -1` fail |
//! | `as` | as in Rust: saturating from floats, NaN to 0 |
//! | `T::from(x)`, `x.into()` between numbers | |
//! | integers: `wrapping_…`, `saturating_…`, `checked_…`, `overflowing_…`, `pow`, `abs`, `abs_diff`, `signum`, `min`, `max`, `clamp`, `rotate_…`, `count_…`, `leading_…`, `trailing_…`, `swap_bytes`, `reverse_bits`, `to_be`, `to_le_bytes`, `from_be_bytes` and kin, `div_euclid`, `rem_euclid`, `div_ceil`, `ilog2`, `is_power_of_two`, `next_power_of_two` … | exact |
//! | floats: `abs`, `sqrt`, `mul_add`, `floor`, `ceil`, `round`, `trunc`, `fract`, `min`, `max`, `clamp`, `copysign`, `is_nan`, `to_bits`, `from_bits` … | exact where the target divides and takes roots exactly; nothing is contracted to fused operations |
//! | floats: `sin`, `cos`, `tan`, `exp`, `ln`, `log2`, `log10`, `powf`, `powi`, `hypot`, `atan2` … | as exact as the target's own |
//! | `if`, `match` and blocks as values; `if let`, `while let`, also beside other conditions; `matches!` | patterns: literals, ranges, constants, variants, structs, tuples, arrays, `_`, bindings, `@`, `\|`, guards |
//! | `while`, `loop` with `break value`, labels of loops and blocks | all turns of a call count against its [loop budget](DEFAULT_LOOP_BUDGET) |
//! | `for` over ranges, arrays and slices: by value, `&`, `&mut`, `iter`, `iter_mut`, `chunks`, `chunks_exact`, `windows`, with `enumerate`, `zip`, `rev`, `step_by`, `take`, `skip`, `copied`, and with `map`, `filter` and kin; `sum`, `min`, `any`, `position`, `fold` … | closures where a method calls them, written out there |
//! | arrays and slices: `values[i]`, `&values[a..b]`, `len`, `is_empty`, `get`, `first`, `last`, `split_at`, `contains`, `fill`, `swap`, `reverse`, `copy_from_slice`, `copy_within`, `starts_with`, `binary_search`, `sort`, `sort_by`, `sort_by_key`, `sort_unstable` of 64 at most … | an index out of bounds fails |
//! | `Option` and `Result`: `is_some`, `is_ok`, `unwrap`, `expect`, `unwrap_or`, `ok_or`, `ok`, `err`, `or`, `take`, `replace`, `copied`, `as_ref` …, `then_some` and `then` of `bool` | `map`, `and_then`, `map_or`, `unwrap_or_else` … with closures; `mem::replace`, `swap`, `take` |
//! | `&place`, `&mut place` in `let` and through patterns | another name for the place; branches choose between shared references, and between elements of one array |
//! | constants, statics, associated constants, `T::default()` | captured by value when the kernel is launched |
//! | `outbox.send(value)`, `later.send_after(value, nanos)`, `actor.end()`, [`Cx`]'s methods | |
//! | `cx.fence(FenceScope::Device)` | a sequentially consistent fence; Metal has none for the system |
//! | `inbox.try_recv()`, `found()`, `end_kernel()` | of a body |
//! | [`BlockCx`]'s methods, `get` and `set` of [`Block`] and [`BlockArray`] | barriers stand in the handler itself; all threads take the same way to them |
//! | functions with `#[device_fn]`, methods and associated functions with `#[device_impl]`, of any module or crate, generic ones by instances | functions of the text; what fails in them fails the message; none calls itself |
//! | `load`, `store`, `swap`, `fetch_…`, `compare_exchange` of bound atomics | ordered at least as written; 64 bits where the device has them |
//! | `return`, `Ok(())`, `Err(failure)` with a [`Failure`], `?` | |
//! | `device_print!("{} of {}", a, b)` | shown by the host, as an event of `tracing` |
//! | `panic!`, `unreachable!`, `assert!`, `assert_eq!`, `assert_ne!`, and `debug_assert!` and its kin in builds with debug assertions | fail with [`PANICKED`](annulus_abi::error::PANICKED) |
//!
//! A failed check ends the call and its transaction with a code of [`annulus_abi::error`]. The CPU returns
//! the same code, by the panic's text ([`panic_code`]). `cfg!(debug_assertions)` in the crate that contains a
//! body decides whether overflow fails. A profile that sets `overflow-checks` differently makes the CPU
//! differ from devices.
//!
//! Operands are evaluated in Rust's order: a value that a later operand changes is copied first.
//!
//! # From Rust to C
//!
//! `#[ring_kernel]` keeps the body as a syntax tree and has rustc infer the types that it needs ([`Typed`],
//! [`KernelTree`]). Lowering turns it into statements, in the order of evaluation, with the checks written
//! out. One writer spells them in the dialect of the [`Target`]. The text follows [`LANGUAGE_SOURCE`], which
//! defines in C what Rust's operators mean. The text carries the Rust lines in comments and keeps the names.

mod actor;
mod archived;
mod ask;
mod binding;
mod bridged;
mod cooperate;
mod cx;
mod definition;
#[cfg(feature = "serde")]
mod described;
mod descriptor;
pub mod device;
mod difference;
mod failure;
mod fence;
#[doc(hidden)]
pub mod fnv;
mod function;
mod inline;
mod invocation;
mod later;
mod layout_hash;
mod list;
mod lower;
mod message;
mod outbox;
mod peer;
mod plan;
mod print;
mod reply;
mod rows;
mod shown;
mod test_outbox;
mod topic;
mod tree;
mod typed;
mod ways;
mod wire;
pub mod witness;
mod wrapping;
mod write;

pub use actor::ThisActor;
pub use archived::{ArchivedType, Devices, Reads, archived_value};
pub use ask::{Answer, Ask, AskDefinition, ended};
pub use binding::{Binding, BindingDefinition, BindingKind, DeviceAtomic};
pub use bridged::{BRIDGED_HEAD, BRIDGED_KEY, BridgedDefinition, BridgedMessage, KernelMessage};
#[doc(hidden)]
pub use bridged::{Visitor, bridged_key};
/// The buffer that the derive macro's code writes payloads to.
#[doc(hidden)]
pub type Bytes = Vec<u8>;
pub use annulus_abi::error::ErrorName;
#[doc(hidden)]
pub use annulus_message;
pub use annulus_message::{DecodeError, EncodeError, Message, Payload};
pub use cooperate::{
    Block, BlockArray, BlockCx, BlockValue, Inbox, RawInbox, TestInbox, WARP, check_block, run_block,
};
pub use cx::Cx;
pub use definition::{
    DEFAULT_LOOP_BUDGET, DEFAULT_SHARED_MEMORY, KernelDefinition, KernelShape, MOST_PORTS, PortDefinition,
    ProcessingMode, RingKernel, StateDefinition, StateShape, TickDefinition, TimersDefinition,
};
#[cfg(feature = "serde")]
pub use described::{Described, read_described, read_described_bytes};
pub use descriptor::{
    ArchivedPart, Derived, DeviceType, FieldDescriptor, Meaning, PlainMethods, Primitive, TypeDescriptor,
    TypeKind, VariantDescriptor, same_function,
};
pub use failure::{ErrorCode, Failure, HandlerReturn, panic_code};
#[doc(hidden)]
pub use failure::{ErrorNamesOf, NoErrorNames, error_code};
pub use fence::FenceScope;
pub use function::{
    Behind, DeviceFunction, DeviceMethod, DeviceOperator, DeviceReferenceOperator, Inherent, Instance,
    OwnType, Receiver, Subject, SubjectFunction,
};
pub use inline::{List, Text, TooLong};
pub use invocation::{BoundMemory, CpuEntry, Invocation};
pub use later::{IS_ASK, Later, RawLater, TestLater, TimerEntry};
pub use lower::{LowerError, NeededAt, Needs};
pub use message::{
    Accepts, ActorKey, HeldKey, Inside, KeyDescriptor, NoOutput, RingMessage, payload_hash, schema_of,
};
pub use outbox::{Outbox, PortOutbox, RawOutbox};
pub use peer::{Addressed, MOST_PEERS, Peer, PeersDefinition, peer_tag};
pub use print::PrintSite;
pub use reply::Reply;
pub use rows::{Along, EdgeValue, RowField, Rows, RowsDefinition, RowsError};
#[doc(hidden)]
pub use shown::{NotShown, Shown};
pub use test_outbox::TestOutbox;
pub use topic::{Published, Topic};
pub use tree::{Callee, FunctionTree, KernelTree};
pub use typed::{Scalar, Type, Typed, Value, device_value, type_of};
pub use ways::{AlongRows, ByAddress, ByTopic};
#[doc(hidden)]
pub use ways::{OneWay, WayOf};
pub use wire::{
    decode, decode_by_parts, decode_values, encode, encode_by_parts, encode_values, write_message,
};
pub use write::{HOST_PRELUDE_SOURCE, LANGUAGE_SOURCE, Target, UnknownTarget, handler_source};
