// Units of 16 bytes in one access, with equal halves: whether a look ever sees two halves that differ. A text of its own, since NVRTC of CUDA 12.3
// and older refuses these accesses.
//
// 32 units lie next to each other, one for each lane of a warp: lanes that load the same address share one request, and would look once.

// Looks at the lane's unit, whose halves the host stores equal and in one access. `out`, in the device's memory: looks at which the halves
// differed, and at which the unit was another one than at the look before in the same launch. All warps are whole.
extern "C" __global__ void units(const unsigned char *units, unsigned long long *out, unsigned rounds)
{
    unsigned lane = threadIdx.x & 31;
    const unsigned char *unit = units + 16 * lane;
    unsigned long long torn = 0, changed = 0, last = 0;
    for (unsigned i = 0; i < rounds; i += 1) {
        unsigned long long low, high;
        asm volatile("{ .reg .b128 whole; ld.relaxed.sys.b128 whole, [%2]; mov.b128 {%0, %1}, whole; }"
                     : "=l"(low), "=l"(high)
                     : "l"(unit)
                     : "memory");
        torn += low != high;
        changed += i != 0 && low != last;
        last = low;
    }
    if (torn != 0) atomicAdd(out, torn);
    for (unsigned other = 16; other != 0; other /= 2) changed += __shfl_sync(0xFFFFFFFFu, changed, lane ^ other);
    if (lane == 0) atomicAdd(out + 1, changed);
}

// The other way round: each lane stores such units, from `first` on, in its place, while the host looks at them.
extern "C" __global__ void store_units(unsigned char *units, unsigned long long first, unsigned rounds)
{
    unsigned char *unit = units + 16 * threadIdx.x;
    for (unsigned i = 0; i < rounds; i += 1) {
        unsigned long long half = first + i;
        asm volatile("{ .reg .b128 whole; mov.b128 whole, {%1, %2}; st.relaxed.sys.b128 [%0], whole; }" ::"l"(unit), "l"(half), "l"(half)
                     : "memory");
    }
}
