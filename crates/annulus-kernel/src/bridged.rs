//! Bridged messages of kernels: text, lists and nesting, as archives that handlers read in place.

use std::mem::MaybeUninit;

use annulus_abi::bridged::Head;
use annulus_message::{DecodeError, EncodeError, Message, Payload, Schema};

use crate::{DeviceType, FieldDescriptor, KeyDescriptor, Meaning, RingMessage, TypeDescriptor, TypeKind};

/// A message that kernels take: a direct one ([`RingMessage`]), or a [bridged](BridgedMessage) one.
///
/// Every type that derives `RingMessage` implements it. Bounds name it; programs do not implement it by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a message",
    label = "a ring cannot carry a `{Self}`",
    note = "write `#[derive(RingMessage, Clone, Copy)]` and `#[repr(C)]` above its definition (`#[repr(u32)]` for an enum)"
)]
pub trait KernelMessage: Message + Sized + Send + 'static {
    /// What lies in a slot: the message itself, or the head of an archive.
    #[doc(hidden)]
    const SLOT: &'static TypeDescriptor;
    /// Where the key lies in that, for devices.
    #[doc(hidden)]
    const KEY_PLACE: Option<KeyDescriptor>;
    /// Its variants that take what other kernels send.
    #[doc(hidden)]
    const FROM_VARIANTS: &'static [usize] = &[];
    /// Its variant that comes again and again, without being sent.
    #[doc(hidden)]
    const TICK_VARIANT: Option<usize> = None;
    /// Its variant that comes before all other messages.
    #[doc(hidden)]
    const START_VARIANT: Option<usize> = None;
    /// Its variant that comes last.
    #[doc(hidden)]
    const STOP_VARIANT: Option<usize> = None;
    /// What a bridged message adds; `None` for a direct one.
    #[doc(hidden)]
    const BRIDGED: Option<BridgedDefinition>;

    /// The key of the message that lies in a slot.
    ///
    /// # Safety
    ///
    /// It points to a valid message in the form of [`SLOT`](Self::SLOT).
    #[doc(hidden)]
    unsafe fn key_in(slot: *const u8) -> u64;

    /// Calls the visitor's function for the kind of message that it is.
    #[doc(hidden)]
    fn visit<V: Visitor<Self>>(visitor: V) -> V::Result;
}

/// Code for both kinds of messages.
#[doc(hidden)]
pub trait Visitor<M> {
    /// What both of its functions return.
    type Result;

    /// For direct messages.
    fn direct(self) -> Self::Result
    where
        M: RingMessage;

    /// For bridged messages.
    fn bridged(self) -> Self::Result
    where
        M: BridgedMessage;
}

impl<M: RingMessage> KernelMessage for M {
    const SLOT: &'static TypeDescriptor = M::DESCRIPTOR;
    const KEY_PLACE: Option<KeyDescriptor> = M::KEY_FIELD;
    const FROM_VARIANTS: &'static [usize] = M::FROM;
    const TICK_VARIANT: Option<usize> = M::TICK;
    const START_VARIANT: Option<usize> = M::START;
    const STOP_VARIANT: Option<usize> = M::STOP;
    const BRIDGED: Option<BridgedDefinition> = None;

    #[inline]
    unsafe fn key_in(slot: *const u8) -> u64 {
        // SAFETY: the caller gives a valid message of type `M`.
        unsafe { &*slot.cast::<M>() }.key()
    }

    #[inline(always)]
    fn visit<V: Visitor<Self>>(visitor: V) -> V::Result {
        visitor.direct()
    }
}

/// A message with text, lists or nesting, of any length. A kernel takes it as `&Archived<M>`: in its slot, or
/// in the slot's spill block, without a copy.
///
/// `#[derive(RingMessage)]` implements it, with the feature `wire`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bridged message",
    label = "there is no archive of a `{Self}`",
    note = "a handler takes a direct message, which is plain old data, as `&{Self}`",
    note = "a message with text or collections derives `RingMessage`, with the feature `wire` of the crate `annulus`"
)]
pub trait BridgedMessage: Message + Payload + Send + 'static {
    /// What handlers read.
    type Archived;

    /// What its kernels know of it.
    const DEFINITION: BridgedDefinition;

    /// The message in its payload.
    ///
    /// # Safety
    ///
    /// [`write_to`](Self::write_to) has written the payload, in this process, and it begins at a multiple of
    /// 16 bytes.
    #[doc(hidden)]
    unsafe fn archived(payload: &[u8]) -> &Self::Archived;

    /// Writes the payload to `near`, or, if there is not enough room, to `far`. Returns how many bytes it
    /// has, all of them written, and whether it is in `far`.
    ///
    /// # Errors
    ///
    /// If neither place has room for it.
    #[doc(hidden)]
    fn write_to(
        &self,
        near: &mut [MaybeUninit<u8>],
        far: &mut [MaybeUninit<u8>],
    ) -> Result<(usize, bool), EncodeError>;
}

/// What a kernel knows of its bridged message's type.
#[derive(Clone, Copy, Debug)]
pub struct BridgedDefinition {
    /// The type's name.
    pub name: &'static str,
    /// Bytes of the archive's root, which is its last part.
    pub root_size: usize,
    /// What lies where in the root, for devices.
    pub archived: &'static TypeDescriptor,
    /// The type's fields, as data.
    pub schema: fn() -> Schema,
    /// Checks bytes from anywhere.
    pub check: fn(&[u8]) -> Result<(), DecodeError>,
}

/// What lies in the slot of a bridged message; see [`annulus_abi::bridged`].
pub const BRIDGED_HEAD: &TypeDescriptor = &TypeDescriptor {
    name: "BridgedHead",
    size: size_of::<Head>(),
    align: align_of::<Head>(),
    kind: TypeKind::Struct(&[
        FieldDescriptor { name: "length", offset: 0, ty: <u32 as DeviceType>::DESCRIPTOR },
        FieldDescriptor { name: "begin", offset: 4, ty: <u32 as DeviceType>::DESCRIPTOR },
        FieldDescriptor { name: "key", offset: 8, ty: <u64 as DeviceType>::DESCRIPTOR },
    ]),
    meaning: Meaning::Parts,
};

/// Where the key lies in a [`BRIDGED_HEAD`].
pub const BRIDGED_KEY: KeyDescriptor = KeyDescriptor::Field(2);

/// The key in a [`BRIDGED_HEAD`].
///
/// # Safety
///
/// It points to the head of a bridged message.
#[doc(hidden)]
#[inline]
pub unsafe fn bridged_key(head: *const u8) -> u64 {
    // SAFETY: by the caller's word.
    unsafe { &*head.cast::<Head>() }.key
}

impl crate::Invocation<'_> {
    /// The payload of a bridged message.
    ///
    /// # Safety
    ///
    /// The kernel's message is bridged.
    #[inline(always)]
    pub unsafe fn payload(&self) -> &[u8] {
        // SAFETY: the message points to the head of a bridged message in its slot.
        let head = unsafe { &*self.message.cast::<Head>() };
        // SAFETY: the archive begins so far behind the head, in the same memory.
        let begin = unsafe { self.message.add(head.offset()) };
        // SAFETY: it has so many bytes, and nobody writes them during the call.
        unsafe { std::slice::from_raw_parts(begin, head.length as usize) }
    }
}
