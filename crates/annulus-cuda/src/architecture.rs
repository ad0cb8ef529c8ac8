//! Which machine code a device can run.

use std::{fmt, str::FromStr};

/// A generation of NVIDIA's devices, named by its compute capability: `sm_90` is 9.0. Machine code runs on
/// devices with the same major number and the same or a higher minor number.
///
/// ```
/// use annulus_cuda::Architecture;
/// let hopper: Architecture = "sm_90".parse()?;
/// assert_eq!(hopper, Architecture::new(9, 0));
/// assert_eq!(hopper.to_string(), "sm_90");
/// assert!(Architecture::new(8, 0).runs_on(Architecture::new(8, 6)));
/// assert!(!Architecture::new(8, 0).runs_on(hopper));
/// # Ok::<(), annulus_cuda::UnknownArchitecture>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Architecture {
    major: u32,
    minor: u32,
}

impl Architecture {
    /// The oldest one that kernels are compiled for. Ordered accesses to the host's memory, on which their correctness rests, begin
    /// with 7.0; but NVIDIA's compiler of CUDA 13, by which every kernel is compiled in tests, makes no code for less than this.
    pub(crate) const OLDEST: Self = Self::new(7, 5);

    /// The architecture of a compute capability.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Whether its machine code runs on a device of this compute capability.
    pub fn runs_on(self, device: Self) -> bool {
        self.major == device.major && self.minor <= device.minor
    }

    /// The major number: the generation.
    pub fn major(self) -> u32 {
        self.major
    }

    /// The minor number, within the generation.
    pub fn minor(self) -> u32 {
        self.minor
    }

    /// Those of `known` whose machine code runs on a device of this architecture; the nearest comes first.
    pub(crate) fn candidates(self, known: &[Self]) -> Vec<Self> {
        let mut fit: Vec<_> = known.iter().copied().filter(|known| known.runs_on(self)).collect();
        fit.sort_unstable_by(|a, b| b.cmp(a));
        fit
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.major, self.minor)
    }
}

impl FromStr for Architecture {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        let number: Option<u32> = name
            .strip_prefix("sm_")
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .filter(|number| (10..10_000).contains(number));
        let number = number.ok_or_else(|| UnknownArchitecture { name: name.into() })?;
        Ok(Self::new(number / 10, number % 10))
    }
}

/// No architecture has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownArchitecture {
    name: String,
}

impl fmt::Display for UnknownArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no architecture: write sm_90 for compute capability 9.0", self.name)
    }
}

impl std::error::Error for UnknownArchitecture {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_older_one_of_the_generation_is_chosen() {
        let known = [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (12, 0)].map(|(a, b)| Architecture::new(a, b));
        let first = |major, minor| Architecture::new(major, minor).candidates(&known).first().copied();
        assert_eq!(first(8, 7), Some(Architecture::new(8, 6)));
        assert_eq!(first(12, 1), Some(Architecture::new(12, 0)));
        assert_eq!(first(7, 0), None, "older than all of its generation");
        assert_eq!(first(10, 0), None, "of a generation that is not known");
        let all: Vec<_> =
            Architecture::new(8, 9).candidates(&known).iter().map(ToString::to_string).collect();
        assert_eq!(all, ["sm_89", "sm_86", "sm_80"]);
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["90", "sm_", "sm_9", "sm_90a", "compute_90", "sm_+90", "sm_99999999999"] {
            let error = name.parse::<Architecture>().unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("write sm_90"), "{error}");
        }
    }
}
