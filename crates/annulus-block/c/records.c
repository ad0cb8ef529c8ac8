/* The block: the dispatch loop around ANN_CALL, the same in all dialects. Its protocol is described in
   `PROTOCOL.md`. */

#ifndef ANN_LAUNCH_TRACED
#define ANN_LAUNCH_TRACED 0
#endif
/* How many outputs may wait while the block goes on; 0: it goes on with none. */
#ifndef ANN_LAUNCH_HOLD
#define ANN_LAUNCH_HOLD 0
#endif
/* Whether outputs that wait keep the block from taking messages; and whether its word says that it waits for the host, or
   that it takes nothing. */
#if ANN_LAUNCH_HOLD
#define ANN_IS_HELD_UP(v) ann_is_held_up(v)
#define ANN_WAITS_FOR_HOST(s) ((s)->stalled == ANN_STALLED_BY_HOST)
#define ANN_IS_STALLED(s) ((s)->stalled != 0 && (s)->stalled != ANN_STALLED_HOLDS)
#else
#define ANN_IS_HELD_UP(v) ((v)->shared->state.pending != 0)
#define ANN_WAITS_FOR_HOST(s) ((s)->stalled)
#define ANN_IS_STALLED(s) ((s)->stalled)
#endif
#ifndef ANN_LAUNCH_CAUSAL
#define ANN_LAUNCH_CAUSAL 0
#endif
#ifndef ANN_LAUNCH_THROUGH
#define ANN_LAUNCH_THROUGH 0
#endif
#ifndef ANN_LAUNCH_SPARSE
#define ANN_LAUNCH_SPARSE 0
#endif
#ifndef ANN_LAUNCH_EVICTS
#define ANN_LAUNCH_EVICTS 0
#endif
/* Whether states begin anew: one more state follows those of all blocks, as it begins. */
#ifdef ANN_ENDS
#define ANN_BEGINS_ANEW 1
#else
#define ANN_BEGINS_ANEW ANN_LAUNCH_EVICTS
#endif
#ifndef ANN_LAUNCH_SEALED
#define ANN_LAUNCH_SEALED 0
#endif
/* What goes to other kernels may go into sealed slots. */
#ifndef ANN_LAUNCH_SEALS
#define ANN_LAUNCH_SEALS 0
#endif
#ifndef ANN_INDEPENDENT
#define ANN_INDEPENDENT 0
#endif
/* A turn knows when it began. */
#if defined(ANN_ASKS_TIME) || ANN_LAUNCH_CAUSAL
#define ANN_TURN_TIME 1
#endif
#ifndef ann_computed
#define ann_computed(place) (place)
#endif
/* The leader waits for work alone, and handles a message alone if it is the only one, unless the whole block
   works on each message. */
