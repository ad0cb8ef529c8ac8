//! K-06: the handler of named barriers against a plain model: all short histories, and long random ones.

use std::collections::BTreeSet;

use annulus_kernel::{Addressed, Cx, Peer, TestLater, TestOutbox};
use annulus_runtime::barrier::{Arrive, Meeting, NotTaken, Passed, Terms, Told, meet};

/// What happens.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A party comes to the generation that is open, and so many further on.
    Comes {
        party: u32,
        ahead: i64,
    },
    /// To whichever is open.
    ComesToAny {
        party: u32,
    },
    Leaves {
        party: u32,
    },
    /// A message that looks like the barrier's own timer.
    Forged,
    /// Time goes on by one.
    Tick,
}

/// What a barrier is, in sets.
#[derive(Clone, Debug)]
struct Model {
    parties: u32,
    limit: u64,
    generation: u64,
    here: BTreeSet<u32>,
    gone: BTreeSet<u32>,
    first_came: u64,
}

/// Who did not come to which generation.
type Pass = Option<(u64, BTreeSet<u32>)>;

impl Model {
    fn new(parties: u32, limit: u64) -> Self {
        let (here, gone) = (BTreeSet::new(), BTreeSet::new());
        Self { parties, limit, generation: 0, here, gone, first_came: 0 }
    }

    fn awaited(&self) -> BTreeSet<u32> {
        (0..self.parties).filter(|party| !self.here.contains(party) && !self.gone.contains(party)).collect()
    }

    fn pass(&mut self) -> Pass {
        let passed = (self.generation, self.awaited());
        self.generation += 1;
        self.here.clear();
        Some(passed)
    }

    fn pass_if_all_came(&mut self) -> Pass {
        (!self.here.is_empty() && self.awaited().is_empty()).then(|| self.pass()).flatten()
    }

    fn happens(&mut self, event: Event, now: u64) -> Result<Pass, NotTaken> {
        let (party, ahead) = match event {
            Event::Tick => {
                let over = self.limit != 0 && !self.here.is_empty() && now >= self.first_came + self.limit;
                return Ok(over.then(|| self.pass()).flatten());
            }
            Event::Forged => return Err(NotTaken::NoSuchParty),
            Event::Leaves { party } if party < self.parties => {
                if !self.gone.insert(party) {
                    return Err(NotTaken::CameTwice);
                }
                return Ok(self.pass_if_all_came());
            }
            Event::Comes { party, ahead } => (party, ahead),
            Event::ComesToAny { party } | Event::Leaves { party } => (party, 0),
        };
        if party >= self.parties {
            return Err(NotTaken::NoSuchParty);
        }
        if ahead != 0 {
            return Err(if ahead < 0 { NotTaken::GenerationHasPassed } else { NotTaken::GenerationIsToCome });
        }
        if self.here.is_empty() {
            self.first_came = now;
        }
        if !self.here.insert(party) {
            return Err(NotTaken::CameTwice);
        }
        self.gone.remove(&party);
        Ok(self.pass_if_all_came())
    }
}

const BARRIER: u32 = 1;

/// The handler with what its block would keep for it.
#[derive(Clone, Debug)]
struct Tested {
    meeting: Meeting,
    /// When its timer is due, and the message.
    timer: Option<(u64, Arrive)>,
    now: u64,
}

fn terms(parties: u32, limit: u64) -> [Terms; 2] {
    let all = (0..parties).map(|party| 1_u64 << party).sum();
    [Terms::default(), Terms { parties: all, limit, first: 1, end: 2 + parties }]
}

/// The host, and each party.
fn told(parties: u32) -> Vec<Told> {
    let of = |party: u32| Told { to: Peer::from_bits(7), party: 1 << party, actor: 100 + party, padding: 0 };
    let host = Told { to: Peer::from_bits(3), ..Told::default() };
    [Told::default(), host].into_iter().chain((0..parties).map(of)).collect()
}

impl Tested {
    fn new() -> Self {
        Self { meeting: Meeting::default(), timer: None, now: 1 }
    }

    fn takes(&mut self, arrive: Arrive, model: &Model) -> Result<Pass, NotTaken> {
        let cx = Cx::new(0, 1, 0).with_time(self.now);
        let (mut later, mut out) = (TestLater::new(1), TestOutbox::<Addressed<Passed>>::new(65));
        let (terms, told) = (terms(model.parties, model.limit), told(model.parties));
        let before = self.meeting;
        if let Err(error) = meet(&cx, &arrive, &mut self.meeting, &terms, &told, &later, &out) {
            // The block takes back what a handler did that fails.
            self.meeting = before;
            return Err(error);
        }
        for (nanos, message) in later.take() {
            let second = self.timer.replace((self.now + nanos, message));
            assert_eq!(second, None, "a barrier has one timer at most");
        }
        let sent = out.take();
        let Some(first) = sent.first().map(|sent| sent.message) else { return Ok(None) };
        // The host, and each party that has not left; all of them the same.
        let stays = |told: &&Told| told.party & self.meeting.gone == 0;
        let expected = told[1..].iter().filter(stays).map(|told| Addressed {
            to: told.to,
            message: Passed { actor: told.actor, barrier: BARRIER, ..first },
        });
        assert!(sent.iter().copied().eq(expected), "{sent:?}");
        Ok(Some((first.generation, first.missing_parties().collect())))
    }

