//! Named barriers of kernels and the host. K-06.

use std::{thread, time::Duration};

use annulus_runtime::{
    ConnectError, KernelHandle, LaunchError, LaunchOptions,
    barrier::{
        Arrive, ArriveError, BarrierError, BarrierNumber, BarrierPlan, KEPT, NamedBarrier, NotTaken,
        WaitError,
    },
    block_on,
};

use super::links::{linked, source};
use crate::{
    Bench,
    bench::{Random, balanced, drain, eventually},
    kernels::barriers::{Step, Walk, stroll},
};

/// Longer than any case waits.
const LONG: Duration = Duration::from_secs(3600);

/// A kernel whose actors are parties from this one on.
fn walkers(
    bench: &Bench,
    name: &str,
    barrier: BarrierNumber,
    first: u32,
    actors: u64,
) -> KernelHandle<stroll> {
    let options = source(name).actors(actors).output_capacity(1024);
    stroll::bind(barrier.party(first)).launch(bench.runtime(), options).unwrap()
}

fn begin(kernel: &KernelHandle<stroll>, actors: u32, rounds: u64) {
    kernel.activate_blocking().unwrap();
    for walker in 0..actors {
        let _ = kernel.send_blocking(Walk::Begin { walker, rounds }).unwrap();
    }
}

fn steps(kernel: &KernelHandle<stroll>, count: u64) -> Vec<Step> {
    (0..count).map(|_| kernel.port(stroll::STEPS).recv_blocking().unwrap()).collect()
}

/// K-06: when all have come, actors of two kernels and two threads of the host, the generation is raised;
/// everybody is told of each one once; and nobody is told of one before all have been told to come to it.
pub fn k06_generation(bench: &Bench) {
    let rounds = bench.size(60, 3000);
    let mut plan = BarrierPlan::new("barriers");
    plan.add("other", 1, None).unwrap();
    let number = plan.add("epoch", 5, LONG).unwrap();
    let (two, one) = (walkers(bench, "two", number, 0, 2), walkers(bench, "one", number, 2, 1));
    for (party, kernel, actor) in [(0, &two, 0), (1, &two, 1), (2, &one, 0)] {
        plan.tell(number, party, kernel, actor).unwrap();
    }
    let barriers = plan.launch(bench.runtime()).unwrap();
    let epoch = barriers.get("epoch").unwrap();
    assert_eq!((epoch.number(), epoch.parties(), epoch.generation(), epoch.last()), (number, 5, 0, None));
    for kernel in [&two, &one] {
        kernel.port(stroll::AT).connect(barriers.kernel()).unwrap();
    }
    begin(&two, 2, rounds);
    begin(&one, 1, rounds);
    thread::scope(|scope| {
        for party in [3, 4] {
            let epoch = epoch.clone();
            scope.spawn(move || {
                for generation in 0..rounds {
                    let arrival = epoch.arrive(party).unwrap();
                    assert_eq!(arrival.generation(), generation);
                    let passed =
                        if party == 3 { arrival.wait_blocking() } else { block_on(arrival.wait()) }.unwrap();
                    assert_eq!((passed.barrier, passed.generation, passed.missing), (1, generation, 0));
                    assert!(epoch.generation() > generation);
                }
            });
        }
        // By a thread of its own: what nobody takes fills the ring to the host, and a kernel that waits for room there comes
        // to no barrier.
        scope.spawn(|| {
            for generation in 0..rounds {
                let expected = Step { party: 2, barrier: 1, generation, missing: 0, nth: generation + 1 };
                assert_eq!(steps(&one, 1), [expected]);
            }
        });
        // Each of them once, in order; and two actors of one kernel never a generation apart.
        for generation in 0..rounds {
            let pair = steps(&two, 2);
            assert!(pair.iter().all(|step| (step.generation, step.nth) == (generation, generation + 1)));
            assert!(pair.iter().all(|step| (step.barrier, step.missing) == (1, 0)), "{pair:?}");
            assert_eq!(pair.iter().map(|step| step.party).sum::<u32>(), 1, "{pair:?}");
        }
    });
    assert_eq!(epoch.last().map(|passed| passed.generation), Some(rounds - 1));
    for kernel in [&two, &one] {
        drain(kernel);
        assert_eq!(balanced(kernel).outputs_lost, 0);
    }
    let status = balanced(barriers.kernel());
    // Timers of the limit are for later, and at most one at a time.
    assert!(status.timers.is_some_and(|timers| timers.waiting <= 1), "{status:?}");
    assert_eq!((status.processed, status.produced), (5 * rounds, 4 * rounds), "{status:?}");
    assert_eq!((status.drops.failed, status.outputs_lost), (0, 0), "{status:?}");
    assert!(two.port(stroll::STEPS).try_recv().is_err() && one.port(stroll::STEPS).try_recv().is_err());
}

