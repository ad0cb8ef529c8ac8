//! The kernels whose blocks are compared.

use std::sync::Arc;

use annulus_abi::topics;
use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, RingMessage, device_fn, ring_kernel};
use annulus_runtime::{
    device_print,
    prelude::{
        Addressed, Along, Answer, Ask, Block, BlockCx, Cx, Failure, Inbox, Later, Outbox, Peer, Published,
        Reply, Rows, ThisActor, Topic,
    },
};

use crate::random::Random;

/// A message that says what its handler does.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Item {
    #[ring(key)]
    pub(crate) key: u32,
    /// How often its handler sends.
    pub(crate) sends: u32,
    /// How its handler ends.
    pub(crate) fails: u32,
    /// `sends`, and eight times `fails`, of what it sends.
    pub(crate) then: u32,
    pub(crate) value: u64,
}

impl Item {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Self { key, sends, fails, then, value } = *self;
        let words = [key, sends, fails, then].into_iter().flat_map(u32::to_ne_bytes);
        words.chain(value.to_ne_bytes()).collect()
    }
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) sum: u64,
}

/// Sends up to two messages, and fails if it would send more, or if it is told to.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
pub(crate) fn tally(item: &Item, tally: &mut Tally, out: &Outbox<Item>) -> Result<(), Failure> {
    tally.count += 1;
    tally.sum = tally.sum.wrapping_add(item.value);
    for i in 0..item.sends {
        out.send(Item {
            key: item.key,
            sends: item.then % 8,
            fails: item.then / 8,
            then: 0,
            value: tally.sum.wrapping_add(i as u64),
        });
    }
    match item.fails {
        0 => Ok(()),
        1 => Err(Failure::of(7)),
        _ => Err(Failure::of(300)),
    }
}

/// The same by one outbox, and something by another one.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs(on = 2, told = 1))]
pub(crate) fn sort(
    item: &Item,
    tally: &mut Tally,
    told: &Outbox<Item>,
    on: &Outbox<Item>,
) -> Result<(), Failure> {
    tally.count += 1;
    tally.sum = tally.sum.wrapping_add(item.value);
    for i in 0..item.sends {
        if i == 1 && tells(item) {
            told.send(*item);
        }
        on.send(Item {
            key: item.key,
            sends: item.then % 8,
            fails: item.then / 8,
            then: 0,
            value: tally.sum.wrapping_add(i as u64),
        });
    }
    if item.sends < 2 && tells(item) {
        told.send(*item);
    }
    match item.fails {
        0 => Ok(()),
        1 => Err(Failure::of(7)),
        _ => Err(Failure::of(300)),
    }
}

/// The same, and answers some: behind what it sends.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs(on = 2, told = 1))]
pub(crate) fn respond(
    item: &Item,
    tally: &mut Tally,
    on: &Outbox<Item>,
    told: &Outbox<Item>,
    reply: &Reply<Item>,
) -> Result<(), Failure> {
    tally.count += 1;
    tally.sum = tally.sum.wrapping_add(item.value);
    for i in 0..item.sends {
        if i == 1 && tells(item) {
            told.send(*item);
        }
        on.send(Item {
            key: item.key,
            sends: item.then % 8,
            fails: item.then / 8,
            then: 0,
            value: tally.sum.wrapping_add(i as u64),
        });
    }
    if item.sends < 2 && tells(item) {
        told.send(*item);
    }
    if item.value % 2 == 1 {
        reply.send(Item { value: tally.count, ..*item });
    }
    match item.fails {
        0 => Ok(()),
        1 => Err(Failure::of(7)),
        _ => Err(Failure::of(300)),
    }
}

