// The handler of kernel `union_find`, written from crates/annulus-conformance/src/kernels/real/graphs.rs:+0 (module annulus_conformance::kernels::real::graphs).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Union {
    u32 a;
    u32 b;
} Union;
typedef char ann_size_of_Union[sizeof(Union) == 8 ? 1 : -1];

typedef struct Checksum {
    u32 value;
} Checksum;
typedef char ann_size_of_Checksum[sizeof(Checksum) == 4 ? 1 : -1];

typedef struct u64_x2 { u64 at[2]; } u64_x2;

static u32 handle_union_find(GLOBAL const Union *union_, PRIVATE ann_outbox *roots, GLOBAL u32 *parents, u64 parents_len) {
    u32 ann_budget = 16777216u;
    // graphs.rs:+2
    for (u64 i = 0ul; i < parents_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // graphs.rs:+3
        if ((((u64)parents[i]) >= parents_len) || (((u64)parents[i]) > i)) {
            // graphs.rs:+4
            parents[i] = (u32)i;
        }
    }
    // graphs.rs:+7
    if (parents_len == 0ul) return 0xFF05u; // division by zero
    if (parents_len == 0ul) return 0xFF05u; // division by zero
    u64_x2 ends;
    ends.at[0] = ((u64)union_->a) % parents_len;
    ends.at[1] = ((u64)union_->b) % parents_len;
    // graphs.rs:+8
    for (u64 end = 0ul; end < 2ul; end += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // graphs.rs:+9
        u64 at = ends.at[end];
        // graphs.rs:+10
        for (;;) {
            if (at >= parents_len) return 0xFF04u; // index out of bounds
            if (((u64)parents[at]) == at) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // graphs.rs:+11
            if (at >= parents_len) return 0xFF04u; // index out of bounds
            u64 at_2 = (u64)parents[at];
            if (at_2 >= parents_len) return 0xFF04u; // index out of bounds
            if (at >= parents_len) return 0xFF04u; // index out of bounds
            parents[at] = parents[at_2];
            // graphs.rs:+12
            if (at >= parents_len) return 0xFF04u; // index out of bounds
            at = (u64)parents[at];
        }
        // graphs.rs:+14
        ends.at[end] = at;
    }
    // graphs.rs:+16
    u64 root = rs_min_u64(ends.at[0], ends.at[1]);
    // graphs.rs:+17
    u64 at = rs_max_u64(ends.at[0], ends.at[1]);
    if (at >= parents_len) return 0xFF04u; // index out of bounds
    parents[at] = (u32)root;
    // graphs.rs:+18
    Checksum checksum;
    checksum.value = (u32)root;
    {
        GLOBAL Checksum *ann_slot = (GLOBAL Checksum *)ann_outbox_next(roots);
        if (ann_slot) *ann_slot = checksum;
    }
    return 0u;
}

#define ANN_MESSAGE Union
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Checksum
#define ANN_OUTPUT_BYTES 4
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u32 *bind_parents, u64 len_of_bind_parents
#define ANN_BINDING_ENTRY , GLOBAL u32 *bind_parents ANN_BUFFER, ANN_NUMBER len_of_bind_parents ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_parents, len_of_bind_parents
#define ANN_CALL(cx, message, state, outbox) handle_union_find(message, outbox, bind_parents, len_of_bind_parents)
