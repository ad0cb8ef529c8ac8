//! The same for kernels of which the first may be connected to the others, each by an outbox of its own.
//!
//! Where their turns are no units that both twins have, both take turns until they find nothing; then they
//! are compared. What the host does is what both may see in one order alone: a kernel is commanded when it
//! has nothing else to do, and another kernel gets a message of the host's when it has none of the first.

use std::{fmt::Debug, mem::offset_of, sync::Arc};

use annulus_abi::{
    control::{ControlBlock, Timers, command},
    kernel::{KernelLayout, KernelShape},
    ring::{Envelope, call_through, kind},
};
use annulus_ring::ring::Header;
use annulus_sync::Ordering;

use crate::{
    c_block::Exchange,
    calls::Replied,
    kernels::{Item, Kernel},
    memory::Side,
    random::Random,
    rust_block::{FIRST_ASKED, Target},
    scene::{Fault, Found, History, Options, Pair, Scene},
    words::{Facts, waits_for_kernel},
};

/// What a host does. The first `usize` says to which kernel.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Sends so many messages to the first kernel.
    Send(u32),
    /// Sends one to another one, if it would take it at once.
    SendOn(usize),
    /// Takes up to so many answers.
    Receive(usize, u32),
    /// Takes all dead letters.
    TakeLetters(usize),
    /// Lets a kernel's block take turns until it finds nothing.
    Settle(usize),
    /// Commands a kernel to be active, or inactive.
    Activate(usize, bool),
    /// Turns a kernel's telemetry on or off.
    Telemetry(usize, bool),
    /// Connects one of the first kernel's links, with outputs that wait for room or not; or disconnects it.
    Connect(usize, Option<bool>),
    /// Lets time pass, unless something is held: then the twins count it at different times.
    Pass(u64),
    /// Ends a kernel's block.
    Terminate(usize),
    /// Ends the first kernel's while it is inactive, and one of its links is no more.
    Part,
}

/// What happened, over all seeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lived {
    pub(crate) forwarded: u64,
    pub(crate) unforwarded: u64,
    pub(crate) unread: u64,
    pub(crate) pending: u64,
    pub(crate) returned: u64,
    pub(crate) ended_holding: u64,
    pub(crate) went_on: u64,
    /// Of the first kernel, and of the others.
    pub(crate) replied: [Replied; 2],
    /// How calls through the kernels ended: by kinds of answers.
    pub(crate) through: [u64; KINDS.len()],
}

/// How a call through kernels ends.
const KINDS: [u8; 5] = [kind::MESSAGE, kind::NO_REPLY, kind::FAILED, kind::LOST, kind::ENDED];

impl Lived {
    /// Whether all has happened that can with this kernel.
    pub(crate) fn is_all_there(&self, kernel: &Kernel, through: bool) -> bool {
        let Self { forwarded, unforwarded, unread, pending, returned, ended_holding, went_on, .. } = *self;
        let counts = [forwarded, unforwarded, unread, pending, returned, ended_holding, went_on];
        let limit = kernel.definition.max_outputs;
        (!through || self.through.iter().all(|&n| n != 0))
            && counts.iter().all(|&n| n != 0)
            && self.replied.iter().all(|replied| replied.is_all_there(limit))
    }

    pub(crate) fn add(&mut self, other: &Self) {
        let Self {
            forwarded, unforwarded, unread, pending, returned, ended_holding, went_on, replied, ..
        } = other;
        self.forwarded += forwarded;
        self.unforwarded += unforwarded;
        self.unread += unread;
        self.pending += pending;
        self.returned += returned;
        self.ended_holding += ended_holding;
        self.went_on += went_on;
        self.through.iter_mut().zip(&other.through).for_each(|(all, one)| *all += one);
        self.replied.iter_mut().zip(replied).for_each(|(all, one)| all.add(one));
    }
}

const LENGTH: u32 = 150;

