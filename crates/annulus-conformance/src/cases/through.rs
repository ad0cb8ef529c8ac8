//! Calls through pipelines: P-02. Each call ends once, with its own answer or the reason why there is none.

use std::{thread, time::Duration};

use annulus_runtime::{
    Backpressure, CallError, ConnectError, KernelHandle, LaunchError, LaunchOptions, LaunchProblem, Pipeline,
    PipelineError, PipelineStatus, block_on,
};
use annulus_sync::{AtomicBool, Ordering};

use super::links::{connect, connect_with, linked, received};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        echo,
        peers::carry,
        ports::sum_and_odd,
        through::{Query, REFUSED, act, relay, sieve},
        timers::remind,
    },
};

const ACTORS: u32 = 4;

fn options(name: &str) -> LaunchOptions {
    LaunchOptions::default().name(name).actors(ACTORS.into()).through(64)
}

fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<relay> {
    relay::launch(bench.runtime(), options).unwrap()
}

fn launch_sieve(bench: &Bench, options: LaunchOptions) -> KernelHandle<sieve> {
    sieve::launch(bench.runtime(), options).unwrap()
}

/// Three kernels in a row, the second with two outboxes.
fn three(
    bench: &Bench,
    grid: u32,
    change: impl Fn(LaunchOptions) -> LaunchOptions,
) -> (KernelHandle<relay>, KernelHandle<sieve>, KernelHandle<relay>) {
    let last = launch(bench, change(options("last")).grid(grid));
    let middle = launch_sieve(bench, change(options("middle")).grid(grid).active(false));
    middle.port(sieve::GOOD).connect(&last).unwrap();
    middle.activate_blocking().unwrap();
    let first = launch(bench, change(options("first")).active(false));
    connect(&first, &middle);
    (first, middle, last)
}

fn query(number: u32) -> Query {
    Query { actor: number % ACTORS, caller: 1, number, ..Query::default() }
}

/// A query to which this happens after so many kernels.
fn acting(number: u32, after: u32, act: u32) -> Query {
    Query { after, act, ..query(number) }
}

/// Checks that each call has ended once, and that none is open.
fn ended(status: &PipelineStatus) {
    let PipelineStatus { calls, open, answered, failed, no_reply, lost, terminated, given_up, .. } = *status;
    assert_eq!(open, 0, "{status:?}");
    assert_eq!(calls, answered + failed + no_reply + lost + terminated + given_up, "{status:?}");
}

/// P-02: a call goes through three kernels, each with actors of its own, and comes home from the last; what nobody has
/// asked for goes where it went, and a direct call is answered by the kernel that was called.
pub fn p02_calls_through_three(bench: &Bench) {
    let (first, _middle, last) = three(bench, 2, |options| options);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    assert_eq!(pipeline.status().kernels, ["first", "middle", "last"]);
    for number in 0..40 {
        let answer = pipeline.call_blocking(query(number)).unwrap();
        // Each of the three has handled as many queries of this actor.
        let taken = u64::from(number / ACTORS + 1) * 3;
        assert_eq!(answer, Query { hops: 3, taken, ..query(number) });
    }
    let direct = first.call_blocking(query(7)).unwrap();
    assert_eq!(direct.hops, 1);
    for number in 0..8 {
        let _ = first.send_blocking(Query { caller: 0, ..query(number) }).unwrap();
    }
    let answer = block_on(pipeline.call(query(3))).unwrap();
    assert_eq!((answer.number, answer.hops), (3, 3));
    drain(&last);
    let mut others = received(&last);
    others.sort_unstable_by_key(|query| query.number);
    assert_eq!(
        others.iter().map(|query| (query.number, query.hops)).collect::<Vec<_>>(),
        [(0, 3), (1, 3), (2, 3), (3, 3), (4, 3), (5, 3), (6, 3), (7, 3)]
    );
    let status = pipeline.status();
    assert_eq!((status.calls, status.answered), (41, 41));
    ended(&status);
    assert_eq!(balanced(&last).processed, 49);
}

