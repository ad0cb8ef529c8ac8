//! The structures that host and device share besides control blocks and rings. Their C side is
//! `annulus-block`'s `c/records.c`, which asserts the same sizes.

use core::mem::offset_of;

use crate::{
    kernel::KernelLayout,
    ring::{RingLayout, UNIT},
};

/// Value of [`BlockRecord::telemetry`]: there is no telemetry line.
pub const NO_LINE: u64 = u64::MAX;

/// The values that a launch fixes. The host writes them before the launch, and all blocks read them.
/// `records.c` explains the fields.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[allow(missing_docs)]
pub struct LaunchRecord {
    pub shard_stride: u64,
    pub inbound: u64,
    pub outbound: u64,
    pub dead_letters: u64,
    pub histogram: u64,
    pub in_stride: u64,
    pub in_time: u64,
    pub in_correlation: u64,
    pub in_payload: u64,
    pub out_stride: u64,
    pub replies: u64,
    pub out_payload: u64,
    pub out_bytes: u64,
    pub dead_letter_stride: u64,
    pub dead_letter_payload: u64,
    pub prints: u64,
    pub print_stride: u64,
    pub actors: u64,
    pub actors_per_block: u64,
    pub clock: u64,
    pub clock_origin: u64,
    pub scratch_stride: u64,
    pub device_local: u64,
    pub device_local_stride: u64,
    pub device_local_slot: u64,
    pub in_shift: u32,
    pub out_shift: u32,
    pub dead_letter_shift: u32,
    pub print_shift: u32,
    pub grid: u32,
    pub limit: u32,
    pub credit: u32,
    pub idle_polls: u32,
    pub epoch_messages: u32,
    pub epoch_polls: u32,
    pub nap_micros: u32,
    pub patience: u32,
    pub patience_polls: u32,
    pub device_local_first: u32,
    pub in_units: u32,
    pub out_units: u32,
    pub in_trace: u64,
    pub out_trace: u64,
    pub records: u64,
    pub record_stride: u64,
    pub record_shift: u32,
    pub trace_seed: u32,
    pub in_stamp: u64,
    pub out_stamp: u64,
}

impl LaunchRecord {
    /// What the layout of a kernel's shards decides; all other fields are 0. The offset of a ring that the
    /// layout does not have is 0.
    pub fn of_layout(layout: &KernelLayout) -> Self {
        let KernelLayout { inbound, outbound, replies, dead_letters, prints, records, histogram, .. } =
            layout;
        let place = |is_there: bool, offset: usize| if is_there { offset as u64 } else { 0 };
        let shift = |ring: &RingLayout| ring.capacity.trailing_zeros();
        Self {
            shard_stride: layout.shard_bytes() as u64,
            inbound: layout.inbound_offset() as u64,
            in_stride: inbound.slot_stride as u64,
            in_time: inbound.enqueue_time_offset.unwrap_or(0) as u64,
            in_correlation: inbound.correlation_offset.unwrap_or(0) as u64,
            in_payload: inbound.payload_offset as u64,
            in_shift: shift(inbound),
            in_units: if inbound.is_sealed() { inbound.units } else { inbound.spill_bytes() / UNIT } as u32,
            outbound: layout.outbound_offset() as u64,
            out_stride: outbound.slot_stride as u64,
            out_payload: outbound.payload_offset as u64,
            out_bytes: outbound.payload_size as u64,
            out_shift: shift(outbound),
            out_units: outbound.units as u32,
            replies: place(replies.is_some(), layout.replies_offset()),
            dead_letters: place(dead_letters.is_some(), layout.dead_letters_offset()),
            dead_letter_stride: dead_letters.map_or(0, |ring| ring.slot_stride as u64),
            dead_letter_payload: dead_letters.map_or(0, |ring| ring.payload_offset as u64),
            dead_letter_shift: dead_letters.as_ref().map_or(0, shift),
            prints: place(prints.is_some(), layout.prints_offset()),
            print_stride: prints.map_or(0, |ring| ring.slot_stride as u64),
            print_shift: prints.as_ref().map_or(0, shift),
            in_trace: inbound.trace_offset.unwrap_or(0) as u64,
            out_trace: outbound.trace_offset.unwrap_or(0) as u64,
            records: place(records.is_some(), layout.records_offset()),
            record_stride: records.map_or(0, |ring| ring.slot_stride as u64),
            record_shift: records.as_ref().map_or(0, shift),
            in_stamp: inbound.stamp_offset.unwrap_or(0) as u64,
            out_stamp: outbound.stamp_offset.unwrap_or(0) as u64,
            histogram: place(*histogram, layout.histogram_offset()),
            device_local_stride: inbound.bytes() as u64,
            device_local_slot: inbound.slot_stride as u64,
            ..Self::default()
        }
    }
}