struct Script<'a> {
    scene: &'a Scene,
    random: Random,
    /// The kernel that sends, and those that are sent to, one for each link.
    pairs: Vec<Pair>,
    /// These, as the first one's block in Rust sends to them.
    targets: Vec<Arc<Target>>,
    exchange: Arc<Exchange>,
    commands: Vec<u32>,
    /// Kernels whose host has seen that they have ended.
    seen_ended: Vec<bool>,
    /// Places given to calls.
    places: u32,
    /// The first kernel's block has ended with outputs that had not gone.
    ended_holding: bool,
    now: u64,
    history: History<Action>,
    lived: Lived,
}

/// What the first kernel's twins came to: the outputs that were lost, and the answers that wait for the host.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) stalled: u32,
    pub(crate) unforwarded: u64,
    pub(crate) answers: u64,
}

/// The first kernel holds an output, for the second takes nothing; then the host does something else. Of a
/// block in Rust, and one in C.
pub(crate) fn holding(scene: &Scene, then: End) -> [Outcome; 2] {
    let mut random = Random::new(1);
    let mut options = Options::draw(&mut random, &scene.kernel, 1);
    options.layout = KernelLayout::new(&KernelShape {
        inbound_capacity: 4,
        outbound_capacity: 4,
        message: (size_of::<Item>(), align_of::<Item>()),
        output: (size_of::<Item>(), align_of::<Item>()),
        envelope: Envelope::default(),
        dead_letters_capacity: 0,
        prints_capacity: 0,
        print_words: 0,
        histogram: false,
        ports: 0,
    });
    options.limit = 1;
    options.actors = 3;
    let said = |found: Box<Found>| -> Script<'_> { panic!("{found}") };
    let mut script = Script::new(scene, 0, random, vec![options; 2], 0, None).unwrap_or_else(said);
    let play = |script: &mut Script<'_>, actions: &[Action]| {
        actions.iter().for_each(|&action| script.play(action).unwrap_or_else(|found| panic!("{found}")));
    };
    play(&mut script, &[Action::Connect(0, Some(true))]);
    // Four find room, and the fifth none.
    for value in 0..5 {
        let item = Item { key: 0, sends: 1, fails: 0, then: 0, value };
        let pair = &script.pairs[0];
        assert!(
            pair.rust.send(&item.bytes(), Header::default()) && pair.c.send(&item.bytes(), Header::default())
        );
        play(&mut script, &[Action::Settle(0)]);
    }
    assert!(script.holds());
    match then {
        End::Reject => play(&mut script, &[Action::Connect(0, Some(false))]),
        End::Disconnect => play(&mut script, &[Action::Part]),
    }
    let pair = &script.pairs[0];
    [&pair.rust, &pair.c].map(|side| Outcome {
        stalled: side.word(offset_of!(ControlBlock, stalled)),
        unforwarded: side.word(offset_of!(ControlBlock, unforwarded)),
        answers: side.waiting(),
    })
}

/// What the host does while an output is held.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// Connects the kernel so that what finds no room is lost.
    Reject,
    /// Disconnects it while it is inactive, and ends it.
    Disconnect,
}

