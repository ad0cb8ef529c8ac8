//! What the block in Rust prints: events of the thread that runs it.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// Texts, in order.
#[derive(Clone, Default)]
pub(crate) struct Printed(Arc<Mutex<VecDeque<String>>>);

impl Printed {
    /// Does something, and keeps what it prints.
    pub(crate) fn of<T>(&self, run: impl FnOnce() -> T) -> T {
        tracing::subscriber::with_default(self.clone(), run)
    }

    /// The next print that is this one, or the next one that it is not. In front of it there may be as many
    /// others as were lost.
    pub(crate) fn take_until(&self, text: &str, lost: u64) -> Option<String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.iter().take(lost as usize + 1).position(|kept| kept == text).unwrap_or(0);
        kept.drain(..before);
        kept.pop_front()
    }
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Printed {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(text.0);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}
