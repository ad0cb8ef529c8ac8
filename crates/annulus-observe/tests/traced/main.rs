//! Spans of messages that are followed, through connected kernels: names, parents, times, errors.

#[cfg(all(feature = "otlp", target_os = "linux"))]
mod collected;
#[cfg(feature = "otel")]
mod followed;

use annulus::{TraceContext, prelude::*};
use annulus_observe::spans::{self, Span, SpanKind, SpanValue};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Step {
    number: u32,
}

#[ring_kernel]
fn parse(step: &Step, out: &Outbox<Step>) {
    out.send(Step { number: step.number + 1 });
}

#[ring_kernel]
fn check(step: &Step, out: &Outbox<Step>) -> Result<(), Failure> {
    if step.number > 100 {
        return Err(Failure::of(7));
    }
    out.send(*step);
    Ok(())
}

fn named<'a>(spans: &'a [Span], name: &str) -> Vec<&'a Span> {
    spans.iter().filter(|span| span.name == name).collect()
}

fn attribute(span: &Span, name: &str) -> Option<SpanValue> {
    span.attributes.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone())
}

#[test]
fn a_message_gives_spans_within_each_other() {
    let runtime = Runtime::builder().build().unwrap();
    let options =
        |name: &str| LaunchOptions::production().name(name).connectable(true).tracing(true).trace_sample(0.0);
    let last = check::launch(&runtime, options("check")).unwrap();
    let first = parse::bind().connect(&last).launch(&runtime, options("parse")).unwrap();
    let own = TraceContext { trace_id: 42, span_id: 4242 };
    {
        let _scope = own.enter();
        let _ = first.send_blocking(Step { number: 1 }).unwrap();
    }
    assert_eq!(last.recv_blocking().unwrap().number, 2);
    {
        let _scope = own.enter();
        let _ = first.send_blocking(Step { number: 100 }).unwrap();
    }
    first.drained_blocking();
    let mut events = Vec::new();
    while events.len() < 5 {
        events.extend(runtime.take_traces());
        std::thread::yield_now();
    }
    let spans = spans::of(&events);
    assert!(spans.iter().all(|span| span.trace_id == 42 && span.span_id != 0 && span.start <= span.end));
    let mut ids: Vec<u64> = spans.iter().map(|span| span.span_id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), spans.len(), "numbers differ");
    let counts =
        ["send parse", "queue parse", "handle parse", "queue check", "handle check", "receive check"]
            .map(|name| named(&spans, name).len());
    assert_eq!((counts, spans.len()), ([2, 2, 2, 2, 2, 1], 11));
    let parent = |span: &Span| spans.iter().find(|other| Some(other.span_id) == span.parent_id);
    let received = named(&spans, "receive check")[0];
    let mut way = vec![received];
    while let Some(span) = parent(way[way.len() - 1]) {
        way.push(span);
    }
    let names: Vec<_> = way.iter().map(|span| &*span.name).collect();
    assert_eq!(
        names,
        ["receive check", "handle check", "queue check", "handle parse", "queue parse", "send parse"]
    );
    let send = way[5];
    assert_eq!((send.parent_id, send.kind), (Some(own.span_id), SpanKind::Producer));
    assert_eq!(way[2].end, way[1].start, "a handler begins where the wait ends");
    assert_eq!(attribute(way[1], "messaging.system"), Some(SpanValue::Text("annulus".into())));
    let types = [0, 1, 2, 5].map(|at| attribute(way[at], "messaging.operation.type"));
    let text = |value: &str| Some(SpanValue::Text(value.into()));
    assert_eq!(types, [text("receive"), text("process"), None, text("send")]);
    assert_eq!(attribute(way[1], "messaging.destination.partition.id"), Some(SpanValue::Text("0".into())));
    assert_eq!(attribute(way[1], "annulus.outputs"), Some(SpanValue::Number(1)));
    let failed: Vec<_> = spans.iter().filter(|span| span.error.is_some()).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].name, "handle check");
    assert_eq!(attribute(failed[0], "error.type"), Some(SpanValue::Text("0x0007".into())));
    assert!(failed[0].error.as_ref().unwrap().contains("0x0007"), "{:?}", failed[0].error);
}
