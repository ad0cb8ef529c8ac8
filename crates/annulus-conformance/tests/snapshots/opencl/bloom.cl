// The handler of kernel `bloom`, written from crates/annulus-conformance/src/kernels/real/memory.rs:+0 (module annulus_conformance::kernels::real::memory).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Lookup {
    u64 key;
} Lookup;
typedef char ann_size_of_Lookup[sizeof(Lookup) == 8 ? 1 : -1];

typedef struct Known {
    u64 key;
    u8 known;
    u8 ann_pad0[7];
} Known;
typedef char ann_size_of_Known[sizeof(Known) == 16 ? 1 : -1];

static u32 handle_bloom(GLOBAL const Lookup *lookup, PRIVATE ann_outbox *answers, volatile GLOBAL u32 *bits, u64 bits_len) {
    u32 ann_budget = 16777216u;
    // memory.rs:+1
    u64 hash = lookup->key;
    // memory.rs:+2
    bool known = true;
    // memory.rs:+3
    for (i32 i = 0; i < 3; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // memory.rs:+4
        hash = (hash ^ (hash >> 33u)) * 18397679294719823053ul;
        // memory.rs:+5
        u64 divisor = bits_len * 32ul;
        if (divisor == 0ul) return 0xFF05u; // division by zero
        u64 bit = ((u64)hash) % divisor;
        // memory.rs:+6
        u32 mask = rs_shl_u32(1u, (u32)(bit % 32ul));
        // memory.rs:+7
        u64 at = bit / 32ul;
        if (at >= bits_len) return 0xFF04u; // index out of bounds
        u32 seen;
        seen = rs_atomic_fetch_or_u32(&bits[at], mask, RS_RELAXED);
        if ((seen & mask) == 0u) {
            // memory.rs:+8
            known = false;
        }
    }
    // memory.rs:+11
    Known known_2;
    known_2.key = lookup->key;
    known_2.known = known;
    {
        GLOBAL Known *ann_slot = (GLOBAL Known *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = known_2;
    }
    return 0u;
}

#define ANN_MESSAGE Lookup
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Known
#define ANN_OUTPUT_BYTES 16
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_bits, u64 len_of_bind_bits
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_bits ANN_BUFFER, ANN_NUMBER len_of_bind_bits ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_bits, len_of_bind_bits
#define ANN_CALL(cx, message, state, outbox) handle_bloom(message, outbox, bind_bits, len_of_bind_bits)
