//! What a launch binds.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::read::{Place, within};
use crate::{Binding, BindingDefinition, BindingKind, TypeDescriptor};

impl Binding {
    /// Reads what a launch binds to this parameter: a value for a `&P`; for all else an array of values, or
    /// `{"repeat": value, "count": n}`.
    ///
    /// # Errors
    ///
    /// What does not fit, and where in the value; or the deserializer's own.
    pub fn read<'de, D: Deserializer<'de>>(
        definition: &BindingDefinition,
        deserializer: D,
    ) -> Result<Self, D::Error> {
        let ty = definition.ty;
        let values = if definition.kind == BindingKind::Parameter {
            let mut value = vec![0; ty.size];
            Place { ty, to: &mut value }.deserialize(deserializer)?;
            Values { ty, bytes: value, count: 1 }
        } else {
            deserializer.deserialize_any(Many { ty })?
        };
        // SAFETY: each value was written as one that is valid for the type, and padding may be anything.
        Ok(unsafe { Self::copied(ty, values.count, values.bytes.as_ptr()) })
    }
}

/// Some values of a type, one after the other.
struct Values {
    ty: &'static TypeDescriptor,
    bytes: Vec<u8>,
    count: usize,
}

impl Values {
    fn none(ty: &'static TypeDescriptor) -> Self {
        Self { ty, bytes: Vec::new(), count: 0 }
    }

    /// Room for one more, to be filled or taken back.
    fn room(&mut self) -> Place<'_> {
        let begin = self.bytes.len();
        self.bytes.resize(begin + self.ty.size, 0);
        Place { ty: self.ty, to: &mut self.bytes[begin..] }
    }
}

/// Reads any number of values.
struct Many {
    ty: &'static TypeDescriptor,
}

impl<'de> Visitor<'de> for Many {
    type Value = Values;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {}, or {{\"repeat\": {}, \"count\": n}}", self.ty.name, self.ty.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Values, A::Error> {
        let mut values = Values::none(self.ty);
        loop {
            let count = values.count;
            let found = seq.next_element_seed(values.room()).map_err(within(format_args!("[{count}]")))?;
            if found.is_none() {
                values.bytes.truncate(count * self.ty.size);
                return Ok(values);
            }
            values.count += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values, A::Error> {
        let (mut value, mut count) = (Values::none(self.ty), None);
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "repeat" if value.count == 0 => {
                    map.next_value_seed(value.room()).map_err(within(".repeat"))?;
                    value.count = 1;
                }
                "count" if count.is_none() => count = Some(map.next_value::<usize>()?),
                _ => return Err(A::Error::custom(format!("`{name}` is not `repeat` or `count`, once each"))),
            }
        }
        let (Some(count), 1) = (count, value.count) else {
            return Err(A::Error::custom("`repeat` and `count` are both needed"));
        };
        let most = isize::MAX as usize;
        if count.checked_mul(self.ty.size).is_none_or(|bytes| bytes > most) {
            return Err(A::Error::custom(format!(".count: {count} values are more than memory can hold")));
        }
        Ok(Values { ty: self.ty, bytes: value.bytes.repeat(count), count })
    }
}
