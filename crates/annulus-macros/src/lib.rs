//! The macros of Annulus: `#[ring_kernel]`, `#[derive(RingMessage)]`, `#[derive(DeviceType)]` and
//! `#[derive(ErrorCode)]`.
//!
//! # What they promise
//!
//! * **Your function stays your function.** `#[ring_kernel]` does not change it: you call, test and document
//!   it like any other. Beside it the macro puts a type of the same name, which is the kernel.
//! * **The signature is the contract.** Only the parameters (the table below) say what a handler may touch,
//!   and so what may run at the same time.
//! * **Layouts are the compiler's.** Sizes, alignments and offsets in a descriptor come from rustc; the
//!   macros never compute them.
//! * **Errors speak of your code.** They point to the word that is wrong, say what to write instead, and are
//!   reported all at once.
//! * **You write no `unsafe`.** The code that the macros write compiles under `#![forbid(unsafe_code)]`.
//!
//! # What they do not do
//!
//! They read how a type is *written*, not what it is. The compiler checks what a name means, through the
//! traits of `annulus-kernel`. Everything they write names `::annulus::__private`, so a crate without the
//! facade writes `extern crate annulus_runtime as annulus;`.
//!
//! ```
//! use annulus::prelude::*;
//!
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(C)]
//! struct Reading {
//!     #[ring(key)]
//!     sensor: u32,
//!     value: f32,
//! }
//!
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(C)]
//! struct Alert {
//!     sensor: u32,
//!     value: f32,
//! }
//!
//! #[derive(DeviceType, Clone, Copy, Default)]
//! #[repr(C)]
//! struct Highest {
//!     value: f32,
//! }
//!
//! /// Alerts on each new record of a sensor.
//! #[ring_kernel(mode = Adaptive)]
//! fn record(reading: &Reading, highest: &mut Highest, alerts: &Outbox<Alert>) {
//!     if reading.value > highest.value {
//!         highest.value = reading.value;
//!         alerts.send(Alert { sensor: reading.sensor, value: reading.value });
//!     }
//! }
//!
//! assert_eq!(record::DEFINITION.name, "record");
//! assert_eq!(record::DEFINITION.max_messages_per_iteration, 32);
//! ```
//!
//! # Parameters of a handler
//!
//! | parameter | meaning | how many |
//! |---|---|---|
//! | `cx: &Cx` | where the call runs | at most one, the first |
//! | `message: &M` | the message; `M: RingMessage` | one, the first or after `cx` |
//! | `message: &Archived<M>` | a bridged message `M`, in its slot | instead of `&M` |
//! | `state: &mut S` | the state, `S: DeviceType + Default`: of the actor that the message's key names, or of the whole kernel if it has no key | at most one |
//! | `out: &Outbox<T>` | where sends go; `T: RingMessage` | up to 16, see [several outboxes](#several-outboxes) |
//! | `reply: &Reply<T>` | answers who asked; `T: RingMessage` | at most one, behind an outbox, see [replies](#replies) |
//! | `ask: &Ask<Q, A>` | asks another kernel a `Q`, of which comes an `A`; both `RingMessage` | at most one, beside an outbox, see [asks](#asks) |
//! | `p: &P` | a launch parameter, read-only; `P: DeviceType` | any |
//! | `t: &[T]` | a table, read-only; `T: DeviceType` | any |
//! | `c: &[AtomicU32]`, or `AtomicI32`, `AtomicU64`, `AtomicI64` | memory that all blocks share; not rolled back | any |
//! | `m: &mut [T]` | memory of the whole kernel, for messages without a key; not rolled back | any |
//! | `cx: &BlockCx`, then `s: &Block<S>` and `m: &Block<[T]>` | all threads of the block run the handler for each message, and share the state and the memory | |
//! | `cx: &BlockCx`, `inbox: &Inbox<M>` | a *body*: all threads of the block run it for all messages of a turn, and take these themselves | instead of the message |
//!
//! After the message the order is free. The launch binds the last four kinds, in the handler's order and by
//! its names: `detect::bind(p, &t, &c, &m).launch(&runtime, options)`. A launch parameter, `&P`, is given by value;
//! tables, atomics and memory are given as slices, the latter two with their initial contents, atomics as plain numbers.
//! A handler that has none of them is launched with `detect::launch(&runtime, options)`.
//!
//! A handler with one outbox is launched *into* the kernel that its outputs are for: `detect::launch_into(&next,
//! options)`, or `detect::bind(p, &t).launch_into(&next, options)`.
//!
//! `Cx`, `Inbox`, `Outbox`, `Reply<T>`, `Ask<Q, A>`, `Later`, `ThisActor` and the atomics are recognised by the last word of their path, so an alias with another
//! name is not recognised.
//!
//! # Several outboxes
//!
//! A handler with two outboxes and more sends a message where its name says. Each outbox has its own type, and
//! its own bound: `max_outputs(good = 1, bad = 40)`. The kernel gets a constant for each, with the parameter's
//! name in capitals, by which the program asks for it: `kernel.port(validate::BAD).recv_blocking()`.
//!
//! ```
//! # use annulus::prelude::*;
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Reading { sensor: u32, value: f32 }
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Rejected { sensor: u32 }
//! /// The good go on; what is bad is told.
//! #[ring_kernel(mode = Batch)]
//! fn validate(reading: &Reading, good: &Outbox<Reading>, bad: &Outbox<Rejected>) {
//!     if reading.value.is_finite() {
//!         good.send(*reading);
//!     } else {
//!         bad.send(Rejected { sensor: reading.sensor });
//!     }
//! }
//!
//! assert_eq!(validate::DEFINITION.ports.len(), 2);
//! assert_eq!(format!("{:?}", validate::BAD), "validate.bad");
//! ```
//!
//! One of them may be connected to another kernel, before the launch:
//! `validate::bind().connect_port(validate::GOOD, &next).launch(&runtime, options)`; or later, while the kernel is
//! inactive: `kernel.port(validate::GOOD).connect(&next)`.
//!
//! Outputs that say themselves where they go, `Addressed<M>`, `Published<M>` and `Along<M>`, are sent by the handler's only outbox.
//!
//! The kernel's `Output` is then an enum that the macro makes: what any of the outboxes sends. A call's reply is
//! the first output by whichever outbox, as this enum; so kernels that are called have one outbox, or a reply.
//!
//! # Replies
//!
//! A handler that has a `&Reply<T>` beside its outboxes may answer a call that goes through a pipeline, wherever its kernel
//! stands in it. A call that it does not answer goes on with the first output of the first outbox.
//!
//! ```
//! # use annulus::prelude::*;
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Query { number: u64 }
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Root { number: u64 }
//! /// Knows the root of one number.
//! #[ring_kernel]
//! fn known(query: &Query, others: &Outbox<Query>, reply: &Reply<Root>) {
//!     if query.number == 49 {
//!         reply.send(Root { number: 7 });
//!     } else {
//!         others.send(*query);
//!     }
//! }
//!
//! assert!(known::DEFINITION.reply().is_some_and(|reply| reply.name == "reply"));
//! assert_eq!(format!("{:?}", known::REPLY), "known.reply");
//! ```
//!
//! It is one of the handler's outboxes, with a constant of its own: where nobody has asked, the host receives by it. It is
//! never connected, and sends one message at most.
//!
//! # Asks
//!
//! `ask: &Ask<Q, A>` asks the kernel that it is connected to: `ask.send(query, awaited, nanos)`. The handler is called with the
//! `A` when the answer has come, or that time is up. `A` has a field `Answer<T>`, where the answer is; the handler's message is an
//! enum with a variant for it, marked `#[ring(from)]`.
//!
//! ```
//! # use annulus::prelude::*;
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Order { item: u64 }
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Query { item: u64 }
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(C)]
//! struct Priced {
//!     item: u64,
//!     price: Answer<u64>,
//! }
//!
//! #[derive(RingMessage, Clone, Copy)]
//! #[repr(u32)]
//! enum Event {
//!     #[ring(from)]
//!     Order(Order),
//!     #[ring(from)]
//!     Priced(Priced),
//! }
//!
//! #[ring_kernel]
//! fn risk(event: &Event, done: &Outbox<Priced>, price: &Ask<Query, Priced>) {
//!     match event {
//!         Event::Order(order) => {
//!             let awaited = Priced { item: order.item, price: Answer { ended: 0, code: 0, value: 0 } };
//!             price.send(Query { item: order.item }, awaited, 1_000_000);
//!         }
//!         Event::Priced(priced) => done.send(*priced),
//!     }
//! }
//!
//! assert!(risk::DEFINITION.ask().is_some_and(|ask| ask.name == "price"));
//! ```
//!
//! It is one of the handler's outboxes, and sends one message at most. Each ask takes one of the block's `timers`.
//!
//! # Messages to oneself
//!
//! `later: &Later<M>`, with the handler's own message type, sends a message to the block itself:
//! `later.send_after(message, nanos)`. The handler is called with it when its time has come.
//!
//! ```
//! # use annulus::prelude::*;
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Attempt { number: u32 }
//! /// Tries again after a millisecond, three times.
//! #[ring_kernel]
//! fn attempt(attempt: &Attempt, later: &Later<Attempt>) {
//!     if attempt.number < 3 {
//!         later.send_after(Attempt { number: attempt.number + 1 }, 1_000_000);
//!     }
//! }
//!
//! assert_eq!(attempt::DEFINITION.timers.map(|timers| timers.room), Some(64));
//! ```
//!
//! # An actor that ends
//!
//! `actor: &ThisActor`, in a handler with a state, ends the actor whose message it is: `actor.end()`. If the message goes well, the state
//! begins anew with the next one; with [sparse keys] the actor's place is free for another key.
//!
//! ```
//! # use annulus::prelude::*;
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Sale { #[ring(key)] till: u32, cents: u64, closes: bool }
//! # #[derive(RingMessage, Clone, Copy)]
//! # #[repr(C)]
//! # struct Total { cents: u64 }
//! /// Adds up until the till is closed.
//! #[ring_kernel]
//! fn sell(sale: &Sale, cents: &mut u64, actor: &ThisActor, totals: &Outbox<Total>) {
//!     *cents += sale.cents;
//!     if sale.closes {
//!         totals.send(Total { cents: *cents });
//!         actor.end();
//!     }
//! }
//!
//! let (mut cents, till) = (0, ThisActor::new());
//! # let totals = annulus::kernel::TestOutbox::<Total>::new(1);
//! sell(&Sale { till: 3, cents: 250, closes: true }, &mut cents, &till, &totals);
//! assert!(till.ends());
//! ```
//!
//! [sparse keys]: https://docs.rs/annulus-runtime/latest/annulus_runtime/struct.LaunchOptions.html#method.sparse_keys
//!
//! # What a handler returns
//!
//! Nothing, or `Result<(), E>` where `E` turns into a `Failure`; on devices, `E` is `Failure` or derives
//! [`ErrorCode`](macro@ErrorCode). On an error, and when it sends more than
//! `max_outputs` or sets more timers than there is room for, its state stays as it was and its sends are dropped.
//!
//! # What a handler's body may have
//!
//! Only what devices have; `annulus-kernel` lists it (`annulus::kernel`). The macro reads the body into a
//! tree and refuses everything else at its place. It also writes a copy of the body that is never run, so
//! that rustc infers the types. The copy causes no warnings. With the word `cpu_only` the body may be any
//! Rust.
//!
//! Some of what devices cannot do is found only by lowering. Then every launch reports it, on any backend. So
//! does a test that the macro writes beside the kernel: `track_on_devices::runs` for a kernel `track`. The
//! word `untested` leaves the test out.
//!
//! # Words of `#[ring_kernel(..)]`
//!
//! | word | value | default |
//! |---|---|---|
//! | `mode` | `Continuous`, `Batch` or `Adaptive` | `Continuous` |
//! | `max_messages_per_iteration` | 1 to 65536; 1 for `Continuous` | 1 for `Continuous`, 64 for `Batch`, 32 for `Adaptive` |
//! | `max_outputs` | 1 to 256; needs an outbox | 1 with an outbox, else 0 |
//! | `max_outputs(good = 1, bad = 40)` | of several outboxes, the same for each by its name; 256 together | 1 each |
//! | `timers` | 1 to 65536: messages to itself that a block keeps; needs a `&Later<M>` or a `&Ask<Q, A>` | 64 with one |
//! | `max_timers` | 1 to 256: those that the handler sends for one message | 1 |
//! | `on_tick` | a string from `"1 us"` to a day: how often the variant `#[ring(tick)]` comes | |
//! | `loop_budget` | 1 to 4294967295: iterations of all loops of a call on a device | 16777216 |
//! | `cpu_only` | none: the body may be any Rust, and the kernel stays on the CPU | |
//! | `untested` | none: the macro writes no test beside the kernel | |
//! | `name` | a string: the kernel's id | the handler's name |
//!
//! These words set launch options, which the launch may override: `capacity`, `output_capacity`,
//! `backpressure`, `deduplication`, `deduplication_window`, `priority`, `expiry`, `max_payload`,
//! `timestamps`, `calls`, `track_latency`, `count_turns`, `slow_after`, `black_box`, `causal`, `tracing`, `trace_sample`, `dead_letters`, `active`, `grid`, `block`,
//! `actors`, `sparse_keys`, `evict_actors`, `connectable`, `into_variants`, `through`, `hold`, `topics`, `supersteps`, `rounds`, `run_mode`, `leave_after`, `spin`, `consistency`,
//! `causal_ordering`, `sealed`. Each is the method of `LaunchOptions` with that name. Each launch has them, unless its options name the option.
//! `detect::options()` returns options with all of them.
//!
//! # Words of `#[ring(..)]` on a message's field
//!
//! | word | field | meaning |
//! |---|---|---|
//! | `key` | `u8` to `u64` | the actor that the message is for |
//! | `id` | `u8` to `u64` | identifies duplicates |
//! | `priority` | `u8` | 255 leaves first; the default is 128 |
//! | `timestamp` | `u64` | the time of the event that the message reports: nanoseconds since 1970 UTC |
//!
//! In an enum, each word marks one field in every variant, or in none.
//!
//! # Words of `#[ring(..)]` above a variant
//!
//! | word | variant | meaning |
//! |---|---|---|
//! | `from` | with one field | it takes what other kernels send, values of that type |
//! | `tick` | without fields | nobody sends it: it comes at the end of each period, which `on_tick` says |
//! | `start` | without fields | nobody sends it: it comes once, before all other messages |
//! | `stop` | without fields | nobody sends it: it comes once, when the kernel is to terminate |

mod body;
mod derive_archived;
mod derive_bridged;
mod derive_device;
mod derive_error_code;
mod derive_message;
mod device_type;
mod errors;
mod events;
mod function;
mod kernel;
mod layout;
mod message_facts;
mod near;
mod taken;
mod types;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// The errors, and a stand-in item that prevents further, misleading errors.
fn refused(errors: &syn::Error, stand_in: proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut tokens = errors.to_compile_error();
    tokens.extend(stand_in);
    tokens
}

/// Implements `DeviceType`: the type means the same on host and device, and a descriptor gives its layout in
/// memory.
///
/// The type is a struct with `#[repr(C)]` (or `transparent`), or an enum with an integer representation such
/// as `#[repr(u32)]`, with or without fields. It is `Copy`, and every field is a `DeviceType`: a number,
/// `bool`, an array, or another such type. Structs may have type parameters, each bounded by `DeviceType`.
///
/// ```
/// use annulus::prelude::*;
///
/// #[derive(DeviceType, Clone, Copy)]
/// #[repr(u32)]
/// enum Shape {
///     Empty,
///     Circle { radius: f32 },
/// }
///
/// assert_eq!(Shape::DESCRIPTOR.size, 8);
/// # let _ = (Shape::Empty, Shape::Circle { radius: 1.0 });
/// ```
///
/// With [`#[device_type]`](macro@device_type) above the derive, handlers can use derived comparisons, too.
///
/// Derive this or [`RingMessage`](macro@RingMessage), which implies it, but not both: the compiler would
/// report conflicting implementations.
#[proc_macro_derive(DeviceType, attributes(ring, device))]
pub fn derive_device_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_device::derive(&input)
        .unwrap_or_else(|errors| refused(&errors, derive_device::stand_in(&input)))
        .into()
}

