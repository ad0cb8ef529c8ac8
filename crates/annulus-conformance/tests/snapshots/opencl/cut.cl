// The handler of kernel `cut`, written from crates/annulus-conformance/src/kernels/variants.rs:+0 (module annulus_conformance::kernels::variants).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct u8_x3 { u8 at[3]; } u8_x3;

typedef struct Bytes3 {
    u8_x3 bytes;
} Bytes3;
typedef char ann_size_of_Bytes3[sizeof(Bytes3) == 3 ? 1 : -1];

static u32 handle_cut(GLOBAL const Number *number, PRIVATE ann_outbox *out) {
    // variants.rs:+1
    u64 value = number->value;
    // variants.rs:+2
    u8_x3 items;
    items.at[0] = (u8)(value >> 16u);
    items.at[1] = (u8)(value >> 8u);
    items.at[2] = (u8)value;
    Bytes3 bytes3;
    bytes3.bytes = items;
    {
        GLOBAL Bytes3 *ann_slot = (GLOBAL Bytes3 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = bytes3;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Bytes3
#define ANN_OUTPUT_BYTES 3
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_cut(message, outbox)
