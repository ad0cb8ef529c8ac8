//! Messages from an input for a kernel of a topology, until the input ends: also if the kernel has no room.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::{
    DynamicKernel, Runtime, StallEnd,
    queue::sync::{AtomicBool, Ordering},
};

use crate::{failure::Failure, format::Messages, send::send_all, signals::Interrupt};

/// How often a send that may wait is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// How long kernels must have handled nothing to stand still.
const LASTS: Duration = Duration::from_millis(500);

/// How a feeding ended.
pub(super) struct Fed {
    /// What went wrong, if anything did.
    pub(super) outcome: Result<(), Failure>,
    /// What of the limit is left.
    pub(super) left: Duration,
}

/// Sends all messages. After a signal what was read before is still sent, within `limit`, unless the kernel stands still
/// in a cycle: then none of it will ever have room.
pub(super) fn feed(
    runtime: &Runtime,
    entry: &DynamicKernel,
    messages: &mut Messages,
    stop: &Interrupt,
    limit: Duration,
) -> Fed {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| watch(runtime, entry, stop, limit, &done));
        let sent = send_all(entry, messages);
        // SYNC: none; it only ends the watch, which is joined.
        done.store(true, Ordering::Relaxed);
        watch.thread().unpark();
        let Watched { asked, given_up } =
            watch.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let left = asked.map_or(limit, |asked| limit.saturating_sub(asked.elapsed()));
        let outcome = match (sent, given_up) {
            (Err(_), Some(why)) => {
                let unsent = 1 + messages.count_rest();
                let words =
                    if unsent == 1 { "message that was read was" } else { "messages that were read were" };
                Err(Failure::Fault(format!("interrupted: {unsent} {words} not sent: {why}")))
            }
            (sent, _) => sent,
        };
        Fed { outcome, left }
    })
}

/// What a watch of a feeding has seen.
struct Watched {
    /// When somebody had asked for the end.
    asked: Option<Instant>,
    /// Why it has closed the kernel to the message that waited, if it has.
    given_up: Option<String>,
}

/// Closes the kernel if a send waits for room after somebody has asked for the end, and will have none.
fn watch(
    runtime: &Runtime,
    entry: &DynamicKernel,
    stop: &Interrupt,
    limit: Duration,
    done: &AtomicBool,
) -> Watched {
    let name = entry.control().name();
    let mut asked = None;
    let mut seen = (None, Instant::now());
    // SYNC: none, see the store.
    while !done.load(Ordering::Relaxed) {
        if stop.is_asked() {
            let asked = *asked.get_or_insert_with(Instant::now);
            let now = stands_still(runtime, entry);
            if seen.0 != now {
                seen = (now, Instant::now());
            }
            let why = match &seen {
                // What was read at one time may have passed.
                (Some((cycle, _)), since) if since.elapsed() >= LASTS => Some(standing(cycle)),
                _ if asked.elapsed() >= limit => Some(format!("`{name}` did not take them within --limit")),
                _ => None,
            };
            if let Some(why) = why {
                entry.control().close();
                return Watched { asked: Some(asked), given_up: Some(why) };
            }
        }
        thread::park_timeout(LOOK);
    }
    Watched { asked, given_up: None }
}

/// The kernels of the cycle for which a kernel waits, if it does, and how many messages they have handled.
fn stands_still(runtime: &Runtime, kernel: &DynamicKernel) -> Option<(Vec<String>, u64)> {
    let (StallEnd::Cycle(cycle) | StallEnd::CycleOverBridges(cycle) | StallEnd::CycleInRounds(cycle)) =
        kernel.control().status().stall?.end
    else {
        return None;
    };
    let processed =
        |name: &String| runtime.dynamic(name).map_or(0, |kernel| kernel.control().status().processed);
    let handled = cycle.iter().map(processed).sum();
    Some((cycle, handled))
}

/// That the kernels of a cycle stand still, and which.
fn standing(cycle: &[String]) -> String {
    let names = cycle.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let verb = if cycle.len() == 1 { "stands" } else { "stand" };
    format!(
        "{names} {verb} still in a cycle whose rings are full; send fewer messages at a time, or raise capacity in the \
         topology, or use Reject for one link"
    )
}