/// Whether it is told, too.
#[device_fn]
fn tells(item: &Item) -> bool {
    item.value.is_multiple_of(3)
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Plain {
    pub(crate) value: u64,
}

/// Sends nothing, and keeps nothing.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
pub(crate) fn plain(message: &Plain) -> Result<(), Failure> {
    if message.value.is_multiple_of(4) {
        return Err(Failure::of(9));
    }
    Ok(())
}

/// Has one state for all messages, asks for the time, and prints.
#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 4)]
pub(crate) fn ledger(
    cx: &Cx,
    message: &Plain,
    ledger: &mut Tally,
    out: &Outbox<Plain>,
) -> Result<(), Failure> {
    ledger.count += 1;
    ledger.sum = cx.now();
    device_print!("{} is number {}", message.value, ledger.count);
    if message.value.is_multiple_of(3) {
        device_print!("sends");
        out.send(Plain { value: ledger.count.wrapping_add(cx.now()) });
    }
    if message.value.is_multiple_of(5) {
        return Err(Failure::of(11));
    }
    Ok(())
}

/// Sends to itself, later; and fails if that is too much.
#[ring_kernel(timers = 6, max_timers = 2)]
pub(crate) fn remind(
    message: &Plain,
    ledger: &mut Tally,
    out: &Outbox<Plain>,
    later: &Later<Plain>,
) -> Result<(), Failure> {
    ledger.count += 1;
    ledger.sum = ledger.sum.wrapping_add(message.value);
    let rest = message.value / 4;
    for i in 0..message.value % 4 {
        later.send_after(Plain { value: rest + i }, rest % 3 * i * 700);
    }
    if message.value.is_multiple_of(3) {
        out.send(Plain { value: ledger.count * 1000 + message.value });
    }
    if message.value.is_multiple_of(5) {
        return Err(Failure::of(13));
    }
    Ok(())
}

/// Sends to itself if the message is odd, and on what is even. So a kernel that others send to sets no timers: in which
/// order these and messages of others are taken, the twins decide each for itself.
#[ring_kernel(timers = 6, max_timers = 2)]
pub(crate) fn remind_on(
    message: &Plain,
    ledger: &mut Tally,
    out: &Outbox<Plain>,
    later: &Later<Plain>,
) -> Result<(), Failure> {
    ledger.count += 1;
    ledger.sum = ledger.sum.wrapping_add(message.value);
    let rest = message.value / 4;
    if message.value % 2 == 1 {
        later.send_after(Plain { value: rest }, rest % 3 * 700);
        if rest % 2 == 1 {
            later.send_after(Plain { value: rest + 2 }, 0);
        }
    }
    if !message.value.is_multiple_of(3) {
        out.send(Plain { value: ledger.count * 1000 + message.value / 2 * 2 });
    }
    if message.value.is_multiple_of(5) {
        return Err(Failure::of(13));
    }
    Ok(())
}

/// What nobody sends, and what somebody sends.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u16)]
#[allow(dead_code)]
pub(crate) enum Pulse {
    #[ring(tick)]
    Beat = 7,
    Set {
        // As wide as the tag, so that no byte of a message has no meaning.
        then: u16,
        value: u32,
    },
    #[ring(start)]
    Begin = 0x102,
    #[ring(stop)]
    End,
}

/// Ticks, and sends to itself; and fails at times, at a tick, too.
#[ring_kernel(timers = 3, max_timers = 2, on_tick = "3 us")]
pub(crate) fn pulse(
    message: &Pulse,
    ledger: &mut Tally,
    out: &Outbox<Plain>,
    later: &Later<Pulse>,
) -> Result<(), Failure> {
    ledger.count += 1;
    match message {
        Pulse::Beat => {
            if ledger.sum.is_multiple_of(4) {
                out.send(Plain { value: ledger.sum });
            }
            // One timer after the tick, so that there may be as many as there is room for.
            later.send_after(Pulse::Set { then: 0, value: 4 }, ledger.sum % 7000);
            if ledger.sum.is_multiple_of(5) {
                later.send_after(Pulse::Set { then: 0, value: 9 }, 2000);
                ledger.sum += 1;
            }
            if ledger.sum.is_multiple_of(3) {
                return Err(Failure::of(17));
            }
        }
        Pulse::Begin => {
            out.send(Plain { value: 1 });
            ledger.sum += 1000;
        }
        Pulse::End => {
            out.send(Plain { value: ledger.sum });
            later.send_after(Pulse::Set { then: 0, value: 1 }, 1);
            ledger.sum += 1;
            if ledger.sum.is_multiple_of(2) {
                return Err(Failure::of(19));
            }
        }
        Pulse::Set { then, value } => {
            ledger.sum = ledger.sum.wrapping_add((*value).into());
            for i in 0..(*then).into() {
                later.send_after(Pulse::Set { then: 0, value: *value / 2 + i }, u64::from(*value) * 9);
            }
            if value.is_multiple_of(3) {
                out.send(Plain { value: ledger.sum });
            }
            if value.is_multiple_of(5) {
                return Err(Failure::of(13));
            }
        }
    }
    Ok(())
}

/// A body: three of its threads take a message each. It keeps the sum of what succeeded, and ends its kernel if it is told
/// to.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
pub(crate) fn gather(
    cx: &BlockCx,
    inbox: &Inbox<Plain>,
    ledger: &Block<Tally>,
    out: &Outbox<Plain>,
) -> Result<(), Failure> {
    let mut value = 0;
    let mut taken = 0u64;
    if cx.thread_index() < 3
        && let Some(message) = inbox.try_recv()
    {
        value = message.value;
        taken = 1;
        for i in 0..value % 4 {
            out.send(Plain { value: value + i });
        }
        if value > 980 {
            inbox.end_kernel();
        }
    }
    // All have taken when one fails: so the twins fail the same messages.
    let sum = cx.block_reduce(value, |a, b| a.wrapping_add(b));
    let taken = cx.block_reduce(taken, |a, b| a + b);
    if cx.is_leader() {
        let Tally { count, sum: before } = ledger.get();
        ledger.set(Tally { count: count + taken, sum: before.wrapping_add(sum) });
    }
    if sum.is_multiple_of(7) {
        return Err(Failure::of(7));
    }
    Ok(())
}

/// A message that ends inside of a word.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Small {
    #[ring(key)]
    pub(crate) key: u16,
    pub(crate) sends: u8,
    pub(crate) fails: u8,
    pub(crate) then: u8,
    pub(crate) value: u8,
}

