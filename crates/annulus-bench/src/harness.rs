//! Cases, candidates, and the rounds in which they take turns.
//!
//! A machine's speed drifts: other programs, clock rates, the host of a virtual machine. Candidates that are
//! measured one after the other see different machines. So every round runs every candidate of a case once,
//! each round beginning with another one, and a ratio is taken inside a round before the median is taken over
//! the rounds.

use std::{
    any::Any,
    error::Error,
    panic::{AssertUnwindSafe, catch_unwind},
};

use serde::Serialize;

/// Why a run has no result: a check failed, or the kernel refused something.
pub(crate) type Failure = Box<dyn Error>;

/// What one run of a candidate found: a value for each of its case's metrics, in their order.
pub(crate) type Run = Result<Vec<f64>, Failure>;

/// Which values are good.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    Lower,
    Higher,
}

/// Something that is measured. Ours are named `annulus…`, bare limits of the hardware `limit…`.
pub(crate) struct Candidate {
    pub(crate) name: &'static str,
    pub(crate) run: Box<dyn FnMut() -> Run>,
    /// It is run in the first round only: it takes as long as it is given, and looks for what must not be.
    pub(crate) once: bool,
}

impl Candidate {
    pub(crate) fn new(name: &'static str, run: impl FnMut() -> Run + 'static) -> Self {
        Self { name, run: Box::new(run), once: false }
    }

    pub(crate) fn once(name: &'static str, run: impl FnMut() -> Run + 'static) -> Self {
        Self { once: true, ..Self::new(name, run) }
    }
}

/// Candidates that are measured in the same rounds, because they are compared.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    pub(crate) better: Better,
    /// What each run gives, for example `p50` and `p99`. A single one may be empty.
    pub(crate) metrics: &'static [&'static str],
    /// The candidate that the others are divided by.
    pub(crate) limit: Option<&'static str>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) marks: Vec<Mark>,
}

/// What a candidate must reach.
pub(crate) struct Mark {
    pub(crate) candidate: &'static str,
    /// In which of its case's metrics.
    pub(crate) metric: &'static str,
    pub(crate) goal: Goal,
}

/// The goal of a mark.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// At most so many times the case's limit.
    TimesLimit(f64),
    /// At least so many times the case's limit.
    TimesLimitAtLeast(f64),
    /// At most so many times the best of these candidates: the one with the lowest median.
    TimesBest(f64, &'static [&'static str]),
    /// At most the case's limit and so much.
    LimitPlus(f64),
    AtMost(f64),
    AtLeast(f64),
    /// At most so much, or what Annulus rests on is not so: the run fails.
    NeverMoreThan(f64),
}

/// The median of rounds, and their extremes.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
        Self { median, min: sorted[0], max: sorted[sorted.len() - 1] }
    }
}

/// One metric of one candidate: a line of `--json`.
#[derive(Serialize)]
pub(crate) struct Line {
    pub(crate) suite: &'static str,
    pub(crate) case: String,
    pub(crate) candidate: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) runs: usize,
    /// The median of the rounds' ratios to the case's limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit_ratio: Option<f64>,
}

/// Whether a mark was reached: a line of `--json`.
#[derive(Serialize)]
pub(crate) struct Verdict {
    pub(crate) suite: &'static str,
    pub(crate) case: String,
    pub(crate) candidate: &'static str,
    pub(crate) verdict: Outcome,
    /// What was compared: the candidate's median, or what is taken of it and another's.
    pub(crate) value: f64,
    /// The goal's number.
    pub(crate) goal: f64,
    /// The same in words.
    pub(crate) text: String,
}

/// What became of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Reached,
    Missed,
    /// Not a mark was missed, but a promise that others rest on: a failure.
    Broken,
}

/// A candidate that gave no figure: a line of `--json`.
#[derive(Serialize)]
pub(crate) struct Failed {
    pub(crate) suite: &'static str,
    pub(crate) case: String,
    pub(crate) candidate: &'static str,
    /// Why.
    pub(crate) failed: String,
}

/// A case's results.
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) better: Better,
    pub(crate) lines: Vec<Line>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) failures: Vec<Failed>,
}

impl Measured {
    /// How many things went wrong: candidates that failed, and promises that do not hold.
    pub(crate) fn wrong(&self) -> usize {
        let broken = self.verdicts.iter().filter(|verdict| verdict.verdict == Outcome::Broken).count();
        self.failures.len() + broken
    }
}

