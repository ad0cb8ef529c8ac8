//! Where outputs go, done slowly: each ring is a vector, each route a list, and what finds no room is lost or waits.
//!
//! Nothing here knows of kernels. The [module](super) around it tells the model what was sent, and compares what came.

use std::collections::{BTreeSet, VecDeque};

/// One output for one taker: the number of its message, and which copy it is.
pub(super) type Parcel = (u64, u64);

/// Where an output goes.
#[derive(Clone, Debug)]
pub(super) enum To {
    /// To each of these takers.
    These(Vec<usize>),
    /// To any one that the source is connected to.
    Any,
}

/// One who takes.
#[derive(Debug, Default)]
pub(super) struct Taker {
    /// The places of its ring if it takes nothing, `None` if it takes at once whatever comes.
    pub(super) capacity: Option<usize>,
    pub(super) is_dead: bool,
    /// What is in its ring.
    waiting: Vec<Parcel>,
    /// How many in its ring were for any; which, nobody can know.
    any_waiting: usize,
    /// What it has taken.
    pub(super) came: Vec<Parcel>,
    /// How many found room in its ring.
    pub(super) accepted: u64,
    /// How many of those that it has taken were for any.
    pub(super) any_came: usize,
}

impl Taker {
    /// One with so many places.
    pub(super) fn new(capacity: Option<usize>) -> Self {
        Self { capacity, ..Self::default() }
    }

    fn room(&self) -> usize {
        match self.capacity {
            _ if self.is_dead => 0,
            Some(capacity) => capacity - self.waiting.len() - self.any_waiting,
            None => usize::MAX,
        }
    }

    fn put(&mut self, parcel: Parcel) {
        self.accepted += 1;
        match self.capacity {
            Some(_) => self.waiting.push(parcel),
            None => self.came.push(parcel),
        }
    }

    fn take_all(&mut self) {
        self.came.append(&mut self.waiting);
        self.any_came += std::mem::take(&mut self.any_waiting);
    }
}

/// What a source is connected to.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) taker: usize,
    /// What finds no room is lost, and does not wait.
    pub(super) rejects: bool,
    pub(super) sent: u64,
    pub(super) lost: u64,
    /// How many for any it has got, as the source itself has counted.
    pub(super) any: u64,
}

/// One who sends.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// What waits for one does not keep others from being sent to.
    pub(super) holds: bool,
    pub(super) links: Vec<Link>,
    /// What was sent and lost over links that it has no more.
    pub(super) sent_before: u64,
    pub(super) lost_before: u64,
    /// Outputs that were for nobody.
    pub(super) gone: u64,
    /// How many for any were accepted since it was connected.
    pub(super) any_sent: u64,
    /// What waits, and what stands behind that.
    pub(super) backlog: VecDeque<(To, Parcel)>,
}

impl Source {
    pub(super) fn lost(&self) -> u64 {
        self.lost_before + self.gone + self.links.iter().map(|link| link.lost).sum::<u64>()
    }

    /// How many copies wait for this taker.
    pub(super) fn held(&self, taker: usize) -> u64 {
        let waits = |(to, _): &&(To, Parcel)| matches!(to, To::These(takers) if takers.contains(&taker));
        self.backlog.iter().filter(waits).count() as u64
    }
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) takers: Vec<Taker>,
    pub(super) sources: Vec<Source>,
    /// Those for any that some kernel may have taken.
    pub(super) any_offered: BTreeSet<Parcel>,
    /// Those of them that were accepted in the order in which they were sent, whoever took them. Several threads of a block
    /// offer them in another order: of those that find no room, others are lost, and as many.
    pub(super) any_accepted: BTreeSet<Parcel>,
    /// How many of these were in rings of kernels that ended.
    pub(super) any_abandoned: usize,
}

impl Model {
    /// Connects a source anew. Nothing of it waits.
    pub(super) fn connect(&mut self, source: usize, links: impl IntoIterator<Item = (usize, bool)>) {
        let source = &mut self.sources[source];
        source.sent_before += source.links.iter().map(|link| link.sent).sum::<u64>();
        source.lost_before += source.links.iter().map(|link| link.lost).sum::<u64>();
        let link = |(taker, rejects)| Link { taker, rejects, sent: 0, lost: 0, any: 0 };
        source.links = links.into_iter().map(link).collect();
        source.any_sent = 0;
    }

