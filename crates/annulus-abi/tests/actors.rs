//! A block's table of actors against plain collections: every key that is in has a place of its own, and is found.

use std::collections::{BTreeMap, HashMap};

use annulus_abi::actors::{ActorTable, Exits, IN_TURN, NEW, Placed, SEEN, entries, first_entry, words};

/// Tables of so many places are tried.
const PLACES: std::ops::RangeInclusive<u64> = 1..=20;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// So many keys whose entries lie at `home` at the earliest, of a table of so many entries.
fn keys_of(home: u64, entries: u64, count: usize) -> Vec<u64> {
    (0..).filter(|&key| first_entry(key, entries) == home).take(count).collect()
}

/// Keys that a test draws from, more than there are places: without a pattern; or all with one first entry, which may be the
/// last of the table, so that the search goes on at its beginning; or with one of two; or ends of the range.
fn keys(random: &mut Random, places: u64) -> Vec<u64> {
    let (entries, count) = (entries(places), places as usize + 1 + random.below(5) as usize);
    let home = random.below(entries);
    match random.below(5) {
        0 => (0..count).map(|_| random.next()).collect(),
        1 => keys_of(home, entries, count),
        2 => keys_of(entries - 1, entries, count),
        3 => {
            let both = [keys_of(entries - 1, entries, count), keys_of(home, entries, count)];
            let mut keys: Vec<_> = both.concat().into_iter().take(2 * count).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        }
        _ => {
            (0..count as u64).map(|number| if number % 2 == 0 { number } else { u64::MAX - number }).collect()
        }
    }
}

/// Words in front of the entries.
const HEAD: u64 = 4;

const STAY: Exits = Exits { evicted: false, ended: false };
const EVICTED: Exits = Exits { evicted: true, ended: false };

/// A table in memory of its own.
#[derive(Clone)]
struct Table {
    words: Vec<u64>,
    places: u64,
    exits: Exits,
}

impl Table {
    fn new(places: u64, exits: Exits) -> Self {
        Self { words: vec![0; words(places, exits) as usize], places, exits }
    }

    fn open(&mut self) -> ActorTable<'_> {
        ActorTable::new(&mut self.words, self.places, self.exits)
    }

    fn place(&mut self, key: u64) -> Option<Placed> {
        self.open().place(key)
    }

    /// Where a place's record lies: its key, and behind it its mark.
    fn record(&self, place: u64) -> usize {
        (HEAD + 2 * entries(self.places) + 2 * place) as usize
    }

    fn mark(&mut self, place: u64, mark: u64) {
        let record = self.record(place);
        self.words[record + 1] = mark;
    }

    /// The keys that are in, and their places; checks what holds always.
    fn checked(&self) -> BTreeMap<u64, u64> {
        let mut copy = self.clone();
        let table = copy.open();
        let (used, all) = (table.used(), table.actors().collect::<Vec<_>>());
        let by_key: BTreeMap<_, _> = all.iter().copied().collect();
        let by_place: BTreeMap<_, _> = all.iter().map(|&(key, place)| (place, key)).collect();
        assert!(used <= self.places);
        assert_eq!(by_key.len(), all.len(), "no key is there twice");
        if self.exits.ended {
            assert_eq!(by_place.len() as u64, used, "each actor has a place of its own: {by_place:?}");
        } else {
            assert!(
                by_place.keys().copied().eq(0..used),
                "each of the first places has one key: {by_place:?}"
            );
        }
        for (&key, &place) in &by_key {
            assert_eq!(self.clone().place(key), Some(Placed::Known(place)), "{key} is found");
            if self.exits.any() {
                assert_eq!(self.words[self.record(place)], key, "its record names it");
            }
        }
        by_key
    }
}

