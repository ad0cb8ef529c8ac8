//! What the path of a message costs, counted from the machine code: each program is compiled for an
//! architecture, disassembled, and [run](crate::machine) beside a host that gives it messages. What is
//! counted stands in `docs/performance/cuda-counts.md`; `UPDATE_COUNTS=1` writes it anew.

use std::{fmt::Write, path::Path, process::Command, ptr::NonNull, sync::Mutex};

use annulus_abi::{
    control::command,
    kernel::{KernelLayout, KernelShape},
    launch::{BlockRecord, LaunchRecord, LinkRecord, scratch_bytes},
    ring::{Envelope, UNIT, UNIT_CONTENT, kind},
};
use annulus_block::ENTRY;
use annulus_kernel::RingKernel;
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_ring::{
    region::Region,
    ring::{Call, Callers, Consumer, Header, Look, Producers, Ring},
};
use annulus_runtime::prelude::Outbox;
use annulus_sync::Ordering;

use crate::{
    code::Code,
    compiler::{Effort, nvrtc, program},
    machine::{Access, Costs, Done, Machine, Owner, Range, Time},
    modelled::MICROSECOND,
};

/// Where the disassembler is: `./test` installs it and sets this.
pub(crate) const DISASSEMBLER: &str = "ANNULUS_NVDISASM";
const TABLE: &str = "../../docs/performance/cuda-counts.md";

/// Architectures, and where their kernels' parameters begin.
pub(crate) const ARCHITECTURES: [(u32, usize); 3] = [(80, 0x160), (90, 0x210), (100, 0x380)];
const THREADS: u32 = 32;
/// Messages in a turn, and in a batch.
const BATCH: u32 = 64;
pub(crate) const CAPACITY: u32 = 1024;
const ACTORS: u64 = 64;

/// Cycles of a clock of 1.98 GHz, as measured on an H200: a load of the host's memory takes 1.25 µs, a system fence 0.6, an
/// access to memory of the device's 0.16, a fence there 0.26, a barrier of 256 threads 14 ns.
pub(crate) const COSTS: Costs = Costs {
    host_load: 2475,
    device_load: 313,
    system_fence: 1188,
    device_fence: 515,
    barrier: 29,
    shared_load: 30,
    other: 20,
};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Ask {
    number: u64,
    #[ring(key)]
    key: u32,
    rest: [u32; 11],
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Sum {
    pub(crate) sum: u64,
}

/// An actor that answers 56 bytes with 56 bytes.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub(crate) fn ask(ask: &Ask, sum: &mut Sum, replies: &Outbox<Ask>) {
    sum.sum += ask.number;
    replies.send(*ask);
}

/// Memory in pairs of cache lines.
struct Memory(Vec<[u128; 8]>);

impl Memory {
    fn new(bytes: usize) -> Self {
        Self(vec![[0; 8]; bytes.div_ceil(128) + 1])
    }

    fn base(&mut self) -> *mut u8 {
        let start = self.0.as_mut_ptr().cast::<u8>();
        start.wrapping_add(start.align_offset(128))
    }

    fn range(&mut self, owner: Owner) -> Range {
        Range { base: self.base(), bytes: (self.0.len() - 1) * 128, owner }
    }

    fn fill<T>(&mut self, value: T) {
        assert!(size_of::<T>() <= (self.0.len() - 1) * 128);
        // SAFETY: inside the memory, which is aligned to 128 bytes.
        unsafe { self.base().cast::<T>().write(value) };
    }
}

/// How slots lie, and whether kernels are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Open,
    Sealed,
    Linked,
}

/// What a stretch of the path took.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stretch {
    /// To the store that publishes the last answer.
    pub(crate) answered: Time,
    /// To the next look.
    pub(crate) whole: Time,
    pub(crate) done: Done,
}

/// What a block's kernel is, and how it is launched.
pub(crate) struct Form {
    pub(crate) threads: u32,
    /// The most messages of a turn.
    pub(crate) batch: u32,
    /// Sizes and alignments; an output of `(0, 1)` is none.
    pub(crate) message: (usize, usize),
    pub(crate) output: (usize, usize),
    pub(crate) envelope: Envelope,
}

impl Form {
    /// Of [`ask`].
    pub(crate) const ASK: Self = Self {
        threads: THREADS,
        batch: BATCH,
        message: (size_of::<Ask>(), align_of::<Ask>()),
        output: (size_of::<Ask>(), align_of::<Ask>()),
        envelope: Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false },
    };
}

