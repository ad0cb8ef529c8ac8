//! Ten planted causes, each named by `why`: O-01. The looks are made up here; `annulus-observe` tests looks
//! at real processes.

use std::time::Duration;

use annulus_abi::{
    control::{STALLED_BY_HOST, STALLED_BY_KERNEL, Timers, state},
    vitals::{At, phase, ports::PortShard, read::Shard},
};
use annulus_runtime::{
    BridgeCounts, BridgeKind, BridgeLook, BridgeTarget, PortLook,
    why::{Cause, KernelLooks, Why, explain},
};

const ELAPSED: Duration = Duration::from_millis(500);
const CAPACITY: u32 = 16;

fn at(number: u64, phase: u64, key: u64) -> At {
    At { phase, number, key, ..At::default() }
}

/// A shard that is asleep, with nothing to do.
fn asleep() -> Shard {
    Shard {
        command: 1,
        acknowledged: 1,
        state: state::ACTIVE,
        last_error: 0,
        processed: 10,
        failed: 0,
        unknown_actor: 0,
        sent: 0,
        dead_letters_lost: 0,
        stalled: 0,
        unforwarded: 0,
        pending: 0,
        staged: 0,
        timers: Timers::default(),
        actors: Default::default(),
        accepted: 10,
        taken: 0,
        unread: 0,
        fed: 0,
        outputs_waiting: 0,
        traces: Default::default(),
        telemetry: None,
        at: at(10, phase::ASLEEP, 0),
    }
}

/// The same with so many messages in its ring.
fn with(pending: u64, shard: Shard) -> Shard {
    Shard { pending, accepted: shard.processed + pending, ..shard }
}

fn in_handler(number: u64, key: u64) -> Shard {
    with(3, Shard { at: at(number, phase::IN_HANDLER, key), ..asleep() })
}

fn waits_for_kernel() -> Shard {
    let at = at(10, phase::STALLED_ON_KERNEL, 0);
    with(CAPACITY.into(), Shard { stalled: STALLED_BY_KERNEL, at, ..asleep() })
}

/// A kernel that was the same at both looks.
fn still(id: u64, name: &str, target: Option<u64>, shards: &[Shard]) -> KernelLooks {
    KernelLooks {
        id,
        runtime: 1,
        name: name.into(),
        has_ended: false,
        target: target.map(|target| (target, true)),
        ports_before: Vec::new(),
        ports_now: Vec::new(),
        asks_by: None,
        bridges_before: Vec::new(),
        bridges_now: Vec::new(),
        inbound_capacity: CAPACITY,
        before: shards.to_vec(),
        now: shards.to_vec(),
        elapsed: None,
        keys: true,
        rounds: false,
        linked: 0,
        linked_before: 0,
    }
}

/// An outbox that leads to a kernel, or to the host, and what each shard holds by it.
fn port(name: &str, target: Option<u64>, held: &[u64]) -> PortLook {
    let shards = held.iter().map(|&held| PortShard { held, ..PortShard::default() });
    PortLook { name: name.into(), target: target.map(|target| (target, true)), shards: shards.collect() }
}

/// A kernel with several outboxes that was the same at both looks. As in a file, its `target` is the first one.
fn forks(id: u64, name: &str, ports: &[PortLook], shards: &[Shard]) -> KernelLooks {
    let target = ports.iter().find_map(|port| port.target);
    let ports = || ports.to_vec();
    let kernel = still(id, name, target.map(|(id, _)| id), shards);
    KernelLooks { ports_before: ports(), ports_now: ports(), ..kernel }
}

#[track_caller]
fn told(kernels: &[KernelLooks]) -> String {
    explain(kernels, ELAPSED).to_string()
}

#[test]
fn o_01_nothing_waits() {
    assert_eq!(explain(&[], ELAPSED), Why::default());
    let idle = still(1, "idle", None, &[asleep(), asleep()]);
    // It works on: other messages, more counts.
    let mut busy = still(2, "busy", None, &[in_handler(7, 1)]);
    busy.now = vec![Shard { processed: 20, ..in_handler(17, 1) }];
    // Another message in the handler, and nothing was counted yet: a long turn.
    let mut turn = still(3, "turn", None, &[in_handler(7, 1)]);
    turn.now = vec![in_handler(9, 1)];
    // Messages that have just come.
    let mut fresh = still(4, "fresh", None, &[asleep()]);
    fresh.now = vec![with(2, asleep())];
    assert_eq!(told(&[idle, busy, turn, fresh]), "nothing waits in vain");
}