/// Plays a script.
pub(crate) fn run(scene: &Scene, seed: u64, fault: Option<&Fault>) -> Result<Lived, Box<Found>> {
    let mut random = Random::new(seed);
    let kernel = &scene.kernel;
    let kernels = 1 + scene.links.len();
    let mut all: Vec<_> = (0..kernels).map(|_| Options::draw_of(&mut random, kernel, 1, scene)).collect();
    let asks = kernel.definition.ask().is_some();
    // One layout of messages and capacities: all lie in one exchange.
    let mut layout = all[0].layout;
    if scene.through {
        while layout.replies.is_none() {
            layout = Options::draw_of(&mut random, kernel, 1, scene).layout;
        }
        // More than can be under way, so that no place is used again before its call has ended.
        layout = layout.through(if asks { 128 } else { 64 }, 1);
    }
    all.iter_mut().for_each(|options| (options.layout, options.actors) = (layout, 3));
    // Half of the kernels take one message a turn: of these all is compared while something is held. So do those
    // with two links: what C has handled ahead may have gone by the other one.
    if random.one_in(2) || scene.links.len() > 1 || scene.through {
        all[0].limit = 1;
        all[0].mode = annulus_kernel::ProcessingMode::Continuous;
    }
    let first = random.pick(&[0, 0, (u32::MAX >> 1) & !7, (u32::MAX >> 1) - 63]) & !15;
    let mut script = Script::new(scene, seed, random, all, first, fault)?;
    let waits = !scene.rejects || script.random.one_in(2);
    for link in 0..scene.links.len() {
        script.play(Action::Connect(link, Some(waits)))?;
    }
    for _ in 0..LENGTH {
        let action = script.draw();
        script.play(action)?;
    }
    script.play(Action::Terminate(0))?;
    for which in 1..kernels {
        script.play(Action::Settle(which))?;
        script.play(Action::Terminate(which))?;
    }
    for which in 0..kernels {
        script.play(Action::Receive(which, u32::MAX))?;
        script.play(Action::TakeLetters(which))?;
    }
    let (from, others) = script.pairs.split_first().expect("there are several");
    let lived = &mut script.lived;
    lived.forwarded = from.c.word(offset_of!(ControlBlock, forwarded));
    lived.unforwarded = from.c.word(offset_of!(ControlBlock, unforwarded));
    let unread = |pair: &Pair| u64::from(pair.c.word::<u32>(offset_of!(ControlBlock, unread)));
    lived.unread = others.iter().map(unread).sum();
    for (pair, place) in script.pairs.iter().flat_map(|pair| (0..256).map(move |place| (pair, place))) {
        let Some(landings) = pair.options.layout.landings.filter(|ring| place < ring.capacity.into()) else {
            continue;
        };
        let slot = pair.options.layout.landings_offset() + landings.slot_offset(place);
        let kind = (pair.c.word::<u32>(slot + 4) >> 24) as u8;
        if let Some(at) = KINDS.iter().position(|&other| other == kind) {
            script.lived.through[at] += 1;
        }
    }
    Ok(script.lived)
}

impl<'a> Script<'a> {
    /// All kernels are active. `first`: the first ticket of the rings between them.
    fn new(
        scene: &'a Scene,
        seed: u64,
        random: Random,
        options: Vec<Options>,
        first: u32,
        fault: Option<&Fault>,
    ) -> Result<Self, Box<Found>> {
        let exchange = Arc::new(Exchange::new(&options[0].layout, options.len(), first));
        let pairs: Vec<_> = (0..)
            .zip(options)
            .map(|(copy, options)| Pair::new(scene, options, fault, copy, Some(&exchange)))
            .collect();
        let targets = pairs[1..].iter().map(|pair| Target::new(&pair.rust, &pairs[0].rust)).collect();
        let commands = vec![command::ACTIVE | command::TELEMETRY; pairs.len()];
        let mut script = Self {
            scene,
            random,
            pairs,
            targets,
            exchange,
            seen_ended: vec![false; commands.len()],
            places: 0,
            commands,
            ended_holding: false,
            now: 1000,
            history: History::new(scene, seed),
            lived: Lived::default(),
        };
        script.pass(0);
        for which in 0..script.pairs.len() {
            script.give(which);
            script.play(Action::Settle(which))?;
        }
        Ok(script)
    }

    fn draw(&mut self) -> Action {
        let holds = self.holds();
        let links = self.targets.len() as u64;
        let random = &mut self.random;
        let which = random.below(1 + links) as usize;
        let link = random.below(links) as usize;
        match random.below(40) {
            0..10 => Action::Send(1 + random.below(4) as u32),
            10..12 => Action::SendOn(1 + link),
            12..18 => Action::Receive(which, 1 + random.below(8) as u32),
            18 => Action::TakeLetters(which),
            19 => Action::Activate(which, false),
            20..22 => Action::Activate(which, true),
            22 => Action::Telemetry(which, !random.one_in(3)),
            23 => {
                let may_wait = !self.scene.rejects || random.one_in(3);
                let how = [None, Some(false), Some(may_wait), Some(true)];
                Action::Connect(link, how[random.below(4) as usize])
            }
            24 | 25 => Action::Pass(random.below(5000)),
            26 if self.scene.rejects && random.one_in(2) => Action::Terminate(1 + link),
            26 if random.one_in(8) => Action::Terminate(which),
            27 if holds && random.one_in(8) => Action::Part,
            _ => Action::Settle(which),
        }
    }

