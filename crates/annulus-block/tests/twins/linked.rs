//! The same for two kernels, of which one may be connected to the other.
//!
//! Where their turns are no units that both twins have, both take turns until they find nothing; then they
//! are compared. What the host does is what both may see in one order alone: a kernel is commanded when it
//! has nothing else to do, and the second kernel gets a message of the host's when it has none of the first.

use std::{fmt::Debug, mem::offset_of, sync::Arc};

use annulus_abi::{
    control::{ControlBlock, command},
    kernel::{KernelLayout, KernelShape},
    ring::Envelope,
};
use annulus_ring::ring::Header;

use crate::{
    c_block::Exchange,
    calls::Replied,
    kernels::{Item, Kernel},
    random::Random,
    rust_block::Target,
    scene::{Fault, Found, History, Options, Pair, Scene},
    words::{Facts, waits_for_kernel},
};

/// What a host does; `bool`: to the second kernel.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Sends so many messages to the first kernel.
    Send(u32),
    /// Sends one to the second, if it would take it at once.
    SendOn,
    /// Takes up to so many answers.
    Receive(bool, u32),
    /// Takes all dead letters.
    TakeLetters(bool),
    /// Lets a kernel's block take turns until it finds nothing.
    Settle(bool),
    /// Commands a kernel to be active, or inactive.
    Activate(bool, bool),
    /// Turns a kernel's telemetry on or off.
    Telemetry(bool, bool),
    /// Connects the first kernel, with outputs that wait for room or not; or disconnects it.
    Connect(Option<bool>),
    /// Lets time pass, unless something is held: then the twins count it at different times.
    Pass(u64),
    /// Ends a kernel's block.
    Terminate(bool),
    /// Ends the first kernel's while it is inactive, and connected no more.
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
    /// Of the first kernel, and of the second.
    pub(crate) replied: [Replied; 2],
}

impl Lived {
    /// Whether all has happened that can with this kernel.
    pub(crate) fn is_all_there(&self, kernel: &Kernel) -> bool {
        let Self { forwarded, unforwarded, unread, pending, returned, ended_holding, went_on, .. } = *self;
        let counts = [forwarded, unforwarded, unread, pending, returned, ended_holding, went_on];
        let limit = kernel.definition.max_outputs;
        counts.iter().all(|&n| n != 0) && self.replied.iter().all(|replied| replied.is_all_there(limit))
    }

    pub(crate) fn add(&mut self, other: &Self) {
        let Self { forwarded, unforwarded, unread, pending, returned, ended_holding, went_on, replied } =
            other;
        self.forwarded += forwarded;
        self.unforwarded += unforwarded;
        self.unread += unread;
        self.pending += pending;
        self.returned += returned;
        self.ended_holding += ended_holding;
        self.went_on += went_on;
        self.replied.iter_mut().zip(replied).for_each(|(all, one)| all.add(one));
    }
}

const LENGTH: u32 = 150;