#[test]
fn o_01_a_handler_that_does_not_return() {
    let kernel = still(1, "sort", None, &[asleep(), in_handler(88_123, 17)]);
    assert_eq!(
        told(&[kernel]),
        "`sort` shard 1 is in the handler of message 88123, key 17, for 500 ms or more; 3 messages are in its rings"
    );
    let of_actor_0 = still(1, "sort", None, &[in_handler(5, 0)]);
    assert!(told(std::slice::from_ref(&of_actor_0)).contains(" message 5, key 0, for "));
    assert!(told(&[KernelLooks { keys: false, ..of_actor_0 }]).contains(" message 5, for "));
}

/// The chain of the documentation: three shards wait for a kernel one of whose shards hangs.
#[test]
fn o_01_the_root_of_a_chain() {
    let wait = waits_for_kernel();
    let sort = Shard { pending: 16, ..in_handler(88_123, 17) };
    let kernels = [
        still(1, "read", Some(2), &[wait]),
        still(2, "detect", Some(3), &[wait, asleep(), wait, wait]),
        still(3, "sort", None, &[asleep(), sort]),
    ];
    assert_eq!(
        told(&kernels),
        "`read` shard 0 waits for room in `detect`;\n\
         `detect` shards 0, 2 and 3 wait for room in `sort`;\n\
         `sort` shard 1 is in the handler of message 88123, key 17, for 500 ms or more; 16 messages are in its \
         rings: that is the cause"
    );
}

/// Of two handlers that hang, the one whose ring is full is what others wait for.
#[test]
fn o_01_the_full_ring_is_the_cause() {
    let kernels = [
        still(1, "detect", Some(2), &[waits_for_kernel()]),
        still(2, "sort", None, &[in_handler(4, 1), Shard { pending: 16, ..in_handler(5, 2) }]),
    ];
    let why = explain(&kernels, ELAPSED);
    let waited: Vec<_> =
        why.findings.iter().map(|finding| (&finding.shards[..], finding.waiting.len())).collect();
    assert_eq!(waited, [(&[0][..], 0), (&[1][..], 1)]);
}

#[test]
fn o_01_nobody_receives() {
    let stalled =
        with(5, Shard { stalled: 1, outputs_waiting: 16, at: at(10, phase::STALLED_ON_HOST, 0), ..asleep() });
    let kernels =
        [still(1, "detect", Some(2), &[waits_for_kernel()]), still(2, "sort", None, &[stalled, stalled])];
    assert_eq!(
        told(&kernels),
        "`detect` shard 0 waits for room in `sort`;\n\
         `sort` shards 0 and 1 are stalled: nobody receives the outputs, of which 32 wait; 10 messages are in its \
         rings: that is the cause"
    );
}

#[test]
fn o_01_an_inactive_kernel() {
    let inactive = Shard { state: state::INACTIVE, at: at(10, phase::INACTIVE, 0), ..asleep() };
    let empty = still(1, "idle", None, &[inactive]);
    assert_eq!(told(&[empty]), "nothing waits in vain", "nothing waits for it");
    // What other kernels have sent to it over a device's memory is for one of its shards, or for several.
    let fed = KernelLooks { linked: 3, ..still(1, "idle", None, &[inactive, inactive]) };
    assert_eq!(
        told(std::slice::from_ref(&fed)),
        "`idle` shards 0 and 1 are inactive: activate the kernel; 3 messages are in its rings"
    );
    assert_eq!(told(&[KernelLooks { has_ended: true, ..fed }]), "nothing waits in vain");
    // Of several active shards nobody knows which should take them.
    let of = |shards: &[Shard]| KernelLooks { linked: 3, linked_before: 1, ..still(1, "sort", None, shards) };
    assert_eq!(
        told(&[of(&[asleep()])]),
        "`sort` shard 0 took no message, and says not why; 3 messages are in its rings"
    );
    assert_eq!(told(&[of(&[asleep(), asleep()])]), "nothing waits in vain");
    assert_eq!(told(&[KernelLooks { linked_before: 0, ..of(&[asleep()]) }]), "nothing waits in vain");
    let both = KernelLooks { linked: 3, ..still(1, "idle", None, &[with(2, inactive)]) };
    assert!(told(&[both]).ends_with("; 5 messages are in its rings"));
    let queued = Shard { staged: 9, ..with(2, inactive) };
    assert_eq!(
        told(&[still(1, "sift", None, &[queued, queued])]),
        "`sift` shards 0 and 1 are inactive: activate the kernel; 4 messages are in its rings, and 18 wait in front of them"
    );
    let behind = Shard { staged: 3, ..inactive };
    let text = told(&[still(1, "sift", None, &[behind])]);
    assert!(text.ends_with("activate the kernel; 3 wait in front of its rings"), "{text}");
    let kernels =
        [still(1, "detect", Some(2), &[waits_for_kernel()]), still(2, "sort", None, &[with(16, inactive)])];
    assert!(told(&kernels).ends_with(
        "`sort` shard 0 is inactive: activate the kernel; 16 messages are in its rings: that is the cause"
    ));
}

