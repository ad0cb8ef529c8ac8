//! What a device has that not every device has.

use std::fmt;

use crate::options::MAX_BLOCK;

/// What a device has that not every device has. A launch on a device that lacks what the handler needs is
/// refused before anything is compiled, and the error says what it is and where the handler needs it.
///
/// ```
/// use annulus_runtime::{Noop, Runtime};
/// let runtime = Runtime::builder().backend(Noop).build()?;
/// let can = runtime.devices()[0].capabilities;
/// // Choose another kernel where there are no 64-bit floats.
/// let precise = can.f64;
/// assert!(precise && can.max_block >= 1);
/// println!("{can}");
/// # Ok::<(), annulus_runtime::BackendError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// It computes with `f64`.
    pub f64: bool,
    /// It has atomics of 64 bits: `&[AtomicU64]` and `&[AtomicI64]`.
    pub wide_atomics: bool,
    /// The most threads of a block.
    pub max_block: u32,
    /// The most bytes that the threads of a block can share while they work on a message: what the device has
    /// for a block, less what the block itself takes. `None` if only its memory limits it.
    pub shared_memory: Option<u64>,
    /// Threads of a warp can exchange values without memory: subgroups in OpenCL. No handler needs them.
    pub subgroups: bool,
    /// Host and kernels use the same memory by the same addresses, at the same time: fine-grained shared
    /// virtual memory in OpenCL. Without it memory is mapped; no handler needs it.
    pub shared_virtual_memory: bool,
}

impl Capabilities {
    /// A device that has everything; a backend takes away from it what its device lacks.
    pub const ALL: Self = Self {
        f64: true,
        wide_atomics: true,
        max_block: MAX_BLOCK,
        shared_memory: None,
        subgroups: true,
        shared_virtual_memory: true,
    };
}

/// What it has, and what it lacks, in one line.
impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [
            (self.f64, "f64"),
            (self.wide_atomics, "64-bit atomics"),
            (self.subgroups, "subgroups"),
            (self.shared_virtual_memory, "shared virtual memory"),
        ];
        let listed = |which: bool| {
            named.iter().filter(|(has, _)| *has == which).map(|(_, name)| *name).collect::<Vec<_>>()
        };
        let (has, lacks) = (listed(true), listed(false));
        let separated = match (has.is_empty(), lacks.is_empty()) {
            (true, _) => String::new(),
            (false, true) => has.join(", "),
            (false, false) => has.join(", ") + "; ",
        };
        write!(f, "{separated}")?;
        if !lacks.is_empty() {
            write!(f, "no {}", lacks.join(", no "))?;
        }
        write!(f, "; blocks of up to {} threads", self.max_block)?;
        match self.shared_memory {
            Some(bytes) => write!(f, ", which share up to {bytes} bytes"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x04_what_a_device_lacks_is_said_as_well() {
        assert_eq!(
            Capabilities::ALL.to_string(),
            "f64, 64-bit atomics, subgroups, shared virtual memory; blocks of up to 1024 threads"
        );
        let small = Capabilities {
            f64: false,
            subgroups: false,
            max_block: 64,
            shared_memory: Some(30_720),
            ..Capabilities::ALL
        };
        assert_eq!(
            small.to_string(),
            "64-bit atomics, shared virtual memory; no f64, no subgroups; blocks of up to 64 threads, which share up \
             to 30720 bytes"
        );
        let none = Capabilities { wide_atomics: false, shared_virtual_memory: false, ..small };
        assert!(
            none.to_string()
                .starts_with("no f64, no 64-bit atomics, no subgroups, no shared virtual memory; ")
        );
    }
}
