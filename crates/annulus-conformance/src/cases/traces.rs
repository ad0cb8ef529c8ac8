//! Messages that carry a trace. What follows one message is told once, by every kernel that it goes through; nothing is told
//! of others.

use std::{collections::HashMap, time::Duration};

use annulus_queue::{Backpressure, Deduplication, SendOutcome};
use annulus_runtime::{
    Handling, KernelHandle, LaunchOptions, NamedQueue, Receipt, TraceContext, TraceEvent, TraceStatus,
    block_on,
};

use super::links::{connect, linked, received, source};
use crate::{
    Bench,
    bench::{drain, eventually},
    kernels::{
        MARCHERS, batch_echo,
        links::{double, next, validate},
        march, number, numbers,
        ports::sum_and_odd,
        through::{Query, REFUSED, act, relay, sieve},
        timers::{Remind, remind},
        together::tree_sum,
    },
};

const SPAN: TraceContext =
    TraceContext { trace_id: 0x1234_5678_9ABC_DEF0_1111_2222_3333_4444, span_id: 0x5555 };

fn traced(options: LaunchOptions, sample: f64) -> LaunchOptions {
    options.tracing(true).trace_sample(sample)
}

/// All that is told, once it is so much.
fn told(bench: &Bench, handled: usize, receipts: usize) -> (Vec<Handling>, Vec<Receipt>) {
    let (mut handlings, mut others) = (Vec::new(), Vec::new());
    let mut look = || {
        for event in bench.runtime().take_traces() {
            match event {
                TraceEvent::Handled(handling) => handlings.push(handling),
                TraceEvent::Received(receipt) => others.push(receipt),
                other => panic!("{other:?}"),
            }
        }
        handlings.len() >= handled && others.len() >= receipts
    };
    eventually(&mut look);
    // Nothing more comes.
    std::thread::sleep(Duration::from_millis(2));
    look();
    assert_eq!((handlings.len(), others.len()), (handled, receipts), "{handlings:?} {others:?}");
    (handlings, others)
}

fn recorded<K: annulus_kernel::RingKernel>(kernel: &KernelHandle<K>) -> (u64, u64) {
    let TraceStatus { recorded, lost, .. } = kernel.status().traces.unwrap();
    (recorded, lost)
}

/// Some of the messages that go through three kernels are sent within a span: each of these is told by each of the kernels,
/// once and in order, and comes back; nothing is told of the others.
pub fn a_trace_goes_through_three_kernels_and_back(bench: &Bench) {
    for grid in [1, 2] {
        let options = |name: &str| traced(linked(name), 0.0).actors(4).grid(grid);
        let last = relay::launch(bench.runtime(), options("last")).unwrap();
        let middle = sieve::launch(bench.runtime(), options("middle").active(false)).unwrap();
        middle.port(sieve::GOOD).connect(&last).unwrap();
        middle.activate_blocking().unwrap();
        let first = relay::launch(bench.runtime(), options("first").active(false)).unwrap();
        connect(&first, &middle);
        let query = |n: u32| Query { actor: n % 4, number: n, after: 9, ..Query::default() };
        for n in 0..60 {
            let _scope = (n % 6 == 0).then(|| SPAN.enter());
            let _ = first.send_blocking(query(n)).unwrap();
        }
        drain(&last);
        assert_eq!(received(&last).len(), 60);
        let (handlings, receipts) = told(bench, 30, 10);
        let spans: HashMap<u64, &Handling> = handlings.iter().map(|one| (one.span_id, one)).collect();
        assert_eq!(spans.len(), 30);
        for receipt in &receipts {
            assert_eq!((receipt.trace_id, &*receipt.kernel), (SPAN.trace_id, "last"));
            let third = spans[&receipt.parent_id];
            let second = spans[&third.parent_id];
            let first = spans[&second.parent_id];
            let names = [first, second, third].map(|one| &*one.kernel);
            assert_eq!(names, ["first", "middle", "last"]);
            assert_eq!([first, second, third].map(|one| one.from_host), [true, false, false]);
            assert_eq!([first, second, third].map(|one| one.continues), [Some(SPAN.span_id), None, None]);
            for one in [first, second, third] {
                assert_eq!((one.trace_id, one.outputs, one.error.as_ref()), (SPAN.trace_id, 1, None));
                assert!(one.sent <= one.taken && one.taken <= one.done, "{one:?}");
            }
        }
        let roots: std::collections::HashSet<u64> =
            handlings.iter().filter(|one| one.from_host).map(|one| one.parent_id).collect();
        assert_eq!(roots.len(), 10, "each send has a span of its own");
        assert_eq!([recorded(&first), recorded(&last)], [(10, 0); 2]);
        assert_eq!(recorded(&middle), (10, 0));
        let _ = first.terminate_blocking();
        let _ = middle.terminate_blocking();
        let _ = last.terminate_blocking();
    }
}

