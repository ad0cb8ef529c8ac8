//! Values as bytes: fields one after the other, numbers as LEB128, lists and texts after their length.

use std::fmt;

/// The bytes are not an encoded tree of this version of Annulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the handler's syntax cannot be decoded: build the program with one version of Annulus in all its crates",
        )
    }
}

impl std::error::Error for Malformed {}

/// What can be encoded.
pub(crate) trait Code: Sized {
    fn encode(&self, bytes: &mut Vec<u8>);
    fn decode(bytes: &mut &[u8]) -> Result<Self, Malformed>;
}

impl Code for u64 {
    fn encode(&self, bytes: &mut Vec<u8>) {
        let mut rest = *self;
        while rest > 0x7F {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = bytes.split_first().ok_or(Malformed)?;
            *bytes = rest;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                return Err(Malformed);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }
}

impl Code for u32 {
    fn encode(&self, bytes: &mut Vec<u8>) {
        u64::from(*self).encode(bytes);
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        u64::decode(bytes)?.try_into().map_err(|_| Malformed)
    }
}

impl Code for bool {
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        match u64::decode(bytes)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }
}

impl Code for String {
    fn encode(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).encode(bytes);
        bytes.extend_from_slice(self.as_bytes());
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        let len = usize::try_from(u64::decode(bytes)?).map_err(|_| Malformed)?;
        let (text, rest) = bytes.split_at_checked(len).ok_or(Malformed)?;
        *bytes = rest;
        std::str::from_utf8(text).map(str::to_owned).map_err(|_| Malformed)
    }
}

impl<T: Code> Code for Vec<T> {
    fn encode(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).encode(bytes);
        self.iter().for_each(|item| item.encode(bytes));
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        let len = u64::decode(bytes)?;
        // Each item takes a byte at least, so a length that is a lie ends with the bytes.
        (0..len).map(|_| T::decode(bytes)).collect()
    }
}

impl<T: Code> Code for Option<T> {
    fn encode(&self, bytes: &mut Vec<u8>) {
        self.is_some().encode(bytes);
        if let Some(value) = self {
            value.encode(bytes);
        }
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        Ok(if bool::decode(bytes)? { Some(T::decode(bytes)?) } else { None })
    }
}

impl<T: Code> Code for Box<T> {
    fn encode(&self, bytes: &mut Vec<u8>) {
        (**self).encode(bytes);
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, Malformed> {
        T::decode(bytes).map(Self::new)
    }
}

/// Defines a struct whose fields are encoded in order.
macro_rules! tree_struct {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $ty:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty),* }

        impl crate::codec::Code for $name {
            fn encode(&self, bytes: &mut Vec<u8>) {
                $(self.$field.encode(bytes);)*
            }

            fn decode(bytes: &mut &[u8]) -> Result<Self, crate::codec::Malformed> {
                Ok(Self { $($field: crate::codec::Code::decode(bytes)?),* })
            }
        }
    };
}

/// Defines an enum that is encoded as the variant's number, then its fields in order.
macro_rules! tree_enum {
    ($(#[$meta:meta])* $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident $({ $($field:ident: $ty:ty),* $(,)? })?),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // A variant's fields say what they are by their names.
        pub enum $name { $($(#[$variant_meta])* $variant $({ $($field: $ty),* })?),* }

        impl crate::codec::Code for $name {
            fn encode(&self, bytes: &mut Vec<u8>) {
                #[allow(non_camel_case_types, clippy::enum_variant_names)]
                enum Number { $($variant),* }
                match self {
                    $(Self::$variant $({ $($field),* })? => {
                        (Number::$variant as u64).encode(bytes);
                        $($($field.encode(bytes);)*)?
                    })*
                }
            }

            fn decode(bytes: &mut &[u8]) -> Result<Self, crate::codec::Malformed> {
                #[allow(non_camel_case_types, clippy::enum_variant_names)]
                enum Number { $($variant),* }
                let number = u64::decode(bytes)?;
                $(if number == Number::$variant as u64 {
                    return Ok(Self::$variant $({ $($field: crate::codec::Code::decode(bytes)?),* })?);
                })*
                Err(crate::codec::Malformed)
            }
        }
    };
}
