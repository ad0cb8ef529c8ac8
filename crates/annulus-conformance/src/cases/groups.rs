//! Launches of one kernel on several devices, used as one: D-02, M-10.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    future::Future as _,
    thread,
    time::Duration,
};

use annulus_runtime::{
    Backpressure, BridgeOptions, CallError, Deduplication, GroupError, KernelGroup, LaunchOptions, RecvError,
    SendError, TryRecvError, TrySendError,
};

use super::policies::ticket;
use crate::{
    Bench,
    bench::{drain, eventually},
    kernels::{
        Item, Number, Total, Tracked, echo,
        links::pass,
        number, numbers, odd,
        policies::gate,
        sparse::{Account, Bought, Purchase, SHOPPING, buy, customer_of, shop},
        total, track, visits_of,
    },
};

const LONG: Duration = Duration::from_secs(60);

/// A group of so many members, every second one on another runtime.
macro_rules! group {
    ($bench:expr, $count:expr, $launch:expr) => {{
        let other = $bench.another_runtime();
        let member = |number: usize| {
            let runtime = if number % 2 == 0 { $bench.runtime() } else { &other };
            let options = LaunchOptions::production().name(format!("member {number}"));
            $launch(runtime, options).unwrap()
        };
        KernelGroup::new((0..$count).map(member)).unwrap()
    }};
}

/// M-10: each actor lives in one member, whose shards share the actors evenly, and its messages keep their order.
pub fn m10_actors_are_shared_out(bench: &Bench) {
    let (actors, each) = (24, bench.size(20, 1000));
    let group = group!(bench, 3, |runtime, options: LaunchOptions| track::launch(
        runtime,
        options.actors(actors).grid(2)
    ));
    thread::scope(|scope| {
        for producer in 0..2 {
            let group = &group;
            scope.spawn(move || {
                for sequence in 0..each {
                    let items: Vec<_> =
                        (0..actors as u32).map(|key| Item { key, producer, sequence }).collect();
                    match producer {
                        0 => group.send_batch_blocking(&items).unwrap(),
                        _ => items.into_iter().for_each(|item| {
                            let _ = group.send_blocking(item).unwrap();
                        }),
                    }
                }
            });
        }
        let mut next = vec![[0; 2]; actors as usize];
        for _ in 0..2 * actors * each {
            let (member, Tracked { key, producer, sequence, .. }) = group.recv_blocking().unwrap();
            assert_eq!(member, key as usize / 8, "each has its member");
            let next = &mut next[key as usize][producer as usize];
            assert_eq!(sequence, *next, "in order");
            *next += 1;
        }
    });
    group.drained_blocking();
    for member in group.members() {
        assert_eq!(member.status().processed, 2 * 8 * each);
    }
    assert_eq!(group.try_recv(), Err(TryRecvError::Empty));
    let ends = group.shutdown_blocking(LONG);
    assert!(ends.iter().all(|end| end.undelivered.is_empty()));
    assert_eq!(group.recv_blocking(), Err(RecvError::Closed));
}

/// M-10: messages without a key go to whom has fewest; an inactive member gets its share of the room, and no more.
pub fn m10_messages_go_where_fewest_wait(bench: &Bench) {
    let group = group!(bench, 2, |runtime, options: LaunchOptions| echo::launch(runtime, options));
    group.members()[1].deactivate_blocking().unwrap();
    for n in 0..100 {
        let _ = group.send_blocking(number(n)).unwrap();
        // The first has handled all before the next is sent, so the second has at most one more than none.
        drain(&group.members()[0]);
    }
    let waiting = group.members()[1].status().pending;
    assert!(waiting <= 1, "{waiting}");
    group.members()[1].activate_blocking().unwrap();
    group.drained_blocking();
    let mut all = HashSet::new();
    while let Ok((_, output)) = group.try_recv() {
        assert!(all.insert(output.value));
    }
    assert_eq!(all.len(), 100);
}