/// Nothing sampled, nothing told; all sampled, all told, by any way of sending; and without tracing there is no word.
pub fn so_many_are_followed_as_were_asked_for(bench: &Bench) {
    for (sample, expected) in [(0.0, 0), (1.0, 132)] {
        let options = traced(LaunchOptions::default(), sample).name(format!("sampled {sample}")).grid(2);
        let kernel = batch_echo::launch(bench.runtime(), options).unwrap();
        kernel.send_batch_blocking(&numbers(0..100)).unwrap();
        for n in 0..30 {
            let _ = kernel.send_blocking(number(n)).unwrap();
        }
        let _ = kernel.try_send(number(1)).unwrap();
        let _ = block_on(kernel.send(number(1))).unwrap();
        drain(&kernel);
        assert_eq!(received(&kernel).len(), 132);
        let (handlings, _) = told(bench, expected, expected);
        let mut traces: Vec<u128> = handlings.iter().map(|one| one.trace_id).collect();
        traces.sort_unstable();
        traces.dedup();
        assert_eq!(traces.len(), expected, "each is a trace of its own");
        assert_eq!(recorded(&kernel), (expected as u64, 0));
    }
    let plain = batch_echo::launch(bench.runtime(), LaunchOptions::default().name("plain")).unwrap();
    let _scope = SPAN.enter();
    let _ = plain.send_blocking(number(1)).unwrap();
    drain(&plain);
    assert_eq!((received(&plain).len(), plain.status().traces), (1, None));
    told(bench, 0, 0);
}

/// What waits in queues in front of the ring keeps its trace.
pub fn queues_in_front_keep_the_trace(bench: &Bench) {
    let options = traced(LaunchOptions::default(), 0.0).queue(NamedQueue::new("more")).active(false);
    let kernel = batch_echo::launch(bench.runtime(), options).unwrap();
    {
        let _scope = SPAN.enter();
        let _ = kernel.send_blocking(number(0)).unwrap();
        let _ = kernel.queue("more").unwrap().send_blocking(number(1)).unwrap();
        kernel.send_batch_blocking(&numbers(2..6)).unwrap();
    }
    kernel.send_batch_blocking(&numbers(6..50)).unwrap();
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    assert_eq!(received(&kernel).len(), 50);
    let (handlings, _) = told(bench, 6, 6);
    assert!(handlings.iter().all(|one| one.trace_id == SPAN.trace_id && one.from_host));
}

/// A call within a span is told like any message; what its handler sends besides the reply carries the trace.
pub fn calls_are_followed(bench: &Bench) {
    let kernel = relay::launch(bench.runtime(), traced(LaunchOptions::default().actors(4), 0.0)).unwrap();
    let query = Query { act: act::MORE, number: 3, ..Query::default() };
    let answer = {
        let _scope = SPAN.enter();
        kernel.call_blocking(query).unwrap()
    };
    assert_eq!(answer.number, 3);
    assert_eq!(kernel.call_blocking(Query { act: 0, ..query }).unwrap().number, 3);
    drain(&kernel);
    assert_eq!(received(&kernel).len(), 1);
    let (handlings, receipts) = told(bench, 1, 1);
    assert_eq!(handlings[0].outputs, 2);
    assert_eq!(receipts[0].parent_id, handlings[0].span_id);
}

