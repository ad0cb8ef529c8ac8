//! A host's actions, drawn by a seed, upon one shard.

use std::{fmt::Debug, sync::Arc};

use annulus_abi::control::{Timers, command};
use annulus_block::Keys;
use annulus_kernel::StateShape;
use annulus_ring::ring::Header;

use crate::{
    c_block::Exchange,
    calls::Replied,
    memory::Side,
    prints::Printed,
    random::Random,
    scene::{Fault, Found, History, Options, Pair, Scene, exits},
    words::Facts,
};

/// What a host does.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Sends so many messages, as far as there is room.
    Send(u32),
    /// Reserves a slot and lets it go.
    SendNothing,
    /// Reserves a slot, to be filled later.
    Reserve,
    /// Fills it.
    Fill,
    /// Takes up to so many answers.
    Receive(u32),
    /// The same of dead letters.
    TakeLetters(u32),
    /// Takes all prints.
    TakePrints,
    /// Takes all records.
    TakeRecords,
    /// Commands the block to be active, or inactive.
    Activate(bool),
    /// Turns telemetry on or off.
    Telemetry(bool),
    /// Begins a new epoch of it.
    Reset,
    /// Lets time pass.
    Pass(u64),
    /// Wants to hear of nothing, of all, or of dead letters and prints.
    Listen(u32),
    /// Lets the block take a turn.
    Turn,
    /// Lets the block take turns until it finds nothing.
    Settle,
    /// Ends the block.
    Terminate,
}

/// What happened, over all seeds: a script in which nothing happens finds nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lived {
    pub(crate) processed: u64,
    pub(crate) failed: u64,
    pub(crate) unknown: u64,
    pub(crate) sent: u64,
    pub(crate) answered: u64,
    pub(crate) dead_letters: u64,
    pub(crate) dead_letters_lost: u64,
    pub(crate) prints: u64,
    pub(crate) prints_lost: u64,
    pub(crate) stalled: u64,
    pub(crate) woken: u64,
    pub(crate) called_without_work: u64,
    pub(crate) ended_with_messages: u64,
    /// Timers that were taken, and that were lost at the end.
    pub(crate) timed: u64,
    pub(crate) timers_lost: u64,
    /// Records of messages that carried a trace, and those that found no room.
    pub(crate) recorded: u64,
    pub(crate) records_lost: u64,
    /// Places that sparse keys got, and actors that gave way.
    pub(crate) placed: u64,
    pub(crate) evicted: u64,
    /// Actors that their handlers have ended.
    pub(crate) ended: u64,
    pub(crate) replied: Replied,
}

impl Lived {
    /// Whether all has happened that can with this kernel.
    pub(crate) fn is_all_there(&self, scene: &Scene) -> bool {
        let Scene { kernel, keys, .. } = scene;
        let evicts = *keys == Keys::Sparse { evicts: true };
        let Self {
            processed, failed, unknown, sent, answered, dead_letters, dead_letters_lost, prints, ..
        } = *self;
        let Self { prints_lost, stalled, woken, called_without_work, ended_with_messages, .. } = *self;
        let always = [processed, failed, dead_letters, dead_letters_lost, woken];
        let of_outputs = [sent, answered, stalled];
        let definition = kernel.definition;
        let is_keyed = matches!(definition.state, StateShape::PerActor(_));
        let of_timers = [self.timed, self.timers_lost];
        of_timers.iter().all(|&count| (count != 0) == definition.timers.is_some())
            && always.iter().all(|&count| count != 0)
            && (called_without_work != 0 && ended_with_messages != 0)
            && of_outputs.iter().all(|&count| (count != 0) == definition.output.is_some())
            && (unknown != 0) == (is_keyed && (!evicts || definition.timers.is_some()))
            && (self.placed != 0) == (*keys != Keys::Dense)
            && (self.evicted != 0) == evicts
            && (self.ended != 0) == (*keys != Keys::Dense && exits(definition, *keys).ended)
            && (prints == 0 || prints_lost == 0) == definition.prints().is_empty()
            && self.replied.is_all_there(definition.max_outputs)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        let Self {
            processed, failed, unknown, sent, answered, dead_letters, dead_letters_lost, prints, ..
        } = other;
        let Self { prints_lost, stalled, woken, called_without_work, ended_with_messages, .. } = other;
        self.processed += processed;
        self.failed += failed;
        self.unknown += unknown;
        self.sent += sent;
        self.answered += answered;
        self.dead_letters += dead_letters;
        self.dead_letters_lost += dead_letters_lost;
        self.prints += prints;
        self.prints_lost += prints_lost;
        self.stalled += stalled;
        self.woken += woken;
        self.called_without_work += called_without_work;
        self.ended_with_messages += ended_with_messages;
        self.timed += other.timed;
        self.timers_lost += other.timers_lost;
        self.recorded += other.recorded;
        self.records_lost += other.records_lost;
        self.placed += other.placed;
        self.evicted += other.evicted;
        self.ended += other.ended;
        self.replied.add(&other.replied);
    }
}