/// Takes one. Drawn as bytes.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u16)]
#[allow(dead_code)]
pub(crate) enum Wide {
    Told {
        value: u8,
        sends: u8,
        fails: u16,
        #[ring(key)]
        key: u16,
    },
    #[ring(from)]
    Small(Small) = 0x300,
}

#[device_fn]
fn unwrapped(wide: &Wide) -> Small {
    match wide {
        Wide::Told { value, sends, fails, key } => {
            Small { key: *key, sends: *sends, fails: *fails as u8, then: 1, value: *value }
        }
        Wide::Small(small) => *small,
    }
}

#[device_fn]
fn outcome(fails: u8) -> Result<(), Failure> {
    match fails {
        0 => Ok(()),
        1 => Err(Failure::of(7)),
        _ => Err(Failure::of(300)),
    }
}

/// Like [`tally`], of messages that become variants.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
pub(crate) fn unwrap(wide: &Wide, tally: &mut Tally, out: &Outbox<Small>) -> Result<(), Failure> {
    let small = unwrapped(wide);
    tally.count += 1;
    tally.sum = tally.sum.wrapping_add(small.value as u64);
    for i in 0..small.sends {
        out.send(Small {
            sends: small.then,
            then: 0,
            fails: small.value % 2,
            value: (tally.sum as u8).wrapping_add(i),
            ..small
        });
    }
    outcome(small.fails)
}

/// Like [`sort`], of such messages.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs(on = 2, told = 1))]
pub(crate) fn unwrap_and_sort(
    wide: &Wide,
    tally: &mut Tally,
    told: &Outbox<Small>,
    on: &Outbox<Small>,
) -> Result<(), Failure> {
    let small = unwrapped(wide);
    tally.count += 1;
    tally.sum = tally.sum.wrapping_add(small.value as u64);
    for i in 0..small.sends {
        if i == 0 && small.value.is_multiple_of(3) {
            told.send(small);
        }
        on.send(Small {
            sends: small.then,
            then: 0,
            fails: small.value % 2,
            value: (tally.sum as u8).wrapping_add(i),
            ..small
        });
    }
    outcome(small.fails)
}

/// The address of the first place's kernel; that of the next one is one more.
pub(crate) const PEERS: u64 = 100;

/// An item, and whom it goes to.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Directed {
    to: Peer<Directed>,
    then: Peer<Directed>,
    #[ring(key)]
    key: u32,
    sends: u32,
    value: u64,
}

