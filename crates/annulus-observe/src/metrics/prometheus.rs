//! Prometheus' text format, version 0.0.4. Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>.

use std::fmt::Write as _;

use super::{MetricKind, Sample, Value};

/// The content type of the [text].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The samples as Prometheus reads them. Samples of one metric must follow each other, as those of an
/// [`Observer`](crate::Observer) do.
///
/// ```
/// # use annulus_observe::metrics::text;
/// assert_eq!(text(&[]), "");
/// ```
pub fn text(samples: &[Sample]) -> String {
    let mut text = String::new();
    let mut last = None;
    for sample in samples {
        let name = sample.metric.prometheus;
        if last != Some(name) {
            let kind = match sample.metric.kind {
                MetricKind::Counter => "counter",
                MetricKind::Gauge => "gauge",
                MetricKind::Histogram => "histogram",
            };
            // Writing to a string cannot fail. Help texts are ours: no backslash, no line's end.
            let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {kind}", sample.metric.help);
            last = Some(name);
        }
        match &sample.value {
            Value::Count(count) => line(&mut text, name, sample, None, *count),
            Value::Number(number) => line(&mut text, name, sample, None, *number),
            Value::Histogram { buckets, count, sum } => {
                let bucket = format!("{name}_bucket");
                for (bound, count) in buckets {
                    line(&mut text, &bucket, sample, Some(&bound.to_string()), *count);
                }
                line(&mut text, &bucket, sample, Some("+Inf"), *count);
                line(&mut text, &format!("{name}_sum"), sample, None, *sum);
                line(&mut text, &format!("{name}_count"), sample, None, *count);
            }
        }
    }
    text
}

fn line(text: &mut String, name: &str, sample: &Sample, bound: Option<&str>, value: impl std::fmt::Display) {
    text.push_str(name);
    let labels = sample.labels.iter().map(|(label, value)| (label.prometheus, value));
    let mut before = '{';
    for (label, value) in labels.chain(bound.map(|bound| ("le", bound))) {
        text.push(before);
        before = ',';
        text.push_str(label);
        text.push_str("=\"");
        escape(text, value);
        text.push('"');
    }
    if before == ',' {
        text.push('}');
    }
    let _ = writeln!(text, " {value}");
}

/// A label's value, as the format has it between quotes.
fn escape(text: &mut String, value: &str) {
    const SPECIAL: [char; 3] = ['\\', '"', '\n'];
    let mut rest = value;
    while let Some(at) = rest.find(SPECIAL) {
        text.push_str(&rest[..at]);
        text.push_str(match rest.as_bytes()[at] {
            b'\\' => "\\\\",
            b'"' => "\\\"",
            _ => "\\n",
        });
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
}
