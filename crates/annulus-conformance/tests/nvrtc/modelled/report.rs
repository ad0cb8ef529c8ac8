//! The model's figures, beside their marks: as the page's tables, and as lines of JSON.

use std::fmt::Write;

use super::{HOPPER, Modelled, Parts, Text};

/// One figure of a text.
struct Figure {
    what: &'static str,
    unit: &'static str,
    mark: Option<(&'static str, f64)>,
    value: fn(&Modelled) -> Option<f64>,
}

const FIGURES: [Figure; 8] = [
    Figure {
        what: "round trip, p50",
        unit: "µs",
        mark: Some(("at most", 2.2)),
        value: |of| Some(of.round_trips.percentile(50)),
    },
    Figure {
        what: "round trip, p99",
        unit: "µs",
        mark: None,
        value: |of| Some(of.round_trips.percentile(99)),
    },
    Figure {
        what: "stream of 64-byte lines, 1 block",
        unit: "million/s",
        mark: None,
        value: |of| Some(of.flow.of(1)),
    },
    Figure {
        what: "stream of 64-byte lines, 16 blocks",
        unit: "million/s",
        mark: Some(("at least", 150.0)),
        value: |of| Some(of.flow.of(16)),
    },
    Figure {
        what: "the same, if only the bus limits it",
        unit: "million/s",
        mark: None,
        value: |of| Some(of.flow.bus),
    },
    Figure {
        what: "stream of 64-byte lines, 1 block, one a turn",
        unit: "thousand/s",
        mark: None,
        value: |of| Some(of.singles.of(1) * 1e3),
    },
    Figure {
        what: "stream of 16-byte messages to one actor, 64 a turn",
        unit: "million/s",
        mark: Some(("at least", 10.0)),
        value: |of| Some(of.serial.of(1)),
    },
    Figure {
        what: "hop between kernels, p50",
        unit: "µs",
        mark: Some(("at most", 0.8)),
        value: |of| of.hops.as_ref().map(|hops| hops.percentile(50)),
    },
];

impl Figure {
    /// Whether a value reaches the mark.
    fn is_met(&self, value: f64) -> Option<bool> {
        self.mark.map(|(side, mark)| if side == "at most" { value <= mark } else { value >= mark })
    }
}

fn row(out: &mut String, cells: &[String]) {
    writeln!(out, "| {} |", cells.join(" | ")).expect("a string");
}

fn head(out: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    row(out, &cells);
    row(out, &vec!["---".to_owned(); cells.len()]);
}

/// The tables of the page.
pub(crate) fn tables(all: &[Modelled]) -> String {
    let mut out = String::new();
    let (here, others): (Vec<&Modelled>, Vec<&Modelled>) =
        all.iter().partition(|of| of.architecture == HOPPER.0);
    figures(&mut out, &here, |of| of.text.name().to_owned());
    out.push('\n');
    parts(&mut out, &here);
    out.push('\n');
    let mut each: Vec<&Modelled> =
        here.into_iter().filter(|of| of.text == Text::Today).chain(others).collect();
    each.sort_by_key(|of| of.architecture);
    figures(&mut out, &each, |of| format!("sm_{}", of.architecture));
    out
}

/// The figures and their marks, with a column for each.
fn figures(out: &mut String, all: &[&Modelled], name: impl Fn(&Modelled) -> String) {
    let first = ["modelled, not measured", "unit", "mark"].map(String::from);
    head(out, first.into_iter().chain(all.iter().map(|of| name(of))));
    for figure in &FIGURES {
        let mark = figure.mark.map_or(String::new(), |(side, mark)| format!("{side} {mark}"));
        let values = all.iter().map(|of| {
            let Some(value) = (figure.value)(of) else { return "–".to_owned() };
            let verdict = match figure.is_met(value) {
                Some(true) => ", reached",
                Some(false) => ", missed",
                None => "",
            };
            format!("{value:.*}{verdict}", if figure.unit == "µs" { 2 } else { 1 })
        });
        let cells: Vec<String> =
            [figure.what.to_owned(), figure.unit.to_owned(), mark].into_iter().chain(values).collect();
        row(out, &cells);
    }
}

/// What each way consists of.
fn parts(out: &mut String, all: &[&Modelled]) {
    let mut columns: Vec<(String, Parts)> = Vec::new();
    for of in all {
        columns.push((format!("round trip, {}", of.text.name()), of.round_trips.parts));
    }
    for of in all {
        columns.push((format!("turn of {:.0} lines, {}", of.flow.taken, of.text.name()), of.flow.parts));
    }
    for of in all {
        columns.push((
            format!("turn of {:.0} messages to one actor, {}", of.serial.taken, of.text.name()),
            of.serial.parts,
        ));
    }
    for of in all {
        columns.extend(of.hops.as_ref().map(|hops| (format!("hop, {}", of.text.name()), hops.parts)));
    }
    let first = std::iter::once("modelled µs, on average".to_owned());
    head(out, first.chain(columns.iter().map(|(name, _)| name.clone())));
    for index in 0..columns[0].1.named().len() {
        let cells = columns.iter().map(|(_, parts)| format!("{:.2}", parts.named()[index].1));
        let cells: Vec<String> =
            [columns[0].1.named()[index].0.to_owned()].into_iter().chain(cells).collect();
        row(out, &cells);
    }
    let sums = columns
        .iter()
        .map(|(_, parts)| format!("{:.2}", parts.named().iter().map(|part| part.1).sum::<f64>()));
    let cells: Vec<String> = ["all of it".to_owned()].into_iter().chain(sums).collect();
    row(out, &cells);
}

/// The same as lines of JSON, each of which says that it is modelled.
#[cfg_attr(test, allow(dead_code))] // The command prints it.
pub(crate) fn json(all: &[Modelled]) -> String {
    let mut out = String::new();
    for of in all {
        let text = format!(r#""text":"{}","architecture":"sm_{}""#, of.text.name(), of.architecture);
        for figure in &FIGURES {
            let Some(value) = (figure.value)(of) else { continue };
            let mark = figure.mark.map_or("null".to_owned(), |(_, mark)| mark.to_string());
            let met = figure.is_met(value).map_or("null".to_owned(), |met| met.to_string());
            let what = format!(r#""what":"{}",{text},"unit":"{}""#, figure.what, figure.unit);
            writeln!(out, r#"{{"modelled":true,{what},"value":{value:.4},"mark":{mark},"met":{met}}}"#)
                .expect("a string");
        }
        let parts = [
            ("round trip", Some(of.round_trips.parts)),
            ("turn", Some(of.flow.parts)),
            ("hop", of.hops.as_ref().map(|hops| hops.parts)),
        ];
        for (what, parts) in parts {
            let Some(parts) = parts else { continue };
            for (part, micros) in parts.named() {
                let what = format!(r#""what":"{what}: {part}",{text},"unit":"µs""#);
                writeln!(out, r#"{{"modelled":true,{what},"value":{micros:.4}}}"#).expect("a string");
            }
        }
    }
    out
}
