//! One call of a handler on the CPU: the bridge between untyped memory and the user's typed function.

use std::ptr;

use crate::{
    Ask, Block, Cx, Failure, Later, Outbox, PortDefinition, PortOutbox, RawInbox, RawLater, RawOutbox,
    ThisActor,
};

/// The CPU entry that `#[ring_kernel]` generates. It takes the parameters out of an [`Invocation`], calls the
/// user's function, and stores the actor's state if the call succeeded.
///
/// # Safety
///
/// The invocation's memory has the types that the kernel's definition names.
pub type CpuEntry = unsafe fn(&Invocation<'_>) -> Result<(), Failure>;

/// The memory of one bound parameter.
#[derive(Clone, Copy, Debug)]
pub struct BoundMemory {
    /// The first element.
    pub data: *mut u8,
    /// How many elements there are.
    pub len: usize,
}

/// Everything that one call of a handler may touch, untyped.
#[derive(Debug)]
pub struct Invocation<'a> {
    /// Where the call runs.
    pub cx: Cx,
    /// The message, in its slot. Nobody writes it during the call. For a body it is a [`RawInbox`].
    pub message: *const u8,
    /// The state of the actor or of the kernel; dangling if it has none. Nobody else touches it during the
    /// call.
    pub state: *mut u8,
    /// The bound parameters, in the order of the definition.
    pub bindings: &'a [BoundMemory],
    /// Where sends go.
    pub outbox: &'a RawOutbox,
    /// Where timers go, if the kernel has any.
    pub later: Option<&'a RawLater>,
    /// By what the handler ends its actor.
    pub actor: &'a ThisActor,
}