/// Like [`tally`], to kernels that messages name. What it sends is taken as an item.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
pub(crate) fn direct(
    directed: &Directed,
    tally: &mut Tally,
    out: &Outbox<Addressed<Directed>>,
) -> Result<(), Failure> {
    tally.count += 1;
    tally.sum = tally.sum.wrapping_add(directed.value);
    for i in 0..directed.sends {
        let to = if i == 0 { directed.to } else { directed.then };
        let message = Directed { to: directed.then, then: directed.to, value: tally.sum, ..*directed };
        out.send(Addressed { to, message });
    }
    if directed.value.is_multiple_of(5) { Err(Failure::of(7)) } else { Ok(()) }
}

/// Entries of the table of topics, which has no room for more; and which places take which topic: the first alone, the second alone, both, and none;
/// and the same with the host.
pub(crate) const ENTRIES: usize = 8;
pub(crate) const TAKEN: [(&str, u64); ENTRIES] = [
    ("first", 1),
    ("second", 2),
    ("both", 3),
    ("known", 0),
    ("first and host", topics::HOST | 1),
    ("second and host", topics::HOST | 2),
    ("all", topics::HOST | 3),
    ("host", topics::HOST),
];

/// The table, as the host writes it.
pub(crate) fn topic_entries() -> [u64; ENTRIES] {
    let mut entries = [0; ENTRIES];
    for (name, places) in TAKEN {
        let topic = Topic::of(name).bits();
        let place = topics::find(topic, ENTRIES, |place| entries[place]).unwrap_err().expect("there is room");
        entries[place] = topic | places;
    }
    entries
}

/// An item, and what it is about.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Told {
    topic: Topic,
    then: Topic,
    #[ring(key)]
    key: u32,
    sends: u32,
    value: u64,
}

/// Like [`direct`], to all who take the topics that messages name.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
pub(crate) fn tell(told: &Told, tally: &mut Tally, out: &Outbox<Published<Told>>) -> Result<(), Failure> {
    tally.count += 1;
    tally.sum = tally.sum.wrapping_add(told.value);
    for i in 0..told.sends {
        let topic = if i == 0 { told.topic } else { told.then };
        let message = Told { topic: told.then, then: told.topic, value: tally.sum, ..*told };
        out.send(Published { topic, message });
    }
    if told.value.is_multiple_of(5) { Err(Failure::of(7)) } else { Ok(()) }
}

/// An item, and along which rows it goes.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Ranged {
    row: u32,
    then: u32,
    #[ring(key)]
    key: u32,
    #[ring(edge)]
    weight: u32,
    from: u32,
    sends: u32,
    value: u64,
}

/// Like [`direct`], along rows that messages name.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
pub(crate) fn range(ranged: &Ranged, tally: &mut Tally, out: &Outbox<Along<Ranged>>) -> Result<(), Failure> {
    tally.count += 1;
    tally.sum = tally.sum.wrapping_add(ranged.value ^ ranged.weight as u64);
    for i in 0..ranged.sends {
        let row = if i == 0 { ranged.row } else { ranged.then };
        let message = Ranged { row: ranged.then, then: ranged.row, value: tally.sum, ..*ranged };
        out.send(Along { row, from: ranged.from, message });
    }
    if ranged.value.is_multiple_of(5) { Err(Failure::of(7)) } else { Ok(()) }
}

/// The graph: rows that are empty, short, longer than rings, and longer than what takes its tickets together. One names an actor
/// that is not there.
pub(crate) fn graph() -> Arc<Rows> {
    let long = (0..70).map(|entry| entry % 3);
    let rows = [vec![2], vec![], vec![0, 1, 2, 2, 1, 0, 0, 9, 1, 2, 0], vec![1, 0, 1], long.collect()];
    let rows = Rows::of_lists(rows).expect("they are few");
    let values: Vec<u32> = (0..rows.entries() as u32).map(|entry| entry.wrapping_mul(0x9E37_79B9)).collect();
    Arc::new(rows.with_values(&values).expect("as many"))
}

/// What is asked, and what makes a kernel ask.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Question {
    value: u64,
}

