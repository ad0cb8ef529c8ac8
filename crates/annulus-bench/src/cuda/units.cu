// Units of 16 bytes in one access, with equal halves: whether a look ever sees two halves that differ. A text of its own, since NVRTC of CUDA 12.3
// and older refuses these accesses.

// Looks at a unit of 16 bytes, whose halves the host stores equal and in one access. `out`: looks at which the halves differed, and at which the
// unit was another one than before.
extern "C" __global__ void units(const unsigned char *unit, unsigned long long *out, unsigned rounds)
{
    unsigned long long torn = 0, changed = 0, last = 0;
    for (unsigned i = 0; i < rounds; i += 1) {
        unsigned long long low, high;
        asm volatile("{ .reg .b128 whole; ld.relaxed.sys.b128 whole, [%2]; mov.b128 {%0, %1}, whole; }"
                     : "=l"(low), "=l"(high)
                     : "l"(unit)
                     : "memory");
        torn += low != high;
        changed += low != last;
        last = low;
    }
    atomicAdd(out, torn);
    atomicAdd(out + 1, changed);
}

// The other way round: stores such units, from `first` on, while the host looks at them.
extern "C" __global__ void store_units(unsigned char *unit, unsigned long long first, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i += 1) {
        unsigned long long half = first + i;
        asm volatile("{ .reg .b128 whole; mov.b128 whole, {%1, %2}; st.relaxed.sys.b128 [%0], whole; }" ::"l"(unit), "l"(half), "l"(half)
                     : "memory");
    }
}
