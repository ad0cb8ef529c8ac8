/* What the bare candidates run: one message of 256 bytes, echoed. */

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define WORDS 64

static void answer(__global const uint *in, __global uint *out)
{
    for (uint i = get_local_id(0); i < WORDS; i += get_local_size(0))
        out[i] = in[i] + 1;
}

/* A launch for each message. */
__kernel void launched(__global const uint *in, __global uint *out)
{
    answer(in, out);
}

/* A launch for a batch of messages, one after the other in memory. */
__kernel void launched_batch(__global const uint *in, __global uint *out, uint messages)
{
    for (uint m = 0; m < messages; m++)
        answer(in + m * WORDS, out + m * WORDS);
}

/* A loop that stays, with nothing around it: `flags[0]` counts messages, `flags[32]` answers; all bits set
   end it. Every turn ends with a barrier, and only the leader looks. */
__kernel void resident(__global const uint *in, __global uint *out, volatile __global atomic_uint *flags)
{
    __local uint seen;
    uint last = 0;
    for (;;) {
        if (get_local_id(0) == 0) {
            uint now;
            do
                now = atomic_load_explicit(&flags[0], memory_order_acquire, memory_scope_device);
            while (now == last);
            seen = now;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint now = seen;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (now == 0xFFFFFFFFu)
            break;
        last = now;
        answer(in, out);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            atomic_store_explicit(&flags[32], now, memory_order_release, memory_scope_device);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
