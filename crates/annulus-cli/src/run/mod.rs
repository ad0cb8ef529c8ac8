//! `annulus run JOB`: ready-made jobs that put a ring kernel to work; and the kernels of a topology.

mod alerts;
mod anomalies;
mod batch;
mod csv_input;
mod detect;
mod engine;
mod feed;
mod feeding;
mod in_flight;
mod input_error;
mod kernel_engine;
pub(crate) mod lines;
mod pace;
mod pipeline;
mod progress;
#[cfg(test)]
mod reference;
mod series;
mod source;
mod summary;
pub(crate) mod topology;
mod trial;
mod watch;

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

pub(crate) use engine::LaunchReport;
pub(crate) use trial::{Trial, try_out};

use annulus::{
    Backend, RegisteredKernel,
    kernel::{BindingKind, FieldDescriptor, Meaning, TypeDescriptor, TypeKind, VariantDescriptor},
};
use clap::{Args, Subcommand};

use crate::{failure::Failure, follow::Follow, top::seconds, values};
use topology::Launch;
use watch::Watch;

/// Run a ready-made job on a ring kernel, or the kernels of a topology in TOML
///
/// A topology's kernels are those of this program. Messages are JSON lines on standard input, for the kernel to which
/// no other sends; what kernels send to the host comes out as JSON lines: {"from": KERNEL, "output": {…}}. At the end
/// of the input all of it is drained, sources before their targets. `annulus graph` draws the file.
///
/// SIGINT (Ctrl-C) and SIGTERM end the input: what was read is sent and handled, within --limit from then on, unless the
/// kernels stand still in a cycle. A second one ends the program at once.
///
/// Exit codes: 0 done, also after a signal; 1 the data or the machine is at fault, or messages were left: not sent, or not
/// handled within --limit; 2 the command line is; 130 and 143 a second signal ended it.
#[derive(Args)]
#[command(
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
#[command(subcommand_value_name = "JOB", subcommand_help_heading = "Jobs")]
pub(crate) struct Run {
    /// List the jobs, and the kernels that `annulus send` knows
    #[arg(long)]
    list: bool,

    /// Launch the kernels of this file
    #[arg(value_name = "TOPOLOGY.toml", value_parser = topology::file)]
    topology: Option<PathBuf>,

    /// Send to this kernel of the topology
    #[arg(long, value_name = "NAME", requires = "topology")]
    to: Option<String>,

    /// Where the topology's kernels run
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = values::handling_backend())]
    backend: Backend,

    /// How long the topology's kernels may take to drain at the end, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    limit: Duration,

    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    follow: Follow,

    #[command(subcommand)]
    job: Option<Job>,
}

#[derive(Subcommand)]
enum Job {
    Anomalies(Box<anomalies::Anomalies>),
}

impl Run {
    /// `command` is the whole command line.
    pub(crate) fn execute(self, command: &clap::Command) -> Result<(), Failure> {
        match self.job {
            Some(Job::Anomalies(job)) => job.execute(),
            None => match self.topology {
                Some(file) => {
                    let Self { backend, to, limit, watch, follow, .. } = self;
                    Launch { file, backend, to, limit, watch, follow }.execute()
                }
                None if self.follow.is_asked() => {
                    Err(Failure::Usage("--otlp follows the messages of a topology: name its file".into()))
                }
                None if self.watch.is_asked() => Err(Failure::Usage(
                    "--top, --metrics and --dashboard watch the kernels of a topology: name its file".into(),
                )),
                None => list(command),
            },
        }
    }
}

/// Prints one line per job, its name and what it does; then the kernels that `annulus send` knows.
fn list(command: &clap::Command) -> Result<(), Failure> {
    let jobs = command.find_subcommand("run").into_iter().flat_map(clap::Command::get_subcommands);
    let lines: String = jobs
        .map(|job| format!("  {:<12} {}\n", job.get_name(), job.get_about().cloned().unwrap_or_default()))
        .collect();
    let kernels: String = RegisteredKernel::all().into_iter().map(described).collect();
    let text = format!("Jobs, for `annulus run`:\n{lines}\nKernels, for `annulus send`:\n{kernels}");
    io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
}