#if ANN_INDEPENDENT && ANN_LAUNCH_THREADS > 1 && !defined(ANN_LAUNCH_SUPERSTEPS) && !defined(ANN_BLOCK_WIDE)
#define ANN_ALONE 1
#else
#define ANN_ALONE 0
#endif
/* Where the leader is alone, and takes from sealed slots, what it sends on lies in images of sealed slots. */
#define ANN_SEALS_IMAGES (ANN_ALONE && ANN_LAUNCH_SEALED && ANN_LAUNCH_SEALS)
/* The leader sends on what a message sends that it handles alone. */
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && !defined(ANN_PORTS) && !defined(ANN_ROWS)
#define ANN_FORWARDS_ONE ANN_ALONE
#else
#define ANN_FORWARDS_ONE 0
#endif
/* Where it is alone, and slots are sealed, its looks follow each other: see `watch.c`. */
#define ANN_WATCHES (ANN_ALONE && ANN_LAUNCH_SEALED)
/* The threads of its warp look for it, each at one unit. */
#if ANN_WATCHES && ANN_LAUNCH_THREADS >= 32
#define ANN_LOOKS_TOGETHER 1
#else
#define ANN_LOOKS_TOGETHER 0
#endif
/* The host is told later what nobody waits for: see `books.c`. */
#define ANN_DEFERS ANN_ALONE
/* After so many turns that find something, or looks that find nothing, the host is told what was put off. */
#define ANN_OWED_TURNS 16
/* By the device's clock: for how long at least, and at most if there are fewer turns. */
#ifndef ANN_OWED_NANOS
#define ANN_OWED_NANOS 250000
#endif
#define ANN_OWED_NANOS_AT_MOST 1000000
#define ANN_OWED_LOOKS 4
#define ANN_ACTIVE 1u
#define ANN_TERMINATE 2u
#define ANN_TELEMETRY 4u
#define ANN_EPOCH_SHIFT 16
#define ANN_STATE_ACTIVE 1u
#define ANN_STATE_INACTIVE 2u
#define ANN_STATE_TERMINATED 3u
#define ANN_STALLED_BY_HOST 1u
#define ANN_STALLED_BY_KERNEL 2u
#define ANN_STALLED_HOLDS 3u
#define ANN_CLOSED 0x8000000000000000ul
#define ANN_KIND_MESSAGE 1u
#define ANN_QUEUE_SHIFT 19
#define ANN_QUEUE_MASK 31u
#define ANN_KIND_NO_REPLY 3u
#define ANN_KIND_FAILED 4u
#define ANN_KIND_DEAD_LETTER 5u
#define ANN_KIND_LOST 7u
#define ANN_KIND_ENDED 8u
#define ANN_TOO_MANY_OUTPUTS 0xFF02u
#define ANN_UNKNOWN_ACTOR 0xFF03u
#define ANN_TIMERS_FULL 0xFF0Bu
#define ANN_STATELESS 0
#define ANN_PER_ACTOR 1
#define ANN_WHOLE 2
#define ANN_NO_ACTOR 0xFFFFFFFFFFFFFFFFul

/* Words of a control block and of a ring's header, by their offsets in bytes. */
#define ANN_CONTROL_COMMAND 0
#define ANN_CONTROL_HEARTBEAT 8
#define ANN_CONTROL_STATE 128
#define ANN_CONTROL_ERROR 132
#define ANN_CONTROL_PROCESSED 136
#define ANN_CONTROL_FAILED 144
#define ANN_CONTROL_UNKNOWN 152
#define ANN_CONTROL_SENT 160
#define ANN_CONTROL_LEAVING 168
#define ANN_CONTROL_STALLED 192
#define ANN_CONTROL_ACKNOWLEDGED 172
#define ANN_CONTROL_DEAD_LETTERS_LOST 176
#define ANN_CONTROL_PRINTS_LOST 184
#define ANN_CONTROL_UNREAD 196
#define ANN_CONTROL_FORWARDED 200
#define ANN_CONTROL_TAKEN 208
#define ANN_CONTROL_RESTED 216
#define ANN_CONTROL_UNFORWARDED 224
#define ANN_CONTROL_TURNS 232
#define ANN_CONTROL_DUE 240
#define ANN_CONTROL_TIMERS 248
#define ANN_TIMERS_ASKS_SHIFT 17
#define ANN_TIMERS_TAKEN_SHIFT 24
#define ANN_RING_RESERVED 0
#define ANN_RING_CONSUMED 128
#define ANN_RING_SLOTS 256
/* Bytes of the largest message, with its envelope, whose slot is sealed. */
#define ANN_SEALED_MOST 348u

