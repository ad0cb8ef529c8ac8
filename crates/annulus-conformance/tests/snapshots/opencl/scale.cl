// The handler of kernel `scale`, written from crates/annulus-conformance/src/kernels.rs:+0 (module annulus_conformance::kernels).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Scale {
    u64 factor;
    u64 offset;
} Scale;
typedef char ann_size_of_Scale[sizeof(Scale) == 16 ? 1 : -1];

static u32 handle_scale(GLOBAL const Number *message, PRIVATE ann_outbox *replies, GLOBAL const Scale *scale, GLOBAL const u64 *table, u64 table_len, volatile GLOBAL u32 *uses, u64 uses_len) {
    // kernels.rs:+1
    if (table_len == 0ul) return 0xFF05u; // division by zero
    u64 index_ = ((u64)message->value) % table_len;
    // kernels.rs:+2
    if (index_ >= uses_len) return 0xFF04u; // index out of bounds
    u32 before;
    before = rs_atomic_fetch_add_u32(&uses[index_], 1u, RS_RELAXED);
    // kernels.rs:+3
    if (index_ >= table_len) return 0xFF04u; // index out of bounds
    Number number;
    number.value = ((table[index_] * scale->factor) + scale->offset) + (((u64)before) * 1000000ul);
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = number;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Scale *bind_scale, u64 len_of_bind_scale, GLOBAL u64 *bind_table, u64 len_of_bind_table, volatile GLOBAL u32 *bind_uses, u64 len_of_bind_uses
#define ANN_BINDING_ENTRY , GLOBAL Scale *bind_scale ANN_BUFFER, ANN_NUMBER len_of_bind_scale ANN_BUFFER, GLOBAL u64 *bind_table ANN_BUFFER, ANN_NUMBER len_of_bind_table ANN_BUFFER, volatile GLOBAL u32 *bind_uses ANN_BUFFER, ANN_NUMBER len_of_bind_uses ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_scale, len_of_bind_scale, bind_table, len_of_bind_table, bind_uses, len_of_bind_uses
#define ANN_CALL(cx, message, state, outbox) handle_scale(message, outbox, bind_scale, bind_table, len_of_bind_table, bind_uses, len_of_bind_uses)