impl<'a> Invocation<'a> {
    /// The message.
    ///
    /// # Safety
    ///
    /// `M` is the kernel's message type.
    #[inline(always)]
    pub unsafe fn message<M>(&self) -> &'a M {
        // SAFETY: the field's invariant: it points to a message of the kernel's type, and nobody writes it
        // during the call.
        unsafe { &*self.message.cast::<M>() }
    }

    /// A copy of the state.
    ///
    /// # Safety
    ///
    /// `S` is the kernel's state type.
    #[inline(always)]
    pub unsafe fn load_state<S>(&self) -> S {
        // SAFETY: the field's invariant: it points to an initialised state of the kernel's type, and only
        // this call uses it.
        unsafe { self.state.cast::<S>().read() }
    }

    /// Commits the state.
    ///
    /// # Safety
    ///
    /// `S` is the kernel's state type.
    #[inline(always)]
    pub unsafe fn store_state<S>(&self, state: S) {
        // SAFETY: as for `load_state`.
        unsafe { self.state.cast::<S>().write(state) }
    }

    /// The bound `&P` parameter at `index`.
    ///
    /// # Safety
    ///
    /// The kernel's binding `index` is a [`Parameter`](crate::BindingKind::Parameter) of type `P`.
    #[inline(always)]
    pub unsafe fn parameter<P>(&self, index: usize) -> &'a P {
        // SAFETY: a bound parameter lives as long as the kernel, and nobody writes it.
        unsafe { &*self.bindings[index].data.cast::<P>() }
    }

    /// The bound `&[T]` or shared atomics at `index`.
    ///
    /// # Safety
    ///
    /// The kernel's binding `index` is a table of `T`, or shared memory whose atomic type is `T`.
    #[inline(always)]
    pub unsafe fn table<T>(&self, index: usize) -> &'a [T] {
        let memory = self.bindings[index];
        // SAFETY: bound memory lives as long as the kernel; it is read-only, or atomic and of the plain
        // type's layout.
        unsafe { std::slice::from_raw_parts(memory.data.cast::<T>(), memory.len) }
    }

    /// The bound `&mut [T]` at `index`.
    ///
    /// # Safety
    ///
    /// The kernel's binding `index` is [`Whole`](crate::BindingKind::Whole) memory of `T`, the kernel has a
    /// single block, and the slice is asked for once in a call.
    #[inline(always)]
    pub unsafe fn whole<T>(&self, index: usize) -> &'a mut [T] {
        let memory = self.bindings[index];
        // SAFETY: a kernel with such memory has one block, which handles one message at a time, so this is
        // the only view.
        unsafe { std::slice::from_raw_parts_mut(memory.data.cast::<T>(), memory.len) }
    }

    /// The bound `&Block<[T]>` at `index`.
    ///
    /// # Safety
    ///
    /// The kernel's binding `index` is [`Whole`](crate::BindingKind::Whole) memory of `T`, the kernel has a
    /// single block, and nobody asks for the slice in another way during the call.
    #[inline(always)]
    pub unsafe fn of_block<T: Copy>(&self, index: usize) -> &'a Block<[T]> {
        let memory = self.bindings[index];
        let values = ptr::slice_from_raw_parts(memory.data.cast::<T>().cast_const(), memory.len);
        // SAFETY: a kernel with such memory has one block, which handles one message at a time. Its threads
        // are coroutines of one thread of the system, so they may share cells, and a `Block` is a cell.
        unsafe { &*(values as *const Block<[T]>) }
    }

    /// One of several outboxes.
    ///
    /// # Safety
    ///
    /// It is one of the kernel's ports, whose output is `M`. It is asked for once in a call.
    #[inline(always)]
    pub unsafe fn port<M>(&self, port: &PortDefinition) -> PortOutbox<'a, M> {
        // SAFETY: the block made the outbox for the kernel's output type, in which the port's definition says
        // where its own outputs lie.
        unsafe { PortOutbox::new(self.outbox, port) }
    }

    /// What the handler asks by.
    ///
    /// # Panics
    ///
    /// If the port is none to ask by, or the kernel has no timers.
    ///
    /// # Safety
    ///
    /// It is one of the kernel's ports, whose output is `Q` and whose awaited message is an `A`. It is asked for once in a call, and
    /// used only during the call.
    #[inline(always)]
    pub unsafe fn ask<Q, A>(&self, port: &PortDefinition) -> Ask<Q, A> {
        let ask = port.ask.as_ref().expect("the definition says that the handler asks by it");
        let later = self.later.expect("a kernel that asks has timers");
        // SAFETY: the caller's word.
        let queries = unsafe { self.port::<Q>(port) };
        // SAFETY: the block's outbox outlives the call, as do its timers, which were made for the kernel's message. The rest is the
        // caller's word.
        unsafe { Ask::of_port(queries, later, ask.inside()) }
    }

    /// The messages of a body's turn.
    ///
    /// # Safety
    ///
    /// The kernel is a body: then the field `message` leads to its inbox.
    #[inline(always)]
    pub unsafe fn inbox(&self) -> &'a RawInbox {
        // SAFETY: the block that calls a body gives its inbox, which only shared references lead to during the call.
        unsafe { &*self.message.cast::<RawInbox>() }
    }

    /// The typed outbox.
    ///
    /// # Safety
    ///
    /// `M` is the kernel's output type.
    #[inline(always)]
    pub unsafe fn outbox<M>(&self) -> &'a Outbox<M> {
        // SAFETY: the block made the outbox for the kernel's output type.
        unsafe { Outbox::from_raw(self.outbox) }
    }

    /// The handler's timers.
    ///
    /// # Panics
    ///
    /// If the kernel has none.
    ///
    /// # Safety
    ///
    /// `M` is the kernel's message type.
    #[inline(always)]
    pub unsafe fn later<M>(&self) -> &'a Later<M> {
        let later = self.later.expect("the definition says that the kernel has timers");
        // SAFETY: the block's timers were made for the kernel's message type.
        unsafe { Later::from_raw(later) }
    }

    /// Whether the handler tried to set more timers than there is room for.
    #[inline(always)]
    pub fn refused_timers(&self) -> bool {
        self.later.is_some_and(RawLater::refused)
    }
}
