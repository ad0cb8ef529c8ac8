//! Answers from the middle of a pipeline: P-02. A reply goes to who asked, and the call goes no further.

use std::thread;

use annulus_runtime::{
    CallError, ConnectError, KernelHandle, LaunchOptions, Pipeline, PipelineError, block_on,
};
use annulus_sync::{AtomicBool, Ordering};

use super::links::{connect, received};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        replied::{Answer, act, cached, outputs_of_cached, priced},
        through::{Query, REFUSED, relay},
    },
};

const ACTORS: u32 = 4;

fn options(name: &str) -> LaunchOptions {
    LaunchOptions::default().name(name).actors(ACTORS.into()).through(64)
}

type Three = (KernelHandle<relay>, KernelHandle<cached>, KernelHandle<priced>);

/// Three kernels in a row, of which the second may reply.
fn three(bench: &Bench, grid: u32, change: impl Fn(LaunchOptions) -> LaunchOptions) -> Three {
    let last = priced::launch(bench.runtime(), change(options("last")).grid(grid)).unwrap();
    let middle = change(options("middle")).grid(grid).active(false);
    let middle = cached::launch(bench.runtime(), middle).unwrap();
    middle.port(cached::MISS).connect(&last).unwrap();
    middle.activate_blocking().unwrap();
    let first = relay::launch(bench.runtime(), change(options("first")).active(false)).unwrap();
    connect(&first, &middle);
    (first, middle, last)
}

fn query(number: u32) -> Query {
    Query { actor: number % ACTORS, caller: 1, number, ..Query::default() }
}

/// A query to which this happens at the second kernel.
fn acting(number: u32, act: u32) -> Query {
    Query { after: 1, act, ..query(number) }
}

fn answer(number: u32, hops: u32) -> Answer {
    Answer { caller: 1, number, hops }
}

fn told(middle: &KernelHandle<cached>) -> Vec<u32> {
    std::iter::from_fn(|| middle.port(cached::TOLD).try_recv().ok()).map(|query| query.number).collect()
}

/// P-02: what the second kernel knows, it answers; the last kernel never sees it. All other calls go on, and come home from the
/// last. Where nobody has asked, a reply goes to the host.
pub fn p02_answered_from_the_middle(bench: &Bench) {
    let (first, middle, last) = three(bench, 2, |options| options);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    for number in 0..40 {
        let known = number % 2 == 0;
        let query = acting(number, if known { act::HIT } else { 0 });
        let got = if number < 20 { pipeline.call_blocking(query) } else { block_on(pipeline.call(query)) };
        assert_eq!(got, Ok(answer(number, if known { 2 } else { 3 })));
    }
    let status = pipeline.status();
    assert_eq!((status.calls, status.answered, status.on_the_way, status.open), (40, 40, 20, 0));
    for number in 0..8 {
        let asked = Query { caller: 0, ..acting(number, if number < 4 { act::HIT } else { 0 }) };
        let _ = first.send_blocking(asked).unwrap();
    }
    drain(&last);
    assert_eq!(balanced(&last).processed, 24);
    let mut early: Vec<_> = std::iter::from_fn(|| middle.port(cached::REPLY).try_recv().ok()).collect();
    early.sort_unstable_by_key(|answer| answer.number);
    assert_eq!(early, [0, 1, 2, 3].map(|number| Answer { caller: 0, number, hops: 2 }));
    let mut late = received(&last);
    late.sort_unstable_by_key(|answer| answer.number);
    assert_eq!(late, [4, 5, 6, 7].map(|number| Answer { caller: 0, number, hops: 3 }));
}

/// P-02: whatever a handler sends besides, before the reply or behind it, the reply is the answer; the rest goes where it goes
/// without a call, in its order, and carries none.
pub fn p02_a_reply_among_other_outputs(bench: &Bench) {
    let (first, middle, last) = three(bench, 1, |options| options);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    for number in 0..20 {
        let act = if number % 2 == 0 { act::TOLD_AND_HIT } else { act::BOTH };
        assert_eq!(pipeline.call_blocking(acting(number, act)), Ok(answer(number, 2)));
    }
    drain(&last);
    let numbers = |odd: u32| (0..10).flat_map(move |i| [2 * i + odd; 2]).collect::<Vec<_>>();
    assert_eq!(told(&middle), numbers(0));
    assert_eq!(received(&last).iter().map(|answer| answer.number).collect::<Vec<_>>(), numbers(1));
    let status = pipeline.status();
    assert_eq!((status.calls, status.answered, status.on_the_way), (20, 20, 20));
}

