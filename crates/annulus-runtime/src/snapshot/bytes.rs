//! Snapshots as bytes, for files and other machines.
//!
//! | what | bytes |
//! |---|---|
//! | [`MAGIC`] | 16 |
//! | [`VERSION`] | 4 |
//! | the kernel's name | 4 for its length, then UTF-8 |
//! | in version 2: how many keys its states have | 8 |
//! | in version 2: the keys, ascending | 8 for each |
//! | how many images follow: its states, if it keeps any, then its bound memory that changes, by the handler's order | 4 |
//! | of each image the parameter's name, empty for the states | as the kernel's name |
//! | the [hash](TypeDescriptor::layout_hash) of its type | 8 |
//! | how many values it has | 8 |
//! | the values, as [`encode`](annulus_kernel::encode) writes each | that many times the type's size |
//! | the [`hash`] of all before | 8 |
//!
//! Numbers are little-endian. Bytes from outside are not trusted. The hash finds damage. Every length, name,
//! type and value is also checked before it is used, so forged bytes with a correct hash do no harm either.

use std::mem::MaybeUninit;

use annulus_kernel::{KernelDefinition, StateShape, TypeDescriptor, decode_values, encode_values, fnv};

use super::{Image, Snapshot, SnapshotError, changes, mismatch};

const MAGIC: &[u8; 16] = b"annulus snapshot";
/// Version of the layout of the bytes that follow. A changed layout gets a new version; a decoder reads the
/// versions that it knows. A snapshot is written in the lowest version that has all of it.
const VERSION: u32 = 1;
/// That of a snapshot with sparse keys.
const VERSION_KEYS: u32 = 2;
/// Largest number of values of size 0: nothing else limits it.
const MOST_EMPTY: u64 = 1 << 24;