/// One block in its memory, and its host.
pub(crate) struct Block<'a> {
    pub(crate) machine: Machine<'a>,
    layout: KernelLayout,
    _memory: Vec<Memory>,
    region: Region,
    pub(crate) producers: Producers,
    pub(crate) answers: Consumer,
    /// Where there are calls.
    callers: Option<Callers>,
    answered: u64,
    pub(crate) device_heap: *mut u8,
    pub(crate) next: u64,
    pub(crate) sent: u64,
    called: u64,
    is_sealed: bool,
}

pub(crate) const DEVICE_LOCAL_BYTES: usize = 256 + CAPACITY as usize * 128;

impl<'a> Block<'a> {
    pub(crate) fn new(code: &'a Code, parameters: usize, slots: Kind) -> Self {
        Self::of(code, parameters, slots, COSTS, &Form::ASK)
    }

    pub(crate) fn of(code: &'a Code, parameters: usize, slots: Kind, costs: Costs, form: &Form) -> Self {
        let layout = KernelLayout::new(&KernelShape {
            inbound_capacity: CAPACITY,
            outbound_capacity: CAPACITY,
            message: form.message,
            output: form.output,
            envelope: form.envelope,
            dead_letters_capacity: 16,
            prints_capacity: 0,
            print_words: 0,
            histogram: false,
            ports: 0,
        });
        let layout = if slots == Kind::Open { layout } else { layout.sealed() };
        let inbound = layout.inbound;
        let outputs = u32::from(form.output.0 != 0);
        let mut memory: Vec<Memory> = [
            layout.shard_bytes(),
            128,
            size_of::<BlockRecord>(),
            size_of::<LaunchRecord>(),
            ACTORS as usize * size_of::<Sum>(),
            scratch_bytes(form.threads, form.batch, outputs, &layout, slots == Kind::Linked, 0) as usize,
            128,
            2 * DEVICE_LOCAL_BYTES,
            size_of::<LinkRecord>(),
        ]
        .map(Memory::new)
        .into();
        let device_heap = memory[7].base();
        let launch = LaunchRecord {
            actors: ACTORS,
            actors_per_block: ACTORS,
            grid: 1,
            limit: form.batch,
            credit: outputs,
            idle_polls: 1 << 20,
            patience: 10,
            patience_polls: 10,
            device_local: device_heap as u64,
            device_local_stride: DEVICE_LOCAL_BYTES as u64,
            device_local_slot: inbound.slot_stride as u64,
            ..LaunchRecord::of_layout(&layout)
        };
        memory[3].fill(launch);
        // SAFETY: all zeros is what a record is before its first launch.
        let mut record: BlockRecord = unsafe { std::mem::zeroed() };
        record.epoch = 1;
        memory[2].fill(record);
        if slots == Kind::Linked {
            memory[8].fill(LinkRecord {
                rings: device_heap as u64 + DEVICE_LOCAL_BYTES as u64,
                stride: DEVICE_LOCAL_BYTES as u64,
                slot_stride: inbound.slot_stride as u32,
                units: inbound.units as u16,
                time: inbound.enqueue_time_offset.expect("it was asked for") as u32,
                correlation: inbound.correlation_offset.expect("it was asked for") as u32,
                payload: inbound.payload_offset as u32,
                shift: CAPACITY.trailing_zeros(),
                grid: 1,
                waits: 1,
                ..LinkRecord::default()
            });
        }
        let owners = [
            Owner::Host,
            Owner::Host,
            Owner::Host,
            Owner::Device,
            Owner::Device,
            Owner::Device,
            Owner::Host,
            Owner::Device,
            Owner::Host,
        ];
        let ranges: Vec<Range> =
            memory.iter_mut().zip(owners).map(|(memory, owner)| memory.range(owner)).collect();
        let arguments: Vec<u64> = ranges.iter().map(|range| range.base as u64).collect();
        let arguments = if slots == Kind::Linked { &arguments[..] } else { &arguments[..7] };
        let base = NonNull::new(ranges[0].base).expect("memory has an address");
        // SAFETY: the memory lives as long as the block.
        let region = unsafe { Region::new(base, layout.shard_bytes()) };
        // SAFETY: one set of producers; the memory lives as long as the block.
        let inbound = unsafe {
            Ring::new(region.part(layout.inbound_offset(), layout.inbound.bytes()), layout.inbound)
        };
        // SAFETY: as above.
        let producers = unsafe { Producers::new(inbound) };
        // SAFETY: as above.
        let outbound = unsafe {
            Ring::new(region.part(layout.outbound_offset(), layout.outbound.bytes()), layout.outbound)
        };
        // SAFETY: one consumer; the memory lives as long as the block.
        let answers = unsafe { Consumer::new(outbound) };
        let callers = layout.replies.map(|replies| {
            // SAFETY: as above.
            let replies =
                unsafe { Ring::new(region.part(layout.replies_offset(), replies.bytes()), replies) };
            // SAFETY: the host's one end; the memory lives as long as the block.
            unsafe { Callers::new(replies) }
        });
        region.u32(0).store(command::ACTIVE, Ordering::Relaxed);
        let machine = Machine::new(code, form.threads, (parameters, arguments), ranges, costs);
        Self {
            machine,
            layout,
            _memory: memory,
            region,
            producers,
            answers,
            callers,
            answered: 0,
            device_heap,
            next: 0,
            sent: 0,
            called: 0,
            is_sealed: slots != Kind::Open,
        }
    }

