//! The stamp of a message: a hybrid logical clock.
//!
//! A message of a kernel that was launched for it carries one word more: the *stamp* of the event that sent it, which is a
//! call of a handler or a send of the host. A stamp has microseconds on the runtime's clock in its upper 48 bits, and a count
//! in the lower 16. 0 stands for no stamp: whoever sent the message gives none.
//!
//! Each block, and the host of each runtime, has a clock of this kind. Whoever takes a message raises its own to the
//! message's stamp, if that is greater. An event gets the next stamp ([`next`]): greater than all before it, and not less than
//! the time. So what was sent because of a message has a greater stamp than that message, whatever the clocks of the devices
//! show. A count that is full carries into the microseconds: the clock is ahead by that, and the order stays.
//!
//! ```
//! use annulus_abi::stamp;
//! let first = stamp::next(0, 7_000_000); // Nanoseconds.
//! let second = stamp::next(first, 7_000_000);
//! assert!(second > first);
//! assert_eq!((stamp::micros(second), stamp::count(second)), (7_000, 2));
//! assert_eq!(stamp::micros(stamp::next(second, 9_000_000)), 9_000);
//! // A clock that is behind changes nothing.
//! assert_eq!(stamp::next(second, 5_000_000), second + 1);
//! ```

/// Bits of the count.
pub const COUNT_BITS: u32 = 16;

/// The stamp of an event at this time, in nanoseconds, of a clock that has shown `last`, or has taken it over from a message.
#[inline]
pub const fn next(last: u64, nanos: u64) -> u64 {
    let now = (nanos / 1000) << COUNT_BITS;
    let most = if last > now { last } else { now };
    most.wrapping_add(1)
}

/// The time of a stamp, in microseconds on the runtime's clock.
#[inline]
pub const fn micros(stamp: u64) -> u64 {
    stamp >> COUNT_BITS
}

/// Which event of its microsecond it is.
#[inline]
pub const fn count(stamp: u64) -> u64 {
    stamp & ((1 << COUNT_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k08_a_full_count_carries() {
        let mut clock = next(0, 1000);
        let first = clock;
        for _ in 0..200_000 {
            let event = next(clock, 1000);
            assert!(event > clock);
            clock = event;
        }
        assert_eq!(clock, first + 200_000);
        assert_eq!(micros(clock), 1 + 200_001 / 65_536);
        assert_eq!(micros(next(clock, 1_000_000)), 1000);
    }
}
