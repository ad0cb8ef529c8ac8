//! The device runtime: the dispatch loop around a handler, written once in the C that all dialects share.
//!
//! A device program is put together of four texts: the dialect's [prelude](OPENCL_PRELUDE) with the [interface](INTERFACE) that
//! handlers see, what Rust's operators mean, the handler, and the [runtime](RUNTIME). In front stand the launch's own macros:
//!
//! | macro | meaning |
//! |---|---|
//! | `ANN_LAUNCH_THREADS` | threads of a block |
//! | `ANN_LAUNCH_SUPERSTEPS` | defined: the blocks take their turns in step |
//! | `ANN_LAUNCH_PORTABLE` | 1: do without what only some systems have (naps, a clock, the bell) |
//!
//! All else that a launch decides stands in a [`LaunchRecord`](layout::LaunchRecord), so that one compiled program serves every
//! capacity, grid and mode.
//!
//! # Who writes what
//!
//! One block serves one shard. Its thread 0, the *leader*, is the only one that reads or writes words that the host touches while
//! the kernel runs, except that all threads read messages, publish outputs and print.
//!
//! | words | written by | read by |
//! |---|---|---|
//! | control block, first half: command, heartbeat | host | leader |
//! | control block, second half: state, counts, stalled, acknowledged | leader | host |
//! | inbound `reserved`, slots | host's producers | leader; payloads by the thread that handles them |
//! | inbound `consumed` | leader | host's producers |
//! | outbound slots | the thread that handled the message, for tickets that the leader gave it | host's consumer |
//! | outbound `reserved` | leader | host, as a gauge |
//! | outbound `consumed` | host's consumer | leader |
//! | ring of dead letters | leader; `consumed` by the host | host |
//! | ring of prints: slots | the thread that prints, for the ticket that it has counted | host |
//! | ring of prints: `reserved`; lost prints | leader | host, as gauges |
//! | ring of prints: `consumed` | host | leader |
//! | telemetry line, histogram | leader | host |
//! | [`BlockRecord`](layout::BlockRecord), first half | leader | host: `asleep`, `ended`, `obeyed`, `answer`, `time` |
//! | [`BlockRecord`](layout::BlockRecord), second half | host | leader |
//! | [`StepRecord`](layout::StepRecord), in the device's memory | leaders of all blocks | leaders of all blocks |
//!
//! The order is that of `annulus_queue::ring`, the pairs named there: *slot-published* (the leader looks at commit words without
//! ordering while it waits, and fences once when it has found some), *slots-returned*, *stalled*; and of `annulus_runtime`:
//! *command*, *state*. No word is the target of read-modify-writes from both sides.
//!
//! # A turn
//!
//! Between two barriers the leader works on the block's own memory, or all threads do on their shares. On a device whose host is far away
//! (a look across a bus takes a thousand times as long as one at the block's own memory) what counts is how many looks wait for each other: in
//! a block of several threads the leader's first look, all looks at slots, and all copies from slots are one wait each, whatever the number of
//! messages, and handlers touch the device's own memory alone.
//!
//! 1. *Begin* (leader). Looks at the command and at the next slot, and with several threads at the inbound ring's gauge. Acknowledges a new
//!    command: telemetry, then the state, then the command. If active and the slot is published:
//!    with one thread, counts the published slots from its position on, as many as the mode allows (continuous 1), fences and *accepts*; with
//!    several, says how many slots the others look at.
//! 2. *Barrier*. All threads learn whether the block ends, and leave the loop together if it does.
//! 3. *Look, bring* (several threads). Each thread looks at its share of those slots, and fences; a barrier; each copies its share of the words of
//!    all published slots to scratch memory, while the leader *accepts*; a barrier.
//!    To accept is to look at the command once more, since a message that was sent after a command is handled after it, and to lower the
//!    count to what there is credit for in the outbound ring. Without credit the leader says so (`stalled`), fences and looks again.
//! 4. *Handle.* With one thread: each message is called, its outputs written straight into their slots and published, its counts
//!    taken, before the next. With several, in five steps with barriers between: each thread looks up the actors of its share;
//!    each handles what it is *dealt*, with outputs put aside in scratch memory; the leader counts, and gives the answers tickets in the
//!    messages' order; each thread copies its share of the outputs' words to their slots and writes its share of the slots' headers; each
//!    fences once and publishes its share. The fence releases what all threads wrote before the barrier.
//! 5. *End* (leader). Publishes counts, the gauge of the outbound ring, telemetry, and last the slots that it gives back: whoever sees
//!    that a message was consumed sees it counted. Then rings the bell, if the host listens. A turn that found nothing waits.
//! 6. *Barrier*: every turn ends with one. (PoCL 3.1 miscompiles a loop whose leader's last part meets its first.)
//!
//! Dealing: without state, message *i* goes to thread *i* mod *T*; with actors, to thread *actor* mod *T*, so that each actor's messages
//! are handled by one thread, in order; with the kernel's one state, or memory of its own that handlers write, all go to
//! thread 0, and the other threads only carry: where the host's memory is near, such kernels are launched with one thread.
//! Commands are obeyed between turns; with one thread, between messages.
//!
//! # Prints
//!
//! A kernel that prints (`ANN_PRINTS`) has a ring of prints in each shard, whose producers are all threads of the block. A handler never waits for it.
//!
//! * When a turn takes messages, the leader grants: it knows the ticket of the turn's first print, and how many slots the host has given back
//!   (*slots-returned*, acquired; looked up again only when half of the ring may be taken). Both are constant for the turn, and the barrier
//!   after *Begin* shows them to all threads, and with them that the host has read what lay in those slots.
//! * A thread that prints counts up, atomically, a word in the block's own memory. That gives each print of the turn a number of its own, and by it a ticket, or
//!   tells it that there is no room: the print is lost. What has a ticket writes its words and publishes the slot at once (*slot-published*, release), so
//!   that the host sees what a handler printed that has not come back yet. The count orders nothing and need not: whoever got a number shares its
//!   slot with nobody, and the slot was free before the turn began.
//! * Nothing comes between counting and publishing that could fail, so no ticket that was counted stays unpublished.
//! * After the barrier that ends *Handle* the leader takes the count into account: what found room is the turn's prints, the rest is lost prints. With
//!   blocks of one thread nobody counts beside it, and the count is a plain one.
//!
//! The count stops at 2³¹ in a turn, so that it cannot wrap around and give a number twice; more lost prints than that are not counted. The arguments are evaluated before, whether there is room or not: only
//! writing them depends on it. No state is taken back: a handler that fails has printed.
//!
//! # Idle
//!
//! After `idle_polls` turns in a row that found nothing the leader naps, where the system knows naps: it notes the host's `wake`
//! word, stores `asleep`, fences, looks for work once more, and sleeps until `wake` changes (*asleep*). The host makes work, fences,
//! looks at `asleep`, and changes `wake` if it is set. Either it sees the nap, or the leader sees the work; a change that comes
//! before the sleep is found by the system. A nap ends by itself after a tenth of a second.
//!
//! The bell is the other way round (*bell*): the host stores the bell's `asleep`, fences, looks at all words, and sleeps on `rung`. A host
//! for which nobody waits asks to be woken for dead letters and prints alone, whose rings are small.
//!
//! # In step
//!
//! With `ANN_LAUNCH_SUPERSTEPS` a turn's end is a barrier of the whole grid, which all blocks reach: no block begins turn *n* + 1 before all have
//! ended turn *n*. All blocks must be resident together; the host sees to that. The barrier is four words in the device's own memory
//! and one that opens it, written by the blocks' leaders alone. A kernel without the macro has nothing of this.
//!
//! 1. A leader that does not *want to end* says so (`goes_on`), and one that was *busy* (`busy`): stores of 1, which several may make.
//! 2. It comes: adds 1 to `arrived`, in one step that releases and acquires in the device's scope (*arrived*). The last one to come knows by that that it is, and
//!    has acquired what all others had done. It reads the votes, empties the four words, and stores `opened` with release (*opened*):
//!    the step's number and, by its lower bits, what came of the votes.
//! 3. All others look at `opened` until it is another one than they saw last, with acquire.
//!
//! *Order.* What a block's threads wrote in turn *n* comes before its leader's coming, by the block's barriers; that before the last one's, since the changes
//! of `arrived` are one chain; that before `opened`; and that, by the barrier that ends a turn, before what any thread of any block does in turn *n* + 1. So relaxed
//! accesses suffice in handlers.
//!
//! *Again.* `opened` cannot change before a block has come, so what it saw last is the step that it is in. The last one to come empties `arrived` and the votes
//! before it opens, and nobody comes again, or votes, before he has seen it open. `lost` stays. The words are as they began when all blocks leave, which they do out of
//! one barrier; so the next epoch, or the next start, finds them ready, and the host zeroes them once.
//!
//! *The end.* Commands reach the blocks one after the other. One that has terminated, was asked to leave, has had its epoch or has lost its host goes on
//! taking part without messages, and votes to end; when in one step all do, all leave. Nobody is left waiting. A vote to end is kept,
//! but in epochs a block that is inactive or stalled votes for one turn alone, and looks again in the next if others go on.
//!
//! *Idle.* Turns that found nothing pass the barrier as well, and all blocks count the same ones: those in which nobody was busy. After `idle_polls` of them
//! a leader naps before it comes, until its host calls it, another leader has come, or the time is up. So whoever gets something to do wakes all others by
//! coming, and whoever was called votes *busy*, so that the next turn, which finds the message, meets nobody napping. Where the system naps on one word
//! only (futex), a nap is cut into slices of a millisecond at most, between which the leader looks at `arrived`. Of all blocks the first naps for half
//! as long as the others: it looks after the heartbeat for all, and one that finds its host gone says so by its vote (`lost`), on which all give up. An
//! ending block naps as well, so that it finds out, too, if the host dies between two commands.
//!
//! # Leaving for a while
//!
//! Some devices do nothing else that a host asks of them while kernels stay: they load no program, and give no memory. There the host asks a
//! block that stays to leave, by its record's `leave`: the epoch that it is in. A block looks there before it naps, and with every
//! sixteenth turn else; the host ends its nap. It leaves as at an epoch's end, and is launched again with the next epoch,
//! which `leave` does not name. That is no command: the host sees it by `ended`, and nobody else sees it at all.
//!
//! # The host is gone
//!
//! The host renews its heartbeat word. A leader that has found nothing to do for `patience` whole naps, between which the word never
//! changed, closes its outbound ring, says *terminated* and ends. Naps that ran their whole time are counted, not time: a host that was merely stopped, and the
//! kernel with it, is forgiven. Where there are no naps, `patience_polls` looks count as one: best effort.
//!
//! # Time
//!
//! Stamps are one per turn, and one per message where a histogram is kept. They come from the device's clock where it has one that
//! can be compared with the host's; else from the heartbeat word, and are then as coarse as its renewal.
//!
//! A device's clock drifts from the host's. Where it does, the host asks a block for the time now and then, by its record's `question`; the block
//! stores `time`, then `answer`. What the host makes of that it tells all blocks by `origin`. Blocks look there as they look at `leave`,
//! and when they are launched.
//!
//! # Epochs
//!
//! On a device where a kernel cannot stay, `epoch_messages` and `epoch_polls` bound what a block does in one launch. Whatever a block
//! keeps from turn to turn lies in its [`BlockRecord`](layout::BlockRecord), loaded at the start and stored at the end; storing
//! `ended` is the last thing that a block does.

pub mod layout;

/// What the runtime and the handler need of OpenCL C.
pub const OPENCL_PRELUDE: &str = include_str!("prelude/opencl.c");

/// What the runtime and the handler need of CUDA C++.
pub const CUDA_PRELUDE: &str = include_str!("prelude/cuda.c");

/// What handlers see of the runtime: `ann_cx` and `ann_outbox`.
pub const INTERFACE: &str = include_str!("interface.c");

/// The dispatch loop: comes last. Its entry is [`ENTRY`].
pub const RUNTIME: &str = concat!(
    include_str!("runtime/1_words.c"),
    "\n",
    include_str!("runtime/2_telemetry.c"),
    "\n",
    include_str!("runtime/3_turn.c"),
    "\n",
    include_str!("runtime/4_messages.c"),
    "\n",
    include_str!("runtime/4_steps.c"),
    "\n",
    include_str!("runtime/5_entry.c"),
);

/// The name of the program's entry.
pub const ENTRY: &str = "ann_main";