/// K-06: when the limit has passed, everybody learns who had not come, and the next generation is open; who
/// comes to the one that has passed is refused, and counted.
pub fn k06_limit_names_who_is_missing(bench: &Bench) {
    // Longer than a busy machine leaves a thread without a core.
    const LIMIT: Duration = Duration::from_millis(300);
    let mut plan = BarrierPlan::new("barriers");
    let number = plan.add("epoch", 4, LIMIT).unwrap();
    let kernel = walkers(bench, "walkers", number, 0, 2);
    for party in 0..2 {
        plan.tell(number, party, &kernel, party).unwrap();
    }
    let barriers = plan.launch(bench.runtime()).unwrap();
    let epoch = barriers.get("epoch").unwrap();
    kernel.port(stroll::AT).connect(barriers.kernel()).unwrap();
    // No limit runs while nobody has come.
    assert_eq!(epoch.passed_timeout(0, 2 * LIMIT), Err(WaitError::Timeout));
    let before = bench.runtime().now();
    begin(&kernel, 2, 2);
    let arrival = epoch.arrive(3).unwrap();
    let passed = arrival.wait_blocking().unwrap();
    assert!(passed.timed_out() && passed.missing_parties().eq([2]), "{passed:?}");
    let waited = bench.runtime().now() - before;
    // A coarse clock is behind when the limit begins.
    let is_long_enough = u128::from(waited + bench.clock_error()) >= LIMIT.as_nanos();
    assert!(!bench.has_fine_clock() || is_long_enough, "{waited}");
    assert_eq!((passed.generation, epoch.generation()), (0, 1));
    // The kernel's have come to the next one by themselves; the host's party is missing now, too.
    let passed = epoch.passed_blocking(1).unwrap();
    assert!(passed.missing_parties().eq([2, 3]), "{passed:?}");
    let mut seen = steps(&kernel, 4);
    seen.sort_unstable_by_key(|step| (step.generation, step.party));
    let seen: Vec<_> = seen.iter().map(|step| (step.generation, step.party, step.missing)).collect();
    assert_eq!(seen, [(0, 0, 0b100), (0, 1, 0b100), (1, 0, 0b1100), (1, 1, 0b1100)]);

    // Late, early, and of nobody.
    let send = |party, generation| {
        let _ = barriers.kernel().send_blocking(Arrive { barrier: 0, party, generation }).unwrap();
    };
    for (party, generation, why) in [
        (2, 0, NotTaken::GenerationHasPassed),
        (2, 1, NotTaken::GenerationHasPassed),
        (2, 3, NotTaken::GenerationIsToCome),
        (4, 2, NotTaken::NoSuchParty),
        (u32::MAX, 2, NotTaken::NoSuchParty),
    ] {
        send(party, generation);
        drain(barriers.kernel());
        assert_eq!(balanced(barriers.kernel()).last_error, why as u16, "{why:?}");
    }
    assert_eq!(barriers.kernel().status().drops.failed, 5);
    // All of them come to the third, one of them twice.
    for party in [2, 2, 0, 1] {
        send(party, if party == 1 { Arrive::OPEN } else { 2 });
    }
    drain(barriers.kernel());
    assert_eq!(balanced(barriers.kernel()).last_error, NotTaken::CameTwice as u16);
    let passed = epoch.arrive(3).unwrap().wait_blocking().unwrap();
    // On a busy machine the limit may be over before the last has come.
    assert_eq!((passed.generation, passed.missing & !0b1000), (2, 0));
    drain(&kernel);
    assert_eq!(steps(&kernel, 2).iter().filter(|step| step.generation == 2).count(), 2);
    let status = balanced(barriers.kernel());
    assert!(status.drops.failed == 6 || passed.timed_out(), "{status:?}");
}

