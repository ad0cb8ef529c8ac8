// The handler of kernel `exchange`, written from crates/annulus-conformance/src/kernels.rs:+0 (module annulus_conformance::kernels).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

static u32 handle_exchange(GLOBAL const Number *message, PRIVATE ann_outbox *replies, GLOBAL u64 *memory, u64 memory_len) {
    // kernels.rs:+1
    if (memory_len == 0ul) return 0xFF05u; // division by zero
    u64 index_ = ((u64)message->value) % memory_len;
    // kernels.rs:+2
    if (index_ >= memory_len) return 0xFF04u; // index out of bounds
    u64 old = memory[index_];
    // kernels.rs:+3
    if (index_ >= memory_len) return 0xFF04u; // index out of bounds
    memory[index_] = message->value;
    // kernels.rs:+4
    Number number;
    number.value = old;
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
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u64 *bind_memory, u64 len_of_bind_memory
#define ANN_BINDING_ENTRY , GLOBAL u64 *bind_memory ANN_BUFFER, ANN_NUMBER len_of_bind_memory ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_memory, len_of_bind_memory
#define ANN_CALL(cx, message, state, outbox) handle_exchange(message, outbox, bind_memory, len_of_bind_memory)
