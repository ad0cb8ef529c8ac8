// The handler of kernel `meet`, written from crates/annulus-runtime/src/barrier/kernel.rs:+0 (module annulus_runtime::barrier::kernel).
#pragma OPENCL FP_CONTRACT OFF

/* A message of a block to itself, or the place of one. The heap of those that wait is in front; what is behind it
   names the places that are free. */
typedef struct {
    u64 due; /* on the runtime's clock */
    u32 number; /* in the order in which timers were set, wrapping */
    u32 place;
} ann_timer;

/* Where the timers go that a call sets. */
typedef struct {
    GLOBAL ann_timer *next; /* those that it sets, with the places of their messages */
    GLOBAL u8 *first; /* the message in place 0, */
    u64 stride;       /* and the distance to the next */
    u64 now;
    u32 limit;
    u32 set;
    u32 refused;
} ann_later;

/* Where the message of the next timer goes; null, and the message fails, beyond what there is room for. */
RS_FN GLOBAL u8 *ann_later_next(PRIVATE ann_later *later, u64 nanos)
{
    if (later->set >= later->limit) {
        later->refused = 1;
        return 0;
    }
    GLOBAL ann_timer *timer = later->next + later->set;
    later->set += 1;
    u64 due = later->now + nanos;
    timer->due = due < nanos ? 0xFFFFFFFFFFFFFFFFul : due;
    return later->first + timer->place * later->stride;
}

typedef struct Arrive {
    u32 barrier_;
    u32 party;
    u64 generation;
} Arrive;
typedef char ann_size_of_Arrive[sizeof(Arrive) == 16 ? 1 : -1];

typedef struct Peer {
    u64 bits;
} Peer;
typedef char ann_size_of_Peer[sizeof(Peer) == 8 ? 1 : -1];

typedef struct Passed {
    u32 actor;
    u32 barrier_;
    u64 generation;
    u64 missing;
} Passed;
typedef char ann_size_of_Passed[sizeof(Passed) == 24 ? 1 : -1];

typedef struct Addressed {
    Peer to;
    Passed message_;
} Addressed;
typedef char ann_size_of_Addressed[sizeof(Addressed) == 32 ? 1 : -1];

typedef struct Meeting {
    u64 generation;
    u64 arrived;
    u64 gone;
    u64 due;
    u64 rings;
    u64 timed;
} Meeting;
typedef char ann_size_of_Meeting[sizeof(Meeting) == 48 ? 1 : -1];

typedef struct Terms {
    u64 parties;
    u64 limit;
    u32 first;
    u32 end;
} Terms;
typedef char ann_size_of_Terms[sizeof(Terms) == 24 ? 1 : -1];

typedef struct Told {
    Peer to;
    u64 party;
    u32 actor;
    u32 padding;
} Told;
typedef char ann_size_of_Told[sizeof(Told) == 24 ? 1 : -1];

