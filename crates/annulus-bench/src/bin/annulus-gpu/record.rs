//! What has ended, a line of JSON each, on disk before anything else begins.

use std::{
    collections::{BTreeMap, BTreeSet},
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
    key: Option<Key>,
    /// What is recorded and did not pass counts as not recorded.
    again_failed: bool,
}

/// What a result is one of: lines with another key are other runs'.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// `full`, `quick` or `rehearse`.
    pub(crate) length: &'static str,
    /// Annulus's version, with its commit if that is known.
    pub(crate) version: String,
    /// The device's name, and where it is.
    pub(crate) gpu: String,
}

impl Key {
    fn words(&self) -> [(&'static str, &str); 3] {
        [("length", self.length), ("version", &self.version), ("gpu", &self.gpu)]
    }
}

/// How a step ended, and how long it took.
pub(crate) struct Ended<'a> {
    pub(crate) outcome: &'a str,
    pub(crate) seconds: f64,
    pub(crate) why: Option<&'a str>,
}

/// The outcome of a step that was ended because the time for all of them was up: it is run again.
pub(crate) const CUT: &str = "cut";

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
        Ok(Self { folder: folder.to_owned(), file, log, lines, key: None, again_failed: false })
    }

    /// From now on what did not pass is to be run again.
    pub(crate) fn forgive(&mut self) {
        self.again_failed = true;
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where programs print.
    pub(crate) fn log(&mut self) -> &mut File {
        &mut self.log
    }

    /// From now on lines have this key.
    pub(crate) fn set_key(&mut self, key: Key) {
        self.key = Some(key);
    }

    /// The lines with this run's key; where there is no device, the last line, which says why.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = &Value> + Clone {
        let last = self.lines.len().wrapping_sub(1);
        self.lines.iter().enumerate().filter_map(move |(index, line)| {
            let is_shown = if self.key.is_some() { self.is_own(line) } else { index == last };
            is_shown.then_some(line)
        })
    }

    /// How many lines are other runs': of another length, version or device.
    pub(crate) fn others(&self) -> usize {
        self.lines.len() - self.lines().count()
    }

    fn is_own(&self, line: &Value) -> bool {
        self.key.as_ref().is_some_and(|key| key.words().iter().all(|(name, word)| line[*name] == *word))
    }

    /// Adds a line, and sees that it is on disk.
    pub(crate) fn add(&mut self, mut line: Value) -> Result<(), Failure> {
        for (name, word) in self.key.iter().flat_map(Key::words) {
            line[name] = word.into();
        }
        writeln!(self.file, "{line}")?;
        self.file.sync_data()?;
        self.lines.push(line);
        Ok(())
    }

    /// The lines with this run's key that nothing has replaced: of a case the last one, and of a step what came
    /// after the end before its last one. Those of an attempt that was cut off stay.
    pub(crate) fn current(&self) -> Vec<&Value> {
        let mut cases = BTreeSet::new();
        let mut ends: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        let mut lines: Vec<&Value> = self.lines().rev().collect();
        lines.retain(|&line| {
            let word = |name: &str| line[name].as_str();
            let kind = word("record");
            match (word("suite"), word("step"), word("case")) {
                (Some(suite), _, Some(case)) if kind == Some("case") => cases.insert((suite, case)),
                (Some(suite), Some(step), _) => {
                    let later = ends.entry((suite, step)).or_default();
                    *later += u32::from(kind == Some("step") && word("outcome") != Some(CUT));
                    *later < 2
                }
                _ => true,
            }
        });
        lines.reverse();
        lines
    }

    /// Whether a step was recorded, came to its end, and is not to be run again.
    pub(crate) fn has_step(&self, suite: &str, step: &str) -> bool {
        self.has(|line| {
            line["record"] == "step"
                && line["suite"] == suite
                && line["step"] == step
                && line["outcome"] != CUT
        })
    }

    /// Whether a case of a suite was recorded, and is not to be run again.
    pub(crate) fn has_case(&self, suite: &str, case: &str) -> bool {
        self.has(|line| line["record"] == "case" && line["suite"] == suite && line["case"] == case)
    }

    /// The last such line counts.
    fn has(&self, is_such: impl Fn(&Value) -> bool) -> bool {
        let last = self.lines().rev().find(|line| is_such(line));
        last.is_some_and(|line| !self.again_failed || is_good(&line["outcome"]))
    }

    /// Whether nothing of these suites went wrong in a run with this key, the last time that it was run. A case
    /// that says that it needs more than the device has is told in the report; a suite that finds no device
    /// fails.
    pub(crate) fn is_clean(&self, suites: &[&str]) -> bool {
        let is_asked = |line: &&Value| line["suite"].as_str().is_some_and(|suite| suites.contains(&suite));
        self.current().into_iter().filter(is_asked).all(|line| is_good(&line["outcome"]))
    }

    /// Adds a step, with what `nvidia-smi` said before and after it.
    pub(crate) fn add_step(
        &mut self,
        suite: &str,
        step: &str,
        ended: &Ended<'_>,
        around: [Value; 2],
    ) -> Result<(), Failure> {
        let seconds = (ended.seconds * 100.0).round() / 100.0;
        let [before, after] = around;
        self.add(json!({
            "record": "step", "suite": suite, "step": step, "outcome": ended.outcome, "seconds": seconds, "why": ended.why,
            "gpu_before": before, "gpu_after": after,
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

/// Whether nothing went wrong there. A line without an outcome tells of none.
fn is_good(outcome: &Value) -> bool {
    outcome.as_str().is_none_or(|word| ["passed", "skipped", CUT].contains(&word))
}
