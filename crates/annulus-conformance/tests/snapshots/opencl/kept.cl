// The handler of kernel `kept`, written from crates/annulus-conformance/src/kernels/replied.rs:+0 (module annulus_conformance::kernels::replied).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Answer {
    u32 caller;
    u32 number;
    u32 hops;
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 12 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_kept(GLOBAL const Answer *answer, PRIVATE Total *kept) {
    // replied.rs:+1
    kept->sum = kept->sum + ((u64)answer->number);
    return 0u;
}

#define ANN_MESSAGE Answer
#define ANN_MESSAGE_BYTES 12
#define ANN_STATE Total
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 0
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_kept(message, state)
