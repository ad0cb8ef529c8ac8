//! The trace of a message: what it, and all that handlers sent because of it, went through.
//!
//! [`annulus_abi::trace`] says what messages carry and what blocks write. Here the host's side: it decides which messages
//! are followed, gives them numbers, and makes [`TraceEvent`]s of what blocks have written. A trace of the program's own,
//! of which a message is a part, is a [`TraceContext`].
//!
//! Nothing here waits for who reads: events wait in a queue of the runtime, up to [`MOST_EVENTS`]; more are lost and
//! counted.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, SystemTime},
};

use annulus_abi::trace::{mixed, trace_of};
use annulus_block::RuntimeClock;
use annulus_sync::{AtomicU32, AtomicU64, Ordering};

use crate::stamps;

/// How many events wait for who takes them. Source: this project's choice, some 10 MB.
pub const MOST_EVENTS: usize = 65_536;
/// Of how many messages that continue a trace of the program's it is known which one. Source: as above.
const MOST_CONTEXTS: usize = 65_536;

/// A span of a trace: of the program's own, or of a message that was received.
///
/// While it is [entered](Self::enter), messages that this thread sends to kernels with
/// [tracing](crate::LaunchOptions::tracing) continue its trace, whatever they sample.
///
/// ```
/// use annulus_runtime::TraceContext;
/// let span = TraceContext { trace_id: 7, span_id: 9 };
/// assert_eq!(TraceContext::current(), None);
/// {
///     let _scope = span.enter();
///     assert_eq!(TraceContext::current(), Some(span));
/// }
/// assert_eq!(TraceContext::current(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    /// The trace's number, as in OpenTelemetry: 16 bytes, never 0.
    pub trace_id: u128,
    /// The span's: 8 bytes, never 0.
    pub span_id: u64,
}

thread_local! {
    static ENTERED: Cell<Entered> = const { Cell::new(Entered::Nothing) };
    static LAST_RECEIVED: Cell<Option<TraceContext>> = const { Cell::new(None) };
    static RECEIVED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static RANDOM: Cell<u64> = const { Cell::new(0) };
}

/// In which span a thread is.
#[derive(Clone, Copy, Debug)]
enum Entered {
    /// In that of the program's own tracing, if there is one.
    Nothing,
    Span(TraceContext),
    /// In none: it does work of others.
    Apart,
}

static FOLLOWED: OnceLock<fn() -> Option<TraceContext>> = OnceLock::new();

impl TraceContext {
    /// Until the scope ends, this thread is in this span.
    pub fn enter(self) -> TraceScope {
        TraceScope { before: ENTERED.replace(Entered::Span(self)), _here: std::marker::PhantomData }
    }

    /// The span that this thread is in: the one that was entered last; else the one of the program's own tracing, if that
    /// was [asked for](Self::follow).
    pub fn current() -> Option<Self> {
        match ENTERED.get() {
            Entered::Span(span) => Some(span),
            Entered::Nothing => FOLLOWED.get().and_then(|current| current()),
            Entered::Apart => None,
        }
    }

    /// The span that sent what this thread received last from a kernel with tracing: whoever enters it goes on with the
    /// trace. `None` if that message was not followed.
    pub fn received() -> Option<Self> {
        LAST_RECEIVED.get()
    }

    /// From now on, messages continue also the trace that this function names. It is called for each send or batch to a
    /// kernel with tracing, and says `None` outside of all spans, and in those that are not sampled. Only the first call
    /// has an effect; returns whether this is it.
    ///
    /// ```
    /// use annulus_runtime::TraceContext;
    /// fn current() -> Option<TraceContext> {
    ///     None // what the program's tracing says
    /// }
    /// assert!(TraceContext::follow(current));
    /// assert!(!TraceContext::follow(current));
    /// ```
    pub fn follow(current: fn() -> Option<Self>) -> bool {
        FOLLOWED.set(current).is_ok()
    }
}

/// While this exists, its thread is in a span.
#[derive(Debug)]
pub struct TraceScope {
    before: Entered,
    /// It ends on the thread that it began on.
    _here: std::marker::PhantomData<*const ()>,
}

impl Drop for TraceScope {
    fn drop(&mut self) {
        ENTERED.set(self.before);
    }
}

/// While this exists, its thread does work of others: it is in no span, and what it receives is nothing that the
/// program's code on this thread has received.
pub(crate) struct Apart {
    entered: Entered,
    received: Option<TraceContext>,
    stamp: u64,
}

impl Apart {
    pub(crate) fn new() -> Self {
        Self {
            entered: ENTERED.replace(Entered::Apart),
            received: LAST_RECEIVED.get(),
            stamp: stamps::last_received(),
        }
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        ENTERED.set(self.entered);
        LAST_RECEIVED.set(self.received);
        stamps::set_last_received(self.stamp);
    }
}

/// Something that happened to a message that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceEvent {
    /// A kernel has handled it.
    Handled(Handling),
    /// The host has received it.
    Received(Receipt),
}

