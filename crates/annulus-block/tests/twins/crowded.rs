//! Turns of several messages by several threads, of a block whose actors give way. There the block in C looks all messages of
//! a turn up before anybody gives way, and the block in Rust takes them one by one; so a model says here who gives way: a
//! table in Rust, and a state for each place.

use std::{collections::VecDeque, mem::offset_of};

use annulus_abi::{
    actors::{ActorTable, Exits, IN_TURN, NEW, Placed, SEEN},
    control::{ActorCounts, ControlBlock, command},
};
use annulus_kernel::ProcessingMode;
use annulus_ring::ring::Header;

use crate::{
    kernels::{Roaming, Visits},
    random::Random,
    scene::{Fault, Found, History, Options, Pair, Scene},
};

/// What happened, over all seeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lived {
    /// Actors that gave way.
    pub(crate) evicted: u64,
    /// Messages for which nobody gave way, since all had a message in the turn.
    pub(crate) refused: u64,
    /// Actors that stayed only because they had a message in the turn.
    pub(crate) kept: u64,
    /// Turns of several messages.
    pub(crate) turns: u64,
}

impl Lived {
    pub(crate) fn add(&mut self, other: &Self) {
        self.evicted += other.evicted;
        self.refused += other.refused;
        self.kept += other.kept;
        self.turns += other.turns;
    }
}

/// The block's actors, as they should be.
struct Model {
    words: Vec<u64>,
    states: Vec<Visits>,
    used: u64,
    evicted: u64,
    refused: u64,
    lived: Lived,
}

impl Model {
    fn new(options: &Options) -> Self {
        let places = options.actors.div_ceil(options.place.grid) as usize;
        Self {
            words: vec![0; options.table_words()],
            states: vec![Visits::default(); places],
            used: 0,
            evicted: 0,
            refused: 0,
            lived: Lived::default(),
        }
    }

    fn table(&mut self) -> ActorTable<'_> {
        ActorTable::new(&mut self.words, self.states.len() as u64, Exits { evicted: true, ended: false })
    }

    fn find(&mut self, key: u64) -> Option<u64> {
        self.table().actors().find(|&(own, _)| own == key).map(|(_, place)| place)
    }

    /// A place's mark. Records are at the end of the table.
    fn mark(&mut self, place: u64) -> &mut u64 {
        let records = self.words.len() - 2 * self.states.len();
        &mut self.words[records + 2 * place as usize + 1]
    }

    fn keep(&mut self, place: u64) {
        let mark = self.mark(place);
        if *mark != NEW {
            *mark = IN_TURN;
        }
    }

    /// A turn with these messages.
    fn turn(&mut self, messages: &[Roaming]) {
        self.lived.turns += u64::from(messages.len() > 1);
        let mut places: Vec<_> = messages.iter().map(|message| self.find(message.key)).collect();
        if places.contains(&None) {
            places.iter().flatten().for_each(|&place| self.keep(place));
            for (message, place) in messages.iter().zip(&mut places).filter(|(_, place)| place.is_none()) {
                // Whether the place under the hand is spared alone for its message in the turn.
                let hand = self.words[1];
                let spared = self.used == self.states.len() as u64 && *self.mark(hand) == IN_TURN;
                let known = self.find(message.key);
                *place = known.or_else(|| self.enter(message.key));
                self.lived.kept += u64::from(spared && known.is_none() && place.is_some());
                if let Some(place) = *place {
                    self.keep(place);
                }
            }
        }
        for (message, place) in messages.iter().zip(places) {
            let Some(place) = place else {
                self.refused += 1;
                continue;
            };
            let mark = self.mark(place);
            *mark = if *mark == NEW { 0 } else { SEEN };
            let visits = &mut self.states[place as usize];
            if message.fails == 0 && message.sends <= 2 {
                visits.count += 1;
                visits.sum = visits.sum.wrapping_add(message.value);
            }
        }
    }

    /// Gives a place to a key that has none.
    fn enter(&mut self, key: u64) -> Option<u64> {
        let placed = self.table().place(key)?;
        match placed {
            Placed::Known(_) => unreachable!("it has none"),
            Placed::New(_) => self.used += 1,
            Placed::Instead(place) => {
                self.evicted += 1;
                self.states[place as usize] = Visits::default();
            }
        }
        *self.mark(placed.place()) = NEW;
        Some(placed.place())
    }

    /// What the block in C has otherwise.
    fn wrong(&self, pair: &Pair) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut compare = |what: String, model: u64, c: u64| {
            if model != c {
                wrong.push(format!("{what}: {model} in the model, {c} in C"));
            }
        };
        for (at, (&model, c)) in self.words.iter().zip(pair.c_block.actors(self.words.len())).enumerate() {
            compare(format!("actors+{at}"), model, c);
        }
        let states = pair.c_block.states(self.states.len() * size_of::<Visits>());
        let words =
            states.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")));
        let model = self.states.iter().flat_map(|visits| [visits.count, visits.sum]);
        model.zip(words).enumerate().for_each(|(at, (model, c))| compare(format!("state+{at}"), model, c));
        let counts = pair.options.layout.actors_offset();
        let count = |offset| pair.c.word::<u64>(counts + offset);
        compare("actors used".into(), self.used, count(offset_of!(ActorCounts, used)));
        compare("actors evicted".into(), self.evicted, count(offset_of!(ActorCounts, evicted)));
        wrong
    }
}