/// What comes of an ask.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Heard {
    value: u64,
    answer: Answer<Question>,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
#[allow(dead_code)]
pub(crate) enum Asking {
    #[ring(from)]
    Question(Question),
    #[ring(from)]
    Heard(Heard),
}

/// Asks if the message is odd, and asks what is even: so a kernel that is asked sets no timers, as in [`remind_on`].
#[ring_kernel(timers = 3, max_outputs(told = 2))]
pub(crate) fn ask_on(
    asking: &Asking,
    tally: &mut Tally,
    told: &Outbox<Question>,
    ask: &Ask<Question, Heard>,
) -> Result<(), Failure> {
    tally.count += 1;
    match asking {
        Asking::Question(question) => {
            let value = question.value;
            tally.sum = tally.sum.wrapping_add(value);
            if value % 2 == 1 {
                let answer = Answer { ended: 0, code: 0, value: Question { value: 5 } };
                ask.send(Question { value: value / 2 * 2 }, Heard { value, answer }, value % 7 * 900);
            }
            if value.is_multiple_of(3) {
                told.send(Question { value: value * 1000 + tally.count });
            }
            if value.is_multiple_of(5) {
                return Err(Failure::of(13));
            }
        }
        Asking::Heard(heard) => {
            let Answer { ended, code, value } = heard.answer;
            tally.sum = tally.sum.wrapping_add(heard.value * 7 + value.value);
            told.send(Question { value: ended as u64 * 100_000 + code as u64 });
        }
    }
    Ok(())
}

/// An item for whichever key.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Roaming {
    #[ring(key)]
    pub(crate) key: u64,
    pub(crate) sends: u32,
    pub(crate) fails: u32,
    pub(crate) value: u64,
}

/// It does not begin with zeros.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Visits {
    pub(crate) count: u64,
    pub(crate) sum: u64,
}

impl Default for Visits {
    fn default() -> Self {
        Self { count: 1000, sum: 7 }
    }
}

/// Like [`tally`], of any keys.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
pub(crate) fn roam(roaming: &Roaming, visits: &mut Visits, out: &Outbox<Roaming>) -> Result<(), Failure> {
    visits.count += 1;
    visits.sum = visits.sum.wrapping_add(roaming.value);
    for i in 0..roaming.sends {
        out.send(Roaming { value: visits.sum.wrapping_add(i as u64), ..*roaming });
    }
    if roaming.fails != 0 { Err(Failure::of(7)) } else { Ok(()) }
}

/// The same, and sends to other actors, later: they may be of other blocks.
#[ring_kernel(timers = 6, max_timers = 2)]
pub(crate) fn roam_later(
    roaming: &Roaming,
    visits: &mut Visits,
    out: &Outbox<Roaming>,
    later: &Later<Roaming>,
) -> Result<(), Failure> {
    visits.count += 1;
    visits.sum = visits.sum.wrapping_add(roaming.value);
    let rest = roaming.value / 4 % 1000;
    for i in 0..roaming.value % 4 {
        let next = Roaming { key: roaming.key.wrapping_add(i), value: rest + i, sends: 0, fails: 0 };
        later.send_after(next, rest % 3 * i * 700);
    }
    if roaming.sends != 0 {
        out.send(Roaming { value: visits.sum, ..*roaming });
    }
    if roaming.fails != 0 { Err(Failure::of(7)) } else { Ok(()) }
}

/// Like [`roam`]; every third value ends the actor.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, max_outputs = 2)]
pub(crate) fn visit(
    roaming: &Roaming,
    visits: &mut Visits,
    out: &Outbox<Roaming>,
    actor: &ThisActor,
) -> Result<(), Failure> {
    visits.count += 1;
    visits.sum = visits.sum.wrapping_add(roaming.value);
    if roaming.value.is_multiple_of(3) {
        actor.end();
    }
    for i in 0..roaming.sends {
        out.send(Roaming { value: visits.sum.wrapping_add(i as u64), ..*roaming });
    }
    if roaming.fails != 0 { Err(Failure::of(7)) } else { Ok(()) }
}

