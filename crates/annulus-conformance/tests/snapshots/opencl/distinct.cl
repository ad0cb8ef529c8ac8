// The handler of kernel `distinct`, written from crates/annulus-conformance/src/kernels/real/memory.rs:+0 (module annulus_conformance::kernels::real::memory).
#pragma OPENCL FP_CONTRACT OFF

typedef union Visit {
    u32 tag; // 0u By, 1u HowMany
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        u64 visitor;
    } By;
} Visit;
typedef char ann_size_of_Visit[sizeof(Visit) == 16 ? 1 : -1];
typedef char ann_size_of_Visit_By[sizeof(((PRIVATE Visit *)0)->By) == 16 ? 1 : -1];

typedef struct Estimate {
    f32 value;
} Estimate;
typedef char ann_size_of_Estimate[sizeof(Estimate) == 4 ? 1 : -1];

// memory.rs:-37: scatter
static u64 fn_scatter(u64 key) {
    // memory.rs:-36
    u64 key_2 = (key ^ (key >> 33u)) * 18397679294719823053ul;
    // memory.rs:-35
    u64 key_3 = (key_2 ^ (key_2 >> 33u)) * 14181476777654086739ul;
    // memory.rs:-34
    return key_3 ^ (key_3 >> 33u);
}

static u32 handle_distinct(GLOBAL const Visit *visit, PRIVATE ann_outbox *answers, volatile GLOBAL u32 *registers, u64 registers_len) {
    u32 ann_budget = 16777216u;
    // memory.rs:+1
    f32 count = (f32)registers_len;
    // memory.rs:+2
    if (visit->tag == 0u) {
        u64 visitor = visit->By.visitor;
        // memory.rs:+3
        u64 hash = fn_scatter(visitor);
        // memory.rs:+4
        if (registers_len == 0ul) return 0xFF05u; // division by zero
        u64 register_ = ((u64)(hash >> 32u)) % registers_len;
        // memory.rs:+5
        u32 rank = rs_leading_zeros_u32((u32)hash) + 1u;
        // memory.rs:+6
        if (register_ >= registers_len) return 0xFF04u; // index out of bounds
        u32 seen;
        seen = rs_atomic_fetch_max_u32(&registers[register_], rank, RS_RELAXED);
        // memory.rs:+7
        return 0u;
    }
    // memory.rs:+9
    f32 sum = 0.0f;
    // memory.rs:+10
    f32 empty = 0.0f;
    // memory.rs:+11
    for (u64 i = 0ul; i < registers_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // memory.rs:+12
        u32 seen;
        seen = rs_atomic_load_u32(&registers[i], RS_RELAXED);
        u32 rank = rs_min_u32(seen, 33u);
        // memory.rs:+13
        sum = sum + (1.0f / ((f32)rs_shl_u64(1ul, rank)));
        // memory.rs:+14
        if (rank == 0u) {
            // memory.rs:+15
            empty = empty + 1.0f;
        }
    }
    // memory.rs:+18
    f32 raw = (((0.7213f / (1.0f + (1.079f / count))) * count) * count) / sum;
    // memory.rs:+19
    f32 value = ((raw <= (2.5f * count)) && (empty > 0.0f)) ? (count * rs_ln_f32(count / empty)) : raw;
    // memory.rs:+20
    Estimate estimate;
    estimate.value = value;
    {
        GLOBAL Estimate *ann_slot = (GLOBAL Estimate *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = estimate;
    }
    return 0u;
}

#define ANN_MESSAGE Visit
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Estimate
#define ANN_OUTPUT_BYTES 4
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_registers, u64 len_of_bind_registers
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_registers ANN_BUFFER, ANN_NUMBER len_of_bind_registers ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_registers, len_of_bind_registers
#define ANN_CALL(cx, message, state, outbox) handle_distinct(message, outbox, bind_registers, len_of_bind_registers)
