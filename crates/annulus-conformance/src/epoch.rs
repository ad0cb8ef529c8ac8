//! One epoch of a block of four threads, laid out in memory that any device program can be given: messages
//! for several actors, of which some fail and some are for an actor that there is not. What the epoch must
//! leave is known.
#![allow(missing_docs)] // Message fields say what they are by their names.
#![allow(clippy::manual_is_multiple_of)] // The kernel language has `%`.

use std::ptr::NonNull;

use annulus_abi::actors::{self, Exits};
use annulus_abi::launch::{BlockRecord, DoorbellRecord, LaunchRecord, scratch_bytes};
use annulus_abi::{
    control::command,
    kernel::{KernelLayout, KernelShape},
    ring::{Envelope, call_at, kind},
};
use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_ring::{
    region::Region,
    ring::{Callers, Consumer, Header, Look, Producers, Reply, Ring, SlotReservation},
};
use annulus_runtime::{
    device_print,
    prelude::{Failure, Outbox, ThisActor},
};
use annulus_sync::Ordering;

const MESSAGES: u64 = 40;
/// Places that a producer has reserved behind them, and not yet published.
const PENDING: u32 = 3;
/// Messages behind them that a host publishes while the epoch runs, where there is one.
const LATE: u64 = 20;
/// The kernel's actors.
pub const ACTORS: u64 = 5;
/// Places for prints: fewer than there are messages that print.
const PRINTS: u64 = 32;

