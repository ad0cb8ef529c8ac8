//! Handlers end their actors: the next message for the key finds a state as it begins, and the place is another key's.

use std::collections::BTreeMap;

use annulus_runtime::{KernelHandle, LaunchOptions, Snapshot, prelude::RingKernel};

use crate::{
    Bench,
    bench::{Random, balanced, drain},
    kernels::{
        number,
        sparse::{Account, Bought, COUNTDOWN, Purchase, countdown, customer_of, visit},
    },
};

fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<visit> {
    visit::launch(bench.runtime(), options).unwrap()
}

fn sparse(actors: u64) -> LaunchOptions {
    LaunchOptions::default().actors(actors).sparse_keys(true)
}

/// What plain Rust makes of the same messages.
#[derive(Default)]
struct Model {
    accounts: BTreeMap<u64, Account>,
    ended: u64,
    failed: u64,
}

impl Model {
    /// What the purchase is answered.
    fn take(&mut self, Purchase { customer, amount }: Purchase) -> Option<Bought> {
        let account =
            self.accounts.entry(customer).or_insert(Account { whose: customer, ..Account::default() });
        if amount == 0 {
            self.failed += 1;
            return None;
        }
        account.count += 1;
        account.sum += amount;
        let bought = Bought { customer, whose: customer, count: account.count - 1, sum: account.sum };
        if amount % 10 == 0 {
            self.accounts.remove(&customer);
            self.ended += 1;
        }
        Some(bought)
    }

    /// What purchases are answered, by customers.
    fn answers(&mut self, purchases: &[Purchase]) -> BTreeMap<u64, Vec<Bought>> {
        let mut all = BTreeMap::<u64, Vec<_>>::new();
        for bought in purchases.iter().filter_map(|&purchase| self.take(purchase)) {
            all.entry(bought.customer).or_default().push(bought);
        }
        all
    }
}

/// Sends all of them before the kernel takes the first, so that turns are as long as they get.
fn answers(kernel: &KernelHandle<visit>, purchases: &[Purchase]) -> BTreeMap<u64, Vec<Bought>> {
    let mut all = BTreeMap::<u64, Vec<_>>::new();
    for part in purchases.chunks(200) {
        kernel.deactivate_blocking().unwrap();
        for &purchase in part {
            let _ = kernel.send_blocking(purchase).unwrap();
        }
        kernel.activate_blocking().unwrap();
        drain(kernel);
        let mut taken = Vec::new();
        while kernel.try_recv_batch(&mut taken, 100).is_ok() {}
        for bought in taken {
            all.entry(bought.customer).or_default().push(bought);
        }
    }
    all
}

fn snapshot(kernel: &KernelHandle<visit>) -> Snapshot {
    drain(kernel);
    kernel.deactivate_blocking().unwrap();
    kernel.snapshot_blocking().unwrap()
}

/// Purchases of few customers: each third is the customer's last, and some fail.
fn purchases(seed: u64, customers: u64, key: fn(u64) -> u64) -> Vec<Purchase> {
    let mut random = Random(seed);
    let amount = |random: &mut Random| match random.below(12) {
        0 => 0,
        1..4 => 10,
        other => other,
    };
    (0..1000)
        .map(|_| Purchase { customer: key(random.below(customers)), amount: amount(&mut random) })
        .collect()
}

/// Whichever messages a turn has: an actor that has ended begins anew with the next one.
fn begin_anew(bench: &Bench, options: LaunchOptions, key: fn(u64) -> u64) {
    let is_sparse = options.shape.sparse_keys;
    let kernel = launch(bench, options.actors(120));
    let purchases = purchases(4, 20, key);
    let mut model = Model::default();
    assert_eq!(answers(&kernel, &purchases), model.answers(&purchases));
    assert!(model.ended > 100 && model.failed > 50);
    let status = balanced(&kernel);
    assert_eq!((status.drops.failed, status.drops.total()), (model.failed, model.failed));
    let taken = snapshot(&kernel);
    let states = taken.states::<Account>().unwrap();
    if is_sparse {
        let actors = status.actors.unwrap();
        assert_eq!(
            (actors.used, actors.ended, actors.evicted),
            (model.accounts.len() as u64, model.ended, 0)
        );
        assert!(status.to_string().contains(&format!(", {} ended", model.ended)), "{status}");
        let accounts = model.accounts;
        // Those of whom no message went well have the state that they began with.
        let of = |key: &u64| Some(accounts[key]).filter(|a| a.count != Account::FIRST).unwrap_or_default();
        assert_eq!(taken.keys(), Some(&accounts.keys().copied().collect::<Vec<_>>()[..]));
        assert!(taken.keys().unwrap().iter().map(of).eq(states));
    } else {
        for (key, state) in states.iter().enumerate() {
            let account = model.accounts.get(&(key as u64)).filter(|account| account.count != Account::FIRST);
            assert_eq!(*state, account.copied().unwrap_or_default(), "{key}");
        }
    }
}

/// By blocks of one thread.
pub fn an_actor_that_has_ended_begins_anew(bench: &Bench) {
    begin_anew(bench, LaunchOptions::default().name("dense").grid(2), |number| number);
    begin_anew(bench, sparse(0).name("sparse"), customer_of);
    begin_anew(bench, sparse(0).name("sparse of three").grid(3), customer_of);
}

