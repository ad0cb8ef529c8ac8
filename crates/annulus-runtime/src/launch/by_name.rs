//! Running kernels by their names, for who knows the types of messages and not the kernels.

use std::{any::type_name, fmt, marker::PhantomData, time::Duration};

use annulus_kernel::{KernelDefinition, KernelMessage, PortDefinition, RingMessage, TypeDescriptor};
use annulus_queue::{RecvError, SendError, SendOutcome, TryRecvError, TrySendError};

use crate::{
    error::{HandleError, UnknownKernel},
    handle::{AnyHandle, control::KernelControl, receive::Outlet, send::Inlet},
    launch::runtime::Runtime,
    time::deadline,
};

/// Sends messages of type `M` to a running kernel: [`Runtime::sender`]. Like a handle of the kernel, it keeps the
/// kernel running; clones send to the same kernel.
pub struct KernelSender<M> {
    /// Of a kernel whose messages are of type `M`.
    handle: AnyHandle,
    _message: PhantomData<fn(M)>,
}

/// Receives what a running kernel sends to the host, of type `T`: [`Runtime::receiver`]. Like a handle of the
/// kernel, it keeps the kernel running; of several receivers each output goes to one.
pub struct KernelReceiver<T> {
    /// Of a kernel whose outputs are of type `T`, or of the outbox of this number.
    handle: AnyHandle,
    port: Option<usize>,
    _output: PhantomData<fn() -> T>,
}

/// # By name
impl Runtime {
    /// A handle without types of the kernel that runs under this name.
    pub(crate) fn any_handle(&self, name: &str) -> Result<AnyHandle, HandleError> {
        let kernel = self.inner.registry.find(name).map_err(HandleError::Unknown)?;
        AnyHandle::again(KernelControl::new(kernel, self.inner.arena_lines())).ok_or_else(|| {
            let running = self.inner.registry.names();
            HandleError::Unknown(UnknownKernel { name: name.into(), running })
        })
    }

    /// Sends to the kernel that runs under this name, for who knows its message type alone.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// let numbers = runtime.sender::<Number>("double")?;
    /// let doubled = runtime.receiver::<Number>("double")?;
    /// numbers.send_blocking(Number { value: 21 })?;
    /// assert_eq!(doubled.recv_blocking()?, Number { value: 42 });
    ///
    /// let error = runtime.sender::<Deposit>("double").unwrap_err().to_string();
    /// assert_eq!(
    ///     error,
    ///     "input of kernel `double` takes `Number`, not `Deposit`: \
    ///      field `value` stands there where `account` stands here"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`HandleError`]: no kernel of this name runs, or it takes another type; the error names both types, and the
    /// first field in which they differ.
    pub fn sender<M: KernelMessage>(&self, name: &str) -> Result<KernelSender<M>, HandleError> {
        let handle = self.any_handle(name)?;
        if handle.shared().takes::<M>() {
            return Ok(KernelSender { handle, _message: PhantomData });
        }
        Err(not_taken::<M>(name, handle.shared().core.definition))
    }

    /// Receives from the kernel that runs under this name, for who knows the type of its outputs alone. If the
    /// handler has several outboxes, `name` may be that of the kernel and that of the outbox, `"validate.bad"`; the
    /// kernel's name suffices if one outbox alone sends `T`.
    ///
    /// What a kernel sends to a kernel that it is connected to does not come here.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = sort::launch(&runtime, LaunchOptions::production())?;
    /// kernel.send_blocking(Number { value: 3 })?;
    /// assert_eq!(runtime.receiver::<Number>("sort.odd")?.recv_blocking()?, Number { value: 3 });
    ///
    /// let error = runtime.receiver::<Number>("sort").unwrap_err().to_string();
    /// assert_eq!(error, "kernel `sort` sends `Number` by several outboxes: say which of sort.even, sort.odd");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`HandleError`]: no kernel of this name runs, it has no such outbox, it sends nothing, or sends another type;
    /// the error names both types, and the first field in which they differ.
    pub fn receiver<T: RingMessage>(&self, name: &str) -> Result<KernelReceiver<T>, HandleError> {
        let (handle, outbox) = match (self.any_handle(name), name.rsplit_once('.')) {
            (Err(error), Some((kernel, outbox))) => match self.any_handle(kernel) {
                Ok(handle) => (handle, Some(outbox)),
                Err(_) => return Err(error),
            },
            (handle, _) => (handle?, None),
        };
        let port = output_of::<T>(&handle, outbox)?;
        Ok(KernelReceiver { handle, port, _output: PhantomData })
    }
}

