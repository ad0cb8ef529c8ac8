//! A kernel whose messages may carry a trace: which of them do, and what its blocks have written about them.

use std::sync::Arc;

use annulus_abi::{
    error::{ErrorName, Shown},
    ring::kind,
    trace::{RECORD_WORDS, Record},
    vitals::read::Traces as Counts,
};
use annulus_queue::SendOutcome;
use annulus_ring::ring::{Consumer, Header, Ring};
use annulus_sync::{Ordering, combining::CombiningLock};

use crate::{
    kernel::core::KernelCore,
    traces::{Handling, TraceContext, TraceEvent, Traces, gap},
    vitals::Home,
};

/// How many events are made in one go: as many as the ring has slots.
const RUN: usize = annulus_abi::trace::RECORDS as usize;

/// How many of a million messages are followed, unless the launch says it. Source: this project's choice.
const RATE: u32 = 10_000;

/// The traces of a kernel's messages.
pub(crate) struct Traced {
    pub(crate) traces: Arc<Traces>,
    /// How many of a million messages are followed.
    rate: u32,
    kernel: Arc<str>,
    backend: &'static str,
    errors: &'static [ErrorName],
    /// The host's ends of the rings of records, one for each shard.
    ends: Box<[CombiningLock<Consumer>]>,
    /// The same rings, for their counts.
    rings: Box<[Ring]>,
}

impl Traced {
    pub(crate) fn new(
        traces: &Arc<Traces>,
        rate: Option<u32>,
        (kernel, backend, errors): (&str, &'static str, &'static [ErrorName]),
        ends: Vec<Consumer>,
        rings: Vec<Ring>,
    ) -> Self {
        Self {
            traces: Arc::clone(traces),
            rate: rate.unwrap_or(RATE),
            kernel: kernel.into(),
            backend,
            errors,
            ends: ends.into_iter().map(CombiningLock::new).collect(),
            rings: rings.into(),
        }
    }

    /// The word of a message that is sent now; 0 if it is not followed.
    #[inline]
    pub(crate) fn word(&self) -> u64 {
        let context = TraceContext::current();
        if context.is_none() && (self.rate == 0 || gap(self.rate) != 0) {
            return 0;
        }
        self.traces.begin(context)
    }

    /// Which messages of a batch are followed.
    #[inline]
    pub(crate) fn sampler(&self) -> Sampler<'_> {
        let context = TraceContext::current();
        let left = if context.is_some() { 0 } else { gap(self.rate) };
        Sampler { traced: Some(self), context, left }
    }

    /// Makes events of what a shard has written.
    pub(crate) fn collect(&self, shard: usize, home: Option<&Home>) {
        self.ends[shard].run(|ring| {
            for _ in 0..RUN {
                let Some(record) = take(ring) else { break };
                self.traces.push(TraceEvent::Handled(self.handling(shard, &record)));
            }
            // Who has the end of the ring is alone here, so these never go back.
            if let Some(home) = home {
                home.show_traces(shard, self.counts_of(shard));
            }
        });
    }

    fn handling(&self, shard: usize, record: &Record) -> Handling {
        let (trace_id, continues) = self.traces.trace(record.word);
        let from_host = record.word as u32 == 0;
        let code = record.code as u16;
        let shown = || Shown { code, names: self.errors }.to_string();
        Handling {
            trace_id,
            span_id: self.traces.span(annulus_abi::trace::word_of(record.word, record.span)),
            parent_id: self.traces.span(record.word),
            from_host,
            continues: continues.filter(|_| from_host),
            kernel: Arc::clone(&self.kernel),
            backend: self.backend,
            shard: shard as u32,
            sent: self.traces.time(record.enqueued),
            taken: self.traces.time(record.taken.max(record.enqueued)),
            done: self.traces.time(record.done.max(record.taken).max(record.enqueued)),
            error: (record.code != 0).then(|| (code, shown())),
            outputs: record.sent,
            together: record.together,
        }
    }

    /// How many records blocks have written, and how many found no room.
    pub(crate) fn counts(&self) -> Counts {
        (0..self.rings.len()).map(|shard| self.counts_of(shard)).fold(Counts::default(), |sum, of| Counts {
            recorded: sum.recorded + of.recorded,
            lost: sum.lost + of.lost,
        })
    }

    /// The same of one shard.
    pub(crate) fn counts_of(&self, shard: usize) -> Counts {
        let ring = &self.rings[shard];
        Counts { recorded: ring.reserved(), lost: ring.lost().load(Ordering::Relaxed) }
    }

    /// Outputs were received: of those that carried a trace this thread has taken note.
    pub(crate) fn received(&self) {
        self.traces.receive(&self.kernel);
    }
}

