//! Messages continue the spans of the program's own OpenTelemetry.

use annulus_runtime::TraceContext;
use opentelemetry::{Context, trace::TraceContextExt as _};

/// From now on, messages that are sent within OpenTelemetry's current span continue its trace, if that span is sampled: in
/// this process, by every thread, to all kernels with [tracing](annulus_runtime::LaunchOptions::tracing). The span is
/// the parent of the message's `send`. A [`TraceContext`] that a thread has entered itself comes first.
///
/// Returns whether it has an effect. It has none if the program has asked to [follow](TraceContext::follow) something
/// already, this included.
///
/// ```
/// use annulus::{TraceEvent, prelude::*};
/// use opentelemetry::trace::{TraceContextExt as _, Tracer as _, TracerProvider as _};
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Order {
///     cents: u64,
/// }
///
/// #[ring_kernel]
/// fn book(_order: &Order) {}
///
/// assert!(annulus_observe::follow_opentelemetry());
/// let runtime = Runtime::builder().build()?;
/// let kernel = book::launch(&runtime, LaunchOptions::production().tracing(true))?;
/// // The program's own provider, with its own exporter.
/// let provider = opentelemetry_sdk::trace::SdkTracerProvider::builder().build();
/// let span = provider.tracer("shop").in_span("checkout", |context| {
///     kernel.send_blocking(Order { cents: 500 }).map(|_| context.span().span_context().span_id())
/// })?;
/// kernel.drained_blocking();
/// let TraceEvent::Handled(call) = &runtime.take_traces()[0] else { unreachable!() };
/// assert_eq!(call.continues.map(u64::to_be_bytes), Some(span.to_bytes()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn follow_opentelemetry() -> bool {
    TraceContext::follow(current)
}

fn current() -> Option<TraceContext> {
    Context::map_current(|context| {
        let span = context.span();
        let span = span.span_context();
        (span.is_valid() && span.is_sampled()).then(|| TraceContext {
            trace_id: u128::from_be_bytes(span.trace_id().to_bytes()),
            span_id: u64::from_be_bytes(span.span_id().to_bytes()),
        })
    })
}
