//! What kernels print and live through, kept for tests to look at.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use annulus_runtime::{LIFECYCLE_TARGET, PRINT_TARGET, STALL_TARGET};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use crate::life::Lived;

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
    /// The same.
    pub cycle: Option<String>,
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
            "cycle" => self.cycle = Some(value.to_owned()),
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
    lived: Arc<Mutex<Vec<Lived>>>,
    hooks: Arc<Mutex<Vec<Arc<Kept>>>>,
}

/// A hook of some instance.
struct Kept {
    instance: String,
    hook: Box<dyn Fn(&Print) + Send + Sync>,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("instance", &self.instance).finish_non_exhaustive()
    }
}

/// As long as it lives, the hook is called.
#[derive(Debug)]
pub struct Hook {
    hooks: Arc<Mutex<Vec<Arc<Kept>>>>,
    its: Arc<Kept>,
}

impl Drop for Hook {
    fn drop(&mut self) {
        let mut hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        hooks.retain(|hook| !Arc::ptr_eq(hook, &self.its));
    }
}

impl Keeper {
    /// Those that were kept and pass, in order.
    pub fn kept(&self, passes: impl Fn(&Print) -> bool) -> Vec<Print> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().filter(|print| passes(print)).cloned().collect()
    }

    /// What the instance of this name has lived through, in order.
    pub fn life_of(&self, instance: &str) -> Vec<Lived> {
        let lived = self.lived.lock().unwrap_or_else(PoisonError::into_inner);
        let its = |event: &&Lived| event.target == LIFECYCLE_TARGET && event.field("kernel") == instance;
        lived.iter().filter(its).cloned().collect()
    }

    /// What was told of sends to it that waited for long.
    pub fn stalls_of(&self, instance: &str) -> Vec<Lived> {
        let lived = self.lived.lock().unwrap_or_else(PoisonError::into_inner);
        let its = |event: &&Lived| event.target == STALL_TARGET && event.field("kernel") == instance;
        lived.iter().filter(its).cloned().collect()
    }

    /// Has `hook` called with each event of an instance, where it is told and under no lock, until what is
    /// returned is dropped.
    pub fn hook(&self, instance: &str, hook: impl Fn(&Print) + Send + Sync + 'static) -> Hook {
        let its = Arc::new(Kept { instance: instance.into(), hook: Box::new(hook) });
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&its));
        Hook { hooks: Arc::clone(&self.hooks), its }
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        [PRINT_TARGET, LIFECYCLE_TARGET, STALL_TARGET].contains(&metadata.target())
    }

    fn event(&self, event: &Event<'_>) {
        if event.metadata().target() != PRINT_TARGET {
            let mut lived = Lived { target: event.metadata().target(), ..Lived::default() };
            event.record(&mut lived);
            self.lived.lock().unwrap_or_else(PoisonError::into_inner).push(lived);
        }
        if event.metadata().target() == LIFECYCLE_TARGET {
            return;
        }
        let mut print = Print { is_print: *event.metadata().level() == Level::INFO, ..Print::default() };
        event.record(&mut print);
        let hooks: Vec<_> = {
            let hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner);
            hooks.iter().filter(|hook| Some(&hook.instance) == print.instance.as_ref()).cloned().collect()
        };
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(print.clone());
        hooks.iter().for_each(|kept| (kept.hook)(&print));
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