/// Actions between a launch and its end.
const LENGTH: u32 = 120;

/// A script while it runs.
struct Script<'a> {
    scene: &'a Scene,
    random: Random,
    pair: Pair,
    printed: Printed,
    command: u32,
    now: u64,
    listens: u32,
    /// The block in C has seen a command.
    begun: bool,
    history: History<Action>,
    lived: Lived,
}

/// Plays a script.
pub(crate) fn run(scene: &Scene, seed: u64, fault: Option<&Fault>) -> Result<Lived, Box<Found>> {
    let mut random = Random::new(seed);
    let options = Options::draw_of(&mut random, &scene.kernel, if scene.connectable { 1 } else { 3 }, scene);
    let exchange = scene.connectable.then(|| Arc::new(Exchange::new(&options.layout, 1, 0)));
    let pair = Pair::new(scene, options, fault, 0, exchange.as_ref());
    let command = if random.one_in(3) { 0 } else { command::ACTIVE };
    let printed = Printed::default();
    let mut script = Script {
        scene,
        random,
        pair,
        printed,
        command,
        now: 1000,
        listens: 0,
        begun: false,
        history: History::new(scene, seed),
        lived: Lived::default(),
    };
    script.pair.set_time(script.now);
    script.pair.command(command);
    for _ in 0..LENGTH {
        let action = script.draw();
        script.play(action)?;
    }
    for action in [
        Action::Fill,
        Action::Settle,
        Action::Terminate,
        Action::Settle,
        Action::Receive(u32::MAX),
        Action::TakeLetters(u32::MAX),
        Action::TakePrints,
        Action::TakeRecords,
    ] {
        script.play(action)?;
    }
    let memory = &script.pair.c.memory;
    let load = |word: &annulus_sync::AtomicU64| word.load(annulus_sync::Ordering::Relaxed);
    let lived = &mut script.lived;
    lived.processed += load(memory.processed());
    lived.failed += load(memory.failed());
    lived.unknown += load(memory.unknown_actor());
    lived.sent += load(memory.produced());
    lived.dead_letters_lost += load(memory.dead_letters_lost());
    lived.prints_lost += load(memory.prints_lost());
    let Timers { waiting, taken, .. } = Timers::of_word(load(memory.timers()));
    lived.timed += taken;
    // SAFETY: a gauge.
    if let Some(records) = unsafe { memory.records() } {
        lived.records_lost += load(records.lost());
    }
    lived.timers_lost += u64::from(waiting);
    lived.placed += memory.actors_used().map_or(0, load);
    lived.evicted += memory.actors_evicted().map_or(0, load);
    lived.ended += memory.actors_ended().map_or(0, load);
    lived.ended_with_messages += u64::from(script.pair.rust.producers.ring().depth() != 0);
    Ok(script.lived)
}