/// Measures a case: `rounds` rounds, each with every candidate. `progress` is told where it is. A candidate
/// that fails has no figures; the others go on without it.
pub(crate) fn measure(
    suite: &'static str,
    mut case: Case,
    rounds: usize,
    progress: &mut dyn FnMut(&str),
) -> Measured {
    let count = case.candidates.len();
    // By candidate, then by round.
    let mut results: Vec<Result<Vec<Vec<f64>>, String>> = vec![Ok(Vec::with_capacity(rounds)); count];
    for round in 0..rounds {
        for turn in 0..count {
            let index = (round + turn) % count;
            let candidate = &mut case.candidates[index];
            let Ok(values) = &mut results[index] else { continue };
            if candidate.once && round != 0 {
                continue;
            }
            progress(&format!("{suite}: {}: round {} of {rounds}: {}", case.name, round + 1, candidate.name));
            match run(candidate) {
                Ok(found) => {
                    assert_eq!(found.len(), case.metrics.len(), "a run gives one value for each metric");
                    values.push(found);
                }
                Err(why) => results[index] = Err(why),
            }
        }
    }
    let (mut kept, mut found, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for (candidate, result) in case.candidates.drain(..).zip(results) {
        match result {
            Ok(values) => {
                kept.push(candidate);
                found.push(values);
            }
            Err(failed) => {
                failures.push(Failed { suite, case: case.name.clone(), candidate: candidate.name, failed });
            }
        }
    }
    case.candidates = kept;
    Measured { failures, ..evaluate(suite, &case, &found) }
}

/// Runs a candidate; why it gave nothing, if it failed or panicked.
fn run(candidate: &mut Candidate) -> Result<Vec<f64>, String> {
    // A candidate that panicked is not run again, so nobody sees what it left half done.
    match catch_unwind(AssertUnwindSafe(|| (candidate.run)())) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("panicked: {}", said(&*panic))),
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    panic.downcast_ref::<&str>().copied().or_else(owned).unwrap_or("without words")
}

