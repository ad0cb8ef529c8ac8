//! Causes that are planted in processes which know nothing of who looks: each is named by `why`.

use std::{thread, time::Duration};

use annulus::{prelude::*, resilience::Supervisor};
use annulus_observe::{Phase, look_inside};

use crate::{Count, Job, Watched, kernel, ready, twice, work};

/// Takes a hundredth of a second over a message.
#[ring_kernel(cpu_only)]
fn dawdle(_job: &Job, count: &mut Count) {
    count.n += 1;
    thread::sleep(Duration::from_millis(10));
}

const fn job(key: u64, what: u64) -> Job {
    Job { key, what }
}

fn options(name: &str) -> LaunchOptions {
    LaunchOptions::default().actors(16).capacity(16).name(name)
}

/// To be connected, and then activated.
fn unconnected(name: &str) -> LaunchOptions {
    options(name).connectable(true).active(false)
}

/// Launches a kernel that is connected to another one, and gives it so many messages.
fn before(
    runtime: &Runtime,
    name: &str,
    connect: impl FnOnce(&KernelHandle<work>),
    messages: usize,
) -> KernelHandle<work> {
    let source = work::launch(runtime, unconnected(name)).unwrap();
    connect(&source);
    source.activate_blocking().unwrap();
    for _ in 0..messages {
        let _ = source.send_blocking(job(3, 0)).unwrap();
    }
    source
}

/// Kernels of which each sends two messages to the next one for each that it takes, and the last to the first.
fn ring(runtime: &Runtime, names: &[&str]) -> Vec<KernelHandle<twice>> {
    let kernels: Vec<_> =
        names.iter().map(|name| twice::launch(runtime, unconnected(name)).unwrap()).collect();
    for (index, kernel) in kernels.iter().enumerate() {
        kernel.connect(&kernels[(index + 1) % kernels.len()]).unwrap();
    }
    for kernel in &kernels {
        kernel.activate_blocking().unwrap();
    }
    let _ = kernels[0].try_send(job(3, 0));
    kernels
}

/// The watched process: eight causes.
pub(crate) fn eight() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(6)).build().unwrap();
    let hung = work::launch(&runtime, options("hung")).unwrap();
    for what in [2, 0, 0] {
        let _ = hung.send_blocking(job(5, what)).unwrap();
    }
    let merge = work::launch(&runtime, options("merge").connectable(true)).unwrap();
    let _ = merge.send_blocking(job(3, 2)).unwrap();
    let _split = before(&runtime, "split", |source| source.connect(&merge).unwrap(), 24);
    let _two = ring(&runtime, &["ping", "pong"]);
    let _three = ring(&runtime, &["north", "east", "south"]);
    let mute = work::launch(&runtime, options("mute")).unwrap();
    for _ in 0..20 {
        let _ = mute.send_blocking(job(4, 0)).unwrap();
    }
    let idle = work::launch(&runtime, options("idle").active(false)).unwrap();
    let _ = idle.try_send(job(1, 0)).unwrap();
    let rests = work::launch(&runtime, unconnected("rests")).unwrap();
    let _feeds = before(&runtime, "feeds", |source| source.connect(&rests).unwrap(), 24);
    let slow = dawdle::launch(&runtime, options("slow").connectable(true)).unwrap();
    let pushes = before(&runtime, "pushes", |source| source.connect(&slow).unwrap(), 24);
    thread::spawn(move || while pushes.send_blocking(job(1, 0)).is_ok() {});
    ready();
}

/// What is asked, and what is answered.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Limit {
    #[ring(key)]
    desk: u32,
    value: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Checked {
    #[ring(key)]
    order: u32,
    limit: Answer<Limit>,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    Order {
        #[ring(key)]
        order: u32,
    },
    #[ring(from)]
    Checked(Checked),
}

#[ring_kernel(untested, timers = 16)]
fn book(event: &Event, count: &mut Count, risk: &Ask<Limit, Checked>, done: &Outbox<Limit>) {
    match event {
        Event::Order { order } => {
            let limit = Answer { ended: 0, code: 0, value: Limit { desk: 0, value: 0 } };
            risk.send(
                Limit { desk: *order % 4, value: 1 },
                Checked { order: *order, limit },
                3_600_000_000_000,
            );
        }
        Event::Checked(checked) => {
            count.n += 1;
            done.send(checked.limit.value);
        }
    }
}

#[ring_kernel(untested)]
fn risk(limit: &Limit, count: &mut Count, out: &Outbox<Limit>) {
    count.n += 1;
    out.send(*limit);
}

