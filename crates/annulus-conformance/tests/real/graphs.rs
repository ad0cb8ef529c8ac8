use std::collections::{HashMap, VecDeque};

use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

#[test]
fn union_find_joins() {
    let parents: Vec<u32> = (0..30).collect();
    let mut kernel = Running::<union_find>::new().bind(&parents);
    let mut labels = parents.clone();
    let mut random = Random(1);
    for _ in 0..40 {
        let (a, b) = (random.below(30) as u32, random.below(30) as u32);
        let (from, to) = (labels[a as usize], labels[b as usize]);
        let (least, other) = (from.min(to), from.max(to));
        labels.iter_mut().filter(|label| **label == other).for_each(|label| *label = least);
        // The least element of a set is its root.
        assert_eq!(kernel.answer(Union { a, b }).value, least);
    }
}

/// Every page with its links.
fn web(random: &mut Random, count: usize) -> Vec<Vec<u32>> {
    (0..count)
        .map(|_| (0..1 + random.below(5)).map(|_| random.below(count as u64) as u32).collect())
        .collect()
}

/// The ranks, in hundred-millionths, come to those of the power iteration, and nothing gets lost on the way.
#[test]
fn page_rank_is_the_power_iteration_s() {
    let mut random = Random(2);
    let web = web(&mut random, 20);
    let mut pages = Vec::new();
    let mut links: Vec<u32> = Vec::new();
    for page in &web {
        pages.push(Page { first: links.len() as u32, count: page.len() as u32 });
        links.extend(page);
    }
    let mut kernel =
        Running::<page_rank>::new().bind(&pages).bind(&links).bind(&[0u32; 20]).bind(&[0u32; 20]);
    let mut waiting: VecDeque<Push> = (0..20).map(|page| Push { page, rank: 5_000_000 }).collect();
    let mut pushes = 0;
    while let Some(push) = waiting.pop_front() {
        waiting.extend(kernel.send(push).unwrap());
        pushes += 1;
        assert!(pushes < 100_000, "it does not end");
    }
    let found = kernel.bound::<u32>(2);
    let left = kernel.bound::<u32>(3);
    assert!(left.iter().all(|rank| *rank < ENOUGH));
    assert_eq!(found.iter().sum::<u32>() + left.iter().sum::<u32>(), 100_000_000, "nothing is lost");
    let mut ranks = [0.05f64; 20];
    for _ in 0..200 {
        let mut next = [0.15 / 20.0; 20];
        for (page, rank) in web.iter().zip(ranks) {
            for link in page {
                next[*link as usize] += 0.85 * rank / page.len() as f64;
            }
        }
        ranks = next;
    }
    for (found, rank) in found.iter().zip(ranks) {
        let found = f64::from(*found) / 1e8;
        assert!((found - rank).abs() < 1e-3, "{found} is not {rank}");
    }
}

#[test]
fn frontier_is_a_breadth_first_search() {
    // A torus of eight by eight places, some streets closed.
    let mut random = Random(3);
    let streets: Vec<[u32; 4]> = (0..64u32)
        .map(|place| {
            let (x, y) = (place % 8, place / 8);
            [y * 8 + (x + 1) % 8, y * 8 + (x + 7) % 8, (y + 1) % 8 * 8 + x, (y + 7) % 8 * 8 + x]
                .map(|next| if random.below(3) == 0 { u32::MAX } else { next })
        })
        .collect();
    let mut kernel = Running::<frontier>::new().bind(&streets).bind(&[u32::MAX; 64]);
    // Messages may come in any order: last in, first out here.
    let mut waiting = vec![Reached { place: 9, steps: 0 }];
    while let Some(reached) = waiting.pop() {
        waiting.extend(kernel.send(reached).unwrap());
    }
    let mut expected = vec![u32::MAX; 64];
    expected[9] = 0;
    let mut queue = VecDeque::from([9u32]);
    while let Some(place) = queue.pop_front() {
        for next in streets[place as usize] {
            if next != u32::MAX && expected[next as usize] == u32::MAX {
                expected[next as usize] = expected[place as usize] + 1;
                queue.push_back(next);
            }
        }
    }
    assert_eq!(kernel.bound::<u32>(1), expected);
    assert!(expected.iter().filter(|steps| **steps != u32::MAX).max() > Some(&4));
}

#[test]
fn hash_join_finds_every_pair() {
    let mut kernel = Running::<hash_join>::new().bind(&[Entry::default(); 64]);
    let mut random = Random(4);
    let mut left: HashMap<u32, Vec<u32>> = HashMap::new();
    for value in 0..64 {
        let key = random.below(40) as u32;
        left.entry(key).or_default().push(value);
        assert_eq!(kernel.send(Row::Left { key, value }), Ok(Vec::new()));
    }
    assert_eq!(kernel.send(Row::Left { key: 1, value: 1 }), Err(TABLE_FULL.code()));
    let mut pairs = 0;
    for key in 0..40 {
        let mut found = kernel.send(Row::Right { key, value: key + 7 }).unwrap();
        found.sort_unstable();
        let rows = left.get(&key).map(Vec::as_slice).unwrap_or_default();
        let expected: Vec<_> = rows.iter().map(|left| Joined { key, left: *left, right: key + 7 }).collect();
        pairs += expected.len();
        assert_eq!(found, expected);
    }
    assert_eq!(pairs, 64);
}
