// The handler of kernel `matching`, written from crates/annulus-conformance/src/kernels/real/markets.rs:+0 (module annulus_conformance::kernels::real::markets).
#pragma OPENCL FP_CONTRACT OFF

typedef union Side {
    u8 tag; // 0 Buy, 1 Sell
} Side;
typedef char ann_size_of_Side[sizeof(Side) == 1 ? 1 : -1];

typedef struct Limit {
    u32 market;
    u8 tick;
    Side side;
    u8 ann_pad0[2];
    u32 amount;
} Limit;
typedef char ann_size_of_Limit[sizeof(Limit) == 12 ? 1 : -1];

typedef struct Trade {
    u32 price;
    u32 amount;
} Trade;
typedef char ann_size_of_Trade[sizeof(Trade) == 8 ? 1 : -1];

typedef struct u32_x64 { u32 at[64]; } u32_x64;

typedef struct Ladder {
    u32_x64 amounts;
    u64 bids;
    u64 asks;
} Ladder;
typedef char ann_size_of_Ladder[sizeof(Ladder) == 272 ? 1 : -1];

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

// markets.rs:-17: Ladder::best
static Option_u32 fn_Ladder_best(PRIVATE const Ladder *self, Side side, u32 limit) {
    // markets.rs:-16
    Option_u32 chosen;
    if ((side.tag == 0) && (self->asks != 0ul)) {
        // markets.rs:-14
        u32 best = rs_trailing_zeros_u64(self->asks);
        // markets.rs:-13
        if (best <= limit) {
            chosen.tag = 1; // Some
            chosen.some = best;
        } else {
            chosen.tag = 0; // None
        }
    } else if ((side.tag == 1) && (self->bids != 0ul)) {
        // markets.rs:-10
        u32 best = 63u - rs_leading_zeros_u64(self->bids);
        // markets.rs:-9
        if (best >= limit) {
            chosen.tag = 1; // Some
            chosen.some = best;
        } else {
            chosen.tag = 0; // None
        }
    } else {
        // markets.rs:-7
        chosen.tag = 0; // None
    }
    return chosen;
}

static u32 handle_matching(GLOBAL const Limit *order, PRIVATE Ladder *ladder, PRIVATE ann_outbox *trades) {
    u32 ann_budget = 16777216u;
    // markets.rs:+1
    u32 limit = (u32)order->tick;
    // markets.rs:+2
    if (limit >= 64u) {
        // markets.rs:+3
        return 120u;
    }
    // markets.rs:+5
    u32 left = order->amount;
    // markets.rs:+6
    for (;;) {
        if (left <= 0u) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // markets.rs:+7
        Option_u32 best = fn_Ladder_best(ladder, order->side, limit);
        if (best.tag != 1) {
            break;
        }
        u32 tick = best.some;
        // markets.rs:+8
        u64 at = (u64)tick;
        if (at >= 64ul) return 0xFF04u; // index out of bounds
        // markets.rs:+9
        u32 taken = rs_min_u32(left, ladder->amounts.at[at]);
        // markets.rs:+10
        ladder->amounts.at[at] = ladder->amounts.at[at] - taken;
        // markets.rs:+11
        left = left - taken;
        // markets.rs:+12
        if (ladder->amounts.at[at] == 0u) {
            // markets.rs:+13
            if (order->side.tag == 0) {
                // markets.rs:+14
                ladder->asks = ladder->asks & ((u64)~rs_shl_u64(1ul, tick));
            } else {
                // markets.rs:+15
                ladder->bids = ladder->bids & ((u64)~rs_shl_u64(1ul, tick));
            }
        }
        // markets.rs:+18
        Trade trade;
        trade.price = tick;
        trade.amount = taken;
        {
            GLOBAL Trade *ann_slot = (GLOBAL Trade *)ann_outbox_next(trades);
            if (ann_slot) *ann_slot = trade;
        }
    }
    // markets.rs:+20
    if (left > 0u) {
        // markets.rs:+21
        u64 at = (u64)limit;
        if (at >= 64ul) return 0xFF04u; // index out of bounds
        // markets.rs:+22
        ladder->amounts.at[at] = rs_saturating_add_u32(ladder->amounts.at[at], left);
        // markets.rs:+23
        if (order->side.tag == 0) {
            // markets.rs:+24
            ladder->bids = ladder->bids | rs_shl_u64(1ul, limit);
        } else {
            // markets.rs:+25
            ladder->asks = ladder->asks | rs_shl_u64(1ul, limit);
        }
    }
    // markets.rs:+28
    return 0u;
}

#define ANN_MESSAGE Limit
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Trade
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Ladder
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->market)
#define ANN_MAX_OUTPUTS 64
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_matching(message, state, outbox)
