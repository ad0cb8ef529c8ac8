//! The device runtime: the dispatch loop around a handler, written once in the C that all dialects share.
//!
//! A device program is put together of four texts: the dialect's [prelude](OPENCL_PRELUDE) with the [interface](INTERFACE) that
//! handlers see, what Rust's operators mean, the handler, and the [runtime](RUNTIME). In front stand the launch's own macros:
//!
//! | macro | meaning |
//! |---|---|
//! | `ANN_LAUNCH_THREADS` | threads of a block |
//! | `ANN_LAUNCH_LINKED` | 1: the kernel may be connected to others |
//! | `ANN_LAUNCH_SUPERSTEPS` | defined: the blocks take their turns in step |
//! | `ANN_LAUNCH_PORTABLE` | 1: do without what only some systems have (naps, a clock, the bell) |
//! | `ANN_LAUNCH_SEALED` | 1: the slots of the inbound ring are sealed, which takes several threads and CUDA; 0, or not there: they are open |
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
//! # Sealed slots
//!
//! With open slots a message takes two waits of a device that is far from its host: for the commit word, and after a fence for the payload. Where
//! the host seals the inbound ring's slots (`annulus_queue::sealed`; `ANN_LAUNCH_SEALED`), one is enough. Each unit of a slot carries the lap, and is loaded in
//! one access of 16 bytes; a slot all of whose units have the expected lap is there, whole, in whatever order they were loaded. What of a turn differs:
//!
//! 1. *Begin*. With the command and the gauge the leader loads the next slot: all of its units if it has up to eight, else the first. If all have
//!    the lap, it writes their contents, the slot's *image*, to scratch memory.
//! 3. *Bring sealed*, in place of *look, bring*. Each thread loads its share of the units of the other slots that may be published, and writes to scratch
//!    memory the contents of those that have the lap; a message with a unit that has not ends what was found. A barrier; the leader *accepts*; a barrier. If
//!    one message waits, nothing is loaded here.
//!
//! From then on a message is the image in scratch memory, with open and with sealed slots: the same words at the same offsets, but that of a sealed slot the first
//! is the stamp, and not the lap. The macro is of the launch, not the record, so that kernels without it have nothing of this in their programs.
//!
//! No acquire goes before the contents. What else it was for:
//!
//! * *The command*. A message that was sent after a command is handled after it. A message's stamp is the command as its sender found it. If it is the
//!   command which this turn has seen, whether before or after the units, then this is in force: the sender had not seen a later one, and an earlier one was seen. If
//!   it is another, whoever loaded it fences, and after the barrier the leader looks at the command once more before it accepts: one more wait, for messages
//!   around a command, and for tombstones, whose stamp is 0.
//! * *The inbound gauge* is a hint with open slots, too: it may be older than the slots.
//! * *States and bound memory* are written by the host while a kernel is inactive, and ordered by the command that follows. *Places that were
//!   given back* in other rings are acquired there.
//! * *Slots are given back* after all loads: a unit's lap is looked at before the barrier, and `consumed` is stored with release after it.
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
//! *Others that do not run.* A device may begin a block only when another one has ended, and then the barrier never opens. A host that finds that out stores the epoch in all
//! records' `abandoned`; a leader that waits looks there now and then, gives up, and ends. The words are then not as they began: the kernel is lost.
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
//! # Between kernels
//!
//! A kernel that was launched so that it may be connected (`ANN_LAUNCH_LINKED`) has a second inbound ring in each block, in memory of the device that all such kernels
//! reach and the host leaves alone, and may have a kernel whose blocks' second rings its outputs go to.
//!
//! | words | written by | read by |
//! |---|---|---|
//! | [`LinkRecord`](layout::LinkRecord) | host, while all blocks of the kernel are inactive | leader, after it has loaded a new command (*command*), and at the launch |
//! | second ring's `reserved`: the next ticket; bit 31: closed | any leader or thread of a sending kernel, by compare-and-swap; the receiving block's leader closes it | all of these |
//! | its slots | the sending block's threads, for tickets that the block took | the receiving block's threads |
//! | its `consumed` | the receiving block's leader | sending blocks |
//! | `forwarded`, `unforwarded`, `stalled` | leader of the sending block | host |
//! | `taken`, `rested`, `unread` | leader of the receiving block | host |
//!
//! Tickets have 31 bits, and the lap in a slot's commit word is that of its ticket: `(ticket >> shift) + 1`. They begin anew after 2³¹; capacities divide that.
//!
//! **Sending.** What a handler sends, unless its message is a call's, lies in the block's scratch memory when it has succeeded (*held*), and leaves after the turn's messages. Who sends
//! loads `reserved`; if it is closed, the output is lost, and counted. Then it loads `consumed` (*near-returned*, acquire), and takes as many tickets as there is room for, by a
//! compare-and-swap that orders nothing: it succeeds only if nobody took tickets meanwhile, and `consumed` only grows, so the room is there. (If `reserved` is so much older than
//! `consumed` that more than a whole ring seems taken, it is loaded again.) It counts them as `forwarded`, writes the slots, fences, and stores the commit words (*near-published*, release). The
//! acquire of `consumed` came before, so what the receiving block read in these slots was read before they are written.
//!
//! With one thread, outputs go in order, and those in a row for the same block take their tickets together; the first that finds no room ends it (without keys: the first that finds none in any
//! block). With several threads there are four steps with barriers between: each thread finds the block of its share of the outputs; each numbers its share among those for the same
//! block, and whoever has the last of those takes tickets for all; each copies its share of words and envelopes, while the leader counts; each fences and publishes its share. Outputs for one block thus keep their order, in
//! which those that found no room come first the next time, since until then nothing else is sent; outputs without a key may go to another block then, and so overtake each other.
//!
//! A block that is inactive sends nothing, so that the host knows what went where when it changes the link. A block that holds outputs takes no message, says `stalled`, and tries again with each turn: as for credit, but no host is needed for it to go on where kernels stay. If the kernel is connected no more, they go to the host.
//!
//! **Receiving.** A turn takes from one of the two rings. The leader looks at the second one's next slot; whoever has found it published fences (*near-published*, acquire). If four looks found nothing,
//! or eight turns in a row came from there, the turn looks at the host's words, as above. Slots are given back by `consumed` (*near-returned*, release) after the turn; whoever reads slots has done so by then, for the barrier is behind it.
//! Within such turns commands are obeyed between turns, that is after eight of them at most.
//!
//! **The end.** A block that obeys *terminate*, or gives up, sets the closed bit in the same word that tickets come from: so no ticket is given after it has read how many there were, and what it has not taken of them is `unread`. Their
//! slots may be written still; the memory lives as long as any kernel that was connected to it.
//!
//! **For the host.** `forwarded` is stored before the messages are published, `taken` after the turn that took them has counted what it sent itself, and before it says that it is `stalled`; both without ordering, since a wait for the host's
//! memory would cost more than all the rest. When a block finds nothing, it stores `taken` once more as `rested`, with release at the system's scope: whoever acquires that sees all that the block had done,
//! and, since it had acquired its messages from other blocks, what those had counted before they sent them. What a host makes of that stands in `annulus_runtime`'s links.
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
//!
//! # Who runs
//!
//! Before each start the host changes every block's `question`, and a block answers it before its first turn: by that the host sees which blocks have begun. A kernel that was
//! launched to stay, and of which some have not, is asked to leave, and goes on in epochs: once it has left, the host writes the epochs' bounds into the
//! launch's record.

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
    include_str!("runtime/2_sealed.c"),
    "\n",
    include_str!("runtime/3_links.c"),
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
