//! The dialects: what they spell differently.

use std::{fmt, str::FromStr};

/// A language that kernels are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// OpenCL C 1.2 and later.
    OpenCl,
    /// CUDA C++.
    Cuda,
    /// The Metal shading language.
    Metal,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenCl, Self::Cuda, Self::Metal];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenCl => "opencl",
            Self::Cuda => "cuda",
            Self::Metal => "metal",
        }
    }

    /// The extension of source files in this language.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::OpenCl => "cl",
            Self::Cuda => "cu",
            Self::Metal => "metal",
        }
    }

    /// Forbids the compiler to fuse a multiplication and an addition, which would round once less than Rust.
    /// For CUDA's compiler an option does this.
    pub(crate) const fn no_contraction(self) -> Option<&'static str> {
        match self {
            Self::OpenCl => Some("#pragma OPENCL FP_CONTRACT OFF"),
            Self::Cuda => None,
            Self::Metal => Some("#pragma clang fp contract(off)"),
        }
    }

    /// What stands before a function that a kernel calls.
    pub(crate) const fn function(self) -> &'static str {
        match self {
            Self::OpenCl => "static",
            Self::Cuda => "static __device__",
            Self::Metal => "static inline",
        }
    }

    /// The suffix of a 64-bit literal. `long` has 64 bits in OpenCL C and in the Metal language.
    pub(crate) const fn long_suffix(self) -> &'static str {
        match self {
            Self::OpenCl | Self::Metal => "l",
            Self::Cuda => "ll",
        }
    }

    /// Whether devices may have 64-bit floats.
    pub(crate) const fn has_f64(self) -> bool {
        !matches!(self, Self::Metal)
    }

    /// Whether devices may have atomics of 64 bits with the same meaning as Rust's.
    pub(crate) const fn has_wide_atomics(self) -> bool {
        !matches!(self, Self::Metal)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No target has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTarget(String);

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no target `{}`: write `opencl`, `cuda` or `metal`", self.0)
    }
}

impl std::error::Error for UnknownTarget {}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, UnknownTarget> {
        Self::ALL
            .into_iter()
            .find(|target| target.name() == name)
            .ok_or_else(|| UnknownTarget(name.to_owned()))
    }
}