/// A message that failed is told with its code, and nothing comes of it.
pub fn failures_are_told_with_their_code(bench: &Bench) {
    let kernel = relay::launch(bench.runtime(), traced(LaunchOptions::default().actors(4), 1.0)).unwrap();
    let query = Query { act: act::FAIL, ..Query::default() };
    let _ = kernel.send_blocking(query).unwrap();
    let _ = kernel.send_blocking(Query { actor: 99, ..query }).unwrap();
    let _ = kernel.send_blocking(Query { act: 0, ..query }).unwrap();
    drain(&kernel);
    assert_eq!(received(&kernel).len(), 1);
    let (mut handlings, receipts) = told(bench, 3, 1);
    handlings.sort_by_key(|one| one.sent);
    let codes: Vec<_> = handlings.iter().map(|one| one.error.as_ref().map(|(code, _)| *code)).collect();
    assert_eq!(codes, [Some(REFUSED), Some(annulus_abi::error::UNKNOWN_ACTOR), None]);
    assert_eq!(handlings.iter().map(|one| one.outputs).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(receipts[0].parent_id, handlings[2].span_id);
}

/// A turn writes more records than its ring has room for: the rest is lost and counted, and no message waits.
pub fn a_full_ring_loses_records_and_counts_them(bench: &Bench) {
    const MESSAGES: u64 = 3000;
    let options = traced(LaunchOptions::default(), 1.0).max_messages_per_iteration(4096).active(false);
    let kernel = batch_echo::launch(bench.runtime(), options).unwrap();
    kernel.send_batch_blocking(&numbers(0..MESSAGES)).unwrap();
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    assert_eq!(received(&kernel).len() as u64, MESSAGES);
    let (recorded, lost) = recorded(&kernel);
    assert_eq!(recorded + lost, MESSAGES);
    assert!(recorded >= u64::from(annulus_abi::trace::RECORDS), "{recorded}");
    if bench.runtime().backend() == "cpu" {
        // The whole queue is one turn.
        assert_eq!(recorded, u64::from(annulus_abi::trace::RECORDS));
    }
    let (handlings, receipts) = told(bench, recorded as usize, MESSAGES as usize);
    // What they carry names the spans of lost records, too.
    let spans: std::collections::HashSet<u64> = receipts.iter().map(|one| one.parent_id).collect();
    assert_eq!(spans.len() as u64, MESSAGES);
    assert!(handlings.iter().all(|one| spans.contains(&one.span_id)));
    assert_eq!(bench.runtime().trace_events_lost(), 0);
}

/// A trace ends in a kernel that was launched without; and such a kernel, which writes into the same ring as one with, does
/// not go on with what that one has left there.
pub fn a_kernel_without_tracing_ends_the_trace(bench: &Bench) {
    let last = next::launch(bench.runtime(), traced(linked("last"), 0.0).capacity(16)).unwrap();
    let with = double::launch(bench.runtime(), traced(source("with"), 0.0)).unwrap();
    let without = next::launch(bench.runtime(), source("without")).unwrap();
    connect(&with, &last);
    connect(&without, &last);
    for _ in 0..20 {
        {
            let _scope = SPAN.enter();
            let _ = with.send_blocking(number(1)).unwrap();
            let _ = without.send_blocking(number(2)).unwrap();
        }
        let _ = with.send_blocking(number(3)).unwrap();
        drain(&last);
        assert_eq!(received(&last).len(), 5);
    }
    // Each has two outputs.
    let (handlings, _) = told(bench, 60, 40);
    assert_eq!(handlings.iter().filter(|one| &*one.kernel == "last").count(), 40);
    let plain = next::launch(bench.runtime(), linked("plain")).unwrap();
    let first = validate::launch(bench.runtime(), traced(source("first"), 1.0)).unwrap();
    connect(&first, &plain);
    let _ = first.send_blocking(number(1)).unwrap();
    drain(&plain);
    assert_eq!(received(&plain).len(), 1);
    told(bench, 1, 0);
}

/// Blocks in step, blocks of several threads, blocks that work on one message together, kernels with several outboxes: each
/// tells of what is followed.
pub fn all_kinds_of_blocks_tell(bench: &Bench) {
    let step = traced(LaunchOptions::default(), 0.0).supersteps(true).grid(2).capacity(256);
    let step = march::bind(&[0; MARCHERS]).launch(bench.runtime(), step);
    if let Ok(step) = step {
        let _scope = SPAN.enter();
        let _ = step.send_blocking(crate::kernels::Item { key: 1, producer: 0, sequence: 0 }).unwrap();
        drain(&step);
        told(bench, 1, received(&step).len());
    }
    let many = traced(LaunchOptions::default(), 0.0).block(8);
    let many = batch_echo::launch(bench.runtime(), many).unwrap();
    let batch = numbers(0..200);
    for (n, message) in batch.into_iter().enumerate() {
        let _scope = (n % 10 == 0).then(|| SPAN.enter());
        let _ = many.send_blocking(message).unwrap();
    }
    drain(&many);
    assert_eq!(received(&many).len(), 200);
    let (handlings, receipts) = told(bench, 20, 20);
    let spans: std::collections::HashSet<u64> = handlings.iter().map(|one| one.span_id).collect();
    assert!(receipts.iter().all(|one| spans.contains(&one.parent_id)));
    assert!(handlings.iter().all(|one| one.together >= 1));

    let together = traced(LaunchOptions::default(), 0.0).block(8);
    let together = tree_sum::launch(bench.runtime(), together).unwrap();
    for n in 0..10 {
        let _scope = (n == 5).then(|| SPAN.enter());
        let _ = together.send_blocking(number(n)).unwrap();
    }
    drain(&together);
    assert_eq!(received(&together).len(), 10);
    told(bench, 1, 1);

    let ports = sum_and_odd::launch(bench.runtime(), traced(LaunchOptions::default(), 0.0)).unwrap();
    {
        let _scope = SPAN.enter();
        let _ = ports.send_blocking(number(7)).unwrap();
    }
    let _ = ports.send_blocking(number(9)).unwrap();
    drain(&ports);
    let mut found = 0;
    while ports.port(sum_and_odd::SUMS).try_recv().is_ok() {
        found += 1;
    }
    while ports.port(sum_and_odd::ODD).try_recv().is_ok() {
        found += 1;
    }
    let (handlings, receipts) = told(bench, 1, 2);
    assert_eq!((found, handlings[0].outputs as usize), (4, receipts.len()));
}

/// A message to itself begins without a trace; what its sender sends by its outbox carries one.
pub fn a_message_to_itself_is_not_followed(bench: &Bench) {
    let options = traced(LaunchOptions::default().actors(2), 0.0);
    let kernel = remind::launch(bench.runtime(), options).unwrap();
    let message = Remind { id: 1, sets: 2, after: 100_000, ..Remind::default() };
    {
        let _scope = SPAN.enter();
        let _ = kernel.send_blocking(message).unwrap();
    }
    let mut outputs = Vec::new();
    while outputs.len() < 3 {
        outputs.push(kernel.recv_blocking().unwrap());
    }
    let (handlings, receipts) = told(bench, 1, 1);
    assert_eq!(receipts[0].parent_id, handlings[0].span_id);
}

/// Whoever receives a followed message may go on with its trace.
pub fn a_received_message_is_gone_on_with(bench: &Bench) {
    let kernel = batch_echo::launch(bench.runtime(), traced(LaunchOptions::default(), 0.0)).unwrap();
    {
        let _scope = SPAN.enter();
        let _ = kernel.send_blocking(number(1)).unwrap();
    }
    kernel.recv_blocking().unwrap();
    let received = TraceContext::received().unwrap();
    assert_eq!(received.trace_id, SPAN.trace_id);
    {
        let _scope = received.enter();
        let _ = kernel.send_blocking(number(2)).unwrap();
    }
    kernel.recv_blocking().unwrap();
    let _ = kernel.send_blocking(number(3)).unwrap();
    kernel.recv_blocking().unwrap();
    assert_eq!(TraceContext::received(), None);
    let (mut handlings, _) = told(bench, 2, 2);
    handlings.sort_by_key(|one| one.sent);
    assert_eq!(handlings[1].continues, Some(handlings[0].span_id));
    assert_eq!(handlings[1].trace_id, SPAN.trace_id);
}

/// What this thread has received last, and what is told of it, is of what it was given: also of several outboxes, where outputs
/// are put aside for who asks later, and of batches, whose last message nobody may follow.
pub fn receipts_are_of_what_was_given(bench: &Bench) {
    let span = |received: Option<TraceContext>| received.map(|received| received.trace_id);
    let ports = sum_and_odd::launch(bench.runtime(), traced(LaunchOptions::default(), 0.0)).unwrap();
    let (sums, odd) = (ports.port(sum_and_odd::SUMS), ports.port(sum_and_odd::ODD));
    {
        let _scope = SPAN.enter();
        let _ = ports.send_blocking(number(7)).unwrap();
    }
    drain(&ports);
    let _ = ports.send_blocking(number(8)).unwrap();
    drain(&ports);
    assert_eq!(odd.recv_blocking().unwrap().value, 7);
    assert_eq!(span(TraceContext::received()), Some(SPAN.trace_id));
    let (handlings, receipts) = told(bench, 1, 1);
    assert_eq!(receipts[0].parent_id, handlings[0].span_id);
    // That puts what is there aside, and gives nothing.
    assert!(odd.try_recv().is_err());
    assert_eq!(span(TraceContext::received()), Some(SPAN.trace_id));
    let (_, none) = told(bench, 0, 0);
    assert!(none.is_empty());
    assert_eq!(sums.recv_blocking().unwrap().value, 7);
    assert_eq!(span(TraceContext::received()), Some(SPAN.trace_id));
    told(bench, 0, 1);
    assert_eq!(sums.recv_blocking().unwrap().value, 8);
    assert_eq!(TraceContext::received(), None, "nobody follows this one, which was put aside, too");
    told(bench, 0, 0);
    // In a batch, of all outboxes or of one, whether the outputs are in the ring or were put aside.
    for (aside, by_one) in [(false, false), (true, false), (false, true), (true, true)] {
        {
            let _scope = SPAN.enter();
            let _ = ports.send_blocking(number(2)).unwrap();
        }
        let _ = ports.send_blocking(number(4)).unwrap();
        drain(&ports);
        if aside {
            assert!(odd.try_recv().is_err());
        }
        assert_eq!(sums.status().waiting, 2);
        let received = match by_one {
            true => sums.try_recv_batch(&mut Vec::new(), 100),
            false => ports.try_recv_batch(&mut Vec::new(), 100),
        };
        assert_eq!(received, Ok(2));
        assert_eq!(TraceContext::received(), None, "nobody follows the last one");
        told(bench, 1, 1);
    }

    let plain = batch_echo::launch(bench.runtime(), traced(LaunchOptions::default(), 0.0)).unwrap();
    for (followed, last) in [(&[true, false][..], None), (&[true, false, true], Some(SPAN.trace_id))] {
        for &followed in followed {
            let _scope = followed.then(|| SPAN.enter());
            let _ = plain.send_blocking(number(1)).unwrap();
        }
        drain(&plain);
        let mut outputs = Vec::new();
        assert_eq!(plain.try_recv_batch(&mut outputs, 100), Ok(followed.len()));
        assert_eq!(span(TraceContext::received()), last);
        let count = followed.iter().filter(|followed| **followed).count();
        told(bench, count, count);
    }
}

/// More sends than the runtime knows of what they continue.
const ATTEMPTS: usize = 70_000;
const OTHER: TraceContext = TraceContext { trace_id: 9, span_id: 9 };

/// A kernel that handles nothing until it is activated, whose queue is full; the first message is followed. Returns how many
/// were sent.
fn full(kernel: &KernelHandle<batch_echo>) -> usize {
    kernel.deactivate_blocking().unwrap();
    let first = {
        let _scope = SPAN.enter();
        kernel.try_send(number(0)).unwrap()
    };
    assert!(first.is_queued());
    let mut sent = 1;
    // A queue that drops new messages says of each that all is well.
    while kernel.try_send(number(sent as u64)).is_ok_and(|outcome| outcome.is_queued()) {
        sent += 1;
    }
    sent
}

/// After all, it is known what the first message continues, and that it alone is followed.
fn the_first_is_told(bench: &Bench, kernel: &KernelHandle<batch_echo>, sent: usize, name: &str) {
    kernel.activate_blocking().unwrap();
    drain(kernel);
    assert_eq!(received(kernel).len(), sent, "{name}");
    let (handlings, _) = told(bench, 1, 1);
    let continues = (handlings[0].trace_id, handlings[0].continues);
    assert_eq!(continues, (SPAN.trace_id, Some(SPAN.span_id)), "{name}");
}

/// A send that is refused, or looks again and again for room, takes no place of what it is known that messages continue.
pub fn refused_sends_use_up_nothing(bench: &Bench) {
    let options = traced(LaunchOptions::default(), 0.0)
        .capacity(16)
        .output_capacity(256)
        .backpressure(Backpressure::Reject)
        .active(false);
    for (name, options) in
        [("open", options.clone()), ("front", options.clone().priority(true)), ("two", options.grid(2))]
    {
        let kernel = batch_echo::launch(bench.runtime(), options.name(name)).unwrap();
        let sent = full(&kernel);
        {
            let _scope = OTHER.enter();
            let batch = numbers(0..3);
            for _ in 0..ATTEMPTS {
                assert!(kernel.try_send(number(2)).is_err());
                assert!(kernel.send_batch_blocking(&batch).is_err());
            }
        }
        the_first_is_told(bench, &kernel, sent, name);
    }
}

/// A send whose message is dropped in its place, since there is no room or since it was sent before, takes none, either.
pub fn discarded_sends_use_up_nothing(bench: &Bench) {
    let options = || traced(LaunchOptions::default(), 0.0).capacity(16).output_capacity(256).active(false);
    let dropping = || options().backpressure(Backpressure::DropNew);
    let known = options().deduplication(Deduplication::ByPayload).deduplication_window(16);
    for (name, options) in [
        ("open", dropping()),
        ("front", dropping().priority(true)),
        ("two", dropping().grid(2)),
        ("known", known.backpressure(Backpressure::Reject)),
    ] {
        let is_known = name == "known";
        let kernel = batch_echo::launch(bench.runtime(), options.name(name)).unwrap();
        let sent = full(&kernel);
        {
            let _scope = OTHER.enter();
            let last = sent as u64 - 3..sent as u64;
            let batch = numbers(last.clone());
            for n in 0..ATTEMPTS {
                match kernel.try_send(number(last.start)).unwrap() {
                    SendOutcome::Duplicate(_) if is_known => {}
                    SendOutcome::Discarded(_) if !is_known => {}
                    other => panic!("{name}: {other:?}"),
                }
                if n % batch.len() == 0 {
                    kernel.send_batch_blocking(&batch).unwrap();
                }
            }
        }
        the_first_is_told(bench, &kernel, sent, name);
    }
}
