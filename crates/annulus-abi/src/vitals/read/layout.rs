//! What a kernel's entry says of the types of its messages.

/// The memory layout of a type, in short. Two programs have the same layout of a type if all three are equal; the hash is that
/// of names and places of all its parts, which snapshots compare as well.
///
/// ```
/// use annulus_abi::vitals::read::TypeLayout;
/// let layout = TypeLayout { size: 16, align: 8, hash: 0xAB };
/// assert_eq!(layout.to_string(), "16 bytes, aligned to 8, layout 00000000000000ab");
/// assert_eq!(format!("{layout:#}"), "16:8:00000000000000ab");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeLayout {
    /// Bytes of a value.
    pub size: u32,
    /// Its alignment in bytes.
    pub align: u32,
    /// The hash.
    pub hash: u64,
}

impl TypeLayout {
    /// What an entry's words say, unless they say nothing.
    pub(super) fn new(size: u32, align: u32, hash: u64) -> Option<Self> {
        (align != 0).then_some(Self { size, align, hash })
    }
}

/// In words; with `#` as size, alignment and hash in one word, as labels of metrics have it.
impl core::fmt::Display for TypeLayout {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { size, align, hash } = self;
        if f.alternate() {
            return write!(f, "{size}:{align}:{hash:016x}");
        }
        let bytes = if *size == 1 { "byte" } else { "bytes" };
        write!(f, "{size} {bytes}, aligned to {align}, layout {hash:016x}")
    }
}
