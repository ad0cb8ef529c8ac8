// The handler of kernel `even_out`, written from crates/annulus-conformance/src/kernels/balance.rs:+0 (module annulus_conformance::kernels::balance).
#pragma OPENCL FP_CONTRACT OFF

/* Where the next output of one of several outboxes goes; null, and the message fails, beyond what this one may
   send. `sent` counts the outputs of each. */
RS_FN GLOBAL u8 *ann_port_next(PRIVATE ann_outbox *outbox, PRIVATE u32 *sent, u32 port, u32 limit)
{
    if (sent[port] >= limit) {
        outbox->refused = 1;
        return 0;
    }
    sent[port] += 1;
    return ann_outbox_next(outbox);
}

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

typedef struct Beat {
    u32 worker;
    u32 depth;
    u32 gave;
    u32 took;
} Beat;
typedef char ann_size_of_Beat[sizeof(Beat) == 16 ? 1 : -1];

typedef union News {
    u32 tag; // 0u Beat, 1u Rule, 2u Asked, 3u Look
    struct {
        u32 ann_tag;
        Beat field_0;
    } Beat;
    struct {
        u32 ann_tag;
        u8 is_on;
        u8 ann_pad0[15];
    } Rule;
} News;
typedef char ann_size_of_News[sizeof(News) == 20 ? 1 : -1];
typedef char ann_size_of_News_Beat[sizeof(((PRIVATE News *)0)->Beat) == 20 ? 1 : -1];
typedef char ann_size_of_News_Rule[sizeof(((PRIVATE News *)0)->Rule) == 20 ? 1 : -1];

typedef struct Order {
    u32 worker;
    u32 to;
    u32 count;
} Order;
typedef char ann_size_of_Order[sizeof(Order) == 12 ? 1 : -1];

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct Known {
    u32_x4 depths;
    u32 looks;
    u32 orders;
    u8 is_settled;
    u8 ann_pad0[3];
} Known;
typedef char ann_size_of_Known[sizeof(Known) == 28 ? 1 : -1];