/// Threads of the block, where it has no whole warp; and where one looks for work, with another one beside it.
pub const THREADS: u32 = 4;
/// See [`THREADS`].
pub const WARP_THREADS: u32 = 64;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Item {
    #[ring(key)]
    pub key: u32,
    pub producer: u32,
    pub sequence: u64,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Counted {
    pub key: u32,
    pub producer: u32,
    pub sequence: u64,
    pub count: u64,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Count {
    pub count: u64,
}

/// Counts each actor's messages; fails on a sequence number that is a multiple of 100, after it has counted,
/// printed and sent.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64, max_outputs = 2)]
pub fn count(item: &Item, count: &mut Count, replies: &Outbox<Counted>) -> Result<(), Failure> {
    count.count += 1;
    device_print!("{} of {}: {}", item.sequence, item.key, count.count);
    replies.send(Counted {
        key: item.key,
        producer: item.producer,
        sequence: item.sequence,
        count: count.count,
    });
    if item.sequence % 100 == 0 {
        return Err(Failure::of(7));
    }
    Ok(())
}

/// The same where all keys have actors, and each of them ends with its third message that goes well.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64, max_outputs = 2)]
pub fn depart(
    item: &Item,
    count: &mut Count,
    actor: &ThisActor,
    replies: &Outbox<Counted>,
) -> Result<(), Failure> {
    count.count += 1;
    device_print!("{} of {}: {}", item.sequence, item.key, count.count);
    replies.send(Counted {
        key: item.key,
        producer: item.producer,
        sequence: item.sequence,
        count: count.count,
    });
    if count.count == LAST {
        actor.end();
    }
    if item.sequence % 100 == 0 {
        return Err(Failure::of(7));
    }
    Ok(())
}

/// After so many messages an actor of [`depart`](struct@depart) ends.
const LAST: u64 = 3;

/// How actors of [`depart`](struct@depart) go.
const EXITS: Exits = Exits { evicted: false, ended: true };

/// What stands behind a CUDA program's text to make it one that runs the epoch on
/// [threads](crate::cuda::on_threads): it reads [`Epoch::arguments`] from one file and writes the shard to
/// another.
pub const CUDA_END: &str = include_str!("cuda/epoch.cpp");

/// The kernel that the epoch is of.
pub const KERNEL: &KernelDefinition = count::DEFINITION;

/// The kernel of an epoch of [sparse keys](Epoch::of_sparse_keys).
pub const SPARSE: &KernelDefinition = depart::DEFINITION;

/// Whether a message is a call: the first of its slot.
fn is_call(number: u64) -> bool {
    number % 7 == 0
}

/// What one shard of the kernel has.
pub fn layout() -> KernelLayout {
    KernelLayout::new(&KernelShape {
        inbound_capacity: 256,
        outbound_capacity: 128,
        message: (size_of::<Item>(), align_of::<Item>()),
        output: (size_of::<Counted>(), align_of::<Counted>()),
        envelope: Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false },
        dead_letters_capacity: 16,
        prints_capacity: PRINTS as u32,
        print_words: 3,
        histogram: true,
        ports: 0,
    })
}

/// What a launch of the kernel in so many blocks fixes, but for what says how it idles and ends.
pub fn launch(layout: &KernelLayout, grid: u32) -> LaunchRecord {
    let limit = 16;
    let credit = 2;
    LaunchRecord {
        actors: ACTORS,
        actors_per_block: ACTORS.div_ceil(u64::from(grid)),
        scratch_stride: scratch_bytes(2, limit, credit, layout, false, 0),
        grid,
        limit,
        credit,
        ..LaunchRecord::of_layout(layout)
    }
}

/// The epoch before it runs, and after.
#[derive(Debug)]
pub struct Epoch {
    shard: Shard,
    layout: KernelLayout,
    launch: LaunchRecord,
    late: Vec<u8>,
    /// Whether keys are sparse.
    sparse: bool,
}

impl Epoch {
    /// Memory as the host leaves it: the messages are in the ring, and the kernel is active. With a host
    /// beside it there are [late](Self::late) messages, too, and the epoch lasts until they have been
    /// handled.
    pub fn new(sealed: bool, beside_host: bool) -> Self {
        Self::of(if sealed { layout().sealed() } else { layout() }, beside_host, false)
    }

    /// The same of [`SPARSE`], whose program is compiled for sparse keys, beside a host.
    pub fn of_sparse_keys() -> Self {
        Self::of(layout().counting_actors(), true, true)
    }

    fn of(layout: KernelLayout, beside_host: bool, sparse: bool) -> Self {
        let mut shard = Shard::new(layout.shard_bytes());
        let region = shard.region();
        // SAFETY: one set of producers, no consumer on this side; the memory lives to the end.
        let inbound = unsafe {
            Ring::new(region.part(layout.inbound_offset(), layout.inbound.bytes()), layout.inbound)
        };
        // SAFETY: as above.
        let producers = unsafe { Producers::new(inbound) };
        let write = |slots: &mut SlotReservation<'_>, number: u64, command| {
            let item = Item { key: (number % (ACTORS + 1)) as u32, producer: 1, sequence: number * 25 };
            let correlation = if is_call(number) { call_at(number as u32, 1) } else { 0 };
            slots.write(item, Header { enqueue_time: 5, correlation, command, ..Header::default() });
        };
        let active = command::ACTIVE | command::TELEMETRY;
        region.u32(0).store(active, Ordering::Relaxed);
        for number in 0..MESSAGES {
            write(&mut producers.reserve(1).unwrap(), number, active);
        }
        // A turn looks at them, too, and must not take them.
        let mut pending = producers.reserve(if beside_host { LATE as u32 } else { PENDING }).unwrap();
        let mut late = Vec::new();
        if beside_host {
            let now = shard.bytes().to_vec();
            for number in 0..LATE {
                write(&mut pending, MESSAGES + number, active | (number as u32 + 1) << command::EPOCH_SHIFT);
            }
            late = shard.bytes().to_vec();
            shard.bytes().copy_from_slice(&now);
        }
        std::mem::forget(pending);

        let launch = LaunchRecord {
            idle_polls: 1,
            epoch_messages: if beside_host { (MESSAGES + LATE) as u32 } else { 1000 },
            epoch_polls: if beside_host { 1 << 20 } else { 3 },
            patience: 10,
            patience_polls: 10,
            ..launch(&layout, 1)
        };
        let places = if sparse { ACTORS + 1 } else { ACTORS };
        let launch = LaunchRecord { actors: places, actors_per_block: places, ..launch };
        Self { shard, layout, launch, late, sparse }
    }

    /// The same, one message in a turn: with sealed slots the leader takes even those alone that wait together.
    #[must_use]
    pub fn one_by_one(mut self) -> Self {
        self.launch.limit = 1;
        self
    }

    /// The same, as of a block that stays: its looks follow each other until something else is due. It ends as
    /// soon as all messages have been handled.
    #[must_use]
    pub fn in_rows(mut self) -> Self {
        // So that it never naps, which no host would end.
        self.launch.idle_polls = 1 << 20;
        self.launch.epoch_polls = 0;
        self
    }

    /// The bytes behind each of the entry's pointers, in its order. The first is the shard, which the epoch
    /// changes.
    pub fn arguments(&mut self) -> [Vec<u8>; 7] {
        // SAFETY: all zeros is what a record is before its first launch.
        let mut record: BlockRecord = unsafe { std::mem::zeroed() };
        record.epoch = 1;
        let mut states = ACTORS as usize * size_of::<Count>();
        if self.sparse {
            // One more as it begins, and the table behind.
            let places = self.launch.actors_per_block;
            states = (places as usize + 1) * size_of::<Count>();
            states = states.next_multiple_of(16) + 8 * actors::words(places, EXITS) as usize;
        }
        [
            self.shard.bytes().to_vec(),
            vec![0; 64],
            bytes_of(&record).to_vec(),
            bytes_of(&self.launch).to_vec(),
            vec![0; states],
            vec![0; self.launch.scratch_stride as usize],
            vec![0; size_of::<DoorbellRecord>()],
        ]
    }

    /// The shard as it would be if the messages had been published for which places are reserved, each sent
    /// after a command of its own: what a host may publish meanwhile. Empty without one.
    pub fn late(&self) -> &[u8] {
        &self.late
    }

    /// Holds what the epoch left in the shard to what it should be.
    ///
    /// # Panics
    ///
    /// If it is anything else.
    pub fn check(mut self, shard: &[u8]) {
        self.shard.bytes().copy_from_slice(shard);
        let messages = if self.late.is_empty() { MESSAGES } else { MESSAGES + LATE };
        check(&mut self.shard, &self.layout, messages, self.sparse);
    }
}