#[test]
fn o_01_a_block_that_never_began() {
    let launched = Shard { state: state::LAUNCHED, processed: 0, at: at(0, phase::UNKNOWN, 0), ..asleep() };
    let kernel = still(1, "sort", None, &[with(1, launched)]);
    assert_eq!(told(&[kernel]), "`sort` shard 0 did not begin since the launch; 1 message is in its ring");
}

/// A block on a device does not say its phase: only that it takes nothing is known.
#[test]
fn o_01_a_block_that_takes_nothing() {
    let silent = with(4, Shard { at: At::default(), ..asleep() });
    let why = explain(&[still(1, "sort", None, &[silent])], ELAPSED);
    assert_eq!(why.findings[0].cause, Cause::TakesNothing);
    let in_rounds = KernelLooks {
        rounds: true,
        ..still(1, "rank", None, &[with(4, Shard { at: At::default(), ..asleep() })])
    };
    assert_eq!(
        told(&[in_rounds]),
        "`rank` shard 0 waits for the next round, until all have ended this one; 4 messages are in its rings"
    );
    let full = KernelLooks { rounds: true, ..still(1, "rank", Some(1), &[waits_for_kernel()]) };
    assert!(told(&[full]).ends_with("give it more room: capacity for all messages of a round"));
}

#[test]
fn o_01_a_slow_kernel() {
    let mut sort = still(2, "sort", None, &[with(16, in_handler(5, 0))]);
    sort.now =
        vec![Shard { processed: 900, at: at(905, phase::IN_HANDLER, 0), ..with(16, in_handler(5, 0)) }];
    let kernels = [still(1, "detect", Some(2), &[waits_for_kernel()]), sort];
    assert!(
        told(&kernels).contains("`sort` goes on, but more is sent to it than it handles"),
        "{}",
        told(&kernels)
    );
}

#[test]
fn o_01_a_target_that_is_not_seen() {
    let kernel = still(1, "detect", Some(9), &[waits_for_kernel()]);
    assert_eq!(told(&[kernel]), "`detect` shard 0 is waiting for room in a kernel that is not seen");
}

/// A cycle, told once, and with a kernel that leads into it.
#[test]
fn o_01_a_cycle() {
    let wait = waits_for_kernel();
    let kernels = [
        still(7, "source", Some(1), &[wait]),
        still(1, "a", Some(2), &[wait]),
        still(2, "b", Some(3), &[wait, wait]),
        still(3, "c", Some(1), &[wait]),
    ];
    assert_eq!(
        told(&kernels),
        "`a` shard 0 waits for room in `b`;\n\
         `b` shards 0 and 1 wait for room in `c`;\n\
         `c` shard 0 waits for room in `a`;\n\
         `a`, `b`, `c` wait for each other: a cycle, which cannot go on; terminate or disconnect one of them, and give \
         them more room: capacity, or hold, for all that is on its way at a time (the guide counts it: Sizing, how large a hold)"
    );
    let own = [still(1, "self", Some(1), &[wait])];
    assert_eq!(
        told(&own),
        "`self` shard 0 waits for room in `self`;\n\
         `self` waits for itself: a cycle, which cannot go on; terminate or disconnect it, and give it more room: \
         capacity, or hold, for all that is on its way at a time (the guide counts it: Sizing, how large a hold)"
    );
}