typedef union outputs_of_even_out {
    u64 tag; // 0ul orders, 1ul known
    struct {
        u64 ann_tag;
        Order field_0;
        u8 ann_pad0[20];
    } orders;
    struct {
        u64 ann_tag;
        Known field_0;
        u8 ann_pad0[4];
    } known;
} outputs_of_even_out;
typedef char ann_size_of_outputs_of_even_out[sizeof(outputs_of_even_out) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_even_out_orders[sizeof(((PRIVATE outputs_of_even_out *)0)->orders) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_even_out_known[sizeof(((PRIVATE outputs_of_even_out *)0)->known) == 40 ? 1 : -1];

typedef struct Office {
    u8 is_on;
    u8 ann_pad0[3];
    u32 looks;
    u32 orders;
    u32_x4 depths;
    u32_x4 gave;
    u32_x4 took;
    u32_x4 gives;
    u32_x4 takes;
} Office;
typedef char ann_size_of_Office[sizeof(Office) == 92 ? 1 : -1];

// balance.rs:-18: Office::is_settled
static bool fn_Office_is_settled(PRIVATE const Office *self) {
    // balance.rs:-17
    bool same = true;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (self->gave.at[i] != self->gives.at[i]) {
            same = false;
            break;
        }
    }
    bool both = same;
    if (both) {
        bool same_2 = true;
        for (u64 i = 0ul; i < 4ul; i += 1) {
            if (self->took.at[i] != self->takes.at[i]) {
                same_2 = false;
                break;
            }
        }
        both = same_2;
    }
    return both;
}

// balance.rs:-14: Office::least
static u32 fn_Office_least(PRIVATE const Office *self, PRIVATE u64 *ann_result, PRIVATE u32 *ann_budget) {
    // balance.rs:-13
    u64 least = 0ul;
    // balance.rs:-12
    for (u64 worker = 1ul; worker < 4ul; worker += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // balance.rs:-11
        if (least >= 4ul) return 0xFF04u; // index out of bounds
        if (self->depths.at[worker] < self->depths.at[least]) {
            // balance.rs:-10
            least = worker;
        }
    }
    // balance.rs:-7
    *ann_result = least;
    return 0u;
}

static u32 handle_even_out(GLOBAL const News *news, PRIVATE Office *office, PRIVATE ann_outbox *outbox) {
    u32 ann_budget = 16777216u;
    u32 ann_sent[2] = { 0u, 0u };
    // balance.rs:+1
    if (news->tag == 0u) {
        // balance.rs:+2
        Beat beat = news->Beat.field_0;
        // balance.rs:+3
        u64 worker = (u64)beat.worker;
        // balance.rs:+4
        if (worker >= 4ul) return 0xFF04u; // index out of bounds
        office->depths.at[worker] = beat.depth;
        // balance.rs:+5
        if (worker >= 4ul) return 0xFF04u; // index out of bounds
        office->gave.at[worker] = beat.gave;
        // balance.rs:+6
        if (worker >= 4ul) return 0xFF04u; // index out of bounds
        office->took.at[worker] = beat.took;
    } else if (news->tag == 1u) {
        // balance.rs:+8
        bool is_on = news->Rule.is_on;
        office->is_on = is_on;
    } else if (news->tag == 2u) {
        // balance.rs:+9
        u32_x4 before = office->depths;
        u32 before_2 = office->looks;
        u32 before_3 = office->orders;
        bool is_settled = fn_Office_is_settled(office);
        Known known;
        known.depths = before;
        known.looks = before_2;
        known.orders = before_3;
        known.is_settled = is_settled;
        {
            GLOBAL outputs_of_even_out *ann_slot = (GLOBAL outputs_of_even_out *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->known.field_0 = known;
            }
        }
    } else {
        // balance.rs:+16
        bool both = !office->is_on;
        if (!both) {
            bool is_settled = fn_Office_is_settled(office);
            both = !is_settled;
        }
        if (both) {
            // balance.rs:+17
            return 0u;
        }
        // balance.rs:+19
        office->looks = office->looks + 1u;
        // balance.rs:+20
        u32_x4 depths = office->depths;
        // balance.rs:+21
        u32 sum = 0u;
        for (u64 i = 0ul; i < 4ul; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            sum = sum + depths.at[i];
        }
        u32 sum_2 = sum;
        // balance.rs:+22
        for (u64 from = 0ul; from < 4ul; from += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // balance.rs:+24
            if (((2u * depths.at[from]) * 4u) > (3u * sum_2)) {
                // balance.rs:+25
                u64 to;
                RS_TRY(fn_Office_least(office, &to, &ann_budget));
                // balance.rs:+26
                if (to >= 4ul) return 0xFF04u; // index out of bounds
                u32 half_ = (depths.at[from] - office->depths.at[to]) / 2u;
                // balance.rs:+27
                u32 count = rs_min_u32(half_, 10u);
                // balance.rs:+28
                if (count != 0u) {
                    // balance.rs:+29
                    office->depths.at[from] = office->depths.at[from] - count;
                    // balance.rs:+30
                    if (to >= 4ul) return 0xFF04u; // index out of bounds
                    office->depths.at[to] = office->depths.at[to] + count;
                    // balance.rs:+31
                    office->gives.at[from] = office->gives.at[from] + 1u;
                    // balance.rs:+32
                    if (to >= 4ul) return 0xFF04u; // index out of bounds
                    office->takes.at[to] = office->takes.at[to] + 1u;
                    // balance.rs:+33
                    office->orders = office->orders + 1u;
                    // balance.rs:+34
                    Order order;
                    order.worker = (u32)from;
                    order.to = (u32)to;
                    order.count = count;
                    {
                        GLOBAL outputs_of_even_out *ann_slot = (GLOBAL outputs_of_even_out *)ann_port_next(outbox, ann_sent, 0u, 4u);
                        if (ann_slot) {
                            ann_slot->tag = 0ul;
                            ann_slot->orders.field_0 = order;
                        }
                    }
                }
            }
        }
    }
    return 0u;
}

#define ANN_MESSAGE News
#define ANN_MESSAGE_BYTES 20
#define ANN_OUTPUT outputs_of_even_out
#define ANN_OUTPUT_BYTES 40
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 12u : 28u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 1u : 0u)
#define ANN_PORT_KEY_0(message) ((u64)(message)->worker)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? ANN_PORT_KEY_0((GLOBAL const Order *)((output) + 8u)) : (u64)0)
#define ANN_STATE Office
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 5
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 0u
#define ANN_MAX_TIMERS 0u
#define ANN_TICK 1000000ul
#define ANN_TICK_TAG 3u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_even_out(message, state, outbox)