/// Lets the block in C take turns of several messages, and compares it with the model after each.
pub(crate) fn run(scene: &Scene, seed: u64, fault: Option<&Fault>) -> Result<Lived, Box<Found>> {
    let mut random = Random::new(seed);
    let mut options = Options::draw_of(&mut random, &scene.kernel, 3, scene);
    options.mode = ProcessingMode::Batch;
    options.limit = 2 + random.below(5) as u32;
    // Up to five places.
    options.actors += options.place.grid * random.below(3) as u32;
    let mut pair = Pair::new(scene, options, fault, 0, None);
    let mut model = Model::new(&options);
    let mut history = History::new(scene, seed);
    pair.set_time(1000);
    pair.command(command::ACTIVE);
    let mut sent = VecDeque::new();
    for _ in 0..80 {
        for _ in 0..random.below(7) {
            let bytes = (scene.kernel.draw)(&mut random, options.to());
            let half = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            let word = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
            let message = Roaming { key: word(0), sends: half(8), fails: half(12), value: word(16) };
            if pair.c.send(&bytes, Header { enqueue_time: 900, ..Header::default() }) {
                sent.push_back(message);
            }
        }
        for _ in 0..random.below(4) {
            pair.c_block.turn();
            let messages: Vec<_> = sent.drain(..pair.c_block.taken() as usize).collect();
            model.turn(&messages);
            history.actions.push(messages.iter().map(|message| message.key).collect::<Vec<_>>());
            let wrong = model.wrong(&pair);
            if !wrong.is_empty() {
                return Err(history.found(wrong));
            }
            while pair.c.receive().is_some() {}
        }
    }
    // What is told late is told when it looks, and finds nothing.
    for _ in 0..200 {
        pair.c_block.turn();
        let messages: Vec<_> = sent.drain(..pair.c_block.taken() as usize).collect();
        model.turn(&messages);
        while pair.c.receive().is_some() {}
    }
    let unknown = pair.c.word::<u64>(offset_of!(ControlBlock, unknown_actor));
    if (sent.len(), unknown) != (0, model.refused) {
        let what = format!("{} are left, {unknown} were refused, in the model {}", sent.len(), model.refused);
        return Err(history.found(vec![what]));
    }
    Ok(Lived { evicted: model.evicted, refused: model.refused, ..model.lived })
}
