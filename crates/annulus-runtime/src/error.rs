//! What can go wrong, one small enum per operation.

use std::fmt;

use annulus_kernel::{BindingDefinition, KernelDefinition};

use crate::{backend::BackendError, options::InvalidOptions};

/// Why a kernel was not launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// The options are wrong; every problem is listed.
    Invalid(InvalidOptions),
    /// A kernel of this name is running.
    AlreadyLaunched {
        /// The name.
        name: String,
    },
    /// A bound parameter is not what the kernel takes.
    Binding {
        /// The kernel.
        kernel: &'static str,
        /// What it takes.
        expected: Vec<BindingDefinition>,
        /// The types that were bound.
        found: Vec<&'static str>,
    },
    /// The backend could not.
    Backend {
        /// The backend.
        backend: &'static str,
        /// Why.
        error: BackendError,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::AlreadyLaunched { name } => write!(
                f,
                "a kernel named `{name}` is running: terminate it first, or give this one a name with LaunchOptions::name"
            ),
            Self::Binding { kernel, expected, found } => {
                let expected: Vec<_> =
                    expected.iter().map(|b| format!("{}: {:?} of {}", b.name, b.kind, b.ty.name)).collect();
                write!(f, "`{kernel}` binds [{}], and was given [{}]", expected.join(", "), found.join(", "))
            }
            Self::Backend { backend, error } => write!(f, "the {backend} backend cannot launch it: {error}"),
        }
    }
}

impl std::error::Error for LaunchError {}

/// Why a kernel's lifecycle could not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleError {
    /// The kernel has terminated, for good. Launch it again.
    Terminated,
}

impl fmt::Display for LifecycleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the kernel has terminated: launch it again")
    }
}

impl std::error::Error for LifecycleError {}

/// Why there is no handle of that name and type.
#[derive(Clone, Debug)]
pub enum HandleError {
    /// No kernel of this name is running.
    Unknown(UnknownKernel),
    /// Another kernel than the one that was asked for runs under this name.
    OtherKernel {
        /// The name.
        name: String,
        /// What runs.
        runs: &'static KernelDefinition,
        /// What was asked for.
        wanted: &'static KernelDefinition,
    },
}

impl fmt::Display for HandleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::OtherKernel { name, runs, wanted } => write!(
                f,
                "`{name}` runs {}::{}, which takes {}, not {}::{}, which takes {}",
                runs.module, runs.name, runs.message.name, wanted.module, wanted.name, wanted.message.name
            ),
        }
    }
}

impl std::error::Error for HandleError {}

/// No kernel of this name is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKernel {
    /// The name that was asked for.
    pub name: String,
    /// The names of those that run.
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

/// Why a call got no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The kernel was launched with `calls(false)`.
    Disabled,
    /// The queue was full under Reject.
    Full,
    /// The message was discarded, or evicted before the kernel took it.
    Dropped,
    /// The kernel is closed to new messages.
    Closed,
    /// The handler succeeded and sent nothing.
    NoReply,
    /// The handler failed, and what it did was rolled back.
    Failed {
        /// The error code; see `annulus_abi::error` for those that are not the application's.
        code: u16,
    },
    /// The kernel terminated before it took the message.
    Terminated,
    /// The deadline passed first.
    Timeout,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => {
                f.write_str("the kernel was launched with calls(false): leave calls on to use `call`")
            }
            Self::Full => f.write_str("the queue is full and its backpressure is Reject"),
            Self::Dropped => f.write_str("the queue was full, and its backpressure dropped the message"),
            Self::Closed => f.write_str("the kernel is closed to new messages"),
            Self::NoReply => f.write_str("the handler succeeded and sent nothing"),
            Self::Failed { code } => {
                write!(f, "the handler failed with code {code:#06x}: {}", annulus_abi::error::describe(*code))
            }
            Self::Terminated => f.write_str("the kernel terminated before it took the message"),
            Self::Timeout => f.write_str("no reply came before the deadline"),
        }
    }
}

impl std::error::Error for CallError {}

/// Why telemetry could not be enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TelemetryError {
    /// The runtime's arena had no lines left when the kernel was launched.
    NoLines {
        /// How many lines it has.
        lines: usize,
    },
    /// The kernel has terminated.
    Terminated,
}

impl fmt::Display for TelemetryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLines { lines } => write!(
                f,
                "all {lines} telemetry lines of the runtime were in use when the kernel was launched: \
                 reserve more with RuntimeBuilder::telemetry_lines"
            ),
            Self::Terminated => f.write_str("the kernel has terminated: launch it again"),
        }
    }
}

impl std::error::Error for TelemetryError {}