struct Script<'a> {
    scene: &'a Scene,
    random: Random,
    /// The kernel that sends, and the one that is sent to.
    pairs: [Pair; 2],
    targets: [Arc<Target>; 2],
    exchange: Arc<Exchange>,
    commands: [u32; 2],
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
    });
    options.limit = 1;
    options.actors = 3;
    let said = |found: Box<Found>| -> Script<'_> { panic!("{found}") };
    let mut script = Script::new(scene, 0, random, [options; 2], 0, None).unwrap_or_else(said);
    let play = |script: &mut Script<'_>, actions: &[Action]| {
        actions.iter().for_each(|&action| script.play(action).unwrap_or_else(|found| panic!("{found}")));
    };
    play(&mut script, &[Action::Connect(Some(true))]);
    // Four find room, and the fifth none.
    for value in 0..5 {
        let item = Item { key: 0, sends: 1, fails: 0, then: 0, value };
        let pair = &script.pairs[0];
        assert!(
            pair.rust.send(&item.bytes(), Header::default()) && pair.c.send(&item.bytes(), Header::default())
        );
        play(&mut script, &[Action::Settle(false)]);
    }
    assert!(script.holds());
    match then {
        End::Reject => play(&mut script, &[Action::Connect(Some(false))]),
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
    let [mut from, mut to] = [(); 2].map(|()| Options::draw(&mut random, kernel, 1));
    // One layout of messages and capacities: both lie in one exchange.
    to.layout = from.layout;
    // Half of the kernels take one message a turn: of these all is compared while something is held.
    if random.one_in(2) {
        from.limit = 1;
        from.mode = annulus_kernel::ProcessingMode::Continuous;
    }
    from.actors = 3;
    to.actors = 3;
    let first = random.pick(&[0, 0, (u32::MAX >> 1) & !7, (u32::MAX >> 1) - 63]) & !15;
    let mut script = Script::new(scene, seed, random, [from, to], first, fault)?;
    script.play(Action::Connect(Some(true)))?;
    for _ in 0..LENGTH {
        let action = script.draw();
        script.play(action)?;
    }
    let last = [
        Action::Terminate(false),
        Action::Settle(true),
        Action::Terminate(true),
        Action::Receive(false, u32::MAX),
        Action::Receive(true, u32::MAX),
        Action::TakeLetters(false),
        Action::TakeLetters(true),
    ];
    for action in last {
        script.play(action)?;
    }
    let [from, to] = &script.pairs;
    let lived = &mut script.lived;
    lived.forwarded = from.c.word(offset_of!(ControlBlock, forwarded));
    lived.unforwarded = from.c.word(offset_of!(ControlBlock, unforwarded));
    lived.unread = to.c.word::<u32>(offset_of!(ControlBlock, unread)).into();
    Ok(script.lived)
}

impl<'a> Script<'a> {
    /// Both kernels are active. `first`: the first ticket of the rings between them.
    fn new(
        scene: &'a Scene,
        seed: u64,
        random: Random,
        options: [Options; 2],
        first: u32,
        fault: Option<&Fault>,
    ) -> Result<Self, Box<Found>> {
        let exchange = Arc::new(Exchange::new(&options[0].layout, 2, first));
        let [from, to] = options;
        let pairs = [(from, 0), (to, 1)]
            .map(|(options, copy)| Pair::new(scene, options, fault, copy, Some(&exchange)));
        let targets = [Target::new(&pairs[1].rust, &pairs[0].rust), Target::new(&pairs[1].c, &pairs[0].c)];
        let mut script = Self {
            scene,
            random,
            pairs,
            targets,
            exchange,
            commands: [command::ACTIVE | command::TELEMETRY; 2],
            ended_holding: false,
            now: 1000,
            history: History::new(scene, seed),
            lived: Lived::default(),
        };
        script.pass(0);
        for second in [false, true] {
            script.give(second);
            script.play(Action::Settle(second))?;
        }
        Ok(script)
    }

