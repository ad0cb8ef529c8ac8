//! Which device a backend uses, and the other decisions that its user makes the same way on every backend.

use std::{path::PathBuf, ptr};

use crate::options::HostOptions;

/// Which of a backend's devices is used.
#[derive(Clone, Debug)]
pub enum Choice {
    /// The one at this index of the list.
    Index(usize),
    /// The first one whose name contains this, ignoring case.
    Named(String),
}

/// A device in a backend's list.
pub trait Listed {
    /// Its name.
    fn name(&self) -> &str;

    /// The platform that it belongs to, if the API has several. [`Choice::Named`] searches it, too.
    fn platform(&self) -> Option<&str> {
        None
    }
}

impl Choice {
    /// The chosen device.
    ///
    /// # Errors
    ///
    /// If there is none: a sentence that names the API and lists the devices.
    pub fn of<'a, D: Listed>(&self, devices: &'a [D], api: &str) -> Result<&'a D, String> {
        let wanted = match self {
            Self::Index(index) => {
                if let Some(device) = devices.get(*index) {
                    return Ok(device);
                }
                format!("has the index {index}")
            }
            Self::Named(part) => {
                let lower = part.to_lowercase();
                let contains = |text: &str| text.to_lowercase().contains(&lower);
                let is_meant =
                    |device: &&D| contains(device.name()) || device.platform().is_some_and(contains);
                if let Some(device) = devices.iter().find(is_meant) {
                    return Ok(device);
                }
                format!("has `{part}` in its name")
            }
        };
        let name = |device: &D| match device.platform() {
            Some(platform) => format!("`{}` of {platform}", device.name()),
            None => format!("`{}`", device.name()),
        };
        let names: Vec<_> = devices.iter().map(name).collect();
        Err(format!("no {api} device {wanted}: there is {}", names.join(", ")))
    }
}

/// All of a backend's devices; the one that it uses comes first.
pub fn used_first<'a, D>(used: &'a D, all: &'a [D]) -> impl Iterator<Item = &'a D> {
    std::iter::once(used).chain(all.iter().filter(move |device| !ptr::eq(*device, used)))
}

/// What the user of a backend decides, whatever API drives it. The methods that
/// [`device_options`](crate::device_options) makes set it.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// Which device is used.
    pub choice: Choice,
    /// The folder in which programs are kept; `None` if they are not kept.
    pub cache: Option<PathBuf>,
    /// Options of the host's side of a device.
    pub host: HostOptions,
}

impl DeviceOptions {
    /// The first device, and the backend's folder in the user's cache directory.
    pub fn new(backend: &str, host: HostOptions) -> Self {
        Self { choice: Choice::Index(0), cache: crate::default_directory(backend), host }
    }
}

/// The builder methods that all backends have in common, for a builder whose field `options` is a
/// [`DeviceOptions`]. The texts complete their documentation.
#[macro_export]
macro_rules! device_options {
    (
        index: $index:literal,
        named: $named:literal,
        threads: $threads:literal,
        cache: $cache:literal,
        uncached: $uncached:literal $(,)?
    ) => {
        #[doc = concat!("The device at this place of `annulus devices`' list.", $index)]
        pub fn device_index(mut self, index: usize) -> Self {
            self.options.choice = $crate::Choice::Index(index);
            self
        }

        #[doc = concat!("The first device whose ", $named, " contains this, upper or lower case.")]
        pub fn device_named(mut self, part: impl Into<String>) -> Self {
            self.options.choice = $crate::Choice::Named(part.into());
            self
        }

        #[doc = concat!("Threads of a block, for launches that leave `LaunchOptions::block` at 1. ", $threads)]
        pub fn threads_per_block(mut self, threads: u32) -> Self {
            self.options.host.threads = threads.max(1);
            self
        }

        /// Runs kernels in bounded epochs even where they could stay.
        pub fn force_epochs(mut self) -> Self {
            self.options.host.epochs = true;
            self
        }

        #[doc = concat!(
            "Where compiled programs are kept. By default `annulus/", $cache, "` in the user's cache directory. ",
            "A directory in which others may write is not used, which is said once."
        )]
        pub fn cache_directory(mut self, directory: impl AsRef<std::path::Path>) -> Self {
            self.options.cache = Some(directory.as_ref().into());
            self
        }

        #[doc = concat!("Keeps no compiled program on disk, and takes none from there", $uncached, ".")]
        pub fn without_cache(mut self) -> Self {
            self.options.cache = None;
            self
        }

        /// Where the C of a kernel's handler comes from: for tests of the device runtime.
        #[doc(hidden)]
        pub fn handlers(mut self, handler: $crate::HandlerText) -> Self {
            self.options.host.handler = Some(handler);
            self
        }

        /// For tests of what happens then.
        #[doc(hidden)]
        pub fn faults(mut self, faults: $crate::Faults) -> Self {
            self.options.host.faults = faults;
            self
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Device(&'static str, Option<&'static str>);

    impl Listed for Device {
        fn name(&self) -> &str {
            self.0
        }

        fn platform(&self) -> Option<&str> {
            self.1
        }
    }

    #[test]
    fn a_device_is_chosen_by_its_place_its_name_or_its_platform() {
        let devices = [Device("Small", Some("Vendor A")), Device("Large", Some("Vendor B"))];
        let chosen = |choice: Choice| choice.of(&devices, "Test").map(|device| device.0);
        assert_eq!(chosen(Choice::Index(1)), Ok("Large"));
        assert_eq!(chosen(Choice::Named("LARG".into())), Ok("Large"));
        assert_eq!(chosen(Choice::Named("vendor".into())), Ok("Small"));
        assert_eq!(
            chosen(Choice::Index(2)).unwrap_err(),
            "no Test device has the index 2: there is `Small` of Vendor A, `Large` of Vendor B"
        );
        let plain = [Device("Small", None)];
        let missing = Choice::Named("b".into()).of(&plain, "Test").map(|device| device.0);
        assert_eq!(missing.unwrap_err(), "no Test device has `b` in its name: there is `Small`");
    }

    #[test]
    fn the_device_in_use_comes_first() {
        let devices = [Device("a", None), Device("b", None), Device("c", None)];
        let names: Vec<_> = used_first(&devices[1], &devices).map(|device| device.0).collect();
        assert_eq!(names, ["b", "a", "c"]);
    }
}
