// The handler of kernel `kept_cells`, written from crates/annulus-conformance/src/kernels/together.rs:+0 (module annulus_conformance::kernels::together).
#pragma OPENCL FP_CONTRACT OFF

/* How the threads of a block meet while they work on a message together. No barrier stands under a condition:
   some compilers take minutes for those. */

/* A thread has returned and not failed. No failure has this code. */
#define ANN_RETURNED 0xFFFFu

/* What the threads need to meet. Messages take turns with the three sets: while one is used, nobody reads the
   one that is cleared for the next message. Within a message, meetings take turns with two flags, so that a
   thread that fails early does not raise the flag that a late one still reads.

   Two words are volatile, since threads may access them at the same time. Several raise a flag. And where a meeting
   has failed, a thread that comes to the next one tells its failure while others still look for the first one: they
   find the same code in both places. */
typedef struct {
    volatile u32 raised[3][2]; /* a thread has ended */
    volatile u16 codes[3][ANN_LAUNCH_THREADS];
    u32 answer; /* what the leader says */
} ann_meeting;

/* A thread's own count of messages and of meetings; the same in all threads of the block. */
typedef struct {
    u32 set;
    u32 met;
    ANN_PLACE
} ann_round;

/* All threads come, each with what it has failed with, ANN_RETURNED or 0. Returns the same in all threads: 0
   if all go on, ANN_RETURNED if all have returned, else the failure of the first thread that has one. */
ANN_FUNCTION u32 ann_meet(LOCAL ann_meeting *meeting, PRIVATE ann_round *round, u32 code)
{
    u32 set = round->set;
    u32 now = round->met & 1u;
    round->met += 1u;
    if (code != 0u) {
        meeting->codes[set][ann_thread(round)] = (u16)code;
        meeting->raised[set][now] = 1u;
    }
    ann_barrier();
    u32 failed = 0u;
    u32 returned = 0u;
    u32 others = meeting->raised[set][now] != 0u ? ANN_LAUNCH_THREADS : 0u;
    for (u32 i = 0u; i < others; i++) {
        u32 other = meeting->codes[set][i];
        returned += other == ANN_RETURNED ? 1u : 0u;
        if (failed == 0u && other != ANN_RETURNED)
            failed = other;
    }
    if (failed == 0u && returned != 0u)
        failed = returned == ANN_LAUNCH_THREADS ? ANN_RETURNED : 0xFF09u; /* not reached by all threads */
    return failed;
}

/* As `ann_meet`; and all threads fail unless they give the same answer. */
ANN_FUNCTION u32 ann_agree(LOCAL ann_meeting *meeting, PRIVATE ann_round *round, u32 code, u32 answer)
{
    if (ann_thread(round) == 0u)
        meeting->answer = answer;
    code = ann_meet(meeting, round, code);
    if (code == 0u && meeting->answer != answer)
        code = 0xFF09u; /* barrier not reached by all threads */
    return ann_meet(meeting, round, code);
}

/* Before the kernel's first message; a barrier follows. */
ANN_FUNCTION void ann_begin_meeting(LOCAL ann_meeting *meeting, PRIVATE ann_round *round)
{
    round->set = 0u;
    round->met = 0u;
    for (u32 set = 0u; set < 3u; set++) {
        meeting->codes[set][ann_thread(round)] = 0u;
        if (ann_thread(round) == 0u) {
            meeting->raised[set][0] = 0u;
            meeting->raised[set][1] = 0u;
        }
    }
}

/* The end of a message: its result, the same in all threads. */
ANN_FUNCTION u32 ann_end_meeting(LOCAL ann_meeting *meeting, PRIVATE ann_round *round, u32 code)
{
    /* That set's message ended before the last one did, at a barrier that this thread has passed. */
    u32 next = round->set == 2u ? 0u : round->set + 1u;
    meeting->codes[next][ann_thread(round)] = 0u;
    if (ann_thread(round) == 0u) {
        meeting->raised[next][0] = 0u;
        meeting->raised[next][1] = 0u;
    }
    /* To have returned earlier, and to have come to the end, is the same. */
    code = ann_meet(meeting, round, code == ANN_RETURNED ? 0u : code);
    round->set = next;
    return code == ANN_RETURNED ? 0u : code;
}

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Cell {
    u64 sum;
    u32 writes;
    u8 marked;
    u8 ann_pad0[3];
} Cell;
typedef char ann_size_of_Cell[sizeof(Cell) == 16 ? 1 : -1];

// What the threads of a block share while they work on a message.
typedef struct {
    ann_meeting meeting;
} ann_block_memory;

