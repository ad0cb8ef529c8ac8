// The handler of kernel `hear`, written from crates/annulus-conformance/src/kernels/rows.rs:+0 (module annulus_conformance::kernels::rows).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Hint {
    u16 from;
    u16 to;
} Hint;
typedef char ann_size_of_Hint[sizeof(Hint) == 4 ? 1 : -1];

typedef struct Push {
    u64 to;
    f32 share;
    u32 from;
} Push;
typedef char ann_size_of_Push[sizeof(Push) == 16 ? 1 : -1];

typedef union Told {
    u8 tag; // 0 Hint, 1 Push
    struct {
        u8 ann_tag;
        u8 ann_pad0[1];
        Hint field_0;
        u8 ann_pad1[18];
    } Hint;
    struct {
        u8 ann_tag;
        u8 ann_pad0[7];
        Push field_0;
    } Push;
} Told;
typedef char ann_size_of_Told[sizeof(Told) == 24 ? 1 : -1];
typedef char ann_size_of_Told_Hint[sizeof(((PRIVATE Told *)0)->Hint) == 24 ? 1 : -1];
typedef char ann_size_of_Told_Push[sizeof(((PRIVATE Told *)0)->Push) == 24 ? 1 : -1];

typedef struct Heard {
    u32 kind;
    u32 from;
    u64 to;
    u32 bits;
    u32 nth;
} Heard;
typedef char ann_size_of_Heard[sizeof(Heard) == 24 ? 1 : -1];

static u32 handle_hear(GLOBAL const Told *told, PRIVATE u32 *count, PRIVATE ann_outbox *out) {
    // rows.rs:+1
    (*count) = (*count) + 1u;
    // rows.rs:+2
    u32 nth = (*count);
    // rows.rs:+3
    if (told->tag == 0) {
        // rows.rs:+5
        Heard heard;
        heard.kind = 0u;
        heard.from = (u32)told->Hint.field_0.from;
        heard.to = (u64)told->Hint.field_0.to;
        heard.bits = 0u;
        heard.nth = nth;
        {
            GLOBAL Heard *ann_slot = (GLOBAL Heard *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = heard;
        }
    } else {
        // rows.rs:+8
        Heard heard;
        heard.kind = 1u;
        heard.from = told->Push.field_0.from;
        heard.to = told->Push.field_0.to;
        heard.bits = rs_to_bits_f32(told->Push.field_0.share);
        heard.nth = nth;
        {
            GLOBAL Heard *ann_slot = (GLOBAL Heard *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = heard;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Told
#define ANN_MESSAGE_BYTES 24
#define ANN_OUTPUT Heard
#define ANN_OUTPUT_BYTES 24
#define ANN_STATE u32
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == 0 ? ((u64)(&(message)->Hint.field_0)->to) : ((u64)(&(message)->Push.field_0)->to))
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_hear(message, state, outbox)
