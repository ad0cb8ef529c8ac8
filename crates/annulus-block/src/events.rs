//! Messages that a block gets without being sent them: one before all others, ticks, and a last one.
//!
//! They are no timers: they take no room from those that a handler sets, are not counted among those that wait, and
//! nobody has to set them. The block *arms* them when it is active for the first time: the start is due then, and the
//! first tick a period later. The message itself is written where it is handled, in a place that no timer has.
//!
//! A tick is set again when it is *taken*, before the handler is called. So it comes again also if the handler fails,
//! or if what it sends has to wait. Ticks keep to the times that are multiples of the period from the first one on. What
//! was missed, since the kernel was inactive, held or busy, comes as one: the tick that is taken late stands for
//! all that were due, and the next one is due at the first such time that has not passed.
//!
//! The start is taken before any message of the ring, of other kernels or of timers: of the latter there are none
//! yet, and no turn takes from a ring while it waits.
//!
//! The last one is taken when an active block has seen that it is to terminate, in a turn of its own, *before* the block
//! obeys. So whoever sees that it has terminated sees what this message did. It is tried once: if the outbound ring
//! has no room for what its handler may send, or outputs are held, it never comes, and counts as a timer that is
//! lost. Otherwise a receiver that has gone would keep the kernel from ending.

use annulus_kernel::{TickDefinition, TimersDefinition, TypeDescriptor};

/// The messages of a block that nobody sends.
#[derive(Debug, Default)]
pub(crate) struct Events {
    stage: Stage,
    /// The message before all others, as long as there is one in the definition.
    start: Option<Event>,
    /// The tick.
    tick: Option<Event>,
    period: u64,
    /// The last message.
    stop: Option<Event>,
}

/// How far they have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The block was not active yet.
    #[default]
    Idle,
    Armed,
    /// The last one was taken.
    Stopped,
    /// It found no room.
    Missed,
}

/// A message that nobody sends.
#[derive(Debug)]
struct Event {
    bytes: Box<[u8]>,
    /// When it is due; `None` if it is not armed, or was taken.
    due: Option<u64>,
}

impl Event {
    fn of(message: &TypeDescriptor, variant: usize) -> Self {
        let bytes = message.bare(variant).expect("the macro marks variants without fields");
        Self { bytes, due: None }
    }

    fn take(&mut self) -> Option<(u64, &[u8])> {
        Some((self.due.take()?, &self.bytes))
    }
}

fn is_due(event: &Option<Event>) -> bool {
    event.as_ref().is_some_and(|event| event.due.is_some())
}

impl Events {
    /// Those of a kernel with messages of this type.
    pub(crate) fn new(definition: &TimersDefinition, message: &TypeDescriptor) -> Self {
        let TimersDefinition { tick, start, stop, .. } = *definition;
        Self {
            stage: Stage::Idle,
            start: start.map(|variant| Event::of(message, variant)),
            tick: tick.map(|tick| Event::of(message, tick.variant)),
            period: tick.map_or(0, |TickDefinition { period, .. }| period),
            stop: stop.map(|variant| Event::of(message, variant)),
        }
    }

    /// Whether nothing is left to arm.
    pub(crate) fn is_armed(&self) -> bool {
        self.stage != Stage::Idle || self.start.is_none() && self.tick.is_none() && self.stop.is_none()
    }

    /// The block is active for the first time.
    pub(crate) fn arm(&mut self, now: u64) {
        self.stage = Stage::Armed;
        if let Some(start) = &mut self.start {
            start.due = Some(now);
        }
        if let Some(tick) = &mut self.tick {
            tick.due = Some(now.saturating_add(self.period));
        }
    }

    /// Whether the message before all others waits, or the last one.
    // TWIN: starts
    pub(crate) fn starts(&self) -> bool {
        is_due(&self.start) || is_due(&self.stop)
    }