    fn draw(&mut self) -> Action {
        let holds = self.holds();
        let random = &mut self.random;
        let second = random.one_in(2);
        match random.below(40) {
            0..10 => Action::Send(1 + random.below(4) as u32),
            10..12 => Action::SendOn,
            12..18 => Action::Receive(second, 1 + random.below(8) as u32),
            18 => Action::TakeLetters(second),
            19 => Action::Activate(second, false),
            20..22 => Action::Activate(second, true),
            22 => Action::Telemetry(second, !random.one_in(3)),
            23 => Action::Connect([None, Some(false), Some(true), Some(true)][random.below(4) as usize]),
            24 | 25 => Action::Pass(random.below(5000)),
            26 if random.one_in(8) => Action::Terminate(second),
            27 if holds && random.one_in(8) => Action::Part,
            _ => Action::Settle(second),
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
            Action::SendOn => {
                let pair = &self.pairs[1];
                let (sent, taken) = self.exchange.counts(1);
                let credit = u64::from(self.scene.kernel.definition.max_outputs);
                let takes = self.commands[1] & (command::ACTIVE | command::TERMINATE) == command::ACTIVE
                    && sent == taken
                    && pair.rust.producers.ring().depth() == 0
                    && pair.rust.waiting() + credit <= u64::from(pair.options.layout.outbound.capacity);
                if takes {
                    self.settle(1)?;
                    self.send(1);
                    self.settle(1)?;
                }
            }
            Action::Receive(second, count) => {
                for _ in 0..count {
                    let pair = &mut self.pairs[usize::from(second)];
                    let ready = (pair.rust.is_ready().0, pair.c.is_ready().0);
                    if ready == (true, true) {
                        let taken = (pair.rust.receive(), pair.c.receive());
                        self.history.same("an answer", taken.0, taken.1)?;
                    } else if self.is_ahead(second) {
                        return Ok(());
                    } else {
                        return self.history.same("there is an answer", ready.0, ready.1);
                    }
                }
            }
            // C may have found the ring full where Rust has not got so far: with room made meanwhile, a dead
            // letter would be lost in C alone.
            Action::TakeLetters(second) if self.is_ahead(second) && self.holds() => {}
            Action::TakeLetters(second) => loop {
                let pair = &mut self.pairs[usize::from(second)];
                let ready = (pair.rust.is_ready().1, pair.c.is_ready().1);
                if ready == (true, true) {
                    let taken = (pair.rust.take_dead_letter(), pair.c.take_dead_letter());
                    self.history.same("a dead letter", taken.0, taken.1)?;
                } else if self.is_ahead(second) {
                    return Ok(());
                } else {
                    return self.history.same("there is a dead letter", ready.0, ready.1);
                }
            },
            Action::Settle(second) => self.settle(second.into())?,
            Action::Activate(second, active) => {
                self.settle(second.into())?;
                self.activate(second, active);
                self.settle(second.into())?;
            }
            Action::Telemetry(second, on) => {
                self.settle(second.into())?;
                if !self.holds() {
                    let command = &mut self.commands[usize::from(second)];
                    *command = *command & !command::TELEMETRY | if on { command::TELEMETRY } else { 0 };
                    self.give(second);
                    self.settle(second.into())?;
                }
            }
            Action::Connect(link) => {
                self.settle(0)?;
                // Outputs of a call that C has handled behind what is pending are with the host already: what
                // is pending comes behind them in C, and in Rust before.
                if link.is_none() && self.pairs[0].rust.waiting() != self.pairs[0].c.waiting() {
                    return Ok(());
                }
                let was_active = self.commands[0] & command::ACTIVE != 0;
                self.activate(false, false);
                self.settle(0)?;
                let [from, to] = &self.pairs;
                let layout = &to.options.layout;
                from.rust_block.connect(link.map(|_| &self.targets[0]), link == Some(true));
                from.c_block.connect(link.map(|_| 1), layout, link == Some(true));
                self.lived.returned += u64::from(link.is_none() && self.holds());
                self.activate(false, was_active);
                self.settle(0)?;
            }
            Action::Pass(time) => {
                if !self.holds() {
                    self.pass(time);
                }
            }
            Action::Terminate(second) => {
                self.settle(second.into())?;
                if !second && self.holds() {
                    self.ended_holding = true;
                    self.lived.ended_holding += 1;
                }
                self.commands[usize::from(second)] |= command::TERMINATE;
                self.give(second);
                self.settle(second.into())?;
            }
            Action::Part => {
                for action in
                    [Action::Activate(false, false), Action::Connect(None), Action::Terminate(false)]
                {
                    self.play(action)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the first kernel waits for room in the second.
    fn holds(&self) -> bool {
        waits_for_kernel(&self.pairs[0].c) && !self.pairs[0].c_block.has_ended()
    }

    /// Whether C has taken messages that Rust has not: it takes a turn's, and then sends what came of them.
    fn is_ahead(&self, second: bool) -> bool {
        !second && self.pairs[0].options.limit != 1 && (self.holds() || self.ended_holding)
    }

    fn pass(&mut self, time: u64) {
        self.now += time;
        self.pairs.iter().for_each(|pair| pair.set_time(self.now));
    }

    fn activate(&mut self, second: bool, active: bool) {
        let command = &mut self.commands[usize::from(second)];
        *command = *command & !(command::ACTIVE | command::GENERATION)
            | (if active { command::ACTIVE } else { 0 })
            | (command.wrapping_add(8) & command::GENERATION);
        self.give(second);
    }

    fn give(&self, second: bool) {
        self.pairs[usize::from(second)].command(self.commands[usize::from(second)]);
    }

    fn send(&mut self, pair: usize) {
        let random = &mut self.random;
        let pair = &mut self.pairs[pair];
        let message = (self.scene.kernel.draw)(random, pair.options.to());
        let calls = pair.options.layout.replies.is_some() && random.one_in(3);
        let generation = random.next() as u32 | 1;
        let enqueue_time = self.now - random.below(900);
        let header = |correlation| Header {
            enqueue_time,
            correlation: if calls { correlation } else { 0 },
            ..Header::default()
        };
        // Where C has room, and Rust has not, the message that is held is still in Rust's ring.
        let has_room = |ring: &annulus_ring::ring::Ring| ring.depth() < ring.layout().capacity.into();
        if [&pair.rust, &pair.c].iter().all(|side| has_room(side.producers.ring())) {
            let addresses = [&pair.rust, &pair.c].map(|side| side.call(false, generation));
            pair.rust.send(&message, header(addresses[0]));
            pair.c.send(&message, header(addresses[1]));
            if calls {
                pair.calls.sent(addresses[0], addresses[1], (self.scene.kernel.sends)(&message));
            }
        }
    }

    /// Lets one of the kernels' blocks run, and compares both kernels.
    fn settle(&mut self, which: usize) -> Result<(), Box<Found>> {
        let (_, left) = self.pairs[0].c_block.pending();
        let before = self.exchange.counts(1);
        let work = {
            let pair = &mut self.pairs[which];
            let ended = pair.rust_block.has_ended();
            (!ended && pair.rust_block.has_work(), !ended && pair.c_block.has_work())
        };
        // Rust's question moves what it can, and says whether all of it has gone.
        if which == 1 || left <= 1 {
            self.history.same("it has work", work.0, work.1)?;
        }
        self.pairs[which].settle();
        let (_, now) = self.pairs[0].c_block.pending();
        self.lived.went_on +=
            u64::from(left != 0 && now == 0 && which == 0 && before != self.exchange.counts(1));
        self.compare(0)?;
        self.compare(1)?;
        let looked = (self.targets[0].looked_waiting(), self.pairs[0].c_block.looked_waiting());
        self.history.same("it looked as if it waited while it sent", looked.0, looked.1)
    }

    fn compare(&mut self, which: usize) -> Result<(), Box<Found>> {
        let pair = &self.pairs[which];
        let is_first = which == 0;
        let holds = is_first && self.holds();
        self.lived.pending += u64::from(holds);
        let (sent_near, taken_near) = if is_first { (0, 0) } else { self.exchange.counts(1) };
        let facts = Facts {
            sent_near,
            taken_near,
            forwarded: if is_first { self.exchange.counts(1).0 } else { 0 },
            pending: if is_first { pair.c_block.pending().0.into() } else { 0 },
            holds,
            shows: self.commands[which] & command::TELEMETRY != 0,
            prints: false,
        };
        if self.is_ahead(!is_first) {
            return Ok(());
        }
        let wrong = pair.wrong(&facts);
        if !wrong.is_empty() {
            let mut what: Vec<_> = wrong.iter().map(ToString::to_string).collect();
            what.push(format!("of kernel {which}, {facts:?}, {:?}", pair.options));
            return Err(self.history.found(what));
        }
        self.pairs[which].count_replies(&mut self.lived.replied[which]);
        let pair = &self.pairs[which];
        self.history.same("it has ended", pair.rust_block.has_ended(), pair.c_block.has_ended())
    }
}