/// A kernel, and how its messages are drawn.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    pub(crate) definition: &'static KernelDefinition,
    /// A message, as bytes, for the block of this number of so many, which has so many actors of the
    /// kernel's.
    pub(crate) draw: fn(&mut Random, To) -> Vec<u8>,
    /// A message that the host sends to a kernel that others send to, too.
    pub(crate) draw_on: fn(&mut Random, To) -> Vec<u8>,
    /// How much a message's handler sends if it succeeds.
    pub(crate) sends: fn(&[u8]) -> u32,
}

/// Whom a message is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct To {
    pub(crate) block: u32,
    pub(crate) grid: u32,
    pub(crate) actors: u32,
}

/// Of the kernels that have as many actors.
fn draw_item(random: &mut Random, to: To) -> Vec<u8> {
    // Now and then there is no such actor.
    let places = to.actors.div_ceil(to.grid) + random.one_in(6) as u32;
    let fails = |random: &mut Random| if random.one_in(5) { 1 + random.below(2) as u32 } else { 0 };
    let sends = |random: &mut Random| [0, 1, 1, 1, 2, 2, 3][random.below(7) as usize];
    let key = random.below(places.max(1).into()) as u32 * to.grid + to.block;
    let then = sends(random) + 8 * fails(random);
    Item { key, sends: sends(random), fails: fails(random), then, value: random.next() }.bytes()
}

pub(crate) const TALLY: Kernel = Kernel {
    definition: tally::DEFINITION,
    draw: draw_item,
    draw_on: draw_item,
    sends: |message| u32::from_ne_bytes(message[4..8].try_into().expect("four bytes")),
};

/// It has two outboxes.
pub(crate) const SORT: Kernel = Kernel {
    definition: sort::DEFINITION,
    sends: |message| {
        let value = u64::from_ne_bytes(message[16..24].try_into().expect("eight bytes"));
        (TALLY.sends)(message) + u32::from(value.is_multiple_of(3))
    },
    ..TALLY
};

/// It has two outboxes, and a reply.
pub(crate) const RESPOND: Kernel = Kernel {
    definition: respond::DEFINITION,
    sends: |message| {
        let value = u64::from_ne_bytes(message[16..24].try_into().expect("eight bytes"));
        (SORT.sends)(message) + (value % 2) as u32
    },
    ..TALLY
};

fn draw_roaming(random: &mut Random, to: To) -> Vec<u8> {
    // Some keys are small, and others of all 64 bits.
    let number = random.below((to.actors.div_ceil(to.grid) + 1).into());
    let grid = u64::from(to.grid);
    let key = if number.is_multiple_of(2) { number } else { Random::new(number).next() / grid - 1 };
    let key = key * grid + u64::from(to.block);
    let sends = [0, 1, 1, 1, 2, 2, 3][random.below(7) as usize];
    let fails = u32::from(random.one_in(5));
    let value = random.next();
    let wide = |word: u64| word.to_ne_bytes();
    wide(key)
        .into_iter()
        .chain([sends, fails].into_iter().flat_map(u32::to_ne_bytes))
        .chain(wide(value))
        .collect()
}

/// Its keys are of 64 bits.
pub(crate) const ROAM: Kernel = Kernel {
    definition: roam::DEFINITION,
    draw: draw_roaming,
    draw_on: draw_roaming,
    sends: |message| u32::from_ne_bytes(message[8..12].try_into().expect("four bytes")),
};

/// Its actors end.
pub(crate) const VISIT: Kernel = Kernel { definition: visit::DEFINITION, ..ROAM };

/// It has timers.
pub(crate) const ROAM_LATER: Kernel =
    Kernel { definition: roam_later::DEFINITION, sends: |message| (ROAM.sends)(message).min(1), ..ROAM };

fn draw_plain(random: &mut Random, _: To) -> Vec<u8> {
    random.below(1000).to_ne_bytes().to_vec()
}

pub(crate) const PLAIN: Kernel =
    Kernel { definition: plain::DEFINITION, draw: draw_plain, draw_on: draw_plain, sends: |_| 0 };

pub(crate) const LEDGER: Kernel = Kernel {
    definition: ledger::DEFINITION,
    sends: |message| {
        let value = u64::from_ne_bytes(message.try_into().expect("eight bytes"));
        value.is_multiple_of(3).into()
    },
    ..PLAIN
};

