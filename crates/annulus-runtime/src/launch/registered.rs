//! The kernels of a program, by name, and how to launch one without knowing its types.
//!
//! `#[ring_kernel]` puts every kernel into a list. The linker gathers the list from all linked crates. A tool
//! finds a kernel there by its name, launches it, and talks to it in JSON. Descriptors say what its messages
//! and outputs look like.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use annulus_kernel::{Binding, KernelDefinition, RingKernel};
use annulus_queue::{RecvError, SendError, TryRecvError};
use linkme::distributed_slice;

use crate::{
    CallError, HandleError, KernelControl, LaunchError, LaunchOptions, Runtime,
    handle::AnyHandle,
    kernel::{
        bytes::{Aligned, Bytes, RawMessage, blank},
        shared::{KernelShared, Kind},
    },
    launch::dynamic::DynamicMessage,
    launch::start::AnyBound,
    time::deadline,
};

/// The list that the linker gathers.
#[doc(hidden)]
#[distributed_slice]
pub static KERNELS: [RegisteredKernel];

/// Kernels that were added at run time.
static ADDED: Mutex<Vec<&'static RegisteredKernel>> = Mutex::new(Vec::new());

/// A kernel of this program.
#[derive(Clone, Copy)]
pub struct RegisteredKernel {
    kind: Kind,
    options: fn() -> LaunchOptions,
}

impl RegisteredKernel {
    /// Called by the code that the macro emits.
    #[doc(hidden)]
    pub const fn of<K: RingKernel>(options: fn() -> LaunchOptions) -> Self {
        Self { kind: Kind::of::<K>(), options }
    }

    /// Adds a kernel to the list at run time: one that the linker does not see, such as that of a library which
    /// was opened later. `options` are those that its attribute asks for, `double::options`.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// // The linker has seen this one.
    /// let error = RegisteredKernel::register::<double>(double::options).unwrap_err();
    /// assert!(error.to_string().ends_with("::double is registered already: each kernel of a program once"));
    /// ```
    ///
    /// # Errors
    ///
    /// [`AlreadyRegistered`] if a kernel of this path is in the list.
    pub fn register<K: RingKernel>(
        options: fn() -> LaunchOptions,
    ) -> Result<&'static Self, AlreadyRegistered> {
        let kernel = Self::of::<K>(options);
        let mut added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
        let path = kernel.path();
        if KERNELS.iter().chain(added.iter().copied()).any(|other| other.path() == path) {
            return Err(AlreadyRegistered { path });
        }
        // For good, as those that are linked: whoever found one may keep it.
        let kernel: &'static Self = Box::leak(Box::new(kernel));
        added.push(kernel);
        Ok(kernel)
    }

    /// Every kernel that is linked into this program or was [added](Self::register), by name, then by module.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// for kernel in RegisteredKernel::all() {
    ///     println!("{} takes {}", kernel.path(), kernel.definition().message.name);
    /// }
    /// # assert!(RegisteredKernel::all().len() >= 2);
    /// ```
    pub fn all() -> Vec<&'static Self> {
        let added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = KERNELS.iter().chain(added.iter().copied()).collect();
        all.sort_by_key(|kernel| (kernel.kind.definition.name, kernel.kind.definition.module));
        all
    }

    /// The kernel of this name. If several modules have one, give its path (`module::name`), or the end of
    /// its path.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let path = registered().path();
    /// assert_eq!(RegisteredKernel::find(&path)?.path(), path);
    /// assert!(RegisteredKernel::find("nothing").unwrap_err().to_string().starts_with("no kernel is called `nothing`"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] lists what there is.
    pub fn find(name: &str) -> Result<&'static Self, NotRegistered> {
        let all = Self::all();
        let is_meant = |kernel: &&&Self| {
            let path = kernel.path();
            path == name || path.strip_suffix(name).is_some_and(|front| front.ends_with("::"))
        };
        let found: Vec<_> = all.iter().filter(is_meant).collect();
        match found[..] {
            [kernel] => Ok(kernel),
            [] => Err(NotRegistered { name: name.into(), ambiguous: false, there_are: paths(&all) }),
            _ => {
                let there_are = found.iter().map(|kernel| kernel.path()).collect();
                Err(NotRegistered { name: name.into(), ambiguous: true, there_are })
            }
        }
    }

    /// The kernel as data.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert_eq!(registered().definition().name, "double");
    /// ```
    pub fn definition(&self) -> &'static KernelDefinition {
        self.kind.definition
    }

    /// The launch options that its attribute asks for.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert_eq!(registered().options(), LaunchOptions::production());
    /// ```
    pub fn options(&self) -> LaunchOptions {
        (self.options)()
    }

    /// The module that its handler stands in, and its name: `my_crate::sensors::detect`.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert!(registered().path().ends_with("::double"));
    /// ```
    pub fn path(&self) -> String {
        format!("{}::{}", self.kind.definition.module, self.kind.definition.name)
    }

    /// Launches the kernel with its bound parameters, as its definition lists them.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = registered().launch(&runtime, LaunchOptions::production(), vec![])?;
    /// assert_eq!(kernel.call_blocking(r#"{"value": 21}"#)?, r#"{"value":42}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LaunchError`] names what is wrong, and the remedy.
    pub fn launch(
        &self,
        runtime: &Runtime,
        options: LaunchOptions,
        bindings: Vec<Binding>,
    ) -> Result<DynamicKernel, LaunchError> {
        let handle = AnyBound::new(self.kind, bindings).launch(runtime, options)?;
        Ok(DynamicKernel { handle })
    }
}