/// Makes a type's derived comparisons available to handlers on devices: `==` by `PartialEq`, `<` by
/// `PartialOrd`, `cmp`, `max`, `min` and `clamp` by `Ord`.
///
/// Write it above the `derive`, since a derive does not see what else is derived. The derives are still those
/// of the standard library.
///
/// ```
/// use annulus::prelude::*;
///
/// #[device_type]
/// #[derive(DeviceType, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
/// #[repr(C)]
/// struct Version {
///     major: u16,
///     minor: u16,
/// }
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Seen {
///     version: Version,
/// }
///
/// #[ring_kernel]
/// fn newest(seen: &Seen, newest: &mut Version, news: &Outbox<Seen>) {
///     if seen.version > *newest {
///         *newest = seen.version;
///         news.send(*seen);
///     }
/// }
/// # fn main() {}
/// ```
///
/// For a comparison that you write by hand, put `#[device_impl]` before its `impl`.
#[proc_macro_attribute]
pub fn device_type(attribute: TokenStream, item: TokenStream) -> TokenStream {
    device_type::expand(&attribute.into(), item.into()).into()
}

/// Makes a type a message: implements `Message`, and `Payload`, which turns it into bytes.
///
/// A *direct* message is plain old data, and travels through kernels' rings: `RingMessage` and `DeviceType`
/// are implemented, too, and the rules for [`DeviceType`](macro@DeviceType) apply here. A *bridged* message
/// holds text, lists, maps, options, other bridged types. Kernels take it as `&Archived<M>`, and
/// it travels through the host's queues, files and pipes; it needs the feature `wire` of the crate `annulus`.
///
/// | above the type | meaning |
/// |---|---|
/// | `#[repr(C)]`, `#[repr(u32)]` … | direct |
/// | nothing, and a field is a `String`, `Vec`, `Option`, `Box`, `Arc`, `BTreeMap` … | bridged |
/// | `#[ring(direct)]`, `#[ring(bridged)]` | this kind, or an error that says why not |
/// | `#[ring(version = 2)]` | the version that frames and errors show |
///
/// Fields may be marked `#[ring(key)]`, `#[ring(id)]`, `#[ring(priority)]` and `#[ring(timestamp)]`; see the
/// [crate's front page](crate). Of a struct that goes along the rows of a graph, a field that is marked `#[ring(edge)]`
/// gets the value of the entry: `u32`, `i32` or `f32`. Of a direct enum, a variant with one field may be marked `#[ring(from)]`: then
/// kernels that send messages of that field's type can be connected to those that take the enum. Key, id, priority
/// and timestamp of such a variant are those of the message that it holds.
///
/// ```
/// use annulus::prelude::*;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Order {
///     #[ring(key)]
///     account: u32,
///     #[ring(priority)]
///     urgency: u8,
///     #[ring(id)]
///     number: u64,
/// }
///
/// let order = Order { account: 7, urgency: 200, number: 1 };
/// assert_eq!((order.key(), order.priority(), order.id()), (7, 200, Some(1)));
/// ```
#[proc_macro_derive(RingMessage, attributes(ring, device))]
pub fn derive_ring_message(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_message::derive(&input)
        .unwrap_or_else(|errors| refused(&errors, derive_message::stand_in(&input)))
        .into()
}

/// Gives names to the codes of a handler's failures. Status, health and dead letters show the name and its
/// documentation; telemetry carries the number, which is the variant's value.
///
/// The enum has no fields, is `Copy`, and its codes are `1 ..= 0xFEFF`. A handler returns `Result<(), E>`, on
/// devices, too. Elsewhere the error turns into a `Failure` by `into()`. Devices match its variants, compare them by a derived
/// `PartialEq`, and make numbers of them by `as`. It is no `DeviceType`: messages and states hold its number.
///
/// ```
/// use annulus::prelude::*;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Withdrawal {
///     #[ring(key)]
///     account: u32,
///     amount: u64,
/// }
///
/// #[derive(ErrorCode, Clone, Copy)]
/// enum Refusal {
///     /// The account has too little.
///     Overdrawn = 1,
///     /// Nothing is no amount.
///     Nothing,
/// }
///
/// #[ring_kernel]
/// fn withdraw(withdrawal: &Withdrawal, balance: &mut u64) -> Result<(), Refusal> {
///     if withdrawal.amount == 0 {
///         return Err(Refusal::Nothing);
///     }
///     if withdrawal.amount > *balance {
///         return Err(Refusal::Overdrawn);
///     }
///     *balance -= withdrawal.amount;
///     Ok(())
/// }
///
/// let kernel = withdraw::launch(&Runtime::builder().build()?, LaunchOptions::production().actors(16))?;
/// let _ = kernel.try_send(Withdrawal { account: 0, amount: 5 })?;
/// kernel.drained_blocking();
/// let name = kernel.status().error_name().expect("it failed");
/// assert_eq!(name.to_string(), "Overdrawn (0x0001): The account has too little");
/// let letters = kernel.dead_letters().expect("it keeps them").take_batch();
/// assert_eq!(letters[0].reason.to_string(), format!("failed in a kernel: {name}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[proc_macro_derive(ErrorCode)]
pub fn derive_error_code(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_error_code::derive(&input).unwrap_or_else(|errors| errors.to_compile_error()).into()
}

/// Makes a ring kernel from a free function, its handler. The [crate's front page](crate) says what
/// parameters it may have and lists the attribute's words.
///
/// Beside the function it writes a type of the same name that implements `RingKernel`, with `bind(..)`, which
/// binds parameters; if there are none also `launch(&runtime, options)`, and with one outbox `launch_into(&target,
/// options)`. `#[cfg]` and documentation are copied to
/// it. The function may stand at module level or inside another function; it is not async, generic, `const`,
/// `unsafe` or `extern`.
///
/// ```
/// use annulus::prelude::*;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Sample {
///     value: f32,
/// }
///
/// #[ring_kernel(mode = Batch, name = "low-pass")]
/// fn low_pass(sample: &Sample, filtered: &mut f32, weight: &f32, out: &Outbox<Sample>) {
///     *filtered += weight * (sample.value - *filtered);
///     out.send(Sample { value: *filtered });
/// }
///
/// let bound = low_pass::bind(0.25);
/// # let _ = bound;
/// assert_eq!(low_pass::DEFINITION.name, "low-pass");
/// assert_eq!(low_pass::DEFINITION.bindings[0].name, "weight");
/// ```
#[proc_macro_attribute]
pub fn ring_kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(attribute.into(), item.into()).into()
}