/// Of several outboxes, the one that holds something is followed, and named.
#[test]
fn o_01_the_cause_is_behind_a_second_outbox() {
    let wait = waits_for_kernel();
    let sift = |ports: &[PortLook]| {
        let works = still(2, "merge", None, &[in_handler(9, 1)]);
        let mut works = KernelLooks { now: vec![Shard { processed: 99, ..in_handler(80, 1) }], ..works };
        works.now[0].pending = 16;
        let hangs = still(3, "report", None, &[Shard { pending: 16, ..in_handler(0, 3) }]);
        told(&[forks(1, "sift", ports, &[asleep(), wait]), works, hangs])
    };
    let expected = "`sift` shard 1 waits for room in `report` (outbox `bad`);\n\
                    `report` shard 0 is in the handler of message 0, key 3, for 500 ms or more; 16 messages are in \
                    its rings: that is the cause";
    let host = port("rest", None, &[0, 0]);
    assert_eq!(
        sift(&[port("good", Some(2), &[0, 0]), port("bad", Some(3), &[0, 2]), host.clone()]),
        expected
    );
    // What another shard holds is not what this one waits for: that one goes on.
    assert_eq!(sift(&[port("good", Some(2), &[5, 0]), port("bad", Some(3), &[0, 2]), host]), expected);
    // It held something of another outbox at one of the looks alone.
    let mut sift = forks(1, "sift", &[port("good", Some(2), &[1]), port("bad", Some(3), &[2])], &[wait]);
    sift.ports_before[0].shards[0].held = 0;
    let hangs = |id, name| still(id, name, None, &[Shard { pending: 16, ..in_handler(0, 3) }]);
    let why = explain(&[sift, hangs(2, "merge"), hangs(3, "report")], ELAPSED);
    let waited: Vec<_> =
        why.findings.iter().map(|finding| (&*finding.kernel, finding.waiting.len())).collect();
    assert_eq!(waited, [("merge", 0), ("report", 1)]);
}

/// A kernel whose actors ask another one by its first outbox, and that has so many asks open in each shard.
fn asks(id: u64, name: &str, target: u64, open: &[u32]) -> KernelLooks {
    let timers = |&asks: &u32| Shard { timers: Timers { asks, ..Timers::default() }, ..asleep() };
    let nothing = vec![0; open.len()];
    let ports = [port("risk", Some(target), &nothing), port("done", None, &nothing)];
    let shards: Vec<Shard> = open.iter().map(timers).collect();
    KernelLooks { asks_by: Some(0), ..forks(id, name, &ports, &shards) }
}

/// Answers that do not come are waited for, though the kernel that asked goes on. Whoever answers is not accused.
#[test]
fn o_01_answers_that_do_not_come() {
    let inactive = Shard { state: state::INACTIVE, at: at(10, phase::INACTIVE, 0), ..asleep() };
    let risk = |shards: &[Shard]| still(2, "risk", None, shards);
    let book = asks(1, "book", 2, &[0, 5, 1]);
    let waits = "`book` shards 1 and 2 wait for 6 answers of `risk` (outbox `risk`);\n";
    assert_eq!(
        told(&[book.clone(), risk(&[with(5, inactive)])]),
        format!(
            "{waits}`risk` shard 0 is inactive: activate the kernel; 5 messages are in its rings: that is the cause"
        )
    );
    // Of what lies in a device's memory the looks may not know: it is inactive all the same.
    assert_eq!(
        told(&[book.clone(), risk(&[inactive])]),
        format!("{waits}`risk` shard 0 is inactive: activate the kernel: that is the cause")
    );
    let hung = told(&[asks(1, "book", 2, &[1]), risk(&[in_handler(4, 9), asleep()])]);
    assert!(hung.starts_with("`book` shard 0 waits for an answer of `risk` (outbox `risk`);\n`risk` shard 0 is in the handler of"), "{hung}");
    // Both causes, whichever ring is full: nobody knows which of them has not answered.
    let both = [in_handler(4, 1), Shard { pending: 16, ..in_handler(5, 2) }];
    let why = explain(&[book.clone(), risk(&both)], ELAPSED);
    assert!(
        why.findings.len() == 2 && why.findings.iter().all(|finding| finding.waiting.len() == 1),
        "{why}"
    );
    // One that goes on, or rests, will answer, or has.
    let mut busy = risk(&[in_handler(7, 1)]);
    busy.now = vec![Shard { processed: 20, ..in_handler(17, 1) }];
    for risk in [busy, risk(&[asleep()])] {
        assert_eq!(told(&[book.clone(), risk]), "nothing waits in vain");
    }
    // Asks of the earlier look that were answered; one that asks nobody; an asker that is inactive itself.
    let mut answered = book.clone();
    answered.now.iter_mut().for_each(|shard| shard.timers.asks = 0);
    let alone = asks(1, "book", 9, &[1]);
    let mut rests = asks(1, "book", 2, &[1]);
    for shard in rests.before.iter_mut().chain(&mut rests.now) {
        shard.state = state::INACTIVE;
    }
    for asker in [answered, alone, rests] {
        assert!(!told(&[asker, risk(&[with(5, inactive)])]).contains("book"));
    }
}

