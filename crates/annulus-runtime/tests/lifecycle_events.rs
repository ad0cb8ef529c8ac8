//! What is told of a kernel's life: to whom, how often, and that a subscriber which panics harms nobody.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::{KernelState, LIFECYCLE_TARGET, LaunchOptions, Runtime, block_on};
use annulus_sync::{AtomicBool, AtomicU64, Ordering};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use losing::Losing;

mod losing;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn swallow(number: &Number) {
    let _ = number.value;
}

/// Keeps messages, with their levels and the span that they were told in; panics at each if it is told to.
#[derive(Clone, Default)]
struct Keeper {
    kept: Arc<Mutex<Vec<(Level, String, u64)>>>,
    span: Arc<AtomicU64>,
    panics: Arc<AtomicBool>,
}

impl Keeper {
    fn messages(&self) -> Vec<String> {
        self.kept.lock().unwrap().iter().map(|(_, message, _)| message.clone()).collect()
    }
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() || metadata.target() == LIFECYCLE_TARGET
    }

    fn event(&self, event: &Event<'_>) {
        assert!(!self.panics.load(Ordering::Relaxed), "told to");
        let mut message = Message(String::new());
        event.record(&mut message);
        let span = self.span.load(Ordering::Relaxed);
        self.kept.lock().unwrap().push((*event.metadata().level(), message.0, span));
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(7)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, id: &span::Id) {
        self.span.store(id.into_u64(), Ordering::Relaxed);
    }
    fn exit(&self, _: &span::Id) {
        self.span.store(0, Ordering::Relaxed);
    }
}

fn losing() -> (Losing, Runtime) {
    let backend = Losing::default();
    (backend.clone(), Runtime::builder().backend(backend).build().unwrap())
}

#[test]
fn a_lost_kernel_is_told_of_once() {
    let keeper = Keeper::default();
    tracing::subscriber::with_default(keeper.clone(), || {
        let (backend, runtime) = losing();
        let kernel = swallow::launch(&runtime, LaunchOptions::production().grid(2)).unwrap();
        let signals = backend.0.lock().unwrap().pop().unwrap();
        signals.lost("the fan is broken");
        signals.lost("the fan is broken");
        assert_eq!(kernel.status().state, KernelState::Terminated);
    });
    assert_eq!(keeper.messages(), ["launched", "ready", "lost", "closed", "terminated"]);
    assert_eq!(keeper.kept.lock().unwrap()[2].0, Level::ERROR);
}

/// A launch that is awaited tells where its caller listens, and in the caller's span.
#[test]
fn an_awaited_launch_is_told_where_its_caller_listens() {
    let keeper = Keeper::default();
    tracing::subscriber::with_default(keeper.clone(), || {
        let (_, runtime) = losing();
        let launch = swallow::launch_async(&runtime, LaunchOptions::production());
        let kernel = tracing::info_span!("service").in_scope(|| block_on(launch)).unwrap();
        drop(kernel);
    });
    let kept = keeper.kept.lock().unwrap();
    let launched = kept.iter().find(|(_, message, _)| message == "launched").expect("it was told of");
    assert_eq!(launched.2, 7, "in the span");
}

#[test]
fn a_subscriber_that_panics_harms_nobody() {
    let keeper = Keeper::default();
    keeper.panics.store(true, Ordering::Relaxed);
    tracing::subscriber::with_default(keeper.clone(), || {
        let (_, runtime) = losing();
        let kernel = swallow::launch(&runtime, LaunchOptions::production()).unwrap();
        assert_eq!(kernel.ready_blocking(), Ok(()));
        kernel.deactivate_blocking().unwrap();
        kernel.close();
        kernel.terminate_blocking();
        assert_eq!(kernel.status().state, KernelState::Terminated);
        keeper.panics.store(false, Ordering::Relaxed);
        let _again = swallow::launch(&runtime, LaunchOptions::production()).unwrap();
    });
    assert_eq!(keeper.messages()[..2], ["launched", "ready"], "of the second alone");
}
