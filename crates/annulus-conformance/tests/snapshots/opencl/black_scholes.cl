// The handler of kernel `black_scholes`, written from crates/annulus-conformance/src/kernels/real/markets.rs:+0 (module annulus_conformance::kernels::real::markets).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Contract {
    f32 spot;
    f32 strike;
    f32 rate;
    f32 volatility;
    f32 years;
} Contract;
typedef char ann_size_of_Contract[sizeof(Contract) == 20 ? 1 : -1];

typedef struct Premium {
    f32 call;
    f32 put;
} Premium;
typedef char ann_size_of_Premium[sizeof(Premium) == 8 ? 1 : -1];

typedef struct f32_x5 { f32 at[5]; } f32_x5;

// markets.rs:-13: normal
static u32 fn_normal(f32 x, PRIVATE f32 *ann_result, PRIVATE u32 *ann_budget) {
    // markets.rs:-12
    f32 k = 1.0f / (1.0f + (0.2316419f * rs_abs_f32(x)));
    // markets.rs:-11
    f32_x5 polynomial;
    polynomial.at[0] = 0.31938154f;
    polynomial.at[1] = (-0.35656378f);
    polynomial.at[2] = 1.7814779f;
    polynomial.at[3] = (-1.8212559f);
    polynomial.at[4] = 1.3302745f;
    // markets.rs:-10
    f32 sum = 0.0f;
    // markets.rs:-9
    for (u64 i = 0ul; i < 5ul; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = 4ul - i;
        // markets.rs:-8
        sum = (sum + polynomial.at[at]) * k;
    }
    // markets.rs:-6
    f32 tail = (0.3989423f * rs_exp_f32(((- x) * x) / 2.0f)) * sum;
    // markets.rs:-5
    *ann_result = (x < 0.0f) ? tail : (1.0f - tail);
    return 0u;
}

static u32 handle_black_scholes(GLOBAL const Contract *contract, PRIVATE ann_outbox *premiums) {
    u32 ann_budget = 16777216u;
    // markets.rs:+1
    f32 spot = contract->spot;
    f32 strike = contract->strike;
    f32 rate = contract->rate;
    f32 volatility = contract->volatility;
    f32 years = contract->years;
    // markets.rs:+2
    f32 spread = volatility * rs_sqrt_f32(years);
    // markets.rs:+3
    f32 d1 = (rs_ln_f32(spot / strike) + ((rate + ((volatility * volatility) / 2.0f)) * years)) / spread;
    // markets.rs:+4
    f32 d2 = d1 - spread;
    // markets.rs:+5
    f32 discounted = strike * rs_exp_f32((- rate) * years);
    // markets.rs:+6
    f32 normal;
    RS_TRY(fn_normal(d1, &normal, &ann_budget));
    f32 normal_2;
    RS_TRY(fn_normal(d2, &normal_2, &ann_budget));
    f32 normal_3;
    RS_TRY(fn_normal(- d2, &normal_3, &ann_budget));
    f32 normal_4;
    RS_TRY(fn_normal(- d1, &normal_4, &ann_budget));
    Premium premium;
    premium.call = (spot * normal) - (discounted * normal_2);
    premium.put = (discounted * normal_3) - (spot * normal_4);
    {
        GLOBAL Premium *ann_slot = (GLOBAL Premium *)ann_outbox_next(premiums);
        if (ann_slot) *ann_slot = premium;
    }
    return 0u;
}

#define ANN_MESSAGE Contract
#define ANN_MESSAGE_BYTES 20
#define ANN_OUTPUT Premium
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_black_scholes(message, outbox)