/// K-06: who leaves is not waited for, until it comes again.
pub fn k06_members_leave(bench: &Bench) {
    let mut plan = BarrierPlan::new("barriers");
    let number = plan.add("epoch", 3, None).unwrap();
    let kernel = walkers(bench, "walkers", number, 0, 1);
    plan.tell(number, 0, &kernel, 0).unwrap();
    let barriers = plan.launch(bench.runtime()).unwrap();
    let epoch = barriers.get("epoch").unwrap();
    kernel.port(stroll::AT).connect(barriers.kernel()).unwrap();
    begin(&kernel, 1, 3);
    epoch.leave(2).unwrap();
    for generation in 0..2 {
        let passed = epoch.arrive(1).unwrap().wait_blocking().unwrap();
        assert_eq!((passed.generation, passed.missing), (generation, 0));
    }
    // It comes again: to the third one, for which the others wait now.
    let last = epoch.arrive(2).unwrap();
    let second = epoch.arrive(1).unwrap();
    assert_eq!((last.wait_blocking().unwrap().generation, second.wait_blocking().unwrap().missing), (2, 0));
    // The kernel's party has no more rounds. When it leaves, the two others are all that are waited for, and
    // it is told nothing.
    let one = epoch.arrive(1).unwrap();
    let two = epoch.arrive(2).unwrap();
    assert_eq!(one.wait_timeout(Duration::from_millis(20)), Err(WaitError::Timeout));
    epoch.leave(0).unwrap();
    assert_eq!((one.wait_blocking().unwrap().generation, two.wait_blocking().unwrap().missing), (3, 0));
    drain(&kernel);
    assert!(steps(&kernel, 3).iter().map(|step| step.generation).eq(0..3));
    assert!(kernel.port(stroll::STEPS).try_recv().is_err());
    let status = balanced(barriers.kernel());
    assert_eq!((status.drops.failed, status.outputs_lost), (0, 0), "{status:?}");
}

/// K-06: what parties do at random, also what is refused, has the result of a plain model; several barriers
/// at once.
pub fn k06_arrivals_equal_a_model(bench: &Bench) {
    let mut random = Random(0x6_0006);
    let sizes = [1_u32, 2, 3, 5, 64];
    let mut plan = BarrierPlan::new("barriers");
    for parties in sizes {
        plan.add(format!("of {parties}"), parties, (parties == 3).then_some(LONG)).unwrap();
    }
    let barriers = plan.launch(bench.runtime()).unwrap();
    let all: Vec<NamedBarrier> = barriers.all().collect();
    // The generation, who has come, who has left.
    let mut models: Vec<(u64, u64, u64)> = vec![(0, 0, 0); sizes.len()];
    let mut refused = 0;
    for round in bench.rounds(2000, 100_000) {
        let number = random.below(sizes.len() as u64) as usize;
        let (generation, here, gone) = &mut models[number];
        let parties = sizes[number];
        let everybody = u64::MAX >> (64 - parties);
        let beyond = u64::from(random.below(20) == 0);
        let party = random.below(u64::from(parties) + beyond) as u32;
        let ahead = [0, 0, 0, 0, 0, 0, 0, 0, 1, -1][random.below(10) as usize];
        let bit = 1_u64.checked_shl(party).unwrap_or(0) & everybody;
        let said = match random.below(16) {
            0 => Arrive::LEAVES,
            1 | 2 => Arrive::OPEN,
            _ => generation.saturating_add_signed(ahead),
        };
        let _ = barriers
            .kernel()
            .send_blocking(Arrive { barrier: number as u32, party, generation: said })
            .unwrap();
        if said == Arrive::LEAVES && bit != 0 && *gone & bit == 0 {
            *gone |= bit;
        } else if (said == Arrive::OPEN || said == *generation) && bit != 0 && *here & bit == 0 {
            (*here, *gone) = (*here | bit, *gone & !bit);
        } else {
            refused += 1;
            continue;
        }
        if *here != 0 && *here | *gone == everybody {
            (*generation, *here) = (*generation + 1, 0);
            let passed = all[number].passed_blocking(*generation - 1).unwrap();
            assert_eq!((passed.generation, passed.missing), (*generation - 1, 0), "{round}");
        }
    }
    drain(barriers.kernel());
    for (barrier, (generation, ..)) in all.iter().zip(&models) {
        assert_eq!(barrier.generation(), *generation, "{barrier:?}");
        assert!(barrier.parties() > 5 || *generation > 2, "{barrier:?}");
    }
    // The oldest are forgotten. Party 0 is the only one of this barrier.
    let first = &all[0];
    while first.generation() <= KEPT as u64 {
        let _ = first.arrive(0).unwrap().wait_blocking().unwrap();
    }
    let oldest = first.generation() - KEPT as u64;
    assert_eq!(first.passed_blocking(oldest).unwrap().generation, oldest);
    let forgotten = WaitError::Forgotten { generation: oldest - 1, oldest };
    assert_eq!(first.passed_blocking(oldest - 1), Err(forgotten));
    assert_eq!(balanced(barriers.kernel()).drops.failed, refused);
}