/// The asked kernel waits for room itself: the way goes on to who makes none. A kernel that waits for room in one that asks is no
/// cycle with it: whoever asks takes what comes.
#[test]
fn o_01_answers_behind_a_kernel_that_waits_for_room() {
    let last = still(3, "log", None, &[Shard { pending: 16, ..in_handler(0, 3) }]);
    let risk = still(2, "risk", Some(3), &[waits_for_kernel()]);
    assert_eq!(
        told(&[asks(1, "book", 2, &[2]), risk, last]),
        "`book` shard 0 waits for 2 answers of `risk` (outbox `risk`);\n\
         `risk` shard 0 waits for room in `log`;\n\
         `log` shard 0 is in the handler of message 0, key 3, for 500 ms or more; 16 messages are in its rings: that is \
         the cause"
    );
    let mut book = asks(1, "book", 2, &[2]);
    book.now[0].processed += 9;
    let text = told(&[book, still(2, "risk", Some(1), &[waits_for_kernel()])]);
    assert!(
        text.ends_with("`book` goes on, but more is sent to it than it handles: that is the cause"),
        "{text}"
    );
    assert!(!text.contains("cycle"), "{text}");
}

/// What is held was for a kernel that is connected no more: it waits for the host, and no kernel is accused.
#[test]
fn o_01_what_is_held_for_no_kernel_waits_for_the_host() {
    let wait = Shard { outputs_waiting: 4, ..with(1, waits_for_kernel()) };
    let expected =
        "`sift` shard 0 is stalled: nobody receives the outputs, of which 4 wait; 1 message is in its ring";
    assert_eq!(told(&[still(1, "sift", None, &[wait])]), expected);
    let ports = |rest| [port("good", Some(2), &[0]), port("rest", None, &[rest])];
    assert_eq!(told(&[forks(1, "sift", &ports(3), &[wait])]), expected);
    // Who waits for it waits for that.
    let reads = still(2, "read", Some(1), &[waits_for_kernel()]);
    let why = explain(&[forks(1, "sift", &ports(3), &[wait]), reads], ELAPSED);
    let found: Vec<_> = why.findings.iter().map(|finding| (&finding.cause, finding.waiting.len())).collect();
    assert_eq!(found, [(&Cause::NobodyReceives { outputs: 4 }, 1)], "{why}");
    // Of two copies that are one, nothing is known.
    let same = KernelLooks { elapsed: Some(Duration::ZERO), ..forks(1, "sift", &ports(3), &[wait]) };
    assert_eq!(explain(&[same], ELAPSED), Why::default());
}

