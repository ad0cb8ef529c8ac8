//! Messages within the spans of a program's own OpenTelemetry.

use std::thread;

use annulus::{TraceContext, prelude::*};
use annulus_observe::spans::{self, Span};
use opentelemetry::{
    Context,
    trace::{
        SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState, Tracer as _,
        TracerProvider as _,
    },
};
use opentelemetry_sdk::trace::{InMemorySpanExporter, Sampler, SdkTracerProvider};

use crate::{Step, check, named, parse};

/// The provider's spans, by name, and those of the messages; each with its trace, its own number, and its parent's.
type Seen = (String, [u8; 16], [u8; 8], [u8; 8]);

fn of_message(span: &Span) -> Seen {
    let parent = span.parent_id.unwrap_or_default().to_be_bytes();
    (span.name.clone(), span.trace_id.to_be_bytes(), span.span_id.to_be_bytes(), parent)
}

#[test]
fn messages_are_children_of_the_current_span() {
    annulus_observe::follow_opentelemetry();
    assert!(!annulus_observe::follow_opentelemetry(), "once for all");
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let tracer = provider.tracer("shop");
    let unsampled = SdkTracerProvider::builder().with_sampler(Sampler::AlwaysOff).build().tracer("shop");

    let runtime = Runtime::builder().build().unwrap();
    let options =
        |name: &str| LaunchOptions::production().name(name).connectable(true).tracing(true).trace_sample(0.0);
    let last = check::launch(&runtime, options("check")).unwrap();
    let first = parse::bind().connect(&last).launch(&runtime, options("parse")).unwrap();
    let send = |number: u32| {
        let _ = first.send_blocking(Step { number }).unwrap();
    };
    // Outside of all spans, and in one that is not sampled: nobody follows.
    send(1);
    unsampled.in_span("unsampled", |_| send(2));
    tracer.in_span("checkout", |_| {
        send(3);
        tracer.in_span("inner", |_| {
            send(4);
            // Another thread is in no span, unless it was told.
            thread::scope(|scope| {
                scope.spawn(|| send(5)).join().unwrap();
            });
            // What was entered by hand comes first.
            let _scope = TraceContext { trace_id: 7, span_id: 9 }.enter();
            send(6);
        });
        // One from far away, of a request for example, is as good.
        let remote = SpanContext::new(
            TraceId::from_bytes([3; 16]),
            SpanId::from_bytes([4; 8]),
            TraceFlags::SAMPLED,
            true,
            TraceState::default(),
        );
        let _guard = Context::current().with_remote_span_context(remote).attach();
        send(7);
    });
    send(8);
    for _ in 0..8 {
        last.recv_blocking().unwrap();
    }
    let mut events = Vec::new();
    while events.len() < 4 * 3 {
        events.extend(runtime.take_traces());
        thread::yield_now();
    }
    let made = spans::of(&events);
    let hosts = exporter.get_finished_spans().unwrap();
    let host = |name: &str| {
        let span = hosts.iter().find(|span| span.name == name).unwrap();
        (span.span_context.trace_id().to_bytes(), span.span_context.span_id().to_bytes())
    };
    assert_eq!(hosts.len(), 2, "{hosts:?}");
    let (checkout, inner) = (host("checkout"), host("inner"));
    assert_eq!(checkout.0, inner.0);

    let mut sends: Vec<_> = named(&made, "send parse");
    sends.sort_by_key(|span| span.start);
    let parents: Vec<_> =
        sends.iter().map(|span| of_message(span)).map(|(_, trace, _, parent)| (trace, parent)).collect();
    let by_hand = (7_u128.to_be_bytes(), 9_u64.to_be_bytes());
    assert_eq!(parents, [checkout, inner, by_hand, ([3; 16], [4; 8])]);
    // All that comes of a message is in the trace, also in the next kernel and back.
    for (trace, count) in [(checkout.0, 12), (by_hand.0, 6), ([3; 16], 6)] {
        assert_eq!(made.iter().filter(|span| of_message(span).1 == trace).count(), count, "{made:#?}");
    }
    assert_eq!(made.len(), 24);
    provider.shutdown().unwrap();
}