/// It is a body.
pub(crate) const GATHER: Kernel = Kernel {
    definition: gather::DEFINITION,
    sends: |message| (u64::from_ne_bytes(message.try_into().expect("eight bytes")) % 4) as u32,
    ..PLAIN
};

/// It has timers.
pub(crate) const REMIND: Kernel = Kernel { definition: remind::DEFINITION, ..LEDGER };

/// It has ticks, a message before all others, and a last one.
pub(crate) const PULSE: Kernel = Kernel {
    definition: pulse::DEFINITION,
    draw: |random, _| {
        let value = random.below(1000) as u32;
        [8, 0, random.below(3) as u8, 0].into_iter().chain(value.to_ne_bytes()).collect()
    },
    draw_on: draw_plain,
    sends: |message| {
        u32::from_ne_bytes(message[4..].try_into().expect("four bytes")).is_multiple_of(3).into()
    },
};

/// It has timers where only the host sends to it.
pub(crate) const REMIND_ON: Kernel = Kernel {
    definition: remind_on::DEFINITION,
    draw_on: |random, _| (2 * random.below(500)).to_ne_bytes().to_vec(),
    sends: |message| {
        let value = u64::from_ne_bytes(message.try_into().expect("eight bytes"));
        (!value.is_multiple_of(3)).into()
    },
    ..PLAIN
};

fn draw_question(random: &mut Random, odd: bool) -> Vec<u8> {
    let value = 2 * random.below(500) + u64::from(odd);
    let tag = 0_u32.to_ne_bytes().into_iter();
    tag.chain([0; 4]).chain(value.to_ne_bytes()).chain([0; 16]).collect()
}

/// It asks the kernel that it is connected to.
pub(crate) const ASK_ON: Kernel = Kernel {
    definition: ask_on::DEFINITION,
    draw: |random, _| {
        let odd = !random.one_in(4);
        draw_question(random, odd)
    },
    draw_on: |random, _| draw_question(random, false),
    sends: |message| {
        let value = u64::from_ne_bytes(message[8..16].try_into().expect("eight bytes"));
        u32::from(value.is_multiple_of(3)) + (value % 2) as u32
    },
};

fn draw_wide(random: &mut Random, to: To) -> Vec<u8> {
    let places = to.actors.div_ceil(to.grid) + random.one_in(6) as u32;
    let key = (random.below(places.max(1).into()) as u32 * to.grid + to.block) as u16;
    let fails = if random.one_in(5) { 1 + random.below(2) as u8 } else { 0 };
    let sends = [0, 1, 1, 1, 2, 2, 3][random.below(7) as usize];
    let value = random.next() as u8;
    let [k, ey] = key.to_ne_bytes();
    match random.one_in(2) {
        true => vec![0, 0, value, sends, fails, 0, k, ey],
        false => vec![0, 3, k, ey, sends, fails, random.below(3) as u8, value],
    }
}

/// Its message has a variant that takes what it sends.
pub(crate) const UNWRAP: Kernel = Kernel {
    definition: unwrap::DEFINITION,
    draw: draw_wide,
    draw_on: draw_wide,
    sends: |message| u32::from(if message[1] == 0 { message[3] } else { message[4] }),
};

/// It has two outboxes.
pub(crate) const UNWRAP_AND_SORT: Kernel = Kernel {
    definition: unwrap_and_sort::DEFINITION,
    sends: |message| {
        let sends = (UNWRAP.sends)(message);
        let value = if message[1] == 0 { message[2] } else { message[7] };
        sends + u32::from(sends != 0 && value.is_multiple_of(3))
    },
    ..UNWRAP
};

/// Those that have addresses of their own, and nobody. An address may look like one that has gone, or nearly like that of any.
const KNOWN: &[u64] = &[PEERS, PEERS, PEERS + 1, PEERS + 1, PEERS + 1, 0, u64::MAX, ANY | 1];
/// Any of them more often than one.
const MOSTLY_ANY: &[u64] = &[ANY, ANY, ANY, ANY, ANY, ANY, ANY, PEERS, PEERS, PEERS + 1, 0, ANY | 1];
const ANY: u64 = Peer::<Directed>::ANY.bits();

