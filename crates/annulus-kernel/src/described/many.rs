//! What a launch binds.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::read::{Place, within};
use crate::{Binding, BindingDefinition, BindingKind, TypeDescriptor};

/// The largest size that [`Binding::read`] makes from a text: a few characters can ask for any number of
/// values.
const MOST: u64 = 1 << 32;

impl Binding {
    /// Reads what a launch binds to this parameter: one value for a `&P`; for all other kinds an array of
    /// values, or `{"repeat": value, "count": n}`. The values may take 4 GiB; a program binds more with
    /// [`Binding::slice`].
    ///
    /// # Errors
    ///
    /// If a value does not fit; the error says where. If there are more values than 4 GiB or the free memory
    /// can hold. Also the deserializer's own errors.
    pub fn read<'de, D: Deserializer<'de>>(
        definition: &BindingDefinition,
        deserializer: D,
    ) -> Result<Self, D::Error> {
        let ty = definition.ty;
        if definition.kind != BindingKind::Parameter {
            return deserializer.deserialize_any(Many { ty });
        }
        let mut value = Values::none(ty);
        value.room()?.deserialize(deserializer)?;
        value.count = 1;
        value.times(1)
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

    /// Room for one more value, to be filled or removed again.
    fn room<E: serde::de::Error>(&mut self) -> Result<Place<'_>, E> {
        let (begin, size) = (self.bytes.len(), self.ty.size);
        let more = self.count.saturating_add(1);
        check(self.ty, more)?;
        self.bytes.try_reserve(size).map_err(|_| no_memory(self.ty, more))?;
        self.bytes.resize(begin + size, 0);
        Ok(Place { ty: self.ty, to: &mut self.bytes[begin..] })
    }

    /// All of the values, repeated this many times.
    fn times<E: serde::de::Error>(&self, times: usize) -> Result<Binding, E> {
        let count = self.count.saturating_mul(times);
        check(self.ty, count)?;
        let fill = |to: &mut [u8]| {
            // The memory is zero already, in pages that take no memory until somebody writes to them.
            if !self.bytes.is_empty() && self.bytes.iter().any(|&byte| byte != 0) {
                to.chunks_exact_mut(self.bytes.len()).for_each(|to| to.copy_from_slice(&self.bytes));
            }
        };
        // SAFETY: each value was written as one that is valid for the type, and padding may be anything.
        // There are as many values as there is room for.
        let binding = unsafe { Binding::filled(self.ty, count, fill) };
        binding.ok_or_else(|| no_memory(self.ty, count))
    }
}

/// Refuses values that take more than [`MOST`] bytes.
fn check<E: serde::de::Error>(ty: &TypeDescriptor, count: usize) -> Result<(), E> {
    // A value without bytes counts as one byte.
    if (count as u64).checked_mul(ty.size.max(1) as u64).is_some_and(|bytes| bytes <= MOST) {
        return Ok(());
    }
    let size = ty.size;
    Err(E::custom(format!(
        "{count} values of {size} bytes are more than the {MOST} bytes that text is read to: give fewer, or bind them in a \
         program, with `Binding::slice`"
    )))
}

fn no_memory<E: serde::de::Error>(ty: &TypeDescriptor, count: usize) -> E {
    let size = ty.size;
    E::custom(format!("there is no memory for {count} values of {size} bytes: give fewer"))
}

/// Reads any number of values.
struct Many {
    ty: &'static TypeDescriptor,
}

impl<'de> Visitor<'de> for Many {
    type Value = Binding;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {}, or {{\"repeat\": {}, \"count\": n}}", self.ty.name, self.ty.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Binding, A::Error> {
        let mut values = Values::none(self.ty);
        loop {
            let count = values.count;
            let found =
                seq.next_element_seed(Next(&mut values)).map_err(within(format_args!("[{count}]")))?;
            if found.is_none() {
                return values.times(1);
            }
            values.count += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Binding, A::Error> {
        let (mut value, mut count) = (Values::none(self.ty), None);
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "repeat" if value.count == 0 => {
                    map.next_value_seed(Next(&mut value)).map_err(within(".repeat"))?;
                    value.count = 1;
                }
                "count" if count.is_none() => count = Some(map.next_value::<usize>()?),
                _ => return Err(A::Error::custom(format!("`{name}` is not `repeat` or `count`, once each"))),
            }
        }
        let (Some(count), 1) = (count, value.count) else {
            return Err(A::Error::custom("`repeat` and `count` are both needed"));
        };
        value.times(count).map_err(within(".count"))
    }
}

/// Reads one more value; the caller counts it.
struct Next<'a>(&'a mut Values);

impl<'de> DeserializeSeed<'de> for Next<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.room()?.deserialize(deserializer)
    }
}
