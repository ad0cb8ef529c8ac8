//! The record, for people.

use std::{collections::BTreeMap, fmt::Write as _, fs};

use serde_json::Value;

use crate::{Failure, record::Record};

/// The file's name.
pub(crate) const NAME: &str = "report.txt";

/// Writes it anew.
pub(crate) fn write(record: &Record) -> Result<(), Failure> {
    let path = record.folder().join(NAME);
    fs::write(&path, text(record.lines())).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(())
}

fn text(lines: &[Value]) -> String {
    let mut out = String::from("Annulus on an NVIDIA GPU\n");
    let of = |kind: &'static str| lines.iter().filter(move |line| line["record"] == kind);
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // The last run's: earlier ones were of the same folder, and should be of the same machine.
    match of("machine").next_back() {
        None => out.push_str("\nNo device ran a kernel.\n"),
        Some(machine) => {
            let device = &machine["device"];
            let _ = writeln!(out, "\ndevice:    {}", word(&device["device"]));
            for note in device["notes"].as_array().into_iter().flatten() {
                let _ = writeln!(out, "           {}", word(note));
            }
            for (name, value) in device["nvidia_smi"].as_object().into_iter().flatten() {
                let _ = writeln!(out, "           {name}: {}", word(value));
            }
            let _ =
                writeln!(out, "processor: {}, {} threads", word(&machine["processor"]), machine["threads"]);
        }
    }
    out.push_str("\nSteps\n");
    for step in of("step") {
        let (suite, name) = (word(&step["suite"]), word(&step["step"]));
        let seconds = step["seconds"].as_f64().unwrap_or(0.0);
        let _ = writeln!(out, "{:<8} {seconds:>7.1} s  {suite}: {name}", word(&step["outcome"]));
        if let Some(why) = step["why"].as_str() {
            let _ = writeln!(out, "                    {why}");
        }
    }
    let mut suites: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for case in of("case") {
        *suites.entry(word(&case["suite"])).or_default().entry(word(&case["outcome"])).or_default() += 1;
    }
    for (suite, outcomes) in &suites {
        let counts: Vec<_> = outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        let _ = writeln!(out, "\nCases of {suite}: {}", counts.join(", "));
        for case in of("case").filter(|case| word(&case["suite"]) == *suite && case["outcome"] != "passed") {
            let _ = writeln!(out, "{:<8} {}", word(&case["outcome"]), word(&case["case"]));
            let _ = writeln!(out, "         {}", case["why"].as_str().unwrap_or(""));
        }
    }
    let mut of_case = String::new();
    for figure in of("figure") {
        let case = format!("{}: {}", word(&figure["step"]), word(&figure["case"]));
        if case != of_case {
            let _ = writeln!(out, "\n{case} ({})", word(&figure["unit"]));
            of_case = case;
        }
        let number = |name: &str| figure[name].as_f64().unwrap_or(f64::NAN);
        let _ = write!(
            out,
            "  {:<36} {:>12.3}  ({:.3} to {:.3}, {} runs)",
            word(&figure["candidate"]),
            number("median"),
            number("min"),
            number("max"),
            figure["runs"]
        );
        match figure["limit_ratio"].as_f64() {
            Some(ratio) => out.push_str(&format!("  {ratio:.2} x limit\n")),
            None => out.push('\n'),
        }
    }
    out
}