/// P-02: a handler on the way that sends nothing by its first outbox ends the call; what it sends besides is no answer.
pub fn p02_filtered_is_no_reply(bench: &Bench) {
    let (first, middle, last) = three(bench, 1, |options| options);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    for after in 0..3 {
        let call = pipeline.call_blocking(acting(after, after, act::DROP));
        assert_eq!(call, Err(CallError::NoReply), "at {after}");
    }
    assert_eq!(pipeline.call_blocking(acting(10, 1, act::ASIDE)), Err(CallError::NoReply));
    // The first output of the first outbox carries the call, whatever comes before it or after it.
    assert_eq!(pipeline.call_blocking(acting(11, 1, act::BOTH)).unwrap().hops, 3);
    for after in 0..3 {
        let answer = pipeline.call_blocking(acting(20 + after, after, act::MORE)).unwrap();
        assert_eq!((answer.number, answer.hops, answer.caller), (20 + after, 3, 1));
    }
    drain(&last);
    let aside: Vec<_> = std::iter::from_fn(|| middle.port(sieve::BAD).try_recv().ok()).collect();
    assert_eq!(aside.iter().map(|query| query.number).collect::<Vec<_>>(), [10, 11]);
    let more = received(&last);
    assert_eq!(
        more.iter().map(|query| (query.number, query.hops)).collect::<Vec<_>>(),
        [(20, 3), (21, 3), (22, 3)]
    );
    let status = pipeline.status();
    assert_eq!((status.calls, status.answered, status.no_reply), (8, 4, 4));
    ended(&status);
}

/// P-02: a handler that fails ends the call with its code, and hands nothing on.
pub fn p02_failures_come_with_their_code(bench: &Bench) {
    let (first, _middle, last) = three(bench, 1, |options| options);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    for after in 0..3 {
        let call = pipeline.call_blocking(acting(after, after, act::FAIL));
        assert_eq!(call, Err(CallError::Failed { code: REFUSED, name: None }), "at {after}");
    }
    let nobody = pipeline.call_blocking(Query { actor: ACTORS, ..query(0) });
    let code = annulus_abi::error::UNKNOWN_ACTOR;
    assert_eq!(nobody, Err(CallError::Failed { code, name: None }));
    drain(&last);
    assert!(received(&last).is_empty());
    assert_eq!(pipeline.status().failed, 4);
    ended(&pipeline.status());
    assert_eq!(first.dead_letters().unwrap().len(), 2);
}

/// P-02: many threads call at once, more than there are places, some through the whole row and some through a part of it,
/// while others send; each gets its own answer, whatever becomes of the others.
pub fn p02_many_callers(bench: &Bench) {
    let (first, middle, last) =
        three(bench, 2, |options| options.capacity(16).output_capacity(64).through(5));
    let whole = Pipeline::new(&first, &last).unwrap();
    let part = Pipeline::new(&middle, &last).unwrap();
    let each = bench.size(60, 4000) as u32;
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        let drained = scope.spawn(|| {
            let mut others = 0;
            loop {
                // Read before the look.
                let is_last = ends.load(Ordering::Acquire);
                others += received(&last).iter().filter(|query| query.caller == 0).count();
                while middle.port(sieve::BAD).try_recv().is_ok() {}
                if is_last {
                    return others;
                }
                thread::yield_now();
            }
        });
        let caller = |caller: u32| {
            let (whole, part) = (&whole, &part);
            move || {
                for number in 0..each {
                    let begins = caller % 2;
                    let act = (caller + number) % 6;
                    let after = begins + (number / 6) % (3 - begins);
                    let asked =
                        Query { actor: (caller + number) % ACTORS, caller, ..acting(number, after, act) };
                    let asked = Query { hops: begins, ..asked };
                    let answer =
                        if begins == 0 { whole.call_blocking(asked) } else { block_on(part.call(asked)) };
                    match (act, after) {
                        (act::FAIL, _) => {
                            assert_eq!(answer, Err(CallError::Failed { code: REFUSED, name: None }))
                        }
                        (act::DROP, _) | (act::ASIDE, 1) => assert_eq!(answer, Err(CallError::NoReply)),
                        _ => {
                            let Query { taken, .. } = answer.expect("it is answered");
                            assert_eq!(answer, Ok(Query { hops: 3, taken, ..asked }));
                        }
                    }
                }
            }
        };
        let callers: Vec<_> = (1..=8).map(|number| scope.spawn(caller(number))).collect();
        let mut sent = 0;
        for number in 0..each {
            sent += usize::from(first.send_blocking(Query { caller: 0, ..query(number) }).is_ok());
        }
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        drain(&last);
        ends.store(true, Ordering::Release);
        assert!(drained.join().unwrap() >= sent);
    });
    for pipeline in [whole.status(), part.status()] {
        ended(&pipeline);
        assert_eq!((pipeline.calls, pipeline.room), (u64::from(each) * 4, 5));
        assert_eq!((pipeline.lost, pipeline.terminated, pipeline.given_up), (0, 0, 0));
    }
    let status = balanced(&first);
    assert_eq!(status.outputs_lost, 0);
}

