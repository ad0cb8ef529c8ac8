//! Sparse keys: any keys may come, and the first of them get the places.

use std::collections::{BTreeMap, BTreeSet};

use annulus_runtime::{
    ActorStatus, KernelHandle, LaunchError, LaunchOptions, LaunchProblem, Snapshot, SnapshotError, block_on,
    prelude::RingKernel,
};

use super::links::{connect, source};
use crate::{
    Bench,
    bench::{Random, balanced, drain},
    kernels::{
        Item, number,
        sparse::{Account, Bought, Purchase, SHOPPING, buy, customer_of, greet, shop},
        total, track,
    },
};

fn options(actors: u64) -> LaunchOptions {
    LaunchOptions::default().actors(actors).sparse_keys(true)
}

fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<buy> {
    buy::launch(bench.runtime(), options).unwrap()
}

/// What plain Rust makes of the same messages.
#[derive(Default)]
struct Model(BTreeMap<u64, Account>);

impl Model {
    fn take(&mut self, Purchase { customer, amount }: Purchase) -> Bought {
        let account = self.0.entry(customer).or_insert(Account { whose: customer, ..Account::default() });
        account.count += 1;
        account.sum += amount;
        Bought { customer, whose: customer, count: account.count - 1, sum: account.sum }
    }

    fn states(&self) -> (Vec<u64>, Vec<Account>) {
        (self.0.keys().copied().collect(), self.0.values().copied().collect())
    }
}

/// Keys that a table could confuse: ends of the range, neighbours, powers of two, multiples of the grid, and keys without
/// a pattern.
fn keys() -> Vec<u64> {
    let mut keys = BTreeSet::from([0, 1, 2, 3, u64::MAX, u64::MAX - 1, 1 << 32, (1 << 32) - 1]);
    keys.extend((0..64).map(|bit| 1 << bit));
    keys.extend((0..100).map(|multiple| multiple * 12));
    let mut random = Random(5);
    keys.extend((0..200).map(|_| random.below(u64::MAX)));
    keys.into_iter().collect()
}

/// Sends this and takes the answers at the same time: no more than fit lie anywhere.
fn answers(kernel: &KernelHandle<buy>, purchases: &[Purchase]) -> BTreeMap<u64, Vec<Bought>> {
    let mut all = BTreeMap::<u64, Vec<_>>::new();
    for part in purchases.chunks(256) {
        for &purchase in part {
            let _ = kernel.send_blocking(purchase).unwrap();
        }
        for _ in part {
            let bought = kernel.recv_blocking().unwrap();
            all.entry(bought.customer).or_default().push(bought);
        }
    }
    // Counts may be told later than answers.
    drain(kernel);
    all
}

fn snapshot(kernel: &KernelHandle<buy>) -> Snapshot {
    drain(kernel);
    kernel.deactivate_blocking().unwrap();
    kernel.snapshot_blocking().unwrap()
}

/// Each key has an actor of its own, whose state outlives its messages.
fn each_key_is_found_again(bench: &Bench, options: LaunchOptions) {
    let kernel = launch(bench, options.actors(2000));
    let keys = keys();
    let mut random = Random(9);
    let mut model = Model::default();
    let mut expected = BTreeMap::<u64, Vec<_>>::new();
    let purchases: Vec<_> = (0..4 * keys.len())
        .map(|index| {
            // All of them at least once.
            let key = if index < keys.len() { index } else { random.below(keys.len() as u64) as usize };
            Purchase { customer: keys[key], amount: 1 + random.below(100) }
        })
        .collect();
    for &purchase in &purchases {
        expected.entry(purchase.customer).or_default().push(model.take(purchase));
    }
    assert_eq!(answers(&kernel, &purchases), expected);
    let status = balanced(&kernel);
    assert_eq!(status.drops.total(), 0);
    assert_eq!(status.actors.unwrap().used, keys.len() as u64);
    let snapshot = snapshot(&kernel);
    let (keys, states) = model.states();
    assert_eq!(snapshot.keys(), Some(&keys[..]));
    assert_eq!(snapshot.states::<Account>().unwrap(), states);
}

/// Keys without a pattern, on one block and on three.
pub fn any_key_is_found_again(bench: &Bench) {
    each_key_is_found_again(bench, options(0).name("one"));
    each_key_is_found_again(bench, options(0).name("three").grid(3));
}