/// Makes a function callable on devices, by handlers and by other such functions.
///
/// The function stays as it is. Beside it the macro puts a hidden type of its name, which carries the
/// function as data. So an import of the function imports both, from any module or crate. Its body may
/// contain what a handler's body may.
///
/// | parameter | on a device |
/// |---|---|
/// | `x: T`, `mut x: T` | a copy |
/// | `x: &T`, `x: &mut T`, `x: &[T]`, `x: &mut [T]` | a pointer into the caller's memory: the message, the state, a table, or its variables |
/// | `c: &[AtomicU32]`, `c: &AtomicU32` and their kin | shared memory |
/// | `cx: &Cx`, `out: &Outbox<T>` | the caller's |
///
/// It returns nothing or a value. A check that fails in it, such as an index that is out of bounds, fails the
/// message. Types and constants may be parameters: `fn sum<T: …, const N: usize>(values: &[T; N]) -> T`; each
/// instance is a separate function on a device. A function must not call itself, directly or through others.
///
/// A call of a function without the attribute is refused at the call.
///
/// ```
/// use annulus::prelude::*;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Sample {
///     values: [u32; 8],
/// }
///
/// #[device_fn]
/// fn largest(values: &[u32]) -> u32 {
///     let mut largest = 0;
///     for i in 0..values.len() {
///         largest = largest.max(values[i]);
///     }
///     largest
/// }
///
/// #[ring_kernel]
/// fn peaks(sample: &Sample, peak: &mut u32) {
///     *peak = largest(&sample.values).max(*peak);
/// }
///
/// assert_eq!(largest(&[3, 7, 5]), 7);
/// let text = peaks::DEFINITION.handler_source("opencl".parse()?)?;
/// assert!(text.contains("fn_largest"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[proc_macro_attribute]
pub fn device_fn(attribute: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(&attribute.into(), item.into()).into()
}

