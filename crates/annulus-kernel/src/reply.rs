//! What a handler answers by.

use std::ops::Deref;

use crate::Outbox;

/// Answers who asked: the last of a handler's ways out, beside one outbox at least.
///
/// What a handler sends by it is the answer to the call that its message belongs to, wherever in a pipeline the kernel
/// stands. A call through a pipeline that is not answered goes on with the first output of the first outbox; one of this kernel
/// alone is answered by its first output. If the message belongs to no call, the answer is an output like any other: the host receives it by the reply's name.
///
/// A handler answers at most once. It may answer, and send besides.
///
/// ```
/// # extern crate annulus_runtime as annulus;
/// use annulus::prelude::*;
/// use annulus_kernel::TestOutbox;
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Number(u64);
///
/// /// Knows the squares of small numbers, and sends the others on.
/// #[ring_kernel]
/// fn small(number: &Number, others: &Outbox<Number>, reply: &Reply<Number>) {
///     if number.0 < 10 {
///         reply.send(Number(number.0 * number.0));
///     } else {
///         others.send(*number);
///     }
/// }
///
/// let (mut others, mut replies) = (TestOutbox::new(1), TestOutbox::new(1));
/// small(&Number(3), &others, Reply::by(&replies));
/// small(&Number(12), &others, Reply::by(&replies));
/// assert_eq!((replies.take(), others.take()), (vec![Number(9)], vec![Number(12)]));
/// ```
#[derive(Debug)]
#[repr(transparent)]
pub struct Reply<M> {
    outbox: Outbox<M>,
}

impl<M> Reply<M> {
    /// A reply whose answers go to an outbox, for tests that call handlers as functions.
    #[inline]
    pub fn by(outbox: &Outbox<M>) -> &Self {
        // SAFETY: `Reply` is a transparent wrapper of `Outbox`.
        unsafe { &*std::ptr::from_ref(outbox).cast::<Self>() }
    }
}

impl<M> Deref for Reply<M> {
    type Target = Outbox<M>;

    #[inline]
    fn deref(&self) -> &Outbox<M> {
        &self.outbox
    }
}