/// M-10: members may have queues of different lengths. None whose queues are full is chosen while another one has room.
pub fn m10_a_full_member_is_passed_over(bench: &Bench) {
    let other = bench.another_runtime();
    let launch = |runtime, name: &str, room| {
        let options = LaunchOptions::production().name(name).capacity(room).grid(1).active(false);
        echo::launch(runtime, options).unwrap()
    };
    let members = [launch(bench.runtime(), "short", 16), launch(&other, "long", 64)];
    let group = KernelGroup::new(members).unwrap();
    let room = group.members().iter().map(|member| member.status().inbound_capacity).sum();
    for n in 0..room {
        let _ = group.try_send(number(n)).unwrap();
    }
    assert!(matches!(group.try_send(number(room)), Err(TrySendError::Full(_))));
}

/// M-10: a batch, and single messages whose answers are awaited, are dealt evenly; and fewer actors than blocks are shared
/// out all the same.
pub fn m10_all_members_have_their_part(bench: &Bench) {
    let group = group!(bench, 2, |runtime, options: LaunchOptions| echo::launch(runtime, options));
    group.send_batch_blocking(&numbers(0..100)).unwrap();
    let mut of = [0; 2];
    for _ in 0..100 {
        of[group.recv_blocking().unwrap().0] += 1;
    }
    assert_eq!(of, [50, 50]);
    group.drained_blocking();
    let mut of = [0; 2];
    for n in 0..100 {
        let _ = group.send_blocking(number(n)).unwrap();
        of[group.recv_blocking().unwrap().0] += 1;
        group.drained_blocking();
    }
    assert_eq!(of, [50, 50]);
    drop(group);
    let group =
        group!(bench, 2, |runtime, options: LaunchOptions| track::launch(runtime, options.actors(4).grid(4)));
    let of = |key| group.member_of(&Item { key, producer: 0, sequence: 0 });
    assert_eq!([0, 1, 2, 3, 4, u32::MAX].map(of), [0, 0, 1, 1, 1, 1]);
    let twice = [group.members()[0].clone(), group.members()[1].clone(), group.members()[0].clone()];
    let error = KernelGroup::new(twice).unwrap_err();
    assert_eq!(error, GroupError::Twice { first: 0, second: 2 });
}

/// D-03, M-10: a bridge shares a kernel's outputs out to the members as a send does: each to the member of its actor.
pub fn m10_a_bridge_leads_to_a_group(bench: &Bench) {
    let each = bench.size(50, 5000);
    let group = group!(bench, 3, |runtime, options: LaunchOptions| track::launch(
        runtime,
        options.actors(9).capacity(16).grid(2)
    ));
    let source = pass::launch(bench.runtime(), LaunchOptions::production().name("source").actors(9)).unwrap();
    let options = BridgeOptions::new().messages(8);
    let bridge = source.bridge_to_group(&group, options, Backpressure::Block).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            for sequence in 0..each {
                let items: Vec<_> = (0..9).map(|key| Item { key, producer: 0, sequence }).collect();
                source.send_batch_blocking(&items).unwrap();
            }
        });
        let mut next = [0; 9];
        for _ in 0..9 * each {
            let (member, Tracked { key, sequence, .. }) = group.recv_blocking().unwrap();
            assert_eq!((member, sequence), (key as usize / 3, next[key as usize]));
            next[key as usize] += 1;
        }
    });
    eventually(|| bridge.status().held == 0);
    // What is for a member that has ended is lost, and the others go on.
    group.members()[1].terminate_blocking();
    let items: Vec<_> = (0..9).map(|key| Item { key, producer: 0, sequence: each }).collect();
    for _ in 0..10 {
        source.send_batch_blocking(&items).unwrap();
    }
    for _ in 0..60 {
        assert_ne!(group.recv_blocking().unwrap().0, 1);
    }
    eventually(|| {
        let status = bridge.status();
        (status.moved, status.discarded, status.held) == (9 * each + 60, 30, 0)
    });
    bridge.stop();
    assert!(bridge.ended_timeout(LONG) && bridge.take_undelivered().is_empty());
    // Without keys, to any.
    drop(group);
    let group = group!(bench, 2, |runtime, options: LaunchOptions| echo::launch(runtime, options));
    let source = echo::launch(bench.runtime(), LaunchOptions::production().name("echo")).unwrap();
    source.bridge_to_group(&group, BridgeOptions::new(), Backpressure::Block).unwrap();
    source.send_batch_blocking(&numbers(0..100)).unwrap();
    let mut all: Vec<_> = (0..100).map(|_| group.recv_blocking().unwrap().1).collect();
    all.sort_unstable();
    assert_eq!(all, numbers(0..100));
}