/* What a launch fixes. Twin of `LaunchRecord`. */
typedef struct {
    u64 shard_stride;
    u64 inbound;
    u64 outbound;
    u64 dead_letters;   /* 0 if there are none */
    u64 histogram; /* 0 if there is none */
    u64 in_stride;
    u64 in_time;        /* 0 if messages carry none */
    u64 in_correlation; /* 0 if messages carry none */
    u64 in_payload;
    u64 out_stride;
    u64 replies; /* where replies to calls lie, in slots like those of outputs; 0 exactly if in_correlation is */
    u64 out_payload;
    u64 out_bytes;
    u64 dead_letter_stride;
    u64 dead_letter_payload;
    u64 prints; /* 0 if there are none */
    u64 print_stride;
    u64 actors;
    u64 actors_per_block; /* places for states in each block's part */
    u64 clock;            /* what the device's clock needs to be read */
    u64 clock_origin;     /* what the device's clock shows when the runtime's shows 0 */
    u64 scratch_stride;
    u64 device_local;        /* where the blocks' rings between kernels begin, as ann_device_local_at takes it */
    u64 device_local_stride; /* from ring to ring */
    u64 device_local_slot;   /* from slot to slot in them: as in the host's ring */
    u32 in_shift; /* the capacity is 1 << in_shift */
    u32 out_shift;
    u32 dead_letter_shift;
    u32 print_shift;
    u32 grid;
    u32 limit;          /* messages in one turn */
    u32 credit;         /* outbound slots that a message may need; a call one less, if any */
    u32 idle_polls;     /* looks for something to do before a nap */
    u32 epoch_messages; /* 0 for a kernel that stays; else an epoch ends after so many, */
    u32 epoch_polls;    /* or after so many looks that found nothing; 0 for a kernel that stays */
    u32 nap_micros;
    u32 patience; /* whole naps without a heartbeat after which the kernel ends itself */
    u32 patience_polls; /* looks that count as a nap where there are no naps */
    u32 device_local_first; /* the first ticket of the rings between kernels */
    u32 in_units;   /* of a sealed slot of the inbound ring, or of a bridged message's spill block; else 0 */
    u32 out_units;  /* the same of the outbound ring */
#if ANN_LAUNCH_TRACED || ANN_LAUNCH_CAUSAL
    u64 in_trace;
    u64 out_trace;
    u64 records; /* the ring of records of messages that carried a trace */
    u64 record_stride;
    u32 record_shift;
    u32 trace_seed; /* of the numbers of spans */
#endif
#if ANN_LAUNCH_CAUSAL
    u64 in_stamp;
    u64 out_stamp;
#endif
} ann_launch;

/* Where outputs go, if not to the host. Twin of `LinkRecord`. */
typedef struct {
    u64 rings;       /* of the connected kernel's blocks, as ann_device_local_at takes it */
    u64 stride;      /* from ring to ring */
#if ANN_LAUNCH_CAUSAL
    u32 slot_stride; /* and from slot to slot */
    u16 units;       /* of each slot, if they are sealed; else 0 */
    u16 stamp;       /* 0 if its messages carry none */
#elif ANN_LAUNCH_SEALS
    u32 slot_stride; /* and from slot to slot */
    u32 units;       /* of each slot, if they are sealed; else 0 */
#else
    u64 slot_stride; /* and from slot to slot */
#endif
#if ANN_LAUNCH_TRACED
    u32 time;        /* 0 if its messages carry none */
    u32 trace;       /* the same */
#else
    u64 time;        /* 0 if its messages carry none */
#endif
#if ANN_LAUNCH_VARIANTS
    u32 correlation;
    u32 bytes;   /* of its messages, if a variant of theirs takes outputs */
    u32 payload; /* where an output goes */
    u16 tag_place;
    u16 tag_bytes; /* 1, 2 or 4; 0 if outputs are messages as they are */
#else
    u64 correlation; /* 0 if its messages carry none */
    u64 payload;
#endif
    u32 shift; /* the capacity of each ring is 1 << shift */
    u32 grid;  /* its blocks; 0 where outputs go to the host */
    u32 waits; /* an output without room waits; else it is lost */
    u32 tag;   /* of the variant that takes outputs, if one does */
} ann_link;

/* What a sender knows of a ring of the connected kernel. */
typedef struct {
    u32 reserved;
    u32 consumed;
} ann_tickets;

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_PORTS)

/* What one of several outboxes has sent on. */
typedef struct {
    u64 forwarded;   /* as that of `ann_state`, for this outbox */
    u64 unforwarded; /* the same */
    u64 told;    /* what the host was told of `forwarded` */
    u32 held;    /* what it was told of outputs that are held */
    u32 dealt;   /* the block that gets the next output without a key */
    u32 granted; /* in this turn: outputs that got a ticket, */
    u32 lost;    /* that were lost, */
    u32 left;    /* and that found no room */
    u32 wanted;  /* those that are for this place, before they are sent */
} ann_port;

/* In the shard's memory: words of an outbox's `PortCounts`, and where they begin. */
#define ANN_PORT_FORWARDED 0
#define ANN_PORT_UNFORWARDED 8
#define ANN_PORT_HELD 16
#define ANN_PORT_COUNTS 64
#define ANN_PORT_COUNTS_BYTES ((ANN_PORTS * ANN_PORT_COUNTS + 127) / 128 * 128)
/* What the host adds for it to the memory of a block: see `needs.rs`. */
#ifdef ANN_PEERS
#define ANN_PORT_MEMORY (ANN_PORTS * 136)
#else
#define ANN_PORT_MEMORY (ANN_PORTS * 128)
#endif