/// The same by blocks of many threads, which look up at the same time.
pub fn many_threads_find_their_actors(bench: &Bench) {
    each_key_is_found_again(bench, options(0).name("one").block(32));
    each_key_is_found_again(bench, options(0).name("four").block(64).grid(4));
}

/// Keys from 0 on get the same states as in a launch without the option, and its snapshot fits.
pub fn sparse_equals_dense(bench: &Bench) {
    let dense = launch(bench, LaunchOptions::default().name("dense").grid(2).actors(50));
    let sparse = launch(bench, options(50).name("sparse").grid(3));
    let mut random = Random(3);
    let purchases: Vec<_> =
        (0..600).map(|_| Purchase { customer: random.below(50), amount: 1 + random.below(9) }).collect();
    assert_eq!(answers(&dense, &purchases), answers(&sparse, &purchases));
    let (dense_all, sparse_all) = (snapshot(&dense), snapshot(&sparse));
    let of = |snapshot: &Snapshot| snapshot.states::<Account>().unwrap();
    assert_eq!((dense_all.keys(), sparse_all.keys()), (None, Some(&(0..50).collect::<Vec<_>>()[..])));
    assert_eq!(of(&dense_all), of(&sparse_all));
    sparse.restore_blocking(&dense_all).unwrap();
    assert_eq!(of(&sparse.snapshot_blocking().unwrap()), of(&dense_all));
    let error = dense.restore_blocking(&sparse_all).unwrap_err();
    assert!(
        matches!(error, SnapshotError::Mismatch { .. }) && error.to_string().contains("sparse"),
        "{error}"
    );
}

/// Messages for keys beyond the room are counted and kept as dead letters. Those that have a place go on.
fn keys_beyond_the_room(bench: &Bench, options: LaunchOptions) {
    let kernel = launch(bench, options.actors(8));
    let key = |number: u64| customer_of(number + 1);
    for turn in 1..=3 {
        for number in 0..10 {
            let _ = kernel.send_blocking(Purchase { customer: key(number), amount: 1 }).unwrap();
        }
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!(status.drops.unknown_actor, 2 * turn);
        assert_eq!(
            status.actors.map(|actors| (actors.used, actors.places, actors.full_shards)),
            Some((8, 8, 1))
        );
    }
    let text = kernel.status().to_string();
    assert!(text.contains("8 of 8 actors in use, 1 of 1 shards without a place for another"), "{text}");
    let counts: Vec<_> = (0..24).map(|_| kernel.recv_blocking().unwrap()).collect();
    assert!(
        counts.iter().all(|bought| bought.whose == bought.customer && (0..8).any(|n| key(n) == bought.whose))
    );
    let dead = kernel.dead_letters().unwrap().take_batch();
    let refused: Vec<_> = dead.iter().map(|letter| letter.message.customer).collect();
    assert_eq!(refused, [key(8), key(9)].repeat(3));
    let called = kernel.call_blocking(Purchase { customer: key(9), amount: 1 });
    assert!(called.unwrap_err().to_string().contains("actor"));
}

/// By a block of one thread.
pub fn keys_beyond_the_room_are_refused(bench: &Bench) {
    keys_beyond_the_room(bench, options(8));
}

/// By a block of many.
pub fn blocks_of_a_warp_refuse_them_too(bench: &Bench) {
    keys_beyond_the_room(bench, options(8).block(32));
}

/// A key belongs to one block, by its remainder; and each block has its part of the places.
pub fn each_block_has_its_own_room(bench: &Bench) {
    let kernel = launch(bench, options(15).grid(4));
    for number in 0..6 {
        let _ = kernel.send_blocking(Purchase { customer: 400 * number, amount: 1 }).unwrap();
    }
    let _ = kernel.send_blocking(Purchase { customer: 400_001, amount: 1 }).unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.unknown_actor), (5, 2));
    assert_eq!(
        status.actors.map(|actors| (actors.used, actors.places, actors.full_shards)),
        Some((5, 16, 1))
    );
}

