//! From samples and spans to the protocol's messages.

use std::time::SystemTime;

use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value},
    metrics::v1::{
        AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
        ResourceMetrics, ScopeMetrics, Sum, metric::Data, number_data_point,
    },
    resource::v1::Resource,
    trace::v1::{
        ResourceSpans, ScopeSpans, Span as OtlpSpan, Status, span::SpanKind as OtlpKind, status::StatusCode,
    },
};

use crate::{
    metrics::{Label, MetricKind, PID, PROCESS, PROCESS_INSTANCE, Sample, Value},
    spans::{Span, SpanKind, SpanValue, nanos},
};

/// When a value was 0; of a gauge 0, which says that there is no such time. Clocks may be set, and what has begun later than now
/// would be dropped.
fn began(sample: &Sample, now: u64) -> u64 {
    sample.since.map_or(0, |since| since.min(now))
}

fn text(key: &str, value: &str) -> KeyValue {
    any(key, any_value::Value::StringValue(value.to_owned()))
}

fn number(key: &str, value: u64) -> KeyValue {
    any(key, any_value::Value::IntValue(i64::try_from(value).unwrap_or(i64::MAX)))
}

fn any(key: &str, value: any_value::Value) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
}

fn scope() -> Option<InstrumentationScope> {
    Some(InstrumentationScope {
        name: "annulus".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        ..InstrumentationScope::default()
    })
}

/// The name of this machine, or of the container.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost".into() } else { name.into() }
}

/// The process that something is of. Its number and its machine are its instance: backends that keep only the service's
/// names would mix two processes of one program, and containers have processes of the same number.
fn resource((executable, pid, instance): Process<'_>, service: Option<&str>) -> Option<Resource> {
    let host = host();
    let instance = instance.map_or(String::new(), |instance| format!("-{instance}"));
    let attributes = vec![
        text("service.name", service.unwrap_or(executable)),
        text("service.instance.id", &format!("{pid}{instance}@{host}")),
        text("host.name", &host),
        text(PROCESS.otel, executable),
        number(PID.otel, pid),
    ];
    Some(Resource { attributes, ..Resource::default() })
}

/// This process.
fn own(service: Option<&str>) -> Option<Resource> {
    let path = std::env::current_exe().unwrap_or_default();
    let name = path.file_name().map_or_else(|| "unknown_service".into(), |name| name.to_string_lossy());
    resource((&name, std::process::id().into(), None), service)
}

fn is(one: &'static Label, other: &'static Label) -> bool {
    std::ptr::eq(one, other)
}

/// The name of a process's executable, its number, and what tells it from others of the same number, if it needs something.
type Process<'a> = (&'a str, u64, Option<&'a str>);

/// Samples of this process have no such label.
fn process(sample: &Sample) -> Option<Process<'_>> {
    let label = |wanted: &'static Label| {
        let found = sample.labels.iter().find(|(label, _)| is(label, wanted));
        found.map(|(_, value)| value)
    };
    Some((label(&PROCESS)?, label(&PID)?.parse().ok()?, label(&PROCESS_INSTANCE)))
}

