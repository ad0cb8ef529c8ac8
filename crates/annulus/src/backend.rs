//! Choosing a backend by name.

use std::{fmt, str::FromStr, sync::Arc};

use annulus_cpu::Cpu;
use annulus_cuda::Cuda;
use annulus_opencl::OpenCl;
use annulus_runtime::{BackendError, BackendSource, DeviceBackend, Noop};

/// A backend by name, with its defaults. For more say, give the builder a backend itself: [`Cpu`], [`Cuda`], [`OpenCl`], [`Noop`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The fastest that this machine is sure to have. Today that is the CPU.
    #[default]
    Auto,
    /// Worker threads.
    Cpu,
    /// This machine's first CUDA device; an error says what to install where there is none.
    Cuda,
    /// This machine's first OpenCL device; an error says what to install where there is none.
    OpenCl,
    /// Obeys every command and runs no handler: for measuring and for tests.
    Noop,
}

impl Backend {
    /// Every backend by its name, `auto` first.
    pub const ALL: [(&str, Self); 5] = [
        ("auto", Self::Auto),
        ("cpu", Self::Cpu),
        ("cuda", Self::Cuda),
        ("opencl", Self::OpenCl),
        ("noop", Self::Noop),
    ];
}

impl BackendSource for Backend {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        match self {
            Self::Auto | Self::Cpu => Cpu::new().open(),
            Self::Cuda => Cuda::new().open(),
            Self::OpenCl => OpenCl::new().open(),
            Self::Noop => Noop.open(),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, backend)| backend == self).map_or("?", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    /// ```
    /// use annulus::Backend;
    /// assert_eq!("cpu".parse(), Ok(Backend::Cpu));
    /// let error = "gpu".parse::<Backend>().unwrap_err();
    /// assert_eq!(error.to_string(), "no backend is called `gpu`; there are auto, cpu, cuda, opencl, noop");
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, backend)| *backend);
        found.ok_or_else(|| UnknownBackend { name: name.into() })
    }
}

/// No backend has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBackend {
    name: String,
}

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Backend::ALL.iter().map(|(name, _)| *name).collect();
        write!(f, "no backend is called `{}`; there are {}", self.name, known.join(", "))
    }
}

impl std::error::Error for UnknownBackend {}