/// The kernel of this name does not take `M`.
pub(crate) fn not_taken<M: KernelMessage>(name: &str, definition: &KernelDefinition) -> HandleError {
    let asked = M::BRIDGED.map_or(M::SLOT.name, |bridged| bridged.name);
    let difference = message_difference::<M>(definition);
    HandleError::Input { name: name.into(), takes: definition.message_name(), asked, difference }
}

/// In what a kernel's messages differ from `M`.
fn message_difference<M: KernelMessage>(definition: &KernelDefinition) -> String {
    match (definition.bridged, M::BRIDGED) {
        (None, None) => difference(definition.message, M::SLOT, type_name::<M>()),
        (Some(there), Some(here)) => match (here.schema)().reads(&(there.schema)()) {
            Err(mismatch) => mismatch.to_string(),
            Ok(()) => format!("it is another type than {}, of the same fields", type_name::<M>()),
        },
        (Some(_), None) => "messages are bridged there, and have a fixed layout here".into(),
        (None, Some(_)) => "messages have a fixed layout there, and are bridged here".into(),
    }
}

fn difference(there: &TypeDescriptor, here: &TypeDescriptor, name: &str) -> String {
    there
        .difference(here)
        .unwrap_or_else(|| format!("it is another type than {name}, of the same name and fields"))
}

/// The number of the outbox that sends `T`, if the kernel has several. Types are the same if their names and
/// layouts are, as for snapshots and for what a launch binds: outputs are plain data.
fn output_of<T: RingMessage>(handle: &AnyHandle, outbox: Option<&str>) -> Result<Option<usize>, HandleError> {
    let core = &handle.shared().core;
    let (name, definition) = (core.name.clone(), core.definition);
    let other = |name, sends: &TypeDescriptor| {
        let difference = difference(sends, T::DESCRIPTOR, type_name::<T>());
        HandleError::Output { name, sends: sends.name.into(), asked: T::DESCRIPTOR.name, difference }
    };
    let Some(output) = definition.output else { return Err(HandleError::NoOutput { name }) };
    let ports = definition.ports;
    let outboxes = || ports.iter().map(|port| port.name).collect::<Vec<_>>();
    if let Some(outbox) = outbox {
        let Some(number) = ports.iter().position(|port| port.name == outbox) else {
            return Err(HandleError::NoOutbox { name, outbox: outbox.into(), outboxes: outboxes() });
        };
        let sends = ports[number].output;
        let name = format!("{name}.{outbox}");
        return if *sends == *T::DESCRIPTOR { Ok(Some(number)) } else { Err(other(name, sends)) };
    }
    if ports.is_empty() {
        return if *output == *T::DESCRIPTOR { Ok(None) } else { Err(other(name, output)) };
    }
    let sends_it = |port: &&PortDefinition| *port.output == *T::DESCRIPTOR;
    let found: Vec<_> = ports.iter().filter(sends_it).map(|port| port.name).collect();
    match found[..] {
        [one] => Ok(ports.iter().position(|port| port.name == one)),
        [] => {
            let sends: Vec<_> = ports.iter().map(|port| port.output.name).collect();
            let difference = format!("none of its outboxes {} sends that", outboxes().join(", "));
            let asked = T::DESCRIPTOR.name;
            Err(HandleError::Output { name, sends: sends.join("`, `"), asked, difference })
        }
        _ => Err(HandleError::SeveralOutboxes { name, sends: T::DESCRIPTOR.name, outboxes: found }),
    }
}