/// Keys come in any order, more of them than there is room for: a plain set says which are known.
pub fn the_table_equals_a_model(bench: &Bench) {
    for (seed, block) in [(1, 1), (2, 32)] {
        let kernel = launch(bench, options(100).name(format!("of {block}")).block(block));
        let mut random = Random(seed);
        let (mut known, mut refused, mut expected) = (BTreeSet::new(), 0, 0);
        for _ in 0..40 {
            let purchases: Vec<_> =
                (0..50).map(|_| Purchase { customer: customer_of(random.below(140)), amount: 1 }).collect();
            for &purchase in &purchases {
                if known.len() < 100 || known.contains(&purchase.customer) {
                    known.insert(purchase.customer);
                    expected += 1;
                } else {
                    refused += 1;
                }
                let _ = kernel.send_blocking(purchase).unwrap();
            }
            drain(&kernel);
            let mut bought = Vec::new();
            while kernel.try_recv_batch(&mut bought, 100).is_ok() {}
        }
        let status = balanced(&kernel);
        assert_eq!((status.processed, status.drops.unknown_actor), (expected, refused));
        assert_eq!(snapshot(&kernel).keys(), Some(&known.into_iter().collect::<Vec<_>>()[..]));
    }
}

/// A snapshot's keys find their states in a launch with another grid; keys that it has not begin anew, though others had
/// their places before.
pub fn a_snapshot_brings_its_keys(bench: &Bench) {
    let first = launch(bench, options(64).name("first").grid(3));
    let mut model = Model::default();
    let purchases: Vec<_> =
        (0..90).map(|n| Purchase { customer: customer_of(n % 30), amount: n + 1 }).collect();
    for &purchase in &purchases {
        model.take(purchase);
    }
    answers(&first, &purchases);
    let taken = snapshot(&first);
    let taken = Snapshot::from_bytes(buy::DEFINITION, &taken.to_bytes()).unwrap();
    let (keys, states) = model.states();
    assert_eq!((taken.keys(), taken.states::<Account>().unwrap()), (Some(&keys[..]), states));

    let second = launch(bench, options(200).name("second").grid(2));
    // These have the places that the snapshot's actors get.
    let others: Vec<_> = (0..50).map(|n| Purchase { customer: customer_of(1000 + n), amount: 3 }).collect();
    answers(&second, &others);
    drain(&second);
    second.deactivate_blocking().unwrap();
    second.restore_blocking(&taken).unwrap();
    assert_eq!(second.status().actors.unwrap().used, 30);
    second.activate_blocking().unwrap();
    let again: Vec<_> = purchases.iter().chain(&others).copied().collect();
    let mut expected = BTreeMap::<u64, Vec<_>>::new();
    for &purchase in &again {
        expected.entry(purchase.customer).or_default().push(model.take(purchase));
    }
    assert_eq!(answers(&second, &again), expected);

    let small = launch(bench, options(8).name("small").active(false));
    let error = small.restore_blocking(&taken).unwrap_err().to_string();
    assert!(error.contains("shard 0") && error.contains("8 at most, not 30"), "{error}");
    let mut edited = taken.clone();
    edited.set_actors(&[(7, Account { whose: 7, count: 1005, sum: 70 })]).unwrap();
    small.restore_blocking(&edited).unwrap();
    small.activate_blocking().unwrap();
    let bought = small.call_blocking(Purchase { customer: 7, amount: 5 }).unwrap();
    assert_eq!(bought, Bought { customer: 7, whose: 7, count: 1005, sum: 75 });
}

/// An actor whose first message fails is there, and its state is as it began.
pub fn a_failed_first_message_leaves_an_initial_state(bench: &Bench) {
    let kernel = launch(bench, options(4));
    let customer = 1 << 60;
    assert!(kernel.call_blocking(Purchase { customer, amount: 0 }).is_err());
    let bought = kernel.call_blocking(Purchase { customer, amount: 2 }).unwrap();
    assert_eq!(bought, Bought { customer, whose: customer, count: Account::FIRST, sum: 2 });
    assert_eq!(balanced(&kernel).actors.map(|actors| actors.used), Some(1));
}

