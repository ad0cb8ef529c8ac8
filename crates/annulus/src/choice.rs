//! Choosing a backend by name.

use std::{fmt, str::FromStr, sync::Arc};

#[cfg(feature = "cpu")]
use annulus_cpu::Cpu;
#[cfg(feature = "cuda")]
use annulus_cuda::Cuda;
#[cfg(feature = "metal")]
use annulus_metal::Metal;
#[cfg(feature = "opencl")]
use annulus_opencl::OpenCl;
use annulus_runtime::{BackendError, BackendSource, DeviceBackend, NoBackend, Noop, Runtime, RuntimeBuilder};

/// A backend by name, with its defaults. To set more, give the builder the backend itself: `Cpu`, `Cuda`,
/// `Metal`, `OpenCl`, [`Noop`](crate::backend::Noop).
///
/// Each of the first four needs the crate's feature of the same name, which is on by default. Without the
/// feature the backend still has its name, but opening it is an error that names the feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The fastest backend that this machine is sure to have. Today that is the CPU. In a program that was
    /// built without the feature `cpu`, it is the first of CUDA, Metal and OpenCL that can be opened.
    #[default]
    Auto,
    /// Worker threads.
    Cpu,
    /// This machine's first CUDA device; if there is none, an error says what to install.
    Cuda,
    /// This machine's first Metal device, on Apple's systems.
    Metal,
    /// This machine's first OpenCL device; if there is none, an error says what to install.
    OpenCl,
    /// Obeys every command and runs no handler; for measurements and for tests.
    Noop,
}

impl Backend {
    /// Every backend with its name, `auto` first.
    pub const ALL: [(&str, Self); 6] = [
        ("auto", Self::Auto),
        ("cpu", Self::Cpu),
        ("cuda", Self::Cuda),
        ("metal", Self::Metal),
        ("opencl", Self::OpenCl),
        ("noop", Self::Noop),
    ];
}

impl BackendSource for Backend {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        match self {
            Self::Auto if cfg!(feature = "cpu") => Self::Cpu.open(),
            Self::Auto => {
                let mut refused = Vec::new();
                for backend in [Self::Cuda, Self::Metal, Self::OpenCl] {
                    match backend.open() {
                        Ok(opened) => return Ok(opened),
                        Err(error) => refused.push(format!("{backend}: {error}")),
                    }
                }
                Err(BackendError::new(format!("no backend: {}", refused.join("; "))))
            }
            #[cfg(feature = "cpu")]
            Self::Cpu => Cpu::new().open(),
            #[cfg(feature = "cuda")]
            Self::Cuda => Cuda::new().open(),
            #[cfg(feature = "metal")]
            Self::Metal => Metal::new().open(),
            #[cfg(feature = "opencl")]
            Self::OpenCl => OpenCl::new().open(),
            Self::Noop => Noop.open(),
            #[cfg(not(all(feature = "cpu", feature = "cuda", feature = "metal", feature = "opencl")))]
            left_out => Err(BackendError::new(format!(
                "this program was built without the {left_out} backend: build it with the feature `{left_out}` \
                 of the crate annulus"
            ))),
        }
    }
}

/// `build()` for a runtime for which no backend was chosen: it uses [`Backend::Auto`]. The prelude imports
/// this trait.
///
/// ```
/// use annulus::prelude::*;
/// let runtime = Runtime::builder().build()?;
/// let other = Runtime::builder().telemetry_lines(16).backend(Backend::Auto).build()?;
/// assert_eq!(runtime.backend(), other.backend());
/// # Ok::<(), annulus::BackendError>(())
/// ```
pub trait BuildAuto {
    /// Opens the best backend of this machine, and reserves the arena of telemetry lines.
    ///
    /// # Errors
    ///
    /// If this machine lacks something that the backend needs.
    fn build(self) -> Result<Runtime, BackendError>;
}

impl BuildAuto for RuntimeBuilder<NoBackend> {
    fn build(self) -> Result<Runtime, BackendError> {
        self.backend(Backend::Auto).build()
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

    /// Capitals do not matter.
    ///
    /// ```
    /// use annulus::Backend;
    /// assert_eq!("cpu".parse(), Ok(Backend::Cpu));
    /// assert_eq!("OpenCL".parse(), Ok(Backend::OpenCl));
    /// let error = "gpu".parse::<Backend>().unwrap_err();
    /// assert_eq!(error.to_string(), "no backend is called `gpu`; there are auto, cpu, cuda, metal, opencl, noop");
    /// assert_eq!(format!("{error:?}"), error.to_string());
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        let found =
            Self::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, backend)| *backend);
        found.ok_or_else(|| UnknownBackend { name: name.into() })
    }
}

/// No backend has this name.
#[derive(Clone, PartialEq, Eq)]
pub struct UnknownBackend {
    name: String,
}

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Backend::ALL.iter().map(|(name, _)| *name).collect();
        write!(f, "no backend is called `{}`; there are {}", self.name, known.join(", "))
    }
}

/// In words: a `main` that returns the error shows it so.
impl fmt::Debug for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for UnknownBackend {}