    fn play(&mut self, action: Action) -> Result<(), Box<Found>> {
        self.history.actions.push(action);
        match action {
            Action::Send(count) => {
                for _ in 0..count {
                    self.send(0);
                }
            }
            Action::SendOn(which) => {
                let pair = &self.pairs[which];
                let (sent, taken) = self.exchange.counts(which);
                let credit = u64::from(self.scene.kernel.definition.max_outputs);
                let takes = self.commands[which] & (command::ACTIVE | command::TERMINATE) == command::ACTIVE
                    && sent == taken
                    && pair.rust.producers.ring().depth() == 0
                    && pair.rust.waiting() + credit <= u64::from(pair.options.layout.outbound.capacity);
                if takes {
                    self.settle(which)?;
                    self.send(which);
                    self.settle(which)?;
                }
            }
            Action::Receive(which, count) => {
                for _ in 0..count {
                    let pair = &mut self.pairs[which];
                    let ready = (pair.rust.is_ready().0, pair.c.is_ready().0);
                    if ready == (true, true) {
                        let taken = (pair.rust.receive(), pair.c.receive());
                        self.history.same("an answer", taken.0, taken.1)?;
                    } else if self.is_ahead(which) {
                        return Ok(());
                    } else {
                        return self.history.same("there is an answer", ready.0, ready.1);
                    }
                }
            }
            // C may have found the ring full where Rust has not got so far: with room made meanwhile, a dead
            // letter would be lost in C alone.
            Action::TakeLetters(which) if self.is_ahead(which) && self.holds() => {}
            Action::TakeLetters(which) => loop {
                let pair = &mut self.pairs[which];
                let ready = (pair.rust.is_ready().1, pair.c.is_ready().1);
                if ready == (true, true) {
                    let taken = (pair.rust.take_dead_letter(), pair.c.take_dead_letter());
                    self.history.same("a dead letter", taken.0, taken.1)?;
                } else if self.is_ahead(which) {
                    return Ok(());
                } else {
                    return self.history.same("there is a dead letter", ready.0, ready.1);
                }
            },
            Action::Settle(which) => self.settle(which)?,
            Action::Activate(which, active) => {
                self.settle(which)?;
                self.activate(which, active);
                self.settle(which)?;
            }
            Action::Telemetry(which, on) => {
                self.settle(which)?;
                if !self.holds() {
                    let command = &mut self.commands[which];
                    *command = *command & !command::TELEMETRY | if on { command::TELEMETRY } else { 0 };
                    self.give(which);
                    self.settle(which)?;
                }
            }
            Action::Connect(number, link) => {
                self.settle(0)?;
                // Outputs of a call that C has handled behind what is pending are with the host already: what
                // is pending comes behind them in C, and in Rust before.
                if link.is_none() && self.pairs[0].rust.waiting() != self.pairs[0].c.waiting() {
                    return Ok(());
                }
                // As its host: what is asked is answered first.
                let asks = Timers::of_word(self.pairs[0].c.memory.timers().load(Ordering::Relaxed)).asks;
                if asks != 0 && !self.pairs[1 + number].c_block.has_ended() {
                    return Ok(());
                }
                let was_active = self.commands[0] & command::ACTIVE != 0;
                self.activate(0, false);
                self.settle(0)?;
                let (from, target) = (&self.pairs[0], 1 + number);
                let (outbox, waits) = (self.scene.links[number], link == Some(true));
                let layout = &self.pairs[target].options.layout;
                from.rust_block.connect(outbox, link.map(|_| &self.targets[number]), waits);
                from.c_block.connect(outbox, link.map(|_| target), layout, waits);
                self.lived.returned += u64::from(link.is_none() && self.holds_by(number));
                self.activate(0, was_active);
                self.settle(0)?;
            }
            Action::Pass(time) => {
                if !self.holds() {
                    self.pass(time);
                }
            }
            Action::Terminate(which) => {
                self.settle(which)?;
                if which == 0 && self.holds() {
                    self.ended_holding = true;
                    self.lived.ended_holding += 1;
                }
                self.commands[which] |= command::TERMINATE;
                self.give(which);
                self.settle(which)?;
            }
            Action::Part => {
                for action in [Action::Activate(0, false), Action::Connect(0, None), Action::Terminate(0)] {
                    self.play(action)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the first kernel holds something for this one of its links, with several.
    fn holds_by(&self, number: usize) -> bool {
        let memory = &self.pairs[0].c.memory;
        let holds = |place| memory.port(place).is_none_or(|port| port.held().load(Ordering::Relaxed) != 0);
        // Without the first one, what is for any goes to the host.
        let for_any = self.scene.kernel.definition.nobody().filter(|_| number == 0);
        self.holds() && (holds(self.scene.links[number]) || for_any.is_some_and(holds))
    }

    /// Whether the first kernel waits for room in another one.
    fn holds(&self) -> bool {
        let is_held = match self.scene.hold {
            0 => waits_for_kernel(&self.pairs[0].c),
            _ => self.pairs[0].c_block.pending().1 != 0,
        };
        is_held && !self.pairs[0].c_block.has_ended()
    }

    /// Whether a message of the first kernel waits in Rust until all that its handler sent has gone.
    fn holds_message(&self) -> bool {
        self.scene.hold == 0 && self.holds()
    }

    /// Whether C has taken messages that Rust has not: it takes a turn's, and then sends what came of them.
    fn is_ahead(&self, which: usize) -> bool {
        which == 0
            && self.scene.hold == 0
            && self.pairs[0].options.limit != 1
            && (self.holds() || self.ended_holding)
    }

    fn pass(&mut self, time: u64) {
        self.now += time;
        self.pairs.iter().for_each(|pair| pair.set_time(self.now));
    }

    fn activate(&mut self, which: usize, active: bool) {
        let command = &mut self.commands[which];
        *command = *command & !(command::ACTIVE | command::GENERATION)
            | (if active { command::ACTIVE } else { 0 })
            | (command.wrapping_add(8) & command::GENERATION);
        self.give(which);
    }

    fn give(&self, which: usize) {
        self.pairs[which].command(self.commands[which]);
    }

    fn send(&mut self, which: usize) {
        let random = &mut self.random;
        let pair = &mut self.pairs[which];
        let kernel = &self.scene.kernel;
        let draw = if which == 0 { kernel.draw } else { kernel.draw_on };
        let message = draw(random, pair.options.to());
        let calls = pair.options.layout.replies.is_some() && random.one_in(3);
        let through = !calls && self.scene.through && kernel.definition.ask().is_none() && random.one_in(2);
        let generation = random.next() as u32 | 1;
        let enqueue_time = self.now - random.below(900);
        let trace = if self.scene.traced && random.one_in(2) { random.next() | 1 << 40 } else { 0 };
        let stamp = self.scene.stamp(random, self.now);
        let header = |correlation| Header {
            trace,
            stamp,
            enqueue_time,
            correlation: if calls || through { correlation } else { 0 },
            ..Header::default()
        };
        // Where C has room, and Rust has not, the message that is held is still in Rust's ring.
        let has_room = |ring: &annulus_ring::ring::Ring| ring.depth() < ring.layout().capacity.into();
        if [&pair.rust, &pair.c].iter().all(|side| has_room(side.producers.ring())) {
            let mut addresses = [&pair.rust, &pair.c].map(|side| side.call(false, generation));
            if through {
                addresses = [call_through(self.places % 64, generation); 2];
                self.places += 1;
            }
            pair.rust.send(&message, header(addresses[0]));
            pair.c.send(&message, header(addresses[1]));
            if calls {
                pair.calls.sent(addresses[0], addresses[1], (self.scene.kernel.sends)(&message));
            }
        }
    }

    /// Lets one of the kernels' blocks run, and compares all kernels.
    fn settle(&mut self, which: usize) -> Result<(), Box<Found>> {
        let (_, left) = self.pairs[0].c_block.pending();
        let before = self.sent();
        let work = {
            let pair = &mut self.pairs[which];
            let ended = pair.rust_block.has_ended();
            (!ended && pair.rust_block.has_work(), !ended && pair.c_block.has_work())
        };
        // Rust's question moves what it can, and says whether all of it has gone.
        if which != 0 || left <= 1 || self.scene.hold != 0 {
            self.history.same("it has work", work.0, work.1)?;
        }
        self.pairs[which].settle();
        if self.pairs[which].rust_block.has_ended() && !std::mem::replace(&mut self.seen_ended[which], true) {
            [&self.pairs[which].rust, &self.pairs[which].c].iter().for_each(|side| side.end_left());
        }
        self.copy_answers();
        let (_, now) = self.pairs[0].c_block.pending();
        self.lived.went_on += u64::from(left != 0 && now == 0 && which == 0 && before != self.sent());
        for which in 0..self.pairs.len() {
            self.compare(which)?;
        }
        let of_rust: u32 = self.targets.iter().map(|target| target.looked_waiting()).sum();
        let looked = (of_rust, self.pairs[0].c_block.looked_waiting());
        self.history.same("it looked as if it waited while it sent", looked.0, looked.1)
    }

    /// What kernels ask, the block in C answers where other kernels see it, and the one in Rust in its landings. Puts it there,
    /// so that it is compared.
    fn copy_answers(&self) {
        for (kernel, pair) in self.pairs.iter().enumerate().skip(1) {
            let layout = &pair.options.layout;
            let (Some(landings), Some(_)) = (layout.landings, self.scene.kernel.definition.ask()) else {
                return;
            };
            let first = landings.capacity / 2;
            for place in FIRST_ASKED..first {
                let slot =
                    pair.c.offset + layout.landings_offset() + landings.slot_offset((first + place).into());
                for word in 0..landings.slot_stride / size_of::<u32>() {
                    let value = self.exchange.answer(kernel, layout, place, word);
                    pair.c.shards.set(slot + word * size_of::<u32>(), value);
                }
            }
        }
    }

    /// How much the block in C has sent to the other kernels.
    fn sent(&self) -> u64 {
        (1..self.pairs.len()).map(|which| self.exchange.counts(which).0).sum()
    }

    fn compare(&mut self, which: usize) -> Result<(), Box<Found>> {
        let pair = &self.pairs[which];
        let is_first = which == 0;
        self.lived.pending += u64::from(is_first && self.holds());
        let holds = is_first && self.holds_message();
        let (sent_near, taken_near) = if is_first { (0, 0) } else { self.exchange.counts(which) };
        let facts = Facts {
            sent_near,
            taken_near,
            forwarded: if is_first { self.sent() } else { 0 },
            pending: if holds { pair.c_block.pending().0.into() } else { 0 },
            holds,
            holds_timer: holds && taken_of(&pair.rust) != taken_of(&pair.c),
            shows: self.commands[which] & command::TELEMETRY != 0,
            prints: false,
        };
        if self.is_ahead(which) {
            return Ok(());
        }
        let wrong = pair.wrong(&facts);
        if !wrong.is_empty() {
            let mut what: Vec<_> = wrong.iter().map(ToString::to_string).collect();
            what.push(format!("of kernel {which}, {facts:?}, {:?}", pair.options));
            return Err(self.history.found(what));
        }
        self.pairs[which].count_replies(&mut self.lived.replied[which.min(1)]);
        let pair = &self.pairs[which];
        self.history.same("it has ended", pair.rust_block.has_ended(), pair.c_block.has_ended())
    }
}

/// How many messages to itself a block has taken.
fn taken_of(side: &Side) -> u64 {
    Timers::of_word(side.memory.timers().load(Ordering::Relaxed)).taken
}
