//! The report: a table for people, or JSON lines for programs.

use std::io::{self, Write};

use serde::Serialize;

use crate::{
    harness::{Better, Measured, Outcome},
    machine,
    suite::Suite,
};

/// Where results go.
pub(crate) struct Report<W> {
    out: W,
    json: bool,
}

impl<W: Write> Report<W> {
    pub(crate) fn new(out: W, json: bool) -> Self {
        Self { out, json }
    }

    /// Machine, method and doubts.
    pub(crate) fn header(&mut self, backend: &str, rounds: usize, quick: bool) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        let out = &mut self.out;
        writeln!(out, "Machine: {}; backend: {backend}", machine::describe())?;
        let length = if quick { ", short runs (--quick)" } else { "" };
        writeln!(
            out,
            "Method:  {rounds} rounds{length}; each runs every candidate of a case once, beginning with another one; a run"
        )?;
        writeln!(
            out,
            "         launches its kernel or makes its queue anew, and fails unless all that was sent arrived. Figures are medians"
        )?;
        writeln!(
            out,
            "         of the rounds with their extremes; ratios are taken inside rounds. A clock read is subtracted from"
        )?;
        writeln!(out, "         each sample.")?;
        for (index, doubt) in machine::doubts().iter().enumerate() {
            writeln!(out, "{} {doubt}", if index == 0 { "Doubts: " } else { "        " })?;
        }
        Ok(())
    }

    pub(crate) fn suite(&mut self, suite: &Suite) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        writeln!(self.out, "\n# {}: {}\n\n{}", suite.name, suite.about, suite.method)
    }

    pub(crate) fn case(&mut self, measured: &Measured) -> io::Result<()> {
        if self.json {
            measured.lines.iter().try_for_each(|line| self.json_line(line))?;
            measured.verdicts.iter().try_for_each(|verdict| self.json_line(verdict))?;
            return measured.failures.iter().try_for_each(|failed| self.json_line(failed));
        }
        let out = &mut self.out;
        let better = match measured.better {
            Better::Lower => "lower is better",
            Better::Higher => "higher is better",
        };
        let unit = measured.lines.first().map_or("", |line| line.unit);
        writeln!(out, "\n## {} ({unit}, {better})", measured.name)?;
        writeln!(out, "{:<30} {:>8} {:>10} {:>10} {:>10}  × limit", "candidate", "", "median", "min", "max")?;
        for line in &measured.lines {
            let metric = line.case.strip_prefix(&measured.name).unwrap_or("").trim();
            let ratio = line.limit_ratio.map(|ratio| format!("{ratio:7.2}")).unwrap_or_default();
            writeln!(
                out,
                "{:<30} {metric:>8} {:>10} {:>10} {:>10}  {ratio}",
                line.candidate,
                figure(line.median),
                figure(line.min),
                figure(line.max)
            )?;
        }
        for verdict in &measured.verdicts {
            let word = match verdict.verdict {
                Outcome::Reached => "reached:",
                Outcome::Missed => "MISSED: ",
                Outcome::Broken => "BROKEN: ",
            };
            writeln!(out, "{word} {}", verdict.text)?;
        }
        for failed in &measured.failures {
            writeln!(out, "FAILED:  {}: {}", failed.candidate, failed.failed)?;
        }
        out.flush()
    }

    fn json_line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        writeln!(self.out)?;
        self.out.flush()
    }
}
/// With as many decimals as a small value needs.
fn figure(value: f64) -> String {
    let decimals = if value.abs() < 1.0 { 3 } else { 1 };
    format!("{value:.decimals$}")
}