#elif ANN_LAUNCH_CONNECTABLE && defined(ANN_ROWS)

/* As above, of the place that outputs go to, and of that of outputs without a row. */
#define ANN_PORT_FORWARDED 0
#define ANN_PORT_UNFORWARDED 8
#define ANN_PORT_HELD 16
#define ANN_PORT_COUNTS 64
#define ANN_PORT_COUNTS_BYTES 128
#define ANN_PORT_MEMORY 256

#else
#define ANN_PORT_MEMORY 0
#endif

#if ANN_LAUNCH_SPARSE
/* In the shard's memory, in front of the counts of outboxes: `ActorCounts`. */
#define ANN_ACTOR_COUNTS 128
#define ANN_ACTORS_USED 0
#define ANN_ACTORS_EVICTED 8
#define ANN_ACTORS_ENDED 16
/* Marks of a place: see `actors.c`. */
#define ANN_ACTOR_SEEN 1
#define ANN_ACTOR_IN_TURN 2
#define ANN_ACTOR_NEW 3
#define ANN_ACTOR_ENDED 4
#ifdef ANN_PORT_COUNTS_BYTES
#define ANN_PORTS_END ANN_PORT_COUNTS_BYTES
#else
#define ANN_PORTS_END 0
#endif
#endif

#ifdef ANN_TIMERS
/* The head of a block's timers. Behind it are an entry for each place, and the places: slots like those of the
   inbound ring. The entries' first `count` are a heap, by their due times, then by their numbers. All others name
   places that are free; the first of them names the one whose message is being handled, if a timer's is. */
typedef struct {
    u32 count;
    u32 number; /* of the next timer */
    u32 after;  /* the last turn that had a choice took timers */
    u32 armed; /* how far what nobody sends has come; 0 before the block is active */
    u64 taken; /* timers whose time had come, since launch */
    /* When what nobody sends is due; 0: never, or taken. */
    u64 start;
    u64 tick;
    u64 stop;
    /* Of asks: entries whose places may be written, a bit for each, and those of them whose messages wait. */
    u64 busy;
    u64 awaited;
} ann_timers;
#endif

/* Whether what the handler asks may leave for another kernel. */
#if defined(ANN_ASK_PORT) && ANN_LAUNCH_CONNECTABLE && ANN_LAUNCH_THROUGH
#define ANN_ASKS 1
#else
#define ANN_ASKS 0
#endif

#if ANN_ASKS

/* Where the answers are to what the kernel asks. Twin of `AskRecord`. */
typedef struct {
    u64 landings; /* of the asked kernel, as ann_device_local_at takes it; */
    u64 stride;   /* the distance between them, 0 if nobody is asked; */
    u32 payload;  /* where in one an answer lies; */
    u32 first;    /* the number of the kernel's first */
    u32 stamp;    /* where its stamp lies; 0 if it carries none */
    u32 unused[9];
} ann_ask_way;

/* A place of the block in the asked kernel. */
typedef struct {
    u32 generation; /* of the ask that was sent with it last */
    u32 number;     /* of that ask's timer */
} ann_ask;

#endif

/* What a block keeps from turn to turn, and from epoch to epoch. */
typedef struct {
    u64 next_in;
    u64 next_out;
    u64 out_seen; /* a copy of the outbound ring's `consumed`, never ahead of it */
    u64 next_dead_letter;
    u64 dead_letters_seen; /* the same of the ring of dead letters */
    u64 dead_letters_lost;
    u64 next_print;
    u64 prints_seen; /* the same of the ring of prints */
    u64 prints_lost;
    u64 processed;
    u64 failed;
    u64 unknown_actor;
    u64 sent;
    u64 shown_processed;
    u64 shown_dropped;
    u64 shown_last;
    u64 shown_total;
    u64 shown_max;
    u64 shown_min;
    u64 heartbeat;
    u64 taken;       /* messages out of the ring between kernels */
    u64 forwarded;   /* outputs that went into such rings */
    u64 unforwarded; /* outputs that were lost on the way there */
    u32 shown_depth;
    u32 shown_unmeasured;
    u32 shown_error;
    u32 shown_epoch;
    u32 command;
    u32 looked; /* whether it has looked at a command yet */
    u32 stalled;
    u32 strikes; /* whole naps since the heartbeat changed */
    u32 answered; /* the host's last question for the time */
    /* outputs in the block's scratch memory on the way to the connected kernel, those in front that have gone
       included */
    u32 pending;
    u32 pending_from; /* of these, how many in front have gone; used by blocks of one thread */
    /* the block of the connected kernel that gets the next output without a key; of a kernel whose outputs say whom they
       are for, the place that is asked first to take the next one for any */
    u32 dealt;
} ann_state;