    /// Who is waited for, as the barrier tells the host that asks; all parties, if nobody has come. It changes nothing by it.
    fn says(&self, model: &Model) -> (u64, BTreeSet<u32>) {
        const ASKS: u32 = u32::MAX - 1;
        let (mut asked, later, mut out) = (self.meeting, TestLater::new(1), TestOutbox::new(65));
        let arrive = Arrive { barrier: BARRIER, party: ASKS, generation: Arrive::OPEN };
        let (terms, told) = (terms(model.parties, model.limit), told(model.parties));
        meet(&Cx::new(0, 1, 0).with_time(self.now), &arrive, &mut asked, &terms, &told, &later, &out)
            .unwrap();
        assert_eq!(asked, self.meeting);
        let sent: Vec<Addressed<Passed>> = out.take();
        let [Addressed { to, message }] = sent[..] else { panic!("{sent:?}") };
        assert_eq!((to, message.actor, message.barrier), (Peer::from_bits(3), ASKS, BARRIER));
        (message.generation, message.missing_parties().collect())
    }

    fn happens(&mut self, event: Event, model: &Model) -> Result<Pass, NotTaken> {
        let barrier = BARRIER;
        let arrive = match event {
            Event::Comes { party, ahead } => {
                Arrive { barrier, party, generation: model.generation.wrapping_add_signed(ahead) }
            }
            Event::ComesToAny { party } => Arrive { barrier, party, generation: Arrive::OPEN },
            Event::Leaves { party } => Arrive { barrier, party, generation: Arrive::LEAVES },
            Event::Forged => Arrive { barrier, party: u32::MAX, generation: model.generation },
            Event::Tick => {
                self.now += 1;
                return match self.timer.take_if(|(due, _)| *due <= self.now) {
                    Some((_, message)) => self.takes(message, model),
                    None => Ok(None),
                };
            }
        };
        self.takes(arrive, model)
    }
}

fn step(tested: &mut Tested, model: &mut Model, event: Event) -> Result<Pass, NotTaken> {
    let seen = tested.happens(event, model);
    let expected = model.happens(event, tested.now);
    assert_eq!(seen, expected, "{event:?} by {tested:?} and {model:?}");
    assert_eq!(tested.meeting.generation, model.generation);
    let awaited = if model.here.is_empty() { (0..model.parties).collect() } else { model.awaited() };
    assert_eq!(tested.says(model), (model.generation, awaited));
    seen
}

/// What the histories have shown.
#[derive(Default)]
struct Shown {
    passed: u64,
    timed_out: u64,
    refused: u64,
}

fn all_from(tested: &Tested, model: &Model, events: &[Event], depth: u32, shown: &mut Shown) {
    if depth == 0 {
        return;
    }
    for &event in events {
        // Generation -1 is none.
        if matches!(event, Event::Comes { ahead: -1, .. }) && model.generation == 0 {
            continue;
        }
        let (mut tested, mut model) = (tested.clone(), model.clone());
        match step(&mut tested, &mut model, event) {
            Ok(Some((_, missing))) if missing.is_empty() => shown.passed += 1,
            Ok(Some(_)) => shown.timed_out += 1,
            Ok(None) => {}
            Err(_) => shown.refused += 1,
        }
        all_from(&tested, &model, events, depth - 1, shown);
    }
}

/// K-06: every history of five events, of two parties, with and without a limit.
#[test]
fn k06_all_short_histories_equal_a_model() {
    let mut events = vec![Event::Tick, Event::Forged, Event::Comes { party: 2, ahead: 0 }];
    for party in 0..2 {
        events.extend([-1, 0, 1].map(|ahead| Event::Comes { party, ahead }));
        events.extend([Event::ComesToAny { party }, Event::Leaves { party }]);
    }
    let mut shown = Shown::default();
    for limit in [0, 1, 2] {
        all_from(&Tested::new(), &Model::new(2, limit), &events, 5, &mut shown);
    }
    let Shown { passed, timed_out, refused } = shown;
    assert!(
        passed > 10_000 && timed_out > 1000 && refused > 10_000,
        "{passed} passed, {timed_out} timed out, {refused} refused"
    );
}

/// K-06: long random histories of up to 64 parties, with limits that are longer and shorter than generations.
#[test]
fn k06_long_histories_equal_a_model() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let (mut passed, mut timed_out) = (0, 0);
    for history in 0..300 {
        let parties = [1, 2, 3, 8, 63, 64][history % 6];
        let limit = [0, 1, 5, 40, 1000][history / 6 % 5];
        let (mut tested, mut model) = (Tested::new(), Model::new(parties, limit));
        for _ in 0..400 {
            let party = random(u64::from(parties)) as u32;
            let event = match random(40) {
                0 => Event::Forged,
                1 => Event::Comes { party: parties + random(70) as u32, ahead: 0 },
                2 if model.generation > 0 => Event::Comes { party, ahead: -1 },
                3 => Event::Comes { party, ahead: 1 },
                4 => Event::Leaves { party },
                5..10 => Event::ComesToAny { party },
                10..18 => Event::Tick,
                _ => match model.awaited().first() {
                    Some(&party) => Event::Comes { party, ahead: 0 },
                    None => Event::ComesToAny { party },
                },
            };
            match step(&mut tested, &mut model, event) {
                Ok(Some((_, missing))) if missing.is_empty() => passed += 1,
                Ok(Some(_)) => timed_out += 1,
                _ => {}
            }
        }
    }
    assert!(passed > 10_000 && timed_out > 1000, "{passed}, {timed_out}");
}