/// K-06: a party's kernel that terminates holds nobody up, and those who wait for barriers that end are told.
pub fn k06_ends(bench: &Bench) {
    let mut plan = BarrierPlan::new("barriers");
    let number = plan.add("epoch", 2, None).unwrap();
    let kernel = walkers(bench, "walkers", number, 0, 1);
    plan.tell(number, 0, &kernel, 0).unwrap();
    let barriers = plan.launch(bench.runtime()).unwrap();
    let epoch = barriers.get("epoch").unwrap();
    kernel.port(stroll::AT).connect(barriers.kernel()).unwrap();
    begin(&kernel, 1, 1);
    assert_eq!(epoch.arrive(1).unwrap().wait_blocking().unwrap().missing, 0);
    // The host is told before the kernel.
    assert_eq!(steps(&kernel, 1)[0].generation, 0);
    kernel.terminate_blocking();
    let arrival = epoch.arrive(1).unwrap();
    let _ = barriers.kernel().send_blocking(Arrive { generation: 1, ..number.party(0) }).unwrap();
    assert_eq!(arrival.wait_blocking().unwrap().generation, 1);
    eventually(|| barriers.kernel().status().outputs_lost == 1);
    // Also where a second kernel tells the host, who waits learns that the first has ended.
    let arrival = epoch.arrive(1).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(arrival.wait_blocking(), Err(WaitError::Ended)));
        barriers.kernel().terminate_blocking();
    });

    let alone = NamedBarrier::launch(bench.runtime(), "alone", 2, None).unwrap();
    let arrival = alone.arrive(0).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(arrival.wait_blocking(), Err(WaitError::Ended)));
        scope.spawn(|| assert_eq!(block_on(alone.passed(5)), Err(WaitError::Ended)));
        alone.barriers().kernel().terminate_blocking();
    });
    assert_eq!(alone.arrive(1).unwrap_err(), ArriveError::Ended);
    // Its name is free again when nobody has it.
    drop((alone, arrival));
    let again = NamedBarrier::launch(bench.runtime(), "alone", 1, None).unwrap();
    assert_eq!(again.arrive(0).unwrap().wait_blocking().unwrap().missing, 0);
}

