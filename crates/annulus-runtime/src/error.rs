//! Errors, one small enum per operation. `Debug` prints the same words as `Display`, since a `main` that
//! returns a `Result` shows its error with `Debug`.

use std::{fmt, slice};

use annulus_abi::error::{ErrorName, Shown};
use annulus_kernel::{BindingDefinition, KernelDefinition, LowerError};
use annulus_queue::Backpressure;

use crate::{backend::BackendError, options::InvalidLaunch};

/// Why a kernel was not launched.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The options are wrong; every problem is listed.
    #[error("{0}")]
    Invalid(#[source] InvalidLaunch),
    /// A kernel of this name is running.
    #[error(
        "a kernel named `{name}` is running: terminate it first, or give this one a name with LaunchOptions::name"
    )]
    AlreadyLaunched {
        /// The name.
        name: String,
    },
    /// A bound parameter does not have the type that the kernel takes.
    #[error("`{kernel}` binds [{}], and was given [{}]", listed(expected), found.join(", "))]
    Binding {
        /// The kernel.
        kernel: &'static str,
        /// The parameters that it takes.
        expected: Vec<BindingDefinition>,
        /// The types that were bound.
        found: Vec<&'static str>,
    },
    /// Devices cannot run the handler, and it does not say `cpu_only`. Every backend returns this error, also
    /// the CPU.
    #[error("{0} (to keep the kernel on the CPU for good, write `#[ring_kernel(cpu_only)]`)")]
    Handler(#[source] LowerError),
    /// The kernel's attribute does not name this backend among those that it may be launched on.
    #[error(
        "`{kernel}` may be launched on {} only, as its attribute says, and this runtime is on {backend}: build the \
         runtime on one of those, or add this one to the attribute's `backends`", backends.join(", ")
    )]
    NotAllowed {
        /// The kernel.
        kernel: &'static str,
        /// The backends that it may be launched on.
        backends: &'static [&'static str],
        /// The runtime's backend.
        backend: &'static str,
    },
    /// The backend could not launch it.
    #[error("the {backend} backend cannot launch it: {error}")]
    Backend {
        /// The backend.
        backend: &'static str,
        /// Why.
        #[source]
        error: BackendError,
    },
    /// It cannot have the black box that was asked for.
    #[error("`{kernel}` cannot have a black box: {why}; or leave black_box out")]
    BlackBox {
        /// The kernel.
        kernel: &'static str,
        /// Why, and the remedy.
        why: String,
    },
    /// What it sends cannot go where its launch says, and so it does not run.
    #[error("{0}")]
    Connect(#[source] ConnectError),
}