/// At most three quarters of a table are used, and not less than needed.
#[test]
fn a_quarter_of_the_entries_is_empty() {
    let far = [1000, 1 << 20, (1 << 20) + 1, 3 << 30, (3 << 30) + 1, u64::from(u32::MAX)];
    for places in (1..5000).chain(far) {
        let entries = entries(places);
        assert!(entries.is_power_of_two() && entries >= 4);
        assert!(4 * places <= 3 * entries, "{places} in {entries}");
        assert!(entries == 4 || 4 * places > 3 * (entries / 2), "half of {entries} are enough for {places}");
        assert_eq!(words(places, STAY), HEAD + 2 * entries);
        assert_eq!(words(places, EVICTED), HEAD + 2 * entries + 2 * places);
        assert!([0, 1, places, u64::MAX].iter().all(|&key| first_entry(key, entries) < entries));
    }
}

/// Keys that differ in few bits only, whichever those are, do not meet more often than keys without a pattern.
#[test]
fn keys_with_a_pattern_are_spread() {
    let entries = 1024_u64;
    let mut random = Random(1);
    let patterns: [(&str, Vec<u64>); 5] = [
        ("neighbours", (0..600).collect()),
        ("multiples of a grid", (0..600).map(|n| n * 1024).collect()),
        ("upper halves", (0..600).map(|n| n << 32).collect()),
        ("highest bits", (0..600).map(|n| n << 54).collect()),
        ("none", (0..600).map(|_| random.next()).collect()),
    ];
    for (name, keys) in patterns {
        let homes: std::collections::BTreeSet<_> =
            keys.iter().map(|&key| first_entry(key, entries)).collect();
        // Of 600 balls in 1024 boxes about 454 have a box of their own, or share it as its first.
        assert!(homes.len() > 420, "{name}: {}", homes.len());
    }
}

/// Without eviction the table is a map in which places are given in the order in which keys come.
#[test]
fn a_table_equals_a_map() {
    for places in PLACES {
        for seed in 0..200 {
            let mut random = Random(seed << 8 | places);
            let keys = keys(&mut random, places);
            let mut table = Table::new(places, STAY);
            let mut model = HashMap::new();
            for _ in 0..6 * places {
                let key = random.pick(&keys);
                let next = model.len() as u64;
                let expected = match model.get(&key) {
                    Some(&place) => Some(Placed::Known(place)),
                    None if next < places => Some(Placed::New(next)),
                    None => None,
                };
                if expected.is_some() {
                    model.entry(key).or_insert(next);
                }
                assert_eq!(table.place(key), expected, "{places} places, seed {seed}");
                assert_eq!(table.open().used(), model.len() as u64);
            }
            assert_eq!(table.checked(), model.into_iter().collect());
        }
    }
}

/// The clock algorithm, on plain vectors.
#[derive(Default)]
struct Clock {
    keys: Vec<u64>,
    marks: Vec<u64>,
    hand: usize,
}

impl Clock {
    fn place(&mut self, key: u64, places: usize) -> Option<Placed> {
        if let Some(place) = self.keys.iter().position(|&own| own == key) {
            self.marks[place] = SEEN;
            return Some(Placed::Known(place as u64));
        }
        if self.keys.len() < places {
            self.keys.push(key);
            self.marks.push(0);
            return Some(Placed::New(self.keys.len() as u64 - 1));
        }
        for _ in 0..2 * places {
            let place = self.hand;
            self.hand = (place + 1) % places;
            match self.marks[place] {
                IN_TURN | NEW => {}
                SEEN => self.marks[place] = 0,
                _ => {
                    self.keys[place] = key;
                    return Some(Placed::Instead(place as u64));
                }
            }
        }
        None
    }
}