    /// Takes the answers, which are what they should be: so the machine code did what it is there for.
    pub(crate) fn take_answers(&mut self) {
        while self.answered < self.sent {
            let slot = self.answers.peek().expect("each message has its answer");
            assert_eq!((slot.kind, slot.length as usize), (kind::MESSAGE, size_of::<Ask>()));
            // SAFETY: the slot was just peeked, and the kernel answers with its message.
            let answer = unsafe { self.answers.read::<Ask>(&slot) };
            let key = (self.answered % ACTORS) as u32;
            assert_eq!((answer.number, answer.key, answer.rest), (self.answered, key, [key; 11]));
            self.answers.advance(&slot);
            self.answered += 1;
        }
        assert!(self.answers.peek().is_none());
        self.answers.give_back();
    }

    /// Looks that find nothing, after which all is told that may be told late.
    pub(crate) fn rest(&mut self) {
        for _ in 0..8 {
            self.look();
        }
        assert_eq!(self.region.u64(136).load(Ordering::Relaxed), self.sent, "messages are counted");
        assert_eq!(self.producers.ring().consumed(), self.sent, "slots are given back");
        assert_eq!(self.answers.ring().reserved(), self.sent - self.called, "the gauge shows all outputs");
    }

    /// Sends messages, each to an actor of its own.
    pub(crate) fn send(&mut self, count: u32) {
        let mut slots = self.producers.reserve(count).expect("there is room");
        for _ in 0..count {
            let key = (self.sent % ACTORS) as u32;
            let ask = Ask { number: self.sent, key, rest: [key; 11] };
            slots.write(ask, Header { enqueue_time: 5, command: command::ACTIVE, ..Header::default() });
            self.sent += 1;
        }
    }

    /// Calls, as a message to an actor of its own.
    fn call(&mut self) -> Call {
        let mut slots = self.producers.reserve(1).expect("there is room");
        // SAFETY: the ticket is that of this call's message.
        let call = unsafe { self.callers().begin(slots.ticket()) }.expect("no reply waits");
        let key = (self.sent % ACTORS) as u32;
        let ask = Ask { number: self.sent, key, rest: [key; 11] };
        slots.write(
            ask,
            Header {
                enqueue_time: 5,
                correlation: call.word(),
                command: command::ACTIVE,
                ..Header::default()
            },
        );
        self.sent += 1;
        call
    }

    /// Takes the reply to a call, which is the only answer.
    fn take_reply(&mut self, call: Call) {
        // SAFETY: the kernel answers with its message.
        let reply = self.callers().take(call, |reply| (reply.kind, unsafe { reply.read::<Ask>() }));
        let Look::Reply((found, answer)) = reply else { panic!("the call has its reply: {reply:?}") };
        let key = (self.answered % ACTORS) as u32;
        assert_eq!((found, answer.number, answer.key), (kind::MESSAGE, self.answered, key));
        self.answered += 1;
        assert!(self.answers.peek().is_none());
    }

    fn callers(&self) -> &Callers {
        self.callers.as_ref().expect("calls were asked for")
    }

