// The handler of kernel `litmus`, written from crates/annulus-conformance/src/kernels/order.rs:+0 (module annulus_conformance::kernels::order).
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

typedef struct Litmus {
    u32 side;
    u32 first;
    u32 fence;
    u32 second;
    u32 from;
    u32 until;
} Litmus;
typedef char ann_size_of_Litmus[sizeof(Litmus) == 24 ? 1 : -1];

typedef union FenceScope {
    u8 tag; // 0 Block, 1 Device, 2 System
} FenceScope;
typedef char ann_size_of_FenceScope[sizeof(FenceScope) == 1 ? 1 : -1];

// order.rs:-16: touch
static u32 fn_touch(volatile GLOBAL u32 *words, u64 words_len, u32 what, u64 round_, u64 result) {
    // order.rs:-15
    u64 plane = words_len / 10ul;
    // order.rs:-14
    if (what == 1u) {
        // order.rs:-13
        if (round_ >= words_len) return 0xFF04u; // index out of bounds
        rs_atomic_store_u32(&words[round_], 1u, RS_RELAXED);
    } else if (what == 2u) {
        // order.rs:-12
        u64 at = plane + round_;
        if (at >= words_len) return 0xFF04u; // index out of bounds
        rs_atomic_store_u32(&words[at], 1u, RS_RELAXED);
    } else if ((what == 3u) || (what == 4u)) {
        // order.rs:-10
        u64 at = (what == 3u) ? round_ : (plane + round_);
        // order.rs:-9
        if (at >= words_len) return 0xFF04u; // index out of bounds
        u32 seen;
        seen = rs_atomic_load_u32(&words[at], RS_RELAXED);
        // order.rs:-8
        u64 at_2 = (result * plane) + round_;
        if (at_2 >= words_len) return 0xFF04u; // index out of bounds
        rs_atomic_store_u32(&words[at_2], seen + 1u, RS_RELAXED);
    } else {
    }
    // order.rs:-6
    return 0u;
}

static u32 handle_litmus(ann_cx cx, GLOBAL const Litmus *run, volatile GLOBAL u32 *words, u64 words_len) {
    u32 ann_budget = 16777216u;
    // order.rs:+1
    u64 results = 2ul + (2ul * ((u64)run->side));
    // order.rs:+2
    u32 end = run->until;
    for (u32 round_ = run->from; round_ < end; round_ += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // order.rs:+3
        RS_TRY(fn_touch(words, words_len, run->first, (u64)round_, results));
        // order.rs:+4
        if (run->fence == 1u) {
            // order.rs:+5
            rs_fence_block();
        } else if (run->fence == 2u) {
            // order.rs:+6
            rs_fence_device();
        } else if (run->fence == 3u) {
            // order.rs:+7
            rs_fence_system();
        } else {
        }
        // order.rs:+10
        RS_TRY(fn_touch(words, words_len, run->second, (u64)round_, results + 1ul));
    }
    return 0u;
}

#define ANN_MESSAGE Litmus
#define ANN_MESSAGE_BYTES 24
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->side)
#define ANN_MAX_OUTPUTS 0
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_words, u64 len_of_bind_words
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_words ANN_BUFFER, ANN_NUMBER len_of_bind_words ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_words, len_of_bind_words
#define ANN_CALL(cx, message, state, outbox) handle_litmus(cx, message, bind_words, len_of_bind_words)
