//! A collector of our own: it prints what it decodes, in rotel's words.

use std::{collections::BTreeMap, fmt::Write as _};

use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{InstrumentationScope, KeyValue, any_value},
    metrics::v1::{Metric, NumberDataPoint, metric::Data, number_data_point},
    resource::v1::Resource,
};
use prost::Message;

fn attributes(text: &mut String, attributes: &[KeyValue]) {
    for KeyValue { key, value, .. } in attributes {
        match value.as_ref().unwrap().value.as_ref().unwrap() {
            any_value::Value::StringValue(value) => writeln!(text, "     -> {key}: Str({value})").unwrap(),
            any_value::Value::IntValue(value) => writeln!(text, "     -> {key}: Int({value})").unwrap(),
            other => panic!("{key}: {other:?}"),
        }
    }
}

fn head(
    text: &mut String,
    what: (&str, &str),
    resource: Option<Resource>,
    scope: Option<InstrumentationScope>,
) {
    writeln!(text, "{} #0\nResource SchemaURL: \nResource attributes:", what.0).unwrap();
    attributes(text, &resource.unwrap().attributes);
    let scope = scope.unwrap();
    let scoped = what.1;
    writeln!(
        text,
        "{scoped} #0\n{scoped} SchemaURL: \nInstrumentationScope {} {}",
        scope.name, scope.version
    )
    .unwrap();
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The print of what was decoded.
pub(super) fn decoded_spans(body: &[u8]) -> String {
    let mut text = String::new();
    for mut all in ExportTraceServiceRequest::decode(body).unwrap().resource_spans {
        let scoped = all.scope_spans.remove(0);
        assert!(all.scope_spans.is_empty());
        head(&mut text, ("ResourceSpans", "ScopeSpans"), all.resource, scoped.scope);
        for (index, span) in scoped.spans.iter().enumerate() {
            assert_eq!((span.flags, span.span_id.len(), span.trace_id.len()), (1, 8, 16));
            let times = (span.start_time_unix_nano, span.end_time_unix_nano);
            write!(
                text,
                "Span #{index}\n    Trace ID       : {}\n    Parent ID      : {}\n    ID             : {}\n    \
                 Name           : {}\n    Kind           : {}\nStart time: {}\nEnd time: {}\n",
                hex(&span.trace_id), hex(&span.parent_span_id), hex(&span.span_id), span.name,
                span.kind().as_str_name(), times.0, times.1
            )
            .unwrap();
            if let Some(status) = &span.status {
                let code = status.code().as_str_name();
                writeln!(text, "    Status code    : {code}\n    Status message : {}", status.message)
                    .unwrap();
            }
            text.push_str("Attributes:\n");
            attributes(&mut text, &span.attributes);
        }
    }
    text
}

fn numbers(text: &mut String, points: &[NumberDataPoint]) {
    for (index, point) in points.iter().enumerate() {
        writeln!(text, "NumberDataPoints #{index}\nData point attributes:").unwrap();
        attributes(text, &point.attributes);
        writeln!(text, "StartTimestamp: {}\nTimestamp: {}", point.start_time_unix_nano, point.time_unix_nano)
            .unwrap();
        match point.value.unwrap() {
            number_data_point::Value::AsInt(value) => writeln!(text, "Value: {value}").unwrap(),
            number_data_point::Value::AsDouble(value) => writeln!(text, "Value: {value}").unwrap(),
        }
    }
}

pub(super) fn decoded_metrics(body: &[u8]) -> String {
    const CUMULATIVE: &str = "     -> AggregationTemporality: AGGREGATION_TEMPORALITY_CUMULATIVE\n";
    let mut text = String::new();
    for mut all in ExportMetricsServiceRequest::decode(body).unwrap().resource_metrics {
        let scoped = all.scope_metrics.remove(0);
        assert!(all.scope_metrics.is_empty());
        head(&mut text, ("ResourceMetrics", "ScopeMetrics"), all.resource, scoped.scope);
        for (index, metric) in scoped.metrics.iter().enumerate() {
            writeln!(
                text,
                "Metric #{index}\nDescriptor:\n     -> Name: {}\n     -> Description: {}\n     -> Unit: {}",
                metric.name, metric.description, metric.unit
            )
            .unwrap();
            match metric.data.as_ref().unwrap() {
                Data::Sum(sum) => {
                    assert_eq!(
                        sum.aggregation_temporality().as_str_name(),
                        "AGGREGATION_TEMPORALITY_CUMULATIVE"
                    );
                    write!(
                        text,
                        "     -> DataType: Sum\n     -> IsMonotonic: {}\n{CUMULATIVE}",
                        sum.is_monotonic
                    )
                    .unwrap();
                    numbers(&mut text, &sum.data_points);
                }
                Data::Gauge(gauge) => {
                    text.push_str("     -> DataType: Gauge\n");
                    numbers(&mut text, &gauge.data_points);
                }
                Data::Histogram(histogram) => {
                    let temporality = histogram.aggregation_temporality().as_str_name();
                    assert_eq!(temporality, "AGGREGATION_TEMPORALITY_CUMULATIVE");
                    write!(text, "     -> DataType: Histogram\n{CUMULATIVE}").unwrap();
                    for (index, point) in histogram.data_points.iter().enumerate() {
                        writeln!(text, "HistogramDataPoints #{index}\nData point attributes:").unwrap();
                        attributes(&mut text, &point.attributes);
                        let times = (point.start_time_unix_nano, point.time_unix_nano);
                        let sum = point.sum.unwrap();
                        writeln!(
                            text,
                            "StartTimestamp: {}\nTimestamp: {}\nCount: {}\nSum: {sum}",
                            times.0, times.1, point.count
                        )
                        .unwrap();
                        for (index, bound) in point.explicit_bounds.iter().enumerate() {
                            writeln!(text, "ExplicitBounds #{index}: {bound}").unwrap();
                        }
                        for (index, count) in point.bucket_counts.iter().enumerate() {
                            writeln!(text, "Buckets #{index}, Count: {count}").unwrap();
                        }
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }
    text
}

/// When values began.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// Of what only grows, by kernel: all of a kernel's are the same.
    pub(super) sums: BTreeMap<String, u64>,
    /// The latest of gauges; they have none.
    pub(super) gauges: u64,
    pub(super) latest: u64,
}

fn metrics(body: &[u8]) -> Vec<Metric> {
    let all = ExportMetricsServiceRequest::decode(body).unwrap().resource_metrics;
    all.into_iter().flat_map(|of| of.scope_metrics).flat_map(|of| of.metrics).collect()
}

/// The kernel that a value is of.
fn kernel_of(attributes: &[KeyValue]) -> String {
    let of = attributes.iter().find(|attribute| attribute.key == "messaging.destination.name").unwrap();
    match of.value.as_ref().unwrap().value.as_ref().unwrap() {
        any_value::Value::StringValue(name) => name.clone(),
        other => panic!("{other:?}"),
    }
}

pub(super) fn starts(body: &[u8]) -> Starts {
    let mut starts = Starts::default();
    for metric in metrics(body) {
        let of_numbers = |points: &[NumberDataPoint]| -> Vec<_> {
            points
                .iter()
                .map(|at| (kernel_of(&at.attributes), at.start_time_unix_nano, at.time_unix_nano))
                .collect()
        };
        let points = match metric.data.as_ref().unwrap() {
            Data::Gauge(gauge) => {
                let of = gauge.data_points.iter().map(|point| point.start_time_unix_nano);
                starts.gauges = of.chain([starts.gauges]).max().unwrap();
                continue;
            }
            Data::Sum(sum) => of_numbers(&sum.data_points),
            Data::Histogram(histogram) => {
                let points = histogram.data_points.iter();
                points
                    .map(|at| (kernel_of(&at.attributes), at.start_time_unix_nano, at.time_unix_nano))
                    .collect()
            }
            other => panic!("{other:?}"),
        };
        assert!(!points.is_empty());
        for (kernel, start, time) in points {
            assert!(start != 0 && start <= time, "{}", metric.name);
            assert_eq!(*starts.sums.entry(kernel).or_insert(start), start, "{}", metric.name);
            starts.latest = starts.latest.max(time);
        }
    }
    starts
}

/// How many launches of a kernel were counted.
pub(super) fn launches(body: &[u8], kernel: &str) -> i64 {
    let all = metrics(body).into_iter().find(|metric| metric.name == "annulus.kernel.launches").unwrap();
    let Some(Data::Sum(sum)) = all.data else { panic!("it is a sum") };
    let point = sum.data_points.iter().find(|point| kernel_of(&point.attributes) == kernel).unwrap();
    match point.value.unwrap() {
        number_data_point::Value::AsInt(value) => value,
        number_data_point::Value::AsDouble(_) => panic!("it is a count"),
    }
}