    /// A message from another kernel, as it writes it: a ticket, and the slot's units.
    pub(crate) fn send_device_local(&mut self) {
        let ticket = self.next as u32;
        let lap = ticket / CAPACITY + 1;
        // SAFETY: the ring between kernels begins with this word, and the machine does not touch it now.
        unsafe { self.device_heap.cast::<u32>().write(ticket + 1) };
        let image = self.device_local_image();
        let slot = self.device_local_in_slot();
        for (unit, content) in image.chunks(UNIT_CONTENT).enumerate() {
            let mut bytes = [0; UNIT];
            bytes[..content.len()].copy_from_slice(content);
            bytes[UNIT_CONTENT..].copy_from_slice(&lap.to_ne_bytes());
            // SAFETY: inside the ring between kernels, as above.
            unsafe { slot.wrapping_add(unit * UNIT).cast::<[u8; UNIT]>().write(bytes) };
        }
        self.sent += 1;
    }

    /// The image of the next message of another kernel.
    fn device_local_image(&self) -> Vec<u8> {
        let ring = &self.layout.inbound;
        let mut image = vec![0; ring.units * UNIT_CONTENT];
        let meta = u32::from(kind::MESSAGE) << 24 | size_of::<Ask>() as u32;
        image[4..8].copy_from_slice(&meta.to_ne_bytes());
        let words = [self.sent as u32, (self.sent >> 32) as u32].into_iter().chain([1; 12]);
        let payload: Vec<u8> = words.flat_map(u32::to_ne_bytes).collect();
        image[ring.payload_offset..][..payload.len()].copy_from_slice(&payload);
        image
    }

    /// Whether the block has sent on the message that it was sent last, as it is. It has been given none by its host.
    pub(crate) fn has_sent_on(&self) -> bool {
        let ring = &self.layout.inbound;
        let ticket = self.next - 1;
        let lap = (ticket / u64::from(CAPACITY) + 1) as u32;
        let place = DEVICE_LOCAL_BYTES + ring.slot_offset(ticket);
        let slot = self.device_heap.wrapping_add(place);
        let units = (0..ring.units).map(|unit| {
            // SAFETY: inside the other ring between kernels, which the machine does not touch now.
            unsafe { slot.wrapping_add(unit * UNIT).cast::<[u8; UNIT]>().read() }
        });
        let units: Vec<_> = units.collect();
        let laps = units.iter().all(|unit| unit[UNIT_CONTENT..] == lap.to_ne_bytes());
        let image: Vec<u8> = units.iter().flat_map(|unit| unit[..UNIT_CONTENT].to_vec()).collect();
        let payload = ring.payload_offset..ring.payload_offset + size_of::<Ask>();
        let number = (self.sent - 1).to_ne_bytes();
        laps && image[payload.start..][..8] == number
            && image[payload.start + 8..payload.end].chunks(4).all(|word| word == 1u32.to_ne_bytes())
    }

    pub(crate) fn device_local_in_slot(&self) -> *mut u8 {
        self.device_heap.wrapping_add(256 + (self.next % u64::from(CAPACITY) * self.stride()) as usize)
    }

    pub(crate) fn next_slot(&self) -> u64 {
        let at = self.layout.inbound.slot_offset(self.next);
        self.region.pointer(0) as u64 + (self.layout.inbound_offset() + at) as u64
    }

    /// From slot to slot of the inbound ring.
    pub(crate) fn stride(&self) -> u64 {
        self.layout.inbound.slot_stride as u64
    }

    /// Goes on to the next turn, whose first look brings the command.
    pub(crate) fn begin(&mut self) -> Access {
        let command = self.region.pointer(0) as u64;
        self.machine.run_until(|access| !access.is_store && access.address == command)
    }

    /// Goes on to the next look at the host's words. It begins with the command; where slots are sealed, with the next
    /// slot, since not every look brings the command.
    pub(crate) fn look(&mut self) -> Access {
        let command = self.region.pointer(0) as u64;
        let slot = if self.is_sealed { self.next_slot() } else { command };
        self.machine
            .run_until(|access| !access.is_store && (access.address == slot || access.address == command))
    }

    /// The turn that takes what was just sent, from this look on to the next.
    pub(crate) fn turn(
        &mut self,
        from: Access,
        taken: u64,
        answers: std::ops::Range<u64>,
        device_local: bool,
    ) -> Stretch {
        self.machine.done = Done::default();
        self.next += taken;
        let slot = if device_local { self.device_local_in_slot() as u64 } else { self.next_slot() };
        let mut answered = Time::default();
        self.machine.run_until(|access| {
            if access.is_store && answers.contains(&access.address) {
                answered = access.time;
            }
            !access.is_store && (slot..slot + 16).contains(&access.address)
        });
        let whole = self.machine.latest() - from.time;
        Stretch { answered: answered - from.time, whole, done: self.machine.done }
    }