/// What another kernel sends finds its actors, over a link.
fn from_a_kernel(bench: &Bench, block: u32) {
    let taker =
        launch(bench, source("taker").active(true).actors(200).sparse_keys(true).grid(3).block(block));
    let shop = shop::launch(bench.runtime(), source("shop").block(block)).unwrap();
    connect(&shop, &taker);
    let mut model = Model::default();
    for value in 0..200 {
        for amount in 1..=SHOPPING {
            model.take(Purchase { customer: customer_of(value % 40), amount });
        }
    }
    let mut bought = Vec::new();
    for values in (0..200).collect::<Vec<_>>().chunks(20) {
        for &value in values {
            let _ = shop.send_blocking(number(value)).unwrap();
        }
        bought.extend((0..20 * SHOPPING).map(|_| taker.recv_blocking().unwrap()));
    }
    assert!(bought.iter().all(|bought| bought.whose == bought.customer));
    drain(&shop);
    let taken = snapshot(&taker);
    let (keys, states) = model.states();
    assert_eq!((taken.keys(), taken.states::<Account>().unwrap()), (Some(&keys[..]), states));
    assert_eq!(taker.status().drops.total(), 0);
}

/// By blocks of one thread.
pub fn kernels_send_to_any_key(bench: &Bench) {
    from_a_kernel(bench, 1);
}

/// By blocks of many.
pub fn kernels_of_many_threads_send_to_any_key(bench: &Bench) {
    from_a_kernel(bench, 32);
}

/// A launch without the option says nothing of it, and one that has no state by key refuses it.
pub fn without_state_by_key_there_is_nothing_to_find(bench: &Bench) {
    let error = total::launch(bench.runtime(), options(4)).unwrap_err();
    let LaunchError::Invalid(invalid) = &error else { panic!("{error}") };
    assert_eq!(invalid.problems(), [LaunchProblem::SparseKeys { kernel: total::DEFINITION.name }]);
    assert!(error.to_string().contains("leave it out"), "{error}");
    let dense = track::launch(bench.runtime(), LaunchOptions::default().actors(4)).unwrap();
    let _ = dense.send_blocking(Item { key: 1 << 20, producer: 0, sequence: 0 }).unwrap();
    drain(&dense);
    let status = balanced(&dense);
    assert_eq!((status.drops.unknown_actor, status.actors), (1, None::<ActorStatus>));
}

/// The actor that has had no message for longest gives way, and if it comes again, it begins anew.
pub fn unused_actors_give_way(bench: &Bench) {
    let kernel = launch(bench, options(8).evict_actors(true));
    let call = |number: u64| {
        let customer = customer_of(number);
        let bought = kernel.call_blocking(Purchase { customer, amount: 1 }).unwrap();
        assert_eq!((bought.customer, bought.whose), (customer, customer));
        bought.count - Account::FIRST
    };
    for number in 0..8 {
        assert_eq!(call(number), 0);
    }
    // None has come twice, so the first one goes.
    assert_eq!(call(8), 0);
    // These are used again, and so 2 is the first without a mark behind the hand: then 4.
    assert_eq!((call(1), call(3)), (1, 1));
    assert_eq!((call(9), call(10)), (0, 0));
    assert_eq!([1, 3, 5, 6, 7, 8].map(call), [2, 2, 1, 1, 1, 1]);
    let status = balanced(&kernel);
    let actors = status.actors.unwrap();
    assert_eq!((actors.used, actors.places, actors.evicted, status.drops.total()), (8, 8, 3, 0));
    assert!(status.to_string().contains("8 of 8 actors in use, 3 evicted"), "{status}");
    assert_eq!([0, 2, 4].map(call), [0, 0, 0], "they begin anew");
}

/// Far more keys than places, by many blocks and threads: whoever has a place has a state of its own, all messages are
/// handled, and the table is whole at the end.
fn crowd(bench: &Bench, options: LaunchOptions, places: u64) {
    let grid = u64::from(options.shape.grid);
    let kernel = launch(bench, options.actors(places * grid).evict_actors(true));
    let mut random = Random(places);
    let mut latest = BTreeMap::<u64, Bought>::new();
    for _ in 0..60 {
        // Some keys come often, and most of them seldom.
        let purchases: Vec<_> = (0..100)
            .map(|_| {
                let number = if random.below(2) == 0 { random.below(20) } else { random.below(2000) };
                Purchase { customer: customer_of(number), amount: 1 + random.below(5) }
            })
            .collect();
        for (customer, all) in answers(&kernel, &purchases) {
            for bought in all {
                assert_eq!(bought.whose, customer, "nobody else's state");
                let goes_on = latest.get(&customer).is_some_and(|last| bought.count == last.count + 1);
                assert!(
                    goes_on || bought.count == Account::FIRST,
                    "{bought:?} after {:?}",
                    latest.get(&customer)
                );
                latest.insert(customer, bought);
            }
        }
    }
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.total()), (6000, 0));
    let actors = status.actors.unwrap();
    assert_eq!((actors.used, actors.places), (places * grid, places * grid));
    assert!(actors.evicted > 500, "{actors:?}");
    let taken = snapshot(&kernel);
    let (keys, states) = (taken.keys().unwrap(), taken.states::<Account>().unwrap());
    assert_eq!(keys.len() as u64, actors.used);
    for (key, state) in keys.iter().zip(states) {
        let last = latest[key];
        assert_eq!((state.whose, state.count, state.sum), (*key, last.count + 1, last.sum));
    }
}