fn evaluate(suite: &'static str, case: &Case, results: &[Vec<Vec<f64>>]) -> Measured {
    let column = |index: usize, metric: usize| -> Vec<f64> {
        results[index].iter().map(|values| values[metric]).collect()
    };
    let index_of = |name: &str| case.candidates.iter().position(|candidate| candidate.name == name);
    let limit = case.limit.and_then(index_of);
    let against_limit = |index: usize, metric: usize, f: fn(f64, f64) -> f64| -> Option<f64> {
        let pairs = column(index, metric).into_iter().zip(column(limit?, metric));
        Some(Spread::of(&pairs.map(|(value, limit)| f(value, limit)).collect::<Vec<_>>()).median)
    };

    let mut lines = Vec::new();
    for (metric, suffix) in case.metrics.iter().enumerate() {
        for (index, candidate) in case.candidates.iter().enumerate() {
            let values = column(index, metric);
            let Spread { median, min, max } = Spread::of(&values);
            lines.push(Line {
                suite,
                case: format!("{} {suffix}", case.name).trim_end().to_owned(),
                candidate: candidate.name,
                unit: case.unit,
                median,
                min,
                max,
                runs: values.len(),
                limit_ratio: against_limit(index, metric, |value, limit| value / limit)
                    .filter(|_| Some(index) != limit),
            });
        }
    }

    let verdict = |mark: &Mark| -> Option<Verdict> {
        let index = index_of(mark.candidate)?;
        let metric = case.metrics.iter().position(|&metric| metric == mark.metric)?;
        let value = Spread::of(&column(index, metric)).median;
        let unit = case.unit;
        let is_at_most =
            |value: f64, goal: f64| if value <= goal { Outcome::Reached } else { Outcome::Missed };
        let is_at_least =
            |value: f64, goal: f64| if value >= goal { Outcome::Reached } else { Outcome::Missed };
        let (verdict, value, goal, text) = match mark.goal {
            Goal::TimesLimit(times) => {
                let ratio = against_limit(index, metric, |value, limit| value / limit)?;
                let text = format!("{ratio:.2} × the limit; mark: at most {times} ×");
                (is_at_most(ratio, times), ratio, times, text)
            }
            Goal::TimesLimitAtLeast(times) => {
                let ratio = against_limit(index, metric, |value, limit| value / limit)?;
                let text = format!("{ratio:.1} × the limit; mark: at least {times} ×");
                (is_at_least(ratio, times), ratio, times, text)
            }
            Goal::TimesBest(times, peers) => {
                let peers = peers.iter().filter_map(|name| index_of(name));
                let median = |&peer: &usize| Spread::of(&column(peer, metric)).median;
                let best = peers.min_by(|a, b| median(a).total_cmp(&median(b)))?;
                let pairs = column(index, metric).into_iter().zip(column(best, metric));
                let ratio = Spread::of(&pairs.map(|(value, best)| value / best).collect::<Vec<_>>()).median;
                let name = case.candidates[best].name;
                let text = format!("{ratio:.2} × {name}; mark: at most {times} ×");
                (is_at_most(ratio, times), ratio, times, text)
            }
            Goal::LimitPlus(extra) => {
                let over = against_limit(index, metric, |value, limit| value - limit)?;
                let text = format!("{over:+.1} {unit} over the limit; mark: at most {extra:+} {unit}");
                (is_at_most(over, extra), over, extra, text)
            }
            Goal::AtMost(most) => {
                let text = format!("{value:.1} {unit}; mark: at most {most} {unit}");
                (is_at_most(value, most), value, most, text)
            }
            Goal::AtLeast(least) => {
                let text = format!("{value:.1} {unit}; mark: at least {least} {unit}");
                (is_at_least(value, least), value, least, text)
            }
            Goal::NeverMoreThan(most) => {
                let outcome = if value <= most { Outcome::Reached } else { Outcome::Broken };
                (outcome, value, most, format!("{value:.1} {unit}; it must be at most {most} {unit}"))
            }
        };
        let subject = format!("{} {}", mark.candidate, mark.metric);
        Some(Verdict {
            suite,
            case: format!("{} {}", case.name, mark.metric).trim_end().to_owned(),
            candidate: mark.candidate,
            verdict,
            value,
            goal,
            text: format!("{}: {text}", subject.trim_end()),
        })
    };
    Measured {
        name: case.name.clone(),
        better: case.better,
        lines,
        verdicts: case.marks.iter().filter_map(verdict).collect(),
        failures: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_odd_and_even_counts() {
        let spread = Spread::of(&[3.0, 1.0, 2.0]);
        assert_eq!((spread.median, spread.min, spread.max), (2.0, 1.0, 3.0));
        assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 3.0]).median, 2.5);
    }

    /// The candidate is always twice its limit, while the machine's speed changes from round to round: the
    /// ratio is 2.
    #[test]
    fn ratios_are_taken_inside_rounds() {
        let drift = [1.0, 50.0, 2.0];
        let run = |factor: f64| {
            let mut round = 0;
            move || {
                round += 1;
                Ok(vec![drift[round - 1] * factor])
            }
        };
        let case = Case {
            name: "drift".into(),
            unit: "ns",
            better: Better::Lower,
            metrics: &[""],
            limit: Some("limit"),
            candidates: vec![Candidate::new("limit", run(1.0)), Candidate::new("annulus", run(2.0))],
            marks: vec![Mark { candidate: "annulus", metric: "", goal: Goal::TimesLimit(2.0) }],
        };
        let mut order = Vec::new();
        let measured = measure("test", case, 3, &mut |text| order.push(text.ends_with("limit")));
        assert_eq!(measured.lines[1].limit_ratio, Some(2.0));
        assert_eq!(measured.verdicts[0].verdict, Outcome::Reached);
        assert_eq!(order, [true, false, false, true, true, false], "rounds begin with different candidates");
    }

    /// A case of candidates that give 1, that fail, and that panic.
    fn some_fail(marks: Vec<Mark>) -> Case {
        let fails = |name, round| {
            let mut rounds = 0;
            Candidate::new(name, move || {
                rounds += 1;
                if rounds == round { Err("the device is gone".into()) } else { Ok(vec![1.0]) }
            })
        };
        Case {
            name: "some fail".into(),
            unit: "looks",
            better: Better::Lower,
            metrics: &["torn"],
            limit: None,
            candidates: vec![
                fails("first", 2),
                Candidate::new("panics", || panic!("at the wrong time")),
                Candidate::new("whole", || Ok(vec![1.0])),
                Candidate::once("once", || Ok(vec![0.0])),
            ],
            marks,
        }
    }

    #[test]
    fn a_candidate_that_fails_leaves_the_others_their_figures() {
        let measured = measure("test", some_fail(vec![]), 3, &mut |_| ());
        let figures: Vec<_> = measured.lines.iter().map(|line| (line.candidate, line.runs)).collect();
        assert_eq!(figures, [("whole", 3), ("once", 1)]);
        let failures: Vec<_> =
            measured.failures.iter().map(|failed| (failed.candidate, failed.failed.as_str())).collect();
        assert_eq!(failures, [("first", "the device is gone"), ("panics", "panicked: at the wrong time")]);
        assert_eq!(measured.wrong(), 2);
    }

    #[test]
    fn a_mark_that_is_missed_is_told_and_a_promise_that_is_broken_is_wrong() {
        let mark = |candidate, goal| Mark { candidate, metric: "torn", goal };
        let marks = vec![
            mark("whole", Goal::AtMost(0.0)),
            mark("whole", Goal::NeverMoreThan(0.0)),
            mark("once", Goal::NeverMoreThan(0.0)),
            mark("first", Goal::NeverMoreThan(0.0)),
        ];
        let measured = measure("test", some_fail(marks), 2, &mut |_| ());
        let outcomes: Vec<_> = measured.verdicts.iter().map(|verdict| verdict.verdict).collect();
        assert_eq!(outcomes, [Outcome::Missed, Outcome::Broken, Outcome::Reached]);
        assert_eq!(measured.wrong(), 1 + 2);
        let line = serde_json::to_value(&measured.verdicts[1]).unwrap();
        assert_eq!(
            (&line["verdict"], &line["value"], &line["goal"]),
            (&"broken".into(), &1.0.into(), &0.0.into())
        );
        assert_eq!(line["case"], "some fail torn");
    }
}