/// Ways that branch at outboxes, and meet again: each link is told.
#[test]
fn o_01_branches_lead_to_several_causes() {
    let wait = waits_for_kernel();
    let hangs = |id, name, number| still(id, name, None, &[Shard { pending: 16, ..in_handler(number, 0) }]);
    let kernels = [
        still(1, "read", Some(2), &[wait]),
        forks(2, "sift", &[port("good", Some(3), &[1, 0]), port("bad", Some(4), &[1, 1])], &[wait, wait]),
        still(3, "merge", Some(5), &[wait]),
        forks(4, "report", &[port("mail", Some(5), &[1]), port("log", Some(6), &[4])], &[wait]),
        hangs(5, "sink", 7),
        hangs(6, "disk", 8),
    ];
    let read = "`read` shard 0 waits for room in `sift`;\n";
    let good = "`sift` shard 0 waits for room in `merge` (outbox `good`);\n";
    let bad = "`sift` shards 0 and 1 wait for room in `report` (outbox `bad`);\n";
    assert_eq!(
        told(&kernels),
        format!(
            "{read}{good}`merge` shard 0 waits for room in `sink`;\n\
             {read}{bad}`report` shard 0 waits for room in `sink` (outbox `mail`);\n\
             `sink` shard 0 is in the handler of message 7, key 0, for 500 ms or more; 16 messages are in its rings: \
             that is the cause\n\
             {read}{bad}`report` shard 0 waits for room in `disk` (outbox `log`);\n\
             `disk` shard 0 is in the handler of message 8, key 0, for 500 ms or more; 16 messages are in its rings: \
             that is the cause"
        )
    );
    // The same where two ways meet in a kernel that waits itself.
    let kernels = [
        forks(1, "sift", &[port("good", Some(2), &[1]), port("bad", Some(3), &[1])], &[wait]),
        still(2, "merge", Some(4), &[wait]),
        still(3, "report", Some(4), &[wait]),
        still(4, "sink", Some(5), &[wait]),
        hangs(5, "disk", 8),
    ];
    let text = told(&kernels);
    assert_eq!(text.matches("`sink` shard 0 waits for room in `disk`;\n").count(), 2, "{text}");
    assert!(text.contains("(outbox `bad`);\n`report` shard 0 waits for room in `sink`;\n"), "{text}");
    // A kernel that nobody looked at is told once, whoever waits for it.
    let kernels = [
        forks(1, "sift", &[port("good", Some(2), &[1]), port("bad", Some(3), &[1])], &[wait]),
        still(2, "merge", Some(3), &[wait]),
        still(3, "report", Some(9), &[wait]),
    ];
    let why = explain(&kernels, ELAPSED);
    assert_eq!(why.findings.len(), 1, "{why}");
    assert_eq!((&why.findings[0].cause, why.findings[0].waiting.len()), (&Cause::Unseen, 2), "{why}");
}

/// A cycle through a second outbox; two cycles through one kernel; and a cycle with a way out of it.
#[test]
fn o_01_cycles_through_outboxes() {
    let wait = waits_for_kernel();
    let sift = |good: u64, bad: u64| {
        let ports = [port("good", Some(2), &[good]), port("bad", Some(3), &[bad])];
        forks(1, "sift", &ports, &[wait])
    };
    let asleep = || still(2, "merge", None, &[asleep()]);
    let report = || still(3, "report", Some(1), &[wait]);
    let around = "`sift` shard 0 waits for room in `report` (outbox `bad`);\n\
                  `report` shard 0 waits for room in `sift`;\n\
                  `sift`, `report` wait for each other: a cycle, which cannot go on; terminate or disconnect one of \
                  them, and give them more room: capacity, or hold, for all that is on its way at a time (the guide \
                  counts it: Sizing, how large a hold)";
    assert_eq!(told(&[sift(0, 3), asleep(), report()]), around);
    let two = told(&[sift(1, 3), still(2, "merge", Some(1), &[wait]), report()]);
    assert!(two.ends_with(around), "{two}");
    assert!(two.contains("`sift`, `merge` wait for each other"), "{two}");
    // One of them waits for a handler, too. Whichever is looked at first, the way to it is told.
    let hangs = || still(2, "merge", None, &[Shard { pending: 16, ..in_handler(4, 1) }]);
    for kernels in [[sift(1, 3), hangs(), report()], [report(), hangs(), sift(1, 3)]] {
        let text = told(&kernels);
        assert!(text.contains("wait for each other: a cycle"), "{text}");
        assert!(
            text.contains("`sift` shard 0 waits for room in `merge` (outbox `good`);\n`merge` shard 0 is")
        );
        assert_eq!(text.matches("that is the cause").count(), 1, "{text}");
    }
    // A cycle that only the second way over a kernel closes.
    let kernels = [
        forks(1, "a", &[port("x", Some(2), &[1]), port("y", Some(4), &[1])], &[wait]),
        still(2, "b", Some(3), &[wait]),
        still(3, "c", Some(1), &[wait]),
        still(4, "d", Some(2), &[wait]),
    ];
    let text = told(&kernels);
    assert!(text.contains("`a`, `b`, `c` wait for each other"), "{text}");
    assert!(text.contains("`a`, `d`, `b`, `c` wait for each other"), "{text}");
}

