//! Snapshots in any format that serde supports, mostly for people to read: `{"kernel": …, "states": […],
//! "memory": {name: […]}}`, and of sparse keys also `"keys": […]`, one for each state.

use std::{fmt, mem::MaybeUninit, slice};

use annulus_kernel::{
    Binding, BindingDefinition, BindingKind, Described, KernelDefinition, StateShape, TypeDescriptor,
};
use serde::{
    Serialize, Serializer,
    de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor},
    ser::SerializeMap,
};

use super::{Image, Snapshot, bytes::wanted};

impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kernel", self.kernel)?;
        if let Some(keys) = &self.keys {
            map.serialize_entry("keys", keys)?;
        }
        if let Some(states) = &self.state {
            map.serialize_entry("states", states)?;
        }
        if !self.memory.is_empty() {
            map.serialize_entry("memory", &Memory(&self.memory))?;
        }
        map.end()
    }
}

struct Memory<'a>(&'a [(&'static str, Image)]);

impl Serialize for Memory<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, image)| (name, image)))
    }
}

impl Serialize for Image {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |index: usize| {
            let bytes = &self.bytes[index * self.ty.size..(index + 1) * self.ty.size];
            // SAFETY: an image holds valid values of its type, one after the other.
            unsafe { Described::of(self.ty, bytes) }
        };
        serializer.collect_seq((0..self.count).map(value))
    }
}

impl Snapshot {
    /// Reads a serialized snapshot of this kernel. Needs the feature `serde`.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus_runtime::{Snapshot, prelude::*};
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number {
    /// #     value: u64,
    /// # }
    /// #[ring_kernel]
    /// fn add(number: &Number, memory: &mut [u64]) {
    ///     memory[0] += number.value;
    /// }
    /// let json = r#"{"kernel":"add","memory":{"memory":[1,2,3]}}"#;
    /// let snapshot = Snapshot::deserialize(add::DEFINITION, &mut serde_json::Deserializer::from_str(json))?;
    /// assert_eq!(snapshot.memory::<u64>("memory")?, [1, 2, 3]);
    /// assert_eq!(serde_json::to_string(&snapshot)?, json);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Says what does not fit the kernel, and where; or is the deserializer's own error.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        definition: &'static KernelDefinition,
        deserializer: D,
    ) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SnapshotVisitor { definition })
    }
}

struct SnapshotVisitor {
    definition: &'static KernelDefinition,
}

impl<'de> Visitor<'de> for SnapshotVisitor {
    type Value = Snapshot;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a snapshot of `{}`", self.definition.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Snapshot, A::Error> {
        let definition = self.definition;
        let (mut kernel, mut keys, mut state, mut memory) = (None, None, None, None);
        let by_key = matches!(definition.state, StateShape::PerActor(_));
        while let Some(key) = map.next_key::<String>()? {
            match (key.as_str(), wanted(definition).find(|(name, _)| name.is_empty())) {
                ("kernel", _) if kernel.is_none() => kernel = Some(map.next_value::<String>()?),
                ("keys", _) if keys.is_none() && by_key => keys = Some(map.next_value::<Vec<u64>>()?),
                ("states", Some((_, ty))) if state.is_none() => {
                    state = Some(map.next_value_seed(Values(ty))?)
                }
                ("memory", _) if memory.is_none() => {
                    memory = Some(map.next_value_seed(AllMemory { definition })?)
                }
                _ => {
                    return Err(A::Error::custom(format!(
                        "`{key}` is not what a snapshot of `{}` has, or is there twice",
                        definition.name
                    )));
                }
            }
        }
        match kernel {
            Some(kernel) if kernel == definition.name => {}
            Some(kernel) => {
                return Err(A::Error::custom(format!("it is of `{kernel}`, not of `{}`", definition.name)));
            }
            None => return Err(A::Error::missing_field("kernel")),
        }
        let mut memory: Vec<(&'static str, Image)> = memory.unwrap_or_default();
        let mut ordered = Vec::new();
        for (name, _) in wanted(definition) {
            match (name, memory.iter().position(|(own, _)| *own == name)) {
                ("", _) if state.is_none() => return Err(A::Error::missing_field("states")),
                ("", _) => {}
                (_, Some(place)) => ordered.push(memory.swap_remove(place)),
                (name, None) => return Err(A::Error::custom(format!("memory: `{name}` is missing"))),
            }
        }
        let snapshot = Snapshot { kernel: definition.name, keys, state, memory: ordered };
        snapshot.check_keys().map_err(A::Error::custom)?;
        Ok(snapshot)
    }
}

/// The bound memory of a kernel, by name.
struct AllMemory {
    definition: &'static KernelDefinition,
}

impl<'de> DeserializeSeed<'de> for AllMemory {
    type Value = Vec<(&'static str, Image)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for AllMemory {
    type Value = Vec<(&'static str, Image)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the memory of `{}`, by name", self.definition.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all: Self::Value = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let found = wanted(self.definition).find(|(name, _)| !name.is_empty() && *name == key);
            let Some((name, ty)) = found.filter(|(name, _)| all.iter().all(|(own, _)| own != name)) else {
                return Err(A::Error::custom(format!(
                    "memory: `{key}` is not the kernel's, or is there twice"
                )));
            };
            all.push((name, map.next_value_seed(Values(ty))?));
        }
        Ok(all)
    }
}

/// Values of a type.
struct Values(&'static TypeDescriptor);

impl<'de> DeserializeSeed<'de> for Values {
    type Value = Image;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Image, D::Error> {
        // Read them as a launch reads what is bound to memory.
        let definition = BindingDefinition { name: "values", kind: BindingKind::Whole, ty: self.0 };
        let values = Binding::read(&definition, deserializer)?;
        let first = values.as_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: the binding has as many valid values of the type, and lives until they are copied.
        let bytes = unsafe { slice::from_raw_parts(first, values.len() * self.0.size) };
        Ok(Image { ty: self.0, count: values.len(), bytes: bytes.to_vec() })
    }
}
