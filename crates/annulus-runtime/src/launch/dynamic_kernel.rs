//! A launched kernel that is used without knowing its types.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use annulus_kernel::KernelDefinition;
use annulus_queue::{Reason, RecvError, SendError, TryRecvError};

use crate::{
    CallError, HandleError, KernelControl, Runtime,
    handle::AnyHandle,
    kernel::{
        bytes::{Aligned, Bytes, RawMessage, blank},
        shared::KernelShared,
    },
    launch::dynamic::DynamicMessage,
    time::deadline,
};

/// A launched kernel that is used without its types: messages and outputs are JSON, or values described by
/// descriptors. Like a handle: when the last one is dropped, the kernel is terminated.
pub struct DynamicKernel {
    pub(super) handle: AnyHandle,
}

/// A message that a kernel did not handle, and whose type is known by its descriptor alone.
#[derive(Debug)]
#[non_exhaustive]
pub struct DynamicDeadLetter {
    /// The message.
    pub message: DynamicMessage,
    /// Why it is here.
    pub reason: Reason,
    /// When the host found it.
    pub at: SystemTime,
}

/// Why a message in JSON was not sent, or a call has no reply.
#[derive(thiserror::Error)]
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

crate::error::debug_in_words!(DynamicError);

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
        self.output(|kernel, output| kernel.try_recv(None, output))
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
        self.output(|kernel, output| kernel.recv_blocking(None, Some(deadline(limit)), output))
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

    /// Takes the kernel's dead letters, the oldest first, also after its end. None of a kernel with bridged messages, or
    /// without dead letters; nor those that [`KernelHandle::dead_letters`](crate::KernelHandle::dead_letters) has, once a
    /// program has called that.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let kernel = dynamic();
    /// kernel.send_blocking(r#"{"value": 21}"#)?;
    /// kernel.control().drained_blocking();
    /// assert!(kernel.take_dead_letters().is_empty()); // its handler never fails
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_dead_letters(&self) -> Vec<DynamicDeadLetter> {
        let mut all = Vec::new();
        let ty = self.definition().message;
        if let (Some(dead_letters), None) = (&self.handle.shared().dead_letters, self.definition().bridged) {
            dead_letters.take(|message, reason, at| {
                let mut bytes = blank(message.len());
                bytes.copy_from_slice(message);
                // SAFETY: a message of the kernel.
                let message = unsafe { DynamicMessage::of_bytes(ty, bytes) };
                all.push(DynamicDeadLetter { message, reason, at });
            });
        }
        all
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