/// What an observer read may be anything.
#[test]
fn odd_numbers_are_survived() {
    let odd = Shard {
        pending: u64::MAX,
        staged: u64::MAX,
        accepted: 0,
        processed: u64::MAX,
        outputs_waiting: u64::MAX,
        stalled: 9,
        ..asleep()
    };
    let mut kernels = [
        still(1, "x", Some(1), &[odd, odd, odd]),
        still(1, "x", Some(2), &[odd]),
        still(0, "", Some(0), &[]),
    ];
    kernels[1].before.clear();
    let _ = told(&kernels);
}

/// A bridge to a kernel of another runtime, which waits for its room.
fn bridge(number: u64, to: &str, target: (u64, u64)) -> BridgeLook {
    let (runtime, kernel) = target;
    BridgeLook {
        number,
        from: "parse".into(),
        to: to.into(),
        kind: if kernel == 0 { BridgeKind::ToQueue } else { BridgeKind::ToKernels },
        outbox: None,
        began: 0,
        counts: BridgeCounts::default(),
        has_ended: false,
        waits_for: Some(BridgeTarget { runtime, kernel }),
    }
}

/// A shard whose outputs nobody takes is not accused, where a bridge takes them: the kernel behind the bridge is, which has the
/// same number as another one of its own runtime.
#[test]
fn o_01_a_bridge_leads_to_the_cause() {
    let stalled = || with(1, Shard { stalled: STALLED_BY_HOST, outputs_waiting: 16, ..asleep() });
    let parse = |bridges: &[BridgeLook]| KernelLooks {
        bridges_before: bridges.to_vec(),
        bridges_now: bridges.to_vec(),
        ..still(1, "parse", None, &[stalled()])
    };
    let hangs = Shard { pending: 16, ..in_handler(7, 0) };
    let kernels = [
        still(2, "other", None, &[hangs]),
        parse(&[bridge(1, "count", (9, 2))]),
        KernelLooks { runtime: 9, ..still(2, "count", None, &[hangs]) },
        still(3, "read", Some(1), &[waits_for_kernel()]),
    ];
    let why = explain(&kernels, ELAPSED);
    let found: Vec<_> = why.findings.iter().map(|it| (&*it.kernel, it.runtime, it.waiting.len())).collect();
    assert_eq!(found, [("other", 1, 0), ("count", 9, 1)], "{why}");
    let expected = "`read` shard 0 waits for room in `parse`;\n\
                    `parse` shard 0 waits for room in `count` (over a bridge);\n\
                    `count` shard 0 is in the handler of message 7, key 0, for 500 ms or more; 16 messages are in its rings: \
                    that is the cause";
    assert!(why.to_string().ends_with(expected), "{why}");
    // What it leads to was not looked at, or is a queue.
    let unseen =
        "`parse` shard 0 is waiting for room in `count` (over a bridge), which is not seen from here";
    assert_eq!(told(&[parse(&[bridge(1, "count", (9, 2))])]), unseen);
    let queue = "`parse` shard 0 is waiting for room in the queue `orders` (over a bridge): receive from it";
    assert_eq!(told(&[parse(&[bridge(1, "orders", (0, 0))])]), queue);
    // One that had room at the earlier look, or has it now, is no cause; nor is one that brings messages.
    let nobody =
        "`parse` shard 0 is stalled: nobody receives the outputs, of which 16 wait; 1 message is in its ring";
    let waits = bridge(1, "count", (9, 2));
    let goes_on = BridgeLook { waits_for: None, ..waits.clone() };
    let brings = BridgeLook { kind: BridgeKind::FromQueue, ..waits.clone() };
    for (before, now) in [(&goes_on, &waits), (&waits, &goes_on), (&brings, &brings)] {
        let looks = KernelLooks { bridges_before: vec![before.clone()], ..parse(std::slice::from_ref(now)) };
        assert_eq!(told(&[looks]), nobody);
    }
    // Two that wait for each other, on two runtimes.
    let there = KernelLooks {
        runtime: 9,
        bridges_before: vec![bridge(2, "parse", (1, 1))],
        bridges_now: vec![bridge(2, "parse", (1, 1))],
        ..still(2, "count", None, &[stalled()])
    };
    let why = explain(&[parse(&[waits]), there], ELAPSED);
    assert_eq!(why.findings.len(), 1, "{why}");
    assert_eq!(why.findings[0].cause, Cause::Cycle);
    assert!(why.to_string().ends_with("or terminate one, and give them more room: capacity"), "{why}");
}
