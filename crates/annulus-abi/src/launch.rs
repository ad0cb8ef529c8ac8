//! What host and device tell each other besides control blocks and rings: the Rust side of the structures in
//! `annulus-block`'s `c/records.c`, which asserts the same sizes.

use core::mem::offset_of;

use crate::kernel::KernelLayout;

/// No telemetry line, in [`BlockRecord::telemetry`].
pub const NO_LINE: u64 = u64::MAX;

/// What a launch fixes. Written by the host before the launch, read by all blocks; the fields are explained
/// in `records.c`.
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
}

/// Where a kernel's outputs go, if not to the host. Written by the host while every block of the kernel is
/// inactive, before it commands them to be active; read by blocks when they obey a command, and when they are
/// launched. The fields are explained in `records.c`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
#[allow(missing_docs)]
pub struct LinkRecord {
    pub rings: u64,
    pub stride: u64,
    pub slot_stride: u64,
    pub time: u64,
    pub correlation: u64,
    pub payload: u64,
    pub shift: u32,
    pub grid: u32,
    pub waits: u32,
    pub reserved: u32,
}

/// The most outputs of a turn of several threads whose kernel may be connected: each is compared with all
/// others, so that those for one shard get tickets in a row.
pub const MOST_PARCELS: u32 = 512;

/// One block's private state between epochs, and the words by which it sleeps and ends. All zero before the
/// first launch.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct BlockRecord {
    /// The block's alone.
    pub state: [u64; 29],
    /// Written by the block, before `answer`: what its clock showed then.
    pub time: u64,
    /// Written by the block, after the acknowledgement itself: how many commands it has acknowledged,
    /// wrapping. By it a host that looks now and then sees that a command was obeyed, though the next one
    /// undid it.
    pub obeyed: u32,
    /// Written by the block: the `question` that it has answered.
    pub answer: u32,
    /// Written by the block: 1 while it naps, or is about to.
    pub asleep: u32,
    /// Written by the block, last of all that it does: the epoch that it has ended.
    pub ended: u32,
    /// Written by the host: changes when a nap must end.
    pub wake: u32,
    /// Written by the host before a launch: the epoch that begins.
    pub epoch: u32,
    /// Written by the host before the first launch: from the telemetry arena's start to the shard's line, or
    /// [`NO_LINE`].
    pub telemetry: u64,
    /// Written by the host: the epoch that a block which stays is asked to leave, to be launched again. Never
    /// 0 where it is asked.
    pub leave: u32,
    /// Written by the host: changes when the block is asked for the time on its clock.
    pub question: u32,
    /// Written by the host: what the device's clock shows when the runtime's shows 0, wrapping; 0 for what
    /// the launch said.
    pub origin: u64,
    /// Written by the host: the epoch whose blocks do not wait for each other any more, since some of them do
    /// not run. Never 0 where it is meant.
    pub abandoned: u32,
    /// Rest of the host's pair of lines.
    pub host_padding: [u32; 23],
}

/// Where blocks wake the host, on devices that can.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct DoorbellRecord {
    /// Written by the host: 1 while it sleeps and wants to hear of progress, 2 while it sleeps and wants to
    /// hear of dead letters and prints alone.
    pub asleep: u32,
    /// Not 0 since somebody rang. Written by any ringer, and cleared by the host.
    pub rung: u32,
}

/// What the blocks of a kernel that takes its turns in step tell each other: they alone write it, and the
/// host zeroes it before the first launch.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct StepRecord {
    /// Blocks that have come since the barrier was opened last, and their votes.
    pub arrived: [u32; 32],
    /// Changes when all have come.
    pub opened: [u32; 32],
}

/// Bytes of the scratch memory of a block of so many threads whose turn takes up to `limit` messages, of
/// which each may send `max_outputs`: the twin of `ann_cut_scratch`. A multiple of 128. A block of one thread
/// needs it only if its kernel may be connected, or for the outputs of one call if these may be several.
pub const fn scratch_bytes(
    threads: u32,
    limit: u32,
    max_outputs: u32,
    layout: &KernelLayout,
    connectable: bool,
) -> u64 {
    const REPLY: u64 = 16;
    const JOB: u64 = 32;
    const OWNER: u64 = 4;
    const PARCEL: u64 = 24;
    let message = layout.inbound.image_stride() as u64;
    let outputs = max_outputs as u64 * (layout.outbound.payload_size as u64).next_multiple_of(8);
    let parcels = if connectable { max_outputs as u64 * PARCEL } else { 0 };
    let answers = if max_outputs > 1 { max_outputs as u64 } else { 1 };
    let each = match (threads, connectable) {
        (1, false) => 0,
        (1, true) => outputs,
        _ => message + outputs + parcels + answers * REPLY + JOB + OWNER,
    };
    let call = if threads == 1 && layout.replies.is_some() && max_outputs > 1 { outputs } else { 0 };
    (limit as u64 * each + call).next_multiple_of(128)
}

const _: () = {
    assert!(size_of::<LaunchRecord>() == 264);
    assert!(size_of::<LinkRecord>() == 64);
    assert!(size_of::<BlockRecord>() == 384);
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
