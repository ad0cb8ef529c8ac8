//! What writer and reader of a stream of frames know about a type.

use crate::{
    Payload, Schema,
    header::{TypeName, checksum},
};

/// The largest total size of the messages of one frame, uncompressed. Source: this project's choice; it
/// bounds what a reader keeps.
pub const MAX_BATCH: usize = 1 << 20;
/// The most messages of one frame.
pub const MAX_COUNT: u32 = 1 << 16;
/// The longest schema, as JSON.
pub const MAX_SCHEMA: usize = 1 << 16;

/// A message type as it is announced to readers: its schema, and the hash by which each message names the
/// schema.
#[derive(Clone, Debug)]
pub struct WireType {
    schema: Schema,
    json: Vec<u8>,
    hash: u64,
    root: u32,
    name: TypeName,
}

impl WireType {
    /// The wire type of a message type.
    pub fn of<M: Payload>() -> Self {
        Self::new(M::schema(), M::ROOT_SIZE)
    }

    /// The wire type of a schema. `root_size` is the size of a value's own part: [`Payload::ROOT_SIZE`].
    pub fn new(schema: Schema, root_size: usize) -> Self {
        let json = serde_json::to_vec(&schema)
            .expect("a schema has text, numbers and lists alone, which JSON knows");
        let hash = checksum(&json);
        // A larger value has no payload.
        let (root, name) = (u32::try_from(root_size).unwrap_or(u32::MAX), TypeName::new(&schema.name));
        Self { schema, json, hash, root, name }
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema's hash: the same for the same type in every program.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The schema as JSON.
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// The name as stored in headers.
    pub fn name(&self) -> TypeName {
        self.name
    }

    /// Size of a value's own part, which is the last part of a payload.
    pub fn root_size(&self) -> u32 {
        self.root
    }
}