/* What host and block tell each other besides the control block. Twin of `BlockRecord`. */
typedef struct {
    ann_state state; /* while no epoch runs */
    u64 time;   /* written by the block: what its clock showed when it answered */
    u32 obeyed; /* written by the block: how many commands it has acknowledged, wrapping */
    u32 answer; /* written by the block: the question that it has answered */
    u32 asleep; /* written by the block: it naps, or is about to */
    u32 ended;  /* written by the block, last of all: the epoch that it has ended */
    u32 wake; /* written by the host: changes when a nap must end */
    u32 epoch;
    u64 telemetry; /* from the arena's start to the shard's line; ANN_NO_ACTOR for none */
    u32 leave;     /* written by the host: a block that stays leaves this epoch, and is launched again */
    u32 question; /* written by the host: changes when it asks for the time */
    /* written by the host: what the device's clock shows when the runtime's shows 0; 0 for as launched */
    u64 origin;
    /* written by the host: in this epoch no block waits for others any more, since some of them do not run */
    u32 abandoned;
    u32 host_padding[23];
    u64 at;  /* written by the block: its phase, and the number of its message; see `at.c` */
    u64 key; /* written by the block: that of its message */
    u64 stamp; /* written by the block: its hybrid clock, while no epoch runs */
    u64 rounds; /* written by the block: how many rounds have begun */
    /* written by the block, while no epoch runs: where its part of the round ends, of the host's messages, and of those of
       kernels */
    u64 round_end;
    u64 round_end_near;
    u32 round_waits; /* written by the block, at the end of an epoch: it waits for the next round */
    u32 at_padding[19];
} ann_block_record;

/* Where blocks wake the host. Twin of `DoorbellRecord`. */
typedef struct {
    /* written by the host: it sleeps, and wants to hear of progress (1), or of dead letters and prints alone
       (2) */
    u32 asleep;
    u32 rung;
} ann_doorbell;

#if ANN_LAUNCH_CAUSAL
typedef char ann_launch_is_320_bytes[sizeof(ann_launch) == 320 ? 1 : -1];
#elif ANN_LAUNCH_TRACED
typedef char ann_launch_begins_with_304_bytes[sizeof(ann_launch) == 304 ? 1 : -1];
#else
typedef char ann_launch_begins_with_264_bytes[sizeof(ann_launch) == 264 ? 1 : -1];
#endif
typedef char ann_link_is_64_bytes[sizeof(ann_link) == 64 ? 1 : -1];
typedef char ann_block_record_is_512_bytes[sizeof(ann_block_record) == 512 ? 1 : -1];

/* Sizes for messages in the block's own memory. */
#define ANN_BLOCK_JOBS 256
#define ANN_BLOCK_IMAGE 384
#define ANN_BLOCK_OUTPUTS 512

#if ANN_WATCHES
/* Looks that follow each other: what the leader asks for, and what they have seen. */
typedef struct {
    u64 slot; /* where the next slot of the host is, */
    u64 near; /* and that of other kernels */
    u32 lap;
    u32 near_lap;
    u32 units;   /* from each slot's first one on, which must carry the lap */
    u32 most_near; /* so many looks at the ring between kernels for each at the host's slot */
    u32 known;   /* the command that the block obeys */
    u32 brings;  /* so many of the host's other words the first look brings along */
    ANN_ALIGNED(16) u32 brought[3][4]; /* the command, the ring's gauge, and what the host asks now and then */
    u32 awaits;  /* the leader goes on to wait for work */
    ANN_ALIGNED(16) u32 most; /* looks at the host's slot; 0: none any more in this turn */
    /* The answer that the leader has given, for all who look to store: */
    u32 answer_units; /* its units; 0: there is none, */
    u32 answer_lap;   /* the lap with which it is published, */
    u64 answer;       /* and its slot */
} ann_row;
/* Bits of what was seen: something in the host's slot; that it is a message, sent under the command that the block obeys;
   something in the slot of other kernels. */