fn paths(kernels: &[&RegisteredKernel]) -> Vec<String> {
    kernels.iter().map(|kernel| kernel.path()).collect()
}

impl fmt::Debug for RegisteredKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredKernel").field("path", &self.path()).finish_non_exhaustive()
    }
}

/// This program has no kernel of this name, or more than one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotRegistered {
    /// The name that was asked for.
    pub name: String,
    /// Whether several kernels have it.
    pub ambiguous: bool,
    /// The paths of the kernels that have the name, or of all kernels if none has it.
    pub there_are: Vec<String>,
}

impl fmt::Display for NotRegistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, ambiguous, there_are } = self;
        let list = there_are.join(", ");
        match (ambiguous, there_are.is_empty()) {
            (true, _) => write!(f, "several kernels are called `{name}`: say which of {list}"),
            (false, true) => {
                write!(
                    f,
                    "no kernel is called `{name}`: this program has none; write `#[ring_kernel]` on a function"
                )
            }
            (false, false) => write!(f, "no kernel is called `{name}`; there are {list}"),
        }
    }
}

impl std::error::Error for NotRegistered {}

/// A kernel of this path is registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} is registered already: each kernel of a program once")]
#[non_exhaustive]
pub struct AlreadyRegistered {
    /// The path.
    pub path: String,
}

/// A launched kernel that is used without its types: messages and outputs are JSON, or values described by
/// descriptors. Like a handle: when the last one is dropped, the kernel is terminated.
pub struct DynamicKernel {
    handle: AnyHandle,
}

