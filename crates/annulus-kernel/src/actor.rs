//! What a handler says of its own actor.

use std::cell::Cell;

/// The actor whose message the handler works on. By it the handler ends the actor.
///
/// A handler takes it as `actor: &ThisActor`, and needs a state. When an actor has ended, its state is forgotten: the next
/// message for its key finds one as it begins, the type's `Default`. If keys are [sparse], the actor's place is free for
/// another key, at the latest when the block's turn is over.
///
/// A kernel whose messages have no key is one actor: it begins anew. `Default` should not panic, and always give the same: on
/// the CPU it is called each time, and a device copies what it gave at the launch.
///
/// [sparse]: https://docs.rs/annulus-runtime/latest/annulus_runtime/struct.LaunchOptions.html#method.sparse_keys
///
/// ```
/// # extern crate annulus_runtime as annulus;
/// use annulus::prelude::*;
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Step {
///     #[ring(key)]
///     session: u64,
///     is_last: bool,
/// }
///
/// #[derive(DeviceType, Clone, Copy, Default)]
/// #[repr(C)]
/// struct Session {
///     steps: u64,
/// }
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Total {
///     steps: u64,
/// }
///
/// /// Counts the steps of each session, until it is over.
/// #[ring_kernel]
/// fn count(step: &Step, session: &mut Session, actor: &ThisActor, totals: &Outbox<Total>) {
///     session.steps += 1;
///     if step.is_last {
///         totals.send(Total { steps: session.steps });
///         actor.end();
///     }
/// }
///
/// let (mut session, actor) = (Session::default(), ThisActor::new());
/// # let totals = annulus_kernel::TestOutbox::<Total>::new(1);
/// count(&Step { session: 7, is_last: true }, &mut session, &actor, &totals);
/// assert!(actor.ends());
/// ```
#[derive(Debug, Default)]
pub struct ThisActor {
    ends: Cell<bool>,
}

impl ThisActor {
    /// One that goes on. For tests that call handlers as functions.
    #[inline]
    pub const fn new() -> Self {
        Self { ends: Cell::new(false) }
    }

    /// Ends the actor when the handler has done this message. If the message fails, the actor goes on. What the handler does
    /// to the state after this call is forgotten, too.
    ///
    /// ```
    /// # use annulus_kernel::ThisActor;
    /// let actor = ThisActor::new();
    /// actor.end();
    /// assert!(actor.ends());
    /// ```
    #[inline]
    pub fn end(&self) {
        self.ends.set(true);
    }

    /// Whether the handler has ended it since [`go_on`](Self::go_on). A handler on a device cannot ask.
    ///
    /// ```
    /// # use annulus_kernel::ThisActor;
    /// assert!(!ThisActor::new().ends());
    /// ```
    #[inline]
    pub fn ends(&self) -> bool {
        self.ends.get()
    }

    /// Begins with the next message.
    ///
    /// ```
    /// # use annulus_kernel::ThisActor;
    /// let actor = ThisActor::new();
    /// actor.end();
    /// actor.go_on();
    /// assert!(!actor.ends());
    /// ```
    #[inline]
    pub fn go_on(&self) {
        self.ends.set(false);
    }
}