/// P-02: an output that is lost takes its call with it: under Reject, and when the next kernel has ended.
pub fn p02_lost_calls_end(bench: &Bench) {
    let last = launch(bench, options("last").capacity(16).active(false));
    let first = launch(bench, options("first").active(false));
    connect_with(&first, &last, Backpressure::Reject);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    thread::scope(|scope| {
        let call = |number| {
            let pipeline = &pipeline;
            scope.spawn(move || pipeline.call_blocking(query(number)))
        };
        let calls: Vec<_> = (0..20).map(call).collect();
        eventually(|| pipeline.status().lost == 4);
        last.activate_blocking().unwrap();
        let ends: Vec<_> = calls.into_iter().map(|call| call.join().unwrap()).collect();
        assert_eq!(ends.iter().filter(|end| **end == Err(CallError::Lost)).count(), 4);
        for (number, end) in ends.iter().enumerate() {
            assert!(matches!(end, Err(CallError::Lost) | Ok(Query { hops: 2, .. })), "{end:?}");
            assert!(end.is_err() || end.unwrap().number == number as u32);
        }
    });
    last.terminate_blocking();
    assert_eq!(pipeline.call_blocking(query(1)), Err(CallError::Lost));
    ended(&pipeline.status());
    drain(&first);
    assert_eq!(first.status().outputs_lost, 5);
}

/// P-02: a kernel that terminates ends the calls whose messages it has not read, of the host's and of other kernels, and
/// those that it holds.
pub fn p02_what_an_ended_kernel_has_not_read_ends(bench: &Bench) {
    let last = launch(bench, options("last").capacity(16).active(false));
    let first = launch(bench, options("first").capacity(64).active(false));
    connect(&first, &last);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    thread::scope(|scope| {
        let call = |number| {
            let pipeline = &pipeline;
            scope.spawn(move || pipeline.call_blocking(query(number)))
        };
        // 16 fit; one or more are held; the others are not taken.
        let calls: Vec<_> = (0..40).map(call).collect();
        eventually(|| first.status().stalled_shards == 1 && pipeline.status().calls == 40);
        first.terminate_blocking();
        eventually(|| pipeline.status().open == 16);
        last.terminate_blocking();
        for call in calls {
            let end = call.join().unwrap();
            assert!(matches!(end, Err(CallError::Lost | CallError::Terminated)), "{end:?}");
        }
    });
    let status = pipeline.status();
    ended(&status);
    assert!(status.terminated >= 16 && status.lost >= 1, "{status:?}");
    assert_eq!(pipeline.call_blocking(query(0)), Err(CallError::Closed));
}

