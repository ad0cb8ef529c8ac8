// Small loops that each do one thing again and again, so that its cost shows. Times are nanoseconds of the device's clock.

static __device__ unsigned long long now()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
}

static __device__ unsigned look(const unsigned *word)
{
    unsigned value;
    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

static __device__ unsigned look_near(const unsigned *word)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

static __device__ void say(unsigned *word, unsigned value)
{
    asm volatile("st.relaxed.sys.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

// Loads at the system's scope. The word holds 0, which is added to the next address: each load waits for the one before it.
extern "C" __global__ void loads(unsigned *word, unsigned long long *out, unsigned rounds)
{
    unsigned at = 0;
    unsigned long long begun = now();
    for (unsigned i = 0; i < rounds; i += 1) at = look(word + at);
    out[0] = now() - begun + at;
}

// The same at the device's scope.
extern "C" __global__ void near_loads(unsigned *word, unsigned long long *out, unsigned rounds)
{
    unsigned at = 0;
    unsigned long long begun = now();
    for (unsigned i = 0; i < rounds; i += 1) at = look_near(word + at);
    out[0] = now() - begun + at;
}

// Atomic additions to a word, each of which waits for the value of the one before it.
extern "C" __global__ void atomics(unsigned *word, unsigned long long *out, unsigned rounds)
{
    unsigned before = 0;
    unsigned long long begun = now();
    for (unsigned i = 0; i < rounds; i += 1) {
        unsigned found;
        asm volatile("atom.add.relaxed.gpu.u32 %0, [%1], 1;" : "=r"(found) : "l"(word + (before > i)) : "memory");
        before = found;
    }
    out[0] = now() - begun;
}

// Fences of the whole system, each behind so many stores to lines of the host's memory.
extern "C" __global__ void fences(unsigned *words, unsigned long long *out, unsigned rounds, unsigned stores)
{
    unsigned long long begun = now();
    for (unsigned i = 0; i < rounds; i += 1) {
        for (unsigned s = 0; s < stores; s += 1) say(words + 32 * s, i);
        asm volatile("fence.acq_rel.sys;" ::: "memory");
    }
    out[0] = now() - begun;
}

extern "C" __global__ void barriers(unsigned long long *out, unsigned rounds)
{
    __syncthreads();
    unsigned long long begun = now();
    for (unsigned i = 0; i < rounds; i += 1) __syncthreads();
    if (threadIdx.x == 0) out[0] = now() - begun;
}

// The same of each warp.
extern "C" __global__ void warp_barriers(unsigned long long *out, unsigned rounds)
{
    __syncthreads();
    unsigned long long begun = now();
    for (unsigned i = 0; i < rounds; i += 1) __syncwarp(0xFFFFFFFFu);
    if (threadIdx.x == 0) out[0] = now() - begun;
}

// The smallest step of the clock that was seen.
extern "C" __global__ void steps(unsigned long long *out, unsigned rounds)
{
    unsigned long long smallest = ~0ull, last = now();
    for (unsigned i = 0; i < rounds; i += 1) {
        unsigned long long time = now();
        if (time != last && time - last < smallest) smallest = time - last;
        last = time;
    }
    out[0] = smallest;
}

// Says what the host says, with nothing around it, until all bits are set.
extern "C" __global__ void echo(const unsigned *asked, unsigned *answer)
{
    unsigned last = 0;
    while (last != 0xFFFFFFFFu) {
        unsigned value = look(asked);
        if (value != last) say(answer, value);
        last = value;
    }
}
