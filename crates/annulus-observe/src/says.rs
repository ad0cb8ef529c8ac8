//! What a record of the flight recorder says, by names: for programs. People read [`Autopsy`](crate::Autopsy).

use annulus_abi::vitals::recorder::{self, CAUSES, Record, event};

use crate::Kernel;

/// A value of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordValue {
    /// A number: a count, a code, a message's number or key, a line.
    Number(u64),
    /// A time in seconds.
    Seconds(f64),
    /// A name.
    Text(String),
}

/// What a record says besides its kernel, its shard and its time: each value with its name. `kernel` is the one that it is
/// about, if it is still known: the names of codes are its own.
///
/// | event | values |
/// |---|---|
/// | `launched` | `shards` |
/// | `terminated` | `handled`, `left` |
/// | `failed` | `code`; `name`, if the application has one; `message`, if the block says it, and `key`, if messages have keys |
/// | `dropped` | `cause`, and `count` so far |
/// | `stalled` | `seconds` that a send has waited, messages `pending` |
/// | `slow` | `seconds` so far, `message`, and `key`, if messages have keys |
/// | `printed` | `file`, its last 16 bytes, and `line` |
/// | one that this version does not know | `first`, `second`, `third` |
///
/// The others have none.
///
/// ```
/// use annulus_observe::{Record, RecordValue, record_values};
/// let record = Record { number: 1, time: 5, kernel: 1, event: 7, shard: u32::MAX, values: [12, 3, 0], check: 0 };
/// assert_eq!(record.name(), "terminated");
/// let values = [("handled", RecordValue::Number(12)), ("left", RecordValue::Number(3))];
/// assert_eq!(record_values(&record, None), values);
/// ```
pub fn record_values(record: &Record, kernel: Option<&Kernel>) -> Vec<(&'static str, RecordValue)> {
    use RecordValue::{Number, Seconds, Text};
    let [a, b, c] = record.values;
    let seconds = |nanos: u64| Seconds(nanos as f64 / 1e9);
    let key = |key: u64| key_in_record(kernel, key).map(|key| ("key", Number(key)));
    match record.event {
        event::LAUNCHED => vec![("shards", Number(a))],
        event::TERMINATED => vec![("handled", Number(a)), ("left", Number(b))],
        event::FAILED => {
            let name = kernel.and_then(|kernel| kernel.error_name(a as u16));
            let mut values = vec![("code", Number(a))];
            values.extend(name.map(|name| ("name", Text(name.to_owned()))));
            if let Some(message) = b.checked_sub(1) {
                values.push(("message", Number(message)));
                values.extend(key(c));
            }
            values
        }
        event::DROPPED => {
            let cause = usize::try_from(a).ok().and_then(|cause| CAUSES.get(cause));
            vec![("cause", Text((*cause.unwrap_or(&"unknown")).to_owned())), ("count", Number(b))]
        }
        event::STALLED => vec![("seconds", seconds(a)), ("pending", Number(b))],
        event::SLOW => {
            let mut values = vec![("seconds", seconds(a)), ("message", Number(b))];
            values.extend(key(c));
            values
        }
        event::PRINTED => {
            let file = recorder::print_file([b, c]);
            let file = String::from_utf8_lossy(&file).trim_end_matches('\0').to_owned();
            vec![("file", Text(file)), ("line", Number(a))]
        }
        event::READY
        | event::ACTIVATED
        | event::DEACTIVATED
        | event::CLOSED
        | event::DRAINED
        | event::LOST
        | event::CYCLE
        | event::NOT_LAUNCHED => Vec::new(),
        _ => vec![("first", Number(a)), ("second", Number(b)), ("third", Number(c))],
    }
}

/// The key that a record of a kernel says, if its messages have keys. Of a kernel that nobody knows any more, 0 is taken for none.
pub(crate) fn key_in_record(kernel: Option<&Kernel>, key: u64) -> Option<u64> {
    let has_keys = kernel.map_or(key != 0, |kernel| kernel.keys);
    has_keys.then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R-06: each event that there is has its names, and no name stands twice.
    #[test]
    fn r_06_each_event_has_named_values() {
        for event in 0..event::NAMES.len() as u32 + 3 {
            let is_unknown = event == 0 || event as usize >= event::NAMES.len();
            let record =
                Record { number: 1, time: 0, kernel: 1, event, shard: 0, values: [1, 2, 3], check: 0 };
            let values = record_values(&record, None);
            let mut names: Vec<_> = values.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.contains(&"third"), is_unknown, "{event}");
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{event}");
        }
        let of = |event, values| {
            let record = Record { number: 1, time: 0, kernel: 1, event, shard: 0, values, check: 0 };
            record_values(&record, None)
        };
        let number = |name, number| (name, RecordValue::Number(number));
        assert_eq!(
            of(event::FAILED, [77, 13, 5]),
            [number("code", 77), number("message", 12), number("key", 5)]
        );
        assert_eq!(of(event::FAILED, [77, 0, 5]), [number("code", 77)], "a device says the code alone");
        // Of a kernel that is known, 0 is a key like any other, if its messages have keys.
        let mut kernel = crate::profile::tests::look(0, Vec::new()).kernels.remove(0);
        let record = |key| Record {
            number: 1,
            time: 0,
            kernel: 1,
            event: event::FAILED,
            shard: 0,
            values: [77, 13, key],
            check: 0,
        };
        let keyed = [number("code", 77), number("message", 12), number("key", 0)];
        assert_eq!(record_values(&record(0), Some(&kernel)), keyed);
        assert_eq!(record_values(&record(0), None), keyed[..2]);
        kernel.keys = false;
        assert_eq!(record_values(&record(5), Some(&kernel)), keyed[..2]);
        let text = |name, text: &str| (name, RecordValue::Text(text.into()));
        assert_eq!(of(event::DROPPED, [1, 4, 0]), [text("cause", "evicted"), number("count", 4)]);
        assert_eq!(of(event::DROPPED, [99, 4, 0]), [text("cause", "unknown"), number("count", 4)]);
        let printed = of(event::PRINTED, recorder::print_site("src/main.rs", 26));
        assert_eq!(printed, [text("file", "src/main.rs"), number("line", 26)]);
        let slow = of(event::SLOW, [1_500_000_000, 7, 8]);
        assert_eq!(slow[0], ("seconds", RecordValue::Seconds(1.5)));
    }
}