/// A kernel's name, what it takes and gives, and where it stands.
fn described(kernel: &RegisteredKernel) -> String {
    let definition = kernel.definition();
    let message = match definition.bridged {
        None => shape(definition.message),
        Some(bridged) => format!("{}, a bridged message: not for `annulus send`", bridged.name),
    };
    let mut text = format!("  {:<12} takes {message}\n", definition.name);
    let mut line = |line: String| text += &format!("  {:<12} {line}\n", "");
    if let Some(output) = definition.output {
        line(format!("sends {}", shape(output)));
    }
    for binding in definition.bindings {
        let values = if binding.kind == BindingKind::Parameter { "" } else { "values of " };
        line(format!("--bind {}=… {values}{}", binding.name, shape(binding.ty)));
    }
    line(format!("{}, {}:{}", kernel.path(), definition.file, definition.line));
    text
}

/// A type with its fields.
pub(crate) fn shape(ty: &TypeDescriptor) -> String {
    if let Some((_, _, item, room)) = ty.bounded() {
        return match ty.meaning {
            Meaning::Text => format!("text of up to {room} bytes"),
            _ => format!("up to {room} of {}", named(item)),
        };
    }
    match ty.kind {
        TypeKind::Struct(fields) => listed(ty.name, fields),
        TypeKind::Enum { variants, .. } => {
            let variant = |variant: &VariantDescriptor| match variant.fields {
                [] => variant.name.to_owned(),
                fields => listed(variant.name, fields),
            };
            format!("{}: {}", ty.name, variants.iter().map(variant).collect::<Vec<_>>().join(" | "))
        }
        TypeKind::Array { element, len } => format!("[{}; {len}]", shape(element)),
        TypeKind::Primitive(_) => ty.name.to_owned(),
    }
}

/// A name with fields, as Rust writes them.
fn listed(name: &str, fields: &[FieldDescriptor]) -> String {
    let is_tuple = fields.first().is_some_and(|field| field.name.starts_with(|c: char| c.is_ascii_digit()));
    let field = |field: &FieldDescriptor| match is_tuple {
        true => named(field.ty),
        false => format!("{}: {}", field.name, named(field.ty)),
    };
    let fields = fields.iter().map(field).collect::<Vec<_>>().join(", ");
    if is_tuple { format!("{name}({fields})") } else { format!("{name} {{ {fields} }}") }
}

/// A type of a field: a struct or an enum by its name, anything else with what it has room for.
fn named(ty: &TypeDescriptor) -> String {
    match ty.kind {
        TypeKind::Enum { variants: [nothing, just], .. }
            if ty.name == "Maybe" && nothing.fields.is_empty() && just.fields.len() == 1 =>
        {
            format!("Maybe<{}>", named(just.fields[0].ty))
        }
        TypeKind::Array { element, len } => format!("[{}; {len}]", named(element)),
        TypeKind::Struct(_) | TypeKind::Enum { .. } if ty.bounded().is_none() => ty.name.to_owned(),
        _ => shape(ty),
    }
}

#[cfg(test)]
mod tests {
    use annulus::prelude::*;

    #[derive(RingMessage, Clone, Copy)]
    #[repr(C)]
    struct Order {
        item: Text<12>,
        tags: List<u16, 4>,
        coupon: Maybe<u32>,
        parts: [Part; 2],
        names: List<Text<3>, 2>,
    }

    #[derive(DeviceType, Clone, Copy)]
    #[repr(u32)]
    #[allow(dead_code)] // Only its layout is looked at.
    enum Part {
        None,
        Some { count: u8 },
        Pair(u8, f32),
    }

    #[test]
    fn fields_are_listed_with_their_room() {
        let shown = "Order { item: text of up to 12 bytes, tags: up to 4 of u16, coupon: Maybe<u32>, parts: [Part; 2], \
                     names: up to 2 of text of up to 3 bytes }";
        assert_eq!(super::shape(Order::DESCRIPTOR), shown);
        assert_eq!(super::shape(Part::DESCRIPTOR), "Part: None | Some { count: u8 } | Pair(u8, f32)");
    }
}