/// Whether so many of `all` are an even share, about.
fn is_even(part: usize, all: usize, members: usize) -> bool {
    (3 * all / members..=5 * all / members).contains(&(4 * part))
}

/// M-10: sparse keys are spread over the members by a hash, whatever pattern they have, and over the blocks of each; a send, a
/// batch and a bridge agree on whose a key is.
pub fn m10_sparse_keys_are_spread(bench: &Bench) {
    let group = group!(bench, 3, |runtime, options: LaunchOptions| buy::launch(
        runtime,
        options.actors(2000).sparse_keys(true).grid(2)
    ));
    let of = |customer: u64| group.member_of(&Purchase { customer, amount: 1 });
    // Also those below the number of actors, and those of one block of each member.
    let patterns: [fn(u64) -> u64; 4] = [|n| n, |n| 6 * n, |n| n << 40, customer_of];
    let keys: BTreeSet<u64> = patterns.iter().flat_map(|key| (0..300).map(key)).collect();
    for key in patterns {
        for member in 0..3 {
            let own = (0..300).filter(|&n| of(key(n)) == member).count();
            assert!(is_even(own, 300, 3), "{own} of 300 keys like {} are of member {member}", key(1));
        }
    }
    let purchases: Vec<_> = keys.iter().map(|&customer| Purchase { customer, amount: 1 }).collect();
    for part in purchases.chunks(100) {
        group.send_batch_blocking(part).unwrap();
        for &purchase in part {
            let _ = group.send_blocking(purchase).unwrap();
        }
        for _ in 0..2 * part.len() {
            let (member, Bought { customer, whose, .. }) = group.recv_blocking().unwrap();
            assert_eq!((member, whose), (of(customer), customer));
        }
    }
    // What a kernel sends goes to the same members over a bridge.
    let shop = shop::launch(bench.runtime(), LaunchOptions::production().name("shop")).unwrap();
    let bridge = shop.bridge_to_group(&group, BridgeOptions::new(), Backpressure::Block).unwrap();
    shop.send_batch_blocking(&numbers(0..40)).unwrap();
    for _ in 0..40 * SHOPPING {
        let (member, Bought { customer, whose, .. }) = group.recv_blocking().unwrap();
        assert_eq!((member, whose), (of(customer), customer));
    }
    eventually(|| bridge.status().moved == 40 * SHOPPING);
    group.drained_blocking();
    let all: BTreeSet<_> = keys.into_iter().chain((0..40).map(customer_of)).collect();
    for (number, member) in group.members().iter().enumerate() {
        let status = member.status();
        let own: Vec<_> = all.iter().copied().filter(|&key| of(key) == number).collect();
        assert_eq!(status.drops.total(), 0);
        assert_eq!(status.actors.unwrap().used, own.len() as u64);
        // The member says nothing of the block.
        let even = own.iter().filter(|key| key.is_multiple_of(2)).count();
        assert!(even != 0 && even != own.len());
        member.deactivate_blocking().unwrap();
        if let Ok(snapshot) = member.snapshot_blocking() {
            assert_eq!(snapshot.keys(), Some(&own[..]));
        }
    }
}