fn draw_directed(random: &mut Random, to: To, whom: [&[u64]; 2]) -> Vec<u8> {
    let places = to.actors.div_ceil(to.grid) + random.one_in(6) as u32;
    let key = random.below(places.max(1).into()) as u32 * to.grid + to.block;
    let sends = [0, 1, 1, 1, 2, 2, 3][random.below(7) as usize];
    let [first, then] = whom.map(|whom| random.pick(whom));
    let value = random.next();
    let words = [key, sends].into_iter().flat_map(u32::to_ne_bytes);
    let wide = |word: u64| word.to_ne_bytes();
    wide(first).into_iter().chain(wide(then)).chain(words).chain(wide(value)).collect()
}

/// What it sends says whom it is for: one of two kernels, or nobody.
pub(crate) const DIRECT: Kernel = Kernel {
    definition: direct::DEFINITION,
    draw: |random, to| draw_directed(random, to, [KNOWN; 2]),
    draw_on: |random, to| draw_directed(random, to, [KNOWN; 2]),
    sends: |message| u32::from_ne_bytes(message[20..24].try_into().expect("four bytes")),
};

/// Much of it is for any of the two; of one message's outputs, one at most.
pub(crate) const DIRECT_ONE: Kernel = Kernel {
    draw: |random, to| {
        let first = random.one_in(2);
        draw_directed(random, to, if first { [MOSTLY_ANY, KNOWN] } else { [KNOWN, MOSTLY_ANY] })
    },
    ..DIRECT
};

/// The same, of each output.
pub(crate) const DIRECT_ANY: Kernel =
    Kernel { draw: |random, to| draw_directed(random, to, [MOSTLY_ANY; 2]), ..DIRECT };

fn draw_ranged(random: &mut Random, to: To) -> Vec<u8> {
    let places = to.actors.div_ceil(to.grid) + random.one_in(6) as u32;
    let key = random.below(places.max(1).into()) as u32 * to.grid + to.block;
    let row = |random: &mut Random| match random.below(24) {
        0 => 4,
        1 => 5,
        2 => u32::MAX,
        row => row as u32 % 4,
    };
    let sends = [0, 1, 1, 1, 2, 2, 3][random.below(7) as usize];
    let from = [0, 0, 0, 0, 1, 2, 3, u32::MAX][random.below(8) as usize];
    let (first, then) = (row(random), row(random));
    let words = [first, then, key, 7, from, sends].into_iter().flat_map(u32::to_ne_bytes);
    words.chain(random.next().to_ne_bytes()).collect()
}

/// What it sends goes along rows.
pub(crate) const RANGE: Kernel = Kernel {
    definition: range::DEFINITION,
    draw: draw_ranged,
    draw_on: draw_ranged,
    sends: |message| u32::from_ne_bytes(message[20..24].try_into().expect("four bytes")),
};

fn draw_told(random: &mut Random, to: To) -> Vec<u8> {
    let places = to.actors.div_ceil(to.grid) + random.one_in(6) as u32;
    let key = random.below(places.max(1).into()) as u32 * to.grid + to.block;
    let about = |random: &mut Random| {
        let name = match random.below(4) {
            0 => TAKEN[4 + random.below(4) as usize].0,
            _ => ["first", "second", "both", "both", "known", "unknown"][random.below(6) as usize],
        };
        let odd = [0, 1, u64::MAX, Topic::of("both").bits() | 1];
        if random.one_in(6) { odd[random.below(4) as usize] } else { Topic::of(name).bits() }
    };
    let sends = [0, 1, 1, 1, 2, 2, 3][random.below(7) as usize];
    let [first, then, value] = [about(random), about(random), random.next()];
    let words = [key, sends].into_iter().flat_map(u32::to_ne_bytes);
    let wide = |word: u64| word.to_ne_bytes();
    wide(first).into_iter().chain(wide(then)).chain(words).chain(wide(value)).collect()
}

/// What it sends is for all who take a topic.
pub(crate) const TELL: Kernel = Kernel {
    definition: tell::DEFINITION,
    draw: draw_told,
    draw_on: draw_told,
    sends: |message| u32::from_ne_bytes(message[20..24].try_into().expect("four bytes")),
};
