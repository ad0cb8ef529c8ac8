//! Spans of what happened to messages that are followed.
//!
//! Each message that a kernel has handled gives up to three spans, each within the one before:
//!
//! * `send KERNEL`, if the host has sent it: the moment at which it did;
//! * `queue KERNEL`: the time that it waited, from its send until its handler was called;
//! * `handle KERNEL`: the time that its handler took. What the handler sent comes of this span.
//!
//! An output that the host received gives `receive KERNEL`, within the call that sent it. Names of attributes are those of
//! OpenTelemetry's conventions for messaging where there are such.

use std::time::SystemTime;

use annulus_abi::trace::mixed;
use annulus_runtime::{Handling, Receipt, TraceEvent};

/// A span, as OpenTelemetry has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The trace that it is in.
    pub trace_id: u128,
    /// Its own number, not 0.
    pub span_id: u64,
    /// The span that it is within, if there is one.
    pub parent_id: Option<u64>,
    /// What it is: its kind and the kernel's name.
    pub name: String,
    /// Its kind.
    pub kind: SpanKind,
    /// When it began.
    pub start: SystemTime,
    /// When it ended.
    pub end: SystemTime,
    /// Its attributes.
    pub attributes: Vec<(&'static str, SpanValue)>,
    /// What went wrong, if something did.
    pub error: Option<String>,
}

/// The kinds of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// A send.
    Producer,
    /// A call of a handler, or a receive.
    Consumer,
    /// A wait.
    Internal,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanValue {
    /// A text.
    Text(String),
    /// A number.
    Number(u64),
}

/// The spans of these events.
///
/// ```
/// use annulus::prelude::*;
///
/// let runtime = Runtime::builder().build()?;
/// assert!(annulus_observe::spans::of(&runtime.take_traces()).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of(events: &[TraceEvent]) -> Vec<Span> {
    let mut spans = Vec::with_capacity(3 * events.len());
    for event in events {
        match event {
            TraceEvent::Handled(handling) => of_handling(handling, &mut spans),
            TraceEvent::Received(receipt) => spans.push(of_receipt(receipt)),
            // There is no other yet.
            _ => {}
        }
    }
    spans
}

/// A number that stands beside that of a span: of the same trace.
fn beside(span: u64, salt: u64) -> u64 {
    mixed(span ^ salt)
}

const QUEUE: u64 = 0x51_7565_7565;
const RECEIVE: u64 = 0x52_6563_6569;

fn text(value: &str) -> SpanValue {
    SpanValue::Text(value.to_owned())
}

fn common(kernel: &str, operation: &str) -> Vec<(&'static str, SpanValue)> {
    let mut attributes = vec![
        ("messaging.system", text("annulus")),
        ("messaging.destination.name", text(kernel)),
        ("messaging.operation.name", text(operation)),
    ];
    // The conventions have a type for each of these, and none for waiting.
    if operation != "queue" {
        attributes.push(("messaging.operation.type", text(operation)));
    }
    attributes
}

fn of_handling(handling: &Handling, spans: &mut Vec<Span>) {
    let Handling { trace_id, span_id, parent_id, ref kernel, backend, shard, sent, taken, done, .. } =
        *handling;
    let of_shard = |operation| {
        let mut attributes = common(kernel, operation);
        attributes.push(("messaging.destination.partition.id", text(&shard.to_string())));
        attributes.push(("annulus.backend", text(backend)));
        attributes
    };
    if handling.from_host {
        spans.push(Span {
            trace_id,
            span_id: parent_id,
            parent_id: handling.continues,
            name: format!("send {kernel}"),
            kind: SpanKind::Producer,
            start: sent,
            end: sent,
            attributes: common(kernel, "send"),
            error: None,
        });
    }
    let queue = beside(span_id, QUEUE);
    spans.push(Span {
        trace_id,
        span_id: queue,
        parent_id: Some(parent_id),
        name: format!("queue {kernel}"),
        kind: SpanKind::Internal,
        start: sent,
        end: taken,
        attributes: of_shard("queue"),
        error: None,
    });
    let mut attributes = of_shard("process");
    attributes.push(("annulus.outputs", SpanValue::Number(handling.outputs.into())));
    if handling.together > 1 {
        attributes.push(("annulus.handled_together", SpanValue::Number(handling.together.into())));
    }
    if let Some((code, _)) = &handling.error {
        attributes.push(("error.type", text(&format!("{code:#06x}"))));
    }
    spans.push(Span {
        trace_id,
        span_id,
        parent_id: Some(queue),
        name: format!("handle {kernel}"),
        kind: SpanKind::Consumer,
        start: taken,
        end: done,
        attributes,
        error: handling.error.as_ref().map(|(_, shown)| shown.clone()),
    });
}

fn of_receipt(receipt: &Receipt) -> Span {
    Span {
        trace_id: receipt.trace_id,
        span_id: beside(receipt.parent_id, RECEIVE ^ nanos(receipt.at)),
        parent_id: Some(receipt.parent_id),
        name: format!("receive {}", receipt.kernel),
        kind: SpanKind::Consumer,
        start: receipt.at,
        end: receipt.at,
        attributes: common(&receipt.kernel, "receive"),
        error: None,
    }
}

/// Nanoseconds since 1970.
pub(crate) fn nanos(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}
