//! Cases, candidates, and the rounds in which they take turns.
//!
//! A machine's speed drifts: other programs, clock rates, the host of a virtual machine. Candidates that are
//! measured one after the other see different machines. So every round runs every candidate of a case once,
//! each round beginning with another one, and a ratio is taken inside a round before the median is taken over
//! the rounds.

use std::error::Error;

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
}

impl Candidate {
    pub(crate) fn new(name: &'static str, run: impl FnMut() -> Run + 'static) -> Self {
        Self { name, run: Box::new(run) }
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

/// Whether a mark was reached.
pub(crate) struct Verdict {
    pub(crate) met: bool,
    pub(crate) text: String,
}

/// A case's results.
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) better: Better,
    pub(crate) lines: Vec<Line>,
    pub(crate) verdicts: Vec<Verdict>,
}

/// Measures a case: `rounds` rounds, each with every candidate. `progress` is told where it is.
pub(crate) fn measure(
    suite: &'static str,
    mut case: Case,
    rounds: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Measured, Failure> {
    let count = case.candidates.len();
    // By candidate, then by round.
    let mut results: Vec<Vec<Vec<f64>>> = vec![Vec::with_capacity(rounds); count];
    for round in 0..rounds {
        for turn in 0..count {
            let index = (round + turn) % count;
            let candidate = &mut case.candidates[index];
            progress(&format!("{suite}: {}: round {} of {rounds}: {}", case.name, round + 1, candidate.name));
            let values = (candidate.run)()
                .map_err(|error| format!("{suite}: {}: {}: {error}", case.name, candidate.name))?;
            assert_eq!(values.len(), case.metrics.len(), "a run gives one value for each metric");
            results[index].push(values);
        }
    }
    Ok(evaluate(suite, &case, &results))
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
        let (met, text) = match mark.goal {
            Goal::TimesLimit(times) => {
                let ratio = against_limit(index, metric, |value, limit| value / limit)?;
                (ratio <= times, format!("{ratio:.2} × the limit; mark: at most {times} ×"))
            }
            Goal::TimesLimitAtLeast(times) => {
                let ratio = against_limit(index, metric, |value, limit| value / limit)?;
                (ratio >= times, format!("{ratio:.1} × the limit; mark: at least {times} ×"))
            }
            Goal::TimesBest(times, peers) => {
                let peers = peers.iter().filter_map(|name| index_of(name));
                let median = |&peer: &usize| Spread::of(&column(peer, metric)).median;
                let best = peers.min_by(|a, b| median(a).total_cmp(&median(b)))?;
                let pairs = column(index, metric).into_iter().zip(column(best, metric));
                let ratio = Spread::of(&pairs.map(|(value, best)| value / best).collect::<Vec<_>>()).median;
                let name = case.candidates[best].name;
                (ratio <= times, format!("{ratio:.2} × {name}; mark: at most {times} ×"))
            }
            Goal::LimitPlus(extra) => {
                let over = against_limit(index, metric, |value, limit| value - limit)?;
                (over <= extra, format!("{over:+.1} {unit} over the limit; mark: at most {extra:+} {unit}"))
            }
            Goal::AtMost(most) => (value <= most, format!("{value:.1} {unit}; mark: at most {most} {unit}")),
            Goal::AtLeast(least) => {
                (value >= least, format!("{value:.1} {unit}; mark: at least {least} {unit}"))
            }
        };
        let subject = format!("{} {}", mark.candidate, mark.metric);
        Some(Verdict { met, text: format!("{}: {text}", subject.trim_end()) })
    };
    Measured {
        name: case.name.clone(),
        better: case.better,
        lines,
        verdicts: case.marks.iter().filter_map(verdict).collect(),
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
        let measured = measure("test", case, 3, &mut |text| order.push(text.ends_with("limit"))).unwrap();
        assert_eq!(measured.lines[1].limit_ratio, Some(2.0));
        assert!(measured.verdicts[0].met);
        assert_eq!(order, [true, false, false, true, true, false], "rounds begin with different candidates");
    }
}
