use std::collections::{HashMap, HashSet};

use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

#[test]
fn bloom_forgets_nothing() {
    let mut kernel = Running::<bloom>::new().bind(&[0u32; 64]);
    let mut random = Random(1);
    let keys: Vec<u64> = (0..200).map(|_| random.number()).collect();
    let known_at_first = keys.iter().filter(|key| kernel.answer(Lookup { key: **key }).known).count();
    assert!(keys.iter().all(|key| kernel.answer(Lookup { key: *key }).known));
    // 200 keys set up to 600 of 2048 bits; on the way there, (0.25)³ / 4 of the new keys meet set bits only.
    assert!(known_at_first < 10, "{known_at_first} false answers");
}

#[test]
fn least_recent_is_forgotten_first() {
    let mut kernel = Running::<least_recent>::with(Recent::default());
    let mut random = Random(2);
    let mut model: Vec<u64> = Vec::new();
    for _ in 0..2000 {
        let key = random.below(7);
        let place = model.iter().position(|known| *known == key);
        if let Some(place) = place {
            model.remove(place);
        }
        model.insert(0, key);
        model.truncate(4);
        assert_eq!(kernel.answer(Lookup { key }), Known { key, known: place.is_some() });
    }
}

#[test]
fn count_min_never_counts_too_little() {
    let mut kernel = Running::<count_min>::new().bind(&[0u32; 4 * 64]);
    let mut random = Random(3);
    let mut counts = HashMap::new();
    let mut too_high = 0;
    for _ in 0..3000 {
        // Small keys are frequent.
        let key = random.below(100).min(random.below(100)).min(random.below(100));
        let count = counts.entry(key).or_insert(0u32);
        *count += 1;
        let found = kernel.answer(Lookup { key }).count;
        assert!(found >= *count, "{found} < {count}");
        too_high += u32::from(found - *count > 3000 * 2 / 64);
    }
    // An estimate is more than 2 n / width too high with a probability of at most 1 in 2⁴.
    assert!(too_high < 3000 / 16, "{too_high}");
}

#[test]
fn distinct_counts_visitors_once() {
    // A standard error is 1.04 / √256, or 6.5 of 100.
    for (visitors, tolerance) in [(0, 0.0), (10, 0.05), (100, 0.1), (1000, 0.13), (20_000, 0.13)] {
        let mut kernel = Running::<distinct>::new().bind(&[0u32; 256]);
        for round in 0..2 {
            for visitor in 0..visitors {
                assert_eq!(kernel.send(Visit::By { visitor: visitor * 31 }), Ok(Vec::new()), "{round}");
            }
            if visitors > 1000 {
                break;
            }
        }
        let found = kernel.answer(Visit::HowMany).value;
        let off = (found - visitors as f32).abs();
        assert!(off <= visitors as f32 * tolerance, "{found} instead of {visitors}");
    }
}

/// Each of 32 items is among the eight of 2000 streams 500 times, within five deviations.
#[test]
fn reservoir_is_fair() {
    let mut kept = [0u32; 32];
    for stream in 0..2000 {
        let mut kernel = Running::<reservoir>::with(Reservoir::default());
        let mut sample = [u32::MAX; 8];
        for item in 0..32 {
            for chosen in kernel.send(Arrival { stream, item }).unwrap() {
                assert_eq!(chosen.item, item);
                sample[chosen.place as usize] = item;
            }
        }
        for item in sample {
            kept[item as usize] += 1;
        }
    }
    let deviation = (2000.0f64 * 0.25 * 0.75).sqrt();
    for (item, count) in kept.into_iter().enumerate() {
        assert!((f64::from(count) - 500.0).abs() < 5.0 * deviation, "{item} was kept {count} times");
    }
}

#[test]
fn heavy_hitters_are_found() {
    let mut kernel = Running::<heavy_hitters>::with(Candidates::default());
    let mut random = Random(4);
    let mut counts: HashMap<u32, u32> = HashMap::new();
    for n in 1..=3000u32 {
        let item =
            if random.below(3) == 0 { random.below(2) as u32 } else { 100 + random.below(1000) as u32 };
        let count = counts.entry(item).or_default();
        *count += 1;
        for answer in kernel.send(Arrival { stream: 0, item }).unwrap() {
            assert_eq!(answer.key, u64::from(item));
            assert!(answer.count <= *count && answer.count + n / 9 >= *count, "{answer:?} of {count}");
        }
    }
    // A sixth of all arrivals each, more than a ninth: they are still there, so what they answer is above 1.
    for item in [0, 1] {
        let answer = kernel.answer(Arrival { stream: 0, item });
        assert!(answer.count > 1 && answer.count + 3001 / 9 >= counts[&item], "{answer:?}");
    }
}

#[test]
fn top_ten_drops_the_others() {
    let mut kernel = Running::<top_ten>::with(Best::default());
    let mut random = Random(5);
    let mut all: Vec<u32> = Vec::new();
    let mut dropped: Vec<u32> = Vec::new();
    for player in 0..300 {
        let points = random.below(1000) as u32;
        all.push(points);
        let out = kernel.send(Score { game: 1, player, points }).unwrap();
        dropped.extend(out.iter().map(|score| score.points));
        dropped.sort_unstable();
        all.sort_unstable();
        assert_eq!(dropped, all[..all.len().saturating_sub(10)]);
    }
}

#[test]
fn replay_window_lets_packets_through_once() {
    let mut kernel = Running::<replay_window>::with(Received::default());
    let mut random = Random(6);
    let mut seen = HashSet::new();
    let (mut highest, mut passed) = (0, 0);
    for n in 0..4000u32 {
        let number = (n / 2 + 100).saturating_sub(random.below(90) as u32) + u32::from(n % 500 == 0) * 70;
        highest = highest.max(number);
        let fresh = highest - number < 64 && seen.insert(number);
        passed += u32::from(fresh);
        let packet = Packet { sender: 3, number };
        assert_eq!(kernel.send(packet), Ok(if fresh { vec![packet] } else { Vec::new() }), "{number}");
    }
    assert!(passed > 1000 && passed < 3000, "{passed}");
}
