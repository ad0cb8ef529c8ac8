//! What an answer costs: of another kernel, and through three kernels.

use std::time::{Duration, Instant};

use annulus::{Pipeline, prelude::*};

use super::{
    Config, Suite,
    links::{SPIN, end, options, to_and_fro, until},
};
use crate::{
    BackendName,
    harness::{Better, Candidate, Case, Goal, Mark, Run},
    kernels::{
        Large, Numbered,
        asks::{Asking, Begin, inform, inquire},
        echo_large,
    },
    launched::runtime_of,
};

pub(super) const SUITE: Suite = Suite {
    name: "asks",
    about: "an ask and its answer beside a hop, a call through three kernels beside three calls (lower is better)",
    method: "an ask: one kernel asks another one, and asks again when the answer comes, each time with a message of 56 bytes; its answer has 40, and \
             makes a message of 56. The time from one ask to the next: the query goes there, and the answer comes back. A hop: a message of 56 bytes \
             goes to and fro between two kernels, and the time of one way. At a time: so many asks are open, and so many messages hop; the time for \
             each. Blocks look for messages as long as a run lasts; asleep: they sleep when they find nothing. The end is seen by the host in the kernels' counts, at \
             which it looks every 50 µs, asleep in between. A call: of a message of 56 bytes, through three kernels that send on \
             what they take, beside three calls of the host to three such kernels, one after the other; the host polls for each answer.",
    cases,
};

const OPEN: u64 = 32;

fn cases(config: Config) -> Vec<Case> {
    let asks: u64 = config.size(100_000, 25_000);
    let calls: u64 = config.size(20_000, 5_000);
    let case = |name: &str, limit, candidates, mark| Case {
        name: name.into(),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(limit),
        candidates,
        marks: vec![mark],
    };
    let ours = |name, run: Box<dyn FnMut() -> Run>| Candidate { name, run, once: false };
    let mark = |candidate, times| Mark { candidate, metric: "", goal: Goal::TimesLimit(times) };
    let mut one = vec![
        ours("a hop", Box::new(move || to_and_fro(config, 1, 2 * asks, 1, SPIN))),
        ours("an ask", Box::new(move || asked(config, 1, asks, SPIN))),
    ];
    if config.backend == BackendName::Cpu {
        let none = Duration::ZERO;
        one.push(ours("a hop, asleep", Box::new(move || to_and_fro(config, 1, asks / 5, 1, none))));
        one.push(ours("an ask, asleep", Box::new(move || asked(config, 1, asks / 10, none))));
    }
    let each = (asks / OPEN).max(1);
    let many = vec![
        ours("a hop", Box::new(move || to_and_fro(config, OPEN, 2 * each, 1, SPIN))),
        ours("an ask", Box::new(move || asked(config, OPEN, each, SPIN))),
    ];
    let through = vec![
        ours("three calls", Box::new(move || three_calls(config, calls))),
        ours("through three", Box::new(move || through_three(config, calls))),
    ];
    vec![
        case("one at a time", "a hop", one, mark("an ask", 2.6)),
        case("32 at a time", "a hop", many, mark("an ask", 2.6)),
        case("a call", "three calls", through, mark("through three", 0.6)),
    ]
}

/// So many asks are open at a time, each of which is followed by others; the time for each.
fn asked(config: Config, open: u64, asks: u64, spin: Duration) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let options = |name| options(name).spin(spin).through(64);
    let asked = inform::launch(&runtime, options("asked"))?;
    let asking = inquire::launch(&runtime, options("asking").active(false))?;
    asking.port(inquire::QUERY).connect(&asked)?;
    asking.activate_blocking()?;
    let mut took = Duration::ZERO;
    let (mut begun, mut answered) = (0, 0);
    for count in [(asks / 10).max(1), asks] {
        let start = Instant::now();
        for _ in 0..open {
            let _ = asking.send_blocking(Asking::Begin(Begin::new(count)))?;
        }
        begun += open;
        answered += open * count;
        until(&[&asking], begun + answered)?;
        took = start.elapsed();
        for _ in 0..open {
            let _ = asking.port(inquire::DONE).recv_blocking()?;
        }
    }
    end(&asking, begun + answered)?;
    end(&asked, answered)?;
    Ok(vec![took.as_nanos() as f64 / (open * asks) as f64])
}

/// The time in which `call` ends, which answers what it is given.
fn timed(calls: u64, mut call: impl FnMut(Large) -> Result<Large, annulus::CallError>) -> Run {
    let mut took = Duration::ZERO;
    for count in [calls / 10, calls] {
        let start = Instant::now();
        for number in 0..count {
            let sent = Large::numbered(number);
            let answer = call(sent)?;
            if answer != sent {
                return Err(format!("{sent:?} was answered by {answer:?}").into());
            }
        }
        took = start.elapsed();
    }
    Ok(vec![took.as_nanos() as f64 / calls as f64])
}

fn three_calls(config: Config, calls: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let launch = |name: &str| echo_large::launch(&runtime, LaunchOptions::production().name(name));
    let [first, middle, last] = ["first", "middle", "last"].map(launch);
    let kernels = [first?, middle?, last?];
    let timed = timed(calls, |message| {
        kernels.iter().try_fold(message, |message, kernel| kernel.call_blocking(message))
    })?;
    kernels.iter().try_for_each(|kernel| end(kernel, calls / 10 + calls))?;
    Ok(timed)
}

fn through_three(config: Config, calls: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let options = |name: &str| LaunchOptions::production().name(name).through(64);
    let last = echo_large::launch(&runtime, options("last"))?;
    let middle = echo_large::launch_into(&last, options("middle"))?;
    let first = echo_large::launch_into(&middle, options("first"))?;
    let whole = Pipeline::new(&first, &last)?;
    let timed = timed(calls, |message| whole.call_blocking(message))?;
    drop(whole);
    [&first, &middle, &last].into_iter().try_for_each(|kernel| end(kernel, calls / 10 + calls))?;
    Ok(timed)
}
