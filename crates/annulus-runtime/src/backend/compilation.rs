//! How a launch got the program that its device runs.

use std::{fmt, time::Duration};

/// Where a device's program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProgramOrigin {
    /// It was compiled now. The device's driver may have used a cache of its own; this is not known here.
    Compiled,
    /// It was compiled before, and kept on disk.
    Disk,
    /// This process had compiled or loaded it before.
    Process,
    /// It was compiled elsewhere, and shipped with the program.
    Shipped,
}

impl ProgramOrigin {
    /// Whether the program was there before the launch asked for it.
    ///
    /// ```
    /// # use annulus_runtime::ProgramOrigin;
    /// assert!(ProgramOrigin::Disk.is_cached() && !ProgramOrigin::Compiled.is_cached());
    /// ```
    pub fn is_cached(self) -> bool {
        self != Self::Compiled
    }
}

impl fmt::Display for ProgramOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compiled => "no",
            Self::Disk => "on disk",
            Self::Process => "in this process",
            Self::Shipped => "shipped along",
        })
    }
}

/// How a launch got the program that its device runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compilation {
    /// How long it took until the device had the program: reading a cache or compiling, and loading. A driver
    /// may compile more when the kernel starts; [`ready`](crate::KernelControl::ready) waits for that.
    pub took: Duration,
    /// Where the program came from.
    pub origin: ProgramOrigin,
}

impl Compilation {
    /// A compilation, as a backend reports it.
    ///
    /// ```
    /// # use annulus_runtime::{Compilation, ProgramOrigin};
    /// # use std::time::Duration;
    /// let compilation = Compilation::new(Duration::from_millis(1200), ProgramOrigin::Compiled);
    /// assert_eq!(compilation.to_string(), "compiled in 1.20 s (cached: no)");
    /// ```
    pub fn new(took: Duration, origin: ProgramOrigin) -> Self {
        Self { took, origin }
    }
}

impl fmt::Display for Compilation {
    /// `compiled in 1.2 s (cached: no)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.origin.is_cached() { "loaded" } else { "compiled" };
        write!(f, "{verb} in {} (cached: {})", crate::time::for_people(self.took), self.origin)
    }
}
