//! Ten planted causes, each named by `why`: O-01. The looks are made up here; `annulus-observe` tests looks
//! at real processes.

use std::time::Duration;

use annulus_abi::{
    control::{STALLED_BY_KERNEL, state},
    vitals::{At, phase, read::Shard},
};
use annulus_runtime::why::{Cause, KernelLooks, Why, explain};

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
        accepted: 10,
        outputs_waiting: 0,
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
        name: name.into(),
        has_ended: false,
        target: target.map(|target| (target, true)),
        inbound_capacity: CAPACITY,
        before: shards.to_vec(),
        now: shards.to_vec(),
        elapsed: None,
    }
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
         `a`, `b`, `c` wait for each other: a cycle, which cannot go on; terminate or disconnect one of them"
    );
    let own = [still(1, "self", Some(1), &[wait])];
    assert!(told(&own).starts_with("`self` shard 0 waits for room in `self`;\n`self` wait for"));
}

/// What an observer read may be anything.
#[test]
fn odd_numbers_are_survived() {
    let odd = Shard {
        pending: u64::MAX,
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