/// Why a kernel could not be connected, or disconnected.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// A kernel was not launched connectable.
    #[error(
        "`{kernel}` was launched without links: launch it with LaunchOptions::connectable(true), or with the kernel's \
         own options() if its attribute says `connectable`"
    )]
    NotConnectable {
        /// The instance's name.
        kernel: String,
    },
    /// The one takes the other's messages in a variant of its own, and the other was not launched for that.
    #[error(
        "`{target}` takes the messages of `{source}` as a variant of its own: launch `{source}` into it, or with \
         LaunchOptions::into_variants(true)"
    )]
    NotIntoVariants {
        /// The name of the kernel that sends.
        r#source: String,
        /// The name of the kernel that is to receive.
        target: String,
    },
    /// The kernel that sends is active. It must be inactive.
    #[error(
        "`{kernel}` is active, and sends at any time: deactivate it first, or launch it with active(false)"
    )]
    Active {
        /// The instance's name.
        kernel: String,
    },
    /// A kernel has terminated, or is about to.
    #[error("`{kernel}` has terminated: launch it again")]
    Terminated {
        /// The instance's name.
        kernel: String,
    },
    /// The two run on two runtimes.
    #[error(
        "`{source}` and `{target}` run on two runtimes: launch both on one, or carry the outputs there with \
         `bridge_to`"
    )]
    OtherRuntime {
        /// The name of the kernel that sends. (The raw name keeps `thiserror` from taking it for the cause of
        /// the error.)
        r#source: String,
        /// The name of the kernel that is to receive.
        target: String,
    },
    /// What asks goes to a kernel of the same runtime, which answers it.
    #[error(
        "`{kernel}` asks by `{outbox}`, and the answer of a kernel behind a bridge would not come back: connect it to a \
         kernel of the same runtime"
    )]
    AsksOverBridge {
        /// The name of the kernel that sends.
        kernel: String,
        /// Its outbox.
        outbox: &'static str,
    },
    /// Each output would go to any of several kernels, and these have actors.
    #[error(
        "`{target}` takes messages with a key, and the actor of a key would be in several kernels: bridge `{source}` to \
         one, or share the actors out with a KernelGroup"
    )]
    KeyedTargets {
        /// The name of the kernel that sends.
        r#source: String,
        /// One of those that were to receive.
        target: String,
    },
    /// A bridge was asked for that leads nowhere.
    #[error("a bridge from `{kernel}` leads to no kernel: name one at least")]
    NoTarget {
        /// The name of the kernel that sends.
        kernel: String,
    },
    /// A bridge was asked for whose batches have no messages, or too many.
    #[error(
        "a batch of the bridge from `{kernel}` has {messages} messages, and must have 1 to {most}: change \
         BridgeOptions::messages"
    )]
    BatchSize {
        /// The name of the kernel that sends.
        kernel: String,
        /// What was asked for.
        messages: usize,
        /// The most that it may be.
        most: usize,
    },
    /// The backpressure is one that links between kernels do not offer.
    #[error("backpressure is {backpressure:?}, and between kernels it is Block or Reject: use one of these")]
    Backpressure {
        /// What was asked for.
        backpressure: Backpressure,
    },
    /// The kernel has several outboxes.
    #[error(
        "`{kernel}` has several outboxes: connect or bridge each of them by itself, as in `port(..).connect(..)`"
    )]
    SeveralOutboxes {
        /// The instance's name.
        kernel: String,
    },
    /// What is to be connected is a [`Reply`](annulus_kernel::Reply).
    #[error("`{reply}` of `{kernel}` answers who asked: connect an outbox, and let this one be")]
    Replies {
        /// The instance's name.
        kernel: String,
        /// The name of the reply.
        reply: &'static str,
    },
    /// The kernel's outputs say whom they are for.
    #[error("the outputs of `{kernel}` say whom they are for: connect it with connect_peers(..)")]
    SendsToPeers {
        /// The instance's name.
        kernel: String,
    },
    /// The kernel's outputs are for all who take their topics.
    #[error(
        "the outputs of `{kernel}` are for all who take their topics: connect it with connect_topics(..)"
    )]
    Publishes {
        /// The instance's name.
        kernel: String,
    },
    /// The kernel's outputs go along rows.
    #[error("the outputs of `{kernel}` go along the rows of a graph: connect it with connect_along(..)")]
    GoesAlongRows {
        /// The instance's name.
        kernel: String,
    },
    /// The kernel's outputs go along rows, and it has no graph.
    #[error("`{kernel}` was launched without a graph: launch it with LaunchOptions::rows(..)")]
    NoRows {
        /// The instance's name.
        kernel: String,
    },
    /// A row names an actor that the target does not have.
    #[error(
        "a row of `{kernel}` names the actor {key}, and `{target}` has {actors}, from 0 on: launch it with \
         LaunchOptions::actors(..), or leave such entries out"
    )]
    NoSuchActor {
        /// The name of the kernel that sends.
        kernel: String,
        /// The greatest key of its rows.
        key: u32,
        /// The name of the kernel that is to receive.
        target: String,
        /// How many actors that has.
        actors: u64,
    },
    /// Outputs of the kernel wait for room.
    #[error(
        "{held} outputs of `{kernel}` wait for room in the kernels that took their topics: activate it until they have gone, \
         or disconnect it first and receive them"
    )]
    Holds {
        /// The instance's name.
        kernel: String,
        /// How many there are: copies, where several kernels take a topic.
        held: u64,
    },
    /// No kernel has this address, or the one that has it takes another type. An address of a live kernel of another runtime
    /// of this process is [`OtherRuntime`](Self::OtherRuntime).
    #[error(
        "no running kernel has the address {address:#x} for `{message}`: take that of a kernel, `kernel.peer()`"
    )]
    NoSuchPeer {
        /// The address's bits.
        address: u64,
        /// What is to be sent.
        message: &'static str,
    },
    /// More kernels than one kernel sends to by their addresses.
    #[error("`{kernel}` cannot be connected to {given} kernels by their addresses, but to {most} at most")]
    TooManyPeers {
        /// The instance's name.
        kernel: String,
        /// How many were given.
        given: usize,
        /// How many there may be.
        most: usize,
    },
    /// Calls go through the kernel.
    #[error(
        "calls through a pipeline go along the first outbox of `{kernel}`, or are answered by it, or others ask it: drop its \
         pipelines first, and let their calls end, or disconnect who asks"
    )]
    Pipeline {
        /// The instance's name.
        kernel: String,
    },
    /// A kernel asks or is asked, and was launched without room for that.
    #[error(
        "`{kernel}` has no room for so many asks: launch it with LaunchOptions::through({room}), or more"
    )]
    NoRoomToAsk {
        /// The instance's name.
        kernel: String,
        /// How many calls and asks it needs room for; 1 if it is the kernel that asks.
        room: u32,
    },
    /// A kernel that asks is not asked itself.
    #[error(
        "`{kernel}` asks others, and is not asked itself yet: ask a kernel without a parameter `&Ask<Q, A>`"
    )]
    AsksItself {
        /// The instance's name.
        kernel: String,
    },
    /// The kernel that is to be asked sends on what it takes.
    #[error(
        "`{kernel}` is to be asked, and its first outbox is connected, by which a query would go on: disconnect it, or ask \
         the last of them"
    )]
    AskedGoesOn {
        /// The instance's name.
        kernel: String,
    },
    /// The kernel that is to be asked answers something else.
    #[error(
        "`{kernel}` does not answer `{awaits}`, as it is asked: give it a `&Reply<{awaits}>`, or one outbox alone"
    )]
    OtherAnswer {
        /// The instance's name.
        kernel: String,
        /// The type of the answer.
        awaits: &'static str,
    },
    /// What the kernel has asked is not answered.
    #[error(
        "`{kernel}` has {open} asks whose answers have not come: activate it and the kernel that it asks, and wait until its \
         status shows none; or terminate the kernel that it asks"
    )]
    OpenAsks {
        /// The instance's name.
        kernel: String,
        /// How many.
        open: u64,
    },
    /// The backend could not connect them.
    #[error("the {backend} backend cannot connect them: {error}")]
    Backend {
        /// The backend.
        backend: &'static str,
        /// Why.
        #[source]
        error: BackendError,
    },
}