/// M-10: keys of a kernel without state by key are spread in the same way, whatever the launch says of actors: no key is out
/// of range there.
pub fn m10_keys_without_state_are_spread(bench: &Bench) {
    for (actors, name) in [(0, "none"), (8, "eight")] {
        let other = bench.another_runtime();
        let members = [bench.runtime(), &other, bench.runtime(), &other].into_iter().enumerate();
        let group = KernelGroup::new(members.map(|(number, runtime)| {
            let options = LaunchOptions::production().name(format!("{name} {number}"));
            pass::launch(runtime, options.actors(actors).capacity(1024).output_capacity(1024)).unwrap()
        }))
        .unwrap();
        let items: Vec<_> = (0..400).map(|key| Item { key, producer: 0, sequence: 0 }).collect();
        group.send_batch_blocking(&items).unwrap();
        group.drained_blocking();
        let processed: Vec<_> = group.members().iter().map(|member| member.status().processed).collect();
        assert!(processed.iter().all(|&own| is_even(own as usize, 400, 4)), "{name}: {processed:?}");
        for _ in 0..400 {
            let (member, item) = group.recv_blocking().unwrap();
            assert_eq!(member, group.member_of(&item));
        }
    }
}

/// M-10: what is recognised when it comes again goes to the same member again.
pub fn m10_duplicates_meet(bench: &Bench) {
    let group = group!(bench, 3, |runtime, options: LaunchOptions| gate::launch(
        runtime,
        options.deduplication(Deduplication::ById)
    ));
    for _ in 0..3 {
        for id in 0..60 {
            let _ = group.send_blocking(ticket(id, 0)).unwrap();
        }
    }
    group.drained_blocking();
    let counts: Vec<_> = group.members().iter().map(|member| member.status()).collect();
    assert_eq!(counts.iter().map(|status| status.processed).sum::<u64>(), 60);
    assert_eq!(counts.iter().map(|status| status.drops.duplicate).sum::<u64>(), 120);
    assert!(counts.iter().all(|status| status.processed != 0), "all have some of 60");
}

/// D-02: a broadcast reaches each member once; a gather has a reply of each, in their order; a reduction folds them so.
pub fn d02_collectives_of_messages(bench: &Bench) {
    let group = group!(bench, 4, |runtime, options: LaunchOptions| total::launch(runtime, options));
    // Each member's sum is another one.
    for (n, member) in group.members().iter().enumerate() {
        let _ = member.call_blocking(number(10 * n as u64)).unwrap();
    }
    group.broadcast_blocking(number(1)).unwrap();
    group.drained_blocking();
    let mut outputs: Vec<_> = (0..4).map(|_| group.recv_blocking().unwrap()).collect();
    outputs.sort_unstable_by_key(|(member, _)| *member);
    let sums = |of: [u64; 4]| of.map(|value| Number { value }).to_vec();
    assert_eq!(outputs.into_iter().map(|(_, sum)| sum).collect::<Vec<_>>(), sums([1, 11, 21, 31]));
    assert_eq!(group.gather_blocking(number(1)).unwrap(), sums([2, 12, 22, 32]));
    let digits = |a: Number, b: Number| Number { value: a.value * 100 + b.value };
    assert_eq!(group.reduce_blocking(number(1), digits).unwrap(), number(3_13_23_33));
    let rounds = bench.size(20, 2000);
    for _ in 0..rounds {
        group.reduce_blocking(number(0), digits).unwrap();
    }
    // A member that has ended is named.
    group.members()[2].terminate_blocking();
    let error = group.broadcast_blocking(number(0)).unwrap_err();
    let GroupError::Send { member: 2, cause: SendError::Closed(()), .. } = &error else { panic!("{error}") };
    assert!(error.to_string().starts_with("member 2, `member 2` on "), "{error}");
    let error = group.gather_blocking(number(0)).unwrap_err();
    assert!(matches!(error, GroupError::Call { member: 2, cause: CallError::Closed, .. }), "{error}");
    let error = group.send_batch_blocking(&numbers(0..40)).unwrap_err();
    assert!(matches!(error, GroupError::Batch { member: 2, .. }), "{error}");
}

