// The handler of kernel `bars`, written from crates/annulus-conformance/src/kernels/real/markets.rs:+0 (module annulus_conformance::kernels::real::markets).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Deal {
    u32 share;
    u32 time;
    f32 price;
    u32 amount;
} Deal;
typedef char ann_size_of_Deal[sizeof(Deal) == 16 ? 1 : -1];

typedef struct Bar {
    u32 share;
    u32 minute;
    f32 open;
    f32 high;
    f32 low;
    f32 close;
    u32 amount;
    f32 mean;
} Bar;
typedef char ann_size_of_Bar[sizeof(Bar) == 32 ? 1 : -1];

static u32 handle_bars(GLOBAL const Deal *deal, PRIVATE Bar *bar, PRIVATE ann_outbox *bars) {
    // markets.rs:+1
    u32 share = deal->share;
    u32 time = deal->time;
    f32 price = deal->price;
    u32 amount = deal->amount;
    // markets.rs:+2
    u32 minute = time / 60u;
    // markets.rs:+3
    if ((bar->amount > 0u) && (bar->minute != minute)) {
        // markets.rs:+4
        {
            GLOBAL Bar *ann_slot = (GLOBAL Bar *)ann_outbox_next(bars);
            if (ann_slot) *ann_slot = (*bar);
        }
        // markets.rs:+5
        bar->amount = 0u;
    }
    // markets.rs:+7
    if (amount == 0u) {
        // markets.rs:+8
        return 0u;
    }
    // markets.rs:+10
    if (bar->amount == 0u) {
        // markets.rs:+11
        Bar bar_2;
        bar_2.share = share;
        bar_2.minute = minute;
        bar_2.open = price;
        bar_2.high = price;
        bar_2.low = price;
        bar_2.close = price;
        bar_2.amount = amount;
        bar_2.mean = price;
        (*bar) = bar_2;
        // markets.rs:+12
        return 0u;
    }
    // markets.rs:+14
    bar->high = rs_max_f32(bar->high, price);
    // markets.rs:+15
    bar->low = rs_min_f32(bar->low, price);
    // markets.rs:+16
    bar->close = price;
    // markets.rs:+17
    bar->amount = rs_saturating_add_u32(bar->amount, amount);
    // markets.rs:+18
    bar->mean = bar->mean + ((price - bar->mean) * (((f32)amount) / ((f32)bar->amount)));
    return 0u;
}

#define ANN_MESSAGE Deal
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Bar
#define ANN_OUTPUT_BYTES 32
#define ANN_STATE Bar
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->share)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_bars(message, state, outbox)