impl Snapshot {
    /// The snapshot as bytes, which [`from_bytes`](Self::from_bytes) reads on any machine. They contain a
    /// version, fingerprints of the types' layouts, and a hash. Equal snapshots have equal bytes.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus_runtime::{LaunchOptions, Noop, Runtime, Snapshot, prelude::*};
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number {
    /// #     value: u64,
    /// # }
    /// #[ring_kernel]
    /// fn add(number: &Number, memory: &mut [u64]) {
    ///     memory[0] += number.value;
    /// }
    /// # let mut snapshot = Snapshot::empty(add::DEFINITION, 0, &[3]);
    /// # snapshot.set_memory("memory", &[1u64, 2, 3])?;
    /// // let snapshot = kernel.snapshot_blocking()?;
    /// let bytes = snapshot.to_bytes();
    /// let again = Snapshot::from_bytes(add::DEFINITION, &bytes)?;
    /// assert_eq!(again.memory::<u64>("memory")?, [1, 2, 3]);
    /// let error = Snapshot::from_bytes(add::DEFINITION, &bytes[1..]).unwrap_err();
    /// assert!(error.to_string().contains("do not begin as one"), "{error}");
    /// # Ok::<(), annulus_runtime::SnapshotError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        let version = if self.keys.is_some() { VERSION_KEYS } else { VERSION };
        bytes.extend_from_slice(&version.to_le_bytes());
        put_text(&mut bytes, self.kernel);
        if let Some(keys) = &self.keys {
            bytes.extend_from_slice(&(keys.len() as u64).to_le_bytes());
            keys.iter().for_each(|key| bytes.extend_from_slice(&key.to_le_bytes()));
        }
        let states = self.state.iter().map(|image| ("", image));
        let images: Vec<_> = states.chain(self.memory.iter().map(|(name, image)| (*name, image))).collect();
        bytes.extend_from_slice(&(images.len() as u32).to_le_bytes());
        for (name, image) in images {
            put_text(&mut bytes, name);
            bytes.extend_from_slice(&image.ty.layout_hash().to_le_bytes());
            bytes.extend_from_slice(&(image.count as u64).to_le_bytes());
            // SAFETY: an image holds valid values of its type, and nothing else.
            unsafe { encode_values(image.ty, &image.bytes, &mut bytes) };
        }
        let hash = hash(&bytes);
        bytes.extend_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// Reads a snapshot of this kernel (`detect::DEFINITION`) that [`to_bytes`](Self::to_bytes) wrote. The
    /// bytes need not be trusted.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// use annulus::Snapshot;
    /// let kernel = accounts();
    /// kernel.deactivate_blocking()?;
    /// let bytes = kernel.snapshot_blocking()?.to_bytes();
    /// let snapshot = Snapshot::from_bytes(keep::DEFINITION, &bytes)?;
    /// assert_eq!(snapshot.states::<i64>()?, [100, 0, 0]);
    /// assert!(Snapshot::from_bytes(double::DEFINITION, &bytes).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Bytes`] if they are damaged or of an unknown version; [`SnapshotError::Mismatch`] if
    /// they are of another kernel, or its types have changed since.
    pub fn from_bytes(definition: &'static KernelDefinition, bytes: &[u8]) -> Result<Self, SnapshotError> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(wrong(format!(
                "they do not begin as one, with {:?}",
                MAGIC.escape_ascii().to_string()
            )));
        };
        let mut head = Reader(rest);
        let version = head.u32("version")?;
        if !(VERSION..=VERSION_KEYS).contains(&version) {
            return Err(wrong(format!(
                "they are of version {version}, and this program reads versions {VERSION} and {VERSION_KEYS}: read them with the program that wrote them"
            )));
        }
        let Some((body, told)) = bytes.split_last_chunk::<8>() else {
            return Err(wrong("they end too early".into()));
        };
        if hash(body) != u64::from_le_bytes(*told) {
            return Err(wrong("their hash is another one: they are damaged, or were cut".into()));
        }
        // The bytes after the version, without the hash.
        let mut reader = Reader(&body[MAGIC.len() + 4..]);
        let kernel = reader.text("kernel's name")?;
        if kernel != definition.name {
            return Err(mismatch("kernel", definition.name, kernel));
        }
        let keys = if version == VERSION_KEYS { Some(reader.keys(definition)?) } else { None };
        let wanted: Vec<_> = wanted(definition).collect();
        let count = reader.u32("number of images")? as usize;
        if count != wanted.len() {
            return Err(mismatch("number of states and bound memories", wanted.len(), count));
        }
        let mut snapshot = Self { kernel: definition.name, keys, state: None, memory: Vec::new() };
        for (name, ty) in wanted {
            let image = reader.image(name, ty)?;
            match name {
                "" => snapshot.state = Some(image),
                name => snapshot.memory.push((name, image)),
            }
        }
        snapshot.check_keys().map_err(wrong)?;
        match reader.0 {
            [] => Ok(snapshot),
            rest => Err(wrong(format!("{} bytes follow the last value", rest.len()))),
        }
    }

    /// A snapshot of a launch with this many states, and with bound memory of these lengths: all zeros, for
    /// tests.
    #[doc(hidden)]
    pub fn empty(definition: &'static KernelDefinition, states: usize, lengths: &[usize]) -> Self {
        let image = |ty: &'static TypeDescriptor, count: usize| Image {
            ty,
            count,
            bytes: vec![MaybeUninit::new(0); count * ty.size],
        };
        let mut lengths = lengths.iter();
        let mut snapshot = Self { kernel: definition.name, keys: None, state: None, memory: Vec::new() };
        for (name, ty) in wanted(definition) {
            match name {
                "" => snapshot.state = Some(image(ty, states)),
                name => snapshot.memory.push((name, image(ty, lengths.next().copied().unwrap_or(0)))),
            }
        }
        snapshot
    }

    /// Checks the keys of a snapshot from outside.
    pub(super) fn check_keys(&self) -> Result<(), String> {
        let Some(keys) = &self.keys else { return Ok(()) };
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(format!("the key {} follows {}, and keys ascend", pair[1], pair[0]));
        }
        if keys.len() != self.len() {
            return Err(format!("there are {} keys and {} states", keys.len(), self.len()));
        }
        Ok(())
    }
}