/// A record as bytes.
pub fn bytes_of<T>(record: &T) -> &[u8] {
    // SAFETY: records have no padding, as their twins in the device runtime check, and are read for as long
    // as they are borrowed.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(record).cast(), size_of::<T>()) }
}

/// Host memory that is aligned as rings want it.
#[derive(Debug)]
struct Shard {
    pairs: Vec<[u128; 8]>,
    bytes: usize,
}

impl Shard {
    fn new(bytes: usize) -> Self {
        Self { pairs: vec![[0; 8]; bytes.div_ceil(128) + 1], bytes }
    }

    fn base(&mut self) -> *mut u8 {
        let start = self.pairs.as_mut_ptr().cast::<u8>();
        start.wrapping_add(start.align_offset(128))
    }

    fn region(&mut self) -> Region {
        let base = NonNull::new(self.base()).unwrap();
        // SAFETY: aligned, and one element longer than asked for; it outlives the test's rings.
        unsafe { Region::new(base, self.bytes) }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: initialised, and one element longer than asked for.
        unsafe { std::slice::from_raw_parts_mut(self.base(), self.bytes) }
    }
}

/// What the epoch left is what it should be.
fn check(shard: &mut Shard, layout: &KernelLayout, messages: u64, sparse: bool) {
    let region = shard.region();
    // SAFETY: the kernel has ended; this is the ring's one consumer.
    let outbound =
        unsafe { Ring::new(region.part(layout.outbound_offset(), layout.outbound.bytes()), layout.outbound) };
    // SAFETY: as above.
    let mut outbound = unsafe { Consumer::new(outbound) };
    let replies = layout.replies.expect("there are calls");
    // SAFETY: as above.
    let replies = unsafe { Ring::new(region.part(layout.replies_offset(), replies.bytes()), replies) };
    // SAFETY: as above.
    let callers = unsafe { Callers::new(replies) };
    let actors = if sparse { ACTORS + 1 } else { ACTORS };
    let mut counts = [0u64; ACTORS as usize + 1];
    let (mut failed, mut unknown) = (0, 0);
    for number in 0..messages {
        let (key, sequence) = (number % (ACTORS + 1), number * 25);
        let code = if key == actors {
            unknown += 1;
            0xFF03
        } else if sequence % 100 == 0 {
            failed += 1;
            7
        } else {
            counts[key as usize] += 1;
            0
        };
        let (found, counted) = if is_call(number) {
            // SAFETY: its message had this ticket, and there was no other call.
            let call = unsafe { callers.begin(number) }.expect("the slot is free");
            assert_eq!(call.word(), call_at(number as u32, 1));
            let read = |reply: Reply<'_>| {
                // SAFETY: the kernel writes `Counted` into messages.
                let counted = (reply.kind == kind::MESSAGE).then(|| unsafe { reply.read::<Counted>() });
                ((reply.kind, reply.length), counted)
            };
            let Look::Reply(reply) = callers.take(call, read) else { panic!("no reply to call {number}") };
            reply
        } else if code == 0 {
            let slot = outbound.peek().expect("an output of each message that has one");
            // SAFETY: the slot was just peeked, and the kernel writes `Counted`.
            let counted = unsafe { outbound.read::<Counted>(&slot) };
            outbound.advance(&slot);
            ((slot.kind, slot.length), Some(counted))
        } else {
            continue;
        };
        if code != 0 {
            assert_eq!(found, (kind::FAILED, code), "message {number}");
        } else {
            assert_eq!(found, (kind::MESSAGE, size_of::<Counted>() as u32), "message {number}");
            let counted = counted.expect("a message was read");
            assert_eq!((u64::from(counted.key), counted.sequence), (key, sequence));
            let count = counts[key as usize];
            let since = if sparse { (count - 1) % LAST + 1 } else { count };
            assert_eq!(counted.count, since, "message {number}");
        }
    }
    assert!(outbound.peek().is_none());
    check_dead_letters(&region, layout, messages, (failed + unknown, actors));
    check_prints(&region, layout, messages, actors);
    if sparse {
        let told = |offset: usize| region.u64(layout.actors_offset() + offset).load(Ordering::Relaxed);
        let there = counts.iter().filter(|&count| count % LAST != 0).count() as u64;
        let ended = counts.iter().map(|count| count / LAST).sum::<u64>();
        let [used, evicted, told_ended] = [0, 8, 16].map(told);
        // One that has had no message that went well since it ended may be there, or not.
        assert!((there..=actors).contains(&used), "{used} of {there}");
        assert_eq!((evicted, told_ended), (0, ended));
    }
    assert_eq!(region.u64(136).load(Ordering::Relaxed), counts.iter().sum::<u64>());
    assert_eq!(
        (region.u64(144).load(Ordering::Relaxed), region.u64(152).load(Ordering::Relaxed)),
        (failed, unknown)
    );
    let consumed =
        region.part(layout.inbound_offset(), layout.inbound.bytes()).u64(128).load(Ordering::Relaxed);
    assert_eq!(consumed, messages);
}