/// Where a kernel's outputs go, if not to the host. A kernel with several outboxes has one for each, in a row.
/// The host writes it while every block of the kernel is inactive, before it commands them to be active. Blocks
/// read it when they obey a command, and when they are launched. `records.c` explains the fields.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
#[allow(missing_docs)]
pub struct LinkRecord {
    pub rings: u64,
    pub stride: u64,
    pub slot_stride: u32,
    pub units: u16,
    pub stamp: u16,
    pub time: u32,
    pub trace: u32,
    pub correlation: u32,
    pub bytes: u32,
    pub payload: u32,
    pub tag_place: u16,
    pub tag_bytes: u16,
    pub shift: u32,
    pub grid: u32,
    pub waits: u32,
    pub tag: u32,
}

/// The most asks of a block whose answers have not come.
pub const MOST_ASKS: u32 = 64;

/// How many places for answers a block has, if there is room for so many timers.
pub const fn asks_of(timers: u32) -> u32 {
    if timers < MOST_ASKS { timers } else { MOST_ASKS }
}

/// Where the answers are to what a kernel asks. It stands behind the [`LinkRecord`]s, and is written and read as they are.
/// `records.c` explains the fields.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
#[allow(missing_docs)]
pub struct AskRecord {
    pub landings: u64,
    pub stride: u64,
    pub payload: u32,
    pub first: u32,
    pub stamp: u32,
    pub unused: [u32; 9],
}

/// The largest number of outputs of one turn, for a connectable kernel whose blocks have several threads.
/// Each output is compared with all others, so that those for one shard get tickets in a row.
pub const MOST_PARCELS: u32 = 512;

/// One block's private state between epochs, and the words that it uses to sleep and to end. All zero before
/// the first launch.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct BlockRecord {
    /// Used only by the block.
    pub state: [u64; 29],
    /// Written by the block, before `answer`: the time on its clock.
    pub time: u64,
    /// Written by the block, after the acknowledgement itself: how many commands it has acknowledged,
    /// wrapping. It shows a host that looks only now and then that a command was obeyed, even if the next
    /// command undid it.
    pub obeyed: u32,
    /// Written by the block: the value of `question` that it has answered.
    pub answer: u32,
    /// Written by the block: 1 while it naps, or is about to.
    pub asleep: u32,
    /// Written by the block as its last action: the epoch that it has ended.
    pub ended: u32,
    /// Written by the host: changes when a nap must end.
    pub wake: u32,
    /// Written by the host before a launch: the number of the epoch that begins.
    pub epoch: u32,
    /// Written by the host before the first launch: the offset of the shard's line in the telemetry arena, or
    /// [`NO_LINE`].
    pub telemetry: u64,
    /// Written by the host: the epoch that a staying block is asked to leave, to be launched again later.
    /// Never 0 when the host asks.
    pub leave: u32,
    /// Written by the host: changes when the host asks the block for the time on its clock.
    pub question: u32,
    /// Written by the host: the device clock's value when the runtime's clock shows 0, wrapping. 0 stands for
    /// the value of the launch.
    pub origin: u64,
    /// Written by the host: the epoch whose blocks must stop waiting for each other, since some of them do
    /// not run. Never 0 when the host asks for this.
    pub abandoned: u32,
    /// Rest of the host's pair of lines.
    pub host_padding: [u32; 23],
    /// Written by the block, relaxed: what it is at, as [`At::of_words`](crate::vitals::At::of_words) reads it.
    /// The phase is in the low 4 bits, the count in the next 12, the number above.
    pub at: u64,
    /// Written by the block, relaxed, before `at`: the key of the message that it handles.
    pub key: u64,
    /// Used only by the block, between epochs: its hybrid clock, if messages carry stamps.
    pub stamp: u64,
    /// Written by the block, relaxed: how many rounds have begun, if the launch goes in rounds.
    pub rounds: u64,
    /// Used only by the block, between epochs: where its part of the round ends, of the host's messages.
    pub round_end: u64,
    /// The same of what kernels have sent.
    pub round_end_near: u64,
    /// Written by the block at the end of an epoch, relaxed: 1 if it waits for the next round. Nothing is left of its part,
    /// and somebody's part is open; so what lies in its rings is no work until another block has done some.
    pub round_waits: u32,
    /// Rest of the pair of lines.
    pub at_padding: [u32; 19],
}

/// Where blocks wake the host, on devices that can.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct DoorbellRecord {
    /// Written by the host: 1 while it sleeps and any progress must wake it; 2 while it sleeps and only dead
    /// letters and prints must wake it; else 0.
    pub asleep: u32,
    /// Not 0 since somebody rang. Written by any ringer; the host clears it.
    pub rung: u32,
}

