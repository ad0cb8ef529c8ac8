//! What `nvidia-smi` says of the GPU: its driver and settings once, its clocks and power between steps.

use std::{process::Command, time::Duration};

use serde_json::{Map, Value};

use crate::process::{End, Limit, run};

/// What is asked once.
const MACHINE: &str = "name,driver_version,vbios_version,pci.bus_id,pcie.link.gen.current,pcie.link.width.current,clocks.sm,\
     clocks.mem,clocks.max.sm,power.draw,temperature.gpu,compute_mode,mig.mode.current,persistence_mode,memory.total";
/// What is asked before and after each step.
const STEP: &str = "pstate,clocks.sm,clocks.mem,power.draw,temperature.gpu";
/// It takes a second where the driver has to wake up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The GPU at this address of the bus, as long as `nvidia-smi` answers: after an answer that did not come it
/// is not asked again.
pub(crate) struct Smi {
    bus: Option<String>,
}

impl Smi {
    pub(crate) fn new(bus: Option<&str>) -> Self {
        Self { bus: bus.map(str::to_owned) }
    }

    pub(crate) fn machine(&mut self) -> Value {
        self.ask(MACHINE)
    }

    pub(crate) fn step(&mut self) -> Value {
        self.ask(STEP)
    }

    /// The answers, by question; null if there are none.
    fn ask(&mut self, questions: &str) -> Value {
        let Some(bus) = &self.bus else { return Value::Null };
        let mut command = Command::new("nvidia-smi");
        command.args([&format!("--id={bus}"), "--format=csv,noheader", &format!("--query-gpu={questions}")]);
        match run(command, Limit::of(PATIENCE), None) {
            Ok(ran) if ran.end == End::Exited(0) => answers(questions, &ran.output),
            _ => {
                self.bus = None;
                Value::Null
            }
        }
    }
}

fn answers(questions: &str, output: &str) -> Value {
    let Some(line) = output.lines().next() else { return Value::Null };
    let answers = line.split(',').map(|answer| Value::from(answer.trim()));
    Value::Object(questions.split(',').map(str::to_owned).zip(answers).collect::<Map<_, _>>())
}