/// Every message that failed is a dead letter.
fn check_dead_letters(region: &Region, layout: &KernelLayout, messages: u64, (expected, actors): (u64, u64)) {
    let ring = layout.dead_letters.unwrap();
    // SAFETY: the kernel has ended; this is the ring's one consumer.
    let dead_letters = unsafe { Ring::new(region.part(layout.dead_letters_offset(), ring.bytes()), ring) };
    // SAFETY: as above.
    let mut dead_letters = unsafe { Consumer::new(dead_letters) };
    // In the messages' order, as many as there is room for: nobody gives any back.
    let room = u64::from(ring.capacity).min(expected);
    let failing = (0..messages).filter(|number| number % (ACTORS + 1) == actors || number * 25 % 100 == 0);
    let mut count = 0;
    for number in failing.take(room as usize) {
        let slot = dead_letters.peek().expect("a dead letter for each message that failed");
        // SAFETY: the slot was just peeked, and the kernel copies messages.
        let item = unsafe { dead_letters.read::<Item>(&slot) };
        assert_eq!((u64::from(item.key), item.sequence), (number % (ACTORS + 1), number * 25));
        let code = if u64::from(item.key) == actors { 0xFF03 } else { 7 };
        assert_eq!((slot.kind, slot.length), (kind::DEAD_LETTER, code));
        dead_letters.advance(&slot);
        count += 1;
    }
    assert!(dead_letters.peek().is_none());
    assert_eq!(count + region.u64(176).load(Ordering::Relaxed), expected);
}

/// There are as many prints as find room, since nobody gives any back; the others are counted. Each is one of
/// a message for an actor, and of one actor they are in the messages' order.
fn check_prints(region: &Region, layout: &KernelLayout, messages: u64, actors: u64) {
    let ring = layout.prints.unwrap();
    // SAFETY: the kernel has ended; this is the ring's one consumer.
    let prints = unsafe { Ring::new(region.part(layout.prints_offset(), ring.bytes()), ring) };
    // SAFETY: as above.
    let mut prints = unsafe { Consumer::new(prints) };
    let mut next = [0; ACTORS as usize + 1];
    for print in 0..PRINTS {
        let slot = prints.peek().expect("as many prints as there is room for");
        // SAFETY: the slot was just peeked, and the kernel prints three words.
        let [sequence, key, _count] = unsafe { prints.read::<[u64; 3]>(&slot) };
        assert_eq!((slot.kind, slot.length), (kind::PRINT, 0), "print {print}");
        let number = sequence / 25;
        assert!(key < actors && number % (ACTORS + 1) == key && sequence % 25 == 0, "print {print}");
        assert!(next[key as usize] <= number, "print {print}");
        next[key as usize] = number + 1;
        prints.advance(&slot);
    }
    assert!(prints.peek().is_none());
    let printing = (0..messages).filter(|number| number % (ACTORS + 1) != actors).count() as u64;
    assert_eq!(region.u64(184).load(Ordering::Relaxed), printing - PRINTS);
}
