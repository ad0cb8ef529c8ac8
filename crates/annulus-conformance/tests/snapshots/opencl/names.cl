// The handler of kernel `names`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u32 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 4 ? 1 : -1];

static u32 handle_names(GLOBAL const Number *kernel_, PRIVATE u32 *float_, PRIVATE ann_outbox *sampler_, GLOBAL const u32 *global_, u64 global__len) {
    u32 ann_budget = 16777216u;
    // constructs.rs:+1
    u32 int_ = kernel_->value;
    // constructs.rs:+2
    u32 long_ = int_ + 1u;
    // constructs.rs:+3
    u32 struct_ = long_ * 2u;
    // constructs.rs:+4
    u32 float4_ = (*float_);
    // constructs.rs:+5
    u32 min_ = rs_min_u32(struct_, float4_);
    // constructs.rs:+6
    u32 global_len = (u32)global__len;
    // constructs.rs:+7
    u32 global__len_2 = 3u + global_len;
    // constructs.rs:+8
    u64 at = ((u64)int_) % 4ul;
    if (at >= global__len) return 0xFF04u; // index out of bounds
    u32 u32_ = ((min_ + global_[at]) + global_len) + global__len_2;
    // constructs.rs:+9
    u32 int__2 = u32_;
    // constructs.rs:+11
    u32 int__3 = int__2 + 1u;
    // constructs.rs:+12
    (*float_) = int__3;
    // constructs.rs:+14
    u32 gr__e = int__2;
    // constructs.rs:+15
    u32 my_ann_budget = 3u;
    // constructs.rs:+16
    for (u32 index_ = 0u; index_ < my_ann_budget; index_ += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+17
        u32 int__4 = index_ + gr__e;
        // constructs.rs:+18
        (*float_) = (*float_) + int__4;
    }
    // constructs.rs:+20
    for (u32 index_ = 0u; index_ < 2u; index_ += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+21
        (*float_) = (*float_) ^ index_;
    }
    // constructs.rs:+23
    Number number;
    number.value = (*float_) + int__2;
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(sampler_);
        if (ann_slot) *ann_slot = number;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 4
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 4
#define ANN_STATE u32
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u32 *bind_global, u64 len_of_bind_global
#define ANN_BINDING_ENTRY , GLOBAL u32 *bind_global ANN_BUFFER, ANN_NUMBER len_of_bind_global ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_global, len_of_bind_global
#define ANN_CALL(cx, message, state, outbox) handle_names(message, state, outbox, bind_global, len_of_bind_global)