/// P-02: a handler that neither replies nor sends by its first outbox ends the call with *no reply*, and one that fails with
/// its code, though it has replied.
pub fn p02_neither_a_reply_nor_an_output(bench: &Bench) {
    let (first, middle, last) = three(bench, 1, |options| options);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    for number in 0..4 {
        assert_eq!(pipeline.call_blocking(acting(number, act::TOLD)), Err(CallError::NoReply));
        assert_eq!(pipeline.call_blocking(acting(number, act::DROP)), Err(CallError::NoReply));
        let failed = pipeline.call_blocking(acting(number, act::FAIL));
        assert_eq!(failed, Err(CallError::Failed { code: REFUSED, name: None }));
        let at_last = Query { after: 2, act: act::DROP, ..query(number) };
        assert_eq!(pipeline.call_blocking(at_last), Err(CallError::NoReply));
        assert_eq!(pipeline.call_blocking(acting(number, act::HIT)), Ok(answer(number, 2)));
    }
    drain(&last);
    assert_eq!(told(&middle), [0, 1, 2, 3]);
    assert!(middle.port(cached::REPLY).try_recv().is_err());
    let status = pipeline.status();
    assert_eq!((status.calls, status.answered, status.no_reply, status.failed), (20, 4, 12, 4));
}

/// P-02: a last kernel that has a reply answers by it alone, and may have several outboxes: what it sends by these is for the
/// host. A direct call has its reply, too; without one, the first output.
pub fn p02_a_last_kernel_replies(bench: &Bench) {
    let kernel = cached::launch(bench.runtime(), options("cached")).unwrap();
    let alone = Pipeline::new(&kernel, &kernel).unwrap();
    let acting = |number, act| Query { after: 0, act, ..query(number) };
    for number in 0..10 {
        assert_eq!(alone.call_blocking(acting(number, act::HIT)), Ok(answer(number, 1)));
        assert_eq!(alone.call_blocking(acting(number, act::TOLD_AND_HIT)), Ok(answer(number, 1)));
        assert_eq!(alone.call_blocking(acting(number, 0)), Err(CallError::NoReply));
        assert_eq!(alone.call_blocking(acting(number, act::DROP)), Err(CallError::NoReply));
        let failed = alone.call_blocking(acting(number, act::FAIL));
        assert_eq!(failed, Err(CallError::Failed { code: REFUSED, name: None }));
        // What is behind outputs of others is received with them.
        let missed = kernel.port(cached::MISS).recv_blocking().unwrap();
        assert_eq!((missed.number, missed.hops), (number, 1));
        assert_eq!(told(&kernel), [number; 2]);
    }
    // A reply can be received before its message is counted.
    drain(&kernel);
    assert_eq!(balanced(&kernel).drops.failed, 10);
    direct_calls(&kernel);
}

/// P-02: the same of direct calls, with blocks of several threads.
pub fn p02_a_reply_to_a_direct_call(bench: &Bench) {
    for block_dim in [1, 4] {
        let options = LaunchOptions::default().actors(ACTORS.into()).block(block_dim);
        direct_calls(&cached::launch(bench.runtime(), options).unwrap());
    }
}

fn direct_calls(kernel: &KernelHandle<cached>) {
    for number in 0..10 {
        let called = |act| kernel.call_blocking(Query { after: 0, act, ..query(number) });
        for replies in [act::HIT, act::TOLD_AND_HIT, act::BOTH] {
            let Ok(outputs_of_cached::reply(got)) = called(replies) else { panic!("it replies") };
            assert_eq!(got, answer(number, 1));
        }
        let Ok(outputs_of_cached::miss(missed)) = called(0) else { panic!("its first output is the answer") };
        assert_eq!(missed.number, number);
        assert!(matches!(called(act::DROP), Err(CallError::NoReply)));
        let misses: Vec<_> =
            (0..2).map(|_| kernel.port(cached::MISS).recv_blocking().unwrap().number).collect();
        assert_eq!((misses, told(kernel)), (vec![number; 2], vec![number; 2]));
    }
    assert!(kernel.port(cached::REPLY).try_recv().is_err());
}

/// P-02: many threads call at once, more than there are places, while the host is slow to receive what is sent besides; each
/// gets its own answer, from wherever it comes.
pub fn p02_many_callers_get_their_replies(bench: &Bench) {
    let (first, middle, last) =
        three(bench, 2, |options| options.capacity(16).output_capacity(64).through(5));
    let pipeline = Pipeline::new(&first, &last).unwrap();
    let each = bench.size(60, 4000) as u32;
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                // Read before the look.
                let is_last = ends.load(Ordering::Acquire);
                assert!(received(&last).iter().all(|answer| answer.hops == 3));
                drop(told(&middle));
                assert!(middle.port(cached::REPLY).try_recv().is_err(), "somebody has asked");
                if is_last {
                    return;
                }
                thread::yield_now();
            }
        });
        let callers = (1..=8).map(|caller| {
            let pipeline = &pipeline;
            scope.spawn(move || {
                for number in 0..each {
                    let act = (caller + number) % 7;
                    let asked = Query { actor: (caller + number) % ACTORS, caller, ..acting(number, act) };
                    let got = if caller % 2 == 0 {
                        pipeline.call_blocking(asked)
                    } else {
                        block_on(pipeline.call(asked))
                    };
                    match act {
                        act::FAIL => assert_eq!(got, Err(CallError::Failed { code: REFUSED, name: None })),
                        act::DROP | act::TOLD => assert_eq!(got, Err(CallError::NoReply)),
                        0 => assert_eq!(got, Ok(Answer { caller, number, hops: 3 })),
                        _ => assert_eq!(got, Ok(Answer { caller, number, hops: 2 })),
                    }
                }
            })
        });
        callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
        drain(&last);
        ends.store(true, Ordering::Release);
    });
    let status = pipeline.status();
    let calls = u64::from(each) * 8;
    assert_eq!((status.calls, status.open, status.lost, status.terminated), (calls, 0, 0, 0), "{status:?}");
    assert_eq!(status.answered + status.failed + status.no_reply, calls, "{status:?}");
    balanced(&middle);
}

