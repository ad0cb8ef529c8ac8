// The handler of kernel `token_bucket`, written from crates/annulus-conformance/src/kernels/real/business.rs:+0 (module annulus_conformance::kernels::real::business).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Request {
    u32 client;
    u32 time;
    u32 cost;
} Request;
typedef char ann_size_of_Request[sizeof(Request) == 12 ? 1 : -1];

typedef struct Bucket {
    u32 spent;
    u32 time;
} Bucket;
typedef char ann_size_of_Bucket[sizeof(Bucket) == 8 ? 1 : -1];

typedef struct Allowance {
    u32 per_millisecond;
    u32 burst;
} Allowance;
typedef char ann_size_of_Allowance[sizeof(Allowance) == 8 ? 1 : -1];

static u32 handle_token_bucket(GLOBAL const Request *request, PRIVATE Bucket *bucket, PRIVATE ann_outbox *passed, GLOBAL const Allowance *allowance) {
    // business.rs:+1
    u32 elapsed = rs_saturating_sub_u32(request->time, bucket->time);
    // business.rs:+2
    bucket->time = rs_max_u32(bucket->time, request->time);
    // business.rs:+3
    bucket->spent = rs_saturating_sub_u32(bucket->spent, rs_saturating_mul_u32(elapsed, allowance->per_millisecond));
    // business.rs:+4
    u32 operand = bucket->spent;
    u32 operand_2 = request->cost;
    bool there = !rs_overflows_add_u32(operand, operand_2);
    u32 subject = operand + operand_2;
    if (there && (subject <= allowance->burst)) {
        // business.rs:+5
        u32 spent = subject;
        // business.rs:+6
        bucket->spent = spent;
        // business.rs:+7
        {
            GLOBAL Request *ann_slot = (GLOBAL Request *)ann_outbox_next(passed);
            if (ann_slot) *ann_slot = (*request);
        }
    } else {
    }
    // business.rs:+9
    return 0u;
}

#define ANN_MESSAGE Request
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Request
#define ANN_OUTPUT_BYTES 12
#define ANN_OUTPUT_KEY(message) ((u64)(message)->client)
#define ANN_STATE Bucket
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->client)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Allowance *bind_allowance, u64 len_of_bind_allowance
#define ANN_BINDING_ENTRY , GLOBAL Allowance *bind_allowance ANN_BUFFER, ANN_NUMBER len_of_bind_allowance ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_allowance, len_of_bind_allowance
#define ANN_CALL(cx, message, state, outbox) handle_token_bucket(message, state, outbox, bind_allowance)