/// P-02: kernels end while many calls are under way; each call ends.
pub fn p02_calls_race_with_the_ends_of_kernels(bench: &Bench) {
    for which in 0..3 {
        let (first, middle, last) = three(bench, 2, |options| options.capacity(16).through(16));
        let pipeline = Pipeline::new(&first, &last).unwrap();
        thread::scope(|scope| {
            for caller in 0..6 {
                let pipeline = &pipeline;
                scope.spawn(move || {
                    for number in 0.. {
                        match pipeline.call_blocking(Query { caller, ..query(number) }) {
                            Ok(answer) => assert_eq!((answer.caller, answer.number), (caller, number)),
                            Err(CallError::Lost | CallError::Terminated | CallError::Closed) => break,
                            Err(other) => panic!("{other}"),
                        }
                    }
                });
            }
            eventually(|| pipeline.status().answered > 50);
            match which {
                0 => first.terminate_blocking(),
                1 => middle.terminate_blocking(),
                _ => last.terminate_blocking(),
            };
        });
        ended(&pipeline.status());
    }
}

/// P-02: a call whose time is up keeps its place until it has ended; then the place serves others.
pub fn p02_given_up_calls_give_their_places_back(bench: &Bench) {
    let last = launch(bench, options("last").through(4).active(false));
    let first = launch(bench, options("first").active(false));
    connect(&first, &last);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    for number in 0..4 {
        let call = pipeline.call_timeout(query(number), Duration::from_millis(20));
        assert_eq!(call, Err(CallError::Timeout));
    }
    eventually(|| pipeline.status().calls == pipeline.status().given_up);
    let (sent, limit) = (pipeline.status().calls, Duration::from_millis(20));
    if sent == 4 {
        // No place is free, so this one is not even sent.
        assert_eq!(block_on(pipeline.call_within(query(4), limit)), Err(CallError::Timeout));
        assert_eq!(pipeline.status().calls, 4);
    }
    last.activate_blocking().unwrap();
    for number in 5..25 {
        assert_eq!(pipeline.call_blocking(query(number)).unwrap().number, number);
    }
    let status = pipeline.status();
    assert_eq!((status.answered, status.given_up, status.room), (20, sent, 4));
    ended(&status);
    drain(&last);
    assert!(received(&last).is_empty());
}

/// P-02: what is no pipeline, and what a pipeline forbids.
pub fn p02_what_is_no_pipeline(bench: &Bench) {
    let without = relay::launch(bench.runtime(), linked("without").actors(4).active(false)).unwrap();
    let last = launch(bench, options("last").active(false));
    let first = launch(bench, options("first").active(false));
    let error = Pipeline::new(&first, &last).unwrap_err();
    assert_eq!(error, PipelineError::NotConnected { kernel: "first".into(), last: "last".into() });
    first.connect(&without).unwrap();
    let error = Pipeline::new(&first, &last).unwrap_err();
    assert_eq!(error, PipelineError::NotThrough { kernel: "without".into() });
    assert!(error.to_string().contains("LaunchOptions::through(64)"), "{error}");
    // A pipeline that was refused holds nothing.
    first.connect(&last).unwrap();
    let pipeline = Pipeline::new(&first, &last).unwrap();
    let error = first.connect(&without).unwrap_err();
    assert_eq!(error, ConnectError::Pipeline { kernel: "first".into() });
    assert_eq!(last.connect(&first).unwrap_err(), ConnectError::Pipeline { kernel: "last".into() });
    assert_eq!(first.disconnect().unwrap_err(), ConnectError::Pipeline { kernel: "first".into() });
    drop(pipeline);
    last.connect(&first).unwrap();
    let error = Pipeline::new(&first, &last).unwrap_err();
    assert_eq!(error, PipelineError::GoesOn { kernel: "last".into(), to: "first".into() });
    let error = Pipeline::new(&first, &without).unwrap_err();
    assert_eq!(error, PipelineError::Cycle { kernel: "first".into(), last: "without".into() });
    let sieve = launch_sieve(bench, options("sieve").active(false));
    let error = Pipeline::new(&sieve, &sieve).unwrap_err();
    assert_eq!(error, PipelineError::Outboxes { kernel: "sieve".into(), outboxes: 2 });
    let waits = options("waits").expiry(Duration::from_secs(9)).active(false);
    let waits = launch(bench, waits);
    let error = Pipeline::new(&waits, &waits).unwrap_err();
    assert_eq!(error, PipelineError::QueueInFront { kernel: "waits".into() });
    let refused = echo::launch(bench.runtime(), LaunchOptions::default().through(8).calls(false));
    let Err(LaunchError::Invalid(problems)) = refused else { panic!("calls are off") };
    assert_eq!(problems.problems(), [LaunchProblem::Through { kernel: "echo", needs: "calls" }]);
    let options = LaunchOptions::default().actors(4).through(8);
    let Err(LaunchError::Invalid(problems)) = remind::launch(bench.runtime(), options) else {
        panic!("it has timers")
    };
    assert_eq!(problems.problems(), [LaunchProblem::ThroughTimers { kernel: "remind" }]);
    let Err(LaunchError::Invalid(problems)) =
        carry::launch(bench.runtime(), LaunchOptions::default().through(8))
    else {
        panic!("its outputs say whom they are for")
    };
    assert_eq!(problems.problems(), [LaunchProblem::ThroughPeers { kernel: "carry" }]);
    let Err(LaunchError::Invalid(problems)) =
        sum_and_odd::launch(bench.runtime(), LaunchOptions::default().through(8))
    else {
        panic!("a whole block works on one message")
    };
    assert_eq!(problems.problems(), [LaunchProblem::ThroughBlock { kernel: "sum_and_odd" }]);
}

