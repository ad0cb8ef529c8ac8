//! OpenTelemetry: instruments that look when they are asked.

use std::sync::{Arc, Weak};

use opentelemetry::{
    KeyValue,
    metrics::{AsyncInstrument, Meter},
};

use super::{METRICS, Metric, MetricKind, Sample, Value};
use crate::observer::{Observer, Shared};

/// Quantiles of histograms: OpenTelemetry has no histogram that is observed.
const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

impl Observer {
    /// Makes OpenTelemetry's instruments of this observer's metrics: their names and units are those of the
    /// [table](super::METRICS). Each collection looks once. The instruments stay with the provider, and show
    /// nothing more once the last clone of the observer is dropped.
    ///
    /// Whoever makes the provider chooses how the values leave the process: by an exporter of OTLP, for one.
    /// This crate depends on OpenTelemetry's interface alone.
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use opentelemetry::metrics::MeterProvider as _;
    ///
    /// let provider = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build(); // with a reader
    /// let observer = annulus_observe::Observer::of(&Runtime::builder().build()?);
    /// observer.instrument(&provider.meter("my-program"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn instrument(&self, meter: &Meter) {
        for metric in METRICS {
            let shared = Arc::downgrade(self.shared());
            match metric.kind {
                MetricKind::Counter if metric.unit == "s" => {
                    let instrument = meter.f64_observable_counter(metric.otel);
                    let _ = instrument
                        .with_unit(metric.unit)
                        .with_description(metric.help)
                        .with_callback(move |to| {
                            observe(&shared, metric, |value, labels| to.observe(value, labels))
                        })
                        .build();
                }
                MetricKind::Counter => {
                    let instrument = meter.u64_observable_counter(metric.otel);
                    let _ = instrument
                        .with_unit(metric.unit)
                        .with_description(metric.help)
                        .with_callback(move |to| count(&shared, metric, to))
                        .build();
                }
                MetricKind::Gauge => {
                    let instrument = meter.f64_observable_gauge(metric.otel);
                    let _ = instrument
                        .with_unit(metric.unit)
                        .with_description(metric.help)
                        .with_callback(move |to| {
                            observe(&shared, metric, |value, labels| to.observe(value, labels))
                        })
                        .build();
                }
                MetricKind::Histogram => {
                    let instrument = meter.f64_observable_gauge(format!("{}.quantile", metric.otel));
                    let _ = instrument
                        .with_unit(metric.unit)
                        .with_description("Bounds of quantiles of the latencies, of kernels that track them.")
                        .with_callback(move |to| quantiles(&shared, metric, to))
                        .build();
                }
            }
        }
    }
}

/// The values of one metric, if the observer is still there.
fn each(shared: &Weak<Shared>, metric: &Metric, mut tell: impl FnMut(&Sample, Vec<KeyValue>)) {
    let Some(shared) = shared.upgrade() else { return };
    let sight = shared.look_once();
    for sample in sight.samples.iter().filter(|sample| std::ptr::eq(sample.metric, metric)) {
        let labels = sample.labels.iter().map(|(label, value)| KeyValue::new(label.otel, value.to_owned()));
        let system = KeyValue::new("messaging.system", "annulus");
        tell(sample, std::iter::once(system).chain(labels).collect());
    }
}

fn observe(shared: &Weak<Shared>, metric: &Metric, tell: impl Fn(f64, &[KeyValue])) {
    each(shared, metric, |sample, labels| match sample.value {
        Value::Number(number) => tell(number, &labels),
        Value::Count(count) => tell(count as f64, &labels),
        Value::Histogram { .. } => {}
    });
}

fn count(shared: &Weak<Shared>, metric: &Metric, to: &dyn AsyncInstrument<u64>) {
    each(shared, metric, |sample, labels| {
        if let Value::Count(count) = sample.value {
            to.observe(count, &labels);
        }
    });
}

/// The bound of the first bucket that reaches each quantile.
fn quantiles(shared: &Weak<Shared>, metric: &Metric, to: &dyn AsyncInstrument<f64>) {
    each(shared, metric, |sample, mut labels| {
        let Value::Histogram { buckets, count, .. } = &sample.value else { return };
        for quantile in QUANTILES {
            let rank = (quantile * *count as f64).ceil() as u64;
            let bound = buckets.iter().find(|(_, within)| *count != 0 && *within >= rank);
            if let Some((bound, _)) = bound {
                labels.push(KeyValue::new("quantile", quantile));
                to.observe(*bound, &labels);
                labels.pop();
            }
        }
    });
}