/// The watched process: orders wait for answers of a kernel that is inactive.
pub(crate) fn asks() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let risk = risk::launch(&runtime, unconnected("risk").through(128)).unwrap();
    let book = book::launch(&runtime, unconnected("book").through(128)).unwrap();
    book.port(book::RISK).connect(&risk).unwrap();
    book.activate_blocking().unwrap();
    for order in 0..5 {
        let _ = book.send_blocking(Event::Order { order }).unwrap();
    }
    ready();
}

/// The watched process: a supervisor has left a kernel behind, and launched it again under its name.
pub(crate) fn left() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let short = Duration::from_millis(1);
    let supervisor = Supervisor::new().pauses(short, short).stalled_after(Duration::from_millis(100));
    let supervised = supervisor.start(move |_| Ok(work::launch(&runtime, options("sort"))?)).unwrap();
    let _ = supervised.kernel().unwrap().send_blocking(job(5, 2)).unwrap();
    ready();
}

/// The watched process: its only worker is in a handler.
pub(crate) fn starved() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(1)).build().unwrap();
    let starved = work::launch(&runtime, options("starved")).unwrap();
    let _ = starved.send_blocking(job(1, 0)).unwrap();
    starved.drained_blocking();
    let hog = work::launch(&runtime, options("hog")).unwrap();
    let _ = hog.send_blocking(job(7, 2)).unwrap();
    while Phase::of(&kernel(&look_inside(&runtime), "hog").shards[0]) != Phase::InHandler {
        thread::sleep(Duration::from_millis(1));
    }
    for _ in 0..2 {
        let _ = starved.try_send(job(1, 0)).unwrap();
    }
    let late = work::launch(&runtime, options("late")).unwrap();
    let _ = late.try_send(job(1, 0)).unwrap();
    ready();
}

/// What `why` says of a process, when it says all of this.
#[track_caller]
fn names_all(role: &str, wanted: &[&str]) {
    let watched = Watched::start(role);
    let text = watched.why(|text| wanted.iter().all(|wanted| text.contains(wanted)));
    println!("{text}");
}

/// O-01: eight causes at once: a handler that does not return, the same behind a kernel that waits for it, cycles of two and
/// of three kernels, outputs that nobody receives, a kernel that is inactive, the same behind one that waits for it, and a kernel
/// that is too slow for who sends to it.
#[test]
fn o_01_why_names_each_of_eight_causes() {
    names_all(
        "eight",
        &[
            "`hung` shard 0 is in the handler of message 0, key 5, for ",
            "`split` shard 0 waits for room in `merge`;\n`merge` shard 0 is in the handler of message 0, key 3, for ",
            "`ping`, `pong` wait for each other: a cycle",
            "`east`, `south`, `north` wait for each other: a cycle",
            "`mute` shard 0 is stalled: nobody receives the outputs, of which 16 wait; 4 messages are in its rings",
            "`idle` shard 0 is inactive: activate the kernel; 1 message is in its ring",
            "`feeds` shard 0 waits for room in `rests`;\n`rests` shard 0 is inactive: activate the kernel; 16 messages are in its \
             rings: that is the cause",
            "`pushes` shard 0 waits for room in `slow`;\n`slow` goes on, but more is sent to it than it handles",
        ],
    );
}

/// O-01: and two more, of kernels that get no thread: the one takes nothing any more, the other has not begun.
#[test]
fn o_01_why_names_who_gets_no_thread() {
    names_all(
        "starved",
        &[
            "`hog` shard 0 is in the handler of message 0, key 7, for ",
            "`starved` shard 0 took no message, and says not why; 2 messages are in its rings",
            "`late` shard 0 did not begin since the launch; 1 message is in its ring",
        ],
    );
}

/// O-01: a kernel that waits for answers takes what comes, and has nothing pending. It is named, with whom it waits for.
#[test]
fn o_01_why_names_who_waits_for_answers() {
    names_all(
        "asks",
        &["`book` shard 0 waits for 5 answers of `risk` (outbox `risk`);\n\
           `risk` shard 0 is inactive: activate the kernel; 5 messages are in its rings: that is the cause"],
    );
}

/// O-01: of two kernels of one name, the one that its supervisor has left behind is told from the one that works.
#[test]
fn o_01_who_was_left_behind_is_seen() {
    let watched = Watched::start("left");
    let process = watched.look_for(|process| process.kernels.len() == 2);
    let seen: Vec<_> = process.kernels.iter().map(|kernel| (&*kernel.name, kernel.left_behind)).collect();
    assert!(seen.contains(&("sort", true)) && seen.contains(&("sort", false)), "{seen:?}");
}