#define ANN_SEEN_HOST 1u
#define ANN_SEEN_MESSAGE 2u
#define ANN_SEEN_NEAR 4u
#endif

/* The block's own memory. */
typedef struct {
    ann_launch launch;
    ann_state state;
    /* The turn. */
    u32 window; /* slots that may be published, from state.next_in on: all threads look at them */
    u32 found;  /* of these, the published ones without a gap */
    u32 count;  /* messages to handle, from state.next_in on */
    u32 command;
    u32 again;  /* nothing was taken, and yet there is something to do */
    u32 ending; /* the block ends with this turn */
    /* by which all threads learn that it does not, or with all blocks in step that they do not */
    u32 goes_on;
    /* Since the kernel or the epoch began. */
    u32 idle; /* turns in a row that found nothing */
    u32 handled;
    u32 busy; /* turns that took something */
    u32 said; /* the phase that those who watch were told; 0: none in this epoch */
#if ANN_LAUNCH_ADAPTIVE
    u32 turn_size; /* the most messages of the next turn */
#endif
#ifdef ANN_TURN_TIME
    u64 now; /* when the turn began, for its handlers */
#endif
#if ANN_LAUNCH_CAUSAL
    u64 stamp; /* of the block's last event; what the handler that was called last has sent carries it */
#endif
#ifdef ANN_TIMERS
    u32 due; /* the turn takes timers */
#endif
#if ANN_LAUNCH_COUNTS_TURNS
    u64 turns; /* that took messages, since launch */
#endif
#if ANN_LAUNCH_TRACED
    u64 next_record;  /* the ticket of the next record */
    u64 records_seen; /* a copy of the ring's `consumed`, never ahead of it */
    u64 records_lost;
    u64 trace;   /* of what goes into slots of the outbound ring next, where it is not kept with each output */
    u64 began;   /* when the turn's handlers were called, if a message of it carries a trace; */
    u32 sampled; /* so many do */
    u32 noted;   /* the host is to hear of a record */
#endif
    /* What the turn has done. */
    u32 taken;
    u32 processed;
    u32 dropped;
    u32 produced; /* outputs in the outbound ring */
    u32 answers;  /* these, and replies */
    u32 dead_letters;
    u32 error;
    u64 first_time; /* of the processed messages' enqueue times */
    u64 earliest;
    u64 latest;
    u64 sum; /* of the enqueue times less `first_time`, wrapping */
    u64 own; /* actors of this block: places for them, if keys are sparse */
#if ANN_LAUNCH_SPARSE
    u64 entries;    /* of the block's table of actors */
    u32 newcomers;  /* messages of the turn whose keys the table does not have */
#ifdef ANN_ENDS
    u32 ended;      /* times that a thread has ended an actor in this turn */
#endif
#endif
    u64 reserved; /* the inbound ring's gauge, as the turn found it */
#if ANN_LAUNCH_SEALED
    u32 kept;   /* slots that the leader has brought in with its look: 1 or 0 */
    u32 agreed; /* slots from state.next_in on whose stamps are the command that the leader has seen */
#endif
#if ANN_INDEPENDENT && ANN_LAUNCH_THREADS > 1
    /* What a turn knows of its messages, if it takes no more than so many; and what the next one's first
       message is. */
    ANN_ALIGNED(16) u64 jobs[ANN_BLOCK_JOBS * 4];
    u32 owners[ANN_BLOCK_JOBS];
    /* By which its threads number the answers: see `number.c`. */
    u64 sums[ANN_BLOCK_JOBS * 3];
    u64 tally;     /* of all messages */
    u32 unhandled; /* messages that failed, and what is no message */
    ANN_ALIGNED(128) u8 image[ANN_BLOCK_IMAGE];
    /* The last words of an image are loaded by fours of units. */
    ANN_ALIGNED(128) u8 outputs[ANN_BLOCK_OUTPUTS + 48];
#endif
#if ANN_WATCHES
    ann_row row;
#endif
#if ANN_ALONE
    u32 epoch;   /* of the block's record */
    u32 attends; /* the next look is one at what the host asks now and then, too */
    u64 owed_since; /* when the first of them ended */
    u32 owed;    /* turns of which the host has not been told; */
    u32 owing;   /* messages that they took */
#endif
#ifdef ANN_PRINTS
    ann_print_turn prints;
#endif
#ifdef ANN_BODY
    u32 messages;  /* of the turn: what is handled, without what is no message */
    u32 next;      /* places of the turn that threads have taken, or tried to */
    u32 body_code; /* what the body has failed with */
    u32 ends;      /* it wants to end the kernel, */
    u32 leaving;   /* and has */
#endif
#if ANN_LAUNCH_CONNECTABLE
#ifdef ANN_PORTS
    ann_link links[ANN_PORTS];
    ann_port ports[ANN_PORTS];
#ifdef ANN_PEERS
    u64 peers[ANN_PORTS]; /* the address of each place's kernel; 0 if it has none */
#if ANN_LAUNCH_THREADS > 1 && defined(ANN_TOPICS)
    u32 heard; /* outputs of this turn that the host takes */
#elif ANN_LAUNCH_THREADS > 1
    /* Of the outputs for any kernel, in a pass of all threads: */
    u32 any;         /* those of which it is not known yet where they go; */
    u32 any_granted; /* those that got a ticket, */
    u32 any_round;   /* and the last round in which one did */
    u32 counted;     /* outputs with a ticket that are counted */
#endif
#endif
    u32 linked; /* some outbox is connected */
#if ANN_LAUNCH_HOLD
    u32 returns; /* something that is held may be for the host */
#endif
#if ANN_ASKS
    ann_ask_way asked_in; /* where it asks */
    u64 asked;          /* what the query carries of the message that is handled; 0 if it asks nothing that leaves */
    u32 asks_leave;     /* what that message sends goes to other kernels */
    u32 asks_untold;    /* fewer places are in use than the host was told */
    u32 timers_told;    /* how many timers the host was told that are set */
#endif
#else
    ann_link link;
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
    ann_tickets tickets; /* of the connected kernel, if it has one block, and the leader has looked there */
    u32 knows_tickets;
    u32 keeps_tickets; /* they are those behind the leader's own last one */
#endif
#endif
#ifdef ANN_ROWS
    u64 astray;    /* outputs for which there was no row */
    u64 told_held; /* copies that wait for room, as the host was told */
#if ANN_LAUNCH_THREADS == 1
    u64 copies;  /* of pending outputs, which have not gone */
    u32 counted; /* pending outputs, from the first on, whose copies are counted there */
#endif
#if ANN_LAUNCH_HOLD
    u32 returns; /* pending outputs that are for the host */
#endif
#endif
    u64 rested;     /* what the host was told of state.taken at rest */
#if ANN_ALONE
    u32 returned; /* the ticket up to which slots of the ring between kernels were given back */
    u32 rests;    /* the host may believe that the block rests */
#endif
    u32 device_local;       /* the turn takes from the ring between kernels */
    u32 device_local_turns; /* turns in a row that did */
    u32 granted;    /* outputs that got a ticket in this turn */
    u32 lost;       /* outputs that were lost in this turn */
    u32 left;       /* outputs that found no room in this turn */
#endif
#ifdef ANN_LAUNCH_SUPERSTEPS
    u32 opened; /* the kernel's step, as this block has seen it */
    u32 gone;   /* the host is */
    u32 over;   /* all blocks end */
#ifdef ANN_LAUNCH_ROUNDS
    u64 rounds;        /* how many have begun */
    u64 round_end;     /* behind the last of the round, of the host's messages: as state.next_in counts */
    u64 round_next;    /* what was noted for the next one */
    u64 round_end_near;  /* of what kernels have sent: as state.taken counts */
    u64 round_next_near; /* what was noted for the next one */
    u32 round_is_open; /* in the last step somebody said so */
    u32 notes;         /* in this step the block notes what lies in its rings for the next round, which begins with the next step */
#endif
#endif
} ann_shared;

