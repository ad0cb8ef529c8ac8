//! Messages and outputs whose types are known only from their descriptors.

use std::{fmt, mem::MaybeUninit};

use annulus_kernel::{
    DecodeError, Described, Meaning, TypeDescriptor, TypeKind, decode_values, encode_values,
    read_described_bytes,
};
use serde::{Deserializer, Serialize, Serializer};

use crate::kernel::bytes::{Aligned, Bytes};

/// A message or an output of a [`DynamicKernel`](crate::DynamicKernel). The descriptor of its type says how
/// it is read from, and written to, any format that serde supports.
///
/// ```
/// use annulus_runtime::DynamicMessage;
/// use annulus_kernel::DeviceType;
///
/// let ty = <[u16; 2]>::DESCRIPTOR;
/// let pair = DynamicMessage::read(ty, &mut serde_json::Deserializer::from_str("[258, 3]"))?;
/// assert_eq!(pair.payload(), [2, 1, 3, 0]);
/// assert_eq!(serde_json::to_string(&pair)?, "[258,3]");
/// assert_eq!(serde_json::to_string(&DynamicMessage::from_payload(ty, &[1, 0, 2, 0])?)?, "[1,2]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DynamicMessage {
    ty: &'static TypeDescriptor,
    /// A valid value of the type: initialised wherever the descriptor has a number. Only an enum that a
    /// device wrote may have a tag that belongs to no variant.
    bytes: Box<Bytes>,
}

impl DynamicMessage {
    /// Reads a value of the type, as its descriptor says.
    ///
    /// ```
    /// # use annulus_kernel::DeviceType;
    /// # use annulus_runtime::DynamicMessage;
    /// let mut text = serde_json::Deserializer::from_str("[258, 3]");
    /// assert!(DynamicMessage::read(<[u16; 2]>::DESCRIPTOR, &mut text).is_ok());
    /// let mut text = serde_json::Deserializer::from_str("[-1, 3]");
    /// assert!(DynamicMessage::read(<[u16; 2]>::DESCRIPTOR, &mut text).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Says what does not fit, and where in the value; or is the deserializer's own error.
    pub fn read<'de, D: Deserializer<'de>>(
        ty: &'static TypeDescriptor,
        deserializer: D,
    ) -> Result<Self, D::Error> {
        read_described_bytes(ty, deserializer).map(|bytes| Self::of_valid(ty, &bytes))
    }

    /// The value that has this [payload](annulus_kernel::Payload). The bytes need not be trusted.
    ///
    /// ```
    /// # use annulus_kernel::DeviceType;
    /// # use annulus_runtime::DynamicMessage;
    /// let pair = DynamicMessage::from_payload(<[u16; 2]>::DESCRIPTOR, &[1, 0, 2, 0])?;
    /// assert_eq!(serde_json::to_string(&pair)?, "[1,2]");
    /// assert!(DynamicMessage::from_payload(<[u16; 2]>::DESCRIPTOR, &[1]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Says what does not fit the type, and where.
    pub fn from_payload(ty: &'static TypeDescriptor, payload: &[u8]) -> Result<Self, DecodeError> {
        if payload.len() != ty.size {
            let problem = format!("{} bytes are no {}, which has {}", payload.len(), ty.name, ty.size);
            return Err(DecodeError::new(problem));
        }
        decode_values(ty, payload).map(|bytes| Self::of_valid(ty, &bytes))
    }

    fn of_valid(ty: &'static TypeDescriptor, bytes: &[u8]) -> Self {
        Self { ty, bytes: bytes.iter().map(|&byte| MaybeUninit::new(byte)).collect() }
    }

    /// # Safety
    ///
    /// The bytes are those of a value of the type, initialised wherever the descriptor has a number.
    pub(crate) unsafe fn of_bytes(ty: &'static TypeDescriptor, bytes: Box<Bytes>) -> Self {
        Self { ty, bytes }
    }

    /// The type.
    ///
    /// ```
    /// # use annulus_kernel::DeviceType;
    /// # use annulus_runtime::DynamicMessage;
    /// let pair = DynamicMessage::from_payload(<[u16; 2]>::DESCRIPTOR, &[1, 0, 2, 0])?;
    /// assert_eq!(pair.ty().size, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ty(&self) -> &'static TypeDescriptor {
        self.ty
    }

    /// The fields by name, if the type is a struct.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let message = DynamicMessage::from_payload(Number::DESCRIPTOR, &21_u64.to_le_bytes())?;
    /// assert_eq!(message.fields().map(|(name, _)| name).collect::<Vec<_>>(), ["value"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Described<'_>)> {
        let fields = match self.ty.kind {
            TypeKind::Struct(fields) if !matches!(self.ty.meaning, Meaning::List | Meaning::Text) => fields,
            _ => &[],
        };
        fields.iter().map(|field| {
            let bytes = &self.bytes[field.offset..][..field.ty.size];
            // SAFETY: a part of a value where its descriptor has one.
            (field.name, unsafe { Described::of(field.ty, bytes) })
        })
    }

    /// Its payload.
    ///
    /// ```
    /// # use annulus_kernel::DeviceType;
    /// # use annulus_runtime::DynamicMessage;
    /// let pair = DynamicMessage::from_payload(<[u16; 2]>::DESCRIPTOR, &[1, 0, 2, 0])?;
    /// assert_eq!(pair.payload(), [1, 0, 2, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn payload(&self) -> Vec<u8> {
        let mut payload = Vec::with_capacity(self.ty.size);
        // SAFETY: a value of the type.
        unsafe { encode_values(self.ty, &self.bytes, &mut payload) };
        payload
    }

    /// A copy that is aligned as the type needs.
    pub(crate) fn aligned(&self) -> Aligned {
        let mut aligned = Aligned::new(self.ty);
        aligned.bytes().copy_from_slice(&self.bytes);
        aligned
    }
}

impl Serialize for DynamicMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // SAFETY: a value of the type.
        unsafe { Described::of(self.ty, &self.bytes) }.serialize(serializer)
    }
}

impl fmt::Debug for DynamicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicMessage").field("ty", &self.ty.name).finish_non_exhaustive()
    }
}