    /// The block is to terminate: whether the last message comes, which is due then. Called until it has come.
    pub(crate) fn stop(&mut self, now: u64) -> bool {
        match &mut self.stop {
            Some(stop) if self.stage == Stage::Armed => {
                stop.due = Some(now);
                true
            }
            _ => false,
        }
    }

    /// There is no room for it.
    pub(crate) fn miss_stop(&mut self) {
        self.stop = None;
        self.stage = Stage::Missed;
    }

    /// Whether there was none.
    pub(crate) fn has_missed(&self) -> bool {
        self.stage == Stage::Missed
    }

    /// When the first is due.
    pub(crate) fn due(&self) -> Option<u64> {
        let due = |event: &Option<Event>| event.as_ref().and_then(|event| event.due);
        due(&self.start).or_else(|| due(&self.stop)).or_else(|| due(&self.tick))
    }

    /// Takes the first, which is due at `now`, or is the start or the last one: when it was due, and its bytes.
    pub(crate) fn take(&mut self, now: u64) -> Option<(u64, &[u8])> {
        if is_due(&self.start) {
            return self.start.as_mut()?.take();
        }
        if is_due(&self.stop) {
            self.stage = Stage::Stopped;
            return self.stop.as_mut()?.take();
        }
        let Event { bytes, due } = self.tick.as_mut()?;
        let was_due = due.take()?;
        let next = was_due.saturating_add(self.period);
        let missed = if next <= now { (now - next) / self.period + 1 } else { 0 };
        *due = Some(next.saturating_add(missed.saturating_mul(self.period)));
        Some((was_due, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(period: u64) -> Events {
        let tick = Event { bytes: Box::from([7]), due: None };
        Events { tick: Some(tick), period, ..Events::default() }
    }

    /// P-07: ticks keep to multiples of their period, and those that were missed come as one.
    #[test]
    fn p07_a_late_tick_stands_for_all_that_were_missed() {
        let mut events = ticks(10);
        assert!(!events.is_armed() && events.due().is_none());
        events.arm(3);
        assert!(events.is_armed());
        for (now, due, next) in
            [(13, 13, 23), (24, 23, 33), (42, 33, 43), (43, 43, 53), (73, 53, 83), (999, 83, 1003)]
        {
            assert_eq!(events.due(), Some(due));
            assert_eq!(events.take(now), Some((due, &[7][..])), "{now}");
            assert_eq!(events.due(), Some(next), "{now}");
        }
    }

    /// P-07: the start comes once, and before the first tick.
    #[test]
    fn p07_the_start_comes_once() {
        let mut events = ticks(10);
        events.start = Some(Event { bytes: Box::from([5]), due: None });
        assert!(!events.starts());
        events.arm(100);
        assert!(events.starts());
        // A clock may be set back.
        assert_eq!(events.take(90), Some((100, &[5][..])));
        assert!(!events.starts());
        assert_eq!(events.take(110), Some((110, &[7][..])));
        assert_eq!(events.due(), Some(120));
        assert!(Events::default().is_armed());
    }

    /// P-07: the last one comes if the block was active, behind a start that still waits, and once.
    #[test]
    fn p07_the_stop_comes_once() {
        let mut events = ticks(10);
        let event = |tag| Some(Event { bytes: Box::from([tag]), due: None });
        (events.start, events.stop) = (event(5), event(6));
        assert!(!events.stop(1), "it was never active");
        events.arm(100);
        assert!(events.stop(120) && events.starts());
        assert_eq!(events.take(120), Some((100, &[5][..])));
        assert!(events.stop(121) && events.starts());
        assert_eq!(events.take(121), Some((121, &[6][..])));
        assert!(!events.stop(122) && !events.starts() && !events.has_missed());
        let mut events = Events { stop: event(6), ..Events::default() };
        events.arm(3);
        assert!(events.stop(4));
        events.miss_stop();
        assert!(events.has_missed() && !events.stop(5) && events.due().is_none());
    }
}
