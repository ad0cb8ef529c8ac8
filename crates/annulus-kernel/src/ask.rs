//! What a handler asks other kernels, and what becomes of it.

use std::{marker::PhantomData, mem::offset_of, ops::Deref};

use crate::{
    Accepts, DeviceType, FieldDescriptor, Inside, Later, Meaning, Outbox, OwnType, PortOutbox, Primitive,
    RawLater, Receiver, Type, TypeDescriptor, TypeKind, Typed, Value, device_value,
};

/// How an ask has ended: the values of [`Answer::ended`].
pub mod ended {
    /// The other kernel has answered: the answer is in [`Answer::value`](super::Answer::value).
    pub const ANSWERED: u32 = 1;
    /// Its handler has failed, with the code in [`Answer::code`](super::Answer::code).
    pub const FAILED: u32 = 2;
    /// Its handler has succeeded, and answered nothing.
    pub const NO_REPLY: u32 = 3;
    /// The query was lost on its way: the other kernel had no room, or has ended, or none is connected.
    pub const LOST: u32 = 4;
    /// The other kernel has ended before it took the query; or it has ended, and this one was connected elsewhere, or nowhere, before
    /// it had seen an answer.
    pub const CLOSED: u32 = 5;
    /// No answer has come in time.
    pub const OUT_OF_TIME: u32 = 6;
}

/// A field of a message by which a kernel hears what became of an ask.
///
/// A handler that asks writes the message which it will get, with this field in it. When the ask ends, `ended` and `code` are
/// written, and `value` too if there is an answer. Then the message comes. Nothing else of it changes, so it says which ask it
/// was by whatever the handler has put beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Answer<T> {
    /// One of [`ended`]; what the handler writes here has no meaning.
    pub ended: u32,
    /// With which code the other kernel's handler has failed, if it has; else 0.
    pub code: u32,
    /// The answer; without one, what the handler has written here.
    pub value: T,
}

// SAFETY: `repr(C)` fixes the layout; the compiler gives size, alignment and offsets; all fields are device types.
#[diagnostic::do_not_recommend]
unsafe impl<T: DeviceType> DeviceType for Answer<T> {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: NAME,
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Struct(&[
            FieldDescriptor { name: "ended", offset: offset_of!(Self, ended), ty: u32::DESCRIPTOR },
            FieldDescriptor { name: "code", offset: offset_of!(Self, code), ty: u32::DESCRIPTOR },
            FieldDescriptor { name: "value", offset: offset_of!(Self, value), ty: T::DESCRIPTOR },
        ]),
        meaning: Meaning::Parts,
    };
}

const NAME: &str = "Answer";

#[diagnostic::do_not_recommend]
impl<T: DeviceType> Typed for Answer<T> {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> Receiver for Answer<T> {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> OwnType for Answer<T> {}

/// What a kernel asks by an [`Ask`], as data.
#[derive(Clone, Copy, Debug)]
pub struct AskDefinition {
    /// What comes of it: the variant of the kernel's message with this number holds it.
    pub variant: usize,
    /// The kernel's message.
    pub message: &'static TypeDescriptor,
    /// What that variant holds.
    pub awaited: &'static TypeDescriptor,
    /// Where in that its [`Answer`] lies.
    pub answer: usize,
    /// Where in that the answer itself lies.
    pub value: usize,
    /// The answer's type.
    pub answered: &'static TypeDescriptor,
}

impl AskDefinition {
    /// Of a kernel with messages of type `M`, whose asks end as an `A`.
    ///
    /// # Panics
    ///
    /// If `M` has no variant of its own for that, or `A` has no field `Answer`, or several.
    pub const fn of<M: Accepts<A>, A: DeviceType>() -> Self {
        let Some(variant) = M::VARIANT else {
            panic!(
                "a kernel that asks takes other messages, too: make its message an enum with a variant that is marked \
                    `#[ring(from)]` and holds what comes of the ask"
            )
        };
        let TypeKind::Struct(fields) = A::DESCRIPTOR.kind else {
            panic!("what comes of an ask is a struct with a field of type `Answer<T>`")
        };
        let mut found = None;
        let mut index = 0;
        while index < fields.len() {
            if let Some(value) = value_of(fields[index].ty) {
                if found.is_some() {
                    panic!("what comes of an ask has one field of type `Answer<T>`, and no second one");
                }
                found = Some((fields[index].offset, value));
            }
            index += 1;
        }
        let Some((answer, value)) = found else {
            panic!("what comes of an ask is a struct with a field of type `Answer<T>`")
        };
        Self {
            variant,
            message: M::DESCRIPTOR,
            awaited: A::DESCRIPTOR,
            answer,
            value: answer + value.offset,
            answered: value.ty,
        }
    }

