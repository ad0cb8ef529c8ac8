//! What a kernel's outputs say of where they go.
//!
//! Each of these traits has one implementation, and it is sealed: what is `AlongRows` is an `Along<M>`. A bound by the
//! trait, and not by the type, lets the compiler say what to write where a kernel sends something else. The compiler also
//! shows the implementation; so each is written out, and not by a macro.

use std::marker::PhantomData;

use crate::{Addressed, Along, Published, RingMessage};

mod sealed {
    pub trait Sealed {}
}

/// Outputs that go along the rows of a graph: [`Along`], and nothing else.
#[diagnostic::on_unimplemented(
    message = "a kernel that sends `{Self}` sends nothing along rows",
    label = "its outputs are `{Self}`, and not `Along<M>`",
    note = "let the handler take `&Outbox<Along<M>>`, and send `Along {{ row, from: 0, message }}`",
    note = "what a kernel sends says how it is connected: `Along<M>` by `connect_along`, `Addressed<M>` by `connect_peers`, `Published<M>` by `connect_topics`, a plain message by `connect`"
)]
pub trait AlongRows: RingMessage + sealed::Sealed {
    /// What goes to each actor of a row.
    type Message: RingMessage;
}

impl<M: RingMessage> sealed::Sealed for Along<M> {}

impl<M: RingMessage> AlongRows for Along<M> {
    type Message = M;
}

/// Outputs that say which kernel they are for: [`Addressed`], and nothing else.
#[diagnostic::on_unimplemented(
    message = "a kernel that sends `{Self}` sends nothing by addresses",
    label = "its outputs are `{Self}`, and not `Addressed<M>`",
    note = "let the handler take `&Outbox<Addressed<M>>`, and send `Addressed {{ to, message }}`, where `to` is a `Peer<M>`",
    note = "what a kernel sends says how it is connected: `Along<M>` by `connect_along`, `Addressed<M>` by `connect_peers`, `Published<M>` by `connect_topics`, a plain message by `connect`"
)]
pub trait ByAddress: RingMessage + sealed::Sealed {
    /// What goes to the kernel that an output names.
    type Message: RingMessage;
}

impl<M: RingMessage> sealed::Sealed for Addressed<M> {}

impl<M: RingMessage> ByAddress for Addressed<M> {
    type Message = M;
}

/// Outputs that are published on topics: [`Published`], and nothing else.
#[diagnostic::on_unimplemented(
    message = "a kernel that sends `{Self}` publishes nothing on topics",
    label = "its outputs are `{Self}`, and not `Published<M>`",
    note = "let the handler take `&Outbox<Published<M>>`, and send `Published {{ topic, message }}`",
    note = "what a kernel sends says how it is connected: `Along<M>` by `connect_along`, `Addressed<M>` by `connect_peers`, `Published<M>` by `connect_topics`, a plain message by `connect`"
)]
pub trait ByTopic: RingMessage + sealed::Sealed {
    /// What goes to those that take the topic.
    type Message: RingMessage;
}

impl<M: RingMessage> sealed::Sealed for Published<M> {}

impl<M: RingMessage> ByTopic for Published<M> {
    type Message = M;
}

/// Of a type, whether its values say themselves where they go: by an address, a topic or a row. Of what is no message, which is
/// refused elsewhere, the answer is that of [`OneWay`].
#[doc(hidden)]
#[derive(Debug)]
pub struct WayOf<T>(PhantomData<T>);

impl<T: RingMessage> WayOf<T> {
    /// Whether they do.
    pub const IS_SAID: bool = T::PEERS.is_some() || T::ROWS.is_some();
}

/// The answer for all other types.
#[doc(hidden)]
pub trait OneWay {
    /// They do not.
    const IS_SAID: bool = false;
}

impl<T> OneWay for WayOf<T> {}