/// By blocks of many.
pub fn actors_of_many_threads_begin_anew(bench: &Bench) {
    begin_anew(bench, LaunchOptions::default().name("dense").block(32), |number| number);
    begin_anew(bench, sparse(0).name("sparse").block(32), customer_of);
    begin_anew(bench, sparse(0).name("sparse of two").grid(2).block(64), customer_of);
}

/// More customers come than there is room for, but never more at once.
fn give_back(bench: &Bench, options: LaunchOptions) {
    let kernel = launch(bench, options);
    let places = kernel.status().actors.unwrap().places;
    for round in 0..12 {
        let customers: Vec<_> = (0..places).map(|number| customer_of(round * places + number)).collect();
        for amount in [3, 10] {
            for &customer in &customers {
                let bought = kernel.call_blocking(Purchase { customer, amount }).unwrap();
                let (count, sum) = if amount == 3 { (0, 3) } else { (1, 13) };
                assert_eq!(bought, Bought { customer, whose: customer, count: Account::FIRST + count, sum });
            }
        }
    }
    let status = balanced(&kernel);
    let actors = status.actors.unwrap();
    assert_eq!((actors.used, actors.ended, actors.full_shards), (0, 12 * places, 0));
    assert_eq!(status.drops.total(), 0);
    assert_eq!(snapshot(&kernel).keys(), Some(&[][..]));
}

/// By a block of one thread.
pub fn ended_actors_give_their_places_back(bench: &Bench) {
    give_back(bench, sparse(8));
}

/// By a block of many.
pub fn those_of_many_threads_too(bench: &Bench) {
    give_back(bench, sparse(8).block(32));
}

/// Actors that end and actors that give way: nobody has another one's state, and the counts say what happened.
pub fn some_end_and_others_give_way(bench: &Bench) {
    for (grid, block) in [(1, 1), (2, 32)] {
        let name = format!("of {block}");
        let places = 40 * u64::from(grid);
        let kernel = launch(bench, sparse(places).evict_actors(true).name(name).grid(grid).block(block));
        let mut latest = BTreeMap::<u64, Bought>::new();
        for seed in 0..4 {
            for (customer, all) in answers(&kernel, &purchases(seed, 150, customer_of)) {
                for bought in all {
                    assert_eq!(bought.whose, customer, "nobody else's state");
                    let before = latest.insert(customer, bought);
                    let goes_on = before.is_some_and(|last| bought.count == last.count + 1);
                    assert!(goes_on || bought.count == Account::FIRST, "{bought:?} after {before:?}");
                }
            }
        }
        let actors = balanced(&kernel).actors.unwrap();
        assert!(actors.used <= places && actors.ended > 100 && actors.evicted > 100, "{actors:?}");
        let taken = snapshot(&kernel);
        assert_eq!(taken.keys().unwrap().len() as u64, actors.used);
        for (key, state) in taken.keys().unwrap().iter().zip(taken.states::<Account>().unwrap()) {
            let begins = state == Account::default();
            assert!(
                begins || (state.whose, state.count) == (*key, latest[key].count + 1),
                "{key}: {state:?}"
            );
        }
    }
}

/// A snapshot has only those that are there, and a launch that it is restored into gives places back as the first did.
pub fn a_snapshot_has_no_ended_actors(bench: &Bench) {
    let first = launch(bench, sparse(40).name("first").grid(2));
    let purchases = purchases(7, 30, customer_of);
    let mut model = Model::default();
    answers(&first, &purchases);
    model.answers(&purchases);
    let taken = snapshot(&first);
    let taken = Snapshot::from_bytes(visit::DEFINITION, &taken.to_bytes()).unwrap();
    let second = launch(bench, sparse(30).name("second").active(false));
    second.restore_blocking(&taken).unwrap();
    second.activate_blocking().unwrap();
    let used = model.accounts.len() as u64;
    assert_eq!(second.status().actors.map(|actors| (actors.used, actors.ended)), Some((used, 0)));
    let keys: Vec<_> = taken.keys().unwrap().to_vec();
    for customer in keys {
        let expected = model.take(Purchase { customer, amount: 20 });
        assert_eq!(second.call_blocking(Purchase { customer, amount: 20 }).ok(), expected);
    }
    for number in 100..130 {
        let _ = second.call_blocking(Purchase { customer: customer_of(number), amount: 1 }).unwrap();
    }
    let status = balanced(&second);
    assert_eq!(status.actors.map(|actors| (actors.used, actors.ended)), Some((30, used)));
    assert_eq!(status.drops.total(), 0);
}

/// A kernel whose messages have no key is one actor.
pub fn a_kernel_without_keys_begins_anew(bench: &Bench) {
    let kernel = countdown::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for value in 0..3 * COUNTDOWN {
        let left = kernel.call_blocking(number(value)).unwrap().value;
        assert_eq!(left, value * 100 + COUNTDOWN - 1 - value % COUNTDOWN);
    }
    assert_eq!(balanced(&kernel).actors, None);
}