/// P-02: a call that was given up, and has ended since, keeps neither its place nor its kernels: these can be connected
/// elsewhere, though nobody calls any more.
pub fn p02_given_up_calls_that_have_ended_pin_nothing(bench: &Bench) {
    let last = launch(bench, options("last").active(false));
    let first = launch(bench, options("first").active(false));
    connect(&first, &last);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    let call = pipeline.call_timeout(query(1), Duration::from_millis(20));
    assert_eq!(call, Err(CallError::Timeout));
    drain(&first);
    drop(pipeline);
    first.deactivate_blocking().unwrap();
    if last.status().pending != 0 || last.status().sent == 0 {
        assert_eq!(first.disconnect(), Err(ConnectError::Pipeline { kernel: "first".into() }));
    }
    last.activate_blocking().unwrap();
    drain(&last);
    first.disconnect().unwrap();
}

/// P-02: a place that is given back goes to a caller that has use for it, also if another one has waited longer.
pub fn p02_places_go_to_callers_that_have_use_for_them(bench: &Bench) {
    let alone = |name: &str, room: u32, active: bool| {
        let kernel = launch(bench, options(name).through(room).active(active));
        let pipeline = Pipeline::new(&kernel, &kernel).unwrap();
        (kernel, pipeline)
    };
    let (holder, held) = alone("holder", 5, false);
    let (giver, given) = alone("giver", 5, false);
    let (_small, small) = alone("small", 4, true);
    let (_large, large) = alone("large", 5, true);
    thread::scope(|scope| {
        let call = |pipeline: &Pipeline<relay, relay>, number| {
            let pipeline = pipeline.clone();
            scope.spawn(move || pipeline.call_blocking(query(number)).unwrap().number)
        };
        let mut calls: Vec<_> = (0..4).map(|number| call(&held, number)).collect();
        eventually(|| held.status().calls == 4);
        calls.push(call(&given, 4));
        eventually(|| given.status().calls == 1);
        // Both wait, one behind the other; only the second may have the place that is given back.
        calls.push(call(&small, 5));
        thread::sleep(Duration::from_millis(50));
        calls.push(call(&large, 6));
        thread::sleep(Duration::from_millis(50));
        giver.activate_blocking().unwrap();
        eventually(|| large.status().answered == 1);
        assert_eq!((small.status().calls, held.status().open), (0, 4));
        holder.activate_blocking().unwrap();
        let numbers: Vec<_> = calls.into_iter().map(|call| call.join().unwrap()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6]);
    });
}
