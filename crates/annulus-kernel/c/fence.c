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