static u32 handle_kept_cells(ann_cx cx, GLOBAL const Number *message, PRIVATE ann_outbox *replies, GLOBAL Cell *elements, u64 elements_len, GLOBAL u32 *words, u64 words_len, LOCAL ann_block_memory *ann_together, PRIVATE ann_round *ann_rounds, u32 ann_first) {
    u32 ann_budget = 16777216u;
    u32 ann_code = ann_first; // of this thread
    u32 ann_end = ann_first; // the same in all threads
    // together.rs:+7
    u64 me = (u64)cx.thread_index;
    // together.rs:+8
    u64 dim = (u64)((u32)ANN_LAUNCH_THREADS);
    // together.rs:+9
    u64 what = message->value % 4ul;
    // together.rs:+10
    u64 added = message->value / 4ul;
    // together.rs:+12
    u64 first = 0ul;
    // together.rs:+13
    while (ann_end == 0u) {
        if (first >= elements_len) {
            break;
        }
        u64 at;
        while (ann_code == 0u) {
            if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
            // together.rs:+14
            at = first + me;
            break;
        }
        // together.rs:+15
        Cell cell;
        while (ann_code == 0u) {
            cell.sum = 0ul;
            cell.writes = 0u;
            cell.marked = false;
            // together.rs:+16
            if (at < elements_len) {
                // together.rs:+17
                if (elements_len == 0ul) { ann_code = 0xFF05u; break; } // division by zero
                u64 at_2 = (at + 1ul) % elements_len;
                if (at_2 >= elements_len) { ann_code = 0xFF04u; break; } // index out of bounds
                Cell element = elements[at_2];
                cell = element;
            }
            break;
        }
        // together.rs:+19
        ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
        ann_end = ann_code;
        // together.rs:+20
        while (ann_code == 0u) {
            if ((at < elements_len) && (what == 0ul)) {
                // together.rs:+21
                u64 sum = cell.sum;
                u32 writes = cell.writes;
                bool marked = cell.marked;
                // together.rs:+22
                u64 sum_2 = (sum * 31ul) + added;
                // together.rs:+23
                Cell cell_2;
                cell_2.sum = sum_2;
                cell_2.writes = writes + 1u;
                cell_2.marked = !marked;
                if (at >= elements_len) { ann_code = 0xFF04u; break; } // index out of bounds
                elements[at] = cell_2;
            }
            break;
        }
        // together.rs:+25
        ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
        ann_end = ann_code;
        // together.rs:+26
        first = first + dim;
    }
    // together.rs:+28
    while (ann_code == 0u) {
        if (me < words_len) {
            // together.rs:+29
            if (me >= words_len) { ann_code = 0xFF04u; break; } // index out of bounds
            u32 element = words[me];
            if (me >= words_len) { ann_code = 0xFF04u; break; } // index out of bounds
            words[me] = element + 1u;
        }
        break;
    }
    // together.rs:+31
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    // together.rs:+32
    while (ann_code == 0u) {
        if ((what == 1ul) && ((me + 1ul) == dim)) {
            // together.rs:+33
            ann_code = 77u;
            if (ann_code == 0u) ann_code = ANN_RETURNED;
            break;
        }
        // together.rs:+35
        if ((what == 2ul) && (me == 0ul)) {
            // together.rs:+36
            Cell cell;
            cell.sum = 1ul;
            cell.writes = 1u;
            cell.marked = true;
            if (elements_len >= elements_len) { ann_code = 0xFF04u; break; } // index out of bounds
            elements[elements_len] = cell;
        }
        // together.rs:+38
        if (what == 3ul) {
            // together.rs:+39
            bool more = 0ul <= words_len;
            u64 next = 0ul;
            for (;;) {
                if (!more) {
                    break;
                }
                if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
                u64 index_ = next;
                more = rs_distance_u64(next, words_len) >= 1ul;
                next = rs_advance_u64(next, 1ul);
                // together.rs:+40
                if (index_ >= words_len) { ann_code = 0xFF04u; break; } // index out of bounds
                u32 element = words[index_];
            }
            if (ann_code != 0u) break;
        }
        break;
    }
    // together.rs:+43
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    // together.rs:+45
    while (ann_code == 0u) {
        if (cx.thread_index == 0u) {
            // together.rs:+46
            for (u64 index_ = 0ul; index_ < words_len; index_ += 1) {
                if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
                // together.rs:+47
                u32 element = words[index_];
                words[index_] = element * 3u;
            }
            if (ann_code != 0u) break;
        }
        break;
    }
    // together.rs:+50
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    // together.rs:+51
    while (ann_code == 0u) {
        if (cx.thread_index == 0u) {
            // together.rs:+52
            u64 hash = (elements_len == 0ul) ? 1ul : 2ul;
            // together.rs:+53
            for (u64 index_ = 0ul; index_ < elements_len; index_ += 1) {
                if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
                // together.rs:+54
                Cell element = elements[index_];
                Cell cell = element;
                // together.rs:+55
                hash = ((hash * 1099511628211ul) ^ cell.sum) ^ ((u64)cell.writes);
                // together.rs:+56
                hash = rs_rotate_left_u64(hash, cell.marked ? 7u : 3u);
            }
            if (ann_code != 0u) break;
            // together.rs:+58
            for (u64 index_ = 0ul; index_ < words_len; index_ += 1) {
                if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
                // together.rs:+59
                u32 element = words[index_];
                hash = (hash * 1099511628211ul) ^ ((u64)element);
            }
            if (ann_code != 0u) break;
            // together.rs:+61
            Number number;
            number.value = hash;
            {
                GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
                if (ann_slot) *ann_slot = number;
            }
        }
        // together.rs:+63
        ann_code = ANN_RETURNED;
        break;
        break;
    }
    ann_end = ann_code;
    return ann_code;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Cell *bind_elements, u64 len_of_bind_elements, GLOBAL u32 *bind_words, u64 len_of_bind_words
#define ANN_BINDING_ENTRY , GLOBAL Cell *bind_elements ANN_BUFFER, ANN_NUMBER len_of_bind_elements ANN_BUFFER, GLOBAL u32 *bind_words ANN_BUFFER, ANN_NUMBER len_of_bind_words ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_elements, len_of_bind_elements, bind_words, len_of_bind_words
#define ANN_BLOCK_WIDE 1
#define ANN_CALL(cx, message, state, outbox) handle_kept_cells(cx, message, outbox, bind_elements, len_of_bind_elements, bind_words, len_of_bind_words, v->together, v->rounds, first)
