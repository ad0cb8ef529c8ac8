//! Messages that a block gets without being sent them: one before all others, and ticks.
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

use annulus_kernel::{TickDefinition, TimersDefinition, TypeDescriptor};

/// The messages of a block that nobody sends.
#[derive(Debug, Default)]
pub(crate) struct Events {
    is_armed: bool,
    /// The message before all others, as long as there is one in the definition.
    start: Option<Event>,
    /// The tick.
    tick: Option<Event>,
    period: u64,
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
}

impl Events {
    /// Those of a kernel with messages of this type.
    pub(crate) fn new(definition: &TimersDefinition, message: &TypeDescriptor) -> Self {
        let TimersDefinition { tick, start, .. } = *definition;
        Self {
            is_armed: false,
            start: start.map(|variant| Event::of(message, variant)),
            tick: tick.map(|tick| Event::of(message, tick.variant)),
            period: tick.map_or(0, |TickDefinition { period, .. }| period),
        }
    }

    /// Whether nothing is left to arm.
    pub(crate) fn is_armed(&self) -> bool {
        self.is_armed || self.start.is_none() && self.tick.is_none()
    }

    /// The block is active for the first time.
    pub(crate) fn arm(&mut self, now: u64) {
        self.is_armed = true;
        if let Some(start) = &mut self.start {
            start.due = Some(now);
        }
        if let Some(tick) = &mut self.tick {
            tick.due = Some(now.saturating_add(self.period));
        }
    }

    /// Whether the message before all others waits.
    // TWIN: starts
    pub(crate) fn starts(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.due.is_some())
    }

    /// When the first is due.
    pub(crate) fn due(&self) -> Option<u64> {
        let due = |event: &Option<Event>| event.as_ref().and_then(|event| event.due);
        due(&self.start).or_else(|| due(&self.tick))
    }

    /// Takes the first, which is due at `now`, or is the start: when it was due, and its bytes.
    pub(crate) fn take(&mut self, now: u64) -> Option<(u64, &[u8])> {
        let starts = self.starts();
        let event = if starts { &mut self.start } else { &mut self.tick };
        let Event { bytes, due } = event.as_mut()?;
        let was_due = due.take()?;
        if !starts {
            let next = was_due.saturating_add(self.period);
            let missed = if next <= now { (now - next) / self.period + 1 } else { 0 };
            *due = Some(next.saturating_add(missed.saturating_mul(self.period)));
        }
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
}
