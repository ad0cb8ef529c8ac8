// The handler of kernel `frontier`, written from crates/annulus-conformance/src/kernels/real/graphs.rs:+0 (module annulus_conformance::kernels::real::graphs).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Reached {
    u32 place;
    u32 steps;
} Reached;
typedef char ann_size_of_Reached[sizeof(Reached) == 8 ? 1 : -1];

typedef struct u32_x4 { u32 at[4]; } u32_x4;

static u32 handle_frontier(GLOBAL const Reached *reached, PRIVATE ann_outbox *next, GLOBAL const u32_x4 *streets, u64 streets_len, volatile GLOBAL u32 *steps, u64 steps_len) {
    u32 ann_budget = 16777216u;
    // graphs.rs:+1
    u64 divisor = rs_min_u64(streets_len, steps_len);
    if (divisor == 0ul) return 0xFF05u; // division by zero
    u64 place = ((u64)reached->place) % divisor;
    // graphs.rs:+2
    if (place >= steps_len) return 0xFF04u; // index out of bounds
    u32 before;
    before = rs_atomic_fetch_min_u32(&steps[place], reached->steps, RS_RELAXED);
    // graphs.rs:+3
    if (reached->steps >= before) {
        // graphs.rs:+4
        return 0u;
    }
    // graphs.rs:+6
    if (place >= streets_len) return 0xFF04u; // index out of bounds
    u32_x4 items = streets[place];
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u32 neighbour = items.at[i];
        // graphs.rs:+7
        if (neighbour != 4294967295u) {
            // graphs.rs:+8
            Reached reached_2;
            reached_2.place = neighbour;
            reached_2.steps = rs_saturating_add_u32(reached->steps, 1u);
            {
                GLOBAL Reached *ann_slot = (GLOBAL Reached *)ann_outbox_next(next);
                if (ann_slot) *ann_slot = reached_2;
            }
        }
    }
    return 0u;
}

#define ANN_MESSAGE Reached
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Reached
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 4
#define ANN_BINDING_PARAMETERS , GLOBAL u32_x4 *bind_streets, u64 len_of_bind_streets, volatile GLOBAL u32 *bind_steps, u64 len_of_bind_steps
#define ANN_BINDING_ENTRY , GLOBAL u32_x4 *bind_streets ANN_BUFFER, ANN_NUMBER len_of_bind_streets ANN_BUFFER, volatile GLOBAL u32 *bind_steps ANN_BUFFER, ANN_NUMBER len_of_bind_steps ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_streets, len_of_bind_streets, bind_steps, len_of_bind_steps
#define ANN_CALL(cx, message, state, outbox) handle_frontier(message, outbox, bind_streets, len_of_bind_streets, bind_steps, len_of_bind_steps)