    /// Where the awaited message lies in the kernel's, and what says that it is this one.
    ///
    /// # Panics
    ///
    /// If the definition was not made by [`of`](Self::of).
    pub fn inside(&self) -> Inside {
        Inside::of(self.message, self.variant).expect("`Accepts` says so")
    }
}

/// The last field of an `Answer`, if it is one.
const fn value_of(ty: &TypeDescriptor) -> Option<&'static FieldDescriptor> {
    let TypeKind::Struct([ended, code, value]) = ty.kind else { return None };
    let is_number = matches!(
        (ended.ty.kind, code.ty.kind),
        (TypeKind::Primitive(Primitive::U32), TypeKind::Primitive(Primitive::U32))
    );
    if is_number && is_same(ty.name, NAME) && is_same(value.name, "value") { Some(value) } else { None }
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Asks another kernel: one of a handler's ways out, beside one outbox at least.
///
/// A handler takes it as `price: &Ask<Query, Priced>`. It sends a `Query` to the kernel that this way out is connected to, which
/// answers it as it answers a call: by its [`Reply`](crate::Reply), or by the first output of its only outbox. Then the handler
/// is called with a `Priced`: the message that it gave, whose field of type [`Answer`] says what became of the ask. The
/// handler's own message is an enum with a variant for that, marked `#[ring(from)]`. If the messages have keys, that of the
/// `Priced` says which actor gets it; it belongs to the block that asks, as with [`Later`].
///
/// Each ask of a handler that succeeds ends exactly once, and no later than after the time that was given with it. It takes a
/// place of the block's timers (`timers = 64`) until then, and one of at most [`MOST_ASKS`] until its answer has come, which may
/// be later. Beyond that the message fails with [`TIMERS_FULL`](annulus_abi::error::TIMERS_FULL).
///
/// A handler asks at most once for a message; more asks are more messages to itself, by `later.send_after(message, 0)`. In a
/// direct call of the host's nothing is asked: what the handler sends goes to the host then, and the ask ends *lost*.
///
/// ```
/// # extern crate annulus_runtime as annulus;
/// use annulus::prelude::*;
/// use annulus_kernel::{TestLater, TestOutbox};
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Order {
///     number: u64,
/// }
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Query {
///     item: u64,
/// }
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Priced {
///     order: u64,
///     price: Answer<u64>,
/// }
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(u32)]
/// enum Event {
///     #[ring(from)]
///     Order(Order),
///     #[ring(from)]
///     Priced(Priced),
/// }
///
/// #[ring_kernel]
/// fn risk(event: &Event, total: &mut u64, done: &Outbox<Priced>, price: &Ask<Query, Priced>) {
///     match event {
///         Event::Order(order) => {
///             let awaited = Priced { order: order.number, price: Answer { ended: 0, code: 0, value: 0 } };
///             price.send(Query { item: order.number }, awaited, 1_000_000_000);
///         }
///         Event::Priced(priced) => {
///             *total += priced.price.value;
///             done.send(*priced);
///         }
///     }
/// }
///
/// let (mut queries, done, mut later) = (TestOutbox::new(1), TestOutbox::new(1), TestLater::new(1));
/// let order = Event::Order(Order { number: 7 });
/// risk(&order, &mut 0, &done, &Ask::by::<Event>(&queries, &later));
/// assert_eq!(queries.take(), [Query { item: 7 }]);
/// assert_eq!(later.take().len(), 1);
/// ```
///
/// [`MOST_ASKS`]: annulus_abi::launch::MOST_ASKS
#[derive(Debug)]
pub struct Ask<Q, A> {
    queries: Queries<Q>,
    /// It lives longer than this.
    later: *const RawLater,
    inside: Inside,
    _types: PhantomData<fn(A)>,
}

/// Where queries go.
#[derive(Debug)]
enum Queries<Q> {
    /// One of a call's outboxes, which is this ask's own.
    Port(Outbox<Q>),
    /// A test's outbox, which lives longer than this.
    Lent(*const Outbox<Q>),
}

impl<Q, A> Ask<Q, A> {
    /// One whose queries go to an outbox, and whose awaited messages are timers, for tests that call handlers as functions.
    pub fn by<'a, M: Accepts<A>>(
        outbox: &'a Outbox<Q>,
        later: &'a Later<M>,
    ) -> impl Deref<Target = Self> + use<'a, Q, A, M> {
        let variant = M::VARIANT.expect("the kernel's message has a variant for what comes of an ask");
        let inside = Inside::of(M::DESCRIPTOR, variant).expect("`Accepts` says so");
        // SAFETY: the timers are of messages whose variant holds an `A`. What is returned lives no longer than both.
        let ask = unsafe { Self::new(Queries::Lent(outbox), later.raw(), inside) };
        Borrowed::<Q, A, M> { ask, _of: PhantomData }
    }

    /// What a handler asks by in a call.
    ///
    /// # Safety
    ///
    /// Whatever the outbox sends to, and the timers, live longer than this. The timers are for messages that hold an `A` as `inside`
    /// says.
    pub(crate) unsafe fn of_port(port: PortOutbox<'_, Q>, later: &RawLater, inside: Inside) -> Self {
        // SAFETY: the caller's word.
        unsafe { Self::new(Queries::Port(port.into_outbox()), later, inside) }
    }

    /// # Safety
    ///
    /// Where queries go, and the timers, live longer than this. The timers are for messages that hold an `A` as `inside` says.
    unsafe fn new(queries: Queries<Q>, later: &RawLater, inside: Inside) -> Self {
        Self { queries, later, inside, _types: PhantomData }
    }

    /// Asks. `awaited` is the message that comes when the ask has ended, after `nanos` nanoseconds at the latest, counted
    /// from [`Cx::now`](crate::Cx::now).
    #[inline]
    pub fn send(&self, query: Q, awaited: A, nanos: u64) {
        let outbox = match &self.queries {
            Queries::Port(outbox) => outbox,
            // SAFETY: it lives longer than this, by `new`.
            Queries::Lent(outbox) => unsafe { &**outbox },
        };
        outbox.send(query);
        // SAFETY: as above.
        let later = unsafe { &*self.later };
        let Some(place) = later.next_ask(nanos) else { return };
        // SAFETY: the place is the call's, and has room for a message, of which `inside` says where it holds an `A`.
        unsafe { self.inside.write((&raw const awaited).cast(), place) };
    }
}

/// An ask, and what it borrows.
struct Borrowed<'a, Q, A, M> {
    ask: Ask<Q, A>,
    _of: PhantomData<&'a Later<M>>,
}

impl<Q, A, M> Deref for Borrowed<'_, Q, A, M> {
    type Target = Ask<Q, A>;

    fn deref(&self) -> &Ask<Q, A> {
        &self.ask
    }
}
