// The handler of kernel `fenced`, written from crates/annulus-conformance/src/kernels/order.rs:+0 (module annulus_conformance::kernels::order).
#pragma OPENCL FP_CONTRACT OFF

// Fences of a handler. What the thread has read and written before a fence comes, for all within the fence's
// scope, before what it reads and writes after it; and all fences of a scope come in one order.
#if defined(__OPENCL_VERSION__)
#if ANN_HOSTED
// One thread of the system runs the whole block.
#define rs_fence_block() __asm__ volatile("" ::: "memory")
#elif defined(ANN_SCOPE)
#define rs_fence_block()                                                                                       \
    atomic_work_item_fence(                                                                                    \
        CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group)
#else
#define rs_fence_block() mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#endif
// The prelude's is the widest that the device has.
#define rs_fence_device() ann_fence_all()
#define rs_fence_system() ann_fence_all()
#elif defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define rs_fence_block() __threadfence_block()
#define rs_fence_device() __threadfence()
#define rs_fence_system() __threadfence_system()
#elif defined(__METAL_VERSION__)
#if __METAL_VERSION__ < 320
#define RS_FENCE_AT(flags, scope) fences_need_metal_3_2
#else
#define RS_FENCE_AT(flags, scope) metal::atomic_thread_fence(flags, metal::memory_order_seq_cst, scope)
#endif
#define rs_fence_block()                                                                                       \
    RS_FENCE_AT(                                                                                               \
        metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup, metal::thread_scope_threadgroup)
/* The block's own memory has no wider scope than the block. */
#define rs_fence_device()                                                                                      \
    (rs_fence_block(), RS_FENCE_AT(metal::mem_flags::mem_device, metal::thread_scope_device))
#else
#define rs_fence_block() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define rs_fence_device() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define rs_fence_system() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Fenced {
    u64 last;
} Fenced;
typedef char ann_size_of_Fenced[sizeof(Fenced) == 8 ? 1 : -1];

typedef union FenceScope {
    u8 tag; // 0 Block, 1 Device, 2 System
} FenceScope;
typedef char ann_size_of_FenceScope[sizeof(FenceScope) == 1 ? 1 : -1];

// order.rs:-8: put
static u32 fn_put(ann_cx cx, volatile GLOBAL u32 *words, u64 words_len, u32 value) {
    // order.rs:-7
    if (1ul >= words_len) return 0xFF04u; // index out of bounds
    rs_atomic_store_u32(&words[1], value, RS_RELAXED);
    // order.rs:-6
    rs_fence_device();
    // order.rs:-5
    if (0ul >= words_len) return 0xFF04u; // index out of bounds
    u32 seen;
    seen = rs_atomic_fetch_add_u32(&words[0], 1u, RS_RELAXED);
    return 0u;
}

static u32 handle_fenced(ann_cx cx, GLOBAL const Number *number, PRIVATE Fenced *kept, PRIVATE ann_outbox *seen, volatile GLOBAL u32 *words, u64 words_len) {
    // order.rs:+1
    RS_TRY(fn_put(cx, words, words_len, (u32)number->value));
    // order.rs:+2
    kept->last = number->value;
    // order.rs:+3
    rs_fence_block();
    // order.rs:+4
    if (1ul >= words_len) return 0xFF04u; // index out of bounds
    u32 value;
    value = rs_atomic_load_u32(&words[1], RS_RELAXED);
    // order.rs:+5
    if (value != 0u) {
        // order.rs:+6
        rs_fence_device();
    }
    // order.rs:+8
    Number number_2;
    number_2.value = ((u64)value) + kept->last;
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(seen);
        if (ann_slot) *ann_slot = number_2;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Fenced
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_words, u64 len_of_bind_words
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_words ANN_BUFFER, ANN_NUMBER len_of_bind_words ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_words, len_of_bind_words
#define ANN_CALL(cx, message, state, outbox) handle_fenced(cx, message, state, outbox, bind_words, len_of_bind_words)
