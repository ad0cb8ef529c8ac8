//! The record, for people.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt::Write as _,
    fs,
};

use serde_json::Value;

use crate::{Failure, record::Record};

/// The file's name.
pub(crate) const NAME: &str = "report.txt";

/// Writes it anew.
pub(crate) fn write(record: &Record) -> Result<(), Failure> {
    let path = record.folder().join(NAME);
    fs::write(&path, text(record)).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(())
}

fn text(record: &Record) -> String {
    let mut out = String::from("Annulus on an NVIDIA GPU\n");
    let current = record.current();
    let of = |kind: &'static str| current.iter().copied().filter(move |line| line["record"] == kind);
    // The last run's.
    match of("machine").next_back() {
        None => out.push_str("\nNo device ran a kernel.\n"),
        Some(machine) => {
            let device = &machine["device"];
            let _ = writeln!(out, "\ndevice:    {}", word(&device["device"]));
            for note in device["notes"].as_array().into_iter().flatten() {
                let _ = writeln!(out, "           {}", word(note));
            }
            if let Some(nvrtc) = device["nvrtc"].as_str() {
                let _ = writeln!(out, "           NVRTC {nvrtc}");
            }
            for (name, value) in machine["nvidia_smi"].as_object().into_iter().flatten() {
                let _ = writeln!(out, "           {name}: {}", word(value));
            }
            let _ =
                writeln!(out, "processor: {}, {} threads", word(&machine["processor"]), machine["threads"]);
            let _ =
                writeln!(out, "Annulus:   {}, runs: {}", word(&machine["version"]), word(&machine["length"]));
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
        if let Some(gpu) = step["gpu_after"].as_object() {
            let words: Vec<_> = gpu.iter().map(|(name, value)| format!("{name} {}", word(value))).collect();
            let _ = writeln!(out, "                    afterwards: {}", words.join(", "));
        }
    }
    let limit = record.lines().next_back().filter(|line| line["record"] == "limit");
    for step in limit.and_then(|limit| limit["not_reached"].as_array()).into_iter().flatten() {
        let _ = writeln!(out, "not reached         {}", word(step));
    }
    marks(&mut out, of("mark").collect(), of("failure").collect());
    if record.others() != 0 {
        let _ = writeln!(
            out,
            "\n{} lines of results.jsonl are other runs': of another length, version or device.",
            record.others()
        );
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
    for figure in last(of("figure").collect()) {
        let case = format!("{}: {}", place(figure), word(&figure["case"]));
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

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Which step of which suite a line is of.
fn place(line: &Value) -> String {
    let (suite, step) = (word(&line["suite"]), word(&line["step"]));
    if suite == step { suite } else { format!("{suite}: {step}") }
}

/// Of lines about the same, the last: a step that was cut off began anew.
fn last(lines: Vec<&Value>) -> Vec<&Value> {
    let subject = |line: &Value| ["suite", "step", "case", "candidate"].map(|name| word(&line[name]));
    let mut places = BTreeMap::new();
    let mut kept: Vec<&Value> = Vec::new();
    for line in lines {
        match places.entry(subject(line)) {
            Entry::Occupied(place) => kept[*place.get()] = line,
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(line);
            }
        }
    }
    kept
}

/// What must not be and what failed, then the marks that were missed, then those that were reached.
fn marks(out: &mut String, marks: Vec<&Value>, failures: Vec<&Value>) {
    let marks = last(marks);
    if !marks.is_empty() || !failures.is_empty() {
        out.push_str("\nMarks\n");
    }
    for failure in last(failures) {
        let (case, candidate) = (word(&failure["case"]), word(&failure["candidate"]));
        let _ =
            writeln!(out, "FAILED   {}: {case}: {candidate}: {}", place(failure), word(&failure["failed"]));
    }
    for (verdict, shown) in [("broken", "BROKEN  "), ("missed", "missed  "), ("reached", "reached ")] {
        for mark in marks.iter().filter(|mark| mark["verdict"] == verdict) {
            let _ =
                writeln!(out, "{shown} {}: {}: {}", place(mark), word(&mark["case"]), word(&mark["text"]));
        }
    }
}
