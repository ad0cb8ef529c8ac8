//! `annulus devices`: what this machine can run kernels on.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use annulus::{Backend, Capabilities, Runtime};
use clap::Args;

use crate::failure::Failure;

/// List the devices of every backend, and how they run kernels
///
/// Where this machine lacks what a backend needs, the backend says what that is.
#[derive(Args)]
pub(crate) struct Devices {
    /// Print JSON instead, one device or missing backend a line
    #[arg(long)]
    json: bool,
}

fn capabilities(can: &Capabilities) -> serde_json::Value {
    serde_json::json!({
        "f64": can.f64,
        "wide_atomics": can.wide_atomics,
        "max_block": can.max_block,
        "shared_memory": can.shared_memory,
        "subgroups": can.subgroups,
        "shared_virtual_memory": can.shared_virtual_memory,
    })
}

impl Devices {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let mut text = String::new();
        for (name, backend) in Backend::ALL.into_iter().filter(|(name, _)| !matches!(*name, "auto" | "noop"))
        {
            match Runtime::builder().backend(backend).build() {
                Ok(runtime) => {
                    for (index, device) in runtime.devices().into_iter().enumerate() {
                        let title = format!(
                            "{index}: {}, {} blocks in parallel",
                            device.name, device.parallel_blocks
                        );
                        let json = serde_json::json!({
                            "backend": name,
                            "index": index,
                            "name": device.name,
                            "parallel_blocks": device.parallel_blocks,
                            "capabilities": capabilities(&device.capabilities),
                            "notes": device.notes,
                        });
                        let notes: Vec<_> =
                            [device.capabilities.to_string()].into_iter().chain(device.notes).collect();
                        self.add(&mut text, name, &title, &notes, &json);
                    }
                }
                Err(error) => {
                    let json = serde_json::json!({ "backend": name, "missing": error.to_string() });
                    self.add(&mut text, name, &error.to_string(), &[], &json);
                }
            }
        }
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }

    fn add(&self, text: &mut String, backend: &str, title: &str, notes: &[String], json: &serde_json::Value) {
        // Writing to a string cannot fail.
        if self.json {
            let _ = writeln!(text, "{json}");
            return;
        }
        let _ = writeln!(text, "{backend:<8} {title}");
        for note in notes {
            let _ = writeln!(text, "{:<8}    {note}", "");
        }
    }
}
