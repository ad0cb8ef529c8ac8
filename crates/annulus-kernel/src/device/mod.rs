//! The device runtime: the dispatch loop around a handler, written once in the C that all dialects share.
//!
//! A device program is put together of four texts: the dialect's [prelude](OPENCL_PRELUDE) with the [interface](INTERFACE) that
//! handlers see, what Rust's operators mean, the handler, and the [runtime](RUNTIME). In front stand the launch's own macros:
//!
//! | macro | meaning |
//! |---|---|
//! | `ANN_LAUNCH_THREADS` | threads of a block |
//! | `ANN_LAUNCH_PORTABLE` | 1: do without what only some systems have (naps, a clock, the bell) |
//!
//! All else that a launch decides stands in a [`LaunchRecord`](layout::LaunchRecord), so that one compiled program serves every
//! capacity, grid and mode.
//!
//! # Who writes what
//!
//! One block serves one shard. Its thread 0, the *leader*, is the only one that reads or writes words that the host touches while
//! the kernel runs, except that all threads read messages and publish outputs.
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
//! | telemetry line, histogram | leader | host |
//! | [`BlockRecord`](layout::BlockRecord), first half | leader | host: `asleep`, `ended`, `obeyed`, `answer`, `time` |
//! | [`BlockRecord`](layout::BlockRecord), second half | host | leader |
//!
//! The order is that of `annulus_queue::ring`, the pairs named there: *slot-published* (the leader looks at commit words without
//! ordering while it waits, and fences once when it has found some), *slots-returned*, *stalled*; and of `annulus_runtime`:
//! *command*, *state*. No word is the target of read-modify-writes from both sides.
//!
//! # A turn
//!
//! Between two barriers either the leader works on the block's own memory, or all threads do on what they are dealt.
//!
//! 1. *Begin* (leader). Looks at the command, and acknowledges a new one: telemetry, then the state, then the command. If active: counts
//!    the published slots from its position on, as many as the mode allows (continuous 1); fences; looks at the command once
//!    more, since a message that was sent after a command is handled after it; and lowers the count to what there is credit for in
//!    the outbound ring. Without credit it says so (`stalled`), fences and looks again.
//! 2. *Barrier*. All threads copy the count and whether the block ends, and leave the loop together if it does.
//! 3. *Handle.* With one thread: each message is called, its outputs written straight into their slots and published, its counts
//!    taken, before the next. With several, in four steps with barriers between: each thread looks up the actors of its share;
//!    each handles what it is *dealt*, with outputs put aside in scratch memory; the leader counts, and gives each message its
//!    tickets in the messages' order; each thread copies its share's outputs to their slots and publishes them.
//! 4. *End* (leader). Publishes counts, the gauge of the outbound ring, telemetry, and last the slots that it gives back: whoever sees
//!    that a message was consumed sees it counted. Then rings the bell, if the host listens. A turn that found nothing waits.
//! 5. *Barrier*: every turn ends with one. (PoCL 3.1 miscompiles a loop whose leader's last part meets its first.)
//!
//! Dealing: without state, message *i* goes to thread *i* mod *T*; with actors, to thread *actor* mod *T*, so that each actor's messages
//! are handled by one thread, in order; with the kernel's one state all go to thread 0, and such kernels are launched with one thread.
//!
//! # Idle
//!
//! After `idle_polls` turns in a row that found nothing the leader naps, where the system knows naps: it notes the host's `wake`
//! word, stores `asleep`, fences, looks for work once more, and sleeps until `wake` changes (*asleep*). The host makes work, fences,
//! looks at `asleep`, and changes `wake` if it is set. Either it sees the nap, or the leader sees the work; a change that comes
//! before the sleep is found by the system. A nap ends by itself after a tenth of a second.
//!
//! The bell is the other way round (*bell*): the host stores the bell's `asleep`, fences, looks at all words, and sleeps on `rung`. A host
//! for which nobody waits asks to be woken for dead letters alone, whose ring is small.
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
    include_str!("runtime/5_entry.c"),
);

/// The name of the program's entry.
pub const ENTRY: &str = "ann_main";