/// The images that a kernel's snapshots have: names, empty for its states, and types.
pub(super) fn wanted(
    definition: &'static KernelDefinition,
) -> impl Iterator<Item = (&'static str, &'static TypeDescriptor)> {
    let state = match definition.state {
        StateShape::Stateless => None,
        StateShape::Whole(state) | StateShape::PerActor(state) => Some(("", state.ty)),
    };
    let memory = definition.bindings.iter().filter(|binding| changes(binding));
    state.into_iter().chain(memory.map(|binding| (binding.name, binding.ty)))
}

fn wrong(problem: String) -> SnapshotError {
    SnapshotError::Bytes { problem }
}

fn put_text(to: &mut Vec<u8>, text: &str) {
    to.extend_from_slice(&(text.len() as u32).to_le_bytes());
    to.extend_from_slice(text.as_bytes());
}

/// A hash that any change of one byte changes.
fn hash(bytes: &[u8]) -> u64 {
    fnv::extend(fnv::START, bytes)
}

/// The bytes that are still to be read, from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], SnapshotError> {
        let Some((taken, rest)) = self.0.split_at_checked(count) else {
            return Err(wrong(format!("the {what} has {count} bytes, and {} are left", self.0.len())));
        };
        self.0 = rest;
        Ok(taken)
    }

    fn u32(&mut self, what: &str) -> Result<u32, SnapshotError> {
        let bytes = self.take(4, what)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    fn u64(&mut self, what: &str) -> Result<u64, SnapshotError> {
        let bytes = self.take(8, what)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn text(&mut self, what: &str) -> Result<&'a str, SnapshotError> {
        let length = self.u32(what)? as usize;
        let bytes = self.take(length, what)?;
        str::from_utf8(bytes).map_err(|error| wrong(format!("the {what} is no UTF-8: {error}")))
    }

    /// The keys of a kernel that has state by key.
    fn keys(&mut self, definition: &KernelDefinition) -> Result<Vec<u64>, SnapshotError> {
        let own = match definition.state {
            StateShape::PerActor(_) => None,
            StateShape::Whole(_) => Some("one for all keys"),
            StateShape::Stateless => Some("none"),
        };
        if let Some(own) = own {
            return Err(mismatch("kernel's state", own, "one for each key"));
        }
        let count = self.u64("number of keys")?;
        // Never allocate more than there is.
        let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(8));
        let left = self.0.len();
        let bytes = bytes.filter(|&bytes| bytes <= left);
        let bytes =
            bytes.ok_or_else(|| wrong(format!("{count} keys have 8 bytes each, and {left} are left")))?;
        let mut keys = Reader(self.take(bytes, "keys")?);
        (0..count).map(|_| keys.u64("key")).collect()
    }

    /// The image of this name and type.
    fn image(&mut self, name: &'static str, ty: &'static TypeDescriptor) -> Result<Image, SnapshotError> {
        let found = self.text("name of a bound memory")?;
        if found != name {
            let called =
                |name: &str| if name.is_empty() { "the state".to_owned() } else { format!("`{name}`") };
            return Err(mismatch("next of states and bound memories", called(name), called(found)));
        }
        let what = if name.is_empty() { "the state" } else { name };
        if self.u64("layout of a type")? != ty.layout_hash() {
            let expected = format!("that of {} in this program", ty.name);
            return Err(mismatch(format!("layout of {what}"), expected, "that of another version of it"));
        }
        let count = self.u64("number of values")?;
        if ty.size == 0 && count > MOST_EMPTY {
            return Err(wrong(format!("{count} values of {what} without bytes are more than {MOST_EMPTY}")));
        }
        // Never take, or allocate, more than there is.
        let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(ty.size));
        let length = length.filter(|&length| length <= self.0.len()).ok_or_else(|| {
            wrong(format!(
                "{count} values of {what} have {} bytes each, and {} are left",
                ty.size,
                self.0.len()
            ))
        })?;
        let bytes = self.take(length, what)?;
        let values = decode_values(ty, bytes).map_err(|error| wrong(format!("{what}{error}")))?;
        let bytes = values.into_iter().map(MaybeUninit::new).collect();
        Ok(Image { ty, count: count as usize, bytes })
    }
}