/// A call of a handler, of a message that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handling {
    /// The trace.
    pub trace_id: u128,
    /// The call's own span, which what the handler sent comes of.
    pub span_id: u64,
    /// The span that sent the message: that of a handler's call, or of the host's send.
    pub parent_id: u64,
    /// Whether the host has sent the message. Then `parent_id` is the span of its send, which has no event of its own.
    pub from_host: bool,
    /// If the host's send was within a span of the program's: that one.
    pub continues: Option<u64>,
    /// The kernel's name.
    pub kernel: Arc<str>,
    /// Its backend.
    pub backend: &'static str,
    /// The shard.
    pub shard: u32,
    /// When the message was sent.
    pub sent: SystemTime,
    /// When its handler was called.
    pub taken: SystemTime,
    /// When the handler had returned.
    pub done: SystemTime,
    /// If the message failed: the code, and what it means.
    pub error: Option<(u16, String)>,
    /// How many outputs come of it.
    pub outputs: u32,
    /// How many messages were handled between `taken` and `done`: more than 1 if the threads of a block did it together.
    pub together: u32,
}

/// The host has received an output of a message that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// The trace.
    pub trace_id: u128,
    /// The span of the handler's call that sent it.
    pub parent_id: u64,
    /// The kernel that sent it.
    pub kernel: Arc<str>,
    /// When it was received.
    pub at: SystemTime,
}

/// The traces of a runtime.
pub(crate) struct Traces {
    /// High halves of the numbers of traces that begin here.
    seed: u64,
    next: AtomicU32,
    clock: RuntimeClock,
    /// What the program's clock showed when the runtime's showed this.
    origin: (SystemTime, u64),
    contexts: Mutex<Contexts>,
    events: Mutex<VecDeque<TraceEvent>>,
    lost: AtomicU64,
}