impl Script<'_> {
    fn draw(&mut self) -> Action {
        let random = &mut self.random;
        if self.scene.traced && random.one_in(8) {
            return Action::TakeRecords;
        }
        match random.below(36) {
            0..8 => Action::Send(1 + random.below(4) as u32),
            8 => Action::SendNothing,
            9 => Action::Reserve,
            10 => Action::Fill,
            11..15 => Action::Receive(1 + random.below(8) as u32),
            15 => Action::TakeLetters(1 + random.below(3) as u32),
            16 => Action::TakePrints,
            17 => Action::Activate(true),
            18 if random.one_in(2) => Action::Activate(false),
            19 => Action::Telemetry(!random.one_in(3)),
            20 => Action::Reset,
            21 | 22 => Action::Pass(random.below(5000)),
            23 => Action::Listen(random.below(3) as u32),
            24 => Action::Settle,
            _ => Action::Turn,
        }
    }

    fn facts(&self) -> Facts {
        Facts { prints: self.pair.options.layout.prints.is_some(), ..Facts::default() }
    }

    /// Does one thing to both sides, and compares.
    fn play(&mut self, action: Action) -> Result<(), Box<Found>> {
        self.history.actions.push(action);
        match action {
            Action::Send(count) => {
                for _ in 0..count {
                    self.send(false);
                }
            }
            Action::SendNothing => {
                let sides = [&self.pair.rust, &self.pair.c].map(|side| side.send_nothing());
                self.history.same("a slot is free", sides[0], sides[1])?;
            }
            Action::Reserve => {
                if self.pair.rust.pending.is_none() {
                    self.pair.rust.pending = self.pair.rust.producers.reserve(1).ok();
                    self.pair.c.pending = self.pair.c.producers.reserve(1).ok();
                }
            }
            Action::Fill => {
                if self.pair.rust.pending.is_some() {
                    self.send(true);
                }
            }
            Action::Receive(count) => {
                for _ in 0..count {
                    let taken = (self.pair.rust.receive(), self.pair.c.receive());
                    self.lived.answered += u64::from(taken.0.is_some());
                    let is_last = taken.0.is_none();
                    self.history.same("an answer", taken.0, taken.1)?;
                    if is_last {
                        break;
                    }
                }
            }
            Action::TakeLetters(count) => {
                for _ in 0..count {
                    let taken = (self.pair.rust.take_dead_letter(), self.pair.c.take_dead_letter());
                    self.lived.dead_letters += u64::from(taken.0.is_some());
                    let is_last = taken.0.is_none();
                    self.history.same("a dead letter", taken.0, taken.1)?;
                    if is_last {
                        break;
                    }
                }
            }
            Action::TakePrints => self.take_prints()?,
            Action::TakeRecords => loop {
                let taken = (self.pair.rust.take_record(), self.pair.c.take_record());
                // Of how many were handled together the twins say different things.
                let [rust, c] = [taken.0, taken.1].map(|record| record.map(|record| record.without(4)));
                let is_last = rust.is_none();
                self.lived.recorded += u64::from(!is_last);
                self.history.same("a record", rust, c)?;
                if is_last {
                    break;
                }
            },
            Action::Activate(active) => {
                // The generation tells one command from the one before.
                self.command = self.command & !(command::ACTIVE | command::GENERATION)
                    | (if active { command::ACTIVE } else { 0 })
                    | (self.command.wrapping_add(8) & command::GENERATION);
                self.pair.command(self.command);
            }
            Action::Telemetry(on) => {
                self.command = self.command & !command::TELEMETRY | if on { command::TELEMETRY } else { 0 };
                self.pair.command(self.command);
            }
            Action::Reset => {
                self.command = self.command.wrapping_add(1 << command::EPOCH_SHIFT);
                self.pair.command(self.command);
            }
            Action::Terminate => {
                self.command |= command::TERMINATE;
                self.pair.command(self.command);
            }
            Action::Pass(time) => {
                self.now += time;
                self.pair.set_time(self.now);
            }
            Action::Listen(to) => {
                self.listens = to;
                self.pair.c_block.listen(to);
                self.pair.rust_block.told();
            }
            // Of several messages, or told late, a turn is no unit that both have.
            Action::Turn if self.pair.options.limit == 1 && !self.scene.alone => {
                self.printed.of(|| self.pair.rust_block.turn());
                self.pair.c_block.turn();
                self.compare()?;
            }
            Action::Turn | Action::Settle => {
                self.printed.of(|| self.pair.settle());
                self.compare()?;
            }
        }
        if self.begun && !self.pair.rust_block.has_ended() {
            let work = (self.pair.rust_block.has_work(), self.pair.c_block.has_work());
            self.lived.called_without_work += u64::from(!work.0);
            self.history.same("it has work", work.0, work.1)?;
        }
        Ok(())
    }

    fn send(&mut self, pending: bool) {
        let Options { limit, layout, .. } = self.pair.options;
        let random = &mut self.random;
        let message = (self.scene.kernel.draw)(random, self.pair.options.to());
        // Of several messages' latencies the sum is taken in a turn, and not less than 0.
        let is_early = limit == 1 && random.one_in(16);
        let enqueue_time = if is_early { self.now + random.below(50) } else { self.now - random.below(900) };
        let calls = layout.replies.is_some() && random.one_in(2);
        let generation = random.next() as u32 | 1;
        let address = |side: &Side| if calls { side.call(pending, generation) } else { 0 };
        let addresses = [&self.pair.rust, &self.pair.c].map(address);
        let trace = if self.scene.traced && random.one_in(2) { random.next() | 1 << 40 } else { 0 };
        let stamp = self.scene.stamp(random, self.now);
        let mut sent = true;
        for (side, correlation) in [&mut self.pair.rust, &mut self.pair.c].into_iter().zip(addresses) {
            let header = Header { enqueue_time, correlation, trace, stamp, ..Header::default() };
            if pending {
                let mut slot = side.pending.take().expect("both have one, or none has");
                let message: Vec<_> = message.iter().copied().map(std::mem::MaybeUninit::new).collect();
                // SAFETY: the ring carries no bridged messages.
                unsafe { slot.write_bytes(&message, header) };
            } else {
                // If there is no room, the rings' words are compared all the same.
                sent = side.send(&message, header);
            }
        }
        if calls && sent {
            self.pair.calls.sent(addresses[0], addresses[1], (self.scene.kernel.sends)(&message));
        }
    }

    /// The prints of both, as text: the block in Rust says them where it runs.
    fn take_prints(&mut self) -> Result<(), Box<Found>> {
        let sites = self.scene.kernel.definition.prints();
        while let Some((number, words)) = self.pair.c.take_print() {
            self.lived.prints += 1;
            let said = sites[number as usize].message(&words).to_string();
            let lost = self
                .pair
                .c
                .word::<u64>(std::mem::offset_of!(annulus_abi::control::ControlBlock, prints_lost));
            // Those of C that found no room are missing.
            let beside = self.printed.take_until(&said, lost);
            self.history.same("a print", beside, Some(said))?;
        }
        Ok(())
    }

    /// Compares all words, and whether the host was woken.
    fn compare(&mut self) -> Result<(), Box<Found>> {
        self.begun = true;
        let facts = self.facts();
        let wrong = self.pair.wrong(&facts);
        if !wrong.is_empty() {
            return Err(self.history.found(wrong.iter().map(ToString::to_string).collect()));
        }
        self.pair.count_replies(&mut self.lived.replied);
        self.history.same("it has ended", self.pair.rust_block.has_ended(), self.pair.c_block.has_ended())?;
        let stalled = self.pair.rust.memory.stalled().load(annulus_sync::Ordering::Relaxed);
        self.lived.stalled += u64::from(stalled != 0);
        let (told, dead_letters) = self.pair.rust_block.told();
        let rung = self.pair.c_block.listen(self.listens);
        self.lived.woken += u64::from(rung);
        // A print wakes a host that waits for prints, where it is the host that shows it.
        let expected = match self.listens {
            0 => false,
            // Where a leader is alone there is no doorbell.
            _ if self.scene.alone => rung,
            1 => told != 0,
            _ => dead_letters != 0 || facts.prints && rung,
        };
        self.history.same("the host is woken", expected, rung)
    }
}