/// Why kernels are no pipeline.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// A kernel asks others.
    #[error("`{kernel}` asks others, and calls do not go through it yet: leave it out of the pipeline")]
    Asks {
        /// The instance's name.
        kernel: String,
    },
    /// A kernel was launched without room for calls through pipelines.
    #[error(
        "`{kernel}` was launched without room for calls through it: launch it with LaunchOptions::through(64)"
    )]
    NotThrough {
        /// The instance's name.
        kernel: String,
    },
    /// The way ends before it has come to the last kernel.
    #[error("`{kernel}` sends to the host by its first outbox, and so leads not to `{last}`: connect it")]
    NotConnected {
        /// The kernel that is not connected.
        kernel: String,
        /// The kernel that was to answer.
        last: String,
    },
    /// The last kernel is connected to another one.
    #[error(
        "`{kernel}` sends to `{to}`, and so answers nothing: make the pipeline as long as the kernels are connected"
    )]
    GoesOn {
        /// The kernel that was to answer.
        kernel: String,
        /// The one that it is connected to.
        to: String,
    },
    /// The kernel that a kernel is connected to has ended.
    #[error("the kernel that `{kernel}` sends to has ended: launch it again, and connect `{kernel}`")]
    Ended {
        /// The instance's name.
        kernel: String,
    },
    /// The kernels lead back to one of them.
    #[error("the kernels lead back to `{kernel}`, and never to `{last}`: connect one of them to it")]
    Cycle {
        /// The kernel that they lead back to.
        kernel: String,
        /// The kernel that was to answer.
        last: String,
    },
    /// The last kernel has no outbox, or several and no [`Reply`](annulus_kernel::Reply).
    #[error(
        "`{kernel}` has {}, and answers by one: call a kernel whose handler has one `&Outbox`, or a `&Reply`",
        if *outboxes == 0 { "no outbox".into() } else { format!("{outboxes} outboxes") }
    )]
    Outboxes {
        /// The instance's name.
        kernel: String,
        /// How many it has.
        outboxes: usize,
    },
    /// A kernel on the way replies something else than the last one.
    #[error("`{last}` answers `{answers}`, not `{replies}` as `{kernel}` replies: {difference}")]
    OtherAnswer {
        /// The kernel that replies.
        kernel: String,
        /// What it replies.
        replies: &'static str,
        /// The kernel that answers in the end.
        last: String,
        /// What it answers.
        answers: &'static str,
        /// What differs.
        difference: String,
    },
    /// A queue stands in front of the first kernel's ring.
    #[error(
        "`{kernel}` has queues in front of its ring, which do not carry calls to other kernels: launch it without \
         priority, expiry, deduplication, named queues, and without dropping the oldest"
    )]
    QueueInFront {
        /// The instance's name.
        kernel: String,
    },
    /// The two run on two runtimes.
    #[error("`{first}` and `{last}` run on two runtimes: launch both on one")]
    OtherRuntime {
        /// The kernel that is to be called.
        first: String,
        /// The kernel that is to answer.
        last: String,
    },
}