    pub(crate) fn answers(&self) -> std::ops::Range<u64> {
        let from = self.region.pointer(0) as u64 + self.layout.outbound_offset() as u64 + 256;
        from..from + (self.layout.outbound.bytes() - 256) as u64
    }

    fn replies(&self) -> std::ops::Range<u64> {
        let ring = self.layout.replies.expect("there are calls");
        let from = self.region.pointer(0) as u64 + self.layout.replies_offset() as u64 + 256;
        from..from + (ring.bytes() - 256) as u64
    }
}

/// The machine code of a program as text. What was made of the same program before is kept, since compiling
/// takes seconds.
pub(crate) fn disassembled(program: &str, name: &str, compile: impl Fn() -> Vec<u8>) -> String {
    let disassembler = std::env::var_os(DISASSEMBLER).expect("the caller looked");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("counts");
    let [source, cubin, text] = ["cu", "cubin", "sass"].map(|kind| folder.join(format!("{name}.{kind}")));
    let source_text = format!("// {disassembler:?}\n{program}");
    if std::fs::read_to_string(&source).is_ok_and(|kept| kept == source_text)
        && let Ok(text) = std::fs::read_to_string(&text)
    {
        return text;
    }
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    // Of two tests that want the same code one makes it, and the other takes it.
    static COMPILING: Mutex<()> = Mutex::new(());
    let compiled = {
        let _only = COMPILING.lock();
        compile()
    };
    std::fs::write(&cubin, compiled).expect("a file can be written");
    let output =
        Command::new(disassembler).arg("-hex").arg(&cubin).output().expect("the disassembler starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let disassembled = String::from_utf8(output.stdout).expect("it writes text");
    std::fs::write(&text, &disassembled).expect("a file can be written");
    std::fs::write(&source, source_text).expect("a file can be written");
    disassembled
}

/// Ways that the table has a part for each of.
const KINDS: [(Kind, &str); 2] = [(Kind::Sealed, "sealed slots"), (Kind::Open, "open slots")];

#[test]
fn what_a_path_costs_is_what_the_table_says() {
    let Some(nvrtc) = nvrtc() else { return };
    if std::env::var_os(DISASSEMBLER).is_none() {
        println!("skipped: {DISASSEMBLER} names no program `nvdisasm`");
        return;
    }
    let mut rows = String::new();
    for (architecture, parameters) in ARCHITECTURES {
        let code = |kind| {
            let shape = annulus_cuda::Shape {
                threads: THREADS,
                sealed: kind != Kind::Open,
                connectable: kind == Kind::Linked,
                seals: kind == Kind::Linked,
                ..annulus_cuda::Shape::default()
            };
            let program = program(ask::DEFINITION, shape);
            let compile = || {
                let compiled = nvrtc.compile(&program, architecture, Effort::Whole);
                compiled.unwrap_or_else(|error| panic!("{error}")).cubin
            };
            let name = format!("{}-{architecture}", ["open", "sealed", "linked"][kind as usize]);
            Code::new(&disassembled(&program, &name, compile), ENTRY)
        };
        for (kind, name) in KINDS {
            let code = code(kind);
            let mut block = Block::new(&code, parameters, kind);
            // The first looks obey the command.
            for _ in 0..8 {
                block.look();
            }
            let idle = {
                let begin = block.look();
                block.machine.done = Done::default();
                let mut last = begin;
                for _ in 0..16 {
                    last = block.look();
                }
                Stretch { answered: Time::default(), whole: last.time - begin.time, done: block.machine.done }
            };
            row(&mut rows, architecture, name, "16 idle looks", idle, false);
            for round in 0..2 {
                let from = block.look();
                block.send(1);
                let answers = block.answers();
                let stretch = block.turn(from, 1, answers, false);
                block.take_answers();
                if round == 1 {
                    row(&mut rows, architecture, name, "one message", stretch, true);
                }
            }
            block.rest();
            for round in 0..2 {
                let from = block.look();
                let call = block.call();
                let replies = block.replies();
                let stretch = block.turn(from, 1, replies, false);
                block.take_reply(call);
                if round == 1 {
                    row(&mut rows, architecture, name, "one call", stretch, true);
                }
            }
            block.called += 2;
            block.rest();
            let from = block.look();
            block.send(BATCH);
            let answers = block.answers();
            let stretch = block.turn(from, BATCH.into(), answers, false);
            block.take_answers();
            block.rest();
            row(&mut rows, architecture, name, "64 messages", stretch, true);
        }
        let code = code(Kind::Linked);
        let mut block = Block::new(&code, parameters, Kind::Linked);
        for _ in 0..8 {
            block.look();
        }
        for round in 0..2 {
            let slot = block.device_local_in_slot() as u64;
            let from = block.machine.run_until(|access| !access.is_store && access.address == slot);
            block.send_device_local();
            let ring = block.device_heap as u64 + DEVICE_LOCAL_BYTES as u64;
            let stretch = block.turn(from, 1, ring + 256..ring + DEVICE_LOCAL_BYTES as u64, true);
            assert!(block.has_sent_on());
            if round == 1 {
                row(&mut rows, architecture, "between kernels", "one hop", stretch, true);
            }
        }
    }
    let table = format!("{HEADER}{rows}{FOOTER}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    if std::env::var_os("UPDATE_COUNTS").is_some() {
        std::fs::write(&path, table).expect("the file can be written");
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == table, "{TABLE} is not what it was; UPDATE_COUNTS=1 accepts this:\n{table}");
}

fn row(rows: &mut String, architecture: u32, slots: &str, what: &str, stretch: Stretch, is_answered: bool) {
    let Stretch { answered, whole, done } = stretch;
    // The marks of the design, which the table may not fall behind.
    let (loads, fences, barriers) = match (slots, what) {
        ("sealed slots", "16 idle looks") => (16, 0, 0),
        // A block that was idle takes the first message alone, and sees the others with its next look.
        ("sealed slots", "64 messages") => (3, 1, u32::MAX),
        ("sealed slots", _) => (1, 0, 2),
        ("open slots", "one message" | "one call") => (2, 1, 2),
        ("between kernels", _) => (0, 0, 0),
        _ => (u32::MAX, 1, u32::MAX),
    };
    let waits = if is_answered { answered } else { whole };
    assert!(
        waits.host_loads <= loads && waits.fences <= fences && waits.barriers <= barriers,
        "sm_{architecture}, {slots}, {what}: {waits:?}"
    );
    let pair = |to: u32, all: u32| if is_answered { format!("{to} / {all}") } else { all.to_string() };
    let micros = |time: Time| (time.cycles as f64 / MICROSECOND * 10.0).round() / 10.0;
    let modelled = if is_answered {
        format!("{:.1} / {:.1}", micros(answered), micros(whole))
    } else {
        format!("{:.1}", micros(whole))
    };
    writeln!(
        rows,
        "| sm_{architecture} | {slots} | {what} | {} | {} | {} | {} | {} | {} | {modelled} |",
        pair(answered.host_loads, whole.host_loads),
        pair(answered.fences, whole.fences),
        pair(answered.barriers, whole.barriers),
        pair(answered.device_loads, whole.device_loads),
        done.system_fences,
        done.system_operations,
    )
    .expect("a string takes text");
}

const HEADER: &str = "\
# CUDA: counts from the machine code

**No line of this page was measured.** Each program is compiled by NVIDIA's compiler for an architecture, disassembled, and run by an interpreter, instruction by
instruction; what it does is counted. A test compares this page with what it counts (`UPDATE_COUNTS=1` writes it anew).

The kernel is an actor that answers 56 bytes with 56 bytes, in a block of 32 threads, with time stamps, calls and without telemetry. Counts begin with the look
that finds the message. Of two numbers the first is up to the store that publishes the last answer, the second up to the next look; a single one is the whole stretch. *In
a row* means that each waits for the one before; what is under way at the same time counts once. The last column is a **model**, no measurement: cycles that the compiler
counted, at 1.98 GHz, and what single accesses take on an [H200](cuda.md): 1.25 µs for a load of the host's memory, 0.6 µs for a system
fence, 0.16 µs for an access to the device's memory, 0.26 µs for a fence of the device's, 14 ns for a barrier. What a store needs to reach the host is not in it.

| code | slots | what | loads of the host's memory in a row | system fences in a row | barriers | accesses to the device's memory in a row | system fences, all | accesses at the system's scope | model, µs |
|---|---|---|---|---|---|---|---|---|---|
";
const FOOTER: &str = "";