impl<M: KernelMessage> KernelSender<M> {
    fn inlet(&self) -> Inlet<'_, M> {
        // SAFETY: by the field's invariant.
        unsafe { Inlet::new(self.handle.shared()) }
    }

    /// As [`KernelHandle::try_send`](crate::KernelHandle::try_send).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// let sender = runtime.sender("double")?;
    /// assert_eq!(sender.try_send(Number { value: 21 })?, SendOutcome::Accepted);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn try_send(&self, message: M) -> Result<SendOutcome<M>, TrySendError<M>> {
        self.inlet().try_send(message)
    }

    /// As [`KernelHandle::send`](crate::KernelHandle::send).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// runtime.sender("double")?.send(Number { value: 21 }).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub async fn send(&self, message: M) -> Result<SendOutcome<M>, SendError<M>> {
        self.inlet().send(message).await
    }

    /// As [`KernelHandle::send_blocking`](crate::KernelHandle::send_blocking).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// runtime.sender("double")?.send_blocking(Number { value: 21 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn send_blocking(&self, message: M) -> Result<SendOutcome<M>, SendError<M>> {
        self.inlet().send_blocking(message)
    }

    /// As [`KernelHandle::send_timeout`](crate::KernelHandle::send_timeout).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use std::time::Duration;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// runtime.sender("double")?.send_timeout(Number { value: 21 }, Duration::from_secs(1))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn send_timeout(&self, message: M, limit: Duration) -> Result<SendOutcome<M>, SendError<M>> {
        self.inlet().send_timeout(message, deadline(limit))
    }

    /// The kernel's lifecycle, status and telemetry.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// assert_eq!(runtime.sender::<Number>("double")?.control().name(), "double");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn control(&self) -> &KernelControl {
        self.handle.control()
    }
}

impl<T: RingMessage> KernelReceiver<T> {
    fn outlet(&self) -> Outlet<'_, T> {
        // SAFETY: by the field's invariant; nobody calls by this.
        unsafe { Outlet::by(self.handle.shared(), self.port) }
    }

    /// As [`KernelHandle::try_recv`](crate::KernelHandle::try_recv).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// assert_eq!(runtime.receiver::<Number>("double")?.try_recv(), Err(TryRecvError::Empty));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.outlet().try_recv()
    }

    /// As [`KernelHandle::recv`](crate::KernelHandle::recv).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # annulus::block_on(async {
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// kernel.send(Number { value: 21 }).await?;
    /// assert_eq!(runtime.receiver::<Number>("double")?.recv().await?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub async fn recv(&self) -> Result<T, RecvError> {
        self.outlet().recv().await
    }

    /// As [`KernelHandle::recv_blocking`](crate::KernelHandle::recv_blocking).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// kernel.send_blocking(Number { value: 21 })?;
    /// assert_eq!(runtime.receiver::<Number>("double")?.recv_blocking()?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn recv_blocking(&self) -> Result<T, RecvError> {
        self.outlet().recv_blocking(None)
    }

    /// As [`KernelHandle::recv_timeout`](crate::KernelHandle::recv_timeout).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use std::time::Duration;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// let received = runtime.receiver::<Number>("double")?.recv_timeout(Duration::from_millis(1));
    /// assert_eq!(received, Err(RecvError::Timeout));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvError> {
        self.outlet().recv_blocking(Some(deadline(limit)))
    }

    /// The kernel's lifecycle, status and telemetry.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// assert_eq!(runtime.receiver::<Number>("double")?.control().name(), "double");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn control(&self) -> &KernelControl {
        self.handle.control()
    }
}

impl<M> Clone for KernelSender<M> {
    fn clone(&self) -> Self {
        Self { handle: self.handle.clone(), _message: PhantomData }
    }
}

impl<T> Clone for KernelReceiver<T> {
    fn clone(&self) -> Self {
        Self { handle: self.handle.clone(), port: self.port, _output: PhantomData }
    }
}

impl<M> fmt::Debug for KernelSender<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelSender").field("name", &self.handle.control().name()).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for KernelReceiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelReceiver").field("name", &self.handle.control().name()).finish_non_exhaustive()
    }
}