static u32 handle_meet(ann_cx cx, GLOBAL const Arrive *arrive, PRIVATE Meeting *meeting, PRIVATE ann_outbox *out, PRIVATE ann_later *later, GLOBAL const Terms *terms, u64 terms_len, GLOBAL const Told *told, u64 told_len, u64 ann_time) {
    u32 ann_budget = 16777216u;
    // kernel.rs:+9
    u64 at = (u64)arrive->barrier_;
    if (at >= terms_len) return 0xFF04u; // index out of bounds
    Terms terms_2 = terms[at];
    // kernel.rs:+10
    u64 now = ann_time;
    // kernel.rs:+11
    bool over = false;
    // kernel.rs:+12
    if (arrive->party == 4294967294u) {
        // kernel.rs:+13
        u64 missing = (meeting->arrived == 0ul) ? terms_2.parties : (terms_2.parties & ((u64)~(meeting->arrived | meeting->gone)));
        // kernel.rs:+18
        u32 barrier_ = arrive->barrier_;
        u64 generation = meeting->generation;
        // kernel.rs:+20
        u64 at_2 = (u64)terms_2.first;
        if (at_2 >= told_len) return 0xFF04u; // index out of bounds
        Peer to = told[at_2].to;
        // kernel.rs:+21
        Passed passed;
        passed.actor = 4294967294u;
        passed.barrier_ = barrier_;
        passed.generation = generation;
        passed.missing = missing;
        Addressed addressed;
        addressed.to = to;
        addressed.message_ = passed;
        {
            GLOBAL Addressed *ann_slot = (GLOBAL Addressed *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = addressed;
        }
        // kernel.rs:+22
        return 0u;
    }
    // kernel.rs:+24
    if (arrive->party == 4294967295u) {
        // kernel.rs:+26
        if ((meeting->timed == 0ul) || (now < meeting->rings)) {
            // kernel.rs:+27
            return 4u;
        }
        // kernel.rs:+29
        meeting->timed = 0ul;
        // kernel.rs:+30
        if (meeting->arrived == 0ul) {
            // kernel.rs:+31
            return 0u;
        }
        // kernel.rs:+33
        if (now < meeting->due) {
            // kernel.rs:+34
            if (rs_sub_overflows_u64(meeting->due, now)) return 0xFF06u; // overflow
            {
                GLOBAL Arrive *ann_slot = (GLOBAL Arrive *)ann_later_next(later, meeting->due - now);
                if (ann_slot) *ann_slot = (*arrive);
            }
            // kernel.rs:+35
            meeting->rings = meeting->due;
            // kernel.rs:+36
            meeting->timed = 1ul;
            // kernel.rs:+37
            return 0u;
        }
        // kernel.rs:+39
        over = true;
    } else {
        // kernel.rs:+41
        if (arrive->party >= 64u) {
            // kernel.rs:+42
            return 4u;
        }
        // kernel.rs:+44
        if (arrive->party >= 64u) return 0xFF06u; // overflow
        u64 party = rs_shl_u64(1ul, arrive->party);
        // kernel.rs:+45
        if ((terms_2.parties & party) == 0ul) {
            // kernel.rs:+46
            return 4u;
        }
        // kernel.rs:+48
        if (arrive->generation == 18446744073709551614ul) {
            // kernel.rs:+49
            if ((meeting->gone & party) != 0ul) {
                // kernel.rs:+50
                return 1u;
            }
            // kernel.rs:+52
            meeting->gone = meeting->gone | party;
        } else {
            // kernel.rs:+54
            if ((arrive->generation != 18446744073709551615ul) && (arrive->generation < meeting->generation)) {
                // kernel.rs:+55
                return 2u;
            }
            // kernel.rs:+57
            if ((arrive->generation != 18446744073709551615ul) && (arrive->generation > meeting->generation)) {
                // kernel.rs:+58
                return 3u;
            }
            // kernel.rs:+60
            if ((meeting->arrived & party) != 0ul) {
                // kernel.rs:+61
                return 1u;
            }
            // kernel.rs:+63
            if ((meeting->arrived == 0ul) && (terms_2.limit != 0ul)) {
                // kernel.rs:+64
                if (rs_add_overflows_u64(now, terms_2.limit)) return 0xFF06u; // overflow
                meeting->due = now + terms_2.limit;
                // kernel.rs:+65
                if (meeting->timed == 0ul) {
                    // kernel.rs:+66
                    Arrive arrive_2 = (*arrive);
                    arrive_2.party = 4294967295u;
                    {
                        GLOBAL Arrive *ann_slot = (GLOBAL Arrive *)ann_later_next(later, terms_2.limit);
                        if (ann_slot) *ann_slot = arrive_2;
                    }
                    // kernel.rs:+67
                    meeting->rings = meeting->due;
                    // kernel.rs:+68
                    meeting->timed = 1ul;
                }
            }
            // kernel.rs:+71
            meeting->arrived = meeting->arrived | party;
            // kernel.rs:+72
            meeting->gone = meeting->gone & ((u64)~party);
        }
    }
    // kernel.rs:+75
    u64 missing = terms_2.parties & ((u64)~(meeting->arrived | meeting->gone));
    // kernel.rs:+76
    if ((meeting->arrived == 0ul) || ((missing != 0ul) && (!over))) {
        // kernel.rs:+77
        return 0u;
    }
    // kernel.rs:+79
    u32 end = terms_2.end;
    for (u32 at_2 = terms_2.first; at_2 < end; at_2 += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // kernel.rs:+80
        u64 at_3 = (u64)at_2;
        if (at_3 >= told_len) return 0xFF04u; // index out of bounds
        Told told_2 = told[at_3];
        // kernel.rs:+81
        if ((told_2.party & meeting->gone) == 0ul) {
            // kernel.rs:+82
            u32 actor = told_2.actor;
            u32 barrier_ = arrive->barrier_;
            u64 generation = meeting->generation;
            // kernel.rs:+83
            Passed message;
            message.actor = actor;
            message.barrier_ = barrier_;
            message.generation = generation;
            message.missing = missing;
            // kernel.rs:+84
            Addressed addressed;
            addressed.to = told_2.to;
            addressed.message_ = message;
            {
                GLOBAL Addressed *ann_slot = (GLOBAL Addressed *)ann_outbox_next(out);
                if (ann_slot) *ann_slot = addressed;
            }
        }
    }
    // kernel.rs:+87
    if (rs_add_overflows_u64(meeting->generation, 1ul)) return 0xFF06u; // overflow
    meeting->generation = meeting->generation + 1ul;
    // kernel.rs:+88
    meeting->arrived = 0ul;
    // kernel.rs:+89
    return 0u;
}

#define ANN_MESSAGE Arrive
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Addressed
#define ANN_OUTPUT_BYTES 32
#define ANN_PORTS 16
#define ANN_PEERS 15
#define ANN_PORT_OFFSET(port) 8u
#define ANN_PORT_BYTES(port) 24u
#define ANN_PORT_IS_KEYED(port) 1u
#define ANN_PEER_KEY(message) ((u64)(message)->actor)
#define ANN_PORT_KEY(port, output) (ANN_PEER_KEY((GLOBAL const Passed *)((output) + 8u)))
#define ANN_STATE Meeting
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->barrier_)
#define ANN_MAX_OUTPUTS 65
#define ANN_BINDING_PARAMETERS , GLOBAL Terms *bind_terms, u64 len_of_bind_terms, GLOBAL Told *bind_told, u64 len_of_bind_told
#define ANN_BINDING_ENTRY , GLOBAL Terms *bind_terms ANN_BUFFER, ANN_NUMBER len_of_bind_terms ANN_BUFFER, GLOBAL Told *bind_told ANN_BUFFER, ANN_NUMBER len_of_bind_told ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_terms, len_of_bind_terms, bind_told, len_of_bind_told
#define ANN_TIMERS 1024u
#define ANN_MAX_TIMERS 1u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_meet(cx, message, state, outbox, later, bind_terms, len_of_bind_terms, bind_told, len_of_bind_told, time)