/// Implements `Debug` with the words of `Display`.
macro_rules! debug_in_words {
    ($($error:ty),+) => {$(
        impl std::fmt::Debug for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )+};
}

pub(crate) use debug_in_words;

debug_in_words!(
    LaunchError,
    ConnectError,
    PipelineError,
    LifecycleError,
    HandleError,
    CallError,
    TelemetryError
);

/// Bound parameters with their kinds and types.
fn listed(bindings: &[BindingDefinition]) -> String {
    let one =
        |binding: &BindingDefinition| format!("{}: {:?} of {}", binding.name, binding.kind, binding.ty.name);
    bindings.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Why a kernel is not in the state that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LifecycleError {
    /// The kernel has terminated, for good. Launch it again.
    #[error("the kernel has terminated: launch it again")]
    Terminated,
    /// The deadline passed first; the kernel goes on.
    #[error("the kernel was not ready before the deadline")]
    Timeout,
}

/// Why there is no handle for this name and type.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum HandleError {
    /// No kernel of this name is running.
    #[error("{0}")]
    Unknown(#[source] UnknownKernel),
    /// A kernel of another type than was asked for runs under this name.
    #[error(
        "`{name}` runs {}::{}, which takes {}, not {}::{}, which takes {}",
        runs.module, runs.name, runs.message.name, wanted.module, wanted.name, wanted.message.name
    )]
    OtherKernel {
        /// The name.
        name: String,
        /// The kernel that runs.
        runs: &'static KernelDefinition,
        /// The kernel that was asked for.
        wanted: &'static KernelDefinition,
    },
    /// The kernel takes messages of another type.
    #[error("input of kernel `{name}` takes `{takes}`, not `{asked}`: {difference}")]
    Input {
        /// The kernel.
        name: String,
        /// Its message type.
        takes: &'static str,
        /// The type that was asked for.
        asked: &'static str,
        /// Their first difference: *there* is the kernel, *here* who asks.
        difference: String,
    },
    /// The kernel takes messages of this type in a variant that no address can name.
    #[error(
        "`{name}` takes `{message}` in a variant behind its first 255, and only these have addresses: put it in front"
    )]
    NoAddress {
        /// The kernel.
        name: String,
        /// The type that was asked for.
        message: &'static str,
    },
    /// The kernel, or its outbox, sends another type.
    #[error("output of kernel `{name}` is `{sends}`, not `{asked}`: {difference}")]
    Output {
        /// The kernel, and its outbox if the handler has several.
        name: String,
        /// What it sends.
        sends: String,
        /// The type that was asked for.
        asked: &'static str,
        /// Their first difference: *there* is the kernel, *here* who asks.
        difference: String,
    },
    /// The kernel's handler has no outbox.
    #[error("kernel `{name}` sends nothing: its handler has no `&Outbox`")]
    NoOutput {
        /// The kernel.
        name: String,
    },
    /// The kernel's handler has several outboxes, and none of this name; or fewer.
    #[error(
        "kernel `{name}` has no outbox `{outbox}`{}",
        if outboxes.is_empty() { ": ask by the kernel's name alone".into() }
        else { format!("; it has {}", outboxes.join(", ")) }
    )]
    NoOutbox {
        /// The kernel.
        name: String,
        /// The outbox that was asked for.
        outbox: String,
        /// Its outboxes, if there are several.
        outboxes: Vec<&'static str>,
    },
    /// Several outboxes of the kernel send the type that was asked for.
    #[error(
        "kernel `{name}` sends `{sends}` by several outboxes: say which of {}",
        outboxes.iter().map(|outbox| format!("{name}.{outbox}")).collect::<Vec<_>>().join(", ")
    )]
    SeveralOutboxes {
        /// The kernel.
        name: String,
        /// The type.
        sends: &'static str,
        /// The outboxes that send it.
        outboxes: Vec<&'static str>,
    },
}

