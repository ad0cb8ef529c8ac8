// The handler of kernel `cell_lists`, written from crates/annulus-conformance/src/kernels/real/physics.rs:+0 (module annulus_conformance::kernels::real::physics).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Particle {
    u32 id;
    f32 x;
    f32 y;
} Particle;
typedef char ann_size_of_Particle[sizeof(Particle) == 12 ? 1 : -1];

static u32 handle_cell_lists(GLOBAL const Particle *particle, volatile GLOBAL u32 *heads, u64 heads_len, volatile GLOBAL u32 *nexts, u64 nexts_len) {
    // physics.rs:+1
    u64 column = rs_min_u64(rs_u64_from_f32(particle->x), 7ul);
    // physics.rs:+2
    u64 row = rs_min_u64(rs_u64_from_f32(particle->y), (heads_len / 8ul) - 1ul);
    // physics.rs:+3
    u32 id = particle->id;
    // physics.rs:+4
    u64 at = (u64)id;
    bool there = at < nexts_len;
    if (!there) {
        return 140u;
    }
    // physics.rs:+5
    u64 at_2 = (row * 8ul) + column;
    if (at_2 >= heads_len) return 0xFF04u; // index out of bounds
    u32 before;
    before = rs_atomic_swap_u32(&heads[at_2], id + 1u, RS_ACQ_REL);
    // physics.rs:+6
    rs_atomic_store_u32(&nexts[at], before, RS_RELEASE);
    // physics.rs:+7
    return 0u;
}

#define ANN_MESSAGE Particle
#define ANN_MESSAGE_BYTES 12
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 0
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_heads, u64 len_of_bind_heads, volatile GLOBAL u32 *bind_nexts, u64 len_of_bind_nexts
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_heads ANN_BUFFER, ANN_NUMBER len_of_bind_heads ANN_BUFFER, volatile GLOBAL u32 *bind_nexts ANN_BUFFER, ANN_NUMBER len_of_bind_nexts ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_heads, len_of_bind_heads, bind_nexts, len_of_bind_nexts
#define ANN_CALL(cx, message, state, outbox) handle_cell_lists(message, bind_heads, len_of_bind_heads, bind_nexts, len_of_bind_nexts)
