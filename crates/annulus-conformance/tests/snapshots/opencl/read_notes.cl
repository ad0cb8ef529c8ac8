// The handler of kernel `read_notes`, written from crates/annulus-conformance/src/kernels/variants.rs:+0 (module annulus_conformance::kernels::variants).
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

typedef struct Done {
    u8 ann_nothing;
} Done;

typedef union Note {
    u8 tag; // 7 Tick, 8 Number, 9 Bytes, 10 Done
    struct {
        u8 ann_tag;
        u8 ann_pad0[7];
        Number field_0;
    } Number;
    struct {
        u8 ann_tag;
        Bytes3 field_0;
        u8 ann_pad0[12];
    } Bytes;
    struct {
        u8 ann_tag;
        u8 ann_pad0[15];
    } Done;
} Note;
typedef char ann_size_of_Note[sizeof(Note) == 16 ? 1 : -1];
typedef char ann_size_of_Note_Number[sizeof(((PRIVATE Note *)0)->Number) == 16 ? 1 : -1];
typedef char ann_size_of_Note_Bytes[sizeof(((PRIVATE Note *)0)->Bytes) == 16 ? 1 : -1];
typedef char ann_size_of_Note_Done[sizeof(((PRIVATE Note *)0)->Done) == 16 ? 1 : -1];

static u32 handle_read_notes(GLOBAL const Note *note, PRIVATE ann_outbox *out) {
    // variants.rs:+1
    u64 value;
    if (note->tag == 7) {
        // variants.rs:+2
        value = 1ul;
    } else if (note->tag == 8) {
        // variants.rs:+3
        value = (note->Number.field_0.value * 10ul) + 2ul;
    } else if (note->tag == 9) {
        // variants.rs:+5
        u8 a = note->Bytes.field_0.bytes.at[0];
        u8 b = note->Bytes.field_0.bytes.at[1];
        u8 c = note->Bytes.field_0.bytes.at[2];
        // variants.rs:+6
        value = ((((((u64)a) << 16u) | (((u64)b) << 8u)) | ((u64)c)) * 10ul) + 3ul;
    } else {
        // variants.rs:+8
        value = 4ul;
    }
    // variants.rs:+10
    Number number;
    number.value = value;
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = number;
    }
    return 0u;
}

#define ANN_MESSAGE Note
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_read_notes(message, outbox)
