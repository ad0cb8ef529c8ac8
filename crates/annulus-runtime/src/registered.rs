//! The kernels of a program, by name, and launching one whose types the caller does not know.
//!
//! `#[ring_kernel]` puts every kernel into a list that the linker gathers, from every crate that is linked in. A tool finds a kernel
//! there by its name, launches it, and talks to it in JSON; what messages and outputs look like, their descriptors say.

use std::{fmt, time::Duration};

use annulus_kernel::{Binding, Described, KernelDefinition, RingKernel, read_described};
use annulus_queue::{RecvError, TryRecvError};
use linkme::distributed_slice;

use crate::{Bound, KernelControl, KernelHandle, LaunchError, LaunchOptions, Runtime};

/// What the linker gathers.
#[doc(hidden)]
#[distributed_slice]
pub static KERNELS: [RegisteredKernel];

/// A kernel of this program.
#[derive(Clone, Copy)]
pub struct RegisteredKernel {
    definition: &'static KernelDefinition,
    options: fn() -> LaunchOptions,
    launch: fn(&Runtime, LaunchOptions, Vec<Binding>) -> Result<DynamicKernel, LaunchError>,
}

impl RegisteredKernel {
    /// What the macro writes.
    #[doc(hidden)]
    pub const fn of<K: RingKernel>(options: fn() -> LaunchOptions) -> Self {
        Self { definition: K::DEFINITION, options, launch: launch::<K> }
    }

    /// Every kernel that is linked into this program, by name, then by module.
    pub fn all() -> Vec<&'static Self> {
        let mut all: Vec<_> = KERNELS.iter().collect();
        all.sort_by_key(|kernel| (kernel.definition.name, kernel.definition.module));
        all
    }

    /// The kernel of this name; where several modules have one, `module::name` tells them apart, and so does its end.
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
    pub fn definition(&self) -> &'static KernelDefinition {
        self.definition
    }

    /// The launch options that its attribute asks for.
    pub fn options(&self) -> LaunchOptions {
        (self.options)()
    }

    /// The module that its handler stands in, and its name: `my_crate::sensors::detect`.
    pub fn path(&self) -> String {
        format!("{}::{}", self.definition.module, self.definition.name)
    }

    /// Launches it, with what its definition says that a launch binds.
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
        (self.launch)(runtime, options, bindings)
    }
}

fn paths(kernels: &[&RegisteredKernel]) -> Vec<String> {
    kernels.iter().map(|kernel| kernel.path()).collect()
}

fn launch<K: RingKernel>(
    runtime: &Runtime,
    options: LaunchOptions,
    bindings: Vec<Binding>,
) -> Result<DynamicKernel, LaunchError> {
    let handle = Bound::<K>::new(bindings).launch(runtime, options)?;
    Ok(DynamicKernel { definition: K::DEFINITION, ends: Box::new(handle) })
}

impl fmt::Debug for RegisteredKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredKernel").field("path", &self.path()).finish_non_exhaustive()
    }
}

/// No kernel of this name, or more than one, is linked into this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRegistered {
    name: String,
    ambiguous: bool,
    there_are: Vec<String>,
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

/// A launched kernel that takes and gives JSON. Dropping it terminates the kernel.
pub struct DynamicKernel {
    definition: &'static KernelDefinition,
    ends: Box<dyn Ends>,
}

/// A typed handle, its types forgotten.
trait Ends: Send + Sync {
    fn control(&self) -> &KernelControl;
    fn send(&self, json: &str) -> Result<(), DynamicError>;
    fn try_recv(&self) -> Result<String, TryRecvError>;
    fn recv(&self, limit: Duration) -> Result<String, RecvError>;
    fn call(&self, json: &str) -> Result<String, DynamicError>;
}

/// Why a message in JSON was not sent, or a call has no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum DynamicError {
    /// The text is no message of the kernel's.
    Text {
        /// The kernel's message type.
        message: &'static str,
        /// What is wrong, and where.
        error: serde_json::Error,
    },
    /// The kernel did not take it, or gave no reply: why.
    Kernel(String),
}

impl fmt::Display for DynamicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { message, error } => write!(f, "not of type {message}: {error}"),
            Self::Kernel(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for DynamicError {}

impl DynamicKernel {
    /// The kernel as data.
    pub fn definition(&self) -> &'static KernelDefinition {
        self.definition
    }

    /// Its lifecycle, status and telemetry.
    pub fn control(&self) -> &KernelControl {
        self.ends.control()
    }

    /// Sends a message, waiting for space under Block.
    ///
    /// # Errors
    ///
    /// [`DynamicError`] says what is wrong with the text, or why the kernel did not take it.
    pub fn send(&self, json: &str) -> Result<(), DynamicError> {
        self.ends.send(json)
    }

    /// An output, if there is one now.
    ///
    /// # Errors
    ///
    /// As for [`KernelHandle::try_recv`].
    pub fn try_recv(&self) -> Result<String, TryRecvError> {
        self.ends.try_recv()
    }

    /// An output, waiting for at most `limit`.
    ///
    /// # Errors
    ///
    /// As for [`KernelHandle::recv_timeout`].
    pub fn recv(&self, limit: Duration) -> Result<String, RecvError> {
        self.ends.recv(limit)
    }

    /// Sends a message and waits for the reply to it.
    ///
    /// # Errors
    ///
    /// [`DynamicError`] says what is wrong with the text, or why there is no reply.
    pub fn call(&self, json: &str) -> Result<String, DynamicError> {
        self.ends.call(json)
    }
}

impl fmt::Debug for DynamicKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicKernel").field("name", &self.control().name()).finish_non_exhaustive()
    }
}

fn read<K: RingKernel>(json: &str) -> Result<K::Message, DynamicError> {
    let mut text = serde_json::Deserializer::from_str(json);
    let message = read_described(&mut text).and_then(|message| text.end().map(|()| message));
    message.map_err(|error| DynamicError::Text { message: K::DEFINITION.message.name, error })
}

fn write<K: RingKernel>(output: &K::Output) -> String {
    // What a device wrote may be no valid value of an enum; then this says so, in JSON.
    serde_json::to_string(&Described::new(output))
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string())
}

impl<K: RingKernel> Ends for KernelHandle<K> {
    fn control(&self) -> &KernelControl {
        self
    }

    fn send(&self, json: &str) -> Result<(), DynamicError> {
        let sent = self.send_blocking(read::<K>(json)?);
        sent.map(|_| ()).map_err(|error| DynamicError::Kernel(error.to_string()))
    }

    fn try_recv(&self) -> Result<String, TryRecvError> {
        KernelHandle::try_recv(self).map(|output| write::<K>(&output))
    }

    fn recv(&self, limit: Duration) -> Result<String, RecvError> {
        self.recv_timeout(limit).map(|output| write::<K>(&output))
    }

    fn call(&self, json: &str) -> Result<String, DynamicError> {
        let reply = self.call_blocking(read::<K>(json)?);
        reply.map(|output| write::<K>(&output)).map_err(|error| DynamicError::Kernel(error.to_string()))
    }
}