/// With eviction the table does what the clock algorithm does on plain vectors, whichever actors have a message in the turn.
#[test]
fn a_table_that_evicts_equals_a_clock() {
    let (mut evicted, mut refused, mut kept) = (0, 0, 0);
    for places in PLACES {
        for seed in 0..150 {
            let mut random = Random(seed << 8 | places);
            let keys = keys(&mut random, places);
            let mut table = Table::new(places, EVICTED);
            let mut model = Clock::default();
            for _ in 0..10 * places {
                // Some have a message in the turn that begins now, now and then all.
                let often = random.pick(&[0, 0, 1, 2, 4]);
                let mut in_turn = Vec::new();
                for place in 0..model.keys.len() {
                    if often != 0 && (often == 1 || random.below(often) == 0) {
                        in_turn.push((model.keys[place], place as u64));
                        model.marks[place] = random.pick(&[IN_TURN, NEW]);
                        table.mark(place as u64, model.marks[place]);
                    }
                }
                let known = |key: u64| in_turn.iter().any(|&(own, _)| own == key);
                let key = random.pick(&keys);
                if !known(key) {
                    let before = table.clone();
                    let placed = table.place(key);
                    assert_eq!(placed, model.place(key, places as usize), "{places} places, seed {seed}");
                    match placed {
                        Some(Placed::Instead(place)) => {
                            evicted += 1;
                            assert!(
                                !in_turn.iter().any(|&(_, own)| own == place),
                                "it has a message in the turn"
                            );
                        }
                        None => {
                            refused += 1;
                            assert_eq!(in_turn.len() as u64, places, "somebody could have given way");
                            assert_eq!(table.words, before.words, "two rounds of the hand change nothing");
                        }
                        _ => {}
                    }
                }
                let now = table.checked();
                for (key, place) in in_turn {
                    kept += 1;
                    assert_eq!(now.get(&key), Some(&place), "those of the turn stay");
                    // Their messages are handled.
                    model.marks[place as usize] = SEEN;
                    table.mark(place, SEEN);
                }
                assert!(model.keys.iter().enumerate().all(|(place, key)| now[key] == place as u64));
                assert_eq!((now.len(), table.words[1]), (model.keys.len(), model.hand as u64));
                for (place, &mark) in model.marks.iter().enumerate() {
                    assert_eq!(table.words[table.record(place as u64) + 1], mark);
                }
            }
        }
    }
    assert!(evicted > 5_000 && refused > 500 && kept > 20_000, "{evicted} {refused} {kept}");
}

/// Whichever entries there are and whichever is removed, all others are found, also where the search goes on at the table's
/// beginning. All tables of four and of eight entries that are as full as they get, by where each key's entry would lie.
#[test]
fn a_removed_entry_leaves_no_gap() {
    for places in [3_u64, 6] {
        let entries = entries(places);
        // The last one comes instead of another.
        let by_home: Vec<_> = (0..entries).map(|home| keys_of(home, entries, places as usize + 1)).collect();
        let mut wrapped = 0;
        for number in 0..entries.pow(places as u32) {
            let mut count = vec![0; entries as usize];
            let mut full = Table::new(places, EVICTED);
            let keys: Vec<_> = (0..places as u32)
                .map(|place| {
                    let home = (number / entries.pow(place) % entries) as usize;
                    count[home] += 1;
                    let key = by_home[home][count[home] - 1];
                    assert_eq!(full.place(key), Some(Placed::New(place.into())));
                    key
                })
                .collect();
            wrapped += u64::from(
                full.words[HEAD as usize + 1] != 0 && full.words[(HEAD + 2 * entries) as usize - 1] != 0,
            );
            for gone in 0..places {
                let mut table = full.clone();
                (0..places).filter(|&place| place != gone).for_each(|place| table.mark(place, IN_TURN));
                let home = ((number + gone) % entries) as usize;
                let newcomer = by_home[home][count[home]];
                assert_eq!(table.place(newcomer), Some(Placed::Instead(gone)));
                let expected = keys.iter().enumerate().map(|(place, &key)| {
                    let place = place as u64;
                    (if place == gone { newcomer } else { key }, place)
                });
                assert_eq!(table.checked(), expected.collect(), "homes {number:#x}, without {gone}");
            }
        }
        assert!(wrapped != 0);
    }
}