/// Why a message in JSON was not sent, or a call has no reply.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicError {
    /// The text is not a message of this kernel.
    #[error("not of type {message}: {error}")]
    Text {
        /// The kernel's message type.
        message: &'static str,
        /// What is wrong, and where.
        #[source]
        error: serde_json::Error,
    },
    /// The message is of another type.
    #[error("{kernel} takes {expected}, not {found}")]
    Type {
        /// The kernel.
        kernel: &'static str,
        /// Its message type.
        expected: &'static str,
        /// The message's type.
        found: &'static str,
    },
    /// The kernel takes bridged messages, which cannot be made of JSON or descriptors here.
    #[error(
        "{kernel} takes bridged messages, of type {message}: send them with its typed handle, since only that \
         encodes them"
    )]
    Bridged {
        /// The kernel.
        kernel: &'static str,
        /// Its message type.
        message: &'static str,
    },
    /// The kernel did not take the message.
    #[error("{0}")]
    Send(#[source] SendError<()>),
    /// There is no reply.
    #[error("{0}")]
    Call(#[source] CallError),
}

impl Runtime {
    /// The kernel that runs under this name, whoever launched it, to be used without its types: messages and outputs
    /// are JSON. Like another handle of the kernel.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production().name("mine"))?;
    /// assert_eq!(runtime.dynamic("mine")?.call_blocking(r#"{"value": 21}"#)?, r#"{"value":42}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`HandleError::Unknown`], which lists the kernels that run.
    pub fn dynamic(&self, name: &str) -> Result<DynamicKernel, HandleError> {
        self.any_handle(name).map(|handle| DynamicKernel { handle })
    }
}

impl DynamicKernel {
    /// The kernel as data.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert_eq!(dynamic().definition().name, "double");
    /// ```
    pub fn definition(&self) -> &'static KernelDefinition {
        self.handle.shared().core.definition
    }

    /// The kernel's lifecycle, status and telemetry.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert_eq!(dynamic().control().name(), "double");
    /// ```
    pub fn control(&self) -> &KernelControl {
        self.handle.control()
    }

    /// Sends a message in JSON, waiting for space under Block.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// # use annulus_runtime::DynamicError;
    /// let kernel = dynamic();
    /// kernel.send_blocking(r#"{"value": 21}"#)?;
    /// let error = kernel.send_blocking(r#"{"value": -1}"#).unwrap_err();
    /// assert!(matches!(error, DynamicError::Text { message: "Number", .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DynamicError`] says what is wrong with the text, or why the kernel did not take it.
    pub fn send_blocking(&self, json: &str) -> Result<(), DynamicError> {
        self.send_message_blocking(&self.read(json)?)
    }

    /// Sends a message, waiting for space under Block.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let kernel = dynamic();
    /// let message = DynamicMessage::from_payload(kernel.definition().message, &21_u64.to_le_bytes())?;
    /// kernel.send_message_blocking(&message)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DynamicError`]: the message is of another type, or the kernel did not take it.
    pub fn send_message_blocking(&self, message: &DynamicMessage) -> Result<(), DynamicError> {
        let mut message = self.own(message)?;
        // SAFETY: a message of this kernel, and aligned.
        let message = unsafe { RawMessage::of_bytes(message.bytes()) };
        let sent = self.handle.shared().send_blocking(message, None);
        sent.map(drop).map_err(DynamicError::Send)
    }

    /// An output in JSON, if there is one now.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert_eq!(dynamic().try_recv(), Err(annulus_runtime::TryRecvError::Empty));
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`KernelHandle::try_recv`](crate::KernelHandle::try_recv).
    pub fn try_recv(&self) -> Result<String, TryRecvError> {
        self.try_recv_message().map(|output| json(&output))
    }

    /// An output, if there is one now.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let kernel = dynamic();
    /// kernel.send_blocking(r#"{"value": 21}"#)?;
    /// kernel.control().drained_blocking();
    /// assert_eq!(kernel.try_recv_message()?.payload(), 42_u64.to_le_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`KernelHandle::try_recv`](crate::KernelHandle::try_recv).
    pub fn try_recv_message(&self) -> Result<DynamicMessage, TryRecvError> {
        self.output(|kernel, output| kernel.try_recv(output))
    }

    /// An output in JSON, waiting for at most `limit`.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// # use std::time::Duration;
    /// let kernel = dynamic();
    /// kernel.send_blocking(r#"{"value": 21}"#)?;
    /// assert_eq!(kernel.recv_timeout(Duration::from_secs(60))?, r#"{"value":42}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`KernelHandle::recv_timeout`](crate::KernelHandle::recv_timeout).
    pub fn recv_timeout(&self, limit: Duration) -> Result<String, RecvError> {
        self.recv_message_timeout(limit).map(|output| json(&output))
    }

    /// An output, waiting for at most `limit`.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// # use std::time::Duration;
    /// assert!(dynamic().recv_message_timeout(Duration::from_millis(1)).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`KernelHandle::recv_timeout`](crate::KernelHandle::recv_timeout).
    pub fn recv_message_timeout(&self, limit: Duration) -> Result<DynamicMessage, RecvError> {
        self.output(|kernel, output| kernel.recv_blocking(Some(deadline(limit)), output))
    }

    /// Sends a message in JSON and waits for the reply to it.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert_eq!(dynamic().call_blocking(r#"{"value": 21}"#)?, r#"{"value":42}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DynamicError`] says what is wrong with the text, or why there is no reply.
    pub fn call_blocking(&self, text: &str) -> Result<String, DynamicError> {
        self.call_message_blocking(&self.read(text)?).map(|reply| json(&reply))
    }

    /// Sends a message and waits for the reply to it.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let kernel = dynamic();
    /// let message = DynamicMessage::from_payload(kernel.definition().message, &21_u64.to_le_bytes())?;
    /// assert_eq!(kernel.call_message_blocking(&message)?.payload(), 42_u64.to_le_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DynamicError`]: the message is of another type, or there is no reply.
    pub fn call_message_blocking(&self, message: &DynamicMessage) -> Result<DynamicMessage, DynamicError> {
        let mut message = self.own(message)?;
        // SAFETY: a message of this kernel, and aligned.
        let message = unsafe { RawMessage::of_bytes(message.bytes()) };
        self.output(|kernel, reply| kernel.call_blocking(message, reply)).map_err(DynamicError::Call)
    }

    /// A message, read by its type's descriptor.
    fn read(&self, json: &str) -> Result<DynamicMessage, DynamicError> {
        self.takes_direct()?;
        let ty = self.definition().message;
        let mut text = serde_json::Deserializer::from_str(json);
        let message = DynamicMessage::read(ty, &mut text).and_then(|message| text.end().map(|()| message));
        message.map_err(|error| DynamicError::Text { message: ty.name, error })
    }

    /// Refuses a kernel with bridged messages.
    fn takes_direct(&self) -> Result<(), DynamicError> {
        match self.definition().bridged {
            None => Ok(()),
            Some(bridged) => {
                Err(DynamicError::Bridged { kernel: self.definition().name, message: bridged.name })
            }
        }
    }

    /// An aligned copy of a message of this kernel.
    fn own(&self, message: &DynamicMessage) -> Result<Aligned, DynamicError> {
        self.takes_direct()?;
        let ty = self.definition().message;
        if *message.ty() != *ty {
            let kernel = self.definition().name;
            return Err(DynamicError::Type { kernel, expected: ty.name, found: message.ty().name });
        }
        Ok(message.aligned())
    }

    /// The output that `receive` writes to its place.
    fn output<E>(
        &self,
        receive: impl FnOnce(&KernelShared, &mut Bytes) -> Result<(), E>,
    ) -> Result<DynamicMessage, E> {
        let kernel = self.handle.shared();
        let size = self.definition().output.map_or(0, |ty| ty.size);
        let mut output = blank(size);
        receive(kernel, &mut output)?;
        let ty = self.definition().output.expect("only a kernel that has outputs sends one");
        // SAFETY: an output of the kernel was written there.
        Ok(unsafe { DynamicMessage::of_bytes(ty, output) })
    }
}

/// An output, by its type's descriptor. If a device wrote an invalid value of an enum, the JSON says so.
fn json(output: &DynamicMessage) -> String {
    let json = serde_json::to_string(output);
    json.unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string())
}

impl fmt::Debug for DynamicKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicKernel").field("name", &self.control().name()).finish_non_exhaustive()
    }
}
