// What the bare candidates run: messages of 256 bytes, echoed.

constexpr unsigned WORDS = 64;

// What the host writes while a kernel runs is not to come from a cache: volatile.
static __device__ void answer(const volatile unsigned *in, unsigned *out)
{
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) out[i] = in[i] + 1;
}

// A launch for each message, or for a batch of them: a block for each.
extern "C" __global__ void launched(const unsigned *in, unsigned *out)
{
    answer(in + blockIdx.x * WORDS, out + blockIdx.x * WORDS);
}

// A loop that stays, with nothing around it: `flags[0]` counts messages, `flags[32]` answers; all bits set end it.
extern "C" __global__ void resident(const unsigned *in, unsigned *out, unsigned *flags)
{
    __shared__ unsigned seen;
    unsigned last = 0;
    for (;;) {
        if (threadIdx.x == 0) {
            unsigned now;
            do
                asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(now) : "l"(flags) : "memory");
            while (now == last);
            asm volatile("fence.acq_rel.sys;" ::: "memory");
            seen = now;
        }
        __syncthreads();
        unsigned now = seen;
        if (now == 0xFFFFFFFFu) break;
        last = now;
        answer(in, out);
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(flags + 32), "r"(now) : "memory");
        __syncthreads();
    }
}