/// An actor's first message leaves no mark, each further one does; and the hand takes it.
#[test]
fn who_comes_once_goes_first() {
    let mut table = Table::new(4, EVICTED);
    for key in 10..14 {
        assert_eq!(table.place(key), Some(Placed::New(key - 10)));
    }
    for key in [10, 12, 13] {
        assert_eq!(table.place(key), Some(Placed::Known(key - 10)));
    }
    assert_eq!(table.place(20), Some(Placed::Instead(1)));
    // The hand has taken 10's mark, and stands at 12, whose mark it takes now, as it does 13's.
    assert_eq!(table.place(21), Some(Placed::Instead(0)));
    assert_eq!(table.place(22), Some(Placed::Instead(1)), "it came once");
    assert_eq!(table.place(12), Some(Placed::Known(2)));
    assert_eq!(table.place(23), Some(Placed::Instead(3)));
    assert_eq!(table.checked(), [(12, 2), (21, 0), (22, 1), (23, 3)].into());
}

/// If all have a message in the turn, nobody gives way; when those are handled, somebody does again.
#[test]
fn nobody_gives_way_in_a_turn_with_all() {
    for places in PLACES {
        let mut table = Table::new(places, EVICTED);
        (0..places).for_each(|key| assert_eq!(table.place(key), Some(Placed::New(key))));
        (0..places).for_each(|place| table.mark(place, [IN_TURN, NEW][place as usize % 2]));
        let before = table.words.clone();
        assert_eq!(table.place(99), None);
        assert_eq!(table.words, before);
        (0..places).for_each(|place| table.mark(place, SEEN));
        assert_eq!(table.place(99), Some(Placed::Instead(0)), "after one round without marks");
        table.checked();
    }
}

/// Actors come and end, in any order: those that are there keep their places, no two have one place, and a place that was given
/// back is given again before one that nobody had.
#[test]
fn places_that_were_given_back_are_given_again() {
    let (mut ended, mut again, mut instead, mut refused) = (0, 0, 0, 0);
    for (places, evicted) in PLACES.flat_map(|places| [(places, false), (places, true)]) {
        for seed in 0..100 {
            let mut random = Random(seed << 8 | places);
            let keys = keys(&mut random, places);
            let mut table = Table::new(places, Exits { evicted, ended: true });
            let (mut model, mut free, mut given) = (HashMap::new(), Vec::new(), 0);
            for _ in 0..10 * places {
                let key = random.pick(&keys);
                if let (Some(&place), 0) = (model.get(&key), random.below(3)) {
                    table.open().free_actor(place);
                    model.remove(&key);
                    free.push(place);
                    ended += 1;
                } else {
                    let placed = table.place(key);
                    match model.get(&key) {
                        Some(&place) => assert_eq!(placed, Some(Placed::Known(place))),
                        None if !free.is_empty() => {
                            assert_eq!(
                                placed,
                                free.pop().map(Placed::New),
                                "the last one that was given back"
                            );
                            again += 1;
                        }
                        None if given < places => {
                            assert_eq!(placed, Some(Placed::New(given)));
                            given += 1;
                        }
                        None if evicted => {
                            let Some(Placed::Instead(place)) = placed else {
                                panic!("somebody gives way: {placed:?}")
                            };
                            model.retain(|_, own| *own != place);
                            instead += 1;
                        }
                        None => {
                            assert_eq!(placed, None);
                            refused += 1;
                        }
                    }
                    if let Some(placed) = placed {
                        model.insert(key, placed.place());
                    }
                }
                assert_eq!(table.checked(), model.iter().map(|(&key, &place)| (key, place)).collect());
            }
        }
    }
    assert!(
        ended > 5_000 && again > 2_000 && instead > 500 && refused > 500,
        "{ended} {again} {instead} {refused}"
    );
}

#[test]
fn the_size_of_a_table_for_any_number_of_places_is_a_number() {
    for exits in [Exits::default(), Exits { evicted: true, ended: true }] {
        let mut before = 0;
        for bits in 1..=64 {
            let size = words(u64::MAX >> (64 - bits), exits);
            assert!(size >= before, "{bits} bits: {size} words, and {before} for fewer places");
            before = size;
        }
        assert_eq!(before, u64::MAX);
    }
}