pub(super) fn metrics(samples: &[Sample], service: Option<&str>) -> ExportMetricsServiceRequest {
    let now = nanos(SystemTime::now());
    let mut processes: Vec<(Option<Process<'_>>, Vec<Metric>)> = Vec::new();
    for sample in samples {
        let of = process(sample);
        let place = processes.iter().position(|(other, _)| *other == of).unwrap_or_else(|| {
            processes.push((of, Vec::new()));
            processes.len() - 1
        });
        // Samples of one metric follow each other.
        let metrics = &mut processes[place].1;
        if metrics.last().is_none_or(|metric| metric.name != sample.metric.otel) {
            metrics.push(empty(sample));
        }
        if let Some(data) = metrics.last_mut().and_then(|metric| metric.data.as_mut()) {
            add(data, sample, now);
        }
    }
    let resource_metrics = processes
        .into_iter()
        .map(|(process, metrics)| ResourceMetrics {
            resource: match process {
                Some(process) => resource(process, service),
                None => own(service),
            },
            scope_metrics: vec![ScopeMetrics { scope: scope(), metrics, ..ScopeMetrics::default() }],
            ..ResourceMetrics::default()
        })
        .collect();
    ExportMetricsServiceRequest { resource_metrics }
}

/// The sample's metric, without points.
fn empty(sample: &Sample) -> Metric {
    let metric = sample.metric;
    let aggregation_temporality = AggregationTemporality::Cumulative.into();
    let data = match metric.kind {
        MetricKind::Counter => {
            Data::Sum(Sum { data_points: Vec::new(), aggregation_temporality, is_monotonic: true })
        }
        MetricKind::Gauge => Data::Gauge(Gauge { data_points: Vec::new() }),
        MetricKind::Histogram => {
            Data::Histogram(Histogram { data_points: Vec::new(), aggregation_temporality })
        }
    };
    Metric {
        name: metric.otel.into(),
        description: metric.help.into(),
        unit: metric.unit.into(),
        data: Some(data),
        ..Metric::default()
    }
}

fn add(data: &mut Data, sample: &Sample, now: u64) {
    let own = sample
        .labels
        .iter()
        .filter(|(label, _)| [&PROCESS, &PID, &PROCESS_INSTANCE].iter().all(|of| !is(label, of)));
    let attributes = std::iter::once(text("messaging.system", "annulus"))
        .chain(own.map(|(label, value)| text(label.otel, value)))
        .collect();
    match (data, &sample.value) {
        (Data::Sum(Sum { data_points, .. }) | Data::Gauge(Gauge { data_points }), Value::Count(count)) => {
            let value = number_data_point::Value::AsInt(i64::try_from(*count).unwrap_or(i64::MAX));
            data_points.push(point(attributes, sample, now, value));
        }
        (Data::Sum(Sum { data_points, .. }) | Data::Gauge(Gauge { data_points }), Value::Number(number)) => {
            data_points.push(point(attributes, sample, now, number_data_point::Value::AsDouble(*number)));
        }
        (Data::Histogram(histogram), Value::Histogram { buckets, count, sum }) => {
            // Ours say how many are at most so large, the protocol's how many are in each, and one more how
            // many are beyond the last bound.
            let mut before = 0;
            let mut bucket_counts = Vec::with_capacity(buckets.len() + 1);
            for within in buckets.iter().map(|(_, within)| *within).chain([*count]) {
                bucket_counts.push(within.saturating_sub(before));
                before = within;
            }
            histogram.data_points.push(HistogramDataPoint {
                attributes,
                start_time_unix_nano: began(sample, now),
                time_unix_nano: now,
                count: *count,
                sum: Some(*sum),
                bucket_counts,
                explicit_bounds: buckets.iter().map(|(bound, _)| *bound).collect(),
                ..HistogramDataPoint::default()
            });
        }
        // The table says which metrics are histograms, and `collect` makes their values.
        _ => {}
    }
}

fn point(
    attributes: Vec<KeyValue>,
    sample: &Sample,
    now: u64,
    value: number_data_point::Value,
) -> NumberDataPoint {
    NumberDataPoint {
        attributes,
        start_time_unix_nano: began(sample, now),
        time_unix_nano: now,
        value: Some(value),
        ..NumberDataPoint::default()
    }
}

pub(super) fn spans(spans: &[Span], service: Option<&str>) -> ExportTraceServiceRequest {
    let scope_spans =
        vec![ScopeSpans { scope: scope(), spans: spans.iter().map(span).collect(), ..ScopeSpans::default() }];
    let resource_spans =
        vec![ResourceSpans { resource: own(service), scope_spans, ..ResourceSpans::default() }];
    ExportTraceServiceRequest { resource_spans }
}

fn span(span: &Span) -> OtlpSpan {
    /// The bit of W3C's trace flags that says that a trace is sampled.
    const SAMPLED: u32 = 1;
    let kind = match span.kind {
        SpanKind::Internal => OtlpKind::Internal,
        SpanKind::Producer => OtlpKind::Producer,
        SpanKind::Consumer => OtlpKind::Consumer,
    };
    let attributes = span.attributes.iter().map(|(key, value)| match value {
        SpanValue::Text(value) => text(key, value),
        SpanValue::Number(value) => number(key, *value),
    });
    OtlpSpan {
        trace_id: span.trace_id.to_be_bytes().into(),
        span_id: span.span_id.to_be_bytes().into(),
        // None is of no bytes.
        parent_span_id: span.parent_id.map_or_else(Vec::new, |id| id.to_be_bytes().into()),
        flags: SAMPLED,
        name: span.name.clone(),
        kind: kind.into(),
        start_time_unix_nano: nanos(span.start),
        end_time_unix_nano: nanos(span.end),
        attributes: attributes.collect(),
        status: span
            .error
            .as_ref()
            .map(|error| Status { message: error.clone(), code: StatusCode::Error.into() }),
        ..OtlpSpan::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::metrics::{Labels, METRICS};

    /// O-05: two processes of one number, of which the later one has a label more, are two resources.
    #[test]
    fn o_05_processes_of_one_number_are_two_resources() {
        let sample = |instance: Option<&str>| {
            let mut common = vec![(&PROCESS, "detector".to_owned()), (&PID, "1".to_owned())];
            common.extend(instance.map(|instance| (&PROCESS_INSTANCE, instance.to_owned())));
            let labels = Labels { common: Arc::from(common), own: [None, None] };
            Sample { metric: METRICS[0], labels, value: Value::Count(1), since: None }
        };
        let told = metrics(&[sample(None), sample(Some("18f3a")), sample(None)], None);
        let instance = |resource: &ResourceMetrics| {
            let attributes = &resource.resource.as_ref().unwrap().attributes;
            let found = attributes.iter().find(|attribute| attribute.key == "service.instance.id");
            found.unwrap().clone()
        };
        let found: Vec<_> = told.resource_metrics.iter().map(instance).collect();
        let host = host();
        let id = |id: &str| text("service.instance.id", &format!("{id}@{host}"));
        assert_eq!(found, [id("1"), id("1-18f3a")]);
        let points = format!("{:?}", told.resource_metrics[1].scope_metrics);
        assert!(!points.contains(PROCESS_INSTANCE.otel), "it is the resource's: {points}");
    }
}