/* What is handed to a handler: a message, or a body's inbox. */
#ifdef ANN_BODY
#define ANN_HANDED PRIVATE ann_inbox
#else
#define ANN_HANDED GLOBAL const ANN_MESSAGE
#endif

/* The host knows how much is left for handlers that share memory: `Capabilities::shared_memory`. */
#ifdef ANN_BLOCK_WIDE
typedef char ann_shared_is_bounded[sizeof(ann_shared) <= (ANN_INDEPENDENT ? 17536 : 2048) + ANN_PORT_MEMORY ? 1 : -1];
#endif

/* One block's view of memory. */
typedef struct {
    ANN_PLACE
    GLOBAL u8 *shard;
    GLOBAL u8 *inbound;
    GLOBAL u8 *outbound;
    GLOBAL ann_block_record *record;
    GLOBAL u8 *arena;
    GLOBAL u8 *states;
#if ANN_LAUNCH_SPARSE
    GLOBAL u64 *actors; /* the block's table: see `actors.c` */
#endif
    /* The block's scratch memory, where several threads work on a turn: its messages as they lay in their
       slots, the outputs of each in the messages' order, the answers in the messages' order, what is known of
       each message, and by which thread it is handled. Where one thread does, the outputs of a call. */
    GLOBAL u8 *messages;
    GLOBAL u8 *outputs;
    GLOBAL u8 *answers;
    GLOBAL u8 *jobs;
    GLOBAL u8 *owners;
#if ANN_LAUNCH_THREADS > 1
    GLOBAL u8 *first;   /* the turn's first message: in the block's own memory, if it fits */
    u32 message_stride; /* from message to message */
    /* What the launch record says, too, which lies where a thread waits for it. */
    u32 in_correlation;
    u32 in_payload;
#endif
    GLOBAL ann_doorbell *doorbell;
#ifdef ANN_TIMERS
    GLOBAL u8 *timers; /* the end of the block's scratch memory */
#endif
#if ANN_LAUNCH_CONNECTABLE
    GLOBAL u8 *device_heap; /* what places of rings between kernels count from */
    GLOBAL u8 *device_local;     /* the block's ring between kernels */
    GLOBAL const ann_link *link;
#ifdef ANN_ROWS
    GLOBAL const u32 *rows; /* the graph: see `rows.c` */
#endif
    /* of blocks of several threads: what is known of each output on its way to the connected kernel */
    GLOBAL u8 *parcels;
#endif
    LOCAL ann_shared *shared;
#ifdef ANN_BLOCK_WIDE
    LOCAL ann_block_memory *together; /* of the threads that work on a message together */
    PRIVATE ann_round *rounds;        /* how often they have met */
#endif
} ann_view;