/// The next record of a ring.
fn take(ring: &mut Consumer) -> Option<Record> {
    loop {
        let slot = ring.peek()?;
        let is_record = slot.kind == kind::RECORD;
        let mut words = [0; RECORD_WORDS];
        if is_record {
            let first = ring.payload(&slot).cast::<u64>();
            for (index, word) in words.iter_mut().enumerate() {
                let from = first.wrapping_add(index);
                // SAFETY: the slot is published and not given back, so nobody writes it; the word lies in its payload,
                // which has so many words, aligned to 8; and any bits are a `u64`.
                *word = unsafe { from.read() };
            }
        }
        ring.advance(&slot);
        ring.give_back();
        if is_record {
            return Some(Record::from_words(words));
        }
    }
}

/// Decides which messages of a batch are followed.
pub(crate) struct Sampler<'a> {
    traced: Option<&'a Traced>,
    context: Option<TraceContext>,
    /// Messages that go by before the next one.
    left: usize,
}

impl Sampler<'_> {
    /// The word of the next message; 0 if it is not followed.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> u64 {
        if self.left != 0 {
            self.left -= 1;
            return 0;
        }
        self.begin()
    }

    /// How many messages go by before the next one that is followed.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// The word of a run of messages: of one that is followed, or of some that are not.
    pub(crate) fn next_of(&mut self, run: usize) -> u64 {
        if self.left == 0 {
            return self.next();
        }
        self.left = self.left.saturating_sub(run);
        0
    }

    #[cold]
    fn begin(&mut self) -> u64 {
        let Some(traced) = self.traced else {
            self.left = usize::MAX;
            return 0;
        };
        self.left = if self.context.is_some() { 0 } else { gap(traced.rate) };
        traced.traces.begin(self.context)
    }
}

impl KernelCore {
    /// The word of a message that is sent now; 0 if it is not followed.
    #[inline]
    pub(crate) fn trace(&self) -> u64 {
        self.traced.as_ref().map_or(0, Traced::word)
    }

    /// The envelope of a message for which there is a place: only such a one uses up what the traces remember.
    #[inline]
    pub(crate) fn followed(&self, header: Header) -> Header {
        Header { trace: self.trace(), ..header }
    }

    /// The same of an envelope that had to be made before: if its message is not queued, nobody follows it.
    #[inline]
    pub(crate) fn unless_refused<T, E>(
        &self,
        header: Header,
        offered: Result<SendOutcome<T>, E>,
    ) -> Result<SendOutcome<T>, E> {
        if !offered.as_ref().is_ok_and(SendOutcome::is_queued) {
            self.unfollow(header);
        }
        offered
    }

    /// Makes events of what a shard has written, and shows how much that was.
    pub(crate) fn collect_traces(&self, shard: usize) {
        if let Some(traced) = &self.traced {
            traced.collect(shard, self.home.as_ref());
        }
    }

    /// No message has this envelope.
    #[inline]
    pub(crate) fn unfollow(&self, header: Header) {
        if let (Some(traced), true) = (&self.traced, header.trace != 0) {
            traced.traces.withdraw(header.trace);
        }
    }

    /// Which messages of a batch are followed.
    #[inline]
    pub(crate) fn sampler(&self) -> Sampler<'_> {
        let none = || Sampler { traced: None, context: None, left: usize::MAX };
        self.traced.as_ref().map_or_else(none, Traced::sampler)
    }
}
