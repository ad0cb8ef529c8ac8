//! What has ended, a line of JSON each, on disk before anything else begins.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::Failure;

const RESULTS: &str = "results.jsonl";
const LOG: &str = "log.txt";

/// The record in a folder.
pub(crate) struct Record {
    folder: PathBuf,
    file: File,
    log: File,
    lines: Vec<Value>,
}

impl Record {
    /// The one that is in the folder, or a new one.
    pub(crate) fn open(folder: &Path, anew: bool) -> Result<Self, Failure> {
        let failed = |what: &Path| {
            let what = what.display().to_string();
            move |error: std::io::Error| format!("{what}: {error}")
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let (results, log) = (folder.join(RESULTS), folder.join(LOG));
        if anew {
            for path in [&results, &log] {
                match fs::remove_file(path) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(failed(path)(error).into());
                    }
                    _ => {}
                }
            }
        }
        let text = match fs::read_to_string(&results) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(failed(&results))?,
        };
        // A line that was cut off when the machine went is as if it were not there.
        let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let open =
            |path: &Path| OpenOptions::new().create(true).append(true).open(path).map_err(failed(path));
        let (mut file, log) = (open(&results)?, open(&log)?);
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file)?;
        }
        Ok(Self { folder: folder.to_owned(), file, log, lines })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where programs print.
    pub(crate) fn log(&mut self) -> &mut File {
        &mut self.log
    }

    pub(crate) fn lines(&self) -> &[Value] {
        &self.lines
    }

    /// Adds a line, and sees that it is on disk.
    pub(crate) fn add(&mut self, line: Value) -> Result<(), Failure> {
        writeln!(self.file, "{line}")?;
        self.file.sync_data()?;
        self.lines.push(line);
        Ok(())
    }

    /// Whether a step was recorded.
    pub(crate) fn has_step(&self, suite: &str, step: &str) -> bool {
        self.lines
            .iter()
            .any(|line| line["record"] == "step" && line["suite"] == suite && line["step"] == step)
    }

    /// Whether a case of a suite was recorded.
    pub(crate) fn has_case(&self, suite: &str, case: &str) -> bool {
        self.lines
            .iter()
            .any(|line| line["record"] == "case" && line["suite"] == suite && line["case"] == case)
    }

    /// Whether nothing that was recorded went wrong. A case that says that it needs more than the device has
    /// is told in the report; a suite that finds no device fails.
    pub(crate) fn is_clean(&self) -> bool {
        let is_good = |outcome: &Value| outcome.is_null() || outcome == "passed" || outcome == "skipped";
        self.lines.iter().all(|line| is_good(&line["outcome"]))
    }

    pub(crate) fn add_step(
        &mut self,
        suite: &str,
        step: &str,
        outcome: &str,
        seconds: f64,
        why: Option<&str>,
    ) -> Result<(), Failure> {
        let seconds = (seconds * 100.0).round() / 100.0;
        self.add(json!({
            "record": "step", "suite": suite, "step": step, "outcome": outcome, "seconds": seconds, "why": why,
        }))
    }

    pub(crate) fn add_case(
        &mut self,
        suite: &str,
        case: &str,
        outcome: &str,
        why: Option<&str>,
    ) -> Result<(), Failure> {
        self.add(json!({ "record": "case", "suite": suite, "case": case, "outcome": outcome, "why": why }))
    }
}