/// P-02: a reply comes home though what the handler sent besides waits for room in a kernel that takes nothing.
pub fn p02_a_reply_waits_for_no_output(bench: &Bench) {
    let sink = relay::launch(bench.runtime(), options("sink").capacity(16).output_capacity(64).active(false))
        .unwrap();
    let middle = cached::launch(bench.runtime(), options("middle").active(false)).unwrap();
    let last = priced::launch(bench.runtime(), options("last")).unwrap();
    middle.port(cached::MISS).connect(&last).unwrap();
    middle.port(cached::TOLD).connect(&sink).unwrap();
    middle.activate_blocking().unwrap();
    let pipeline = Pipeline::new(&middle, &last).unwrap();
    let asked = |number, act| Query { after: 0, act, ..query(number) };
    // Each tells twice, and 16 find room: what the ninth tells is held.
    for number in 0..9 {
        assert_eq!(pipeline.call_blocking(asked(number, act::TOLD_AND_HIT)), Ok(answer(number, 1)));
    }
    eventually(|| middle.status().stalled_shards == 1);
    sink.activate_blocking().unwrap();
    assert_eq!(pipeline.call_blocking(asked(9, act::TOLD_AND_HIT)), Ok(answer(9, 1)));
    // So does the end of a call that goes no further.
    drain(&middle);
    drain(&sink);
    sink.deactivate_blocking().unwrap();
    for number in 10..27 {
        assert_eq!(pipeline.call_blocking(asked(number, act::TOLD)), Err(CallError::NoReply), "{number}");
    }
    sink.activate_blocking().unwrap();
    assert_eq!(pipeline.call_blocking(asked(27, 0)), Ok(answer(27, 2)));
    drain(&sink);
    assert_eq!(received(&sink).len(), 20 + 17);
}

/// P-02: kernels end while many calls are under way, of which some are answered from the middle; each call ends.
pub fn p02_replies_race_with_the_ends_of_kernels(bench: &Bench) {
    for which in 0..3 {
        let (first, middle, last) = three(bench, 2, |options| options.capacity(16).through(16));
        let pipeline = Pipeline::new(&first, &last).unwrap();
        thread::scope(|scope| {
            for caller in 0..6 {
                let pipeline = &pipeline;
                scope.spawn(move || {
                    for number in 0.. {
                        let act = if number % 2 == 0 { act::HIT } else { 0 };
                        match pipeline.call_blocking(Query { caller, ..acting(number, act) }) {
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
        let status = pipeline.status();
        let ended = status.answered + status.lost + status.terminated;
        assert_eq!((status.open, ended), (0, status.calls), "{status:?}");
    }
}

/// P-02: a reply is not connected, and all kernels of a pipeline answer by one type.
pub fn p02_what_is_no_reply(bench: &Bench) {
    let middle = cached::launch(bench.runtime(), options("middle").active(false)).unwrap();
    let last = relay::launch(bench.runtime(), options("last").active(false)).unwrap();
    middle.port(cached::MISS).connect(&last).unwrap();
    let error = Pipeline::new(&middle, &last).unwrap_err();
    assert!(
        matches!(error, PipelineError::OtherAnswer { replies: "Answer", answers: "Query", .. }),
        "{error}"
    );
    assert!(
        error.to_string().starts_with("`last` answers `Query`, not `Answer` as `middle` replies: "),
        "{error}"
    );
    // A pipeline that was refused holds nothing.
    middle.port(cached::MISS).disconnect().unwrap();
    let Err(error) = middle.port(cached::REPLY).connect(&sink(bench)) else { panic!("it answers who asked") };
    assert_eq!(error, ConnectError::Replies { kernel: "middle".into(), reply: "reply" });
}

/// A kernel that takes answers.
fn sink(bench: &Bench) -> KernelHandle<crate::kernels::replied::kept> {
    crate::kernels::replied::kept::launch(bench.runtime(), options("sink").active(false)).unwrap()
}
