//! What the hardware allows: two threads and cache lines, nothing else.

use std::{hint::black_box, sync::Arc, time::Instant};

use annulus_sync::{AtomicU64, Ordering, spin_loop, yield_now};

use crate::{
    clock::{between, percentiles, read_cost, time_of},
    harness::Run,
    machine::{OnCore, spawn_apart},
};

/// A cache line.
#[derive(Default)]
#[repr(align(64))]
struct Line {
    words: [AtomicU64; 8],
}

/// A line with its neighbour, which x86-64 fetches along with it.
#[derive(Default)]
#[repr(align(128))]
struct Apart(Line);

/// A line for each direction.
#[derive(Default)]
struct Lines {
    there: Apart,
    back: Apart,
}

const STOP: u64 = u64::MAX;

/// Looks this often before it lets other threads run: many times what an undisturbed thread needs, since
/// whoever is waited for has then lost its core. Ours sleep in that case; a limit that went on would lose a
/// time slice each time.
const LOOKS: u32 = 20_000;

/// Looks until there is something.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    loop {
        for _ in 0..LOOKS {
            if let Some(found) = look() {
                return found;
            }
            spin_loop();
        }
        yield_now();
    }
}

fn wait_for(word: &AtomicU64, value: u64) {
    until(|| (word.load(Ordering::Acquire) == value).then_some(()));
}

/// Waits for the next value that is not `last`.
fn wait_past(word: &AtomicU64, last: u64) -> u64 {
    until(|| Some(word.load(Ordering::Acquire)).filter(|&value| value != last))
}

/// A counter goes there in one line and comes back in another; both threads spin. The percentiles of a round
/// trip.
pub(crate) fn ping_pong(warm_up: u64, samples: u64) -> Run {
    let _here = OnCore::new(0);
    let lines = Arc::new(Lines::default());
    let echo = {
        let lines = Arc::clone(&lines);
        spawn_apart(move || {
            let mut last = 0;
            while last != STOP {
                last = wait_past(&lines.there.0.words[0], last);
                lines.back.0.words[0].store(last, Ordering::Release);
            }
        })
    };
    let round_trip = |n: u64| {
        lines.there.0.words[0].store(n, Ordering::Release);
        wait_for(&lines.back.0.words[0], n);
    };
    (1..=warm_up).for_each(round_trip);
    let cost = read_cost();
    let mut times = Vec::with_capacity(samples as usize);
    let mut start = Instant::now();
    for n in warm_up + 1..=warm_up + samples {
        round_trip(n);
        let end = Instant::now();
        times.push(between(start, end, cost));
        start = end;
    }
    round_trip(STOP);
    echo.join().map_err(|_| "the echoing thread panicked")?;
    Ok(percentiles(times))
}

/// One line that another thread has written since it was last read: the percentiles of loading it. `pace` is
/// run between the request to write and the load.
pub(crate) fn transfer(samples: u64, pace: impl Fn()) -> Run {
    let _here = OnCore::new(0);
    let lines = Arc::new(Lines::default());
    let writer = {
        let lines = Arc::clone(&lines);
        spawn_apart(move || {
            let mut last = 0;
            while last != STOP {
                last = wait_past(&lines.there.0.words[0], last);
                lines.back.0.words.iter().for_each(|word| word.store(last, Ordering::Relaxed));
            }
        })
    };
    let cost = read_cost();
    let mut times = Vec::with_capacity(samples as usize);
    let (mut request, mut stale) = (0, 0);
    while (times.len() as u64) < samples {
        request += 1;
        lines.there.0.words[0].store(request, Ordering::Release);
        pace();
        let back = &lines.back.0;
        let (time, value) = time_of([back; 2], cost, |line| line.words[0].load(Ordering::Relaxed));
        if value == request {
            times.push(time);
        } else {
            // The writer had lost its core: there was nothing to transfer yet.
            stale += 1;
            if stale > 100 * samples {
                return Err("the writing thread does not keep up".into());
            }
        }
    }
    lines.there.0.words[0].store(STOP, Ordering::Release);
    writer.join().map_err(|_| "the writing thread panicked")?;
    Ok(percentiles(times))
}

/// Loading the eight words of a line that nobody writes, in nanoseconds.
pub(crate) fn cached_load(loads: u64) -> Run {
    let line = Line::default();
    let start = Instant::now();
    for _ in 0..loads {
        let line = black_box(&line);
        black_box(line.words.each_ref().map(|word| word.load(Ordering::Relaxed)));
    }
    Ok(vec![start.elapsed().as_nanos() as f64 / loads as f64])
}

/// One thread writes lines of a ring, another reads them; positions cross every 64 lines. In millions of
/// lines a second.
pub(crate) fn line_stream(capacity: u64, lines: u64) -> Run {
    let _here = OnCore::new(0);
    let ring: Arc<[Line]> = (0..capacity).map(|_| Line::default()).collect();
    let returned = Arc::new(Apart::default());
    // As much as a lap goes before the clock runs: by then the reader is there and the memory is mapped.
    let total = lines + capacity;
    let reader = {
        let (ring, returned) = (Arc::clone(&ring), Arc::clone(&returned));
        spawn_apart(move || {
            let mut sum = 0u64;
            for n in 0..total {
                let line = &ring[(n & (capacity - 1)) as usize];
                // The lap stands in the line itself.
                wait_for(&line.words[0], n / capacity + 1);
                sum = sum.wrapping_add(line.words[3].load(Ordering::Relaxed));
                if n % 64 == 63 {
                    returned.0.words[0].store(n + 1, Ordering::Release);
                }
            }
            sum
        })
    };
    let mut seen = 0;
    let mut start = Instant::now();
    for n in 0..total {
        if n == capacity {
            start = Instant::now();
        }
        if n - seen >= capacity {
            seen = until(|| {
                Some(returned.0.words[0].load(Ordering::Acquire)).filter(|&seen| n - seen < capacity)
            });
        }
        let line = &ring[(n & (capacity - 1)) as usize];
        (1..4).for_each(|i| line.words[i].store(n, Ordering::Relaxed));
        line.words[0].store(n / capacity + 1, Ordering::Release);
    }
    let sum = reader.join().map_err(|_| "the reading thread panicked")?;
    let elapsed = start.elapsed();
    if sum != (0..total).fold(0, u64::wrapping_add) {
        return Err("the reading thread saw other lines than were written".into());
    }
    Ok(vec![lines as f64 / elapsed.as_secs_f64() / 1e6])
}
