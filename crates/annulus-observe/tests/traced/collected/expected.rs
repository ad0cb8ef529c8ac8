//! What a collector should print, in rotel's words.

use std::{env, fmt::Write as _, time::SystemTime};

use annulus_observe::{
    metrics::{MetricKind, Sample, Value},
    spans::{Span, SpanKind, SpanValue},
};

pub(super) fn nanos(time: SystemTime) -> u128 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos()
}

/// The machine's name.
pub(super) fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().into()
}

/// What begins both prints.
fn resource(what: &str, scope: &str) -> String {
    let me = env::current_exe().unwrap();
    let me = me.file_name().unwrap().to_str().unwrap();
    let pid = std::process::id();
    let (host, version) = (host(), env!("CARGO_PKG_VERSION"));
    format!(
        "{what} #0\nResource SchemaURL: \nResource attributes:\n     -> service.name: Str(shop)\n     \
         -> service.instance.id: Str({pid}@{host})\n     -> host.name: Str({host})\n     -> process.executable.name: Str({me})\n     -> process.pid: Int({pid})\n\
         {scope} #0\n{scope} SchemaURL: \nInstrumentationScope annulus {version}\n"
    )
}

/// The print of these spans.
pub(super) fn print_of_spans(spans: &[Span]) -> String {
    let mut text = resource("ResourceSpans", "ScopeSpans");
    for (index, span) in spans.iter().enumerate() {
        let kind = match span.kind {
            SpanKind::Internal => "SPAN_KIND_INTERNAL",
            SpanKind::Producer => "SPAN_KIND_PRODUCER",
            SpanKind::Consumer => "SPAN_KIND_CONSUMER",
        };
        let parent = span.parent_id.map_or_else(String::new, |id| format!("{id:016x}"));
        write!(
            text,
            "Span #{index}\n    Trace ID       : {:032x}\n    Parent ID      : {parent}\n    ID             : {:016x}\n    \
             Name           : {}\n    Kind           : {kind}\nStart time: {}\nEnd time: {}\n",
            span.trace_id, span.span_id, span.name, nanos(span.start), nanos(span.end)
        )
        .unwrap();
        if let Some(error) = &span.error {
            writeln!(text, "    Status code    : STATUS_CODE_ERROR\n    Status message : {error}").unwrap();
        }
        text.push_str("Attributes:\n");
        for (name, value) in &span.attributes {
            match value {
                SpanValue::Text(value) => writeln!(text, "     -> {name}: Str({value})").unwrap(),
                SpanValue::Number(value) => writeln!(text, "     -> {name}: Int({value})").unwrap(),
            }
        }
    }
    text
}

/// The print of these samples.
pub(super) fn print_of_samples(samples: &[Sample]) -> String {
    let mut text = resource("ResourceMetrics", "ScopeMetrics");
    let metrics = samples.chunk_by(|one, other| std::ptr::eq(one.metric, other.metric));
    for (index, samples) in metrics.enumerate() {
        let metric = samples[0].metric;
        write!(
            text,
            "Metric #{index}\nDescriptor:\n     -> Name: {}\n     -> Description: {}\n     -> Unit: {}\n     -> DataType: ",
            metric.otel, metric.help, metric.unit
        )
        .unwrap();
        text.push_str(match metric.kind {
            MetricKind::Counter => {
                "Sum\n     -> IsMonotonic: true\n     -> AggregationTemporality: AGGREGATION_TEMPORALITY_CUMULATIVE\n"
            }
            MetricKind::Gauge => "Gauge\n",
            MetricKind::Histogram => {
                "Histogram\n     -> AggregationTemporality: AGGREGATION_TEMPORALITY_CUMULATIVE\n"
            }
        });
        for (index, sample) in samples.iter().enumerate() {
            let kind = if metric.kind == MetricKind::Histogram { "Histogram" } else { "Number" };
            write!(
                text,
                "{kind}DataPoints #{index}\nData point attributes:\n     -> messaging.system: Str(annulus)\n"
            )
            .unwrap();
            for (label, value) in sample.labels.iter() {
                writeln!(text, "     -> {}: Str({value})", label.otel).unwrap();
            }
            // Nothing of a gauge began.
            let since = sample.since.unwrap_or(0);
            writeln!(text, "StartTimestamp: {since}\nTimestamp: NOW").unwrap();
            match &sample.value {
                Value::Count(count) => writeln!(text, "Value: {count}").unwrap(),
                Value::Number(number) => writeln!(text, "Value: {number}").unwrap(),
                Value::Histogram { buckets, count, sum } => {
                    writeln!(text, "Count: {count}\nSum: {sum}").unwrap();
                    for (index, (bound, _)) in buckets.iter().enumerate() {
                        writeln!(text, "ExplicitBounds #{index}: {bound}").unwrap();
                    }
                    let mut before = 0;
                    for (index, within) in buckets.iter().map(|(_, within)| within).chain([count]).enumerate()
                    {
                        writeln!(text, "Buckets #{index}, Count: {}", within - before).unwrap();
                        before = *within;
                    }
                }
            }
        }
    }
    text
}

/// The same text, without the moment of the push.
pub(super) fn without_time(text: &str) -> String {
    let lines =
        text.lines().map(|line| if line.starts_with("Timestamp: ") { "Timestamp: NOW" } else { line });
    lines.map(|line| format!("{line}\n")).collect()
}

/// The texts are the same, or the first line that is not is told.
#[track_caller]
pub(super) fn assert_same(told: &str, wanted: &str) {
    for (number, (told, wanted)) in told.lines().zip(wanted.lines()).enumerate() {
        assert_eq!(told, wanted, "line {number}");
    }
    assert_eq!(told.lines().count(), wanted.lines().count());
}