/// No kernel of this name is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKernel {
    /// The name that was asked for.
    pub name: String,
    /// The names of the running kernels.
    pub running: Vec<String>,
}

impl fmt::Display for UnknownKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no kernel named `{}` is running", self.name)?;
        if self.running.is_empty() {
            f.write_str(", and no other either")
        } else {
            write!(f, "; these are: {}", self.running.join(", "))
        }
    }
}

impl std::error::Error for UnknownKernel {}

/// The kernel has no queue of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownQueue {
    /// The kernel.
    pub kernel: String,
    /// The name that was asked for.
    pub name: String,
    /// The names of its queues, besides its own.
    pub queues: Vec<String>,
}

impl fmt::Display for UnknownQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the kernel `{}` has no queue named \"{}\"", self.kernel, self.name)?;
        if self.queues.is_empty() {
            f.write_str(": name it in the launch's options, with `queue`")
        } else {
            write!(f, "; it has: {}", self.queues.join(", "))
        }
    }
}

impl std::error::Error for UnknownQueue {}

/// Why a call got no reply.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The kernel was launched with `calls(false)`.
    #[error("the kernel was launched with calls(false): leave calls on to use `call`")]
    Disabled,
    /// The queue was full under Reject.
    #[error("the queue is full and its backpressure is Reject")]
    Full,
    /// The message was discarded, or evicted before the kernel took it.
    #[error("the queue was full, and its backpressure dropped the message")]
    Dropped,
    /// The message was recognised as a duplicate of one that was sent before.
    #[error("the message is a duplicate of one that was sent before: await the reply to that one")]
    Duplicate,
    /// The message expired before the kernel took it.
    #[error("the message waited for longer than the launch's expiry, and expired")]
    Expired,
    /// The message's payload has more bytes than the kernel was launched for.
    #[error("{}", annulus_queue::Oversize { size: *size, limit: *limit })]
    Oversize {
        /// Bytes of the payload; [`usize::MAX`] if it has more than any message may have.
        size: usize,
        /// The most that the launch has room for.
        limit: usize,
    },
    /// The kernel is closed to new messages.
    #[error("the kernel is closed to new messages")]
    Closed,
    /// The handler succeeded and sent nothing. In a [pipeline](crate::Pipeline): it sent nothing by its first outbox.
    #[error(
        "the handler succeeded, and sent nothing that answers: no reply, and nothing by its first outbox"
    )]
    NoReply,
    /// The handler failed, and what it did was rolled back.
    #[error("the handler failed with {}", Shown { code: *code, names: name.map(slice::from_ref).unwrap_or_default() })]
    Failed {
        /// The error code; see `annulus_abi::error` for the codes that the application does not define.
        code: u16,
        /// What the application calls it, if the handler's error derives [`ErrorCode`](crate::prelude::ErrorCode).
        name: Option<&'static ErrorName>,
    },
    /// The kernel terminated before it took the message. If its device failed ([`Ending::Lost`](crate::Ending::Lost)), or
    /// if the call went through a [pipeline](crate::Pipeline), nobody knows whether the message was taken.
    #[error("the kernel terminated before it replied")]
    Terminated,
    /// The call went through a pipeline, and the output that carried it was lost: the next kernel had ended, or had no
    /// room under Reject. Also: a kernel of another pipeline that shares kernels with this one was lost, with calls in all
    /// places.
    #[error(
        "the output that carried the call was lost: the next kernel had ended, or had no room under Reject"
    )]
    Lost,
    /// The deadline passed first.
    #[error("no reply came before the deadline")]
    Timeout,
}