/// The barrier words of a kernel whose blocks take their turns in step. The host zeroes them before the first
/// launch; after that only the blocks write them.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct StepRecord {
    /// How many blocks have come since the barrier last opened, and their votes.
    pub arrived: [u32; 32],
    /// Changes when all blocks have come.
    pub opened: [u32; 32],
}

/// Bytes of a block's scratch memory, a multiple of 128: the twin of `ann_cut_scratch`. The block has
/// `threads` threads, its turn takes up to `limit` messages, and each message may send `max_outputs`. A block
/// of one thread needs scratch memory only if its kernel is connectable, or for a call that may send several
/// outputs. If it goes on while outputs wait, there is room for `hold` outputs, instead of what a turn may send. Where calls go through pipelines, an output carries its call's
/// address; where messages carry traces, its trace; and where they carry stamps, its stamp.
pub const fn scratch_bytes(
    threads: u32,
    limit: u32,
    max_outputs: u32,
    layout: &KernelLayout,
    connectable: bool,
    hold: u32,
) -> u64 {
    const REPLY: u64 = 16;
    const JOB: u64 = 32;
    const OWNER: u64 = 4;
    const PARCEL: u64 = 28;
    let message = layout.inbound.image_stride() as u64;
    const CARRIED: u64 = 8;
    let carried = if layout.landings.is_some() { CARRIED } else { 0 };
    let traced = if layout.records.is_some() { CARRIED } else { 0 };
    let stamped = if layout.outbound.stamp_offset.is_some() { CARRIED } else { 0 };
    let output = (layout.outbound.payload_size as u64).next_multiple_of(8) + carried + traced + stamped;
    let outputs = max_outputs as u64 * output;
    let parcels = if connectable { max_outputs as u64 * PARCEL } else { 0 };
    let answers = if max_outputs > 1 { max_outputs as u64 } else { 1 };
    let each = match (threads, connectable) {
        (1, false) => 0,
        (1, true) => outputs,
        _ => message + outputs + parcels + answers * REPLY + JOB + OWNER,
    };
    let call = if threads == 1 && layout.replies.is_some() && max_outputs > 1 { outputs } else { 0 };
    let all = if hold != 0 { hold as u64 * output } else { limit as u64 * each };
    (all + call).next_multiple_of(128)
}

/// Bytes of a block's timers, a multiple of 128: the twin of `ANN_TIMER_BYTES`. They are the end of the block's
/// scratch memory. There is room for `timers` messages to itself, each in a slot like those of its inbound ring,
/// and one more slot, of the message whose time has come. A kernel with messages that nobody sends has one slot
/// more, `places` together. Behind them is the table of asks, if the handler `asks`.
pub const fn timer_bytes(timers: u32, places: u32, asks: bool, layout: &KernelLayout) -> u64 {
    const HEAD: u64 = 64;
    const ASK: u64 = 8;
    const ENTRY: u64 = 16;
    let slots = places as u64 * layout.inbound.slot_stride as u64;
    let table =
        if asks { size_of::<AskRecord>().next_multiple_of(128) as u64 + MOST_ASKS as u64 * ASK } else { 0 };
    (HEAD + (timers as u64 + 1) * ENTRY).next_multiple_of(128) + slots.next_multiple_of(128) + table
}

const _: () = {
    assert!(size_of::<LaunchRecord>() == 320);
    assert!(size_of::<LinkRecord>() == 64);
    assert!(size_of::<AskRecord>() == 64);
    assert!(size_of::<BlockRecord>() == 512);
    assert!(offset_of!(BlockRecord, at) == 384);
    assert!(offset_of!(BlockRecord, key) == 392);
    assert!(offset_of!(BlockRecord, rounds) == 408);
    assert!(offset_of!(BlockRecord, round_waits) == 432);
    assert!(size_of::<StepRecord>() == 256);
    assert!(offset_of!(StepRecord, opened) == 128);
    assert!(offset_of!(BlockRecord, obeyed) == 240);
    assert!(offset_of!(BlockRecord, asleep) == 248);
    assert!(offset_of!(BlockRecord, ended) == 252);
    assert!(offset_of!(BlockRecord, wake) == 256);
    assert!(offset_of!(BlockRecord, epoch) == 260);
    assert!(offset_of!(BlockRecord, telemetry) == 264);
    assert!(offset_of!(BlockRecord, time) == 232);
    assert!(offset_of!(BlockRecord, answer) == 244);
    assert!(offset_of!(BlockRecord, leave) == 272);
    assert!(offset_of!(BlockRecord, question) == 276);
    assert!(offset_of!(BlockRecord, origin) == 280);
    assert!(offset_of!(BlockRecord, abandoned) == 288);
};