/* Puts a function apart that is called from many places and seldom: a GPU fetches instructions more slowly the further they
   are from each other. It gets its own copy of the view, so that its callers' view stays in registers. */
#ifdef ANN_COLD
#define ANN_APART(name) \
    ANN_COLD void name##_apart(ann_view view) { name##_here(&view); } \
    ANN_FUNCTION void name(PRIVATE const ann_view *v) { name##_apart(*v); }
#else
#define ANN_APART(name) \
    ANN_FUNCTION void name(PRIVATE const ann_view *v) { name##_here(v); }
#endif

#define ANN_U32(base, offset) ((GLOBAL u32 *)((base) + (offset)))
#define ANN_U64(base, offset) ((GLOBAL u64 *)((base) + (offset)))

#ifdef ANN_OUTPUT
#define ANN_LIMIT ANN_MAX_OUTPUTS
/* Outputs in scratch memory are copied in words. */
#define ANN_OUTPUT_SPAN ((ANN_OUTPUT_BYTES + 7) / 8 * 8)
/* Distance between them. Where messages carry traces, one more word follows, for that of the output; where they carry
   stamps, another one; and where calls go through pipelines, one more, for the call that the output carries. */
#define ANN_OUTPUT_STRIDE                                                                                              \
    (ANN_OUTPUT_SPAN + ANN_LAUNCH_TRACED * 8 + ANN_LAUNCH_CAUSAL * 8 + ANN_LAUNCH_THROUGH * 8)
#else
#define ANN_LIMIT 0
#define ANN_OUTPUT_SPAN 0
#define ANN_OUTPUT_STRIDE 0
#endif