/// K-06: what cannot be is refused, in words.
pub fn k06_what_is_refused(bench: &Bench) {
    let mut plan = BarrierPlan::new("barriers");
    assert_eq!(plan.launch(bench.runtime()).unwrap_err(), BarrierError::Barriers { most: 1024 });
    for parties in [0, 65, u32::MAX] {
        let error = plan.add("epoch", parties, None).unwrap_err();
        assert_eq!(error, BarrierError::Parties { name: "epoch".into(), parties, most: 64 });
        assert!(error.to_string().contains("1 to 64"), "{error}");
    }
    for limit in [Duration::ZERO, Duration::MAX] {
        let error = plan.add("epoch", 2, limit).unwrap_err();
        assert_eq!(error, BarrierError::Limit { name: "epoch".into(), limit });
    }
    let number = plan.add("epoch", 2, None).unwrap();
    let error = plan.add("epoch", 2, None).unwrap_err();
    assert_eq!(error, BarrierError::NameTaken { name: "epoch".into() });
    let kernel = walkers(bench, "walkers", number, 0, 1);
    let error = plan.tell(number, 2, &kernel, 0).unwrap_err();
    assert_eq!(error, BarrierError::NoSuchParty { name: "epoch".into(), party: 2, parties: 2 });
    plan.tell(number, 1, &kernel, 0).unwrap();
    let error = plan.tell(number, 1, &kernel, 0).unwrap_err();
    assert_eq!(error, BarrierError::ToldTwice { name: "epoch".into(), party: 1 });
    for more in 1..1024 {
        plan.add(more.to_string(), 1, None).unwrap();
    }
    let error = plan.add("one more", 1, None).unwrap_err();
    assert_eq!(error, BarrierError::Barriers { most: 1024 });

    let barriers = plan.launch(bench.runtime()).unwrap();
    let error = barriers.get("epochs").unwrap_err();
    assert!(error.to_string().contains("these are: epoch, 1, 2"), "{error}");
    assert!(matches!(
        barriers.get("77").unwrap().arrive(1),
        Err(ArriveError::NoSuchParty { party: 1, parties: 1 })
    ));
    let taken = plan.launch(bench.runtime()).unwrap_err();
    assert!(matches!(taken, BarrierError::Launch(LaunchError::AlreadyLaunched { .. })), "{taken:?}");
    assert!(taken.to_string().ends_with("terminate it first, or give the barriers another name"), "{taken}");
    let mut unnamed = BarrierPlan::new("");
    unnamed.add("epoch", 1, None).unwrap();
    let unnamed = unnamed.launch(bench.runtime()).unwrap_err();
    assert!(unnamed.to_string().ends_with("the barriers' name is empty: give them one"), "{unnamed}");

    // One that nobody may send to, and more kernels than have places beside the host's.
    let closed = stroll::bind(number.party(0));
    let closed = closed.launch(bench.runtime(), LaunchOptions::default().name("closed").actors(1)).unwrap();
    let mut plan = BarrierPlan::new("others");
    let number = plan.add("epoch", 20, None).unwrap();
    plan.tell(number, 0, &closed, 0).unwrap();
    let refused = plan.launch(bench.runtime()).unwrap_err();
    assert!(matches!(refused, BarrierError::Connect(ConnectError::NotConnectable { .. })), "{refused:?}");
    let mut plan = BarrierPlan::new("many");
    let number = plan.add("epoch", 20, None).unwrap();
    for party in 0..15 {
        let kernel = stroll::bind(number.party(party));
        let kernel = kernel.launch(bench.runtime(), linked(&format!("party {party}")).actors(1)).unwrap();
        plan.tell(number, party, &kernel, 0).unwrap();
    }
    let refused = plan.launch(bench.runtime()).unwrap_err();
    assert!(
        matches!(refused, BarrierError::Connect(ConnectError::TooManyPeers { given: 16, .. })),
        "{refused:?}"
    );
}

/// K-06: `why` names the barrier that waits, and whom it waits for. One to which nobody has come, or that passes by itself, waits for
/// nobody.
pub fn k06_why_names_who_has_not_come(bench: &Bench) {
    let mut plan = BarrierPlan::new("barriers");
    plan.add("nobody's", 2, None).unwrap();
    let number = plan.add("epoch", 4, None).unwrap();
    plan.add("limited", 2, LONG).unwrap();
    let kernel = walkers(bench, "walkers", number, 0, 2);
    for party in 0..2 {
        plan.tell(number, party, &kernel, party).unwrap();
    }
    let barriers = plan.launch(bench.runtime()).unwrap();
    let [epoch, limited] = ["epoch", "limited"].map(|name| barriers.get(name).unwrap());
    kernel.port(stroll::AT).connect(barriers.kernel()).unwrap();
    kernel.activate_blocking().unwrap();
    let why = || bench.runtime().why().to_string();
    assert_eq!(why(), "nothing waits in vain");

    let _ = kernel.send_blocking(Walk::Begin { walker: 0, rounds: 1 }).unwrap();
    let (first, _) = (epoch.arrive(2).unwrap(), limited.arrive(0).unwrap());
    eventually(|| {
        let text = why();
        text.starts_with("barrier `epoch` of `barriers` has waited in generation 0 for ")
            && text.ends_with(
                " or more: 2 of its 4 parties have not come: party 1 (actor 1 of `walkers`), party 3 (the host's)",
            )
    });
    epoch.leave(3).unwrap();
    eventually(|| why().ends_with(": 1 of its 4 parties has not come: party 1 (actor 1 of `walkers`)"));
    let _ = kernel.send_blocking(Walk::Begin { walker: 1, rounds: 1 }).unwrap();
    assert_eq!(first.wait_blocking().unwrap().missing, 0);
    drain(&kernel);
    assert_eq!(why(), "nothing waits in vain");
}