/// Makes the functions of a trait callable by handlers on devices: on a type that has the trait, through the
/// bound of a type parameter, and the default ones.
///
/// Put [`#[device_impl]`](macro@device_impl) before each `impl` of the trait. If one of the two attributes is
/// missing, rustc reports a missing item whose name ends in `…_in_device_trait_and_device_impl`. The trait
/// must have no type parameters; it may have associated constants and types, and supertraits. Put
/// `#[cpu_only]` before a function that is only for the host.
///
/// ```
/// use annulus::prelude::*;
///
/// #[device_trait]
/// trait Priced {
///     fn price(&self) -> u32;
///
///     fn with_fee(&self, percent: u32) -> u32 {
///         self.price() + self.price() * percent / 100
///     }
/// }
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Order {
///     amount: u32,
///     each: u32,
/// }
///
/// #[device_impl]
/// impl Priced for Order {
///     fn price(&self) -> u32 {
///         self.amount * self.each
///     }
/// }
///
/// #[device_fn]
/// fn dearer<T: Priced>(a: &T, than: u32) -> bool {
///     a.with_fee(2) > than
/// }
///
/// #[ring_kernel]
/// fn dearest(order: &Order, most: &mut u32) {
///     if dearer(order, *most) {
///         *most = order.with_fee(2);
///     }
/// }
/// # fn main() {}
/// ```
#[proc_macro_attribute]
pub fn device_trait(attribute: TokenStream, item: TokenStream) -> TokenStream {
    function::expand_trait(&attribute.into(), item.into()).into()
}

/// Makes the functions of an `impl` block, of a type or of a trait for a type, callable by handlers on
/// devices: methods with `self`, `&self` and `&mut self`, and associated functions.
///
/// Before the `impl` of an operator's trait (`Add`, `MulAssign<f32>`, `Neg`, `PartialEq`, `PartialOrd`,
/// `From<E>` …) it makes the operator available to handlers: `a + b`, `-a`, `a == b`, `T::from(e)`, and the
/// `?` that turns one error into another. The operands are values or references.
///
/// If the program defines the trait, put [`#[device_trait]`](macro@device_trait) before the trait. A trait of
/// another crate does not have it; then write `#[device_impl(foreign)]`. The functions of such a trait can be
/// called on the type, but not through bounds, and its default functions cannot be called.
///
/// The rules of [`device_fn`](macro@device_fn) apply to each function. Put `#[cpu_only]` before a function
/// that is only for the host.
///
/// ```
/// use annulus::prelude::*;
///
/// #[derive(DeviceType, Clone, Copy, Default)]
/// #[repr(C)]
/// struct Mean {
///     count: u32,
///     mean: f32,
/// }
///
/// #[device_impl]
/// impl Mean {
///     const LEAST: u32 = 3;
///
///     fn add(&mut self, value: f32) {
///         self.count += 1;
///         self.mean += (value - self.mean) / self.count as f32;
///     }
///
///     fn is_settled(&self) -> bool {
///         self.count >= Self::LEAST
///     }
///
///     #[cpu_only]
///     fn show(&self) -> String {
///         format!("{} of {}", self.mean, self.count)
///     }
/// }
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Reading {
///     value: f32,
/// }
///
/// #[ring_kernel]
/// fn average(reading: &Reading, mean: &mut Mean, out: &Outbox<Reading>) {
///     mean.add(reading.value);
///     if mean.is_settled() {
///         out.send(Reading { value: mean.mean });
///     }
/// }
/// # assert_eq!(Mean::default().show(), "0 of 0");
/// ```
#[proc_macro_attribute]
pub fn device_impl(attribute: TokenStream, item: TokenStream) -> TokenStream {
    function::expand_impl(&attribute.into(), item.into()).into()
}