    /// A source sends.
    pub(super) fn send(&mut self, source: usize, to: To, parcel: Parcel) {
        if !self.sources[source].backlog.is_empty() && !self.sources[source].holds {
            return self.sources[source].backlog.push_back((to, parcel));
        }
        match to {
            To::These(takers) if takers.is_empty() => self.sources[source].gone += 1,
            To::These(takers) => takers.into_iter().for_each(|taker| self.send_to(source, taker, parcel)),
            To::Any => self.send_to_any(source, parcel),
        }
    }

    fn send_to(&mut self, source: usize, taker: usize, parcel: Parcel) {
        let from = &mut self.sources[source];
        let held = from.held(taker);
        let Some(link) = from.links.iter_mut().find(|link| link.taker == taker) else {
            from.gone += 1;
            return;
        };
        let to = &mut self.takers[taker];
        if to.is_dead {
            link.lost += 1;
        } else if held == 0 && to.room() != 0 {
            link.sent += 1;
            to.put(parcel);
        } else if link.rejects {
            link.lost += 1;
        } else {
            from.backlog.push_back((To::These(vec![taker]), parcel));
        }
    }

    /// What one for any takes is told later: [`any_went`](Self::any_went). Only outputs for any are sent in between.
    fn send_to_any(&mut self, source: usize, parcel: Parcel) {
        let from = &mut self.sources[source];
        let alive: Vec<_> = from.links.iter().filter(|link| !self.takers[link.taker].is_dead).collect();
        let told: u64 = from.links.iter().map(|link| link.any).sum();
        let room = alive.iter().map(|link| self.takers[link.taker].room()).fold(0, usize::saturating_add);
        let is_waiting = from.backlog.iter().any(|(to, _)| matches!(to, To::Any));
        if !alive.is_empty() {
            let _ = self.any_offered.insert(parcel);
        }
        if alive.is_empty() {
            from.gone += 1;
        } else if !is_waiting && from.any_sent - told < room as u64 {
            from.any_sent += 1;
            let _ = self.any_accepted.insert(parcel);
        } else if alive[0].rejects {
            from.gone += 1;
        } else {
            from.backlog.push_back((To::Any, parcel));
        }
    }

    /// How many for any each link of a source has got since it was connected.
    ///
    /// # Panics
    ///
    /// If one got more than there was room for.
    pub(super) fn any_went(&mut self, source: usize, counts: &[u64]) {
        for (link, &count) in self.sources[source].links.iter_mut().zip(counts) {
            let taker = &mut self.takers[link.taker];
            let more = usize::try_from(count - link.any).expect("a small program");
            assert!(more <= taker.room(), "{more} more for any went to {}: {taker:?}", link.taker);
            link.any = count;
            taker.accepted += more as u64;
            match taker.capacity {
                Some(_) => taker.any_waiting += more,
                None => taker.any_came += more,
            }
        }
    }

    /// A taker ends: nobody takes what is in its ring.
    pub(super) fn end(&mut self, taker: usize) {
        let taker = &mut self.takers[taker];
        taker.is_dead = true;
        taker.waiting.clear();
        self.any_abandoned += std::mem::take(&mut taker.any_waiting);
    }

    /// What waits in a source is tried again.
    pub(super) fn try_again(&mut self, source: usize) {
        for (to, parcel) in std::mem::take(&mut self.sources[source].backlog) {
            self.send(source, to, parcel);
        }
    }

    /// All that are alive take whatever comes, until [`rest`](Self::rest). Returns what they were.
    pub(super) fn flow(&mut self) -> Vec<Option<usize>> {
        let capacities = self.takers.iter_mut().map(|taker| taker.capacity.take()).collect();
        self.takers.iter_mut().for_each(Taker::take_all);
        (0..self.sources.len()).for_each(|source| self.try_again(source));
        capacities
    }

    /// They are what they were.
    pub(super) fn rest(&mut self, capacities: Vec<Option<usize>>) {
        for (taker, capacity) in self.takers.iter_mut().zip(capacities) {
            taker.capacity = capacity;
        }
    }
}

/// Whether a pattern takes the name of a topic: `*` is a word, `#` any number of them.
pub(super) fn takes(pattern: &str, name: &str) -> bool {
    fn words(pattern: &[&str], name: &[&str]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (["#", rest @ ..], _) => (0..=name.len()).any(|skipped| words(rest, &name[skipped..])),
            (["*", rest @ ..], [_, others @ ..]) => words(rest, others),
            ([word, rest @ ..], [other, others @ ..]) => word == other && words(rest, others),
            _ => false,
        }
    }
    let split = |text| str::split(text, '.').collect::<Vec<_>>();
    words(&split(pattern), &split(name))
}
