//! Values of flags that `--help` and completions list.

use std::{ffi::OsStr, str::FromStr};

use annulus::{Backend, RegisteredKernel, kernel::Target};
use clap::{
    Arg, Command,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    error::ErrorKind,
};

/// Backends by name.
pub(crate) fn backend() -> impl TypedValueParser<Value = Backend> {
    backends(|_| true)
}

/// Those that handle messages.
pub(crate) fn handling_backend() -> impl TypedValueParser<Value = Backend> {
    backends(|backend| backend != Backend::Noop)
}

fn backends(wanted: fn(Backend) -> bool) -> impl TypedValueParser<Value = Backend> {
    let explained = |(name, backend): (&'static str, Backend)| {
        PossibleValue::new(name).help(match backend {
            Backend::Auto => "The best that every machine has: today the CPU",
            Backend::Cpu => "The processor's cores",
            Backend::Cuda => "The first CUDA device",
            Backend::Metal => "The first Metal device, on Apple's systems",
            Backend::OpenCl => "The first OpenCL device",
            Backend::Noop => "Takes every message and handles none",
        })
    };
    let wanted = Backend::ALL.into_iter().filter(|(_, backend)| wanted(*backend));
    PossibleValuesParser::new(wanted.map(explained)).try_map(|name| name.parse::<Backend>())
}

/// Dialects by name.
pub(crate) fn target() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::ALL.map(|target| PossibleValue::new(target.name())))
        .try_map(|name| name.parse::<Target>())
}

/// The kernels of this program: by name, or by `module::name`, where `module` may be only the end of the
/// path.
pub(crate) fn kernel() -> impl TypedValueParser<Value = &'static RegisteredKernel> {
    Kernels
}

/// A whole number of some kind: what it may be is said where it is wrong, also of numbers that the type does not hold.
pub(crate) fn whole<T: FromStr>(
    what: &'static str,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| text.parse().map_err(|_| format!("write {what}"))
}

/// The number of a process.
pub(crate) fn pid(text: &str) -> Result<u32, String> {
    whole("the number of a process, as `annulus top` shows it")(text)
}

#[derive(Clone)]
struct Kernels;

impl TypedValueParser for Kernels {
    type Value = &'static RegisteredKernel;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        name: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        RegisteredKernel::find(&name.to_string_lossy()).map_err(|error| {
            clap::Error::raw(ErrorKind::InvalidValue, format!("{error}\n")).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let all = RegisteredKernel::all();
        let names: Vec<_> = all.iter().map(|kernel| kernel.definition().name).collect();
        let listed = move |kernel: &&RegisteredKernel| {
            let name = kernel.definition().name;
            match names.iter().filter(|other| **other == name).count() {
                1 => PossibleValue::new(name),
                _ => PossibleValue::new(kernel.path()),
            }
        };
        Some(Box::new(all.iter().map(listed).collect::<Vec<_>>().into_iter()))
    }
}
