//! What kernels print, kept for tests to look at.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use annulus_runtime::PRINT_TARGET;
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Print {
    /// Whether it is of the level `INFO`, and not of `WARN`.
    pub is_print: bool,
    /// The field of this name, if there is one.
    pub kernel: Option<String>,
    /// The same.
    pub instance: Option<String>,
    /// The same.
    pub shard: Option<u64>,
    /// The same.
    pub file: Option<String>,
    /// The same.
    pub line: Option<u64>,
    /// The same.
    pub lost: Option<u64>,
    /// The text.
    pub message: String,
}

impl Visit for Print {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "shard" => self.shard = Some(value),
            "line" => self.line = Some(value),
            "lost" => self.lost = Some(value),
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "kernel" => self.kernel = Some(value.to_owned()),
            "instance" => self.instance = Some(value.to_owned()),
            "file" => self.file = Some(value.to_owned()),
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

/// Keeps the events of kernels.
#[derive(Clone, Debug, Default)]
pub struct Keeper {
    kept: Arc<Mutex<Vec<Print>>>,
}

impl Keeper {
    /// Those that were kept and pass, in order.
    pub fn kept(&self, passes: impl Fn(&Print) -> bool) -> Vec<Print> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().filter(|print| passes(print)).cloned().collect()
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == PRINT_TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut print = Print { is_print: *event.metadata().level() == Level::INFO, ..Print::default() };
        event.record(&mut print);
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(print);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// The process's keeper: it hears of all kernels, on whatever thread.
///
/// # Panics
///
/// If the process has another subscriber.
pub fn keeper() -> &'static Keeper {
    static KEEPER: OnceLock<Keeper> = OnceLock::new();
    KEEPER.get_or_init(|| {
        let keeper = Keeper::default();
        tracing::subscriber::set_global_default(keeper.clone()).expect("a test's process has one subscriber");
        keeper
    })
}