/// By blocks of one thread.
pub fn a_crowd_of_keys(bench: &Bench) {
    crowd(bench, options(0).name("one"), 40);
    crowd(bench, options(0).name("three").grid(3), 35);
}

/// By blocks of many.
pub fn a_crowd_of_keys_by_many_threads(bench: &Bench) {
    crowd(bench, options(0).name("one").block(32), 64);
    crowd(bench, options(0).name("three").grid(3).block(64), 96);
}

/// In a turn with messages for more keys than there are places, nobody with a message in the turn gives way: some are
/// refused, and none has another one's state.
pub fn a_turn_with_more_keys_than_places(bench: &Bench) {
    for block in [1, 32] {
        let name = format!("of {block}");
        let kernel = launch(bench, options(3).evict_actors(true).name(name).block(block).active(false));
        for number in 0..60 {
            let _ = kernel.send_blocking(Purchase { customer: customer_of(number % 10), amount: 1 }).unwrap();
        }
        kernel.activate_blocking().unwrap();
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!(status.processed + status.drops.unknown_actor, 60);
        assert!(status.processed >= 3);
        let bought: Vec<_> = (0..status.processed).map(|_| kernel.recv_blocking().unwrap()).collect();
        assert!(bought.iter().all(|bought| bought.whose == bought.customer));
    }
}

/// States without bytes, of dense and of sparse keys: no actor's is another one's, and nothing beside them is written.
pub fn states_without_bytes(bench: &Bench) {
    for (name, options) in [
        ("dense", LaunchOptions::default().actors(300).grid(3)),
        ("sparse", options(300).grid(3)),
        ("evicting", options(90).evict_actors(true).grid(3)),
    ] {
        let kernel = greet::launch(bench.runtime(), options.name(name)).unwrap();
        for customer in (0..300).chain(0..300) {
            let purchase = Purchase { customer, amount: 1 };
            assert_eq!(kernel.call_blocking(purchase), Ok(purchase));
        }
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!((status.processed, status.drops.total()), (600, 0), "{name}");
        kernel.deactivate_blocking().unwrap();
        let taken = kernel.snapshot_blocking().unwrap();
        assert_eq!(taken.len() as u64, status.actors.map_or(300, |actors| actors.used));
        assert!(
            taken.keys().is_none_or(|keys| keys.is_sorted() && keys.iter().all(|&key| key < 300)),
            "{name}"
        );
        kernel.restore_blocking(&taken).unwrap();
    }
}

/// W-15: what a class with a dictionary is elsewhere, whose methods are awaited, is a kernel whose keys are sparse: an entry is made
/// by its first message, each call finds its own, and at the end there are those that were used.
pub fn w15_a_dictionary_that_is_awaited(bench: &Bench) {
    let kernel = launch(bench, options(64).grid(2));
    let mut model = Model::default();
    block_on(async {
        for round in 1..4 {
            for customer in [7, u64::MAX, 1 << 40, 7 * round] {
                let purchase = Purchase { customer, amount: round };
                assert_eq!(kernel.call(purchase).await, Ok(model.take(purchase)));
            }
        }
        kernel.drained().await;
        kernel.deactivate().await.unwrap();
        let snapshot = kernel.snapshot().await.unwrap();
        let entries = snapshot.keys().unwrap().iter().copied().zip(snapshot.states::<Account>().unwrap());
        let entries: BTreeMap<u64, Account> = entries.collect();
        let (keys, accounts) = model.states();
        assert_eq!(entries, keys.into_iter().zip(accounts).collect());
    });
}