impl CallError {
    /// Whether the message's handler may have run, or may still run, with effect: then a second attempt may have its
    /// effect twice. False if it has not run, or has failed, which takes back what it did to its state and its outputs. Of a
    /// call through a [pipeline](crate::Pipeline) this speaks of the kernel that refused or failed it: kernels in front of that
    /// one have run.
    ///
    /// ```
    /// use annulus_runtime::CallError;
    /// assert!(CallError::Timeout.may_have_run()); // perhaps it runs now
    /// assert!(!CallError::Full.may_have_run());
    /// assert!(!CallError::Failed { code: 1, name: None }.may_have_run()); // it has changed nothing
    /// ```
    pub fn may_have_run(&self) -> bool {
        match self {
            // Of a duplicate: not for this call, but for the message that it equals.
            Self::NoReply | Self::Duplicate | Self::Lost | Self::Terminated | Self::Timeout => true,
            Self::Disabled
            | Self::Full
            | Self::Dropped
            | Self::Expired
            | Self::Oversize { .. }
            | Self::Closed
            | Self::Failed { .. } => false,
        }
    }

    /// A handler has failed with a code, which may be one of those that its errors have names for.
    pub(crate) fn failed(code: u16, names: &'static [ErrorName]) -> Self {
        Self::Failed { code, name: names.iter().find(|name| name.code == code) }
    }
}

impl From<annulus_queue::Oversize> for CallError {
    fn from(annulus_queue::Oversize { size, limit }: annulus_queue::Oversize) -> Self {
        Self::Oversize { size, limit }
    }
}

/// Why telemetry could not be enabled.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TelemetryError {
    /// The runtime's arena had no lines left when the kernel was launched.
    #[error(
        "all {lines} telemetry lines of the runtime were in use when the kernel was launched: \
         reserve more with RuntimeBuilder::telemetry_lines"
    )]
    NoLines {
        /// How many lines it has.
        lines: usize,
    },
    /// The kernel has terminated.
    #[error("the kernel has terminated: launch it again")]
    Terminated,
}