/// D-02: states, and bound memory, of all members become one, and are set in all; messages wait meanwhile.
pub fn d02_all_reduce(bench: &Bench) {
    let group = group!(bench, 3, |runtime, options: LaunchOptions| {
        visits_of::bind(&vec![0; 512]).launch(runtime, options.actors(16).grid(2))
    });
    // Another actor in each member, and one in all.
    for (n, member) in group.members().iter().enumerate() {
        for key in [n as u32, 9] {
            let _ = member.send_blocking(Item { key, producer: 0, sequence: 500 + key as u64 }).unwrap();
        }
    }
    group.drained_blocking();
    let sum = |a: Total, b: Total| Total { sum: a.sum + b.sum };
    let states = match group.all_reduce_states_blocking(sum) {
        Ok(states) => states,
        // A kernel that stays on a device whose memory cannot be copied says so, and all go on.
        Err(error @ GroupError::Snapshot { .. }) => {
            assert!(error.to_string().contains("epochs"), "{error}");
            assert!(group.members().iter().all(|member| member.status().is_active()));
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let sums = |states: &[Total]| states.iter().map(|total| total.sum).collect::<Vec<_>>();
    assert_eq!(sums(&states), [1, 1, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
    let bins = group.all_reduce_memory_blocking("bins", |a: u32, b: u32| a + b).unwrap();
    assert_eq!(bins.len(), 512);
    let full: Vec<_> = (0..512).filter(|&place| bins[place] != 0).map(|place| (place, bins[place])).collect();
    assert_eq!(full, [(500, 1), (501, 1), (502, 1), (509, 3)]);
    assert!(group.members().iter().all(|member| member.status().is_active()), "as they were");
    // Each goes on from there.
    for member in group.members() {
        let _ = member.send_blocking(Item { key: 9, producer: 0, sequence: 509 }).unwrap();
    }
    group.drained_blocking();
    let most = |a: Total, b: Total| Total { sum: a.sum.max(b.sum) };
    assert_eq!(group.all_reduce_states_blocking(most).unwrap()[9].sum, 4);
    let bins = group.all_reduce_memory_blocking("bins", u32::max).unwrap();
    assert_eq!((bins[500], bins[509]), (1, 4));
    // What is wrong is told, and changes nothing.
    let error = group.all_reduce_memory_blocking("bin", u32::max).unwrap_err();
    assert!(matches!(error, GroupError::Snapshot { member: 0, .. }), "{error}");
    let error = group.all_reduce_states_blocking(u32::max).unwrap_err();
    assert!(matches!(error, GroupError::Snapshot { member: 0, .. }), "{error}");
    eventually(|| group.members().iter().all(|member| member.status().is_active()));
}

/// D-02: members whose actors have different keys: then all have those of all, with states that are folded where several have
/// one.
pub fn d02_all_reduce_of_sparse_keys(bench: &Bench) {
    let group = group!(bench, 3, |runtime, options: LaunchOptions| buy::launch(
        runtime,
        options.actors(20).sparse_keys(true).grid(2)
    ));
    // The first has keys that nobody has, the second some of its own, and the third none; some are of both.
    let keys = [vec![0, 7, u64::MAX], vec![7, 1 << 40, u64::MAX - 1, u64::MAX], vec![]];
    let mut expected = BTreeMap::<u64, Account>::new();
    let sum = |a: Account, b: Account| Account {
        whose: a.whose.max(b.whose),
        count: a.count + b.count - Account::FIRST,
        sum: 10 * a.sum + b.sum,
    };
    for (number, member) in group.members().iter().enumerate() {
        for &customer in &keys[number] {
            let amount = 1 + number as u64;
            member.call_blocking(Purchase { customer, amount }).unwrap();
            let own = Account { whose: customer, count: Account::FIRST + 1, sum: amount };
            let folded = expected.get(&customer).map_or(own, |&before| sum(before, own));
            expected.insert(customer, folded);
        }
    }
    assert_eq!((expected[&7].count, expected[&7].sum), (Account::FIRST + 2, 12), "in the members' order");
    let states = match group.all_reduce_states_blocking(sum) {
        Ok(states) => states,
        // As in `d02_all_reduce`.
        Err(error @ GroupError::Snapshot { .. }) => {
            assert!(error.to_string().contains("epochs"), "{error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!(states, expected.values().copied().collect::<Vec<_>>(), "by key");
    for member in group.members() {
        let status = member.status();
        assert!(status.is_active());
        assert_eq!(status.actors.map(|actors| (actors.used, actors.places)), Some((5, 20)));
        // Each goes on from there, also for keys that it had not.
        for (&customer, account) in &expected {
            let bought = member.call_blocking(Purchase { customer, amount: 100 }).unwrap();
            let Account { whose, count, sum } = *account;
            assert_eq!(bought, Bought { customer, whose, count, sum: sum + 100 });
        }
    }
    // Each has its fold once more, and a key that is new to all.
    group.members()[2].call_blocking(Purchase { customer: 3, amount: 5 }).unwrap();
    let first = |a: Account, _| a;
    assert_eq!(group.all_reduce_states_blocking(first).unwrap().len(), 6);
    assert!(group.members().iter().all(|member| member.status().actors.unwrap().used == 6));
    // Together they have more keys of one block than it has places for: this is told, and nothing changes.
    for (number, member) in group.members().iter().enumerate() {
        for key in 0..6 {
            let customer = 1000 * (1 + number as u64) + 2 * key;
            member.call_blocking(Purchase { customer, amount: 1 }).unwrap();
        }
    }
    let error = group.all_reduce_states_blocking(first).unwrap_err();
    assert!(matches!(error, GroupError::Snapshot { member: 0, .. }), "{error}");
    assert!(error.to_string().contains("number of actors of shard 0"), "{error}");
    eventually(|| group.members().iter().all(|member| member.status().is_active()));
    assert!(group.members().iter().all(|member| member.status().actors.unwrap().used == 12));
    let again = group.members()[1].call_blocking(Purchase { customer: 2000, amount: 1 }).unwrap();
    assert_eq!((again.count, again.sum), (Account::FIRST + 1, 2));
    // So it is if only the last one has too few: its grid is another.
    let members = [(1, "wide"), (4, "narrow")].map(|(grid, name)| {
        let options = LaunchOptions::production().name(name).actors(8).sparse_keys(true).grid(grid);
        buy::launch(bench.runtime(), options).unwrap()
    });
    let group = KernelGroup::new(members).unwrap();
    for customer in [4, 8] {
        group.members()[0].call_blocking(Purchase { customer, amount: 1 }).unwrap();
    }
    group.members()[1].call_blocking(Purchase { customer: 12, amount: 1 }).unwrap();
    let error = group.all_reduce_states_blocking(first).unwrap_err();
    assert!(matches!(error, GroupError::Snapshot { member: 1, .. }), "{error}");
    let used = group.members().iter().map(|member| member.status().actors.unwrap().used);
    assert_eq!(used.collect::<Vec<_>>(), [2, 1], "none has changed");
}

/// D-02: several that change what the members keep take turns, and one that is given up leaves all as they were.
pub fn d02_changes_take_turns(bench: &Bench) {
    let group = group!(bench, 2, |runtime, options: LaunchOptions| {
        visits_of::bind(&vec![1; 512]).launch(runtime, options.actors(4))
    });
    let most = |a: Total, b: Total| Total { sum: a.sum.max(b.sum) };
    if group.all_reduce_states_blocking(most).is_err() {
        // A kernel that stays on a device whose memory cannot be copied.
        return;
    }
    let rounds = bench.size(5, 50) as u32;
    thread::scope(|scope| {
        let clone = group.clone();
        scope.spawn(move || {
            for _ in 0..rounds {
                clone.all_reduce_memory_blocking("bins", |a: u32, b: u32| (a + b) % 65_521).unwrap();
            }
        });
        for _ in 0..rounds {
            group.all_reduce_states_blocking(most).unwrap();
            // One that is given up at its first wait, or at once.
            drop(Box::pin(group.all_reduce_states(most)));
            let mut given_up = Box::pin(group.all_reduce_states(most));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            let _ = given_up.as_mut().poll(&mut context);
        }
    });
    let expected = (0..rounds).fold(1_u32, |value, _| 2 * value % 65_521);
    let bins = group.all_reduce_memory_blocking("bins", u32::max).unwrap();
    assert!(bins.iter().all(|bin| *bin == expected), "{} and {expected}", bins[0]);
    eventually(|| group.members().iter().all(|member| member.status().is_active()));
    group.broadcast_blocking(Item { key: 1, producer: 0, sequence: 3 }).unwrap();
    group.drained_blocking();
    assert_eq!(group.all_reduce_states_blocking(most).unwrap()[1].sum, 1);
}

/// D-02: members with different actors are refused, and a member that is inactive stays so.
pub fn d02_members_that_differ(bench: &Bench) {
    let bound = |name: &str, actors| {
        let options = LaunchOptions::production().name(name).actors(actors);
        visits_of::bind(&vec![0; 512]).launch(bench.runtime(), options).unwrap()
    };
    let [four, five, other] =
        [("four", 4), ("five", 5), ("other", 4)].map(|(name, actors)| bound(name, actors));
    let error = KernelGroup::new([four.clone(), five]).unwrap_err();
    assert_eq!(error, GroupError::Differ { member: 1, its: 5, first: 4 });
    assert!(error.to_string().contains("launch all with as many actors"), "{error}");
    // Where there is no state by key, actors say nothing. And a message that finds no room comes back.
    let odds = [("odd", 0), ("odder", 7)].map(|(name, actors)| {
        let options = LaunchOptions::production().name(name).actors(actors).capacity(16).active(false);
        odd::launch(bench.runtime(), options).unwrap()
    });
    let odds = KernelGroup::new(odds).unwrap();
    for value in 0..32 {
        let _ = odds.try_send(Number { value }).unwrap();
    }
    assert!(matches!(odds.try_send(Number { value: 32 }), Err(TrySendError::Full(Number { value: 32 }))));
    // Keys of all members are sparse, or of none; it may be another one that evicts.
    let buys = |name: &str, options: fn(LaunchOptions) -> LaunchOptions| {
        buy::launch(bench.runtime(), options(LaunchOptions::production().name(name).actors(4))).unwrap()
    };
    let dense = buys("dense", |options| options);
    let sparse = buys("sparse", |options| options.sparse_keys(true));
    let evicts = buys("evicts", |options| options.evict_actors(true));
    let error = KernelGroup::new([dense.clone(), sparse.clone()]).unwrap_err();
    assert_eq!(error, GroupError::Keys { member: 1 });
    assert_eq!(
        error.to_string(),
        "member 1 differs from member 0 in sparse_keys: launch all with it, or none"
    );
    let error = KernelGroup::new([sparse.clone(), evicts.clone(), dense]).unwrap_err();
    assert_eq!(error, GroupError::Keys { member: 2 });
    assert_eq!(KernelGroup::new([sparse, evicts]).unwrap().members().len(), 2);
    let group = KernelGroup::new([four, other]).unwrap();
    group.members()[1].deactivate_blocking().unwrap();
    let _ = group.all_reduce_states_blocking(|a: Total, _| a);
    eventually(|| group.members()[0].status().is_active());
    assert!(!group.members()[1].status().is_active());
}