/// Which messages continue a trace of the program's: the last ones.
#[derive(Default)]
struct Contexts {
    of: HashMap<u32, TraceContext>,
    order: VecDeque<u32>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is inside is whole between any two of its operations.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Traces {
    pub(crate) fn new(clock: RuntimeClock) -> Self {
        Self {
            seed: RandomState::new().hash_one("a runtime's traces") | 1,
            next: AtomicU32::new(1),
            origin: (SystemTime::now(), clock.now()),
            clock,
            contexts: Mutex::default(),
            events: Mutex::default(),
            lost: AtomicU64::new(0),
        }
    }

    /// The word of a message that is followed.
    #[cold]
    pub(crate) fn begin(&self, context: Option<TraceContext>) -> u64 {
        let mut number = self.next.fetch_add(1, Ordering::Relaxed);
        while number == 0 {
            number = self.next.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(context) = context {
            let mut contexts = lock(&self.contexts);
            if contexts.order.len() == MOST_CONTEXTS
                && let Some(oldest) = contexts.order.pop_front()
            {
                contexts.of.remove(&oldest);
            }
            contexts.order.push_back(number);
            contexts.of.insert(number, context);
        }
        u64::from(number) << 32
    }

    /// No message carries this word: what it was to continue needs no place.
    #[cold]
    pub(crate) fn withdraw(&self, word: u64) {
        let mut contexts = lock(&self.contexts);
        let number = trace_of(word);
        if contexts.of.remove(&number).is_some()
            // It is one of the last, or others have sent since.
            && let Some(place) = contexts.order.iter().rposition(|other| *other == number)
        {
            contexts.order.remove(place);
        }
    }

    fn context(&self, word: u64) -> Option<TraceContext> {
        lock(&self.contexts).of.get(&trace_of(word)).copied()
    }

    /// The trace of a word, and the span of the program's that it continues, if it continues one.
    pub(crate) fn trace(&self, word: u64) -> (u128, Option<u64>) {
        match self.context(word) {
            Some(context) => (context.trace_id, Some(context.span_id)),
            None => (u128::from(self.seed) << 64 | u128::from(self.low_half(trace_of(word))), None),
        }
    }

    /// The low half of a trace's number: collectors decide by its last 56 bits whether they keep a trace, as if it was drawn by
    /// chance, so it must not count from 1. Source: W3C Trace Context level 2, "Randomness of trace-id"; OpenTelemetry's
    /// probability sampling. Different traces of a runtime have different halves.
    fn low_half(&self, number: u32) -> u64 {
        mixed(u64::from(number) ^ self.seed.rotate_left(32))
    }

    /// The number of the span that a word stands for: words of two runtimes, or processes, are the same, and their spans
    /// must not be. Different words of a runtime have different numbers.
    pub(crate) fn span(&self, word: u64) -> u64 {
        mixed(word ^ self.seed)
    }

    /// A time of the runtime's clock.
    pub(crate) fn time(&self, nanos: u64) -> SystemTime {
        let (at, origin) = self.origin;
        match nanos.checked_sub(origin) {
            Some(after) => at + Duration::from_nanos(after),
            None => at - Duration::from_nanos(origin - nanos),
        }
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.time(self.clock.now())
    }

    pub(crate) fn push(&self, event: TraceEvent) {
        let mut events = lock(&self.events);
        if events.len() == MOST_EVENTS {
            drop(events);
            self.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        events.push_back(event);
    }

    pub(crate) fn take(&self) -> Vec<TraceEvent> {
        std::mem::take(&mut *lock(&self.events)).into()
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// What this thread has received since the last call, of a kernel with this name; it has received something.
    pub(crate) fn receive(&self, kernel: &Arc<str>) {
        let words = RECEIVED.take();
        let last = words
            .last()
            .filter(|&&word| word != 0)
            .map(|&word| TraceContext { trace_id: self.trace(word).0, span_id: self.span(word) });
        LAST_RECEIVED.set(last);
        for word in words.into_iter().filter(|&word| word != 0) {
            let (trace_id, _) = self.trace(word);
            self.push(TraceEvent::Received(Receipt {
                trace_id,
                parent_id: self.span(word),
                kernel: Arc::clone(kernel),
                at: self.now(),
            }));
        }
    }
}

/// This thread has received an output that carries a trace, or 0: after such a one, one that carries none.
#[cold]
pub(crate) fn note_received(word: u64) {
    RECEIVED.with_borrow_mut(|words| words.push(word));
}

/// How many of them this thread has noted since it last looked.
pub(crate) fn noted() -> usize {
    RECEIVED.with_borrow(Vec::len)
}

/// A number below 1, of this thread's.
fn random() -> f64 {
    let mut state = RANDOM.get();
    if state == 0 {
        state = RandomState::new().hash_one("which messages are followed") | 1;
    }
    // Xorshift: Marsaglia 2003.
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    RANDOM.set(state);
    (state >> 11) as f64 / (1_u64 << 53) as f64
}

/// How many messages go by before the next one that is followed, if one of a million is `rate` times.
pub(crate) fn gap(rate: u32) -> usize {
    match rate {
        0 => usize::MAX,
        1_000_000.. => 0,
        // The number of failures before a success, by inversion.
        rate => {
            let per_message = f64::from(rate) / 1e6;
            ((1.0 - random()).ln() / (-per_message).ln_1p()) as usize
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_followed_as_were_asked_for() {
        for rate in [1_000_000, 500_000, 10_000, 1_000] {
            let messages = 2_000_000_usize;
            let (mut at, mut followed) = (0, 0);
            loop {
                at += gap(rate);
                if at >= messages {
                    break;
                }
                at += 1;
                followed += 1;
            }
            let expected = messages as f64 * f64::from(rate) / 1e6;
            let deviation = 6.0 * expected.sqrt();
            assert!((f64::from(followed) - expected).abs() <= deviation, "{rate}: {followed} of {messages}");
        }
        assert_eq!(gap(0), usize::MAX);
    }

    #[test]
    fn events_that_nobody_takes_are_lost_and_counted() {
        let traces = Traces::new(RuntimeClock::start());
        let receipt = Receipt { trace_id: 1, parent_id: 2, kernel: "a".into(), at: traces.now() };
        for _ in 0..MOST_EVENTS + 3 {
            traces.push(TraceEvent::Received(receipt.clone()));
        }
        assert_eq!((traces.take().len(), traces.lost()), (MOST_EVENTS, 3));
        traces.push(TraceEvent::Received(receipt));
        assert_eq!(traces.take().len(), 1);
    }

    /// Who keeps one trace in ten keeps one in ten of these.
    #[test]
    fn a_collector_may_sample_traces_by_their_numbers() {
        let traces = Traces::new(RuntimeClock::start());
        let threshold = (1_u64 << 56) / 10 * 9;
        let randomness = |_| (traces.trace(traces.begin(None)).0 as u64) & ((1 << 56) - 1);
        let all: Vec<u64> = (0..20_000).map(randomness).collect();
        let kept = all.iter().filter(|&&randomness| randomness >= threshold).count();
        assert!((1_700..2_300).contains(&kept), "{kept} of {}", all.len());
        let distinct: std::collections::HashSet<u64> = all.iter().copied().collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn the_last_messages_know_what_they_continue() {
        let traces = Traces::new(RuntimeClock::start());
        let context = |n: usize| TraceContext { trace_id: n as u128 + 1, span_id: n as u64 + 1 };
        let words: Vec<u64> = (0..MOST_CONTEXTS + 2).map(|n| traces.begin(Some(context(n)))).collect();
        assert_eq!(traces.trace(words[2]), (3, Some(3)));
        assert_eq!(traces.trace(words[1]).1, None);
        let own = traces.begin(None);
        assert_eq!(traces.trace(own).1, None);
        assert_ne!(traces.trace(own).0, traces.trace(traces.begin(None)).0);
    }
}
